"""What rules with ``settle`` answer: which of them fits, what it gives, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Self

from attrs import field, frozen
from sqlglot import exp

from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Run
from mqclause.language.evaluate import evaluate
from mqclause.rulebook.rule import Because, FailWith, Rule, Settle
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence


@frozen(eq=False)
class SettledBy:
    """One situation, and a traced run of the rules of a document without subjects on it."""

    situation: Any
    run: Run
    course: Course = field(repr=False)

    @classmethod
    def of(cls, situation: Any, course: Course) -> Self:
        """What the rules of ``course`` make of a situation."""
        return cls(situation, course.run(situation, (), None, True)[0], course)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the rules derived."""
        return self.run.facts

    @cached_property
    def rule(self) -> Rule | None:
        """The rule that ends the call, else the first that settles the answer; None if none does."""
        failure = self.run.failure
        return self.settling if failure is None else self.course.rulesets[0].rules[failure.rule]

    @cached_property
    def settling(self) -> Rule | None:
        """The first rule that settles the answer, also where one behind it ends the call; None if none does."""
        rules = self.course.rulesets[0].rules
        pairs = zip(rules, self.run.trace or (), strict=True)
        return next((rule for rule, did in pairs if did is not None and isinstance(rule.action, Settle)), None)

    @cached_property
    def because(self) -> str:
        """Why that rule; blank if there is none."""
        return self._why(self.rule)

    @cached_property
    def remedy(self) -> str:
        """MQSC after which the call would not end so; blank if it does not, or nothing is known that helps."""
        action = None if self.rule is None else self.rule.action
        return self._said(self.rule, action.remedy if isinstance(action, FailWith) else None)

    @property
    def remarks(self) -> Iterator[str]:
        """The remarks of the rules of which all that they derive is true."""
        for rule in self.course.rulesets[0].remarking(self.facts):
            yield self._said(rule, Because(rule.remark))

    def _why(self, rule: Rule | None) -> str:
        return self._said(rule, None if rule is None else rule.because)

    def _said(self, rule: Rule | None, text: Because | None) -> str:
        """A text of a rule, with the values that it saw."""
        ruleset = self.course.rulesets[0]
        if rule is None or text is None:
            return ""
        first = first_scope(self.course.steps[0], self.situation, (), None, {})
        seen = list(seen_by(ruleset, self.run, (), first))[ruleset.rules.index(rule)]
        return sentence(ruleset, rule, None, scope_of(seen, first), text)

    def holds(self, term: str) -> bool:
        """Whether a term of the rules holds in the situation."""
        return bool(self.value(term))

    def value(self, term: str) -> Any:
        """What a term of the rules is in the situation."""
        return evaluate(exp.column(term), first_scope(self.course.steps[0], self.situation, (), None, {}))

    def document(self) -> dict[str, Any]:
        """The rule that settles the answer, else the one that ends the call; its clause and why, as JSON has them."""
        rule = self.settling or self.rule
        return {"rule": rule and rule.id, "clause": rule and rule.clause, "because": self._why(rule)}
