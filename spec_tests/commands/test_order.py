"""``mqclause order``: both orders of a queue, and what is wrong with messages in facts."""

from __future__ import annotations

import gc
import json
import re
from importlib.resources import files
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from mqclause.rulebook.rules import get_rules_folder
from spec_tests.support.explain_command import run

FIGURE = str(files("mqclause.tools") / "examples" / "figure_11.toml")
FACTS: dict[str, Any] = {
    "queue_manager": {"name": "QM1"},
    "queue": [{"name": "APPQ"}, {"name": "EMPTY"}, {"name": "AL", "type": "QALIAS", "target": "APPQ"}],
}


def written(folder: Path, *messages: dict[str, Any], **more: Any) -> str:
    path = folder / "facts.json"
    path.write_text(json.dumps({**FACTS, "message": list(messages), **more}))
    return str(path)


def test_figures_10_and_11() -> None:
    done = run("order", FIGURE, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "format": "mqclause.order/1",
        "queue": "APPQ",
        "physical": ["A", "Y1", "Z2", "Y2", "Y3.1", "Y3.2", "Z1", "B"],
        "logical": ["A", "Y1", "Y2", "Y3.1", "Y3.2", "Z1", "Z2", "B"],
        "left_out": [],
        "as_put": [{"by": "", "guaranteed": True, "because": []}],
    }


def test_a_message_of_an_open_unit_of_work_is_left_out_of_both_orders(tmp_path: Path) -> None:
    path = written(tmp_path, {"id": "A", "queue": "APPQ"}, {"id": "U", "queue": "APPQ", "unit_of_work": "U1"})
    told = json.loads(run("order", path, "--json").stdout)
    assert (told["physical"], told["logical"], told["as_put"]) == (["A"], ["A"], [])
    because = "unit of work U1 has not committed it"
    assert told["left_out"] == [
        {"message": "U", "of": of, "rule": "retrieval.5.1", "clause": "5.1", "because": because}
        for of in ("physical", "logical")
    ]


@pytest.mark.parametrize(
    ("depth", "begins"),
    [
        (5, "CURDEPTH is 5, and no message is given: "),
        (None, "no source tells how many messages are on DEEP: "),
        (0, ""),
    ],
)
def test_messages_that_are_there_and_not_given_are_told(tmp_path: Path, depth: int | None, begins: str) -> None:
    """Of five messages, or of nobody knows how many, the lists are not empty but unknown; amqsbcg shows them."""
    queue = {"name": "DEEP"} | ({} if depth is None else {"curdepth": depth})
    more = {"unknown": {"curdepth": ["DEEP"]}} if depth is None else {}
    path = written(tmp_path, queue=[queue], **more)
    told = json.loads(run("order", path, "--queue", "DEEP", "--json").stdout)
    assert (told["physical"], told["logical"]) == ([], [])
    assert [(each["object"], each["command"]) for each in told.get("incomplete", [])] == (
        [("DEEP", "amqsbcg 'DEEP' QM1")] if begins else []
    )
    text = run("order", path, "--queue", "DEEP").stdout
    assert ("[[message]] tables" in text, "next get: reason 2033" in text) == (bool(begins), not begins)
    if begins:
        assert told["incomplete"][0]["what"].startswith(begins)
    of_all = run("order", path)
    assert of_all.returncode == 2
    assert ("messages are on DEEP; --queue QUEUE says how to give them" in of_all.stderr) is bool(depth)


def test_a_queue_that_is_named_may_be_empty(tmp_path: Path) -> None:
    path = written(tmp_path, {"id": "A", "queue": "APPQ"})
    told = json.loads(run("order", path, "--queue", "EMPTY", "--json").stdout)
    assert (told["queue"], told["physical"], told["logical"]) == ("EMPTY", [], [])
    assert [json.loads(line)["queue"] for line in run("order", path, "--json").stdout.splitlines()] == ["APPQ"]


@pytest.mark.parametrize(("script", "option"), [
    ("ALTER QLOCAL(APPQ) MSGDLVSQ(FIFO)\n", "--with"), ("QLOCAL(APPQ) MSGDLVSQ(FIFO)", "--set"),
])  # fmt: skip
def test_what_if_the_queue_were_in_fifo_sequence(tmp_path: Path, script: str, option: str) -> None:
    path = written(tmp_path, {"id": "A", "queue": "APPQ"}, {"id": "B", "queue": "APPQ", "priority": 5})
    given = script
    if option == "--with":
        given = str(tmp_path / "fifo.mqsc")
        Path(given).write_text(script)
    assert json.loads(run("order", path, "--json").stdout)["physical"] == ["B", "A"]
    done = run("order", path, option, given, "--json")
    assert (done.stderr, json.loads(done.stdout)["physical"]) == ("", ["A", "B"])


