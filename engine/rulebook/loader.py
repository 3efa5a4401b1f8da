"""Loads the rules of one document: tables of rule files in, a ruleset out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter
from typing import Any

from attrs import field, frozen
from sqlglot import exp

from mqclause.language.check import parse, type_of
from mqclause.language.parse import ExpressionError, check_extent, expanded, fault_of_stated_name, parse_unchecked
from mqclause.language.vocabulary import BOOLEAN, Type, Vocabulary, Word, words_of
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.actions import ACTIONS
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.order import files_in_order
from mqclause.rulebook.reading import InForce, Reading, check_overrides, checked_tables
from mqclause.rulebook.rule import Conclude, Derive, Expression, Rule, Ruleset, Settle
from mqclause.rulebook.rule_file import RuleFile
from mqclause.rulebook.rule_of_file import rule_of

Tables = Mapping[str, Mapping[str, Any]]
"""Tables of TOML by name."""

TERM_KEYS: Mapping[str, type] = {"is": str, "means": str}
"""What a term says, and of which type."""


@frozen
class Loading:
    """What all rule files of one document are read by."""

    declaration: Declaration
    in_force: InForce
    readings: Mapping[str, Reading]
    editions: tuple[str, ...]
    followed: Ruleset | None = None
    clauses: Mapping[str, Collection[str]] = field(factory=dict)

    def ruleset(self, files: Tables, terms: Tables) -> Ruleset:
        """The rules in ``files`` (by file name) in the document's order. Raises RuleError."""
        name = self.declaration.name
        if not files:
            raise RuleError(f"{name}/", "", "there are no rule files")
        for file, table in files.items():
            check_overrides(f"{name}/{file}", "", table, self.readings, self.editions)
        stated = {file: self.in_force.stated(table, ACTIONS) for file, table in files.items()}
        sees = dict(self._sees())
        vocabulary = self._vocabulary(terms, sees)
        rules: list[Rule] = []
        for file in files_in_order(name, stated):
            rule = rule_of(
                RuleFile(
                    f"{name}/{file}",
                    stated[file],
                    vocabulary,
                    rules,
                    self.declaration,
                    self.clauses,
                    self.in_force.origins(files[file]),
                )
            )
            if rule is not None:
                vocabulary = vocabulary.with_words(*self._derived(rule, vocabulary))
                rules.append(rule)
        if lacking := [fact for fact in self.declaration.asks if fact not in vocabulary.words]:
            raise RuleError(f"{name}/", lacking[0], "is derived by no rule, and answers are made of it")
        _check_terms(name, vocabulary)
        _check_asked_terms(self.declaration, vocabulary)
        self._check_readings()
        concerned = {each.id: self.in_force.readings[each.id] for each in self.readings.values() if each.concerns(name)}
        return Ruleset(self.declaration, tuple(rules), vocabulary, self.in_force.editions[-1],
                       tuple(concerned.items()), sees)  # fmt: skip

    def terms(self, terms: Tables) -> Vocabulary:
        """The attributes and the terms, of which those that are asked before any rule are checked. Raises RuleError."""
        vocabulary = self._vocabulary(terms, dict(self._sees()))
        _check_asked_terms(self.declaration, vocabulary)
        return vocabulary

    def _check_readings(self) -> None:
        """Raises RuleError for a reading of a clause that the document does not have."""
        name = self.declaration.name
        known = [f"{name}/{each}" for each in sorted(self.clauses.get(name, ()))]
        stated = ((each.id, clause) for each in self.readings.values() for clause in each.clauses)
        for reading, clause in stated if known else ():
            if clause.startswith(f"{name}/") and clause not in known:
                said = f"{quoted(clause)} is not a clause of {name} in rules/documents/{suggestion(clause, known)}"
                raise RuleError("readings.toml", f"{reading}.clauses", said)

    def _derived(self, rule: Rule, vocabulary: Vocabulary) -> Iterator[Word]:
        """The facts of a rule, of the type that is asked for, else that of what they are derived from."""
        asked = self.declaration.asks
        if isinstance(rule.action, Settle) or (isinstance(rule.action, Derive) and rule.action.of == "situation"):
            for name, tree in rule.action.values:
                found = asked.get(name) or type_of(tree, vocabulary, per_subject=False)
                yield Word(name, found, "situation", is_derived=True)
        if isinstance(rule.action, Conclude):
            yield Word(rule.action.fact, BOOLEAN, "situation", is_derived=True)

    def _sees(self) -> Iterator[tuple[str, Expression]]:
        """What is seen of the document before, but for facts that its rules do not derive in this edition."""
        for name, text in self.declaration.sees.items():
            assert self.followed is not None, "only what follows another document sees facts of it"  # noqa: S101
            if not text.isidentifier() or text in self.followed.vocabulary.words:
                yield name, parse(text, self.followed.vocabulary, per_subject=False)

    def _vocabulary(self, terms: Tables, sees: Mapping[str, Expression]) -> Vocabulary:
        """The attributes, what the document sees of the one before, and the terms of rules/terms.toml."""
        about, words = self.declaration, dict[str, Word]()
        if about.subject is not None:
            carried = about.carried.names if about.carried else ()
            words |= words_of(about.subject, "subject", carried)
        words |= words_of(about.situation, "situation")
        for name, tree in sees.items():
            assert self.followed is not None  # noqa: S101 - as in _sees
            found = type_of(tree, self.followed.vocabulary, per_subject=False)
            words[name] = Word(name, found, "situation", is_derived=True)
        parsed = {}
        for term, table in checked_tables("terms.toml", about.name, terms, TERM_KEYS).items():
            check_overrides("terms.toml", f"{about.name}.{term}.", table, self.readings, self.editions)
            if fault := fault_of_stated_name(term):
                raise RuleError("terms.toml", f"{about.name}.{quoted(term)}", fault)
            if term in words and term not in about.terms:
                raise RuleError("terms.toml", f"{about.name}.{term}", "is a word already; a term has a name of its own")
            with _placed(f"{about.name}.{term}"):
                parsed[term] = parse_unchecked(self.in_force.stated(table)["is"])
        _check_no_circle(about.name, parsed)
        told = {term: parsed.pop(term) for term in about.terms if term in words and term in parsed}
        return Vocabulary(words, parsed, about.subject.__name__.lower() if about.subject else "subject", told)


