"""Write the diagrams of a cluster by themselves: as one SVG file, and as a flowchart that Markdown shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqclause.model.diagnostics import escape_controls
from mqclause.pages.cluster import Band, ClusterView
from mqclause.pages.page import read_style, render_template

PLAIN = re.compile(r"[^A-Za-z0-9 ._/%:,()+-]")
"""What a label of a flowchart may hold as it is; all else is written by its number."""

HEADING = 30
BETWEEN = 20
LEGEND = 190
"""How wide a word of the legend is."""


def render_drawing(view: ClusterView) -> str:
    """Render all diagrams of a view below one another, as a file of SVG that needs nothing but itself."""
    placed, below, width = [], float(HEADING), 320.0
    for heading, each in view.drawings:
        placed.append((heading, below, each))
        below += HEADING + each.height + BETWEEN
        width = max(width, each.width)
    columns = int(width // LEGEND)
    height = below + 22 * -(-len(view.legend) // columns)
    return render_template(
        "drawing.svg", view=view, placed=placed, width=width, height=height, columns=columns, part="",
        style=read_style("colours.css", "pictures.css"),
    )  # fmt: skip


def render_mermaid(view: ClusterView) -> str:
    """Render the view as a flowchart of Mermaid."""
    return "".join(f"{line}\n" for line in ("flowchart LR", *_write_flowchart(view)))


def _write_flowchart(view: ClusterView) -> Iterator[str]:
    described = {each.name for each in view.members if each.is_described}
    for at, band in enumerate(view.bands):
        yield f'  subgraph b{at}["{_write(band.heading)}"]'
        yield "    direction LR"
        yield from _write_band(band, f"b{at}", described)
        yield "  end"
    yield "  classDef failed stroke:#a40e26,stroke-width:3px"
    yield "  classDef suspended stroke:#7a4100,stroke-width:3px"
    yield "  classDef undescribed stroke-dasharray:5 4"


def _write_band(band: Band, name: str, described: set[str]) -> Iterator[str]:
    """Each line of the table as an edge; what gets nothing stands there with why."""
    senders, hosts = dict[str, str](), dict[str, str]()
    for line in band.lines:
        if line.senders not in senders:
            senders[line.senders] = f"{name}f{len(senders)}"
            yield f'    {senders[line.senders]}(["from {_write(line.senders)}"])'
        host = line.destination.removesuffix(" (local)")
        shown = line.said if line.state == "failed" else host
        if shown not in hosts:
            hosts[shown] = f"{name}t{len(hosts)}"
            yield f'    {hosts[shown]}["{_write(shown)}"]{_name_class(line.state, host, described)}'
        if line.state == "failed":
            yield f'    {senders[line.senders]} -. "fails" .-> {hosts[shown]}'
        elif line.part:
            said = " ".join(filter(None, (line.share, line.said)))
            yield f'    {senders[line.senders]} -- "{_write(said)}" --> {hosts[shown]}'


def _name_class(state: str, host: str, described: set[str]) -> str:
    if state in ("failed", "disabled", "stopped"):
        return ":::failed"
    if state == "suspended":
        return ":::suspended"
    return "" if host in described else ":::undescribed"


def _write(text: str) -> str:
    """A text in which nothing is left that Mermaid or HTML would obey."""
    return PLAIN.sub(lambda found: f"#{ord(found[0])};", escape_controls(text))
