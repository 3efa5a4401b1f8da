"""Run rules by forward chaining in durable_rules, one stratum for each step.

durable_rules matches the conditions. Counts, places and ranks are facts computed between the strata from what the
steps before left, as the plain executor computes them.

What keeps the library safe, and what each point avoids (tools/bench/soak.py --misuse repeats some of it):

- the extension module is driven directly: durable.engine.Host starts two threads that dispatch every ruleset beside
  the caller, and its actions swallow exceptions;
- single facts and tests of one fact's attributes only: joins of several tests read out of bounds;
- no retraction, priority, batch or event: each corrupts memory or changes the order of firing;
- attributes have numbers for names, so none has one that its own fact of a session has (id, sid, $s): a
  test of that fact, which lacks what it is compared with, reads what was never written; facts of one id count as one;
- a second rule matches every fact: deleting the session of a fact that matched nothing corrupts memory;
- numbers are written in digits alone: it reads no exponents;
- the session is deleted after each stratum: about a thousand live ones are the limit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import count
from math import prod
from threading import Lock
from typing import Any

import durable_rules_engine
from attrs import define, field, frozen

from mqclause.executors.operations import CarriedValues, LoweredRuleset, Run
from mqclause.executors.plain import PlainRun, build_first_scope, run_steps
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.nodes import get_literal_value, strip_parentheses
from mqclause.model.diagnostics import MqclauseError
from mqclause.rulebook.rule import Expression

BEYOND = json.dumps({"$gt": {"place": {"$m": "limit"}}})

FACT = "subject"
"""The attribute that every fact has: which subject it is about."""

MATCHED = "rule"
_MATCHED_KEY = f'"{MATCHED}"'
ALREADY_ASSERTED = 2
"""The code of an assertion that durable_rules takes for one made before."""

_json = json.JSONEncoder(check_circular=False).encode
_quoted = json.encoder.encode_basestring_ascii
_decoded = json.JSONDecoder().decode
_lock = Lock()
if hasattr(os, "register_at_fork"):
    # A process that is forked while a thread is within would wait for that thread, which it does not have.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_sessions = count(1)


def _has_plain_digits(number: float) -> bool:
    """Return whether JSON writes a number without an exponent, which durable_rules does not read."""
    return "e" not in repr(number)


def _digits(number: float) -> str:
    if _has_plain_digits(number):
        return _json(number)
    digits = format(Decimal(repr(number)), "f")
    return digits if "." in digits else f"{digits}.0"


_WRITTEN: Mapping[type, Callable[[Any], str]] = {
    str: _quoted,
    bool: {False: "false", True: "true"}.__getitem__,
    int: int.__repr__,
    float: _digits,
}

_TESTS: dict[type[Expression], str] = {
    nodes.EQ: "", nodes.NEQ: "$neq", nodes.LT: "$lt", nodes.LTE: "$lte", nodes.GT: "$gt", nodes.GTE: "$gte",
}  # fmt: skip
OPPOSITE: dict[type[Expression], type[Expression]] = {
    nodes.EQ: nodes.NEQ, nodes.NEQ: nodes.EQ, nodes.LT: nodes.GTE, nodes.GTE: nodes.LT, nodes.GT: nodes.LTE,
    nodes.LTE: nodes.GT,
}  # fmt: skip

MOST_ALTERNATIVES = 256
"""A condition that can be met in more ways is worked out before: durable_rules tries each of them on every fact."""


@frozen
class ChainingExecutor:
    """The steps of a ruleset run by forward chaining: one stratum at a time runs in the process."""

    steps: LoweredRuleset
    _patterns: dict[int, Pattern] = field(factory=dict, init=False, repr=False)

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = True,
    ) -> Run:
        """Run the rules by forward chaining. Raises ChainingError if durable_rules misbehaves."""
        scope = build_first_scope(self.steps, situation, among, carried, earlier)
        return run_steps(_Strata(list(among), scope, patterns=self._patterns), self.steps, traced)


class ChainingError(MqclauseError, RuntimeError):
    """durable_rules did not do what it was asked: an error of ours or of the library, never of the input."""


def _count_alternatives(form: Mapping[str, Any]) -> int:
    """Count the ways in which a condition can be met: one for each choice among the parts of its ``$or``."""
    if "$or" in form:
        return sum(map(_count_alternatives, form["$or"]))
    return prod(map(_count_alternatives, form["$and"])) if "$and" in form else 1


class Network:
    """One condition, as durable_rules holds it. ``condition`` is in the library's own JSON form."""

    def __init__(self, condition: str) -> None:
        every_fact = {"all": [{"m": {"$ex": {FACT: 1}}}]}
        form = json.loads(condition)
        definition = {MATCHED: {"all": [{"m": form}]}, "every": every_fact}
        # A fact fires the rule once for each alternative that it matches, and the other rule once.
        self._budget = _count_alternatives(form) + 3
        self._handle = durable_rules_engine.create_ruleset(f"network{next(_sessions)}", json.dumps(definition))

    def matches(self, facts: Iterable[Mapping[str, Any]]) -> set[int]:
        """Assert each fact in a fresh session; yield the ``subject`` of those for which the condition's rule fired.

        Every attribute that the condition names is present in every fact. Raises ChainingError.
        """
        with _lock:
            session = str(next(_sessions))
            fired: set[int] = set()
            live = False
            try:
                for fact in facts:
                    self._assert({**fact, "sid": session}, fired)
                    live = True
            finally:
                if live:
                    durable_rules_engine.delete_state(self._handle, session)
            return fired

    def _assert(self, fact: Mapping[str, Any], fired: set[int]) -> None:
        """Asserts one fact, runs what fires until nothing does, and adds the subjects that matched to ``fired``."""
        code, state = durable_rules_engine.assert_fact(self._handle, _encoded(fact))
        if code == ALREADY_ASSERTED:
            # It knows a fact by 32 bits of a hash, which two facts can share; one more attribute tells them apart.
            code, state = durable_rules_engine.assert_fact(self._handle, _encoded({**fact, "again": 1}))
        if code:
            raise ChainingError(f"durable_rules refused a fact with code {code}: {fact}")
        started = durable_rules_engine.start_action_for_state(self._handle, state)
        firing = started[1] if started else None
        budget = self._budget
        while firing:
            budget -= 1
            if not budget:
                raise ChainingError(f"durable_rules fired without end on {fact}")
            # Most facts fire the other rule alone, which is not worth decoding.
            match = _decoded(firing).get(MATCHED) if _MATCHED_KEY in firing else None
            if match is not None:
                fired.add(match["m"][FACT])
            firing = durable_rules_engine.complete_and_start_action(self._handle, state)


