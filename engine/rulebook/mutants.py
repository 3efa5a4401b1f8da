"""Mutate rules, one change at a time, to test that the cases notice each change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import toml
from attrs import frozen

from mqclause.language import nodes
from mqclause.language.parser import infer_type
from mqclause.language.vocabulary import Type
from mqclause.model.facts.domains import REASONS
from mqclause.rulebook.loader import ORDER_KEYS, OVERRIDES
from mqclause.rulebook.rule import Condition, Derive, Ruleset, Settle
from mqclause.rulebook.rule_file import ACTIONS, CHOICE_TIES
from mqclause.rulebook.rules import Rules

RuleTable = dict[str, Any]
Change = Callable[[RuleTable], None]
"""Changes a table of a rule file in its place."""

TERMS_FILE = "terms.toml"

WORD_LIST = re.compile(r"\bIN \(('[^']*'(?:, '[^']*')*)\)")
"""The words that an expression compares with, as a list in brackets."""


@frozen(eq=False)
class Mutant:
    """One file of the rules with one thing in it turned round: what was done, the file's path, and what it then says.

    ``change`` is like ``keep.highest changed``, after the reading or edition under which the rule says it.
    """

    change: str
    path: str
    table: RuleTable

    @property
    def text(self) -> str:
        """The file as TOML."""
        return toml.dumps(self.table)

    def within(self, rules: Rules) -> Rules:
        """Return the rules with this file in the place of their own. Raises what Rules does."""
        return rules.with_files({self.path: self.text})


def generate_mutants(rules: Rules, ruleset: Ruleset, rule_id: str) -> Iterator[Mutant]:
    """Generate every way in which a rule, or what it says under a reading or in an edition, is turned round.

    ``ruleset`` is that of the rule, under any reading: it has the types of what is derived. Raises KeyError.
    """
    path = rules.path(rule_id)
    table = rules.toml(path)
    for where, change, apply in _everywhere(table, lambda stated: _changes(stated, ruleset)):
        yield Mutant(change, path, _changed(table, where, apply))


def generate_term_mutants(rules: Rules, ruleset: Ruleset, term: str) -> Iterator[Mutant]:
    """Generate every way in which a term of rules/terms.toml is turned round. Raises KeyError."""
    table = rules.toml(TERMS_FILE)
    for where, change, apply in _everywhere(
        table[ruleset.name][term], lambda stated: _term_changes(stated, ruleset, term)
    ):
        yield Mutant(f"{term}: {change}", TERMS_FILE, _changed(table, (ruleset.name, term, *where), apply))


def _everywhere(
    table: RuleTable, changes: Callable[[RuleTable], Iterator[tuple[str, Change]]]
) -> Iterator[tuple[tuple[str, ...], str, Change]]:
    """Each change of what is stated, and of what is stated for an edition or a reading: where, its name, what does it.

    The names within one table differ.
    """
    for name, change in changes(table):
        yield (), name, change
    for kind in OVERRIDES:
        for override, stated in table.get(kind, {}).items():
            for name, change in (*changes(stated), *_unmoved(stated)):
                yield (kind, override), f"{override}: {name}", change


def _unmoved(stated: RuleTable) -> Iterator[tuple[str, Change]]:
    """The changes that leave a rule where it stood before an edition or a reading moved it."""
    for key in ORDER_KEYS:
        if key in stated:
            yield f"{key} dropped", lambda given, k=key: given.pop(k)  # type: ignore[misc]


def _changed(table: RuleTable, where: tuple[str, ...], change: Change) -> RuleTable:
    mutant = deepcopy(table)
    within = mutant
    for key in where:
        within = within[key]
    change(within)
    return mutant


def _changes(table: RuleTable, ruleset: Ruleset) -> Iterator[tuple[str, Change]]:
    """The changes that what a rule states allows."""
    if "leave_out" in table:
        yield "leave_out turned", lambda given: given.update(leave_out=not given["leave_out"])
    if "when" in table:
        yield "when negated", lambda given: _in_place(given, "when", NEGATED)
        yield from _without_words(table, "when", ())
    for name in table.get("graver", {}):
        yield f"graver.{name} negated", lambda given, n=name: _in_place(given["graver"], n, NEGATED)  # type: ignore[misc]
    for action in ACTIONS:
        for key in table.get(action, {}):
            change = CHANGES.get((action, key)) or CHANGES.get(key)
            if (action, key) not in NO_VALUES and action in ("derive", "settle"):
                change = _derived(table[action], key, ruleset)
            if change:
                yield f"{action}.{key} changed", lambda given, a=action, k=key, c=change: c(given[a], k)  # type: ignore[misc]
                yield from _without_words(table[action], key, (action,))
    for place, notice in enumerate(table.get("notices", [])):
        yield f"notices {place + 1}.where changed", partial(_notices_elsewhere, place)
        for name in notice["attributes"]:
            yield f"notices {place + 1} without {name}", partial(_notices_not, place, name)
    for items in _needs(table, ruleset):
        yield f"conclude.needs changed to {items}", lambda given, n=items: given["conclude"].update(needs=n)  # type: ignore[misc]


def _term_changes(stated: RuleTable, ruleset: Ruleset, term: str) -> Iterator[tuple[str, Change]]:
    kind = infer_type(nodes.Column(term), ruleset.vocabulary, per_subject=True)
    facts = _derived_from(term, ruleset) if kind.kind == "text" else ()
    words = [each for fact in facts for each in _words(fact, ruleset)]
    other = next((f"'{each}'" for each in words if f"'{each}'" not in stated["is"]), _other_value(kind))

    def change(table: RuleTable) -> None:
        if "CASE WHEN" in table["is"]:
            table["is"] = table["is"].replace("CASE WHEN ", "CASE WHEN NOT ")
        else:
            _in_place(table, "is", other)

    yield "is changed", change
    for what, fewer in _fewer_words(stated["is"]):
        yield what, lambda table, text=fewer: table.update({"is": text})  # type: ignore[misc]


def _derived_from(term: str, ruleset: Ruleset) -> Iterator[str]:
    """The facts that answers are made of and that a rule derives from a term."""
    for rule in ruleset.rules:
        for name, tree in rule.action.values if isinstance(rule.action, Derive | Settle) else ():
            if name in ruleset.about.asks and any(each.name == term for each in tree.find_all(nodes.Column)):
                yield name


def _without_words(table: RuleTable, key: str, within: tuple[str, ...]) -> Iterator[tuple[str, Change]]:
    """The changes that take a word from a list of an expression: under ``key`` of a table ``within`` that of a rule."""
    for what, text in _fewer_words(table[key]) if isinstance(table[key], str) else ():

        def change(given: RuleTable, text: str = text) -> None:
            for name in within:
                given = given[name]
            given[key] = text

        yield f"{'.'.join((*within, key))} {what}", change


def _fewer_words(text: str) -> Iterator[tuple[str, str]]:
    """An expression with one word fewer after an IN, for each such word: which one, and the expression then."""
    for place, found in enumerate(WORD_LIST.finditer(text), 1):
        words = found[1].split(", ")
        for word in words if len(words) > 1 else ():
            others = ", ".join(each for each in words if each != word)
            yield f"list {place} without {word}", f"{text[: found.start(1)]}{others}{text[found.end(1) :]}"


NO_VALUES = frozenset({("derive", "of"), ("settle", "because")})
NEGATED, RAISED = "NOT ({})", "({}) + 1"


def _in_place(table: RuleTable, key: str, pattern: str) -> None:
    """Puts what stands under ``key`` into ``pattern``."""
    table[key] = pattern.format(table[key])


def _patterned(pattern: str) -> Callable[[RuleTable, str], None]:
    return lambda action, key: _in_place(action, key, pattern)


def _turned(action: RuleTable, key: str) -> None:
    other = {"highest": "lowest", "lowest": "highest"}[key]
    action[other] = action.pop(key)
    action["because"] = action["because"].replace(f"{{{key}}}", f"{{{other}}}")


def _notices_elsewhere(place: int, table: RuleTable) -> None:
    _in_place(table["notices"][place], "where", NEGATED)


def _notices_not(place: int, name: str, table: RuleTable) -> None:
    notice = table["notices"][place]
    notice["attributes"] = [each for each in notice["attributes"] if each != name]


def _reversed(action: RuleTable, key: str) -> None:
    action[key] = [f"0 - ({item})" for item in action[key]]


def _other_direction(action: RuleTable, key: str) -> None:
    action[key] = [item.removesuffix(" DESC") if item.endswith(" DESC") else f"{item} DESC" for item in action[key]]


def _dropped(action: RuleTable, key: str) -> None:
    del action[key]


def _another(of: Iterable[str]) -> Callable[[RuleTable, str], None]:
    """States the first of some words that is not stated."""
    return lambda action, key: action.update({key: next(each for each in of if each != action[key])})


def _derived(action: RuleTable, key: str, ruleset: Ruleset) -> Callable[[RuleTable, str], None]:
    """How a derived value is changed, by its type; what is derived for subjects is a number."""
    if key in ruleset.about.asks and (words := _words(key, ruleset)):
        other = next((word for word in words if f"'{word}'" not in action[key]), words[0])
        return _patterned(f"'{other}'")
    of_situation = action.get("of", "situation") == "situation"
    kind = ruleset.vocabulary.words[key].type if of_situation else None
    return _patterned(RAISED if kind is None else _other_value(kind))


def _words(fact: str, ruleset: Ruleset) -> list[str]:
    """The words that a fact can be, if it is one of a list of words that answers have."""
    return [word for word in ruleset.about.asks[fact].words if word.strip()]


def _other_value(kind: Type) -> str:
    """The pattern that makes another value of one of a type."""
    return RAISED if kind.is_number else NEGATED if kind.kind == "boolean" else "'another'"


def _needs(table: RuleTable, ruleset: Ruleset) -> Iterator[list[str]]:
    """Other lists of needed clauses: each item left out, its ends left out, or one clause more before it."""
    needs = table.get("conclude", {}).get("needs", [])
    conditions = {rule.clause for rule in ruleset.rules if isinstance(rule.action, Condition)}
    for place, item in enumerate(needs):
        first, dash, last = item.partition("-")
        others = [[f"{int(first) + 1}-{last}"], [f"{first}-{int(last) - 1}"]] if dash else []
        if dash and f"{int(first) - 1}" in conditions:
            others.append([f"{int(first) - 1}-{last}"])
        if len(needs) > 1 or not others:
            others.append([])
        yield from ([*needs[:place], *other, *needs[place + 1 :]] for other in others)


CHANGES: Mapping[str | tuple[str, str], Callable[[RuleTable, str], None]] = {
    "where": _patterned(NEGATED),
    "among": _patterned(NEGATED),
    ("keep", "highest"): _turned,
    ("keep", "lowest"): _turned,
    ("choose", "lowest"): _reversed,
    ("order_by", "by"): _other_direction,
    "per": _dropped,
    "counts": _dropped,
    ("holds", "when"): _patterned(NEGATED),
    ("conclude", "excused"): _dropped,
    "at_most": _patterned(RAISED),
    "ties": _another(("first-listed", "all")),
    ("choose", "ties"): _another(CHOICE_TIES),
    "reason": _another(REASONS),
    "call": _patterned("CASE WHEN ({}) = 'MQOPEN' THEN 'MQPUT' ELSE 'MQOPEN' END"),
}
"""How each key of an action is changed; keys that are not here say nothing that decides."""
