"""The adapter to durable_rules."""

from __future__ import annotations

import json
from itertools import count
from types import SimpleNamespace

import pytest

from mqclause.executors import chaining as durable
from mqclause.executors.chaining import FACT, Pattern, get_network
from mqclause.language.evaluator import Scope
from mqclause.language.parser import parse_unchecked
from mqclause.language.vocabulary import TEXT, WHOLE, Vocabulary, Word


def test_the_facts_that_match_are_told() -> None:
    above = get_network(json.dumps({"$gt": {"rank": 3}}))
    assert above.matches([{FACT: number, "rank": number} for number in range(6)]) == {4, 5}


def test_nothing_is_left_from_one_session_to_the_next() -> None:
    above = get_network(json.dumps({"$gt": {"rank": 3}}))
    facts = [{FACT: number, "rank": number} for number in range(6)]
    assert [above.matches(facts) for _ in range(3)] == [{4, 5}] * 3


@pytest.mark.parametrize(
    ("low", "high"), [(1e-7, 1e-6), (-1e-7, 1e-320), (9e15, 1e16), (1e22, 1e300), (0.5, 1e16), (0.0, 5e-324)]
)
def test_numbers_of_any_size_compare(low: float, high: float) -> None:
    below = get_network(json.dumps({"$lt": {"one": {"$m": "other"}}}))
    facts = [{"one": low, "other": high}, {"one": high, "other": low}, {"one": low, "other": low}]
    assert below.matches([{FACT: number, **fact} for number, fact in enumerate(facts)]) == {0}


def test_facts_whose_hashes_collide_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """In session 1, fact 36,498 has the 32 bits of the hash of one before it."""
    everyone = get_network(json.dumps({"$gte": {FACT: 0}}))
    monkeypatch.setattr(durable, "_sessions", count(1))
    facts = 40_000
    assert len(everyone.matches([{FACT: number} for number in range(facts)])) == facts


@pytest.mark.parametrize("name", ["id", "sid", FACT, "rule", "again", "a0"])
def test_attributes_of_its_own_facts_are_attributes_like_others(name: str) -> None:
    """Of two facts with one id each is told; nothing of its own is taken for a fact."""
    pattern = Pattern.of(parse_unchecked(f"{name} <> other"))
    rows = [{name: "A", "other": "B"}, {name: "A", "other": "B"}, {name: "B", "other": "B"}]
    words = Vocabulary({each: Word(each, TEXT, "situation") for each in (name, "other")})
    facts = [pattern.fact(number, Scope(words, SimpleNamespace(**row))) for number, row in enumerate(rows)]
    assert get_network(pattern.form).matches(facts) == {0, 1}


def test_a_condition_that_can_be_met_in_very_many_ways_is_matched_at_once() -> None:
    """Each bracket holds in both of its ways: together they would fire 2^40 times."""
    pattern = Pattern.of(parse_unchecked(" AND ".join(["(one <> other OR one > 1)"] * 40)))
    words = Vocabulary({each: Word(each, WHOLE, "situation") for each in ("one", "other")})
    rows = ({"one": 2, "other": 1}, {"one": 1, "other": 1})
    facts = [pattern.fact(number, Scope(words, SimpleNamespace(**row))) for number, row in enumerate(rows)]
    assert get_network(pattern.form).matches(facts) == {0}
