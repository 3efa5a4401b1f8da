"""From a trace to its steps: each rule in order, what it saw, who fell and because of what, who remains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from attrs import frozen
from sqlglot import exp

from mqclause.executors.run import Applied, Run
from mqclause.language.evaluate import Scope, evaluate
from mqclause.language.parse import unwrapped
from mqclause.rulebook.rule import (
    Action,
    Choose,
    Conclude,
    Derive,
    Expression,
    Keep,
    OrderBy,
    Rule,
    Ruleset,
    SetAside,
    Settle,
)
from mqclause.trace.sentence import sentence


@frozen
class Test:
    """One test of a condition, with the values that it saw."""

    condition: str
    holds: bool
    values: Mapping[str, Any]


@frozen
class Fate:
    """A subject that a rule decided on, the sentence that says why, and (at level condition) the tests."""

    subject: Any
    because: str
    tests: tuple[Test, ...] = ()
    is_tied: bool = False
    """It equals one that stayed and was listed before it."""


@frozen(eq=False)
class StepTrace:
    """What one rule did. ``eliminated`` are out for good; of ``set_aside`` some may be taken back by a later step.

    ``remaining`` counts who remained after the rule. ``when`` holds, at level condition, the tests of the rule's
    precondition.
    """

    rule: Rule
    applied: bool
    remaining: int
    eliminated: tuple[Fate, ...] = ()
    set_aside: tuple[Fate, ...] = ()
    taken_back: tuple[Any, ...] = ()
    derived: Mapping[str, Any] | None = None
    when: tuple[Test, ...] = ()
    is_shared: bool = False
    """The same step stands in many decisions, because it changed nobody's fate."""


class Seen(NamedTuple):
    """What a rule saw besides the situation: who remained, and the facts derived before it."""

    remaining: Sequence[Any]
    facts: Mapping[str, Any]
    every: Mapping[str, Any]


def steps(ruleset: Ruleset, run: Run, listed: Sequence[Any], scope: Scope, conditions: bool) -> Iterator[StepTrace]:
    """The steps of a traced ``run`` over the subjects ``listed``.

    ``scope`` is what the first rule saw; with ``conditions`` the tests are filled in.
    """
    assert run.trace is not None, "the run was not traced"  # noqa: S101
    # Who is set aside is out unless a later rule takes it back.
    returned = {id(each): at for at, did in enumerate(run.trace) if did for each in did[1]}
    saw = enumerate(seen_by(ruleset, run, listed, scope))
    remaining = len(listed)
    for at, (rule, did) in enumerate(zip(ruleset.rules, run.trace, strict=True)):
        if not conditions and (did is None or not (did[0] or did[1])):
            remaining = remaining if did is None else did[2]
            yield _still(rule, did is not None, remaining, tuple(did[3].items()) if did and did[3] else ())
            continue
        # What a rule saw is found when it is asked for: most rules change nobody's fate.
        then = scope_of(next(seen for place, seen in saw if place == at), scope)
        when = tuple(tests(rule.when, then)) if conditions and rule.when is not None else ()
        if did is None:
            yield StepTrace(rule, False, remaining, when=when)
            continue
        applied = Applied(*did)
        remaining = applied.remaining
        tied = _tied(rule.action, applied.fallen, then)
        fates = tuple([fate(ruleset, rule, each, then, conditions, id(each) in tied) for each in applied.fallen])
        aside = fates if isinstance(rule.action, SetAside) else ()
        out = tuple([each for each in fates if returned.get(id(each.subject), -1) < at]) if aside else fates
        yield StepTrace(rule, True, applied.remaining, out, aside, tuple(applied.taken_back), applied.derived, when)


def seen_by(ruleset: Ruleset, run: Run, listed: Sequence[Any], scope: Scope, in_order: bool = True) -> Iterator[Seen]:
    """What each rule of a traced ``run`` saw: as its executor kept it, else from what the rules before it did.

    ``scope`` is what the first rule saw. Unless it has to be ``in_order``, who remained is told in any order: so a
    million subjects are not ordered once more.
    """
    if run.saw is not None:
        yield from (Seen(each.remaining, each.facts, each.every) for each in run.saw)
        return
    seen = Seen(listed, scope.facts, scope.every)
    for rule, did in zip(ruleset.rules, run.trace or (), strict=True):
        yield seen
        if did is None:
            continue
        fallen, taken_back, _, derived = did
        if taken_back:
            seen = seen._replace(remaining=_among(listed, [*seen.remaining, *taken_back]))
        elif fallen:
            seen = Seen(_without(seen.remaining, fallen), seen.facts, seen.every)
        elif derived:
            seen = _knowing(derived, rule.action, seen)
        elif in_order and isinstance(rule.action, OrderBy):
            listed = _ordered(rule.action, listed, scope_of(seen, scope))
            seen = seen._replace(remaining=_among(listed, seen.remaining))
        if isinstance(rule.action, Choose) and rule.action.ties == "last-listed":
            seen = seen._replace(remaining=seen.remaining[::-1])


