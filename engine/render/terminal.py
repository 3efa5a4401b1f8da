"""Write lines to terminals and pipes, with progress on long runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO, TypeVar

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from mqclause.model.diagnostics import escape_controls

NARROWEST = 20
"""How many characters a line has behind its indent, however narrow the terminal is."""

UNBOUNDED = 100_000
"""More characters than any terminal has."""

UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
LINES = "\n\t"

POLLED_EVERY = 0.2
"""Seconds."""

EachT = TypeVar("EachT")


class Page:
    """Lines for a person: coloured and wrapped on a terminal; elsewhere plain, as long as they are, without padding."""

    def __init__(self, console: Console | None = None, out: TextIO | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._out = out or sys.stdout

    @property
    def width(self) -> int:
        """The number of characters of a line on a terminal; 0 elsewhere."""
        return self._console.width if self._console.is_terminal else 0

    def table(self, table: Table) -> bool:
        """Print a table on a terminal that is wide enough; False where it is not, and elsewhere."""
        unbounded = self._console.options.update(max_width=UNBOUNDED)
        for column in table.columns:
            if column.no_wrap:  # rich takes the longest word of such a column for what it needs
                cells = (Measurement.get(self._console, unbounded, cell) for cell in (column.header, *column.cells))
                column.min_width = max(cell.maximum for cell in cells)
        fits = Measurement.get(self._console, unbounded, table).minimum <= self.width
        if fits:
            self._console.print(table)
        return fits

    def line(self, text: Text | str = "", label: Text | str = "", indent: int = 0, hanging: int = 0) -> None:
        """Print ``label``, and ``text`` from column ``indent`` on, further lines ``hanging`` columns behind that."""
        text, label = _shown(text), _shown(label)
        begun = Text.assemble(label, " " * max(indent - len(label), 0))
        if not self._console.is_terminal:
            self._out.write(f"{begun.plain}{text.plain}".rstrip() + "\n")
            return
        wrapped = text.wrap(self._console, max(self._console.width - len(begun) - hanging, NARROWEST))
        for number, each in enumerate(wrapped or [Text()]):
            printed = Text.assemble(begun if number == 0 else " " * (indent + hanging), each)
            printed.rstrip()
            self._console.print(printed, soft_wrap=True)


def print_text(text: str) -> None:
    """Print a text of several lines."""
    page = Page()
    for line in text.splitlines():
        page.line(line)


def track_progress(many: Iterable[EachT], total: int, doing: str = "deciding") -> Iterator[EachT]:
    """Track each of ``total`` things, with a bar that says how many of them are done."""
    done = 0
    with show_progress(lambda: done / max(total, 1), doing):
        for each in many:
            yield each
            done += 1


@contextmanager
def show_progress(fraction: Callable[[], float], doing: str = "deciding") -> Iterator[None]:
    """Show a bar on standard error while the body runs, if that is a terminal; ``fraction`` says what part is done."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import Progress  # noqa: PLC0415 - it loads much, and few runs show it

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


def _shown(text: Text | str) -> Text:
    """A text in which nothing is left that a terminal would obey, whatever it was made of."""
    plain = text if isinstance(text, str) else text.plain
    if plain.isprintable():
        return Text(text) if isinstance(text, str) else text
    made = Text() if isinstance(text, str) else text.copy()
    # One sign for another, so that the colours stay in their places.
    made.plain = "".join(each if escape_controls(each, LINES) == each else UNPRINTABLE for each in plain)
    return made
