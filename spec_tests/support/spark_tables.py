"""Tables of puts in Spark, and what they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PUT = "put struct<queue: string, queue_manager: string, bind: string, call: string, clwlmruc: int>"


def queue(name: str = "ORDERS.IN", **fields: Any) -> dict[str, Any]:
    """A put to a queue; the fields not given are null."""
    return {"queue": name, "queue_manager": None, "bind": None, "call": None, "clwlmruc": None, **fields}


def from_rows(spark: Any, rows: Sequence[Sequence[Any] | Mapping[str, Any]], schema: str) -> Any:
    """Rows as a DataFrame of one partition, by way of Arrow: for rows of Python's Spark starts a Python of its own."""
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    kind = StructType.fromDDL(schema)
    assert isinstance(kind, StructType)
    kinds = to_arrow_schema(kind, timezone="UTC")
    columns = [
        [row[name] if isinstance(row, Mapping) else row[place] for row in rows]
        for place, name in enumerate(kinds.names)
    ]
    table = pa.Table.from_arrays(
        [pa.array(each, of.type) for each, of in zip(columns, kinds, strict=True)], schema=kinds
    )
    return spark.createDataFrame(table).coalesce(1)


def frame(spark: Any, folder: Path, name: str, table: Any) -> Any:
    """The table as a Spark DataFrame, by way of a file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.parquet"
    pq.write_table(table, path)
    return spark.read.parquet(str(path))


def collected(df: Any, column: str = "decision") -> list[dict[str, Any]]:
    """What ``df`` says in a column, by ``id``."""
    # In Spark to sort is to decide all rows twice: it looks where to part them first.
    rows = sorted(df.select("id", column).collect(), key=lambda row: row["id"])
    return [row[column].asDict(recursive=True) for row in rows]
