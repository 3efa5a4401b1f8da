"""An order of messages by the rules of retrieval, where each row is a message: who falls, and what orders the rest.

The rules see a message as they do in memory. What they ask of the call is known beforehand, as it is the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field, frozen
from sqlglot import exp

from mqclause.answers.order.looks import hidden
from mqclause.executors.steps import Filter, Let, Rank, Step, Steps
from mqclause.language.equivalent import equivalent
from mqclause.language.parse import parse_unchecked
from mqclause.language.sql import Node, both, case, is_false, is_true, literal, negated, sql_of, value_of
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.retrieval import RetrievalCall
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule import Rule
from mqclause.tables.message_columns import ARRIVAL
from mqclause.tables.words import NotInTableError

UNKNOWN = exp.Placeholder(this="counted")
"""How many of the messages something holds of: what no rule of an order may turn on."""


PLACED, NO_MESSAGE = 0, -1
"""The fate of a message that has a place, and of a row that is none."""


@frozen
class MessageWords:
    """The words of the rules where each row is a message and the ``call`` is known."""

    vocabulary: Vocabulary
    call: RetrievalCall
    message: Mapping[str, Node]
    facts: dict[str, Node] = field(factory=dict)

    def word(self, name: str) -> Node:
        """The value of an attribute or of a derived fact."""
        word = self.vocabulary.words[name]
        if word.about == "subject":
            if name not in self.message:
                raise NotInTableError(name)
            return self.message[name].copy()
        if word.is_derived:
            return self.facts.get(name, literal(word.blank))
        return literal(getattr(self.call, name))

    def term(self, _: str) -> Node | None:
        """Every term is written out."""
        return None

    def compared(self, _: Node, found: Node) -> Node:
        """A comparison is written as it is."""
        return found

    def has(self, names: Node, name: Node) -> Node:
        """Whether a list of names, which is the call's, has a name."""
        return literal(value_of(name) in [each.this for each in names.find_all(exp.Literal)])

    def count(self, _: Node) -> Node:
        """What is not known of a row alone."""
        return UNKNOWN.copy()


@define
class MessageOrder:
    """One of the orders, rule by rule: who falls by which rule, and by what the others are compared."""

    words: MessageWords
    keys: tuple[tuple[Node, bool], ...]
    fell: list[tuple[Node, Node]] = field(factory=list)

    @classmethod
    def of(cls, steps: Steps, call: RetrievalCall, message: Mapping[str, Node]) -> MessageOrder:
        """What the rules make of the messages of a table. Raises RuleError for a rule that cannot be run on it."""
        order = cls(MessageWords(steps.vocabulary, call, message), ((message[ARRIVAL], False),))
        for step in steps.steps:
            try:
                order.take(step)
            except NotInTableError as error:
                raise RuleError(step.rule.path, "", str(error)) from None
        return order

    def take(self, step: Step) -> None:
        """What one more rule makes of them. Raises RuleError, and NotInTableError for a word that no row says."""
        applies = literal(True) if step.when is None else sql_of(step.when, self.words)
        if is_false(applies):
            return
        if not is_true(applies):
            raise _not_of_rows(step.rule, "it applies or not by the other messages")
        match step:
            case Filter(fate="out"):
                where = self._known(step.rule, step.where)
                self.fell.append((where, literal(step.rule.id)))
            case Rank(keep="all", keys=keys):
                # Who is equal stays as before.
                self.keys = (*((self._known(step.rule, key.by), key.descending) for key in keys), *self.keys)
            case Let(of="situation", values=values):
                self.words.facts.update({each.name: self._known(step.rule, each.value) for each in values})
            case _:
                raise _not_of_rows(step.rule, "it does more than to eliminate messages or to put them in order")

    def _known(self, rule: Rule, tree: Any) -> Node:
        found = sql_of(tree, self.words)
        if found.find(exp.Placeholder):
            raise _not_of_rows(rule, "it counts messages")
        return found

    @property
    def fate(self) -> Node:
        """Which rule, from 1, leaves a message out, 0 if it has a place: a number is less to sort than an id."""
        return case(((where, literal(at)) for at, (where, _) in enumerate(self.fell, 1)), literal(PLACED))

    def left_out(self, fate: Node) -> Node:
        """The id of the rule by which a message has no place."""
        return case(
            (exp.EQ(this=fate.copy(), expression=literal(at)), each) for at, (_, each) in enumerate(self.fell, 1)
        )


FIRST_OF_ALL = "sequence = 1 AND offset = 0"
"""A message of which this holds has the lowest place that there is."""


def first_is_lowest(vocabulary: Vocabulary) -> bool:
    """Whether the first message of an item, as terms say, has a lower place than every other."""
    return equivalent(vocabulary.told["is_first"], parse_unchecked(FIRST_OF_ALL), vocabulary.before)


def is_there(steps: Steps, message: Mapping[str, Node]) -> Node:
    """Whether a message is one of those of which items consist: see mqclause.answers.order.looks."""
    words = MessageWords(steps.vocabulary, RetrievalCall(), message)
    return both(*(negated(sql_of(each, words)) for each in hidden(steps)))


def _not_of_rows(rule: Rule, why: str) -> RuleError:
    return RuleError(rule.path, "", f"{why}, so the rule has no place in the order of a table of messages")
