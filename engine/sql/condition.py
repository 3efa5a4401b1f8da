"""Conditions of rules as SQL text. Every value is there (columns are never null here), so logic is two-valued.

A packed destination is a variable of a lambda; what the situation says is a binding. See mqclause.sql.packing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from attrs import evolve, field, frozen
from sqlglot import exp

from mqclause.expression import expanded, literal_value
from mqclause.model.domain import Flag, Words
from mqclause.sql.packing import Packing
from mqclause.vocabulary import Vocabulary

OPERATORS: dict[type[exp.Expression], str] = {
    exp.Or: "OR", exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/",
}  # fmt: skip
COMPARED = (exp.EQ, exp.NEQ, exp.In)


@frozen
class Names:
    """How a word is written: ``situation`` and ``facts`` give the binding of a word, ``remaining`` is the list.

    ``destination`` is the variable that holds a packed destination. ``overridden`` are attributes of every
    destination that a rule has derived anew, by the binding that holds the value or null.
    """

    vocabulary: Vocabulary
    packing: Packing | None
    situation: Callable[[str], str]
    remaining: str = ""
    destination: str = "c"
    overridden: Mapping[str, str] = field(factory=dict)
    _variables: count[int] = field(factory=count, repr=False)

    def at(self, destination: str) -> Names:
        """The same names about a destination in another variable."""
        return evolve(self, destination=destination)

    def variable(self) -> str:
        """A new name for a lambda's variable."""
        return f"c{next(self._variables)}"

    def is_packed(self, tree: exp.Expression) -> bool:
        """Whether ``tree`` is a packed attribute of a destination."""
        return (
            isinstance(tree, exp.Column)
            and self.packing is not None
            and tree.name in self.packing.bits
            and tree.name not in self.overridden
            and self.vocabulary.words[tree.name].about == "destination"
        )

    def packed(self, name: str) -> str:
        """The bits of a packed attribute."""
        assert self.packing is not None  # noqa: S101 - asked after is_packed
        bits = self.packing.bits[name]
        return f"(({self.destination} >> {bits.shift}) & {bits.mask})"

    def attribute(self, tree: exp.Column) -> str:
        """The value of an attribute of the destination: a truth value, a number or a text."""
        name = tree.name
        assert self.packing is not None, name  # noqa: S101 - a ruleset with destinations has a packing
        column = self.packing.columns.get(name)
        if column is None:
            raise NotInTableError(name)
        if self.is_packed(tree) and not isinstance(column.domain, Words):
            bit = 1 << self.packing.bits[name].shift
            return f"(({self.destination} & {bit}) <> 0)" if isinstance(column.domain, Flag) else self.packed(name)
        default = sql_literal(column.default)
        source = default
        if name in self.packing.present:
            looked_up = f"item(destinations, {self.packing.place(self.destination)}).{name}"
            source = f"COALESCE({looked_up}, {default})"
            source = f"UPPER({source})" if isinstance(column.domain, Words) else source
        return f"COALESCE({self.overridden[name]}, {source})" if name in self.overridden else source


class NotInTableError(ValueError):
    """A rule asks for what a table of puts does not say."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is no column of a table, so the rule cannot be run on tables")


def sql_source(tree: exp.Expression, names: Names) -> str:
    """``tree`` as SQL over the bindings and the destination in ``names``."""
    return _source(expanded(tree, names.vocabulary), names)


def sql_literal(value: object) -> str:
    """A value of the language as it is written in SQL."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def counts(tree: exp.Expression) -> bool:
    """Whether ``tree`` counts destinations."""
    return tree.find(exp.CountIf) is not None


def _source(tree: exp.Expression, names: Names) -> str:
    if isinstance(tree, COMPARED) and names.is_packed(unbracketed(tree.this)):
        placed = _packed_words(tree, names)
        if placed is not None:
            return placed
    operator = OPERATORS.get(type(tree))
    if operator is not None:
        return f"({_source(tree.this, names)} {operator} {_source(tree.expression, names)})"
    match tree:
        case exp.And():
            return _and(tree, names)
        case exp.Paren():
            return _source(tree.this, names)
        case exp.Column():
            about = names.vocabulary.words[tree.name].about
            return names.attribute(tree) if about == "destination" else names.situation(tree.name)
        case exp.Boolean() | exp.Literal():
            return sql_literal(bool(tree.this) if isinstance(tree, exp.Boolean) else literal_value(tree))
        case exp.Not():
            return f"(NOT {_source(tree.this, names)})"
        case exp.In():
            listed = ", ".join(sql_literal(literal_value(value)) for value in tree.expressions)
            return f"({_source(tree.this, names)} IN ({listed}))"
        case exp.Case():
            return _case(tree, names)
        case exp.Floor():
            return f"FLOOR({_source(tree.this, names)})"
        case exp.ArrayContains():
            return f"has({_source(tree.this, names)}, {_source(tree.expression, names)})"
        case exp.CountIf():
            return _count(tree, names)
    raise TypeError(f"{tree.sql()!r} has no SQL source")


def unbracketed(tree: exp.Expression) -> exp.Expression:
    return unbracketed(tree.this) if isinstance(tree, exp.Paren) else tree


def _packed_words(tree: exp.Expression, names: Names) -> str | None:
    """A comparison of a packed word with literals, as one of their places."""
    attribute = unbracketed(tree.this)
    assert names.packing is not None  # noqa: S101 - the attribute is packed
    domain = names.packing.columns[attribute.name].domain
    values = tree.expressions if isinstance(tree, exp.In) else [tree.expression]
    if not isinstance(domain, Words) or not all(isinstance(value, exp.Literal) for value in values):
        return None
    places = [domain.words.index(each.this) + 1 for each in values if each.this in domain.words]
    if not places:
        return "TRUE" if isinstance(tree, exp.NEQ) else "FALSE"
    found = f"{names.packed(attribute.name)} = {places[0]}"
    if len(places) > 1:
        bits = sum(1 << place for place in places)
        found = f"(({bits} >> CAST({names.packed(attribute.name)} AS INT)) & 1) = 1"
    return f"(NOT ({found}))" if isinstance(tree, exp.NEQ) else f"({found})"


def _and(tree: exp.And, names: Names) -> str:
    left, right = _source(tree.this, names), _source(tree.expression, names)
    if "FALSE" in (left, right):
        return "FALSE"
    if counts(tree.expression):
        # Counting takes a pass over the list: only where the answer depends on it.
        return f"(CASE WHEN {left} THEN {right} ELSE FALSE END)"
    return f"({left} AND {right})"


def _case(tree: exp.Case, names: Names) -> str:
    branches = " ".join(
        f"WHEN {_source(branch.this, names)} THEN {_source(branch.args['true'], names)}" for branch in tree.args["ifs"]
    )
    return f"(CASE {branches} ELSE {_source(tree.args['default'], names)} END)"


def _count(tree: exp.CountIf, names: Names) -> str:
    if isinstance(tree.this, exp.Boolean) and tree.this.this:
        return f"length_of({names.remaining})"
    variable = names.variable()
    return f"length_of(those({names.remaining}, lambda {variable}: {_source(tree.this, names.at(variable))}))"
