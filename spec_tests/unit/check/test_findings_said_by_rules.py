"""What a finding is about is said by its rule alone: each rule changed, and what is then found."""

from __future__ import annotations

import pytest

from mqclause import RuleError, Rules
from mqclause.check.findings import Checks, inspected
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from spec_tests.support.inspected_members import CHECKS, QUEUE, REPOS, UNJOINED, member, told


def test_what_hosts_should_have_alike_and_what_a_sender_may_not_state_is_said_by_the_rules_alone() -> None:
    """Each changed rule finds what it then asks about, and nothing else: attributes that no other rule names too."""
    rules = Rules()
    scripts = (
        member("QM1", f"{QUEUE} MAXDEPTH(7) MSGDLVSQ(FIFO)", receiver="NPMSPEED(NORMAL)"),
        member("QM2", QUEUE, "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h) NPMSPEED(FAST)"),
    )
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(scripts)]

    def told_by(path: str, word: str, other: str) -> set[tuple[str, str]]:
        assert f"'{word}'" in rules.files[path]
        checks = Checks(rules.with_files({path: rules.files[path].replace(f"'{word}'", f"'{other}'")}), UNJOINED)
        return {(each.rule.id, each.said.attribute) for each in inspected(sources, checks).findings()}

    alike, sender = "check/06_hosts_have_one_default_priority.toml", "check/20_sender_as_receiver.toml"
    assert told(*scripts) == []
    for attribute in ("MAXDEPTH", "MSGDLVSQ"):
        assert told_by(alike, "DEFPRTY", attribute) == {("check.06", "defprty")}
    assert told_by(alike, "DEFPRTY", "GET") == set()
    assert told_by(sender, "CLWLPRTY", "NPMSPEED") == {("check.20", "npmspeed")}
    with pytest.raises(RuleError, match="'DEFPRTZ' is never a value here.*DEFPRTY"):
        told_by(alike, "DEFPRTY", "DEFPRTZ")


def test_a_finding_as_json() -> None:
    text = member("QM1", QUEUE.replace("PUT(ENABLED)", "") + " PUT(DISABLED)")
    found = [*inspected([Source("1.mqsc", text.encode())], Checks()).findings()]
    assert found
    for each in found:
        document = each.to_json()
        assert document == each.document()
        assert (document["rule"], document["message"]) == (each.rule.id, each.message)
        assert document["object"] == {"type": each.object_type, "name": each.name, "queue_manager": each.queue_manager}


def test_which_attribute_of_which_object_a_script_may_state_in_vain_is_said_by_the_rule() -> None:
    rules, path = Rules(), "check/04_sender_states_no_network_priority.toml"
    stated = 'misplaced = {CLUSSDR = ["NETPRTY"]}\n'
    assert stated in rules.files[path]
    text = "DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h) NETPRTY(5)\n"
    sources = [Source("0.mqsc", text.encode())]
    assert [each.rule.id for each in inspected(sources, CHECKS).findings()] == ["check.04"]
    for said in ("", 'misplaced = {CLUSSDR = ["DEFPRTY"]}\n', 'misplaced = {CLUSRCVR = ["NETPRTY"]}\n'):
        checks = Checks(rules.with_files({path: rules.files[path].replace(stated, said)}), UNJOINED)
        with pytest.raises(FactsError, match="NETPRTY"):
            inspected(sources, checks).findings()


def test_which_queue_manager_an_alias_may_stand_for_is_said_by_the_rules_of_names() -> None:
    """One that stands for its own queue manager leads there, unless the rules of names do not resolve it again."""
    rules, path = Rules(), "resolution/03d_alias_resolved_again.toml"
    own = 'when   = "elsewhere AND names_alias'
    others = rules.with_files({path: rules.files[path].replace(own, f"{own} AND alias_leads_elsewhere")})
    script = member("QM1", "DEFINE QREMOTE(ME) RNAME(' ') RQMNAME(QM1)", "DEFINE QREMOTE(HERE) RNAME(' ') RQMNAME(' ')")
    sources = [Source("0.mqsc", script.encode())]
    told_by = [
        [each for each in inspected(sources, Checks(of, UNJOINED)).findings() if each.rule.id == "check.22"]
        for of in (rules, others)
    ]
    assert [[each.name for each in found] for found in told_by] == [[], ["ME", "HERE"]]


