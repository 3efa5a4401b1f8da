"""Tables of occasions by DuckDB, against the trigger rules on each occasion."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa
from attrs import asdict, evolve

from mqclause.duckdb import decide_triggers
from mqclause.model.facts.domains import Flag, Whole, Words
from mqclause.model.timeline.scenario import build_scenario
from mqclause.model.timeline.trigger_events import TRIGGER_EVENT_KINDS, TriggerEvent
from mqclause.replay.runner import Replay
from mqclause.rulebook.rule import Conclude, Condition
from mqclause.rulebook.rules import Rules
from mqclause.tables.row import OccasionRows
from mqclause.tables.schema import OCCASION, TRIGGERING, TableError
from mqclause.trigger.examination import Triggers
from spec_tests.support.deep import first
from spec_tests.support.random_clusters import random_readings
from spec_tests.support.random_rows import answers, arrow_struct
from spec_tests.support.together import Together, connection
from spec_tests.support.trigger_scenarios import random_scenario

# Everything that clauses 1 to 10 ask for, on a queue of type FIRST.
ARRIVAL = TriggerEvent(
    "APPQ", arrived=1, depth=1, depth_total=1, committed=1, committed_total=1, trigger=True, process="P", initq="INITQ",
    process_defined=True, initq_defined=True, initq_get="ENABLED", initq_put="ENABLED", initq_usage="NORMAL",
    initq_open_input_count=1,
)  # fmt: skip


def table(occasions: list[dict[str, Any] | None]) -> Any:
    return pa.table({"id": range(len(occasions)), "occasion": pa.array(occasions, arrow_struct(OCCASION))})


def triggering(*occasions: dict[str, Any] | None, **more: Any) -> list[dict[str, Any]]:
    return answers(decide_triggers(table(list(occasions)), connection=connection(), **more), "triggering")


BY_DEFAULT = Together(lambda occasions: triggering(*occasions))


def by_examination(triggers: Triggers, occasion: TriggerEvent) -> dict[str, Any]:
    found = triggers.examine(occasion)
    return {
        "outcome": "triggers" if found.rule else "silent",
        "rule": found.rule and found.rule.id,
        "available": found.available,
        "turns_off": found.turns_off is not None,
        "failing": [rule.id for rule, holds in found.list_examined_rules() if not holds],
        "message": None,
    }


def happened(rng: Random, scenarios: int) -> list[TriggerEvent]:
    """The occasions of random scenarios, each also as it is at the end of a unit of work."""
    replay, found = Replay(), []
    for _ in range(scenarios):
        for row in replay.rows(build_scenario(random_scenario(rng, 25), "law")):
            found += [each.occasion for each in row.examinations]
    ends = [evolve(each, occasion=rng.choice(TRIGGER_EVENT_KINDS)) for each in found]
    return found + ends


def imagined(rng: Random) -> TriggerEvent:
    """An occasion of any values."""
    fields: dict[str, Any] = {}
    for name, column in OCCASION.items():
        match column.domain:
            case Words(words):
                fields[name] = rng.choice(words)
            case Flag():
                fields[name] = rng.random() < 0.5
            case Whole():
                fields[name] = rng.choice((0, 0, 1, 2, 3, 2**53, 2**61))
            case _:
                fields[name] = rng.choice(("", "A", "it's {0} é"))
    # Most of these stand in the way of a trigger message, each alone.
    usual = asdict(ARRIVAL, filter=lambda each, _: each.name.startswith(("initq", "process", "trigger")))
    return TriggerEvent(**(fields | {name: value for name, value in usual.items() if rng.random() < 0.9}))


@pytest.mark.parametrize(("readings", "scenarios", "many"), first(1, [(2, 12, 150), (6, 60, 1_500)]))
def test_as_the_trigger_rules_say(readings: int, scenarios: int, many: int) -> None:
    rng = Random(20250102)
    rules: Counter[str] = Counter()
    failing: Counter[str] = Counter()
    for number in range(readings):
        triggers = Triggers(Rules(random_readings(rng) if number else {}))
        occasions = happened(rng, scenarios) + [imagined(rng) for _ in range(many)]
        found = triggering(*map(asdict, occasions), rules=triggers.rules)
        for occasion, one in zip(occasions, found, strict=True):
            assert one == by_examination(triggers, occasion), occasion
            rules[str(one["rule"])] += 1
            failing.update(one["failing"])
    actions = {rule.id: rule.action for rule in Triggers().ruleset.rules}
    concluding = {
        name for name, each in actions.items() if isinstance(each, Conclude) and each.fact == "trigger_message"
    }
    needed = {need for each in actions.values() if isinstance(each, Conclude) for need in each.needs}
    assert set(rules) == concluding | {"None"}
    # Those two hold wherever they are examined.
    conditions = needed - {"trigger.01", "trigger.03b"}
    assert set(failing) == {
        name for name, each in actions.items() if isinstance(each, Condition) and name in conditions
    }


SERVED, HELD = evolve(ARRIVAL, open_input_count=1), evolve(ARRIVAL, in_unit_of_work=True)
DEPTH = evolve(ARRIVAL, trigtype="DEPTH")
FIRST_MESSAGE = BY_DEFAULT.ask(*map(asdict, (ARRIVAL, SERVED, HELD, DEPTH)))


def test_the_first_message_on_an_empty_queue() -> None:
    yes = {"outcome": "triggers", "rule": "trigger.01-10", "available": True, "turns_off": False, "message": None}
    one, two, three, four = FIRST_MESSAGE()
    assert one["outcome"] == "triggers"
    assert {**one, "failing": None} == yes | {"failing": None}
    assert (two["outcome"], two["rule"]) == ("silent", None)
    assert "trigger.04" in two["failing"]
    assert "trigger.04" not in one["failing"]
    assert (three["outcome"], three["available"]) == ("triggers", False)
    assert (four["outcome"], four["turns_off"]) == ("triggers", True)
    (kept,) = triggering(asdict(DEPTH), rules=Rules({"depth-turns-off": "no"}))
    assert (kept["outcome"], kept["turns_off"]) == ("triggers", False)


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"trigtype": "deep"}, "occasion.trigtype = 'deep'; allowed: NONE, FIRST, EVERY, DEPTH"),
    ({"initq_get": "ON"}, "occasion.initq_get = 'ON'; allowed: ENABLED, DISABLED"),
    ({"depth": -1}, f"occasion.depth = -1; allowed: a whole number from 0 to {2**62 - 1}"),
    ({"trigint": -5, "trigtype": "?"}, "occasion.trigtype = '?'; allowed: NONE, FIRST, EVERY, DEPTH"),
    ({"occasion": "", "get": "?"}, f"occasion.occasion = ''; allowed: {', '.join(TRIGGER_EVENT_KINDS)}"),
]


NOT_ALLOWED = BY_DEFAULT.ask(*(asdict(ARRIVAL) | fields for fields, _ in INVALID))


def test_invalid_rows() -> None:
    expected = [dict.fromkeys(TRIGGERING) | {"outcome": "invalid", "message": message} for _, message in INVALID]
    assert NOT_ALLOWED() == expected


IMAGINED = (lambda rng: [asdict(imagined(rng)) for _ in range(100)])(Random(5))
WHOLE = asdict(ARRIVAL)
ALONE = [None, {}, WHOLE, WHOLE | {"trigtype": "first"}, *(WHOLE | fields for fields, _ in INVALID), *IMAGINED]
IN_TABLE = BY_DEFAULT.ask(*ALONE)


def test_a_row_alone_is_answered_as_in_a_table() -> None:
    one = OccasionRows()
    assert [one.triggering(each) for each in ALONE] == IN_TABLE()
    assert {each["outcome"] for each in IN_TABLE()} == {"triggers", "silent", "invalid"}


MOST = 2**62 - 1
LARGE = evolve(ARRIVAL, trigtype="DEPTH", trigdpth=MOST, arrived=MOST, previous_depth=1)
OF_LARGE = BY_DEFAULT.ask(asdict(LARGE))


def test_counts_as_large_as_they_get() -> None:
    assert OF_LARGE() == [by_examination(Triggers(), LARGE)]


OF_NULL = BY_DEFAULT.ask(None, {})


def test_null_occasions_and_null_fields() -> None:
    missing, blank = OF_NULL()
    said = "occasion is null; a row needs the occasion that it asks about"
    assert missing == dict.fromkeys(TRIGGERING) | {"outcome": "invalid", "message": said}
    assert blank == by_examination(Triggers(), TriggerEvent(""))


SHOUTED = {"occasion": "ARRIVAL", "trigtype": "first", "initq_get": "Enabled", "platform": "multi"}
OF_SHOUTED = BY_DEFAULT.ask(WHOLE | SHOUTED, WHOLE)


def test_words_in_any_letter_case() -> None:
    shouted, usual = OF_SHOUTED()
    assert shouted == usual


def test_fields_that_are_absent_have_their_defaults() -> None:
    whole = asdict(ARRIVAL)
    few = {name: whole[name] for name, column in OCCASION.items() if whole[name] != column.default}
    given = pa.table({"id": [0], "note": ["kept"], "occasion": pa.array([few])})
    relation = decide_triggers(given)
    assert relation.columns == ["id", "note", "occasion", "triggering"]
    assert answers(relation, "triggering") == [by_examination(Triggers(), ARRIVAL)]


def test_tables_that_are_refused() -> None:
    for occasion, message in (
        ([1], "column occasion is an integer; expected a struct with the facts about a queue"),
        ([{"depth": "1"}], "column occasion.depth is a text; expected an integer (a CAST to BIGINT would do)"),
        ([{"trigtyp": "FIRST"}], "column occasion.trigtyp is not known; did you mean 'trigtype'?"),
    ):
        with pytest.raises(TableError) as raised:
            decide_triggers(pa.table({"occasion": occasion}))
        assert str(raised.value) == message
