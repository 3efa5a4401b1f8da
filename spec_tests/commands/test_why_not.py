"""``mqclause explain --why-not``: the clause by which a queue manager falls, and what would have it permitted."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mqclause import Cluster, Engine, Put, Rules, read_document, read_files
from mqclause.cluster.counterfactuals import Commands, why_not
from mqclause.model.configuration.snapshot import apply_changes
from spec_tests.support.explain_command import EXAMPLE, asked, facts, written
from spec_tests.support.random_clusters import random_cluster, random_put


def answered(folder: Path, other: str, **tables: Any) -> Any:
    _, printed = asked(written(folder, facts(**tables)), "--why-not", other, "--json")
    return json.loads(printed)["why_not"]


def test_a_rank_that_is_too_low(tmp_path: Path) -> None:
    # TO.QM2 has rank 7, TO.QM3 rank 3: clause 4a. Either is set to the other's, which ties.
    found = answered(tmp_path, "QM3")
    assert found["destinations"] == [
        {
            "destination": {"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3"},
            "rule": "workload.04a",
            "clause": "4a",
            "because": "channel rank 3 is below 7",
        }
    ]
    assert found["searched"] == 2
    assert sorted(found["changes"], key=str) == [
        [{"queue_manager": "QM2", "command": "ALTER CHANNEL('TO.QM2') CHLTYPE(CLUSRCVR) CLWLRANK(3)"}],
        [{"queue_manager": "QM2", "command": "ALTER QLOCAL('Q') PUT(DISABLED)"}],
        [{"queue_manager": "QM3", "command": "ALTER CHANNEL('TO.QM3') CHLTYPE(CLUSRCVR) CLWLRANK(7)"}],
    ]


def test_one_that_is_permitted_and_one_that_has_no_instance(tmp_path: Path) -> None:
    found = answered(tmp_path, "QM2")
    assert (found["permitted"], found["changes"]) == (True, [])
    found = answered(tmp_path, "QM1")
    assert (found["destinations"], found["changes"], "permitted" in found) == ([], [], False)


def test_two_commands_where_one_is_not_enough(tmp_path: Path) -> None:
    channels = [
        {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S"},
        {"name": "TO.QM3", "queue_manager": "QM3", "cluster": "S", "status": "STOPPED"},
    ]
    queues = [{"name": "Q", "queue_manager": host, "clusters": ["S"], "put": put}
              for host, put in (("QM2", "ENABLED"), ("QM3", "DISABLED"))]  # fmt: skip
    found = answered(tmp_path, "QM3", channel=channels, queue=queues)
    enabled = {"queue_manager": "QM3", "command": "ALTER QLOCAL('Q') PUT(ENABLED)"}
    pairs = [{each["command"] for each in change if each != enabled} for change in found["changes"]]
    assert all(enabled in change for change in found["changes"])
    # Of both the channels are what clause 6 sees; QM2 falls before it by clause 1, 4a, 4b or 5 as well.
    assert {"START CHANNEL('TO.QM3')"} in pairs
    assert {"SUSPEND QMGR CLUSTER('S')"} in pairs
    assert {"ALTER QLOCAL('Q') CLWLRANK(1)"} in pairs
    assert {"ALTER CHANNEL('TO.QM3') CHLTYPE(CLUSRCVR) CLWLPRTY(1)"} not in pairs


def test_a_local_queue_that_keeps_its_puts(tmp_path: Path) -> None:
    own = {"name": "QM1", "clusters": ["S"], "clwluseq": "LOCAL"}
    queues = [{"name": "Q", "queue_manager": host, "clusters": ["S"]} for host in ("QM1", "QM3")]
    found = answered(tmp_path, "QM3", queue_manager=own, queue=queues)
    assert [each["clause"] for each in found["destinations"]] == ["3"]
    assert {"QMGR CLWLUSEQ(ANY)", "QLOCAL('Q') CLWLUSEQ(ANY)", "QLOCAL('Q') PUT(DISABLED)"} <= {
        change[0]["command"].removeprefix("ALTER ") for change in found["changes"] if len(change) == 1
    }


def test_what_the_local_queue_manager_could_do_of_its_own_where_a_reading_looks_at_it(tmp_path: Path) -> None:
    """Its queue has the higher priority, so that QM3 falls at 11b unless the local instance falls before it."""
    queues = [
        {"name": "Q", "queue_manager": "QM1", "clusters": ["S"], "clwluseq": "ANY", "clwlprty": 9},
        {"name": "Q", "queue_manager": "QM3", "clusters": ["S"], "put": "ENABLED"},
    ]
    routes = [
        {"name": "TO.QM1", "queue_manager": "QM1", "cluster": "S", "deftype": "CLUSRCVR"},
        {"name": "TO.QM3", "queue_manager": "QM3", "cluster": "S"},
    ]
    given = written(tmp_path, facts(queue=queues, channel=routes))
    suspend, stop = "SUSPEND QMGR CLUSTER('S')", "STOP CHANNEL('TO.QM1')"
    for reading, expected in (
        ("suspended-with-local=only-remote", set()),
        ("suspended-with-local=always", {suspend}),
        ("local-instance-competes=clusrcvr-channels", {stop}),
    ):
        document = json.loads(asked(given, "--why-not", "QM3", "--reading", reading, "--json")[1])
        told = {each["command"] for change in document["why_not"]["changes"] if len(change) == 1 for each in change}
        assert told & {suspend, stop} == expected


@pytest.mark.parametrize(("clusters", "more"), [(["T"], ""), (["T", "U"], " CLUSNL(' ')")])
def test_a_queue_comes_into_the_cluster(tmp_path: Path, clusters: list[str], more: str) -> None:
    """MQ refuses CLUSTER while CLUSNL is not blank, which it is of a queue in several clusters."""
    queues = [{"name": "Q", "queue_manager": "QM3", "clusters": clusters}]
    found = answered(tmp_path, "QM3", queue=queues)
    assert found["changes"] == [[{"queue_manager": "QM3", "command": f"ALTER QLOCAL('Q') CLUSTER('S'){more}"}]]


def test_an_alias_on_the_way_that_is_put_disabled(tmp_path: Path) -> None:
    # The rules leave QM2; the put fails all the same, by the alias that it names.
    alias = {"name": "TO.Q", "type": "QALIAS", "target": "Q", "put": "DISABLED"}
    queues = [{"name": "Q", "queue_manager": host, "clusters": ["S"]} for host in ("QM2", "QM3")]
    put = {"queue": "TO.Q", "call": "MQPUT", "bind": "NOTFIXED"}
    enabled = [{"queue_manager": "QM1", "command": "ALTER QALIAS('TO.Q') PUT(ENABLED)"}]
    found = answered(tmp_path, "QM2", queue=[alias, *queues], put=put)
    assert ("permitted" in found, found["changes"]) == (False, [enabled])
    assert [(each["rule"], each["clause"]) for each in found["destinations"]] == [("outcome.2051a", "2051")]
    found = answered(tmp_path, "QM3", queue=[alias, *queues], put=put)
    assert [each["rule"] for each in found["destinations"]] == ["workload.04a"]
    assert all(enabled[0] in change and len(change) == 2 for change in found["changes"])
    assert found["changes"]


def test_pairs_are_searched_among_many_hosts_too(tmp_path: Path) -> None:
    # QM9 is out by clause 1; enabled, it falls by clause 11b, unless it has the priority of the thirty, or a higher rank.
    hosts = [f"QM{number}" for number in range(10, 40)]
    channels = [{"name": f"TO.{host}", "queue_manager": host, "cluster": "S"} for host in (*hosts, "QM9")]
    queues = [{"name": "Q", "queue_manager": host, "clusters": ["S"], "clwlprty": 1} for host in hosts]
    queues.append({"name": "Q", "queue_manager": "QM9", "clusters": ["S"], "clwlprty": 0, "put": "DISABLED"})
    others = [{"name": host, "clusters": ["S"]} for host in (*hosts, "QM9")]
    found = answered(tmp_path, "QM9", channel=channels, queue=queues, remote_queue_manager=others)
    told = {tuple(each["command"] for each in change) for change in found["changes"]}
    enabled = "ALTER QLOCAL('Q') PUT(ENABLED)"
    assert found["searched"] == 2
    assert told == {
        (enabled, "ALTER QLOCAL('Q') CLWLRANK(1)"),
        (enabled, "ALTER QLOCAL('Q') CLWLPRTY(1)"),
        (enabled, "ALTER CHANNEL('TO.QM9') CHLTYPE(CLUSRCVR) CLWLRANK(1)"),
    }


def test_it_is_printed_and_a_name_that_is_not_known_is_bad_input(tmp_path: Path) -> None:
    _, printed = asked(written(tmp_path, facts()), "--why-not", "QM3")
    assert "    4a  QM3 by TO.QM3: channel rank 3 is below 7" in printed
    assert "    QM3: ALTER CHANNEL('TO.QM3') CHLTYPE(CLUSRCVR) CLWLRANK(7)" in printed
    told = r"queue manager 'QM33' is not known at QM1 \(DISPLAY CLUSQMGR\('QM33'\) there .*\); did you mean 'QM3'"
    with pytest.raises(ValueError, match=told):
        asked(written(tmp_path, facts()), "--why-not", "QM33")


def test_what_stops_work_is_offered_last(tmp_path: Path) -> None:
    # QM2 has a channel that runs, and QM3 one that retries: QM3 is permitted where its own runs, or QM2 is left out.
    channels = [
        {"name": f"TO.{host}", "queue_manager": host, "cluster": "S", "status": status}
        for host, status in (("QM2", "RUNNING"), ("QM3", "RETRYING"))
    ]
    file = written(tmp_path, facts(channel=channels))
    helps, stop = "QM1: START CHANNEL('TO.QM3')", "QM1: STOP CHANNEL('TO.QM2')"
    disable, suspend = "QM2: ALTER QLOCAL('Q') PUT(DISABLED)", "QM2: SUSPEND QMGR CLUSTER('S')"
    _, printed = asked(file, "--why-not", "QM3", "--json")
    changes = json.loads(printed)["why_not"]["changes"]
    told = [f"{one['queue_manager']}: {one['command']}" for [one] in changes]
    assert helps in told[:-3]
    assert {*told[-3:]} == {stop, disable, suspend}
    _, printed = asked(file, "--why-not", "QM3")
    shown = [line.strip() for line in printed.splitlines() if line.strip() in told]
    assert shown == told[: len(shown)]
    assert len(shown) > 2


@pytest.mark.parametrize(
    ("tables", "other", "what", "command"),
    [
        ({}, "QM1", "QM1 hosts no instance of Q", "DISPLAY QCLUSTER('Q') CLUSQMGR CLUSTER"),
        (
            {"remote_queue_manager": [{"name": name, "clusters": ["S"]} for name in ("QM2", "QM3", "QM4")]},
            "QM4",
            "QM4 hosts no instance of Q, as far as QM1 knows",
            "DISPLAY QCLUSTER('Q') CLUSQMGR CLUSTER",
        ),
        (
            {"channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S"}]},
            "QM3",
            "QM3 has Q in S, and no channel from QM1 to it is known",
            "DISPLAY CLUSQMGR('QM3') CHANNEL CLUSTER STATUS",
        ),
        (
            {"put": {"queue_manager": "QM2"}},
            "QM3",
            "the put names QM2, and no route to that ends at QM3",
            "DISPLAY CLUSQMGR('QM3') CHANNEL CLUSTER STATUS",
        ),
        (
            {"put": {"queue": "MINE"}, "queue": [{"name": "MINE", "queue_manager": "QM1"}]},
            "QM3",
            "no cluster is asked where a put goes that names MINE at QM1; its names lead to QM1",
            "DISPLAY QUEUE('MINE') TYPE CLUSTER",
        ),
    ],
)
def test_one_that_the_put_does_not_reach(
    tmp_path: Path, tables: dict[str, Any], other: str, what: str, command: str
) -> None:
    given = written(tmp_path, facts(**tables))
    found = json.loads(asked(given, "--why-not", other, "--json")[1])["why_not"]
    assert (found["destinations"], found["absent"]["what"], found["absent"]["command"]) == ([], what, command)
    assert asked(given, "--why-not", other)[1].splitlines()[-2:] == [f"  {what}", f"    {command}"]


def test_one_that_dumps_describe_elsewhere(tmp_path: Path) -> None:
    # Q at QM3 is in no cluster; QM4 is in another cluster than QM1.
    head, end = "* Script generated on 2026-01-02   at 03.04.05\n", "* Script ended on 2026-01-02   at 03.04.06\n"
    receiver = "DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER({1}) CONNAME('h')\n"
    for name, cluster, more in (
        ("QM1", "S", ""),
        ("QM2", "S", "DEFINE QLOCAL(Q) CLUSTER(S)\n"),
        ("QM3", "S", "DEFINE QLOCAL(Q)\n"),
        ("QM4", "T", "DEFINE QLOCAL(Q) CLUSTER(T)\n"),
    ):
        text = f"{head}* Queue manager name: {name}\n{receiver.format(name, cluster)}{more}{end}"
        (tmp_path / f"{name}.mqsc").write_text(text)
    files = [str(tmp_path / f"QM{number}.mqsc") for number in (1, 2, 3, 4)]
    told = {
        name: asked(*files, "--from", "QM1", "--put", "Q", "--why-not", name)[1].splitlines()[-2].strip()
        for name in ("QM3", "QM4")
    }
    assert told == {
        "QM3": "QM3 has a queue Q, but in no cluster that QM1 is in",
        "QM4": "QM4 is in no cluster that QM1 is in",
    }


def permits(engine: Engine, given: Cluster, put: Put, commands: Commands, other: str) -> bool:
    for each in commands:
        given = each.on_facts(given)
    decision = engine.choose(put, given)
    return decision.outcome != "failed" and other in {each.queue_manager for each in decision.permitted}


@pytest.mark.parametrize("clusters", [30, pytest.param(700, marks=pytest.mark.deep)])
def test_each_set_of_commands_does_what_it_says_and_none_of_its_parts_does(clusters: int) -> None:
    rng, engine, found = Random(6), Engine(), 0
    for _ in range(clusters):
        given = random_cluster(rng, rng.choice((2, 2, 3)))
        put = random_put(rng, given)
        decision = engine.choose(put, given, explain="rule")
        for other in given.remote:
            answer = why_not(decision, other)
            for commands in answer.changes:
                found += 1
                assert permits(engine, given, put, commands, other)
                parts = (commands[:at] + commands[at + 1 :] for at in range(len(commands)))
                assert not any(permits(engine, given, put, part, other) for part in parts)
    assert found > clusters / 4


def as_set(owner: str, text: str) -> str:
    """A command as ``--set`` takes it."""
    verb, _, rest = text.partition(" ")
    if verb in ("START", "STOP"):
        return f"{rest} STATUS({'RUNNING' if verb == 'START' else 'STOPPED'})"
    if verb in ("SUSPEND", "RESUME"):
        return f"QMGR({owner}) SUSPEND({'YES' if verb == 'SUSPEND' else 'NO'})"
    return f"{rest.replace(' CHLTYPE(CLUSRCVR)', '')} QMGR({owner})"


@pytest.mark.parametrize("other", ["QM3", "QM4"])
def test_the_commands_do_it_as_set_reads_them(other: str) -> None:
    snapshot, engine = read_files([EXAMPLE]), Engine()
    assert snapshot.put is not None
    answer = why_not(engine.choose(snapshot.put, snapshot.cluster, explain="rule"), other)
    assert len(answer.changes) > 3
    for commands in answer.changes:
        after = apply_changes(snapshot, [as_set(each.queue_manager, each.command) for each in commands])
        permitted = engine.choose(snapshot.put, after.cluster).permitted
        assert other in {each.queue_manager for each in permitted}


def test_what_a_rule_of_ones_own_compares_with_a_number_is_set_to_it() -> None:
    """The weights are 50, so that nobody has one with which a destination of this rule would stay."""
    light = (
        'clause = "workload/5"\ntitle = "Light channels are out"\nwhen = "remaining > 1"\n[eliminate]\n'
        'where = "channel_weight < 60"\nbecause = "its weight is {channel_weight}"\n'
    )
    snapshot, engine = read_files([EXAMPLE]), Engine(Rules().with_files({"workload/05b_light.toml": light}))
    assert snapshot.put is not None
    answer = why_not(engine.choose(snapshot.put, snapshot.cluster, explain="rule"), "QM2")
    assert ["ALTER CHANNEL('TO.QM2') CHLTYPE(CLUSRCVR) CLWLWGHT(60)"] in [
        [each.command for each in commands] for commands in answer.changes
    ]


def test_a_program_says_how_many_commands_a_set_has_and_how_long_it_waits() -> None:
    """By one: QM2 leaves the cluster or is stopped. By two: QM3 is started and gets the priority that it lacks."""
    snapshot = read_document(
        {
            "queue_manager": {"name": "QM1", "clusters": ["C"]},
            "remote_queue_manager": [{"name": name, "clusters": ["C"]} for name in ("QM2", "QM3")],
            "queue": [
                {"name": "Q", "queue_manager": "QM2", "clusters": ["C"], "clwlprty": 5},
                {"name": "Q", "queue_manager": "QM3", "clusters": ["C"]},
            ],
            "channel": [
                {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "C", "clwlrank": 7},
                {"name": "TO.QM3", "queue_manager": "QM3", "cluster": "C", "clwlrank": 7, "status": "STOPPED"},
            ],
        },
        "facts",
    )
    decision = Engine().choose(Put(queue="Q", bind="NOTFIXED"), snapshot.cluster, explain="rule")
    whole, alone = why_not(decision, "QM3"), why_not(decision, "QM3", limit=1)
    assert {len(commands) for commands in whole.changes} == {1, 2}
    assert alone.changes == tuple(each for each in whole.changes if len(each) == 1)
    assert (whole.searched, alone.searched, whole.ended, alone.ended) == (2, 1, "", "")
    ended = why_not(decision, "QM3", deadline=0)
    assert (ended.changes, ended.searched) == ((), 0)
    assert ended.ended == "the search ended after 0 s, before all sets were tried"
    with pytest.raises(ValueError, match="limit=3 is not allowed; allowed: 0 to 2 commands"):
        why_not(decision, "QM3", limit=3)