def test_the_priority_that_is_shown_is_the_one_that_rules_give(tmp_path: Path) -> None:
    """DEFPRTY 0 of a FIFO queue; by rules that know no FIFO the message's own."""
    facts = {"queue": [{"name": "APPQ", "msgdlvsq": "FIFO"}]}
    path = written(tmp_path, {"id": "A", "queue": "APPQ", "priority": 5}, **facts)
    assert "1  A  0      A  0\n" in run("order", path).stdout
    folder = Path(copytree(get_rules_folder(), tmp_path / "rules"))
    terms = (folder / "terms.toml").read_text()
    (folder / "terms.toml").write_text(terms.replace("CASE WHEN fifo THEN defprty ELSE priority END", "priority"))
    assert "1  A  5      A  5\n" in run("order", path, "--rules", str(folder)).stdout


def test_messages_beside_a_script_that_defines_their_queue(tmp_path: Path) -> None:
    messages = tmp_path / "messages.txt"
    messages.write_text('message = [{id = "A", queue = "APPQ"}, {id = "B", queue = "APPQ", priority = 5}]')
    script = tmp_path / "QM1.mqsc"
    script.write_text("* Queue manager name: QM1\nDEFINE QLOCAL(APPQ) MSGDLVSQ(FIFO)\n")
    done = run("order", str(script), str(messages), "--from", "QM1", "--json")
    assert (done.stderr, json.loads(done.stdout)["physical"]) == ("", ["A", "B"])
    wrong = run("order", str(messages), "--format", "mqsc")
    assert wrong.returncode == 2


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    done = run("order", written(tmp_path, {"id": "Y2", "queue": "APPQ", "group": "Y", "sequence": 2}))
    assert "left out of the logical order: Y2: the first message of group Y is not available (3.6)" in done.stdout
    assert "next get with LOGICAL_ORDER: reason 2033" in done.stdout


@pytest.mark.parametrize(("name", "near"), [("AL", ""), ("NONE", ""), ("APQ", "; did you mean 'APPQ'?")])
def test_a_name_that_is_no_local_queue(tmp_path: Path, name: str, near: str) -> None:
    done = run("order", written(tmp_path), "--queue", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"--queue: '{name}' is no local queue; allowed: APPQ, EMPTY{near}\n"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"segment": True}, "message 1 'A': segment: True is not allowed without group"),
        ({"last_in_group": True}, "message 1 'A': last_in_group: True is not allowed without group"),
        ({"group": "Y", "sequence": 0}, "message 1 'A': sequence: 0 is not allowed; allowed: a whole number from 1"),
        ({"group": "Y", "offset": 2**31}, "message 1 'A': offset: 2147483648 is not allowed; allowed: a whole number"),
        ({"priority": -1}, "message 1 'A': priority: -1 is not allowed; allowed: a whole number from 0"),
        ({"queue": "AL"}, "message 1 'A': queue: 'AL' is no local queue of 'QM1'; it has to be one"),
        ({"groupp": "Y"}, "message 1 'A': unknown key 'groupp', given as 'Y'; allowed: id, queue, priority, group"),
    ],
)
def test_a_message_at_fault_is_told_in_one_line(tmp_path: Path, message: dict[str, Any], said: str) -> None:
    path = written(tmp_path, {"id": "A", "queue": "APPQ", **message})
    done = run("order", path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.match(f"{re.escape(path)}:1:[0-9]+: {re.escape(said)}", done.stderr)


def test_an_id_is_given_once(tmp_path: Path) -> None:
    done = run("order", written(tmp_path, {"id": "A", "queue": "APPQ"}, {"id": "A", "queue": "EMPTY"}))
    assert done.stderr.endswith("message 2 'A': id: 'A' is given twice; it stands in message 1 too\n")


def test_messages_and_a_depth_do_not_go_together(tmp_path: Path) -> None:
    path = written(tmp_path, {"id": "A", "queue": "APPQ"}, queue=[{"name": "APPQ", "curdepth": 3}])
    assert "queue: 'APPQ' has curdepth, too; allowed: one of curdepth and message" in run("order", path).stderr


GET = {"do": "get", "queue": "APPQ"}
PUT = {"do": "put", "queue": "APPQ"}


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({**GET, "options": ["BROWSE_FIRST", "BROWSE_NEXT"]}, "options: BROWSE_FIRST and BROWSE_NEXT stand together"),
        ({**GET, "options": ["LOGICAL_ORDER", "MSG_UNDER_CURSOR"]}, "options: LOGICAL_ORDER stands beside"),
        ({**GET, "options": ["BROWSE_FRIST"]}, "options: 'BROWSE_FRIST' is not allowed; allowed: LOGICAL_ORDER"),
        ({**GET, "match": {"colour": "red"}}, "match: 'colour' is not allowed; allowed: a table with keys id"),
        ({**GET, "match": {"sequence": 0}}, "match.sequence: 0 is not allowed"),
        ({**PUT, "match": {"id": "A"}}, "a put takes no key 'match'"),
        ({**GET, "group": "Y"}, "a get takes no key 'group'"),
        ({**PUT, "id": "M", "count": 2}, "id: 'M' is not allowed with count 2"),
        ({**PUT, "id": "M", "segments": 2}, "segments: 2 is not allowed with id"),
        ({**PUT, "segment": True}, "segment: True is not allowed without group"),
        ({**PUT, "id": "A"}, "id: 'A' is given twice; it stands in the facts too"),
        ({"do": "get", "queue": "NONE"}, "queue 'NONE' is not known"),
    ],
)
def test_an_event_at_fault_is_told_in_one_line(tmp_path: Path, event: dict[str, Any], said: str) -> None:
    done = run("replay", written(tmp_path, {"id": "A", "queue": "APPQ"}, event=[event]))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
    assert "event 0 " in done.stderr


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([{**PUT, "id": "#1"}, PUT], "event 1 (put): id is missing: '#1', as replay would call it, stands in event 0 (put)"),
        ([PUT, {**PUT, "id": "#0"}], "event 0 (put): id is missing: '#0', as replay would call it, stands in event 1 (put)"),
        ([{**PUT, "id": "#1.2"}, {**PUT, "count": 3}], "event 1 (put): id is missing: '#1.2', as replay would call it"),
        ([{**PUT, "group": "#1"}, {**PUT, "logical_order": True, "in_group": True}], "event 1 (put): group is missing: '#1'"),
        ([{**PUT, "id": "#0"}, {**PUT, "id": "#2"}, {**PUT, "count": 3}, {**PUT, "id": "#2.3"}, {**PUT, "id": "#2.02"}], ""),
        ([{**PUT, "group": "#1"}, {**PUT, "group": "#0", "logical_order": True}], ""),
    ],
)  # fmt: skip
def test_a_label_that_is_given_as_a_name_too(tmp_path: Path, events: list[dict[str, Any]], said: str) -> None:
    """What has no name is called by its event, from 0, and its repetition."""
    done = run("replay", written(tmp_path, {"id": "A", "queue": "APPQ"}, event=events), "--json")
    assert (done.returncode, done.stderr.count("\n")) == ((2, 1) if said else (0, 0))
    assert said in done.stderr


