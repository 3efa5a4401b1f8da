"""Whether a condition can hold where only some of its words are known: true, false, or not to be said."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from sqlglot import exp

from mqclause.language.evaluate import Scope, evaluate
from mqclause.language.parse import expanded
from mqclause.language.vocabulary import Vocabulary


def possible(tree: exp.Expression, vocabulary: Vocabulary, known: Mapping[str, Any]) -> bool:
    """Whether the checked condition ``tree`` can hold where the attributes in ``known`` have these values."""
    scope = Scope(vocabulary, SimpleNamespace(**known))
    return _truth(expanded(tree, vocabulary), scope, known) is not False


def _truth(tree: exp.Expression, scope: Scope, known: Mapping[str, Any]) -> bool | None:
    """Kleene's logic: None is what is not known."""
    match tree:
        case exp.Paren():
            return _truth(tree.this, scope, known)
        case exp.Not():
            inner = _truth(tree.this, scope, known)
            return None if inner is None else not inner
        case exp.And() | exp.Or():
            deciding = isinstance(tree, exp.Or)
            both = [_truth(each, scope, known) for each in (tree.this, tree.expression)]
            return deciding if deciding in both else None if None in both else not deciding
    if all(column.name in known for column in tree.find_all(exp.Column)) and not tree.find(exp.CountIf):
        return bool(evaluate(tree, scope))
    return None
