"""What answers goes to another process: it pickles as its rules' text, and answers there as here."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mqclause import (
    Checks,
    Cluster,
    Decision,
    Engine,
    Explanation,
    Put,
    Queue,
    QueueManager,
    Replay,
    Rules,
    Snapshot,
    Triggers,
    Why,
    read,
    read_files,
    read_members,
    read_scenario,
    text,
    why_not,
)
from mqclause.executors.operations import ExecutorName
from mqclause.model.timeline.scenario import build_scenario
from mqclause.model.timeline.trigger_events import TriggerEvent
from mqclause.rulebook.rules import get_rules_folder
from mqclause.workload.decision import LEVELS, Level
from spec_tests.support.delivery import EVERY_EXECUTOR
from spec_tests.support.random_clusters import random_case, random_put
from spec_tests.support.trigger_scenarios import random_scenario

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))

executors = pytest.mark.parametrize("executor", EVERY_EXECUTOR)


def cases(count: int = 20) -> list[tuple[Cluster, Put]]:
    rng = Random(31)
    return [random_case(rng) for _ in range(count)]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    """Rules of a folder that is gone."""
    folder = Path(shutil.copytree(get_rules_folder(), tmp_path_factory.mktemp("gone") / "rules"))
    path = folder / "workload" / "04a_channel_rank.toml"
    path.write_text(path.read_text().replace("is below", "is less than"))
    rules = Rules({"mru-ties": "any"}, folder=folder)
    shutil.rmtree(folder)
    return rules


@executors
def test_an_engine(ours: Rules, executor: ExecutorName) -> None:
    engine = Engine(ours, executor)
    copied = pickle.loads(pickle.dumps(engine))
    assert (copied.rules, copied.executor) == (ours, executor)
    for cluster, put in cases():
        one, other = (each.choose(put, cluster, explain="condition") for each in (engine, copied))
        assert one.to_json() == other.to_json()


@executors
def test_triggers_and_replays(ours: Rules, executor: ExecutorName) -> None:
    triggers, replay = Triggers(ours, executor), Replay(ours, executor)
    copied = pickle.loads(pickle.dumps((triggers, replay)))
    assert [each.rules for each in (copied[0], copied[1].engine, copied[1].triggers)] == [ours] * 3
    occasion = TriggerEvent(queue="APPQ")
    assert [*copied[0].examine(occasion).conditions] == [*triggers.examine(occasion).conditions]
    scenario = build_scenario(random_scenario(Random(5), 25), "law")
    told = [[row.to_json() for row in each.rows(scenario)] for each in (replay, copied[1])]
    assert told[0] == told[1]


@pytest.mark.parametrize("level", LEVELS)
@executors
def test_a_decision(ours: Rules, executor: ExecutorName, level: Level) -> None:
    engine, rng = Engine(ours, executor), Random(3)
    for cluster, put in cases(10):
        for state in (None, engine.choose(put, cluster).state):
            decision = engine.choose(random_put(rng, cluster), cluster, state, level)
            check_same(decision, pickle.loads(pickle.dumps(decision)))


def check_same(decision: Decision, copied: Decision) -> None:
    assert copied.to_json() == decision.to_json()
    assert copied.to_json_text() == decision.to_json_text()
    assert str(copied) == str(decision)
    assert repr(copied) == repr(decision) == f"<Decision: {decision.verdict}>"
    assert (dict(copied.state.counters), copied.state.last_number) == (
        dict(decision.state.counters),
        decision.state.last_number,
    )
    assert copied.chosen is None or copied.chosen in copied.listed


def same_again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize(
    "names", [["sales/QM1.mqsc", "sales/QM2.mqsc", "sales/QM3.mqsc"], ["QM1.log"], ["orders.toml"]]
)
def test_a_snapshot(names: list[str]) -> None:
    snapshot = read_files([EXAMPLES / name for name in names], local="QM1")
    copied: Snapshot = same_again(snapshot)
    told = [
        Explanation.of(Engine().choose(Put(queue="ORDERS.IN"), each.cluster, explain="rule"), each).to_json()
        for each in (snapshot, copied)
    ]
    assert told[0] == told[1]
    for one, other in zip(snapshot.cluster.queues, copied.cluster.queues, strict=True):
        assert snapshot.provenance.of(one, "put") == copied.provenance.of(other, "put")


def test_members_of_scripts_whose_commands_are_of_one_form() -> None:
    """The places of their values depend on how long the values before them are."""
    script = "".join(
        f"DEFINE QLOCAL({name}) CLUSTER(PLANT) CLWLPRTY({priority})\n"
        for name, priority in (("A", 5), ("LONG.NAME", 7))
    )
    [member] = members = read(text(f"* Queue manager name: QM1\n{script}", name="QM1.mqsc"))
    copied = same_again(members)
    assert copied == members
    places = [[each.provenance.of(queue, "clwlprty") for queue in each.cluster.queues] for each in (member, copied[0])]
    assert places[0] == places[1]
    assert [(each.line, each.column) for each in places[1]] == [(2, 33), (3, 41)]


def test_a_scenario() -> None:
    """A pool of processes is given scenarios, and gives back what their rows say."""
    scenario = read_scenario(EXAMPLES / "status_queue.toml")
    told = [row.to_json() for row in Replay().rows(scenario)]
    assert [row.to_json() for row in Replay().rows(same_again(scenario))] == same_again(told) == told


@executors
@pytest.mark.parametrize("name", ["orders_trigger.toml", "status_queue.toml"])
def test_rows_of_a_replay(ours: Rules, executor: ExecutorName, name: str) -> None:
    for row in Replay(ours, executor).rows(read_scenario(EXAMPLES / name)):
        copied = same_again(row)
        assert copied.to_json() == row.to_json()
        assert copied.ended.tell() == row.ended.tell()
        for one, other in zip(row.examinations, copied.examinations, strict=True):
            assert [*other.conditions] == [*one.conditions]
            assert [*other.failed_conditions] == [*one.failed_conditions]


@executors
def test_what_why_says(executor: ExecutorName) -> None:
    """Of QM2 it is not known when a trigger message was written last, nor how many messages are on the queue."""
    answer = Why(executor=executor).ask("ORDERS.IN", read_files([EXAMPLES / "QM2.mqsc"]))
    copied = same_again(answer)
    assert (copied.verdict, copied.requirement) == (answer.verdict, answer.requirement)
    told = [
        [(each.because, each.holds, [fact.name for fact in each.by]) for each in of.doubts] for of in (answer, copied)
    ]
    assert told[0] == told[1]
    assert any(holds is None for _, holds, _ in told[0])
    remedies = [[of.remedies(each.condition.rule) for each in of.doubts] for of in (answer, copied)]
    assert remedies[0] == remedies[1]


def test_why_a_queue_manager_is_not_permitted() -> None:
    members = read_members([EXAMPLES / "sales" / f"QM{number}.mqsc" for number in (1, 2, 3)])
    decision = Engine().choose(Put("ORDERS.IN"), members[0].cluster.suspend("QM3"), explain="rule")
    answer = why_not(decision, "QM3")
    assert same_again(answer).to_json() == answer.to_json()
    assert answer.changes


def test_checks() -> None:
    checks = same_again(Checks(ignored=["check.14"], executor="plain"))
    assert (checks.ignored, checks.engine.executor) == ({"check.14"}, "plain")


NO_PUTS: list[dict[str, Any]] = [{"queue": 5}, {"length": float("nan")}]


@pytest.mark.parametrize(
    "raising",
    [
        *(partial(Put, **each) for each in NO_PUTS),
        lambda: read_files([]),
        lambda: Cluster(QueueManager("QM1"), queues=(Queue("Q", "QM1"), Queue("Q", "QM1"))),
        lambda: Rules({"weight-step": "half"}),
        lambda: Rules(folder="no.such.folder"),
    ],
)
def test_an_error_is_the_same_in_another_process(raising: Callable[[], object]) -> None:
    """One that is not breaks the whole pool of processes that it comes from."""
    with pytest.raises(ValueError, match=r".") as caught:
        raising()
    copied = same_again(caught.value)
    assert (type(copied), str(copied)) == (caught.type, str(caught.value))
    assert [*vars(copied)] == [*vars(caught.value)]


def test_a_decision_whose_steps_were_read_pickles_as_well() -> None:
    cluster, put = cases(1)[0]
    decision = Engine().choose(put, cluster, explain="rule")
    before = pickle.dumps(decision)
    assert decision.steps
    assert pickle.loads(pickle.dumps(decision)).to_json() == pickle.loads(before).to_json() == decision.to_json()


def test_an_engine_in_a_process_of_its_own(ours: Rules) -> None:
    given = cases(6)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = [pool.submit(Engine(ours).choose, put, cluster, None, "rule") for cluster, put in given]
        documents = [each.result().to_json() for each in found]
    assert documents == [Engine(ours).choose(put, cluster, explain="rule").to_json() for cluster, put in given]
