"""Puts in a cluster, in Spark: each row is joined with what is decided of its names. No Python runs where the rows are.

What is known is small and broadcast, so nothing is shuffled, and the table may be a stream.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from sqlglot import exp

from mqclause.duckdb.known import tables_known
from mqclause.duckdb.sources import ASKED_OF
from mqclause.duckdb.table import query_in_cluster
from mqclause.rulebook.rules import Rules
from mqclause.spark.dialect import SPARK
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.shares import ROW, Spread


def joined_with_known(
    df: DataFrame, puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None
) -> DataFrame:
    """``df``, every row of it and each once, with a column ``decision``; no put of it may say anything odd."""
    query = query_in_cluster(puts, df.columns, rules, explain, spread, {})
    for part in query.find_all(exp.CTE):
        part.set("materialized", None)  # Spark's SQL has no word for it
    make = df.sparkSession.createDataFrame
    known = tables_known(puts, rules, explain, spread)
    given = {name: F.broadcast(make(table)) for name, table in known.items()}
    given[ASKED_OF] = df if spread is None or spread.by is None else df.withColumn(ROW, F.monotonically_increasing_id())
    text = SPARK.text(query, quoted=True).replace("{", "{{").replace("}", "}}")
    for name in given:
        text = text.replace(f"`{name}`", f"{{{name}}}")
    arguments: Any = given
    return df.sparkSession.sql(text, **arguments)
