"""MQ's numeric constants, where they are used."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, int]] = {
    "MQRC_PUT_INHIBITED": 2051,
    "MQRC_UNKNOWN_OBJECT_NAME": 2085,
    "MQRC_UNKNOWN_OBJECT_Q_MGR": 2086,
    "MQRC_CLUSTER_PUT_INHIBITED": 2268,
    "MQRC_NO_DESTINATIONS_AVAILABLE": 2270,
}
"""Reason codes by name (MQRC_*)."""

CHANNEL_STATUS: Final[dict[str, int]] = {
    "INACTIVE": 0,
    "BINDING": 1,
    "STARTING": 2,
    "RUNNING": 3,
    "STOPPING": 4,
    "RETRYING": 5,
    "STOPPED": 6,
    "REQUESTING": 7,
    "PAUSED": 8,
    "INITIALIZING": 13,
}
"""Channel states by MQSC word (MQCHS_*)."""
