"""``mqclause facts``: what was read, as a facts file that gives the same answers, and what was read of each file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from attrs import asdict
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mqclause import read_document
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.model.readers.facts_files import LIST_TABLES
from mqclause.tools.commands.declared import commands_command, explain_command, facts_command, why_command
from mqclause.tools.commands.facts import AT_ONCE, render_toml
from mqclause.tools.commands.reference import ALL_KINDS, list_display_commands
from spec_tests.support.explain_command import bad, written
from spec_tests.support.facts_document import build_facts_document
from spec_tests.support.mqsc_script import read
from spec_tests.support.random_clusters import situations
from spec_tests.support.three_members import QM1, QM2, QM3, done, refusal


def facts(*arguments: str) -> dict[str, Any]:
    status, text = done(facts_command, *arguments)
    assert status == 0
    return json.loads(text) if "json" in arguments else tomllib.loads(text)


def answer(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done(explain_command, *arguments, "--put", "Q", "--json")[1])
    del found["assumptions"]  # what files cannot tell: those of a facts file are no longer those of scripts
    return found


@pytest.fixture
def members(tmp_path: Path) -> list[str]:
    texts = {"QM1": QM1, "QM2": QM2, "QM3": QM3}
    return [written(tmp_path, text, f"{name}.mqsc") for name, text in texts.items()]


class TestWritten:
    def test_what_is_stated_is_there_and_what_is_not_is_not(self, members: list[str]) -> None:
        own = facts(*members, "--from", "QM1")
        assert own["queue_manager"] == {"name": "QM1", "clusters": ["S"], "clwluseq": "ANY"}
        assert own["queue"][0] == {
            "name": "Q", "queue_manager": "QM2", "type": "QLOCAL", "clusters": ["S"], "clwlprty": 4,
            "defbind": "NOTFIXED",
        }  # fmt: skip
        assert own["channel"][1] == {
            "name": "TO.QM2", "queue_manager": "QM2", "cluster": "S", "deftype": "CLUSSDRA", "clwlwght": 70,
        }  # fmt: skip
        assert own["unknown"] == {"status": ["TO.QM1", "TO.QM2", "TO.QM3"]}
        assert "OWN" not in [each["name"] for each in own["queue"]]

    def test_lists_are_written_as_people_write_them(self, members: list[str]) -> None:
        text = done(facts_command, *members, "--from", "QM1")[1]
        assert 'clusters = ["S"]\n' in text
        assert 'status = ["TO.QM1", "TO.QM2", "TO.QM3"]\n' in text

    def test_one_form_is_asked_for(self, members: list[str]) -> None:
        own = [*members, "--from", "QM1"]
        assert done(facts_command, *own, "--json") == done(facts_command, *own, "--to", "json")
        assert done(facts_command, *own, "--sources", "--json") == done(
            facts_command, *own, "--sources", "--to", "json"
        )
        for other in ("--json", "--sources"):
            said = [f"--to toml is a facts file; leave it out for {other}"]
            assert bad("facts", *own, "--to", "toml", other) == said

    def test_in_both_forms_it_is_the_same(self, members: list[str]) -> None:
        assert facts(*members, "--from", "QM1") == facts(*members, "--from", "QM1", "--to", "json")

    @pytest.mark.parametrize("to", ["toml", "json"])
    def test_read_back_it_gives_the_same_answer(self, tmp_path: Path, members: list[str], to: str) -> None:
        path = written(tmp_path, done(facts_command, *members, "--from", "QM1", "--to", to)[1], f"facts.{to}")
        assert answer(path) == answer(*members, "--from", "QM1")
        assert answer(path)["incomplete"] != []  # whether the channels run is as unknown as before

    def test_the_state_of_the_local_receiver_stays_unknown(self, tmp_path: Path) -> None:
        """It matters where the local instance stands on it."""
        host = "* Queue manager name: {0}\nALTER QMGR CLWLUSEQ(ANY)\nDEFINE QLOCAL(Q) CLUSTER(S)\n"
        host += "DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(S)\n"
        hosts = [written(tmp_path, host.format(name), f"{name}.mqsc") for name in ("QM1", "QM2")]
        path = written(tmp_path, done(facts_command, *hosts, "--from", "QM1")[1], "facts.toml")
        reading = ("--reading", "local-instance-competes=clusrcvr-channels")
        assert [each["object"] for each in answer(path, *reading)["incomplete"]] == ["TO.QM1", "TO.QM2"]
        assert answer(path, *reading) == answer(*hosts, "--from", "QM1", *reading)

    def test_written_again_it_is_the_same(self, tmp_path: Path, members: list[str]) -> None:
        once = facts(*members, "--from", "QM1", "--to", "json")
        assert facts(written(tmp_path, once), "--to", "json") == once

    def test_what_is_set_is_written(self, members: list[str]) -> None:
        found = facts(*members, "--from", "QM1", "--status", "TO.QM2=STOPPED")
        assert [each.get("status") for each in found["channel"]] == [None, "STOPPED", None]
        assert found["unknown"] == {"status": ["TO.QM1", "TO.QM3"]}

    def test_what_is_left_open_is_told(self, tmp_path: Path) -> None:
        shown = "Starting MQSC for queue manager QM1.\nAMQ8409I: D\n   QUEUE(A) TYPE(QLOCAL)\n   PUT({})\n"
        logs = [written(tmp_path, shown.format(put), f"{put}.log") for put in ("ENABLED", "DISABLED")]
        result = CliRunner().invoke(facts_command, [*logs, "--json"], standalone_mode=False)
        assert json.loads(result.stdout)["queue"] == [
            {"name": "A", "queue_manager": "QM1", "type": "QLOCAL", "put": "DISABLED"}
        ]
        said = f"QLOCAL 'A': PUT(DISABLED) is shown, and PUT(ENABLED) at {logs[0]}:4; the last one given counts"
        assert result.stderr.splitlines() == [f"remark: {logs[1]}:4:4: {said}"]

    def test_an_unknown_depth_stays_unknown(self, tmp_path: Path) -> None:
        script = """
            * Queue manager name: QM2
            DEFINE QLOCAL(A) TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(5) PROCESS(P) INITQ(I)
            DEFINE QLOCAL(I)
            DEFINE PROCESS(P)
            """
        lines = "\n".join(line.strip() for line in script.splitlines())
        path = written(tmp_path, lines, "QM2.mqsc")
        filed = written(tmp_path, facts(path))
        verdicts = [json.loads(done(why_command, "A", each, "--json")[1])["verdict"] for each in (path, filed)]
        assert verdicts == ["depends", "depends"]
        known = facts(path, "--to", "json")
        del known["unknown"]  # then nothing is on the queue, and one message more is not five
        status, text = done(why_command, "A", written(tmp_path, known), "--json")
        assert (status, json.loads(text)["verdict"]) == (1, "does not")


@given(situations())
@settings(max_examples=25, deadline=None)
def test_any_facts_read_back_are_the_same(situation: tuple[Cluster, Put]) -> None:
    cluster, put = situation
    document: dict[str, Any] = {"queue_manager": asdict(cluster.queue_manager), "put": asdict(put)}
    document |= {table: [asdict(fact) for fact in getattr(cluster, name)] for name, table in LIST_TABLES.items()}
    for row in document["queue"]:
        row.pop("ipprocs")
    first = read_document(json.loads(json.dumps(document)), "first")
    again = read_document(tomllib.loads("".join(render_toml(build_facts_document(first)))), "again")
    assert (again.put, again.cluster.queue_manager) == (first.put, first.cluster.queue_manager)
    assert [getattr(again.cluster, name) for name in LIST_TABLES] == [
        getattr(first.cluster, name) for name in LIST_TABLES
    ]


@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20))
def test_any_text_is_written_in_toml(text: str) -> None:
    assert tomllib.loads("".join(render_toml({"process": [{"applicid": text}]}))) == {"process": [{"applicid": text}]}


def test_a_path_of_windows_is_no_escape() -> None:
    assert (
        "".join(render_toml({"process": [{"applicid": r"C:\x86\run"}]})).splitlines()[1] == r'applicid = "C:\\x86\\run"'
    )


class TestUnknown:
    def test_what_is_named_must_be_there(self, tmp_path: Path) -> None:
        given = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "Q"}], "unknown": {"curdepth": ["QQ"]}}
        found = refusal(explain_command, written(tmp_path, given), "--put", "Q")
        assert found.endswith("unknown: curdepth: no queue 'QQ' is in this document; did you mean 'Q'?")

    def test_what_its_table_gives_is_known(self, tmp_path: Path) -> None:
        given = {
            "queue_manager": {"name": "QM1"},
            "queue": [{"name": "Q", "curdepth": 3}, {"name": "R"}],
            "unknown": {"curdepth": ["Q", "R"]},
        }
        assert facts(written(tmp_path, given), "--to", "json")["unknown"] == {"curdepth": ["R"]}


class TestSources:
    def test_a_line_for_each_file(self, tmp_path: Path, members: list[str]) -> None:
        broken = written(tmp_path, "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) PUTT(ENABLED)\n", "broken.mqsc")
        text = done(facts_command, "--sources", members[1], broken)[1].splitlines()
        assert text[0] == f"{members[1]}: MQSC of QM2: 1 CHANNEL, 2 QLOCAL; read wholly"
        assert text[1] == f"{broken}: MQSC: 1 QLOCAL; read partly"
        assert text[2].startswith(f"  {broken}:2:18: ")
        assert "PUTT" in text[2]

    def test_what_is_nowhere_defined(self, tmp_path: Path) -> None:
        head = "* Queue manager name: QM9\n"
        one = written(
            tmp_path, f"{head}DEFINE QLOCAL(A) +\n PROCESS(P) INITQ(I)\nDEFINE QALIAS(L) TARGET(A)\n", "1.mqsc"
        )
        two = written(tmp_path, f"{head}DEFINE QLOCAL(I)\nALTER QMGR DEADQ(SYSTEM.DEAD) REPOSNL(N)\n", "2.mqsc")
        found = json.loads(done(facts_command, "--sources", one, two, "--json")[1])["dangling"]
        assert [tuple(each.values()) for each in found] == [
            (one, 3, 2, "QLOCAL 'A': PROCESS refers to a process that is nowhere defined: 'P'"),
            (two, 3, 31, "QMGR: REPOSNL refers to a namelist that is nowhere defined: 'N'"),
        ]
        assert done(facts_command, "--sources", one, two)[1].splitlines()[1].startswith(f"  {one}:3:2: QLOCAL 'A': ")

    def test_as_a_document(self, tmp_path: Path, members: list[str]) -> None:
        odd = written(tmp_path, "nothing at all", "odd.txt")
        found = json.loads(done(facts_command, "--sources", "--json", members[1], odd)[1])
        assert found["format"] == "mqclause.sources/1"
        assert found["files"][0] == {
            "file": members[1], "format": "MQSC", "queue_managers": ["QM2"], "objects": {"CHANNEL": 1, "QLOCAL": 2},
            "read": "wholly", "faults": [],
        }  # fmt: skip
        assert (found["files"][1]["read"], found["files"][1]["objects"]) == ("not", {})
        assert found["files"][1]["faults"][0].keys() == {"line", "column", "message"}

    def test_the_commands_that_are_still_needed(self, tmp_path: Path, members: list[str]) -> None:
        """A log of QM5 shows a queue of QM6 and no channel; scripts tell of no channel's state, each of those to others."""
        log = (
            "Starting MQSC for queue manager QM5.\n     1 : DISPLAY QCLUSTER(*) ALL\nAMQ8409I: Display Queue details.\n"
        )
        log += "   QUEUE(CRATES) TYPE(QCLUSTER) CLUSQMGR(QM6) CLUSQT(QLOCAL) CLUSTER(YARD)\n"
        yard = written(tmp_path, log, "yard.log")
        lines = done(facts_command, "--sources", yard)[1].splitlines()
        assert [each.partition(": ") for each in lines[1:]] == [
            ("not told of QM5", ": ", "QM6 has cluster queues, and no channel to it is shown: DISPLAY CLUSQMGR('QM6') ALL"),
            ("not told of QM5", ": ", "no queue of QM5's own is shown: DISPLAY QUEUE(*) ALL"),
        ]  # fmt: skip
        found = json.loads(done(facts_command, "--sources", "--json", *members)[1])["incomplete"]
        assert [(each["what"], each["command"], each["queue_managers"]) for each in found] == [
            ("the state of TO.QM2, TO.QM3", "DISPLAY CLUSQMGR(*) CHANNEL STATUS", ["QM1"]),
            ("the state of TO.QM1, TO.QM3", "DISPLAY CLUSQMGR(*) CHANNEL STATUS", ["QM2"]),
            ("the state of TO.QM1, TO.QM2", "DISPLAY CLUSQMGR(*) CHANNEL STATUS", ["QM3"]),
        ]
        one = json.loads(done(facts_command, "--sources", "--json", *members, "--from", "QM2")[1])["incomplete"]
        assert one == found[1:2]

    def test_what_is_told_or_cannot_be_told_is_not_asked_for(self, tmp_path: Path, members: list[str]) -> None:
        told = '[queue_manager]\nname = "QM1"\n[[queue]]\nname = "CRATES"\n'
        assert done(facts_command, "--sources", written(tmp_path, told, "told.toml"))[1].count("\n") == 1
        nameless = written(tmp_path, "DEFINE QLOCAL(CRATES)\n", "nameless.mqsc")
        [line] = done(facts_command, "--sources", nameless)[1].splitlines()[1:]
        assert line.startswith(f"what else is needed cannot be told: {nameless}: does not name its queue manager")
        found = json.loads(done(facts_command, "--sources", nameless, "--json")[1])
        assert (found["incomplete"], [each["file"] for each in found["faults"]]) == (None, [nameless])
        assert "described: QM2" in refusal(facts_command, "--sources", members[1], "--from", "QM8")

    def test_an_answer_that_shows_nothing_is_refused_as_by_others(self, tmp_path: Path, members: list[str]) -> None:
        """Alone it is bad input, as for explain; beside others it is told of the file."""
        silent = written(tmp_path, '{"commandResponse": []}', "silent.json")
        said = "nothing is shown here: no object and no status"
        assert bad("facts", "--sources", silent) == bad("facts", silent) == [f"{silent}: {said}"]
        [file] = json.loads(done(facts_command, "--sources", "--json", silent, members[0])[1])["files"][:1]
        assert (file["read"], file["faults"]) == ("not", [{"line": None, "column": None, "message": said}])

    def test_a_dump_that_is_cut_before_its_first_object_tells_whose_it_is(self, tmp_path: Path) -> None:
        """So the other commands read it, too; what would tell the rest is said."""
        head = "* Script generated on 2026-01-05   at 10.11.12\n* Queue manager name: QM7\n"
        cut = written(tmp_path, head, "cut.mqsc")
        status, text = done(facts_command, "--sources", cut)
        said = f"the dump {cut} of QM7 ends before its trailer: its last objects are missing"
        assert (status, text.splitlines()) == (
            0,
            [
                f"{cut}: MQSC of QM7: no object; read not",
                f"  {cut}: {said}",
                f"not told of QM7: {said}: dmpmqcfg -m QM7 -a",
            ],
        )
        assert facts(cut) == {"queue_manager": {"name": "QM7"}}

    def test_nothing_read_at_all_is_bad_input(self, tmp_path: Path) -> None:
        assert "is in no format" in refusal(facts_command, "--sources", written(tmp_path, "nothing at all", "odd.txt"))


