"""Administration: the rules of document 004, asked what becomes of one thing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attrs import field, frozen

from mqclause.documents import ADMINISTRATION
from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import ExecutorName, Run
from mqclause.model.timeline.matter import Matter
from mqclause.rulebook.rule import Rule, Settle
from mqclause.rulebook.rules import Rules
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence


@frozen(eq=False)
class Settled:
    """What becomes of a matter: the ``rule`` that settles it (None: nothing does), and what the rules derived."""

    matter: Matter
    run: Run
    course: Course = field(repr=False)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the rules derived."""
        return self.run.facts

    @property
    def becomes(self) -> str:
        """What becomes of it, in a word; blank: nothing."""
        found: str = self.facts["becomes"]
        return found

    @cached_property
    def rule(self) -> Rule | None:
        """The rule that settles it: the first that applies."""
        pairs = zip(self.course.rulesets[0].rules, self.run.trace or (), strict=True)
        return next((rule for rule, did in pairs if did is not None and isinstance(rule.action, Settle)), None)

    @property
    def rule_id(self) -> str:
        """The id of that rule; blank where nothing becomes of it."""
        return self.rule.id if self.rule else ""

    @cached_property
    def because(self) -> str:
        """Why so; blank where nothing becomes of it."""
        ruleset, rule = self.course.rulesets[0], self.rule
        if rule is None:
            return ""
        first = first_scope(self.course.steps[0], self.matter, (), None, {})
        seen = list(seen_by(ruleset, self.run, (), first))[ruleset.rules.index(rule)]
        return sentence(ruleset, rule, None, scope_of(seen, first))

    def document(self) -> dict[str, Any]:
        """The rule, its clause and why, as JSON has them."""
        rule = self.rule
        return {"rule": rule and rule.id, "clause": rule and rule.clause, "because": self.because}


class Administration:
    """The rules of document 004, ready to be asked. Safe to share between threads. Raises RuleError."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.course = Course.of(Rules() if rules is None else rules, ADMINISTRATION, executor)

    def ask(self, matter: Matter) -> Settled:
        """What becomes of one thing."""
        return Settled(matter, self.course.run(matter, (), None, True)[0], self.course)
