"""Show in a notebook the pictures that pages have: of a decision, of a map and of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mqclause.answers import RecordedAnswer
from mqclause.pages.cluster import ClusterView, view_map
from mqclause.pages.decision import view_decision
from mqclause.pages.diagram import can_draw
from mqclause.pages.page import View, render_part
from mqclause.pages.plan import PlanView, view_plan


def _view_map(answer: Any) -> ClusterView:
    return view_map(answer, draw=can_draw())


def _view_plan(answer: Any) -> PlanView:
    return view_plan(answer, draw=can_draw())


VIEWS: Mapping[str, Callable[[Any], View]] = {
    "Decision": view_decision, "Explanation": view_decision, "ClusterMap": _view_map, "MapRow": _view_map,
    "ChangePlan": _view_plan, "PlanTable": _view_plan, "PlanRow": _view_plan,
}  # fmt: skip
"""The view of each kind of answer that has a picture."""


def render_notebook(answer: Any) -> str | None:
    """Render the picture of an answer, live or recorded; None where its kind has none."""
    is_recorded = isinstance(answer, RecordedAnswer)
    view = VIEWS.get(answer.kind if is_recorded else type(answer).__name__)
    return None if view is None else render_part(view(answer.to_json() if is_recorded else answer))
