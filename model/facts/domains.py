"""The values that MQ's attributes may have, MQ's constants, and its reason codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from attrs import NOTHING, Converter, field, fields, frozen

from mqclause.model.diagnostics import DomainError, quote_value, render_given_value, suggest_word

T = TypeVar("T")

LARGEST = 999_999_999
"""The largest value of MQ's counts and intervals."""

LARGEST_NUMBER = 2**63 - 1
"""The largest whole number of 64 bits."""

NAME_LENGTH = 48
"""The longest name of a queue, queue manager, cluster or process, in characters."""

IN_NAMES = "A-Za-z0-9._/%"
"""The characters that a name of MQ may have, as a class of a regular expression."""

NOT_IN_NAMES = re.compile(f"[^{IN_NAMES}]")
"""A character that a name of MQ may not have."""

_NEEDS_NO_QUOTES = re.compile(f" *(?:[{IN_NAMES}-]+ *(?:\\([{IN_NAMES}]*\\) *)?)?")
"""What is one word of a command, or one attribute, whatever it says: a name, a number, QSGDISP(SHARED)."""


def quote_name(name: str) -> str:
    """Quote a name, or another value, as an MQSC command takes it: with its letter case, whatever is in it."""
    return f"'{double_quotes(name)}'"


def double_quotes(value: str) -> str:
    """Write a value as it stands between the quotes of an MQSC command: on one line, with each quote twice."""
    shown = value if value.isprintable() else "".join(each if each.isprintable() else "…" for each in value)
    return shown.replace("'", "''")


def escape_for_shell(value: str) -> str:
    """Write a value as it stands between single quotes of a shell."""
    return value.replace("'", "'\"'\"'")


def quote_unless_plain(value: str) -> str:
    """Write a value that stands in an MQSC command without quotes: in quotes where it is more than one plain word."""
    return value if _NEEDS_NO_QUOTES.fullmatch(value) else quote_name(value)


@frozen
class Words:
    """One of MQSC's words, in any letter case; kept in upper case."""

    words: tuple[str, ...]

    def __call__(self, value: object, key: str) -> str:
        if isinstance(value, str):
            if value in self.words:
                return value
            if _fold_case(value) in self.words:
                return _fold_case(value)
        near = suggest_word(value.upper(), self.words) if isinstance(value, str) else ""
        raise DomainError(key, value, f"allowed: {', '.join(self.words)}{near}")


def _fold_case(word: str) -> str:
    """Fold a word in upper case. Only A to Z have a letter case: what looks like them is another letter."""
    return word.upper() if word.isascii() else word


@frozen
class Whole:
    """A whole number from ``low`` to ``high``, both included."""

    low: int
    high: int

    def __call__(self, value: object, key: str) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value
        raise DomainError(key, value, f"allowed: a whole number from {self.low} to {self.high}")


LOWEST_LEVEL, HIGHEST_LEVEL = 100, 9999
"""Between which the command levels of queue managers lie: CMDLEVEL has three or four digits."""


@frozen
class Level:
    """A command level, or 0 where it is not known."""

    def __call__(self, value: object, key: str) -> int:
        if type(value) is int and (value == 0 or LOWEST_LEVEL <= value <= HIGHEST_LEVEL):
            return value
        allowed = f"a whole number from {LOWEST_LEVEL} to {HIGHEST_LEVEL}, or 0 where it is not known"
        raise DomainError(key, value, f"allowed: {allowed}")


@frozen
class WordsOrWhole:
    """One of MQSC's words, or a whole number for what has no word; kept as text."""

    words: tuple[str, ...]
    numbers: Whole

    def __call__(self, value: object, key: str) -> str:
        if isinstance(value, str) and _fold_case(value) in self.words:
            return _fold_case(value)
        if type(value) is int or (isinstance(value, str) and value.isascii() and value.isdecimal()):
            with suppress(DomainError):
                return str(self.numbers(int(value), key))
        near = suggest_word(value.upper(), self.words) if isinstance(value, str) else ""
        numbers = f"{self.numbers.low} to {self.numbers.high}"
        raise DomainError(key, value, f"allowed: {', '.join(self.words)}, or a number from {numbers}{near}")


