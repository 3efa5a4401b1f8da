"""The keys of JSON text as tables take them: without regard to letter case, each of them once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mqclause.tables.columns import DESTINATION, PUT
from mqclause.tables.row import InvalidRowError, in_lower_case
from mqclause.tools.batch.asked import OF_STRUCTS, AskedColumns

STRUCTS = AskedColumns()


class JsonObject(dict[str, Any]):
    """An object of JSON; ``twice`` are those of its keys that are there more than once."""

    twice: tuple[str, ...] = ()


def json_object(pairs: list[tuple[str, Any]]) -> JsonObject:
    """An object from its pairs, for json.loads."""
    found = JsonObject(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        found.twice = tuple(name for at, name in enumerate(names) if name in names[:at])
    return found


def keys_fault(fields: Mapping[str, Any], known: Collection[str], where: str = "") -> str | None:
    """What is wrong with the keys of an object: two are one of the ``known``, or in a row any is there twice."""
    lower = {name.lower() for name in known}
    for name in fields.twice if isinstance(fields, JsonObject) else ():
        if not where or name.lower() in lower:
            return f"{where}{name} is there twice"
    try:
        in_lower_case({name: each for name, each in fields.items() if name.lower() in lower}, where)
    except InvalidRowError as error:
        return str(error)
    return None


def key_twice() -> str:
    """A pattern for text with an object that has a key of a put or a destination twice; it may tell too many."""
    between = r"\s*:([^{}]|\{[^{}]*\})*"
    return f'"({"|".join(f"""{name}"{between}"{name}""" for name in dict.fromkeys([*PUT, *DESTINATION]))})"\\s*:'


def keys_in_other_case(asked: AskedColumns = STRUCTS) -> str:
    """A pattern for text with a key that is asked for in another letter case than ours; blank if it can have none."""
    inside = () if asked.is_flat else (*PUT, *DESTINATION)
    names = dict.fromkeys([*asked.typed, *asked.needed, *inside])
    return f'"({"|".join(map(_other_cases, names))})"\\s*:'


def _other_cases(name: str) -> str:
    """Up to some place the name as it is, there another letter case, then any."""
    cased = [f"[{each.upper()}{each.lower()}]" if each.isalpha() and each.isascii() else _plain(each) for each in name]
    return "|".join(
        f"{''.join(map(_plain, name[:at]))}{each.swapcase()}{''.join(cased[at + 1 :])}"
        for at, each in enumerate(name)
        if each.isalpha() and each.isascii()
    )


def in_pattern(name: str) -> str:
    """A name as it stands in JSON text, as a pattern."""
    return "".join(map(_plain, name))


def _plain(letter: str) -> str:
    return letter if letter.isascii() and (letter.isalnum() or letter == "_") else f"\\x{{{ord(letter):x}}}"


class _Pairs(list[tuple[str, Any]]):
    """An object that may have a key twice."""


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def in_our_case(text: str, asked: AskedColumns = STRUCTS) -> str:
    """A row as JSON text with the keys of tables as we write them, also inside; as they are where two would be one."""
    row = _read(text)
    if not isinstance(row, _Pairs):
        return text
    renamed, structs = _renamed(row, [*asked.typed, *asked.needed]), () if asked.is_flat else OF_STRUCTS
    return _written(_Pairs((name, _inside(value) if name in structs else value) for name, value in renamed))


def cell_in_our_case(text: str) -> str:
    """The same of the text of one column: a put, or a list of destinations."""
    return _written(_inside(_read(text)))


def _read(text: str) -> Any:
    """Text that is no JSON is a number as it is written."""
    try:
        return json.loads(text, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number)
    except (ValueError, RecursionError):
        return _Number(text)


def _inside(value: Any) -> Any:
    if isinstance(value, _Pairs):
        return _renamed(value, PUT)
    return [_renamed(each, DESTINATION) for each in value] if isinstance(value, list) else value


def _renamed(value: Any, known: Iterable[str]) -> Any:
    if not isinstance(value, _Pairs):
        return value
    ours, lower = {name.lower(): name for name in known}, [name.lower() for name, _ in value]
    return _Pairs(
        (ours.get(each, name) if lower.count(each) == 1 else name, found)
        for each, (name, found) in zip(lower, value, strict=True)
    )


def _written(value: Any) -> str:
    if isinstance(value, _Pairs):
        return f"{{{', '.join(f'{json.dumps(name)}: {_written(each)}' for name, each in value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return value if isinstance(value, _Number) else json.dumps(value)
