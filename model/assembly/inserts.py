"""Inserts: what the script of all members of a uniform cluster leaves to each queue manager to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from mqclause.model.assembly.operations import told
from mqclause.model.diagnostic import Diagnostic, quoted
from mqclause.model.facts.domains import NOT_IN_NAMES
from mqclause.model.readers.record import Record, Script

OF_THE_OWNER = "+QMNAME+"
TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\w+")
MADE, NAMED_FREELY = ("define", "alter"), ("SUB", "QMGR")
"""The actions after which an object has the name, and the kinds that may have any name, or none."""

INSERT = re.compile(r"\+(?:AUTOCL|CONNAME|QMNAME)\+")


def filled_in(script: Script, owner: str) -> Script:
    """The script with its owner's name in the place of +QMNAME+; in a CLUSSDR that is the name of another one."""
    if not any(_has_insert(record) for record in script.records):
        return script
    return evolve(script, records=tuple(_filled_in(record, owner) for record in script.records))


def left_open(scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """A remark where a name is none of MQ's, or has an insert: for each source and reason once."""
    for script in scripts:
        reasons: set[str] = set()
        for record in script.records:
            if record.action in MADE and record.kind not in NAMED_FREELY:
                for name in (record.name, *record.listed("CLUSTER")):
                    reason, message = _no_name(name) if NOT_IN_NAMES.search(name) else ("", "")
                    if message and reason not in reasons:
                        reasons.add(reason)
                        yield told(record, message)


def _no_name(name: str) -> tuple[str, str]:
    """Why a name is none of MQ's, and how that is told; blank where it is filled in."""
    found = next((each for each in INSERT.findall(name) if each != OF_THE_OWNER), None)
    if found:
        said = f"{found} is filled in by the queue manager, from its qm.ini: taken as it is written"
        return found, f"{said}, so as no name that stands elsewhere; put its value there"
    if OF_THE_OWNER in name:
        return "", ""
    template = TEMPLATE.search(name)
    if template:
        return "template", f"{quoted(template[0])} is still to be filled in: taken as it is written"
    sign = NOT_IN_NAMES.findall(name)[0]
    return "sign", f"MQ allows no {quoted(sign)} in a name, and refuses this command; taken as it is written"


def answers(sender: str, receivers: Iterable[str]) -> bool:
    """Whether one of the cluster receivers is what a cluster sender of that name leads to: not the sender's own."""
    if OF_THE_OWNER not in sender:
        return sender in receivers
    pattern = re.compile("".join(".+" if part == OF_THE_OWNER else re.escape(part) for part in _parts(sender)))
    return sum(pattern.fullmatch(each) is not None for each in receivers) > 1


def insert_hint(name: str, known: Iterable[str]) -> str:
    """That one of the ``known`` names may be ``name`` once its inserts are filled in; blank if none can be."""
    for each in known:
        inserts = INSERT.findall(each) if "+" in each else []
        if inserts and re.fullmatch(".+".join(map(re.escape, INSERT.split(each))), name):
            return f"; {quoted(each)} may be it once {inserts[0]} is filled in: put its value there"
    return ""


def _parts(name: str) -> list[str]:
    return re.split(f"({re.escape(OF_THE_OWNER)})", name)


def _has_insert(record: Record) -> bool:
    return "+" in record.name and OF_THE_OWNER in record.name


def _filled_in(record: Record, owner: str) -> Record:
    if not _has_insert(record) or record.attributes.get("CHLTYPE") == "CLUSSDR":
        return record
    return evolve(record, name=record.name.replace(OF_THE_OWNER, owner))
