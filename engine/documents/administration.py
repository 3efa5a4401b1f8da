"""Document 004: what commands and accidents do to what is in a running cluster, and how long things are kept."""

from __future__ import annotations

from mqclause.model.timeline.matter import Matter
from mqclause.rulebook.declaration import Declaration, RowNames

ADMINISTRATION = Declaration("administration", Matter, row=RowNames("matter", answer="administration"))
"""One thing that an event touches, or that is held on a day. The first rule that applies settles what becomes of it."""
