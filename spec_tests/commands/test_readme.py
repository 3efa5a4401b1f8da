"""The README and the pages of docs/ show what the program prints."""

from __future__ import annotations

import ast
import builtins
import os
import re
import shlex
import tomllib
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

from mqclause import plan, read_members
from mqclause.check.findings import FindingChanges
from mqclause.cluster.plan import ChangePlan
from mqclause.documents import DOCUMENTS
from mqclause.duckdb import traffic
from mqclause.model.configuration.members import apply_changes_everywhere
from mqclause.render.cluster import print_plan
from mqclause.render.terminal import Page
from mqclause.tools.commands.declared import SUBCOMMANDS
from spec_tests.support.explain_command import run

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
TRAFFIC = EXAMPLES / "sales" / "traffic.csv"


def papers() -> str:
    """The README and every page that is written by hand."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return "".join(page.read_text(encoding="utf-8") for page in pages)


def check_shown(printed: str) -> None:
    """Demand that one of them has this text, which is one."""
    assert printed.strip()
    assert printed.strip("\n") in papers(), f"the documentation should show:\n{printed}"


def run_program(holding: str) -> dict[str, Any]:
    """Run the one program of theirs that has this text, and return what it defines."""
    [program] = [each for each in re.findall(r"```python\n(.*?)```", papers(), re.DOTALL) if holding in each]
    known: dict[str, Any] = {}
    exec(compile(program, "docs", "exec"), known)
    return known


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
    check_shown(run("check", "tools/examples/QM2.mqsc").stdout)


@pytest.mark.parametrize("arguments", SHOWN)
def test_the_readme_shows_the_real_answers(arguments: tuple[str, ...]) -> None:
    *command, name = arguments
    check_shown(run(*command, str(EXAMPLES / name)).stdout)


def test_what_8_0_changed_is_shown_by_real_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "explanation" / "what-mq-8-changed.md").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\nmqclause (.*)\n```", page)
    assert [each.partition(" ")[0] for each in commands] == ["explain", "explain", "plan"]
    for each in commands:
        check_shown(run(*shlex.split(each)).stdout)


SAMPLES = os.environ.get("MQCLAUSE_SAMPLES")


@pytest.mark.skipif(not SAMPLES, reason="MQCLAUSE_SAMPLES names no folder of samples")
def test_the_readme_shows_the_plan_of_the_cluster_that_others_have_published() -> None:
    [folder] = Path(SAMPLES or "").glob("borland6+*")
    dumps = [str(folder / f"QM{number}.txt") for number in (4, 5, 6, 7)]
    check_shown(run("plan", *dumps, "--set", "QLOCAL(CQ1) QMGR(QM5) CLWLPRTY(5)").stdout)


def test_the_readme_shows_the_plan_as_a_table() -> None:
    before = read_members(sorted(TRAFFIC.parent.glob("*.mqsc")))
    after = apply_changes_everywhere(before, ["QLOCAL(ORDERS.IN) QMGR(QM3) CLWLPRTY(5)"])
    out = StringIO()
    rows = plan(before, after, traffic=traffic(duckdb.read_csv(str(TRAFFIC))))
    page = Page(Console(file=out, force_terminal=True, color_system=None, width=120))
    print_plan(ChangePlan(rows, (), (), FindingChanges()), page)
    check_shown("\n".join(line.rstrip() for line in out.getvalue().splitlines()[:2]))


def counted(text: str) -> dict[str, tuple[list[int], str]]:
    """By document its title, and numbers: of its sentences, of those with rules, of both of other books, of rules, of cases."""
    lines = re.findall(r"(?m)^(\w+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)  (.+)$", text)
    return {name: ([int(each) for each in numbers], title) for name, *numbers, title in lines}


def test_the_readme_shows_how_much_of_each_document_is_stated() -> None:
    """There may be more by a tenth since it was printed: who adds a case leaves it as it is."""
    printed = run("check", "--about", "documents").stdout
    shown, there = counted(papers()), counted(printed)
    assert {name: title for name, (_, title) in shown.items()} == {name: title for name, (_, title) in there.items()}
    assert set(there) == set(DOCUMENTS)
    cases = {name: (ROOT / "spec_tests" / "clauses" / name).glob("*.toml") for name in DOCUMENTS}
    stated = {name: sum(file.read_text().count("[[case]]") for file in found) for name, found in cases.items()}
    assert {name: numbers[5] for name, (numbers, _) in there.items()} == stated
    assert {name: numbers[4] for name, (numbers, _) in there.items()} == {
        name: len([*(ROOT / "rules" / name).glob("*.toml")]) for name in DOCUMENTS
    }
    assert there["outcome"][0][0] + there["outcome"][0][2] == (
        ROOT / "rules" / "documents" / "reason_codes.toml"
    ).read_text().count("[[clause]]")
    own = ROOT / "rules" / "documents" / "002_retrieval_order.toml"
    clauses = tomllib.loads(own.read_text())["clause"]
    assert there["retrieval"][0][:2] == [len(clauses), sum("rules" in each for each in clauses)]
    others = tomllib.loads((own.parent / "retrieval_calls.toml").read_text())["clause"]
    others += tomllib.loads((own.parent / "retrieval_lists.toml").read_text())["clause"]
    assert there["retrieval"][0][2:4] == [len(others), sum("rules" in each for each in others)]
    assert all(numbers[1] <= numbers[0] for numbers, _ in there.values())
    for name, (numbers, _) in shown.items():
        new = there[name][0]
        assert all(0.9 * count <= given <= count for given, count in zip(numbers, new, strict=True)), printed


def test_the_readme_shows_a_rule_as_it_is() -> None:
    check_shown((ROOT / "rules" / "workload" / "06_inactive_or_running.toml").read_text())


def test_the_readme_shows_what_a_rule_becomes() -> None:
    check_shown(run("show-sql", "workload.04b").stdout)


def test_the_readmes_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("orders_trigger.toml", *(f"sales/QM{number}.mqsc" for number in (1, 2, 3))):
        (tmp_path / Path(name).name).write_text((EXAMPLES / name).read_text())
    monkeypatch.chdir(tmp_path)
    known = run_program("Explanation.of(decision, snapshot)")
    # Of two that are equal the one listed first; its factor then has the other one come next.
    chosen = [known[name].chosen.queue_manager for name in ("decision", "following")]
    assert (chosen, known["row"].event.do) == (["QM2", "QM3"], "close")


def test_the_readme_shows_what_its_table_example_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    run_program("planned = cluster.with_queue")
    check_shown(capsys.readouterr().out)


def test_the_readme_shows_what_a_suspended_queue_manager_changes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a flat log."""
    monkeypatch.chdir(ROOT)
    known = run_program("suspended = cluster.suspend")
    check_shown(capsys.readouterr().out)
    # 40 of the 70 messages are for ORDERS.IN; all of them go to QM2 while QM3 is suspended, whatever their shares were.
    rows = [row for row in known["after"].fetchall() if row[1] == "ORDERS.IN"]
    assert len(rows) == 40
    assert {row[-1]["queue_manager"] for row in rows} == {"QM2"}


