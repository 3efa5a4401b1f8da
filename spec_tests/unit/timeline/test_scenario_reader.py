"""Scenario files: events as they are read, and every fault that one can have."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import Any

import pytest
from attrs import exceptions

from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import DomainError, FactsError
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.scenario import Scenario, build_scenario, read_scenario_source

FACTS: dict[str, Any] = {
    "queue_manager": {"name": "QM1", "clusters": ["SALES"]},
    "remote_queue_manager": [{"name": "QM2", "clusters": ["SALES"]}],
    "queue": [
        {"name": "APPQ", "trigger": True, "initq": "INITQ"},
        {"name": "INITQ"},
        {"name": "SHAREDQ", "shared": True},
        {"name": "FAR", "queue_manager": "QM2"},
        {"name": "APPQ.ALIAS", "type": "QALIAS", "target": "APPQ"},
        {"name": "FAR.ALIAS", "type": "QALIAS", "target": "FAR"},
        {"name": "AWAY", "type": "QREMOTE", "rname": "FAR", "rqmname": "QM2"},
        {"name": "LOST.ALIAS", "type": "QALIAS", "target": "LOST"},
    ],
    "channel": [
        {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "SALES"},
        {"name": "TO.QM1", "queue_manager": "QM1", "cluster": "SALES", "deftype": "CLUSRCVR"},
    ],
}

TEXT = """
[queue_manager]
name = "QM1"
[[queue]]
name = "APPQ"
[[event]]
do = "put"
queue = "APPQ"
priority = 12
at = 5
[[event]]
do = "ALTER"
queue = "APPQ"
set = {trigger = true, trigtype = "every"}
"""


def read(*events: Any) -> Scenario:
    return build_scenario({**FACTS, "event": list(events)}, "s.json")


def faults(*events: Any) -> list[str]:
    with pytest.raises(FactsError) as caught:
        read(*events)
    return [str(fault).removeprefix("s.json: ") for fault in caught.value.diagnostics]


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return packed.getvalue()


def alter(**given: Any) -> dict[str, Any]:
    return {"do": "alter", **given}


class TestReading:
    def test_toml(self) -> None:
        scenario = read_scenario_source(Source("s.toml", TEXT.encode()))
        assert scenario.cluster.queue_manager.name == "QM1"
        put, changed = scenario.events
        assert put == Event("put", queue="APPQ", priority=12, at=5)
        assert (changed.do, dict(changed.set)) == ("alter", {"trigger": True, "trigtype": "every"})

    def test_json(self) -> None:
        text = json.dumps({**FACTS, "event": [{"do": "restart"}]})
        assert read_scenario_source(Source("-", text.encode())).events == (Event("restart"),)

    def test_packed(self) -> None:
        as_it_is = read_scenario_source(Source("s.toml", TEXT.encode())).events
        assert read_scenario_source(Source("s.toml.gz", gzip.compress(TEXT.encode()))).events == as_it_is
        assert read_scenario_source(Source("s.zip", zipped("s.toml"))).events == as_it_is

    @pytest.mark.parametrize("names", [("empty/",), ("a.toml", "b.toml")])
    def test_packed_with_others_or_nothing(self, names: tuple[str, ...]) -> None:
        count = sum(not name.endswith("/") for name in names)
        with pytest.raises(FactsError, match=f"^s.zip: holds {count} files; allowed: one, the scenario$"):
            read_scenario_source(Source("s.zip", zipped(*names)))

    def test_no_events(self) -> None:
        assert build_scenario(FACTS, "s.json").events == ()

    def test_what_is_left_out(self) -> None:
        (event,) = read({"do": "open", "queue": "APPQ"}).events
        assert (event.mode, event.bind, event.by, event.queue_manager, event.at) == (
            "INPUT_SHARED", "AS_Q_DEF", "", "", None,
        )  # fmt: skip
        (event,) = read({"do": "put", "queue": "APPQ"}).events
        assert (event.priority, event.segments, event.persistent, event.count, event.unit_of_work) == (
            None, 1, True, 1, "",
        )  # fmt: skip

    def test_words_in_any_letter_case(self) -> None:
        (event,) = read({"do": "Open", "queue": "APPQ", "mode": "output", "bind": "notfixed"}).events
        assert (event.do, event.mode, event.bind) == ("open", "OUTPUT", "NOTFIXED")

    @pytest.mark.parametrize(
        "event",
        [
            {"do": "put", "queue": "FAR", "by": "A", "segments": 3, "persistent": False, "count": 1_000_000_000},
            {"do": "put", "queue": "APPQ.ALIAS", "unit_of_work": "U"},
            {"do": "get", "queue": "APPQ.ALIAS", "unit_of_work": "U", "count": 2},
            {"do": "open", "queue": "SHAREDQ", "queue_manager": "QM2", "mode": "INPUT_EXCLUSIVE"},
            {"do": "open", "queue": "FAR", "queue_manager": "QM2", "mode": "INPUT_SHARED"},
            {"do": "open", "queue": "FAR", "mode": "OUTPUT", "bind": "OPEN"},
            {"do": "open", "queue": "FAR.ALIAS", "mode": "BROWSE"},
            {"do": "get", "queue": "FAR"},
            {"do": "open", "queue": "ANY", "mode": "OUTPUT", "to_queue_manager": "QM2"},
            {"do": "open", "queue": "APPQ", "mode": "BROWSE", "to_queue_manager": ""},
            {"do": "close", "queue": "SHAREDQ", "queue_manager": "QM2", "by": "A"},
            {"do": "commit", "unit_of_work": "U"},
            {"do": "backout", "unit_of_work": "U"},
            {"do": "advance", "at": 2**63 - 1},
            alter(queue="FAR", queue_manager="QM2", set={"put": "DISABLED"}),
            alter(queue="APPQ", queue_manager="QM1", set={"clusters": ["SALES"]}),
            alter(channel="TO.QM2", set={"status": "RETRYING", "netprty": 3}),
            alter(queue_manager="QM2", set={"suspended": ["SALES"]}),
            alter(queue_manager="QM1", set={"trigint": 5}),
            alter(set={"suspended": ["SALES"], "clwluseq": "ANY"}),
        ],
        ids=lambda event: " ".join(map(str, event.values()))[:40],
    )
    def test_accepted(self, event: dict[str, Any]) -> None:
        assert len(read(event).events) == 1


class TestOneFault:
    @pytest.mark.parametrize(
        ("event", "message"),
        [
            (3, "event 0: 3 is given where a table is expected"),
            ({}, "event 0: do is missing; it must be given"),
            ({"do": 4}, "event 0: do: 4 is not allowed; allowed: put, get, open, close, commit, backout, alter,"
             " clear, restart, advance, suspend, resume,"
             " refresh, fail, recover, arrive"),
            ({"do": "putt"}, "event 0: do: 'putt' is not allowed; allowed: put, get, open, close, commit, backout,"
             " alter, clear, restart, advance, suspend, resume,"
             " refresh, fail, recover, arrive; did you mean 'put'?"),
            ({"do": "put"}, "event 0 (put): queue is missing; it must be given"),
            ({"do": "put", "queue": " "}, "event 0 (put): queue: ' ' is not allowed; it must name something"),
            ({"do": "get", "queue": "APPQ", "segments": 2}, "event 0 (get): a get takes no key 'segments', given as 2;"
             " allowed: do, at, queue, unit_of_work, count, by, options, match; segments is of put"),
            ({"do": "open", "queue": "APPQ", "count": 2}, "event 0 (open): an open takes no key 'count', given as 2;"
             " allowed: do, at, queue, queue_manager, by, mode, bind, to_queue_manager; count is of put and get"),
            ({"do": "commit", "unit_of_wrk": "U", "unit_of_work": "U"}, "event 0 (commit): unknown key 'unit_of_wrk',"
             " given as 'U'; allowed: do, at, unit_of_work; did you mean 'unit_of_work'?"),
            ({"do": "open", "queue": "APPQ", "mode": "OUTPT"}, "event 0 (open): mode: 'OUTPT' is not allowed; allowed:"
             " INPUT_SHARED, INPUT_EXCLUSIVE, BROWSE, OUTPUT; did you mean 'OUTPUT'?"),
            ({"do": "open", "queue": "APPQ", "mode": "BROWSE", "bind": "OPEN"}, "event 0 (open): bind: 'OPEN' is not"
             " allowed with mode 'BROWSE'; allowed with OUTPUT only"),
            ({"do": "open", "queue": "APPQ", "to_queue_manager": "QM2"}, "event 0 (open): to_queue_manager: 'QM2' is not"
             " allowed with mode 'INPUT_SHARED'; allowed with OUTPUT only"),
            ({"do": "put", "queue": "APPQ", "priority": -1}, "event 0 (put): priority: -1 is not allowed; allowed:"
             " a whole number from 0 to 2147483647"),
            ({"do": "put", "queue": "APPQ", "count": 0}, "event 0 (put): count: 0 is not allowed; allowed:"
             " a whole number from 1 to 1000000000"),
            ({"do": "put", "queue": "APPQ", "segments": True}, "event 0 (put): segments: True is not allowed; allowed:"
             " a whole number from 1 to 999999999"),
            ({"do": "put", "queue": "APPQ", "to_queue_manager": "A B"}, "event 0 (put): to_queue_manager: 'A B' is not"
             " allowed; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %"),
            ({"do": "put", "queue": "APPQ", "persistent": 1}, "event 0 (put): persistent: 1 is not allowed; allowed:"
             " true, false"),
            ({"do": "put", "queue": "APQ"}, "event 0 (put): queue 'APQ' is not known; allowed: one of the facts;"
             " did you mean 'APPQ'?"),
            ({"do": "open", "queue": "APPQ", "queue_manager": "QM3"}, "event 0 (open): queue_manager 'QM3' is not"
             " known; allowed: one of the facts; did you mean 'QM2'?"),
            ({"do": "get", "queue": "AWAY"}, "event 0 (get): queue 'AWAY' resolves to no local queue of 'QM1';"
             " a get needs one"),
            ({"do": "get", "queue": "LOST.ALIAS"}, "event 0 (get): queue 'LOST.ALIAS' resolves to no local queue of"
             " 'QM1'; a get needs one"),
            ({"do": "open", "queue": "AWAY", "mode": "BROWSE"}, "event 0 (open): queue 'AWAY' resolves to no local queue"
             " of 'QM1'; mode BROWSE needs one"),
            ({"do": "open", "queue": "APPQ", "queue_manager": "QM2"}, "event 0 (open): queue 'APPQ' resolves to no"
             " local queue of 'QM2'; mode INPUT_SHARED needs one"),
            ({"do": "commit"}, "event 0 (commit): unit_of_work is missing; it must be given"),
            (alter(), "event 0 (alter): set is missing; it must be given"),
            (alter(set={}), "event 0 (alter): set: {} is not allowed; it must name something"),
            (alter(set=[1]), "event 0 (alter): set: [1] is not allowed; allowed: a table of attributes and their new"
             " values"),
            (alter(queue="APPQ", set={"clwlrank": 10}), "event 0 (alter): set: clwlrank: 10 is not allowed; allowed:"
             " a whole number from 0 to 9"),
            (alter(queue="FAR", set={"put": "DISABLED"}), "event 0 (alter): queue 'FAR' has no instance on 'QM1';"
             " queue_manager allowed: QM2"),
            (alter(queue="NO", set={"put": "DISABLED"}), "event 0 (alter): queue 'NO' is not known; allowed: one of"
             " the facts"),
            (alter(channel="TO.QM3", set={"status": "RUNNING"}), "event 0 (alter): channel 'TO.QM3' is not known;"
             " allowed: one of the facts; did you mean 'TO.QM2'?"),
            (alter(channel="TO.QM2", queue="APPQ", set={"status": "RUNNING"}), "event 0 (alter): names a channel"
             " together with another object; allowed: one object"),
            (alter(channel="TO.QM2", set={"deftype": "CLUSRCVR"}), "event 0 (alter): set: deftype: a cluster-sender"
             " channel cannot become 'CLUSRCVR'; allowed: CLUSSDR, CLUSSDRA, CLUSSDRB"),
            (alter(queue_manager="QM2", set={"trigint": 1}), "event 0 (alter): set: a remote queue manager has no"
             " attribute 'trigint' to alter, given as 1; allowed: clusters, suspended, repository, partial_in, available"),
        ],
    )  # fmt: skip
    def test_is_told(self, event: Any, message: str) -> None:
        assert faults(event) == [message]

    @pytest.mark.parametrize("name", ["name", "queue_manager", "triger"])
    def test_attributes_that_a_queue_does_not_let_alter(self, name: str) -> None:
        (fault,) = faults(alter(queue="APPQ", set={name: "X"}))
        assert fault.startswith(f"event 0 (alter): set: a queue has no attribute '{name}' to alter, given as 'X'; ")

    def test_what_was_opened_at_another_queue_manager_can_be_closed(self) -> None:
        opened = {"do": "open", "queue": "THERE", "mode": "OUTPUT", "to_queue_manager": "QM2"}
        closed = {"do": "close", "queue": "THERE"}
        assert len(read(opened, closed).events) == 2
        assert faults(closed, opened) == ["event 0 (close): queue 'THERE' is not known; allowed: one of the facts"]

    def test_time_never_goes_back(self) -> None:
        events = [{"do": "advance", "at": at} for at in (5, 5, 4, 6)]
        assert faults(*events) == [
            "event 2 (advance): at: 4 is before 5, the time of the event before; allowed: from 5"
        ]

    def test_time_never_goes_back_behind_an_event_without_a_time(self) -> None:
        (fault,) = faults({"do": "advance", "at": 5}, {"do": "restart"}, {"do": "advance", "at": 3})
        assert fault.startswith("event 2 (advance): at: 3 is before 5")

    def test_one_table(self) -> None:
        with pytest.raises(FactsError, match=r"write \[\[event\]\] in TOML"):
            build_scenario({**FACTS, "event": {"do": "restart"}}, "s")

    @pytest.mark.parametrize("given", [3, "put", None])
    def test_no_list(self, given: object) -> None:
        with pytest.raises(FactsError, match="where a list of tables is expected"):
            build_scenario({**FACTS, "event": given}, "s")

    def test_a_script(self) -> None:
        with pytest.raises(FactsError, match="is in MQSC, which has no events"):
            read_scenario_source(Source("s.mqsc", b"DEFINE QLOCAL(A)\n"))

    @pytest.mark.parametrize("data", [None, [], 3, {}])
    def test_no_facts(self, data: object) -> None:
        with pytest.raises(FactsError):
            build_scenario(data, "s")


class TestEveryFault:
    def test_of_all_events(self) -> None:
        told = faults({"do": "put"}, {"do": "putt", "queu": "A"}, {"do": "get", "queue": "NO"})
        assert [fault.split(":")[0] for fault in told] == ["event 0 (put)", "event 1", "event 1", "event 2 (get)"]

    def test_of_the_facts_too(self) -> None:
        data = {"queue_manager": {"name": "QM1", "trigint": -1}, "event": [{"do": "putt"}]}
        with pytest.raises(FactsError) as caught:
            build_scenario(data, "s")
        assert len(caught.value.diagnostics) == 2

    def test_of_the_text_too(self) -> None:
        text = b'{"queue_manager": {"name": "QM1"}, "event": [{"do": "put", "do": "putt"}]}'
        with pytest.raises(FactsError) as caught:
            read_scenario_source(Source("s.json", text))
        first = str(caught.value.diagnostics[0])
        assert first == "s.json:1:47: event 0: key 'do' is given more than once"
        assert len(caught.value.diagnostics) == 2


class TestEvents:
    def test_are_checked_when_made(self) -> None:
        with pytest.raises(DomainError):
            Event("put", queue="A", priority=-1)

    def test_do_not_change(self) -> None:
        with pytest.raises(exceptions.FrozenInstanceError):
            Event("put").queue = "A"  # type: ignore[misc]
        with pytest.raises(TypeError):
            Event("alter", set={"put": "ENABLED"}).set["put"] = "DISABLED"  # type: ignore[index]
