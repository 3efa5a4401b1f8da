"""Tables decided by DuckDB against the same rows one by one, by the compiled executor and by the reference one."""

from __future__ import annotations

from collections import Counter
from itertools import count, islice
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa

from mqclause.answers import NOBODY_LEFT
from mqclause.documents import OUTCOME, WORKLOAD
from mqclause.duckdb import decide
from mqclause.executors.operations import build_listing
from mqclause.executors.pipeline import Pipeline
from mqclause.model.facts.domains import Finite, Flag, Names, Whole, Words
from mqclause.rulebook.rule import Choose, Eliminate, Keep, SetAside
from mqclause.rulebook.rules import Rules
from mqclause.tables.row import InvalidRowError, Rows, build_decision, build_invalid_row, read_put
from mqclause.tables.schema import DESTINATION, PUT, Column
from spec_tests.support.deep import every, first
from spec_tests.support.random_clusters import EDITIONS, random_readings, readings
from spec_tests.support.random_rows import Row, answers, arrow_table, random_row, random_rows
from spec_tests.support.together import connection
from spec_tests.support.turned import rows_of_ties, taking_the_last

Decisions = list[dict[str, Any]]


def by_row(rows: list[Row], chosen: dict[str, str], edition: str = "wmq-6") -> Decisions:
    ours = Rows(Rules(chosen, edition))
    return [ours.decision(*row, explain=True) for row in rows]


def by_table(rows: list[Row], chosen: dict[str, str], optional: bool = False, edition: str = "wmq-6") -> Decisions:
    return by_rules(rows, Rules(chosen, edition), optional)


def by_rules(rows: list[Row], rules: Rules, optional: bool = False) -> Decisions:
    return answers(decide(arrow_table(rows, optional), rules=rules, explain=True, connection=connection()))


def of_few_fields(rows: list[Row], rules: Rules) -> Decisions:
    """The decisions in a table with no more fields than the rows have, which is bound in half the time."""
    table = pa.table({"put": [put for put, _ in rows], "destinations": [among for _, among in rows]})
    decided = decide(table, rules=rules, explain=True, connection=connection())
    return [found for (found,) in decided.project("decision").fetchall()]


def agree(rows: list[Row], chosen: dict[str, str], optional: bool = False, edition: str = "wmq-6") -> Decisions:
    """Checks that both decide alike; returns the decisions."""
    expected, found = by_row(rows, chosen, edition), by_table(rows, chosen, optional, edition)
    assert len(found) == len(expected)
    for row, one, other in zip(rows, found, expected, strict=True):
        assert one == other, row
    return found


@pytest.mark.parametrize(("tables", "each"), [(4, 400), pytest.param(12, 2_500, marks=pytest.mark.deep)])
def test_very_many_rows(tables: int, each: int) -> None:
    rng = Random(20241105)
    outcomes: Counter[tuple[str, int | None]] = Counter()
    fell: Counter[str] = Counter()
    for number in range(tables):
        optional = number % 2 == 1
        rows = random_rows(rng, each, 0.003 if number % 5 else 0.02, optional)
        rows += () if number else rows_of_a_thousand_destinations()
        edition = EDITIONS[number % len(EDITIONS)]
        for decision in agree(rows, random_readings(rng, edition) if number else {}, optional, edition):
            outcomes[decision["outcome"], decision["reason"]] += 1
            fell.update(rule for rule in decision["eliminated_by"] or () if rule)
    assert outcomes.total() == tables * each + 2
    rules = [rule for edition in EDITIONS for rule in Rules(edition=edition).ruleset(WORKLOAD).rules]
    deciding = {rule.id for rule in rules if isinstance(rule.action, Choose | Eliminate | Keep | SetAside)}
    assert set(fell) == deciding
    reasons = {("failed", reason) for reason in (2051, 2085, 2086, 2268, 2270)}
    assert set(outcomes) == reasons | {("chosen", None), ("deferred", None), ("invalid", None)}


def rows_of_a_thousand_destinations() -> list[Row]:
    """Two of them, of destinations that the rules look at."""
    rng = Random(1_000)
    drawn = (random_row(rng, 0.0, most=1_000) for _ in count())
    return [*islice((row for row in drawn if len(row[1] or ()) == 1_000), 2)]


def test_with_and_without_explanation() -> None:
    rows = random_rows(Random(7), 300)
    expected = [{**each, "eliminated_by": None} for each in by_row(rows, {})]
    assert answers(decide(arrow_table(rows), connection=connection())) == expected


def test_who_is_taken_of_several_is_said_by_the_rules() -> None:
    """With clause 12 and clause 3 turned round another destination is taken, of the same ones that are permitted."""
    rows = rows_of_ties(300)
    ours, turned = Rules({"local-instance-competes": "clusrcvr-channels"}), taking_the_last()
    usual, found = ([Rows(rules).decision(*row, explain=True) for row in rows] for rules in (ours, turned))
    assert by_rules(rows, turned) == found
    differing = [(one, other) for one, other in zip(usual, found, strict=True) if one != other]
    assert len(differing) > 30
    for one, other in differing:
        assert one["permitted"] > 1
        assert {**one, "queue": None, "queue_manager": None, "channel": None} == {
            **other,
            "queue": None,
            "queue_manager": None,
            "channel": None,
        }


