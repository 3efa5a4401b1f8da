"""The three operations (Filter, Rank, Let), the lowering of rules to them, and the result of a run.

A **Filter** looks at each subject alone, a **Rank** compares subjects with one another, a **Let** gives facts values.
What several actions need besides (a condition that held, a conclusion that was asked for, the rule that failed the
call) become facts of their own, so that an executor has no case for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import starmap
from typing import Any, Literal, NamedTuple, Protocol

from attrs import frozen

from mqclause.documents import DESTINATION_TERMS
from mqclause.language import nodes
from mqclause.language.codegen import SourceNames, write_python
from mqclause.language.evaluator import Scope
from mqclause.language.nodes import MOST_LEVELS
from mqclause.language.vocabulary import BOOLEAN, RESERVED_PREFIX, TEXT, WHOLE, About, Vocabulary, Word, compute_floor
from mqclause.model.facts.workload import Destination, DestinationListing
from mqclause.rulebook.rule import (
    Action,
    Choose,
    Conclude,
    Condition,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Keep,
    OrderBy,
    Rule,
    Ruleset,
    SetAside,
    Settle,
    TakeBack,
)

FAILING_RULE, FAILING_CALL = f"{RESERVED_PREFIX}failing_rule", f"{RESERVED_PREFIX}failing_call"
"""Facts: the number of the rule that ends the call, from 1 (0: none does), and the call that returns its reason."""

SETTLING_RULE = f"{RESERVED_PREFIX}settling_rule"
"""A fact: the number of the rule that settled the answer, from 1 (0: none did yet)."""

FilterEffect = Literal["out", "aside", "back", "chosen"]


@frozen(eq=False)
class Filter:
    """Those ``where`` the condition holds get a ``fate``, each looked at alone.

    ``out``: they no longer remain. ``aside``: neither, but may be taken back. ``back``: of those set aside they
    remain again. ``chosen``: they alone remain and nothing more is decided of subjects; where nobody is, this one does
    nothing. ``last_first``: those chosen are listed the other way round, so that the one listed last is taken.
    """

    rule: Rule
    when: Expression | None
    where: Expression
    fate: FilterEffect
    last_first: bool = False


@frozen(eq=False)
class Rank:
    """The subjects that remain, ``among`` some of them, compared by ``keys``, the first deciding first.

    ``keep`` says who stays: the ``best`` (all equals), ``at_most`` so many of the best, or ``all``: then nobody falls
    and from here on they are listed in this order, equals as before. ``per`` names the attribute of a group that
    compares within itself (with ``best``). ``ties`` says who of several equals at the limit stays: those listed
    ``first``, or ``all``. ``counts`` names the attributes that the limit counts by: subjects alike in all of them are
    one, as good as the best of them. ``chooses`` says that the choice is then made; of equals the one listed first is
    taken or, with ``last_first``, the one listed last: they are listed the other way round.
    """

    rule: Rule
    when: Expression | None
    keys: tuple[Key, ...]
    keep: Literal["best", "at_most", "all"]
    among: Expression | None = None
    per: str | None = None
    at_most: Expression | None = None
    ties: Literal["first", "all"] = "first"
    counts: tuple[str, ...] = ()
    chooses: bool = False
    last_first: bool = False


@frozen(eq=False)
class Let:
    """Facts get values, in order: about the ``situation``, the ``chosen`` subject (who remains first) or ``every`` one.

    Where nobody remains, nothing is derived of the chosen one and the step does not apply.
    """

    rule: Rule
    when: Expression | None
    of: Literal["situation", "chosen", "every"]
    values: tuple[Assignment, ...]


Operation = Filter | Rank | Let


@frozen(eq=False)
class Key:
    """A value by which subjects are compared: the lowest is best, or with ``descending`` the highest."""

    by: Expression
    descending: bool


@frozen(eq=False)
class Assignment:
    """A fact's new value; ``traced_as`` is its name in the trace, None if it is not in the trace."""

    name: str
    value: Expression
    traced_as: str | None


def name_fact(what: Literal["holds", "asked", "concluded"], rule_id: str) -> str:
    """Name a fact of a rule: that its condition holds or was not examined, its conclusion was asked for, or drawn."""
    return f"{RESERVED_PREFIX}{what}_{rule_id.replace('-', '__').replace('.', '_')}"


