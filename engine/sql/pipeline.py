"""A program as one expression: a state that goes through its bindings one after the other.

For back ends where a column is one expression. The state is a struct in a list of one; each binding is a step that
makes it anew with what is still needed, so nothing is evaluated twice and no step is nested in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen
from sqlglot import exp

from mqclause.sql.dialect import SPARK, Node, lowered
from mqclause.sql.program import Program


@frozen
class Step:
    """Bindings that need nothing of each other, and the names of earlier ones that are needed after them."""

    bindings: Mapping[str, Node]
    kept: tuple[str, ...]

    @property
    def state(self) -> tuple[str, ...]:
        """The fields of the state after this step."""
        return (*self.kept, *self.bindings)


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
        bindings = inlined(lists, result)
        levels: dict[str, int] = {}
        for name, node in bindings.items():
            levels[name] = 1 + max((levels[each] for each in names(node, bindings)), default=0)
        needed = {each for node in result.values() for each in names(node, bindings)}
        steps: list[Step] = []
        for level in range(max(levels.values(), default=0), 0, -1):
            own = {name: bindings[name] for name in bindings if levels[name] == level and name in needed}
            needed -= own.keys()
            kept = tuple(name for name in bindings if name in needed and levels[name] < level)
            steps.append(Step(own, kept))
            needed.update(each for node in own.values() for each in names(node, bindings))
        return cls(tuple(reversed(steps)), result)

    def sql(self) -> str:
        """The pipeline as Spark SQL over the columns that the program is about."""
        state = "named_struct('mq_start', 0)"
        for step in self.steps:
            kept = [(name, f"s.{name}") for name in step.kept]
            fields = [*kept, *((name, self._sql(node)) for name, node in step.bindings.items())]
            state = _with(state, _struct(fields))
        result = [(name, self._sql(node)) for name, node in self.result.items()]
        return _with(state, _struct(result))

    def _sql(self, node: Node) -> str:
        known = {name for step in self.steps for name in step.bindings}

        def of_state(each: Node) -> Node:
            if not isinstance(each, exp.Column):
                return each
            if each.table in known:
                return exp.column(each.name, table=each.table, db="s")
            return exp.column(each.name, table="s") if not each.table and each.name in known else each

        return node.copy().transform(of_state).sql(dialect="spark")


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
    """The bindings without those that one expression uses once: they stand in its place.

    Not within a lambda, where they would be evaluated for each item.
    """
    left = dict(bindings)
    for name, node in bindings.items():
        if not node.find(exp.Lambda) and not any(names(node, bindings)):
            _replaced(left, result, name)
            continue
        uses = [each for node in (*left.values(), *result.values()) for each in _uses(node, name)]
        if len(uses) == 1 and not uses[0].table and uses[0].find_ancestor(exp.Lambda) is None and uses[0].parent:
            uses[0].replace(exp.paren(left.pop(name), copy=False))
    return left


def _uses(node: Node, name: str) -> list[exp.Column]:
    return [each for each in node.find_all(exp.Column) if name in (each.name, each.table)]


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


def _replaced(bindings: dict[str, Node], result: Mapping[str, Node], name: str) -> None:
    """Puts what a row says in the place of its binding: a text in the state would be copied in every step."""
    node = bindings.pop(name)
    for each in (*bindings.values(), *result.values()):
        for use in _uses(each, name):
            use.replace(exp.paren(node.copy(), copy=False))
