"""From a trace to its steps: each rule in order, what it saw, who fell and because of what, who remains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from attrs import define, frozen

from mqclause.executors.run import Run, Trace
from mqclause.language.evaluate import Scope, evaluate
from mqclause.rulebook.rule import (
    Action,
    Because,
    Choose,
    Conclude,
    Derive,
    Keep,
    OrderBy,
    Rule,
    Ruleset,
    SetAside,
    Settle,
)
from mqclause.trace.examined import Test, tests
from mqclause.trace.sentence import sentence, sentence_about


@define(unsafe_hash=True)  # A decision tells many, and attrs takes twice as long where it is frozen.
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


def steps(ruleset: Ruleset, run: Run, listed: Sequence[Any], scope: Scope, conditions: bool) -> tuple[StepTrace, ...]:
    """The steps of a traced ``run`` over the subjects ``listed``.

    ``scope`` is what the first rule saw; with ``conditions`` the tests are filled in.
    """
    assert run.trace is not None, "the run was not traced"  # noqa: S101
    saw, at_next = seen_by(ruleset, run, listed, scope), 0
    remaining = len(listed)
    found = []
    for at, (rule, did) in enumerate(zip(ruleset.rules, run.trace, strict=True)):
        fallen, taken_back, remaining, derived = did or ((), (), remaining, None)
        if not (conditions or fallen or taken_back):
            found.append(_still(rule, did is not None, remaining, tuple(derived.items()) if derived else ()))
            continue
        # What a rule saw is found when it is asked for: most rules change nobody's fate.
        then, at_next = scope_of(next(islice(saw, at - at_next, None)), scope), at + 1
        when = tests(ruleset, rule, "when", then)(None) if conditions and rule.when is not None else ()
        out = _fates(ruleset, rule, fallen, then, conditions) if fallen else ()
        aside: tuple[Fate, ...] = ()
        if out and isinstance(rule.action, SetAside):
            aside, out = out, _for_good(out, run.trace[at:])
        found.append(StepTrace(rule, did is not None, remaining, out, aside, tuple(taken_back), derived, when))
    return tuple(found)


def _for_good(aside: tuple[Fate, ...], trace: Trace) -> tuple[Fate, ...]:
    """Who is set aside is out unless a step that follows in the ``trace`` takes it back."""
    returned = {each for did in trace if did for each in did[1]}
    return tuple([each for each in aside if each.subject not in returned])


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
            seen = Seen(_among(listed, [*seen.remaining, *taken_back]), seen.facts, seen.every)
        elif fallen:
            seen = Seen(_without(seen.remaining, fallen), seen.facts, seen.every)
        elif derived:
            seen = _knowing(derived, rule.action, seen)
        elif in_order and isinstance(rule.action, OrderBy):
            listed = _ordered(rule.action, listed, scope_of(seen, scope))
            seen = Seen(_among(listed, seen.remaining), seen.facts, seen.every)
        if isinstance(rule.action, Choose) and rule.action.ties == "last-listed":
            seen = Seen(seen.remaining[::-1], seen.facts, seen.every)


def remarks_of(
    ruleset: Ruleset, run: Run, listed: Sequence[Any], scope: Scope, traced: Callable[[], Run]
) -> tuple[str, ...]:
    """The remarks of the rules of which all that they derive is true, with the values that each rule saw.

    ``scope`` is what the first rule saw; ``traced`` runs the rules once more where the ``run`` was not traced.
    """
    remarking = ruleset.remarking(run.facts)
    if not any("{" in rule.remark or "}" in rule.remark for rule in remarking):
        return tuple([rule.remark for rule in remarking])
    saw = list(seen_by(ruleset, traced() if run.trace is None else run, listed, scope))
    told = ((rule, scope_of(saw[ruleset.rules.index(rule)], scope)) for rule in remarking)
    return tuple([sentence(ruleset, rule, None, seen, Because(rule.remark)) for rule, seen in told])


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
    kept = set(subjects)
    return [each for each in listed if each in kept]


def _without(subjects: Iterable[Any], fallen: Iterable[Any]) -> list[Any]:
    gone = set(fallen)
    return [each for each in subjects if each not in gone]


def _knowing(derived: Mapping[str, Any], action: Action, seen: Seen) -> Seen:
    """What the rule after an ``action`` sees that derived something."""
    if isinstance(action, Conclude):
        known = seen.facts.get(action.fact, False) or derived[action.fact]
        return Seen(seen.remaining, {**seen.facts, action.fact: known}, seen.every)
    if isinstance(action, Settle) or (isinstance(action, Derive) and action.of == "situation"):
        return Seen(seen.remaining, {**seen.facts, **derived}, seen.every)
    if isinstance(action, Derive) and action.of == "every":
        return Seen(seen.remaining, seen.facts, {**seen.every, **derived})
    return seen


@lru_cache(maxsize=4096)
def _still(rule: Rule, applied: bool, remaining: int, derived: tuple[tuple[str, Any], ...]) -> StepTrace:
    """The step of a rule by which nobody's fate changed: most are, so they are made once."""
    return StepTrace(rule, applied, remaining, derived=dict(derived) or None, is_shared=True)


def _tied(action: Keep, fallen: Iterable[Any], scope: Scope) -> set[Any]:
    """Those that fell by a ``keep`` though they equal one that stayed."""
    gone = {each: evaluate(action.by, scope.about(each)) for each in fallen}
    compared = [scope.about(each) for each in scope.remaining if each not in gone]
    kept = {evaluate(action.by, each) for each in compared if action.among is None or evaluate(action.among, each)}
    return {each for each, value in gone.items() if value in kept}


def _fates(ruleset: Ruleset, rule: Rule, fallen: Sequence[Any], scope: Scope, conditions: bool) -> tuple[Fate, ...]:
    """Why ``rule`` let each of them fall, seen from the scope before the rule."""
    because, action = sentence_about(ruleset, rule, scope), rule.action
    limited = isinstance(action, Keep) and action.at_most is not None
    if not (conditions or limited):
        return tuple([Fate(each, because(each)) for each in fallen])
    tested = tests(ruleset, rule, "action", scope) if conditions else _untested
    tied = _tied(action, fallen, scope) if isinstance(action, Keep) and limited else ()
    return tuple([Fate(each, because(each), tested(each), each in tied) for each in fallen])


def _untested(_: Any) -> tuple[Test, ...]:
    return ()
