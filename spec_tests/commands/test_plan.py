"""``mqclause plan``: what a change does to the puts of every member, and by which clause."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click import UsageError
from click.testing import CliRunner
from rich.console import Console

from mqclause import FactsError, Rules, plan, read_members
from mqclause.check.findings import FindingChanges
from mqclause.cluster.admin_commands import apply_failure
from mqclause.cluster.plan import ChangePlan
from mqclause.model.configuration.members import apply_changes_everywhere, remove_member, suspend_member
from mqclause.model.configuration.sources import Source
from mqclause.render.cluster import print_plan
from mqclause.render.terminal import Page
from mqclause.tools.commands.declared import map_command
from mqclause.tools.commands.declared import plan_command as command

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
DEFINE QLOCAL(STOCK.{0})
"""
ORDERS = "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n"


UNKNOWN = [
    "",
    "from QM1 this rests on what is not known:",
    *(f"  TO.{name}: DISPLAY CHSTATUS(TO.{name}) at QM1" for name in ("QM2", "QM3", "QM4")),
]
"""What is said where another state of one of the three channels before the change, or after it, would matter."""


@pytest.fixture
def sales(tmp_path: Path) -> list[str]:
    """QM1 puts to ORDERS, which QM2, QM3 and QM4 have; each of these keeps what is put there."""
    files = []
    for name in ("QM1", "QM2", "QM3", "QM4"):
        file = tmp_path / f"{name}.mqsc"
        file.write_text(MEMBER.format(name) + ("" if name == "QM1" else ORDERS))
        files.append(str(file))
    return files


def planned(files: list[str], *options: str) -> tuple[int, Any]:
    """The exit status, and of each row: moved, before and after by queue manager, and who falls by which clause."""
    done = CliRunner().invoke(command, [*files, *options, "--json"], standalone_mode=False, catch_exceptions=False)
    document = json.loads(done.stdout)
    assert document["format"] == "mqclause.plan/1"
    assert document["findings"].keys() == {"new", "gone"}
    return done.return_value, {(row["queue"], row["from"]): _row(row) for row in document["rows"]}


def _row(row: dict[str, Any]) -> tuple[Any, ...]:
    causes = [(each["side"], each["destination"]["queue_manager"], each["clause"]) for each in row["because"]]
    return round(row["moved"], 4), _ends(row["before"]), _ends(row["after"]), causes


def _ends(side: dict[str, Any]) -> Any:
    if side["reason"]:
        return side["reason"]["code"]
    return {each["queue_manager"]: round(each["share"], 4) for each in side["shares"]}


THIRDS = {"QM2": 0.3333, "QM3": 0.3333, "QM4": 0.3333}


def test_a_higher_priority_takes_all(sales: list[str]) -> None:
    status, rows = planned(sales, "--set", "QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)")
    because = [("after", "QM2", "11b"), ("after", "QM4", "11b")]
    assert (status, rows) == (3, {("ORDERS", "QM1"): (0.6667, THIRDS, {"QM3": 1}, because)})


def test_nothing_changes(sales: list[str]) -> None:
    assert planned(sales, "--set", "QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(0)") == (0, {})
    assert planned(sales, "--set", "QMGR QMGR(QM1) CLWLMRUC(999999999)") == (0, {})


def test_a_plan_names_a_change(sales: list[str]) -> None:
    """An empty variable of a build is no change that passes: bad input, also beside options that change nothing."""
    for options in ([], ["--bind", "OPEN"], ["--from", "QM1"]):
        with pytest.raises(
            UsageError,
            match="name a change: --after, --set, --with, --status, --without, --fail, --suspend or --upgrade",
        ):
            planned(sales, *options)


