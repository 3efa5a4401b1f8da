"""What is known of an expression before any row is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from mqclause.language.evaluate import Scope, evaluate
from mqclause.language.vocabulary import Vocabulary
from mqclause.rulebook.rule import Expression
from mqclause.tables.condition import counts


def constant(tree: Expression, vocabulary: Vocabulary, constants: Mapping[str, Any]) -> object | None:
    """The value of ``tree`` if it uses only words whose values are known, else None."""
    if counts_by_terms(tree, vocabulary) or not all(name in constants for name in _words(tree, vocabulary)):
        return None
    found: object = evaluate(tree, Scope(vocabulary, None, facts=constants))  # type: ignore[arg-type]
    return found


def counts_by_terms(tree: Expression, vocabulary: Vocabulary) -> bool:
    """Whether ``tree`` counts destinations, itself or by a term."""
    terms = vocabulary.terms
    return counts(tree) or any(
        counts_by_terms(terms[column.name], vocabulary) for column in tree.find_all(exp.Column) if column.name in terms
    )


def _words(tree: Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """The words of ``tree`` and of the terms in it."""
    for column in tree.find_all(exp.Column):
        if column.name in vocabulary.terms:
            yield from _words(vocabulary.terms[column.name], vocabulary)
        else:
            yield column.name
