"""One MQSC command: its verb, object type, name and attributes, checked against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, field

from mqclause.model.diagnostic import DomainError, is_secret
from mqclause.model.facts.domains import Words
from mqclause.model.readers.mqsc.grammar import channel_types, known_attributes, lacking, objects_with
from mqclause.model.readers.mqsc.lines import Command
from mqclause.model.readers.mqsc.parameters import LONGEST_WORD, UnreadableError, parameters
from mqclause.model.readers.mqsc.words import (
    ASKED_FOR,
    ELSEWHERE_TOO,
    EVERY_NOUN,
    FLAGS,
    NAMED,
    NOUNS,
    OPERATED,
    RECORD_ACTIONS,
    SYNONYMS,
    TAKEN_BY,
    VERB_SYNONYMS,
    VERBS,
)
from mqclause.model.readers.record import Value

SHORTEST_SHOWN = 2
"""So many letters of a known word can stand in a message: they are no part of a password."""

NO_COMMAND = "no MQSC command starts here; allowed: ALTER, DEFINE, DELETE and the other verbs of MQSC"

_NONE: frozenset[str] = frozenset()
Misplaced = Mapping[str, frozenset[str]]
"""Attributes that MQSC does not have for a type of channel, by that type."""

NOTHING_MISPLACED: Misplaced = {}


@define
class Statement:
    """A command in canonical words; ``bare`` has the parameters that stand without a value."""

    verb: str
    noun: str = ""
    name: str = ""
    attributes: dict[str, Value] = field(factory=dict)
    offsets: list[int] = field(factory=list)
    bare: list[str] = field(factory=list)

    @property
    def action(self) -> str | None:
        """The action of the command's record; None if it neither configures nor operates what decisions rest on."""
        return RECORD_ACTIONS.get(self.verb) if self.noun in ("", OPERATED.get(self.verb, self.noun)) else None

    def fault(self, message: str, word: str) -> UnreadableError:
        """What is wrong with the parameter ``word``, to be raised."""
        return UnreadableError(message, self.offset_of(word))

    def offset_of(self, word: str) -> int:
        """Where the parameter ``word`` begins in the command."""
        return self.offsets[list(self.attributes).index(word)]

    def drop(self, word: str) -> None:
        """Take the parameter ``word`` out."""
        del self.offsets[list(self.attributes).index(word)]
        del self.attributes[word]


def statement(command: Command, kept: Misplaced = NOTHING_MISPLACED) -> Statement | None:
    """The command's statement, or None if there is nothing in it; unchecked if its verb configures no MQ object.

    What is ``kept`` is no fault although MQSC does not have it. Raises UnreadableError.
    """
    words = parameters(command.text)
    try:
        first = next(words, None)
    except UnreadableError as fault:
        raise UnreadableError(NO_COMMAND, fault.offset) from None
    if first is None:
        return None
    found = Statement(VERB_SYNONYMS.get(first[0], first[0]))
    if found.verb in VERBS:
        if first[1] is not None:
            raise UnreadableError(f"{found.verb} takes no value; an object type follows it", first[2])
        if command.cut:
            raise UnreadableError(
                "the last line of this command is continued, but the input ends there", len(command.text)
            )
        _fill(found, words)
        _check(found, kept)
    return found


def _fill(found: Statement, words: Iterator[tuple[str, Value | None, int]]) -> None:
    attributes = found.attributes
    run = ""
    for keyword, value, offset in words:
        word = SYNONYMS.get(keyword, keyword)
        if word in attributes:
            raise UnreadableError(f"{word} is given twice", offset)
        if value is None:
            if (word in VERBS or word in VERB_SYNONYMS) and not _is_asked_for(word, found):
                verb = VERB_SYNONYMS.get(word, word)
                raise UnreadableError(f"{verb} stands within a command; each one starts on a new line", offset)
            # what follows may be the secret itself, so that nothing more of this command is looked at
            if is_secret(word) and found.action:
                raise UnreadableError(f"{word} needs a value in parentheses", offset)
            value = ""
            run = (run + word)[-LONGEST_WORD:]
            found.bare.append(word)
        else:
            # a secret's keyword that is broken over two lines may arrive as two words
            if is_secret(word) or (run and is_secret(run + word)):
                value = ""
            run = ""
        attributes[word] = value
        found.offsets.append(offset)


