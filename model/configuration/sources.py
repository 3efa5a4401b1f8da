"""Sources and provenance: where each fact comes from, and how facts of several sources are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from attrs import define, evolve, field, frozen

from mqclause.model.diagnostics import Diagnostic, FactsError, escape_controls, quote_value
from mqclause.model.readers.encodings import Content, read_content, unpack_files
from mqclause.model.readers.mqsc import BEGINNING
from mqclause.model.readers.records import Record, Script

NO_FILE = "no file is in it"
"""What is wrong with an archive of nothing."""


@frozen
class Source:
    """A file's content, which of a large one is read later, and its name as messages show it (``-``: standard input).

    What of the name a terminal would obey is escaped. ``queue_manager`` says whose script or log it is, if it does not
    say so itself. A file that was ``found`` in a
    folder, and not named, is passed by with a warning where it is in no format that is read. An ``overlay`` changes
    what all other files say. ``format`` names the format that it is in; blank: its content tells.
    """

    name: str = field(converter=escape_controls)
    data: bytes | Content
    queue_manager: str = ""
    found: bool = False
    overlay: bool = field(default=False, kw_only=True)
    format: str = field(default="", kw_only=True)

    @classmethod
    def at(cls, path: str | Path) -> Source:
        """The file at ``path``; raises OSError if it cannot be opened."""
        return cls(str(path), read_content(path))


@define(eq=False)
class SourceFiles:
    """The files in ``source``, to be read one after the other; what is wrong with one costs none of the others.

    Those in a zip file are found there, as in a folder: what cannot be read is passed by with a warning, unless the
    source is named, or said to be of a queue manager, and nothing in it can be. ``unread`` are the names of such files.
    """

    source: Source
    faults: list[Diagnostic]
    warnings: list[Diagnostic]
    unread: list[str] = field(factory=list)
    _refused: list[Diagnostic] = field(factory=list)
    _any_read: bool = False

    def __iter__(self) -> Iterator[Source]:
        source, is_empty = self.source, True
        try:
            for name, data in unpack_files(source.data, source.name):
                is_empty = False
                yield evolve(source, name=name, data=data, found=source.found or self._is_found(name))
            if is_empty:
                raise FactsError([Diagnostic(source.name, NO_FILE)])
        except FactsError as error:
            self.unread.append(source.name)
            (self.warnings if source.found else self.faults).extend(error.diagnostics)
        is_found = source.found or (self._any_read and not source.queue_manager)
        (self.warnings if is_found else self.faults).extend(self._refused)

    @contextmanager
    def reading(self, file: Source) -> Iterator[None]:
        """Has one of the files passed by if it cannot be read."""
        try:
            yield
        except FactsError as error:
            self.unread.append(file.name)
            self._refused.extend(error.diagnostics)
        else:
            self._any_read = True

    def _is_found(self, name: str) -> bool:
        return name != self.source.name and not self.source.queue_manager


def drop_duplicate_dumps(scripts: Iterable[Script], faults: list[Diagnostic]) -> list[Script]:
    """The scripts without further dumps of one queue manager; what contradicts the first one goes to ``faults``.

    What a dump shows in comments may differ. A script that is no dump is an overlay, and stays; so does a dump of other
    objects than the first one.
    """
    dumps: dict[object, Script] = {}
    kept = []
    for script in scripts:
        of = script.queue_manager, tuple(each.ended() for each in script.coverage)
        first = dumps.setdefault(of, script) if BEGINNING in script.header else script
        if first is script:
            kept.append(script)
        else:
            faults.extend(_differences(first, script))
    return kept


def _differences(first: Script, other: Script) -> list[Diagnostic]:
    for one, two in zip_longest(first.records, other.records):
        if one is None or two is None or _stated(one) != _stated(two):
            differs = two or one
            what = f"{differs.kind} {quote_value(differs.name)}" if differs.name else differs.kind
            message = (
                f"is another dump of {quote_value(other.queue_manager)} than {first.source}: they differ from {what} on"
            )
            return [Diagnostic(other.source, message, two.line if two else None)]
    return []


def _stated(record: Record) -> tuple[object, ...]:
    return record.action, record.kind, record.name, dict(record.attributes)
