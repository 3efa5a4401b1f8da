"""Rules where the rows are: in Spark's Python workers DuckDB answers the Arrow batches of a partition.

What goes to a worker is a function that holds plain data. It is made inside of another one, so Spark sends it whole: a
worker needs DuckDB and PyArrow, and what is ours only where a query is yet to be written there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import DataType, StructField, StructType

from mqclause.duckdb.sources import ASKED_OF
from mqclause.spark.types import carried, is_carried, quoted
from mqclause.tables.functions import PREFIX

ROWS_AT_ONCE = 10_000
"""The rows of a batch that goes back to Spark, as many as it sends."""

NUMBER = f"{PREFIX}number_given"
"""The number of a row in what a worker is given, for queries that do not keep its order."""

ARROW_UDF = getattr(functions, "arrow_udf", None)
"""Spark's way to make a function that takes Arrow data as it is; None before 4.1."""

Batches = Iterator[pa.RecordBatch]
Answers = Callable[[Batches], Iterator[pa.Array]]
"""Takes the batches of a partition; gives their answers, in order, in batches of any size."""

Query = str | Callable[[Any], str]
"""A query of ASKED_OF whose last column is the answer; or what writes it for a relation of what is given."""


def answers_of(query: Query) -> Answers:
    """What ``query`` answers, which keeps the order of rows."""

    def answers(batches: Batches) -> Iterator[pa.Array]:
        import duckdb

        first = next(batches, None)
        if first is None:
            return
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register(ASKED_OF, pa.RecordBatchReader.from_batches(first.schema, chain([first], batches)))
            found = connection.sql(query if isinstance(query, str) else query(connection.table(ASKED_OF)))
            read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
            yield from (batch.column(batch.num_columns - 1) for batch in read(ROWS_AT_ONCE))

    return answers


def numbered_answers_of(query: str, then: Callable[[Any, Any], Any] | None = None) -> Answers:
    """What ``query`` answers, whatever order it has: NUMBER is one of its columns.

    ``then`` makes another relation, of the connection and of that of the answers.
    """
    in_order = _in_order()

    def answers(batches: Batches) -> Iterator[pa.Array]:
        import duckdb

        ends = [0]

        def numbered() -> Batches:
            for batch in batches:
                ends.append(ends[-1] + batch.num_rows)
                yield batch.append_column(NUMBER, pa.array(range(ends[-2], ends[-1]), pa.int64()))

        given = numbered()
        first = next(given, None)
        if first is None:
            return
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register(ASKED_OF, pa.RecordBatchReader.from_batches(first.schema, chain([first], given)))
            found = connection.sql(query)
            found = found if then is None else then(connection, found)
            found = found.select(f'"{NUMBER}"', f'"{found.columns[-1]}"')
            read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
            yield from in_order(read(ROWS_AT_ONCE), ends)

    return answers


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


def column_function(answers: Answers, kind: DataType, names: Sequence[str], void: Mapping[str, pa.DataType]) -> Any:
    """A function of columns, which get these ``names``; those that are null throughout are of the types ``void``."""
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
    """``df`` with a column of answers of that ``name``; ``needed`` are the columns that are asked about, by name.

    Whole rows go to the worker and come back, which takes less than to have Spark keep them meanwhile. If Arrow
    does not carry them as they are, only what is needed goes there.
    """
    kept, added = df.schema.fields, {column: value for column, value in needed.items() if column not in df.columns}
    asked = df.withColumns(added) if added else df
    if ARROW_UDF is not None and not all(is_carried(each.dataType) for each in kept):
        columns = [carried(quoted(each), asked.schema[each].dataType) for each in needed]
        return asked.withColumn(name, column_function(answers, kind, [*needed], {})(*columns)).drop(*added)
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
