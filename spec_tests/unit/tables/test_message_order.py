"""The order of messages in a table: by hand, and the same as Retrieval says of each queue."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from mqclause.duckdb import message_order
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Queue, QueueManager
from mqclause.rulebook.rule import RuleError
from mqclause.rulebook.rules import Rules, get_rules_folder
from mqclause.tables.schema import TableError
from spec_tests.support.deep import first
from spec_tests.support.ordered_messages import READINGS, TYPES, as_retrieval_says, in_place, ordered
from spec_tests.support.random_messages import COLUMNS, random_rows
from spec_tests.support.together import Together


def by_numbers(rows: list[dict[str, Any]]) -> list[Any]:
    """Where each of the rows lies, in any of the columns of a table of messages; each test has queues of its own."""
    found = ordered([{**dict.fromkeys(COLUMNS), **row, "id": f"{at}"} for at, row in enumerate(rows)])
    return [found[f"{at}"] for at in range(len(rows))]


MESSAGES = Together(by_numbers)


def by_name(rows: list[dict[str, Any]], found: list[Any]) -> dict[str, Any]:
    return dict(zip((row["id"] for row in rows), found, strict=True))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("queues", [80, pytest.param(3_000, marks=pytest.mark.deep)])
def test_as_the_rules_over_messages_in_memory(queues: int, reading: str) -> None:
    rows, rules = random_rows(Random(queues), queues), Rules({"group-position": reading})
    assert ordered(rows, rules=rules) == in_memory(rows, rules)


def in_memory(rows: list[dict[str, Any]], rules: Rules) -> dict[str, dict[str, Any]]:
    """What the rules over messages in memory say of each queue."""
    by_queue: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_queue.setdefault(row["queue"], []).append(row)
    expected: dict[str, dict[str, Any]] = {}
    for of_queue in by_queue.values():
        expected |= as_retrieval_says(of_queue, rules)
    return expected


def test_neither_buckets_nor_the_place_of_nulls_matter() -> None:
    """A macro goes before the function of its name: all items then stand in one bucket."""
    rows = random_rows(Random(5), 20)
    schema = pa.schema([(name, TYPES[kind]) for name, kind in COLUMNS.items()])
    connection = duckdb.connect()
    connection.register("messages", pa.Table.from_pylist(rows, schema))
    connection.execute("CREATE MACRO hash(queue, in_group, id) AS 7::UBIGINT")
    connection.execute("SET default_null_order = 'nulls_first'")
    found = message_order(connection.table("messages"), connection=connection).project("id, message_order")
    assert dict(found.fetchall()) == in_memory(rows, Rules())


def test_names_with_blanks_and_queue_managers_and_times() -> None:
    """What is alike but for blanks at the end is one queue and one group; a queue manager is null or empty alike."""
    relation = duckdb.sql("""
        SELECT * REPLACE (TIMESTAMP '2026-01-01 10:00:00' + to_seconds(arrival) AS arrival) FROM (VALUES
          ('A', 'Q', 'QM1', 1, 'G', 2), ('B', 'Q ', NULL, 1, '', 1), ('C', 'Q', 'QM1 ', 2, 'G ', 1),
          ('D', 'Q', '', 0, '', 1)) AS t(id, queue, queue_manager, arrival, "group", sequence)""")
    found = dict(message_order(relation).project("id, message_order").fetchall())
    at_qm1, elsewhere = ({name: found[name] for name in names} for names in ("AC", "BD"))
    assert (in_place(at_qm1, "physical"), in_place(at_qm1, "logical")) == (["A", "C"], ["C", "A"])
    assert (in_place(elsewhere, "physical"), in_place(elsewhere, "logical")) == (["D", "B"], ["D", "B"])


@pytest.mark.parametrize("reading", READINGS)
def test_items_that_a_clock_does_not_tell_apart(reading: str) -> None:
    """Times by the second are alike for many messages: which item is the first is open, but none comes amid another."""
    members = [("G", 1, 5), ("H", 1, 5), ("", 1, 5), ("I", 1, 5), ("G", 2, 6), ("I", 2, 6), ("H", 2, 6)]
    rows: list[dict[str, Any]] = [
        {"id": f"{group}{sequence}", "queue": "Q", "arrival": arrival, "group": group, "sequence": sequence}
        for group, sequence, arrival in members
    ]
    in_order = in_place(ordered(rows, rules=Rules({"group-position": reading})), "logical")
    assert sorted(in_order) == sorted(row["id"] for row in rows)
    for group in "GHI":
        assert in_order.index(f"{group}2") == in_order.index(f"{group}1") + 1


@pytest.mark.parametrize(
    ("what", "count"),
    first(1, [
        ("'Q' || i % 3 AS queue, '' AS \"group\" FROM range(50000) AS t(i) USING SAMPLE 700 ROWS", 700),
        ("'Q' || (3 * random())::INT AS queue, 'G' || (50 * random())::INT AS \"group\" FROM range(700) AS t(i)", 700),
        ("'Q' AS queue, '' AS \"group\" FROM range(5000) AS t(i) WHERE random() < 0.5", None),
    ]),
)  # fmt: skip
def test_rows_that_are_not_the_same_each_time(what: str, count: int | None) -> None:
    """They are read once: each comes out, and its place is among those that came with it."""
    rows = message_order(duckdb.sql(f"SELECT i AS id, i AS arrival, {what}")).to_arrow_table().to_pylist()
    assert len({row["id"] for row in rows}) == len(rows)
    assert count in (None, len(rows))
    by_queue: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: int(row["arrival"])):
        by_queue.setdefault(row["queue"], []).append(row["message_order"])
    for found in by_queue.values():
        assert [each["physical"] for each in found] == [*range(1, len(found) + 1)]


def figure_11(queue: str = "APPQ") -> list[dict[str, Any]]:
    """A, Y1, Z2, Y2, two segments of Y3, Z1, B, as they arrive."""
    members: list[dict[str, Any]] = [
        {"id": "A"},
        {"id": "Y1", "group": "Y", "sequence": 1},
        {"id": "Z2", "group": "Z", "sequence": 2, "last_in_group": True},
        {"id": "Y2", "group": "Y", "sequence": 2},
        {"id": "Y3a", "group": "Y", "sequence": 3, "last_in_group": True, "segment": True, "offset": 0},
        {"id": "Y3b", "group": "Y", "sequence": 3, "last_in_group": True, "last_segment": True, "offset": 100},
        {"id": "Z1", "group": "Z", "sequence": 1},
        {"id": "B"},
    ]
    return [{"queue": queue, "arrival": arrival, **each} for arrival, each in enumerate(members)]


FIGURE_11 = figure_11()
IN_FIGURE_11 = MESSAGES.ask(*FIGURE_11)


def test_figures_10_and_11() -> None:
    found = by_name(FIGURE_11, IN_FIGURE_11())
    assert in_place(found, "physical") == ["A", "Y1", "Z2", "Y2", "Y3a", "Y3b", "Z1", "B"]
    assert in_place(found, "logical") == ["A", "Y1", "Y2", "Y3a", "Y3b", "Z1", "Z2", "B"]


FEW = [row for row in figure_11("FEW") if row["id"] not in ("Y2", "Z1")]
OF_FEW = MESSAGES.ask(*FEW)


def test_a_group_without_its_first_message_and_one_with_a_gap() -> None:
    found = by_name(FEW, OF_FEW())
    assert in_place(found, "physical") == ["A", "Y1", "Z2", "Y3a", "Y3b", "B"]
    assert in_place(found, "logical") == ["A", "Y1", "B"]
    assert found["Z2"]["left_out_of_logical"] == "retrieval.3.6"
    assert found["Y3b"]["left_out_of_logical"] == "retrieval.2.2d"


def test_msgdlvsq_and_defprty_of_the_cluster_count_where_no_column_says_them() -> None:
    cluster = Cluster(
        QueueManager("QM1"), (), (Queue("F", "QM1", defprty=4, msgdlvsq="FIFO"), Queue("P", "QM1", defprty=4))
    )
    rows = [
        {"id": f"{queue}{priority}", "queue": queue, "priority": priority, "arrival": arrival}
        for queue in "FP"
        for arrival, priority in enumerate((3, None, 5))
    ]
    rows += [{"id": name, "queue": queue, "priority": None, "arrival": 0} for name, queue in (("X", "X"), ("Y", "A B"))]
    found = ordered(rows, cluster)
    assert in_place({name: each for name, each in found.items() if name[0] == "F"}, "physical") == ["F3", "FNone", "F5"]
    assert in_place({name: each for name, each in found.items() if name[0] == "P"}, "physical") == ["P5", "PNone", "P3"]
    assert found["X"]["message"] == "queue = 'X'; allowed: a local queue of QM1"
    # What is no name is told before that the cluster does not know it.
    assert found["Y"]["message"] == f"queue = 'A B'; allowed: a name of 1 to {NAMED}"


def test_a_rule_that_ends_calls_ends_no_order() -> None:
    """A rule that fails whatever it is asked about stands before those by which Z2 and the segments have no place."""
    ending = "clause = 'retrieval/7.1'\ntitle = 'Ends all'\n[fail_with]\nreason = 'MQRC_NO_MSG_UNDER_CURSOR'\ncall = \"'MQGET'\"\nbecause = 'x'\n"
    rules = Rules().with_files({"retrieval/1.0_ends_all.toml": ending})
    found = ordered(FEW, rules=rules)
    left_out = {name: each["left_out_of_logical"] for name, each in found.items() if each["logical"] is None}
    assert left_out == {"Z2": "retrieval.3.6", "Y3a": "retrieval.2.2d", "Y3b": "retrieval.2.2d"}
    complete = [dict.fromkeys(COLUMNS) | row for row in FEW]
    assert as_retrieval_says(complete, rules) == found == by_name(FEW, OF_FEW())


@pytest.mark.parametrize(
    ("without", "logical"),
    [
        # Y stands where Y2 lies, the first of it that is there; Y4 behind it, since there is no line to leave.
        ("3.6_first_has_to_be_there", ["Z1", "Z2", "A", "Y2", "Y4"]),
        # Of two with one place, both stay, as they arrived.
        ("2.2b_place_taken_twice", ["Z1", "Z2", "AGAIN", "A"]),
    ],
)
def test_what_items_are_without_a_rule_on_them(without: str, logical: list[str]) -> None:
    members = [
        ("Y4", "Y", 4, 5),
        ("Z2", "Z", 2, 0),
        ("AGAIN", "Z", 2, 7),
        ("A", "", 1, 5),
        ("Y2", "Y", 2, 5),
        ("Z1", "Z", 1, 6),
    ]
    rows: list[dict[str, Any]] = [
        {"id": name, "queue": "Q", "group": group, "sequence": sequence, "priority": priority, "arrival": arrival}
        for arrival, (name, group, sequence, priority) in enumerate(members)
        if name != "AGAIN" or without.startswith("2.2b")
    ]
    path, files = f"retrieval/{without}.toml", Rules().files
    rules = Rules().with_files({path: re.sub('where( *)= ".*"', 'where = "FALSE"', files[path])})
    found = ordered(rows, rules=rules)
    assert in_place(found, "logical") == logical
    assert as_retrieval_says([dict.fromkeys(COLUMNS) | row for row in rows], rules) == found


NAMED = "48 characters out of A-Z a-z 0-9 . _ / %"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"sequence": 0}, "sequence = 0; allowed: a whole number from 1 to 999999999"),
    ({"priority": -1}, "priority = -1; allowed: a whole number from 0 to 2147483647"),
    ({"queue": " "}, "queue is missing; every message lies on a queue"),
    ({"arrival": None}, "arrival is null; it says behind which messages this one lies"),
    ({"group": None, "segment": True}, "segment = true; it is allowed with a group only"),
    ({"msgdlvsq": "LIFO"}, "msgdlvsq = 'LIFO'; allowed: PRIORITY, FIFO"),
    ({"queue": "A B"}, f"queue = 'A B'; allowed: a name of 1 to {NAMED}"),
    ({"queue": "Q" * 49}, f"queue = '{'Q' * 49}'; allowed: a name of 1 to {NAMED}"),
    ({"queue": "Ä"}, f"queue = 'Ä'; allowed: a name of 1 to {NAMED}"),
    ({"queue_manager": "QM-1"}, f"queue_manager = 'QM-1'; allowed: a name of 0 to {NAMED}"),
]


GOOD = [{"queue": f"Q{number}", "arrival": 1, "group": "G"} for number, _ in enumerate(WRONG)]
OF_GOOD = MESSAGES.ask(*GOOD)
OF_WRONG = MESSAGES.ask(*({**good, "arrival": 0, **wrong} for good, (wrong, _) in zip(GOOD, WRONG, strict=True)))


def test_a_row_that_is_no_message_has_no_place() -> None:
    """Each lies before a message, whose place it does not take."""
    for good, wrong, (_, told) in zip(OF_GOOD(), OF_WRONG(), WRONG, strict=True):
        assert good == {**dict.fromkeys(good), "physical": 1, "logical": 1}
        assert wrong == {**dict.fromkeys(wrong), "message": told}


PADDED = MESSAGES.ask(
    {"queue": "Q" * 48 + " ", "queue_manager": "QM1  ", "arrival": 1, "group": "a group, é~"},
    {"queue": "Q" * 48, "queue_manager": "QM1", "arrival": 2, "group": "a group, é~", "sequence": 2},
)


def test_a_name_may_be_padded_and_a_group_is_any_bytes() -> None:
    assert [(each["physical"], each["logical"], each["message"]) for each in PADDED()] == [
        (1, 1, None),
        (2, 2, None),
    ]


@pytest.mark.parametrize(("query", "told"), [
    ("SELECT 'Q' AS queue", "column arrival is missing; the table has: queue"),
    ("SELECT 1 AS arrival", "column queue is missing; the table has: arrival"),
    ("SELECT 'Q' AS queue, [1] AS arrival", "column arrival is a list; expected numbers, times or texts in order of arrival"),
    ("SELECT 'Q' AS queue, 1 AS arrival, 'x' AS sequence",
     "column sequence is a text; expected an integer (a CAST to BIGINT would do)"),
    ("SELECT 'Q' AS queue, 1 AS arrival, 1 AS message_order", "the table has a column message_order already"),
])  # fmt: skip
def test_a_table_that_is_none_of_messages(query: str, told: str) -> None:
    with pytest.raises(TableError) as raised:
        message_order(duckdb.sql(query))
    assert str(raised.value) == told


@pytest.mark.parametrize(("rule", "told"), [
    ("""when = "mqi_call = 'ORDER' AND COUNT_IF(TRUE) > 3"\n[eliminate]\nwhere = "segment"\nbecause = "no"\n""",
     "it applies or not by the other messages"),
    ("""when = "mqi_call = 'ORDER'"\n[keep]\nhighest = "priority"\nbecause = "no"\n""",
     "it does more than to eliminate messages or to put them in order"),
    ("""when = "mqi_call = 'ORDER'"\n[eliminate]\nwhere = "NOT message_complete"\nbecause = "no"\n""",
     "'segments_end' is no column of a table"),
])  # fmt: skip
def test_a_rule_that_looks_at_more_than_a_row_has_no_place_here(tmp_path: Path, rule: str, told: str) -> None:
    folder = Path(copytree(get_rules_folder(), tmp_path / "rules"))
    (folder / "retrieval" / "9.9_more.toml").write_text(f'clause = "retrieval/2.2"\ntitle = "More"\n{rule}')
    with pytest.raises(RuleError, match=told):
        ordered(figure_11(), rules=Rules(folder=folder))


@pytest.mark.parametrize("rows", [2_000, pytest.param(1_000_000, marks=pytest.mark.deep)])
def test_rows_stay_in_order_while_they_are_counted_by_many_threads(rows: int) -> None:
    """Pairs overlap: the second message of one lies behind the first of the next."""
    connection = duckdb.connect(config={"threads": 4, "preserve_insertion_order": False})
    messages = connection.sql(f"""
        SELECT i AS arrival, 'Q' || i % 3 AS queue, i % 7 AS priority, i % 84 >= 63 AS last_in_group,
          CASE WHEN i % 84 < 21 OR i % 84 >= 63 THEN 'G' || i // 84 || '.' || i % 21 ELSE '' END AS "group",
          CASE WHEN last_in_group THEN 2 ELSE 1 END AS sequence
        FROM range({rows // 84 * 84}) AS t(i) ORDER BY hash(i)""")
    ordered = message_order(messages, connection=connection)
    wrong = ordered.query(
        "ordered",
        """
        WITH placed AS (
          SELECT *, row_number() OVER (PARTITION BY queue ORDER BY priority DESC, arrival) AS physical,
            min(arrival) OVER (PARTITION BY queue, CASE "group" WHEN '' THEN arrival::TEXT ELSE "group" END) AS first
          FROM ordered)
        SELECT count(*) FROM (
          SELECT *, row_number() OVER (PARTITION BY queue ORDER BY priority DESC, first, sequence) AS logical FROM placed)
        WHERE (message_order.physical, message_order.logical) IS DISTINCT FROM (physical, logical)""",
    )
    assert wrong is not None
    assert wrong.fetchall() == [(0,)]
