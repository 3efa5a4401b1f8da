"""CLWLEXIT names an exit and nobody has given it: no answer rests on that without saying so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from mqclause import Engine, Put, Replay, Rules, read_document
from mqclause.exits.process import Exits
from mqclause.model.timeline.scenario import build_scenario
from mqclause.tools.commands.batch import print_exits
from mqclause.workload.sensitivity import find_unknowns
from spec_tests.support.exit_scene import HOSTS, facts, taking
from spec_tests.support.explain_command import run, written


def unknown(name: str) -> str:
    return f"no exit is given for CLWLEXIT({name}), so what it would make of the choice is not known"


def told(name: str) -> dict[str, str]:
    """The same as a document tells it, with what tells more."""
    return {
        "what": unknown(name), "object": name, "command": f"mqclause explain … --exit '{name}=MODULE:FUNCTION'",
    }  # fmt: skip


def remarked(events: list[dict[str, Any]], exits: dict[str, Any] | None = None, **changes: Any) -> list[list[str]]:
    """By event, the names of exits that are told to be missing."""
    document = {**facts(**changes), "event": events}
    with Replay(exits=exits) as replay:
        rows = [each.to_json() for each in replay.rows(build_scenario(document, "scenario"))]
    start = "no exit is given for CLWLEXIT("
    told = [[each for each in row.get("remarks", []) if each.startswith(start)] for row in rows]
    return [[each.removeprefix(start).partition(")")[0] for each in remarks] for remarks in told]


PUT = {"do": "put", "queue": "Q"}
RESTART = {"do": "restart"}
DISABLED_ALIAS: dict[str, Any] = {"local": [{"name": "A", "type": "QALIAS", "target": "Q", "put": "DISABLED"}]}


def altered(name: str) -> dict[str, Any]:
    return {"do": "alter", "set": {"clwlexit": name}}


def test_each_choice_of_a_replay_says_so() -> None:
    opened = {"do": "open", "queue": "Q", "mode": "OUTPUT", "by": "APP"}
    on_handle = {**PUT, "by": "APP"}
    # The open has fixed the destination, so its put chooses nothing.
    assert remarked([PUT, opened, on_handle, RESTART]) == [["myexit"], ["myexit"], [], []]


def test_off_zos_the_name_of_the_latest_start_is_missing() -> None:
    events = [PUT, altered("new"), PUT, RESTART, PUT, altered(""), PUT, RESTART, PUT]
    assert remarked(events) == [["myexit"], [], ["myexit"], [], ["new"], [], ["new"], [], []]
    # It was blank at the start.
    assert remarked([altered("new"), PUT, RESTART, PUT], queue_manager={"clwlexit": ""}) == [[], [], [], ["new"]]


def test_on_zos_that_of_the_connection() -> None:
    events = [altered("new"), PUT, altered(""), PUT]
    assert remarked(events, queue_manager={"platform": "ZOS"}) == [[], ["new"], [], []]


def test_one_of_two_is_given() -> None:
    found = remarked([PUT, altered("new"), RESTART, PUT], {"myexit": taking(2)})
    assert found == [[], [], [], ["new"]]


def test_a_message_whose_target_fails() -> None:
    document = facts() | {
        "in_flight": [{"id": each, "queue": "Q", "channel": "TO.QM2"} for each in ("M1", "M2")],
        "event": [{"do": "fail", "queue_manager": "QM2"}],
    }
    (row,) = (row.to_json() for row in Replay().rows(build_scenario(document, "scenario")))
    assert row["remarks"] == [unknown("myexit")]
    assert [("exit" in each, each["rule"]) for each in row["fates"]] == [(False, "administration.05g")] * 2


def test_lines_and_the_timeline(tmp_path: Path) -> None:
    name = written(tmp_path, facts() | {"event": [PUT, PUT]})
    document = json.dumps(facts() | {"event": [PUT]})
    (row,) = json.loads(run("replay", "--lines", "-", stdin=document.encode()).stdout)
    assert row["remarks"] == [unknown("myexit")]
    done = run("replay", name)
    # A person reads it where it is so first.
    assert [line.strip() for line in done.stdout.splitlines()][:4] == [
        "0 put Q", "goes to Q at QM2 by TO.QM2", unknown("myexit"), "1 put Q",
    ]  # fmt: skip
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("changes", "put", "is_unknown"),
    [
        ({}, Put(queue="Q"), True),
        ({}, Put(queue="Q", call="MQOPEN", bind="OPEN"), True),
        ({"queues": {host: {"put": "DISABLED"} for host in HOSTS}}, Put(queue="Q"), True),
        ({"queue_manager": {"clwlexit": ""}}, Put(queue="Q"), False),
        # Nothing could be offered to it; no workload rule is asked; the alias fails an MQPUT1 before anybody chooses,
        # but the open of an MQPUT that it binds asks the exit, which may fail that.
        ({"channels": {host: {"cluster": "T"} for host in HOSTS}}, Put(queue="Q"), False),
        ({"local": [{"name": "L", "queue_manager": "QM1"}]}, Put(queue="L"), False),
        (DISABLED_ALIAS, Put(queue="A", call="MQPUT1"), False),
        (DISABLED_ALIAS, Put(queue="A"), True),
    ],
)
def test_an_answer_rests_on_it_where_it_would_be_called(changes: dict[str, Any], put: Put, is_unknown: bool) -> None:
    snapshot = read_document(facts(**changes), "facts")
    found = find_unknowns(Engine().choose(put, snapshot.cluster), snapshot)
    assert [each.what for each in found] == [unknown("myexit")] * is_unknown


def test_explain_says_so_also_in_one_line(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    assert json.loads(run("explain", name, "--json").stdout)["incomplete"] == [told("myexit")]
    assert run("explain", name, "--brief").stdout.rstrip().endswith("; rests on 1 unknown fact")
    lines = [" ".join(line.split()) for line in run("explain", name).stdout.splitlines()]
    assert f"rests on {unknown('myexit')}" in lines
    assert f"notes {unknown('myexit')}" not in lines  # said once


def test_a_map_says_so(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    (row,) = json.loads(run("map", name, "--json").stdout)["rows"]
    assert row["incomplete"] == [told("myexit")]
    said = run("map", name).stdout.splitlines()
    assert f"from QM1: {unknown('myexit')}" in said
    assert "  mqclause explain … --exit 'myexit=MODULE:FUNCTION'" in said
    of_opens = "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"
    assert run("map", name, "--csv").stderr.splitlines() == [
        f"remark: from QM1: {unknown('myexit')}", f"remark: Q from QM1: {of_opens}"
    ]  # fmt: skip
    # There is nothing else that the map rests on.
    assert not any("this rests on" in line for line in said)


def test_a_plan_says_so_of_both_sides(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    change = ("--set", "QMGR(QM1) CLWLEXIT('new')")
    done = run("plan", name, *change, "--json")
    # No put moves; that check finds another exit that no file describes is a change.
    assert (done.returncode, json.loads(done.stdout)["rows"]) == (3, [])
    assert json.loads(done.stdout)["incomplete"] == [{"from": "QM1", **told(each)} for each in ("myexit", "new")]
    assert len(run("plan", name, *change, "--csv").stderr.splitlines()) == 2
    said = run("plan", name, *change).stdout.splitlines()
    assert [line for line in said if line.startswith("from QM1: no exit")] == [
        f"from QM1: {unknown(each)}" for each in ("myexit", "new")
    ]


def test_the_rows_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    known = read_document(facts(), "facts").cluster
    other = evolve(known, queue_manager=evolve(known.queue_manager, name="QM9", clwlexit="new"))
    print_exits({"QM1": known, "QM9": other}, Exits({"new": taking(2)}), Rules())
    assert capsys.readouterr().err.splitlines() == [
        "decided in Python, not in SQL: rows of QM9 (CLWLEXIT new)",
        f"remark: from QM1: {unknown('myexit')}",
    ]
