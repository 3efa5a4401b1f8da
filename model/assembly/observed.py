"""What the local queue manager displays of its clusters: its own view, put over what the dumps of members say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve, fields

from mqclause.model.assembly.channel_states import ChannelStates, is_of_a_cluster
from mqclause.model.assembly.inquired import NOTHING, Inquired
from mqclause.model.assembly.mq_object import MqObject, placed_fact
from mqclause.model.assembly.provenance import FactT, Origin, Placed
from mqclause.model.assembly.queue_facts import ALIAS_ATTRIBUTES
from mqclause.model.diagnostic import Diagnostic, quoted
from mqclause.model.facts.objects import Channel, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager

RowKey = tuple[str, ...]

NOT_SHOWN = str(fields(Channel).status.default)
"""The state of a channel that DISPLAY CHSTATUS shows nothing of."""


class Displayed:
    """The rows of DISPLAY CLUSQMGR, QCLUSTER and CHSTATUS at the queue manager ``local``.

    Of other members' objects it is what the local one knows, and it is what decides: each method puts the rows over
    the facts that are given, and adds those that only a row tells. What was ``asked`` for and has no row is not there.
    """

    def __init__(self, local: str, rows: Iterable[MqObject], asked: Inquired = NOTHING) -> None:
        self.local = local
        self.asked = asked
        self._rows = list(rows)

    def of(self, kind: str) -> list[MqObject]:
        """The rows of one kind."""
        return [row for row in self._rows if row.kind == kind]

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters that rows name: the local queue manager is in each."""
        rows = [*self.of("CLUSQMGR"), *self.of("QCLUSTER")]
        return tuple(dict.fromkeys(row.text("CLUSTER") for row in rows if row.text("CLUSTER")))

    @property
    def with_members(self) -> tuple[str, ...]:
        """The clusters of which the queue managers are shown that the local one knows."""
        return _clusters(self.of("CLUSQMGR"))

    @property
    def partial_of(self) -> tuple[str, ...]:
        """The clusters of which the local queue manager shows itself as no full repository."""
        return _clusters(
            row for row in self.of("CLUSQMGR") if row.name == self.local and row.text("QMTYPE") == "NORMAL"
        )

    def repositories(self) -> Iterator[str]:
        """How far each cluster is shown: a full repository knows all of it, another one what it has a use for."""
        for cluster in self.partial_of:
            of = f"{self.local} is no full repository of {cluster}"
            yield f"{of}: it shows the queue managers and queues that it has asked for"

    def queue_manager(self, own: Placed[QueueManager]) -> Placed[QueueManager]:
        """The local queue manager, with the clusters that it is in and those that it is suspended in."""
        suspended = self._suspended(self.local, own.fact.suspended)
        clusters = tuple(dict.fromkeys((*own.fact.clusters, *self.clusters)))
        return evolve(own, fact=evolve(own.fact, clusters=clusters, suspended=suspended))

    def remotes(self, placed: Iterable[Placed[RemoteQueueManager]]) -> Iterator[Placed[RemoteQueueManager]]:
        """The other queue managers that a dump describes or a row names."""
        waiting = _by(self.of("CLUSQMGR"), lambda row: (row.name,))
        for (host,), rows in _by(self.of("QCLUSTER"), lambda row: (row.text("CLUSQMGR"),)).items():
            waiting.setdefault((host,), rows)
        for each in placed:
            rows = waiting.pop((each.fact.name,), [])
            clusters = tuple(dict.fromkeys((*each.fact.clusters, *_clusters(rows))))
            suspended = self._suspended(each.fact.name, each.fact.suspended)
            is_repository = _is_repository(rows, each.fact.repository)
            partial_in = _partial_in(rows, each.fact.partial_in)
            fact = evolve(
                each.fact, clusters=clusters, suspended=suspended, repository=is_repository, partial_in=partial_in
            )
            yield evolve(each, fact=fact)
        for (name,), rows in waiting.items():
            if name not in ("", self.local):
                of = _clusters(rows), self._suspended(name, ()), _is_repository(rows), _partial_in(rows)
                fact = RemoteQueueManager(name, *of)
                yield placed_fact(fact, rows[0])

    def channels(self, placed: Iterable[Placed[Channel]], states: ChannelStates) -> Iterator[Placed[Channel]]:
        """The routes, and their states as CLUSQMGR shows them, or CHSTATUS, or commands, where it does not."""
        rows = [row for row in self.of("CLUSQMGR") if row.text("CHANNEL")]
        waiting = {(row.text("CHANNEL"), row.name, row.text("CLUSTER")): row for row in rows}
        for each in placed:
            row = waiting.pop((each.fact.name, each.fact.queue_manager, each.fact.cluster), None)
            yield self._with_state(over(each, row, row.fields) if row else each, row, states)
        for (name, queue_manager, _), row in waiting.items():
            own = {"deftype": "CLUSRCVR"} if queue_manager == self.local else {}
            state, stated = states.of(name, queue_manager) or ("", None)
            known = {"status": state, **row.fields} if state else row.fields
            fact = Channel(name, queue_manager, **{**known, **own})
            origins = {"name": row.origin_of("CHANNEL"), "status": None if "status" in row.fields else stated}
            yield self._with_state(placed_fact(fact, row, origins), row, states)

    def differences(self) -> Iterator[Diagnostic]:
        """Where CHSTATUS shows another state of a route than CLUSQMGR does, which is the one that is taken."""
        shown = _by(filter(is_of_a_cluster, self.of("CHSTATUS")), lambda row: (row.name,))
        for row in self.of("CLUSQMGR"):
            state = row.fields.get("status")
            of_route = [each for each in shown.get((row.text("CHANNEL"),), ()) if "status" in each.fields]
            same = [each for each in of_route if each.text("RQMNAME") in ("", row.name)]
            if state and row.name != self.local and same and all(each.fields["status"] != state for each in same):
                shown_by, other = row.stating("STATUS") or row.record, same[0]
                places = row.origin_of("STATUS"), other.origin_of("STATUS")
                said = f"CLUSQMGR shows {state} ({places[0]}), CHSTATUS {other.fields['status']} ({places[1]})"
                message = f"channel {quoted(row.text('CHANNEL'))} to {quoted(row.name)}: {said}; taken as {state}"
                yield Diagnostic(shown_by.source, message, *shown_by.place_of("STATUS"))

    def namesakes(self) -> Iterator[Diagnostic]:
        """Where CLUSQMGR shows two queue managers of one name in a cluster, of which one was most likely made anew."""
        first: dict[RowKey, MqObject] = {}
        for row in self.of("CLUSQMGR"):
            known = first.setdefault((row.name, row.text("CLUSTER")), row)
            if known.text("QMID") and row.text("QMID") not in ("", known.text("QMID")):
                shown = row.stating("QMID") or row.record
                said = f"is shown with QMID({row.text('QMID')}), and with QMID({known.text('QMID')}) at"
                more = "two queue managers of one name, or one that was made anew; taken as one, as shown last"
                message = f"{quoted(row.name)} {said} {known.origin_of('QMID')}: {more}"
                yield Diagnostic(shown.source, message, *shown.place_of("QMID"))

    def queues(self, placed: Iterable[Placed[Queue]]) -> Iterator[Placed[Queue]]:
        """The queues: what is the local queue manager's own stands in its own definition."""
        waiting = _by(self._instances(), lambda row: (row.name, row.text("CLUSQMGR")))
        for each in placed:
            rows = waiting.pop((each.fact.name, each.fact.queue_manager), [])
            if rows and each.fact.queue_manager != self.local:
                clusters = tuple(dict.fromkeys((*each.fact.clusters, *_clusters(rows))))
                yield over(each, _latest(rows), {**_latest(rows).fields_of_queue(), "clusters": clusters})
            else:
                yield each
        for (name, host), rows in waiting.items():
            row = _latest(rows)
            fact = Queue(name, host, row.text("CLUSQT") or "QLOCAL", clusters=_clusters(rows), **row.fields_of_queue())
            yield placed_fact(fact, row, {"queue_manager": row.origin_of("CLUSQMGR")})

    def aliases(self, placed: Iterable[Placed[QueueManagerAlias]]) -> Iterator[Placed[QueueManagerAlias]]:
        """The aliases of queue managers; what one resolves to is not displayed, so that it is its host."""
        waiting = _by(self._instances("QMGR"), lambda row: (row.name, row.text("CLUSQMGR")))
        for each in placed:
            rows = waiting.pop((each.fact.name, each.fact.routed_to), [])
            known = _latest(rows).fields if rows and each.fact.routed_to != self.local else {}
            yield over(each, _latest(rows), _of_alias(known)) if known else each
        for (name, host), rows in waiting.items():
            row = _latest(rows)
            fact = QueueManagerAlias(name, host, _clusters(rows), **_of_alias(row.fields))
            yield placed_fact(fact, row, {"queue_manager": row.origin_of("CLUSQMGR")})

    def _instances(self, clusqt: str = "") -> list[MqObject]:
        """The rows of cluster queues whose host is shown; of aliases of queue managers with ``clusqt`` QMGR."""
        rows = [row for row in self.of("QCLUSTER") if row.text("CLUSQMGR")]
        return [row for row in rows if (row.text("CLUSQT") == "QMGR") == (clusqt == "QMGR")]

    def _suspended(self, name: str, stated: tuple[str, ...]) -> tuple[str, ...]:
        rows = [row for row in self.of("CLUSQMGR") if row.name == name and row.text("CLUSTER")]
        shown = {row.text("CLUSTER"): row.text("SUSPEND") == "YES" for row in rows if row.text("SUSPEND")}
        return (*(each for each in stated if each not in shown), *(each for each, yes in shown.items() if yes))

    def _with_state(self, route: Placed[Channel], row: MqObject | None, states: ChannelStates) -> Placed[Channel]:
        name, to = route.fact.name, route.fact.queue_manager
        if (row and "status" in row.fields) or route.fact.deftype == "CLUSRCVR":
            return route
        for status in reversed(self.of("CHSTATUS")):
            if status.name == name and status.text("RQMNAME") in ("", to) and is_of_a_cluster(status):
                return over(route, status, status.fields)
        if self.asked.tells("CHSTATUS", name) and states.of(name, to) is None:
            return _inactive(route)
        return route


