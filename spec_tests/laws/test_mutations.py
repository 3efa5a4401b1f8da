"""A rule that is taken away or turned round is noticed by a case of its own case file."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqclause import RuleError
from mqclause.rulebook.reading import rules_folder
from spec_tests.support.case_file import Case
from spec_tests.support.cases import HERE, RULESETS, cases_of
from spec_tests.support.mutants import Table, mutants, replace_in, written

RULES = [path for name in RULESETS for path in sorted((rules_folder() / name).glob("*.toml"))]


@cache
def _cases(path: Path) -> tuple[Case, ...]:
    return tuple(cases_of(path))


def noticed(folder: Path, *paths: Path, may_not_load: bool = False) -> bool:
    """Whether a case of one of the rule files ``paths`` has another answer with the rules in ``folder``.

    That the rule itself does something else is not enough, but for a fact that nothing else shows. Rules that do
    not load are noticed, where they need not load.
    """
    subjects: dict[str, Any] = {}
    for path in paths:
        only_fact = "of" not in _table(path).get("derive", {"of": ""}) and path.parent.name != "trigger"
        for case in _cases(HERE / path.parent.name / path.name):
            key = f"{case.subject.__name__} {sorted(case.readings.items())}"
            try:
                if key not in subjects:
                    subjects[key] = case.subject(case.readings, rules=folder)
            except RuleError:
                if may_not_load:
                    return True
                raise
            if _differs(case, subjects[key], only_fact):
                return True
    return False


def _differs(case: Case, subject: Any, only_fact: bool) -> bool:
    try:
        answer = case.answer(subject)
        return bool(case.unexpected(answer)) or (only_fact and case.acted(answer) != case.acts)
    except (LookupError, TypeError):
        return True  # a call that ends with neither a destination nor a reason code, or without a derived fact


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
            replace_in(table, "is", "({}) + 1" if table["is"].startswith("COUNT_IF") else "NOT ({})")
        yield mutant


@pytest.mark.parametrize(("ruleset", "term"), TERMS)
def test_a_term_turned_round_is_noticed(ruleset: str, term: str, copied: Path) -> None:
    for mutant in _turned_terms(ruleset, term):
        (copied / "terms.toml").write_text(written(mutant), encoding="utf-8")
        assert noticed(copied, *(path for path in RULES if path.parent.name == ruleset))
