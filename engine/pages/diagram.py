"""Draw diagrams of what leads to what: nodes in columns, edges with their parts, placed by a library of layouts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from mqclause.executors.pipeline import NotInstalledError
from mqclause.model.diagnostics import escape_controls

State = Literal[
    "ok", "stays", "moves", "waiting", "stopped", "suspended", "disabled", "failed", "unknown", "idle", "remark",
    "error", "warning", "hint",
]  # fmt: skip

SHAPES: Mapping[State, str] = {
    "ok": "circle", "stays": "equals", "moves": "chevron", "waiting": "triangle", "stopped": "square",
    "suspended": "diamond", "disabled": "barred", "failed": "cross", "unknown": "ring", "idle": "bar",
    "remark": "sheet", "error": "octagon", "warning": "flag", "hint": "dot",
}  # fmt: skip
"""The shape that stands for each state, beside its colour: no two are alike."""

LETTER = 7.6
"""How wide a letter of a diagram is; it has a font whose letters are all as wide."""

LINE = 16
PADDING = 10
MARK = 18
"""How wide the mark of a state is, with the space behind it."""

ROW_GAP = 14
LEAST_GAP = 170
LABEL_HEIGHT = 17
LEAST_STROKE, MOST_STROKE = 1.5, 5.0
LABEL_PLACES = tuple(sorted((at / 20 for at in range(2, 19)), key=lambda at: abs(at - 0.65)))
"""Where on its edge a label may stand, first nearer to where it leads."""

LABEL_MARGIN = 3.0
"""How much is free around a label."""

CURVE_POINTS = tuple(at / 24 for at in range(1, 24))
"""Where on other edges is looked whether a label would hide them."""

HIDDEN_POINT = 40.0
"""As much as so much of another box weighs a point of another edge that a label would hide."""

DOT_LIMIT = 20
"""Seconds."""

DOT_GRAPH = (
    "digraph g {{ rankdir=LR; nodesep=0.5; ranksep=1; node [shape=box, fixedsize=true, width=1, height=0.5]; {} }}\n"
)
DOT_STEP = 1.0
"""How far two neighbours of a column are from each other in the graphs that are given to dot."""

NOT_INSTALLED = "a diagram needs Graphviz (dot on the PATH) or fast-sugiyama: pip install 'mqclause[html]'"

Pair = tuple[int, int]
Places = Mapping[int, tuple[float, float]]
"""Where each node of a graph stands: in which column, and how far down, in steps."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]


def _escape_lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(escape_controls, lines))


@frozen
class Node:
    """A node: its lines, the state that its colour and its mark show, and whether its outline is whole.

    ``idle_lines`` stand below the others: from whom it gets nothing, each with the mark of that.
    """

    lines: tuple[str, ...] = field(converter=_escape_lines)
    state: State = "ok"
    is_described: bool = True
    idle_lines: tuple[str, ...] = field(default=(), converter=_escape_lines)


@frozen
class Edge:
    """An edge from a node to another one, by their places; ``part`` is how much of all goes there.

    One that is not drawn has its target placed beside the others.
    """

    source: int
    target: int
    label: str = field(converter=escape_controls)
    part: float = 1.0
    state: State = "ok"
    is_drawn: bool = True


@frozen
class Diagram:
    """What is to be drawn, what it is called, and what it shows, in words."""

    title: str
    description: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


class PlacedNode(NamedTuple):
    """A node with its corner, its size and the shape of its state."""

    node: Node
    x: float
    y: float
    width: float
    height: float


class PlacedEdge(NamedTuple):
    """An edge with its line, the tip of it, how wide it is, and the box of its label."""

    edge: Edge
    line: str
    tip: str
    stroke: float
    label: Box


@frozen
class Drawing:
    """A diagram with everything in its place."""

    title: str
    description: str
    width: float
    height: float
    nodes: tuple[PlacedNode, ...]
    edges: tuple[PlacedEdge, ...]


def draw_diagrams(diagrams: Sequence[Diagram]) -> list[Drawing]:
    """Draw diagrams, all at once. Raises NotInstalledError without anything that lays out graphs."""
    graphs = [tuple(dict.fromkeys((edge.source, edge.target) for edge in each.edges)) for each in diagrams]
    return [_draw(each, places) for each, places in zip(diagrams, _lay_out(graphs), strict=True)]


def check_layout() -> None:
    """Check that something lays out graphs. Raises NotInstalledError."""
    if _find_dot() is None:
        _load_layout()


def can_draw() -> bool:
    """Return whether something lays out graphs."""
    try:
        check_layout()
    except NotInstalledError:
        return False
    return True


