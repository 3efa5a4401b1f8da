"""The answers that rules give: an outcome with its reason code, the rule that settled it, rows of a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from io import StringIO
from typing import Any, ClassVar, Literal, Self, SupportsIndex, TypeGuard, TypeVar, overload

from attrs import field, frozen

from mqclause.executors.operations import Failure, Run
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language import nodes
from mqclause.language.evaluator import evaluate
from mqclause.model.diagnostics import ArgumentError, quote_value, suggest_allowed
from mqclause.model.facts.domains import REASONS
from mqclause.rulebook.rule import FailWith, MessageTemplate, Rule, Settle, UnansweredError
from mqclause.rulebook.rules import RulesOrigin
from mqclause.schemas import DocumentSchema, get_document_schema
from mqclause.trace import find_scope, render_sentence

PRINTERS = "mqclause.render.answers"
"""The module that prints answers. It knows each of them, so it is loaded by name when one is printed."""

PICTURES = "mqclause.pages.notebook"
DRAWN_BY = ("jinja2", "markupsafe")
"""The module that draws answers, and the libraries that it needs and that may not be there."""

LONGEST_LINE = 100
"""So many characters of an answer are shown in one line."""

NOBODY_LEFT = "no rule says what this call ends with, for which no destination is left"
"""What is wrong with rules that leave nobody and let the call succeed."""

Outcome = Literal["chosen", "failed", "deferred"]


@frozen
class Reason:
    """A reason code: its MQRC name, its number, the MQI call that returns it, and why."""

    name: str
    code: int
    call: str
    rule: str
    because: str

    def to_json(self) -> dict[str, Any]:
        """Return the reason as JSON values, without why."""
        return {"name": self.name, "code": self.code, "call": self.call}


def build_reason(failure: Failure, rule: str, because: str) -> Reason:
    """Build the reason that the run of some rules ended with, by the ``rule`` that did it."""
    return Reason(failure.reason, REASONS[failure.reason], failure.call, rule, because)


def get_outcome(runs: Sequence[Run]) -> Outcome:
    """Return the outcome of a put by the runs of its rules: chosen, failed or deferred. Raises UnansweredError."""
    if runs[-1].failure:
        return "failed"
    if runs[-1].facts.get("deferred"):
        return "deferred"
    if not runs[0].remaining:
        raise UnansweredError("outcome/", "", NOBODY_LEFT)
    return "chosen"


def _identify_rules(course: Pipeline) -> tuple[object, ...]:
    """Identify the rules of an answer and their executor; readings and editions that change none of them share it."""
    return course.rulesets, course.made_of[2]


@frozen
class RuleAnswer:
    """One situation, and a traced run of the rules of a document without subjects on it."""

    situation: Any
    run: Run = field(eq=False)
    course: Pipeline = field(repr=False, eq=_identify_rules)

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
        return render_sentence(ruleset, rule, None, find_scope(ruleset, rule, self.run, (), first), text)

    def holds(self, term: str) -> bool:
        """Return whether a term of the rules holds in the situation."""
        return bool(self.value(term))

    def value(self, term: str) -> Any:
        """Evaluate a term of the rules for this input."""
        return evaluate(nodes.Column(term), build_first_scope(self.course.steps[0], self.situation, (), None, {}))

    def document(self) -> dict[str, Any]:
        """Return as JSON the rule that settles the answer, else the one that ends the call, with its clause and why."""
        rule = self.settling_rule or self.rule
        return {"rule": rule and rule.id, "clause": rule and rule.clause, "because": self._why(rule)}


class ShownAnswer:
    """An answer to look at: as text, in one line, as a table of a notebook, as JSON, as a row of a data frame.

    Its JSON keeps the schema ``written_by``, or the part of one, as ``map#/$defs/share``.
    """

    __slots__ = ()
    written_by: ClassVar[str]

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from that gave the answer; None if they are those that come with the project."""
        return None

    @property
    def origin_keys(self) -> dict[str, Any]:
        """What the answer's document says of that: nothing if they are those of the project."""
        return {} if self.origin is None else {"rules": self.origin.to_json()}

    @property
    def _head(self) -> dict[str, Any]:
        """The keys that a document of its own begins with: its format, and whose rules gave the answer."""
        return {"format": f"mqclause.{self.written_by}/1", **self.origin_keys}

    def to_json(self) -> Any:
        """Return the answer as JSON values."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, document: Any) -> RecordedAnswer:
        """Return what ``to_json`` returned, or a text of it, as an answer again. Raises ArgumentError for what is none.

        It says what the answer said. It cannot be asked further, for the cluster and the rules are not in it.
        """
        return RecordedAnswer.of(cls.__name__, document)

    @classmethod
    def find_faults(cls, document: Any) -> Iterator[str]:
        """Find what keeps a document from being one that answers of this kind write."""
        return _find_faults(cls.written_by, dict, document)

    @classmethod
    def list_rows(cls, document: Any) -> list[Any]:
        """List the rows of a document of this kind: one, unless it is of a table."""
        return [document]

    @classmethod
    def get_row_schema(cls) -> DocumentSchema:
        """Return the schema that the rows keep."""
        return get_document_schema(cls.written_by)

    @property
    def schema(self) -> DocumentSchema:
        """The schema that its rows keep."""
        return self.get_row_schema()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the answer as JSON values: one, unless it is a table."""
        return [self.to_json()]

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with nested columns, which are the same for all answers of its kind.

        An object of any keys is its JSON text. Raises ImportError without pyarrow.
        """
        arrow, schema = load_optional("pyarrow"), self.schema
        columns = [(name, each.build_arrow_type(arrow)) for name, each in schema.properties.items()]
        return arrow.Table.from_pylist([schema.fit(row) for row in self.to_rows()], arrow.schema(columns))

    def to_pandas(self) -> Any:
        """Return a DataFrame with the columns of ``to_arrow``; nested values are lists and dicts.

        Raises ImportError without pandas.
        """
        return load_optional("pandas").DataFrame(self.to_rows(), columns=[*self.schema.properties])

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
        """What Jupyter shows: the picture, where its kind has one and Jinja2 is there, else a table."""
        return _render_picture(self) or self._render_table()

    def _render_table(self) -> str:
        """A table of what a reader looks for first."""
        from html import escape  # noqa: PLC0415 - it loads every entity of HTML

        said, rows = import_module(PRINTERS).build_shown_rows(self)
        names = dict.fromkeys(name for row in rows for name in row)
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        lines = ("".join(f"<td>{escape(row.get(name, ''))}</td>" for name in names) for row in rows)
        body = "".join(f"<tr>{cells}</tr>" for cells in lines)
        said = self._tell_origin(said)
        caption = f"<caption>{escape(said)}</caption>" if said else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _render_picture(answer: ShownAnswer) -> str | None:
    try:
        notebook = import_module(PICTURES)
    except ModuleNotFoundError as error:
        if error.name not in DRAWN_BY:
            raise
        return None
    shown: str | None = notebook.render_notebook(answer)
    return shown


AnswerRowT = TypeVar("AnswerRowT", bound=ShownAnswer)


class RecordedObject(dict[str, Any]):
    """An object of a document, of which ``recorded.queue_manager`` is the same as ``recorded["queue_manager"]``."""

    def __getattr__(self, name: str) -> Any:
        return _read_key(self, name)


def _read_key(document: Mapping[str, Any], name: str) -> Any:
    """Return the value of a key by an attribute's name: a trailing ``_`` is left out, as of ``from_``."""
    key = name.removesuffix("_")
    if key not in document:
        raise AttributeError(f"the document has no {name!r}; it has {', '.join(document)}")
    return document[key]


