"""Clause to rule to case, and back: nothing is left out on either side.

With MQCLAUSE_DOCUMENTS naming a folder of the source documents, the clauses are also compared with their words.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from mqclause.rulebook.reading import known_readings, rules_folder
from spec_tests.support.cases import HERE

Table = dict[str, Any]

RULES = rules_folder()
DOCUMENTS = sorted((RULES / "documents").glob("*.toml"))
CLAUSE_KEYS = {"path", "number", "says", "fingerprint", "rules", "not_a_rule"}
OWN_WORDS = 8
"""So many words in a row in common with the source are a copy."""

CLAUSE_NUMBERS = re.compile(r"^(?:(?:\d+[a-z]?|[a-z])\.\s+)+")
"""What stands before a sentence that a document numbers, once or (as in ``12. 1. a.``) at several levels."""


@cache
def tables(path: Path) -> Table:
    """The TOML file at ``path``."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def clauses(ruleset: str) -> list[Table]:
    """Every clause of the documents that a ruleset states."""
    return [clause for path in DOCUMENTS if tables(path)["document"] == ruleset for clause in tables(path)["clause"]]


def rule_files(ruleset: str) -> dict[str, Path]:
    """The rule files of a ruleset by rule id."""
    return {f"{ruleset}.{path.stem.partition('_')[0]}": path for path in sorted((RULES / ruleset).glob("*.toml"))}


RULESETS = sorted({tables(path)["document"] for path in DOCUMENTS})


def unmet(ruleset: str) -> Iterator[str]:
    """What is missing between the clauses of a document, its rules, and their cases."""
    known, rules = clauses(ruleset), rule_files(ruleset)
    for clause in known:
        yield from _unmet_clause(clause, rules, ruleset)
    stated = {rule for clause in known for rule in clause.get("rules", [])}
    for rule, path in rules.items():
        if rule not in stated:
            yield f"{rule}: no clause of {ruleset} is stated by it"
        yield from _unmet_cases(rule, HERE / ruleset / path.name)
    for path in sorted((HERE / ruleset).glob("*.toml")):
        if not (RULES / ruleset / path.name).exists():
            yield f"spec_tests/{ruleset}/{path.name}: there is no rule file of that name"
    yield from _repeated(f"clause {ruleset}", (clause.get("path") for clause in known))
    yield from _repeated("rule file", (path.stem.partition("_")[0] for path in rules.values()))


def _unmet_clause(clause: Table, rules: dict[str, Path], ruleset: str) -> Iterator[str]:
    place = f"clause {ruleset} {clause.get('path')}"
    if ("rules" in clause) == ("not_a_rule" in clause):
        yield f"{place}: has rules or a reason why it is none, one of them"
    if not clause.get("says") or clause.get("rules") == [] or clause.get("not_a_rule") == "":
        yield f"{place}: says, rules and not_a_rule are not empty"
    if clause.keys() - CLAUSE_KEYS:
        yield f"{place}: unknown key {', '.join(sorted(clause.keys() - CLAUSE_KEYS))}"
    if not f"{clause.get('path')}.".startswith(f"{clause.get('number')}."):
        yield f"{place}: its number is {clause.get('number')}"
    for rule in clause.get("rules", []):
        if rule not in rules:
            yield f"{place}: there is no rule {rule}"
        elif tables(rules[rule])["clause"] != f"{ruleset}/{clause.get('number')}":
            yield f"{place}: {rule} says that it states {tables(rules[rule])['clause']}"


def _unmet_cases(rule: str, path: Path) -> Iterator[str]:
    if not path.exists():
        yield f"{rule}: has no case file {path.parent.name}/{path.name}"
        return
    acts = [case.get("acts") for case in tables(path).get("case", [])]
    if True not in acts:
        yield f"{rule}: has no case where it acts"
    if False not in acts:
        yield f"{rule}: has no case where it does not act"


def _repeated(what: str, names: Iterable[Any]) -> Iterator[str]:
    for name, times in Counter(names).items():
        if times > 1:
            yield f"{what} {name}: given {times} times"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_clauses_rules_and_cases_belong_together(ruleset: str) -> None:
    found = list(unmet(ruleset))
    assert not found, "\n".join(["unmet:", *found])


def test_what_is_unmet_is_told_all_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "000_spoilt.toml"
    path.write_text(
        'document = "workload"\n[[clause]]\npath = "1.1"\nnumber = "2"\nsays = "x"\nrules = ["workload.99"]\n'
    )
    monkeypatch.setitem(globals(), "DOCUMENTS", [path])
    found = list(unmet("workload"))
    assert "clause workload 1.1: its number is 2" in found
    assert "clause workload 1.1: there is no rule workload.99" in found
    assert "workload.04a: no clause of workload is stated by it" in found


