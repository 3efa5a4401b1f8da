"""Triggering: whether something that happened to a queue makes a trigger message, condition by condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from mqclause.executors.executor import ExecutorName, executor_of
from mqclause.executors.run import Run
from mqclause.language.evaluate import Scope
from mqclause.model.timeline.occasion import Occasion
from mqclause.rulebook.loader import load_ruleset
from mqclause.rulebook.rule import Conclude, Holds, Rule, Ruleset
from mqclause.trace.explanation import explain

DERIVED = 3
"""The place of what a rule derived in a row of the trace."""


@frozen
class Condition:
    """A condition that was examined: whether it holds, why not, and which command would change that."""

    rule: Rule
    holds: bool
    because: str = ""
    remedy: str = ""


@frozen(eq=False)
class Examination:
    """What the trigger rules say about one occasion.

    ``rule`` is the rule by which a trigger message is written, or None. ``fields`` are the derived fields of the
    trigger message. ``available`` is false while a unit of work holds it back; ``turns_off`` says that the message
    switches triggering off for the queue.
    """

    occasion: Occasion
    rule: Rule | None
    fields: Mapping[str, Any]
    available: bool
    turns_off: Rule | None
    run: Run
    ruleset: Ruleset

    @property
    def conditions(self) -> Iterator[Condition]:
        """Every condition that decides about this occasion, in the document's order."""
        scope = Scope(self.ruleset.vocabulary, self.occasion, facts=self.run.facts)  # type: ignore[arg-type]
        for rule, holds in self.examined():
            if holds:
                yield Condition(rule, True)
                continue
            remedy = rule.action.remedy if isinstance(rule.action, Holds) else None
            said = explain(self.ruleset, rule, None, scope, remedy) if remedy else ""
            yield Condition(rule, False, explain(self.ruleset, rule, None, scope), said)

    @property
    def holding_back(self) -> list[Condition]:
        """The conditions that stand in the way, without those of the other way to trigger on an arrival.

        An arrival triggers by clause 3 or, behind other messages, by clause 11: what fails of the one that is out of
        the question says nothing.
        """
        failing = [each for each in self.conditions if not each.holds]
        clauses = {each.rule.clause for each in failing}
        passed_over = {"11"} if "3" not in clauses else {"3"} if "11" not in clauses else set()
        return [each for each in failing if each.rule.clause not in passed_over]

    def examined(self) -> list[tuple[Rule, bool]]:
        """The conditions without the sentences that explain them."""
        trace = self.run.trace or []
        needed: set[str] = set()
        for rule, did in zip(self.ruleset.rules, trace, strict=True):
            if did is not None and isinstance(rule.action, Conclude):
                needed.update(rule.action.needs)
        return [
            (rule, did[DERIVED]["holds"])
            for rule, did in zip(self.ruleset.rules, trace, strict=True)
            if did is not None and rule.id in needed and isinstance(rule.action, Holds)
        ]


class Triggers:
    """The trigger rules under one set of readings; holds no state and may be shared between threads.

    Arguments as for Engine. Raises ReadingError and RuleError.
    """

    def __init__(
        self,
        readings: Mapping[str, str] | None = None,
        executor: ExecutorName = "compiled",
        rules: Path | None = None,
    ) -> None:
        self.ruleset = load_ruleset("trigger", readings, rules)
        self._executor = executor_of(executor, self.ruleset)
        self.readings = dict(self.ruleset.readings)

    def examine(self, occasion: Occasion) -> Examination:
        """Whether ``occasion`` makes a trigger message, and by which conditions."""
        run: Run = self._executor.run(occasion, (), None, {}, True)
        assert run.trace is not None  # noqa: S101 - it was asked for
        wrote = turned_off = None
        for rule, did in zip(self.ruleset.rules, run.trace, strict=True):
            if did is None or did[DERIVED] is None:
                continue
            if wrote is None and did[DERIVED].get("trigger_message"):
                wrote = rule
            if did[DERIVED].get("trigger_off"):
                turned_off = rule
        facts = run.facts
        return Examination(occasion, wrote, facts, facts["available"], turned_off, run, self.ruleset)

    def releases(self, occasion: Occasion, committed: bool) -> bool:
        """Whether the end of the unit of work releases the trigger message that ``occasion`` wrote in it."""
        ending = evolve(occasion, occasion="committed" if committed else "backed_out")
        released: bool = self._executor.run(ending, (), None, {}, False).facts["released"]
        return released
