"""What a script of MQSC commands that a test writes is read as."""

from __future__ import annotations

from textwrap import dedent

from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import Record, Script
from spec_tests.support.places import without_column


def read(text: str) -> Script:
    return read_mqsc(dedent(text).lstrip("\n"), "pay.mqsc")


def records(text: str) -> list[Record]:
    script = read(text)
    assert script.diagnostics == ()
    return list(script.records)


def record(text: str) -> Record:
    (only,) = records(text)
    return only


def attributes(text: str) -> dict[str, object]:
    return dict(record(text).attributes)


def faults(text: str) -> list[str]:
    return [without_column(fault) for fault in read(text).diagnostics]


def fault(text: str) -> str:
    (only,) = faults(text)
    return only
