"""Read JSON responses of mqweb, and of programs that send PCF commands."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from mqclause.model.diagnostics import Diagnostic, is_secret, quote_value, suggest_allowed
from mqclause.model.patterns import compile_later
from mqclause.model.readers.facts_files import (
    RepeatedKeysObject,
    find_json_places,
    find_repeated_keys,
    parse_json,
    parse_json_values,
)
from mqclause.model.readers.formats import Confidence, DocumentPlaces, Format
from mqclause.model.readers.mqsc import COMMAND_REFUSED, NOT_AUTHORIZED, OWNER
from mqclause.model.readers.records import (
    FLAGS,
    TEXT_ATTRIBUTES,
    Record,
    Script,
    Value,
    describe_unknown,
    expand_synonyms,
    merge_scripts,
)
from mqclause.model.readers.runmqsc import NOTHING_ANSWERED, QUEUES, detect_kind, read_runmqsc

MQWEB_KEY = compile_later(r'"(?:commandResponse|error)"\s*:')
BEGINS = "begins"
"""In the place of a key of a header: where an answer does."""

WHOSE = "this answer does not tell which queue manager it is of; {} are told of in others; allowed: a file for each"
NAME_ATTRIBUTES = ("QUEUE", "CLUSQMGR", "CHANNEL", "NAMELIST", "PROCESS", "QMNAME")
"""The attribute that names an object, where it has several of these: the first."""

TYPES_SHOWN = (*QUEUES, "QUEUE", "HANDLE")
PARAMETERS = compile_later(r'"parameters"\s*:')
OTHER_OBJECTS = frozenset({"AUTHINFO", "CHLAUTH", "CONN", "LISTENER", "SERVICE", "SUB", "TOPIC"})
"""The names of objects of other kinds, which may show an attribute of these names too."""

TWICE = "key {} is given more than once"
"""What a parser of JSON passes over, and is told."""

REASON_NOT_AUTHORIZED = 2035
"""The reason code that says that who asks may not."""

HOLDS, HOLDS_NOT = ("", "yes", "true", True, None), ("no", "false", False)
"""What a word that stands alone in MQSC comes as, besides as itself, and as what where it does not hold."""


def read_mqweb(text: str, source: str) -> Script:
    """Read what was displayed: each object as a record of the action *observe*. Never raises.

    Of several answers those that do not tell whose they are belong to the queue manager that the others are of.
    """
    repeating = list[RepeatedKeysObject]()
    values = parse_json_values(text, repeating)
    given = [*_answers(values)]
    lines = _lines_of_items(text, [data for data, _ in given])
    answers = [_read_answer(data, source, line, lines) for data, line in given]
    if not answers:
        return Script(source, "", (), parse_json(text, source).diagnostics)
    if repeating:
        told = (*answers[0].diagnostics, *_repeated_keys(text, source, values))
        answers[0] = evolve(answers[0], diagnostics=told)
    names = list(dict.fromkeys(each.queue_manager for each in answers if each.queue_manager))
    if len(names) < 2:
        return merge_scripts(answers)
    first, *others = (merge_scripts([each for each in answers if each.queue_manager == name]) for name in names)
    lost = (each for each in answers if each.records and not each.queue_manager)
    faults = (Diagnostic(source, WHOSE.format(", ".join(names)), each.header_lines[BEGINS]) for each in lost)
    return evolve(first, diagnostics=(*first.diagnostics, *faults), further=tuple(others))


def _build_observed_records(
    row: Mapping[str, Any], source: str, owners: list[str], faults: list[Diagnostic], line: int | None = None
) -> Iterator[Record]:
    """Build the record of one displayed object from its attributes, by their MQSC names in upper case.

    ``owners`` gets the queue manager that displays it, if it tells. ``faults`` gets what no object has as a value; the
    object is then left out. ``line`` is where it stands.
    """
    named_by = next((key for key in NAME_ATTRIBUTES if key in row), "")
    if not named_by or row.keys() & OTHER_OBJECTS:
        return
    refused = [*_refused(row, named_by)]
    faults += [Diagnostic(source, message, line) for message in refused]
    held = {_holding(key, value): value for key, value in row.items() if key in FLAGS or value is not None}
    shown: dict[str, Value] = {named_by: "", **{key: _text(key, value) for key, value in expand_synonyms(held).items()}}
    kind = detect_kind({key: value for key, value in shown.items() if isinstance(value, str)})
    if refused or not kind:
        return
    name = str(row[named_by]).rstrip(" ")
    attributes = {key: value for key, value in shown.items() if key != named_by}
    if kind == "QMGR" or (kind == "CLUSQMGR" and attributes.get("DEFTYPE") == "CLUSRCVR"):
        owners.append(name)
    yield Record("observe", kind, "" if kind == "QMGR" else name, attributes, source=source, line=line)


def _recognised(text: str, _: str) -> Confidence:
    """By the key that holds the answers, or the errors."""
    return Confidence.sure_if(MQWEB_KEY.search(text) and any(_answers(parse_json_values(text))))


def _repeated_keys(text: str, source: str, values: Sequence[tuple[Any, int]]) -> Iterator[Diagnostic]:
    """What is told of keys that stand more than once in an object, of which a program takes the last."""
    places = DocumentPlaces(text, find_json_places) if len(values) == 1 else None
    for value, line in values:
        for path, message in find_repeated_keys(value):
            yield Diagnostic(source, message, *(places.find_nearest(*path) if places else (line,)))


def _answers(values: Iterable[tuple[Any, int]]) -> Iterator[tuple[dict[str, Any], int]]:
    """The answers in a text, each with its first line: alone, one after the other, or in a list."""
    for value, line in values:
        yield from ((each, line) for each in (value if isinstance(value, list) else [value]) if _is_answer(each))


def _is_answer(data: object) -> bool:
    if not isinstance(data, dict):
        return False
    errors = data.get("error")
    rows = errors if isinstance(errors, list) else []
    return "commandResponse" in data or any(isinstance(each, dict) and "msgId" in each for each in rows)


def _lines_of_items(text: str, answers: Iterable[dict[str, Any]]) -> Iterator[int]:
    """The line of each object that the answers show, if their number tells which stands where; else none."""
    items = [each for data in answers for each in _items(data) if "parameters" in each]
    found = [each.start() for each in PARAMETERS.finditer(text)]
    line, before = 1, 0
    for at in found if len(found) == len(items) else ():
        line += text.count("\n", before, at)
        before = at
        yield line


def _items(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    items = data.get("commandResponse")
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _read_answer(data: dict[str, Any], source: str, line: int, lines: Iterator[int]) -> Script:
    """One answer, which begins on that line; its objects stand on the next ones of ``lines``."""
    faults = [*_errors(data.get("error"), source, line), *_misshapen(data, source, line)]
    remarks = list[Diagnostic]()
    records, owners, told = list[Record](), list[str](), set[str]()
    for shown in _items(data):
        texts = shown.get("text")
        if isinstance(texts, list):
            part = read_runmqsc("".join(f"{each}\n" for each in texts), source)
            records += [evolve(each, line=line, places=()) for each in part.records]
            faults += [_of_file(each, line) for each in part.diagnostics if each.message != NOTHING_ANSWERED]
            remarks += [_of_file(each, line) for each in part.remarks]
            owners += [part.queue_manager] if part.queue_manager else []
        stands_on = next(lines, line) if "parameters" in shown else line
        remarks += [Diagnostic(source, COMMAND_REFUSED.format(said), stands_on) for said in _find_refusals(shown)]
        twice = list[str]()
        rows = [*_rows(shown.get("parameters"), twice)]
        faults += [
            Diagnostic(source, f"{TWICE.format(quote_value(name))} in other letters", stands_on) for name in twice
        ]
        for row in rows:
            found = [*_build_observed_records(row, source, owners, faults, stands_on)]
            records += found
            unknown = (said for each in found for said in describe_unknown(each.kind, tuple(each.attributes), told))
            remarks += [Diagnostic(source, said, stands_on) for said in unknown]
    header, header_lines = ({OWNER: owners[0]} if owners else {}), dict.fromkeys((OWNER, BEGINS), line)
    owner = owners[0] if owners else ""
    return Script(source, owner, tuple(records), tuple(faults), header, header_lines, remarks=tuple(remarks))


def _misshapen(data: Mapping[str, Any], source: str, line: int) -> Iterator[Diagnostic]:
    """What stands where answers to commands do, and is none: it may have lost objects."""

    def refuse(key: str, value: object, allowed: str) -> Diagnostic:
        return Diagnostic(source, f"{key}: {quote_value(value)} is not allowed; allowed: {allowed}", line)

    items = data.get("commandResponse", [])
    if not isinstance(items, list):
        yield refuse("commandResponse", items, "a list of answers to commands")
        return
    yield from (refuse("commandResponse", each, "answers to commands") for each in items if not isinstance(each, dict))
    for item in _items(data):
        parameters, texts = item.get("parameters", {}), item.get("text", [])
        if not isinstance(parameters, dict):
            yield refuse("parameters", parameters, "the attributes of an object")
            continue
        rows = parameters.get("objects", [])
        if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
            yield refuse("objects", rows, "a list of attributes of objects")
        if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
            yield refuse("text", texts, "a list of lines")


def _find_refusals(shown: Mapping[str, Any]) -> Iterator[str]:
    """The message, or the reason code, by which a command was refused to who asked."""
    given = shown.get("message", [])
    messages = [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, str)]
    refused = [each for each in messages if each.startswith(NOT_AUTHORIZED)]
    if refused or shown.get("reasonCode") == REASON_NOT_AUTHORIZED:
        yield quote_value(next(iter([*refused, *messages]), f"reason code {REASON_NOT_AUTHORIZED}"), 200)


def _of_file(said: Diagnostic, line: int) -> Diagnostic:
    """What is said about a line of an answer, which is no line of the file that has the answer: on that line."""
    return evolve(said, line=line, column=None)


def _errors(given: object, source: str, line: int) -> Iterator[Diagnostic]:
    for each in given if isinstance(given, list) else ():
        message = each.get("message", "") if isinstance(each, dict) else each
        yield Diagnostic(source, f"mqweb answered with an error: {quote_value(message, 200)}", line)


def _rows(parameters: object, twice: list[str]) -> Iterator[dict[str, Any]]:
    """The objects of one answer: handles and the like are rows of their own."""
    if isinstance(parameters, dict):
        rows = parameters.get("objects")
        kept = _in_upper_case({key: value for key, value in parameters.items() if key != "objects"}, twice)
        for row in rows if isinstance(rows, list) else [{}]:
            yield kept | _in_upper_case(row, twice) if isinstance(row, dict) else kept


def _in_upper_case(row: Mapping[str, Any], twice: list[str]) -> dict[str, Any]:
    """A row by keys in upper case; ``twice`` gets those that stand there in several ways."""
    found = {key.upper(): value for key, value in row.items()}
    if len(found) < len(row):
        times = Counter(key.upper() for key in row)
        twice += [key for key in found if times[key] > 1]
    return found


def _holding(key: str, value: object) -> str:
    """The attribute that is shown: of a word that stands alone and does not hold, its opposite."""
    if key in FLAGS and _in_lower_case(value) in HOLDS_NOT:
        return key.removeprefix("NO") if key.startswith("NO") else f"NO{key}"
    return key


def _in_lower_case(value: object) -> object:
    return value.rstrip(" ").lower() if isinstance(value, str) else value


def _refused(row: Mapping[str, Any], named_by: str) -> Iterator[str]:
    """What no object has as a value, in a message each."""
    name, of = row[named_by], ""
    if isinstance(name, str):
        of = f"{named_by} {quote_value(name)}: "
    for key, value in row.items():
        if key in TEXT_ATTRIBUTES and (
            isinstance(value, bool | float | list | dict) or (key == named_by and value is None)
        ):
            yield f"{of}{key}: {quote_value(value)} is not allowed; allowed: a text or a whole number"
        if key in FLAGS and _in_lower_case(value) not in (*HOLDS, *HOLDS_NOT, key.lower()):
            yield f"{of}{key}: {quote_value(value)} is not allowed; allowed: true, false, yes, no, {key} or nothing"
    shown = row.get("TYPE")
    if named_by == "QUEUE" and isinstance(shown, str | int) and str(shown).rstrip(" ") not in ("", *TYPES_SHOWN):
        yield f"{of}TYPE: {quote_value(shown)} is not allowed{suggest_allowed(shown, TYPES_SHOWN)}"


def _text(key: str, value: object) -> Value:
    """A value as text: a word that stands alone in MQSC comes as true, "yes" or its own word."""
    if is_secret(key):
        return ""
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return "" if key in FLAGS or value is None else str(value).rstrip(" ")


MQWEB = Format("mqweb", "output of mqweb (commandResponse)", _recognised, read_mqweb)

PCF_KEY = compile_later(r'"(?:MQI?C?A(?:C[HF])?_[A-Z0-9_]+|[0-9]{1,4})"\s*:')
BYTES_AS_TEXT = compile_later(r"b(['\"])((?:[^\\]|\\.)*)\1", re.DOTALL)
"""What Python makes of bytes where it is to write text."""

TEXT_OR_OBJECT = compile_later(r'"(?:[^"\\]|\\.)*"|\{', re.DOTALL)
ESCAPED = compile_later(r"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
CONTROL = {"n": "\n", "r": "\r", "t": "\t"}

PADDING = " \0"
DEEPEST_ROW = 6
"""So deep may rows stand in lists and objects."""


@frozen
class PcfParameter:
    """A PCF parameter's name in MQSC, and its words by their numbers."""

    mqsc: str
    words: Mapping[str, str]


