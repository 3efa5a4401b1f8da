"""Executors agree on all situations that a rule tells apart, within a bound."""

from __future__ import annotations

import re

import pytest

from mqclause import Rules
from mqclause.audit.proof import list_told_apart, prove_agreement
from mqclause.documents import CALL, OUTCOME, WORKLOAD
from mqclause.executors.pipeline import Pipeline, find_chaining_fault
from spec_tests.support.explain_command import run

EDITIONS = ("wmq-6", "mq-8.0")


def test_what_a_rule_tells_apart_is_listed_with_up_to_three_subjects() -> None:
    """Clause 4b looks at the rank of queues, of which there are three to tell apart, where a queue is named, or not."""
    subjects, is_whole, listed = list_told_apart(Pipeline.of(Rules(), WORKLOAD), "workload.04b")
    found = list(listed)
    assert (subjects, is_whole) == (3, True)
    ranks = {tuple(each.get("queue_rank", 0) for each in one.subjects) for one in found}
    assert {(), (0,), (0, 1, 2), (2, 2, 2)} <= ranks
    assert len({str(one) for one in found}) == len(found)


def test_where_there_are_too_many_there_are_fewer_subjects_or_those_that_state_least() -> None:
    """Clause 6 tells apart whether a destination is local, and its state: by default, or one of eleven; 24 in all."""
    course = Pipeline.of(Rules(), WORKLOAD)
    subjects, is_whole, listed = list_told_apart(course, "workload.06", 400)
    assert (subjects, is_whole, len(list(listed))) == (2, True, 1 + 24 + 300)
    subjects, is_whole, listed = list_told_apart(course, "workload.06", 60)
    found = list(listed)
    assert (subjects, is_whole, len(found)) == (3, False, 60)
    assert max(len(each.subjects) for each in found) == 3


@pytest.mark.parametrize("document", ["workload", "outcome", "call"])
def test_executors_agree(document: str) -> None:
    found = prove_agreement(Rules(), document, most=60)
    assert found.disagreements == 0
    assert len(found.rules) == len(
        Rules().ruleset({"workload": WORKLOAD, "outcome": OUTCOME}.get(document, CALL)).rules
    )
    assert found.situations > 20 * len(found.rules) * (document != "call")


@pytest.mark.deep
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("document", ["resolution", "workload", "outcome", "trigger", "administration", "retrieval"])
def test_executors_agree_on_all_that_rules_tell_apart(document: str, edition: str) -> None:
    found = prove_agreement(Rules(edition=edition), document, most=4000, processes=2)
    assert found.disagreements == 0
    assert found.situations > 500


@pytest.mark.deep
@pytest.mark.skipif(bool(find_chaining_fault()), reason="durable_rules is not there")
def test_chaining_agrees_too() -> None:
    assert prove_agreement(Rules(), "outcome", ("compiled", "chaining"), 200).disagreements == 0


def test_the_command_tells_the_number() -> None:
    done = run("test", "outcome.2270", "--proof")
    assert done.returncode == 0
    assert "outcome         executors agree on " in done.stdout
    assert "outcome         law every-call-is-answered: Some rule answers every call" in done.stdout
    assert re.search(r"holds in [\d,]+ situations, and would not without outcome.2051, outcome.2085, ", done.stdout)
