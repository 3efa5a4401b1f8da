"""The contents of files: documents, scripts and overlays, before anything is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import field, fields, frozen

from mqclause.model.assembly.copies import without_copies
from mqclause.model.assembly.files import FilesWithin
from mqclause.model.assembly.local import owned, refuse_other_owner
from mqclause.model.assembly.overlay import upon
from mqclause.model.diagnostic import Diagnostic, FactsError, check_several, of_type
from mqclause.model.readers.container import one_allowance
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import states_facts
from mqclause.model.readers.format import Format
from mqclause.model.readers.mqsc.format import MQSC
from mqclause.model.readers.mqweb import MQWEB
from mqclause.model.readers.pcf import PCF
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import contents_of, only_named

if TYPE_CHECKING:
    from mqclause.model.assembly.source import Source

NOTHING_SHOWN = "nothing is shown here: no object and no status"
NO_FACTS = "has no table of a facts document: left out"


@frozen(eq=False)
class Opened:
    """The contents of the files, and what was wrong with them."""

    sources: list[str] = field(factory=list)
    unread: list[str] = field(factory=list)
    documents: list[FactsDocument] = field(factory=list)
    scripts: list[Script] = field(factory=list)
    overlays: list[Script] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    faults: list[Diagnostic] = field(factory=list)
    warnings: list[Diagnostic] = field(factory=list)

    def copied(self) -> Opened:
        """The same contents, for one of several views: each has faults and overlays of its own."""
        return Opened(*([*getattr(self, each.name)] for each in fields(Opened)))

    def lay_upon(self, local: str | None) -> list[Script]:
        """Puts overlays behind the scripts of their queue managers; what is left are those that no script describes."""
        following, others = upon(self.overlays, self.scripts, local)
        self.scripts.extend(following)
        return others


def shows_nothing(script: Script) -> bool:
    """Whether an answer of a program shows no object, nor which commands have none to show."""
    return script.format in (MQWEB.name, PCF.name) and not (script.records or script.diagnostics or script.asked)


def refuse_other_tables(document: FactsDocument) -> None:
    """Raises FactsError if TOML or JSON that nobody named has nothing of a facts document."""
    if not states_facts(document):
        raise FactsError(document.diagnostics or [Diagnostic(document.source, NO_FACTS)])


@one_allowance()
def opened_from(sources: Iterable[Source], lenient: bool, formats: Sequence[Format]) -> Opened:
    """The contents of ``sources``, each in the first of ``formats`` that it is in."""
    check_several("formats", formats)
    opened, formats = Opened(), [of_type("a format", each, Format) for each in formats]
    for source in sources:
        files = FilesWithin(source, opened.faults, opened.warnings, opened.unread)
        for file in files:
            with files.reading(file):
                _open(file, opened, lenient, formats)
    opened.scripts[:] = without_copies(opened.scripts, opened.warnings if lenient else opened.faults)
    if opened.warnings and not (opened.faults or opened.scripts or opened.documents):
        opened.faults.extend(opened.warnings)
    if opened.scripts and not opened.documents and all(map(shows_nothing, opened.scripts)):
        # Whose nothing it is, nobody needs to say.
        raise FactsError([*opened.faults, *(Diagnostic(each.source, NOTHING_SHOWN) for each in opened.scripts)])
    return opened


def _open(source: Source, opened: Opened, lenient: bool, formats: Sequence[Format]) -> None:
    """Adds what one file holds. Raises FactsError if it is in no format that is read."""
    opened.sources.append(source.name)
    contents = contents_of(source.data, source.name, only_named(source.format, formats))
    if source.overlay and not (isinstance(contents, Script) and contents.format == MQSC.name):
        raise FactsError([Diagnostic(source.name, f"is in {contents.format}; allowed for an overlay: MQSC")])
    if isinstance(contents, FactsDocument):
        if source.found:
            refuse_other_tables(contents)
        refuse_other_owner(contents, source.queue_manager)
        opened.faults.extend(contents.diagnostics)
        if contents.data is not None or not contents.diagnostics:
            opened.documents.append(contents)
        return
    opened.remarks.extend(contents.remarks)
    for script in owned(contents, source.queue_manager):
        (opened.warnings if lenient else opened.faults).extend(script.diagnostics)
        (opened.overlays if source.overlay else opened.scripts).append(script)
