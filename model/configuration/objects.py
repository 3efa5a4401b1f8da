"""Objects of a queue manager, made from all records about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self, TypeVar, cast

from attrs import define, field, frozen

from mqclause.model.configuration.attributes import (
    COUNTED_KINDS,
    FACT_ATTRIBUTES,
    OPPOSITE_FLAGS,
    STATUS_ATTRIBUTES,
    WHOLE_NUMBER,
    clean_description,
    find_domain_error,
    is_same_value,
    list_count_errors,
    list_stating_attributes,
    read_attributes,
    select_attributes,
)
from mqclause.model.configuration.completeness import (
    INSERT,
    AnsweredInquiries,
    build_coverage,
    is_complete_script,
    is_facts_script,
    suggest_insert,
)
from mqclause.model.configuration.provenance import FactT, Origin, OriginKind, PlacedFact
from mqclause.model.diagnostics import Diagnostic, DomainError, quote_value, suggest_name
from mqclause.model.facts.domains import LARGEST, NAME, Words
from mqclause.model.facts.objects import MESSAGE_CHANNELS, Platform, Queue, QueueManagerAlias, QueueType
from mqclause.model.readers.records import (
    CombinedCoverage,
    Record,
    Script,
    Value,
    describe_unknown_attribute,
    get_known_attributes,
    split_names,
)

CONFIGURED_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")
QUEUE_TYPES = (*CONFIGURED_QUEUES, "QMODEL")
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

UNLISTED_STATES = frozenset({"DISCONNECTED"})
"""States of channels that MQ displays, of no cluster, and no rule speaks of."""

ObjectKey = str | tuple[str, str]
"""A queue's name, as most objects are queues; of others what the name is unique in, and the name."""

LISTS_BESIDE = (("CLUSTER", "CLUSNL"), ("REPOS", "REPOSNL"))
"""Attributes that name one cluster, and those that name a list of them: one at most is not blank."""

QueueKey = tuple[str, str]
"""A queue's name and its queue manager."""

_CAPEXPRY = re.compile(r"(?i)\bCAPEXPRY *\( *(\w+) *\)")

MOST_STATEMENTS = 50
"""With more of them, those about which later ones say all are left out."""

Origins = Mapping[str, Origin | None]
"""The origins of what other statements say of an object, by field of the fact."""

NO_ORIGINS: Origins = {}  # a dict, which pickles

SYSTEM_PREFIX = "SYSTEM."
"""How the names of the objects begin that every queue manager is created with."""

PLATFORM = "Queue manager platform"
"""How a dump says it."""

MadeT = TypeVar("MadeT")

STOPPING = {"STATUS": Words(("STOPPED", "INACTIVE")), "MODE": Words(("QUIESCE", "FORCE", "TERMINATE"))}
"""The parameters of STOP CHANNEL that say what becomes of the channel."""

REFRESH_NOT_CARRIED_OUT = "REFRESH is not carried out: what is known of others in that cluster stays as it is"
REFRESH_WITHOUT_EFFECT = "REFRESH changes nothing that an answer rests on: left out"


