"""The rules as native Spark columns: no Python runs where the rows are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from pyspark.sql import types as T  # noqa: N812

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import Finite, Flag, Names, Whole
from mqclause.rulebook.loader import load_ruleset
from mqclause.rulebook.reading import every_local_channel
from mqclause.rulebook.rule import Ruleset
from mqclause.spark.pipeline import Pipeline
from mqclause.tables.cluster_rows import snapshot_rows
from mqclause.tables.columns import DESTINATION, PUT
from mqclause.tables.columns import Column as TableColumn
from mqclause.tables.dialect import SPARK, lowered
from mqclause.tables.joined import NAMES, NUMBER, SAID, SITUATION, JoinedPuts, joined_puts
from mqclause.tables.occasion_columns import OCCASION
from mqclause.tables.occasion_plan import occasion_program
from mqclause.tables.plan import Program, put_program
from mqclause.tables.shape import Kind, ListOf, Shape, Struct, check_free, occasion_fields, shape_of

LOOKS = "spark.sql.analyzer.maxIterations"
ENOUGH_LOOKS = 1000
"""Spark's analyzer takes two or three looks for each step of the rules, and gives up after a hundred by default."""

Readings = Mapping[str, str] | None


def choose_destination(
    put: Column | str = "put",
    destinations: Column | str = "destinations",
    readings: Readings = None,
    explain: bool = False,
    rules: Path | None = None,
) -> Column:
    """The decision about a put among its destinations, as a struct: see mqclause.tables.columns.

    The structs have the columns of the contract; for a table that has other ones, use decide. Raises ReadingError
    and RuleError.
    """
    shape = Shape(_contract(PUT), _contract(DESTINATION))
    return _column(
        put_program(*_rulesets(readings, rules), shape, explain, nested=True), put=put, destinations=destinations
    )


def trigger_conditions(
    occasion: Column | str = "occasion", readings: Readings = None, rules: Path | None = None
) -> Column:
    """What the trigger rules say about an occasion, as a struct: see mqclause.tables.occasion_columns.

    The struct has every field of an occasion. Raises ReadingError and RuleError.
    """
    return _column(occasion_program(load_ruleset("trigger", readings, rules), OCCASION), occasion=occasion)


def decide(
    df: DataFrame,
    cluster: Cluster | None = None,
    readings: Readings = None,
    explain: bool = False,
    rules: Path | None = None,
) -> DataFrame:
    """``df`` with a column ``decision`` about its ``put`` and ``destinations``.

    With a ``cluster`` the table needs no ``destinations``: they are those that each put names there, and what puts
    can ask is decided once, before they are read; the few that ask anything else are decided one by one (see
    tables.joined). ``df`` may be a stream. No action is triggered. Raises TableError, ReadingError and RuleError.
    """
    columns = {field.name: _kind(field.dataType) for field in df.schema.fields}
    check_free("decision", columns)
    rulesets = _rulesets(readings, rules)
    if cluster is None:
        program = put_program(*rulesets, shape_of(columns), explain, nested=True)
        return df.withColumn("decision", _column(program, put="put", destinations="destinations"))
    every_channel = every_local_channel(dict(rulesets[0].readings))
    joined = joined_puts(columns, cluster)
    program = put_program(*rulesets, joined.shape, explain, nested=True)
    return _joined(df, joined, program, _snapshot(df.sparkSession, cluster, every_channel))


def decide_triggers(df: DataFrame, readings: Readings = None, rules: Path | None = None) -> DataFrame:
    """``df`` with a column ``triggering`` about its ``occasion``. Raises TableError, ReadingError and RuleError."""
    columns = {field.name: _kind(field.dataType) for field in df.schema.fields}
    check_free("triggering", columns)
    program = occasion_program(load_ruleset("trigger", readings, rules), occasion_fields(columns))
    return df.withColumn("triggering", _column(program, occasion="occasion"))


def register(spark: SparkSession, readings: Readings = None, explain: bool = False, rules: Path | None = None) -> None:
    """Makes ``choose_destination(put, destinations)`` and ``trigger_conditions(occasion)`` functions of SQL.

    They take structs with the columns of the contract in its order (Spark matches them by place), and are there
    until the session ends. Raises ReadingError and RuleError.
    """
    _look_enough(spark)
    shape = Shape(_contract(PUT), _contract(DESTINATION))
    deciding = Pipeline.of(put_program(*_rulesets(readings, rules), shape, explain, nested=True))
    triggering = Pipeline.of(occasion_program(load_ruleset("trigger", readings, rules), OCCASION))
    put = _struct_type(PUT).simpleString()
    destinations = T.ArrayType(_struct_type(DESTINATION)).simpleString()
    occasion = _struct_type(OCCASION).simpleString()
    for function, pipeline in (
        (f"choose_destination(put {put}, destinations {destinations})", deciding),
        (f"trigger_conditions(occasion {occasion})", triggering),
    ):
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {function} RETURN {pipeline.sql()}")


def _contract(columns: Mapping[str, TableColumn]) -> list[str]:
    """The columns that every table has."""
    return [name for name, each in columns.items() if not each.optional]


def _rulesets(readings: Readings, rules: Path | None) -> tuple[Ruleset, Ruleset]:
    return load_ruleset("workload", readings, rules), load_ruleset("outcome", readings, rules)


