"""The clauses of IBM MQ's documents as rules that a person can read and a program can run.

from mqclause import Engine, Put, read_files

snapshot = read_files(["QM1.mqsc", "QM2.mqsc"], local="QM1")
decision = Engine().choose(Put(queue="ORDERS.IN"), snapshot.cluster, explain="rule")
print(decision)

A name is loaded when it is first used, and with it only what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mqclause.answers import AnswerTable, Reason
    from mqclause.check.findings import Checks, Finding
    from mqclause.check.lint_run import Inspection, inspected
    from mqclause.cluster.counterfactuals import Counterfactual, WhyNot, counterfactuals, why_not
    from mqclause.cluster.map import MapRow, cluster_map
    from mqclause.cluster.plan import Move, PlanRow, Traffic, moves, plan
    from mqclause.model.configuration.snapshot import Snapshot, read_document, read_files, read_members
    from mqclause.model.diagnostics import Diagnostic, DomainError, FactsError
    from mqclause.model.facts.cluster import Cluster
    from mqclause.model.facts.messages import Message
    from mqclause.model.facts.objects import (
        Channel,
        ModelQueue,
        Process,
        Put,
        Queue,
        QueueManager,
        QueueManagerAlias,
        RemoteQueueManager,
    )
    from mqclause.model.facts.workload import SequenceState
    from mqclause.model.timeline.scenario import Scenario, read_scenario
    from mqclause.replay.runner import Replay
    from mqclause.retrieval.calls import next_get
    from mqclause.retrieval.order import Retrieval
    from mqclause.rulebook.rule import ReadingError, RuleError
    from mqclause.rulebook.rules import Rules
    from mqclause.trigger.examination import Triggers
    from mqclause.trigger.why import Why
    from mqclause.workload.decision import Advance, Decision, Engine
    from mqclause.workload.explanation import Explanation
    from mqclause.workload.shares import Share, shares

_WHERE = {
    "answers": (
        "AnswerTable",
        "Reason",
    ),
    "check.findings": (
        "Checks",
        "Finding",
    ),
    "check.lint_run": (
        "Inspection",
        "inspected",
    ),
    "cluster.counterfactuals": (
        "Counterfactual",
        "WhyNot",
        "counterfactuals",
        "why_not",
    ),
    "cluster.map": (
        "MapRow",
        "cluster_map",
    ),
    "cluster.plan": (
        "Move",
        "PlanRow",
        "Traffic",
        "moves",
        "plan",
    ),
    "model.configuration.snapshot": (
        "Snapshot",
        "read_document",
        "read_files",
        "read_members",
    ),
    "model.diagnostics": (
        "Diagnostic",
        "DomainError",
        "FactsError",
    ),
    "model.facts.cluster": ("Cluster",),
    "model.facts.messages": ("Message",),
    "model.facts.objects": (
        "Channel",
        "ModelQueue",
        "Process",
        "Put",
        "Queue",
        "QueueManager",
        "QueueManagerAlias",
        "RemoteQueueManager",
    ),
    "model.facts.workload": ("SequenceState",),
    "model.timeline.scenario": (
        "Scenario",
        "read_scenario",
    ),
    "replay.runner": ("Replay",),
    "retrieval.calls": ("next_get",),
    "retrieval.order": ("Retrieval",),
    "rulebook.rule": (
        "ReadingError",
        "RuleError",
    ),
    "rulebook.rules": ("Rules",),
    "trigger.examination": ("Triggers",),
    "trigger.why": ("Why",),
    "workload.decision": (
        "Advance",
        "Decision",
        "Engine",
    ),
    "workload.explanation": ("Explanation",),
    "workload.shares": (
        "Share",
        "shares",
    ),
}
_MODULES = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "Advance",
    "AnswerTable",
    "Channel",
    "Checks",
    "Cluster",
    "Counterfactual",
    "Decision",
    "Diagnostic",
    "DomainError",
    "Engine",
    "Explanation",
    "FactsError",
    "Finding",
    "Inspection",
    "MapRow",
    "Message",
    "ModelQueue",
    "Move",
    "PlanRow",
    "Process",
    "Put",
    "Queue",
    "QueueManager",
    "QueueManagerAlias",
    "ReadingError",
    "Reason",
    "RemoteQueueManager",
    "Replay",
    "Retrieval",
    "RuleError",
    "Rules",
    "Scenario",
    "SequenceState",
    "Share",
    "Snapshot",
    "Traffic",
    "Triggers",
    "Why",
    "WhyNot",
    "cluster_map",
    "counterfactuals",
    "inspected",
    "moves",
    "next_get",
    "plan",
    "read_document",
    "read_files",
    "read_members",
    "read_scenario",
    "shares",
    "why_not",
]


if not TYPE_CHECKING:  # to a type checker, which knows the names above, any other would be a name too

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
