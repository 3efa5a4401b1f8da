"""The cases of the rules that come with the project, and whether they notice what is done to the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from mqclause.answers.cases.asked_case import AskedCase
from mqclause.answers.cases.course_case import CourseCase
from mqclause.answers.cases.decision_case import DecisionCase
from mqclause.answers.cases.product_case import ProductCase
from mqclause.answers.cases.replay_case import ReplayCase
from mqclause.answers.cases.retrieval_case import RetrievalCase
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case import CaseFile, case_file
from mqclause.rulebook.clause import path_within
from mqclause.rulebook.errors import UnansweredError
from mqclause.rulebook.rule import Derive, Ruleset
from mqclause.rulebook.rules import Rules, id_of_rule

CASE_KINDS: Mapping[str, type[AskedCase]] = {
    "resolution": DecisionCase,
    "workload": DecisionCase,
    "outcome": DecisionCase,
    "trigger": ReplayCase,
    "retrieval": RetrievalCase,
}
"""The kinds of case of documents that have one of their own; another's, and of files that state the situation itself
as their scene, are CourseCases."""


@lru_cache(maxsize=1024)
def cases_of(rule_id: str, folder: Path | None = None) -> tuple[AskedCase, ...]:
    """The cases of a rule, from those that come with the project or from a ``folder``. Raises CaseError."""
    return cases_in(case_file(rule_id, folder))


def cases_in(file: CaseFile) -> tuple[AskedCase, ...]:
    """The cases in a file, of the kind that its document has. Raises CaseError."""
    kind = None if "situation" in file.facts else CASE_KINDS.get(file.document)
    own = file.cases(kind) if kind else file.cases(CourseCase, declaration=DOCUMENTS[file.document])
    return (*own, *file.of_scenarios().cases(ProductCase))


def noticed(spoilt: Rules, rule_ids: Iterable[str], original: Ruleset) -> bool:
    """Whether a case of one of these rules has another answer by the rules ``spoilt`` than by the ``original`` ones.

    That a rule itself does something else is not enough, but for a fact that nothing else shows. Raises RuleError
    where the rules do not load.
    """
    return noticed_by(spoilt, (case for rule_id in rule_ids for case in cases_of(rule_id)), original)


def noticed_by(spoilt: Rules, cases: Iterable[AskedCase], original: Ruleset) -> bool:
    """The same of some cases, whichever rules they are about."""
    return any(_differs(case, spoilt, _is_hidden(case, original)) for case in cases)


@lru_cache(maxsize=16)
def cases_by_clause(rules: Rules, document: str) -> Mapping[str, list[AskedCase]]:
    """The cases that name sentences of a document, by sentence; also those of rules of other documents."""
    found: dict[str, list[AskedCase]] = {}
    for declaration in DOCUMENTS.values():
        for path in rules.in_folder(declaration.name):
            for case in cases_of(id_of_rule(f"{declaration.name}/{path}")):
                for named in filter(None, (path_within(document, declaration.name, name) for name in case.clauses)):
                    found.setdefault(named, []).append(case)
    return found


def _is_hidden(case: AskedCase, original: Ruleset) -> bool:
    """Whether the case's rule derives a fact that its answers do not show."""
    action = next((rule.action for rule in original.rules if rule.id == case.rule), None)
    return isinstance(case, DecisionCase) and isinstance(action, Derive) and action.of == "situation"


def _differs(case: AskedCase, spoilt: Rules, by_acting: bool) -> bool:
    try:
        answer = case.answer(spoilt)
        return bool(case.unexpected(answer)) or (by_acting and case.acted(answer) != case.acts)
    except (LookupError, TypeError, RuntimeError, ValueError, UnansweredError):
        # A call that ends with neither a destination nor a reason code, or elsewhere than where the case looks.
        return True
