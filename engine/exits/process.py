"""A process of its own for an exit, so that whatever an exit does, who calls it goes on.

It is forked when it is first needed, has its own standard output (standard error), a limit of memory and a process
group, and is killed when an answer does not come in time. What goes to it and comes back is plain data.
"""

from __future__ import annotations

import marshal
import os
import signal
import socket
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from struct import Struct
from time import monotonic
from typing import Any, NamedTuple

from mqclause.exits.inside import FAILED, LARGEST_REPLY, LEFT, read_reply, serve
from mqclause.model.exits.offer import Offer
from mqclause.model.exits.structures import MQWXP

Exit = Callable[[MQWXP], object]
"""An exit: it is called with an MQWXP and changes it; what it returns is not looked at."""

_SIZE = Struct("<I")
_inside = False
"""Whether this is the process of an exit."""


class LeftByExit(NamedTuple):
    """What an exit left in its MQWXP."""

    response: str
    destination_chosen: int
    user_area: bytes


class ExitFaultError(Exception):
    """The exit gave no answer; ``timed_out`` if it did not return in time. The message says what it did instead."""

    def __init__(self, message: str, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class _ForgedError(ExitFaultError):
    """What came back was written by the exit, and not by its process."""

    def __init__(self) -> None:
        super().__init__("the exit wrote into its own process's answer")


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
        """Starts the process unless it runs. Raises ExitFaultError."""
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

    def call(self, offer: Offer) -> LeftByExit:
        """What the exit answers to ``offer``. Raises ExitFaultError."""
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
        """Ends the process; a later call starts another one."""
        running, self._running = self._running, None
        if running is not None:
            running.end()


def _answer(reply: bytes) -> LeftByExit:
    match read_reply(reply):
        case [kind, str(response), int(chosen), bytes(area)] if kind == LEFT:
            return LeftByExit(response, chosen, area)
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
        serve(exit, theirs, limit)
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
