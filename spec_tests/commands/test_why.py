"""``mqclause why``: three verdicts, what they turn on, and what to type. Expectations are worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause import Replay, Rules
from mqclause.model.configuration.snapshot import build_facts_tables
from mqclause.model.timeline.scenario import build_scenario
from mqclause.trigger.why import Why
from spec_tests.support.asked_why import OF_APPQ, OF_INITQ, OF_LAST, WHY, asked, facts, looked_up, snapshot, told

UNKNOWN: dict[str, Any] = {"ipprocs": None}


class TestVerdicts:
    def test_everything_is_known_and_in_order(self) -> None:
        assert asked(facts()).to_json() == {
            "format": "mqclause.why/1", "edition": "wmq-6", "edition_from": "default", "queue": "APPQ", "queue_manager": "QM1", "verdict": "triggers",
            "triggers": True, "rule": "trigger.01-10", "reason": None, "conditions": [], "provided": "",
            "depends_on": [], "changes": [], "assumptions": [], "remarks": [],
        }  # fmt: skip

    def test_the_edition_in_force_is_named(self) -> None:
        of_level = facts()
        of_level["queue_manager"]["command_level"] = 921
        for given, rules, edition, known_by in (
            (of_level, Rules(), "mq-9.2", "CMDLEVEL 921 of QM1"),
            (of_level, Rules(edition="wmq-7.5"), "wmq-7.5", "--edition"),
        ):
            document = Why(rules).ask("APPQ", snapshot(given)).to_json()
            assert (document["edition"], document["edition_from"].startswith(known_by)) == (edition, True)

    @pytest.mark.parametrize(
        ("given", "verdict", "conditions", "depends_on"),
        [
            (facts(**UNKNOWN), "depends", {"04": None}, [OF_APPQ]),
            (facts(trigtype="EVERY", **UNKNOWN), "triggers", {}, []),  # condition 4 is of FIRST and DEPTH
            (facts(UNKNOWN), "depends", {"08": None}, [OF_INITQ]),
            (facts(UNKNOWN, **UNKNOWN), "depends", {"04": None, "08": None}, [OF_APPQ, OF_INITQ]),
            (facts(ipprocs=2), "does not", {"04": False}, []),
            (facts({"ipprocs": 0}), "does not", {"08": False}, []),
            (facts({"ipprocs": 0}, **UNKNOWN), "does not", {"04": None, "08": False}, [OF_APPQ]),
            (facts(process="NONE", **UNKNOWN), "does not", {"04": None, "06a": False}, [OF_APPQ]),
            (facts(curdepth=12), "depends", {"03a": None, "11c": None}, [OF_LAST]),
            (facts(curdepth=12, trigint=0), "triggers", {}, []),
            (facts(curdepth=12, trigtype="EVERY"), "triggers", {}, []),
            (facts(curdepth=1, trigtype="DEPTH", trigdpth=3), "does not", {"03c": False, "11b": False}, []),
            (facts(curdepth=2, trigtype="DEPTH", trigdpth=3), "triggers", {}, []),
            (facts(curdepth=9, trigtype="DEPTH", trigdpth=3), "triggers", {}, []),
        ],
    )
    def test_by_what_is_known(
        self,
        given: dict[str, Any],
        verdict: str,
        conditions: dict[str, bool | None],
        depends_on: list[tuple[str, str]],
    ) -> None:
        answer = asked(given)
        assert (answer.verdict, told(answer), looked_up(answer)) == (verdict, conditions, depends_on)

    def test_which_rule_writes_the_trigger_message(self) -> None:
        rules = [asked(facts(curdepth=depth, trigtype="DEPTH", trigdpth=3)).rule for depth in (2, 3)]
        assert [rule and rule.id for rule in rules] == ["trigger.01-10", "trigger.11"]

    def test_a_condition_is_not_told_beside_the_one_that_says_it_all(self) -> None:
        for initq in ("", "NONE"):
            assert told(asked(facts(initq=initq))) == {"07": False}
        assert told(asked(facts({"get": "DISABLED", "ipprocs": 0}))) == {"07a": False, "08": False}

    def test_a_put_that_fails(self) -> None:
        answer = asked(facts(put="DISABLED", process="NONE"))
        said = answer.to_json()
        assert (answer.verdict, said["triggers"], told(answer)) == ("does not", False, {"06a": False})
        assert said["reason"] == {
            "name": "MQRC_PUT_INHIBITED", "code": 2051, "call": "MQPUT", "remedy": "ALTER QLOCAL('APPQ') PUT(ENABLED)",
        }  # fmt: skip
        assert asked(facts(put="DISABLED")).verdict == "does not"

    def test_a_full_queue(self) -> None:
        """MAXDEPTH messages are there; one more place, and the conditions decide."""
        answer = asked(facts(curdepth=3, maxdepth=3, trigtype="EVERY"))
        assert (answer.verdict, answer.reason, answer.remedy) == ("does not", 2053, "ALTER QLOCAL('APPQ') MAXDEPTH(4)")
        assert answer.to_json()["reason"]["name"] == "MQRC_Q_FULL"
        assert told(answer) == {}
        assert asked(facts(curdepth=3, maxdepth=4, trigtype="EVERY")).verdict == "triggers"


class TestTheStuckQueue:
    def test_what_it_turns_on_and_what_unsticks_it(self) -> None:
        answer = asked(facts(curdepth=12))
        assert answer.requirement == "no trigger message was written for APPQ in the last 999999999 ms"
        first, interval = answer.to_json()["conditions"]
        assert (
            first["because"]
            == "the queue already held 12 messages of sufficient priority; FIRST needs it to have held none"
        )
        assert first["remedy"] == "ALTER QLOCAL('APPQ') NOTRIGGER\nALTER QLOCAL('APPQ') TRIGGER"
        assert interval["because"] == "depends on when the last trigger message was written for APPQ"
        assert interval["remedy"] == "ALTER QMGR TRIGINT(1000)"
        assert "all queues of the queue manager" in interval["advice"]

    def test_a_reading_under_which_the_start_counts_as_well(self) -> None:
        why = Why(Rules({"interval-before-first": "from-start"}))
        answer = asked(facts(curdepth=12), why=why)
        assert answer.requirement == "the last trigger message for APPQ was written 999999999 ms ago or earlier"
        assert asked(facts(), why=why).verdict == "triggers"


class TestPriority:
    def test_the_default_priority_is_named_where_it_matters(self) -> None:
        answer = asked(facts(trigmpri=5))
        (condition,) = answer.to_json()["conditions"]
        assert (answer.verdict, condition["because"]) == ("does not", "priority 0 is below TRIGMPRI 5")
        assert condition["remedy"] == "ALTER QLOCAL('APPQ') DEFPRTY(5)"
        assert "priority 5 or higher" in condition["advice"]
        assert answer.assumed == ("the message has priority 0, the DEFPRTY of its queue; priority asks another",)
        assert asked(facts(trigmpri=5, process="NONE")).assumed == answer.assumed

    @pytest.mark.parametrize(("priority", "verdict"), [(4, "does not"), (5, "triggers"), (12, "triggers")])
    def test_another_priority(self, priority: int, verdict: str) -> None:
        answer = asked(facts(trigmpri=5), priority=priority)
        assert (answer.verdict, answer.assumed) == (verdict, ())

    def test_a_priority_that_does_not_count(self) -> None:
        answer = asked(facts(trigmpri=5, msgdlvsq="FIFO"), priority=9)
        assert (answer.verdict, told(answer), answer.assumed) == ("does not", {"02": False}, ())

    def test_messages_that_are_there_have_the_default_priority(self) -> None:
        """None of the 12 has priority 5, so that one is the first that counts; it would not be if they had."""
        answer = asked(facts(trigmpri=5, curdepth=12), priority=5)
        assert answer.verdict == "triggers"
        assert answer.assumed == ("the 12 messages on APPQ have priority 0, its DEFPRTY",)


SHOWN = """
AMQ8409I: Display Queue details.
   QUEUE(APPQ)                             TYPE(QLOCAL)
   CURDEPTH(12)                            IPPROCS(0)
   GET(ENABLED)                            PUT(ENABLED)
   INITQ(INITQ)                            PROCESS(P)
   TRIGGER                                 TRIGTYPE(FIRST)
