"""What a decision says, to be compared with another; and engines by the readings that they decide by."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from hypothesis import HealthCheck, settings

from mqclause import Cluster, Decision, Engine, Put, Rules
from mqclause.executors.operations import ExecutorName
from mqclause.model.facts.workload import Destination

law = settings(deadline=None, suppress_health_check=list(HealthCheck))
EXECUTORS: tuple[ExecutorName, ...] = ("compiled", "chaining", "plain")
Situation = tuple[Cluster, Put]
Identity = tuple[str, str, str, str, str]


@cache
def engine(executor: ExecutorName = "compiled", chosen: tuple[tuple[str, str], ...] = ()) -> Engine:
    """An engine for these readings, made once: durable_rules never gives the memory of its networks back."""
    return Engine(Rules(dict(chosen)), executor)


def with_readings(chosen: dict[str, str], executor: ExecutorName = "compiled") -> Engine:
    return engine(executor, tuple(sorted(chosen.items())))


def identity(each: Destination) -> Identity:
    """What tells a destination from another one of the same put."""
    return each.queue, each.alias, each.queue_manager, each.channel, each.cluster


def permitted(decision: Decision) -> set[Identity]:
    return {identity(each) for each in decision.permitted}


def fell_by(decision: Decision) -> dict[Identity, str]:
    return {identity(each): rule for each, rule in decision.fell_by().items()}


def reason(decision: Decision) -> tuple[str, int, str, str] | None:
    found = decision.reason
    return None if found is None else (found.name, found.code, found.call, found.rule)


def essence(decision: Decision) -> tuple[Any, ...]:
    """All that a decision without explanation says."""
    chosen, advance = decision.chosen, decision.advance
    state = decision.state
    return decision.outcome, reason(decision), chosen, advance, dict(state.counters), state.last_number


def outline(decision: Decision) -> list[Any]:
    """What the looks at the names and both runs of a decision gave, in a form that compares quickly."""
    place = {id(each): at for at, each in enumerate(decision.listed)}
    rows: list[Any] = [decision.outcome, *((look.facts, look.run.failure) for look in decision.resolved.looks)]

    def places(subjects: Iterable[Any]) -> list[int]:
        return [place[id(each)] for each in subjects]

    for run in decision.runs:
        did = [each and [places(each[0]), places(each[1]), each[2], each[3]] for each in run.trace or ()]
        rows += [places(run.remaining), run.failure, run.chosen, run.every, run.facts, did]
    return rows
