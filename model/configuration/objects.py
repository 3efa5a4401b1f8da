"""Objects of a queue manager, made from all records about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import define, evolve, field, fields, frozen

from mqclause.model.configuration.completeness import (
    AnsweredInquiries,
    Operations,
    build_record_diagnostic,
    find_domain_error,
    suggest_insert,
)
from mqclause.model.configuration.sources import FactT, Origin, OriginKind, PlacedFact
from mqclause.model.diagnostics import Diagnostic, DomainError, quote_value, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import (
    CHANNEL_NAME,
    CHANNEL_NAME_OR_BLANK,
    NAME,
    NAME_OR_BLANK,
    Description,
    Domain,
    Names,
    Whole,
    Words,
)
from mqclause.model.facts.objects import MESSAGE_CHANNELS, Channel, Process, Queue, QueueManager
from mqclause.model.readers.mqsc import describe_unknown_attribute, get_known_attributes
from mqclause.model.readers.records import Record, Script, TextCache, Value, split_names

QUEUE_TYPES = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
CLUSTER_CHANNELS = ("CLUSRCVR", "CLUSSDR")

DEFAULT_OBJECTS = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
    "PROCESS": "SYSTEM.DEFAULT.PROCESS",
    "NAMELIST": "SYSTEM.DEFAULT.NAMELIST",
    "CLUSRCVR": "SYSTEM.DEF.CLUSRCVR",
    "CLUSSDR": "SYSTEM.DEF.CLUSSDR",
}
"""The objects that hold the values a definition leaves out, by object type or channel type."""

ROW_KEYS = {
    "CLUSQMGR": ("CHANNEL", "CLUSTER"),
    "QCLUSTER": ("CLUSQMGR", "CLUSTER"),
    "CHSTATUS": ("CHLTYPE", "RQMNAME", "CONNAME"),
}
"""The kinds of what a queue manager displays of its clusters, no objects of its own, and what tells their rows apart
besides the name."""

UNLISTED_STATES = frozenset({"SWITCHING", "DISCONNECTED"})
"""States of channels that MQ displays and none of the documents has."""

ObjectKey = str | tuple[str, str]
"""A queue's name, as most objects are queues; of others what the name is unique in, and the name."""

OPPOSITE_FLAGS = {"TRIGGER": "NOTRIGGER", "NOTRIGGER": "TRIGGER"}

LISTS_BESIDE = (("CLUSTER", "CLUSNL"), ("REPOS", "REPOSNL"))
"""Attributes that name one cluster, and those that name a list of them: one at most is not blank."""

MOST_STATEMENTS = 50
"""With more of them, those about which later ones say all are left out."""

Origins = Mapping[str, Origin | None]
"""The origins of what other statements say of an object, by field of the fact."""

NO_ORIGINS: Origins = {}  # a dict, which pickles

_CAPEXPRY = re.compile(r"(?i)\bCAPEXPRY *\( *(\w+) *\)")

WHOLE_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)

MEMBERSHIP = frozenset({"CLUSTER", "CLUSNL"})
"""The attributes that say in which clusters an object is."""

_EVERY = "put clwlrank clwlprty defbind defprty defpsist"
_LOCAL = (
    "get clwluseq msgdlvsq usage trigtype trigmpri trigdpth trigdata process initq maxdepth indxtype clchname streamq"
)


def _texts(names: str) -> dict[str, tuple[str, Domain]]:
    return dict.fromkeys(names.split(), ("", NAME_OR_BLANK))


_CLUSTERED = _texts("CLUSTER CLUSNL")
_DESCRIPTION = Description(64)
_DISPOSITIONS = Words(("QMGR", "COPY", "GROUP", "SHARED", "PRIVATE"))
_CLUSTER_QUEUE_TYPES = Words(("QLOCAL", "QALIAS", "QREMOTE", "QMGR"))


def _attributes(fact: type, names: str) -> dict[str, tuple[str, Domain]]:
    """The fields ``names`` of ``fact`` by MQSC name."""
    known = {of.name: of for of in fields(fact)}
    return {name.upper(): (name, known[name].metadata["domain"]) for name in names.split()}


