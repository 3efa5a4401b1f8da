"""What rules call their facts and terms is a name, wherever it stands; and no text of theirs is ever code."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from mqclause import RuleError, Rules
from mqclause import trace as examined
from mqclause.documents import TRIGGER, WORKLOAD
from mqclause.executors.compiled import CompiledExecutor
from mqclause.executors.operations import LoweredRuleset
from mqclause.language import nodes
from mqclause.language.evaluator import Scope
from mqclause.language.parser import MOST_NODES
from mqclause.language.vocabulary import TEXT, WHOLE, Word
from mqclause.rulebook.rule import Derive, MessageTemplate, Rule, Ruleset
from mqclause.trace import build_sentence_renderer
from spec_tests.support.deep import first
from spec_tests.support.delivery import DELIVERY, EVERY_EXECUTOR, Delivery, Van, delivered, rule, rules_in

HOSTILE = "made[open({path!r}, 'w')]"
"""What is an assignment in Python where a name is expected, and has made a file when it fails."""

NO_NAMES = (
    "a[open('there', 'w')]", "a = open('there', 'w') #", "a; import os", "a\nimport os", "(yield)", "a.b", "Äther", "1a",
    "", " ", "a b", "a\u202eb", "a\u0000", "__class__", "_a", "lambda", "class", "select", "null", "case", "a" * 101,
    "failing-rule", "a'", 'a"', "a`", "a\\", "é", "ａ", "x\u001b[2J",
)  # fmt: skip
"""What no fact and no term can be called."""


def quoted(name: str) -> str:
    """A key of TOML."""
    escaped = "".join(f"\\u{ord(each):04x}" if not each.isalnum() or not each.isascii() else each for each in name)
    return f'"{escaped}"'


PLACES = {
    "derive": (DELIVERY, "delivery/01_only.toml", "[derive]\n{} = \"weight\""),
    "settle": (DELIVERY, "delivery/01_only.toml", "[settle]\n{} = \"weight\"\nbecause = \"so\""),
    "term": (DELIVERY, "terms.toml", "[delivery.{}]\nis = \"weight\""),
}  # fmt: skip
"""Where a key is a name of a rule's own."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", NO_NAMES)
def test_a_key_that_is_no_name_is_one_line(tmp_path: Path, place: str, name: str) -> None:
    about, path, body = PLACES[place]
    text = body.format(quoted(name))
    files = {"delivery/01_only.toml": rule("delivery/1", "[set_aside]\nwhere = 'is_ready'\nbecause = 'so'")}
    files[path] = rule("delivery/1", text) if path != "terms.toml" else text
    with pytest.raises(RuleError) as caught:
        rules_in(tmp_path, files).ruleset(about)
    assert str(caught.value).startswith(f"rules/{path}: ")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_fact_that_is_concluded_is_a_name(tmp_path: Path, name: str) -> None:
    held = rule("delivery/1", "[holds]\nwhen = 'weight > 1'\nbecause = 'so'")
    concluded = rule("delivery/2", f"[conclude]\nfact = {quoted(name)}\nneeds = ['1']")
    files = {"delivery/1_held.toml": held, "delivery/2_concluded.toml": concluded}
    with pytest.raises(RuleError) as caught:
        rules_in(tmp_path, files).ruleset(DELIVERY)
    assert str(caught.value).startswith("rules/delivery/2_concluded.toml: conclude.fact: ")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "name", ["subject", "id", "sid", "again", "rule", "x0", "a0", "v0", "c0", "s", "d", "interval", "run"]
)
def test_what_programs_use_for_themselves_is_a_name_like_others(tmp_path: Path, name: str) -> None:
    derived = rule("delivery/1", f"[derive]\n{name} = 'weight + 1'")
    kept = rule(
        "delivery/2", f"[eliminate]\nwhere = \"room < {name} AND district <> 'SOUTH'\"\nbecause = '{{{name}}} is more'"
    )
    rules = rules_in(tmp_path, {"delivery/1_derived.toml": derived, "delivery/2_kept.toml": kept})
    for executor in EVERY_EXECUTOR:
        found = delivered(rules, executor, [Van("A", 600), Van("B", 601), Van("C", 1, district="SOUTH")], Delivery(600))
        assert [each.name for each in found.remaining] == ["B", "C"]
        assert found.facts == {name: 601}


