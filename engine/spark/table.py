"""Decide DataFrames with Spark: DuckDB runs the rules in its Python workers.

What is known is small and broadcast, so nothing is shuffled, and the table may be a stream.

What goes to a worker is a function that holds plain data. It is made inside of another one, so Spark sends it whole: a
worker needs DuckDB and PyArrow, and what is ours only where a query is yet to be written there.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

import pyarrow as pa
from attrs import evolve
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType, StringType, StructField, StructType
from sqlglot import exp

from mqclause.cluster.plan import Traffic
from mqclause.documents import DOCUMENTS, OUTCOME, TRIGGER, WORKLOAD
from mqclause.duckdb.table import (
    QUERIED_TABLE,
    get_column_kinds,
    query_in_cluster,
    register_exits,
    render_cluster_query,
    render_exits,
    render_row_query,
    tables_known,
    text_of,
)
from mqclause.exits.process import Exit
from mqclause.language.sql import Node
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rule import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.spark.dialect import (
    SPARK,
    answer_type,
    carried,
    decision_type,
    is_carried,
    quoted,
    spark_kinds_of,
    struct_named,
)
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.flat import ExitRowDecider, check_no_cluster, cluster_puts
from mqclause.tables.functions import PREFIX, Plan
from mqclause.tables.functions import build_column as column_of
from mqclause.tables.message_order import MESSAGES, build_message_query
from mqclause.tables.query import (
    AnswerFields,
    build_decision,
    build_evaluation,
    build_plan,
    build_triggering,
    evaluation_types,
)
from mqclause.tables.row import OccasionRows, Rows
from mqclause.tables.schema import (
    DECISION,
    TRIGGERING,
    Columns,
    Shape,
    ValueSource,
    build_columns,
    build_contract_shape,
    build_counts,
    build_group_keys,
    build_shape,
    build_traffic,
)
from mqclause.tables.shares import ROW, Spread

SOMETHING = f"{PREFIX}something"
"""A column on the way: what workers are given that need none of the table's."""

ROWS_AT_ONCE = 10_000
"""The rows of a batch that goes back to Spark, as many as it sends."""

NUMBER = f"{PREFIX}number_given"
"""The number of a row in what a worker is given, for queries that do not keep its order."""

ARROW_UDF = getattr(F, "arrow_udf", None)
"""Spark's way to make a function that takes Arrow data as it is; None before 4.1."""

Batches = Iterator[pa.RecordBatch]
Answers = Callable[[Batches], Iterator[pa.Array]]
"""Takes the batches of a partition; gives their answers, in order, in batches of any size."""

Query = str | Callable[[Any], str]
"""A query of QUERIED_TABLE whose last column is the answer; or what writes it for a relation of what is given."""

ColumnFunction = Callable[..., Column]
"""Takes columns, or their names; gives a column."""

DECISION_TYPE = answer_type(DECISION)
"""The type of the column ``decision`` in Spark."""

TRIGGERING_TYPE = answer_type(TRIGGERING)
"""The type of the column ``triggering`` in Spark."""

_ARROW = {
    "boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "text": pa.string(),
    "texts": pa.list_(pa.string()),
}  # fmt: skip

DECISION_IN_ARROW = pa.struct([(name, {**_ARROW, "integer": pa.int32()}[kind]) for name, kind in DECISION.items()])
"""The type of the column ``decision`` in Arrow."""


def decide(
    df: DataFrame,
    cluster: Cluster | Mapping[str, Cluster] | None = None,
    rules: Rules | None = None,
    explain: bool = False,
    at: str | None = None,
    shares: bool = False,
    spread: str | None = None,
    exits: Mapping[str, Exit] | None = None,
    exit_limit: float | None = None,
    **put: Any,
) -> DataFrame:
    """Return ``df`` with a column ``decision``. Arguments are as for mqclause.duckdb.decide.

    With a ``cluster``, what puts can say is decided once, before they are read. ``df`` may be a stream of puts. No
    action is triggered. Raises TableError and RuleError.
    """
    columns, rules = spark_kinds_of(df), Rules.given(rules)
    asked, spreads = _spread(spreading := Spread.of(columns, shares, spread))
    if cluster is None:
        check_no_cluster(at, put if exits is None else {**put, "exits": exits})
        needed = _needed_of(shape := build_shape(columns, OUTCOME)) | spreads
        answers = answers_of(render_row_query(shape, () if asked is None else _kept(needed), rules, explain, asked))
    else:
        puts = cluster_puts(columns, cluster, at, put, spreading)
        rules = puts.of_one_edition(rules)
        by_exits = ExitRowDecider.of(puts, rules, exits, exit_limit, explain, spreading)
        if by_exits is None and not puts.says_odd:
            return joined_with_known(df, puts, rules, explain, asked)
        needed = _needed_in_cluster(puts) | spreads
        answers = _answers_in_cluster(puts, needed, rules, explain, asked, by_exits)
    return answered(df, answers, OUTCOME.row.answer, decision_type(shares), needed)


