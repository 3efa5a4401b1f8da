"""What kind of object is displayed, told by its attributes: messages are translated."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mqclause.model.readers.mqsc.words import EVERY_NOUN, TEXTUAL
from mqclause.model.readers.record import Value

BY_NAME = {
    "QMNAME": "QMGR", "PROCESS": "PROCESS", "NAMELIST": "NAMELIST", "CLUSQMGR": "CLUSQMGR", "CHSTATUS": "CHSTATUS",
    "QSTATUS": "QSTATUS",
}  # fmt: skip
"""The kinds of objects whose first attribute alone tells them. A status has its kind for that on z/OS alone."""

QUEUES = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "QCLUSTER")
TYPES_SHOWN = (*QUEUES, "QUEUE", "HANDLE")
STATUS_WORDS = ("STATUS", "CURRENT", "SAVED", "SHORT")

WITHIN = {"QUEUE": {"CLUSQMGR", "CHANNEL", "PROCESS"}, "CLUSQMGR": {"CHANNEL"}}
"""The attributes with which some objects begin and that others have too, by the attribute that those begin with."""

BEGINNINGS = frozenset({"QUEUE", "CLUSQMGR", "CHANNEL", "PROCESS", "NAMELIST", "CHSTATUS", "QSTATUS"})

PASSED_BY = EVERY_NOUN | {
    "APPLNAME", "APPLTAG", "CHLAUTH", "CONNAME", "ENTITY", "EXTCONN", "INSTANCE", "NAME", "OBJNAME", "PROFILE", "QMID",
    "QMNAME", "QMURID", "QSGNAME", "SERVCOMP", "SUBID", "SUBNAME", "URDISP",
}  # fmt: skip
"""The attributes with which objects begin that no decision rests on, beside the kinds of objects."""

READ_BELOW = frozenset({"8407", "8408", "8409", "8414", "8417", "8441", "8450", "8550"})
"""The messages below which an object is displayed that is read."""


def kind_displayed(shown: Mapping[str, Value]) -> str:
    """The kind of what was displayed, told by its attributes: messages are translated. Blank if it is passed by."""
    first = next(iter(shown), "")
    if first == "QUEUE":
        return _kind_of_queue(shown)
    if first == "CHANNEL":
        return "CHSTATUS" if any(word in shown for word in STATUS_WORDS) else "CHANNEL" if "CHLTYPE" in shown else ""
    if first == "QMNAME" and "STATUS" in shown:
        return ""  # of DISPLAY QMSTATUS, or of dspmq
    return BY_NAME.get(first, "")


def _kind_of_queue(shown: Mapping[str, Value]) -> str:
    told = str(shown.get("TYPE", "")) or ("QCLUSTER" if "CLUSQMGR" in shown else "QLOCAL")
    if told in ("QUEUE", "HANDLE"):
        return "QSTATUS"
    return told if told in QUEUES else ""


def begins_another(word: str, first: str) -> bool:
    """Whether another object begins with ``word``, in one that begins with the attribute ``first``."""
    if word == first:
        return True
    return word in BEGINNINGS and first in (*BEGINNINGS, "QMNAME") and word not in WITHIN.get(first, ())


@lru_cache(maxsize=1024)
def is_part(word: str) -> bool:
    """Whether a word that stands alone is the beginning of an attribute's name."""
    return word not in TEXTUAL and any(each.startswith(word) for each in TEXTUAL)
