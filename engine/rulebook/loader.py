"""Loads the rules of one document: files in, a ruleset out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlglot import exp

from mqclause.language.parse import ExpressionError, parse_unchecked, type_of
from mqclause.language.vocabulary import BOOLEAN, WHOLE, Vocabulary, Word, words_of
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.situation import Situation
from mqclause.model.timeline.occasion import Occasion
from mqclause.rulebook.reading import chosen_readings, known_readings, rules_folder
from mqclause.rulebook.rule import Conclude, Derive, Expression, Rule, Ruleset
from mqclause.rulebook.rule_file import FILE_NAME, RuleError, RuleFile, overridden

SITUATIONS: dict[str, type] = {"workload": Situation, "outcome": Situation, "trigger": Occasion}
"""What the rules of each document look at besides destinations."""

EARLIER = {"outcome": {"permitted": Word("permitted", WHOLE, "situation", is_derived=True)}}
"""What a ruleset finds derived by the one that ran before it."""


def load_ruleset(name: str, readings: Mapping[str, str] | None = None, folder: Path | None = None) -> Ruleset:
    """The rules of ``folder``/``name`` in the document's order, under the given readings.

    Readings that are not given have their default. Raises ReadingError for a reading that is not known and
    RuleError for a file that cannot be used.
    """
    folder = folder or rules_folder()
    chosen = chosen_readings(readings or {}, folder)
    vocabulary = base_vocabulary(name, chosen, folder)
    rules: list[Rule] = []
    tables = {path.name: _toml(path) for path in (folder / name).glob("*.toml")}
    for file, table in sorted(tables.items(), key=lambda item: _order(name, *item)):
        reader = RuleFile(f"{name}/{file}", table, name, chosen, known_readings(folder), vocabulary, rules)
        rule = reader.rule()
        vocabulary = vocabulary.with_words(*_derived(rule, vocabulary))
        rules.append(rule)
    _check_terms(name, vocabulary)
    concerned = {key: value for key, value in chosen.items() if _concerns(key, name, folder)}
    return Ruleset(name, tuple(rules), vocabulary, tuple(concerned.items()))


def _order(ruleset: str, file: str, table: Mapping[str, Any]) -> tuple[object, ...]:
    """Where a rule stands: by its number, a range after its last number, or ``before`` the rule that it names.

    A clause that says how an earlier one is read has to stand before that one.
    """
    name = FILE_NAME.fullmatch(file)
    own = _place(name["number"]) if name else _place("")
    before = table.get("before")
    if before is None:
        return (*own, 1)
    target, _, number = str(before).partition(".")
    if target != ruleset or not number:
        raise RuleError(f"{ruleset}/{file}", "before", f"{before!r} is not a rule of {ruleset}, like {ruleset}.02")
    return (*_place(number), 0, *own)


def _place(number: str) -> tuple[int, int, str]:
    if not number[:1].isdigit():
        return (1, 0, number)
    digits, letters = number.rstrip("abcdefghijklmnopqrstuvwxyz"), number.lstrip("0123456789.-")
    first, dash, last = digits.partition("-")
    whole, _, part = (last or first).partition(".")
    return (0, int(whole), "~" if dash else f"{part}{letters}")


def base_vocabulary(name: str, readings: Mapping[str, str], folder: Path) -> Vocabulary:
    """The attributes, what earlier rulesets derive, and the terms of rules/terms.toml."""
    words = {
        **words_of(Destination, "destination"),
        **words_of(SITUATIONS[name], "situation"),
        **EARLIER.get(name, {}),
    }
    tables = _toml(folder / "terms.toml").get(name, {})
    terms = {}
    for term, table in tables.items():
        with _placed(f"{name}.{term}"):
            terms[term] = parse_unchecked(overridden(table, readings)["is"])
    for term in terms:
        _check_no_circle(name, term, terms)
    return Vocabulary(words, terms)


def _check_no_circle(ruleset: str, term: str, terms: Mapping[str, Expression]) -> None:
    waiting, seen = [term], set[str]()
    while waiting:
        used = {column.name for column in terms[waiting.pop()].find_all(exp.Column)}.intersection(terms)
        if term in used:
            raise RuleError("terms.toml", f"{ruleset}.{term}", "is explained by itself")
        waiting += used - seen
        seen |= used


def _check_terms(ruleset: str, vocabulary: Vocabulary) -> None:
    """Terms may use facts that rules derive, so their words and types are checked when all rules are there."""
    for term, tree in vocabulary.terms.items():
        with _placed(f"{ruleset}.{term}"):
            type_of(tree, vocabulary, per_destination=True)


@contextmanager
def _placed(term: str) -> Iterator[None]:
    """Says of which term an error is."""
    try:
        yield
    except ExpressionError as error:
        raise RuleError("terms.toml", term, str(error)) from None
    except KeyError as error:
        raise RuleError("terms.toml", term, f"{error} is missing") from None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RuleError(f"{path.parent.name}/{path.name}", "", f"is not TOML: {error}") from None


def _concerns(reading: str, ruleset: str, folder: Path) -> bool:
    return any(clause.startswith(f"{ruleset}/") for clause in known_readings(folder)[reading].clauses)


def _derived(rule: Rule, vocabulary: Vocabulary) -> Iterator[Word]:
    if isinstance(rule.action, Derive) and rule.action.of == "situation":
        for name, tree in rule.action.values:
            yield Word(name, type_of(tree, vocabulary, per_destination=False), "situation", is_derived=True)
    if isinstance(rule.action, Conclude):
        yield Word(rule.action.fact, BOOLEAN, "situation", is_derived=True)
