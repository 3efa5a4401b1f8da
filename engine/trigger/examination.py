"""Examine a trigger event: whether it makes a trigger message, condition by condition (class Triggers)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from math import ceil, floor, isfinite
from operator import attrgetter
from typing import Any, NamedTuple

from attrs import field, fields, frozen

from mqclause.answers import RuleAnswer
from mqclause.documents import CALL, TRIGGER
from mqclause.executors.operations import ExecutorName, Let, LoweredRuleset, Run, StepResult
from mqclause.executors.pipeline import DocumentRules, Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate, is_possible
from mqclause.language.parser import expand_terms
from mqclause.model.facts.domains import REASONS
from mqclause.model.facts.messages import EnqueueRules, ItemRole, Message
from mqclause.model.facts.objects import Queue, QueueCall
from mqclause.model.timeline.trigger_events import (
    DEPTHS,
    TOTAL_DEPTHS,
    CallFailure,
    MessageRules,
    RuleCallbacks,
    TriggerEvent,
)
from mqclause.retrieval.order import compile_message_terms
from mqclause.rulebook.rule import Conclude, Condition, Derive, Expression, Remedy, Rule, Ruleset, identify_rule
from mqclause.rulebook.rules import Rules
from mqclause.trace import RuleInput, build_scope, list_rule_inputs, render_sentence

DERIVED = StepResult._fields.index("derived")
"""Where a row of the trace holds what a rule derived."""

TURNING_POINTS: Mapping[type[nodes.Binary], tuple[int, ...]] = {
    nodes.GTE: (0,),
    nodes.LT: (0,),
    nodes.GT: (1,),
    nodes.LTE: (1,),
    nodes.EQ: (0, 1),
    nodes.NEQ: (0, 1),
}
"""From which numbers on a comparison with one says something else than below: so many above it."""

MIRRORED_COMPARISONS: Mapping[type[nodes.Binary], type[nodes.Binary]] = {
    nodes.GTE: nodes.LTE,
    nodes.LTE: nodes.GTE,
    nodes.GT: nodes.LT,
    nodes.LT: nodes.GT,
}

MessageQuestion = tuple[Any, ...]
"""A question: the kind of occasion, the priority of the message, and the attributes of the queue that matter."""

MESSAGE_FACTS = frozenset({"counts"})
"""The fact that is asked for: whether a waiting message counts."""

MOST_ANSWERS = 10_000
"""Answers that are kept; the attributes that matter have few values."""


@frozen
class ConditionResult:
    """A condition that was examined: whether it holds, why not, which command would change that, and what to mind."""

    rule: Rule = field(eq=identify_rule)
    holds: bool
    because: str = ""
    remedy: str = ""
    advice: str = ""


@frozen(repr=False)
class Examination:
    """The answer of the trigger rules about one trigger event.

    ``rule`` is the rule by which a trigger message is written, or None. ``fields`` are the derived fields of the
    trigger message, ``events`` is how many are written. ``available`` is false while a unit of work holds it back;
    ``turns_off`` says that the message switches triggering off for the queue.
    """

    occasion: TriggerEvent
    rule: Rule | None = field(eq=identify_rule)
    fields: Mapping[str, Any] = field(hash=False)
    available: bool
    events: int
    turns_off: Rule | None = field(eq=identify_rule)
    run: Run = field(repr=False, eq=False)
    course: Pipeline = field(repr=False, eq=attrgetter("made_of"))

    def __repr__(self) -> str:
        written = "no trigger message" if self.rule is None else f"a trigger message by {self.rule.id}"
        return f"<Examination: {self.occasion.occasion} at {self.occasion.queue}, {written}>"

    @property
    def ruleset(self) -> Ruleset:
        """The trigger rules."""
        return self.course.rulesets[-1]

    @property
    def trigtype(self) -> str:
        """The trigger type that a trigger message is written for; blank where no rule says it."""
        found: str = self.fields.get("message_trigtype") or ""
        return found

    @property
    def conditions(self) -> Iterator[ConditionResult]:
        """Every condition that decides about this occasion, in the document's order."""
        for rule, holds in self.list_examined_rules():
            yield ConditionResult(rule, True) if holds else self.build_failed_condition(rule)

    @property
    def failed_conditions(self) -> list[ConditionResult]:
        """The conditions that stand in the way of a trigger message."""
        return [self.build_failed_condition(rule) for rule in self.failed_rules]

    @property
    def failed_rules(self) -> list[Rule]:
        """The failed conditions without the sentences that explain them.

        Where several conclusions could write it, each asks for conditions of its own besides those that all ask for
        (an arrival triggers by clause 3 or, behind other messages, by clause 11). If one has all of its own, what
        fails of the others' own says nothing.
        """
        failing = [rule for rule, holds in self.list_examined_rules() if not holds]
        failed = {rule.id for rule in failing}
        needs, shared = [set(each.needs) for each in self._asked()], {*self.needed}
        if not all(failed & own - shared for own in needs):
            shared |= next(own for own in needs if not failed & own - shared)
            failing = [rule for rule in failing if rule.id in shared]
        return [rule for rule in failing if self._is_reported(rule)]

    def build_failed_condition(self, rule: Rule) -> ConditionResult:
        """Build a condition that fails."""
        scope = self._scope(rule)
        said = render_sentence(self.ruleset, rule, None, scope), *self._remedy(rule, scope)
        return ConditionResult(rule, False, *said)

    @property
    def needed(self) -> frozenset[str]:
        """The conditions, by rule, that no conclusion which could write a trigger message does without."""
        needs = [frozenset(each.needs) for each in self._asked()]
        return frozenset[str].intersection(*needs) if needs else frozenset()

    def list_examined_rules(self) -> list[tuple[Rule, bool]]:
        """List the conditions without the sentences that explain them."""
        needed = {need for conclusion in self._asked() for need in conclusion.needs}
        return [
            (rule, did.derived["holds"])
            for rule, did in self._applied
            if rule.id in needed and isinstance(rule.action, Condition) and did.derived
        ]

    def _is_reported(self, rule: Rule) -> bool:
        """Whether it is news, beside another condition that fails, that this one does."""
        report = rule.action.report if isinstance(rule.action, Condition) else None
        return report is None or bool(evaluate(report, self._scope(rule)))

    def _remedy(self, rule: Rule, scope: Scope) -> tuple[str, str]:
        """The command and the advice of the first remedy that applies; blank where there is none."""
        for each in _applying(rule, scope):
            texts = (each.command, each.advice)
            command, advice = (render_sentence(self.ruleset, rule, None, scope, text) if text else "" for text in texts)
            return command, advice
        return "", ""

    def remedies(self, of: Rule) -> list[str]:
        """Return the commands after which a failing condition would hold, as alternatives."""
        scope = self._scope(of)
        commands = (each.command for each in _applying(of, scope))
        return [render_sentence(self.ruleset, of, None, scope, command) for command in commands if command]

    def _asked(self) -> list[Conclude]:
        """The conclusions that the occasion asks for."""
        return [rule.action for rule, _ in self._applied if isinstance(rule.action, Conclude)]

    @cached_property
    def _applied(self) -> list[tuple[Rule, StepResult]]:
        pairs = zip(self.ruleset.rules, self.run.trace or (), strict=True)
        return [(rule, StepResult(*did)) for rule, did in pairs if did is not None]

    def _scope(self, rule: Rule) -> Scope:
        """What a rule saw."""
        first, inputs = self._inputs
        return build_scope(inputs[rule], first)

    @cached_property
    def _inputs(self) -> tuple[Scope, Mapping[Rule, RuleInput]]:
        """The scope of the first rule, and what each of them saw besides: found once for all conditions that fail."""
        first = build_first_scope(self.course.steps[-1], self.occasion, (), None, {})
        saw = list_rule_inputs(self.ruleset, self.run, (), first)
        return first, dict(zip(self.ruleset.rules, saw, strict=True))


