"""What is shown of a rule and of a ruleset in DuckDB's SQL."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

for needed in ("duckdb", "pyarrow"):
    pytest.importorskip(needed)

import duckdb as engine

from mqclause import duckdb
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.rules import Rules
from mqclause.tables.query import UnknownRuleError
from mqclause.tables.schema import DECISION
from mqclause.tools.commands.declared import show_sql_command as command
from spec_tests.support.deep import first
from spec_tests.support.random_rows import arrow_table

BEST = """\
-- workload.11b: Queues below the highest priority are out
-- a destination is a number (__mqclause_first: that of the first, __mqclause_mixed: the bits that differ)
--   queue_priority: bits 36 to 39

CASE
  WHEN __mqclause_workload_03c_open
  AND __mqclause_mixed & 1030792151040 <> 0
  AND LEN(__mqclause_workload_11a_left) > 1
  AND __mqclause_put_queue_manager_compared
  THEN LIST_MAX(LIST_TRANSFORM(__mqclause_workload_11a_left, LAMBDA c : (c >> 36) & 15))
END AS __mqclause_workload_11b_best
"""


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_rule() -> None:
    assert shown("workload.11b").startswith(BEST)


def test_rules_that_are_one_pass_are_shown_together() -> None:
    titles = [line for line in shown("workload.01b").splitlines() if line.startswith("-- ")]
    rules = [line.partition(":")[0] for line in titles if line.startswith("-- workload")]
    assert rules == ["-- workload.01a", "-- workload.01b", "-- workload.01c"]


def test_how_a_destination_stands_in_its_number() -> None:
    legend = [line for line in shown("workload.08").splitlines() if line.startswith("--   ")]
    states = "1 INACTIVE, 2 RUNNING, 3 BINDING, 4 INITIALIZING, 5 STARTING, 6 STOPPING, 7 RETRYING, 8 REQUESTING"
    assert legend == [f"--   channel_status: bits 9 to 12: {states}, 9 PAUSED, 10 STOPPED, 11 SWITCHING"]


def test_a_rule_that_makes_nothing() -> None:
    assert shown("workload.12e").splitlines()[2].startswith("-- nothing: ")


def test_a_ruleset_runs() -> None:
    query = shown("outcome")
    puts = engine.from_arrow(arrow_table([({"queue": "Q"}, [{"queue_manager": "QM2"}])]))
    found = puts.query("puts", query)
    assert found is not None
    assert found.columns == ["id", "put", "destinations", *plan_columns(found), "decision"]
    assert list(found.to_arrow_table()["decision"].to_pylist()[0]) == list(DECISION)


def plan_columns(found: engine.DuckDBPyRelation) -> list[str]:
    return [name for name in found.columns if name.startswith("__mqclause_")]


@pytest.mark.parametrize("document", first(2, DOCUMENTS))
def test_every_rule_and_ruleset_can_be_shown(document: str) -> None:
    rules = Rules()
    assert "__mqclause_" in duckdb.show_sql(document)
    for rule in rules.ruleset(DOCUMENTS[document]).rules:
        assert f"-- {rule.id}: {rule.title}\n" in duckdb.show_sql(rule.id, rules)


def test_a_reading() -> None:
    assert "LIST_MIN" in shown("workload.05")
    assert "LENGTH" not in shown("workload.05", "--reading", "suspended-with-local=always")
    assert "_applies" not in shown("workload.05", "--reading", "suspended-with-local=always")
    assert "_applies" in shown("workload.05")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("workload.6", "; did you mean 'workload.06'?"),
        ("worklod", "; did you mean 'workload'?"),
        ("", ""),
    ],
)
def test_a_rule_that_is_not_there(name: str, meant: str) -> None:
    done = CliRunner().invoke(command, [name])
    assert done.exit_code == 1
    listed = "resolution, workload, outcome, delivery, call, trigger, retrieval, exit, administration, check"
    assert done.output == f"Error: '{name}' is no rule and no ruleset; rulesets: {listed}{meant}\n"
    with pytest.raises(UnknownRuleError):
        duckdb.show_sql(name)
