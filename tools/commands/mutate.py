"""``mqclause mutate``: whether the cases of rules notice each change of a rule."""

from __future__ import annotations

from pathlib import Path

from mqclause.audit.case_run import count_processors, find_case_files
from mqclause.audit.mutation import MutantResult, try_mutants
from mqclause.tools.commands.options import load_rules
from mqclause.tools.render.audit import print_mutants
from mqclause.tools.render.streams import print_json
from mqclause.tools.render.terminal import show_progress

FORMAT = "mqclause.mutants/1"


def mutate_rules(names: tuple[str, ...], every: bool, as_json: bool, cases: str | None) -> int:
    """Print which changes no case notices, and return the exit status. Raises CaseError and ReadingError."""
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
