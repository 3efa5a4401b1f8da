"""What stands in the way of a message once its destination is chosen: told by ``explain``, and of a change by ``plan``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner

from mqclause.model.facts.delivery import Delivery
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.declared import check_command as check
from mqclause.tools.commands.declared import explain_command as explain
from mqclause.tools.commands.declared import map_command
from mqclause.tools.commands.declared import plan_command as plan
from mqclause.tools.commands.declared import replay_command as replay
from mqclause.workload.delivery import check_delivery

DUMP = """* Script generated on 2026-01-02   at 03.04.05
* Queue manager name: {name}
* Command issued: dmpmqcfg -a -m {name}{limit}
DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CONNAME('h')
{more}
* Script ended on 2026-01-02   at 03.04.06
"""
QM1 = """DEFINE QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) USAGE(XMITQ)
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME('h')
DEFINE QREMOTE(FAR) RNAME(NOQ) RQMNAME(QM2)
DEFINE QREMOTE(NEAR) RNAME(OWN) RQMNAME(QM2)"""
QM2 = """ALTER QMGR REPOS(SALES)
DEFINE QLOCAL(ORDERS) CLUSTER(SALES)
DEFINE QLOCAL(OWN)
DEFINE QALIAS(LOST) TARGET(NOWHERE) CLUSTER(SALES)
DEFINE QALIAS(FOUND) TARGET(OWN) CLUSTER(SALES)"""
QM3 = """ALTER QMGR REPOS(SALES)
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME('h')
DEFINE QLOCAL(ORDERS) CLUSTER(SALES)
DEFINE QLOCAL(ONLY.HERE) CLUSTER(SALES)"""
DISABLED = "QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) QMGR(QM1) PUT(DISABLED)"
TRANSMISSION = (
    "the transmission queue SYSTEM.CLUSTER.TRANSMIT.QUEUE of QM1 is put-disabled:"
    " no put over a cluster channel that it serves succeeds"
)
NO_QUEUE = "QM2 has no queue NOQ: the message cannot be put there when it arrives"
WAYS = (TRANSMISSION, NO_QUEUE, "waits on", "is an alias of", "is put-disabled:")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, more in (("QM1", QM1), ("QM2", QM2), ("QM3", QM3)):
        (tmp_path / f"{name}.mqsc").write_text(DUMP.format(name=name, limit="", more=more))
    return [str(tmp_path / f"{name}.mqsc") for name in ("QM1", "QM2", "QM3")]


def answered(command: Command, *options: str) -> tuple[int, Any]:
    """The exit status, and the document."""
    done = CliRunner().invoke(command, [*options, "--json"], standalone_mode=False, catch_exceptions=False)
    return done.return_value, json.loads(done.stdout)


def in_the_way(files: list[str], queue: str, *options: str, code: int = 0) -> list[str]:
    """The remarks on the way; ``code`` is the reason code that the put ends with."""
    status, document = answered(explain, *files, "--from", "QM1", "--put", queue, *options)
    assert (status, document["reason"] and document["reason"]["code"]) == ((1, code) if code else (0, None))
    return [each for each in document["remarks"] if any(way in each for way in WAYS)]


@pytest.mark.parametrize(
    ("queue", "options", "told"),
    [
        ("ORDERS", [], []),
        ("ORDERS", ["--set", DISABLED], [TRANSMISSION]),
        (
            "ONLY.HERE",
            ["--status", "TO.QM3=STOPPED"],
            ["the message waits on the transmission queue: TO.QM3 to QM3 is STOPPED"],
        ),
        ("ONLY.HERE", ["--status", "TO.QM3=RUNNING"], []),
        ("FAR", [], [NO_QUEUE]),
        ("NEAR", [], []),
        ("FOUND", [], []),
        (
            "LOST",
            [],
            [
                "LOST at QM2 is an alias of NOWHERE, which no queue manager has:"
                " the message cannot be put there when it arrives"
            ],
        ),
    ],
)
def test_the_way_to_what_was_chosen(files: list[str], queue: str, options: list[str], told: list[str]) -> None:
    assert in_the_way(files, queue, *options, code=2051 if TRANSMISSION in told else 0) == told


@pytest.mark.parametrize("limit", [" -n 'S*'", " -t qlocal"])
def test_a_dump_of_a_part_does_not_say_what_is_not_there(files: list[str], limit: str) -> None:
    Path(files[1]).write_text(DUMP.format(name="QM2", limit=limit, more=QM2))
    assert in_the_way(files, "FAR") == []


TAKES_QM3 = """
def takes_qm3(wxp):
    names = [each.QMgrName.strip() for each in wxp.DestinationArray]
    if "QM3" in names:
        wxp.DestinationChosen = names.index("QM3") + 1