def test_replay_tells_what_a_get_passed_over(tmp_path: Path) -> None:
    """In physical order, whatever the rules: two of Y, then six outside any group."""
    members = [{"id": f"Y{number}", "queue": "APPQ", "group": "Y", "sequence": number} for number in (2, 3)]
    others = [{"id": f"A{number}", "queue": "APPQ"} for number in range(6)]
    path = written(tmp_path, members[0], *others, members[1], event=[
        {**GET, "options": ["LOGICAL_ORDER"]}, {**GET, "match": {"sequence": 3}}, {**GET, "options": ["LOGICAL_ORDER"]},
    ])  # fmt: skip
    shown = run("replay", path).stdout.splitlines()
    assert shown[1:3] == ["      returns A0", "         3.6  not Y2: the first message of group Y is not available"]
    assert shown[4:] == [
        "      returns Y3  GroupStatus G",
        "         1.2  not Y2: its MsgSeqNumber is 2, not 3",
        *(f"         1.2  not A{number}: its MsgSeqNumber is 1, not 3" for number in (1, 2, 3, 4)),
        "              and 1 more behind them",
        "    2 get APPQ LOGICAL_ORDER",
        "         4.3  not Y2: it is not the next message of the current group, Y",
        *(
            f"         4.3  not A{number}: it is not the next message of the current group, Y"
            for number in (1, 2, 3, 4)
        ),
        "              and 1 more behind them",
        "      reason 2033: the next message of group Y (MsgSeqNumber 4, Offset 0) is not on the queue, or not complete (2033)",
    ]


def test_each_message_of_a_repeated_put_in_a_unit_of_work_is_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, event=[{**PUT, "count": 2, "unit_of_work": "U"}, PUT, {**PUT, "unit_of_work": "U"}, GET])
    shown = run("replay", path).stdout.splitlines()
    assert shown[shown.index("      returns #1") :] == [
        "      returns #1",
        "         5.1  not #0.0: unit of work U has not committed it",
        "         5.1  not #0.1: unit of work U has not committed it",
    ]


