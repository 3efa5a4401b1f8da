"""``mqclause explain --why-not``: why a queue manager is not chosen, and which commands would change it."""

from __future__ import annotations

from attrs import evolve

from mqclause.cluster.admin_commands import explain_absence
from mqclause.cluster.counterfactuals import WhyNot, describe_unknown_queue_manager
from mqclause.cluster.counterfactuals import find_why_not as search_why_not
from mqclause.exits.process import Exits
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.tools.errors import NothingAskedError
from mqclause.workload.decision import Engine
from mqclause.workload.explanation import Explanation


def find_why_not(told: Explanation, name: str, snapshot: Snapshot, given: Exits) -> WhyNot:
    """Find why a queue manager is not chosen. Raises NothingAskedError for one that is not known."""
    if unknown := describe_unknown_queue_manager(told.decision, name, snapshot.others.strangers):
        raise NothingAskedError(f"--why-not: {unknown}")
    with Engine(told.decision.rules, exits=given.given, exit_limit=given.limit) as engine:
        answer = search_why_not(told.decision, name, engine)
    if answer.permitted or answer.fallen:
        return answer
    return evolve(answer, absent=explain_absence(told.decision, name, snapshot))
