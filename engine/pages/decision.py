"""Where a put goes, as a grid: destinations as rows, the steps that told them apart as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from attrs import evolve, frozen

from mqclause.answers import ShownAnswer
from mqclause.pages.page import RuleText, list_rule_texts, say_origin
from mqclause.render.cluster import Unknown
from mqclause.render.documents import (
    Document,
    list_other_readings,
    list_remarks_of_trace,
    name_destination,
    say_edition,
    say_exit,
    say_other_answer,
    say_outcome,
)
from mqclause.render.explanation import render_names, render_question, render_reach
from mqclause.rulebook.rules import Rules
from mqclause.workload.decision import Decision
from mqclause.workload.explanation import Explanation

Fate = Literal["in", "falls", "aside", "back", "gone"]
Answer = Literal["chosen", "as good", "permitted", "falls"]

Name = tuple[str | None, str | None, str | None]
"""Queue, queue manager and channel of a destination."""


@frozen
class Cell:
    """What a step did to a destination, with why it fell; ``gone`` says that an earlier one removed it."""

    fate: Fate
    because: str = ""


@frozen
class Column:
    """A step that told destinations apart."""

    rule: str
    clause: str
    remaining: int


@frozen
class GridRow:
    """A destination with what each step did to it, and the answer."""

    name: str
    cells: tuple[Cell, ...]
    answer: Answer


@frozen
class ElsewhereView:
    """What another edition of MQ answers."""

    edition: str
    answer: str
    rule: str
    evidence: str


@frozen
class WhyNotView:
    """Why a put does not go to some queue manager: who falls by which rule and why, and what would help."""

    queue_manager: str
    said: tuple[str, ...]
    fallen: tuple[tuple[str, str, str], ...]
    changes: tuple[str, ...]
    tried: str


@frozen
class DecisionView:
    """A decision to look at. ``idle`` are the rules that told no destinations apart, with whether they applied."""

    template: ClassVar[str] = "decision.html"

    question: str
    verdict: str
    outcome: str
    edition: str
    reaches: str
    columns: tuple[Column, ...]
    rows: tuple[GridRow, ...]
    idle: tuple[tuple[str, str, bool], ...]
    names: tuple[tuple[str, str], ...]
    exit: str
    unknown: tuple[Unknown, ...]
    assumptions: tuple[str, ...]
    remarks: tuple[str, ...]
    readings: tuple[tuple[str, str], ...]
    elsewhere: tuple[ElsewhereView, ...]
    why_not: WhyNotView | None
    origin: str
    rules: Mapping[str, RuleText]

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"Put {self.question.partition(',')[0]}"


def view_decision(answer: Decision | Explanation | Document, why_not: Document | None = None) -> DecisionView:
    """View a decision, or its JSON document; with the document of the answer why it does not go somewhere else."""
    document = answer.to_json() if isinstance(answer, ShownAnswer) else answer
    document = document if why_not is None else {**document, "why_not": why_not}
    if isinstance(answer, Explanation | Decision):
        decision = answer.decision if isinstance(answer, Explanation) else answer
        asked, verdict = render_question(decision), decision.verdict
        reach = render_reach(decision) if decision.runs else ""
        found = _view(document, decision.rules, asked, verdict, reach)
        return found if found.names else evolve(found, names=tuple(("", each) for each in render_names(decision)))
    return _view(document, _get_rules(document), _ask(document["put"]), say_outcome(document))


def _view(document: Document, rules: Rules, question: str, verdict: str, reaches: str = "") -> DecisionView:
    columns = [each for each in document["steps"] if _tells_apart(each)]
    idle = (each for each in document["steps"] if not _tells_apart(each))
    why_not = document.get("why_not")
    return DecisionView(
        question, verdict, document["outcome"], say_edition(document), reaches,
        columns=tuple(Column(each["rule"], each["clause"], each["remaining"]) for each in columns),
        rows=tuple(_view_rows(document, columns)),
        idle=tuple((each["rule"], each["clause"], each["applied"]) for each in idle),
        names=tuple((each["rule"], each["because"]) for each in document.get("resolution", ())),
        exit=say_exit(document.get("exit") or {}),
        unknown=tuple(dict.fromkeys(Unknown(each["what"], each["command"]) for each in document.get("incomplete", ()))),
        assumptions=tuple(document.get("assumptions", ())),
        remarks=tuple(list_remarks_of_trace(document)),
        readings=tuple(list_other_readings(document, rules)),
        elsewhere=tuple(
            ElsewhereView(each["edition"], say_other_answer(each), each["rule"], each["evidence"])
            for each in document.get("other_editions", ())
        ),
        why_not=None if why_not is None else _view_why_not(why_not),
        origin=say_origin(document),
        rules=list_rule_texts(rules, _list_named(document)),
    )  # fmt: skip


def _get_rules(document: Document) -> Rules:
    """The rules of the edition that a document names, of those that come with the project."""
    found, edition = Rules(), document.get("edition")
    return found.in_edition(edition) if edition in found.known_editions else found


def _tells_apart(step: Document) -> bool:
    return bool(step["eliminated"] or step.get("set_aside") or step.get("taken_back"))


def _name(destination: Document) -> Name:
    return destination["queue"], destination["queue_manager"], destination["channel"]


def _view_rows(document: Document, columns: list[Document]) -> Iterator[GridRow]:
    """The one that is taken, those as good, then the others: the last to fall first."""
    said: dict[Name, str] = {_name(each): name_destination(each) for each in document["permitted"]}
    for step in reversed(columns):
        for kind in ("eliminated", "set_aside", "taken_back"):
            said = {
                **said,
                **{_name(each): name_destination(each) for each in step.get(kind, ()) if _name(each) not in said},
            }
    chosen = document["chosen"] and _name(document["chosen"])
    permitted = {_name(each) for each in document["permitted"]}
    if chosen is not None and chosen not in said:  # what an exit chose, or a name that led past the cluster
        said = {chosen: name_destination(document["chosen"]), **said}
    for name, shown in sorted(said.items(), key=lambda each: each[0] != chosen):
        answer: Answer = "falls"
        if name == chosen:
            answer = "chosen"
        elif name in permitted:
            answer = "as good" if chosen else "permitted"
        yield GridRow(shown, tuple(_view_cells(name, columns)), answer)


def _view_cells(name: Name, columns: list[Document]) -> Iterator[Cell]:
    is_in = True
    for step in columns:
        fallen = {_name(each): each["because"] for each in step["eliminated"]}
        aside = {_name(each): each["because"] for each in step.get("set_aside", ())}
        if name in fallen:
            yield Cell("falls", fallen[name])
            is_in = False
        elif name in aside:
            yield Cell("aside", aside[name])
            is_in = False
        elif name in map(_name, step.get("taken_back", ())):
            yield Cell("back")
            is_in = True
        else:
            yield Cell("in" if is_in else "gone")


def _ask(put: Document) -> str:
    named = [f"queue {put['queue']}"] if put.get("queue") else []
    named += [f"queue manager {put['queue_manager']}"] if put.get("queue_manager") else []
    return f"to {' at '.join(named)}"


def _list_named(document: Document) -> Iterator[str | None]:
    yield from (each["rule"] for each in document["steps"])
    yield from (each["rule"] for each in document.get("resolution", ()))
    yield from (each["rule"] for each in document.get("other_editions", ()))
    yield from (each["rule"] for each in (document.get("why_not") or {}).get("destinations", ()))
    yield document.get("rule")
    yield (document.get("exit") or {}).get("rule")


def _view_why_not(document: Document) -> WhyNotView:
    absent = document.get("absent")
    name, searched = document.get("queue_manager", ""), document.get("searched", 0)
    said = [f"{name or 'It'} is permitted"] if document.get("permitted") else []
    said += [": ".join(filter(None, (absent["what"], absent["command"])))] if absent else []
    said += [document["ended"]] if document.get("ended") else []
    fallen = (
        (name_destination(each["destination"]), each["rule"], each["because"]) for each in document["destinations"]
    )
    changes = tuple(map(_say_commands, document["changes"]))
    count = f"{searched} commands" if searched > 1 else "one command"
    if document["destinations"] and searched and not (document.get("permitted") or changes):
        said.append(f"no set of up to {count} would have it permitted")
    tried = f"sets of up to {count}" if searched else "not all single commands were tried"
    return WhyNotView(name, tuple(said), tuple(fallen), changes, tried)


def _say_commands(commands: Iterable[Mapping[str, Any]]) -> str:
    return "; ".join(f"{each['queue_manager']}: {each['command']}" for each in commands)
