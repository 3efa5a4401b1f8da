"""Inserts in names, like +QMNAME+, which a queue manager or a template still fills in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from mqclause.model.diagnostics import Diagnostic, quote_value
from mqclause.model.facts.domains import NOT_IN_NAMES
from mqclause.model.readers.records import Record, Script

OWNER_INSERT = "+QMNAME+"


TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\w+")


MADE, NAMED_FREELY = ("define", "alter"), ("SUB", "QMGR")
"""The actions after which an object has the name, and the kinds that may have any name, or none."""


INSERT = re.compile(r"\+(?:AUTOCL|CONNAME|QMNAME)\+")


def fill_in_inserts(script: Script, owner: str) -> Script:
    """Fill in the owner's name for +QMNAME+; in a CLUSSDR that is the name of another queue manager."""
    if not any(_has_insert(record) for record in script.records):
        return script
    return evolve(script, records=tuple(_fill_in(record, owner) for record in script.records))


def find_open_names(scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """Find names that MQ does not allow, or with an insert: one remark for each source and reason."""
    for script in scripts:
        reasons: set[str] = set()
        for record in script.records:
            if record.action in MADE and record.kind not in NAMED_FREELY:
                for name in (record.name, *record.listed("CLUSTER")):
                    reason, message = _find_name_problem(name) if NOT_IN_NAMES.search(name) else ("", "")
                    if message and reason not in reasons:
                        reasons.add(reason)
                        yield record.build_diagnostic(message)


def has_matching_receiver(sender: str, receivers: Iterable[str]) -> bool:
    """Whether one of the cluster receivers is what a cluster sender of that name leads to: not the sender's own."""
    if OWNER_INSERT not in sender:
        return sender in receivers
    pattern = re.compile(
        "".join(".+" if part == OWNER_INSERT else re.escape(part) for part in _split_at_inserts(sender))
    )
    return sum(pattern.fullmatch(each) is not None for each in receivers) > 1


def suggest_insert(name: str, known: Iterable[str]) -> str:
    """Suggest a ``known`` name that may be ``name`` once its inserts are filled in; blank if none can be."""
    for each in known:
        inserts = INSERT.findall(each) if "+" in each else []
        if inserts and re.fullmatch(".+".join(map(re.escape, INSERT.split(each))), name):
            return f"; {quote_value(each)} may be it once {inserts[0]} is filled in: put its value there"
    return ""


def _find_name_problem(name: str) -> tuple[str, str]:
    """Why a name is none of MQ's, and how that is told; blank where it is filled in."""
    found = next((each for each in INSERT.findall(name) if each != OWNER_INSERT), None)
    if found:
        said = f"{found} is filled in by the queue manager, from its qm.ini: taken as it is written"
        return found, f"{said}, so as no name that stands elsewhere; put its value there"
    if OWNER_INSERT in name:
        return "", ""
    template = TEMPLATE.search(name)
    if template:
        return "template", f"{quote_value(template[0])} is still to be filled in: taken as it is written"
    sign = NOT_IN_NAMES.findall(name)[0]
    return "sign", f"MQ allows no {quote_value(sign)} in a name, and refuses this command; taken as it is written"


def _split_at_inserts(name: str) -> list[str]:
    return re.split(f"({re.escape(OWNER_INSERT)})", name)


def _has_insert(record: Record) -> bool:
    return "+" in record.name and OWNER_INSERT in record.name


def _fill_in(record: Record, owner: str) -> Record:
    if not _has_insert(record) or record.attributes.get("CHLTYPE") == "CLUSSDR":
        return record
    return evolve(record, name=record.name.replace(OWNER_INSERT, owner))
