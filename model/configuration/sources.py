"""Sources: what is given becomes sources, and each file of these a facts document or scripts, whatever its format."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from glob import escape, glob, has_magic
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self, TypeAlias, TypeVar

from attrs import define, evolve, field, frozen

from mqclause.model.configuration.knowledge import write_version
from mqclause.model.diagnostics import (
    Diagnostic,
    DomainError,
    FactsError,
    check_several,
    check_type,
    escape_controls,
    name_argument,
    quote_value,
)
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.readers.encodings import (
    Content,
    ReadLimitError,
    get_read_budget,
    open_file,
    read_content,
    share_read_budget,
    unpack_files,
)
from mqclause.model.readers.facts_files import Facts, has_facts, read_facts
from mqclause.model.readers.formats import FactsDocument, Format
from mqclause.model.readers.json_responses import MQWEB, PCF
from mqclause.model.readers.mqsc import BEGINNING, MQSC, OWNER, Misplaced, read_mqsc
from mqclause.model.readers.records import LinePlace, Record, Script, Value
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
        """Read the file at ``path``; raises OSError if it cannot be opened."""
        with open_file(path) as file:
            return cls(str(path), read_content(file, str(path)))


STANDARD_INPUT = "-"

ANY_FOLDERS = re.compile(r"(?:^|(?<=/))(?:\*\*/)*\*\*(?:/|$)")
"""The part of a pattern that stands for folders in folders."""


class OpenFile(Protocol):
    """Something that is open to be read: a file, a response of a server, ``io.StringIO``."""

    def read(self) -> str | bytes:
        """Return what has not been read yet."""
        ...


Input: TypeAlias = str | Path | bytes | OpenFile | Source | Mapping[str, Any] | list[Any]
"""What can be read: the name of a file or of several, what is in one, an open file, parsed JSON or TOML."""


@frozen
class NamedFile:
    """A file that is named, or that is ``found`` in a folder or by a pattern."""

    path: str
    owner: str = ""
    found: bool = False
    format: str = ""

    def read(self) -> Source:
        """Read the file. Raises OSError where it cannot be opened, FactsError for what is no name of one."""
        with open_named(self.path) as file:
            data = read_content(file, self.path)
        return Source(self.path, data, self.owner, self.found, format=self.format)


ListedT = TypeVar("ListedT", bound=NamedFile | Source)


def text(of: str | bytes, name: str = "text", queue_manager: str = "") -> Source:
    """Return a text in memory as a source, by a name that messages have; ``queue_manager`` says whose it is."""
    check_type("name", name, str)
    check_type("queue_manager", queue_manager, str)
    data = of.encode() if isinstance(of, str) else check_type("of", of, bytes, " or str")
    return Source(name, data, queue_manager)


def list_sources(inputs: Iterable[Input]) -> list[Source]:
    """Read what each input names or holds. Raises FactsError, OSError for a file that cannot be opened, TypeError.

    Nothing to read is a FactsError: an answer about nothing would say that all is well.
    """
    check_several("sources", inputs)
    listed = [each for place, given in enumerate(inputs, 1) for each in _sources_of(given, place)]
    found = [each if isinstance(each, Source) else each.read() for each in leave_out_repeated_files(listed)]
    if not found:
        raise FactsError([Diagnostic("sources", "none is given; expected files, texts or parsed JSON to read")])
    return found


def _sources_of(given: Input, place: int) -> Iterator[Source | NamedFile]:
    """The sources of one input, or the files of which they are; it is called by its ``place`` where it has no name."""
    match given:
        case Source():
            yield given
        case str():
            yield from find_named_files(given)
        case Path():
            found = [*_in_folder(str(given))]
            if not found:
                raise FactsError([Diagnostic(str(given), "no file is there")])
            yield from found
        case bytes():
            yield text(given, f"source {place}")
        case Mapping() | list():
            yield text(json.dumps(given, default=_as_text), f"source {place}")
        case _ if callable(getattr(given, "read", None)):
            name = getattr(given, "name", None)
            yield text(given.read(), name if isinstance(name, str) else f"source {place}")
        case _:
            raise TypeError(
                f"source {place} is of the type {type(given).__name__}; "
                "expected a path, bytes, an open file, text(…) or parsed JSON"
            )


def _as_text(value: object) -> str:
    """What TOML has and JSON has not: a day and a time."""
    if hasattr(value, "isoformat"):
        return str(value)
    raise TypeError(f"{quote_value(value)} is of the type {type(value).__name__}, which neither JSON nor TOML has")


def find_named_files(name: str) -> Iterator[NamedFile]:
    """Find the files that a name stands for: ``-``, a file, a folder, a pattern, ``QM1=FILE``. Raises FactsError."""
    owner, equals, path = name.partition("=")
    owner = owner.rstrip(" ")
    if not equals or os.path.exists(name):
        owner, path = "", name
    if os.path.isdir(path):
        found = [*_in_folder(path)]
    elif path != STANDARD_INPUT and has_magic(path) and not os.path.exists(path):
        fitting = {each for each in map(Path, _fitting(path)) if os.path.isfile(each)}
        found = [NamedFile(str(each), found=True) for each in sorted(fitting)]
    else:
        yield NamedFile(path, owner)
        return
    if owner:
        raise FactsError([Diagnostic(name, f"allowed behind {owner}= is one file")])
    if not found:
        raise FactsError([Diagnostic(path, "no file is there")])
    get_read_budget().read(len(found), path)
    yield from found


def leave_out_repeated_files(files: Iterable[ListedT]) -> list[ListedT]:
    """Leave out each file that is there again: it says nothing more. It stays where it stands first.

    One that is named, or given as a queue manager's, counts before the same one found in a folder. What is given as
    that of several queue managers is read for each of them.
    """
    kept, places = list[list[ListedT]](), dict[str, list[Any]]()
    for each in files:
        if isinstance(each, Source) or each.path == STANDARD_INPUT:
            kept.append([each])
            continue
        same = places.setdefault(os.path.abspath(each.path), [])
        if not same:
            same.append(each)
            kept.append(same)
        elif each.owner and each.owner not in {other.owner for other in same}:
            same[:] = [*(other for other in same if other.owner), each]
        elif not each.owner and not each.found and same[0].found:
            same[0] = each
    return [each for same in kept for each in same]


def _in_folder(path: str) -> Iterator[NamedFile]:
    """The files of a folder, or the file that is none."""
    if not os.path.isdir(path):
        yield NamedFile(path)
        return
    for each in sorted(each for each in _below(Path(path)) if os.path.isfile(each)):
        yield NamedFile(str(each), found=True)


def _below(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, but for hidden ones; a link to a folder is not followed."""
    for above, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (Path(above, each) for each in files if not each.startswith("."))


