"""On which lines, and in which columns, the keys of documents stand, however they are laid out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.readers.facts_files import find_json_places, find_toml_places
from mqclause.model.readers.formats import LONGEST_PATH

TEXTS = [
    "",
    "plain",
    "a # b",
    "[t]",
    "{",
    "}",
    ", k = 1",
    "it's",
    'say "x"',
    "\\",
    "[[t]]\nk9 = 2\n",
    "two\n\nlines",
    '"""',
    "'''",
]
scalars = st.sampled_from([*TEXTS, 3, -1.5, True])
trees: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple), max_leaves=12
)
"""A tuple stands for a table, whose keys are numbered through the whole document."""

rows = st.lists(st.lists(trees, max_size=3).map(tuple), min_size=2, max_size=3)


def with_keys(tree: Any, numbers: Iterator[int]) -> Any:
    if isinstance(tree, tuple):
        return {f"k{next(numbers):03}": with_keys(each, numbers) for each in tree}
    return [with_keys(each, numbers) for each in tree] if isinstance(tree, list) else tree


def document(rows: list[Any]) -> dict[str, Any]:
    numbers = iter(range(1000))
    return {f"k{next(numbers):03}": with_keys(each, numbers) for each in rows}


def keys(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all keys that are short enough to have a line."""
    if isinstance(value, dict):
        for key, each in value.items():
            if len(path) < LONGEST_PATH:
                yield (*path, key)
            yield from keys(each, (*path, key))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from keys(each, (*path, position))


def text_of(value: str, draw: Any) -> str:
    """A string of TOML in one of the ways to write it."""
    basic = json.dumps(value)
    ways = [basic]
    if "\n" not in value and "'" not in value:
        ways.append(f"'{value}'")
    if "'''" not in value and not value.endswith("'"):
        ways.append(f"'''\n{value}'''")
    ways.append(
        '"""' + value.replace("\\", "\\\\").replace('"""', '""\\"') + '"""' if not value.endswith('"') else basic
    )
    return str(draw(st.sampled_from(ways)))


def written(value: Any, draw: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_of(key, draw)} = {written(each, draw)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        gap = draw(st.sampled_from(["", " ", "\n", " # ] 'x\n"]))
        return f"[{gap}" + "".join(f"{written(each, draw)},{gap}" for each in value) + "]"
    return text_of(value, draw) if isinstance(value, str) else json.dumps(value)


def key_of(key: str, draw: Any) -> str:
    return str(draw(st.sampled_from([key, f'"{key}"', f"'{key}'"])))


@st.composite
def toml_texts(draw: Any) -> str:
    """A document in TOML: values in line first, then tables and lists of tables by header."""
    in_line, by_header = [], []
    for key, value in document(draw(st.lists(trees | rows, max_size=5))).items():
        tables = value if isinstance(value, list) and value and all(isinstance(row, dict) for row in value) else [value]
        if isinstance(tables[0], dict) and draw(st.booleans()):
            bracket = ("[[", "]]") if tables is value else ("[", "]")
            by_header += [header(key_of(key, draw).join(bracket), row, draw) for row in tables]
        else:
            in_line.append(f"{key_of(key, draw)} = {written(value, draw)}\n")
    return "".join([*in_line, *by_header])


def header(line: str, row: dict[str, Any], draw: Any) -> str:
    comment = draw(st.sampled_from(["", "  # [k9]", "\n\n# k = 'x"]))
    return f"{line}{comment}\n" + "".join(f"  {key_of(key, draw)}={written(each, draw)}\n" for key, each in row.items())


@given(toml_texts())
def test_a_key_of_toml_stands_at_its_place(text: str) -> None:
    lines, found = text.split("\n"), find_toml_places(text)
    for path in keys(tomllib.loads(text)):
        line, column = found[path]
        assert lines[line - 1][column - 1 :].lstrip("[\"'").startswith(str(path[-1]))


@given(st.lists(trees | rows, max_size=5).map(document), st.sampled_from([None, 0, 2]))
def test_a_key_of_json_stands_at_its_place(data: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(data, indent=indent)
    lines, found = text.split("\n"), find_json_places(text)
    for path in keys(data):
        line, column = found[path]
        assert lines[line - 1][column - 1 :].startswith(f'"{path[-1]}":')
