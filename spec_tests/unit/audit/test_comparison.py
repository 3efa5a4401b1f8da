"""Two sets of rules: the keys that differ, and the plainest facts on which their answers do."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from mqclause import Rules
from mqclause.audit.comparison import TextDifference, compare_rules, compare_texts
from mqclause.audit.situations import Bound, enumerate_situations
from mqclause.documents import DOCUMENTS, WORKLOAD
from mqclause.rulebook.rules import get_rules_folder
from spec_tests.support.deep import every
from spec_tests.support.explain_command import bad, run
from spec_tests.support.three_members import QM1, QM2, QM3

RULES = Rules()
PRIORITY = "workload/11b_queue_priority.toml"


def changed(path: str, before: str, after: str) -> Rules:
    assert before in RULES.files[path]
    return RULES.with_files({path: RULES.files[path].replace(before, after)})


def test_the_same_rules_differ_in_nothing() -> None:
    found = compare_rules(RULES, RULES.with_files({}))
    assert (found.text, found.documents) == ((), ())


def test_keys_that_differ_are_told() -> None:
    other = changed("call/2053_q_full.toml", "would_hold > maxdepth", "would_hold >= maxdepth")
    before = "mqi_call IN ('MQPUT', 'MQPUT1') AND would_hold > maxdepth"
    after = before.replace(">", ">=")
    assert [*compare_texts(RULES, other)] == [TextDifference("call/2053_q_full.toml", "when", before, after)]
    without = RULES.with_files({"call/2053_q_full.toml": None})
    gone = {each.key: (each.before, each.after) for each in compare_texts(RULES, without)}
    assert gone["fail_with.reason"] == ("MQRC_Q_FULL", None)


def test_texts_of_one_document_alone_are_told() -> None:
    other = changed(
        "terms.toml", "the put names a queue, and no queue manager beside it", "the put names a queue alone"
    )
    other = other.with_files(
        {
            "call/2053_q_full.toml": None,
            "laws.toml": re.sub(r'says( *)= "', r'says\1= "Always: ', RULES.files["laws.toml"]),
        }
    )
    told = {
        name: {each.path for each in compare_rules(RULES, other, [name]).text} for name in ("workload", "call", "exit")
    }
    assert told == {
        "workload": {"terms.toml", "laws.toml"},
        "call": {"call/2053_q_full.toml", "laws.toml"},
        "exit": {"laws.toml"},
    }


def test_of_an_edition_what_it_states_is_told() -> None:
    told = {(each.path, each.key) for each in compare_texts(Rules(edition="wmq-6"), Rules(edition="mq-8.0"))}
    assert ("workload/01a_put_disabled_queue.toml", "leave_out") in told
    assert ("readings.toml", "rank-or-local.choices") in told


def test_the_plainest_facts_that_tell_a_changed_rule() -> None:
    """The lowest priority instead of the highest: two destinations of which one has a priority."""
    other = changed(PRIORITY, "highest", "lowest")
    (found,) = compare_rules(RULES, other).documents
    assert (found.document, found.changed) == ("workload", ("workload.11b",))
    assert found.example is not None
    one, two = found.example.facts["subjects"]
    assert two == one | {"queue_priority": 1}
    assert found.example.before.answer.startswith("destination 2 remains")
    assert found.example.after.answer.startswith("destination 1 remains")
    assert found.example.before.steps == ("workload.11b: destination 1: queue priority 0 is below 1",)


def test_a_document_without_subjects() -> None:
    """One message more than MAXDEPTH: what a queue would hold is what is there and what arrives, one if not stated."""
    other = changed("call/2053_q_full.toml", "would_hold > maxdepth", "would_hold > maxdepth + 1")
    (found,) = compare_rules(RULES, other, ["call"], Bound(0, 3)).documents
    assert found.example is not None
    assert found.example.before.answer == "MQPUT ends with 2053 MQRC_Q_FULL"
    assert found.example.after.answer == "no rule decides anything"


def test_rules_that_answer_alike_say_over_which_bound() -> None:
    """A title decides nothing, and not to be at most so much is to be more."""
    other = changed("call/2042_object_in_use.toml", 'title  = "', 'title  = "So: ')
    assert compare_rules(RULES, other, ["call"]).documents == ()
    call = RULES.files["call/2053_q_full.toml"]
    alike = RULES.with_files(
        {"call/2053_q_full.toml": call.replace("would_hold > maxdepth", "NOT would_hold <= maxdepth")}
    )
    (found,) = compare_rules(RULES, alike, ["call"], Bound(0, 2, 500)).documents
    assert found.example is None
    assert (found.changed, found.bound) == (("call.2053",), Bound(0, 2, 500))
    assert found.tried > 20
    assert found.cases > 20


def test_a_rule_that_is_taken_out() -> None:
    (found,) = compare_rules(RULES, RULES.with_files({"call/2051_put_inhibited.toml": None}), ["call"]).documents
    assert found.example is not None
    assert found.example.before.answer.endswith("ends with 2051 MQRC_PUT_INHIBITED")


def test_only_what_a_rule_does_is_a_change_of_it() -> None:
    """The direction of an order is; that a rule before it is not there any more is none of those after it."""
    other = changed("retrieval/1.1_priority_then_arrival.toml", "enqueued_priority DESC", "enqueued_priority")
    (found,) = compare_rules(RULES, other, ["retrieval"], Bound(1, 1, 50)).documents
    assert found.changed == ("retrieval.1.1",)
    without = RULES.with_files({"call/2042_object_in_use.toml": None})
    (found,) = compare_rules(RULES, without, ["call"], Bound(0, 1, 50)).documents
    assert found.changed == ("call.2042",)


VALUES: dict[str, list[Any]] = {"clwlmruc": [1], "queue_rank": [1], "is_local": [True]}


def test_what_states_least_is_enumerated_first_and_once() -> None:
    found = list(enumerate_situations(WORKLOAD, VALUES, Bound(2, 2)))
    sizes = [len(each.situation) + sum(len(one) + 1 for one in each.subjects) for each in found]
    assert sizes == sorted(sizes)
    assert (found[0].situation, found[0].subjects) == ({}, ())
    told = [(sorted(each.situation), sorted(sorted(one) for one in each.subjects)) for each in found]
    assert len(told) == len(set(map(str, told)))
    # Of none: nothing, or CLWLMRUC. Of one: nothing; one of three; CLWLMRUC with one of two, or both of these. Of two:
    # nothing; one of three; CLWLMRUC with one of two; both of one; and one of each, in one order of the three pairs.
    assert [sum(len(each.subjects) == count for each in found) for count in range(3)] == [2, 7, 10]


READINGS = [(name, choice) for name, reading in RULES.known_readings.items() for choice in reading.choices[1:]]


@pytest.mark.parametrize(("name", "choice"), every(30, READINGS))
def test_each_reading_differs_from_the_default_on_an_example(name: str, choice: str) -> None:
    found = compare_rules(RULES, Rules({name: choice}))
    assert found.text
    assert found.documents
    for each in found.documents:
        assert each.example is not None, f"none in {each.tried} situations and {each.cases} cases of {each.document}"


def test_an_example_is_a_situation_that_there_is() -> None:
    """Routes to an alias are ranked where a queue manager is named: with a queue alone there is no alias."""
    (found,) = compare_rules(RULES, Rules({"alias-route-rank": "channel-too"})).documents
    assert found.example is not None
    assert found.example.facts["situation"] == {"put_queue_manager": "A"}
    assert [each["is_alias"] for each in found.example.facts["subjects"]] == [True, True]


@pytest.mark.deep
@pytest.mark.parametrize("choice", ["served-elsewhere-until=all-close", "exclusive-input-and-every=spares"])
def test_an_example_differs_in_the_answer_and_not_in_what_leads_to_it(choice: str) -> None:
    (found,) = compare_rules(RULES, Rules(dict([choice.split("=")]))).documents
    assert found.example is not None
    told = {line.partition(":")[0] for line in (*found.example.before.steps, *found.example.after.steps)}
    assert {each.rpartition(".")[2] for each in told} == {"trigger_messages, here alone"}


@pytest.mark.deep
def test_two_editions_differ_on_an_example() -> None:
    found = {each.document: each for each in compare_rules(Rules(edition="wmq-6"), Rules(edition="mq-8.0")).documents}
    assert found.keys() <= DOCUMENTS.keys()
    assert found["workload"].example is not None
    assert found["outcome"].example is not None


def test_the_command_compares_two_folders(tmp_path: Path) -> None:
    ours, other = get_rules_folder(), Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))
    (other / PRIORITY).write_text((ours / PRIORITY).read_text().replace("highest", "lowest"))
    done = run("compare", str(ours), str(other), "--document", "workload")
    assert done.returncode == 1
    assert f"{PRIORITY} keep.highest\n  before  queue_priority\n  after   nothing\n" in done.stdout
    assert "subject 2 = {" in done.stdout
    same = run("compare", str(ours), str(other), "--document", "call", "--json")
    assert same.returncode == 0
    assert json.loads(same.stdout) == {"format": "mqclause.comparison/1", "text": [], "documents": []}


SCRIPTS = {"QM1.mqsc": QM1, "QM2.mqsc": QM2, "QM3.mqsc": QM3}


def configuration(folder: Path, *changes: tuple[str, str]) -> str:
    """A folder with the scripts of three members, of which that of QM2 is changed."""
    folder.mkdir()
    for name, text in SCRIPTS.items():
        for before, after in changes if text is QM2 else ():
            assert before in text
            text = text.replace(before, after)
        (folder / name).write_text(text)
    return str(folder)


def test_the_command_compares_two_configurations(tmp_path: Path) -> None:
    """Of weights 70 and 50 QM2 has 7 of 12 puts; with the higher priority it has all, and 5 of 12 move."""
    one = configuration(tmp_path / "one")
    other = configuration(tmp_path / "other", ("PRTY(4)", "PRTY(6)"), ("QLOCAL(OWN)", "QLOCAL(OTHER)"))
    done = run("compare", one, other)
    assert done.returncode == 1
    objects = "queue OTHER of QM2\n  before  not there\n  after   there\nqueue OWN of QM2\n  before  there\n  after   not there\n"
    assert done.stdout.startswith(
        f"{objects}queue Q of QM2 clwlprty\n  before  4\n  after   6\nQ from QM1: 41.7 % of the puts move\n"
    )
    assert "QM3 after: clause 11b, queue priority 4 is below 6" in done.stdout
    found = json.loads(run("compare", one, other, "--json").stdout)
    assert found["text"][2] == {"object": "queue Q of QM2", "key": "clwlprty", "before": 4, "after": 6, "seen_at": []}
    assert [row["from"] for row in found["plan"]["rows"]] == ["QM1"]


def test_configurations_that_say_the_same_differ_in_nothing(tmp_path: Path) -> None:
    one, other = configuration(tmp_path / "one"), configuration(tmp_path / "other")
    (tmp_path / "other" / "QM3.mqsc").write_text(
        "* of another day\n" + QM3.replace(" CLWLPRTY(4)", "") + "ALTER QLOCAL(Q) CLWLPRTY(4)\n"
    )
    done = run("compare", one, other)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "no object differs")


def test_rules_and_a_configuration_are_not_compared(tmp_path: Path) -> None:
    one = configuration(tmp_path / "one")
    (line,) = bad("compare", one, str(get_rules_folder()))
    assert line.endswith(f"has rules and {one} has none; two of a kind are compared, rules or configurations")
    (line,) = bad("compare", one, one, "--document", "call")
    assert line == "two configurations are compared by one edition, and by all rules"


def test_the_page_on_audits_shows_what_is_printed() -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "audit.md").read_text(encoding="utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0]
    assert shown.strip()
    assert shown in run("compare", "--reading", "mru-ties=any").stdout


def test_what_cannot_be_compared_is_told() -> None:
    assert bad("compare") == ["name two folders of rules, or --reading, or --edition; see --help"]
    assert bad("compare", "--reading", "mru-ties") == ["--reading 'mru-ties' is not ID=CHOICE"]
    assert bad("compare", "--edition", "mq-8.0", "--document", "wirkload")[0].startswith(
        "--document: 'wirkload' is none; "
    )
    (line,) = bad("compare", *["--edition", "mq-8.0"] * 3)
    assert line == "two sets of rules are compared; allowed: A, B, and --edition once or twice"
