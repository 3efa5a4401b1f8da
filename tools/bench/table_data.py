"""Tables of puts for the benchmark of tables, by seed, and the queries that sum them whole.

They are written to Parquet in row groups, so memory stays bounded.

Most rows of a table have nothing special about one attribute and are mixed in another, so that every rule of the
algorithm has several destinations left to tell apart in some rows.
"""

# ruff: noqa: S608 - the queries are made of the names of columns

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from duckdb import DuckDBPyRelation

from mqclause import Channel, Cluster, Queue, QueueManager, RemoteQueueManager
from mqclause.model.facts.objects import BINDINGS, CHANNEL_STATES, PutBinding, UseQueueOfQueue
from mqclause.tables.schema import DECISION, DESTINATION, PUT, Column

SEED = 7
GROUP = 100_000
"""Rows made at once, and in a row group."""

PLACES = 6
"""Destinations of a row."""

QUEUES = [f"APP.ORDERS.{number:03}" for number in range(200)]
MANAGERS = [f"QM{number}" for number in range(9)]
"""The queue managers; the local one is QM0."""

ALIASES = [f"ANY.{manager}" for manager in MANAGERS]
CHANNELS = [f"TO.{manager}.{place}" for manager in MANAGERS for place in range(PLACES)]
BINDS: tuple[PutBinding, ...] = (*BINDINGS, "AS_Q_DEF")
CALLS, CALL_SHARES = ("MQPUT", "MQPUT1", "MQOPEN"), (0.6, 0.2, 0.2)
USES: tuple[UseQueueOfQueue, ...] = ("LOCAL", "ANY", "QMGR")
TYPES, TYPE_SHARES = ("QLOCAL", "QALIAS", "QREMOTE"), (0.9, 0.07, 0.03)

DIGITS = ("channel_rank", "channel_priority", "network_priority", "queue_rank", "queue_priority")

STATUS_SHARES = (0.6, 0.25, 0.09, 0.03, 0.03)
STATUS_LOW, STATUS_HIGH = np.array([0, 0, 2, 6, 7]), np.array([2, 10, 10, 10, 10])
"""Kinds of rows by which CHANNEL_STATES theirs have: good ones, any, none good, retrying or worse, worse."""

Numbers = Any
"""A NumPy array."""


def write_table(path: Path, rows: int, first: int = 0, optional: bool = True) -> None:
    """Write rows ``first`` and on with ``put`` and ``destinations``; ``optional``: with the optional columns."""
    _write(path, rows, first, lambda rng, count: _table(rng, count, optional))


def write_puts(path: Path, rows: int) -> None:
    """Write rows with a ``put`` of a queue alone; CLWLMRUC is left to the cluster."""

    def group(rng: np.random.Generator, count: int) -> dict[str, pa.Array]:
        columns = _put(rng, rng.integers(0, len(QUEUES), count), np.ones(count, bool), np.zeros(count, int), 1)
        columns["clwlmruc"] = pa.nulls(count, pa.int32())
        return {"put": _struct(columns, PUT, optional=False)}

    _write(path, rows, 0, group)