def decide_triggers(df: DataFrame, rules: Rules | None = None) -> DataFrame:
    """Return ``df`` with a column ``triggering`` about its ``occasion``. Raises TableError and RuleError."""
    shape = build_shape(spark_kinds_of(df), TRIGGER)
    return _answered(df, build_plan(Rules.given(rules), shape, build_triggering), shape, TRIGGERING_TYPE)


def apply_rules(
    df: DataFrame, declaration: Declaration, rules: Rules | None = None, explain: bool = False
) -> DataFrame:
    """Return ``df`` with the answer of one document's rules, as mqclause.duckdb.apply_rules does.

    Raises TableError and RuleError.
    """
    shape, rules = build_shape(spark_kinds_of(df), declaration), Rules.given(rules)
    plan = build_plan(rules, shape, build_evaluation, declaration if explain else None)
    return _answered(df, plan, shape, struct_named(evaluation_types(rules, declaration)))


def joined_with_known(
    df: DataFrame, puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None
) -> DataFrame:
    """Join every row of ``df``, each once, with its ``decision``; no put of it may say anything odd."""
    query = query_in_cluster(puts, df.columns, rules, explain, spread, {}, as_written=False)
    for part in query.find_all(exp.CTE):
        part.set("materialized", None)  # Spark's SQL has no word for it
    make = df.sparkSession.createDataFrame
    known = tables_known(puts, rules, explain, spread)
    given = {name: F.broadcast(make(table)) for name, table in known.items()}
    given[QUERIED_TABLE] = df if spread is None or spread.by is None else df.withColumn(ROW, _number_rows())
    text = SPARK.text(query, quoted=True).replace("{", "{{").replace("}", "}}")
    for name in given:
        text = text.replace(f"`{name}`", f"{{{name}}}")
    arguments: Any = given
    return df.sparkSession.sql(text, **arguments)


def answers_of(query: Query, is_numbered: bool = False, prepare: Callable[[Any], None] | None = None) -> Answers:
    """Make a function of batches that runs ``query`` on them.

    One that does not keep the order of rows ``is_numbered``: it keeps the column NUMBER, by which answers are sorted.
    ``prepare`` makes the functions of the connection that it needs.
    """
    in_order = _in_order()

    def answers(batches: Batches) -> Iterator[pa.Array]:
        import duckdb

        ends = [0]

        def numbered() -> Batches:
            for batch in batches:
                ends.append(ends[-1] + batch.num_rows)
                yield batch.append_column(NUMBER, pa.array(range(ends[-2], ends[-1]), pa.int64()))

        given = numbered() if is_numbered else batches
        first = next(given, None)
        if first is None:
            return
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register(QUERIED_TABLE, pa.RecordBatchReader.from_batches(first.schema, chain([first], given)))
            if prepare is not None:
                prepare(connection)
            found = connection.sql(query if isinstance(query, str) else query(connection.table(QUERIED_TABLE)))
            answer = f'"{found.columns[-1]}"'
            found = found.select(f'"{NUMBER}"', answer) if is_numbered else found.select(answer)
            read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
            made = read(ROWS_AT_ONCE)
            yield from in_order(made, ends) if is_numbered else (batch.column(0) for batch in made)

    return answers


