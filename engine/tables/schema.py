"""The columns of tables: which a table has, of which types, and what each document asks of its rows.

They derive from the classes that the rules see. A value that is null has the column's default; one outside its domain
makes the row invalid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union, get_type_hints

from attrs import NOTHING, evolve, field, fields, frozen
from sqlglot import exp, parse_one

from mqclause.cluster.plan import Traffic
from mqclause.documents import OUTCOME, TRIGGER, WORKLOAD
from mqclause.language.sql import Node, build_case, build_literal
from mqclause.model.diagnostics import MqclauseError, quote_value, suggest_allowed, suggest_word
from mqclause.model.facts.domains import LARGEST, Domain, Finite, Flag, Name, Names, TableColumn, Text, Whole, Words
from mqclause.model.facts.workload import Destination, Situation
from mqclause.model.timeline.trigger_events import TriggerEvent
from mqclause.rulebook.rule import Declaration
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.functions import ALONG, EACH, PREFIX, build_column, get_field

ColumnKind = Literal["boolean", "integer", "number", "text", "texts"]

LARGEST_COUNT = 2**62 - 1
"""The largest whole number of a field that says nothing of its domain: two of them can be added up."""

_KINDS: Mapping[type, ColumnKind] = {
    Flag: "boolean", Whole: "integer", Finite: "number", Names: "texts", Words: "text", Text: "text", Name: "text",
}  # fmt: skip
_DOMAINS: Mapping[Any, Domain] = {bool: Flag(), int: Whole(0, LARGEST_COUNT), float: Finite(0.0), str: Text(LARGEST)}


@frozen
class Column:
    """A field of a struct: its domain, and its value where a row holds null.

    ``word`` is the name that the rules know it by. The rest is as in mqclause.model.facts.domains.TableColumn.
    """

    name: str
    domain: Domain
    default: Any
    optional: bool = False
    word: str = ""
    beside: bool = False
    stands_for: Mapping[str, str] = field(factory=dict)
    words_with: Mapping[str, str] = field(factory=dict)
    mqsc: str = ""

    @property
    def kind(self) -> ColumnKind:
        """Of which type the column is; every back end has one type for each kind."""
        return _KINDS[type(self.domain)]

    @property
    def needed(self) -> bool:
        """Whether null is no value of it."""
        return isinstance(self.domain, Name) and self.domain.least > 0

    @property
    def allowed(self) -> str:
        """The values that a row may hold, for a person."""
        match self.domain:
            case Words(words):
                return ", ".join(word for word in words if word)
            case Whole(low, high):
                return f"a whole number from {low} to {high}"
            case Finite(low):
                return f"a finite number from {low:g}"
            case Flag():
                return "true, false"
            case Names():
                return "a list of names"
            case Name():
                return self.domain.described
        return "text"


Columns = Mapping[str, Column]


@cache
def build_columns(facts: type) -> Columns:
    """Build the columns of an attrs class by name, in the order of its fields."""
    hints = get_type_hints(facts)
    found = {}
    for each in fields(facts):
        in_table = each.metadata.get("in_table", TableColumn())
        if in_table is not None:
            domain = each.metadata.get("domain") or _DOMAINS[hints[each.name]]
            default = in_table.null if in_table.null is not ... else "" if each.default is NOTHING else each.default
            column = _column(in_table.column or each.name, each.name, domain, default, in_table)
            found[column.name] = column
    return found


def _column(name: str, word: str, domain: Domain, default: Any, how: TableColumn) -> Column:
    if isinstance(domain, Words):
        # A blank word stands for "none", which in a table null does where it has no other meaning.
        listed = [each for each in domain.words if (each or default == "") and each not in how.words_with]
        domain = Words((*listed, *how.stands_for))
    return Column(name, domain, default, how.optional, word, how.beside, how.stands_for, how.words_with, how.mqsc)


PUT = build_columns(Situation)
"""The fields of ``put``. With AS_Q_DEF a row says nothing of DEFBIND, so MQ's default OPEN is in effect."""

DESTINATION = build_columns(Destination)
"""The fields of each of ``destinations``."""

OCCASION = build_columns(TriggerEvent)
"""The fields of ``occasion``."""

DECISION: Mapping[str, ColumnKind] = {
    "outcome": "text",
    "queue": "text",
    "queue_manager": "text",
    "channel": "text",
    "reason": "integer",
    "permitted": "integer",
    "eliminated_by": "texts",
    "message": "text",
    "transmission_queue": "text",
}
"""The fields of ``decision`` and their types."""

