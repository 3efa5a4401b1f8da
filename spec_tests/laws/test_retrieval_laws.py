"""What holds of any messages and calls: checked against plain lists, and between the ways to ask the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqclause import Cluster, QueueManager, Rules, next_get
from mqclause.documents import RETRIEVAL
from mqclause.executors.operations import ExecutorName
from mqclause.executors.pipeline import EXECUTORS
from mqclause.model.diagnostics import FactsError
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import EventError
from mqclause.model.timeline.scenario import Scenario, build_scenario
from mqclause.replay.runner import Replay
from mqclause.retrieval.order import Retrieval
from mqclause.rulebook.mutants import generate_mutants, generate_term_mutants
from mqclause.testing.case_runner import TracedRetrieval
from spec_tests.support.lying import lying
from spec_tests.support.retrieval_oracle import Queueing

TOLD = ("got", "group_status", "segment_status", "reason", "warning")
DEEP = pytest.mark.deep

groups = st.sampled_from(("", "Y", "Z"))
units = st.sampled_from(("", "", "", "U1", "U2"))
applications = st.sampled_from(("", "B"))
of_items = {
    "group": groups,
    "in_group": st.sampled_from((True, True, True, False)),
    "sequence": st.integers(1, 3),
    "last_in_group": st.booleans(),
    "segment": st.booleans(),
    "last_segment": st.booleans(),
    "offset": st.sampled_from((0, 100, 200)),
    "length": st.sampled_from((100, 100, 100, 0, 50)),
    "correlation": st.sampled_from(("", "", "C")),
    "priority": st.sampled_from((0, 0, 0, 5, 10)),
    "persistent": st.sampled_from((True, True, False)),
}


def without_group(row: Mapping[str, Any]) -> dict[str, Any]:
    """What only a message of an item may say is left out where there is none."""
    if row.get("group") or row.get("logical_order"):
        return dict(row)
    return {key: value for key, value in row.items() if key not in ("last_in_group", "segment", "last_segment")}


messages = st.lists(
    st.fixed_dictionaries({}, optional={**of_items, "unit_of_work": units}).map(without_group), max_size=8
)
puts = st.fixed_dictionaries(
    {"do": st.just("put")}, optional={**of_items, "unit_of_work": units, "by": applications}
).map(without_group)
logical_puts = st.fixed_dictionaries(
    {"do": st.just("put"), "logical_order": st.just(True)},
    optional={
        "group": groups,
        "in_group": st.booleans(),
        "last_in_group": st.booleans(),
        "segment": st.booleans(),
        "last_segment": st.booleans(),
        "length": st.sampled_from((100, 100, 0)),
        "unit_of_work": units,
        "by": applications,
        "priority": st.sampled_from((0, 12)),
    },
)
CURSOR = [[], ["BROWSE_FIRST"], ["BROWSE_NEXT"], ["MSG_UNDER_CURSOR"], ["BROWSE_MSG_UNDER_CURSOR"]]
AVAILABLE = [
    [],
    [],
    ["ALL_MSGS_AVAILABLE"],
    ["ALL_SEGMENTS_AVAILABLE"],
    ["COMPLETE_MSG"],
    ["COMPLETE_MSG", "ALL_MSGS_AVAILABLE"],
]
options = st.tuples(st.sampled_from(CURSOR), st.sampled_from(AVAILABLE), st.sampled_from(([], ["LOGICAL_ORDER"]))).map(
    lambda of: [*of[0], *of[1], *(of[2] if not of[0] or "UNDER" not in of[0][0] else [])]
)
matches = st.fixed_dictionaries(
    {},
    optional={
        "group": st.sampled_from(("Y", "Z")),
        "sequence": st.integers(1, 3),
        "offset": st.sampled_from((0, 100)),
        "correlation": st.sampled_from(("", "C")),
        "id": st.sampled_from(("M0", "M1", "#0", "#1", "#2")),
    },
)
gets = st.fixed_dictionaries(
    {"do": st.just("get"), "options": options},
    optional={"match": st.just({}) | st.just({}) | matches, "unit_of_work": units, "by": applications},
)
ends = st.fixed_dictionaries(
    {"do": st.sampled_from(("commit", "backout")), "unit_of_work": st.sampled_from(("U1", "U2"))}
)
handles = st.fixed_dictionaries({"do": st.sampled_from(("open", "close"))}, optional={"by": applications})
restarts = st.just({"do": "restart"})
calls = st.lists(
    st.one_of(gets, gets, gets, gets, puts, logical_puts, logical_puts, ends, handles, restarts), max_size=25
)


def possible(lie: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The calls that can happen: ends of units of work that are open, closes of what is open."""
    open_units, opened, found = {each.get("unit_of_work", "") for each in lie} - {""}, dict[str, int](), []
    for call in wanted:
        by, unit = call.get("by", ""), call.get("unit_of_work", "")
        if call["do"] in ("commit", "backout"):
            if unit not in open_units:
                continue
            open_units.discard(unit)
        elif unit:
            open_units.add(unit)
        if call["do"] == "restart":
            open_units, opened = set(), {}
        if call["do"] == "open":
            opened[by] = opened.get(by, 0) + 1
        if call["do"] == "close":
            if not opened.get(by):
                continue
            opened[by] -= 1
        queue = {} if call["do"] in ("commit", "backout", "restart") else {"queue": "APPQ"}
        mode = {"mode": "BROWSE"} if call["do"] == "open" else {}
        found.append({**call, **queue, **mode})
    return found