@pytest.mark.parametrize("defbind", ["OPEN", "GROUP", "NOTFIXED"])
def test_parts_of_opens_are_called_so(sales: list[str], defbind: str) -> None:
    """Where the queue binds at open, also that it goes to one host alone now: only opens spread."""
    bound = "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"
    change = "QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)"
    hosts = [
        word for name in ("QM2", "QM3", "QM4") for word in ("--set", f"QLOCAL(ORDERS) QMGR({name}) DEFBIND({defbind})")
    ]
    document = CliRunner().invoke(command, [*sales, *hosts, "--set", change, "--json"], standalone_mode=False).stdout
    told = {each["from"] for each in json.loads(document).get("remarks", []) if each["remark"] == bound}
    assert told == ({"QM1"} if defbind == "OPEN" else set())
    mapped = CliRunner().invoke(map_command, [*sales, *hosts, "--json"], standalone_mode=False).stdout
    rows = {row["from"]: bound in row["remarks"] for row in json.loads(mapped)["rows"]}
    assert rows == {name: name == "QM1" and defbind == "OPEN" for name in rows}


@pytest.mark.parametrize(
    ("options", "clause"),
    [
        (["--fail", "QM2"], "6"),
        (["--suspend", "QM2"], "5"),
        (["--status", "TO.QM2=STOPPED"], "6"),
        (["--set", "QMGR(QM2) SUSPEND(YES)"], "5"),
        (["--set", "CHANNEL(TO.QM2) QMGR(QM1) STATUS(PAUSED)"], "6"),
        (["--without", "QM2"], None),
        (["--set", "QLOCAL(ORDERS) QMGR(QM2) CLUSTER(' ')"], None),
    ],
)
def test_one_of_three_gets_nothing(sales: list[str], options: list[str], clause: str | None) -> None:
    status, rows = planned(sales, *options)
    halves = {"QM3": 0.5, "QM4": 0.5}
    assert (status, rows) == (3, {("ORDERS", "QM1"): (0.3333, THIRDS, halves, [("after", "QM2", clause)])})


def test_puts_that_would_wait_are_told_although_none_goes_elsewhere(sales: list[str]) -> None:
    # All three are set aside (clause 6) and taken back (clause 8): as before, and nothing leaves QM1.
    failing = [option for name in ("QM2", "QM3", "QM4") for option in ("--fail", name)]
    assert planned(sales, *failing) == (3, {})
    done = CliRunner().invoke(command, [*sales, *failing], standalone_mode=False, catch_exceptions=False)
    waits = [
        f"the message waits on the transmission queue: TO.{name} to {name} is RETRYING"
        for name in ("QM2", "QM3", "QM4")
    ]
    told = [f"ORDERS from QM1: {each}" for each in waits]
    assert done.stdout.splitlines()[-9:] == ["every put goes where it went", *told, *UNKNOWN]
    lines = CliRunner().invoke(command, [*sales, *failing, "--csv"], standalone_mode=False)
    assert [line for line in lines.stderr.splitlines() if "waits" in line] == [f"remark: {each}" for each in told]
    document = json.loads(CliRunner().invoke(command, [*sales, *failing, "--json"], standalone_mode=False).stdout)
    assert document["remarks"] == [{"queue": "ORDERS", "from": "QM1", "remark": each} for each in waits]
    assert [(row["queue"], row["from"], len(row["shares"])) for row in document["waiting"]] == [("ORDERS", "QM1", 3)]
    other = CliRunner().invoke(command, [*sales, *failing, "--queue", "S*"], standalone_mode=False)
    assert other.stdout.splitlines()[-1] == "every put goes where it went"
    assert not [line for line in told if line in other.stdout]


@pytest.mark.parametrize(("change", "status", "found"), [
    # Nobody puts to a queue that is in no cluster: a process that is not defined, and messages that would not trigger.
    ("QLOCAL(APART) QMGR(QM2) TRIGGER TRIGTYPE(EVERY) PROCESS(NOBODY) INITQ(NONE)", 3, True),
    ("QLOCAL(APART) QMGR(QM2) DESCR('as before in all that counts')", 0, False),
])  # fmt: skip
def test_what_check_finds_anew_is_a_change(sales: list[str], change: str, status: int, found: bool) -> None:
    """Or finds no longer: seen from the other side."""
    with Path(sales[1]).open("a") as file:
        file.write("DEFINE QLOCAL(APART)\n")
    done = CliRunner().invoke(command, [*sales, "--json", "--set", change], standalone_mode=False)
    document = json.loads(done.stdout)
    assert (done.return_value, document["rows"], bool(document["findings"]["new"])) == (status, [], found)


