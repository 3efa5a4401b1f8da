"""Where durable_rules is not to be had, everything works but the chaining executor, and what is missing is said.

What is run there is run by a Python whose finders find neither the library nor what only extras bring, as on a machine
that lacks them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqclause.model.configuration.members import read_files
from mqclause.tools.cli import command_line
from mqclause.workload.decision import Engine
from spec_tests.support.product import ROOT, pyproject

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
ORDERS = str(EXAMPLES / "orders.toml")
TRIGGERED = str(EXAMPLES / "orders_trigger.toml")

WITHOUT = """
import json, os, sys

HIDDEN = sys.argv.pop().split()

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)

import gc
import mqclause.tools.cli
from mqclause import Engine, Replay
from mqclause.tools.commands import explain, replay, why

Engine(), Replay()
gc.freeze()
for line in sys.stdin:
    code, arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, name in enumerate(("out", "err"), 1):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv[1:] = arguments
        exec(code, {})
        sys.exit()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([status, *(open(name, encoding="utf-8").read() for name in ("out", "err"))]), flush=True)
"""
"""A Python that does not find the library; each line of its input is code with its arguments, for a child of its own."""

NEEDED = {re.split(r"[<>=]", each)[0]: each for each in pyproject()["project"]["dependencies"]}
HIDDEN = {"durable", "durable_rules_engine", "numpy", "pandas", "pyarrow", "pyspark"} - set(NEEDED)

COMMAND = "from mqclause.tools.cli import main; main()"
SAID = "durable_rules is not installed: explained by the plain executor instead of by chaining\n"
Without = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Without]:
    """Runs code where durable_rules cannot be found."""
    folder = tmp_path_factory.mktemp("without")
    with subprocess.Popen(
        [sys.executable, "-c", WITHOUT, " ".join(HIDDEN)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    ) as python:
        assert python.stdin is not None
        assert python.stdout is not None
        given, answers = python.stdin, python.stdout

        def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
            print(json.dumps([code, arguments]), file=given, flush=True)
            return subprocess.CompletedProcess(arguments, *json.loads(answers.readline()))

        yield run
        given.close()


def here(*arguments: str) -> str:
    """What a command prints where it can be found."""
    return CliRunner().invoke(command_line, arguments, standalone_mode=False, catch_exceptions=False).stdout


def test_the_library_is_not_found_there(without: Without) -> None:
    done = without("import durable_rules_engine")
    assert "ModuleNotFoundError: No module named 'durable_rules_engine'" in done.stderr


def test_explain_answers_the_same_and_says_so_in_one_line(without: Without) -> None:
    arguments = ("explain", ORDERS, "--json", "--conditions")
    there = without(COMMAND, *arguments)
    assert (there.returncode, there.stderr) == (0, SAID)
    assert there.stdout == here(*arguments)


def test_explain_is_still_cross_checked(without: Without) -> None:
    spoilt = """
from mqclause.executors import pipeline
from mqclause.executors.plain import PlainExecutor

class Spoilt(PlainExecutor):
    def run(self, situation, among, *others):
        return super().run(situation, among[:1], *others)

pipeline.EXECUTORS["plain"] = Spoilt
"""
    done = without(spoilt + COMMAND, "explain", ORDERS)
    assert done.returncode == 5
    assert "error in mqclause itself: plain and compiled differ in 'steps'" in done.stderr


def test_why_answers_the_same_and_says_so_in_one_line(without: Without) -> None:
    arguments = ("why", "ORDERS.IN", str(EXAMPLES / "QM2.mqsc"))
    there = without(COMMAND, *arguments)
    assert (there.returncode, there.stderr) == (1, SAID)
    assert there.stdout == here(*arguments)


def test_replay_works_compiled(without: Without) -> None:
    arguments = ("replay", TRIGGERED, "--json")
    there = without(COMMAND, *arguments)
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout == here(*arguments)


def test_replay_by_chaining_says_what_is_missing(without: Without) -> None:
    done = without(COMMAND, "replay", TRIGGERED, "--executor", "chaining")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("durable_rules is not installed, which the chaining executor needs")
    assert done.stderr.count("\n") == 1


def test_a_library_that_does_not_load_is_told_like_one_that_is_not_there(without: Without) -> None:
    """Python 3.13 lacks a function of C that durable_rules calls: pip builds it, and without the flag nothing can import it."""
    not_loading = """
