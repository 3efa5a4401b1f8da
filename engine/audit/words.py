"""Tell of each word of conditions what it is, what it means, where its value comes from, and which rules use it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from attrs import frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import LoweredRuleset, list_expressions
from mqclause.language.parser import find_words, infer_type
from mqclause.language.vocabulary import About, Type, Vocabulary, build_words
from mqclause.model.readers.facts_files import read_toml
from mqclause.rulebook.mutants import TERMS_FILE
from mqclause.rulebook.rule import Declaration, Rule
from mqclause.rulebook.rules import Rules, get_rule_id

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
