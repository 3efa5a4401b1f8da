"""The functions of plans in DuckDB."""

from __future__ import annotations

from functools import reduce
from operator import or_

from attrs import evolve
from sqlglot import exp

from mqclause.language.sql import Node, case, either, equal, is_false, literal, when
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.bindings import Plan
from mqclause.tables.dialect import Lowering, PlanDialect, call, call_named, in_case, other_case
from mqclause.tables.words import ODD_NAMES

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
                each.replace(exp.Sub(this=exp.to_identifier(each.name), expression=literal(1)))
        return call(name, node.this, node.expression)

    return lowering


def _item(node: F.Item) -> Node:
    place = node.expression
    known = isinstance(place, exp.Literal)
    after = literal(int(place.name) + 1) if known else exp.Add(this=place, expression=literal(1))
    return call("LIST_EXTRACT", node.this, after)


def _differing_bits(node: F.DifferingBits) -> Node:
    differ = exp.Sub(this=call("LIST_BIT_OR", node.this), expression=call("LIST_BIT_AND", node.this.copy()))
    return exp.Coalesce(this=differ, expressions=[literal(0)])


def _word_place(node: F.WordPlace) -> Node:
    words, text = node.this, node.expression
    cased = call("LIST_POSITION", words.copy(), other_case(words, text))
    return exp.Coalesce(this=call("LIST_POSITION", words, text), expressions=[cased])


def _unpadded(node: F.Unpadded) -> Node:
    """Few texts end in a blank, which is quickly seen.

    It is what stands before the first blank, if nothing but blanks comes after it: RTRIM takes five times as long. But
    RTRIM is less to plan where each field of an item is looked at by itself, which few rows need.
    """
    name, blank = node.this, literal(" ")
    is_padded = call("ENDS_WITH", name.copy(), blank)
    if not isinstance(name, exp.Identifier | exp.Column) and not isinstance(name.this, exp.Column):
        return when(is_padded, call("RTRIM", name.copy(), blank.copy()), name)
    first = call("INSTR", name.copy(), blank)
    is_padding = call("STARTS_WITH", literal(" " * LONGEST_PADDING), call("SUBSTR", name.copy(), first))
    before = call("LEFT", name.copy(), exp.Sub(this=first.copy(), expression=literal(1)))
    trimmed = when(is_padding, before, call("RTRIM", name.copy(), blank.copy()))
    return when(is_padded, trimmed, name)


def _json_text(node: F.JsonText) -> Node:
    """JSON without the quotes of a text; what is none begins with a blank."""
    kind, text = call("JSON_TYPE", node.this.copy()), exp.cast(node.this.copy(), "TEXT")
    unquoted = call("JSON_EXTRACT_STRING", node.this.copy(), literal("$"))
    return case([(equal(kind, "VARCHAR"), unquoted), (equal(kind.copy(), "NULL"), exp.null())], F.texts(" ", text))


def _has_odd_letters(node: F.HasOddLetters) -> Node:
    """URL_ENCODE, faster than a regular expression, keeps the letters of names but / and %, and keeps - and ~.

    A blank, of which padded names have many, is seen before.
    """
    blank, *others = (call("CONTAINS", node.this.copy(), literal(each)) for each in " -~")
    encoded = exp.NEQ(this=call("URL_ENCODE", node.this.copy()), expression=node.this.copy())
    return when(blank, exp.true(), either([encoded, *others]))


def _none_of(node: F.NoneOf) -> Node:
    return equal(call("LEN", call("LIST_FILTER", node.this, node.expression)), 0)


def _sorted(node: F.Sorted) -> Node:
    order = [literal("DESC")] if is_false(node.expression) else []
    return call("LIST_SORT", node.this, *order)


