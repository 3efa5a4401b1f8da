"""Render the documents of answers, live or recorded: in lines, and as the rows that a notebook shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mqclause.render.cluster import format_amount, format_percent
from mqclause.rulebook.rules import Rules

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
        case "Move":
            [row] = rows
            yield f"{format_amount(round(document['puts']))} puts from {row['from']} to {row['to']}"
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


def say_edition(document: Document) -> str:
    """Say by which edition a trace decides, and where that is from."""
    source = document.get("edition_from", "")
    return f"{document['edition']} ({source})" if source else str(document["edition"])


def say_exit(document: Document) -> str:
    """Say with what an exit was called, and what its answer does; blank where there is none."""
    if not document.get("called"):
        return str(document.get("because", ""))
    own, count = document["own_choice"], document["destination_count"]
    offered = f"{count} destination{'s' if count != 1 else ''}"
    own_choice = name_destination(own) if own else "none"
    taken = f": {name_destination(document['chosen'])}" if document.get("chosen") else ""
    return f"called with {document['reason']} and {offered}; own choice: {own_choice}; {document['because']}{taken}"


def say_other_answer(document: Document) -> str:
    """Say what another edition answers."""
    reason = document["reason"]
    ends = f"{reason['call']} fails with {reason['name']} ({reason['code']})" if reason else document["outcome"]
    names = ", ".join(name_destination(each) for each in document["permitted"])
    return f"{ends}: {names}" if names and not reason else str(ends)


def list_other_readings(document: Document, rules: Rules) -> Iterator[tuple[str, str]]:
    """List the readings of a trace that are not the default, each with the default."""
    for name, choice in document.get("readings", {}).items():
        known = rules.known_readings.get(name)
        if known is not None and choice != known.default:
            yield f"{name}={choice}", known.default


def list_remarks_of_trace(document: Document) -> list[str]:
    """List the remarks of a trace that it does not make elsewhere."""
    said_before = {*document.get("assumptions", ()), *(each["what"] for each in document.get("incomplete", ()))}
    return [each for each in document.get("remarks", ()) if each not in said_before]


def say_upgrade(document: Document) -> str:
    """Say who is upgraded from which edition to which, and how it is known what holds then."""
    return f"{document['queue_manager']}: {document['before']} to {document['after']} ({document['evidence']})"


def say_waiting(document: Document) -> str:
    """Say which parts of the puts of a row wait for a channel."""
    return ", ".join(f"{each['queue_manager']} {format_percent(each['share'])}" for each in document["shares"])


def _show_decision(document: Document) -> ShownRows:
    """The destinations: the one that is taken, those as good, and those that fell, with the clause and why.

    Then what else there is to say of the answer.
    """
    chosen, rows = document["chosen"], []
    for each in document["permitted"]:
        said = "chosen" if each == chosen else "as good" if chosen else "permitted"
        rows.append({"destination": name_destination(each), "answer": said, "clause": "", "because": ""})
    for step in document["steps"]:
        for each in step["eliminated"]:
            told = {"clause": step["clause"], "because": each["because"]}
            rows.append({"destination": name_destination(each), "answer": "falls", **told})
    why_not = _show_why_not(document["why_not"])[1] if document.get("why_not") else []
    rows += [{"destination": "", "answer": "why not", **each} for each in why_not]
    told_besides = [{"destination": "", "answer": about, "because": said} for about, said in _list_besides(document)]
    return say_outcome(document), [*rows, *told_besides]


def _list_besides(document: Document) -> Iterator[tuple[str, str]]:
    """What a trace says besides of the answer, each with what it is about."""
    yield from (("names", each["because"]) for each in document.get("resolution", ()))
    yield from (("rests on", each) for each in _list_unknown(document))
    yield "edition", say_edition(document)
    yield from (("exit", each) for each in filter(None, [say_exit(document.get("exit") or {})]))
    yield from (("reading", f"{one} (default: {default})") for one, default in list_other_readings(document, Rules()))
    for each in document.get("other_editions", ()):
        yield "other edition", f"{each['edition']}: {say_other_answer(each)} ({each['evidence']})"
    yield from (("assumed", each) for each in document.get("assumptions", ()))
    yield from (("remark", each) for each in list_remarks_of_trace(document))


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
    return {**_name(row), "goes to": _show_side(row), "remarks": _join_remarks(row.get("remarks", ()), row)}


def _show_map(document: Document) -> ShownRows:
    return "", [_show_map_row(each) for each in (*document["rows"], *document.get("queue_manager_aliases", ()))]


def _join_remarks(remarks: Iterable[str], row: Document) -> str:
    """What is said of a row, then what it rests on."""
    return "; ".join((*remarks, *(f"not known: {each}" for each in _list_unknown(row))))


def _name(row: Document) -> dict[str, str]:
    return {"queue": row.get("queue") or f"{row.get('queue_manager')} (queue manager)", "from": row["from"]}


def _show_plan_row(row: Document, remarks: Iterable[str] = ()) -> dict[str, str]:
    causes = (
        f"{each['side']}: {each['destination']['queue_manager']} {each['because']}"
        + (f" (clause {each['clause']})" if each["clause"] else "")
        for each in row["because"]
    )
    sides = {side: _show_side(row[side]) for side in ("before", "after")}
    weight = {"puts": format_amount(row["weight"])} if "weight" in row else {}
    part = f"{format_percent(row['moved'])}{' of opens' if row.get('of_opens') else ''}"
    said = {"because": "; ".join(causes), "remarks": _join_remarks(remarks, row)}
    return {**_name(row), "moves": part, **weight, **sides, **said}


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
    rows += [
        {"clause": "", "because": "would have it trigger", "remedy": _say_commands(each)}
        for each in document.get("changes") or ()
    ]
    rows += [{"clause": "", "because": f"taken so: {each}"} for each in document.get("assumptions", ())]
    rows += [{"clause": "", "because": each} for each in document.get("remarks", ())]
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
    told = [("left out", each) for each in left]
    for kept in document["as_put"]:
        because = "; ".join(kept["because"])
        order = "keep their order" if kept["guaranteed"] else f"need not keep their order: {because}"
        told.append(("as put", f"messages put by {kept['by'] or 'the anonymous application'} {order}"))
    told += [("remark", each) for each in document.get("remarks", ())]
    told += [("not known", each) for each in _list_unknown(document)]
    return document["queue"], [*rows, *({"place": place, "physical": said} for place, said in told)]


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
    """The rows that differ, then those of which something else is said: what that is is said beside each."""
    said: dict[tuple[str, str], list[str]] = {}
    for each in document.get("waiting", ()):
        said.setdefault(_get_row_key(each), []).append(f"waits for a channel: {say_waiting(each)}")
    for each in document.get("remarks", ()):
        if each["from"]:
            said.setdefault(_get_row_key(each), []).append(each["remark"])
    moving = [*document["rows"], *document.get("queue_manager_aliases", ())]
    rows = [_show_plan_row(each, said.pop(_get_row_key(each), ())) for each in moving]
    asked = {_get_row_key(each) for each in moving}
    others: dict[tuple[str, str], list[Document]] = {key: [] for key in said}
    for each in document.get("incomplete", ()):
        if (key := _get_row_key(each)) not in asked:
            others.setdefault(key, []).append(each)
    rows += [
        {"queue": name, "from": member, "remarks": _join_remarks(said.get((name, member), ()), {"incomplete": unknown})}
        for (name, member), unknown in others.items()
    ]
    return "; ".join(_summarize_plan(document)), rows


def _get_row_key(row: Document) -> tuple[str, str]:
    """The queue, or the alias, and the member of a row; blank the name of what is said of all puts of the member."""
    is_of_puts = row.get("queue") or row.get("queue_manager")
    return _name(row)["queue"] if is_of_puts else "", row["from"]


def _summarize_plan(document: Document) -> Iterator[str]:
    """What a plan says of more than one row."""
    if not (document["rows"] or document.get("queue_manager_aliases")):
        yield "every put goes where it went, as far as each queue alone goes"
    yield from map(say_upgrade, document.get("upgrades", ()))
    if document.get("restarts"):
        yield f"sequence factors restart at {', '.join(document['restarts'])}"
    findings = document.get("findings") or {}
    counted = [f"{len(findings[name])} {name}" for name in ("new", "gone") if findings.get(name)]
    yield from [f"findings: {', '.join(counted)}"] if counted else []
    for each in (document.get("traffic") or {}).get("moves", ()):
        yield f"{format_amount(round(each['puts']))} puts from {each['out_of'] or 'none'} to {each['into'] or 'none'}"
    yield from (each["remark"] for each in document.get("remarks", ()) if not each["from"])


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
    "ClusterMap": _show_map,
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
