"""A rule that is taken away or turned round is noticed by a case of its own case file."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import HERE, RULESETS, Case, acted, cases_of

from mqclause import Engine, RuleError
from mqclause.model.constants import REASONS
from mqclause.reading import rules_folder

Table = dict[str, Any]
Mutant = tuple[str, Table]
"""What was done to the rule, and the rule file's tables then."""

RULES = [path for name in RULESETS for path in sorted((rules_folder() / name).glob("*.toml"))]


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
        yield "when negated", lambda given: _replace(given, "when", "NOT ({})")
    for action in ("eliminate", "set_aside", "take_back", "choose", "keep", "derive", "fail_with"):
        for key in table.get(action, {}):
            change = CHANGES.get((action, key)) or CHANGES.get(key)
            if action == "derive" and key != "of":
                change = _derived
            if change:
                yield f"{action}.{key} changed", lambda given, a=action, k=key, c=change: c(given[a], k)


def _replace(table: Table, key: str, pattern: str) -> None:
    table[key] = pattern.format(table[key])


def _negated(action: Table, key: str) -> None:
    _replace(action, key, "NOT ({})")


def _turned(action: Table, key: str) -> None:
    other = {"highest": "lowest", "lowest": "highest"}[key]
    action[other] = action.pop(key)
    action["because"] = action["because"].replace(f"{{{key}}}", f"{{{other}}}")


def _reversed(action: Table, key: str) -> None:
    action[key] = [f"0 - ({item})" for item in action[key]]


def _dropped(action: Table, key: str) -> None:
    del action[key]


def _raised(action: Table, key: str) -> None:
    _replace(action, key, "({}) + 1")


def _other_ties(action: Table, key: str) -> None:
    action[key] = {"all": "first-listed", "first-listed": "all"}[action[key]]


def _other_reason(action: Table, key: str) -> None:
    action[key] = next(reason for reason in REASONS if reason != action[key])


def _other_call(action: Table, key: str) -> None:
    _replace(action, key, "CASE WHEN ({}) = 'MQOPEN' THEN 'MQPUT' ELSE 'MQOPEN' END")


def _derived(action: Table, key: str) -> None:
    _replace(action, key, "({}) + 1" if action.get("of") in ("chosen", "every") else "NOT ({})")


CHANGES: Mapping[str | tuple[str, str], Callable[[Table, str], None]] = {
    "where": _negated,
    "among": _negated,
    ("keep", "highest"): _turned,
    ("keep", "lowest"): _turned,
    ("choose", "lowest"): _reversed,
    "per": _dropped,
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


@cache
def _cases(path: Path) -> tuple[Case, ...]:
    return tuple(cases_of(path))


def noticed(folder: Path, *paths: Path, may_not_load: bool = False) -> bool:
    """Whether a case of one of the rule files ``paths`` has another answer with the rules in ``folder``.

    That the rule itself does something else is not enough, but for a fact that nothing else shows. Rules that do
    not load are noticed, where they need not load.
    """
    engines: dict[str, Engine] = {}
    for path in paths:
        only_fact = "of" not in _table(path).get("derive", {"of": ""})
        for case in _cases(HERE / path.parent.name / path.name):
            key = str(sorted(case.readings.items()))
            try:
                if key not in engines:
                    engines[key] = Engine(case.readings, rules=folder)
            except RuleError:
                if may_not_load:
                    return True
                raise
            if _differs(case, engines[key], only_fact):
                return True
    return False


def _differs(case: Case, engine: Engine, only_fact: bool) -> bool:
    try:
        decision = case.decision(engine)
        return bool(case.unexpected(decision)) or (only_fact and acted(decision, case.rule) != case.acts)
    except (LookupError, TypeError):
        return True  # a call that ends with neither a destination nor a reason code, or without its counters


@cache
def _table(path: Path) -> Table:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the rules that may be spoilt."""
    folder = tmp_path / "rules"
    for name in RULESETS:
        shutil.copytree(rules_folder() / name, folder / name)
    for name in ("terms.toml", "readings.toml"):
        shutil.copy(rules_folder() / name, folder / name)
    return folder


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", RULES, ids=_name)
def test_a_removed_rule_is_noticed(path: Path, copied: Path) -> None:
    (copied / path.parent.name / path.name).unlink()
    assert noticed(copied, path, may_not_load=True)


@pytest.mark.parametrize("path", RULES, ids=_name)
def test_a_rule_turned_round_is_noticed(path: Path, copied: Path) -> None:
    target = copied / path.parent.name / path.name
    unnoticed = []
    made = 0
    for name, mutant in mutants(_table(path)):
        target.write_text(written(mutant), encoding="utf-8")
        made += 1
        if not noticed(copied, path):
            unnoticed.append(name)
    assert made, "nothing in this rule can be turned round"
    assert not unnoticed


@pytest.mark.parametrize("path", RULES, ids=_name)
def test_a_rule_written_again_is_the_same_rule(path: Path) -> None:
    assert tomllib.loads(written(_table(path))) == _table(path)


@pytest.mark.parametrize("path", RULES, ids=_name)
def test_an_untouched_rule_passes_its_cases(path: Path, copied: Path) -> None:
    assert not noticed(copied, path)


TERMS = [(name, term) for name in RULESETS for term in _table(rules_folder() / "terms.toml")[name]]


def _turned_terms(ruleset: str, term: str) -> Iterator[Table]:
    """The tables of terms.toml with one term turned round, and with what it is under each reading turned round."""
    terms = _table(rules_folder() / "terms.toml")
    for reading in (None, *terms[ruleset][term].get("reading", {})):
        mutant = deepcopy(terms)
        table = mutant[ruleset][term] if reading is None else mutant[ruleset][term]["reading"][reading]
        if "CASE WHEN" in table["is"]:
            table["is"] = table["is"].replace("CASE WHEN ", "CASE WHEN NOT ")
        else:
            _replace(table, "is", "({}) + 1" if table["is"].startswith("COUNT_IF") else "NOT ({})")
        yield mutant


@pytest.mark.parametrize(("ruleset", "term"), TERMS)
def test_a_term_turned_round_is_noticed(ruleset: str, term: str, copied: Path) -> None:
    for mutant in _turned_terms(ruleset, term):
        (copied / "terms.toml").write_text(written(mutant), encoding="utf-8")
        assert noticed(copied, *RULES)