@pytest.mark.parametrize("state", ["BINDING", "INITIALIZING", "STARTING"])
def test_what_a_channel_that_starts_takes_is_not_said_to_wait(sales: list[str], state: str) -> None:
    options = [option for name in ("QM2", "QM3", "QM4") for option in ("--status", f"TO.{name}={state}")]
    done = CliRunner().invoke(command, [*sales, *options], standalone_mode=False, catch_exceptions=False)
    assert done.stdout.splitlines() == ["nothing changes: every put goes where it went", *UNKNOWN]


def unknown(files: list[str], *options: str) -> list[tuple[str, str, str]]:
    """What a plan rests on that is not known: queue, side and object."""
    document = json.loads(CliRunner().invoke(command, [*files, *options, "--json"], standalone_mode=False).stdout)
    return [(each["queue"], each["side"], each["object"]) for each in document["incomplete"]]


def test_what_the_sides_rest_on(sales: list[str]) -> None:
    """Before, the state of each of three may matter; afterwards QM4 alone is left, where the other two are stopped."""
    channels = ["TO.QM2", "TO.QM3", "TO.QM4"]
    states = [option for name in channels for option in ("--status", f"{name}=RUNNING")]
    stopped = ["--set", "CHANNEL(TO.QM2) STATUS(STOPPED)", "--set", "CHANNEL(TO.QM3) STATUS(STOPPED)"]
    found = unknown(sales, *stopped)
    assert [each for each in found if each[2] != "QM1"] == [
        *(("ORDERS", "before", name) for name in channels), ("ORDERS", "after", "TO.QM4"),
    ]  # fmt: skip
    assert not [each for each in unknown(sales, *states) if each[1] == "after"]


@pytest.mark.parametrize("changed", ["STOCK.QM3) QMGR(QM3) CLWLPRTY(5)", "ORDERS) QMGR(QM3) DESCR('new')"])
def test_a_change_that_no_rule_sees_rests_on_nothing(sales: list[str], changed: str) -> None:
    assert unknown(sales, "--set", f"QLOCAL({changed}") == []


def test_beside_csv_it_is_a_warning(sales: list[str]) -> None:
    arguments = [*sales, "--set", "QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)", "--csv"]
    told = CliRunner().invoke(command, arguments, standalone_mode=False).stderr
    assert "from QM1 this rests on what is not known: TO.QM2: DISPLAY CHSTATUS(TO.QM2) at QM1; TO.QM3" in told
    told = CliRunner().invoke(map_command, [*sales, "--csv"], standalone_mode=False).stderr
    assert "from QM1 this rests on what is not known: TO.QM2: DISPLAY CHSTATUS(TO.QM2) at QM1; TO.QM3" in told


def test_a_state_is_that_of_one_queue_manager(sales: list[str]) -> None:
    # QM3's route to QM2 is not asked about: QM3 keeps its puts. That it is stopped is what check finds.
    assert planned(sales, "--set", "CHANNEL(TO.QM2) QMGR(QM3) STATUS(STOPPED)") == (3, {})


def test_a_weight_moves_a_part(sales: list[str]) -> None:
    # From 1/3 each to 2/4, 1/4, 1/4.
    status, rows = planned(sales, "--set", "CHANNEL(TO.QM2) CLWLWGHT(50)", "--set", "CHANNEL(TO.QM3) CLWLWGHT(25)",
                           "--set", "CHANNEL(TO.QM4) CLWLWGHT(25)")  # fmt: skip
    assert rows == {("ORDERS", "QM1"): (0.1667, THIRDS, {"QM2": 0.5, "QM3": 0.25, "QM4": 0.25}, [])}
    assert status == 3


