"""Cluster workload exits as Python functions: their structures, two examples, and the messages to test them with.

An exit takes one MQWXP and returns nothing. ``Engine(exits={"myexit": my_exit})`` calls it wherever a queue manager
whose CLWLEXIT is ``myexit`` would.
"""

from __future__ import annotations

from mqclause.exits.examples import by_content, prefer_channel
from mqclause.exits.session import Caller
from mqclause.model.exits.calls import OfferedMessage
from mqclause.model.exits.structures import MQCD, MQWCR, MQWDR, MQWQR, MQWXP

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
