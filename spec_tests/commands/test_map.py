"""``mqclause map``: where the puts to every clustered queue go, from every member."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mqclause import Engine, Rules, cluster_map, read_members
from mqclause.model.configuration.sources import Source
from mqclause.render.cluster import print_map
from mqclause.render.terminal import Page
from spec_tests.support.explain_command import run

RESUMED_FIRST = "workload/05_resumed_first.toml"

MEMBER = """* Queue manager name: {0}
ALTER QMGR CLWLUSEQ({1})
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CLWLWGHT({2})
DEFINE QLOCAL(PRIVATE.{0})
"""


@pytest.fixture
def sales(tmp_path: Path) -> list[str]:
    """QM1 (weight 50) has ORDERS and spreads; QM2 (weight 50) has ORDERS and keeps; QM3 has STOCK, put-disabled."""
    more = {
        "QM1": "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n",
        "QM2": "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n",
        "QM3": "DEFINE QLOCAL(STOCK) CLUSTER(SALES) PUT(DISABLED)\nDEFINE QALIAS(TO.ORDERS) TARGET(ORDERS)\n",
    }
    files = []
    for name, uses, weight in (("QM1", "ANY", 50), ("QM2", "LOCAL", 25), ("QM3", "LOCAL", 50)):
        file = tmp_path / f"{name}.mqsc"
        file.write_text(MEMBER.format(name, uses, weight) + more[name])
        files.append(str(file))
    return files


def mapped(files: list[str], *options: str) -> dict[tuple[str, str], Any]:
    """The rows by queue and member: shares by queue manager, or the reason code."""
    done = run("map", *files, *options, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["format"] == "mqclause.map/1"
    return {(row["queue"], row["from"]): _ends(row) for row in document["rows"]}


def _ends(row: dict[str, Any]) -> Any:
    if row["reason"]:
        assert row["shares"] == []
        return row["reason"]["code"]
    return {each["queue_manager"]: each["share"] for each in row["shares"]}


def test_an_alias_of_a_topic_is_published_to_by_who_has_it(sales: list[str]) -> None:
    """No queue is chosen at QM1, as explain says; for the others its alias is a cluster queue like any."""
    script = Path(sales[0])
    script.write_text(script.read_text() + "DEFINE QALIAS(NEWS) TARGET(T) TARGTYPE(TOPIC) CLUSTER(SALES)\n")
    rows = mapped(sales, "--queue", "NEWS")
    assert rows == {("NEWS", "QM2"): {"QM1": 1.0}, ("NEWS", "QM3"): {"QM1": 1.0}}


def test_aliases_of_queue_managers_have_rows_of_their_own(sales: list[str]) -> None:
    # GATE is on QM2 and, put-disabled, on QM3 (clause 2); PRIVATE is in no cluster.
    for at, more in ((1, ""), (2, " PUT(DISABLED)")):
        text = Path(sales[at]).read_text()
        Path(sales[at]).write_text(f"{text}DEFINE QREMOTE(GATE) RQMNAME(QM9) CLUSTER(SALES){more}\n")
    Path(sales[0]).write_text(Path(sales[0]).read_text() + "DEFINE QREMOTE(PRIVATE) RQMNAME(QM9)\n")
    document = json.loads(run("map", *sales, "--queue", "[GP]*", "--json").stdout)
    assert document["rows"] == []
    assert {(row["queue_manager"], row["from"]): _ends(row) for row in document["queue_manager_aliases"]} == {
        ("GATE", name): {"QM2": 1} for name in ("QM1", "QM2", "QM3")
    }
    done = run("map", *sales, "--queue", "GATE")
    followed = (
        "GATE is an alias of QM9 that is defined here: beside a queue it is followed; named without one it is not"
    )
    assert done.stdout.splitlines() == [
        "GATE (queue manager)", "  from QM1, QM2, QM3  QM2", "", f"GATE from QM2: {followed}, and is a way to QM2",
    ]  # fmt: skip
    lines = run("map", *sales, "--queue", "GATE", "--csv")
    assert lines.stdout.splitlines() == ["queue,from,outcome,reason,queue_manager,channel,share"]
    assert "remark: aliases of queue managers are left out: --json has them" in lines.stderr.splitlines()


def test_every_queue_from_every_member(sales: list[str]) -> None:
    both = {"QM1": pytest.approx(2 / 3), "QM2": pytest.approx(1 / 3)}
    assert mapped(sales) == {
        ("ORDERS", "QM1"): both,
        ("ORDERS", "QM2"): {"QM2": 1},
        ("ORDERS", "QM3"): both,
        ("STOCK", "QM1"): 2051,
        ("STOCK", "QM2"): 2051,
        ("STOCK", "QM3"): 2051,
        ("TO.ORDERS", "QM3"): both,
    }


def test_the_binding_decides_how_a_put_fails(sales: list[str]) -> None:
    # Bound at open: the open at QM1 would have failed; that at QM3 succeeds, as STOCK is there.
    found = mapped(sales, "--queue", "ST*", "--bind", "open")
    assert found == {("STOCK", "QM1"): 2268, ("STOCK", "QM2"): 2268, ("STOCK", "QM3"): 2051}


def test_puts_that_fail_by_the_way_to_the_queue_have_no_share(sales: list[str]) -> None:
    with Path(sales[2]).open("a") as file:
        file.write("ALTER QALIAS(TO.ORDERS) PUT(DISABLED)\n")
    assert mapped(sales, "--queue", "TO.ORDERS") == {("TO.ORDERS", "QM3"): 2051}


def test_from_one_member(sales: list[str]) -> None:
    assert {member for _, member in mapped(sales, "--from", "QM2")} == {"QM2"}


def test_as_csv(sales: list[str]) -> None:
    lines = run("map", *sales, "--queue", "STOCK", "--from", "QM1", "--csv").stdout.splitlines()
    assert lines == ["queue,from,outcome,reason,queue_manager,channel,share", "STOCK,QM1,failed,2051,,,"]


def test_members_that_agree_are_one_line(sales: list[str]) -> None:
    lines = run("map", *sales).stdout.splitlines()
    assert lines[:5] == [
        "ORDERS",
        "  from QM1, QM3  QM1 66.7 %, QM2 33.3 %",
        "  from QM2       QM2",
        "STOCK",
        "  from QM1, QM2, QM3  fails with MQRC_PUT_INHIBITED (2051)",
    ]


def test_what_if(sales: list[str], tmp_path: Path) -> None:
    script = tmp_path / "change.mqsc"
    script.write_text("ALTER QLOCAL(ORDERS) CLWLPRTY(1)\n")
    for options in (["--set", "QLOCAL(ORDERS) QMGR(QM2) CLWLPRTY(1)"], ["--with", f"QM2={script}"]):
        assert mapped(sales, "--queue", "ORDERS", *options) == {
            ("ORDERS", name): {"QM2": 1} for name in ("QM1", "QM2", "QM3")
        }
    retrying = mapped(sales, "--queue", "ORDERS", "--status", "TO.QM2=RETRYING", "--from", "QM3")
    assert retrying == {("ORDERS", "QM3"): {"QM1": 1}}


def test_a_wide_terminal_has_members_as_columns(sales: list[str]) -> None:
    out = StringIO()
    rows = cluster_map(read_members([Source(name, Path(name).read_bytes()) for name in sales]))
    for width in (100, 160):
        print_map(rows, Page(Console(file=out, force_terminal=True, color_system=None, width=width)))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines[:3] == ["ORDERS", "  from QM1, QM3  QM1 66.7 %, QM2 33.3 %", "  from QM2       QM2"]
    at = next(number for number, line in enumerate(lines) if line.startswith("queue "))
    table = [[cell.strip() for cell in line.split("  ") if cell] for line in lines[at : at + 4]]
    assert [line[0] for line in table] == ["queue", "ORDERS", "STOCK", "TO.ORDERS"]
    assert table[0] == ["queue", "from QM1", "from QM2", "from QM3"]
    assert table[1] == ["ORDERS", "QM1 66.7 %, QM2 33.3 %", "QM2", "QM1 66.7 %, QM2 33.3 %"]
    assert table[3] == ["TO.ORDERS", "-", "-", "QM1 66.7 %, QM2 33.3 %"]


def test_what_is_not_known_is_named_with_what_tells_it(tmp_path: Path) -> None:
    # A put at QM1 goes elsewhere if any of the four channels is away; QM2 to QM5 keep theirs.
    for name in ("QM1", "QM2", "QM3", "QM4", "QM5"):
        queue = "" if name == "QM1" else "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n"
        (tmp_path / f"{name}.mqsc").write_text(MEMBER.format(name, "LOCAL", 50) + queue)
    assert run("map", str(tmp_path)).stdout.splitlines()[-5:] == [
        "from QM1 this rests on what is not known:",
        *(f"  TO.{name}: DISPLAY CHSTATUS(TO.{name}) at QM1" for name in ("QM2", "QM3", "QM4")),
        "  and 1 more: --json",
    ]


def test_what_is_taken_as_it_is_written_is_told(tmp_path: Path) -> None:
    file = tmp_path / "uniform.mqsc"
    file.write_text(
        "DEFINE CHANNEL(U.+QMNAME+) CHLTYPE(CLUSRCVR) CLUSTER(+AUTOCL+)\nDEFINE QLOCAL(Q) CLUSTER(+AUTOCL+)\n"
    )
    for command, *change in (["map"], ["plan", "--suspend", "QM2"]):
        done = run(command, f"QM1={file}", f"QM2={file}", *change)
        assert "CHANNEL 'U.QM1': +AUTOCL+ is filled in by the queue manager" in done.stderr


NAMED_IN_A_RULE = """clause = "workload/5"
title = "Nothing goes to QM2 by preference"
[set_aside]
where = "queue_manager = 'QM2'"
because = "it is QM2"
"""


@pytest.mark.parametrize(("changed", "favoured"), [({}, None), ({RESUMED_FIRST: NAMED_IN_A_RULE}, "QM1")])
def test_queues_that_differ_in_names_alone_are_alike_where_no_rule_goes_by_names(
    sales: list[str], changed: dict[str, str], favoured: str | None
) -> None:
    with Path(sales[0]).open("a") as one, Path(sales[2]).open("a") as other:
        for file in (one, other):
            file.write("DEFINE QLOCAL(TWIN) CLUSTER(SALES)\nALTER QMGR CLWLUSEQ(ANY)\n")
    engine = Engine(Rules().with_files(changed))
    rows = {(row.queue, row.member): row for row in cluster_map(read_members(sales), engine)}
    told = {
        queue: [each.destination.queue_manager for each in rows[queue, "QM2"].shares] for queue in ("ORDERS", "TWIN")
    }
    # From QM2 both queues have two hosts; QM2 keeps its own ORDERS, and has no TWIN.
    assert told == {"ORDERS": ["QM2"], "TWIN": ["QM1", "QM3"]}
    hosts = {
        queue: [each.destination.queue_manager for each in rows[queue, "QM3"].shares] for queue in ("ORDERS", "TWIN")
    }
    assert hosts == {"ORDERS": ["QM1"] if favoured else ["QM1", "QM2"], "TWIN": ["QM1", "QM3"]}
    # Where QM1 alone is left by clause 5, its state does not matter.
    resting = [each.object for each in rows["ORDERS", "QM3"].incomplete]
    assert resting == ([] if favoured else ["TO.QM1", "TO.QM2"])
    assert bool(rows["ORDERS", "QM3"].told_by) == bool(resting)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--queue", "NO*"], "--queue: no queue that is known in a cluster fits 'NO*'"),
        (["--json", "--csv"], "--json and --csv are two forms of one answer; leave one out"),
        (["--from", "QM9"], "no source describes the queue manager 'QM9'; described: QM1, QM2, QM3"),
    ],
)
def test_what_cannot_be_asked(sales: list[str], options: list[str], told: str) -> None:
    done = run("map", *sales, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_a_dump_that_was_cut_is_made_anew_at_no_queue_manager_in_particular(tmp_path: Path) -> None:
    """The command is one of the shell and names the queue manager; why it is wanted is said."""
    dump = (
        "* Script generated on 2026-01-01   at 01.01.01\n* Queue manager name: QM1\n"
        "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME(h)\nDEFINE QLOCAL(Q) CLUSTER(S)\n"
    )
    (tmp_path / "QM1.mqsc").write_text(dump)
    lines = run("map", str(tmp_path / "QM1.mqsc")).stdout.splitlines()
    assert "  QM1, whose dump ends before its trailer: dmpmqcfg -m QM1 -a" in lines


@pytest.mark.parametrize(
    ("bind", "level", "told"),
    [
        ("NOTFIXED", 930, "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"),
        ("AS_Q_DEF", 930, "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"),
        ("OPEN", 930, "each open chooses once, so the shares are of opens, not of puts"),
        ("GROUP", 701, "BIND_ON_GROUP came with 7.1: a queue manager of 7.0 or before knows no such binding"),
        ("GROUP", 930, None),
    ],
)
def test_what_is_said_of_the_binding(tmp_path: Path, bind: str, level: int, told: str | None) -> None:
    for name, queue in (("QM1", ""), ("QM2", "DEFINE QLOCAL(CQ) CLUSTER(S)"), ("QM3", "DEFINE QLOCAL(CQ) CLUSTER(S)")):
        channel = f"DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME('h')"
        head = f"* Queue manager name: {name}\n* Queue manager command level: ({level}/{level})"
        (tmp_path / f"{name}.mqsc").write_text(f"{head}\n{channel}\n{queue}\n")
    options = [str(tmp_path), "--from", "QM1", "--bind", bind, "--json"]
    [row] = json.loads(run("map", *options).stdout)["rows"]
    assert row["remarks"] == [told] * (told is not None)
