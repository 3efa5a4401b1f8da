"""Which attributes MQSC has, by command and object: the data of attributes.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

_BOTH = ("DEFINE", "ALTER")
"""The verbs that take an object's attributes; the others take only what stands under their own name."""


@lru_cache(maxsize=1)
def _objects() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((files(__package__) / "attributes.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1024)
def known_attributes(verb: str, noun: str, chltype: str = "") -> frozenset[str] | None:
    """What may stand in a command, its object type too; None if that is not known of this command.

    ``chltype`` is the type of a channel; blank: what a channel of any type has.
    """
    found = _objects().get(noun, {})
    takes = [name for name in (verb.lower(), "attributes" if verb in _BOTH else "") if name in found]
    if not takes:
        return None
    known = {noun, *(word for name in takes for word in found[name].split())}
    if "attributes" in takes:
        known |= _of_channels(found.get("by_type", {}), chltype)
    return frozenset(known)


@lru_cache(maxsize=1)
def channel_types() -> tuple[str, ...]:
    """The words of CHLTYPE."""
    return tuple(sorted({each for listed in _objects()["CHANNEL"]["by_type"].values() for each in listed.split()}))


def lacking(verb: str, noun: str, word: str, chltype: str = "") -> str:
    """That an object has no attribute ``word``, in words; with the channel types or the objects that have it."""
    types = _objects().get(noun, {}).get("by_type", {}).get(word, "").split() if chltype else []
    if types:
        return f"CHLTYPE({chltype}) has no attribute {word}; channel types that have it: {', '.join(types)}"
    others = objects_with(word)
    return f"{verb} {noun} has no attribute {word}" + (f"; objects that have it: {', '.join(others)}" if others else "")


def objects_with(word: str) -> list[str]:
    """The objects whose definitions take ``word``."""
    return [noun for noun in _objects() if word in (known_attributes("ALTER", noun) or ())]


def _of_channels(by_type: Mapping[str, str], chltype: str) -> set[str]:
    return {name for name, listed in by_type.items() if not chltype or chltype in listed.split()}
