"""``mqclause explain --lines``: JSON Lines, one facts document a line in, one trace a line out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO

from attrs import evolve

from mqclause.answers.choice.decision import Level
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.explanation import Explanation
from mqclause.exits.session import NO_EXITS, Caller, Exits, ExitSession
from mqclause.model.assembly.snapshot import Snapshot, read_document
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.json_facts import parse_json
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.exit_options import print_not_named
from mqclause.tools.commands.inputs import what_if
from mqclause.tools.commands.options import asked_put
from mqclause.tools.errors import NothingAskedError

WhatIfs = tuple[Sequence[str], Sequence[str]]
"""What --set and --status say."""


def explain_lines(
    lines: Iterable[bytes],
    out: BinaryIO,
    asked: Mapping[str, Any],
    rules: Rules,
    conditions: bool,
    given: Exits = NO_EXITS,
    changes: WhatIfs = ((), ()),
) -> int:
    """Explains each line of ``lines`` with the compiled rules; returns 0, or 2 if a line was bad.

    ``changes`` are what if, in each line.

    A bad line gives ``{"error": "…"}`` in its place and the run goes on. What another reading would give is left
    out: it would take several times as long. Raises RuleError.
    """
    engine, named = Engine(rules, exits=given.given, exit_limit=given.limit), dict[str, None]()
    level: Level = "condition" if conditions else "rule"
    status = 0
    for number, line in enumerate(lines, start=1):
        try:
            result, clwlexit = _explained(line, number, engine, asked, level, changes)
            named[clwlexit] = None
        except FactsError as error:
            result, status = error_line(error), 2
        out.write(f"{result}\n".encode())
    out.flush()
    engine.close()
    print_not_named(given, named)
    return status


def _explained(
    line: bytes, number: int, engine: Engine, asked: Mapping[str, Any], level: Level, changes: WhatIfs
) -> tuple[str, str]:
    """The trace of a line, and the CLWLEXIT in it. Raises FactsError."""
    source = f"line {number}"
    document = parse_json(decoded(line, source), source)
    if document.diagnostics:
        raise FactsError(document.diagnostics)
    snapshot = read_document(document.data, source)
    if any(changes):
        snapshot = _changed(snapshot, changes, source)
    try:
        put = asked_put(snapshot.put, asked)
    except NothingAskedError as error:
        raise FactsError([Diagnostic(source, str(error))]) from None
    # Each line is a queue manager of its own: no exit remembers anything of the line before.
    session = ExitSession()
    decision = engine.choose(put, snapshot.cluster, explain=level, caller=Caller(session=session))
    told = Explanation.of(decision, snapshot, other_readings=False)
    text = told.with_exit(decision, snapshot, engine.exit_answer).to_json_text()
    engine.exits.end(session)
    return text, snapshot.cluster.queue_manager.clwlexit


def _changed(snapshot: Snapshot, changes: WhatIfs, source: str) -> Snapshot:
    try:
        return what_if(snapshot, *changes)
    except FactsError as error:
        raise FactsError(evolve(each, source=f"{source}: {each.source}") for each in error.diagnostics) from None


def decoded(line: bytes, source: str) -> str:
    """A line as text, without what ends it: nothing of it stands on a second line. Raises FactsError."""
    try:
        return line.rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        raise FactsError([Diagnostic(source, f"is not UTF-8 at byte {error.start}")]) from None


def error_line(error: FactsError) -> str:
    """What stands in the place of a bad line's result."""
    return json.dumps({"error": str(error).replace("\n", "; ")}, ensure_ascii=False)