def _column_function(answers: Answers, kind: DataType, names: Sequence[str], void: Mapping[str, pa.DataType]) -> Any:
    """Make a function of columns that get these ``names``; columns that are all null have the types ``void``."""
    assert ARROW_UDF is not None, "Spark 4.0 has no Arrow UDFs"  # noqa: S101

    # Of several columns Spark gives tuples of arrays, of one its arrays; either annotation is taken for both.
    def on_arrays(given: Iterator[pa.Array]) -> Iterator[pa.Array]:
        def batch(columns: Any) -> pa.RecordBatch:
            arrays = columns if isinstance(columns, tuple) else (columns,)
            known = [
                pa.nulls(len(array), void[name]) if pa.types.is_null(array.type) and name in void else array
                for name, array in zip(names, arrays, strict=True)
            ]
            return pa.RecordBatch.from_arrays(known, list(names))

        yield from answers(map(batch, given))

    return ARROW_UDF(on_arrays, kind)


def answered(df: DataFrame, answers: Answers, name: str, kind: DataType, needed: Mapping[str, Column]) -> DataFrame:
    """Add a column ``name`` with answers to ``df``; ``needed`` are the columns that they depend on, by name.

    Whole rows go to the worker and come back, which takes less than to have Spark keep them meanwhile. If Arrow
    does not carry them as they are, only what is needed goes there.
    """
    kept, added = df.schema.fields, {column: value for column, value in needed.items() if column not in df.columns}
    asked = df.withColumns(added) if added else df
    if ARROW_UDF is not None and not all(is_carried(each.dataType) for each in kept):
        columns = [carried(quoted(each), asked.schema[each].dataType) for each in needed]
        return asked.withColumn(name, _column_function(answers, kind, [*needed], {})(*columns)).drop(*added)
    names, places, given = [*df.columns, name], [asked.columns.index(each) for each in needed], [*needed]

    def on_batches(batches: Batches) -> Batches:
        waiting: deque[pa.RecordBatch] = deque()

        def read() -> Batches:
            for batch in batches:
                if batch.num_rows:
                    waiting.append(batch)
                    yield pa.RecordBatch.from_arrays([batch.column(place) for place in places], given)

        for found in answers(read()):
            place = 0
            while place < len(found):
                batch = waiting.popleft()
                count = min(batch.num_rows, len(found) - place)
                if count < batch.num_rows:
                    waiting.appendleft(batch.slice(count))
                columns = batch.slice(0, count).columns[: len(names) - 1]
                yield pa.RecordBatch.from_arrays([*columns, found.slice(place, count)], names)
                place += count

    # Spark looks its columns up by names that it reads: some cannot be read.
    readable = asked.toDF(*(f"{PREFIX}{number}" for number in range(len(asked.columns))))
    return readable.mapInArrow(on_batches, StructType([*kept, StructField(name, kind)]))


def choose_destination(
    put: Column | str = "put",
    destinations: Column | str = "destinations",
    rules: Rules | None = None,
    explain: bool = False,
) -> Column:
    """Return a column with the decision about a put among its destinations, a struct; see choose_destination_udf.

    Raises TypeError for what is no column, and RuleError.
    """
    _check_columns(put=put, destinations=destinations)
    return choose_destination_udf(rules, explain)(put, destinations)


def trigger_conditions(occasion: Column | str = "occasion", rules: Rules | None = None) -> Column:
    """Return a column with the answer of the trigger rules about an occasion, a struct; its fields are TRIGGERING's.

    Raises TypeError for what is no column, and RuleError.
    """
    _check_columns(occasion=occasion)
    return _triggering_udf(Rules.given(rules))(occasion)


def register(spark: SparkSession, rules: Rules | None = None, explain: bool = False) -> None:
    """Make ``choose_destination(put, destinations)`` and ``trigger_conditions(occasion)`` functions of SQL.

    They take the structs that the functions of columns take, and are there until the session ends. Raises RuleError,
    TypeError for what is no session, and PySparkRuntimeError where no session is there any more.
    """
    if not hasattr(spark, "udf"):
        raise TypeError(f"the session is a {type(spark).__name__}; expected a SparkSession")
    SparkSession.active()  # a function that is made without one has PySpark look for a server of SPARK_REMOTE
    triggers = _triggering_udf(Rules.given(rules))
    spark.udf.register("choose_destination", choose_destination_udf(rules, explain))
    spark.udf.register("trigger_conditions", triggers)


