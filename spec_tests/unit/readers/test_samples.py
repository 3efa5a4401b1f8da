"""Real files, from the folder that the environment variable MQCLAUSE_SAMPLES names."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest

from mqclause import Engine, FactsError, MapRow, Put, Rules, cluster_map, plan, read_files, read_members
from mqclause.cluster.plan import begin_at, upgrade_members
from mqclause.model.configuration.members import apply_changes_everywhere
from mqclause.model.configuration.view import build_view
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import Script

NAMED = os.environ.get("MQCLAUSE_SAMPLES")
if NAMED is None:
    pytest.skip("MQCLAUSE_SAMPLES is not set", allow_module_level=True)

FOLDER = Path(NAMED)
FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix.lower() in (".mqsc", ".tpl", ".j2", ".txt"))
DUMPS = [path for path in FILES if path.relative_to(FOLDER).parts[0].startswith("borland6+")]


def read(path: Path) -> Script:
    return read_mqsc(path.read_text(encoding="utf-8", errors="replace"), path.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_file_is_read_and_every_fault_has_a_line(path: Path) -> None:
    script = read(path)
    assert all(fault.line for fault in script.diagnostics)
    build_view([script], script.queue_manager or "LOCAL")


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.name)
def test_a_dump_has_no_fault(path: Path) -> None:
    script = read(path)
    assert script.diagnostics == ()
    assert script.queue_manager == path.stem
    assert len(script.records) > 80


def test_the_view_of_a_member_of_a_real_cluster() -> None:
    if not DUMPS:
        pytest.skip("the folder has no dumps of a cluster")
    view = build_view([read(path) for path in DUMPS], "QM4")
    assert view.diagnostics == ()
    instances = [placed.fact for placed in view.queues if placed.fact.name == "CQ1"]
    assert {queue.queue_manager for queue in instances} == {"QM5", "QM6", "QM7"}
    assert {queue.clusters for queue in instances} == {("CLS2",)}
    routes = {placed.fact.queue_manager: placed.fact for placed in view.channels if placed.fact.deftype != "CLUSRCVR"}
    assert {name: route.cluster for name, route in routes.items()} == {"QM5": "CLS2", "QM6": "CLS2", "QM7": "CLS2"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_alias_and_remote_definition_resolves_or_says_why_not(path: Path) -> None:
    try:
        cluster = read_files([path], local=read(path).queue_manager or "LOCAL", lenient=True).cluster
    except FactsError:
        return  # no configuration of one queue manager: told above
    engine = Engine()
    for queue in cluster.own_queues.values():
        if queue.type != "QLOCAL":
            decision = engine.choose(Put(queue=queue.name), cluster)
            assert decision.chosen or (decision.reason and decision.reason.because), queue
            assert decision.resolved.followed or decision.reason, queue


def test_the_map_of_a_real_cluster_and_the_plan_of_a_change() -> None:
    """CQ1 is on QM5, QM6 and QM7, QL_QM6 on QM6; every attribute is MQ's default, CLWLUSEQ is LOCAL everywhere."""
    if not DUMPS:
        pytest.skip("the folder has no dumps of a cluster")
    thirds = {name: Fraction(1, 3) for name in ("QM5", "QM6", "QM7")}
    own = {name: {name: Fraction(1)} for name in thirds}
    members = read_members(DUMPS)
    found = {(row.queue, row.member): _parts(row) for row in cluster_map(members)}
    assert found == {("CQ1", name): parts for name, parts in {"QM4": thirds, **own}.items()} | {
        ("QL_QM6", name): own["QM6"] for name in ("QM4", "QM5", "QM6", "QM7")
    }
    # Clause 11b takes what QM4 puts from QM6 and QM7: two thirds. Hosts keep theirs by clause 3, which comes first.
    rows = plan(members, apply_changes_everywhere(members, ["QLOCAL(CQ1) QMGR(QM5) CLWLPRTY(5)"]))
    told = [(row.queue, row.member, row.moved, _parts(row.before), _parts(row.after)) for row in rows]
    assert told == [("CQ1", "QM4", Fraction(2, 3), thirds, own["QM5"])]
    because = [(each.side, each.destination.queue_manager, each.rule and each.rule.clause) for each in rows[0].because]
    assert because == [("after", "QM6", "11b"), ("after", "QM7", "11b")]


def test_a_real_cluster_is_decided_by_its_own_edition_and_an_upgrade_to_it_says_what_moves() -> None:
    """All ranks are MQ's default, so that the order of 8.0 moves nothing; with a rank at QM5 the other hosts lose theirs."""
    if not DUMPS:
        pytest.skip("the folder has no dumps of a cluster")
    members, rules = read_members(DUMPS), Rules()
    assert {row.decision.rules.edition for row in cluster_map(members)} == {"mq-9.3"}
    for commands, expected in (([], []), (["QLOCAL(CQ1) QMGR(QM5) CLWLRANK(3)"], ["QM6", "QM7"])):
        before = begin_at(apply_changes_everywhere(members, commands), "wmq-7.5", rules)
        rows = plan(before, upgrade_members(before, "*", "mq-9.3", rules))
        told = [(row.queue, row.member, _parts(row.before), _parts(row.after)) for row in rows]
        assert told == [("CQ1", name, {name: Fraction(1)}, {"QM5": Fraction(1)}) for name in expected]


def _parts(row: MapRow) -> dict[str, Fraction]:
    return {each.destination.queue_manager: each.part for each in row.shares}
