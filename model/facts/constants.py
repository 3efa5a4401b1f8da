"""MQ's numeric constants, where they are used."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, int]] = {
    "MQRC_ALIAS_BASE_Q_TYPE_ERROR": 2001,
    "MQRC_GET_INHIBITED": 2016,
    "MQRC_NO_MSG_AVAILABLE": 2033,
    "MQRC_NO_MSG_UNDER_CURSOR": 2034,
    "MQRC_OBJECT_IN_USE": 2042,
    "MQRC_PUT_INHIBITED": 2051,
    "MQRC_Q_FULL": 2053,
    "MQRC_Q_NOT_EMPTY": 2055,
    "MQRC_UNKNOWN_ALIAS_BASE_Q": 2082,
    "MQRC_UNKNOWN_OBJECT_NAME": 2085,
    "MQRC_UNKNOWN_OBJECT_Q_MGR": 2086,
    "MQRC_UNKNOWN_REMOTE_Q_MGR": 2087,
    "MQRC_REMOTE_Q_NAME_ERROR": 2184,
    "MQRC_STOPPED_BY_CLUSTER_EXIT": 2188,
    "MQRC_UNKNOWN_XMIT_Q": 2196,
    "MQRC_UNKNOWN_DEF_XMIT_Q": 2197,
    "MQRC_INCOMPLETE_GROUP": 2241,
    "MQRC_INCOMPLETE_MSG": 2242,
    "MQRC_INVALID_MSG_UNDER_CURSOR": 2246,
    "MQRC_MATCH_OPTIONS_ERROR": 2247,
    "MQRC_INCONSISTENT_BROWSE": 2259,
    "MQRC_CLUSTER_EXIT_ERROR": 2266,
    "MQRC_CLUSTER_PUT_INHIBITED": 2268,
    "MQRC_NO_DESTINATIONS_AVAILABLE": 2270,
}
"""Reason codes by name (MQRC_*)."""

MQI_CALLS: Final = ("MQOPEN", "MQPUT", "MQPUT1", "MQGET", "MQCLOSE")
"""The calls of the MQI that end with them."""

COMMANDS: Final = ("CLEAR QLOCAL",)
"""The commands that do."""

REASON_NAMES: Final[dict[int, str]] = {code: name for name, code in REASONS.items()}
"""The names by code."""

CHANNEL_STATUS: Final[dict[str, int]] = {
    "INACTIVE": 0,
    "RUNNING": 3,
    "BINDING": 1,
    "INITIALIZING": 13,
    "STARTING": 2,
    "STOPPING": 4,
    "RETRYING": 5,
    "REQUESTING": 7,
    "PAUSED": 8,
    "STOPPED": 6,
    "SWITCHING": 14,
}
"""Channel states by MQSC word (MQCHS_*), in the order in which the workload algorithm prefers them."""
