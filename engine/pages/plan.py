"""What a change does to a cluster: before and after side by side, what moves as a flow, and by which clause."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from attrs import evolve, frozen

from mqclause.cluster.plan import ChangePlan, PlanRow, PlanTable
from mqclause.pages.check import FindingView, view_finding
from mqclause.pages.cluster import OPEN_BANDS, count_names, name_queues, name_some
from mqclause.pages.diagram import Diagram, Drawing, Edge, Node, State, draw_diagrams, list_states
from mqclause.pages.page import RuleText, list_rule_texts, say_origin
from mqclause.render.cluster import (
    MQSC_VERB,
    Unknown,
    describe_no_move,
    describe_upgrades,
    format_amount,
    format_percent,
    group_by,
    group_remarks,
    list_missing_exits,
    list_unknown,
)
from mqclause.render.documents import Document, say_upgrade, say_waiting
from mqclause.rulebook.rules import Rules
from mqclause.trace import join_names

CAUSES_SHOWN = 3
"""How many sentences tell why a destination gets nothing, of several queues."""

LEAST = 1e-9
"""A smaller part is none."""

Place = tuple[str, str]
"""A queue manager and by what puts leave for it; blank: it is the one where they are made."""


@frozen
class SideLine:
    """A destination with its share before and after the change; blank names say that the puts fail."""

    destination: str
    before: float
    after: float
    failure: str = ""

    @property
    def change(self) -> str:
        """How much more or less it gets."""
        return format_percent(abs(self.after - self.before))


@frozen
class CauseView:
    """Why a destination gets nothing on one side."""

    side: str
    destination: str
    rule: str
    clause: str
    because: str


@frozen
class MoveView:
    """Puts that move alike: the queues, from which queue managers, and where they went and go."""

    names: tuple[str, ...]
    is_alias: bool
    members: tuple[str, ...]
    moved: float
    weight: int | None
    lines: tuple[SideLine, ...]
    causes: tuple[CauseView, ...]
    drawing: Drawing | None = None
    is_of_opens: bool = False

    @property
    def heading(self) -> str:
        """The queues, as many as fit a line."""
        return name_queues(self.names, self.is_alias)

    @property
    def told(self) -> str:
        """How much of which puts moves."""
        whole = "the opens" if self.is_of_opens else "the puts"
        of = f"{self.weight:,} puts" if self.weight is not None else whole
        does = "fail then" if self.state == "failed" else "move"
        moved = f"{format_percent(self.moved)} of {of} {does}" if self.moved else "they fail otherwise"
        return f"from {name_some(self.members)}: {moved}"

    @property
    def state(self) -> State:
        """The state that its mark shows: puts that fail after the change are the worst."""
        return "failed" if any(each.failure and each.after for each in self.lines) else "moves"


@frozen
class PlanView:
    """A change to look at; ``asked`` are the options that say what changes, as far as they are known."""

    template: ClassVar[str] = "plan.html"
    open_bands: ClassVar[int] = OPEN_BANDS
    title: ClassVar[str] = "What the change does"

    asked: tuple[str, ...]
    summary: tuple[str, ...]
    moves: tuple[MoveView, ...]
    new: tuple[FindingView, ...]
    gone: tuple[FindingView, ...]
    restarts: tuple[str, ...]
    upgrades: tuple[str, ...]
    traffic: tuple[tuple[str, str, str], ...]
    waiting: tuple[str, ...]
    remarks: tuple[str, ...]
    unknown: tuple[Unknown, ...]
    legend: Mapping[State, str]
    origin: str
    rules: Mapping[str, RuleText]


def view_plan(
    answer: ChangePlan | PlanTable | PlanRow | Document, rules: Rules | None = None, asked: Sequence[str] = (),
    draw: bool = True,
) -> PlanView:  # fmt: skip
    """View a plan, a row of one, or its JSON document; ``rules`` are those that it was made by, unless the project's.

    Raises NotInstalledError where nothing lays out diagrams, unless none are to be drawn.
    """
    document = answer if isinstance(answer, Mapping) else answer.to_json()
    change = answer.change if isinstance(answer, PlanTable) else answer
    still, upgrades = "", tuple(map(say_upgrade, document.get("upgrades", ())))
    if isinstance(change, ChangePlan):
        still, upgrades = describe_no_move(change), tuple(describe_upgrades(change))
        unknown = tuple(_list_asked(change))
    else:
        asking = ({"from": document.get("from"), **each} for each in document.get("incomplete", ()))
        unknown = tuple(_view_unknown(asking))
    document = document if "rows" in document else {"rows": [document]}
    rows = [*document["rows"], *document.get("queue_manager_aliases", ())]
    moves = [_view_move(group) for group in group_by(rows, _tell_moves)]
    drawings = draw_diagrams([_draw_move(each) for each in moves]) if draw else []
    findings = document.get("findings") or {"new": (), "gone": ()}
    new, gone = (tuple(map(view_finding, findings[side])) for side in ("new", "gone"))
    named = {cause.rule for each in moves for cause in each.causes} | {each.rule for each in (*new, *gone)}
    marks: set[State] = {each.state for each in moves} | {each.state for each in (*new, *gone)}
    if unknown:
        marks.add("unknown")
    return PlanView(
        tuple(asked), tuple(_summarize(document, rows, still)),
        tuple(evolve(each, drawing=drawings[at] if draw else None) for at, each in enumerate(moves)), new, gone,
        tuple(document.get("restarts", ())), upgrades,
        tuple(_list_traffic(document.get("traffic"))), tuple(map(_view_waiting, document.get("waiting", ()))),
        tuple(_group_remarks(document.get("remarks", ()))), unknown,
        list_states(drawings, marks),
        say_origin(document), list_rule_texts(Rules.given(rules), sorted(named)),
    )  # fmt: skip


def _list_asked(change: ChangePlan) -> Iterator[Unknown]:
    """What a plan rests on, as its text names it: exits, objects, command levels."""
    yield from list_missing_exits(change.exits)
    yield from list_unknown(row for _, row in change.in_question)[1]
    for level in change.unknown_levels:
        yield Unknown(f"{level.what} of {level.object}", level.command, f"at {level.object}")


def _tell_moves(row: Document) -> Hashable:
    """What rows have alike whose puts move alike, those of several queues, too."""
    sides = tuple((_get_failure(row[side]), tuple(_sum_parts(row[side]).items())) for side in ("before", "after"))
    causes = tuple((of["side"], of["destination"]["queue_manager"], of["rule"]) for of in row["because"])
    return not row.get("queue"), row.get("of_opens", False), sides, causes


def _view_move(group: Sequence[Document]) -> MoveView:
    first = group[0]
    names = tuple(dict.fromkeys(map(_name, group)))
    weights = [each["weight"] for each in group if "weight" in each]
    before, after = _sum_parts(first["before"]), _sum_parts(first["after"])
    lines = [
        SideLine(_name_place(each), before.get(each, 0.0), after.get(each, 0.0))
        for each in dict.fromkeys([*before, *after])
    ]
    failures = _get_failure(first["before"]), _get_failure(first["after"])
    lines += [
        SideLine("nowhere", float(each == failures[0]), float(each == failures[1]), each)
        for each in dict.fromkeys(filter(None, failures))
    ]
    return MoveView(
        names, not first.get("queue"), tuple(dict.fromkeys(each["from"] for each in group)), first["moved"],
        sum(weights) if weights else None, tuple(lines), tuple(_join_causes(group)),
        is_of_opens=first.get("of_opens", False),
    )  # fmt: skip


def _sum_parts(side: Document) -> dict[Place, float]:
    """The share of each destination; a local one is the same whatever lends it a channel."""
    found: dict[Place, float] = {}
    for each in side["shares"]:
        key = each["queue_manager"], each.get("transmission_queue") or each["channel"] or ""
        found[key] = found.get(key, 0.0) + each["share"]
    return found


def _get_failure(side: Document) -> str:
    reason = side["reason"]
    return f"{reason['name']} ({reason['code']})" if reason else "" if side["shares"] else str(side["outcome"])


def _name_place(place: Place) -> str:
    return f"{place[0]} by {place[1]}" if place[1] else f"{place[0]} (local)"


def _join_causes(group: Sequence[Document]) -> Iterator[CauseView]:
    """Why each destination gets nothing on a side: the first sentences, which may name a queue, and how many more."""
    found: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for each in (each for row in group for each in row["because"]):
        key = each["side"], each["destination"]["queue_manager"], each["rule"] or "", each["clause"] or ""
        found.setdefault(key, {})[each["because"]] = None
    for key, said in found.items():
        more = f"; and {len(said) - CAUSES_SHOWN} more like it" if len(said) > CAUSES_SHOWN else ""
        yield CauseView(*key, f"{'; '.join([*said][:CAUSES_SHOWN])}{more}")


def _draw_move(move: MoveView) -> Diagram:
    """What each destination had on the left, what it has on the right, and between them what stays and what moves."""
    had = [each for each in move.lines if each.before]
    has = [each for each in move.lines if each.after]
    nodes = [_draw_side(each, each.before) for each in had] + [_draw_side(each, each.after) for each in has]
    edges = [
        Edge(one, len(had) + other, *_tell_flow(has[other], part, moves))
        for one, other, part, moves in _list_flows(had, has)
    ]
    said = (
        f"{each.destination}: {format_percent(each.before)}, then {format_percent(each.after)}" for each in move.lines
    )
    return Diagram(f"{move.heading}: before and after", "; ".join(said), tuple(nodes), tuple(edges))


def _draw_side(line: SideLine, part: float) -> Node:
    if line.failure:
        return Node((line.failure,), "failed")
    return Node((line.destination, format_percent(part)), "ok")


def _tell_flow(to: SideLine, part: float, moves: bool) -> tuple[str, float, State]:
    """The label of a flow, how much it is of all, and its state."""
    if to.failure:
        return f"{format_percent(part)} fails", part, "failed"
    return f"{format_percent(part)} {'moves' if moves else 'stays'}", part, "moves" if moves else "stays"


def _list_flows(had: Sequence[SideLine], has: Sequence[SideLine]) -> Iterator[tuple[int, int, float, bool]]:
    """From where to where so much goes, and whether it moves: what is lost is won in proportion."""
    places = {(each.destination, each.failure): at for at, each in enumerate(has)}
    stays = [min(each.before, each.after) for each in had]
    for at, each in enumerate(had):
        if stays[at] > LEAST:
            yield at, places[each.destination, each.failure], stays[at], False
    lost = {at: each.before - stays[at] for at, each in enumerate(had)}
    won = {at: each.after - min(each.before, each.after) for at, each in enumerate(has)}
    total = sum(won.values())
    for at, less in lost.items():
        for to, more in won.items():
            if less > LEAST and more > LEAST:
                yield at, to, less * more / total, True


def _summarize(document: Document, rows: Sequence[Document], still: str) -> Iterator[str]:
    """Summarize the change; where no row differs, ``still`` says so, as far as that is known."""
    moving = [each for each in rows if each["moved"]]
    failing = [each for each in rows if _get_failure(each["after"]) and not _get_failure(each["before"])]
    if not rows:
        yield f"{still[:1].upper()}{still[1:]}" or "Every put goes where it went, as far as each queue alone goes"
    else:
        named = {(not each.get("queue"), _name(each)) for each in rows}
        members = name_some(sorted({each["from"] for each in rows}))
        yield f"Puts to {count_names(len(named), sum(is_alias for is_alias, _ in named))} change, from {members}"
    if len(moving) < len(rows):
        yield f"Of {len(rows)} rows of the map that change {len(moving)} move, the others fail for another reason"
    if failing:
        yield f"Puts fail then and did not before: {len(failing)} of the rows"
    if waiting := {_name(each) for each in document.get("waiting", ())}:
        yield f"Puts to {name_some(sorted(waiting))} wait then for a channel"
    yield from _sum_traffic(document.get("traffic"))
    findings = document.get("findings") or {}
    for side, said in (("new", "new"), ("gone", "no longer there")):
        if number := len(findings.get(side, ())):
            yield f"{number} finding{'s' if number > 1 else ''} of check {said}"


def _sum_traffic(document: Document | None) -> Iterator[str]:
    """How many of the real puts move, and how many the map does not have."""
    if not document or not document["puts"]:
        return
    moved = sum(each["puts"] for each in document["moves"])
    part = format_percent(moved / document["puts"]) if moved else "none"
    yield f"{part} of {format_amount(document['puts'])} real puts would go otherwise"
    if document["elsewhere"]:
        told = "of them are of queues, or at queue managers, that the map does not have"
        yield f"{format_amount(document['elsewhere'])} {told}"


def _list_traffic(document: Document | None) -> Iterator[tuple[str, str, str]]:
    for each in document["moves"] if document else ():
        yield each["out_of"] or "fails", each["into"] or "fails", f"{each['puts']:,.0f}"


def _view_waiting(document: Document) -> str:
    return f"{_name(document)} from {document['from']}: {say_waiting(document)}"


def _group_remarks(listed: Iterable[Document]) -> Iterator[str]:
    """Each remark once, with the queues and the queue managers that it is about, then those about no puts."""
    listed = list(listed)
    of_puts = [each for each in listed if each["from"]]
    yield from group_remarks((_name(each), each["from"], each["remark"]) for each in of_puts)
    yield from (each["remark"] for each in listed if not each["from"])


def _view_unknown(listed: Iterable[Document]) -> Iterator[Unknown]:
    """The objects of which something is not known, each once, with where the command that tells it is run."""
    asked: dict[tuple[str, str], dict[str, None]] = {}
    for each in listed:
        what = each["object"] if each["command"].startswith(MQSC_VERB) else each["what"]
        asked.setdefault((what or each["what"], each["command"]), {})[each["from"]] = None
    for (what, command), of in asked.items():
        members = join_names(list(of))
        if command.startswith(MQSC_VERB):
            yield Unknown(what, command, f"at {members}")
        else:  # a command of the shell names its queue manager, whoever wants to know
            yield Unknown(f"from {members}: {what}", command)


def _name(row: Document) -> str:
    return str(row.get("queue") or row["queue_manager"])
