"""The words of conditions: attributes and terms with their types, and which of them a rule may use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from keyword import iskeyword
from math import floor
from typing import Any, Literal, get_type_hints

import attrs
from attrs import field, frozen

from mqclause.language.nodes import Expression
from mqclause.model.diagnostics import MqclauseError

NAME = re.compile(r"[a-z_][a-z0-9_]{0,99}")
"""What a word or a term is called: what an attribute of Python and a column of SQL can be called, in ASCII."""

RESERVED_PREFIX = "_"
"""What the names of facts begin with that no rule file states."""

WordKind = Literal["boolean", "whole", "number", "text", "names"]
About = Literal["subject", "situation"]
"""What a word describes: one subject (a destination), or the situation (the put, or what happened to a queue)."""

KINDS: dict[Any, WordKind] = {bool: "boolean", int: "whole", float: "number", str: "text", tuple[str, ...]: "names"}
BLANKS: dict[WordKind, object] = {"boolean": False, "whole": 0, "number": 0.0, "text": "", "names": ()}
"""What a derived fact is before a rule derives it, unless its word says otherwise."""


class UnreckonedError(MqclauseError, ValueError):
    """A number that rules of one's own reckon with and that is none, or is too large to be a whole one."""


def compute_floor(number: float) -> int:
    """Compute the whole number at or below ``number``, which is what FLOOR means. Raises UnreckonedError."""
    try:
        return floor(number)
    except (OverflowError, ValueError):
        raise UnreckonedError(f"FLOOR({number}) is no whole number: a rule reckons with what is too large") from None


LARGEST_EXACT = 2**53
"""Up to here each whole number is one of those that are not whole, too."""

BEYOND_EXACT = (-(2**63), -LARGEST_EXACT), (LARGEST_EXACT, 2**63)
"""Where not each whole number of 64 bits is."""


@frozen
class Type:
    """The type of an expression; the closed list of texts that it can be, and the numbers it is between, if known."""

    kind: WordKind
    words: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def is_number(self) -> bool:
        """Whether it can be reckoned with and put in order."""
        return self.kind in ("whole", "number")

    @property
    def is_exact(self) -> bool:
        """Whether a double holds each number of the type exactly, as far as is known."""
        ends = self.least, self.most
        return self.kind == "number" or all(each is not None and abs(each) <= LARGEST_EXACT for each in ends)

    @property
    def may_round(self) -> bool:
        """Whether it can be as large as whole numbers of 64 bits are that are not exact beside it."""
        if self.least is None or self.most is None:
            return True
        return any(self.least <= high and self.most >= low for low, high in BEYOND_EXACT)

    def __str__(self) -> str:
        return {"whole": "a whole number", "boolean": "true or false", "names": "a list of names"}.get(
            self.kind, f"a {self.kind}"
        )


BOOLEAN = Type("boolean")
WHOLE = Type("whole")
NUMBER = Type("number")
TEXT = Type("text")
FROM_ZERO = Type("whole", (), 0)
"""A whole number from 0."""


def build_text_type(*words: str) -> Type:
    """Build the type of a text that is one of the words, or blank."""
    return Type("text", tuple(dict.fromkeys(("", *words))))


def find_name_fault(name: str) -> str:
    """Say what is wrong with the name of a word or a term; blank if nothing is."""
    if not NAME.fullmatch(name):
        return "is not a name; allowed: up to 100 of a-z, 0-9 and _, the first one no digit"
    return "is a word of Python; allowed: a name that is none" if iskeyword(name) else ""


@frozen
class Word:
    """An attribute or a derived fact: its name, its type, what it is about.

    ``blank`` is a fact that is not derived yet; what is carried from one choice to the next rules may derive anew for
    a subject.
    """

    name: str
    type: Type
    about: About
    is_derived: bool = False
    is_carried: bool = False
    blank: Any = None

    def __attrs_post_init__(self) -> None:
        if fault := find_name_fault(self.name):
            raise ValueError(f"{self.name!r} {fault}")
        if self.blank is None:
            object.__setattr__(self, "blank", BLANKS[self.type.kind])


@frozen(eq=False)
class Vocabulary:
    """Every word that a rule of one ruleset may use.

    ``terms`` are the named expressions of rules/terms.toml, parsed; a term may use attributes and terms. ``subject``
    is what messages call a subject. ``asked`` are those of the terms that are asked once, before any rule runs: what
    they say is an attribute of the subject from then on. ``extents`` are the nodes and levels of terms, ``types`` their
    types where attributes of a subject may stand or may not: what was found out of them so far.
    """

    words: Mapping[str, Word]
    terms: Mapping[str, Expression] = field(factory=dict)
    subject: str = "subject"
    asked: Mapping[str, Expression] = field(factory=dict)
    extents: dict[str, tuple[int, int]] = field(factory=dict, eq=False, repr=False)
    types: dict[tuple[str, bool], Type] = field(factory=dict, init=False, eq=False, repr=False)

    def with_words(self, *added: Word) -> Vocabulary:
        """Add the facts that a rule has derived; types of terms may depend on them."""
        words = {**self.words, **{word.name: word for word in added}}
        return Vocabulary(words, self.terms, self.subject, self.asked, self.extents)

    @property
    def before(self) -> Vocabulary:
        """The words as they are before any term is asked: the asked ones are terms still."""
        words = {name: word for name, word in self.words.items() if name not in self.asked}
        return Vocabulary(words, {**self.terms, **self.asked}, self.subject)

    def kind(self, name: str) -> WordKind | None:
        """Return the kind of an attribute or a derived fact; None where it is neither."""
        return self.words[name].type.kind if name in self.words else None

    def is_number(self, name: str) -> bool:
        """Return whether an attribute or a derived fact is a number."""
        return self.kind(name) in ("whole", "number")

    def names(self) -> list[str]:
        """Return every word and every term."""
        return [*self.words, *self.terms]


@lru_cache(maxsize=64)
def build_words(facts: type, about: About, carried: tuple[str, ...] = ()) -> Mapping[str, Word]:
    """Build the attributes of an attrs class as words; fields of other types than the language's are left out."""
    hints = get_type_hints(facts)
    found = {}
    for attribute in attrs.fields(facts):
        kind = KINDS.get(hints[attribute.name])
        if kind is not None:
            domain = attribute.metadata.get("domain")
            bounds = getattr(domain, "low", None), getattr(domain, "high", None)
            name, type_ = attribute.name, Type(kind, getattr(domain, "words", ()), *bounds)
            found[name] = Word(name, type_, about, is_carried=name in carried)
    return found
