"""Prove within a bound that executors agree, and that the rules answer: rule by rule, over all that a rule tells apart.

A rule looks at few attributes, and compares each with few values. All situations that differ in these are enumerated,
with up to three subjects, in one order of each set of them; all else is plain, so that as many rules as possible look.
Executors run step by step, and what a step does depends on what it sees alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations_with_replacement, islice
from math import comb
from typing import Any

from attrs import field, frozen

from mqclause.audit.case_run import run_in_processes
from mqclause.audit.situations import (
    Bound,
    StatedSituation,
    Values,
    build_situations,
    count_states,
    find_plain_subject,
    list_compared_values,
    list_states,
    merge_values,
    move_defaults,
    part_values,
    show_asked_terms,
)
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import ExecutorName, list_expressions
from mqclause.executors.pipeline import Pipeline
from mqclause.rulebook.rule import Declaration
from mqclause.rulebook.rules import Rules

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
    values = move_defaults(about, merge_values([list_rule_values(course, rule_id), *also]), around)
    subjects, is_whole = _within(about, values, most)
    base = find_plain_subject(course)
    if is_whole:
        found = islice(_situations(about, values, subjects, base), most)
        return subjects, True, (each.set_around(around) for each in found)
    built = build_situations(about, values, Bound(subjects, MOST_SUBJECTS * len(values), most), base)
    return subjects, False, (each.set_around(around) for each, _, _ in built)


@lru_cache(maxsize=1024)
def list_rule_values(course: Pipeline, rule_id: str) -> Values:
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
