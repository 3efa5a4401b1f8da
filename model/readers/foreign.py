"""What is recognised and holds no facts is told in one line that says what it is: nobody has to look why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from mqclause.model.readers import embedding
from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.json_facts import json_values
from mqclause.model.readers.mqsc.words import BEGINS_COMMAND
from mqclause.model.readers.runmqsc.blocks import ATTRIBUTE, MESSAGE

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

OF_REST = re.compile(
    r'"type"\s*:\s*"(?:local|alias|remote|model|cluster|[a-z]+[A-Z]\w+|sender|server|receiver|requester)"'
)
CAMEL = re.compile(r"[a-z]+[A-Z]\w*")
RESOURCES = {"queue": "DISPLAY QUEUE(*) ALL", "channel": "DISPLAY CHANNEL(*) ALL", "qmgr": "DISPLAY QMGR ALL"}
"""What the REST resources of mqweb are called, and the MQSC command that tells the same."""


def _of_text(text: str) -> Iterator[str]:
    """What a text is that is no JSON and no output of MQSC, if it is recognised."""
    if program := embedding.what_it_is(text):
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
    if '"clientConnection"' not in head and not OF_REST.search(head) and '"qmgr"' not in head:
        return
    for value, _ in json_values(text):
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
        or any(OF_REST.match(f'"type":"{each}"') for each in words)
        or row.keys() == {"name", "state"}
    )


def what_it_is(text: str) -> str:
    """What a text is that holds no facts, as a message says it; blank if it is not recognised."""
    of = _of_json if text.lstrip()[:1] in ("{", "[") else _of_text
    return next(of(text), "")


def _recognised(text: str, _: str) -> Confidence:
    return Confidence.sure_if(what_it_is(text))


FOREIGN = Format("foreign", "what holds no facts", _recognised, in_pieces=True, refused=what_it_is)
