"""Tables of a document that is not ours: every kind of word and of step, against the plain executor and by hand."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa

from mqclause.documents import OUTCOME, TRIGGER, WORKLOAD
from mqclause.duckdb import apply_rules, decide
from mqclause.executors.pipeline import Pipeline
from mqclause.rulebook.rule import RuleError
from mqclause.rulebook.rules import Rules
from mqclause.tables.row import InvalidRowError, Rows, list_eliminating_rules, read_row
from mqclause.tables.schema import TableError
from spec_tests.support.parcels import PARCELS, Row, parcel_rows, parcel_rules, parcel_table
from spec_tests.support.random_rows import answers, arrow_table, random_rows
from spec_tests.support.together import connection

FIELDS = ["remaining", "eliminated_by", "failed_by", "left", "people", "load", "by", "careful", "message"]


def by_row(course: Pipeline, row: Row) -> dict[str, Any]:
    try:
        seen, doors = read_row(PARCELS, *row)
    except InvalidRowError as error:
        return dict.fromkeys(FIELDS) | {"message": str(error)}
    (run,) = course.run(seen, doors, traced=True)
    places = {id(door): place for place, door in enumerate(doors)}
    return {
        "remaining": [places[id(door)] for door in run.remaining],
        "eliminated_by": list_eliminating_rules(doors, run, course.rulesets[0]),
        "failed_by": course.rulesets[0].rules[run.failure.rule].id if run.failure else None,
        **run.facts,
        "message": None,
    }


def of(rules: Rules, *rows: Row, **more: Any) -> list[dict[str, Any]]:
    return answers(apply_rules(parcel_table(list(rows)), PARCELS, rules, connection=connection(), **more), "brought")


@pytest.mark.parametrize("executor", ["plain", "compiled"])
def test_as_each_row_is_evaluated(executor: Any, tmp_path: Path) -> None:
    rules = parcel_rules(tmp_path)
    rows = parcel_rows(Random(6), 3_000)
    course = Pipeline.of(rules, PARCELS, executor)
    found = of(rules, *rows, explain=True)
    assert list(found[0]) == FIELDS
    for row, one in zip(rows, found, strict=True):
        expected = by_row(course, row)
        if "= -1.0" in (expected["message"] or "") or "inf" in (expected["message"] or ""):
            one, expected = (each | {"message": each["message"].partition(" = ")[0]} for each in (one, expected))
        assert one == expected, row
    assert {rule for each in found for rule in each["eliminated_by"] or ()} == {
        None, "parcels.01", "parcels.02", "parcels.03", "parcels.06", "parcels.11", "parcels.12",
    }  # fmt: skip
    assert {each["failed_by"] for each in found} == {None, "parcels.09"}


def test_large_whole_numbers_are_divided_alike() -> None:
    """Of 64 bits 9007199254740993 is 9007199254740992, of which a third is 3002399751580330.5 and not 3002399751580331."""
    own = (
        'clause = "workload/1"\ntitle = "T"\nafter = "workload.01a"\n[eliminate]\n'
        'where = "dest_seq_number / 3 > 3002399751580330.6"\nbecause = "so"\n'
    )
    rules = Rules().with_files({"workload/01z_own.toml": own})
    among = [
        {"queue_manager": name, "channel": name, "dest_seq_number": 2**53 + more}
        for name, more in (("QM1", 1), ("QM2", 4))
    ]
    row: Row = {"queue": "Q"}, [*among]
    assert [each.id for each in rules.ruleset(WORKLOAD).rules].count("workload.01z") == 1
    table = pa.table({"id": [0], "put": [row[0]], "destinations": [among]})
    (decided,) = answers(decide(table, rules=rules, explain=True, connection=connection()))
    assert decided["eliminated_by"] == [None, "workload.01z"]
    for executor in ("plain", "compiled"):
        put, listed = read_row(WORKLOAD, *row)
        assert [
            each.queue_manager for each in Pipeline.of(rules, WORKLOAD, executor).run(put, listed)[0].remaining
        ] == ["QM1"]


def test_one_row_by_hand(tmp_path: Path) -> None:
    doors: list[Any] = [
        {"floor": 1, "width": 2.0, "steps": 30},
        {"floor": 3, "opens": "side", "steps": 5},
        {"floor": 2, "width": 0.1, "steps": 70},
        {"floor": 1, "width": 1.5, "steps": 30},
        {"floor": 2, "lit": False},
    ]
    parcel = {"weight": 2, "value": 1.0, "size": "large", "fragile": True, "label": "glass"}
    # The fifth door is dark, the third narrow, the second aside. By width the fourth comes before the
    # first; they are on one floor, so the last of them is taken.
    assert of(parcel_rules(tmp_path), (parcel, doors), explain=True) == [{
        "remaining": [0, 3], "eliminated_by": [None, "parcels.03", "parcels.02", None, "parcels.01"], "failed_by": None,
        "left": 2, "people": 1, "load": 3.0, "by": "glass", "careful": False, "message": None,
    }]  # fmt: skip


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("'floor'", [1, 3, 0, 4, 2]),
        ("'floor DESC'", [2, 0, 4, 3, 1]),
        ("'lit', 'floor DESC'", [0, 4, 1, 2, 3]),
        ("'lit DESC', 'width'", [2, 3, 4, 0, 1]),
        ("'steps'", [0, 1, 2, 3, 4]),
        ("'floor + 2 * width DESC'", [1, 2, 0, 4, 3]),
    ],
)
def test_an_order(by: str, expected: list[int], tmp_path: Path) -> None:
    doors: list[Any] = [
        {"floor": floor, "width": width, "lit": lit}
        for floor, width, lit in ((2, 1.0, False), (0, 5.0, False), (7, 0.5, True), (1, 0.5, True), (2, 0.5, False))
    ]
    rules = parcel_rules(tmp_path, {"01_order": f"[order_by]\nby = [{by}]"})
    assert of(rules, ({}, doors))[0]["remaining"] == expected


def test_who_is_taken_back_stands_in_the_new_order(tmp_path: Path) -> None:
    doors: list[Any] = [{"floor": floor, "lit": lit} for floor, lit in ((1, False), (5, True), (3, False), (2, False))]
    texts = {
        "01_aside": "[set_aside]\nwhere = 'NOT lit'\nbecause = 'dark'",
        "02_order": "[order_by]\nby = ['floor DESC']",
        "03_back": "[take_back]\nwhere = 'floor <> 2'",
        "04_first": "[keep]\nlowest = 'steps'\nat_most = '2'\nbecause = 'far'",
    }
    found = of(parcel_rules(tmp_path / "all", texts), ({}, doors), explain=True)[0]
    assert found["remaining"] == [1, 2]
    assert found["eliminated_by"] == ["parcels.04", None, None, "parcels.01"]
    texts["02_order"] = f"when = 'weight > 1'\n{texts['02_order']}"
    rules = parcel_rules(tmp_path / "some", texts)
    assert [each["remaining"] for each in of(rules, ({}, doors), ({"weight": 2}, doors))] == [[0, 1], [1, 2]]


def test_who_was_taken_back_is_no_longer_aside(tmp_path: Path) -> None:
    doors: list[Any] = [{"floor": floor, "lit": lit} for floor, lit in ((4, True), (4, False), (3, False), (0, False))]
    texts = {
        "01_aside": "[set_aside]\nwhere = 'NOT lit'\nbecause = 'dark'",
        "02_back": "[take_back]\nwhere = 'floor > 3'",
        "03_out": "[eliminate]\nwhere = 'NOT lit'\nbecause = 'dark at last'",
        "04_back": "[take_back]\nwhere = 'floor > 2'",
    }
    found = of(parcel_rules(tmp_path, texts), ({}, doors), explain=True)[0]
    assert found["remaining"] == [0, 2]
    assert found["eliminated_by"] == [None, "parcels.03", None, "parcels.01"]


@pytest.mark.parametrize("words", ["'back', 'back'", "'back', 'front', 'back'", "'side', 'front', 'front', 'side'"])
def test_a_word_that_is_listed_twice_counts_once(words: str, tmp_path: Path) -> None:
    doors: list[Any] = [{"opens": "front"}, {"opens": "back"}, {"opens": "side"}]
    out = {"01_out": f"[eliminate]\nwhere = \"kind IN ({words})\"\nbecause = 'x'"}
    left = [place for place, door in enumerate(doors) if door["opens"] not in words]
    assert of(parcel_rules(tmp_path, out), ({}, doors))[0]["remaining"] == left


def test_the_first_rule_that_fails_is_told(tmp_path: Path) -> None:
    texts = {
        f"0{number}_fail": f"when = '{when}'\n[fail_with]\nreason = 'MQRC_PUT_INHIBITED'\ncall = \"'MQPUT'\"\nbecause = 'x'"
        for number, when in enumerate(("weight > 5", "fragile", "weight > 1"), 1)
    }
    parcels: list[Any] = [{"weight": 9, "fragile": True}, {"fragile": True}, {"weight": 2}, {}]
    found = of(parcel_rules(tmp_path, texts), *((parcel, []) for parcel in parcels))
    assert [each["failed_by"] for each in found] == ["parcels.01", "parcels.02", "parcels.03", None]


def test_a_table_that_has_few_columns(tmp_path: Path) -> None:
    table = pa.table({"id": [0], "parcel": [{"weight": 1}], "doors": [[{"floor": 2}, {"floor": 3}]], "note": ["kept"]})
    relation = apply_rules(table, PARCELS, parcel_rules(tmp_path))
    assert relation.columns == ["id", "parcel", "doors", "note", "brought"]
    (found,) = answers(relation, "brought")
    assert (found["remaining"], found["eliminated_by"], found["left"]) == ([1], None, 1)


@pytest.mark.parametrize(
    ("parcel", "doors", "message"),
    [
        (1, [{"floor": 1}], "column parcel is an integer; expected a struct"),
        (
            {"weight": "1"},
            [{"floor": 1}],
            "column parcel.weight is a text; expected an integer (a CAST to BIGINT would do)",
        ),
        ({"weight": 1}, [1], "column doors is a list; expected a list of structs"),
        (
            {"weight": 1},
            [{"opens": 1}],
            "column doors.opens is an integer; expected a text (a CAST to STRING would do)",
        ),
        ({"weihgt": 1}, [{"floor": 1}], "column parcel.weihgt is not known; did you mean 'weight'?"),
    ],
)
def test_tables_that_are_refused(parcel: Any, doors: list[Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(TableError) as raised:
        apply_rules(pa.table({"parcel": [parcel], "doors": [doors]}), PARCELS, parcel_rules(tmp_path))
    assert str(raised.value) == message


def test_a_rule_that_asks_for_what_no_table_has() -> None:
    rule = "[eliminate]\nwhere = \"alias = 'A'\"\nbecause = 'alias'"
    rules = Rules().with_files({"workload/01d_alias.toml": f"clause = 'workload/1'\ntitle = 'Alias'\n{rule}"})
    with pytest.raises(RuleError, match="'alias' is no column of a table, so the rule cannot be run on tables"):
        apply_rules(arrow_table([]), WORKLOAD, rules)


def test_our_own_documents() -> None:
    rows = random_rows(Random(12), 200)
    decided = [Rows().decision(*row, explain=True) for row in rows]
    table = arrow_table(rows)
    chosen = answers(apply_rules(table, WORKLOAD, explain=True, connection=connection()))
    ended = answers(apply_rules(table, OUTCOME, connection=connection()), OUTCOME.row.answer)
    for one, choice, end in zip(decided, chosen, ended, strict=True):
        assert choice["eliminated_by"] == one["eliminated_by"]
        assert choice["message"] == end["message"] == one["message"]
        assert one["permitted"] == (None if choice["remaining"] is None else len(choice["remaining"]))
        assert (end["failed_by"] is not None) == (one["outcome"] == "failed")
        assert end["deferred"] in (None, one["outcome"] == "deferred")
    silent = pa.table({"id": [0], "occasion": [{"queue": "Q"}]})
    (found,) = answers(apply_rules(silent, TRIGGER), TRIGGER.row.answer)
    assert found["trigger_message"] is False
    assert "remaining" not in found


def test_floor_of_a_large_whole_number_is_that_number() -> None:
    body = 'clause = "workload/4a"\ntitle = "T"\n\n[keep]\nhighest = "FLOOR(dest_seq_number)"\nbecause = "{queue_manager}"\n'
    rules = Rules().with_files({"workload/00a_last.toml": body})
    largest = 2**63 - 1
    hosts: list[Any] = [
        {"queue_manager": name, "dest_seq_number": largest - less} for name, less in (("QM2", 1), ("QM3", 0))
    ]
    table = pa.table({"id": [0], "put": [{"queue": "PARTS"}], "destinations": [hosts]})
    [found] = answers(decide(table, rules=rules, explain=True))
    assert found["eliminated_by"] == ["workload.00a", None]