@define(eq=False)
class QueueManagerObjects:
    """The objects of one queue manager, as the commands and displays of its ``scripts`` leave them.

    ``faults`` has what was refused: such a command is left out, and so is what alters an object whose definition was
    refused. ``remarks`` has what was shown and is left open, ``differing`` that different values of an attribute are
    shown, by the kind and the identity of what has it. ``rows`` are what it displays of its clusters.

    It is ``suspended`` in these clusters, by the latest command about that, its ``suspension``; ``operated`` are the
    commands that started and stopped its channels, in their order.
    """

    name: str
    scripts: Sequence[Script] = ()
    faults: list[Diagnostic] = field(factory=list)
    rows: list[MqObject] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    differing: dict[tuple[str, int, str], Diagnostic] = field(factory=dict)
    suspended: dict[str, None] = field(factory=dict)
    suspension: Record | None = None
    operated: list[Record] = field(factory=list)
    _found: dict[ObjectKey, MqObject] = field(factory=dict)
    _latest_rows: dict[tuple[object, ...], MqObject] = field(factory=dict)
    _refused: set[ObjectKey] = field(factory=set)
    # What was said of objects that were deleted where there were none: a script may clear the way before it defines.
    _deleted: dict[ObjectKey, Diagnostic] = field(factory=dict)
    _not_carried_out: list[Diagnostic] = field(factory=list)
    _of_kinds: dict[tuple[str, ...], list[MqObject]] = field(factory=dict)

    @classmethod
    def from_scripts(cls, name: str, scripts: Sequence[Script]) -> Self:
        """Carry out all that the scripts of the queue manager ``name`` say."""
        objects = cls(name, scripts)
        records = [record for script in scripts if not script.overlay for record in script.records]
        changes = [record for script in scripts if script.overlay for record in script.records]
        # what was displayed fills in what no command states, wherever it stands
        for record in (*sorted(records, key=lambda each: each.action == "observe"), *changes):
            objects.apply_record(record)
        objects.expand_clusters()
        return objects

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Oddities of the commands carried out that are no faults."""
        return (*self._not_carried_out, *self._deleted.values())

    def apply_record(self, record: Record) -> None:
        """Carry out one command; object types that make no facts are passed over."""
        if record.action == "observe" and record.kind in COUNTED_KINDS:
            for error in list_count_errors(record):
                self.fault(record, str(error), error.key)
        match record.action:
            case "define" | "alter" | "delete" | "observe" if record.kind in FACT_ATTRIBUTES:
                self._actions[record.action](record, _get_key(record))
            case "suspend" | "resume":
                self._suspend(record)
            case "start" | "stop":
                self._operate(record)
            case "state":
                self.operated.append(record)
            case "refresh":
                message = REFRESH_NOT_CARRIED_OUT if record.kind == "CLUSTER" else REFRESH_WITHOUT_EFFECT
                self._warn(record, message)

    def fault(self, record: Record, message: str, attribute: str = "") -> None:
        """Add what is wrong with ``record``, on the line of ``attribute`` if that is given."""
        self.faults.append(record.build_diagnostic(message, attribute))

    def _warn(self, record: Record, message: str, attribute: str = "") -> None:
        self._not_carried_out.append(record.build_diagnostic(message, attribute))

    def find_header_origin(self, key: str) -> Origin | None:
        """Find where a script first says ``key`` of itself."""
        for script in self.scripts:
            if key in script.header_lines:
                return Origin("observed", script.source, script.header_lines[key])
        return None

    def expand_clusters(self) -> None:
        """Expand the clusters of every object, after the last command; see which of them some log does not show."""
        for found, message in _not_shown(self._found.values(), self.scripts):
            self.differing[found.kind, id(found), ""] = message
        for found in self._found.values():
            if found.kind == "QMGR":
                found.clusters = self._list_clusters(found, "REPOS", "REPOSNL")
            elif found.kind in QUEUE_TYPES or found.type in CLUSTER_CHANNELS:
                found.clusters = self._list_clusters(found, "CLUSTER", "CLUSNL")

    def of(self, *kinds: str) -> list[MqObject]:
        """List the objects of ``kinds`` in the order of their definitions; the list is not to be changed."""
        if kinds not in self._of_kinds:
            self._of_kinds[kinds] = [found for found in self._found.values() if found.kind in kinds]
        return self._of_kinds[kinds]

    def channels(self, chltype: str) -> list[MqObject]:
        """List the channels of one type."""
        return [channel for channel in self.of("CHANNEL") if channel.type == chltype]

    @cached_property
    def asked(self) -> AnsweredInquiries:
        """The DISPLAY commands that its logs answer."""
        return AnsweredInquiries.at(self.scripts, self.name)

    @cached_property
    def coverage(self) -> CombinedCoverage:
        """The coverage of its dumps."""
        return build_coverage(self.scripts)

    def find_depth(self, queue: str) -> str:
        """Find CURDEPTH of one of its queues, as a display shows it; blank if none does."""
        return self._shown.get((queue, self.name), {}).get("CURDEPTH", "")

    @cached_property
    def _shown(self) -> Mapping[QueueKey, Mapping[str, str]]:
        return collect_shown_attributes(self.scripts, self.name)

    @cached_property
    def clustered_objects(self) -> tuple[MqObject, ...]:
        """The objects that put it into clusters."""
        return (*self.channels("CLUSRCVR"), *self.channels("CLUSSDR"), *self.of("QMGR"))

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """The clusters that its channels and its REPOS name: it has to do with these."""
        return tuple(dict.fromkeys(cluster for each in self.clustered_objects for cluster in each.clusters))

    @cached_property
    def joined_clusters(self) -> frozenset[str] | None:
        """The clusters in which it has a receiver; None where its files would not tell, or leave one to qm.ini."""
        channels = [each for kind in CLUSTER_CHANNELS for each in self.channels(kind)]
        is_defined = any(each.clusters and each.record.action == "define" for each in channels)
        if (
            any(map(is_facts_script, self.scripts))
            or any(INSERT.search(name) for each in channels for name in each.clusters)
            or not (is_defined or any(map(is_complete_script, self.scripts)))
        ):
            return None
        rows = (row for row in self.rows if row.kind == "CLUSQMGR" and row.name == self.name)
        shown = frozenset(row.text("CLUSTER") for row in rows)
        return shown.union(*(each.clusters for each in channels if each.type == "CLUSRCVR"))

    @property
    def unjoined_clusters(self) -> tuple[str, ...]:
        """The clusters that it has to do with, and others do not learn of it in."""
        joined = self.joined_clusters
        return tuple(each for each in self.clusters if joined is not None and each not in joined)

    def select_visible(self, clusters: Iterable[str]) -> tuple[str, ...]:
        """Select those of an object's ``clusters`` in which other queue managers learn of it."""
        joined = self.joined_clusters
        return tuple(each for each in clusters if joined is None or each in joined)

    @cached_property
    def models(self) -> frozenset[str]:
        """The names of its model queues."""
        return frozenset(each.name for each in self.of("QMODEL"))

    @cached_property
    def queue_targets(self) -> Mapping[str, str]:
        """Its queues by name, each with the name that it leads to if it is an alias of a queue.

        Where its files would not tell whether it has a queue of that name, too, it is blank.
        """
        queues = self.of(*QUEUE_TYPES)
        names = {each.name for each in queues}
        leads = {each: each.text("TARGET") for each in queues if each.kind == "QALIAS" and not each.is_topic_alias}
        return {
            each.name: to if (to := leads.get(each, "")) in names or self.would_tell_target(each) else ""
            for each in queues
        }

    def would_tell_target(self, alias: MqObject) -> bool:
        """Return whether the source of an alias would also show the queue that it leads to, if there were one."""
        target = alias.text("TARGET")
        would = alias.record.action == "define" or self.asked.tells("QLOCAL", target)
        return would and not self.coverage.leaves_out("QLOCAL", target)

    def list_contradictions(self, local: QueueManagerObjects) -> list[Diagnostic]:
        """List different values that are shown; of rows about others only ``local`` is to list its own."""
        return [message for (kind, *_), message in self.differing.items() if self is local or kind not in ROW_KEYS]

    @cached_property
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
        if known and _get_type(record) != known.type:
            self._mismatch(record, known)
        elif known and "REPLACE" not in record.attributes:
            place = f"{known.record.source}:{known.record.line}"
            message = f"is already defined at {place}; REPLACE is needed to define it again"
            self.fault(record, f"{message}{self._suggest_owners(known.record, record)}")
        else:
            fresh = self._find_base(record)
            if fresh is None:
                self._refused.add(key)
                self.fault(
                    record, f"LIKE: no {_get_type(record)} {quote_value(record.attributes['LIKE'])} is defined", "LIKE"
                )
            else:
                self._set(fresh, record, key)

    def _suggest_owners(self, one: Record, two: Record) -> str:
        """That two files may be of two queue managers, if neither says whose it is."""
        nameless = {script.source for script in self.scripts if not script.queue_manager}
        apart = one.source != two.source and {one.source, two.source} <= nameless
        return "; if the files are of two queue managers, give each as QMGR=FILE" if apart else ""

    @cached_property
    def _displayed(self) -> frozenset[ObjectKey]:
        records = (record for script in self.scripts for record in script.records)
        return frozenset(_get_key(record) for record in records if record.action == "observe")

    def _alter(self, record: Record, key: ObjectKey) -> None:
        known = self._found.get(key)
        if known is None:
            if record.kind != "QMGR" and not record.name.startswith("SYSTEM.") and key not in self._displayed:
                if key not in self._refused:
                    of_kind = [found.name for found in self.of(record.kind)]
                    self.fault(record, f"is altered but not defined{suggest_insert(record.name, of_kind)}")
                return
            known = MqObject(record.kind, record.name, record)
        if known.type and _get_type(record) not in ("", known.type):
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
        if known.type and _get_type(record) not in ("", known.type):
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
        for name, message in _find_differing_displays(record, known):
            self.differing[record.kind, id(known), name] = message

    def _is_shown(self, record: Record, attribute: str) -> bool:
        """Whether a row says anything by an attribute: a state that no clause speaks of leaves open how a route is."""
        value = record.listed(attribute)
        if attribute == "STATUS" and {*value} & UNLISTED_STATES:
            message = f"STATUS({' '.join(value)}): no clause speaks of this state, so it is read as not shown"
            self.remarks.append(record.build_diagnostic(message, attribute))
            return False
        return bool(value)

    def _delete(self, record: Record, key: ObjectKey) -> None:
        known = self._found.get(key)
        if known and known.kind != record.kind:
            self._mismatch(record, known)
        else:
            if known is None and key not in self._refused and not record.name.startswith("SYSTEM."):
                alike = [
                    found.name for other, found in self._found.items() if _get_name_space(other) == _get_name_space(key)
                ]
                near = suggest_name(record.name, alike)
                self._deleted[key] = record.build_diagnostic(f"is deleted but not defined{near}")
            self._found.pop(key, None)
            self._of_kinds.clear()
            self._refused.discard(key)

    def _operate(self, record: Record) -> None:
        for attribute, words in STOPPING.items():
            refused = find_domain_error(words, record.attributes.get(attribute, words.words[0]), attribute)
            if refused:
                self.fault(record, str(refused), attribute)
                return
        self.operated.append(record)

    def _suspend(self, record: Record) -> None:
        verb = record.action.upper()
        if record.attributes.keys() & {"CLUSTER", "CLUSNL"}:
            self._suspend_in_clusters(record)
        elif record.attributes.keys() & {"FACILITY", "LOG"}:
            self._warn(record, f"{verb} names no cluster: left out")
        else:
            self.fault(record, f"{verb} needs CLUSTER or CLUSNL")

    def _suspend_in_clusters(self, record: Record) -> None:
        self.suspension = record
        names = list(record.listed("CLUSTER"))
        for each in record.listed("CLUSNL"):
            names += self._list_namelist(each, record, "CLUSNL")
        for name in names:
            refused = find_domain_error(NAME, name, "CLUSTER")
            if record.action == "resume":
                self.suspended.pop(name, None)
            elif refused:
                self.fault(record, str(refused), "CLUSTER")
            else:
                self.suspended[name] = None
        if record.listed("MODE") == ("FORCE",):
            self._warn(record, "MODE(FORCE) stops inbound channels too: their states are left as they are", "MODE")

    def find_foreign_suspensions(self, clusters: Sequence[str]) -> Iterator[Diagnostic]:
        """Find the clusters in which SUSPEND names the queue manager although it is only in ``clusters``."""
        for each in self.suspended if self.suspension else ():
            if self.suspension and each not in clusters:
                near = suggest_name(each, clusters)
                message = f"SUSPEND: {self.name} is not in the cluster {quote_value(each)}: changes nothing{near}"
                yield self.suspension.build_diagnostic(message, "CLUSTER")

    def _mismatch(self, record: Record, known: MqObject) -> None:
        self.fault(record, f"is a {known.type}, defined at {known.record.source}:{known.record.line}")

    def _find_base(self, record: Record) -> MqObject | None:
        """The object that a definition starts from; None if its LIKE names one that is not there."""
        default = DEFAULT_OBJECTS.get(_get_type(record), "")
        name = " ".join(record.listed("LIKE")) or default
        unique_in = _get_name_space(_get_key(record))
        known = self._found.get(name if unique_in == "QUEUE" else (unique_in, name))
        if known and known.type == _get_type(record):
            return known.copy(record)
        of_another_type = known is not None or name in DEFAULT_OBJECTS.values()
        is_shipped = name == default or (name.startswith("SYSTEM.") and not of_another_type)
        return MqObject(record.kind, record.name, record) if is_shipped else None

    def _set(self, target: MqObject, record: Record, key: ObjectKey) -> None:
        """Give ``target`` what ``record`` states, if all of it is allowed."""
        found, refusals = read_attributes(record, _get_type(record) or target.type)
        lacks = _find_lacking_attribute(record, target)
        if lacks:
            self.fault(
                record, describe_unknown_attribute(record.action.upper(), record.kind, lacks, target.type), lacks
            )
        cluster, namelist = (split_names(record.attributes.get(a, target.text(a))) for a in ("CLUSTER", "CLUSNL"))
        if cluster and namelist:
            refusals.append(_build_cluster_error(record))
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

    def _list_clusters(self, found: MqObject, attribute: str, by_list: str) -> tuple[str, ...]:
        """The clusters that ``attribute``, or the namelist in ``by_list``, names."""
        names = list(split_names(found.value(attribute)))
        for each in split_names(found.value(by_list)):
            names += self._list_namelist(each, found.find_statement(by_list) or found.record, by_list)
        return tuple(dict.fromkeys(names))

    def _list_namelist(self, namelist: str, record: Record, attribute: str) -> tuple[str, ...]:
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

    @property
    def capexpry(self) -> str:
        """The limit of expiry of a queue, in tenths of a second, stated by itself or in CUSTOM; blank for none."""
        stated = self.text("CAPEXPRY")
        if not stated and (custom := self.text("CUSTOM")) and (within := _CAPEXPRY.search(custom)):
            stated = within[1]
        return "" if stated.upper() in ("NOLIMIT", "-1", "0") else stated

    @property
    def is_topic_alias(self) -> bool:
        """Whether it is an alias of a topic."""
        return self.text("TARGTYPE") == "TOPIC"

    @property
    def is_manager_alias(self) -> bool:
        """Whether it is a remote definition that is an alias of a queue manager."""
        return self.kind == "QREMOTE" and not self.text("RNAME")

    @property
    def is_alias_or_remote(self) -> bool:
        """Whether it is an alias of a queue, or a remote definition."""
        return self.kind != "QLOCAL" and not self.is_topic_alias

    def find_statement(self, attribute: str) -> Record | None:
        """Find the statement that gives ``attribute`` its value; None if none does."""
        opposite = OPPOSITE_FLAGS.get(attribute)
        for record in reversed(self.statements):
            if attribute in record.attributes:
                return record
            if opposite in record.attributes:
                return None
        return None

    def value(self, attribute: str) -> Value:
        """Return the value of ``attribute``; blank if it is not stated."""
        record = self.find_statement(attribute)
        return record.attributes[attribute] if record else ""

    def text(self, attribute: str) -> str:
        """Return the value of ``attribute`` without trailing blanks; blank if it is not stated."""
        value = self.value(attribute)
        return value.rstrip(" ") if isinstance(value, str) else " ".join(split_names(value))

    def take(self, record: Record, found: Mapping[str, Any]) -> None:
        """Take over what ``record`` states; ``found`` has its values that are fields of facts."""
        self.statements = (*self.statements, record)
        if len(self.statements) > MOST_STATEMENTS:
            self.statements = _select_deciding(self.statements)
        # what is found is the same object for all that state the same
        self.fields = found if self.fields.keys() <= found.keys() else {**self.fields, **found}

    def get_queue_fields(self) -> Mapping[str, Any]:
        """Return the fields with the description."""
        by = self.find_statement("DESCR")
        return {**self.fields, "descr": clean_description(by.attributes["DESCR"])} if by else self.fields

    def copy(self, record: Record) -> MqObject:
        """Copy its attributes to an object of ``record``'s kind and name, but not its disposition."""
        kept = {name: value for name, value in self.fields.items() if name != "shared"}
        statements = [
            select_attributes(each, [name for name in each.attributes if name != "QSGDISP"]) for each in self.statements
        ]
        return MqObject(record.kind, record.name, record, tuple(statements), kept)

    def origin(self, field: str) -> Origin:
        """Return the origin of ``field`` of a fact made of this object, or of what its dump shows besides."""
        shown = STATUS_ATTRIBUTES.get(field, field) if self.kind == "QLOCAL" else field
        if shown in self.record.informational:
            return Origin.of_record("observed", self.record, shown)
        by = self.find_statement(shown) if shown != field else None
        if by:
            return Origin.of_record("observed", by, shown)
        how: OriginKind = _get_origin_kind(self.record) if field in ("name", "type") else "defaulted"
        names = list_stating_attributes(self.kind, field)
        known = None if self._may_be_listed(names) else self.find_origin(*names)
        return known or Origin(how, self.record.source, self.record.line)

    def _may_be_listed(self, names: tuple[str, ...]) -> bool:
        """Whether a display shows one of two attributes blank that tell the same, and the other one not at all."""
        if names not in LISTS_BESIDE or self.record.action != "observe" or any(map(self.text, names)):
            return False
        return any(self.find_statement(each) is None for each in names)

    def find_origin(self, *attributes: str) -> Origin | None:
        """Find where the first of ``attributes`` stands; one that is not blank comes before a blank one."""
        stated = [(name, record) for name in attributes if (record := self.find_statement(name))]
        for name, record in sorted(stated, key=lambda each: not self.text(each[0]))[:1]:
            return Origin.of_record(_get_origin_kind(record), record, name)
        return None


