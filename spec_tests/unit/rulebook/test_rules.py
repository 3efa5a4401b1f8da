"""Rules are a value: equal by what their files say, and pickled as their text."""

from __future__ import annotations

import pickle
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from mqclause import Engine, ReadingError, RuleError, Rules, read_files
from mqclause.documents import CALL, DOCUMENTS, WORKLOAD
from mqclause.rulebook.rules import get_rules_folder
from mqclause.tools.commands.why import check_answer
from mqclause.trigger.examination import Triggers
from mqclause.trigger.why import Why

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(get_rules_folder(), tmp_path / "rules", ignore=shutil.ignore_patterns("__pycache__")))


def test_equal_by_what_the_files_say(folder: Path) -> None:
    copied = Rules(folder=folder)
    assert copied == Rules()
    assert hash(copied) == hash(Rules())
    assert copied.ruleset(WORKLOAD) is Rules().ruleset(WORKLOAD)
    assert len({Rules(), copied, Rules({"mru-ties": "keep-first-listed"}), Rules(edition="auto")}) == 1


SMALL = 'clause = "call/1"\ntitle = "T"\n[fail_with]\nreason = "MQRC_Q_FULL"\ncall = "\'MQPUT\'"\nbecause = "{}"\n'


def read_many_others(folder: Path) -> None:
    """More rulesets than are kept for their own sake."""
    (folder / "call").mkdir(parents=True)
    (folder / "call" / "1_rule.toml").write_text(SMALL)
    small = Rules(folder=folder)
    for number in range(300):
        small.with_files({"call/1_rule.toml": SMALL.format(number)}).ruleset(CALL)


def test_what_is_in_use_is_read_once_however_many_others_are_read_since(tmp_path: Path) -> None:
    """Else two engines by the same rules would find each other's rules to be others."""
    path = Rules().path("trigger.02")
    ours = Rules().with_files({path: f"{Rules().files[path]}# one more word\n"})
    why, snapshot = Why(ours), read_files([EXAMPLES / "QM2.mqsc"])
    answer = why.ask(snapshot.cluster.own_queues["ORDERS.IN"], snapshot)
    rulesets = [ours.ruleset(each) for each in DOCUMENTS.values()]
    read_many_others(tmp_path / "small")
    assert all(ours.ruleset(each) is kept for each, kept in zip(DOCUMENTS.values(), rulesets, strict=True))
    check_answer(answer, Triggers(ours, "plain"))


def test_unequal_by_reading_and_by_a_word_of_a_file(folder: Path) -> None:
    assert Rules({"mru-ties": "any"}) != Rules()
    path = folder / "workload" / "04a_channel_rank.toml"
    path.write_text(path.read_text() + "# one more word\n")
    assert Rules(folder=folder) != Rules()
    assert Rules() != "Rules"


def test_pickled_as_text_after_the_folder_is_gone(folder: Path) -> None:
    path = folder / "workload" / "04a_channel_rank.toml"
    path.write_text(path.read_text().replace('title  = "', 'title  = "Ours: '))
    given = Rules({"mru-ties": "any"}, folder=folder)
    pickled = pickle.dumps(given)
    shutil.rmtree(folder)
    found = pickle.loads(pickled)
    assert (found, hash(found), found.readings, found.edition) == (given, hash(given), given.readings, given.edition)
    assert found.ruleset(WORKLOAD).rule("workload.04a").title.startswith("Ours: ")
    assert found.origin == given.origin


def test_what_is_pickled_before_any_use_and_after_is_the_same() -> None:
    used = Rules({"weight-step": "truncated"})
    unused = pickle.dumps(used)
    for declaration in DOCUMENTS.values():
        used.ruleset(declaration)
    assert pickle.dumps(used) == unused


def test_the_same_files_under_other_readings() -> None:
    rules = Rules({"mru-ties": "any"})
    assert rules.under({"weight-step": "truncated"}) == Rules({"weight-step": "truncated"})
    assert rules.under({}) == Rules()
    with pytest.raises(ReadingError, match="reading 'mru-tie' is not known; allowed: .*; did you mean 'mru-ties'"):
        rules.under({"mru-tie": "any"})


