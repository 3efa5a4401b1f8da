"""Puts in a cluster, in Spark: names are joined with the table, and each row looks its decision up or is odd.

See mqclause.tables.cluster_puts for what is known and what is odd. What is known is small and broadcast, so nothing is
shuffled, and the table may be a stream.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from pyspark.sql import types as T  # noqa: N812
from sqlglot import exp

from mqclause.documents import WORKLOAD
from mqclause.language.sql import Node
from mqclause.rulebook.rules import Rules
from mqclause.spark.expression import answer_of, expression, in_brief, look_enough
from mqclause.spark.types import struct_type
from mqclause.spark.udf import DECISION_TYPE
from mqclause.tables.answers import decision
from mqclause.tables.cluster_puts import (
    ANY_NUMBER,
    ASKED,
    ODD_DESTINATIONS,
    ODD_PUT,
    SAID_NUMBER,
    ClusterPuts,
)
from mqclause.tables.columns import DESTINATION
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.functions import column
from mqclause.tables.name_keys import AT, BY_MANAGER, BY_QUEUE, ID, is_name
from mqclause.tables.named_puts import ASKED_NAMES
from mqclause.tables.plan import plan_of
from mqclause.tables.shares import DECIDED, ROW, TAKEN, TIE_NAMES, TIES, Spread, ties_plan

_KNOWN, _NAMES, _BY_NAME, _ODD = "__mqclause_known", "__mqclause_names", "__mqclause_by_name", "__mqclause_odd"
"""Columns on the way: the decision that is known, a row of names, that of an id, and what an odd put needs."""


def decided_in_cluster(
    df: DataFrame, puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None
) -> DataFrame:
    """``df``, every row of it and each once, with a column ``decision``."""
    plan = plan_of(rules, puts.odd_shape, decision, WORKLOAD if explain else None)
    look_enough(df.sparkSession)
    names, by_name = (F.broadcast(each) for each in _known(df.sparkSession, puts, rules, explain, spread is not None))
    numbers = {name: in_brief(tree) for name, tree in puts.numbers.items()}
    asking = _with(_with(numbered(df, spread), {AT: puts.place, **puts.keys}), numbers)
    asking = _with(asking, puts.by_name(rules))
    named = asking.join(names, expression(is_name()), "left")
    naming = named.withColumn(ID, F.coalesce(F.col(f"{_NAMES}.id"), expression(puts.name_keys(rules).unknown_id())))
    naming = naming.withColumn(ASKED, expression(puts.number_asked))
    knowing = naming.join(by_name, F.col(ID) == F.col(f"{_BY_NAME}.id"), "left")
    known = F.get(f"{_BY_NAME}.answers", F.get(f"{_BY_NAME}.places", ASKED))
    found = knowing.withColumn(_KNOWN, F.when(F.col(ASKED).isNotNull(), known))
    as_named = puts.known_as_named(column(_KNOWN), rules, explain, spread is not None)
    found = found.withColumn(_KNOWN, expression(as_named))
    listed = F.col(f"{_BY_NAME}.destinations").alias(ODD_DESTINATIONS)
    odd = F.when(F.col(_KNOWN).isNull(), F.struct(expression(puts.odd_put).alias(ODD_PUT), listed))
    # The decision is no part of what Spark compiles with the join, so what it needs has to be little by then.
    on_the_way = (_NAMES, _BY_NAME, BY_QUEUE, BY_MANAGER, SAID_NUMBER, ANY_NUMBER, ASKED, ID, *puts.keys)
    little = found.withColumn(_ODD, odd).drop(*on_the_way)
    fields = {name: F.col(f"{_ODD}.{name}") for name in (ODD_PUT, ODD_DESTINATIONS)}
    answer = F.coalesce(expression(puts.answer(column(_KNOWN), exp.null(), rules)), answer_of(plan))
    asked = little.withColumns(fields)
    if spread is None:
        return asked.withColumn("decision", answer).drop(_ODD, AT, _KNOWN, *fields)
    known_ties = F.when(F.col(_KNOWN).isNotNull(), F.col(f"{_KNOWN}.ties"))
    odd_ties = F.when(F.col(_KNOWN).isNull(), answer_of(ties_plan(rules, puts.odd_shape))["ties"])
    found = asked.withColumns({TIES: F.coalesce(known_ties, odd_ties), DECIDED: answer})
    return spread_over(found.drop(_ODD, AT, _KNOWN, *fields), spread)


def spread_over(df: DataFrame, spread: Spread) -> DataFrame:
    """``df`` with a column ``decision`` in place of TIES and DECIDED."""
    taken = df.withColumn(TAKEN, expression(spread.taken(TIES)))
    decided = taken.withColumn("decision", expression(spread.answer(DECIDED, TIES)))
    return decided.drop(TIES, DECIDED, TAKEN, ROW)


def numbered(df: DataFrame, spread: Spread | None) -> DataFrame:
    """``df`` with a number of each row, where a null value is to be told from others of its like."""
    if spread is None or not spread.from_start:
        return df
    return df.withColumn(ROW, F.monotonically_increasing_id())


def _with(df: DataFrame, columns: Mapping[str, Node]) -> DataFrame:
    return df.withColumns({name: expression(tree) for name, tree in columns.items()})


def _known(
    spark: SparkSession, puts: ClusterPuts, rules: Rules, explain: bool, with_ties: bool
) -> tuple[DataFrame, DataFrame]:
    """The names that puts can give; and by their ids, and those of unknown ones, what is decided about them."""
    rows = {row["id"]: row for row in puts.name_rows(rules)}
    texts = [T.StructField(name, T.StringType()) for name in (*PUT_NAMES, *ASKED_NAMES, "defbind")]
    flags = [T.StructField(name, T.BooleanType()) for name in ("asks", "inhibited")]
    name = T.StructType([T.StructField("at", T.IntegerType()), _ID, *flags, *texts])
    named = [({field: row[field] for field in name.names},) for row in rows.values()]
    listed = T.StructField("destinations", T.ArrayType(struct_type(DESTINATION, optional=True)))
    places = T.StructField("places", T.ArrayType(T.IntegerType()))
    by_id = T.StructType([_ID, listed, places, T.StructField("answers", T.ArrayType(_answer(with_ties)))])
    decided = []
    for number, found in puts.decisions(rules, explain, with_ties):
        keys = [json.dumps(each) for each in found]
        different = dict(zip(keys, found, strict=True))
        place = {key: at for at, key in enumerate(different)}
        known = {"places": [place[key] for key in keys], "answers": list(different.values())}
        decided.append(({"id": number, "destinations": rows.get(number, {}).get("destinations"), **known},))
    return (
        spark.createDataFrame(named, T.StructType([T.StructField(_NAMES, name)])),
        spark.createDataFrame(decided, T.StructType([T.StructField(_BY_NAME, by_id)])),
    )


def _answer(with_ties: bool) -> T.StructType:
    tie = T.StructType(
        [*(T.StructField(name, T.StringType()) for name in TIE_NAMES), T.StructField("weight", T.DoubleType())]
    )
    ties = [T.StructField("ties", T.ArrayType(tie))] if with_ties else []
    return T.StructType([T.StructField("decision", DECISION_TYPE), *ties])


_ID = T.StructField("id", T.LongType())
