"""Conditions of rules as SQL text. Every value is there (columns are never null here), so logic is two-valued.

A packed destination is a variable of a lambda; what the situation says is a binding. See mqclause.tables.packing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve, field, frozen
from sqlglot import exp

from mqclause.language.parse import expanded, literal_value, type_of
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.domains import Flag, Words
from mqclause.tables.binding import FALSE, TRUE, Bindings, either
from mqclause.tables.packing import Packing

FIRST, MIXED = "mq_first", "mq_mixed"
"""The bits of the row's first destination, and those in which not all are alike. Who remains is among them all, so
what is alike in the whole list stays so, and is the first's; most rules then need no look at the list.
"""

OPERATORS: dict[type[exp.Expression], str] = {
    exp.Or: "OR", exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/",
}  # fmt: skip
COMPARED = (exp.EQ, exp.NEQ, exp.In)


@frozen
class Names:
    """How a word is written: ``situation`` gives what stands for a word of it, ``remaining`` is the list.

    What several rules ask is bound in ``bindings``. ``destination`` is the variable that holds a packed destination.
    ``overridden`` are attributes of every destination that a rule has derived anew, by the binding that holds the
    value or null.
    """

    vocabulary: Vocabulary
    packing: Packing | None
    situation: Callable[[str], str]
    remaining: str = ""
    destination: str = "c"
    bindings: Bindings = field(factory=Bindings)
    overridden: Mapping[str, str] = field(factory=dict)

    def at(self, destination: str) -> Names:
        """The same names about a destination in another variable."""
        return evolve(self, destination=destination)

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
            source = f"COALESCE({self.looked_up(name, self.packing.place(self.destination))}, {default})"
            source = f"UPPER({source})" if isinstance(column.domain, Words) else source
        return f"COALESCE({self.overridden[name]}, {source})" if name in self.overridden else source

    def looked_up(self, name: str, place: str) -> str:
        """A field of the destination at a place, or null. A list of one field is quicker to look into than structs."""
        listed = self.bindings.once(f"each_{name}", f"each(destinations, lambda mq_each: mq_each.{name})")
        return f"item({listed}, {place})"

    def differ(self, tree: exp.Expression) -> str:
        """Whether the destinations of the row may differ in ``tree``."""
        mask = 0
        for column in expanded(tree, self.vocabulary).find_all(exp.Column):
            if self.vocabulary.words[column.name].about == "destination":
                if not self.is_packed(column) or self.packing is None:
                    return TRUE
                bits = self.packing.bits[column.name]
                mask |= bits.mask << bits.shift
        return f"(({MIXED} & {mask}) <> 0)" if mask else FALSE


class NotInTableError(ValueError):
    """A rule asks for what a table of puts does not say."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is no column of a table, so the rule cannot be run on tables")


def sql_source(tree: exp.Expression, names: Names) -> str:
    """``tree`` as SQL over the bindings and the destination in ``names``."""
    return _source(expanded(_counted_once(tree, names), names.vocabulary), names)


def _counted_once(tree: exp.Expression, names: Names) -> exp.Expression:
    """``tree`` with the bindings of those terms that several rules ask and that count."""

    def bound(node: exp.Expression) -> exp.Expression:
        term = names.vocabulary.terms.get(node.name) if isinstance(node, exp.Column) else None
        if term is None or not _is_about_all(term, names.vocabulary):
            return node
        return exp.Placeholder(this=names.bindings.same(node.name, sql_source(term, names)))

    return tree.transform(bound)


def _is_about_all(term: exp.Expression, vocabulary: Vocabulary) -> bool:
    """Whether a term is a truth value that counts, and says nothing of a single destination."""
    tree = expanded(term, vocabulary)
    if not counts(tree) or type_of(tree, vocabulary, per_destination=True).kind != "boolean":
        return False
    columns = (each for each in tree.find_all(exp.Column) if each.find_ancestor(exp.CountIf) is None)
    return all(vocabulary.words[each.name].about == "situation" for each in columns)


def may_hold(tree: exp.Expression, names: Names) -> str:
    """Whether ``tree`` may hold of a destination; where it cannot, nobody needs to be asked."""
    differ = names.differ(tree)
    return TRUE if differ == TRUE else either([differ, sql_source(tree, names.at(FIRST))])


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
    found = _operated(tree, names)
    if isinstance(tree, COMPARED) and _is_text_of_row(unbracketed(tree.this), names.vocabulary):
        # Texts are slow to compare, and many rules compare the same ones.
        return names.bindings.same(f"{unbracketed(tree.this).name}_compared", found)
    return found


def _is_text_of_row(tree: exp.Expression, vocabulary: Vocabulary) -> bool:
    if not isinstance(tree, exp.Column):
        return False
    word = vocabulary.words[tree.name]
    return word.about == "situation" and word.type.kind == "text"


def _operated(tree: exp.Expression, names: Names) -> str:
    operator = OPERATORS.get(type(tree))
    if operator is not None:
        return f"({_source(tree.this, names)} {operator} {_source(tree.expression, names)})"
    match tree:
        case exp.And():
            return _and(tree, names)
        case exp.Paren():
            return _source(tree.this, names)
        case exp.Placeholder():
            return str(tree.this)
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
    everyone = f"length_of({names.remaining})"
    if isinstance(tree.this, exp.Boolean) and tree.this.this:
        return everyone
    variable = f"{names.destination}_counted"
    counted = f"length_of(those({names.remaining}, lambda {variable}: {_source(tree.this, names.at(variable))}))"
    differ = names.differ(tree.this)
    if differ == TRUE:
        return counted
    return f"(CASE WHEN {differ} THEN {counted} WHEN {_source(tree.this, names.at(FIRST))} THEN {everyone} ELSE 0 END)"
