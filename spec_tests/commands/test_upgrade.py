"""``mqclause plan --upgrade``: which puts move when members become of another edition of MQ; what check says of mixed ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqclause import FactsError, Rules
from mqclause.check.findings import Checks, inspected
from mqclause.model.configuration.sources import Source
from mqclause.tools.commands.declared import check_command, facts_command
from mqclause.tools.commands.declared import plan_command as command

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(PLANT) CONNAME('{0}') BATCHHB(1000)
"""
LEVEL = "ALTER QMGR +\n*  CMDLEVEL({0}) +\n   CLWLUSEQ(LOCAL)\n"

RANKED = {
    "QM1": "",
    "QM2": "DEFINE QLOCAL(PARTS) CLUSTER(PLANT)",
    "QM3": "DEFINE QLOCAL(PARTS) CLUSTER(PLANT) CLWLRANK(4)",
}
"""QM2 keeps its own puts up to 7.5, and from 8.0 on they go to the higher rank; those of QM1 and QM3 always do."""

DISABLED = {**RANKED, "QM3": f"{RANKED['QM3']} PUT(DISABLED)"}
"""Up to 7.5 all puts go to QM2; from 8.0 on they fail, as rank leaves QM3 alone."""

TWICE = {**RANKED, "QM1": RANKED["QM2"]}
"""QM1 and QM2 keep their own puts up to 7.5, and do not from 8.0 on."""

RANK = "ALTER CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLWLRANK(2)\n"

BY_CHANNEL = {**RANKED, "QM3": f"{RANK}DEFINE QLOCAL(PARTS) CLUSTER(PLANT) PUT(DISABLED)"}
"""The queues rank alike; from 8.0 on puts at QM1 fail by the rank of the channel, and QM2 keeps its own."""

BEHIND = {**RANKED, "QM1": RANKED["QM3"], "QM3": f"{RANK}DEFINE QLOCAL(PARTS) CLUSTER(PLANT)"}
"""QM2 has QM1, of a higher rank, behind the rank of the channel to QM3, whose queue ranks as its own;
QM3 itself compares no channel with its own queue, which is below that of QM1."""

MIXED = {
    "QM1": f"{RANK.replace('QM3', 'QM1')}{RANKED['QM2']}",
    "QM2": f"{RANKED['QM3']} PUT(DISABLED)",
    "QM3": f"{RANKED['QM3']} PUT(DISABLED)",
}
"""QM1 ranks first by its channel and last by its queue. Up to 7.5 all puts go there. From 8.0 on those of QM1, which has no
channel to itself, are left to the queues of QM2 and QM3, and those of QM2, and of QM3, to their own."""

GATES = {
    "QM1": "",
    "QM2": "DEFINE QREMOTE(GATE) RNAME(' ') RQMNAME(QM2) CLUSTER(PLANT) CLWLRANK(4) PUT(DISABLED)",
    "QM3": f"{RANK}DEFINE QREMOTE(GATE) RNAME(' ') RQMNAME(QM3) CLUSTER(PLANT)",
}
"""The rank of an alias of a queue manager stands for that of its route: from 8.0 on QM2 is left and puts fail."""

EQUAL_GATES = {
    "QM1": "",
    "QM2": GATES["QM2"].replace("CLWLRANK(4) PUT(DISABLED)", ""),
    "QM3": f"{GATES['QM3']} PUT(DISABLED)",
}
"""Both aliases rank alike, whatever the channels do: the enabled one takes all puts in every edition."""

STAYED = {("PARTS", "QM2"): (1, {"QM2": 1}, {"QM3": 1}, [("before", "QM3", "3"), ("after", "QM2", "4b")])}


ALIASES = {
    "QM1": "",
    "QM2": "DEFINE QLOCAL(BASE)\nDEFINE QALIAS(PARTS) TARGET(BASE) CLUSTER(PLANT)",
    "QM3": "DEFINE QLOCAL(BASE)\nDEFINE QALIAS(PARTS) TARGET(BASE) CLUSTER(PLANT) CLWLRANK(4) PUT(DISABLED)",
}
"""QM2 and QM3 follow an alias of their own in every edition; QM1 goes to QM2 up to 7.5 and fails from 8.0 on."""


