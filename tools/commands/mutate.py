"""``mqclause mutate``: whether the cases of rules notice each change of a rule."""

from __future__ import annotations

from pathlib import Path

import click

from mqclause.audit.case_run import count_processors, find_case_files
from mqclause.audit.mutation import MutantResult, try_mutants
from mqclause.tools.commands.options import add_folder_option, cases_option, json_option, load_rules
from mqclause.tools.render.audit import print_mutants
from mqclause.tools.render.streams import print_json
from mqclause.tools.render.terminal import show_progress

FORMAT = "mqclause.mutants/1"


@click.command("mutate")
@click.argument("names", nargs=-1, metavar="[RULE|RULESET]...")
@click.option("--all", "every", is_flag=True, help="Show each change with the cases that notice it, all of them.")
@json_option
@cases_option
@add_folder_option
def command(names: tuple[str, ...], every: bool, as_json: bool, cases: str | None) -> int:
    """Mutate rules, one change at a time, and show which cases notice each change.

    A rule is taken out, its conditions are negated, its lists lose a word, its numbers and its order change. Exit
    status: 0 a case notices each change, or the case file says that it is equivalent, 1 none notices one, 2 bad input.
    """
    rules = load_rules(())
    paths = find_case_files(names, Path(cases) if cases else None)
    found, done = list[MutantResult](), 0
    with show_progress(lambda: done / len(paths), "mutating"):
        for results in try_mutants(rules, paths, count_processors(), None if every else 1):
            found += results
            done += 1
    if as_json:
        print_json({"format": FORMAT, "mutants": [each.to_json() for each in found]})
    else:
        print_mutants(found, every)
    return int(any(each.is_unmet for each in found))
