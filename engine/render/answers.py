"""Print any answer as the command that gives it does: what ``str()`` of one is."""

from __future__ import annotations

from typing import Any, TextIO

from rich.console import Console

from mqclause.answers import AnswerTable, RecordedAnswer
from mqclause.check.findings import Finding
from mqclause.check.report import Findings
from mqclause.cluster.counterfactuals import Counterfactuals, WhyNot
from mqclause.cluster.map import ClusterMap, MapRow
from mqclause.cluster.plan import ChangePlan, PlanRow, PlanTable
from mqclause.render.cluster import print_map, print_plan
from mqclause.render.documents import ShownRows, list_shown_rows, render_document
from mqclause.render.explanation import print_explanation
from mqclause.render.findings import print_finding, print_findings
from mqclause.render.order import render_next_gets, render_order
from mqclause.render.replay import print_timeline, render_call_reason, render_returned
from mqclause.render.terminal import Page
from mqclause.render.why import print_answers, print_why_not
from mqclause.replay.runner import Row
from mqclause.retrieval.calls import RetrievalResult
from mqclause.retrieval.order import QueueOrder
from mqclause.trigger.why import WhyAnswer
from mqclause.workload.explanation import Explanation
from mqclause.workload.shares import Share, Shares

NOTHING = {
    Shares: "no destination is chosen: none has a share",
    Counterfactuals: "no command is needed, or none was found that would have it permitted",
}
"""What is said of a table without a row."""


def print_answer(answer: Any, out: TextIO) -> None:
    """Print an answer, plain and as wide as it is."""
    page = Page(Console(file=out, highlight=False, force_terminal=False), out)
    match answer:
        case Explanation():
            print_explanation(answer, page=page)
        case WhyNot():
            print_why_not(answer, page)
        case MapRow():
            print_map([answer], page)
        case ChangePlan():
            print_plan(answer, page)
        case PlanRow():
            print_plan(PlanTable([answer], answer.origin).change, page)
        case WhyAnswer():
            print_answers([answer], page)
        case Finding():
            print_finding(answer, page)
        case QueueOrder():
            for line in render_order(answer):
                page.line(line)
            if answer.asked is not None and not answer.incomplete:
                for line in render_next_gets(*answer.asked, answer.queue.name):
                    page.line(line)
        case Row():
            print_timeline([answer], page)
        case RetrievalResult():
            for text in render_returned(answer):
                page.line(text)
            if answer.reason is not None:
                page.line(f"reason {answer.reason}{render_call_reason(answer.ended)}")
        case AnswerTable():
            _print_table(answer, page, out)
        case Share():  # its document has neither the alias nor the cluster, and not which instance is the local one
            page.line(f"{float(answer.part):.1%} {answer.destination.name}")
        case _:
            page.line("\n".join(render_document(_get_kind(answer), answer.to_json())))


def build_shown_rows(answer: Any) -> ShownRows:
    """Build what a notebook shows of an answer: a heading, and rows of texts."""
    return list_shown_rows(_get_kind(answer), answer.to_json())


def _get_kind(answer: Any) -> str:
    return answer.kind if isinstance(answer, RecordedAnswer) else type(answer).__name__


def _print_table(table: AnswerTable[Any], page: Page, out: TextIO) -> None:
    """Print rows together where a command does so, else one by one."""
    match table:
        case ClusterMap():
            print_map(table, page)
        case PlanTable():
            print_plan(table.change, page)
        case Findings():
            print_findings(table, every=True, page=page)
        case _:
            for each in table:
                print_answer(each, out)
            if not table:
                page.line(NOTHING[type(table)])
