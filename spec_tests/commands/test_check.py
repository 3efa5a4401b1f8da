"""``mqclause check``: findings with their places, and the exit status."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner

from mqclause import Rules
from mqclause.check.findings import Checks, inspected
from mqclause.check.report import build_sarif
from mqclause.model.configuration.members import read_files
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.tools.commands.declared import check_command as command
from spec_tests.support.displayed import BANNER
from spec_tests.support.explain_command import run as run_command

SHAPE = Path(__file__).parents[1] / "support" / "sarif_shape.json"

SCRIPT = """* Queue manager name: QM2
DEFINE QLOCAL('SYSTEM.CLUSTER.TRANSMIT.QUEUE') USAGE(XMITQ) TRIGGER
DEFINE CHANNEL('TO.QM2') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) CLUSTER(SALES) +
    HBINT(9) +
    BATCHHB(1000) CONNAME('h(1414)')
DEFINE QLOCAL('ORDERS.IN') CLUSTER(SALES) PUT(DISABLED)
ALTER QMGR REPOS(SALES)
DEFINE CHANNEL('TO.QM3') CHLTYPE(CLUSSDR) TRPTYPE(TCP) CLUSTER(SALES) CONNAME('i')
"""
OTHER = """* Queue manager name: QM3
DEFINE CHANNEL('TO.QM3') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) CLUSTER(SALES) HBINT(30) BATCHHB(1000) CONNAME('i(1414)')
DEFINE QLOCAL('ORDERS.IN') CLUSTER(SALES)
ALTER QMGR REPOS(SALES)
DEFINE CHANNEL('TO.QM2') CHLTYPE(CLUSSDR) TRPTYPE(TCP) CLUSTER(SALES) CONNAME('h(1414)')
"""


def run(*arguments: str) -> tuple[Any, list[dict[str, Any]]]:
    done = CliRunner().invoke(command, [*arguments, "--json"], standalone_mode=False)
    return done.return_value, json.loads(done.stdout)["findings"] if done.exception is None else []


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
    ("note", ["check.12", "check.02"], 0), ("note", ["check.12, check.02"], 0), ("note", ["check.12,"], 1),
])  # fmt: skip
def test_the_exit_status(dumps: list[str], fail_on: str, ignored: list[str], status: int) -> None:
    options = [text for name in ignored for text in ("--ignore", name)]
    assert run(*dumps, "--fail-on", fail_on, *options)[0] == status


def test_a_queue_without_a_put_enabled_host_is_a_warning_also_where_more_members_may_be(tmp_path: Path) -> None:
    path = tmp_path / "one.mqsc"
    path.write_text("DEFINE QLOCAL(Q) CLUSTER(S) PUT(DISABLED)\n")
    status, [only] = run(str(path), "--fail-on", "warning")
    assert (status, only["rule"], only["severity"]) == (1, "check.01", "warning")


def test_with_from_it_is_what_that_queue_manager_knows(dumps: list[str], tmp_path: Path) -> None:
    """Its own, and what others have in its clusters; not what is private at QM2, or in a cluster that it is not in."""
    private = tmp_path / "more.mqsc"
    private.write_text(
        "DEFINE QLOCAL(OWN) TRIGGER PROCESS(P) INITQ(NOTHING)\n"
        "DEFINE CHANNEL('PAY.QM2') CHLTYPE(CLUSRCVR) CLUSTER(PAY) HBINT(9) BATCHHB(1) CONNAME(h)\n"
    )
    every = [each["rule"] for each in run(*dumps, f"QM2={private}")[1]]
    assert every == ["check.12", "check.02", "trigger.07", "check.12", "check.21", "check.35"]
    known = run(*dumps, f"QM2={private}", "--from", "QM3")[1]
    assert [(each["rule"], each["object"]["name"]) for each in known] == [
        ("check.12", "TO.QM2"),
        ("check.02", "ORDERS.IN"),
    ]


def test_sarif_takes_the_place_of_no_other_file(dumps: list[str], tmp_path: Path) -> None:
    """As where its name was left out: --sarif takes the first of FACTS for it."""
    kept, before = Path(dumps[0]), Path(dumps[0]).read_bytes()
    done = CliRunner().invoke(command, ["--sarif", *dumps])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is there and is not JSON; allowed: another name" in done.stderr
    assert kept.read_bytes() == before
    report = tmp_path / "found.sarif"
    for begun in ("", '{"version": "2.1.0"}'):
        report.write_text(begun)
        run(*dumps, "--sarif", str(report))
        assert json.loads(report.read_text())["runs"]


def test_sarif_names_rules_and_lines(dumps: list[str], tmp_path: Path) -> None:
    """It has the shape that its schema asks for; MQCLAUSE_SARIF_SCHEMA may name the whole schema of SARIF 2.1.0."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "QM4.mqsc").write_text("DEFINE QLOCAL(W) TRIGGER INITQ(I) PROCESS(P)\n")
    run(*dumps, str(folder), "--sarif", str(tmp_path / "out.sarif"))
    log = json.loads((tmp_path / "out.sarif").read_text())
    for schema in (SHAPE, os.environ.get("MQCLAUSE_SARIF_SCHEMA")):
        if schema:
            jsonschema.validate(log, json.loads(Path(schema).read_text()))
    [only] = log["runs"]
    rules, results = only["tool"]["driver"]["rules"], only["results"]
    assert [rule["id"] for rule in rules] == ["check.02", "check.12", "trigger.07"]
    assert [each["ruleId"] for each in results] == [rules[each["ruleIndex"]]["id"] for each in results]
    assert "HBINT(30)" in rules[1]["help"]["markdown"]
    first, last = results[0], results[-1]
    assert (first["ruleId"], first["level"]) == ("check.12", "warning")
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    change = ["--set", "QLOCAL(ORDERS.IN) QMGR(QM2) PUT(DISABLED)"]
    run(*dumps, *change, "--ignore", "check.12", "--sarif", str(tmp_path / "set.sarif"))
    [of_option] = json.loads((tmp_path / "set.sarif").read_text())["runs"][0]["results"]
    named = {"name": "ORDERS.IN", "fullyQualifiedName": "QM2/QLOCAL(ORDERS.IN)", "kind": "resource"}
    assert of_option["locations"] == [{"logicalLocations": [named]}], "what an option says stands in no file"
    change = ["--status", "TO.QM3=STOPPED", "--ignore", "check.02,check.12"]
    assert [each["source"]["file"] for each in run(*dumps, *change)[1]] == ["--status"]
    run(*dumps, *change, "--sarif", str(tmp_path / "state.sarif"))
    [of_option] = json.loads((tmp_path / "state.sarif").read_text())["runs"][0]["results"]
    assert [*of_option["locations"][0]] == ["logicalLocations"]
    assert "a%20folder/QM4.mqsc" in last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def test_netprty_at_a_sender_is_a_finding_here_and_a_fault_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "QM1.mqsc"
    path.write_text(
        "* Queue manager name: QM1\nDEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME(h) +\n  NETPRTY(5)\n"
    )
    status, [only] = run(str(path))
    assert (only["rule"], only["severity"], only["attribute"]) == ("check.04", "error", "netprty")
    assert only["object"] == {"type": "CHANNEL", "name": "TO.QM2", "queue_manager": "QM1"}
    assert (only["source"]["line"], status) == (3, 1)
    with pytest.raises(FactsError, match="QM1.mqsc:3:3: CHLTYPE\\(CLUSSDR\\) has no attribute NETPRTY"):
        read_files([path])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--set", "QLOCAL(ORDERS.IN) QMGR(QM2) PUT(ENABLED)"], ["check.12"]),
        (["--set", "QLOCAL(ORDERS.IN) QMGR(QM3) PUT(DISABLED)"], ["check.01", "check.12", "check.01"]),
        (["--status", "TO.QM3=STOPPED"], ["check.31", "check.12", "check.02"]),
        (["--with", "QM2={0}/change.mqsc"], ["check.02"]),
        (["--with", "{0}/other.mqsc", "--format", "mqsc"], ["check.12", "check.02", "check.16"]),
    ],
)
def test_what_if(dumps: list[str], tmp_path: Path, options: list[str], expected: list[str]) -> None:
    (tmp_path / "change.mqsc").write_text("ALTER CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) HBINT(30)\n")
    (tmp_path / "other.mqsc").write_text("* Queue manager name: QM3\nALTER QMGR CLWLEXIT(x)\n")
    found = run(*dumps, *(each.format(tmp_path) for each in options))[1]
    assert [each["rule"] for each in found] == expected


