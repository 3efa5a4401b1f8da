"""Sentences: the because of a rule, filled with the values that the rule saw."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import floor
from string import Formatter
from typing import Any

from sqlglot import exp

from mqclause.language.evaluate import Scope
from mqclause.language.python import SourceNames, python_source
from mqclause.rulebook.rule import Because, Choose, Keep, Rule, Ruleset


def sentence(ruleset: Ruleset, rule: Rule, subject: Any | None, scope: Scope, because: Because | None = None) -> str:
    """A sentence of the rule, its because if none is given, about ``subject`` (None: about the situation alone).

    ``scope`` is what the rule saw. Blank where the rule has no because.
    """
    because = because or rule.because
    if because is None:
        return ""
    carried = scope.carried is not None
    fill = _compiled(ruleset, rule, because, carried)
    return fill(scope.situation, subject, scope.remaining, scope.carried, scope.facts, scope.every)


@lru_cache(maxsize=4096)
def _compiled(ruleset: Ruleset, rule: Rule, because: Because, carried: bool) -> Callable[..., str]:
    """A because as a function: sentences are read by the thousand, so their expressions are compiled too."""
    words = ruleset.vocabulary.words
    names = SourceNames(
        ruleset.vocabulary,
        facts=lambda name: f"F.get({name!r}, {words[name].blank!r})",
        carried=lambda variable, name: (
            f"E.get({name!r}, {f'C({variable}, {name!r})' if carried else f'{variable}.{name}'})"
        ),
    )
    pieces = []
    for literal, name, _, _ in Formatter().parse(because.text):
        if literal:
            pieces.append(repr(literal))
        if name is not None:
            pieces.append(f"shown({_source(name, rule, names)})")
    source = f"lambda s, d, R, C, F, E: ''.join(({', '.join(pieces)},))"
    known = {"shown": shown, "max": max, "min": min, "len": len, "floor": floor, "__builtins__": {}}
    compiled: Callable[..., str] = eval(source, known)  # noqa: S307 - source of checked expressions only
    return compiled


def _source(name: str, rule: Rule, names: SourceNames) -> str:
    action = rule.action
    if isinstance(action, Keep) and name in ("highest", "lowest"):
        others = names.at("o")
        among = "True" if action.among is None else python_source(action.among, others)
        same = "True" if action.per is None else f"{others.of(action.per)} == {names.of(action.per)}"
        best = "max" if name == "highest" else "min"
        return f"{best}([{python_source(action.by, others)} for o in R if {among} and {same}])"
    if isinstance(action, Keep) and name == "at_most" and action.at_most is not None:
        return python_source(action.at_most, names)
    if isinstance(action, Choose) and name == "lowest":
        values = ", ".join(python_source(tree, names.at("o")) for tree in action.by)
        return f"min([({values},) for o in R])"
    return python_source(exp.column(name), names)


def shown(value: Any) -> str:
    """A value as it stands in a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, tuple):
        return " and ".join(map(shown, value))
    return str(value) if value != "" else "blank"
