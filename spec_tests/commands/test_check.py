"""``mqclause check``: findings with their places, and the exit status."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqclause.tools.commands.check import command

SCRIPT = """* Queue manager name: QM2
DEFINE QLOCAL('SYSTEM.CLUSTER.TRANSMIT.QUEUE') USAGE(XMITQ) TRIGGER
DEFINE CHANNEL('TO.QM2') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) CLUSTER(SALES) +
    HBINT(9) +
    BATCHHB(1000) CONNAME('h(1414)')
DEFINE QLOCAL('ORDERS.IN') CLUSTER(SALES) PUT(DISABLED)
ALTER QMGR REPOS(SALES)
"""
OTHER = """* Queue manager name: QM3
DEFINE CHANNEL('TO.QM3') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) CLUSTER(SALES) HBINT(30) BATCHHB(1000) CONNAME('i(1414)')
DEFINE QLOCAL('ORDERS.IN') CLUSTER(SALES)
ALTER QMGR REPOS(SALES)
"""


def run(*arguments: str) -> tuple[Any, list[dict[str, Any]]]:
    done = CliRunner().invoke(command, [*arguments, "--json"], standalone_mode=False)
    return done.return_value, json.loads(done.output)["findings"] if done.exception is None else []


@pytest.fixture
def dumps(tmp_path: Path) -> list[str]:
    for name, text in (("QM2", SCRIPT), ("QM3", OTHER)):
        (tmp_path / f"{name}.mqsc").write_text(text)
    return [str(tmp_path / f"{name}.mqsc") for name in ("QM2", "QM3")]


def test_findings_have_place_object_and_remedy(dumps: list[str]) -> None:
    status, found = run(*dumps)
    assert [(each["rule"], each["severity"], each["source"]["line"]) for each in found] == [
        ("check.12", "warning", 4),
        ("check.02", "note", 6),
    ]
    assert status == 0
    assert found[1]["object"] == {"type": "QLOCAL", "name": "ORDERS.IN", "queue_manager": "QM2"}
    assert found[1]["remedy"] == "ALTER QLOCAL('ORDERS.IN') PUT(ENABLED)"


def test_the_order_of_files_does_not_matter(dumps: list[str]) -> None:
    assert len({json.dumps(run(*order)[1]) for order in itertools.permutations(dumps)}) == 1


@pytest.mark.parametrize(("fail_on", "ignored", "status"), [
    ("error", [], 0), ("warning", [], 1), ("warning", ["check.12"], 0), ("note", ["check.12"], 1),
    ("note", ["check.12", "check.02"], 0),
])  # fmt: skip
def test_the_exit_status(dumps: list[str], fail_on: str, ignored: list[str], status: int) -> None:
    options = [text for name in ignored for text in ("--ignore", name)]
    assert run(*dumps, "--fail-on", fail_on, *options)[0] == status


def test_with_from_it_is_what_that_queue_manager_knows(dumps: list[str], tmp_path: Path) -> None:
    """Its own, and what others have in its clusters; not what is private at QM2, or in a cluster that it is not in."""
    private = tmp_path / "more.mqsc"
    private.write_text(
        "DEFINE QLOCAL(OWN) TRIGGER PROCESS(P) INITQ(NOTHING)\n"
        "DEFINE CHANNEL('PAY.QM2') CHLTYPE(CLUSRCVR) CLUSTER(PAY) HBINT(9) BATCHHB(1) CONNAME(h)\n"
    )
    every = [each["rule"] for each in run(*dumps, f"QM2={private}")[1]]
    assert every == ["check.12", "check.02", "trigger.07", "check.12", "check.21b"]
    known = run(*dumps, f"QM2={private}", "--from", "QM3")[1]
    assert [(each["rule"], each["object"]["name"]) for each in known] == [
        ("check.12", "TO.QM2"),
        ("check.02", "ORDERS.IN"),
    ]


def test_sarif_names_rules_and_lines(dumps: list[str], tmp_path: Path) -> None:
    run(*dumps, "--sarif", str(tmp_path / "out.sarif"))
    log = json.loads((tmp_path / "out.sarif").read_text())
    assert log["version"] == "2.1.0"
    [only] = log["runs"]
    assert [rule["id"] for rule in only["tool"]["driver"]["rules"]] == ["check.02", "check.12"]
    first = only["results"][0]
    assert (first["ruleId"], first["level"]) == ("check.12", "warning")
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}


def test_a_facts_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(
        '[queue_manager]\nname = "QM1"\nclusters = ["SALES"]\n'
        '[[queue]]\nname = "Q"\nclusters = ["SALES"]\nput = "DISABLED"\n'
    )
    assert [(each["rule"], each["source"]["line"]) for each in run(str(path))[1]] == [("check.18", 6), ("check.01", 7)]


def test_an_unknown_check_and_bad_input_are_refused(dumps: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [*dumps, "--ignore", "check.99"], standalone_mode=False)
    assert "'check.99' is no check" in str(done.exception)
    (tmp_path / "bad.mqsc").write_text("DEFINE QLOCAL('A') CLWLPRTI(1)\n")
    done = CliRunner().invoke(command, [str(tmp_path / "bad.mqsc")], standalone_mode=False)
    assert "CLWLPRTI" in str(done.exception)
