"""``--rules FOLDER``: what an auditor changes in a copy of the rules is what every command then goes by."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqclause import (
    Checks,
    Engine,
    Explanation,
    Replay,
    Retrieval,
    Rules,
    Why,
    check_files,
    cluster_map,
    counterfactuals,
    next_get,
    plan,
    read,
    read_files,
    read_scenario,
    shares,
    why_not,
)
from mqclause.answers import ShownAnswer
from mqclause.documents import CALL
from mqclause.model.diagnostics import FactsError
from mqclause.rulebook.rules import get_rules_folder
from mqclause.tools.cli import command_line
from spec_tests.support.deep import every
from spec_tests.support.explain_command import bad, run

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
SALES = [str(EXAMPLES / "sales" / f"{name}.mqsc") for name in ("QM1", "QM2", "QM3")]

CHANGED = [
    ("workload/01a_put_disabled_queue.toml", "NOT put_enabled", "NOT put_enabled OR queue_manager = 'QM2'"),
    ("workload/11b_queue_priority.toml", "highest", "lowest"),
    ("trigger/08_trigger_monitor_is_waiting.toml", "no trigger monitor", "nobody"),
    ("check/21_two_full_repositories.toml", 'title     = "', 'leave_out = true\ntitle = "'),
    ("retrieval/1.3_one_priority.toml", "priorities = 1", "priorities > 1"),
    ("administration/08a_held_for_30_days.toml", "30", "50"),
]
"""One sentence of the documents each: in which file, and what stands in the place of what."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = Path(shutil.copytree(get_rules_folder(), tmp_path_factory.mktemp("ours") / "rules"))
    for path, before, after in CHANGED:
        text = (copied / path).read_text(encoding="utf-8")
        assert before in text, path
        (copied / path).write_text(text.replace(before, after), encoding="utf-8")
    return copied


def printed(folder: Path, *arguments: str) -> str:
    given = [*arguments, "--rules", str(folder)]
    return CliRunner().invoke(command_line, given, standalone_mode=False, catch_exceptions=False).stdout


@pytest.mark.parametrize(
    ("arguments", "ours"),
    [
        (["explain", str(EXAMPLES / "orders.toml")], "goes to     ORDERS.IN at QM4"),
        (["map", *SALES, "--from", "QM1"], "ORDERS.IN\n  from QM1  QM3\n"),
        (["plan", *SALES, "--set", "QLOCAL(INVOICES.IN) QMGR(QM2) CLWLPRTY(0)"], "every put goes where it went"),
        (["why", "ORDERS.IN", str(EXAMPLES / "QM2.mqsc")], "8  nobody has"),
        (["replay", str(EXAMPLES / "orders_trigger.toml")], "8  nobody has"),
        (["check", SALES[1]], "found 1 warning, 1 note"),
        (["order", str(EXAMPLES / "figure_11.toml")], "they have 1 different priorities"),
        (["retention", str(EXAMPLES / "held.toml"), "--on", "2026-02-15"], "current     ORDERS.IN of QM2"),
        (["show-sql", "workload.11b"], "LIST_MIN("),
    ],
)  # fmt: skip
def test_every_command_goes_by_the_folder(folder: Path, arguments: list[str], ours: str) -> None:
    """By the rules that come with mqclause QM2 is chosen, nobody moves, "no trigger monitor has", two notes, …"""
    assert ours in printed(folder, *arguments)


def test_a_batch_goes_by_the_folder(folder: Path, tmp_path: Path) -> None:
    """QM2, which is listed first, is the one that is taken by the rules that come with mqclause."""
    facts, out = [each for path in SALES for each in ("--facts", path)], tmp_path / "decided.csv"
    printed(folder, "batch", str(EXAMPLES / "sales" / "puts.jsonl"), str(out), "--from", "QM1", *facts)
    assert {name for name in ("QM2", "QM3") if f'""queue_manager"":""{name}""' in out.read_text()} == {"QM3"}


WORD = "is not an attribute, a derived fact or a term; did you mean"


