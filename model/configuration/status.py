"""Apply displayed status to definitions: channel states, queue depths, open handles, cluster rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from attrs import define, evolve, field, fields, frozen

from mqclause.model.configuration.attributes import (
    FACT_ATTRIBUTES,
    MEMBERSHIP,
    STATUS_ATTRIBUTES,
    WHOLE_NUMBER,
    select_attributes,
)
from mqclause.model.configuration.completeness import AnsweredInquiries
from mqclause.model.configuration.objects import (
    ALIAS_ATTRIBUTES,
    CLUSTER_CHANNELS,
    QUEUE_TYPES,
    SYSTEM_PREFIX,
    MqObject,
    QueueManagerObjects,
    ViewCache,
    build_displayed_queue,
    place_fact,
)
from mqclause.model.configuration.provenance import Origin, PlacedFact
from mqclause.model.diagnostics import Diagnostic, DomainError, quote_value, suggest_name
from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.objects import (
    MESSAGE_CHANNELS,
    Channel,
    ChannelState,
    ChannelStatus,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.records import Record, split_names

STARTED_STATUS = str(fields(Channel).status.default)
"""What a channel is taken as after START, as it may run, wait or retry, and where DISPLAY CHSTATUS shows nothing of it.
"""

ROUTE_KEYS = ("name", "queue_manager", "cluster")
STATUS_FIELDS = ("status", "dest_seq_number", "dest_seq_factor")
"""What no script holds of a channel."""

RowKey = tuple[str, ...]


@define
class ChannelStates:
    """The states of channels as the queue manager that gave the commands ``operated``, in order, shows them.

    A route is known by its channel's name and the queue manager that it leads to. ``others`` are its channels that
    belong to no cluster: whatever is done to those changes no route.
    """

    operated: Sequence[Record]
    others: Collection[str] = ()
    _met: set[str] = field(factory=set)

    @classmethod
    def from_objects(cls, objects: QueueManagerObjects) -> ChannelStates:
        """Gather the commands on channels among a queue manager's ``objects``."""
        others = (each.name for each in objects.of("CHANNEL") if each.type not in CLUSTER_CHANNELS)
        return cls(objects.operated, frozenset(others))

    def find_route_state(self, channel: str, queue_manager: str) -> tuple[str, Origin | None] | None:
        """Find the state after the latest command about a route, and where it is stated; None without a command.

        START states none: the one that is taken is an assumption.
        """
        self._met.add(channel)
        return self.find_state(channel, queue_manager)

    def find_state(self, channel: str, queue_manager: str = "") -> tuple[str, Origin | None] | None:
        """Find the state of a channel outside clusters after the latest command, and where it is stated."""
        for record in reversed(self.operated):
            if record.name == channel and record.listed("QMNAME") in ((), (queue_manager,)):
                stated = Origin.of_record("stated", record, "STATUS")
                return get_state_after(record), None if record.action == "start" else stated
        return None

    def find_warnings(self) -> Iterator[Diagnostic]:
        """Find what the commands leave open; to be asked when every route has been."""
        for record in self.operated:
            verb = record.action.upper()
            if record.name in self.others and record.name not in self._met:
                continue
            if record.name not in self._met:
                near = suggest_name(record.name, self._met)
                yield record.build_diagnostic(f"{verb}: no route of a cluster has this channel: left out{near}")
            elif record.action == "start":
                yield record.build_diagnostic(f"{verb}: taken as {STARTED_STATUS}; whether it runs is not known")


def get_state_after(record: Record) -> str:
    """Return the state that a command leaves: by MQ's defaults STOPPED, or INACTIVE where one partner's is stopped."""
    if record.action == "start":
        return STARTED_STATUS
    of_one_partner = record.listed("QMNAME") or record.listed("CONNAME")
    return " ".join(record.listed("STATUS")) or ("INACTIVE" if of_one_partner else "STOPPED")


