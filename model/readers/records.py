"""Records: MQ objects as a file states them, whatever its format.

What no source of a queue manager holds is not known; that it is not there is no sign that the queue manager has none.
Ask ``CombinedCoverage.leaves_out`` before anything is called missing:

    >>> dump = Coverage.from_dump_command("dmpmqcfg -m QM1 -x object -t queue -n STOCK*")
    >>> str(dump)
    'queues named STOCK* alone'
    >>> of_qm1 = CombinedCoverage((dump,))
    >>> of_qm1.leaves_out("QLOCAL", "INITQ"), of_qm1.leaves_out("PROCESS", "STOCK.PROC")
    (True, True)
    >>> CombinedCoverage((Coverage.from_dump_command("dmpmqcfg -m QM1 -t queue"),)).leaves_out("QLOCAL", "INITQ")
    False
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress, count
from operator import ne
from pathlib import Path
from typing import Any, Self, TypeVar

from attrs import define, evolve, field, frozen

from mqclause.model.diagnostics import Diagnostic, quote_value, suggest_word
from mqclause.model.patterns import compile_later

Value = str | tuple[str, ...]
"""An attribute's value: text, or a list of texts; blank and flags without a value are ``""``."""

LinePlace = tuple[int, int]
"""How many lines below the record's first one something stands, and in which column, counted from 1; 0: unknown."""

NOTHING_SHOWN: Mapping[str, str] = {}  # a dict, which pickles

MOST_ALIKE = 20_000
"""So many values and shapes are kept to be recognised again: a file of nothing but different ones is none the worse."""

LONGEST_ALIKE = 300
"""A longer text is hardly ever the same again."""

ValueT = TypeVar("ValueT")

BETWEEN = "\0"
"""What stands between values that are kept as one text: it is in hardly any of them."""

QUEUE_KINDS = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
"""The kinds that DISPLAY QUEUE asks for."""

_COMMAND = compile_later(
    r"\s*DIS(?:PLAY)?\s+(?:([A-Z]+)\s*\(\s*('?)([^'()\s]+)\2\s*\)|(QMGR)(?![A-Z0-9(]))", re.IGNORECASE
)
_WORD = compile_later(r"([A-Z][A-Z0-9]*)(?:\s*\(((?:[^()']|'[^']*'|\([^()]*\))*)\))?", re.IGNORECASE)

HANDLES = "QSTATUS HANDLE"
"""The kind of what DISPLAY QSTATUS shows with TYPE(HANDLE): a row for each open queue."""

WHICH_STATUS, EVERYWHERE = ("QUEUE", "HANDLE"), ("CMDSCOPE", "QSGDISP", "CHLDISP")
"""Of which things of a queue a status is asked for; what says from where a command is answered, for no fewer objects.
"""

ANY_NAME = "*"
QUEUES = frozenset({"QLOCAL", "QALIAS", "QREMOTE", "QMODEL"})
"""The kinds of queues that a queue manager defines; ``QUEUE`` stands for any of them."""

OPTION = compile_later(r"""(?:^|\s)-[adz]*([ntx])\s*("[^"]*"|'[^']*'|[^\s'"]+)""")
"""An option of dmpmqcfg by which a dump has not all objects, and its value."""

DUMP_KINDS = {
    "authinfo": ("authentication information", {"AUTHINFO"}),
    "channel": ("channels", {"CHANNEL"}),
    "comminfo": ("communication information", {"COMMINFO"}),
    "listener": ("listeners", {"LISTENER"}),
    "namelist": ("namelists", {"NAMELIST"}),
    "process": ("processes", {"PROCESS"}),
    "queue": ("queues", QUEUES),
    "qmgr": ("the queue manager", {"QMGR"}),
    "service": ("services", {"SERVICE"}),
    "topic": ("topics", {"TOPIC"}),
    "authrec": ("authority records", {"AUTHREC"}),
    "chlauth": ("channel authentication records", {"CHLAUTH"}),
    "sub": ("subscriptions", {"SUB"}),
    "policy": ("security policies", {"POLICY"}),
}
"""What -t and -x ask for, in words and in the kinds of objects."""

