"""How much of the traffic each permitted destination gets in the long run, by the factors of clause 12."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from attrs import define, evolve, field, frozen

from mqclause.answers import AnswerTable, ShownAnswer
from mqclause.documents import WORKLOAD
from mqclause.executors.operations import Assignment, Let, LoweredRuleset, Operation, Rank, Run, list_expressions
from mqclause.executors.pipeline import Pipeline
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.nodes import Expression, get_word, strip_parentheses
from mqclause.language.parser import expand_terms
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.diagnostics import ArgumentError, check_type
from mqclause.model.facts.workload import START, CounterKey, Destination, DestinationSequence, Situation
from mqclause.rulebook.rule import RuleError
from mqclause.workload.decision import Decision
from mqclause.workload.equivalence import MOST_CLASSES, EquivalenceClass

KeyT = TypeVar("KeyT")

FINEST = 10**6
"""A factor advances by a fraction with a small denominator (1000 / CLWLWGHT); a float is taken as the nearest one."""


@frozen(repr=False)
class Share(ShownAnswer):
    """The share of the puts that a destination gets in the long run: exact, above 0 and up to 1."""

    written_by = "map#/$defs/share"

    destination: Destination
    part: Fraction

    def to_json(self) -> dict[str, Any]:
        """Return the destination and its share as JSON values."""
        return {**self.destination.to_json(), "share": float(self.part)}


class Shares(AnswerTable[Share]):
    """The shares of all destinations of a put that get any."""

    written_by = Share.written_by
    row_kind = Share
    rows_key = ""


def shares(decision: Decision) -> Shares:
    """Compute the long-run shares of the destinations if only this put is repeated, from fresh counters; they sum to 1.

    In listing order, without those that get nothing; empty where nothing is chosen. The destination with the lowest
    factor is chosen and its factor advances, so in the long run a destination is chosen as often as the reciprocal of
    that step says; one whose factor stands still gets all. Raises ValueError where an exit was called: what it takes
    in the long run is not known. Raises RuleError where rules of one's own balance otherwise than by such steps.
    """
    check_type("decision", decision, Decision)
    if decision.exit is not None and decision.exit.called:
        raise ArgumentError("the decision is one with an exit, and what that takes in the long run is not known")
    rates = compute_rates(decision)
    total = sum(rate for _, rate in rates)
    return Shares((Share(each, rate / total) for each, rate in rates), decision.origin)


def sum_parts(found: Iterable[Share], key: Callable[[Destination], KeyT]) -> dict[KeyT, Fraction]:
    """Sum the parts of destinations that have the same key."""
    total: dict[KeyT, Fraction] = {}
    for each in found:
        name = key(each.destination)
        total[name] = total.get(name, Fraction(0)) + each.part
    return total


def compute_rates(decision: Decision) -> Sequence[tuple[Destination, Fraction]]:
    """Compute the relative frequency of each destination that is chosen in the long run, in listing order."""
    if decision.outcome != "chosen":
        return ()
    if not decision.runs:
        return tuple((each, Fraction(1)) for each in decision.remaining)
    return tuple((decision.listed[at], rate) for at, rate in _rates(decision.course, decision.kind))


@lru_cache(MOST_CLASSES)
def _rates(course: Pipeline, kind: EquivalenceClass) -> tuple[tuple[int, Fraction], ...]:
    """The places in the list that are chosen in the long run, each with its relative frequency.

    Raises RuleError where rules of one's own move the counters so that this is not known.
    """
    check_balancing(course.steps[0])
    found = dict(_settled_rates(_Balance(course, kind)))
    return tuple((at, found[each]) for at, each in enumerate(kind.listed) if each in found)


def _settled_rates(balance: _Balance) -> Iterator[tuple[Destination, Fraction]]:
    """Each destination of the round that repeats for ever, with its relative frequency."""
    steps, before = balance.round(), None
    for _ in range(len(balance.kind.listed) + 2):
        if steps == before:
            break
        steps, before = balance.round(), steps
    else:
        raise RuleError(f"{WORKLOAD.name}/", "", UNKNOWN.format("who stays by the numbers is never settled"))
    if any(step < 0 for step in steps.values()):
        raise RuleError(f"{WORKLOAD.name}/", "", UNKNOWN.format("a factor falls"))
    first = next(iter(steps))
    if balance.chosen({first.counter: 1.0}) is first:  # whatever factors are, each is chosen in its turn
        steps = dict.fromkeys(steps, Fraction(0))
    # One whose factor stands still is always before those whose factors advance.
    standing = [each for each, step in steps.items() if not step]
    yield from ((each, Fraction(1)) for each in standing)
    yield from ((each, 1 / step) for each, step in steps.items() if not standing)


@define
class _Balance:
    """A choice that is made again and again: its counters from round to round."""

    course: Pipeline
    kind: EquivalenceClass
    numbers: dict[CounterKey, int] = field(factory=dict)

    def round(self) -> dict[Destination, Fraction]:
        """Choose until one is chosen for the second time; each that was, in this order, with the step of its factor.

        Every factor is zero before: where the others begin decides nothing in the long run. One that clause 11c cuts
        is not chosen, so who stays may be settled by the numbers of the round before.
        """
        factors, steps = dict[CounterKey, float](), dict[Destination, Fraction]()
        met = set[CounterKey]()
        while True:
            run = self._run(factors)
            chosen = run.remaining[0]
            if chosen.counter in met:
                return steps
            met.add(chosen.counter)
            # Counters that no rule derives stay as they were.
            counter = DestinationSequence(**{**self._counter(chosen.counter, factors)._asdict(), **run.chosen})
            factors[chosen.counter], self.numbers[chosen.counter] = counter.dest_seq_factor, counter.dest_seq_number
            steps[chosen] = Fraction(counter.dest_seq_factor).limit_denominator(FINEST)

    def chosen(self, factors: Mapping[CounterKey, float]) -> Destination:
        """The destination that is chosen next with these factors, and zero for all others."""
        chosen: Destination = self._run(factors).remaining[0]
        return chosen

    def _run(self, factors: Mapping[CounterKey, float]) -> Run:
        counters = {key: self._counter(key, factors) for key in self.numbers}
        last = max(self.numbers.values(), default=START.dest_seq_number)
        changed: dict[str, Any] = {PREVIOUS_NUMBER: last, **dict.fromkeys(CHANGES, False)}
        seen = evolve(self.kind.situation, **changed)
        return self.course.run(seen, self.kind.listed, counters)[0]

    def _counter(self, key: CounterKey, factors: Mapping[CounterKey, float]) -> DestinationSequence:
        return DestinationSequence(
            factors.get(key, START.dest_seq_factor), self.numbers.get(key, START.dest_seq_number)
        )


FACTOR, NUMBER = START._fields
PREVIOUS_NUMBER = "last_seq_number"
CHANGES = ("attributes_altered", "destination_added")
UNKNOWN = "shares in the long run are not known with these rules: {}"
SEEN_OTHERWISE = "it sees the counters otherwise than by comparing destinations"
MOVED_OTHERWISE = "it moves the counters otherwise than by steps that depend on no counter"


@lru_cache(MOST_CLASSES)
def check_balancing(steps: LoweredRuleset) -> None:
    """Raise RuleError if the rules use the counters in a way from which no long-run shares can be computed.

    They do where counters are only compared with one another, where a factor advances by what depends on no counter,
    and where a number follows the previous one. Then factors balance, and who stays by its number stays.
    """
    for step in steps.steps:
        fault = _Counters(steps.vocabulary).find_fault(step)
        if fault:
            raise RuleError(f"{step.rule.path}", "", UNKNOWN.format(fault))


def find_balancing_rules(decision: Decision) -> tuple[str, ...]:
    """Find the rules by which destinations are chosen in turn: those that compare and advance their factors."""
    steps = decision.course.steps[0] if decision.runs else None
    return () if steps is None else tuple(each.rule.id for each in steps.steps if _balances(each, steps.vocabulary))


def _balances(step: Operation, vocabulary: Vocabulary) -> bool:
    counters = _Counters(vocabulary)
    match step:
        case Rank(chooses=True):
            return any(counters.compares_factors(key.by) for key in step.keys)
        case Let(of="chosen"):
            return any(each.name == FACTOR for each in step.values)
        case _:
            return False


@frozen
class _Counters:
    """How the steps of rules use counters; ``vocabulary`` has the terms by which they may."""

    vocabulary: Vocabulary

    def find_fault(self, step: Operation) -> str:
        """What a step does with counters that shares do not follow from; blank for none."""
        match step:
            case Rank(chooses=True):
                judged = [key.by for key in step.keys]
                fault = "" if self._is_balance(judged) else SEEN_OTHERWISE
            case Rank(keep="at_most") if step.keys[0].descending and get_word(step.keys[0].by) == NUMBER:
                judged, fault = [step.keys[0].by], ""
            case Let(of="chosen"):
                judged = [each.value for each in step.values]
                fault = "" if all(map(self._is_step, step.values)) else MOVED_OTHERWISE
            case Let(of="every") if any(each.name in START._fields for each in step.values):
                judged, fault = [], "" if self._is_of_changes(step.when) else MOVED_OTHERWISE
            case _:
                judged, fault = [], ""
        others = (tree for tree in list_expressions(step) if not any(tree is each for each in judged))
        return fault or (SEEN_OTHERWISE if any(map(self._has_counter, others)) else "")

    def _is_of_changes(self, when: Expression | None) -> bool:
        """Whether a condition holds only after a change of the cluster, of which there is none between the puts."""
        if when is None:
            return False
        plain = expand_terms(when, self.vocabulary)
        of_changes = all(each.name in CHANGES for each in plain.find_all(nodes.Column))
        return of_changes and not evaluate(plain, Scope(self.vocabulary, Situation()))

    def _plain(self, tree: Expression) -> Expression:
        plain = expand_terms(tree, self.vocabulary)
        return plain.this if isinstance(plain, nodes.Paren) else plain

    def _has_counter(self, tree: Expression) -> bool:
        named = {each.name for each in expand_terms(tree, self.vocabulary).find_all(nodes.Column)}
        return not named.isdisjoint((FACTOR, NUMBER, PREVIOUS_NUMBER))

    def _is_balance(self, keys: Sequence[Expression]) -> bool:
        """Whether destinations are compared by their factors, then by their numbers, and by no more after these."""
        known = [(FACTOR,), (NUMBER,), (FACTOR, NUMBER)]
        compared = [self._compared(each) for each in keys]
        counted = tuple(name for name in compared if name)
        return counted in [(), *known] and not any(compared[: len(keys) - len(counted)])

    def compares_factors(self, key: Expression) -> bool:
        """Whether destinations are compared by their factors."""
        return self._compared(key) == FACTOR

    def _compared(self, key: Expression) -> str:
        """The counter that is compared, for all alike; blank if none is, and one that is unknown if it is a mixture."""
        plain = self._plain(key)
        if not self._has_counter(plain):
            return ""
        if isinstance(plain, nodes.Case):
            conditions, branches = _split(plain)
            named = {get_word(each) for each in branches if not isinstance(each, nodes.Literal)}
            alike = not any(self._has_counter(each) or self._is_of_subject(each) for each in conditions)
            return named.pop() if alike and len(named) == 1 else PREVIOUS_NUMBER
        return plain.name if isinstance(plain, nodes.Column) else PREVIOUS_NUMBER

    def _is_of_subject(self, condition: Expression) -> bool:
        """Whether a condition is about each destination alone; what is counted is of all."""
        columns = expand_terms(condition, self.vocabulary).find_all(nodes.Column, outside=nodes.CountIf)
        return any(self.vocabulary.words[each.name].about == "subject" for each in columns)

    def _is_step(self, given: Assignment) -> bool:
        """Whether a factor advances by what depends on no counter, a number to behind the previous one."""
        plain = self._plain(given.value)
        if given.name == NUMBER:
            match plain:
                case nodes.Add(this, nodes.Literal() as rise):
                    return get_word(this) == PREVIOUS_NUMBER and float(rise.this) > 0
            return False
        return not self._has_counter(plain) if given.name != FACTOR else self._is_advance(plain)

    def _is_advance(self, plain: Expression) -> bool:
        if isinstance(plain, nodes.Case):
            conditions, branches = _split(plain)
            return not any(map(self._has_counter, conditions)) and all(map(self._is_advance, branches))
        if isinstance(plain, nodes.Add):
            return self._is_advance(strip_parentheses(plain.this)) and not self._has_counter(plain.expression)
        return isinstance(plain, nodes.Column) and plain.name == FACTOR


def _split(case: nodes.Case) -> tuple[list[Expression], list[Expression]]:
    """The conditions of a CASE, and what it comes to."""
    return [each.when for each in case.branches], [*map(strip_parentheses, case.values)]
