"""What another reading would decide, and what listing order decided where the document says nothing."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest
from attrs import evolve

from mqclause import Cluster, Decision, Engine, Rules, read_document
from mqclause.workload.decision import PLAIN_FIRST, get_deciding_engine, is_same_answer, list_other_choices
from mqclause.workload.explanation import describe_final_tie, describe_ties
from spec_tests.support.random_clusters import random_case


def decided(rules: Rules | None = None, **tables: Any) -> Decision:
    """The put to Q that QM1 makes; QM2 and QM3 have it."""
    facts = {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}, {"name": "QM3", "clusters": ["S"]}],
        "queue": [{"name": "Q", "queue_manager": host, "clusters": ["S"]} for host in ("QM2", "QM3")],
        "channel": channels(),
        "put": {"queue": "Q"},
        **tables,
    }
    snapshot = read_document(facts, "facts")
    assert snapshot.put is not None
    return Engine(rules).choose(snapshot.put, snapshot.cluster, explain="rule")


def channels(**to_qm3: Any) -> list[dict[str, Any]]:
    both = [{"name": f"TO.{host}", "queue_manager": host, "cluster": "S"} for host in ("QM2", "QM3")]
    return [both[0], {**both[1], **to_qm3}]


def others(decision: Decision) -> list[str]:
    return [str(each) for each in decision.other_readings()]


def test_where_names_lead_is_the_same_value_whoever_asked_before() -> None:
    asked, fresh = decided().cluster, decided().cluster
    other = Engine(Rules({"mru-ties": "any"}))  # a reading of clause 11, which follows no names
    Engine().resolve(asked, "Q")
    found, again = other.resolve(asked, "Q"), other.resolve(fresh, "Q")
    assert found == again == pickle.loads(pickle.dumps(found))
    assert hash(found) == hash(again)
    assert Engine(Rules({"blank-rqmname": "local-queue-manager"})).resolve(fresh, "Q") != again


def test_no_other_reading_changes_a_clear_choice() -> None:
    assert others(decided(channel=channels(clwlrank=3))) == []


def test_the_priority_of_a_channel_where_a_queue_is_named() -> None:
    assert others(decided(channel=channels(clwlprty=3))) == [
        "with channel-priority-for-queues=before-queue-priority: QM3"
    ]


def test_the_same_put_read_the_other_way_names_the_default() -> None:
    rules = Rules({"channel-priority-for-queues": "before-queue-priority"})
    assert others(decided(rules, channel=channels(clwlprty=3))) == ["with channel-priority-for-queues=no: QM2 or QM3"]


def test_equal_numbers_where_clwlmruc_cuts() -> None:
    decision = decided(queue_manager={"name": "QM1", "clusters": ["S"], "clwlmruc": 1})
    assert others(decision) == ["with mru-ties=any: QM2 or QM3"]
    assert list(describe_ties(decision)) == ["clause 11c: QM3 by TO.QM3 fell as equal, listed later"]
    assert describe_final_tie(decision) == ""


def test_a_tie_at_the_end() -> None:
    decision = decided()
    assert others(decision) == []
    assert list(describe_ties(decision)) == []
    assert (
        describe_final_tie(decision)
        == "QM2 by TO.QM2 and QM3 by TO.QM3 are equally good; the one listed first is taken"
    )


def test_one_channel_in_two_clusters_is_named_with_them() -> None:
    both = [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": cluster} for cluster in ("S", "T")]
    decision = decided(
        queue_manager={"name": "QM1", "clusters": ["S", "T"]},
        queue=[{"name": "Q", "queue_manager": "QM2", "clusters": ["S", "T"]}],
        channel=both,
    )
    told = "QM2 by TO.QM2 in S and QM2 by TO.QM2 in T are equally good; the one listed first is taken"
    assert describe_final_tie(decision) == told


def test_who_falls_by_a_lower_number_does_not_tie() -> None:
    numbers = channels(dest_seq_number=1)
    assert (
        list(describe_ties(decided(queue_manager={"name": "QM1", "clusters": ["S"], "clwlmruc": 1}, channel=numbers)))
        == []
    )


def test_a_reading_that_gives_another_reason_code() -> None:
    disabled = [{"name": "Q", "queue_manager": host, "clusters": ["S"], "put": "DISABLED"} for host in ("QM2", "QM3")]
    decision = decided(queue=disabled, put={"queue": "Q", "call": "MQPUT1"})
    assert decision.reason is not None
    assert decision.reason.code == 2051
    assert others(decision) == ["with all-put-disabled=always-2268: MQRC_CLUSTER_PUT_INHIBITED (2268) at MQPUT1"]


def test_a_choice_that_is_left_to_the_put() -> None:
    decision = decided(channel=channels(clwlprty=3), put={"queue": "Q", "bind": "NOTFIXED", "call": "MQOPEN"})
    assert others(decision) == [
        "with channel-priority-for-queues=before-queue-priority: left to the put, which would meet QM3 now"
    ]


def test_the_state_of_the_sequence_counts_for_every_reading() -> None:
    first = decided(channel=channels(clwlprty=3))
    following = Engine().choose(first.put, first.cluster, first.state, explain="rule")
    assert following.chosen is not None
    assert following.chosen.queue_manager == "QM3"
    assert others(following) == []


@pytest.mark.parametrize("level", ["off", "verdict"])
def test_at_a_level_that_keeps_less_too(level: Any) -> None:
    decision = decided(channel=channels(clwlprty=3))
    again = Engine().choose(decision.put, decision.cluster, explain=level)
    assert others(again) == ["with channel-priority-for-queues=before-queue-priority: QM3"]


def test_a_local_instance_beside_one_remote_one() -> None:
    hosts = [{"name": "Q", "queue_manager": host, "clusters": ["S"], "clwluseq": "ANY"} for host in ("QM1", "QM2")]
    decision = decided(queue=hosts, channel=[{**channels()[0], "dest_seq_factor": 20.0}])
    assert decision.chosen is not None
    assert decision.chosen.name == "Q at QM1 (local)"
    assert "with local-in-balancing=not-counted: QM1 or QM2" in others(decision)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_several_receivers_have_the_local_instance_count_more_than_once_in_the_balance(count: int) -> None:
    """The same two are as good by either reading; standing on three receivers, the local one is three of four."""
    hosts = [{"name": "Q", "queue_manager": host, "clusters": ["S"], "clwluseq": "ANY"} for host in ("QM1", "QM2")]
    own = [{"name": f"TO.QM1.{at}", "queue_manager": "QM1", "cluster": "S", "deftype": "CLUSRCVR", "status": "INACTIVE"}
           for at in range(count)]  # fmt: skip
    decision = decided(queue=hosts, channel=[channels()[0], *own])
    assert [each.queue_manager for each in decision.permitted] == ["QM1", "QM2"]
    said = "with local-instance-competes=clusrcvr-channels: QM1 or QM2, of which QM1 as 3 of 4 in the balance"
    assert (said in others(decision)) == (count == 3)
    assert any("clusrcvr-channels" in each for each in others(decision)) == (count == 3)


def test_an_alias_that_names_no_queue_manager() -> None:
    names = [{"name": "A", "type": "QREMOTE"}, {"name": "Q", "queue_manager": "QM2", "clusters": ["S"]}]
    decision = decided(queue=names, put={"queue": "Q", "queue_manager": "A"})
    assert decision.chosen is not None
    assert decision.chosen.name == "Q at QM2 by TO.QM2"
    assert others(decision) == ["with blank-rqmname=local-queue-manager: MQRC_UNKNOWN_OBJECT_NAME (2085) at MQOPEN"]


def test_an_open_by_way_of_what_is_put_disabled_tells_what_a_put_fails_with() -> None:
    alias = {"name": "A", "type": "QALIAS", "target": "Q", "put": "DISABLED"}
    hosts = [{"name": "Q", "queue_manager": host, "clusters": ["S"]} for host in ("QM2", "QM3")]
    told = "MQOPEN succeeds; a put fails with MQRC_PUT_INHIBITED (2051): "
    in_cluster = decided(queue=[alias, *hosts], put={"queue": "A", "call": "MQOPEN"})
    assert in_cluster.verdict == f"{told}A, on the way to Q, is put-disabled"
    private = decided(queue=[alias, {"name": "Q"}], put={"queue": "A", "call": "MQOPEN"})
    assert private.verdict == f"{told}A is put-disabled"


def test_an_object_that_leads_to_what_is_put_disabled_tells_where_it_leads() -> None:
    far = {"name": "R", "type": "QREMOTE", "rname": "Z", "rqmname": "QM9", "xmitq": "XQ"}
    document = decided(queue=[far, {"name": "XQ", "usage": "XMITQ", "put": "DISABLED"}], put={"queue": "R"}).to_json()
    assert document["resolution"] == [
        {
            "object": "R",
            "type": "QREMOTE",
            "to": "Z",
            "rule": "resolution.07d",
            "clause": "7",
            "because": "R is Z at QM9 by XMITQ(XQ)",
        }
    ]
    assert (document["rule"], document["because"]) == ("resolution.13a", "XQ is put-disabled")


@pytest.mark.parametrize("count", [60, pytest.param(600, marks=pytest.mark.deep)])
def test_decisions_of_one_kind_share_the_readings_that_matter(count: int) -> None:
    """Each is asked twice, under other names of its queue managers, and beside what each choice alone comes to."""
    rng = Random(8)
    rules = Rules()
    others = {
        (name, choice): Engine(rules.under({name: choice}))
        for name, reading in rules.known_readings.items()
        for choice in reading.choices
    }
    shared = 0
    for _ in range(count):
        cluster, put = random_case(rng)
        for given in (cluster,) if put.queue_manager else (cluster, renamed(cluster)):
            decision = Engine(rules).choose(put, given)
            found = {*list_other_choices(decision)}
            shared += bool(found)
            for choice, engine in others.items():
                if choice[0] in decision.readings and choice not in decision.readings.items():
                    is_same = is_same_answer(decision, engine.choose(put, given))
                    assert (choice in found) is not is_same, choice
    assert shared > count / 30


def renamed(cluster: Cluster) -> Cluster:
    """The same cluster, whose other queue managers have other names."""
    local = cluster.queue_manager.name

    def named(name: str) -> str:
        return name if name == local else f"X.{name}"

    return evolve(
        cluster,
        remote_queue_managers=[evolve(each, name=named(each.name)) for each in cluster.remote_queue_managers],
        queues=[evolve(each, queue_manager=named(each.queue_manager)) for each in cluster.queues],
        queue_manager_aliases=[
            evolve(each, queue_manager=named(each.queue_manager), host=each.host and named(each.host))
            for each in cluster.queue_manager_aliases
        ],
        channels=[evolve(each, queue_manager=named(each.queue_manager)) for each in cluster.channels],
    )


def test_rules_of_their_own_are_compiled_once_they_are_used_often() -> None:
    rules = Rules()
    one, other = (
        rules.with_files({"terms.toml": f"{rules.files['terms.toml']}# {name}\n"}) for name in ("one", "other")
    )
    executors = [get_deciding_engine(one).executor for _ in range(PLAIN_FIRST + 2)]
    assert executors == [*["plain"] * PLAIN_FIRST, "compiled", "compiled"]
    assert get_deciding_engine(other).executor == "plain"
