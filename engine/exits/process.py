"""Run a cluster workload exit in a process of its own, so that its caller survives whatever it does.

It is forked when it is first needed, has its own standard output (standard error), a limit of memory and a process
group, and is killed when an answer does not come in time. What goes to it and comes back is plain data.
"""

from __future__ import annotations

import json
import marshal
import os
import signal
import socket
import sys
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from math import inf
from pathlib import Path
from struct import Struct
from threading import RLock
from time import monotonic
from traceback import FrameSummary, extract_tb
from typing import Any, NamedTuple

from attrs import define, field, frozen

from mqclause.model.diagnostics import ArgumentError, MqclauseError, quote_value
from mqclause.model.exits import (
    LARGEST_CHOICE,
    LONGEST_RESPONSE,
    MQWXP,
    NO_USER_AREA,
    USER_AREA_LENGTH,
    ExitCallParameters,
    OfferedMessage,
    build_mqwxp,
)

Exit = Callable[[MQWXP], object]
"""An exit: it is called with an MQWXP and changes it; what it returns is not looked at."""

_SIZE = Struct("<I")
_inside = False
"""Whether this is the process of an exit."""

LEFT, FAILED = "answered", "failed"
"""What a reply begins with."""

MEMORY = 2 * 2**30
"""How many bytes an exit may allocate besides what the process had when it was forked."""

LARGEST_REPLY = 1 << 16
"""Bytes of a reply: more than any has that the exit did not forge."""

LONGEST_ALARM = 10**6


class ExitResult(NamedTuple):
    """The fields of MQWXP that an exit has left."""

    response: str
    destination_chosen: int
    user_area: bytes


class ExitFaultError(MqclauseError):
    """The exit gave no answer; ``timed_out`` if it did not return in time. The message says what it did instead."""

    def __init__(self, message: str, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class ExitProcess:
    """Runs one exit. ``limit`` is in seconds; ``number`` counts the processes that were started for it.

    One call at a time: who shares it between threads takes turns.
    """

    def __init__(self, exit: Exit, limit: float) -> None:  # noqa: A002 - MQ's word
        self.exit = exit
        self.limit = limit
        self.number = 0
        self._running: _Running | None = None

    def begin(self) -> None:
        """Start the process unless it runs. Raises ExitFaultError."""
        if self._running is not None and self._running.owner == os.getpid():
            return
        if _inside:
            raise ExitFaultError("an exit called for a choice that calls an exit")
        self._running = _Running.start(self.exit, self.limit)
        self.number += 1

    @property
    def runs(self) -> bool:
        """Whether there is a process."""
        return self._running is not None and self._running.owner == os.getpid()

    def call(self, offer: ExitCallParameters) -> ExitResult:
        """Call the exit with the parameters ``offer`` and return its answer. Raises ExitFaultError."""
        self.begin()
        assert self._running is not None  # noqa: S101 - it has begun
        try:
            return _answer(self._running.exchange(marshal.dumps(tuple[Any, ...](offer)), self.limit))
        except TimeoutError:
            self.end()
            raise ExitFaultError("", timed_out=True) from None
        except OSError:
            self.end()
            raise ExitFaultError("the exit ended its process") from None
        except _ForgedError:
            self.end()  # its own answer is still to come
            raise
        except ExitFaultError:
            raise
        except BaseException:
            # Nobody waits for the answer any more.
            self.end()
            raise

    def end(self) -> None:
        """End the process; a later call starts another one."""
        running, self._running = self._running, None
        if running is not None:
            running.end()


def _serve_exit(exit: Exit, link: socket.socket, limit: float) -> None:  # noqa: A002 - MQ's word
    """Answer requests until there are no more, and end the process."""
    _settle()
    own = os.getpid()
    while True:
        request = _received(link)
        if request is None:
            os._exit(0)
        # Should the caller be gone, nobody else would end an exit that does not return.
        signal.setitimer(signal.ITIMER_REAL, min(limit, LONGEST_ALARM) + 1)
        reply = _reply(exit, build_mqwxp(ExitCallParameters(*marshal.loads(request))))  # noqa: S302 - from who forked us
        if os.getpid() != own:
            os._exit(0)  # a process that the exit forked has come back from it: the answer is its parent's
        signal.setitimer(signal.ITIMER_REAL, 0)
        link.sendall(_SIZE.pack(len(reply)) + reply)


def _read_reply(reply: bytes) -> list[Any]:
    """Read the values of a reply, whose user area is bytes again; none of what is no reply."""
    try:
        found = json.loads(reply)
        return [*found[:3], *map(bytes.fromhex, found[3:])] if isinstance(found, list) else []
    except (ValueError, TypeError, RecursionError, MemoryError):
        return []


class _ForgedError(ExitFaultError):
    """What came back was written by the exit, and not by its process."""

    def __init__(self) -> None:
        super().__init__("the exit wrote into its own process's answer")


def _answer(reply: bytes) -> ExitResult:
    match _read_reply(reply):
        case [kind, str(response), int(chosen), bytes(area)] if kind == LEFT:
            return ExitResult(response, chosen, area)
        case [kind, str(said)] if kind == FAILED:
            raise ExitFaultError(said)
    raise _ForgedError


class _Running:
    """A process that runs, and the socket to it; killed when nobody has it any more, and at the end of its owner."""

    def __init__(self, owner: int, process: int, link: socket.socket) -> None:
        self.owner = owner
        self.link = link
        self.end = weakref.finalize(self, _kill, owner, process, link)

    @classmethod
    def start(cls, exit: Exit, limit: float) -> _Running:  # noqa: A002
        if not hasattr(os, "fork"):
            raise ExitFaultError("exits run in a process of their own, which needs a system with fork")
        ours, theirs = socket.socketpair()
        try:
            with warnings.catch_warnings():
                # What the child does with other threads' locks is to run into the time limit.
                warnings.simplefilter("ignore", DeprecationWarning)
                process = os.fork()
        except OSError as error:
            ours.close()
            theirs.close()
            raise ExitFaultError(f"no process could be started for the exit: {error.strerror}") from None
        if process == 0:
            _become(exit, ours, theirs, limit)
        theirs.close()
        return cls(os.getpid(), process, ours)

    def exchange(self, request: bytes, limit: float) -> bytes:
        """The reply to a request within ``limit`` seconds. Raises OSError, TimeoutError among them."""
        until = monotonic() + limit
        self.link.settimeout(limit)
        self.link.sendall(_SIZE.pack(len(request)) + request)
        found = b""
        while len(found) < _SIZE.size or len(found) < _SIZE.size + _SIZE.unpack_from(found)[0]:
            if len(found) >= _SIZE.size and _SIZE.unpack_from(found)[0] > LARGEST_REPLY:
                raise _ForgedError
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError
            self.link.settimeout(left)
            part = self.link.recv(65536)
            if not part:
                raise ConnectionError("the process is gone")
            found += part
        return found[_SIZE.size :]


def _become(exit: Exit, ours: socket.socket, theirs: socket.socket, limit: float) -> None:  # noqa: A002
    """Makes this process that of the exit; it never returns."""
    global _inside
    try:
        _inside = True
        ours.close()
        _serve_exit(exit, theirs, limit)
    finally:
        os._exit(1)


def _kill(owner: int, process: int, link: socket.socket) -> None:
    """Ends a process that is ours, with those that it started."""
    link.close()
    if os.getpid() != owner:
        return
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(process, 0)


def _settle() -> None:
    """A process group of its own, no standard input, standard output to standard error, a limit of memory."""
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
    # The streams that were there may be in the middle of another thread's write.
    with suppress(OSError):
        sys.stdout = sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    _limit_memory()


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        pages = int(Path("/proc/self/statm").read_text().split()[5])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        # What is shared with other processes is no data of its own; the space for addresses has all.
        space = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 2 * MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (space, space))


