"""What a file is, is told by its structure: what comments and texts show decides neither that nor what is read."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.formats import Contents
from mqclause.model.readers.records import Script
from mqclause.model.readers.registry import read_contents
from spec_tests.support.deep import every
from spec_tests.support.in_proportion import takes_time_in_proportion

OUTPUT = [
    "AMQ8409I: Display Queue details.",
    "AMQ9208E: Error on receive from host.",
    "AMQ8147: object not found",
    "   QUEUE(SHOWN)                            TYPE(QLOCAL)",
    "     1 : DISPLAY QLOCAL(SHOWN)",
    "       : ALL",
    "5724-H72 (C) Copyright IBM Corp. 1994, 2031.",
    "Starting MQSC for queue manager QM9.",
    "[mqm@host ~]$ runmqsc QM9",
    "CSQM201I !CSQ7 CSQMDRTC  DISPLAY QUEUE DETAILS 610",
    "09.15.01 STC04711  CSQM201I !CSQ7 CSQMDRTC  DISPLAY QUEUE DETAILS 610",
    "   610             QUEUE(SHOWN)",
    '{"commandResponse": [{"parameters": {"queue": "SHOWN"}}]}',
    '{"ibm_messageId": "AMQ9999E"}',
    "[queue_manager]",
    "[[queue]]",
    "name = 'SHOWN'",
    "put.queue = 'SHOWN'",
    "#!/bin/sh",
    "runmqsc QM9 <<EOF",
    "EOF",
    "data: |-",
    "kind: ConfigMap",
    "//SYSIN DD *",
    "/*",
    "01/02/31 10:00:00 - Process(1.1) User(mqm) Program(amqzlaa0)",
    "----- amqrccca.c : 1 ----------------------------------------",
    "{% if cluster %}",
    "<?xml version='1.0'?>",
    "QueueManager:",
    "   Name=QM9",
    "QMNAME(QM9) STATUS(Running)",
]
SCRIPT = """DEFINE QLOCAL(STOCK) +
   CLUSTER(PARTS) -
   DESCR('of the -
shop') REPLACE
DEF CHL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(PARTS) +
  CONNAME('two(1414)')
ALTER QMGR +
  DEADQ(DLQ)
""".splitlines()

shown = st.sampled_from(OUTPUT)


def read(lines: list[str]) -> list[tuple[object, ...]]:
    contents = read_contents("\n".join([*lines, ""]).encode(), "f")
    assert isinstance(contents, Script)
    assert contents.diagnostics == ()
    assert (contents.format, contents.queue_manager) == ("MQSC", "")
    return [(each.action, each.kind, each.name, dict(each.attributes)) for each in contents.records]


AS_IT_IS = read(SCRIPT)


@given(
    st.lists(st.tuples(st.integers(0, len(SCRIPT)), shown, st.sampled_from(["*", "* ", "  *   ", "***"])), max_size=8)
)
def test_a_comment_anywhere_changes_nothing(remarks: list[tuple[int, str, str]]) -> None:
    lines = [*SCRIPT]
    for at, text, star in remarks:
        lines.insert(at, star + text)
    assert read(lines) == AS_IT_IS


@given(st.integers(0, len(SCRIPT) - 1), shown, st.integers(0, 60), st.sampled_from(["", "-\n", "+\n  "]))
def test_a_text_in_quotes_changes_that_text_alone(at: int, text: str, cut: int, goes_on: str) -> None:
    text = text.strip()
    # A line that begins so is a comment, in a command that goes on, too.
    assume(not text[cut:].lstrip().startswith("*"))
    more = f"DEFINE PROCESS(P) USERDATA('{(text[:cut] + goes_on + text[cut:] if cut < len(text) else text).replace(chr(39), chr(34))}')"
    begins = [0, 4, 6]
    where = min(begins, key=lambda each: abs(each - at))
    found = read([*SCRIPT[:where], *more.split("\n"), *SCRIPT[where:]])
    assert [each for each in found if each[1] != "PROCESS"] == AS_IT_IS
    assert len(found) == len(AS_IT_IS) + 1


@pytest.mark.parametrize("line", OUTPUT)
def test_what_stands_behind_the_end_of_a_script_is_not_looked_at(line: str) -> None:
    assert read([*SCRIPT, "END", line, "   QUEUE(SHOWN) TYPE(QLOCAL)"]) == AS_IT_IS


def test_remarks_alone_do_not_hide_what_a_log_is() -> None:
    log = "* saved by hand\n\nStarting MQSC for queue manager QM9.\n     1 : DIS QL(*)\nAMQ8409I: D\n   QUEUE(A) TYPE(QLOCAL)\n"
    contents = read_contents(log.encode(), "f")
    assert isinstance(contents, Script)
    assert (contents.format, contents.queue_manager) == ("runmqsc", "QM9")


PIECES = [
    "#!/bin/sh\n", "runmqsc QM1 <<E\n", "E\n", "cat <<-'E' | runmqsc QM2\n", "kind: X\n", "data: |-\n", "  a: >\n", "- |2\n",
    "    DEFINE QLOCAL(A)\n", "DEFINE QLOCAL(B) +\n", "  CLUSTER(S)\n", "//A JOB\n", "//B EXEC PGM=CSQUTIL,PARM='CSQ7'\n",
    "//I DD *\n", "//I DD DATA,DLM=XX\n", "/*\n", "XX\n", "```\n", "* c\n", "\n", "END\n", "{% x %}\n", "AMQ8409I: D\n",
    "   QUEUE(Q) TYPE(QLOCAL)\n", "{", '{"commandResponse":[]}\n', "QM1=QM9\n", "echo 'DEF QL(C)' | runmqsc $QM1\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_whatever_is_put_together_is_read_or_refused(pieces: list[str]) -> None:
    text = "".join(pieces)
    with suppress(FactsError):
        check(read_contents(text.encode(), "f"), text)


def check(contents: Contents, text: str) -> None:
    if isinstance(contents, Script):
        last = text.count("\n") + 1
        for each in (contents, *contents.further):
            assert all(1 <= (fault.line or 1) <= last for fault in (*each.diagnostics, *each.notes))
            assert all(1 <= (record.line or 1) <= last for record in each.records)


@pytest.mark.parametrize(
    "text",
    every(2, [
        "#!/bin/sh\n" + "cat <<E\n" * 20_000,
        "a: |\n" * 20_000 + "  DEFINE QLOCAL(A)\n",
        "a:\n" + "- |\n  DEFINE QLOCAL(A)\n" * 5_000,
        "//A DD *\n" * 20_000,
        "DEF QL('" + "AMQ1234: +\n" * 50_000,
        "* AMQ1234: x\n" * 50_000,
        "runmqsc QM1 <<E " * 20_000,
        "# x\n" + "```\n" * 20_000,
        "# x\n" + "```x\n" * 20_000,
        "# x\n" + "```\nDEFINE QLOCAL(A)\n```\n" * 40_000,
        "k: " + "!a: " * 20_000 + "x |\n",
        "//A EXEC PGM=CSQUTIL," + "CSQUTIL" * 50_000,
        "\n" * 200_000 + "x",
        "[" * 200_000,
        "{" * 200_000 + '"',
        '{"commandResponse": []}\n' * 10_000,
        "01/02/31 10:00:00 - Process(1.1) \n" * 20_000,
        "a=" * 100_000,
        "QM=QM1\n" * 20_000,
    ]),
)  # fmt: skip
def test_telling_what_a_text_is_takes_time_in_proportion_to_it(text: str) -> None:
    def told(part: str) -> None:
        with suppress(FactsError):
            read_contents(part.encode(), "f")

    assert takes_time_in_proportion(told, text)
