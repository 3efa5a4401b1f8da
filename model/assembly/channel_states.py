"""The states of channels: what START and STOP CHANNEL leave them in, and what is displayed of those in no cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import define, field, fields

from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.mq_object import MqObject, placed_fact
from mqclause.model.assembly.objects import CLUSTER_CHANNELS, Objects
from mqclause.model.assembly.operations import told
from mqclause.model.assembly.provenance import Origin, Placed
from mqclause.model.assembly.shipped import SHIPPED
from mqclause.model.diagnostic import Diagnostic, DomainError, name_suggestion
from mqclause.model.facts.objects import MESSAGE_CHANNELS, Channel, ChannelStatus
from mqclause.model.readers.record import Record

STARTED = str(fields(Channel).status.default)
"""What a channel is taken as after START: it may run, wait or retry; as one whose state no source tells."""


@define
class ChannelStates:
    """What the queue manager that gave the commands ``operated``, in order, says of its channels.

    A route is known by its channel's name and the queue manager that it leads to. ``others`` are its channels that
    belong to no cluster: whatever is done to those changes no route.
    """

    operated: Sequence[Record]
    others: Collection[str] = ()
    _met: set[str] = field(factory=set)

    @classmethod
    def of_queue_manager(cls, objects: Objects) -> ChannelStates:
        """What the commands among a queue manager's ``objects`` say."""
        others = (each.name for each in objects.of("CHANNEL") if each.type not in CLUSTER_CHANNELS)
        return cls(objects.operations.channels, frozenset(others))

    def of(self, channel: str, queue_manager: str) -> tuple[str, Origin | None] | None:
        """The state after the latest command about a route, and where it is stated; None if there is no command.

        START states none: the one that is taken is an assumption.
        """
        self._met.add(channel)
        return self.left(channel, queue_manager)

    def left(self, channel: str, queue_manager: str = "") -> tuple[str, Origin | None] | None:
        """The same of a channel that is no route of a cluster."""
        for record in reversed(self.operated):
            if record.name == channel and record.listed("QMNAME") in ((), (queue_manager,)):
                stated = Origin("stated", record.source, *record.place_of("STATUS"))
                return state_after(record), None if record.action == "start" else stated
        return None

    def warnings(self) -> Iterator[Diagnostic]:
        """What the commands leave open; to be asked when every route has been."""
        for record in self.operated:
            verb = record.action.upper()
            if record.name in self.others and record.name not in self._met:
                continue
            if record.name not in self._met:
                near = name_suggestion(record.name, self._met)
                yield told(record, f"{verb}: no route of a cluster has this channel: left out{near}")
            elif record.action == "start":
                yield told(record, f"{verb}: taken as {STARTED}; whether it runs is not known")


def state_after(record: Record) -> str:
    """MQ's own defaults: STOPPED, or INACTIVE where one partner's instances are stopped."""
    if record.action == "start":
        return STARTED
    of_one_partner = record.listed("QMNAME") or record.listed("CONNAME")
    return " ".join(record.listed("STATUS")) or ("INACTIVE" if of_one_partner else "STOPPED")


def message_channels(
    member: Objects, rows: Iterable[MqObject], states: ChannelStates, asked: Inquired
) -> Iterator[Placed[ChannelStatus]]:
    """The channels of the queue manager that belong to no cluster, as ``rows`` of DISPLAY CHSTATUS show them.

    One that is defined and not shown is as the commands leave it, or INACTIVE where somebody ``asked``.
    """
    own = (each for each in member.of("CHANNEL") if each.type in MESSAGE_CHANNELS)
    defined = {each.name: each for each in own if not each.name.startswith(SHIPPED)}
    shown = _last_shown(rows, defined)
    for name in dict.fromkeys((*defined, *shown)):
        made = defined.get(name)
        with suppress(DomainError):  # MQ refuses the definition, and no rule has a use for such a name
            if name in shown:
                yield from (_displayed(row, made) for row in shown[name])
            elif made is not None:
                yield _not_shown(made, states, asked)


def is_of_a_cluster(row: MqObject, defined: Collection[str] = ()) -> bool:
    """Whether a row of DISPLAY CHSTATUS is about a channel of a cluster, or may be."""
    return row.text("CHLTYPE") not in MESSAGE_CHANNELS and row.name not in defined


def _last_shown(rows: Iterable[MqObject], defined: Collection[str]) -> Mapping[str, Sequence[MqObject]]:
    """The rows by channel. A channel that sends is one connection, of which the last row counts."""
    found: dict[str, list[MqObject]] = {}
    for row in rows:
        if "status" in row.fields and not is_of_a_cluster(row, defined):
            kept = [] if row.text("CHLTYPE") in ("SDR", "SVR") else found.get(row.name, [])
            found[row.name] = [*kept, row]
    return found


def _displayed(row: MqObject, made: MqObject | None) -> Placed[ChannelStatus]:
    of = {"type": ("CHLTYPE",), "xmitq": ("XMITQ",), "conname": ("CONNAME",), "queue_manager": ("RQMNAME",)}
    by = {name: row if row.text(*words) or made is None else made for name, words in of.items()}
    values: dict[str, Any] = {name: by[name].text(*words) for name, words in of.items()}
    fact = ChannelStatus(row.name, status=row.fields["status"], **values)
    return placed_fact(fact, row, {name: by[name].origin_of(*words) for name, words in of.items()})


def _not_shown(made: MqObject, states: ChannelStates, asked: Inquired) -> Placed[ChannelStatus]:
    known = states.left(made.name)
    state, stated = known or (STARTED, None)
    if known is None and asked.tells("CHSTATUS", made.name):
        stated = Origin("observed", made.record.source)
    fact = ChannelStatus(made.name, made.type, state, made.text("XMITQ"), made.text("CONNAME"))
    places = {"type": "CHLTYPE", "xmitq": "XMITQ", "conname": "CONNAME"}
    return placed_fact(fact, made, {"status": stated, **{name: made.origin_of(word) for name, word in places.items()}})
