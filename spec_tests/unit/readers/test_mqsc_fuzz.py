"""Reading and assembling never raise, whatever the text is, and every line that is told is a line of the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqclause.model.configuration.view import build_view
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import Script
from spec_tests.support.deep import every
from spec_tests.support.in_proportion import takes_time_in_proportion

SCRIPT = """\
* Queue manager name: PAY1
* Queue manager platform: UNIX
ALTER QMGR +
*  QMID(PAY1_2026) +
   CLWLUSEQ(ANY) CLWLMRUC(2) +
   REPOSNL('N') +
   FORCE
def nl(N) names('A' +
     ,'b')
DEFINE QLOCAL('Q') +
* remark
   CLUSNL(N) TRIGGER TRIGDPTH(5) -
 DESCR('it''s +
   long') REPLACE;
DEF QA(S) TARGQ(Q) CLUSTER("A")
DEF QR(R) RNAME('') RQMNAME(PAY2) CLUSTER(A)
DEF CHL(TO.PAY1) CHLTYPE(CLUSRCVR) CLUSTER(A) CLWLWGHT(20) CONNAME('h(1414),i(1415)')
ALT CHL(TO.PAY1) NETPRTY(3) CHLTYPE(CLUSRCVR)
DEF PRO(P) APPLICID('run') USERDATA({{ .Data }})
DEF QL(T) LIKE(Q)
SUSPEND QMGR CLUSTER(A)
RESUME QMGR CLUSNL(N)
DELETE QL(T)
END
"""
PIECES = [
    "DEFINE ", "def", "ALTER ", "DELETE ", "QLOCAL", "QL(A)", "QALIAS(A)", "QR(B)", "CHL(C)", "CHANNEL ('x')", "NL(N)",
    "QMGR", "CHLTYPE(CLUSRCVR)", "CHLTYPE(A,B)", "CLUSTER(PAY)", "CLUSNL(N)", "NAMES(A,B)", "CLWLRANK(9)",
    "CLWLRANK(x)", "TRIGGER", "NOTRIGGER", "REPLACE", "LIKE(A)", "LIKE(B,C)", "SUSPEND QMGR ", "PASSWORD('x')", "END",
    "(", ")", "'", "''", '"', "+", "-", ";", ",", "*", "\n", "+\n", "-\n", "\n*", " ", "\t", "\r\n", "{{", "}}",
    "${", "\0", "* Queue manager name: A", "é", "\x85", "\u2028", "9" * 30,
]  # fmt: skip


def check(text: str) -> Script:
    script = read_mqsc(text, "f")
    last = text.count("\n") + 1
    for record in script.records:
        assert record.line is not None
        assert 1 <= record.line <= last
        assert len(record.places) == len(record.attributes) + len(record.informational)
        assert all(record.line + below <= last and below >= 0 and column >= 1 for below, column in record.places)
        assert all(name == name.upper() for name in record.attributes)
    for local in (None, "PAY1"):
        view = build_view([script], local)
        for fault in (*script.diagnostics, *view.diagnostics):
            assert fault.line is None or 1 <= fault.line <= last
    return script


def test_the_script_that_is_changed_below_has_no_fault() -> None:
    script = check(SCRIPT)
    assert script.diagnostics == ()
    assert len(script.records) == 12
    assert build_view([script], None).diagnostics == ()


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@settings(max_examples=100)
def test_pieces_of_commands(pieces: list[str]) -> None:
    check("".join(pieces))


@given(st.integers(0, len(SCRIPT)), st.integers(0, 20), st.sampled_from(PIECES))
@settings(max_examples=100)
def test_a_changed_script(at: int, cut: int, put: str) -> None:
    check(SCRIPT[:at] + put + SCRIPT[at + cut :])


@given(st.permutations(SCRIPT.splitlines()))
def test_a_script_with_its_lines_in_another_order(lines: list[str]) -> None:
    check("\n".join(lines))


@given(st.text(st.characters(exclude_characters="\n\0"), max_size=60))
def test_a_quoted_value_is_read_as_it_was_written(value: str) -> None:
    text = value.rstrip(" \t\r\f\v+-;") + "."
    quoted = text.replace("'", "''")
    (record,) = check(f"DEFINE QLOCAL(A) DESCR('{quoted}')").records
    assert record.attributes == {"DESCR": text}


@given(st.text(st.characters(exclude_characters="\n\0"), max_size=60), st.integers(0, 80))
def test_a_continued_command_is_read_as_the_whole_one(value: str, at: int) -> None:
    whole = "DEFINE QLOCAL(A) DESCR('{}')".format(value.rstrip(" \t\r\f\v+-;").replace("'", "''") + ".")
    head, tail = whole[:at], whole[at:]
    if tail.strip(" \t\r\f\v") and not tail.lstrip(" \t\r\f\v").startswith("*"):
        assert check(f"{head}-\n{tail}").records[0].attributes == check(whole).records[0].attributes


@pytest.mark.parametrize(
    "text",
    every(2, [
        "+\n" * 200_000,
        "DEF QL('" + "a +\n" * 200_000,
        "DEF QL('A\n" + "DEF QL(B) REPLACE\n" * 20_000,
        "DEF QL(A) DESCR(" + "(" * 200_000 + ")" * 200_000,
        "DEF QL(A) DESCR(" + "{{ " * 200_000,
        "DEF QL(A) DESCR('" + "''" * 200_000,
        "DEF QL(A) DESCR(" + "'\"" * 200_000,
        "DEF QL(A) " + "," * 400_000 + "X",
        "DEF QL(A) " + " ".join(f"W{n}(X)" for n in range(20_000)),
        "DEF QL(A) +\n" + "*  CURDEPTH(1) +\n" * 20_000 + " PUT(ENABLED)",
        "\n".join(f"DEFINE{n} QL(A)" for n in range(20_000)),
        "\n".join(f"DEFINE QLOCAL{n}(A)" for n in range(20_000)),
        "DEF QL(A)\n" * 15_000,
    ]),
)  # fmt: skip
def test_reading_takes_time_in_proportion_to_the_text(text: str) -> None:
    assert takes_time_in_proportion(check, text)