def unchecked(name: str, kind: Any) -> Word:
    """A word of any name: as if nobody had looked at it."""
    word = Word("plain", kind, "situation", is_derived=True)
    object.__setattr__(word, "name", name)
    return word


def test_names_and_texts_that_nobody_checked_are_no_code(tmp_path: Path) -> None:
    made = tmp_path / "made"
    hostile = HOSTILE.format(path=str(made))
    clean = rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", "[derive]\nplain = 'weight'")})
    ruleset = clean.ruleset(DELIVERY)
    words = [unchecked(hostile, WHOLE), unchecked(f"{hostile}2", TEXT)]
    values = ((hostile, nodes.Column("weight")), (f"{hostile}2", nodes.build_value(hostile)))
    also = nodes.EQ(nodes.Column(f"{hostile}2"), nodes.build_value(hostile))
    rules = (
        Rule(hostile, hostile, hostile, hostile, None, Derive("situation", values)),
        Rule("b", "b", "b", "b", also, Derive("situation", (("plain", nodes.Column(hostile)),))),
    )
    named = Ruleset(ruleset.about, rules, ruleset.vocabulary.with_words(*words))
    compiled = CompiledExecutor(LoweredRuleset.of(named))
    facts = {hostile: 7, f"{hostile}2": hostile, "plain": 7}
    for traced in (False, True):
        assert compiled.run(Delivery(7), [Van("A")], traced=traced).facts == facts
    scope = Scope(named.vocabulary, Delivery(7), facts=facts)
    assert build_sentence_renderer(named, rules[1], scope, MessageTemplate(hostile))(None) == hostile
    assert [test.holds for test in examined.build_test_recorder(named, rules[1], "when", scope)(None)] == [True]
    assert not made.exists()


@pytest.mark.parametrize(
    "twice", ["{0} OR {0}", "({0}) AND ({0})", "CASE WHEN {0} THEN {0} ELSE {0} END", "NOT ({0} OR {0})"]
)
def test_terms_that_double_are_too_large_at_once(tmp_path: Path, twice: str) -> None:
    names = ["is_urgent", *(f"t{at}" for at in range(16))]
    pairs = pairwise(names)
    terms = "".join(f'[delivery.{name}]\nis = "{twice.format(before)}"\n' for before, name in pairs)
    used = rule("delivery/1", "[eliminate]\nwhere = 't15'\nbecause = 'so'")
    with pytest.raises(RuleError, match="t[0-9]+|eliminate.where") as caught:
        rules_in(tmp_path, {"delivery/01_only.toml": used, "terms.toml": terms}).ruleset(DELIVERY)
    assert f"is too large when its terms are put in; allowed: {MOST_NODES} parts" in str(caught.value)


def test_a_condition_may_be_as_large_as_allowed(tmp_path: Path) -> None:
    """Each term is two of the one before and a node between them: 2^n words and 2^n - 1 nodes."""
    terms = '[delivery.t0]\nis = "is_ready OR is_urgent"\n'
    terms += "".join(f'[delivery.t{at}]\nis = "t{at - 1} OR t{at - 1}"\n' for at in range(1, 12))
    most = rule("delivery/1", "[eliminate]\nwhere = 't11 AND age > 3'\nbecause = 'so'")
    rules = rules_in(tmp_path, {"delivery/01_only.toml": most, "terms.toml": terms})
    assert 2**13 - 1 < MOST_NODES < 2**14 - 1
    for executor in EVERY_EXECUTOR:
        assert [each.name for each in delivered(rules, executor, [Van("A", age=4), Van("B")]).remaining] == ["B"]


def test_terms_in_a_long_chain_are_looked_at_once(tmp_path: Path) -> None:
    terms = "".join(f'[delivery.t{at}]\nis = "t{at - 1}"\n' for at in range(1, 3000))
    files = {
        "terms.toml": '[delivery.t0]\nis = "is_ready"\n' + terms,
        "delivery/01_only.toml": rule("delivery/1", "[eliminate]\nwhere = 't3'\nbecause = 'so'"),
    }
    with pytest.raises(RuleError, match="terms.toml: delivery.t[0-9]+: is nested too deep"):
        rules_in(tmp_path, files).ruleset(DELIVERY)


def read_all(rules: Rules) -> None:
    """Reads what a command reads of rules."""
    for about in (WORKLOAD, TRIGGER):
        rules.ruleset(about)
    rules.in_folder("documents")


