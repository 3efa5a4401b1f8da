"""Whatever rules say, every executor says the same: random rules of every action, in random order, on random vans."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqclause import Rules
from mqclause.executors.operations import LoweredRuleset, Run
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.trace import build_step_document, build_steps
from spec_tests.support.delivery import EVERY_EXECUTOR, ROUND, Delivery, Trips, Van, names, rule

law = settings(deadline=None, suppress_health_check=list(HealthCheck))

CONDITIONS = (
    "room > 1",
    "is_ready",
    "district = 'NORTH'",
    "trips >= age",
    "NOT is_ready OR trips = 1",
    "ARRAY_CONTAINS(depots, 'X')",
    "room IN (0, 2) AND age / toll < 1.5",
    "room = most AND COUNT_IF(is_ready) > 1",
    "CASE WHEN is_urgent THEN age > 0 ELSE trips > 0 END",
    "FALSE",
)
"""About one van."""

WHENS = (
    "is_urgent",
    "COUNT_IF(TRUE) > 2",
    "COUNT_IF(is_ready AND trips > 0) = 0",
    "weight > 1 OR COUNT_IF(room = 0) = 1",
)
NUMBERS = ("room", "age", "trips", "room - age", "0 - trips", "FLOOR(age / 2)", "age * 1.5", "weight")
COUNTING = "CASE WHEN COUNT_IF(TRUE) > 2 THEN age ELSE 0 - age END"
SAID = "{name}: {room} {age} {trips} {is_ready} {depots} {weight}"
TRACED = st.sampled_from(CONDITIONS)
TAKEN = st.sampled_from(("first-listed", "last-listed"))


def where(action: str, explained: bool = True) -> st.SearchStrategy[str]:
    because = f'\nbecause = "{SAID}"' if explained else ""
    ties = TAKEN.map(lambda taken: f'\nties = "{taken}"' if action == "choose" else "")
    return st.builds(lambda condition, taken: f'[{action}]\nwhere = "{condition}"{because}{taken}', TRACED, ties)


@st.composite
def keeps(draw: st.DrawFn) -> str:
    best = draw(st.sampled_from(("highest", "lowest")))
    lines = ["[keep]", f'{best} = "{draw(st.sampled_from((*NUMBERS, "is_ready")))}"']
    if draw(st.booleans()):
        lines.append(f'among = "{draw(TRACED)}"')
    limited = draw(st.sampled_from(("", "per", "at_most")))
    if limited == "per":
        lines.append('per = "district"')
    if limited == "at_most":
        lines += [f'at_most = "{draw(st.sampled_from(("1", "2", "most", "most - 1", "COUNT_IF(is_ready)")))}"']
        lines += [f'ties = "{draw(st.sampled_from(("first-listed", "all")))}"']
    limit = " {at_most}" if limited == "at_most" else ""
    return "\n".join([*lines, f'because = "{SAID} {{{best}}}{limit}"'])


@st.composite
def orders(draw: st.DrawFn) -> str:
    by = draw(st.lists(st.sampled_from((*NUMBERS, "is_ready")), min_size=1, max_size=3))
    listed = [f'"{each}{draw(st.sampled_from(("", " ASC", " DESC")))}"' for each in by]
    return f"[order_by]\nby = [{', '.join(listed)}]"


@st.composite
def choices(draw: st.DrawFn) -> str:
    by = draw(st.lists(st.sampled_from((*NUMBERS, COUNTING)), min_size=1, max_size=2))
    listed, ties = ", ".join(f"{chr(34)}{each}{chr(34)}" for each in by), draw(TAKEN)
    return f'[choose]\nlowest = [{listed}]\nties = "{ties}"\nbecause = "{SAID} {{lowest}}"'


DERIVATIONS = st.sampled_from((
    '[derive]\nof = "every"\ntrips = "most"',
    '[derive]\nof = "every"\ntrips = "COUNT_IF(is_ready)"',
    '[derive]\nof = "chosen"\ntrips = "trips + 1"',
    '[derive]\nof = "chosen"\ntrips = "room * 2 + COUNT_IF(TRUE)"',
    '[derive]\nmany = "COUNT_IF(room > 0) > 1"',
    '[derive]\nmany = "weight > 1"',
    '[derive]\nhow_many = "COUNT_IF(trips > 0)"',
))  # fmt: skip
ACTIONS = st.one_of(
    where("eliminate"), where("set_aside"), where("take_back", explained=False), where("choose"),
    keeps(), keeps(), orders(), choices(), DERIVATIONS,
)  # fmt: skip


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """The project's rules with up to eight of these."""
    files = {}
    for number, action in enumerate(draw(st.lists(ACTIONS, min_size=1, max_size=8)), 1):
        when = draw(st.sampled_from(("", "", *WHENS)))
        files[f"round/{number:02}_any.toml"] = rule("round/1", action, **({"when": when} if when else {}))
    return Rules().with_files(files)


SMALL = st.integers(0, 3)
VANS = st.lists(
    st.builds(
        Van, name=st.text("ABC", min_size=1, max_size=2), room=SMALL, age=SMALL,
        district=st.sampled_from(("NORTH", "SOUTH")), is_ready=st.booleans(), toll=st.integers(1, 3),
        depots=st.lists(st.sampled_from("XY"), max_size=2).map(tuple), trips=SMALL,
    ),
    max_size=6,
)  # fmt: skip
DELIVERIES = st.builds(Delivery, weight=SMALL, most=SMALL, is_urgent=st.booleans())
CARRIED = st.none() | st.dictionaries(st.text("ABC", min_size=1, max_size=2), st.builds(Trips, SMALL), max_size=4)


def told(each: LoweredRuleset, run: Run, vans: list[Van], delivery: Delivery, carried: Any) -> list[dict[str, Any]]:
    """The steps of a run at level condition."""
    first = build_first_scope(each, delivery, vans, carried, {})
    found = build_steps(each.ruleset, run, vans, first, conditions=True)
    return [build_step_document(step, lambda van: {"van": vans.index(van)}) for step in found]


@law
@given(any_rules(), VANS, DELIVERIES, CARRIED)
def test_every_executor_says_the_same(rules: Rules, vans: list[Van], delivery: Delivery, carried: Any) -> None:
    courses = [Pipeline.of(rules, ROUND, executor) for executor in EVERY_EXECUTOR]
    runs = [course.run(delivery, vans, carried, traced=True)[0] for course in courses]
    documents = [told(course.steps[0], run, vans, delivery, carried) for course, run in zip(courses, runs, strict=True)]
    for executor, run, document in zip(EVERY_EXECUTOR, runs, documents, strict=True):
        assert run.is_same_result(runs[-1]), executor
        assert document == documents[-1], executor
    for course, run in zip(courses, runs, strict=True):
        untraced = course.run(delivery, vans, carried)[0]
        assert untraced.is_same_result(run._replace(trace=None))


@law
@given(any_rules(), VANS, DELIVERIES)
def test_nobody_is_lost(rules: Rules, vans: list[Van], delivery: Delivery) -> None:
    course = Pipeline.of(rules, ROUND)
    run = course.run(delivery, vans, traced=True)[0]
    first = build_first_scope(course.steps[0], delivery, vans, None, {})
    fallen = [
        fate.subject for step in build_steps(course.rulesets[0], run, vans, first, False) for fate in step.eliminated
    ]
    assert sorted(map(id, [*fallen, *run.remaining])) == sorted(map(id, vans)), names(fallen)