def build_channel_statuses(
    member: QueueManagerObjects, rows: Iterable[MqObject], states: ChannelStates, asked: AnsweredInquiries
) -> Iterator[PlacedFact[ChannelStatus]]:
    """Build the channels that belong to no cluster, as ``rows`` of DISPLAY CHSTATUS show them.

    One that is defined and not shown is as the commands leave it, or INACTIVE where somebody ``asked``.
    """
    own = (each for each in member.of("CHANNEL") if each.type in MESSAGE_CHANNELS)
    defined = {each.name: each for each in own if not each.name.startswith(SYSTEM_PREFIX)}
    shown = _select_last_rows(rows, defined)
    for name in dict.fromkeys((*defined, *shown)):
        made = defined.get(name)
        with suppress(DomainError):  # MQ refuses the definition, and no rule has a use for such a name
            if name in shown:
                yield from (_build_displayed_status(row, made) for row in shown[name])
            elif made is not None:
                yield _build_undisplayed_status(made, states, asked)


def is_cluster_channel(row: MqObject, defined: Collection[str] = ()) -> bool:
    """Return whether a row of DISPLAY CHSTATUS is, or may be, about a channel of a cluster."""
    return row.text("CHLTYPE") not in MESSAGE_CHANNELS and row.name not in defined


def complete_channels(document: FactsDocument, channels: Sequence[PlacedFact[Channel]]) -> FactsDocument:
    """Add the queue manager of each channel that a document only names, if ``channels`` say which it is."""
    rows = document.data.get("channel") if channels and isinstance(document.data, dict) else None
    if not isinstance(rows, list):
        return document
    leading: dict[str, set[str]] = {}
    for each in channels:
        leading.setdefault(each.fact.name, set()).add(each.fact.queue_manager)
    kept = [_complete_row(row, leading) for row in rows]
    return evolve(document, data={**document.data, "channel": kept})


def merge_channel_states(placed: Iterable[PlacedFact[Any]]) -> list[PlacedFact[Any]]:
    """Merge facts that state how a described route is now, and nothing else of it otherwise, into the route itself."""
    kept: dict[int, PlacedFact[Any]] = dict(enumerate(placed))
    channels = {at: each for at, each in kept.items() if isinstance(each.fact, Channel)}
    described: dict[str, list[int]] = {}
    for at, each in channels.items():
        if not each.table:
            described.setdefault(each.fact.name, []).append(at)
    for at, each in channels.items():
        if each.table and each.fact.name in described:
            stated = {of.name for of in fields(Channel) if each.origin(of.name).how == "stated"}
            routes = [route for route in described[each.fact.name] if _is_about(each.fact, stated, kept[route])]
            against = [kept[route].fact for route in routes if _is_against(each.fact, stated, kept[route])]
            if against:  # in the same cluster it is told as a channel that is given twice
                kept[at] = evolve(each, fact=evolve(each.fact, cluster=against[0].cluster))
            elif routes:
                values = {name: getattr(each.fact, name) for name in stated.intersection(STATUS_FIELDS)}
                kept |= {route: kept[route].replace_values(values, each.origin) for route in routes}
                del kept[at]
    return list(kept.values())


def apply_current_status(
    placed: PlacedFact[Any], observed: Mapping[tuple[str, str], Mapping[str, str]], cache: ViewCache
) -> PlacedFact[Any]:
    """Apply the depth and the open handles that were ``observed`` of a queue, by queue and queue manager.

    What is stated stays. A script states neither: what nobody shows of its queue is not known, to anybody.
    """
    queue = placed.fact
    if not isinstance(queue, Queue) or queue.type != "QLOCAL":
        return placed
    shown = observed.get((queue.name, queue.queue_manager), {})
    return _set_counts(placed, shown) if shown else cache.get_or_make((placed,), partial(_set_counts, placed, {}))


