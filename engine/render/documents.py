"""Render the documents of answers, live or recorded: in lines, and as the rows that a notebook shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mqclause.render.cluster import format_percent

Document = Mapping[str, Any]

ShownRows = tuple[str, list[dict[str, str]]]
"""What stands above a table, and its rows of texts."""

INDENT = "    "


def render_document(kind: str, document: Any) -> Iterator[str]:
    """Render a document of an answer of this kind, as far as it tells: what its class prints, without what it knew."""
    heading, rows = list_shown_rows(kind, document)
    match kind:
        case "Decision" | "Explanation":
            yield from _render_steps(document)
            yield heading
            if kind == "Explanation":
                yield from (f"{INDENT}{each}" for each in (*document["remarks"], *_list_unknown(document)))
        case "Share" | "Shares":
            yield from (f"{each['share']:.1%} {name_destination(each)}" for each in _as_list(document))
        case "Counterfactual" | "Counterfactuals":
            yield from (_say_commands(each["commands"]) for each in _as_list(document))
        case _:
            yield from filter(None, [heading])
            yield from ("  ".join(filter(None, row.values())) for row in rows)


def list_shown_rows(kind: str, document: Any) -> ShownRows:
    """List what a notebook shows of the document of an answer: a heading, and rows of texts."""
    return SHOWN[kind](document)


def name_destination(destination: Document) -> str:
    """Name a destination as sentences do: ``ORDERS.IN at QM2 by TO.QM2``."""
    at = f"{destination['queue']} at {destination['queue_manager']}" if destination["queue"] else ""
    named = at or destination["queue_manager"]
    if left_by := destination.get("transmission_queue"):
        return f"{named} by transmission queue {left_by}"
    return f"{named} by {destination['channel']}" if destination["channel"] else f"{named} (local)"


def say_outcome(document: Document) -> str:
    """Say in a sentence how the put of a trace ends."""
    if reason := document["reason"]:
        return f"{reason['call']} fails with {reason['name']} ({reason['code']}): {document.get('because', '')}"
    chosen = document["chosen"]
    if chosen is None:
        return "MQOPEN succeeds and fixes no destination; the choice is made when a message is put"
    by_exit = document.get("exit") or {}
    if by_exit.get("called") and by_exit["chosen"] != by_exit["own_choice"]:
        return f"goes to {name_destination(chosen)}, which the exit chose"
    others = len(document["permitted"]) - 1
    tie = f" (as good: {others} other{'s' if others > 1 else ''})" if others > 0 else ""
    return f"goes to {name_destination(chosen)}{tie}"


def _render_steps(document: Document) -> Iterator[str]:
    for step in document["steps"]:
        fallen, back = step["eliminated"], step.get("taken_back", ())
        yield from (f"{step['clause']:>4}  - {name_destination(each)}: {each['because']}" for each in fallen)
        yield from (f"{step['clause']:>4}  + {name_destination(each)}: taken back" for each in back)


def _show_decision(document: Document) -> ShownRows:
    """The destinations: the one that is taken, those as good, and those that fell, with the clause and why."""
    chosen, rows = document["chosen"], []
    for each in document["permitted"]:
        said = "chosen" if each == chosen else "as good" if chosen else "permitted"
        rows.append({"destination": name_destination(each), "answer": said, "clause": "", "because": ""})
    for step in document["steps"]:
        for each in step["eliminated"]:
            told = {"clause": step["clause"], "because": each["because"]}
            rows.append({"destination": name_destination(each), "answer": "falls", **told})
    unknown = [{"destination": "", "answer": "rests on", "because": each} for each in _list_unknown(document)]
    return say_outcome(document), [*rows, *unknown]


def _list_unknown(document: Document) -> list[str]:
    found = document.get("incomplete") or document.get("depends_on") or ()
    return [": ".join(filter(None, (each["what"], each["command"]))) for each in found]


def _show_side(side: Document) -> str:
    if reason := side["reason"]:
        return f"fails with {reason['name']} ({reason['code']})"
    return ", ".join(f"{each['queue_manager']} {format_percent(each['share'])}" for each in side["shares"]) or str(
        side["outcome"]
    )


def _show_map_row(row: Document) -> dict[str, str]:
    told = (*row.get("remarks", ()), *(f"not known: {each}" for each in _list_unknown(row)))
    return {**_name(row), "goes to": _show_side(row), "remarks": "; ".join(told)}


def _name(row: Document) -> dict[str, str]:
    return {"queue": row.get("queue") or f"{row.get('queue_manager')} (queue manager)", "from": row["from"]}


def _show_plan_row(row: Document) -> dict[str, str]:
    causes = (
        f"{each['side']}: {each['destination']['queue_manager']} {each['because']}"
        + (f" (clause {each['clause']})" if each["clause"] else "")
        for each in row["because"]
    )
    sides = {side: _show_side(row[side]) for side in ("before", "after")}
    return {**_name(row), "moves": format_percent(row["moved"]), **sides, "because": "; ".join(causes)}


def _show_finding(row: Document) -> dict[str, str]:
    about, source = row["object"], row["source"]
    place = f"{source['file']}:{source['line']}" if source["line"] else source["file"]
    told = {"object": f"{about['type']}({about['name']})", "queue manager": about["queue_manager"]}
    return {"place": place, "rule": row["rule"], "severity": row["severity"], **told} | {
        "message": row["message"], "remedy": row["remedy"]
    }  # fmt: skip


def _show_why(document: Document) -> ShownRows:
    said = {"triggers": "would trigger", "does not": "would not trigger", "depends": "may trigger"}[document["verdict"]]
    rows = [
        {"clause": each["clause"], "because": each["because"], "remedy": each["remedy"] or ""}
        for each in document["conditions"]
    ]
    rows += [{"clause": "?", "because": each} for each in _list_unknown(document)]
    if reason := document.get("reason"):
        rows.insert(0, {"clause": "", "because": f"the put fails with {reason['name']} ({reason['code']})"})
    return f"{document['queue']}: a message put now {said}", rows or [{"rule": document.get("rule") or ""}]


def _show_why_not(document: Document) -> ShownRows:
    rows = [
        {"destination": name_destination(each["destination"]), "clause": each["clause"], "because": each["because"]}
        for each in document["destinations"]
    ]
    absent = document.get("absent")
    rows += [{"because": absent["what"], "commands": absent["command"]}] if absent else []
    rows += [{"because": "would have it permitted", "commands": _say_commands(each)} for each in document["changes"]]
    return "it is permitted" if document.get("permitted") else "", rows or [{"because": "it is permitted"}]


def _show_share(row: Document) -> dict[str, str]:
    return {"destination": name_destination(row), "share": format_percent(row["share"])}


def _show_order(document: Document) -> ShownRows:
    places = range(max(len(document["physical"]), len(document["logical"])))
    columns = {name: document[name] for name in ("physical", "logical")}
    rows = [
        {"place": str(at + 1)} | {name: listed[at] if at < len(listed) else "" for name, listed in columns.items()}
        for at in places
    ]
    left = [f"{each['message']}: {each['because']} ({each['clause']})" for each in document["left_out"]]
    return document["queue"], [*rows, *({"place": "left out", "physical": each} for each in left)]


def _show_event(document: Document) -> ShownRows:
    """What the event led to: of the conditions those that do not hold."""
    conditions = [each for each in document["conditions"] if not each["holds"]]
    left = {**document, "conditions": conditions}
    return "", [{name: _flatten(value) for name, value in left.items() if value not in (None, [], "", " ")}]


def _show_returned(row: Document) -> dict[str, str]:
    """The messages, with what is not blank of the rest."""
    statuses = {name: row[name] for name in ("group_status", "segment_status") if row[name].strip()}
    reason = {"reason": str(row["reason"])} if "reason" in row else {}
    return {"got": " ".join(row["got"])} | statuses | reason | {"remarks": "; ".join(row.get("remarks", ()))}


def _show_plan(document: Document) -> ShownRows:
    rows = [_show_plan_row(each) for each in (*document["rows"], *document.get("queue_manager_aliases", ()))]
    told = [f"sequence factors restart at {', '.join(document['restarts'])}"] if document.get("restarts") else []
    findings = document.get("findings") or {}
    counted = [
        f"{len(findings[name])} {said}" for name, said in (("new", "new"), ("gone", "gone")) if findings.get(name)
    ]
    told += [f"findings: {', '.join(counted)}"] if counted else []
    return "; ".join(told), rows


def _flatten(value: Any) -> str:
    """A value in a cell: of an object its keys and values, of a list all in turn."""
    if isinstance(value, Mapping):
        if {"queue", "queue_manager", "channel"} <= value.keys():
            return name_destination(value)
        told = {name: _flatten(each) for name, each in value.items()}
        return ", ".join(f"{name} {said}" for name, said in told.items() if said)
    if isinstance(value, list):
        return "; ".join(map(_flatten, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _say_commands(commands: Iterable[Document]) -> str:
    return "; ".join(f"{each['queue_manager']}: {each['command']}" for each in commands)


def _as_list(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _each(show: Callable[[Document], dict[str, str]], key: str = "") -> Callable[[Any], ShownRows]:
    """Show each row of a table, or one of its rows, with ``show``; ``key`` is where a document has them."""
    return lambda document: ("", [show(each) for each in _as_list(document[key] if key else document)])


SHOWN: Mapping[str, Callable[[Any], ShownRows]] = {
    "Decision": _show_decision,
    "Explanation": _show_decision,
    "WhyNot": _show_why_not,
    "Counterfactual": _each(lambda row: {"commands": _say_commands(row["commands"])}),
    "Counterfactuals": _each(lambda row: {"commands": _say_commands(row["commands"])}),
    "Share": _each(_show_share),
    "Shares": _each(_show_share),
    "MapRow": _each(_show_map_row),
    "ClusterMap": _each(_show_map_row, "rows"),
    "PlanRow": _each(_show_plan_row),
    "PlanTable": _show_plan,
    "ChangePlan": _show_plan,
    "Move": _each(
        lambda row: {"from": row["out_of"] or "none", "to": row["into"] or "none", "puts": f"{row['puts']:g}"}
    ),
    "WhyAnswer": _show_why,
    "Finding": _each(_show_finding),
    "Findings": _each(_show_finding, "findings"),
    "QueueOrder": _show_order,
    "Row": _show_event,
    "RetrievalResult": _each(_show_returned),
}
"""What is shown of each kind of document."""
