"""How much of each document is stated: its sentences, the rules that state them, the cases of those."""

from __future__ import annotations

from attrs import frozen

from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case import case_files
from mqclause.rulebook.clause import clause_files, clauses_of, unstated
from mqclause.rulebook.rules import Rules


@frozen
class Counted:
    """A document by the name of its folder and its title, with how many ``sentences``, ``rules`` and ``cases``.

    ``missing`` says which rules state no sentence, or another one than they say, and which sentences have no rule.
    """

    document: str
    title: str
    sentences: int
    rules: int
    cases: int
    missing: tuple[str, ...]


def counted(rules: Rules) -> tuple[Counted, ...]:
    """Every document, in the order in which they are declared. Raises RuleError and CaseError."""
    return tuple(
        Counted(
            name,
            clause_files(rules, name)[0].title,
            len(clauses_of(rules, name)),
            len(rules.ruleset(declaration).rules),
            sum(len(file.tables) for file in case_files(None, name)),
            tuple(unstated(rules, name)),
        )
        for name, declaration in DOCUMENTS.items()
    )