@frozen(eq=False)
class DisplayedRows:
    """The rows of DISPLAY CLUSQMGR, QCLUSTER and CHSTATUS at the queue manager ``local``.

    Of other members' objects it is what the local one knows, and it is what decides: each method puts the rows over
    the facts that are given, and adds those that only a row tells. What was ``asked`` for and has no row is not there.
    """

    local: str
    rows: Sequence[MqObject]
    asked: AnsweredInquiries

    def get_rows(self, kind: str) -> list[MqObject]:
        """Return the rows of one kind."""
        return [row for row in self.rows if row.kind == kind]

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters that rows name: the local queue manager is in each."""
        return _list_clusters([*self.get_rows("CLUSQMGR"), *self.get_rows("QCLUSTER")])

    @property
    def clusters_with_members(self) -> tuple[str, ...]:
        """The clusters of which the queue managers are shown that the local one knows."""
        return _list_clusters(self.get_rows("CLUSQMGR"))

    @property
    def partial_of(self) -> tuple[str, ...]:
        """The clusters of which the local queue manager shows itself as no full repository."""
        return _list_clusters(
            row for row in self.get_rows("CLUSQMGR") if row.name == self.local and row.text("QMTYPE") == "NORMAL"
        )

    def describe_repositories(self) -> Iterator[str]:
        """Say how far each cluster is shown: a full repository knows all of it, another one what it has a use for."""
        for cluster in self.partial_of:
            of = f"{self.local} is no full repository of {cluster}"
            yield f"{of}: it shows the queue managers and queues that it has asked for"

    def merge_queue_manager(self, own: PlacedFact[QueueManager]) -> PlacedFact[QueueManager]:
        """Add the clusters that the local queue manager is shown in, and those that it is suspended in."""
        suspended = self._find_suspended(self.local, own.fact.suspended)
        clusters = tuple(dict.fromkeys((*own.fact.clusters, *self.clusters)))
        return evolve(own, fact=evolve(own.fact, clusters=clusters, suspended=suspended))

    def merge_remotes(
        self, placed: Iterable[PlacedFact[RemoteQueueManager]]
    ) -> Iterator[PlacedFact[RemoteQueueManager]]:
        """Merge the other queue managers that a dump describes with those that a row names."""
        waiting = _group_rows(self.get_rows("CLUSQMGR"), lambda row: (row.name,))
        for (host,), rows in _group_rows(self.get_rows("QCLUSTER"), lambda row: (row.text("CLUSQMGR"),)).items():
            waiting.setdefault((host,), rows)
        for each in placed:
            yield evolve(each, fact=self._merge_remote(each.fact, waiting.pop((each.fact.name,), [])))
        for (name,), rows in waiting.items():
            if name not in ("", self.local):
                yield place_fact(self._merge_remote(RemoteQueueManager(name), rows), rows[0])

    def _merge_remote(self, known: RemoteQueueManager, rows: Sequence[MqObject]) -> RemoteQueueManager:
        clusters = tuple(dict.fromkeys((*known.clusters, *_list_clusters(rows))))
        suspended, partial_in = self._find_suspended(known.name, known.suspended), _find_partial_clusters(rows, known)
        types = [row.text("QMTYPE") for row in rows if row.text("QMTYPE")]
        is_full = "REPOS" in types if types else known.repository
        return evolve(known, clusters=clusters, suspended=suspended, repository=is_full, partial_in=partial_in)

    def merge_channels(
        self, placed: Iterable[PlacedFact[Channel]], states: ChannelStates
    ) -> Iterator[PlacedFact[Channel]]:
        """Merge the routes with their states as CLUSQMGR shows them, or else CHSTATUS, or else commands."""
        rows = [row for row in self.get_rows("CLUSQMGR") if row.text("CHANNEL")]
        waiting = {(row.text("CHANNEL"), row.name, row.text("CLUSTER")): row for row in rows}
        for each in placed:
            row = waiting.pop((each.fact.name, each.fact.queue_manager, each.fact.cluster), None)
            yield self._set_state(each.replace_values(row.fields, row.origin) if row else each, row, states)
        for (name, queue_manager, _), row in waiting.items():
            own = {"deftype": "CLUSRCVR"} if queue_manager == self.local else {}
            state, stated = states.find_route_state(name, queue_manager) or ("", None)
            known = {"status": state, **row.fields} if state else row.fields
            fact = Channel(name, queue_manager, **{**known, **own})
            origins = {"name": row.find_origin("CHANNEL"), "status": None if "status" in row.fields else stated}
            yield self._set_state(place_fact(fact, row, origins), row, states)

    def find_differences(self) -> Iterator[Diagnostic]:
        """Find routes of which CHSTATUS shows another state than CLUSQMGR, which is the one that is taken."""
        shown = _group_rows(filter(is_cluster_channel, self.get_rows("CHSTATUS")), lambda row: (row.name,))
        for row in self.get_rows("CLUSQMGR"):
            state = row.fields.get("status")
            of_route = [each for each in shown.get((row.text("CHANNEL"),), ()) if "status" in each.fields]
            same = [each for each in of_route if each.text("RQMNAME") in ("", row.name)]
            if state and row.name != self.local and same and all(each.fields["status"] != state for each in same):
                shown_by, other = row.find_statement("STATUS") or row.record, same[0]
                places = row.find_origin("STATUS"), other.find_origin("STATUS")
                said = f"CLUSQMGR shows {state} ({places[0]}), CHSTATUS {other.fields['status']} ({places[1]})"
                message = (
                    f"channel {quote_value(row.text('CHANNEL'))} to {quote_value(row.name)}: {said}; taken as {state}"
                )
                yield Diagnostic(shown_by.source, message, *shown_by.place_of("STATUS"))

    def find_namesakes(self) -> Iterator[Diagnostic]:
        """Find two queue managers of one name in a cluster, of which one was most likely made anew."""
        first: dict[RowKey, MqObject] = {}
        for row in self.get_rows("CLUSQMGR"):
            known = first.setdefault((row.name, row.text("CLUSTER")), row)
            if known.text("QMID") and row.text("QMID") not in ("", known.text("QMID")):
                shown = row.find_statement("QMID") or row.record
                said = f"is shown with QMID({row.text('QMID')}), and with QMID({known.text('QMID')}) at"
                more = "two queue managers of one name, or one that was made anew; taken as one, as shown last"
                message = f"{quote_value(row.name)} {said} {known.find_origin('QMID')}: {more}"
                yield Diagnostic(shown.source, message, *shown.place_of("QMID"))

    def merge_queues(self, placed: Iterable[PlacedFact[Queue]]) -> Iterator[PlacedFact[Queue]]:
        """Merge the queues with the rows about them; the local queue manager's own stay as they are defined."""
        waiting = _group_rows(self._select_instances(), lambda row: (row.name, row.text("CLUSQMGR")))
        for each in placed:
            rows = waiting.pop((each.fact.name, each.fact.queue_manager), [])
            if rows and each.fact.queue_manager != self.local:
                row, clusters = _select_latest(rows), dict.fromkeys((*each.fact.clusters, *_list_clusters(rows)))
                yield each.replace_values({**row.get_queue_fields(), "clusters": tuple(clusters)}, row.origin)
            else:
                yield each
        for rows in waiting.values():
            row = _select_latest(rows)
            fact = build_displayed_queue(row, _list_clusters(rows))
            yield place_fact(fact, row, {"queue_manager": row.find_origin("CLUSQMGR")})

    def merge_aliases(self, placed: Iterable[PlacedFact[QueueManagerAlias]]) -> Iterator[PlacedFact[QueueManagerAlias]]:
        """Merge the queue-manager aliases; what one resolves to is not displayed, so it is taken as its host."""
        waiting = _group_rows(self._select_instances("QMGR"), lambda row: (row.name, row.text("CLUSQMGR")))
        for each in placed:
            rows = waiting.pop((each.fact.name, each.fact.routed_to), [])
            known = _select_latest(rows).fields if rows and each.fact.routed_to != self.local else {}
            yield each.replace_values(_select_alias_fields(known), _select_latest(rows).origin) if known else each
        for (name, host), rows in waiting.items():
            row = _select_latest(rows)
            fact = QueueManagerAlias(name, host, _list_clusters(rows), **_select_alias_fields(row.fields))
            yield place_fact(fact, row, {"queue_manager": row.find_origin("CLUSQMGR")})

    def _select_instances(self, clusqt: str = "") -> list[MqObject]:
        """The rows of cluster queues whose host is shown; of aliases of queue managers with ``clusqt`` QMGR."""
        rows = [row for row in self.get_rows("QCLUSTER") if row.text("CLUSQMGR")]
        return [row for row in rows if (row.text("CLUSQT") == "QMGR") == (clusqt == "QMGR")]

    def _find_suspended(self, name: str, stated: tuple[str, ...]) -> tuple[str, ...]:
        rows = [row for row in self.get_rows("CLUSQMGR") if row.name == name and row.text("CLUSTER")]
        shown = {row.text("CLUSTER"): row.text("SUSPEND") == "YES" for row in rows if row.text("SUSPEND")}
        return (*(each for each in stated if each not in shown), *(each for each, yes in shown.items() if yes))

    def _set_state(
        self, route: PlacedFact[Channel], row: MqObject | None, states: ChannelStates
    ) -> PlacedFact[Channel]:
        name, to = route.fact.name, route.fact.queue_manager
        if (row and "status" in row.fields) or route.fact.deftype == "CLUSRCVR":
            return route
        for status in reversed(self.get_rows("CHSTATUS")):
            if status.name == name and status.text("RQMNAME") in ("", to) and is_cluster_channel(status):
                return route.replace_values(status.fields, status.origin)
        if self.asked.tells("CHSTATUS", name) and states.find_route_state(name, to) is None:
            by = {"status": Origin("observed", route.source)}
            return route.replace_values({"status": STARTED_STATUS}, by.__getitem__)
        return route