def _filter(fate: FilterEffect) -> Callable[[int, Rule, Eliminate | SetAside | TakeBack], Operation]:
    return lambda _, rule, action: Filter(rule, rule.when, action.where, fate)


def _keep(_: int, rule: Rule, action: Keep) -> Operation:
    key = Key(action.by, descending=action.best == "highest")
    if action.at_most is None:
        return Rank(rule, rule.when, (key,), "best", action.among, action.per)
    ties: Literal["first", "all"] = "all" if action.ties == "all" else "first"
    return Rank(rule, rule.when, (key,), "at_most", action.among, None, action.at_most, ties, action.counts)


def _choose(_: int, rule: Rule, action: Choose) -> Operation:
    last_first = action.ties == "last-listed"
    if action.where is not None:
        return Filter(rule, rule.when, action.where, "chosen", last_first)
    keys = tuple(Key(by, descending=False) for by in action.by)
    return Rank(rule, rule.when, keys, "best", chooses=True, last_first=last_first)


def _derive(_: int, rule: Rule, action: Derive) -> Operation:
    return Let(rule, rule.when, action.of, tuple(Assignment(name, tree, name) for name, tree in action.values))


def _holds(_: int, rule: Rule, action: Condition) -> Operation:
    return Let(rule, rule.when, "situation", (Assignment(name_fact("holds", rule.id), action.when, "holds"),))


def _conclude(_: int, rule: Rule, action: Conclude) -> Operation:
    concluded = nodes.Column(name_fact("concluded", rule.id))
    held: Iterator[Expression] = (nodes.Column(name_fact("holds", need)) for need in action.needs)
    needed = _all(list(held))
    known = nodes.Or(nodes.Column(action.fact), concluded)
    return Let(rule, rule.when, "situation", (
        Assignment(name_fact("asked", rule.id), nodes.TRUE, None),
        Assignment(name_fact("concluded", rule.id), needed, action.fact),
        Assignment(action.fact, known, None),
    ))  # fmt: skip


def _settle(number: int, rule: Rule, action: Settle) -> Operation:
    open_yet = nodes.And(build_zero_test(SETTLING_RULE), build_zero_test(FAILING_RULE))
    when = open_yet if rule.when is None else nodes.And(open_yet, nodes.Paren(rule.when))
    values = (Assignment(name, tree, name) for name, tree in action.values)
    return Let(rule, when, "situation", (
        *values, Assignment(SETTLING_RULE, nodes.build_value(number), None),
    ))  # fmt: skip


def build_zero_test(fact: str) -> Expression:
    """Build the test whether a fact that is a number is 0: no rule has derived it."""
    return nodes.EQ(nodes.Column(fact), nodes.build_value(0))


def _fail_with(number: int, rule: Rule, action: FailWith) -> Operation:
    nothing_failed = build_zero_test(FAILING_RULE)
    when = nothing_failed if rule.when is None else nodes.And(nothing_failed, nodes.Paren(rule.when))
    return Let(rule, when, "situation", (
        Assignment(FAILING_RULE, nodes.build_value(number), None),
        Assignment(FAILING_CALL, action.call, None),
    ))  # fmt: skip


def _all(trees: Sequence[Expression]) -> Expression:
    """That each of them holds; of very many halved again and again, for no language takes so many brackets."""
    if len(trees) <= MOST_LEVELS:
        return reduce(nodes.And, trees)
    half = len(trees) // 2
    return nodes.And(_all(trees[:half]), _all(trees[half:]))


_LOWERINGS: dict[type, Callable[[int, Rule, Any], Operation]] = {
    Eliminate: _filter("out"),
    SetAside: _filter("aside"),
    TakeBack: _filter("back"),
    Keep: _keep,
    Choose: _choose,
    OrderBy: lambda _, rule, action: Rank(rule, rule.when, tuple(starmap(Key, action.by)), "all"),
    Derive: _derive,
    Settle: _settle,
    Condition: _holds,
    Conclude: _conclude,
    FailWith: _fail_with,
}

ExecutorName = Literal["compiled", "chaining", "plain"]

CarriedValues = Mapping[Any, Any]
"""What is carried from choice to choice: by the key of a subject, a tuple of values. See rulebook.declaration."""

Trace = list[Any]
"""For each step, in order: what it did, as the fields of Applied, or None if it did not apply."""


