"""What is told of subjects, compiled: a function of what a rule saw that gives a function of one subject."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any, TypeVar

from mqclause.language.evaluate import Scope
from mqclause.language.python import SourceNames
from mqclause.language.vocabulary import Vocabulary

_T = TypeVar("_T")

Telling = Callable[[Any, Any, Any, Any, Any], Callable[[Any], _T]]
"""From the situation, who remained, what is carried, the facts, and those of every subject, to what tells of one."""


def names_seen(vocabulary: Vocabulary, carried: bool) -> SourceNames:
    """How words are written in the source that ``telling`` compiles: as a rule saw them, ``carried`` values first."""

    def of_subject(variable: str, name: str) -> str:
        own = f"C({variable}, {name!r})" if carried else f"{variable}.{name}"
        return f"E.get({name!r}, {own})"

    return SourceNames(
        vocabulary, facts=lambda name: f"F.get({name!r}, {vocabulary.words[name].blank!r})", carried=of_subject
    )


def telling(source: str, **known: Any) -> Telling[Any]:
    """A function of ``source``, a lambda of the subject ``d``, which may use what is ``known`` besides."""
    scope = {"bool": bool, "max": max, "min": min, "len": len, "floor": floor, **known, "__builtins__": {}}
    compiled: Telling[Any] = eval(f"lambda s, R, C, F, E: {source}", scope)  # noqa: S307 - source of checked expressions only
    return compiled


def tells(scope: Scope, of: Telling[_T]) -> Callable[[Any], _T]:
    """What tells of one subject, as a rule saw it."""
    return of(scope.situation, scope.remaining, scope.carried, scope.facts, scope.every)