@pytest.mark.parametrize(
    ("path", "before", "after", "said"),
    [
        ("workload/11b_queue_priority.toml", '"queue_priority"', '"queue_prority"', f":6:1: keep.highest: column 1: 'queue_prority' {WORD} 'queue_priority'?"),
        ("workload/05_resumed_first.toml", 'when    = "TRUE"', 'when = "FALS"', ":11:1: reading.'suspended-with-local=always'.when: column 1: 'FALS' is not an attribute"),
        ("trigger/11b_depth_was_reached_before.toml", '"there_before >= trigdpth"\nbecause = "{messages_counted} before', '"there_befor >= 1"\nbecause = "{messages_counted} before',
         f":11:1: reading.'there-before=any-priority'.holds.when: column 1: 'there_befor' {WORD} 'there_before'?"),
        ("terms.toml", "[workload.names_queue]\n", "[workload.names_queue]\nmeaning = 'x'\n", ":5:1: workload.names_queue.meaning: is not known; allowed: is, means"),
        ("call/2053_q_full.toml", "[fail_with]", "[fail_with", ":5:11: is not TOML:"),
        ("workload/06_inactive_or_running.toml", "title", "edition.'wmq-6'.leave_outt = true\ntitle", ":2:1: edition.'wmq-6'.leave_outt: is not a key of a rule; allowed: "),
        ("workload/06_inactive_or_running.toml", "workload/6", "workload/66", ":1:1: clause: 'workload/66' is not a clause of workload in rules/documents/; did you mean 'workload/6'?"),
        ("check/21_two_full_repositories.toml", "[holds]", "follows = 'administration/44'\n[holds]", ":9:1: follows: 'administration/44' is not a clause of administration in rules/documents/; did you mean 'administration/4'?"),
        ("workload/12a_reset_factors.toml", '"queue_rank"', '"queue_rnk"', ":13:1: notices 2.attributes: 'queue_rnk' is not an attribute of a destination; did you mean 'queue_rank'?"),
        ("readings.toml", '["workload/11c"]', '["workload/11z"]', ":90:1: mru-ties.clauses: 'workload/11z' is not a clause of workload in rules/documents/; did you mean 'workload/11"),
        ("readings.toml", '["workload/11c"]', '["worklood/11c"]', ":90:1: mru-ties.clauses: 'worklood/11c' is not a clause of a document; allowed: resolution, workload, "),
        ("terms.toml", "[workload.names_queue]", "[worklood.names_queue]", ":4:1: worklood: is not the folder of a document; allowed: resolution, workload, "),
        ("documents/queue_calls.toml", '"call"', '"cal"', ":4:1: document: 'cal' is no folder of rules; did you mean 'call'?"),
        ("documents/queue_calls.toml", '["call.2051"]', '"call.2051"', ":28:1: clause 3.rules: 'call.2051' is not a list of texts"),
    ],
)  # fmt: skip
def test_a_fault_of_any_file_is_told_with_its_place(
    tmp_path: Path, path: str, before: str, after: str, said: str
) -> None:
    """Also one that counts by another reading alone, and of a document that the command does not ask."""
    copied = Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))
    text = (copied / path).read_text(encoding="utf-8")
    assert before in text
    (copied / path).write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(FactsError) as caught:
        printed(copied, "explain", str(EXAMPLES / "orders.toml"))
    assert str(caught.value).startswith(f"{copied / path}{said.split(' ')[0]}")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def copied_rules(tmp_path: Path) -> Path:
    return Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))


OWN = 'clause = "workload/99"\ntitle = "T"\n[eliminate]\nwhere = "FALSE"\nbecause = "never"\n'


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("workload/99_own.TOML", "workload/99_own.TOML: is not read: the name of a rule file ends in .toml"),
        ("workload/99_own.toml.txt", "workload/99_own.toml.txt: is not read: the name of a rule file ends in .toml"),
        ("workloads/99_own.toml", "workloads/99_own.toml: workloads/ is not the folder of a document; allowed: resolution, "),
    ],
)  # fmt: skip
def test_a_file_that_nobody_would_read(tmp_path: Path, name: str, said: str) -> None:
    path = copied_rules(tmp_path) / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(OWN)
    with pytest.raises(FactsError) as caught:
        printed(tmp_path / "rules", "explain", str(EXAMPLES / "orders.toml"))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


LINKS = {
    "workload/99_own.toml": {
        "nothing": "99_own.toml: cannot be read: No such file or directory",
        "99_own.toml": "99_own.toml: cannot be read: Too many levels of symbolic links",
        "/dev/zero": "99_own.toml: is a link that leads out of the folder; allowed: the file itself",
        "../../secret": "99_own.toml: is a link that leads out of the folder; allowed: the file itself",
        ".": "99_own.toml: cannot be read: Is a directory",
    },
    "further": dict.fromkeys(
        ("..", "workload", "/"), "further: is a link to a folder, which is not followed; allowed: the folder itself"
    ),
}
"""What is said of a link in a folder of rules, by its name and by what it leads to."""


