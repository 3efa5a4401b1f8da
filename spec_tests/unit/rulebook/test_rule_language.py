"""The rule format: what a rule file may say, and what is said of one that cannot be used."""

from __future__ import annotations

import pickle

import pytest

from mqclause import ReadingError, RuleError, Rules
from mqclause.documents import WORKLOAD
from mqclause.rulebook.rule import Choose, Eliminate, Keep

RULES = Rules()


def changed(text: str, path: str = "workload/04a_channel_rank.toml") -> Rules:
    """The rules, but for one file that holds ``text``."""
    return RULES.with_files({path: text})


def fault(text: str, name: str = "04a_channel_rank.toml") -> str:
    """What is said when the rule file ``name`` holds ``text``."""
    with pytest.raises(RuleError) as caught:
        changed(text, f"workload/{name}").ruleset(WORKLOAD)
    return str(caught.value)


def eliminating(where: str, because: str = "it is so", more: str = "") -> str:
    return f'clause = "workload/4a"\ntitle = "T"\n{more}\n[eliminate]\nwhere = "{where}"\nbecause = "{because}"\n'


def test_rules_come_in_the_order_of_their_file_names() -> None:
    clauses = [rule.clause for rule in Rules().ruleset(WORKLOAD).rules]
    assert list(dict.fromkeys(clauses)) == [
        "1", "2", "3", "4", "4a", "4b", "5", "6", "7", "8", "9", "10", "11", "11a", "11b", "11c", "12", "note",
    ]  # fmt: skip


def test_a_rule_has_id_clause_and_action() -> None:
    rule = Rules().ruleset(WORKLOAD).rule("workload.04a")
    assert (rule.clause, rule.path) == ("4a", "workload/04a_channel_rank.toml")
    assert isinstance(rule.action, Keep)
    assert rule.action.best == "highest"


def test_a_reading_replaces_the_action() -> None:
    prefer = Rules().ruleset(WORKLOAD).rule("workload.10")
    only = Rules({"manual-cluster-senders": "only"}).ruleset(WORKLOAD).rule("workload.10")
    assert isinstance(prefer.action, Keep)
    assert isinstance(only.action, Eliminate)


def test_a_reading_replaces_the_precondition_alone() -> None:
    always = Rules({"suspended-with-local": "always"}).ruleset(WORKLOAD).rule("workload.05")
    assert always.when is not None
    assert always.when.sql() == "TRUE"
    assert isinstance(always.action, Keep)


def test_choosing_by_condition_and_by_order() -> None:
    ruleset = Rules().ruleset(WORKLOAD)
    local, least = ruleset.rule("workload.03a").action, ruleset.rule("workload.12c").action
    assert isinstance(local, Choose)
    assert isinstance(least, Choose)
    assert (local.where is not None, len(local.by), len(least.by)) == (True, 0, 2)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("chanel_rank > 1", "column 1: 'chanel_rank' is not an attribute, a derived fact or a term; did you mean 'channel_rank'?"),
        ("is_local AND chanel_rank > 1", "column 14: 'chanel_rank' is not"),
        ("channel_status = 'RUNING'", "column 1: 'RUNING' is never a value here; allowed: INACTIVE, RUNNING,"),
        ("channel_status IN ('RUNNING', 'STOPED')", "'STOPED' is never a value here"),
        ("channel_status = 'retrying'", "PAUSED, STOPPED, SWITCHING; did you mean 'RETRYING'?"),
        ("is_local = 1", "column 1: 'is_local = 1' compares true or false with a whole number"),
        ("channel_rank", "'channel_rank' is a whole number, expected true or false"),
        ("NOT channel_rank", "'channel_rank' is a whole number, expected true or false"),
        ("queue < 'M'", "orders a text; only numbers have an order"),
        ("channel_rank + queue > 1", "only numbers can be reckoned with"),
        ("ARRAY_CONTAINS(queue, 'Q')", "'queue' is a text, expected a list of names"),
        ("channel_rank IN (SELECT 1)", "IN takes a list of values"),
        ("channel_rank > 1 AND", "not an expression"),
        ("channel_rank > 'a", "not an expression"),
        ("__import__('os')", "is not allowed here; allowed: AND, OR, NOT"),
        ("EXISTS(SELECT 1)", "is not allowed here"),
        ("queue LIKE 'A%'", "is not allowed here"),
        ("queue IS NULL", "is not allowed here"),
        ("put.queue = 'Q'", "words have no dots"),
        ("CASE WHEN is_local THEN 1 END = 1", "write CASE WHEN … THEN … ELSE … END"),
        ("DROP TABLE x", "is not allowed here"),
    ],
)  # fmt: skip
def test_a_condition_outside_the_language(where: str, said: str) -> None:
    message = fault(eliminating(where))
    assert message.startswith("rules/workload/04a_channel_rank.toml: eliminate.where: ")
    assert said in message
    assert "\n" not in message


def test_a_precondition_is_not_about_one_destination() -> None:
    message = fault(eliminating("is_local", more='when = "is_local"'))
    assert message == (
        "rules/workload/04a_channel_rank.toml: when: column 1: 'is_local' is an attribute of one destination;"
        " here it may stand only inside COUNT_IF(…)"
    )


