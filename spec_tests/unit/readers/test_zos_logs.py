"""What z/OS displays: on a console, in the log of a job and of the system, in answers of mqweb; and what ends a log."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from mqclause.model.readers.json_responses import read_mqweb
from mqclause.model.readers.records import Record, Script
from mqclause.model.readers.runmqsc import has_output, read_runmqsc

STATUS = [
    ("CHSTATUS", ["CHSTATUS(TO.QM7)", "CHLDISP(PRIVATE)", "CURRENT", "CHLTYPE(CLUSSDR)", "STATUS(RETRYING)"]),
    ("QSTATUS", ["QSTATUS(STOCK.IN)", "TYPE(QUEUE)", "OPPROCS(1)", "IPPROCS(2)", "CURDEPTH(9)"]),
    ("QUEUE", ["QUEUE(STOCK.IN)", "TYPE(QLOCAL)", "QSGDISP(QMGR)", "PUT(DISABLED)"]),
]
SHOWN = [
    ("CHSTATUS", "TO.QM7", {"CHLDISP": "PRIVATE", "CURRENT": "", "CHLTYPE": "CLUSSDR", "STATUS": "RETRYING"}),
    ("QSTATUS", "STOCK.IN", {"TYPE": "QUEUE", "OPPROCS": "1", "IPPROCS": "2", "CURDEPTH": "9"}),
    ("QLOCAL", "STOCK.IN", {"TYPE": "QLOCAL", "QSGDISP": "QMGR", "PUT": "DISABLED"}),
]


def plain(kind: str, lines: list[str], _: int) -> str:
    shown = "".join(f" {line:<60}\n" for line in lines)
    return f" CSQM201I !CSQ7 CSQMDRTC  DISPLAY {kind} DETAILS\n{shown}  END {kind} DETAILS\n"


def with_page_breaks(kind: str, lines: list[str], at: int) -> str:
    return "\f" + plain(kind, lines, at)


def job_log(kind: str, lines: list[str], at: int) -> str:
    number, shown = 700 + at, [*lines, f" END {kind} DETAILS"]
    text = f"09.15.0{at} STC04711  CSQM201I !CSQ7 CSQMDRTC  DISPLAY {kind} DETAILS {number}\n"
    text += "".join(f"   {number}             {line}\n" for line in shown)
    return text + f"09.15.0{at} STC04711  CSQ9022I !CSQ7 CSQMDRTC ' DISPLAY {kind}' NORMAL COMPLETION\n"


def system_log(kind: str, lines: list[str], at: int) -> str:
    number, time = 800 + at, f"31034 09:15:0{at}.07 STC04711"
    text = f"M 4000000 SYSB     {time} 00000090  CSQM201I !CSQ7 CSQMDRTC  DISPLAY {kind} DETAILS {number}\n"
    text += "".join(f"D                                         {number} 00000090  {line}\n" for line in lines)
    text += f"E                                         {number} 00000090   END {kind} DETAILS\n"
    return text + f"N 4000000 SYSB     {time} 00000090  CSQ9022I !CSQ7 CSQMDRTC ' DISPLAY {kind}' NORMAL COMPLETION\n"


def on_one_line(_: str, lines: list[str], at: int) -> str:
    return f"CSQM4{at:02}I !CSQ7 {' '.join(line.replace(')', '   )') for line in lines)}\n"


def objects(read: Script) -> list[tuple[str, str, dict[str, object]]]:
    return [(each.kind, each.name, dict(each.attributes)) for each in read.records]


@pytest.mark.parametrize("laid_out", [plain, with_page_breaks, job_log, system_log, on_one_line])
def test_every_layout_shows_the_same(laid_out: Callable[[str, list[str], int], str]) -> None:
    text = "".join(laid_out(kind, lines, at) for at, (kind, lines) in enumerate(STATUS))
    read = read_runmqsc(text, "log")
    assert has_output(text)
    assert (objects(read), read.diagnostics, read.remarks) == (SHOWN, (), ())


def test_a_place_in_the_log_of_a_job_is_that_in_the_file() -> None:
    text = job_log(*STATUS[2], 1)
    (record,) = read_runmqsc(text, "log").records
    line, column = record.place_of("PUT")
    assert line
    assert column
    assert text.splitlines()[line - 1][column - 1 :] == "PUT(DISABLED)"


@pytest.mark.parametrize("laid_out", [plain, with_page_breaks, job_log, system_log])
@pytest.mark.parametrize("typed", ["DISPLAY QUEUE(*) ALL", "!CSQ7 DISPLAY QUEUE(*) ALL"])
def test_a_command_that_was_typed_into_a_log_is_no_other_program_s_output(
    laid_out: Callable[[str, list[str], int], str], typed: str
) -> None:
    first, *others = [laid_out(kind, lines, at) for at, (kind, lines) in enumerate(STATUS)]
    before = first[: first.index("CSQM201I")].lstrip("\f")
    read = read_runmqsc(f"{first}{before}{typed}\n{''.join(others)}", "log")
    assert (objects(read), read.diagnostics) == (SHOWN, ())


def test_an_answer_of_mqweb_in_text() -> None:
    lines = [on_one_line(kind, of, at).rstrip("\n") for at, (kind, of) in enumerate(STATUS)]
    answer = {"commandResponse": [{"completionCode": 0, "reasonCode": 0, "text": lines}]}
    assert objects(read_mqweb(json.dumps(answer), "f")) == SHOWN


def test_what_is_of_no_kind_that_is_known_is_told_once() -> None:
    text = "".join(plain("NEW", [f"NEWKIND(N{at})", "STATE(ON)"], at) for at in range(3)) + plain(*STATUS[2], 3)
    read = read_runmqsc(text, "log")
    assert [str(each) for each in read.remarks] == [
        "log:2:2: what begins with NEWKIND is of no kind that is known: passed by"
    ]
    assert objects(read) == [SHOWN[2]]
    passed_by = read_runmqsc(plain("STGCLASS", ["STGCLASS(S)", "PSID(4)"], 0) + plain(*STATUS[2], 3), "log")
    assert passed_by.remarks == ()


LAST = "AMQ8409I: D\n   QUEUE(A)                                TYPE(QLOCAL)\n"
TEMPORARY = "SYSTEM.TEMPQMGR.far.example(1414)"
CUT = "SYSTEM.TEMPQMGR.averylongname.far.example.net(14"
"""As long as a name can be."""

ENDINGS = [
    "",
    "MQSC コマンドを 2 つ読み取りました。\n構文エラーがあるコマンドはありません。\n",
    "MQSC 명령 2개를 읽었습니다.\n",
    "2 MQSC commands read.\nNo commands have a syntax error.\n",
    "MQSC-Befehle gelesen: 2\n",
    "QM1 is saved\n",
    "EOF\n",
    "DONE (see above)\n",
    "\nMQSC done\n",
    "[mqm@host ~]$ exit\n",
    "     3 : END\n",
    "AMQ8409I: D\n   QUEUE(B)   TYPE(QLOCAL)\n",
    "+ exit 0\n",
    "}\n",
]


def first_of(text: str) -> Record:
    read = read_runmqsc(text, "log")
    assert read.diagnostics == ()
    return read.records[0]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["QM7", TEMPORARY, CUT])
def test_the_last_object_is_read_whatever_follows_it(ending: str, name: str) -> None:
    assert dict(first_of(LAST + ending).attributes) == {"TYPE": "QLOCAL"}
    unindented = LAST.replace("   QUEUE", "QUEUE")
    if ending != "EOF\n":  # a word that a log without its indentation may show
        assert dict(first_of(unindented + ending).attributes) == {"TYPE": "QLOCAL"}
    route = f"AMQ8441I: D\n   CLUSQMGR({name})\n   CHANNEL(TO.QM7)                         CLUSTER(S)\n"
    shown = first_of(route + ending)
    assert (shown.name, dict(shown.attributes)) == (name, {"CHANNEL": "TO.QM7", "CLUSTER": "S"})


def test_a_name_that_has_lost_its_parenthesis_is_still_none() -> None:
    read = read_runmqsc("AMQ8441I: D\n   CLUSQMGR(SYSTEM.TEMPQMGR.far(1414 CHANNEL(C)   CLUSTER(S)\n", "log")
    assert read.records == ()
    assert len(read.diagnostics) == 1


@pytest.mark.parametrize(
    "starts",
    [
        "MQSC für Warteschlangenmanager PAY.QM wird gestartet.",
        "Démarrage de MQSC pour le gestionnaire de files d'attente PAY.QM.",
        "キュー・マネージャー PAY.QM の MQSC を始動しています。",
        "正在对队列管理器 PAY.QM 启动 MQSC。",
        "Запуск MQSC для администратора очередей PAY.QM.",
        "Iniciando MQSC para o gerenciador de filas PAY.QM.",
        "Uruchamianie MQSC dla menedżera kolejek PAY.QM.",
    ],
)
def test_the_line_behind_the_banner_tells_whose_log_it_is_in_any_language(starts: str) -> None:
    assert (
        read_runmqsc(f"5724-H72 (C) Copyright IBM Corp. 1994, 2031.\n{starts}\n\n{LAST}", "log").queue_manager
        == "PAY.QM"
    )


@pytest.mark.parametrize(
    "typed",
    [
        "[mqm@host ~]$ runmqsc PAY.QM",
        "$ echo 'dis ql(*)' | /opt/mqm/bin/runmqsc -w 30 -e PAY.QM",
        "sh-4.4# docker exec -i q runmqsc PAY.QM < show.mqsc",
        "C:\\>runmqsc.exe PAY.QM",
        "runmqsc -u mqm PAY.QM",
    ],
)
def test_the_call_of_runmqsc_tells_whose_log_it_is(typed: str) -> None:
    assert read_runmqsc(f"{typed}\n{LAST}", "log").queue_manager == "PAY.QM"


def test_a_call_of_runmqsc_that_something_shows_is_none() -> None:
    for line in ("   DESCR(runmqsc QM9)", "     1 : * runmqsc QM9", "* runmqsc QM9", "runmqsc < show.mqsc", "runmqsc"):
        assert read_runmqsc(f"{LAST}{line}\n", "log").queue_manager == ""


def test_another_call_of_runmqsc_begins_another_session() -> None:
    read = read_runmqsc(f"$ runmqsc QM1\n{LAST}$ runmqsc QM2\n{LAST.replace('(A)', '(B)')}", "log")
    assert [(each.queue_manager, [one.name for one in each.records]) for each in (read, *read.further)] == [
        ("QM1", ["A"]),
        ("QM2", ["B"]),
    ]
