"""Rows of tables that a cluster workload exit is called for, in DuckDB: as the engine decides each on its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from attrs import evolve

from mqclause import Rules, read_document
from mqclause.duckdb import decide
from mqclause.exits import MQWXP, prefer_channel
from mqclause.tables.flat import TABLES_AT_A_TIME, ExitRowDecider, cluster_puts
from mqclause.tables.schema import TableError
from spec_tests.support.exit_scene import NAME, Exit, facts, only_at_a_choice, taking, writing, written

DUCK = duckdb.default_connection()


KNOWN = read_document(facts(), "facts").cluster
"""QM2, QM3 and QM4 host Q, and CLWLDATA is TO.QM3."""


def puts(*rows: Mapping[str, Any]) -> duckdb.DuckDBPyRelation:
    """A flat table: a number, a queue, a binding and a call."""
    table = [
        (number, row.get("queue", "Q"), row.get("bind", "NOTFIXED"), row.get("call")) for number, row in enumerate(rows)
    ]
    values = ", ".join("(?, ?, ?, ?)" for _ in table)
    given = [value for row in table for value in row]
    return DUCK.sql(f"SELECT * FROM (VALUES {values}) AS t(number, dest, bind, call)", params=given)


def decided(table: duckdb.DuckDBPyRelation, known: Any, **options: Any) -> list[dict[str, Any]]:
    """The decisions in the order of the rows."""
    found = decide(table, known, queue="dest", bind="bind", call="call", **options)
    assert found.columns == [*table.columns, "decision"]
    return [decision for _, decision in sorted(found.project("number, decision").fetchall())]


def answered(exit: Exit, *asked: Mapping[str, Any], limit: float = 5.0) -> list[dict[str, Any]]:  # noqa: A002
    """The decisions about rows that this exit is called for, as a table gets them."""
    puts_of = cluster_puts({"dest": "text"}, KNOWN, None, {"queue": "dest"})
    rows = ExitRowDecider.of(puts_of, Rules(), {NAME: exit}, limit, False, None)
    assert rows is not None
    said = [json.dumps({"queue": "Q", "bind": "NOTFIXED", **each}) for each in asked]
    return [json.loads(rows.decision(0, each)) for each in said]


def went(found: list[dict[str, Any]]) -> list[str | int]:
    return [each["queue_manager"] or each["reason"] or each["outcome"] for each in found]


def test_the_exit_decides_where_it_is_called() -> None:
    table = puts({}, {"call": "MQOPEN"}, {"call": "MQOPEN", "bind": "OPEN"}, {"queue": "NONE"}, {"bind": "LOOSE"})
    ranked = read_document(facts(channels={"QM2": {"clwlrank": 5}}), "facts").cluster
    found = decided(table, ranked, exits={NAME: prefer_channel}, explain=True)
    assert went(found) == ["QM3", "deferred", "QM3", 2085, "invalid"]
    assert found[0] == {
        "outcome": "chosen",
        "queue": "Q",
        "queue_manager": "QM3",
        "channel": "TO.QM3",
        "reason": None,
        "permitted": 1,
        # The rules chose QM2.
        "eliminated_by": [None, "workload.04a", "workload.04a"],
        "message": None,
        "transmission_queue": None,
    }


def test_without_a_name_of_one_that_is_given_all_stays_native() -> None:
    puts_of = cluster_puts({"dest": "text"}, KNOWN, None, {"queue": "dest"})
    assert ExitRowDecider.of(puts_of, Rules(), {"other": taking(3)}, 5.0, False, None) is None


def test_an_exit_that_refuses_and_fails(caplog: pytest.LogCaptureFixture) -> None:
    def refuses_opens(wxp: MQWXP) -> None:
        wxp.ExitResponse = "SUPPRESS_FUNCTION"
        if wxp.ExitReason == "CLWL_PUT":
            raise ValueError("boom")

    exit = only_at_a_choice(refuses_opens)  # noqa: A001
    found = answered(exit, {}, {"call": "MQOPEN"}, {"queue": "NONE"}, {"call": "MQPUT1"})
    assert went(found) == [2266, 2188, 2085, 2266]
    # Why is told once for each rule, in the order in which rows come to it.
    said = sorted(record.getMessage() for record in caplog.records)
    assert said[0] == "CLWLEXIT(myexit) of QM1: the exit answered SUPPRESS_FUNCTION"
    assert said[1].startswith("CLWLEXIT(myexit) of QM1: the exit raised ValueError: boom (line ")
    assert len(said) == 2


def test_an_exit_that_fails_at_init_fails_no_row_and_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    def fails_at_init(wxp: MQWXP) -> None:
        if wxp.ExitReason == "INIT":
            raise ValueError("no configuration")
        wxp.DestinationChosen = 3

    found = answered(fails_at_init, {}, {"call": "MQPUT1"}, {"call": "MQOPEN"})
    assert went(found) == ["QM4", "QM4", "deferred"]
    [said] = [record.getMessage() for record in caplog.records]
    failed = "CLWLEXIT(myexit) of QM1: the exit failed at INIT, which fails no call: "
    assert said.startswith(f"{failed}the exit raised ValueError: no configuration (line ")


def test_each_row_is_a_queue_manager_of_its_own_and_like_rows_are_asked_about_once(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", of=lambda wxp: [wxp.ExitReason, wxp.ExitUserArea[0]])

    def once(wxp: MQWXP) -> None:
        look(wxp)
        wxp.ExitUserArea = bytes([wxp.ExitUserArea[0] + 1]) + bytes(15)
        wxp.DestinationChosen, wxp.ExitResponse = 3, "SUPPRESS_EXIT"

    found = answered(once, {}, {}, {}, {"call": "MQPUT1"})
    assert went(found) == ["QM4"] * 4
    assert written(tmp_path / "seen") == [["INIT", 0], ["CLWL_PUT", 1], ["TERM", 2]] * 2


def test_an_exit_that_does_not_return_costs_its_limit_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    look = writing(tmp_path / "seen", "ExitReason")

    def sleeps(wxp: MQWXP) -> None:
        look(wxp)
        time.sleep(1000 if wxp.DestinationArray else 0)

    opens = ({"call": "MQOPEN"}, {"call": "MQOPEN", "bind": "OPEN"})
    found = answered(sleeps, {}, {"call": "MQPUT1"}, *opens, {"queue": "NONE"}, {}, limit=0.3)
    assert went(found) == [2266, 2266, 2266, 2266, 2085, 2266]
    (_, (reason,)) = written(tmp_path / "seen")
    assert reason.startswith("CLWL_")
    [said] = [record.getMessage() for record in caplog.records]
    told = "the exit did not return within 0.3 s, and is not called for further rows"
    assert said == f"CLWLEXIT(myexit) of QM1: {told}"


def raises(_: MQWXP) -> None:
    raise ValueError("boom")


def test_several_local_queue_managers() -> None:
    known = KNOWN
    other = evolve(known, queue_manager=evolve(known.queue_manager, name="QM9", clwlexit="other"))
    table = DUCK.sql("SELECT * FROM (VALUES (0, 'QM1'), (1, 'QM9'), (2, 'QM8')) AS t(number, place)")
    found = decide(table, {"QM1": known, "QM9": other}, at="place", queue="Q", exits={NAME: taking(3)})
    assert went([each for _, each in sorted(found.project("number, decision").fetchall())]) == ["QM4", "QM2", "invalid"]


def test_structs_with_what_is_odd() -> None:
    table = DUCK.sql("""
        SELECT 0 AS number, {queue: 'Q', clwlmruc: 1, already_sent_to: ['QM2'], cluster_pcf: true, call: 'mqput1'} AS put
    """)
    found = decide(table, KNOWN, exits={NAME: only_at_a_choice(_takes_what_it_is_told)})
    (answer,) = [each for _, each in found.project("number, decision").fetchall()]
    assert answer["queue_manager"] == "QM4"


def _takes_what_it_is_told(wxp: MQWXP) -> None:
    assert (wxp.CLWLMRUChannels, wxp.ExitReason) == (1, "CLWL_REPOS")
    # QM2 had the message already, so QM3 is the own choice.
    wxp.DestinationChosen += 1


def test_a_path_and_another_connection(tmp_path: Path) -> None:
    path, other = str(tmp_path / "puts.parquet"), duckdb.connect()
    DUCK.sql("SELECT 'Q' AS dest").write_parquet(path)
    found = decide(path, KNOWN, queue="dest", exits={NAME: taking(3)}, connection=other)
    for _ in range(2):
        assert found.project("decision.queue_manager").fetchall() == [("QM4",)]
    with pytest.raises(TableError, match="connection=… is needed for a relation of another one than the default"):
        decide(other.read_parquet(path), KNOWN, queue="dest", exits={NAME: taking(3)})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"exits": {NAME: 3}}, "exits: 'myexit' is 3, which cannot be called"),
        ({"exits": {NAME: raises}, "exit_limit": 0}, "exit_limit=0 is not allowed"),
        ({"exits": {NAME: raises}, "shares": True}, "exits=…: what an exit takes in the long run is not known"),
    ],
)
def test_what_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TableError, match=said):
        decided(puts({}), KNOWN, **options)


def test_a_table_with_its_own_destinations_knows_no_clwlexit() -> None:
    with pytest.raises(TableError, match="exits=…: is for puts that a cluster is given for"):
        decide(DUCK.sql("SELECT {queue: 'Q'} AS put, [{queue: 'Q'}] AS destinations"), exits={NAME: raises})


def test_without_numpy_and_pyarrow() -> None:
    program = """
