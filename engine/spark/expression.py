"""A program as a Spark column: built of Spark's own functions, also over Spark Connect, and of no SQL text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from sqlglot import exp

from mqclause.sql.pipeline import Pipeline, Step

Names = Mapping[str, Column]

BINARY: dict[type[exp.Expression], Callable[[Any, Any], Column]] = {
    exp.And: lambda one, other: one & other,
    exp.Or: lambda one, other: one | other,
    exp.EQ: lambda one, other: one == other,
    exp.NEQ: lambda one, other: one != other,
    exp.LT: lambda one, other: one < other,
    exp.LTE: lambda one, other: one <= other,
    exp.GT: lambda one, other: one > other,
    exp.GTE: lambda one, other: one >= other,
    exp.Add: lambda one, other: one + other,
    exp.Sub: lambda one, other: one - other,
    exp.Mul: lambda one, other: one * other,
    exp.Div: lambda one, other: one / other,
    exp.DPipe: lambda one, other: F.concat(one, other),
    exp.BitwiseAnd: lambda one, other: one.bitwiseAND(other),
    exp.BitwiseOr: lambda one, other: one.bitwiseOR(other),
    exp.BitwiseRightShift: lambda one, other: F.call_function("shiftright", one, other),
    exp.Nullif: lambda one, other: F.call_function("nullif", one, other),
}
HIGHER_ORDER: dict[str, Callable[..., Column]] = {
    "transform": F.transform,
    "filter": F.filter,
    "zip_with": F.zip_with,
    "aggregate": F.aggregate,
}


def column(pipeline: Pipeline, **inputs: Column) -> Column:
    """The result of a pipeline over its input columns, as a struct."""
    state = F.array(F.struct(F.lit(0).alias("mq_start")))
    fields: tuple[str, ...] = ()
    for step in pipeline.steps:
        state, fields = F.transform(state, _advance(step, inputs, fields)), step.state
    return F.get(F.transform(state, _struct(pipeline.result, (), inputs, fields)), F.lit(0))


def _advance(step: Step, inputs: Names, fields: tuple[str, ...]) -> Callable[[Column], Column]:
    return _struct(step.bindings, step.kept, inputs, fields)


def _struct(
    made: Mapping[str, exp.Expression], kept: tuple[str, ...], inputs: Names, fields: tuple[str, ...]
) -> Callable[[Column], Column]:
    """A function from the state to a struct of what is kept and what is made. Spark counts its parameters."""

    def of(state: Column) -> Column:
        known = {**inputs, **{name: state.getField(name) for name in fields}}
        carried = [state.getField(name).alias(name) for name in kept]
        return F.struct(*carried, *(_column(node, known).alias(name) for name, node in made.items()))

    return of


def _column(node: exp.Expression, names: Names) -> Column:
    binary = BINARY.get(type(node))
    if binary is not None:
        return binary(_column(node.this, names), _column(node.expression, names))
    written = _WRITERS.get(type(node))
    if written is None:
        raise TypeError(f"{node.sql()!r} has no Spark column")
    return written(node, names)


def _columns(nodes: list[exp.Expression], names: Names) -> list[Column]:
    return [_column(node, names) for node in nodes]


def _named(node: exp.Column, names: Names) -> Column:
    return names[node.table].getField(node.name) if node.table else names[node.name]


def _literal(node: exp.Literal, _: Names) -> Column:
    if node.is_string:
        return F.lit(str(node.this))
    return F.lit(int(node.this)) if node.is_int else F.lit(float(node.this))


def _case(node: exp.Case, names: Names) -> Column:
    branches = [(_column(each.this, names), _column(each.args["true"], names)) for each in node.args["ifs"]]
    chosen = reduce(lambda before, branch: before.when(*branch), branches[1:], F.when(*branches[0]))
    default = node.args.get("default")
    return chosen if default is None else chosen.otherwise(_column(default, names))


def _between(node: exp.Between, names: Names) -> Column:
    return _column(node.this, names).between(_column(node.args["low"], names), _column(node.args["high"], names))


def _among(node: exp.In, names: Names) -> Column:
    values = [each.this if each.is_string else int(each.this) for each in node.expressions]
    return _column(node.this, names).isin(*values)


def _function(node: exp.Anonymous, names: Names) -> Column:
    higher = HIGHER_ORDER.get(node.this)
    if higher is None:
        return F.call_function(node.this, *_columns(node.expressions, names))
    return higher(
        *(_lambda(each, names) if isinstance(each, exp.Lambda) else _column(each, names) for each in node.expressions)
    )


def _lambda(node: exp.Lambda, names: Names) -> Callable[..., Column]:
    variables = [each.name for each in node.expressions]
    if len(variables) == 1:
        return lambda one: _column(node.this, {**names, variables[0]: one})
    return lambda one, other: _column(node.this, {**names, variables[0]: one, variables[1]: other})


_WRITERS: dict[type[exp.Expression], Callable[[Any, Names], Column]] = {
    exp.Paren: lambda node, names: _column(node.this, names),
    exp.Column: _named,
    exp.Identifier: lambda node, names: names[node.name],
    exp.Dot: lambda node, names: _column(node.this, names).getField(node.expression.name),
    exp.Lower: lambda node, names: F.lower(_column(node.this, names)),
    exp.Literal: _literal,
    exp.Boolean: lambda node, _: F.lit(bool(node.this)),
    exp.Null: lambda _, __: F.lit(None),
    exp.Not: lambda node, names: ~_column(node.this, names),
    exp.Neg: lambda node, names: -_column(node.this, names),
    exp.Is: lambda node, names: _column(node.this, names).isNull(),
    exp.In: _among,
    exp.Between: _between,
    exp.Case: _case,
    exp.Cast: lambda node, names: _column(node.this, names).cast(node.to.sql(dialect="spark")),
    exp.Array: lambda node, names: F.array(*_columns(node.expressions, names)),
    exp.Coalesce: lambda node, names: F.coalesce(*_columns([node.this, *node.expressions], names)),
    exp.Greatest: lambda node, names: F.greatest(*_columns([node.this, *node.expressions], names)),
    exp.Least: lambda node, names: F.least(*_columns([node.this, *node.expressions], names)),
    exp.Upper: lambda node, names: F.upper(_column(node.this, names)),
    exp.Floor: lambda node, names: F.floor(_column(node.this, names)),
    exp.Anonymous: _function,
}