SHORT_KINDS = {
    "chl": "channel", "lstr": "listener", "nl": "namelist", "prcs": "process", "pro": "process", "q": "queue",
    "srvc": "service", "top": "topic", "tp": "topic", "sb": "sub",
}  # fmt: skip
"""The short words of -t."""

EVERYTHING = ("all", "object", "*")
"""The values of -t, -x and -n that leave nothing out of what decisions rest on."""

VERB_SYNONYMS = {"ALT": "ALTER", "DEF": "DEFINE", "DIS": "DISPLAY", "REF": "REFRESH", "STA": "START"}

VERBS = frozenset({
    "ALTER", "ARCHIVE", "BACKUP", "CLEAR", "DEFINE", "DELETE", "DISPLAY", "MOVE", "PING", "PURGE", "RECOVER",
    "REFRESH", "RESET", "RESOLVE", "RESUME", "RVERIFY", "SET", "START", "STOP", "SUSPEND",
})  # fmt: skip

BEGINS_COMMAND = compile_later(
    rf"[ \t\f]*(?:{'|'.join(sorted({*VERBS, *VERB_SYNONYMS}))})(?![A-Za-z0-9])", re.IGNORECASE
)
"""How a line of a script begins that is no comment and goes on with none."""

ENDS = frozenset({"END", "EXIT", "QUIT"})
"""The words that end the input."""

RECORD_ACTIONS = {
    "DEFINE": "define", "ALTER": "alter", "DELETE": "delete", "SUSPEND": "suspend", "RESUME": "resume",
    "START": "start", "STOP": "stop", "REFRESH": "refresh",
}  # fmt: skip
"""The verbs that configure or operate, with the action of their records."""

OPERATED_NOUNS = {"SUSPEND": "QMGR", "RESUME": "QMGR", "START": "CHANNEL", "STOP": "CHANNEL"}
"""The only object type of a verb whose commands are kept."""

CONFIGURED_NOUNS = frozenset({
    "AUTHINFO", "BUFFPOOL", "CFSTRUCT", "CHANNEL", "COMMINFO", "LISTENER", "NAMELIST", "PROCESS", "PSID", "QALIAS",
    "QLOCAL", "QMODEL", "QREMOTE", "SERVICE", "STGCLASS", "SUB", "TOPIC",
})  # fmt: skip

VERB_NOUNS = {
    "DEFINE": CONFIGURED_NOUNS | {"LOG", "MAXSMSGS"},
    "ALTER": CONFIGURED_NOUNS | {"QMGR", "SECURITY", "SMDS", "TRACE"},
    "DELETE": CONFIGURED_NOUNS | {"AUTHREC", "POLICY"},
    "SUSPEND": frozenset({"QMGR"}),
    "RESUME": frozenset({"QMGR"}),
}
"""The object types that a verb takes, of the verbs for which it is known."""

AMBIGUOUS_VERBS = frozenset({"ARCHIVE", "PURGE"})
"""The verbs that are an object type or a flag of other commands, too."""

ATTRIBUTE_VERBS = {"SUSPEND": "CLUSQMGR", "RECOVER": "CFSTRUCT"}
"""The verbs that are an attribute, too: DISPLAY asks for it without a value, of objects of this type."""

NOUNS = frozenset({
    "AUTHINFO", "AUTHSERV", "CHANNEL", "CHSTATUS", "CLUSQMGR", "LISTENER", "NAMELIST", "QALIAS", "QCLUSTER",
    "QLOCAL", "QMGR", "QMODEL", "QREMOTE", "QSTATUS", "SERVICE", "TOPIC",
})  # fmt: skip
"""The object types whose word is no attribute of another one."""

ATTRIBUTE_NOUNS = frozenset({
    "APSTATUS", "ARCHIVE", "AUTHREC", "BSDS", "BUFFPOOL", "CFSTATUS", "CFSTRUCT", "CHINIT", "CHLAUTH", "CLUSTER",
    "CMDSERV", "COMMINFO", "CONN", "ENTAUTH", "GROUP", "INDOUBT", "LOG", "LSSTATUS", "MAXSMSGS", "POLICY",
    "PROCESS", "PSID", "PUBSUB", "QMSTATUS", "QSTATS", "QUEUE", "SBSTATUS", "SECURITY", "SMDS", "SMDSCONN",
    "STGCLASS", "SUB", "SVSTATUS", "SYSTEM", "TCLUSTER", "THREAD", "TOPICSTR", "TPIPE", "TPSTATUS", "TRACE",
    "USAGE",
})  # fmt: skip
"""The object types whose word may be an attribute too: they are the noun where no other one stands."""

