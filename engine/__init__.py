"""The clauses of IBM MQ's documents as rules that a person can read and a program can run.

from mqclause import Engine, Put, read_files

snapshot = read_files(["QM1.mqsc", "QM2.mqsc"], local="QM1")
decision = Engine().choose(Put(queue="ORDERS.IN"), snapshot.cluster, explain="rule")
print(decision)
"""

from mqclause.answers.decision import Advance, Decision, Reason
from mqclause.answers.engine import Engine
from mqclause.answers.examination import Triggers
from mqclause.answers.replay import Replay
from mqclause.model.assembly.snapshot import Snapshot, read_document, read_files
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import (
    Channel,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.facts.sequence import SequenceState
from mqclause.model.timeline.scenario import Scenario, read_scenario
from mqclause.rulebook.reading import ReadingError
from mqclause.rulebook.rule_file import RuleError

__all__ = [
    "Advance",
    "Channel",
    "Cluster",
    "Decision",
    "Diagnostic",
    "DomainError",
    "Engine",
    "FactsError",
    "Process",
    "Put",
    "Queue",
    "QueueManager",
    "QueueManagerAlias",
    "ReadingError",
    "Reason",
    "RemoteQueueManager",
    "Replay",
    "RuleError",
    "Scenario",
    "SequenceState",
    "Snapshot",
    "Triggers",
    "read_document",
    "read_files",
    "read_scenario",
]
