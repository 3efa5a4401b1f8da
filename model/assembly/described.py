"""Described queue managers: what one file says of each, as a script, whatever its format; and what if it said more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from attrs import evolve

from mqclause.model.assembly.as_records import scripts_of
from mqclause.model.assembly.attributes import read_attributes
from mqclause.model.assembly.change import BESIDES, OPTION, WhatIf, refused_change
from mqclause.model.assembly.configured_member import MAKING
from mqclause.model.assembly.files import FilesWithin
from mqclause.model.assembly.local import owned, refuse_other_owner
from mqclause.model.assembly.opened import refuse_other_tables
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import read_facts
from mqclause.model.readers.mqsc.command import Misplaced
from mqclause.model.readers.mqsc.format import MQSC
from mqclause.model.readers.mqsc.script import read_mqsc
from mqclause.model.readers.record import Record, Script
from mqclause.model.readers.registry import FORMATS, contents_of, only_named


def scripts_in(
    source: Source, misplaced: Misplaced, faults: list[Diagnostic], warnings: list[Diagnostic], lenient: bool
) -> Iterator[Script]:
    """The scripts in a file. What is wrong with it goes to ``faults`` or, where it may be passed by, ``warnings``.

    What is ``misplaced`` is no fault of a script: a check finds it.
    """
    reading = partial(read_mqsc, kept=misplaced)
    formats = only_named(source.format, [evolve(each, read=reading) if each is MQSC else each for each in FORMATS])
    files = FilesWithin(source, faults, warnings)
    for file in files:
        scripts: Iterable[Script] = ()
        with files.reading(file):
            contents = contents_of(file.data, file.name, formats)
            if isinstance(contents, FactsDocument):
                refuse_other_owner(contents, source.queue_manager)
                if file.found:
                    refuse_other_tables(contents)
                read = read_facts(contents.data, file.name, "?", places=contents.places)
                wrong = contents.diagnostics or read.diagnostics
                faults += wrong
                scripts = () if wrong else scripts_of(read, contents)
            else:
                scripts = owned(contents, source.queue_manager)
                (warnings if lenient else faults).extend(wrong for each in scripts for wrong in each.diagnostics)
                scripts = (evolve(each, overlay=source.overlay) for each in scripts)
        yield from scripts


def as_script(change: WhatIf, owner: str, clusters: Iterable[str] = ()) -> Script:
    """The script that does to the queue manager ``owner``, which is in ``clusters``, what an option says.

    Raises FactsError.
    """
    besides = BESIDES.get(change.kind, set())
    name = "" if change.kind == "QMGR" else change.name
    stated = {word: value for word, value in change.attributes.items() if word not in besides}
    states = {word: value for word, value in change.attributes.items() if word in besides}
    records = [Record("alter", change.kind, name, stated, source=OPTION)] if stated else []
    for kind, words in ((change.kind, stated), ("CLUSQMGR", states)):
        refused = read_attributes(Record("alter", kind, change.name or owner, words), "")[1]
        if refused:
            raise refused_change(change, refused)
    if "STATUS" in states:
        records.append(Record("state", "CHANNEL", name, {"STATUS": states["STATUS"]}, source=OPTION))
    if "SUSPEND" in states:
        verb = "suspend" if states["SUSPEND"] == "YES" else "resume"
        records += [Record(verb, "QMGR", "", {"CLUSTER": each}, source=OPTION) for each in sorted(clusters)]
    return Script(OPTION, owner, tuple(records), overlay=True)


def is_state(change: WhatIf) -> bool:
    """Whether an option says nothing but a state."""
    return set(change.attributes) <= BESIDES.get(change.kind, set())


def names_object(scripts: Sequence[Script], change: WhatIf) -> bool:
    """Whether scripts of one queue manager define, or show, the object that an option names."""
    return any(
        (each.kind == change.kind and each.name == change.name and each.action in MAKING)
        or (change.kind == "CHANNEL" and is_state(change) and each.attributes.get("CHANNEL") == change.name)
        or (change.kind == "CHANNEL" and is_state(change) and (each.kind, each.name) == ("CHSTATUS", change.name))
        for script in scripts
        for each in script.records
    )


def has_receiver(scripts: Sequence[Script], change: WhatIf) -> bool:
    """Whether scripts of one queue manager define the cluster receiver that an option names."""
    return any(
        each.kind == "CHANNEL" and each.name == change.name and each.attributes.get("CHLTYPE") == "CLUSRCVR"
        for script in scripts
        for each in script.records
    )
