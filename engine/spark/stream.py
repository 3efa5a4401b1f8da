"""Puts as they arrive, in Spark's structured streaming: the counters of each queue manager are kept in its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from importlib.metadata import version
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.sequence import Counter, SequenceState
from mqclause.rulebook.rules import Rules
from mqclause.spark.replay import Group, Path, PutSequence, PutsInOrder, is_own, sequence_of
from mqclause.tables.flat import check_clusters
from mqclause.tables.named_puts import engine_of
from mqclause.tables.shape import there

COUNTERS = "last bigint, counters array<struct<channel: string, queue_manager: string, factor: double, number: bigint>>"
"""What is kept for a local queue manager: the number of its last choice, and the counters of every channel."""


def replay_stream(
    df: DataFrame,
    cluster: Cluster | Mapping[Group, Cluster],
    by: str | Sequence[str] = "queue_manager",
    order: str | Sequence[str] = "at",
    rules: Rules | None = None,
    explain: bool = False,
) -> DataFrame:
    """The streaming ``df`` with a column ``decision``. Arguments, columns and exceptions as for mqclause.spark.replay.

    Puts are decided as they arrive: ``order`` orders those of one micro-batch, which for each queue manager have to
    fit into the memory of a worker. The counters outlive a restart from the checkpoint. What a restarted query's
    ``cluster`` says otherwise than the one before is in effect, but sets no sequence factor back.

    Needs Spark 4.1, protobuf, output mode Append, and the setting spark.sql.streaming.stateStore.providerClass to be
    org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider. Raises RuntimeError in Spark 4.0.
    """
    check_clusters(cluster)
    key = Rules.given(rules)
    engine_of(key)
    puts = PutsInOrder.of(df, by, order)
    grouped = puts.df.groupBy(*puts.groups)
    if not hasattr(grouped, "transformWithState"):
        raise RuntimeError(f"replay_stream needs Spark 4.1 or newer; this is {version('pyspark')}")
    processor = _Processor(cluster, puts.places, key, explain)
    return grouped.transformWithState(processor, puts.schema, "Append", "None").toDF(*puts.names)


class _Processor(StatefulProcessor):
    """Decides the puts of each queue manager and keeps its counters."""

    def __init__(
        self, clusters: Cluster | Mapping[Group, Cluster], order: Sequence[Path], rules: Rules, explain: bool
    ) -> None:
        self.clusters, self.order, self.rules, self.explain = clusters, order, rules, explain

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.kept = handle.getValueState("counters", COUNTERS)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803
        sequence = sequence_of(self.clusters, tuple(key), engine_of(self.rules), self.explain)
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


def _decided(row: Row, sequence: PutSequence) -> Row:
    put = row[there("put", row.asDict())]
    decision = sequence.decision(put.asDict() if isinstance(put, Row) else put)
    own = {name: value for name, value in row.asDict().items() if is_own(name)}
    return Row(**own, decision=decision)


def _state(cluster: Cluster, kept: Any) -> SequenceState:
    last, counters = kept
    return SequenceState({(each[0], each[1]): Counter(each[2], each[3]) for each in counters}, last, cluster)


def _kept(state: SequenceState) -> tuple[int, list[tuple[str, str, float, int]]]:
    return state.last_number, [(*key, *counter) for key, counter in state.counters.items()]