def test_a_queue_that_nobody_has_any_more_is_unknown(sales: list[str]) -> None:
    leaving = [option for name in ("QM2", "QM3", "QM4") for option in ("--without", name)]
    status, rows = planned(sales, *leaving)
    gone = [("after", name, None) for name in ("QM2", "QM3", "QM4")]
    assert (status, {key: row[:3] for key, row in rows.items()}) == (3, {("ORDERS", "QM1"): (1, THIRDS, 2085)})
    assert [(side, name) for side, name, _ in rows["ORDERS", "QM1"][3]] == [each[:2] for each in gone]


def test_a_cluster_that_everybody_leaves(sales: list[str]) -> None:
    assert planned(sales[:1], "--set", "QLOCAL(STOCK.QM1) PUT(DISABLED)", "--without", "QM1") == (0, {})


def test_what_a_queue_manager_that_nobody_describes_knows_alone(tmp_path: Path) -> None:
    file = tmp_path / "facts.toml"
    file.write_text('[queue_manager]\nname = "QM1"\n[[remote_queue_manager]]\nname = "QM2"\nclusters = ["S"]\n')
    with pytest.raises(
        FactsError, match="QMGR 'QM2' is described by no source; CLWLUSEQ is known to that queue manager"
    ):
        planned([str(file)], "--set", "QMGR(QM2) CLWLUSEQ(ANY)")


def test_a_queue_that_comes_into_the_cluster(sales: list[str]) -> None:
    _, rows = planned(sales, "--set", "QLOCAL(STOCK.QM4) CLUSTER(SALES)")
    # At QM4 it is put to before and after.
    assert {key: row[:3] for key, row in rows.items()} == {
        ("STOCK.QM4", name): (1, 2085, {"QM4": 1}) for name in ("QM1", "QM2", "QM3")
    }


def test_a_script_that_a_member_would_run(sales: list[str], tmp_path: Path) -> None:
    script = tmp_path / "change.mqsc"
    script.write_text("ALTER QLOCAL(ORDERS) PUT(DISABLED)\n")
    status, rows = planned(sales, "--with", f"QM4={script}")
    halves = {"QM2": 0.5, "QM3": 0.5}
    assert status == 3
    assert rows == {
        ("ORDERS", "QM1"): (0.3333, THIRDS, halves, [("after", "QM4", "1")]),
        ("ORDERS", "QM4"): (
            1,
            {"QM4": 1},
            halves,
            [("before", "QM2", "3"), ("before", "QM3", "3"), ("after", "QM4", "1")],
        ),
    }
    with pytest.raises(FactsError, match="does not say whose script it is; name it as QMGR="):
        planned(sales, "--with", str(script))


def revised(files: list[str], **contents: str | None) -> str:
    """A folder with another revision of the files: other contents, further files, and none where None is given."""
    folder = Path(files[0]).parent / "revised"
    folder.mkdir()
    for file in map(Path, files):
        contents.setdefault(file.stem, file.read_text())
    for name, content in contents.items():
        if content is not None:
            (folder / f"{name}.mqsc").write_text(content)
    return str(folder)


def test_files_that_describe_all_members_after_the_change(sales: list[str]) -> None:
    # QM2 has lost the queue, which no script over its file could say; QM3 has a higher priority than QM4.
    preferred = MEMBER.format("QM3") + ORDERS.replace("\n", " CLWLPRTY(5)\n")
    folder = revised(sales, QM2=MEMBER.format("QM2"), QM3=preferred)
    gone = [("after", "QM2", None), ("after", "QM4", "11b")]
    status, rows = planned(sales, "--after", folder)
    assert (status, rows["ORDERS", "QM1"]) == (3, (0.6667, THIRDS, {"QM3": 1}, gone))
    assert rows["ORDERS", "QM2"] == (1, {"QM2": 1}, {"QM3": 1}, [("before", "QM3", "3"), ("after", "QM2", None)])
    # What is set besides is set in those files.
    _, rows = planned(sales, "--after", folder, "--set", "QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(0)")
    assert rows["ORDERS", "QM1"][2] == {"QM3": 0.5, "QM4": 0.5}


