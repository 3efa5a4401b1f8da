"""A cluster as diagrams: where the puts to its queues go, from each queue manager, in which shares.

The diagrams stand on a page, in one SVG file, or in a flowchart that Markdown shows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, ClassVar

from attrs import evolve, frozen

from mqclause.cluster.counterfactuals import find_eliminations
from mqclause.cluster.map import ClusterMap, MapRow, choose_after_start
from mqclause.model.configuration.members import get_local_name
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import escape_controls
from mqclause.model.facts.objects import QueueManager, RemoteQueueManager
from mqclause.model.facts.workload import Destination
from mqclause.pages.diagram import Diagram, Drawing, Edge, Node, State, draw_diagrams, list_states
from mqclause.pages.page import RuleText, list_rule_texts, read_style, render_template, say_origin
from mqclause.render.cluster import Unknown, format_percent, group_by, join_edition_remarks, list_unknown
from mqclause.render.documents import Document
from mqclause.rulebook.rules import Rules
from mqclause.trace import join_names
from mqclause.workload.decision import Engine
from mqclause.workload.editions import split_edition_source
from mqclause.workload.shares import find_balancing_rules

RUNNING = ("", "INACTIVE", "RUNNING")
STOPPED = "STOPPED"
WORST: tuple[State, ...] = ("disabled", "stopped", "waiting", "suspended", "unknown", "ok")
"""The states of a route, the one that is shown first."""

OVERVIEW_STATES: tuple[State, ...] = ("stopped", "waiting", "unknown")
"""The states of a route that an overview shows, the worst first."""

NAMES_SHOWN = 3
"""How many queue managers or queues are named in a line of a diagram, before the number of the others."""

OVERVIEW_EDGES = 40
"""With more edges than this an overview says nothing; the table has it then."""

OPEN_BANDS = 12
"""So many groups of queues are shown; further ones are folded, and so are all where a filter leaves fewer."""

NOWHERE = "nowhere"

LEAST_OF_EVEN = 0.1
"""A host that gets less than this part of an even share is named at the head."""

LONGEST_LINE = 48
"""So many letters of why a destination gets nothing stand in a diagram."""

PLAIN = re.compile(r"[^A-Za-z0-9 ._/%:,()+-]")
"""What a label of a flowchart may hold as it is; all else is written by its number."""

LINE_END = "<br/>"
CLASSES = {
    "bad": "stroke:#a40e26,stroke-width:3px", "odd": "stroke:#7a4100,stroke-width:3px",
    "idle": "stroke:#57606a,color:#57606a", "undescribed": "stroke-dasharray:5 4",
}  # fmt: skip
"""The classes of nodes, each with its style."""

CLASS_OF: Mapping[State, str] = {
    "failed": "bad", "disabled": "bad", "stopped": "bad", "suspended": "odd", "waiting": "odd", "idle": "idle",
}  # fmt: skip

NO_QUEUE = "no queue is known in a cluster"

GROUNDS_SHOWN = 5
"""So many facts are named that the answer rests on; a page has them all."""

LETTER = 7.5
LINE = 18
"""How wide a letter and how high a line is outside diagrams."""

HEADING = 30
BETWEEN = 20
LEGEND = 190
"""How wide a word of the legend is."""


@frozen
class Route:
    """A destination of a put as the queue manager sees it where the put is made.

    ``part`` is its share, 0 where it gets nothing ``because`` of a ``rule``; ``states`` are those in which it should
    not be, each with its word, the worst first. ``cause`` is what makes its share another than that of others.
    ``queue`` is what it has there, blank if only the queue manager was named.
    """

    queue_manager: str
    channel: str
    is_local: bool
    part: float
    states: tuple[tuple[State, str], ...] = ()
    rule: str = ""
    clause: str = ""
    because: str = ""
    cause: str = ""
    queue: str = ""

    @property
    def state(self) -> State:
        """The worst of its states."""
        return self.states[0][0] if self.states else "ok"

    @property
    def said(self) -> str:
        """Its states in words."""
        return ", ".join(word for _, word in self.states)

    @property
    def alike(self) -> Hashable:
        """What routes of different queues have alike that look alike."""
        return self.queue_manager, self.channel, self.is_local, self.part, self.said, self.rule, self.cause


@frozen
class Flow:
    """Where the puts to one queue go that are made at one queue manager; ``is_alias``: that name a queue manager.

    ``exits`` are named and not given, each with the command that has it called.
    """

    name: str
    is_alias: bool
    member: str
    failure: str
    routes: tuple[Route, ...]
    remarks: tuple[str, ...] = ()
    told_by: tuple[tuple[str, str], ...] = ()
    balanced_by: tuple[str, ...] = ()
    exits: tuple[tuple[str, str], ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether all of the puts stay at the queue manager where they are made."""
        return all(each.is_local for each in self.routes if each.part)

    @property
    def alike(self) -> Hashable:
        """What flows to different queues have alike that look alike."""
        said = frozenset(split_edition_source(each, self.member) or each for each in self.remarks)
        return self.failure, frozenset(each.alike for each in self.routes), said

    @property
    def drawn(self) -> Hashable:
        """What flows have alike that are drawn as one: who gets which part, wherever that is."""
        used = (each for each in self.routes if each.part)
        return self.failure, frozenset((each.queue_manager, each.part, each.states) for each in used)

    @classmethod
    def of(cls, row: MapRow, engine: Engine) -> Flow:
        """Take from a row of a map what is drawn, with what tells why some destinations get nothing."""
        untold = {(each.name, each.queue_manager) for each in row.snapshot.of_unknown_state}
        parts = {each.destination: float(each.part) for each in row.shares}
        causes = _find_causes(row)
        others = [each for each in row.decision.listed if each not in parts]
        why = _find_reasons(row, engine) if others else {}
        waiting = {each.destination for each in row.waiting}
        routes = [
            evolve(_view_route(each, part, untold, each in waiting), cause=causes.get(each, ""))
            for each, part in parts.items()
        ]
        routes += [_view_route(each, 0.0, untold, False, *why.get(each, ("", "", ""))) for each in others]
        reason, of_member = row.reason, {*row.odd_levels}
        failure = f"{reason.name} ({reason.code})" if reason is not None else "" if row.shares else row.outcome
        by = find_balancing_rules(row.decision) if causes else ()
        remarks = tuple(each for each in row.remarks if each not in of_member)
        exits = tuple((each.what, each.command) for each in row.exits)
        return cls(row.name, not row.queue, row.member, failure, tuple(routes), remarks, row.told_by, by, exits)

    @classmethod
    def of_document(cls, row: Document) -> Flow:
        """Take from the document of a row what is drawn: what has a share, without its state."""
        routes = tuple(_view_share(each) for each in row["shares"])
        reason = row["reason"]
        failure = f"{reason['name']} ({reason['code']})" if reason else "" if routes else row["outcome"]
        unknown = tuple((each["what"], each["command"]) for each in row.get("incomplete", ()))
        name, is_alias = row.get("queue") or row["queue_manager"], not row.get("queue")
        return cls(name, is_alias, row["from"], failure, routes, tuple(row.get("remarks", ())), unknown)


