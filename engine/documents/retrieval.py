"""Document 002: in what order, and by which calls, messages come off a queue."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, FROM_ZERO, text_of
from mqclause.model.facts.retrieval import QueuedMessage, RetrievalCall
from mqclause.rulebook.declaration import Declaration, RowNames

RETRIEVAL = Declaration("retrieval", RetrievalCall, QueuedMessage, row=RowNames("call", "messages", "retrieval"), asks={
    "group_status": text_of(" ", "G", "L"), "returned_whole": BOOLEAN, "segment_status": text_of(" ", "S", "L"),
    "warning": FROM_ZERO,
}, terms={"enqueued_priority": ("whole", "subject")})  # fmt: skip
"""The order of a queue's messages, which of them a call returns, and what it returns beside."""
