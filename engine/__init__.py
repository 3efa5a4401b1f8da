"""The clauses of IBM MQ's documents as rules that a person can read and a program can run.

from mqclause import Engine, Put, read_files

snapshot = read_files(["QM1.mqsc", "QM2.mqsc"], local="QM1")
decision = Engine().choose(Put(queue="ORDERS.IN"), snapshot.cluster, explain="rule")
print(decision)

A name is loaded when it is first used, and with it only what it needs. Type checkers read them in the stub beside this.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "answers": "AnswerTable Outcome Reason RecordedAnswer ShownAnswer",
    "check.findings": "Checks Finding FindingChanges Inspection inspected",
    "check.report": "Findings check_files",
    "cluster.admin_commands": "AdminCommand fail",
    "cluster.counterfactuals": "Counterfactual WhyNot counterfactuals why_not",
    "cluster.map": "MapRow cluster_map",
    "cluster.plan": "ChangePlan Move PlanRow Traffic moves plan",
    "model.configuration.inputs": "Input text",
    "model.configuration.members": "Members read read_files read_members",
    "model.configuration.snapshot": "Snapshot read_document",
    "model.configuration.sources": "Source",
    "executors.pipeline": "NotInstalledError",
    "exits.process": "ExitFaultError",
    "model.diagnostics": "ArgumentError Diagnostic DomainError FactsError MqclauseError",
    "model.facts.cluster": "Cluster ContradictionError",
    "model.facts.messages": "Message",
    "model.facts.objects": "Channel ModelQueue Process Put Queue QueueManager QueueManagerAlias RemoteQueueManager",
    "model.facts.workload": "SequenceState",
    "model.timeline.events": "Event EventError",
    "model.timeline.scenario": "Scenario read_scenario",
    "replay.runner": "Replay",
    "retrieval.calls": "next_get",
    "retrieval.order": "Retrieval",
    "rulebook.rule": "ReadingError RuleError UnansweredError",
    "rulebook.rules": "Rules",
    "schemas": "list_schemas read_schema",
    "trigger.examination": "Triggers",
    "trigger.why": "Why",
    "workload.decision": "Advance Decision Engine",
    "workload.explanation": "Explanation",
    "workload.shares": "Share shares",
}
"""The public names of each module."""

MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
"""The module of each public name."""

__all__ = sorted(MODULES)


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