def place_fact(fact: FactT, found: MqObject, known: Origins = NO_ORIGINS) -> PlacedFact[FactT]:
    """Give a fact that is made of one object its place."""
    return PlacedFact(fact, found.record.source, found.record.line, _OriginOf(found, known))


def _find_differing_displays(record: Record, known: MqObject) -> Iterator[tuple[str, Diagnostic]]:
    """Find the attributes that ``record`` shows otherwise than they are ``known``, each with a message about it.

    What a command sets counts, else what was displayed last. A display before the command, in the same source, shows
    what was so before.
    """
    for name in record.attributes if known.statements else ():
        before = OPPOSITE_FLAGS.get(name, name)
        by = known.find_statement(before) if name in OPPOSITE_FLAGS or name in FACT_ATTRIBUTES[record.kind] else None
        if by is None or _is_earlier(record, by) or _is_same(record, by, name, before):
            continue
        shown, other = _render_attribute(record, name), _render_attribute(by, before)
        if by.action == "observe":
            message = f"{shown} is shown, and {other} at {by.describe_place(before)}; the last one given counts"
        else:
            message = f"{shown} is shown, and {by.describe_place(before)} states {other}, which counts"
        yield max(name, before), record.build_diagnostic(message, name)


def _not_shown(found: Iterable[MqObject], scripts: Sequence[Script]) -> Iterator[tuple[MqObject, Diagnostic]]:
    """Find objects that a script defines and that a log of another file was asked for and does not show."""
    logs = [(each, AnsweredInquiries(each.asked)) for each in scripts if each.asked]
    shown = [{(record.kind, record.name) for record in each.records} for each, _ in logs]
    for each in found if logs else ():
        if each.record.action == "define":
            for (log, asked), there in zip(logs, shown, strict=True):
                is_other = log.source not in {by.source for by in (each.record, *each.statements)}
                if is_other and (each.kind, each.name) not in there and asked.tells(each.kind, each.name):
                    message = f"{log.source} was asked for it and shows none: one of the two is out of date"
                    yield each, each.record.build_diagnostic(f"{message}; it counts as defined")
                    break


