"""How far a long run is, as a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

POLLED_EVERY = 0.2
"""Seconds."""


EachT = TypeVar("EachT")


def followed(many: Iterable[EachT], total: int) -> Iterator[EachT]:
    """Each of ``total`` things, with a bar that says how many of them are done."""
    done = 0
    with progress(lambda: done / max(total, 1)):
        for each in many:
            yield each
            done += 1


@contextmanager
def progress(fraction: Callable[[], float], doing: str = "deciding") -> Iterator[None]:
    """A bar on standard error while the body runs, if that is a terminal; ``fraction`` says what part is done."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress

    stop = Event()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=1.0)

        def poll() -> None:
            while not stop.wait(POLLED_EVERY):
                bar.update(task, completed=max(fraction(), 0.0))

        poller = Thread(target=poll, daemon=True)
        poller.start()
        try:
            yield
        finally:
            stop.set()
            poller.join()
