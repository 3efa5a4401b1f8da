"""Prove within a bound that executors agree and that laws hold: over all situations that rules and laws tell apart.

A rule looks at few attributes, and compares each with few values. All situations that differ in these are enumerated,
with up to three subjects, in one order of each set of them; all else is plain, so that as many rules as possible look.
Executors run step by step, and what a step does depends on what it sees alone. A law is a sentence and a condition on
any situation and its answer. It decides nothing: a rule that breaks it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations_with_replacement, islice
from math import comb
from typing import Any

from attrs import evolve, field, frozen

from mqclause.audit.case_run import run_in_processes
from mqclause.audit.situations import (
    Bound,
    StatedSituation,
    Values,
    build_situations,
    count_states,
    find_plain_subject,
    list_all_values,
    list_compared_values,
    list_states,
    merge_values,
    move_defaults,
    part_values,
    show_asked_terms,
    shrink_while,
)
from mqclause.documents import DOCUMENTS
from mqclause.executors.compiled import CompiledExecutor
from mqclause.executors.operations import ExecutorName, LoweredRuleset, Run, list_expressions
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.nodes import ExpressionError
from mqclause.language.parser import infer_type, parse
from mqclause.language.vocabulary import BLANKS, BOOLEAN, Vocabulary, Word, build_text_type, build_words
from mqclause.model.diagnostics import DomainError, quote_value, suggest_allowed, suggest_word
from mqclause.model.facts.domains import REASONS
from mqclause.rulebook.clauses import list_clauses
from mqclause.rulebook.loader import check_keys, check_overrides
from mqclause.rulebook.rule import Declaration, Expression, RuleError, Ruleset
from mqclause.rulebook.rules import LAWS_FILE, Rules
from mqclause.trace import list_rule_inputs

LEAST_SUBJECTS, MOST_SUBJECTS = 2, 3
"""All situations of so many subjects are enumerated, and where they are not too many those of more."""

MOST_SITUATIONS = 20_000
"""So many situations are tried of one rule; where there are more, those that state least."""

TOLD = 3
"""So many disagreements are told of one rule."""


@frozen
class RuleProof:
    """What was shown of a rule: on so many ``situations`` of up to so many ``subjects`` the executors agree.

    ``is_whole`` says whether these are all that the rule tells apart with so many subjects; ``disagreements`` are
    those situations on which they do not agree.
    """

    rule: str
    situations: int
    subjects: int
    is_whole: bool
    disagreements: tuple[StatedSituation, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the proof as JSON values."""
        return {
            "rule": self.rule,
            "situations": self.situations,
            "subjects": self.subjects,
            "whole": self.is_whole,
            "disagreements": [each.to_toml() for each in self.disagreements],
        }


@frozen
class DocumentProof:
    """What was shown of the rules of a document, by rule."""

    document: str
    rules: tuple[RuleProof, ...] = field(default=())

    @property
    def situations(self) -> int:
        """How many situations were decided by all executors."""
        return sum(each.situations for each in self.rules)

    @property
    def disagreements(self) -> int:
        """On how many of them they do not agree, as far as they are told."""
        return sum(len(each.disagreements) for each in self.rules)

    def to_json(self) -> dict[str, Any]:
        """Return the proof as JSON values."""
        listed = [each.to_json() for each in self.rules]
        return {"document": self.document, "situations": self.situations, "rules": listed}


def prove_agreement(
    rules: Rules,
    document: str,
    executors: Sequence[ExecutorName] = ("compiled", "plain"),
    most: int = MOST_SITUATIONS,
    processes: int = 1,
) -> DocumentProof:
    """Show that executors agree on all situations that some rule of a document tells apart, in one edition.

    ``most`` situations are tried of one rule. Raises RuleError, and NotInstalledError for an executor that is absent.
    """
    rule_ids = [rule.id for rule in rules.ruleset(DOCUMENTS[document]).rules]
    prove = partial(_prove_rule, rules, document, tuple(executors), most)
    return DocumentProof(document, tuple(run_in_processes(prove, rule_ids, processes)))


def _prove_rule(rules: Rules, document: str, executors: tuple[ExecutorName, ...], most: int, rule_id: str) -> RuleProof:
    about = DOCUMENTS[document]
    reference, *others = (Pipeline.of(rules, about, each) for each in executors)
    subjects, is_whole, told_apart = list_told_apart(reference, rule_id, most)
    count, wrong = 0, list[StatedSituation]()
    for stated in told_apart:
        situation, listed = stated.build(about)
        expected = reference.run(situation, listed, traced=True)
        count += 1
        for each in others:
            found = each.run(situation, listed, traced=True)
            if not all(one.is_same_result(other) for one, other in zip(expected, found, strict=True)):
                wrong.append(stated)
    return RuleProof(rule_id, count, subjects, is_whole, tuple(wrong[:TOLD]))


