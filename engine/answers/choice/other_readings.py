"""Which choices of readings would change a decision; and where listing order decided, as the document says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from attrs import frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.said import listing, said, same_answer
from mqclause.rulebook.rule import Choose
from mqclause.rulebook.rules import Rules


@frozen(eq=False)
class OtherReading:
    """A choice of a reading other than the one in force, and what is decided by it."""

    reading: str
    choice: str
    decision: Decision

    def __str__(self) -> str:
        return f"with {self.reading}={self.choice}: {said(self.decision)}"


def other_readings(decision: Decision) -> tuple[OtherReading, ...]:
    """Each choice, one at a time, of a reading that concerns these rules, by which the answer is another.

    It is decided anew for each choice: by the compiled rules, which are loaded once for each.
    """
    known = decision.rules.known_readings
    found = []
    for name, chosen in _concerned(decision):
        for choice in known[name].choices:
            if choice != chosen:
                engine = engine_of(decision.rules.under({**decision.rules.readings, name: choice}))
                other = engine.choose(decision.put, decision.cluster, decision.before)
                if not same_answer(decision, other):
                    found.append(OtherReading(name, choice, other))
    return tuple(found)


def _concerned(decision: Decision) -> Iterator[tuple[str, str]]:
    """The choices that were made: of the rules that chose, and of those that followed names, if any led on."""
    yield from decision.readings.items()
    if decision.resolved.followed:
        yield from decision.resolved.last.course.rulesets[0].readings


@lru_cache(maxsize=64)
def engine_of(rules: Rules) -> Engine:
    """The engine by rules that a decision is compared with, made once."""
    return Engine(rules)


def ties_within(decision: Decision) -> Iterator[str]:
    """Who fell by listing order alone, equal to one that stayed. Needs level ``rule``."""
    for step in decision.steps:
        if step.eliminated and (fallen := [fate.subject.host for fate in step.eliminated if fate.is_tied]):
            yield f"clause {step.rule.clause}: {listing(fallen)} fell as equal, listed later"


def tie_at_the_end(decision: Decision) -> str:
    """Of several that are permitted, who is taken: the one listed first, or by an exit; blank if it is the only one."""
    if decision.outcome != "chosen" or len(decision.permitted) < 2:
        return ""
    names = listing([each.host for each in decision.permitted])
    return f"{names} are equally good; {who_takes(decision)}"


def who_takes(decision: Decision) -> str:
    """By what one of several permitted destinations is taken."""
    answer = decision.exit
    if answer is not None and answer.takes and answer.chosen is not None:
        return f"the exit took {answer.chosen.host}"
    choices = [step.rule.action for step in decision.steps if step.applied and isinstance(step.rule.action, Choose)]
    return f"the one listed {'last' if choices and choices[-1].ties == 'last-listed' else 'first'} is taken"
