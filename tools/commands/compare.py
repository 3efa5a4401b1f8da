"""``mqclause compare``: what two sets of rules say otherwise, and where they answer otherwise."""

from __future__ import annotations

import click

from mqclause.audit.comparison import compare_rules
from mqclause.documents import DOCUMENTS
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import (
    json_option,
    parse_file_name,
    parse_readings,
    reading_option,
)
from mqclause.tools.commands.own_rules import FOLDER, load_own_rules
from mqclause.tools.render.audit import print_comparison
from mqclause.tools.render.streams import print_json


@click.command("compare")
@click.argument("folders", nargs=-1, type=parse_file_name, metavar="[A [B]]")
@reading_option
@click.option("--edition", "editions", multiple=True, metavar="NAME", help="The edition of B; given twice, of A and B.")
@click.option("--document", "documents", multiple=True, metavar="RULESET", help="Compare the rules of this one alone.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    folders: tuple[str, ...],
    readings: tuple[str, ...],
    editions: tuple[str, ...],
    documents: tuple[str, ...],
    as_json: bool,
) -> int:
    """Compare two sets of rules: what files say otherwise, and the plainest facts that tell them apart.

    A and B are folders of rules. Where B is left out, it is A as --reading and --edition have it; where both are, A is
    what comes with mqclause. Exit status: 0 nothing differs, 1 something does, 2 bad input.
    """
    for each in documents:
        if each not in DOCUMENTS:
            raise click.UsageError(f"--document: {quote_value(each)} is none{suggest_allowed(each, DOCUMENTS)}")
    before, after = _sides(context, folders, readings, editions)
    found = compare_rules(before, after, documents)
    if as_json:
        print_json(found.to_json())
    else:
        print_comparison(found)
    return int(bool(found.text or found.documents))


def _sides(
    context: click.Context, folders: tuple[str, ...], readings: tuple[str, ...], editions: tuple[str, ...]
) -> tuple[Rules, Rules]:
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
            context.meta[FOLDER] = name
            sides.append(load_own_rules(name, chosen, edition))
    return sides[0], sides[1]