def written(folder: Path, members: dict[str, str], levels: dict[str, int]) -> list[str]:
    """The file of each member, with its command level where one is given."""
    for name, queues in members.items():
        level = LEVEL.format(levels[name]) if name in levels else ""
        (folder / f"{name}.mqsc").write_text(f"{MEMBER.format(name)}{level}{queues}\n")
    return [str(folder / f"{name}.mqsc") for name in members]


def planned(files: list[str], *options: str) -> tuple[int, Any]:
    done = CliRunner().invoke(command, [*files, *options, "--json"], standalone_mode=False, catch_exceptions=False)
    return done.return_value, json.loads(done.stdout)


def warned(files: list[str], *options: str) -> str:
    done = CliRunner().invoke(command, [*files, *options, "--json"], standalone_mode=False, catch_exceptions=False)
    return done.stderr


def moved(document: Any) -> dict[tuple[str, str], Any]:
    """Of each row: what moves, before and after, and who fell by which clause."""
    found = {}
    for row in document["rows"]:
        causes = [(each["side"], each["destination"]["queue_manager"], each["clause"]) for each in row["because"]]
        found[row["queue"], row["from"]] = (row["moved"], _ends(row["before"]), _ends(row["after"]), causes)
    return found


def _ends(side: Any) -> Any:
    return (
        side["reason"]["code"] if side["reason"] else {each["queue_manager"]: each["share"] for each in side["shares"]}
    )


OLD = dict.fromkeys(RANKED, 750)


@pytest.mark.parametrize(
    ("levels", "options", "expected", "status"),
    [
        (OLD, ["*=mq-9.4"], STAYED, 3),
        (OLD, ["QM2=mq-8.0"], STAYED, 3),
        # QM2 stays of 7.5, and its puts with it; those of the others go to QM3 in every edition.
        (OLD, ["QM1=mq-9.4", "QM3=mq-9.4"], {}, 0),
        (OLD, ["*=wmq-7.5"], {}, 0),
        ({**OLD, "QM2": 600}, ["QM2=wmq-7.1"], {}, 0),
        (dict.fromkeys(RANKED, 905), ["*=mq-9.4"], {}, 0),  # since 8.0 nothing changed
        ({**OLD, "QM2": 800}, ["*=mq-9.4"], {}, 0),
        ({}, ["*=mq-9.4"], STAYED, 3),
        ({**OLD, "QM2": 940}, ["*=mq-9.0"], {}, 0),  # a pattern takes nobody back
    ],
)
def test_the_rows_that_move_by_an_upgrade_alone(
    tmp_path: Path, levels: dict[str, int], options: list[str], expected: dict[tuple[str, str], Any], status: int
) -> None:
    given = [word for each in options for word in ("--upgrade", each)]
    found, document = planned(written(tmp_path, RANKED, levels), *given)
    assert (found, moved(document)) == (status, expected)


def test_puts_that_fail_after_an_upgrade_are_counted(tmp_path: Path) -> None:
    traffic = tmp_path / "puts.csv"
    traffic.write_text("queue,from,count\nPARTS,QM1,300\nPARTS,QM2,100\nPARTS,QM3,100\n")
    files = written(tmp_path, DISABLED, OLD)
    status, document = planned(files, "--upgrade", "QM1=mq-9.4", "--puts", str(traffic))
    assert (status, moved(document)) == (3, {("PARTS", "QM1"): (1, {"QM2": 1}, 2051, [("after", "QM2", "4b")])})
    assert [row["weight"] for row in document["rows"]] == [300]
    assert document["traffic"]["moves"] == [{"out_of": "QM2", "into": None, "puts": 300}]
    found = [(each["rule"], each["object"]["queue_manager"]) for each in document["findings"]["new"]]
    assert sorted(found) == [("check.05", "QM2"), ("check.54", "QM3"), ("check.56", "QM3")]


