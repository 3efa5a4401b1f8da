"""What sources tell of command levels, where they contradict one another, and which edition that is said to make."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqclause import Engine, FactsError, Put, Rules
from mqclause.check.findings import Checks, inspected
from mqclause.cluster.map import cluster_map
from mqclause.model.configuration.knowledge import write_version
from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.tools.commands.declared import facts_command as facts
from mqclause.workload.editions import list_level_remarks
from mqclause.workload.explanation import Explanation

OWN = """* Queue manager name: QM1
{head}DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(PLANT) CONNAME('h1') BATCHHB(1000)
DEFINE QLOCAL(PARTS) CLUSTER(PLANT)
DEFINE QLOCAL(TOOLS) CLUSTER(PLANT)
"""
OTHER = """* Queue manager name: QM2
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(PLANT) CONNAME('h2') BATCHHB(1000)
DEFINE QLOCAL(PARTS) CLUSTER(PLANT) CLWLRANK(4)
"""
"""Up to 7.5 puts to PARTS at QM1 stay there, from 8.0 on they go to the higher rank; TOOLS is at QM1 alone."""

SHOWN = "ALTER QMGR +\n*  {0} +\n   CLWLUSEQ(LOCAL)\n"
AGAIN = "* Queue manager name: QM1\n" + SHOWN
OF_MEMBER = (
    "display clusqmgr(QM1) all\nAMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR(QM1)   CLUSTER(PLANT)"
    "   CHANNEL(TO.QM1)   VERSION({0})\n"
)


def view(head: str, more: str = "") -> Snapshot:
    texts = {"own.mqsc": OWN.format(head=head), "other.mqsc": OTHER, "more.txt": more}
    return read_sources([Source(name, text.encode()) for name, text in texts.items() if text], "QM1")


def explained(snapshot: Snapshot, queue: str = "PARTS", edition: str | None = None) -> Explanation:
    return Explanation.of(Engine(Rules(edition=edition)).choose(Put(queue), snapshot.cluster, explain="rule"), snapshot)


def asked(told: Explanation) -> list[str]:
    return [each.what for each in told.incomplete if each.command == "DISPLAY QMGR CMDLEVEL"]


@pytest.mark.parametrize(
    ("head", "more", "remark", "doubt"),
    [
        (SHOWN.format("CMDLEVEL(920)"), AGAIN.format("CMDLEVEL(710)"),
         "more.txt:3: CMDLEVEL(710) of QM1 contradicts CMDLEVEL(920) (own.mqsc:3), which counts",
         "the command level: CMDLEVEL(920) (own.mqsc:3) or CMDLEVEL(710) (more.txt:3)"),
        (SHOWN.format("VERSION(07050003)"), AGAIN.format("CMDLEVEL(902)"),
         "own.mqsc:3: VERSION(07050003) of QM1 contradicts CMDLEVEL(902) (more.txt:3), which counts",
         "the command level: CMDLEVEL(902) (more.txt:3) or VERSION(07050003) (own.mqsc:3)"),
        (SHOWN.format("CMDLEVEL(920)"), OF_MEMBER.format("07010004"),
         "more.txt:3: VERSION(07010004) of QM1 contradicts CMDLEVEL(920) (own.mqsc:3), which counts",
         "the command level: CMDLEVEL(920) (own.mqsc:3) or VERSION(07010004) (more.txt:3)"),
        ("* Queue manager command level: (801/710)\n", "",
         "own.mqsc:2: command level (801/710) in the head names two command levels; the lower one counts where nothing"
         " else tells it", "the command level: command level (801/710) in the head (own.mqsc:2)"),
    ],
)  # fmt: skip
def test_levels_that_contradict_are_told_and_asked_for_where_the_answer_depends_on_them(
    head: str, more: str, remark: str, doubt: str
) -> None:
    snapshot = view(head, more)
    assert [*map(str, snapshot.command_level.find_remarks())] == [remark]
    assert remark in map(str, snapshot.remarks)
    assert asked(explained(snapshot)) == [doubt]
    assert asked(explained(snapshot, "TOOLS")) == asked(explained(snapshot, edition="mq-9.2")) == []
    told = {row.queue: [each.what for each in row.incomplete] for row in cluster_map(snapshot)}
    assert [doubt in told[queue] for queue in ("PARTS", "TOOLS")] == [True, False]


@pytest.mark.parametrize(
    ("head", "more"),
    [
        (SHOWN.format("CMDLEVEL(930)"), AGAIN.format("VERSION(09030005)")),
        (SHOWN.format("CMDLEVEL(801)"), AGAIN.format("VERSION(08000003)")),
        (SHOWN.format("CMDLEVEL(935)"), AGAIN.format("CMDLEVEL(932)")),  # of one release
    ],
)
def test_levels_of_one_release_are_no_contradiction(head: str, more: str) -> None:
    snapshot = view(head, more)
    assert not [each for each in snapshot.remarks if "contradicts" in each.message]
    assert asked(explained(snapshot)) == []


def test_two_levels_on_one_side_of_the_change_are_told_and_decide_nothing() -> None:
    snapshot = view(SHOWN.format("CMDLEVEL(910)"), AGAIN.format("CMDLEVEL(930)"))
    assert [each.line for each in snapshot.remarks if "contradicts" in each.message] == [3]
    assert asked(explained(snapshot)) == []


@pytest.mark.parametrize("shown", ["CMDLEVEL(53)", "VERSION(9.3.0.2)"])
def test_words_that_are_no_level_are_told(shown: str) -> None:
    snapshot = view(SHOWN.format(shown))
    assert snapshot.cluster.queue_manager.command_level == 0
    said = f"own.mqsc:3: {shown} is no command level that a queue manager has: passed by"
    assert said in map(str, snapshot.remarks)
    assert asked(explained(snapshot)) == ["the command level"]


@pytest.mark.parametrize(
    ("shown", "level", "edition"),
    [("V7R1M0", 710, "wmq-7.1"), ("V8R0M0F5", 800, "mq-8.0"), ("V9R2M4", 924, "mq-9.2"), ("V10R0M0", 1000, "mq-10.0")],
)
def test_a_version_as_ibm_i_writes_it(shown: str, level: int, edition: str) -> None:
    snapshot = view(f"ALTER QMGR +\n*  PLATFORM(OS400) +\n*  VERSION({shown}) +\n   CLWLUSEQ(LOCAL)\n")
    own = snapshot.cluster.queue_manager
    assert (own.platform, own.command_level, explained(snapshot).decision.rules.edition) == ("MULTI", level, edition)


def test_a_level_of_two_digits_is_none_in_facts_either() -> None:
    for own, other, key in ((53, 0, "queue_manager"), (0, 99, "remote_queue_manager")):
        text = (
            f'[queue_manager]\nname = "QM1"\ncommand_level = {own}\n'
            f'[[remote_queue_manager]]\nname = "QM2"\ncommand_level = {other}\n'
        )
        with pytest.raises(FactsError) as error:
            read_sources([Source("plant.toml", text.encode())])
        [fault] = error.value.diagnostics
        assert (fault.line, key in str(fault)) == (3 if own else 6, True)
        assert f"{own or other} is not allowed; allowed: a whole number from 100 to 9999, or 0" in fault.message


def test_the_word_that_tells_the_level_is_said() -> None:
    told = explained(view(SHOWN.format("VERSION(08000005)")))
    assert told.edition_from == "VERSION 08000005 of QM1, own.mqsc:3"
    assert any("by edition mq-8.0 (VERSION 08000005 of QM1)" in each for each in told.assumptions)
    [parts] = [row for row in cluster_map(view(SHOWN.format("CMDLEVEL(930)"))) if row.queue == "PARTS"]
    document = parts.to_json()
    assert (document["edition"], document["edition_from"]) == ("mq-9.3", "CMDLEVEL 930 of QM1, own.mqsc:3")


def test_facts_keep_the_levels_of_other_members(tmp_path: Path) -> None:
    """So that they read back give the same findings."""
    shown = "display clusqmgr(*) all\n" + "".join(
        f"AMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR({name})   CLUSTER(PLANT)   CHANNEL(TO.{name})"
        f"   VERSION({version})\n"
        for name, version in (("QM1", "09020003"), ("QM2", "07050001"), ("QM3", "unknown"))
    )
    path = tmp_path / "qm1.txt"
    path.write_text(shown)
    text = CliRunner().invoke(facts, [str(path), "--from", "QM1"], standalone_mode=False).stdout
    known = tomllib.loads(text)
    assert known["queue_manager"]["command_level"] == 920
    assert [each.get("command_level") for each in known["remote_queue_manager"]] == [750, None]
    [member] = inspected([Source("facts.toml", text.encode())], Checks()).members.values()
    assert {name: each.level for name, each in member.contribution.levels.items()} == {"QM1": 920, "QM2": 750}


@pytest.mark.parametrize(
    ("level", "version"), [(600, "06000000"), (753, "07050300"), (935, "09030500"), (1000, "10000000")]
)
def test_a_level_as_a_version(level: int, version: str) -> None:
    assert write_version(level) == version


def test_check_tells_contradicting_levels_and_another_edition_than_the_one_asked_for() -> None:
    texts = {"own.mqsc": OWN.format(head=SHOWN.format("CMDLEVEL(920)")), "other.mqsc": OTHER}
    for more, said in (
        (AGAIN.format("CMDLEVEL(710)"), "more.txt:3: CMDLEVEL(710) of QM1 contradicts CMDLEVEL(920) (own.mqsc:3)"),
        (OF_MEMBER.format("07010004"), "more.txt:3: VERSION(07010004) of QM1 contradicts CMDLEVEL(920) (own.mqsc:3)"),
    ):
        sources = [Source(name, text.encode()) for name, text in {**texts, "more.txt": more}.items()]
        inspection = inspected(sources, Checks())
        inspection.findings()
        assert [each.partition(", which")[0] for each in inspection.remarks] == [said]
    inspection = inspected(
        [Source(name, text.encode()) for name, text in texts.items()], Checks(Rules(edition="wmq-6"))
    )
    inspection.findings()
    assert inspection.remarks == ["QM1 is of command level 920, edition mq-9.2; edition wmq-6 was asked for"]


def test_what_is_said_of_levels_is_said_once_for_those_that_are_alike() -> None:
    levels: dict[str, Any] = {"QM1": 930, "QM2": 750, "QM3": 932, "QM4": 930, "QM5": 0}
    assert [*list_level_remarks(Rules(edition="mq-9.3"), levels)] == [
        "QM2 is of command level 750, edition wmq-7.5; edition mq-9.3 was asked for"
    ]
    assert next(list_level_remarks(Rules(edition="wmq-7.0"), levels)) == (
        "QM1 and QM4 are of command level 930, edition mq-9.3; edition wmq-7.0 was asked for"
    )
    assert [*list_level_remarks(Rules(), levels | {"QM6": 520})] == [
        "QM6 is of command level 520, below that of the oldest edition that is known, wmq-6"
    ]
