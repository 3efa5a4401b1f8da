"""What was read of each file, and what all of them leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from attrs import evolve, field, frozen

from mqclause.model.configuration.completeness import (
    EVERY_STATE,
    MissingInformation,
    TruncatedDump,
    drop_answered_commands,
    find_dangling_references,
    find_partial_dumps,
    find_truncated_dumps,
    list_defined_names,
)
from mqclause.model.configuration.objects import ROW_KEYS
from mqclause.model.configuration.snapshot import Snapshot, read_every_snapshot
from mqclause.model.configuration.sources import (
    NOTHING_SHOWN,
    Source,
    SourceReader,
    get_stated_name,
    read_file,
    shows_nothing,
)
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.readers.encodings import ReadLimitError
from mqclause.model.readers.facts_files import LIST_MAKERS, read_facts
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.records import Record, Script

ReadExtent = Literal["wholly", "partly", "not"]

DISTINGUISHING_KEYS = ("CLUSTER", "CLUSQMGR", "CHANNEL", "RQMNAME", "CONNAME")
"""What tells rows of one name apart."""

NAMED = 3
"""So many channels are named whose state nobody tells."""


@frozen
class FileReport:
    """The report on one file: its format (blank: none), whose it is, how many objects of each kind it has.

    ``remarks`` say what may be missing of it, ``notes`` what it was never to hold, ``dangling`` where it refers to what
    no file defines. ``given`` names what was given: the file, or what it was packed in.
    """

    file: str
    format: str = ""
    queue_managers: tuple[str, ...] = ()
    objects: Mapping[str, int] = field(factory=dict)
    faults: tuple[Diagnostic, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    dangling: tuple[Diagnostic, ...] = ()
    scripts: tuple[Script, ...] = field(default=(), repr=False)
    given: str = field(default="", repr=False)

    @property
    def read(self) -> ReadExtent:
        """The share of the file that was read."""
        if not (self.faults or self.remarks):
            return "wholly"
        return "partly" if self.objects else "not"

    @property
    def is_refused(self) -> bool:
        """Whether nothing of it is of use: it has faults, and no object."""
        return bool(self.faults) and not self.objects


@frozen
class Needed:
    """Something that no file tells, and the queue managers at which its command tells it."""

    missing: MissingInformation
    queue_managers: tuple[str, ...]


def report_files(sources: Sequence[Source]) -> list[FileReport]:
    """Report what was read of each file; raises FactsError if nothing was read at all."""
    found = [account for source in sources for account in _report_source(source)]
    if all(each.is_refused for each in found):
        raise FactsError([fault for each in found for fault in each.faults])
    everything = [script for each in found for script in each.scripts]
    defined = list_defined_names(everything)
    return [
        evolve(
            each,
            dangling=tuple(find_dangling_references(each.scripts, defined, everything)),
            notes=tuple(find_partial_dumps(each.scripts)),
            scripts=(),
        )
        for each in found
    ]


def list_needed_commands(
    sources: Iterable[Source], found: Iterable[FileReport], local: str | None = None
) -> list[Needed]:
    """Find what the files leave out together, of each queue manager that they describe, or of ``local`` alone.

    Files that are refused, as ``found`` has it, are left out. Raises FactsError where no facts come of the others.
    """
    readable = {each.given for each in found if not each.is_refused}
    needed: dict[MissingInformation, list[str]] = {}
    for snapshot in read_every_snapshot([each for each in sources if each.name in readable], local, lenient=True):
        own = snapshot.cluster.queue_manager.name
        for each in drop_answered_commands(
            (*snapshot.incomplete, *_find_unknown_states(snapshot)), snapshot.knowledge.asked
        ):
            at = needed.setdefault(each, [])
            at.append(each.object if isinstance(each, TruncatedDump) and each.object else own)
    return [Needed(each, tuple(dict.fromkeys(at))) for each, at in needed.items()]


def _find_unknown_states(snapshot: Snapshot) -> Iterator[MissingInformation]:
    """That nobody tells whether the channels to other members run."""
    own = snapshot.cluster.queue_manager.name
    if unknown := [each.name for each in snapshot.of_unknown_state if each.queue_manager != own]:
        more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        yield MissingInformation(f"the state of {', '.join(unknown[:NAMED])}{more}", own, EVERY_STATE)


def _report_source(source: Source) -> Iterator[FileReport]:
    reader = SourceReader()
    yield from (evolve(each, given=source.name) for each in reader.read(source, _report_file))
    if faults := (*reader.faults, *reader.warnings):
        yield FileReport(source.name, faults=faults, given=source.name)


def _report_file(source: Source) -> FileReport:
    try:
        contents = read_file(source)
        return _report_document(contents) if isinstance(contents, FactsDocument) else _report_scripts(contents)
    except ReadLimitError:
        raise
    except FactsError as error:
        return FileReport(source.name, faults=error.diagnostics)


def _report_document(document: FactsDocument) -> FileReport:
    own = get_stated_name(document)
    facts = read_facts(document.data, document.source, own or "?", places=document.places)
    faults = (*document.diagnostics, *(facts.diagnostics if document.data is not None else ()))
    counts: Counter[str] = Counter()
    for table in LIST_MAKERS if isinstance(document.data, Mapping) and not faults else ():
        rows = document.data.get(table, ())
        types = (str(row.get("type", "QLOCAL")).upper() for row in rows) if table == "queue" else [table] * len(rows)
        counts.update(types)
    counts.update({"queue_manager": 1} if own and not faults else {})
    return FileReport(document.source, document.format, (own,) if own else (), +counts, tuple(faults))


def _report_scripts(scripts: Sequence[Script]) -> FileReport:
    counts = Counter[str]()
    for script in scripts:
        stating = (record for record in script.records if record.action in ("define", "alter", "observe"))
        counts.update(kind for kind, *_ in {_get_identity(record) for record in stating})
    names = dict.fromkeys(script.queue_manager for script in scripts if script.queue_manager)
    faults = tuple(fault for script in scripts for fault in script.diagnostics)
    objects, source = dict(sorted(counts.items())), scripts[0].source
    cut = (Diagnostic(source, each.what) for each in find_truncated_dumps(scripts))
    if all(map(shows_nothing, scripts)):
        faults = (*faults, Diagnostic(source, NOTHING_SHOWN))
    remarks = (*(remark for script in scripts for remark in script.remarks), *cut)
    return FileReport(source, scripts[0].format, tuple(names), objects, faults, remarks, scripts=tuple(scripts))


def _get_identity(record: Record) -> tuple[str, ...]:
    apart = (" ".join(record.listed(name)) for name in DISTINGUISHING_KEYS) if record.kind in ROW_KEYS else ()
    return record.kind, record.name, *apart
