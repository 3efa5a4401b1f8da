"""Types of Spark: what each kind of column is."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from mqclause.tables.schema import (
    DECISION,
    ColumnKind,
    Columns,
    FieldType,
    ListOf,
    Struct,
    build_no_table_error,
    check_apart,
)
from mqclause.tables.shares import TIE_NAMES

SPARK_TYPES: Mapping[ColumnKind, T.DataType] = {
    "boolean": T.BooleanType(), "integer": T.LongType(), "number": T.DoubleType(), "text": T.StringType(),
    "texts": T.ArrayType(T.StringType()),
}  # fmt: skip
"""The type of each kind of column."""

ANSWER_TYPES: Mapping[ColumnKind, T.DataType] = {**SPARK_TYPES, "integer": T.IntegerType()}
"""The same in an answer, where whole numbers are reason codes and counts."""

_NAMED: Mapping[str, ColumnKind] = {
    "BOOLEAN": "boolean",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "TEXT": "text",
    "ARRAY<TEXT>": "texts",
}

_CARRIED = (
    T.BooleanType, T.IntegralType, T.FractionalType, T.BinaryType, T.DateType, T.TimestampType, T.TimestampNTZType,
    T.NullType,
)  # fmt: skip
"""Types whose values are the same after a way through Arrow; texts of no collation are, too."""


def build_struct_type(columns: Columns) -> T.StructType:
    """A struct of these columns, without the optional ones."""
    found = [each for each in columns.values() if not each.optional]
    return T.StructType([T.StructField(each.name, SPARK_TYPES[each.kind]) for each in found])


def answer_type(fields: Mapping[str, ColumnKind]) -> T.StructType:
    """The struct that answers a row."""
    return T.StructType([T.StructField(name, ANSWER_TYPES[kind]) for name, kind in fields.items()])


def decision_type(shares: bool) -> T.StructType:
    """The type of the column ``decision``, with shares or without."""
    found = answer_type(DECISION)
    if shares:
        share = T.StructType([T.StructField(name, T.StringType()) for name in TIE_NAMES])
        found.add("shares", T.ArrayType(share.add("share", T.DoubleType())))
    return found


def type_named(name: str) -> T.DataType:
    """A type of a field of an answer by its name in SQL."""
    return T.ArrayType(T.IntegerType()) if name == "ARRAY<INT>" else SPARK_TYPES[_NAMED[name]]


def spark_kinds_of(df: DataFrame) -> dict[str, FieldType]:
    """Of which kind the columns of a DataFrame are.

    Raises TableError for what is no DataFrame of Spark's, and for two columns of one name, which a mapping would not
    hold; PySparkRuntimeError where no session is there any more.
    """
    if not isinstance(df, DataFrame):
        raise build_no_table_error(df, "a DataFrame of Spark's, as spark.createDataFrame or spark.read makes one")
    SparkSession.active()
    check_apart(df.columns)
    return {field.name: get_kind(field.dataType) for field in df.schema.fields}


def get_kind(found: T.DataType) -> FieldType:
    """A type of Spark's as the checks know it."""
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
    """Whether values of a type go through Arrow and come back as they were."""
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
    """A column without the fields that Arrow does not carry, which no rule can ask for."""
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.StructType):
        return F.transform(column, lambda each: carried(each, kind.elementType))
    if not isinstance(kind, T.StructType):
        return column
    fields = [column.getField(each.name).alias(each.name) for each in kind if is_carried(each.dataType)]
    return F.when(column.isNotNull(), F.struct(*fields))


def quoted(name: str) -> Column:
    """The column of exactly that name, whatever stands in it."""
    return F.col("`" + name.replace("`", "``") + "`")
