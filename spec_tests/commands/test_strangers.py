"""What a stranger's files, folders and settings make of a command: an answer, or one line and status 2."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mqclause import Cluster, Engine, Put, Queue, QueueManager
from mqclause.documents import CALL, CHECK, TRIGGER
from mqclause.executors.chaining import get_network
from mqclause.render.terminal import Page
from mqclause.rulebook.rule import Condition, FailWith, MessageTemplate, Rule
from mqclause.rulebook.rules import LARGEST_FILE, Rules, get_rules_folder
from mqclause.tools.cli import command_line
from mqclause.tools.commands.options import Inputs
from spec_tests.support.deep import every, first
from spec_tests.support.explain_command import run as run_program

QM1 = "* Queue manager name: QM1\n"
DUMP = QM1 + "DEFINE QLOCAL(LEDGER) PROCESS(BOOKS) TRIGGER INITQ(START)\nDEFINE QLOCAL(START) GET(DISABLED)\n"


NOWHERE = '[queue_manager]\nname = "QM1"\n[put]\nqueue = "NOWHERE"\n'


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command_line, [*map(str, arguments)])


def ended(*arguments: str | Path) -> tuple[int, str, str]:
    """How the program itself ends: its status, and what it says."""
    done = run_program(*map(str, arguments))
    return done.returncode, done.stdout, done.stderr


def in_a_ring(number: int) -> str:
    return "".join(f"DEFINE QALIAS(A{at}) TARGET(A{(at + 1) % number})\n" for at in range(number))


def in_a_chain(number: int) -> str:
    return "".join(f"DEFINE QREMOTE(A{at}) RNAME(A{at + 1}) XMITQ(X{at})\n" for at in range(number))


def of_managers(number: int) -> str:
    return "".join(f"DEFINE QREMOTE(A{at}) RQMNAME(A{(at + 1) % number})\n" for at in range(number))


def in_a_star(number: int) -> str:
    to_one = "".join(f"DEFINE QALIAS(A{at}) TARGET(A0)\n" for at in range(1, number))
    return f"DEFINE QALIAS(A0) TARGET(A1)\n{to_one}"


@pytest.mark.parametrize("made", every(2, [in_a_ring, in_a_chain, of_managers, in_a_star]))
def test_names_that_lead_on_and_on_take_as_long_as_they_are_many(tmp_path: Path, made: object) -> None:
    assert callable(made)
    spent = []
    for number in (200, 1000):
        (tmp_path / "f.mqsc").write_text(QM1 + made(number))
        begun = time.process_time()
        assert run("check", tmp_path / "f.mqsc", "--json").exit_code in (0, 1)
        spent.append(time.process_time() - begun)
    assert spent[1] < 5 * 3 * spent[0] + 1


def test_every_alias_of_a_ring_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "f.mqsc").write_text(QM1 + in_a_ring(30))
    found = json.loads(run("check", tmp_path / "f.mqsc", "--json").stdout)["findings"]
    assert {each["object"]["name"] for each in found} == {f"A{at}" for at in range(30)}


NAMES = ("\x1b]52;c;eA==\x07", "a\r\nfound nothing", "\u202e", "\udcff", "\x9b2J", "\x7f")
"""Names of files that a terminal would obey, or that no encoding has."""

CLEAN, WRONG = DUMP.replace(QM1, ""), f"{DUMP}DEFINE QLOCAL(A) NOSUCH(1)\n"


@pytest.mark.parametrize(
    ("text", "command", "status"),
    [
        (CLEAN, ["check"], 0),
        (CLEAN, ["check", "--json"], 0),
        (CLEAN, ["check", "--sarif", "out.sarif", "--statistics"], 0),
        (WRONG, ["check"], 2),
        (WRONG, ["facts", "--sources", "--json"], 0),
        (WRONG, ["facts", "--sources"], 0),
        (CLEAN, ["why", "LEDGER.1", "--from", "QM1"], 2),
    ],
)
def test_names_of_files_are_shown_and_not_obeyed(
    tmp_path: Path, text: str, command: list[str], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    for number, name in enumerate(NAMES):
        (tmp_path / "folder" / f"{name}.mqsc").write_text(text.replace("LEDGER", f"LEDGER.{number}", number))
    monkeypatch.chdir(tmp_path)
    given, out, said = ended(*command, "folder")
    assert given == status, said
    assert all(line.isprintable() for line in (out + said).split("\n"))


def test_what_is_printed_is_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    Page().line("a\x1b[2Jb\x9b1m\u202ec\nd", "\x07label")
    assert capsys.readouterr().out == "�labela�[2Jb�1m�c\nd\n"


BAD = {
    "digits.toml": "x = " + "9" * 5000,
    "dots.toml": ".".join("a" * 20_000) + " = 1",
    "dots.mqsc": "[" + " . ".join(['"a"'] * 5000) + "]\nx = 1",
    "deep.toml": "x = " + "[" * 100_000,
    "inline.toml": "x = " + "{a = " * 5000,
    "header.toml": "[[" + ".".join("b" * 3000) + "]]",
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", ["explain", "check", "replay", "order", "retention"])
def test_text_that_costs_a_parser_much_is_one_line(tmp_path: Path, name: str, command: str) -> None:
    (tmp_path / name).write_text(BAD[name])
    begun = time.process_time()
    done = run(command, tmp_path / name)
    assert (done.exit_code, type(done.exception)) != (0, type(None))
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("name", ["digits.toml", "dots.toml", "deep.toml"])
def test_so_it_is_in_rules_and_in_settings(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = shutil.copytree(get_rules_folder(), tmp_path / "rules")
    (tmp_path / "rules" / "call" / "2051_put_inhibited.toml").write_text(BAD[name])
    (tmp_path / "f.mqsc").write_text(DUMP)
    given, out, said = ended("check", tmp_path / "f.mqsc", "--rules", rules)
    assert (given, out, said.count("\n")) == (2, "", 1)
    assert said.startswith(f"{rules}/call/2051_put_inhibited.toml:")
    (tmp_path / "mqclause.toml").write_text(BAD[name])
    monkeypatch.chdir(tmp_path)
    given, out, said = ended("check", "f.mqsc")
    assert (given, out, said.count("\n")) == (2, "", 1)
    assert said.startswith(f"{tmp_path}/mqclause.toml:")


def test_files_of_rules_and_of_settings_have_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of a fault is not looked for in what is too large: it may be of any size, and take no room on disk."""
    rules = Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))
    with (rules / "call" / "2051_put_inhibited.toml").open("ab") as file:
        file.truncate(LARGEST_FILE + 1)
    (tmp_path / "f.mqsc").write_text(DUMP)
    said = f"holds more than {LARGEST_FILE:,} bytes; allowed: so many\n"
    assert ended("check", tmp_path / "f.mqsc", "--rules", rules) == (
        2,
        "",
        f"{rules}/call/2051_put_inhibited.toml: {said}",
    )
    (tmp_path / "mqclause.toml").write_text(f"[check]\n{'#' * LARGEST_FILE}\n")
    monkeypatch.chdir(tmp_path)
    assert ended("check", "f.mqsc") == (2, "", f"{tmp_path}/mqclause.toml: {said}")