@frozen
class Finite:
    """A finite number from ``low`` on."""

    low: float

    def __call__(self, value: object, key: str) -> float:
        if type(value) in (int, float) and isfinite(value) and value >= self.low:  # type: ignore[arg-type,operator]
            return float(value)  # type: ignore[arg-type]
        raise DomainError(key, value, f"allowed: a finite number from {self.low:g}")


@frozen
class Flag:
    """True or false."""

    def __call__(self, value: object, key: str) -> bool:
        if value is True or value is False:
            return value
        raise DomainError(key, value, "allowed: true, false")


@frozen
class Text:
    """Text of ``least`` to ``most`` characters without control characters; trailing blanks do not count."""

    most: int
    least: int = 0

    def __call__(self, value: object, key: str) -> str:
        if isinstance(value, str):
            kept = value.rstrip(" ")
            if self.least <= len(kept) <= self.most and (kept.isprintable() or not kept):
                return kept
        what = f"text of {self.least} to {self.most} characters, without control characters"
        raise DomainError(key, value, f"allowed: {what}")


@frozen
class Name(Text):
    """A name that MQ allows. MQ pads names with blanks to their full length, so trailing ones are no part of it."""

    def __call__(self, value: object, key: str) -> str:
        if isinstance(value, str):
            kept = value.rstrip(" ")
            if self.least <= len(kept) <= self.most and not NOT_IN_NAMES.search(kept):
                return kept
        raise DomainError(key, value, f"allowed: {self.described}")

    @property
    def described(self) -> str:
        """What is allowed, for a person."""
        return f"a name of {self.least} to {self.most} characters out of A-Z a-z 0-9 . _ / %"


@frozen
class Names:
    """A list of names, or of words, each once; kept as a tuple in the given order."""

    each: Text | Name | Words

    @property
    def words(self) -> tuple[str, ...]:
        """The closed list that they are of; empty for any names."""
        return self.each.words if isinstance(self.each, Words) else ()

    def __call__(self, value: object, key: str) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise DomainError(key, value, f"allowed: a list of {', '.join(self.words) or 'names'}")
        if len(value) > 1:
            return tuple(dict.fromkeys(self.each(item, key) for item in value))
        return (self.each(value[0], key),) if value else ()


Domain = Words | Whole | Level | WordsOrWhole | Finite | Flag | Text | Name | Names

NAME = Text(NAME_LENGTH, least=1)
NAME_OR_BLANK = Text(NAME_LENGTH)
CHANNEL_NAME = Text(20, least=1)
CHANNEL_NAME_OR_BLANK = Text(20)
NAMES = Names(NAME)
GIVEN_NAME = Name(NAME_LENGTH)
GIVEN_CHANNEL = Name(CHANNEL_NAME.most)
NAME_GIVEN = Name(NAME_LENGTH, least=1)
GIVEN_NAMES = Names(NAME_GIVEN)
"""Names that a put gives and that tables hold; those of objects are in the facts as MQ's own formats state them."""
ENABLED = Words(("ENABLED", "DISABLED"))
DIGIT = Whole(0, 9)

MOST_CHECKED = 1000
"""So many texts of a field are known to be in its domain."""

_new = object.__new__

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


@frozen
class Description(Text):
    """Text that decides nothing, so none is refused: it is cut, and control characters become blanks."""

    def __call__(self, value: object, key: str) -> str:
        kept = str(value)[: self.most]
        plain = kept if kept.isprintable() else "".join(each if each.isprintable() else " " for each in kept)
        return super().__call__(plain, key)


def fact_field(domain: Domain, default: Any = ...) -> Any:
    """Return an attrs field kept within ``domain``; required if there is no default. A mapping is not hashed."""
    metadata = {"domain": domain}
    if default is ...:
        return field(converter=_converter(domain, object()), metadata=metadata)
    hashed = False if isinstance(default, Mapping) else None
    return field(default=default, converter=_converter(domain, default), metadata=metadata, hash=hashed)


def status_field(domain: Domain, default: Any) -> Any:
    """Return an attrs field for a status, which is no part of a definition: facts that differ in it are equal.

    It may be None as well, which no file states: it is not known.
    """
    known = _converter(domain, default, or_unknown=True)
    return field(default=default, converter=known, metadata={"domain": domain}, eq=False)