def test_files_that_describe_the_same_after_the_change(sales: list[str]) -> None:
    assert planned(sales, "--after", revised(sales)) == (0, {})


def test_members_that_one_side_alone_describes(sales: list[str]) -> None:
    joining = (MEMBER + ORDERS).format("QM5")
    folder = revised(sales, QM4=None, QM5=joining)
    _, rows = planned(sales, "--after", folder)
    thirds = {"QM2": 0.3333, "QM3": 0.3333, "QM5": 0.3333}
    assert {key: row[:3] for key, row in rows.items()} == {("ORDERS", "QM1"): (0.3333, THIRDS, thirds)}
    done = CliRunner().invoke(command, [*sales, "--after", folder], standalone_mode=False, catch_exceptions=False)
    assert done.stdout.splitlines()[-2:] == [
        "QM4 is described before the change alone: where puts made there go is not compared",
        "QM5 is described after the change alone: where puts made there go is not compared",
    ]
    done = CliRunner().invoke(command, [*sales, "--after", folder, "--csv"], standalone_mode=False)
    assert "remark: QM5 is described after the change alone: where puts made there go is not compared" in done.stderr


def test_findings_of_files_after_the_change_name_those(sales: list[str]) -> None:
    folder = revised(sales, QM4=MEMBER.format("QM4") + ORDERS.replace("\n", " PUT(DISABLED)\n"))
    done = CliRunner().invoke(command, [*sales, "--after", folder, "--json"], standalone_mode=False)
    [found] = json.loads(done.stdout)["findings"]["new"]
    assert (found["object"]["name"], found["attribute"]) == ("ORDERS", "put")
    assert found["source"] == {"file": f"{folder}/QM4.mqsc", "line": 4}


def test_a_comment_says_what_standard_error_does(sales: list[str]) -> None:
    """Whoever reads it sees no standard error."""
    folder = revised(sales)
    Path(folder, "notes.txt").write_text("call me back")
    arguments = [*sales, "--after", folder, "--markdown"]
    done = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    heading, *lines = done.stdout.splitlines()
    assert (done.return_value, heading) == (0, "### Nothing moves")
    [warned], [said] = done.stderr.splitlines(), [line for line in lines if "notes.txt" in line]
    assert warned.startswith(f"warning: {folder}/notes.txt: is in no format that is read")
    assert said.startswith(f"- {folder}/notes.txt: is in no format that is read")


def test_an_answer_has_one_form(sales: list[str]) -> None:
    with pytest.raises(UsageError, match="--json and --markdown are two forms of one answer; leave one out"):
        planned(sales, "--fail", "QM2", "--markdown")


def test_an_alias_that_keeps_puts_from_where_they_went(sales: list[str]) -> None:
    with Path(sales[0]).open("a") as file:
        file.write("DEFINE QALIAS(A) TARGET(ORDERS)\n")
    _, rows = planned(sales, "--set", "QALIAS(A) PUT(DISABLED)")
    assert rows == {("A", "QM1"): (1, THIRDS, 2051, [("after", name, "2051") for name in ("QM2", "QM3", "QM4")])}


def test_what_is_printed(sales: list[str]) -> None:
    arguments = [*sales, "--set", "QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)"]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).stdout.splitlines() == [
        "ORDERS from QM1: 66.7 % of the opens move",
        "  - QM2 33.3 %, QM3 33.3 %, QM4 33.3 %",
        "  + QM3",
        "    QM2, QM4 after: clause 11b, queue priority 0 is below 5",
        "",
        "sequence factors restart at zero at QM1, QM2, QM3, QM4 (clause 12)",
        "1 row of the map changes, from QM1",
        "ORDERS from QM1: DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts",
        *UNKNOWN,
    ]


