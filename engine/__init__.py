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
    "check.findings": "Checks FailedCondition Finding FindingChanges Inspection inspected",
    "check.report": "Findings check_files",
    "cluster.admin_commands": "AdminCommand fail",
    "cluster.counterfactuals": "Counterfactual Counterfactuals WhyNot counterfactuals why_not",
    "cluster.map": "ClusterMap ExitShares MapRow cluster_map",
    "cluster.plan": "ChangePlan Move PlanRow PlanTable Traffic Upgrade moves plan",
    "executors.operations": "ExecutorName",
    "executors.pipeline": "NotInstalledError",
    "exits.process": "ExitFaultError",
    "model.configuration.completeness": "MissingInformation",
    "model.configuration.members": "Members read read_files read_members",
    "model.configuration.snapshot": "Snapshot read_document",
    "model.configuration.sources": "Input Source text",
    "model.diagnostics": "ArgumentError Diagnostic DomainError FactsError MqclauseError",
    "model.facts.cluster": "Cluster ContradictionError",
    "model.facts.messages": "Message",
    "model.facts.objects": (
        "Ability Binding Channel ChannelDefinition ChannelState ChannelStatus DeliverySequence "
        "ModelQueue Platform Process Put PutBinding PutCall Queue QueueManager QueueManagerAlias "
        "QueueType QueueUsage RemoteQueueManager TriggerType UseQueue UseQueueOfQueue"
    ),
    "model.facts.workload": "Destination DestinationSequence SequenceState",
    "model.timeline.administration": "InFlightMessage",
    "model.timeline.events": "Event EventError",
    "model.timeline.scenario": "Scenario read_scenario",
    "model.timeline.trigger_events": "TriggerEvent",
    "replay.runner": "Replay Row",
    "retrieval.calls": "RetrievalResult next_get",
    "retrieval.order": "PassedOver QueueOrder Retrieval",
    "rulebook.rule": "ReadingError Rule RuleError UnansweredError",
    "rulebook.rules": "Rules",
    "schemas": "list_schemas read_schema",
    "tables.schema": "TableError",
    "trace": "Effect StepTrace",
    "trigger.examination": "ConditionResult Examination Triggers",
    "trigger.why": "BlockingCondition UnknownFact Why WhyAnswer",
    "workload.decision": "Advance Decision Engine Level OtherReading",
    "workload.editions": "OtherEdition",
    "workload.exit_answer": "ExitAnswer",
    "workload.explanation": "Explanation",
    "workload.resolution": "Resolution",
    "workload.shares": "Share Shares shares",
}
"""The public names of each module."""

MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
"""The module of each public name."""

__all__ = sorted(MODULES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
