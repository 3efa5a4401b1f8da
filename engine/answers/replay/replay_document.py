"""Rows of a replay as the JSON objects of ``mqclause replay``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.decision_document import destination_document
from mqclause.answers.trigger.examination import Examination
from mqclause.model.facts.destination import Destination

if TYPE_CHECKING:
    from mqclause.answers.replay.replay_row import Row, TriggerMessage


def row_document(row: Row) -> dict[str, Any]:
    """A row as the JSON object of ``mqclause replay``."""
    document: dict[str, Any] = {"event": row.number, "do": row.event.do}
    if row.repeat is not None:
        document["repeat"] = row.repeat
    document["routed"] = _routed(row.routed)
    document["trigger_messages"] = [_message(each) for each in row.trigger_messages]
    document["released"] = [{"queue": each.queue, "created_by_event": each.created_by_event} for each in row.released]
    document["conditions"] = [condition for each in row.examinations for condition in _conditions(each)]
    document["changed"] = [_turned_off(each) for each in row.turned_off]
    if row.returned is not None:
        document |= row.returned.to_json()
    if row.reason is not None:
        document["reason"] = row.reason
    document |= {"because": row.because} if row.because else {}
    document |= {"remedy": row.remedy} if row.remedy else {}
    if row.warning:
        document["warning"] = True
    if row.exit is not None and row.exit.is_given:
        document["exit"] = row.exit.document(destination_document)
    if row.remarks:
        document["remarks"] = list(row.remarks)
    if row.administered is not None:
        document["changed"] += row.administered.changed
        document |= row.administered.document()
    return document


def _routed(routed: Destination | Decision | None) -> dict[str, Any] | None:
    if isinstance(routed, Decision):
        reason = routed.reason
        return {"failed": reason and {"name": reason.name, "code": reason.code, "call": reason.call}}
    if routed is None:
        return None
    return destination_document(routed)


def _message(message: TriggerMessage) -> dict[str, Any]:
    examination = message.examination
    occasion, fields, rule = examination.occasion, examination.fields, examination.rule
    names = ("trigger_data", "appl_type", "appl_id", "env_data", "user_data")
    return {
        "queue": fields["of_queue"],
        "initiation_queue": occasion.initq,
        "process": fields["of_process"],
        **{name: fields[name] for name in names},
        "rule": rule.id if rule else None,
        "available": message.available,
    }


def _conditions(examination: Examination) -> Iterator[dict[str, Any]]:
    queue = examination.occasion.queue
    for each in examination.conditions:
        row = {"queue": queue, "rule": each.rule.id, "clause": each.rule.clause, "holds": each.holds}
        yield row if each.holds else {**row, "because": each.because}


def _turned_off(examination: Examination) -> dict[str, Any]:
    rule = examination.turns_off
    queue = examination.occasion.queue
    return {"queue": queue, "attribute": "trigger", "value": False, "rule": rule.id if rule else None}
