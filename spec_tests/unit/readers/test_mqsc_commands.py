"""MQSC commands in scripts and dumps: those that cannot be read, those that are kept, and what is not told."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mqclause.model.readers.mqsc import read_mqsc
from spec_tests.support.mqsc_script import attributes, fault, faults, read, record, records
from spec_tests.support.places import without_column


class TestBadCommands:
    @pytest.mark.parametrize(
        ("command", "told"),
        [
            ("DEF QL('A PUT(ENABLED)", "QLOCAL: a quote is opened but not closed in this command"),
            ("DEF QL(A) DESCR('it's here')", "DESCR: a quote is opened but not closed in this command"),
            ("DEF QL(A) DESCR('a'b)", "DESCR: text follows a closing quote; an apostrophe is written ''"),
            ("DEF QL(A) DESCR(a'b')", "DESCR: a quote stands inside an unquoted value"),
            ("DEF QL(A) PUT(ENABLED", "PUT: a parenthesis is opened but not closed in this command"),
            ("DEF QL(A) CONNAME(h(1414)", "CONNAME: a parenthesis is opened but not closed in this command"),
            ("DEF QL(A) PUT(ENABLED))", "a parenthesis is closed but not opened"),
            ("DEF QL(A) (B)", "a value in parentheses stands without a keyword"),
            ("DEF QL(A) 'B'", "a quoted text stands outside parentheses"),
            ("DEFINE(A) QL(B)", "DEFINE takes no value; an object type follows it"),
            ("DEF QL(A) CLUSNL(B(1)') CLWLRANK(9) DESCR('C')", "CLUSNL: a quote stands inside an unquoted value"),
            ("DEF QL(A) CONNAME(h(1),'I(2)')", "CONNAME: a quote stands inside an unquoted value"),
            ("DEF QLOCL(A) CLUSTER(S)", "'QLOCL' is unknown; did you mean 'QLOCAL'?"),
            ("DEF QLOCL(A) USAGE(XMITQ)", "'QLOCL' is unknown; did you mean 'QLOCAL'?"),
            ("ALTER QUEUE(A) PUT(DISABLED)", "ALTER has no object type QUEUE"),
            ("DELETE Q(A)", "DELETE has no object type QUEUE"),
            ("DEFINE QCLUSTER(A) CLUSTER(S)", "DEFINE has no object type QCLUSTER"),
            ("DEFINE QMGR CLWLUSEQ(ANY)", "DEFINE has no object type QMGR"),
            ("SUSPEND CLUSTER(S)", "SUSPEND has no object type CLUSTER"),
            ("ALTER QMGR(QM2) CLWLUSEQ(ANY)", "ALTER QMGR takes no name"),
            (
                "SET CHLAUTH(C) TYPE(USERMAP) ALTER QL(A) PUT(DISABLED)",
                "ALTER stands within a command; each one starts on a new line",
            ),
            ("REFRESH SECURITY(*) DEF QL(A)", "DEFINE stands within a command; each one starts on a new line"),
        ],
    )
    def test_one_fault_and_reading_goes_on(self, command: str, told: str) -> None:
        script = read(f"DEF QL(X)\n{command}\nDEF QL(Y)")
        assert [one.name for one in script.records] == ["X", "Y"]
        expected = told.replace("QLOCAL:", "QL:")
        assert [without_column(one) for one in script.diagnostics] == [f"pay.mqsc:2: {expected}"]

    @pytest.mark.parametrize("command", ["setmqaut", "grtmqmaut"])
    def test_what_dmpmqcfg_writes_for_a_shell_is_told_once(self, command: str) -> None:
        script = read("* Queue manager name: QM1\n" + f"{command} -m QM1 -n 'A' -t queue -p 'app' +get +put\n" * 9)
        assert [str(one) for one in script.diagnostics] == [
            f"pay.mqsc:2:1: {command} is no MQSC, but a command for a shell; allowed: dmpmqcfg -o mqsc, 1line or 2line;"
            " the rest is not read"
        ]

    @pytest.mark.parametrize("command", ["DIS CLUSQMGR(*) STATUS SUSPEND", "DISPLAY CFSTRUCT(*) RECOVER CFLEVEL"])
    def test_a_verb_that_display_asks_for_as_an_attribute(self, command: str) -> None:
        script = read(f"DEF QL(X)\n{command}\nDEF QL(Y)")
        assert ([one.name for one in script.records], script.diagnostics) == (["X", "Y"], ())
        assert fault("DIS QL(*) SUSPEND QMGR").startswith("pay.mqsc:1: SUSPEND stands within a command")

    def test_the_line_of_the_problem_is_told(self) -> None:
        assert fault("DEF QL(A) +\n* remark\n  PUT(ENABLED) +\n  GET('DISABLED) +\n  REPLACE").startswith(
            "pay.mqsc:4: GET:"
        )

    def test_an_open_quote_costs_only_its_own_command(self) -> None:
        script = read_mqsc("DEF QL('A\n" + "DEF QL(B) REPLACE\n" * 1000, "f")
        assert len(script.diagnostics) == 1
        assert len(script.records) == 1000

    def test_what_is_no_command_at_all(self) -> None:
        for text in ("(A)", "5724-H72 (C) Copyright", "hello(world)", "{}", "%", "ä"):
            assert fault(text).startswith("pay.mqsc:1: no MQSC command starts here; allowed: ALTER, DEFINE")


class TestKeptCommands:
    def test_commands_that_configure_nothing_are_checked_and_left_out(self) -> None:
        assert records("START LISTENER(A)\nSET AUTHREC PROFILE(A) AUTHADD(GET,PUT)\nRESET CHANNEL(A)\nPING QMGR") == []
        assert len(faults("START CHANNEL(A\nDISPLAY QLOCAL(A) PUT PUT")) == 2

    def test_verbs_that_are_words_of_other_commands_too(self) -> None:
        assert [one.attributes for one in records("DELETE QL(A) PURGE\nDISPLAY ARCHIVE\nSET ARCHIVE DEFAULT")] == [
            {"PURGE": ""}
        ]

    def test_suspension_is_kept(self) -> None:
        first, second = records("SUSPEND QMGR CLUSTER(PAY) MODE(QUIESCE)\nRESUME QMGR CLUSNL(ALL)")
        assert (first.action, first.kind, first.attributes["CLUSTER"]) == ("suspend", "QMGR", "PAY")
        assert (second.action, second.kind, second.attributes) == ("resume", "QMGR", {"CLUSNL": "ALL"})

    def test_what_operates_channels_is_kept(self) -> None:
        first, second, third = records("START CHL(A)\nSTOP CHANNEL(B) STATUS(INACTIVE)\nREFRESH CLUSTER(PAY)")
        assert (first.action, first.kind, first.name) == ("start", "CHANNEL", "A")
        assert (second.action, second.name, second.attributes) == ("stop", "B", {"STATUS": "INACTIVE"})
        assert (third.action, third.kind, third.name) == ("refresh", "CLUSTER", "PAY")

    def test_the_queue_manager_has_no_name(self) -> None:
        one = record("ALTER QMGR REPOS(PAY) CHLAUTH(DISABLED)")
        assert (one.kind, one.name, one.attributes) == ("QMGR", "", {"REPOS": "PAY", "CHLAUTH": "DISABLED"})

    def test_other_object_types_are_kept_as_they_are(self) -> None:
        assert [
            one.kind for one in records("DEF SUB(S) TOPICSTR('a')\nDEF TOPIC(T) SUB(ENABLED)\nDEF STGCLASS(C) PSID(1)")
        ] == [
            "SUB",
            "TOPIC",
            "STGCLASS",
        ]


class TestDumps:
    """Points 18 to 21."""

    HEADER = """\
        **********************************************
        * Script generated on 2026-01-02   at 03.04.05
        * Script generated by user 'mqm' on host 'h'
        * Queue manager name: PAY1
        * Queue manager platform: UNIX
        * Queue manager command level: (930/930)
        * Command issued: dmpmqcfg -a -m PAY1
        **********************************************
        """

    def test_the_header_names_the_queue_manager(self) -> None:
        script = read(dedent(self.HEADER) + "ALTER QMGR +\n   FORCE\n* Script ended on 2026-01-02   at 03.04.06\n")
        assert script.queue_manager == "PAY1"
        assert script.header["Queue manager platform"] == "UNIX"
        assert script.header["Command issued"] == "dmpmqcfg -a -m PAY1"
        assert "Script ended on" in script.header

    def test_a_runmqsc_line_names_the_queue_manager(self) -> None:
        script = read("Starting MQSC for queue manager PAY.1.\nDEF QL(A)")
        assert (script.queue_manager, len(script.records), script.diagnostics) == ("PAY.1", 1, ())

    def test_a_script_need_not_name_its_queue_manager(self) -> None:
        assert read("* for the queue manager PAY1\nDEF QL(A)").queue_manager == ""

    def test_a_second_queue_manager_in_one_file_is_a_fault(self) -> None:
        script = read("* Queue manager name: A\nDEF QL(Q)\n* Queue manager name: B\nDEF QL(R)")
        assert (script.queue_manager, [one.name for one in script.records]) == ("A", ["Q"])
        assert [(one.line, "'B'" in one.message) for one in script.diagnostics] == [(3, True)]

    def test_commented_attributes_inside_a_command_are_informational(self) -> None:
        one = record(
            """
            DEFINE QLOCAL('Q') +
            *  CURDEPTH(261) +
               PUT(ENABLED) +
            *  QMID(Pay1_2026-01-02_03.04.05) +
            *  SYNCPT +
            * owner: cards +
               REPLACE
            """
        )
        assert one.attributes == {"PUT": "ENABLED", "REPLACE": ""}
        assert one.informational == {"CURDEPTH": "261", "QMID": "Pay1_2026-01-02_03.04.05", "SYNCPT": ""}

    def test_commented_attributes_outside_a_command_are_comments(self) -> None:
        assert record("*  CURDEPTH(1) +\nDEF QL(A)").informational == {}


class TestSecrets:
    @pytest.mark.parametrize(
        "command",
        [
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD('opensesame')",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASS+\n* between\n  WORD( 'open-\nsesame' )",
            'DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) LdapPwd ("opensesame")',
            "ALTER QMGR SSLCRYP(opensesame,b)",
            "ALTER QMGR SSL  +\n CRYP('opensesame')",
            "ALTER QMGR KEYRPWD('opensesame') SSLKEYP('opensesame') INITKEY('opensesame')",
            "ALTER QMGR +\n*  KEYRPWD(opensesame) +\n FORCE",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD('opensesame)",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD('open'sesame')",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD opensesame",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD opensesame opensesame",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD opensesame('",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD('\nopensesame')",
            "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD(opensesame('x)",
        ],
    )
    def test_the_values_of_secrets_are_not_kept(self, command: str) -> None:
        script = read_mqsc(command, "f")
        assert script.records or script.diagnostics
        assert "sesame" not in repr(script).lower()

    def test_a_secret_is_known_to_be_there(self) -> None:
        assert attributes("ALTER QMGR KEYRPWD('x')") == {"KEYRPWD": ""}