def test_a_script_that_does_not_say_whose_it_is_cannot_be_laid_over_several(dumps: list[str], tmp_path: Path) -> None:
    (tmp_path / "change.mqsc").write_text("ALTER QMGR CLWLEXIT(x)\n")
    done = CliRunner().invoke(command, [*dumps, "--with", str(tmp_path / "change.mqsc")], standalone_mode=False)
    assert "does not say whose script it is; name it as QMGR=" in str(done.exception)
    other = f"QM7={tmp_path / 'change.mqsc'}"
    done = CliRunner().invoke(command, [*dumps, "--with", other], standalone_mode=False)
    assert "is of QM7, of which no file here defines anything: what it changes cannot be checked" in str(done.exception)


def test_settings_are_found_from_the_working_directory_upwards(
    dumps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "one" / "two"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    (tmp_path / "mqclause.toml").write_text('[check]\nignore = ["check.12"]\nfail-on = "note"\n')
    status, [only] = run(*dumps)
    assert (only["rule"], status) == ("check.02", 1)
    assert run(*dumps, "--fail-on", "error")[0] == 0, "an option counts before the settings"
    (tmp_path / "one" / "mqclause.toml").write_text("\ufeff", encoding="utf-8")
    assert (run(*dumps)[0], len(run(*dumps)[1])) == (0, 2), "the nearest file counts"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[check]\nignored = []\n",
            "mqclause.toml:2:1: check: unknown key 'ignored'; allowed: from, set, status, lenient, format, "
            "json, csv, reading, edition, all, statistics, fail-on, ignore, about; did you mean 'ignore'?",
        ),
        ("[check]\nignore = 'check.12'\n", "check: ignore: 'check.12' is not allowed; allowed: a list"),
        ("[check]\nfail-on = 'never'\n", "check: fail-on: 'never' is not allowed; allowed: error, warning, note"),
        ("[chek]\n", "unknown table 'chek'; allowed: explain, why, map, check, "),
        ("check = 1\n", "check: 1 is given where a table is expected"),
        ("[check\n", "mqclause.toml:1:7: "),
        (
            "[check]\nignore = ['check.12',\n  'chek.13']\n",
            ":2:1: check: ignore: 'chek.13' is no check; allowed: check.01, ",
        ),
        ("[check]\nignore = ['check.12,chek.13']\n", ":2:1: check: ignore: 'chek.13' is no check"),
        ("[check]\nignore = [12]\n", ":2:1: check: ignore: 12 is not allowed; allowed: a text"),
        ("[check]\nfail-on = 'warn'\n", ":2:1: check: fail-on: 'warn' is not allowed"),
        ("[check]\nfail-on = ['error']\n", ":2:1: check: fail-on: ['error'] is not allowed"),
    ],
)
def test_settings_that_cannot_be_used_are_told(
    dumps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mqclause.toml").write_text(text)
    done = CliRunner().invoke(command, dumps, standalone_mode=False)
    assert said in str(done.exception)


def test_findings_as_text_say_where_the_remedy_is_typed(dumps: list[str]) -> None:
    done = CliRunner().invoke(command, dumps, standalone_mode=False)
    assert done.output.splitlines() == [
        f"{dumps[0]}:4 check.12 warning CHANNEL(TO.QM2): HBINT(9) takes a slow network for a broken one",
        "    QM2: ALTER CHANNEL('TO.QM2') CHLTYPE(CLUSRCVR) HBINT(30)",
        f"{dumps[0]}:6 check.02 note QLOCAL(ORDERS.IN): ORDERS.IN is put-disabled at QM2: in cluster SALES other hosts take its messages",
        "    QM2: ALTER QLOCAL('ORDERS.IN') PUT(ENABLED)",
        "found 1 warning, 1 note",
    ]


def test_what_many_objects_are_told_is_printed_once(dumps: list[str], tmp_path: Path) -> None:
    """Each of the four is told its own names, and the same otherwise; three would be printed one by one."""
    more = tmp_path / "more.mqsc"
    more.write_text("".join(f"DEFINE QLOCAL(ONLY.{at}) CLUSTER(SALES)\n" for at in range(4)))
    given = [*dumps, f"QM3={more}", "--ignore", "check.12,check.02"]

    def lines(*options: str) -> list[str]:
        return CliRunner().invoke(command, [*given, *options], standalone_mode=False).output.splitlines()

    assert lines() == [
        f"{more}:1 check.18 note QLOCAL(ONLY.0) and 3 more: no other queue manager in these files hosts ONLY.0 in cluster SALES: while QM3 is away, messages wait",
        "    define the queue at a second member of the cluster; the others alike, --all prints them",
        "found 4 notes",
    ]
    assert len(lines("--all")) == 4 * 2 + 1
    assert len(lines("--set", "QLOCAL(ONLY.3) QMGR(QM3) CLUSTER(' ')")) == 3 * 2 + 1


def test_statistics_count_by_check(dumps: list[str]) -> None:
    done = CliRunner().invoke(command, [*dumps, "--statistics"], standalone_mode=False)
    assert done.output.splitlines() == [
        "     1  check.12    warning A cluster channel has no HBINT under 10 seconds",
        "     1  check.02    note    A host of a clustered queue is put-enabled",
        "found 1 warning, 1 note",
    ]
    with pytest.raises(click.UsageError, match="two forms of one answer"):
        CliRunner().invoke(command, [*dumps, "--statistics", "--json"], standalone_mode=False, catch_exceptions=False)


def test_the_page_of_a_check_is_told() -> None:
    done = CliRunner().invoke(command, ["--about", "check.12"], standalone_mode=False)
    assert done.output.startswith("## check.12\n\nA cluster channel has no HBINT under 10 seconds.\n")
    done = CliRunner().invoke(command, ["--about", "check.99"], standalone_mode=False)
    assert "'check.99' is no check" in str(done.exception)
    for form in (["--json"], ["--sarif", "found.sarif"], ["--statistics"]):
        done = CliRunner().invoke(command, ["--about", "check.12", *form], standalone_mode=False)
        assert "as text: leave out" in str(done.exception)


def test_a_rule_that_no_sentence_names_is_told_below_the_counts(tmp_path: Path) -> None:
    (rules := tmp_path / "rules").mkdir()
    for path, text in Rules().files.items():
        (rules / path).parent.mkdir(exist_ok=True)
        (rules / path).write_text(text.replace('clause = "trigger/2"', 'clause = "trigger/3"'))
    asked = ["--about", "documents"]
    done = CliRunner().invoke(command, [*asked, "--rules", str(rules)], standalone_mode=False)
    assert "trigger.02: no sentence of trigger/3 names it, which it says that it states" in done.output.splitlines()
    assert done.return_value == 1
    assert CliRunner().invoke(command, asked, standalone_mode=False).return_value == 0


def test_an_unknown_check_and_bad_input_are_refused(dumps: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [*dumps, "--ignore", "check.99"], standalone_mode=False)
    assert "'check.99' is no check" in str(done.exception)
    (tmp_path / "bad.mqsc").write_text("DEFINE QLOCAL('A') CLWLPRTI(1)\n")
    done = CliRunner().invoke(command, [str(tmp_path / "bad.mqsc")], standalone_mode=False)
    assert "CLWLPRTI" in str(done.exception)


SAMPLES = os.environ.get("MQCLAUSE_SAMPLES")


@pytest.mark.skipif(not SAMPLES, reason="MQCLAUSE_SAMPLES names no folder of samples")
def test_every_sample_is_looked_at_and_every_finding_has_its_place() -> None:
    folders = [each for each in sorted(Path(SAMPLES or "").iterdir()) if each.is_dir()]
    assert folders
    for folder in folders:
        status, found = run(str(folder), "--lenient")
        assert status in (0, 1), folder.name
        for each in found:
            assert each["source"]["line"], each
            assert each["message"], each
            assert each["remedy"], each


@pytest.mark.skipif(not SAMPLES, reason="MQCLAUSE_SAMPLES names no folder of samples")
def test_what_is_found_in_a_whole_cluster() -> None:
    """The defaults of MQ 9.3 (no BATCHHB, no DEADQ) but for one queue that QM6 alone hosts: nothing that is wrong."""
    [folder] = Path(SAMPLES or "").glob("borland6+*")
    found = [(each["rule"], each["object"]["name"]) for each in run(str(folder))[1]]
    assert sorted(found) == [
        *(("check.14", f"C_QM{number}") for number in range(4, 8)),
        ("check.18", "QL_QM6"),
        *(("check.26", f"QM{number}") for number in range(4, 8)),
    ]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/QM1.mqsc", "a%20b/QM1.mqsc"),
        ("100%.mqsc", "100%25.mqsc"),
        ("a#1?.mqsc", "a%231%3F.mqsc"),
        ("größe.mqsc", "gr%C3%B6%C3%9Fe.mqsc"),
        ("[a]+&.mqsc", "%5Ba%5D%2B%26.mqsc"),
        ("a:b.mqsc", "a%3Ab.mqsc"),  # else a is a scheme
        (r"C:\qm\QM1.mqsc", "C%3A%5Cqm%5CQM1.mqsc"),  # here the name of one file
        ("/etc/mqm 1/größe#.mqsc", "file:///etc/mqm%201/gr%C3%B6%C3%9Fe%23.mqsc"),
        ("QM-1_2.~x/y.mqsc", "QM-1_2.~x/y.mqsc"),
    ],
)
def test_a_file_in_sarif_is_a_uri(file: str, uri: str) -> None:
    checks = Checks()
    found = inspected([Source(file, b"DEFINE QLOCAL(W) TRIGGER INITQ(I) PROCESS(P)\n")], checks).findings()
    [result, *_] = build_sarif(found, checks)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("QMGR(QM2) SUSPEND(YES)", ""),
        ("QMGR(QM2) SUSPEND(PARTS)", "SUSPEND: 'PARTS' is not allowed; allowed: YES, NO"),
        ("QMGR(QM2) CLWLUSEQ(ANY)", "CLWLUSEQ is known to that queue manager alone"),
        ("QMGR(QM9) SUSPEND(YES)", "is not known"),
    ],
)
def test_a_change_of_a_member_that_only_a_display_shows(tmp_path: Path, change: str, said: str) -> None:
    """What explain and plan take check takes, and refuses what they refuse."""
    log = tmp_path / "QM1.txt"
    rows = "   CLUSQMGR({0})  CHANNEL(TO.{0})  CLUSTER(PARTS)  DEFTYPE({1})  STATUS(RUNNING)  SUSPEND(NO)\n"
    shown = "".join(f"AMQ8441I: D\n{rows.format(*each)}" for each in (("QM1", "CLUSRCVR"), ("QM2", "CLUSSDRA")))
    instance = "   QUEUE(BOLTS)  TYPE(QCLUSTER)  CLUSQMGR(QM2)  CLUSTER(PARTS)  CLUSQT(QLOCAL)\n"
    log.write_text(
        f"{BANNER}     1 : DISPLAY CLUSQMGR(*) ALL\n{shown}     2 : DISPLAY QCLUSTER(*) ALL\nAMQ8409I: D\n{instance}"
    )
    for arguments in (["check", str(log)], ["plan", str(log)], ["explain", str(log), "--put", "BOLTS"]):
        done = run_command(*arguments, "--set", change)
        assert (done.returncode == 2) is bool(said), arguments
        assert said in done.stderr


def test_a_queue_of_system_that_streams_is_found(tmp_path: Path) -> None:
    path = tmp_path / "qm1.mqsc"
    path.write_text(
        "* Queue manager name: QM1\nDEFINE QLOCAL(COPY)\nALTER QLOCAL(SYSTEM.ADMIN.QMGR.EVENT) STREAMQ(COPY)\n"
        "ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) STREAMQ(COPY)\n"
    )
    found = [each for each in inspected([Source.at(path)]).findings() if each.rule.id == "check.57"]
    assert [(each.name, each.line) for each in found] == [("SYSTEM.DEAD.LETTER.QUEUE", 4)]
