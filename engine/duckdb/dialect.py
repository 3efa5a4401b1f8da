"""The functions of plans in DuckDB."""

from __future__ import annotations

from sqlglot import exp

from mqclause.language.sql import Node, build_case, build_equality, build_if, build_literal, build_or, is_false
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.query import Lowering, PlanDialect, build_call, rename_call

LONGEST_PADDING = 64
"""Blanks that are looked for at once: more than MQ pads any name with."""


def _from_one(name: str) -> Lowering:
    """A function of each item: DuckDB counts places in a list from 1."""

    def lowering(node: exp.Transform | exp.ArrayFilter) -> Node:
        variables = node.expression.expressions
        place = variables[1].name if len(variables) > 1 else None
        for each in list(node.expression.this.find_all(exp.Identifier)):
            is_field = isinstance(each.parent, exp.PropertyEQ) and each.arg_key == "this"
            if each.name == place and not is_field:
                each.replace(F.subtract(exp.to_identifier(each.name), 1))
        return build_call(name, node.this, node.expression)

    return lowering


def _item(node: F.Item) -> Node:
    place = node.expression
    known = isinstance(place, exp.Literal)
    after = build_literal(int(place.name) + 1) if known else F.add(place, 1)
    return build_call("LIST_EXTRACT", node.this, after)


def _differing_bits(node: F.DifferingBits) -> Node:
    differ = F.subtract(build_call("LIST_BIT_OR", node.this), build_call("LIST_BIT_AND", node.this.copy()))
    return exp.Coalesce(this=differ, expressions=[build_literal(0)])


def _unpadded(node: F.Unpadded) -> Node:
    """Few texts end in a blank, which is quickly seen.

    It is what stands before the first blank, if nothing but blanks comes after it: RTRIM takes five times as long. But
    RTRIM is less to plan where each field of an item is looked at by itself, which few rows need.
    """
    name, blank = node.this, build_literal(" ")
    is_padded = build_call("ENDS_WITH", name.copy(), blank)
    if not isinstance(name, exp.Identifier | exp.Column) and not isinstance(name.this, exp.Column):
        return build_if(is_padded, build_call("RTRIM", name.copy(), blank.copy()), name)
    first = build_call("INSTR", name.copy(), blank)
    is_padding = build_call(
        "STARTS_WITH", build_literal(" " * LONGEST_PADDING), build_call("SUBSTR", name.copy(), first)
    )
    before = build_call("LEFT", name.copy(), F.subtract(first.copy(), 1))
    trimmed = build_if(is_padding, before, build_call("RTRIM", name.copy(), blank.copy()))
    return build_if(is_padded, trimmed, name)


def _json_text(node: F.JsonText) -> Node:
    """JSON without the quotes of a text; what is none begins with a blank."""
    kind, text = build_call("JSON_TYPE", node.this.copy()), exp.cast(node.this.copy(), "TEXT")
    unquoted = build_call("JSON_EXTRACT_STRING", node.this.copy(), build_literal("$"))
    return build_case(
        [(build_equality(kind, "VARCHAR"), unquoted), (build_equality(kind.copy(), "NULL"), exp.null())],
        F.concat_texts(" ", text),
    )


def _has_odd_letters(node: F.HasOddLetters) -> Node:
    """URL_ENCODE, faster than a regular expression, keeps the letters of names but / and %, and keeps - and ~."""
    encoded = F.is_unequal(build_call("URL_ENCODE", node.this.copy()), node.this.copy())
    others = (build_call("CONTAINS", node.this.copy(), build_literal(each)) for each in "-~")
    return build_or([encoded, *others])


def _none_of(node: F.NoneOf) -> Node:
    return build_equality(build_call("LEN", build_call("LIST_FILTER", node.this, node.expression)), 0)


def _sorted(node: F.Sorted) -> Node:
    order = [build_literal("DESC")] if is_false(node.expression) else []
    return build_call("LIST_SORT", node.this, *order)


DUCKDB = PlanDialect("duckdb", {
    exp.Transform: _from_one("LIST_TRANSFORM"),
    exp.ArrayFilter: _from_one("LIST_FILTER"),
    exp.ArrayContains: rename_call("LIST_CONTAINS"),
    exp.ArrayPosition: rename_call("LIST_POSITION"),
    exp.ArrayReverse: rename_call("LIST_REVERSE"),
    exp.ArraySize: rename_call("LEN"),
    exp.ArraySlice: rename_call("LIST_SLICE"),
    F.NoneOf: _none_of,
    F.Item: _item,
    F.Sorted: _sorted,
    F.DifferingBits: _differing_bits,
    F.Unpadded: _unpadded,
    F.JsonText: _json_text,
    F.TextLength: rename_call("STRLEN"),
    F.TogetherAsText: lambda node: build_call("CONCAT", *node.this.expressions),
    F.ListAsText: lambda node: build_call("ARRAY_TO_STRING", node.this, build_literal("")),
    F.HasOddLetters: _has_odd_letters,
    F.FloatText: lambda node: exp.cast(node.this, "TEXT"),
    F.Apart: lambda node: node.this,
    F.Total: lambda node: exp.cast(
        exp.Coalesce(this=build_call("LIST_SUM", node.this), expressions=[build_literal(0)]), "DOUBLE"
    ),
    F.Bucket: lambda node: build_call("HASH", *node.expressions),
    F.Hashed: lambda node: exp.cast(
        F.concat_texts("0x", build_call("LEFT", build_call("MD5", node.this), build_literal(10))), "BIGINT"
    ),
    F.Gathered: lambda node: exp.Filter(
        this=build_call("LIST", node.this), expression=exp.Where(this=node.expression)
    ),
})  # fmt: skip
