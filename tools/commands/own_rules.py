"""``--rules FOLDER``: rule files of one's own in place of those that come with the project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from mqclause.documents import DOCUMENTS
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.facts_document import LONGEST_PATH
from mqclause.model.readers.toml_facts import parse_toml
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.reading import InForce
from mqclause.rulebook.rules import Rules

FOLDER = "mqclause.rules"
"""Under which name the context of a command keeps the folder."""


def keep_folder(context: click.Context, _parameter: click.Parameter, folder: str | None) -> None:
    """Keeps the folder for whoever makes the rules of the command."""
    context.meta[FOLDER] = folder


def own_rules(folder: str, readings: Mapping[str, str], edition: str | None) -> Rules:
    """The rules of a folder. Raises FactsError for what is wrong in any of its files, and ReadingError.

    All is read, also what counts in another edition or by another reading alone.
    """
    in_force = InForce((), {})
    try:
        for known in Rules(folder=folder).known_editions:
            for rules, about in _every_way(Rules(None, known or None, folder)):
                in_force = rules.in_force
                rules.ruleset(about)
    except RuleError as error:
        raise FactsError(_diagnostic(folder, each, in_force) for each in (error, *error.others)) from None
    return Rules(readings, edition, folder)


def _every_way(rules: Rules) -> Iterator[tuple[Rules, Declaration]]:
    """Each document, by each choice of a reading that concerns it."""
    for about in DOCUMENTS.values():
        yield rules, about
        for reading in rules.known_readings.values():
            for choice in reading.choices[1:] if any(reading.concerns(each.name) for each in about.course) else ():
                yield rules.under({reading.id: choice}), about


def _diagnostic(folder: str, error: RuleError, in_force: InForce) -> Diagnostic:
    """What is wrong, with the place of its key, where what is in force states it first."""
    path, said = Path(folder, error.path), f"{error.key}: {error.message}".removeprefix(": ")
    if not path.is_file():
        return Diagnostic(str(path) if error.path else "--rules", said)
    document = parse_toml(path.read_text(encoding="utf-8", errors="replace"), str(path))
    if document.diagnostics:
        return document.diagnostics[0]
    keys, find = [key.strip("'") for key in error.key.split(".")], document.places
    stated = [("reading", f"{name}={choice}") for name, choice in in_force.readings.items()]
    stated += [("edition", name) for name in reversed(in_force.editions)]
    places = [*(find.place_of(*(*each, *keys)[:LONGEST_PATH]) for each in stated), find.nearest(*keys)]
    return Diagnostic(str(path), said, *next((each for each in places if each[0] is not None), places[-1]))
