"""Run the cases of rules, and tell of each that does not come out as it expects which sentence it is about."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from attrs import frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import ExecutorName
from mqclause.model.diagnostics import quote_value, suggest_word
from mqclause.rulebook.case_files import CaseError, CaseFile, get_cases_folder
from mqclause.rulebook.rule import ReadingError
from mqclause.rulebook.rules import Rules, get_rule_id
from mqclause.testing.case_kinds import RunnableCase
from mqclause.testing.case_runner import build_cases

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


def run_case(case: RunnableCase, rules: Rules, executor: ExecutorName = "compiled") -> CaseResult:
    """Run one case and tell what came of it."""
    try:
        wrong = tuple(case.faults(rules, executor))
    except ENDS_OTHERWISE as error:
        wrong = (f"ends with {type(error).__name__}: {error}",)
    return CaseResult(str(case.file), case.name, case.rule, case.clauses, wrong)


def run_case_file(rules: Rules, path: Path, executor: ExecutorName = "compiled") -> tuple[CaseResult, ...]:
    """Run the cases in a file. Raises CaseError."""
    return tuple(run_case(case, rules, executor) for case in read_file_cases(path))


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
