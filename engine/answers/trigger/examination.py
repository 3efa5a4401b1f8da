"""Triggering: whether something that happened to a queue makes a trigger message, condition by condition."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import evolve, field, frozen

from mqclause.answers.order.message_terms import message_terms
from mqclause.answers.trigger.trigger_judge import TriggerJudge
from mqclause.documents import CALL, TRIGGER
from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Applied, ExecutorName, Run
from mqclause.executors.steps import Steps
from mqclause.language.evaluate import Scope, evaluate
from mqclause.model.timeline.occasion import Occasion
from mqclause.rulebook.rule import Conclude, Derive, Holds, Remedy, Rule, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.trace.record import seen_by
from mqclause.trace.sentence import sentence


@frozen
class Condition:
    """A condition that was examined: whether it holds, why not, which command would change that, and what to mind."""

    rule: Rule
    holds: bool
    because: str = ""
    remedy: str = ""
    advice: str = ""


@frozen(eq=False)
class Examination:
    """What the trigger rules say about one occasion.

    ``rule`` is the rule by which a trigger message is written, or None. ``fields`` are the derived fields of the
    trigger message, ``events`` is how many are written. ``available`` is false while a unit of work holds it back;
    ``turns_off`` says that the message switches triggering off for the queue.
    """

    occasion: Occasion
    rule: Rule | None
    fields: Mapping[str, Any]
    available: bool
    events: int
    turns_off: Rule | None
    run: Run = field(repr=False)
    course: Course = field(repr=False)

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
    def conditions(self) -> Iterator[Condition]:
        """Every condition that decides about this occasion, in the document's order."""
        examined = self.examined()
        scopes = self._scopes({rule for rule, holds in examined if not holds})
        for rule, holds in examined:
            yield Condition(rule, True) if holds else self._failing(rule, scopes[rule])

    @property
    def holding_back(self) -> list[Condition]:
        """The conditions that stand in the way of a trigger message."""
        return [self.unfulfilled(rule) for rule in self.in_the_way]

    @property
    def in_the_way(self) -> list[Rule]:
        """The same without the sentences that explain them.

        Where several conclusions could write it, each asks for conditions of its own besides those that all ask for
        (an arrival triggers by clause 3 or, behind other messages, by clause 11). If one has all of its own, what
        fails of the others' own says nothing.
        """
        failing = [rule for rule, holds in self.examined() if not holds]
        failed = {rule.id for rule in failing}
        needs, shared = [set(each.needs) for each in self._asked()], {*self.needed}
        if not all(failed & own - shared for own in needs):
            shared |= next(own for own in needs if not failed & own - shared)
            failing = [rule for rule in failing if rule.id in shared]
        return [rule for rule in failing if self._is_told(rule)]

    def unfulfilled(self, rule: Rule) -> Condition:
        """A condition that fails."""
        return self._failing(rule, self._scopes({rule})[rule])

    @property
    def needed(self) -> frozenset[str]:
        """The conditions, by rule, that no conclusion which could write a trigger message does without."""
        needs = [frozenset(each.needs) for each in self._asked()]
        return frozenset[str].intersection(*needs) if needs else frozenset()

    def examined(self) -> list[tuple[Rule, bool]]:
        """The conditions without the sentences that explain them."""
        needed = {need for conclusion in self._asked() for need in conclusion.needs}
        return [
            (rule, did.derived["holds"])
            for rule, did in self._applied
            if rule.id in needed and isinstance(rule.action, Holds) and did.derived
        ]

    def _failing(self, rule: Rule, scope: Scope) -> Condition:
        said = sentence(self.ruleset, rule, None, scope), *self._remedy(rule, scope)
        return Condition(rule, False, *said)

    def _is_told(self, rule: Rule) -> bool:
        """Whether it is news, beside another condition that fails, that this one does."""
        told = rule.action.told if isinstance(rule.action, Holds) else None
        return told is None or bool(evaluate(told, self._scopes({rule})[rule]))

    def _remedy(self, rule: Rule, scope: Scope) -> tuple[str, str]:
        """The command and the advice of the first remedy that applies; blank where there is none."""
        for each in _applying(rule, scope):
            texts = (each.command, each.advice)
            command, advice = (sentence(self.ruleset, rule, None, scope, text) if text else "" for text in texts)
            return command, advice
        return "", ""

    def remedies(self, of: Rule) -> list[str]:
        """What could be typed so that a condition that fails holds, each in place of the others."""
        scope = self._scopes({of})[of]
        commands = (each.command for each in _applying(of, scope))
        return [sentence(self.ruleset, of, None, scope, command) for command in commands if command]

    def _asked(self) -> list[Conclude]:
        """The conclusions that the occasion asks for."""
        return [rule.action for rule, _ in self._applied if isinstance(rule.action, Conclude)]

    @cached_property
    def _applied(self) -> list[tuple[Rule, Applied]]:
        pairs = zip(self.ruleset.rules, self.run.trace or (), strict=True)
        return [(rule, Applied(*did)) for rule, did in pairs if did is not None]

    def _scopes(self, wanted: Collection[Rule]) -> dict[Rule, Scope]:
        """What each of the ``wanted`` rules saw."""
        first = first_scope(self.course.steps[-1], self.occasion, (), None, {})
        saw = zip(self.ruleset.rules, seen_by(self.ruleset, self.run, (), first), strict=True) if wanted else ()
        return {rule: evolve(first, facts=seen.facts) for rule, seen in saw if rule in wanted}


