"""Steps: every action of a rule lowered to one of three kinds. Executors know these kinds and nothing of actions.

A **Filter** looks at each subject alone, a **Rank** compares subjects with one another, a **Let** gives facts values.
What several actions need besides (a condition that held, a conclusion that was asked for, the rule that failed the
call) become facts of their own, so that an executor has no case for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Literal

from attrs import frozen
from sqlglot import exp

from mqclause.language.parse import DEEPEST
from mqclause.language.vocabulary import BOOLEAN, OF_OURS, TEXT, WHOLE, Vocabulary, Word
from mqclause.rulebook.rule import (
    Action,
    Choose,
    Conclude,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Holds,
    Keep,
    OrderBy,
    Rule,
    Ruleset,
    SetAside,
    Settle,
    TakeBack,
)

FAILING_RULE, FAILING_CALL = f"{OF_OURS}failing_rule", f"{OF_OURS}failing_call"
"""Facts: the number of the rule that ends the call, from 1 (0: none does), and the call that returns its reason."""

SETTLING_RULE = f"{OF_OURS}settling_rule"
"""A fact: the number of the rule that settled the answer, from 1 (0: none did yet)."""

FateWord = Literal["out", "aside", "back", "chosen"]


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
    fate: FateWord
    last_first: bool = False


@frozen(eq=False)
class Key:
    """What subjects are compared by: the lowest value is best, or with ``descending`` the highest."""

    by: Expression
    descending: bool


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
class Assignment:
    """A fact's new value; ``told`` is the name under which the trace tells it, None if it does not."""

    name: str
    value: Expression
    told: str | None


@frozen(eq=False)
class Let:
    """Facts get values, in order: about the ``situation``, the ``chosen`` subject (who remains first) or ``every`` one.

    Where nobody remains, nothing is derived of the chosen one and the step does not apply.
    """

    rule: Rule
    when: Expression | None
    of: Literal["situation", "chosen", "every"]
    values: tuple[Assignment, ...]


Step = Filter | Rank | Let


@frozen(eq=False)
class Steps:
    """A ruleset as steps, one for each rule in order; ``vocabulary`` has the facts that the lowering added.

    ``hands_on`` are the facts that the document after this one sees, as expressions over what the last step left.
    """

    ruleset: Ruleset
    vocabulary: Vocabulary
    steps: tuple[Step, ...]
    hands_on: Mapping[str, Expression]

    @classmethod
    def of(cls, ruleset: Ruleset, after: Ruleset | None = None) -> Steps:
        """Lowers every rule of ``ruleset``, which ``after`` follows."""
        steps = tuple(_lowered(number, rule) for number, rule in enumerate(ruleset.rules, 1))
        return cls(ruleset, ruleset.vocabulary.with_words(*_added(ruleset)), steps, after.sees if after else {})

    @classmethod
    def course(cls, rulesets: Sequence[Ruleset]) -> tuple[Steps, ...]:
        """The steps of rulesets that run one after the other."""
        return tuple(cls.of(each, after) for each, after in zip(rulesets, [*rulesets[1:], None], strict=True))

    def derived(self, of: str) -> tuple[str, ...]:
        """The facts of one kind that rules derive, without those that the lowering added."""
        lets = (step for step in self.steps if isinstance(step, Let) and step.of == of)
        names = (each.name for step in lets for each in step.values)
        known = self.ruleset.vocabulary.words
        return tuple(dict.fromkeys(name for name in names if name in known))

    def expressions(self) -> Iterator[Expression]:
        """Every expression of every step."""
        return (tree for step in self.steps for tree in expressions_of(step))


def expressions_of(step: Step) -> Iterator[Expression]:
    """Every expression of a step."""
    match step:
        case Filter():
            yield step.where
        case Rank():
            yield from (key.by for key in step.keys)
            yield from (tree for tree in (step.among, step.at_most) if tree is not None)
            yield from map(exp.column, (*step.counts, *([step.per] if step.per is not None else [])))
        case Let():
            yield from (each.value for each in step.values)
    if step.when is not None:
        yield step.when


def holds_fact(rule_id: str) -> str:
    """The fact that a condition holds, or was not examined."""
    return f"{OF_OURS}holds_{_identifier(rule_id)}"


def asked_fact(rule_id: str) -> str:
    """The fact that a conclusion was asked for."""
    return f"{OF_OURS}asked_{_identifier(rule_id)}"


def concluded_fact(rule_id: str) -> str:
    """The fact that this rule drew its conclusion."""
    return f"{OF_OURS}concluded_{_identifier(rule_id)}"


def _identifier(rule_id: str) -> str:
    return rule_id.replace("-", "__").replace(".", "_")


def _lowered(number: int, rule: Rule) -> Step:
    return _LOWERINGS[type(rule.action)](number, rule, rule.action)


def _filter(fate: FateWord) -> Callable[[int, Rule, Eliminate | SetAside | TakeBack], Step]:
    return lambda _, rule, action: Filter(rule, rule.when, action.where, fate)


