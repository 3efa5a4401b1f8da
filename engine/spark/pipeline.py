"""A program as one expression: each binding around all that comes after it.

For back ends where a column is one expression and a function of SQL's may have functions of its own. What only one
branch of a CASE uses is bound in that branch, so rows that take another do without. So that many rules do not nest
too deep for a parser, some bindings at a time make a state, a struct of what later ones need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from attrs import frozen
from sqlglot import exp

from mqclause.tables.dialect import SPARK, Node, lowered
from mqclause.tables.plan import Program

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
        return cls(sunk(inlined(_needed(_each_where_used(made, result), result), result), result), result)

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
        if _is_quick(node):
            _replaced(found, left.pop(name), uses)
        elif len(found) == 1 and not found[0].table and found[0].find_ancestor(exp.Lambda) is None and found[0].parent:
            found[0].replace(exp.paren(left.pop(name), copy=False))
    return left


READ = (
    exp.Column, exp.Identifier, exp.Coalesce, exp.Literal, exp.Boolean, exp.Cast, exp.DataType, exp.Array, exp.Paren,
)  # fmt: skip


COMPARING = (exp.EQ, exp.NEQ, exp.Not, exp.And, exp.Or, exp.Case, exp.If)


def _is_quick(node: Node) -> bool:
    """Whether an expression reads what the row says, or its default, or the length of a list, or compares two such.

    Spark takes as long to bind a value as to compare twice.
    """
    compared = sum(isinstance(each, exp.EQ | exp.NEQ) for each in node.walk())
    return compared <= 2 and all(
        isinstance(each, READ + COMPARING) or (isinstance(each, exp.Anonymous) and each.this == "size")
        for each in node.walk()
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


def sunk(bindings: dict[str, Node], result: Mapping[str, Node]) -> dict[str, Node]:
    """The bindings without those that only one branch of a CASE uses: it binds them itself, where it is taken."""
    left = dict(bindings)
    uses = _uses((*left.values(), *result.values()))
    for name in reversed(bindings):
        branch = _branch_of(uses[name])
        if branch is not None:
            place = exp.Placeholder()
            branch.replace(place)
            place.replace(_bound(name, left.pop(name), branch))
    return left


ONCE = "once"
"""Marks a function that is evaluated once and not for each item of a list."""


def _bound(name: str, value: Node, source: Node) -> Node:
    """What ``_with`` writes, as a tree."""
    start = exp.Lambda(this=exp.column("start"), expressions=[exp.to_identifier("start"), exp.to_identifier("nothing")])
    function = exp.Lambda(this=source, expressions=[exp.to_identifier(name)])
    function.meta[ONCE] = True
    return exp.Anonymous(this="aggregate", expressions=[exp.Array(), value, start, function])


def _branch_of(uses: list[exp.Column]) -> Node | None:
    """The innermost branch of a CASE that all the uses are in."""
    if not uses:
        return None
    first, *others = ({id(branch): branch for branch in _branches(use)} for use in uses)
    return next((branch for found, branch in first.items() if all(found in other for other in others)), None)


def _branches(node: Node) -> Iterator[Node]:
    """The branches that a node is in, the innermost first, without those evaluated for each item of a list."""
    found: list[Node] = []
    while isinstance(parent := node.parent, exp.Expression):
        if isinstance(parent, exp.Lambda) and ONCE not in parent.meta:
            found.clear()
        elif (node.arg_key == "true" and isinstance(parent, exp.If)) or node.arg_key == "default":
            found.append(node)
        node = parent
    return iter(found)
