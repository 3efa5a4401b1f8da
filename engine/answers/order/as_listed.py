"""Whether the message that a get returns is the first one listed that the rules leave, whatever lies behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import asdict, frozen
from sqlglot import exp

from mqclause.executors.steps import Filter, Key, Rank, Step, Steps, expressions_of
from mqclause.language.parse import expanded, literal_value
from mqclause.language.possible import possible
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.retrieval import RetrievalCall
from mqclause.model.timeline.retrieval_call import LISTED_BY
from mqclause.rulebook.rule import Expression


@frozen(eq=False)
class AsListed:
    """What the rules of retrieval say of themselves: when a get need not look at all the messages of a queue.

    ``otherwise`` has the conditions (None: always) of the steps that do not look at each message alone, as it is
    listed: they compare messages by something else, count some of them, or pass over what was taken already.
    """

    vocabulary: Vocabulary
    otherwise: Sequence[Expression | None]

    @classmethod
    def by(cls, steps: Steps) -> AsListed:
        """What these steps say."""
        return cls(steps.vocabulary, [step.when for step in _otherwise(steps)])

    def __call__(self, call: RetrievalCall) -> bool:
        """Whether the first message that the rules leave may be returned to ``call`` without a look at the others."""
        if not self.otherwise:
            return True
        known = asdict(call, recurse=False)
        return not any(when is None or possible(when, self.vocabulary, known) for when in self.otherwise)


def _otherwise(steps: Steps) -> Iterator[Step]:
    taken = False
    for step in steps.steps:
        if isinstance(step, Filter) if taken else _compares(step, steps.vocabulary):
            yield step
        taken = taken or _takes_first(step, steps.vocabulary)


def _compares(step: Step, vocabulary: Vocabulary) -> bool:
    """Whether what a step does to a message lies with the others, too."""
    if any(_counts_some(tree, vocabulary) for tree in expressions_of(step)):
        return True
    if isinstance(step, Rank):
        return not (_takes_first(step, vocabulary) or (step.keep == "all" and _as_listed(step.keys)))
    return isinstance(step, Filter) and step.fate == "chosen"


def _counts_some(tree: Expression, vocabulary: Vocabulary) -> bool:
    """Whether messages are counted by what they are; whether any is left is found by looking on."""
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


def _as_listed(keys: Sequence[Key]) -> bool:
    """Whether messages are compared by what they are listed by; no two of them are alike in all of that."""
    compared = [(key.by.name if isinstance(key.by, exp.Column) else "", key.descending) for key in keys]
    return any(all(one == other for one, other in zip(compared, listed, strict=False)) for listed in LISTED_BY)
