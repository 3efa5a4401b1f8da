"""Run rules by walking over their trees: the reference that every other executor is held to."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from attrs import define, field, frozen

from mqclause.executors.operations import (
    CarriedValues,
    Filter,
    Key,
    Let,
    LoweredRuleset,
    Operation,
    Rank,
    Run,
    StepResult,
    Trace,
    find_failure,
)
from mqclause.language.evaluator import Scope, evaluate
from mqclause.rulebook.rule import Expression


@frozen
class PlainExecutor:
    """The steps of a ruleset, walked through one by one."""

    steps: LoweredRuleset

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = True,
    ) -> Run:
        """Run the steps on the candidates ``among``; ``earlier`` are facts of the document before."""
        scope = build_first_scope(self.steps, situation, among, carried, earlier)
        return run_steps(WALK.get()(list(among), scope), self.steps, traced)


def build_first_scope(
    steps: LoweredRuleset,
    situation: Any,
    among: Sequence[Any],
    carried: CarriedValues | None,
    earlier: Mapping[str, Any],
) -> Scope:
    """Build the scope of the first step: all candidates remain, and only facts of the document before are derived."""
    kept = steps.ruleset.about.carried
    by_subject = kept.of(carried) if kept is not None and carried is not None else None
    return Scope(steps.vocabulary, situation, tuple(among), by_subject, earlier)


def run_steps(walk: PlainRun, steps: LoweredRuleset, traced: bool) -> Run:
    """Walk through all steps."""
    trace: Trace = []
    saw = []
    for step in steps.steps:
        saw.append(walk.scope)
        trace.append(walk.step(step))
    scope = walk.scope
    return Run(
        scope.remaining,
        find_failure(steps, scope),
        walk.chosen,
        {name: scope.every.get(name) for name in steps.derived("every")},
        {name: scope.value(name) for name in steps.derived("situation")},
        {name: evaluate(tree, scope) for name, tree in steps.hands_on.items()},
        trace if traced else None,
        saw if traced else None,
    )


@define
class PlainRun:
    """One run, step by step. ``listed`` are all subjects in listing order, ``aside`` those set aside.

    ``scope`` has who remains and the facts so far. The choice is ``is_open`` until a step makes it: after that no
    Filter and no Rank does anything. A choice by condition ``has_ended`` the document for subjects: no Let gives
    them anything.
    ``chosen`` is what is derived for the subject that is chosen.
    """

    listed: list[Any]
    scope: Scope
    aside: list[Any] = field(factory=list)
    is_open: bool = True
    has_ended: bool = False
    chosen: dict[str, Any] = field(factory=dict)

    def step(self, step: Operation) -> StepResult | None:
        """Execute one step; return None if it does not apply."""
        match step:
            case Filter():
                return self.filter(step)
            case Rank():
                return self.rank(step)
            case Let():
                return self.let(step)

    # What an executor may find out another way: whether a condition holds, and who is beyond a limit.

    def holds(self, condition: Expression) -> bool:
        """Return whether a condition about the situation holds."""
        return bool(evaluate(condition, self.scope))

    def value(self, tree: Expression, scope: Scope) -> Any:
        """Return the value of what a step derives, by what it sees."""
        return evaluate(tree, scope)

    def those(self, subjects: Sequence[Any], condition: Expression) -> list[Any]:
        """Return the subjects of which a condition holds, in order."""
        return [each for each in subjects if evaluate(condition, self.scope.about(each))]

    def beyond(self, subjects: Sequence[Any], places: Sequence[int], limit: int) -> list[Any]:
        """Return the subjects whose place, counted from 1, is beyond the limit."""
        return [each for each, place in zip(subjects, places, strict=True) if place > limit]

    def applies(self, step: Operation) -> bool:
        """Return whether the step's precondition holds."""
        return step.when is None or self.holds(step.when)

    def filter(self, step: Filter) -> StepResult | None:
        """Give a fate to each of whom the condition holds; None if the step does not apply."""
        pool = self.aside if step.fate == "back" else self.scope.remaining
        if not (self.is_open and pool and self.applies(step)):
            return None
        found = self.those(pool, step.where)
        if step.fate == "back":
            self.aside = _without(self.aside, found)
            return self.left([*self.scope.remaining, *found], taken_back=found)
        if step.fate == "chosen":
            if not found:
                return None
            self.is_open, self.has_ended = False, True
            found = _without(pool, found)
            self.turn(step)
        if step.fate == "aside":
            self.aside = [*self.aside, *found]
        return self.left(_without(pool, found), fallen=found)

    def rank(self, step: Rank) -> StepResult | None:
        """Rank the remaining subjects and keep or order them; return None if the step does not apply."""
        remaining = self.scope.remaining
        if not (self.is_open and remaining and self.applies(step)):
            return None
        if step.keep == "all":
            self.listed.sort(key=lambda each: self.order(step.keys, each))
            self.set_remaining(remaining)
            return self.left(remaining)
        among = list(remaining) if step.among is None else self.those(remaining, step.among)
        limit = 1 if step.at_most is None else self.value(step.at_most, self.scope)
        equals_share = step.at_most is None or step.ties == "all"
        fallen = self.beyond(among, self.places(step, among, equals_share), limit)
        self.is_open = not step.chooses
        self.turn(step)
        return self.left(_without(remaining, fallen), fallen=fallen)

    def places(self, step: Rank, among: Sequence[Any], equals_share: bool) -> list[int]:
        """Return the rank of each subject in its group, from 1; equals share the first rank or go in listing order."""
        orders = [self.order(step.keys, each) for each in among]
        if step.counts:
            return self.count_places(step.counts, among, orders, equals_share)
        groups = ["" if step.per is None else self.scope.about(each).value(step.per) for each in among]
        sorted_by_group: dict[Any, list[Any]] = {}
        for group, order in sorted(zip(groups, orders, strict=True)):
            sorted_by_group.setdefault(group, []).append(order)
        places, earlier = [], Counter[Any]()
        for group, order in zip(groups, orders, strict=True):
            places.append(1 + bisect_left(sorted_by_group[group], order) + earlier[group, order])
            earlier[group, order] += not equals_share
        return places

    def count_places(
        self, by: Sequence[str], among: Sequence[Any], orders: Sequence[Any], equals_share: bool
    ) -> list[int]:
        """Count the place of each subject where those alike in ``by`` are one: that of the best of them."""
        kinds = [tuple(self.scope.about(each).value(name) for name in by) for each in among]
        best: dict[Any, Any] = {}
        for at in sorted(range(len(among)), key=lambda at: (orders[at], at)):
            best.setdefault(kinds[at], orders[at])
        ranked = list(best.values())
        place = {kind: 1 + (ranked.index(best[kind]) if equals_share else at) for at, kind in enumerate(best)}
        return [place[kind] for kind in kinds]

    def order(self, keys: Sequence[Key], subject: Any) -> tuple[Any, ...]:
        """Return the sort key of a subject: the lowest is best."""
        about = self.scope.about(subject)
        values = ((self.value(key.by, about), key.descending) for key in keys)
        return tuple(-value if descending else value for value, descending in values)

    def let(self, step: Let) -> StepResult | None:
        """Give facts their values, one after the other; None if the step does not apply."""
        if self.has_ended and step.of != "situation":
            return None
        if not self.applies(step) or (step.of == "chosen" and not self.scope.remaining):
            return None
        traced: dict[str, Any] = {}
        for each in step.values:
            scope = self.scope.about(self.scope.remaining[0]) if step.of == "chosen" else self.scope
            value = self.value(each.value, scope)
            if step.of == "chosen":
                self.chosen[each.name] = value
            elif step.of == "every":
                self.scope = self.scope.with_facts({}, {each.name: value})
            else:
                self.scope = self.scope.with_facts({each.name: value}, {})
            if each.traced_as is not None:
                traced[each.traced_as] = value
        return StepResult((), (), len(self.scope.remaining), traced or None)

    def turn(self, step: Filter | Rank) -> None:
        """List all the other way round, where a choice takes the one listed last of several."""
        if step.last_first:
            self.listed.reverse()
            self.set_remaining(self.scope.remaining)

    def left(self, remaining: Sequence[Any], fallen: Sequence[Any] = (), taken_back: Sequence[Any] = ()) -> StepResult:
        """Return the result of a step for the subjects that it looked at; ``remaining`` remain after it."""
        if fallen or taken_back:
            self.set_remaining(remaining)
        return StepResult(fallen, taken_back, len(remaining), None)

    def set_remaining(self, subjects: Sequence[Any]) -> None:
        """Replace the remaining subjects, in listing order."""
        kept = set(map(id, subjects))
        self.scope = self.scope.left(tuple(each for each in self.listed if id(each) in kept))


WALK: ContextVar[type[PlainRun]] = ContextVar("walk", default=PlainRun)
"""What walks through the steps: a subclass in its place may look at what each step sees."""


def _without(subjects: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    gone = set(map(id, others))
    return [each for each in subjects if id(each) not in gone]
