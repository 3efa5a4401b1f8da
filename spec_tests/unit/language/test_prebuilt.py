"""What a built package keeps of its rule files is what is read of them; an edited file is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from sqlglot import exp

import mqclause
from mqclause.language.parser import find_column, parse_condition, parse_unchecked
from mqclause.language.prebuilt import build_prebuilt, build_tree
from mqclause.rulebook.rules import Rules
from spec_tests.support.product import ROOT

KEPT = "language/prebuilt.json"
RULE = "mqclause/rules/workload/04a_channel_rank.toml"
BY_RANK = "goes to     ORDERS.IN at QM2 by TO.QM2\n"
BY_PRIORITY = "goes to     ORDERS.IN at QM3 by TO.QM3\n"


def test_trees_that_are_kept_are_those_that_are_parsed() -> None:
    rules = Rules()
    tables = {text: rules.toml(path) for path, text in rules.files.items()}
    kept = json.loads(json.dumps(build_prebuilt(tables, parse_condition)))
    assert [*kept["tables"].values()] == [*tables.values()]
    found = {text: build_tree(form) for text, form in kept["trees"].items()}
    parsed = {text: parse_unchecked(text) for text in found}
    assert found == parsed
    assert [*map(find_column, found.values())] == [*map(find_column, parsed.values())]
    assert [each.sql() for each in found.values()] == [each.sql() for each in parsed.values()]
    kinds = {type(node) for tree in found.values() for node in tree.walk()}
    assert kinds >= {exp.Case, exp.In, exp.CountIf, exp.ArrayContains, exp.Floor, exp.Not, exp.Literal, exp.Boolean}


def run(code: str, package: Path) -> str:
    """What Python prints with the package that is built there."""
    env = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, *code.split(" ")], env=env, cwd=ROOT, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout


def test_an_edited_rule_of_a_built_package_counts(tmp_path: Path) -> None:
    """QM3 has a channel of rank 3 and QM2 one of rank 7."""
    package, installed = tmp_path / "lib", Path(mqclause.__path__[0])
    if (installed / KEPT).exists():
        shutil.copytree(installed, package / "mqclause")
    else:
        build = [sys.executable, "setup.py", "-q", "build", "-b", str(tmp_path)]
        subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    assert (package / "mqclause" / KEPT).exists()
    asked = "-m mqclause.tools.cli explain tools/examples/orders.toml"
    assert BY_RANK in run(asked, package)
    rule = package / RULE
    rule.write_text(rule.read_text().replace('highest = "', 'lowest = "').replace("below {highest}", "above {lowest}"))
    assert BY_PRIORITY in run(asked, package)
