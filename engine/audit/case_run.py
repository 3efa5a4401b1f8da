"""Run the cases of rules: which fail, how much of each rule they reach, and which of its mutants they notice."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextvars import ContextVar
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar

from attrs import asdict, frozen

from mqclause.audit.accounts import find_ruleset
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import ExecutorName, LoweredRuleset, Operation, Rank, StepResult, list_expressions
from mqclause.executors.plain import WALK, PlainRun
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.parser import infer_type
from mqclause.language.vocabulary import BOOLEAN, RESERVED_PREFIX, Vocabulary
from mqclause.model.diagnostics import quote_value, suggest_word
from mqclause.model.readers.encodings import find_link_fault
from mqclause.rulebook.case_files import CaseError, CaseFile, get_cases_folder
from mqclause.rulebook.mutants import generate_mutants
from mqclause.rulebook.rule import Conclude, Expression, ReadingError, RuleError
from mqclause.rulebook.rules import Rules, get_rule_id
from mqclause.testing.case_kinds import RunnableCase
from mqclause.testing.case_runner import build_cases, find_noticing_cases

TaskT = TypeVar("TaskT")
FoundT = TypeVar("FoundT")

ENDS_OTHERWISE = (LookupError, TypeError, RuntimeError, ValueError)
"""What a case may end with whose rules say nothing of what it asks."""


@frozen
class CaseResult:
    """What came of a case: its file, its name, the rule and the sentences that it is about, and what is ``wrong``.

    ``wrong`` has a line for each difference, like ``permitted: expected ['QM2'], got ['QM3']``; nothing if it passed.
    """

    file: str
    name: str
    rule: str
    clauses: tuple[str, ...]
    wrong: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """The folder of the rule."""
        return self.rule.partition(".")[0]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "file": self.file,
            "name": self.name,
            "rule": self.rule,
            "clauses": list(self.clauses),
            "passed": not self.wrong,
            "wrong": list(self.wrong),
        }


def find_case_files(names: Iterable[str] = (), folder: Path | None = None) -> tuple[Path, ...]:
    """Find the case files of documents and rules by their names, of all where none is named.

    They are in a ``folder``, or come with the project. Raises ReadingError for a name of which there is no case.
    """
    cases = folder or get_cases_folder()
    paths = sorted(cases.glob("*/*.toml"))
    for path in paths if folder else ():
        if fault := find_link_fault(path, cases):
            raise ReadingError(f"{path}: {fault}")
    if not paths:
        raise ReadingError(f"{cases}: there are no case files; allowed: a folder of DOCUMENT/RULE_….toml")
    known = {path: get_rule_id(f"{path.parent.name}/{path.name}") for path in paths}
    found = dict[Path, None]()
    for name in names:
        named = [path for path, rule in known.items() if name in (rule, path.parent.name)]
        if not named:
            near = suggest_word(name, [*known.values(), *(path.parent.name for path in paths)])
            raise ReadingError(f"{quote_value(name)} is no document and no rule that has cases{near}")
        found |= dict.fromkeys(named)
    return tuple(found) if names else tuple(paths)


def read_file_cases(path: Path) -> tuple[RunnableCase, ...]:
    """Read the cases in a file. Raises CaseError, also for a folder that is not named like a document."""
    if path.parent.name not in DOCUMENTS:
        raise CaseError(f"{path}: {path.parent.name} is no document{suggest_word(path.parent.name, DOCUMENTS)}")
    return build_cases(CaseFile.read(path))


def _run_case(case: RunnableCase, rules: Rules, executor: ExecutorName = "compiled") -> CaseResult:
    """Run one case and tell what came of it."""
    try:
        wrong = tuple(case.faults(rules, executor))
    except ENDS_OTHERWISE as error:
        wrong = (f"ends with {type(error).__name__}: {error}",)
    return CaseResult(str(case.file), case.name, case.rule, case.clauses, wrong)


def run_case_file(rules: Rules, path: Path, executor: ExecutorName = "compiled") -> tuple[CaseResult, ...]:
    """Run the cases in a file. Raises CaseError."""
    return tuple(_run_case(case, rules, executor) for case in read_file_cases(path))


def run_case_files(rules: Rules, paths: Sequence[Path], processes: int = 1) -> Iterator[tuple[CaseResult, ...]]:
    """Run the cases of files, several files at a time where there are several ``processes``; yield the results by file.

    Raises CaseError.
    """
    yield from run_in_processes(partial(run_case_file, rules), paths, processes)


def run_in_processes(do: Callable[[TaskT], FoundT], tasks: Sequence[TaskT], processes: int) -> Iterator[FoundT]:
    """Do something of each task, in so many processes, and yield what came of it in the order of the tasks."""
    if processes <= 1 or len(tasks) <= 1:
        yield from map(do, tasks)
        return
    # Children have all that is loaded here; where there are none like that, each loads its own.
    fork = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    with ProcessPoolExecutor(processes, multiprocessing.get_context(fork)) as pool:
        yield from pool.map(do, tasks)


def count_processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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


_seen: ContextVar[set[Point]] = ContextVar("seen")
"""The branches that were taken so far."""


class ObservedRun(PlainRun):
    """A run that keeps which branch of each condition was taken."""

    rule = ""

    def step(self, step: Operation) -> StepResult | None:
        """Execute one step, and keep whether it applied."""
        self.rule = step.rule.id
        done = super().step(step)
        _seen.get().add((self.rule, "", done is not None))
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
        if text := _write_condition(tree):
            _seen.get().add((self.rule, text, holds))


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


def _list_branches(tree: Expression) -> Iterator[Expression]:
    """List the conditions of an expression that each hold or fail by themselves. Terms are not looked into."""
    match tree:
        case nodes.Paren() | nodes.Not():
            yield from _list_branches(tree.this)
        case nodes.And() | nodes.Or():
            yield from _list_branches(tree.this)
            yield from _list_branches(tree.expression)
        case nodes.Case():
            for branch in tree.branches:
                yield from _list_branches(branch.when)
                yield from _list_branches(branch.then)
            yield from _list_branches(tree.default)
        case nodes.Column() | nodes.ArrayContains():
            yield tree
        case _ if isinstance(tree, nodes.PREDICATES):
            yield tree


def _write_condition(tree: Expression) -> str:
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
    seen = set[Point]()
    walking, seeing = WALK.set(ObservedRun), _seen.set(seen)
    try:
        return run_case_file(rules, path, "plain"), seen
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
    for branch in (each for tree in _list_stated(step) for each in _list_branches(tree)):
        text = _write_condition(branch)
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


MutantStatus = Literal["killed", "not loaded", "equivalent", "survived"]

REMOVED = "removed"


@frozen
class MutantResult:
    """What became of a rule with one thing in it turned round, or without the rule: the ``cases`` that noticed it.

    It is ``killed`` by a case, it is ``not loaded`` because the rules would contradict one another, the rule's case
    file says that it is ``equivalent``, or it ``survived``.
    """

    rule: str
    change: str
    status: MutantStatus
    cases: tuple[str, ...] = ()

    @property
    def is_unmet(self) -> bool:
        """Whether every case passes with the mutant as it does with the rule."""
        return self.status == "survived"

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return asdict(self)


def try_mutants(
    rules: Rules, paths: Sequence[Path], processes: int = 1, most_cases: int | None = None
) -> Iterator[tuple[MutantResult, ...]]:
    """Turn round each rule that a case file is about, and yield by file which cases noticed each change.

    Only the first ``most_cases`` of those that notice are looked for. Raises CaseError, ReadingError and RuleError.
    """
    yield from run_in_processes(partial(try_file_mutants, rules, most_cases=most_cases), paths, processes)


def try_file_mutants(rules: Rules, path: Path, most_cases: int | None = None) -> tuple[MutantResult, ...]:
    """Turn round the rule that one case file is about. Raises CaseError, ReadingError and RuleError."""
    rule_id = get_rule_id(f"{path.parent.name}/{path.name}")
    cases = read_file_cases(path)
    if not any(get_rule_id(each) == rule_id for each in rules.files):
        raise ReadingError(f"{path}: there is no rule {rule_id}")
    original, equivalent = find_ruleset(rules, rule_id), CaseFile.read(path).equivalent
    changes: list[tuple[str, dict[str, str | None]]] = [(REMOVED, {rules.path(rule_id): None})]
    changes += [(each.change, {each.path: each.text}) for each in generate_mutants(rules, original, rule_id)]
    found = []
    for change, files in changes:
        try:
            spoilt = rules.with_files(files)
            spoilt.ruleset(original.about)
        except RuleError:
            found.append(MutantResult(rule_id, change, "not loaded"))
            continue
        noticing = find_noticing_cases(spoilt, cases, original)
        names = tuple(case.name for case in islice(noticing, most_cases))
        survived: MutantStatus = "equivalent" if change in equivalent else "survived"
        found.append(MutantResult(rule_id, change, "killed" if names else survived, names))
    return tuple(found)
