"""Laws: each holds of all situations within the bound, and a rule that is changed breaks it; what is none is told."""

from __future__ import annotations

from random import Random

import pytest
from attrs import evolve

from mqclause import Engine, Rules
from mqclause.audit.proof import find_given, prove_law, prove_laws, read_laws
from mqclause.documents import WORKLOAD
from mqclause.model.facts.workload import Destination
from mqclause.rulebook.rule import RuleError
from mqclause.rulebook.rules import LAWS_FILE
from spec_tests.support.deep import every
from spec_tests.support.random_clusters import random_case

RULES = Rules()
EDITIONS = [each for each in RULES.known_editions if RULES.as_stated(each) == each]
CHOICES = [(name, choice) for name, reading in RULES.known_readings.items() for choice in reading.every_choice[1:]]

EDITS = {
    "put-disabled": ("workload/01a_put_disabled_queue.toml", "NOT put_enabled", "NOT put_enabled AND NOT is_local"),
    "somewhere-to-go": ("workload/09_requesting_paused_stopped.toml", "'PAUSED', 'STOPPED', ", "'PAUSED', "),
    "suspended-last": ("workload/05_resumed_first.toml", "lowest ", "highest"),
    "stopped-last": ("workload/07_becoming_active.toml", "'STOPPING'", "'STOPPING', 'STOPPED'"),
    "retrying-before-stopped": ("workload/07_becoming_active.toml", "'STOPPING'", "'STOPPING', 'RETRYING'"),
    "first-tests-in-any-order": (
        "workload/01c_channel_outside_queue_cluster.toml", '"names_queue"', '"names_queue AND remaining > 1"',
    ),
    "every-call-is-answered": ("outcome/2270_no_destinations_available.toml", "NOT fixed", "bind = 'GROUP'"),
    "no-failure-beside-a-choice": ("outcome/2270_no_destinations_available.toml", "nothing_left AND ", ""),
    "only-put-disabled-is-inhibited": (
        "outcome/2270_no_destinations_available.toml", "MQRC_NO_DESTINATIONS_AVAILABLE", "MQRC_PUT_INHIBITED",
    ),
    "conditions-in-any-order": (
        "trigger/03b_every_any_number.toml", '[holds]\nwhen = "TRUE"', '[derive]\ntreated_as_first = "TRUE"',
    ),
    "nothing-while-off": (
        "trigger/10_trigger_type_is_not_none.toml", "trigtype <> 'NONE'\"", "trigtype <> 'NONE' OR trigmpri > 0\"",
    ),
    "initiation-queue-takes-it": (
        "trigger/07a_initiation_queue_get_enabled.toml", "initq_get = 'ENABLED'", "initq_put = 'ENABLED'",
    ),
    "uncommitted-is-not-got": ("retrieval/5.1_uncommitted_messages_wait.toml", "unit_of_work <> unit", "browses"),
    "persistent-is-not-lost": ("administration/05d_fast_may_be_lost.toml", " AND NOT persistent", ""),
    "bound-is-not-sent-elsewhere": ("administration/05e_bound_waits.toml", " AND bound", " AND bound AND in_doubt"),
    "full-or-disabled-takes-nothing": ("call/2053_q_full.toml", "> maxdepth", "> maxdepth + 1"),
    "every-name-leads-somewhere": ("resolution/12b_unknown_queue.toml", "AND here", "AND here AND for_input"),
    "exit-decides-where-it-is-called": ("exit/10o_choice_of_the_exit.toml", "let_through AND ", ""),
}  # fmt: skip
"""For each law what is changed in a rule that then breaks it: the file, a text in it, and another."""


def test_each_law_has_a_rule_that_would_break_it() -> None:
    assert {*EDITS} == {each.id for each in read_laws(RULES)}


@pytest.mark.parametrize("law_id", every(4, EDITS))
def test_a_changed_rule_breaks_a_law_that_holds(law_id: str) -> None:
    path, before, after = EDITS[law_id]
    assert before in RULES.files[path]
    broken = RULES.with_files({path: RULES.files[path].replace(before, after)})
    holding, other = (next(each for each in read_laws(rules) if each.id == law_id) for rules in (RULES, broken))
    shown = prove_law(RULES, 500, holding)
    assert shown.is_shown, shown
    assert shown.situations > 500
    found = prove_law(broken, 500, other)
    assert found.broken is not None
    assert not found.is_shown


@pytest.mark.deep
@pytest.mark.parametrize("edition", EDITIONS)
def test_laws_hold_in_each_edition(edition: str) -> None:
    rules = Rules(edition=edition)
    assert [each for each in prove_laws(rules, (), 500, 2) if not each.is_shown] == []


