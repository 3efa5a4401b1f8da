"""The case files of every ruleset, and what kind of case each ruleset has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from spec_tests.support.case_file import Case, read_cases
from spec_tests.support.decision_cases import DecisionCase
from spec_tests.support.replay_cases import ReplayCase

HERE = Path(__file__).parents[1] / "clauses"
KINDS: Mapping[str, type[Case]] = {"workload": DecisionCase, "outcome": DecisionCase, "trigger": ReplayCase}
RULESETS = tuple(KINDS)


def case_files(rulesets: Iterable[str] = RULESETS) -> list[Path]:
    """Every case file, in the order of the rules."""
    return [path for name in rulesets for path in sorted((HERE / name).glob("*.toml"))]


def cases_of(path: Path, kind: type[Case] | None = None) -> Iterator[Case]:
    """The cases of one file, of the kind that its folder has. Raises CaseError as read_cases does."""
    return read_cases(path, kind or KINDS[path.parent.name])