TRIGGERING: Mapping[str, ColumnKind] = {
    "outcome": "text",
    "rule": "text",
    "available": "boolean",
    "turns_off": "boolean",
    "failing": "texts",
    "message": "text",
}
"""The fields of ``triggering``: ``triggers``, ``silent`` or ``invalid``; the rule by which a trigger message is
written; whether it is available at once; whether it switches triggering off; the conditions that do not hold."""

NULL_SUBJECT = "{subjects}[{place}] is null"
NOT_ALLOWED = "{column} = {value}; allowed: {allowed}"
"""What is wrong with an invalid row; places count from 0. See RowRequirements for what documents ask."""


@frozen
class RowRequirements:
    """The values that a row must state, and the messages about rows that do not.

    ``struct`` is what the column of the situation should be. Of the texts ``one_of`` a row gives at least one;
    ``none_given`` is told of others, and ``neither`` of a table that has no such column. A row without subjects is
    told ``nobody`` (blank: it is a row like any other). ``needed`` are columns that subjects of a table must have, with
    the reason.
    """

    struct: str = "a struct"
    one_of: tuple[str, ...] = ()
    none_given: str = ""
    neither: str = ""
    nobody: str = ""
    needed: Mapping[str, str] = field(factory=dict)


PUT_REQUIREMENTS = RowRequirements(
    struct="a struct with queue or queue_manager",
    one_of=("queue", "queue_manager"),
    none_given="put.queue and put.queue_manager are both blank; a put names one of them",
    neither="column put has neither queue nor queue_manager; a put names one of them",
    nobody="destinations is null or empty; a row needs at least one destination",
    needed={"queue_manager": "every destination has a queue manager"},
)

PUT_NAMES = PUT_REQUIREMENTS.one_of
"""The fields by which a put names what it asks for."""

_DEMANDS = {
    WORKLOAD: PUT_REQUIREMENTS,
    OUTCOME: PUT_REQUIREMENTS,
    TRIGGER: RowRequirements(struct="a struct with the facts about a queue"),
}

FieldType = Union[str, "Struct", "ListOf"]
"""A kind of column, decimal, huge (an integer of more than 64 bits), name (a text that is one), null (no value at all),
another type by its own name; or nested."""


@frozen
class ListOf:
    """A list: the kind of its items."""

    item: FieldType


LIST_OF_JSON = ListOf("JSON")
"""What DuckDB reads lists of several types as, and lists of which all are empty."""


@frozen
class ValueSource:
    """Where a table has a value: its tree, of which kind it is, and what messages call it.

    That of a subject is a field of the variable EACH. What is ``checked`` is known to be in its column's domain, as it
    is kept.
    """

    value: Node
    kind: FieldType
    told: str
    checked: bool = False

    @property
    def name(self) -> str:
        """The name of the field as the table spells it."""
        return self.value.name

    def compared(self, of: Column) -> Node:
        """Write the value as it is compared with an end of a range, as text where a narrow number would overflow."""
        value = self.value
        if self.kind == LIST_OF_JSON:
            return F.map_items(value, F.JsonText(this=F.build_variable("name")), "name")
        if self.kind == "huge":
            return _exactly(value, of)
        if isinstance(self.kind, ListOf):
            return exp.cast(value, "ARRAY<TEXT>")  # an array of DuckDB's has as many items as its type says
        return exp.cast(value, "DOUBLE") if self.kind == "number" else value


def _exactly(value: Node, of: Column) -> Node:
    """An integer of any size by its digits; one that has no place in 128 bits becomes another that is not allowed."""
    digits = exp.cast(value, "TEXT")
    if not isinstance(of.domain, Whole):
        return exp.cast(digits, "DOUBLE")
    found = exp.TryCast(this=digits, to=exp.DataType.build("INT128"))
    return build_case([(F.is_null(value), exp.null())], F.coalesce(found, build_literal(of.domain.high + 1)))


Sources = Mapping[str, Sequence[ValueSource]]
"""By field of the situation where a table has it: the first that is not null counts."""

_EXPECTED = {
    "boolean": ("a boolean", "BOOLEAN"), "integer": ("an integer", "BIGINT"), "number": ("a number", "DOUBLE"),
    "text": ("a text", "STRING"), "texts": ("a list of texts", "a list of STRING"),
}  # fmt: skip

NAME_COLUMNS = ("queue", "from")
COUNT_COLUMN = "count"

MOST = 10**15
"""More puts than that are no count: a double has no longer every whole number."""

