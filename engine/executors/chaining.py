"""The chaining executor: each rule is one stratum of forward chaining; facts go in, derived facts come out.

The reference meaning. durable_rules matches the conditions; counts, maxima and ranks are facts computed between
the strata from what the rules before left.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.executors.durable import FACT, network
from mqclause.executors.pattern import Pattern
from mqclause.executors.run import Applied, Run, Trace
from mqclause.language.evaluate import Scope, evaluate
from mqclause.model.facts.destination import CounterKey, Destination
from mqclause.model.facts.sequence import Counter
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.rule import (
    Choose,
    Conclude,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Holds,
    Keep,
    Rule,
    Ruleset,
    Selecting,
    SetAside,
    TakeBack,
)

WORSE = {
    "highest": json.dumps({"$lt": {"value": {"$m": "best"}}}),
    "lowest": json.dumps({"$gt": {"value": {"$m": "best"}}}),
}
NONE_FAILING = json.dumps({"failing": 0})
BEYOND = json.dumps({"$gt": {"place": {"$m": "limit"}}})


@frozen
class Chaining:
    """A ruleset run by forward chaining. Safe to share between threads: one stratum at a time runs in the process."""

    ruleset: Ruleset
    _patterns: Mapping[tuple[str, str], Pattern]

    @classmethod
    def of(cls, ruleset: Ruleset) -> Chaining:
        """Prepares the pattern of every condition of ``ruleset``."""
        patterns = {(rule.id, part): Pattern.of(tree) for rule in ruleset.rules for part, tree in _conditions(rule)}
        return cls(ruleset, patterns)

    def run(
        self,
        put: Situation,
        among: Sequence[Destination],
        counters: Mapping[CounterKey, Counter] | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = True,
    ) -> Run:
        """What the rules leave of ``among``; ``earlier`` are facts that another ruleset derived.

        Raises ChainingError if durable_rules misbehaves.
        """
        session = _Session(self, among, Scope(self.ruleset.vocabulary, put, among, counters, dict(earlier)))
        trace: Trace = [session.step(index, rule) for index, rule in enumerate(self.ruleset.rules)]
        every = {name: session.scope.every.get(name) for name in _derived(self.ruleset, "every")}
        facts = {name: session.scope.value(name) for name in _derived(self.ruleset, "situation")}
        return Run(session.scope.remaining, session.failure, session.chosen, every, facts, trace if traced else None)

    def matching(self, rule: Rule, part: str, among: Sequence[Destination], scope: Scope) -> list[Destination]:
        """Those of ``among`` for which that condition of the rule fires, in order."""
        pattern = self._patterns[rule.id, part]
        facts = [pattern.fact(index, scope.about(each)) for index, each in enumerate(among)]
        return _fired(among, pattern.form, facts)

    def applies(self, rule: Rule, scope: Scope) -> bool:
        """Whether the rule's ``when`` fires."""
        return rule.when is None or self.fires(rule, "when", scope)

    def fires(self, rule: Rule, part: str, scope: Scope) -> bool:
        """Whether that condition of the rule, which is about the situation alone, fires."""
        pattern = self._patterns[rule.id, part]
        return bool(network(pattern.form).matches([pattern.fact(0, scope)]))


def _fired(among: Sequence[Destination], form: str, facts: Sequence[Mapping[str, Any]]) -> list[Destination]:
    fired = network(form).matches(facts)
    return [each for index, each in enumerate(among) if index in fired]


def _derived(ruleset: Ruleset, of: str) -> list[str]:
    found: list[str] = []
    for rule in ruleset.rules:
        match rule.action:
            case Derive(of=derived, values=values) if derived == of:
                found += [name for name, _ in values]
            case Conclude(fact=fact) if of == "situation":
                found.append(fact)
    return list(dict.fromkeys(found))


def _conditions(rule: Rule) -> Iterator[tuple[str, Expression]]:
    parts = {"when": rule.when, **{part: getattr(rule.action, part, None) for part in ("where", "among")}}
    if isinstance(rule.action, Holds):
        parts["holds"] = rule.action.when
    for part, tree in parts.items():
        if tree is not None:
            yield part, tree


