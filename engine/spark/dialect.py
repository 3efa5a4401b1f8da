"""The functions of a log of puts, and of the order of messages, in Spark's SQL."""

from __future__ import annotations

from sqlglot import exp, parse_one

from mqclause.language.sql import Node, case, equal, literal, when
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.dialect import PlanDialect, call, call_named, in_case, other_case
from mqclause.tables.words import ODD_LETTER


def _item(node: F.Item) -> Node:
    return call("GET", node.this, exp.cast(node.expression, "INT"))


def _has(node: exp.ArrayContains) -> Node:
    # Spark answers null where the item is not there and a null is.
    return F.coalesced(call("ARRAY_CONTAINS", node.this, node.expression), exp.false())


def _place_of(node: exp.ArrayPosition) -> Node:
    return exp.Nullif(this=call("ARRAY_POSITION", node.this, node.expression), expression=literal(0))


def _joined(node: exp.ArrayConcat) -> Node:
    """One call for many lists."""
    one = node.this.expressions if isinstance(node.this, exp.Anonymous) and node.this.name == "CONCAT" else [node.this]
    return call("CONCAT", *one, *node.expressions)


def _word_place(node: F.WordPlace) -> Node:
    """The place by comparisons, which are little code; most texts are written as the words are."""
    places = []
    for text in (node.expression, other_case(node.this, node.expression)):
        words = enumerate(node.this.expressions, start=1)
        places.append(case([(equal(text.copy(), word.name), literal(at)) for at, word in words]))
    return F.coalesced(*places)


_NO_ODD_LETTER = f"(?s)^{ODD_LETTER.replace('^', '', 1)}*(?!.)"
"""A text of letters that names have, to its end. To read it so takes Java half the time of looking for another one."""

_SHOWN = """
CASE
  WHEN text = 'NaN' THEN 'nan'
  WHEN text LIKE '%Infinity' THEN REPLACE(text, 'Infinity', 'inf')
  WHEN NOT text LIKE '%E%' THEN text
  WHEN ABS(CAST(text AS DOUBLE)) BETWEEN 0.0001D AND 9999999999999998D
  THEN REGEXP_REPLACE(REGEXP_REPLACE(CAST(CAST(text AS DECIMAL(38, 21)) AS STRING), '0+$', ''), '[.]$', '.0')
  ELSE CONCAT(
    REGEXP_REPLACE(SPLIT_PART(text, 'E', 1), '[.]0$', ''), CASE WHEN text LIKE '%E-%' THEN 'e-' ELSE 'e+' END,
    REGEXP_REPLACE(REPLACE(SPLIT_PART(text, 'E', 2), '-', ''), '^([0-9])$', '0$1')
  )
END
"""
"""A number as Python writes it, of the text that Java makes of it."""


def _tree(text: str) -> Node:
    found = parse_one(text, read="spark")
    assert isinstance(found, exp.Expression)  # noqa: S101 - told to the type checker
    return found


def _shown(node: F.FloatText) -> Node:
    made = call("ARRAY", exp.cast(node.this, "TEXT"))
    return call("GET", call("TRANSFORM", made, F.function(_tree(_SHOWN), "text")), literal(0))


def _hashed(node: F.Hashed) -> Node:
    digits = call("LEFT", call("MD5", node.this), literal(10))
    return exp.cast(call("CONV", digits, literal(16), literal(10)), "BIGINT")


def _apart(node: F.Apart) -> Node:
    # A function that Spark interprets keeps it from compiling the whole row into one method, which would be too
    # long for Java to compile in turn; so it makes one method of each part, and they are.
    single = [exp.Array(expressions=[each]) for each in (node.this, literal(1))]
    return call("GET", call("ZIP_WITH", *single, F.function(F.variable("one"), "one", "other")), literal(0))


SPARK = PlanDialect("spark", {
    exp.ArrayConcat: _joined,
    exp.ArrayContains: _has,
    exp.ArrayPosition: _place_of,
    F.Item: _item,
    F.Sorted: call_named("SORT_ARRAY"),
    F.WordPlace: _word_place,
    F.InCase: in_case,
    F.Hashed: _hashed,
    F.Apart: _apart,
    F.Unpadded: call_named("RTRIM"),
    F.TextLength: call_named("OCTET_LENGTH"),
    F.HasOddLetters: lambda node: exp.Not(this=exp.RegexpLike(this=node.this, expression=literal(_NO_ODD_LETTER))),
    F.FloatText: _shown,
    F.Bucket: lambda node: call("XXHASH64", *node.expressions),
    F.Gathered: lambda node: call("COLLECT_LIST", when(node.expression, node.this)),
})  # fmt: skip
