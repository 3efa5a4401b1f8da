"""Why a queue triggers or does not, as the JSON object of ``mqclause why``."""

from __future__ import annotations

from typing import Any

from attrs import asdict

from mqclause.answers.trigger.why import Doubt, PutNow

WHY_FORMAT = "mqclause.why/1"


def document(answer: PutNow) -> dict[str, Any]:
    """An answer as JSON values."""
    queue, rule = answer.queue, answer.rule
    triggers = {"triggers": True, "does not": False, "depends": None}[answer.verdict]
    return {
        "format": WHY_FORMAT,
        "queue": queue.name,
        "queue_manager": queue.queue_manager,
        "verdict": answer.verdict,
        "triggers": triggers,
        "rule": rule.id if rule else None,
        "reason": _reason(answer) if answer.reason is not None else None,
        "conditions": [_condition(each) for each in answer.doubts],
        "provided": answer.provided,
        "depends_on": [
            *({"what": each.what, "object": each.of, "command": each.command} for each in answer.depends_on),
            *map(asdict, answer.further),
        ],
        "changes": [],
        "assumptions": list(answer.assumed),
        "remarks": list(answer.remarks),
    }


def _reason(answer: PutNow) -> dict[str, Any]:
    return {"name": answer.reason_name, "code": answer.reason, "call": "MQPUT", "remedy": answer.remedy}


def _condition(doubt: Doubt) -> dict[str, Any]:
    rule, told = doubt.condition.rule, {"because": doubt.because, "remedy": doubt.condition.remedy or None}
    advice = {"advice": doubt.condition.advice} if doubt.condition.advice else {}
    return {"rule": rule.id, "clause": rule.clause, "holds": doubt.holds, **told, **advice}
