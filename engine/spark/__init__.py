"""The rules in Apache Spark: DataFrames in, DataFrames out. Needs ``pip install 'mqclause[spark]'``."""

from __future__ import annotations

from mqclause.spark.session import java_home, local_session

try:
    from mqclause.duckdb.table import show_sql
    from mqclause.spark.replay import replay, replay_stream
    from mqclause.spark.table import (
        apply_rules,
        choose_destination,
        choose_destination_udf,
        decide,
        decide_triggers,
        explain_udf,
        message_order,
        register,
        traffic,
        trigger_conditions,
    )
    from mqclause.tables.flat import constant
except ImportError as error:
    if (error.name or "").partition(".")[0] not in ("pyspark", "pyarrow", "pandas"):
        raise
    raise ImportError(f"{error.name} is not installed: pip install 'mqclause[spark]'", name=error.name) from None

__all__ = [
    "apply_rules",
    "choose_destination",
    "choose_destination_udf",
    "constant",
    "decide",
    "decide_triggers",
    "explain_udf",
    "java_home",
    "local_session",
    "message_order",
    "register",
    "replay",
    "replay_stream",
    "show_sql",
    "traffic",
    "trigger_conditions",
]
