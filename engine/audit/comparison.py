"""Compare two sets of rules, or of configurations: what each states otherwise, and where answers differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from attrs import asdict, astuple, evolve, field, fields, frozen

from mqclause.audit.case_run import ENDS_OTHERWISE, find_case_files, read_file_cases
from mqclause.audit.proof import Given, find_given
from mqclause.audit.situations import (
    Bound,
    StatedSituation,
    Values,
    build_situations,
    find_plain_subject,
    list_compared_values,
    merge_values,
    show_asked_terms,
    shrink_while,
    to_toml_value,
)
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import LoweredRuleset, Run, compile_term, list_expressions
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language import nodes
from mqclause.language.parser import expand_terms
from mqclause.language.vocabulary import About, UnreckonedError
from mqclause.model.configuration.members import Members, get_local_name
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.facts.domains import REASONS
from mqclause.model.readers.facts_files import LIST_TABLES
from mqclause.rulebook.rule import Conclude, Declaration, Expression, ReadingError, RuleError, Ruleset
from mqclause.rulebook.rules import AUTO, Rules
from mqclause.testing.case_kinds import RunnableCase
from mqclause.trace import build_steps

FORMAT = "mqclause.comparison/1"

FIRST_BOUND, WIDER_BOUND = Bound(3, 4, 60_000), Bound(2, 3, 40_000)
"""Over what changed rules look at, and over all that the rules of a document look at."""


@frozen
class TextDifference:
    """A key of a rule file that one side has, or that each states otherwise; None where a side does not state it."""

    path: str
    key: str
    before: Any
    after: Any

    def to_json(self) -> dict[str, Any]:
        """Return the difference as JSON values."""
        return {"file": self.path, "key": self.key, "before": self.before, "after": self.after}


@frozen
class Side:
    """What the rules of one side make of the facts, in a sentence, and what each rule did."""

    answer: str
    steps: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the side as JSON values."""
        return asdict(self)


