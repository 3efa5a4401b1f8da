"""What answers goes to another process: it pickles as its rules' text, and answers there as here."""

from __future__ import annotations

import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

import pytest

from mqclause import Cluster, Decision, Engine, Put, Replay, Rules, Triggers
from mqclause.answers.choice.decision import LEVELS, Level
from mqclause.answers.replay.replay_document import row_document
from mqclause.executors.run import ExecutorName
from mqclause.model.timeline.occasion import Occasion
from mqclause.model.timeline.scenario import scenario_of
from mqclause.rulebook.rules import rules_folder
from spec_tests.support.delivery import EVERY_EXECUTOR
from spec_tests.support.random_clusters import random_case, random_put
from spec_tests.support.trigger_scenarios import random_scenario

executors = pytest.mark.parametrize("executor", EVERY_EXECUTOR)


def cases(count: int = 20) -> list[tuple[Cluster, Put]]:
    rng = Random(31)
    return [random_case(rng) for _ in range(count)]


@pytest.fixture
def ours(tmp_path: Path) -> Rules:
    """Rules of a folder that is gone."""
    folder = Path(shutil.copytree(rules_folder(), tmp_path / "rules"))
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
    occasion = Occasion(queue="APPQ")
    assert [*copied[0].examine(occasion).conditions] == [*triggers.examine(occasion).conditions]
    scenario = scenario_of(random_scenario(Random(5), 25), "law")
    told = [[row_document(row) for row in each.rows(scenario)] for each in (replay, copied[1])]
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
    assert (dict(copied.state.counters), copied.state.last_number) == (
        dict(decision.state.counters),
        decision.state.last_number,
    )
    assert copied.chosen is None or copied.chosen in copied.listed


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
