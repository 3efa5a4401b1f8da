"""From a trace to an explanation: each rule in order, who fell and because of what, who remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import Any

from attrs import frozen
from sqlglot import exp

from mqclause.executors.run import Applied, Run
from mqclause.language.evaluate import Scope, evaluate
from mqclause.language.parse import unwrapped
from mqclause.language.python import Names, python_source
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import START
from mqclause.rulebook.rule import Because, Choose, Expression, Keep, Rule, Ruleset, SetAside


@frozen
class Test:
    """One test of a condition, with the values that it saw."""

    condition: str
    holds: bool
    values: Mapping[str, Any]


@frozen
class Fate:
    """A destination that a rule decided on, the sentence that says why, and (at level condition) the tests."""

    destination: Destination
    because: str
    tests: tuple[Test, ...] = ()


@frozen(eq=False)
class Step:
    """What one rule did. ``eliminated`` are out for good; of ``set_aside`` some may be taken back by a later step.

    ``remaining`` counts who remained after the rule. ``when`` holds, at level condition, the tests of the rule's
    precondition.
    """

    rule: Rule
    applied: bool
    remaining: int
    eliminated: tuple[Fate, ...] = ()
    set_aside: tuple[Fate, ...] = ()
    taken_back: tuple[Destination, ...] = ()
    derived: Mapping[str, Any] | None = None
    when: tuple[Test, ...] = ()
    is_shared: bool = False
    """The same step stands in many decisions, because it changed nobody's fate."""


def steps(ruleset: Ruleset, run: Run, listed: Sequence[Destination], scope: Scope, conditions: bool) -> Iterator[Step]:
    """The steps of a traced ``run`` over the destinations ``listed``.

    ``scope`` holds what the rules saw of the put and the counters; with ``conditions`` the tests are filled in.
    """
    assert run.trace is not None, "the run was not traced"  # noqa: S101
    remaining: Sequence[Destination] = listed
    returned = {each for did in run.trace if did for each in did[1]}
    for rule, did in zip(ruleset.rules, run.trace, strict=True):
        if not conditions and (did is None or not (did[0] or did[1])):
            yield _still(rule, did is not None, len(remaining), tuple(did[3].items()) if did and did[3] else ())
            continue
        seen = Scope(scope.vocabulary, scope.put, remaining, scope.counters, run.facts, scope.every)
        when = tuple(tests(rule.when, seen)) if conditions and rule.when is not None else ()
        if did is None:
            yield Step(rule, False, len(remaining), when=when)
            continue
        applied = Applied(*did)
        fates = tuple([fate(ruleset, rule, each, seen, conditions) for each in applied.fallen])
        aside = fates if isinstance(rule.action, SetAside) else ()
        out = tuple([each for each in fates if each.destination not in returned]) if aside else fates
        yield Step(rule, True, applied.remaining, out, aside, tuple(applied.taken_back), applied.derived, when)
        if fates or applied.taken_back:
            left = {*remaining, *applied.taken_back}.difference(applied.fallen)
            remaining = [each for each in listed if each in left]


@lru_cache(maxsize=4096)
def _still(rule: Rule, applied: bool, remaining: int, derived: tuple[tuple[str, Any], ...]) -> Step:
    """The step of a rule by which nobody's fate changed: most are, so they are made once."""
    return Step(rule, applied, remaining, derived=dict(derived) or None, is_shared=True)


def fate(ruleset: Ruleset, rule: Rule, destination: Destination, scope: Scope, conditions: bool) -> Fate:
    """Why ``rule`` let ``destination`` fall, seen from the scope before the rule."""
    because = explain(ruleset, rule, destination, scope)
    if not conditions:
        return Fate(destination, because)
    about = scope.about(destination)
    conditions_of = [getattr(rule.action, part, None) for part in ("where", "among")]
    found = [test for tree in conditions_of if tree is not None for test in tests(tree, about)]
    by = getattr(rule.action, "by", ())
    found += [_compared(tree, about) for tree in (by if isinstance(by, tuple) else (by,))]
    return Fate(destination, because, tuple(found))


def _compared(by: Expression, scope: Scope) -> Test:
    """A value that lost against the best of those that remained; the because says which that is."""
    return Test(f"{_text(by)} is the best", False, {_text(by): evaluate(by, scope)})


def tests(tree: Expression, scope: Scope) -> Iterator[Test]:
    """Each part of a condition (parts joined by AND), whether it holds, and the values of its words."""
    tree = unwrapped(tree)
    if isinstance(tree, exp.And):
        yield from tests(tree.this, scope)
        yield from tests(tree.expression, scope)
        return
    words = dict.fromkeys(column.name for column in tree.find_all(exp.Column))
    values = {
        name: scope.value(name)
        for name in words
        if scope.destination is not None or not _about_one_destination(name, scope)
    }
    yield Test(_text(tree), bool(evaluate(tree, scope)), values)


def _text(tree: Expression) -> str:
    """The expression as SQL; sqlglot takes its time for that, so it is kept with the tree."""
    if "text" not in tree.meta:
        tree.meta["text"] = tree.sql()
    text: str = tree.meta["text"]
    return text


def _about_one_destination(name: str, scope: Scope) -> bool:
    word = scope.vocabulary.words.get(name)
    return word is not None and word.about == "destination"


def explain(
    ruleset: Ruleset, rule: Rule, destination: Destination | None, scope: Scope, sentence: Because | None = None
) -> str:
    """A sentence of the rule, its because if none is given, filled in. ``destination`` is None if there is none."""
    sentence = sentence or rule.because
    if sentence is None:
        return ""
    key = (rule.id, sentence.text, scope.counters is not None)
    if key not in ruleset.explanations:
        ruleset.explanations[key] = _compiled(ruleset, rule, sentence, counters=key[2])
    return ruleset.explanations[key](scope.put, destination, scope.remaining, scope.counters, scope.facts, scope.every)


def _compiled(ruleset: Ruleset, rule: Rule, because: Because, counters: bool) -> Callable[..., str]:
    """A because as a function: explanations are read by the thousand, so their expressions are compiled too."""
    overridden = frozenset({"dest_seq_factor"}) if "dest_seq_factor" in ruleset.vocabulary.words else frozenset()
    names = Names(ruleset.vocabulary, counters=counters, overridden=overridden, facts="F[{!r}]".format)
    pieces = []
    for literal, name, _, _ in Formatter().parse(because.text):
        if literal:
            pieces.append(repr(literal))
        if name is not None:
            pieces.append(f"shown({_source(name, rule, names)})")
    source = f"lambda s, d, R, C, F, E: (lambda e_dest_seq_factor: ''.join(({', '.join(pieces)},)))"
    source += "(E.get('dest_seq_factor'))"
    scope = {"START": START, "shown": shown, "max": max, "min": min, "len": len, "__builtins__": {}}
    compiled: Callable[..., str] = eval(source, scope)  # noqa: S307 - source of checked expressions only
    return compiled


def _source(name: str, rule: Rule, names: Names) -> str:
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
