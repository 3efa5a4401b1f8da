"""The answers that rules give: an outcome with its reason code, the rule that settled it, rows of a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from importlib import import_module
from io import StringIO
from operator import attrgetter
from typing import Any, ClassVar, Literal, Protocol, Self, SupportsIndex, TypeVar, overload

from attrs import field, frozen
from sqlglot import exp

from mqclause.executors.operations import Run
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language.evaluator import evaluate
from mqclause.model.diagnostics import ArgumentError, quote_value
from mqclause.rulebook.rule import FailWith, MessageTemplate, Rule, Settle, UnansweredError
from mqclause.rulebook.rules import RulesOrigin
from mqclause.trace import build_scope, json_text, list_rule_inputs, render_sentence

PRINTERS = "mqclause.tools.answers"
"""The module that prints answers, which is loaded when one is printed."""

LONGEST_LINE = 100
"""So many characters of an answer are shown in one line."""

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


class ShownAnswer:
    """An answer to look at: as text, in one line, as a table of a notebook, as JSON, as a row of a data frame."""

    __slots__ = ()

    columns: ClassVar[ColumnTypes | None] = None
    """The columns of its row, where they are stated; else they are found from its values."""

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from that gave the answer; None if they are those that come with the project."""
        return None

    @property
    def origin_keys(self) -> dict[str, Any]:
        """What the answer's document says of that: nothing if they are those of the project."""
        return {} if self.origin is None else {"rules": self.origin.to_json()}

    def to_json(self) -> Any:
        """Return the answer as JSON values."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, document: Any) -> RecordedAnswer:
        """Return what ``to_json`` returned, or a text of it, as an answer again. Raises ArgumentError for what is none.

        It says what the answer said. It cannot be asked further, for the cluster and the rules are not in it.
        """
        return RecordedAnswer.of(cls.__name__, document)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the answer as JSON values: one, unless it is a table."""
        return [self.to_json()]

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with nested columns, as in JSON. Raises ImportError without pyarrow."""
        arrow = load_optional("pyarrow")
        if self.columns is None:
            return arrow.Table.from_pylist(self.to_rows())
        schema = arrow.schema([(name, _arrow_type(kind, arrow)) for name, kind in self.columns.items()])
        return arrow.Table.from_pylist(self.to_rows(), schema)

    def to_pandas(self) -> Any:
        """Return a DataFrame; nested values are lists and dicts. Raises ImportError without pandas."""
        columns = None if self.columns is None else list(self.columns)
        return load_optional("pandas").DataFrame(self.to_rows(), columns=columns)

    def to_polars(self) -> Any:
        """Return a polars.DataFrame with lists and structs. Raises ImportError without polars and pyarrow."""
        return load_optional("polars").from_arrow(self.to_arrow())

    def __str__(self) -> str:
        """The answer as the command line prints it."""
        printed = StringIO()
        import_module(PRINTERS).print_answer(self, printed)
        return self._tell_origin(printed.getvalue().strip("\n"))

    def _tell_origin(self, text: str) -> str:
        """A text of the answer, with a line that says by whose rules it is, where they are not those of the project."""
        return text if self.origin is None else f"{text}\nanswered {self.origin}".lstrip("\n")

    def __repr__(self) -> str:
        first = " ".join(str(self).split())
        return f"<{type(self).__name__}: {first if len(first) <= LONGEST_LINE else first[:LONGEST_LINE] + '…'}>"

    def _repr_html_(self) -> str:
        """The rows as a table of HTML: Jupyter shows it."""
        rows = self.to_rows()
        names = list(self.columns or dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(f"<tr>{''.join(_cell(row.get(name)) for name in names)}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json_text(value)
    return f"<td>{escape(text)}</td>"


@frozen(repr=False)
class RecordedAnswer(ShownAnswer):
    """An answer that was written as JSON: ``kind`` is the class that wrote it, ``text`` its JSON.

    What it says is read as from a mapping: ``recorded["outcome"]``.
    """

    kind: str
    text: str

    @classmethod
    def of(cls, kind: str, document: Any) -> Self:
        """Record a document, given as JSON values or their text. Raises ArgumentError for what is no such document."""
        try:
            found = json.loads(document) if isinstance(document, str | bytes) else document
            text = json.dumps(found, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"document is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise ArgumentError(f"document is of the type {type(found).__name__}; expected an object, as to_json gives")
        lacking = [key for key in KEYS.get(kind, ()) if key not in found]
        if lacking or ("format" in found and kind in FORMATS and found["format"] != FORMATS[kind]):
            said = f"format is {quote_value(found.get('format'))}" if not lacking else f"without {', '.join(lacking)}"
            raise ArgumentError(f"document is none of a {kind}: {said}")
        return cls(kind, text)

    def to_json(self) -> dict[str, Any]:
        """Return the document."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    def __getitem__(self, key: str) -> Any:
        return self.to_json()[key]


