"""Where sources show the same object with different values: which of them counts is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqclause.model.assembly.attributes import FACT_ATTRIBUTES, same_value
from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.mq_object import OPPOSITE_FLAGS, MqObject
from mqclause.model.assembly.operations import told
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.readers.record import Record, Script


def shown_otherwise(record: Record, known: MqObject) -> Iterator[tuple[str, Diagnostic]]:
    """The attributes that ``record`` shows otherwise than they are ``known``, each with what is said of it; of a flag
    and its opposite the one that comes last in the alphabet.

    What a command sets counts, else what was displayed last. A display before the command, in the same source, shows
    what was so before.
    """
    for name in record.attributes if known.statements else ():
        before = OPPOSITE_FLAGS.get(name, name)
        by = known.stating(before) if name in OPPOSITE_FLAGS or name in FACT_ATTRIBUTES[record.kind] else None
        if by is None or _is_earlier(record, by) or _is_same(record, by, name, before):
            continue
        shown, other = _word(record, name), _word(by, before)
        if by.action == "observe":
            said = f"{shown} is shown, and {other} at {_place(by, before)}; the last one given counts"
        else:
            said = f"{shown} is shown, and {_place(by, before)} states {other}, which counts"
        yield max(name, before), told(record, said, name)


def not_shown(found: Iterable[MqObject], scripts: Sequence[Script]) -> Iterator[tuple[MqObject, Diagnostic]]:
    """The objects that a script defines and that a log of another file was asked for and does not show."""
    logs = [(each, Inquired(each.asked)) for each in scripts if each.asked]
    shown = [{(record.kind, record.name) for record in each.records} for each, _ in logs]
    for each in found if logs else ():
        if each.record.action == "define":
            for (log, asked), there in zip(logs, shown, strict=True):
                is_other = log.source not in {by.source for by in (each.record, *each.statements)}
                if is_other and (each.kind, each.name) not in there and asked.tells(each.kind, each.name):
                    said = f"{log.source} was asked for it and shows none: one of the two is out of date"
                    yield each, told(each.record, f"{said}; it counts as defined")
                    break


def _is_earlier(record: Record, by: Record) -> bool:
    return by.action != "observe" and record.source == by.source and (record.line or 0) < (by.line or 0)


def _is_same(record: Record, by: Record, name: str, before: str) -> bool:
    return name == before and same_value(record.kind, name, record.attributes[name], by.attributes[name])


def _word(record: Record, name: str) -> str:
    return name if name in OPPOSITE_FLAGS else f"{name}({','.join(record.listed(name))})"


def _place(by: Record, name: str) -> str:
    line = by.line_of(name)
    return by.source if line is None else f"{by.source}:{line}"