def _keep(_: int, rule: Rule, action: Keep) -> Step:
    key = Key(action.by, descending=action.best == "highest")
    if action.at_most is None:
        return Rank(rule, rule.when, (key,), "best", action.among, action.per)
    ties: Literal["first", "all"] = "all" if action.ties == "all" else "first"
    return Rank(rule, rule.when, (key,), "at_most", action.among, None, action.at_most, ties, action.counts)


def _choose(_: int, rule: Rule, action: Choose) -> Step:
    last_first = action.ties == "last-listed"
    if action.where is not None:
        return Filter(rule, rule.when, action.where, "chosen", last_first)
    keys = tuple(Key(by, descending=False) for by in action.by)
    return Rank(rule, rule.when, keys, "best", chooses=True, last_first=last_first)


def _order_by(_: int, rule: Rule, action: OrderBy) -> Step:
    return Rank(rule, rule.when, tuple(Key(by, descending) for by, descending in action.by), "all")


def _derive(_: int, rule: Rule, action: Derive) -> Step:
    return Let(rule, rule.when, action.of, tuple(Assignment(name, tree, name) for name, tree in action.values))


def _holds(_: int, rule: Rule, action: Holds) -> Step:
    return Let(rule, rule.when, "situation", (Assignment(holds_fact(rule.id), action.when, "holds"),))


def _conclude(_: int, rule: Rule, action: Conclude) -> Step:
    concluded = exp.column(concluded_fact(rule.id))
    held: Iterator[Expression] = (exp.column(holds_fact(need)) for need in action.needs)
    needed = _all(list(held))
    known = exp.Or(this=exp.column(action.fact), expression=concluded.copy())
    return Let(rule, rule.when, "situation", (
        Assignment(asked_fact(rule.id), exp.true(), None),
        Assignment(concluded_fact(rule.id), needed, action.fact),
        Assignment(action.fact, known, None),
    ))  # fmt: skip


def _settle(number: int, rule: Rule, action: Settle) -> Step:
    open_yet = _and(_is_zero(SETTLING_RULE), _is_zero(FAILING_RULE))
    when = open_yet if rule.when is None else _and(open_yet, exp.paren(rule.when))
    values = (Assignment(name, tree, name) for name, tree in action.values)
    return Let(rule, when, "situation", (
        *values, Assignment(SETTLING_RULE, exp.Literal.number(number), None),
    ))  # fmt: skip


def _is_zero(fact: str) -> Expression:
    return exp.EQ(this=exp.column(fact), expression=exp.Literal.number(0))


def _fail_with(number: int, rule: Rule, action: FailWith) -> Step:
    nothing_failed = _is_zero(FAILING_RULE)
    when = nothing_failed if rule.when is None else _and(nothing_failed, exp.paren(rule.when))
    return Let(rule, when, "situation", (
        Assignment(FAILING_RULE, exp.Literal.number(number), None),
        Assignment(FAILING_CALL, action.call, None),
    ))  # fmt: skip


def _all(trees: Sequence[Expression]) -> Expression:
    """That each of them holds; of very many halved again and again, for no language takes so many brackets."""
    if len(trees) <= DEEPEST:
        return reduce(_and, trees)
    half = len(trees) // 2
    return _and(_all(trees[:half]), _all(trees[half:]))


def _and(one: Expression, other: Expression) -> Expression:
    return exp.And(this=one, expression=other)


_LOWERINGS: dict[type, Callable[[int, Rule, Any], Step]] = {
    Eliminate: _filter("out"),
    SetAside: _filter("aside"),
    TakeBack: _filter("back"),
    Keep: _keep,
    Choose: _choose,
    OrderBy: _order_by,
    Derive: _derive,
    Settle: _settle,
    Holds: _holds,
    Conclude: _conclude,
    FailWith: _fail_with,
}


def _added(ruleset: Ruleset) -> Iterator[Word]:
    """The facts that the lowering adds."""
    for rule in ruleset.rules:
        match rule.action:
            case Holds():
                yield Word(holds_fact(rule.id), BOOLEAN, "situation", is_derived=True, blank=True)
            case Conclude():
                yield Word(asked_fact(rule.id), BOOLEAN, "situation", is_derived=True)
                yield Word(concluded_fact(rule.id), BOOLEAN, "situation", is_derived=True)
    settles = _any(ruleset.rules, Settle)
    if settles:
        yield Word(SETTLING_RULE, WHOLE, "situation", is_derived=True)
    if settles or _any(ruleset.rules, FailWith):
        yield Word(FAILING_RULE, WHOLE, "situation", is_derived=True)
        yield Word(FAILING_CALL, TEXT, "situation", is_derived=True)


def _any(rules: Iterable[Rule], kind: type[Action]) -> bool:
    return any(isinstance(rule.action, kind) for rule in rules)