def first_rows(source: Path, path: Path, rows: int, groups: int) -> int:
    """Copy the first rows of a Parquet file, in so many row groups that cores share them; return how many."""
    batches, left = [], rows
    for batch in pq.ParquetFile(source).iter_batches(batch_size=min(rows, GROUP)):
        batches.append(batch.slice(0, left))
        left -= len(batches[-1])
        if not left:
            break
    table = pa.Table.from_batches(batches)
    pq.write_table(table, path, row_group_size=-(-len(table) // groups))
    return len(table)


def cluster() -> Cluster:
    """Build the queues on six hosts each; the local queue manager is one of the hosts of each twentieth queue."""
    rng = Random(SEED)
    hosts = MANAGERS[1 : PLACES + 1]
    queues = [
        Queue(
            name, "QM0" if number % 20 == 0 and host == hosts[-1] else host, clusters=("SALES",),
            put="DISABLED" if rng.random() < 0.1 else "ENABLED", clwlrank=rng.choice((0, 0, 0, 1)),
            clwlprty=rng.choice((0, 0, 1)), defbind=rng.choice(BINDINGS), clwluseq=rng.choice(USES),
        )
        for number, name in enumerate(QUEUES)
        for host in hosts
    ]  # fmt: skip
    channels = [
        Channel(
            f"TO.{host}", host, "SALES", rng.choice(("CLUSSDRA", "CLUSSDRB")), rng.choice(CHANNEL_STATES[:4]),
            0, 0, rng.randint(1, 99), rng.randint(0, 1), rng.randint(0, 99), round(rng.random() * 1000, 2),
        )
        for host in hosts
    ]  # fmt: skip
    others = [RemoteQueueManager(each, ("SALES",), ("SALES",) if each == hosts[0] else ()) for each in MANAGERS[1:]]
    return Cluster(QueueManager("QM0", ("SALES",), clwlmruc=5), others, queues, (), channels)


def scan_sql(dialect: str, put: Sequence[str], listed: Sequence[str], flat: bool) -> str:
    """Return a query of the table ``puts`` that sums every field of ``put`` and of ``destinations``.

    It sums the lists within the rows; with ``flat``, all the destinations as a table of their own.
    """
    spark = dialect == "spark"
    size = "size" if spark else "len"
    puts = ", ".join(f"sum({_summed(PUT[name], f'put.{name}', size)})" for name in put)
    each = [_summed(DESTINATION[name], f"d.{name}", size) for name in listed]
    if not each:
        return f"SELECT {puts} FROM puts"
    if flat:
        unnested = "inline(destinations)" if spark else "unnest(destinations) AS d"
        sums = ", ".join(f"sum({one.replace('d.', '') if spark else one})" for one in each)
        return f"SELECT * FROM (SELECT {sums} FROM (SELECT {unnested} FROM puts)) CROSS JOIN (SELECT {puts} FROM puts)"
    if spark:
        within = "sum(aggregate(destinations, 0D, (a, d) -> a + coalesce({}, 0)))"
    else:
        within = "sum(list_sum(list_transform(destinations, lambda d: {})))"
    return f"SELECT {', '.join(map(within.format, each))}, {puts} FROM puts"


def fields_of(path: Path) -> tuple[list[str], list[str]]:
    """Return the fields of ``put`` and of ``destinations`` in a file."""
    schema = pq.read_schema(path)
    put = [field.name for field in schema.field("put").type]
    if "destinations" not in schema.names:
        return put, []
    return put, [field.name for field in schema.field("destinations").type.value_type]


def queried(relation: DuckDBPyRelation, name: str, query: str) -> DuckDBPyRelation:
    """Return what a SELECT from a relation gives, in which the relation has this name."""
    found = relation.query(name, query)
    assert found is not None  # noqa: S101 - a SELECT gives a relation
    return found


def whole_sum() -> str:
    """Return sums of every field of a decision, in DuckDB."""
    forms = {"text": "sum(length(decision.{}))", "integer": "sum(decision.{})", "texts": "sum(len(decision.{}))"}
    return ", ".join(forms[kind].format(name) for name, kind in DECISION.items())


def _write(path: Path, rows: int, first: int, group: Callable[[np.random.Generator, int], dict[str, pa.Array]]) -> None:
    writer = None
    for start in range(first, first + rows, GROUP):
        count = min(GROUP, first + rows - start)
        columns = group(np.random.default_rng((SEED, start)), count)
        table = pa.table({"id": pa.array(np.arange(start, start + count)), **columns})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    if writer:
        writer.close()


def _table(rng: np.random.Generator, count: int, optional: bool) -> dict[str, pa.Array]:
    """One row in twenty names a queue manager, half of them by an alias of several."""
    queue = rng.integers(0, len(QUEUES), count)
    named = rng.random(count) < 0.95
    asked = rng.integers(1, len(MANAGERS), count)
    aliased = ~named & (rng.random(count) < 0.5)
    put = _put(rng, queue, named, np.where(aliased, asked + len(MANAGERS), asked), 2)
    uses = 3 if optional else 2
    host = np.where(np.repeat(named | aliased, PLACES), rng.integers(1, 9, count * PLACES), np.repeat(asked, PLACES))
    listed = _destinations(
        rng, np.repeat(queue, PLACES), np.repeat(named, PLACES), np.repeat(aliased, PLACES), host, uses
    )
    offsets = pa.array(np.arange(0, count * PLACES + 1, PLACES, dtype="int32"))
    destinations = pa.ListArray.from_arrays(offsets, _struct(listed, DESTINATION, optional))
    return {"put": _struct(put, PUT, optional), "destinations": destinations}


def _put(
    rng: np.random.Generator, queue: Numbers, named: Numbers, manager: Numbers, most_sent: int
) -> dict[str, pa.Array]:
    """``manager`` counts through MANAGERS and on through ALIASES; PCF messages have gone to up to ``most_sent``."""
    count = len(queue)
    pcf = rng.random(count) < 0.15
    sent = np.where(pcf, rng.integers(0, most_sent + 1, count), 0)
    offsets = pa.array(np.concatenate([[0], np.cumsum(sent)]).astype("int32"))
    sent_to = _words(MANAGERS, rng.integers(1, len(MANAGERS), int(sent.sum())))
    return {
        "queue": _words(QUEUES, queue, ~named),
        "queue_manager": _words([*MANAGERS, *ALIASES], manager, named),
        "bind": _words(BINDS, rng.integers(0, len(BINDS), count)),
        "call": _words(CALLS, rng.choice(len(CALLS), count, p=CALL_SHARES)),
        "from_cluster_channel": pa.array(rng.random(count) < 0.05),
        "cluster_pcf": pa.array(pcf),
        "already_sent_to": pa.ListArray.from_arrays(offsets, sent_to),
        "clwlmruc": _whole(rng.integers(2, 7, count)),
        "qmgr_clwluseq": _words(USES, rng.integers(0, 2, count)),
    }


def _destinations(
    rng: np.random.Generator, queue: Numbers, named: Numbers, aliased: Numbers, host: Numbers, uses: int
) -> dict[str, pa.Array]:
    """All arguments are by destination. Every fifth row that names a queue has a local instance."""
    count, rows = len(queue), len(queue) // PLACES
    place = np.tile(np.arange(PLACES), rows)

    def in_rows(share: float) -> Numbers:
        return np.repeat(rng.random(rows) < share, PLACES)

    def some(rows_share: float, share: float) -> Numbers:
        return in_rows(rows_share) & (rng.random(count) < share)

    def digits(share: float) -> pa.Array:
        return _whole(np.where(in_rows(share), rng.integers(0, 3, count), 0))

    local = named & in_rows(0.2) & (place == np.repeat(rng.integers(0, PLACES, rows), PLACES))
    host = np.where(local, 0, host)
    kind = np.repeat(rng.choice(len(STATUS_SHARES), rows, p=STATUS_SHARES), PLACES)
    low, high = STATUS_LOW[kind], STATUS_HIGH[kind]
    return {
        "queue": _words(QUEUES, queue, ~named),
        "queue_manager": _words(MANAGERS, host),
        "channel": _words(CHANNELS, host * PLACES + place, local),
        "cluster": _words(["SALES"], np.zeros(count), local),
        "is_local": pa.array(local),
        "is_alias": pa.array(aliased),
        "put_enabled": pa.array(~in_rows(0.03) & ~some(0.25, 0.2)),
        "suspended": pa.array(some(0.25, 0.4)),
        "shares_cluster": pa.array(local | ~in_rows(0.02) & ~some(0.1, 0.3)),
        "channel_in_queue_cluster": pa.array(local | ~some(0.1, 0.3)),
        "channel_manual": pa.array(rng.random(count) < 0.2),
        "clwluseq": _words(USES, rng.integers(0, uses, count)),
        "channel_status": _words(CHANNEL_STATES, low + rng.random(count) * (high - low), local),
        "channel_weight": _whole(rng.integers(1, 100, count)),
        **{name: digits(0.25) for name in DIGITS},
        "dest_seq_number": pa.array(rng.integers(0, 1 << 40, count)),
        "dest_seq_factor": pa.array(np.where(in_rows(0.1), 0.0, np.round(rng.random(count) * 1e5, 2))),
        "queue_type": _words(TYPES, rng.choice(len(TYPES), count, p=TYPE_SHARES), ~named),
    }


def _struct(columns: Mapping[str, pa.Array], contract: Mapping[str, Column], optional: bool) -> pa.StructArray:
    names = [name for name, column in contract.items() if optional or not column.optional]
    return pa.StructArray.from_arrays([columns[name] for name in names], names=names)


def _words(words: Sequence[str], which: Numbers, null: Numbers | None = None) -> pa.Array:
    places = pa.array(which.astype("int32"), mask=null)
    return pa.DictionaryArray.from_arrays(places, pa.array(words)).cast(pa.string())


def _whole(values: Numbers) -> pa.Array:
    return pa.array(values.astype("int32"))


def _summed(column: Column, value: str, size: str) -> str:
    """SQL for a number made of a column's value; ``size`` is the dialect's function for the length of a list."""
    forms = {"boolean": "CAST({} AS INT)", "text": "length({})", "texts": f"{size}({{}})"}
    return forms.get(column.kind, "{}").format(value)
