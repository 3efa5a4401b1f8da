"""Write the diagrams of a cluster by themselves: as one SVG file, and as a flowchart that Markdown shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mqclause.model.diagnostics import escape_controls
from mqclause.pages.cluster import ClusterView
from mqclause.pages.diagram import Diagram, State, list_states
from mqclause.pages.page import read_style, render_template

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
