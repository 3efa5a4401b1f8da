"""Logs of runmqsc that are cut, mixed with other output or laid out in another way: no object is lost without a word."""

from __future__ import annotations

import pytest

from mqclause.model.readers.records import Inquiry, Record
from spec_tests.support.displayed import script
from spec_tests.support.places import without_column


def only(text: str) -> Record:
    read = script(text)
    assert read.diagnostics == ()
    (record,) = read.records
    return record


@pytest.mark.parametrize(
    ("number", "line"),
    [
        ("8409", "TYPE(QLOCAL)   PUT(DISABLED)"),
        ("8441", "CLUSTER(S)   STATUS(RUNNING)"),
        ("8414", "CHANNEL(C)   DESCR(a)"),
    ],
)
def test_an_object_that_lacks_what_tells_it_is_a_fault(number: str, line: str) -> None:
    read = script(f"AMQ{number}I: D\n   {line}\nAMQ8409I: D\n   QUEUE(Q)   TYPE(QLOCAL)\n")
    assert [each.name for each in read.records] == ["Q"]
    assert [without_column(each) for each in read.diagnostics] == [
        "log:1: a line is missing that tells what this object is or what it is called; it is not read"
    ]


def test_two_values_in_their_columns_of_which_neither_is_balanced() -> None:
    assert only("""
        AMQ8409I: Display Queue details.
           QUEUE(Q)                                TYPE(QLOCAL)
           DESCR(open ()                           TRIGDATA(closed ))
    """).attributes == {"TYPE": "QLOCAL", "DESCR": "open (", "TRIGDATA": "closed )"}


def test_values_that_are_balanced_only_together_outside_the_columns_are_a_fault() -> None:
    row = "   QUEUE(Q)  TYPE(QLOCAL)  DESCR({})  PUT(DISABLED)  TRIGDATA({})\n"
    read = script("AMQ8409I: D\n" + row.format("open (", "closed )"))
    assert (read.records, [without_column(each) for each in read.diagnostics]) == (
        (),
        ["log:2: no attribute that runmqsc displays stands here; the object is not read"],
    )
    assert only("AMQ8409I: D\n" + row.format("see  PUT(1)", "(a)  b(c)")).attributes["PUT"] == "DISABLED"


def test_a_long_line_that_ends_in_a_word_is_whole_where_runmqsc_says_how_many_commands_it_read() -> None:
    row = "   CHANNEL(TO.QM2)  CHLTYPE(CLUSSDR)  STATUS(RUNNING)  RQMNAME(QM2)  CONNAME(h(1414))  CURRENT\n"
    for last in ("6 MQSC commands read.\n", "One MQSC command read.\n", "6 MQSC-Befehle gelesen.\n"):
        assert only(f"AMQ8417I: D\n{row}{last}").attributes["STATUS"] == "RUNNING"


def test_attributes_of_a_queue_between_blank_lines_are_no_objects() -> None:
    text = "AMQ8409I: D\n\n   QUEUE(Q)         TYPE(QLOCAL)\n\n   PROCESS(P)       PUT(DISABLED)\n\n"
    assert only(text).attributes == {"TYPE": "QLOCAL", "PROCESS": "P", "PUT": "DISABLED"}


def test_attributes_below_what_another_program_wrote_are_not_lost_without_a_word() -> None:
    read = script("AMQ8409I: D\n   QUEUE(Q)    TYPE(QLOCAL)\nsaved to disk\n   PUT(DISABLED)\n   GET(DISABLED)\n")
    assert [each.attributes for each in read.records] == [{"TYPE": "QLOCAL"}]
    assert [without_column(each) for each in read.diagnostics] == [
        "log:3: another program's output stands in this line; what was displayed around it is read as far as it goes"
    ]


def test_an_old_release_shows_the_target_of_an_alias_by_its_short_word() -> None:
    old = only("AMQ8409: D\n   QUEUE(A)   TYPE(QALIAS)\n   TARGQ(BASE)   CLUSTER(S)\n")
    assert (old.attributes["TARGET"], old.place_of("TARGET")) == ("BASE", (3, 4))
    both = only("AMQ8409: D\n   QUEUE(A)   TYPE(QALIAS)\n   TARGQ(BASE)   TARGET(BASE)\n")
    assert (both.attributes["TARGET"], both.place_of("TARGET")) == ("BASE", (3, 18))


@pytest.mark.parametrize("line", ["CLWLR", "DEFBIND(OPEN)   TRIGT", "DEFBIND(OPEN)   P"])
def test_a_line_that_is_cut_in_the_name_of_an_attribute_is_a_fault(line: str) -> None:
    read = script(f"AMQ8409I: D\n   QUEUE(Q)   TYPE(QLOCAL)\n   {line}\n   REPOS( )   NOSHARE   SYNCPT\n")
    assert [without_column(each) for each in read.diagnostics] == [
        "log:3: no attribute that runmqsc displays stands here; the object is not read"
    ]
    assert read.records == ()


def test_commands_that_are_echoed_in_a_log_without_its_indentation() -> None:
    read = script(
        "Starting MQSC for queue manager QM1.\n1 : DEFINE QLOCAL(A) +\n: PUT(DISABLED)\nAMQ8006I: created.\n"
        "2 : DIS QL(*)\n10:11:12 saved\nAMQ8409I: D\nQUEUE(A) TYPE(QLOCAL)\n"
    )
    assert [(each.action, each.name, dict(each.attributes)) for each in read.records] == [
        ("define", "A", {"PUT": "DISABLED"}),
        ("observe", "A", {"TYPE": "QLOCAL"}),
    ]
    asked = (Inquiry("QLOCAL", "*"),)
    assert (read.records[0].place_of("PUT"), read.asked, read.diagnostics) == ((3, 3), asked, ())


