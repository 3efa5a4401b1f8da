"""What a program gives in the place of something else is told by its name, before anything is made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from mqclause import (
    ArgumentError,
    Checks,
    Cluster,
    Engine,
    Explanation,
    FactsError,
    Level,
    Members,
    Message,
    MqclauseError,
    Put,
    Queue,
    QueueManager,
    ReadingError,
    RemoteQueueManager,
    Replay,
    Retrieval,
    Rules,
    Scenario,
    SequenceState,
    Snapshot,
    Traffic,
    Why,
    check_files,
    cluster_map,
    counterfactuals,
    fail,
    inspected,
    moves,
    next_get,
    plan,
    read,
    read_document,
    read_files,
    read_members,
    read_scenario,
    read_schema,
    shares,
    text,
    why_not,
)
from mqclause.model.timeline.events import EventError

ORDERS = str(files("mqclause.tools") / "examples" / "orders.toml")
SNAPSHOT = read_files([ORDERS])
CLUSTER, PUT, ENGINE = SNAPSHOT.cluster, Put(queue="ORDERS.IN"), Engine()
OF_RULES = ENGINE.choose(PUT, CLUSTER, explain="rule")


MEMBERS = Members.of("S", ["QM1", "QM2"], {"Q": ["QM2"]})


def given(call: Callable[..., object], *arguments: Any, **named: Any) -> Callable[[], object]:
    return lambda: call(*arguments, **named)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (given(ENGINE.choose, "ORDERS.IN", CLUSTER), "put is of the type str; expected Put(queue=…)"),
        (given(ENGINE.choose, PUT, SNAPSHOT), "cluster is of the type Snapshot; expected Cluster, as snapshot.cluster"),
        (given(ENGINE.choose, PUT, CLUSTER, OF_RULES), "state is of the type Decision; expected SequenceState, as decision.state"),
        (given(ENGINE.resolve, SNAPSHOT, "ORDERS.IN"), "cluster is of the type Snapshot; expected Cluster, as snapshot.cluster"),
        (given(lambda each: [*Replay().rows(each)], SNAPSHOT), "scenario is of the type Snapshot; expected Scenario, as read_scenario gives"),
        (given(shares, PUT), "decision is of the type Put; expected Decision"),
        (given(why_not, OF_RULES, None), "queue_manager is of the type NoneType; expected str"),
        (given(counterfactuals, OF_RULES, 5), "destination is of the type int; expected str or Destination"),
        (given(Explanation.of, SNAPSHOT, OF_RULES), "decision is of the type Snapshot; expected Decision"),
        (given(cluster_map, "QM1"), "a member is of the type str; expected Cluster, or Snapshot, as read_members gives"),
        (given(cluster_map, [PUT]), "a member is of the type Put; expected Cluster, or Snapshot, as read_members gives"),
        (given(plan, CLUSTER, "QM1"), "a member is of the type str; expected Cluster, or Snapshot, as read_members gives"),
        (given(Checks, None, "check.14"), "ignored='check.14' is one; expected a list of them"),
        (given(CLUSTER.suspend, 5), "queue_manager is of the type int; expected str"),
        (given(CLUSTER.with_status, None, "STOPPED"), "channel is of the type NoneType; expected str"),
        (given(CLUSTER.with_queue, "ORDERS.IN", None), "a name is of the type NoneType; expected str"),
        (given(ENGINE.choose, PUT, CLUSTER, None, "off", "APP"), "caller is of the type str; expected Caller or None"),
        (given(ENGINE.resolve, CLUSTER, 5), "queue is of the type int; expected str"),
        (given(ENGINE.exit_answer, PUT), "decision is of the type Put; expected Decision"),
        (given(Explanation.of, OF_RULES, CLUSTER), "snapshot is of the type Cluster; expected Snapshot, as read_files gives"),
        (given(Why().ask, "ORDERS.IN", CLUSTER), "snapshot is of the type Cluster; expected Snapshot, as read_files gives"),
        (given(Why().ask, 5, SNAPSHOT), "queue is of the type int; expected Queue or its name"),
        (given(cluster_map, CLUSTER, Rules()), "engine is of the type Rules; expected Engine"),
        (given(plan, CLUSTER, CLUSTER, None, "OPEN", {}), "traffic is of the type dict; expected Traffic, as mqclause.duckdb.traffic gives"),
        (given(inspected, [], ["check.14"]), "checks is of the type list; expected Checks"),
        (given(inspected, [], None, None, False, "QMGR CLWLUSEQ(ANY)"), "changes='QMGR CLWLUSEQ(ANY)' is one; expected a list of them"),
        (given(read_files, [ORDERS], None, False, "toml"), "formats='toml' is one; expected a list of them"),
        (given(read_members, [ORDERS], None, False, ["toml"]), "a format is of the type str; expected Format"),
        (given(Cluster, "QM1"), "queue_manager is of the type str; expected QueueManager"),
        (given(Cluster, QueueManager("QM1"), (), ["Q"]), "queue is of the type str; expected Queue"),
        (given(Cluster.of, "S", "QM1", "QM2"), "members='QM2' is one; expected a list of them"),
        (given(Cluster.of, "S", "QM1", ["QM2"], {"Q": "QM2"}), "hosts of 'Q'='QM2' is one; expected a list of them"),
        (given(Members.of, "S", "QM1"), "queue_managers='QM1' is one; expected a list of them"),
        (given(Members.of, "S", None), "queue_managers is of the type NoneType; expected a list of them"),
        (given(Members.of, "S", ["QM1"], ["Q"]), "queues is of the type list; expected dict, the hosts of each queue by its name"),
        (given(Members, ["QM1"]), "one of members is of the type str; expected Snapshot, as read_files gives"),
        (given(MEMBERS.with_queue, "Q", "QM2", clusters="S"), "clusters='S' is one; expected a list of them"),
        (given(MEMBERS.with_status, 5, "STOPPED"), "channel is of the type int; expected str"),
        (given(MEMBERS.with_status, "TO.QM2", "STOPPED", 5), "at is of the type int; expected str"),
        (given(MEMBERS.suspend, "QM2", ["S"]), "one of clusters is of the type list; expected str"),
        (given(CLUSTER.suspend, "QM2", ["S"]), "one of clusters is of the type list; expected str"),
        (given(MEMBERS.set, ["QMGR(QM1) CLWLUSEQ(ANY)"]), "a command is of the type list; expected str"),
        (given(inspected, [ORDERS], None, None, False, [5]), "one of changes is of the type int; expected str"),
        (given(text, 5), "of is of the type int; expected bytes or str"),
        (given(text, "", 5), "name is of the type int; expected str"),
        (given(read, ORDERS, lenient="no"), "lenient is of the type str; expected bool"),
        (given(check_files, ORDERS, lenient="no"), "lenient is of the type str; expected bool"),
        (given(read_schema, None), "name is of the type NoneType; expected str"),
        (given(read_scenario, 5), "path is of the type int; expected str or Path"),
        (given(Scenario, CLUSTER, ({"do": "put"},)), "one of events is of the type dict; expected Event"),
        (given(Scenario, SNAPSHOT), "cluster is of the type Snapshot; expected Cluster, as snapshot.cluster"),
        (given(Snapshot, SNAPSHOT), "cluster is of the type Snapshot; expected Cluster"),
        (given(moves, "ab"), "rows='ab' is one; expected a list of them"),
        (given(moves, [5]), "one of rows is of the type int; expected PlanRow, as plan gives"),
        (given(Traffic, 5), "puts is of the type int; expected dict, a number of puts by queue and queue manager"),
        (given(counterfactuals, OF_RULES, "QM3", Rules()), "engine is of the type Rules; expected Engine"),
        (given(why_not, OF_RULES, "QM3", deadline="1"), "deadline is of the type str; expected a number of seconds or None"),
        (given(ENGINE.at, SNAPSHOT), "cluster is of the type Snapshot; expected Cluster, as snapshot.cluster"),
        (given(SequenceState.of, SNAPSHOT), "cluster is of the type Snapshot; expected Cluster, as snapshot.cluster"),
        (given(next_get, Rules(), CLUSTER, [], "Q"), "retrieval is of the type Rules; expected Retrieval"),
        (given(next_get, Retrieval(), CLUSTER, ["A"], "Q"), "one of messages is of the type str; expected Message"),
        (given(lambda each: [*Retrieval().orders(each, CLUSTER)], ["A"]), "one of messages is of the type str; expected Message"),
    ],
)  # fmt: skip
def test_what_is_of_another_type(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        wrong()
    assert str(caught.value) == said


def test_a_queue_that_is_asked_about_is_a_local_one() -> None:
    snapshot = read_files([str(files("mqclause.tools") / "examples" / "QM2.mqsc")])
    queue = snapshot.cluster.own_queues["ORDERS.IN"]
    assert Why().ask("ORDERS.IN ", snapshot).doubts[0].because == Why().ask(queue, snapshot).doubts[0].because
    with pytest.raises(ArgumentError, match=r"^'ORDERS' is not a local queue of the snapshot's queue manager"):
        Why().ask("ORDERS", snapshot)


def test_names_that_a_program_gives_may_be_padded() -> None:
    assert ENGINE.resolve(CLUSTER, "ORDERS.IN ", " ").names == ("ORDERS.IN", "")


@pytest.mark.parametrize("queue", ["APPQ", "APPQ ", "TO.APPQ"])
def test_the_next_get_by_any_name_of_the_queue(queue: str) -> None:
    queues = [{"name": "APPQ"}, {"name": "TO.APPQ", "type": "QALIAS", "target": "APPQ"}]
    facts = {"queue_manager": {"name": "QM1"}, "queue": queues, "message": [{"id": "A", "queue": "APPQ"}]}
    snapshot = read_document(facts, "facts")
    assert next_get(Retrieval(), snapshot.cluster, snapshot.messages, queue).got == ["A"]


def test_messages_lie_on_local_queues() -> None:
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1")])
    with pytest.raises(FactsError, match="^queue: 'APQ' is no local queue; allowed: APPQ; did you mean 'APPQ'"):
        list(Retrieval().orders([Message("A", "APPQ"), Message("B", "APQ")], cluster))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("BROWSE_FIRST", "BROWSE_NEXT"), "options: BROWSE_FIRST and BROWSE_NEXT stand together"),
        (("LOGICAL_ORDER", "MSG_UNDER_CURSOR"), "options: LOGICAL_ORDER stands beside MSG_UNDER_CURSOR"),
    ],
)
def test_options_of_the_next_get_that_do_not_go_together(options: tuple[str, ...], said: str) -> None:
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1")])
    first = next_get(Retrieval(), cluster, [Message("A", "APPQ")], "APPQ", ("BROWSE_FIRST",))
    for ask in (first.next, partial(next_get, Retrieval(), cluster, [], "APPQ")):
        with pytest.raises(EventError, match=f"^{said}"):
            ask(options)


def test_a_get_goes_on_from_where_the_one_before_left_the_application() -> None:
    """Y1 is browsed and then got under the cursor; Y2 is next, and without LOGICAL_ORDER A, with a warning."""
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1")])
    messages = [
        Message("A", "APPQ"),
        Message("Y1", "APPQ", group="Y"),
        Message("Y2", "APPQ", group="Y", sequence=2),
        Message("Y3", "APPQ", group="Y", sequence=3, last_in_group=True),
    ]
    first = next_get(Retrieval(), cluster, messages, "APPQ", ("BROWSE_FIRST",))
    under = first.next(("BROWSE_NEXT",)).next(("MSG_UNDER_CURSOR",))
    following = under.next(("LOGICAL_ORDER",))
    assert (first.got, under.got, following.got) == (["A"], ["Y1"], ["Y2"])
    assert (following.next().got, following.next().reason) == (["A"], 2241)
    assert under.next(("MSG_UNDER_CURSOR",)).reason == 2034


def test_one_member_alone_may_stand_for_several() -> None:
    maps = [cluster_map(each) for each in (SNAPSHOT, CLUSTER, [SNAPSHOT], [CLUSTER])]
    assert [[(row.queue, row.member) for row in each] for each in maps] == [[("ORDERS.IN", "QM1")]] * 4


@pytest.mark.parametrize("read", [read_files, read_members, inspected])
@pytest.mark.parametrize("one", ["orders.toml", Path("orders.toml"), b"orders.toml"])
def test_one_file_where_several_are_expected(read: Callable[[Any], object], one: object) -> None:
    """The letters of its name are no files."""
    with pytest.raises(TypeError, match=r"=.*orders\.toml.* is one; expected a list of them$"):
        read(one)


@pytest.mark.parametrize("level", ["off", "verdict"])
def test_who_fell_is_not_known_below_the_level_of_rules(level: Any) -> None:
    """That nobody did would be the wrong answer: QM3 fell by clause 4a."""
    decision = ENGINE.choose(PUT, CLUSTER, explain=level)
    said = f"^who fell by which rule is known of a decision with explain='rule', not '{level}'$"
    asking: list[Callable[[], object]] = [
        decision.fell_by, given(why_not, decision, "QM3"), given(Explanation.of, decision, SNAPSHOT),
    ]  # fmt: skip
    for each in asking:
        with pytest.raises(ArgumentError, match=said):
            each()
    assert [each[1].id for each in why_not(OF_RULES, "QM3").fallen] == ["workload.04a"]


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (given(Rules, {"weight-step": None}), ReadingError, "reading weight-step: None is not a choice; allowed: exact, truncated"),
        (given(Rules, {5: "exact"}), ReadingError, "reading 5 is not known; allowed: "),
        (given(Rules, None, 9.3), ReadingError, "edition 9.3 is not known; allowed: wmq-6"),
        (given(Engine, None, ["plain"]), ArgumentError, "executor=['plain'] is none; allowed: compiled, chaining, plain"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_no_choice(wrong: Callable[[], object], error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        wrong()
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (given(MEMBERS.with_status, "TO.QM2", "STOPPED", "QM77"), "at: no source describes the queue manager 'QM77'; described: QM1, QM2"),
        (given(MEMBERS.with_status, "TO.QM2", "STOPPED", "QM2"), "channel 'TO.QM2' is not known at QM2; did you mean 'TO.QM1'?"),
        (given(MEMBERS.with_status, "OF.*", "STOPPED"), "channel 'OF.*' is not known"),
        (given(MEMBERS.suspend, "QM2", "T"), "'T' is no cluster of QM2; known: S"),
        (given(MEMBERS.without, "QM77"), "without: queue manager 'QM77' is not known"),
        (given(MEMBERS.at, 5), "at: no source describes the queue manager 5; described: QM1, QM2"),
        (given(fail, MEMBERS, 5), "fail: queue manager 5 is not known"),
        (given(Members.of, "S", ["QM1", "QM1 "]), "queue_managers: 'QM1' is given twice"),
        (given(Members.of, "S", []), "queue_managers: none is given; expected the names of the members"),
        (given(Members, [SNAPSHOT, SNAPSHOT]), "members: 'QM1' is given twice"),
        (given(Cluster.of, "S", "QM1", ["QM2", "QM2"]), "members: 'QM2' is given twice"),
        (given(Cluster.of, "S", "QM1", ["QM2"], {"Q": ["QM2", "QM2"]}), "hosts of 'Q': 'QM2' is given twice"),
        (given(counterfactuals, OF_RULES, "QM33"), "queue manager 'QM33' is not known at QM1"),
        (given(counterfactuals, OF_RULES, ""), "queue manager '' is not known at QM1"),
        (given(counterfactuals, OF_RULES, "qm3"), "queue manager 'qm3' is not known at QM1"),
        (given(Traffic, {"Q": 1}), "puts: 'Q' is no queue with a queue manager"),
        *(
            (nothing, "sources: none is given; expected files, texts or parsed JSON to read")
            for nothing in (read, check_files, given(read_files, []), given(read_members, []), given(inspected, []))
        ),
    ],
)  # fmt: skip
def test_a_name_that_nothing_has_is_no_name_of_nothing(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(MqclauseError) as caught:
        wrong()
    assert str(caught.value).startswith(said)


def test_a_folder_without_files_is_told(tmp_path: Path) -> None:
    for each in (tmp_path, str(tmp_path)):
        with pytest.raises(FactsError, match="no file is there$"):
            check_files(each)


def test_a_member_is_suspended_for_each_in_the_clusters_that_it_knows() -> None:
    """QM1 is in S alone, and QM2 in T, too, of which QM1 knows nothing."""
    one = Cluster(QueueManager("QM1", ("S",)), [RemoteQueueManager("QM2", ("S",))])
    other = Cluster(QueueManager("QM2", ("S", "T")), [RemoteQueueManager("QM1", ("S",))])
    first, second = Members(map(Snapshot, (one, other))).suspend("QM2", "T")
    assert (first.cluster, second.cluster) == (one, other.suspend("QM2", "T"))


def test_the_state_of_every_route_by_the_beginning_of_its_name() -> None:
    """Own receivers are no routes."""
    stopped = MEMBERS.with_status("TO.*", "STOPPED")
    assert stopped == MEMBERS.with_status("TO.QM2", "STOPPED", at="QM1").with_status("TO.QM1", "STOPPED", at="QM2")
    assert [each.status for each in stopped[0].cluster.channels] == ["INACTIVE", "STOPPED"]


def test_the_document_has_the_chosen_among_the_permitted_at_every_level() -> None:
    levels: tuple[Level, ...] = ("off", "verdict", "rule", "condition")
    found = [ENGINE.choose(PUT, CLUSTER, explain=level).to_json() for level in levels]
    assert [each["permitted"] for each in found] == [[found[0]["chosen"]]] * len(levels)