@pytest.mark.parametrize("width", [80, 160])
def test_what_a_terminal_shows(sales: list[str], width: int) -> None:
    before = read_members(sales)
    after = apply_changes_everywhere(
        before, ["QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)", "QLOCAL(ORDERS) QMGR(QM4) PUT(DISABLED)"]
    )
    out = StringIO()
    page = Page(Console(file=out, force_terminal=True, color_system=None, width=width))
    print_plan(ChangePlan(plan(before, after), (), (), FindingChanges()), page)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    if width == 80:
        assert lines[:2] == ["ORDERS from QM4: 100 % of the opens move", "  - QM4"]
        return
    # QM4 kept its puts (clause 3), and QM3 alone has priority 5; a third of QM1's was there already.
    table = [
        [cell.strip() for cell in re.split(r"  +", line)] for line in lines if line.startswith(("queue", "ORDERS"))
    ]
    assert [cells[:6] for cells in table] == [
        ["queue", "from", "moves", "QM2", "QM3", "QM4"],
        ["ORDERS", "QM4", "100 % of the opens", "+ 0 → 100 %", "- 100 → 0 %", table[1][5]],
        ["ORDERS", "QM1", "66.7 % of the opens", "- 33.3 → 0 %", "+ 33.3 → 100 %", "- 33.3 → 0 %"],
    ]
    assert table[1][5].startswith("QM3 before: clause 3, ")
    assert "QM4 after: clause 1, the queue is put-disabled at QM4" in map(str.strip, lines)


def findings(files: list[str], *options: str) -> dict[str, list[tuple[str, str, str]]]:
    """What check finds on one side alone: severity, name and queue manager of each."""
    arguments = [*files, *options, "--json"]
    document = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False).stdout)
    return {
        side: [(each["severity"], each["object"]["name"], each["object"]["queue_manager"]) for each in found]
        for side, found in document["findings"].items()
    }


def test_findings_that_a_change_brings(sales: list[str], tmp_path: Path) -> None:
    disabled = ("note", "ORDERS", "QM3")
    assert findings(sales, "--set", "QLOCAL(ORDERS) QMGR(QM3) PUT(DISABLED)") == {"new": [disabled], "gone": []}
    script = tmp_path / "change.mqsc"
    script.write_text("ALTER QLOCAL(ORDERS) PUT(DISABLED)\n")
    assert findings(sales, "--with", f"QM3={script}") == {"new": [disabled], "gone": []}
    everywhere = [option for name in ("QM2", "QM3", "QM4")
                  for option in ("--set", f"QLOCAL(ORDERS) QMGR({name}) PUT(DISABLED)")]  # fmt: skip
    # No host is put-enabled then: a warning, at each.
    assert findings(sales, *everywhere)["new"] == [("warning", "ORDERS", name) for name in ("QM2", "QM3", "QM4")]


def test_findings_that_a_change_takes_away(sales: list[str]) -> None:
    with Path(sales[2]).open("a") as file:
        file.write("ALTER QLOCAL(ORDERS) PUT(DISABLED)\n")
    disabled = ("note", "ORDERS", "QM3")
    assert findings(sales, "--set", "QLOCAL(ORDERS) QMGR(QM3) PUT(ENABLED)") == {"new": [], "gone": [disabled]}
    # What is found of a member that leaves is not told.
    nothing: dict[str, list[tuple[str, str, str]]] = {"new": [], "gone": []}
    assert findings(sales, "--without", "QM3") == findings(sales, "--after", revised(sales, QM3=None)) == nothing


def said(files: list[str], options: list[str]) -> tuple[int, Any, str]:
    """What a plan says, whoever states the change: its rows and findings, and what goes to standard error."""
    done = CliRunner().invoke(command, [*files, *options, "--json"], standalone_mode=False, catch_exceptions=False)
    document = json.loads(done.stdout)
    for found in (each for side in document["findings"].values() for each in side):
        found["source"] = None
    return done.return_value, document, done.stderr