KEYS: Mapping[str, tuple[str, ...]] = {
    "Decision": ("format", "put", "outcome", "reason", "chosen", "permitted", "steps"),
    "Explanation": ("format", "put", "outcome", "reason", "chosen", "permitted", "steps", "remarks", "incomplete"),
    "Finding": ("rule", "severity", "object", "message", "source"),
    "MapRow": ("from", "outcome", "reason", "shares"),
    "PlanRow": ("from", "moved", "before", "after", "because"),
    "ChangePlan": ("format", "rows", "findings"),
    "WhyAnswer": ("format", "queue", "verdict", "conditions"),
    "WhyNot": ("destinations", "changes", "searched"),
}
"""The keys by which the document of an answer is known."""

FORMATS = {
    "Decision": "mqclause.trace/1", "Explanation": "mqclause.trace/1", "ChangePlan": "mqclause.plan/1",
    "WhyAnswer": "mqclause.why/1",
}  # fmt: skip


class AnswerTable(ShownAnswer, tuple[AnswerRowT, ...]):
    """The rows of an answer: a tuple that also converts to a table. ``format`` names its document, if it has one."""

    columns: ColumnTypes  # type: ignore[misc] # of each table its own
    format: str
    origin: RulesOrigin | None = None

    def __new__(
        cls,
        rows: Iterable[AnswerRowT],
        columns: ColumnTypes,
        format: str = "",  # noqa: A002 - the key
        origin: RulesOrigin | None = None,
    ) -> Self:
        """The rows, of which each has ``columns``."""
        found = super().__new__(cls, rows)
        found.columns, found.format, found.origin = columns, format, origin
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.columns, self.format, self.origin

    @overload
    def __getitem__(self, at: SupportsIndex) -> AnswerRowT: ...
    @overload
    def __getitem__(self, at: slice) -> AnswerTable[AnswerRowT]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> AnswerRowT | AnswerTable[AnswerRowT]:
        """Return a row, or a table of some."""
        if isinstance(at, slice):
            return type(self)(tuple(self)[at], self.columns, self.format, self.origin)
        return super().__getitem__(at)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows as JSON values."""
        return [row.to_json() for row in self]

    def to_json(self) -> Any:
        """Return the document, with the rows in it; the rows alone where there is no such document."""
        key = "findings" if self.format == "mqclause.findings/1" else "rows"
        return {"format": self.format, **self.origin_keys, key: self.to_rows()} if self.format else self.to_rows()


def load_optional(name: str) -> Any:
    """Load a library that need not be there. Raises ImportError that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ImportError(f"{name} is not installed: pip install {name}", name=name) from None


def _arrow_type(kind: Any, arrow: Any) -> Any:
    if isinstance(kind, str):
        return arrow.type_for_alias(kind)
    if isinstance(kind, list):
        return arrow.list_(_arrow_type(kind[0], arrow))
    return arrow.struct([(name, _arrow_type(of, arrow)) for name, of in kind.items()])
