"""What states each sentence, which cases hold it, and what a rule rests on."""

from __future__ import annotations

import json

import pytest

from mqclause import Rules
from mqclause.audit.accounts import describe_rule, list_sentences
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case_files import get_cases_folder
from mqclause.rulebook.rule import ReadingError

RULES = Rules()

PLANTED = """
document = "call"
title    = "Planted"
[[clause]]
path = "2053.8"
number = "2053"
says = "Named by no case."
rules = ["call.2053"]
project = "planted"
[[clause]]
path = "2053.9"
number = "2053"
says = "Stated by a rule that is not there."
rules = ["call.2099"]
project = "planted"
"""


@pytest.mark.parametrize("document", ["workload", "trigger", "call", "exit"])
def test_each_sentence_of_ours_is_met(document: str) -> None:
    found = list_sentences(RULES, document)
    assert [each.clause.path for each in found if each.state == "unmet"] == []
    assert all(each.cases for each in found if each.state == "stated")
    assert json.loads(json.dumps([each.to_json() for each in found]))


def test_what_becomes_of_a_sentence() -> None:
    found = {each.clause.path: each for each in list_sentences(RULES, "workload")}
    assert found["preface.1"].state == "no rule"
    assert found["preface.1"].cases == ()
    ranked = next(each for each in found.values() if each.clause.rules == ("workload.04b",))
    assert ranked.state == "stated"
    assert "workload/04b_queue_rank.toml" in {each.partition(":")[0] for each in ranked.cases}
    said = [each for document in DOCUMENTS for each in list_sentences(RULES, document) if each.clause.program]
    assert {each.state for each in said} == {"stated by the program"}


def test_a_sentence_without_its_rule_or_without_a_case_is_unmet() -> None:
    spoilt = RULES.with_files({"documents/planted.toml": PLANTED})
    unmet = [each.clause.path for each in list_sentences(spoilt, "call") if each.state == "unmet"]
    assert unmet == ["2053.8", "2053.9"]


def test_what_changes_a_sentence() -> None:
    """From 8.0 on put-disabled ones are looked for after rank. 11c and 4a look at remote instances, and what is one is a
    term that a reading changes; who of equals stays at CLWLMRUC is another reading, of 11c alone.
    """
    of_rule = {each.clause.rules[0]: each for each in list_sentences(RULES, "workload") if each.clause.rules}
    assert of_rule["workload.11c"].readings == ("mru-ties=any", "local-instance-competes=clusrcvr-channels")
    assert of_rule["workload.01a"].editions == ("mq-8.0",)
    assert describe_rule(RULES, "workload.04a").readings == ("local-instance-competes=clusrcvr-channels",)


def test_what_a_rule_rests_on() -> None:
    found = describe_rule(RULES, "workload.04a")
    assert (found.path, found.clause) == ("workload/04a_channel_rank.toml", "4a")
    assert found.sentences
    assert all(each.startswith("workload/4a") for each in found.sentences)
    assert found.terms["remote"] == "the destination counts as a remote instance"
    assert len(found.cases) == (get_cases_folder() / found.path).read_text().count("[[case]]")
    later = describe_rule(RULES, "workload.04d")
    assert later.editions
    with pytest.raises(ReadingError, match=r"workload\.99: there is no such rule"):
        describe_rule(RULES, "workload.99")
