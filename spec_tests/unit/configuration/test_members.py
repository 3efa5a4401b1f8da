"""What a program reads, builds and changes: every kind of input, members of a cluster, and what if."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from mqclause import (
    Cluster,
    Engine,
    FactsError,
    Members,
    Put,
    QueueManager,
    Rules,
    Snapshot,
    fail,
    read,
    read_files,
    read_members,
    text,
)

SCRIPT = "DEFINE QLOCAL(STOCK.IN) CLUSTER(DEPOT) CLWLPRTY(3)\nDEFINE CHANNEL(TO.QM7) CHLTYPE(CLUSRCVR) CLUSTER(DEPOT)\n"
WEB = {"commandResponse": [{"parameters": {"qmname": "QM7"}}, {"parameters": {"queue": "STOCK.IN", "type": "QLOCAL"}}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "QM7.mqsc").write_text(f"* Queue manager name: QM7\n{SCRIPT}")
    (tmp_path / "plain.mqsc").write_text(SCRIPT)
    return tmp_path / "in"


def queues(members: Members) -> list[tuple[str, str]]:
    return [(each.cluster.queue_manager.name, queue.name) for each in members for queue in each.cluster.queues]


def test_files_that_are_named(folder: Path) -> None:
    named = folder / "QM7.mqsc"
    for given in (
        named,
        str(named),
        str(folder / "QM*.mqsc"),
        f"QM7={folder.parent / 'plain.mqsc'}",
        named.read_bytes(),
    ):
        assert queues(read(given)) == [("QM7", "STOCK.IN")]
    assert read(folder, at="QM7").names == read(str(folder), at="QM7").names == ("QM7",)


def test_texts_open_files_and_parsed_json(folder: Path) -> None:
    given: list[Any] = [
        text(SCRIPT, name="depot", queue_manager="QM7"),
        text(SCRIPT.encode(), queue_manager="QM7"),
        io.StringIO(f"* Queue manager name: QM7\n{SCRIPT}"),
        io.BytesIO(json.dumps(WEB).encode()),
        WEB,
        {"queue_manager": {"name": "QM7"}, "queue": [{"name": "STOCK.IN"}]},
    ]
    for each in given:
        assert queues(read(each)) == [("QM7", "STOCK.IN")]
    with (folder / "QM7.mqsc").open() as file:
        origin = read(file).at("QM7").provenance
    assert origin.placed[0].source == str(folder / "QM7.mqsc")


def test_what_is_wrong_with_a_text_is_told_by_its_name() -> None:
    with pytest.raises(FactsError, match=r"^depot\.mqsc:2:8: "):
        read(text("\nDEFINE NOTHING(A)", name="depot.mqsc", queue_manager="QM7"))
    with pytest.raises(FactsError, match=r"^source 2: "):
        read(text(SCRIPT, queue_manager="QM7"), b"\n")
    with pytest.raises(TypeError, match=r"^source 1 is of the type int; expected a path, bytes, an open file, "):
        read(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="of the type set"):
        read({"queue_manager": {"name": {"QM7"}}})
    with pytest.raises(FileNotFoundError):
        read("not/there.mqsc")


def test_the_other_readers_take_the_same(folder: Path) -> None:
    source = text(SCRIPT, queue_manager="QM7")
    assert read_members([source]) == read(source)
    assert read_files([source]) == read(source).at("QM7")
    assert read_files([folder], local="QM7") == read(folder, at="QM7").at("QM7")


def test_who_is_not_described() -> None:
    members = Members.of("DEPOT", ["QM7", "QM8"])
    assert isinstance(members, Members)
    with pytest.raises(FactsError, match=r"^at: no source describes the queue manager 'QM6'; described: QM7, QM8"):
        members.at("QM6")
    with pytest.raises(ValueError, match=r"^'QM6' is no queue manager; known: QM7, QM8; did you mean"):
        members.suspend("QM6")


DEPOT = Members.of("DEPOT", ["QM7", "QM8", "QM9"], {"STOCK.IN": ["QM8", "QM9"]})


def chosen(members: Members, at: str = "QM7") -> list[str]:
    decision = Engine().choose(Put("STOCK.IN", bind="NOTFIXED"), members.at(at).cluster)
    return [each.queue_manager for each in decision.permitted]


def test_a_cluster_without_files() -> None:
    cluster = Cluster.of("DEPOT", "QM7", ["QM8", "QM9"], {"STOCK.IN": ["QM8", "QM9"]})
    cluster = cluster.with_queue("STOCK.IN", "QM9", clwlprty=4).with_channel("TO.QM8", "QM8", netprty=1)
    decision = Engine().choose(Put("STOCK.IN", bind="NOTFIXED"), cluster)
    assert decision.verdict == "goes to STOCK.IN at QM9 by TO.QM9"
    assert Cluster.of("DEPOT", "QM7", DEPOT.names, {"STOCK.IN": ["QM8", "QM9"]}) == DEPOT.at("QM7").cluster


def test_what_if_of_all_members() -> None:
    assert chosen(DEPOT) == ["QM8", "QM9"]
    assert chosen(DEPOT.suspend("QM9")) == ["QM8"]
    assert DEPOT.suspend("QM9").resume("QM9") == DEPOT
    assert chosen(DEPOT.without("QM8")) == ["QM9"]
    assert DEPOT.without("QM8").names == ("QM7", "QM9")
    assert chosen(fail(DEPOT, "QM8")) == ["QM9"]
    assert chosen(DEPOT.with_status("TO.QM8", "STOPPED", at="QM9")) == ["QM8", "QM9"]
    assert chosen(DEPOT.with_status("TO.QM8", "STOPPED")) == ["QM9"]
    assert chosen(DEPOT.with_queue("STOCK.IN", "QM9", clwlprty=4)) == ["QM9"]
    assert chosen(DEPOT.with_queue("STOCK.IN", "QM9", clwlprty=4), at="QM8") == ["QM8"]
    assert chosen(DEPOT.with_queue("STOCK.IN", "QM7")) == ["QM7"]
    assert chosen(DEPOT.with_channel("TO.QM9", "QM9", clwlrank=4)) == ["QM9"]
    # One after the other, by methods and by commands.
    assert chosen(DEPOT.suspend("QM8").set("QLOCAL(STOCK.IN) QMGR(QM9) PUT(DISABLED)")) == ["QM8"]


def test_what_if_of_one_snapshot() -> None:
    cluster = DEPOT.at("QM7").cluster
    assert cluster.suspend("QM9").resume("QM9") == cluster
    assert cluster.without("QM8") == DEPOT.without("QM8").at("QM7").cluster
    assert fail(cluster, "QM8") == fail(DEPOT.at("QM7"), "QM8").cluster == fail(DEPOT, "QM8").at("QM7").cluster
    assert fail(cluster, "QM8", Rules(edition="mq-9.4")).with_status("TO.QM8", "RUNNING") == cluster
    with pytest.raises(ValueError, match="'clwlprio' is no attribute of a channel; known: .*; did you mean 'clwlprty'"):
        cluster.with_channel("TO.QM8", "QM8", clwlprio=4)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="'QM6' is no other queue manager; known: QM8, QM9"):
        cluster.without("QM6")


def test_what_a_program_states_is_told_so() -> None:
    own = read(text(SCRIPT, queue_manager="QM7")).with_queue("STOCK.IN", "QM7", clwlprty=5).at("QM7")
    (queue,) = own.cluster.queues
    assert str(own.provenance.of(queue, "clwlprty")) == "a program"
    assert str(own.provenance.of(queue, "clusters")) == "text:1"
    assert pickle.loads(pickle.dumps(own)).provenance.of(queue, "clwlprty") == own.provenance.of(queue, "clwlprty")
    alone = Snapshot(Cluster(QueueManager("QM7")))
    assert alone.provenance.of(alone.cluster.queue_manager, "name").how == "stated"


def test_messages_name_the_argument() -> None:
    source = text(SCRIPT, queue_manager="QM7")
    told = "no source describes the queue manager 'QM8'; described: QM7"
    for reading, name in ((lambda: read(source, at="QM8"), "at"), (lambda: read_files([source], "QM8"), "local")):
        with pytest.raises(FactsError, match=f"^{name}: {told}"):
            reading()
    with pytest.raises(FactsError, match=r"^changes: QLOCAL 'NONE' is not known"):
        DEPOT.set("QLOCAL(NONE) PUT(DISABLED)")
    with pytest.raises(FactsError, match=r"^without: queue manager 'QM6' is not known"):
        DEPOT.without("QM6")