@frozen(eq=False)
class LoweredRuleset:
    """A ruleset as steps, one for each rule in order; ``vocabulary`` has the facts that the lowering added.

    ``hands_on`` are the facts that the document after this one sees, as expressions over what the last step left.
    """

    ruleset: Ruleset
    vocabulary: Vocabulary
    steps: tuple[Operation, ...]
    hands_on: Mapping[str, Expression]

    @classmethod
    def of(cls, ruleset: Ruleset, after: Ruleset | None = None) -> LoweredRuleset:
        """Lower every rule of ``ruleset``, which ``after`` follows: once, whatever editions and readings share it."""
        return _lower(ruleset, after)

    @classmethod
    def course(cls, rulesets: Sequence[Ruleset]) -> tuple[LoweredRuleset, ...]:
        """Return the steps of rulesets that run one after the other."""
        return tuple(cls.of(each, after) for each, after in zip(rulesets, [*rulesets[1:], None], strict=True))

    def derived(self, of: str) -> tuple[str, ...]:
        """Return the facts of one kind that rules derive, without those that the lowering added."""
        lets = (step for step in self.steps if isinstance(step, Let) and step.of == of)
        names = (each.name for step in lets for each in step.values)
        known = self.ruleset.vocabulary.words
        return tuple(dict.fromkeys(name for name in names if name in known))

    def expressions(self) -> Iterator[Expression]:
        """Return every expression of every step."""
        return (tree for step in self.steps for tree in list_expressions(step))


@lru_cache(maxsize=256)
def _lower(ruleset: Ruleset, after: Ruleset | None) -> LoweredRuleset:
    steps = tuple(_LOWERINGS[type(rule.action)](at, rule, rule.action) for at, rule in enumerate(ruleset.rules, 1))
    words = ruleset.vocabulary.with_words(*_added(ruleset))
    return LoweredRuleset(ruleset, words, steps, after.sees if after else {})


def list_expressions(step: Operation) -> Iterator[Expression]:
    """List every expression of a step."""
    match step:
        case Filter():
            yield step.where
        case Rank():
            yield from (key.by for key in step.keys)
            yield from (tree for tree in (step.among, step.at_most) if tree is not None)
            yield from map(nodes.Column, (*step.counts, *([step.per] if step.per is not None else [])))
        case Let():
            yield from (each.value for each in step.values)
    if step.when is not None:
        yield step.when


@lru_cache(maxsize=64)
def build_listing(ruleset: Ruleset) -> DestinationListing:
    """Build the terms and notices of the workload rules that are about a destination as it is listed."""
    names = SourceNames(ruleset.vocabulary)
    watched = []
    for notice in ruleset.notices:
        values = ", ".join(names.of(name) for name in notice.attributes)
        watched.append(f"({values},) if {write_python(notice.where, names)} else None")
    said = (
        f"{names.constant(key)}: {write_python(nodes.Column(term), names)}" for key, term in DESTINATION_TERMS.items()
    )
    return DestinationListing(
        compile_expression(nodes.Column("kept_queue"), ruleset.vocabulary, "s"),
        compile_term(ruleset, "own_alias"),
        compile_term(ruleset, "own_definition_followed"),
        compile_term(ruleset, "on_each_receiver")(Destination()),
        compile_term(ruleset, "lends"),
        _function("d", f"{{{', '.join(said)}}}", names),
        _function("d", f"({''.join(f'{each}, ' for each in watched)})", names),
        tuple(_write_listing(ruleset)),
    )


def _write_listing(ruleset: Ruleset) -> Iterator[tuple[object, ...]]:
    """The terms and notices of a listing, each term written out, with the values in it."""
    names = SourceNames(ruleset.vocabulary)
    terms = ("kept_queue", "own_alias", "own_definition_followed", "on_each_receiver", "lends")
    yield tuple(write_python(nodes.Column(term), names) for term in (*terms, *DESTINATION_TERMS.values()))
    yield tuple((notice.attributes, write_python(notice.where, names)) for notice in ruleset.notices)
    yield names.values


def compile_term(ruleset: Ruleset, term: str, of: About = "subject") -> Callable[[Any], Any]:
    """Compile a term to a function of one subject, or of the situation, also where a ruleset chooses among none."""
    letter: Literal["s", "d"] = "d" if of == "subject" and ruleset.about.subject is not None else "s"
    return compile_expression(nodes.Column(term), ruleset.vocabulary.before, letter)


