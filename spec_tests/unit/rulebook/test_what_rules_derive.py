"""What rules derive is what answers take it for: a key that they ask for, a word that they know, a whole number."""

from __future__ import annotations

import pytest

from mqclause import RuleError, Rules
from mqclause.documents import ADMINISTRATION, CALL, EXIT, RESOLUTION, TRIGGER, WORKLOAD
from mqclause.rulebook.rule import Declaration

RULES = Rules()
FILES = RULES.files


def changed(path: str, before: str, now: str) -> dict[str, str | None]:
    assert FILES[path].count(before) == 1, path
    return {path: FILES[path].replace(before, now)}


SUSPENDED, GRACE = "administration/01a_suspended.toml", "administration/08c_60_days_of_grace.toml"
QUEUE_FULL, RECENT = "call/2053_q_full.toml", "workload/11c_most_recently_used.toml"
ALIAS, OPENS = "resolution/06b_alias_resolved_again.toml", "exit/02e_at_an_open.toml"


@pytest.mark.parametrize(
    ("path", "before", "now", "about", "said"),
    [
        # A key of an answer that no answer has.
        (SUSPENDED, "becomes", "become", ADMINISTRATION, "settle.become: is not known: no answer is made of it; allowed: because, "),
        (SUSPENDED, "because", "becaus", ADMINISTRATION, "settle.becaus: is not known: no answer is made of it; allowed: because, "),
        (ALIAS, "leads_to ", "lead_to ", RESOLUTION, "settle.lead_to: is not known: no answer is made of it; allowed: because, "),
        # Days are whole.
        (GRACE, '"60"', '"60.5"', ADMINISTRATION, "derive.grace_period: '60.5' is a number, expected a whole number"),
        (GRACE, '"60"', '"0 - 60"', ADMINISTRATION, "derive.grace_period: '0 - 60' is never a whole number from 0"),
        (GRACE, '"60"', '"\'60\'"', ADMINISTRATION, "derive.grace_period: \"'60'\" is a text, expected a whole number"),
        ("trigger/14_counts_as_it_was_enqueued.toml", '"message_priority"', '"10"', TRIGGER, "derive.priority: '10' is never a whole number from 0 to 9"),
        # Words, also in other places than settle.
        (ALIAS, "'QALIAS'\"\nleads", "'QALAIS'\"\nleads", RESOLUTION, "settle.object_kind: 'QALAIS' is never a value here; allowed: QALIAS, "),
        (OPENS, "'CLWL_OPEN'", "'CLWL_OPN'", EXIT, "derive.exit_reason: 'CLWL_OPN' is never a value here; allowed: CLWL_OPEN, "),
        ("resolution/01a_local_alias_alone.toml", "'queue manager'", "'queu'", RESOLUTION, "when: column 1: 'queu' is never a value here; allowed: "),
        # By way of a term, also under another reading: the rule is where it becomes an answer.
        ("terms.toml", "is    = \"'STOPPED'\"", "is    = \"'STOPED'\"", ADMINISTRATION, "settle.becomes: 'STOPED' is never a value here; allowed: "),
        # What an action cannot do.
        (QUEUE_FULL, '= "mqi_call"', "= \"'MQPT'\"", CALL, "fail_with.call: 'MQPT' is no call; allowed: MQOPEN, MQPUT, MQPUT1, MQGET, MQCLOSE, CLEAR QLOCAL; did you mean 'MQPUT'?"),
        (RECENT, '"clwlmruc"\ncounts  = ["channel", "queue_manager"]\nties    = "first', '"1.5"\nties    = "first', WORKLOAD, "keep.at_most: '1.5' is a number, expected a whole number"),
        ("trigger/08_trigger_monitor_is_waiting.toml", 'mqsc   = "START CHINIT"', 'mqsc = "START CHINIT"\nshell = "strmqm"', TRIGGER, "holds.remedy.shell: stands beside mqsc; a remedy has one command"),
    ],
)  # fmt: skip
def test_what_no_answer_can_be_made_of(path: str, before: str, now: str, about: Declaration, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        RULES.with_files(changed(path, before, now)).ruleset(about)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_days_may_be_reckoned() -> None:
    """What is a whole number from 0 for some values of its words is one."""
    assert RULES.with_files(changed(GRACE, '"60"', '"lifetime * 2 - age"')).ruleset(ADMINISTRATION)
