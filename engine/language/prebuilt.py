"""Keep what was read of the project's own rule files when the package was built, so that starting reads none again.

Two pure functions are kept by their text: what a text of TOML says, and which tree an expression has. A file that was
edited has another text, which is read as ever; so nothing that is kept can be out of date. ``setup.py`` has the file
written beside this module; where there is none, as in an editable installation, everything is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from mqclause.language.nodes import WITH_PARTS, Boolean, Column, Expression, ExpressionError, Literal

PATH = Path(__file__).with_name("prebuilt.json")

Form = Any
"""A tree in lists: ``[kind, part, …]``; a word is ``["Column", name, where it begins in the text]``."""

_KINDS = {each.__name__: each for each in WITH_PARTS}


def find_table(text: str) -> Mapping[str, Any] | None:
    """Find what a text of TOML says; None if it is not one of those that the package was built with."""
    found: Mapping[str, Any] | None = _read()[0].get(_digest(text))
    return found


def find_tree(text: str) -> Expression | None:
    """Find the tree of an expression; None if it is not one of those that the package was built with."""
    form = _read()[1].get(text)
    return None if form is None else build_tree(form)


def find_order(text: str) -> tuple[Expression, bool] | None:
    """Find the expression of a sort order, and whether the highest is first; None if the package has neither."""
    form = _read()[2].get(text)
    if form is not None:
        return build_tree(form), True
    return None if (tree := find_tree(text)) is None else (tree, False)


def build_form(tree: Expression) -> Form:
    """Build the form of a tree in lists."""
    kind = type(tree).__name__
    match tree:
        case Column():
            return [kind, tree.name, tree.start]
        case Literal():
            return [kind, tree.this, tree.is_string]
        case Boolean():
            return [kind, tree.this]
    return [kind, *map(build_form, tree.parts)]


def build_tree(form: Form) -> Expression:
    """Build the tree of a form."""
    kind, *parts = form
    match kind:
        case "Column":
            return Column(*parts)
        case "Literal":
            return Literal(*parts)
        case "Boolean":
            return Boolean(*parts)
    return _KINDS[kind].build(*map(build_tree, parts))


def build_prebuilt(
    tables: Mapping[str, Any],
    parse: Callable[[str], Expression],
    parse_order: Callable[[str], tuple[Expression, bool]],
) -> dict[str, Any]:
    """Build what a package keeps of rule files: their tables by their text, and the tree of each expression.

    Besides, those of orders in which the highest is first.
    """
    trees, orders = dict[str, Form](), dict[str, Form]()
    for text in dict.fromkeys(_texts([*tables.values()])):
        with suppress(ExpressionError):  # a sentence
            trees[text] = build_form(parse(text))
            continue
        with suppress(ExpressionError):
            tree, descending = parse_order(text)
            orders |= {text: build_form(tree)} if descending else {}
    return {"tables": {_digest(text): table for text, table in tables.items()}, "trees": trees, "orders": orders}


def write_prebuilt(kept: Mapping[str, Any]) -> None:
    """Write what is kept to where it is looked for."""
    PATH.write_text(json.dumps(kept, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _texts(value: Any) -> Iterator[str]:
    """The texts in a table; the keys, too, of which some are the names of facts and terms."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        yield from value if isinstance(value, dict) else ()
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@cache
def _read() -> tuple[Mapping[str, Any], Mapping[str, Form], Mapping[str, Form]]:
    try:
        kept = json.loads(PATH.read_bytes())
    except FileNotFoundError:
        return {}, {}, {}
    return kept["tables"], kept["trees"], kept["orders"]