FACT_ATTRIBUTES: Mapping[str, Mapping[str, tuple[str, Domain]]] = {
    "QMGR": _attributes(QueueManager, "clwluseq clwlmruc clwlexit clwldata clwllen trigint defxmitq deadq defclxq igq")
    | _texts("REPOS REPOSNL"),
    "QLOCAL": _attributes(Queue, f"{_EVERY} {_LOCAL}") | _CLUSTERED | {"QSGDISP": ("", _DISPOSITIONS)},
    "QALIAS": _attributes(Queue, f"{_EVERY} get targtype") | _CLUSTERED | _texts("TARGET"),
    "QREMOTE": _attributes(Queue, f"{_EVERY} rname rqmname xmitq") | _CLUSTERED,
    "QMODEL": {},
    "QCLUSTER": _attributes(Queue, _EVERY) | _CLUSTERED | _texts("CLUSQMGR") | {"CLUSQT": ("", _CLUSTER_QUEUE_TYPES)},
    "CLUSQMGR": _attributes(Channel, "cluster deftype status clwlrank clwlprty clwlwght netprty")
    | {"CHANNEL": ("", CHANNEL_NAME_OR_BLANK), "SUSPEND": ("", Words(("YES", "NO")))}
    | _texts("XMITQ"),
    "CHSTATUS": _attributes(Channel, "status") | _texts("RQMNAME XMITQ"),
    "CHANNEL": _attributes(Channel, "clwlrank clwlprty clwlwght netprty npmspeed") | _CLUSTERED | _texts("XMITQ"),
    "PROCESS": _attributes(Process, "appltype applicid envrdata userdata"),
    "NAMELIST": {"NAMES": ("", Names(NAME_OR_BLANK))},
}
"""The attributes that are read, by object type and MQSC name: the field of the fact (blank: none) and the domain.

DESCR is read when a fact is made: it is hardly ever that of another queue, and all the rest often is.
"""

STATUS_ATTRIBUTES: Mapping[str, str] = {"curdepth": "CURDEPTH", "ipprocs": "IPPROCS"}
"""What is so now of a local queue and is no part of its definition: by field of the fact, the MQSC name."""

_QUEUE_CLUSTERS = {"clusters": ("CLUSTER", "CLUSNL"), "descr": ("DESCR",)}
_CAPPED = {"capexpry": ("CAPEXPRY", "CUSTOM")}
_STATING: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "QMGR": dict.fromkeys(("clusters", "repository", "partial_in"), ("REPOS", "REPOSNL")),
    "QLOCAL": {**_QUEUE_CLUSTERS, **_CAPPED, "trigger": ("TRIGGER", "NOTRIGGER"), "shared": ("QSGDISP",)},
    "QCLUSTER": _QUEUE_CLUSTERS,
    "QALIAS": {**_QUEUE_CLUSTERS, **_CAPPED, "target": ("TARGET",)},
    "QREMOTE": {**_QUEUE_CLUSTERS, **_CAPPED},
    "CLUSQMGR": {"suspended": ("SUSPEND",)},
    "CHANNEL": {"clusters": ("CLUSTER", "CLUSNL"), "cluster": ("CLUSTER", "CLUSNL"), "deftype": ("CHLTYPE",)},
}

FLAGS_READ = ("TRIGGER", "NOTRIGGER")


