"""What a built package keeps of its rule files is what is read of them; an edited file is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from sqlglot import exp, parse_one

import mqclause
from mqclause.language import nodes
from mqclause.language.nodes import find_column
from mqclause.language.parser import parse_condition, parse_unchecked
from mqclause.language.prebuilt import build_prebuilt, build_tree
from mqclause.language.syntax import read_order
from mqclause.rulebook.rules import Rules
from spec_tests.support.product import ROOT

KEPT = "language/prebuilt.json"
RULE = "mqclause/rules/workload/04a_channel_rank.toml"
BY_RANK = "goes to     ORDERS.IN at QM2 by TO.QM2\n"
BY_PRIORITY = "goes to     ORDERS.IN at QM3 by TO.QM3\n"


def strip_outer(tree: exp.Expr) -> exp.Expr:
    return strip_outer(tree.this) if isinstance(tree, exp.Paren) else tree


def test_trees_that_are_kept_are_those_that_are_parsed() -> None:
    rules = Rules()
    tables = {text: rules.toml(path) for path, text in rules.files.items()}
    kept = json.loads(json.dumps(build_prebuilt(tables, parse_condition, read_order)))
    assert [*kept["tables"].values()] == [*tables.values()]
    found = {text: build_tree(form) for text, form in kept["trees"].items()}
    parsed = {text: parse_unchecked(text) for text in found}
    assert found == parsed
    assert [*map(find_column, found.values())] == [*map(find_column, parsed.values())]
    assert [each.sql() for each in found.values()] == [
        strip_outer(parse_one(text, into=exp.Condition)).sql() for text in found
    ]
    assert [parse_unchecked(each.sql()) for each in found.values()] == [*found.values()]
    orders = {text: build_tree(form) for text, form in kept["orders"].items()}
    assert orders
    assert {text: (tree, True) for text, tree in orders.items()} == {text: read_order(text) for text in orders}
    kinds = {type(node) for tree in found.values() for node in tree.walk()}
    assert kinds >= {
        nodes.Case,
        nodes.In,
        nodes.CountIf,
        nodes.ArrayContains,
        nodes.Floor,
        nodes.Not,
        nodes.Literal,
        nodes.Boolean,
    }


def run(package: Path, *arguments: str) -> str:
    """What Python prints with the package that is built there."""
    env = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, *arguments], env=env, cwd=ROOT, capture_output=True, text=True)
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
    asked = ("-m", "mqclause.tools.cli", "explain", "tools/examples/orders.toml")
    assert BY_RANK in run(package, *asked)
    no_parser = "import sys, mqclause; mqclause.Engine(); mqclause.Retrieval(); print('sqlglot' in sys.modules)"
    assert run(package, "-c", no_parser) == "False\n"
    rule = package / RULE
    rule.write_text(rule.read_text().replace('highest = "', 'lowest = "').replace("below {highest}", "above {lowest}"))
    assert BY_PRIORITY in run(package, *asked)
