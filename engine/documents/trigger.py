"""Document 001: when a queue manager writes a trigger message."""

from __future__ import annotations

from mqclause.model.timeline.occasion import Occasion
from mqclause.rulebook.declaration import Declaration, RowNames

TRIGGER = Declaration("trigger", Occasion, row=RowNames("occasion", answer="triggering"), asks=(
    "appl_id", "appl_type", "available", "counts", "env_data", "priority", "released", "trigger_data", "trigger_events",
    "user_data",
))  # fmt: skip
"""The conditions for a trigger message on one occasion: something happened to a queue."""