@cache
def get_network(condition: str) -> Network:
    """Return the network of a condition; made once, as the library never gives its memory back."""
    return Network(condition)


@frozen
class Pattern:
    """A condition as durable_rules matches it: its JSON form, and what gives the values of the attributes in it."""

    form: str
    attributes: Mapping[str, Expression]

    @classmethod
    def of(cls, condition: Expression) -> Pattern:
        """Return the pattern of a checked condition."""
        builder = _PatternBuilder()
        form = builder.form(condition, True)
        if _count_alternatives(form) > MOST_ALTERNATIVES:
            builder = _PatternBuilder()
            form = {builder.attribute(condition): True}
        return cls(json.dumps(form, sort_keys=True), builder.attributes)

    def fact(self, subject: int, scope: Scope) -> dict[str, Any]:
        """Return the fact to assert about ``subject``: every attribute that the condition names."""
        return {FACT: subject, **{name: evaluate(tree, scope) for name, tree in self.attributes.items()}}


@define
class _Strata(PlainRun):
    """A walk in which durable_rules matches; ``patterns`` has each condition as it matches it, by the tree's id."""

    patterns: dict[int, Pattern] = field(factory=dict, kw_only=True)

    def pattern(self, condition: Expression) -> Pattern:
        if id(condition) not in self.patterns:
            self.patterns[id(condition)] = Pattern.of(condition)
        return self.patterns[id(condition)]

    def holds(self, condition: Expression) -> bool:
        pattern = self.pattern(condition)
        return bool(get_network(pattern.form).matches([pattern.fact(0, self.scope)]))

    def those(self, subjects: Sequence[Any], condition: Expression) -> list[Any]:
        pattern = self.pattern(condition)
        return _fired(
            subjects, pattern.form, [pattern.fact(at, self.scope.about(each)) for at, each in enumerate(subjects)]
        )

    def beyond(self, subjects: Sequence[Any], places: Sequence[int], limit: int) -> list[Any]:
        return _fired(subjects, BEYOND, [{FACT: at, "place": place, "limit": limit} for at, place in enumerate(places)])


def _fired(subjects: Sequence[Any], form: str, facts: Sequence[Mapping[str, Any]]) -> list[Any]:
    fired = get_network(form).matches(facts)
    return [each for at, each in enumerate(subjects) if at in fired]


def _encoded(fact: Mapping[str, Any]) -> str:
    """A fact as JSON, every number in digits alone; in less time than json takes, which makes an encoder for each."""
    pairs = [f"{_quoted(name)}: {_WRITTEN.get(type(value), _json)(value)}" for name, value in fact.items()]
    return f"{{{', '.join(pairs)}}}"


class _PatternBuilder:
    """Turns an expression into tests of one fact's attributes; NOT is pushed down to the single tests.

    What durable_rules cannot test itself (arithmetic, CASE, lists) becomes an attribute of its own.
    """

    def __init__(self) -> None:
        self.attributes: dict[str, Expression] = {}
        self._names: dict[Expression, str] = {}

    def form(self, tree: Expression, positive: bool) -> dict[str, Any]:
        tree = strip_parentheses(tree)
        match tree:
            case nodes.Not():
                return self.form(tree.this, not positive)
            case nodes.And() | nodes.Or():
                parts = [self.form(tree.this, positive), self.form(tree.expression, positive)]
                return {"$and" if isinstance(tree, nodes.And) == positive else "$or": parts}
            case nodes.In():
                equal = [nodes.EQ(tree.this, value) for value in tree.expressions]
                forms = [self.form(each, positive) for each in equal]
                return forms[0] if len(forms) == 1 else {"$or" if positive else "$and": forms}
        if isinstance(tree, nodes.COMPARISONS):
            kind = type(tree)
            return self.comparison(_TESTS[kind if positive else OPPOSITE[kind]], tree)
        return {self.attribute(tree): positive}

    def comparison(self, operator: str, tree: nodes.Binary) -> dict[str, Any]:
        left, right = self.attribute(tree.this), strip_parentheses(tree.expression)
        value: Any = get_literal_value(right) if isinstance(right, nodes.Literal) else None
        if value is None or (isinstance(value, float) and not _has_plain_digits(value)):
            value = {"$m": self.attribute(right)}
        return {operator: {left: value}} if operator else {left: value}

    def attribute(self, tree: Expression) -> str:
        tree = strip_parentheses(tree)
        # Numbered: a name of a rule's could be that of an attribute which the library or the adapter gives a fact.
        name = self._names.setdefault(tree, f"a{len(self._names)}")
        self.attributes[name] = tree
        return name
