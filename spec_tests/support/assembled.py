"""What scripts of several queue managers say together, and what is wrong with them."""

from __future__ import annotations

from mqclause.model.configuration.view import ClusterView, build_view
from mqclause.model.facts.objects import Queue
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import Script
from spec_tests.support.places import without_column


def script(name: str, text: str, source: str | None = None) -> Script:
    header = f"* Queue manager name: {name}\n" if name else ""
    read = read_mqsc(header + text, source or f"{name or 'x'}.mqsc")
    assert read.diagnostics == ()
    return read


def assembled(*scripts: Script, local: str | None = None) -> ClusterView:
    view = build_view(scripts, local)
    assert view.diagnostics == ()
    return view


def view_of(text: str) -> ClusterView:
    return assembled(script("A", text))


def queue_of(text: str) -> Queue:
    (placed,) = view_of(text).queues
    return placed.fact


def faults(*texts: str) -> list[str]:
    """The faults of scripts of queue manager A, each text starting at line 2 of its file."""
    scripts = [script("A", text, f"{number}.mqsc") for number, text in enumerate(texts, 1)]
    return [without_column(fault) for fault in build_view(scripts, None).diagnostics]