"""


def test_an_exit_chooses_a_queue_that_is_disabled(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "takes_qm3.py").write_text(TAKES_QM3)
    monkeypatch.chdir(tmp_path)
    options = ["--set", "QMGR(QM1) CLWLEXIT('q')", "--exit", "q=takes_qm3:takes_qm3", "--bind", "NOTFIXED"]
    disabled = ["--set", "QLOCAL(ORDERS) QMGR(QM3) PUT(DISABLED)"]
    assert in_the_way(files, "ORDERS", *options, *disabled) == [
        "ORDERS at QM3 is put-disabled: the message is not put there when it arrives"
    ]


def test_a_plan_tells_what_stands_in_the_way_then(files: list[str]) -> None:
    status, document = answered(plan, *files, "--from", "QM1", "--set", DISABLED)
    rows = {(each["queue"], each["from"]): each["after"]["reason"] for each in document["rows"]}
    assert (status, {each["code"] for each in rows.values()}) == (3, {2051})
    assert rows.keys() == {(queue, "QM1") for queue in ("ORDERS", "ONLY.HERE", "LOST", "FOUND")}
    assert "remarks" not in answered(plan, *files, "--set", "QLOCAL(OWN) QMGR(QM2) PUT(DISABLED)")[1]


def test_who_leaves_takes_no_finding_of_others_along(files: list[str]) -> None:
    # ONLY.HERE is on QM3 alone, before and after; ORDERS is now, too. Of two full repositories one is left, all members
    # are described, and FAR and NEAR name a queue manager that nobody knows.
    document = answered(plan, *files, "--without", "QM2")[1]
    assert [(each["rule"], each["severity"]) for each in document["findings"]["new"]] == [
        ("check.21", "warning"),
        ("check.22", "warning"),
        ("check.22", "warning"),
        ("check.18", "note"),
    ]
    assert document["findings"]["gone"] == []
    left = "which is no longer there; no other CLUSSDR of that queue manager leads to a member"
    assert [each["remark"] for each in document["remarks"] if each["queue"] is None] == [
        f"the CLUSSDR TO.QM2 of {name} leads to QM2, {left}" for name in ("QM1", "QM3")
    ]


GATEWAYS = {
    "G1": "DEFINE QLOCAL(REQUESTS) CLUSTER(HUB)",
    "G2": "DEFINE QLOCAL(REQUESTS) CLUSTER(HUB)",
}


@pytest.fixture
def gateways(tmp_path: Path) -> list[str]:
    """Both put to their own instance, unless CLWLUSEQ(ANY) lets them balance; suspension counts for G2's alone."""
    for name, more in GATEWAYS.items():
        text = DUMP.format(name=name, limit="", more=f"ALTER QMGR CLWLUSEQ(ANY)\n{more}").replace("SALES", "HUB")
        (tmp_path / f"{name}.mqsc").write_text(text)
    return [str(tmp_path / f"{name}.mqsc") for name in GATEWAYS]


def test_a_plan_tells_which_reading_would_move_puts(gateways: list[str]) -> None:
    # From G2 the suspended instance is local, and whether that falls is the reading suspended-with-local.
    document = answered(plan, *gateways, "--suspend", "G2")[1]
    told = {(each["from"], each["remark"]) for each in document.get("remarks", ())}
    alone = answered(plan, *gateways, "--suspend", "G2", "--reading", "suspended-with-local=always")[1]
    moved = {row["from"] for row in alone["rows"]} - {row["from"] for row in document["rows"]}
    assert moved
    assert {name for name, said in told if said.startswith("with suspended-with-local=always: ")} >= moved


