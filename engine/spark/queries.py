"""Queries in Spark's SQL: the order of messages, and puts counted by queue and queue manager."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import expr
from sqlglot import exp, parse_one

from mqclause.cluster.plan import Traffic
from mqclause.language.sql import Node, build_case, build_equality, build_if, build_literal
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.spark.types import spark_kinds_of
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.lowering import ODD_LETTER
from mqclause.tables.message_order import MESSAGES, build_message_query
from mqclause.tables.query import PlanDialect, build_call, change_case, normalize_case, rename_call
from mqclause.tables.schema import build_counts, build_group_keys, build_traffic

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


def _item(node: F.Item) -> Node:
    return build_call("GET", node.this, exp.cast(node.expression, "INT"))


def _has(node: exp.ArrayContains) -> Node:
    # Spark answers null where the item is not there and a null is.
    return F.coalesce(build_call("ARRAY_CONTAINS", node.this, node.expression), exp.false())


def _place_of(node: exp.ArrayPosition) -> Node:
    return exp.Nullif(this=build_call("ARRAY_POSITION", node.this, node.expression), expression=build_literal(0))


def _joined(node: exp.ArrayConcat) -> Node:
    """One call for many lists."""
    one = node.this.expressions if isinstance(node.this, exp.Anonymous) and node.this.name == "CONCAT" else [node.this]
    return build_call("CONCAT", *one, *node.expressions)


def _word_place(node: F.WordPlace) -> Node:
    """The place by comparisons, which are little code; most texts are written as the words are."""
    places = []
    for text in (node.expression, change_case(node.this, node.expression)):
        words = enumerate(node.this.expressions, start=1)
        places.append(build_case([(build_equality(text.copy(), word.name), build_literal(at)) for at, word in words]))
    return F.coalesce(*places)


def _tree(text: str) -> Node:
    found = parse_one(text, read="spark")
    assert isinstance(found, exp.Expression)  # noqa: S101 - told to the type checker
    return found


def _shown(node: F.FloatText) -> Node:
    made = build_call("ARRAY", exp.cast(node.this, "TEXT"))
    return build_call("GET", build_call("TRANSFORM", made, F.build_lambda(_tree(_SHOWN), "text")), build_literal(0))


def _hashed(node: F.Hashed) -> Node:
    digits = build_call("LEFT", build_call("MD5", node.this), build_literal(10))
    return exp.cast(build_call("CONV", digits, build_literal(16), build_literal(10)), "BIGINT")


def _apart(node: F.Apart) -> Node:
    # A function that Spark interprets keeps it from compiling the whole row into one method, which would be too
    # long for Java to compile in turn; so it makes one method of each part, and they are.
    single = [exp.Array(expressions=[each]) for each in (node.this, build_literal(1))]
    return build_call(
        "GET",
        build_call("ZIP_WITH", *single, F.build_lambda(F.build_variable("one"), "one", "other")),
        build_literal(0),
    )


SPARK = PlanDialect("spark", {
    exp.ArrayConcat: _joined,
    exp.ArrayContains: _has,
    exp.ArrayPosition: _place_of,
    F.NoneOf: lambda node: exp.Not(this=build_call("EXISTS", node.this, node.expression)),
    F.Item: _item,
    F.Sorted: rename_call("SORT_ARRAY"),
    F.WordPlace: _word_place,
    F.InCase: normalize_case,
    F.Hashed: _hashed,
    F.Apart: _apart,
    F.Unpadded: rename_call("RTRIM"),
    F.TextLength: rename_call("OCTET_LENGTH"),
    F.HasOddLetters: lambda node: exp.Not(
        this=exp.RegexpLike(this=node.this, expression=build_literal(_NO_ODD_LETTER))
    ),
    F.FloatText: _shown,
    F.Bucket: lambda node: build_call("XXHASH64", *node.expressions),
    F.Gathered: lambda node: build_call("COLLECT_LIST", build_if(node.expression, node.this)),
})  # fmt: skip


def message_order(df: DataFrame, cluster: Cluster | None = None, rules: Rules | None = None) -> DataFrame:
    """Return the messages of ``df`` with a column ``message_order``; see mqclause.tables.message_columns.

    A row is a message, with the keys of ``[[message]]`` as columns, and ``arrival``, by which those of equal priority
    lie one behind the other. What a queue's MSGDLVSQ and DEFPRTY are, columns of these names say, or the ``cluster``.
    Every row comes out, with its columns as they were; ``df`` is read twice. No action is triggered. Raises TableError
    and RuleError.
    """
    query = build_message_query(spark_kinds_of(df), cluster, Rules.given(rules))
    text = (
        SPARK.text(query, quoted=True).replace("{", "{{").replace("}", "}}").replace(f"`{MESSAGES}`", f"{{{MESSAGES}}}")
    )
    return df.sparkSession.sql(text, __mqclause_messages=df)


def traffic(df: DataFrame) -> Traffic:
    """Count the puts of ``df`` to each queue at each queue manager, by its columns queue, from and count.

    ``from`` is where the put was made; ``count`` may be missing: a row is one put. Raises TableError.
    """
    columns = spark_kinds_of(df)
    keys, values = build_group_keys(columns), build_counts(columns)
    counted = df.groupBy(*_columns(keys)).agg(*_columns(values))
    return build_traffic(row.asDict() for row in counted.collect())


def _columns(trees: dict[str, Node]) -> list[Column]:
    return [expr(SPARK.text(tree)).alias(name) for name, tree in trees.items()]
