"""Reads rule files: TOML in, checked rules out. What is wrong with a file is one line that names file and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import field, frozen

from mqclause.expression import ExpressionError, parse, parse_unchecked, type_of
from mqclause.model.constants import REASONS
from mqclause.model.destination import Destination
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.reading import chosen_readings, known_readings, rules_folder
from mqclause.rule import (
    Action,
    Because,
    Choose,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Keep,
    Rule,
    Ruleset,
    SetAside,
    TakeBack,
)
from mqclause.situation import Situation
from mqclause.vocabulary import BOOLEAN, NUMBER, TEXT, WHOLE, Type, Vocabulary, Word, words_of

FILE_NAME = re.compile(r"(?P<number>[0-9]+[a-z]?|[a-z]+)_[a-z0-9_]+\.toml")
COMMON_KEYS = frozenset({"clause", "title", "when", "reading"})
OVERRIDABLE = frozenset({"when"})
EARLIER = {"outcome": {"permitted": Word("permitted", WHOLE, "put")}}
"""What a ruleset finds derived by the one that ran before it."""


class RuleError(ValueError):
    """A rule file that cannot be used: its path within rules/, the key, and what is wrong with it."""

    def __init__(self, path: str, key: str, message: str) -> None:
        super().__init__(f"rules/{path}: {key}: {message}" if key else f"rules/{path}: {message}")


def load_ruleset(name: str, readings: Mapping[str, str] | None = None, folder: Path | None = None) -> Ruleset:
    """The rules of ``folder``/``name`` in the order of their file names, under the given readings.

    Readings that are not given have their default. Raises ReadingError for a reading that is not known and
    RuleError for a file that cannot be used.
    """
    folder = folder or rules_folder()
    chosen = chosen_readings(readings or {}, folder)
    vocabulary = base_vocabulary(name, chosen, folder)
    rules: list[Rule] = []
    for path in sorted((folder / name).glob("*.toml")):
        rule = _RuleFile(f"{name}/{path.name}", _toml(path), name, chosen, vocabulary).rule(folder)
        vocabulary = vocabulary.with_words(*_derived(rule, vocabulary))
        rules.append(rule)
    concerned = {key: value for key, value in chosen.items() if _concerns(key, name, folder)}
    return Ruleset(name, tuple(rules), vocabulary, tuple(concerned.items()))


def base_vocabulary(name: str, readings: Mapping[str, str], folder: Path) -> Vocabulary:
    """Attributes of destinations and puts, what earlier rulesets derive, and the terms of rules/terms.toml."""
    words = {**words_of(Destination, "destination"), **words_of(Situation, "put"), **EARLIER.get(name, {})}
    tables = _toml(folder / "terms.toml").get(name, {})
    terms = {}
    for term, table in tables.items():
        with _placed(f"{name}.{term}"):
            terms[term] = parse_unchecked(_overridden(table, readings)["is"])
    vocabulary = Vocabulary(words, terms)
    for term, tree in terms.items():
        with _placed(f"{name}.{term}"):
            type_of(tree, vocabulary, per_destination=True)
    return vocabulary


@contextmanager
def _placed(term: str) -> Iterator[None]:
    """Says of which term an error is."""
    try:
        yield
    except ExpressionError as error:
        raise RuleError("terms.toml", term, str(error)) from None
    except RecursionError:
        raise RuleError("terms.toml", term, "is explained by itself") from None
    except KeyError as error:
        raise RuleError("terms.toml", term, f"{error} is missing") from None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RuleError(f"{path.parent.name}/{path.name}", "", f"is not TOML: {error}") from None


def _concerns(reading: str, ruleset: str, folder: Path) -> bool:
    return any(clause.startswith(f"{ruleset}/") for clause in known_readings(folder)[reading].clauses)


def _overridden(table: Mapping[str, Any], readings: Mapping[str, str]) -> dict[str, Any]:
    """``table`` with the keys replaced that it states for a reading in force."""
    kept = {key: value for key, value in table.items() if key != "reading"}
    for reading, replaced in table.get("reading", {}).items():
        name, _, choice = reading.partition("=")
        if readings.get(name) == choice:
            actions = set(replaced) - OVERRIDABLE
            kept = {key: value for key, value in kept.items() if not (actions and key in ACTIONS)} | replaced
    return kept


def _derived(rule: Rule, vocabulary: Vocabulary) -> Iterator[Word]:
    if isinstance(rule.action, Derive) and rule.action.of == "put":
        for name, tree in rule.action.values:
            yield Word(name, type_of(tree, vocabulary, per_destination=False), "put")


@frozen
class _RuleFile:
    """One rule file on its way to a rule."""

    path: str
    raw: dict[str, Any]
    ruleset: str
    readings: Mapping[str, str]
    vocabulary: Vocabulary
    table: dict[str, Any] = field(init=False, factory=dict)

    def rule(self, folder: Path) -> Rule:
        self.check_readings(folder)
        self.table.update(_overridden(self.raw, self.readings))
        name = FILE_NAME.fullmatch(self.path.rpartition("/")[2])
        if name is None:
            raise RuleError(self.path, "", "a rule file is named like 04a_channel_rank.toml")
        clause = self.text(self.table, "clause", "")
        document, _, number = clause.partition("/")
        if document != self.ruleset or not number:
            raise RuleError(self.path, "clause", f"{quoted(clause)} is not a clause of {self.ruleset}/…")
        when = self.condition(self.table, "when", "", per_destination=False) if "when" in self.table else None
        return Rule(
            f"{self.ruleset}.{name['number']}",
            number,
            self.text(self.table, "title", ""),
            self.path,
            when,
            self.action(),
        )

    def check_readings(self, folder: Path) -> None:
        known = known_readings(folder)
        for reading in self.raw.get("reading", {}):
            name, _, choice = reading.partition("=")
            if name not in known or choice not in known[name].choices:
                raise RuleError(self.path, f"reading.{reading!r}", "is not a reading=choice of rules/readings.toml")

    def action(self) -> Action:
        keys = [key for key in self.table if key not in COMMON_KEYS]
        for key in keys:
            if key not in ACTIONS:
                near = suggestion(key, [*ACTIONS, *COMMON_KEYS])
                allowed = ", ".join([*sorted(COMMON_KEYS), *ACTIONS])
                raise RuleError(self.path, key, f"is not a key of a rule{near}; allowed: {allowed}")
        if len(keys) != 1:
            raise RuleError(self.path, "", f"a rule has one action, here {len(keys)}; allowed: {', '.join(ACTIONS)}")
        build, allowed_keys = ACTIONS[keys[0]]
        table = self.table[keys[0]]
        if not isinstance(table, dict):
            raise RuleError(self.path, keys[0], f"is a table, like [{keys[0]}]")
        for key in table:
            if allowed_keys and key not in allowed_keys:
                near = suggestion(key, allowed_keys)
                raise RuleError(
                    self.path, f"{keys[0]}.{key}", f"is not known{near}; allowed: {', '.join(allowed_keys)}"
                )
        return build(self, table, keys[0])

    def text(self, table: Mapping[str, Any], key: str, within: str) -> str:
        value = table.get(key)
        name = f"{within}.{key}" if within else key
        if not isinstance(value, str) or not value.strip():
            raise RuleError(self.path, name, "is missing" if value is None else f"{quoted(value)} is not text")
        return value

    def expression(self, text: str, key: str, wanted: Type | None, per_destination: bool) -> Expression:
        try:
            tree = parse(text, self.vocabulary, per_destination)
            found = type_of(tree, self.vocabulary, per_destination)
        except ExpressionError as error:
            raise RuleError(self.path, key, str(error)) from None
        fits = wanted is None or found.kind == wanted.kind or (found.is_number and wanted.is_number)
        if not fits:
            raise RuleError(self.path, key, f"{quoted(text)} is {found}, expected {wanted}")
        return tree

    def condition(self, table: Mapping[str, Any], key: str, within: str, per_destination: bool = True) -> Expression:
        name = f"{within}.{key}" if within else key
        return self.expression(self.text(table, key, within), name, BOOLEAN, per_destination)

    def because(self, table: Mapping[str, Any], within: str, *extra: str) -> Because:
        because = Because(self.text(table, "because", within))
        try:
            names = list(because.names())
        except ValueError as error:
            raise RuleError(self.path, f"{within}.because", f"{error}") from None
        allowed = [*self.vocabulary.names(), *extra]
        for name in names:
            if name not in allowed:
                near = suggestion(name, allowed)
                raise RuleError(self.path, f"{within}.because", f"{{{name}}} is not a word{near}")
        return because


def _eliminate(file: _RuleFile, table: dict[str, Any], key: str) -> Eliminate:
    return Eliminate(file.condition(table, "where", key), file.because(table, key))


def _set_aside(file: _RuleFile, table: dict[str, Any], key: str) -> SetAside:
    return SetAside(file.condition(table, "where", key), file.because(table, key))


def _take_back(file: _RuleFile, table: dict[str, Any], key: str) -> TakeBack:
    return TakeBack(file.condition(table, "where", key))


def _keep(file: _RuleFile, table: dict[str, Any], key: str) -> Keep:
    stated = [best for best in ("highest", "lowest") if best in table]
    if len(stated) != 1:
        raise RuleError(file.path, key, "states highest or lowest, one of them")
    best = stated[0]
    by = file.expression(file.text(table, best, key), f"{key}.{best}", None, per_destination=True)
    kind = type_of(by, file.vocabulary, per_destination=True)
    if not (kind.is_number or kind == BOOLEAN):
        raise RuleError(file.path, f"{key}.{best}", f"{kind} has no highest or lowest")
    per = table.get("per")
    if per is not None:
        file.expression(per, f"{key}.per", TEXT, per_destination=True)
    at_most = table.get("at_most")
    limit = None if at_most is None else file.expression(at_most, f"{key}.at_most", WHOLE, per_destination=False)
    ties = table.get("ties", "first-listed")
    if ties not in ("first-listed", "all"):
        raise RuleError(file.path, f"{key}.ties", f"{quoted(ties)} is not allowed; allowed: first-listed, all")
    among = file.condition(table, "among", key) if "among" in table else None
    return Keep(by, "highest" if best == "highest" else "lowest", among, per, limit, ties,
                file.because(table, key, best, "at_most"))  # fmt: skip


def _choose(file: _RuleFile, table: dict[str, Any], key: str) -> Choose:
    if ("where" in table) == ("lowest" in table):
        raise RuleError(file.path, key, "states where or lowest, one of them")
    if "where" in table:
        return Choose(file.condition(table, "where", key), (), file.because(table, key))
    order = table["lowest"]
    if not isinstance(order, list) or not order or not all(isinstance(item, str) for item in order):
        raise RuleError(file.path, f"{key}.lowest", "is a list of expressions, the first deciding first")
    by = tuple(file.expression(item, f"{key}.lowest", NUMBER, per_destination=True) for item in order)
    return Choose(None, by, file.because(table, key, "lowest"))


def _derive(file: _RuleFile, table: dict[str, Any], key: str) -> Derive:
    of = table.get("of", "put")
    if of not in ("put", "chosen", "every"):
        raise RuleError(file.path, f"{key}.of", f"{quoted(of)} is not allowed; allowed: put, chosen, every")
    values = []
    for name in table:
        if name == "of":
            continue
        known = file.vocabulary.words.get(name)
        if of != "put" and (known is None or known.about != "destination"):
            near = suggestion(name, file.vocabulary.words)
            raise RuleError(file.path, f"{key}.{name}", f"is not an attribute of a destination{near}")
        if of == "put" and (known is not None or name in file.vocabulary.terms):
            raise RuleError(file.path, f"{key}.{name}", "is already a fact; a derived fact has a name of its own")
        wanted = known.type if known is not None else None
        tree = file.expression(file.text(table, name, key), f"{key}.{name}", wanted, per_destination=of == "chosen")
        values.append((name, tree))
    if not values:
        raise RuleError(file.path, key, "derives nothing")
    return Derive(of, tuple(values))


def _fail_with(file: _RuleFile, table: dict[str, Any], key: str) -> FailWith:
    reason = file.text(table, "reason", key)
    if reason not in REASONS:
        near = suggestion(reason, REASONS)
        raise RuleError(file.path, f"{key}.reason", f"{quoted(reason)} is not a reason code that we know{near}")
    call = file.expression(file.text(table, "call", key), f"{key}.call", TEXT, per_destination=False)
    return FailWith(reason, call, file.because(table, key))


Builder = Callable[[_RuleFile, dict[str, Any], str], Action]
ACTIONS: dict[str, tuple[Builder, tuple[str, ...]]] = {
    "eliminate": (_eliminate, ("where", "because")),
    "set_aside": (_set_aside, ("where", "because")),
    "take_back": (_take_back, ("where",)),
    "keep": (_keep, ("highest", "lowest", "among", "per", "at_most", "ties", "because")),
    "choose": (_choose, ("where", "lowest", "because")),
    "derive": (_derive, ()),
    "fail_with": (_fail_with, ("reason", "call", "because")),
}
"""The closed set of actions: how each is read, and the keys that it takes (any, where that is empty)."""