def _fitting(pattern: str) -> Iterator[str]:
    """What fits a pattern, as of a shell; ``**`` stands for a folder and those in it, as where a folder is named."""
    found = ANY_FOLDERS.search(pattern)
    if found is None:
        yield from glob(pattern)
        return
    before, behind = pattern[: found.start()], pattern[found.end() :]
    for start in glob(before) if before else [""]:
        for above, folders, _ in os.walk(start or os.curdir):
            folders[:] = [each for each in folders if not each.startswith(".")]
            within = above if start else above[len("./") :]
            yield from _fitting(os.path.join(escape(within), behind or "*"))


def open_named(name: str) -> BinaryIO:
    """Open a file, or standard input for ``-``. Raises OSError, FactsError for what is no name of a file."""
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise FactsError([Diagnostic(name, "standard input is closed")])
        if sys.stdin.closed:  # As the first one that read it has left it.
            raise FactsError([Diagnostic(name, "standard input is named twice; allowed: once")])
        return sys.stdin.buffer
    try:
        return open_file(name)
    except ValueError:
        raise FactsError([Diagnostic(name, "is not a file name")]) from None


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
                    if is_found and isinstance(parsed, FactsDocument) and not has_facts(parsed):
                        raise FactsError(parsed.diagnostics or [Diagnostic(parsed.source, NO_FACTS)])
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
    """The contents of sources by kind; their ``reader`` has the faults."""

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
        check_type("lenient", lenient, bool)
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


