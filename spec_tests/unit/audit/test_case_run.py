"""Cases run on anybody's rules, the branches that they take, and the mutants that they notice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mqclause import Rules
from mqclause.audit.case_run import (
    REMOVED,
    find_case_files,
    measure_coverage,
    run_case_file,
    run_case_files,
    try_file_mutants,
    try_mutants,
)
from mqclause.rulebook.case_files import get_cases_folder
from mqclause.rulebook.rule import ReadingError
from mqclause.rulebook.rules import get_rules_folder
from spec_tests.support.explain_command import bad, run

FULL = "call/2053_q_full.toml"
"""The rule that a queue takes no more messages than MAXDEPTH: ``mqi_call IN (…) AND would_hold > maxdepth``."""


def changed(before: str, after: str) -> Rules:
    text = Rules().files[FULL]
    assert before in text
    return Rules().with_files({FULL: text.replace(before, after)})


def own_cases(folder: Path, *cases: str) -> Path:
    """A folder with that rule's case file, in which there are these cases."""
    path = folder / FULL
    path.parent.mkdir(parents=True)
    scene = 'clause = "2053.1"\n[facts]\nsituation = {queue = "SMALL", maxdepth = 2}\n'
    path.write_text(scene + "".join(f"[[case]]\n{each}\n" for each in cases))
    return path


HAS_ROOM = 'name = "room for one"\nacts = false\nfacts.situation = {depth = 1}\nexpect = {failure = {}}'
IS_FULL = 'name = "no room"\nacts = true\nfacts.situation = {depth = 2}\nexpect.failure = {reason = "MQRC_Q_FULL"}'


def test_every_case_passes_in_any_number_of_processes() -> None:
    paths = find_case_files(["call", "outcome.2270"])
    assert {path.parent.name for path in paths} == {"call", "outcome"}
    one, two = (list(run_case_files(Rules(), paths, processes)) for processes in (1, 2))
    assert one == two
    assert len(one) == len(paths)
    assert [each for found in one for each in found if each.wrong] == []


def test_a_case_that_comes_out_otherwise_says_what_was_expected_and_of_which_sentence(tmp_path: Path) -> None:
    """By rules that take one message more than MAXDEPTH the put into the full queue does not fail."""
    path = own_cases(tmp_path, HAS_ROOM, IS_FULL)
    rules = changed("would_hold > maxdepth", "would_hold > maxdepth + 1")
    passed, failed = run_case_file(rules, path)
    assert passed.wrong == ()
    assert (failed.file, failed.name, failed.rule, failed.clauses) == (FULL, "no room", "call.2053", ("2053.1",))
    assert failed.wrong == (
        "failure: expected {'reason': 'MQRC_Q_FULL'}, got {}",
        "acts: expected True of call.2053",
    )


def test_a_name_of_which_there_are_no_cases(tmp_path: Path) -> None:
    with pytest.raises(
        ReadingError, match=r"'call\.2054' is no document and no rule that has cases; did you mean 'call"
    ):
        find_case_files(["call.2054"])
    with pytest.raises(ReadingError, match="there are no case files; allowed: a folder of DOCUMENT/RULE_"):
        find_case_files((), tmp_path)


def test_branches_that_no_case_takes(tmp_path: Path) -> None:
    """With one put and one full queue: no call that is no put, and no queue with room."""
    path = own_cases(tmp_path, IS_FULL)
    results, (covered,) = measure_coverage(Rules(), [path])
    assert [each.wrong for each in results] == [()]
    call, depth = "mqi_call IN ('MQPUT', 'MQPUT1')", "would_hold > maxdepth"
    assert covered.rule == "call.2053"
    assert covered.branches == 6  # the rule and its two conditions, each either way
    assert set(covered.missed) == {
        "no case in which it does not apply", f"no case has `{call}` false when the rule looks at it",
        f"no case has `{depth}` false when the rule looks at it",
    }  # fmt: skip


