"""One row of a table: hand-worked rows, and rows made of clusters against the engine."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from mqclause import Cluster, Engine, Put
from mqclause.model.facts.domains import NAME_GIVEN
from mqclause.rulebook.rule import ReadingError
from mqclause.rulebook.rules import Rules
from mqclause.tables.row import Rows
from mqclause.tables.schema import DECISION, DESTINATION, NOT_ALLOWED, PUT, PUT_REQUIREMENTS
from spec_tests.support.deep import first
from spec_tests.support.many_clusters import table_row
from spec_tests.support.random_clusters import random_case, random_readings

ROWS = Rows()
NO_PUT = "put is null; a row needs the put that it asks about"
NO_DESTINATIONS = "destinations is null or empty; a row needs at least one destination"
QUEUE = {"queue": "Q"}


def remote(name: str = "QM2", **fields: Any) -> dict[str, Any]:
    """A destination at ``name``; the fields not given are absent."""
    return {"queue": "Q", "queue_manager": name, "channel": f"TO.{name}", **fields}


def decision(**fields: Any) -> dict[str, Any]:
    """A decision; the fields not given are null."""
    return dict.fromkeys(DECISION) | fields


def invalid(message: str) -> dict[str, Any]:
    return decision(outcome="invalid", message=message)


def chosen(name: str, permitted: int = 1, **fields: Any) -> dict[str, Any]:
    fields = {"queue": "Q", "channel": f"TO.{name}", **fields}
    return decision(outcome="chosen", queue_manager=name, permitted=permitted, **fields)


def not_allowed(column: str, value: str) -> dict[str, Any]:
    table = PUT if column.startswith("put.") else DESTINATION
    name, _, item = column.split(".")[1].partition("[")
    allowed = NAME_GIVEN.described if item else table[name].allowed
    return invalid(NOT_ALLOWED.format(column=column, value=value, allowed=allowed))


def test_a_destination_is_chosen() -> None:
    assert ROWS.decision(QUEUE, [remote("QM2"), remote("QM3", channel_rank=1)]) == chosen("QM3")


def test_of_several_permitted_ones_the_first() -> None:
    assert ROWS.decision(QUEUE, [remote("QM2"), remote("QM3")]) == chosen("QM2", 2)


def test_which_rule_each_fell_by() -> None:
    given = [remote("QM2"), remote("QM3", channel_rank=1), remote("QM4", put_enabled=False)]
    assert ROWS.decision(QUEUE, given, explain=True) == chosen(
        "QM3", eliminated_by=["workload.04a", None, "workload.01a"]
    )


def test_one_that_is_set_aside_and_taken_back_remained() -> None:
    given = [remote("QM2", channel_status="RETRYING"), remote("QM3", channel_status="STOPPED")]
    assert ROWS.decision(QUEUE, given, explain=True) == chosen("QM2", eliminated_by=[None, "workload.06"])


def test_a_failed_and_a_deferred_call() -> None:
    disabled = [remote("QM2", put_enabled=False)]
    failed = decision(outcome="failed", reason=2268, permitted=0)
    assert ROWS.decision({**QUEUE, "call": "MQOPEN"}, disabled) == failed
    notfixed = {**QUEUE, "bind": "NOTFIXED", "call": "MQOPEN"}
    assert ROWS.decision(notfixed, [remote("QM2"), remote("QM3")]) == decision(outcome="deferred", permitted=2)


@pytest.mark.parametrize("bind", [None, "AS_Q_DEF", "as_q_def"])
def test_without_a_binding_it_is_open(bind: str | None) -> None:
    assert ROWS.decision({**QUEUE, "bind": bind, "call": "MQOPEN"}, [remote()]) == chosen("QM2")


def test_null_absent_and_default_are_the_same() -> None:
    named = {"queue": "Q", "queue_manager": "QM2", "channel": "TO.QM2"}
    absent = {name: None for name in DESTINATION if name not in named}
    stated = {name: column.default for name, column in DESTINATION.items() if name not in named}
    others = {name: column.default for name, column in PUT.items() if name != "queue"}
    for given in (named, {**named, **absent}, {**named, **stated}):
        assert ROWS.decision(QUEUE, [given]) == ROWS.decision({**others, **QUEUE}, [given]) == chosen("QM2")


def test_what_no_column_is_named_for_is_passed_over() -> None:
    assert ROWS.decision({**QUEUE, "note": object()}, [remote(bind="?")]) == chosen("QM2")


def test_words_in_any_letter_case() -> None:
    given = [remote("QM2", channel_status="Retrying"), remote("QM3", channel_status="running")]
    assert ROWS.decision({**QUEUE, "call": "mqPut1"}, given) == chosen("QM3")


def test_blanks_that_pad_a_name_are_no_part_of_it() -> None:
    given: list[dict[str, Any]] = [{"queue": "Q".ljust(48), "queue_manager": "QM2 ", "channel": "TO.QM2".ljust(20)}]
    pcf = {"cluster_pcf": True, "already_sent_to": ["QM3".ljust(48)]}
    given += [{"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3", "dest_seq_factor": -0.0}]
    assert ROWS.decision({"queue": "Q ", **pcf}, given) == chosen("QM2")
    assert ROWS.decision({"queue": " ", "queue_manager": "  "}, given) == invalid(PUT_REQUIREMENTS.none_given)


def test_a_blank_name_comes_out_null() -> None:
    given = [{"queue": "", "queue_manager": "QM2", "channel": ""}]
    assert ROWS.decision({"queue_manager": "QM2"}, given) == chosen("QM2", queue=None, channel=None)


BOTH = {"queue": "Q ", "queue_manager": "ANY.CLUSTER"}


def test_beside_a_queue_manager_the_queue_is_kept() -> None:
    """A queue manager is being chosen: 4b, 11b and clause 3 do not ask about the queue, 11a asks about channels."""
    local = {"queue_manager": "QM1", "is_local": True, "clwluseq": "LOCAL"}
    assert ROWS.decision(BOTH, [remote(), local]) == chosen("QM2", 2)
    given = [remote("QM2", queue=None, channel_priority=1), remote("QM3", queue="R", queue_rank=9)]
    assert ROWS.decision(BOTH, given) == chosen("QM2")
    step = next(each for each in ROWS.explained(BOTH, given)["steps"] if each["eliminated"])
    assert (step["rule"], [each["queue"] for each in step["eliminated"]]) == ("workload.11a", ["Q"])
    alias = [remote("QM2", is_alias=True, put_enabled=False)]
    assert ROWS.decision(BOTH, alias) == decision(outcome="failed", reason=2268, permitted=0)
    elsewhere = [remote("QM2", shares_cluster=False, channel_in_queue_cluster=False)]
    assert ROWS.decision(BOTH, elsewhere) == decision(outcome="failed", reason=2086, permitted=0)


@pytest.mark.parametrize("outside", [{"shares_cluster": False}, {"channel_in_queue_cluster": False}])
def test_no_cluster_test_sets_a_local_instance_aside(outside: dict[str, Any]) -> None:
    """Clause 1 asks remote instances and their channels alone for clusters: put-disabled, the local one is still there."""
    local = {"queue": "Q", "queue_manager": "QM1", "is_local": True, **outside}
    assert ROWS.decision(QUEUE, [local]) == chosen("QM1", channel=None)
    disabled = [{**local, "put_enabled": False}]
    assert ROWS.decision(QUEUE, disabled) == decision(outcome="failed", reason=2051, permitted=0)
    assert ROWS.decision(QUEUE | {"call": "MQOPEN"}, disabled) == decision(outcome="deferred", permitted=0)


def test_a_queue_manager_is_not_put_disabled() -> None:
    """Clause 2 asks aliases alone for PUT: a queue manager that a message has gone to already is no disabled one."""
    put = {"queue_manager": "QM2", "cluster_pcf": True, "already_sent_to": ["QM2"]}
    route = remote("QM2", queue=None, put_enabled=False)
    assert ROWS.decision(put, [route]) == decision(outcome="failed", reason=2086, permitted=0)
    alias = [{**route, "is_alias": True}]
    assert ROWS.decision(put, alias) == decision(outcome="failed", reason=2268, permitted=0)


def test_nulls_among_those_it_was_sent_to() -> None:
    put = {**QUEUE, "cluster_pcf": True, "already_sent_to": [None, "QM2", None]}
    assert ROWS.decision(put, [remote("QM2"), remote("QM3")]) == chosen("QM3")


def test_clwluseq_is_left_to_the_queue_manager_only_where_there_is_a_field_for_it() -> None:
    local = {"queue": "Q", "queue_manager": "QM1", "is_local": True, "clwluseq": "QMGR"}
    given = [remote("QM2", dest_seq_factor=1), {**local, "dest_seq_factor": 2.0}]
    assert ROWS.decision(QUEUE, given) == not_allowed("destinations[1].clwluseq", "'QMGR'")
    assert ROWS.decision({**QUEUE, "qmgr_clwluseq": None}, given) == chosen("QM1", channel=None)
    assert ROWS.decision({**QUEUE, "qmgr_clwluseq": "any"}, given) == chosen("QM2")


@pytest.mark.parametrize(
    ("put", "given", "message"),
    [
        (None, None, NO_PUT),
        ({}, None, PUT_REQUIREMENTS.none_given),
        ({"queue": "", "queue_manager": None}, None, PUT_REQUIREMENTS.none_given),
        (QUEUE, None, NO_DESTINATIONS),
        (QUEUE, [], NO_DESTINATIONS),
        (QUEUE, [None], "destinations[0] is null"),
        (
            QUEUE,
            [remote(), remote(queue_manager=None)],
            f"destinations[1].queue_manager = null; allowed: {NAME_GIVEN.described}",
        ),
        (
            QUEUE,
            [{"queue": "Q", "channel": "C"}],
            f"destinations[0].queue_manager = null; allowed: {NAME_GIVEN.described}",
        ),
        (QUEUE, [remote("  ")], f"destinations[0].queue_manager = '  '; allowed: {NAME_GIVEN.described}"),
        (QUEUE, [remote("", channel=None)], f"destinations[0].queue_manager = ''; allowed: {NAME_GIVEN.described}"),
        (QUEUE, [remote(), None, {"channel_rank": 10}], "destinations[1] is null"),
    ],
)
def test_what_is_missing(put: Any, given: Any, message: str) -> None:
    assert ROWS.decision(put, given) == invalid(message)
    assert ROWS.explained(put, given) == {**invalid(message), "steps": []}


@pytest.mark.parametrize(
    ("fields", "column", "value"),
    [
        ({"call": "MQGET", "bind": "Never"}, "put.bind", "'Never'"),
        ({"call": "mqget"}, "put.call", "'mqget'"),
        ({"call": ""}, "put.call", "''"),
        ({"call": 1}, "put.call", "1"),
        ({"from_cluster_channel": 1}, "put.from_cluster_channel", "1"),
        ({"cluster_pcf": "true"}, "put.cluster_pcf", "'true'"),
        ({"already_sent_to": "QM2"}, "put.already_sent_to", "'QM2'"),
        ({"already_sent_to": [1]}, "put.already_sent_to", "[1]"),
        ({"already_sent_to": ["QM2 ", None, " "]}, "put.already_sent_to[2]", "' '"),
        ({"queue": "A\tB"}, "put.queue", "'A\tB'"),
        ({"clwlmruc": 1.5}, "put.clwlmruc", "1.5"),
        ({"clwlmruc": 0}, "put.clwlmruc", "0"),
        ({"clwlmruc": True}, "put.clwlmruc", "true"),
        ({"qmgr_clwluseq": "QMGR"}, "put.qmgr_clwluseq", "'QMGR'"),
        ({"queue": 1, "call": "MQGET"}, "put.queue", "1"),
    ],
)
def test_what_a_put_may_not_hold(fields: Mapping[str, Any], column: str, value: str) -> None:
    # A fault of the put comes before those of the destinations.
    assert ROWS.decision({**QUEUE, **fields}, None) == not_allowed(column, value)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("channel_status", "STOPED", "'STOPED'"),
        ("channel_status", "", "''"),
        ("channel_rank", 10, "10"),
        ("channel_rank", -1, "-1"),
        ("channel_rank", 1.5, "1.5"),
        ("channel_rank", Decimal("1e-7"), "0.0000001"),
        ("queue_manager", "QM 2", "'QM 2'"),
        ("queue", "Q" * 49, f"'{'Q' * 49}'"),
        ("channel", "C" * 21, f"'{'C' * 21}'"),
        ("cluster", "é", "'é'"),
        ("channel_rank", False, "false"),
        ("channel_weight", 100, "100"),
        ("dest_seq_number", 2**63, str(2**63)),
        ("dest_seq_factor", float("nan"), "nan"),
        ("dest_seq_factor", float("inf"), "inf"),
        ("dest_seq_factor", 10**400, str(10**400)),
        ("dest_seq_factor", -0.5, "-0.5"),
        ("dest_seq_factor", True, "true"),
        ("put_enabled", 0, "0"),
        ("queue_type", "QMODEL", "'QMODEL'"),
        ("cluster", 5, "5"),
    ],
)
def test_what_a_destination_may_not_hold(name: str, value: Any, shown: str) -> None:
    given = [remote(), remote(), remote(**{name: value}), None, {"queue": 1}]
    assert ROWS.decision(QUEUE, given) == not_allowed(f"destinations[2].{name}", shown)


def test_the_first_column_with_a_fault_is_told() -> None:
    given = [remote(channel_priority=10, channel_rank=10, queue_type="?")]
    assert ROWS.decision(QUEUE, given) == not_allowed("destinations[0].channel_rank", "10")


def test_readings() -> None:
    with pytest.raises(ReadingError):
        Rows(Rules({"weight-step": "odd"}))
    always = Rows(Rules({"all-put-disabled": "always-2268"}))
    given = [{**remote("QM1"), "is_local": True, "put_enabled": False}]
    assert [rows.decision(QUEUE, given)["reason"] for rows in (ROWS, always)] == [2051, 2268]


@pytest.mark.parametrize("seed", first(1, range(4)))
def test_as_the_engine_decides(seed: int) -> None:
    rng = Random(seed)
    for readings in ({}, *(random_readings(rng) for _ in range(5))):
        engine, rows = Engine(Rules(readings)), Rows(Rules(readings))
        for _ in range(100):
            agree(engine, rows, *random_case(rng))


def without_derived(step: dict[str, Any]) -> dict[str, Any]:
    """The step but for what it derived: a row does not say the number of the choice before."""
    return {name: value for name, value in step.items() if name != "derived"}


def agree(engine: Engine, rows: Rows, cluster: Cluster, put: Put) -> None:
    """Checks that the row that the names of the put come to is decided as the put is."""
    made = table_row(engine, cluster, put)
    if made is None:
        return
    row, expected = made
    found, steps = rows.explained(*row), engine.choose(put, cluster, explain="rule").to_json()["steps"]
    assert {**found, "steps": [without_derived(step) for step in found["steps"]]} == {
        **expected,
        "steps": [without_derived(step) for step in steps],
    }
    assert rows.decision(*row, explain=True) == {name: found[name] for name in DECISION}
    assert rows.decision(*row) == {**{name: found[name] for name in DECISION}, "eliminated_by": None}
