"""The kinds of case that ask the rules directly, and how each expectation is compared.

docs/reference/case-keys.md says what each key of a case file means.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_type_hints

from attrs import fields, frozen

from mqclause.answers import RuleAnswer
from mqclause.check.findings import find_failed_conditions
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import ExecutorName, Run, StepResult
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language.evaluator import Scope
from mqclause.model.configuration.snapshot import Snapshot, read_document
from mqclause.model.diagnostics import DomainError, suggest_allowed
from mqclause.model.facts.workload import Destination, SequenceState
from mqclause.rulebook.case_files import (
    Case,
    CaseError,
    CaseFile,
    StatedTable,
    compare_values,
    merge_scene,
    read_case_files,
)
from mqclause.rulebook.clauses import find_unstated_clauses, read_clause_files
from mqclause.rulebook.rule import (
    Choose,
    Conclude,
    Condition,
    Declaration,
    Derive,
    FailWith,
    MessageTemplate,
    OrderBy,
    Rule,
    Ruleset,
    Settle,
)
from mqclause.rulebook.rules import Rules
from mqclause.trace import (
    Effect,
    StepTrace,
    build_step_document,
    build_steps,
    find_scope,
    render_sentence,
)
from mqclause.workload.decision import Decision, Engine, Level

Comparison = Callable[[str, Any, Any], Iterator[str]]
"""Compares under a key what an answer has with what a case expects: what is wrong, if anything."""

Finder = Callable[[Any], Any]
"""Finds in an answer what a case expects under a key."""


def equals(find: Finder) -> Comparison:
    """Compare what is found with all that is expected."""
    return lambda key, answer, wanted: compare_values(key, _in_order(wanted), _in_order(find(answer)))


def _in_order(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, Mapping) else value


def equals_in_any_order(find: Finder) -> Comparison:
    """Compare what is found with all that is expected, whatever stands first."""
    return lambda key, answer, wanted: compare_values(key, sorted(wanted), sorted(find(answer)))


def has_stated(find: Finder) -> Comparison:
    """Compare of the mapping that is found the keys that are expected."""

    def compare(key: str, answer: Any, wanted: StatedTable) -> Iterator[str]:
        found = find(answer)
        yield from compare_values(key, dict(wanted), {name: found.get(name) for name in wanted})

    return compare


def has_each(find: Finder, joint: str = "of") -> Comparison:
    """Compare likewise, and tell of each key by itself: ``because of QM2``."""

    def compare(key: str, answer: Any, wanted: StatedTable) -> Iterator[str]:
        found = find(answer)
        for name, each in wanted.items():
            yield from compare_values(f"{key} {joint} {name}", each, found.get(name))

    return compare


def _get_subject_name(subject: Any) -> str:
    """Return the name by which a case refers to a subject."""
    return str(getattr(subject, "name", None) or getattr(subject, fields(type(subject))[0].name))


def _names(subjects: Iterable[Any]) -> list[str]:
    return [_get_subject_name(each) for each in subjects]


def _failure(key: str, answered: PipelineAnswer, wanted: StatedTable) -> Iterator[str]:
    found = answered.runs[-1].failure
    got = {"reason": found.reason, "call": found.call, **_ending(answered, found.rule)} if found else {}
    stated = {name: value for name, value in got.items() if name in wanted} if wanted else got
    yield from compare_values(key, dict(wanted), stated)


def _ending(answered: PipelineAnswer, at: int) -> StatedTable:
    """The rule that ended the call, and its sentences."""
    rule = answered.course.rulesets[-1].rules[at]
    texts = {"because": rule.because, "remedy": getattr(rule.action, "remedy", None)}
    return {"rule": rule.id, **{key: answered.say(rule, text) for key, text in texts.items() if text}}


def _remarks(answered: PipelineAnswer) -> list[str]:
    remarking = answered.course.rulesets[-1].find_remarking_rules(answered.runs[-1].facts)
    return [answered.say(rule, MessageTemplate(rule.remark)) for rule in remarking]


def _unmet(answered: PipelineAnswer) -> dict[str, str]:
    holding = _conditions_of(answered)
    return {rule.id: answered.say(rule) for rule in answered.course.rulesets[-1].rules if holding.get(rule.id) is False}


def _conditions_of(answered: PipelineAnswer) -> dict[str, bool]:
    pairs = zip(answered.course.rulesets[-1].rules, answered.runs[-1].trace or (), strict=True)
    looked_at = [
        (rule.id, StepResult(*did)) for rule, did in pairs if did is not None and isinstance(rule.action, Condition)
    ]
    return {name: did.derived["holds"] for name, did in looked_at if did.derived}


def _skipped(key: str, answered: PipelineAnswer, wanted: list[str]) -> Iterator[str]:
    yield from compare_values(key, wanted, [name for name in wanted if name not in _conditions_of(answered)])


def _said(key: str, answered: PipelineAnswer, wanted: Mapping[str, StatedTable]) -> Iterator[str]:
    got = {each.rule.id: each for each in find_failed_conditions(answered.course, answered.situation, answered.runs[0])}
    for name, stated in wanted.items():
        said = {field: getattr(got.get(name), field, None) for field in stated}
        yield from compare_values(f"{key} of {name}", dict(stated), said)


PIPELINE_EXPECTATIONS: Mapping[str, Comparison] = {
    "remaining": equals_in_any_order(lambda answered: _names(answered.runs[-1].remaining)),
    "order": equals(lambda answered: _names(answered.runs[-1].remaining)),
    "fell": equals(lambda answered: {_get_subject_name(fate.subject): rule for rule, fate in answered.eliminated}),
    "set_aside": equals_in_any_order(
        lambda answered: _names(fate.subject for step in answered.all_steps for fate in step.set_aside)
    ),
    "taken_back": equals_in_any_order(
        lambda answered: _names(each for step in answered.all_steps for each in step.taken_back)
    ),
    "because": has_each(
        lambda answered: {_get_subject_name(fate.subject): fate.because for _, fate in answered.eliminated}
    ),
    "settled": equals(lambda answered: RuleAnswer(answered.situation, answered.runs[-1], answered.course).because),
    "remarks": equals(_remarks),
    "facts": has_stated(lambda answered: answered.derived("facts")),
    "chosen": equals(lambda answered: answered.derived("chosen")),
    "every": equals(lambda answered: answered.derived("every")),
    "failure": _failure,
    "holds": has_stated(_conditions_of),
    "skipped": _skipped,
    "unmet": has_stated(_unmet),
    "said": _said,
}
"""The closed set of keys that a case may expect, and how each is compared."""


def _reason(key: str, decision: Decision, wanted: StatedTable) -> Iterator[str]:
    got = decision.reason
    yield from compare_values(key, wanted, got and {name: getattr(got, name) for name in wanted})


def _permitted(key: str, decision: Decision, wanted: list[str]) -> Iterator[str]:
    got = [_get_shortest_name(decision, each) for each in decision.permitted]
    yield from compare_values(key, sorted(_labelled(decision, wanted)), sorted(got))
    if decision.outcome == "chosen":
        yield from compare_values("chosen is permitted", True, decision.chosen in decision.permitted)


def _fell_in_decision(key: str, decision: Decision, wanted: Mapping[str, str]) -> Iterator[str]:
    fell = dict(zip(_labelled(decision, wanted), wanted.values(), strict=True))
    got = {_get_shortest_name(decision, each): rule for each, rule in decision.fell_by().items()}
    yield from compare_values(key, _in_order(fell), _in_order(got))


def _sentences_of_decision(key: str, decision: Decision, wanted: Mapping[str, str]) -> Iterator[str]:
    sentences = {id(fate.subject): fate.because for step in decision.steps for fate in step.eliminated}
    for name, sentence in wanted.items():
        got = sentences.get(id(_find_destination(decision, name)))
        yield from compare_values(f"{key} of {name}", sentence, got)


def _taken_back_in_decision(key: str, decision: Decision, wanted: list[str]) -> Iterator[str]:
    got = [_get_shortest_name(decision, each) for step in decision.steps for each in step.taken_back]
    yield from compare_values(key, sorted(_labelled(decision, wanted)), sorted(got))


def _stated_in(key: str) -> Finder:
    """What a decision's document has under a key, without what is null; an empty table says that there is nothing."""
    return lambda decision: {
        name: value for name, value in (decision.to_json()[key] or {}).items() if value is not None
    }


