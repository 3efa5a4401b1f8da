"""``mqclause compare``: what differs between two sets of rules, or between two configurations."""

from __future__ import annotations

from pathlib import Path

import click

from mqclause.audit.comparison import FORMAT, compare_rules
from mqclause.audit.configurations import FactDifference, compare_configurations
from mqclause.cluster.map import UNBOUND
from mqclause.cluster.plan import ChangePlan
from mqclause.documents import DOCUMENTS
from mqclause.model.configuration.members import Members
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.render.audit import print_comparison, print_fact_differences
from mqclause.render.cluster import print_plan
from mqclause.rulebook.rules import SHARED_FILES, Rules
from mqclause.tools.commands.declared import FOLDER
from mqclause.tools.commands.options import Inputs, load_own_rules, parse_readings
from mqclause.tools.commands.plan import MemberChange, plan_files
from mqclause.tools.streams import print_json


def print_compared(
    folders: tuple[str, ...],
    readings: tuple[str, ...],
    editions: tuple[str, ...],
    documents: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print what differs, and return the exit status. Raises FactsError, ReadingError and UsageError."""
    of_rules = [each for each in folders if holds_rules(each)]
    if len(folders) == 2 and len(of_rules) == 1:
        (other,) = {*folders} - {*of_rules}
        said = f"{of_rules[0]} has rules and {other} has none; two of a kind are compared, rules or configurations"
        raise click.UsageError(said)
    if len(folders) == 2 and not of_rules:
        if documents or len(editions) > 1:
            raise click.UsageError("two configurations are compared by one edition, and by all rules")
        return _print_configurations(*folders, readings, next(iter(editions), None), as_json)
    for each in documents:
        if each not in DOCUMENTS:
            raise click.UsageError(f"--document: {quote_value(each)} is none{suggest_allowed(each, DOCUMENTS)}")
    before, after = _sides(folders, readings, editions)
    found = compare_rules(before, after, documents)
    if as_json:
        print_json(found.to_json())
    else:
        print_comparison(found)
    return int(bool(found.text or found.documents))


def holds_rules(name: str) -> bool:
    """Return whether a folder is one of rules: it has the folder of a document, or a file of all of them."""
    return any((Path(name) / each).exists() for each in (*DOCUMENTS, *SHARED_FILES))


def _print_configurations(
    before: str, after: str, readings: tuple[str, ...], edition: str | None, as_json: bool
) -> int:
    """Print what two configurations state otherwise, then the plan by which one becomes the other.

    Raises FactsError and ReadingError.
    """
    inputs, change = Inputs((before,), readings=readings, edition=edition), MemberChange(then=(after,))
    differences: tuple[FactDifference, ...] = ()

    def show(found: ChangePlan, _: Rules, one: Members, other: Members) -> None:
        nonlocal differences
        differences = compare_configurations(one, other)
        if as_json:
            text = [each.to_json() for each in differences]
            print_json({"format": FORMAT, "text": text, "documents": [], "plan": found.to_json()})
            return
        print_fact_differences(differences)
        print_plan(found)

    found = plan_files(inputs, change, None, UNBOUND, None, show)
    return int(bool(differences) or found.changes_something)


def _sides(folders: tuple[str, ...], readings: tuple[str, ...], editions: tuple[str, ...]) -> tuple[Rules, Rules]:
    """Both sets of rules. Raises UsageError, FactsError and ReadingError."""
    if len(folders) > 2 or len(editions) > 2:
        raise click.UsageError("two sets of rules are compared; allowed: A, B, and --edition once or twice")
    if len(folders) < 2 and not readings and not editions:
        raise click.UsageError("name two folders of rules, or --reading, or --edition; see --help")
    given = parse_readings(readings)
    names: tuple[str | None, ...] = (*folders, *([folders[-1]] if len(folders) == 1 else [None, None]))[:2]
    both = len(folders) == 2
    of = (editions[0] if len(editions) == 2 or (both and editions) else None, editions[-1] if editions else None)
    sides = []
    for at, name in enumerate(names):
        chosen, edition = (given if at or both else {}), of[at]
        if name is None:
            sides.append(Rules(chosen, edition))
        else:
            click.get_current_context().meta[FOLDER] = name
            sides.append(load_own_rules(name, chosen, edition))
    return sides[0], sides[1]
