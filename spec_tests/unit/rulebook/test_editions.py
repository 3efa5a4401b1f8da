"""Editions: what a later edition of a document changed, stated beside what the first one says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from mqclause import Cluster, Engine, Put, QueueManager, ReadingError, RuleError, Rules
from mqclause.documents import OUTCOME, RESOLUTION, TRIGGER, WORKLOAD
from mqclause.rulebook.rule import Eliminate, Keep
from mqclause.rulebook.rules import get_rules_folder
from spec_tests.support.delivery import DELIVERY, Van, delivered, names, rule, rules_in

LAST, SECOND, THIRD = "mq-10.0", "mq-11", "mq-12"
"""The last edition that the rules know, and two more."""
NOT_ASKED = ("__pycache__", "documents", "retrieval", "exit", "administration", "check", "delivery")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the rules that are asked here, with two more editions that change nothing yet."""
    copied = Path(shutil.copytree(get_rules_folder(), tmp_path / "rules", ignore=shutil.ignore_patterns(*NOT_ASKED)))
    with (copied / "editions.toml").open("a") as editions:
        editions.write(f'\n["{SECOND}"]\ntitle = "MQ 11"\n\n["{THIRD}"]\ntitle = "MQ 12"\n')
    return copied


def add(folder: Path, path: str, text: str) -> None:
    with (folder / path).open("a") as file:
        file.write(f"\n{text}\n")


def ids(folder: Path, edition: str = LAST) -> list[str]:
    return [each.id for each in Rules(edition=edition, folder=folder).ruleset(WORKLOAD).rules]


def test_the_first_edition_is_the_default(folder: Path) -> None:
    known = ("wmq-6", "wmq-7.0", "wmq-7.1", "wmq-7.5", "mq-8.0", "mq-9.0", "mq-9.1", "mq-9.2", "mq-9.3", "mq-9.4", LAST)
    assert (Rules().edition, Rules().known_editions) == ("wmq-6", known)
    rules = Rules(folder=folder)
    assert (rules.edition, rules.known_editions) == ("wmq-6", (*known, SECOND, THIRD))
    assert rules.about(WORKLOAD).edition == "wmq-6"


def test_an_edition_that_changes_nothing_has_the_same_rules(folder: Path) -> None:
    for declaration in (WORKLOAD, OUTCOME, TRIGGER):
        one, other = (Rules(edition=each, folder=folder) for each in (LAST, SECOND))
        assert one.ruleset(declaration) is other.ruleset(declaration)
        assert (one.edition, other.edition) == (LAST, SECOND)


def test_a_reading_leaves_the_rules_that_do_not_name_it_as_they_are() -> None:
    one, other = (Rules({"weight-step": choice}).ruleset(WORKLOAD).rules for choice in ("exact", "truncated"))
    changed = [a.id for a, b in zip(one, other, strict=True) if a is not b]
    assert changed == ["workload.12d"]


def test_a_reading_of_the_terms_of_one_document_leaves_other_documents_as_they_are() -> None:
    ours, other = Rules(), Rules({"alias-route-rank": "channel-too"})
    assert other.ruleset(WORKLOAD) is not ours.ruleset(WORKLOAD)
    assert all(other.ruleset(each) is ours.ruleset(each) for each in (OUTCOME, RESOLUTION))


def test_an_edition_overrides_a_key_and_later_ones_keep_it(folder: Path) -> None:
    add(folder, "workload/05_resumed_first.toml", f'[edition."{SECOND}"]\nwhen = "TRUE"\ntitle = "As in 7"')
    found = {edition: Rules(edition=edition, folder=folder).ruleset(WORKLOAD) for edition in ("wmq-6", SECOND, THIRD)}
    fifth = {edition: ruleset.rule("workload.05") for edition, ruleset in found.items()}
    assert fifth["wmq-6"].when is not None
    assert fifth["wmq-6"].when.sql() != "TRUE"
    assert [(each.title, each.when and each.when.sql()) for each in (fifth[SECOND], fifth[THIRD])] == [
        ("As in 7", "TRUE"),
        ("As in 7", "TRUE"),
    ]
    assert isinstance(fifth[SECOND].action, Keep)


def test_of_several_editions_the_latest_counts(folder: Path) -> None:
    text = f'[edition."{THIRD}"]\ntitle = "As in 8"\n[edition."{SECOND}"]\ntitle = "As in 7"'
    add(folder, "workload/05_resumed_first.toml", text)
    titles = [
        Rules(edition=each, folder=folder).ruleset(WORKLOAD).rule("workload.05").title for each in (SECOND, THIRD)
    ]
    assert titles == ["As in 7", "As in 8"]


def test_an_action_of_an_edition_takes_the_place_of_the_one_before(folder: Path) -> None:
    text = f'[edition."{SECOND}".eliminate]\nwhere = "channel_rank < 5"\nbecause = "low"'
    add(folder, "workload/04a_channel_rank.toml", text)
    first, second = (
        Rules(edition=each, folder=folder).ruleset(WORKLOAD).rule("workload.04a") for each in (None, SECOND)
    )
    assert isinstance(first.action, Keep)
    assert isinstance(second.action, Eliminate)


def test_a_reading_counts_before_the_edition(folder: Path) -> None:
    text = f'[edition."{SECOND}".keep]\nlowest = "network_priority"\nbecause = "b"'
    add(folder, "workload/10_pcf_manual_cluster_senders.toml", text)

    def action(choice: str, edition: str | None) -> type:
        rules = Rules({"manual-cluster-senders": choice}, edition, folder)
        return type(rules.ruleset(WORKLOAD).rule("workload.10").action)

    assert [action("prefer", None), action("prefer", SECOND)] == [Keep, Keep]
    assert [action("only", None), action("only", SECOND)] == [Eliminate, Eliminate]
    tenth = Rules(edition=SECOND, folder=folder).ruleset(WORKLOAD).rule("workload.10").action
    assert isinstance(tenth, Keep)
    assert tenth.best == "lowest"


