"""A rule: the clause it states, when it applies, and the one action that it takes.

A rule maps a set of destinations with their fates to the same set with some fates decided, each with a because.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from string import Formatter
from typing import Literal

from attrs import field, frozen
from sqlglot import exp

from mqclause.language.vocabulary import Vocabulary

Expression = exp.Expression


@frozen
class Because:
    """The sentence that explains a fate; ``{word}`` stands for a value. ``text`` is as written in the rule file."""

    text: str

    def names(self) -> Iterator[str]:
        """The words in braces, in order."""
        for _, name, _, _ in Formatter().parse(self.text):
            if name is not None:
                yield name


@frozen
class Eliminate:
    """Destinations ``where`` the condition holds are out for good."""

    where: Expression
    because: Because


@frozen
class SetAside:
    """Destinations ``where`` the condition holds are out unless a later rule takes them back."""

    where: Expression
    because: Because


@frozen
class TakeBack:
    """Destinations set aside ``where`` the condition holds remain again."""

    where: Expression


@frozen
class Keep:
    """Of the destinations ``among`` the rest, those below the best ``by`` are out; the others are not looked at.

    ``per`` names the attribute that groups compete within. With ``at_most`` that many of the best are kept
    instead of the best alone; ``ties`` says who of several equals at that limit stays: those listed first, or all.
    """

    by: Expression
    best: Literal["highest", "lowest"]
    among: Expression | None
    per: str | None
    at_most: Expression | None
    ties: Literal["first-listed", "all"]
    because: Because


@frozen
class Choose:
    """The choice: destinations ``where`` the condition holds, or those that come first when ordered ``by``.

    Of several the one listed first is taken. A choice by condition ends the eliminations: no later rule keeps,
    eliminates, sets aside, takes back or chooses.
    """

    where: Expression | None
    by: tuple[Expression, ...]
    because: Because


@frozen
class Derive:
    """New facts: about the situation, or new values for the chosen destination or for every destination."""

    of: Literal["situation", "chosen", "every"]
    values: tuple[tuple[str, Expression], ...]


@frozen
class FailWith:
    """The call ends with a reason code (an MQRC name); ``call`` is the MQI call that returns it."""

    reason: str
    call: Expression
    because: Because


@frozen
class Holds:
    """A condition that holds or does not; the because says why it does not, the remedy what would change that."""

    when: Expression
    because: Because
    remedy: Because | None = None


@frozen
class Conclude:
    """``fact`` is true if none of the conditions that it ``needs`` (rule ids) fails; those that do not apply do not."""

    fact: str
    needs: tuple[str, ...]


Action = Eliminate | SetAside | TakeBack | Keep | Choose | Derive | FailWith | Holds | Conclude
Selecting = Eliminate | SetAside | TakeBack | Keep | Choose
"""The actions that decide which destinations remain."""


@frozen(eq=False)
class Rule:
    """One rule file. ``id`` is ``workload.04a``, ``clause`` the document's number, ``path`` the file within rules/."""

    id: str
    clause: str
    title: str
    path: str
    when: Expression | None
    action: Action

    @property
    def because(self) -> Because | None:
        """The explanation of the fates that this rule decides, if it decides any."""
        return getattr(self.action, "because", None)


@frozen(eq=False)
class Ruleset:
    """The rules of one document in the document's order, under one set of readings."""

    name: str
    rules: tuple[Rule, ...]
    vocabulary: Vocabulary
    readings: tuple[tuple[str, str], ...]
    explanations: dict[tuple[str, str, bool], Callable[..., str]] = field(factory=dict, repr=False)
    """The because of each rule as a function, made when it is first needed; see mqclause.trace.explanation."""

    def rule(self, rule_id: str) -> Rule:
        """The rule with that id. Raises KeyError."""
        for rule in self.rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)
