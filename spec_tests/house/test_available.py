"""Whether a destination is available is asked where the document asks it, and nowhere else in the workload rules."""

from __future__ import annotations

from attrs import evolve
from sqlglot import exp

from mqclause import Rules
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import LoweredRuleset
from mqclause.rulebook.rule import Rule, Ruleset

RULES = Rules()
TESTS_OF_CLUSTERS = {"shares_cluster", "channel_in_queue_cluster"}
"""The attributes by which a destination is available, or is not."""


def looking_at(document: str, words: set[str]) -> set[str]:
    """The rules and the terms of a document in which one of the words stands."""
    whole = RULES.ruleset(DOCUMENTS[document])
    terms = {name for name, tree in whole.vocabulary.terms.items() if words & named(tree)}
    return terms | {rule.id for rule in whole.rules if words & looked_at(rule, whole)}


def looked_at(rule: Rule, whole: Ruleset) -> set[str]:
    """The words in the conditions and values of a rule, and in what it notices."""
    trees = [*LoweredRuleset.of(evolve(whole, rules=(rule,))).expressions(), *(each.where for each in rule.notices)]
    return {name for each in trees for name in named(each)} | {
        name for each in rule.notices for name in each.attributes
    }


def named(tree: exp.Expr) -> set[str]:
    return {column.name for column in tree.find_all(exp.Column)}


def test_available_is_a_word_of_clause_12_alone() -> None:
    assert looking_at("workload", {"within_reach"}) == {"available"}
    assert looking_at("workload", {"available"}) == {"workload.12a"}
    # Under another reading, too: the text of a rule file has those of all.
    for word, said_in in (("within_reach", set()), ("available", {RULES.path("workload.12a")})):
        files = {path for path, text in RULES.files.items() if path.startswith("workload/") and f'"{word}' in text}
        assert files == said_in


def test_the_tests_of_clusters_are_those_of_clauses_1_and_2() -> None:
    found = {"workload.01b", "workload.01c", "workload.02b", "within_reach"}
    assert looking_at("workload", TESTS_OF_CLUSTERS) == found
    files = {path for path, text in RULES.files.items() if any(word in text for word in TESTS_OF_CLUSTERS)}
    assert {path for path in files if path.startswith("workload/")} == set(map(RULES.path, found - {"within_reach"}))


def test_what_a_call_ends_with_looks_at_them_by_one_term() -> None:
    assert looking_at("outcome", TESTS_OF_CLUSTERS) == {"is_within_reach"}