@pytest.mark.deep
@pytest.mark.parametrize(("name", "choice"), CHOICES)
def test_laws_hold_under_each_reading(name: str, choice: str) -> None:
    edition = next(each for each in EDITIONS if choice in Rules(edition=each).known_readings[name].choices)
    rules = Rules({name: choice}, edition=edition)
    documents = {clause.partition("/")[0] for clause in rules.known_readings[name].clauses}
    asked = documents | ({"outcome"} if "workload" in documents else set())
    assert [each for each in prove_laws(rules, asked, 300, 2) if not each.is_shown] == []


LAW = """
[mine]
document = "workload"
says     = "No destination of rank 1 remains beside one of rank 0"
holds    = "COUNT_IF(remains AND queue_rank = 1) = 0 OR COUNT_IF(remains AND queue_rank = 0) = 0"
rests_on = ["workload.04b"]
"""


def with_law(text: str) -> Rules:
    return RULES.with_files({LAWS_FILE: text})


def test_a_law_of_ones_own_is_shown() -> None:
    """Ranks are looked at where a queue is named: beside the queue manager alone, two ranks remain."""
    (found,) = prove_laws(with_law(LAW.replace('"COUNT', '"names_queue_manager OR COUNT')), (), 100)
    assert found.is_shown
    without = found.without["workload.04b"]
    assert without is not None
    assert [each.get("queue_rank", 0) for each in without.subjects] == [0, 1]


def test_what_breaks_a_law_is_stated_as_plainly_as_can_be() -> None:
    (found,) = prove_laws(with_law(LAW), (), 100)
    assert found.broken is not None
    assert found.broken.situation == {"put_queue_manager": "A"}
    assert [each.get("queue_rank", 0) for each in found.broken.subjects] == [0, 1]
    assert not found.is_shown


def test_a_rule_that_a_law_could_do_without_is_told() -> None:
    (found,) = prove_laws(with_law(LAW.replace('"COUNT', '"names_queue_manager OR COUNT').replace("04b", "06")), (), 20)
    assert (found.broken, found.without, found.is_shown) == (None, {"workload.06": None}, False)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"workload"\n', '"workloads"\n', "mine.document: 'workloads' is no document of these rules; allowed: "),
        ("queue_rank = 1", "queue_rnk = 1", "mine.holds: "),
        ("queue_rank = 1", "fails_with = 'MQRC_NONE'", "mine.holds: "),
        ("holds   ", "hold    ", "mine.hold: is not known"),
        ("workload.04b", "workload.4b", "mine.rests_on: 'workload.4b' is no rule of workload in this edition; did you mean"),
        ("rests_on = [", "around = {clwlmruc = 1}\nmet_by = 'x'\nrests_on = [", "mine.met_by: 'x' is no rule of workload"),
        ("rests_on = [", "around = {clwlmruk = 1}\nrests_on = [", "mine.around.clwlmruk: is no attribute of a situation"),
        ("rests_on = [", "around = {mqi_call = 'PUT'}\nrests_on = [", "mine.around.mqi_call: 'PUT' is not a text of MQOPEN"),
        ("rests_on = [", "sentences = ['workload/99']\nrests_on = [", "mine.sentences: 'workload/99' is no sentence of documents/"),
        ("rests_on = [", "in_any_order = ['workload.06']\nrests_on = [", "mine.holds: is missing; allowed: either"),
        ("rests_on = [", "given = true\nrests_on = [", "mine.rests_on: is about answers"),
        ("holds    = ", "holds    = 'COUNT_IF(remains)' #", "mine.holds: 'COUNT_IF(remains)' is a whole number; allowed: true"),
        ("holds    = ", "in_any_order = ['workload.06', 'workload.06'] #", "mine.in_any_order: 'workload.06' is there twice"),
        ("document", "given = 1\ndocument", "mine.given: 1 is not true or false"),
    ],
)  # fmt: skip
def test_what_is_no_law_is_told(before: str, after: str, said: str) -> None:
    assert before in LAW
    with pytest.raises(RuleError) as error:
        read_laws(with_law(LAW.replace(before, after)), given="given = true" in after)
    assert str(error.value).startswith(f"rules/{LAWS_FILE}: {said}")


def test_a_law_of_no_situation_is_not_shown() -> None:
    none = '[none]\ndocument = "workload"\nsays = "Nothing"\nholds = "FALSE"\ngiven = true\n'
    (found,) = prove_laws(with_law(none + LAW.replace('rests_on = ["workload.04b"]', "")), (), 20)
    assert (found.situations, found.broken, found.is_shown) == (0, None, False)


@pytest.mark.parametrize("seed", every(3, range(9)))
def test_what_is_given_is_so_of_random_clusters(seed: int) -> None:
    """Each destination of a random put in a random cluster; an impossible one is found out."""
    rng, given, engine = Random(seed), find_given(RULES, WORKLOAD), Engine()
    for _ in range(20):
        cluster, put = random_case(rng)
        decision = engine.choose(put, cluster)
        assert given.allows(decision.situation, decision.listed)
    assert not given.allows(evolve(decision.situation, put_queue_manager=""), [Destination(is_alias=True)])