COUNT_EXPRESSION = f"""CASE WHEN n IS NULL THEN 1
    WHEN TRY_CAST(CAST(n AS TEXT) AS DOUBLE) >= 0 AND TRY_CAST(CAST(n AS TEXT) AS DOUBLE) < {MOST}
     AND TRY_CAST(CAST(n AS TEXT) AS DOUBLE) = FLOOR(TRY_CAST(CAST(n AS TEXT) AS DOUBLE))
    THEN CAST(TRY_CAST(CAST(n AS TEXT) AS DOUBLE) AS BIGINT) END"""
"""A count is a whole number from 0, whatever type it has; null is one put."""


class TableError(MqclauseError, ValueError):
    """A table that cannot be decided: a column is missing or of a wrong type. One line that names it."""


def get_letter_case(words: Iterable[str]) -> Literal["upper", "lower", "mixed"]:
    """Return the letter case of words: rows may write words that are all upper or all lower in any case."""
    letters = "".join(words)
    return "upper" if letters.isupper() else "lower" if letters.islower() else "mixed"


def narrow_columns(columns: Columns, situation: Collection[str]) -> Columns:
    """Return the columns of a subject beside a situation with these columns; some words need certain ones."""

    def allowing(column: Column) -> Column:
        more = [word for word, needed in column.words_with.items() if needed in situation]
        return evolve(column, domain=Words((*column.domain.words, *more))) if more else column  # type: ignore[union-attr]

    return {name: allowing(column) for name, column in columns.items()}


def get_requirements(declaration: Declaration) -> RowRequirements:
    """Return the requirements of a document on the rows of its tables."""
    return _DEMANDS.get(declaration, RowRequirements())


def render_null_fault(column: str) -> str:
    """Render the message about a row whose situation is null."""
    return f"{column} is null; a row needs the {column} that it asks about"


@frozen
class Struct:
    """A struct: the kinds of its fields."""

    fields: Mapping[str, FieldType]


@frozen
class Shape:
    """The columns that a table of one document has for the situation and for each subject.

    ``row`` is the struct without which a row says nothing, if there is one; ``listed`` the column of the subjects.
    ``may_be_empty`` says that a row may be without subjects, whatever the document asks of tables. ``further`` are
    words of the situation that no column gives, and what gives them here. ``said`` are the fields of the situation that
    the table has, also those that are null throughout. ``from_start`` says that what subjects carry from one choice to
    the next counts as it is before the first, whatever the table states.
    """

    about: Declaration
    situation: Sources = field(eq=repr)
    subjects: Mapping[str, ValueSource] = field(factory=dict, eq=repr)
    row: Node | None = None
    listed: str = ""
    may_be_empty: bool = False
    further: Mapping[str, Node] = field(factory=dict, eq=repr)
    said: frozenset[str] = frozenset()
    from_start: bool = False

    @property
    def situation_columns(self) -> Columns:
        """The columns that a situation can have."""
        return build_columns(self.about.situation)

    @property
    def subject_columns(self) -> Columns:
        """The columns that a subject can have in a table of this shape."""
        return (
            narrow_columns(build_columns(self.about.subject), self.said or self.situation) if self.about.subject else {}
        )

    @property
    def demands(self) -> RowRequirements:
        """The requirements of the document on rows."""
        return get_requirements(self.about)


def build_shape(columns: Mapping[str, FieldType], about: Declaration) -> Shape:
    """Build the shape of a table of one document. Raises TableError, and TypeError for what is no declaration."""
    if not isinstance(about, Declaration):
        raise TypeError(f"declaration={quote_value(about)} is none; expected one, as mqclause.documents.WORKLOAD is")
    check_free(about.row.answer, columns)
    situation, struct = find_situation_fields(columns, about), get_spelling(about.row.situation, columns)
    inside = columns[struct]
    said = frozenset(name.lower() for name in inside.fields) if isinstance(inside, Struct) else frozenset()
    shape = Shape(about, situation, row=build_column(struct), said=said)
    if about.subject is None:
        return shape
    name = get_spelling(about.row.subjects, columns)
    found = columns[name]
    if not isinstance(found, ListOf) or not isinstance(found.item, Struct):
        raise TableError(f"column {name} is {describe_kind(found)}; expected a list of structs")
    spellings = _fields(found.item, shape.subject_columns, f"{about.row.subjects}.")
    subjects = {
        each: ValueSource(get_field(EACH, own), found.item.fields[own], each) for each, own in spellings.items()
    }
    for needed, why in shape.demands.needed.items():
        if needed not in subjects:
            raise TableError(f"column {name}.{needed} is missing; {why}")
    return evolve(shape, subjects=subjects, listed=name)


