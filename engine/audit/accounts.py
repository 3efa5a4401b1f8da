"""Tell of each sentence what states it, of each rule what it rests on, and of each word what it is and who uses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from attrs import asdict, frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import LoweredRuleset, list_expressions
from mqclause.language import nodes
from mqclause.language.parser import find_used_terms, find_words, infer_type
from mqclause.language.vocabulary import About, Type, Vocabulary, build_words
from mqclause.model.readers.facts_files import read_toml
from mqclause.rulebook.case_files import has_case_file
from mqclause.rulebook.clauses import Clause, list_clauses, read_clause_files
from mqclause.rulebook.loader import OVERRIDES
from mqclause.rulebook.mutants import TERMS_FILE
from mqclause.rulebook.rule import Declaration, ReadingError, Rule, Ruleset
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
    named = map(nodes.Column, _named_in_texts(step.rule))
    return find_used_terms([*list_expressions(step), *named], ruleset.vocabulary)


MEANINGS_FILE = "vocabulary.toml"
DESCRIBED: tuple[About, ...] = ("situation", "subject")

WordOrigin = Literal["attribute", "derived fact", "term"]


@frozen
class WordAccount:
    """A word that conditions of a document use: what it can be, what it ``means``, and the ``rules`` that name it.

    An attribute has its value before any rule runs; ``source`` says from where. A fact is derived by the rules in
    ``derived_by``; so is what of an attribute is carried from one choice to the next. A term is what ``stands_for``
    says, or another expression in some ``editions`` and ``readings``.
    """

    document: str
    name: str
    origin: WordOrigin
    type: str
    means: str
    source: str = ""
    stands_for: str = ""
    derived_by: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


def list_words(rules: Rules, document: str) -> tuple[WordAccount, ...]:
    """List the attributes, the derived facts and the terms of a document. Raises RuleError."""
    about = DOCUMENTS[document]
    used, derived, vocabulary = _users(rules, about), find_derived(rules, about), rules.ruleset(about).vocabulary
    found = dict[str, WordAccount]()
    for kind, of in ((getattr(about, each), each) for each in DESCRIBED):
        said = read_meanings().get((kind, of), {})
        for name, word in ({} if kind is None else build_words(kind, of)).items():
            source, means = said.get(name, ("", ""))
            found[name] = WordAccount(
                document, name, "attribute", describe_type(word.type), means, source,
                derived_by=tuple(derived.get(name, ())), rules=used.get(name, ()),
            )  # fmt: skip
    for name in (each for each in derived if each not in found):
        known = vocabulary.words.get(name)
        type_ = describe_type(about.asks.get(name, known.type)) if known else ""
        found[name] = WordAccount(document, name, "derived fact", type_, "", derived_by=tuple(derived[name]),
                                  rules=used.get(name, ()))  # fmt: skip
    terms = (each for each in _list_terms(rules, document, vocabulary, used) if each.name not in found)
    return (*found.values(), *terms)


def _list_terms(
    rules: Rules, document: str, vocabulary: Vocabulary, used: Mapping[str, tuple[str, ...]]
) -> Iterator[WordAccount]:
    trees = {**vocabulary.terms, **vocabulary.asked}
    for name, table in rules.toml(TERMS_FILE).get(document, {}).items():
        type_ = describe_type(infer_type(trees[name], vocabulary, True)) if name in trees else ""
        yield WordAccount(
            document, name, "term", type_, str(table.get("means", "")), "rules/terms.toml", str(table.get("is", "")),
            (), used.get(name, ()), tuple(table.get("edition", ())), tuple(table.get("reading", ())),
        )  # fmt: skip


def _users(rules: Rules, about: Declaration) -> dict[str, tuple[str, ...]]:
    """The rules that name each word, in any edition."""
    found = dict[str, dict[str, None]]()
    for read in rules.read_editions():
        steps = LoweredRuleset.of(read.ruleset(about))
        for step in steps.steps:
            trees = [word for tree in list_expressions(step) for word in find_words(tree)]
            for name in (*trees, *_named_in_texts(step.rule)):
                found.setdefault(name, {})[step.rule.id] = None
    return {name: tuple(by) for name, by in found.items()}


def _named_in_texts(rule: Rule) -> Iterable[str]:
    return rule.because.names() if rule.because else ()


@lru_cache(maxsize=1)
def read_meanings() -> Mapping[tuple[type, str], Mapping[str, tuple[str, str]]]:
    """Read what attributes mean: by class of facts and what it describes, by word its source and meaning.

    Raises ValueError for a word that two sources claim, and for a section of no document.
    """
    stated = read_toml((files("mqclause.audit") / MEANINGS_FILE).read_text(encoding="utf-8"))
    found = {}
    for document, sections in stated.items():
        for about, sources in sections.items():
            kind = getattr(DOCUMENTS[document], about)
            words = [(word, source, means) for source, group in sources.items() for word, means in group.items()]
            found[kind, about] = {word: (source, means) for word, source, means in words}
            if len(found[kind, about]) < len(words) or kind is None:
                raise ValueError(f"{document}.{about}: a word stands there twice, or the document has none")
    return found


def list_facts() -> Iterator[tuple[Declaration, About, type]]:
    """Yield each class of facts that rules see, with the first document that sees it and what it describes."""
    seen = set[type]()
    for declaration in DOCUMENTS.values():
        for about in DESCRIBED:
            kind = getattr(declaration, about)
            if kind is not None and kind not in seen:
                seen.add(kind)
                yield declaration, about, kind


def find_derived(rules: Rules, declaration: Declaration) -> dict[str, list[str]]:
    """Find the facts that rules of a document derive, each with the rules that do."""
    found: dict[str, list[str]] = {}
    for path, table in rules.in_folder(declaration.name).items():
        names: list[Any] = [
            *table.get("derive", {}), *table.get("settle", {}), table.get("conclude", {}).get("fact"),
        ]  # fmt: skip
        for name in names:
            if name not in (None, "of", "because"):
                found.setdefault(name, []).append(get_rule_id(f"{declaration.name}/{path}"))
    return dict(sorted(found.items()))


def describe_type(kind: Type) -> str:
    """Describe a type with the values that it allows: ```PRIORITY`, `FIFO```, ``whole number, 0 to 9``."""
    if kind.kind == "text" and kind.words:
        return ", ".join(f"`{word}`" if word else "blank" for word in kind.words)
    said = {"whole": "whole number", "names": "list of names", "boolean": "true or false"}.get(kind.kind, kind.kind)
    least, most = (None if each is None or abs(each) >= 2**31 - 1 else each for each in (kind.least, kind.most))
    if least is None and most is None:
        return said
    return f"{said}, {'up to' if least is None else f'{least:g} to'} {most:g}" if most is not None else (
        f"{said}, from {least:g}"
    )  # fmt: skip