def detect_platform(scripts: Sequence[Script], shown: str) -> Platform:
    """Return ZOS or MULTI, by what the scripts say of themselves and by what was ``shown`` as PLATFORM."""
    stated = " ".join([shown, *(script.header.get(PLATFORM, "") for script in scripts)]).upper()
    return "ZOS" if "Z/OS" in stated or "MVS" in stated else "MULTI"


class ViewCache(dict[tuple[object, ...], Any]):
    """A cache of what is the same for every local queue manager that the same files are read for.

    These are the objects of each queue manager by its scripts, and their queues as others know them.
    """

    def get_or_make(self, key: tuple[object, ...], make: Callable[[], MadeT]) -> MadeT:
        """Return the value for ``key``, made now if it is not there yet."""
        if key not in self:
            self[key] = make()
        made: MadeT = self[key]
        return made


def _find_lacking_attribute(record: Record, target: MqObject) -> str:
    """An attribute that the type of a channel does not have, where the command does not give the type itself."""
    if record.kind != "CHANNEL" or not target.type or "CHLTYPE" in record.attributes or record.action == "observe":
        return ""
    known = get_known_attributes("ALTER", "CHANNEL", target.type) or record.attributes
    return next((name for name in record.attributes if name not in known), "")


def _get_key(record: Record) -> ObjectKey:
    """What an object's name is unique in: all queues share one set of names."""
    if record.kind == "QMGR":
        return "QMGR", ""
    if record.kind in QUEUE_TYPES:
        return record.name
    if record.attributes.get("CHLTYPE") == "CLNTCONN":
        return "CLNTCONN", record.name
    return record.kind, record.name