def test_counting_is_about_all_that_remain() -> None:
    counting = eliminating("is_local", more='when = "COUNT_IF(channel_rank > 3) > 1"')
    assert changed(counting).ruleset(WORKLOAD).rule("workload.04a").when is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('clause = "workload/4a"', "title: is missing"),
        ('title = "T"', "clause: is missing"),
        ('clause = "trigger/4a"\ntitle = "T"', "clause: 'trigger/4a' is not a clause of workload/…"),
        ('clause = "workload/4a"\ntitle = "T"', "a rule has one action, here 0"),
        ('clause = "workload/4a"\ntitle = "T"\n[elimnate]\nwhere = "TRUE"', "elimnate: is not a key of a rule; allowed: clause, "),
        (eliminating("TRUE") + '[choose]\nwhere = "TRUE"\nbecause = "b"', "a rule has one action, here 2"),
        (eliminating("TRUE") + 'wher = "x"', "eliminate.wher: is not known; allowed: where, because; did you mean 'where'?"),
        (eliminating("TRUE", "rank {chanel_rank}"), "eliminate.because: {chanel_rank} is not a word; did you mean 'channel_rank'?"),
        (eliminating("TRUE", "rank {channel_rank"), "eliminate.because:"),
        ('clause = "workload/4a"\ntitle = "T"\n[keep]\nbecause = "b"', "keep: states highest or lowest, one of them"),
        ('clause = "workload/4a"\ntitle = "T"\n[keep]\nhighest = "queue"\nbecause = "b"', "keep.highest: a text has no highest or lowest"),
        ('clause = "workload/4a"\ntitle = "T"\n[derive]\nof = "all"\nx = "1"', "derive.of: 'all' is not allowed; allowed: situation, chosen, every"),
        ('clause = "workload/4a"\ntitle = "T"\n[derive]\nremaining = "1"', "derive.remaining: is already a fact"),
        ('clause = "workload/4a"\ntitle = "T"\n[fail_with]\nreason = "MQRC_NOPE"\ncall = "mqi_call"\nbecause = "b"', "fail_with.reason: 'MQRC_NOPE' is not a reason code that we know"),
        ('clause = "workload/4a"\ntitle = "T"\nleave_out = "yes"', "leave_out: 'yes' is not true or false"),
        (eliminating("TRUE") + '[reading."mru-ties=all"]\nwhen = "TRUE"', "is not a reading=choice of rules/readings.toml; did you mean 'mru-ties=any'?"),
        ("clause = ", "is not TOML:"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_rule(text: str, said: str) -> None:
    message = fault(text)
    assert message.startswith("rules/workload/04a_channel_rank.toml: ")
    assert said in message


def test_all_that_is_wrong_with_a_file_is_told_at_once() -> None:
    """Of a key the first fault; what follows from a fault elsewhere, like a best by no known word, is none of its own."""
    told = fault(
        'clause = "workload/4a"\nwhen = "remaning > 1"\n[keep]\nhighest = "chanel_rank"\namong = "1 + 1"\n'
        'because = "{chanel_rank} is below {highest}"\n'
    ).splitlines()
    path = "rules/workload/04a_channel_rank.toml"
    assert [each.removeprefix(f"{path}: ").split(": ")[0] for each in told] == [
        "title", "when", "keep.highest", "keep.among", "keep.because",
    ]  # fmt: skip
    assert told[0] == f"{path}: title: is missing"
    assert told[3] == f"{path}: keep.among: '1 + 1' is a whole number, expected true or false"
    assert all("did you mean" in told[at] for at in (1, 2, 4))


def test_what_is_wrong_with_a_file_pickles() -> None:
    with pytest.raises(RuleError) as caught:
        changed('title = ""\nwhen = "nothing"\n', "workload/04a_channel_rank.toml").ruleset(WORKLOAD)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_file_name_gives_the_number() -> None:
    assert "a rule file is named like 04a_channel_rank.toml" in fault(eliminating("TRUE"), "Rank.toml")


def test_a_derived_fact_is_known_to_later_rules_only() -> None:
    message = fault(eliminating("balanced"))
    assert "'balanced' is not an attribute, a derived fact or a term" in message


def test_a_term_explained_by_itself() -> None:
    circle = '[workload.circle]\nis = "circle"\nmeans = "itself"\n'
    with pytest.raises(RuleError, match=r"rules/terms\.toml: workload\.circle: is explained by itself"):
        changed(RULES.files["terms.toml"] + circle, "terms.toml").ruleset(WORKLOAD)


def test_a_reading_that_is_not_known() -> None:
    with pytest.raises(ReadingError, match=r"reading 'mru-tie' is not known; allowed: .*; did you mean 'mru-ties'\?$"):
        Rules({"mru-tie": "any"}).ruleset(WORKLOAD)


def test_a_choice_that_is_not_known() -> None:
    with pytest.raises(ReadingError, match=r"reading mru-ties: 'all' is not a choice; allowed: keep-first-listed, any"):
        Rules({"mru-ties": "all"}).ruleset(WORKLOAD)
