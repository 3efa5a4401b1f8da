"""What ``import mqclause`` and the start of a command load. The direction of imports is a contract in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys

import pytest

OPTIONAL = ("durable_rules_engine", "duckdb", "pyspark", "pandas", "pyarrow", "sqlglot", "rich", "click")


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("from mqclause import Put, read_files", ()),
        ("from mqclause import Engine, Replay, Triggers; Engine(), Triggers(), Replay()", ("sqlglot",)),
        ("import mqclause.tools.cli", ("click",)),
        ("import mqclause.tools.commands.plan, mqclause.tools.commands.explain", ("click", "rich")),
    ],
)
def test_nothing_is_loaded_that_is_not_asked_for(code: str, needed: tuple[str, ...]) -> None:
    tell = f"import sys; print(*(name for name in {OPTIONAL!r} if name in sys.modules and name not in {needed!r}))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{tell}"], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == ([], "")


def test_help_loads_click_alone() -> None:
    """Of any command: what a command runs is loaded when it runs."""
    asked = "for name in SUBCOMMANDS: command_line.main([name, '--help'], standalone_mode=False)"
    tell = "print(*sorted(name for name in sys.modules if name.startswith(('attr', 'mqclause.'))), file=sys.stderr)"
    code = f"import sys\nfrom mqclause.tools.cli import SUBCOMMANDS, command_line\n{asked}\n{tell}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = ("mqclause.tools", "mqclause.tools.cli", "mqclause.tools.commands", "mqclause.tools.commands.declared")
    assert done.stderr.split() == [*rooms, "mqclause.tools.errors"]