class Triggers(DocumentRules):
    """The trigger rules, loaded and ready.

    Arguments as for Engine; it has no state, so threads may share it, and pickles as its rules. Its ``callbacks``
    answer what a queue manager's course depends on, by the same rules and those of calls. Raises RuleError.
    """

    document = TRIGGER

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        super().__init__(rules, executor)
        calls = Pipeline.of(self.rules, CALL, executor) if self.rules.in_folder(CALL.name) else None
        self.callbacks = TriggerCallbacks(self.course, compile_message_terms(self.rules), calls)
        self._deriving = {fact: _deriving(self.ruleset, fact) for fact in ("trigger_message", "trigger_off")}

    def examine(self, occasion: TriggerEvent) -> Examination:
        """Tell whether an event on a queue makes a trigger message, condition by condition."""
        run = self.course.run(occasion, (), traced=True)[-1]
        wrote, turned_off = self._derives(run, "trigger_message"), self._derives(run, "trigger_off")
        facts = run.facts
        return Examination(
            occasion, wrote, facts, facts["available"], facts["trigger_events"], turned_off, run, self.course
        )

    def _derives(self, run: Run, fact: str) -> Rule | None:
        """The first rule that derived that ``fact`` is so; None where it is not."""
        trace = run.trace or ()
        for place, rule in self._deriving[fact] if run.facts.get(fact) else ():
            did = trace[place]
            if did and did[DERIVED][fact]:
                return rule
        return None

    def releases(self, ending: TriggerEvent) -> bool:
        """Tell whether the end of a unit of work releases a trigger message that it held back."""
        released: bool = self.course.run(ending, ())[-1].facts["released"]
        return released


