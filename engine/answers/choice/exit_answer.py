"""What became of a choice that a cluster workload exit was called for, or could have been."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from attrs import evolve, field, frozen

from mqclause.documents import EXIT
from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Applied, ExecutorName, Run
from mqclause.language.evaluate import Scope, evaluate
from mqclause.model.assembly.incomplete import Incomplete
from mqclause.model.diagnostic import quoted
from mqclause.model.exits.exit_call import ExitCall
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import QueueManager
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule import Because, Derive, Holds, Rule, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.trace.document import Named
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence

STANDING = ("choice_ignored", "own_choice_stands", "exit_choice_stands")
"""The facts of which rules derive one about an answer that lets the call go on."""


class RuleSeen(NamedTuple):
    """A rule and what it saw: the arguments of ``sentence``."""

    ruleset: Ruleset
    rule: Rule
    subject: None
    scope: Scope
    because: Because | None


@frozen(eq=False, slots=False)
class ExitAnswer:
    """Whether an exit was called for a choice, with what, what it answered, and what the exit rules make of that.

    ``offered`` are the destinations in the order of DestinationArray; ``own_choice`` is the queue manager's own, None
    where it has none.
    """

    rules: Rules = field(repr=False)
    executor: ExecutorName
    call: ExitCall
    offered: tuple[Destination, ...]
    own_choice: Destination | None
    listed: tuple[Destination, ...] = field(repr=False)
    run: Run = field(repr=False)

    @property
    def called(self) -> bool:
        """Whether the exit was called."""
        return bool(self.run.facts["called"])

    @property
    def is_given(self) -> bool:
        """Whether there is an exit of the name that CLWLEXIT had when it counted."""
        return self.run.facts["exit_name"] in self.call.exits_given

    @property
    def reason(self) -> str | None:
        """ExitReason, if it was called."""
        return str(self.run.facts["exit_reason"]) if self.called else None

    @property
    def response(self) -> str | None:
        """ExitResponse as the exit left it; None if it was not called, or failed."""
        return self.call.response if self.called and not self.fails else None

    @property
    def failed(self) -> bool:
        """Whether its answer ends the call with a reason code."""
        return self.run.failure is not None

    @property
    def takes(self) -> bool:
        """Whether the destination that the exit chose is taken, be it the queue manager's own choice too."""
        return bool(self.run.facts["exit_choice_stands"])

    @property
    def chosen(self) -> Destination | None:
        """The destination that is taken after the exit was called; None if the call failed or fixes none."""
        if self.failed:
            return None
        if self.takes:
            return self.offered[self.call.destination_chosen - 1]
        return self.own_choice if self.run.facts["own_choice_stands"] else None

    @property
    def overrides(self) -> bool:
        """Whether another destination is taken than the queue manager's own choice."""
        return self.chosen is not None and self.chosen is not self.own_choice

    @property
    def dead_lettered(self) -> bool:
        """Whether a message on the way goes to the dead-letter queue."""
        return bool(self.run.facts["dead_lettered"])

    @property
    def fails(self) -> bool:
        """Whether the exit gave no answer that can be read."""
        return bool(self.run.facts["off_for_handle"])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know besides: that an exit is named and not given, and what rules remark of others."""
        missing = not (self.called or self.is_given) and bool(self.run.facts["exit_name"])
        return (*((self.because,) if missing else ()), *self.remarked.values())

    @cached_property
    def missing(self) -> Incomplete | None:
        """That an exit would be called, if one were given for the name in CLWLEXIT; None where none would be."""
        name = self.run.facts["exit_name"]
        if self.called or self.is_given or not name:
            return None
        given = evolve(self.call, exits_given=(*self.call.exits_given, name))
        if not self._course.run(given, self.listed)[0].facts["called"]:
            return None
        ruleset, rule, _, scope, _ = self._decided
        remedies = rule.action.remedies if isinstance(rule.action, Holds) else ()
        commands = (sentence(ruleset, rule, None, scope, each.command) for each in remedies if each.command)
        return Incomplete(self.because, name, next(commands, ""))

    @property
    def failure(self) -> tuple[str, int, str]:
        """The reason code that ends the call: its name, its number, and the call."""
        assert self.run.failure is not None, "the exit ended no call"  # noqa: S101
        return self.run.failure.reason, REASONS[self.run.failure.reason], self.run.failure.call

    @property
    def rule(self) -> Rule:
        """The rule that decided: that the exit is not called, or what its answer does."""
        return self._decided[1]

    @property
    def because(self) -> str:
        """Why, in a sentence."""
        return sentence(*self._decided)

    @property
    def _course(self) -> Course:
        return Course.of(self.rules, EXIT, self.executor)

    @cached_property
    def _traced(self) -> Run:
        """The run once more, with what each rule did: found when it is asked for, because seldom anybody asks."""
        return self._course.run(self.call, self.listed, traced=True)[0]

    @cached_property
    def _decided(self) -> RuleSeen:
        """The deciding rule and what it saw. Raises RuleError where the rules have none."""
        at = next(self._deciding(self._course.rulesets[0].rules, self._traced), None)
        if at is None:
            said = f"no rule says what the exit's answer {quoted(self.response or '')} comes to"
            raise RuleError(f"{EXIT.name}/", "", said)
        return self._at(at)

    @property
    def remarked(self) -> Mapping[str, str]:
        """What rules remark, by their ids, but for those that say whose choice stands."""
        ruleset, found = self._course.rulesets[0], {}
        for rule in ruleset.remarking(self.run.facts):
            if isinstance(rule.action, Derive) and not {name for name, _ in rule.action.values} & set(STANDING):
                found[rule.id] = sentence(*self._at(ruleset.rules.index(rule)))
        return found

    def _at(self, at: int) -> RuleSeen:
        """What a rule has to say: by its number, with what it saw."""
        course, run = self._course, self._traced
        ruleset = course.rulesets[0]
        first = first_scope(course.steps[0], self.call, self.listed, None, {})
        seen = next(islice(seen_by(ruleset, run, self.listed, first), at, None))
        rule = ruleset.rules[at]
        return RuleSeen(ruleset, rule, None, scope_of(seen, first), Because(rule.remark) if rule.remark else None)

    def _deciding(self, rules: Sequence[Rule], run: Run) -> Iterator[int]:
        if run.failure is not None:
            yield run.failure.rule
        for at, (rule, did) in enumerate(zip(rules, run.trace or (), strict=True)):
            derived: Mapping[str, Any] = (Applied(*did).derived if did is not None else None) or {}
            if isinstance(rule.action, Holds) and not derived.get("holds", True):
                yield at
            if isinstance(rule.action, Derive) and any(derived.get(fact) for fact in STANDING):
                yield at

    def document(self, named: Named) -> dict[str, Any]:
        """The key ``exit`` of a trace; ``named`` is how it names a destination."""
        own, chosen = self.own_choice, self.chosen
        return {
            "called": self.called,
            "reason": self.reason,
            "destination_count": len(self.offered),
            "own_choice": own and named(own),
            "response": self.response,
            "chosen": chosen and named(chosen),
            "rule": self.rule.id,
            "clause": self.rule.clause,
            "because": self.because,
        }


def not_given(rules: Rules, own: QueueManager, given: Collection[str]) -> Incomplete | None:
    """That an exit would be called for puts of a queue manager that are not bound, and is none of those ``given``."""
    name, listed = own.clwlexit, (Destination(own.name, is_local=True),)
    call = ExitCall("MQPUT", "NOTFIXED", False, False, False, own.platform, name, name, tuple(given), clwlexit=name)
    run = Course.of(rules, EXIT).run(call, listed)[0]
    return ExitAnswer(rules, "compiled", call, listed, None, listed, run).missing


def derived_for(chosen: Destination, ruleset: Ruleset, run: Run, first: Scope) -> dict[str, Any]:
    """What rules derive for the destination that is chosen, where an exit chose another than they.

    ``run`` is theirs, and ``first`` what the first of them saw.
    """
    every = {name: value for name, value in run.every.items() if value is not None}
    scope = Scope(first.vocabulary, first.situation, (chosen,), first.carried, run.facts, every, chosen)
    actions = [rule.action for rule in ruleset.rules if isinstance(rule.action, Derive)]
    values = [value for action in actions if action.of == "chosen" for value in action.values]
    return {name: evaluate(tree, scope) for name, tree in values}
