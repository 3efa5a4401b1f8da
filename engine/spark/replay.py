"""Decide sequences of puts in Spark, as tables and as streams: counters go from put to put."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from importlib.metadata import version
from typing import Any

import pyarrow as pa
from attrs import define, frozen
from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql.functions import col, row_number, rtrim
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import StructField, StructType

from mqclause.documents import OUTCOME
from mqclause.model.diagnostics import DomainError, suggest_allowed
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.model.facts.workload import DestinationSequence, SequenceState
from mqclause.rulebook.rules import Rules
from mqclause.spark.dialect import spark_kinds_of
from mqclause.spark.table import ARROW_UDF, DECISION_IN_ARROW, DECISION_TYPE
from mqclause.tables.cluster_puts import build_answer, build_refusal, get_engine
from mqclause.tables.flat import check_clusters
from mqclause.tables.functions import PREFIX
from mqclause.tables.row import InvalidRowError, build_invalid_row, read_situation
from mqclause.tables.schema import (
    FieldType,
    Struct,
    TableError,
    check_free,
    find_situation_fields,
    find_spelling,
    get_spelling,
)
from mqclause.workload.decision import Engine

PLACE, BY = f"{PREFIX}place", f"{PREFIX}by_"
"""A column that numbers the puts of a group while they are on their way, and how those by which it is one begin."""

Path = tuple[str, ...]
"""A column and, where it is a struct, a field in it, and so on."""

Group = Any
"""The value of the column by which rows are grouped; a tuple of values if there are several."""

CLUSTER_FIELDS = ("clwlmruc", "qmgr_clwluseq")
"""Fields of a put in a table that in a replay the cluster says."""

COUNTERS = "last bigint, counters array<struct<channel: string, queue_manager: string, factor: double, number: bigint>>"
"""What is kept for a local queue manager: the number of its last choice, and the counters of every channel."""


def replay(
    df: DataFrame,
    cluster: Cluster | Mapping[Group, Cluster],
    by: str | Sequence[str] = "queue_manager",
    order: str | Sequence[str] = "at",
    rules: Rules | None = None,
    explain: bool = False,
) -> DataFrame:
    """Return ``df`` with a column ``decision``: each put decided with the counters that the previous one left.

    The rows of ``df`` that have the same value in ``by``, a text padded or not, are the puts of one local queue
    manager, in the order of the columns ``order`` (nulls first, equals in no order). ``put`` is a struct with fields
    of columns.PUT; ``clwlmruc`` and ``qmgr_clwluseq`` are the cluster's. ``cluster`` is what that queue manager knows,
    or for each value of ``by`` (a tuple of values where ``by`` is several) what that one knows. The counters start
    from the facts. With ``explain`` the field ``eliminated_by`` is filled.

    A put with a fault and one of a group without a cluster are ``invalid`` and leave the counters alone. Nothing is
    computed until the result is asked for. Memory does not grow with a group from Spark 4.1 on; before, a group has
    to fit into the memory of a worker. Raises RuleError, and TableError for columns that are missing or of no use.
    """
    check_clusters(cluster)
    key = Rules.given(rules)
    get_engine(key)
    puts = PutsInOrder.of(df, by, order)
    if not puts.places:
        raise TableError("order=[]: names no column; the counters go from put to put in some order")
    place = row_number().over(Window.partitionBy(*puts.groups).orderBy(*map(_quoted, puts.places)))
    # Spark keeps the rows as the window leaves them: they are grouped and sorted already.
    grouped = puts.df.withColumn(PLACE, place).groupBy(*puts.groups)
    return grouped.applyInArrow(_function(cluster, key, explain), puts.schema).toDF(*puts.names)


@frozen
class PutsInOrder:
    """A table of puts on its way through Python, with ``names`` for its columns and the decision when it is back.

    ``groups`` are columns that rows of a group are alike in, and ``places`` what they are in the order of.
    """

    df: DataFrame
    schema: StructType
    names: Sequence[str]
    groups: Sequence[str]
    places: Sequence[Path]

    @classmethod
    def of(cls, df: DataFrame, by: str | Sequence[str], order: str | Sequence[str]) -> PutsInOrder:
        """Check a table and describe how its puts are ordered.

        Raises TableError for a table that has no puts, as decide does, and for missing columns.
        """
        columns = spark_kinds_of(df)
        check_free("decision", columns)
        find_situation_fields(columns, OUTCOME)
        # Spark hands Python no column in whose name it sees a field of a struct.
        plain = {name: f"{PREFIX}{at}" if set(".`") & set(name) else name for at, name in enumerate(columns)}
        kinds = {plain[name]: kind for name, kind in columns.items()}
        alike, places = ([(plain[first], *inside) for first, *inside in _paths(names, columns)]
                         for names in (by, order))  # fmt: skip
        groups = {f"{BY}{at}": _unpadded(path, kinds) for at, path in enumerate(alike)}
        fields = [StructField(plain[each.name], each.dataType) for each in df.schema]
        schema = StructType([*fields, StructField("decision", DECISION_TYPE)])
        known = df.toDF(*plain.values()).withColumns(groups)
        return cls(known, schema, [*columns, "decision"], [*groups], places)


@define
class PutSequence:
    """The puts of one local queue manager on their way; ``cluster`` is None if nobody says what it knows."""

    engine: Engine
    cluster: Cluster | None
    group: Group = None
    explain: bool = False
    state: SequenceState | None = None
    count: int = 0

    def decided(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Decide the rows of ``batch``, which are the next ones; columns that were added are left out."""
        places = range(self.count + 1, self.count + batch.num_rows + 1)
        if batch.column(PLACE).to_pylist() != list(places):
            raise RuntimeError(f"the puts of {self.group!r} did not come in their order")
        self.count += batch.num_rows
        decisions = [self.decision(put) for put in batch.column(get_spelling("put", batch.schema.names)).to_pylist()]
        kept = [name for name in batch.schema.names if _is_own_column(name)]
        columns = [*(batch.column(name) for name in kept), pa.array(decisions, DECISION_IN_ARROW)]
        return pa.RecordBatch.from_arrays(columns, names=[*kept, "decision"])

    def decision(self, put: Mapping[str, Any] | None) -> dict[str, Any]:
        """Decide the next put and advance the counters: the fields of the column ``decision``."""
        if self.cluster is None:
            return build_invalid_row(f"no cluster is given for {self.group!r}")
        try:
            asked = _put_of(put)
        except (InvalidRowError, DomainError) as error:
            return build_invalid_row(str(error))
        if found := build_refusal(self.cluster, asked):
            return found
        decision = self.engine.choose(asked, self.cluster, self.state, "rule" if self.explain else "off")
        self.state = decision.state
        return build_answer(decision, self.explain)


