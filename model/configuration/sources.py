"""Read sources: each file becomes a facts document or the scripts of queue managers, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Self, TypeVar

from attrs import define, evolve, field, frozen

from mqclause.model.diagnostics import (
    Diagnostic,
    DomainError,
    FactsError,
    check_several,
    check_type,
    escape_controls,
    quote_value,
)
from mqclause.model.facts.domains import NAME
from mqclause.model.readers.encodings import Content, ReadLimitError, read_content, share_read_budget, unpack_files
from mqclause.model.readers.facts_files import has_facts
from mqclause.model.readers.formats import FactsDocument, Format
from mqclause.model.readers.json_responses import MQWEB, PCF
from mqclause.model.readers.mqsc import BEGINNING, MQSC, OWNER
from mqclause.model.readers.records import Record, Script
from mqclause.model.readers.registry import FORMATS, read_contents, select_formats

NO_FILE = "no file is in it"
"""What is wrong with an archive of nothing."""

NOTHING_SHOWN = "nothing is shown here: no object and no status"
NO_FACTS = "has no table of a facts document: left out"

ParsedT = TypeVar("ParsedT")


@frozen
class Source:
    """A file's content, which of a large one is read later, and its name as messages show it (``-``: standard input).

    What of the name a terminal would obey is escaped. ``queue_manager`` says whose script or log it is, if it does not
    say so itself. A file that was ``found`` in a folder, and not named, is passed by with a warning where it is in no
    format that is read. An ``overlay`` changes what all other files say. ``format`` names the format that it is in;
    blank: its content tells.
    """

    name: str = field(converter=escape_controls)
    data: bytes | Content
    queue_manager: str = ""
    found: bool = False
    overlay: bool = field(default=False, kw_only=True)
    format: str = field(default="", kw_only=True)

    @classmethod
    def at(cls, path: str | Path) -> Source:
        """Open the file at ``path``; raises OSError if it cannot be opened."""
        return cls(str(path), read_content(path))


@define(eq=False)
class SourceReader:
    """Read sources, and gather their ``faults``; what may be passed by goes to ``warnings``.

    ``lenient``: so may a fault in one of MQ's own formats. ``files`` are the names of all files, in their order,
    ``unread`` of those that cannot be read.
    """

    lenient: bool = False
    faults: list[Diagnostic] = field(factory=list)
    warnings: list[Diagnostic] = field(factory=list)
    files: list[str] = field(factory=list)
    unread: list[str] = field(factory=list)

    def read(self, source: Source, parse: Callable[[Source], ParsedT]) -> Iterator[ParsedT]:
        """Give what ``parse`` makes of each file in a source; a file for which it raises FactsError costs no other.

        Raises ReadLimitError: then no further file is read.

        The files of an archive were found there, as in a folder: what cannot be read is passed by with a warning,
        unless the source is named, or said to be of a queue manager, and nothing in it can be.
        """
        is_empty, any_read, refused = True, False, list[Diagnostic]()
        try:
            for name, data in unpack_files(source.data, source.name):
                is_empty = False
                self.files.append(name)
                try:
                    parsed = parse(evolve(source, name=name, data=data))
                    is_found = source.found or (name != source.name and not source.queue_manager)
                    if is_found and isinstance(parsed, FactsDocument):
                        _check_has_facts(parsed)
                except ReadLimitError:
                    raise
                except FactsError as error:
                    self.unread.append(name)
                    refused += error.diagnostics
                else:
                    any_read = True
                    yield parsed
            if is_empty:
                raise FactsError([Diagnostic(source.name, NO_FILE)])
        except ReadLimitError:
            raise
        except FactsError as error:
            self.unread.append(source.name)
            (self.warnings if source.found else self.faults).extend(error.diagnostics)
        may_pass = source.found or (any_read and not source.queue_manager)
        (self.warnings if may_pass else self.faults).extend(refused)

    def copy(self) -> SourceReader:
        """Make a reader with the same faults so far."""
        return SourceReader(self.lenient, [*self.faults], [*self.warnings], [*self.files], [*self.unread])

    def add_script_faults(self, faults: Iterable[Diagnostic]) -> None:
        """Add what is wrong with a script, dump or log."""
        (self.warnings if self.lenient else self.faults).extend(faults)


@define(eq=False)
class SourceContents:
    """What sources hold, by the kind of it; their ``reader`` has what is wrong with them."""

    documents: list[FactsDocument] = field(factory=list)
    scripts: list[Script] = field(factory=list)
    overlays: list[Script] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    reader: SourceReader = field(factory=SourceReader)

    @classmethod
    @share_read_budget()
    def read(cls, sources: Iterable[Source], lenient: bool, formats: Sequence[Format]) -> Self:
        """Read sources, each in the first of ``formats`` that it is in.

        Raises FactsError where these are answers of a program that show nothing: whose nothing, nobody needs to say.
        """
        check_several("formats", formats)
        formats = [check_type("a format", each, Format) for each in formats]
        found = cls(reader=SourceReader(lenient))
        for source in sources:
            allowed = (MQSC.name,) if source.overlay else None
            for contents in found.reader.read(source, partial(read_file, formats=formats, allowed=allowed)):
                found._add(contents, source.overlay)
        found.scripts, contradictions = drop_duplicate_dumps(found.scripts)
        found.reader.add_script_faults(contradictions)
        faults, scripts = found.reader.faults, found.scripts
        if found.reader.warnings and not (faults or scripts or found.documents):
            faults += found.reader.warnings
        if scripts and not found.documents and all(map(shows_nothing, scripts)):
            raise FactsError([*faults, *(Diagnostic(each.source, NOTHING_SHOWN) for each in scripts)])
        return found

    def _add(self, contents: FactsDocument | tuple[Script, ...], is_overlay: bool) -> None:
        if isinstance(contents, FactsDocument):
            self.reader.faults += contents.diagnostics
            if contents.data is not None or not contents.diagnostics:
                self.documents.append(contents)
            return
        self.remarks += contents[0].remarks
        for script in contents:
            self.reader.add_script_faults(script.diagnostics)
        (self.overlays if is_overlay else self.scripts).extend(contents)


def read_file(
    file: Source, formats: Sequence[Format] = FORMATS, allowed: Sequence[str] | None = None
) -> FactsDocument | tuple[Script, ...]:
    """Read one file to a facts document, or to a script for each queue manager that it tells of.

    Raises FactsError if it is in none of ``formats``, or is of another queue manager than the caller says. Of an
    overlay the format must be one of ``allowed``.
    """
    contents = read_contents(file.data, file.name, select_formats(file.format, formats))
    if allowed is not None and contents.format not in allowed:
        raise FactsError([Diagnostic(file.name, f"is in {contents.format}; allowed for an overlay: MQSC")])
    if isinstance(contents, FactsDocument):
        _refuse_other_owner(contents, file.queue_manager)
        return contents
    return _assign_owner(contents, file.queue_manager)


def _check_has_facts(document: FactsDocument) -> None:
    """Raise FactsError if TOML or JSON that nobody named has nothing of a facts document."""
    if not has_facts(document):
        raise FactsError(document.diagnostics or [Diagnostic(document.source, NO_FACTS)])


def shows_nothing(script: Script) -> bool:
    """Whether an answer of a program shows no object, nor which commands have none to show."""
    return script.format in (MQWEB.name, PCF.name) and not (script.records or script.diagnostics or script.asked)


def drop_duplicate_dumps(scripts: Iterable[Script]) -> tuple[list[Script], list[Diagnostic]]:
    """Drop further dumps of one queue manager; also give how the dropped ones contradict the first.

    What a dump shows in comments may differ. A script that is no dump is an overlay, and stays; so does a dump of other
    objects than the first one.
    """
    dumps: dict[object, Script] = {}
    kept, contradictions = list[Script](), list[Diagnostic]()
    for script in scripts:
        of = script.queue_manager, tuple(each.ended() for each in script.coverage)
        first = dumps.setdefault(of, script) if BEGINNING in script.header else script
        if first is script:
            kept.append(script)
        else:
            contradictions += _find_difference(first, script)
    return kept, contradictions


def check_local_name(local: str | None) -> str | None:
    """Return the name that the caller gives to the local queue manager; raises FactsError if it can be none."""
    try:
        return None if local is None else NAME(local, "local queue manager")
    except DomainError as error:
        raise FactsError([Diagnostic("--from", str(error))]) from None


def get_stated_name(document: FactsDocument) -> str | None:
    """Return the name of the document's local queue manager; None if it has none, or one that cannot be."""
    try:
        return NAME(document.data["queue_manager"]["name"], "name")
    except (DomainError, KeyError, TypeError, IndexError):
        return None