def _is_asked_for(word: str, found: Statement) -> bool:
    """Whether a verb is no verb where it stands, within the command that is ``found``."""
    return word in ELSEWHERE_TOO or (found.verb == "DISPLAY" and ASKED_FOR.get(word) in found.attributes)


def _check(found: Statement, kept: Misplaced) -> None:
    """Find the object type and its name, and refuse what MQ refuses about them."""
    found.noun = _noun(found)
    if found.action in ("define", "alter"):
        _check_values(found)
    for word in _flags(found):
        if f"NO{word}" in found.attributes:
            raise found.fault(f"{word} and NO{word} are given together", f"NO{word}")
    if found.action:
        found.name = _name(found)
        if found.verb == "DEFINE" and found.noun == "CHANNEL" and "CHLTYPE" not in found.attributes:
            raise found.fault("DEFINE CHANNEL needs CHLTYPE", "CHANNEL")
    _check_attributes(found, kept)


def _check_attributes(found: Statement, kept: Misplaced) -> None:
    """Refuse the first attribute that MQSC does not have for this object."""
    of = _channel_type(found) if found.noun == "CHANNEL" and found.action else ""
    known = known_attributes(found.verb, found.noun, of)
    known = known and known | kept.get(of, _NONE)
    if known is None:
        return
    if found.attributes.keys() <= known:
        _check_bare(found)
        return
    word = next(word for word in found.attributes if word not in known)
    longer = sorted(each for each in known if each.startswith(word)) if len(word) >= SHORTEST_SHOWN else []
    if longer and word in found.bare:
        message = f"{found.verb} {found.noun} has no attribute {word}; it is not short for {', '.join(longer)}"
        raise UnreadableError(f"{message}: attributes are written out", found.offset_of(word))
    bare, elsewhere = word in found.bare, objects_with(word)
    # a word without a value that is no word of MQSC may be the rest of a password: only what is near a flag is shown
    shown = elsewhere or (not bare and len(word) <= LONGEST_WORD)
    message = lacking(found.verb, found.noun, word, of) if shown else f"{found.verb} {found.noun} has no such attribute"
    near = frozenset[str]() if elsewhere else known & FLAGS if bare else known
    raise UnreadableError(message, found.offset_of(word), word, near)


def _channel_type(found: Statement) -> str:
    """The CHLTYPE that is given, blank if none is."""
    if "CHLTYPE" not in found.attributes:
        return ""
    try:
        return Words(channel_types())(found.attributes["CHLTYPE"], "CHLTYPE")
    except DomainError as error:
        raise found.fault(str(error), "CHLTYPE") from None


def _noun(found: Statement) -> str:
    """The object type: the word that is one, wherever it stands (on z/OS it need not be second)."""
    nouns = [word for word in found.attributes if word in NOUNS] if found.attributes.keys() & NOUNS else []
    if len(nouns) > 1 and found.action:
        raise found.fault(f"{found.verb} is given two object types, {nouns[0]} and {nouns[1]}", nouns[1])
    allowed = TAKEN_BY.get(found.verb, EVERY_NOUN)
    for word in nouns or found.attributes:
        if word in allowed:
            return word
    first = next(iter(nouns or found.attributes), "")
    if first in EVERY_NOUN:
        raise found.fault(f"{found.verb} has no object type {first}", first)
    offset = found.offsets[0] if first else 0
    raise UnreadableError(f"{found.verb}: an object type is missing", offset, first, allowed)


def _name(found: Statement) -> str:
    name = found.attributes[found.noun]
    if not isinstance(name, str):
        raise found.fault(f"{found.verb} {found.noun} takes one name", found.noun)
    name = name.rstrip(" ")
    if name and found.noun == "QMGR":
        raise found.fault(f"{found.verb} QMGR takes no name", "QMGR")
    if not name and found.noun in NAMED:
        raise found.fault(f"{found.verb} {found.noun} needs a name in parentheses", found.noun)
    return name


def _check_values(found: Statement) -> None:
    for word in _flags(found):
        if word not in found.bare:
            raise found.fault(f"{word} takes no value", word)


def _check_bare(found: Statement) -> None:
    """Refuse the first parameter that stands without a value and is no flag."""
    for word in found.bare if found.action in ("define", "alter") else ():
        if word != found.noun and word not in FLAGS:
            raise found.fault(f"{word} needs a value in parentheses", word)


def _flags(found: Statement) -> list[str]:
    return [word for word in found.attributes if word in FLAGS]