def build_sequence(
    clusters: Cluster | Mapping[Group, Cluster], values: tuple[Any, ...], engine: Engine, explain: bool
) -> PutSequence:
    """Build the sequence of the group that has these ``values``, at its beginning."""
    group = values[0] if len(values) == 1 else values
    cluster = clusters if isinstance(clusters, Cluster) else clusters.get(group)
    return PutSequence(engine, cluster, group, explain)


def replay_stream(
    df: DataFrame,
    cluster: Cluster | Mapping[Group, Cluster],
    by: str | Sequence[str] = "queue_manager",
    order: str | Sequence[str] = "at",
    rules: Rules | None = None,
    explain: bool = False,
) -> DataFrame:
    """Return the streaming ``df`` with a column ``decision``. Arguments and exceptions as for mqclause.spark.replay.

    Puts are decided as they arrive: ``order`` orders those of one micro-batch, which for each queue manager have to
    fit into the memory of a worker. The counters outlive a restart from the checkpoint. What a restarted query's
    ``cluster`` says otherwise than the one before is in effect, but sets no sequence factor back.

    Needs Spark 4.1, protobuf, output mode Append, and the setting spark.sql.streaming.stateStore.providerClass to be
    org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider. Raises RuntimeError in Spark 4.0.
    """
    check_clusters(cluster)
    key = Rules.given(rules)
    get_engine(key)
    puts = PutsInOrder.of(df, by, order)
    grouped = puts.df.groupBy(*puts.groups)
    if not hasattr(grouped, "transformWithState"):
        raise RuntimeError(f"replay_stream needs Spark 4.1 or newer; this is {version('pyspark')}")
    processor = _Processor(cluster, puts.places, key, explain)
    return grouped.transformWithState(processor, puts.schema, "Append", "None").toDF(*puts.names)


