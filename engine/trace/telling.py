"""What is told of subjects, compiled: a function of what a rule saw that gives a function of one subject."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import frozen

from mqclause.language.evaluate import Scope
from mqclause.language.python import SourceNames, attribute
from mqclause.language.vocabulary import floored

_T = TypeVar("_T")

Telling = Callable[[Any, Any, Any, Any, Any], Callable[[Any], _T]]
"""From the situation, who remained, what is carried, the facts, and those of every subject, to what tells of one."""


@frozen
class SeenNames(SourceNames):
    """How words are written in the source that ``telling`` compiles: as a rule saw them.

    ``has_carried`` says whether there are values that were carried, which come before a subject's own.
    """

    has_carried: bool = False

    def fact(self, name: str) -> str:
        """The source of a derived fact."""
        return f"F.get({self.constant(name)}, {self.constant(self.vocabulary.words[name].blank)})"

    def carried(self, variable: str, name: str) -> str:
        """The source of what is carried, which may be derived for every subject."""
        word = self.constant(name)
        own = f"C({variable}, {word})" if self.has_carried else attribute(variable, name)
        return f"E.get({word}, {own})"


def telling(source: str, names: SourceNames, **known: Any) -> Telling[Any]:
    """A function of ``source``, a lambda of the subject ``d``, which may use what is ``known`` besides."""
    scope = {"bool": bool, "max": max, "min": min, "len": len, "floor": floored, **known, "__builtins__": {}}
    code = names.code(f"lambda s, R, C, F, E: {source}", "eval")
    compiled: Telling[Any] = eval(code, scope)  # noqa: S307 - it holds no text of a file
    return compiled


def tells(scope: Scope, of: Telling[_T]) -> Callable[[Any], _T]:
    """What tells of one subject, as a rule saw it."""
    return of(scope.situation, scope.remaining, scope.carried, scope.facts, scope.every)