def _select_last_rows(rows: Iterable[MqObject], defined: Collection[str]) -> Mapping[str, Sequence[MqObject]]:
    """The rows by channel. A channel that sends is one connection, of which the last row counts."""
    found: dict[str, list[MqObject]] = {}
    for row in rows:
        if "status" in row.fields and not is_cluster_channel(row, defined):
            kept = [] if row.text("CHLTYPE") in ("SDR", "SVR") else found.get(row.name, [])
            found[row.name] = [*kept, row]
    return found


def _build_displayed_status(row: MqObject, made: MqObject | None) -> PlacedFact[ChannelStatus]:
    of = {"type": ("CHLTYPE",), "xmitq": ("XMITQ",), "conname": ("CONNAME",), "queue_manager": ("RQMNAME",)}
    by = {name: row if row.text(*words) or made is None else made for name, words in of.items()}
    values: dict[str, Any] = {name: by[name].text(*words) for name, words in of.items()}
    fact = ChannelStatus(row.name, status=row.fields["status"], **values)
    return place_fact(fact, row, {name: by[name].find_origin(*words) for name, words in of.items()})


def _build_undisplayed_status(
    made: MqObject, states: ChannelStates, asked: AnsweredInquiries
) -> PlacedFact[ChannelStatus]:
    known = states.find_state(made.name)
    state, stated = known or (STARTED_STATUS, None)
    if known is None and asked.tells("CHSTATUS", made.name):
        stated = Origin("observed", made.record.source)
    fact = ChannelStatus(made.name, made.type, cast(ChannelState, state), made.text("XMITQ"), made.text("CONNAME"))
    places = {"type": "CHLTYPE", "xmitq": "XMITQ", "conname": "CONNAME"}
    return place_fact(fact, made, {"status": stated, **{name: made.find_origin(word) for name, word in places.items()}})