def _get_name_space(key: ObjectKey) -> str:
    return "QUEUE" if isinstance(key, str) else key[0]


def _get_type(record: Record) -> str:
    """The object type; of a channel the channel type, or blank if that is not stated."""
    return " ".join(record.listed("CHLTYPE")) if record.kind == "CHANNEL" else record.kind


def _build_cluster_error(record: Record) -> DomainError:
    attribute = "CLUSNL" if record.listed("CLUSNL") else "CLUSTER"
    return DomainError(attribute, record.attributes.get(attribute, ""), "allowed: one of CLUSTER and CLUSNL")


@frozen(eq=False, weakref_slot=False)
class _OriginOf:
    found: MqObject
    known: Origins

    def __call__(self, attribute: str) -> Origin:
        return self.known.get(attribute) or self.found.origin(attribute)


def _get_origin_kind(record: Record) -> OriginKind:
    return "observed" if record.action == "observe" else "stated"


def _select_deciding(statements: Sequence[Record]) -> tuple[Record, ...]:
    """The statements that are the latest about some attribute."""
    seen: set[str] = set()
    kept = []
    for record in reversed(statements):
        if not record.attributes.keys() <= seen:
            kept.append(record)
            seen |= record.attributes.keys()
    return tuple(reversed(kept))


def _is_earlier(record: Record, by: Record) -> bool:
    return by.action != "observe" and record.source == by.source and (record.line or 0) < (by.line or 0)


