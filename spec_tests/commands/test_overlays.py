"""What if: scripts beside what was read, facts beside a scenario, states of routes. Worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import click
import pytest
from click.testing import CliRunner

from mqclause.tools.commands.declared import check_command, explain_command, map_command, plan_command, replay_command
from spec_tests.support.explain_command import facts, written
from spec_tests.support.three_members import QM1, QM2, QM3, done, refusal

HIGHER = "ALTER QLOCAL(Q) CLWLPRTY(9)\n"


@pytest.fixture
def members(tmp_path: Path) -> list[str]:
    texts = {"QM1": QM1, "QM2": QM2, "QM3": QM3}
    return [*(written(tmp_path, text, f"{name}.mqsc") for name, text in texts.items()), "--from", "QM1"]


def goes_to(*arguments: str, put: str = "Q") -> Any:
    found = json.loads(done(explain_command, *arguments, "--put", put, "--json")[1])
    return found["chosen"] and found["chosen"]["queue_manager"]


def mqweb(*hosts: str) -> str:
    """What QM1 shows of ``hosts`` of the queue Q: by each a running channel of the clusters S and T."""
    rows: list[dict[str, Any]] = [{"clusqmgr": "QM1", "channel": "TO.QM1", "cluster": "S", "deftype": "CLUSRCVR"}]
    for host in hosts:
        state = {"deftype": "CLUSSDRA", "status": "RUNNING", "suspend": "NO", "clwlrank": 0}
        rows += [{"clusqmgr": host, "channel": f"TO.{host}", "cluster": each, **state} for each in ("S", "T")]
        instance = {"type": "QCLUSTER", "cluster": "S", "clusqmgr": host, "clusqt": "QLOCAL"}
        rows.append({"queue": "Q", **instance, "put": "ENABLED", "clwlprty": 0})
    return json.dumps({"commandResponse": [{"completionCode": 0, "parameters": row} for row in rows]})


def lines_of(lines: str, *options: str) -> tuple[int, str]:
    """The exit status and the output of explain --lines."""
    result = CliRunner().invoke(explain_command, ["--lines", lines, *options], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.return_value, result.stdout


def refused(*arguments: str) -> str:
    return refusal(explain_command, *arguments, "--put", "Q")


class TestWith:
    def test_whose_it_is_stands_in_it_or_before_it(self, tmp_path: Path, members: list[str]) -> None:
        own = written(tmp_path, f"* Queue manager name: QM3\n{HIGHER}", "higher.mqsc")
        bare = written(tmp_path, HIGHER, "bare.mqsc")
        assert goes_to(*members) == "QM2"  # the first listed of two that are equal
        assert goes_to(*members, "--with", own) == "QM3"
        assert goes_to(*members, "--with", f"QM3={bare}") == "QM3"
        assert "QM3" in refused(*members, "--with", f"QM2={own}")

    def test_what_is_defined_anew_counts(self, tmp_path: Path, members: list[str]) -> None:
        fresh = written(tmp_path, "DEFINE QLOCAL(N) CLUSTER(S)\n", "new.mqsc")
        assert goes_to(*members, put="N") is None
        assert goes_to(*members, "--with", f"QM3={fresh}", put="N") == "QM3"

    def test_one_that_is_local_stops_a_route(self, tmp_path: Path, members: list[str]) -> None:
        stop = written(tmp_path, "STOP CHANNEL(TO.QM2)\n", "stop.mqsc")
        assert goes_to(*members, "--with", stop) == "QM3"

    def test_another_dump_of_a_queue_manager(self, tmp_path: Path, members: list[str]) -> None:
        head = "* Script generated on 1\n* Queue manager name: QM3\n"
        tail = "* Script ended on 1\n"
        receiver = "DEFINE CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLUSTER(S)"
        one = written(tmp_path, f"{head}{receiver}\nDEFINE QLOCAL(Q) CLUSTER(S)\n{tail}", "one.mqsc")
        two = written(tmp_path, f"{head}{receiver} REPLACE\nDEFINE QLOCAL(Q) CLUSTER(S) PUT(DISABLED) REPLACE\n{tail}")
        others = members[:2]
        assert "is another dump of 'QM3'" in refused(*others, one, two, "--from", "QM1").splitlines()[0]
        assert goes_to(members[0], one, "--from", "QM1") == "QM3"
        assert goes_to(members[0], one, "--from", "QM1", "--with", two) is None

    def test_on_facts_it_changes_what_they_have(self, tmp_path: Path) -> None:
        routes = [{"name": f"TO.{to}", "queue_manager": to, "cluster": "S"} for to in ("QM2", "QM3")]
        given = written(tmp_path, facts(channel=routes))
        suspend = written(tmp_path, "SUSPEND QMGR CLUSTER(S)\n", "suspend.mqsc")
        assert goes_to(given) == "QM2"
        assert goes_to(given, "--with", f"QM2={suspend}") == "QM3"
        stop = written(tmp_path, "STOP CHANNEL(TO.QM2)\n", "stop.mqsc")
        assert goes_to(given, "--with", stop) == "QM3"

    @pytest.mark.parametrize(
        ("owner", "command", "now"),
        [
            ("QM2", "ALTER QLOCAL(Q) PUT(DISABLED)", "QM3"),
            ("QM2", "ALTER QLOCAL(Q) CLUSTER(ELSEWHERE)", "QM3"),
            ("QM2", "DELETE QLOCAL(Q)", "QM3"),
            ("QM3", "DEFINE QLOCAL(Q) CLUSTER(S) CLWLPRTY(9) REPLACE", "QM3"),
            ("QM3", "ALTER CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLWLRANK(9)", "QM3"),
            ("QM2", "DELETE CHANNEL(TO.QM2)", "QM3"),
            ("QM2", "SUSPEND QMGR CLUSTER(S)", "QM3"),
            ("QM2", "SUSPEND QMGR CLUSTER(T)", "QM2"),
            ("QM1", "STOP CHANNEL(TO.QM2)", "QM3"),
            ("QM1", "STOP CHANNEL(TO.QM2) QMNAME(QM3)", "QM2"),
        ],
    )
    def test_it_changes_what_a_log_of_another_shows(
        self, tmp_path: Path, members: list[str], owner: str, command: str, now: str
    ) -> None:
        log = f"QM1={written(tmp_path, mqweb('QM2', 'QM3'), 'log')}"
        change = written(tmp_path, f"{command}\n", "change.mqsc")
        assert goes_to(log, *members) == "QM2"
        assert goes_to(log, *members, "--with", f"{owner}={change}") == now

    def test_what_a_log_alone_shows_is_stopped_and_suspended_too(self, tmp_path: Path) -> None:
        log = f"QM1={written(tmp_path, mqweb('QM2', 'QM3'), 'log')}"
        stop = written(tmp_path, "STOP CHANNEL(TO.QM2)\n", "stop.mqsc")
        assert goes_to(log) == "QM2"
        status, said = done(explain_command, log, "--with", stop, "--put", "Q", "--json")
        assert (status, json.loads(said)["chosen"]["queue_manager"]) == (0, "QM3")
        for cluster, now in (("S", "QM3"), ("T", "QM2")):
            suspend = written(tmp_path, f"SUSPEND QMGR CLUSTER({cluster})\n", "suspend.mqsc")
            assert goes_to(log, "--with", f"QM2={suspend}") == now
        unknown = written(tmp_path, "SUSPEND QMGR CLUSNL(NL)\n", "suspend.mqsc")
        assert "no script describes the namelist" in refused(log, "--with", f"QM2={unknown}")

    def test_what_cannot_be_carried_out_is_refused(self, tmp_path: Path) -> None:
        given = written(tmp_path, facts())
        fresh = written(tmp_path, "\nDEFINE QLOCAL(N) CLUSTER(S)\n", "new.mqsc")
        assert refused(given, "--with", fresh).startswith(f"{fresh}:2: QLOCAL 'N': DEFINE is not carried out")
        assert "is in JSON; allowed for an overlay: MQSC" in refused(given, "--with", given)


class TestFormat:
    def test_it_is_the_one_that_is_named(self, members: list[str]) -> None:
        assert goes_to(*members, "--format", "dmpmqcfg") == "QM2"
        assert "is not JSON" in refused(members[0], "--format", "json")


class TestStatesOfRoutes:
    @pytest.mark.parametrize("more", [{}, {"queue_manager": "QM2"}, {"queue_manager": "QM2", "cluster": "S"}])
    def test_a_facts_file_adds_the_status(self, tmp_path: Path, members: list[str], more: dict[str, str]) -> None:
        row = {"name": "TO.QM2", "status": "STOPPED", **more}
        assert goes_to(*members, written(tmp_path, {"channel": [row]})) == "QM3"

    def test_one_that_says_more_defines_it_twice(self, tmp_path: Path, members: list[str]) -> None:
        row = {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S", "status": "STOPPED", "clwlrank": 2}
        for left_out in ((), ("cluster",), ("queue_manager", "cluster")):
            given = {key: value for key, value in row.items() if key not in left_out}
            assert "'TO.QM2' 'QM2' 'S' is given twice" in refused(*members, written(tmp_path, {"channel": [given]}))

    @pytest.mark.parametrize("more", [{}, {"queue_manager": "QM2"}, {"queue_manager": "QM2", "cluster": "S"}])
    def test_one_that_contradicts_a_display_gives_it_twice(self, tmp_path: Path, more: dict[str, str]) -> None:
        log = f"QM1={written(tmp_path, mqweb('QM2', 'QM3'), 'log')}"
        row = {"name": "TO.QM2", **more}
        assert goes_to(log, written(tmp_path, {"channel": [{**row, "status": "RUNNING"}]})) == "QM2"
        told = refused(log, written(tmp_path, {"channel": [{**row, "status": "STOPPED"}]}))
        assert "'TO.QM2' 'QM2' 'S' is given twice" in told

    def test_of_a_channel_that_nobody_describes_more_is_needed(self, tmp_path: Path, members: list[str]) -> None:
        row = {"name": "TO.QM9", "status": "STOPPED"}
        assert "queue_manager is missing" in refused(*members, written(tmp_path, {"channel": [row]}))


class TestFactsBesideAScenario:
    EVENTS: ClassVar = {"event": [{"do": "put", "queue": "Q"}, {"do": "put", "queue": "Q"}]}

    def rows(self, *arguments: str) -> list[str]:
        status, text = done(replay_command, *arguments, "--json")
        assert status == 0
        return [json.loads(line)["routed"]["queue_manager"] for line in text.splitlines()]

    def test_they_are_read_together(self, tmp_path: Path, members: list[str]) -> None:
        scenario = written(tmp_path, self.EVENTS)
        beside = [part for path in members[:3] for part in ("--facts", path)]
        # QM2 has the greater weight: its factor rises by less than that of QM3
        assert self.rows(scenario, *beside, "--from", "QM1") == ["QM2", "QM3"]
        stopped = ["--status", "TO.QM2=STOPPED"]
        assert self.rows(scenario, *beside, "--from", "QM1", *stopped) == ["QM3", "QM3"]
        higher = written(tmp_path, HIGHER, "bare.mqsc")
        assert self.rows(scenario, *beside, "--from", "QM1", "--with", f"QM2={higher}") == ["QM2", "QM2"]

    def test_without_them_the_scenario_is_all_there_is(self, tmp_path: Path) -> None:
        assert "queue_manager is missing" in refusal(replay_command, written(tmp_path, self.EVENTS))

    def test_what_events_name_must_be_known(self, tmp_path: Path, members: list[str]) -> None:
        scenario = written(tmp_path, {"event": [{"do": "put", "queue": "NONE"}]})
        assert "NONE" in refusal(replay_command, scenario, "--facts", members[0])


class TestSecrets:
    def test_the_value_of_an_unknown_key_is_not_shown(self, tmp_path: Path) -> None:
        given = facts(channel=[{"name": "C", "queue_manager": "QM2", "sslkeyp": "geheim"}])
        found = refused(written(tmp_path, given))
        assert "unknown key 'sslkeyp'" in found
        assert "geheim" not in found

    def test_nor_that_of_a_change(self, tmp_path: Path) -> None:
        assert "geheim" not in refused(written(tmp_path, facts()), "--set", "SSLCRYP(geheim)")
        assert "geheim" not in refused(written(tmp_path, facts()), "--set", "CHANNEL(TO.QM2) PASSWORDS(geheim)")


class TestModelQueues:
    def test_a_put_names_the_queue_that_is_made_of_it(self, tmp_path: Path) -> None:
        script = written(tmp_path, "* Queue manager name: QM1\nDEFINE QMODEL(M)\nDEFINE QLOCAL(L)\n", "QM1.mqsc")
        made = "an open of it makes a queue of a generated name; name that queue"
        assert refusal(explain_command, script, "--put", "M") == f"{script}: put: queue 'M' is a model queue: {made}"
        asked = written(tmp_path, {"put": {"queue": "M"}})
        assert refusal(explain_command, script, asked) == f"{asked}: put: queue 'M' is a model queue: {made}"
        assert goes_to(script, put="L") == "QM1"
        assert goes_to(script, put="N") is None

    @pytest.mark.parametrize(
        ("leads", "told"),
        [
            ("QALIAS(A) TARGET(M)", "(2001) at MQOPEN: M is a model queue here, and an alias queue led to it"),
            ("QREMOTE(A) RNAME(M) RQMNAME(QM1)", "(2085) at MQOPEN: queue M is a model queue here"),
        ],
    )
    def test_what_leads_to_one_fails_and_nothing_else_was_meant(self, tmp_path: Path, leads: str, told: str) -> None:
        text = f"* Queue manager name: QM1\nDEFINE QMODEL(M)\nDEFINE QLOCAL(MM)\nDEFINE {leads}\n"
        output = CliRunner().invoke(explain_command, [written(tmp_path, text, "QM1.mqsc"), "--put", "A"]).output
        assert told in output
        assert "did you mean" not in output

    def test_nor_does_an_event_of_a_replay_name_one(self, tmp_path: Path) -> None:
        script = written(tmp_path, "* Queue manager name: QM1\nDEFINE QMODEL(M)\nDEFINE QLOCAL(L)\n", "QM1.mqsc")
        made = "queue 'M' is a model queue: an open of it makes a queue of a generated name; name that queue"
        for event in ({"do": "put"}, {"do": "open", "mode": "OUTPUT"}, {"do": "get"}):
            asked = written(tmp_path, {"event": [{**event, "queue": "M"}]})
            told = refusal(replay_command, asked, "--facts", script)
            assert told == f"{asked}:1:12: event 0 ({event['do']}): {made}"

    def test_a_put_to_an_alias_of_a_topic_publishes(self, tmp_path: Path) -> None:
        script = written(tmp_path, "DEFINE QALIAS(T) TARGET(NEWS) TARGTYPE(TOPIC)", "QM1.mqsc")
        told = "a put to T publishes to the topic NEWS: where its subscriptions lead is not followed here"
        asked = [script, "--from", "QM1", "--put", "T"]
        done = CliRunner().invoke(explain_command, asked, standalone_mode=False)
        assert (done.return_value, done.output.count(told)) == (0, 1)
        document = json.loads(CliRunner().invoke(explain_command, [*asked, "--json"], standalone_mode=False).output)
        assert (document["outcome"], document["chosen"], document["reason"]) == ("deferred", None, None)
        assert document["remarks"][0] == told


class TestOptions:
    def test_a_fault_names_the_option_that_it_is_in(self, members: list[str]) -> None:
        assert refused(*members, "--status", "TO.QM9=STOPPED").startswith("--status: CHANNEL 'TO.QM9' is not known")
        assert refused(*members, "--set", "CHANNEL(TO.QM9) STATUS(STOPPED)").startswith("--set: CHANNEL 'TO.QM9'")

    @pytest.mark.parametrize("command", [map_command, plan_command, check_command])
    @pytest.mark.parametrize("state", ["TO.QM9=STOPPED", "TO.QM2=BROKEN"])
    def test_so_it_does_of_several_queue_managers(self, members: list[str], command: click.Command, state: str) -> None:
        assert refusal(command, *members[:3], "--status", state).startswith(f"--status: CHANNEL '{state[:6]}'")
        command_set = f"CHANNEL({state[:6]}) STATUS({state[7:]})"
        assert refusal(command, *members[:3], "--set", command_set).startswith(f"--set: CHANNEL '{state[:6]}'")

    def test_findings_are_compared_beside_a_state_of_one_queue_manager(self, members: list[str]) -> None:
        state, disabled = "CHANNEL(TO.QM2) QMGR(QM1) STATUS(STOPPED)", "QLOCAL(Q) QMGR(QM3) PUT(DISABLED)"
        found = CliRunner().invoke(
            plan_command, [*members[:3], "--set", state, "--set", disabled, "--json"], standalone_mode=False
        )
        assert found.stderr == ""
        new = [(each["rule"], each["object"]["queue_manager"]) for each in json.loads(found.stdout)["findings"]["new"]]
        assert sorted(new) == [("check.02", "QM3"), ("check.31", "QM1")]

    def test_a_state_is_of_a_channel_that_its_queue_manager_has(self, tmp_path: Path, members: list[str]) -> None:
        text = "* Queue manager name: QM9\nDEFINE CHANNEL(TO.QM9) CHLTYPE(CLUSRCVR) CLUSTER(OTHER)\n"
        files = [*members[:3], written(tmp_path, text, "QM9.mqsc")]
        assert refusal(plan_command, *files, "--set", "CHANNEL(TO.QM9) QMGR(QM1) STATUS(STOPPED)") == (
            "--set: CHANNEL 'TO.QM9' of 'QM1' is not known: STATUS is that of a channel by which QM1 sends, and it has"
            " none of that name"
        )

    @pytest.mark.parametrize("turn", [1, -1])
    def test_a_state_is_set_after_every_command_wherever_it_stands(self, members: list[str], turn: int) -> None:
        options = [("--set", "CHANNEL(TO.QM2) STATUS(RUNNING)"), ("--status", "TO.QM2=STOPPED")]
        given = [word for option in options[::turn] for word in option]
        assert goes_to(*members, *given) == "QM3"
        found = done(map_command, *members, *given, "--json")[1]
        assert [each["queue_manager"] for each in json.loads(found)["rows"][0]["shares"]] == ["QM3"]

    def test_what_a_command_sets_may_be_a_name_that_an_insert_hides(self, tmp_path: Path) -> None:
        text = "* Queue manager name: QM1\nDEFINE CHANNEL('+AUTOCL+_QM1') CHLTYPE(CLUSRCVR) CLUSTER(S)\n"
        uniform = written(tmp_path, text, "uniform.mqsc")
        hint = "'+AUTOCL+_QM1' may be it once +AUTOCL+ is filled in: put its value there"
        for command, put in ((explain_command, ["--put", "Q"]), (map_command, [])):
            for name, said in (("S_QM1", hint), ("S_QM2", "is not known")):
                told = refusal(command, uniform, *put, "--set", f"CHANNEL({name}) CLWLPRTY(5)")
                assert said in told
                assert (hint in told) == (name == "S_QM1")

    def test_what_if_in_each_of_many_lines(self, tmp_path: Path) -> None:
        routes = [{"name": f"TO.{each}", "queue_manager": each, "cluster": "S"} for each in ("QM2", "QM3")]
        lines = [json.dumps(facts(channel=each)) for each in (routes, routes[1:])]
        status, text = lines_of(written(tmp_path, "\n".join(lines), "lines.jsonl"), "--status", "TO.QM2=RETRYING")
        first, second = map(json.loads, text.splitlines())
        assert (status, first["chosen"]["queue_manager"]) == (2, "QM3")
        assert second["error"].startswith("line 2: --status: CHANNEL 'TO.QM2' is not known to QM1")
        with pytest.raises(click.UsageError, match="leave out --from, --with and --format"):
            lines_of("lines.jsonl", "--from", "QM1")
