"""A document and an input format of one's own, in every executor, DuckDB and Spark, without a line of the product.

The document says which of the applications that wait in MQGET for a message on a queue gets it. Its rules, its cases,
its facts and its format are all in this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

for needed in ("duckdb", "pyarrow"):
    pytest.importorskip(needed)

import pyarrow as pa
from attrs import frozen

from mqclause import Rules, duckdb, read_files
from mqclause.executors.pipeline import EXECUTORS, Pipeline
from mqclause.model.diagnostics import Diagnostic
from mqclause.model.facts.domains import DIGIT, Whole, rule_field, word_field
from mqclause.model.readers.formats import Confidence, Format
from mqclause.model.readers.records import Record, Script
from mqclause.model.readers.registry import FORMATS
from mqclause.rulebook.case_files import CaseFile
from mqclause.rulebook.rule import Declaration, RowNames
from mqclause.testing.case_kinds import PipelineCase
from spec_tests.support.spark_tables import from_rows


@frozen(eq=False)
class Arrival:
    """A message that arrives while applications wait."""

    message_priority: int = rule_field(DIGIT, 0)
    correlated: bool = False


@frozen(eq=False)
class Waiter:
    """An application that waits in MQGET; ``waiting`` is in milliseconds."""

    application: str = ""
    mode: str = word_field("INPUT", "BROWSE", default="INPUT")
    matches_correlation: bool = False
    preference: int = rule_field(DIGIT, 0)
    waiting: int = rule_field(Whole(0, 999_999), 0)


WAITING = Declaration("waiting", Arrival, Waiter, row=RowNames("arrival", "waiters", "gets"))

RULES = {
    "01_browsers": '[eliminate]\nwhere = "mode = \'BROWSE\'"\nbecause = "{application} browses"',
    "02_preferred": '[keep]\nhighest = "preference"\nbecause = "preference {preference} is below {highest}"',
    "03_shared": '[derive]\nshared = "COUNT_IF(TRUE) > 1 AND NOT correlated"\nleft = "COUNT_IF(TRUE)"',
    "04_longest": 'when = "shared"\n[order_by]\nby = ["waiting DESC"]',
}

CASES = """
[facts]
situation = {message_priority = 4}
subjects = [
  {application = "A", mode = "BROWSE", preference = 9},
  {application = "B", preference = 2, waiting = 10},
  {application = "C", preference = 2, waiting = 900},
  {application = "D", preference = 1, waiting = 5000},
]
[[case]]
name = "of the preferred ones who waited longest comes first"
acts = true
[case.expect]
order = ["C", "B"]
fell = {A = "waiting.01", D = "waiting.02"}
because = {A = "A browses", D = "preference 1 is below 2"}
facts = {shared = true, left = 2}

[[case]]
name = "a correlated message leaves them in the order of the facts"
acts = false
facts.situation = {correlated = true}
[case.expect]
order = ["B", "C"]
facts = {shared = false, left = 2}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """The four rules, as files."""
    folder = tmp_path / "rules" / "waiting"
    folder.mkdir(parents=True)
    for name, action in RULES.items():
        clause = f'clause = "waiting/{name[:2].lstrip("0")}"\ntitle = "Rule {name}"\n'
        (folder / f"{name}.toml").write_text(clause + action)
    return Rules(folder=tmp_path / "rules")


@pytest.mark.parametrize("executor", EXECUTORS)
def test_its_cases_pass_in_every_executor(rules: Rules, executor: Any, tmp_path: Path) -> None:
    path = tmp_path / "cases" / "waiting" / "04_longest.toml"
    path.parent.mkdir(parents=True)
    path.write_text(CASES)
    cases = list(CaseFile.read(path).cases(PipelineCase, declaration=WAITING))
    assert [case.faults(rules, executor) for case in cases] == [[], []]


