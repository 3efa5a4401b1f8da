"""Render a plan as Markdown for a comment on a pull request, in which names are shown and never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mqclause.cluster.plan import ChangePlan, PlanRow
from mqclause.model.diagnostics import escape_controls
from mqclause.render.cluster import (
    UNKNOWN_SHOWN,
    Unknown,
    describe_no_move,
    describe_traffic,
    describe_upgrades,
    flatten_remarks,
    format_moving_part,
    group_alike_rows,
    group_causes,
    group_remarks,
    list_missing_exits,
    list_unknown,
    render_destinations,
)
from mqclause.trace import join_names

LONGEST_COMMENT = 65_000
"""The number of characters that a comment has at most: GitHub takes 65,536, and a workflow adds a few."""

LONGEST_TEXT = 500
"""The number of characters of one name or sentence; names of MQ are far shorter."""

ROWS_SHOWN = 10
"""How many rows stand in the open table; further ones are folded."""

NAMES_SHOWN = 3
"""How many queues the heading names."""

OPEN, CLOSE = "<details><summary>", "</details>"

CODE = re.compile(r"[^`|\s]+(?: [^`|\s]+)*")
"""What may stand between backticks, also in the cell of a table."""

PROSE = re.compile(r"[A-Za-z0-9('\"/.][A-Za-z0-9_ .,;:()'\"%/=+*?…→–-]*")
"""What may stand in a sentence as it is, but for asterisks."""

OBEYED = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|://|www\.|:\w+:|GH-|^\d+[.)](?: |$)", re.IGNORECASE)
"""What is made of such signs and would be emphasis, a link, a picture, a reference or a list."""

HEAD = ("| Queue | From | Moves | Before | After |", "|---|---|---|---|---|")


def quote_code(text: str) -> str:
    """Quote a name, a command or a place as code, which Markdown and GitHub leave as it is."""
    shown = _shorten(text)
    return f"`{shown}`" if CODE.fullmatch(shown) else _encode(shown)


def escape_prose(text: str) -> str:
    """Escape a sentence; one that Markdown or GitHub would obey is quoted as code as a whole."""
    shown = _shorten(text)
    if PROSE.fullmatch(shown) and not OBEYED.search(shown):
        return shown.replace("*", r"\*")
    return _encode(shown)


def render_plan_comment(found: ChangePlan, said: Sequence[str] = (), most: int = LONGEST_COMMENT) -> str:
    """Render a plan: what moves, what that rests on, a table, and the rest folded, in at most so many characters.

    ``said`` are warnings and remarks besides. What does not fit is left out, and a sentence says so.
    """
    lines = [*_render_head(found)]
    for summary, folded in _list_folds(found, said):
        if inner := [*folded]:
            lines += ["", f"{OPEN}{summary.format(len(inner))}</summary>", "", *inner, "", CLOSE]
    return "\n".join(_fit(lines, most)) + "\n"


def _shorten(text: str) -> str:
    shown = escape_controls(text)
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[: LONGEST_TEXT - 1]}…"


def _encode(text: str) -> str:
    """A text as code whatever is in it: each sign that Markdown or HTML could take for its own is a number."""
    signs = (each if re.fullmatch("[A-Za-z0-9 .,=/()-]", each) else f"&#{ord(each)};" for each in text)
    return f"<code>{''.join(signs)}</code>" if text else ""


def _render_head(found: ChangePlan) -> Iterator[str]:
    """The heading, what the answer rests on, the table, and real puts."""
    rests_on, rows = [*_list_grounds(found)], [*found.rows, *found.alias_rows]
    yield f"### {_summarize(found)}{', as far as is known' if rests_on else ''}"
    if rests_on:
        yield from ("", "> **What this rests on**", ">", *(f"> - {each}" for each in rests_on))
    if rows:
        yield from ("", *HEAD, *(_render_row(group) for group in group_alike_rows(rows)[:ROWS_SHOWN]))
    else:
        yield from ("", f"{_begin_sentence(describe_no_move(found))}.")
    if traffic := [*describe_traffic(found)]:
        yield from ("", *(f"- {escape_prose(each)}" for each in traffic))


def _summarize(found: ChangePlan) -> str:
    """What becomes of puts, those first that fail."""
    rows = [*found.rows, *found.alias_rows]
    failing = [row for row in rows if row.before.shares and not row.after.shares]
    moving = [row for row in rows if row.moved and row not in failing]
    parts = (
        (failing, "fail"),
        (moving, "move"),
        ([row for row in rows if not row.moved], "fail for another reason"),
        (found.held_up, "wait"),
    )
    told = "; ".join(f"puts to {_name_queues(each)} {verb}" for each, verb in parts if each)
    return _begin_sentence(told) or "Nothing moves"


def _name_queues(rows: Sequence[PlanRow]) -> str:
    names = [*dict.fromkeys(map(_name, rows))]
    return f"{len(names)} queues" if len(names) > NAMES_SHOWN else join_names(names)


def _name(row: PlanRow) -> str:
    return quote_code(row.name) + ("" if row.queue else " (queue manager)")


def _begin_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _render_row(group: Sequence[PlanRow]) -> str:
    first = group[0]
    moved = format_moving_part(group) if first.moved else ""
    sides = (render_destinations(side).plain for side in (first.before, first.after))
    cells = (_name_members(group), moved, *sides)
    return f"| {' | '.join((_name(first), *map(escape_prose, cells)))} |"


def _name_members(group: Sequence[PlanRow]) -> str:
    return join_names([row.member for row in group])


def _list_grounds(found: ChangePlan) -> Iterator[str]:
    """What the answer rests on: rules that are not ours, unknown facts with the command that tells them, no view."""
    if found.origin is not None:
        yield f"answered {escape_prose(str(found.origin))}"
    _, asked = list_unknown(row for _, row in found.in_question)
    yield from map(_render_asked, asked[:UNKNOWN_SHOWN])
    if len(asked) > UNKNOWN_SHOWN:
        yield f"{len(asked) - UNKNOWN_SHOWN} more that are not known, folded below"
    for each in list_missing_exits(found.exits):
        yield f"{escape_prose(each.what)}: {quote_code(each.command)}"
    for level in found.unknown_levels:
        where = f"{quote_code(level.command)} at {quote_code(level.object)}"
        yield f"{escape_prose(level.what)} of {quote_code(level.object)} is not known: {where}"
    yield from map(escape_prose, found.unasked)


def _render_asked(asked: Unknown) -> str:
    where = f" {escape_prose(asked.where)}" if asked.where else ""
    command = f"; {quote_code(asked.command)}{where} tells it" if asked.command else where
    return f"{quote_code(asked.what)} is not known{command}"


def _list_folds(found: ChangePlan, said: Sequence[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """What is folded: what the summary says, with a place for the number of lines, and the lines."""
    groups = group_alike_rows([*found.rows, *found.alias_rows])
    further = groups[ROWS_SHOWN:]
    yield (
        f"{len(further)} more row{'s' * (len(further) != 1)}",
        (line for line in (*HEAD, *map(_render_row, further)) if further),
    )
    yield "Why: the clauses that decide", (line for group in groups for line in _render_causes(group))
    findings = f"{len(found.findings.new)} new, {len(found.findings.gone)} gone"
    yield f"What <code>check</code> finds: {findings}", _list_findings(found)
    remarks = (*group_remarks(flatten_remarks(found.remarks)), *found.to_nobody)
    yield "Remarks on these puts: {}", (f"- {escape_prose(each)}" for each in remarks)
    _, asked = list_unknown(row for _, row in found.in_question)
    yield "All that is not known: {}", (f"- {_render_asked(each)}" for each in asked if len(asked) > UNKNOWN_SHOWN)
    yield "Counters and editions: {}", (f"- {escape_prose(each)}" for each in _list_further(found))
    yield "Warnings and remarks: {}", (f"- {escape_prose(each)}" for each in said)


def _render_causes(group: Sequence[PlanRow]) -> Iterator[str]:
    causes = group_causes(group[0])
    if causes:
        yield f"- {_name(group[0])} from {escape_prose(_name_members(group))}:"
    for because, names in causes.items():
        yield f"  - {escape_prose(f'{join_names(names)} {because}')}"


def _list_findings(found: ChangePlan) -> Iterator[str]:
    for sign, findings in (("new", found.findings.new), ("gone", found.findings.gone)):
        for each in findings:
            remedy = quote_code(each.said.remedy) if each.said.typed else escape_prose(each.said.remedy)
            about = f"{each.severity} {each.rule.id} at {quote_code(each.queue_manager)}, {quote_code(each.place)}"
            yield f"- **{sign}**: {about}: {escape_prose(each.message)}; what mends it: {remedy}"


def _list_further(found: ChangePlan) -> Iterator[str]:
    if found.restarts:
        clause = f" (clause {found.restarts_by})" if found.restarts_by else ""
        yield f"sequence factors restart at zero at {join_names([*found.restarts])}{clause}"
    yield from describe_upgrades(found)


def _fit(lines: Sequence[str], most: int) -> Sequence[str]:
    """The lines that have room, what is open closed, and how many there is none for."""
    if sum(len(each) + 1 for each in lines) <= most:
        return lines
    room, kept = most - len(f"\n{CLOSE}\n\n{_say_left_out(len(lines), most)}\n"), list[str]()
    for each in lines:
        room -= len(each) + 1
        if room < 0:
            break
        kept.append(each)
    is_open = sum(each.startswith(OPEN) for each in kept) > kept.count(CLOSE)
    left_out = sum(each not in ("", CLOSE) for each in lines[len(kept) :])
    return [*kept, *(["", CLOSE] if is_open else []), "", _say_left_out(left_out, most)]


def _say_left_out(lines: int, most: int) -> str:
    left_out = f"{lines:,} more line{'s are' if lines > 1 else ' is'} left out"
    return f"{left_out}: a comment has {most:,} characters at most. `mqclause plan` without `--markdown` prints all."