def shows_nothing(script: Script) -> bool:
    """Return whether a program's answer shows no object, and no command that finds none."""
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
    """Return the name that the caller gives to the local queue manager; raises FactsError if it is not a valid name."""
    try:
        return None if local is None else NAME(local, "local queue manager")
    except DomainError as error:
        raise FactsError([Diagnostic(name_argument("local"), str(error))]) from None


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


OBJECT_FIELDS = ("name", "queue_manager", "type", "trigger", "clusters", "suspended", "platform", "host")
"""The fields that are not attributes of the same name."""

AS_A_SCRIPT = Queue | Process | QueueManager | RemoteQueueManager | QueueManagerAlias | Channel


def read_scripts(source: Source, misplaced: Misplaced, reader: SourceReader) -> Iterator[Script]:
    """Read the scripts in a source; ``reader`` gathers what is wrong with it.

    What is ``misplaced`` is no fault of a script: a check finds it.
    """
    reading = partial(read_mqsc, kept=misplaced)
    formats = [evolve(each, read=reading) if each is MQSC else each for each in FORMATS]
    for contents in reader.read(source, partial(read_file, formats=formats)):
        if isinstance(contents, FactsDocument):
            facts = read_facts(contents.data, contents.source, "?", places=contents.places)
            faults = contents.diagnostics or facts.diagnostics
            reader.faults += faults
            yield from () if faults else _build_scripts(facts, contents)
        else:
            for script in contents:
                reader.add_script_faults(script.diagnostics)
            yield from (evolve(each, overlay=source.overlay) for each in contents)


def _build_scripts(facts: Facts, document: FactsDocument) -> Iterator[Script]:
    """Write what a facts document tells as a script for each queue manager."""
    own = facts.queue_manager.name if facts.queue_manager else ""
    found: dict[str, list[Record]] = {own: [*_about_others(facts, own, document)]}
    untold = document.data.get("unknown", {}).get("clusters", ())
    in_none: dict[str, Value] = {"CLUSTER": ""}  # what the document leaves out is told all the same: in none
    for at, queue in enumerate(facts.queues):
        more = _clusters(queue.clusters) or ({} if queue.name in untold else in_none)
        more = more | ({"TRIGGER": ""} if queue.trigger else {})
        found.setdefault(queue.queue_manager, []).append(_record(queue, queue.type, document, ("queue", at), more))
    for at, alias in enumerate(facts.queue_manager_aliases):
        more = _clusters(alias.clusters) | {"RQMNAME": alias.queue_manager}
        path = ("queue_manager_alias", at)
        found.setdefault(alias.routed_to, []).append(_record(alias, "QREMOTE", document, path, more))
    found[own] += [_record(each, "PROCESS", document, ("process", at)) for at, each in enumerate(facts.processes)]
    found[own] += _channels(facts, document)
    several = [each.clusters for each in facts.queues] + [each.clusters for each in facts.queue_manager_aliases]
    listed = {",".join(names): names for names in several}
    namelists = [
        Record("define", "NAMELIST", name, {"NAMES": names, "REPLACE": ""}, source=document.source)
        for name, names in listed.items()
        if names
    ]
    for owner, records in found.items():
        yield Script(document.source, owner, (*namelists, *records), format=document.format)


