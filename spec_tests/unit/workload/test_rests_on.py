"""What an answer rests on that no source tells: states of channels by which it would be another."""

from __future__ import annotations

import pytest
from attrs import evolve

from mqclause import Decision, Engine, Put, Rules, Snapshot
from mqclause.documents import OUTCOME
from mqclause.executors.pipeline import Pipeline
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.workload.sensitivity import CHANNEL_STATES, CombinedStates, find_unknowns, group_states

PUT = Put(queue="Q")


def member(name: str, queue: str | None = "") -> Source:
    """A dump of a queue manager in cluster S; ``queue`` has further attributes of its Q, None: it has none."""
    own = [] if queue is None else [f"DEFINE QLOCAL(Q) CLUSTER(S) {queue}"]
    lines = [f"* Queue manager name: {name}", f"DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(S)", *own]
    return Source(f"{name}.mqsc", "\n".join(lines).encode())


def seen(*members: Source) -> Snapshot:
    return read_sources([member("QM1", None), *members], "QM1")


def decided(snapshot: Snapshot) -> Decision:
    return Engine().choose(PUT, snapshot.cluster, explain="rule")


def ifs(snapshot: Snapshot) -> dict[str, str]:
    """What is said of each object, behind the first sentence."""
    return {each.object: each.what.partition(". ")[2] for each in find_unknowns(decided(snapshot), snapshot)}


def test_a_tie_turns_on_the_state_of_each_channel() -> None:
    snapshot = seen(member("QM2"), member("QM3"))
    assert find_unknowns(decided(snapshot), snapshot) == (
        MissingInformation(
            "channel status unknown; taken as INACTIVE. If TO.QM2 is neither INACTIVE nor RUNNING: QM3",
            "TO.QM2",
            "DISPLAY CHSTATUS(TO.QM2)",
        ),
        MissingInformation(
            "channel status unknown; taken as INACTIVE. If TO.QM3 is neither INACTIVE nor RUNNING: QM2",
            "TO.QM3",
            "DISPLAY CHSTATUS(TO.QM3)",
        ),
    )


@pytest.mark.parametrize(("put", "states"), [("DISABLED", []), ("ENABLED", ["TO.QM2", "TO.QM3"])])
def test_by_way_of_something_put_disabled_no_state_matters(put: str, states: list[str]) -> None:
    alias = Source("A.mqsc", f"* Queue manager name: QM1\nDEFINE QALIAS(A) TARGET(Q) PUT({put})".encode())
    snapshot = seen(alias, member("QM2"), member("QM3"))
    decision = Engine().choose(Put(queue="A", bind="NOTFIXED"), snapshot.cluster, explain="rule")
    assert [each.object for each in find_unknowns(decision, snapshot)] == states


def test_only_the_channel_of_the_choice_matters_where_one_is_preferred() -> None:
    assert ifs(seen(member("QM2", "CLWLPRTY(5)"), member("QM3"))) == {
        "TO.QM2": "If TO.QM2 is neither INACTIVE nor RUNNING: QM3"
    }


def test_a_single_destination_is_chosen_whatever_its_state() -> None:
    assert ifs(seen(member("QM2"))) == {}


def test_a_rank_decides_before_any_state() -> None:
    assert ifs(seen(member("QM2", "CLWLRANK(5)"), member("QM3"))) == {}


def test_a_local_queue_is_chosen_whatever_the_states() -> None:
    snapshot = read_sources([member("QM1"), member("QM2")], "QM1")
    assert find_unknowns(decided(snapshot), snapshot) == ()


FACTS = """
[queue_manager]
name = "QM1"
clusters = ["S"]
[[remote_queue_manager]]
name = "QM4"
clusters = ["S"]
[[queue]]
name = "Q"
queue_manager = "QM4"
clusters = ["S"]
[[channel]]
name = "TO.QM4"
queue_manager = "QM4"
cluster = "S"
"""


def test_a_facts_file_tells_the_state_also_where_it_leaves_it_out() -> None:
    snapshot = read_sources([Source("facts.toml", FACTS.encode()), member("QM2")], "QM1")
    assert ifs(snapshot) == {"TO.QM2": "If TO.QM2 is neither INACTIVE nor RUNNING: QM4"}


def test_all_channels_at_once_where_that_says_something_else() -> None:
    members = [member(name, "CLWLPRTY(5)") for name in ("QM2", "QM3")]
    snapshot = read_sources([Source("facts.toml", FACTS.encode()), *members], "QM1")
    found = find_unknowns(decided(snapshot), snapshot)
    assert [each.object for each in found] == ["TO.QM2", "TO.QM3", "QM1"]
    assert found[-1] == CombinedStates(
        "states of 2 channels unknown; taken as INACTIVE. If all of them are neither INACTIVE nor RUNNING: QM4",
        "QM1",
        "DISPLAY CLUSQMGR(*) CHANNEL STATUS",
    ), "of the same two channels: no third thing that is not known"


def test_two_answers_stand_in_one_sentence() -> None:
    retrying = FACTS.replace('cluster = "S"', 'cluster = "S"\nstatus = "RETRYING"')
    snapshot = read_sources([Source("facts.toml", retrying.encode()), member("QM2"), member("QM3")], "QM1")
    # Clause 8 takes back whoever is RETRYING, clause 9 nobody while QM4 is left; QM4's file is listed first.
    _, said = find_unknowns(decided(snapshot), snapshot)[-1].what.split(". ")
    assert (
        said == "If all of them are RETRYING: QM4, QM2 or QM3; if all of them are REQUESTING or PAUSED or STOPPED or "
        "SWITCHING: QM4"
    )


