"""Configured routes: what a queue manager has of its clusters, as checks look at it: routes, hosts, its membership."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from mqclause.model.assembly.channel_states import ChannelStates, state_after
from mqclause.model.assembly.configured import ConfiguredObject, FileLine
from mqclause.model.assembly.depths import QueueKey, shown_of_queues
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import CLUSTER_CHANNELS, Objects
from mqclause.model.readers.record import Record

TEMPORARY = "SYSTEM.TEMPQMGR."
"""How a queue manager is named behind a CLUSSDR that has not reached it yet."""

SHARED_BY_ALL = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
OF_ITS_OWN = "SYSTEM.CLUSTER.TRANSMIT."
"""The transmission queue of all cluster channels, and how the one that a channel has of its own begins."""


class ConfiguredRoutes:
    """The routes of the queue manager ``owner``, by all that its files show and what its commands did to them.

    ``lacks`` tells of a transmission queue whether it is not there, by the files.
    """

    def __init__(
        self, objects: Objects, owner: str, platform: str, overlays: Iterable[str], lacks: Callable[[str], bool]
    ) -> None:
        self.objects, self.owner, self.platform = objects, owner, platform
        self._overlays, self._lacks = frozenset(overlays), lacks
        self._states = ChannelStates.of_queue_manager(objects)

    def rows(self, kind: str) -> list[MqObject]:
        """What is displayed, of one kind."""
        return [row for row in self.objects.rows if row.kind == kind]

    def routes(self) -> Iterator[ConfiguredObject]:
        """The channels of its clusters whose state, or whose partner, its files show, once for each cluster."""
        displayed = set[str]()
        for row in self.rows("CLUSQMGR"):
            if channel := row.text("CHANNEL"):
                displayed.add(channel)
                yield self._shown(row, channel)
        states = [row for row in self.rows("CHSTATUS") if self._is_of_a_cluster(row)]
        operated = [record for record in self.objects.operations.channels if record.name not in self._states.others]
        for name in dict.fromkeys((*(row.name for row in states), *(record.name for record in operated))):
            if name not in displayed:
                yield from self._only_in_a_state(name, [row for row in states if row.name == name])

    def _shown(self, row: MqObject, channel: str) -> ConfiguredObject:
        is_own = row.name == self.objects.name
        by, status = self._state_of(row, channel)
        shown = {"STATUS": by} if by else {}
        return self._route(
            channel,
            "CLUSRCVR" if is_own else "CLUSSDR",
            {**_places(row), **shown},
            deftype=row.text("DEFTYPE"),
            leads_to="" if is_own else row.name,
            never_reached=row.name.startswith(TEMPORARY),
            clusters=tuple(filter(None, [row.text("CLUSTER")])),
            channel_status=status,
            **self._waiting(channel, row.text("XMITQ")),
        )

    def _only_in_a_state(self, name: str, rows: list[MqObject]) -> Iterator[ConfiguredObject]:
        """A channel of which only the state is told: to whom it leads, others may tell."""
        made = self._made.get(name)
        chltype = made.type if made else next(filter(None, (row.text("CHLTYPE") for row in rows)), "CLUSSDR")
        shown: list[MqObject | None] = [*rows]
        for row in shown or [None]:
            by, status = self._state_of(row, name)
            if status:
                yield self._route(
                    name,
                    chltype,
                    {"": by, "STATUS": by},
                    deftype=chltype,
                    leads_to="" if row is None or chltype == "CLUSRCVR" else row.text("RQMNAME"),
                    clusters=made.clusters if made else (),
                    channel_status=status,
                    is_shown=row is not None,
                    **self._waiting(name, row.text("XMITQ") if row else ""),
                )

    def _state_of(self, row: MqObject | None, channel: str) -> tuple[FileLine, str]:
        """Where the state of a route stands, and what it is: as a change says, as is displayed, as commands left it."""
        last = self._last_operation(channel, row.name if row and row.kind == "CLUSQMGR" else "")
        if last is not None and last.source in self._overlays:
            return (last.source, last.line), state_after(last)
        for each in self._displaying(row, channel):
            if "status" in each.fields:
                by = each.stating("STATUS") or each.record
                return (by.source, by.line_of("STATUS")), each.fields["status"]
        if last is not None and last.action == "stop":
            return (last.source, last.line), state_after(last)
        return ("", None), ""

    def _displaying(self, row: MqObject | None, channel: str) -> Iterator[MqObject]:
        if row is not None:
            yield row
            if row.kind == "CLUSQMGR":
                for each in reversed(self.rows("CHSTATUS")):
                    if each.name == channel and each.text("RQMNAME") in ("", row.name):
                        yield each

    def _last_operation(self, channel: str, queue_manager: str) -> Record | None:
        for record in reversed(self.objects.operations.channels):
            if record.name == channel and (not queue_manager or record.listed("QMNAME") in ((), (queue_manager,))):
                return record
        return None

    @cached_property
    def _made(self) -> Mapping[str, MqObject]:
        return {each.name: each for kind in CLUSTER_CHANNELS for each in self.objects.channels(kind)}

    def _is_of_a_cluster(self, row: MqObject) -> bool:
        kind = row.text("CHLTYPE")
        return kind in CLUSTER_CHANNELS or (not kind and row.name in self._made)

    def _waiting(self, channel: str, shown: str) -> dict[str, Any]:
        """The transmission queue that a channel takes messages from, and its depth as far as that is told."""
        named = shown or self._serving(channel)
        displayed = self._depths.get((named, self.objects.name), {}).get("CURDEPTH", "")
        depth = displayed or self._stated_depths.get(named, "")
        lacks = bool(shown) and self._lacks(shown)
        return {"transmission_queue": named, "curdepth": depth, "lacks_transmission_queue": lacks}

    @cached_property
    def _depths(self) -> Mapping[QueueKey, Mapping[str, str]]:
        return shown_of_queues(self.objects.scripts, self.objects.name)

    @cached_property
    def _stated_depths(self) -> Mapping[str, str]:
        """By queue what a file of facts says of its depth."""
        return {each.name: each.text("CURDEPTH") for each in self.objects.of("QLOCAL") if each.text("CURDEPTH")}

    def _serving(self, channel: str) -> str:
        """The queue whose CLCHNAME fits best, or that of all channels, or the channel's own."""
        fitting = [name for name, pattern in self._clchnames.items() if fnmatchcase(channel, pattern)]
        if fitting:
            return max(fitting, key=lambda name: len(self._clchnames[name].replace("*", "")))
        by_channel = any(each.text("DEFCLXQ").upper() == "CHANNEL" for each in self.objects.of("QMGR"))
        return f"{OF_ITS_OWN}{channel}" if by_channel else SHARED_BY_ALL

    @cached_property
    def _clchnames(self) -> Mapping[str, str]:
        return {each.name: each.text("CLCHNAME") for each in self.objects.of("QLOCAL") if each.text("CLCHNAME")}

    def _route(self, name: str, chltype: str, places: Mapping[str, FileLine], **more: Any) -> ConfiguredObject:
        return ConfiguredObject("CHANNEL", name, self.objects.name, self.platform, True, chltype=chltype,
                                owner=self.owner, places=places, is_route=True, **more)  # fmt: skip

    def hosts(self) -> Iterator[ConfiguredObject]:
        """The hosts of cluster queues that it knows, by DISPLAY QCLUSTER: of others no file may tell more."""
        own = {each.name for each in self.objects.of("QLOCAL", "QALIAS", "QREMOTE")}
        for row in self.rows("QCLUSTER"):
            host, cluster = row.text("CLUSQMGR"), row.text("CLUSTER")
            if host and cluster and not (host == self.objects.name and row.name in own):
                kind = row.text("CLUSQT") or "QLOCAL"
                yield ConfiguredObject("QREMOTE" if kind == "QMGR" else kind, row.name, host, clustered=True,
                                       put=row.fields.get("put", "ENABLED"), owner=host, clusters=(cluster,),
                                       is_shown=True, shown_at=self.objects.name, places=_places(row))  # fmt: skip

    def _stated_repository(self, cluster: str) -> FileLine | None:
        """Where it is stated that it is a full repository of a cluster; None if it is not stated."""
        for each in self.objects.of("QMGR"):
            name = "REPOS" if each.text("REPOS") else "REPOSNL"
            if cluster in each.clusters and (by := each.stating(name)) is not None:
                return by.source, by.line_of(name)
        return None

    def memberships(self) -> Iterator[ConfiguredObject]:
        """The queue manager itself, once for each cluster that it has a receiver in, as a member of that."""
        found = dict[str, FileLine]()
        for each in self.objects.channels("CLUSRCVR"):
            for cluster in each.clusters:
                by = each.stating("CLUSTER") or each.stating("CLUSNL") or each.record
                found.setdefault(cluster, (by.source, by.line_of("CLUSTER")))
        defined = frozenset(found)
        for row in self.rows("CLUSQMGR"):
            if row.name == self.objects.name and row.text("CLUSTER"):
                found.setdefault(row.text("CLUSTER"), (row.record.source, row.record.line))
        for cluster, place in found.items():
            place = self._stated_repository(cluster) or place
            yield ConfiguredObject("QMGR", self.owner, self.objects.name, self.platform, True, owner=self.owner,
                                   clusters=(cluster,), places={"": place}, is_membership=True,
                                   has_receiver=cluster in defined)  # fmt: skip


def _places(row: MqObject) -> dict[str, FileLine]:
    """Where a row stands, and each of its attributes."""
    stated = {name: by for by in row.statements for name in by.attributes}
    found = {name: (by.source, by.line_of(name)) for name, by in stated.items()}
    return {"": (row.record.source, row.record.line), **found}
