"""A program as one expression: each binding around all that comes after it.

For back ends where a column is one expression and a function of SQL's may have functions of its own. So that many
rules do not nest too deep for a parser, some bindings at a time make a state, a struct of what later ones need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from attrs import frozen
from sqlglot import exp

from mqclause.sql.dialect import SPARK, Node, lowered
from mqclause.sql.program import Program

Uses = dict[str, list[exp.Column]]
"""The places in which each name is used."""

DEEPEST = 50
"""Bindings around one another."""


@frozen
class Pipeline:
    """The bindings in order, in Spark's functions, and the fields of the result."""

    bindings: Mapping[str, Node]
    result: Mapping[str, Node]

    @classmethod
    def of(cls, program: Program) -> Pipeline:
        """Makes as few bindings of a program as it needs.

        Spark's analyzer looks at one after the other and gives up after a hundred looks.
        """
        result = {name: lowered(source, SPARK) for name, source in program.result.items()}
        made = {name: lowered(source, SPARK) for name, source in program.bindings.items()}
        return cls(inlined(_needed(_each_where_used(made, result), result), result), result)

    def sql(self, inputs: Collection[str] = ()) -> str:
        """The pipeline as Spark SQL over the columns that the program is about; ``inputs`` are fields of ``row``."""
        every = list(self.bindings)
        blocks = [every[start : start + DEEPEST] for start in range(0, len(every), DEEPEST)] or [[]]
        path, state = dict.fromkeys(inputs, "row"), ""
        for block in blocks:
            fields = self.result if block is blocks[-1] else self._kept_after(every.index(block[-1]) + 1)
            source = _struct({name: _sql(node, path) for name, node in fields.items()})
            for name in reversed(block):
                source = _with(name, _sql(self.bindings[name], path), source)
            state = _with("state", state, source) if state else source
            path |= dict.fromkeys(block, "state")
        return state

    def _kept_after(self, count: int) -> dict[str, Node]:
        """Those of the first ``count`` bindings that later ones or the result use, each as it stands."""
        made, later = list(self.bindings)[:count], list(self.bindings.values())[count:]
        used = {each for node in (*later, *self.result.values()) for each in names(node, self.bindings)}
        return {name: exp.column(name) for name in made if name in used}


def _sql(node: Node, path: Mapping[str, str]) -> str:
    """An expression as Spark SQL; ``path`` says in which struct a name is found that stands not alone."""

    def found(each: Node) -> Node:
        if isinstance(each, exp.Column) and each.table in path:
            return exp.column(each.name, table=each.table, db=path[each.table])
        if isinstance(each, exp.Column) and not each.table and each.name in path:
            return exp.column(each.name, table=path[each.name])
        return each

    return node.copy().transform(found).sql(dialect="spark")


def _with(name: str, value: str, source: str) -> str:
    """SQL: ``source``, in which ``name`` is ``value``. A fold of nothing: what ends it is a function of its start."""
    return f"aggregate(array(), {value}, (start, nothing) -> start, {name} -> {source})"


def _struct(fields: Mapping[str, str]) -> str:
    return "named_struct(" + ", ".join(f"'{name}', {value}" for name, value in fields.items()) + ")"


def names(node: Node, known: Mapping[str, object]) -> Iterator[str]:
    """The bindings that an expression uses."""
    for column in node.find_all(exp.Column):
        name = column.table or column.name
        if name in known:
            yield name


def _needed(bindings: dict[str, Node], result: Mapping[str, Node]) -> dict[str, Node]:
    """The bindings without those that the result needs nothing of."""
    found = {each for node in result.values() for each in names(node, bindings)}
    for name in reversed(bindings):
        if name in found:
            found.update(names(bindings[name], bindings))
    return {name: node for name, node in bindings.items() if name in found}


def inlined(bindings: Mapping[str, Node], result: Mapping[str, Node]) -> dict[str, Node]:
    """The bindings without those that are as quick to evaluate where they are used, and those that are used once.

    What is used once stands in its place, unless it would be evaluated for each item of a list.
    """
    left = dict(bindings)
    uses = _uses((*left.values(), *result.values()))
    for name, node in bindings.items():
        found = uses[name]
        if _is_field(node):
            _replaced(found, left.pop(name), uses)
        elif len(found) == 1 and not found[0].table and found[0].find_ancestor(exp.Lambda) is None and found[0].parent:
            found[0].replace(exp.paren(left.pop(name), copy=False))
    return left


READ = (
    exp.Column, exp.Identifier, exp.Coalesce, exp.Literal, exp.Boolean, exp.Cast, exp.DataType, exp.Array, exp.Paren,
)  # fmt: skip


def _is_field(node: Node) -> bool:
    """Whether an expression only reads what the row says, or its default, or the length of a list."""
    return all(
        isinstance(each, READ) or (isinstance(each, exp.Anonymous) and each.this == "size") for each in node.walk()
    )


def _replaced(places: list[exp.Column], node: Node, uses: Uses) -> None:
    """Puts the expression of a binding wherever it is used; what it uses in turn is then used in each place."""
    copies = [node.copy() for _ in places[1:]]
    for name, found in _uses(copies).items():
        uses[name] += found
    for place, each in zip(places, (node, *copies), strict=True):
        place.replace(exp.paren(each, copy=False))


def _uses(nodes: Iterable[Node]) -> Uses:
    """Each column is a use of its own name and of the one that it is a field of."""
    found: Uses = defaultdict(list)
    for node in nodes:
        for column in node.find_all(exp.Column):
            for name in {column.name, column.table}:
                found[name].append(column)
    return found


def _each_where_used(bindings: Mapping[str, Node], result: Mapping[str, Node]) -> dict[str, Node]:
    """The bindings without lists of one field of each destination: here a field is looked up in its destination.

    Spark reads a field where it is; a list of them would have to be made.
    """
    left = dict(bindings)
    for name, node in bindings.items():
        if not (isinstance(node, exp.Anonymous) and node.this == "transform"):
            continue
        items, function = node.expressions
        if not isinstance(function.this, exp.Dot):
            continue
        del left[name]
        for use in _uses((*left.values(), *result.values()))[name]:
            found = use.parent
            assert isinstance(found, exp.Anonymous) and found.this == "get"  # noqa: S101, PT018
            item = exp.Anonymous(this="get", expressions=[items.copy(), found.expressions[1].copy()])
            found.replace(exp.Dot(this=item, expression=function.this.expression.copy()))
    return left