EVERY_NOUN = NOUNS | ATTRIBUTE_NOUNS

ATTRIBUTE_SYNONYMS = {"TARGQ": "TARGET"}
"""The short words of attributes, by which old releases display them too."""

SYNONYMS = {
    "BP": "BUFFPOOL", "CHL": "CHANNEL", "CHS": "CHSTATUS", "LSTR": "LISTENER", "NL": "NAMELIST", "POL": "POLICY",
    "PRO": "PROCESS", "PROC": "PROCESS", "Q": "QUEUE", "QA": "QALIAS", "QC": "QCLUSTER", "QL": "QLOCAL",
    "QM": "QMODEL", "QR": "QREMOTE", "QS": "QSTATUS", "STC": "STGCLASS", "TPC": "TOPIC",
    "TPS": "TPSTATUS", **ATTRIBUTE_SYNONYMS,
}  # fmt: skip
"""The short words of object types and attributes."""

NAMED_NOUNS = frozenset({
    "AUTHINFO", "CHANNEL", "COMMINFO", "LISTENER", "NAMELIST", "PROCESS", "QALIAS", "QLOCAL", "QMODEL", "QREMOTE",
    "SERVICE", "TOPIC",
})  # fmt: skip
"""The object types whose definition must give a name."""

NAME_VALUED = NAMED_NOUNS | {
    "CLUSNL", "CLUSQMGR", "CLUSTER", "DEADQ", "DEFXMITQ", "INITQ", "QMNAME", "QUEUE", "REPOS", "REPOSNL", "RNAME",
    "RQMNAME", "TARGET", "TARGQ", "XMITQ",
}  # fmt: skip
"""The object types and attributes whose value is a name, in which no parenthesis can stand."""

FLAGS = frozenset({
    "FORCE", "HARDENBO", "NOFORCE", "NOHARDENBO", "NOREPLACE", "NOSHARE", "NOTRIGGER", "REPLACE", "SHARE", "TRIGGER",
})  # fmt: skip
"""The parameters of DEFINE and ALTER that have no value."""

VALUED_ATTRIBUTES = frozenset({
    "APPLICID", "APPLTYPE", "CHLTYPE", "CLUSNL", "CLUSTER", "CLWLDATA", "CLWLEXIT", "CLWLMRUC", "CLWLPRTY",
    "CLWLRANK", "CLWLUSEQ", "CLWLWGHT", "DEFBIND", "DEFPRTY", "ENVRDATA", "GET", "INITQ", "LIKE", "MSGDLVSQ",
    "NAMES", "NETPRTY", "PROCESS", "PUT", "QSGDISP", "REPOS", "REPOSNL", "RNAME", "RQMNAME", "TARGET", "TRIGDATA",
    "TRIGDPTH", "TRIGINT", "TRIGMPRI", "TRIGTYPE", "USAGE", "USERDATA",
})  # fmt: skip
"""The parameters of DEFINE and ALTER that decide something by their value."""

TEXT_ATTRIBUTES = frozenset({
    *VALUED_ATTRIBUTES, "CHANNEL", "CLUSQMGR", "CLUSQT", "CURDEPTH", "DEFTYPE", "DEFXMITQ", "DESCR", "IPPROCS",
    "NAMELIST",
    "QMNAME", "QMTYPE", "QUEUE", "STATUS", "SUSPEND", "TYPE",
}) - {"NAMES"}  # fmt: skip
"""The attributes whose value is shown as one text or one whole number."""


@lru_cache(maxsize=1024)
def get_known_attributes(verb: str, noun: str, chltype: str = "") -> frozenset[str] | None:
    """Return the attributes that a command may have, with its object type; None for an unknown command.

    ``chltype`` is the type of a channel; blank: what a channel of any type has.
    """
    found = _objects().get(noun, {})
    # DEFINE and ALTER take an object's attributes; other verbs only what stands under their own name.
    takes = [name for name in (verb.lower(), "attributes" if verb in ("DEFINE", "ALTER") else "") if name in found]
    if not takes:
        return None
    known = {noun, *(word for name in takes for word in found[name].split())}
    by_type = found.get("by_type", {}) if "attributes" in takes else {}
    return frozenset(known.union(name for name, of in by_type.items() if not chltype or chltype in of.split()))