def test_at_which_member_it_is_told_what_a_cluster_lacks_is_said_by_the_rules_alone() -> None:
    """QM1 is the one full repository; said otherwise, it is told at the second of the others, or at QM1 itself."""
    rules, scripts = Rules(), [member("QM1"), *(member(name).replace(REPOS, "") for name in ("QM4", "QM3", "QM2"))]
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(scripts)]

    def told_at(stated: str, said: str) -> list[str]:
        terms = rules.files["terms.toml"]
        assert terms.count(stated) == 1
        checks = Checks(rules.with_files({"terms.toml": terms.replace(stated, said)}), UNJOINED)
        return [each.queue_manager for each in inspected(sources, checks).findings() if each.rule.id == "check.21"]

    assert told_at("like_members_before = 0", "like_members_before = 0") == ["QM2"]
    assert told_at("like_members_before = 0", "like_members_before = 1") == ["QM3"]
    assert sorted(told_at("(NOT repository OR partial_members = 0)", "repository")) == ["QM1"]


QUEUE_AT_QM5 = f"{QUEUE} PUT(DISABLED) TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(9) MAXDEPTH(3)"
OTHER = member(
    "QM5",
    QUEUE_AT_QM5,
    "ALTER QMGR DEADQ(' ') CLWLEXIT(x)",
    "DEFINE QLOCAL(OPEN) CLUSTER(S) GET(DISABLED)",
    "DEFINE QALIAS(LOST) TARGQ(NONE) CLUSTER(S)",
    "SUSPEND QMGR CLUSTER(S)",
    receiver="HBINT(5)",
)
OF_QM5_TO_ALL = [
    ("check.12", "TO.QM5"),
    ("check.02", "Q"),
    ("check.18", "OPEN"),
    ("check.27", "QM5"),
]
"""A channel's HBINT, PUT of a queue, who hosts it, and that a queue manager is suspended go round in a cluster."""


def seen_from(local: str | None, checks: Checks = CHECKS) -> list[tuple[str, str]]:
    texts = (member("QM4", QUEUE), OTHER, member("QM6").replace("(S)", "(A)"))
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(texts)]
    return [(each.rule.id, each.name) for each in inspected(sources, checks, local).findings()]


def test_of_what_others_have_a_member_knows_what_goes_round_in_its_clusters() -> None:
    """What QM5 keeps to itself: its exit, DEADQ, GET, where an alias leads, what triggers."""
    own = [("check.16", "QM5"), ("check.26", "QM5"), ("check.25", "OPEN"), ("check.17", "LOST"), ("check.28", "Q")]
    triggers = [each for each in seen_from("QM5") if each[0].startswith("trigger.")]
    assert sorted(seen_from("QM4")) == sorted(OF_QM5_TO_ALL)
    assert sorted(seen_from("QM5")) == sorted([*OF_QM5_TO_ALL, *own, *triggers])
    assert triggers
    assert seen_from("QM6") == [("check.21", "QM6")], "the one full repository of a cluster of its own"
    assert sorted(seen_from(None)) == sorted([*seen_from("QM5"), *seen_from("QM6")])


def test_which_attributes_go_round_in_a_cluster_is_said_by_a_term() -> None:
    rules, stated = Rules(), "'put', 'repos', 'suspend'"
    assert rules.files["terms.toml"].count(stated) == 1

    def by(said: str) -> list[tuple[str, str]]:
        files = {"terms.toml": rules.files["terms.toml"].replace(stated, said)}
        return sorted(seen_from("QM4", Checks(rules.with_files(files), UNJOINED)))

    assert by("'put', 'repos', 'suspend', 'deadq', 'get'") == sorted(
        [*OF_QM5_TO_ALL, ("check.26", "QM5"), ("check.25", "OPEN")]
    )
    assert by("'put', 'repos'") == sorted(set(OF_QM5_TO_ALL) - {("check.27", "QM5")})
