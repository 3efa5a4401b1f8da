"""Types of Spark: what each kind of column is, and of which kind what is there is."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T  # noqa: N812

from mqclause.tables.columns import ColumnKind, Columns
from mqclause.tables.shape import FieldType, ListOf, Struct, check_apart, no_table

SPARK_TYPES: Mapping[ColumnKind, T.DataType] = {
    "boolean": T.BooleanType(), "integer": T.LongType(), "number": T.DoubleType(), "text": T.StringType(),
    "texts": T.ArrayType(T.StringType()),
}  # fmt: skip
"""The type of each kind of column."""

ANSWERED: Mapping[ColumnKind, T.DataType] = {**SPARK_TYPES, "integer": T.IntegerType()}
"""The same in an answer, where whole numbers are reason codes and counts."""


def struct_type(columns: Columns, optional: bool = False) -> T.StructType:
    """A struct of these columns, with the optional ones or without."""
    found = [each for each in columns.values() if optional or not each.optional]
    return T.StructType([T.StructField(each.name, SPARK_TYPES[each.kind]) for each in found])


def kinds_of(df: DataFrame) -> dict[str, FieldType]:
    """Of which kind the columns of a DataFrame are.

    Raises TableError for what is no DataFrame of Spark's, and for two columns of one name, which a mapping would not
    hold; PySparkRuntimeError where no session is there any more.
    """
    if not isinstance(df, DataFrame):
        raise no_table(df, "a DataFrame of Spark's, as spark.createDataFrame or spark.read makes one")
    SparkSession.active()
    check_apart(df.columns)
    return {field.name: kind_of(field.dataType) for field in df.schema.fields}


def kind_of(found: T.DataType) -> FieldType:
    """A type of Spark's as the checks know it."""
    match found:
        case T.StructType():
            return Struct({field.name: kind_of(field.dataType) for field in found.fields})
        case T.ArrayType():
            return ListOf(kind_of(found.elementType))
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