@frozen(repr=False)
class RecordedAnswer(ShownAnswer):
    """An answer that was written as JSON: ``kind`` is the class that wrote it, ``text`` its JSON.

    What it says is read as from a mapping, ``recorded["outcome"]``, or as an attribute, ``recorded.chosen.channel``;
    of a table as from the list of its rows.
    """

    kind: str
    text: str

    @classmethod
    def of(cls, kind: str, document: Any) -> Self:
        """Record a document, given as JSON values or their text. Raises ArgumentError for what is no such document."""
        try:
            found = json.loads(document) if isinstance(document, str | bytes) else document
            text = json.dumps(found, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ArgumentError(f"document is no JSON: {error}") from None
        for said in _get_answer_class(kind).find_faults(found):
            raise ArgumentError(f"document is none of a {kind}: {said}")
        return cls(kind, text)

    @property
    def schema(self) -> DocumentSchema:
        """The schema that its rows keep."""
        return _get_answer_class(self.kind).get_row_schema()

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules were from, by the document."""
        found = json.loads(self.text)
        told = found.get("rules") if isinstance(found, dict) else None
        return RulesOrigin(told["folder"] or "", told["sha256"]) if told else None

    def to_json(self) -> Any:
        """Return the document."""
        return json.loads(self.text)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the document: one, unless it is of a table."""
        return _get_answer_class(self.kind).list_rows(self.to_json())

    def __repr__(self) -> str:
        return f"<{self.kind}, recorded{ShownAnswer.__repr__(self).removeprefix('<RecordedAnswer')}"

    def __getitem__(self, key: str | int) -> Any:
        found = _read(self.text)
        return found[key] if isinstance(key, str) else _get_answer_class(self.kind).list_rows(found)[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _read(self.text)
        return _read_key(found if isinstance(found, dict) else {}, name)


def _read(text: str) -> Any:
    return json.loads(text, object_hook=RecordedObject)


def _find_faults(part: str, kind: type, value: Any) -> Iterator[str]:
    if not isinstance(value, kind):
        return iter([f"it is of the type {type(value).__name__}"])
    return get_document_schema(part).find_faults(value)


def _get_answer_class(kind: str) -> type[ShownAnswer]:
    """Return the class of answers of that name. Raises ArgumentError for one that writes no document."""
    package = import_module("mqclause")
    found = getattr(package, kind, None) if kind in package.__all__ else None
    if not _is_answer(found):
        known = [name for name in package.__all__ if _is_answer(getattr(package, name))]
        raise ArgumentError(f"{quote_value(kind)} writes no document{suggest_allowed(kind, known)}")
    return found


def _is_answer(found: Any) -> TypeGuard[type[ShownAnswer]]:
    return isinstance(found, type) and issubclass(found, ShownAnswer) and hasattr(found, "written_by")


class AnswerTable(ShownAnswer, tuple[AnswerRowT, ...]):
    """The rows of an answer, of one kind: a tuple that also converts to a table.

    Its document has them under ``rows_key``; where that is blank it is the list of them.
    """

    row_kind: ClassVar[type[ShownAnswer]]
    rows_key: ClassVar[str] = "rows"
    origin: RulesOrigin | None = None

    def __new__(cls, rows: Iterable[AnswerRowT] = (), origin: RulesOrigin | None = None) -> Self:
        """A table of these rows, by rules of this origin."""
        found = super().__new__(cls, rows)
        found.origin = origin
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.origin

    @overload
    def __getitem__(self, at: SupportsIndex) -> AnswerRowT: ...
    @overload
    def __getitem__(self, at: slice) -> AnswerTable[AnswerRowT]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> AnswerRowT | AnswerTable[AnswerRowT]:
        """Return a row, or a table of some."""
        if isinstance(at, slice):
            return self.of_rows(tuple(self)[at])
        return super().__getitem__(at)

    def of_rows(self, rows: Iterable[AnswerRowT]) -> Self:
        """Return a table of its kind with other rows."""
        return type(self)(rows, self.origin)

    @classmethod
    def find_faults(cls, document: Any) -> Iterator[str]:
        """Find what keeps a document from being one that tables of this kind write."""
        if cls.rows_key or not isinstance(document, list):
            return _find_faults(cls.written_by, dict if cls.rows_key else list, document)
        return (f"[{at}]: {said}" for at, row in enumerate(document) for said in cls.row_kind.find_faults(row))

    @classmethod
    def list_rows(cls, document: Any) -> list[Any]:
        """List the rows of a document of this kind."""
        rows: list[Any] = document[cls.rows_key] if cls.rows_key else document
        return rows

    @classmethod
    def get_row_schema(cls) -> DocumentSchema:
        """Return the schema that the rows keep."""
        return cls.row_kind.get_row_schema()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows as JSON values."""
        return [row.to_json() for row in self]

    def to_json(self) -> Any:
        """Return the document, with the rows in it; the rows alone where there is no such document."""
        if not self.rows_key:
            return self.to_rows()
        return {**self._head, self.rows_key: self.to_rows()}


def load_optional(name: str) -> Any:
    """Load a library that need not be there. Raises ImportError that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ImportError(f"{name} is not installed: pip install {name}", name=name) from None