@define
class _Session:
    """One run: the facts so far, stratum by stratum."""

    executor: Chaining
    listed: Sequence[Destination]
    scope: Scope
    aside: list[Destination] = field(factory=list)
    is_open: bool = True
    failure: tuple[int, str, str] | None = None
    chosen: dict[str, Any] = field(factory=dict)
    failing: set[str] = field(factory=set)

    def step(self, index: int, rule: Rule) -> Applied | None:
        """One stratum: None if the rule did not apply."""
        action = rule.action
        if isinstance(action, Selecting):
            subjects = self.aside if isinstance(action, TakeBack) else self.scope.remaining
            if not (self.is_open and subjects and self.executor.applies(rule, self.scope)):
                return None
            return self.select(rule)
        if not self.executor.applies(rule, self.scope):
            return None
        match action:
            case Holds():
                return self.holds(rule)
            case Conclude():
                return self.conclude(action)
            case FailWith():
                return self.fail_with(index, action)
            case Derive():
                return self.derive(action)

    def select(self, rule: Rule) -> Applied | None:
        remaining = self.scope.remaining
        match rule.action:
            case TakeBack():
                return self.take_back(rule)
            case Eliminate():
                return self.applied(fallen=self.executor.matching(rule, "where", remaining, self.scope))
            case SetAside():
                fallen = self.executor.matching(rule, "where", remaining, self.scope)
                self.aside += fallen
                return self.applied(fallen=fallen)
            case Keep() as keep:
                return self.applied(fallen=self.worse(rule, keep))
            case Choose() as choose:
                return self.choose(rule, choose)
        raise TypeError(rule.action)

    def applied(
        self,
        fallen: Sequence[Destination] = (),
        taken: Sequence[Destination] = (),
        derived: Mapping[str, Any] | None = None,
    ) -> Applied:
        """Records a step; who fell no longer remains, who was taken back does."""
        if not (fallen or taken):
            return Applied(fallen, taken, len(self.scope.remaining), derived)
        remaining = {*self.scope.remaining, *taken}.difference(fallen)
        self.scope = evolve(self.scope, remaining=[each for each in self.listed if each in remaining])
        return Applied(fallen, taken, len(remaining), derived)

    def take_back(self, rule: Rule) -> Applied:
        taken = self.executor.matching(rule, "where", self.aside, self.scope)
        self.aside = [each for each in self.aside if each not in taken]
        return self.applied(taken=taken)

    def choose(self, rule: Rule, action: Choose) -> Applied | None:
        remaining = self.scope.remaining
        if action.where is not None:
            matched = self.executor.matching(rule, "where", remaining, self.scope)
            if not matched:
                return None
            fallen = [each for each in remaining if each not in matched]
        else:
            orders = [tuple(evaluate(tree, self.scope.about(each)) for tree in action.by) for each in remaining]
            places = {order: place for place, order in enumerate(sorted(set(orders)), start=1)}
            fallen = _beyond(remaining, [places[order] for order in orders], 1)
        self.is_open = False
        return self.applied(fallen=fallen)

    def worse(self, rule: Rule, keep: Keep) -> list[Destination]:
        """The destinations below the best of their group, or beyond the number that is kept."""
        among = list(self.scope.remaining)
        if keep.among is not None:
            among = self.executor.matching(rule, "among", among, self.scope)
        values = [evaluate(keep.by, self.scope.about(each)) for each in among]
        if keep.at_most is not None:
            return _beyond(among, _places(values, keep), evaluate(keep.at_most, self.scope))
        groups = ["" if keep.per is None else self.scope.about(each).value(keep.per) for each in among]
        best = _best(values, groups, keep)
        facts = [
            {FACT: index, "value": value, "best": best[group]}
            for index, (value, group) in enumerate(zip(values, groups, strict=True))
        ]
        return _fired(among, WORSE[keep.best], facts)

    def holds(self, rule: Rule) -> Applied:
        held = self.executor.fires(rule, "holds", self.scope)
        if not held:
            self.failing.add(rule.id)
        return self.applied(derived={"holds": held})

    def conclude(self, action: Conclude) -> Applied:
        failing = len(self.failing.intersection(action.needs))
        concluded = bool(network(NONE_FAILING).matches([{FACT: 0, "failing": failing}]))
        known = self.scope.facts.get(action.fact, False)
        self.scope = evolve(self.scope, facts={**self.scope.facts, action.fact: known or concluded})
        return self.applied(derived={action.fact: concluded})

    def fail_with(self, index: int, action: FailWith) -> Applied | None:
        if self.failure is not None:
            return None
        self.failure = (index, action.reason, evaluate(action.call, self.scope))
        return self.applied()

    def derive(self, action: Derive) -> Applied | None:
        if action.of == "chosen" and not self.scope.remaining:
            return None
        scope = self.scope.about(self.scope.remaining[0]) if action.of == "chosen" else self.scope
        derived = {name: evaluate(tree, scope) for name, tree in action.values}
        if action.of == "chosen":
            self.chosen.update(derived)
        elif action.of == "every":
            self.scope = evolve(self.scope, every={**self.scope.every, **derived})
        else:
            self.scope = evolve(self.scope, facts={**self.scope.facts, **derived})
        return self.applied(derived=derived)


def _best(values: Sequence[Any], groups: Sequence[str], keep: Keep) -> dict[str, Any]:
    better = max if keep.best == "highest" else min
    best: dict[str, Any] = {}
    for value, group in zip(values, groups, strict=True):
        best[group] = better(value, best.get(group, value))
    return best


def _places(values: Sequence[Any], keep: Keep) -> list[int]:
    """The place of each value, the best at 1; equals share the first place or stand in listing order."""
    ordered = sorted(range(len(values)), key=values.__getitem__, reverse=keep.best == "highest")
    place = {index: place for place, index in enumerate(ordered, start=1)}
    if keep.ties == "all":
        return [min(place[other] for other, equal in enumerate(values) if equal == value) for value in values]
    return [place[index] for index in range(len(values))]


def _beyond(among: Sequence[Destination], places: Sequence[int], limit: int) -> list[Destination]:
    facts = [{FACT: index, "place": place, "limit": limit} for index, place in enumerate(places)]
    return _fired(among, BEYOND, facts)
