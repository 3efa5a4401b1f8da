"""Calls on a local queue, as the rules see them that say what the call ends with."""

from __future__ import annotations

from attrs import define

from mqclause.model.facts.constants import COMMANDS
from mqclause.model.facts.domains import LARGEST, NAME_OR_BLANK, Whole, Words, seen

INPUT_MODES = ("INPUT_SHARED", "INPUT_EXCLUSIVE")
"""The modes of an open that removes messages: those that OpenInputCount counts."""

READING_MODES = (*INPUT_MODES, "BROWSE")
MODES = (*READING_MODES, "OUTPUT")
_COUNT = Whole(0, LARGEST)
_ABLE = Words(("ENABLED", "DISABLED"))


@define(eq=False)  # One is made for every put, and attrs takes twice as long where it is frozen.
class QueueCall:
    """An MQPUT to, an MQOPEN of, or a CLEAR QLOCAL of, the local queue ``queue``.

    Of a put: ``named`` is the object that was named, an alias of it perhaps, of ``named_type`` and with PUT
    ``named_put``, ``depth`` how many messages are there, committed or not, ``arriving`` how many the put places. Of
    an open: its ``mode``, whether it is made at the local queue manager, ``here``, and the handles for input that are
    open; ``…_elsewhere`` are those of other queue managers of the group. Of a clear: the ``handles`` of any mode that
    have it open, or a name that leads to it, and the messages that units of work have put or got there, ``unsettled``.
    """

    queue: str = seen(NAME_OR_BLANK, "")
    mqi_call: str = seen(Words(("MQOPEN", "MQPUT", "MQPUT1", *COMMANDS)), "MQPUT")
    put: str = seen(_ABLE, "ENABLED")
    named_put: str = seen(_ABLE, "ENABLED")
    depth: int = seen(_COUNT, 0)
    arriving: int = seen(_COUNT, 1)
    maxdepth: int = seen(_COUNT, LARGEST)
    mode: str = seen(Words(MODES), "OUTPUT")
    here: bool = True
    shared: bool = False
    open_shared_here: int = seen(_COUNT, 0)
    open_exclusive_here: int = seen(_COUNT, 0)
    open_shared_elsewhere: int = seen(_COUNT, 0)
    open_exclusive_elsewhere: int = seen(_COUNT, 0)
    named: str = seen(NAME_OR_BLANK, "")
    named_type: str = seen(Words(("QLOCAL", "QALIAS", "QREMOTE")), "QLOCAL")
    handles: int = seen(_COUNT, 0)
    unsettled: int = seen(_COUNT, 0)
