"""A document that is not MQ's: which van takes a delivery. Its rules are given by each test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attrs import field, frozen

from mqclause import Rules
from mqclause.executors.operations import ExecutorName, Run
from mqclause.executors.pipeline import Pipeline
from mqclause.model.facts.domains import Whole
from mqclause.rulebook.rule import CarriedState, Declaration

EVERY_EXECUTOR: tuple[ExecutorName, ...] = ("compiled", "chaining", "plain")


@frozen
class Delivery:
    """What is delivered: its weight in kilograms, and how many vans may be looked at."""

    weight: int = 100
    most: int = 2
    is_urgent: bool = False


@frozen(eq=False)
class Van:
    """A van: its room in kilograms, its age, the district that it stands in, its tolls (never 0), the depots that it serves, its trips so far."""

    name: str
    room: int = 500
    age: int = 0
    district: str = "NORTH"
    is_ready: bool = True
    toll: int = field(default=1, metadata={"domain": Whole(1, 99)})
    depots: tuple[str, ...] = ()
    trips: int = 0


class Trips(NamedTuple):
    """What is carried from round to round of a van."""

    trips: int


DELIVERY = Declaration("delivery", Delivery, Van)
ROUND = Declaration("round", Delivery, Van, CarriedState("name", Trips(0)))
DISPATCH = Declaration("dispatch", Delivery, Van, follows=DELIVERY, sees={"left": "COUNT_IF(TRUE)"})


def rule(clause: str, body: str, **more: str) -> str:
    """The text of a rule file; ``clause`` is like ``delivery/1``."""
    stated = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    return f'clause = "{clause}"\ntitle = "T"\n{stated}\n{body}\n'


def rules_in(folder: Path, files: Mapping[str, str], **given: Any) -> Rules:
    """The rules of a folder that holds these files, by path within it."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return Rules(folder=folder, **given)


def delivered(rules: Rules, executor: ExecutorName, vans: list[Van], delivery: Delivery | None = None) -> Run:
    """What the rules of deliveries say, with a trace; and the same without one."""
    course, about = Pipeline.of(rules, DELIVERY, executor), delivery or Delivery()
    found = course.run(about, vans, traced=True)[-1]
    assert course.run(about, vans)[-1].is_same_result(found._replace(trace=None))
    return found


def names(vans: Any) -> list[str]:
    return [each.name for each in vans]