def test_a_member_that_is_suspended_in_none_of_its_clusters(gateways: list[str], tmp_path: Path) -> None:
    other, own = tmp_path / "other.mqsc", tmp_path / "own.mqsc"
    other.write_text("SUSPEND QMGR CLUSTER(SALES)\n")
    own.write_text("SUSPEND QMGR CLUSTER(HUB)\n")
    found = {
        options[1]: [each["rule"] for each in answered(plan, *gateways, *options)[1]["findings"]["new"]]
        for options in (["--with", f"G2={other}"], ["--with", f"G2={own}"], ["--suspend", "G2"])
    }
    assert list(found.values()) == [[], ["check.27"], ["check.27"]]


def test_where_an_exit_is_named_it_is_as_far_as_the_rules_go(gateways: list[str]) -> None:
    done = CliRunner().invoke(plan, [*gateways, "--set", "QMGR(G1) CLWLEXIT('spare')"], standalone_mode=False)
    assert "\nas far as the rules go, every put goes where it went\n" in done.stdout


def test_waiting_for_a_channel_hides_nothing_else() -> None:
    waiting = Delivery(
        sender="QM4", queue="Q", queue_manager="QM6", channel="C_QM6", channel_status="RETRYING", put_enabled=False
    )
    found = check_delivery(waiting, Rules())
    assert found is not None
    assert found.waits
    assert list(found.remarks) == [
        "the message waits on the transmission queue: C_QM6 to QM6 is RETRYING",
        "Q at QM6 is put-disabled: the message is not put there when it arrives",
    ]


def mapped(files: list[str], *options: str) -> dict[tuple[str, str], list[str]]:
    """The remarks of each row of the map that has any."""
    rows = answered(map_command, *files, *options)[1]["rows"]
    return {(row["queue"], row["from"]): row["remarks"] for row in rows if row["remarks"]}


def test_a_map_tells_it_of_every_row(files: list[str]) -> None:
    # ORDERS and ONLY.HERE stay at QM3 where they are put there; LOST is on QM2 alone, and leads nowhere. ORDERS spreads
    # from QM1, by opens.
    spreads = "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"
    lost = "LOST at QM2 is an alias of NOWHERE, which no queue manager has: the message cannot be put there when it arrives"
    assert mapped(files) == {**{("LOST", name): [lost] for name in ("QM1", "QM3")}, ("ORDERS", "QM1"): [spreads]}
    waits = "the message waits on the transmission queue: TO.QM3 to QM3 is STOPPED"
    options = ["--status", "TO.QM3=STOPPED", "--queue", "ONLY*"]
    assert mapped(files, *options) == {("ONLY.HERE", name): [waits] for name in ("QM1", "QM2")}
    text = CliRunner().invoke(map_command, [*files, *options], standalone_mode=False).stdout
    assert f"ONLY.HERE from QM1 and QM2: {waits}" in text.splitlines()


def test_a_transmission_queue_of_its_own_is_that_of_a_channel_that_it_names(files: list[str]) -> None:
    own = Path(files[0])
    given = own.read_text()
    disabled = "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('TO.QM*') PUT(DISABLED)\n* Script ended"
    own.write_text(given.replace("* Script ended", disabled))
    told = ["the transmission queue XQ of QM1 is put-disabled: no put over TO.QM3 succeeds"]
    assert in_the_way(files, "ONLY.HERE", code=2051) == told
    own.write_text(given.replace("* Script ended", disabled.replace("TO.QM*", "TO.QM2")))
    assert in_the_way(files, "ONLY.HERE", "--set", DISABLED, code=2051) == [TRANSMISSION]
    own.write_text(given.replace("* Script ended", "ALTER QMGR DEFCLXQ(CHANNEL)\n* Script ended"))
    assert in_the_way(files, "ONLY.HERE", "--set", DISABLED) == []