def scenario(lie: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> Scenario:
    listed = [{**each, "id": f"M{at}", "queue": "APPQ"} for at, each in enumerate(lie)]
    facts = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "APPQ"}], "message": listed, "event": list(events)}
    return build_scenario(facts, "law")


REPLAYS = {name: Replay(executor=name) for name in EXECUTORS}
WHOLE, ASKED = Replay(), TracedRetrieval()
WHOLE.retrieval = ASKED


def told(replay: Replay, of: Scenario) -> list[dict[str, Any]]:
    rows = (row.to_json() for row in replay.rows(of))
    return [{key: row[key] for key in TOLD if key in row} for row in rows]


def as_lists(lie: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    queueing = Queueing([lying(at, {**each, "id": f"M{at}"}) for at, each in enumerate(lie)], arrivals=len(lie))
    queueing.kept = {each["unit_of_work"]: {} for each in lie if each.get("unit_of_work")}
    return [queueing.do(number, event) for number, event in enumerate(events)]


@pytest.mark.parametrize("examples", [80, pytest.param(700, marks=DEEP)])
def test_like_lists_of_messages(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(messages, calls)
    def law(lie: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
        events = possible(lie, wanted)
        assert told(REPLAYS["compiled"], scenario(lie, events)) == as_lists(lie, events)

    law()


@pytest.mark.parametrize("examples", [30, pytest.param(700, marks=DEEP)])
def test_all_of_a_queue_and_what_a_get_prefers_give_the_same(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(messages, calls)
    def law(lie: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
        of = scenario(lie, possible(lie, wanted))
        ASKED.runs.clear()
        assert told(WHOLE, of) == told(REPLAYS["compiled"], of)

    law()


def outcome(replay: Replay, of: Scenario) -> Any:
    """What is told, or how it ends: what other rules return may be nothing that can be taken."""
    try:
        return told(replay, of)
    except (EventError, FactsError, LookupError, AssertionError) as error:
        return type(error)


@pytest.mark.parametrize(("every", "examples"), [(80, 15), pytest.param(1, 10, marks=DEEP)])
def test_so_do_they_by_rules_that_say_something_else(every: int, examples: int) -> None:
    """Each rule and each term of retrieval turned round: what a get need not look at is read off the rules."""
    rules = Rules()
    ruleset = rules.ruleset(RETRIEVAL)
    turned = [each for rule in ruleset.rules for each in generate_mutants(rules, ruleset, rule.id)]
    turned += [each for term in ruleset.vocabulary.terms for each in generate_term_mutants(rules, ruleset, term)]
    assert len(turned) > 100
    for mutant in turned[::every]:
        few_and_all_agree(mutant.within(rules), examples)


def test_what_units_of_work_hide_goes_by_what_these_rules_call_a_browse() -> None:
    """Of its own unit of work a get sees a message, a browse does not; BROWSE_FIRST may be none by other rules."""
    rules = Rules()
    text = rules.files["terms.toml"]
    others = rules.with_files({"terms.toml": text.replace("ARRAY_CONTAINS(options, 'BROWSE_FIRST') OR ", "", 1)})
    calls = [{"do": "get", "queue": "APPQ", "options": ["BROWSE_FIRST"], "unit_of_work": "U1"}]
    of = scenario([{"length": 100, "unit_of_work": "U1"}], calls)
    assert [row.get("got") for row in told(Replay(rules), of)] == [[]]
    assert [row.get("got") for row in told(Replay(others), of)] == [["M0"]]


def few_and_all_agree(rules: Rules, examples: int) -> None:
    few, whole = Replay(rules), Replay(rules)
    whole.retrieval = TracedRetrieval(rules)

    @settings(max_examples=examples, deadline=None)
    @given(messages, calls)
    def law(lie: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
        of = scenario(lie, possible(lie, wanted))
        assert outcome(whole, of) == outcome(few, of)

    law()


@pytest.mark.parametrize("executor", ["plain", "chaining"])
@pytest.mark.parametrize("examples", [10, pytest.param(1000, marks=DEEP)])
def test_executors_give_the_same(executor: ExecutorName, examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(messages, calls)
    def law(lie: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
        of = scenario(lie, possible(lie, wanted))
        assert told(REPLAYS[executor], of) == told(REPLAYS["compiled"], of)

    law()


def orders(
    lie: Sequence[Mapping[str, Any]], rules: Retrieval | None = None
) -> tuple[list[Message], list[str], list[str]]:
    listed = [Message(id=f"M{at}", queue="APPQ", **each) for at, each in enumerate(lie)]
    order = (rules or Retrieval()).order(listed, Queue("APPQ", "QM1"), "QM1")
    return listed, [each.id for each in order.physical], [each.id for each in order.logical]


@settings(max_examples=30, deadline=None)
@given(messages)
def test_the_logical_order_is_part_of_the_physical_one_with_items_together(lie: list[dict[str, Any]]) -> None:
    listed, physical, logical = orders(lie)
    item = {each.id: each.item if each.item[0] else each.id for each in listed}
    place = {each.id: each.place for each in listed}
    committed = [each.id for each in listed if not each.unit_of_work]
    assert sorted(physical) == sorted(committed)
    assert len(set(logical)) == len(logical)
    assert set(logical) <= set(physical)
    of_items = [item[each] for each in logical]
    assert of_items == [key for key in dict.fromkeys(of_items) for _ in range(of_items.count(key))]
    for key in set(of_items):
        members = [place[each] for each in logical if item[each] == key]
        assert members[0] == (1, 0)
        assert members == sorted(members)


@settings(max_examples=30, deadline=None)
@given(messages, calls)
def test_browsing_changes_nothing_and_plain_gets_empty_the_queue(
    lie: list[dict[str, Any]], wanted: list[dict[str, Any]]
) -> None:
    _, physical, _ = orders(lie)
    browses = [each for each in possible(lie, wanted) if any("BROWSE" in one for one in each.get("options", ()))]
    plain = [{"do": "get", "queue": "APPQ"}] * (len(physical) + 1)
    rows = told(REPLAYS["compiled"], scenario(lie, [*browses, *plain]))
    assert [row["got"] for row in rows[len(browses) :]] == [*([each] for each in physical), []]


@settings(max_examples=30, deadline=None)
@given(messages)
def test_gets_in_logical_order_return_it(lie: list[dict[str, Any]]) -> None:
    complete = [{**each, "unit_of_work": ""} for each in lie]
    _, _, logical = orders(complete)
    events = [{"do": "get", "queue": "APPQ", "options": ["LOGICAL_ORDER"]}] * (len(lie) + 1)
    found = [one for row in told(REPLAYS["compiled"], scenario(complete, events)) for one in row["got"]]
    # What was left out may come into the order when another message is gone.
    assert found[:1] == logical[:1]
    if len(logical) == len(lie):
        assert found == logical[: len(found)]


def test_with_which_priority_a_message_was_enqueued_is_said_by_the_rules() -> None:
    """DEFPRTY 2 orders all by arrival; if FIFO did not count, 5 would come before 1 and 0, and a group as its first."""
    rules, fifo = Rules(), "CASE WHEN fifo THEN defprty ELSE priority END"
    assert fifo in rules.files["terms.toml"]
    turned = rules.with_files({"terms.toml": rules.files["terms.toml"].replace(fifo, "priority")})
    cluster = Cluster(QueueManager("QM1"), (), [Queue("Q", "QM1", msgdlvsq="FIFO", defprty=2)])
    messages = [
        Message("A", "Q", priority=1),
        Message("G1", "Q", priority=0, group="G", sequence=1),
        Message("B", "Q", priority=5),
        Message("G2", "Q", priority=5, group="G", sequence=2),
    ]

    def told(by: Rules) -> tuple[list[str], list[str], bool, list[str]]:
        retrieval = Retrieval(by)
        [order] = retrieval.orders(messages, cluster)
        physical, logical = ([each.id for each in listed] for listed in (order.physical, order.logical))
        return physical, logical, order.as_put[0].guaranteed, next_get(retrieval, cluster, messages, "Q").got

    assert told(rules) == (["A", "G1", "B", "G2"], ["A", "G1", "G2", "B"], True, ["A"])
    assert told(turned) == (["B", "G2", "A", "G1"], ["B", "A", "G1", "G2"], False, ["B"])
