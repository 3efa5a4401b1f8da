"""``mqclause explain``: the decision by forward chaining, checked against the compiled rules."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from mqclause.answers.decision import Decision, Level
from mqclause.answers.engine import Engine
from mqclause.model.assembly.snapshot import Source, read_sources
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.tools.render.terminal import print_decision

STATUS = {"chosen": 0, "deferred": 0, "failed": 1}


class NothingAskedError(ValueError):
    """The facts hold no put, and no option names one."""


class DisagreementError(RuntimeError):
    """The two executors gave different answers: an error of ours, never of the input."""


def explain_files(
    files: Sequence[tuple[str, bytes]],
    asked: Mapping[str, str],
    local: str | None,
    as_json: bool,
    conditions: bool,
    readings: Mapping[str, str],
    lenient: bool,
) -> int:
    """Explains one put and returns the exit status.

    ``files`` are names and contents, ``asked`` the attributes of the put that were given as options. Raises
    FactsError, ReadingError, NothingAskedError and DisagreementError.
    """
    snapshot = read_sources([Source(*file) for file in files], local, lenient)
    put = asked_put(snapshot.put, asked, snapshot.cluster)
    decision = checked_decision(put, snapshot.cluster, readings, conditions)
    for warning in snapshot.warnings:
        print(f"warning: {warning}", file=sys.stderr)  # noqa: T201
    if as_json:
        document = {**decision.to_json(), "assumptions": list(snapshot.assumptions)}
        print(json.dumps(document, ensure_ascii=False))  # noqa: T201
    else:
        print_decision(decision, snapshot.assumptions)
    return STATUS[decision.outcome]


def asked_put(given: Put | None, asked: Mapping[str, str], cluster: Cluster | None = None) -> Put:
    """The put of the facts with what was asked for in its place. Raises NothingAskedError and FactsError."""
    if "queue" in asked and "queue_manager" in asked:
        raise NothingAskedError("--put and --to-queue-manager: name a queue or a queue manager, not both")
    named = {"queue": "", "queue_manager": ""} if {"queue", "queue_manager"} & set(asked) else {}
    try:
        changed: dict[str, Any] = {**named, **asked}
        put = evolve(given or Put(), **changed)
    except DomainError as error:
        raise FactsError([Diagnostic("put", str(error))]) from None
    if not (put.queue or put.queue_manager):
        how = "name a queue with --put, or give a [put] table with queue or queue_manager"
        raise NothingAskedError(f"no put: {how}{_queues(cluster)}")
    return put


def _queues(cluster: Cluster | None) -> str:
    if cluster is None:
        return ""
    names = [name for name in cluster.queues_by_name if not name.startswith("SYSTEM.")]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"; queues in the facts: {shown}" if names else ""


def checked_decision(put: Put, cluster: Cluster, readings: Mapping[str, str], conditions: bool) -> Decision:
    """The decision by chaining; raises DisagreementError unless the compiled rules say the same in everything."""
    level: Level = "condition" if conditions else "rule"
    chaining = Engine(readings, executor="chaining").choose(put, cluster, explain=level)
    compiled = Engine(readings).choose(put, cluster, explain=level)
    one, other = chaining.to_json(), compiled.to_json()
    for key, value in one.items():
        if value != other[key]:
            raise DisagreementError(f"chaining and compiled differ in {key!r}: {value} and {other[key]}")
    return chaining
