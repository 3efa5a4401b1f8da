"""A restart at another command level: from then on the rules are those of that edition."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from mqclause import FactsError, Rules
from mqclause.model.timeline.scenario import build_scenario
from mqclause.render.replay import render_consequences, render_event
from mqclause.replay.runner import Replay

FACTS: dict[str, Any] = {
    "queue_manager": {"name": "QM1", "clusters": ["PLANT"]},
    "remote_queue_manager": [{"name": "QM2", "clusters": ["PLANT"]}],
    "queue": [
        {"name": "PARTS", "queue_manager": "QM1", "clusters": ["PLANT"]},
        {"name": "PARTS", "queue_manager": "QM2", "clusters": ["PLANT"], "clwlrank": 4},
    ],
    "channel": [{"name": "PLANT.QM2", "queue_manager": "QM2", "cluster": "PLANT", "status": "RUNNING"}],
}
"""Up to 7.5 QM1 keeps what is put there; from 8.0 on it goes to the higher rank, QM2."""

PUT = {"do": "put", "queue": "PARTS"}


def rows(events: list[dict[str, Any]], level: int = 0, edition: str | None = None) -> list[dict[str, Any]]:
    own = {**FACTS["queue_manager"], **({"command_level": level} if level else {})}
    scenario = build_scenario({**FACTS, "queue_manager": own, "event": events}, "plant.toml")
    return [each.to_json() for each in Replay(Rules(edition=edition)).rows(scenario)]


def goes_to(found: list[dict[str, Any]]) -> list[str]:
    return [each["routed"]["queue_manager"] for each in found if each["do"] == "put"]


@pytest.mark.parametrize(
    ("level", "restarts", "edition", "expected"),
    [
        (750, [930], None, ["QM1", "QM2"]),
        (0, [930], None, ["QM1", "QM2"]),
        (600, [750], None, ["QM1", "QM1"]),
        (600, [750, 800], None, ["QM1", "QM1", "QM2"]),
        (930, [None], None, ["QM2", "QM2"]),
        (930, [750], None, ["QM2", "QM1"]),  # a queue manager of another level in its place
        (750, [930], "wmq-7.5", ["QM1", "QM1"]),
        (750, [930], "mq-9.4", ["QM2", "QM2"]),
    ],
)
def test_puts_after_a_restart_go_by_its_command_level(
    level: int, restarts: list[int | None], edition: str | None, expected: list[str]
) -> None:
    events: list[dict[str, Any]] = [PUT]
    for new in restarts:
        restart: dict[str, Any] = {"do": "restart"}
        events += [restart if new is None else {**restart, "command_level": new}, PUT]
    assert goes_to(rows(events, level, edition)) == expected


def test_the_row_says_the_edition_and_where_it_is_from() -> None:
    restart: dict[str, Any] = {"do": "restart", "command_level": 930}
    found = rows([restart, {"do": "restart"}], 750)
    assert [(each.get("edition"), each.get("edition_from")) for each in found] == [
        ("mq-9.3", "CMDLEVEL 930 of QM1"), (None, None)
    ]  # fmt: skip
    assert rows([restart], 750, "wmq-7.5")[0]["edition_from"] == "--edition"
    scenario = build_scenario({**FACTS, "event": [restart]}, "plant.toml")
    [row] = Replay().rows(scenario)
    assert render_event(row) == "restart at command level 930"
    assert [each.plain for each in render_consequences(row)] == ["edition mq-9.3 from here on (CMDLEVEL 930 of QM1)"]


def test_what_is_said_of_editions_is_said_anew_after_a_migration() -> None:
    """Up to 7.5 PARTS stays at QM1, from 8.0 on it does not, which each side says once for itself."""
    up, on = ({"do": "restart", "command_level": level} for level in (930, 931))
    found = rows([PUT, PUT, up, PUT, on, PUT], 750)
    assert [[each for each in row.get("remarks", []) if "edition" in each] for row in found] == [
        ["decided by edition wmq-7.5 (CMDLEVEL 750 of QM1); from mq-8.0 on the answer is another, as edition mq-8.0 shows"],
        [], [],
        ["decided by edition mq-9.3 (CMDLEVEL 930 of QM1); in wmq-6 the answer is another, as edition wmq-6 shows"],
        [], [],
    ]  # fmt: skip


def test_an_edition_that_stays_does_not_begin() -> None:
    events = [{"do": "restart", "command_level": level} for level in (930, 931)]
    for level, edition, said in (
        (750, None, ["edition mq-9.3 from here on (CMDLEVEL 930 of QM1)",
                     "edition mq-9.3 stays in force (CMDLEVEL 931 of QM1)"]),
        (930, "mq-9.3", ["edition mq-9.3 stays in force (--edition)"] * 2),
    ):  # fmt: skip
        scenario = build_scenario(
            {**FACTS, "queue_manager": {**FACTS["queue_manager"], "command_level": level}, "event": events},
            "plant.toml",
        )
        found = Replay(Rules(edition=edition)).rows(scenario)
        assert [next(each.plain for each in render_consequences(row)) for row in found] == said


def test_a_level_of_another_edition_than_the_one_asked_for_is_told_once_and_at_each_migration() -> None:
    found = rows([PUT, PUT, {"do": "restart", "command_level": 930}, PUT], 750, "wmq-7.0")
    told = [[each for each in row.get("remarks", []) if "asked for" in each] for row in found]
    assert told == [
        ["QM1 is of command level 750, edition wmq-7.5; edition wmq-7.0 was asked for"], [],
        ["QM1 is of command level 930, edition mq-9.3; edition wmq-7.0 was asked for"], [],
    ]  # fmt: skip


def test_commands_after_a_restart_go_by_its_command_level_too() -> None:
    """SUSPEND MODE(FORCE) stops the routes out from 7.5 on; before that only its own receivers, of which there is none."""
    forced = {"do": "suspend", "cluster": "PLANT", "mode": "FORCE"}
    resumed = {"do": "resume", "cluster": "PLANT"}
    found = rows([forced, resumed, {"do": "restart", "command_level": 750}, forced], 710)
    stopped = [
        [each["channel"] for each in row["changed"] if "channel" in each] for row in found if row["do"] == "suspend"
    ]
    assert stopped == [[], ["PLANT.QM2"]]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"do": "restart", "command_level": 0}, "command_level: 0 is not allowed"),
        (
            {"do": "restart", "command_level": 53},
            "command_level: 53 is not allowed; allowed: a whole number from 100 to",
        ),
        ({"do": "restart", "command_level": "9.3"}, "command_level: '9.3' is not allowed"),
        ({"do": "put", "queue": "PARTS", "command_level": 930}, "command_level"),
        ({"do": "alter", "set": {"command_level": 930}}, "has no attribute 'command_level' to alter"),
    ],
)
def test_a_command_level_is_a_number_and_that_of_a_restart(event: dict[str, Any], said: str) -> None:
    with pytest.raises(FactsError) as error:
        rows([event])
    assert said in str(error.value)


def test_a_scenario_with_a_migration_pickles() -> None:
    scenario = build_scenario({**FACTS, "event": [{"do": "restart", "command_level": 930}, PUT]}, "plant.toml")
    again = pickle.loads(pickle.dumps(scenario))
    assert [each.to_json() for each in Replay().rows(again)] == [each.to_json() for each in Replay().rows(scenario)]