def _applying(rule: Rule, scope: Scope) -> Iterator[Remedy]:
    for each in rule.action.remedies if isinstance(rule.action, Holds) else ():
        if each.when is None or evaluate(each.when, scope):
            yield each


class Triggers:
    """The trigger rules; holds no state and may be shared between threads.

    Arguments as for Engine; it pickles as its rules. ``judge`` is what a queue manager's course depends on, asked of
    the same rules and those of calls. Raises RuleError.
    """

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.rules = Rules.given(rules)
        self.executor = executor
        self._course = Course.of(self.rules, TRIGGER, executor)
        calls = Course.of(self.rules, CALL, executor) if self.rules.in_folder(CALL.name) else None
        self.judge = TriggerJudge(self._course, message_terms(self.rules), calls)
        self._deriving = {fact: _deriving(self.ruleset, fact) for fact in ("trigger_message", "trigger_off")}

    def __reduce__(self) -> tuple[Any, ...]:
        return Triggers, (self.rules, self.executor)

    @property
    def ruleset(self) -> Ruleset:
        """The trigger rules."""
        return self._course.rulesets[-1]

    @property
    def steps(self) -> Steps:
        """Their steps."""
        return self._course.steps[-1]

    @property
    def readings(self) -> Mapping[str, str]:
        """The choices, by reading, that they were read by."""
        return dict(self.ruleset.readings)

    def examine(self, occasion: Occasion) -> Examination:
        """Whether ``occasion`` makes a trigger message, and by which conditions."""
        run = self._course.run(occasion, (), traced=True)[-1]
        wrote, turned_off = self._derives(run, "trigger_message"), self._derives(run, "trigger_off")
        facts = run.facts
        return Examination(
            occasion, wrote, facts, facts["available"], facts["trigger_events"], turned_off, run, self._course
        )

    def _derives(self, run: Run, fact: str) -> Rule | None:
        """The first rule that derived that ``fact`` is so; None where it is not."""
        trace = run.trace or ()
        for place, rule in self._deriving[fact] if run.facts.get(fact) else ():
            did = trace[place]
            if did and did[DERIVED][fact]:
                return rule
        return None

    def releases(self, ending: Occasion) -> bool:
        """Whether the end of a unit of work releases a trigger message that it held back."""
        released: bool = self._course.run(ending, ())[-1].facts["released"]
        return released


def _deriving(ruleset: Ruleset, fact: str) -> list[tuple[int, Rule]]:
    """The rules that may derive ``fact``, each with its place in the trace."""
    found = []
    for place, rule in enumerate(ruleset.rules):
        concludes = isinstance(rule.action, Conclude) and rule.action.fact == fact
        if concludes or (isinstance(rule.action, Derive) and fact in dict(rule.action.values)):
            found.append((place, rule))
    return found


DERIVED = Applied._fields.index("derived")
"""Where a row of the trace holds what a rule derived."""
