"""A program as one expression: a state that goes through its bindings one after the other.

For back ends where a column is one expression. The state is a struct; each step makes it anew with bindings that need
nothing of each other and what later ones still need, so nothing is evaluated twice and no step is nested in another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from attrs import frozen
from sqlglot import exp

from mqclause.sql.dialect import SPARK, Node, call, lowered
from mqclause.sql.program import Program

GATHERED = "mq_early"
"""The struct of the bindings that are made early and needed long."""


@frozen
class Step:
    """Bindings that need nothing of each other, and the names of earlier ones that are needed after them."""

    bindings: Mapping[str, Node]
    kept: tuple[str, ...]


@frozen
class Pipeline:
    """The steps in order, and the fields of the result."""

    steps: tuple[Step, ...]
    result: Mapping[str, Node]

    @classmethod
    def of(cls, program: Program) -> Pipeline:
        """Makes the steps of a program in Spark's functions, as few as they can be.

        Spark's analyzer looks at one step after the other and gives up after a hundred looks.
        """
        result = {name: lowered(source, SPARK) for name, source in program.result.items()}
        lists = {name: _filtered(lowered(source, SPARK)) for name, source in program.bindings.items()}
        bindings = gathered(inlined(_each_where_used(lists, result), result), result)
        levels = _levels(bindings)
        needed = {each for node in result.values() for each in names(node, bindings)}
        steps: list[Step] = []
        for level in range(max(levels.values(), default=0), 0, -1):
            own = {name: bindings[name] for name in bindings if levels[name] == level and name in needed}
            needed -= own.keys()
            kept = tuple(name for name in bindings if name in needed and levels[name] < level)
            steps.append(Step(own, kept))
            needed.update(each for node in own.values() for each in names(node, bindings))
        return cls(tuple(reversed(steps)), result)

    def sql(self, inputs: Collection[str] = ()) -> str:
        """The pipeline as Spark SQL over the columns that the program is about; ``inputs`` are fields of ``row``."""
        state = "named_struct('mq_start', 0)"
        path = {name: "s" for step in self.steps for name in step.bindings} | dict.fromkeys(inputs, "row")
        for step in self.steps:
            kept = [(name, f"s.{name}") for name in step.kept]
            state = _with(state, _struct([*kept, *((name, _sql(node, path)) for name, node in step.bindings.items())]))
        return _with(state, _struct([(name, _sql(node, path)) for name, node in self.result.items()]))


def _sql(node: Node, path: Mapping[str, str]) -> str:
    """An expression as Spark SQL; ``path`` says in which struct a name is found."""

    def found(each: Node) -> Node:
        if not isinstance(each, exp.Column):
            return each
        if each.table in path:
            return exp.column(each.name, table=each.table, db=path[each.table])
        return exp.column(each.name, table=path[each.name]) if not each.table and each.name in path else each

    return node.copy().transform(found).sql(dialect="spark")


def _with(state: str, expression: str) -> str:
    """SQL: ``expression``, in which ``s`` is ``state``. A fold of nothing: what ends it is a function of its start."""
    return f"aggregate(array(), {state}, (s, nothing) -> s, s -> {expression})"


def _struct(fields: list[tuple[str, str]]) -> str:
    return "named_struct(" + ", ".join(f"'{name}', {value}" for name, value in fields) + ")"


def names(node: Node, known: Mapping[str, object]) -> Iterator[str]:
    """The bindings that an expression uses."""
    for column in node.find_all(exp.Column):
        name = column.table or column.name
        if name in known:
            yield name


def inlined(bindings: Mapping[str, Node], result: Mapping[str, Node]) -> dict[str, Node]:
    """The bindings without those that are as quick to evaluate where they are used, and those that one other uses.

    What is used once stands in its place, unless it would be evaluated for each item of a list; what one binding
    uses several times is bound within it.
    """
    left = dict(bindings)
    for name, node in bindings.items():
        if _is_field(node):
            _replaced(left, result, name)
            continue
        users = [(user, uses) for user, uses in ((each, list(_uses(left[each], name))) for each in left) if uses]
        if len(users) != 1 or any(_uses(each, name) for each in result.values()):
            continue
        user, uses = users[0]
        if len(uses) == 1 and not uses[0].table and uses[0].find_ancestor(exp.Lambda) is None and uses[0].parent:
            uses[0].replace(exp.paren(left.pop(name), copy=False))
        elif not any(map(_binds, (node, left[user]))):
            left[user] = _bound_within(left[user], name, left.pop(name))
    return left


READ = (
    exp.Column, exp.Identifier, exp.Coalesce, exp.Literal, exp.Boolean, exp.Cast, exp.DataType, exp.Array, exp.Paren,
)  # fmt: skip


def _is_field(node: Node) -> bool:
    """Whether an expression only reads what the row says, or its default, or the length of a list."""
    return all(
        isinstance(each, READ) or (isinstance(each, exp.Anonymous) and each.this == "size") for each in node.walk()
    )


def _bound_within(node: Node, name: str, value: Node) -> Node:
    """``node``, in which ``name`` is ``value``."""
    start, nothing = exp.to_identifier("start"), exp.to_identifier("nothing")
    same = exp.Lambda(this=exp.column("start"), expressions=[start, nothing])
    return call("aggregate", exp.Array(), value, same, exp.Lambda(this=node, expressions=[exp.to_identifier(name)]))


def _binds(node: Node) -> bool:
    return any(each.this == "aggregate" and len(each.expressions) > 3 for each in node.find_all(exp.Anonymous))


def _uses(node: Node, name: str) -> list[exp.Column]:
    return [each for each in node.find_all(exp.Column) if name in (each.name, each.table)]


def _levels(bindings: Mapping[str, Node]) -> dict[str, int]:
    """The number of the step that makes each binding, from 1: the one after those that it needs."""
    levels: dict[str, int] = {}
    for name, node in bindings.items():
        levels[name] = 1 + max((levels[each] for each in names(node, bindings)), default=0)
    return levels


def gathered(bindings: Mapping[str, Node], result: Mapping[str, Node]) -> dict[str, Node]:
    """The bindings with one more: a struct of those that are made early and needed long.

    Each step copies what later ones need; a struct is handed on whole.
    """
    levels = _levels(bindings)
    end = max(levels.values(), default=0) + 1
    last = {
        name: max((levels[user] for user in bindings if name in names(bindings[user], bindings)), default=0)
        for name in bindings
    }
    last |= {each: end for node in result.values() for each in names(node, bindings)}

    def early(level: int) -> list[str]:
        return [name for name in bindings if levels[name] < level and last[name] > level]

    level = max(range(1, end + 1), key=lambda level: sum(last[name] - level - 2 for name in early(level)))
    members = early(level)
    struct = call("named_struct", *(part for name in members for part in (exp.Literal.string(name), exp.column(name))))
    found = {name: node for name, node in bindings.items() if levels[name] < level}
    found[GATHERED] = struct
    late = {name: node for name, node in bindings.items() if levels[name] >= level}
    for node in ([node for name, node in late.items() if levels[name] > level], result.values()):
        for each in node:
            for use in [use for use in each.find_all(exp.Column) if (use.table or use.name) in members]:
                field = exp.Dot(this=exp.column(GATHERED), expression=exp.to_identifier(use.table or use.name))
                use.replace(exp.Dot(this=field, expression=use.this.copy()) if use.table else field)
    return {**found, **late}


def _filtered(node: Node) -> Node:
    """``CASE WHEN condition THEN filter(list, f) ELSE list END`` as one filter, so that the list stands there once."""
    if not isinstance(node, exp.Case) or len(node.args["ifs"]) != 1 or node.args.get("default") is None:
        return node
    condition, then = node.args["ifs"][0].this, node.args["ifs"][0].args["true"]
    is_filter = isinstance(then, exp.Anonymous) and then.this == "filter"
    if not is_filter or then.expressions[0] != node.args["default"] or condition.find(exp.Lambda):
        return node
    function = then.expressions[1]
    unless = exp.Not(this=exp.paren(condition.copy()))
    function.set("this", exp.Or(this=unless, expression=exp.paren(function.this.copy())))
    return exp.Anonymous(this="filter", expressions=then.expressions)


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
        for use in [use for each in (*left.values(), *result.values()) for use in _uses(each, name)]:
            found = use.parent
            assert isinstance(found, exp.Anonymous) and found.this == "get"  # noqa: S101, PT018
            item = exp.Anonymous(this="get", expressions=[items.copy(), found.expressions[1].copy()])
            found.replace(exp.Dot(this=item, expression=function.this.expression.copy()))
    return left


def _replaced(bindings: dict[str, Node], result: Mapping[str, Node], name: str) -> None:
    """Puts what a row says in the place of its binding: a text in the state would be copied in every step."""
    node = bindings.pop(name)
    for each in (*bindings.values(), *result.values()):
        for use in _uses(each, name):
            use.replace(exp.paren(node.copy(), copy=False))
