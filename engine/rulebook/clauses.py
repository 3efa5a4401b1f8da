"""The sentences of the documents, and the rules and cases that state them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, field, frozen
from attrs.converters import optional

from mqclause.rulebook.loader import EVIDENCE, RECALLED
from mqclause.rulebook.rule import UnansweredError
from mqclause.rulebook.rules import CLAUSE_FILE_KEYS, CLAUSE_KEYS, Rules, get_rule_id

CLAUSE_NUMBERS = re.compile(r"^(?:(?:\d+[a-z]?|[a-z])\.\s+)+")
"""What stands before a sentence that a document numbers, once or (as in ``12. 1. a.``) at several levels."""


FINGERPRINT_LENGTH = 12
"""Digits of a SHA-256 by which a sentence is known."""

SENTENCE_END = re.compile(r"(?<=[^0-9][.:])\s+(?=[A-Z])")
"""What stands between two sentences of a paragraph."""

BULLETS = "•·▪●◦‣⁃∙■□○"
"""What may stand before an item of a list; the first is that of the documents."""

TYPEWRITER = str.maketrans({
    **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‘’‚‛‹›′`´", "'"), **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys(BULLETS, BULLETS[0]), **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
})  # fmt: skip
"""What is set plainly, and what cannot be seen."""


@frozen
class Clause:
    """One sentence of a document, or a part of it that has rules of its own.

    ``path`` is its place in the document and ``number`` the clause's; ``says`` puts it in our own words. It has
    ``rules`` (ids) that state it, those of other clauses too where it rests on them, or a reason why it is
    ``not_a_rule``; where it is not about what rules decide, and the program does it, ``program`` has the module and the
    test that holds it (``path::name``). ``fingerprint`` recognises the sentence,
    ``page`` says where it stands if that is not the file's one source, and when it was ``read``; a sentence of no book
    says why the ``project`` states it. It holds ``since`` an edition, blank: since the
    oldest; ``evidence`` says how that is known (see mqclause.rulebook.rules), blank where it stands in the document.
    """

    path: str = ""
    number: str = ""
    says: str = ""
    fingerprint: str = ""
    page: str = ""
    read: str = ""
    project: str | None = None
    rules: tuple[str, ...] | None = field(default=None, converter=optional(tuple))
    not_a_rule: str | None = None
    program: tuple[str, ...] | None = field(default=None, converter=optional(tuple))
    since: str = ""
    evidence: str = ""


@frozen
class ClauseFile:
    """A file of rules/documents: the clauses of one source. ``document`` is the folder of the rules that state them.

    ``edition`` is that of the source as its copy shows it, blank where it shows none. ``page`` is where its sentences
    stand that say nothing else, and when that was ``read``, or ``project`` why the project states them; ``sha256`` is
    that of the copy that fingerprints are from.
    """

    name: str
    document: str
    title: str
    edition: str
    source: str
    page: str
    read: str
    project: str
    sha256: str
    tables: tuple[Mapping[str, Any], ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses in the order of the source."""
        return tuple(self._paged(_clause(each)) for each in self.tables)

    def _paged(self, clause: Clause) -> Clause:
        """A sentence with the page of its file, unless it has its own source; one that is recalled was not read."""
        if clause.fingerprint or clause.project:
            return clause
        project = self.project if self.project and not clause.page else None
        read = clause.read or ("" if clause.evidence == RECALLED else self.read)
        return evolve(clause, page=clause.page or self.page, read=read, project=project)


def read_clause_files(rules: Rules, document: str | None = None) -> tuple[ClauseFile, ...]:
    """Read the files of clauses in order, of one document or of all. Raises RuleError."""
    found = []
    if document not in (None, *rules.clauses):
        raise UnansweredError("documents/", "", f"there is no file with the clauses of {document}")
    for name, table in sorted(rules.in_folder("documents").items()):
        if document in (None, table["document"]):
            stated = {key: table.get(key, "") for key in CLAUSE_FILE_KEYS if key != "clause"}
            found.append(ClauseFile(name, **stated, tables=tuple(table.get("clause", ()))))
    return tuple(found)


def list_clauses(rules: Rules, document: str) -> tuple[Clause, ...]:
    """List every clause that the rules of a document state, or have a reason not to."""
    return tuple(clause for file in read_clause_files(rules, document) for clause in file.clauses)


