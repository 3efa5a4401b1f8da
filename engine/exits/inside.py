"""What happens within the process of an exit."""

from __future__ import annotations

import json
import marshal
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from struct import Struct
from traceback import FrameSummary, extract_tb
from typing import Any

from mqclause.model.exits.exit_call import LARGEST_CHOICE, LONGEST_RESPONSE
from mqclause.model.exits.offer import Offer, structures
from mqclause.model.exits.structures import MQWXP, USER_AREA_LENGTH

LEFT, FAILED = "answered", "failed"
"""What a reply begins with."""

MEMORY = 2 * 2**30
"""How many bytes an exit may allocate besides what the process had when it was forked."""

LARGEST_REPLY = 1 << 16
"""Bytes of a reply: more than any has that the exit did not forge."""

LONGEST_ALARM = 10**6
_SIZE = Struct("<I")


def serve(exit: Callable[[MQWXP], object], link: socket.socket, limit: float) -> None:  # noqa: A002 - MQ's word
    """Answers requests until there are no more, and ends the process."""
    _settle()
    own = os.getpid()
    while True:
        request = _received(link)
        if request is None:
            os._exit(0)
        # Should the caller be gone, nobody else would end an exit that does not return.
        signal.setitimer(signal.ITIMER_REAL, min(limit, LONGEST_ALARM) + 1)
        reply = _reply(exit, structures(Offer(*marshal.loads(request))))  # noqa: S302 - from who forked us
        if os.getpid() != own:
            os._exit(0)  # a process that the exit forked has come back from it: the answer is its parent's
        signal.setitimer(signal.ITIMER_REAL, 0)
        link.sendall(_SIZE.pack(len(reply)) + reply)


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
        import resource  # not on every system

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


def _reply(exit: Callable[[MQWXP], object], wxp: MQWXP) -> bytes:  # noqa: A002
    try:
        exit(wxp)
        return _written(LEFT, *_answer(wxp))
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


def read_reply(reply: bytes) -> list[Any]:
    """The values of a reply, whose user area is bytes again; none of what is no reply."""
    try:
        found = json.loads(reply)
        return [*found[:3], *map(bytes.fromhex, found[3:])] if isinstance(found, list) else []
    except (ValueError, TypeError, RecursionError, MemoryError):
        return []


def _answer(wxp: MQWXP) -> tuple[str, int, bytes]:
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


def _raised(error: BaseException, exit: Callable[[MQWXP], object]) -> str:  # noqa: A002
    """What an exit raised, and where: the last line of its own file, or the exit itself, if it was not even entered."""
    try:
        said = str(error)
    except BaseException:  # its own __str__ may do anything
        said = ""
    frames = [each for each in extract_tb(error.__traceback__) if each.filename != __file__]
    where = f" ({_place(frames, exit)}{'' if frames else '; it is called with one MQWXP'})"
    whole = _printable(f"the exit raised {type(error).__name__}{f': {said}' if said else ''}")
    return whole[: LONGEST_RESPONSE - len(where)] + _printable(where)


def _place(frames: Sequence[FrameSummary], exit: Callable[[MQWXP], object]) -> str:  # noqa: A002
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
