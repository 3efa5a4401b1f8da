"""Dumps of one queue manager that are given several times: the same again adds nothing, another one contradicts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from mqclause.model.diagnostic import Diagnostic, quoted
from mqclause.model.readers.mqsc.script import BEGINNING
from mqclause.model.readers.record import Record, Script


def without_copies(scripts: Iterable[Script], faults: list[Diagnostic]) -> list[Script]:
    """The scripts without further dumps of one queue manager; what contradicts the first one goes to ``faults``.

    What a dump shows in comments may differ. A script that is no dump is an overlay, and stays; so does a dump of other
    objects than the first one.
    """
    dumps: dict[object, Script] = {}
    kept = []
    for script in scripts:
        of = script.queue_manager, tuple(each.ended() for each in script.coverage)
        first = dumps.setdefault(of, script) if BEGINNING in script.header else script
        if first is script:
            kept.append(script)
        else:
            faults.extend(_differences(first, script))
    return kept


def _differences(first: Script, other: Script) -> list[Diagnostic]:
    for one, two in zip_longest(first.records, other.records):
        if one is None or two is None or _stated(one) != _stated(two):
            differs = two or one
            what = f"{differs.kind} {quoted(differs.name)}" if differs.name else differs.kind
            message = (
                f"is another dump of {quoted(other.queue_manager)} than {first.source}: they differ from {what} on"
            )
            return [Diagnostic(other.source, message, two.line if two else None)]
    return []


def _stated(record: Record) -> tuple[object, ...]:
    return record.action, record.kind, record.name, dict(record.attributes)