@pytest.mark.parametrize(("options", "others", "found"), [
    (["--fail", "QM2"], ["--status", "TO.QM2=RETRYING"], {"check.31"}),
    (["--status", "TO.QM2=STOPPED"], ["--set", "CHANNEL(TO.QM2) STATUS(STOPPED)"], {"check.31"}),
    (["--set", "CHANNEL(TO.QM2) QMGR(QM1) STATUS(STOPPED)"], ["--with", "QM1=STOP CHANNEL(TO.QM2)"], {"check.31"}),
    (["--suspend", "QM2"], ["--set", "QMGR(QM2) SUSPEND(YES)"], {"check.27"}),
    (["--suspend", "QM2"], ["--with", "QM2=SUSPEND QMGR CLUSTER(SALES)"], {"check.27"}),
    (["--set", "QLOCAL(ORDERS) QMGR(QM2) PUT(DISABLED)"], ["--with", "QM2=ALTER QLOCAL(ORDERS) PUT(DISABLED)"],
     {"check.02"}),
    (["--fail", "QM2", "--suspend", "QM3"], ["--suspend", "QM3", "--status", "TO.QM2=RETRYING"],
     {"check.27", "check.31"}),
])  # fmt: skip
def test_what_two_options_say_has_one_answer(
    sales: list[str], tmp_path: Path, options: list[str], others: list[str], found: set[str]
) -> None:
    if others[0] == "--with":
        owner, _, script = others[1].partition("=")
        (tmp_path / "change.mqsc").write_text(f"{script}\n")
        others = ["--with", f"{owner}={tmp_path / 'change.mqsc'}"]
    answer = said(sales, options)
    assert answer == said(sales, others)
    assert {each["rule"] for each in answer[1]["findings"]["new"]} == found


def test_findings_of_a_change_name_the_option_that_states_it(sales: list[str]) -> None:
    options = ["--fail", "QM2", "--status", "TO.QM3=STOPPED", "--suspend", "QM4", "--set", "QMGR(QM3) SUSPEND(YES)"]
    done = CliRunner().invoke(command, [*sales, *options, "--json"], standalone_mode=False, catch_exceptions=False)
    told = {(each["object"]["name"], each["source"]["file"]) for each in json.loads(done.stdout)["findings"]["new"]}
    assert told == {("TO.QM2", "--fail"), ("TO.QM3", "--status"), ("QM4", "--suspend"), ("QM3", "--set")}


@pytest.mark.parametrize(("stated", "script", "found"), [
    ("QLOCAL(ORDERS) QMGR(QM2) PUT(DISABLED)", "ALTER QLOCAL(ORDERS) PUT(DISABLED)", ["check.02"]),
    ("QMGR(QM2) SUSPEND(YES)", "SUSPEND QMGR CLUSTER(SALES)", []),
])  # fmt: skip
def test_a_script_of_a_member_that_is_displayed_alone(
    tmp_path: Path, stated: str, script: str, found: list[str]
) -> None:
    log = tmp_path / "QM1.log"
    rows = [f"AMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR({name}) CHANNEL(TO.{name}) CLUSTER(SALES)"
            f" DEFTYPE({deftype}) SUSPEND(NO) STATUS(RUNNING)"
            for name, deftype in (("QM1", "CLUSRCVR"), ("QM2", "CLUSSDRA"), ("QM3", "CLUSSDRA"))]  # fmt: skip
    rows += [f"AMQ8409I: Display Queue details.\n   QUEUE(ORDERS) TYPE(QCLUSTER) CLUSTER(SALES) CLUSQMGR({name})"
             " CLUSQT(QLOCAL) PUT(ENABLED) DEFBIND(NOTFIXED) CLWLRANK(0) CLWLPRTY(0)"
             for name in ("QM2", "QM3")]  # fmt: skip
    log.write_text("\n".join(["Starting MQSC for queue manager QM1.", "     1 : DISPLAY CLUSQMGR(*) ALL", *rows[:3],
                              "     2 : DISPLAY QCLUSTER(*) ALL", *rows[3:], "2 MQSC commands read."]))  # fmt: skip
    (tmp_path / "change.mqsc").write_text(f"{script}\n")
    answer = said([str(log)], ["--with", f"QM2={tmp_path / 'change.mqsc'}"])
    assert answer == said([str(log)], ["--set", stated])
    assert [each["rule"] for each in answer[1]["findings"]["new"]] == found
    assert (answer[0], answer[2]) == (3, "")


