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
    from mqclause.answers.check.findings import Checks, Finding
    from mqclause.answers.check.inspection import Inspection, inspected
    from mqclause.answers.choice.decision import Advance, Decision
    from mqclause.answers.choice.engine import Engine
    from mqclause.answers.choice.explanation import Explanation
    from mqclause.answers.choice.reason import Reason
    from mqclause.answers.choice.rows import AnswerTable
    from mqclause.answers.choice.shares import Share, shares
    from mqclause.answers.cluster.cluster_map import MapRow, cluster_map
    from mqclause.answers.cluster.counterfactual import Counterfactual, WhyNot, counterfactuals, why_not
    from mqclause.answers.cluster.difference import PlanRow, plan
    from mqclause.answers.cluster.traffic import Move, Traffic, moves
    from mqclause.answers.order.retrieval import Retrieval
    from mqclause.answers.order.retrieval_calls import next_get
    from mqclause.answers.replay.replay import Replay
    from mqclause.answers.trigger.examination import Triggers
    from mqclause.answers.trigger.why import Why
    from mqclause.model.assembly.snapshot import Snapshot, read_document, read_files, read_members
    from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError
    from mqclause.model.facts.cluster import Cluster
    from mqclause.model.facts.message import Message
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
    from mqclause.model.facts.sequence import SequenceState
    from mqclause.model.timeline.scenario import Scenario, read_scenario
    from mqclause.rulebook.errors import ReadingError, RuleError
    from mqclause.rulebook.rules import Rules

_WHERE = {
    "answers.cluster.cluster_map": ("MapRow", "cluster_map"),
    "answers.cluster.counterfactual": ("Counterfactual", "WhyNot", "counterfactuals", "why_not"),
    "answers.choice.decision": ("Advance", "Decision"),
    "answers.cluster.difference": ("PlanRow", "plan"),
    "answers.choice.engine": ("Engine",),
    "answers.trigger.examination": ("Triggers",),
    "answers.trigger.why": ("Why",),
    "answers.choice.explanation": ("Explanation",),
    "answers.check.findings": ("Checks", "Finding"),
    "answers.check.inspection": ("Inspection", "inspected"),
    "answers.choice.reason": ("Reason",),
    "answers.replay.replay": ("Replay",),
    "answers.order.retrieval": ("Retrieval",),
    "answers.order.retrieval_calls": ("next_get",),
    "answers.choice.rows": ("AnswerTable",),
    "answers.choice.shares": ("Share", "shares"),
    "answers.cluster.traffic": ("Move", "Traffic", "moves"),
    "model.assembly.snapshot": ("Snapshot", "read_document", "read_files", "read_members"),
    "model.diagnostic": ("Diagnostic", "DomainError", "FactsError"),
    "model.facts.cluster": ("Cluster",),
    "model.facts.message": ("Message",),
    "model.facts.objects": (
        "Channel", "ModelQueue", "Process", "Put", "Queue", "QueueManager", "QueueManagerAlias", "RemoteQueueManager",
    ),
    "model.facts.sequence": ("SequenceState",),
    "model.timeline.scenario": ("Scenario", "read_scenario"),
    "rulebook.errors": ("ReadingError", "RuleError"),
    "rulebook.rules": ("Rules",),
}  # fmt: skip
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
