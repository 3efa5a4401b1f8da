"""One rule edited: the answers that its sentence is about change, each as worked out by hand, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import Any

import pytest
from attrs import frozen

from mqclause import RuleError, Rules
from mqclause.exits import MQWXP
from mqclause.model.timeline.administration import Information, RepositoryContent, Request
from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.administration import AdministrationRules, build_retention
from mqclause.replay.runner import Replay
from mqclause.retrieval.order import Retrieval
from spec_tests.support.deep import every

RULES = Rules()
Facts = Mapping[str, Any]
NOTHING: Facts = MappingProxyType({})

# ---- what is asked: scenes, each with its events; an answer is called by the scene and the number of its event


def cluster(*, here: Facts | None = None, local: Facts | None = None, q2: Facts = NOTHING, q3: Facts = NOTHING, c2: Facts = NOTHING,
            c3: Facts = NOTHING, m2: Facts = NOTHING, more: tuple[Facts, ...] = ()) -> dict[str, Any]:  # fmt: skip
    """QM1 with the queue ORDERS on QM2 and QM3, each behind a channel of its own; ``local``: here, too."""
    own = [] if local is None else [{"name": "ORDERS", "clusters": ["C"], **local}]
    return {
        "queue_manager": {"name": "QM1", "clusters": ["C"], **(here or {})},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["C"], **m2}, {"name": "QM3", "clusters": ["C"]}],
        "queue": [
            *own,
            {"name": "ORDERS", "queue_manager": "QM2", "clusters": ["C"], **q2},
            {"name": "ORDERS", "queue_manager": "QM3", "clusters": ["C"], **q3},
        ],
        "channel": [
            {"name": "C2", "queue_manager": "QM2", "cluster": "C", **c2},
            *more,
            {"name": "C3", "queue_manager": "QM3", "cluster": "C", **c3},
        ],
    }


def triggered(*, here: Facts = NOTHING, init: Facts = NOTHING, **queue: Any) -> dict[str, Any]:
    return {
        "queue_manager": {"name": "QM1", **here},
        "queue": [
            {"name": "WORK", "trigger": True, "process": "P", "initq": "INIT", **queue},
            {"name": "INIT", **init},
        ],
        "process": [{"name": "P"}],
    }


def lying(*messages: Facts, **queue: Any) -> dict[str, Any]:
    return {
        "queue_manager": {"name": "QM1"},
        "queue": [{"name": "PARTS", **queue}],
        "message": [{"queue": "PARTS", **each} for each in messages],
    }


PUT, WORK, MONITOR = {"do": "put", "queue": "ORDERS"}, {"do": "put", "queue": "WORK"}, {"do": "open", "queue": "INIT"}
OFF = {"put": "DISABLED"}
Y1, Y2 = {"id": "Y1", "group": "Y"}, {"id": "Y2", "group": "Y", "sequence": 2, "last_in_group": True}
A, B = {"id": "A"}, {"id": "B"}


def get(*options: str, **given: Any) -> dict[str, Any]:
    return {"do": "get", "queue": "PARTS", "options": [*options], **given}


def alter(**given: Any) -> dict[str, Any]:
    return {"do": "alter", "set": given.pop("to"), **given}


FIRST, NEXT, LOGICAL, ALL = "BROWSE_FIRST", "BROWSE_NEXT", "LOGICAL_ORDER", "ALL_MSGS_AVAILABLE"

SCENES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "rank": (cluster(c2={"clwlrank": 5}), [PUT]),
    "suspended": (cluster(m2={"suspended": ["C"]}), [PUT]),
    "stopped": (cluster(c2={"status": "STOPPED"}), [PUT]),
    "two ways": (
        cluster(
            c2={"dest_seq_factor": 50.0},
            more=({"name": "C2B", "queue_manager": "QM2", "cluster": "C", "netprty": 9, "dest_seq_factor": 100.0},),
        ),
        [PUT],
    ),
    "recent": (
        cluster(here={"clwlmruc": 1}, c2={"dest_seq_number": 9, "dest_seq_factor": 100.0}, c3={"dest_seq_number": 8}),
        [PUT],
    ),
    "factors": (
        cluster(
            c2={"dest_seq_factor": 100.0, "dest_seq_number": 5}, c3={"dest_seq_factor": 300.0, "dest_seq_number": 4}
        ),
        [PUT, alter(channel="C3", to={"clwlwght": 20}), PUT],
    ),
    "steps": (cluster(c3={"dest_seq_factor": 15.0}), [PUT, PUT]),
    "priority": (cluster(q3={"clwlprty": 5}), [PUT]),
    "local": (cluster(local={"clwluseq": "ANY"}, q2={"clwlprty": 5}), [PUT]),
    "disabled": (
        cluster(q2=OFF, q3=OFF),
        [
            {"do": "open", "queue": "ORDERS", "mode": "OUTPUT", "bind": "NOTFIXED", "by": "S"},
            {"do": "open", "queue": "ORDERS", "mode": "OUTPUT", "bind": "OPEN", "by": "T"},
            PUT,
        ],
    ),
    "first": (triggered(here={"trigint": 100}), [MONITOR, WORK, {**WORK, "at": 100}, {**WORK, "at": 250}]),
    "depth": (triggered(trigtype="DEPTH", trigdpth=3), [MONITOR, WORK, WORK, WORK]),
    "served": (triggered(trigtype="EVERY"), [MONITOR, {"do": "open", "queue": "WORK", "by": "S"}, WORK]),
    "held": (
        triggered(trigtype="EVERY"),
        [MONITOR, {**WORK, "unit_of_work": "U"}, {"do": "backout", "unit_of_work": "U"}],
    ),
    "unwatched": (triggered(trigger=False), [WORK, alter(queue="WORK", to={"trigger": True})]),
    "switched": (
        triggered(trigger=False),
        [MONITOR, {"do": "open", "queue": "WORK", "by": "S"}, WORK, alter(queue="WORK", to={"trigger": True})],
    ),
    "monitors": (triggered(), [WORK, MONITOR, {**MONITOR, "by": "SECOND"}]),
    "no gets": (triggered(get="DISABLED"), [MONITOR, WORK]),
    "no room": (triggered(init=OFF), [MONITOR, WORK]),
    "fifo": (triggered(msgdlvsq="FIFO", trigmpri=5), [MONITOR, {**WORK, "priority": 9}]),
    "places": (lying({"id": "LOW", "priority": 1}, {"id": "HIGH", "priority": 9}), [get()]),
    "as enqueued": (lying({"id": "LOW"}, {"id": "HIGH", "priority": 9}, msgdlvsq="FIFO"), [get()]),
    "items": (lying(A, B), [get(LOGICAL)]),
    "ways": (lying(A, B), [get(FIRST, LOGICAL), get(NEXT)]),
    "apart": (lying(Y1, A, Y2), [get(LOGICAL), get(NEXT, LOGICAL), get(LOGICAL)]),
    "anew": (lying(Y1, Y2), [get(FIRST, LOGICAL), get(FIRST, LOGICAL)]),
    "no first": (lying(Y2), [get(LOGICAL)]),
    "the second": (lying(Y1, Y2), [get(LOGICAL, match={"sequence": 2})]),
    "within": (lying(Y1, A, Y2), [get(FIRST, LOGICAL), get(NEXT, LOGICAL)]),
    "all of it": (lying(Y1, Y2), [get(LOGICAL, ALL), get(LOGICAL, ALL)]),
    "in part": (lying(Y1), [get(ALL)]),
    "uncommitted": (lying({**Y1, "unit_of_work": "U"}), [get(), get(FIRST, LOGICAL)]),
    "fails": (
        {**cluster(c2={"status": "STOPPED"}), "in_flight": [{"id": "M", "queue": "ORDERS", "channel": "C2"}]},
        [{"do": "fail", "queue_manager": "QM2"}],
    ),
    "in doubt": (
        {**cluster(), "in_flight": [{"id": "M", "queue": "ORDERS", "channel": "C2", "in_doubt": True}]},
        [{"do": "fail", "queue_manager": "QM2"}],
    ),
    "quiesces": (cluster(), [{"do": "suspend", "queue_manager": "QM2", "cluster": "C"}]),
    "refresh": (cluster(m2={"repository": True}), [{"do": "refresh", "cluster": "C"}]),
    "arrives": (
        {
            "queue_manager": {"name": "QM1", "clusters": ["C"], "deadq": "DEAD"},
            "queue": [{"name": "ORDERS", "clusters": ["C"], **OFF}, {"name": "DEAD"}],
        },
        [{"do": "arrive", "queue": "ORDERS", "id": "M"}],
    ),
}


def told(row: Mapping[str, Any]) -> str:
    """What an event led to, in few words."""
    routed = row.get("routed") or {}
    parts = [
        str(routed.get("queue_manager") or ""),
        *(str(row["reason"]) for _ in range(1) if row.get("reason")),
        *(str(routed["failed"]["code"]) for _ in range(1) if "failed" in routed),
        *(each["rule"] for each in row["trigger_messages"]),
        *("released" for _ in row["released"]),
        *row.get("got", ()),
        *(f"{each['message']} {each['fate']}" for each in row.get("fates", ())),
        *(f"{each['channel']} {each['value']}" for each in row["changed"] if "channel" in each),
        *(f"removed {each['channel']}" for each in row.get("removed", ()) if "channel" in each),
    ]
    return " ".join(each for each in parts if each)


def answers(rules: Rules) -> dict[str, str]:
    """The answer to each event of each scene, and what is held on certain days."""
    replay, found = Replay(rules), dict[str, str]()
    for name, (facts, events) in SCENES.items():
        rows = replay.rows(build_scenario({**facts, "event": events}, name))
        found |= {f"{name}.{row.number}": told(row.to_json()) for row in rows}
    for name in ("places", "as enqueued"):
        scenario = build_scenario({**SCENES[name][0], "event": []}, name)
        [order] = Retrieval(rules).orders(scenario.messages, scenario.cluster)
        found[f"{name}.order"] = " ".join(each.id for each in order.physical)
    return found | dict(on_days(rules))


def on_days(rules: Rules) -> Iterator[tuple[str, str]]:
    held = RepositoryContent(
        (Information("ORDERS", "QM2", date(2026, 1, 1)),), (Request("ORDERS", "QM3", date(2026, 1, 1)),)
    )
    for day in (date(2026, 1, 30), date(2026, 4, 5)):
        found = build_retention(AdministrationRules(rules), held, day).document()
        [information], [request] = found["information"], found["requests"]
        yield f"information {day}", f"{information['state']} {information['owner_in_cluster']}"
        yield f"request {day}", str(request["check_due"])


@cache
def as_delivered() -> dict[str, str]:
    return answers(RULES)


def test_as_worked_out_by_hand() -> None:
    said = {
        "rank.0": "QM2", "suspended.0": "QM3", "stopped.0": "QM3", "two ways.0": "QM3", "recent.0": "QM2",
        "factors.0": "QM2", "factors.2": "QM3", "steps.0": "QM2", "steps.1": "QM3", "priority.0": "QM3",
        "local.0": "QM2", "disabled.0": "", "disabled.1": "2268", "disabled.2": "2051",
        "first.1": "trigger.01-10", "first.2": "trigger.11", "first.3": "trigger.11",
        "depth.2": "", "depth.3": "trigger.01-10", "served.2": "trigger.01-10", "held.1": "trigger.01-10", "held.2": "",
        "unwatched.1": "trigger.13", "switched.3": "", "monitors.1": "trigger.13.3", "monitors.2": "",
        "no gets.1": "trigger.01-10", "no room.1": "", "fifo.1": "",
        "places.0": "HIGH", "places.order": "HIGH LOW", "as enqueued.0": "LOW", "as enqueued.order": "LOW HIGH",
        "items.0": "A", "ways.1": "2259", "apart.0": "Y1", "apart.1": "A", "apart.2": "Y2", "anew.1": "Y1",
        "no first.0": "2033", "the second.0": "2033", "within.1": "Y2", "all of it.1": "Y2", "in part.0": "2033",
        "uncommitted.0": "2033", "uncommitted.1": "2033",
        "fails.0": "M rerouted", "in doubt.0": "M waits C2 RETRYING", "quiesces.0": "", "refresh.0": "removed C3",
        "arrives.0": "M dead_lettered",
        "information 2026-01-30": "current True", "information 2026-04-05": "removed False",
        "request 2026-01-30": "2026-01-28",
    }  # fmt: skip
    found = as_delivered()
    assert {name: found[name] for name in said} == said


@frozen
class Edit:
    """One change of one rule, or of a term (``terms.toml`` and its name): the text that goes and the one that comes.

    ``changes`` are the answers that become others.
    """

    path: str
    old: str
    new: str
    changes: dict[str, str]


T, W, R, D = "trigger", "workload", "retrieval", "administration"
EDITS = [
    Edit(f"{W}/04a_channel_rank", "highest", "lowest", {"rank.0": "QM3"}),
    Edit(f"{W}/05_resumed_first", '"remaining_local = 0"', '"FALSE"', {"suspended.0": "QM2"}),
    Edit(f"{W}/06_inactive_or_running", "('INACTIVE', 'RUNNING')", "('INACTIVE', 'RUNNING', 'STOPPED')",
         {"stopped.0": "QM2"}),
    Edit(f"{W}/11_network_priority", 'per     = "queue_manager"', "", {"two ways.0": "QM2"}),
    Edit(f"{W}/11c_most_recently_used", '"clwlmruc"', '"clwlmruc + 1"', {"recent.0": "QM3"}),
    Edit(f"{W}/12a_reset_factors", '"attributes_altered OR destination_added"', '"FALSE"', {"factors.2": "QM2"}),
    Edit(f"{W}/12d_advance_factor", "1000.0", "500.0", {"steps.1": "QM2"}),
    Edit("outcome/2268_cluster_put_inhibited", "all_put_disabled AND fixed AND", "all_put_disabled AND", {"disabled.0": "2268"}),
    Edit(f"{W}/03a_queue_uses_local", " AND clwluseq = 'LOCAL'", "", {"local.0": "QM1"}),
    Edit(f"{W}/11b_queue_priority", "highest", "lowest", {"priority.0": "QM2", "local.0": "QM1"}),
    Edit("terms:trigger.depth_is_met", "counted_before < trigdpth AND reached >= trigdpth", "reached = trigdpth - 1",
         {"depth.2": "trigger.01-10", "depth.3": ""}),
    Edit(f"{T}/04_nobody_serves_the_queue", "\"effective_trigtype IN ('FIRST', 'DEPTH')\"", '"TRUE"', {"served.2": ""}),
    Edit(f"{T}/10b_released_with_the_unit_of_work", "('FIRST', 'DEPTH')", "('FIRST', 'DEPTH', 'EVERY')", {"held.2": "released"}),
    Edit(f"{T}/11c_trigger_interval_has_elapsed", "since_last_trigger >= trigint", "since_last_trigger > trigint", {"first.2": ""}),
    Edit(f"{T}/13_criteria_change", '["8"]', '["4"]', {"unwatched.1": "", "switched.3": "trigger.13"}),
    Edit(f"{T}/13.3b_no_other_monitor", '"monitors_before = 0 AND monitors_elsewhere = 0"', '"TRUE"', {"monitors.2": "trigger.13.3"}),
    Edit(f"{T}/05a_get_enabled_on_zos", "platform = 'ZOS' AND ", "", {"no gets.1": ""}),
    Edit(f"{T}/07b_initiation_queue_put_enabled", "\"initq_put = 'ENABLED'\"", '"TRUE"', {"no room.1": "trigger.01-10"}),
    Edit("terms:retrieval.enqueued_priority", "CASE WHEN fifo THEN defprty ELSE priority END", "priority",
         {"fifo.1": "trigger.01-10", "as enqueued.0": "HIGH", "as enqueued.order": "HIGH LOW"}),
    Edit(f"{R}/1.1_priority_then_arrival", '["enqueued_priority DESC", "arrival"]', '["arrival"]',
         {"places.0": "LOW", "places.order": "LOW HIGH"}),
    Edit(f"{R}/2.2a_items_then_sequence", '"item_priority DESC", "item_arrival",', '"item_priority DESC", "item_arrival DESC",',
         {"items.0": "B", "ways.0": "B", "apart.0": "A", "apart.1": "Y1", "apart.2": "Y1", "within.0": "A", "within.1": "2033"}),
    Edit(f"{R}/3.2_browse_as_begun", 'when   = "', 'when   = "FALSE AND ', {"ways.1": "B"}),
    Edit(f"{R}/3.3_browses_apart_from_gets", "CASE WHEN browses THEN browse_in_group ELSE get_in_group END", "get_in_group",
         {"apart.1": "2033", "within.1": "A"}),
    Edit(f"{R}/3.4_browse_first_starts_anew", "ARRAY_CONTAINS(options, 'BROWSE_FIRST')", "FALSE", {"anew.1": "Y2"}),
    Edit(f"{R}/3.6_first_has_to_be_there", '"NOT first_there"', '"FALSE"', {"no first.0": "Y2"}),
    Edit(f"{R}/3.1_begins_with_the_first", '"first_there AND NOT leads"', '"FALSE"', {"the second.0": "Y2"}),
    Edit(f"{R}/3.7_within_a_group_the_browse_goes_on", '"NOT next_of_browse"', '"FALSE"', {"within.1": "Y1"}),
    Edit(f"{R}/4.2_all_messages_available", " AND NOT goes_on", "", {"all of it.1": "2033"}),
    Edit(f"{R}/5.1_uncommitted_messages_wait", "unit_of_work <> '' AND (browses OR unit_of_work <> unit)", "FALSE",
         {"uncommitted.0": "Y1", "uncommitted.1": "Y1"}),
    Edit(f"{D}/05a_routes_retry", " AND status <> 'STOPPED'", "", {"fails.0": "M rerouted C2 RETRYING"}),
    Edit(f"{D}/05c_in_doubt_waits", "asked = 'fail' AND in_doubt", "FALSE", {"in doubt.0": "M rerouted C2 RETRYING"}),
    Edit(f"{D}/02d_channels_to_full_repositories_stay", " AND full_repository", " AND FALSE", {"refresh.0": "removed C2 removed C3"}),
    Edit(f"{D}/07d_dead_letter_queue", " AND dead_letter_queue", " AND NOT dead_letter_queue", {"arrives.0": "M returned"}),
    Edit(f"{D}/01b_forced", " AND mode_in_force = 'FORCE'", "", {"quiesces.0": "C2 STOPPED"}),
    Edit(f"{D}/08a_held_for_30_days", '"30"', '"28"', {"information 2026-01-30": "grace True"}),
    Edit(f"{D}/08h_leaves_the_cluster", "<= 90", "<= 100", {"information 2026-04-05": "removed True"}),
    Edit(f"{D}/08j_request_checked_after_27_days", '"27"', '"28"', {"request 2026-01-30": "2026-01-29", "request 2026-04-05": "2026-01-29"}),
]  # fmt: skip


def edited(edit: Edit) -> Rules:
    """The rules with the change."""
    kind, _, term = edit.path.partition(":")
    if term:
        text = RULES.files["terms.toml"]
        start = text.index(f"[{term}]\n")
        before, after = text[:start], text[start:]
        assert edit.old in after.partition("\n\n")[0]
        return RULES.with_files({"terms.toml": before + after.replace(edit.old, edit.new, 1)})
    text = RULES.files[f"{kind}.toml"]
    assert edit.old in text
    return RULES.with_files({f"{kind}.toml": text.replace(edit.old, edit.new)})


@pytest.mark.parametrize("edit", every(2, EDITS), ids=lambda edit: edit.path)
def test_an_edit_changes_just_the_answers_of_its_sentence(edit: Edit) -> None:
    found, before = answers(edited(edit)), as_delivered()
    assert {name: answer for name, answer in found.items() if answer != before[name]} == edit.changes


def takes_the_second(call: MQWXP) -> None:
    """An exit that takes the second destination and answers in a word of its own where CLWLDATA says so."""
    call.DestinationChosen = 2
    if call.ExitData == "WORD":
        call.ExitResponse = "WHATEVER"


EXIT = {"clwlexit": "PICK"}
OPENED = {"do": "open", "queue": "ORDERS", "mode": "OUTPUT", "bind": "NOTFIXED"}
EXIT_SCENES = {
    "word": (cluster(here={**EXIT, "clwldata": "WORD"}), [PUT]),
    "later": (cluster(), [alter(to=EXIT), PUT, {"do": "restart"}, PUT]),
    "moved": (
        {**cluster(here=EXIT), "in_flight": [{"id": "M", "queue": "ORDERS", "channel": "C3"}]},
        [{"do": "fail", "queue_manager": "QM3"}],
    ),
}
EXIT_EDITS = [
    Edit("", "", "", {}),
    Edit("exit/10j_any_other_word", "MQRC_STOPPED_BY_CLUSTER_EXIT", "MQRC_CLUSTER_EXIT_ERROR", {"word.0": "2266"}),
    Edit("exit/02a_name_from_the_start", '"exit_at_start"', '"clwlexit"', {"later.1": "QM3"}),
    Edit("exit/02c_destination_is_not_fixed", " OR bind <> 'OPEN' OR mqi_call = 'MQPUT1'", "", {"moved.0": "M rerouted C3 RETRYING"}),
]  # fmt: skip


@pytest.mark.parametrize("edit", EXIT_EDITS, ids=lambda edit: edit.path)
def test_so_does_one_of_a_rule_of_exits(edit: Edit) -> None:
    """PICK takes the second destination, QM3; a message that QM3 does not get stays there (it chose the failed one)."""
    found = {
        "word.0": "2188",
        "later.0": "",
        "later.1": "QM2",
        "later.2": "",
        "later.3": "QM3",
        "moved.0": "M waits C3 RETRYING",
    }
    rules = edited(edit) if edit.path else RULES
    with Replay(rules, exits={"PICK": takes_the_second}) as replay:
        for name, (facts, events) in EXIT_SCENES.items():
            for row in replay.rows(build_scenario({**facts, "event": events}, name)):
                answer = told(row.to_json())
                assert answer == edit.changes.get(f"{name}.{row.number}", found[f"{name}.{row.number}"])


def test_an_answer_of_an_exit_that_no_rule_speaks_of_is_told() -> None:
    other = Edit("exit/10j_any_other_word", "'SUPPRESS_EXIT')", "'SUPPRESS_EXIT', 'WHATEVER')", {})
    facts, events = EXIT_SCENES["word"]
    with Replay(edited(other), exits={"PICK": takes_the_second}) as replay:
        [row] = replay.rows(build_scenario({**facts, "event": events}, "word"))
        with pytest.raises(RuleError, match="^rules/exit/: no rule says what the exit's answer 'WHATEVER' comes to$"):
            row.to_json()
