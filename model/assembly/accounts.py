"""What was read of each file, whatever the files say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from attrs import evolve, field, frozen

from mqclause.model.assembly.covered import of_a_part
from mqclause.model.assembly.dangling import dangling, defined_in
from mqclause.model.assembly.files import NO_FILE
from mqclause.model.assembly.incomplete import EVERY_STATE, CutDump, Incomplete, cut_dumps, still_asking
from mqclause.model.assembly.local import owned, refuse_other_owner, stated_name
from mqclause.model.assembly.objects import ROWS
from mqclause.model.assembly.opened import NOTHING_SHOWN, shows_nothing
from mqclause.model.assembly.snapshot import Snapshot, read_members
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.container import unpacked
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import MANY, read_facts
from mqclause.model.readers.record import Record, Script
from mqclause.model.readers.registry import FORMATS, contents_of, only_named

HowMuch = Literal["wholly", "partly", "not"]

TELLING_APART = ("CLUSTER", "CLUSQMGR", "CHANNEL", "RQMNAME", "CONNAME")
"""What tells rows of one name apart."""

NAMED = 3
"""So many channels are named whose state nobody tells."""


@frozen
class Account:
    """What was read of one file: its format (blank: none), whose it is, how many objects of each kind it has.

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
    def read(self) -> HowMuch:
        """How much of it was read."""
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

    missing: Incomplete
    queue_managers: tuple[str, ...]


def accounts(sources: Sequence[Source]) -> list[Account]:
    """What was read of each file; raises FactsError if nothing was read at all."""
    found = [account for source in sources for account in _unpacked(source)]
    if all(each.is_refused for each in found):
        raise FactsError([fault for each in found for fault in each.faults])
    everything = [script for each in found for script in each.scripts]
    defined = defined_in(everything)
    return [
        evolve(
            each,
            dangling=tuple(dangling(each.scripts, defined, everything)),
            notes=tuple(of_a_part(each.scripts)),
            scripts=(),
        )
        for each in found
    ]


def still_needed(sources: Iterable[Source], found: Iterable[Account], local: str | None = None) -> list[Needed]:
    """What the files leave out together, of each queue manager that they describe, or of ``local`` alone.

    Files that are refused, as ``found`` has it, are left out. Raises FactsError where no facts come of the others.
    """
    readable = {each.given for each in found if not each.is_refused}
    needed: dict[Incomplete, list[str]] = {}
    for snapshot in read_members([each for each in sources if each.name in readable], local, lenient=True):
        own = snapshot.cluster.queue_manager.name
        for each in still_asking((*snapshot.incomplete, *_states(snapshot)), snapshot.asked):
            at = needed.setdefault(each, [])
            at.append(each.object if isinstance(each, CutDump) and each.object else own)
    return [Needed(each, tuple(dict.fromkeys(at))) for each, at in needed.items()]


def _states(snapshot: Snapshot) -> Iterator[Incomplete]:
    """That nobody tells whether the channels to other members run."""
    own = snapshot.cluster.queue_manager.name
    if unknown := [each.name for each in snapshot.of_unknown_state if each.queue_manager != own]:
        more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        yield Incomplete(f"the state of {', '.join(unknown[:NAMED])}{more}", own, EVERY_STATE)


def _unpacked(source: Source) -> Iterator[Account]:
    is_empty = True
    try:
        for name, data in unpacked(source.data, source.name):
            is_empty = False
            yield evolve(_account(evolve(source, name=name, data=data)), given=source.name)
        if is_empty:
            raise FactsError([Diagnostic(source.name, NO_FILE)])
    except FactsError as error:
        yield Account(source.name, faults=error.diagnostics, given=source.name)


def _account(source: Source) -> Account:
    try:
        contents = contents_of(source.data, source.name, only_named(source.format, FORMATS))
        if isinstance(contents, FactsDocument):
            refuse_other_owner(contents, source.queue_manager)
            return _of_document(contents)
        return _of_scripts(contents.format, owned(contents, source.queue_manager))
    except FactsError as error:
        return Account(source.name, faults=error.diagnostics)


def _of_document(document: FactsDocument) -> Account:
    own = stated_name(document)
    facts = read_facts(document.data, document.source, own or "?", places=document.places)
    faults = (*document.diagnostics, *(facts.diagnostics if document.data is not None else ()))
    counts: Counter[str] = Counter()
    for table in MANY if isinstance(document.data, Mapping) and not faults else ():
        rows = document.data.get(table, ())
        counts.update({table: len(rows)} if table != "queue" else _types(rows))
    counts.update({"queue_manager": 1} if own and not faults else {})
    return Account(document.source, document.format, (own,) if own else (), +counts, tuple(faults))


def _types(rows: Iterable[Mapping[str, str]]) -> Counter[str]:
    return Counter(str(row.get("type", "QLOCAL")).upper() for row in rows)


def _of_scripts(written_in: str, scripts: Sequence[Script]) -> Account:
    counts = Counter(kind for script in scripts for kind, *_ in {_object(record) for record in _stating(script)})
    names = dict.fromkeys(script.queue_manager for script in scripts if script.queue_manager)
    faults = tuple(fault for script in scripts for fault in script.diagnostics)
    objects, source = dict(sorted(counts.items())), scripts[0].source
    cut = (Diagnostic(source, each.what) for each in cut_dumps(scripts))
    if all(map(shows_nothing, scripts)):
        faults = (*faults, Diagnostic(source, NOTHING_SHOWN))
    remarks = (*(remark for script in scripts for remark in script.remarks), *cut)
    return Account(source, written_in, tuple(names), objects, faults, remarks, scripts=tuple(scripts))


def _stating(script: Script) -> Iterator[Record]:
    return (record for record in script.records if record.action in ("define", "alter", "observe"))


def _object(record: Record) -> tuple[str, ...]:
    apart = (" ".join(record.listed(name)) for name in TELLING_APART) if record.kind in ROWS else ()
    return record.kind, record.name, *apart
