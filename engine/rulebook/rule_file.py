"""One rule file: what it states, checked piece by piece. What is wrong is one line that names file, key and column."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import frozen
from sqlglot import exp

from mqclause.language.check import parse, parse_order, type_of
from mqclause.language.parse import ExpressionError, fault_of_stated_name, words_given
from mqclause.language.vocabulary import BOOLEAN, Type, Vocabulary
from mqclause.model.diagnostic import instead, quoted, suggestion
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule import Because, Expression, Rule

FILE_NAME = re.compile(r"(?P<number>[0-9]+(?:[.-][0-9]+)?[a-z]{0,2}|[a-z]+(?:-[a-z]+)?[0-9]*)_[a-z0-9_]+\.toml")


NOTED: Expression = exp.Literal.number(0)
"""What stands in the place of an expression that is wrong."""


@frozen
class RuleFile:
    """One rule file on its way to a rule: its path within rules/, and what it states for edition and readings in force.

    ``earlier`` are the rules before it, ``clauses`` the clause numbers by document, ``origins`` the tables of editions
    and readings that keys are from. What is wrong is a RuleError. Where faults are ``noted``, what is wrong with an
    expression or a sentence is, and another one stands in its place: so more than the first fault is found.
    """

    path: str
    table: Mapping[str, Any]
    vocabulary: Vocabulary
    earlier: Sequence[Rule]
    about: Declaration
    clauses: Mapping[str, Collection[str]]
    origins: Mapping[str, str]
    noted: list[RuleError] | None = None

    def _note(self, error: RuleError) -> None:
        if self.noted is None:
            raise error from None
        self.noted.append(error)

    @property
    def ruleset(self) -> str:
        """The folder of the file."""
        return self.path.partition("/")[0]

    @property
    def number(self) -> str:
        """What the file's name begins with: the clause's number."""
        name = FILE_NAME.fullmatch(self.path.rpartition("/")[2])
        if name is None:
            raise RuleError(self.path, "", "a rule file is named like 04a_channel_rank.toml")
        return name["number"]

    @property
    def clause(self) -> str:
        """The document's number of the clause that the rule states."""
        clause = self.text(self.table, "clause", "")
        document, _, number = clause.partition("/")
        if document != self.ruleset or not number:
            raise RuleError(self.path, "clause", f"{quoted(clause)} is not a clause of {self.ruleset}/…")
        self.check_clause("clause", clause)
        return number

    def check_clause(self, key: str, clause: str) -> None:
        """Raises RuleError for a clause that no file of documents/ has, if any has clauses of that document."""
        document, _, number = clause.partition("/")
        if number not in self.clauses.get(document, (number,)):
            near = suggestion(clause, sorted(f"{document}/{each}" for each in self.clauses[document]))
            raise RuleError(self.path, key, f"{quoted(clause)} is not a clause of {document} in rules/documents/{near}")

    def check_name(self, key: str, name: str) -> None:
        """Raises RuleError for what cannot be the name of a fact."""
        if fault := fault_of_stated_name(name):
            raise RuleError(self.path, key, f"{quoted(name)} {fault}")

    def text(self, table: Mapping[str, Any], key: str, within: str) -> str:
        """The text of a key that has to be there. Raises RuleError, as all that follow."""
        value = table.get(key)
        name = f"{within}.{key}" if within else key
        if not isinstance(value, str) or not value.strip():
            raise RuleError(self.path, name, "is missing" if value is None else f"{quoted(value)} is not text")
        return value

    def expression(self, text: str, key: str, wanted: Type | None, per_subject: bool) -> Expression:
        """A text as a checked tree of the type that is wanted."""
        try:
            tree = parse(text, self.vocabulary, per_subject)
            found = type_of(tree, self.vocabulary, per_subject)
        except ExpressionError as error:
            self._note(RuleError(self.path, key, str(error)))
            return NOTED
        fits = wanted is None or found.kind == wanted.kind or (found.is_number and wanted.kind == "number")
        if not fits:
            self._note(RuleError(self.path, key, f"{quoted(text)} is {found}, expected {wanted}"))
        return tree

    def fact(self, table: Mapping[str, Any], name: str, within: str, wanted: Type | None) -> Expression:
        """What a key of a table derives of the situation, which has to be what answers take it for."""
        text, key = self.text(table, name, within), f"{within}.{name}"
        asked = self.about.asks.get(name, wanted)
        tree = self.expression(text, key, asked, per_subject=False)
        if asked is None or tree is NOTED:
            return tree
        found = type_of(tree, self.vocabulary, per_subject=False)
        if (found.most is not None and asked.least is not None and found.most < asked.least) or (
            found.least is not None and asked.most is not None and found.least > asked.most
        ):
            span = f"from {asked.least}" + ("" if asked.most is None else f" to {asked.most}")
            self._note(RuleError(self.path, key, f"{quoted(text)} is never a whole number {span}"))
        for word in words_given(tree, self.vocabulary) if asked.words else ():
            if word not in asked.words:
                listed = [each for each in asked.words if each.strip()]
                self._note(RuleError(self.path, key, f"{quoted(word)} is never a value here{instead(word, listed)}"))
        return tree

    def order(self, text: str, key: str) -> tuple[Expression, bool]:
        """What subjects are ordered by, and whether from the highest."""
        try:
            return parse_order(text, self.vocabulary)
        except ExpressionError as error:
            self._note(RuleError(self.path, key, str(error)))
            return NOTED, False

    def condition(self, table: Mapping[str, Any], key: str, within: str, per_subject: bool = True) -> Expression:
        """The condition that a key holds."""
        name = f"{within}.{key}" if within else key
        return self.expression(self.text(table, key, within), name, BOOLEAN, per_subject)

    def because(self, table: Mapping[str, Any], within: str, *extra: str, part: str = "because") -> Because:
        """The sentence of a key; besides all words of the document it may name ``extra`` ones."""
        because, place = Because(self.text(table, part, within)), f"{within}.{part}".lstrip(".")
        try:
            names = list(because.names())
        except ValueError as error:
            raise RuleError(self.path, place, f"{error}") from None
        if formatted := because.formatted():
            self._note(RuleError(self.path, place, f"{formatted} has a format; allowed: a word alone in braces"))
        allowed = [*self.vocabulary.names(), *extra]
        for name in names:
            if name not in allowed:
                self._note(RuleError(self.path, place, f"{{{name}}} is not a word{suggestion(name, allowed)}"))
        return because
