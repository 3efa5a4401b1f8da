"""Puts joined with a cluster: what they can ask is known before they are read, so each situation is decided once.

To each name in the cluster that is everything that a put can say besides: every word and flag, the queue manager's
CLWLMRUC, and no queue manager or one of the cluster that the message went to. Each of these has a number. A put that
says anything else is odd: another CLWLMRUC, several queue managers, a word or a name that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from attrs import evolve, frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import Flag, Names, Text, Words
from mqclause.tables.binding import Bindings
from mqclause.tables.cluster_rows import named_puts, queue_managers
from mqclause.tables.columns import DESTINATION, PUT, Column
from mqclause.tables.condition import sql_literal
from mqclause.tables.packing import word_place
from mqclause.tables.row_words import RowWords, in_case, names_literal
from mqclause.tables.shape import Kind, Shape, beside_put, put_fields

NUMBER = "mq_number"
NAMES = tuple(name for name, column in PUT.items() if isinstance(column.domain, Text))
"""The fields by which a put finds its row of the snapshot."""

SAID = tuple(name for name, column in PUT.items() if name not in NAMES and not column.optional)
"""What else a put says."""

MOST = 150_000
"""Situations; in a cluster with more of them every put of a message that went somewhere is odd."""


@frozen
class JoinedPuts:
    """SQL for both dialects, about a table of puts, the snapshot ``mq_named`` and the table ``mq_said``.

    ``put`` is what a put says, field by field, never null. ``said`` has a row for everything that one can say besides
    a name; ``number`` is which of them a put says, from 0, or null if it is odd. ``shape`` is that of what is asked.
    """

    put: Mapping[str, str]
    number: str
    said: Sequence[Mapping[str, Any]]
    shape: Shape
    qmgr_clwluseq: str

    def found(self, put: Mapping[str, str]) -> str:
        """SQL: whether a row of ``mq_named`` is what a put names."""
        return " AND ".join(f"{put[name]} = mq_named.{name}" for name in NAMES)

    def asked(self, put: Mapping[str, str]) -> dict[str, str]:
        """What the rules see of a put with its row of ``mq_named``: a binding that it leaves open is the queue's."""
        bind = in_case(PUT["bind"], put["bind"])
        in_effect = f"CASE WHEN {bind} = 'AS_Q_DEF' THEN COALESCE(mq_named.defbind, 'OPEN') ELSE {put['bind']} END"
        return {**put, "bind": in_effect, "qmgr_clwluseq": sql_literal(self.qmgr_clwluseq)}


SITUATION = {name: f"mq_named.{name}" for name in NAMES} | {name: f"mq_said.{name}" for name in SAID}
"""A row of ``mq_named`` with one of ``mq_said`` as a put, field by field."""


def joined_puts(columns: Mapping[str, Kind], cluster: Cluster) -> JoinedPuts:
    """How the puts of a table with these columns are joined. Raises TableError."""
    values = dict(_values(columns, cluster))
    can_say = _can_say(cluster)
    number = "0"
    for name, each in can_say.items():
        number = f"({number} * {len(each)} + {_place(PUT[name], values[name], each)})"
    return JoinedPuts(
        values,
        f"CAST({number} AS INT)",
        [dict(zip(SAID, each, strict=True)) for each in product(*can_say.values())],
        Shape(tuple(PUT), tuple(DESTINATION), may_be_empty=True),
        cluster.queue_manager.clwluseq,
    )


def _values(columns: Mapping[str, Kind], cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Each field of a put as SQL that is never null."""
    own = evolve(PUT["clwlmruc"], default=cluster.queue_manager.clwlmruc)
    words = RowWords("put", PUT, put_fields(columns), {}, {}, Bindings(), {}, beside_put(columns))
    for name in (*NAMES, *SAID):
        yield name, words.value(own if name == own.name else PUT[name], upper=False)


def _can_say(cluster: Cluster) -> dict[str, Sequence[Any]]:
    """What a put can say in each field."""
    found: dict[str, Sequence[Any]] = {}
    for name in SAID:
        match PUT[name].domain:
            case Flag():
                found[name] = (False, True)
            case Words(words):
                found[name] = words
            case Names():
                found[name] = ([],)
            case _:
                found[name] = (cluster.queue_manager.clwlmruc,)
    went_to = [[], *([name] for name in queue_managers(cluster))]
    situations = len(named_puts(cluster)) * prod(map(len, found.values())) * len(went_to)
    return found | {"already_sent_to": went_to} if situations <= MOST else found


def _place(column: Column, value: str, can_say: Sequence[Any]) -> str:
    """SQL: the place of a value among those that a put can say, from 0; null if it is none of them."""
    match column.domain:
        case Flag():
            return f"CASE WHEN {value} THEN 1 ELSE 0 END"
        case Words():
            return f"({word_place(column, value)} - 1)"
        case Names():
            names = names_literal([name for [name] in can_say[1:]])
            one = f"WHEN length_of({value}) = 1 THEN place_of({names}, item({value}, 0))" if len(can_say) > 1 else ""
            return f"CASE WHEN length_of({value}) = 0 THEN 0 {one} END"
    return f"CASE WHEN {value} = {sql_literal(can_say[0])} THEN 0 END"
