"""What names come to before an exit is called, and where they lead by way of something disabled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqclause import Engine, Put, read_document
from mqclause.exits import MQWXP
from spec_tests.support.exit_scene import HOSTS, NAME, asked, facts, taking, told, writing, written


def test_where_a_queue_manager_is_named(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "QArray", "QName", "DestinationCount")
    snapshot = read_document(facts(), "facts")
    with Engine(exits={NAME: look}) as engine:
        decision = engine.choose(Put(queue_manager="QM3"), snapshot.cluster, explain="rule")
    assert written(tmp_path / "seen")[1] == [None, "", 1]
    assert told(decision)["chosen"]["queue_manager"] == "QM3"


ALIASES = [
    {"name": "A", "queue_manager": "QM1", "type": "QALIAS", "target": "Q"},
    {"name": "R", "queue_manager": "QM1", "type": "QREMOTE", "rname": "FAR", "rqmname": "QM3"},
    {"name": "L", "queue_manager": "QM1"},
]


@pytest.mark.parametrize(
    ("put", "queue", "has_queues", "hosts"),
    [
        ({"queue": "A"}, "Q", True, list(HOSTS)),
        ({"queue": "R"}, "FAR", False, ["QM3"]),
        ({"queue": "FAR", "queue_manager": "QM4"}, "FAR", False, ["QM4"]),
    ],
)
def test_names_are_resolved_before(
    tmp_path: Path, put: dict[str, str], queue: str, has_queues: bool, hosts: list[str]
) -> None:
    def look(wxp: MQWXP) -> list[Any]:
        return [wxp.QName, wxp.QArray is not None, [each.QMgrName for each in wxp.DestinationArray]]

    asked(writing(tmp_path / "seen", of=look), {"local": ALIASES, "put": put})
    assert written(tmp_path / "seen")[1] == [queue, has_queues, hosts]


@pytest.mark.parametrize("put", [{"queue": "L"}, {"queue": "NONE"}])
def test_where_no_workload_rule_is_asked_no_exit_is(put: dict[str, str]) -> None:
    decision = asked(taking(2), {"local": ALIASES, "put": put})
    assert (decision.exit, "exit" in decision.to_json()) == (None, False)


def test_a_put_disabled_alias_is_no_choice_of_an_exit() -> None:
    disabled = {**ALIASES[0], "put": "DISABLED"}
    decision = asked(taking(2), {"local": [disabled], "put": {"queue": "A", "call": "MQPUT1"}})
    assert decision.reason is not None
    assert (decision.reason.code, told(decision)["called"], told(decision)["rule"]) == (2051, False, "exit.10p")


DISABLED_ALIAS: dict[str, Any] = {
    "local": [{"name": "LA", "type": "QALIAS", "target": "Q", "put": "DISABLED"}],
    "put": {"queue": "LA", "bind": "OPEN", "call": "MQPUT"},
}


@pytest.mark.parametrize(
    ("response", "reason", "call", "rule"),
    [
        ("SUPPRESS_FUNCTION", "MQRC_STOPPED_BY_CLUSTER_EXIT", "MQOPEN", "exit.10i"),
        ("OK", "MQRC_PUT_INHIBITED", "MQPUT", "exit.10q"),
    ],
)
def test_the_open_of_a_put_calls_the_exit_by_way_of_something_disabled(
    response: str, reason: str, call: str, rule: str
) -> None:
    """There is no handle to put on where the exit fails the open; else it is the put that fails."""
    decision = asked(taking(3, response), DISABLED_ALIAS)
    assert decision.reason is not None
    assert (decision.reason.name, decision.reason.call, decision.reason.rule) == (reason, call, rule)
    assert (decision.outcome, decision.chosen, decision.permitted) == ("failed", None, ())
    assert (told(decision)["called"], told(decision)["reason"]) == (True, "CLWL_OPEN")
    unbound = {**DISABLED_ALIAS, "put": {**DISABLED_ALIAS["put"], "bind": "NOTFIXED"}}
    assert told(asked(taking(3, response), unbound))["called"] is False
