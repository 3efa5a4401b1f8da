"""Types that stand in signatures of ``mqclause`` and that few programs name: the workings of rules, files, checks.

A name is loaded when it is first used; type checkers read them in the stub beside this.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "check.findings": "InspectedQueueManager StoredScript",
    "executors.operations": "LoweredRuleset Run",
    "executors.pipeline": "Pipeline",
    "exits.process": "ExitSession",
    "language.nodes": "Expression",
    "language.vocabulary": "Vocabulary",
    "model.configuration.checked_cluster": "ClusterCheckContext",
    "model.configuration.checked_member": "ConfiguredMember",
    "model.configuration.checked_objects": "ConfiguredObject",
    "model.configuration.knowledge": "CommandLevel LocalKnowledge",
    "model.configuration.provenance": "Origin PlacedFact Provenance",
    "model.configuration.sources": "OpenFile SourceReader",
    "model.configuration.view": "OtherMembers",
    "model.exits": "ExitCall",
    "model.facts.cluster": "Contradiction",
    "model.facts.delivery": "Delivery DeliveryContext",
    "model.facts.messages": "QueuedMessage RetrievalCall",
    "model.facts.objects": "ChannelAttributes QueueAttributes",
    "model.facts.workload": "DestinationListing Situation SnapshotChanges",
    "model.readers.encodings": "Content",
    "model.readers.formats": "DocumentPlaces Format",
    "model.readers.records": "Script",
    "model.timeline.retrieval": "QueueView VisibleMessage",
    "model.timeline.transitions": "QueueManagerState",
    "model.timeline.trigger_events": "CallFailure",
    "replay.administration": "AdministrationResult",
    "replay.runner": "ReleasedTriggerMessage TriggerMessage",
    "retrieval.calls": "CallReason",
    "retrieval.order": "PutOrderGuarantee RetrievalPlan",
    "rulebook.rule": (
        "Choose Conclude Condition Declaration Derive Eliminate Example FailWith Keep "
        "MessageTemplate Notice OrderBy Ruleset SetAside Settle TakeBack"
    ),
    "rulebook.rules": "RulesOrigin",
    "schemas": "DocumentSchema",
    "trace": "Test",
    "workload.resolution": "ResolutionStep TransmissionQueueRules",
}
"""The names of each module."""

MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
"""The module of each name."""

__all__ = sorted(MODULES)


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"mqclause.{MODULES[name]}"), name)
    globals()[name] = found
    return found
