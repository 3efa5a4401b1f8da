"""Read facts documents in TOML and JSON; every fault is reported, not only the first."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, NoReturn, TypeVar

from attrs import define, evolve, field, make_class

from mqclause.model.diagnostics import Diagnostic, DomainError, quote_value, suggest_word
from mqclause.model.facts.domains import NAMES, Maker, fact_field
from mqclause.model.facts.messages import Message, find_message_fault
from mqclause.model.facts.objects import (
    Channel,
    ChannelStatus,
    ModelQueue,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.patterns import compile_later
from mqclause.model.readers.formats import (
    LONGEST_PATH,
    NO_PLACES,
    Confidence,
    DocumentPath,
    DocumentPlaces,
    FactsDocument,
    Format,
    TextPlace,
    build_faulty_document,
    describe_wrong_list,
    parse_document,
    render_table_label,
)
from mqclause.model.readers.records import BEGINS_COMMAND

_T = TypeVar("_T")

LocatedFault = tuple[DocumentPath, str]
"""Where something is wrong, and what."""

MOST_FAULTS = 10_000
"""How many faults of one document are told; a document with more is no facts document at all."""

UNKNOWABLE_TABLES = {
    "status": ("channel", "channel_status"),
    "curdepth": ("queue",),
    "process": ("queue",),
    "initq": ("queue",),
    **dict.fromkeys(("put", "clwlrank", "clwlprty"), ("queue", "channel", "queue_manager_alias")),
    **dict.fromkeys(("clwlwght", "netprty"), ("channel",)),
    "clwluseq": ("queue", "queue_manager"),
    **dict.fromkeys(("clwlmruc", "clwlexit", "defxmitq", "trigint"), ("queue_manager",)),
    "suspended": ("remote_queue_manager",),
    **dict.fromkeys(
        ("clusters", "get", "defbind", "defprty", "usage", "trigger", "trigtype", "trigmpri", "trigdpth",
         "target", "rname", "rqmname", "xmitq"), ("queue",)),
}  # fmt: skip
"""The tables of the objects that an attribute can be unknown of."""

UnknownAttributes: Any = make_class(
    "UnknownAttributes",
    {name: fact_field(NAMES, ()) for name in UNKNOWABLE_TABLES},
    frozen=True,
    slots=True,
    class_body={
        "__doc__": """What nobody knows although it counts as known where it is left out: objects by attribute.

    ``status`` names channels of either table, ``curdepth`` local queues. What an object's own table gives is known.
    ``process`` and ``initq`` name local queues whose process, or initiation queue, may be defined although no table
    here does so. All others name objects that were displayed without the attribute.
    """
    },
)

_queue, _message, _unknown = Maker(Queue), Maker(Message), Maker(UnknownAttributes)

SINGLE_TABLES: dict[str, Maker[Any]] = {"queue_manager": Maker(QueueManager), "put": Maker(Put), "unknown": _unknown}
"""The tables that stand at most once in a document."""

LIST_MAKERS: dict[str, Maker[Any]] = {
    "remote_queue_manager": Maker(RemoteQueueManager),
    "queue": _queue,
    "queue_manager_alias": Maker(QueueManagerAlias),
    "channel": Maker(Channel),
    "process": Maker(Process),
    "model_queue": Maker(ModelQueue),
    "channel_status": Maker(ChannelStatus),
    "message": _message,
}
"""The tables of which a document has a list."""

LIST_TABLES = {
    "remote_queue_managers": "remote_queue_manager",
    "queues": "queue",
    "queue_manager_aliases": "queue_manager_alias",
    "channels": "channel",
    "processes": "process",
    "model_queues": "model_queue",
    "channel_statuses": "channel_status",
}
"""The table of each field of ``Facts`` that holds a list."""

LOCAL_TABLES = ("queue",)
"""The tables of which a row without ``queue_manager`` is of the local one."""

IGNORED_TABLES = ("event", "information", "request", "in_flight")
"""What a facts document may hold for others to read."""

TABLES = ("queue_manager", *LIST_MAKERS, "put", "unknown", *IGNORED_TABLES)
KNOWN_TABLES = frozenset(TABLES)

FACTS_TITLE = "facts in TOML or JSON"
"""How messages list the formats of facts documents."""

LONGEST_TOLD = 200
"""How much of the parser's message is shown."""

