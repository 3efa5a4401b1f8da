"""What rules say of one message, of one kind of event, of one call: what a queue manager's course depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

from attrs import field, fields, frozen
from sqlglot import exp

from mqclause.answers.choice.settled import SettledBy
from mqclause.executors.course import Course
from mqclause.executors.run import Run
from mqclause.language.parse import expanded
from mqclause.language.possible import possible
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.message import InItem, Message
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.queue_call import QueueCall
from mqclause.model.facts.retrieval import Terms
from mqclause.model.timeline.judge import CallFailure, Messages
from mqclause.model.timeline.occasion import Occasion
from mqclause.rulebook.rule import Conclude, Derive, Ruleset

Asked = tuple[Any, ...]
"""A question: the kind of occasion, the priority of the message, and the attributes of the queue that matter."""

OF_MESSAGES = frozenset({"counts"})
"""The fact that is asked for: whether a waiting message counts."""

MOST_ANSWERS = 10_000
"""Answers that are kept; the attributes that matter have few values."""


class Answers(dict[int, Any]):
    """Answers to a question about a priority, each asked for once."""

    def __init__(self, ask: Callable[[int], Any]) -> None:
        super().__init__()
        self.ask = ask

    def __missing__(self, priority: int) -> Any:
        answer = self[priority] = self.ask(priority)
        return answer


@frozen(eq=False)
class TriggerJudge:
    """The trigger rules, a ``course``, and those of ``calls`` asked about messages and calls: see model.timeline.judge.

    Without rules of calls none fails. ``terms`` of retrieval say what a message is when it is put. ``runs`` are the
    answers about messages so far.
    """

    course: Course
    terms: Terms
    calls: Course | None = None
    runs: dict[Asked, Run] = field(factory=dict, init=False, repr=False)

    def messages(self, queue: Queue) -> Messages:
        """The priority that each message gets when it is put, and the priorities with which it counts on the queue."""
        of_queue = self._values(queue)

        def priority(given: int) -> int:
            return self.terms.priority(given, queue)

        return Messages(Answers(priority), Answers(lambda each: self._asked("waiting", each, of_queue).facts["counts"]))

    def in_item(self, message: Message) -> InItem:
        """What a message of a group, or a segment, is where it belongs."""
        return self.terms.in_item(message)

    def looks_at(self, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:
        """Whether a conclusion can be asked for on such an occasion."""
        return _concludes(self._ruleset, occasion, shared, in_unit_of_work)

    def failure(self, call: QueueCall) -> CallFailure | None:
        """What a call fails with by the rules of calls, and what would change that."""
        found = self.calls.run(call, ())[0].failure if self.calls is not None else None
        if self.calls is None or found is None:
            return None
        told = SettledBy.of(call, self.calls)
        return CallFailure(REASONS[found.reason], told.because, told.remedy)

    @property
    def _ruleset(self) -> Ruleset:
        return self.course.rulesets[-1]

    @cached_property
    def _attributes(self) -> tuple[str, ...]:
        """The attributes of a queue that the answers depend on."""
        known = {each.name for each in fields(Queue)}
        return tuple(sorted(known & words_behind(self._ruleset, OF_MESSAGES)))

    @cached_property
    def _values(self) -> Callable[[Queue], Any]:
        return attrgetter("name", *self._attributes)

    def _asked(self, occasion: str, priority: int, of_queue: Asked) -> Run:
        key = (occasion, priority, of_queue[1:])
        run = self.runs.get(key)
        if run is None:
            seen = dict(zip(self._attributes, of_queue[1:], strict=True))
            situation = Occasion(queue="", occasion=occasion, message_priority=priority, **seen)
            run = self.course.run(situation, (), traced=True)[-1]
            if len(self.runs) >= MOST_ANSWERS:
                self.runs.clear()
            self.runs[key] = run
        return run


@lru_cache(maxsize=1024)
def _concludes(ruleset: Ruleset, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:
    known = {"occasion": occasion, "shared": shared, "in_unit_of_work": in_unit_of_work}
    conclusions = [rule.when for rule in ruleset.rules if isinstance(rule.action, Conclude)]
    return any(when is None or possible(when, ruleset.vocabulary, known) for when in conclusions)


@lru_cache(maxsize=64)
def words_behind(ruleset: Ruleset, facts: frozenset[str]) -> frozenset[str]:
    """The attributes and facts that some facts depend on, those facts among them."""
    rules = [(rule.when, rule.action) for rule in ruleset.rules if isinstance(rule.action, Derive | Conclude)]
    words, before = facts, frozenset[str]()
    while words != before:
        before = words
        for when, action in rules:
            if isinstance(action, Conclude):
                # It depends on every condition: on all that there is.
                words |= frozenset(ruleset.vocabulary.words) if action.fact in words else frozenset()
                continue
            values = [value for name, value in action.values if name in words]
            trees = [expanded(tree, ruleset.vocabulary) for tree in [*values, *([when] if values and when else [])]]
            words |= {column.name for tree in trees for column in tree.find_all(exp.Column)}
    return words