def build_contract_shape(about: Declaration) -> Shape:
    """Build the shape of a table with every column of the contract."""

    def present(facts: type | None) -> Columns:
        columns = build_columns(facts) if facts else {}
        return {name: each for name, each in columns.items() if not each.optional}

    struct = about.row.situation
    situation = {
        name: [ValueSource(build_column(name, struct), _kind(each), f"{struct}.{name}")]
        for name, each in present(about.situation).items()
    }
    listed = present(about.subject)
    subjects = {name: ValueSource(get_field(EACH, name), _kind(each), name) for name, each in listed.items()}
    return Shape(about, situation, subjects, build_column(struct), about.row.subjects)


def find_situation_fields(columns: Mapping[str, FieldType], about: Declaration) -> Sources:
    """Find the fields of the situation in a table, in their struct or beside it. Raises TableError."""
    struct, demands = about.row.situation, get_requirements(about)
    name = get_spelling(struct, columns)
    found, known = columns[name], build_columns(about.situation)
    if not isinstance(found, Struct):
        raise TableError(f"column {name} is {describe_kind(found)}; expected {demands.struct}")
    inside, beside = _fields(found, known, f"{struct}."), _beside(columns, known)
    if demands.one_of and not set(demands.one_of).intersection(inside):
        raise TableError(demands.neither)
    sources = {
        each: [
            ValueSource(build_column(of[each], within), kinds[of[each]], f"{struct}.{each}")
            for of, within, kinds in ((inside, name, found.fields), (beside, "", columns))
            if each in of
        ]
        for each in known
    }
    return {name: found for name, found in sources.items() if found}


def check_types(columns: Mapping[str, FieldType], about: Declaration) -> None:
    """Raise TableError for a column of the document whose type can never fit."""
    situation, subjects = find_spelling(about.row.situation, columns), find_spelling(about.row.subjects, columns)
    found = columns.get(situation or "")
    if isinstance(found, Struct):
        _fields(found, build_columns(about.situation), f"{about.row.situation}.")
    listed = columns.get(subjects or "")
    if about.subject is not None and isinstance(listed, ListOf) and isinstance(listed.item, Struct):
        _fields(listed.item, build_columns(about.subject), f"{about.row.subjects}.")


def build_no_table_error(given: object, expected: str) -> TableError:
    """Build the error about something that is given in place of a table; it names the type with its package."""
    kind = type(given)
    package = kind.__module__.partition(".")[0].strip("_")
    name = kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"
    return TableError(f"the table is a {name}; expected {expected}")


def check_free(name: str, columns: Iterable[str]) -> None:
    """Raise TableError if there is a column ``name`` already, one twice, or one of ours, in any letter case."""
    columns = list(columns)
    for taken in (each for each in columns if each.lower() == name.lower()):
        raise TableError(f"the table has a column {taken} already")
    for own in (each for each in columns if each.lower().startswith(PREFIX) and not each.startswith(ALONG)):
        raise TableError(f"column {own}: names that begin with {PREFIX} are used by mqclause itself")
    check_apart(columns)


def check_apart(names: Iterable[str], before: str = "") -> None:
    """Raise TableError for two names that are equal without regard to letter case, as engines compare them."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.get(name.lower())
        seen[name.lower()] = name
        if other is not None:
            what = "is there twice" if other == name else f"and {before}{other} differ in letter case only"
            raise TableError(f"column {before}{name} {what}")


def find_spelling(name: str, columns: Iterable[str]) -> str | None:
    """Find how a table spells a name; None if it has no such column."""
    return next((each for each in columns if each.lower() == name.lower()), None)


def get_spelling(name: str, columns: Iterable[str]) -> str:
    """Return a table's spelling of the name of a column that it must have. Raises TableError."""
    name = str(name)
    found = find_spelling(name, columns)
    if found is None:
        raise TableError(f"column {name} is missing{suggest_allowed(name, columns, 'the table has')}")
    return found


def check_known(fields: Iterable[str], columns: Columns, before: str) -> None:
    """Raise TableError for an unknown field that is close to a missing one, or to what MQSC calls it.

    All other fields are the user's own.
    """
    own = [each.lower() for each in fields]
    missing = [name for name in columns if name not in own]
    for spelling in fields:
        if spelling.lower() in columns:
            continue
        called = [name for name in missing if columns[name].mqsc == spelling.lower()]
        near = (
            f"; did you mean {' or '.join(map(repr, called))}?" if called else suggest_word(spelling.lower(), missing)
        )
        if near:
            raise TableError(f"column {before}{spelling} is not known{near}")


