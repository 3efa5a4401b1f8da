"""What is wrong with a facts file: every fault in one line, with its place, the value and what is allowed."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.snapshot import read_document
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.facts_files import Facts
from spec_tests.support.facts_text import parse_facts

LOCAL = '[queue_manager]\nname = "HQ"\n'


def faults(text: str, form: str = "toml") -> list[str]:
    return [str(found) for found in parse_facts(text, "f", form).diagnostics]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("clwlrank = 11", "clwlrank: 11 is not allowed; allowed: a whole number from 0 to 9"),
        ("clwlrank = -1", "clwlrank: -1 is not allowed; allowed: a whole number from 0 to 9"),
        ('clwlrank = "3"', "clwlrank: '3' is not allowed; allowed: a whole number from 0 to 9"),
        ("clwlrank = true", "clwlrank: True is not allowed; allowed: a whole number from 0 to 9"),
        ("clwlrank = 3.0", "clwlrank: 3.0 is not allowed; allowed: a whole number from 0 to 9"),
        ("trigger = 1", "trigger: 1 is not allowed; allowed: true, false"),
        ('put = "ENABLE"', "put: 'ENABLE' is not allowed; allowed: ENABLED, DISABLED; did you mean 'ENABLED'?"),
        ("put = true", "put: True is not allowed; allowed: ENABLED, DISABLED"),
        ('clusters = "PARTS"', "clusters: 'PARTS' is not allowed; allowed: a list of names"),
        (
            "clusters = [3]",
            "clusters: 3 is not allowed; allowed: text of 1 to 48 characters, without control characters",
        ),
        (
            'target = "a\\nb"',
            "target: 'a\\nb' is not allowed; allowed: text of 0 to 48 characters, without control characters",
        ),
        ("trigdpth = 0", "trigdpth: 0 is not allowed; allowed: a whole number from 1 to 999999999"),
        (
            "trigdpth = 1979-05-27",
            "trigdpth: 1979-05-27 is not allowed; allowed: a whole number from 1 to 999999999",
        ),
    ],
)
def test_a_value_outside_its_domain(table: str, said: str) -> None:
    text = f'{LOCAL}[[queue]]\nname = "ONE"\n[[queue]]\nname = "A.B"\n{table}\n'
    assert faults(text) == [f"f: queue 2 'A.B': {said}"]


@pytest.mark.parametrize(
    ("factor", "shown"), [("inf", "inf"), ("nan", "nan"), ("-0.5", "-0.5"), ("1e999", "inf"), ("true", "True")]
)
def test_factors_are_finite_and_not_negative(factor: str, shown: str) -> None:
    text = f'[[channel]]\nname = "C"\nqueue_manager = "B"\ndest_seq_factor = {factor}'
    assert faults(text) == [
        f"f: channel 1 'C': dest_seq_factor: {shown} is not allowed; allowed: a finite number from 0"
    ]


def test_unknown_table() -> None:
    tables = (
        "queue_manager, remote_queue_manager, queue, queue_manager_alias, channel, process, model_queue, channel_status, "
        "message, put, unknown, event, information, request, in_flight"
    )
    assert faults("[[queues]]") == [f"f: unknown table 'queues'; allowed: {tables}; did you mean 'queue'?"]
    assert faults("size = 3") == [f"f: unknown table 'size'; allowed: {tables}"]


def test_unknown_key() -> None:
    assert faults('[[process]]\nname = "P"\naplicid = "x"') == [
        "f: process 1 'P': unknown key 'aplicid', given as 'x';"
        " allowed: name, appltype, applicid, envrdata, userdata; did you mean 'applicid'?"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('password = "hidden"', "unknown key 'password'; allowed: name,"),
        ('[queue_manager.ldap]\nldappwd = "hidden"', "unknown key 'ldap', given as {'ldappwd': …}; allowed: name,"),
        ('clusters = [{Password = "hidden", name = "S"}]', "clusters: {'Password': …, 'name': 'S'} is not allowed"),
    ],
)
def test_secrets_are_not_shown(text: str, said: str) -> None:
    [fault] = faults(f'[queue_manager]\nname = "QM1"\n{text}\n')
    assert said in fault
    assert "hidden" not in fault


def test_missing_keys() -> None:
    assert faults("[queue_manager]") == ["f: queue_manager: name is missing; it must be given"]
    assert faults("[[channel]]") == [
        "f: channel 1: name is missing; it must be given",
        "f: channel 1: queue_manager is missing; it must be given",
    ]
    assert faults('[[queue]]\nname = "A"') == ["f: queue 1 'A': queue_manager is missing; it must be given"]


def test_one_table_in_place_of_a_list() -> None:
    assert faults('[queue]\nname = "A"') == [
        "f: queue: one table is given where a list of tables is expected;"
        " write [[queue]] in TOML, a list of objects in JSON"
    ]


def test_a_list_in_place_of_one_table() -> None:
    assert faults('[[put]]\nqueue = "A"') == [
        "f: put: a list is given where one table is expected; write [put] in TOML, an object in JSON"
    ]


def test_values_in_place_of_tables() -> None:
    assert faults('{"queue": 3, "put": "A", "channel": [null], "process": {}}', "json") == [
        "f: queue: 3 is given where a list of tables is expected",
        "f: put: 'A' is given where a table is expected",
        "f: channel 1: None is given where a table is expected",
        "f: process: one table is given where a list of tables is expected;"
        " write [[process]] in TOML, a list of objects in JSON",
    ]


@pytest.mark.parametrize("document", ["[1]", "null", "3", '"queue"'])
def test_a_document_is_a_table(document: str) -> None:
    (said,) = faults(document, "json")
    assert "is given where a facts document is expected; allowed: tables queue_manager," in said


def test_puts_name_a_queue_a_queue_manager_or_both() -> None:
    assert faults('[put]\nqueue = "A"\nqueue_manager = "B"') == []
    assert faults('[put]\nqueue = "A"\nqueue_manager = ""') == []


def test_every_fault_is_told() -> None:
    text = '[queue_manager]\nclwlmruc = 0\n[[queue]]\nname = 3\ngot = 1\n[[chanel]]\n[put]\ncall = "MQGET"'
    said = faults(text)
    assert [line.split(";")[0] for line in said] == [
        "f: queue_manager: clwlmruc: 0 is not allowed",
        "f: queue_manager: name is missing",
        "f: queue 1: name: 3 is not allowed",
        "f: queue 1: unknown key 'got', given as 1",
        "f: unknown table 'chanel'",
        "f: put: call: 'MQGET' is not allowed",
    ]


def test_facts_with_faults_hold_no_facts() -> None:
    facts = parse_facts(LOCAL + "[[queue]]", "f", "toml")
    assert facts == Facts("f", diagnostics=facts.diagnostics)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f: is empty"),
        (" \n", "f: is empty"),
        ("[queue_manager]\nname = HQ", "f:2:8: is not TOML: Invalid value"),
        ("[queue_manager]\nname = 'HQ", 'f:2: is not TOML: Expected "\'" at the end'),
        ("[put]\n[put]", "f:2:5: is not TOML: Cannot declare ('put',) twice"),
        ("a = " + "[" * 10_000, "f: is nested too deep"),
        ("a = " + "9" * 5000, "f:1: holds a number of too many digits"),
    ],
)
def test_text_that_is_not_toml(text: str, said: str) -> None:
    assert faults(text) == [said]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f: is empty"),
        ('{"put":\n  {,}}', "f:2:4: is not JSON: Expecting property name enclosed in double quotes"),
        ('{"put": {}}\n{"put": {}}', "f:2:1: is not JSON: Extra data"),
        ('{"a": "NaN \\" Infinity",\n "b": NaN}', "f:2:7: is not JSON: NaN is no number of JSON"),
        ('{"b": -Infinity}', "f:1:7: is not JSON: -Infinity is no number of JSON"),
        ('{"a": ' + "[" * 10_000 + "]" * 10_000 + "}", "f: is nested too deep"),
        ('{"a": ' + "9" * 5000 + "}", "f:1: holds a number of too many digits"),
    ],
)
def test_text_that_is_not_json(text: str, said: str) -> None:
    assert faults(text, "json") == [said]


def test_repeated_json_keys() -> None:
    text = '{"put": {"queue": "A", "queue": "B"}, "event": [{"set": {"x": 1, "x": 1}}], "put": {"queue": "A"}}'
    assert faults(text, "json") == [
        "f:1:2: key 'put' is given more than once",
        "f:1:50: event 0: set: key 'x' is given more than once",
    ]
    text = '{"queue": [{"name": "A"}, {"name": "B", "put": 1, "put": "ENABLED"}], "queue_manager": {"name": "HQ"}}'
    assert faults(text, "json") == ["f:1:41: queue 2 'B': key 'put' is given more than once"]


def test_numbers_and_values_that_cannot_be_shown() -> None:
    assert faults(f"[queue_manager]\nname = 'HQ'\ntrigint = 0x{'F' * 8000}") == [
        "f: queue_manager 'HQ': trigint: this int is not allowed; allowed: a whole number from 0 to 999999999"
    ]


def test_contradictions_name_both_places() -> None:
    data = {"queue_manager": {"name": "HQ"}, "queue": [{"name": "A"}, {"name": "A", "queue_manager": "HQ"}]}
    with pytest.raises(FactsError) as caught:
        read_document(data, "f")
    assert str(caught.value) == "f: queue 'A' 'HQ' is given twice; it stands in f (queue 1) and in f (queue 2)"


def test_a_queue_manager_that_is_not_known() -> None:
    data = {
        "queue_manager": {"name": "HQ"},
        "remote_queue_manager": [{"name": "NORTH"}],
        "channel": [{"name": "C", "queue_manager": "NOTRH"}],
    }
    with pytest.raises(FactsError) as caught:
        read_document(data, "f")
    assert str(caught.value) == (
        "f: channel 'C': queue_manager 'NOTRH' is not known;"
        " allowed: the local queue manager or one under remote_queue_manager; did you mean 'NORTH'?"
    )


def test_a_document_needs_its_queue_manager() -> None:
    with pytest.raises(FactsError, match=r"^f: queue_manager is missing; it must be given$"):
        read_document({}, "f")


def test_messages_are_short() -> None:
    long = "k" * 100_000
    for text, form in (
        (f"[{long}]\n[{long}]", "toml"),
        (f'{{"{long}": 1, "{long}": 2}}', "json"),
        (f'{{"event": {{"{long}": {{"a": 1, "a": 1}}}}}}', "json"),
        (f'{{"put": {{"queue": "{long}", "call": "{long}", "{long}": "{long}"}}}}', "json"),
    ):
        assert all(len(said) < 500 for said in faults(text, form))
