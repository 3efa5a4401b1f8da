"""Cluster workload exits as Python functions: their structures, two examples, and the messages to test them with.

An exit takes one MQWXP and returns nothing. ``Engine(exits={"myexit": my_exit})`` calls it wherever a queue manager
whose CLWLEXIT is ``myexit`` would.
"""

from __future__ import annotations

from mqclause.exits.process import Caller
from mqclause.model.exits import (
    MQCD,
    MQQMF_AVAILABLE,
    MQWCR,
    MQWDR,
    MQWQR,
    MQWXP,
    PUT_INHIBITED,
    OfferedMessage,
)
from mqclause.model.facts.domains import CHANNEL_STATUS

__all__ = [  # noqa: RUF022 - in the order of the alphabet
    "Caller",
    "MQCD",
    "MQWCR",
    "MQWDR",
    "MQWQR",
    "MQWXP",
    "OfferedMessage",
    "by_content",
    "prefer_channel",
]

USABLE = frozenset(
    CHANNEL_STATUS[each] for each in ("INACTIVE", "BINDING", "STARTING", "RUNNING", "STOPPING", "INITIALIZING")
)
"""The states of a channel (MQCHS_*) that a message may be sent to."""


def prefer_channel(wxp: MQWXP) -> None:
    """Send every message by the channel that CLWLDATA names, while its destination can be reached.

    CLWLDATA is the name of a cluster-receiver channel, whatever names are made of: ``TO.QM2`` or ``SALES.QM2``. The
    first such destination is taken that is put-enabled, available, and whose channel is not RETRYING, REQUESTING,
    PAUSED, STOPPED or SWITCHING; if there is none, the queue manager's own choice stands. A blank CLWLDATA names none,
    not even the local destination, whose channel is blank where there is no CLUSRCVR.
    """
    named = wxp.ExitData.strip()
    for number, destination in enumerate(wxp.DestinationArray, 1):
        if named and destination.ChannelDef.ChannelName == named and _can_take(wxp, number, destination):
            wxp.DestinationChosen = number
            return


def by_content(wxp: MQWXP) -> None:
    """Send a message that begins with the name of a queue manager and a colon there, if it can be reached.

    ``QM3: two of each`` goes to QM3. The beginning has to be within CLWLLEN bytes.
    """
    name, colon, _ = wxp.MsgBuffer.partition(b":")
    for number, destination in enumerate(wxp.DestinationArray, 1):
        if colon and destination.QMgrName.encode() == name.strip() and _can_take(wxp, number, destination):
            wxp.DestinationChosen = number
            return


def _can_take(wxp: MQWXP, number: int, destination: MQWDR) -> bool:
    inhibited = wxp.QArray is not None and wxp.QArray[number - 1].InhibitPut == PUT_INHIBITED["DISABLED"]
    available = bool(destination.QMgrFlags & MQQMF_AVAILABLE)
    return available and not inhibited and destination.ChannelState in USABLE
