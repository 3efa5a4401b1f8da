"""Listing: what rules say of destinations before they choose, made ready to be asked of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import floor
from typing import Any

from sqlglot import exp

from mqclause.language.python import SourceNames, python_source
from mqclause.model.facts.destination import Destination, Listing
from mqclause.model.facts.objects import DEFTYPES
from mqclause.rulebook.rule import Ruleset


@lru_cache(maxsize=64)
def listing_of(ruleset: Ruleset) -> Listing:
    """The terms and notices of the workload rules that are about a destination as it is listed."""
    names = SourceNames(ruleset.vocabulary)

    def asked(source: str) -> Callable[[Destination], Any]:
        made: Callable[[Destination], Any] = eval(f"lambda d: {source}", {"floor": floor, "__builtins__": {}})  # noqa: S307 - checked expressions only
        return made

    def term(name: str) -> Callable[[Destination], Any]:
        return asked(python_source(exp.column(name), names))

    watched = []
    for notice in ruleset.notices:
        values = ", ".join(names.of(name) for name in notice.attributes)
        watched.append(f"({values},) if {python_source(notice.where, names)} else None")
    manual = term("manually_defined")
    return Listing(
        term("on_each_receiver")(Destination()),
        term("lends"),
        frozenset(each for each in DEFTYPES if manual(Destination(deftype=each))),
        asked(f"({''.join(f'{each}, ' for each in watched)})"),
    )
