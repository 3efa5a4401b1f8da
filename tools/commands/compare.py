"""``mqclause compare``: what two sets of rules say otherwise, and where they answer otherwise."""

from __future__ import annotations

import click

from mqclause.audit.comparison import compare_rules
from mqclause.documents import DOCUMENTS
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.declared import FOLDER
from mqclause.tools.commands.options import parse_readings
from mqclause.tools.commands.own_rules import load_own_rules
from mqclause.tools.render.audit import print_comparison
from mqclause.tools.render.streams import print_json


def print_compared(
    folders: tuple[str, ...],
    readings: tuple[str, ...],
    editions: tuple[str, ...],
    documents: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print what differs, and return the exit status. Raises FactsError, ReadingError and UsageError."""
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