@pytest.mark.parametrize(
    "leads", ["ends = \"'queue manager'\"", "ends = \"'again'\"\nobject = 'queue'\nnext_queue = 'queue'"]
)
def test_rules_that_lead_nowhere_are_input_too(tmp_path: Path, leads: str) -> None:
    rules = shutil.copytree(get_rules_folder(), tmp_path / "rules")
    rule = f"clause = 'resolution/4'\ntitle = 'T'\nwhen = \"queue = 'NOWHERE'\"\n[settle]\n{leads}\nbecause = 'so'\n"
    (tmp_path / "rules" / "resolution" / "00_own.toml").write_text(rule)
    (tmp_path / "f.mqsc").write_text(DUMP)
    given, out, said = ended("explain", tmp_path / "f.mqsc", "--put", "NOWHERE", "--rules", rules)
    assert (given, out, said.count("\n")) == (2, "", 1)
    assert said.startswith(f"{rules}/resolution/00_own.toml:4:1: settle: leads ")


def test_rules_are_not_read_in_ever_more_ways(tmp_path: Path) -> None:
    """Editions for which no file states anything are those before them."""
    rules = Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))
    (tmp_path / "f.toml").write_text(NOWHERE)
    more = "".join(f'["mq-x{at}"]\ntitle = "{at}"\ncommand_level = {9000 + at}\n' for at in range(300))
    (rules / "editions.toml").write_text((rules / "editions.toml").read_text() + more)
    given, _, said = ended("explain", tmp_path / "f.toml", "--rules", rules)
    assert given == 1, said
    stated = 'clauses = ["workload/6"]\nchoices = ["a", "b"]\nquestion = "x"\nwhy = "x"\n'
    asked = "".join(f"[reading-{at}]\n{stated}" for at in range(1100))
    (rules / "readings.toml").write_text((rules / "readings.toml").read_text() + asked)
    given, out, said = ended("explain", tmp_path / "f.toml", "--rules", rules)
    assert (given, out, said.count("\n")) == (2, "", 1)
    assert "ways to read the rules; allowed: 1000" in said


