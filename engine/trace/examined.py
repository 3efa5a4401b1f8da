"""The tests of a rule: each part of its conditions, whether it held, and the values that it saw."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from attrs import frozen
from sqlglot import exp

from mqclause.language.evaluate import Scope
from mqclause.language.parse import unwrapped
from mqclause.language.python import SourceNames, python_source
from mqclause.rulebook.rule import Expression, Rule, Ruleset
from mqclause.trace.telling import SeenNames, Telling, telling, tells


@frozen
class Test:
    """One test of a condition, with the values that it saw."""

    condition: str
    holds: bool
    values: Mapping[str, Any]


Part = Literal["when", "action"]


def tests(ruleset: Ruleset, rule: Rule, part: Part, scope: Scope) -> Callable[[Any], tuple[Test, ...]]:
    """What tells the tests of a rule about one subject: those of its action, or (about None) of its precondition.

    ``scope`` is what the rule saw.
    """
    return tells(scope, _compiled(ruleset, rule, part, scope.carried is not None))


@lru_cache(maxsize=4096)
def _compiled(ruleset: Ruleset, rule: Rule, part: Part, carried: bool) -> Telling[tuple[Test, ...]]:
    names = SeenNames(ruleset.vocabulary, has_carried=carried)
    sources = _of_when(rule, names) if part == "when" else _of_action(rule, names)
    return telling(f"lambda d: ({''.join(f'{each}, ' for each in sources)})", names, Test=Test)


def _of_when(rule: Rule, names: SourceNames) -> Iterator[str]:
    if rule.when is not None:
        words = names.vocabulary.words
        of_subjects = [name for name, word in words.items() if word.about == "subject"]
        yield from _tests(rule.when, names, of_subjects)


def _of_action(rule: Rule, names: SourceNames) -> Iterator[str]:
    for tree in (getattr(rule.action, part, None) for part in ("where", "among")):
        if tree is not None:
            yield from _tests(tree, names)
    by = getattr(rule.action, "by", ())
    for tree in by if isinstance(by, tuple) else (by,):
        # A value that lost against the best of those that remained; the because says which that is.
        text = tree.sql()
        best, value = names.constant(f"{text} is the best"), names.constant(text)
        yield f"Test({best}, False, {{{value}: {python_source(tree, names)}}})"


def _tests(tree: Expression, names: SourceNames, left_out: Collection[str] = ()) -> Iterator[str]:
    """The source of a test for each part of a condition (parts joined by AND), with the values of its words."""
    tree = unwrapped(tree)
    if isinstance(tree, exp.And):
        yield from _tests(tree.this, names, left_out)
        yield from _tests(tree.expression, names, left_out)
        return
    words = dict.fromkeys(column.name for column in tree.find_all(exp.Column))
    seen = [name for name in words if name not in left_out]
    values = [f"{names.constant(name)}: {python_source(exp.column(name), names)}" for name in seen]
    yield f"Test({names.constant(tree.sql())}, bool({python_source(tree, names)}), {{{', '.join(values)}}})"
