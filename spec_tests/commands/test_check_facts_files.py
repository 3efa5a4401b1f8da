"""``mqclause check`` of facts files, and whose files are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqclause.model.diagnostics import FactsError
from mqclause.tools.commands.declared import check_command as command


def findings(*arguments: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(command, [*arguments, "--json"], standalone_mode=False, catch_exceptions=False)
    return list(json.loads(done.stdout)["findings"])


def test_a_fault_of_a_facts_file_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text('[queue_manager]\nname = "QM1"\n[[queue]]\nname = "Q"\nPUTT = "ENABLED"\n')
    with pytest.raises(FactsError, match=rf"^{path}:5:1: queue 1 'Q': unknown key 'PUTT'"):
        CliRunner().invoke(command, [str(path)], standalone_mode=False, catch_exceptions=False)


def test_a_facts_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(
        '[queue_manager]\nname = "QM1"\nclusters = ["SALES"]\n'
        '[[queue]]\nname = "Q"\nclusters = ["SALES"]\nput = "DISABLED"\n'
    )
    assert [(each["rule"], each["source"]["line"]) for each in findings(str(path))] == [
        ("check.18", 6),
        ("check.01", 7),
    ]


@pytest.mark.parametrize(("more", "found"), [("", []), ("capexpry = 0\n", []), ("capexpry = 600\n", ["check.37"])])
def test_a_cluster_transmission_queue_without_limit_of_expiry(tmp_path: Path, more: str, found: list[str]) -> None:
    """A limit that is left out, or is 0, is none."""
    path = tmp_path / "facts.toml"
    queue = f'[[queue]]\nname = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"\nusage = "XMITQ"\n{more}'
    path.write_text(f'[queue_manager]\nname = "QM1"\nclusters = ["SALES"]\n{queue}')
    assert [each["rule"] for each in findings(str(path))] == found


def test_from_one_of_the_queue_managers_whose_queues_are_in_several_clusters(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(
        '[[queue]]\nname = "A"\nqueue_manager = "QM2"\nclusters = ["S", "T"]\n'
        '[[remote_queue_manager]]\nname = "QM2"\nclusters = ["S", "T"]\n'
    )
    assert [each["rule"] for each in findings(str(path), "--from", "QM2")] == ["check.18"]


def test_clusters_whose_names_with_points_between_are_alike_are_others(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(
        '[queue_manager]\nname = "QM1"\nclusters = ["A.B", "C", "A", "B.C"]\n'
        '[[queue]]\nname = "Q1"\nclusters = ["A.B", "C"]\n[[queue]]\nname = "Q2"\nclusters = ["A", "B.C"]\n'
    )
    told = {each["object"]["name"]: each["message"] for each in findings(str(path)) if each["rule"] == "check.18"}
    assert "hosts Q1 in cluster A.B, C:" in told["Q1"]
    assert "hosts Q2 in cluster A, B.C:" in told["Q2"]


def test_a_name_that_no_queue_manager_has(tmp_path: Path) -> None:
    (tmp_path / "1.mqsc").write_text("* Queue manager name: QM1\nDEFINE QLOCAL(A)\n")
    (tmp_path / "2.mqsc").write_text(f"* two\n* Queue manager name: {'X' * 49}\nDEFINE QLOCAL(A)\n")
    with pytest.raises(FactsError, match=rf"^{tmp_path}/2.mqsc:2: queue manager name: '{'X' * 49}' is not allowed"):
        findings(str(tmp_path / "1.mqsc"), str(tmp_path / "2.mqsc"))


@pytest.mark.parametrize("given", [["{file}", "--from", "{name}"], ["{name}={file}"]])
def test_an_option_that_names_no_queue_manager(tmp_path: Path, given: list[str]) -> None:
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    name = "X" * 49
    with pytest.raises(FactsError, match=f"queue manager.*: '{name}' is not allowed; allowed: text of 1 to 48"):
        findings(*(each.format(file=tmp_path / "a.mqsc", name=name) for each in given))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("facts.toml", '[queue_manager]\nname = "QM1"\n[queue\n', "3:7: is not TOML"),
        ("facts.json", '{"queue_manager": {"name": "QM1"}, ', "1:36: is not JSON"),
        ("facts.toml", "unknown = 5\n", "1:1: unknown: 5 is given where a table is expected"),
    ],
)
def test_what_is_no_facts_document_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FactsError, match=f"^{path}:{said}"):
        CliRunner().invoke(command, [str(path)], standalone_mode=False, catch_exceptions=False)


def test_the_depth_of_a_transmission_queue_is_the_one_that_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(
        'queue_manager = {name = "QM1", clusters = ["SALES"]}\n'
        'remote_queue_manager = [{name = "QM2", clusters = ["SALES"]}]\n'
        'queue = [{name = "SYSTEM.CLUSTER.TRANSMIT.QUEUE", usage = "XMITQ", curdepth = 12}]\n'
        'channel = [{name = "TO.QM2", queue_manager = "QM2", cluster = "SALES", status = "STOPPED"}]\n'
    )
    (told,) = (each["message"] for each in findings(str(path)) if each["rule"] == "check.31")
    assert told.endswith("waits on SYSTEM.CLUSTER.TRANSMIT.QUEUE (CURDEPTH 12)")


def test_a_change_of_a_host_that_a_display_alone_tells_of(tmp_path: Path) -> None:
    """The row that shows it put-disabled says what was, and the change what is."""
    rows = "".join(
        f"AMQ8409I: Display Queue details.\n   QUEUE(BILLS)   TYPE(QCLUSTER)\n   CLUSTER(SALES)   CLUSQMGR({host})\n"
        "   CLUSQT(QLOCAL)   PUT(DISABLED)\n"
        for host in ("QM7", "QM8")
    )
    path = tmp_path / "QM1.log"
    path.write_text(
        f"Starting MQSC for queue manager QM1.\n     1 : DISPLAY QCLUSTER(*) ALL\n{rows}One MQSC command read.\n"
    )
    enabled = findings(str(path), "--set", "QLOCAL(BILLS) QMGR(QM7) PUT(ENABLED)")
    assert [(each["rule"], each["object"]["queue_manager"]) for each in enabled] == [("check.02", "QM8")]