KEYS = ('"a\\u001b[31m" = 1', '[workload."x; y".z]', 'list = [{ "a b" = 1 }]', '"é" = 2', f'"{"k" * 101}" = 1')
TEXTS = (
    'title = "a\\u001b]52;c;x\\u0007"',
    'why = "a\\u202eb"',
    'choices = ["a", "b\\u009b2J"]',
    'x = "\\u0000"',
    'x = "\\u2028"',
)


@pytest.mark.parametrize("text", [*KEYS, *TEXTS])
@pytest.mark.parametrize(
    "path",
    ["terms.toml", "readings.toml", "editions.toml", "workload/01a_put_disabled_queue.toml", "documents/checks.toml"],
)
def test_what_no_rule_file_may_hold(path: str, text: str) -> None:
    rules = Rules()
    with pytest.raises(RuleError) as caught:
        read_all(rules.with_files({path: f"{text}\n{rules.files[path]}"}))
    assert str(caught.value).startswith(f"rules/{path}: ")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "path",
    [
        "workload/a\n.toml",
        "work load/01_a.toml",
        "../01_a.toml",
        "/etc/01_a.toml",
        "workload/\x1b[2J.toml",
        "é/01_a.toml",
    ],
)
def test_a_file_of_rules_has_a_plain_name(path: str) -> None:
    with pytest.raises(RuleError, match="is no file of rules") as caught:
        Rules().with_files({path: ""})
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "key", [".".join(["a"] * 102), ' . '.join(['"a"'] * 200), ".".join(["'a'", "b"] * 60), "x = {" + ".".join("a" * 300) + " = 1}", "[[" + ".".join("a" * 5000) + "]]"],
    ids=["bare", "quoted", "mixed", "inline", "header"],
)  # fmt: skip
def test_a_key_of_very_many_parts_is_refused_where_it_stands(key: str) -> None:
    text = f"x = 1\n{key}" if key.startswith(("x", "[")) else f"x = 1\n{key} = 1"
    with pytest.raises(RuleError, match="a key has more than 100 parts \\(at line 2"):
        Rules().with_files({"readings.toml": text})


def test_points_in_texts_and_comments_are_no_parts_of_keys() -> None:
    points = ".".join("a" * 300)
    text = f'# {points}\n[workload.all]\nis = "TRUE" # {points}\nmeans = """\n{points}"{points}"""\n'
    assert (
        Rules().with_files({"terms.toml": text}).toml("terms.toml")["workload"]["all"]["means"] == f'{points}"{points}'
    )


def test_no_word_of_a_vocabulary_has_another_name() -> None:
    for name in ("", "a b", "A", "import", "a" * 101, "a[0]"):
        with pytest.raises(ValueError, match="is not a name|is a word of Python"):
            Word(name, WHOLE, "situation")
        with pytest.raises(ValueError, match="is not a name|is a word of Python"):
            evolve(Word("a", WHOLE, "situation"), name=name)


def test_very_many_conditions_are_concluded_from(tmp_path: Path) -> None:
    """So many brackets in one another no compiler takes."""
    files = {
        f"delivery/{at}_held.toml": rule(f"delivery/{at}", f"[holds]\nwhen = 'weight > {at}'\nbecause = 'so'")
        for at in range(1, 400)
    }
    files["delivery/400_concluded.toml"] = rule("delivery/400", "[conclude]\nfact = 'every'\nneeds = ['1-399']")
    rules = rules_in(tmp_path, files)
    for executor in EVERY_EXECUTOR:
        for weight in (399, 400):
            assert delivered(rules, executor, [Van("A")], Delivery(weight)).facts == {"every": weight == 400}


@pytest.mark.parametrize(("number", "is_fine"), first(2, [(51, True), (52, False), (2000, False)]))
def test_rules_that_are_moved_one_beside_the_other(tmp_path: Path, number: int, is_fine: bool) -> None:
    body = "[eliminate]\nwhere = 'age > 5'\nbecause = 'so'"
    first, *others = range(1, number + 1)
    files = {f"delivery/{at}_x.toml": rule("delivery/1", body, after=f"delivery.{at - 1}") for at in others}
    rules = rules_in(tmp_path, {f"delivery/{first}_x.toml": rule("delivery/1", body), **files})
    if is_fine:
        assert [each.id for each in rules.ruleset(DELIVERY).rules] == [f"delivery.{at}" for at in (first, *others)]
        return
    with pytest.raises(RuleError, match="is moved, and so are 50 rules one beside the other"):
        rules.ruleset(DELIVERY)