def choose_destination_udf(rules: Rules | None = None, explain: bool = False) -> ColumnFunction:
    """Return a function of ``put`` and ``destinations``, columns as in mqclause.tables.schema, for the decision.

    ``df.select("*", choose_destination_udf()("put", "destinations").alias("decision"))``: a struct of DECISION_TYPE,
    never null; a row with a fault is ``invalid``. The structs may have any of the fields, in any order, and others.
    With ``explain`` the field ``eliminated_by`` is filled. DuckDB decides in Spark's workers; in Spark 4.0, where they
    are given no Arrow data, the compiled rules do, row by row. Raises RuleError here, not on a worker.
    """
    key = Rules.given(rules)
    if ARROW_UDF is not None:
        return _answering_udf(key, OUTCOME, build_decision, WORKLOAD if explain else None, DECISION_TYPE)
    get_row_decider(key)
    return _row_function(
        lambda put, destinations: get_row_decider(key).decision(put, destinations, explain), DECISION_TYPE
    )


def explain_udf(rules: Rules | None = None) -> ColumnFunction:
    """Return a function of ``put`` and ``destinations`` that gives the decision with its derivation, as text in JSON.

    The object has the fields of the decision, ``eliminated_by`` filled, and ``steps`` as in mqclause.trace/1. The
    compiled rules decide, row by row. Raises RuleError.
    """
    key = Rules.given(rules)
    get_row_decider(key)

    def explained(put: Any, destinations: Any) -> str:
        return json.dumps(get_row_decider(key).explained(put, destinations), ensure_ascii=False)

    return _row_function(explained, StringType())


@cache
def get_row_decider(rules: Rules) -> Rows:
    """Return the decider of rows by ``rules``, made once in each process: rules reach a worker as text."""
    return Rows(rules)


@cache
def get_occasion_decider(rules: Rules) -> OccasionRows:
    """Return the decider of rows of trigger events, made once in each process."""
    return OccasionRows(rules)


def _answers_in_cluster(
    puts: ClusterPuts,
    needed: Iterable[str],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    by_exits: ExitRowDecider | None,
) -> Answers:
    columns = (*_kept(needed), NUMBER)
    text = render_cluster_query(puts, columns, rules, explain, spread)
    if by_exits is None:
        return answers_of(text, is_numbered=True)
    exits = by_exits
    return answers_of(render_exits(text, columns, puts, exits), True, lambda known: register_exits(known, exits))


def _answered(df: DataFrame, plan: Plan, shape: Shape, kind: StructType) -> DataFrame:
    name = shape.about.row.answer
    return answered(df, answers_of(text_of(plan, (), name)), name, kind, _needed_of(shape))


def _needed_of(shape: Shape) -> dict[str, Column]:
    """The columns of a table that the rules are asked about."""
    trees = [each for each in (shape.row, column_of(shape.listed) if shape.listed else None) if each is not None]
    return _needed([each for found in shape.situation.values() for each in found], trees)


def _needed_in_cluster(puts: ClusterPuts) -> dict[str, Column]:
    sources = [each for found in puts.sources.values() for each in found] + ([puts.at] if puts.at else [])
    return _needed(sources, [] if puts.struct is None else [puts.struct])


def _needed(sources: Iterable[ValueSource], trees: Iterable[Node]) -> dict[str, Column]:
    """The columns that stand in them, each by its name."""
    every = [*trees, *(each.value for each in sources)]
    names = dict.fromkeys(each.parts[0].name for tree in every for each in tree.find_all(exp.Column))
    return {name: quoted(name) for name in names} or {SOMETHING: F.lit(True)}


def _spread(spread: Spread | None) -> tuple[Spread | None, dict[str, Column]]:
    """What workers are told of ties, and the columns that they need for it."""
    if spread is None or spread.by is None:
        return spread, {}
    return evolve(spread, has_rows=True), {spread.by: quoted(spread.by), ROW: _number_rows()}


def _number_rows() -> Column:
    """Numbers of rows, from 1 as in DuckDB, so that a table of one partition has the same there."""
    return F.monotonically_increasing_id() + F.lit(1)


def _kept(needed: Iterable[str]) -> tuple[str, ...]:
    """The columns that a query keeps until it has the answer, but for the one that it keeps by itself."""
    return tuple(name for name in needed if name != ROW)


