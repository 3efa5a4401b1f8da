"""Answers of mqweb: the same view as that of runmqsc's output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.configuration.view import build_view
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.json_responses import read_mqweb
from mqclause.model.readers.registry import read_contents
from spec_tests.support.displayed import BANNER, LOG, script


def answer(*rows: dict[str, Any]) -> str:
    items = [{"completionCode": 0, "reasonCode": 0, "parameters": row} for row in rows]
    return json.dumps({"commandResponse": items, "overallCompletionCode": 0, "overallReasonCode": 0})


def as_rows(log: str) -> list[dict[str, Any]]:
    """What the log displays, as mqweb shows it: keys in lower case, whole numbers as numbers."""
    named_by = {"QMGR": "qmname", "QCLUSTER": "queue", "QLOCAL": "queue", "QSTATUS": "queue", "CLUSQMGR": "clusqmgr"}
    rows = []
    for record in script(log).records:
        row: dict[str, Any] = {named_by[record.kind]: record.name or "QM1"}
        for name, value in record.attributes.items():
            row[name.lower()] = int(str(value)) if str(value).isdecimal() else value
        rows.append(row)
    return rows


def read(*texts: str) -> Snapshot:
    return read_sources([Source(f"f{number}", text.encode()) for number, text in enumerate(texts)])


def test_the_same_cluster_as_that_of_the_log() -> None:
    told, shown = read(BANNER + LOG).cluster, read(answer(*as_rows(BANNER + LOG))).cluster
    for name in ("queue_manager", "remote_queue_managers", "channels", "queues", "queue_manager_aliases"):
        assert getattr(shown, name) == getattr(told, name)


def test_answers_in_text() -> None:
    lines = [line for line in LOG.splitlines() if not line.lstrip()[:3].endswith(" :")]
    text = json.dumps({"commandResponse": [{"completionCode": 0, "reasonCode": 0, "text": lines}]})
    assert read(text).cluster.channels == read(BANNER + LOG).cluster.channels


def in_text(*answers: list[str]) -> str:
    return json.dumps({"commandResponse": [{"completionCode": 0, "reasonCode": 0, "text": each} for each in answers]})


def test_what_cannot_be_read_of_an_answer_in_text_is_told() -> None:
    cut = ["AMQ8409I: Display Queue details.", "   QUEUE(Q)   TYPE(QLOCAL)", "   DESCR(a"]
    with pytest.raises(
        FactsError, match=r"^f0:1: no attribute that runmqsc displays stands here; the object is not read$"
    ):
        read(in_text(["AMQ8408I: Display Queue Manager details.", "   QMNAME(QM1)"], cut))
    headless = read(in_text(["   QMNAME(QM1)   TRIGINT(5)", "AMQ8408I: D"])).remarks
    assert [str(each) for each in headless] == [
        "f0:1: the message above this object is missing: lines before it may be missing, too"
    ]


def test_an_answer_in_text_that_shows_nothing_is_no_fault() -> None:
    script = read_mqweb(in_text(["AMQ8147E: IBM MQ object A not found."], ["AMQ8014I: IBM MQ channel created."]), "f")
    assert (script.records, script.diagnostics) == ((), ())


def test_what_an_answer_in_text_shows_stands_where_the_answer_begins() -> None:
    script = read_mqweb(in_text(["", "AMQ8409I: D", "   QUEUE(Q)   TYPE(QLOCAL)"]), "f")
    assert [(each.line, each.place_of("TYPE")) for each in script.records] == [(1, (1, None))]


def test_an_answer_in_text_that_ends_in_a_word_is_whole() -> None:
    script = read_mqweb(in_text(["AMQ8409I: D", "   QUEUE(Q)   TYPE(QLOCAL)", "   NOTRIGGER"]), "f")
    assert [dict(each.attributes) for each in script.records] == [{"TYPE": "QLOCAL", "NOTRIGGER": ""}]
    assert script.remarks == ()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"queue": None, "type": "QLOCAL"}, "QUEUE: None is not allowed; allowed: a text or a whole number"),
        ({"queue": ["Q"], "type": "QLOCAL"}, "QUEUE: ['Q'] is not allowed; allowed: a text or a whole number"),
        (
            {"queue": "Q", "type": "QLOCAL", "cluster": 1.5},
            "QUEUE 'Q': CLUSTER: 1.5 is not allowed; allowed: a text or a whole number",
        ),
        (
            {"queue": "Q", "type": "QLOCAL", "put": True},
            "QUEUE 'Q': PUT: True is not allowed; allowed: a text or a whole number",
        ),
        (
            {"queue": "Q", "type": "QLOCAL", "initq": {"a": 1}},
            "QUEUE 'Q': INITQ: {'a': 1} is not allowed; allowed: a text or a whole number",
        ),
        (
            {"queue": "Q", "type": "LOCAL"},
            "QUEUE 'Q': TYPE: 'LOCAL' is not allowed; "
            "allowed: QLOCAL, QALIAS, QREMOTE, QMODEL, QCLUSTER, QUEUE, HANDLE; did you mean 'QLOCAL'?",
        ),
        (
            {"queue": "Q", "type": "QLOCAL", "trigger": "perhaps"},
            "QUEUE 'Q': TRIGGER: 'perhaps' is not allowed; allowed: true, false, yes, no, TRIGGER or nothing",
        ),
        (
            {"queue": "Q", "type": "QLOCAL", "noshare": 5},
            "QUEUE 'Q': NOSHARE: 5 is not allowed; allowed: true, false, yes, no, NOSHARE or nothing",
        ),
        (
            {"queue": "Q", "type": ["QCLUSTER"]},
            "QUEUE 'Q': TYPE: ['QCLUSTER'] is not allowed; allowed: a text or a whole number",
        ),
    ],
)
def test_a_value_that_no_object_has_is_told(row: dict[str, Any], told: str) -> None:
    script = read_mqweb(answer({"qmname": "QM1"}, row), "f")
    assert [str(each) for each in script.diagnostics] == [f"f:1: {told}"]
    assert [each.kind for each in script.records] == ["QMGR"]


def test_the_target_of_an_alias_by_its_short_word() -> None:
    (record,) = read_mqweb(answer({"queue": "A", "type": "QALIAS", "targq": "BASE"}), "f").records
    assert record.attributes == {"TYPE": "QALIAS", "TARGET": "BASE"}


def test_a_value_that_is_not_there_is_not_shown() -> None:
    (record,) = read_mqweb(answer({"queue": "Q", "type": "QLOCAL", "put": None, "descr": 5}), "f").records
    assert record.attributes == {"TYPE": "QLOCAL", "DESCR": "5"}


@pytest.mark.parametrize(("value", "trigger"), [
    ("", True), (True, True), ("yes", True), ("Yes", True), ("true", True),
    ("no", False), (False, False), ("No", False), ("FALSE", False),
])  # fmt: skip
def test_words_that_stand_alone(value: object, trigger: bool) -> None:
    row = {"queue": "Q", "type": "QLOCAL", "trigger": value, "clwlrank": 0}
    (record,) = read_mqweb(answer(row), "f").records
    assert ("TRIGGER" in record.attributes) is trigger
    assert ("NOTRIGGER" in record.attributes) is not trigger
    assert record.attributes["CLWLRANK"] == "0"
    (record,) = read_mqweb(answer({"queue": "Q", "type": "QLOCAL", "notrigger": value}), "f").records
    assert ("TRIGGER" in record.attributes) is not trigger


def test_an_object_stands_on_the_line_of_its_parameters() -> None:
    text = json.dumps(json.loads(answer({"qmname": "QM1"}, {"queue": "Q", "type": "QLOCAL"})), indent=1)
    lines = [at for at, line in enumerate(text.splitlines(), 1) if '"parameters"' in line]
    assert [each.line for each in read_mqweb(text, "f").records] == lines


@pytest.mark.parametrize("between", ["\n", "\n\n", "", ",\n"])
def test_several_answers_in_one_file_are_one_queue_managers(between: str) -> None:
    script = read_mqweb(answer({"queue": "Q", "type": "QLOCAL"}) + between + answer({"qmname": "QM1"}) + "\n", "f")
    assert (script.queue_manager, [each.kind for each in script.records]) == ("QM1", ["QLOCAL", "QMGR"])
    listed = f"[{answer({'queue': 'Q', 'type': 'QLOCAL'})},\n{answer({'qmname': 'QM1'})}]"
    assert [each.kind for each in read_mqweb(listed, "f").records] == ["QLOCAL", "QMGR"]
    assert read_contents(listed.encode(), "f").format == "mqweb"


def test_answers_of_several_queue_managers_are_told_apart() -> None:
    one, two = answer({"qmname": "QM1"}, {"queue": "A", "type": "QLOCAL"}), answer({"qmname": "QM2"})
    first = read_mqweb(f"{one}\n{two}\n{one}", "f")
    (second,) = first.further
    assert [(each.queue_manager, len(each.records)) for each in (first, second)] == [("QM1", 4), ("QM2", 1)]
    nobodys = read_mqweb(f"{one}\n{two}\n{answer({'queue': 'B', 'type': 'QLOCAL'})}", "f")
    assert [str(each) for each in nobodys.diagnostics] == [
        "f:3: this answer does not tell which queue manager it is of; QM1, QM2 are told of in others;"
        " allowed: a file for each"
    ]


def test_answers_that_were_cut_are_no_json() -> None:
    with pytest.raises(FactsError, match=r"^f0:\d+:\d+: is not JSON"):
        read(f"{answer({'qmname': 'QM1'})}\n{answer({'queue': 'Q'})[:-4]}")


def test_handles_are_rows_of_one_answer() -> None:
    row = {"queue": "Q", "type": "HANDLE", "objects": [{"input": "SHARED"}, {"input": "NO"}]}
    own = {"qmname": "QM1", "clwluseq": "ANY"}
    assert read(answer(own, row)).observed["Q", "QM1"]["IPPROCS"] == "1"


def test_nothing_found_and_errors() -> None:
    none = {"commandResponse": [{"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: not found"]}]}
    assert read_mqweb(json.dumps(none), "f").records == ()
    error = {"error": [{"msgId": "MQWB0112E", "type": "rest", "message": "MQWB0112E: the token failed."}]}
    with pytest.raises(FactsError, match=r"f0:1: mqweb answered with an error: 'MQWB0112E: the token failed\.'"):
        read(json.dumps(error))


def test_secrets_are_not_kept() -> None:
    row = {"channel": "C", "chltype": "SDR", "password": "opensesame"}
    assert "sesame" not in repr(read_mqweb(answer(row), "f"))


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (3, ["commandResponse: 3 is not allowed; allowed: a list of answers to commands"]),
        (
            [3, [{"parameters": {"queue": "Q"}}]],
            ["commandResponse: 3 ", "commandResponse: [{'parameters': {'queue': 'Q'}}] "],
        ),
        ([{"parameters": 4}, {"parameters": [{"queue": "Q"}]}], ["parameters: 4 ", "parameters: [{'queue': 'Q'}] "]),
        ([{"text": 5}, {"text": ["a", 5]}], ["text: 5 ", "text: ['a', 5] "]),
        ([{"parameters": {"handle": "x", "objects": {"input": "NO"}}}], ["objects: {'input': 'NO'} "]),
        ([{"completionCode": 0, "reasonCode": 0}], []),
    ],
)
def test_what_is_no_answer_is_no_object_and_is_told(answers: object, told: list[str]) -> None:
    script = read_mqweb(json.dumps({"commandResponse": answers}), "f")
    assert script.records == ()
    said = [str(each) for each in script.diagnostics]
    assert len(said) == len(told)
    assert all(line.startswith(f"f:1: {begun}") for line, begun in zip(said, told, strict=True))


def test_what_stands_beside_one_is_read() -> None:
    own = {"completionCode": 0, "parameters": {"queue": "Q", "type": "QLOCAL"}}
    script = read_mqweb(json.dumps({"commandResponse": [None, own]}), "f")
    assert [each.name for each in script.records] == ["Q"]
    assert [str(each) for each in script.diagnostics] == [
        "f:1: commandResponse: None is not allowed; allowed: answers to commands"
    ]


WORDS = st.sampled_from(
    ["QM1", "QM2", "Q", "C", "S", "QCLUSTER", "QLOCAL", "CLUSRCVR", "RUNNING", "YES", "QMGR", "HANDLE"]
)
VALUES = st.one_of(WORDS, st.text(max_size=60), st.integers(), st.booleans(), st.none(), st.lists(WORDS, max_size=2))
KEYS = st.sampled_from(
    [
        "queue",
        "clusqmgr",
        "channel",
        "cluster",
        "type",
        "deftype",
        "status",
        "suspend",
        "clusqt",
        "qmname",
        "input",
        "objects",
        "names",
        "trigger",
        "text",
    ]
)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=8), max_size=5))
def test_any_answer(rows: list[dict[str, Any]]) -> None:
    script = read_mqweb(answer(*rows), "f")
    build_view([script], script.queue_manager or "QM1")


def faults(text: str, name: str = "f") -> list[str]:
    with pytest.raises(FactsError) as caught:
        read_sources([Source(name, text.encode(), "QM7")])
    return [str(each) for each in caught.value.diagnostics]


def test_a_key_that_stands_twice_in_an_object_is_a_fault() -> None:
    """Of one answer with its place; of several with the line on which each begins; in capitals, too."""
    twice = answer({"queue": "STOCK", "type": "QLOCAL", "put": "ENABLED"}).replace('"put"', '"put": "DISABLED", "put"')
    (told,) = faults(twice.replace('"parameters"', '\n "parameters"', 1))
    assert told == "f:2:2: commandResponse 1: parameters: key 'put' is given more than once"
    (told,) = faults(answer({"queue": "BOOKS", "type": "QLOCAL"}) + "\n" + twice)
    assert told == "f:2: commandResponse 1: parameters: key 'put' is given more than once"
    (told,) = faults(answer({"queue": "STOCK", "type": "QLOCAL", "put": "ENABLED", "PUT": "DISABLED"}))
    assert told == "f:1: key 'PUT' is given more than once in other letters"
    assert read_sources([Source("f", answer({"queue": "STOCK", "type": "QLOCAL"}).encode(), "QM7")]).cluster.queues


@pytest.mark.parametrize("attribute", ["CURDEPTH", "IPPROCS"])
@pytest.mark.parametrize(
    ("value", "is_one"), [("0", True), ("999999999", True), ("1" + "0" * 400, False), ("x7", False)]
)
def test_a_count_that_no_queue_has_is_a_fault(attribute: str, value: str, is_one: bool) -> None:
    """By every reader, in a definition as in a status; nothing of it is passed over."""
    number = int(value) if value.isdigit() else value
    row = f"   QUEUE(STOCK)   TYPE(QLOCAL)   {attribute}({value})\n"
    status = f"   QUEUE(STOCK)   TYPE(QUEUE)   {attribute}({value})\n"
    pcf = {"MQCA_Q_NAME": "STOCK", "MQIA_Q_TYPE": 1, {"CURDEPTH": "3", "IPPROCS": "17"}[attribute]: number}
    given = [
        answer({"queue": "STOCK", "type": "QLOCAL", attribute.lower(): number}),
        json.dumps([pcf]),
        f"1 : DISPLAY QLOCAL(*) ALL\nAMQ8409I: Display Queue details.\n{row}",
        f"1 : DISPLAY QSTATUS(*) ALL\nAMQ8450I: Display queue status details.\n{status}",
    ]
    for text in given:
        if is_one:
            read_sources([Source("f", text.encode(), "QM7")])
            continue
        (told,) = faults(text)
        assert f"'STOCK': {attribute}: '{value[:20]}" in told
        assert told.endswith("allowed: a whole number from 0 to 999999999")


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ({"completionCode": 2, "reasonCode": 2035, "message": ["AMQ8135E: Not authorized."]}, ["'AMQ8135E: Not authorized.'"]),
        ({"completionCode": 2, "reasonCode": 2035}, ["'reason code 2035'"]),
        ({"completionCode": 0, "reasonCode": 0, "message": "AMQ8135E: Not authorized."}, ["'AMQ8135E: Not authorized.'"]),
        ({"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: IBM MQ object A not found."]}, []),
        ({"completionCode": 0, "reasonCode": 0, "message": [5]}, []),
    ],
)  # fmt: skip
def test_a_command_that_was_refused_for_want_of_authority_is_told(refused: dict[str, Any], said: list[str]) -> None:
    """That an object is not there is an answer; that nobody may ask is none."""
    shown = json.loads(answer({"qmname": "QM1"}))
    shown["commandResponse"].append(refused)
    told = [each.message for each in read(json.dumps(shown)).remarks]
    assert told == [f"a command was refused: {each}; what it would show is not known" for each in said]


def test_an_attribute_that_mqsc_does_not_have_is_told_once() -> None:
    """Those that it has and nobody uses are not, nor what it shows beside what is defined."""
    shown = {"type": "QLOCAL", "acctq": "QMGR", "crdate": "2026-02-03", "qmid": "QM1_2026", "tpipe": ""}
    queues = [{"queue": name, **shown, "clwlrang": 4} for name in ("RED", "BLUE")]
    text = answer({"qmname": "QM1", "cmdlevel": 930, "xrcap": "NO"}, *queues)
    assert [each.message for each in read(text).remarks] == [
        "MQSC has no attribute CLWLRANG, so it is passed by; did you mean 'CLWLRANK'?"
    ]
    assert read(text.replace("clwlrang", "clwlrank")).remarks == ()
