"""Read the SQL text of conditions by means of sqlglot, to nodes of the language and no others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from logging import LogRecord, getLogger
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from mqclause.language import nodes
from mqclause.language.nodes import ALLOWED, MOST_CHARACTERS, TOO_DEEP, Expression, ExpressionError

_PLAIN: dict[type[exp.Expr], type[nodes.Unary | nodes.Binary]] = {
    getattr(exp, kind.__name__): kind for kind in nodes.WITH_PARTS if issubclass(kind, nodes.Unary | nodes.Binary)
}
"""The kinds of nodes that sqlglot has, too, by the same names."""


_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
"""A number that is not negative; sqlglot takes more for one."""


def read_condition(text: str) -> Expression:
    """Read ``text`` as a condition. Raises ExpressionError for anything else."""
    try:
        return _read(text, exp.Condition)[0]
    except ExpressionError:
        # What is no expression may be a statement, of which more can be said.
        return _read(text)[0]


def read_order(text: str) -> tuple[Expression, bool]:
    """Read a sort order like ``rank DESC``: its expression, and whether the highest is first.

    Raises ExpressionError.
    """
    tree, ordered = _read(text, exp.Ordered)
    if ordered.args.get("with_fill") or "NULLS" in text.upper().split():
        raise ExpressionError(f"{text!r}: an order is an expression, with DESC or without")
    return tree, bool(ordered.args.get("desc"))


def _read(text: str, into: type[exp.Condition] | type[exp.Ordered] | None = None) -> tuple[Expression, exp.Expr]:
    """Read a text, of the kind ``into`` if that is given: its tree, and what sqlglot makes of the text."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"has {len(text)} characters; allowed: {MOST_CHARACTERS}")
    try:
        found = _parse_quietly(text, into)
        return _translate(found.this if isinstance(found, exp.Ordered) else found), found
    except RecursionError:
        raise ExpressionError(TOO_DEEP) from None
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        what = first.get("highlight") or text
        said = f"not an expression at {what!r}; allowed: {ALLOWED}"
        raise ExpressionError(said, _find_start(text, first) if first.get("highlight") else None) from None
    except TokenError:
        raise ExpressionError(f"not an expression: {text!r}; is a quote or bracket left open?") from None


def _find_start(text: str, told: Mapping[str, Any]) -> int:
    """The column at which a token begins, over all lines as for words; sqlglot tells where in its line it ends."""
    lines_before = text.splitlines(keepends=True)[: told["line"] - 1]
    return sum(map(len, lines_before)) + int(told["col"]) - len(told["highlight"]) + 1


def _parse_quietly(text: str, into: type[exp.Expr] | None) -> exp.Expr:
    """The tree of a text. Of what it does not know, sqlglot logs a line; ours is told instead."""
    log = getLogger("sqlglot")
    log.addFilter(_nothing)
    try:
        return sqlglot.parse_one(text, into=into) if into else sqlglot.parse_one(text)
    finally:
        log.removeFilter(_nothing)


def _nothing(_: LogRecord) -> bool:
    return False


def _translate(tree: exp.Expr) -> Expression:
    """The node of the language that a node of sqlglot is. Raises ExpressionError for one that is none."""
    stated = {name for name, value in tree.args.items() if value not in (None, [], False)}
    match tree:
        case exp.Column():
            return _translate_word(tree)
        case exp.Boolean():
            return nodes.Boolean(bool(tree.this))
        case exp.Literal():
            return _translate_literal(tree)
        case exp.In():
            if stated != {"this", "expressions"} or not all(isinstance(each, exp.Literal) for each in tree.expressions):
                raise _fault(tree, ": IN takes a list of values")
            return nodes.In(_translate(tree.this), [_translate_literal(each) for each in tree.expressions])
        case exp.Case():
            if stated != {"ifs", "default"}:
                raise _fault(tree, ": write CASE WHEN … THEN … ELSE … END")
            branches = [nodes.Branch(_translate(each.this), _translate(each.args["true"])) for each in tree.args["ifs"]]
            return nodes.Case(branches, _translate(tree.args["default"]))
    kind, parts = _PLAIN.get(type(tree)), [tree.args.get(name) for name in ("this", "expression")]
    if kind is not None and stated == ({"this", "expression"} if issubclass(kind, nodes.Binary) else {"this"}):
        return kind(*(_translate(each) for each in parts if each is not None))
    raise _fault(tree, f" is not allowed here; allowed: {ALLOWED}")


def _translate_literal(tree: exp.Literal) -> nodes.Literal:
    if not tree.is_string and not _NUMBER.fullmatch(tree.this):
        raise _fault(tree, " is no number")
    return nodes.Literal(str(tree.this), bool(tree.is_string))


def _translate_word(tree: exp.Column) -> nodes.Column:
    if tree.table:
        raise _fault(tree, " is not a word; words have no dots")
    if not isinstance(tree.this, exp.Identifier):
        raise _fault(tree, f" is not allowed here; allowed: {ALLOWED}")
    return nodes.Column(tree.name, tree.this.meta.get("start"))


def _fault(tree: exp.Expr, what: str) -> ExpressionError:
    starts = [word.meta["start"] for word in tree.find_all(exp.Identifier) if "start" in word.meta]
    return ExpressionError(f"{tree.sql()!r}{what}", min(starts) + 1 if starts else None)
