"""Puts in a cluster: what a row of a table of puts asks, and the destinations that it then has.

A row of the snapshot is a name that a put can give, with its destinations and its default binding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import asdict, evolve
from sqlglot import exp

from mqclause.answers.engine import Engine, every_local_channel
from mqclause.documents.workload import OUTCOME
from mqclause.language.sql import Node, both, case, literal
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import destinations
from mqclause.model.facts.objects import Put
from mqclause.rulebook.rules import Rules
from mqclause.tables.bindings import Bindings
from mqclause.tables.columns import DESTINATION, PUT, Column
from mqclause.tables.demands import OF_PUTS
from mqclause.tables.functions import coalesced, column
from mqclause.tables.shape import FieldType, Shape, beside_fields, situation_fields
from mqclause.tables.words import RowWords, cased

NAMED_PUTS = "mq_named"
"""The snapshot, or a row of it."""

PUT_NAMES = OF_PUTS.one_of
"""The fields by which a put finds its row of the snapshot."""

PUT_SAYS = tuple(name for name, each in PUT.items() if name not in PUT_NAMES and not each.optional)
"""What else a put says."""

ASKED = Shape(OUTCOME, tuple(PUT), tuple(DESTINATION), may_be_empty=True)
"""The shape of a table of what puts ask, with their destinations."""

PutFields = Mapping[str, Node]


def put_values(columns: Mapping[str, FieldType], cluster: Cluster) -> PutFields:
    """What the puts of a table with these columns say, field by field, never null. Raises TableError."""
    present, beside = situation_fields(columns, OUTCOME), beside_fields(columns, OUTCOME)
    words = RowWords("put", PUT, present, beside, {}, Bindings())
    own = {**PUT, "clwlmruc": evolve(PUT["clwlmruc"], default=cluster.queue_manager.clwlmruc)}
    return {name: words.value(own[name], in_case=False) for name in (*PUT_NAMES, *PUT_SAYS)}


def is_named(put: PutFields) -> Node:
    """Whether a row of the snapshot is what a put names."""
    return both(*(exp.EQ(this=put[name], expression=column(name, NAMED_PUTS)) for name in PUT_NAMES))


def asked(put: PutFields, cluster: Cluster) -> dict[str, Node]:
    """What the rules see of a put with its row of the snapshot: a binding that it leaves open is the queue's."""
    left_open = exp.EQ(this=cased(PUT["bind"], put["bind"]), expression=literal("AS_Q_DEF"))
    bind = case([(left_open, coalesced(column("defbind", NAMED_PUTS), literal("OPEN")))], put["bind"])
    return {**put, "bind": bind, "qmgr_clwluseq": literal(cluster.queue_manager.clwluseq)}


def snapshot_rows(cluster: Cluster, rules: Rules) -> Iterator[dict[str, Any]]:
    """A row for each queue, queue manager and alias: ``queue``, ``queue_manager``, ``defbind``, ``destinations``.

    A destination has the columns of columns.DESTINATION, null where a row of a table has null.
    """
    every_channel, names = every_local_channel(rules), Engine(rules)
    for put in named_puts(cluster):
        found = [asdict(each) for each in destinations(cluster, put, every_channel)]
        yield {
            "queue": put.queue,
            "queue_manager": put.queue_manager,
            "defbind": names.resolve(cluster, put.queue, put.queue_manager).default_binding,
            "destinations": [{name: _value(each[of.word], of) for name, of in DESTINATION.items()} for each in found],
        }


def named_puts(cluster: Cluster) -> list[Put]:
    """A put to each name in the cluster."""
    named = dict.fromkeys([*queue_managers(cluster), *cluster.aliases_by_name])
    return [Put(queue=name) for name in cluster.queues_by_name] + [Put(queue_manager=name) for name in named]


def queue_managers(cluster: Cluster) -> list[str]:
    """The local queue manager and the others."""
    return [cluster.queue_manager.name, *cluster.remote]


def _value(value: object, of: Column) -> object:
    """A blank word is null in a table."""
    return None if value == "" and of.default != "" else value
