"""``mqclause why`` of scripts and dumps: what they tell of a queue, and what they leave open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mqclause import Rules
from mqclause.trigger.why import Why
from spec_tests.support.asked_why import OF_APPQ, OF_INITQ, OF_LAST, asked, facts, looked_up, told
from spec_tests.support.explain_command import bad, run, written
from spec_tests.support.inspected_members import found

SCRIPT = """
DEFINE QLOCAL(APPQ) TRIGGER INITQ(INITQ) PROCESS(P)
DEFINE QLOCAL(DEPTH) TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(100) TRIGMPRI(5) DEFPRTY(5) INITQ(INITQ) PROCESS(P)
DEFINE QLOCAL(XMITQ) TRIGGER USAGE(XMITQ) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(TO.QM8)
DEFINE QLOCAL(OTHER) TRIGGER USAGE(XMITQ) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(TO.QM9)
DEFINE QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) TRIGGER USAGE(XMITQ)
DEFINE QLOCAL(INITQ)
DEFINE PROCESS(P) APPLICID(X)
DEFINE CHANNEL(TO.QM9) CHLTYPE(SDR) CONNAME(H) XMITQ(OTHER)
"""


class TestScripts:
    def test_nothing_is_shown(self) -> None:
        answer = asked(SCRIPT)
        assert (answer.verdict, told(answer)) == ("depends", {"03a": None, "04": None, "08": None, "11c": None})
        assert looked_up(answer) == [OF_APPQ, OF_APPQ, OF_INITQ, OF_LAST]
        assert answer.requirement == (
            "no program has APPQ open for input, and a trigger monitor has INITQ open for input, and either"
            " no trigger message was written for APPQ in the last 999999999 ms or no message is on APPQ"
        )

    def test_the_last_put_to_an_initiation_queue_that_others_use_too(self) -> None:
        """LPUTDATE of INITQ is of the last trigger message for APPQ or for DEPTH."""
        (what,) = (each["what"] for each in asked(SCRIPT).to_json()["depends_on"] if "LPUTDATE" in each["command"])
        assert what.endswith("; the last put to INITQ may be of another of its queues")
        alone = SCRIPT.replace("DEFINE QLOCAL(DEPTH) TRIGGER", "DEFINE QLOCAL(DEPTH) NOTRIGGER")
        (what,) = (each["what"] for each in asked(alone).to_json()["depends_on"] if "LPUTDATE" in each["command"])
        assert what == "when the last trigger message was written for it (TRIGINT is 999999999 ms)"

    def test_depth(self) -> None:
        """With the message put there have to be 100, so 99 before it; below 99 nothing else writes one."""
        assert asked(SCRIPT, "DEPTH").requirement == (
            "no program has DEPTH open for input and 99 messages or more of priority 5 or higher are on DEPTH"
            " and a trigger monitor has INITQ open for input"
        )

    def test_depth_that_has_triggered(self) -> None:
        """It was switched off then; so it would be again."""
        script = SCRIPT.replace("DEFINE QLOCAL(DEPTH) TRIGGER", "DEFINE QLOCAL(DEPTH) NOTRIGGER")
        (off,) = (each for each in asked(script, "DEPTH").to_json()["conditions"] if each["rule"] == "trigger.09")
        assert off["remedy"] == "ALTER QLOCAL('DEPTH') TRIGGER"
        assert "TRIGTYPE(DEPTH) switches it off with each trigger message" in off["advice"]

    @pytest.mark.parametrize(
        ("trigtype", "depth", "provided"),
        [
            ("FIRST", 1, "no message is on APPQ"),
            ("FIRST", 5, "no message is on APPQ"),
            ("DEPTH", 1, None),
            ("DEPTH", 2, "a message is on APPQ"),
            ("DEPTH", 3, "2 messages or more are on APPQ"),
        ],
    )
    def test_what_is_said_of_a_depth(self, trigtype: str, depth: int, provided: str | None) -> None:
        """In a script that shows who has what open, but no depth."""
        script = DUMP.replace("*  CURDEPTH({depth}) +\n", "").replace("TRIGGER", f"TRIGTYPE({trigtype}) TRIGGER")
        answer = asked(script.replace("TRIGGER +", f"TRIGGER TRIGDPTH({depth}) +"))
        assert answer.verdict == ("depends" if provided else "triggers")
        if provided:
            assert answer.requirement.endswith(provided)

    @pytest.mark.parametrize(
        ("stated", "there"),
        [
            ("< 5", "0 to 4 messages are on APPQ"),
            ("<= 5", "0 to 5 messages are on APPQ"),
            ("<> 7", "either 0 to 6 messages are or 8 messages or more are on APPQ"),
        ],
    )
    def test_a_rule_of_ones_own_that_turns_at_another_depth(self, stated: str, there: str) -> None:
        """FIRST triggers by clause 3 behind as many as the rule says; behind any others by 11, after the interval."""
        path, rules = "trigger/03a_first_was_empty.toml", Rules()
        own = rules.with_files({path: rules.files[path].replace("counted_before = 0", f"counted_before {stated}")})
        assert asked(SCRIPT, why=Why(own)).requirement.endswith(f" 999999999 ms or {there}")

    @pytest.mark.parametrize(
        ("queue", "messages"),
        [
            ("TRIGTYPE(DEPTH) TRIGDPTH(5) MAXDEPTH(5)", " and 4 messages are on APPQ"),
            ("TRIGTYPE(DEPTH) TRIGDPTH(2) MAXDEPTH(2)", " and one message is on APPQ"),
            ("TRIGTYPE(DEPTH) TRIGDPTH(1) MAXDEPTH(1)", ""),
            ("TRIGTYPE(FIRST) MAXDEPTH(1)", ""),
        ],
    )
    def test_a_queue_holds_no_more_than_its_depth(self, queue: str, messages: str) -> None:
        """With the message put there are at most MAXDEPTH, so that one fewer can be there before it."""
        answer = asked(SCRIPT.replace("QLOCAL(APPQ)", f"QLOCAL(APPQ) {queue}"))
        opens = [f"no program has APPQ open for input{messages}", "a trigger monitor has INITQ open for input"]
        assert (answer.verdict, answer.requirement) == ("depends", " and ".join(opens))
        assert "11b" not in told(answer)

    @pytest.mark.parametrize("shown", ["", "*  CURDEPTH(3) +\n"])
    def test_a_depth_that_is_never_reached(self, shown: str) -> None:
        """TRIGDPTH(6) asks for a sixth message, and the queue takes five: whatever is there, none triggers."""
        queue = f"DEFINE QLOCAL(APPQ) +\n{shown} TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(6) MAXDEPTH(5)"
        answer = asked(SCRIPT.replace("DEFINE QLOCAL(APPQ) TRIGGER", queue))
        (doubt,) = (each for each in answer.doubts if each.condition.rule.id == "trigger.03c")
        assert (answer.verdict, doubt.holds, told(answer).get("11b")) == ("does not", False, None)
        assert doubt.because.endswith("does not reach TRIGDPTH, which is more than MAXDEPTH: 6")
        assert doubt.condition.remedy == "ALTER QLOCAL('APPQ') MAXDEPTH(6)"
        assert asked(f"{SCRIPT}\n{doubt.condition.remedy}").verdict == "depends"

    def test_an_initiation_queue_that_every_queue_manager_has(self) -> None:
        answer = asked(SCRIPT, "OTHER")
        assert (answer.verdict, answer.remarks) == ("depends", ())
        assert answer.assumed == ("SYSTEM.CHANNEL.INITQ is defined as every queue manager is created with it",)
        assert "07" not in told(answer)
        given = facts(initq="SYSTEM.CHANNEL.INITQ")
        assert told(asked(given)) == {"07": False}  # facts files state all that there is

    def test_a_channel_that_is_not_defined(self) -> None:
        (remark,) = asked(SCRIPT, "XMITQ").remarks
        assert remark.startswith("TRIGDATA of XMITQ names the channel TO.QM8, which is not defined")
        assert "did you mean 'TO.QM9'?" in remark

    @pytest.mark.parametrize(
        ("channel", "said"),
        [
            ("DEFINE CHANNEL(TO.QM8) CHLTYPE(SDR) CONNAME('h') XMITQ(QM8)", []),
            (
                "DEFINE CHANNEL(TO.QM7) CHLTYPE(SDR) CONNAME('h') XMITQ(QM7)",
                ["no channel that is described names XMITQ(QM8): the trigger message starts nothing"],
            ),
            ("", []),
        ],
        ids=["its own", "another's", "none is described"],
    )
    def test_a_transmission_queue_without_trigger_data(self, channel: str, said: list[str]) -> None:
        queue = "DEFINE QLOCAL(QM8) TRIGGER USAGE(XMITQ) INITQ(SYSTEM.CHANNEL.INITQ)"
        assert list(asked(f"{channel}\n{queue}\n", "QM8").remarks) == said

    def test_what_is_remarked_of_the_channel_is_said_by_the_rules_alone(self) -> None:
        """A changed rule: a queue with a process has its trigger data looked at, one without does not."""
        stated, said = "usage = 'XMITQ' AND process = ''", "usage = 'NORMAL' AND process <> ''"
        text = Rules().files["terms.toml"]
        assert text.count(stated) == 1
        why = Why(Rules().with_files({"terms.toml": text.replace(stated, said)}))
        script = SCRIPT.replace("PROCESS(P)", "PROCESS(P) TRIGDATA(X)", 1)
        assert asked(script, "XMITQ", why=why).remarks == ()
        (remark,) = asked(script, "APPQ", why=why).remarks
        assert (
            remark == "TRIGDATA of APPQ names the channel X, which is not defined: the trigger message starts nothing"
        )
        assert asked(script, "APPQ").remarks == ()

    def test_cluster_sender_channels_need_no_initiation_queue(self) -> None:
        row = next(
            each
            for each in asked(SCRIPT, "SYSTEM.CLUSTER.TRANSMIT.QUEUE").to_json()["conditions"]
            if each["rule"] == "trigger.07"
        )
        assert (row["holds"], row["remedy"]) == (False, None)
        assert "the channel initiator starts" in row["advice"]


DUMP = """* Queue manager name: QM1
DEFINE QLOCAL('APPQ') +
*  CURDEPTH({depth}) +
*  IPPROCS(0) +
   TRIGGER +
   INITQ('INITQ') +
   PROCESS('P') +
   REPLACE
