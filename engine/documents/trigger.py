"""Document 001: when a queue manager writes a trigger message."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, FROM_ZERO, TEXT, Type
from mqclause.model.timeline.occasion import Occasion
from mqclause.rulebook.declaration import Declaration, RowNames

TRIGGER = Declaration("trigger", Occasion, row=RowNames("occasion", answer="triggering"), asks={
    **dict.fromkeys(("appl_id", "appl_type", "env_data", "of_process", "of_queue", "trigger_data", "user_data"), TEXT),
    **dict.fromkeys(("available", "counts", "released"), BOOLEAN),
    "priority": Type("whole", (), 0, 9), "trigger_events": FROM_ZERO,
})  # fmt: skip
"""The conditions for a trigger message on one occasion: something happened to a queue."""
