"""Checks of a configuration: one object at a time, against what the documents ask of it."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN
from mqclause.model.assembly.configured import ConfiguredObject
from mqclause.rulebook.declaration import Declaration, RowNames

CHECK = Declaration(
    "check",
    ConfiguredObject,
    row=RowNames("configured", answer="findings"),
    asks={"is_to_trigger": BOOLEAN, "known": BOOLEAN},
    terms={"competes": ("boolean", "situation")},
)
"""Each rule is a condition that an object should fulfil; its ``severity`` is that of the finding where it does not."""