def test_a_folder_of_rules_may_hold_what_never_ends(tmp_path: Path) -> None:
    (tmp_path / "workload").mkdir()
    os.mkfifo(tmp_path / "workload" / "01_a.toml")
    given, out, said = ended("explain", "--put", "A", "--rules", tmp_path, "-")
    assert (given, out, said.count("\n")) == (2, "", 1)
    assert "is a named pipe" in said


@pytest.mark.parametrize(
    "table", [{}, {"ignore": ["trigger.07a"]}, {"fail-on": "note"}, {"ignore": ["trigger.07a"], "fail-on": "warning"}]
)
def test_settings_that_take_effect_are_told(
    tmp_path: Path, table: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f.mqsc").write_text(DUMP)
    (tmp_path / "mqclause.toml").write_text(
        "[check]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    )
    monkeypatch.chdir(tmp_path)
    said = [
        *([f'fail-on = "{table["fail-on"]}"'] if "fail-on" in table else []),
        *(['ignore = ["trigger.07a"]'] if "ignore" in table else []),
    ]
    lines = [each for each in run("check", "f.mqsc").stderr.split("\n") if "mqclause.toml" in each]
    assert lines == ([f"remark: {tmp_path}/mqclause.toml: [check] {', '.join(said)}"] if said else [])


def test_a_folder_that_one_works_in_stands_for_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = [*sys.path]
    for name in ("json.py", "numpy.py", "durable_rules_engine.py", "duckdb.py"):
        (tmp_path / name).write_text("raise SystemExit('obeyed')")
    Inputs(exits=("x=mqclause.exits:prefer_channel",), exit_limit="1").load_exits()
    assert sys.path == before
    (tmp_path / "ours_for_exits.py").write_text("import json, numpy\n\ndef exit(wxp):\n    pass\n")
    Inputs(exits=("x=ours_for_exits:exit",), exit_limit="1").load_exits()
    assert sys.path == [*before, str(tmp_path)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_is_forked_amid_chaining_goes_on() -> None:
    engine, put = Engine(executor="chaining"), Put(queue="LEDGER")
    cluster = Cluster(QueueManager("QM1", ("BOOKS",)), (), [Queue("LEDGER", "QM1", clusters=("BOOKS",))])
    engine.choose(put, cluster)
    busy = get_network(json.dumps({"$gt": {"age": 3}}))
    done = threading.Event()

    def matching() -> None:
        while not done.is_set():
            busy.matches([{"subject": at, "age": at} for at in range(300)])

    threads = [threading.Thread(target=matching) for _ in range(3)]
    for each in threads:
        each.start()
    try:
        for _ in range(6):
            child = os.fork()
            if child == 0:
                engine.choose(put, cluster)
                os._exit(0)
            until = time.monotonic() + 30
            while os.waitpid(child, os.WNOHANG) == (0, 0):
                if time.monotonic() > until:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                    pytest.fail("a process that was forked does not go on")
                time.sleep(0.01)
    finally:
        done.set()
        for each in threads:
            each.join()


@pytest.mark.parametrize("name", ["\x1b]52;c;eA==\x07", "a\rfound nothing", "\u202e"])
def test_what_a_summary_shows_of_a_row_is_not_obeyed(tmp_path: Path, name: str) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({**ROW, "put": {"queue": name}}) + "\n")
    done = run("batch", tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert repr(name)[1:-1] in done.stdout
    assert done.stdout.replace("\n", "").isprintable()


ROW = {"put": {"queue": "LEDGER"}, "destinations": [{"queue": "LEDGER", "queue_manager": "QM2", "channel": "TO.QM2"}]}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("clwlrank", "did you mean 'channel_rank' or 'queue_rank'?"),
        ("CLWLWGHT", "did you mean 'channel_weight'?"),
        ("netprty", "did you mean 'network_priority'?"),
        ("status", "did you mean 'channel_status'?"),
        ("chanel_rank", "did you mean 'channel_rank'?"),
        ("location", ""),
        ("clwlprty", "did you mean 'channel_priority' or 'queue_priority'?"),
    ],
)
@pytest.mark.parametrize("ending", first(1, ["jsonl", "parquet"]))
def test_a_field_that_could_be_meant_for_a_column_is_told(tmp_path: Path, ending: str, field: str, said: str) -> None:
    import duckdb

    row = {**ROW, "destinations": [{**ROW["destinations"][0], field: 1}]}  # type: ignore[index]
    (tmp_path / "in.jsonl").write_text(json.dumps(row) + "\n")
    if ending == "parquet":
        duckdb.read_json(str(tmp_path / "in.jsonl")).write_parquet(str(tmp_path / "in.parquet"))
    done = run("batch", tmp_path / f"in.{ending}", tmp_path / f"out.{ending}")
    if said:
        assert done.exception is not None
        assert f"column destinations.{field} is not known; {said}" in str(done.exception)
    else:
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    "rows",
    ["x," * 32_000, "\n".join(["x," * 3000] * 40), '"a","b",' + '"c",' * 20_000, "x" * 5000 + ",x" * 15_000],
    ids=["one", "several", "quoted", "long"],
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_rows_of_csv_with_very_much_behind_the_header(tmp_path: Path, rows: str, ending: str) -> None:
    data = f"put,destinations\n{rows}\n".encode()
    (tmp_path / f"in.{ending}").write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    begun = time.process_time()
    done = run("batch", tmp_path / f"in.{ending}", tmp_path / "out.jsonl")
    assert "the header 2; too many" in str(done.exception)
    assert time.process_time() - begun < 3


def test_an_archive_in_an_archive_and_a_link_in_one_are_one_line(tmp_path: Path) -> None:
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("f.mqsc", DUMP)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(inner, "../inner.zip")
    given, out, said = ended("check", tmp_path / "outer.zip")
    assert (given, out, said.count("\n")) == (2, "", 1)
    assert said.startswith(f"{tmp_path}/outer.zip/../inner.zip: ")


@pytest.mark.parametrize("owner", first(1, ["", QM1]), ids=["named in one", "named in each"])
def test_many_files_of_one_queue_manager_take_as_long_as_they_are_many(tmp_path: Path, owner: str) -> None:
    """An eighth of 320 files, and all of them: 64 times as long would be the square."""
    for name, number in (("few", 40), ("many", 320)):
        (tmp_path / name).mkdir()
        for at in range(number):
            (tmp_path / name / f"{at}.mqsc").write_text(f"{owner}DEFINE QALIAS(A{at}) TARGET(NOWHERE)\n")
        (tmp_path / name / "own.mqsc").write_text(f"{QM1}DEFINE QLOCAL(LEDGER)\n")
    spent = []
    for name in ("few", "many"):
        begun = time.process_time()
        done = run("check", tmp_path / name)
        spent.append(time.process_time() - begun)
        assert (done.exit_code, done.output.splitlines()[-1]) == (0, f"found {40 if name == 'few' else 320} warnings")
    assert spent[1] < 20 * spent[0]


LONG = "a" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", LONG),
        ("check", f"{LONG}*"),
        ("check", f"QM1={LONG}"),
        ("explain", "{}", "--rules", LONG),
        ("plan", "{}", "--with", LONG),
        ("plan", "{}", "--without", "QM1", "--puts", f"{LONG}.csv"),
        ("batch", f"{LONG}.jsonl", "out.jsonl"),
        ("batch", "{}", f"{LONG}/out.jsonl"),
        ("check", "="),
    ],
)
def test_a_name_that_no_file_has_is_told(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Longer than a system takes, or blank."""
    (tmp_path / "in.mqsc").write_text(QM1)
    status, out, said = ended(*(each.format(tmp_path / "in.mqsc") for each in arguments))
    assert (status, out, said.count("\n")) == (2, "", 1)


def test_a_link_in_a_folder_that_cannot_be_followed_is_passed_by(tmp_path: Path) -> None:
    (tmp_path / "own.mqsc").write_text(DUMP)
    (tmp_path / "link.mqsc").symlink_to(LONG[:300])  # a name has 255 bytes at most
    (tmp_path / "ring.mqsc").symlink_to("ring.mqsc")
    done = run("check", tmp_path)
    assert (done.exit_code, "trigger.07a" in done.output) == (0, True)


THEFT = "O') DELETE X '"
"""A name that would end its quotes: what follows would be a command of its own."""

WRITTEN = THEFT.replace("'", "''")
QUOTED = re.compile(r"'(?:[^']|'')*'")
OF_A_THIEF = f"""{QM1}ALTER QMGR REPOS('{WRITTEN}')
DEFINE CHANNEL('A{WRITTEN}') CHLTYPE(CLUSRCVR) CLUSTER('{WRITTEN}') CONNAME('h1(1414)')
DEFINE CHANNEL('B{WRITTEN}') CHLTYPE(CLUSSDR) CLUSTER('{WRITTEN}') CONNAME('h2(1414)')
DEFINE QLOCAL('{WRITTEN}') CLUSTER('{WRITTEN}') PUT(DISABLED) TRIGGER INITQ('I{WRITTEN}') PROCESS('P{WRITTEN}')
DEFINE QLOCAL(TILL) TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(9) MAXDEPTH(5) INITQ('J{WRITTEN}') PROCESS('P{WRITTEN}')
DEFINE QLOCAL('J{WRITTEN}')
DEFINE QALIAS(FRONT) TARGET('{WRITTEN}')
DEFINE QALIAS(BACK) TARGET('X{WRITTEN}')
DEFINE QALIAS(PAPER) TARGET('T{WRITTEN}') TARGTYPE(TOPIC)
DEFINE QREMOTE(AWAY) RNAME('R{WRITTEN}') RQMNAME('M{WRITTEN}') XMITQ('X{WRITTEN}')
"""
OF_ANOTHER = OF_A_THIEF.replace("QM1", "QM2").replace("PUT(DISABLED)", "PUT(ENABLED)").replace("('A", "('C")
OF_ANOTHER = OF_ANOTHER.replace("('B", "('A").replace("('C", "('B")


@pytest.mark.parametrize(
    "asked",
    [
        ["check", "QM1.mqsc"],
        ["check", "QM1.mqsc", "QM2.mqsc"],
        ["why", "*", "QM1.mqsc"],
        ["why", "TILL", "QM1.mqsc", "--json"],
        ["explain", "--put", "FRONT", "--from", "QM2", "--why-not", "QM1", "QM1.mqsc", "QM2.mqsc"],
        ["explain", "--put", "FRONT", "--from", "QM1", "--why-not", "QM1", "QM1.mqsc", "QM2.mqsc"],
        ["explain", "--put", "BACK", "--from", "QM1", "QM1.mqsc"],
        ["explain", "--put", "AWAY", "--from", "QM1", "QM1.mqsc"],
        ["plan", "--status", f"B{THEFT}=STOPPED", "--json", "QM1.mqsc", "QM2.mqsc"],
        ["facts", "--sources", "QM1.mqsc"],
    ],
)
def test_what_a_source_names_is_no_command_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("QM1.mqsc").write_text(OF_A_THIEF)
    Path("QM2.mqsc").write_text(OF_ANOTHER)
    found = run(*asked)
    assert found.exit_code in (0, 1, 3), found.output
    begun = re.findall(r"""(?:DISPLAY|DEFINE|ALTER|START|STOP|RESUME) [A-Z]+[ (][^"\n]*""", found.stdout)
    assert any("DELETE" in each for each in begun), found.stdout
    assert not [each for each in begun if "DELETE" in QUOTED.sub("", each)]


def test_a_shell_gets_the_names_of_a_source_as_they_are(tmp_path: Path) -> None:
    script = tmp_path / "QM1.mqsc"
    script.write_text(
        f"{QM1}DEFINE QLOCAL(TILL) TRIGGER INITQ('I''; reboot') PROCESS(CLERK)\nDEFINE QLOCAL('I''; reboot')\n"
        "DEFINE PROCESS(CLERK)\n"
    )
    facts = json.loads(run("facts", script, "--json").stdout)
    facts["queue"] = [each | {"curdepth": 0, "ipprocs": 0} for each in facts["queue"]]
    shown = tmp_path / "QM1.json"
    shown.write_text(json.dumps(facts))
    told = run("why", "TILL", shown)
    (line,) = [each.strip() for each in told.stdout.splitlines() if "runmqtrm" in each]
    assert shlex.split(line) == ["runmqtrm", "-m", "QM1", "-q", "I'; reboot"]


def commands_of(rule: Rule) -> list[MessageTemplate]:
    action = rule.action
    if isinstance(action, FailWith):
        return [action.remedy] if action.remedy else []
    return [each.mqsc for each in action.remedies if each.mqsc] if isinstance(action, Condition) else []


def test_every_remedy_keeps_its_values_apart() -> None:
    rules = Rules()
    asked = [
        each for about in (CALL, CHECK, TRIGGER) for rule in rules.ruleset(about).rules for each in commands_of(rule)
    ]
    filled = [
        "".join(part.literal + ((part.write or str)(THEFT) if part.name else "") for part in each.parts())
        for each in asked
    ]
    assert any("DELETE" in each for each in filled)
    assert not [each for each in filled if "DELETE" in QUOTED.sub("", each)]
