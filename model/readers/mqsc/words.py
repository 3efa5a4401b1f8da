"""MQSC's fixed words: verbs, object types, their synonyms, flags."""

from __future__ import annotations

import re
from typing import Any

VERB_SYNONYMS = {"ALT": "ALTER", "DEF": "DEFINE", "DIS": "DISPLAY", "REF": "REFRESH", "STA": "START"}

VERBS = frozenset({
    "ALTER", "ARCHIVE", "BACKUP", "CLEAR", "DEFINE", "DELETE", "DISPLAY", "MOVE", "PING", "PURGE", "RECOVER",
    "REFRESH", "RESET", "RESOLVE", "RESUME", "RVERIFY", "SET", "START", "STOP", "SUSPEND",
})  # fmt: skip

BEGINS_COMMAND = re.compile(rf"[ \t\f]*(?:{'|'.join(sorted({*VERBS, *VERB_SYNONYMS}))})(?![A-Za-z0-9])", re.IGNORECASE)
"""How a line of a script begins that is no comment and goes on with none."""

ENDS = frozenset({"END", "EXIT", "QUIT"})
"""The words that end the input."""

RECORD_ACTIONS = {
    "DEFINE": "define", "ALTER": "alter", "DELETE": "delete", "SUSPEND": "suspend", "RESUME": "resume",
    "START": "start", "STOP": "stop", "REFRESH": "refresh",
}  # fmt: skip
"""The verbs that configure or operate, with the action of their records."""

OPERATED = {"SUSPEND": "QMGR", "RESUME": "QMGR", "START": "CHANNEL", "STOP": "CHANNEL"}
"""The only object type of a verb whose commands are kept."""

CONFIGURED = frozenset({
    "AUTHINFO", "BUFFPOOL", "CFSTRUCT", "CHANNEL", "COMMINFO", "LISTENER", "NAMELIST", "PROCESS", "PSID", "QALIAS",
    "QLOCAL", "QMODEL", "QREMOTE", "SERVICE", "STGCLASS", "SUB", "TOPIC",
})  # fmt: skip

TAKEN_BY = {
    "DEFINE": CONFIGURED | {"LOG", "MAXSMSGS"},
    "ALTER": CONFIGURED | {"QMGR", "SECURITY", "SMDS", "TRACE"},
    "DELETE": CONFIGURED | {"AUTHREC", "POLICY"},
    "SUSPEND": frozenset({"QMGR"}),
    "RESUME": frozenset({"QMGR"}),
}
"""The object types that a verb takes, of the verbs for which it is known."""

ELSEWHERE_TOO = frozenset({"ARCHIVE", "PURGE"})
"""The verbs that are an object type or a flag of other commands, too."""

ASKED_FOR = {"SUSPEND": "CLUSQMGR", "RECOVER": "CFSTRUCT"}
"""The verbs that are an attribute, too: DISPLAY asks for it without a value, of objects of this type."""

NOUNS = frozenset({
    "AUTHINFO", "AUTHSERV", "CHANNEL", "CHSTATUS", "CLUSQMGR", "LISTENER", "NAMELIST", "QALIAS", "QCLUSTER",
    "QLOCAL", "QMGR", "QMODEL", "QREMOTE", "QSTATUS", "SERVICE", "TOPIC",
})  # fmt: skip
"""The object types whose word is no attribute of another one."""

ATTRIBUTE_NOUNS = frozenset({
    "APSTATUS", "ARCHIVE", "AUTHREC", "BSDS", "BUFFPOOL", "CFSTATUS", "CFSTRUCT", "CHINIT", "CHLAUTH", "CLUSTER",
    "CMDSERV", "COMMINFO", "CONN", "ENTAUTH", "GROUP", "INDOUBT", "LOG", "LSSTATUS", "MAXSMSGS", "POLICY",
    "PROCESS", "PSID", "PUBSUB", "QMSTATUS", "QSTATS", "QUEUE", "SBSTATUS", "SECURITY", "SMDS", "SMDSCONN",
    "STGCLASS", "SUB", "SVSTATUS", "SYSTEM", "TCLUSTER", "THREAD", "TOPICSTR", "TPIPE", "TPSTATUS", "TRACE",
    "USAGE",
})  # fmt: skip
"""The object types whose word may be an attribute too: they are the noun where no other one stands."""

