"""The project's own list functions in the dialects of DuckDB and Spark; sqlglot writes all the rest.

=====================  ==========================================================================================
each(list, lambda)     the lambda of each item; a second variable is the item's place, from 0
those(list, lambda)    the items for which the lambda holds
item(list, place)      the item at a place from 0, null outside
first_of(list, n)      the first n items
length_of, has, joined, sorted, descending, highest, lowest
place_of(list, item)   the place of an item, from 1; null if it is not there
none(list, lambda)     whether the lambda holds for no item
differing_bits(l, i)   the bits in which the items of a list differ; ``i`` is one of them
word_place(list, t)    the place of a text in a list of texts in upper case, from 1; null if it is not there
upper_word(list, t)    the text in upper case, which the texts in the list are
lower_word(list, t)    the text in lower case
apart(text)            the text, evaluated on its own
=====================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sqlglot import exp, parse_one

Node = exp.Expression
Lowering = Callable[..., Node]


def call(name: str, *arguments: Node) -> Node:
    """A call of a function by its name in the dialect."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def lowered(source: str, functions: Mapping[str, Lowering]) -> Node:
    """``source`` with the project's own functions replaced by those of a dialect."""

    def replace(node: Node) -> Node:
        if isinstance(node, exp.Anonymous):
            lowering = functions.get(str(node.this))
            return lowering(*node.expressions) if lowering else node
        return node

    return _bottom_up(_parsed(source).copy(), replace)


@lru_cache(maxsize=2_000)
def _parsed(source: str) -> Node:
    """The tree of an expression, not to be changed: a second table asks mostly for the same ones."""
    tree = parse_one(source, read="duckdb")
    assert isinstance(tree, exp.Expression)  # noqa: S101 - our own SQL
    return tree


def _bottom_up(tree: Node, replace: Callable[[Node], Node]) -> Node:
    for node in list(tree.iter_expressions()):
        changed = _bottom_up(node, replace)
        if changed is not node:
            node.replace(changed)
    return replace(tree)


def _from_one(function: exp.Expression) -> exp.Expression:
    """DuckDB counts places in a lambda from 1."""
    if not isinstance(function, exp.Lambda) or len(function.expressions) < 2:
        return function
    place = function.expressions[1].name

    def shift(node: Node) -> Node:
        if isinstance(node, exp.Identifier) and node.name == place:
            return exp.paren(exp.Sub(this=node.copy(), expression=exp.Literal.number(1)), copy=False)
        return node

    function.set("this", function.this.transform(shift))
    return function


def _after(place: Node) -> Node:
    return exp.Add(this=exp.paren(place, copy=False), expression=exp.Literal.number(1))


def _whole(place: Node) -> Node:
    return exp.cast(exp.paren(place, copy=False), "int")


def _no_item(items: Node) -> Node:
    return exp.paren(exp.EQ(this=call("len", items), expression=exp.Literal.number(0)), copy=False)


def _or_zero(number: Node) -> Node:
    return exp.Coalesce(this=number, expressions=[exp.Literal.number(0)])


def _upper(text: Node) -> Node:
    return exp.Upper(this=text.copy())


def _lower(text: Node) -> Node:
    return exp.Lower(this=text.copy())


DUCKDB: Mapping[str, Lowering] = {
    "each": lambda items, function: call("list_transform", items, _from_one(function)),
    "those": lambda items, function: call("list_filter", items, function),
    "item": lambda items, place: call("list_extract", items, _after(place)),
    "first_of": lambda items, n: call("list_slice", items, exp.Literal.number(1), n),
    "length_of": lambda items: call("len", items),
    "has": lambda items, item: call("list_contains", items, item),
    "place_of": lambda items, item: call("list_position", items, item),
    "joined": lambda one, other: call("list_concat", one, other),
    "sorted": lambda items: call("list_sort", items),
    "descending": lambda items: call("list_sort", items, exp.Literal.string("DESC")),
    "highest": lambda items: call("list_max", items),
    "lowest": lambda items: call("list_min", items),
    "none": lambda items, function: _no_item(call("list_filter", items, function)),
    "differing_bits": lambda items, _: _or_zero(
        exp.Sub(this=call("list_bit_or", items), expression=call("list_bit_and", items.copy()))
    ),
    "word_place": lambda words, text: exp.Coalesce(
        this=call("list_position", words, text),
        expressions=[call("list_position", words.copy(), _upper(text))],
    ),
    "upper_word": lambda _, text: _upper(text),
    "lower_word": lambda _, text: _lower(text),
    "apart": lambda text: text,
}


def _word_place(words: Node, text: Node) -> Node:
    """Compares with one word after the other: looking into a list makes a new text of each of its words."""
    listed = list(enumerate(words.expressions, start=1))
    found = exp.Case()
    for given in (text, _upper(text)):
        for place, word in listed:
            found = found.when(exp.EQ(this=given.copy(), expression=word.copy()), exp.Literal.number(place), copy=False)
    return exp.paren(found, copy=False)


def _word(words: Node, text: Node, cased: Callable[[Node], Node]) -> Node:
    """Changes the case of a text only where it is none of the words: Spark asks for the locale to do it."""
    known = exp.In(this=text.copy(), expressions=[each.copy() for each in words.expressions])
    return exp.paren(exp.Case(ifs=[exp.If(this=known, true=text.copy())], default=cased(text)), copy=False)


def _apart(text: Node) -> Node:
    # A function that Spark interprets keeps it from compiling the whole row into one method, which would be too
    # long for Java to compile in turn; so it makes one method of each part, and they are.
    first = exp.Lambda(this=exp.column("one"), expressions=[exp.to_identifier("one"), exp.to_identifier("other")])
    single = [exp.Array(expressions=[each]) for each in (text, exp.Literal.number(1))]
    return call("get", call("zip_with", *single, first), exp.Literal.number(0))


def _differing_bits(items: Node, one: Node) -> Node:
    """One fold instead of two: to set the variables of a function is what takes the time."""
    differing = exp.paren(exp.BitwiseXor(this=exp.column("item"), expression=one), copy=False)
    function = exp.Lambda(
        this=exp.BitwiseOr(this=exp.column("bits"), expression=differing),
        expressions=[exp.to_identifier("bits"), exp.to_identifier("item")],
    )
    return call("aggregate", items, exp.cast(exp.Literal.number(0), "bigint"), function)


SPARK: Mapping[str, Lowering] = {
    "each": lambda items, function: call("transform", items, function),
    "those": lambda items, function: call("filter", items, function),
    "item": lambda items, place: call("get", items, _whole(place)),
    "first_of": lambda items, n: call("slice", items, exp.Literal.number(1), n),
    "length_of": lambda items: call("size", items),
    # Spark answers null where the item is not there and a null is.
    "has": lambda items, item: exp.Coalesce(
        this=call("array_contains", items, item), expressions=[exp.Boolean(this=False)]
    ),
    "place_of": lambda items, item: exp.Nullif(
        this=call("array_position", items, item), expression=exp.Literal.number(0)
    ),
    "joined": lambda one, other: call("concat", one, other),
    "sorted": lambda items: call("sort_array", items),
    "descending": lambda items: call("sort_array", items, exp.Boolean(this=False)),
    "highest": lambda items: call("array_max", items),
    "lowest": lambda items: call("array_min", items),
    "none": lambda items, function: exp.Not(this=call("exists", items, function)),
    "differing_bits": _differing_bits,
    "word_place": _word_place,
    "upper_word": lambda words, text: _word(words, text, _upper),
    "lower_word": lambda words, text: _word(words, text, _lower),
    "apart": _apart,
}
