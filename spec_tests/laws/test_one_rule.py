"""One sentence, one rule: who changes the rule, or the term, changes lists, gets, tables and trigger conditions alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from mqclause import Cluster, QueueManager, Rules
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.runner import Replay
from mqclause.retrieval.order import Retrieval
from spec_tests.support.deep import every
from spec_tests.support.ordered_messages import in_place, ordered

RULES = Rules()
FIRST_THERE, BEGINS = "retrieval/3.6_first_has_to_be_there.toml", "retrieval/3.1_begins_with_the_first.toml"
PLACES, UNCOMMITTED = "retrieval/1.1_priority_then_arrival.toml", "retrieval/5.1_uncommitted_messages_wait.toml"
Rows = Sequence[Mapping[str, Any]]


def term(name: str, said: str) -> Rules:
    """The rules with another meaning of a term of retrieval."""
    before, section, after = RULES.files["terms.toml"].partition(f"[retrieval.{name}]\n")
    assert section
    line, _, rest = after.partition("\n")
    assert line.startswith("is ")
    return RULES.with_files({"terms.toml": f'{before}{section}is = "{said}"\n{rest}'})


def rule(path: str, key: str, said: str) -> Rules:
    """The rules with another value of a key of one of their files."""
    lines = [f"{key} = {said}" if line.split(" ")[0] == key else line for line in RULES.files[path].splitlines()]
    assert "\n".join(lines) != RULES.files[path].rstrip("\n")
    return RULES.with_files({path: "\n".join(lines)})


def without(path: str) -> Rules:
    assert path in RULES.files
    return RULES.with_files({path: None})


def replayed(rules: Rules, lie: Rows, events: Rows, **queue: Any) -> list[dict[str, Any]]:
    facts = {
        "queue_manager": {"name": "QM1"},
        "queue": [{"name": "PARTS", **queue}],
        "message": [{"queue": "PARTS", **each} for each in lie],
        "event": [{"queue": "PARTS", **each} for each in events],
    }
    return [row.to_json() for row in Replay(rules).rows(build_scenario(facts, "test"))]


def got(rules: Rules, lie: Rows, *options: str, **queue: Any) -> list[str]:
    """What get after get returns, as long as one returns anything."""
    gets = [{"do": "get", "options": [*options]}] * (len(lie) + 1)
    return [one for row in replayed(rules, lie, gets, **queue) for one in row["got"]]


def browsed(rules: Rules, lie: Rows, *options: str, **queue: Any) -> list[str]:
    browses = [{"do": "get", "options": ["BROWSE_NEXT", *options]}] * (len(lie) + 1)
    return [one for row in replayed(rules, lie, browses, **queue) for one in row["got"]]


def listed(rules: Rules, lie: Rows, of: str, **queue: Any) -> list[str]:
    messages = [Message(queue="PARTS", **each) for each in lie]
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("PARTS", "QM1", **queue)])
    [order] = Retrieval(rules).orders(messages, cluster)
    return [each.id for each in getattr(order, of)]


def tabled(rules: Rules, lie: Rows, of: str, **queue: Any) -> list[str]:
    rows = [{"queue": "PARTS", "arrival": at, **queue, **each} for at, each in enumerate(lie)]
    return in_place(ordered(rows, None, rules), of)


LIE = [{"id": "LOW", "priority": 1}, {"id": "HIGH", "priority": 9}, {"id": "LOW2", "priority": 1}]
FIFO = {"msgdlvsq": "FIFO", "defprty": 4}


PHYSICAL: list[tuple[Any, ...]] = [
    (RULES, {}, ["HIGH", "LOW", "LOW2"]),
    (RULES, FIFO, ["LOW", "HIGH", "LOW2"]),
    # MSGDLVSQ plays no part.
    (term("enqueued_priority", "priority"), FIFO, ["HIGH", "LOW", "LOW2"]),
    # The lowest comes first: 9 becomes 0, 1 becomes 8.
    (term("enqueued_priority", "9 - priority"), {}, ["LOW", "LOW2", "HIGH"]),
    # Whatever is above 5 counts as 1; what is beyond 0 to 9 counts as the nearest.
    (term("enqueued_priority", "CASE WHEN priority > 5 THEN 1 ELSE priority END"), {}, ["LOW", "HIGH", "LOW2"]),
    (term("enqueued_priority", "priority * 100"), {}, ["LOW", "HIGH", "LOW2"]),
    (rule(PLACES, "by", '["arrival"]'), {}, ["LOW", "HIGH", "LOW2"]),
    (rule(PLACES, "by", '["arrival DESC"]'), {}, ["LOW2", "HIGH", "LOW"]),
    (rule(PLACES, "by", '["enqueued_priority", "arrival DESC"]'), {}, ["LOW2", "LOW", "HIGH"]),
    (rule(PLACES, "by", '["enqueued_priority DESC", "arrival DESC"]'), FIFO, ["LOW2", "HIGH", "LOW"]),
]


@pytest.mark.parametrize(
    ("rules", "queue", "expected"),
    PHYSICAL,
)
def test_physical_order(rules: Rules, queue: dict[str, Any], expected: list[str]) -> None:
    assert listed(rules, LIE, "physical", **queue) == expected
    assert got(rules, LIE, **queue) == expected


@pytest.mark.parametrize(("rules", "queue", "expected"), every(5, PHYSICAL))
def test_physical_order_in_tables(rules: Rules, queue: dict[str, Any], expected: list[str]) -> None:
    assert tabled(rules, LIE, "physical", **queue) == expected


@pytest.mark.parametrize(
    ("rules", "queue", "triggers"),
    [
        (RULES, {}, True),
        (RULES, FIFO, False),
        (term("enqueued_priority", "priority"), FIFO, True),
        (term("enqueued_priority", "9 - priority"), {}, False),
    ],
)
def test_a_message_counts_for_triggering_as_it_lies(rules: Rules, queue: dict[str, Any], triggers: bool) -> None:
    """A put of priority 9; TRIGMPRI is 5. Also what lay there before counts so: the monitor that opens finds it."""
    facts: dict[str, Any] = {
        "queue_manager": {"name": "QM1"},
        "queue": [
            {"name": "PARTS", "trigger": True, "trigmpri": 5, "process": "P", "initq": "INIT", **queue},
            {"name": "INIT"},
        ],
        "process": [{"name": "P"}],
    }
    put, monitor = {"do": "put", "queue": "PARTS", "priority": 9}, {"do": "open", "queue": "INIT"}
    for events in ([monitor, put], [put, monitor]):
        rows = [row.to_json() for row in Replay(rules).rows(build_scenario({**facts, "event": events}, "test"))]
        assert bool(rows[1]["trigger_messages"]) is triggers


Y, NONE = {"group": "Y"}, {"id": "NONE"}


def of_group(*members: tuple[int, bool]) -> list[dict[str, Any]]:
    """Messages of group Y: sequence, and whether it is the last one. One in no group lies before them all."""
    return [NONE, *({"id": f"Y{at}", "sequence": at, "last_in_group": last, **Y} for at, last in members)]


ODD = term(
    "followed_by_sequence",
    "CASE WHEN ends_item OR (NOT ends_message AND length = 0) THEN 0 WHEN ends_message THEN sequence + 2 ELSE sequence END",
)
SEGMENTS = [
    {"id": "S1", "segment": True, "length": 10, **Y},
    {"id": "S2", "last_segment": True, "offset": 20, "last_in_group": True, **Y},
]


LOGICAL: list[tuple[Any, ...]] = [
    (RULES, of_group((2, True), (1, False)), ["NONE", "Y1", "Y2"]),
    (RULES, of_group((3, True), (2, False)), ["NONE"]),
    (term("is_first", "sequence = 2 AND offset = 0"), of_group((3, True), (2, False)), ["NONE", "Y2", "Y3"]),
    # What lies before the first is no part of the order.
    (term("is_first", "sequence = 2 AND offset = 0"), of_group((1, False), (2, True)), ["NONE", "Y2"]),
    (
        term("is_first", "sequence = 3 AND offset = 0"),
        of_group((1, False), (2, False), (3, False), (4, True)),
        ["NONE", "Y3", "Y4"],
    ),
    (RULES, of_group((1, False), (3, True)), ["NONE", "Y1"]),
    (ODD, of_group((1, False), (3, True)), ["NONE", "Y1", "Y3"]),
    (ODD, of_group((1, False), (2, False), (3, True)), ["NONE", "Y1", "Y3"]),
    # The group ends with its third message, whatever that says; the fourth lies behind.
    (
        term("ends_item", "ends_message AND (sequence = 3 OR NOT in_group)"),
        of_group((1, False), (2, True), (3, False), (4, True)),
        ["NONE", "Y1", "Y2", "Y3"],
    ),
    # A message is one segment alone.
    (RULES, [NONE, {"id": "S1", "segment": True, **Y}, *of_group((2, True))[1:]], ["NONE", "S1"]),
    (
        term("ends_message", "TRUE"),
        [NONE, {"id": "S1", "segment": True, **Y}, *of_group((2, True))[1:]],
        ["NONE", "S1", "Y2"],
    ),
    # The offset goes on by 20, whatever the length.
    (RULES, SEGMENTS, ["S1"]),
    (term("followed_by_offset", "CASE WHEN ends_message THEN 0 ELSE offset + 20 END"), SEGMENTS, ["S1", "S2"]),
    (rule(FIRST_THERE, "where", '"FALSE"'), of_group((2, True)), ["NONE", "Y2"]),
]


@pytest.mark.parametrize(
    ("rules", "lie", "expected"),
    LOGICAL,
)
def test_logical_order(rules: Rules, lie: Rows, expected: list[str]) -> None:
    assert listed(rules, lie, "logical") == expected
    assert got(rules, lie, "LOGICAL_ORDER") == expected


@pytest.mark.parametrize(("rules", "lie", "expected"), every(7, LOGICAL))
def test_logical_order_in_tables(rules: Rules, lie: Rows, expected: list[str]) -> None:
    assert tabled(rules, lie, "logical") == expected


@pytest.mark.parametrize(("rules", "places"), [(RULES, [1, 2, 3]), (ODD, [1, 3, 5])])
def test_puts_in_logical_order_go_on_as_gets_do(rules: Rules, places: list[int]) -> None:
    puts = [{"do": "put", "id": f"P{at}", "logical_order": True, "in_group": True} for at in range(3)]
    gets = [{"do": "get", "options": ["BROWSE_FIRST"], "match": {"sequence": at}} for at in places]
    rows = replayed(rules, [], [*puts, *gets])
    assert [row["got"] for row in rows[3:]] == [["P0"], ["P1"], ["P2"]]


@pytest.mark.parametrize(
    ("rules", "complete"),
    [(RULES, False), (ODD, True), (term("group_complete", "TRUE"), True), (term("ends_item", "sequence = 1"), True)],
)
def test_a_complete_group(rules: Rules, complete: bool) -> None:
    [row] = replayed(
        rules,
        of_group((1, False), (3, True)),
        [{"do": "get", "options": ["ALL_MSGS_AVAILABLE"], "match": {"group": "Y"}}],
    )
    assert bool(row["got"]) is complete


HELD: list[dict[str, Any]] = [
    {"id": "Y1", "unit_of_work": "U", **Y},
    {"id": "Y2", "sequence": 2, "last_in_group": True, "unit_of_work": "U", **Y},
    {"id": "Z", "unit_of_work": "U2"},
    {"id": "A"},
]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (RULES, ["A"]),
        (rule(UNCOMMITTED, "where", '"FALSE"'), ["Y1", "Y2", "Z", "A"]),
        (without(UNCOMMITTED), ["Y1", "Y2", "Z", "A"]),
        (rule(UNCOMMITTED, "where", "\"unit_of_work = 'U2'\""), ["Y1", "Y2", "A"]),
        (rule(UNCOMMITTED, "where", "\"unit_of_work = 'U' AND sequence = 1\""), ["Z", "A"]),
    ],
)
def test_what_is_not_committed_is_no_part_of_a_group_either(rules: Rules, expected: list[str]) -> None:
    """The last one hides the first message of the group: in physical order its second one is there."""
    physical = ["Y2", *expected] if expected == ["Z", "A"] else expected
    table = ordered([{"queue": "PARTS", "arrival": at, **each} for at, each in enumerate(HELD)], None, rules)
    for of, options, wanted in (("physical", (), physical), ("logical", ("LOGICAL_ORDER",), expected)):
        assert listed(rules, HELD, of) == wanted
        assert browsed(rules, HELD, *options) == wanted
        assert in_place(table, of) == wanted


@pytest.mark.parametrize(
    ("rules", "seen"),
    [(RULES, []), (rule(UNCOMMITTED, "where", "\"unit_of_work <> '' AND unit_of_work <> unit\""), ["Y1", "Y2"])],
)
def test_a_browse_of_what_its_own_unit_of_work_has_put(rules: Rules, seen: list[str]) -> None:
    browse = {"do": "get", "options": ["BROWSE_NEXT", "LOGICAL_ORDER"], "unit_of_work": "U"}
    rows = replayed(rules, HELD[:2], [browse] * 3)
    assert [one for row in rows for one in row["got"]] == seen


@pytest.mark.parametrize(
    ("path", "lie", "match", "returned"),
    [
        (FIRST_THERE, of_group((2, True))[1:], {}, ["Y2"]),
        (BEGINS, of_group((1, False), (2, True))[1:], {"sequence": 2}, ["Y2"]),
    ],
)
def test_each_of_two_rules_decides_something_alone(
    path: str, lie: Rows, match: dict[str, Any], returned: list[str]
) -> None:
    get = [{"do": "get", "options": ["LOGICAL_ORDER"], "match": match}]
    assert [row["got"] for row in replayed(RULES, lie, get)] == [[]]
    assert [row["got"] for row in replayed(rule(path, "where", '"FALSE"'), lie, get)] == [returned]
