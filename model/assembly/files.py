"""The files in a source: itself, or those that are packed in it; which of them are passed by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, evolve, field

from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.container import unpacked

NO_FILE = "no file is in it"
"""What is wrong with an archive of nothing."""


@define(eq=False)
class FilesWithin:
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
            for name, data in unpacked(source.data, source.name):
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