@pytest.mark.parametrize(("name", "target"), [(name, target) for name, said in LINKS.items() for target in said])
def test_a_link_in_a_folder_of_rules(tmp_path: Path, name: str, target: str) -> None:
    rules = copied_rules(tmp_path)
    (tmp_path / "secret").write_text("hush\n")
    (rules / name).symlink_to(target)
    with pytest.raises(FactsError) as caught:
        printed(rules, "explain", str(EXAMPLES / "orders.toml"))
    assert str(caught.value) == f"{rules}/{name.removesuffix(Path(name).name)}{LINKS[name][target]}"


def test_a_link_from_file_to_file_in_a_folder_of_rules_is_followed(tmp_path: Path) -> None:
    rules = copied_rules(tmp_path)
    kept = (rules / "workload" / "04a_channel_rank.toml").rename(rules / "kept")
    (rules / "workload" / "04a_channel_rank.toml").symlink_to(f"../{kept.name}")
    (tmp_path / "again").symlink_to(rules)
    assert "goes to     ORDERS.IN at QM2" in printed(tmp_path / "again", "explain", str(EXAMPLES / "orders.toml"))


@pytest.mark.parametrize("name", ["04a_channel_rank.toml", "99_own.toml"])
def test_a_folder_that_is_named_like_a_rule_file(tmp_path: Path, name: str) -> None:
    path = copied_rules(tmp_path) / "workload" / name
    path.unlink(missing_ok=True)
    path.mkdir()
    with pytest.raises(FactsError, match=rf"{name}: cannot be read: Is a directory"):
        printed(tmp_path / "rules", "explain", str(EXAMPLES / "orders.toml"))


@pytest.mark.parametrize(("made", "said"), [
    ("../call", "is a link that leads out of the folder; allowed: the file itself"),
    ("2053_q_full.toml", "cannot be read: Too many levels of symbolic links"),
    ("pipe", "cannot be read: is a named pipe; - reads standard input"),
    ("folder", "cannot be read: Is a directory"),
    ("much", "holds more than 1,048,576 bytes; allowed: so many"),
])  # fmt: skip
def test_a_case_file_that_is_none(tmp_path: Path, made: str, said: str) -> None:
    path = tmp_path / "cases" / "call" / "2053_q_full.toml"
    path.parent.mkdir(parents=True)
    match made:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "much":
            path.write_bytes(b"#" * (1 << 20) + b"\n")
        case _:
            path.symlink_to(f"../{made}" if "/" in made else made)
    [line] = bad("test", "call", "--cases", str(tmp_path / "cases"))
    assert line.endswith(f"2053_q_full.toml: {said}")


def test_a_byte_order_mark_before_a_rule_says_nothing(tmp_path: Path) -> None:
    path = copied_rules(tmp_path) / "workload" / "04a_channel_rank.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert "goes to     ORDERS.IN at QM2" in printed(tmp_path / "rules", "explain", str(EXAMPLES / "orders.toml"))


def test_a_clause_and_a_document_of_ones_own(tmp_path: Path) -> None:
    """What the folder's own documents/ says there is, there is."""
    rules = copied_rules(tmp_path)
    (rules / "workload" / "99_own.toml").write_text(OWN)
    (rules / "further").mkdir()
    (rules / "further" / "1_own.toml").write_text(OWN.replace("workload/99", "further/1"))
    for document, number in (("workload", "99"), ("further", "1")):
        text = f'document = "{document}"\n[[clause]]\npath = "{number}.1"\nnumber = "{number}"\nsays = "Ours."\n'
        (rules / "documents" / f"own_{document}.toml").write_text(text)
    assert "workload.99" in printed(rules, "explain", str(EXAMPLES / "orders.toml"), "--json")


def test_a_file_with_several_faults_tells_each_once(tmp_path: Path) -> None:
    path = copied_rules(tmp_path) / "workload" / "99_own.toml"
    path.write_text("")
    with pytest.raises(FactsError) as caught:
        printed(tmp_path / "rules", "explain", str(EXAMPLES / "orders.toml"))
    assert str(caught.value) == f"{path}: is empty"


def test_sentences_are_counted_of_documents_that_have_a_file(tmp_path: Path) -> None:
    shutil.rmtree(copied_rules(tmp_path) / "documents")
    said = rf"^{tmp_path}/rules/documents: there is no file with the clauses of resolution$"
    with pytest.raises(FactsError, match=said):
        printed(tmp_path / "rules", "check", "--about", "documents")


def test_what_is_no_folder_of_rules() -> None:
    with pytest.raises(FactsError, match=r"^--rules: 'no\.such\.folder' is not a folder$"):
        printed(Path("no.such.folder"), "explain", str(EXAMPLES / "orders.toml"))


