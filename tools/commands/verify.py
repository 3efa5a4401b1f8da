"""``mqclause verify``: whether a reader's copies of the documents say what the rules were written from."""

from __future__ import annotations

import click

from mqclause.audit.verification import FORMAT, count_other_sources, verify_copies
from mqclause.tools.commands.options import load_rules, read_inputs
from mqclause.tools.render.audit import print_verification
from mqclause.tools.render.streams import print_json


def print_verified(copies: tuple[str, ...], as_json: bool) -> int:
    """Print what became of each sentence, and return the exit status. Raises FactsError and UsageError."""
    if not copies:
        raise click.UsageError("name at least one copy of a document; see --help")
    rules = load_rules(())
    found = verify_copies(rules, read_inputs(copies))
    others = count_other_sources(rules)
    if as_json:
        print_json({"format": FORMAT, "copies": [each.to_json() for each in found], "others": others.to_json()})
    else:
        print_verification(found, others)
    return int(not all(each.is_alike for each in found))
