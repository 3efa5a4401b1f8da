"""Assertions of a test suite for a cluster: where puts go, what triggers, what the checks find; a failure says why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter

from mqclause.check.findings import Checks
from mqclause.check.report import check_files
from mqclause.cluster.counterfactuals import describe_unknown_queue_manager
from mqclause.cluster.map import build_map_row
from mqclause.model.configuration.members import Members
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.configuration.sources import Input
from mqclause.model.diagnostics import ArgumentError, check_type, quote_value, suggest_allowed
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import REASONS
from mqclause.model.facts.objects import Put, PutBinding, PutCall
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.trigger.why import Why
from mqclause.workload.decision import Engine
from mqclause.workload.editions import find_missing_level
from mqclause.workload.explanation import Explanation
from mqclause.workload.sensitivity import find_unknowns
from mqclause.workload.shares import sum_parts

Asked = Cluster | Snapshot | Members
"""What is asserted of: all members of a cluster, or what one queue manager knows of it."""

NEAR = Fraction(1, 10**6)
"""Parts that differ by no more are the same: ``1/3`` is no exact number of Python's, and ``0.333333`` is a third."""

DIGITS = (3, 6, 9, 17)
"""With how many digits parts are written: with as many as tell what is from what is expected."""

Part = float | Fraction | Decimal


def assert_routes(
    cluster: Asked,
    queue: str,
    *,
    to: Mapping[str, Part],
    at: str = "",
    bind: PutBinding = "NOTFIXED",
    engine: Engine | None = None,
    within: Part = NEAR,
    accept_unknown: bool = False,
) -> None:
    """Assert which parts of the puts to ``queue``, made at the queue manager ``at``, go to which queue managers.

    The parts are those of the long run, from fresh counters; they sum to 1, and ``to`` is empty where puts fail. Each
    may differ by ``within``, a millionth. What is not known and could change the answer, such as the state of a
    channel, makes it fail, too, unless ``accept_unknown`` takes it as it is taken. Raises AssertionError with the trace
    of the decision, ArgumentError for parts that cannot be and a queue manager that is not known.
    """
    __tracebackhide__ = True
    own, nearly = _member(cluster, at), _read_part("within", within)
    row = build_map_row(own, check_type("queue", queue, str), Engine.given(engine), bind)
    found: dict[str, Fraction] = sum_parts(row.shares, attrgetter("queue_manager"))
    expected = _read_parts(to, nearly)
    for name in expected:
        if unknown := describe_unknown_queue_manager(row.decision, name, found):
            raise ArgumentError(f"to: {unknown}")
    names = {*found, *expected}
    is_so = all(abs(found.get(name, Fraction(0)) - expected.get(name, Fraction(0))) <= nearly for name in names)
    if is_so and (accept_unknown or not row.incomplete):
        return
    made, wanted = _write_parts(found, expected)
    goes = f"{queue} from {row.member} goes to {made or f'nowhere ({row.decision.verdict})'}"
    said = f"{goes}{ON_UNKNOWN}" if is_so else f"{goes}; expected {wanted or 'nowhere'}"
    raise AssertionError(f"{said}\n\n{_explain(own, row.decision.put, engine)}")


ON_UNKNOWN = ", as expected, but that rests on what is not known; state it, or say accept_unknown=True"


def assert_fails(
    cluster: Asked,
    queue: str,
    reason: str | int,
    *,
    at: str = "",
    call: PutCall = "MQPUT",
    bind: PutBinding = "AS_Q_DEF",
    engine: Engine | None = None,
    accept_unknown: bool = False,
) -> None:
    """Assert that a put to ``queue`` fails with a reason code, by its name or its number.

    ``accept_unknown`` as of ``assert_routes``. Raises AssertionError with the trace, ArgumentError for a reason code
    that no rule gives.
    """
    __tracebackhide__ = True
    own, put, wanted = _member(cluster, at), Put(queue, call=call, bind=bind), _find_reason(reason)
    decision = Engine.given(engine).choose(put, own.cluster)
    made = f"{call} to {queue} at {own.cluster.queue_manager.name}: {decision.verdict}"
    if decision.reason is None or decision.reason.name != wanted:
        raise AssertionError(f"{made}; expected {wanted} ({REASONS[wanted]})\n\n{_explain(own, put, engine)}")
    unknown = () if accept_unknown else (*find_unknowns(decision, own), *find_missing_level(decision, own))
    if unknown:
        raise AssertionError(f"{made}{ON_UNKNOWN}\n\n{_explain(own, put, engine)}")


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
    at = check_type("at", at, str).rstrip(" ")
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
    asked = Engine.given(engine)
    decision = asked.choose(put, own.cluster, explain="rule")
    return Explanation.of(decision, own, other_readings=False, engine=asked)


def _find_reason(reason: str | int) -> str:
    """The name of a reason code. Raises ArgumentError for one that no put ends with."""
    if isinstance(reason, int) and not isinstance(reason, bool):
        names = {code: name for name, code in REASONS.items()}
        if reason not in names:
            raise ArgumentError(f"reason: {reason} is none that rules give{suggest_allowed(reason, map(str, names))}")
        return names[reason]
    name = check_type("reason", reason, str, " or int")
    if name not in REASONS:
        raise ArgumentError(f"reason: {quote_value(name)} is none that rules give{suggest_allowed(name, REASONS)}")
    return name


def _read_parts(to: Mapping[str, Part], nearly: Fraction) -> dict[str, Fraction]:
    """The parts by queue manager. Raises TypeError and ArgumentError for what are no parts of one whole."""
    if not isinstance(to, Mapping):
        check_type("to", to, dict, ", the part of each queue manager by its name")
    found = {
        check_type("a name in to", name, str): _read_part(f"to: the part of {name}", part) for name, part in to.items()
    }
    total = sum(found.values())
    if total and abs(total - 1) > nearly * len(found):
        raise ArgumentError(f"to: the parts sum to {float(total):.9g}; expected 1, or no part where puts fail")
    return found


def _read_part(name: str, part: object) -> Fraction:
    if isinstance(part, bool) or not isinstance(part, int | float | Fraction | Decimal):
        raise TypeError(f"{name} is of the type {type(part).__name__}; expected a number from 0 to 1")
    if not 0 <= part <= 1:  # nan neither
        raise ArgumentError(f"{name} is {part}; expected a number from 0 to 1")
    return Fraction(part)


def _write_parts(*given: Mapping[str, Fraction]) -> list[str]:
    """Each side's parts, with so many digits that they are told from one another."""
    texts: list[str] = []
    for digits in DIGITS:
        texts = [
            ", ".join(f"{name} {float(part):.{digits}g}" for name, part in sorted(parts.items()) if part)
            for parts in given
        ]
        if len({*texts}) == len(texts):
            break
    return texts