def list_told_apart(
    course: Pipeline,
    rule_id: str,
    most: int = MOST_SITUATIONS,
    also: Iterable[Values] = (),
    around: Mapping[str, Any] = {},
) -> tuple[int, bool, Iterator[StatedSituation]]:
    """List the situations that a rule of the last document of a course tells apart, with values that are told ``also``.

    They are up to so many, those first that state least where there are more. ``around`` is what a situation is where
    nothing else is stated of it. Returned are also up to how many subjects they have, and whether these are all with
    so many.
    """
    about = course.rulesets[-1].about
    values = move_defaults(about, merge_values([_list_rule_values(course, rule_id), *also]), around)
    subjects, is_whole = _within(about, values, most)
    base = find_plain_subject(course)
    if is_whole:
        found = islice(_situations(about, values, subjects, base), most)
        return subjects, True, (each.set_around(around) for each in found)
    built = build_situations(about, values, Bound(subjects, MOST_SUBJECTS * len(values), most), base)
    return subjects, False, (each.set_around(around) for each, _, _ in built)


@lru_cache(maxsize=1024)
def _list_rule_values(course: Pipeline, rule_id: str) -> Values:
    """List the values that a rule of the last document of a course tells apart."""
    steps = course.steps[-1]
    trees = [tree for step in steps.steps if step.rule.id == rule_id for tree in list_expressions(step)]
    return list_compared_values(show_asked_terms(steps), trees)


def _within(about: Declaration, values: Values, most: int) -> tuple[int, bool]:
    """How many subjects there can be without too many situations; and whether there can be so many at all."""
    of_situation, of_subject = part_values(about, values)
    outside, each = count_states(of_situation), count_states(of_subject)
    if about.subject is None:
        return 0, outside <= most
    for subjects in range(MOST_SUBJECTS, LEAST_SUBJECTS - 1, -1):
        if outside * sum(comb(each + count - 1, count) for count in range(subjects + 1)) <= most:
            return subjects, True
    return MOST_SUBJECTS, False


def _situations(about: Declaration, values: Values, subjects: int, base: Any) -> Iterator[StatedSituation]:
    """All situations with up to so many subjects, each set of them in one order."""
    of_situation, of_subject = part_values(about, values)
    for situation in list_states(of_situation):
        yield StatedSituation(situation, (), base)
        # What is chosen of several is held; of one it may be more than can be.
        for one in list_states(of_subject) if subjects else ():
            yield StatedSituation(situation, (one,), base)
        for count in range(2, subjects + 1):
            for chosen in combinations_with_replacement(list_states(of_subject), count):
                yield StatedSituation(situation, chosen, base)


LAW_KEYS: Mapping[str, type] = {
    "document": str, "says": str, "holds": str, "met_by": str, "in_any_order": list, "rests_on": list,
    "sentences": list, "around": dict, "given": bool,
}  # fmt: skip
"""What laws.toml says of a law, and of which type."""

WIDER_BOUND = Bound(3, 5)
"""How far situations are tried that differ in whatever any rule looks at."""

SEARCHED = 40
"""So many times as many of those are tried to find one that a rule is needed for."""

REMAINS, FAILS_WITH = "remains", "fails_with"
"""The words of an answer: of a subject that it remains, and the reason code that the call ends with; blank: none."""


@frozen
class Law:
    """What ``holds`` of every situation and its answer, or the rules that may run ``in_any_order`` without changing it.

    One that is ``given`` is no law of rules: it holds of every situation that there is, and no other is looked at.

    ``says`` is the sentence. Counted are all subjects, or those alone that are ``met_by`` a rule. The rules that it
    ``rests_on`` are those without which it would not hold; ``sentences`` are those that it follows from.
    Situations are ``around`` one that states this, as all conditions have to hold before a further one matters.
    """

    id: str
    document: str
    says: str
    holds: str = ""
    met_by: str = ""
    in_any_order: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    around: Mapping[str, Any] = field(factory=dict)
    given: bool = False
    condition: Expression | None = field(default=None, eq=False, repr=False)


