"""Puts joined with a cluster: what they can ask is known before they are read, so each situation is decided once.

To each name in the cluster that is everything that a put can say besides: every word and flag, the queue manager's
CLWLMRUC, and no queue manager or one of the cluster that the message went to. Each of these has a number. A put that
says anything else is odd: another CLWLMRUC, several queue managers, a word or a name that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from attrs import frozen
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from pyspark.sql import types as T  # noqa: N812
from sqlglot import exp

from mqclause.language.sql import Node, case, literal
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.spark.expression import answer_of, expression
from mqclause.spark.types import SPARK_TYPES, struct_type
from mqclause.tables.bindings import Plan
from mqclause.tables.cluster_puts import (
    NAMED_PUTS,
    PUT_NAMES,
    PUT_SAYS,
    PutFields,
    asked,
    is_named,
    named_puts,
    put_values,
    queue_managers,
    snapshot_rows,
)
from mqclause.tables.columns import DESTINATION, PUT, Column
from mqclause.tables.functions import PlaceOf, column, item, length_of, struct_of
from mqclause.tables.packing import word_place
from mqclause.tables.shape import FieldType

SITUATION_NUMBER = "mq_number"

MOST = 150_000
"""Situations; in a cluster with more of them every put of a message that went somewhere is odd."""


@frozen
class JoinedPuts:
    """A table of puts, the snapshot of a cluster, and everything that puts can say.

    ``put`` is what a put says, field by field, never null. ``said`` has a row for everything that one can say besides
    a name; ``number`` is which of them a put says, from 0, or null if it is odd.
    """

    cluster: Cluster
    put: PutFields
    number: Node
    said: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, columns: Mapping[str, FieldType], cluster: Cluster) -> JoinedPuts:
        """How the puts of a table with these columns are joined. Raises TableError."""
        put, can_say = put_values(columns, cluster), _can_say(cluster)
        number = literal(0)
        for name, each in can_say.items():
            before = exp.Mul(this=number, expression=literal(len(each)))
            number = exp.Add(this=before, expression=_place(PUT[name], put[name], each))
        said = [dict(zip(PUT_SAYS, each, strict=True)) for each in product(*can_say.values())]
        return cls(cluster, put, exp.cast(number, "INT"), said)

    def decided(self, df: DataFrame, plan: Plan, rules: Rules) -> DataFrame:
        """Each put takes the answer to what it asks from its row of the snapshot; an odd one is decided where it is."""
        named = self._snapshot(df, rules)
        answered = named.join(self._answers(named, plan), list(PUT_NAMES))
        rows = F.broadcast(answered.select(F.struct(*answered.columns).alias(NAMED_PUTS)))
        is_found = expression(is_named(self.put))
        numbered = df.withColumn(SITUATION_NUMBER, expression(self.number)).join(rows, is_found, "left")
        is_odd = F.col(SITUATION_NUMBER).isNull() | F.col(NAMED_PUTS).isNull()
        put = F.when(F.col("put").isNotNull(), self._asked(self.put)).alias("put")
        odd = F.when(is_odd, F.struct(put, f"{NAMED_PUTS}.destinations"))
        answer = F.when(~is_odd, F.get(f"{NAMED_PUTS}.answers", F.get(f"{NAMED_PUTS}.places", SITUATION_NUMBER)))
        found = numbered.withColumns({"mq_odd": odd, "mq_answer": answer}).drop(NAMED_PUTS, SITUATION_NUMBER)
        # The decision is no part of what Spark compiles with the join, so what it needs has to be little by then.
        alone = answer_of(plan, put="mq_odd.put", destinations="mq_odd.destinations")
        decision = F.when(F.col("mq_odd").isNull(), F.col("mq_answer")).otherwise(alone)
        return found.withColumn("decision", decision).drop("mq_odd", "mq_answer")

    def _asked(self, put: PutFields) -> SparkColumn:
        return expression(struct_of(asked(put, self.cluster)))

    def _answers(self, named: DataFrame, plan: Plan) -> DataFrame:
        """For each name the different decisions, ``answers``, and which of them each number has, ``places`` from 0."""
        types = T.StructType([T.StructField(name, SPARK_TYPES[PUT[name].kind]) for name in PUT_SAYS])
        rows = [{**each, SITUATION_NUMBER: at} for at, each in enumerate(self.said)]
        said = named.sparkSession.createDataFrame(rows, types.add(SITUATION_NUMBER, T.IntegerType()))
        pairs = named.alias(NAMED_PUTS).crossJoin(F.broadcast(said.alias("mq_said")))
        put = {name: column(name, NAMED_PUTS if name in PUT_NAMES else "mq_said") for name in (*PUT_NAMES, *PUT_SAYS)}
        questions = pairs.select(*PUT_NAMES, SITUATION_NUMBER, self._asked(put).alias("put"), "destinations")
        decision = answer_of(plan, put="put", destinations="destinations").alias("decision")
        decided = questions.select(*PUT_NAMES, F.struct(SITUATION_NUMBER, decision).alias("pair"))
        by_number = F.array_sort(F.collect_list("pair"))["decision"].alias("listed")
        listed = decided.groupBy(*PUT_NAMES).agg(by_number)
        answers = listed.withColumn("answers", F.array_distinct("listed"))
        places = F.transform("listed", lambda each: F.array_position("answers", each).cast("int") - 1)
        return answers.select(*PUT_NAMES, "answers", places.alias("places"))

    def _snapshot(self, df: DataFrame, rules: Rules) -> DataFrame:
        texts = [T.StructField(name, T.StringType()) for name in (*PUT_NAMES, "defbind")]
        listed = T.StructField("destinations", T.ArrayType(struct_type(DESTINATION, optional=True)))
        rows = list(snapshot_rows(self.cluster, rules))
        return df.sparkSession.createDataFrame(rows, T.StructType([*texts, listed]))


def _can_say(cluster: Cluster) -> dict[str, Sequence[Any]]:
    """What a put can say in each field."""
    found: dict[str, Sequence[Any]] = {}
    for name in PUT_SAYS:
        match PUT[name].kind:
            case "boolean":
                found[name] = (False, True)
            case "text":
                found[name] = PUT[name].domain.words  # type: ignore[union-attr]
            case "texts":
                found[name] = ([],)
            case _:
                found[name] = (cluster.queue_manager.clwlmruc,)
    went_to = [[], *([name] for name in queue_managers(cluster))]
    situations = len(named_puts(cluster)) * prod(map(len, found.values())) * len(went_to)
    return found | {"already_sent_to": went_to} if situations <= MOST else found


def _place(of: Column, value: Node, can_say: Sequence[Any]) -> Node:
    """The place of a value among those that a put can say, from 0; null if it is none of them."""
    match of.kind:
        case "boolean":
            return case([(value, literal(1))], literal(0))
        case "text":
            return exp.Sub(this=word_place(of, value), expression=literal(1))
        case "texts":
            names = literal(tuple(name for [name] in can_say[1:]))
            lengths = [exp.EQ(this=length_of(value), expression=literal(number)) for number in (0, 1)]
            one = (lengths[1], PlaceOf(this=names, expression=item(value, 0)))
            return case([(lengths[0], literal(0)), *([one] if len(can_say) > 1 else [])])
    return case([(exp.EQ(this=value, expression=literal(can_say[0])), literal(0))])
