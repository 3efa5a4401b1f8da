"""Spark's types, as what a table says of its columns."""

from __future__ import annotations

from pyspark.sql import types as T  # noqa: N812

from mqclause.spark.dialect import get_kind
from mqclause.tables.schema import ListOf, Struct


def test_texts_of_a_length() -> None:
    struct = T.StructType([T.StructField("queue", T.VarcharType(48)), T.StructField("channel", T.CharType(20))])
    assert get_kind(T.ArrayType(struct)) == ListOf(Struct({"queue": "text", "channel": "text"}))