def check_fits(kind: FieldType, of: Column, told: str) -> None:
    """Raise TableError if no value of a kind fits a column, with the cast that would help."""
    if is_fitting(kind, of):
        return
    expected, cast = _EXPECTED[of.kind]
    inside = kind.item if isinstance(kind, ListOf) and of.kind == "texts" else kind
    as_nested = isinstance(inside, str) and isinstance(kind, ListOf) == (of.kind == "texts")
    would_do = f" (a CAST to {cast} would do)" if as_nested else ""
    if kind == "JSON" and of.kind == "text":
        would_do = f" ({told} ->> '$' would do)"
    raise TableError(f"column {told} is {describe_kind(kind)}; expected {expected}{would_do}")


def is_fitting(kind: FieldType, column: Column) -> bool:
    """Return whether a column may be of that kind; whether a number is whole is seen row by row."""
    if column.kind == "texts" and isinstance(kind, ListOf):
        return kind.item in ("text", "null", "JSON")
    numbers = ("integer", "huge", "decimal", "number")
    return kind in ("null", column.kind) or (column.kind in numbers and kind in numbers)


def describe_kind(kind: FieldType) -> str:
    """Describe a kind as messages name it."""
    if isinstance(kind, Struct | ListOf):
        return "a struct" if isinstance(kind, Struct) else "a list"
    told = {"null": "null throughout", "text": "a text", "integer": "an integer"}
    return (told | {"huge": "an integer of more than 64 bits"}).get(kind, f"a {kind}")


def build_group_keys(columns: Iterable[str]) -> dict[str, Node]:
    """Write what rows are counted by, with the names of its columns. Raises TableError."""
    found = list(columns)
    check_apart(found)
    names = zip(("queue", "member"), NAME_COLUMNS, strict=True)
    return {name: _of("RTRIM(CAST(n AS TEXT), ' ')", get_spelling(of, found)) for name, of in names}


def build_counts(columns: Iterable[str]) -> dict[str, Node]:
    """Write what is counted: puts, rows with a bad count, and one such count."""
    count = find_spelling(COUNT_COLUMN, columns)
    if count is None:
        return {"puts": exp.Count(this=exp.Star()), "bad": build_literal(0), "example": exp.null()}
    return {
        "puts": _of(f"SUM({COUNT_EXPRESSION})", count),
        "bad": _of(f"COUNT(*) - COUNT({COUNT_EXPRESSION})", count),
        "example": _of(f"MIN(CASE WHEN {COUNT_EXPRESSION} IS NULL THEN CAST(n AS TEXT) END)", count),
    }


def build_traffic(rows: Iterable[Mapping[str, Any]]) -> Traffic:
    """Build the traffic from counted rows. Raises TableError for missing names and bad counts."""
    counted = list(rows)
    # Engines count in any order: of several faults the same one is told.
    for bad in sorted(str(row["example"]) for row in counted if row["bad"]):
        raise TableError(f"column {COUNT_COLUMN}: {bad!r} is no whole number from 0 to {MOST - 1}")
    for name, of in zip(("queue", "member"), NAME_COLUMNS, strict=True):
        if not all(row[name] for row in counted):
            raise TableError(f"column {of} is null or blank in some row; a put is of a queue, at a queue manager")
    return Traffic({(row["queue"], row["member"]): int(row["puts"]) for row in counted})


def _kind(of: Column) -> FieldType:
    return ListOf("text") if of.kind == "texts" else of.kind


def _beside(columns: Mapping[str, FieldType], known: Columns) -> Mapping[str, str]:
    """The columns of a table that count where the struct of the situation does not have them, as they are spelt."""
    found = {name: find_spelling(name, columns) for name, each in known.items() if each.beside}
    listed = {name: own for name, own in found.items() if own is not None and columns[own] != "null"}
    return {name: own for name, own in listed.items() if is_fitting(columns[own], known[name])}


def _fields(found: Struct, columns: Columns, before: str) -> Mapping[str, str]:
    """The known fields of a struct that hold anything, as they are spelt. Raises TableError."""
    check_apart(found.fields, before)
    spellings = {name.lower(): name for name in found.fields}
    check_known(found.fields, columns, before)
    for spelling, kind in found.fields.items():
        of = columns.get(spelling.lower())
        if of is not None:
            check_fits(kind, of, f"{before}{of.name}")
    listed = {name: spellings[name] for name in columns if name in spellings}
    return {name: own for name, own in listed.items() if found.fields[own] != "null"}


def _of(text: str, name: str) -> Node:
    """An expression about the column ``name``, which ``text`` calls n."""
    tree = parse_one(text, dialect="duckdb")
    named = exp.column(name, quoted=True)
    return tree.transform(lambda node: named.copy() if isinstance(node, exp.Column) and node.name == "n" else node)
