"""The README shows what the program prints."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from rich.console import Console

from mqclause import Rules
from mqclause.model.assembly.snapshot import read_files
from mqclause.tools.commands.explain import checked_decision
from mqclause.tools.commands.options import asked_put
from mqclause.tools.render.terminal import print_decision
from spec_tests.commands.test_explain import run

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_shows_the_real_answer() -> None:
    snapshot = read_files([str(files("mqclause.tools") / "examples" / "orders.toml")])
    decision = checked_decision(asked_put(snapshot.put, {}), snapshot.cluster, Rules(), conditions=False)
    console = Console(record=True, force_terminal=False, file=None, quiet=False, highlight=False)
    with console.capture() as printed:
        print_decision(decision, console=console)
    shown = "\n".join(line.rstrip() for line in printed.get().splitlines())
    assert shown in README.read_text(), f"the README should show:\n{shown}"


@pytest.mark.parametrize("arguments", [("why", "ORDERS.IN", "QM2.mqsc"), ("replay", "orders_trigger.toml")])
def test_the_readme_shows_the_real_answers_about_triggering(arguments: tuple[str, ...]) -> None:
    *command, name = arguments
    printed = run(*command, str(files("mqclause.tools") / "examples" / name)).stdout
    shown = "\n".join(line.rstrip() for line in printed.splitlines())
    assert shown in README.read_text(), f"the README should show:\n{shown}"


def test_the_readme_shows_a_rule_as_it_is() -> None:
    readme = README.read_text()
    path = Path(__file__).parents[2] / "rules" / "workload" / "06_inactive_or_running.toml"
    assert path.read_text().strip() in readme


def test_the_readme_shows_what_a_rule_becomes() -> None:
    shown = run("show-sql", "workload.04b", "--dialect", "duckdb").stdout.strip()
    assert shown in README.read_text(), f"the README should show:\n{shown}"


def test_the_readme_shows_what_its_table_example_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(README.parent)
    readme = README.read_text()
    example = readme[readme.index("import duckdb\n") :].partition("```")[0]
    exec(compile(example, "README.md", "exec"), {})  # the README's own text
    assert capsys.readouterr().out.strip() in readme
