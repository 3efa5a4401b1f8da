"""Enumerate situations and subjects, the plainest first, over the values that rules compare with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise, product
from math import prod
from typing import Any

from attrs import NOTHING, evolve, field, fields, frozen

from mqclause.executors.operations import LoweredRuleset, StepResult
from mqclause.executors.pipeline import Pipeline
from mqclause.language import nodes
from mqclause.language.nodes import get_literal_value, strip_parentheses
from mqclause.language.parser import expand_terms
from mqclause.language.vocabulary import Type, Vocabulary, Word, build_words
from mqclause.model.diagnostics import DomainError
from mqclause.rulebook.rule import Declaration, Expression

NEW_NAMES = ("A", "B")
"""Names that stand for any that no rule compares with."""

RECKONED = (1, 3)
"""What numbers are that are reckoned with: one that divides all, and one that leaves a rest."""

Values = Mapping[str, Sequence[Any]]
"""For each attribute the values to try besides its default."""


@frozen
class Bound:
    """How far situations are enumerated: so many ``subjects``, attributes that are not as by default, and runs."""

    subjects: int = 3
    attributes: int = 4
    runs: int = 100_000


@frozen
class StatedSituation:
    """A situation and its subjects by what is stated of them; all else is as by default.

    ``base`` is what every subject has that states nothing else: rules that choose would not look at it further without.
    """

    situation: Mapping[str, Any]
    subjects: tuple[Mapping[str, Any], ...]
    base: Mapping[str, Any] = field(factory=dict)

    def build(self, about: Declaration) -> tuple[Any, tuple[Any, ...]]:
        """Build what the rules see. Raises DomainError for values that do not go together."""
        situation = about.situation(**{**_get_defaults(about.situation), **self.situation})
        if about.subject is None:
            return situation, ()
        plain = {**_get_defaults(about.subject), **self.base}
        return situation, tuple(about.subject(**{**plain, **each}) for each in self.subjects)

    def set_around(self, stated: Mapping[str, Any]) -> StatedSituation:
        """Return the situation with what is ``stated`` of it where it states nothing else."""
        return evolve(self, situation={**stated, **self.situation})

    def to_toml(self) -> dict[str, Any]:
        """Return the facts of a case file: a situation and its subjects."""
        situation = {name: to_toml_value(value) for name, value in self.situation.items()}
        stated = [{**self.base, **each} for each in self.subjects]
        subjects = [{name: to_toml_value(value) for name, value in each.items()} for each in stated]
        return {"situation": situation, "subjects": subjects} if subjects else {"situation": situation}


def to_toml_value(value: Any) -> Any:
    """Return a value as TOML has it."""
    return list(value) if isinstance(value, tuple) else value


def enumerate_situations(about: Declaration, values: Values, bound: Bound) -> Iterator[StatedSituation]:
    """Enumerate what rules of a document can see, what states least first, up to the order of the subjects.

    ``values`` are those of attributes of the situation and of subjects; both have a default for each.
    """
    of_situation, of_subject = part_values(about, values)
    most = bound.subjects if about.subject is not None else 0
    for size in range(bound.attributes + most + 1):
        for count in range(min(most, size) + 1):
            if size - count <= bound.attributes:
                yield from _of_size(of_situation, of_subject, count, size - count)


AttributeValues = Sequence[tuple[str, Sequence[Any]]]
"""Attributes, each with the values to try besides its default."""


def part_values(about: Declaration, values: Values) -> tuple[AttributeValues, AttributeValues]:
    """Part the attributes of the situation from those of a subject."""
    known = {each.name for each in fields(about.situation)}
    return (
        [(name, listed) for name, listed in values.items() if name in known],
        [(name, listed) for name, listed in values.items() if name not in known],
    )


def _of_size(
    of_situation: AttributeValues, of_subject: AttributeValues, count: int, attributes: int
) -> Iterator[StatedSituation]:
    for own in range(attributes + 1):
        for situation in _choices(of_situation, own):
            if not count:
                if own == attributes:
                    yield StatedSituation(situation, ())
                continue
            for sizes in _partitions(attributes - own, count):
                for subjects in _several(of_subject, sizes):
                    if _in_order(subjects):
                        yield StatedSituation(situation, subjects)


def _several(values: AttributeValues, sizes: Sequence[int]) -> Iterator[tuple[dict[str, Any], ...]]:
    """Every choice for several subjects, of so many attributes each."""
    if not sizes:
        yield ()
        return
    for first in _choices(values, sizes[0]):
        for others in _several(values, sizes[1:]):
            yield (first, *others)


def _choices(values: AttributeValues, count: int) -> Iterator[dict[str, Any]]:
    """Every choice of so many attributes with one value each."""
    for chosen in combinations(values, count):
        names = [name for name, _ in chosen]
        for each in product(*(listed for _, listed in chosen)):
            yield dict(zip(names, each, strict=True))


def _partitions(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """Every way to give a total to so many subjects, the later ones not less."""
    if count == 1:
        yield (total,)
        return
    for first in range(total // count + 1):
        for rest in _partitions(total - first * 1, count - 1):
            if rest[0] >= first:
                yield (first, *rest)


def _in_order(subjects: Sequence[Mapping[str, Any]]) -> bool:
    """Whether subjects that state as much stand in one order: the others are the same situation."""
    return all(len(one) != len(other) or repr(one) <= repr(other) for one, other in pairwise(subjects))


def list_compared_values(steps: LoweredRuleset, trees: Iterable[Expression]) -> Values:
    """List the values of attributes that expressions of a ruleset tell apart, without the default of each."""
    reader = _Compared(steps.vocabulary)
    for tree in trees:
        reader.read(expand_terms(tree, steps.vocabulary))
    return reader.values(steps.ruleset.about)


class _Compared:
    """Gathers the words that expressions look at, each with the values that it is compared with."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.found: dict[str, set[Any]] = {}

    def looked_at(self, word: Word) -> None:
        """Note a word of which nothing is compared."""
        if not word.is_derived:
            self.found.setdefault(word.name, set())

    def read(self, tree: Expression) -> None:
        """Note the words of an expression, and what each stands beside."""
        for node in tree.walk():
            if isinstance(node, nodes.Column):
                self.looked_at(self.vocabulary.words[node.name])
            elif isinstance(node, nodes.In):
                self._beside(node.this, [get_literal_value(each) for each in node.expressions])
            elif isinstance(node, nodes.Add | nodes.Sub | nodes.Mul | nodes.Div):
                for each in (node.this, node.expression):
                    self._beside(each, RECKONED)
            elif isinstance(node, nodes.Binary) and not isinstance(node, nodes.And | nodes.Or):
                for one, other in ((node.this, node.expression), (node.expression, node.this)):
                    if isinstance(other := strip_parentheses(other), nodes.Literal):
                        self._beside(one, [get_literal_value(other)])

    def _beside(self, tree: Expression, values: Sequence[Any]) -> None:
        for each in tree.find_all(nodes.Column):
            if each.name in self.found or not self.vocabulary.words[each.name].is_derived:
                self.found.setdefault(each.name, set()).update(values)

    def values(self, about: Declaration) -> Values:
        """The values to try of each word, without its default."""
        defaults = _defaults(about)
        named = {name for name, beside in self.found.items() if name in defaults}
        return {
            name: [each for each in self._values(self.vocabulary.words[name]) if each != defaults[name]]
            for name in self.found
            if name in named
        }

    def _values(self, word: Word) -> list[Any]:
        beside, kind = self.found[word.name], word.type
        match kind.kind:
            case "boolean":
                return [False, True]
            case "text":
                return (
                    [*kind.words]
                    if kind.words
                    else ["", *sorted(each for each in beside if isinstance(each, str)), *NEW_NAMES]
                )
            case "names":
                return [(), *((each,) for each in NEW_NAMES)]
        return _numbers(kind, beside)