@frozen
class LawProof:
    """What was shown of a law: none of so many ``situations`` breaks it, or the one that is ``broken`` does.

    ``without`` has for each rule that it rests on a situation that would break it if the rule were not there; None:
    none was found.
    """

    law: Law
    situations: int
    broken: StatedSituation | None
    without: Mapping[str, StatedSituation | None]

    @property
    def is_shown(self) -> bool:
        """Whether it was tried and nothing breaks it, and each rule that it is said to rest on is needed."""
        return self.situations > 0 and self.broken is None and None not in self.without.values()

    def to_json(self) -> dict[str, Any]:
        """Return the proof as JSON values."""
        return {
            "law": self.law.id,
            "document": self.law.document,
            "says": self.law.says,
            "situations": self.situations,
            "broken_by": self.broken and self.broken.to_toml(),
            "rests_on": {rule: found and found.to_toml() for rule, found in self.without.items()},
        }


def read_laws(rules: Rules, documents: Iterable[str] = (), given: bool = False) -> tuple[Law, ...]:
    """Read the laws of some documents, or of all, as the edition and the readings in force have them.

    Or those that are ``given``. Raises RuleError for what is no law of these rules.
    """
    wanted, found = set(documents) or {*DOCUMENTS}, list[Law]()
    folders = {path.partition("/")[0] for path in rules.files if "/" in path}
    known = [each for each in DOCUMENTS if each in folders]
    for name, table in rules.toml(LAWS_FILE).items():
        check_keys(LAWS_FILE, name, table, LAW_KEYS)
        check_overrides(LAWS_FILE, f"{name}.", table, rules.known_readings, rules.known_editions)
        document = str(table.get("document", ""))
        if document not in known:
            said = f"{quote_value(document)} is no document of these rules{suggest_allowed(document, known)}"
            raise RuleError(LAWS_FILE, f"{name}.document", said)
        if document in wanted and table.get("given", False) is given:
            found.append(_read_law(rules, name, rules.in_force.stated(table)))
    return tuple(found)


def _read_law(rules: Rules, name: str, table: Mapping[str, Any]) -> Law:
    stated: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    law = Law(name, **stated)
    if not law.says:
        raise RuleError(LAWS_FILE, f"{name}.says", "is missing")
    if bool(law.holds) == bool(law.in_any_order):
        raise RuleError(LAWS_FILE, f"{name}.holds", "is missing; allowed: either holds or in_any_order")
    course = Pipeline.of(rules, DOCUMENTS[law.document])
    if law.given and (of_answers := next(filter(table.get, ("met_by", "in_any_order", "rests_on")), "")):
        raise RuleError(LAWS_FILE, f"{name}.{of_answers}", "is about answers; what is given holds before any rule runs")
    _check_rules(law, course)
    _check_sentences(rules, law)
    _check_around(law)
    if not law.holds:
        return law
    words = _words(law, course)
    try:
        condition = parse(law.holds, words, per_subject=False)
    except ExpressionError as error:
        raise RuleError(LAWS_FILE, f"{name}.holds", str(error)) from None
    if (found := infer_type(condition, words, per_subject=False)) != BOOLEAN:
        raise RuleError(LAWS_FILE, f"{name}.holds", f"{quote_value(law.holds)} is {found}; allowed: {BOOLEAN}")
    return evolve(law, condition=condition)


def _check_rules(law: Law, course: Pipeline) -> None:
    """Raises RuleError for a rule that is not there, in the edition and under the readings in force."""
    own = [rule.id for rule in course.rulesets[-1].rules]
    every = [rule.id for ruleset in course.rulesets for rule in ruleset.rules]
    named = (("met_by", filter(None, [law.met_by]), own), ("in_any_order", law.in_any_order, own),
             ("rests_on", law.rests_on, every))  # fmt: skip
    for key, listed, known in named:
        given = [*listed]
        for at, each in enumerate(given):
            if each in given[:at]:
                raise RuleError(LAWS_FILE, f"{law.id}.{key}", f"{quote_value(each)} is there twice")
            if each not in known:
                said = f"{quote_value(each)} is no rule of {law.document} in this edition{suggest_word(each, known)}"
                raise RuleError(LAWS_FILE, f"{law.id}.{key}", said)


def _check_sentences(rules: Rules, law: Law) -> None:
    """Raises RuleError for a sentence that is not there."""
    for each in law.sentences:
        document = each.partition("/")[0]
        known = (
            [f"{document}/{clause.path}" for clause in list_clauses(rules, document)]
            if document in rules.clauses
            else []
        )
        if each not in known:
            said = f"{quote_value(each)} is no sentence of documents/{suggest_word(each, known)}"
            raise RuleError(LAWS_FILE, f"{law.id}.sentences", said)