def _is_same(record: Record, by: Record, name: str, before: str) -> bool:
    return name == before and is_same_value(record.kind, name, record.attributes[name], by.attributes[name])


def _render_attribute(record: Record, name: str) -> str:
    return name if name in OPPOSITE_FLAGS else f"{name}({','.join(record.listed(name))})"


def collect_shown_attributes(scripts: Iterable[Script], local: str) -> Mapping[QueueKey, Mapping[str, str]]:
    """Collect what dumps show in comments, and logs by DISPLAY of queues, their status and handles, by queue.

    A script that names no queue manager is that of ``local``.
    """
    found: dict[str, dict[str, Mapping[str, str]]] = {}
    handles: dict[QueueKey, int] = {}
    for script in scripts:
        own = found.setdefault(script.queue_manager or local, {})
        for record in script.records:
            if record.kind == "QSTATUS" and record.attributes.get("TYPE") == "HANDLE":
                key = record.name, script.queue_manager or local
                handles[key] = handles.get(key, 0) + (record.listed("INPUT") not in ((), ("NO",)))
            elif record.kind in ("QLOCAL", "QSTATUS") and (record.informational or record.action == "observe"):
                shown, before = _shown_values(record), own.get(record.name)
                own[record.name] = {**before, **shown} if before is not None else shown
    for (queue, name), count in handles.items():
        found[name][queue] = {"IPPROCS": str(count), **found[name].get(queue, {})}
    return ShownQueueAttributes(found)


