"""Findings: what in a configuration is not as the rules of the checks ask."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import field, frozen

from mqclause.documents import CHECK
from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Applied, ExecutorName, Run
from mqclause.language.evaluate import Scope, evaluate
from mqclause.model.assembly.configured import ConfiguredObject
from mqclause.rulebook.rule import Holds, Rule
from mqclause.rulebook.rules import Rules
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence


@frozen(eq=False)
class Finding:
    """One condition that one object does not fulfil."""

    about: ConfiguredObject
    rule: Rule
    run: Run = field(repr=False)
    course: Course = field(repr=False)

    @cached_property
    def _scope(self) -> Scope:
        ruleset = self.course.rulesets[0]
        first = first_scope(self.course.steps[0], self.about, (), None, {})
        return scope_of(list(seen_by(ruleset, self.run, (), first))[ruleset.rules.index(self.rule)], first)

    @property
    def message(self) -> str:
        """What is found."""
        return sentence(self.course.rulesets[0], self.rule, None, self._scope)

    @property
    def remedy(self) -> str:
        """What mends it: MQSC, or advice."""
        action = self.rule.action
        for each in action.remedies if isinstance(action, Holds) else ():
            text = each.command or each.advice
            if text is not None and (each.when is None or evaluate(each.when, self._scope)):
                return sentence(self.course.rulesets[0], self.rule, None, self._scope, text)
        return ""

    @property
    def key(self) -> FindingKey:
        """What tells it from other findings."""
        return self.rule.id, self.about.object_type, self.about.name, self.about.queue_manager

    @property
    def source(self) -> tuple[str, int | None]:
        """The file and the line where it stands."""
        record = self.about.record
        return (record.source, record.line_of(self.rule.attribute.upper())) if record else ("", None)

    def document(self) -> dict[str, Any]:
        """As in ``mqclause.findings/1``."""
        file, line = self.source
        about, rule = self.about, self.rule
        return {
            "rule": rule.id,
            "clause": rule.clause,
            "severity": rule.severity,
            "object": {"type": about.object_type, "name": about.name, "queue_manager": about.queue_manager},
            "attribute": rule.attribute,
            "message": self.message,
            "remedy": self.remedy,
            "source": {"file": file, "line": line},
        }


FindingKey = tuple[str, str, str, str]
"""What a finding is told by: the check, and the object's type, name and queue manager."""


@frozen
class FindingChanges:
    """The findings that a change brings, and those that it takes away."""

    new: Sequence[Finding] = ()
    gone: Sequence[Finding] = ()

    @classmethod
    def between(cls, before: Sequence[Finding], after: Sequence[Finding]) -> FindingChanges:
        """What is found of an object on one side alone, in the order given."""
        had, has = {each.key for each in before}, {each.key for each in after}
        return cls([each for each in after if each.key not in had], [each for each in before if each.key not in has])

    def document(self) -> dict[str, Any]:
        """As in ``mqclause.plan/1``."""
        return {"new": [each.document() for each in self.new], "gone": [each.document() for each in self.gone]}


class Checks:
    """The rules of the checks, ready to be asked; those in ``ignored`` (ids) are not. Raises RuleError.

    An id that is none is a ValueError.
    """

    def __init__(
        self, rules: Rules | None = None, ignored: Collection[str] = (), executor: ExecutorName = "compiled"
    ) -> None:
        self.course = Course.of(Rules() if rules is None else rules, CHECK, executor)
        self.ignored = frozenset(ignored)
        known = [rule.id for rule in self.course.rulesets[0].rules]
        for unknown in sorted(self.ignored - set(known)):
            raise ValueError(f"{unknown!r} is no check; allowed: {', '.join(known)}")

    def findings(self, objects: Iterable[ConfiguredObject]) -> list[Finding]:
        """What is found, by file and line, whatever the order of the files is."""
        found = [each for about in objects for each in self._of(about)]
        return sorted(found, key=lambda each: (each.source[0], each.source[1] or 0, each.rule.id, each.about.name))

    def _of(self, about: ConfiguredObject) -> Iterator[Finding]:
        run = self.course.run(about, (), None, True)[0]
        for rule, did in zip(self.course.rulesets[0].rules, run.trace or (), strict=True):
            if did is None or rule.id in self.ignored:
                continue
            derived: Mapping[str, Any] | None = Applied(*did).derived
            if derived is not None and not derived["holds"]:
                yield Finding(about, rule, run, self.course)