SHARING = """
[queue_manager]
name = "QM1"
clusters = ["PLANT"]
command_level = {level}
{members}[[queue]]
name = "TOOLS"
queue_manager = "QM2"
clusters = ["PLANT"]
defbind = "NOTFIXED"
[[queue]]
name = "PARTS"
queue_manager = "QM2"
clusters = ["PLANT"]
defbind = "NOTFIXED"
[[queue]]
name = "PARTS"
queue_manager = "QM3"
clusters = ["PLANT"]
defbind = "NOTFIXED"
"""
SHARED_MEMBER = """[[remote_queue_manager]]
name = "{name}"
clusters = ["PLANT"]
[[channel]]
name = "TO.{name}"
queue_manager = "{name}"
cluster = "PLANT"
status = "RUNNING"
clwlwght = {weight}
"""


@pytest.mark.parametrize(
    ("level", "weights", "tools", "is_told"),
    [
        (750, (50, 50), "ENABLED", True),
        (800, (50, 50), "ENABLED", False),  # since 8.0 nothing changed
        (750, (50, 40), "ENABLED", False),  # of another weight than 50 all channels have their factors in every edition
        (750, (50, 50), "DISABLED", False),  # no put to TOOLS goes by a channel
    ],
)
def test_queues_that_share_a_channel_are_balanced_otherwise_from_8_0_on(
    tmp_path: Path, level: int, weights: tuple[int, int], tools: str, is_told: bool
) -> None:
    """Ten puts to TOOLS make the factor of QM2's channel 200: up to 7.5 six puts to PARTS leave QM3 at 120, below it.

    From 8.0 on the least recently used channel is taken: QM3, QM2, and so on in turn.
    """
    members = [SHARED_MEMBER.format(name=name, weight=of) for name, of in zip(("QM2", "QM3"), weights, strict=True)]
    text = SHARING.format(level=level, members="".join(members)).replace('"TOOLS"', f'"TOOLS"\nput = "{tools}"')
    (tmp_path / "plant.toml").write_text(text)
    options = [str(tmp_path / "plant.toml"), "--upgrade", "QM1=mq-9.4"]
    status, document = planned(options[:1], *options[1:])
    assert (status, document["rows"]) == (3 if is_told else 0, [])
    found = [(each["queue"], each["from"]) for each in document.get("remarks", [])]
    assert found == [("PARTS", "QM1")] * is_told
    for each in document.get("remarks", []):
        assert "by clause 12 both" in each["remark"]
        assert "after 10 puts to TOOLS the next 6 went to QM3 (6), and go to QM2 (3) and QM3 (3)" in each["remark"]
    shown = CliRunner().invoke(command, options, standalone_mode=False).stdout
    assert ("every queue alone has the shares that it had" in shown) == is_told
    assert ("every put goes where it went" in shown) != is_told


def test_a_local_instance_is_balanced_otherwise_from_8_0_on_too(tmp_path: Path) -> None:
    """The local instance of PARTS, without a CLUSRCVR, has counters of its own; without ANY no put of it is balanced."""
    text = SHARING.format(level=750, members=SHARED_MEMBER.format(name="QM2", weight=50))
    text = text.replace('"QM3"\nclusters', '"QM1"\nclwluseq = "ANY"\nclusters')
    (tmp_path / "plant.toml").write_text(text)
    status, document = planned([str(tmp_path / "plant.toml")], "--upgrade", "QM1=mq-9.4")
    [said] = [each["remark"] for each in document["remarks"]]
    assert (status, "after 10 puts to TOOLS the next 6 went to QM1 (6), and go to QM1 (3) and QM2 (3)" in said) == (
        3,
        True,
    )
    (tmp_path / "plant.toml").write_text(text.replace('"ANY"', '"LOCAL"'))
    assert planned([str(tmp_path / "plant.toml")], "--upgrade", "QM1=mq-9.4")[0] == 0


def test_a_binding_that_came_with_the_upgrade_is_told(tmp_path: Path) -> None:
    files = written(tmp_path, TWICE, dict.fromkeys(TWICE, 701))
    for bind, level, count in (("GROUP", "mq-9.3", 3), ("GROUP", "wmq-7.0", 0), ("NOTFIXED", "mq-9.3", 0)):
        _, document = planned(files, "--bind", bind, "--upgrade", f"*={level}")
        told = [each["remark"] for each in document.get("remarks", []) if "BIND_ON_GROUP" in each["remark"]]
        assert (
            told
            == [
                "before the upgrade: BIND_ON_GROUP came with 7.1: a queue manager of 7.0 or before knows no such binding"
            ]
            * count
        )