CLUSTER: dict[str, Any] = {
    "queue_manager": {"name": "QM1", "clusters": ["SALES"]},
    "remote_queue_manager": [{"name": "QM2", "clusters": ["SALES"]}],
    "queue": [{"name": "ORDERS", "queue_manager": "QM2", "clusters": ["SALES"], "defbind": "OPEN"}],
    "channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": "SALES", "status": "RUNNING"}],
}
STOPPED = {"do": "alter", "channel": "TO.QM2", "set": {"status": "STOPPED"}}
DISABLES = {"do": "alter", "queue": "ORDERS", "queue_manager": "QM2", "set": {"put": "DISABLED"}}
WAITS = "the message waits on the transmission queue: TO.QM2 to QM2 is STOPPED"


def on_lines(command: Command, tmp_path: Path, document: dict[str, Any]) -> Any:
    (tmp_path / "lines.jsonl").write_text(json.dumps(document) + "\n")
    done = CliRunner().invoke(command, ["--lines", str(tmp_path / "lines.jsonl")], standalone_mode=False)
    return json.loads(done.stdout)


def test_lines_of_facts_tell_it(tmp_path: Path) -> None:
    stopped = [{**CLUSTER["channel"][0], "status": "STOPPED"}]
    asked = CLUSTER | {"put": {"queue": "ORDERS"}}
    assert on_lines(explain, tmp_path, asked)["remarks"] == []
    assert on_lines(explain, tmp_path, asked | {"channel": stopped})["remarks"] == [WAITS]
    own = {"name": "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "usage": "XMITQ", "put": "DISABLED"}
    [said] = on_lines(explain, tmp_path, asked | {"queue": [*CLUSTER["queue"], own]})["remarks"]
    assert "(taken as that of every cluster channel: no DEFCLXQ is told)" in said


def test_a_replay_tells_it_as_things_are_at_each_put(tmp_path: Path) -> None:
    opened = {"do": "open", "queue": "ORDERS", "mode": "OUTPUT", "by": "A"}
    put = {"do": "put", "queue": "ORDERS", "by": "A"}
    # The open binds the handle to QM2 before anything is in the way.
    rows = on_lines(replay, tmp_path, CLUSTER | {"event": [opened, put, STOPPED, put, DISABLES, put]})
    disabled = "ORDERS at QM2 is put-disabled: the message is not put there when it arrives"
    assert [row.get("remarks", []) for row in rows] == [[], [], [], [WAITS], [], [WAITS, disabled]]


def test_what_is_in_the_way_is_told_again_after_a_put_that_it_was_not_in_the_way_of(tmp_path: Path) -> None:
    put, runs = {"do": "put", "queue": "ORDERS"}, STOPPED | {"set": {"status": "RUNNING"}}
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps(CLUSTER | {"event": [STOPPED, put, put, runs, put, STOPPED, put, put]}))
    done = CliRunner().invoke(replay, [str(scenario)], standalone_mode=False, catch_exceptions=False)
    told = [line.split()[1] for line in done.stdout.splitlines() if line[:5].strip().isdigit() or WAITS in line]
    assert told == ["alter", "put", "message", "put", "alter", "put", "alter", "put", "message", "put"]


