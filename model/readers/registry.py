"""Detect the format of a text, read it with that format's reader, and name recognised texts that hold no facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

from attrs import evolve

from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.readers import embedded
from mqclause.model.readers.embedded import JCL, SHELL, YAML
from mqclause.model.readers.encodings import Content, DecodedText, decode_text
from mqclause.model.readers.facts_files import JSON, TOML, parse_json_values
from mqclause.model.readers.formats import Confidence, Contents, Format
from mqclause.model.readers.json_responses import MQWEB, PCF
from mqclause.model.readers.mqsc import MQSC
from mqclause.model.readers.records import BEGINS_COMMAND, Script
from mqclause.model.readers.runmqsc import ATTRIBUTE, MESSAGE, RUNMQSC

SAMPLE = 20_000
"""So many characters tell what a text is."""

ERROR_LOG = re.compile(
    r"^(?:\d[\d/.-]{5,9},? \d{1,2}[:.]\d\d[:.]\d\d(?: [AP]M)? +- Process\(\d+\.\d+\)|----- \w+\.\w+ : \d+ -{10,})",
    re.MULTILINE | re.ASCII,
)
BEGINS_SCRIPT = re.compile(rf"(?:[ \t]*(?:\*[^\n]*)?\r?\n)*{BEGINS_COMMAND.pattern}", re.IGNORECASE)
JSON_LOG = re.compile(r'\s*\{[^\n]*"ibm_messageId"\s*:')
FFST = re.compile(r"\s*\+-{20,}\+\s*\n\|[^\n]*\|\s*\n\|[^\n]*First Failure Symptom Report", re.IGNORECASE)
STANZA = re.compile(r"(?:[ \t]*(?:[#;][^\n]*)?\r?\n)*[A-Z]\w+:[ \t]*\r?\n[ \t]+\w+[ \t]*=", re.ASCII)
DSPMQ = re.compile(r"(?:\s*QMNAME\([^()\n]*\)[ \t]+STATUS\([^\n]*\)[ \t]*(?:\r?\n|$))+\s*")
XML = re.compile(r"\s*<(?:\?xml|!DOCTYPE|html|\w+ xmlns)", re.IGNORECASE)

REST_TYPE = re.compile(
    r'"type"\s*:\s*"(?:local|alias|remote|model|cluster|[a-z]+[A-Z]\w+|sender|server|receiver|requester)"'
)
CAMEL = re.compile(r"[a-z]+[A-Z]\w*")
RESOURCES = {"queue": "DISPLAY QUEUE(*) ALL", "channel": "DISPLAY CHANNEL(*) ALL", "qmgr": "DISPLAY QMGR ALL"}
"""What the REST resources of mqweb are called, and the MQSC command that tells the same."""


def _describe_foreign_text(text: str) -> str:
    """Describe a text that holds no facts, for a message; blank if it is not recognised."""
    of = _of_json if text.lstrip()[:1] in ("{", "[") else _of_text
    return next(of(text), "")


def _of_text(text: str) -> Iterator[str]:
    """What a text is that is no JSON and no output of MQSC, if it is recognised."""
    if program := embedded.describe_unreadable_text(text):
        yield program
    if XML.match(text):
        yield "is XML: it has no MQSC and no facts"
    if STANZA.match(text):
        yield "is an ini file of MQ (qm.ini, mqs.ini, mqclient.ini, dspmqinf): it has no definitions and no status"
    if DSPMQ.fullmatch(text):
        yield "is output of dspmq: it names queue managers, and has no definitions; allowed: runmqsc's DISPLAY commands"
    if FFST.match(text):
        yield "is a record of a failure (FDC): it has no definitions and no status"
    head = text[:SAMPLE]
    if ERROR_LOG.search(head) and not (BEGINS_SCRIPT.match(head) or _shows_objects(head)):
        yield "is an error log of a queue manager (AMQERRnn): it has no definitions and no status"


def _shows_objects(text: str) -> bool:
    """Whether attributes stand below a message."""
    lines = text.split("\n")
    return any(MESSAGE.match(line) and ATTRIBUTE.match(below) and "(" in below for line, below in pairwise(lines))


def _of_json(text: str) -> Iterator[str]:
    if JSON_LOG.match(text):
        yield "is a log of a queue manager in JSON: it has no definitions and no status"
        return
    head = text[:SAMPLE]
    if '"clientConnection"' not in head and not REST_TYPE.search(head) and '"qmgr"' not in head:
        return
    for value, _ in parse_json_values(text):
        yield from _of_object(value)


def _of_object(value: object) -> Iterator[str]:
    if not isinstance(value, dict) or "queue_manager" in value:
        return
    if any("clientConnection" in row for row in _rows(value, "channel")):
        yield "is a CCDT: client channels, no facts"
        return
    for resource, command in RESOURCES.items():
        if any(map(_is_of_rest, _rows(value, resource))):
            yield f"is an answer of the REST resource {resource}: use runCommandJSON (or {command})"


def _rows(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = value.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _is_of_rest(row: dict[str, Any]) -> bool:
    """Whether a row has what rows of facts have not: objects as values, keys and words of another spelling."""
    words = [each for each in (row.get("type"), row.get("state")) if isinstance(each, str)]
    return (
        any(isinstance(each, dict) or CAMEL.fullmatch(key) for key, each in row.items())
        or any(REST_TYPE.match(f'"type":"{each}"') for each in words)
        or row.keys() == {"name", "state"}
    )


def _recognised(text: str, _: str) -> Confidence:
    return Confidence.sure_if(_describe_foreign_text(text))


FOREIGN = Format("foreign", "what holds no facts", _recognised, in_pieces=True, refused=_describe_foreign_text)

FORMATS = (
    FOREIGN,
    SHELL,
    YAML,
    JCL,
    MQWEB,
    PCF,
    JSON,
    TOML,
    RUNMQSC,
    MQSC,
)
"""In the order in which they are tried: the first that is sure, else the first that is likely."""

BEGINNING_JSON = ("{", "[")
"""What a text begins with, but for blanks, that may be in a format although none of its pieces is."""


def read_contents(data: bytes | Content, source: str, formats: Sequence[Format] = FORMATS) -> Contents:
    """Read a file by the reader of its format; raises FactsError if it is no text or in none of ``formats``."""
    text = decode_text(data, source)
    found = _in_pieces(text, source, formats)
    whole = "" if found or _is_in_none(text, source, formats) else "".join(text.pieces())
    found = found or (detect_format(whole, source, formats) if whole else None)
    if found is None:
        raise _refused(source, f"is in no format that is read: it has no MQSC command; allowed: {_titles(formats)}")
    if found.read is None:
        begun = whole or next(text.pieces())
        raise _refused(source, found.refused(begun) if found.refused else f"is {found.title}, which is not read")
    contents = found.read(whole or text.pieces(), source)
    if text.fault and not isinstance(contents, Script):
        raise FactsError([text.fault])
    return evolve(contents, format=found.name)


def select_formats(name: str, formats: Sequence[Format]) -> Sequence[Format]:
    """Select the format of that ``name`` alone, whatever a text looks like; all ``formats`` if it is blank."""
    if not name:
        return formats
    return [evolve(each, recognised=lambda *_: Confidence.SURE) for each in formats if each.name == name]


def detect_format(text: str, source: str, formats: Sequence[Format] = FORMATS) -> Format | None:
    """Detect the format of ``text``, which is not blank; None if it is in none of ``formats``."""
    likely: Format | None = None
    for each in formats:
        confidence = each.recognised(text, source)
        if confidence is Confidence.SURE:
            return each
        if confidence is Confidence.LIKELY and likely is None:
            likely = each
    return likely


def _in_pieces(text: DecodedText, source: str, formats: Sequence[Format]) -> Format | None:
    """The format of a text of several pieces, if it is one that is read so: the first that any piece is in."""
    first, *more = islice(text.pieces(), 2)
    found = detect_format(first, source, formats) if more else None
    if found is None or not found.in_pieces:
        return None
    earlier = [each for each in formats[: formats.index(found)] if each.in_pieces and each.read]
    pieces = text.pieces() if earlier else ()
    sure = (each for piece in pieces for each in earlier if each.recognised(piece, source) is Confidence.SURE)
    return next(sure, found)


def _is_in_none(text: DecodedText, source: str, formats: Sequence[Format]) -> bool:
    """Whether a text of several pieces, which is not JSON, has none that is in a format: it is not put together."""
    if len([*islice(text.pieces(), 2)]) < 2:
        return False
    told = (piece for piece in text.pieces() if not piece.isspace())
    return all(
        not (at == 0 and piece.lstrip()[0] in BEGINNING_JSON) and detect_format(piece, source, formats) is None
        for at, piece in enumerate(told)
    )


def _titles(formats: Iterable[Format]) -> str:
    """The formats that are read, as messages list them; in TOML and in JSON it is the same documents."""
    return ", ".join(dict.fromkeys(each.title for each in formats if each.read))


def _refused(source: str, message: str) -> FactsError:
    return FactsError([Diagnostic(source, message)])
