"""One rule file: its TOML to a checked rule. What is wrong with it is one line that names file, key and column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from mqclause.language.parse import ExpressionError, parse, type_of
from mqclause.language.vocabulary import BOOLEAN, NUMBER, TEXT, WHOLE, Type, Vocabulary
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.model.facts.constants import REASONS
from mqclause.rulebook.reading import Reading
from mqclause.rulebook.rule import (
    Action,
    Because,
    Choose,
    Conclude,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Holds,
    Keep,
    Rule,
    SetAside,
    TakeBack,
)

FILE_NAME = re.compile(r"(?P<number>[0-9]+(?:[.-][0-9]+)?[a-z]?|[a-z]+(?:-[a-z]+)?[0-9]*)_[a-z0-9_]+\.toml")
COMMON_KEYS = ("clause", "title", "when", "before", "reading")
SEQUENCE = ("dest_seq_factor", "dest_seq_number")


class RuleError(ValueError):
    """A rule file that cannot be used: its path within rules/, the key, and what is wrong with it."""

    def __init__(self, path: str, key: str, message: str) -> None:
        super().__init__(f"rules/{path}: {key}: {message}" if key else f"rules/{path}: {message}")


def overridden(table: Mapping[str, Any], readings: Mapping[str, str]) -> dict[str, Any]:
    """``table`` with the keys replaced that it states for a reading in force."""
    kept = {key: value for key, value in table.items() if key != "reading"}
    for reading, replaced in table.get("reading", {}).items():
        name, _, choice = reading.partition("=")
        if readings.get(name) == choice:
            if set(replaced) & set(ACTIONS):
                kept = {key: value for key, value in kept.items() if key not in ACTIONS}
            kept |= replaced
    return kept


@frozen
class RuleFile:
    """One rule file on its way to a rule."""

    path: str
    raw: dict[str, Any]
    ruleset: str
    readings: Mapping[str, str]
    known_readings: Mapping[str, Reading]
    vocabulary: Vocabulary
    earlier: Sequence[Rule]
    table: dict[str, Any] = field(init=False, factory=dict)

    def rule(self) -> Rule:
        """The rule; raises RuleError."""
        self.check_readings()
        self.table.update(overridden(self.raw, self.readings))
        clause = self.text(self.table, "clause", "")
        document, _, number = clause.partition("/")
        if document != self.ruleset or not number:
            raise RuleError(self.path, "clause", f"{quoted(clause)} is not a clause of {self.ruleset}/…")
        when = self.condition(self.table, "when", "", per_destination=False) if "when" in self.table else None
        title = self.text(self.table, "title", "")
        return Rule(f"{self.ruleset}.{self.number}", number, title, self.path, when, self.action())

    @property
    def number(self) -> str:
        """What the file's name begins with: the clause's number."""
        name = FILE_NAME.fullmatch(self.path.rpartition("/")[2])
        if name is None:
            raise RuleError(self.path, "", "a rule file is named like 04a_channel_rank.toml")
        return name["number"]

    def check_readings(self) -> None:
        for reading in self.raw.get("reading", {}):
            name, _, choice = reading.partition("=")
            if name not in self.known_readings or choice not in self.known_readings[name].choices:
                raise RuleError(self.path, f"reading.{reading!r}", "is not a reading=choice of rules/readings.toml")

    def action(self) -> Action:
        keys = [key for key in self.table if key not in COMMON_KEYS]
        for key in keys:
            if key not in ACTIONS:
                near = suggestion(key, [*ACTIONS, *COMMON_KEYS])
                allowed = ", ".join([*COMMON_KEYS, *ACTIONS])
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

    def because(self, table: Mapping[str, Any], within: str, *extra: str, part: str = "because") -> Because:
        because = Because(self.text(table, part, within))
        try:
            names = list(because.names())
        except ValueError as error:
            raise RuleError(self.path, f"{within}.{part}", f"{error}") from None
        allowed = [*self.vocabulary.names(), *extra]
        for name in names:
            if name not in allowed:
                near = suggestion(name, allowed)
                raise RuleError(self.path, f"{within}.{part}", f"{{{name}}} is not a word{near}")
        return because


def _eliminate(file: RuleFile, table: dict[str, Any], key: str) -> Eliminate:
    return Eliminate(file.condition(table, "where", key), file.because(table, key))


def _set_aside(file: RuleFile, table: dict[str, Any], key: str) -> SetAside:
    return SetAside(file.condition(table, "where", key), file.because(table, key))


def _take_back(file: RuleFile, table: dict[str, Any], key: str) -> TakeBack:
    return TakeBack(file.condition(table, "where", key))


def _keep(file: RuleFile, table: dict[str, Any], key: str) -> Keep:
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


def _choose(file: RuleFile, table: dict[str, Any], key: str) -> Choose:
    if ("where" in table) == ("lowest" in table):
        raise RuleError(file.path, key, "states where or lowest, one of them")
    if "where" in table:
        return Choose(file.condition(table, "where", key), (), file.because(table, key))
    order = table["lowest"]
    if not isinstance(order, list) or not order or not all(isinstance(item, str) for item in order):
        raise RuleError(file.path, f"{key}.lowest", "is a list of expressions, the first deciding first")
    by = tuple(file.expression(item, f"{key}.lowest", NUMBER, per_destination=True) for item in order)
    return Choose(None, by, file.because(table, key, "lowest"))


def _derive(file: RuleFile, table: dict[str, Any], key: str) -> Derive:
    of = table.get("of", "situation")
    if of not in ("situation", "chosen", "every"):
        raise RuleError(file.path, f"{key}.of", f"{quoted(of)} is not allowed; allowed: situation, chosen, every")
    values = []
    for name in table:
        if name != "of":
            wanted = _derivable(file, f"{key}.{name}", name, of)
            text = file.text(table, name, key)
            values.append((name, file.expression(text, f"{key}.{name}", wanted, per_destination=of == "chosen")))
    if not values:
        raise RuleError(file.path, key, "derives nothing")
    return Derive(of, tuple(values))


def _derivable(file: RuleFile, key: str, name: str, of: str) -> Type | None:
    """The type that a derived value must have, if its name is known already."""
    known = file.vocabulary.words.get(name)
    if of == "situation":
        if name in file.vocabulary.terms or (known is not None and not known.is_derived):
            raise RuleError(file.path, key, "is already a fact; a derived fact has a name of its own")
        return known.type if known is not None else None
    if name not in SEQUENCE:
        near = suggestion(name, SEQUENCE)
        raise RuleError(file.path, key, f"cannot be derived for a destination{near}; allowed: {', '.join(SEQUENCE)}")
    return NUMBER


def _fail_with(file: RuleFile, table: dict[str, Any], key: str) -> FailWith:
    reason = file.text(table, "reason", key)
    if reason not in REASONS:
        near = suggestion(reason, REASONS)
        raise RuleError(file.path, f"{key}.reason", f"{quoted(reason)} is not a reason code that we know{near}")
    call = file.expression(file.text(table, "call", key), f"{key}.call", TEXT, per_destination=False)
    return FailWith(reason, call, file.because(table, key))


def _holds(file: RuleFile, table: dict[str, Any], key: str) -> Holds:
    condition = file.condition(table, "when", key, per_destination=False)
    remedy = file.because(table, key, part="remedy") if "remedy" in table else None
    return Holds(condition, file.because(table, key), remedy)


def _conclude(file: RuleFile, table: dict[str, Any], key: str) -> Conclude:
    fact = file.text(table, "fact", key)
    needs = set(_clauses(file, table, f"{key}.needs")) - set(_clauses(file, table, f"{key}.excused"))
    rules = [rule.id for rule in file.earlier if isinstance(rule.action, Holds) and rule.clause in needs]
    if not rules:
        raise RuleError(file.path, f"{key}.needs", "names no condition that stands before this rule")
    return Conclude(fact, tuple(rules))


def _clauses(file: RuleFile, table: dict[str, Any], key: str) -> Iterator[str]:
    """The clause numbers of a list like ["2", "4-10"]."""
    listed = table.get(key.rpartition(".")[2], [])
    for item in listed if isinstance(listed, list) else [listed]:
        found = re.fullmatch(r"([0-9]+)-([0-9]+)|([0-9]+(?:\.[0-9]+)?)", item) if isinstance(item, str) else None
        if found is None:
            raise RuleError(file.path, key, f"{quoted(item)} is not a clause or a range of clauses, like '4-10'")
        yield from [found[3]] if found[3] else map(str, range(int(found[1]), int(found[2]) + 1))


Builder = Callable[[RuleFile, dict[str, Any], str], Action]
ACTIONS: dict[str, tuple[Builder, tuple[str, ...]]] = {
    "eliminate": (_eliminate, ("where", "because")),
    "set_aside": (_set_aside, ("where", "because")),
    "take_back": (_take_back, ("where",)),
    "keep": (_keep, ("highest", "lowest", "among", "per", "at_most", "ties", "because")),
    "choose": (_choose, ("where", "lowest", "because")),
    "derive": (_derive, ()),
    "fail_with": (_fail_with, ("reason", "call", "because")),
    "holds": (_holds, ("when", "because", "remedy")),
    "conclude": (_conclude, ("fact", "needs", "excused")),
}
"""The closed set of actions: how each is read, and the keys that it takes (any, where that is empty)."""