def test_a_folder_of_very_many_files_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqclause.rulebook.rules.MOST_FILES", 5)
    with pytest.raises(FactsError, match=r"^--rules: '.*' holds more than 5 files; allowed: so many$"):
        printed(EXAMPLES.parent, "explain", str(EXAMPLES / "orders.toml"))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            'document = "workload"',
            'document = "workload"\neditor = "vi"',
            ":6:1: editor: is not known; allowed: document,",
        ),
        ("[[clause]]", "[[clauses]]\n[[clause]]", " clauses: is not known; allowed: document,"),
        ('path        = "preface.1"', 'path = "preface.1"\nsaid = "x"', " clause 1.said: is not known; allowed: path,"),
    ],
)
def test_what_a_file_of_sentences_says_and_nobody_reads(tmp_path: Path, before: str, after: str, said: str) -> None:
    path = copied_rules(tmp_path) / "documents" / "000_cluster_workload_management.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    (line,) = bad("explain", str(EXAMPLES / "orders.toml"), "--rules", str(tmp_path / "rules"))
    assert line.startswith(str(path))
    assert said in line


def test_a_rule_file_and_a_folder_have_a_size_up_to_which_they_are_read(tmp_path: Path) -> None:
    """1 MiB a file, 16 MiB a folder: what is just in it is read, a byte more is told before anything is parsed."""
    rules = copied_rules(tmp_path)
    asked = "explain", str(EXAMPLES / "orders.toml"), "--rules", str(rules)
    own, path = (rules / "check" / name for name in ("21_two_full_repositories.toml", "99_long.toml"))
    text = own.read_bytes()
    own.write_bytes(text + b"#" * ((1 << 20) - len(text)))
    assert run(*asked).returncode == 0
    path.write_bytes(b"#" * ((1 << 20) + 1))
    assert bad(*asked) == [f"{path}: holds more than 1,048,576 bytes; allowed: so many"]
    for number in range(16):
        (rules / "check" / f"{80 + number}_long.toml").write_bytes(b"#" * (1 << 20))
    (line,) = bad(*asked)
    assert line.endswith("and those before it hold more than 16,777,216 bytes; allowed: so many")


def test_a_fault_that_shows_at_a_put_alone_names_the_folder(tmp_path: Path) -> None:
    """Whether a number without a limit is one shows when it is reckoned with: that is no fault of the program."""
    rules = copied_rules(tmp_path)
    path = rules / "workload" / "11b_queue_priority.toml"
    huge = "dest_seq_factor * 1e300 * 1e300"
    text = path.read_text(encoding="utf-8").replace('"queue_priority"', f'"FLOOR({huge} - {huge})"', 1)
    path.write_text(text, encoding="utf-8")
    facts = (EXAMPLES / "orders.toml").read_text(encoding="utf-8")
    given = tmp_path / "f.toml"
    given.write_text(facts.replace("[[channel]]", "[[channel]]\ndest_seq_factor = 20.0"), encoding="utf-8")
    (line,) = bad("explain", str(given), "--rules", str(rules))
    assert line == f"{rules}: FLOOR(nan) is no whole number: a rule reckons with what is too large"
    assert run("explain", str(EXAMPLES / "orders.toml"), "--rules", str(rules)).returncode == 0


MARKED = [
    ["explain", str(EXAMPLES / "orders.toml")],
    ["explain", str(EXAMPLES / "orders.toml"), "--brief"],
    ["map", *SALES, "--from", "QM1"],
    ["plan", *SALES, "--set", "QLOCAL(INVOICES.IN) QMGR(QM2) CLWLPRTY(0)"],
    ["why", "ORDERS.IN", str(EXAMPLES / "QM2.mqsc")],
    ["replay", str(EXAMPLES / "orders_trigger.toml")],
    ["check", SALES[1]],
    ["order", str(EXAMPLES / "figure_11.toml")],
    ["retention", str(EXAMPLES / "held.toml"), "--on", "2026-02-15"],
]