def _lay_out(graphs: Sequence[Sequence[Pair]]) -> list[Places]:
    dot = _find_dot()
    found = None if dot is None else _ask_dot(dot, graphs)
    return found or [_turn_upright(_lay_out_graph(each), each) for each in graphs]


@cache
def _load_layout() -> Callable[..., Any]:
    try:
        found: Callable[..., Any] = import_module("fast_sugiyama").from_edges
    except ModuleNotFoundError:
        raise NotInstalledError(NOT_INSTALLED) from None
    return found


def _lay_out_graph(edges: Sequence[Pair]) -> Places:
    """The columns and places of a graph's nodes, one part of it below the other."""
    found, below = dict[int, tuple[float, float]](), 0.0
    for positions, *_ in _load_layout()(edges, vertex_spacing=1) if edges else ():
        highest = max(y for _, (_, y) in positions)
        leftmost, rightmost = min(x for _, (x, _) in positions), max(x for _, (x, _) in positions)
        found |= {node: (highest - y, below + x - leftmost) for node, (x, y) in positions}
        below += rightmost - leftmost + 1
    return found


def _turn_upright(places: Places, edges: Sequence[Pair]) -> Places:
    """The same with each part turned so that what is named first is rather above, and the parts in that order."""
    parts = sorted(_split(places, edges), key=min)
    found, below = dict[int, tuple[float, float]](), 0.0
    for part in parts:
        downs = [places[each][1] for each in part]
        first, last = min(downs), max(downs)
        middle, among = (first + last) / 2, sum(part) / len(part)
        is_turned = sum((places[each][1] - middle) * (each - among) for each in part) < 0
        for each in part:
            column, down = places[each]
            found[each] = column, below + (last - down if is_turned else down - first)
        below += last - first + 1
    return found


def _split(places: Places, edges: Sequence[Pair]) -> list[set[int]]:
    """The parts of a graph that nothing joins."""
    part_of = {each: {each} for each in places}
    for source, target in edges:
        if part_of[source] is not part_of[target]:
            joined = part_of[source] | part_of[target]
            for each in joined:
                part_of[each] = joined
    return list({id(each): each for each in part_of.values()}.values())


@cache
def _find_dot() -> str | None:
    """The program dot in a folder of the PATH; one that lies in the working directory is not looked for."""
    folders = (each for each in os.get_exec_path() if os.path.isabs(each))
    return next(filter(None, (shutil.which(os.path.join(each, "dot")) for each in folders)), None)


def _ask_dot(dot: str, graphs: Sequence[Sequence[Pair]]) -> list[Places] | None:
    """The places that dot finds; None where it does not. It is told numbers and no name."""
    text = "".join(DOT_GRAPH.format("; ".join(f"n{one} -> n{other}" for one, other in each)) for each in graphs)
    try:
        done = subprocess.run([dot, "-Tplain"], input=text, capture_output=True, timeout=DOT_LIMIT, text=True)  # noqa: S603 - ours
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = list(_read_plain(done.stdout))
    return [_turn_upright(*each) for each in zip(found, graphs, strict=True)] if len(found) == len(graphs) else None


def _read_plain(text: str) -> Iterator[Places]:
    """Read the places of each graph: dot writes a line for each node and ends a graph with ``stop``."""
    rows: list[tuple[int, float, float]] = []
    for line in text.splitlines():
        match line.split():
            case ["node", name, x, y, *_]:
                rows.append((int(name[1:]), float(x), float(y)))
            case ["stop"]:
                columns = {x: at for at, x in enumerate(sorted({round(x, 1) for _, x, _ in rows}))}
                yield {node: (float(columns[round(x, 1)]), y / DOT_STEP) for node, x, y in rows}
                rows = []


def _measure(node: Node) -> tuple[float, float]:
    lines = (*node.lines, *node.idle_lines)
    longest = max(map(len, lines), default=0)
    return longest * LETTER + MARK + 2 * PADDING, len(lines) * LINE + PADDING


