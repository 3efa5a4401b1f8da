"""Answers to look at: as the command line prints them, in one line, as HTML, as JSON and back, as data frames."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Callable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import jsonschema
import pyarrow
import pytest
from click.testing import CliRunner

import mqclause
from mqclause import (
    AdminCommand,
    ArgumentError,
    Checks,
    Counterfactual,
    Decision,
    Engine,
    Explanation,
    FindingChanges,
    Members,
    Move,
    MqclauseError,
    Put,
    RecordedAnswer,
    Replay,
    Retrieval,
    Rules,
    Triggers,
    Why,
    check_files,
    cluster_map,
    counterfactuals,
    inspected,
    list_schemas,
    next_get,
    plan,
    read,
    read_scenario,
    read_schema,
    shares,
    text,
    why_not,
)
from mqclause.answers import ShownAnswer, load_optional
from mqclause.rulebook.clauses import compute_fingerprint
from mqclause.testing.file_schemas import BUILDERS
from mqclause.tools.cli import command_line
from mqclause.tools.commands.declared import JsonOption

PRODUCT = [Path(str(files(each))) for each in ("mqclause", "mqclause.tools")]
FORMAT = re.compile(r'"mqclause\.([a-z]+)/1"')
SALES = str(files("mqclause.tools") / "examples" / "sales")
MEMBERS = read(SALES)
EXAMPLES = Path(SALES).parent
FIGURE = read(EXAMPLES / "figure_11.toml")[0]


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(command_line, arguments, standalone_mode=False)
    assert done.exception is None
    return done.stdout


def explained() -> Explanation:
    own = MEMBERS.at("QM1")
    return Explanation.of(Engine().choose(Put("ORDERS.IN"), own.cluster, explain="rule"), own)


ANSWERS: dict[str, Callable[[], Any]] = {
    "Decision": lambda: explained().decision,
    "Explanation": explained,
    "MapRow": lambda: cluster_map(MEMBERS)[0],
    "PlanRow": lambda: plan(MEMBERS, MEMBERS.suspend("QM3"))[0],
    "WhyAnswer": lambda: Why().ask("ORDERS.IN", MEMBERS.at("QM2")),
    "WhyNot": lambda: why_not(explained().decision, "QM2"),
    "Finding": lambda: check_files(SALES)[0],
    "Share": lambda: shares(explained().decision)[0],
    "Move": lambda: Move("QM2", "QM3", 40.0),
    "Counterfactual": lambda: Counterfactual(
        (AdminCommand("QM2", "QM2", "RESUME QMGR CLUSTER('SALES')", ("QMGR", "QM2", "suspended")),)
    ),
    "QueueOrder": lambda: next(iter(Retrieval().orders(FIGURE.messages, FIGURE.cluster))),
    "RetrievalResult": lambda: next_get(Retrieval(), FIGURE.cluster, FIGURE.messages, FIGURE.messages[0].queue),
    "Row": lambda: next(iter(Replay().rows(read_scenario(Path(SALES).parent / "status_queue.toml")))),
}
"""One answer of each kind."""


def test_text_is_what_the_command_line_prints() -> None:
    asked = printed("explain", SALES, "--from", "QM1", "--put", "ORDERS.IN")
    assert str(explained()) == asked.strip().replace("--all shows", "steps shows")
    assert str(cluster_map(MEMBERS)) == printed("map", SALES).strip()
    assert str(Why().ask("ORDERS.IN", MEMBERS.at("QM2"))) == printed("why", "ORDERS.IN", SALES, "--from", "QM2").strip()
    assert str(check_files(SALES)) == printed("check", SALES, "--fail-on", "error", "--all").strip()
    figure = str(EXAMPLES / "figure_11.toml")
    assert (
        "\n\n".join(map(str, Retrieval().orders(FIGURE.messages, FIGURE.cluster))) == printed("order", figure).strip()
    )
    replayed = Replay().rows(read_scenario(EXAMPLES / "status_queue.toml"))
    assert "\n".join(map(str, replayed)) == printed("replay", str(EXAMPLES / "status_queue.toml")).rstrip()


def test_an_edition_that_was_asked_for_is_named_by_its_argument() -> None:
    own = MEMBERS.at("QM1")
    decision = Engine(Rules(edition="mq-9.4")).choose(Put("ORDERS.IN"), own.cluster, explain="rule")
    told = Explanation.of(decision, own)
    assert told.to_json()["edition_from"] == "--edition"
    assert "mq-9.4 (edition)" in str(told)
    asked = printed("explain", SALES, "--from", "QM1", "--put", "ORDERS.IN", "--edition", "mq-9.4")
    assert "mq-9.4 (--edition)" in asked
    assert "--" not in str(told)


def test_a_plan_is_what_the_command_line_prints_and_writes() -> None:
    suspended = "QMGR(QM3) SUSPEND(YES)"
    findings = FindingChanges.between(check_files(SALES), check_files(SALES, changes=[suspended]))
    after = MEMBERS.suspend("QM3")
    changed = plan(MEMBERS, after, findings=findings)
    asked = ("plan", SALES, "--suspend", "QM3")
    assert str(changed) == printed(*asked).strip()
    assert "rests on what is not known" in str(changed)
    written = json.loads(printed(*asked, "--json"))
    assert len(written.pop("findings")["new"]) == len(findings.new) == 1  # of another source: an option, an argument
    assert {**changed.to_json(), **written} == changed.to_json()
    assert pickle.loads(pickle.dumps(changed)).to_json() == changed.to_json()
    # Without findings it is said that none were compared.
    (said,) = [each["remark"] for each in plan(MEMBERS, after).to_json()["remarks"] if each["from"] is None]
    assert said == "findings are not compared: none are given of the files of both sides"
    assert said in str(plan(MEMBERS, after))
    assert str(plan(MEMBERS, MEMBERS, findings=FindingChanges())) == "nothing changes: every put goes where it went"


def test_a_table_without_a_row_says_so() -> None:
    failed = choices()[2]
    assert str(check_files(SALES)[:0]) == "nothing is found"
    assert str(cluster_map(MEMBERS)[:0]) == "no queue is known in a cluster"
    assert str(shares(failed)) == "no destination is chosen: none has a share"
    assert str(counterfactuals(choices()[0], "QM2")).startswith("no command is needed")


TWO_CLUSTERS = """
[queue_manager]
name = "QM1"
clusters = ["NORTH", "SOUTH"]
clwluseq = "ANY"
[[remote_queue_manager]]
name = "QM2"
clusters = ["NORTH", "SOUTH"]
[[queue]]
name = "BILLS"
clusters = ["NORTH", "SOUTH"]
[[queue]]
name = "BILLS"
queue_manager = "QM2"
clusters = ["NORTH", "SOUTH"]
[[queue_manager_alias]]
name = "ANY.QM"
queue_manager = "QM2"
clusters = ["NORTH"]
[[channel]]
name = "TO.QM1"
queue_manager = "QM1"
cluster = "NORTH"
[[channel]]
name = "TO.QM2"
queue_manager = "QM2"
cluster = "NORTH"
[[channel]]
name = "TO.QM2"
queue_manager = "QM2"
cluster = "SOUTH"
"""


def test_shares_say_what_tells_destinations_apart() -> None:
    (own,) = read(text(TWO_CLUSTERS, name="two.toml"))

    def told(put: Put) -> list[str]:
        found = shares(Engine().choose(put, own.cluster, explain="rule"))
        assert [str(each) for each in found] == str(found).splitlines()
        return sorted(each.partition(" ")[2] for each in str(found).splitlines())

    # A local put uses no channel, whichever lends its weight. A channel in two clusters has one counter: of two
    # destinations on it the one that is listed first takes the puts.
    assert told(Put("BILLS", bind="NOTFIXED")) == ["BILLS at QM1 (local)", "BILLS at QM2 by TO.QM2 in NORTH"]
    assert told(Put(queue_manager="ANY.QM", bind="NOTFIXED")) == ["QM2 for ANY.QM by TO.QM2 in NORTH"]


def test_why_not_a_queue_manager_that_is_no_destination() -> None:
    own = MEMBERS.at("QM1")
    decision = Engine().choose(Put("ORDERS.IN"), own.cluster, explain="rule")
    asked = printed("explain", SALES, "--from", "QM1", "--put", "ORDERS.IN", "--why-not", "QM1").strip()
    assert asked.endswith(str(why_not(decision, "QM1", snapshot=own)))
    assert "QM1 hosts no instance of ORDERS.IN" in str(why_not(decision, "QM1"))


PICTURED = ("Decision", "Explanation", "MapRow", "PlanRow", "ChangePlan")


@pytest.mark.parametrize("kind", ANSWERS)
def test_each_is_shown_and_comes_back_from_json(kind: str) -> None:
    answer = ANSWERS[kind]()
    assert "--" not in str(answer), "an answer in a program names no option"
    assert "\n" not in repr(answer)
    assert len(repr(answer)) < 160
    assert repr(answer).startswith(f"<{kind}: ")
    shown = answer._render_table()
    assert shown.count("<tr>") > 1
    assert "{" not in shown
    document = json.loads(json.dumps(answer.to_json()))
    recorded = type(answer).from_json(document)
    assert recorded.to_json() == document
    assert recorded == type(answer).from_json(json.dumps(document)) == pickle.loads(pickle.dumps(recorded))
    assert hash(recorded) == hash(type(answer).from_json(document))
    assert answer.to_arrow().num_rows == len(answer.to_pandas()) == 1
    assert recorded.to_arrow().equals(answer.to_arrow())
    assert recorded._render_table() == shown
    assert ("<svg" in answer._repr_html_()) == ("<svg" in recorded._repr_html_()) == (kind in PICTURED)
    assert repr(recorded).startswith(f"<{kind}, recorded: ")


def test_tables_stay_tables() -> None:
    table = cluster_map(MEMBERS)
    assert type(table[1:3]) is type(table)
    assert table[1:3].to_arrow().schema == table.to_arrow().schema
    assert isinstance(table.to_arrow(), pyarrow.Table)
    assert table.to_json()["rows"] == table.to_rows()
    assert check_files(SALES).worst == "error"


def choices() -> list[Decision]:
    """One that is chosen, one whose rules set some aside, with tests of conditions, and one that fails."""
    cluster = MEMBERS.at("QM1").cluster
    held_up = cluster.with_status("TO.QM2", "RETRYING")
    return [
        Engine().choose(Put("ORDERS.IN"), cluster, explain="rule"),
        Engine().choose(Put("ORDERS.IN"), held_up, explain="condition"),
        Engine().choose(Put("NO.SUCH"), cluster, explain="verdict"),
    ]


def without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_null(each) for name, each in value.items() if each is not None}
    return [*map(without_null, value)] if isinstance(value, list) else value


def test_columns_are_of_the_kind_and_not_of_what_an_answer_says() -> None:
    tables = [each.to_arrow() for each in choices()]
    assert pyarrow.concat_tables(tables).column("outcome").to_pylist() == ["chosen", "chosen", "failed"]
    assert pyarrow.concat_tables(tables).column("because").null_count == 2
    assert not [each for each in tables[0].schema.types if pyarrow.types.is_null(each)]
    assert counterfactuals(choices()[0], "QM2").to_arrow().schema == ANSWERS["Counterfactual"]().to_arrow().schema
    assert cluster_map(MEMBERS)[:0].to_arrow().schema == ANSWERS["MapRow"]().to_arrow().schema


def test_a_column_has_all_that_the_document_says() -> None:
    for decision in choices():
        (row,) = decision.to_arrow().to_pylist()
        document = decision.to_json()
        for free in ("put", "readings"):
            assert json.loads(row.pop(free)) == document.pop(free)
        steps, told = row.pop("steps"), document.pop("steps")
        assert [each["rule"] for each in steps] == [each["rule"] for each in told]
        assert [len(each["eliminated"] or ()) for each in steps] == [len(each["eliminated"]) for each in told]
        assert without_null(row) == without_null(document)


def test_tables_come_back_from_json() -> None:
    decision = choices()[0]
    changed = plan(MEMBERS, MEMBERS.suspend("QM3"))
    for table in (
        shares(decision),
        counterfactuals(decision, "QM2"),
        cluster_map(MEMBERS),
        changed,
        check_files(SALES),
    ):
        recorded = type(table).from_json(json.dumps(table.to_json()))
        assert recorded.to_json() == json.loads(json.dumps(table.to_json()))
        assert recorded.to_arrow().equals(table.to_arrow())
    assert type(shares(decision)).from_json(shares(decision).to_json())[1].queue_manager == "QM3"


def test_a_recorded_answer_says_what_the_answer_said() -> None:
    for decision in choices():
        recorded = Decision.from_json(decision.to_json())
        assert str(recorded) == str(decision)
        assert recorded.outcome == recorded["outcome"] == decision.outcome
        assert (recorded.chosen and recorded.chosen.channel) == (decision.chosen and decision.chosen.channel)
    with pytest.raises(AttributeError, match="the document has no 'chosn'; it has format, "):
        _ = Decision.from_json(choices()[0].to_json()).chosn
    parts = shares(choices()[0])
    assert str(type(parts).from_json(parts.to_json())) == str(parts)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("outcome", "chosn", "outcome: 'chosn' is not allowed; allowed: chosen, failed, deferred; did you mean"),
        ("chosen", {"queue": "Q"}, "chosen: without queue_manager, channel"),
        ("permitted", [3], r"permitted\[0\]: 3 is not allowed; expected object"),
        ("steps", None, "steps: None is not allowed; expected array"),
        ("ruleset", "trigger", "ruleset: 'trigger' is not allowed; allowed: workload"),
    ],
)
def test_a_document_that_breaks_the_schema_is_none(key: str, value: object, told: str) -> None:
    with pytest.raises(ArgumentError, match=f"^document is none of a Decision: {told}"):
        Decision.from_json({**choices()[0].to_json(), key: value})


def test_a_document_of_another_kind_is_none() -> None:
    told = cluster_map(MEMBERS).to_json()
    for kind in (check_files(SALES), plan(MEMBERS, MEMBERS.suspend("QM3")), shares(choices()[0])):
        with pytest.raises(ArgumentError, match="document is none of a"):
            type(kind).from_json(told)


def test_what_a_notebook_shows_of_a_decision_without_jinja2() -> None:
    shown = choices()[1]._render_table()
    assert "<caption>goes to ORDERS.IN at QM3 by TO.QM3</caption>" in shown
    assert "<tr><td>ORDERS.IN at QM3 by TO.QM3</td><td>chosen</td>" in shown
    assert "<tr><td>ORDERS.IN at QM2 by TO.QM2</td><td>falls</td><td>6</td>" in shown
    assert "<td>QM2 50 %, QM3 50 %</td>" in cluster_map(MEMBERS)._render_table()


def list_told(document: Any, key: str = "") -> Iterator[str]:
    """What a document says in sentences: what it rests on, with the commands, remarks, assumptions, reasons."""
    if isinstance(document, dict):
        told = [each for name, value in document.items() for each in list_told(value, name)]
        yield from [] if document.get("holds") is True else told
    elif isinstance(document, list):
        yield from (said for each in document for said in list_told(each, key))
    elif key in ("what", "command", "remark", "remarks", "assumptions", "because") and document:
        yield document


TOLD_AT = {
    "QM1": "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\nALTER QMGR CLWLEXIT('missing')\n",
    "QM2": "DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\nDEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n",
    "QM3": "DEFINE CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\nDEFINE QLOCAL(ORDERS) CLUSTER(SALES) +\n"
    " CLWLRANK(3) PUT(DISABLED)\nDEFINE QREMOTE(GATE) RNAME(' ') RQMNAME(QM3) CLUSTER(SALES)\n"
    "DEFINE QLOCAL(BELLS) TRIGGER TRIGTYPE(EVERY) INITQ(NONE) PROCESS(NOBODY)\n",
    "QM4": "DEFINE CHANNEL(TO.QM4) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\nDEFINE QALIAS(BACK) TARGET(ORDERS)\n",
}
"""What members are told by whose answers rest on much that is not known."""


def told_answers() -> dict[str, ShownAnswer]:
    """Answers of each kind of which much is to be said besides."""
    members = read(*(text(f"* Queue manager name: {name}\n{each}", name=name) for name, each in TOLD_AT.items()))
    table = plan(
        members, members.set("CHANNEL(TO.QM2) QMGR(QM4) STATUS(RETRYING)", "QLOCAL(ORDERS) QMGR(QM3) PUT(ENABLED)")
    )
    held = plan(members, members.set("CHANNEL(TO.QM2) STATUS(STOPPED)"))
    own = members.at("QM4")
    decision = Engine().choose(Put("BACK"), own.cluster, explain="rule")
    messages = [{"id": name, "queue": "PILE", "by": "CLERK", "priority": at} for at, name in enumerate(("one", "two"))]
    pile = read({"queue_manager": {"name": "QM1"}, "queue": [{"name": "PILE"}], "message": messages})[0]
    return {
        "Decision": decision, "Explanation": Explanation.of(decision, own), "ClusterMap": cluster_map(members),
        "PlanTable": table, "PlanRow": table[0], "part of a PlanTable": table[:1], "ChangePlan": held.change,
        "WhyNot": why_not(decision, "QM3"), "WhyAnswer": Why().ask("BELLS", members.at("QM3")),
        "QueueOrder": next(iter(Retrieval().orders(pile.messages, pile.cluster))),
    }  # fmt: skip


@pytest.mark.parametrize("kind", told_answers())
def test_a_table_says_without_a_picture_what_the_answer_does(kind: str) -> None:
    answer = told_answers()[kind]
    told = dict.fromkeys(list_told(answer.to_json()))
    assert told, "there is something to be said"
    table = answer._render_table()
    assert [each for each in told if escape(each) not in table] == []


PRINTING_JSON: dict[str, list[str]] = {
    "batch": [f"batch {SALES}/puts.jsonl {{out}} --facts {SALES}/../QM1.log"],
    "check": [f"check {SALES} --set QLOCAL(ORDERS.IN)QMGR(QM2)PUT(DISABLED)", f"check {SALES}"],
    "compare": ["compare {ours} {own} --document call", f"compare {SALES}/QM1.mqsc {SALES}/QM2.mqsc"],
    "explain": [f"explain {SALES} --from QM1 --put ORDERS.IN --why-not QM2", f"explain {SALES}/../QM1.log --put NONE"],
    "facts": [f"facts {SALES} --from QM1", f"facts {SALES} --sources"],
    "lint": ["lint --all"],
    "map": [f"map {SALES}"],
    "mutate": ["mutate check.05 --all"],
    "order": [f"order {SALES}/../figure_11.toml"],
    "plan": [f"plan {SALES} --fail QM2 --suspend QM3 --puts {SALES}/traffic.csv", f"plan {SALES} --upgrade *=mq-9.4"],
    "replay": [f"replay {SALES}/../{name}.toml" for name in ("status_queue", "orders_trigger", "status_segments")],
    "retention": [f"retention {SALES}/../held.toml --on 2026-02-15"],
    "test": ["test call --coverage --proof"],
    "verify": ["verify {copy} --rules {own}"],
    "why": [f"why ORDERS.IN {SALES} --from QM2", f"why * {SALES}/../orders_trigger.toml"],
}
"""Of each command that prints JSON some that print what is in its documents."""

PARCELS = ("A parcel is put on a shelf.", "The shelf is full.")


def written_folder(folder: Path, when: str = "mqi_call IN ('MQPUT', 'MQPUT1')") -> Path:
    """Our rules with a document of two sentences, and queues that are full for these calls."""
    rules, path = dict(Rules().files), "call/2053_q_full.toml"
    rules[path] = rules[path].replace("mqi_call IN ('MQPUT', 'MQPUT1')", when)
    assert when in rules[path]
    rules["documents/parcels.toml"] = 'document = "call"\ntitle = "Parcels"\n' + "".join(
        f'[[clause]]\npath = "{number}"\nnumber = "{number}"\nsays = "{says}"\nrules = ["call.2053"]\n'
        f'fingerprint = "{compute_fingerprint(says)}"\n'
        for number, says in enumerate(PARCELS, 90)
    )
    for name, content in rules.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def list_options(name: str) -> dict[str, click.Parameter]:
    """The options of a command by their names."""
    command = command_line.get_command(click.Context(command_line), name)
    return {each.opts[-1]: each for each in command.params} if command else {}


def closed(schema: Any, is_shared: bool = False) -> Any:
    """The schema, which allows no key that it does not name; a shared part does as far as whoever refers to it does."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        key: {name: closed(each, key == "$defs") for name, each in value.items()} if key in ("$defs", "properties")
        else value if key == "allOf" else closed(value)
        for key, value in schema.items()
    }  # fmt: skip
    is_object = not is_shared and {"$ref", "allOf", "properties"} & schema.keys()
    return {"unevaluatedProperties": False, **found} if is_object else found


