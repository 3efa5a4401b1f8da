"""What holds of every kind of answer, whatever the facts: it is a value, and comes back from JSON and from tables."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mqclause
from mqclause import (
    AnswerTable,
    Engine,
    Explanation,
    Replay,
    Retrieval,
    ShownAnswer,
    Why,
    check_files,
    cluster_map,
    counterfactuals,
    moves,
    next_get,
    plan,
    shares,
    text,
    why_not,
)
from mqclause.cluster.plan import Traffic
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.timeline.scenario import build_scenario
from spec_tests.laws.test_why_laws import random_cluster as random_triggered_cluster
from spec_tests.support.compared import law
from spec_tests.support.random_clusters import random_case
from spec_tests.support.random_messages import random_rows
from spec_tests.support.trigger_scenarios import random_scenario

WHY, RETRIEVAL, REPLAY = Why(), Retrieval(), Replay()


def answers_about_puts(rng: Random) -> Iterator[ShownAnswer]:
    cluster, put = random_case(rng)
    decision = Engine().choose(put, cluster, explain=rng.choice(("verdict", "rule", "condition")))
    yield decision
    if decision.level != "verdict":
        yield Explanation.of(decision, Snapshot(cluster), other_readings=rng.random() < 0.2)
    yield from with_rows(shares(decision))
    if decision.steps and decision.listed:
        name = rng.choice(decision.listed).queue_manager
        yield why_not(decision, name, limit=1)
        yield from with_rows(counterfactuals(decision, name))


def answers_about_clusters(rng: Random) -> Iterator[ShownAnswer]:
    cluster, _ = random_case(rng)
    yield from with_rows(mapped := cluster_map(cluster))
    out = rng.choice([*cluster.remote, cluster.queue_manager.name])
    traffic = Traffic({(row.queue, row.member): rng.randint(1, 9) for row in mapped if row.queue})
    found = plan(cluster, cluster.suspend(out), traffic=traffic)
    yield from with_rows(found)
    yield found.change
    yield from moves(found)


def answers_about_triggers(rng: Random) -> Iterator[ShownAnswer]:
    cluster = random_triggered_cluster(rng)
    for queue in cluster.queues:
        if queue.type == "QLOCAL" and queue.usage == "NORMAL" and queue.trigger:
            yield WHY.ask(queue.name, Snapshot(cluster))
    yield from REPLAY.rows(build_scenario(random_scenario(rng, 6), "law"))


def answers_about_messages(rng: Random) -> Iterator[ShownAnswer]:
    rows = [{name: value for name, value in row.items() if value is not None} for row in random_rows(rng, 2)]
    kept = [{k: v for k, v in row.items() if k not in ("msgdlvsq", "defprty", "arrival")} for row in rows]
    facts = {
        "queue_manager": {"name": "QM1"},
        "queue": [{"name": name} for name in dict.fromkeys(row["queue"] for row in rows)],
        "message": [row for row in kept if "segment" not in row or row.get("group")],
    }
    scenario = build_scenario(facts, "law")
    yield from RETRIEVAL.orders(scenario.messages, scenario.cluster)
    for name in dict.fromkeys(each.queue for each in scenario.messages):
        yield next_get(RETRIEVAL, scenario.cluster, scenario.messages, name)


def answers_about_files(rng: Random) -> Iterator[ShownAnswer]:
    """Findings in a script of queues, some of which trigger without all that this takes."""
    lines = ["* Queue manager name: QM1"]
    for name in ("GREEN", "BLUE", "RED"):
        words = (f"TRIGGER INITQ({rng.choice(('BELL', name))})", "MAXDEPTH(0)", "CLUSTER(LAND) DEFBIND(OPEN)", "")
        lines.append(f"DEFINE QLOCAL({name}) {rng.choice(words)}")
        lines.append(f"DEFINE QALIAS(TO.{name}) TARGET({rng.choice((name, 'GONE'))})")
    yield from with_rows(check_files(text("\n".join(lines) + "\n", name="QM1.mqsc")))


def with_rows(table: AnswerTable[Any]) -> Iterator[ShownAnswer]:
    """A table, and its rows; few of many."""
    yield table
    yield from table[:3]


ABOUT: dict[str, Callable[[Random], Iterator[ShownAnswer]]] = {
    "puts": answers_about_puts,
    "clusters": answers_about_clusters,
    "triggers": answers_about_triggers,
    "messages": answers_about_messages,
    "files": answers_about_files,
}


def anew(value: Any) -> Any:
    """The same, made of nothing that the original is made of."""
    return pickle.loads(pickle.dumps(value))


def check_value(one: Any, other: Any) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert {one: "kept"}[anew(other)] == "kept"


def check_shown(answer: ShownAnswer) -> None:
    kind, document = type(answer), json.loads(json.dumps(answer.to_json()))
    recorded = kind.from_json(json.dumps(document))
    check_value(recorded, kind.from_json(document))
    assert recorded.to_json() == document == json.loads(json.dumps(anew(answer).to_json()))
    assert recorded.to_rows() == json.loads(json.dumps(answer.to_rows()))
    assert "\n" not in repr(answer)
    assert "--" not in str(answer)


def check_tables(answer: ShownAnswer) -> None:
    pytest.importorskip("pyarrow")
    recorded, arrow = type(answer).from_json(answer.to_json()), answer.to_arrow()
    assert recorded.to_arrow().equals(arrow)
    assert arrow.schema.names == [*answer.schema.properties]
    assert arrow.num_rows == len(answer.to_rows())
    assert [*type(answer)(()).to_arrow().schema] == [*arrow.schema] if isinstance(answer, AnswerTable) else arrow


def check_answers(about: str, seed: int) -> None:
    for answer, again in zip(ABOUT[about](Random(seed)), ABOUT[about](Random(seed)), strict=True):
        check_value(answer, again)
        check_shown(answer)
        check_tables(answer)


@pytest.mark.parametrize("about", ABOUT)
@settings(law, max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_each_answer_is_a_value_and_comes_back_from_json(about: str, seed: int) -> None:
    check_answers(about, seed)


@pytest.mark.deep
@pytest.mark.parametrize("about", ABOUT)
@settings(law, max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_so_is_each_of_many(about: str, seed: int) -> None:
    check_answers(about, seed)


def test_every_kind_of_answer_is_tried() -> None:
    public = {name: getattr(mqclause, name) for name in mqclause.__all__}
    kinds = {name for name, of in public.items() if isinstance(of, type) and issubclass(of, ShownAnswer)}
    tried = {type(each).__name__ for ask in ABOUT.values() for seed in range(12) for each in ask(Random(seed))}
    assert tried == kinds - {"AnswerTable", "RecordedAnswer", "ShownAnswer"}


@pytest.mark.parametrize("about", ABOUT)
def test_a_notebook_shows_each_answer_and_each_that_was_recorded(about: str) -> None:
    for answer in ABOUT[about](Random(4)):
        shown, again = answer._repr_html_(), type(answer).from_json(answer.to_json())._repr_html_()
        assert shown.partition(">")[0] == again.partition(">")[0]
        assert "{" not in again.partition("</style>")[2]


@pytest.mark.parametrize("about", ABOUT)
def test_a_frame_of_polars_has_what_the_table_has(about: str) -> None:
    polars = pytest.importorskip("polars")
    for answer in ABOUT[about](Random(4)):
        frame = answer.to_polars()
        assert isinstance(frame, polars.DataFrame)
        assert frame.to_arrow().to_pylist() == answer.to_arrow().to_pylist()