def test_other_files_under_the_same_readings() -> None:
    rules = Rules({"mru-ties": "any"})
    path = rules.path("workload.04a")
    assert path == "workload/04a_channel_rank.toml"
    without = rules.with_files({path: None})
    assert [each.id for each in without.ruleset(WORKLOAD).rules if each.id == "workload.04a"] == []
    assert (without.readings, without == rules) == (rules.readings, False)
    assert without.with_files({path: rules.files[path]}) == rules
    with pytest.raises(KeyError):
        without.path("workload.04a")


def test_a_table_may_be_changed_and_the_rules_stay_as_they_are() -> None:
    rules = Rules()
    rules.toml("workload/04a_channel_rank.toml")["keep"].clear()
    kept = rules.toml("workload/04a_channel_rank.toml")
    assert kept["keep"]["highest"] == "route_rank"
    assert rules.in_folder("workload")["04a_channel_rank.toml"] == kept


def test_shown_by_what_differs_from_the_defaults() -> None:
    assert repr(Rules({"mru-ties": "any", "weight-step": "exact"})) == "Rules({'mru-ties': 'any'}, 'wmq-6')"


def test_a_rule_is_shown_by_its_id_and_title() -> None:
    # Answers hold rules: shown whole, each of them would be pages of syntax trees.
    (rule,) = (each for each in Rules().ruleset(WORKLOAD).rules if each.id == "workload.06")
    assert repr(rule) == f"<Rule workload.06: {rule.title}>"


@pytest.mark.parametrize(
    ("path", "text"), [("editions.toml", "[a"), ("readings.toml", "a = "), ("workload/05_resumed_first.toml", "=")]
)
def test_files_that_are_not_toml(path: str, text: str) -> None:
    with pytest.raises(RuleError, match=f"^rules/{path}: is not TOML: "):
        Rules().with_files({path: text}).ruleset(WORKLOAD)


def test_a_file_that_is_not_utf_8(folder: Path) -> None:
    (folder / "workload" / "05_resumed_first.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(RuleError, match=r"^rules/workload/05_resumed_first\.toml: is not TOML: .*utf-8"):
        Rules(folder=folder)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"^rules/: '.*none' is not a folder$"):
        Rules(folder=tmp_path / "none")
    with pytest.raises(RuleError, match=r"^rules/workload/: there are no rule files$"):
        Rules(folder=tmp_path).ruleset(WORKLOAD)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("terms.toml", '\n[workload.remote.reading."local-instance-competes=clusrcvr-chanels"]\nis = "TRUE"\n',
         "rules/terms.toml: workload.remote.reading.'local-instance-competes=clusrcvr-chanels': is not a reading=choice"),
        ("workload/06_inactive_or_running.toml", '\n[reading]\n"mru-ties=any" = "x"\n',
         "rules/workload/06_inactive_or_running.toml: reading: is not a table of tables, like"),
        ("readings.toml", '\n[new-one]\nquestion = "?"\n', "rules/readings.toml: new-one.clauses: is missing"),
    ],
)  # fmt: skip
def test_what_differs_by_reading_or_edition_is_checked(folder: Path, file: str, text: str, said: str) -> None:
    with (folder / file).open("a") as rules:
        rules.write(text)
    with pytest.raises(RuleError) as caught:
        Rules(folder=folder).ruleset(WORKLOAD)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("wrong", [{"weight-step": "exact"}, "weight-step=exact"])
def test_what_is_no_rules(wrong: object) -> None:
    with pytest.raises(TypeError, match="is no Rules; readings are given as Rules"):
        Engine(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is no mapping of ids of readings to choices"):
        Rules("weight-step=exact")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^folder=3 is no path of a folder of rules$"):
        Rules(folder=3)  # type: ignore[arg-type]


def test_what_is_no_executor() -> None:
    with pytest.raises(ValueError, match="executor='plane' is none; allowed: .*; did you mean 'plain'"):
        Engine(executor="plane")  # type: ignore[arg-type]
