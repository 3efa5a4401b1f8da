"""The order of messages in Spark: a DataFrame of messages in, the same with the place of each out."""

from __future__ import annotations

from pyspark.sql import DataFrame

from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.spark.dialect import SPARK
from mqclause.spark.types import kinds_of
from mqclause.tables.message_query import MESSAGES, message_query


def message_order(df: DataFrame, cluster: Cluster | None = None, rules: Rules | None = None) -> DataFrame:
    """The messages of ``df`` with a column ``message_order``: see mqclause.tables.message_columns.

    A row is a message, with the keys of ``[[message]]`` as columns, and ``arrival``, by which those of equal priority
    lie one behind the other. What a queue's MSGDLVSQ and DEFPRTY are, columns of these names say, or the ``cluster``.
    Every row comes out, with its columns as they were; ``df`` is read twice. No action is triggered. Raises TableError
    and RuleError.
    """
    query = message_query(kinds_of(df), cluster, Rules.given(rules))
    text = (
        SPARK.text(query, quoted=True).replace("{", "{{").replace("}", "}}").replace(f"`{MESSAGES}`", f"{{{MESSAGES}}}")
    )
    return df.sparkSession.sql(text, __mqclause_messages=df)
