"""Document 002: in what order, and by which calls, messages come off a queue."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, FROM_ZERO, text_of
from mqclause.model.facts.retrieval import QueuedMessage, RetrievalCall, StatedMessage
from mqclause.rulebook.declaration import Declaration, RowNames

RETRIEVAL = Declaration("retrieval", RetrievalCall, QueuedMessage, row=RowNames("call", "messages", "retrieval"), asks={
    "group_status": text_of(" ", "G", "L"), "returned_whole": BOOLEAN, "segment_status": text_of(" ", "S", "L"),
    "warning": FROM_ZERO, "makes_current": BOOLEAN, "moves_cursor": BOOLEAN, "keeps_anchor": BOOLEAN,
    "looks_anew": BOOLEAN, "states_browsing": BOOLEAN, "begins_browsing": BOOLEAN, "is_set_back": BOOLEAN,
    "joins_group": BOOLEAN,
    "put_sequence": FROM_ZERO, "put_offset": FROM_ZERO,
}, terms={
    "enqueued_priority": ("whole", "subject"), "is_first": ("boolean", "subject"),
    "begins_message": ("boolean", "subject"), "ends_message": ("boolean", "subject"),
    "ends_item": ("boolean", "subject"), "followed_by_sequence": ("whole", "subject"),
    "followed_by_offset": ("whole", "subject"),
}, stated=StatedMessage)  # fmt: skip
"""The order of a queue's messages, which of them a call returns, what it returns beside, and where the caller stands
after it. What a message is where it belongs is asked once, of what it says of itself, and told to the rules.
"""