def test_branches_of_a_case_expression(tmp_path: Path) -> None:
    rules = changed('call    = "mqi_call"', "call = \"CASE WHEN shared THEN 'MQPUT' ELSE mqi_call END\"")
    path = own_cases(tmp_path, HAS_ROOM, IS_FULL)
    _, (covered,) = measure_coverage(rules, [path])
    assert set(covered.missed) == {
        "no case has `mqi_call IN ('MQPUT', 'MQPUT1')` false when the rule looks at it",
        "no case has `shared` true when the rule looks at it",
    }  # fmt: skip


def test_what_a_rule_ranks_by_and_concludes_is_looked_at() -> None:
    """Cases of clause 5 have suspended queue managers and resumed ones; a conclusion has no condition of its own."""
    _, covered = measure_coverage(Rules(), find_case_files(["workload.05", "trigger.01-10"]))
    missed = {each.rule: " ".join(each.missed) for each in covered}
    assert "suspended" not in missed["workload.05"]
    assert "trigger_message" not in missed["trigger.01-10"]


def test_mutants_that_one_case_lets_live(tmp_path: Path) -> None:
    """Who tries a full queue alone notices neither that other calls fail too, nor another call that returns it."""
    path = own_cases(tmp_path, IS_FULL)
    found = {each.change: each for each in try_file_mutants(Rules(), path)}
    assert found[REMOVED].cases == found["when negated"].cases == ("no room",)
    assert found["when list 1 without 'MQPUT1'"].status == "survived"
    assert found["when list 1 without 'MQPUT'"].status == "killed"
    assert found["fail_with.reason changed"].status == "killed"


def test_our_own_cases_kill_each_mutant_of_a_document() -> None:
    (first, *_) = results = list(try_mutants(Rules(), find_case_files(["call"]), 2))
    assert [each for found in results for each in found if each.is_unmet] == []
    assert [each.rule for each in first] == ["call.2042"] * len(first)


def test_only_as_many_cases_are_looked_for_as_are_asked_for() -> None:
    (path,) = find_case_files(["call.2053"])
    found = {
        most: {each.change: len(each.cases) for each in try_file_mutants(Rules(), path, most)} for most in (1, None)
    }
    assert found[1][REMOVED] == 1
    assert found[None][REMOVED] > 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the rules in which a queue takes one message more."""
    copied = Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))
    text = (copied / FULL).read_text()
    (copied / FULL).write_text(text.replace("would_hold > maxdepth", "would_hold > maxdepth + 1"))
    return copied


def test_the_command_tells_which_cases_fail(folder: Path) -> None:
    assert run("test", "call").returncode == 0
    done = run("test", "call.2053", "--rules", str(folder))
    assert done.returncode == 1
    assert f"FAILED {FULL}: as many messages as it takes are there (sentence 2053.1)\n" in done.stdout
    assert "    acts: expected True of call.2053\n" in done.stdout
    document = json.loads(run("test", "call.2053", "--coverage", "--json", "--rules", str(folder)).stdout)
    assert document["format"] == "mqclause.test/1"
    assert {each["passed"] for each in document["cases"]} == {True, False}
    assert [each["rule"] for each in document["coverage"]] == ["call.2053"]


def test_the_command_tells_what_no_case_notices(tmp_path: Path) -> None:
    own_cases(tmp_path, IS_FULL)
    done = run("mutate", "call.2053", "--cases", str(tmp_path))
    assert done.returncode == 1
    assert "call.2053             when list 1 without 'MQPUT1' is noticed by no case\n" in done.stdout
    every = run("mutate", "call.2053", "--all")
    assert every.returncode == 0
    assert "call.2053             removed is noticed by " in every.stdout


def test_case_files_that_cannot_be_used(tmp_path: Path) -> None:
    path = own_cases(tmp_path, 'name = "x"\nact = true\nexpect = {}')
    (line,) = bad("test", "--cases", str(tmp_path))
    assert line.startswith("2053_q_full.toml: case 1: unknown key act; allowed: acts, ")
    shutil.move(path.parent, tmp_path / "calls")
    assert "calls is no document; did you mean 'call'?" in bad("test", "--cases", str(tmp_path))[0]
    assert get_cases_folder().is_dir()