import sys
sys.modules |= dict.fromkeys(("pyarrow", "numpy", "pandas"))
import duckdb
from mqclause.duckdb import decide
from mqclause.tables.schema import TableError
from mqclause.tables.flat import TABLES_AT_A_TIME, ExitRowDecider
from mqclause.tables.flat import cluster_puts
from mqclause import read_document
from mqclause.exits import prefer_channel
from spec_tests.support.exit_scene import NAME, facts
known = read_document(facts(), "facts").cluster
try:
    decide(duckdb.sql("SELECT 'Q' AS dest"), known, queue="dest", exits={NAME: prefer_channel})
except TableError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("exits=…: "), done.stderr
    assert "numpy" in done.stdout


def test_the_processes_of_few_tables_run_at_a_time(tmp_path: Path) -> None:
    def tells(_: MQWXP) -> None:
        (tmp_path / str(os.getpid())).touch()

    puts_of = cluster_puts({"dest": "text"}, KNOWN, None, {"queue": "dest"})
    for _ in range(TABLES_AT_A_TIME + 2):
        rows = ExitRowDecider.of(puts_of, Rules(), {NAME: tells}, 5.0, False, None)
        assert rows is not None
        assert rows.decision(0, '{"queue": "Q"}')
    processes = [int(each.name) for each in tmp_path.iterdir()]
    assert len(processes) == TABLES_AT_A_TIME + 2
    assert sum(map(_runs, processes)) == TABLES_AT_A_TIME


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
