"""Reading what runmqsc displays never raises, and takes time in proportion to the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.configuration.view import build_view
from mqclause.model.readers.records import Script
from mqclause.model.readers.runmqsc import read_runmqsc
from spec_tests.support.deep import every
from spec_tests.support.displayed import BANNER, LOG
from spec_tests.support.in_proportion import takes_time_in_proportion

PIECES = [
    "AMQ8409I: D\n", "AMQ8441I: D\n", "AMQ8150E: D\n", "   QUEUE(Q) TYPE(QCLUSTER)\n", "   CLUSQMGR(QM2)\n",
    "   CHANNEL(C) CHLTYPE(CLUSSDR)\n", "   STATUS(RUNNING)\n", "   CLUSTER(S)\n", "     1 : DEFINE QLOCAL(A)\n",
    "       : CLUSTER(S)\n", "Starting MQSC for queue manager QM1.\n", "(", ")", "'", ",", "NAMES(A", "\n", " ", "END\n",
    "   CLWLRANK(x)\n", "2026-01-02T03:04:05Z ", "CLUSQMGR(", "QMNAME(", "\0", "é",
]  # fmt: skip


def check(text: str) -> Script:
    script = read_runmqsc(text, "f")
    last = text.count("\n") + 1
    for each in (script, *script.further):
        assert all(1 <= (fault.line or 1) <= last for fault in each.diagnostics)
        assert all(len(record.places) == len(record.attributes) + len(record.informational) for record in each.records)
        build_view([each], each.queue_manager or "QM1")
    return script


def test_the_log_that_is_changed_below_has_no_fault() -> None:
    assert check(BANNER + LOG).diagnostics == ()


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_pieces_of_logs(pieces: list[str]) -> None:
    check("".join(pieces))


@given(st.integers(0, len(LOG)), st.integers(0, 60), st.sampled_from(PIECES))
def test_a_changed_log(at: int, cut: int, put: str) -> None:
    check(BANNER + LOG[:at] + put + LOG[at + cut :])


BEGIN = "AMQ8409I: D\n   QUEUE(Q) TYPE(QLOCAL)\n"


@pytest.mark.parametrize(
    "text",
    every(2, [
        BEGIN + "   NAMES(A\n" + "    ,B\n" * 50_000,
        BEGIN + "   DESCR(" + "(" * 200_000,
        BEGIN + "   DESCR(" + ") " * 100_000 + "(",
        BEGIN + "   X(Y)" * 50_000,
        BEGIN * 5_000,
        "     1 : DEFINE QLOCAL(A) +\n" + "       : CLUSTER(S) +\n" * 20_000,
        BEGIN + "   A" + " " * 200_000 + "(",
        BEGIN + "   QL(A) +" + "\n   DESCR(A) +" * 20_000,
    ]),
)  # fmt: skip
def test_reading_takes_time_in_proportion_to_the_text(text: str) -> None:
    assert takes_time_in_proportion(lambda part: read_runmqsc(part, "f"), text)
