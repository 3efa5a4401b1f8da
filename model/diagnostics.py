"""Diagnostics: one line with file, line, what is wrong and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, time
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from unicodedata import category

from attrs import field, frozen

_T = TypeVar("_T")

SECRETS = ("PASSWORD", "LDAPPWD", "SSLCRYP", "SSLKEYP", "KEYRPWD", "INITKEY", "PASSPHRASE", "TOKEN")
"""What the names of attributes that hold secrets end in."""

LONGEST_MISSPELT = 100
"""A longer word is no misspelt name; to compare it with the known ones would take long."""


def escape_controls(text: str, besides: str = "") -> str:
    """Write each character of ``text`` that a terminal would obey, or that has no place in it, as Python escapes it.

    Blanks of every width are shown as they are, and so is what is among ``besides``.
    """
    if text.isprintable():
        return text
    return "".join(each if _can_be_shown(each, besides) else repr(each)[1:-1] for each in text)


def _can_be_shown(character: str, besides: str) -> bool:
    return character.isprintable() or character in besides or category(character) == "Zs"


_options: ContextVar[Mapping[str, str]] = ContextVar("options", default=MappingProxyType({}))


@contextmanager
def call_arguments(options: Mapping[str, str]) -> Iterator[None]:
    """Have messages call arguments as a command line does: ``options`` has the option for each."""
    before = _options.set({**_options.get(), **options})
    try:
        yield
    finally:
        _options.reset(before)


def name_argument(name: str) -> str:
    """Return how a message calls an argument: by its name or, on a command line, by the option for it."""
    return _options.get().get(name, name)


@frozen
class Diagnostic:
    """One fault in an input.

    ``source`` is the file as the user named it (``-`` for standard input), ``line`` counts from 1 or is
    None where the format has none, and so does ``column``, which stands only behind a line; ``message`` says what is
    wrong and what is allowed.
    """

    source: str = field(converter=escape_controls)
    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = ":".join(str(each) for each in (self.source, self.line, self.column) if each is not None)
        return f"{place}: {self.message}"


class MqclauseError(Exception):
    """What is raised for what is wrong with anything that mqclause is given; each class of it is exported."""


class ArgumentError(MqclauseError, ValueError):
    """A value that an argument may not have; the message says what is allowed or known."""


class PickledError(MqclauseError, ValueError):
    """An error that is the same in another process: what it is made of is not its text alone."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_pickle, (type(self), self.args, vars(self))


def _of_pickle(kind: type[PickledError], args: tuple[Any, ...], held: Mapping[str, Any]) -> PickledError:
    error = kind.__new__(kind, *args)
    vars(error).update(held)
    return error


class FactsError(PickledError):
    """Input that cannot be read as facts; ``diagnostics`` holds every fault that was found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, self.diagnostics)))


class DomainError(PickledError):
    """A value outside its attribute's domain: ``key``, the value, and what is allowed."""

    def __init__(self, key: str, value: object, allowed: str) -> None:
        self.key = key
        super().__init__(f"{key}: {quote_value(value)} is not allowed; {allowed}")


@frozen
class Diagnostics:
    """Collects the faults of one source while reading goes on."""

    source: str
    found: list[Diagnostic] = field(factory=list)

    def add(self, message: str, line: int | None = None, column: int | None = None) -> None:
        """Add one fault."""
        self.found.append(Diagnostic(self.source, message, line, column))


def check_type(name: str, value: object, kind: type[_T], meant: str = "") -> _T:
    """Check an argument, which has to be of a type. Raises TypeError, in which ``meant`` says how that is given."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is of the type {type(value).__name__}; expected {kind.__name__}{meant}")
    return value


def check_several(name: str, value: object) -> None:
    """Raise TypeError for what is no list; for one text, too: its letters would be taken for several."""
    if isinstance(value, str | bytes | Path):
        raise TypeError(f"{name}={quote_value(value)} is one; expected a list of them")
    if not isinstance(value, Iterable):
        raise TypeError(f"{name} is of the type {type(value).__name__}; expected a list of them")


def check_each(name: str, values: Iterable[object], kind: type[_T], meant: str = "") -> tuple[_T, ...]:
    """Check an argument that is a list of what has to be of one type, and return them. Raises TypeError."""
    check_several(name, values)
    return tuple(check_type(f"one of {name}", each, kind, meant) for each in values)


@lru_cache(maxsize=4096)
def is_secret(word: str) -> bool:
    """Return whether the value of the attribute ``word``, in upper case, must not be kept."""
    return word.endswith(SECRETS) or "PWD" in word


def render_given_value(key: object, value: object) -> str:
    """Render ``, given as x`` for the value of an unknown key; nothing where it may be a secret."""
    return "" if _is_secret_key(key) else f", given as {quote_value(value)}"


def _is_secret_key(key: object) -> bool:
    return isinstance(key, str) and is_secret(key.upper())


def quote_value(value: object, limit: int = 60) -> str:
    """Render ``value`` for a message: text quoted, a date as TOML has it, cut to ``limit`` characters.

    Secrets in a table are left out.
    """
    try:
        text = _spelt(value, limit)
    except (RecursionError, ValueError):  # nested too deep, or a number of more digits than Python prints
        text = f"this {type(value).__name__}"
    return text if len(text) <= limit else f"{text[:limit]}…"


def _spelt(value: object, limit: int) -> str:
    """As Python writes it, but for dates and times; what cannot be within ``limit`` characters may be left out."""
    match value:
        case str():
            return repr(value[: limit + 1])
        case list() | tuple() if any(isinstance(each, date | time | list | tuple | Mapping) for each in value):
            return f"[{', '.join(_spelt(each, limit) for each in islice(value, limit))}]"
        case dict():
            pairs = ((key, "…" if _is_secret_key(key) else _spelt(each, limit)) for key, each in value.items())
            return f"{{{', '.join(f'{_spelt(key, limit)}: {each}' for key, each in islice(pairs, limit))}}}"
        case datetime() | time():
            whole, point, rest = value.isoformat().replace("+00:00", "Z").partition(".")
            digits = rest[:6].rstrip("0")
            return f"{whole}{point}{digits}{rest[6:]}"
        case date():
            return value.isoformat()
    return repr(value)


def suggest_word(word: object, known: Iterable[str]) -> str:
    """Render ``; did you mean 'x'?`` when a known word is close, else nothing."""
    close = find_closest(word, known)
    return f"; did you mean {close!r}?" if close else ""


def suggest_allowed(word: object, known: Iterable[str], what: str = "allowed") -> str:
    """Render ``; allowed: x, y; did you mean 'x'?``: what could stand in place of a word, and which is close to it."""
    listed = list(known)
    return f"; {what}: {', '.join(listed) or 'none'}{suggest_word(word, listed)}"


def find_closest(word: object, known: Iterable[str]) -> str:
    """Find the known word that is close, blank if none is: what is no text is close to none."""
    if not isinstance(word, str) or len(word) > LONGEST_MISSPELT:
        return ""
    listed = list(known)
    same = [each for each in listed if each.casefold() == word.casefold()]
    close = same or get_close_matches(word, listed, n=1)
    return close[0] if close else ""


def suggest_name(name: object, known: Iterable[str]) -> str:
    """Suggest a close name of an MQ object; of one that differs in case only, say what MQ makes of case.

    What is no text is close to none.
    """
    names = list(known)
    if not isinstance(name, str):
        return ""
    folded = name.casefold()
    for each in names:
        if each.casefold() == folded and each != name:
            return f"; did you mean {each!r}? names are case-sensitive; quote them in MQSC"
    return suggest_word(name, names)