def _check_around(law: Law) -> None:
    """Raises RuleError for what a situation of the document cannot state."""
    words = build_words(DOCUMENTS[law.document].situation, "situation")
    for name, value in law.around.items():
        place = f"{law.id}.around.{name}"
        if name not in words:
            raise RuleError(LAWS_FILE, place, f"is no attribute of a situation{suggest_word(name, words)}")
        kind = words[name].type
        if type(value) is not type(BLANKS[kind.kind]) or (kind.words and value not in kind.words):
            of = f" of {', '.join(filter(None, kind.words))}" if kind.words else ""
            raise RuleError(LAWS_FILE, place, f"{quote_value(value)} is not {kind}{of}")


def _words(law: Law, course: Pipeline) -> Vocabulary:
    """The words of a document, and those of an answer. Raises RuleError where rules call something else so."""
    known = show_asked_terms(course.steps[-1]).vocabulary
    if law.given:
        return known
    if taken := [name for name in (REMAINS, FAILS_WITH) if name in known.names()]:
        raise RuleError(LAWS_FILE, f"{law.id}.holds", f"{taken[0]} is a word of laws, and the rules give it to another")
    answer = [Word(FAILS_WITH, build_text_type(*REASONS), "situation", is_derived=True)]
    if course.rulesets[-1].about.subject is not None:
        answer.append(Word(REMAINS, BOOLEAN, "subject", is_carried=True))
    return known.with_words(*answer)


def prove_laws(rules: Rules, documents: Iterable[str], most: int, processes: int = 1) -> tuple[LawProof, ...]:
    """Show the laws of some documents on up to ``most`` situations that each of their rules and the law tell apart.

    Raises RuleError.
    """
    return tuple(run_in_processes(partial(prove_law, rules, most), read_laws(rules, documents), processes))


@frozen
class Given:
    """The laws that are given of a document and of those that it follows: which situations there are.

    ``values`` are those that they compare with.
    """

    conditions: tuple[tuple[Vocabulary, Expression], ...]
    values: Values

    def allows(self, situation: Any, subjects: Sequence[Any]) -> bool:
        """Return whether there is such a situation with such subjects."""
        return all(evaluate(tree, Scope(words, situation, subjects)) for words, tree in self.conditions)


def find_given(rules: Rules, about: Declaration) -> Given:
    """Find the laws that are given of a document and of those that it follows. Raises RuleError."""
    conditions, values = [], []
    for law in read_laws(rules, [each.name for each in about.course], given=True):
        if law.condition is not None:
            course = Pipeline.of(rules, DOCUMENTS[law.document])
            conditions.append((_words(law, course), law.condition))
            values.append(_list_values(law, course))
    return Given(tuple(conditions), merge_values(values))


def prove_law(rules: Rules, most: int, law: Law) -> LawProof:
    """Show a law, and that it rests on the rules that it names. Raises RuleError."""
    course = Pipeline.of(rules, DOCUMENTS[law.document])
    given = find_given(rules, DOCUMENTS[law.document])
    breaks, names = (
        _find_test(law, course, given),
        law.in_any_order or [rule.id for rule in course.rulesets[-1].rules],
    )
    situations = 0
    for listed in _looks(law, course, names, most, most):
        count, broken = _search(listed, breaks)
        situations += count
        if broken is not None:
            return LawProof(law, situations, broken, {})
    without = {each: _break_without(law, course, each, most, given) for each in law.rests_on}
    return LawProof(law, situations, None, without)


Test = Callable[[StatedSituation], bool | None]
"""Whether a situation breaks a law; None: there is no such situation."""


def _looks(
    law: Law, course: Pipeline, names: Iterable[str], most: int, of_all: int
) -> Iterator[Iterable[StatedSituation]]:
    """What is looked at: all that each rule and the law tell apart, then what all rules do, that states least first."""
    values, about = _list_values(law, course), course.rulesets[-1].about
    for rule in names:
        yield list_told_apart(course, rule, most, [values], law.around)[2]
    every = move_defaults(about, merge_values([list_all_values(course), values]), law.around)
    built = build_situations(about, every, evolve(WIDER_BOUND, runs=of_all), find_plain_subject(course))
    for each, _, _ in built:
        listed = each.set_around(law.around)
        # Some laws are broken only where all that there are is alike.
        yield (listed, evolve(listed, subjects=listed.subjects * 2)) if len(listed.subjects) == 1 else (listed,)


def _search(listed: Iterable[StatedSituation], breaks: Test) -> tuple[int, StatedSituation | None]:
    """How many were looked at, and as little as possible of the first that breaks a law."""
    count = 0
    for each in listed:
        is_broken = breaks(each)
        count += is_broken is not None
        if is_broken:
            return count, shrink_while(each, lambda smaller: bool(breaks(smaller)))
    return count, None


