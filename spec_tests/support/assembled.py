"""What scripts of several queue managers say together, and what is wrong with them."""

from __future__ import annotations

from mqclause.model.assembly.view import View, assemble
from mqclause.model.facts.objects import Queue
from mqclause.model.readers.mqsc.script import read_mqsc
from mqclause.model.readers.record import Script
from spec_tests.support.places import without_column


def script(name: str, text: str, source: str | None = None) -> Script:
    header = f"* Queue manager name: {name}\n" if name else ""
    read = read_mqsc(header + text, source or f"{name or 'x'}.mqsc")
    assert read.diagnostics == ()
    return read


def assembled(*scripts: Script, local: str | None = None) -> View:
    view = assemble(scripts, local)
    assert view.diagnostics == ()
    return view


def view_of(text: str) -> View:
    return assembled(script("A", text))


def queue_of(text: str) -> Queue:
    (placed,) = view_of(text).queues
    return placed.fact


def faults(*texts: str) -> list[str]:
    """The faults of scripts of queue manager A, each text starting at line 2 of its file."""
    scripts = [script("A", text, f"{number}.mqsc") for number, text in enumerate(texts, 1)]
    return [without_column(fault) for fault in assemble(scripts, None).diagnostics]
