"""Results of PCF commands that a program wrote as JSON: rows whose keys are MQ's parameters, by number or by name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from attrs import frozen

from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.json_facts import parse_json
from mqclause.model.readers.mqsc.script import OWNER
from mqclause.model.readers.mqweb import NAMED_BY, observed_row
from mqclause.model.readers.record import Record, Script

PCF_KEY = re.compile(r'"(?:MQI?C?A(?:C[HF])?_[A-Z0-9_]+|[0-9]{1,4})"\s*:')
BYTES_AS_TEXT = re.compile(r"b(['\"])((?:[^\\]|\\.)*)\1", re.DOTALL)
"""What Python makes of bytes where it is to write text."""

ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
CONTROL = {"n": "\n", "r": "\r", "t": "\t"}

PADDING = " \0"
DEEPEST_ROW = 6
"""So deep may rows stand in lists and objects."""


@frozen
class Parameter:
    """What a parameter is in MQSC, and its words by their numbers."""

    mqsc: str
    words: Mapping[str, str]


@lru_cache(maxsize=1)
def pcf_parameters() -> Mapping[str, Parameter]:
    """The parameters that are read, each by its name and by its number."""
    listed = tomllib.loads((files(__package__) / "pcf.toml").read_text(encoding="utf-8"))
    found = {}
    for name, of in listed.items():
        found[name] = found[str(of["id"])] = Parameter(of["mqsc"], of.get("words", {}))
    return found


def _recognised(text: str, _: str) -> Confidence:
    """By a row in it that names an object."""
    if not PCF_KEY.search(text):
        return Confidence.NO
    return Confidence.sure_if(
        any(not _in_mqsc(row).keys().isdisjoint(NAMED_BY) for row in _rows(parse_json(text, "").data))
    )


def read_pcf(text: str, source: str) -> Script:
    """Read what programs inquired: each object as a record of the action *observe*. Never raises."""
    parsed = parse_json(text, source)
    records, owners, faults = list[Record](), list[str](), list(parsed.diagnostics)
    for row in _rows(parsed.data):
        records += observed_row(_in_mqsc(row), source, owners, faults)
    owner = owners[0] if owners else ""
    return Script(source, owner, tuple(records), tuple(faults), {OWNER: owner} if owner else {})


def _rows(data: object, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The objects that have a known parameter, wherever they stand: lists, pairs with a header, groups."""
    if isinstance(data, dict) and not pcf_parameters().keys().isdisjoint(data):
        groups = {key: value for key, value in data.items() if _is_group(value)}
        yield {key: value for key, value in data.items() if key not in groups}
        data = list(groups.values())
    if depth < DEEPEST_ROW and isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from _rows(each, depth + 1)


def _is_group(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _in_mqsc(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in row.items():
        parameter = pcf_parameters().get(key)
        if parameter is not None:
            word = None if isinstance(value, list) else parameter.words.get(str(value))
            if parameter.mqsc == "TRIGGER":
                found[word or parameter.mqsc] = True
            else:
                found[parameter.mqsc] = _text(value) if word is None else word
    if found.get("TYPE") == "QCLUSTER" and "CLUSQMGR" not in found and "QMNAME" in found:
        found["CLUSQMGR"] = found["QMNAME"]  # the host of a cluster queue, by either name
    return found


def _text(value: object) -> object:
    """A value without the blanks and zeros that pad it."""
    if isinstance(value, list):
        return [_text(each) for each in value]
    if not isinstance(value, str):
        return value
    as_bytes = BYTES_AS_TEXT.fullmatch(value)
    return (_unescaped(as_bytes[2]) if as_bytes else value).rstrip(PADDING)


def _unescaped(shown: str) -> str:
    """The text in bytes that Python has shown: UTF-8, else Latin-1."""
    text = ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else CONTROL.get(found[2], found[2]), shown)
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


PCF = Format("PCF", "results of PCF commands as JSON", _recognised, read_pcf)
