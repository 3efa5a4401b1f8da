"""Configured objects: what each queue manager of a configuration has, as a check looks at it, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from mqclause.model.facts.domains import LARGEST, NAME_OR_BLANK, Text, Whole, Words, seen
from mqclause.model.readers.record import Record, Script

CHECKED_TYPES = ("QLOCAL", "QALIAS", "QREMOTE", "CHANNEL", "QMGR")
COUNT = Whole(0, LARGEST)
OFF = -1
"""What stands for an interval that is no number, like KAINT(AUTO)."""


@frozen(eq=False)
class ConfiguredObject:
    """One object of one queue manager as a check sees it.

    ``hosts`` is how many queue managers host a clustered queue, ``enabled_hosts`` how many of them put-enabled, and
    ``same_defbind`` whether their DEFBIND is the same. ``process_known`` and ``initq_known`` also hold where the source
    cannot tell; ``target_known`` is about what an alias leads to. ``receiver_differs`` names the workload attributes in
    which a CLUSSDR differs from the CLUSRCVR of that name. ``repositories`` are the full ones of a receiver's cluster.
    """

    object_type: str = seen(Words(CHECKED_TYPES), "QLOCAL")
    name: str = seen(NAME_OR_BLANK, "")
    queue_manager: str = seen(NAME_OR_BLANK, "")
    platform: str = seen(Words(("MULTI", "ZOS")), "MULTI")
    clustered: bool = False
    put: str = seen(Words(("ENABLED", "DISABLED")), "ENABLED")
    get: str = seen(Words(("ENABLED", "DISABLED")), "ENABLED")
    hosts: int = seen(COUNT, 0)
    enabled_hosts: int = seen(COUNT, 0)
    same_defbind: bool = True
    usage: str = seen(Words(("NORMAL", "XMITQ")), "NORMAL")
    indxtype: str = seen(Text(12), "NONE")
    trigger: bool = False
    trigmpri: int = seen(Whole(0, 9), 0)
    defprty: int = seen(Whole(0, 9), 0)
    msgdlvsq: str = seen(Words(("PRIORITY", "FIFO")), "PRIORITY")
    process: str = seen(NAME_OR_BLANK, "")
    process_known: bool = True
    initq: str = seen(NAME_OR_BLANK, "")
    initq_known: bool = True
    initq_inhibited: bool = False
    target: str = seen(NAME_OR_BLANK, "")
    target_known: bool = True
    chltype: str = seen(Text(12), "")
    conname: str = seen(Text(264), "")
    hbint: int = seen(Whole(OFF, LARGEST), 300)
    kaint: int = seen(Whole(OFF, LARGEST), OFF)
    batchhb: int = seen(COUNT, 0)
    receiver_differs: str = seen(Text(200), "")
    repositories: int = seen(COUNT, 2)
    clwlexit: str = seen(Text(128), "")
    record: Record | None = field(default=None, metadata={"in_table": None})


StatedKey = tuple[str, str, str]
"""Queue manager, kind and name of an object."""


def configured(scripts: Iterable[Script], named: str = "") -> list[ConfiguredObject]:
    """The objects of all queue managers, in the order of the sources; scripts without an owner are of ``named``."""
    stated: dict[StatedKey, Record] = {}
    platforms: dict[str, str] = {}
    for script in scripts:
        owner = script.queue_manager or named
        if "zos" in script.header.get("Queue manager platform", "").lower().replace("/", ""):
            platforms[owner] = "ZOS"
        for record in script.records:
            _state(stated, (owner, record.kind, record.name), record)
    return list(_Configuration(stated, platforms).objects())


def _state(stated: dict[StatedKey, Record], key: StatedKey, record: Record) -> None:
    """What one statement makes of what was stated before."""
    before = stated.get(key)
    if record.action == "delete":
        stated.pop(key, None)
    elif record.action in ("alter", "define") and before is not None:
        merged = {**before.attributes, **record.attributes}
        stated[key] = evolve(before, attributes=merged, lines=())
    elif record.action in ("define", "observe", "alter"):
        stated[key] = record


@frozen(eq=False)
class _Configuration:
    """Everything that is stated, and what is found by looking at several objects at once."""

    stated: Mapping[StatedKey, Record]
    platforms: Mapping[str, str]
    hosts: dict[tuple[str, str], list[Record]] = field(factory=dict)
    receivers: dict[str, Record] = field(factory=dict)
    repositories: dict[str, set[str]] = field(factory=dict)
    kinds: set[tuple[str, str]] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        for (owner, kind, name), record in self.stated.items():
            self.kinds.add((owner, kind))
            if kind in ("QLOCAL", "QALIAS", "QREMOTE"):
                for cluster in _clusters(record):
                    self.hosts.setdefault((name, cluster), []).append(record)
            elif kind == "CHANNEL" and _text(record, "CHLTYPE") == "CLUSRCVR":
                self.receivers[name] = record
            elif kind == "QMGR":
                for cluster in (*record.listed("REPOS"), *record.listed("REPOSNL")):
                    self.repositories.setdefault(cluster, set()).add(owner)

    def objects(self) -> Iterator[ConfiguredObject]:
        for (owner, kind, name), record in self.stated.items():
            if kind in CHECKED_TYPES:
                own: dict[str, Any] = {"object_type": kind, "name": name or owner, "queue_manager": owner,
                                       "platform": self.platforms.get(owner, "MULTI"), "record": record}  # fmt: skip
                more = self.queue(owner, record) if kind[0] == "Q" and kind != "QMGR" else self.other(record)
                yield ConfiguredObject(**own, **more)

    def queue(self, owner: str, record: Record) -> dict[str, Any]:
        """What a check sees of a queue."""
        instances = {id(each): each for name in _clusters(record) for each in self.hosts[record.name, name]}
        same = {_text(each, "DEFBIND") or "OPEN" for each in instances.values()}
        return {
            "clustered": bool(instances),
            "hosts": len(instances),
            "enabled_hosts": sum(_text(each, "PUT") != "DISABLED" for each in instances.values()),
            "same_defbind": len(same) < 2,
            **{field: _text(record, name) for field, name in WORDS.items() if _text(record, name)},
            **{field: _whole(record, name, 0) for field, name in (("trigmpri", "TRIGMPRI"), ("defprty", "DEFPRTY"))},
            **self.triggering(owner, record),
            **self.leading(owner, record),
        }

    def triggering(self, owner: str, record: Record) -> dict[str, Any]:
        """What it needs to trigger."""
        process, initq = _text(record, "PROCESS"), _text(record, "INITQ")
        found = self.stated.get((owner, "QLOCAL", initq))
        disabled = found is not None and "DISABLED" in (_text(found, "GET"), _text(found, "PUT"))
        return {
            "trigger": "TRIGGER" in record.attributes,
            "process": process,
            "process_known": (owner, "PROCESS", process) in self.stated or not self.tells(owner, "PROCESS", process),
            "initq": initq,
            "initq_known": found is not None or not self.tells(owner, "QLOCAL", initq),
            "initq_inhibited": disabled,
        }

    def tells(self, owner: str, kind: str, name: str) -> bool:
        """Whether the source would tell an object of that name: it has such objects, and MQ has none of that name."""
        return (owner, kind) in self.kinds and not name.startswith("SYSTEM.")

    def leading(self, owner: str, record: Record) -> dict[str, Any]:
        """What an alias leads to."""
        target = _text(record, "TARGET") or _text(record, "TARGQ") if record.kind == "QALIAS" else ""
        is_topic = _text(record, "TARGTYPE") == "TOPIC"
        here = any((owner, kind, target) in self.stated for kind in ("QLOCAL", "QREMOTE"))
        clustered = any(name == target for name, _ in self.hosts)
        return {"target": target, "target_known": is_topic or here or clustered or target.startswith("SYSTEM.")}

    def other(self, record: Record) -> dict[str, Any]:
        """What a check sees of a channel, or of a queue manager."""
        if record.kind == "QMGR":
            return {"clwlexit": _text(record, "CLWLEXIT")}
        receiver, clusters = self.receivers.get(record.name), _clusters(record)
        counts = [len(self.repositories.get(cluster, ())) for cluster in clusters]
        differs = [] if receiver is None or receiver is record else _differing(record, receiver)
        return {
            "clustered": bool(clusters),
            "chltype": _text(record, "CHLTYPE"),
            "conname": _text(record, "CONNAME"),
            "hbint": _whole(record, "HBINT", 300),
            "kaint": _whole(record, "KAINT", OFF),
            "batchhb": _whole(record, "BATCHHB", 0),
            "repositories": min(counts, default=2),
            "receiver_differs": ", ".join(differs),
        }


WORDS = {"put": "PUT", "get": "GET", "usage": "USAGE", "indxtype": "INDXTYPE", "msgdlvsq": "MSGDLVSQ"}
WORKLOAD_ATTRIBUTES = {"CLWLRANK": 0, "CLWLPRTY": 0, "CLWLWGHT": 50}


def _differing(sender: Record, receiver: Record) -> Sequence[str]:
    stated = {name: default for name, default in WORKLOAD_ATTRIBUTES.items() if name in sender.attributes}
    return [
        name for name, default in stated.items() if _whole(sender, name, default) != _whole(receiver, name, default)
    ]


def _clusters(record: Record) -> tuple[str, ...]:
    return (*record.listed("CLUSTER"), *record.listed("CLUSNL"))


def _text(record: Record, name: str) -> str:
    value = record.attributes.get(name, "")
    return (value if isinstance(value, str) else ",".join(value)).strip()


def _whole(record: Record, name: str, default: int) -> int:
    text = _text(record, name)
    return int(text) if text.isdigit() else default