def _latest(rows: Sequence[MqObject]) -> MqObject:
    """The first row about the queue manager that was shown last of those of one name."""
    return next(row for row in rows if row.text("QMID") == rows[-1].text("QMID"))


def over(placed: Placed[FactT], row: MqObject, shown: Mapping[str, Any]) -> Placed[FactT]:
    """The fact with what a row says in the place of what was stated."""
    changed: Any = placed.fact
    origin = partial(_origin, placed.origin, row, frozenset(shown))
    return evolve(placed, fact=evolve(changed, **shown), origin=origin)


def _inactive(route: Placed[Channel]) -> Placed[Channel]:
    """The route, whose state was asked for, and there was none."""
    by = {"status": Origin("observed", route.source)}
    origin = partial(_told_by, route.origin, by)
    return evolve(route, fact=evolve(route.fact, status=NOT_SHOWN), origin=origin)


def _told_by(before: Callable[[str], Origin], by: Mapping[str, Origin], attribute: str) -> Origin:
    return by[attribute] if attribute in by else before(attribute)


def _origin(stated: Callable[[str], Origin], row: MqObject, shown: frozenset[str], attribute: str) -> Origin:
    return row.origin(attribute) if attribute in shown else stated(attribute)


def _is_repository(rows: Iterable[MqObject], stated: bool = False) -> bool:
    """Whether rows show a full repository; what is stated counts where none shows what it is."""
    shown = [row.text("QMTYPE") for row in rows if row.text("QMTYPE")]
    return "REPOS" in shown if shown else stated


def _partial_in(rows: Iterable[MqObject], stated: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Of one that is shown as a full repository somewhere, the clusters of which it is shown as none."""
    shown = {row.text("CLUSTER"): row.text("QMTYPE") for row in rows if row.text("QMTYPE")}
    if not shown:
        return stated
    others = tuple(each for each, kind in shown.items() if each and kind != "REPOS")
    return others if "REPOS" in shown.values() else ()


def _of_alias(shown: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name in ALIAS_ATTRIBUTES}


def _clusters(rows: Iterable[MqObject]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.text("CLUSTER") for row in rows if row.text("CLUSTER")))


def _by(rows: Iterable[MqObject], key: Callable[[MqObject], RowKey]) -> dict[RowKey, list[MqObject]]:
    found: dict[RowKey, list[MqObject]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found
