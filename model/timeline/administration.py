"""What commands and accidents of administration do to facts, messages in flight and repositories."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import chain, islice
from typing import Any, cast

from attrs import evolve, frozen

from mqclause.model.configuration.sources import Source, SourceReader
from mqclause.model.diagnostics import ArgumentError, Diagnostic, DomainError, FactsError, name_argument, quote_value
from mqclause.model.facts.cluster import Cluster, replace_objects
from mqclause.model.facts.domains import (
    CHANNEL_NAME,
    LARGEST,
    NAME,
    NAME_OR_BLANK,
    REASONS,
    Flag,
    Maker,
    Text,
    Whole,
    Words,
    fact_field,
    rule_field,
    word_field,
)
from mqclause.model.facts.objects import (
    CHANNEL_STATES,
    DEFTYPES,
    Channel,
    ChannelState,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.facts_files import MOST_FAULTS, read_facts
from mqclause.model.readers.formats import FactsDocument, render_table_label
from mqclause.model.readers.registry import read_contents
from mqclause.model.timeline.events import Event, describe_unknown_name, read_rows

Member = QueueManager | RemoteQueueManager
KnownObject = QueueManager | RemoteQueueManager | Queue | QueueManagerAlias | Channel
"""What a refresh looks at."""


@frozen
class InFlightMessage:
    """A message on its way by the route ``channel``; ``queue_manager`` and ``cluster`` tell routes of one name apart.

    ``bound``: to that queue manager; ``delivered``: it is on the queue there already; ``cluster_pcf``: it is one by
    which queue managers of a cluster tell each other what they know.
    """

    id: str = fact_field(NAME)
    queue: str = fact_field(NAME)
    channel: str = fact_field(CHANNEL_NAME)
    queue_manager: str = fact_field(NAME_OR_BLANK, "")
    cluster: str = fact_field(NAME_OR_BLANK, "")
    persistent: bool = fact_field(Flag(), True)
    bound: bool = fact_field(Flag(), False)
    in_doubt: bool = fact_field(Flag(), False)
    delivered: bool = fact_field(Flag(), False)
    cluster_pcf: bool = fact_field(Flag(), False)


_maker = Maker(InFlightMessage)

QUESTIONS = (
    "suspend", "suspend_route", "resume", "refresh_command", "refresh", "put", "fail", "fail_route", "recover",
    "recover_route", "unavailable", "arrive", "information", "request",
)  # fmt: skip
"""What the rules are asked about: what becomes of a thing at an event, or what a day finds of what is held."""

MODES_STATED = ("", "QUIESCE", "FORCE")
"""What MODE of a SUSPEND QMGR says; blank: nothing."""

LEADS = ("", "here", "elsewhere")
KINDS_TOUCHED = ("", "queue_manager", "queue", "channel", "message")
DAYS = Whole(0, LARGEST)
LISTED = Text(200)
"""A few names, as they stand in a sentence."""

DATE_TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LAST_DAY = date(9998, 12, 31)
"""The last day that is taken: what is held from then on expires on a day that a calendar has."""

ALLOWED_DAY = f"a date like 2026-01-31, up to {LAST_DAY}"


@frozen
class CalendarDay:
    """A day without a time of day: a date of TOML, or text like ``2026-01-31``."""

    def __call__(self, value: object, key: str) -> date:
        if isinstance(value, str) and DATE_TEXT.fullmatch(value):
            with suppress(ValueError):  # a day that no calendar has
                value = date.fromisoformat(value)
        if isinstance(value, date) and not isinstance(value, datetime) and value <= LAST_DAY:
            return value
        raise DomainError(key, value, f"allowed: {ALLOWED_DAY}, without a time of day")


DAY: Any = CalendarDay()


@frozen
class CalendarDays:
    """A list of days; kept in order, each once."""

    def __call__(self, value: object, key: str) -> tuple[date, ...]:
        if not isinstance(value, list | tuple):
            raise DomainError(key, value, "allowed: a list of dates like 2026-01-31")
        return tuple(sorted({DAY(each, key) for each in value}))


DAYS_LISTED: Any = CalendarDays()


@frozen
class Information:
    """What a repository holds about something of another queue manager; ``sent`` is when the owner last sent it."""

    name: str = fact_field(NAME)
    owner: str = fact_field(NAME)
    sent: date = fact_field(DAY)  # noqa: RUF009 - a field of its own domain


_information = Maker(Information)


@frozen
class Request:
    """A request for up-to-date information, when it was made and on which days it was ``referenced``."""

    name: str = fact_field(NAME)
    by: str = fact_field(NAME)
    made: date = fact_field(DAY)  # noqa: RUF009 - a field of its own domain
    referenced: tuple[date, ...] = fact_field(DAYS_LISTED, ())


_request = Maker(Request)


def find_administration_faults(cluster: Cluster, event: Event) -> Iterator[str]:
    """Find what is wrong with the objects that an event of administration names."""
    own = cluster.queue_manager
    named = event.queue_manager or own.name
    if event.do == "arrive":
        if event.queue not in cluster.own_queues:
            hosts = ", ".join(each.queue_manager for each in cluster.queues_by_name.get(event.queue, ()))
            unknown = describe_unknown_name("queue", event.queue, cluster.own_queues)
            hosted = f"queue {quote_value(event.queue)} is hosted by {hosts}, not by {quote_value(own.name)}"
            yield hosted if hosts else f"{unknown}, hosted by {quote_value(own.name)}"
        return
    if named != own.name and named not in cluster.remote:
        yield describe_unknown_name("queue_manager", named, (own.name, *cluster.remote))
    elif event.do in ("fail", "recover"):
        if named == own.name:
            others = ", ".join(cluster.remote) or "none is known"
            yield f"queue_manager: {quote_value(named)} is the local queue manager; allowed: another one: {others}"
    elif event.cluster not in get_member(cluster, named).clusters:
        clusters = ", ".join(get_member(cluster, named).clusters) or "none"
        yield f"cluster: {quote_value(named)} is not in {quote_value(event.cluster)}; its clusters: {clusters}"


def get_member(cluster: Cluster, name: str) -> Member:
    """Return the queue manager of that name, the local one or another. Raises KeyError."""
    return cluster.queue_manager if name in ("", cluster.queue_manager.name) else cluster.remote[name]


def set_suspended(cluster: Cluster, name: str, suspended: tuple[str, ...]) -> Cluster:
    """Suspend a queue manager in these clusters, and no others."""
    found = get_member(cluster, name)
    return replace_objects(cluster, [found], [evolve(found, suspended=suspended)])


def set_available(cluster: Cluster, name: str, available: bool) -> Cluster:
    """Set whether another queue manager is available: it failed, or came back."""
    found = cluster.remote[name]
    return replace_objects(cluster, [found], [evolve(found, available=available)])


def set_status(cluster: Cluster, status: dict[int, str]) -> Cluster:
    """Set the status of some channels, by their place in the list."""
    found = {cluster.channels[at]: cast(ChannelState, state) for at, state in status.items()}
    return replace_objects(cluster, [*found], [evolve(each, status=state) for each, state in found.items()])


def list_known_objects(cluster: Cluster, name: str) -> Iterator[KnownObject]:
    """List all that is known in the cluster ``name``: queue managers, queues, aliases, then channels."""
    for listed in (
        (cluster.queue_manager,),
        cluster.remote_queue_managers,
        cluster.queues,
        cluster.queue_manager_aliases,
    ):
        yield from (each for each in listed if name in each.clusters)
    yield from (each for each in cluster.channels if each.cluster == name)


def select_instances(cluster: Cluster, but_for: str = "") -> Cluster:
    """Select what the choice for a message on its way sees: the instances of its queue in clusters.

    Its name was resolved where it was put, so what else has that name here is none. Those of one queue manager are left
    out, with the routes to it.
    """
    own = cluster.queue_manager.name
    return evolve(
        cluster,
        queues=tuple(
            each
            for each in cluster.queues
            if each.queue_manager != but_for
            and (each.queue_manager != own or (each.type == "QLOCAL" and each.clusters))
        ),
        channels=tuple(each for each in cluster.channels if each.queue_manager != but_for),
    )


def apply_refresh(cluster: Cluster, name: str, removed: Collection[int], unnamed: Collection[int]) -> Cluster:
    """Remove what a refresh removes (``removed``, by id) from the cluster ``name``.

    What is in further clusters stays there. Of a queue manager the name stays, in no cluster, unless it is ``unnamed``
    (ids again) and no channel leads to it any more.
    """
    channels = tuple(each for each in cluster.channels if id(each) not in removed)
    reached = {each.queue_manager for each in channels}

    def left(listed: Any) -> Iterator[Any]:
        for each in listed:
            forgotten = isinstance(each, RemoteQueueManager) and name not in each.clusters
            if id(each) not in removed and not forgotten:
                yield each
            elif (after := _outside(each, name)).clusters or stays(each):
                yield after

    def stays(each: Any) -> bool:
        return isinstance(each, RemoteQueueManager) and (id(each) not in unnamed or each.name in reached)

    return evolve(
        cluster,
        remote_queue_managers=tuple(left(cluster.remote_queue_managers)),
        queues=tuple(left(cluster.queues)),
        queue_manager_aliases=tuple(left(cluster.queue_manager_aliases)),
        channels=channels,
    )


def read_in_flight(data: object, cluster: Cluster | None) -> tuple[tuple[InFlightMessage, ...], list[str]]:
    """Read the messages in flight of a document, and every fault; ``cluster`` is None where its facts are at fault."""
    made, faults = read_rows(data, "in_flight", _maker)
    if cluster is not None and not faults:
        faults = list(islice(_faults(made, cluster), MOST_FAULTS))
    return tuple(made), faults


def find_route(message: InFlightMessage, cluster: Cluster) -> Channel:
    """Find the route on which a message was sent. Raises KeyError."""
    for channel in cluster.channels:
        if _is_route(message, channel):
            return channel
    raise KeyError(message.channel)


@frozen
class AdministrationSubject:
    """One thing that an event touches; ``name``, ``host`` and ``cluster`` tell it from others.

    What each attribute means is in the vocabulary of administration, ``engine/audit/vocabulary.toml``.
    """

    asked: str = rule_field(Words(QUESTIONS), "suspend")
    kind: str = rule_field(Words(KINDS_TOUCHED), "")
    name: str = rule_field(NAME_OR_BLANK, "")
    host: str = rule_field(NAME_OR_BLANK, "")
    cluster: str = rule_field(NAME_OR_BLANK, "")
    owned: bool = False
    suspended: bool = False
    mode: str = rule_field(Words(MODES_STATED), "")
    repos: str = word_field("NO", "YES", default="NO")
    status: str = rule_field(Words(CHANNEL_STATES), "INACTIVE")
    deftype: str = rule_field(Words((*DEFTYPES, "")), "")
    also_elsewhere: bool = False
    waiting: int = rule_field(Whole(0, LARGEST), 0)
    in_flight: int = rule_field(Whole(0, LARGEST), 0)
    outbound: bool = False
    full_repository: bool = False
    at_full_repository: bool = False
    repositories: str = rule_field(LISTED, "")
    persistent: bool = True
    fast: bool = True
    bound: bool = False
    in_doubt: bool = False
    delivered: bool = False
    chosen_again: bool = False
    alternative: bool = False
    alternative_down: bool = False
    others_permitted: bool = False
    exit_refuses: bool = False
    exit_fails: bool = False
    exit_keeps: bool = False
    leads: str = rule_field(Words(LEADS), "here")
    base: str = rule_field(NAME_OR_BLANK, "")
    disabled: str = rule_field(NAME_OR_BLANK, "")
    full: bool = False
    chosen_behind: bool = False
    queue_manager_named: bool = False
    reason: str = rule_field(Words(("", *REASONS)), "")
    dead_letter_queue: bool = False
    age: int = rule_field(DAYS, 0)
    owner_age: int = rule_field(DAYS, 0)
    referenced: bool = False
    referenced_today: bool = False


@frozen(eq=False)
class RepositoryContent:
    """What is held, in the order of the files; ``warnings`` tell of those that were found and passed by."""

    information: tuple[Information, ...] = ()
    requests: tuple[Request, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def read_repository_content(sources: Sequence[Source], on: date) -> RepositoryContent:
    """Read what repositories hold, for a look at it ``on`` a day; raises FactsError with every fault.

    Files in MQ's own formats hold nothing of the kind.
    """
    information: list[Information] = []
    requests: list[Request] = []
    reader = SourceReader()
    faults, warnings = reader.faults, reader.warnings
    found = (reader.read(source, lambda file: read_contents(file.data, file.name)) for source in sources)
    read = [*chain.from_iterable(found)]
    faults += (fault for each in read for fault in each.diagnostics)
    read = [each for each in read if not each.diagnostics]
    for document in (each for each in read if isinstance(each, FactsDocument)):
        named = document.source
        faults += read_facts(document.data, named, "?", places=document.places).diagnostics
        held, wrong = read_rows(document.data, "information", _information)
        asked, wrong_too = read_rows(document.data, "request", _request)
        told = [*wrong, *wrong_too] or [*_out_of_time(held, asked, on)]
        faults += (Diagnostic(named, each, *document.places.told_by(each)) for each in told)
        information += held
        requests += asked
    if faults or (warnings and not read):
        raise FactsError(faults or warnings)
    return RepositoryContent(tuple(information), tuple(requests), tuple(warnings))


def parse_day(text: str) -> date:
    """Parse the day that an option names. Raises ValueError with what is allowed."""
    try:
        found: date = DAY(text, name_argument("on"))
    except DomainError:
        raise ArgumentError(
            f"{name_argument('on')}: {quote_value(text)} is not allowed; allowed: {ALLOWED_DAY}"
        ) from None
    return found


def _outside(each: Any, name: str) -> Any:
    clusters = tuple(other for other in each.clusters if other != name)
    if isinstance(each, RemoteQueueManager):
        return evolve(each, clusters=clusters, suspended=tuple(other for other in each.suspended if other != name))
    return evolve(each, clusters=clusters)


def _is_route(message: InFlightMessage, channel: Channel) -> bool:
    return (
        channel.name == message.channel
        and message.queue_manager in ("", channel.queue_manager)
        and message.cluster in ("", channel.cluster)
    )


def _faults(made: list[InFlightMessage], cluster: Cluster) -> Iterator[str]:
    ids: set[str] = set()
    routes: dict[tuple[str, str, str], list[Channel]] = {}
    senders = [channel for channel in cluster.channels if channel.deftype != "CLUSRCVR"]
    for at, each in enumerate(made, 1):
        label = render_table_label("in_flight", at, {"name": each.id})
        if each.id in ids:
            yield f"{label}: id: {quote_value(each.id)} is given twice"
        ids.add(each.id)
        if each.queue not in cluster.queues_by_name:
            yield f"{label}: {describe_unknown_name('queue', each.queue, cluster.queues_by_name)}"
        key = (each.channel, each.queue_manager, each.cluster)
        if key not in routes:
            routes[key] = [channel for channel in senders if _is_route(each, channel)]
        yield from (f"{label}: {fault}" for fault in _route_faults(each, routes[key], senders))
        yield from (f"{label}: {fault}" for fault in _doubt_faults(each, routes[key]))


def _doubt_faults(each: InFlightMessage, found: list[Channel]) -> Iterator[str]:
    """A message that a channel sends outside its batches is never in doubt."""
    if each.in_doubt and not each.persistent and any(route.npmspeed == "FAST" for route in found):
        yield (
            f"in_doubt: True is not allowed of a message that is not persistent on {each.channel}, which has"
            " NPMSPEED(FAST); allowed: persistent = true, or npmspeed = 'NORMAL' of that channel"
        )


def _route_faults(each: InFlightMessage, found: list[Channel], senders: list[Channel]) -> Iterator[str]:
    if not found:
        named = [channel for channel in senders if channel.name == each.channel]
        if not named:
            yield describe_unknown_name("channel", each.channel, (channel.name for channel in senders))
            return
        leads = ", ".join(f"{channel.queue_manager} in {quote_value(channel.cluster)}" for channel in named)
        yield f"channel {quote_value(each.channel)} leads elsewhere; allowed: {leads}"
    elif len(found) > 1:
        leads = ", ".join(f"{channel.queue_manager} in {quote_value(channel.cluster)}" for channel in found)
        yield f"channel {quote_value(each.channel)} is several routes; name one with queue_manager and cluster: {leads}"


def _out_of_time(held: Sequence[Information], asked: Sequence[Request], on: date) -> Iterator[str]:
    late = f"is after {on}, the day that is asked about"
    for at, each in enumerate(held, 1):
        if each.sent > on:
            yield f"{_label('information', at, each.name)}: sent: {each.sent} {late}"
    for at, request in enumerate(asked, 1):
        label = _label("request", at, request.name)
        if request.made > on:
            yield f"{label}: made: {request.made} {late}"
        for day in request.referenced:
            if day < request.made:
                yield f"{label}: referenced: {day} is before {request.made}, the day on which it was made"


def _label(table: str, position: int, name: str) -> str:
    return render_table_label(table, position, {"name": name})