def _numbers(kind: Type, beside: set[Any]) -> list[Any]:
    """Each number that is compared with and its neighbours; where none is, two that differ from one another."""
    found = {value + step for value in beside if not isinstance(value, str) for step in (-1, 0, 1)} or {1, 2}
    low, high = kind.least, kind.most
    return sorted(each for each in found if (low is None or each >= low) and (high is None or each <= high))


def _defaults(about: Declaration) -> dict[str, Any]:
    """The default of each attribute of a situation and of a subject."""
    found = dict[str, Any]()
    for kind in filter(None, (about.subject, about.situation)):
        made = kind(**_get_defaults(kind))
        found |= {each.name: getattr(made, each.name) for each in fields(kind)}
    return found


@lru_cache(maxsize=32)
def _get_defaults(kind: type) -> Mapping[str, Any]:
    """Return values of the attributes that a class has no default for: a name, and what is blank of all else."""
    words = {**build_words(kind, "situation")}
    needed = [each.name for each in fields(kind) if each.default is NOTHING and each.init]
    return {name: NEW_NAMES[0] if words[name].type.kind == "text" else words[name].blank for name in needed}


def build_situations(
    about: Declaration,
    values: Values,
    bound: Bound,
    base: Mapping[str, Any] = {},
    is_possible: Callable[[Any, Sequence[Any]], bool] = lambda _, __: True,
) -> Iterator[tuple[StatedSituation, Any, tuple[Any, ...]]]:
    """Build what is enumerated, up to so many runs; what does not go together or is not possible is left out."""
    built = 0
    for found in enumerate_situations(about, values, bound):
        stated = evolve(found, base=base)
        try:
            situation, subjects = stated.build(about)
        except DomainError:
            continue
        if not is_possible(situation, subjects):
            continue
        yield stated, situation, subjects
        built += 1
        if built >= bound.runs:
            return