def _check_no_circle(ruleset: str, terms: Mapping[str, Expression]) -> None:
    columns = ((term, tree.find_all(exp.Column)) for term, tree in terms.items())
    used = {term: [each.name for each in found if each.name in terms] for term, found in columns}
    try:
        TopologicalSorter(used).prepare()
    except CycleError as error:
        circle = set(error.args[1])
        first = next(term for term in terms if term in circle)
        raise RuleError("terms.toml", f"{ruleset}.{first}", "is explained by itself") from None


def _check_terms(ruleset: str, vocabulary: Vocabulary) -> None:
    """Terms may use facts that rules derive, so their words and types are checked when all rules are there."""
    for term, tree in (*vocabulary.terms.items(), *vocabulary.told.items()):
        with _placed(f"{ruleset}.{term}"):
            check_extent(tree, vocabulary)
            type_of(tree, vocabulary, per_subject=True)


def _check_asked_terms(about: Declaration, vocabulary: Vocabulary) -> None:
    """Terms that are asked before the rules run have no facts, counts or other things to look at."""
    before = vocabulary.before
    for term, (kind, of) in about.terms.items():
        place = f"{about.name}.{term}"
        stated = vocabulary.told.get(term, vocabulary.terms.get(term))
        if stated is None:
            raise RuleError("terms.toml", place, "is missing, and answers are made of it")
        with _placed(f"{about.name}.{term}"):
            check_extent(stated, before)
            tree = expanded(stated, before)
            found = type_of(tree, before, per_subject=True)
        if found.kind != kind:
            raise RuleError("terms.toml", place, f"is {found}; answers need {Type(kind)}")
        words = [vocabulary.words[each.name] for each in tree.find_all(exp.Column)]
        own = None if about.stated is None or of != "subject" else {*words_of(about.stated, "subject")}
        if beyond := [
            each.name for each in words
            if each.about != of or each.is_derived or (own is not None and each.name not in own)
        ]:  # fmt: skip
            allowed = f"attributes of the {vocabulary.subject if of == 'subject' else 'situation'}"
            if own is not None:
                allowed = f"what a {vocabulary.subject} says of itself: {', '.join(sorted(own))}"
            raise RuleError(
                "terms.toml", place, f"looks at {beyond[0]!r}; it is asked before any rule runs, of {allowed}"
            )
        if tree.find(exp.CountIf):
            raise RuleError("terms.toml", place, "counts; it is asked before any rule runs, of one alone")


@contextmanager
def _placed(term: str) -> Iterator[None]:
    """Says of which term an error is."""
    try:
        yield
    except ExpressionError as error:
        raise RuleError("terms.toml", term, str(error)) from None
    except KeyError as error:
        raise RuleError("terms.toml", term, f"{error} is missing") from None