def test_segments_that_are_returned_with_the_first_are_not_passed_over(tmp_path: Path) -> None:
    segments = [
        {"id": "S2", "queue": "APPQ", "group": "S", "in_group": False, "last_segment": True, "offset": 100},
        {"id": "T2", "queue": "APPQ", "group": "T", "in_group": False, "last_segment": True, "offset": 100},
        {"id": "S1", "queue": "APPQ", "group": "S", "in_group": False, "segment": True},
    ]
    path = written(tmp_path, *segments, event=[{**GET, "options": ["COMPLETE_MSG"]}])
    assert run("replay", path).stdout.splitlines()[1:] == [
        "      returns S1 S2  SegmentStatus L",
        "         7.5  not T2: it is a later segment of its logical message",
    ]


def test_replay_takes_no_reading_of_the_order_alone(tmp_path: Path) -> None:
    path = written(tmp_path, {"id": "A", "queue": "APPQ"}, event=[GET])
    done = run("replay", path, "--reading", "group-position=first-to-arrive")
    assert (done.returncode, done.stdout) == (2, "")
    assert run("order", path, "--reading", "group-position=first-to-arrive").returncode == 0


def test_the_next_get_in_logical_order_returns_what_stands_first_in_it(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = [
        {"id": "Y2", "queue": "APPQ", "group": "Y", "sequence": 2},
        {"id": "Z2", "queue": "APPQ", "group": "Z", "sequence": 2, "last_in_group": True},
        {"id": "A", "queue": "APPQ"},
        {"id": "Y1", "queue": "APPQ", "group": "Y"},
        {"id": "Z1", "queue": "APPQ", "group": "Z"},
    ]
    path = written(tmp_path, *messages)
    done = run("order", path, "--reading", "group-position=first-to-arrive")
    assert "next get with LOGICAL_ORDER: Y1\nnext get with LOGICAL_ORDER ALL_MSGS_AVAILABLE: Z1\n" in done.stdout
    assert "next get with LOGICAL_ORDER: A\n" in run("order", path).stdout


@pytest.mark.parametrize(("there", "verdict"), [(2, "triggers"), (1, "does not")])
def test_messages_in_the_facts_count_for_triggering(tmp_path: Path, there: int, verdict: str) -> None:
    depth = {"name": "APPQ", "trigger": True, "trigtype": "DEPTH", "trigdpth": 3, "process": "P", "initq": "INITQ"}
    path = written(
        tmp_path,
        *({"id": f"M{at}", "queue": "APPQ"} for at in range(there)),
        queue=[{**depth, "ipprocs": 0}, {"name": "INITQ", "ipprocs": 1}],
        process=[{"name": "P", "applicid": "/opt/p"}],
    )
    assert json.loads(run("why", "APPQ", path, "--json").stdout)["verdict"] == verdict


@pytest.mark.parametrize("queue", ["APPQ", "NOPE"])
def test_collector_runs_again_after_the_command(tmp_path: Path, queue: str) -> None:
    assert gc.isenabled()
    run("order", written(tmp_path, {"queue": "APPQ"}), "--queue", queue)
    assert gc.isenabled()


INDEXED = "the queue has INDXTYPE(GROUPID) on z/OS"


@pytest.mark.parametrize(
    ("platform", "index", "guaranteed"),
    [("z/OS", "GROUPID", False), ("z/OS", "CORRELID", True), ("z/OS", "", True), ("UNIX", "GROUPID", True)],
)
def test_an_index_by_group_on_zos_leaves_the_physical_order_open(
    tmp_path: Path, platform: str, index: str, guaranteed: bool
) -> None:
    script, facts = tmp_path / "QM1.mqsc", tmp_path / "lie.toml"
    indexed = f"INDXTYPE({index})" if index else ""
    head = f"* Queue manager name: QM1\n* Queue manager platform: {platform}\n"
    script.write_text(f"{head}DEFINE QLOCAL(PARTS) {indexed}\n")
    lie = ("{id = 'P1', queue = 'PARTS', by = 'STORE'}", "{id = 'P2', queue = 'PARTS', by = 'STORE'}")
    facts.write_text(f"message = [{', '.join(lie)}]\n")
    done = run("order", str(script), str(facts), "--from", "QM1", "--json")
    found = json.loads(done.stdout)
    assert (found["physical"], found["as_put"][0]["guaranteed"]) == (["P1", "P2"], guaranteed)
    assert [each.startswith(INDEXED) for each in found["as_put"][0]["because"]] == ([] if guaranteed else [True])
    assert [each.startswith(INDEXED) for each in found.get("remarks", ())] == ([] if guaranteed else [True])
    text = run("order", str(script), str(facts), "--from", "QM1").stdout
    assert ("physical order of its messages is not guaranteed" in text) is not guaranteed