def test_every_ruleset_has_a_document() -> None:
    folders = {path.parent.name for path in RULES.glob("*/*.toml")} - {"documents"}
    assert folders == set(RULESETS)


def test_readings_are_of_clauses_that_exist() -> None:
    numbers = {f"{ruleset}/{clause['number']}" for ruleset in RULESETS for clause in clauses(ruleset)}
    concerned = {clause for reading in known_readings(RULES).values() for clause in reading.clauses}
    assert [clause for clause in concerned - numbers if clause.partition("/")[0] in RULESETS] == []


def test_readings_are_used_and_tested() -> None:
    files = [path for path in (*RULES.glob("*/*.toml"), RULES / "terms.toml") if path.parent.name != "documents"]
    used = " ".join(path.read_text(encoding="utf-8") for path in files)
    tried = {
        (name, choice)
        for path in HERE.glob("*/*.toml")
        for case in tables(path).get("case", [])
        for name, choice in case.get("readings", {}).items()
    }
    for reading in known_readings(RULES).values():
        stated = {clause.partition("/")[0] for clause in reading.clauses} & set(RULESETS)
        for choice in reading.choices[1:] if stated else ():
            assert f"{reading.id}={choice}" in used, f"no rule or term depends on {reading.id}={choice}"
            assert (reading.id, choice) in tried, f"no case tries {reading.id}={choice}"


def fingerprint(sentence: str) -> str:
    """What recognises a sentence, however its white space is set."""
    return hashlib.sha256(" ".join(sentence.split()).encode()).hexdigest()[:12]


def sentences(text: str) -> Iterator[str]:
    """The sentences of a document without clause numbers; lines with bullets in a row count as one sentence."""
    bullets: list[str] = []
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith("•"):
            bullets.append(line)
            continue
        if bullets:
            yield " ".join(bullets)
            bullets = []
        line = CLAUSE_NUMBERS.sub("", line)
        if line:
            yield from re.split(r"(?<=[^0-9][.:])\s+(?=[A-Z])", line)


def source_of(path: Path) -> str:
    """The text of the source document of ``path``; skips the test where it is not at hand."""
    folder = os.environ.get("MQCLAUSE_DOCUMENTS")
    if not folder:
        pytest.skip("MQCLAUSE_DOCUMENTS names no folder of source documents")
    found = list(Path(folder).glob(f"{path.name.partition('_')[0]}_*"))
    assert len(found) == 1, f"{len(found)} source documents for {path.name}"
    return found[0].read_text(encoding="utf-8")


WITH_SOURCE = [path for path in DOCUMENTS if path.name[:3].isdigit()]


@pytest.mark.parametrize("path", WITH_SOURCE, ids=lambda path: path.stem)
def test_fingerprints_are_found_in_the_source(path: Path) -> None:
    prints = {fingerprint(sentence): sentence for sentence in sentences(source_of(path))}
    stated = {clause["fingerprint"]: clause["path"] for clause in tables(path)["clause"]}
    assert [place for found, place in stated.items() if found not in prints] == []
    assert [sentence for found, sentence in prints.items() if found not in stated] == []


@pytest.mark.parametrize("path", WITH_SOURCE, ids=lambda path: path.stem)
def test_sentences_are_in_the_order_of_the_source(path: Path) -> None:
    order = [fingerprint(sentence) for sentence in sentences(source_of(path))]
    places = [clause["fingerprint"] for clause in tables(path)["clause"]]
    assert [each for each, _ in groupby(places)] == order, "a sentence is left out, or at another place"


def runs(text: str) -> set[tuple[str, ...]]:
    """Every run of OWN_WORDS words."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[at : at + OWN_WORDS]) for at in range(len(words) - OWN_WORDS + 1)}


def own_texts(value: Any) -> Iterator[str]:
    """Every text in a rule file or a document of clauses."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from own_texts(part)


@pytest.mark.parametrize("path", WITH_SOURCE, ids=lambda path: path.stem)
def test_the_words_are_our_own(path: Path) -> None:
    source = runs(source_of(path))
    folder = RULES / tables(path)["document"]
    files = [path, RULES / "readings.toml", RULES / "terms.toml", *folder.glob("*.toml")]
    copied = [text for file in files for text in own_texts(tables(file)) if runs(text) & source]
    assert copied == []
