"""Remarks on the puts of many rows: each once, with the queues and the queue managers that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.text import Text

from mqclause.answers.choice.said import listing
from mqclause.answers.cluster.cluster_map import PrintedRow
from mqclause.tools.render.page import Page

REMARKS_SHOWN = 10

Remark = tuple[str, str, str]
"""What is to be said of puts to a queue, at a queue manager."""


def remarks_on(rows: Iterable[PrintedRow]) -> Iterator[Remark]:
    """What is to be said of the puts of each row."""
    yield from ((row.name, row.member, each) for row in rows for each in row.remarks)


def named_alone(remarks: Iterable[tuple[Mapping[str, str], str, str]]) -> Iterator[Remark]:
    """Remarks of a plan by the name of the queue, or of the alias of a queue manager."""
    yield from ((name, member, said) for named, member, said in remarks for name in named.values())


def remarks_said(remarks: Iterable[Remark]) -> Iterator[str]:
    """Each remark once, with the queues that it is about, those of the same members together."""
    groups: dict[str, dict[str, dict[str, None]]] = {}
    for queue, member, said in remarks:
        groups.setdefault(said, {}).setdefault(queue, {})[member] = None
    for said, by_queue in groups.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for queue, members in by_queue.items():
            alike.setdefault(tuple(members), []).append(queue)
        about = (f"{listing(queues)} from {listing(list(members))}" for members, queues in alike.items())
        yield f"{'; '.join(about)}: {said}"


def print_remarks(remarks: Iterable[Remark], page: Page, further: Iterable[str] = ()) -> None:
    """The first of them, and how many more there are; then what is to be said besides."""
    said = list(remarks_said(remarks))
    for each in said[:REMARKS_SHOWN]:
        page.line(Text(each, "yellow"))
    if len(said) > REMARKS_SHOWN:
        page.line(Text(f"and {len(said) - REMARKS_SHOWN} more remarks: --json", "yellow"))
    for each in further:
        page.line(Text(each, "yellow"))
