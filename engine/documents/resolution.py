"""Name resolution: what the names of a put are to the local queue manager, before any workload rule."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, TEXT, Type, text_of
from mqclause.model.facts.naming import FOLLOWED, Naming
from mqclause.model.facts.objects import BINDINGS
from mqclause.rulebook.declaration import Declaration, RowNames

RESOLUTION = Declaration("resolution", Naming, row=RowNames("naming", answer="resolution"), asks={
    **dict.fromkeys((
        "disabled", "leads_to", "next_queue", "next_queue_manager", "object", "transmission_queue",
    ), TEXT),
    "defbind": text_of(*BINDINGS), "deferred": BOOLEAN, "defprty": Type("whole", (), 0, 9),
    "ends": text_of("local queue", "queue", "transmission queue", "queue manager", "topic", "again"),
    "object_kind": text_of(*FOLLOWED),
}, terms={"here": ("boolean", "situation")})  # fmt: skip
"""One look at the two names of an object descriptor. Objects that lead to other names are looked at again."""