"""
OTHER_PROCESS = "AMQ8407I: Display Process details.\n   PROCESS(OTHER)                          APPLICID(/opt/other)\n"
NONE_FOUND = "AMQ8147E: IBM MQ object P not found.\n"
OF_P = ("P", "DISPLAY PROCESS('P')")
OF_THE_QUEUE = ("INITQ", "DISPLAY QUEUE('INITQ') ALL")


class TestWhatNobodyAskedFor:
    """A log tells that there is no process only if somebody asked for it."""

    @pytest.mark.parametrize(
        ("commands", "after", "failing", "looked_for"),
        [
            ("     1 : DIS QL(APPQ) ALL", "", [], [OF_P, OF_THE_QUEUE]),
            ("     1 : DIS QUEUE('INIT*') ALL", "", ["07"], [OF_P]),
            ("     1 : DIS QL(*) WHERE(TRIGGER EQ YES) ALL", "", [], [OF_P, OF_THE_QUEUE]),
            ("     1 : DISPLAY QUEUE(APPQ)", "     2 : DISPLAY PROCESS(P)\n" + NONE_FOUND, ["06a"], [OF_THE_QUEUE]),
            ("     1 : DISPLAY QUEUE(*)", "     2 : DIS PRO(*)\n" + OTHER_PROCESS, ["06a", "07"], []),
            ("", "", ["07"], [OF_P]),
            ("", OTHER_PROCESS, ["06a", "07"], []),
        ],
    )
    def test_it_depends_on_what_the_commands_did_not_ask_for(
        self, commands: str, after: str, failing: list[str], looked_for: list[tuple[str, str]]
    ) -> None:
        answer = asked(f"Starting MQSC for queue manager QM1.\n{commands}{SHOWN}{after}")
        assert [name for name, holds in told(answer).items() if holds is False and name != "03a"] == failing
        assert answer.verdict == ("does not" if failing else "depends")
        assert [each for each in looked_up(answer) if each in (OF_P, OF_THE_QUEUE)] == looked_for

    def test_all_of_them_being_there_it_triggers_once_the_queue_is_empty(self) -> None:
        answer = asked(f"Starting MQSC for queue manager QM1.\n     1 : DIS QL(APPQ) ALL{SHOWN}")
        assert answer.requirement == (
            "process P is defined and a trigger monitor has INITQ open"
            " and no trigger message was written for APPQ in the last 999999999 ms"
        )

    def test_facts_that_are_written_keep_it(self) -> None:
        log = snapshot(f"Starting MQSC for queue manager QM1.\n     1 : DIS QL(APPQ) ALL{SHOWN}")
        written = {
            name: value if isinstance(value, dict) else [*value] for name, value in build_facts_tables(log).items()
        }
        of_queue_manager = {key: ["QM1"] for key in ("clwluseq", "clwlmruc", "clwlexit", "defxmitq", "trigint")}
        assert written["unknown"] == {"process": ["APPQ"], "initq": ["APPQ"], **of_queue_manager}
        assert asked(written).to_json() == WHY.ask(log.cluster.own_queues["APPQ"], log).to_json()

    def test_a_replay_takes_it_as_there_and_says_so(self) -> None:
        log = snapshot(f"Starting MQSC for queue manager QM1.\n     1 : DIS QL(APPQ) ALL{SHOWN}")
        events = [{"do": "open", "queue": "INITQ", "mode": "INPUT_SHARED"}, {"do": "put", "queue": "APPQ"}]
        opened, _ = Replay().rows(build_scenario({"event": events}, "scenario", log))
        assert len(opened.trigger_messages) == 1
        assert set(opened.assumed) == {
            "INITQ is a local queue: nobody asked for it",
            "process P is defined: nobody asked for it",
            # With one open the queue would have been opened before, and the open would trigger nothing.
            "no handle on INITQ was open for input at the start: no source tells IPPROCS;"
            " DISPLAY QSTATUS('INITQ') IPPROCS",
        }

    def test_a_facts_file_says_it_too(self) -> None:
        given = facts(initq="NONE", process="NOBODY")
        assert asked(given).verdict == "does not"
        answer = asked({**given, "unknown": {"process": ["APPQ"], "initq": ["APPQ"]}})
        assert answer.verdict == "depends"
        assert [each for each, _ in looked_up(answer)] == ["NOBODY", "NONE"]


class TestSharedQueues:
    def test_the_group_may_have_it_open(self) -> None:
        answer = asked(facts(shared=True, **UNKNOWN))
        assert (answer.verdict, told(answer)) == ("depends", {"04": None, "04b": None})
        assert looked_up(answer) == [("APPQ", "DISPLAY QSTATUS('APPQ') CMDSCOPE(*)")]
        here, elsewhere = "no program has APPQ open for input", "another queue manager of the group has APPQ open"
        assert answer.requirement == f"either {here} or {elsewhere} for shared input"

    def test_stated_opens_are_those_of_the_group(self) -> None:
        answer = asked(facts(shared=True))
        assert answer.verdict == "triggers"
        assert answer.assumed == ("no other queue manager of the group has APPQ open for input",)

    def test_commands_name_the_disposition(self) -> None:
        (row,) = asked(facts({"shared": True, "get": "DISABLED"}, shared=True)).to_json()["conditions"]
        assert row["remedy"] == "ALTER QLOCAL('INITQ') QSGDISP(SHARED) GET(ENABLED)"
        (row,) = asked(facts(shared=True, trigger=False)).to_json()["conditions"]
        assert row["remedy"] == "ALTER QLOCAL('APPQ') QSGDISP(SHARED) TRIGGER"