@frozen
class TableColumn:
    """How a field of what rules see stands in a table.

    ``column`` is the name of its column, ``null`` the value that null stands for there. An ``optional`` column is no
    part of the contract's types; one that may stand ``beside`` its struct counts where the struct does not have it.
    ``stands_for`` are words of the table alone and what the rules see in their place; ``words_with`` maps a word to
    the column of the situation without which it is none. ``mqsc`` is what MQSC calls it, which is no column.
    """

    column: str | None = None
    null: Any = ...
    optional: bool = False
    beside: bool = False
    stands_for: Mapping[str, str] = MappingProxyType({})
    words_with: Mapping[str, str] = MappingProxyType({})
    mqsc: str = ""


def rule_field(domain: Domain, default: Any = ..., in_table: TableColumn | None = TableColumn()) -> Any:
    """Return an attrs field of what rules see: ``domain`` says what it can be, and nothing is checked when one is made.

    A field that is not ``in_table`` has no column.
    """
    metadata = {"domain": domain, "in_table": in_table}
    return field(metadata=metadata) if default is ... else field(default=default, metadata=metadata)


def word_field(*allowed: str, default: Any = ...) -> Any:
    """Return an attrs field of what rules see that holds one of the words ``allowed``."""
    return rule_field(Words(allowed), default)


def internal_field(default: Any, domain: Domain | None = None) -> Any:
    """Return an attrs field that has no column; of any values, unless a domain is given."""
    return field(default=default, metadata={"in_table": None, **({"domain": domain} if domain else {})})


class Maker(Generic[T]):
    """Makes objects of one class, whose fields are all an ``attribute()``, from mappings of field names to values.

    Gives what the class itself would give and checks only the given values, and short texts that come again not again:
    about three times as fast.
    """

    def __init__(self, of: type[T]) -> None:
        self.made_class = of
        self._defaults: list[tuple[Callable[[T, Any], None], object]] = []
        self._given: dict[str, tuple[Callable[[Any, str], object], Callable[[T, Any], None], dict[str, object]]] = {}
        self.domains: dict[str, Domain] = {}
        required = []
        for each in fields(of):  # type: ignore[arg-type]
            # A frozen object refuses assignment; the descriptor of its slot does not.
            put = getattr(of, each.name).__set__
            domain = self.domains[each.name] = each.metadata["domain"]
            self._given[each.name] = (domain.__call__, put, {})
            if each.default is NOTHING:
                required.append(each.name)
            else:
                self._defaults.append((put, each.default))
        self.required = tuple(required)

    def __call__(self, given: Mapping[str, object]) -> T:
        """The object; raises DomainError, KeyError for an unknown key, TypeError for a missing one."""
        made = _new(self.made_class)
        for put, default in self._defaults:
            put(made, default)
        known = self._given
        for key, value in given.items():
            check, put, checked = known[key]
            if type(value) is not str:
                put(made, check(value, key))
                continue
            kept = checked.get(value)
            if kept is None:
                kept = check(value, key)
                if len(checked) < MOST_CHECKED and len(value) <= NAME_LENGTH:
                    checked[value] = kept
            put(made, kept)
        for key in self.required:
            if key not in given:
                raise TypeError(f"{key} is required")
        return made

    def find_faults(self, given: Mapping[Any, object]) -> Iterator[tuple[str | None, str]]:
        """Find every fault of a table, with the key that it is about: None for one that is missing."""
        for key, value in given.items():
            domain = self.domains.get(key)
            if domain is None:
                allowed = f"allowed: {', '.join(self.domains)}{suggest_word(key, self.domains)}"
                yield key, f"unknown key {quote_value(key)}{render_given_value(key, value)}; {allowed}"
                continue
            try:
                domain(value, key)
            except DomainError as error:
                yield key, str(error)
        yield from ((None, f"{key} is missing; it must be given") for key in self.required if key not in given)


def _converter(domain: Domain, default: object, or_unknown: bool = False) -> Any:
    """Keeps a given value within ``domain``; a default is in it already."""

    def convert(value: Any, of: Any) -> Any:
        return value if value is default or (or_unknown and value is None) else domain(value, of.name)

    convert_with_field: Callable[[Any, Any], Any] = convert
    return Converter(convert_with_field, takes_field=True)
