"""Scripts of several queue managers put together as one of them sees the cluster."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.view import ClusterView, build_view
from mqclause.model.facts.objects import Process, Queue, QueueManager
from spec_tests.support.assembled import assembled, faults, queue_of, script, view_of
from spec_tests.support.places import without_column

TEXT = "allowed: text of {} to {} characters, without control characters"
LONG = "C" * 21
MEMBER = "DEF CHL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(PAY)\n"


class TestWhichIsLocal:
    def test_the_only_queue_manager(self) -> None:
        found = assembled(script("A", "")).queue_manager
        assert found is not None
        assert (found.fact, found.source, found.line) == (QueueManager("A"), "A.mqsc", None)

    def test_the_named_one_of_several(self) -> None:
        view = assembled(script("A", ""), script("B", ""), script("C", ""), local="B")
        assert view.queue_manager is not None
        assert view.queue_manager.fact.name == "B"
        assert view.others.strangers == ("A", "C")

    def test_several_need_a_choice(self) -> None:
        view = build_view([script("A", ""), script("B", "")], None)
        assert view.queue_manager is None
        assert [without_column(fault) for fault in view.diagnostics] == [
            "local: several queue managers are described: A, B; say which one is local"
        ]

    def test_a_choice_that_is_not_there(self) -> None:
        (fault,) = build_view([script("PAY1", ""), script("PAY2", "")], "PAX1").diagnostics
        assert str(fault) == (
            "local: no source describes the queue manager 'PAX1'; described: PAY1, PAY2; did you mean 'PAY1'?"
        )

    def test_a_script_without_a_name_needs_one(self) -> None:
        (fault,) = build_view([script("", "DEF QL(Q)")], None).diagnostics
        assert str(fault) == "x.mqsc: does not name its queue manager; name it with local, or give it as QMGR=FILE"

    def test_a_script_without_a_name_belongs_to_the_local_one(self) -> None:
        own, other = MEMBER.format("A") + "DEF QL(Q) CLUSTER(PAY)", script("B", MEMBER.format("B"))
        view = assembled(script("", own), other, local="A")
        assert [placed.fact for placed in view.queues] == [Queue("Q", "A", clusters=("PAY",))]
        assert [other.fact.name for other in view.remote_queue_managers] == ["B"]
        assert [placed.fact.queue_manager for placed in assembled(script("A", ""), script("", "DEF QL(Q)")).queues] == [
            "A"
        ]

    def test_a_name_that_cannot_be_one(self) -> None:
        (fault,) = build_view([script("", "")], "A" * 49).diagnostics
        assert "is not allowed; allowed: text of 1 to 48 characters" in str(fault)

    def test_nothing(self) -> None:
        assert build_view([], None) == ClusterView()


class TestCommandsInOrder:
    def test_attributes_become_facts(self) -> None:
        text = """DEF QL(Q) CLUSTER(PAY) PUT(disabled) GET(DISABLED) CLWLRANK(1) CLWLPRTY( 2 ) CLWLUSEQ(ANY) +
            DEFBIND(GROUP) DEFPRTY(3) MSGDLVSQ(FIFO) USAGE(XMITQ) TRIGGER TRIGTYPE(DEPTH) TRIGMPRI(4) +
            TRIGDPTH('5') TRIGDATA('d') PROCESS(P) INITQ('i ') QSGDISP(SHARED) MAXMSGL(x)"""
        assert queue_of(text) == Queue(
            "Q", "A", clusters=("PAY",), put="DISABLED", get="DISABLED", clwlrank=1, clwlprty=2, clwluseq="ANY",
            defbind="GROUP", defprty=3, msgdlvsq="FIFO", usage="XMITQ", trigger=True, trigtype="DEPTH", trigmpri=4,
            trigdpth=5, trigdata="d", process="P", initq="i", shared=True,
        )  # fmt: skip

    def test_alter_changes_what_it_states_and_the_last_flag_wins(self) -> None:
        text = "DEF QL(Q) CLWLRANK(1) CLWLPRTY(2) TRIGGER\nALTER QL(Q) CLWLPRTY(3) NOTRIGGER\nALTER QL(Q) TRIGGER"
        assert queue_of(text) == Queue("Q", "A", clwlrank=1, clwlprty=3, trigger=True)

    def test_replace_forgets_what_was_before(self) -> None:
        assert queue_of("DEF QL(Q) CLWLRANK(1)\nDEF QL(Q) CLWLPRTY(3) REPLACE") == Queue("Q", "A", clwlprty=3)

    def test_a_second_definition_needs_replace(self) -> None:
        assert faults("DEF QL(Q)\nDEF QL(Q) NOREPLACE") == [
            "1.mqsc:3: QLOCAL 'Q': is already defined at 1.mqsc:2; REPLACE is needed to define it again"
        ]
        assert faults("DEF CHL(C) CHLTYPE(SVRCONN)\nDEF CHL(C) CHLTYPE(CLNTCONN)") == []

    def test_queues_share_one_set_of_names(self) -> None:
        expected = ["1.mqsc:3: QALIAS 'Q': is a QLOCAL, defined at 1.mqsc:2"]
        assert faults("DEF QL(Q)\nDEF QA(Q) TARGET(X) REPLACE") == expected
        assert faults("DEF QL(Q)\nALTER QA(Q) TARGET(X)") == expected
        assert faults("DEF QL(Q)\nDELETE QA(Q)") == expected

    def test_a_channel_keeps_its_type(self) -> None:
        assert faults("DEF CHL(C) CHLTYPE(CLUSRCVR)\nALTER CHL(C) CHLTYPE(CLUSSDR)\nALTER CHL(C) NETPRTY(1)") == [
            "1.mqsc:3: CHANNEL 'C': is a CLUSRCVR, defined at 1.mqsc:2"
        ]

    def test_delete(self) -> None:
        assert view_of("DEF QL(Q)\nDELETE QL(Q)\nDELETE QL(R)").queues == ()
        assert queue_of("DEF QL(Q)\nDELETE QL(Q)\nDEF QL(Q) CLWLRANK(1)").clwlrank == 1

    def test_scripts_of_one_queue_manager_apply_one_after_the_other(self) -> None:
        first, second = script("A", "DEF QL(Q)", "1.mqsc"), script("A", "ALTER QL(Q) CLWLRANK(4)", "2.mqsc")
        assert [placed.fact.clwlrank for placed in assembled(first, second).queues] == [4]
        assert len(build_view([second, first], None).diagnostics) == 1

    def test_what_is_altered_must_be_defined(self) -> None:
        assert faults("ALTER QL(Q) PUT(DISABLED)") == ["1.mqsc:2: QLOCAL 'Q': is altered but not defined"]

    def test_or_it_is_there_under_a_name_with_an_insert(self) -> None:
        text = "DEF CHL('+AUTOCL+_A') CHLTYPE(CLUSRCVR) CLUSTER(S)\nALTER CHL({}) CHLTYPE(CLUSRCVR) CLWLPRTY(5)"
        (told,) = faults(text.format("UNI_A"))
        hint = "'+AUTOCL+_A' may be it once +AUTOCL+ is filled in: put its value there"
        assert told == f"1.mqsc:3: CHANNEL 'UNI_A': is altered but not defined; {hint}"
        assert faults(text.format("UNI_B")) == ["1.mqsc:3: CHANNEL 'UNI_B': is altered but not defined"]

    def test_system_objects_and_the_queue_manager_are_there_from_the_start(self) -> None:
        view = view_of("ALTER QL(SYSTEM.X) CLWLRANK(1)\nALTER CHL(SYSTEM.C) NETPRTY(1)\nALTER QMGR CLWLUSEQ(ANY)")
        assert [placed.fact for placed in view.queues] == [Queue("SYSTEM.X", "A", clwlrank=1)]
        assert view.queue_manager is not None
        assert view.queue_manager.fact.clwluseq == "ANY"

    def test_like(self) -> None:
        assert queue_of("DEF QL(B) CLWLRANK(3) CLWLPRTY(1)\nDEF QL(Q) LIKE(B) CLWLPRTY(2)\nDELETE QL(B)") == Queue(
            "Q", "A", clwlrank=3, clwlprty=2
        )
        assert queue_of("DEF QL(Q) LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE)") == Queue("Q", "A")
        assert faults("DEF QA(Q) LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE)") == [
            "1.mqsc:2: QALIAS 'Q': LIKE: no QALIAS 'SYSTEM.DEFAULT.LOCAL.QUEUE' is defined"
        ]
        assert faults("DEF QL(Q) +\n LIKE(NOT.THERE)\nALTER QL(Q) GET(DISABLED)") == [
            "1.mqsc:3: QLOCAL 'Q': LIKE: no QLOCAL 'NOT.THERE' is defined"
        ]

    @pytest.mark.parametrize(
        ("kind", "default"), [("QL", "LOCAL.QUEUE"), ("QA", "ALIAS.QUEUE"), ("QR", "REMOTE.QUEUE")]
    )
    def test_default_objects_give_what_a_later_definition_leaves_out(self, kind: str, default: str) -> None:
        text = f"DEF {kind}(E)\nDEF {kind}(SYSTEM.DEFAULT.{default}) CLWLRANK(5)\nDEF {kind}(Q)"
        assert {placed.fact.name: placed.fact.clwlrank for placed in view_of(text).queues} == {
            "E": 0,
            f"SYSTEM.DEFAULT.{default}": 5,
            "Q": 5,
        }

    def test_default_channels_and_processes(self) -> None:
        view = view_of(
            "DEF CHL(SYSTEM.DEF.CLUSRCVR) CHLTYPE(CLUSRCVR) CLWLWGHT(7)\nDEF CHL(C) CHLTYPE(CLUSRCVR) CLUSTER(PAY)\n"
            "DEF PRO(SYSTEM.DEFAULT.PROCESS) APPLTYPE(CICS)\nDEF PRO(P) APPLICID('run') USERDATA('u') ENVRDATA('e')"
        )
        assert [(placed.fact.name, placed.fact.clwlwght) for placed in view.channels] == [("C", 7)]
        assert view.processes[1].fact == Process("P", "CICS", "run", "e", "u")


class TestValues:
    @pytest.mark.parametrize(
        ("command", "told"),
        [
            (
                "DEF QL(Q) CLWLRANK(11)",
                "QLOCAL 'Q': CLWLRANK: '11' is not allowed; allowed: a whole number from 0 to 9",
            ),
            ("DEF QL(Q) CLWLPRTY(x)", "QLOCAL 'Q': CLWLPRTY: 'X' is not allowed; allowed: a whole number from 0 to 9"),
            (
                "DEF QL(Q) TRIGMPRI(-1)",
                "QLOCAL 'Q': TRIGMPRI: '-1' is not allowed; allowed: a whole number from 0 to 9",
            ),
            ("DEF QA(Q) PUT(YES)", "QALIAS 'Q': PUT: 'YES' is not allowed; allowed: ENABLED, DISABLED"),
            (
                "DEF QL(Q) USAGE(XMIT)",
                "QLOCAL 'Q': USAGE: 'XMIT' is not allowed; allowed: NORMAL, XMITQ; did you mean 'XMITQ'?",
            ),
            (
                "DEF CHL(C) CHLTYPE(CLUSRCVR) CLWLWGHT(0)",
                "CHANNEL 'C': CLWLWGHT: '0' is not allowed; allowed: a whole number from 1 to 99",
            ),
            ("ALTER QMGR CLWLUSEQ(QMGR)", "QMGR: CLWLUSEQ: 'QMGR' is not allowed; allowed: LOCAL, ANY"),
            (
                "DEF QL(Q) CLUSTER(B) CLUSNL(N)",
                "QLOCAL 'Q': CLUSNL: 'N' is not allowed; allowed: one of CLUSTER and CLUSNL",
            ),
            ("DEF QL(Q) CLUSTER(B,C)", f"QLOCAL 'Q': CLUSTER: ('B', 'C') is not allowed; {TEXT.format(0, 48)}"),
            (
                "DEF QL(Q) DESCR(of orders)",
                "QLOCAL 'Q': DESCR: ('OF', 'ORDERS') is not allowed; allowed: one text, in quotes where it has blanks or commas",
            ),
            (
                f"DEF CHL({LONG}) CHLTYPE(CLUSRCVR)",
                f"CHANNEL '{LONG}': name: '{LONG}' is not allowed; {TEXT.format(1, 20)}",
            ),
            ("SUSPEND QMGR CLUSTER('a\tb')", f"QMGR: CLUSTER: 'a\\tb' is not allowed; {TEXT.format(1, 48)}"),
        ],
    )
    def test_a_value_that_is_not_allowed(self, command: str, told: str) -> None:
        assert faults(command) == [f"1.mqsc:2: {told}"]

    def test_every_fault_of_a_command_is_told_with_its_line_and_the_command_is_left_out(self) -> None:
        text = "DEF QL(Q) CLWLRANK(1)\nALTER QL(Q) CLWLRANK(2) +\n PUT(NO) +\n GET(NO)"
        assert [fault[:30] for fault in faults(text)] == [
            "1.mqsc:4: QLOCAL 'Q': PUT: 'NO",
            "1.mqsc:5: QLOCAL 'Q': GET: 'NO",
        ]
        assert [placed.fact for placed in build_view([script("A", text)], None).queues] == [Queue("Q", "A", clwlrank=1)]

    def test_a_refused_definition_costs_one_fault(self) -> None:
        assert (
            len(faults("DEF QL(Q) CLWLRANK(11)\nALTER QL(Q) PUT(DISABLED)\nDEF QL(Q)\nALTER QL(Q) GET(DISABLED)")) == 1
        )

    def test_attributes_that_are_not_read_may_have_any_value(self) -> None:
        assert faults("DEF QL(Q) MAXMSGL(x) CUSTOM(A,B)\nDEF TOPIC(T) PUB(x)\nDEF TOPIC(T)") == []
        assert faults("DEF CHL('{{ .Values.a.very.long.name }}') CHLTYPE(SVRCONN)\nDEF QM(M) TRIGDPTH(x)") == []
