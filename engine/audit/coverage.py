"""Measure how much of each rule its cases reach: whether it applied, and each branch of its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

from attrs import asdict, define, field, frozen

from mqclause.audit.case_run import CaseResult, run_case_file, run_in_processes
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import LoweredRuleset, Operation, Rank, StepResult, list_expressions
from mqclause.executors.plain import WALK, PlainRun
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.parser import infer_type
from mqclause.language.vocabulary import BOOLEAN, RESERVED_PREFIX, Vocabulary
from mqclause.rulebook.rule import Conclude, Expression
from mqclause.rulebook.rules import Rules

Point = tuple[str, str, bool]
"""A branch: the rule, the condition as it is written, and whether it holds. The rule itself is the blank condition."""


@frozen
class RuleCoverage:
    """How many ``branches`` a rule has, and which are ``missed``: what no case has true, or false, in it."""

    rule: str
    branches: int
    missed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the coverage as JSON values."""
        return asdict(self)


@define
class _Seen:
    """The branches that were taken so far."""

    points: set[Point] = field(factory=set)


_seen: ContextVar[_Seen] = ContextVar("seen")


class ObservedRun(PlainRun):
    """A run that keeps which branch of each condition was taken."""

    rule = ""

    def step(self, step: Operation) -> StepResult | None:
        """Execute one step, and keep whether it applied."""
        self.rule = step.rule.id
        done = super().step(step)
        _seen.get().points.add((self.rule, "", done is not None))
        return done

    def holds(self, condition: Expression) -> bool:
        """Return whether a condition about the situation holds, and keep why."""
        return bool(self.value(condition, self.scope))

    def those(self, subjects: Sequence[Any], condition: Expression) -> list[Any]:
        """Return the subjects of which a condition holds, and keep why."""
        return [each for each in subjects if self.value(condition, self.scope.about(each))]

    def value(self, tree: Expression, scope: Scope) -> Any:
        """Return the value of an expression, and keep the branches on the way to it."""
        return _observed(tree, scope, self._keep)

    def _keep(self, tree: Expression, holds: bool) -> None:
        if text := write_condition(tree):
            _seen.get().points.add((self.rule, text, holds))


def _observed(tree: Expression, scope: Scope, keep: Callable[[Expression, bool], None]) -> Any:
    match tree:
        case nodes.Paren():
            return _observed(tree.this, scope, keep)
        case nodes.Not():
            return not _observed(tree.this, scope, keep)
        case nodes.And():
            return _observed(tree.this, scope, keep) and _observed(tree.expression, scope, keep)
        case nodes.Or():
            return _observed(tree.this, scope, keep) or _observed(tree.expression, scope, keep)
        case nodes.Case():
            for branch in tree.branches:
                if _observed(branch.when, scope, keep):
                    return _observed(branch.then, scope, keep)
            return _observed(tree.default, scope, keep)
    found = evaluate(tree, scope)
    if isinstance(found, bool):
        keep(tree, found)
    return found


def list_branches(tree: Expression) -> Iterator[Expression]:
    """List the conditions of an expression that each hold or fail by themselves. Terms are not looked into."""
    match tree:
        case nodes.Paren() | nodes.Not():
            yield from list_branches(tree.this)
        case nodes.And() | nodes.Or():
            yield from list_branches(tree.this)
            yield from list_branches(tree.expression)
        case nodes.Case():
            for branch in tree.branches:
                yield from list_branches(branch.when)
                yield from list_branches(branch.then)
            yield from list_branches(tree.default)
        case nodes.Column() | nodes.ArrayContains():
            yield tree
        case _ if isinstance(tree, nodes.PREDICATES):
            yield tree


def write_condition(tree: Expression) -> str:
    """Write a condition as rule files have it; blank for a constant, and for what the lowering adds."""
    known = _written.get(id(tree))
    if known is None or known[0] is not tree:
        names = [each.name for each in tree.find_all(nodes.Column)]
        text = tree.sql() if names and not any(each.startswith(RESERVED_PREFIX) for each in names) else ""
        known = _written[id(tree)] = tree, text
    return known[1]


_written: dict[int, tuple[Expression, str]] = {}
"""Trees live as long as their rules, and to compare two of them takes longer than to write one."""


def measure_coverage(
    rules: Rules, paths: Sequence[Path], processes: int = 1
) -> tuple[tuple[CaseResult, ...], tuple[RuleCoverage, ...]]:
    """Run the cases of files, and tell of each of their rules which branches no case takes. Raises CaseError."""
    results, points = list[CaseResult](), set[Point]()
    for found, taken in run_in_processes(partial(_observe_file, rules), paths, processes):
        results += found
        points |= taken
    asked = {each.rule for each in results}
    every = _every_branch(rules, {each.document for each in results})
    covered = []
    for rule, branches in every.items():
        if rule in asked:
            missed = (_missed(text, holds) for text, holds in branches if (rule, text, holds) not in points)
            covered.append(RuleCoverage(rule, len(branches), tuple(missed)))
    return tuple(results), tuple(covered)


def _observe_file(rules: Rules, path: Path) -> tuple[tuple[CaseResult, ...], set[Point]]:
    seen = _Seen()
    walking, seeing = WALK.set(ObservedRun), _seen.set(seen)
    try:
        return run_case_file(rules, path, "plain"), seen.points
    finally:
        WALK.reset(walking)
        _seen.reset(seeing)


def _every_branch(rules: Rules, documents: Iterable[str]) -> dict[str, dict[tuple[str, bool], None]]:
    """The branches of each rule, as each edition has it, under the readings in force."""
    found: dict[str, dict[tuple[str, bool], None]] = {}
    for name in sorted(documents, key=[*DOCUMENTS].index):
        for steps in (LoweredRuleset.of(each.ruleset(DOCUMENTS[name])) for each in rules.read_editions()):
            for step in steps.steps:
                found.setdefault(step.rule.id, {}).update(_branches_of(step, steps.vocabulary))
    return found


def _branches_of(step: Operation, vocabulary: Vocabulary) -> Iterator[tuple[tuple[str, bool], None]]:
    yield ("", True), None
    if step.when is not None:
        yield ("", False), None
    for branch in (each for tree in _list_stated(step) for each in list_branches(tree)):
        text = write_condition(branch)
        if text and infer_type(branch, vocabulary, per_subject=True) == BOOLEAN:
            yield (text, True), None
            yield (text, False), None


def _list_stated(step: Operation) -> Iterator[Expression]:
    """The expressions of a step that its rule states and that have a value: not the names by which a rank groups."""
    if isinstance(step, Rank):
        yield from (key.by for key in step.keys)
        yield from (tree for tree in (step.among, step.at_most, step.when) if tree is not None)
    elif isinstance(step.rule.action, Conclude):
        yield from () if step.when is None else (step.when,)
    else:
        yield from list_expressions(step)


def _missed(text: str, holds: bool) -> str:
    if not text:
        return f"no case in which it {'applies' if holds else 'does not apply'}"
    return f"no case has `{text}` {'true' if holds else 'false'} when the rule looks at it"