WAITERS: list[dict[str, Any]] = [
    {"application": "A", "mode": "BROWSE", "matches_correlation": False, "preference": 9, "waiting": 0},
    {"application": "B", "mode": "INPUT", "matches_correlation": False, "preference": 2, "waiting": 10},
    {"application": "C", "mode": "INPUT", "matches_correlation": False, "preference": 2, "waiting": 900},
    {"application": "D", "mode": "INPUT", "matches_correlation": False, "preference": 1, "waiting": 5000},
]
TABLE = pa.table({
    "id": [1, 2, 3],
    "arrival": [
        {"message_priority": 4, "correlated": False}, {"message_priority": 4, "correlated": True},
        {"message_priority": 10, "correlated": False},
    ],
    "waiters": [WAITERS] * 3,
})  # fmt: skip
FELL = ["waiting.01", None, None, "waiting.02"]
INVALID = "arrival.message_priority = 10; allowed: a whole number from 0 to 9"
GETS = [
    {"remaining": [2, 1], "eliminated_by": FELL, "failed_by": None, "shared": True, "left": 2, "message": None},
    {"remaining": [1, 2], "eliminated_by": FELL, "failed_by": None, "shared": False, "left": 2, "message": None},
    dict.fromkeys(("remaining", "eliminated_by", "failed_by", "shared", "left")) | {"message": INVALID},
]


def test_it_runs_on_tables_in_duckdb(rules: Rules) -> None:
    found = duckdb.apply_rules(TABLE, WAITING, rules, explain=True)
    assert found.columns == ["id", "arrival", "waiters", "gets"]
    assert found.order("id").to_arrow_table()["gets"].to_pylist() == GETS


def test_it_runs_on_tables_in_spark(rules: Rules, spark: Any) -> None:
    from mqclause.spark import apply_rules

    schema = (
        "id bigint, arrival struct<message_priority: int, correlated: boolean>, waiters array<struct<application: string,"
        " mode: string, matches_correlation: boolean, preference: int, waiting: int>>"
    )
    found = apply_rules(from_rows(spark, TABLE.to_pylist(), schema), WAITING, rules, explain=True)
    assert [row["gets"].asDict(recursive=True) for row in found.orderBy("id").collect()] == GETS


def test_what_falls_out_is_the_same_in_a_program(rules: Rules) -> None:
    waiters = [Waiter(**each) for each in WAITERS]
    (run,) = Pipeline.of(rules, WAITING).run(Arrival(4), waiters)
    assert [each.application for each in run.remaining] == ["C", "B"]


HEAD = "objects of "


def read_listing(text: str, source: str) -> Script:
    """One object a line, ``local queue STOCK in PARTS``, after ``objects of NORTH``."""
    owner, *lines = text.splitlines()
    records, faults = [], []
    if not owner.startswith(HEAD):
        faults.append(Diagnostic(source, f"{owner!r} is no head of a listing; allowed: {HEAD}NAME", 1))
    for number, line in enumerate(lines, 2):
        match line.split():
            case ["local", "queue", name, "in", cluster]:
                records.append(Record("define", "QLOCAL", name, {"CLUSTER": cluster}, source=source, line=number))
            case ["receiver", name, "in", cluster]:
                attributes = {"CHLTYPE": "CLUSRCVR", "CLUSTER": cluster}
                records.append(Record("define", "CHANNEL", name, attributes, source=source, line=number))
            case _:
                faults.append(Diagnostic(source, f"{line!r} is no object; allowed: local queue, receiver", number))
    return Script(source, owner.removeprefix(HEAD), tuple(records), tuple(faults))


LISTING = Format("listing", "listings", lambda text, _: Confidence.sure_if(text.startswith(HEAD)), read_listing)


def test_a_format_of_ones_own_is_read_beside_the_others(tmp_path: Path) -> None:
    (tmp_path / "north.txt").write_text("objects of NORTH\nlocal queue STOCK in PARTS\nreceiver TO.NORTH in PARTS\n")
    (tmp_path / "hq.mqsc").write_text("DEFINE CHANNEL(TO.HQ) CHLTYPE(CLUSRCVR) CONNAME('hq') CLUSTER(PARTS)\n")
    (tmp_path / "facts.toml").write_text('[queue_manager]\nname = "HQ"\n[put]\nqueue = "STOCK"\n')
    paths = [tmp_path / name for name in ("facts.toml", "hq.mqsc", "north.txt")]
    snapshot = read_files(paths, formats=(*FORMATS, LISTING))
    (queue,) = snapshot.cluster.queues
    assert (queue.name, queue.queue_manager, queue.clusters) == ("STOCK", "NORTH", ("PARTS",))
    assert str(snapshot.provenance.of(queue, "clusters")) == f"{tmp_path / 'north.txt'}:2"
    assert [each.name for each in snapshot.cluster.channels] == ["TO.HQ", "TO.NORTH"]


def test_what_is_named_so_and_is_none_has_a_fault() -> None:
    assert [str(each) for each in read_listing("Dear reader\n", "letter").diagnostics] == [
        "letter:1: 'Dear reader' is no head of a listing; allowed: objects of NAME"
    ]
