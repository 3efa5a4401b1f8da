"""Traffic counted by Spark: a log of puts of any size."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import expr

from mqclause.answers.cluster.traffic import Traffic
from mqclause.language.sql import Node
from mqclause.spark.dialect import SPARK
from mqclause.spark.types import kinds_of
from mqclause.tables.put_log import grouped_by, measured, traffic_of


def traffic(df: DataFrame) -> Traffic:
    """How many puts ``df`` has of each queue at each queue manager, by its columns queue, from and count.

    ``from`` is where the put was made; ``count`` may be missing: a row is one put. Raises TableError.
    """
    columns = kinds_of(df)
    keys, values = grouped_by(columns), measured(columns)
    counted = df.groupBy(*_columns(keys)).agg(*_columns(values))
    return traffic_of(row.asDict() for row in counted.collect())


def _columns(trees: dict[str, Node]) -> list[Column]:
    return [expr(SPARK.text(tree)).alias(name) for name, tree in trees.items()]