class Comparison(NamedTuple):
    """What a number of messages is compared with, and from how many above that on the comparison says another thing."""

    with_what: Expression
    above: tuple[int, ...]


def find_thresholds(steps: LoweredRuleset, occasion: TriggerEvent) -> frozenset[int]:
    """Find the numbers of messages before a put at which a comparison of the rules turns.

    What is compared may count the message that is put, too. What rules derive is not known here, and blank.
    """
    scope = Scope(steps.vocabulary, occasion)
    found = ((evaluate(each.with_what, scope), each.above) for each in _compared(steps))
    turns = (whole + more - put for value, above in found if isfinite(value) for whole in (floor(value), ceil(value))
             for more in above for put in (0, 1))  # fmt: skip
    return frozenset(each for each in turns if each >= 0)


class AnswerCache(dict[int, Any]):
    """Answers to a question about a priority, each asked for once."""

    def __init__(self, ask: Callable[[int], Any]) -> None:
        super().__init__()
        self.ask = ask

    def __missing__(self, priority: int) -> Any:
        answer = self[priority] = self.ask(priority)
        return answer


@frozen(eq=False)
class TriggerCallbacks(RuleCallbacks):
    """The trigger rules, a ``course``, and those of ``calls`` asked about messages and calls.

    Without rules of calls none fails. ``terms`` of retrieval say what a message is when it is put. ``runs`` are the
    answers about messages so far.
    """

    course: Pipeline
    terms: EnqueueRules
    calls: Pipeline | None = None
    runs: dict[MessageQuestion, Run] = field(factory=dict, init=False, repr=False)

    def messages(self, queue: Queue) -> MessageRules:
        """Return two functions: the priority that a message is put with, and the priorities with which it counts."""
        of_queue = self._values(queue)

        def priority(given: int) -> int:
            return self.terms.priority(given, queue)

        return MessageRules(
            AnswerCache(priority), AnswerCache(lambda each: self._asked("waiting", each, of_queue).facts["counts"])
        )

    def in_item(self, message: Message) -> ItemRole:
        """Derive by rules the role of a message at its place in a group or a segmented message."""
        return self.terms.in_item(message)

    def examines(self, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:
        """Return whether a conclusion can be asked for on such an occasion."""
        return _concludes(self._ruleset, occasion, shared, in_unit_of_work)

    def find_failure(self, call: QueueCall) -> CallFailure | None:
        """Find what a call fails with by the rules of calls, and what would change that."""
        found = self.calls.run(call, ())[0].failure if self.calls is not None else None
        if self.calls is None or found is None:
            return None
        told = RuleAnswer.of(call, self.calls)
        return CallFailure(REASONS[found.reason], told.because, told.remedy)

    @property
    def _ruleset(self) -> Ruleset:
        return self.course.rulesets[-1]

    @cached_property
    def _attributes(self) -> tuple[str, ...]:
        """The attributes of a queue that the answers depend on."""
        known = {each.name for each in fields(Queue)}
        return tuple(sorted(known & _find_dependencies(self._ruleset, MESSAGE_FACTS)))

    @cached_property
    def _values(self) -> Callable[[Queue], Any]:
        return attrgetter("name", *self._attributes)

    def _asked(self, occasion: str, priority: int, of_queue: MessageQuestion) -> Run:
        key = (occasion, priority, of_queue[1:])
        run = self.runs.get(key)
        if run is None:
            seen = dict(zip(self._attributes, of_queue[1:], strict=True))
            situation = TriggerEvent(queue="", occasion=occasion, message_priority=priority, **seen)
            run = self.course.run(situation, (), traced=True)[-1]
            if len(self.runs) >= MOST_ANSWERS:
                self.runs.clear()
            self.runs[key] = run
        return run


@lru_cache(maxsize=64)
def _find_dependencies(ruleset: Ruleset, facts: frozenset[str]) -> frozenset[str]:
    """Find the attributes and facts that some facts depend on, those facts among them."""
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
            trees = [expand_terms(tree, ruleset.vocabulary) for tree in [*values, *([when] if values and when else [])]]
            words |= {column.name for tree in trees for column in tree.find_all(nodes.Column)}
    return words


def _applying(rule: Rule, scope: Scope) -> Iterator[Remedy]:
    for each in rule.action.remedies if isinstance(rule.action, Condition) else ():
        if each.when is None or evaluate(each.when, scope):
            yield each


def _deriving(ruleset: Ruleset, fact: str) -> list[tuple[int, Rule]]:
    """The rules that may derive ``fact``, each with its place in the trace."""
    found = []
    for place, rule in enumerate(ruleset.rules):
        concludes = isinstance(rule.action, Conclude) and rule.action.fact == fact
        if concludes or (isinstance(rule.action, Derive) and fact in dict(rule.action.values)):
            found.append((place, rule))
    return found


@lru_cache(maxsize=16)
def _compared(steps: LoweredRuleset) -> tuple[Comparison, ...]:
    """What the rules compare numbers of messages with, of a queue or its queue manager alone."""
    trees = [expand_terms(tree, steps.vocabulary) for tree in steps.expressions()]
    counts = _counts(steps)
    found = (each for tree in trees for each in _comparisons(tree, counts))
    return tuple(dict.fromkeys(found))


def _counts(steps: LoweredRuleset) -> frozenset[str]:
    """The attributes that are numbers of messages, and the facts that rules derive of them."""
    values = [each for step in steps.steps if isinstance(step, Let) for each in step.values]
    derived = [(each.name, expand_terms(each.value, steps.vocabulary)) for each in values]
    words, before = frozenset({*DEPTHS, *TOTAL_DEPTHS}), frozenset[str]()
    while words != before:
        before = words
        words |= {name for name, tree in derived if _names(tree, before) and steps.vocabulary.is_number(name)}
    return words


def _comparisons(tree: Expression, counts: Collection[str]) -> Iterator[Comparison]:
    for node in tree.find_all(*TURNING_POINTS):
        kind = type(node)
        sides = ((node.this, node.expression, kind), (node.expression, node.this, MIRRORED_COMPARISONS.get(kind, kind)))
        for one, other, said in sides:
            if _names(one, counts) and not _names(other, counts):
                yield Comparison(other, TURNING_POINTS[said])


def _names(tree: Expression, words: Collection[str]) -> bool:
    return any(column.name in words for column in tree.find_all(nodes.Column))


@lru_cache(maxsize=1024)
def _concludes(ruleset: Ruleset, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:
    known = {"occasion": occasion, "shared": shared, "in_unit_of_work": in_unit_of_work}
    conclusions = [rule.when for rule in ruleset.rules if isinstance(rule.action, Conclude)]
    return any(when is None or is_possible(when, ruleset.vocabulary, known) for when in conclusions)