def test_a_replay_beside_dumps_knows_what_they_tell(files: list[str], tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('[[event]]\ndo = "put"\nqueue = "LOST"\n[[event]]\ndo = "put"\nqueue = "LOST"\n')
    options = [str(scenario), *(part for file in files for part in ("--facts", file)), "--from", "QM1"]
    done = CliRunner().invoke(replay, options, standalone_mode=False, catch_exceptions=False)
    assert done.stdout.count("LOST at QM2 is an alias of NOWHERE") == 1, "a remark is told once"


SCRIPT = "* Queue manager name: {0}\nDEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CONNAME(h)\n{1}"
GATEWAY = "DEFINE QALIAS(FRONT) TARGET(STORE) CLUSTER(SALES)\n"
LOG = """Starting MQSC for queue manager QM4.
     1 : DISPLAY {asked} ALL
AMQ8409I: Display Queue details.
   QUEUE(FRONT)                            TYPE(QALIAS)
   TARGET(STORE)                           CLUSTER(SALES)
     2 : DISPLAY CHANNEL(*) ALL
AMQ8414I: Display Channel details.
   CHANNEL(TO.QM4)                         CHLTYPE(CLUSRCVR)
   CONNAME(h)                              CLUSTER(SALES)
"""


@pytest.mark.parametrize(
    ("host", "options", "is_told"),
    [
        (SCRIPT.format("QM4", GATEWAY), (), True),
        (SCRIPT.format("QM4", GATEWAY), ("--bind", "NOTFIXED"), False),
        (SCRIPT.format("QM4", GATEWAY), ("--call", "MQPUT1"), False),
        (SCRIPT.format("QM4", GATEWAY), ("--to-queue-manager", "QM4", "--bind", "NOTFIXED"), True),
        (SCRIPT.format("QM4", GATEWAY + "DEFINE QLOCAL(STORE)\n"), (), False),
        (SCRIPT.format("QM4", GATEWAY + "DEFINE QMODEL(STORE)\n"), (), True),
        (SCRIPT.format("QM4", GATEWAY + "DEFINE QMODEL(STORE)\n"), ("--bind", "NOTFIXED"), True),
        # A dump without local queues, and a log in which nobody asked for that one, do not tell that it is not there.
        (DUMP.format(name="QM4", limit=" -t qalias", more=GATEWAY), (), False),
        (LOG.format(asked="QUEUE(F*)"), (), False),
        (LOG.format(asked="QUEUE(*)"), (), True),
    ],
)
def test_an_alias_whose_host_lacks_its_queue(
    tmp_path: Path, host: str, options: tuple[str, ...], is_told: bool
) -> None:
    """QM5 has STORE in a cluster that the host may be in and QM1 is not: only what is bound to the host is lost."""
    own = SCRIPT.format("QM1", "DEFINE CHANNEL(TO.QM4) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME(h)\n")
    store = SCRIPT.format("QM5", "DEFINE QLOCAL(STORE) CLUSTER(SALES)\n").replace("SALES", "HUB")
    for name, text in (("QM1", own), ("QM4", host), ("QM5", store)):
        (tmp_path / f"{name}.mqsc").write_text(text)
    files = [str(tmp_path / f"{name}.mqsc") for name in ("QM1", "QM4", "QM5")]
    status, document = answered(explain, *files, "--from", "QM1", "--put", "FRONT", *options)
    assert (status, document["chosen"]["queue_manager"]) == (0, "QM4")
    assert any("on the dead-letter queue if DEADQ names one" in each for each in document["remarks"]) == is_told
    assert any("(2001)" in each for each in document["remarks"]) == ("QMODEL" in host)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        (GATEWAY, ["check.40"]),
        (GATEWAY.replace("\n", " DEFBIND(NOTFIXED)\n"), []),
        (GATEWAY.replace(" CLUSTER(SALES)", ""), []),
        (GATEWAY + "DEFINE QLOCAL(STORE)\n", []),
        # Nobody has it, under nearly that name alone: that is no matter of binding.
        (GATEWAY.replace("STORE", "STORES") + "DEFINE QLOCAL(OTHER)\n", ["check.17"]),
    ],
)
def test_check_finds_what_is_lost_where_it_is_bound_to(tmp_path: Path, host: str, found: list[str]) -> None:
    store = SCRIPT.format("QM5", "DEFINE QLOCAL(STORE) CLUSTER(SALES)\n")
    for name, text in (("QM4", SCRIPT.format("QM4", host)), ("QM5", store)):
        (tmp_path / f"{name}.mqsc").write_text(text)
    _, document = answered(check, *(str(tmp_path / f"{name}.mqsc") for name in ("QM4", "QM5")))
    told = {each["rule"]: each for each in document["findings"] if each["rule"] in ("check.40", "check.17")}
    assert [*told] == found
    if "check.17" in told:
        assert told["check.17"]["remedy"] == "did you mean STORE? let FRONT name that, or define STORES here"


