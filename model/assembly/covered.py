"""What the dumps of one queue manager hold together, and what is said of those that hold a part alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqclause.model.diagnostic import Diagnostic
from mqclause.model.readers.coverage import Coverage, Covered
from mqclause.model.readers.mqsc.script import ISSUED
from mqclause.model.readers.record import Script

A_PART = "this dump holds {}: dmpmqcfg -a tells the rest"


def covered(scripts: Sequence[Script]) -> Covered:
    """What the scripts of one queue manager hold; of a log beside a dump, what it asks for is there too."""
    dumps = [each.coverage for each in scripts if each.coverage and not each.overlay]
    asked = [[Coverage.asked(each.kind, each.name) for each in log.asked if not each.narrowed] for log in scripts]
    return Covered.by([*dumps, *asked] if dumps else ())


def covered_at(scripts: Iterable[Script], local: str) -> Covered:
    """The same of the queue manager ``local``; a script that does not name one is of it."""
    return covered([each for each in scripts if each.queue_manager in ("", local)])


def of_a_part(scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """The dumps that were not to hold all that their queue manager has, as remarks, if no other one does; and notes."""
    given = list(scripts)
    for script in given:
        yield from script.notes
        if not any(each.is_whole for other in given if other.queue_manager == script.queue_manager
                   for each in other.coverage):  # fmt: skip
            for each in script.coverage:
                if not each.asks_for_all:
                    yield Diagnostic(script.source, A_PART.format(each), script.header_lines.get(ISSUED))