@pytest.mark.parametrize("members", [DISABLED, BY_CHANNEL, BEHIND])
def test_a_facts_file_has_the_findings_of_the_files_that_it_was_written_from(
    tmp_path: Path, members: dict[str, str]
) -> None:
    """Not those about puts at other members, whose CLWLUSEQ a queue manager does not know."""
    files = written(tmp_path, members, {**OLD, "QM1": 930})
    for name in members:
        text = CliRunner().invoke(facts_command, [*files, "--from", name], standalone_mode=False).stdout
        sources = (
            [Source(Path(each).name, Path(each).read_bytes()) for each in files],
            [Source("f.toml", text.encode())],
        )
        found = [
            {(each.rule.id, each.queue_manager, each.message) for each in inspected(of).findings()
             if each.rule.id in ("check.54", "check.56")}
            for of in sources
        ]  # fmt: skip
        assert found[0] == found[1]
        assert bool(found[0]) == (members is not BEHIND)


def test_findings_of_other_queues_than_those_asked_for_are_left_out(tmp_path: Path) -> None:
    files = written(tmp_path, {**DISABLED, "QM1": "DEFINE QLOCAL(TOOLS) CLUSTER(PLANT)"}, OLD)
    for pattern, expected in (("PARTS", {"PARTS"}), ("P*", {"PARTS"}), ("TOOLS", set())):
        _, document = planned(files, "--upgrade", "*=mq-9.4", "--queue", pattern)
        assert {each["object"]["name"] for each in document["findings"]["new"]} == expected
        assert {row["queue"] for row in document["rows"]} == expected


def test_a_plan_says_from_which_edition_to_which_and_how_that_is_known(tmp_path: Path) -> None:
    files = written(tmp_path, RANKED, {**OLD, "QM1": 940})
    _, document = planned(files, "--upgrade", "*=mq-9.4")
    assert [(each["queue_manager"], each["before"], each["after"], each["evidence"]) for each in document["upgrades"]] == [
        ("QM2", "wmq-7.5", "mq-9.4", "inferred"), ("QM3", "wmq-7.5", "mq-9.4", "inferred")
    ]  # fmt: skip
    assert document["upgrades"][0]["edition_from"] == f"CMDLEVEL 750 of QM2, {files[1]}:4"
    text = CliRunner().invoke(command, [*files, "--upgrade", "*=mq-9.4"], standalone_mode=False).stdout
    known = [f"CMDLEVEL 750 of {name}, {file}:4" for name, file in zip(("QM2", "QM3"), files[1:], strict=True)]
    assert f"upgrade of QM2 and QM3 from wmq-7.5 ({'; '.join(known)}) to mq-9.4; of mq-9.4: nothing" in text
    assert "other_editions" not in document


def test_where_the_edition_before_is_assumed_the_command_level_is_asked_for(tmp_path: Path) -> None:
    files = written(tmp_path, RANKED, {"QM1": 750, "QM3": 750})
    _, document = planned(files, "--upgrade", "*=mq-9.4")
    assert [each["edition_from"] for each in document["upgrades"] if each["queue_manager"] == "QM2"] == ["default"]
    asked = {"from": "QM2", "what": "the command level", "object": "QM2", "command": "DISPLAY QMGR CMDLEVEL"}
    assert asked in document["incomplete"]
    # Where nothing moves, it does not matter.
    assert asked not in planned(files, "--upgrade", "*=wmq-7.5")[1]["incomplete"]


def test_the_edition_that_is_named_is_that_of_all_before_the_upgrade(tmp_path: Path) -> None:
    files = written(tmp_path, RANKED, dict.fromkeys(RANKED, 930))
    assert planned(files, "--upgrade", "*=mq-9.4")[0] == 0
    status, document = planned(files, "--edition", "wmq-7.5", "--upgrade", "*=mq-9.4")
    assert (status, moved(document)) == (3, STAYED)
    assert {each["edition_from"] for each in document["upgrades"]} == {"--edition"}
    assert planned(files, "--edition", "auto", "--upgrade", "*=mq-9.4")[0] == 0