@pytest.mark.parametrize(("binding", "is_told"), [("", True), (" DEFBIND(NOTFIXED)", False)])
def test_a_map_tells_what_is_lost_by_the_binding_of_the_queue(tmp_path: Path, binding: str, is_told: bool) -> None:
    """Its puts are not bound; those of an application that leaves that to the alias are."""
    own = SCRIPT.format("QM1", "DEFINE CHANNEL(TO.QM4) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME(h)\n")
    host = SCRIPT.format("QM4", GATEWAY.replace("\n", f"{binding}\n"))
    store = SCRIPT.format("QM5", "DEFINE QLOCAL(STORE) CLUSTER(SALES)\n").replace("SALES", "HUB")
    for name, text in (("QM1", own), ("QM4", host), ("QM5", store)):
        (tmp_path / f"{name}.mqsc").write_text(text)
    _, document = answered(map_command, *(str(tmp_path / f"{name}.mqsc") for name in ("QM1", "QM4", "QM5")))
    (row,) = (each for each in document["rows"] if (each["queue"], each["from"]) == ("FRONT", "QM1"))
    assert any("on the dead-letter queue if DEADQ names one" in each for each in row["remarks"]) == is_told


@pytest.mark.parametrize(
    ("sender", "receiver", "told"),
    [
        (" CLWLPRTY(6) CLWLWGHT(70)", " CLWLWGHT(70)", ["CLWLPRTY(6)"]),
        (" CLWLPRTY(6)", " CLWLPRTY(6)", []),
        # A default is in every dump: nobody has asked for it.
        (" CLWLPRTY(0)", " CLWLPRTY(6)", []),
        ("", " CLWLPRTY(6)", []),
    ],
)
def test_what_a_sender_states_does_not_count(tmp_path: Path, sender: str, receiver: str, told: list[str]) -> None:
    own = f"DEFINE CHANNEL(TO.QM4) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME(h){sender}\n"
    host = SCRIPT.format("QM4", "DEFINE QLOCAL(STORE) CLUSTER(SALES)\n").replace("CONNAME(h)", f"CONNAME(h){receiver}")
    for name, text in (("QM1", SCRIPT.format("QM1", own)), ("QM4", host)):
        (tmp_path / f"{name}.mqsc").write_text(text)
    files = [str(tmp_path / f"{name}.mqsc") for name in ("QM1", "QM4")]
    _, document = answered(explain, *files, "--from", "QM1", "--put", "STORE")
    expected = [
        f"the CLUSSDR TO.QM4 of QM1 states {each}, which does not count:"
        " the CLUSRCVR at QM4 has other values, and they do"
        for each in told
    ]
    assert [each for each in document["remarks"] if "CLUSSDR" in each] == expected


@pytest.mark.parametrize(("queue", "told"), [("ORDERS", True), ("ONLY.HERE", False)])
def test_what_a_sender_states_is_told_of_each_route_of_the_put(tmp_path: Path, queue: str, told: bool) -> None:
    """QM6 has the higher rank: QM4 falls although QM1 states the highest one for it. QM6 alone has ONLY.HERE."""
    orders = "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n"
    own = "DEFINE CHANNEL(TO.QM4) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME(h) CLWLRANK(9)\n"
    higher = SCRIPT.format("QM6", f"{orders}DEFINE QLOCAL(ONLY.HERE) CLUSTER(SALES)\n")
    scripts = {
        "QM1": SCRIPT.format("QM1", own),
        "QM4": SCRIPT.format("QM4", orders),
        "QM6": higher.replace("CONNAME(h)", "CONNAME(h) CLWLRANK(2)"),
    }
    for name, text in scripts.items():
        (tmp_path / f"{name}.mqsc").write_text(text)
    _, document = answered(explain, str(tmp_path / "*.mqsc"), "--from", "QM1", "--put", queue)
    assert document["chosen"]["queue_manager"] == "QM6"
    assert any("the CLUSSDR TO.QM4 of QM1 states CLWLRANK(9)" in each for each in document["remarks"]) == told


