"""The limits of the condition language: what is too deep, too long, too large, or not certain is one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqclause import RuleError, Rules
from mqclause.documents import WORKLOAD
from mqclause.executors.pipeline import Pipeline
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.nodes import MOST_CHARACTERS, MOST_LEVELS, ExpressionError
from mqclause.language.parser import parse, parse_condition
from mqclause.language.vocabulary import BOOLEAN, WHOLE, Type, Vocabulary, Word
from mqclause.rulebook.case_files import CaseFile
from mqclause.testing.case_kinds import PipelineCase
from spec_tests.support.delivery import DELIVERY, EVERY_EXECUTOR, Delivery, Van, delivered, rule, rules_in

TOO_DEEP = f"is nested too deep; allowed: {MOST_LEVELS} levels"


def fault(tmp_path: Path, body: str, **more: str) -> str:
    """What is said of a rule with this action."""
    with pytest.raises(RuleError) as caught:
        rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", body, **more)}).ruleset(DELIVERY)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("rules/delivery/01_only.toml: ")
    return message.removeprefix("rules/delivery/01_only.toml: ")


def where(condition: str) -> str:
    return f'[eliminate]\nwhere = "{condition}"\nbecause = "so"'


def sums(count: int) -> str:
    """A comparison of so many sums one in another: it has a level of its own, each sum two, the innermost word one."""
    return "(" * count + "age" + " + 1)" * count + " > 0"


@pytest.mark.parametrize(
    "condition",
    [
        "(" * 3000 + "is_ready" + ")" * 3000,
        "NOT " * 2400 + "is_ready",
        " AND ".join(["is_ready"] * 700),
        " OR ".join(["age > 1"] * 700),
        " + ".join(["age"] * 200) + " > 0",
        "CASE WHEN is_ready THEN " * 100 + "1" + " ELSE 0 END" * 100 + " = 1",
        "FLOOR(" * 100 + "age" + ")" * 100 + " = 1",
    ],
    ids=["brackets", "NOT", "AND", "OR", "sum", "CASE", "FLOOR"],
)
def test_what_is_nested_too_deep(tmp_path: Path, condition: str) -> None:
    assert fault(tmp_path, where(condition)) == f"eliminate.where: {TOO_DEEP}"


@pytest.mark.parametrize(
    "condition",
    ["(" * 6000 + "is_ready" + ")" * 6000, "NOT " * 5000 + "is_ready", " AND ".join(["is_ready"] * 5000)],
    ids=["brackets", "NOT", "AND"],
)
def test_what_is_too_long(tmp_path: Path, condition: str) -> None:
    said = f"eliminate.where: has {len(condition)} characters; allowed: {MOST_CHARACTERS}"
    assert fault(tmp_path, where(condition)) == said


def test_what_is_as_deep_as_allowed_runs_everywhere(tmp_path: Path) -> None:
    most = (MOST_LEVELS - 2) // 2
    rules = rules_in(tmp_path / "most", {"delivery/01_only.toml": rule("delivery/1", where(sums(most)))})
    for executor in EVERY_EXECUTOR:
        left = delivered(rules, executor, [Van("A", age=-most), Van("B", age=1 - most)]).remaining
        assert [each.name for each in left] == ["A"]
    assert fault(tmp_path / "more", where(sums(most + 1))) == f"eliminate.where: {TOO_DEEP}"


def test_terms_count_with_what_they_stand_for(tmp_path: Path) -> None:
    terms = "".join(f'[delivery.t{at}]\nis = "t{at - 1} + 1"\n' for at in range(1, 100))
    files = {
        "terms.toml": '[delivery.t0]\nis = "age"\n' + terms,
        "delivery/01_only.toml": rule("delivery/1", where("t99 > 0")),
    }
    with pytest.raises(RuleError) as caught:
        rules_in(tmp_path, files).ruleset(DELIVERY)
    assert str(caught.value).endswith(TOO_DEEP)


@pytest.mark.parametrize(
    ("condition", "number"),
    [
        ("age < 1e400", "'1e400'"),
        ("age < 9223372036854775808", "'9223372036854775808'"),
        ("age < " + "9" * 5000, "'9999"),
        ("age < 0." + "9" * 5000, "'0.999"),
    ],
)
def test_a_number_that_does_not_fit(tmp_path: Path, condition: str, number: str) -> None:
    message = fault(tmp_path, where(condition))
    assert message.startswith(f"eliminate.where: {number}")
    assert message.endswith("does not fit into 64 bits")
    assert len(message) < 200


@pytest.mark.parametrize("number", ["9223372036854775807", "1e308", "0.5"])
def test_a_number_that_fits(tmp_path: Path, number: str) -> None:
    rules = rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", where(f"age < {number}"))})
    for executor in EVERY_EXECUTOR:
        assert not delivered(rules, executor, [Van("A", age=0)]).remaining


@pytest.mark.parametrize(
    "divisor", ["(age - age)", "age", "0", "0.0", "(toll + 1)", "COUNT_IF(TRUE)", "weight", "FLOOR(toll)"]
)
def test_a_division_by_what_may_be_zero(tmp_path: Path, divisor: str) -> None:
    message = fault(tmp_path, where(f"1 / {divisor} > 2"))
    assert f"divides by '{divisor}', which can be 0; allowed: a number other than 0, or an attribute" in message


@pytest.mark.parametrize("divisor", ["toll", "(toll)", "2", "(toll * 3)", "CASE WHEN is_ready THEN toll ELSE 4 END"])
def test_a_division_by_what_is_never_zero(tmp_path: Path, divisor: str) -> None:
    rules = rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", where(f"12 / {divisor} > 2"))})
    for executor in EVERY_EXECUTOR:
        assert not delivered(rules, executor, [Van("A", toll=1)]).remaining


def test_the_rules_of_the_project_divide_by_the_weight_of_a_channel() -> None:
    text = Rules().files["workload/12d_advance_factor.toml"]
    assert "1000.0 / channel_weight" in text
    changed = Rules().with_files({"workload/04a_channel_rank.toml": (
        'clause = "workload/4a"\ntitle = "T"\n'
        '[eliminate]\nwhere = "1 / (channel_rank - channel_rank) > 0"\nbecause = "b"\n'
    )})  # fmt: skip
    with pytest.raises(
        RuleError, match=r"eliminate\.where: column 6: '1 / \(channel_rank - channel_rank\)' divides by"
    ):
        changed.ruleset(WORKLOAD)


@pytest.mark.parametrize(
    ("because", "said"),
    [
        ("{age:>3} years", "{age:>3} has a format; allowed: a word alone in braces"),
        ("{age!r} years", "{age!r} has a format; allowed: a word alone in braces"),
        ("{age!r:>3} years", "{age!r:>3} has a format; allowed: a word alone in braces"),
        ("{} years", "{} is not a word"),
        ("{0} years", "{0} is not a word"),
        ("{age.real} years", "{age.real} is not a word"),
        ("{age[0]} years", "{age[0]} is not a word"),
        ("{age years", ""),
        ("age} years", ""),
    ],
)
def test_a_because_has_words_alone_in_braces(tmp_path: Path, because: str, said: str) -> None:
    message = fault(tmp_path, f'[eliminate]\nwhere = "is_ready"\nbecause = "{because}"')
    assert message.startswith(f"eliminate.because: {said}")


def test_braces_may_be_written_twice(tmp_path: Path) -> None:
    text = rule("delivery/1", where("is_ready").replace("so", "{{age}} {age}"))
    case = tmp_path / "delivery" / "01_only.toml"
    case.parent.mkdir()
    case.write_text('[facts]\nsubjects = [{name = "A", age = 7}]\n[[case]]\nname = "a"\nacts = true\n'
                    'expect = {because = {A = "{age} 7"}}\n')  # fmt: skip
    [only] = CaseFile.read(case).cases(PipelineCase, declaration=DELIVERY)
    assert only.faults(rules_in(tmp_path / "rules", {"delivery/01_only.toml": text})) == []


def test_per_does_not_stand_beside_at_most(tmp_path: Path) -> None:
    message = fault(tmp_path, '[keep]\nhighest = "age"\nper = "district"\nat_most = "2"\nbecause = "b"')
    assert message == "keep.per: stands beside at_most; a group keeps its best alone"


@pytest.mark.parametrize("word", ["use", "comment", "load", "describe", "analyze", "cache"])
def test_a_word_may_be_one_that_begins_a_statement(word: str) -> None:
    vocabulary = Vocabulary({word: Word(word, WHOLE, "situation", is_derived=True)})
    tree = parse(f"{word} > 3", vocabulary, per_subject=False)
    assert evaluate(tree, Scope(vocabulary, Delivery(), facts={word: 4})) is True
    assert evaluate(tree, Scope(vocabulary, Delivery(), facts={word: 3})) is False


@pytest.mark.parametrize(
    "text", ["", " ", "SELECT 1", "ready; ready", "ready AS x", "ready,", "(SELECT TRUE)", "ready -- x\n, ready"]
)
def test_a_statement_is_no_condition(text: str) -> None:
    vocabulary = Vocabulary({"ready": Word("ready", BOOLEAN, "situation")})
    with pytest.raises(ExpressionError) as caught:
        parse(text, vocabulary, per_subject=False)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "condition",
    ["toll + 9223372036854775807 > 5", "toll * 9223372036854775807 > 5", "0 - 9223372036854775807 - toll < 0"],
)
def test_whole_numbers_that_could_leave_64_bits(tmp_path: Path, condition: str) -> None:
    # A toll is at most 99 and at least 1.
    said = fault(tmp_path, where(condition))
    assert said.endswith("can be a number that does not fit into 64 bits")
    assert said.startswith("eliminate.where: column ")


def test_whole_numbers_that_stay_within_64_bits(tmp_path: Path) -> None:
    body = where("9223372036854775807 - toll > 0 AND toll * toll < 9802")
    assert rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", body)}).ruleset(DELIVERY).rules


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("per = 3", "keep.per: 3 is not text"),
        ("at_most = 3", "keep.at_most: 3 is not text"),
        ("per = \"CASE WHEN is_ready THEN 'a' ELSE 'b' END\"", "is not an attribute of a van"),
    ],
)
def test_what_keeps_have_besides(tmp_path: Path, keys: str, said: str) -> None:
    assert said in fault(tmp_path, f'[keep]\nhighest = "room"\nbecause = "so"\n{keys}')


@pytest.mark.parametrize("listed", ["['1', '99']", "['1']\nexcused = ['99']"])
def test_a_conclusion_of_a_clause_that_has_no_condition(tmp_path: Path, listed: str) -> None:
    files = {
        "delivery/01_holds.toml": rule("delivery/1", '[holds]\nwhen = "is_urgent"\nbecause = "not urgent"'),
        "delivery/02_then.toml": rule("delivery/2", f'[conclude]\nfact = "sent"\nneeds = {listed}'),
    }
    with pytest.raises(RuleError, match="'99' is not a clause with a condition before this rule"):
        rules_in(tmp_path, files).ruleset(DELIVERY)


@pytest.mark.parametrize(
    "condition",
    [
        "1e308 * 10.0 > age",
        "FLOOR(1e30) > age",
        "FLOOR(1e308 * 10.0 - 1e308 * 10.0) > age",
        "CASE WHEN is_ready THEN 9223372036854775807 ELSE 1 END + 1 > age",
    ],
)
def test_numbers_that_could_be_none(tmp_path: Path, condition: str) -> None:
    said = fault(tmp_path, where(condition))
    assert said.endswith("can be a number that does not fit into 64 bits")


def test_a_product_of_very_small_numbers_may_be_zero(tmp_path: Path) -> None:
    message = fault(tmp_path, where("1 / (1e-300 * 1e-300) > 2"))
    assert "divides by '(1e-300 * 1e-300)', which can be 0" in message


def test_a_fact_that_is_not_derived_is_zero() -> None:
    vocabulary = Vocabulary({"told": Word("told", Type("whole", (), 5, 5), "situation", is_derived=True)})
    with pytest.raises(ExpressionError, match="divides by 'told', which can be 0"):
        parse("1 / told > 2", vocabulary, per_subject=False)


def test_a_number_or_a_whole_one_is_a_number(tmp_path: Path) -> None:
    condition = "CASE WHEN is_ready THEN 0.5 ELSE 1 END = 0.5"
    rules = rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", where(condition))})
    for executor in EVERY_EXECUTOR:
        assert len(delivered(rules, executor, [Van("A", is_ready=True), Van("B", is_ready=False)]).remaining) == 1


def test_rules_that_reckon_until_there_is_no_number(tmp_path: Path) -> None:
    # How many there are has no bound that the rules know.
    large = " * ".join(["COUNT_IF(TRUE)", *["9223372036854775807"] * 20])
    rules = rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", where(f"{large} / 3 > toll"))})
    for executor in EVERY_EXECUTOR:
        course = Pipeline.of(rules, DELIVERY, executor)
        with pytest.raises(RuleError, match="^rules/delivery/: a rule reckons until there is no number: "):
            course.run(Delivery(), [Van("A")])


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("age > 1 AND", 9),
        ("age DOWN UP", 10),
        ("age > 1\n  OR age TOLL )", 23),
        ("district = 'Ö\nx' ~", 18),
        ("", None),
    ],
    ids=["last word", "word", "second line", "after a text", "nothing"],
)
def test_a_fault_stands_where_what_is_no_expression_begins(text: str, column: int | None) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_condition(text)
    assert caught.value.column == column


@pytest.mark.parametrize("number", ["1e3.5", "1e3.", ".2.5"])
def test_what_only_looks_like_a_number(tmp_path: Path, number: str) -> None:
    for condition in (f"age > {number}", f"age IN (1, {number})", f"age / {number} > 1"):
        assert fault(tmp_path, where(condition)).endswith("is no number")


LARGE, EXACT = Type("whole", (), 0, 2**63 - 1), Type("whole", (), 0, 2**53)
NUMBERS = Vocabulary({
    name: Word(name, of, "situation") for name, of in {
        "large": LARGE, "exact": EXACT, "open": WHOLE, "part": Type("number", (), 0.0, None),
        "share": Type("number", (), 0.0, 1.0),
    }.items()
})  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "refused"),
    [
        ("large > part", "large"),
        ("part <= open", "open"),
        ("large > exact * 0.5", None),
        ("exact > part", None),
        ("large > share * 2", None),
        ("large > 0.5", None),
        ("large > 1e308", None),
        ("open IN (1, 9007199254740993)", None),
        ("large IN (1, 9007199254740992.0)", "large"),
        ("FLOOR(large) > exact", None),
        ("CASE WHEN exact > 1 THEN large ELSE 0.5 END > 1", "large"),
        ("CASE WHEN exact > 1 THEN exact ELSE 0.5 END > 1", None),
        ("large / 3 > part", None),
        ("FLOOR(large / 3) > 1", None),
    ],
)
def test_a_large_whole_number_beside_one_that_is_not_whole(condition: str, refused: str | None) -> None:
    """Of 2^53 + 1 a number of 64 bits that is not whole is 2^53: SQL would compare that, and Python would not."""
    if refused is None:
        assert parse(condition, NUMBERS, per_subject=False)
        return
    with pytest.raises(ExpressionError) as caught:
        parse(condition, NUMBERS, per_subject=False)
    said = f"{refused!r} can be a whole number beyond 2^53, which is not exact beside one that is not whole"
    assert str(caught.value).endswith(f"{said}; allowed: whole numbers alone, or a quotient")
