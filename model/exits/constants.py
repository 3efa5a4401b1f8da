"""IBM's numbers in the structures of the cluster workload exit, by the names of cmqc.h and cmqxc.h without prefix."""

from __future__ import annotations

from typing import Final

MQXT_CLUSTER_WORKLOAD_EXIT: Final = 20
"""MQWXP.ExitId."""

MQXR2_STATIC_CACHE: Final = 0
MQXR2_DYNAMIC_CACHE: Final = 32
"""MQWXP.ExitResponse2: whether the exit can follow the records of a cache that moves."""

MQCLCT_STATIC: Final = 0
MQCLCT_DYNAMIC: Final = 1
"""MQWXP.CacheType."""

MQWXP_PUT_BY_CLUSTER_CHL: Final = 0x2
"""MQWXP.Flags: the message came over a cluster channel."""

MQQF_LOCAL_Q: Final = 0x1
MQQF_CLWL_USEQ_ANY: Final = 0x40
MQQF_CLWL_USEQ_LOCAL: Final = 0x80
"""MQWQR.QFlags: a local queue, and the CLWLUSEQ in effect for it."""

MQQMF_REPOSITORY_Q_MGR: Final = 0x2
MQQMF_CLUSSDR_USER_DEFINED: Final = 0x8
MQQMF_CLUSSDR_AUTO_DEFINED: Final = 0x10
MQQMF_AVAILABLE: Final = 0x20
"""MQWDR.QMgrFlags: a full repository, how its channel is defined, and that it can receive messages."""

MQCHT_CLUSRCVR: Final = 8
MQCHT_CLUSSDR: Final = 9
"""MQCD.ChannelType."""

MQCQT_Q_MGR_ALIAS: Final = 4
QUEUE_TYPES_IN_CLUSTERS: Final[dict[str, int]] = {"QLOCAL": 1, "QALIAS": 2, "QREMOTE": 3}
"""MQWQR.QType by MQSC word (MQCQT_*)."""

DEFAULT_BINDINGS: Final[dict[str, int]] = {"OPEN": 0, "NOTFIXED": 1, "GROUP": 2}
"""MQWQR.DefBind by MQSC word (MQBND_*)."""

PUT_INHIBITED: Final[dict[str, int]] = {"ENABLED": 0, "DISABLED": 1}
"""MQWQR.InhibitPut by MQSC word (MQQA_PUT_*)."""

DEFAULT_PERSISTENCE: Final[dict[str, int]] = {"NO": 0, "YES": 1}
"""MQWQR.DefPersistence by MQSC word (MQPER_*)."""

MQPER_NOT_PERSISTENT: Final = 0
MQPER_PERSISTENT: Final = 1
MQPER_PERSISTENCE_AS_Q_DEF: Final = 2
MQPRI_PRIORITY_AS_Q_DEF: Final = -1
"""MQMD.Persistence and MQMD.Priority."""
