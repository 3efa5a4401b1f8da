"""A sorted map that is a value: a change gives another one, which shares all but the way to the place of the change.

A treap: ordered by key from left to right, and from top to bottom by a weight that is as good as random, so that every
way to a leaf is short. A value may be marked; a walk can skip those that are not, however many they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

MIXER = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


class TreapNode(NamedTuple):
    """One entry; ``any_marked`` says whether it or one below it is marked."""

    key: Any
    value: Any
    marked: bool
    weight: int
    left: TreapNode | None
    right: TreapNode | None
    any_marked: bool


SortedMap = TreapNode | None
"""A map; None is the empty one."""


def _node(key: Any, value: Any, marked: bool, weight: int, left: SortedMap, right: SortedMap) -> TreapNode:
    below = (left is not None and left.any_marked) or (right is not None and right.any_marked)
    return TreapNode(key, value, marked, weight, left, right, marked or below)


def with_entry(at: SortedMap, key: Any, value: Any, marked: bool = True) -> TreapNode:
    """The map with ``value`` under ``key``, in place of what was there."""
    return _inserted(without_key(at, key), key, value, marked, (hash(key) * MIXER) & MASK)


def _inserted(at: SortedMap, key: Any, value: Any, marked: bool, weight: int) -> TreapNode:
    if at is None or weight > at.weight:
        return _node(key, value, marked, weight, *_split(at, key))
    if key < at.key:
        below = _inserted(at.left, key, value, marked, weight)
        return _node(at.key, at.value, at.marked, at.weight, below, at.right)
    return _node(at.key, at.value, at.marked, at.weight, at.left, _inserted(at.right, key, value, marked, weight))


def _split(at: SortedMap, key: Any) -> tuple[SortedMap, SortedMap]:
    """The entries below ``key`` and those above it."""
    if at is None:
        return None, None
    if at.key < key:
        left, right = _split(at.right, key)
        return _node(at.key, at.value, at.marked, at.weight, at.left, left), right
    left, right = _split(at.left, key)
    return left, _node(at.key, at.value, at.marked, at.weight, right, at.right)


def without_key(at: SortedMap, key: Any) -> SortedMap:
    """The map without the entry under ``key``, if there is one."""
    if at is None:
        return None
    if at.key == key:
        return _joined(at.left, at.right)
    if key < at.key:
        left = without_key(at.left, key)
        return at if left is at.left else _node(at.key, at.value, at.marked, at.weight, left, at.right)
    right = without_key(at.right, key)
    return at if right is at.right else _node(at.key, at.value, at.marked, at.weight, at.left, right)


def _joined(left: SortedMap, right: SortedMap) -> SortedMap:
    """The map of both, where every key of ``left`` is below every one of ``right``."""
    if left is None or right is None:
        return left or right
    if left.weight > right.weight:
        return _node(left.key, left.value, left.marked, left.weight, left.left, _joined(left.right, right))
    return _node(right.key, right.value, right.marked, right.weight, _joined(left, right.left), right.right)


def of_sorted(entries: Iterable[tuple[Any, Any, bool]]) -> SortedMap:
    """The map of entries that come in the order of their keys: key, value, marked."""
    found: SortedMap = None
    for key, value, marked in entries:
        found = _joined(found, _node(key, value, marked, (hash(key) * MIXER) & MASK, None, None))
    return found


def entries_from(at: SortedMap, key: Any = None, marked_only: bool = False) -> Iterator[tuple[Any, Any]]:
    """The entries from ``key`` on (None: all), in the order of the keys."""
    waiting: list[TreapNode] = []
    while at is not None or waiting:
        while at is not None and (at.any_marked or not marked_only):
            if key is None or at.key >= key:
                waiting.append(at)
                at = at.left
            else:
                at = at.right
        if not waiting:
            return
        entry = waiting.pop()
        if entry.marked or not marked_only:
            yield entry.key, entry.value
        at = entry.right


def value_at(at: SortedMap, key: Any) -> Any:
    """The value under ``key``; None if there is none."""
    while at is not None:
        if at.key == key:
            return at.value
        at = at.left if key < at.key else at.right
    return None


def last_before(at: SortedMap, key: Any) -> Any:
    """The value under the highest key that is below ``key``; None if there is none."""
    found = None
    while at is not None:
        if at.key < key:
            found, at = at.value, at.right
        else:
            at = at.left
    return found
