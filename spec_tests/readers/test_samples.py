"""Real files, from the folder that the environment variable MQCLAUSE_SAMPLES names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqclause import Engine, FactsError, Put, read_files
from mqclause.model.assembly.view import assemble
from mqclause.model.readers.mqsc.script import read_mqsc
from mqclause.model.readers.record import Script

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
    assemble([script], script.queue_manager or "LOCAL")


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.name)
def test_a_dump_has_no_fault(path: Path) -> None:
    script = read(path)
    assert script.diagnostics == ()
    assert script.queue_manager == path.stem
    assert len(script.records) > 80


def test_the_view_of_a_member_of_a_real_cluster() -> None:
    if not DUMPS:
        pytest.skip("the folder has no dumps of a cluster")
    view = assemble([read(path) for path in DUMPS], "QM4")
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