def test_one_that_is_of_the_edition_already_stays_as_it_is(tmp_path: Path) -> None:
    files = written(tmp_path, RANKED, dict.fromkeys(RANKED, 932))
    status, document = planned(files, "--upgrade", "QM1=mq-9.3")
    assert (status, document.get("upgrades", [])) == (0, [])


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("QM4=mq-9.4", "--upgrade: no source describes the queue manager 'QM4'; described: QM1, QM2, QM3"),
        ("QM1=mq-9.5", "--upgrade: 'mq-9.5' is no edition; allowed: wmq-6, "),
        ("QM1=mq-8.0", "--upgrade: QM1 is of command level 930, edition mq-9.3, above mq-8.0"),
        ("*=mq-8.0", "--upgrade: nobody that fits '*' is upgraded: QM1, QM2 and QM3, of editions above mq-8.0"),
    ],
)
def test_an_upgrade_that_is_none_is_bad_input(tmp_path: Path, option: str, said: str) -> None:
    with pytest.raises(FactsError) as error:
        planned(written(tmp_path, RANKED, dict.fromkeys(RANKED, 930)), "--upgrade", option)
    assert said in str(error.value)


def test_an_upgrade_that_moves_nothing_changes_nothing_whatever_levels_findings_tell(tmp_path: Path) -> None:
    """QM1 is of 7.5 and QM3 of 9.3, so that puts to PARTS part before and after QM3 is upgraded."""
    files = written(tmp_path, DISABLED, {**OLD, "QM3": 930})
    assert any("930: QM3" in each.message for each in inspected(map(Path, files)).findings())
    status, document = planned(files, "--upgrade", "QM3=mq-9.4")
    assert (status, document["rows"], document["findings"]) == (0, [], {"new": [], "gone": []})


def test_members_that_are_known_by_records_are_upgraded_too(tmp_path: Path) -> None:
    """QM1 displays that QM2 hosts PARTS, and that QM3 of 7.5 hosts it put-disabled in the higher rank."""
    members = (("QM1", "09030000"), ("QM2", "09030000"), ("QM3", "07050003"))
    shown = [f"   CLUSQMGR({name}) CHANNEL(TO.{name}) CLUSTER(PLANT) VERSION({version})" for name, version in members]
    hosts = (("QM2", 0, "ENABLED"), ("QM3", 4, "DISABLED"))
    queues = [f"   QUEUE(PARTS) TYPE(QCLUSTER) CLUSTER(PLANT) CLUSQMGR({name}) CLWLRANK({rank}) PUT({put})"
              for name, rank, put in hosts]  # fmt: skip
    member, queue = "AMQ8441I: Display Cluster Queue Manager details.", "AMQ8409I: Display Queue details."
    log = tmp_path / "QM1.log"
    lines = ["Starting MQSC for queue manager QM1.", "     1 : DISPLAY CLUSQMGR(*) ALL"]
    lines += [line for each in shown for line in (member, each)] + ["     2 : DISPLAY QCLUSTER(*) ALL"]
    log.write_text("\n".join([*lines, *(line for each in queues for line in (queue, each)), ""]))
    for pattern, gone, told in (
        ("*", ["check.56"], "QM2 and QM3 are"),
        ("QM3", ["check.56"], "QM3 is"),
        ("QM1", [], ""),
    ):
        status, document = planned([str(log)], "--upgrade", f"{pattern}=mq-9.4")
        assert [each["rule"] for each in document["findings"]["gone"]] == gone
        assert (status, document["rows"], document["findings"]["new"]) == (3 if gone else 0, [], [])
        said = f"{told} known by records alone"
        assert (said in warned([str(log)], "--upgrade", f"{pattern}=mq-9.4")) is bool(told)


def test_a_level_that_another_edition_is_asked_for_against_is_told(tmp_path: Path) -> None:
    files = written(tmp_path, RANKED, {**OLD, "QM2": 930})
    told = warned(files, "--edition", "wmq-7.5", "--upgrade", "QM2=mq-9.4")
    assert told == "remark: QM2 is of command level 930, edition mq-9.3; edition wmq-7.5 was asked for\n"


