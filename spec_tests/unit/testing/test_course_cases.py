"""Cases of any document by its declaration, here of documents that are not MQ's."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqclause.executors.operations import ExecutorName
from mqclause.rulebook.case_files import CaseError, CaseFile
from mqclause.testing.case_kinds import PipelineCase
from spec_tests.support.delivery import DELIVERY, DISPATCH, EVERY_EXECUTOR, ROUND, rule, rules_in

executors = pytest.mark.parametrize("executor", EVERY_EXECUTOR)

ORDERED = """
[facts]
situation = {weight = 100}
subjects = [
  {name = "A", room = 300, age = 4},
  {name = "B", room = 900, age = 1},
  {name = "C", room = 900, age = 4, is_ready = false},
  {name = "D", room = 300, age = 1},
]

[[case]]
name = "the largest first, then the oldest"
acts = true
[case.expect]
remaining = ["A", "B", "C"]
order = ["C", "B", "A"]
fell = {D = "delivery.04"}
because = {D = "small"}
set_aside = ["C"]
taken_back = ["C"]
facts = {}
chosen = {}
every = {}
failure = {}

[[case]]
name = "one van cannot be ordered, and yet it is"
acts = true
facts.subjects = [{name = "D", room = 50, depots = ["X"]}]
expect = {order = ["C", "B", "A"]}
"""


ORDERING = {
    "delivery/01_aside.toml": rule("delivery/1", '[set_aside]\nwhere = "NOT is_ready"\nbecause = "not ready"'),
    "delivery/02_order.toml": rule("delivery/2", '[order_by]\nby = ["room DESC", "age DESC"]'),
    "delivery/03_back.toml": rule("delivery/3", '[take_back]\nwhere = "age > 3"'),
    "delivery/04_out.toml": rule("delivery/4", '[eliminate]\nwhere = "room < 500 AND age < 2"\nbecause = "small"'),
}


def file_of(folder: Path, path: str, text: str) -> CaseFile:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)
    return CaseFile.read(folder / path)


@executors
def test_order_and_fates(tmp_path: Path, executor: ExecutorName) -> None:
    rules = rules_in(tmp_path / "rules", ORDERING)
    first, second = file_of(tmp_path, "delivery/02_order.toml", ORDERED).cases(PipelineCase, declaration=DELIVERY)
    assert (str(first), first.rule) == ("delivery/02_order.toml: the largest first, then the oldest", "delivery.02")
    assert (first.faults(rules, executor), second.faults(rules, executor)) == ([], [])
    assert first.to_values(rules, executor) == first.to_values(rules, "plain")
    other = rules.with_files({
        "delivery/02_order.toml": rule("delivery/2", '[order_by]\nby = ["age"]'),
        "delivery/03_back.toml": None,
    })  # fmt: skip
    assert first.faults(other, executor) == [
        "remaining: expected ['A', 'B', 'C'], got ['A', 'B']",
        "order: expected ['C', 'B', 'A'], got ['B', 'A']",
        "fell: expected {'D': 'delivery.04'}, got {'C': 'delivery.01', 'D': 'delivery.04'}",
        "taken_back: expected ['C'], got []",
    ]


TAKEN_BACK_TWICE = {
    "delivery/01_aside.toml": ORDERING["delivery/01_aside.toml"],
    "delivery/02_back.toml": rule("delivery/2", '[take_back]\nwhere = "age > 3"'),
    "delivery/03_out.toml": rule("delivery/3", '[eliminate]\nwhere = "NOT is_ready"\nbecause = "not ready at last"'),
    "delivery/04_back.toml": rule("delivery/4", '[take_back]\nwhere = "age > 2"'),
}
ONLY_ONE_IS_STILL_ASIDE = """
[facts]
situation = {weight = 100}
subjects = [
  {name = "A", room = 300, age = 4},
  {name = "B", room = 900, age = 4, is_ready = false},
  {name = "C", room = 900, age = 3, is_ready = false},
]

[[case]]
name = "B has been taken back already, and then fell; C was aside until now"
acts = true
[case.expect]
remaining = ["A", "C"]
fell = {B = "delivery.03"}
taken_back = ["B", "C"]
"""


@executors
def test_who_was_taken_back_is_no_longer_aside(tmp_path: Path, executor: ExecutorName) -> None:
    rules = rules_in(tmp_path / "rules", TAKEN_BACK_TWICE)
    (case,) = file_of(tmp_path, "delivery/04_back.toml", ONLY_ONE_IS_STILL_ASIDE).cases(
        PipelineCase, declaration=DELIVERY
    )
    assert case.faults(rules, executor) == []


CHOICE = {
    "round/01_every.toml": rule("round/1", '[derive]\nof = "every"\ntrips = "most"', when="is_urgent"),
    "round/02_choose.toml": rule("round/2", '[choose]\nlowest = ["trips", "age"]\nbecause = "{trips}, not {lowest}"'),
    "round/03_trips.toml": rule("round/3", '[derive]\nof = "chosen"\ntrips = "trips + 1"'),
    "round/04_many.toml": rule("round/4", '[derive]\ntravelled = "COUNT_IF(trips > 5) > 0"'),
}
CHOSEN = """
[facts]
situation = {most = 7}
subjects = [{name = "A", trips = 2, age = 1}, {name = "B", trips = 2}, {name = "C", trips = 3}]

