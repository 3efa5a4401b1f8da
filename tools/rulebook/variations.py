"""Tell what is otherwise with a rule: from an edition on, and under readings; in words, and by the keys that differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from mqclause.audit.accounts import RuleAccount
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.loader import ORDER_KEYS
from mqclause.rulebook.mutants import TERMS_FILE
from mqclause.rulebook.rule_file import ACTIONS
from mqclause.rulebook.rules import Rules
from mqclause.tools.rulebook.wording import Saying, describe_action

VariationKind = Literal["edition", "reading"]

WORDED = frozenset({*ACTIONS, *ORDER_KEYS, "leave_out", "remark", "title", "when"})
"""The keys of a rule file that are put in words."""


class Term(NamedTuple):
    """What a term stands for, and what that means."""

    stands_for: str
    means: str


@frozen
class Variation:
    """What is otherwise with a rule in an ``edition``, against the one before, or under a reading (``id=choice``).

    A reading is against the default, in the edition ``since``; blank: since the rule is there. ``defaults`` are the
    choices that became defaults with the edition. What is as it was is blank or empty: the ``title``, the rule beside
    which it ``runs`` (``after workload.04e``), the ``sayings``, the ``terms`` with what they stand for, and the
    other ``keys`` of its file. ``instead`` are the rules of its clause that came with the edition by which it went.
    """

    kind: VariationKind
    name: str
    since: str
    defaults: tuple[str, ...]
    is_there: bool
    was_there: bool
    title: str
    runs: str
    sayings: tuple[Saying, ...]
    terms: Mapping[str, Term]
    keys: tuple[str, ...]
    instead: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What is otherwise, in a few words."""
        return "; ".join(self._tell())

    def _tell(self) -> Iterator[str]:
        if not self.is_there:
            yield "there is no such rule"
            return
        if not self.was_there:
            yield "the rule is there again"
        if self.runs:
            yield f"it runs {self.runs}"
        if self.title:
            yield "it has another title"
        if self.sayings:
            yield "it asks, does or explains otherwise"
        if self.terms:
            same = "" if self.sayings else "its text is the same, but "
            yield f"{same}it looks at terms that stand for something else: {', '.join(self.terms)}"
        if self.keys:
            yield f"these keys of its file say otherwise: {', '.join(self.keys)}"


@frozen
class _Stated:
    """What a rule states in one edition under some readings, and what its terms stand for."""

    is_there: bool
    title: str = ""
    runs: str = ""
    sayings: tuple[Saying, ...] = ()
    terms: Mapping[str, Term] = field(factory=dict)
    table: Mapping[str, Any] = field(factory=dict)

    @classmethod
    def of(cls, rules: Rules, account: RuleAccount) -> _Stated:
        about = DOCUMENTS[account.id.partition(".")[0]]
        rule = next((each for each in rules.ruleset(about).rules if each.id == account.id), None)
        if rule is None:
            return cls(False)
        table = rules.in_force.stated(rules.toml(account.path), ACTIONS)
        terms = rules.toml(TERMS_FILE).get(about.name, {})
        runs = next((f"right {key} {table[key]}" for key in ORDER_KEYS if key in table), "at the place of its number")
        in_force = {name: rules.in_force.stated(terms[name]) for name in account.terms}
        named = {name: Term(str(each.get("is", "")), str(each.get("means", ""))) for name, each in in_force.items()}
        return cls(True, rule.title, runs, describe_action(rule), named, table)

    def vary(
        self, kind: VariationKind, name: str, before: _Stated, since: str = "", defaults: tuple[str, ...] = (),
        instead: tuple[str, ...] = (),
    ) -> Variation:  # fmt: skip
        """Tell what is otherwise than ``before``."""
        differs = before.is_there
        return Variation(
            kind, name, since, defaults, self.is_there, before.is_there,
            self.title if differs and self.title != before.title else "",
            self.runs if differs and self.runs != before.runs else "",
            () if differs and self.sayings == before.sayings else self.sayings,
            {each: term for each, term in self.terms.items() if differs and before.terms.get(each) != term},
            tuple(self._differing(before)) if differs and self.is_there else (), instead,
        )  # fmt: skip

    def _differing(self, before: _Stated) -> Iterator[str]:
        """The keys that say otherwise and are not put in words."""
        for key in dict.fromkeys((*before.table, *self.table)):
            worded = key in WORDED and (self.sayings != before.sayings or key not in ACTIONS)
            if not worded and before.table.get(key) != self.table.get(key):
                yield key


def list_variations(rules: Rules, account: RuleAccount) -> tuple[Variation, ...]:
    """List what is otherwise with a rule: in later editions, oldest first, then under readings."""
    read = rules.read_editions()
    stated = [(each, _Stated.of(each, account)) for each in read]
    while stated and not stated[0][1].is_there:
        del stated[0]
    return (*_in_editions(account, stated), *_under_readings(account, stated))


def _in_editions(account: RuleAccount, stated: Sequence[tuple[Rules, _Stated]]) -> Iterator[Variation]:
    for (last, before), (rules, now) in pairwise(stated):
        if now != before:
            instead = () if now.is_there else tuple(_list_instead(last, rules, account))
            defaults = list_new_defaults(last, rules, _readings_of(account))
            yield now.vary("edition", rules.edition, before, defaults=defaults, instead=instead)


def _under_readings(account: RuleAccount, stated: Sequence[tuple[Rules, _Stated]]) -> Iterator[Variation]:
    """Where a choice is none of the oldest edition of the rule, or is the default there, a later edition counts."""
    for name in _readings_of(account):
        for choice in stated[0][0].known_readings[name].every_choice:
            for at, (rules, before) in enumerate(stated):
                if choice not in rules.known_readings[name].choices or rules.readings[name] == choice:
                    continue
                now = _Stated.of(rules.under({**rules.given_readings, name: choice}), account)
                if now != before:
                    yield now.vary("reading", f"{name}={choice}", before, rules.edition if at else "")
                    break


def _readings_of(account: RuleAccount) -> dict[str, None]:
    return dict.fromkeys(name.partition("=")[0] for name in account.readings)


def list_new_defaults(before: Rules, after: Rules, readings: Collection[str]) -> tuple[str, ...]:
    """List those of some readings whose default another edition has changed, each with its new default."""
    return tuple(f"{each}={after.readings[each]}" for each in readings if before.readings[each] != after.readings[each])


def _list_instead(before: Rules, after: Rules, account: RuleAccount) -> Iterator[str]:
    """The rules of the same clause that the later edition has and the earlier one has not."""
    about = DOCUMENTS[account.id.partition(".")[0]]
    known = {each.id for each in before.ruleset(about).rules}
    yield from (each.id for each in after.ruleset(about).rules
                if each.clause == account.clause and each.id not in known)  # fmt: skip


@frozen
class Origin:
    """The edition that a rule came with, blank if it was always there, and the choices that became defaults then."""

    edition: str = ""
    defaults: tuple[str, ...] = ()


def find_origin(rules: Rules, account: RuleAccount) -> Origin:
    """Find the edition that a rule came with."""
    read = rules.read_editions()
    if not read or _Stated.of(read[0], account).is_there:
        return Origin()
    for before, after in pairwise(read):
        if _Stated.of(after, account).is_there:
            return Origin(after.edition, list_new_defaults(before, after, _readings_of(account)))
    return Origin()
