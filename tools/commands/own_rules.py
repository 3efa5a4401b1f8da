"""The option ``--rules FOLDER``: rule files of one's own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mqclause.documents import DOCUMENTS
from mqclause.model.diagnostics import Diagnostic, FactsError, quote_value, suggest_allowed
from mqclause.model.readers.facts_files import parse_toml
from mqclause.model.readers.formats import LONGEST_PATH
from mqclause.rulebook.loader import Interpretation, check_keys
from mqclause.rulebook.rule import Declaration, RuleError
from mqclause.rulebook.rules import CLAUSE_FILE_KEYS, CLAUSE_KEYS, LARGEST_FILE, Rules

MOST_WAYS = 1_000
"""In so many ways may the documents of a folder be read: by editions, and by choices of readings."""


def load_own_rules(folder: str, readings: Mapping[str, str], edition: str | None) -> Rules:
    """Load the rules of a folder. Raises FactsError for what is wrong in any of its files, and ReadingError.

    All is read, also what counts in another edition or by another reading alone.
    """
    in_force = Interpretation((), {})
    try:
        found = Rules(folder=folder)
        _check_folders(found)
        for known in _stated_editions(found):
            rules = found.in_edition(known) if known else found
            for chosen, about in _ways(rules):
                read = rules.under(chosen) if chosen else rules
                in_force = read.in_force
                read.ruleset(about)
    except RuleError as error:
        faults = (_diagnostic(folder, each, in_force) for each in (error, *error.others))
        raise FactsError(dict.fromkeys(faults)) from None
    return (found.in_edition(edition) if edition else found).under(readings)


def build_rules_fault(folder: str, error: RuleError | ValueError) -> FactsError:
    """Build the error that names each fault of a rule folder with its place there."""
    if isinstance(error, RuleError):
        return FactsError([_diagnostic(folder, each, Interpretation((), {})) for each in (error, *error.others)])
    return FactsError([Diagnostic(folder, str(error))])


def _check_folders(rules: Rules) -> None:
    """Raises RuleError for a folder, terms or a reading of a document that nobody asks: one that has no clauses."""
    known = [*DOCUMENTS, *(name for name in rules.clauses if name not in DOCUMENTS)]
    for path in rules.files:
        name, slash, _ = path.partition("/")
        if slash and name not in (*known, "documents"):
            raise RuleError(path, "", f"{name}/ is not the folder of a document{suggest_allowed(name, known)}")
        if name == "documents":
            _check_sentences(path, rules.toml(path))
    for name in rules.toml("terms.toml"):
        if name not in known:
            raise RuleError("terms.toml", name, f"is not the folder of a document{suggest_allowed(name, known)}")
    for reading in rules.known_readings.values():
        for clause in reading.clauses:
            if (name := clause.partition("/")[0]) not in known:
                said = f"{quote_value(clause)} is not a clause of a document{suggest_allowed(name, known)}"
                raise RuleError("readings.toml", f"{reading.id}.clauses", said)


def _check_sentences(path: str, table: Mapping[str, Any]) -> None:
    """Raises RuleError for a key of a file of documents/ that nobody reads."""
    for key in table:
        if key not in CLAUSE_FILE_KEYS:
            raise RuleError(path, key, f"is not known{suggest_allowed(key, CLAUSE_FILE_KEYS)}")
        if not isinstance(table[key], CLAUSE_FILE_KEYS[key]):
            raise RuleError(path, key, f"{quote_value(table[key])} is not text")
    for place, each in enumerate(table.get("clause", ()), 1):
        check_keys(path, f"clause {place}", each, CLAUSE_KEYS)


def _stated_editions(rules: Rules) -> list[str]:
    """The first edition, and each for which a file states anything: all others are read as the one before them.

    Raises RuleError where editions and readings make too many ways to read the documents.
    """
    stated = rules.stated_editions
    editions = [each for each in rules.known_editions if each == rules.known_editions[0] or each in stated]
    ways = len(editions) * sum(1 for _ in _ways(rules))
    if ways > MOST_WAYS:
        said = f"with editions.toml there are {ways} ways to read the rules; allowed: {MOST_WAYS}"
        raise RuleError("readings.toml", "", said)
    return editions


def _ways(rules: Rules) -> Iterator[tuple[Mapping[str, str], Declaration]]:
    """Each document, by each choice of a reading that concerns it."""
    for about in DOCUMENTS.values():
        yield {}, about
        for reading in rules.known_readings.values():
            for choice in reading.choices[1:] if any(reading.concerns(each.name) for each in about.course) else ():
                yield {reading.id: choice}, about


def _keys(key: str) -> list[str | int]:
    """The path of a key that is written like ``reading.'id=choice'.when``, or ``notices 1.where`` in a list."""
    found: list[str | int] = []
    for in_quotes, name, place in KEY_PART.findall(key):
        found += [in_quotes or name, *([int(place) - 1] if place else [])]
    return found


KEY_PART = re.compile(r"'([^']*)'|([^.' ]+)(?: ([0-9]+))?")


def _diagnostic(folder: str, error: RuleError, in_force: Interpretation) -> Diagnostic:
    """What is wrong, with the place of its key, where what is in force states it first."""
    path, said = Path(folder, error.path), f"{error.key}: {error.message}".removeprefix(": ")
    if not os.path.isfile(path) or path.stat().st_size > LARGEST_FILE:
        return Diagnostic(str(path) if error.path else "--rules", said)
    document = parse_toml(path.read_text(encoding="utf-8", errors="replace"), str(path))
    if document.diagnostics:
        return document.diagnostics[0]
    keys, find = _keys(error.key), document.places
    stated = [("reading", f"{name}={choice}") for name, choice in in_force.readings.items()]
    stated += [("edition", name) for name in reversed(in_force.editions)]
    places = [*(find.place_of(*(*each, *keys)[:LONGEST_PATH]) for each in stated), find.find_nearest(*keys)]
    return Diagnostic(str(path), said, *next((each for each in places if each[0] is not None), places[-1]))
