"""The columns of a table of puts: what ``put`` and ``destinations`` hold, and what ``decision`` answers.

Every back end checks and reads tables by these. A value that is null has the column's default; one outside its
domain makes the row invalid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from mqclause.model.facts.destination import DEFAULT_WEIGHT
from mqclause.model.facts.domains import DIGIT, LARGEST, Finite, Flag, Names, Text, Whole, Words
from mqclause.model.facts.objects import BINDINGS, CHANNEL_STATES


class TableError(ValueError):
    """A table that cannot be decided: a column is missing or of a wrong type. One line that names it."""


Domain = Words | Whole | Finite | Flag | Text | Names
NAME = Text(48)
CHANNEL_NAME = Text(20)
LARGEST_NUMBER = 2**63 - 1


@frozen
class Column:
    """A field of ``put`` or of ``destinations``: its domain, and its value where a row holds null."""

    name: str
    domain: Domain
    default: Any
    optional: bool = False

    @property
    def allowed(self) -> str:
        """The values that a row may hold, for a person."""
        match self.domain:
            case Words(words):
                return ", ".join(word for word in words if word)
            case Whole(low, high):
                return f"a whole number from {low} to {high}"
            case Finite(low):
                return f"a finite number from {low:g}"
            case Flag():
                return "true, false"
            case Names():
                return "a list of names"
        return "text"


def _columns(*columns: Column) -> Mapping[str, Column]:
    return {column.name: column for column in columns}


PUT = _columns(
    Column("queue", NAME, ""),
    Column("queue_manager", NAME, ""),
    Column("bind", Words((*BINDINGS, "AS_Q_DEF")), "AS_Q_DEF"),
    Column("call", Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT"),
    Column("from_cluster_channel", Flag(), False),
    Column("cluster_pcf", Flag(), False),
    Column("already_sent_to", Names(NAME), ()),
    Column("clwlmruc", Whole(1, LARGEST), LARGEST),
    Column("qmgr_clwluseq", Words(("LOCAL", "ANY")), "LOCAL", optional=True),
)
"""The fields of ``put``. With AS_Q_DEF a row says nothing of DEFBIND, so MQ's default OPEN is in effect."""

DESTINATION = _columns(
    Column("queue", NAME, ""),
    Column("queue_manager", NAME, ""),
    Column("channel", CHANNEL_NAME, ""),
    Column("cluster", NAME, ""),
    Column("is_local", Flag(), False),
    Column("is_alias", Flag(), False),
    Column("put_enabled", Flag(), True),
    Column("suspended", Flag(), False),
    Column("shares_cluster", Flag(), True),
    Column("channel_in_queue_cluster", Flag(), True),
    Column("channel_manual", Flag(), False),
    Column("clwluseq", Words(("LOCAL", "ANY")), "LOCAL"),
    Column("channel_status", Words(CHANNEL_STATES), "INACTIVE"),
    Column("channel_rank", DIGIT, 0),
    Column("channel_priority", DIGIT, 0),
    Column("channel_weight", Whole(1, 99), DEFAULT_WEIGHT),
    Column("network_priority", DIGIT, 0),
    Column("queue_rank", DIGIT, 0),
    Column("queue_priority", DIGIT, 0),
    Column("dest_seq_number", Whole(0, LARGEST_NUMBER), 0),
    Column("dest_seq_factor", Finite(0), 0.0),
    Column("queue_type", Words(("QLOCAL", "QALIAS", "QREMOTE")), "QLOCAL", optional=True),
)
"""The fields of each of ``destinations``, in the order of Destination's attributes where they are the same."""

DESTINATION_OR_QMGR = {
    **DESTINATION,
    "clwluseq": evolve(DESTINATION["clwluseq"], domain=Words(("LOCAL", "ANY", "QMGR"))),
}
"""The same where ``put`` has the field qmgr_clwluseq: a queue may then leave CLWLUSEQ to its queue manager."""

SITUATION = {"queue": "put_queue", "queue_manager": "put_queue_manager", "call": "mqi_call"}
"""The fields of ``put`` that the rules know by another name."""

DECISION = {
    "outcome": "text",
    "queue": "text",
    "queue_manager": "text",
    "channel": "text",
    "reason": "integer",
    "permitted": "integer",
    "eliminated_by": "texts",
    "message": "text",
}
"""The fields of ``decision`` and their types."""

NO_PUT = "put is null; a row needs the put that it asks about"
NAMES_NOTHING = "put.queue and put.queue_manager are both blank; a put names one of them"
NAMES_BOTH = "put.queue and put.queue_manager are both given; a put names one of them"
NO_DESTINATIONS = "destinations is null or empty; a row needs at least one destination"
NULL_DESTINATION = "destinations[{place}] is null"
NOT_ALLOWED = "{column} = {value}; allowed: {allowed}"
"""What is wrong with an invalid row; places count from 0."""
