"""What the rules of retrieval say of themselves: which messages of a queue a get has to look at.

Messages are listed as they lie, of like ones the first, and without those that a rule is sure to leave out; the first
that the rules leave is returned. That gives what all of a queue gives where each message is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from attrs import fields, frozen
from sqlglot import exp

from mqclause.documents import RETRIEVAL
from mqclause.executors.listing import ready, ready_of_both
from mqclause.executors.steps import Filter, Let, Rank, Step, Steps, expressions_of
from mqclause.language.equivalent import equivalent
from mqclause.language.parse import expanded, literal_value, parse_unchecked
from mqclause.language.possible import possible
from mqclause.language.sql import both, literal
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.retrieval import QueuedMessage, RetrievalCall, StatedMessage
from mqclause.model.timeline.retrieval_call import (
    BY_ITEM,
    BY_PLACE,
    COMMITTED,
    LEADING,
    LEFT_OUT,
    LIKE_BUT_FOR,
    ONE_AT_MOST,
    ListedBy,
)
from mqclause.rulebook.rule import Expression

Applies = Callable[[RetrievalCall], bool]
"""Whether a step applies to a call; where that takes more than the call, it may."""

Walks = Sequence[tuple[str, Applies]]
"""What steps leave out that a walk through a queue can, of LEFT_OUT, and when."""


class Sight(NamedTuple):
    """What the rules are sure to leave out, of LEFT_OUT, and whether the first that they leave ``is_first`` of all."""

    left_out: frozenset[str]
    is_first: bool


@frozen(eq=False)
class Looks:
    """Which messages a get looks at, as its rules are: steps say it by what they do, where they apply.

    For the steps ``of_all`` all messages have to be there: they count some of them, or pass over what was taken
    already. Those ``counting`` count what is left when their turn comes, after the walks beside them. Those
    ``ordering`` compare messages by something else than they are listed by, those ``of_items`` by what only messages
    that lead an item are listed by. ``left_out_by`` has those that leave out what a walk through a queue can.
    """

    of_all: Sequence[Applies]
    counting: Sequence[tuple[Applies, Walks]] = ()
    ordering: Sequence[Applies] = ()
    of_items: Sequence[Applies] = ()
    left_out_by: Walks = ()

    def at(self, call: RetrievalCall) -> Sight:
        """What a call looks at."""
        if any(applies(call) for applies in self.of_all):
            return Sight(frozenset(), False)
        found = _found(self.left_out_by, call)
        if any(applies(call) and not _is_one(found, before, call) for applies, before in self.counting):
            return Sight(frozenset(), False)
        is_listed = not found.isdisjoint(ONE_AT_MOST) or found >= LEADING
        by_items = not is_listed and any(applies(call) for applies in self.of_items)
        return Sight(found, not (by_items or any(applies(call) for applies in self.ordering)))


@lru_cache(maxsize=64)
def looks_of(steps: Steps) -> Looks:
    """What these steps say of themselves."""
    of_all, ordering, of_items = list[Applies](), list[Applies](), list[Applies]()
    counting, left_out, taken = list[tuple[Applies, Walks]](), list[tuple[str, Applies]](), False
    for place, step in enumerate(steps.steps):
        text = _leaves_out(step, steps.vocabulary)
        walks = _applies(steps, place) if text else None
        if walks is not None:
            left_out.append((text, walks))
        if isinstance(step, Filter) if taken else _is_of_all(step, steps.vocabulary, walks is not None):
            of_all.append(_may_apply(steps, place))
        elif not taken and _counts(step, steps.vocabulary):
            counting.append((_may_apply(steps, place), tuple(left_out)))
        elif isinstance(step, Rank) and step.keep == "all" and not _compares_by(step, BY_PLACE):
            others = of_items if _compares_by(step, BY_ITEM) else ordering
            others.append(_may_apply(steps, place))
        taken = taken or _takes_first(step, steps.vocabulary)
    return Looks(of_all, counting, ordering, of_items, left_out)


Sees = Callable[[RetrievalCall, QueuedMessage], bool]
"""Whether a call sees a message, as far as the unit of work that has put it counts."""

OF_ITS_ITEM = frozenset(each.name for each in fields(QueuedMessage)) - {
    *(each.name for each in fields(StatedMessage)), "enqueued_priority", "arrival", "unit_of_work", *RETRIEVAL.terms,
}  # fmt: skip
"""What a message is among others of its item."""


@lru_cache(maxsize=64)
def sees_of(steps: Steps) -> Sees | None:
    """What rules leave out by units of work before they ask what messages are in their items: those hold the rest.

    None where that is what COMMITTED leaves out of every order, get and browse.
    """
    usual, vocabulary = parse_unchecked(COMMITTED), steps.vocabulary
    found = _hiding(steps)
    if any(equivalent(each.where, usual, vocabulary) and _is_of_every(each, vocabulary) for each in found):
        return None
    asked = [ready_of_both(_condition(each), vocabulary) for each in found]
    return lambda call, message: not any(leaves_out(call, message) for leaves_out in asked)


def hidden(steps: Steps) -> list[Expression]:
    """The same as conditions: of whom one of them holds, that message is not there."""
    return [_condition(each) for each in _hiding(steps)]


def _hiding(steps: Steps) -> list[Filter]:
    found: list[Filter] = []
    for step in steps.steps:
        trees = [expanded(tree, steps.vocabulary) for tree in expressions_of(step)]
        names = {each.name for tree in trees for each in tree.find_all(exp.Column)}
        if names & OF_ITS_ITEM:
            break
        if isinstance(step, Filter) and step.fate == "out" and "unit_of_work" in names:
            found.append(step)
    return found


def _condition(step: Filter) -> Expression:
    return step.where if step.when is None else both(exp.paren(step.when), exp.paren(step.where))


def _is_of_every(step: Filter, vocabulary: Vocabulary) -> bool:
    """Whether a step applies to every order, get and browse."""
    asked = ({"mqi_call": each} for each in ("ORDER", "MQGET"))
    return step.when is None or not any(possible(exp.Not(this=exp.paren(step.when)), vocabulary, of) for of in asked)


def _found(walks: Walks, call: RetrievalCall) -> frozenset[str]:
    return frozenset(text for text, applies in walks if applies(call))


def _is_one(left_out: frozenset[str], before: Walks, call: RetrievalCall) -> bool:
    """Whether one message at most is listed, and the steps ``before`` would have left no other."""
    return COMMITTED in left_out and not ONE_AT_MOST.isdisjoint(_found(before, call))


def _applies(steps: Steps, place: int) -> Applies | None:
    """Whether a step applies to a call; None if that takes more than the call."""
    when = _when(steps, place)
    return None if when is None else ready(when, steps.vocabulary, "s")


def _may_apply(steps: Steps, place: int) -> Applies:
    """Whether a step applies to a call, as far as the call alone tells."""
    when = steps.steps[place].when
    parts = [] if when is None else _parts(expanded(when, steps.vocabulary))
    told = [found for part in parts if (found := _of_call(part, steps, place)) is not None]
    return ready(both(*told), steps.vocabulary, "s") if told else _always


def _parts(tree: Expression) -> list[Expression]:
    """What has to hold together for ``tree`` to hold."""
    match tree:
        case exp.Paren(this=(exp.And() | exp.Paren()) as inner):
            return _parts(inner)
        case exp.And(this=one, expression=other):
            return [*_parts(one), *_parts(other)]
    return [tree]


def _always(_: RetrievalCall) -> bool:
    return True


def _leaves_out(step: Step, vocabulary: Vocabulary) -> str:
    """What a step leaves out, in whatever words, if a walk through a queue can leave it out, too; blank if none can."""
    if not (isinstance(step, Filter) and step.fate == "out"):
        return ""
    return next((text for text in LEFT_OUT if equivalent(step.where, parse_unchecked(text), vocabulary)), "")


def _is_of_all(step: Step, vocabulary: Vocabulary, is_walked: bool) -> bool:
    """Whether what a step does to a message lies with the others, too, or with what like ones have otherwise."""
    if any(_counts_some(tree, vocabulary) for tree in expressions_of(step)):
        return True
    match step:
        case Filter():
            return step.fate == "chosen" or not (is_walked or _takes_like_ones_alike(step, vocabulary))
        case Rank():
            return not (step.keep == "all" or _takes_first(step, vocabulary))
    return False


def _counts(step: Step, vocabulary: Vocabulary) -> bool:
    """Whether a step counts messages."""
    return any(expanded(tree, vocabulary).find(exp.CountIf) for tree in expressions_of(step))


def _counts_some(tree: Expression, vocabulary: Vocabulary) -> bool:
    """Whether messages are counted by what they are."""
    counts = expanded(tree, vocabulary).find_all(exp.CountIf)
    return any(not (isinstance(each.this, exp.Boolean) and each.this.this) for each in counts)


def _takes_first(step: Step, vocabulary: Vocabulary) -> bool:
    """Whether the first of those that are left to a get is kept, and no other."""
    if not (isinstance(step, Rank) and step.keep == "at_most"):
        return False
    get = {"mqi_call": "MQGET"}
    sure = step.when is None or not possible(exp.Not(this=exp.paren(step.when)), vocabulary, get)
    one = isinstance(step.at_most, exp.Literal) and literal_value(step.at_most) == 1 and step.ties == "first"
    every = step.among is None and not step.counts and all(isinstance(key.by, exp.Literal) for key in step.keys)
    return sure and one and every


def _compares_by(step: Rank, listed: ListedBy) -> bool:
    """Whether messages are compared by what they are listed by; no two of them are alike in all of that."""
    compared = [(key.by.name if isinstance(key.by, exp.Column) else "", key.descending) for key in step.keys]
    return all(one == other for one, other in zip(compared, listed, strict=False))


def _takes_like_ones_alike(step: Filter, vocabulary: Vocabulary) -> bool:
    return not any(each.name in LIKE_BUT_FOR for each in expanded(step.where, vocabulary).find_all(exp.Column))


def _when(steps: Steps, place: int) -> Expression | None:
    """The precondition of a step in the words of the call alone; None if it takes more."""
    when = steps.steps[place].when
    return exp.true() if when is None else _of_call(when, steps, place)


def _of_call(tree: Expression, steps: Steps, place: int) -> Expression | None:
    """``tree``, as a step sees it, with facts replaced by what they are; None if it is not about the call alone."""
    found = expanded(tree, steps.vocabulary)
    facts: dict[str, Expression] = {}
    for name in {each.name for each in found.find_all(exp.Column)}:
        word = steps.vocabulary.words[name]
        fact = _fact(name, steps, place) if word.is_derived else exp.column(name)
        if word.about != "situation" or fact is None:
            return None
        facts[name] = fact
    if found.find(exp.CountIf):
        return None
    return found.transform(lambda node: exp.paren(facts[node.name]) if isinstance(node, exp.Column) else node)


def _fact(name: str, steps: Steps, place: int) -> Expression | None:
    """What a fact is before a step, in the words of the call alone."""
    value: Expression | None = literal(steps.vocabulary.words[name].blank)
    for at, step in enumerate(steps.steps[:place]):
        given = {each.name: each.value for each in step.values} if isinstance(step, Let) else {}
        if name not in given:
            continue
        when, now = _when(steps, at), _of_call(given[name], steps, at)
        sees_own = any(each.name in given for each in given[name].find_all(exp.Column))
        if value is None or when is None or now is None or sees_own:
            return None
        value = exp.case().when(when, now).else_(value)
    return value
