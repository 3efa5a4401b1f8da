"""What the exit rules see: a choice that an exit could be called for, and what it answered."""

from __future__ import annotations

from attrs import frozen

from mqclause.model.facts.domains import LARGEST, Finite, Names, Text, Whole, Words, seen
from mqclause.model.facts.objects import BINDINGS, LONGEST_MESSAGE

EXIT_NAME = Text(128)
LONGEST_RESPONSE = 200
"""How many characters of an ExitResponse, or of what went wrong, are kept."""

ANSWER = Text(LONGEST_RESPONSE)
LARGEST_CHOICE = 2**63 - 1


@frozen(eq=False)
class ExitCall:
    """A choice of a destination, before the exit is called for it and (``answered``) after.

    ``exit_at_start`` and ``exit_at_connection`` are CLWLEXIT when the queue manager was started, and when the
    application connected; ``exits_given`` are the names that an exit is there for. ``moving`` is a message whose queue
    manager is not available, or failed, while it is on the transmission queue. ``inhibited`` says that an object which
    the names lead over is put-disabled. ``suppressed`` and ``failed_on_handle`` say that an exit asked not to be called
    any more, and that it failed earlier on this handle. ``message_length``, of what is put or will be, and CLWLLEN are
    in bytes, ``exit_limit`` in seconds, 0 if none is stated. ``fault`` is what went wrong in the exit, blank if nothing
    did, ``init_fault`` the same at INIT. ``clwlexit`` is CLWLEXIT now, ``own_choice`` the number of the queue manager's
    own choice, 0 if it has none. ``others_permitted``: the workload rules permit another queue manager than the one
    that failed.
    """

    mqi_call: str = seen(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT")
    bind: str = seen(Words(BINDINGS), "OPEN")
    cluster_pcf: bool = False
    moving: bool = False
    inhibited: bool = False
    platform: str = seen(Words(("MULTI", "ZOS")), "MULTI")
    exit_at_start: str = seen(EXIT_NAME, "")
    exit_at_connection: str = seen(EXIT_NAME, "")
    exits_given: tuple[str, ...] = seen(Names(EXIT_NAME), ())
    suppressed: bool = False
    failed_on_handle: bool = False
    message_length: int = seen(Whole(0, LONGEST_MESSAGE), 100)
    clwllen: int = seen(Whole(0, LARGEST), 100)
    exit_limit: float = seen(Finite(0.0), 0.0)
    answered: bool = False
    response: str = seen(ANSWER, "")
    destination_chosen: int = seen(Whole(-LARGEST_CHOICE, LARGEST_CHOICE), 0)
    timed_out: bool = False
    fault: str = seen(ANSWER, "")
    init_fault: str = seen(ANSWER, "")
    clwlexit: str = seen(EXIT_NAME, "")
    own_choice: int = seen(Whole(0, LARGEST), 0)
    others_permitted: bool = False
