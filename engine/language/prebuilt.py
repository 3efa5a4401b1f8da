"""Keep what was read of the project's own rule files when the package was built, so that starting reads none again.

Two pure functions are kept by their text: what a text of TOML says, and which tree an expression has. A file that was
edited has another text, which is read as ever; so nothing that is kept can be out of date. ``setup.py`` has the file
written beside this module; where there is none, as in an editable installation, everything is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlglot import exp

PATH = Path(__file__).with_name("prebuilt.json")

Form = Any
"""A tree in lists: ``[kind, part, …]``; a word is ``["Column", name, where it begins in the text]``."""

OF_TWO = (
    exp.And, exp.Or, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Add, exp.Sub, exp.Mul, exp.Div,
    exp.ArrayContains,
)  # fmt: skip
OF_ONE = (exp.Paren, exp.Not, exp.Floor, exp.CountIf)
"""The kinds of nodes with two parts, and with one."""


class UnkeptError(ValueError):
    """A tree that is not kept: it has what the language of conditions has not."""


def find_table(text: str) -> Mapping[str, Any] | None:
    """Find what a text of TOML says; None if it is not one of those that the package was built with."""
    found: Mapping[str, Any] | None = _read()[0].get(_digest(text))
    return found


def find_tree(text: str) -> exp.Expression | None:
    """Find the tree of an expression; None if it is not one of those that the package was built with."""
    form = _read()[1].get(text)
    return None if form is None else build_tree(form)


def build_form(tree: exp.Expression) -> Form:
    """Build the form of a tree in lists. Raises UnkeptError."""
    kind, args = type(tree).__name__, {name: each for name, each in tree.args.items() if each not in (None, [], False)}
    match tree:
        case exp.Column(this=exp.Identifier() as word) if [*args] == ["this"] and not word.args.get("quoted"):
            return [kind, word.name, word.meta.get("start")]
        case exp.Boolean() | exp.Literal():
            return [kind, tree.this, *([tree.is_string] if isinstance(tree, exp.Literal) else [])]
        case exp.In() if {*args} == {"this", "expressions"}:
            return [kind, *map(build_form, (tree.this, *tree.expressions))]
        case exp.Case() if {*args} == {"ifs", "default"}:
            ifs = [[build_form(each.this), build_form(each.args["true"])] for each in args["ifs"]]
            return [kind, ifs, build_form(args["default"])]
    if isinstance(tree, OF_TWO) and {*args} == {"this", "expression"}:
        return [kind, build_form(tree.this), build_form(tree.expression)]
    if isinstance(tree, OF_ONE) and [*args] == ["this"]:
        return [kind, build_form(tree.this)]
    raise UnkeptError(tree.sql())


def build_tree(form: Form) -> exp.Expression:
    """Build the tree of a form."""
    kind, *parts = form
    match kind:
        case "Column":
            word = exp.Identifier(this=parts[0], quoted=False)
            if parts[1] is not None:
                word.meta["start"] = parts[1]
            return exp.Column(this=word)
        case "Boolean":
            return exp.Boolean(this=parts[0])
        case "Literal":
            return exp.Literal(this=parts[0], is_string=parts[1])
        case "In":
            this, *listed = map(build_tree, parts)
            return exp.In(this=this, expressions=listed)
        case "Case":
            ifs = [exp.If(this=build_tree(when), true=build_tree(then)) for when, then in parts[0]]
            return exp.Case(ifs=ifs, default=build_tree(parts[1]))
    made: type[exp.Expression] = _KINDS[kind]
    return made(**dict(zip(("this", "expression"), map(build_tree, parts), strict=False)))


_KINDS = {each.__name__: each for each in (*OF_TWO, *OF_ONE)}


def build_prebuilt(tables: Mapping[str, Any], parse: Callable[[str], exp.Expression]) -> dict[str, Any]:
    """Build what a package keeps of rule files: their tables by their text, and the tree of each expression."""
    trees = dict[str, Form]()
    for text in dict.fromkeys(_texts([*tables.values()])):
        try:
            trees[text] = build_form(parse(text))
        except ValueError:  # a sentence
            continue
    return {"tables": {_digest(text): table for text, table in tables.items()}, "trees": trees}


def write_prebuilt(kept: Mapping[str, Any]) -> None:
    """Write what is kept to where it is looked for."""
    PATH.write_text(json.dumps(kept, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@cache
def _read() -> tuple[Mapping[str, Any], Mapping[str, Form]]:
    try:
        kept = json.loads(PATH.read_bytes())
    except FileNotFoundError:
        return {}, {}
    return kept["tables"], kept["trees"]