@frozen(eq=False)
class ShownQueueAttributes(Mapping[QueueKey, Mapping[str, str]]):
    """The shown attributes by queue manager, then queue: a pair for each queue would take room."""

    held: Mapping[str, Mapping[str, Mapping[str, str]]]

    def __getitem__(self, key: QueueKey) -> Mapping[str, str]:
        queue, queue_manager = key
        return self.held[queue_manager][queue]

    def __iter__(self) -> Iterator[QueueKey]:
        return ((queue, name) for name, queues in self.held.items() for queue in queues)

    def __len__(self) -> int:
        return sum(map(len, self.held.values()))


def _shown_values(record: Record) -> Mapping[str, str]:
    if record.action != "observe":
        return record.informational
    shown = record.attributes
    of_text = [name for name, value in shown.items() if isinstance(value, str)]
    all_are_text: Any = shown
    return all_are_text if len(of_text) == len(shown) else {name: str(shown[name]) for name in of_text}


ALIAS_ATTRIBUTES = ("put", "clwlrank", "clwlprty", "defbind")
"""What counts of an alias of a queue manager besides its names."""


def place_queue(queue: MqObject, member: str, clusters: tuple[str, ...], host: Origins | None) -> PlacedFact[Queue]:
    """Place the fact of a queue of ``member``; ``host`` is where it is said whose it is."""
    # An alias of a queue manager is known in its clusters as such, and no instance of a queue.
    fact = build_queue(queue, member, () if queue.is_manager_alias else clusters)
    known = host or {"queue_manager": queue.origin("name")}
    return place_fact(fact, queue, known)


