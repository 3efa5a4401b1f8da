"""Read the attributes of MQSC to fields of facts: which are read, in which domain, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, fields

from mqclause.model.diagnostics import DomainError
from mqclause.model.facts.domains import (
    CHANNEL_NAME,
    CHANNEL_NAME_OR_BLANK,
    LARGEST,
    NAME,
    NAME_OR_BLANK,
    Description,
    Domain,
    Names,
    Whole,
    Words,
)
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager
from mqclause.model.readers.records import Record, TextCache, Value, split_names

OPPOSITE_FLAGS = {"TRIGGER": "NOTRIGGER", "NOTRIGGER": "TRIGGER"}

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

COUNTED_KINDS, COUNT = ("QLOCAL", "QSTATUS"), Whole(0, LARGEST)
"""The kinds of rows that show this, and what it may be."""

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


def select_attributes(record: Record, names: Sequence[str]) -> Record:
    """Keep the attributes ``names`` of ``record``, which it has, and no others."""
    if len(names) == len(record.attributes):
        return record
    attributes = {name: record.attributes[name] for name in names}
    stated = dict(zip(record.attributes, record.places, strict=False))
    return evolve(record, attributes=attributes, places=[stated[name] for name in names] if stated else ())


def list_stating_attributes(kind: str, field: str) -> tuple[str, ...]:
    """List the MQSC attributes that can state ``field`` of a fact, for an object of ``kind``."""
    read = tuple(name for name, (each, _) in FACT_ATTRIBUTES[kind].items() if each == field)
    return read or _STATING.get(kind, {}).get(field, ())


def read_attributes(record: Record, type_: str) -> tuple[Mapping[str, Any], list[DomainError]]:
    """Read the values of ``record`` to fields of facts; also give what is refused. ``type_`` is its object's type."""
    attributes = record.attributes
    names = _NAMES_READ[record.kind, tuple(attributes)]
    found, refused = _READ[record.kind, names, tuple([attributes[name] for name in names])]
    refusals = [error for error in (_name_refusal(record, type_), _description_refusal(attributes)) if error]
    if refused:
        order = list(attributes)
        refusals += sorted(refused, key=lambda error: order.index(error.key))
    return found, refusals


def is_same_value(kind: str, name: str, one: Value, other: Value) -> bool:
    """Return whether two values of an attribute are the same; one that is not allowed counts as none."""
    if one == other:
        return True
    _, domain = FACT_ATTRIBUTES[kind][name]
    try:
        return bool(_in_domain(domain, one, name) == _in_domain(domain, other, name))
    except DomainError:
        return False


def clean_description(value: Value) -> str:
    """Return the description of a queue as a fact has it."""
    return _DESCRIPTION(value, "DESCR")


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


def list_count_errors(record: Record) -> Iterator[DomainError]:
    """List what is shown of a queue as it is now and is no number that MQ has."""
    for name in STATUS_ATTRIBUTES.values():
        given = record.attributes.get(name, "")
        if given:
            try:
                _in_domain(COUNT, given, name)
            except DomainError as error:
                yield error


def _in_domain(domain: Domain, value: Value, key: str) -> Any:
    if isinstance(domain, Names):
        return domain(split_names(value), key)
    if isinstance(domain, Whole) and isinstance(value, str) and WHOLE_NUMBER.fullmatch(value.strip(" ")):
        try:
            return domain(int(value), key)
        except DomainError:
            return domain(value, key)  # refused again, with the value as it was written
    return domain(value, key)


def find_domain_error(domain: Domain, value: Value, key: str) -> DomainError | None:
    """Find why ``value`` is not in ``domain``; None if it is."""
    try:
        domain(value, key)
    except DomainError as error:
        return error
    return None
