"""Rules turned round: every way in which a rule file can say something else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from mqclause.model.facts.constants import REASONS

Table = dict[str, Any]
Mutant = tuple[str, Table]
"""What was done to the rule, and the rule file's tables then."""

ACTIONS = ("eliminate", "set_aside", "take_back", "choose", "keep", "derive", "fail_with", "holds", "conclude")
TEXTS = ("trigger_data", "appl_type", "appl_id", "env_data", "user_data")
COUNTS = ("counted_before", "counted", "priority", "pieces")
"""What rules derive that is a text or a number; the rest is true or false."""


def mutants(rule: Table) -> Iterator[Mutant]:
    """Every way in which the rule, or what it says under a reading, is turned round."""
    for name, _ in _changes(rule):
        yield name, _changed(rule, (), name)
    for reading, table in rule.get("reading", {}).items():
        for name, _ in _changes(table):
            yield f"{reading}: {name}", _changed(rule, ("reading", reading), name)


def _changed(rule: Table, path: tuple[str, ...], name: str) -> Table:
    mutant = deepcopy(rule)
    table = mutant
    for key in path:
        table = table[key]
    dict(_changes(table))[name](table)
    return mutant


def _changes(table: Table) -> Iterator[tuple[str, Callable[[Table], None]]]:
    """The names of the changes that ``table`` allows, with what makes them."""
    if "when" in table:
        yield "when negated", lambda given: replace_in(given, "when", "NOT ({})")
    for action in ACTIONS:
        for key in table.get(action, {}):
            change = CHANGES.get((action, key)) or CHANGES.get(key)
            if action == "derive" and key != "of":
                change = _derived
            if change:
                yield f"{action}.{key} changed", lambda given, a=action, k=key, c=change: c(given[a], k)

    for at, (_, items) in enumerate(_needs(table)):
        yield f"conclude.needs changed to {items}", lambda given, n=at: _need(given, n)


def replace_in(table: Table, key: str, pattern: str) -> None:
    """Puts what stands under ``key`` into ``pattern``."""
    table[key] = pattern.format(table[key])


def _negated(action: Table, key: str) -> None:
    replace_in(action, key, "NOT ({})")


def _turned(action: Table, key: str) -> None:
    other = {"highest": "lowest", "lowest": "highest"}[key]
    action[other] = action.pop(key)
    action["because"] = action["because"].replace(f"{{{key}}}", f"{{{other}}}")


def _reversed(action: Table, key: str) -> None:
    action[key] = [f"0 - ({item})" for item in action[key]]


def _dropped(action: Table, key: str) -> None:
    del action[key]


def _raised(action: Table, key: str) -> None:
    replace_in(action, key, "({}) + 1")


def _other_ties(action: Table, key: str) -> None:
    action[key] = {"all": "first-listed", "first-listed": "all"}[action[key]]


def _other_reason(action: Table, key: str) -> None:
    action[key] = next(reason for reason in REASONS if reason != action[key])


def _other_call(action: Table, key: str) -> None:
    replace_in(action, key, "CASE WHEN ({}) = 'MQOPEN' THEN 'MQPUT' ELSE 'MQOPEN' END")


def _derived(action: Table, key: str) -> None:
    if key in TEXTS:
        action[key] = "'something else'"
        return
    counts = action.get("of") in ("chosen", "every") or key in COUNTS
    replace_in(action, key, "({}) + 1" if counts else "NOT ({})")


def _needs(table: Table) -> Iterator[tuple[int, list[str]]]:
    """Other lists of needed clauses: each item left out, its ends left out, or one clause more before it.

    Clauses 1 to 3 are about arrivals alone; to need one of them for another event changes nothing.
    """
    needs = table.get("conclude", {}).get("needs", [])
    for place, item in enumerate(needs):
        first, dash, last = item.partition("-")
        others = [[f"{int(first) + 1}-{last}"], [f"{first}-{int(last) - 1}"]] if dash else []
        if dash and int(first) > 4:
            others.append([f"{int(first) - 1}-{last}"])
        if len(needs) > 1 or not others:
            others.append([])
        yield from ((place, [*needs[:place], *other, *needs[place + 1 :]]) for other in others)


def _need(table: Table, at: int) -> None:
    table["conclude"]["needs"] = list(_needs(table))[at][1]


CHANGES: Mapping[str | tuple[str, str], Callable[[Table, str], None]] = {
    "where": _negated,
    "among": _negated,
    ("keep", "highest"): _turned,
    ("keep", "lowest"): _turned,
    ("choose", "lowest"): _reversed,
    "per": _dropped,
    ("holds", "when"): _negated,
    ("conclude", "excused"): _dropped,
    "at_most": _raised,
    "ties": _other_ties,
    "reason": _other_reason,
    "call": _other_call,
}
"""How each key of an action is changed; keys that are not here say nothing that decides."""


def written(table: Table, prefix: str = "") -> str:
    """``table`` as TOML: texts, lists of texts and tables."""
    lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            name = f"{prefix}{json.dumps(key)}"
            lines += [f"[{name}]", written(value, f"{name}.")]
    return "\n".join(lines)