def _received(link: socket.socket) -> bytes | None:
    """The next request; None where there are no more."""
    link.settimeout(None)
    head = link.recv(_SIZE.size, socket.MSG_WAITALL)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    request = link.recv(size, socket.MSG_WAITALL)
    return request if len(request) == size else None


class _UnreadableError(Exception):
    """What the exit left in its MQWXP cannot be read back."""


def _reply(exit: Exit, wxp: MQWXP) -> bytes:  # noqa: A002
    try:
        exit(wxp)
        return _written(LEFT, *_answer_of_exit(wxp))
    except _UnreadableError as error:
        return _written(FAILED, str(error))
    except BaseException as error:  # nothing that an exit raises ends anything
        return _written(FAILED, _raised(error, exit))
    finally:
        with suppress(Exception):
            sys.stderr.flush()


def _written(kind: str, said: str, chosen: int | None = None, area: bytes = b"") -> bytes:
    """A reply: JSON, which can be nothing but values, whoever writes it."""
    return json.dumps([kind, said] if chosen is None else [kind, said, chosen, area.hex()]).encode("ascii")


def _answer_of_exit(wxp: MQWXP) -> tuple[str, int, bytes]:
    """What is read back."""
    response: Any = wxp.ExitResponse
    chosen: Any = wxp.DestinationChosen
    area: Any = wxp.ExitUserArea
    if not isinstance(response, str):
        raise _UnreadableError(f"ExitResponse is of the type {type(response).__name__}; it is text")
    if not isinstance(chosen, int) or isinstance(chosen, bool):
        raise _UnreadableError(f"DestinationChosen is of the type {type(chosen).__name__}; it is a whole number")
    if not isinstance(area, bytes | bytearray) or len(area) != USER_AREA_LENGTH:
        raise _UnreadableError(f"ExitUserArea is not {USER_AREA_LENGTH} bytes")
    return _printable(response), max(min(int(chosen), LARGEST_CHOICE), -LARGEST_CHOICE), bytes(area)


def _raised(error: BaseException, exit: Exit) -> str:  # noqa: A002
    """What an exit raised, and where: the last line of its own file, or the exit itself, if it was not even entered."""
    try:
        said = str(error)
    except BaseException:  # its own __str__ may do anything
        said = ""
    frames = [each for each in extract_tb(error.__traceback__) if each.filename != __file__]
    where = f" ({_place(frames, exit)}{'' if frames else '; it is called with one MQWXP'})"
    whole = _printable(f"the exit raised {type(error).__name__}{f': {said}' if said else ''}")
    return whole[: LONGEST_RESPONSE - len(where)] + _printable(where)


def _place(frames: Sequence[FrameSummary], exit: Exit) -> str:  # noqa: A002
    code = getattr(exit, "__code__", None)
    own = [each for each in frames if code is not None and each.filename == code.co_filename] or frames
    if own:
        return f"line {own[-1].lineno} of {Path(own[-1].filename).name}, in {own[-1].name}"
    name = getattr(exit, "__qualname__", type(exit).__qualname__)
    return name if code is None else f"line {code.co_firstlineno} of {Path(code.co_filename).name}, {name}"


def _printable(text: str) -> str:
    """At most LONGEST_RESPONSE characters in one line."""
    short = text[:LONGEST_RESPONSE]
    if not short.isprintable():
        short = short.encode("unicode_escape").decode("ascii")
    return short[:LONGEST_RESPONSE]


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
            raise ArgumentError(f"exit_limit={quote_value(limit)} is not allowed; allowed: a number of seconds above 0")
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
            raise ArgumentError("exits without a limit cannot be called")
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
        raise ArgumentError(
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
