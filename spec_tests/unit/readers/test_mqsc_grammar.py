"""The grammar of MQSC: lines and words, point by point, on scripts written for these tests."""

from __future__ import annotations

import pytest

from mqclause.model.readers.mqsc import read_mqsc
from spec_tests.support.mqsc_script import attributes, fault, faults, read, record, records


class TestLines:
    """Points 1 to 5."""

    def test_each_command_starts_on_a_new_line_and_blank_lines_are_ignored(self) -> None:
        first, second = records(
            """
            DEFINE QLOCAL(A)

            DEFINE QALIAS(B) TARGET(A)
            """
        )
        assert (first.action, first.kind, first.name, first.line) == ("define", "QLOCAL", "A", 1)
        assert (second.kind, second.name, second.line, second.source) == ("QALIAS", "B", 3, "pay.mqsc")

    def test_two_commands_on_a_line_are_a_fault(self) -> None:
        assert fault("DEFINE QLOCAL(A) DEFINE QLOCAL(B)") == (
            "pay.mqsc:1: DEFINE stands within a command; each one starts on a new line"
        )
        assert fault("DEFINE QLOCAL(A); DEFINE QLOCAL(B)").startswith("pay.mqsc:1: ';' ends a command")
        assert fault("DEFINE QLOCAL(A) CHANNEL(B)") == (
            "pay.mqsc:1: DEFINE is given two object types, QLOCAL and CHANNEL"
        )

    def test_a_line_may_be_longer_than_2048_characters(self) -> None:
        assert record(f"DEFINE QLOCAL(A){' ' * 3000}PUT(DISABLED)").attributes["PUT"] == "DISABLED"

    @pytest.mark.parametrize("end", ["\n", "\r\n", " \t\n"])
    def test_line_ends_and_a_byte_order_mark(self, end: str) -> None:
        script = read_mqsc(f"\ufeffDEF QL(A) +{end}PUT(DISABLED){end}DEF QL(B){end}", "f")
        assert script.diagnostics == ()
        assert [(one.name, one.line) for one in script.records] == [("A", 1), ("B", 3)]

    def test_a_star_in_column_1_makes_a_comment(self) -> None:
        assert record("* DEFINE QLOCAL(NOT.THIS)\nDEFINE QLOCAL(A)\n*END").name == "A"

    def test_comments_and_blank_lines_stand_between_continued_lines(self) -> None:
        assert attributes("DEF QL(PAY.IN) +\n* owner: cards\n\n  PUT(DISABLED) +\n*\n  GET(DISABLED)") == {
            "PUT": "DISABLED",
            "GET": "DISABLED",
        }

    def test_a_star_after_blanks_makes_a_comment_inside_a_command(self) -> None:
        assert attributes("DEF QL(A) +\n   * remark (' +\n   PUT(DISABLED)") == {"PUT": "DISABLED"}

    def test_a_remark_behind_a_command_is_no_comment(self) -> None:
        for sign in ("*", "#", "//", "--", "/*"):
            assert fault(f"DEFINE QLOCAL(A) {sign} remark") == (
                "pay.mqsc:1: a remark needs a line of its own, which begins with *"
            )

    def test_plus_continues_at_the_first_non_blank(self) -> None:
        assert attributes("DEF QL(A) DESCR('Pay-+\n     ments')") == {"DESCR": "Pay-ments"}

    def test_minus_continues_at_column_1(self) -> None:
        assert attributes("DEF QL(A) DESCR('Pay-\n  ments')") == {"DESCR": "Pay  ments"}

    def test_a_sign_may_stand_in_a_keyword_a_value_or_a_name(self) -> None:
        one = record("DEF QLO+\n  CAL(PAY-\n.IN) P+\n UT(DIS-\nABLED)")
        assert (one.kind, one.name, one.attributes) == ("QLOCAL", "PAY.IN", {"PUT": "DISABLED"})

    def test_blanks_may_follow_the_sign(self) -> None:
        assert attributes("DEF QL(A) +  \t\n PUT(DISABLED)  - \n GET(DISABLED)") == {
            "PUT": "DISABLED",
            "GET": "DISABLED",
        }

    def test_a_blank_before_the_next_parameter_must_stand_in_the_text(self) -> None:
        assert fault("DEF QL(A) NOTRIGGER+\n  SHARE") == (
            "pay.mqsc:1: 'NOTRIGGERSHARE' is unknown; did you mean 'NOTRIGGER'?"
        )

    def test_a_semicolon_ends_a_command_even_after_a_plus(self) -> None:
        assert [
            one.name for one in records("DEF QL(A);\nDEF QL(B) ;\nDEF QL(C) +\n;\nDEF QL(D) +;\nDEF QL(E)")
        ] == list("ABCDE")

    def test_a_semicolon_inside_quotes_is_text(self) -> None:
        assert attributes("DEF QL(A) DESCR('one; two;')") == {"DESCR": "one; two;"}

    @pytest.mark.parametrize("word", ["END", "exit", "QUIT", "  end ;"])
    def test_end_stops_the_input(self, word: str) -> None:
        assert [one.name for one in records(f"DEF QL(A)\n{word}\nthis is not read (")] == ["A"]

    def test_a_continued_command_at_the_end_of_the_input_is_a_fault(self) -> None:
        assert fault("DEF QL(A) +\n PUT(DISABLED) +\n").startswith(
            "pay.mqsc:2: the last line of this command is continued"
        )

    def test_the_lines_of_attributes_are_known(self) -> None:
        one = record("* remark\nDEF QL(A) +\n*  CURDEPTH(1) +\n  PUT(DISABLED) DESCR('a +\n b') +\n  GET(DISABLED)")
        assert [one.find_line(name) for name in ("PUT", "DESCR", "GET", "UNSTATED")] == [4, 4, 6, 2]