STREAMED = """* Queue manager name: QM1
DEFINE QLOCAL(APPQ) STREAMQ(APPQ.COPY) CUSTOM('CAPEXPRY(600)')
DEFINE QLOCAL(APPQ.COPY)
DEFINE QLOCAL(PLAIN) STREAMQ(' ') CUSTOM('CAPEXPRY(NOLIMIT)')
"""
UNFOLLOWED = ["STREAMQ(APPQ.COPY) of APPQ at QM1 is set", "CAPEXPRY(600) of APPQ at QM1 is set"]


def test_what_is_not_followed_is_told_of_the_queue_that_has_it(tmp_path: Path) -> None:
    file = tmp_path / "QM1.mqsc"
    file.write_text(STREAMED)
    for queue, expected in (("APPQ", UNFOLLOWED), ("PLAIN", []), ("APPQ.COPY", [])):
        remarks = answered(explain, str(file), "--put", queue)[1]["remarks"]
        assert [each.partition(" is set")[0] + " is set" for each in remarks if " is set" in each] == expected


def test_a_replay_tells_it_once_to_a_person(tmp_path: Path) -> None:
    file = tmp_path / "puts.toml"
    queue = '[[queue]]\nname = "APPQ"\nstreamq = "APPQ.COPY"\ncapexpry = 600\n'
    event = '[[event]]\ndo = "put"\nqueue = "APPQ"\n'
    file.write_text(f'[queue_manager]\nname = "QM1"\n{queue}[[queue]]\nname = "APPQ.COPY"\n{event}{event}')
    text = CliRunner().invoke(replay, [str(file)], standalone_mode=False).stdout
    assert [text.count(each) for each in UNFOLLOWED] == [1, 1]


LED_ON = """* Queue manager name: QM1
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(PLANT) CONNAME('h1')
DEFINE QALIAS(FIRST) TARGET(PARTS) CUSTOM('CAPEXPRY(300)')
DEFINE QALIAS(SECOND) TARGET(PARTS)
DEFINE QALIAS(HERE) TARGET(TOOLS) CUSTOM('CAPEXPRY(900)')
DEFINE QLOCAL(TOOLS)
"""
HOSTING = """* Queue manager name: QM2
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(PLANT) CONNAME('h2')
DEFINE QLOCAL(PARTS) CLUSTER(PLANT)
"""


def test_an_alias_on_the_way_that_limits_how_long_messages_live_is_told(tmp_path: Path) -> None:
    files = [tmp_path / "QM1.mqsc", tmp_path / "QM2.mqsc"]
    for file, text in zip(files, (LED_ON, HOSTING), strict=True):
        file.write_text(text)
    given = [*map(str, files), "--from", "QM1"]
    first, here = "CAPEXPRY(300) of FIRST at QM1 is set", "CAPEXPRY(900) of HERE at QM1 is set"
    for queue, expected in (("FIRST", [first]), ("SECOND", []), ("HERE", [here]), ("TOOLS", []), ("PARTS", [])):
        remarks = answered(explain, *given, "--put", queue)[1]["remarks"]
        assert [each.partition(" is set")[0] + " is set" for each in remarks if " is set" in each] == expected
    rows = {row["queue"]: row["remarks"] for row in answered(map_command, *given)[1]["rows"]}
    assert {queue: sum(first in each for each in told) for queue, told in rows.items()} == {
        "FIRST": 1, "SECOND": 0, "PARTS": 0,
    }  # fmt: skip
    events = "".join(f'[[event]]\ndo = "put"\nqueue = "{queue}"\n' for queue in ("HERE", "FIRST", "TOOLS"))
    (tmp_path / "puts.toml").write_text(events)
    scenario = [
        str(tmp_path / "puts.toml"),
        "--from",
        "QM1",
        *(word for file in files for word in ("--facts", str(file))),
    ]
    text = CliRunner().invoke(replay, scenario, standalone_mode=False).stdout
    assert [text.count(each) for each in (first, here)] == [1, 1]