EVERY_NOUN = NOUNS | ATTRIBUTE_NOUNS

ATTRIBUTE_SYNONYMS = {"TARGQ": "TARGET"}
"""The short words of attributes, by which old releases display them too."""

SYNONYMS = {
    "BP": "BUFFPOOL", "CHL": "CHANNEL", "CHS": "CHSTATUS", "LSTR": "LISTENER", "NL": "NAMELIST", "POL": "POLICY",
    "PRO": "PROCESS", "PROC": "PROCESS", "Q": "QUEUE", "QA": "QALIAS", "QC": "QCLUSTER", "QL": "QLOCAL",
    "QM": "QMODEL", "QR": "QREMOTE", "QS": "QSTATUS", "STC": "STGCLASS", "TPC": "TOPIC",
    "TPS": "TPSTATUS", **ATTRIBUTE_SYNONYMS,
}  # fmt: skip
"""The short words of object types and attributes."""

NAMED = frozenset({
    "AUTHINFO", "CHANNEL", "COMMINFO", "LISTENER", "NAMELIST", "PROCESS", "QALIAS", "QLOCAL", "QMODEL", "QREMOTE",
    "SERVICE", "TOPIC",
})  # fmt: skip
"""The object types whose definition must give a name."""

NAME_VALUED = NAMED | {
    "CLUSNL", "CLUSQMGR", "CLUSTER", "DEADQ", "DEFXMITQ", "INITQ", "QMNAME", "QUEUE", "REPOS", "REPOSNL", "RNAME",
    "RQMNAME", "TARGET", "TARGQ", "XMITQ",
}  # fmt: skip
"""The object types and attributes whose value is a name, in which no parenthesis can stand."""

FLAGS = frozenset({
    "FORCE", "HARDENBO", "NOFORCE", "NOHARDENBO", "NOREPLACE", "NOSHARE", "NOTRIGGER", "REPLACE", "SHARE", "TRIGGER",
})  # fmt: skip
"""The parameters of DEFINE and ALTER that have no value."""

VALUED = frozenset({
    "APPLICID", "APPLTYPE", "CHLTYPE", "CLUSNL", "CLUSTER", "CLWLDATA", "CLWLEXIT", "CLWLMRUC", "CLWLPRTY",
    "CLWLRANK", "CLWLUSEQ", "CLWLWGHT", "DEFBIND", "DEFPRTY", "ENVRDATA", "GET", "INITQ", "LIKE", "MSGDLVSQ",
    "NAMES", "NETPRTY", "PROCESS", "PUT", "QSGDISP", "REPOS", "REPOSNL", "RNAME", "RQMNAME", "TARGET", "TRIGDATA",
    "TRIGDPTH", "TRIGINT", "TRIGMPRI", "TRIGTYPE", "USAGE", "USERDATA",
})  # fmt: skip
"""The parameters of DEFINE and ALTER that decide something by their value."""

TEXTUAL = frozenset({
    *VALUED, "CHANNEL", "CLUSQMGR", "CLUSQT", "CURDEPTH", "DEFTYPE", "DEFXMITQ", "DESCR", "IPPROCS", "NAMELIST",
    "QMNAME", "QMTYPE", "QUEUE", "STATUS", "SUSPEND", "TYPE",
}) - {"NAMES"}  # fmt: skip
"""The attributes whose value is shown as one text or one whole number."""


def in_full(shown: dict[str, Any]) -> dict[str, Any]:
    """Attributes in their order, each by its full word; by the short one where the full one stands beside it."""
    if shown.keys().isdisjoint(ATTRIBUTE_SYNONYMS):
        return shown
    full = {word: ATTRIBUTE_SYNONYMS.get(word, word) for word in shown}
    return {word if full[word] in shown else full[word]: value for word, value in shown.items()}