DEFINE QLOCAL('INITQ') +
*  IPPROCS(1) +
   REPLACE
DEFINE PROCESS('P') APPLICID('/opt/orders')
"""


class TestTheCommand:
    def test_depth_and_opens_of_a_dump(self, tmp_path: Path) -> None:
        done = run("why", "APPQ", written(tmp_path, DUMP.format(depth=0), "QM1.txt"))
        assert done.returncode == 0
        assert done.stdout.startswith("APPQ  TRIGGER TRIGTYPE(FIRST): a message put now would trigger\n")
        filled = run("why", "APPQ", written(tmp_path, DUMP.format(depth=7), "QM1.txt"))
        assert filled.returncode == 1
        said = "a message put now would trigger, if no trigger message was written for APPQ in the last 999999999 ms"
        assert filled.stdout.splitlines()[0] == f"APPQ  TRIGGER TRIGTYPE(FIRST): {said}"
        assert "        ALTER QLOCAL('APPQ') NOTRIGGER" in filled.stdout.splitlines()

    def test_every_triggered_queue(self, tmp_path: Path) -> None:
        done = run("why", "*", written(tmp_path, SCRIPT, "QM1.mqsc"), "--from", "QM1", "--priority", "1")
        lines = done.stdout.splitlines()
        assert done.returncode == 1
        assert lines[0] == "of 5 queues 2 would not, 3 may: it depends on what is not known"
        there = "SYSTEM.CHANNEL.INITQ is defined as every queue manager is created with it"
        assert lines[-1] == f"  assumed: of XMITQ and 1 more: {there}"
        assert sum("assumed:" in line for line in lines) == 1

    def test_a_queue_that_is_no_local_one(self, tmp_path: Path) -> None:
        """What is put to REMOTE lies on XMITQ until a channel sends it, and what is put to ALIAS, too."""
        names = "DEFINE QREMOTE(REMOTE) RNAME(Q) RQMNAME(QM8) XMITQ(XMITQ)\nDEFINE QALIAS(ALIAS) TARGET(REMOTE)\n"
        script = written(tmp_path, f"{SCRIPT}{names}DEFINE QALIAS(NOWHERE) TARGET(NONE)\n", "QM1.mqsc")
        lies_on = "not a local queue of QM1: what is put to it comes to XMITQ; ask mqclause why XMITQ"
        assert bad("why", "REMOTE", script, "--from", "QM1") == [f"'REMOTE' is a QREMOTE, {lies_on}"]
        assert bad("why", "ALIAS", script, "--from", "QM1") == [f"'ALIAS' is a QALIAS, {lies_on}"]
        assert bad("why", "NOWHERE", script, "--from", "QM1") == ["'NOWHERE' is a QALIAS, not a local queue of QM1"]

    def test_the_status_of_an_alias_is_that_of_its_queue(self, tmp_path: Path) -> None:
        """DISPLAY QSTATUS takes local queues alone: INITQ names an alias of the initiation queue TRUE.INITQ."""
        names = "DEFINE QLOCAL(TRUE.INITQ)\nDEFINE QALIAS(I) TARGET(TRUE.INITQ)\nDEFINE QLOCAL(A) TRIGGER INITQ(I)\n"
        done = run("why", "A", written(tmp_path, names, "QM1.mqsc"), "--from", "QM1")
        commands = [line.strip() for line in done.stdout.splitlines() if "DISPLAY QSTATUS" in line]
        assert commands == ["DISPLAY QSTATUS('A')", "DISPLAY QSTATUS('TRUE.INITQ') LPUTDATE LPUTTIME"]

    def test_an_initiation_queue_that_is_a_model_queue(self, tmp_path: Path) -> None:
        """A name that a model queue has cannot be that of a local queue too, and no model queue has a status.

        No trigger message was ever written to it, so that the put triggers by clause 3 or by 11, whatever is there.
        """
        defined = "DEFINE QMODEL(M)\nDEFINE PROCESS(P) APPLICID(x)\nDEFINE QLOCAL(A) TRIGGER PROCESS(P) INITQ(M)\n"
        script = written(tmp_path, defined, "QM1.mqsc")
        done = run("why", "A", script, "--from", "QM1")
        what = "is a model queue (QMODEL): what is opened by its name is another queue, of a generated name"
        assert done.stdout.splitlines() == [
            "A  TRIGGER TRIGTYPE(FIRST): a message put now would not trigger",
            f"     7  INITQ is M, which {what}",
            "        ALTER QLOCAL('A') INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE')",
            "        (or another local queue that a trigger monitor reads)",
            "  besides, by what is not known:",
            "     ?  IPPROCS of A (clause 4)",
            "        DISPLAY QSTATUS('A')",
        ]
        checked = run("check", script, "--from", "QM1")
        assert checked.stdout.startswith(f"{script}:3 trigger.07 warning QLOCAL(A): INITQ is M, which {what}\n")
        assert "DEFINE QLOCAL('M')" not in checked.stdout

    def test_where_one_of_several_conditions_fails_in_any_case(self, tmp_path: Path) -> None:
        """A queue that is its own initiation queue: open for input it fails by 4, and not open by 8."""
        names = "DEFINE PROCESS(P)\nDEFINE QLOCAL(OWN) TRIGGER PROCESS(P) INITQ(OWN)\n"
        done = run("why", "OWN", written(tmp_path, names, "QM1.mqsc"), "--from", "QM1")
        assert done.stdout.splitlines()[:4] == [
            "OWN  TRIGGER TRIGTYPE(FIRST): a message put now would not trigger",
            "  whatever is true of what is not known, one of these fails:",
            "     4  the queue is open for input by 1 handle; FIRST needs none",
            "     8  no trigger monitor has the initiation queue OWN open for input",
        ]

    def test_no_queue_is_triggered(self, tmp_path: Path) -> None:
        script = written(tmp_path, SCRIPT, "QM1.mqsc")
        none = run("why", "IN*", script, "--from", "QM1")
        assert (none.returncode, none.stdout) == (0, "no local queue of QM1 that 'IN*' fits has TRIGGER\n")
        none = run("why", "IN*", script, "--from", "QM1", "--json")
        assert (none.returncode, none.stdout) == (0, "")
        assert bad("why", "NO*", script, "--from", "QM1") == ["no local queue of QM1 fits 'NO*'"]

    def test_one_object_for_each_queue(self, tmp_path: Path) -> None:
        done = run("why", "*", written(tmp_path, SCRIPT, "QM1.mqsc"), "--from", "QM1", "--json")
        told = [json.loads(line) for line in done.stdout.splitlines()]
        assert (done.returncode, [answer["verdict"] for answer in told]) == (1, ["depends"] * 4 + ["does not"])
        assert {answer["format"] for answer in told} == {"mqclause.why/1"}
        triggers = run("why", "APPQ", written(tmp_path, facts()), "--json")
        assert (triggers.returncode, json.loads(triggers.stdout)["verdict"]) == (0, "triggers")

    def test_a_put_that_fails(self, tmp_path: Path) -> None:
        done = run("why", "APPQ", written(tmp_path, facts(put="DISABLED")))
        assert done.returncode == 1
        assert done.stdout.splitlines() == [
            "APPQ  TRIGGER TRIGTYPE(FIRST): a message put now would not trigger:"
            " the put fails with 2051 (MQRC_PUT_INHIBITED)",
            "        ALTER QLOCAL('APPQ') PUT(ENABLED)",
        ]

    def test_no_queue(self, tmp_path: Path) -> None:
        [line] = bad("why", "APQ", written(tmp_path, DUMP.format(depth=0), "QM1.txt"))
        assert line == "'APQ' is not a local queue of QM1; did you mean 'APPQ'?"

    def test_a_queue_of_others(self, tmp_path: Path) -> None:
        """Messages are counted and triggered where they lie."""
        hosts = 'remote_queue_manager = [{name = "QM7", clusters = ["C"]}, {name = "QM8", clusters = ["C"]}]\n'
        queues = 'queue = [{name = "CQ", queue_manager = "QM7"}, {name = "CQ", queue_manager = "QM8"}]\n'
        text = f'queue_manager = {{name = "QM1", clusters = ["C"]}}\n{hosts}{queues}'
        [line] = bad("why", "CQ", written(tmp_path, text))
        assert line == "'CQ' is not a local queue of QM1; it is hosted at QM7, QM8: ask why there"

    @pytest.mark.parametrize("name", ["APPQ  ", "APP*  "])
    def test_a_padded_name(self, tmp_path: Path, name: str) -> None:
        path = written(tmp_path, facts())
        assert run("why", name, path).stdout == run("why", "APPQ", path).stdout != ""

    def test_a_model_queue(self, tmp_path: Path) -> None:
        [line] = bad("why", "M", written(tmp_path, "* Queue manager name: QM1\nDEFINE QMODEL(M)\n", "QM1.mqsc"))
        assert line == ("queue 'M' is a model queue: an open of it makes a queue of a generated name; name that queue")

    @pytest.mark.parametrize(
        ("log", "verdict"),
        [
            (
                '{"commandResponse": [{"completionCode": 0, "parameters": {"queue": "INITQ", "type": "QLOCAL"}}]}',
                "depends",
            ),
            ('{"commandResponse": [{"completionCode": 0, "parameters": {"process": "OTHER"}}]}', "does not"),
            ("1 : DISPLAY PROCESS(OTHER)\nAMQ8407I: Display Process details.\n   PROCESS(OTHER)\n", "depends"),
            ("1 : DISPLAY PROCESS(*)\nAMQ8407I: Display Process details.\n   PROCESS(OTHER)\n", "does not"),
        ],
    )
    def test_a_process_that_neither_a_script_nor_a_log_beside_it_tells_of(
        self, tmp_path: Path, log: str, verdict: str
    ) -> None:
        """It may be in another script, unless the log has what would show it."""
        script = "DEFINE QLOCAL(APPQ) TRIGGER INITQ(INITQ) PROCESS(P)\nDEFINE QLOCAL(INITQ)\n"
        files = [f"QM1={written(tmp_path, text, name)}" for text, name in ((script, "q.mqsc"), (log, "q.log"))]
        told_of = run("why", "APPQ", *files).stdout
        said = ("     6  process P is not defined" in told_of, "DISPLAY PROCESS('P')" in told_of)
        assert said == (verdict == "does not", verdict == "depends")

    def test_what_the_states_of_a_channel_come_to_is_said_once_for_each_outcome(self) -> None:
        [told_of] = [each for each in asked(SCRIPT, "OTHER").to_json()["depends_on"] if each["object"] == "TO.QM9"]
        assert told_of["what"] == (
            "the status of channel TO.QM9. If TO.QM9 is STOPPING or RETRYING or REQUESTING or PAUSED or SWITCHING: the"
            " trigger message starts nothing; if TO.QM9 is STOPPED: the trigger message starts nothing; START CHANNEL('TO.QM9')"
        )

    @pytest.mark.parametrize("given", [{"curdepth": -1}, {"ipprocs": "many"}, {"ipprocs": 1.5}])
    def test_counts_that_cannot_be(self, tmp_path: Path, given: dict[str, Any]) -> None:
        (name,) = given
        [line] = bad("why", "APPQ", written(tmp_path, facts(**given)))
        assert f"{name}: " in line
        assert "allowed: a whole number from 0 to 999999999" in line


class TestNamesThatDifferInCase:
    """Without quotes MQSC takes a name as upper case; a queue may name its process, and its bell, as it was typed."""

    TEXT = (
        "DEFINE PROCESS(wages) APPLICID(X)\nDEFINE QLOCAL(BELL)\n"
        "DEFINE QLOCAL(PAY) TRIGGER PROCESS({process}) INITQ({initq})\n"
    )

    def remedies(self, process: str, initq: str) -> tuple[dict[str, str], dict[str, str]]:
        """By why, and by check: what is told of the process and of the initiation queue, by rule."""
        text = self.TEXT.format(process=process, initq=initq)
        answer = asked(text, "PAY")
        by_why = {each["rule"]: each["remedy"] for each in answer.to_json()["conditions"] if each["holds"] is False}
        return by_why, {each.rule.id: each.said.remedy for each in found(f"* Queue manager name: QM1\n{text}")}

    @pytest.mark.parametrize(("process", "initq"), [("'wages'", "'bell'"), ("'Wages'", "'Bell'")])
    def test_the_one_that_is_defined_is_named(self, process: str, initq: str) -> None:
        named = {"trigger.06a": "PROCESS('WAGES')", "trigger.07": "INITQ('BELL')"}
        told_of = {rule: f"ALTER QLOCAL('PAY') {each}" for rule, each in named.items()}
        assert self.remedies(process, initq) == (told_of, told_of)

    def test_other_names_are_to_be_defined(self) -> None:
        told_of = {"trigger.06a": "DEFINE PROCESS('OTHER') APPLICID('…')", "trigger.07": "DEFINE QLOCAL('GONG')"}
        assert self.remedies("OTHER", "GONG") == (told_of, told_of)

    def test_the_queue_itself_is_not_meant(self) -> None:
        by_why, by_check = self.remedies("WAGES", "'pay'")
        assert by_why == {"trigger.07": "DEFINE QLOCAL('pay')"}
        assert by_check == by_why


def test_of_several_queues_it_is_told_of_which_something_is_assumed(tmp_path: Path) -> None:
    """Only IRON's TRIGMPRI asks for more than the priority of a put that gives none."""
    script = """DEFINE QLOCAL(IRON) TRIGGER TRIGTYPE(EVERY) TRIGMPRI(3) INITQ(STARTER) PROCESS(P)
DEFINE QLOCAL(TIN) TRIGGER TRIGTYPE(EVERY) INITQ(STARTER) PROCESS(P)
DEFINE QLOCAL(STARTER)
DEFINE PROCESS(P) APPLICID(X)
"""
    name = written(tmp_path, f"* Queue manager name: QM1\n{script}", "QM1.mqsc")
    of = "the message has priority 0, the DEFPRTY of its queue; --priority asks another"
    assert f"assumed: of IRON: {of}" in " ".join(run("why", "*", name).stdout.split())
    assert f"assumed: {of}" in " ".join(run("why", "IRON", name).stdout.split())