[[case]]
name = "the fewest trips, then the newest"
acts = false
[case.expect]
remaining = ["B"]
fell = {A = "round.02", C = "round.02"}
because = {A = "2, not 2 and 0", C = "3, not 2 and 0"}
chosen = {trips = 3}
every = {}
facts = {travelled = false}

[[case]]
name = "what is urgent counts for all alike"
acts = true
facts.situation = {is_urgent = true}
[case.expect]
remaining = ["B", "C"]
because = {A = "7, not 7 and 0"}
chosen = {trips = 8}
every = {trips = 7}
facts = {travelled = true}
"""


@executors
def test_what_is_derived_for_subjects(tmp_path: Path, executor: ExecutorName) -> None:
    rules = rules_in(tmp_path / "rules", CHOICE)
    for case in file_of(tmp_path, "round/01_every.toml", CHOSEN).cases(PipelineCase, declaration=ROUND):
        assert case.faults(rules, executor) == []
        assert case.to_values(rules, executor) == case.to_values(rules, "plain")
        other = rules.with_files({"round/03_trips.toml": CHOICE["round/03_trips.toml"].replace("+ 1", "+ 2")})
        trips = case.expect["chosen"]["trips"]
        assert case.faults(other, executor) == [f"chosen: expected {{'trips': {trips}}}, got {{'trips': {trips + 1}}}"]


FAILING = {
    "delivery/01_out.toml": rule("delivery/1", '[eliminate]\nwhere = "room < weight"\nbecause = "small"'),
    "dispatch/01_none.toml": rule(
        "dispatch/1",
        '[fail_with]\nreason = "MQRC_PUT_INHIBITED"\ncall = "\'MQPUT\'"\nbecause = "{left} left"',
        when="left = 0",
    ),
}
FAILED = """
[facts]
subjects = [{name = "A", room = 100}]
[[case]]
name = "too heavy"
acts = true
facts.situation = {weight = 101}
[case.expect]
failure = {rule = "dispatch.01", reason = "MQRC_PUT_INHIBITED", call = "MQPUT"}
fell = {A = "delivery.01"}
remaining = ["A"]
[[case]]
name = "light enough"
acts = false
[case.expect]
failure = {}
fell = {}
"""


@executors
def test_a_document_that_follows_another(tmp_path: Path, executor: ExecutorName) -> None:
    rules = rules_in(tmp_path / "rules", FAILING)
    heavy, light = file_of(tmp_path, "dispatch/01_none.toml", FAILED).cases(PipelineCase, declaration=DISPATCH)
    assert (heavy.faults(rules, executor), light.faults(rules, executor)) == ([], [])
    other = rules.with_files(
        {"dispatch/01_none.toml": FAILING["dispatch/01_none.toml"].replace("left = 0", "left > 0")}
    )
    assert heavy.faults(other, executor) == [
        "failure: expected {'rule': 'dispatch.01', 'reason': 'MQRC_PUT_INHIBITED', 'call': 'MQPUT'}, got {}",
        "acts: expected True of dispatch.01",
    ]
    assert light.faults(other, executor) == [
        "failure: expected {}, got {'reason': 'MQRC_PUT_INHIBITED', 'call': 'MQPUT', "
        "'rule': 'dispatch.01', 'because': '1 left'}",
        "acts: expected False of dispatch.01",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('van = {}', "02_order.toml: case 1: facts: unknown key van; allowed: situation, subjects"),
        ('situation = {wait = 1}', "facts.situation: unknown key wait; allowed: weight, "),
        ('situation = {weight = "x"}', "facts.situation.weight: 'x' is not of the type int"),
        ('subjects = [{room = 1}]', "facts.subjects[0]: "),
        ('subjects = [{name = "A"}, {name = "A"}]', "case 1: facts.subjects: A stands for several subjects"),
    ],
)  # fmt: skip
def test_a_fault_in_a_case_of_any_document(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "02_order.toml"
    path.write_text(f'[facts]\n{text}\n[[case]]\nname = "a"\nacts = true\nexpect = {{}}\n')
    with pytest.raises(CaseError) as caught:
        CaseFile.read(path).cases(PipelineCase, declaration=DELIVERY)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
