"""Verify a reader's own copy of a document: which sentences stand there as they did when the rules were written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Any, Literal, NamedTuple

from attrs import evolve, frozen

from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.readers.encodings import decode_text, wrap_content
from mqclause.rulebook.clauses import Clause, ClauseFile, compute_fingerprint, locate_sentences, read_clause_files
from mqclause.rulebook.rules import LARGEST_FILE, Rules

FORMAT = "mqclause.verification/1"

MOST_SENTENCES = 20_000
"""So many sentences may be in a copy."""

SentenceStatus = Literal["matches", "moved", "differs", "missing"]


@frozen
class CopiedSentence:
    """A sentence as it stands in a copy, and the line on which it, or the paragraph with it, begins."""

    line: int
    text: str


@frozen
class VerifiedSentence:
    """A sentence of a document, by the ``paths`` of its parts (``workload/4a.1``), and what became of it in a copy.

    It ``matches``, it has ``moved`` to another place, ``differs`` from what stands there in its place (``copied``), or
    is ``missing``.
    """

    paths: tuple[str, ...]
    number: str
    says: str
    status: SentenceStatus
    copied: CopiedSentence | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the sentence as JSON values."""
        copied = {} if self.copied is None else {"line": self.copied.line, "text": self.copied.text}
        return {"paths": list(self.paths), "number": self.number, "says": self.says, "status": self.status, **copied}


@frozen
class VerifiedCopy:
    """A copy, the document that it is one of, its sentences in their order, and those of the copy that are ``new``.

    ``is_same_file`` says whether it is the very file that the fingerprints were taken from.
    """

    source: str
    file: ClauseFile
    sentences: tuple[VerifiedSentence, ...]
    new: tuple[CopiedSentence, ...]
    is_same_file: bool

    @property
    def is_alike(self) -> bool:
        """Whether every sentence stands there, in its place, and no other."""
        return not self.new and all(each.status == "matches" for each in self.sentences)

    def to_json(self) -> dict[str, Any]:
        """Return the copy as JSON values."""
        return {
            "file": self.source,
            "document": self.file.document,
            "title": self.file.title,
            "source": self.file.source,
            "edition": self.file.edition or None,
            "same_file": self.is_same_file,
            "sentences": [each.to_json() for each in self.sentences],
            "new": [{"line": each.line, "text": each.text} for each in self.new],
        }


class _Printed(NamedTuple):
    """A sentence with its fingerprint."""

    fingerprint: str
    sentence: Any


def verify_copies(rules: Rules, copies: Iterable[Source]) -> tuple[VerifiedCopy, ...]:
    """Compare copies of documents with the fingerprints of their sentences. Raises FactsError and RuleError."""
    files = [file for file in read_clause_files(rules) if any(clause.fingerprint for clause in file.clauses)]
    found, faults = [], list[Diagnostic]()
    for copy in copies:
        try:
            found.append(_verify(copy, files))
        except FactsError as error:
            faults += error.diagnostics
    if faults:
        raise FactsError(faults)
    return tuple(found)


def _verify(copy: Source, files: Sequence[ClauseFile]) -> VerifiedCopy:
    data = b"".join(_limited(copy))
    text = "".join(decode_text(data, copy.name).pieces())
    printed = [_Printed(compute_fingerprint(text), CopiedSentence(line, text)) for line, text in locate_sentences(text)]
    if len(printed) > MOST_SENTENCES:
        raise FactsError([Diagnostic(copy.name, f"has {len(printed)} sentences; allowed: {MOST_SENTENCES}")])
    known = {each.fingerprint for each in printed}
    shared = {file.name: len(known & {clause.fingerprint for clause in file.clauses}) for file in files}
    document = max(files, key=lambda file: shared[file.name], default=None)
    if document is None or not shared[document.name]:
        said = "has no sentence of a document of rules/documents/; allowed: the text of one, a paragraph a line"
        raise FactsError([Diagnostic(copy.name, said)])
    sentences, new = _aligned(_own(document, files), _alone(printed))
    same = hashlib.sha256(data).hexdigest() == document.sha256
    return VerifiedCopy(copy.name, document, tuple(sentences), tuple(new), same)


def _limited(copy: Source) -> Iterator[bytes]:
    """The bytes of a copy. Raises FactsError where they are too many."""
    size = 0
    for piece in wrap_content(copy.data).pieces():
        size += len(piece)
        if size > LARGEST_FILE:
            said = f"holds more than {LARGEST_FILE:,} bytes; allowed: so many"
            raise FactsError([Diagnostic(copy.name, said)])
        yield piece


