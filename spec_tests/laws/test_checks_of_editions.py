"""What check says of editions is what the map has at each member: whose puts fail by rank, leave a host, or part.

- check.54 names just those members whose puts fail by their own edition, or may, and go by the oldest one.
- check.55 stands at just those hosts whose own puts CLWLUSEQ(LOCAL) keeps by the oldest edition, and not by their own.
- check.56 is there if the answer changes with the edition at members of which some are up to 7.5 and others after.

The checks take channels as running. No state of one changes what they find, but that answers which differ by a remote
host that rank leaves out, beside a local one, are the same while the channel to that is stopped.
"""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

import pytest

from mqclause import Engine, Rules, read_members, text
from mqclause.check.findings import Checks, inspected
from mqclause.cluster.map import MapRow, build_alias_rows, cluster_map

MANY = pytest.mark.parametrize("cases", [60, pytest.param(2_000, marks=pytest.mark.deep)], ids=["few", "many"])
BEFORE, LATER = (Engine(Rules(edition=name)) for name in ("wmq-6", "mq-9.3"))
CHECKS = Checks()
KINDS = ("QLOCAL",) * 6 + ("QALIAS", "QREMOTE", "either")
PUTS_MADE = re.compile(r"puts made at (.+) fail, up to")


class Member(NamedTuple):
    """A queue manager of a random cluster: its script, its level, and whether CLWLUSEQ(LOCAL) holds for BOX."""

    script: str
    level: int
    keeps: bool


def a_member(rng: Random, name: str, clusters: str, channel_ranks: list[int], kind: str, levels: list[int]) -> Member:
    """A member of clusters; two of three host BOX in one of them, and some have another BOX that is in none."""
    level, use, by_any = rng.choice(levels), "", rng.random() < 0.3
    lines = [f"* Queue manager name: {name}", *([f"* Queue manager command level: ({level}/{level})"] if level else [])]
    for each in clusters:
        rank = rng.choice(channel_ranks)
        lines.append(f"DEFINE CHANNEL({each}.{name}) CHLTYPE(CLUSRCVR) CLUSTER({each}) CONNAME(h) CLWLRANK({rank})")
    lines += ["ALTER QMGR CLWLUSEQ(ANY)"] if by_any else []
    kind = rng.choice(("QLOCAL", "QLOCAL", "QALIAS")) if kind == "either" else kind
    of = {"QLOCAL": "", "QALIAS": "TARGET(TRAY)", "QREMOTE": f"RNAME(' ') RQMNAME({name})"}[kind]
    if rng.random() < 0.65:
        use = rng.choice(("QMGR", "QMGR", "LOCAL", "ANY")) if kind == "QLOCAL" else ""
        ranks = f"CLWLRANK({rng.choice((0, 0, 5, 7))}) PUT({rng.choice(('ENABLED', 'ENABLED', 'DISABLED'))})"
        used = f" CLWLUSEQ({use})" if use else ""
        lines += ["DEFINE QLOCAL(TRAY)", f"DEFINE {kind}(BOX) {of} CLUSTER({rng.choice(clusters)}) {ranks}{used}"]
    elif rng.random() < 0.1:
        lines.append("DEFINE QLOCAL(BOX)")
    return Member("\n".join(lines) + "\n", level, use == "LOCAL" or (use == "QMGR" and not by_any))


def a_cluster(rng: Random) -> tuple[dict[str, Member], str]:
    """Three to five members, in one cluster or in two that overlap, and the kind of BOX."""
    two, kind = rng.random() < 0.4, rng.choice(KINDS)
    channel_ranks = rng.choice(([0], [0, 0, 5], [0, 3, 5]))
    levels = rng.choice(([750, 930], [750, 800, 940, 0]))
    names = ("QM1", "QM2", "QM3", "QM4", "QM5")[: rng.choice((3, 4, 5))]
    return {
        name: a_member(rng, name, rng.choice(("A", "A", "B", "AB")) if two else "A", channel_ranks, kind, levels)
        for name in names
    }, kind


def with_states(rng: Random, members: dict[str, Member]) -> dict[str, Member]:
    """The members, each of which has stopped some of its channels to the others: rank is compared before."""
    channels = {name: re.findall(r"CHANNEL\((\S+)\)", each.script) for name, each in members.items()}
    return {
        name: each._replace(script=each.script + "".join(
            f"STOP CHANNEL({channel})\n" for other, of in channels.items() for channel in of
            if other != name and rng.random() < 0.4
        )) for name, each in members.items()
    }  # fmt: skip


def ends(row: MapRow) -> tuple[str, tuple[str, ...]]:
    return row.outcome, tuple(sorted({each.destination.queue_manager for each in row.shares}))


@MANY
def test_findings_of_editions_are_what_the_map_shows(cases: int) -> None:
    rng, found_of = Random(3907), dict.fromkeys(("check.54", "check.55", "check.56"), 0)
    for number in range(cases):
        members, kind = a_cluster(rng)
        members = with_states(rng, members) if number % 2 else members
        sources = [text(each.script, name=f"{name}.mqsc") for name, each in members.items()]
        known = read_members(sources)
        before, later = (
            {row.member: ends(row)
             for row in (build_alias_rows(known, by) if kind == "QREMOTE" else cluster_map(known, by)) if row.name == "BOX"}
            for by in (BEFORE, LATER)
        )  # fmt: skip
        findings = inspected(sources, CHECKS).findings()
        told = {rule: {each.queue_manager for each in findings if each.rule.id == rule} for rule in found_of}
        failing = {name for each in findings if each.rule.id == "check.54"
                   for names in PUTS_MADE.findall(each.message) for name in names.split(", ")}  # fmt: skip
        new, old = (
            {each for each, of in members.items() if of.level in levels} for levels in ((0, 800, 930, 940), (750,))
        )
        fail = {each for each in before if before[each][0] == "chosen" and later[each][0] == "failed"} & new
        if not any("more" in each for each in failing):
            assert failing == fail, number
        assert bool(told["check.54"]) == bool(fail), number
        leave = {each for each in before if before[each] == ("chosen", (each,)) and each not in later[each][1]}
        assert told["check.55"] == {each for each in leave & new if members[each].keeps}, number
        part = {each for each in before if before[each] != later[each] and members[each].level}
        parts = bool(part & new and part & old)
        assert parts <= bool(told["check.56"]) if number % 2 else parts == bool(told["check.56"]), number
        for rule, at in told.items():
            found_of[rule] += bool(at)
    assert min(found_of.values()) > cases / 20
