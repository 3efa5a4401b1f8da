"""Verify a reader's own copy of a document: which sentences stand there as they did when the rules were written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Any, Literal, NamedTuple

from attrs import asdict, evolve, frozen

from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.readers.encodings import decode_text, wrap_content
from mqclause.rulebook.clauses import (
    BULLETS,
    CLAUSE_NUMBERS,
    FINGERPRINT_LENGTH,
    SENTENCE_END,
    Clause,
    ClauseFile,
    compute_fingerprint,
    locate_sentences,
    read_clause_files,
    set_plainly,
)
from mqclause.rulebook.rules import LARGEST_FILE, Rules

FORMAT = "mqclause.verification/1"

MOST_SENTENCES = 20_000
"""So many sentences may be in a copy."""

MOST_PARTS, MOST_WAYS = 80, 32
"""A sentence is looked for over so many lines or parts of them, and in so many ways where these end in hyphens."""

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
    printed = _with_lines_joined(text, printed, {clause.fingerprint for file in files for clause in file.clauses})
    known = {each.fingerprint for each in printed}
    shared = {file.name: len(known & {clause.fingerprint for clause in file.clauses}) for file in files}
    document = max(files, key=lambda file: shared[file.name], default=None)
    if document is None or not shared[document.name]:
        said = "has no sentence of a document of rules/documents/; allowed: the text of one"
        raise FactsError([Diagnostic(copy.name, said)])
    # What is repeated at once counts once.
    alone = [next(same) for _, same in groupby(printed, lambda each: each.fingerprint)]
    sentences, new = _aligned(_own(document, files), alone)
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


def _with_lines_joined(text: str, printed: list[_Printed], wanted: Set[str]) -> list[_Printed]:
    """The sentences of a copy whose paragraphs are broken into lines, where more of them are ``wanted`` then."""
    if {each.fingerprint for each in printed} <= wanted:
        return printed
    joined = [*_join_lines([*_split_lines(text)], wanted)]
    counts = [len(wanted & {each.fingerprint for each in found}) for found in (printed, joined)]
    return joined if counts[1] > counts[0] else printed


def _split_lines(text: str) -> Iterator[CopiedSentence]:
    """The lines of a text, each cut where a sentence ends, without those that have the number of a clause alone."""
    for number, line in enumerate(text.splitlines(), 1):
        plain = set_plainly(line).strip()
        stands_before = CLAUSE_NUMBERS.match(f"{plain} ")
        begun = stands_before.end() if stands_before else 0
        if plain[begun:]:
            first, *others = SENTENCE_END.split(plain[begun:])
            yield from (CopiedSentence(number, part) for part in (plain[:begun] + first, *others))


def _join_lines(parts: Sequence[CopiedSentence], wanted: Set[str]) -> Iterator[_Printed]:
    """Join parts of lines to the longest sentences that are wanted, and what is left to sentences as they end."""
    at, left = 0, list[CopiedSentence]()
    while at < len(parts):
        end, fingerprint = _find_end(parts, at, wanted)
        if not fingerprint:
            left.append(parts[at])
            at += 1
            continue
        yield from _join_left(left)
        yield _Printed(fingerprint, _joined(parts[at:end]))
        at, left = end, []
    yield from _join_left(left)


def _find_end(parts: Sequence[CopiedSentence], first: int, wanted: Set[str]) -> tuple[int, str]:
    """Where the longest sentence ends that begins with a part and is wanted, and its fingerprint; blank: none does.

    A hyphen at the end of a line is one of the word, or of the line alone.
    """
    found, begun = (first, ""), parts[first].text
    states = [hashlib.sha256(each.removesuffix("-").encode()) for each in {begun, CLAUSE_NUMBERS.sub("", begun)}]
    for at in range(first, min(first + MOST_PARTS, len(parts))):
        if at > first:
            joints = ("", "-") if parts[at - 1].text.endswith("-") else (" ",)
            states = [_hashed_on(each, joint, parts[at].text) for each in states for joint in joints][:MOST_WAYS]
        for state in states if not parts[at].text.endswith("-") else ():
            fingerprint = state.hexdigest()[:FINGERPRINT_LENGTH]
            if fingerprint in wanted:
                found = at + 1, fingerprint
    return found


def _hashed_on(state: Any, joint: str, text: str) -> Any:
    """The hash of what is hashed already with a further part."""
    after = state.copy()
    after.update(f"{joint}{' '.join(text.removesuffix('-').split())}".encode())
    return after


def _join_left(left: Sequence[CopiedSentence]) -> Iterator[_Printed]:
    """What no sentence accounts for, cut where sentences end."""
    begun = list[CopiedSentence]()
    for each in left:
        in_list = begun and begun[0].text.startswith(BULLETS[0])
        if begun and not in_list and begun[-1].text.endswith((".", ":")) and not each.text[:1].islower():
            yield _whole(begun)
            begun = []
        begun.append(each)
    if begun:
        yield _whole(begun)


def _whole(parts: Sequence[CopiedSentence]) -> _Printed:
    sentence = _joined(parts)
    return _Printed(compute_fingerprint(sentence.text), sentence)


def _joined(parts: Sequence[CopiedSentence]) -> CopiedSentence:
    return CopiedSentence(parts[0].line, CLAUSE_NUMBERS.sub("", " ".join(each.text for each in parts)))


def _own(document: ClauseFile, files: Iterable[ClauseFile]) -> list[_Printed]:
    """The sentences of a document, each once: where it has several parts, with the paths of all of them.

    Other files may have rules of one of its sentences, too.
    """
    elsewhere = _list_fingerprint_paths(file for file in files if file is not document)
    found = []
    for fingerprint, clauses in groupby(document.clauses, lambda clause: clause.fingerprint):
        if fingerprint:
            first, *others = clauses
            paths = [f"{document.document}/{each.path}" for each in (first, *others)]
            said = VerifiedSentence((*paths, *elsewhere.get(fingerprint, ())), first.number, first.says, "missing")
            found.append(_Printed(fingerprint, said))
    return found


def _list_fingerprint_paths(files: Iterable[ClauseFile]) -> Mapping[str, tuple[str, ...]]:
    """List the sentences of files by fingerprint, each as ``document/path``."""
    found: dict[str, tuple[str, ...]] = {}
    for file in files:
        for clause in file.clauses:
            if clause.fingerprint:
                found[clause.fingerprint] = (*found.get(clause.fingerprint, ()), f"{file.document}/{clause.path}")
    return found


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
        return asdict(self)


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
