"""What happened over time: events one after the other, with depth, handles, trigger messages and fates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, ClassVar, NamedTuple

from attrs import define, evolve, field, frozen
from rich.text import Text

from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.pages.diagram import State
from mqclause.pages.page import RuleText, list_rule_texts, say_origin
from mqclause.render.cluster import format_percent
from mqclause.render.documents import Document, name_destination
from mqclause.render.replay import FATE_STYLES, render_consequences, render_event
from mqclause.replay.runner import Row
from mqclause.rulebook.rules import Rules

STYLES: Mapping[str, State] = {"red": "failed", "yellow": "waiting", "green": "ok", "dim": "idle"}
"""The state that stands for the style in which a line is printed; any other is plain."""

MOST_EVENTS = 5_000
"""So many events are shown; that there are more is told."""

MOST_LINES = 20
"""So many different lines are shown of one event that is repeated."""

MOST_LANES = 24
"""So many queues are drawn, those first that most happens to."""

LEFT, TOP, LANE, HEIGHT = 24, 34, 96, 46
FATES, MARK_STEP = 66, 14.0
WIDEST_STEP, NARROWEST_STEP, WIDTH = 64.0, 4.0, 1060.0
TICK = 40.0
"""At least so far apart are the numbers of events."""

Amounts = tuple[int, int]
"""Messages on a queue, and handles that have it open for input."""


Line = tuple[str, State | None]
"""What an event led to, and the state that it is marked by; None: it has no mark."""


@define(eq=False)
class EventRecord:
    """An event with all its repetitions. ``marks`` are by the queue of each, ``amounts`` what has changed by then."""

    number: int
    do: str
    said: str
    count: int = 0
    at: int | None = None
    lines: Counter[Line] = field(factory=Counter)
    left_out: int = 0
    amounts: dict[str, Amounts] = field(factory=dict)
    marks: defaultdict[str, Counter[State]] = field(factory=lambda: defaultdict(Counter))
    fates: Counter[State] = field(factory=Counter)
    rules: dict[str, None] = field(factory=dict)

    def add(self, lines: Iterable[Line]) -> None:
        """Add what a repetition led to."""
        for each in lines:
            if each in self.lines or len(self.lines) < MOST_LINES:
                self.lines[each] += 1
            else:
                self.left_out += 1


class Recorder:
    """Looks on at a replay (see Replay.rows) and records what a page shows of it; repetitions are one event."""

    def __init__(self) -> None:
        self.events: list[EventRecord] = []
        self.first: dict[str, Amounts] = {}
        self.last: dict[str, Amounts] = {}
        self.routed: Counter[str] = Counter()
        self.more = 0
        self.origin = ""
        self._remarked: set[str] = set()

    def watch(self, row: Row | None, state: QueueManagerState) -> None:
        """Record an event with the queue manager after it; None: as it is before the first."""
        if row is None:
            self.first = self.last = _measure(state)
            return
        event = self.record(row.to_json(), row)
        if event is not None:
            now = _measure(state)
            for name in {*now, *self.last}:
                if now.get(name) != self.last.get(name):
                    event.amounts[name] = now.get(name, (0, 0))
            event.at, self.last = state.now, now

    def record(self, document: Document, row: Row | None = None) -> EventRecord | None:
        """Record the document of a row, and the row if it is there; None where there were too many before."""
        routed = document["routed"]
        if routed and "queue_manager" in routed and document["do"] == "put":
            self.routed[name_destination(routed)] += 1
        event = self._get_event(document, row)
        if event is None:
            return None
        event.count += 1
        event.add(_list_lines(row) if row is not None else _tell_lines(document))
        new = [each for each in document.get("remarks", ()) if each not in self._remarked]
        self._remarked.update(new)
        event.add((each, "remark") for each in new)
        _mark(event, document)
        self.origin = self.origin or say_origin(document)
        return event

    def _get_event(self, document: Document, row: Row | None) -> EventRecord | None:
        number = document["event"]
        if self.events and self.events[-1].number == number and not self.more:
            return self.events[-1]
        if len(self.events) >= MOST_EVENTS:
            self.more += 1
            return None
        told = document["do"] if row is None else render_event(evolve(row, repeat=None))
        self.events.append(EventRecord(number, document["do"], told))
        return self.events[-1]


def _measure(state: QueueManagerState) -> dict[str, Amounts]:
    """What lies on each queue, and how often it is open for input, as far as it is more than nothing."""
    opened = {each.base for each in state.handles.open if each.is_for_input} | {*state.handles.standing}
    names = {*state.queues, *opened}
    found = {each: (state.get_depth(each), sum(state.handles.count_opens(each))) for each in names}
    return {name: amounts for name, amounts in found.items() if amounts != (0, 0)}


def _list_lines(row: Row) -> Iterator[Line]:
    for each in render_consequences(row):
        state, text = _get_state(each), each.plain.strip()
        is_of_clause = each.plain.startswith(" ") and state is None
        yield "clause {}: {}".format(*text.split(maxsplit=1)) if is_of_clause else text, state


def _get_state(text: Text) -> State | None:
    styles = " ".join(map(str, (text.style, *(each.style for each in text.spans))))
    return next((state for style, state in STYLES.items() if style in styles), None)


def _tell_lines(document: Document) -> Iterator[Line]:
    """What a document tells of an event, without the row that it is of."""
    routed = document["routed"]
    if routed and "failed" in routed:
        failed = routed["failed"]
        yield f"{failed['call']} fails with {failed['name']} ({failed['code']})", "failed"
    elif routed:
        yield f"goes to {name_destination(routed)}", None
    if document.get("got"):
        yield f"returns {' '.join(document['got'])}", None
    if "reason" in document:
        why = f": {document['because']}" if document.get("because") else ""
        yield f"{'warning' if document.get('warning') else 'reason'} {document['reason']}{why}", "waiting"
    for each in document["trigger_messages"]:
        held = "" if each["available"] else ", held back by the unit of work"
        yield f"trigger message for {each['queue']} by {each['rule']}{held}", "ok"
    for each in document["conditions"]:
        if not each["holds"]:
            yield _say_condition(each), None
    for each in document.get("fates", ()):
        to, fate = f" to {name_destination(each['to'])}" if each["to"] else "", each["fate"]
        yield f"{each['message']} {fate.replace('_', ' ')}{to}: {each['because']}", _get_fate_state(fate)


def _say_condition(condition: Document) -> str:
    """A condition that does not hold. Not each stands in the way: others may do without it."""
    return f"clause {condition['clause']}: {condition.get('because', '')}"


def _get_fate_state(fate: str) -> State:
    return next((state for style, state in STYLES.items() if style in FATE_STYLES.get(fate, "green")), "ok")


def _mark(event: EventRecord, document: Document) -> None:
    """Note the trigger messages of queues, the fates of messages, and the rules that decided."""
    for each in document["trigger_messages"]:
        event.marks[each["queue"]]["ok" if each["available"] else "waiting"] += 1
    for each in document["released"]:
        event.marks[each["queue"]]["ok"] += 1
    for each in document.get("fates", ()):
        event.fates[_get_fate_state(each["fate"])] += 1
    rows: Iterable[Mapping[str, Any]] = chain(
        (each for each in document["conditions"] if not each["holds"] and (_say_condition(each), None) in event.lines),
        document["trigger_messages"],
        document["changed"],
        *(document.get(name, ()) for name in ("fates", "removed", "kept")),
        [each for each in [document.get("refused")] if each],
    )  # fmt: skip
    event.rules |= {each["rule"]: None for each in rows if each["rule"]}


class Mark(NamedTuple):
    """A mark on a lane: where, in which state, and what it says to a pointer."""

    x: float
    down: float
    state: State
    said: str


@frozen
class Lane:
    """A queue over time: the line of its depth, that of handles for input, and marks; ``labels`` are depths."""

    name: str
    top: float
    depth: str
    handles: str
    labels: tuple[tuple[float, float, str], ...]
    marks: tuple[Mark, ...]
    most: int


@frozen
class TimelineDrawing:
    """All lanes below one another, above them the numbers of the events."""

    width: float
    height: float
    ticks: tuple[tuple[float, str], ...]
    lanes: tuple[Lane, ...]
    fates: tuple[Mark, ...]
    description: str


@frozen
class ReplayView:
    """A replay to look at; so many events are left out that are ``more`` than a page shows."""

    template: ClassVar[str] = "replay.html"

    source: str
    events: Sequence[EventRecord]
    more: int
    drawing: TimelineDrawing | None
    routed: tuple[tuple[str, int, str], ...]
    left_lanes: int
    origin: str
    rules: Mapping[str, RuleText]

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"What happens in {self.source}" if self.source else "What happens"


def view_replay(recorded: Recorder | Iterable[Document], rules: Rules | None = None, source: str = "") -> ReplayView:
    """View a replay that a recorder watched, or the documents of its rows, which tell no depths."""
    if not isinstance(recorded, Recorder):
        documents, recorded = recorded, Recorder()
        for each in documents:
            recorded.record(each)
    named = sorted({rule for each in recorded.events for rule in each.rules})
    total = recorded.routed.total()
    routed = tuple((name, count, format_percent(count / total)) for name, count in recorded.routed.most_common())
    happened = Counter(name for each in recorded.events for name in (*each.amounts, *each.marks))
    names = [name for name, _ in happened.most_common()]
    return ReplayView(
        source, recorded.events, recorded.more, _draw(recorded, names[:MOST_LANES]), routed,
        max(len(names) - MOST_LANES, 0), recorded.origin, list_rule_texts(Rules.given(rules), named),
    )  # fmt: skip


def _draw(recorded: Recorder, names: Sequence[str]) -> TimelineDrawing | None:
    events = recorded.events
    fates = any(each.fates for each in events)
    if not (names or fates):
        return None
    step = min(WIDEST_STEP, max(NARROWEST_STEP, WIDTH / len(events)))
    right = LEFT + step * (len(events) + 1)
    lanes = tuple(_draw_lane(name, at, recorded, step, right) for at, name in enumerate(names))
    places = [(LEFT + step * (at + 1), each) for at, each in enumerate(events)]
    every = int(TICK / step) + 1
    ticks = tuple((x, str(each.number)) for x, each in places[::every])
    marks = tuple(
        Mark(x, MARK_STEP * at, state, f"event {each.number}: {number} message{'s' if number > 1 else ''}")
        for x, each in places
        for at, (state, number) in enumerate(each.fates.items())
    )
    said = "; ".join(f"{each.name}: at most {each.most} messages, {len(each.marks)} marks" for each in lanes)
    below = TOP + LANE * len(lanes) + (FATES if fates else 0) + 10
    return TimelineDrawing(max(right, 320.0), below, ticks, lanes, marks, said)


def _draw_lane(name: str, at: int, recorded: Recorder, step: float, right: float) -> Lane:
    top = TOP + LANE * at
    depths = [recorded.first.get(name, (0, 0))]
    marks = []
    for place, each in enumerate(recorded.events):
        depths.append(each.amounts.get(name, depths[-1]))
        for down, (state, number) in enumerate(each.marks.get(name, Counter()).items()):
            what = "trigger message" if state == "ok" else "trigger message held back"
            said = f"event {each.number}: {f'{number} times ' if number > 1 else ''}{what}"
            marks.append(Mark(LEFT + step * (place + 1), MARK_STEP * down, state, said))
    counts, handles = [depth for depth, _ in depths], [of for _, of in depths]
    most, bottom = max(counts), top + LANE - 18.0
    labels, shown = [], -TICK
    for place, count in enumerate(counts):
        x = LEFT + step * place
        if (place == 0 or count != counts[place - 1]) and x - shown >= len(str(count)) * 8 + 8:
            labels.append((x + 3, bottom - HEIGHT * count / max(most, 1) - 4, str(count)))
            shown = x
    drawn = _step_line(counts, step, right, bottom, HEIGHT / max(most, 1))
    opened = _step_line(handles, step, right, bottom, HEIGHT / max(most, *handles, 1)) if any(handles) else ""
    return Lane(name, top, drawn, opened, tuple(labels), tuple(marks), most)


def _step_line(values: Sequence[int], step: float, right: float, bottom: float, scale: float) -> str:
    """A line that goes up and down where a value changes, and straight on between."""
    parts = [f"M{LEFT:.1f} {bottom - values[0] * scale:.1f}"]
    for at, (one, other) in enumerate(pairwise(values), start=1):
        if one != other:
            parts.append(f"H{LEFT + step * at:.1f}V{bottom - other * scale:.1f}")
    return "".join([*parts, f"H{right:.1f}"])