def _draw(diagram: Diagram, places: Places) -> Drawing:
    sizes = [_measure(each) for each in diagram.nodes]
    columns = sorted({column for column, _ in places.values()})
    rows = 1 + max((down for _, down in places.values()), default=0.0)
    step = max((height for _, height in sizes), default=LINE) + ROW_GAP
    step = max(step, len(diagram.edges) * (LABEL_HEIGHT + 3 * LABEL_MARGIN) / rows)
    widest = max((len(each.label) * LETTER + MARK for each in diagram.edges), default=0.0)
    gap = max(LEAST_GAP, widest * (2 if len(diagram.edges) > rows else 1) + 70)
    lefts, x = dict[float, float](), float(PADDING)
    for column in columns:
        lefts[column] = x
        x += max(sizes[at][0] for at, (of, _) in places.items() if of == column) + gap
    nodes = {
        at: PlacedNode(diagram.nodes[at], lefts[column], PADDING + down * step, *sizes[at])
        for at, (column, down) in places.items()
    }  # fmt: skip
    edges = tuple(_place_edges(diagram.edges, nodes))
    lowest = max((each.y + each.height for each in nodes.values()), default=0.0)
    lowest = max([lowest, *(each.label[1] + LABEL_HEIGHT for each in edges)])
    rightmost = max((each.x + each.width for each in nodes.values()), default=0.0)
    placed = tuple(nodes[at] for at in sorted(nodes))
    return Drawing(diagram.title, diagram.description, rightmost + PADDING, lowest + PADDING, placed, edges)


def _place_edges(edges: Sequence[Edge], nodes: Mapping[int, PlacedNode]) -> Iterator[PlacedEdge]:
    taken: list[Box] = [(each.x, each.y, each.width, each.height) for each in nodes.values()]
    drawn = [(each, *_find_ends(each, nodes)) for each in filter(attrgetter("is_drawn"), edges)]
    curves = [[_walk(begin, end, at) for at in CURVE_POINTS] for _, begin, end in drawn]
    for place, (each, begin, end) in enumerate(drawn):
        others = [point for at, curve in enumerate(curves) if at != place for point in curve]
        label = _place_label(each, begin, end, taken, others)
        taken.append(label)
        middle, tail, head = (begin[0] + end[0]) / 2, f"{begin[1]:.1f}", f"{end[1]:.1f}"
        line = f"M{begin[0]:.1f} {tail}C{middle:.1f} {tail} {middle:.1f} {head} {end[0] - 7:.1f} {head}"
        tip = f"M{end[0]:.1f} {end[1]:.1f}l-9-5v10Z"
        yield PlacedEdge(each, line, tip, LEAST_STROKE + (MOST_STROKE - LEAST_STROKE) * each.part, label)


def _find_ends(edge: Edge, nodes: Mapping[int, PlacedNode]) -> tuple[Point, Point]:
    one, other = nodes[edge.source], nodes[edge.target]
    return (one.x + one.width, one.y + one.height / 2), (other.x, other.y + other.height / 2)


def _place_label(edge: Edge, begin: Point, end: Point, taken: Sequence[Box], others: Sequence[Point]) -> Box:
    """A box on the edge that nodes, other labels and the points of other edges leave free as far as can be."""
    width = len(edge.label) * LETTER + MARK + 6

    def weigh(box: Box) -> float:
        left, top = box[0] - LABEL_MARGIN, box[1] - LABEL_MARGIN
        wide = left, top, box[2] + 2 * LABEL_MARGIN, box[3] + 2 * LABEL_MARGIN
        hidden = sum(left < x < left + wide[2] and top < y < top + wide[3] for x, y in others)
        return HIDDEN_POINT * hidden + sum(_measure_overlap(wide, other) for other in taken)

    return min((_center(_walk(begin, end, at), width) for at in LABEL_PLACES), key=weigh)


def _walk(begin: Point, end: Point, at: float) -> Point:
    """A point of the curve between two nodes."""
    middle, left = (begin[0] + end[0]) / 2, 1 - at
    x = left**3 * begin[0] + 3 * left**2 * at * middle + 3 * left * at**2 * middle + at**3 * end[0]
    y = (left**3 + 3 * left**2 * at) * begin[1] + (3 * left * at**2 + at**3) * end[1]
    return x, y


def _center(point: Point, width: float) -> Box:
    return point[0] - width / 2, point[1] - LABEL_HEIGHT / 2, width, LABEL_HEIGHT


def _measure_overlap(one: Box, other: Box) -> float:
    """How much of two boxes is the same."""
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def list_states(drawings: Sequence[Drawing], besides: Iterable[State] = ()) -> dict[State, str]:
    """List the states that drawings show, and those ``besides``, each with its shape, in the order of SHAPES."""
    shown = {*besides} | {each.node.state for each in chain.from_iterable(of.nodes for of in drawings)}
    shown |= {each.edge.state for each in chain.from_iterable(of.edges for of in drawings) if each.edge.is_drawn}
    if any(each.node.idle_lines for each in chain.from_iterable(of.nodes for of in drawings)):
        shown.add("idle")
    return {state: shape for state, shape in SHAPES.items() if state in shown}
