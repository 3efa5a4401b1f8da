"""How much of each document is stated: its sentences, the rules that state them, the cases of those."""

from __future__ import annotations

from attrs import frozen

from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case import case_files
from mqclause.rulebook.clause import clause_files, unstated
from mqclause.rulebook.rules import Rules


@frozen
class Counted:
    """A document by the name of its folder and its title; how many ``rules``, of any edition, and ``cases`` it has.

    ``sentences`` are those of the document itself, of which ``stated`` have rules and the others a reason why they are
    none; ``more`` are those of other books that its rules rest on. ``missing`` says which rules state no sentence, or
    another one than they say, and which sentences have no rule.
    """

    document: str
    title: str
    sentences: int
    stated: int
    more: int
    rules: int
    cases: int
    missing: tuple[str, ...]


def counted(rules: Rules) -> tuple[Counted, ...]:
    """Every document, in the order in which they are declared. Raises RuleError and CaseError."""
    return tuple(_counted(rules, name) for name in DOCUMENTS)


def _counted(rules: Rules, name: str) -> Counted:
    files = clause_files(rules, name)
    every = [clause for file in files for clause in file.clauses]
    # A document that lies before its reader has sentences with fingerprints; other books give numbers and pages.
    own = [clause for clause in every if clause.fingerprint] or every
    return Counted(
        name,
        files[0].title,
        len(own),
        sum(clause.rules is not None for clause in own),
        len(every) - len(own),
        len(rules.in_folder(name)),
        sum(len(file.tables) for file in case_files(None, name)),
        tuple(unstated(rules, name)),
    )