def test_of_one_channel_to_two_queue_managers_the_route_to_the_failing_one_is_found(tmp_path: Path) -> None:
    log = tmp_path / "QM1.log"
    rows = [f"AMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR({name}) CHANNEL({channel}) CLUSTER(SALES)"
            f" DEFTYPE({deftype}) SUSPEND(NO) STATUS(RUNNING)"
            for name, channel, deftype in (("QM1", "TO.QM1", "CLUSRCVR"), ("QM2", "TO.ALL", "CLUSSDRA"),
                                           ("QM3", "TO.ALL", "CLUSSDRA"))]  # fmt: skip
    log.write_text("\n".join(["Starting MQSC for queue manager QM1.", "     1 : DISPLAY CLUSQMGR(*) ALL", *rows,
                              "1 MQSC commands read."]))  # fmt: skip
    found = said([str(log)], ["--fail", "QM3"])[1]["findings"]["new"]
    assert [(each["rule"], each["message"].partition(" and sends")[0]) for each in found] == [
        ("check.31", "TO.ALL to QM3 is RETRYING")
    ]


def test_what_is_found_is_printed_as_in_a_diff(sales: list[str]) -> None:
    arguments = [*sales, "--set", "QLOCAL(STOCK.QM1) PUT(DISABLED) CLUSTER(SALES)"]
    lines = CliRunner().invoke(command, arguments, standalone_mode=False).stdout.splitlines()
    found = [line for line in lines if line.startswith("+ ")]
    assert [line.split(":")[0] for line in found] == ["+ warning check.01 at QM1", "+ note check.18 at QM1"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--set", "QLOCAL(ORDERS) PUT(DISABLED)"], "QLOCAL 'ORDERS' is on QM2, QM3, QM4: say with QMGR(…) which one is meant"),
        (["--set", "QMGR CLWLUSEQ(ANY)"], "QMGR is on QM1, QM2, QM3, QM4: say with QMGR(…) which one is meant"),
        (["--set", "QLOCAL(ORDER) CLWLPRTY(5)"], "QLOCAL 'ORDER' is not known; did you mean 'ORDERS'"),
        (["--set", "QLOCAL(ORDERS) QMGR(QM1) CLWLPRTY(5)"],
         "QLOCAL 'ORDERS' of 'QM1' is not known; it is on QM2, QM3, QM4"),
        (["--without", "QM9"], "--without: queue manager 'QM9' is not known"),
        (["--set", "CHANNEL(TO.QM2) CLUSTER(STOCK)"], "the clusters of a channel cannot be set here"),
    ],
)  # fmt: skip
def test_what_cannot_be_carried_out(sales: list[str], options: list[str], told: str) -> None:
    with pytest.raises(FactsError) as caught:
        planned(sales, *options)
    assert told in str(caught.value)


def test_the_plan_of_a_change_and_of_its_inverse_mirror_each_other(sales: list[str]) -> None:
    before = read_members([Source(each, Path(each).read_bytes()) for each in sales])
    settings = ["QLOCAL(ORDERS) QMGR(QM2) PUT(DISABLED)", "QMGR(QM3) CLWLUSEQ(ANY)", "CHANNEL(TO.QM4) CLWLRANK(3)"]
    others = [apply_changes_everywhere(before, [each]) for each in settings]
    for after in (
        *others,
        apply_failure(before, "QM2", Rules()),
        suspend_member(before, "QM4"),
        remove_member(before, "QM3"),
    ):
        there, back = plan(before, after), plan(after, before)
        assert there
        assert [(row.queue, row.member, row.moved) for row in there] == [
            (row.queue, row.member, row.moved) for row in back
        ]
        sides = {"before": "after", "after": "before"}
        for one, other in zip(there, back, strict=True):
            causes = {(sides[each.side], each.destination.queue_manager, each.because) for each in other.because}
            assert causes == {(each.side, each.destination.queue_manager, each.because) for each in one.because}
        assert not plan(after, after)