@lru_cache(maxsize=1)
def list_channel_types() -> tuple[str, ...]:
    """List the words of CHLTYPE."""
    return tuple(sorted({each for listed in _objects()["CHANNEL"]["by_type"].values() for each in listed.split()}))


def describe_unknown_attribute(verb: str, noun: str, word: str, chltype: str = "") -> str:
    """Say that an object has no attribute ``word``, and which channel types or objects have it."""
    types = _objects().get(noun, {}).get("by_type", {}).get(word, "").split() if chltype else []
    if types:
        return f"CHLTYPE({chltype}) has no attribute {word}; channel types that have it: {', '.join(types)}"
    others = list_objects_with(word)
    return f"{verb} {noun} has no attribute {word}" + (f"; objects that have it: {', '.join(others)}" if others else "")


def list_objects_with(word: str) -> list[str]:
    """List the objects whose definitions take ``word``."""
    return [noun for noun in _objects() if word in (get_known_attributes("ALTER", noun) or ())]


@lru_cache(maxsize=1)
def _list_displayed_words() -> frozenset[str]:
    """List the attributes that MQSC shows of any object that is defined."""
    tables = [each for each in _objects().values() if "attributes" in each]
    words = [*(table["attributes"] for table in tables), _objects()["SHOWN"]["words"]]
    by_type = (word for table in tables for word in table.get("by_type", {}))
    return frozenset(_objects()) | frozenset(by_type) | frozenset(word for each in words for word in each.split())