def _break_without(law: Law, course: Pipeline, rule: str, most: int, given: Given) -> StatedSituation | None:
    """What breaks a law where a rule never applies: of the situations that the rule itself tells apart."""
    rulesets = tuple(
        evolve(each, rules=tuple(evolve(own, when=nodes.FALSE) if own.id == rule else own for own in each.rules))
        for each in course.rulesets
    )
    breaks = _find_test(law, _ready(course, rulesets), given)
    own = [each for each in (rule,) if each in {one.id for one in course.rulesets[-1].rules}]
    found = (_search(listed, breaks)[1] for listed in _looks(law, course, own, most, SEARCHED * most))
    return next(filter(None, found), None)


def _list_values(law: Law, course: Pipeline) -> Values:
    """The values that a law compares with, or the rules that it has in any order."""
    if law.condition is None:
        return merge_values(_list_rule_values(course, each) for each in law.in_any_order)
    return list_compared_values(evolve(course.steps[-1], vocabulary=_words(law, course)), [law.condition])


Broken = Callable[[Any, Sequence[Any]], bool]
"""Whether a situation with its subjects breaks a law."""


def _find_test(law: Law, course: Pipeline, given: Given) -> Test:
    """What tells whether a situation breaks a law, by the rules of a course."""
    about = course.rulesets[-1].about
    is_broken = _breaks_order(law, course) if law.condition is None else _breaks_condition(law, course, law.condition)

    def breaks(stated: StatedSituation) -> bool | None:
        try:
            situation, subjects = stated.build(about)
        except DomainError:  # values that do not go together
            return None
        return is_broken(situation, subjects) if given.allows(situation, subjects) else None

    return breaks


def _breaks_condition(law: Law, course: Pipeline, condition: Expression) -> Broken:
    words = _words(law, course)

    def is_broken(situation: Any, subjects: Sequence[Any]) -> bool:
        runs = course.run(situation, subjects, traced=bool(law.met_by))
        return not evaluate(condition, _answer_scope(law, course, words, situation, subjects, runs))

    return is_broken


def _answer_scope(
    law: Law, course: Pipeline, words: Vocabulary, situation: Any, subjects: Sequence[Any], runs: Sequence[Run]
) -> Scope:
    """What a law looks at: the situation, what rules derived of it, and the subjects that are counted."""
    last, earlier = runs[-1], runs[-2].hands_on if len(runs) > 1 else {}
    left = set.intersection(*({id(each) for each in run.remaining} for run in runs))
    met: Sequence[Any] = subjects
    if law.met_by:
        ruleset, first = course.rulesets[-1], build_first_scope(course.steps[-1], situation, subjects, None, earlier)
        place = next(at for at, rule in enumerate(ruleset.rules) if rule.id == law.met_by)
        met = next(islice(list_rule_inputs(ruleset, last, subjects, first, in_order=False), place, None)).remaining
    facts = {**earlier, **last.facts, FAILS_WITH: last.failure.reason if last.failure else ""}
    return Scope(
        words, situation, met, lambda each, name: id(each) in left if name == REMAINS else getattr(each, name), facts
    )


def _breaks_order(law: Law, course: Pipeline) -> Broken:
    """Whether the answer is another where the rules run in another order: turned round, or the second half first."""
    listed, half = law.in_any_order, len(law.in_any_order) // 2
    others = [_reordered(course, each) for each in (listed[::-1], (*listed[half:], *listed[:half]))]

    def is_broken(situation: Any, subjects: Sequence[Any]) -> bool:
        answer = _answer(course.run(situation, subjects))
        return any(_answer(each.run(situation, subjects)) != answer for each in others)

    return is_broken


def _reordered(course: Pipeline, order: Sequence[str]) -> Pipeline:
    """The same course, in which rules of the last document have changed places with one another."""
    *before, last = course.rulesets
    turn = iter(order)
    rules = tuple(last.rule(next(turn)) if each.id in order else each for each in last.rules)
    return _ready(course, (*before, evolve(last, rules=rules)))


def _ready(course: Pipeline, rulesets: tuple[Ruleset, ...]) -> Pipeline:
    """A course of changed rules, with all their words: what no rule derives any more is blank."""
    return evolve(course, rulesets=rulesets, executors=tuple(map(CompiledExecutor, LoweredRuleset.course(rulesets))))


def _answer(runs: Sequence[Run]) -> tuple[Any, ...]:
    last = runs[-1]
    failure = last.failure and (last.failure.reason, last.failure.call)
    return [id(each) for each in last.remaining], failure, dict(last.facts), dict(last.chosen), dict(last.every)