def _column(program: Program, **inputs: Column | str) -> Column:
    """The program over its inputs; in a struct of their own where they have other names than it uses."""
    session = SparkSession.getActiveSession()
    if session is not None:
        _look_enough(session)
    pipeline = Pipeline.of(program)
    if all(isinstance(given, str) and given == name for name, given in inputs.items()):
        return F.expr(pipeline.sql())
    row = F.struct(*((F.col(given) if isinstance(given, str) else given).alias(name) for name, given in inputs.items()))
    same, decided = F.expr("(row, nothing) -> row"), F.expr(f"row -> {pipeline.sql(list(inputs))}")
    return F.call_function("aggregate", F.array(), row, same, decided)


def _look_enough(spark: SparkSession) -> None:
    if int(spark.conf.get(LOOKS) or 0) < ENOUGH_LOOKS:
        spark.conf.set(LOOKS, str(ENOUGH_LOOKS))


def _joined(df: DataFrame, joined: JoinedPuts, program: Program, named: DataFrame) -> DataFrame:
    """Each put takes the answer to what it asks from its row of the snapshot; an odd one is decided where it is."""
    answered = named.join(_answers(joined, program, named), list(NAMES))
    rows = F.broadcast(answered.select(F.struct(*answered.columns).alias("mq_named")))
    numbered = df.withColumn(NUMBER, F.expr(_sql(joined.number))).join(
        rows, F.expr(_sql(joined.found(joined.put))), "left"
    )
    is_odd = F.col(NUMBER).isNull() | F.col("mq_named").isNull()
    put = F.when(F.col("put").isNotNull(), _struct(joined.asked(joined.put))).alias("put")
    odd = F.when(is_odd, F.struct(put, "mq_named.destinations"))
    answer = F.when(~is_odd, F.expr(f"get(mq_named.answers, get(mq_named.places, {NUMBER}))"))
    found = numbered.withColumns({"mq_odd": odd, "mq_answer": answer}).drop("mq_named", NUMBER)
    # The decision is no part of what Spark compiles with the join, so what it needs has to be little by then.
    alone = _column(program, put="mq_odd.put", destinations="mq_odd.destinations")
    decision = F.when(F.col("mq_odd").isNull(), F.col("mq_answer")).otherwise(alone)
    return found.withColumn("decision", decision).drop("mq_odd", "mq_answer")


def _answers(joined: JoinedPuts, program: Program, named: DataFrame) -> DataFrame:
    """For each name the different decisions, ``answers``, and which of them each number has, ``places`` from 0."""
    types = T.StructType([T.StructField(name, _type(PUT[name])) for name in SAID])
    rows = [{**each, NUMBER: at} for at, each in enumerate(joined.said)]
    said = named.sparkSession.createDataFrame(rows, types.add(NUMBER, T.IntegerType()))
    pairs = named.alias("mq_named").crossJoin(F.broadcast(said.alias("mq_said")))
    asked = pairs.select(*NAMES, NUMBER, _struct(joined.asked(SITUATION)).alias("put"), "destinations")
    decision = _column(program, put="put", destinations="destinations").alias("decision")
    decided = asked.select(*NAMES, F.struct(NUMBER, decision).alias("pair"))
    listed = decided.groupBy(*NAMES).agg(F.expr("array_sort(collect_list(pair)).decision").alias("listed"))
    answers = listed.withColumn("answers", F.array_distinct("listed"))
    places = F.expr("transform(listed, each -> int(array_position(answers, each)) - 1)")
    return answers.select(*NAMES, "answers", places.alias("places"))


def _struct(fields: Mapping[str, str]) -> Column:
    return F.struct(*(F.expr(_sql(source)).alias(name) for name, source in fields.items()))


def _snapshot(spark: SparkSession, cluster: Cluster, every_channel: bool) -> DataFrame:
    texts = [T.StructField(name, T.StringType()) for name in (*NAMES, "defbind")]
    listed = T.StructField("destinations", T.ArrayType(_struct_type(DESTINATION, optional=True)))
    return spark.createDataFrame(list(snapshot_rows(cluster, every_channel)), T.StructType([*texts, listed]))


def _sql(source: str) -> str:
    return lowered(source, SPARK).sql(dialect="spark")


def _struct_type(columns: Mapping[str, TableColumn], optional: bool = False) -> T.StructType:
    return T.StructType(
        [T.StructField(each.name, _type(each)) for each in columns.values() if optional or not each.optional]
    )


def _type(column: TableColumn) -> T.DataType:
    kinds: dict[type, T.DataType] = {
        Flag: T.BooleanType(),
        Whole: T.LongType(),
        Finite: T.DoubleType(),
        Names: T.ArrayType(T.StringType()),
    }
    return kinds.get(type(column.domain), T.StringType())


def _kind(found: T.DataType) -> Kind:
    """A type of Spark's as the checks know it."""
    match found:
        case T.StructType():
            return Struct({field.name: _kind(field.dataType) for field in found.fields})
        case T.ArrayType():
            return ListOf(_kind(found.elementType))
        case T.BooleanType():
            return "boolean"
        case T.IntegralType():
            return "integer"
        case T.FractionalType():
            return "number"
        case T.StringType():
            return "text"
        case T.NullType():
            return "null"
    return found.simpleString()
