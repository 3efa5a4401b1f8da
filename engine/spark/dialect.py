"""Spark as plans and tables need it: the functions of its SQL, and its types of columns."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as spark_functions
from pyspark.sql import types as T  # noqa: N812
from sqlglot import exp, parse_one

from mqclause.language.sql import Node, build_if, build_literal
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.lowering import ODD_LETTER
from mqclause.tables.query import PlanDialect, build_call, rename_call
from mqclause.tables.schema import (
    DECISION,
    ColumnKind,
    FieldType,
    ListOf,
    Struct,
    build_no_table_error,
    check_apart,
)
from mqclause.tables.shares import TIE_NAMES

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


ANSWER_TYPES: Mapping[ColumnKind, T.DataType] = {
    "boolean": T.BooleanType(), "integer": T.IntegerType(), "number": T.DoubleType(), "text": T.StringType(),
    "texts": T.ArrayType(T.StringType()),
}  # fmt: skip
"""The type of each kind of column in an answer, where whole numbers are reason codes and counts."""

_CARRIED = (
    T.BooleanType, T.IntegralType, T.FractionalType, T.BinaryType, T.DateType, T.TimestampType, T.TimestampNTZType,
    T.NullType,
)  # fmt: skip
"""Types whose values are the same after a way through Arrow; texts of no collation are, too."""


def answer_type(fields: Mapping[str, ColumnKind]) -> T.StructType:
    """Build the type of the struct that answers a row."""
    return T.StructType([T.StructField(name, ANSWER_TYPES[kind]) for name, kind in fields.items()])


def decision_type(shares: bool) -> T.StructType:
    """Build the type of the column ``decision``, with shares or without."""
    found = answer_type(DECISION)
    if shares:
        share = T.StructType([T.StructField(name, T.StringType()) for name in TIE_NAMES])
        found.add("shares", T.ArrayType(share.add("share", T.DoubleType())))
    return found


def struct_named(fields: Mapping[str, str]) -> T.StructType:
    """Build the type of a struct of fields whose types are named as in SQL."""
    named = (f"`{name}` {exp.DataType.build(kind).sql('spark')}" for name, kind in fields.items())
    found = T.StructType.fromDDL(", ".join(named))
    assert isinstance(found, T.StructType)  # noqa: S101 - told to the type checker
    return found


def spark_kinds_of(df: DataFrame) -> dict[str, FieldType]:
    """Return the kind of each column of a DataFrame.

    Raises TableError for what is no DataFrame of Spark's, and for two columns of one name, which a mapping would not
    hold; PySparkRuntimeError where no session is there any more.
    """
    if not isinstance(df, DataFrame):
        raise build_no_table_error(df, "a DataFrame of Spark's, as spark.createDataFrame or spark.read makes one")
    SparkSession.active()
    check_apart(df.columns)
    return {field.name: get_kind(field.dataType) for field in df.schema.fields}


def get_kind(found: T.DataType) -> FieldType:
    """Translate a type of Spark's to the kind by which columns are checked."""
    match found:
        case T.StructType():
            return Struct({field.name: get_kind(field.dataType) for field in found.fields})
        case T.ArrayType():
            return ListOf(get_kind(found.elementType))
        case T.BooleanType():
            return "boolean"
        case T.IntegralType():
            return "integer"
        case T.DecimalType():
            return "decimal"
        case T.FractionalType():
            return "number"
        case T.CharType() | T.VarcharType():
            return "text"
        case T.StringType() if found == T.StringType():
            return "text"
        case T.NullType():
            return "null"
    return found.simpleString()


def is_carried(found: T.DataType) -> bool:
    """Return whether values of a type pass through Arrow unchanged."""
    match found:
        case T.StructType():
            return 0 < len(found) == len({*found.names}) and all(is_carried(each.dataType) for each in found)
        case T.ArrayType():
            return is_carried(found.elementType)
        case T.MapType():
            return is_carried(found.keyType) and is_carried(found.valueType)
        case T.StringType():
            return found == T.StringType()
    return isinstance(found, _CARRIED)


def carried(column: Column, kind: T.DataType) -> Column:
    """Drop from a column the fields that Arrow does not carry; no rule can ask for them."""
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.StructType):
        return spark_functions.transform(column, lambda each: carried(each, kind.elementType))
    if not isinstance(kind, T.StructType):
        return column
    fields = [column.getField(each.name).alias(each.name) for each in kind if is_carried(each.dataType)]
    return spark_functions.when(column.isNotNull(), spark_functions.struct(*fields))


def quoted(name: str) -> Column:
    """Return the column of exactly that name, whatever characters it has."""
    return spark_functions.col("`" + name.replace("`", "``") + "`")