@frozen
class MemberView:
    """A queue manager of the cluster; ``is_described`` by a file of its own, and not by what others know of it alone.

    ``hosts`` is how many of the queues that are shown it hosts, ``failing`` what cannot be put to from it,
    of which so many are aliases of queue managers.
    """

    name: str
    is_described: bool
    hosts: int
    failing: tuple[str, ...]
    failing_aliases: int
    clusters: tuple[str, ...] = ()
    suspended: tuple[str, ...] = ()
    is_repository: bool = False
    level: int = 0

    @property
    def said(self) -> str:
        """What is known of it, in words."""
        suspended = f"suspended in {', '.join(self.suspended)}" if self.suspended else ""
        failing = "puts fail" if self.failing else ""
        known = "" if self.is_described else "known by others alone"
        return "; ".join(filter(None, (failing, suspended, known))) or "its files are given"

    @property
    def said_failing(self) -> str:
        """The queues that cannot be put to from it, in words."""
        count = count_names(len(self.failing), self.failing_aliases)
        return f"{count}: {name_some(self.failing)}" if self.failing else ""

    @property
    def state(self) -> State:
        """The state that its mark shows."""
        return "failed" if self.failing else "suspended" if self.suspended else "ok" if self.is_described else "unknown"


@frozen
class BandLine:
    """A line of the table below a diagram: who puts, and what one destination gets of it."""

    senders: str
    destination: str
    channel: str
    part: float
    state: State
    said: str
    rule: str = ""
    clause: str = ""
    because: str = ""

    @property
    def share(self) -> str:
        """The share in words."""
        return format_percent(self.part)