@frozen
class Example:
    """Facts on which two sides answer otherwise.

    Where they are those of a ``case``, it is named; else they are the situation and the subjects that rules see.
    """

    facts: Mapping[str, Any]
    before: Side
    after: Side
    case: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the example as JSON values."""
        sides = {"before": self.before.to_json(), "after": self.after.to_json()}
        return {"facts": dict(self.facts), **sides, "case": self.case or None}


@frozen
class DocumentComparison:
    """How the rules of one document differ: the ``changed`` ones by their ids, and the plainest example, if any.

    ``tried`` situations were decided by both sides, of up to so many ``subjects`` and attributes, and all ``cases``.
    """

    document: str
    changed: tuple[str, ...]
    example: Example | None
    tried: int
    cases: int
    bound: Bound

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "document": self.document,
            "changed": list(self.changed),
            "example": self.example and self.example.to_json(),
            "tried": self.tried,
            "cases": self.cases,
            "bound": {"subjects": self.bound.subjects, "attributes": self.bound.attributes},
        }


@frozen
class Comparison:
    """What differs between two sets of rules: the keys of their files, and their answers by document."""

    text: tuple[TextDifference, ...]
    documents: tuple[DocumentComparison, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        text, documents = ([each.to_json() for each in found] for found in (self.text, self.documents))
        return {"format": FORMAT, "text": text, "documents": documents}


def compare_rules(before: Rules, after: Rules, names: Iterable[str] = (), bound: Bound = FIRST_BOUND) -> Comparison:
    """Compare two sets of rules, of all documents or of some; files that all share count for each.

    Raises RuleError and CaseError.
    """
    wanted = frozenset(names) or DOCUMENTS.keys()
    asked = [each for each in DOCUMENTS.values() if each.name in wanted]
    found = []
    for about in asked:
        if any(path.startswith(f"{about.name}/") for path in before.files):
            changed = _find_changed_rules(before, after, about)
            if changed:
                found.append(_compared(before, after, about, changed, bound))
    others = DOCUMENTS.keys() - wanted
    texts = (each for each in compare_texts(before, after) if _find_ruleset(each) not in others)
    return Comparison(tuple(texts), tuple(found))


def _find_ruleset(of: TextDifference) -> str:
    """The ruleset that a difference is about: of terms the first part of the key, of files that all share none."""
    return of.key.partition(".")[0] if of.path == "terms.toml" else of.path.partition("/")[0]


def compare_texts(before: Rules, after: Rules) -> Iterator[TextDifference]:
    """Compare the files of two sets of rules, key by key.

    Of one folder it is compared what its files state in the edition and under the readings in force.
    """
    same = before.files == after.files
    for path in sorted({*before.files, *after.files}):
        if not same and before.files.get(path) == after.files.get(path):
            continue
        one, other = (dict(_flat(_stated(rules, path) if same else rules.toml(path))) for rules in (before, after))
        for key in dict.fromkeys((*one, *other)):
            if one.get(key) != other.get(key):
                yield TextDifference(path, key, one.get(key), other.get(key))


def _stated(rules: Rules, path: str) -> Mapping[str, Any]:
    """What a file states in the edition and under the readings in force, also of each term and reading in it."""
    table = rules.toml(path)
    if path.startswith("documents/") or path == "editions.toml":
        return table
    return _in_force(rules, table)


def _in_force(rules: Rules, table: Mapping[str, Any]) -> dict[str, Any]:
    stated = rules.in_force.stated(table)
    return {key: _in_force(rules, value) if isinstance(value, Mapping) else value for key, value in stated.items()}


def _flat(table: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{within}{key}.")
        elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
            for at, each in enumerate(value, 1):
                yield from _flat(each, f"{within}{key} {each.get('path', at)}.")
        else:
            yield f"{within}{key}", value


def _find_changed_rules(before: Rules, after: Rules, about: Declaration) -> tuple[str, ...]:
    """Find the rules of a document that are not the same, that one side has alone, or that run elsewhere."""
    one, other = before.ruleset(about), after.ruleset(about)
    if one is other:
        return ()
    gists = [{rule.id: rule.describe_effect(each.vocabulary, True) for rule in each.rules} for each in (one, other)]
    found = {name for name in {*gists[0], *gists[1]} if gists[0].get(name) != gists[1].get(name)}
    common = [[rule.id for rule in each.rules if rule.id in gists[0] and rule.id in gists[1]] for each in (one, other)]
    found |= {name for name, place in zip(*common, strict=True) if name != place}
    found |= {f"term {term}" for term in _changed_terms(one, other)}
    return tuple(sorted(found))


def _changed_terms(one: Ruleset, other: Ruleset) -> Iterator[str]:
    """Terms that are asked before any rule, and say something else."""
    for term in one.about.terms:
        trees = [expand_terms(nodes.Column(term), each.vocabulary.before) for each in (one, other)]
        if trees[0] != trees[1]:
            yield term


def _compared(
    before: Rules, after: Rules, about: Declaration, changed: Sequence[str], bound: Bound
) -> DocumentComparison:
    sides = _Answering.pair(before, after, about)
    tried, base, beside = 0, find_plain_subject(*(side.course for side in sides)), dict[str, StatedSituation]()
    given = [side.given for side in sides]
    for values, within in _searches(sides, changed, [each.values for each in given], bound):
        built = build_situations(about, values, within, base, lambda *each: all(one.allows(*each) for one in given))
        for stated, situation, subjects in built:
            tried += 1
            one, other = (side.answer(situation, subjects) for side in sides)
            if one.ends != other.ends:
                explained = _explained(sides, stated, lambda side, *each: side.answer(*each).ends)
                return DocumentComparison(about.name, tuple(changed), explained, tried, 0, within)
            if "facts" not in beside and one != other:
                beside["facts"] = stated
            if "terms" not in beside and sides[0].ask(situation, subjects) != sides[1].ask(situation, subjects):
                beside["terms"] = stated
    cases = [case for path in find_case_files([about.name]) for case in read_file_cases(path)]
    example, looked_at = _from_cases(before, after, cases, with_details=not beside)
    if example is None and "facts" in beside:
        example = _explained(sides, beside["facts"], _Answering.answer)
    if example is None and "terms" in beside:
        example = _explained(sides, beside["terms"], _Answering.ask)
    return DocumentComparison(about.name, tuple(changed), example, tried, looked_at, bound)


def _explained(
    sides: Sequence[_Answering], stated: StatedSituation, asked: Callable[[_Answering, Any, Sequence[Any]], Any]
) -> Example:
    """As little of a situation as makes the sides differ, and what each makes of it that the other does not."""

    def differs(each: StatedSituation) -> bool:
        situation, subjects = each.build(sides[0].about)
        if not all(side.given.allows(situation, subjects) for side in sides):
            return False
        return bool(asked(sides[0], situation, subjects) != asked(sides[1], situation, subjects))

    smallest = shrink_while(stated, differs)
    one, other = (side.explain(smallest) for side in sides)
    before, after = (
        evolve(each, steps=tuple(line for line in each.steps if line not in there.steps))
        for each, there in ((one, other), (other, one))
    )
    return Example(smallest.to_toml(), before, after)


def _searches(
    sides: Sequence[_Answering], changed: Sequence[str], given: Sequence[Values], bound: Bound
) -> Iterator[tuple[Values, Bound]]:
    """What is enumerated: over what each changed rule looks at, what all of them do, and all that is looked at.

    Some situations are there only where what is ``given`` is looked at, too.
    """
    alone = evolve(bound, runs=bound.runs // max(3, len(changed)))
    for each in changed if len(changed) > 1 else ():
        yield merge_values(side.list_values({each}) for side in sides), alone
    of_changed = merge_values(side.list_values(set(changed)) for side in sides)
    yield of_changed, bound
    if any(given):
        yield merge_values([of_changed, *given]), bound
    wider = (min(one, other) for one, other in zip(astuple(bound), astuple(WIDER_BOUND), strict=True))
    yield merge_values(side.list_values(None) for side in sides), Bound(*wider)


@frozen(eq=False)
class _Answering:
    """One side: the rules of a document, ready to be asked."""

    about: Declaration
    course: Pipeline
    terms: tuple[tuple[str, About, Callable[[Any], Any]], ...]

    facts: tuple[frozenset[str], ...]
    told: frozenset[str]
    """The facts that answers are made of; others are on the way to them."""

    given: Given

    @classmethod
    def pair(cls, before: Rules, after: Rules, about: Declaration) -> tuple[_Answering, _Answering]:
        """Make both sides ready. A fact that one side alone knows is no difference of answers by itself."""
        courses = [Pipeline.of(rules, about) for rules in (before, after)]
        derived = [[{*steps.derived("situation")} for steps in course.steps] for course in courses]
        common = tuple(frozenset(one & other) for one, other in zip(*derived, strict=True))
        asked = about.terms if about.stated is None and about.subject is not None else {}
        one, other = (
            cls(
                about,
                course,
                tuple((term, of, compile_term(course.rulesets[-1], term, of)) for term, (_, of) in asked.items()),
                common,
                _told_facts(course.rulesets[-1], common[-1]),
                find_given(rules, about),
            )
            for rules, course in zip((before, after), courses, strict=True)
        )
        return one, other

    def list_values(self, changed: set[str] | None) -> Values:
        """The values that rules tell apart: those that changed, with the terms that did, or all of the course."""
        found = []
        for steps in self.course.steps if changed is None else self.course.steps[-1:]:
            trees: list[Expression] = []
            for step in steps.steps:
                if changed is None or step.rule.id in changed:
                    trees += list_expressions(step)
            if changed is not None:
                trees += [nodes.Column(each[5:]) for each in changed if each.startswith("term ")]
            found.append(list_compared_values(show_asked_terms(steps), trees))
        return merge_values(found)

    def answer(self, situation: Any, subjects: Sequence[Any]) -> _Answer:
        """Return what the rules answer: who remains in which order, how the call ends, and what is derived."""
        try:
            runs = self.course.run(situation, subjects)
        except (RuleError, UnreckonedError, *ENDS_OTHERWISE) as error:
            return _Answer(str(error))
        last = runs[-1]
        failure = last.failure and (last.failure.reason, last.failure.call)
        derived = [
            ({name: each.facts[name] for name in common}, dict(each.chosen), dict(each.every))
            for each, common in zip(runs, self.facts, strict=True)
        ]
        told = {name: value for name, value in derived[-1][0].items() if name in self.told}
        ends = [subjects.index(each) for each in last.remaining], failure, told, *derived[-1][1:]
        return _Answer(ends, derived)

    def ask(self, situation: Any, subjects: Sequence[Any]) -> Any:
        """Return what the terms say that are asked before any rule runs."""
        return [[term(each) for each in (subjects if of == "subject" else [situation])] for _, of, term in self.terms]

    def explain(self, stated: StatedSituation) -> Side:
        """Explain what the rules make of a situation."""
        situation, subjects = stated.build(self.about)
        try:
            runs = self.course.run(situation, subjects, traced=True)
        except (RuleError, UnreckonedError, *ENDS_OTHERWISE) as error:
            return Side(str(error))
        names = {id(each): f"{self.course.rulesets[-1].vocabulary.subject} {at}" for at, each in enumerate(subjects, 1)}
        said, earlier = list[str](), dict[str, Any]()
        for steps, run in zip(self.course.steps, runs, strict=True):
            scope = build_first_scope(steps, situation, subjects, None, earlier)
            said += _said_of_steps(steps, run, subjects, scope, names)
            earlier = dict(run.hands_on)
        said += [
            f"term {name} holds of {names[id(each)]}"
            for name, of, term in self.terms
            for each in (subjects if of == "subject" else ())
            if term(each)
        ]
        return Side(_summary(runs[-1], names, self.course), tuple(said))


class _Answer(NamedTuple):
    """What rules answer: how it ``ends``, and all that was derived."""

    ends: Any
    derived: Any = None


def _told_facts(ruleset: Ruleset, known: frozenset[str]) -> frozenset[str]:
    """The facts that answers are made of: those that are asked for and what is concluded; all where none are."""
    concluded = {rule.action.fact for rule in ruleset.rules if isinstance(rule.action, Conclude)}
    return known & {*ruleset.about.asks, *concluded} if ruleset.about.asks else known


def _said_of_steps(
    steps: LoweredRuleset, run: Run, subjects: Sequence[Any], scope: Any, names: Mapping[int, str]
) -> Iterator[str]:
    """What each step did, with its because."""
    for step in build_steps(steps.ruleset, run, subjects, scope, conditions=False):
        for fate in step.eliminated:
            yield f"{step.rule.id}: {names[id(fate.subject)]}: {fate.because}"
        for each in step.taken_back:
            yield f"{step.rule.id}: {names[id(each)]} is taken back"
        for name, value in (step.derived or {}).items():
            yield f"{step.rule.id}: {name} = {value}"


def _summary(run: Run, names: Mapping[int, str], course: Pipeline) -> str:
    if run.failure is not None:
        return f"{run.failure.call} ends with {REASONS.get(run.failure.reason, '')} {run.failure.reason}".replace(
            "  ", " "
        )
    remain = ", ".join(names[id(each)] for each in run.remaining)
    facts = {
        name: value for name, value in (*run.facts.items(), *run.chosen.items()) if value not in (False, "", 0, None)
    }
    said = [f"{remain} remain{'s' if len(run.remaining) == 1 else ''}"] if remain else []
    if course.rulesets[-1].about.subject is not None and not remain:
        said.append("nothing remains")
    said += [f"{name} = {value}" for name, value in sorted(facts.items())]
    return "; ".join(said) or "no rule decides anything"


FOR_READERS = frozenset({
    "edition", "edition_from", "incomplete", "other_editions", "readings", "remarks", "rules", "tests", "when",
})  # fmt: skip
"""The keys of answers that say by which rules they are, how these are written, or what else a reader should know."""

TEXTS = frozenset({"because", "message", "remedy"})
"""The keys of answers that explain them."""

DETAILS = frozenset({"conditions", "steps"})
"""The keys of answers that tell how these came about."""

TIERS = (FOR_READERS | TEXTS | DETAILS, FOR_READERS | TEXTS, FOR_READERS, FOR_READERS - {"remarks"})
"""What is left out when answers are compared: an example that differs in the answer itself is the best."""

MOST_SAID = 12
"""So many differences of two answers are told."""

NOTHING = (None, False, "", 0)
"""What stands where there is nothing to say, or nothing at all."""


def _from_cases(
    before: Rules, after: Rules, cases: Sequence[RunnableCase], with_details: bool
) -> tuple[Example | None, int]:
    """The facts of a case on which the sides differ, those of the shortest such case; and how many were tried.

    One whose answers differ in themselves is better than one in which only that does ``with_details``: how they come
    about, their texts, or their remarks.
    """
    found, tried = dict[int, Example](), 0
    for case in sorted(cases, key=lambda each: len(repr(each.facts))):
        tried += 1
        try:
            one, other = (_outcome(case, rules) for rules in (before, after))
        except ReadingError:  # by which this is not asked
            continue
        for tier, left_out in enumerate(TIERS if with_details else TIERS[:1]):
            differing = [*islice(_differing("", one, other, left_out), MOST_SAID)] if tier not in found else []
            if differing:
                said = [Side("", tuple(f"{path}: {value[at]}" for path, *value in differing)) for at in (0, 1)]
                found[tier] = Example(case.facts, said[0], said[1], str(case))
                break
        if 0 in found:
            break
    return found[min(found)] if found else None, tried


def _outcome(case: RunnableCase, rules: Rules) -> Any:
    """What rules make of the facts of a case, in their own edition and by their own readings. Raises ReadingError."""
    edition = "" if rules.asked == AUTO else rules.asked
    plain = evolve(case, edition=edition, readings=dict(rules.given_readings))
    try:
        return plain.to_values(rules)
    except ReadingError:
        raise
    except ENDS_OTHERWISE as error:
        return f"ends with {type(error).__name__}: {error}"


def _differing(path: str, one: Any, other: Any, left_out: Collection[str]) -> Iterator[tuple[str, Any, Any]]:
    """Where two values differ: the path, and both."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*one, *other)):
            if key not in left_out:
                yield from _differing(f"{path}.{key}".lstrip("."), one.get(key), other.get(key), left_out)
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            alone = [[each for each in here if each not in there] for here, there in ((one, other), (other, one))]
            yield f"{path}, here alone", alone[0] or "none", alone[1] or "none"
            return
        for at, (each, there) in enumerate(zip(one, other, strict=True)):
            yield from _differing(f"{path}[{at}]", each, there, left_out)
    elif one != other and not (one in NOTHING and other in NOTHING):
        yield path or "answer", one, other


