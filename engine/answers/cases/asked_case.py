"""Cases that can be put to the rules: what they answer, and what in the answer is not as the case expects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import frozen

from mqclause.executors.run import Applied, ExecutorName
from mqclause.rulebook.case import Case
from mqclause.rulebook.rule import Choose, Conclude, Derive, FailWith, Holds, OrderBy, Rule, Settle
from mqclause.rulebook.rules import Rules

Comparison = Callable[[Any, Any], Iterator[str]]
"""Compares an answer with what a case expects under one key: what is wrong, if anything."""


@frozen(eq=False, slots=False)
class AskedCase(Case):
    """A case with its question. It is read by the ``rules`` that it is put to, in its edition and under its readings.

    A kind of case says how each key that it may expect is compared (``COMPARED``).
    """

    COMPARED: ClassVar[Mapping[str, Comparison]] = {}
    GOES_THROUGH: ClassVar[bool] = False
    """Whether the product is asked, and not rules alone."""

    def read(self, rules: Rules) -> Rules:
        """The rules in the case's edition, if it has one, and under its readings. Raises ReadingError."""
        return (rules.in_edition(self.edition) if self.edition else rules).under(self.readings)

    @abstractmethod
    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        """What the rules answer to the case. Raises ReadingError and RuleError."""

    @abstractmethod
    def told(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        """All that the rules tell about the case, in values that compare."""

    @abstractmethod
    def acted(self, answer: Any) -> bool:
        """Whether the case's rule decided something in ``answer``."""

    def unexpected(self, answer: Any) -> list[str]:
        """What in ``answer`` is not as expected, whichever rule did it."""
        return [fault for key, wanted in self.expect.items() for fault in self.COMPARED[key](answer, wanted)]

    def faults(self, rules: Rules, executor: ExecutorName = "compiled") -> list[str]:
        """What the rules answer otherwise than the case expects."""
        answer = self.answer(rules, executor)
        wrong = self.unexpected(answer)
        if self.acted(answer) != self.acts:
            wrong.append(f"acts: expected {self.acts} of {self.rule}")
        return wrong


def decided(rule: Rule, did: Sequence[Any] | None, ordinary: Mapping[str, Any]) -> bool:
    """Whether a rule decided something, by what the trace says it ``did``.

    It let fall, took back, chose, ordered, failed the call, gave subjects values, or derived something else than what
    is ``ordinary``: for a condition that it holds, for a conclusion that it is not drawn, unless stated otherwise.
    """
    if did is None or isinstance(rule.action, Choose | FailWith | OrderBy | Settle):
        return did is not None
    applied = Applied(*did)
    match rule.action:
        case Derive(of="situation"):
            return applied.derived != ordinary
        case Derive():
            return True
        case Holds():
            return applied.derived != (ordinary or {"holds": True})
        case Conclude(fact=fact):
            return applied.derived != (ordinary or {fact: False})
    return bool(applied.fallen or applied.taken_back)
