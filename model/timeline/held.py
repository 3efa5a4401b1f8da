"""What repositories hold: information that other queue managers own, and requests for it, by calendar days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any

from attrs import frozen

from mqclause.model.assembly.files import FilesWithin
from mqclause.model.assembly.opened import refuse_other_tables
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError, quoted
from mqclause.model.facts.domains import NAME, Maker, attribute
from mqclause.model.readers.facts_document import FactsDocument, labelled
from mqclause.model.readers.facts_file import read_facts
from mqclause.model.readers.format import Contents
from mqclause.model.readers.registry import contents_of
from mqclause.model.timeline.further_tables import rows_in

WRITTEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LAST_DAY = date(9998, 12, 31)
"""The last day that is taken: what is held from then on expires on a day that a calendar has."""

ALLOWED_DAY = f"a date like 2026-01-31, up to {LAST_DAY}"


@frozen
class CalendarDay:
    """A day without a time of day: a date of TOML, or text like ``2026-01-31``."""

    def __call__(self, value: object, key: str) -> date:
        if isinstance(value, str) and WRITTEN.fullmatch(value):
            with suppress(ValueError):  # a day that no calendar has
                value = date.fromisoformat(value)
        if isinstance(value, date) and not isinstance(value, datetime) and value <= LAST_DAY:
            return value
        raise DomainError(key, value, f"allowed: {ALLOWED_DAY}, without a time of day")


@frozen
class CalendarDays:
    """A list of days; kept in order, each once."""

    def __call__(self, value: object, key: str) -> tuple[date, ...]:
        if not isinstance(value, list | tuple):
            raise DomainError(key, value, "allowed: a list of dates like 2026-01-31")
        return tuple(sorted({DAY(each, key) for each in value}))


DAY: Any = CalendarDay()
DAYS_LISTED: Any = CalendarDays()


@frozen
class Information:
    """What a repository holds about something of another queue manager; ``sent`` is when the owner last sent it."""

    name: str = attribute(NAME)
    owner: str = attribute(NAME)
    sent: date = attribute(DAY)  # noqa: RUF009 - a field of its own domain


@frozen
class Request:
    """A request for up-to-date information, when it was made and on which days it was ``referenced``."""

    name: str = attribute(NAME)
    by: str = attribute(NAME)
    made: date = attribute(DAY)  # noqa: RUF009 - a field of its own domain
    referenced: tuple[date, ...] = attribute(DAYS_LISTED, ())


_information = Maker(Information)
_request = Maker(Request)


@frozen(eq=False)
class Held:
    """What is held, in the order of the files; ``warnings`` tell of those that were found and passed by."""

    information: tuple[Information, ...] = ()
    requests: tuple[Request, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def read_held(sources: Sequence[Source], on: date) -> Held:
    """What files say is held, as it can be looked at ``on`` a day; raises FactsError with every fault.

    Files in MQ's own formats hold nothing of the kind.
    """
    information: list[Information] = []
    requests: list[Request] = []
    faults: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    read = [each for source in sources for each in _contents(source, faults, warnings)]
    for document in (each for each in read if isinstance(each, FactsDocument)):
        named = document.source
        faults += read_facts(document.data, named, "?", places=document.places).diagnostics
        held, wrong = rows_in(document.data, "information", _information)
        asked, wrong_too = rows_in(document.data, "request", _request)
        found = [*wrong, *wrong_too] or [*_out_of_time(held, asked, on)]
        faults += (Diagnostic(named, each, *document.places.told_by(each)) for each in found)
        information += held
        requests += asked
    if faults or (warnings and not read):
        raise FactsError(faults or warnings)
    return Held(tuple(information), tuple(requests), tuple(warnings))


def _contents(source: Source, faults: list[Diagnostic], warnings: list[Diagnostic]) -> list[Contents]:
    """What is in a file, if it can be read; one that was found and is in no format that is read is passed by."""
    files, read = FilesWithin(source, faults, warnings), list[Contents]()
    for file in files:
        with files.reading(file):
            contents = contents_of(file.data, file.name)
            if file.found and isinstance(contents, FactsDocument):
                refuse_other_tables(contents)
            faults += contents.diagnostics
            read += [] if contents.diagnostics else [contents]
    return read


def _out_of_time(held: Sequence[Information], asked: Sequence[Request], on: date) -> Iterator[str]:
    late = f"is after {on}, the day that is asked about"
    for at, each in enumerate(held, 1):
        if each.sent > on:
            yield f"{_label('information', at, each.name)}: sent: {each.sent} {late}"
    for at, request in enumerate(asked, 1):
        label = _label("request", at, request.name)
        if request.made > on:
            yield f"{label}: made: {request.made} {late}"
        for day in request.referenced:
            if day < request.made:
                yield f"{label}: referenced: {day} is before {request.made}, the day on which it was made"


def _label(table: str, position: int, name: str) -> str:
    return labelled(table, position, {"name": name})


def day_given(text: str) -> date:
    """The day that an option names. Raises ValueError with what is allowed."""
    try:
        found: date = DAY(text, "--on")
    except DomainError:
        raise ValueError(f"--on: {quoted(text)} is not allowed; allowed: {ALLOWED_DAY}") from None
    return found
