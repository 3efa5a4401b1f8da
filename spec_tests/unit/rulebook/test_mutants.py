"""Mutants: what of a rule is turned round, and how."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from mqclause import Rules
from mqclause.documents import TRIGGER, WORKLOAD
from mqclause.rulebook.mutants import generate_mutants, generate_term_mutants
from spec_tests.support.delivery import DELIVERY, rule, rules_in

KEEP = '[keep]\nhighest = "room"\namong = "is_ready"\nat_most = "2"\nties = "all"\nbecause = "{room}, not {highest}"'
MUTANTS = [
    (
        KEEP,
        {
            "when negated": {"when": "NOT (is_urgent)"},
            "keep.highest changed": {"lowest": "room", "because": "{room}, not {lowest}"},
            "keep.among changed": {"among": "NOT (is_ready)"},
            "keep.at_most changed": {"at_most": "(2) + 1"},
            "keep.ties changed": {"ties": "first-listed"},
        },
    ),
    (
        '[order_by]\nby = ["age DESC", "room"]',
        {"when negated": {"when": "NOT (is_urgent)"}, "order_by.by changed": {"by": ["age", "room DESC"]}},
    ),
    (
        '[choose]\nlowest = ["age", "room"]\nbecause = "b"',
        {
            "when negated": {"when": "NOT (is_urgent)"},
            "choose.lowest changed": {"lowest": ["0 - (age)", "0 - (room)"]},
        },
    ),
    (
        '[derive]\nheavy = "weight > 5"\ntwice = "weight * 2"\nword = "\'x\'"',
        {
            "when negated": {"when": "NOT (is_urgent)"},
            "derive.heavy changed": {"heavy": "NOT (weight > 5)"},
            "derive.twice changed": {"twice": "(weight * 2) + 1"},
            "derive.word changed": {"word": "'another'"},
        },
    ),
    (
        "[eliminate]\nwhere = \"age IN (1, 2) AND district IN ('NORTH', 'SOUTH') OR name IN ('A')\"\nbecause = \"b\"",
        {
            "when negated": {"when": "NOT (is_urgent)"},
            "eliminate.where changed": {
                "where": "NOT (age IN (1, 2) AND district IN ('NORTH', 'SOUTH') OR name IN ('A'))"
            },
            "eliminate.where list 1 without 'NORTH'": {
                "where": "age IN (1, 2) AND district IN ('SOUTH') OR name IN ('A')"
            },
            "eliminate.where list 1 without 'SOUTH'": {
                "where": "age IN (1, 2) AND district IN ('NORTH') OR name IN ('A')"
            },
        },
    ),
]


@pytest.mark.parametrize(("body", "expected"), MUTANTS)
def test_what_is_turned_round(tmp_path: Path, body: str, expected: dict[str, dict[str, object]]) -> None:
    rules = rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", body, when="is_urgent")})
    found = list(generate_mutants(rules, rules.ruleset(DELIVERY), "delivery.01"))
    assert [each.change for each in found] == list(expected)
    [action] = set(rules.toml("delivery/01_only.toml")) - {"clause", "title", "when"}
    for mutant in found:
        table = {"when": mutant.table["when"], **mutant.table[action]}
        for key, value in expected[mutant.change].items():
            assert table[key] == value, mutant.change
        changed = mutant.within(rules)
        assert tomllib.loads(changed.files["delivery/01_only.toml"]) == mutant.table
        assert changed.ruleset(DELIVERY).rules[0].id == "delivery.01"


def test_what_is_said_under_a_reading_is_turned_round_too() -> None:
    rules = Rules()
    changes = [each.change for each in generate_mutants(rules, rules.ruleset(WORKLOAD), "workload.12d")]
    assert changes == [
        "derive.dest_seq_factor changed",
        "weight-step=truncated: derive.dest_seq_factor changed",
        "counters-advance=balanced-only: when negated",
    ]


def test_needs_are_left_out_and_added_to() -> None:
    rules = Rules()
    changes = [each.change for each in generate_mutants(rules, rules.ruleset(TRIGGER), "trigger.12")]
    assert changes == [
        "when negated",
        "when list 1 without 'FIRST'",
        "when list 1 without 'DEPTH'",
        "conclude.needs changed to ['7-10', '12']",
        "conclude.needs changed to ['6-9', '12']",
        "conclude.needs changed to ['5-10', '12']",
        "conclude.needs changed to ['12']",
        "conclude.needs changed to ['6-10']",
    ]


def test_terms_are_turned_round_by_what_they_are() -> None:
    rules = Rules()
    ruleset = rules.ruleset(WORKLOAD)

    def turned(term: str) -> list[str]:
        found = generate_term_mutants(rules, ruleset, term)
        return [each.table["workload"][term]["is"] for each in found]

    assert turned("remaining") == ["(COUNT_IF(TRUE)) + 1"]
    assert turned("names_queue") == ["NOT (put_queue_manager = '')"]
    assert turned("route_rank") == ["CASE WHEN NOT is_alias THEN queue_rank ELSE channel_rank END"]
    defined = "deftype IN ('CLUSSDR', 'CLUSSDRB')"
    assert turned("manually_defined") == [f"NOT ({defined})", "deftype IN ('CLUSSDRB')", "deftype IN ('CLUSSDR')"]
    assert [each.change for each in generate_term_mutants(rules, ruleset, "remote")] == [
        "remote: is changed",
        "remote: local-instance-competes=clusrcvr-channels: is changed",
    ]