@pytest.mark.parametrize(
    ("members", "levels", "edition", "expected"),
    [
        (RANKED, {}, None, {("check.55", "QM2")}),
        (RANKED, OLD, None, set()),
        (RANKED, OLD, "mq-9.4", {("check.55", "QM2")}),
        (RANKED, {**OLD, "QM2": 930}, None, {("check.55", "QM2")}),
        (RANKED, {**OLD, "QM1": 930}, None, set()),
        (TWICE, {**OLD, "QM1": 930}, None, {("check.55", "QM1"), ("check.56", "QM1"), ("check.56", "QM2")}),
        (TWICE, {**OLD, "QM3": 930}, None, set()),
        (BY_CHANNEL, {**OLD, "QM1": 930}, None, {("check.54", "QM3")}),  # QM1 alone hosts no PARTS
        ({**BY_CHANNEL, "QM4": ""}, {**OLD, "QM1": 930, "QM4": 750}, None, {("check.54", "QM3"), ("check.56", "QM3")}),
        (ALIASES, {**OLD, "QM1": 930}, None, {("check.54", "QM3")}),
        ({**ALIASES, "QM4": ""}, {**OLD, "QM1": 930, "QM4": 710}, None, {("check.54", "QM3"), ("check.56", "QM3")}),
        (ALIASES, {**OLD, "QM3": 930}, None, set()),  # QM1, whose puts alone it concerns, is of 7.5
        ({name: ALIASES[name] for name in ("QM2", "QM3")}, {"QM2": 930, "QM3": 930}, None, set()),
        (BY_CHANNEL, OLD, None, set()),
        (BEHIND, dict.fromkeys(OLD, 930), None, {("check.55", "QM3")}),
        (MIXED, {**OLD, "QM1": 930, "QM2": 930}, None,
         {("check.54", "QM2"), ("check.54", "QM3"), ("check.55", "QM1"), ("check.56", "QM2"), ("check.56", "QM3")}),
        (MIXED, {**OLD, "QM2": 930}, None, {("check.54", "QM2"), ("check.56", "QM2"), ("check.56", "QM3")}),
        (MIXED, OLD, None, set()),
        (GATES, dict.fromkeys(OLD, 930), None, {("check.54", "QM2")}),
        (GATES, {**OLD, "QM1": 930}, None, {("check.54", "QM2"), ("check.56", "QM2")}),
        (EQUAL_GATES, dict.fromkeys(OLD, 930), None, set()),
        (EQUAL_GATES, {**OLD, "QM1": 930}, None, set()),
        (RANKED, {**OLD, "QM1": 930}, "wmq-7.5", set()),
        (DISABLED, {}, None, {("check.54", "QM3"), ("check.55", "QM2")}),
        (DISABLED, OLD, None, set()),
        (DISABLED, {**OLD, "QM1": 800}, None, {("check.54", "QM3"), ("check.56", "QM3")}),
        (DISABLED, {"QM2": 750, "QM3": 750}, None, {("check.54", "QM3")}),
        (DISABLED, dict.fromkeys(OLD, 920), None, {("check.54", "QM3"), ("check.55", "QM2")}),
        (DISABLED, dict.fromkeys(OLD, 920), "wmq-6", set()),
    ],
)  # fmt: skip
def test_a_check_goes_by_the_level_of_each_member(
    members: dict[str, str], levels: dict[str, int], edition: str | None, expected: set[tuple[str, str]]
) -> None:
    texts = [
        f"{MEMBER.format(name)}{LEVEL.format(levels[name]) if name in levels else ''}{queues}\n"
        for name, queues in members.items()
    ]
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(texts)]
    found = inspected(sources, Checks(Rules(edition=edition))).findings()
    of_editions = {"check.54", "check.55", "check.56"}
    assert {(each.rule.id, each.queue_manager) for each in found if each.rule.id in of_editions} == expected


def test_a_check_goes_by_a_reading_of_where_rank_stands(tmp_path: Path) -> None:
    """Where the local queue comes before rank in every edition, its own puts never leave it."""
    files = written(tmp_path, TWICE, {**OLD, "QM1": 930})
    for options, expected in (((), {"check.55", "check.56"}), (("--reading", "rank-or-local=local-first"), set())):
        text = CliRunner().invoke(check_command, [*files, "--json", *options], standalone_mode=False).stdout
        found = {each["rule"] for each in json.loads(text)["findings"]}
        assert found & {"check.54", "check.55", "check.56"} == expected