DUCKDB = PlanDialect("duckdb", {
    exp.Transform: _from_one("LIST_TRANSFORM"),
    exp.ArrayFilter: _from_one("LIST_FILTER"),
    exp.ArrayContains: call_named("LIST_CONTAINS"),
    exp.ArrayPosition: call_named("LIST_POSITION"),
    exp.ArraySize: call_named("LEN"),
    exp.ArraySlice: call_named("LIST_SLICE"),
    F.NoneOf: _none_of,
    F.Item: _item,
    F.Sorted: _sorted,
    F.DifferingBits: _differing_bits,
    F.WordPlace: _word_place,
    F.InCase: in_case,
    F.Unpadded: _unpadded,
    F.JsonText: _json_text,
    F.TextLength: call_named("STRLEN"),
    F.TogetherAsText: lambda node: call("CONCAT", *node.this.expressions),
    F.ListAsText: lambda node: call("ARRAY_TO_STRING", node.this, literal("")),
    F.HasOddLetters: _has_odd_letters,
    F.FloatText: lambda node: exp.cast(node.this, "TEXT"),
    F.Apart: lambda node: node.this,
    F.Total: lambda node: exp.cast(exp.Coalesce(this=call("LIST_SUM", node.this), expressions=[literal(0)]), "DOUBLE"),
    F.Bucket: lambda node: call("HASH", *node.expressions),
    F.Hashed: lambda node: exp.cast(F.texts("0x", call("LEFT", call("MD5", node.this), literal(10))), "BIGINT"),
    F.Gathered: lambda node: exp.Filter(
        this=call("LIST", node.this), expression=exp.Where(this=node.expression)
    ),
})  # fmt: skip


def by_column(plan: Plan) -> Plan:
    """What is asked of one field of an item of a list, or of each, is asked of a list of that field, made once.

    Example:
        ``ITEM(destinations, place).channel``
        becomes ``ITEM(__mqclause_each_channel, place)``
        after ``__mqclause_each_channel = TRANSFORM(destinations, __mqclause_each -> __mqclause_each.channel)``.
        Where padding is taken off, that is done only in rows in which a name may have any.
    """
    plain: dict[str, Node] = {}
    unpadded: dict[str, Node] = {}

    def listed(items: Node, field: str) -> Node:
        tree, name, number = F.each(items.copy(), F.field_of(F.EACH, field), F.EACH.name), f"{F.PREFIX}each_{field}", 1
        while plain.setdefault(name, tree) != tree:
            number += 1
            name = f"{F.PREFIX}each_{field}_{number}"
        return F.column(name)

    def by_field(node: Node) -> Node:
        found = node.this if isinstance(node, F.Unpadded) else node
        if _is_looked_up(found):
            field = listed(found.this.this, found.name)
            if found is not node:
                each = when(F.column(ODD_NAMES), F.each(field, F.Unpadded(this=F.EACH), F.EACH.name), field)
                field = F.column(f"{field.name}_unpadded")
                unpadded[field.name] = each
            return F.item(field, found.this.expression)
        fields = _fields_of_each(node)
        if len(fields) == 1:
            items = listed(node.this, fields[0].name)
            if node.expression.this == fields[0]:
                return items
            fields[0].replace(F.EACH.copy())
            node.this.replace(items)
        return node

    bindings = {name: tree.transform(by_field) for name, tree in plan.bindings.items()}
    in_turn = ({name: tree, **(unpadded if name == ODD_NAMES else {})} for name, tree in bindings.items())
    return evolve(plan, bindings=reduce(or_, in_turn, plain))


def _is_looked_up(node: Node) -> bool:
    """Whether a node is a field of an item of a list, whose place is found out."""
    of_item = isinstance(node, exp.Dot) and isinstance(node.this, F.Item) and isinstance(node.this.this, exp.Column)
    return of_item and not isinstance(node.this.expression, exp.Literal)


def _fields_of_each(node: Node) -> list[exp.Dot]:
    """The fields that a function of each struct of a list, and nothing else of it, asks for."""
    if not (isinstance(node, exp.Transform) and isinstance(node.this, exp.Column)) or node.expression.expressions[1:]:
        return []
    found = [each.parent for each in node.expression.this.find_all(exp.Identifier) if each == F.EACH]
    return found if all(isinstance(each, exp.Dot) for each in found) else []