TRANSLATED = """5724-H72 (C) Copyright IBM Corp. 1994, 2025.
{starts}

     1 : DIS QMGR
AMQ8408I: D
   QMNAME({name})
     2 : DIS QL(*)
AMQ8409I: D
   QUEUE(Q.{name})   TYPE(QLOCAL)
5724-H72 (C) Copyright IBM Corp. 1994, 2025.
{again}

     1 : DIS QL(*)
AMQ8409I: D
   QUEUE(R)   TYPE(QLOCAL)
"""


@pytest.mark.parametrize(
    "starts",
    ["MQSC für Warteschlangenmanager {} wird gestartet.", "キュー・マネージャー {} の MQSC を始動しています。"],
)
def test_a_session_begins_where_runmqsc_says_so_in_any_language(starts: str) -> None:
    first = script(TRANSLATED.format(starts=starts.format("QM1"), name="QM1", again=starts.format("QM2")))
    (second,) = first.further
    assert (first.queue_manager, [each.name for each in first.records]) == ("QM1", ["", "Q.QM1"])
    assert (second.queue_manager, [each.name for each in second.records]) == ("QM2", ["R"])
    same = script(TRANSLATED.format(starts=starts.format("QM1"), name="QM1", again=starts.format("QM1")))
    assert ([each.name for each in same.records], same.further) == (["", "Q.QM1", "R"], ())


def test_a_session_of_another_queue_manager_that_nothing_names_is_a_fault() -> None:
    first = script(TRANSLATED.format(starts="MQSC: QM1", name="QM1", again="MQSC is started once more"))
    (second,) = first.further
    assert [str(each) for each in second.diagnostics] == [
        "log:11: a session of another queue manager begins here, and nothing tells which; allowed: its log alone, as QMGR=FILE"
    ]


def test_an_object_that_has_lost_its_message_below_one_of_another_kind() -> None:
    read = script(
        "AMQ8441I: D\n   CLUSQMGR(QM1)   CHANNEL(TO.QM1)\n   CLUSTER(S)   DEFTYPE(CLUSRCVR)\n"
        "   QUEUE(A)   TYPE(QCLUSTER)\n   CLUSQMGR(QM2)   CLUSTER(S)\n   PROCESS(P)\n   PUT(DISABLED)\n"
    )
    assert [(each.kind, each.name, each.line, dict(each.attributes)) for each in read.records] == [
        ("CLUSQMGR", "QM1", 1, {"CHANNEL": "TO.QM1", "CLUSTER": "S", "DEFTYPE": "CLUSRCVR"}),
        (
            "QCLUSTER",
            "A",
            4,
            {"TYPE": "QCLUSTER", "CLUSQMGR": "QM2", "CLUSTER": "S", "PROCESS": "P", "PUT": "DISABLED"},
        ),
    ]
    assert [without_column(each) for each in read.remarks] == [
        "log:4: the message above this object is missing: lines before it may be missing, too"
    ]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n \n"])
def test_blank_lines_within_an_object_of_a_log_that_has_lost_its_indentation(between: str) -> None:
    lines = ["AMQ8409I: D", "QUEUE(Q)", "TYPE(QCLUSTER)", "CLUSQMGR(QM2)", "CLUSTER(S) PUT(DISABLED)", "AMQ8409I: D"]
    shown = {"TYPE": "QCLUSTER", "CLUSQMGR": "QM2", "CLUSTER": "S", "PUT": "DISABLED"}
    assert only(between.join(lines)).attributes == shown
    assert only("\n".join(lines[:3]) + between + "\n".join(lines[4:])).attributes["PUT"] == "DISABLED"


def test_what_another_program_wrote_below_a_blank_line_is_no_attribute() -> None:
    text = "AMQ8409I: D\nQUEUE(Q) TYPE(QLOCAL)\n\nQMNAME(QM1) STATUS(Running)\n\n$ dspmq\nQMNAME(QM2) STATUS(Running)\n"
    assert only(text).attributes == {"TYPE": "QLOCAL"}


def test_attributes_without_indentation_below_what_another_program_wrote_are_not_lost_without_a_word() -> None:
    read = script("AMQ8409I: D\nQUEUE(Q)\nTYPE(QLOCAL)\nsaved to disk\nPUT(DISABLED)\n")
    assert [without_column(each) for each in read.diagnostics] == [
        "log:4: another program's output stands in this line; what was displayed around it is read as far as it goes"
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "   CLUSQMGR(QM2)                           CLUSTER(SA\n   CLWLPRTY(5)                             PUT(DISABLED)\n",
        "   CLUSTER(S)\n   PUT(DISA\n   CLUSQMGR(QM2)\n",
        "   CLUSQMGR(QM2                           CLUSTER(S)\n",
        "   CLUSQMGR(QM2)                           CLUSTERS)\n",
        "   CLUSQMGR(QM2 CLUSTER(S) PUT(DISABLED)\n",
    ],
)
def test_a_value_without_its_end_takes_nothing_in(lines: str) -> None:
    read = script("AMQ8409I: D\n   QUEUE(Q)   TYPE(QCLUSTER)\n" + lines + "AMQ8409I: D\n   QUEUE(R)   TYPE(QLOCAL)\n")
    assert [each.name for each in read.records] == ["R"]
    assert [each.message for each in read.diagnostics] == [
        "no attribute that runmqsc displays stands here; the object is not read"
    ]