def _about_others(facts: Facts, own: str, document: FactsDocument) -> Iterator[Record]:
    """The queue manager itself, and what it knows of the other members."""
    if facts.queue_manager is not None:
        path = ("queue_manager",)
        known = facts.queue_manager
        level: dict[str, Value] = {"CMDLEVEL": str(known.command_level)} if known.command_level else {}
        yield _record(known, "QMGR", document, path, {"PLATFORM": known.platform, **level})
        yield from (_row(own, document, path, _in_cluster(name, known.suspended)) for name in known.clusters)
    for at, each in enumerate(facts.remote_queue_managers):
        for name in each.clusters:
            kind = "REPOS" if each.is_full_in(name) else "NORMAL"
            attributes = _in_cluster(name, each.suspended) | {"QMTYPE": kind}
            attributes |= {"VERSION": write_version(each.command_level)} if each.command_level else {}
            yield _row(each.name, document, ("remote_queue_manager", at), attributes)
    for at, channel in enumerate(facts.channels):
        row: dict[str, Value] = {"CHANNEL": channel.name, "CLUSTER": channel.cluster, "DEFTYPE": channel.deftype}
        yield _row(channel.queue_manager, document, ("channel", at), _values(channel) | row)


def _channels(facts: Facts, document: FactsDocument) -> Iterator[Record]:
    """The channels that belong to no cluster, each as it is defined and, where that is known, as it is displayed."""
    unknown = document.data.get("unknown", {}).get("status", ())
    defined = set[str]()
    for at, each in enumerate(facts.channel_statuses):
        line, _ = document.places.place_of("channel_status", at)
        of: dict[str, Value] = {"CHLTYPE": each.type, "XMITQ": each.xmitq, "CONNAME": each.conname}
        if each.name not in defined:
            defined.add(each.name)
            yield Record("define", "CHANNEL", each.name, of, source=document.source, line=line)
        if "status" in document.data["channel_status"][at] or each.name not in unknown:
            row = of | {"RQMNAME": each.queue_manager, "STATUS": each.status}
            yield Record("observe", "CHSTATUS", each.name, row, source=document.source, line=line)


def _record(
    fact: AS_A_SCRIPT,
    kind: str,
    document: FactsDocument,
    path: tuple[str | int, ...],
    more: dict[str, Value] | None = None,
) -> Record:
    attributes = _values(fact) | (more or {})
    line, _ = document.places.place_of(*path)
    found = [_place_of(document, path, name) for name in attributes] if line else []
    places = [(of - line, column) if of else (0, 0) for of, column in found if line]
    name = "" if kind == "QMGR" else fact.name
    return Record("define", kind, name, attributes, source=document.source, line=line, places=places)


def _row(name: str, document: FactsDocument, path: tuple[str | int, ...], attributes: dict[str, Value]) -> Record:
    """What is known of a queue manager in a cluster, as DISPLAY CLUSQMGR shows it."""
    line, _ = document.places.place_of(*path)
    return Record("observe", "CLUSQMGR", name, attributes, source=document.source, line=line)


def _in_cluster(name: str, suspended: Sequence[str]) -> dict[str, Value]:
    return {"CLUSTER": name, "SUSPEND": "YES" if name in suspended else "NO"}


def _values(fact: AS_A_SCRIPT) -> dict[str, Value]:
    """The attributes of a fact that are text or a number."""
    values: dict[str, Any] = {each.name: getattr(fact, each.name) for each in fact.__attrs_attrs__}
    return {
        name.upper(): str(value)
        for name, value in values.items()
        if name not in OBJECT_FIELDS and type(value) in (str, int)
    }


def _place_of(document: FactsDocument, path: tuple[str | int, ...], attribute: str) -> LinePlace:
    """Where a key stands; (0, 0) if it is left out."""
    key = "clusters" if attribute in ("CLUSTER", "CLUSNL") else attribute.lower()
    line, column = document.places.place_of(*path, key)
    return line or 0, column or 0


def _clusters(names: Sequence[str]) -> dict[str, Value]:
    """How a script says in which clusters something is: several are a namelist's."""
    return {"CLUSTER": names[0]} if len(names) == 1 else {"CLUSNL": ",".join(names)} if names else {}
