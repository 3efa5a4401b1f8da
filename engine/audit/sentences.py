"""Tell of each sentence what states it and which cases hold it, and of each rule what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from attrs import asdict, frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import LoweredRuleset, list_expressions
from mqclause.language import nodes
from mqclause.language.parser import find_used_terms
from mqclause.rulebook.case_files import has_case_file
from mqclause.rulebook.clauses import Clause, list_clauses, read_clause_files
from mqclause.rulebook.loader import OVERRIDES
from mqclause.rulebook.mutants import TERMS_FILE
from mqclause.rulebook.rule import ReadingError, Rule, Ruleset
from mqclause.rulebook.rules import Rules, get_rule_id
from mqclause.testing.case_kinds import RunnableCase
from mqclause.testing.case_runner import group_cases_by_clause, read_cases

SentenceState = Literal["stated", "no rule", "stated by the program", "unmet"]


@frozen
class SentenceAccount:
    """A sentence of a document: what becomes of it, the cases that name it, and what changes its rules.

    It is ``stated`` by rules, has ``no rule`` for the reason that it gives, is ``stated by the program``, or is
    ``unmet``: a rule that it names is not there, or no case names it. ``editions`` and ``readings`` (``id=choice``) are
    those for which its rules, or terms that these use, state something else.
    """

    document: str
    file: str
    clause: Clause
    state: SentenceState
    cases: tuple[str, ...]
    editions: tuple[str, ...]
    readings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the account as JSON values; ``clause`` has what is stated of it alone."""
        stated = asdict(self.clause, filter=lambda _, value: value not in (None, ""))
        return asdict(self) | {"clause": stated}


@frozen
class RuleAccount:
    """A rule: its file, the sentences that name it, its cases, and what it rests on.

    ``terms`` are those that it uses, also by way of others, with what they mean.
    """

    id: str
    path: str
    title: str
    clause: str
    sentences: tuple[str, ...]
    cases: tuple[str, ...]
    terms: Mapping[str, str]
    editions: tuple[str, ...]
    readings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the account as JSON values."""
        return asdict(self)


def list_sentences(rules: Rules, document: str, folder: Path | None = None) -> tuple[SentenceAccount, ...]:
    """Tell of each sentence of a document, in the order of its files. Raises RuleError and CaseError.

    Its cases come with the project, or are in a ``folder``.
    """
    named = group_cases_by_clause(rules, document, folder)
    known = {get_rule_id(path) for path in rules.files if path.partition("/")[0] in DOCUMENTS}
    found = []
    for file in read_clause_files(rules, document):
        for clause in file.clauses:
            cases = named.get(clause.path, [])
            overrides = [each for rule in clause.rules or () if rule in known for each in _overrides_of(rules, rule)]
            found.append(SentenceAccount(
                document, file.name, clause, _state(clause, known, cases), tuple(map(str, cases)),
                _of_kind(overrides, "edition"), _of_kind(overrides, "reading"),
            ))  # fmt: skip
    return tuple(found)


def _state(clause: Clause, known: set[str], cases: Sequence[RunnableCase]) -> SentenceState:
    if clause.program is not None:
        return "stated by the program"
    if clause.rules is None:
        return "no rule" if clause.not_a_rule else "unmet"
    return "stated" if cases and known.issuperset(clause.rules) else "unmet"


def describe_rule(rules: Rules, rule_id: str, folder: Path | None = None) -> RuleAccount:
    """Tell of a rule. Raises ReadingError where there is none of that id, RuleError and CaseError.

    Its cases come with the project, or are in a ``folder``.
    """
    try:
        path = rules.path(rule_id)
    except KeyError:
        raise ReadingError(f"{rule_id}: there is no such rule") from None
    ruleset = find_ruleset(rules, rule_id)
    rule, overrides = ruleset.rule(rule_id), _overrides_of(rules, rule_id)
    means = rules.toml(TERMS_FILE).get(ruleset.name, {})
    return RuleAccount(
        rule_id, path, rule.title, rule.clause,
        _group_sentences(rules).get(rule_id, ()), tuple(map(str, _cases(rule_id, folder))),
        {term: str(means.get(term, {}).get("means", "")) for term in _terms_of(ruleset, rule_id)},
        _of_kind(overrides, "edition"), _of_kind(overrides, "reading"),
    )  # fmt: skip


@frozen
class RunOrder:
    """The rules of a document in the order in which they run from the edition ``since`` on.

    ``until`` is the last edition that has it, blank if the newest has.
    """

    since: str
    until: str
    rules: tuple[Rule, ...]


def list_orders(rules: Rules, document: str) -> tuple[RunOrder, ...]:
    """List the orders in which the rules of a document run, the oldest first. Raises RuleError."""
    found, known = list[tuple[str, tuple[Rule, ...]]](), rules.known_editions
    for read in rules.read_editions():
        listed = read.ruleset(DOCUMENTS[document]).rules
        if not found or [each.id for each in listed] != [each.id for each in found[-1][1]]:
            found.append((read.edition, listed))
    lasts = [known[known.index(since) - 1] for since, _ in found[1:]]
    return tuple(
        RunOrder(since, until, listed) for (since, listed), until in zip(found, (*lasts, ""), strict=True)
    )  # fmt: skip


@lru_cache(maxsize=2048)
def find_ruleset(rules: Rules, rule_id: str) -> Ruleset:
    """Find the ruleset of the oldest edition that has a rule. Raises ReadingError where none has, and RuleError."""
    about = DOCUMENTS[rule_id.partition(".")[0]]
    for read in rules.read_editions():
        ruleset = read.ruleset(about)
        if rule_id in (rule.id for rule in ruleset.rules):
            return ruleset
    raise ReadingError(f"{rule_id}: no edition has this rule")


@lru_cache(maxsize=16)
def _group_sentences(rules: Rules) -> Mapping[str, tuple[str, ...]]:
    """The sentences that name each rule, of any document."""
    found: dict[str, list[str]] = {}
    for document in rules.clauses:
        for clause in list_clauses(rules, document):
            for rule in dict.fromkeys(clause.rules or ()):
                found.setdefault(rule, []).append(f"{document}/{clause.path}")
    return {rule: tuple(paths) for rule, paths in found.items()}


def _cases(rule_id: str, folder: Path | None) -> Sequence[RunnableCase]:
    return read_cases(rule_id, folder) if has_case_file(rule_id, folder) else ()


def _overrides_of(rules: Rules, rule_id: str) -> tuple[tuple[str, str], ...]:
    """The editions and readings for which a rule, or a term that it uses, states something else."""
    ruleset = find_ruleset(rules, rule_id)
    terms = rules.toml(TERMS_FILE).get(ruleset.name, {})
    tables = [rules.toml(rules.path(rule_id)), *(terms.get(term, {}) for term in _terms_of(ruleset, rule_id))]
    return tuple(dict.fromkeys((kind, name) for table in tables for kind in OVERRIDES for name in table.get(kind, {})))


def _of_kind(overrides: Iterable[tuple[str, str]], wanted: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for kind, name in overrides if kind == wanted))


def _terms_of(ruleset: Ruleset, rule_id: str) -> dict[str, None]:
    """The terms that a rule uses, and those that these use, in the order in which they are met."""
    step = next(each for each in LoweredRuleset.of(ruleset).steps if each.rule.id == rule_id)
    named = [nodes.Column(name) for name in (step.rule.because.names() if step.rule.because else ())]
    return find_used_terms([*list_expressions(step), *named], ruleset.vocabulary)
