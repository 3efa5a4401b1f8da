"""Configured senders: the channels of a queue manager outside clusters, as checks look at its transmission queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from attrs import frozen

from mqclause.model.assembly.channel_states import ChannelStates, message_channels
from mqclause.model.assembly.depths import shown_of_queues
from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import Objects
from mqclause.model.assembly.outdated import still_shown
from mqclause.model.assembly.provenance import Placed
from mqclause.model.diagnostic import closest
from mqclause.model.facts.delivery import Takers
from mqclause.model.facts.objects import ChannelStatus


@frozen(slots=False)
class ConfiguredSenders:
    """The channels of a queue manager, by its ``objects`` and what logs were ``asked``.

    ``tells``: whether its files would tell an object of a kind and a name, if there is one.
    """

    objects: Objects
    asked: Inquired
    tells: Callable[[str, str], bool]

    def of_queue(self, found: MqObject) -> dict[str, Any]:
        """What a check sees of the transmission queue, besides what its definition says."""
        meant = [each.fact for each in self._channels if each.fact.xmitq == found.name]
        unknown = {each.fact.name for each in self._channels if each.origin("status").how == "defaulted"}
        named = found.text("TRIGDATA")
        lacks = bool(named) and named not in self._names and self.tells("CHANNEL", named)
        return {
            "curdepth": found.text("CURDEPTH") or self._depths.get(found.name, ""),
            "trigdata_is_channel": not lacks,
            "like_trigdata": closest(named, self._names) if lacks else "",
            **Takers.of(meant, unknown).seen(),
        }

    def lacks(self, transmission_queue: str) -> bool:
        """Whether the files tell that there is no such queue."""
        there = any(each.name == transmission_queue for each in self.objects.of("QLOCAL"))
        return bool(transmission_queue) and not there and self.tells("QLOCAL", transmission_queue)

    @cached_property
    def _channels(self) -> list[Placed[ChannelStatus]]:
        rows = still_shown(self.objects.rows, {self.objects.name: self.objects}, self.objects.name)
        shown = (row for row in rows if row.kind == "CHSTATUS")
        return [*message_channels(self.objects, shown, ChannelStates.of_queue_manager(self.objects), self.asked)]

    @cached_property
    def _names(self) -> frozenset[str]:
        shown = (row.name if row.kind == "CHSTATUS" else row.text("CHANNEL") for row in self.objects.rows)
        return frozenset((*(each.name for each in self.objects.of("CHANNEL")), *shown)) - {""}

    @cached_property
    def _depths(self) -> Mapping[str, str]:
        shown = shown_of_queues(self.objects.scripts, self.objects.name)
        return {queue: of["CURDEPTH"] for (queue, _), of in shown.items() if "CURDEPTH" in of}
