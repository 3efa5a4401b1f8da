"""What terms say of a message when it is put: the priority that it is enqueued with, and what it is in its item.

They are asked once. Gets, orders and trigger conditions then see what they said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from attrs import field, frozen
from sqlglot import exp

from mqclause.documents import RETRIEVAL
from mqclause.executors.listing import ready
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.message import HIGHEST_PRIORITY, InItem, Message
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.retrieval import StatedMessage, stated
from mqclause.rulebook.rules import Rules

MOST_KNOWN = 10_000
"""How many answers are kept: messages of groups differ in their numbers alone."""

OF_ITEMS = (
    "is_first", "begins_message", "ends_message", "ends_item", "followed_by_sequence", "followed_by_offset",
)  # fmt: skip
NO_QUEUE = Queue("-", "-")


@frozen(eq=False)
class MessageTerms:
    """The terms of rules of retrieval, made ready to be asked of a message: see model.facts.retrieval.Terms.

    It pickles as its ``rules``.
    """

    rules: Rules
    enqueued: Callable[[StatedMessage], int]
    of_items: tuple[Callable[[StatedMessage], Any], ...]
    known: dict[tuple[Any, ...], InItem] = field(factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return message_terms, (self.rules,)

    def priority(self, given: int, queue: Queue) -> int:
        """The priority that a message is enqueued with on a queue; what is beyond 0 to 9 counts as the nearest."""
        said = self.enqueued(StatedMessage("", given, queue.msgdlvsq == "FIFO", queue.defprty))
        return min(max(int(said), 0), HIGHEST_PRIORITY)

    def in_item(self, message: Message) -> InItem:
        """What a message is where it belongs."""
        key = (
            message.item[0], *message.place, message.last_in_group, message.segment, message.last_segment,
            message.length,
        )  # fmt: skip
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            found = self.known[key] = self._asked(StatedMessage(**{**stated(message, 0, NO_QUEUE), "id": ""}))
        return found

    def _asked(self, message: StatedMessage) -> InItem:
        is_first, begins, ends, ends_item, sequence, offset = (ask(message) for ask in self.of_items)
        return InItem(is_first, begins, ends, ends_item, (sequence, offset) if sequence > 0 else None)


@lru_cache(maxsize=64)
def message_terms(rules: Rules) -> MessageTerms:
    """The terms of these rules. Raises RuleError."""
    before: Vocabulary = rules.terms(RETRIEVAL).before
    enqueued, *of_items = (ready(exp.column(term), before, "d") for term in ("enqueued_priority", *OF_ITEMS))
    return MessageTerms(rules, enqueued, tuple(of_items))
