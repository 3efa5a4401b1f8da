"""Compare what two configurations state: which objects one has alone, and which attributes each states otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from attrs import evolve, fields, frozen

from mqclause.model.configuration.members import Members, get_local_name
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.readers.facts_files import LIST_TABLES

IDENTITY = ("name", "queue_manager", "cluster")
"""The attributes that tell an object from others of its kind."""

ObjectKey = tuple[str, ...]
"""The kind of an object, and what tells it from others."""


@frozen
class FactDifference:
    """An attribute that two configurations state otherwise, or with a blank ``key`` an object that one has alone.

    ``seen_at`` are the queue managers that know it so; none where all do that both describe, or its owner alone.
    """

    object: str
    key: str
    before: Any
    after: Any
    seen_at: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the difference as JSON values."""
        return {
            "object": self.object, "key": self.key, "before": self.before, "after": self.after,
            "seen_at": list(self.seen_at),
        }  # fmt: skip


def compare_configurations(before: Members, after: Members) -> tuple[FactDifference, ...]:
    """Compare what the queue managers know that both configurations describe, each object and attribute once."""
    described = {get_local_name(each): each for each in after}
    common = [each for each in before if get_local_name(each) in described]
    found = dict[tuple[str, ...], _Seen]()
    for member in common:
        name = get_local_name(member)
        for owner, each in _list_differences(member, described[name]):
            key = each.object, each.key, repr(each.before), repr(each.after)
            found.setdefault(key, _Seen(owner, each, [])).at.append(name)
    everywhere = [get_local_name(each) for each in common]
    return tuple(
        evolve(each, seen_at=() if at in (everywhere, [owner]) else tuple(at))
        for owner, each, at in (found[key] for key in sorted(found, key=lambda key: key[:2]))
    )


class _Seen(NamedTuple):
    """A difference of an object of its ``owner``, and the queue managers that know it so."""

    owner: str
    difference: FactDifference
    at: list[str]


def _list_differences(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, FactDifference]]:
    """What a queue manager knows otherwise, each with the owner of the object."""
    one, other = (_list_objects(each) for each in (before, after))
    for key in dict.fromkeys((*one, *other)):
        label, owner, was, became = _describe(key), key[2], one.get(key), other.get(key)
        if was is None or became is None:
            yield (
                owner,
                FactDifference(label, "", None if was is None else "there", None if became is None else "there"),
            )
            continue
        for attribute in was:
            if was[attribute] != became.get(attribute):
                yield owner, FactDifference(label, attribute, was[attribute], became.get(attribute))


def _list_objects(member: Snapshot) -> Mapping[ObjectKey, Mapping[str, Any]]:
    """Every object that a queue manager knows, with its attributes."""
    cluster = member.cluster
    listed = [("queue_manager", cluster.queue_manager)]
    listed += [(table, fact) for name, table in LIST_TABLES.items() for fact in getattr(cluster, name)]
    found = dict[ObjectKey, Mapping[str, Any]]()
    for kind, fact in listed:
        stated = {each.name: _plain(getattr(fact, each.name)) for each in fields(type(fact)) if each.init}
        found[kind, *(str(stated.get(name, "") or "") for name in IDENTITY)] = stated
    return found


def _describe(key: ObjectKey) -> str:
    kind, name, owner, cluster = key
    of, within = f" of {owner}" if owner else "", f" in {cluster}" if cluster else ""
    return f"{kind.replace('_', ' ')} {name}{of}{within}"


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
