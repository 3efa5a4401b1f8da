"""The trace as a document: plain JSON values, see trace.schema.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from mqclause.trace.examined import Test
from mqclause.trace.record import Fate, StepTrace

FORMAT = "mqclause.trace/1"

Named = Callable[[Any], dict[str, Any]]
"""How a document names a subject, as a dictionary of its own."""

json_text = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def step_document(step: StepTrace, named: Named) -> dict[str, Any]:
    """A step as JSON values; ``named`` says how a subject is named."""
    if step.is_shared:
        document = _shared_document(step).copy()
        document["eliminated"] = []
        if step.derived:
            document["derived"] = dict(step.derived)
        return document
    return _document(step, named)


@lru_cache(maxsize=4096)
def _shared_document(step: StepTrace) -> dict[str, Any]:
    return _document(step, dict)


def _document(step: StepTrace, named: Named) -> dict[str, Any]:
    document: dict[str, Any] = {
        "rule": step.rule.id,
        "clause": step.rule.clause,
        "applied": step.applied,
        "remaining": step.remaining,
        "eliminated": [_fate(fate, named) for fate in step.eliminated],
    }
    if step.set_aside:
        document["set_aside"] = [_fate(fate, named) for fate in step.set_aside]
    if step.taken_back:
        document["taken_back"] = [named(each) for each in step.taken_back]
    if step.derived:
        document["derived"] = dict(step.derived)
    if step.when:
        document["when"] = [*map(_test, step.when)]
    return document


def steps_text(steps: Sequence[StepTrace], named: Named) -> str:
    """What json.dumps gives for the documents of ``steps``, several times as fast: most are the same every time."""
    texts = [_shared_text(step) if step.is_shared else json_text(step_document(step, named)) for step in steps]
    return f"[{', '.join(texts)}]"


@lru_cache(maxsize=4096)
def _shared_text(step: StepTrace) -> str:
    return json_text(_shared_document(step))


def _fate(fate: Fate, named: Named) -> dict[str, Any]:
    document = named(fate.subject)
    document["because"] = fate.because
    if fate.tests:
        document["tests"] = [*map(_test, fate.tests)]
    return document


def _test(test: Test) -> dict[str, Any]:
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in test.values.items()}
    return {"condition": test.condition, "holds": test.holds, "values": values}