def compile_expression(
    tree: nodes.Expression, vocabulary: Vocabulary, of: Literal["s", "d", "s, d"]
) -> Callable[..., Any]:
    """Compile an expression without facts and counts to a function of a situation (s), of a subject (d), or of both."""
    names = SourceNames(vocabulary)
    return _function(of, write_python(tree, names), names)


class StepResult(NamedTuple):
    """The effect of one step: who fell (out, or set aside), who was taken back, how many remain, what it derived."""

    fallen: Sequence[Any]
    taken_back: Sequence[Any]
    remaining: int
    derived: Mapping[str, Any] | None


class Failure(NamedTuple):
    """The place of the rule that ends the call, the reason's MQRC name, and the MQI call that returns it."""

    rule: int
    reason: str
    call: str


class Run(NamedTuple):
    """The outcome of one ruleset on one situation.

    ``remaining`` in listing order; ``chosen`` and ``every`` are attributes derived for the chosen subject and for
    every one (None: not derived); ``facts`` are derived about the situation; ``hands_on`` is what the document after
    this one sees. ``saw`` holds what each step saw, where the executor keeps it.
    """

    remaining: Sequence[Any]
    failure: Failure | None
    chosen: Mapping[str, Any]
    every: Mapping[str, Any]
    facts: Mapping[str, Any]
    hands_on: Mapping[str, Any]
    trace: Trace | None = None
    saw: Sequence[Scope] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # What a step saw is found again from the trace.
        return Run, tuple(self._replace(saw=None))

    def is_same_result(self, other: Run) -> bool:
        """Return whether both say the same, however they came to it and in whatever sequences they hold it."""
        return self._said() == other._said()

    def _said(self) -> tuple[Any, ...]:
        did = [each and (list(each[0]), list(each[1]), *each[2:]) for each in self.trace or ()]
        facts = (self.chosen, self.every, self.facts, self.hands_on)
        return list(self.remaining), self.failure, *map(dict, facts), self.trace is None, did


class Executor(Protocol):
    """An executor of the steps of a ruleset. Safe to share between threads."""

    @property
    def steps(self) -> LoweredRuleset:
        """The steps that it runs."""
        ...

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = ...,
        traced: bool = ...,
    ) -> Run:
        """Run the steps on the candidates ``among``; ``earlier`` are facts of the document before."""
        ...


def build_failure(steps: LoweredRuleset, rule: int, call: str) -> Failure | None:
    """Build the failure that the facts of a run tell: the number of the rule from 1, and the call."""
    if not rule:
        return None
    action = steps.ruleset.rules[rule - 1].action
    assert isinstance(action, FailWith)  # noqa: S101 - no other action sets these facts
    return Failure(rule - 1, action.reason, call)


def find_failure(steps: LoweredRuleset, scope: Scope) -> Failure | None:
    """Find the failure of a call in the facts at the end of a run; None if no rule failed the call."""
    return build_failure(steps, scope.facts.get(FAILING_RULE, 0), scope.facts.get(FAILING_CALL, ""))


def _added(ruleset: Ruleset) -> Iterator[Word]:
    """The facts that the lowering adds."""
    for rule in ruleset.rules:
        match rule.action:
            case Condition():
                yield Word(name_fact("holds", rule.id), BOOLEAN, "situation", is_derived=True, blank=True)
            case Conclude():
                yield Word(name_fact("asked", rule.id), BOOLEAN, "situation", is_derived=True)
                yield Word(name_fact("concluded", rule.id), BOOLEAN, "situation", is_derived=True)
    settles = _any(ruleset.rules, Settle)
    if settles:
        yield Word(SETTLING_RULE, WHOLE, "situation", is_derived=True)
    if settles or _any(ruleset.rules, FailWith):
        yield Word(FAILING_RULE, WHOLE, "situation", is_derived=True)
        yield Word(FAILING_CALL, TEXT, "situation", is_derived=True)


def _any(rules: Iterable[Rule], kind: type[Action]) -> bool:
    return any(isinstance(rule.action, kind) for rule in rules)


def _function(of: str, source: str, names: SourceNames) -> Callable[..., Any]:
    code = names.code(f"lambda {of}: {source}", "eval")
    made: Callable[..., Any] = eval(code, {"float": float, "floor": compute_floor, "__builtins__": {}})  # noqa: S307 - no text of a file
    return made
