"""The neutral form of an MQ object as a file states it, whatever the file's format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from attrs import field, frozen

from mqclause.model.diagnostic import Diagnostic
from mqclause.model.readers.coverage import Coverage
from mqclause.model.readers.inquiry import Inquiry

Value = str | tuple[str, ...]
"""An attribute's value: text, or a list of texts; blank and flags without a value are ``""``."""

LinePlace = tuple[int, int]
"""How many lines below the record's first one something stands, and in which column, counted from 1; 0: unknown."""

NOTHING_SHOWN: Mapping[str, str] = {}  # a dict, which pickles


@frozen(weakref_slot=False)
class Record:
    """One statement about one MQ object.

    ``action`` is define, alter, delete, suspend, resume, start, stop, refresh or observe, ``kind`` the canonical noun
    (QLOCAL, CHANNEL, QMGR, …), ``name`` blank where the object has none. ``attributes`` has canonical upper-case
    names in the order in which they were written; a flag (TRIGGER, NOTRIGGER, REPLACE) is a key with value ``""``.
    ``informational`` has the attributes that the source shows but that cannot be set. ``places`` has where each of
    the ``attributes`` stands, and then each of the ``informational`` ones.
    """

    action: str
    kind: str
    name: str
    attributes: Mapping[str, Value]
    informational: Mapping[str, str] = NOTHING_SHOWN
    source: str = ""
    line: int | None = None
    places: Sequence[LinePlace] = field(default=(), repr=False, eq=False)

    def place_of(self, attribute: str) -> tuple[int | None, int | None]:
        """The line and the column of ``attribute``; the record's own line if that is not known."""
        if self.line is not None:
            for name, (below, column) in zip(chain(self.attributes, self.informational), self.places, strict=False):
                if name == attribute:
                    return self.line + below, column or None
        return self.line, None

    def line_of(self, attribute: str) -> int | None:
        """The line on which ``attribute`` stands; the record's own line if that is not known."""
        return self.place_of(attribute)[0]

    def listed(self, attribute: str) -> tuple[str, ...]:
        """The value of ``attribute`` as a list of names, without blank ones; empty if it is not stated."""
        return listed(self.attributes.get(attribute, ""))


@frozen
class Script:
    """What one source states: its records in order, and its faults.

    ``queue_manager`` is the queue manager whose objects these are, or ``""`` if the source does not say;
    ``header`` has what a dump says of itself (``Queue manager platform``, ``Command issued``, …), ``header_lines``
    where. ``format`` is the name of the source's format, if it was told by its content. ``further`` has what the same
    source states of other queue managers. The records of an ``overlay`` change what all other scripts of the queue
    manager state and show. ``remarks`` say what may be missing although all that is there could be read, ``notes`` what
    a reader should know of the file although nothing is. ``asked`` are the DISPLAY commands of a log that were
    answered, if only that nothing is there; none where it does not echo them. ``coverage`` says of each dump in it what
    that holds; it is empty for what is no dump.
    """

    source: str
    queue_manager: str
    records: tuple[Record, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    header: Mapping[str, str] = NOTHING_SHOWN
    header_lines: Mapping[str, int] = field(factory=dict, repr=False, eq=False)
    format: str = ""
    further: tuple[Script, ...] = ()
    overlay: bool = False
    remarks: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    asked: tuple[Inquiry, ...] = ()
    coverage: tuple[Coverage, ...] = ()


def listed(value: Value) -> tuple[str, ...]:
    """``value`` as a list of names, without trailing blanks and without blank names."""
    values = (value,) if isinstance(value, str) else value
    return tuple(name.rstrip(" ") for name in values if name.strip(" "))