def _own(document: ClauseFile, files: Iterable[ClauseFile]) -> list[_Printed]:
    """The sentences of a document, each once: where it has several parts, with the paths of all of them.

    Other files may have rules of one of its sentences, too.
    """
    elsewhere = list_fingerprint_paths(file for file in files if file is not document)
    found = []
    for fingerprint, clauses in groupby(document.clauses, lambda clause: clause.fingerprint):
        if fingerprint:
            first, *others = clauses
            paths = [f"{document.document}/{each.path}" for each in (first, *others)]
            said = VerifiedSentence((*paths, *elsewhere.get(fingerprint, ())), first.number, first.says, "missing")
            found.append(_Printed(fingerprint, said))
    return found


def list_fingerprint_paths(files: Iterable[ClauseFile]) -> Mapping[str, tuple[str, ...]]:
    """List the sentences of files by fingerprint, each as ``document/path``."""
    found: dict[str, tuple[str, ...]] = {}
    for file in files:
        for clause in file.clauses:
            if clause.fingerprint:
                found[clause.fingerprint] = (*found.get(clause.fingerprint, ()), f"{file.document}/{clause.path}")
    return found


def _alone(printed: Iterable[_Printed]) -> list[_Printed]:
    """The sentences of a copy; one that is repeated at once counts once."""
    return [next(same) for _, same in groupby(printed, lambda each: each.fingerprint)]


def _aligned(
    own: Sequence[_Printed], copied: Sequence[_Printed]
) -> tuple[list[VerifiedSentence], list[CopiedSentence]]:
    """What became of each sentence, and what of the copy none of them accounts for."""
    matcher = SequenceMatcher(None, [each.fingerprint for each in own], [each.fingerprint for each in copied], False)
    left = {
        each.fingerprint: each.sentence
        for tag, _, _, low, high in matcher.get_opcodes()
        for each in (copied[low:high] if tag != "equal" else ())
    }
    moved = left.keys() & {
        each.fingerprint
        for tag, low, high, _, _ in matcher.get_opcodes()
        for each in (own[low:high] if tag != "equal" else ())
    }
    sentences, new = list[VerifiedSentence](), list[CopiedSentence]()
    for tag, low, high, first, last in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(own[low:high], copied[first:last], strict=True)
            sentences += [evolve(each.sentence, status="matches", copied=there.sentence) for each, there in pairs]
            continue
        others = [each for each in copied[first:last] if each.fingerprint not in moved]
        stay = [each for each in own[low:high] if each.fingerprint not in moved]
        became = {id(each): there for each, there in zip_longest(stay, others) if each is not None}
        new += [each.sentence for each in others[len(stay) :]]
        for each in own[low:high]:
            sentences.append(_changed(each, left.get(each.fingerprint), became.get(id(each))))
    return sentences, new


def _changed(own: _Printed, moved_to: CopiedSentence | None, there: _Printed | None) -> VerifiedSentence:
    """A sentence that does not stand in its place: elsewhere, changed, or not at all."""
    said: VerifiedSentence = own.sentence
    if moved_to is not None:
        return evolve(said, status="moved", copied=moved_to)
    return said if there is None else evolve(said, status="differs", copied=there.sentence)


@frozen
class OtherSources:
    """How many sentences that rules state no copy can show: read on a page, or stated by the project itself.

    ``unsourced`` are those of which neither is said.
    """

    on_pages: int
    by_project: int
    unsourced: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {"on_pages": self.on_pages, "by_project": self.by_project, "unsourced": list(self.unsourced)}


def count_other_sources(rules: Rules) -> OtherSources:
    """Count the sentences that no copy shows, by where they are from. Raises RuleError."""
    every = [(file.document, clause) for file in read_clause_files(rules) for clause in file.clauses]
    without = [(name, clause) for name, clause in every if clause.rules and not clause.fingerprint]
    return OtherSources(
        sum(bool(clause.page) for _, clause in without),
        sum(clause.project is not None for _, clause in without),
        tuple(f"{name}/{clause.path}" for name, clause in without if is_unsourced(clause)),
    )


def is_unsourced(clause: Clause) -> bool:
    """Return whether nothing is said of where a sentence with rules is from."""
    return bool(clause.rules) and not (clause.fingerprint or clause.page or clause.project)