def test_empty_tables() -> None:
    assert by_table([], {}) == []


@pytest.mark.parametrize("reading", first(1, [True, False]))
def test_the_reference_executor_agrees(reading: bool) -> None:
    rng = Random(11)
    chosen = random_readings(rng) if reading else {}
    rows = random_rows(rng, 100, optional=True)
    assert by_table(rows, chosen, optional=True) == by_chaining(rows, chosen)


def by_chaining(rows: list[Row], chosen: dict[str, str]) -> Decisions:
    course = Pipeline.of(Rules(chosen), OUTCOME, "chaining")
    found = []
    for put, destinations in rows:
        try:
            seen, listed = read_put(build_listing(course.rulesets[0]), put, destinations)
        except InvalidRowError as error:
            found.append(build_invalid_row(str(error)))
            continue
        found.append(build_decision(listed, course.run(seen, listed, traced=True), course.rulesets[0]))
    return found


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
NAME = st.sampled_from(("QM1", "QM2", "", "it's %1 {0}")) | TEXT


def values(column: Column) -> st.SearchStrategy[Any]:
    """What a row holds in a column: mostly what is allowed, its ends among it."""
    found: st.SearchStrategy[Any]
    match column.domain:
        case Words(words):
            listed = sorted({*words, *(word.lower() for word in words)} - {""})
            found = st.sampled_from(listed) | st.sampled_from(("?", "", "it's", "ANY "))
        case Whole(low, high):
            ends = st.sampled_from((low, high, max(low - 1, -(2**63)), min(high + 1, 2**63 - 1)))
            found = st.integers(low, min(high, low + 3)) | st.integers(low, high) | ends
        case Finite():
            # How a number is written in a message differs: numbers that are not allowed are of few digits.
            found = st.sampled_from((0.0, -0.0, 1.5, 20.0)) | st.floats(0, allow_infinity=False) | st.just(-0.5)
        case Flag():
            found = st.booleans()
        case Names():
            found = st.lists(st.none() | NAME, max_size=3)
        case _:
            found = NAME
    return st.none() | found