def _assign_owner(script: Script, owner: str) -> tuple[Script, ...]:
    """The script, and what its file states of others, with the queue manager that the caller names for it."""
    if not owner:
        return tuple(map(_check_owner, (script, *script.further)))
    if script.queue_manager not in ("", owner) or script.further:
        says = ", ".join(each.queue_manager for each in (script, *script.further))
        raise FactsError(
            [Diagnostic(script.source, _describe_other_owner(owner, says), script.header_lines.get(OWNER))]
        )
    return (_check_owner(evolve(script, queue_manager=owner)),)


def _check_owner(script: Script) -> Script:
    try:
        return evolve(script, queue_manager=script.queue_manager and NAME(script.queue_manager, "queue manager name"))
    except DomainError as error:
        raise FactsError([Diagnostic(script.source, str(error), script.header_lines.get(OWNER))]) from None


def _refuse_other_owner(document: FactsDocument, owner: str) -> None:
    says = get_stated_name(document)
    if owner and says not in (None, owner):
        place = document.places.place_of("queue_manager", "name")
        raise FactsError([Diagnostic(document.source, _describe_other_owner(owner, says or ""), *place)])


def _describe_other_owner(owner: str, says: str) -> str:
    return f"is given as {quote_value(owner)}, but says that it is of {says}"


def _find_difference(first: Script, other: Script) -> list[Diagnostic]:
    for one, two in zip_longest(first.records, other.records):
        if one is None or two is None or _get_statement(one) != _get_statement(two):
            differs = two or one
            what = f"{differs.kind} {quote_value(differs.name)}" if differs.name else differs.kind
            message = (
                f"is another dump of {quote_value(other.queue_manager)} than {first.source}: they differ from {what} on"
            )
            return [Diagnostic(other.source, message, two.line if two else None)]
    return []


def _get_statement(record: Record) -> tuple[object, ...]:
    return record.action, record.kind, record.name, dict(record.attributes)
