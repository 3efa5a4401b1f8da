"""``mqclause verify``: whether a reader's copies of the documents say what the rules were written from."""

from __future__ import annotations

import click

from mqclause.audit.verification import FORMAT, count_other_sources, verify_copies
from mqclause.tools.commands.options import (
    add_folder_option,
    json_option,
    load_rules,
    parse_file_name,
    read_inputs,
)
from mqclause.tools.render.audit import print_verification
from mqclause.tools.render.streams import print_json


@click.command("verify")
@click.argument("copies", nargs=-1, type=parse_file_name, metavar="DOCUMENT...")
@json_option
@add_folder_option
def command(copies: tuple[str, ...], as_json: bool) -> int:
    """Verify copies of the documents: which sentences stand there as the rules have them.

    DOCUMENT is the text of a document, a paragraph a line. It is known by its sentences, whatever its name is. Exit
    status: 0 every sentence stands there and no other, 1 one differs, is missing, moved or new, 2 bad input.
    """
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