def find_unstated_clauses(rules: Rules, document: str) -> Iterator[str]:
    """Find clauses of a document without rules, and rules without a clause: all at once."""
    tables = [table for file in read_clause_files(rules, document) for table in file.tables]
    every = {path: rules.toml(path) for path in rules.files if "/" in path}
    by_rule = {get_rule_id(path): each for path, each in every.items()}
    for table in tables:
        yield from _unmet_clause(table, by_rule, document)
    stated: dict[str, set[str]] = {}
    for table in tables:
        for rule in table.get("rules", ()):
            stated.setdefault(rule, set()).add(f"{document}/{table.get('number')}")
    rule_ids = [get_rule_id(path) for path in rules.files if path.startswith(f"{document}/")]
    for rule in rule_ids:
        if rule not in stated:
            yield f"{rule}: no clause of {document} is stated by it"
        elif (clause := by_rule[rule].get("clause")) not in stated[rule]:
            yield f"{rule}: no sentence of {clause} names it, which it says that it states"
    yield from _repeated(f"clause {document}", (table.get("path") for table in tables))
    yield from _repeated("rule file", rule_ids)


def compute_fingerprint(sentence: str) -> str:
    """Compute the fingerprint of a sentence; white space does not count, nor which quotes and dashes are set."""
    return hashlib.sha256(" ".join(set_plainly(sentence).split()).encode()).hexdigest()[:FINGERPRINT_LENGTH]


def set_plainly(text: str) -> str:
    """Set a text with the quotes, dashes, letters and bullets of a typewriter, whatever a copy has in their place."""
    return unicodedata.normalize("NFKC", text).translate(TYPEWRITER)


def locate_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Split a source into sentences without clause numbers, each with the line, from 1, on which its paragraph begins.

    Lines with bullets in a row count as one sentence.
    """
    bullets: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        line = line.strip()
        if line.startswith(tuple(BULLETS)):
            bullets.append(line)
            continue
        if bullets:
            yield number - len(bullets), " ".join(bullets)
            bullets = []
        line = CLAUSE_NUMBERS.sub("", line)
        if line:
            yield from ((number, each) for each in SENTENCE_END.split(line))


def _clause(table: Mapping[str, Any]) -> Clause:
    stated: dict[str, Any] = {key: table[key] for key in CLAUSE_KEYS if key in table}
    return Clause(**stated)


def _unmet_clause(table: Mapping[str, Any], by_rule: Mapping[str, Mapping[str, Any]], document: str) -> Iterator[str]:
    clause, place = _clause(table), f"clause {document} {table.get('path')}"
    if sum(each is not None for each in (clause.rules, clause.not_a_rule, clause.program)) != 1:
        yield f"{place}: has rules or a reason why it is none, one of them (or the program that does it)"
    if not clause.says or clause.rules == () or clause.not_a_rule == "" or clause.program == ():
        yield f"{place}: says, rules and not_a_rule are not empty"
    if clause.project is not None and (clause.fingerprint or clause.page or not clause.project):
        yield f"{place}: project says why, in words, and stands without fingerprint and page"
    if clause.evidence not in ("", *EVIDENCE) or bool(clause.since) > bool(clause.evidence):
        yield f"{place}: evidence is one of {', '.join(EVIDENCE)}, and stands where since does"
    if clause.evidence == RECALLED and clause.read:
        yield f"{place}: is recalled, so it was not read on {clause.read}"
    if unknown := sorted(table.keys() - set(CLAUSE_KEYS)):
        yield f"{place}: unknown key {', '.join(unknown)}"
    if not f"{clause.path}.".startswith(f"{clause.number}."):
        yield f"{place}: its number is {clause.number}"
    for rule in clause.rules or ():
        if rule not in by_rule:
            yield f"{place}: there is no rule {rule}"


def resolve_clause_path(document: str, own: str, name: str) -> str | None:
    """Resolve a sentence that a case of the document ``own`` names: ``4.3`` or, of another one, ``other/4.3``."""
    of, slash, path = name.partition("/")
    if not slash:
        return name if document == own else None
    return path if of == document else None


def _repeated(what: str, names: Iterable[Any]) -> Iterator[str]:
    for name, times in Counter(names).items():
        if times > 1:
            yield f"{what} {name}: given {times} times"