def struct(columns: dict[str, Column], **named: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A struct in which few fields are given: a row that fails shrinks to those that matter."""
    fields = {name: values(column) for name, column in columns.items() if name not in named}
    return st.fixed_dictionaries(named, optional=fields)


PUTS = struct(dict(PUT), queue=st.just("Q")) | struct(dict(PUT), queue_manager=st.just("ANY")) | struct(dict(PUT))
DESTINATIONS = st.lists(struct(dict(DESTINATION)) | st.none(), min_size=1, max_size=5)
ROWS = st.lists(st.tuples(st.none() | PUTS, st.none() | st.just([]) | DESTINATIONS), min_size=1, max_size=40)


@pytest.mark.deep
@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(ROWS, readings())
def test_any_rows(rows: list[Row], chosen: dict[str, str]) -> None:
    present = [(put and dict.fromkeys(PUT) | put, destinations) for put, destinations in rows]
    agree(present, chosen, optional=True)


def test_a_rule_that_ends_every_call_stands_before_those_behind_it() -> None:
    """2051b, of which no `when` is left, stands before all others."""
    path = "outcome/2051b_inhibited_everywhere.toml"
    text = Rules().files[path]
    always = "\n".join(line for line in text.splitlines() if not line.startswith("when"))
    assert always != text.rstrip()
    rules, rows = Rules().with_files({path: always}), random_rows(Random(3), 300, 0.0)
    expected = [Rows(rules).decision(*row, explain=True) for row in rows]
    assert by_rules(rows, rules) == expected
    assert {(each["outcome"], each["reason"]) for each in expected} == {("failed", 2051), ("invalid", None)}


def test_a_row_for_which_rules_say_nothing_is_invalid() -> None:
    """Without the rule of 2085 nothing says what becomes of some of the puts to a queue."""
    rules, rows = Rules().with_files({"outcome/2085_unknown_object_name.toml": None}), random_rows(Random(3), 300, 0.0)
    expected = [Rows(rules).decision(*row, explain=True) for row in rows]
    assert by_rules(rows, rules) == expected
    unanswered = {at for at, each in enumerate(expected) if each["message"] == NOBODY_LEFT}
    unknown = [at for at, row in enumerate(rows) if Rows(Rules()).decision(*row)["reason"] == 2085]
    assert unknown
    assert unanswered == set(unknown)


def test_neighbours_that_count_see_what_the_one_before_left() -> None:
    added = "clause = 'workload/1'\ntitle = 'Added'\nwhen = 'remaining > 1'\n[eliminate]\nbecause = 'added'\n"
    wheres = {"workload/01d_added.toml": "suspended", "workload/01e_added.toml": "NOT channel_manual"}
    rules = Rules().with_files({path: f"{added}where = '{where}'\n" for path, where in wheres.items()})
    row: Row = ({"queue": "Q"}, [{"queue_manager": "QM1", "suspended": True}, {"queue_manager": "QM2"}])
    expected = Rows(rules).decision(*row, explain=True)
    assert expected["eliminated_by"] == ["workload.01d", None]
    assert of_few_fields([row], rules) == [expected]


@pytest.mark.parametrize(
    ("best", "left"),
    every(
        3,
        [
            ("highest = 'network_priority'", ["A3", "B1", "B1"]),
            ("highest = 'network_priority'\namong = 'NOT channel_manual'", ["A2", "A3", "B1", "B1"]),
            ("lowest = 'network_priority'", ["A2", "B1", "B1"]),
            ("highest = 'dest_seq_number'", ["A2", "B1"]),
            ("lowest = 'dest_seq_factor'", ["A3", "B1"]),
        ],
    ),
)
def test_the_best_of_each_queue_manager(best: str, left: list[str]) -> None:
    text = f"clause = 'workload/11'\ntitle = 'Changed'\n[keep]\n{best}\nper = 'queue_manager'\nbecause = 'changed'\n"
    gone = ("11b_queue_priority", "11c_most_recently_used", "12c_least_recently_used")
    changed = {f"workload/{name}.toml": None for name in gone} | {"workload/11_network_priority.toml": text}
    rules = Rules().with_files(changed)
    listed: list[dict[str, Any]] = [
        {"queue_manager": "A", "network_priority": 2, "dest_seq_number": 9, "dest_seq_factor": 2.5},
        {"queue_manager": "B", "network_priority": 1, "dest_seq_number": 4, "dest_seq_factor": 3.5},
        {"queue_manager": "A", "network_priority": 3, "dest_seq_number": 8, "dest_seq_factor": 1.5},
        {"queue_manager": "B", "network_priority": 1, "dest_seq_number": 3, "dest_seq_factor": 4.5},
    ]
    listed[0]["channel_manual"] = "manual" in best
    row: Row = ({"queue": "Q"}, [*listed])
    expected = Rows(rules).decision(*row, explain=True)
    fallen = expected["eliminated_by"]
    names = [f"{each['queue_manager']}{each['network_priority']}" for each in listed]
    assert sorted(name for name, rule in zip(names, fallen, strict=True) if rule is None) == left
    assert of_few_fields([row], rules) == [expected]


def test_a_rule_that_asks_for_the_queue_sees_the_one_that_is_kept() -> None:
    """Of a put that names a queue beside a queue manager each destination keeps that queue, whatever the row says."""
    added = "clause = 'workload/1'\ntitle = 'Added'\n[eliminate]\nwhere = \"queue = 'KEPT'\"\nbecause = 'added'\n"
    rules = Rules().with_files({"workload/01d_added.toml": added})
    listed: list[dict[str, Any] | None] = [
        {"queue_manager": "QM1", "queue": "OWN"}, {"queue_manager": "QM2", "queue": "KEPT"},
    ]  # fmt: skip
    puts: list[dict[str, Any]] = [
        {"queue": "KEPT", "queue_manager": "ANY"},
        {"queue": "GONE", "queue_manager": "ANY"},
        {"queue": "OWN"},
    ]
    found = of_few_fields([(put, listed) for put in puts], rules)
    fell = [["workload.01d", "workload.01d"], [None, None], [None, "workload.01d"]]
    assert [each["eliminated_by"] for each in found] == fell
    assert found == [Rows(rules).decision(put, listed, explain=True) for put in puts]


def test_names_are_taken_without_the_blanks_behind_them_and_no_others() -> None:
    """Names of destinations with blanks in other places, longer than a name, in another alphabet, and good ones.

    They are those of the first destination or of another one: the first one's tell how the others are looked at.
    """
    names = ["QM2", "QM.2", " QM2", "QM 2", "QM2\t", "QM2\u00a0", "ß", "", "  ", "Q" * 48, "Q" * 49, "A B ", "%/_"]
    rows = [
        ({"queue": "ORDERS", "already_sent_to": ["QM.2".ljust(padded)], "cluster_pcf": True},
         [{"queue_manager": "QM.2", "channel": "TO.QM2"}, {name: each.ljust(padded), **({} if name == "queue_manager" else {"queue_manager": "QM3"})}])
        for padded in (20, 0, 48, 65, 130) for name in ("queue_manager", "queue", "channel", "cluster") for each in names
    ]  # fmt: skip
    rows += [(put, among[::-1]) for put, among in rows]
    given = pa.table({
        "put": pa.array([put for put, _ in rows]),
        "destinations": pa.array([[{"queue": None, "channel": None, "cluster": None, **each} for each in among] for _, among in rows]),
    })  # fmt: skip
    found = [one for (one,) in decide(given, connection=connection()).project("decision").fetchall()]
    decided = Rows().decision
    assert found == [
        decided(put, among)
        for put, among in zip(*(given[name].to_pylist() for name in given.column_names), strict=True)
    ]
    assert {each["outcome"] for each in found} == {"chosen", "invalid", "failed"}  # QM.2 has the message already
