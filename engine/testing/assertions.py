"""Assertions of a test suite for a cluster: where puts go, what triggers, what the checks find; a failure says why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from mqclause.check.findings import Checks
from mqclause.check.report import check_files
from mqclause.cluster.map import build_map_row
from mqclause.model.configuration.inputs import Input
from mqclause.model.configuration.members import Members
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import ArgumentError, check_type, quote_value, suggest_allowed
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put, PutBinding, PutCall
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.trigger.why import Why
from mqclause.workload.decision import Engine
from mqclause.workload.explanation import Explanation

Asked = Cluster | Snapshot | Members
"""What is asserted of: all members of a cluster, or what one queue manager knows of it."""

NEAR = Fraction(1, 10**9)
"""Parts that differ by less are the same: ``1/3`` is no exact number of Python's."""


def assert_routes(
    cluster: Asked,
    queue: str,
    *,
    to: Mapping[str, float | Fraction],
    at: str = "",
    bind: PutBinding = "NOTFIXED",
    engine: Engine | None = None,
) -> None:
    """Assert which parts of the puts to ``queue``, made at the queue manager ``at``, go to which queue managers.

    The parts are those of the long run, from fresh counters. Raises AssertionError with the trace of the decision.
    """
    __tracebackhide__ = True
    own = _member(cluster, at)
    row = build_map_row(own, queue, Engine.given(engine), bind)
    found: dict[str, Fraction] = {}
    for each in row.shares:
        name = each.destination.queue_manager
        found[name] = found.get(name, Fraction(0)) + each.part
    expected = {name: Fraction(part) for name, part in to.items() if part}
    if found.keys() == expected.keys() and all(abs(found[name] - expected[name]) < NEAR for name in found):
        return
    made = _write_parts(found) if found else f"nowhere ({row.decision.verdict})"
    said = f"{queue} from {row.member} goes to {made}; expected {_write_parts(expected) or 'nowhere'}"
    raise AssertionError(f"{said}\n\n{_explain(own, row.decision.put, engine)}")


def assert_fails(
    cluster: Asked,
    queue: str,
    reason: str,
    *,
    at: str = "",
    call: PutCall = "MQPUT",
    bind: PutBinding = "AS_Q_DEF",
    engine: Engine | None = None,
) -> None:
    """Assert that a put to ``queue`` fails with a reason code, by its name. Raises AssertionError with the trace."""
    __tracebackhide__ = True
    own, put = _member(cluster, at), Put(queue, call=call, bind=bind)
    decision = Engine.given(engine).choose(put, own.cluster)
    name = decision.reason.name if decision.reason is not None else ""
    if name != reason:
        said = f"{call} to {queue} at {own.cluster.queue_manager.name}: {decision.verdict}; expected {reason}"
        raise AssertionError(f"{said}\n\n{_explain(own, put, engine)}")


def assert_triggers(
    cluster: Asked, queue: str, *, at: str = "", priority: int | None = None, triggers: bool = True
) -> None:
    """Assert that a message put to ``queue`` now makes a trigger message, or that it makes none.

    Raises AssertionError with the conditions that do not hold, also where what is not known decides.
    """
    __tracebackhide__ = True
    answer = Why().ask(queue, _member(cluster, at), priority)
    if answer.verdict != ("triggers" if triggers else "does not"):
        raise AssertionError(f"a message put to {queue} {_EXPECTED[triggers]}\n\n{answer}")


_EXPECTED = {True: "is expected to trigger", False: "is expected not to trigger"}


def assert_no_findings(
    *inputs: Input, ignored: Collection[str] = (), at: str | None = None, fail_on: str = SEVERITIES[-1]
) -> None:
    """Assert that the checks find nothing of a severity, or graver, in what is read. Raises AssertionError."""
    __tracebackhide__ = True
    if fail_on not in SEVERITIES:
        raise ArgumentError(f"fail_on={quote_value(fail_on)} is no severity{suggest_allowed(fail_on, SEVERITIES)}")
    found = check_files(*inputs, checks=Checks(ignored=ignored), at=at)
    grave = [each for each in found if SEVERITIES.index(each.severity) <= SEVERITIES.index(fail_on)]
    if grave:
        raise AssertionError(
            "\n".join([f"{len(grave)} findings of severity {fail_on} or graver", "", *map(str, grave)])
        )


def _member(cluster: Asked, at: str) -> Snapshot:
    """What the queue manager ``at`` knows. Raises ArgumentError where it is left open which one that is."""
    if isinstance(cluster, Members):
        if at:
            return cluster.at(at)
        if len(cluster) == 1:
            return cluster[0]
        raise ArgumentError(f"at is not given; which queue manager puts? described: {', '.join(cluster.names)}")
    own = cluster if isinstance(cluster, Snapshot) else Snapshot(check_type("cluster", cluster, Cluster, " or Members"))
    name = own.cluster.queue_manager.name
    if at not in ("", name):
        raise ArgumentError(f"at={quote_value(at)}: this is what {name} knows; give all members, as read does")
    return own


def _explain(own: Snapshot, put: Put, engine: Engine | None) -> Explanation:
    decision = Engine.given(engine).choose(put, own.cluster, explain="rule")
    return Explanation.of(decision, own, other_readings=False)


def _write_parts(parts: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} {float(part):.3g}" for name, part in sorted(parts.items()))