IDENTITY = ("name", "queue_manager", "cluster")
"""The attributes that tell an object from others of its kind."""

ObjectKey = tuple[str, ...]
"""The kind of an object, and what tells it from others."""


@frozen
class FactDifference:
    """An attribute that two configurations state otherwise, or with a blank ``key`` an object that one has alone.

    ``seen_at`` are the queue managers that know it so; none where all do that both describe, or its owner alone.
    """

    object: str
    key: str
    before: Any
    after: Any
    seen_at: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the difference as JSON values."""
        return {
            "object": self.object, "key": self.key, "before": self.before, "after": self.after,
            "seen_at": list(self.seen_at),
        }  # fmt: skip


def compare_configurations(before: Members, after: Members) -> tuple[FactDifference, ...]:
    """Compare what the queue managers know that both configurations describe, each object and attribute once."""
    described = {get_local_name(each): each for each in after}
    common = [each for each in before if get_local_name(each) in described]
    found = dict[tuple[str, ...], _Seen]()
    for member in common:
        name = get_local_name(member)
        for owner, each in _list_differences(member, described[name]):
            key = each.object, each.key, repr(each.before), repr(each.after)
            found.setdefault(key, _Seen(owner, each, [])).at.append(name)
    everywhere = [get_local_name(each) for each in common]
    return tuple(
        evolve(each, seen_at=() if at in (everywhere, [owner]) else tuple(at))
        for owner, each, at in (found[key] for key in sorted(found, key=lambda key: key[:2]))
    )


class _Seen(NamedTuple):
    """A difference of an object of its ``owner``, and the queue managers that know it so."""

    owner: str
    difference: FactDifference
    at: list[str]


def _list_differences(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, FactDifference]]:
    """What a queue manager knows otherwise, each with the owner of the object."""
    one, other = (_list_objects(each) for each in (before, after))
    for key in dict.fromkeys((*one, *other)):
        label, owner, was, became = _describe(key), key[2], one.get(key), other.get(key)
        if was is None or became is None:
            yield (
                owner,
                FactDifference(label, "", None if was is None else "there", None if became is None else "there"),
            )
            continue
        for attribute in was:
            if was[attribute] != became.get(attribute):
                yield owner, FactDifference(label, attribute, was[attribute], became.get(attribute))


def _list_objects(member: Snapshot) -> Mapping[ObjectKey, Mapping[str, Any]]:
    """Every object that a queue manager knows, with its attributes."""
    cluster = member.cluster
    listed = [("queue_manager", cluster.queue_manager)]
    listed += [(table, fact) for name, table in LIST_TABLES.items() for fact in getattr(cluster, name)]
    found = dict[ObjectKey, Mapping[str, Any]]()
    for kind, fact in listed:
        stated = {each.name: to_toml_value(getattr(fact, each.name)) for each in fields(type(fact)) if each.init}
        found[kind, *(str(stated.get(name, "") or "") for name in IDENTITY)] = stated
    return found


def _describe(key: ObjectKey) -> str:
    kind, name, owner, cluster = key
    of, within = f" of {owner}" if owner else "", f" in {cluster}" if cluster else ""
    return f"{kind.replace('_', ' ')} {name}{of}{within}"
