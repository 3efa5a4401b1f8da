"""The objects of one queue manager, as the commands of its scripts leave them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from attrs import define, field

from mqclause.model.assembly.attributes import FACT_ATTRIBUTES, read_attributes
from mqclause.model.assembly.inserts import insert_hint
from mqclause.model.assembly.mq_object import MqObject, only
from mqclause.model.assembly.operations import Operations, told
from mqclause.model.assembly.provenance import Origin
from mqclause.model.assembly.shown_otherwise import not_shown, shown_otherwise
from mqclause.model.diagnostic import Diagnostic, DomainError, name_suggestion, quoted
from mqclause.model.facts.objects import MESSAGE_CHANNELS
from mqclause.model.readers.mqsc.grammar import known_attributes, lacking
from mqclause.model.readers.record import Record, Script, listed

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

ROWS = {
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


@define(eq=False)
class Objects:
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

    def apply(self, record: Record) -> None:
        """Carry out one command; object types that make no facts are passed over."""
        action = self._actions().get(record.action)
        if action and record.kind in FACT_ATTRIBUTES:
            action(record, _key(record))
        elif not action:
            self.operations.take(record)

    def fault(self, record: Record, message: str, attribute: str = "") -> None:
        """Add what is wrong with ``record``, on the line of ``attribute`` if that is given."""
        self.faults.append(told(record, message, attribute))

    def header_origin(self, key: str) -> Origin | None:
        """Where a script first says ``key`` of itself."""
        for script in self.scripts:
            if key in script.header_lines:
                return Origin("observed", script.source, script.header_lines[key])
        return None

    def settle(self) -> None:
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

    def contradicted(self, local: Objects) -> list[Diagnostic]:
        """What is told of different values that are shown; of what others have, ``local`` tells what it shows."""
        return [said for (kind, *_), said in self.differing.items() if self is local or kind not in ROWS]

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
                self.fault(record, f"LIKE: no {_type(record)} {quoted(record.attributes['LIKE'])} is defined", "LIKE")
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
                    self.fault(record, f"is altered but not defined{insert_hint(record.name, of_kind)}")
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
        if record.kind in ROWS:
            if record.kind == "CHSTATUS" and not {*record.listed("CHLTYPE")} <= {*CLUSTER_CHANNELS, *MESSAGE_CHANNELS}:
                return  # a channel of clients
            self._observe_row(only(record, [name for name in record.attributes if self._is_shown(record, name)]), key)
            return
        known = self._found.get(key) or MqObject(record.kind, record.name, record)
        if known.type and _type(record) not in ("", known.type):
            self._mismatch(record, known)
            return
        self._compare(record, known)
        stated = known.commanded
        self._set(known, only(record, [name for name in record.attributes if name not in stated]), key)

    def _observe_row(self, shown: Record, key: ObjectKey) -> None:
        """Put together what is displayed of one thing at several times; another QMID is that of another thing."""
        told_by = shown.kind, shown.name, *map(shown.listed, ROWS[shown.kind])
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
        for name, said in shown_otherwise(record, known):
            self.differing[record.kind, id(known), name] = said

    def _is_shown(self, record: Record, attribute: str) -> bool:
        """Whether a row says anything by an attribute: a state that no clause speaks of leaves open how a route is."""
        value = record.listed(attribute)
        if attribute == "STATUS" and {*value} & UNLISTED_STATES:
            message = f"STATUS({' '.join(value)}): no clause speaks of this state, so it is read as not shown"
            self.remarks.append(told(record, message, attribute))
            return False
        return bool(value)

    def _delete(self, record: Record, key: ObjectKey) -> None:
        known = self._found.get(key)
        if known and known.kind != record.kind:
            self._mismatch(record, known)
        else:
            if known is None and key not in self._refused and not record.name.startswith("SYSTEM."):
                alike = [found.name for other, found in self._found.items() if _unique_in(other) == _unique_in(key)]
                near = name_suggestion(record.name, alike)
                self._deleted[key] = told(record, f"is deleted but not defined{near}")
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
            self.fault(record, lacking(record.action.upper(), record.kind, lacks, target.type), lacks)
        cluster, namelist = (listed(record.attributes.get(a, target.text(a))) for a in ("CLUSTER", "CLUSNL"))
        if cluster and namelist:
            refusals.append(_clash(record))
        for error in refusals:
            self.fault(record, str(error), error.key)
        if refusals or lacks:
            self._refused.add(key)
        else:
            target.take(record, found)
            if record.kind not in ROWS:
                self._found[key] = target
                self._of_kinds.clear()
            self._refused.discard(key)

    def _expanded(self, found: MqObject, attribute: str, by_list: str) -> tuple[str, ...]:
        """The clusters that ``attribute``, or the namelist in ``by_list``, names."""
        names = list(listed(found.value(attribute)))
        for each in listed(found.value(by_list)):
            names += self._names(each, found.stating(by_list) or found.record, by_list)
        return tuple(dict.fromkeys(names))

    def _names(self, namelist: str, record: Record, attribute: str) -> tuple[str, ...]:
        known = self._found.get(("NAMELIST", namelist))
        if known:
            return listed(known.value("NAMES"))
        if ("NAMELIST", namelist) not in self._refused:
            self.fault(record, f"{attribute}: the namelist {quoted(namelist)} is not defined", attribute)
        return ()


def _lacking(record: Record, target: MqObject) -> str:
    """An attribute that the type of a channel does not have, where the command does not give the type itself."""
    if record.kind != "CHANNEL" or not target.type or "CHLTYPE" in record.attributes or record.action == "observe":
        return ""
    known = known_attributes("ALTER", "CHANNEL", target.type) or record.attributes
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