def _shrink_stated(stated: StatedSituation) -> Iterator[StatedSituation]:
    """Yield what states one thing less: without an attribute, or without a subject."""
    for name in stated.situation:
        yield evolve(stated, situation={key: value for key, value in stated.situation.items() if key != name})
    for at, subject in enumerate(stated.subjects):
        others = [*stated.subjects[:at], *stated.subjects[at + 1 :]]
        yield evolve(stated, subjects=tuple(others))
        for name in subject:
            fewer = {key: value for key, value in subject.items() if key != name}
            yield evolve(stated, subjects=(*stated.subjects[:at], fewer, *stated.subjects[at + 1 :]))


def shrink_while(stated: StatedSituation, holds: Callable[[StatedSituation], bool]) -> StatedSituation:
    """Return what states as little as possible of a situation and of which a condition still holds."""

    def is_such(each: StatedSituation) -> bool:
        try:
            return holds(each)
        except ValueError:
            return False

    smaller = next(filter(is_such, _shrink_stated(stated)), None)
    return stated if smaller is None else shrink_while(smaller, holds)


def move_defaults(about: Declaration, values: Values, around: Mapping[str, Any]) -> Values:
    """Return the values to try besides those ``around``, which take the place of defaults of the situation."""
    defaults = _defaults(about) if around else {}
    moved = {
        name: [each for each in (defaults[name], *values.get(name, ())) if each != around[name]] for name in around
    }
    return {**values, **moved} if around else values


def merge_values(found: Iterable[Values]) -> Values:
    """Merge the values of several listings: of each attribute all, in order."""
    values: dict[str, dict[Any, None]] = {}
    for each in found:
        for name, listed in each.items():
            values.setdefault(name, {}).update(dict.fromkeys(listed))
    return {name: [*listed] for name, listed in values.items()}


def show_asked_terms(steps: LoweredRuleset) -> LoweredRuleset:
    """Return the same steps, where terms that are asked before any rule runs are looked into as others are."""
    words = steps.vocabulary
    return evolve(steps, vocabulary=Vocabulary(words.words, {**words.terms, **words.asked}, words.subject))


@lru_cache(maxsize=64)
def list_all_values(course: Pipeline) -> Values:
    """List the values that all rules of a course tell apart."""
    return merge_values(list_compared_values(show_asked_terms(each), each.expressions()) for each in course.steps)


@lru_cache(maxsize=64)
def find_plain_subject(*courses: Pipeline) -> Mapping[str, Any]:
    """Find what two subjects have to state for as many rules as possible to look at them, and none of them to fall.

    That is nothing, or one attribute; ``courses`` are of one document.
    """
    about = courses[0].rulesets[-1].about
    if about.subject is None:
        return {}
    listed = merge_values(map(list_all_values, courses))
    known = {each.name for each in fields(about.subject)}
    tried = [{}, *({name: value} for name, values in listed.items() if name in known for value in values)]
    return max(tried, key=lambda base: sum(_count_applied(course, about, base) for course in courses))


def _count_applied(course: Pipeline, about: Declaration, base: Mapping[str, Any]) -> int:
    """How many rules apply where there are two subjects of which this is stated; none if one of them falls."""
    try:
        runs = course.run(*StatedSituation({}, ({}, {}), base).build(about), traced=True)
    except (LookupError, TypeError, ValueError):
        return 0
    done = [StepResult(*did) for run in runs for did in run.trace or () if did is not None]
    return 0 if any(each.fallen for each in done) else len(done)


def count_states(values: AttributeValues) -> int:
    """Count the ways in which attributes can be as by default or have one of their values."""
    return prod(len(listed) + 1 for _, listed in values)


def list_states(values: AttributeValues) -> Iterator[dict[str, Any]]:
    """List those ways, each by what is not as by default."""
    choices = [[{}, *({name: value} for value in listed)] for name, listed in values]
    if not choices:
        yield {}
        return
    *others, last = choices
    for before in list_states(values[:-1]) if others else ({},):
        for each in last:
            yield {**before, **each}