def test_the_readmes_plan_in_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    known = run_program("counterfactuals(decision")
    check_shown(str(known["moves"](known["rows"])[0]).replace("'", '"'))
    assert [each.part for each in known["shares"](known["decision"])] == [1]
    assert known["counterfactuals"](known["decision"], "QM2")


def test_the_readmes_question_why_in_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    answer = run_program('Why().ask("ORDERS.IN"')["answer"]
    assert answer.verdict == "does not"
    for doubt in answer.doubts:
        if doubt.holds is False:
            check_shown(doubt.because)
            check_shown(answer.remedies(doubt.condition.rule)[0])
    check_shown(answer.unknown[0].command)


def test_the_readmes_tests_of_an_exit_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    known = run_program("def test_in_a_cluster")
    tests = [each for name, each in known.items() if name.startswith("test_")]
    assert len(tests) == 2
    for each in tests:
        each()


def test_the_example_of_retrieval_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    known = run_program("next_get(retrieval")
    # Of group Z the first message is asked for, and got; A and the messages of Y lie before it.
    assert known["got"].got == ["Z1"]


COMMANDS = sorted(
    {
        " ".join(words)
        for block in re.findall(r"```sh\n(.*?)```", papers(), re.DOTALL)
        for line in block.replace("\\\n", " ").splitlines()
        if (words := line.partition("&& .venv/bin/mqclause")[2].split() or line.removeprefix("mqclause ").split())
        and (line.startswith("mqclause ") or ".venv/bin/mqclause" in line)
    }
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_documentation_is_one(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its options are there, and their values allowed; files that are not the project's need not be there."""
    monkeypatch.chdir(ROOT)
    name, *arguments = shlex.split(line.partition(" | ")[0].partition(" > ")[0])
    assert SUBCOMMANDS[name].make_context(name, arguments, resilient_parsing=False).params
    bare = {each.name for each in EXAMPLES.iterdir()} - {"QM1.log", "QM2.mqsc"}
    assert not bare.intersection(arguments), "an example is named with its folder: the line runs as it is printed"


PROGRAMS = [each for each in re.findall(r"```python\n(.*?)```", papers(), re.DOTALL) if "def test_" in each]


@pytest.mark.parametrize("program", PROGRAMS, ids=map(str, range(len(PROGRAMS))))
def test_a_test_that_the_documentation_shows_has_all_that_it_uses(program: str) -> None:
    nodes = [*ast.walk(ast.parse(program))]
    names = [(each.id, isinstance(each.ctx, ast.Load)) for each in nodes if isinstance(each, ast.Name)]
    bound = {name for name, is_read in names if not is_read} | {*dir(builtins)}
    for each in nodes:
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            bound.add(each.name)
        elif isinstance(each, ast.arg):
            bound.add(each.arg)
        elif isinstance(each, ast.alias):
            bound.add((each.asname or each.name).partition(".")[0])
    assert {name for name, is_read in names if is_read} <= bound