def read_documents(printed_text: str) -> list[Any]:
    """The documents that a command printed: one, or one a line."""
    try:
        return [json.loads(printed_text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in printed_text.splitlines()]


def test_every_command_that_prints_json_names_the_schema_that_it_keeps(tmp_path: Path) -> None:
    copy = tmp_path / "copy.txt"
    copy.write_text(f"{PARCELS[0]}\nThe shelf is round.\n")
    named = {"out": tmp_path / "out.jsonl", "copy": copy, "ours": written_folder(tmp_path / "ours")}
    named["own"] = written_folder(tmp_path / "own", "mqi_call = 'MQPUT'")
    commands = {name: list_options(name) for name in command_line.list_commands(click.Context(command_line))}
    assert {name for name, options in commands.items() if "--json" in options} == PRINTING_JSON.keys()
    kept, promised = set[str](), set[str]()
    for name, runs in PRINTING_JSON.items():
        option = commands[name]["--json"]
        assert isinstance(option, JsonOption), f"{name} names no schema"
        schemas = {each: closed(read_schema(each)) for each in option.schemas}
        promised |= schemas.keys()
        if "--rules" in commands[name]:
            assert all("rules" in schema["properties"] for schema in schemas.values()), name
        for line in runs:
            for document in read_documents(printed(*line.format(**named).split(), "--json")):
                own = str(document.get("format", option.schemas[-1])).removeprefix("mqclause.").removesuffix("/1")
                jsonschema.validate(document, schemas[own], jsonschema.Draft202012Validator)
                kept.add(own)
    assert kept == promised
    written = {
        name
        for folder in PRODUCT
        for path in folder.rglob("*.py")
        for name in FORMAT.findall(path.read_text(encoding="utf-8"))
    }
    answers = (each for each in (getattr(mqclause, name) for name in mqclause.__all__) if hasattr(each, "written_by"))
    written |= {each.written_by for each in answers} & {*list_schemas()}
    assert {*list_schemas()} == written | {*BUILDERS} == kept | {*BUILDERS}


@pytest.mark.parametrize("name", list_schemas())
def test_a_schema_is_one(name: str) -> None:
    schema = read_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    if name not in BUILDERS:
        assert (schema, schema["title"]) == (read_schema(f"mqclause.{name}/1"), f"mqclause.{name}/1")
        assert schema["properties"].get("format", {"const": schema["title"]}) == {"const": schema["title"]}


def test_what_is_no_answer() -> None:
    for wrong, told in (
        ("{", "is no JSON"),
        ([], "of the type list"),
        ({}, "without format, ruleset"),
        (7, "type int"),
    ):
        with pytest.raises(ArgumentError, match=told):
            Decision.from_json(wrong)
    other = {**explained().decision.to_json(), "format": "mqclause.why/1"}
    with pytest.raises(MqclauseError, match="format: 'mqclause.why/1' is not allowed; allowed: mqclause.trace/1"):
        Decision.from_json(other)
    with pytest.raises(ArgumentError, match="'mop' is no document with a schema; allowed: .*; did you mean 'map'"):
        read_schema("mop")
    with pytest.raises(ImportError, match=r"^no_such_frames is not installed: pip install no_such_frames$"):
        load_optional("no_such_frames")
    assert RecordedAnswer.of("Decision", explained().decision.to_json())["outcome"] == "chosen"


def test_an_unknown_queue_manager_is_told_as_on_the_command_line() -> None:
    said = "queue manager 'QM4' is not known at QM1 .*; did you mean 'QM3'"
    with pytest.raises(ArgumentError, match=said):
        why_not(explained().decision, "QM4")


def test_members_are_tuples() -> None:
    assert isinstance(MEMBERS, Members)
    assert pickle.loads(pickle.dumps(MEMBERS)) == MEMBERS


def test_what_answers_are_made_with_is_one_line() -> None:
    own = MEMBERS.at("QM1").cluster
    scenario = read_scenario(EXAMPLES / "status_queue.toml")
    kept = inspected([SALES])
    with Engine(exits={"PICK": print}) as engine:
        assert repr(engine) == "<Engine: Rules({}, 'wmq-6'), compiled, exits PICK>"
    assert repr(own) == "<Cluster: QM1, which knows 5 queues, 3 channels, 2 other queue managers>"
    assert re.fullmatch("<Scenario: [0-9]+ events at QM1, which knows .*>", repr(scenario))
    assert repr(kept) == "<Inspection: QM1, QM2, QM3>"
    assert repr(Why()) == "<Why: Rules({}, 'wmq-6'), compiled>"
    assert repr(Checks(ignored=["check.14"])) == "<Checks: Rules({}, 'wmq-6'), without check.14>"
    for each in (Replay(), Retrieval(), Triggers()):
        assert repr(each) == f"<{type(each).__name__}: Rules({{}}, 'wmq-6'), compiled>"


def test_rules_that_are_not_those_of_the_project_say_so(tmp_path: Path) -> None:
    shutil.copytree(str(files("mqclause.rules")), tmp_path / "house", dirs_exist_ok=True)
    with (tmp_path / "house" / "terms.toml").open("a", encoding="utf-8") as terms:
        terms.write("\n# ours\n")
    own = Rules(folder=tmp_path / "house")
    decision = Engine(own).choose(Put("ORDERS.IN"), MEMBERS.at("QM1").cluster, explain="rule")
    for answer in (decision, why_not(decision, "QM2", Engine(own)), Why(own).ask("ORDERS.IN", MEMBERS.at("QM2"))):
        assert answer.to_arrow().column("rules").to_pylist() == [answer.to_json()["rules"]]
    assert repr(own) == f"Rules({{}}, 'wmq-6', folder={str(tmp_path / 'house')!r})"
    changed = Rules().with_files({"terms.toml": (tmp_path / "house" / "terms.toml").read_text(encoding="utf-8")})
    assert re.fullmatch(r"Rules\({}, 'wmq-6', [0-9a-f]{12}\)", repr(changed))


def test_what_stands_in_answers_is_one_line_too() -> None:
    own = MEMBERS.at("QM1")
    decision = Engine().choose(Put("ORDERS.IN"), own.cluster)
    assert repr(MEMBERS) == "<Members: QM1, QM2, QM3>"
    assert repr(own) == "<Snapshot: QM1, which knows 5 queues, 3 channels, 2 other queue managers>"
    assert str(decision.chosen) == "ORDERS.IN at QM2 by TO.QM2"
    assert (
        repr(decision.permitted)
        == "(<Destination: ORDERS.IN at QM2 by TO.QM2>, <Destination: ORDERS.IN at QM3 by TO.QM3>)"
    )
    assert [each.key for each in decision.permitted] == [
        ("ORDERS.IN", name, f"TO.{name}", "SALES") for name in ("QM2", "QM3")
    ]
    assert repr(decision.resolved) == "<Resolution: ORDERS.IN: queue>"
    rows = [*Replay().rows(read_scenario(Path(SALES).parent / "status_queue.toml"))]
    assert str(rows[0]).startswith("    0 put APPQ Y1 of Y LOGICAL_ORDER in U1\n      no trigger message for APPQ\n")
    assert [len(repr(each).splitlines()) for each in (*rows, *rows[0].examinations)] == [1] * (len(rows) + 1)


def test_findings_have_what_is_odd_about_command_levels() -> None:
    found = check_files({"queue_manager": {"name": "QM2", "command_level": 555}})
    assert len(found.remarks) == 1
    assert found.remarks[0].startswith("QM2 is of command level 555, below")
    assert pickle.loads(pickle.dumps(found[:0])).remarks == found.remarks
