"""The answers that rules give: an outcome with its reason code, the rule that settled it, rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal, Protocol, Self, TypeVar

from attrs import field, frozen
from sqlglot import exp

from mqclause.executors.operations import Run
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language.evaluator import evaluate
from mqclause.rulebook.rule import FailWith, MessageTemplate, Rule, Settle, UnansweredError
from mqclause.trace import build_scope, list_rule_inputs, render_sentence

NOBODY_LEFT = "no rule says what this call ends with, for which no destination is left"
"""What is wrong with rules that leave nobody and let the call succeed."""

Outcome = Literal["chosen", "failed", "deferred"]

ColumnTypes = Mapping[str, Any]
"""The columns of a table, each with its type: an Arrow type's name, ``[type]`` for a list, columns for a struct."""

DESTINATION_TYPES: ColumnTypes = {"queue": "string", "queue_manager": "string", "channel": "string"}
"""What a document names a destination by."""


class AnswerRow(Protocol):
    """A row that says itself in JSON values, under the names of the columns."""

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        ...


AnswerRowT = TypeVar("AnswerRowT", bound=AnswerRow)


@frozen
class Reason:
    """A reason code: its MQRC name, its number, the MQI call that returns it, and why."""

    name: str
    code: int
    call: str
    rule: str
    because: str


def get_outcome(runs: Sequence[Run]) -> Outcome:
    """Return the outcome of a put by the runs of its rules: chosen, failed or deferred. Raises UnansweredError."""
    if runs[-1].failure:
        return "failed"
    if runs[-1].facts.get("deferred"):
        return "deferred"
    if not runs[0].remaining:
        raise UnansweredError("outcome/", "", NOBODY_LEFT)
    return "chosen"


@frozen
class RuleAnswer:
    """One situation, and a traced run of the rules of a document without subjects on it."""

    situation: Any
    run: Run = field(eq=False)
    course: Pipeline = field(repr=False, eq=attrgetter("made_of"))

    @classmethod
    def of(cls, situation: Any, course: Pipeline) -> Self:
        """Run the rules of ``course`` on one input and keep the trace."""
        return cls(situation, course.run(situation, (), None, True)[0], course)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts that the rules derived."""
        return self.run.facts

    @cached_property
    def rule(self) -> Rule | None:
        """The rule that ends the call, else the first that settles the answer; None if none does."""
        failure = self.run.failure
        return self.settling_rule if failure is None else self.course.rulesets[0].rules[failure.rule]

    @cached_property
    def settling_rule(self) -> Rule | None:
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
        for rule in self.course.rulesets[0].find_remarking_rules(self.facts):
            yield self._said(rule, MessageTemplate(rule.remark))

    def _why(self, rule: Rule | None) -> str:
        return self._said(rule, None if rule is None else rule.because)

    def _said(self, rule: Rule | None, text: MessageTemplate | None) -> str:
        """A text of a rule, with the values that it saw."""
        ruleset = self.course.rulesets[0]
        if rule is None or text is None:
            return ""
        first = build_first_scope(self.course.steps[0], self.situation, (), None, {})
        seen = list(list_rule_inputs(ruleset, self.run, (), first))[ruleset.rules.index(rule)]
        return render_sentence(ruleset, rule, None, build_scope(seen, first), text)

    def holds(self, term: str) -> bool:
        """Return whether a term of the rules holds in the situation."""
        return bool(self.value(term))

    def value(self, term: str) -> Any:
        """Evaluate a term of the rules for this input."""
        return evaluate(exp.column(term), build_first_scope(self.course.steps[0], self.situation, (), None, {}))

    def document(self) -> dict[str, Any]:
        """Return as JSON the rule that settles the answer, else the one that ends the call, with its clause and why."""
        rule = self.settling_rule or self.rule
        return {"rule": rule and rule.id, "clause": rule and rule.clause, "because": self._why(rule)}


class AnswerTable(tuple[AnswerRowT, ...]):
    """The rows of an answer: a tuple that also converts to a table."""

    columns: ColumnTypes

    def __new__(cls, rows: Iterable[AnswerRowT], columns: ColumnTypes) -> AnswerTable[AnswerRowT]:
        """The rows, of which each has ``columns``."""
        found = super().__new__(cls, rows)
        found.columns = columns
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.columns

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with nested columns, as in JSON. Raises ImportError without pyarrow."""
        import pyarrow as arrow  # noqa: PLC0415 - optional

        schema = arrow.schema([(name, _arrow_type(kind)) for name, kind in self.columns.items()])
        return arrow.Table.from_pylist([row.to_json() for row in self], schema)

    def to_pandas(self) -> Any:
        """Return a DataFrame; nested values are lists and dicts. Raises ImportError without pandas."""
        from pandas import DataFrame  # noqa: PLC0415 - optional

        return DataFrame([row.to_json() for row in self], columns=list(self.columns))


def _arrow_type(kind: Any) -> Any:
    import pyarrow as arrow  # noqa: PLC0415 - optional

    if isinstance(kind, str):
        return arrow.type_for_alias(kind)
    if isinstance(kind, list):
        return arrow.list_(_arrow_type(kind[0]))
    return arrow.struct([(name, _arrow_type(of)) for name, of in kind.items()])
