"""The READMEs show what the program prints."""

from __future__ import annotations

import re
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

from mqclause import plan, read_members
from mqclause.answers.check.findings import FindingChanges
from mqclause.answers.cluster.planned import Planned
from mqclause.documents import DOCUMENTS
from mqclause.duckdb import traffic
from mqclause.model.assembly.members import changed_everywhere
from mqclause.tools.render.overview import print_plan
from mqclause.tools.render.page import Page
from spec_tests.support.explain_command import run

ROOT = Path(__file__).parents[2]
TRAFFIC = files("mqclause.tools") / "examples" / "sales" / "traffic.csv"


def readmes() -> str:
    """What the project, its command line and its library say of themselves."""
    return "".join((ROOT / folder / "README.md").read_text() for folder in ("", "tools", "engine"))


SHOWN = [
    ("explain", "orders.toml"),
    ("explain", "--put", "ORDERS.IN", "--why-not", "QM3", "QM1.log"),
    ("why", "ORDERS.IN", "QM2.mqsc"),
    ("replay", "orders_trigger.toml"),
    ("order", "figure_11.toml"),
    ("map", "sales/*.mqsc"),
    ("plan", "--set", "QLOCAL(ORDERS.IN) QMGR(QM3) CLWLPRTY(5)", "--puts", str(TRAFFIC), "sales/*.mqsc"),
]


def test_the_readme_shows_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run("check", "tools/examples/QM2.mqsc").stdout in readmes()


@pytest.mark.parametrize("arguments", SHOWN)
def test_the_readme_shows_the_real_answers(arguments: tuple[str, ...]) -> None:
    *command, name = arguments
    shown = run(*command, str(files("mqclause.tools") / "examples" / name)).stdout
    assert shown in readmes(), f"the README should show:\n{shown}"


def test_the_readme_shows_the_plan_as_a_table() -> None:
    before = read_members(sorted((Path(str(TRAFFIC)).parent).glob("*.mqsc")))
    after = changed_everywhere(before, ["QLOCAL(ORDERS.IN) QMGR(QM3) CLWLPRTY(5)"])
    out = StringIO()
    rows = plan(before, after, traffic=traffic(duckdb.read_csv(str(TRAFFIC))))
    page = Page(Console(file=out, force_terminal=True, color_system=None, width=120))
    print_plan(Planned(rows, (), (), FindingChanges()), page)
    shown = "\n".join(line.rstrip() for line in out.getvalue().splitlines()[:2])
    assert shown in readmes(), f"the README should show:\n{shown}"


def counted(text: str) -> dict[str, tuple[list[int], str]]:
    """By document the numbers of its sentences, rules and cases, and its title."""
    lines = re.findall(r"(?m)^(\w+) +(\d+) +(\d+) +(\d+)  (.+)$", text)
    return {name: ([int(each) for each in numbers], title) for name, *numbers, title in lines}


def test_the_readme_shows_how_much_of_each_document_is_stated() -> None:
    """There may be more by a tenth since it was printed: who adds a case leaves it as it is."""
    printed = run("check", "--about", "documents").stdout
    shown, there = counted(readmes()), counted(printed)
    assert {name: title for name, (_, title) in shown.items()} == {name: title for name, (_, title) in there.items()}
    assert set(there) == set(DOCUMENTS)
    cases = {name: (ROOT / "spec_tests" / "clauses" / name).glob("*.toml") for name in DOCUMENTS}
    stated = {name: sum(file.read_text().count("[[case]]") for file in found) for name, found in cases.items()}
    assert {name: numbers[2] for name, (numbers, _) in there.items()} == stated
    assert {name: numbers[1] for name, (numbers, _) in there.items()} == {
        name: len([*(ROOT / "rules" / name).glob("*.toml")]) for name in DOCUMENTS
    }
    assert there["outcome"][0][0] == (ROOT / "rules" / "documents" / "reason_codes.toml").read_text().count(
        "[[clause]]"
    )
    for name, (numbers, _) in shown.items():
        new = there[name][0]
        assert all(0.9 * count <= given <= count for given, count in zip(numbers, new, strict=True)), printed


def test_the_readme_shows_a_rule_as_it_is() -> None:
    readme = readmes()
    path = ROOT / "rules" / "workload" / "06_inactive_or_running.toml"
    assert path.read_text().strip() in readme


def test_the_readme_shows_what_a_rule_becomes() -> None:
    shown = run("show-sql", "workload.04b", "--dialect", "duckdb").stdout.strip()
    assert shown in readmes(), f"the README should show:\n{shown}"


def test_the_readme_shows_what_its_table_example_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    readme = readmes()
    example = readme[readme.index("import duckdb\n\nfrom mqclause import read_files") :].partition("```")[0]
    exec(compile(example, "README.md", "exec"), {})  # the README's own text
    assert capsys.readouterr().out.strip() in readme


def test_the_readmes_plan_in_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    readme = readmes()
    known: dict[str, Any] = {}
    at = readme.index("import duckdb\n\nfrom mqclause import Engine, Put, counterfactuals")
    exec(compile(readme[at:].partition("```")[0], "README.md", "exec"), known)  # the README's own text
    assert str(known["moves"](known["rows"])[0]) in readme.replace('"', "'")
    assert [each.part for each in known["shares"](known["decision"])] == [1]
    assert known["counterfactuals"](known["decision"], "QM2")


def test_the_readmes_tests_of_an_exit_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    readme = readmes()
    known: dict[str, Any] = {}
    exec(
        compile(
            readme[readme.index("from attrs import evolve\n\nfrom mqclause import Engine") :].partition("```")[0],
            "README.md",
            "exec",
        ),
        known,
    )
    tests = [each for name, each in known.items() if name.startswith("test_")]
    assert len(tests) == 2
    for each in tests:
        each()