@frozen
class Band:
    """Queues whose puts go alike, with the diagram of where they go and the same in lines."""

    names: tuple[str, ...]
    is_alias: bool
    members: tuple[str, ...]
    state: State
    told: str
    lines: tuple[BandLine, ...]
    remarks: tuple[str, ...]
    diagram: Diagram
    drawing: Drawing | None = None

    @property
    def heading(self) -> str:
        """The queues, as many as fit a line."""
        return name_queues(self.names, self.is_alias)


@frozen
class ClusterView:
    """A cluster to look at. ``matrix`` has for each queue manager how many queues it sends to each of ``hosts``."""

    template: ClassVar[str] = "cluster.html"
    open_bands: ClassVar[int] = OPEN_BANDS

    summary: tuple[str, ...]
    members: tuple[MemberView, ...]
    hosts: tuple[str, ...]
    matrix: tuple[tuple[str, tuple[int, ...]], ...]
    overview: Drawing | None
    bands: tuple[Band, ...]
    unknown: tuple[Unknown, ...]
    legend: Mapping[State, str]
    origin: str
    rules: Mapping[str, RuleText]
    remarks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title of the page."""
        clusters = dict.fromkeys(name for each in self.members for name in each.clusters)
        return f"Where puts go in {name_some(list(clusters))}" if clusters else "Where puts go"

    @property
    def drawings(self) -> list[tuple[str, Drawing]]:
        """The diagrams with what stands above each, the overview first."""
        first = [("All queues", self.overview)] if self.overview is not None else []
        return [*first, *((each.heading, each.drawing) for each in self.bands if each.drawing is not None)]


def name_some(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """Name the first of some names, and how many there are besides."""
    rest = len(names) - most
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:most])} and {rest} more"


def name_queues(names: Sequence[str], is_alias: bool) -> str:
    """Name queues, or aliases of queue managers, as many as fit a line."""
    return f"{name_some(names)}{' (queue manager)' if is_alias else ''}"


def view_map(answer: ClusterMap | MapRow | Document, engine: Engine | None = None, draw: bool = True) -> ClusterView:
    """View a map, a row of one, or its JSON document, which tells no states and of nobody who gets nothing.

    Raises NotInstalledError where nothing lays out diagrams, unless none are to be drawn.
    """
    if isinstance(answer, Mapping):
        rows = answer.get("rows", [answer])
        flows = [Flow.of_document(each) for each in (*rows, *answer.get("queue_manager_aliases", ()))]
        return view_cluster(flows, (), Rules(), say_origin(answer), draw)
    listed = [answer] if isinstance(answer, MapRow) else list(answer)
    by = Engine.given(engine or (Engine(listed[0].decision.rules) if listed else None))
    snapshots = {id(each.snapshot): each.snapshot for each in listed}
    view = view_cluster([Flow.of(each, by) for each in listed], [*snapshots.values()], by.rules, draw=draw)
    return evolve(view, remarks=tuple(dict.fromkeys(said for each in listed for said in each.odd_levels)))


def view_cluster(
    flows: Iterable[Flow], snapshots: Sequence[Snapshot], rules: Rules, origin: str | None = None, draw: bool = True
) -> ClusterView:
    """View flows, which were made by ``rules`` at the queue managers of ``snapshots``; ``origin`` is of whose they are.

    Raises NotInstalledError where nothing lays out diagrams, unless none are to be drawn.
    """
    found = sorted(flows, key=lambda each: (each.is_alias, each.name, each.member))
    described = {name for each in snapshots for name in (get_local_name(each), *each.others.hosted)}
    described = described or {each.member for each in found}
    bands = sorted(_view_bands(found, described), key=_get_urgency)
    overview = _draw_overview(found, described) if draw and len(bands) > 1 else None
    drawings = draw_diagrams([*([overview] if overview else []), *(each.diagram for each in bands)]) if draw else []
    placed = drawings[1:] if overview else drawings
    shown = [evolve(each, drawing=placed[at] if draw else None) for at, each in enumerate(bands)]
    hosts, matrix = _count_queues(found)
    members = tuple(_view_members(found, snapshots, described))
    unknown = (*_list_exits(found), *list_unknown(found)[1])
    named = {line.rule for each in shown for line in each.lines} | {rule for each in found for rule in each.balanced_by}
    return ClusterView(
        tuple(_summarize(found)), members, hosts, matrix, drawings[0] if overview else None, tuple(shown), unknown,
        list_states(drawings, _list_marks(members, shown, unknown)),
        str(rules.origin or "") if origin is None else origin, list_rule_texts(rules, sorted(named)),
    )  # fmt: skip


def _list_exits(flows: Iterable[Flow]) -> Iterator[Unknown]:
    """The exits that nobody has given, each once with who would call it: what they make of the choice is not known."""
    called: dict[tuple[str, str], dict[str, None]] = {}
    for flow in flows:
        for each in flow.exits:
            called.setdefault(each, {})[flow.member] = None
    for (what, command), members in called.items():
        yield Unknown(f"from {join_names(list(members))}: {what}", command)


def _list_marks(members: Sequence[MemberView], bands: Sequence[Band], unknown: Sequence[Unknown]) -> Iterator[State]:
    """The states that a page shows by marks beside its diagrams."""
    yield from (each.state for each in members if each.is_described or each.state != "unknown")
    for band in bands:
        yield band.state
        yield from (line.state for line in band.lines if line.said)
        if band.remarks:
            yield "remark"
    if unknown:
        yield "unknown"


def _find_causes(row: MapRow) -> dict[Destination, str]:
    """What makes the shares of destinations differ: the weights of channels, or a counter that some have in common."""
    used = [each.destination for each in row.shares]
    if row.by_exit is not None or len({each.part for each in row.shares}) < 2:
        return {}
    if len({each.channel_weight for each in used}) > 1:
        return {each: f"weight {each.channel_weight}" for each in used}
    counters = Counter(each.counter for each in used)
    return {each: "counter in common" if counters[each.counter] > 1 else "counter of its own" for each in used}


def _find_reasons(row: MapRow, engine: Engine) -> dict[Destination, tuple[str, str, str]]:
    """Why destinations of a row get nothing: by which rule, its clause, and the text."""
    if row.by_exit is not None:
        return {}
    made = row.decision
    told = choose_after_start(made.put, made.cluster, engine, made.before, "rule")
    return {each: (rule.id, rule.clause, because) for each, rule, because in find_eliminations(told) if rule}


def _view_route(
    each: Destination, part: float, untold: set[tuple[str, str]], waits: bool, rule: str = "", clause: str = "",
    because: str = "",
) -> Route:  # fmt: skip
    states: dict[State, str] = {}
    if not each.put_enabled:
        states["disabled"] = "put disabled"
    if each.suspended:
        states["suspended"] = "suspended"
    if not each.is_local and not each.transmission_queue:
        if (each.channel, each.queue_manager) in untold:
            states["unknown"] = "status not known"
        elif each.channel_status == STOPPED:
            states["stopped"] = STOPPED
        elif each.channel_status not in RUNNING:
            states["waiting"] = each.channel_status
    if waits and not states:
        states["waiting"] = "waits"
    if len(states) > 1:
        states.pop("unknown", None)
    by = each.transmission_queue or ("" if each.is_local else each.channel)
    told = tuple((state, states[state]) for state in WORST if state in states)
    return Route(each.queue_manager, by, each.is_local, part, told, rule, clause, because, queue=each.queue)


def _view_share(each: Document) -> Route:
    by = each.get("transmission_queue") or each["channel"]
    return Route(each["queue_manager"], by or "", not by, each["share"], queue=each["queue"] or "")


def _view_bands(flows: Sequence[Flow], described: set[str]) -> Iterator[Band]:
    """The queues in groups of those whose puts go alike from everywhere."""
    by_queue = [list(of) for _, of in groupby(flows, lambda each: (each.is_alias, each.name))]
    for group in group_by(by_queue, lambda of: tuple((each.is_alias, each.member, each.alike) for each in of)):
        first = group[0]
        alike = group_by(first, attrgetter("alike"))
        named = ((", ".join(each.member for each in of), of[0]) for of in alike)
        lines = tuple(line for who, flow in named for line in _view_lines(who, flow))
        routes = [route for flow in first for route in flow.routes]
        members = dict.fromkeys([*(flow.member for flow in first), *(each.queue_manager for each in routes)])
        failing = [flow.member for flow in first if flow.failure]
        told_of = [*_list_telling(first)]
        states = {each.state for each in told_of}
        state: State = "failed" if failing else next((each for each in WORST if each in states), "ok")
        odd = _tell_states([*told_of, *_list_idle(routes)])
        told = f"cannot be put to from {name_some(failing)}" if failing else odd
        remarks = tuple(_join_remarks(first))
        names, is_alias = tuple(of[0].name for of in group), first[0].is_alias
        diagram = _draw_band(name_queues(names, is_alias), lines, first, described)
        yield Band(names, is_alias, tuple(members), state, told, lines, remarks, diagram)


def _join_remarks(flows: Sequence[Flow]) -> Iterator[str]:
    """Each remark once, with the queue managers whose puts it is about where it is not all of them."""
    joined = join_edition_remarks((flow.member, said) for flow in flows for said in flow.remarks)
    about: dict[str, dict[str, None]] = {}
    for flow in flows:
        for said in flow.remarks:
            about.setdefault(joined[flow.member, said], {})[flow.member] = None
    for said, members in about.items():
        yield said if len(members) == len(flows) else f"from {join_names(list(members))}: {said}"


def _get_urgency(band: Band) -> tuple[int, bool, tuple[str, ...]]:
    return ("failed", *WORST).index(band.state), band.is_alias, band.names


def _list_telling(flows: Sequence[Flow]) -> Iterator[Route]:
    """The routes without those that get nothing and of which it does not matter that nobody knows their state."""
    asked = {what for flow in flows for what, _ in flow.told_by}
    yield from (
        each for flow in flows for each in flow.routes if each.part or each.state != "unknown" or each.channel in asked
    )


def _list_idle(routes: Sequence[Route]) -> list[Route]:
    """Those that get nothing from anybody, though they are as they should be."""
    used = {each.queue_manager for each in routes if each.part or each.state not in ("ok", "unknown")}
    return [evolve(each, states=(("idle", "gets nothing"),)) for each in routes if each.queue_manager not in used]


def _tell_states(routes: Iterable[Route]) -> str:
    """Tell which destinations are not as they should be."""
    found: dict[str, dict[str, None]] = {}
    for each in routes:
        for _, word in each.states:
            found.setdefault(word, {})[each.queue_manager] = None
    return "; ".join(f"{said}: {name_some(list(names))}" for said, names in found.items())


def _view_lines(who: str, flow: Flow) -> Iterator[BandLine]:
    if flow.failure:
        yield BandLine(who, NOWHERE, "", 1.0, "failed", f"fails with {flow.failure}")
    for each in flow.routes:
        destination = f"{each.queue_manager} (local)" if each.is_local else each.queue_manager
        state, said = each.state, ", ".join(filter(None, (each.said, each.cause)))
        yield BandLine(who, destination, each.channel, each.part, state, said, each.rule, each.clause, each.because)


def _draw_band(heading: str, lines: Sequence[BandLine], flows: Sequence[Flow], described: set[str]) -> Diagram:
    """Who puts on the left, who gets it on the right; who gets nothing of anybody with why."""
    senders = group_by(flows, attrgetter("drawn"))
    routes = [route for flow in flows for route in flow.routes]
    hosts = list(dict.fromkeys(route.queue_manager for route in routes))
    failures = list(dict.fromkeys(flow.failure for flow in flows if flow.failure))
    nodes = [_draw_sender([each.member for each in of], bool(of[0].failure)) for of in senders]
    asked = {what for flow in flows for what, _ in flow.told_by}
    nodes += [_draw_host(each, flows, asked, each in described) for each in hosts]
    nodes += [Node((each,), "failed") for each in failures]
    edges = []
    for at, (first, *others) in enumerate(senders):
        if first.failure:
            edges.append(Edge(at, len(senders) + len(hosts) + failures.index(first.failure), "fails", 0.0, "failed"))
        for each in first.routes:
            if each.part:
                to = len(senders) + hosts.index(each.queue_manager)
                state: State = "ok" if each.is_local else each.state
                edges.append(Edge(at, to, _label(each, not others), each.part, state))
    reached = {each.target for each in edges}
    idle = (len(senders) + at for at in range(len(hosts)) if len(senders) + at not in reached)
    edges += [Edge(0, at, "", 0.0, "idle", is_drawn=False) for at in idle]
    said = "; ".join(
        f"from {each.senders} to {each.destination}: {' '.join(filter(None, (each.share, each.said, each.because)))}"
        for each in lines
    )
    return Diagram(heading, said, tuple(nodes), tuple(edges))


def _draw_sender(names: Sequence[str], fails: bool) -> Node:
    return Node((f"from {name_some(names)}",), "failed" if fails else "ok")


def _label(route: Route, is_alone: bool) -> str:
    """The share with the state of the channel, or that it is local to the only queue manager that puts so."""
    said = route.states[0][1] if route.state in ("stopped", "waiting") else "local" * (route.is_local and is_alone)
    return " ".join(filter(None, (format_percent(route.part), route.cause, said)))


def _draw_host(name: str, flows: Sequence[Flow], asked: set[str], is_described: bool) -> Node:
    """A host in its worst known state; that its status is not known is said where the answer rests on that."""
    routes = [route for flow in flows for route in flow.routes if route.queue_manager == name]
    is_used = any(each.part for each in routes)
    state = _judge(routes)
    words = {said: by for each in routes for by, said in each.states if by == state or not is_used}
    channels = list(dict.fromkeys(each.channel for each in routes if each.channel and not each.is_local))
    said = [each for each, by in words.items() if by != "unknown"]
    said += [_shorten(each.because) for each in routes if each.because and state == "idle"][:1]
    said += [each for each, by in words.items() if by == "unknown" and not asked.isdisjoint(channels)]
    lines = (name, *([name_some(channels, 1)] if channels else []), *said)
    return Node(lines, state, is_described, tuple(_tell_missing(name, flows)) if is_used else ())


def _judge(routes: Sequence[Route]) -> State:
    """The worst state that is known of a host; not known where no queue manager knows it that sends to the host."""
    states = {each.state for each in routes}
    if states - {"ok", "unknown"}:
        return next(each for each in WORST if each in states)
    sent = {each.state for each in routes if each.part and not each.is_local}
    is_used = any(each.part for each in routes)
    return "idle" if not is_used else "unknown" if sent == {"unknown"} else "ok"


def _tell_missing(name: str, flows: Sequence[Flow]) -> Iterator[str]:
    """Tell which queue managers send nothing to a host, though they send to others, and why."""
    found: dict[str, list[str]] = {}
    for flow in flows:
        of = [each for each in flow.routes if each.queue_manager == name]
        if of and not any(each.part for each in of) and not flow.failure and not flow.is_local:
            states = ", ".join(dict.fromkeys(said for each in of for by, said in each.states if by != "unknown"))
            found.setdefault(states or of[0].because, []).append(flow.member)
    for why, members in found.items():
        yield f"nothing from {name_some(members)}{f': {_shorten(why)}' if why else ''}"


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1].rstrip()}…"


def _draw_overview(flows: Sequence[Flow], described: set[str]) -> Diagram | None:
    """How many queues each queue manager sends to each, and how many fail; None where that would be a thicket."""
    counts, failing = _count_pairs(flows), Counter(each.member for each in flows if each.failure)
    aliases = [each for each in flows if each.is_alias]
    of_aliases, failing_aliases = _count_pairs(aliases), Counter(each.member for each in aliases if each.failure)
    members = list(dict.fromkeys(each.member for each in flows))
    groups = group_by(
        members, lambda one: (failing[one], tuple((to, n) for (by, to), n in counts.items() if by == one))
    )
    hosts = list(dict.fromkeys(to for _, to in counts))
    of_pair = _group_pairs(flows)
    edges = []
    for at, (first, *_) in enumerate(groups):
        for (one, to), number in counts.items():
            if one == first:
                seen = {each.state for each in of_pair[one, to] if not each.is_local}
                state: State = next((each for each in OVERVIEW_STATES if each in seen), "ok")
                target = len(groups) + hosts.index(to)
                said = count_names(number, of_aliases[one, to])
                edges.append(Edge(at, target, said, number / len(flows), state))
        if number := failing[first]:
            said = f"{count_names(number, failing_aliases[first])} fail{'s' if number == 1 else ''}"
            edges.append(Edge(at, len(groups) + len(hosts), said, number / len(flows), "failed"))
    if len(edges) > OVERVIEW_EDGES or {each.source for each in edges} != {*range(len(groups))} or not edges:
        return None
    nodes = [_draw_sender(each, failing[each[0]] > 0) for each in groups]
    of_host = {name: [each for (_, to), of in of_pair.items() if to == name for each in of] for name in hosts}
    nodes += [Node((each,), _judge(of_host[each]), each in described) for each in hosts]
    nodes += [Node(("puts fail",), "failed")] if failing else []
    told = [f"from {one} to {to}: {count_names(of, of_aliases[one, to])}" for (one, to), of in counts.items()]
    told += [f"from {one}: puts to {count_names(of, failing_aliases[one])} fail" for one, of in failing.items()]
    return Diagram("All queues", "; ".join(told), tuple(nodes), tuple(edges))


def _count_pairs(flows: Iterable[Flow]) -> Counter[tuple[str, str]]:
    """To how many queues, and aliases of queue managers, each queue manager sends at each."""
    return Counter(
        (each.member, to)
        for each in flows
        for to in dict.fromkeys(route.queue_manager for route in each.routes if route.part)
    )


def _group_pairs(flows: Iterable[Flow]) -> dict[tuple[str, str], list[Route]]:
    """The routes by which each queue manager sends to each."""
    found: dict[tuple[str, str], list[Route]] = {}
    for each in flows:
        for route in each.routes:
            if route.part:
                found.setdefault((each.member, route.queue_manager), []).append(route)
    return found


def _count_queues(flows: Sequence[Flow]) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[int, ...]], ...]]:
    counts = _count_pairs(flows)
    hosts = tuple(sorted({to for _, to in counts}))
    members = sorted({each.member for each in flows})
    return hosts, tuple((name, tuple(counts[name, host] for host in hosts)) for name in members)


def _view_members(flows: Sequence[Flow], snapshots: Sequence[Snapshot], described: set[str]) -> Iterator[MemberView]:
    hosted = {(route.queue_manager, route.queue) for each in flows for route in each.routes if route.queue}
    hosts = Counter(name for name, _ in hosted)
    failing: dict[str, tuple[str, ...]] = {}
    aliases = Counter(each.member for each in flows if each.failure and each.is_alias)
    for each in flows:
        if each.failure:
            failing[each.member] = (*failing.get(each.member, ()), each.name)
    facts: dict[str, Any] = {remote.name: remote for of in snapshots for remote in of.cluster.remote_queue_managers}
    suspended = _list_suspended(snapshots)
    facts |= {get_local_name(known): known.cluster.queue_manager for known in snapshots}
    for name in sorted({*facts, *hosts, *(each.member for each in flows)}):
        of = facts.get(name)
        known = () if of is None else (of.clusters, suspended.get(name, ()), of.repository, of.command_level)
        yield MemberView(name, name in described, hosts[name], failing.get(name, ()), aliases[name], *known)


def _list_suspended(snapshots: Iterable[Snapshot]) -> dict[str, tuple[str, ...]]:
    """The clusters in which each queue manager is suspended, as any of them sees it."""
    found: dict[str, dict[str, None]] = {}
    for each in snapshots:
        known: list[QueueManager | RemoteQueueManager] = [each.cluster.queue_manager]
        for one in (*known, *each.cluster.remote_queue_managers):
            found.setdefault(one.name, {}).update(dict.fromkeys(one.suspended))
    return {name: tuple(clusters) for name, clusters in found.items()}


def _summarize(flows: Sequence[Flow]) -> Iterator[str]:
    queues = {each.name for each in flows if not each.is_alias}
    aliases = {each.name for each in flows if each.is_alias}
    members = {each.member for each in flows}
    more = f" and {_count(len(aliases), 'queue manager alias')}" if aliases else ""
    if not flows:
        yield "No queue is known in a cluster"
        return
    yield f"{_count(len(queues), 'queue')}{more}, seen from {_count(len(members), 'queue manager')}"
    failing = [each for each in flows if each.failure]
    named = {(each.is_alias, each.name) for each in failing}
    if failing:
        yield (
            f"Puts fail: {count_names(len(named), sum(is_alias for is_alias, _ in named))} from "
            f"{name_some(list(dict.fromkeys(each.member for each in failing)))}"
        )
    told = _tell_states(route for each in flows for route in each.routes if route.state != "unknown")
    if told:
        yield f"Not as it should be: {told}"
    meagre = dict.fromkeys(said for each in flows for said in _tell_meagre(each))
    if meagre:
        more = f"; and {len(meagre) - NAMES_SHOWN} more" if len(meagre) > NAMES_SHOWN else ""
        yield f"Far less than an even share: {'; '.join([*meagre][:NAMES_SHOWN])}{more}"


def _tell_meagre(flow: Flow) -> Iterator[str]:
    """Tell which hosts get little of the puts of a queue manager, as measured by those that get any."""
    parts, causes = dict[str, float](), dict[str, dict[str, None]]()
    for each in flow.routes:
        if each.part:
            parts[each.queue_manager] = parts.get(each.queue_manager, 0.0) + each.part
            causes.setdefault(each.queue_manager, {})[each.cause] = None
    for name, part in parts.items():
        if part * len(parts) < LEAST_OF_EVEN:
            why = ", ".join(filter(None, causes[name]))
            yield f"{name} {format_percent(part)} of {flow.name} from {flow.member}{f' ({why})' if why else ''}"


def _count(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{number} {what if number == 1 else plural}"


def count_names(number: int, aliases: int) -> str:
    """Count what is put to: queues, and those of the number that are aliases of queue managers."""
    queues = [_count(number - aliases, "queue")] if number > aliases else []
    return ", ".join([*queues, *([_count(aliases, "alias")] if aliases else [])])


def render_drawing(view: ClusterView) -> str:
    """Render all diagrams of a view below one another, as a file of SVG that needs nothing but itself."""
    lines = [*_list_grounds(view)] if view.bands else [NO_QUEUE]
    placed, below = [], float(HEADING + LINE * len(lines))
    width = max([320.0, *(20 + LETTER * len(each) for each in lines)])
    for heading, each in view.drawings:
        placed.append((heading, below, each))
        below += HEADING + each.height + BETWEEN
        width = max(width, each.width)
    columns = int(width // LEGEND)
    legend = list_states([each for _, each in view.drawings])
    height = below + 22 * -(-len(legend) // columns)
    return render_template(
        "drawing.svg", view=view, lines=lines, placed=placed, width=width, height=height, columns=columns, part="",
        legend=legend, style=read_style("colours.css", "pictures.css"),
    )  # fmt: skip


def _list_grounds(view: ClusterView) -> Iterator[str]:
    """By whose rules, and what is not known and could change the answers: no text stands beside a drawing."""
    if view.origin:
        yield f"answered {view.origin}"
    if view.unknown:
        yield "rests on what is not known:"
    for each in view.unknown[:GROUNDS_SHOWN]:
        yield " ".join(filter(None, (f"{each.what}:" if each.command else each.what, each.command, each.where)))
    if len(view.unknown) > GROUNDS_SHOWN:
        yield f"and on {len(view.unknown) - GROUNDS_SHOWN} more"


def render_mermaid(view: ClusterView) -> str:
    """Render the view as a flowchart of Mermaid."""
    return "".join(f"{line}\n" for line in ("flowchart LR", *_write_flowchart(view)))


def _write_flowchart(view: ClusterView) -> Iterator[str]:
    for at, band in enumerate(view.bands):
        yield f'  subgraph b{at}["{_write(band.heading)}"]'
        yield "    direction LR"
        yield from _write_diagram(band.diagram, f"b{at}n")
        yield "  end"
    if lines := [*_list_grounds(view)] if view.bands else [NO_QUEUE]:
        yield f'  rests["{LINE_END.join(map(_write, lines))}"]'
        yield "  class rests undescribed"
    for name, style in CLASSES.items():
        yield f"  classDef {name} {style}"


def _write_diagram(diagram: Diagram, name: str) -> Iterator[str]:
    """Each node with its lines, then each edge; one that is not drawn keeps its nodes beside each other."""
    for at, node in enumerate(diagram.nodes):
        yield f'    {name}{at}["{LINE_END.join(map(_write, (*node.lines, *node.idle_lines)))}"]'
        if node.state in CLASS_OF:
            yield f"    class {name}{at} {CLASS_OF[node.state]}"
        if not node.is_described:
            yield f"    class {name}{at} undescribed"
    for each in diagram.edges:
        one, other = f"{name}{each.source}", f"{name}{each.target}"
        if not each.is_drawn:
            yield f"    {one} ~~~ {other}"
        elif each.state == "ok":
            yield f'    {one} -- "{_write(each.label)}" --> {other}'
        else:
            yield f'    {one} -. "{_write(each.label)}" .-> {other}'


def _write(text: str) -> str:
    """A text in which nothing is left that Mermaid or HTML would obey."""
    return PLAIN.sub(lambda found: f"#{ord(found[0])};", escape_controls(text))