def build_queue(queue: MqObject, host: str, clusters: tuple[str, ...]) -> Queue:
    """Build a queue of ``host`` as a fact, in ``clusters``."""
    target = queue.text("TARGET") if queue.kind == "QALIAS" else ""
    fields = queue.get_queue_fields()
    if WHOLE_NUMBER.fullmatch(capped := queue.capexpry):
        fields = {**fields, "capexpry": min(int(capped), LARGEST)}
    return Queue(
        name=queue.name,
        queue_manager=host,
        type=cast(QueueType, queue.kind),
        target=target,
        clusters=clusters,
        **fields,
    )


def build_displayed_queue(row: MqObject, clusters: tuple[str, ...]) -> Queue:
    """Build a queue as DISPLAY QCLUSTER shows it; an alias of a queue manager is a remote definition at its host."""
    kind = row.text("CLUSQT") or "QLOCAL"
    kind = "QREMOTE" if kind == "QMGR" else kind
    host, fields = row.text("CLUSQMGR"), row.get_queue_fields()
    return Queue(row.name, host, cast(QueueType, kind), clusters=clusters, **fields)


def build_alias(remote: MqObject, host: str, clusters: tuple[str, ...]) -> QueueManagerAlias:
    """Build the alias that ``host`` advertises; a blank RQMNAME is the queue manager of the definition."""
    kept = {name: remote.fields[name] for name in ALIAS_ATTRIBUTES if name in remote.fields}
    resolved = remote.text("RQMNAME") or host
    return QueueManagerAlias(remote.name, resolved, clusters, host="" if resolved == host else host, **kept)