def test_an_edition_leaves_a_rule_out(folder: Path) -> None:
    add(folder, "workload/04b_queue_rank.toml", f'[edition."{SECOND}"]\nleave_out = true')
    add(folder, "workload/04b_queue_rank.toml", f'[edition."{THIRD}"]\nleave_out = false')
    everyone = ids(folder)
    assert "workload.04b" in everyone
    assert ids(folder, SECOND) == [each for each in everyone if each != "workload.04b"]
    assert ids(folder, THIRD) == everyone


def test_what_is_left_out_cannot_be_used(folder: Path) -> None:
    add(folder, "workload/12b_several_remain.toml", f'[edition."{SECOND}"]\nleave_out = true')
    with pytest.raises(RuleError, match=r"rules/workload/12bb_.*: when: column 1: 'balanced' is not an attribute"):
        ids(folder, SECOND)


@pytest.mark.parametrize(("key", "place"), [("before", 0), ("after", 1)])
def test_an_edition_moves_a_rule(folder: Path, key: str, place: int) -> None:
    add(folder, "workload/11_network_priority.toml", f'[edition."{SECOND}"]\n{key} = "workload.05"')
    others = [each for each in ids(folder) if each != "workload.11"]
    others.insert(others.index("workload.05") + place, "workload.11")
    assert ids(folder, SECOND) == others
    assert ids(folder, THIRD) == others
    assert ids(folder).index("workload.11") > ids(folder).index("workload.10")


def test_a_rule_is_moved_once_and_to_a_rule(folder: Path) -> None:
    path = "workload/11_network_priority.toml"
    add(folder, path, f'[edition."{SECOND}"]\nbefore = "workload.05"\nafter = "workload.05"')
    add(folder, path, f'[edition."{THIRD}"]\nbefore = "workload.5"')
    with pytest.raises(RuleError, match=r"rules/workload/11_.*: after: stands beside before; a rule is moved once"):
        ids(folder, SECOND)
    (folder / path).write_text(
        (get_rules_folder() / path).read_text() + f'[edition."{THIRD}"]\nbefore = "workload.5"\n'
    )
    with pytest.raises(
        RuleError, match=r"rules/workload/11_.*: before: 'workload\.5' is not a rule of workload, like workload\.01a$"
    ):
        ids(folder, THIRD)


def test_an_edition_changes_a_term_and_a_reading(folder: Path) -> None:
    add(folder, "terms.toml", f'[workload.names_queue.edition."{SECOND}"]\nis = "put_queue = \'X\'"')
    add(folder, "readings.toml", f'[weight-step.edition."{SECOND}"]\nchoices = ["truncated", "exact"]')
    first, second = (Rules(edition=each, folder=folder) for each in (None, SECOND))
    assert (first.readings["weight-step"], second.readings["weight-step"]) == ("exact", "truncated")
    assert second.ruleset(WORKLOAD).vocabulary.terms["names_queue"].sql() == "put_queue = 'X'"
    assert first.ruleset(WORKLOAD).vocabulary.terms["names_queue"].sql() == "put_queue_manager = ''"


def test_an_edition_that_is_not_known(folder: Path) -> None:
    with pytest.raises(
        ReadingError, match=r"^edition 'wmq-8' is not known; allowed: wmq-6, wmq-7\.0, .*; did you mean .*\?$"
    ):
        Rules(edition="wmq-8", folder=folder)
    add(folder, "workload/05_resumed_first.toml", '[edition."mq-13"]\nwhen = "TRUE"')
    with pytest.raises(RuleError) as caught:
        ids(folder)
    said = "rules/workload/05_resumed_first.toml: edition.'mq-13': is not an edition of rules/editions.toml; did you mean 'mq-12'?"
    assert str(caught.value) == said


def test_a_decision_says_by_which_edition(folder: Path) -> None:
    cluster = Cluster(QueueManager("QM1"), [], [], [], [])
    engines = [Engine(Rules(edition=edition, folder=folder)) for edition in (None, SECOND)]
    documents = [engine.choose(Put("NONE"), cluster).to_json() for engine in engines]
    assert [each["edition"] for each in documents] == ["wmq-6", SECOND]


def test_an_edition_decides_otherwise_in_a_document_of_any_kind(tmp_path: Path) -> None:
    edition = '[edition."two".order_by]\nby = ["age DESC"]'
    files = {
        "editions.toml": '[one]\ntitle = "1"\n[two]\ntitle = "2"\n',
        "delivery/01_order.toml": rule("delivery/1", '[order_by]\nby = ["age"]\n' + edition),
    }
    vans = [Van("A", age=1), Van("B", age=3), Van("C", age=2)]
    found = [
        names(delivered(rules_in(tmp_path, files, edition=each), "plain", vans).remaining) for each in ("one", "two")
    ]
    assert found == [["A", "C", "B"], ["B", "C", "A"]]
    assert rules_in(tmp_path, files, edition="two").about(DELIVERY).edition == "two"


def test_no_check_compares_a_command_level_itself() -> None:
    """What differs between editions is asked of the rules, each member by its own."""
    rules = Rules()
    stated = [each["is"] for each in rules.toml("terms.toml")["check"].values()]
    stated += [text for path, text in rules.files.items() if path.startswith("check/")]
    assert len(stated) > 50
    assert [each for each in stated if re.search(r"_level *(?:>=|<=|<|>|=) *[0-9]{3}", each)] == []
