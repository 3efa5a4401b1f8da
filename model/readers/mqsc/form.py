"""Commands that are written alike, but for their values, are taken apart and checked once: dumps have thousands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import evolve, field, frozen

from mqclause.model.diagnostic import is_secret
from mqclause.model.readers.attribute_values import SameNames
from mqclause.model.readers.mqsc.parameters import KEYWORD, LONGEST_WORD, unescaped
from mqclause.model.readers.mqsc.words import NAMED, SYNONYMS
from mqclause.model.readers.record import NOTHING_SHOWN, LinePlace, Record, Value

SIMPLE_VALUE = r"\([ \t]*+(?:'[^'\n]*+'|[^\s,'\"()]*+)[ \t]*+\)"
BEFORE_WORD = r"(?:[ \t]++\+[ \t]*+\r?\n(?:\* {2,}+|[ \t]*+)|[ \t]++)"
TOKEN = re.compile(rf"({BEFORE_WORD})({KEYWORD})({SIMPLE_VALUE}|)", re.ASCII)
"""What stands before a parameter, its keyword, its value with the parentheses; a comment that shows one is one too."""

SIMPLE_COMMAND = re.compile(
    rf"({KEYWORD})((?:{BEFORE_WORD}{KEYWORD}(?:{SIMPLE_VALUE})?+)++)[ \t]*+;?[ \t]*+\r?(?:\n|\Z)", re.ASCII
)
"""A whole command in which no value is a list, has an apostrophe or parentheses in it, or is continued."""

LONGEST_IN_BYTES = 255
"""The length of a value that a byte can say."""


@frozen(eq=False)
class Tokens:
    """A simple command: its verb, and of each parameter what stands before it, its keyword and its value."""

    verb: str
    gaps: tuple[str, ...]
    words: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same in all commands of one form."""
        return self.verb, self.gaps, self.words, tuple(map(bool, self.values))

    @property
    def lines(self) -> int:
        """On so many lines it stands."""
        return 1 + sum("\n" in gap for gap in self.gaps)

    def places(self, lengths: Iterable[int]) -> list[LinePlace]:
        """Where each parameter stands, counted from the first line of the command, if its values are so long."""
        found, line, column = [], 0, 1 + len(self.verb)
        for gap, word, length in zip(self.gaps, self.words, lengths, strict=True):
            if "\n" in gap:
                line, column = line + 1, 1 + len(gap) - gap.index("\n") - 1
            else:
                column += len(gap)
            found.append((line, column))
            column += len(word) + length
        return found


def tokens_in(found: re.Match[str]) -> Tokens:
    """The tokens of a simple command that was found."""
    gaps, words, values = zip(*TOKEN.findall(found.string, found.end(1), found.end(2)), strict=True)
    return Tokens(found[1], gaps, words, values)


@frozen(eq=False)
class Form:
    """How a record is made of the values of a simple command: at which positions its name and its attributes are.

    ``like`` is the record of the first command of this form, None if such a command configures nothing; ``first`` are
    its tokens. ``places`` are None where they depend on how long the values are. ``chltype`` is the channel type that
    the attributes were checked for.
    """

    first: Tokens
    like: Record | None
    name_at: int = 0
    attributes: Sequence[int] = ()
    shown: Sequence[int] = ()
    places: Sequence[LinePlace] | None = None
    stated: SameNames = field(factory=lambda: SameNames((), _value))
    commented: SameNames = field(factory=lambda: SameNames((), _shown_value))
    lines: int = 1
    chltype: Value = ""

    def record_of(self, like: Record, tokens: Tokens, line: int) -> Record | None:
        """The record of a command of this form on ``line``; None if it has to be looked at in itself."""
        given = tokens.values
        name = _value(given[self.name_at]).rstrip(" ")
        stated = self.stated.values([*map(given.__getitem__, self.attributes)])
        if (not name and like.kind in NAMED) or (self.chltype and stated["CHLTYPE"] != self.chltype):
            return None
        places = self.places or PlacesByLength(self, _lengths(given))
        comments = self.commented.values([*map(given.__getitem__, self.shown)]) if self.shown else NOTHING_SHOWN
        return Record(like.action, like.kind, name, stated, comments, like.source, line, places)

    def places_of(self, lengths: Iterable[int]) -> list[LinePlace]:
        """The places of a record's attributes, if the values of all tokens are so long."""
        places = self.first.places(lengths)
        return [places[at] for at in (*self.attributes, *self.shown)]


class PlacesByLength(Sequence[LinePlace]):
    """The places of a record's attributes where they depend on how long its values are: found when they are asked."""

    __slots__ = ("_form", "_lengths")

    def __init__(self, form: Form, lengths: Sequence[int]) -> None:
        self._form = form
        self._lengths = lengths

    def __getitem__(self, at: Any) -> Any:
        return self._form.places_of(self._lengths)[at]

    def __iter__(self) -> Iterator[LinePlace]:
        return iter(self._form.places_of(self._lengths))

    def __len__(self) -> int:
        return len(self._form.attributes) + len(self._form.shown)


def _lengths(values: Sequence[str]) -> Sequence[int]:
    lengths = [*map(len, values)]
    return bytes(lengths) if max(lengths) <= LONGEST_IN_BYTES else lengths


def form_of(tokens: Tokens, record: Record | None) -> Form | None:
    """The form of a command of which ``record`` was made; None if another one cannot be made in the same way."""
    if record is None:
        return Form(tokens, None, lines=tokens.lines)
    shown = [at for at, gap in enumerate(tokens.gaps) if "*" in gap]
    if any(at + 1 == len(tokens.gaps) or "\n" not in tokens.gaps[at + 1] for at in shown):
        return None
    set_at = [at for at, gap in enumerate(tokens.gaps) if "*" not in gap]
    named = {SYNONYMS.get(word.upper(), word.upper()): at for at in set_at for word in [tokens.words[at]]}
    comments = [tokens.words[at] for at in shown]
    if set(named) != {record.kind, *record.attributes} or comments != list(record.informational) or _may_hide(tokens):
        return None
    form = Form(
        tokens,
        record,
        named[record.kind],
        [named[name] for name in record.attributes],
        shown,
        stated=SameNames(tuple(record.attributes), _value),
        commented=SameNames(tuple(record.informational), _shown_value),
        lines=tokens.lines,
        chltype=record.attributes.get("CHLTYPE", ""),
    )
    return evolve(form, places=tuple(form.places_of(map(len, tokens.values)))) if _is_fixed(tokens) else form


def _may_hide(tokens: Tokens) -> bool:
    """Whether a word is that of a secret, or the last of words without a value that together are."""
    run = ""
    for word, value in zip(tokens.words, tokens.values, strict=True):
        run = (run + word.upper())[-LONGEST_WORD:]
        if is_secret(run) or is_secret(word.upper()):
            return True
        run = "" if value else run
    return False


def _is_fixed(tokens: Tokens) -> bool:
    """Whether each parameter behind the first value stands first on its line."""
    return all("\n" in gap or not value for gap, value in zip(tokens.gaps[1:], tokens.values, strict=False))


def _value(given: str) -> str:
    inner = given[1:-1].strip(" \t")
    return unescaped(inner[1:-1]) if inner[:1] == "'" else inner.upper()


def _shown_value(given: str) -> str:
    return given[1:-1].strip("' ")