def _resolution(decision: Decision) -> list[str]:
    """Each object that was followed, as ``"A QALIAS to Q"``."""
    return [f"{each['object']} {each['type']} to {each['to']}" for each in decision.to_json()["resolution"]]


PUT_EXPECTATIONS: Mapping[str, Comparison] = {
    "outcome": equals(lambda decision: decision.outcome),
    "reason": _reason,
    "permitted": _permitted,
    "fell": _fell_in_decision,
    "because": _sentences_of_decision,
    "taken_back": _taken_back_in_decision,
    "advance": equals(_stated_in("advance")),
    "resolution": equals(_resolution),
    "resolved": equals(lambda decision: [each.because for each in decision.resolved.looks]),
    "chosen": equals(_stated_in("chosen")),
    "remarks": equals(lambda decision: list(decision.remarks)),
    "asked": equals(lambda decision: bool(decision.runs)),
    "bind": equals(lambda decision: decision.situation.bind),
    "priority": equals(lambda decision: decision.resolved.default_priority),
}
"""The closed set of keys that a case may expect, and how each is compared."""


@frozen(eq=False, slots=False)
class RunnableCase(Case):
    """A case with its question, read by the ``rules`` that it is put to, in its edition and under its readings."""

    GOES_THROUGH: ClassVar[bool] = False
    """Whether the product is asked, and not rules alone."""

    def read(self, rules: Rules) -> Rules:
        """Read the rules in the case's edition, if it has one, and under its readings. Raises ReadingError."""
        return (rules.in_edition(self.edition) if self.edition else rules).under(self.readings)

    @abstractmethod
    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        """Run the rules on the case. Raises ReadingError and RuleError."""

    @abstractmethod
    def to_values(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        """Return everything that the rules answer to the case, as values that compare."""

    @abstractmethod
    def acted(self, answer: Any) -> bool:
        """Return whether the case's rule decided something in ``answer``."""

    def has_decided_in(self, runs: Iterable[tuple[Ruleset, Run]]) -> bool:
        """Return whether the case's rule decided something in one of these traced runs."""
        return any(
            has_decided(rule, did, self.ordinary)
            for ruleset, run in runs
            for rule, did in zip(ruleset.rules, run.trace or (), strict=True)
            if rule.id == self.rule
        )

    def find_differences(self, answer: Any) -> list[str]:
        """Find what in ``answer`` differs from what the case expects, whichever rule did it."""
        return [fault for key, wanted in self.expect.items() for fault in self.EXPECTS[key](key, answer, wanted)]

    def faults(self, rules: Rules, executor: ExecutorName = "compiled") -> list[str]:
        """Run the case; return what differs from what it expects."""
        answer = self.answer(rules, executor)
        wrong = self.find_differences(answer)
        if self.acted(answer) != self.acts:
            wrong.append(f"acts: expected {self.acts} of {self.rule}")
        return wrong


def has_decided(rule: Rule, did: Sequence[Any] | None, ordinary: Mapping[str, Any]) -> bool:
    """Return whether a rule decided something, by what the trace says it ``did``.

    It let fall, took back, chose, ordered, failed the call, gave subjects values, or derived something else than what
    is ``ordinary``: for a condition that it holds, for a conclusion that it is not drawn, unless stated otherwise.
    """
    if did is None or isinstance(rule.action, Choose | FailWith | OrderBy | Settle):
        return did is not None
    applied = StepResult(*did)
    match rule.action:
        case Derive(of="situation"):
            return applied.derived != ordinary
        case Derive():
            return True
        case Condition():
            return applied.derived != (ordinary or {"holds": True})
        case Conclude(fact=fact):
            return applied.derived != (ordinary or {fact: False})
    return bool(applied.fallen or applied.taken_back)


class PipelineAnswer(NamedTuple):
    """What the documents of a course made of a situation and the subjects ``listed``: of each its run and its steps.

    ``first`` is what the first rule of the last document saw.
    """

    course: Pipeline
    situation: Any
    first: Scope
    listed: Sequence[Any]
    runs: tuple[Run, ...]
    steps: tuple[tuple[StepTrace, ...], ...]

    @property
    def all_steps(self) -> Iterator[StepTrace]:
        """The steps of all documents."""
        return chain.from_iterable(self.steps)

    @property
    def eliminated(self) -> Iterator[tuple[str, Effect]]:
        """Everyone who fell, with the rule by which."""
        return ((step.rule.id, fate) for step in self.all_steps for fate in step.eliminated)

    def derived(self, of: Literal["facts", "chosen", "every"]) -> dict[str, Any]:
        """Return what rules of any document derived."""
        found = ((name, value) for run in self.runs for name, value in getattr(run, of).items())
        return {name: value for name, value in found if value is not None}

    def say(self, rule: Rule, text: MessageTemplate | None = None) -> str:
        """Fill a sentence of a rule of the last document, its because if none is given, with what the rule saw."""
        ruleset = self.course.rulesets[-1]
        return render_sentence(
            ruleset, rule, None, find_scope(ruleset, rule, self.runs[-1], self.listed, self.first), text
        )


@frozen(eq=False, slots=False, kw_only=True)
class PipelineCase(RunnableCase):
    """A situation and its subjects, put to the documents up to the ``declaration``'s."""

    declaration: Declaration

    EXPECTS: ClassVar[Mapping[str, Comparison]] = PIPELINE_EXPECTATIONS

    @classmethod
    def of(cls, file: CaseFile, table: StatedTable, place: str, **more: Any) -> Self:
        case = super().of(file, table, place, **more)
        for key in case.facts:
            if key not in ("situation", "subjects"):
                raise CaseError(f"{place}: facts: unknown key {key}{suggest_allowed(key, ('situation', 'subjects'))}")
        names = Counter(_names(case.subjects))
        if twice := [name for name, times in names.items() if times > 1]:
            raise CaseError(f"{place}: facts.subjects: {', '.join(twice)} stands for several subjects")
        assert case.situation is not None  # noqa: S101 - read now, so that what is wrong is told now
        return case

    @cached_property
    def situation(self) -> Any:
        """What the rules see besides the subjects."""
        return build_value(self.declaration.situation, self.facts.get("situation", {}), f"{self}: facts.situation")

    @cached_property
    def subjects(self) -> tuple[Any, ...]:
        """What the rules choose from, in listing order."""
        given, kind = self.facts.get("subjects", []), self.declaration.subject
        if kind is None:
            return ()
        return tuple(build_value(kind, each, f"{self}: facts.subjects[{at}]") for at, each in enumerate(given))

    def answer(self, rules: Rules, executor: ExecutorName = "compiled", conditions: bool = False) -> PipelineAnswer:
        course = Pipeline.of(self.read(rules), self.declaration, executor)
        runs = course.run(self.situation, self.subjects, traced=True)
        told, earlier = [], dict[str, Any]()
        for each, run in zip(course.steps, runs, strict=True):
            scope = build_first_scope(each, self.situation, self.subjects, None, earlier)
            told.append(tuple(build_steps(each.ruleset, run, self.subjects, scope, conditions)))
            earlier = dict(run.hands_on)
        return PipelineAnswer(course, self.situation, scope, self.subjects, runs, tuple(told))

    def to_values(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        answered = self.answer(rules, executor, conditions=True)
        last = answered.runs[-1]
        return {
            "remaining": _names(last.remaining),
            "failure": last.failure,
            "facts": [dict(run.facts) for run in answered.runs],
            "chosen": [dict(run.chosen) for run in answered.runs],
            "every": [dict(run.every) for run in answered.runs],
            "steps": [
                build_step_document(step, lambda each: {"name": _get_subject_name(each)}) for step in answered.all_steps
            ],
        }

    def acted(self, answer: PipelineAnswer) -> bool:
        return self.has_decided_in(zip(answer.course.rulesets, answer.runs, strict=True))


_types = cache(get_type_hints)
"""The types of a class's fields: most of what it takes to read a case, where each looks them up."""


def build_value(kind: type, stated: Any, place: str) -> Any:
    """Build a value of an attrs class from its fields in TOML. Raises CaseError, which begins with ``place``."""
    if not isinstance(stated, dict):
        raise CaseError(f"{place}: is not a table")
    known = [each.name for each in fields(kind)]
    for key in stated:
        if key not in known:
            raise CaseError(f"{place}: unknown key {key}{suggest_allowed(key, known)}")
    hints = _types(kind)
    values = {key: _value(hints[key], value, f"{place}.{key}") for key, value in stated.items()}
    try:
        return kind(**values)
    except (DomainError, TypeError) as error:
        raise CaseError(f"{place}: {error}") from None


@frozen(eq=False, slots=False)
class DecisionCase(RunnableCase):
    """One put in its facts; ``before`` are the facts of the put before it, if there was one."""

    before: StatedTable | None = None

    GOES_THROUGH: ClassVar[bool] = True
    KEYS: ClassVar[frozenset[str]] = frozenset({"before"})
    EXPECTS: ClassVar[Mapping[str, Comparison]] = PUT_EXPECTATIONS

    @classmethod
    def of(cls, file: CaseFile, table: StatedTable, place: str, **more: Any) -> Self:
        before = merge_scene(file.facts, table["before"], place) if "before" in table else None
        return super().of(file, table, place, before=before, **more)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The facts as the engine takes them."""
        return read_document(self.facts, str(self))

    @cached_property
    def earlier(self) -> Snapshot | None:
        """The facts at the put before, if there was one."""
        return None if self.before is None else read_document(self.before, f"{self}: before")

    def answer(self, rules: Rules, executor: ExecutorName = "compiled", explain: Level = "rule") -> Decision:
        engine = Engine(self.read(rules), executor)
        state = None if self.earlier is None else self._choice(engine, self.earlier, None, "off").state
        return self._choice(engine, self.snapshot, state, explain)

    def to_values(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        return self.answer(rules, executor, "condition").to_json()

    def acted(self, answer: Decision) -> bool:
        looks = [(each.course.rulesets[0], each.run) for each in answer.resolved.looks]
        runs = zip(answer.rulesets, answer.runs, strict=True) if answer.runs else ()
        return self.has_decided_in((*looks, *runs))

    def _choice(self, engine: Engine, snapshot: Snapshot, state: SequenceState | None, explain: Level) -> Decision:
        if snapshot.put is None:
            raise CaseError(f"{self}: facts: put is missing")
        return engine.choose(snapshot.put, snapshot.cluster, state, explain)


def _find_destination(decision: Decision, name: str) -> Destination:
    """Find the destination that ``name`` stands for. Raises CaseError unless there is exactly one."""
    queue_manager, channel, cluster = (*name.split("/"), "", "")[:3]
    found = [
        each
        for each in decision.listed
        if each.queue_manager == queue_manager
        and (not channel or each.channel == channel)
        and (not cluster or each.cluster == cluster)
    ]
    if len(found) != 1:
        raise CaseError(f"{name!r} stands for {len(found)} destinations")
    return found[0]


def _get_shortest_name(decision: Decision, of: Destination) -> str:
    """Return the shortest name that ``destination`` understands."""
    there = [each for each in decision.listed if each.queue_manager == of.queue_manager]
    if len(there) == 1:
        return of.queue_manager
    alone = sum(each.channel == of.channel for each in there) == 1
    return f"{of.queue_manager}/{of.channel}" if alone else f"{of.queue_manager}/{of.channel}/{of.cluster}"


@frozen
class DocumentCounts:
    """A document by the name of its folder and its title; how many ``rules``, of any edition, and ``cases`` it has.

    ``sentences`` are those of the document itself, of which ``stated`` have rules and the others a reason why they are
    none; ``more`` are those of other books, of which ``more_stated`` have rules. Each part of a sentence counts.
    ``missing`` says which rules state no sentence, or another one than they say, and which sentences have no rule.
    """

    document: str
    title: str
    sentences: int
    stated: int
    more: int
    more_stated: int
    rules: int
    cases: int
    missing: tuple[str, ...]


def count_documents(rules: Rules) -> tuple[DocumentCounts, ...]:
    """Count every document, in the order in which they are declared. Raises RuleError and CaseError."""
    return tuple(_counted(rules, name) for name in DOCUMENTS)


def _value(hint: Any, value: Any, place: str) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if hint is float and type(value) is int:
        return float(value)
    if hint in (bool, int, float, str) and type(value) is not hint:
        raise CaseError(f"{place}: {value!r} is not of the type {hint.__name__}")
    return value


def _labelled(decision: Decision, names: Iterable[str]) -> list[str]:
    return [_get_shortest_name(decision, _find_destination(decision, name)) for name in names]


def _counted(rules: Rules, name: str) -> DocumentCounts:
    files = read_clause_files(rules, name)
    every = [clause for file in files for clause in file.clauses]
    # A document that lies before its reader has sentences with fingerprints; other books give numbers and pages.
    own = [clause for clause in every if clause.fingerprint] or every
    stated, of_all = (sum(clause.rules is not None for clause in listed) for listed in (own, every))
    return DocumentCounts(
        name,
        files[0].title,
        len(own),
        stated,
        len(every) - len(own),
        of_all - stated,
        len(rules.in_folder(name)),
        sum(len(file.tables) for file in read_case_files(None, name)),
        tuple(find_unstated_clauses(rules, name)),
    )
