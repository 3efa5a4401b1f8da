"""The states that START and STOP CHANNEL leave the routes of a queue manager in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attrs import define, field, fields

from mqclause.model.assembly.objects import CLUSTER_CHANNELS, Objects
from mqclause.model.assembly.operations import told
from mqclause.model.assembly.provenance import Origin
from mqclause.model.diagnostic import Diagnostic, name_suggestion
from mqclause.model.facts.objects import Channel
from mqclause.model.readers.record import Record

STARTED = str(fields(Channel).status.default)
"""What a channel is taken as after START: it may run, wait or retry; as one whose state no source tells."""


@define
class ChannelStates:
    """What the queue manager that gave the commands ``operated``, in order, says of its routes.

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
        for record in reversed(self.operated):
            if record.name == channel and record.listed("QMNAME") in ((), (queue_manager,)):
                stated = Origin("stated", record.source, *record.place_of("STATUS"))
                return state_after(record), stated if record.action == "stop" else None
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