def mark_of(folder: Path) -> dict[str, str]:
    """The folder, and the SHA-256 of a line for each file as sha256sum writes it."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.toml"))
    lines = "".join(f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    return {"folder": str(folder), "sha256": sha256(lines.encode()).hexdigest()}


@pytest.mark.parametrize("arguments", every(2, MARKED))
def test_an_answer_by_other_rules_says_so(folder: Path, arguments: list[str]) -> None:
    mark = mark_of(folder)
    line = f"answered by the rules of {folder} (sha256 {mark['sha256'][:12]}), not those that come with mqclause"
    assert printed(folder, *arguments).splitlines()[-1] == line
    if "--brief" not in arguments:
        documents = [json.loads(each) for each in printed(folder, *arguments, "--json").splitlines()]
        assert documents
        assert [each["rules"] for each in documents] == [mark] * len(documents)


def test_lines_and_tables_and_sql_by_other_rules_say_so(folder: Path, tmp_path: Path) -> None:
    mark, lines = mark_of(folder), tmp_path / "lines.jsonl"
    put = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "A"}], "put": {"queue": "A"}}
    lines.write_text(json.dumps(put) + "\n")
    assert json.loads(printed(folder, "explain", "--lines", str(lines)))["rules"] == mark
    assert printed(folder, "show-sql", "workload.11b").splitlines()[-1].startswith("-- answered by the rules of ")
    table = run("map", *SALES, "--csv", "--rules", str(folder))
    assert "sha256" not in table.stdout
    assert mark["sha256"][:12] in table.stderr


def test_an_answer_by_a_copy_of_our_rules_says_nothing(tmp_path: Path) -> None:
    rules = copied_rules(tmp_path)
    assert "sha256" not in printed(rules, "explain", str(EXAMPLES / "orders.toml"))
    assert "rules" not in json.loads(printed(rules, "explain", str(EXAMPLES / "orders.toml"), "--json"))


def test_rules_know_where_they_are_from(folder: Path) -> None:
    rules = Rules(folder=folder)
    assert Rules().origin is None
    assert rules.origin is not None
    assert rules.origin.to_json() == mark_of(folder)
    sent = pickle.loads(pickle.dumps(rules))
    for other in (rules.in_edition("mq-9.3"), rules.under({"mru-ties": "any"}), rules.about(CALL), sent):
        assert other.origin == rules.origin
    changed = Rules().with_files({"call/2051_put_inhibited.toml": None}).origin
    assert str(changed).startswith("by rules (sha256 ")


def answers_by(rules: Rules | None) -> list[ShownAnswer]:
    """An answer of every kind, by a program."""
    engine = Engine(rules)
    orders, sales = read_files([EXAMPLES / "orders.toml"]), read(EXAMPLES / "sales")
    assert orders.put is not None
    decision = engine.choose(orders.put, orders.cluster, explain="rule")
    changed = sales.set("QLOCAL(ORDERS.IN) QMGR(QM3) PUT(DISABLED)")
    listed = read_files([EXAMPLES / "figure_11.toml"])
    where, moved = cluster_map(sales, engine), plan(sales, changed, engine)
    answered = [decision, Explanation.of(decision, orders), where, where[0], moved, moved[0], shares(decision)]
    answered += [plan(sales, sales, engine), why_not(decision, "QM3"), counterfactuals(decision, "QM3")]
    answered += [
        Why(rules).ask("ORDERS.IN", read_files([EXAMPLES / "QM2.mqsc"])),
        check_files(SALES[1], checks=Checks(rules)),
    ]
    answered += Retrieval(rules).orders(listed.messages, listed.cluster)
    answered += [next_get(Retrieval(rules), listed.cluster, listed.messages, "APPQ")]
    return [*answered, *Replay(rules).rows(read_scenario(EXAMPLES / "orders_trigger.toml"))]


def test_answers_of_a_program_by_other_rules_say_so(folder: Path) -> None:
    """In text with a line of its own; in JSON each document does, of which parts and lists are none."""
    mark = mark_of(folder)
    line = f"answered by the rules of {folder} (sha256 {mark['sha256'][:12]}), not those that come with mqclause"
    by_others = answers_by(Rules(folder=folder))
    parts = {"Counterfactual", "Finding", "Move", "RecordedAnswer", "Share"}
    written_by_plan = {"ChangePlan"}
    kinds = {type(each).__name__ for each in by_others} | parts | written_by_plan | {"AnswerTable"}
    assert {each.__name__ for each in ShownAnswer.__subclasses__()} <= kinds
    for each in by_others:
        assert str(each).splitlines()[-1] == line, each
        assert str(each).count("answered by") == 1
        document = each.to_json()
        if isinstance(document, dict) and type(each).__name__ not in ("MapRow", "PlanRow"):
            assert document["rules"] == mark, each
            assert str(type(each).from_json(document)).splitlines()[-1] == line
        assert pickle.loads(pickle.dumps(each)).origin == each.origin
    for each in answers_by(None):
        assert "answered by" not in str(each)
        assert "rules" not in each.to_json()