def _in_order() -> Callable[[Batches, list[int]], Iterator[pa.Array]]:
    def in_order(batches: Batches, ends: list[int]) -> Iterator[pa.Array]:
        """The answers beside numbers, as soon as all of those before an end are there."""
        import numpy as np

        left, done = None, 0
        for batch in batches:
            some = pa.Table.from_batches([batch])
            left = some if left is None else pa.concat_tables([left, some])
            numbers = left.column(0).to_numpy()
            until = max(end for end in ends if end <= done + len(left))
            ready = np.flatnonzero(numbers < until)
            if done < until == done + len(ready):
                ordered = ready[np.argsort(numbers[ready])]
                yield from left.column(1).take(pa.array(ordered)).chunks
                left, done = left.take(pa.array(np.flatnonzero(numbers >= until))), until

    return in_order


def _triggering_udf(rules: Rules) -> ColumnFunction:
    if ARROW_UDF is not None:
        return _answering_udf(rules, TRIGGER, build_triggering, None, TRIGGERING_TYPE)
    get_occasion_decider(rules)
    return _row_function(lambda occasion: get_occasion_decider(rules).triggering(occasion), TRIGGERING_TYPE)


def _answering_udf(
    rules: Rules, about: Declaration, answer: AnswerFields, traced: Declaration | None, kind: StructType
) -> ColumnFunction:
    """A function of the columns of a document's tables; which fields they have is seen where they are."""
    build_plan(rules, build_contract_shape(about), answer, traced)
    # A declaration is known by itself, and what is sent is another one: only its name goes there.
    given = rules, about.name, answer, traced is not None

    def query(relation: Any) -> str:
        return _query(relation, *given)

    void = {about.row.situation: _in_arrow(build_columns(about.situation))}
    if about.subject is not None:
        void[about.row.subjects] = pa.list_(_in_arrow(build_columns(about.subject)))
    function: ColumnFunction = _column_function(answers_of(query), kind, [*void], void)
    return function


def _query(relation: Any, rules: Rules, name: str, answer: AnswerFields, is_traced: bool) -> str:
    about = DOCUMENTS[name]
    plan = build_plan(
        rules, build_shape(get_column_kinds(relation), about), answer, about.course[0] if is_traced else None
    )
    return text_of(plan, (), about.row.answer)


def _in_arrow(columns: Columns) -> pa.DataType:
    return pa.struct([(name, _ARROW[each.kind]) for name, each in columns.items()])


def _check_columns(**given: object) -> None:
    for name, each in given.items():
        if not isinstance(each, Column | str):
            raise TypeError(f"{name} is a {type(each).__name__}; expected a column or its name")


def _row_function(decide: Callable[..., Any], kind: DataType) -> ColumnFunction:
    """``decide`` as a function of the structs of one row at a time.

    Without Arrow: by way of pandas, whole numbers beside a null would come as others.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        # A struct without fields is a Row that counts as false.
        return None if value is None else value.asDict()

    # Of one column and of two; Spark asks the function how many it takes.
    def on_row(first: Any, *others: Any) -> Any:
        found = decide(*map(plain, (first, *others)))
        return tuple(found.values()) if isinstance(found, dict) else found

    return F.udf(on_row, kind, useArrow=False)


def message_order(df: DataFrame, cluster: Cluster | None = None, rules: Rules | None = None) -> DataFrame:
    """Return the messages of ``df`` with a column ``message_order``, as mqclause.duckdb.message_order does.

    ``df`` is read twice. No action is triggered. Raises TableError and RuleError.
    """
    query = build_message_query(spark_kinds_of(df), cluster, Rules.given(rules))
    text = (
        SPARK.text(query, quoted=True).replace("{", "{{").replace("}", "}}").replace(f"`{MESSAGES}`", f"{{{MESSAGES}}}")
    )
    return df.sparkSession.sql(text, __mqclause_messages=df)


def traffic(df: DataFrame) -> Traffic:
    """Count the puts of ``df`` to each queue, as mqclause.duckdb.traffic does. Raises TableError."""
    columns = spark_kinds_of(df)
    keys, values = build_group_keys(columns), build_counts(columns)
    counted = df.groupBy(*_columns(keys)).agg(*_columns(values))
    return build_traffic(row.asDict() for row in counted.collect())


def _columns(trees: dict[str, Node]) -> list[Column]:
    return [F.expr(SPARK.text(tree)).alias(name) for name, tree in trees.items()]
