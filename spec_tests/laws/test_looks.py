"""Gets look at no more messages than the rules need, as the rules say of themselves; what is edited in them counts."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause import Cluster, QueueManager, ReadingError, RuleError, Rules, next_get
from mqclause.model.facts.messages import Message, RetrievalCall
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.retrieval import SKIPPED_CONDITIONS
from mqclause.replay.runner import Replay
from mqclause.retrieval.order import Retrieval
from mqclause.testing.case_runner import TracedRetrieval
from spec_tests.support.deep import first

LIE: list[dict[str, Any]] = [
    {"group": "Y", "sequence": 2, "last_in_group": True},
    {},
    {"group": "Z"},
    {"group": "Y"},
    {"group": "Z", "sequence": 2},
]
"""In logical order M1, Z (M2), Y (M3, M0); if an item stands where the first of it to arrive stands, Y is the first."""

NEWEST_FIRST = 'by = ["enqueued_priority DESC", "arrival DESC"]'
OWN_FIRST = """
clause = "retrieval/1.1"
title  = "What is in no group goes before groups"
after  = "retrieval.1.1"
when   = "mqi_call = 'MQGET' AND COUNT_IF(NOT in_group) > 0"

[eliminate]
where   = "in_group"
because = "it is in group {group_id}"
"""


def got(rules: Rules, *options: str) -> list[str]:
    """What a get returns of LIE, asked about the first messages alone where the rules are content with them."""
    listed = [Message(id=f"M{at}", queue="APPQ", **each) for at, each in enumerate(LIE)]
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1")])
    answers = [next_get(of, cluster, listed, "APPQ", options).got for of in (Retrieval(rules), TracedRetrieval(rules))]
    assert answers[0] == answers[1]
    return answers[0]


def edited(path: str, old: str, new: str) -> Rules:
    text = Rules().files[path]
    assert old in text
    return Rules().with_files({path: text.replace(old, new)})


def test_the_rules_are_content_with_the_first_message() -> None:
    looks = Retrieval().looks
    assert (looks.of_all, looks.ordering) == ([], [])


def test_a_rule_that_lists_messages_otherwise_is_followed_by_gets() -> None:
    path, said = "retrieval/1.1_priority_then_arrival.toml", 'by = ["enqueued_priority DESC", "arrival"]'
    assert (got(Rules()), got(Rules(), "LOGICAL_ORDER")) == (["M0"], ["M1"])
    turned = edited(path, said, NEWEST_FIRST)
    assert (got(turned), got(turned, "LOGICAL_ORDER")) == (["M4"], ["M1"])


def test_a_rule_that_leaves_out_others_is_followed_by_gets() -> None:
    """What follows in an item is M4 and M0; in logical order the item Z stands before Y."""
    turned = edited("retrieval/3.1_begins_with_the_first.toml", "NOT leads", "leads")
    assert (got(turned), got(turned, "LOGICAL_ORDER")) == (["M0"], ["M4"])


def test_what_the_rules_leave_out_a_walk_leaves_out() -> None:
    """Else each get would look at all of a queue."""
    assert {text for text, _ in Retrieval().looks.left_out_by} == {*SKIPPED_CONDITIONS}


REWORDED = {
    "5.1_uncommitted_messages_wait": (
        "unit_of_work <> '' AND (browses OR unit_of_work <> unit)",
        "NOT (unit_of_work = '' OR (unit = unit_of_work AND NOT browses))",
    ),
    "7.2a_behind_the_cursor": (
        "enqueued_priority > cursor_priority OR (enqueued_priority = cursor_priority AND arrival <= cursor_arrival)",
        "cursor_priority <= enqueued_priority AND NOT (arrival > cursor_arrival AND enqueued_priority <= cursor_priority)",
    ),
    "1.2a_matches_id": ("id <> match_id", "NOT match_id = id"),
    "3.1_begins_with_the_first": ("first_there AND NOT leads", "NOT (leads OR NOT first_there)"),
    "3.6_first_has_to_be_there": ("NOT first_there", "(TRUE AND NOT first_there) OR FALSE"),
}


@pytest.mark.parametrize("name", first(2, REWORDED))
def test_a_rule_in_other_words_is_left_to_the_walk_too(name: str) -> None:
    path, (said, other) = f"retrieval/{name}.toml", REWORDED[name]
    assert {text for text, _ in Retrieval(edited(path, f'"{said}"', f'"{other}"')).looks.left_out_by} == {
        *SKIPPED_CONDITIONS
    }
    less = Retrieval(edited(path, f'"{said}"', f'"({said}) AND in_group"')).looks
    in_words_of_calls = SKIPPED_CONDITIONS[0] if "browses" in said else said
    assert {text for text, _ in less.left_out_by} == {*SKIPPED_CONDITIONS} - {in_words_of_calls}


def test_a_rule_that_counts_messages_is_asked_about_all_of_them() -> None:
    assert got(Rules().with_files({"retrieval/1.1b_own_first.toml": OWN_FIRST})) == ["M1"]


def test_a_rule_that_counts_what_is_asked_for_is_asked_about_all_of_it() -> None:
    """M1 is the first in logical order; to say that others are asked for takes more than to look at it."""
    path = "retrieval/2247_match_options_error.toml"
    assert not looks_at_all(Rules())[1]
    turned = edited(path, "goes_on AND asked_for > 0 AND COUNT_IF(TRUE) = 0", "in_logical_order AND COUNT_IF(TRUE) > 2")
    assert looks_at_all(turned) == (False, True)
    assert (got(turned), got(turned, "LOGICAL_ORDER")) == (["M0"], [])


@pytest.mark.parametrize(
    ("offsets", "returned"), [((100, 0), ["100"]), ((0, 200, 100), ["0", "100", "200"]), ((0, 200), ["0"])]
)
def test_what_rules_return_whole_is_returned_as_far_as_it_is_there(
    offsets: tuple[int, ...], returned: list[str]
) -> None:
    """No rule asks for the first segment or for all of them; 100 bytes each, and none ends the message."""
    listed = [
        Message(id=str(offset), queue="APPQ", group="S", in_group=False, segment=True, offset=offset)
        for offset in offsets
    ]
    files = ("7.5a_found_by_its_first_segment", "7.5b_complete_message")
    turned = Rules().with_files({f"retrieval/{each}.toml": None for each in files})
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1")])
    assert next_get(Retrieval(turned), cluster, listed, "APPQ", ("COMPLETE_MSG",)).got == returned


def test_a_rule_that_passes_over_what_is_taken_already_leaves_nothing() -> None:
    after = OWN_FIRST.replace('"retrieval.1.1"', '"retrieval.7.7"').replace(" AND COUNT_IF(NOT in_group) > 0", "")
    assert got(Rules().with_files({"retrieval/1.2g_of_groups.toml": after})) == []


def test_a_reading_of_any_name_says_where_items_stand() -> None:
    """As group-position does, under a name that nothing but the two files knows."""
    name, path, files = "item-place", "retrieval/2.2a_items_then_sequence.toml", Rules().files
    known = files["readings.toml"]
    copied = known[known.index("[group-position]") :].replace("group-position", name)
    renamed = files[path].replace("group-position", name)
    rules = Rules().with_files({"readings.toml": f"{known}\n{copied}", path: renamed})
    assert (got(rules), got(rules, "LOGICAL_ORDER")) == (["M0"], ["M1"])
    turned = rules.under({name: "first-to-arrive"})
    assert (got(turned), got(turned, "LOGICAL_ORDER")) == (["M0"], ["M3"])
    assert looks_at_all(turned) == (False, True)
    with pytest.raises(ReadingError, match=f"^reading {name}: .*'first-to-arrive'; allowed: first-in-sequence$"):
        Replay(turned)


def looks_at_all(rules: Rules) -> tuple[bool, bool]:
    """Whether a get in physical order, and one in logical order, look at all of a queue."""
    looks = Retrieval(rules).looks
    calls = (RetrievalCall(mqi_call="MQGET", options=options) for options in ((), ("LOGICAL_ORDER",)))
    physical, logical = (not looks.at(call).is_first for call in calls)
    return physical, logical


def test_what_is_not_replayed_is_a_choice_besides_the_default() -> None:
    with pytest.raises(RuleError, match="'first-in-sequence' is no choice besides the default; allowed: first-to-arr"):
        edited("readings.toml", 'not_replayed = ["first-to-arrive"]', 'not_replayed = ["first-in-sequence"]')
