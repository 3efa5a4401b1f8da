"""Name resolution: what the names of a put are to the local queue manager, before any workload rule."""

from __future__ import annotations

from mqclause.model.facts.naming import Naming
from mqclause.rulebook.declaration import Declaration, RowNames

RESOLUTION = Declaration("resolution", Naming, row=RowNames("naming", answer="resolution"), asks=(
    "defbind", "deferred", "defprty", "disabled", "ends", "leads_to", "next_queue", "next_queue_manager", "object",
    "object_kind", "transmission_queue",
), words={"ends": ("local queue", "queue", "transmission queue", "queue manager", "again")},
   terms={"here": ("boolean", "situation")})  # fmt: skip
"""One look at the two names of an object descriptor. Objects that lead to other names are looked at again."""