class TestCommands:
    @pytest.mark.parametrize("subcommand", ["explain", "why", "check"])
    def test_our_own_reader_reads_them(self, subcommand: str) -> None:
        status, text = done(commands_command, subcommand)
        script = read(text)
        assert (status, script.diagnostics, script.records) == (0, (), ())
        assert text.splitlines() == list_display_commands(subcommand)
        assert all(line.startswith("DISPLAY ") and line.endswith(" ALL") for line in text.splitlines())

    def test_explain_needs_the_cluster_and_why_what_happens(self) -> None:
        explain, why, check = (set(list_display_commands(each)) for each in ("explain", "why", "check"))
        assert {"DISPLAY QMGR ALL", "DISPLAY CLUSQMGR(*) ALL", "DISPLAY QCLUSTER(*) ALL"} <= explain
        assert {"DISPLAY QSTATUS(*) TYPE(QUEUE) ALL", "DISPLAY PROCESS(*) ALL"} <= why
        assert explain | why <= check
        assert len(check) == len(ALL_KINDS)

    def test_explain_is_meant_where_nothing_is_said(self) -> None:
        assert done(commands_command) == done(commands_command, "explain")


def test_many_rows_are_written_some_at_a_time() -> None:
    many = {"queue_manager": {"name": "QM1"}, "queue": [{"name": f"Q{number}"} for number in range(2 * AT_ONCE + 1)]}
    assert tomllib.loads("".join(render_toml(many))) == many