def _paths(names: str | Sequence[str], columns: Mapping[str, FieldType]) -> list[Path]:
    """Where the table has a name or several: columns, or with dots what is inside them. Raises TableError."""
    return [_path(str(each), columns) for each in (names if isinstance(names, list | tuple) else [names])]


def _path(name: str, columns: Mapping[str, FieldType], before: str = "") -> Path:
    own = find_spelling(name, columns)
    if own is not None:
        return (own,)
    first, _, inside = name.partition(".")
    struct = find_spelling(first, columns)
    within = None if struct is None else columns[struct]
    if struct is not None and isinstance(within, Struct) and inside:
        return struct, *_path(inside, within.fields, f"{before}{struct}.")
    there_are = suggest_allowed(name, columns, f"{before.rstrip('.')} has" if before else "the table has")
    raise TableError(f"column {before}{name} is missing{there_are}")


def _unpadded(path: Path, kinds: Mapping[str, FieldType]) -> Column:
    """What a path leads to: a text without the blanks that pad it."""
    kind = reduce(lambda of, name: of.fields[name] if isinstance(of, Struct) else of, path[1:], kinds[path[0]])
    return rtrim(col(_quoted(path))) if kind == "text" else col(_quoted(path))


def _quoted(path: Path) -> str:
    """What a path leads to, as Spark reads it."""
    return ".".join(f"`{each.replace('`', '``')}`" for each in path)


def _function(clusters: Cluster | Mapping[Group, Cluster], rules: Rules, explain: bool) -> Callable[..., Any]:
    """What Spark calls with the rows of one group. Spark tells the two kinds apart by their annotations."""

    def begin(group: tuple[pa.Scalar, ...]) -> PutSequence:
        return build_sequence(clusters, tuple(each.as_py() for each in group), get_engine(rules), explain)

    def on_batches(group: tuple[pa.Scalar, ...], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return map(begin(group).decided, batches)

    def on_table(group: tuple[pa.Scalar, ...], table: pa.Table) -> pa.Table:
        return pa.Table.from_batches(map(begin(group).decided, table.to_batches()))

    # The form with batches came together with arrow_udf.
    return on_batches if ARROW_UDF is not None else on_table


def _put_of(put: Mapping[str, Any] | None) -> Put:
    """Raises InvalidRowError, and DomainError for a name that is no name in MQ."""
    said = read_situation(OUTCOME, put)
    return Put(**{name: value for name, value in said.items() if name not in CLUSTER_FIELDS})


class _Processor(StatefulProcessor):
    """Decides the puts of each queue manager and keeps its counters."""

    def __init__(
        self, clusters: Cluster | Mapping[Group, Cluster], order: Sequence[Path], rules: Rules, explain: bool
    ) -> None:
        self.clusters, self.order, self.rules, self.explain = clusters, order, rules, explain

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.kept = handle.getValueState("counters", COUNTERS)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803
        sequence = build_sequence(self.clusters, tuple(key), get_engine(self.rules), self.explain)
        if sequence.cluster is not None and self.kept.exists():
            sequence.state = _state(sequence.cluster, self.kept.get())
        for row in sorted(rows, key=self.place):
            yield _decided(row, sequence)
        if sequence.state is not None:
            self.kept.update(_kept(sequence.state))

    def place(self, row: Row) -> list[tuple[bool, Any]]:
        """What to sort ``row`` by; nulls first."""
        values = [reduce(lambda inside, name: inside and inside[name], path, row) for path in self.order]
        return [(value is not None, value) for value in values]

    def close(self) -> None:
        pass


def _is_own_column(column: str) -> bool:
    """Whether a column is the table's own, not one that was added for the replay."""
    return column != PLACE and not column.startswith(BY)


def _decided(row: Row, sequence: PutSequence) -> Row:
    put = row[get_spelling("put", row.asDict())]
    decision = sequence.decision(put.asDict() if isinstance(put, Row) else put)
    own = {name: value for name, value in row.asDict().items() if _is_own_column(name)}
    return Row(**own, decision=decision)


def _state(cluster: Cluster, kept: Any) -> SequenceState:
    last, counters = kept
    return SequenceState(
        {(each[0], each[1]): DestinationSequence(each[2], each[3]) for each in counters}, last, cluster
    )


def _kept(state: SequenceState) -> tuple[int, list[tuple[str, str, float, int]]]:
    return state.last_number, [(*key, *counter) for key, counter in state.counters.items()]