def _names_read(stated: tuple[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Those of the names that an object of some kind states that are read."""
    kind, names = stated
    return tuple(name for name in (*FACT_ATTRIBUTES[kind], *FLAGS_READ) if name in names)


def _read(stated: tuple[str, tuple[str, ...], tuple[Value, ...]]) -> tuple[Mapping[str, Any], Sequence[DomainError]]:
    """The fields of facts that values of an object of some kind come to, by their names, and what is refused."""
    kind, names, given = stated
    known = FACT_ATTRIBUTES[kind]
    values = dict(zip(names, given, strict=True))
    found, refusals = _flags(kind, values), []
    for name, value in values.items():
        if name in known:
            attribute, domain = known[name]
            try:
                kept = _in_domain(domain, value, name)
            except DomainError as error:
                refusals.append(error)
            else:
                found |= {attribute: kept} if attribute else {}
    return found, refusals


_NAMES_READ, _READ = TextCache(_names_read), TextCache(_read)

SYSTEM_PREFIX = "SYSTEM."
"""How the names of the objects begin that every queue manager is created with."""

PLATFORM = "Queue manager platform"
"""How a dump says it."""

PlacedQueue = PlacedFact[Queue]

SENDER_ROW_ATTRIBUTES = frozenset({"CHANNEL", "CLUSTER", "DEFTYPE", "STATUS", "SUSPEND"})
"""What a row about a queue manager shows besides the attributes of its receiver."""


@define(eq=False)
class QueueManagerObjects:
    """The objects of the queue manager ``name``; ``faults`` has what was refused while they were built.

    ``remarks`` has what was seen and left open, ``differing`` that different values of an attribute are shown, by the
    kind and the identity of what has it.
    A command that is refused is left out; what alters an object whose definition was refused is left out silently.
    """

    name: str
    faults: list[Diagnostic]
    scripts: Sequence[Script] = ()
    operations: Operations = field(init=False)
    rows: list[MqObject] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    differing: dict[tuple[str, int, str], Diagnostic] = field(factory=dict)
    _found: dict[ObjectKey, MqObject] = field(factory=dict)
    _latest_rows: dict[tuple[object, ...], MqObject] = field(factory=dict)
    _refused: set[ObjectKey] = field(factory=set)
    # What was said of objects that were deleted where there were none: a script may clear the way before it defines.
    _deleted: dict[ObjectKey, Diagnostic] = field(factory=dict)
    _of_kinds: dict[tuple[str, ...], list[MqObject]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.operations = Operations(self.faults, self._names)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is odd in the commands carried out, and no fault."""
        return (*self.operations.warnings, *self._deleted.values())

    def apply_record(self, record: Record) -> None:
        """Carry out one command; object types that make no facts are passed over."""
        action = self._actions().get(record.action)
        if action and record.kind in FACT_ATTRIBUTES:
            action(record, _key(record))
        elif not action:
            self.operations.take(record)

    def fault(self, record: Record, message: str, attribute: str = "") -> None:
        """Add what is wrong with ``record``, on the line of ``attribute`` if that is given."""
        self.faults.append(build_record_diagnostic(record, message, attribute))

    def find_header_origin(self, key: str) -> Origin | None:
        """Where a script first says ``key`` of itself."""
        for script in self.scripts:
            if key in script.header_lines:
                return Origin("observed", script.source, script.header_lines[key])
        return None

    def expand_clusters(self) -> None:
        """Expand the clusters of every object, after the last command; see which of them some log does not show."""
        for found, said in not_shown(self._found.values(), self.scripts):
            self.differing[found.kind, id(found), ""] = said
        for found in self._found.values():
            if found.kind == "QMGR":
                found.clusters = self._expanded(found, "REPOS", "REPOSNL")
            elif found.kind in QUEUE_TYPES or found.type in CLUSTER_CHANNELS:
                found.clusters = self._expanded(found, "CLUSTER", "CLUSNL")

    def of(self, *kinds: str) -> list[MqObject]:
        """The objects of ``kinds`` in the order of their definitions, a list that is not to be changed."""
        if kinds not in self._of_kinds:
            self._of_kinds[kinds] = [found for found in self._found.values() if found.kind in kinds]
        return self._of_kinds[kinds]

    def channels(self, chltype: str) -> list[MqObject]:
        """The channels of one type."""
        return [channel for channel in self.of("CHANNEL") if channel.type == chltype]

    def list_contradictions(self, local: QueueManagerObjects) -> list[Diagnostic]:
        """What is told of different values that are shown; of what others have, ``local`` tells what it shows."""
        return [said for (kind, *_), said in self.differing.items() if self is local or kind not in ROW_KEYS]

    def _actions(self) -> dict[str, Callable[[Record, ObjectKey], None]]:
        return {
            "define": self._define,
            "alter": self._alter,
            "delete": self._delete,
            "observe": self._observe,
        }

    def _define(self, record: Record, key: ObjectKey) -> None:
        known = self._found.get(key)
        self._deleted.pop(key, None)
        if known and _type(record) != known.type:
            self._mismatch(record, known)
        elif known and "REPLACE" not in record.attributes:
            place = f"{known.record.source}:{known.record.line}"
            message = f"is already defined at {place}; REPLACE is needed to define it again"
            self.fault(record, f"{message}{self._of_others(known.record, record)}")
        else:
            fresh = self._base(record)
            if fresh is None:
                self._refused.add(key)
                self.fault(
                    record, f"LIKE: no {_type(record)} {quote_value(record.attributes['LIKE'])} is defined", "LIKE"
                )
            else:
                self._set(fresh, record, key)

    def _of_others(self, one: Record, two: Record) -> str:
        """That two files may be of two queue managers, if neither says whose it is."""
        nameless = {script.source for script in self.scripts if not script.queue_manager}
        apart = one.source != two.source and {one.source, two.source} <= nameless
        return "; if the files are of two queue managers, give each as QMGR=FILE" if apart else ""

    @cached_property
    def _displayed(self) -> frozenset[ObjectKey]:
        records = (record for script in self.scripts for record in script.records)
        return frozenset(_key(record) for record in records if record.action == "observe")

    def _alter(self, record: Record, key: ObjectKey) -> None:
        known = self._found.get(key)
        if known is None:
            if record.kind != "QMGR" and not record.name.startswith("SYSTEM.") and key not in self._displayed:
                if key not in self._refused:
                    of_kind = [found.name for found in self.of(record.kind)]
                    self.fault(record, f"is altered but not defined{suggest_insert(record.name, of_kind)}")
                return
            known = MqObject(record.kind, record.name, record)
        if known.type and _type(record) not in ("", known.type):
            self._mismatch(record, known)
        else:
            self._set(known, record, key)

    def _observe(self, record: Record, key: ObjectKey) -> None:
        """A row about others stands for itself; one about an own object fills in what no command states.

        Of what is displayed several times the last counts.
        """
        if record.kind in ROW_KEYS:
            if record.kind == "CHSTATUS" and not {*record.listed("CHLTYPE")} <= {*CLUSTER_CHANNELS, *MESSAGE_CHANNELS}:
                return  # a channel of clients
            self._observe_row(
                select_attributes(record, [name for name in record.attributes if self._is_shown(record, name)]), key
            )
            return
        known = self._found.get(key) or MqObject(record.kind, record.name, record)
        if known.type and _type(record) not in ("", known.type):
            self._mismatch(record, known)
            return
        self._compare(record, known)
        stated = known.commanded_attributes
        self._set(known, select_attributes(record, [name for name in record.attributes if name not in stated]), key)

    def _observe_row(self, shown: Record, key: ObjectKey) -> None:
        """Put together what is displayed of one thing at several times; another QMID is that of another thing."""
        told_by = shown.kind, shown.name, *map(shown.listed, ROW_KEYS[shown.kind])
        row = self._latest_rows.get(told_by)
        if row is None or (row.text("QMID") and shown.listed("QMID") not in ((), (row.text("QMID"),))):
            row = MqObject(shown.kind, shown.name, shown)
        is_new = not row.statements
        self._compare(shown, row)
        self._set(row, shown, key)
        if is_new and row.statements and shown.attributes:
            self.rows.append(row)
            self._latest_rows[told_by] = row

    def _compare(self, record: Record, known: MqObject) -> None:
        for name, said in find_differing_displays(record, known):
            self.differing[record.kind, id(known), name] = said

    def _is_shown(self, record: Record, attribute: str) -> bool:
        """Whether a row says anything by an attribute: a state that no clause speaks of leaves open how a route is."""
        value = record.listed(attribute)
        if attribute == "STATUS" and {*value} & UNLISTED_STATES:
            message = f"STATUS({' '.join(value)}): no clause speaks of this state, so it is read as not shown"
            self.remarks.append(build_record_diagnostic(record, message, attribute))
            return False
        return bool(value)

    def _delete(self, record: Record, key: ObjectKey) -> None:
        known = self._found.get(key)
        if known and known.kind != record.kind:
            self._mismatch(record, known)
        else:
            if known is None and key not in self._refused and not record.name.startswith("SYSTEM."):
                alike = [found.name for other, found in self._found.items() if _unique_in(other) == _unique_in(key)]
                near = suggest_name(record.name, alike)
                self._deleted[key] = build_record_diagnostic(record, f"is deleted but not defined{near}")
            self._found.pop(key, None)
            self._of_kinds.clear()
            self._refused.discard(key)

    def _mismatch(self, record: Record, known: MqObject) -> None:
        self.fault(record, f"is a {known.type}, defined at {known.record.source}:{known.record.line}")

    def _base(self, record: Record) -> MqObject | None:
        """The object that a definition starts from; None if its LIKE names one that is not there."""
        default = DEFAULT_OBJECTS.get(_type(record), "")
        name = " ".join(record.listed("LIKE")) or default
        known = self._found.get(_key_of(_unique_in(_key(record)), name))
        if known and known.type == _type(record):
            return known.copy(record)
        of_another_type = known is not None or name in DEFAULT_OBJECTS.values()
        is_shipped = name == default or (name.startswith("SYSTEM.") and not of_another_type)
        return MqObject(record.kind, record.name, record) if is_shipped else None

    def _set(self, target: MqObject, record: Record, key: ObjectKey) -> None:
        """Give ``target`` what ``record`` states, if all of it is allowed."""
        found, refusals = read_attributes(record, _type(record) or target.type)
        lacks = _lacking(record, target)
        if lacks:
            self.fault(
                record, describe_unknown_attribute(record.action.upper(), record.kind, lacks, target.type), lacks
            )
        cluster, namelist = (split_names(record.attributes.get(a, target.text(a))) for a in ("CLUSTER", "CLUSNL"))
        if cluster and namelist:
            refusals.append(_clash(record))
        for error in refusals:
            self.fault(record, str(error), error.key)
        if refusals or lacks:
            self._refused.add(key)
        else:
            target.take(record, found)
            if record.kind not in ROW_KEYS:
                self._found[key] = target
                self._of_kinds.clear()
            self._refused.discard(key)

    def _expanded(self, found: MqObject, attribute: str, by_list: str) -> tuple[str, ...]:
        """The clusters that ``attribute``, or the namelist in ``by_list``, names."""
        names = list(split_names(found.value(attribute)))
        for each in split_names(found.value(by_list)):
            names += self._names(each, found.find_statement(by_list) or found.record, by_list)
        return tuple(dict.fromkeys(names))

    def _names(self, namelist: str, record: Record, attribute: str) -> tuple[str, ...]:
        known = self._found.get(("NAMELIST", namelist))
        if known:
            return split_names(known.value("NAMES"))
        if ("NAMELIST", namelist) not in self._refused:
            self.fault(record, f"{attribute}: the namelist {quote_value(namelist)} is not defined", attribute)
        return ()


@define(eq=False, weakref_slot=False)
class MqObject:
    """One object: what states it, the latest last, and those of its attributes that are fields of facts."""

    kind: str
    name: str
    record: Record
    statements: tuple[Record, ...] = ()
    fields: Mapping[str, Any] = field(factory=dict)
    clusters: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The object type; of a channel the channel type."""
        return self.text("CHLTYPE") if self.kind == "CHANNEL" else self.kind

    @property
    def commanded_attributes(self) -> set[str]:
        """The attributes that any command names, and the opposites of its flags."""
        by_command = (record.attributes for record in self.statements if record.action != "observe")
        found = {name for names in by_command for name in names}
        return found | {OPPOSITE_FLAGS[name] for name in OPPOSITE_FLAGS if name in found}

    def find_statement(self, attribute: str) -> Record | None:
        """The statement that gives ``attribute`` its value; None if none does."""
        opposite = OPPOSITE_FLAGS.get(attribute)
        for record in reversed(self.statements):
            if attribute in record.attributes:
                return record
            if opposite in record.attributes:
                return None
        return None

    def value(self, attribute: str) -> Value:
        """The value of ``attribute``; blank if it is not stated."""
        record = self.find_statement(attribute)
        return record.attributes[attribute] if record else ""

    def text(self, attribute: str) -> str:
        """The value of ``attribute`` without trailing blanks; blank if it is not stated."""
        value = self.value(attribute)
        return value.rstrip(" ") if isinstance(value, str) else " ".join(split_names(value))

    def take(self, record: Record, found: Mapping[str, Any]) -> None:
        """Set what ``record`` states; ``found`` has its values that are fields of facts."""
        self.statements = (*self.statements, record)
        if len(self.statements) > MOST_STATEMENTS:
            self.statements = _still_deciding(self.statements)
        # what is found is the same object for all that state the same
        self.fields = found if self.fields.keys() <= found.keys() else {**self.fields, **found}

    def get_queue_fields(self) -> Mapping[str, Any]:
        """The fields with the description."""
        by = self.find_statement("DESCR")
        return {**self.fields, "descr": clean_description(by.attributes["DESCR"])} if by else self.fields

    def copy(self, record: Record) -> MqObject:
        """An object of ``record``'s kind and name with this one's attributes, but not its disposition."""
        kept = {name: value for name, value in self.fields.items() if name != "shared"}
        statements = [
            select_attributes(each, [name for name in each.attributes if name != "QSGDISP"]) for each in self.statements
        ]
        return MqObject(record.kind, record.name, record, tuple(statements), kept)

    def origin(self, field: str) -> Origin:
        """Where ``field`` of a fact that is made of this object comes from, or what its dump shows besides."""
        shown = STATUS_ATTRIBUTES.get(field, field) if self.kind == "QLOCAL" else field
        if shown in self.record.informational:
            return Origin("observed", self.record.source, *self.record.place_of(shown))
        by = self.find_statement(shown) if shown != field else None
        if by:
            return Origin("observed", by.source, *by.place_of(shown))
        how: OriginKind = _how(self.record) if field in ("name", "type") else "defaulted"
        names = list_stating_attributes(self.kind, field)
        known = None if self._may_be_listed(names) else self.find_origin(*names)
        return known or Origin(how, self.record.source, self.record.line)

    def _may_be_listed(self, names: tuple[str, ...]) -> bool:
        """Whether a display shows one of two attributes blank that tell the same, and the other one not at all."""
        if names not in LISTS_BESIDE or self.record.action != "observe" or any(map(self.text, names)):
            return False
        return any(self.find_statement(each) is None for each in names)

    def find_origin(self, *attributes: str) -> Origin | None:
        """Where the first of ``attributes`` that is stated stands; one that is not blank comes before a blank one."""
        stated = [(name, record) for name in attributes if (record := self.find_statement(name))]
        for name, record in sorted(stated, key=lambda each: not self.text(each[0]))[:1]:
            return Origin(_how(record), record.source, *record.place_of(name))
        return None


def place_fact(fact: FactT, found: MqObject, known: Origins = NO_ORIGINS) -> PlacedFact[FactT]:
    """A fact that is made of one object."""
    return PlacedFact(fact, found.record.source, found.record.line, _OriginOf(found, known))


def select_attributes(record: Record, names: Sequence[str]) -> Record:
    """``record`` with the attributes ``names`` alone, which it has."""
    if len(names) == len(record.attributes):
        return record
    attributes = {name: record.attributes[name] for name in names}
    stated = dict(zip(record.attributes, record.places, strict=False))
    return evolve(record, attributes=attributes, places=[stated[name] for name in names] if stated else ())


def list_stating_attributes(kind: str, field: str) -> tuple[str, ...]:
    """The MQSC attributes that can state ``field`` of a fact that is made of an object of ``kind``."""
    read = tuple(name for name, (each, _) in FACT_ATTRIBUTES[kind].items() if each == field)
    return read or _STATING.get(kind, {}).get(field, ())


def get_capexpry(found: MqObject) -> str:
    """The limit of expiry of a queue, in tenths of a second, stated by itself or in CUSTOM; blank if there is none."""
    stated = found.text("CAPEXPRY")
    if not stated and (custom := found.text("CUSTOM")) and (within := _CAPEXPRY.search(custom)):
        stated = within[1]
    return "" if stated.upper() in ("NOLIMIT", "-1") else stated


def read_attributes(record: Record, type_: str) -> tuple[Mapping[str, Any], list[DomainError]]:
    """The values of ``record`` that are fields of facts, and what is refused of it; ``type_`` is its object's type."""
    attributes = record.attributes
    names = _NAMES_READ[record.kind, tuple(attributes)]
    found, refused = _READ[record.kind, names, tuple([attributes[name] for name in names])]
    refusals = [error for error in (_name_refusal(record, type_), _description_refusal(attributes)) if error]
    if refused:
        order = list(attributes)
        refusals += sorted(refused, key=lambda error: order.index(error.key))
    return found, refusals


def is_same_value(kind: str, name: str, one: Value, other: Value) -> bool:
    """Whether two values of an attribute that is read are the same; one that is not allowed is like none."""
    if one == other:
        return True
    _, domain = FACT_ATTRIBUTES[kind][name]
    try:
        return bool(_in_domain(domain, one, name) == _in_domain(domain, other, name))
    except DomainError:
        return False


def clean_description(value: Value) -> str:
    """The description of a queue as a fact has it."""
    return _DESCRIPTION(value, "DESCR")


def find_differing_displays(record: Record, known: MqObject) -> Iterator[tuple[str, Diagnostic]]:
    """The attributes that ``record`` shows otherwise than they are ``known``, each with what is said of it; of a flag
    and its opposite the one that comes last in the alphabet.

    What a command sets counts, else what was displayed last. A display before the command, in the same source, shows
    what was so before.
    """
    for name in record.attributes if known.statements else ():
        before = OPPOSITE_FLAGS.get(name, name)
        by = known.find_statement(before) if name in OPPOSITE_FLAGS or name in FACT_ATTRIBUTES[record.kind] else None
        if by is None or _is_earlier(record, by) or _is_same(record, by, name, before):
            continue
        shown, other = _word(record, name), _word(by, before)
        if by.action == "observe":
            said = f"{shown} is shown, and {other} at {_place(by, before)}; the last one given counts"
        else:
            said = f"{shown} is shown, and {_place(by, before)} states {other}, which counts"
        yield max(name, before), build_record_diagnostic(record, said, name)


def not_shown(found: Iterable[MqObject], scripts: Sequence[Script]) -> Iterator[tuple[MqObject, Diagnostic]]:
    """The objects that a script defines and that a log of another file was asked for and does not show."""
    logs = [(each, AnsweredInquiries(each.asked)) for each in scripts if each.asked]
    shown = [{(record.kind, record.name) for record in each.records} for each, _ in logs]
    for each in found if logs else ():
        if each.record.action == "define":
            for (log, asked), there in zip(logs, shown, strict=True):
                is_other = log.source not in {by.source for by in (each.record, *each.statements)}
                if is_other and (each.kind, each.name) not in there and asked.tells(each.kind, each.name):
                    said = f"{log.source} was asked for it and shows none: one of the two is out of date"
                    yield each, build_record_diagnostic(each.record, f"{said}; it counts as defined")
                    break


def assume_default_queues(
    cluster: Cluster, defined: Mapping[str, frozenset[str]], named_by: Iterable[tuple[str, str]]
) -> tuple[Queue, ...]:
    """The initiation queues that are taken to be there; ``defined`` is what scripts define, by kind.

    ``named_by`` are local queues, each with the initiation queue that it names. A facts file tells all that there is,
    so that nothing is assumed for a queue that no script defines.
    """
    own, in_scripts = cluster.queue_manager.name, defined.get("QLOCAL", ())
    names = dict.fromkeys(initq for name, initq in named_by if name in in_scripts and initq.startswith(SYSTEM_PREFIX))
    known = (cluster.own_queues, cluster.models)
    return tuple(Queue(name, own, curdepth=None) for name in names if not any(name in each for each in known))


def add_queues(cluster: Cluster, more: tuple[Queue, ...]) -> Cluster:
    """``cluster`` with ``more`` queues."""
    return evolve(cluster, queues=(*cluster.queues, *more)) if more else cluster


def describe_default_queue(name: str) -> str:
    """What is assumed of the queue ``name``."""
    return f"{name} is defined as every queue manager is created with it"


def detect_platform(scripts: Sequence[Script], shown: str) -> str:
    """ZOS or MULTI, by what the scripts say of themselves and by what was ``shown`` as PLATFORM."""
    stated = " ".join([shown, *(script.header.get(PLATFORM, "") for script in scripts)]).upper()
    return "ZOS" if "Z/OS" in stated or "MVS" in stated else "MULTI"


@define(eq=False)
class ViewCache:
    """The objects of each member by its scripts, and their queues as others see them.

    Those for whom it is made read the same scripts, none of which changes.
    """

    _objects: dict[tuple[object, ...], tuple[Sequence[Script], QueueManagerObjects, Sequence[Diagnostic]]] = field(
        factory=dict
    )
    _queues: dict[tuple[MqObject, tuple[str, ...]], PlacedQueue] = field(factory=dict)
    _now: dict[PlacedFact[Any], PlacedFact[Any]] = field(factory=dict)
    _hosted: dict[QueueManagerObjects, Mapping[str, str]] = field(factory=dict)

    def objects(
        self,
        name: str,
        scripts: Sequence[Script],
        faults: list[Diagnostic],
        make: Callable[[str, Sequence[Script], list[Diagnostic]], QueueManagerObjects],
    ) -> QueueManagerObjects:
        """The objects of a member; what is refused goes to ``faults``."""
        key = (name, *map(id, scripts))
        if key not in self._objects:
            refused = list[Diagnostic]()
            self._objects[key] = (scripts, make(name, scripts, refused), refused)
        _, found, refused_before = self._objects[key]
        faults.extend(refused_before)
        return found

    def queue(self, found: MqObject, clusters: tuple[str, ...], make: Callable[[], PlacedQueue]) -> PlacedQueue:
        """A queue of another member as those see it who share these clusters with it."""
        key = (found, clusters)
        if key not in self._queues:
            self._queues[key] = make()
        return self._queues[key]

    def hosted(
        self, found: QueueManagerObjects, make: Callable[[QueueManagerObjects], Mapping[str, str]]
    ) -> Mapping[str, str]:
        """The names of all queues that a member has."""
        if found not in self._hosted:
            self._hosted[found] = make(found)
        return self._hosted[found]

    def now(self, placed: PlacedFact[Any], make: Callable[[], PlacedFact[Any]]) -> PlacedFact[Any]:
        """A fact that nobody shows the present state of."""
        if placed not in self._now:
            self._now[placed] = make()
        return self._now[placed]


def drop_outdated_rows(
    rows: Iterable[MqObject], members: Mapping[str, QueueManagerObjects], local: str
) -> Iterator[MqObject]:
    """The rows displayed at ``local`` without what overlays of ``members`` change: their own objects say that."""
    changes = {name: [*_commands(member)] for name, member in members.items()}
    if not any(changes.values()):
        yield from rows
        return
    for row in rows:
        owner = row.text("CLUSQMGR") if row.kind == "QCLUSTER" else row.name
        changed = {*_changed(row, changes.get(owner, ()), members.get(owner)), *_operated(row, changes.get(local, ()))}
        if not changed & MEMBERSHIP:
            yield _without(row, changed) if changed else row


def _lacking(record: Record, target: MqObject) -> str:
    """An attribute that the type of a channel does not have, where the command does not give the type itself."""
    if record.kind != "CHANNEL" or not target.type or "CHLTYPE" in record.attributes or record.action == "observe":
        return ""
    known = get_known_attributes("ALTER", "CHANNEL", target.type) or record.attributes
    return next((name for name in record.attributes if name not in known), "")


def _key(record: Record) -> ObjectKey:
    """What an object's name is unique in: all queues share one set of names."""
    if record.kind == "QMGR":
        return "QMGR", ""
    if record.kind in QUEUE_TYPES:
        return record.name
    if record.attributes.get("CHLTYPE") == "CLNTCONN":
        return "CLNTCONN", record.name
    return record.kind, record.name


def _unique_in(key: ObjectKey) -> str:
    return "QUEUE" if isinstance(key, str) else key[0]


def _key_of(unique_in: str, name: str) -> ObjectKey:
    return name if unique_in == "QUEUE" else (unique_in, name)


def _type(record: Record) -> str:
    """The object type; of a channel the channel type, or blank if that is not stated."""
    return " ".join(record.listed("CHLTYPE")) if record.kind == "CHANNEL" else record.kind


def _clash(record: Record) -> DomainError:
    attribute = "CLUSNL" if record.listed("CLUSNL") else "CLUSTER"
    return DomainError(attribute, record.attributes.get(attribute, ""), "allowed: one of CLUSTER and CLUSNL")


@frozen(eq=False, weakref_slot=False)
class _OriginOf:
    found: MqObject
    known: Origins

    def __call__(self, attribute: str) -> Origin:
        return self.known.get(attribute) or self.found.origin(attribute)


def _how(record: Record) -> OriginKind:
    return "observed" if record.action == "observe" else "stated"


def _still_deciding(statements: Sequence[Record]) -> tuple[Record, ...]:
    """The statements that are the latest about some attribute."""
    seen: set[str] = set()
    kept = []
    for record in reversed(statements):
        if not record.attributes.keys() <= seen:
            kept.append(record)
            seen |= record.attributes.keys()
    return tuple(reversed(kept))


def _flags(kind: str, stated: Mapping[str, Value]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if kind == "QLOCAL":
        if "TRIGGER" in stated or "NOTRIGGER" in stated:
            found["trigger"] = "TRIGGER" in stated
        if "QSGDISP" in stated:
            found["shared"] = stated["QSGDISP"] == "SHARED"
    return found


def _name_refusal(record: Record, type_: str) -> DomainError | None:
    """What is wrong with the name of an object that becomes a fact."""
    if record.kind in ("QLOCAL", "QALIAS", "QREMOTE", "PROCESS", "QCLUSTER", "CLUSQMGR"):
        return find_domain_error(NAME, record.name, "name")
    if type_ == "CLUSRCVR":
        return find_domain_error(CHANNEL_NAME, record.name, "name")
    return None


def _description_refusal(stated: Mapping[str, Value]) -> DomainError | None:
    """What is wrong with a description: it is one text, whatever stands in it."""
    given = stated.get("DESCR", "")
    if isinstance(given, str):
        return None
    return DomainError("DESCR", given, "allowed: one text, in quotes where it has blanks or commas")


def _in_domain(domain: Domain, value: Value, key: str) -> Any:
    if isinstance(domain, Names):
        return domain(split_names(value), key)
    if isinstance(domain, Whole) and isinstance(value, str) and WHOLE_NUMBER.fullmatch(value.strip(" ")):
        try:
            return domain(int(value), key)
        except DomainError:
            return domain(value, key)  # refused again, with the value as it was written
    return domain(value, key)


def _is_earlier(record: Record, by: Record) -> bool:
    return by.action != "observe" and record.source == by.source and (record.line or 0) < (by.line or 0)


def _is_same(record: Record, by: Record, name: str, before: str) -> bool:
    return name == before and is_same_value(record.kind, name, record.attributes[name], by.attributes[name])


def _word(record: Record, name: str) -> str:
    return name if name in OPPOSITE_FLAGS else f"{name}({','.join(record.listed(name))})"


def _place(by: Record, name: str) -> str:
    line = by.find_line(name)
    return by.source if line is None else f"{by.source}:{line}"


def _commands(member: QueueManagerObjects) -> Iterator[Record]:
    return (record for script in member.scripts if script.overlay for record in script.records)


def _changed(row: MqObject, commands: Collection[Record], owner: QueueManagerObjects | None) -> Iterator[str]:
    """The attributes of the row that commands of the owner change, with CLUSTER if the row is no longer there."""
    for record in commands:
        is_queue = row.kind == "QCLUSTER" and record.kind in QUEUE_TYPES and record.name == row.name
        is_receiver = row.kind == "CLUSQMGR" and record.kind == "CHANNEL" and record.name == row.text("CHANNEL")
        if record.action in ("suspend", "resume") and row.kind == "CLUSQMGR":
            yield from ["SUSPEND"] if row.text("CLUSTER") in _clusters_of_record(record, owner) else []
        elif is_queue or is_receiver:
            if record.action == "delete" or (is_queue and record.action == "define"):
                yield "CLUSTER"
            elif record.action == "define":
                yield from FACT_ATTRIBUTES[row.kind].keys() - SENDER_ROW_ATTRIBUTES
            elif record.action == "alter":
                yield from record.attributes


def _operated(row: MqObject, commands: Collection[Record]) -> Iterator[str]:
    """The state of a route, if the local queue manager starts or stops its channel."""
    channel = row.name if row.kind == "CHSTATUS" else row.text("CHANNEL")
    to = row.text("RQMNAME") if row.kind == "CHSTATUS" else row.name
    for record in commands:
        is_meant = record.name == channel and record.listed("QMNAME") in ((), (to,))
        if row.kind != "QCLUSTER" and record.action in ("start", "stop", "state") and is_meant:
            yield "STATUS"


def _clusters_of_record(record: Record, owner: QueueManagerObjects | None) -> tuple[str, ...]:
    names = record.listed("CLUSNL")
    lists = [each for each in owner.of("NAMELIST") if each.name in names] if owner else []
    return (*record.listed("CLUSTER"), *(name for each in lists for name in _names_in(each)))


def _names_in(namelist: MqObject) -> tuple[str, ...]:
    by = namelist.find_statement("NAMES")
    return by.listed("NAMES") if by else ()


def _without(row: MqObject, changed: Collection[str]) -> MqObject:
    fields = {FACT_ATTRIBUTES[row.kind][name][0] for name in changed if name in FACT_ATTRIBUTES[row.kind]}
    left = [
        select_attributes(each, [name for name in each.attributes if name not in changed]) for each in row.statements
    ]
    kept = {name: value for name, value in row.fields.items() if name not in fields}
    return MqObject(row.kind, row.name, row.record, tuple(left), kept)