def _complete_row(row: Any, leading: dict[str, set[str]]) -> Any:
    if not isinstance(row, dict) or "queue_manager" in row or not isinstance(row.get("name"), str):
        return row
    to = leading.get(row["name"], set())
    return {**row, "queue_manager": next(iter(to))} if len(to) == 1 else row


def _is_about(state: Channel, stated: set[str], route: PlacedFact[Any]) -> bool:
    named = [name for name in ROUTE_KEYS if name in stated or name == "queue_manager"]
    return all(getattr(state, name) == getattr(route.fact, name) for name in named)


def _is_against(state: Channel, stated: set[str], route: PlacedFact[Any]) -> bool:
    """Whether another state than that of ``state`` was displayed, or something else is ``stated`` otherwise."""
    displayed = "status" in stated and route.origin("status").how == "observed"
    compared = [*stated.difference(ROUTE_KEYS, STATUS_FIELDS), *(["status"] if displayed else [])]
    return any(getattr(state, name) != getattr(route.fact, name) for name in compared)


def _set_counts(placed: PlacedFact[Any], shown: Mapping[str, str]) -> PlacedFact[Any]:
    counts: dict[str, Any] = {name: _parse_count(shown.get(of, "")) for name, of in STATUS_ATTRIBUTES.items()}
    if placed.table:
        counts = {name: count for name, count in counts.items() if count is not None}
    changed = {name: count for name, count in counts.items() if placed.origin(name).how != "stated"}
    return evolve(placed, fact=evolve(placed.fact, **changed)) if changed else placed


def _parse_count(text: str) -> int | None:
    return int(text) if WHOLE_NUMBER.fullmatch(text) and int(text) <= LARGEST else None


def _select_latest(rows: Sequence[MqObject]) -> MqObject:
    """The first row about the queue manager that was shown last of those of one name."""
    return next(row for row in rows if row.text("QMID") == rows[-1].text("QMID"))


