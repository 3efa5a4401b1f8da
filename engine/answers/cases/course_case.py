"""Cases of any document by its declaration: the situation and the subjects themselves, in their classes' field names.

The facts are a table ``situation`` and a list ``subjects``. A subject is named by its attribute ``name`` or, if it has
none, by its first.

In ``[case.expect]``, of the document and those that it follows:

- ``remaining``: who remains in the end, in any order; ``order``: the same in this order
- ``fell``: by subject, the rule that it fell by, for everyone who does not remain
- ``set_aside``, ``taken_back``: everyone who was, in any order
- ``because``: by subject, why it fell
- ``settled``: of rules that settle, why the first did that applied; blank if none did
- ``remarks``: the remarks of rules of which all that they derive is true
- ``facts``: some of the facts derived about the situation; ``chosen``, ``every``: what is derived for subjects
- ``holds``: by condition (a rule), whether it holds; ``skipped``: conditions that are not looked at
- ``unmet``: by condition that does not hold, why
- ``said``: by check that does not hold, its ``severity``, ``attribute``, ``message`` and ``remedy``, as far as stated
- ``failure``: ``rule``, ``reason``, ``call``, ``because``, ``remedy``, as far as stated; an empty table: there is none
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

from attrs import fields, frozen

from mqclause.answers.cases.asked_case import AskedCase, Comparison, decided
from mqclause.answers.check.unfulfilled import unfulfilled
from mqclause.answers.choice.settled import SettledBy
from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Applied, ExecutorName, Run
from mqclause.language.evaluate import Scope
from mqclause.model.diagnostic import DomainError, instead
from mqclause.rulebook.case import CaseError, CaseFile, Stated, differs
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rule import Because, Holds
from mqclause.rulebook.rules import Rules
from mqclause.trace.document import step_document
from mqclause.trace.record import StepTrace, scope_of, seen_by, steps
from mqclause.trace.sentence import sentence


class Answered(NamedTuple):
    """What the documents of a course made of a situation and the subjects ``listed``: of each its run and its steps.

    ``first`` is what the first rule of the last document saw.
    """

    course: Course
    situation: Any
    first: Scope
    listed: Sequence[Any]
    runs: tuple[Run, ...]
    steps: tuple[tuple[StepTrace, ...], ...]

    def every_step(self) -> Iterator[StepTrace]:
        """The steps of all documents."""
        for each in self.steps:
            yield from each


def name_of(subject: Any) -> str:
    """How a case names a subject."""
    return str(getattr(subject, "name", None) or getattr(subject, fields(type(subject))[0].name))


def _names(subjects: Iterable[Any]) -> list[str]:
    return [name_of(each) for each in subjects]


def _remaining(answered: Answered, wanted: list[str]) -> Iterator[str]:
    yield from differs("remaining", sorted(wanted), sorted(_names(answered.runs[-1].remaining)))


def _order(answered: Answered, wanted: list[str]) -> Iterator[str]:
    yield from differs("order", wanted, _names(answered.runs[-1].remaining))


def _fell(answered: Answered, wanted: Stated) -> Iterator[str]:
    fell = {name_of(fate.subject): step.rule.id for step in answered.every_step() for fate in step.eliminated}
    yield from differs("fell", dict(sorted(wanted.items())), dict(sorted(fell.items())))


def _set_aside(answered: Answered, wanted: list[str]) -> Iterator[str]:
    aside = (fate.subject for step in answered.every_step() for fate in step.set_aside)
    yield from differs("set_aside", sorted(wanted), sorted(_names(aside)))


def _taken_back(answered: Answered, wanted: list[str]) -> Iterator[str]:
    back = (each for step in answered.every_step() for each in step.taken_back)
    yield from differs("taken_back", sorted(wanted), sorted(_names(back)))


def _because(answered: Answered, wanted: Stated) -> Iterator[str]:
    said = {name_of(fate.subject): fate.because for step in answered.every_step() for fate in step.eliminated}
    for name, because in wanted.items():
        yield from differs(f"because of {name}", because, said.get(name))


def _settled(answered: Answered, wanted: str) -> Iterator[str]:
    settled = SettledBy(answered.situation, answered.runs[-1], answered.course)
    yield from differs("settled", wanted, settled.because)


def _facts(answered: Answered, wanted: Stated) -> Iterator[str]:
    got = {name: value for run in answered.runs for name, value in run.facts.items()}
    yield from differs("facts", dict(wanted), {name: got.get(name) for name in wanted})


def _chosen(answered: Answered, wanted: Stated) -> Iterator[str]:
    got = {name: value for run in answered.runs for name, value in run.chosen.items()}
    yield from differs("chosen", dict(wanted), got)


def _every(answered: Answered, wanted: Stated) -> Iterator[str]:
    got = {name: value for run in answered.runs for name, value in run.every.items() if value is not None}
    yield from differs("every", dict(wanted), got)


def _failure(answered: Answered, wanted: Stated) -> Iterator[str]:
    found = answered.runs[-1].failure
    got = {"reason": found.reason, "call": found.call, **_ending(answered, found.rule)} if found else {}
    stated = {key: value for key, value in got.items() if key in wanted} if wanted else got
    yield from differs("failure", dict(wanted), stated)


def _ending(answered: Answered, at: int) -> Stated:
    """The rule that ended the call, and its sentences."""
    rule = answered.course.rulesets[-1].rules[at]
    texts = {"because": rule.because, "remedy": getattr(rule.action, "remedy", None)}
    return {"rule": rule.id, **{key: _sentence(answered, at, text) for key, text in texts.items() if text}}


def _sentence(answered: Answered, at: int, text: Because | None = None) -> str:
    """A sentence of a rule of the last document, its because if none is given, filled with what the rule saw."""
    ruleset, first = answered.course.rulesets[-1], answered.first
    seen = next(islice(seen_by(ruleset, answered.runs[-1], answered.listed, first), at, None))
    return sentence(ruleset, ruleset.rules[at], None, scope_of(seen, first), text)


def _remarks(answered: Answered, wanted: list[str]) -> Iterator[str]:
    ruleset = answered.course.rulesets[-1]
    remarking = ruleset.remarking(answered.runs[-1].facts)
    got = [_sentence(answered, ruleset.rules.index(rule), Because(rule.remark)) for rule in remarking]
    yield from differs("remarks", wanted, got)


def _unmet(answered: Answered, wanted: Stated) -> Iterator[str]:
    numbers = {rule.id: at for at, rule in enumerate(answered.course.rulesets[-1].rules)}
    unmet = [name for name, holds in _conditions_of(answered).items() if not holds and name in wanted]
    yield from differs("unmet", dict(wanted), {name: _sentence(answered, numbers[name]) for name in unmet})


def _conditions_of(answered: Answered) -> dict[str, bool]:
    pairs = zip(answered.course.rulesets[-1].rules, answered.runs[-1].trace or (), strict=True)
    looked_at = [(rule.id, Applied(*did)) for rule, did in pairs if did is not None and isinstance(rule.action, Holds)]
    return {name: did.derived["holds"] for name, did in looked_at if did.derived}


def _holding(answered: Answered, wanted: Stated) -> Iterator[str]:
    got = _conditions_of(answered)
    yield from differs("holds", dict(wanted), {name: got.get(name) for name in wanted})


def _said(answered: Answered, wanted: Mapping[str, Stated]) -> Iterator[str]:
    got = {each.rule.id: each for each in unfulfilled(answered.course, answered.situation, answered.runs[0])}
    for name, stated in wanted.items():
        said = {key: getattr(got.get(name), key, None) for key in stated}
        yield from differs(f"said of {name}", dict(stated), said)


def _skipped(answered: Answered, wanted: list[str]) -> Iterator[str]:
    yield from differs("skipped", wanted, [name for name in wanted if name not in _conditions_of(answered)])


COURSE_EXPECTATIONS: Mapping[str, Comparison] = {
    "remaining": _remaining,
    "order": _order,
    "fell": _fell,
    "set_aside": _set_aside,
    "taken_back": _taken_back,
    "because": _because,
    "settled": _settled,
    "remarks": _remarks,
    "facts": _facts,
    "chosen": _chosen,
    "every": _every,
    "failure": _failure,
    "holds": _holding,
    "skipped": _skipped,
    "unmet": _unmet,
    "said": _said,
}
"""The closed set of keys that a case may expect, and how each is compared."""


@frozen(eq=False, slots=False, kw_only=True)
class CourseCase(AskedCase):
    """A situation and its subjects, put to the documents up to the ``declaration``'s."""

    declaration: Declaration

    EXPECTS: ClassVar[frozenset[str]] = frozenset(COURSE_EXPECTATIONS)
    COMPARED: ClassVar[Mapping[str, Comparison]] = COURSE_EXPECTATIONS

    @classmethod
    def of(cls, file: CaseFile, table: Stated, place: str, **more: Any) -> Self:
        case = super().of(file, table, place, **more)
        for key in case.facts:
            if key not in ("situation", "subjects"):
                raise CaseError(f"{place}: facts: unknown key {key}{instead(key, ('situation', 'subjects'))}")
        names = Counter(_names(case.subjects))
        if twice := [name for name, times in names.items() if times > 1]:
            raise CaseError(f"{place}: facts.subjects: {', '.join(twice)} stands for several subjects")
        assert case.situation is not None  # noqa: S101 - read now, so that what is wrong is told now
        return case

    @cached_property
    def situation(self) -> Any:
        """What the rules see besides the subjects."""
        return made(self.declaration.situation, self.facts.get("situation", {}), f"{self}: facts.situation")

    @cached_property
    def subjects(self) -> tuple[Any, ...]:
        """What the rules choose from, in listing order."""
        given, kind = self.facts.get("subjects", []), self.declaration.subject
        if kind is None:
            return ()
        return tuple(made(kind, each, f"{self}: facts.subjects[{at}]") for at, each in enumerate(given))

    def answer(self, rules: Rules, executor: ExecutorName = "compiled", conditions: bool = False) -> Answered:
        course = Course.of(self.read(rules), self.declaration, executor)
        runs = course.run(self.situation, self.subjects, traced=True)
        told, earlier = [], dict[str, Any]()
        for each, run in zip(course.steps, runs, strict=True):
            scope = first_scope(each, self.situation, self.subjects, None, earlier)
            told.append(tuple(steps(each.ruleset, run, self.subjects, scope, conditions)))
            earlier = dict(run.hands_on)
        return Answered(course, self.situation, scope, self.subjects, runs, tuple(told))

    def told(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        answered = self.answer(rules, executor, conditions=True)
        last = answered.runs[-1]
        return {
            "remaining": _names(last.remaining),
            "failure": last.failure,
            "facts": [dict(run.facts) for run in answered.runs],
            "chosen": [dict(run.chosen) for run in answered.runs],
            "every": [dict(run.every) for run in answered.runs],
            "steps": [step_document(step, lambda each: {"name": name_of(each)}) for step in answered.every_step()],
        }

    def acted(self, answer: Answered) -> bool:
        return any(
            decided(rule, did, self.ordinary)
            for ruleset, run in zip(answer.course.rulesets, answer.runs, strict=True)
            for rule, did in zip(ruleset.rules, run.trace or (), strict=True)
            if rule.id == self.rule
        )


def made(kind: type, stated: Any, place: str) -> Any:
    """A value of an attrs class from its fields in TOML. Raises CaseError, which begins with ``place``."""
    if not isinstance(stated, dict):
        raise CaseError(f"{place}: is not a table")
    known = [each.name for each in fields(kind)]
    for key in stated:
        if key not in known:
            raise CaseError(f"{place}: unknown key {key}{instead(key, known)}")
    hints = get_type_hints(kind)
    values = {key: _value(hints[key], value, f"{place}.{key}") for key, value in stated.items()}
    try:
        return kind(**values)
    except (DomainError, TypeError) as error:
        raise CaseError(f"{place}: {error}") from None


def _value(hint: Any, value: Any, place: str) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if hint is float and type(value) is int:
        return float(value)
    if hint in (bool, int, float, str) and type(value) is not hint:
        raise CaseError(f"{place}: {value!r} is not of the type {hint.__name__}")
    return value