import sys

class NotLoading:
    @staticmethod
    def find_spec(name, *_):
        if name == "durable_rules_engine":
            raise ImportError("undefined symbol: PyEval_CallObject", name=name)

sys.meta_path.insert(0, NotLoading)
"""
    said = "durable_rules does not load in this Python (undefined symbol: PyEval_CallObject)"
    done = without(not_loading + COMMAND, "explain", ORDERS, "--brief")
    assert (done.returncode, done.stdout) == (0, "goes to ORDERS.IN at QM2 by TO.QM2\n")
    assert done.stderr == f"{said}: explained by the plain executor instead of by chaining\n"
    done = without(not_loading + COMMAND, "replay", TRIGGERED, "--executor", "chaining")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{said}, which the chaining executor needs")


def test_a_batch_needs_what_is_installed_with_the_product_alone(without: Without, tmp_path: Path) -> None:
    sales, out = EXAMPLES / "sales", tmp_path / "decided.csv"
    facts = [each for name in ("QM1", "QM2", "QM3") for each in ("--facts", str(sales / f"{name}.mqsc"))]
    done = without(COMMAND, "batch", str(sales / "puts.jsonl"), str(out), "--from", "QM1", *facts)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(out.read_text().splitlines()) == 1 + 70


def test_a_table_is_decided(without: Without) -> None:
    sales = EXAMPLES / "sales"
    code = """
import sys
import duckdb
from mqclause import read_files
from mqclause.duckdb import decide

puts, *facts = sys.argv[1:]
decided = decide(duckdb.read_json(puts), read_files(facts, local="QM1").cluster)
print(decided.aggregate("count(decision.outcome)").fetchall()[0][0])
"""
    done = without(code, str(sales / "puts.jsonl"), *map(str, sorted(sales.glob("*.mqsc"))))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len((sales / "puts.jsonl").read_text().splitlines())


@pytest.mark.parametrize("executor", ["compiled", "plain"])
def test_an_engine_decides_the_same(without: Without, executor: str) -> None:
    code = f"""
import json
from mqclause import Engine, read_files
snapshot = read_files([{ORDERS!r}])
print(json.dumps(Engine(executor={executor!r}).choose(snapshot.put, snapshot.cluster, explain="rule").to_json()))
"""
    done = without(code)
    assert done.stderr == ""
    snapshot = read_files([ORDERS])
    assert snapshot.put is not None
    assert json.loads(done.stdout) == Engine().choose(snapshot.put, snapshot.cluster, explain="rule").to_json()


def test_an_engine_that_chains_says_what_is_missing(without: Without) -> None:
    code = """
from mqclause import Engine
try:
    Engine(executor="chaining")
except ImportError as error:
    print(error.name, error)
"""
    done = without(code)
    assert done.stdout.startswith(
        "durable_rules_engine durable_rules is not installed, which the chaining executor needs"
    )


def test_the_readme_installs_all_the_rest() -> None:
    needed = {name: each.rpartition("<")[2] for name, each in NEEDED.items()}
    (line,) = re.findall(
        r"pip install --quiet (attrs .*)", (ROOT / "docs" / "how-to" / "no-compiler.md").read_text(encoding="utf-8")
    )
    installed = dict(each.partition("<")[::2] for each in line.replace("'", "").split())
    assert set(installed) == set(needed) - {"durable-rules"}
    assert {name: limit for name, limit in installed.items() if limit not in ("", needed[name])} == {}
