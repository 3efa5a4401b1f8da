"""Events: what happens to a queue manager over time, one call or command each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from attrs import fields, frozen

from mqclause.model.diagnostic import DomainError, suggestion
from mqclause.model.facts.domains import (
    CHANNEL_NAME,
    GIVEN_NAME,
    LARGEST,
    NAME_OR_BLANK,
    Flag,
    Text,
    Whole,
    Words,
    attribute,
)
from mqclause.model.facts.message import LABEL_TEXT_OR_BLANK, LARGEST_LONG
from mqclause.model.facts.objects import BINDINGS, LONGEST_MESSAGE
from mqclause.model.facts.queue_call import MODES

EVENT_WORDS = (
    "put", "get", "open", "close", "commit", "backout", "alter", "clear", "restart", "advance",
    "suspend", "resume", "refresh", "fail", "recover", "arrive",
)  # fmt: skip
"""What an event can do."""

SUSPEND_MODES = ("QUIESCE", "FORCE")
REPOS_WORDS = ("NO", "YES")
"""What a REFRESH CLUSTER says of full repositories."""

ADMINISTRATIVE = ("suspend", "resume", "refresh", "fail", "recover", "arrive")
"""The events that the rules of document 004 answer."""

MOST_REPEATED = 1_000_000_000
LATEST = 2**63 - 1
"""The latest time of an event, in milliseconds since the start."""

HIGHEST_GIVEN = 2**31 - 1
"""The highest priority that a call can give; above 9 it counts as 9."""


class EventError(ValueError):
    """An event that cannot happen in the state that it meets."""


@frozen
class EventWord:
    """One of the kinds of event, in any letter case; kept in lower case."""

    def __call__(self, value: object, key: str) -> str:
        if isinstance(value, str) and value.lower() in EVENT_WORDS:
            return value.lower()
        near = suggestion(value.lower(), EVENT_WORDS) if isinstance(value, str) else ""
        raise DomainError(key, value, f"allowed: {', '.join(EVENT_WORDS)}{near}")


@frozen
class Settings:
    """A table of attributes and their new values; the object that it is for says which are allowed."""

    def __call__(self, value: object, key: str) -> Mapping[str, Any]:
        if isinstance(value, Mapping) and all(isinstance(each, str) for each in value):
            return MappingProxyType(dict(value))
        raise DomainError(key, value, "allowed: a table of attributes and their new values")


@frozen
class Options:
    """A list of options of MQGMO, in any letter case; kept in upper case, each once."""

    def __call__(self, value: object, key: str) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise DomainError(key, value, f"allowed: a list of {', '.join(GET_OPTIONS)}")
        return tuple(dict.fromkeys(_OPTION(each, key) for each in value))


@frozen
class Match:
    """What a message has to have: the keys that match options name, and their values."""

    def __call__(self, value: object, key: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise DomainError(key, value, f"allowed: a table with keys {', '.join(MATCH_KEYS)}")
        for name in value:
            if name not in MATCH_KEYS:
                near = suggestion(name, MATCH_KEYS) if isinstance(name, str) else ""
                raise DomainError(key, name, f"allowed: a table with keys {', '.join(MATCH_KEYS)}{near}")
        return MappingProxyType({name: MATCH_KEYS[name](given, f"{key}.{name}") for name, given in value.items()})


AT_THE_CURSOR = ("BROWSE_MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR")
WHICH_MESSAGE = ("BROWSE_FIRST", "BROWSE_NEXT", *AT_THE_CURSOR)
"""Which message is meant by a get or browse: one of them at most is stated."""

BROWSES = tuple(each for each in WHICH_MESSAGE if each.startswith("BROWSE"))
GET_OPTIONS = ("LOGICAL_ORDER", "ALL_MSGS_AVAILABLE", "ALL_SEGMENTS_AVAILABLE", "COMPLETE_MSG", *WHICH_MESSAGE)
_OPTION = Words(GET_OPTIONS)
MATCH_KEYS: Mapping[str, Any] = {
    "id": LABEL_TEXT_OR_BLANK,
    "correlation": LABEL_TEXT_OR_BLANK,
    "group": LABEL_TEXT_OR_BLANK,
    "sequence": Whole(1, LARGEST),
    "offset": Whole(0, LARGEST_LONG),
}
"""What a get can ask a message to have."""


@frozen
class MaybeFlag:
    """True or false, or None where nothing is said."""

    def __call__(self, value: object, key: str) -> bool | None:
        return Flag()(value, key)


MAYBE: Any = MaybeFlag()
OPTIONS: Any = Options()
MATCH: Any = Match()
EVENT_WORD: Any = EventWord()
SETTINGS: Any = Settings()
NOTHING_SET: Mapping[str, Any] = MappingProxyType({})
CHANNEL_OR_BLANK = Text(CHANNEL_NAME.most)


@frozen
class Event:
    """One call or command. A blank name means that none is given; ``count`` repeats a put or a get.

    ``at`` is in milliseconds since the start; None is the time of the event before. ``priority`` None is the
    queue's DEFPRTY. ``to_queue_manager`` is the queue manager that a put or an open for output names
    (ObjectQMgrName). ``length`` is in bytes. ``segments`` is how many messages the queue manager makes of one put.
    ``set`` holds the attributes that an alter (a command, or MQSET) gives new values. From ``id`` on: what a put
    says of its message (None: nothing), whether it states LOGICAL_ORDER, and the options and match options of a get.
    ``cluster`` is that of a suspension or a refresh, ``id`` also that of a message that arrives, which may be ``bound``
    to this queue manager.
    """

    do: str = attribute(EVENT_WORD)
    queue: str = attribute(NAME_OR_BLANK, "")
    channel: str = attribute(CHANNEL_OR_BLANK, "")
    queue_manager: str = attribute(NAME_OR_BLANK, "")
    priority: int | None = attribute(Whole(0, HIGHEST_GIVEN), None)
    unit_of_work: str = attribute(NAME_OR_BLANK, "")
    segments: int = attribute(Whole(1, LARGEST), 1)
    at: int | None = attribute(Whole(0, LATEST), None)
    by: str = attribute(NAME_OR_BLANK, "")
    mode: str = attribute(Words((*MODES, *SUSPEND_MODES)), "INPUT_SHARED")
    cluster: str = attribute(NAME_OR_BLANK, "")
    repos: str = attribute(Words(REPOS_WORDS), "NO")
    to_queue_manager: str = attribute(GIVEN_NAME, "")
    bind: str = attribute(Words((*BINDINGS, "AS_Q_DEF")), "AS_Q_DEF")
    persistent: bool = attribute(Flag(), True)
    length: int = attribute(Whole(0, LONGEST_MESSAGE), 100)
    cluster_pcf: bool = attribute(Flag(), False)
    set: Mapping[str, Any] = attribute(SETTINGS, NOTHING_SET)
    count: int = attribute(Whole(1, MOST_REPEATED), 1)
    id: str = attribute(LABEL_TEXT_OR_BLANK, "")
    group: str = attribute(LABEL_TEXT_OR_BLANK, "")
    in_group: bool | None = attribute(MAYBE, None)
    sequence: int = attribute(Whole(1, LARGEST), 1)
    last_in_group: bool | None = attribute(MAYBE, None)
    segment: bool = attribute(Flag(), False)
    last_segment: bool = attribute(Flag(), False)
    offset: int = attribute(Whole(0, LARGEST_LONG), 0)
    correlation: str = attribute(LABEL_TEXT_OR_BLANK, "")
    logical_order: bool = attribute(Flag(), False)
    options: tuple[str, ...] = attribute(OPTIONS, ())
    match: Mapping[str, Any] = attribute(MATCH, NOTHING_SET)
    bound: bool = attribute(Flag(), False)

    @property
    def suspend_mode(self) -> str:
        """The mode that a suspension states; blank: none."""
        return self.mode if self.mode in SUSPEND_MODES else ""

    def __reduce__(self) -> tuple[Any, ...]:
        # As it is made: a mapping that nobody can change does not pickle.
        stated = ((each.name, getattr(self, each.name)) for each in fields(Event))
        values = ((name, dict(value) if isinstance(value, Mapping) else value) for name, value in stated)
        given: dict[str, Any] = {name: value for name, value in values if value is not None}
        return partial(Event, **given), ()


def event_label(position: int, do: object) -> str:
    """How a message names the event at ``position``, counted from 1: by its number in a replay, ``event 0 (put)``."""
    number = position - 1
    return f"event {number} ({do.lower()})" if isinstance(do, str) and do.lower() in EVENT_WORDS else f"event {number}"