class TestWords:
    """Points 6 to 17."""

    def test_parameters_come_in_any_order(self) -> None:
        assert attributes("DEF QL(A) GET(DISABLED) PUT(DISABLED)") == attributes(
            "DEF QL(A) PUT(DISABLED) GET(DISABLED)"
        )

    def test_the_noun_need_not_be_second(self) -> None:
        one = record("DEFINE NOREPLACE -\n QLOCAL('X') PROCESS(P)")
        assert (one.kind, one.name, one.attributes) == ("QLOCAL", "X", {"NOREPLACE": "", "PROCESS": "P"})
        assert record("DEFINE PROCESS(P) REPLACE QLOCAL(X)").kind == "QLOCAL"
        assert record("DEFINE REPLACE PROCESS(P)").kind == "PROCESS"

    def test_blanks_and_commas_separate(self) -> None:
        one = record("ALTER ,QLOCAL ('Account' ),,  PUT ( DISABLED) , GET(  DISABLED  ),")
        assert (one.action, one.name, one.attributes) == ("alter", "Account", {"PUT": "DISABLED", "GET": "DISABLED"})

    def test_keywords_fold_and_unquoted_values_fold_but_quoted_ones_are_kept(self) -> None:
        assert [one.name for one in records("def ql(abc)\nDeF qL('abc')")] == ["ABC", "abc"]
        assert attributes("def ql(a) descr(low) clwluseq(any)") == {"DESCR": "LOW", "CLWLUSEQ": "ANY"}

    def test_two_apostrophes_in_quotes_are_one(self) -> None:
        assert attributes("DEF QL(A) DESCR('it''s ''it''')") == {"DESCR": "it's 'it'"}

    def test_double_quotes_are_accepted(self) -> None:
        assert attributes("""DEF QL("abc") DESCR("it's" )""") == {"DESCR": "it's"}

    def test_double_quotes_are_noted_once_where_they_are_a_value_s(self) -> None:
        script = read_mqsc("""DEF QL(A) DESCR('a ("b")')\nDEF QL(B) +\n DESCR( "it's")\nDEF QL("C")\n""", "f")
        assert [str(each) for each in script.remarks] == [
            "f:3:9: a text in double quotes is read as one in single quotes, which alone IBM documents for MQSC"
        ]
        assert read_mqsc("""DEF QL(A) DESCR('a ("b")')\n""", "f").remarks == ()

    def test_unsafe_characters_in_unquoted_values_are_accepted(self) -> None:
        assert attributes("DEF QL(A-B) DESCR(A*) CUSTOM(**) INITQ(+QMNAME+) TRIGDATA(a:b) PROCESS(<a>)") == {
            "DESCR": "A*",
            "CUSTOM": "**",
            "INITQ": "+QMNAME+",
            "TRIGDATA": "A:B",
            "PROCESS": "<A>",
        }

    @pytest.mark.parametrize("template", ["{{x}}", "{{ .Check }}", "${x}", "${ x }", "$x", "TO.${QM}.{{ n }}"])
    def test_unquoted_templates_are_values(self, template: str) -> None:
        assert attributes(f"DEF QL(A) DESCR({template}) PUT(DISABLED)") == {
            "DESCR": template.upper(),
            "PUT": "DISABLED",
        }

    def test_parentheses_nest_in_quotes(self) -> None:
        assert attributes("DEF CHL(A) CHLTYPE(SDR) CONNAME('h(1414),h2(1414)') XMITQ(X)") == {
            "CHLTYPE": "SDR",
            "CONNAME": "h(1414),h2(1414)",
            "XMITQ": "X",
        }

    def test_unquoted_parentheses_are_counted(self) -> None:
        assert attributes("DEF CHL(A) CHLTYPE(SDR) CONNAME(h(1414)) XMITQ(X)")["CONNAME"] == "H(1414)"

    @pytest.mark.parametrize("value", ["'it'", '"it"', "it", "'it', 'that'"])
    def test_a_parenthesis_that_is_not_closed_is_told_as_that(self, value: str) -> None:
        assert fault(f"DEF QL(A) DESCR({value}") == (
            "pay.mqsc:1: DESCR: a parenthesis is opened but not closed in this command"
        )

    def test_a_parameter_within_a_name_is_a_fault(self) -> None:
        assert fault("DEF QL(A PUT(DISABLED))") == "pay.mqsc:1: QL: a parenthesis stands in a name"
        assert fault("DEF QL(A) +\n CLUSTER(S PUT(DISABLED))") == "pay.mqsc:2: CLUSTER: a parenthesis stands in a name"
        assert record("DEF QL({{ name (x) }})").name == "{{ NAME (X) }}"

    def test_a_repeated_parameter_is_a_fault(self) -> None:
        assert fault("DEF QL(A) PUT(ENABLED) +\n  PUT(DISABLED)") == "pay.mqsc:2: PUT is given twice"
        assert fault("DEF QA(A) TARGQ(X) TARGET(Y)") == "pay.mqsc:1: TARGET is given twice"

    @pytest.mark.parametrize("flags", ["REPLACE NOREPLACE", "NOTRIGGER PUT(ENABLED) TRIGGER", "SHARE NOSHARE"])
    def test_a_parameter_with_its_no_form_is_a_fault(self, flags: str) -> None:
        assert fault(f"DEF QL(A) {flags}").endswith("are given together")

    def test_flags_have_no_value_and_other_parameters_need_one(self) -> None:
        assert attributes("DEF QL(A) TRIGGER SHARE NOHARDENBO REPLACE") == dict.fromkeys(
            ["TRIGGER", "SHARE", "NOHARDENBO", "REPLACE"], ""
        )
        assert fault("DEF QL(A) TRIGGER(YES)") == "pay.mqsc:1: TRIGGER takes no value"
        assert fault("DEF QL(A) REPLACE +\n CLUSTER") == "pay.mqsc:2: CLUSTER needs a value in parentheses"
        assert fault("ALTER QMGR DEADQ") == "pay.mqsc:1: DEADQ needs a value in parentheses"
        assert fault("DEF QR(A) RNAME(B) XMITQ") == "pay.mqsc:1: XMITQ needs a value in parentheses"
        assert fault("DEF QL(A) MAXMSGL SHARE") == "pay.mqsc:1: MAXMSGL needs a value in parentheses"

    @pytest.mark.parametrize("blank", ["' '", "''", '" "', "", " ", "'     '"])
    def test_blank_values_are_blank(self, blank: str) -> None:
        assert attributes(f"DEF QL(A) CLUSTER({blank}) PUT(ENABLED)") == {"CLUSTER": "", "PUT": "ENABLED"}

    def test_trailing_blanks_of_names_do_not_count(self) -> None:
        assert record("DEF QL('A  ')").name == "A"

    def test_lists(self) -> None:
        assert attributes("DEF NL(N) NAMES('A','b' C)") == {"NAMES": ("A", "b", "C")}
        assert record("DEF NL(N) NAMES(A)").listed("NAMES") == ("A",)
        assert record("DEF NL(N) NAMES( )").listed("NAMES") == ()

    def test_a_list_wrapped_as_dumps_wrap_it(self) -> None:
        one = record("DEFINE NAMELIST('N') +\n   NAMES('A' +\n        ,'B') +\n   REPLACE")
        assert one.attributes == {"NAMES": ("A", "B"), "REPLACE": ""}
        assert list(one.places) == [(1, 4), (3, 4)]

    @pytest.mark.parametrize(
        ("short", "kind"),
        [
            ("QL", "QLOCAL"),
            ("QA", "QALIAS"),
            ("QR", "QREMOTE"),
            ("QM", "QMODEL"),
            ("NL", "NAMELIST"),
            ("PRO", "PROCESS"),
        ],
    )
    def test_synonyms(self, short: str, kind: str) -> None:
        assert record(f"DEF {short}(A)").kind == kind
        assert record(f"ALT {short}(A)").kind == kind
        assert record(f"DELETE {short}(A)") == record(f"DELETE {kind}(A)")

    def test_synonyms_of_channels_attributes_and_other_commands(self) -> None:
        assert record("DEF CHL(A) CHLTYPE(CLUSRCVR)").kind == "CHANNEL"
        assert attributes("DEF QA(A) TARGQ(B)") == {"TARGET": "B"}
        assert records("DIS QC(*) CLUSQMGR\nDIS QS(A)\nDIS CHS(*)\nSTA LSTR(L)\nDIS Q(*)") == []
        assert record("REF CLUSTER(C)").kind == "CLUSTER"

    @pytest.mark.parametrize("verb", ["DEFI", "DEL", "DISP", "ALTE", "define_"])
    def test_synonyms_are_no_prefixes(self, verb: str) -> None:
        assert read(f"{verb} QL(A)\nDEF QL(B)").records[0].name == "B"
        assert len(faults(f"{verb} QL(A)")) == 1

    def test_a_misspelt_verb_or_noun_is_told_with_a_suggestion(self) -> None:
        assert fault("DEFINNE QL(A)") == "pay.mqsc:1: 'DEFINNE' is unknown; did you mean 'DEFINE'?"
        assert fault("DEFINE QLOCL(A)") == "pay.mqsc:1: 'QLOCL' is unknown; did you mean 'QLOCAL'?"
        assert fault("DEFINE") == "pay.mqsc:1: DEFINE: an object type is missing"

    def test_generic_names(self) -> None:
        assert (
            records("DISPLAY QLOCAL(PAY*) WHERE(CURDEPTH GT 0)\nSET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('nobody')")
            == []
        )

    @pytest.mark.parametrize("noun", ["QL", "QALIAS", "CHL", "NAMELIST", "PROCESS", "TOPIC"])
    def test_a_definition_needs_one_name(self, noun: str) -> None:
        assert "needs a name in parentheses" in fault(f"DEFINE {noun} REPLACE CHLTYPE(SDR)")
        assert "takes one name" in fault(f"DEFINE {noun}(A,B) CHLTYPE(SDR)")

    def test_a_channel_has_a_type(self) -> None:
        assert fault("DEFINE CHANNEL(A) TRPTYPE(TCP)") == "pay.mqsc:1: DEFINE CHANNEL needs CHLTYPE"
        assert attributes("ALTER CHANNEL(A) TRPTYPE(TCP)") == {"TRPTYPE": "TCP"}

    def test_inserts_are_text_unless_the_last_character_continues(self) -> None:
        one = record("DEF CHL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) CONNAME(+CONNAME+) CLUSTER(+AUTOCL+)")
        assert (one.name, one.attributes["CLUSTER"]) == ("+AUTOCL+_+QMNAME+", "+AUTOCL+")
        assert record("DEF CHL(UNI.+QMNAME+\n) CHLTYPE(CLUSRCVR)").name == "UNI.+QMNAME"