def scope_of(seen: Seen, first: Scope) -> Scope:
    """What a rule saw, as a scope; ``first`` is what the first rule saw."""
    return Scope(first.vocabulary, first.situation, seen.remaining, first.carried, seen.facts, seen.every)


def _ordered(action: OrderBy, listed: Sequence[Any], scope: Scope) -> Sequence[Any]:
    """The subjects as they are listed from a rule on that orders them."""
    for by, descending in reversed(action.by):
        listed = sorted(listed, key=lambda each, by=by: evaluate(by, scope.about(each)), reverse=descending)  # type: ignore[misc]
    return listed


def _among(listed: Sequence[Any], subjects: Iterable[Any]) -> list[Any]:
    """These subjects in the order in which they are listed."""
    kept = set(map(id, subjects))
    return [each for each in listed if id(each) in kept]


def _without(subjects: Iterable[Any], fallen: Iterable[Any]) -> list[Any]:
    gone = set(map(id, fallen))
    return [each for each in subjects if id(each) not in gone]


def _knowing(derived: Mapping[str, Any], action: Action, seen: Seen) -> Seen:
    """What the rule after an ``action`` sees that derived something."""
    if isinstance(action, Derive | Settle):
        if isinstance(action, Settle) or action.of == "situation":
            return Seen(seen.remaining, {**seen.facts, **derived}, seen.every)
        return Seen(seen.remaining, seen.facts, {**seen.every, **derived}) if action.of == "every" else seen
    if isinstance(action, Conclude):
        known = seen.facts.get(action.fact, False) or derived[action.fact]
        return Seen(seen.remaining, {**seen.facts, action.fact: known}, seen.every)
    return seen


@lru_cache(maxsize=4096)
def _still(rule: Rule, applied: bool, remaining: int, derived: tuple[tuple[str, Any], ...]) -> StepTrace:
    """The step of a rule by which nobody's fate changed: most are, so they are made once."""
    return StepTrace(rule, applied, remaining, derived=dict(derived) or None, is_shared=True)


def _tied(action: Action, fallen: Iterable[Any], scope: Scope) -> frozenset[int]:
    """The ids of those that fell by a ``keep`` though they equal one that stayed."""
    if not isinstance(action, Keep) or action.at_most is None:
        return frozenset()
    gone = {id(each): evaluate(action.by, scope.about(each)) for each in fallen}
    compared = [scope.about(each) for each in scope.remaining if id(each) not in gone]
    kept = {evaluate(action.by, each) for each in compared if action.among is None or evaluate(action.among, each)}
    return frozenset(each for each, value in gone.items() if value in kept)


def fate(ruleset: Ruleset, rule: Rule, subject: Any, scope: Scope, conditions: bool, is_tied: bool) -> Fate:
    """Why ``rule`` let ``subject`` fall, seen from the scope before the rule; ``is_tied``: listing order decided."""
    because = sentence(ruleset, rule, subject, scope)
    if not conditions:
        return Fate(subject, because, is_tied=is_tied)
    about = scope.about(subject)
    conditions_of = [getattr(rule.action, part, None) for part in ("where", "among")]
    found = [test for tree in conditions_of if tree is not None for test in tests(tree, about)]
    by = getattr(rule.action, "by", ())
    found += [_compared(tree, about) for tree in (by if isinstance(by, tuple) else (by,))]
    return Fate(subject, because, tuple(found), is_tied)


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
        name: scope.value(name) for name in words if scope.subject is not None or not _about_one_subject(name, scope)
    }
    yield Test(_text(tree), bool(evaluate(tree, scope)), values)


def _text(tree: Expression) -> str:
    """The expression as SQL; sqlglot takes its time for that, so it is kept with the tree."""
    if "text" not in tree.meta:
        tree.meta["text"] = tree.sql()
    text: str = tree.meta["text"]
    return text


def _about_one_subject(name: str, scope: Scope) -> bool:
    word = scope.vocabulary.words.get(name)
    return word is not None and word.about == "subject"
