"""The words that a rule may use: the attributes of destinations and of the put, and the terms built on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_type_hints

import attrs
from attrs import field, frozen
from sqlglot import exp

Kind = Literal["boolean", "whole", "number", "text", "names"]
About = Literal["destination", "situation"]
"""What a word describes: one destination, or the situation (the put, or what happened to a queue)."""

KINDS: dict[Any, Kind] = {bool: "boolean", int: "whole", float: "number", str: "text", tuple[str, ...]: "names"}
BLANKS: dict[Kind, object] = {"boolean": False, "whole": 0, "number": 0.0, "text": "", "names": ()}
"""What a derived fact is before a rule derives it."""


@frozen
class Type:
    """The type of an expression; ``words`` is the closed list of texts that it can be, if it has one."""

    kind: Kind
    words: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        return self.kind in ("whole", "number")

    def __str__(self) -> str:
        return {"whole": "a whole number", "boolean": "true or false", "names": "a list of names"}.get(
            self.kind, f"a {self.kind}"
        )


BOOLEAN = Type("boolean")
WHOLE = Type("whole")
NUMBER = Type("number")
TEXT = Type("text")
NAMES = Type("names")


@frozen
class Word:
    """An attribute or a derived fact: its name, its type, and what it is about."""

    name: str
    type: Type
    about: About
    is_derived: bool = False


@frozen
class Vocabulary:
    """Every word that a rule of one ruleset may use.

    ``terms`` are the named expressions of rules/terms.toml, parsed; a term may use attributes and terms.
    """

    words: Mapping[str, Word]
    terms: Mapping[str, exp.Expression] = field(factory=dict)

    def with_words(self, *added: Word) -> Vocabulary:
        """This vocabulary and the facts that a rule has derived."""
        return Vocabulary({**self.words, **{word.name: word for word in added}}, self.terms)

    def names(self) -> list[str]:
        return [*self.words, *self.terms]


def words_of(facts: type, about: About) -> dict[str, Word]:
    """The attributes of an attrs class as words; fields of other types than the language's are left out."""
    hints = get_type_hints(facts)
    found = {}
    for attribute in attrs.fields(facts):
        kind = KINDS.get(hints[attribute.name])
        if kind is not None:
            allowed = tuple(attribute.metadata.get("words", ()))
            found[attribute.name] = Word(attribute.name, Type(kind, allowed), about)
    return found
