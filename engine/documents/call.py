"""Calls on a local queue: what a put or an open ends with, whatever is chosen and whatever triggers."""

from __future__ import annotations

from mqclause.model.facts.queue_call import QueueCall
from mqclause.rulebook.declaration import Declaration, RowNames

CALL = Declaration("call", QueueCall, row=RowNames("call", answer="ends"))
"""One call on one local queue, by its reason code."""