@lru_cache(maxsize=1)
def load_pcf_parameters() -> Mapping[str, PcfParameter]:
    """Load the PCF parameters that are read, each by its name and by its number."""
    listed = tomllib.loads(Path(__file__).with_name("pcf.toml").read_text(encoding="utf-8"))
    found = {}
    for name, of in listed.items():
        found[name] = found[str(of["id"])] = PcfParameter(of["mqsc"], of.get("words", {}))
    return found


def read_pcf(text: str, source: str) -> Script:
    """Read what programs inquired: each object as a record of the action *observe*. Never raises."""
    parsed = parse_json(text, source)
    records, owners, faults = list[Record](), list[str](), list(parsed.diagnostics)
    lines = _lines_of_objects(text, parsed.data)
    for shown, row in _pcf_rows(parsed.data):
        line = lines.get(id(shown))
        said = (f"{TWICE.format(quote_value(key))} by its number, too" for key in _twice(row))
        faults += [Diagnostic(source, message, line) for message in said]
        records += _build_observed_records(_in_mqsc(row), source, owners, faults, line)
    owner = owners[0] if owners else ""
    return Script(source, owner, tuple(records), tuple(faults), {OWNER: owner} if owner else {})


def _is_pcf(text: str, _: str) -> Confidence:
    """By a row in it that names an object."""
    if not PCF_KEY.search(text):
        return Confidence.NO
    return Confidence.sure_if(
        any(not _in_mqsc(row).keys().isdisjoint(NAME_ATTRIBUTES) for _, row in _pcf_rows(parse_json(text, "").data))
    )


