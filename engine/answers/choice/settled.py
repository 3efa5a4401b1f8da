"""What rules with ``settle`` answer: which of them fits, what it gives, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import field, frozen
from sqlglot import exp

from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Run
from mqclause.language.evaluate import evaluate
from mqclause.rulebook.rule import Because, Derive, FailWith, Rule, Settle
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence


@frozen(eq=False)
class SettledBy:
    """One situation, and a traced run of the rules of a document without subjects on it."""

    situation: Any
    run: Run
    course: Course = field(repr=False)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the rules derived."""
        return self.run.facts

    @cached_property
    def rule(self) -> Rule | None:
        """The rule that ends the call, else the first that settles the answer; None if none does."""
        rules = self.course.rulesets[0].rules
        if self.run.failure is not None:
            return rules[self.run.failure.rule]
        pairs = zip(rules, self.run.trace or (), strict=True)
        return next((rule for rule, did in pairs if did is not None and isinstance(rule.action, Settle)), None)

    @cached_property
    def because(self) -> str:
        """Why that rule; blank if there is none."""
        return self._said(self.rule, None if self.rule is None else self.rule.because)

    @cached_property
    def remedy(self) -> str:
        """MQSC after which the call would not end so; blank if it does not, or nothing is known that helps."""
        action = None if self.rule is None else self.rule.action
        return self._said(self.rule, action.remedy if isinstance(action, FailWith) else None)

    @property
    def remarks(self) -> Iterator[str]:
        """The remarks of the rules of which all that they derive is true."""
        for rule in self.course.rulesets[0].rules:
            derives = rule.action.values if rule.remark and isinstance(rule.action, Derive) else ()
            if derives and all(self.facts[name] for name, _ in derives):
                yield self._said(rule, Because(rule.remark))

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
        return bool(evaluate(exp.column(term), first_scope(self.course.steps[0], self.situation, (), None, {})))

    def document(self) -> dict[str, Any]:
        """The rule, its clause and why, as JSON has them."""
        rule = self.rule
        return {"rule": rule and rule.id, "clause": rule and rule.clause, "because": self.because}