TOML_PLACE = compile_later(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# A table header or a key on a line of its own: no line of MQSC starts like this.
TABLE_HEADER = compile_later(
    rf"^[ \t]*\[{{1,2}}[ \t]*(?:{'|'.join(TABLES)})[\w-]*[ \t]*\]{{1,2}}[ \t]*(?:#.*)?\r?$", re.MULTILINE
)
BEGINS_SCRIPT = compile_later(rf"\s*+(?:\*|{BEGINS_COMMAND.pattern})", re.IGNORECASE)
ANY_TABLE_HEADER = compile_later(r"\s*\[{1,2}[ \t]*[A-Za-z_][\w.-]*[ \t]*\]{1,2}[ \t]*(?:#.*)?(?:\r?\n|$)")
FIRST_LINE = compile_later(r"(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*+[ \t]*+(?:$|\[|#|[^\n=]*=)")
"""How TOML begins: with a table, with a key and its value, or with nothing but comments."""

KEY_FIRST = compile_later(r"(?:\s*#.*\n)*\s*[\w.-]+[ \t]*=")

TOML_WORD = compile_later(
    r'''"""(?:\\.|[^"\\]|"{1,2}(?!"))*+"{3,5}|\'{3}(?:[^']|'{1,2}(?!'))*+'{3,5}'''
    r"""|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+'|\#[^\n]*+|[\[\]{},=\n]|[A-Za-z0-9_-]++""",
    re.DOTALL,
)
"""A string, a comment, a sign, the end of a line or a bare word. Points between keys are passed over."""

MOST_PARTS = 100
"""So many parts may a key or the header of a table have: the parser takes the square of their number."""

_PART = r"""(?:[\w-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')"""
_WORD = compile_later(
    r'''"""(?:\\.|[^"\\]|"{1,2}(?!"))*+"{3,5}|\'{3}(?:[^']|'{1,2}(?!'))*+'{3,5}|\#[^\n]*+'''
    rf"""|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS},}}+)"""
    rf"""|{_PART}|.""",
    re.DOTALL,
)
"""A string of several lines, a comment, a key of too many parts, one part of any other or a string, or a sign."""


def parse_toml(text: str, source: str) -> FactsDocument:
    """Parse the document that ``text`` spells. Never raises; what is wrong with the text stands in its diagnostics."""
    return parse_document(text, source, _parse)


def find_toml_places(text: str) -> Mapping[DocumentPath, TextPlace]:
    """Find the line and column of each table and key in ``text``, which must be TOML."""
    scan = _Scan()
    line, begun, end = 1, 0, 0
    for word in TOML_WORD.finditer(text):
        ended = text.count("\n", end, word.start())
        if ended:
            line, begun = line + ended, text.rfind("\n", end, word.start()) + 1
        end = word.start()
        scan.take(word[0], (line, end - begun + 1))
    scan.take("\n", (line, 1))
    return scan.found


def read_toml(text: str) -> dict[str, Any]:
    """Read the tables that a text spells.

    Raises TOMLDecodeError, RecursionError for tables or lists that are nested too deep, and ValueError for a number of
    too many digits.
    """
    if any(line.count(".") >= MOST_PARTS for line in text.split("\n")):
        _check_keys(text)
    return tomllib.loads(text)


def _recognised(text: str, name: str) -> Confidence:
    """By its name or a header of our tables, but for what begins as a script; perhaps, if it looks like other TOML."""
    if name.lower().endswith(".toml"):
        return Confidence.SURE
    if "[" in text and not BEGINS_SCRIPT.match(text) and TABLE_HEADER.search(text):
        return Confidence.SURE
    if ANY_TABLE_HEADER.match(text) or KEY_FIRST.match(text):
        return Confidence.LIKELY
    if FIRST_LINE.match(text) and not parse_toml(text, "").diagnostics:
        return Confidence.LIKELY
    return Confidence.NO


def _parse(text: str, source: str) -> FactsDocument:
    try:
        return FactsDocument(source, read_toml(text), places=DocumentPlaces(text, find_toml_places))
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = TOML_PLACE.search(message)
        said = (message[: place.start()] if place else message)[:LONGEST_TOLD]
        if place and place[1]:
            return build_faulty_document(source, f"is not TOML: {said}", int(place[1]), int(place[2]))
        return build_faulty_document(source, f"is not TOML: {said} at the end", text.rstrip().count("\n") + 1)


class _Open(NamedTuple):
    """A table, or a list at the ``position`` of one of its values, that the scan is inside of."""

    path: DocumentPath
    position: int | None = None


@define
class _Scan:
    """A walk over the words of a document. ``inside`` starts with the table of the last header.

    ``keys`` has the words so far of a key or a header, which began at ``begun``; ``header`` the brackets
    of a header. ``value`` is the path of the value that is being read; None where a key is expected.
    """

    found: dict[DocumentPath, TextPlace] = field(factory=dict)
    inside: list[_Open] = field(factory=lambda: [_Open(())])
    keys: list[str] = field(factory=list)
    begun: TextPlace = (0, 0)
    header: str = ""
    value: DocumentPath | None = None
    tables: Counter[DocumentPath] = field(factory=Counter)

    def take(self, word: str, place: TextPlace) -> None:
        """Go on by one word, which begins at ``place``."""
        if word == "\n":
            self._end_line()
        elif word[0] == "#":
            return
        elif self.value is not None:
            self._in_value(self.value, word, place)
        else:
            self._before_value(word, place)

    def _before_value(self, word: str, place: TextPlace) -> None:
        if not (self.keys or self.header):
            self.begun = place
        if word in "[]":
            self.header += word
        elif word == "=":
            self.value = (*self.inside[-1].path, *self.keys)
            self._note(self.value, self.begun)
            self.keys = []
        elif word == "}":
            self._close()
        elif word != ",":
            self.keys.append(_key(word))

    def _in_value(self, value: DocumentPath, word: str, place: TextPlace) -> None:
        path, position = self.inside[-1]
        if word == "[":
            self.inside.append(_Open(value, 0))
            self.value = (*value, 0)
        elif word == "{":
            self._note(value, place)
            self.inside.append(_Open(value))
            self.value = None
        elif word in "]}":
            self._close()
        elif word == "," and position is not None:
            self.inside[-1] = _Open(path, position + 1)
            self.value = (*path, position + 1)
        elif word == ",":
            self.value = None

    def _close(self) -> None:
        self.value = self.inside.pop().path

    def _end_line(self) -> None:
        if self.header:
            keys = self.keys[: LONGEST_PATH + 1]  # behind them no place is kept
            self.inside = [_Open(self._table(keys, self.header.startswith("[[")))]
            self._note(self.inside[0].path, self.begun)
            self.keys, self.header = [], ""
        if len(self.inside) == 1:
            self.value = None

    def _table(self, keys: Sequence[str], listed: bool) -> DocumentPath:
        """The path of the table whose header names ``keys``: the next one of its list, if it is ``listed``."""
        path: DocumentPath = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self.tables:
                path = (*path, self.tables[path] - 1)
        path = (*path, *keys[-1:])
        if listed:
            self.tables[path] += 1
            return (*path, self.tables[path] - 1)
        return path

    def _note(self, path: DocumentPath, place: TextPlace) -> None:
        """Keep the place of a table or key, and of the tables that a dotted key is the first to name."""
        for length in range(1, min(len(path), LONGEST_PATH) + 1):
            self.found.setdefault(path[:length], place)


def _key(word: str) -> str:
    return str(tomllib.loads(f"key = {word}")["key"]) if word[0] in "\"'" else word


def _check_keys(text: str) -> None:
    """Raises TOMLDecodeError for a key of too many parts."""
    for word in _WORD.finditer(text):
        if word["key"] is not None:
            start = word.start()
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            said = f"a key has more than {MOST_PARTS} parts (at line {line}, column {column})"
            raise tomllib.TOMLDecodeError(said)


TOML = Format("TOML", FACTS_TITLE, _recognised, parse_toml)

LONGEST_KEY = 200
"""A longer key is shown cut."""

JSON_OPENING = compile_later(r"\s*[{[]")
SURE_OPENING = compile_later(r"\s*[{[](?:\s*[{[])*\s*[\"}\]]")
"""How JSON begins, and nothing else: a prompt and a template begin with a bracket or a brace, too."""

BETWEEN_VALUES = compile_later(r"[\s,\x1e]*")

# A JSON string, or a word that Python's parser takes for a number although JSON has no such.
STRING_OR_CONSTANT = compile_later(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN', re.DOTALL)

JSON_SIGN = compile_later(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,\n]')
"""A string, a sign of JSON's, or the end of a line; numbers and words are passed over."""


class RepeatedKeysObject(dict[str, Any]):
    """A JSON object in which the keys ``repeated`` stand more than once."""

    repeated: tuple[str, ...] = ()


def parse_json_values(text: str, repeating: list[RepeatedKeysObject] | None = None) -> list[tuple[Any, int]]:
    """Parse the values that stand in ``text`` one after the other, each with its first line; none if it is no JSON.

    ``repeating`` gets the objects in which a key stands more than once.
    """
    found, at, line = list[tuple[Any, int]](), 0, 1
    make = None if repeating is None else partial(_object, repeating)
    decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=make)
    begun = BETWEEN_VALUES.match(text)
    end = begun.end() if begun else 0
    try:
        while end < len(text):
            line += text.count("\n", at, end)
            at = end
            value, end = decoder.raw_decode(text, at)
            found.append((value, line))
            gap = BETWEEN_VALUES.match(text, end)
            end = gap.end() if gap else end
    except (ValueError, RecursionError):
        return []
    return found


def parse_json(text: str, source: str) -> FactsDocument:
    """Parse the document that ``text`` spells. Never raises; what is wrong with the text stands in its diagnostics."""
    return parse_document(text, source, _parse_json)


def find_json_places(text: str) -> Mapping[DocumentPath, TextPlace]:
    """Find the line and column of each object and key in ``text``, which must be JSON."""
    found: dict[DocumentPath, TextPlace] = {}
    inside: list[str | int] = []
    string, key, line, begun = "", (1, 1), 1, 0
    for match in JSON_SIGN.finditer(text):
        sign = match[0]
        if sign == "\n":
            line, begun = line + 1, match.end()
        elif sign[0] == '"':
            string, key = sign, (line, match.start() - begun + 1)
        elif sign == ":":
            inside[-1] = json.loads(string)
            _note(found, inside, key)
        elif sign == ",":
            inside[-1] = inside[-1] + 1 if isinstance(inside[-1], int) else ""
        elif sign in "{[":
            _note(found, inside, (line, match.start() - begun + 1))
            inside.append("" if sign == "{" else 0)
        else:
            inside.pop()
    return found


class _ConstantError(ValueError):
    """NaN or Infinity in JSON."""


def _is_json(text: str, _: str) -> Confidence:
    """By its first signs, or because it parses; not where these begin a table of TOML."""
    if not JSON_OPENING.match(text) or ANY_TABLE_HEADER.match(text):
        return Confidence.NO
    return Confidence.sure_if(SURE_OPENING.match(text) or parse_json_values(text))


def _parse_json(text: str, source: str) -> FactsDocument:
    repeating: list[RepeatedKeysObject] = []
    try:
        data = json.loads(text, object_pairs_hook=partial(_object, repeating), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        return build_faulty_document(source, f"is not JSON: {error.msg}", error.lineno, error.colno)
    except _ConstantError:
        return FactsDocument(source, None, (_constant_fault(text, source),))
    places = DocumentPlaces(text, find_json_places)
    told = find_repeated_keys(data) if repeating else ()
    faults = tuple(Diagnostic(source, message, *places.find_nearest(*path)) for path, message in told)
    return FactsDocument(source, data, faults, places)


def _object(found: list[RepeatedKeysObject], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    repeating = RepeatedKeysObject(made)
    times = Counter(key for key, _ in pairs)
    repeating.repeated = tuple(key for key in made if times[key] > 1)
    found.append(repeating)
    return repeating


def _refuse_constant(word: str) -> NoReturn:
    raise _ConstantError(word)


def _constant_fault(text: str, source: str) -> Diagnostic:
    """Where NaN or Infinity stands: the parser does not say."""
    found = next(match for match in STRING_OR_CONSTANT.finditer(text) if not match[0].startswith('"'))
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    return Diagnostic(source, f"is not JSON: {found[0]} is no number of JSON", line, column)


def find_repeated_keys(data: object) -> Iterator[LocatedFault]:
    """Find where a key stands that stands more than once in its object, and a message."""
    waiting: list[tuple[DocumentPath, str, object]] = [((), "", data)]
    while waiting:
        path, label, value = waiting.pop()
        if isinstance(value, RepeatedKeysObject):
            for key in value.repeated:
                yield (*path, key), f"{label}key {quote_value(key)} is given more than once"
        if isinstance(value, dict):
            waiting += [child for key in reversed(value) for child in _children(path, label, key, value[key])]
        elif isinstance(value, list):
            waiting += [((*path, at), label, each) for at, each in enumerate(value)][::-1]


def _children(path: DocumentPath, label: str, key: str, value: object) -> list[tuple[DocumentPath, str, object]]:
    shown = key if key.isidentifier() and len(key) < LONGEST_KEY else quote_value(key)
    if isinstance(value, list):
        rows = [
            ((*path, key, at - 1), f"{label}{render_table_label(shown, at, row)}: ", row)
            for at, row in enumerate(value, 1)
        ]
        return rows[::-1]
    return [((*path, key), f"{label}{render_table_label(shown, None, value)}: ", value)]


def _note(found: dict[DocumentPath, TextPlace], inside: list[str | int], place: TextPlace) -> None:
    if len(inside) <= LONGEST_PATH:
        found.setdefault(tuple(inside), place)


JSON = Format("JSON", FACTS_TITLE, _is_json, parse_json)


@define(unsafe_hash=True)  # One is made for every document, and attrs takes three times as long where it is frozen.
class Facts:
    """The facts of one document, in its order; where there are ``diagnostics`` there are no facts."""

    source: str
    queue_manager: QueueManager | None = None
    remote_queue_managers: tuple[RemoteQueueManager, ...] = ()
    queues: tuple[Queue, ...] = ()
    queue_manager_aliases: tuple[QueueManagerAlias, ...] = ()
    channels: tuple[Channel, ...] = ()
    processes: tuple[Process, ...] = ()
    model_queues: tuple[ModelQueue, ...] = ()
    put: Put | None = None
    messages: tuple[Message, ...] = ()
    channel_statuses: tuple[ChannelStatus, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def has_facts(document: FactsDocument) -> bool:
    """Return whether any table of a facts document is there: other programs write TOML and JSON too."""
    return isinstance(document.data, Mapping) and not KNOWN_TABLES.isdisjoint(document.data)


def read_facts(
    data: object,
    source: str,
    local: str | None = None,
    consume: bool = False,
    places: DocumentPlaces = NO_PLACES,
) -> Facts:
    """Read the facts in a parsed document: a mapping of table names to tables and lists of tables.

    Never raises; the faults stand in ``diagnostics``, at the ``places`` of the document's keys. ``local`` is the local
    queue manager's name for a document without a queue_manager table. With ``consume`` the rows of messages give way in
    ``data`` to what is made of them: a million of them are not kept twice.
    """
    try:
        return _made(data, source, local, consume)
    except (AttributeError, KeyError, TypeError, DomainError):
        pass  # what is wrong is told below: this way a good document does not pay for it
    told = islice(_faults(data, local), MOST_FAULTS)
    faults = tuple(Diagnostic(source, message, *places.find_nearest(*path)) for path, message in told)
    return Facts(source, diagnostics=faults) if faults else _made(_plain(data), source, local, False)


def _made(data: Any, source: str, local: str | None, consume: bool) -> Facts:
    if not data.keys() <= KNOWN_TABLES:
        raise KeyError("a table")
    own, put = (SINGLE_TABLES[name](data[name]) if name in data else None for name in ("queue_manager", "put"))
    makers: dict[str, Callable[[Any], Any]] = {**LIST_MAKERS, "queue": _hosted(own.name if own else local)}
    lists: dict[str, tuple[Any, ...]] = {name: _rows(data, table, makers[table]) for name, table in LIST_TABLES.items()}
    if "unknown" in data:
        lists["queues"] = _of_unknown_depth(lists["queues"], data)
    return Facts(source, own, put=put, messages=_messages(data, consume), **lists)


def _rows(data: Mapping[str, Any], table: str, make: Callable[[Any], _T]) -> tuple[_T, ...]:
    rows = data.get(table, ())
    if rows == ():
        return ()
    if type(rows) is not list:
        raise TypeError(table)
    return tuple([make(row) for row in rows])


def _of_unknown_depth(queues: tuple[Queue, ...], data: Mapping[str, Any]) -> tuple[Queue, ...]:
    """The queues, without the depth of those of which it is said to be unknown. Raises KeyError and DomainError."""
    if any(True for _ in _not_there(_unknown(data["unknown"]), data)):
        raise KeyError("an object of which something is unknown")
    names = set(data["unknown"].get("curdepth", ()))
    return tuple(
        evolve(queue, curdepth=None) if queue.name in names and "curdepth" not in row else queue
        for queue, row in zip(queues, data.get("queue", ()), strict=True)
    )


def _not_there(unknown: Any, data: Mapping[str, Any]) -> Iterator[str]:
    """The objects of which something is said to be unknown and that the document does not have."""
    for attribute, tables in UNKNOWABLE_TABLES.items():
        names = {row.get("name") for table in tables for row in _rows_of(table, data) if isinstance(row, Mapping)}
        for name in getattr(unknown, attribute):
            if name not in names:
                near = suggest_word(name, [known for known in names if isinstance(known, str)])
                yield f"unknown: {attribute}: no {tables[0]} {quote_value(name)} is in this document{near}"


def _rows_of(table: str, data: Mapping[str, Any]) -> Iterable[Any]:
    """The rows of a table that a document may have, of one that stands once that one."""
    given = data.get(table, ())
    return (given,) if table in SINGLE_TABLES else given


def _hosted(local: str | None) -> Callable[[Any], Queue]:
    """Makes a queue, on the local queue manager where none is given."""
    return lambda row: _queue(row if "queue_manager" in row else {**row, "queue_manager": local})


def _messages(data: Mapping[str, Any], consume: bool) -> tuple[Message, ...]:
    if not consume or type(data.get("message")) is not list:
        return _rows(data, "message", _the_message)
    rows = data["message"]
    for at, row in enumerate(rows):
        rows[at] = _the_message(row)
    return tuple(rows)


def _the_message(given: Any) -> Message:
    if isinstance(given, Message):
        return given
    message = _message(given)
    if find_message_fault(message):
        raise TypeError("message")
    return message


def _plain(data: Any) -> dict[str, Any]:
    """A document of mappings and tuples as one of dicts and lists."""
    return {
        table: dict(given)
        if isinstance(given, Mapping)
        else [row if isinstance(row, Message) else dict(row) for row in given]
        for table, given in data.items()
        if table not in IGNORED_TABLES
    }


def _faults(data: object, local: str | None) -> Iterator[LocatedFault]:
    if not isinstance(data, Mapping):
        allowed = f"allowed: tables {', '.join(TABLES)}"
        yield (), f"{quote_value(data)} is given where a facts document is expected; {allowed}"
        return
    # With a queue_manager table of its own, a fault in that table is told there and not at every queue.
    host = "?" if "queue_manager" in data else local
    for table, given in data.items():
        if table in SINGLE_TABLES:
            yield from _single_faults(table, given)
        elif table in LIST_MAKERS:
            yield from _many_faults(table, given, host)
        elif table not in IGNORED_TABLES:
            allowed = f"allowed: {', '.join(TABLES)}{suggest_word(table, TABLES)}"
            yield (table,), f"unknown table {quote_value(table)}; {allowed}"
    # what is wrong with the table itself is told already
    with suppress(AttributeError, KeyError, TypeError, DomainError):
        for message in _not_there(_unknown(data.get("unknown", {})), data):
            yield ("unknown",), message


def _single_faults(table: str, given: object) -> Iterator[LocatedFault]:
    if isinstance(given, list | tuple):
        how = f"write [{table}] in TOML, an object in JSON"
        yield (table,), f"{table}: a list is given where one table is expected; {how}"
    elif not isinstance(given, Mapping):
        yield (table,), f"{table}: {quote_value(given)} is given where a table is expected"
    else:
        yield from _table_faults((table,), render_table_label(table, None, given), SINGLE_TABLES[table], given)


def _many_faults(table: str, given: Any, host: str | None) -> Iterator[LocatedFault]:
    if wrong := describe_wrong_list(table, given):
        yield (table,), wrong
    else:
        for position, row in enumerate(given):
            yield from _row_faults(table, position, row, host)


def _row_faults(table: str, position: int, row: object, host: str | None) -> Iterator[LocatedFault]:
    if isinstance(row, Message):
        return  # it was made before another row turned out to be wrong
    path, label = (table, position), render_table_label(table, position + 1, row)
    if not isinstance(row, Mapping):
        yield path, f"{label}: {quote_value(row)} is given where a table is expected"
        return
    implied = table in LOCAL_TABLES and host is not None and "queue_manager" not in row
    found = list(_table_faults(path, label, LIST_MAKERS[table], {**row, "queue_manager": host} if implied else row))
    yield from found
    if table == "message" and not found and (fault := find_message_fault(_message(row))):
        yield path, f"{label}: {fault}"


def _table_faults(
    path: DocumentPath, label: str, maker: Maker[Any], given: Mapping[Any, object]
) -> Iterator[LocatedFault]:
    for key, message in maker.find_faults(given):
        yield (path if key is None else (*path, key)), f"{label}: {message}"
