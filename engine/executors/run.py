"""What running a ruleset gives: who remains, what was derived, the trace of each step. The same for every executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from mqclause.executors.steps import FAILING_CALL, FAILING_RULE, Steps
from mqclause.language.evaluate import Scope
from mqclause.rulebook.rule import FailWith

ExecutorName = Literal["compiled", "chaining", "plain"]

CarriedValues = Mapping[Any, Any]
"""What is carried from choice to choice: by the key of a subject, a tuple of values. See rulebook.declaration."""


class Applied(NamedTuple):
    """What one step did: who fell (out, or set aside), who was taken back, how many remain, what it derived."""

    fallen: Sequence[Any]
    taken_back: Sequence[Any]
    remaining: int
    derived: Mapping[str, Any] | None


Trace = list[Any]
"""For each step, in order: what it did, as the fields of Applied, or None if it did not apply."""


class Failure(NamedTuple):
    """The place of the rule that ends the call, the reason's MQRC name, and the MQI call that returns it."""

    rule: int
    reason: str
    call: str


class Run(NamedTuple):
    """The outcome of one ruleset on one situation.

    ``remaining`` in listing order; ``chosen`` and ``every`` are attributes derived for the chosen subject and for
    every one (None: not derived); ``facts`` are derived about the situation; ``hands_on`` is what the document after
    this one sees. ``saw`` holds what each step saw, where the executor keeps it.
    """

    remaining: Sequence[Any]
    failure: Failure | None
    chosen: Mapping[str, Any]
    every: Mapping[str, Any]
    facts: Mapping[str, Any]
    hands_on: Mapping[str, Any]
    trace: Trace | None = None
    saw: Sequence[Scope] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # What a step saw is found again from the trace.
        return Run, tuple(self._replace(saw=None))

    def says_the_same(self, other: Run) -> bool:
        """Whether both say the same, however they came to it and in whatever sequences they hold it."""
        return self._said() == other._said()

    def _said(self) -> tuple[Any, ...]:
        did = [each and (list(each[0]), list(each[1]), *each[2:]) for each in self.trace or ()]
        facts = (self.chosen, self.every, self.facts, self.hands_on)
        return list(self.remaining), self.failure, *map(dict, facts), self.trace is None, did


class Executor(Protocol):
    """What runs the steps of a ruleset. Safe to share between threads."""

    @property
    def steps(self) -> Steps:
        """The steps that it runs."""
        ...

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = ...,
        traced: bool = ...,
    ) -> Run:
        """What the steps leave of ``among``; ``earlier`` are facts that the document before handed on."""
        ...


def failure(steps: Steps, rule: int, call: str) -> Failure | None:
    """The failure that the facts of a run tell: the number of the rule from 1, and the call."""
    if not rule:
        return None
    action = steps.ruleset.rules[rule - 1].action
    assert isinstance(action, FailWith)  # noqa: S101 - no other action sets these facts
    return Failure(rule - 1, action.reason, call)


def failure_in(steps: Steps, scope: Scope) -> Failure | None:
    """The same, from what is known at the end of a run."""
    return failure(steps, scope.facts.get(FAILING_RULE, 0), scope.facts.get(FAILING_CALL, ""))
