"""Answers of mqweb to MQSC commands, as JSON (runCommandJSON) and as text (runCommand)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import evolve

from mqclause.model.diagnostic import Diagnostic, instead, is_secret, quoted
from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.json_facts import json_values, parse_json
from mqclause.model.readers.mqsc.script import OWNER
from mqclause.model.readers.mqsc.words import FLAGS, TEXTUAL, in_full
from mqclause.model.readers.record import Record, Script, Value
from mqclause.model.readers.runmqsc.format import NOTHING_ANSWERED, read_runmqsc
from mqclause.model.readers.runmqsc.kinds import TYPES_SHOWN, kind_displayed

MQWEB_KEY = re.compile(r'"(?:commandResponse|error)"\s*:')
BEGINS = "begins"
"""In the place of a key of a header: where an answer does."""

WHOSE = "this answer does not tell which queue manager it is of; {} are told of in others; allowed: a file for each"
NAMED_BY = ("QUEUE", "CLUSQMGR", "CHANNEL", "NAMELIST", "PROCESS", "QMNAME")
"""The attribute that names an object, where it has several of these: the first."""

PARAMETERS = re.compile(r'"parameters"\s*:')
ELSEWHERE = frozenset({"AUTHINFO", "CHLAUTH", "CONN", "LISTENER", "SERVICE", "SUB", "TOPIC"})
"""The names of objects of other kinds, which may show an attribute of these names too."""

NO = ("no", "NO", False)
"""What a word that stands alone in MQSC comes as where it does not hold."""


def _recognised(text: str, _: str) -> Confidence:
    """By the key that holds the answers, or the errors."""
    return Confidence.sure_if(MQWEB_KEY.search(text) and any(_answers(text)))


def _answers(text: str) -> Iterator[tuple[dict[str, Any], int]]:
    """The answers in ``text``, each with its first line: alone, one after the other, or in a list."""
    for value, line in json_values(text):
        yield from ((each, line) for each in (value if isinstance(value, list) else [value]) if _is_answer(each))


def _is_answer(data: object) -> bool:
    if not isinstance(data, dict):
        return False
    errors = data.get("error")
    rows = errors if isinstance(errors, list) else []
    return "commandResponse" in data or any(isinstance(each, dict) and "msgId" in each for each in rows)


def read_mqweb(text: str, source: str) -> Script:
    """Read what was displayed: each object as a record of the action *observe*. Never raises.

    Of several answers those that do not tell whose they are belong to the queue manager that the others are of.
    """
    given = [*_answers(text)]
    lines = _lines_of_items(text, [data for data, _ in given])
    answers = [_read_answer(data, source, line, lines) for data, line in given]
    if not answers:
        return Script(source, "", (), parse_json(text, source).diagnostics)
    names = list(dict.fromkeys(each.queue_manager for each in answers if each.queue_manager))
    if len(names) < 2:
        return _together(answers)
    first, *others = (_together([each for each in answers if each.queue_manager == name]) for name in names)
    lost = (each for each in answers if each.records and not each.queue_manager)
    faults = (Diagnostic(source, WHOSE.format(", ".join(names)), each.header_lines[BEGINS]) for each in lost)
    return evolve(first, diagnostics=(*first.diagnostics, *faults), further=tuple(others))


def _together(answers: Sequence[Script]) -> Script:
    """The answers of one queue manager as one script."""
    first = next((each for each in answers if each.queue_manager), answers[0])
    parts = ("records", "diagnostics", "remarks")
    joined: dict[str, Any] = {part: tuple(chain(*(getattr(each, part) for each in answers))) for part in parts}
    return evolve(first, **joined)


def _lines_of_items(text: str, answers: Iterable[dict[str, Any]]) -> Iterator[int]:
    """The line of each object that the answers show, if their number tells which stands where; else none."""
    items = [each for data in answers for each in _items(data) if "parameters" in each]
    found = [each.start() for each in PARAMETERS.finditer(text)]
    line, before = 1, 0
    for at in found if len(found) == len(items) else ():
        line += text.count("\n", before, at)
        before = at
        yield line


def _items(data: dict[str, Any]) -> list[dict[str, Any]]:
    items = data.get("commandResponse")
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _read_answer(data: dict[str, Any], source: str, line: int, lines: Iterator[int]) -> Script:
    """One answer, which begins on that line; its objects stand on the next ones of ``lines``."""
    faults = [*_errors(data.get("error"), source, line)]
    remarks = list[Diagnostic]()
    records, owners = list[Record](), list[str]()
    for shown in _items(data):
        texts = shown.get("text")
        if isinstance(texts, list):
            part = read_runmqsc("".join(f"{each}\n" for each in texts), source)
            records += [evolve(each, line=line, places=()) for each in part.records]
            faults += [_of_file(each, line) for each in part.diagnostics if each.message != NOTHING_ANSWERED]
            remarks += [_of_file(each, line) for each in part.remarks]
            owners += [part.queue_manager] if part.queue_manager else []
        stands_on = next(lines, line) if "parameters" in shown else line
        for row in _rows(shown.get("parameters")):
            records += observed_row(row, source, owners, faults, stands_on)
    header, header_lines = ({OWNER: owners[0]} if owners else {}), dict.fromkeys((OWNER, BEGINS), line)
    owner = owners[0] if owners else ""
    return Script(source, owner, tuple(records), tuple(faults), header, header_lines, remarks=tuple(remarks))


def _of_file(said: Diagnostic, line: int) -> Diagnostic:
    """What is said about a line of an answer, which is no line of the file that has the answer: on that line."""
    return evolve(said, line=line, column=None)


def _errors(given: object, source: str, line: int) -> Iterator[Diagnostic]:
    for each in given if isinstance(given, list) else ():
        message = each.get("message", "") if isinstance(each, dict) else each
        yield Diagnostic(source, f"mqweb answered with an error: {quoted(message, 200)}", line)


def _rows(parameters: object) -> Iterator[dict[str, Any]]:
    """The objects of one answer: handles and the like are rows of their own."""
    if isinstance(parameters, dict):
        rows = parameters.get("objects")
        kept = {str(key).upper(): value for key, value in parameters.items() if key != "objects"}
        for row in rows if isinstance(rows, list) else [{}]:
            yield kept | {str(key).upper(): value for key, value in row.items()} if isinstance(row, dict) else kept


def observed_row(
    row: Mapping[str, Any], source: str, owners: list[str], faults: list[Diagnostic], line: int | None = None
) -> Iterator[Record]:
    """The record of one object, by attributes of MQSC in upper case; ``owners`` gets who displays it, if it tells.

    ``faults`` gets what no object has as a value; the object is then left out. ``line`` is where it stands.
    """
    named_by = next((key for key in NAMED_BY if key in row), "")
    if not named_by or row.keys() & ELSEWHERE:
        return
    refused = [*_refused(row, named_by)]
    faults += [Diagnostic(source, message, line) for message in refused]
    held = {_holding(key, value): value for key, value in row.items() if key in FLAGS or value is not None}
    shown: dict[str, Value] = {named_by: "", **{key: _text(key, value) for key, value in in_full(held).items()}}
    kind = kind_displayed({key: value for key, value in shown.items() if isinstance(value, str)})
    if refused or not kind:
        return
    name = str(row[named_by]).rstrip(" ")
    attributes = {key: value for key, value in shown.items() if key != named_by}
    if kind == "QMGR" or (kind == "CLUSQMGR" and attributes.get("DEFTYPE") == "CLUSRCVR"):
        owners.append(name)
    yield Record("observe", kind, "" if kind == "QMGR" else name, attributes, source=source, line=line)


def _holding(key: str, value: object) -> str:
    """The attribute that is shown: of a word that stands alone and does not hold, its opposite."""
    if key in FLAGS and value in NO:
        return key.removeprefix("NO") if key.startswith("NO") else f"NO{key}"
    return key


def _refused(row: Mapping[str, Any], named_by: str) -> Iterator[str]:
    """What no object has as a value, in a message each."""
    name, of = row[named_by], ""
    if isinstance(name, str):
        of = f"{named_by} {quoted(name)}: "
    for key, value in row.items():
        if key in TEXTUAL and (isinstance(value, bool | float | list | dict) or (key == named_by and value is None)):
            yield f"{of}{key}: {quoted(value)} is not allowed; allowed: a text or a whole number"
    shown = row.get("TYPE")
    if named_by == "QUEUE" and isinstance(shown, str | int) and str(shown).rstrip(" ") not in ("", *TYPES_SHOWN):
        yield f"{of}TYPE: {quoted(shown)} is not allowed{instead(shown, TYPES_SHOWN)}"


def _text(key: str, value: object) -> Value:
    """A value as text: a word that stands alone in MQSC comes as true, "yes" or its own word."""
    if is_secret(key):
        return ""
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return "" if key in FLAGS or value is None else str(value).rstrip(" ")


MQWEB = Format("mqweb", "output of mqweb (commandResponse)", _recognised, read_mqweb)
