"""Listing: what rules say of destinations before they choose, made ready to be asked of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from sqlglot import exp

from mqclause.documents.workload import SAID
from mqclause.language.python import SourceNames, python_source
from mqclause.language.vocabulary import Vocabulary, floored
from mqclause.model.facts.destination import Destination, Listing
from mqclause.rulebook.rule import Ruleset


@lru_cache(maxsize=64)
def listing_of(ruleset: Ruleset) -> Listing:
    """The terms and notices of the workload rules that are about a destination as it is listed."""
    names = SourceNames(ruleset.vocabulary)
    watched = []
    for notice in ruleset.notices:
        values = ", ".join(names.of(name) for name in notice.attributes)
        watched.append(f"({values},) if {python_source(notice.where, names)} else None")
    said = (f"{names.constant(key)}: {python_source(exp.column(term), names)}" for key, term in SAID.items())
    return Listing(
        ready(exp.column("kept_queue"), ruleset.vocabulary, "s"),
        asked_of(ruleset, "own_alias"),
        asked_of(ruleset, "own_definition_followed"),
        asked_of(ruleset, "on_each_receiver")(Destination()),
        asked_of(ruleset, "lends"),
        _function("d", f"{{{', '.join(said)}}}", names),
        _function("d", f"({''.join(f'{each}, ' for each in watched)})", names),
    )


def asked_of(ruleset: Ruleset, term: str) -> Callable[[Any], Any]:
    """What a term says of one subject of the ruleset or, where it chooses among none, of the situation."""
    return ready(exp.column(term), ruleset.vocabulary.before, "s" if ruleset.about.subject is None else "d")


def ready(tree: exp.Expression, vocabulary: Vocabulary, of: Literal["s", "d"]) -> Callable[[Any], Any]:
    """What an expression without facts and counts says ``of`` a situation (s) or of a subject (d)."""
    names = SourceNames(vocabulary)
    return _function(of, python_source(tree, names), names)


def ready_of_both(tree: exp.Expression, vocabulary: Vocabulary) -> Callable[[Any, Any], Any]:
    """What an expression without facts and counts says of a situation and a subject."""
    names = SourceNames(vocabulary)
    return _function("s, d", python_source(tree, names), names)


def _function(of: str, source: str, names: SourceNames) -> Callable[..., Any]:
    code = names.code(f"lambda {of}: {source}", "eval")
    made: Callable[..., Any] = eval(code, {"floor": floored, "__builtins__": {}})  # noqa: S307 - no text of a file
    return made
