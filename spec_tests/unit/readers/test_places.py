"""Where each diagnostic stands: file, line and column of the value, counted by hand in the texts below."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError

QM1 = "* Queue manager name: QM1\n"
LOG = "Starting MQSC for queue manager QM1.\n"


def told(text: str) -> list[Diagnostic]:
    with pytest.raises(FactsError) as caught:
        read_sources([Source("f", text.encode())])
    return list(caught.value.diagnostics)


def place(text: str) -> tuple[int | None, int | None]:
    (fault,) = told(text)
    return fault.line, fault.column


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (QM1 + "DEF QL(A) CLWLRANK(10)\n", (2, 11)),
        (QM1 + "DEF QL(A) +\n   DESCR('x') PUT(MAYBE)\n", (3, 15)),
        (QM1 + "DEF QL(A) CLWL-\nRANK(10)\n", (2, 11)),
        (QM1 + "DEF QL(A) +\n* remark\n\n  GET(ENABLED) +\n      CLWLPRTY(x)\n", (6, 7)),
        (QM1 + "  DEF  QL(A)  PUTT(X)\n", (2, 15)),
        (QM1 + "DEF QL(A) +\n  PUT(ENABLED) +\n  PUT(ENABLED)\n", (4, 3)),
        (QM1 + "DEF CHL(C) +\n   CLUSTER(S)\n", (2, 5)),
        (QM1 + "FOO BAR\n", (2, 1)),
        (QM1 + "DEF QL(A) CLUSNL(\n", (2, 18)),
        (QM1 + "DEF QL(A) CLUSTER(S) CLUSNL(N)\n", (2, 22)),
    ],
)
def test_in_a_script(text: str, where: tuple[int, int]) -> None:
    assert place(text) == where


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("AMQ8409I: x\n   QUEUE(A)                                TYPE(QLOCAL)\n   PUT(NO)\n", (4, 4)),
        ("AMQ8409I: x\n   QUEUE(A)                                PUT(NO)\n", (3, 44)),
        ("AMQ8409I: x QUEUE(A) PUT(NO)\n", (2, 22)),
        ("2026-01-02T03:04:05Z AMQ8409I: x\n2026-01-02T03:04:05Z    QUEUE(A) PUT(NO)\n", (3, 34)),
        ("     1 : DEF QL(A) PUT(NO)\nAMQ8006I: x\n", (2, 20)),
        ("     1 : DEF QL(A) +\n       : PUT(NO)\nAMQ8006I: x\n", (3, 10)),
        ("AMQ8409I: x\n   QUEUE(A)\n   DESCR(a\n", (4, 4)),
    ],
)
def test_in_a_log(text: str, where: tuple[int, int]) -> None:
    assert place(LOG + text) == where


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[queue_manager]\nname = "QM1"\nclwlmruc = 0\n', (3, 1)),
        ('[queue_manager]\nname = "QM1"\n\n[[queue]]\nname = "A"\n[[queue]]\nname = "B"\nclwlrank = 10\n', (8, 1)),
        ('[queue_manager]\nname = "QM1"\n\n [[queue]]\nput = "ENABLED"\n', (4, 2)),
        ('{"queue_manager": {"name": "QM1"},\n "queue": [\n  {"name": "A",\n   "colour": 1}]}', (4, 4)),
        ('{"queue_manager": {"name": "QM1"}, "queue": [{"name": "A", "clwlrank": 10}]}', (1, 60)),
        ('{"queue_manager": {"name": "QM1"},\n "queue": [{"name": "A"}, {"put": "ENABLED"}]}', (2, 27)),
        ('{"queue_manager": {"name": "QM1"},\n "queues": []}', (2, 2)),
        ('{"queue_manager": {"name": "QM1", "clwldata": "A",\n  "name": "QM1"}}', (1, 20)),
        ('[queue_manager]\nname = "QM1"\n[[queue]]\nname = "A"\n[[queue]]\nname = "A"\n', (6, 1)),
        ('[queue_manager]\nname = "QM1"\n[[message]]\nid = "M"\nqueue = "NONE"\n', (3, 1)),
        ('queue_manager = {name = "QM1", clwldata = """\\\n\n""", clwlmruc = 0}\n', (3, 6)),
        ('queue = [\n  {name = "Ä", clwlrank = 10},\n]\n[queue_manager]\nname = "QM1"\n', (2, 16)),
        ('[queue_manager]\rname = "QM1"\r   clwlmruc = 0\r', (3, 4)),
        ('\ufeff[queue_manager]\r\nname = "QM1"\r\n   clwlmruc = 0\r\n', (3, 4)),
    ],
)
def test_in_a_facts_file(text: str, where: tuple[int, int]) -> None:
    assert place(text) == where


@pytest.mark.parametrize(
    "text",
    [
        '[queue_manager]\nname = "QM1"\n  clwlmruc = 5\n',
        '{"queue_manager":\n {"name": "QM1",\n  "clwlmruc": 5}}',
    ],
)
def test_an_attribute_of_a_facts_file_is_traced_to_its_column(text: str) -> None:
    snapshot = read_sources([Source("f", text.encode())])
    origin = snapshot.provenance.of(snapshot.cluster.queue_manager, "clwlmruc")
    assert (origin.line, origin.column) == (3, 3)
