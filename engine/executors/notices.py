"""Notices: what rules count as a change since the choice before, made ready to be asked of subjects."""

from __future__ import annotations

from functools import lru_cache
from math import floor

from mqclause.language.python import SourceNames, python_source
from mqclause.model.facts.sequence import Watch
from mqclause.rulebook.rule import Ruleset


@lru_cache(maxsize=64)
def watch_of(ruleset: Ruleset) -> Watch:
    """For a subject and each notice of the rules, the values that are watched; None where the condition fails."""
    names = SourceNames(ruleset.vocabulary)
    entries = []
    for notice in ruleset.notices:
        values = ", ".join(names.of(name) for name in notice.attributes)
        entries.append(f"({values},) if {python_source(notice.where, names)} else None")
    scope = {"floor": floor, "__builtins__": {}}
    watch: Watch = eval(f"lambda d: ({''.join(f'{each}, ' for each in entries)})", scope)  # noqa: S307 - checked expressions only
    return watch
