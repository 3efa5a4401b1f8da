"""Turn rules round, one change at a time, and tell which cases notice each change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from attrs import asdict, frozen

from mqclause.audit.case_run import read_file_cases, run_in_processes
from mqclause.audit.sentences import find_ruleset
from mqclause.rulebook.case_files import CaseFile
from mqclause.rulebook.mutants import generate_mutants
from mqclause.rulebook.rule import ReadingError, RuleError, Ruleset
from mqclause.rulebook.rules import Rules, get_rule_id
from mqclause.testing.case_runner import find_noticing_cases

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
        """Whether no case knows the rule from it."""
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
    found = []
    for change, files in _changed_files(rules, original, rule_id):
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


def _changed_files(rules: Rules, original: Ruleset, rule_id: str) -> Iterable[tuple[str, dict[str, str | None]]]:
    yield REMOVED, {rules.path(rule_id): None}
    for mutant in generate_mutants(rules, original, rule_id):
        yield mutant.change, {mutant.path: mutant.text}