def test_a_member_of_two_clusters_compares_the_hosts_of_both() -> None:
    """QM1 is in PLANT and DEPOT; PARTS has one host in each, the put-disabled one in the higher rank."""
    gate = f"{MEMBER.format('QM1')}DEFINE CHANNEL(BY.QM1) CHLTYPE(CLUSRCVR) CLUSTER(DEPOT) CONNAME(h) BATCHHB(1000)\n"
    hosts = (
        f"{MEMBER.format('QM2')}{DISABLED['QM3']}\n",
        f"{MEMBER.format('QM3')}{RANKED['QM2']}\n".replace("PLANT", "DEPOT"),
    )
    for level, rules in ((750, {"check.01"}), (930, {"check.01", "check.54"})):
        texts = gate + LEVEL.format(level), *(each + LEVEL.format(930) for each in hosts)
        found = inspected([Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(texts)]).findings()
        told = {each.rule.id: each.message for each in found if each.queue_manager == "QM2" and each.name == "PARTS"}
        assert told.keys() - {"check.18"} == rules
        assert told["check.01"].endswith(": puts to it fail at a queue manager that is in no other cluster of it")
        if level == 930:
            assert (
                "comes before QM3 by rank (queue rank 0 is below 4): from 8.0 on puts made at QM1 fail"
                in told["check.54"]
            )


def test_a_host_is_out_of_reach_only_if_it_is_for_members_of_every_edition() -> None:
    """QM2 falls by rank from 8.0 on; up to 7.5 it is reached, as the put-disabled one of higher rank fell before."""
    hosts = {**DISABLED, "QM4": ""}
    for levels, expected in (
        (dict.fromkeys(hosts, 930), ["QM2"]),
        (dict.fromkeys(hosts, 750), []),
        ({**dict.fromkeys(hosts, 930), "QM4": 750}, []),
        ({**dict.fromkeys(hosts, 930), "QM3": 750}, ["QM2"]),  # QM3 hosts it itself
        ({}, []),
    ):
        texts = [
            f"{MEMBER.format(name)}{LEVEL.format(levels[name]) if name in levels else ''}{queues}\n"
            for name, queues in hosts.items()
        ]
        found = inspected([Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(texts)]).findings()
        assert [each.queue_manager for each in found if each.rule.id == "check.05"] == expected


def test_levels_are_those_that_displays_and_facts_documents_tell() -> None:
    """QM2 displays the versions of others; a facts document states its own queue manager's level."""
    shown = f"""{MEMBER.format("QM2")}{RANKED["QM2"]}
"""
    display = """     1 : DISPLAY CLUSQMGR(*) CHANNEL VERSION
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM2)                           CHANNEL(TO.QM2)
   CLUSTER(PLANT)                          VERSION(07050004)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM3)                           CHANNEL(TO.QM3)
   CLUSTER(PLANT)                          VERSION(09030002)
"""
    sources = [
        Source("QM2.mqsc", shown.encode()),
        Source("QM2.log", display.encode(), "QM2"),
        Source("QM3.mqsc", f"{MEMBER.format('QM3')}{DISABLED['QM3']}\n".encode()),
    ]
    [found] = [each for each in inspected(sources).findings() if each.rule.id == "check.56"]
    assert "(750: QM2; 930: QM3)" in found.message
    facts = """
[queue_manager]
name = "QM2"
clusters = ["PLANT"]
command_level = 750
[[queue]]
name = "PARTS"
clusters = ["PLANT"]
[[remote_queue_manager]]
name = "QM3"
clusters = ["PLANT"]
[[queue]]
name = "PARTS"
queue_manager = "QM3"
clusters = ["PLANT"]
clwlrank = 4
[[channel]]
name = "TO.QM3"
queue_manager = "QM3"
cluster = "PLANT"
"""
    for level, expected in (("750", 0), ("930", 1)):
        text = facts.replace("750", level)
        assert (
            sum(each.rule.id == "check.55" for each in inspected([Source("QM2.toml", text.encode())]).findings())
            == expected
        )