def test_what_the_sources_leave_out_comes_first() -> None:
    missing = MissingInformation("TO.QM5 leads to no described member", "TO.QM5", "DISPLAY CLUSQMGR(*)")
    snapshot = evolve(seen(member("QM2"), member("QM3")), incomplete=(missing,))
    assert find_unknowns(decided(snapshot), snapshot)[0] == missing


def test_it_says_what_the_engine_says_of_a_cluster_in_that_state() -> None:
    snapshot = seen(member("QM2"), member("QM3", "CLWLPRTY(1)"), member("QM4", "CLWLPRTY(1)"))
    told = ifs(snapshot)
    before = decided(snapshot).permitted
    for state in CHANNEL_STATES:
        for name in ("QM2", "QM3", "QM4"):
            channels = [
                evolve(each, status=state) if each.queue_manager == name else each for each in snapshot.cluster.channels
            ]
            after = Engine().choose(PUT, evolve(snapshot.cluster, channels=channels)).permitted
            differs = [each.queue_manager for each in after] != [each.queue_manager for each in before]
            assert differs == (f"TO.{name}" in told and state not in ("INACTIVE", "RUNNING"))


def test_states_that_no_rule_tells_apart() -> None:
    assert group_states(Pipeline.of(Rules(), OUTCOME)) == (
        ("INACTIVE", "RUNNING"),
        ("BINDING", "INITIALIZING", "STARTING", "STOPPING"),
        ("RETRYING",),
        ("REQUESTING", "PAUSED", "STOPPED", "SWITCHING"),
    )


def test_names_in_commands_are_quoted_where_mqsc_would_fold_them() -> None:
    script = (
        b"* Queue manager name: qm2\nDEFINE CHANNEL('to.qm2') CHLTYPE(CLUSRCVR) CLUSTER(S)\nDEFINE QLOCAL(Q) CLUSTER(S)"
    )
    snapshot = seen(Source("qm2.mqsc", script), member("QM3"))
    assert find_unknowns(decided(snapshot), snapshot)[0].command == "DISPLAY CHSTATUS('to.qm2')"


LOG = """Starting MQSC for queue manager QM1.
     1 : DISPLAY QLOCAL(MINE) ALL
AMQ8409I: Display Queue details.
   QUEUE(MINE)                             TYPE(QLOCAL)
   CLUSTER( )
     2 : DISPLAY QCLUSTER('A*')
AMQ8147E: IBM MQ object A* not found.
"""
QUEUE_OTHER, CLUSTERED_OTHER = "DISPLAY QUEUE('OTHER') ALL", "DISPLAY QCLUSTER('OTHER') ALL"
NOTHING = "AMQ8147E: IBM MQ object not found.\n"
THREE_KINDS = "".join(f"     3 : DIS {kind}(*)\n{NOTHING}" for kind in ("QL", "QALIAS", "QR"))


@pytest.mark.parametrize(
    ("put", "more", "commands"),
    [
        (Put(queue="MINE"), "", []),
        (Put(queue="OTHER"), "", [QUEUE_OTHER, CLUSTERED_OTHER]),
        (Put(queue="AN.OTHER"), "", ["DISPLAY QUEUE('AN.OTHER') ALL"]),
        (Put(queue="OTHER"), f"     3 : DIS Q(O*) TYPE\n{NOTHING}", [CLUSTERED_OTHER]),
        (Put(queue="OTHER"), f"     3 : DIS Q(*) WHERE(CURDEPTH GT 0)\n{NOTHING}", [QUEUE_OTHER, CLUSTERED_OTHER]),
        (Put(queue="OTHER"), THREE_KINDS, [CLUSTERED_OTHER]),
        (
            Put(queue="OTHER"),
            THREE_KINDS.replace("AMQ8147E: IBM MQ object not found", "AMQ8135E: Not authorized"),
            [QUEUE_OTHER, CLUSTERED_OTHER],
        ),
        (Put(queue="OTHER"), "     3 : DIS QUEUE(*) ALL\n", [QUEUE_OTHER, CLUSTERED_OTHER]),
        (Put(queue="MINE", queue_manager="QM9"), "", ["DISPLAY QUEUE('QM9') ALL", "DISPLAY CLUSQMGR('QM9') ALL"]),
        (Put(queue="MINE", queue_manager="QM9"), f"     3 : DIS CLUSQMGR(*)\n{NOTHING}", ["DISPLAY QUEUE('QM9') ALL"]),
    ],
)
def test_a_name_that_nobody_asked_for_is_not_unknown(put: Put, more: str, commands: list[str]) -> None:
    snapshot = read_sources([Source("log", f"{LOG}{more}".encode())])
    decision = Engine().choose(put, snapshot.cluster, explain="rule")
    assert [each.command for each in find_unknowns(decision, snapshot)] == commands


def test_a_script_names_all_that_there_is() -> None:
    snapshot = read_sources([Source("QM1", b"DEFINE QLOCAL(MINE)")], "QM1")
    assert find_unknowns(Engine().choose(Put(queue="OTHER"), snapshot.cluster, explain="rule"), snapshot) == ()
