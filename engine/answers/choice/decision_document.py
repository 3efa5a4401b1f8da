"""A decision as the document ``mqclause.trace/1``, but for its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import fields

from mqclause.answers.choice.resolution import Look
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put
from mqclause.trace.document import FORMAT

if TYPE_CHECKING:
    from mqclause.answers.choice.decision import Advance, Decision

PUT_DEFAULTS = tuple((attribute.name, attribute.default) for attribute in fields(Put))


def until_steps(decision: Decision) -> dict[str, Any]:
    """What stands before the steps in the document of a decision."""
    reason, chosen = decision.reason, decision.chosen
    return {
        "format": FORMAT,
        "ruleset": decision.rulesets[0].name,
        "edition": decision.rules.edition,
        "edition_from": decision.edition_from,
        "readings": dict(decision.course.readings),
        "put": _stated(decision.put),
        "resolution": [_look(each) for each in decision.resolved.followed],
        "outcome": decision.outcome,
        "reason": reason and {"name": reason.name, "code": reason.code, "call": reason.call},
        "chosen": chosen and destination_document(chosen),
        "permitted": [destination_document(each) for each in decision.permitted],
    }


def after_steps(decision: Decision, besides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What stands behind them; ``besides`` has its remarks and all else that a decision alone does not say in full."""
    reason, advance = decision.reason, decision.advance
    document: dict[str, Any] = {
        "advance": advance and _advance(advance),
        **({"remarks": list(decision.remarks), "incomplete": []} if besides is None else besides),
    }
    if reason is not None:
        document |= {"because": reason.because, "rule": reason.rule}
    if decision.exit is not None and decision.exit.is_given:
        document["exit"] = decision.exit.document(destination_document)
    return document


def _look(look: Look) -> dict[str, Any]:
    """An object that was followed: an alias of a queue manager is a QREMOTE too."""
    facts = look.facts
    kind = facts["object_kind"]
    return {
        "object": facts["object"],
        "type": "QREMOTE" if kind == "QMALIAS" else kind,
        "to": facts["leads_to"],
        **look.document(),
    }


def _stated(put: Put) -> dict[str, Any]:
    """The attributes of the put that are not MQ's defaults."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, default in PUT_DEFAULTS
        if (value := getattr(put, name)) is not default and value != default
    }


def _advance(advance: Advance) -> dict[str, Any]:
    return {
        "channel": advance.channel or None,
        "dest_seq_factor": advance.dest_seq_factor,
        "dest_seq_number": advance.dest_seq_number,
    }


def destination_document(destination: Destination) -> dict[str, Any]:
    """How a document names a destination."""
    document = {
        "queue": destination.queue or None,
        "queue_manager": destination.queue_manager,
        "channel": destination.channel or None,
    }
    if destination.transmission_queue:
        document["transmission_queue"] = destination.transmission_queue
    return document