DISPLAYED_KINDS = frozenset(
    {"QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "QCLUSTER", "QMGR", "CHANNEL", "PROCESS", "NAMELIST"}
)
"""The kinds of objects whose displays show what _list_displayed_words lists."""


@lru_cache(maxsize=1024)
def _find_unknown_words(kind: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Find the words that MQSC does not have for an attribute of anything, among those that an object shows.

    Objects of other kinds than those that are defined show many more, and none is asked of them.
    """
    if kind not in DISPLAYED_KINDS:
        return ()
    return tuple(word for word in words if word not in _list_displayed_words())


def describe_unknown(kind: str, words: tuple[str, ...], told: set[str]) -> Iterator[str]:
    """Describe the words shown of an object that MQSC has not, but those ``told`` before, which gets them."""
    for word in _find_unknown_words(kind, words):
        if word not in told:
            told.add(word)
            near = suggest_word(word, sorted(_list_displayed_words()))
            yield f"MQSC has no attribute {word}, so it is passed by{near}"


@lru_cache(maxsize=1)
def _objects() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("attributes.toml").read_text(encoding="utf-8"))


@frozen(weakref_slot=False)
class Record:
    """One statement about one MQ object.

    ``action`` is define, alter, delete, suspend, resume, start, stop, refresh or observe. What a *define* leaves out
    has its default; what an *observe*, of a display, leaves out is not known. ``kind`` is the canonical noun (QLOCAL,
    CHANNEL, QMGR, …), ``name`` blank where the object has none. ``attributes`` has canonical upper-case names in the
    order in which they were written; a flag (TRIGGER, NOTRIGGER, REPLACE) is a key with value ``""``. ``informational``
    has the attributes that the source shows but that cannot be set. ``places`` has where each of the ``attributes``
    stands, and then each of the ``informational`` ones.
    """

    action: str
    kind: str
    name: str
    attributes: Mapping[str, Value]
    informational: Mapping[str, str] = NOTHING_SHOWN
    source: str = ""
    line: int | None = None
    places: Sequence[LinePlace] = field(default=(), repr=False, eq=False)

    def place_of(self, attribute: str) -> tuple[int | None, int | None]:
        """Return the line and the column of ``attribute``; the record's own line if that is not known."""
        if self.line is not None:
            for name, (below, column) in zip(chain(self.attributes, self.informational), self.places, strict=False):
                if name == attribute:
                    return self.line + below, column or None
        return self.line, None

    def find_line(self, attribute: str) -> int | None:
        """Find the line on which ``attribute`` stands; the record's own line if that is not known."""
        return self.place_of(attribute)[0]

    def describe_place(self, attribute: str) -> str:
        """Describe where ``attribute`` stands, as messages name it: ``QM1.mqsc:12``."""
        line = self.find_line(attribute)
        return self.source if line is None else f"{self.source}:{line}"

    def build_diagnostic(self, message: str, attribute: str = "") -> Diagnostic:
        """Build a message about it, on the line of ``attribute`` if that is given."""
        what = f"{self.kind} {quote_value(self.name)}" if self.name else self.kind
        return Diagnostic(self.source, f"{what}: {message}", *self.place_of(attribute))

    def listed(self, attribute: str) -> tuple[str, ...]:
        """Return the value of ``attribute`` as a list of names, without blank ones; empty if it is not stated."""
        return split_names(self.attributes.get(attribute, ""))

    def is_beginning_of(self, other: Record) -> bool:
        """Return whether it has the first attributes of another record of its kind, and no more.

        Channels of two types have other attributes; a status is shown of some of them alone.
        """
        types = ("CHLTYPE", "DEFTYPE")
        if self.kind != other.kind or any(self.attributes.get(each) != other.attributes.get(each) for each in types):
            return False
        own, others = ([word for word in each.attributes if word != "STATUS"] for each in (self, other))
        return len(own) < len(others) and others[: len(own)] == own


@frozen
class Script:
    """What one source states: its records in order, and its faults.

    ``queue_manager`` is the queue manager whose objects these are, or ``""`` if the source does not say;
    ``header`` has what a dump says of itself (``Queue manager platform``, ``Command issued``, …), ``header_lines``
    where. ``format`` is the name of the source's format, if it was told by its content. ``further`` has what the same
    source states of other queue managers. The records of an ``overlay`` change what all other scripts of the queue
    manager state and show. ``remarks`` say what may be missing although all that is there could be read, ``notes`` what
    a reader should know of the file although nothing is. ``asked`` are the DISPLAY commands of a log that were
    answered, if only that nothing is there; none where it does not echo them. ``coverage`` says of each dump in it what
    that holds; it is empty for what is no dump.
    """

    source: str
    queue_manager: str
    records: tuple[Record, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    header: Mapping[str, str] = NOTHING_SHOWN
    header_lines: Mapping[str, int] = field(factory=dict, repr=False, eq=False)
    format: str = ""
    further: tuple[Script, ...] = ()
    overlay: bool = False
    remarks: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    asked: tuple[Inquiry, ...] = ()
    coverage: tuple[Coverage, ...] = ()


def merge_scripts(scripts: Sequence[Script]) -> Script:
    """Merge the parts of a source that are about one queue manager, which one of them may name."""
    first = next((each for each in scripts if each.queue_manager), scripts[0])
    parts = ("records", "diagnostics", "remarks", "coverage")
    merged: dict[str, Any] = {part: tuple(chain(*(getattr(each, part) for each in scripts))) for part in parts}
    return evolve(first, **merged)


def split_names(value: Value) -> tuple[str, ...]:
    """Split ``value`` into a list of names, without trailing blanks and without blank names."""
    values = (value,) if isinstance(value, str) else value
    return tuple(name.rstrip(" ") for name in values if name.strip(" "))


class TextCache(dict[Any, Any]):
    """A cache of what ``make`` makes of texts, many of which are alike."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, str) and len(key) > LONGEST_ALIKE:
            return self.make(key)
        if len(self) >= MOST_ALIKE:
            self.clear()
        made = self[key] = self.make(key)
        return made


def _unchanged(given: Any) -> Any:
    return given


@define(eq=False)
class AttributeShapes:
    """The attribute ``names`` that many records state, and the values of the first of them.

    ``make`` makes a value of what is given for it.
    """

    names: Sequence[str]
    make: Callable[[Any], Any] = _unchanged
    _first: tuple[Any, ...] | None = None
    _shapes: TextCache = field(init=False)

    def values(self, given: Sequence[Any]) -> AttributeValues[Any]:
        """Return the attributes of one record, for whose names these values are given in their order."""
        if self._first is None:
            self._first = tuple(given)
            made = dict(zip(self.names, map(self.make, given), strict=True))
            self._shapes = TextCache(lambda places: _Shape(made, {self.names[at]: of for of, at in enumerate(places)}))
        places = tuple(compress(count(), map(ne, given, self._first)))
        return AttributeValues(self._shapes[places], _as_one([*map(self.make, map(given.__getitem__, places))]))


class AttributeValues(Mapping[str, ValueT]):
    """Attributes by name: what the first record states that has the same names, and what is otherwise in this one."""

    __slots__ = ("_others", "_shape")

    def __init__(self, shape: _Shape, others: str | tuple[ValueT, ...]) -> None:
        self._shape = shape
        self._others = others

    def __getitem__(self, name: str) -> ValueT:
        shape, others = self._shape, self._others
        value: ValueT
        if name in shape.places:
            values: Sequence[Any] = others.split(BETWEEN) if isinstance(others, str) else others
            value = values[shape.places[name]]
        else:
            value = shape.first[name]
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._shape.first)

    def __len__(self) -> int:
        return len(self._shape.first)

    def __contains__(self, name: object) -> bool:
        return name in self._shape.first

    def __repr__(self) -> str:
        return repr(dict(self))


@frozen
class Inquiry:
    """A DISPLAY command: the objects of a ``kind``, with a generic ``name``, and the ``words`` that it asks of them.

    It is ``narrowed`` by what stands here to some of these objects.
    """

    kind: str
    name: str
    words: frozenset[str] = frozenset()
    narrowed: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Return the inquiry that a command makes; None if it is another one."""
        head = _COMMAND.match(text)
        if head is None:
            return None
        asked = (head[1] or head[4]).upper()
        kind, name = SYNONYMS.get(asked, asked), head[3] or ""
        words, narrowed = set[str](), set[tuple[str, str]]()
        for word, value in _WORD.findall(text, head.end()):
            word, value = SYNONYMS.get(word.upper(), word.upper()), value.strip()
            if word == "TYPE" and value.upper() in (*QUEUE_KINDS, *WHICH_STATUS, "QCLUSTER"):
                kind = value.upper() if kind == "QUEUE" else f"{kind} {value.upper()}".removesuffix(" QUEUE")
            elif value and word not in EVERYWHERE:
                narrowed.add((word, value))
            else:
                words.add(word)
        return cls(kind, name if head[2] else name.upper(), frozenset(words), frozenset(narrowed))

    def is_exhaustive_for(self, kind: str, name: str) -> bool:
        """Return whether it shows each object of that kind and name that there is."""
        kinds = (*QUEUE_KINDS, *(("QCLUSTER",) if "CLUSINFO" in self.words else ())) if self.kind == "QUEUE" else ()
        return not self.narrowed and kind in (self.kind, *kinds) and self._fits(name)

    def shows(self, attributes: Collection[str]) -> bool:
        """Return whether it shows one of the ``attributes``: those that it asks for or, if none, all."""
        shows_all = "ALL" in self.words or not (self.words or "*" in self.name)
        return shows_all or not self.words.isdisjoint(attributes)

    def is_about(self, kind: str, name: str) -> bool:
        """Return whether it shows objects of that kind and name, all that there are or some of them."""
        return evolve(self, narrowed=frozenset()).is_exhaustive_for(kind, name)

    def answers(self, other: Inquiry) -> bool:
        """Return whether what it shows holds all that the other one asks for."""
        of_all = "ALL" in self.words or (self.kind == "QMGR" and not self.words)
        tells = of_all or other.words <= self.words
        is_wide = self.narrowed <= other.narrowed
        return tells and is_wide and self.kind == other.kind and self._fits(other.name)

    def _fits(self, name: str) -> bool:
        generic = "*" in self.name and re.fullmatch(re.escape(self.name).replace(r"\*", ".*"), name)
        return self.name == name or bool(generic)


@frozen
class Coverage:
    """The objects that one source holds: those of these ``kinds`` (None: every one) whose names fit ``generic``.

    ``kinds`` are nouns of MQSC, ``generic`` is a name that may end in ``*``. ``what`` are the kinds in words. It
    ``tells_absence`` if what it has not is not there: a dump that was cut before its trailer does not, and neither does
    one of some names, as whoever asks for a part of all queues does not ask for what these refer to.
    """

    kinds: frozenset[str] | None = None
    generic: str = ANY_NAME
    what: str = "objects"
    tells_absence: bool = True

    @classmethod
    def from_dump_command(cls, command: str) -> Coverage:
        """Read from the dmpmqcfg command in a dump's head what the dump holds; blank: all."""
        kinds: frozenset[str] | None = None
        generic, what = ANY_NAME, "objects"
        for option, value in OPTION.findall(command):
            value = value.strip("'\"")
            if option == "n":
                generic = value
            elif value.lower() not in EVERYTHING:
                word = value.lower()
                what, held = DUMP_KINDS.get(
                    SHORT_KINDS.get(word, word), (f"objects of the type {value}", {word.upper()})
                )
                kinds = frozenset(held) if kinds is None else kinds & held
        return cls(kinds, generic, what, generic == ANY_NAME)

    @classmethod
    def asked(cls, kind: str, generic: str) -> Coverage:
        """Describe what a log holds in which a DISPLAY command asks for objects of a kind by name."""
        return cls(QUEUES if kind == "QUEUE" else frozenset({kind}), generic)

    @property
    def is_whole(self) -> bool:
        """Whether it holds all that a queue manager has."""
        return self.is_meant_whole and self.tells_absence

    @property
    def is_meant_whole(self) -> bool:
        """Whether it was to hold all that a queue manager has."""
        return self.kinds is None and self.generic == ANY_NAME

    def ended(self) -> Coverage:
        """Describe the coverage of a dump that has its trailer."""
        return evolve(self, tells_absence=self.generic == ANY_NAME)

    def covers(self, kind: str, name: str = "") -> bool:
        """Return whether it would hold an object of that kind and name; blank: all of that kind."""
        kinds = QUEUES if kind == "QUEUE" else {kind}
        of_kind = self.kinds is None or kinds <= self.kinds
        return self.tells_absence and of_kind and (self.generic == ANY_NAME or self._fits(name))

    def _fits(self, name: str) -> bool:
        begun, star, _ = self.generic.partition(ANY_NAME)
        return bool(name) and (name.startswith(begun) if star else name == begun)

    def __str__(self) -> str:
        return f"{self.what}{'' if self.generic == ANY_NAME else f' named {self.generic}'} alone"


@frozen
class CombinedCoverage:
    """The coverage of all sources of one queue manager; without ``parts`` where none leaves anything out."""

    parts: tuple[Coverage, ...] = ()

    @classmethod
    def by(cls, stated: Iterable[Collection[Coverage]]) -> CombinedCoverage:
        """Combine what several sources state; a script that no command made states nothing, and holds what it has."""
        parts = tuple(part for of in stated for part in of)
        return cls() if any(part.is_whole for part in parts) else cls(parts)

    def leaves_out(self, kind: str, name: str = "") -> bool:
        """Return whether an object of that kind and name may be there although no source has it: none would tell.

        ``kind`` is a noun of MQSC (``QUEUE`` for a queue of any kind), blank ``name``: any object of that kind.
        """
        return bool(self.parts) and not any(part.covers(kind, name) for part in self.parts)


def expand_synonyms(shown: dict[str, Any]) -> dict[str, Any]:
    """Return attributes in their order, each by its full word; by the short one where the full one stands beside it."""
    if shown.keys().isdisjoint(ATTRIBUTE_SYNONYMS):
        return shown
    full = {word: ATTRIBUTE_SYNONYMS.get(word, word) for word in shown}
    return {word if full[word] in shown else full[word]: value for word, value in shown.items()}


@frozen(eq=False)
class _Shape:
    """The values of the first record, and at which place the values stand that another one has in their stead."""

    first: Mapping[str, Any]
    places: Mapping[str, int]


def _as_one(values: Sequence[Any]) -> str | tuple[Any, ...]:
    """The values as one text, which takes less room than many; as they are where one is a list, or has the sign."""
    if not all(type(each) is str for each in values):
        return tuple(values)
    text = BETWEEN.join(values)
    return text if text.count(BETWEEN) < max(len(values), 1) else tuple(values)