def _lines_of_objects(text: str, data: object) -> Mapping[int, int]:
    """The line on which each object in ``data`` begins, by its ``id``; none if their number does not tell where."""
    objects = [*_objects(data)]
    starts = [*_positions(text, "{")]
    if len(starts) > len(objects):
        starts = [each.start() for each in TEXT_OR_OBJECT.finditer(text) if each[0] == "{"]
    found, line, before = dict[int, int](), 1, 0
    for each, at in zip(objects, starts, strict=True) if len(starts) == len(objects) else ():
        line += text.count("\n", before, at)
        found[id(each)], before = line, at
    return found


def _objects(data: object) -> Iterator[dict[str, Any]]:
    """The objects in ``data``, as they stand one after the other."""
    ahead = [data]
    while ahead:
        each = ahead.pop()
        if isinstance(each, dict):
            yield each
            each = [*each.values()]
        if isinstance(each, list):
            ahead += [inner for inner in reversed(each) if isinstance(inner, dict | list)]


def _positions(text: str, sign: str) -> Iterator[int]:
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + 1)


def _pcf_rows(data: object, depth: int = 0) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    """The objects that have a known parameter, with what they show: in lists, in pairs with a header, in groups."""
    if isinstance(data, dict) and not load_pcf_parameters().keys().isdisjoint(data):
        groups = {key: value for key, value in data.items() if _is_group(value)}
        yield data, {key: value for key, value in data.items() if key not in groups}
        data = list(groups.values())
    if depth < DEEPEST_ROW and isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from _pcf_rows(each, depth + 1)


def _is_group(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _in_mqsc(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in row.items():
        parameter = load_pcf_parameters().get(key)
        if parameter is not None and value is not None:
            word = None if isinstance(value, list) else parameter.words.get(str(value))
            if parameter.mqsc == "TRIGGER":
                found[word or parameter.mqsc] = word is not None or value
            else:
                found[parameter.mqsc] = _pcf_text(value) if word is None else word
    if found.get("TYPE") == "QCLUSTER" and "CLUSQMGR" not in found and "QMNAME" in found:
        found["CLUSQMGR"] = found["QMNAME"]  # the host of a cluster queue, by either name
    return found


def _twice(row: Mapping[str, Any]) -> Iterator[str]:
    """The names of parameters that a row has by their numbers besides."""
    known = load_pcf_parameters()
    met = Counter(id(known[key]) for key in row if key in known)
    yield from (key for key in row if key in known and met[id(known[key])] > 1 and not key.isdigit())


def _pcf_text(value: object) -> object:
    """A value without the blanks and zeros that pad it."""
    if isinstance(value, list):
        return [_pcf_text(each) for each in value]
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


PCF = Format("PCF", "results of PCF commands as JSON", _is_pcf, read_pcf)