def _find_partial_clusters(rows: Iterable[MqObject], known: RemoteQueueManager) -> tuple[str, ...]:
    """Of one that is shown as a full repository somewhere, the clusters of which it is shown as none."""
    shown = {row.text("CLUSTER"): row.text("QMTYPE") for row in rows if row.text("QMTYPE")}
    if not shown:
        return known.partial_in
    others = tuple(each for each, kind in shown.items() if each and kind != "REPOS")
    return others if "REPOS" in shown.values() else ()


def _select_alias_fields(shown: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name in ALIAS_ATTRIBUTES}


def _list_clusters(rows: Iterable[MqObject]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.text("CLUSTER") for row in rows if row.text("CLUSTER")))


def _group_rows(rows: Iterable[MqObject], key: Callable[[MqObject], RowKey]) -> dict[RowKey, list[MqObject]]:
    found: dict[RowKey, list[MqObject]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


SENDER_ROW_ATTRIBUTES = frozenset({"CHANNEL", "CLUSTER", "DEFTYPE", "STATUS", "SUSPEND"})
"""What a row about a queue manager shows besides the attributes of its receiver."""


def drop_outdated_rows(
    rows: Iterable[MqObject], members: Mapping[str, QueueManagerObjects], local: str
) -> Iterator[MqObject]:
    """Drop from the rows displayed at ``local`` what overlays of ``members`` change: their own objects say that."""
    changes = {
        name: [record for script in member.scripts if script.overlay for record in script.records]
        for name, member in members.items()
    }
    if not any(changes.values()):
        yield from rows
        return
    for row in rows:
        owner = row.text("CLUSQMGR") if row.kind == "QCLUSTER" else row.name
        changed = {
            *_find_changed_attributes(row, changes.get(owner, ()), members.get(owner)),
            *_find_operated_attributes(row, changes.get(local, ())),
        }
        if not changed & MEMBERSHIP:
            yield _drop_attributes(row, changed) if changed else row


def _find_changed_attributes(
    row: MqObject, commands: Collection[Record], owner: QueueManagerObjects | None
) -> Iterator[str]:
    """The attributes of the row that commands of the owner change, with CLUSTER if the row is no longer there."""
    for record in commands:
        is_queue = row.kind == "QCLUSTER" and record.kind in QUEUE_TYPES and record.name == row.name
        is_receiver = row.kind == "CLUSQMGR" and record.kind == "CHANNEL" and record.name == row.text("CHANNEL")
        if record.action in ("suspend", "resume") and row.kind == "CLUSQMGR":
            yield from ["SUSPEND"] if row.text("CLUSTER") in _list_record_clusters(record, owner) else []
        elif is_queue or is_receiver:
            if record.action == "delete" or (is_queue and record.action == "define"):
                yield "CLUSTER"
            elif record.action == "define":
                yield from FACT_ATTRIBUTES[row.kind].keys() - SENDER_ROW_ATTRIBUTES
            elif record.action == "alter":
                yield from record.attributes


def _find_operated_attributes(row: MqObject, commands: Collection[Record]) -> Iterator[str]:
    """The state of a route, if the local queue manager starts or stops its channel."""
    channel = row.name if row.kind == "CHSTATUS" else row.text("CHANNEL")
    to = row.text("RQMNAME") if row.kind == "CHSTATUS" else row.name
    for record in commands:
        is_meant = record.name == channel and record.listed("QMNAME") in ((), (to,))
        if row.kind != "QCLUSTER" and record.action in ("start", "stop", "state") and is_meant:
            yield "STATUS"


def _list_record_clusters(record: Record, owner: QueueManagerObjects | None) -> tuple[str, ...]:
    names = record.listed("CLUSNL")
    lists = [each for each in owner.of("NAMELIST") if each.name in names] if owner else []
    return (*record.listed("CLUSTER"), *(name for each in lists for name in split_names(each.value("NAMES"))))


def _drop_attributes(row: MqObject, changed: Collection[str]) -> MqObject:
    fields = {FACT_ATTRIBUTES[row.kind][name][0] for name in changed if name in FACT_ATTRIBUTES[row.kind]}
    left = [
        select_attributes(each, [name for name in each.attributes if name not in changed]) for each in row.statements
    ]
    kept = {name: value for name, value in row.fields.items() if name not in fields}
    return MqObject(row.kind, row.name, row.record, tuple(left), kept)
