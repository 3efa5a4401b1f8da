"""The exits that an engine was given, and what each remembers from INIT to TERM."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from math import inf
from threading import RLock
from typing import Any

from attrs import define, field, frozen

from mqclause.exits.process import Exit, ExitFaultError, ExitProcess, ExitResult
from mqclause.model.diagnostics import quote_value
from mqclause.model.exits import NO_USER_AREA, ExitCallParameters, OfferedMessage

NOTHING_OFFERED = ExitCallParameters("", NO_USER_AREA, "", False, "", "", 0, 0, (), False, 0, 0, None, None)

LONGEST_LIMIT = 1_000_000_000
"""Seconds, of 31 years: nobody waits for longer, and an operating system may not know how."""


class Exits:
    """Exits by the name that CLWLEXIT gives, each with its process; ``limit`` is that of one call, in seconds;
    None where none is stated: then they cannot be called.

    It may be shared between threads: calls of one exit take turns. It pickles if its exits do. What is no function is
    a TypeError, a blank name or a limit that is no number above 0 a ValueError.
    """

    def __init__(self, given: Mapping[str, Exit] | None = None, limit: float | None = None) -> None:
        if limit is not None and not _is_limit(limit):
            raise ValueError(f"exit_limit={quote_value(limit)} is not allowed; allowed: a number of seconds above 0")
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"exits={quote_value(given)} is no mapping of names in CLWLEXIT to functions")
        self.limit = None if limit is None else float(min(limit, LONGEST_LIMIT))
        self.given = {_name(name, each): each for name, each in (given or {}).items()}
        self.names = tuple(self.given)
        self._processes = {name: (ExitProcess(each, self.limit or 0.0), RLock()) for name, each in self.given.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return Exits, (self.given, self.limit)

    @property
    def seconds(self) -> float:
        """The limit of one call. Raises ValueError where none is stated."""
        if self.limit is None:
            raise ValueError("exits without a limit cannot be called")
        return self.limit

    def call(self, name: str, session: ExitSession, offer: ExitCallParameters) -> ExitResult:
        """Call the exit ``name``, with INIT before if its process is new. Raises ExitFaultError."""
        process, turn = self._processes[name]
        with turn:
            process.begin()
            if session.begun.get(name) != process.number:
                self._greet(name, session, "INIT", offer)
                session.begun[name] = process.number
            answer = process.call(offer._replace(user_area=session.areas.get(name, NO_USER_AREA)))
            session.areas[name] = answer.user_area
            return answer

    def end(self, session: ExitSession) -> None:
        """Call each exit that ``session`` called with TERM, if its process still runs."""
        for name, number in list(session.begun.items()):
            process, turn = self._processes[name]
            with turn:
                if process.runs and process.number == number:
                    # There is no call that it could fail.
                    with suppress(ExitFaultError):
                        self._greet(name, session, "TERM", session.last)
        session.begun.clear()
        session.areas.clear()
        session.failed_on.clear()
        session.suppressed = False

    def close(self) -> None:
        """End the processes; a later call starts them again."""
        for process, turn in self._processes.values():
            with turn:
                process.end()

    def _greet(self, name: str, session: ExitSession, reason: str, of: ExitCallParameters) -> None:
        """Calls with INIT or TERM. Only what stops the process counts, and what it leaves in ExitUserArea."""
        process, _ = self._processes[name]
        area = session.areas.get(name, NO_USER_AREA)
        offer = NOTHING_OFFERED._replace(
            reason=reason, user_area=area, exit_data=of.exit_data, local=of.local, mru_channels=of.mru_channels
        )
        session.last = offer
        try:
            session.areas[name] = process.call(offer).user_area
        except ExitFaultError as error:
            if not process.runs:
                raise
            session.init_fault = str(error) if reason == "INIT" else ""


def _name(name: object, exit: object) -> str:  # noqa: A002 - MQ's word
    if not isinstance(name, str) or not name.strip(" "):
        raise ValueError(
            f"exits: the name {quote_value(name)} is not allowed; allowed: the name in CLWLEXIT, not blank"
        )
    if not callable(exit):
        raise TypeError(
            f"exits: {quote_value(name)} is {quote_value(exit)}, which cannot be called; it takes one MQWXP"
        )
    if is_deferred_call(exit):
        raise TypeError(f"exits: {quote_value(name)} is a coroutine or a generator, of which a call does nothing")
    return name.rstrip(" ")


def _is_limit(limit: object) -> bool:
    return not isinstance(limit, bool) and isinstance(limit, int | float) and 0 < limit < inf


def is_deferred_call(exit: object) -> bool:  # noqa: A002
    """Return whether a call of it only makes something that somebody would have to wait for, or to go through."""
    return any(tells(exit) for tells in (iscoroutinefunction, isasyncgenfunction, isgeneratorfunction))


NO_EXITS = Exits()


@define(eq=False)
class ExitSession:
    """The memory of one queue manager's exits while it runs.

    ``areas`` are the user areas, ``begun`` the process that INIT was called in, both by name; ``failed_on`` the
    handles that an exit failed on. ``suppressed`` says that one asked not to be called any more, ``init_fault`` what
    went wrong at the latest INIT, until it is told.
    """

    areas: dict[str, bytes] = field(factory=dict)
    begun: dict[str, int] = field(factory=dict)
    failed_on: set[Any] = field(factory=set)
    suppressed: bool = False
    last: ExitCallParameters = NOTHING_OFFERED
    init_fault: str = ""

    def take_init_fault(self) -> str:
        """Return the fault of INIT and forget it; blank if there was none."""
        fault, self.init_fault = self.init_fault, ""
        return fault


@frozen
class Caller:
    """The context of a choice, as far as an exit is concerned.

    ``handle`` is anything that tells one open handle from another; None: the call has none of its own. ``message`` is
    what is put; without it, as many zero bytes as the put's ``length`` says. ``exit_at_start`` and
    ``exit_at_connection`` are CLWLEXIT when the queue manager was started and when the application connected, where
    that is not what it is now. ``left`` is the queue manager that is not available, or failed, while the message is on
    the transmission queue for it, ``turn`` the one whose turn it is where several are permitted (else it is that of the
    one listed first), and ``session`` what is remembered, if not by the engine.
    """

    handle: Any = None
    message: OfferedMessage | None = None
    exit_at_start: str | None = None
    exit_at_connection: str | None = None
    left: str = ""
    turn: str = ""
    session: ExitSession | None = None


ANYBODY = Caller()
