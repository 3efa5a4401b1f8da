"""By which edition a put is decided, what that is known by, and what is said where editions answer otherwise."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from attrs import evolve

from mqclause import Cluster, Engine, Put, ReadingError, Rules
from mqclause.cluster.map import PrintableRow, cluster_map
from mqclause.model.configuration.snapshot import Snapshot, read_document, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.timeline.scenario import build_scenario
from mqclause.render.replay import print_timeline
from mqclause.render.terminal import Page
from mqclause.replay.runner import Replay
from mqclause.tools.commands.explain import PutOptions, explain_lines
from mqclause.tools.commands.options import Inputs
from mqclause.workload.editions import find_other_editions, list_level_remarks
from mqclause.workload.explanation import Explanation
from spec_tests.support.deep import first

PLANT: dict[str, Any] = {
    "queue_manager": {"name": "QM1", "clusters": ["PLANT"]},
    "remote_queue_manager": [{"name": "QM2", "clusters": ["PLANT"]}, {"name": "QM3", "clusters": ["PLANT"]}],
    "queue": [
        {"name": "PARTS", "queue_manager": "QM2", "clusters": ["PLANT"], "clwlrank": 9, "put": "DISABLED"},
        {"name": "PARTS", "queue_manager": "QM3", "clusters": ["PLANT"]},
        {"name": "TOOLS", "queue_manager": "QM3", "clusters": ["PLANT"]},
    ],
    "channel": [
        {"name": "PLANT.QM2", "queue_manager": "QM2", "cluster": "PLANT", "status": "RUNNING"},
        {"name": "PLANT.QM3", "queue_manager": "QM3", "cluster": "PLANT", "status": "RUNNING"},
    ],
    "put": {"queue": "PARTS", "call": "MQPUT1"},
}
"""The instance of the higher rank is put-disabled: up to 7.5 puts go to QM3, from 8.0 on they fail with 2051."""

PUT = Put("PARTS", call="MQPUT1")


def plant(level: int = 0) -> Snapshot:
    own = {**PLANT["queue_manager"], **({"command_level": level} if level else {})}
    return read_document({**PLANT, "queue_manager": own}, "plant.toml")


def told(level: int = 0, edition: str | None = None) -> Explanation:
    snapshot = plant(level)
    return Explanation.of(Engine(Rules(edition=edition)).choose(PUT, snapshot.cluster, explain="rule"), snapshot)


@pytest.mark.parametrize(
    ("level", "edition", "reason"),
    [
        (0, "wmq-6", None), (530, "wmq-6", None), (600, "wmq-6", None), (711, "wmq-7.1", None), (799, "wmq-7.5", None),
        (800, "mq-8.0", 2051), (802, "mq-8.0", 2051), (905, "mq-9.0", 2051), (930, "mq-9.3", 2051), (1000, "mq-10.0", 2051),
        (1234, "mq-10.0", 2051),
    ],
)  # fmt: skip
def test_the_edition_is_the_highest_whose_level_is_not_above(level: int, edition: str, reason: int | None) -> None:
    decision = Engine().choose(PUT, plant(level).cluster)
    assert (decision.rules.edition, decision.reason and decision.reason.code) == (edition, reason)


def test_an_edition_that_is_named_counts_whatever_the_level() -> None:
    for edition, outcome in (("wmq-6", "chosen"), ("mq-9.4", "failed")):
        engine = Engine(Rules(edition=edition))
        assert [engine.choose(PUT, plant(level).cluster).outcome for level in (0, 600, 930)] == [outcome] * 3


@pytest.mark.parametrize(
    ("edition", "known"),
    [
        ("mq-9.0", "of mq-9.0: follows from what was read (IBM MQ 8.0, the CLWLWGHT channel attribute"),
        ("mq-8.0", "of mq-8.0: follows from what was read (IBM MQ 8.0, the CLWLWGHT channel attribute"),
        ("mq-9.3", "of mq-9.3: nothing that was read says otherwise (IBM MQ 8.0, the CLWLWGHT channel attribute"),
        ("wmq-6", "of mq-10.0: nothing that was read says otherwise (IBM MQ 8.0, the CLWLWGHT channel attribute"),
    ],
)
def test_the_less_sure_of_edition_and_sentence_is_said(edition: str, known: str) -> None:
    """Of equal weights 8.0 takes the channel least recently used, which its page on CLWLWGHT implies.

    That page is the source in whatever later edition; of version 6 its own document says what holds there.
    """
    queues = [{**each, "put": "ENABLED", "clwlrank": 0} for each in PLANT["queue"]]
    numbers = [{"dest_seq_number": 5, "dest_seq_factor": 100.0}, {"dest_seq_number": 6, "dest_seq_factor": 20.0}]
    channels = [{**channel, **each} for channel, each in zip(PLANT["channel"], numbers, strict=True)]
    snapshot = read_document({**PLANT, "queue": queues, "channel": channels, "put": {"queue": "PARTS"}}, "plant.toml")
    put = Put("PARTS", bind="NOTFIXED")
    decision = Engine(Rules(edition=edition)).choose(put, snapshot.cluster, explain="rule")
    explained = Explanation.of(decision, snapshot)
    assert any(known in each for each in explained.assumptions)
    [other] = explained.editions
    told = ("workload.12bb", "inferred") if edition == "wmq-6" else ("workload.12c", "stated")
    assert (other.rule, other.evidence) == told


@pytest.mark.parametrize(
    ("queues", "own", "other"),
    [
        # Two routes to QM2, one of another cluster: clause 1 takes that one in either edition, rank takes QM3 in one.
        ([("QM2", 9, "DISABLED"), ("QM3", 0, "ENABLED")], 750, ("workload.04b", " (clause 4b)")),
        ([("QM2", 9, "DISABLED"), ("QM3", 0, "ENABLED")], 930, ("workload.01a", " (clause 1)")),
        # QM3 is put-disabled whatever the edition; that the put leaves for QM2 is for rank, that it stays for clause 3.
        ([("QM1", 0, "ENABLED"), ("QM2", 1, "ENABLED"), ("QM3", 0, "DISABLED")], 930, ("workload.03b", " (clause 3)")),
        ([("QM1", 0, "ENABLED"), ("QM2", 1, "ENABLED"), ("QM3", 0, "DISABLED")], 750, ("workload.04b", " (clause 4b)")),
    ],
)
def test_the_clause_is_the_one_by_which_the_answers_part(
    queues: list[tuple[str, int, str]], own: int, other: tuple[str, str]
) -> None:
    hosts = [
        {"name": "BOLTS", "queue_manager": host, "clusters": ["PLANT"], "clwlrank": rank, "put": put}
        for host, rank, put in queues
    ]
    depot = {"name": "DEPOT.QM2", "queue_manager": "QM2", "cluster": "DEPOT"}
    both = {"clusters": ["PLANT", "DEPOT"]}
    facts = {**PLANT, "queue_manager": {"name": "QM1", **both, "command_level": own}, "queue": hosts}
    facts |= {"channel": [depot, *PLANT["channel"]], "put": {"queue": "BOLTS"}}
    facts["remote_queue_manager"] = [{"name": "QM2", **both}, PLANT["remote_queue_manager"][1]]
    snapshot = read_document(facts, "plant.toml")
    explained = Explanation.of(Engine().choose(Put("BOLTS"), snapshot.cluster, explain="rule"), snapshot)
    [found] = explained.editions
    [said] = [each for each in explained.assumptions if each.startswith("by edition")]
    there = said.partition("; ")[2]
    assert (found.rule, other[1] in there, there.count("(clause")) == (other[0], True, 1)
    fails = " at MQOPEN (clause 4b); in wmq-6" in said
    assert fails == (own == 930 and found.rule == "workload.01a")


def test_exits_are_shared_by_the_engines_of_all_editions() -> None:
    seen: list[object] = []
    with Engine(exits={"E": seen.append}) as engine:
        assert engine.at(plant(930).cluster).exits is engine.exits
        assert engine.at(plant().cluster) is engine


def test_where_the_level_is_not_known_and_matters_it_is_asked_for() -> None:
    explained = told()
    assert [each.command for each in explained.incomplete] == ["DISPLAY QMGR CMDLEVEL"]
    document = explained.to_json()
    assert (document["edition"], document["edition_from"]) == ("wmq-6", "default")
    [newest] = document["other_editions"]
    assert newest == {
        "edition": "mq-10.0", "outcome": "failed", "permitted": [], "rule": "workload.04b", "evidence": "inferred",
        "reason": {"name": "MQRC_PUT_INHIBITED", "code": 2051, "call": "MQPUT1"},
    }  # fmt: skip
    [said] = [each for each in explained.assumptions if "edition" in each]
    assert said.startswith(
        "edition wmq-6 is assumed, as nothing tells the level of QM1; by it the put goes to QM3; from "
    )
    assert "mq-8.0 on it ends with MQRC_PUT_INHIBITED (2051) at MQPUT1 (clause 4b)" in said


def test_where_it_is_known_the_oldest_edition_is_compared() -> None:
    explained = told(930)
    assert (explained.incomplete, explained.to_json()["edition_from"]) == ((), "CMDLEVEL 930 of QM1, plant.toml")
    [oldest] = explained.editions
    assert (oldest.edition, oldest.rule, oldest.evidence) == ("wmq-6", "workload.01a", "stated")
    assert [each.queue_manager for each in oldest.decision.permitted] == ["QM3"]
    [said] = [each for each in explained.assumptions if "edition" in each]
    assert said in explained.to_json()["remarks"]
    assert "in wmq-6 the put goes to QM3 (clause 1)" in said
    assert "that of 9.3 was not read" in said


@pytest.mark.parametrize(("level", "word"), [(530, "below"), (600, ""), (1009, ""), (1010, "above")])
def test_a_level_that_no_edition_has(level: int, word: str) -> None:
    said = [each for each in told(level).assumptions if "command level" in each]
    assert [word in each for each in said] == ([True] if word else [])


def test_another_edition_than_that_of_the_level_is_told() -> None:
    assert "QM1 is of command level 930, edition mq-9.3; edition wmq-6 was asked for" in told(930, "wmq-6").assumptions
    assert not [each for each in told(930, "mq-9.3").assumptions if "asked for" in each]


def test_nothing_is_said_where_all_editions_answer_alike() -> None:
    snapshot = plant()
    decision = Engine().choose(Put("TOOLS"), snapshot.cluster, explain="rule")
    explained = Explanation.of(decision, snapshot)
    assert (find_other_editions(decision), explained.editions, explained.incomplete) == ((), (), ())
    assert "other_editions" not in explained.to_json()
    assert not [each for each in explained.assumptions if "edition" in each]


@pytest.mark.parametrize(
    ("level", "edition", "is_assumed"),
    [(0, None, True), (700, None, False), (0, "wmq-7.0", False), (0, "mq-9.3", False)],
)
def test_a_remark_of_an_edition_that_is_assumed_is_no_silent_one(
    level: int, edition: str | None, is_assumed: bool
) -> None:
    """BIND_ON_GROUP came with 7.1; the message goes to QM3 in each edition."""
    snapshot, put = plant(level), Put("TOOLS", bind="GROUP")
    decision = Engine(Rules(edition=edition)).choose(put, snapshot.cluster, explain="rule")
    told = Explanation.of(decision, snapshot)
    assert [each.command for each in told.incomplete] == ["DISPLAY QMGR CMDLEVEL"] * is_assumed
    said = "BIND_ON_GROUP came with 7.1: a queue manager of 7.0 or before knows no such binding"
    assert [said in each for each in decision.remarks] == [True] * (edition != "mq-9.3")
    begun = "edition wmq-6 is assumed, as nothing tells the level of QM1, and by a later one this may not be so: "
    assert [each for each in told.assumptions if "edition" in each] == [f"{begun}{said}"] * is_assumed
    assert sum(said in each for each in told.to_json()["remarks"]) == (edition != "mq-9.3")  # once, whoever says it
    [tools] = [row for row in cluster_map(snapshot, Engine(Rules(edition=edition)), "GROUP") if row.queue == "TOOLS"]
    assert [each.what for each in tools.incomplete] == ["the command level"] * is_assumed


def test_where_pages_of_ibm_contradict_one_another_the_other_ones_are_named() -> None:
    """QM1 has TOOLS of a lower rank than QM3: by the algorithm of 9.x the put leaves, by general pages it does not."""
    queues = [{**each, "clwlrank": 2} for each in PLANT["queue"][2:]]
    queues.append({"name": "TOOLS", "queue_manager": "QM1", "clusters": ["PLANT"]})
    snapshot = read_document({**PLANT, "queue": queues, "put": {"queue": "TOOLS"}}, "plant.toml")
    for edition, said in (
        (
            "mq-9.3",
            ["with rank-or-local=local-first: QM1 (so IBM's general pages on MQOPEN and clusters, of 7.5 to 9.4)"],
        ),
        ("wmq-7.5", []),
    ):
        decision = Engine(Rules(edition=edition)).choose(Put("TOOLS"), snapshot.cluster, explain="rule")
        assert [each for each in Explanation.of(decision, snapshot).readings if "rank-or-local" in each] == said


def test_lines_say_what_other_editions_answer() -> None:
    """As explain does of one file; TOOLS is answered alike in all editions."""
    own = {**PLANT["queue_manager"], "command_level": 930}
    documents = [PLANT, {**PLANT, "queue_manager": own}, {**PLANT, "put": {"queue": "TOOLS"}}]
    out = io.BytesIO()
    lines = [f"{json.dumps(each)}\n".encode() for each in documents]
    assert explain_lines(lines, out, Engine(), (Inputs(), PutOptions())) == 0
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    editions = [[(each["edition"], each["rule"]) for each in line.get("other_editions", [])] for line in found]
    assert editions == [[("mq-10.0", "workload.04b")], [("wmq-6", "workload.01a")], []]
    assert [[each["what"] for each in line["incomplete"]] for line in found] == [["the command level"], [], []]


def test_each_member_chooses_by_its_own_level() -> None:
    old, new = plant(750).cluster, plant(920).cluster
    members: list[Cluster] = [old, evolve(new, queue_manager=evolve(new.queue_manager, name="QM4"))]
    found = {(row.member, row.queue): row.outcome for row in cluster_map(members)}
    assert (found["QM1", "PARTS"], found["QM4", "PARTS"]) == ("chosen", "failed")


def test_a_map_says_of_each_row_whose_answer_editions_differ_in_the_same_sentence() -> None:
    told_of = {
        level: {row.queue: [each for each in row.remarks if "edition" in each] for row in cluster_map(plant(level))}
        for level in (0, 930)
    }
    assert told_of == {
        0: {
            "PARTS": [
                "edition wmq-6 is assumed, as nothing tells the level of QM1; from mq-8.0 on the answer is another, as"
                " explain tells"
            ],
            "TOOLS": [],
        },
        930: {
            "PARTS": [
                "decided by edition mq-9.3 (CMDLEVEL 930 of QM1); in wmq-6 the answer is another, as explain tells"
            ],
            "TOOLS": [],
        },
    }


def test_a_map_has_the_answers_of_other_editions_as_explain_has_them() -> None:
    rows = {row.queue: row.to_json() for row in cluster_map(plant(930))}
    assert "other_editions" not in rows["TOOLS"]
    [oldest] = rows["PARTS"]["other_editions"]
    assert (oldest["edition"], oldest["rule"], oldest["evidence"]) == ("wmq-6", "workload.01a", "stated")
    assert [each["queue_manager"] for each in oldest["permitted"]] == ["QM3"]


def test_a_map_in_words_asks_for_the_level_where_rows_turn_on_it() -> None:
    for level, asked in ((0, ["PARTS"]), (930, [])):
        rows = [PrintableRow.of(row) for row in cluster_map(plant(level))]
        told = [row.queue for row in rows if ("the command level", "DISPLAY QMGR CMDLEVEL") in row.told_by]
        assert told == asked


def test_a_choice_that_an_edition_does_not_have_is_passed_by_and_told_once() -> None:
    """Up to 7.5 the local queue comes before rank, whatever is asked for; from 8.0 on either may be."""
    asked = Rules({"rank-or-local": "rank-first"})
    keeps = "edition wmq-7.5 has no choice rank-first of the reading rank-or-local: local-first counts at QM1"
    for level, expected in ((750, [keeps]), (930, [])):
        snapshot = plant(level)
        decision = Engine(asked).choose(PUT, snapshot.cluster, explain="rule")
        explained = Explanation.of(decision, snapshot)
        assert [each for each in explained.assumptions if "rank-or-local" in each] == expected
        assert len(explained.editions) == 1
    levels = {"QM1": 750, "QM4": 711, "QM5": 755, "QM6": 930}
    assert [*list_level_remarks(asked, levels)] == [
        f"{keeps} and QM5",
        keeps.replace("7.5", "7.1").replace("QM1", "QM4"),
    ]
    with pytest.raises(ReadingError, match="'rank-first' is not a choice in this edition"):
        Rules({"rank-or-local": "rank-first"}, "wmq-7.5")


def test_a_timeline_tells_below_each_name_that_another_edition_answers_otherwise() -> None:
    own = {**PLANT["queue_manager"], "command_level": 930}
    facts = {name: value for name, value in PLANT.items() if name != "put"} | {"queue_manager": own}
    facts["queue"] = [*PLANT["queue"], *({**each, "name": "BOLTS"} for each in PLANT["queue"][:2])]
    events = [{"do": "put", "queue": queue} for queue in ("PARTS", "TOOLS", "BOLTS", "PARTS")]
    out = io.StringIO()
    scenario = build_scenario({**facts, "event": events}, "s.toml")
    rows = [*Replay().rows(scenario)]
    print_timeline(rows, Page(out=out))
    lines = out.getvalue().splitlines()
    begun = [line.split()[0] for line in lines if line.split() and line.split()[0].isdigit()]
    told = [lines[: at + 1] for at, line in enumerate(lines) if "in wmq-6 the answer is another" in line]
    assert begun == ["0", "1", "2", "3"]
    assert [[line.split()[0] for line in each if " put " in line][-1] for each in told] == ["0", "2"]
    assert [row.to_json()["edition"] for row in rows] == ["mq-9.3"] * 4


def test_a_replay_is_of_the_edition_of_its_queue_manager() -> None:
    for level, routed in ((750, "QM3"), (930, None)):
        own = {**PLANT["queue_manager"], "command_level": level}
        facts = {name: value for name, value in PLANT.items() if name != "put"}
        scenario = build_scenario({**facts, "queue_manager": own, "event": [{"do": "put", "queue": "PARTS"}]}, "s.toml")
        [row] = Replay().rows(scenario)
        document = row.to_json()["routed"]
        assert document.get("queue_manager") == routed


HEAD = "* Queue manager name: QM1\n* Queue manager command level: ({head})\nALTER QMGR +\n{shown}   TRIGINT(5)\n"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (HEAD.format(head="930/930", shown="*  CMDLEVEL(915) +\n"), 915),
        (HEAD.format(head="930/922", shown=""), 922),
        (HEAD.format(head="930/922", shown="*  CMDLEVEL(930) +\n"), 930),
        (HEAD.format(head="930/930", shown="*  VERSION(09010500) +\n"), 915),
        ("* Queue manager name: QM1\nDEFINE QLOCAL(Q)\n", 0),
        ("display qmgr cmdlevel\nAMQ8408I: Display Queue Manager details.\n   QMNAME(QM1)   CMDLEVEL(941)\n", 941),
        ('[{"MQCA_Q_MGR_NAME": "QM1", "MQIA_COMMAND_LEVEL": 922, "MQIA_CLWL_USEQ": 0}]', 922),
        ("display clusqmgr(*) all\nAMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR(QM1)   CLUSTER(PLANT)"
         "   CHANNEL(PLANT.QM1)   VERSION(08000005)\n", 800),
    ],
)  # fmt: skip
def test_what_tells_the_level(text: str, level: int) -> None:
    snapshot = read_sources([Source("qm1.txt", text.encode())], "QM1")
    assert snapshot.cluster.queue_manager.command_level == level
    odd = [str(each) for each in snapshot.remarks if "two command levels" in str(each)]
    assert len(odd) == ("930/922" in text and "CMDLEVEL" not in text)


@pytest.mark.parametrize("many", first(1, [False, True]))
def test_tables_are_decided_by_the_level_of_the_cluster(many: bool) -> None:
    duckdb = pytest.importorskip("duckdb")
    from mqclause.duckdb import decide

    table = duckdb.sql("SELECT 'PARTS' AS dest, host FROM (VALUES ('QM1'), ('QM4')) AS t(host)")
    new = plant(930).cluster
    clusters = {"QM1": plant(700).cluster, "QM4": evolve(new, queue_manager=evolve(new.queue_manager, name="QM4"))}
    rows = decide(table, clusters, at="host", queue="dest").order("host").fetchall()
    assert [row[-1]["outcome"] for row in rows] == ["chosen", "failed"]
    if many:
        one = decide(duckdb.sql("SELECT 'PARTS' AS dest"), new, queue="dest").fetchall()
        assert [row[-1]["reason"] for row in one] == [2268]
    odd: dict[str, Any] = {"queue": "dest", "clwlmruc": "mruc"}
    asked = duckdb.sql("SELECT 'PARTS' AS dest, 3 AS mruc, host FROM (VALUES ('QM1'), ('QM4')) AS t(host)")
    more = decide(asked, clusters, at="host", shares=True, spread="host", explain=True, **odd).fetchall()
    told_more = {row[-2]: row[-1] for row in more}
    assert [told_more[name]["reason"] for name in ("QM1", "QM4")] == [None, 2268]
    assert [[each["queue_manager"] for each in told_more[name]["shares"]] for name in ("QM1", "QM4")] == [["QM3"], []]
    assert told_more["QM1"]["eliminated_by"] == ["workload.01a", None]
    assert told_more["QM4"]["eliminated_by"] == ["workload.04d", "workload.04b"]
    if not many:
        return
    told_of = {row[-2]: row[-1] for row in decide(asked, clusters, at="host", **odd).fetchall()}
    assert [told_of[name]["queue_manager"] for name in ("QM1", "QM4")] == ["QM3", None]
    assert [told_of[name]["reason"] for name in ("QM1", "QM4")] == [None, 2268]
    alone = decide(asked, {**clusters, "QM1": plant(920).cluster}, at="host", **odd).fetchall()
    assert [row[-1]["reason"] for row in alone] == [2268, 2268]
