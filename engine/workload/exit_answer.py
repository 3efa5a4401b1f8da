"""The answer of a cluster workload exit to a choice, and what the exit rules make of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from attrs import evolve, field, frozen

from mqclause.documents import EXIT
from mqclause.executors.operations import ExecutorName, Run, StepResult
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.exits.process import Caller
from mqclause.language.evaluator import Scope, evaluate
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.diagnostics import quote_value
from mqclause.model.exits import ExitCall, OfferedDestination
from mqclause.model.facts.domains import REASONS
from mqclause.model.facts.objects import QueueManager
from mqclause.model.facts.workload import START, Destination, SequenceState
from mqclause.rulebook.rule import Condition, Derive, MessageTemplate, Rule, RuleError, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.trace import SubjectNamer, find_scope, render_sentence

CHOICE_FACTS = ("choice_ignored", "own_choice_stands", "exit_choice_stands")
"""The facts of which rules derive one about an answer that lets the call go on."""


class SentenceArguments(NamedTuple):
    """A rule and what it saw: the arguments of ``sentence``."""

    ruleset: Ruleset
    rule: Rule
    subject: None
    scope: Scope
    because: MessageTemplate | None


@frozen(slots=False, repr=False)
class ExitAnswer:
    """Whether an exit was called for a choice, with what, what it answered, and what the exit rules make of that.

    ``offered`` are the destinations in the order of DestinationArray; ``own_choice`` is the queue manager's own, None
    where it has none.
    """

    rules: Rules = field(repr=False)
    executor: ExecutorName = field(eq=False)
    call: ExitCall
    offered: tuple[Destination, ...]
    own_choice: Destination | None
    listed: tuple[Destination, ...] = field(repr=False)
    run: Run = field(repr=False, eq=False)

    def __repr__(self) -> str:
        taken = "fails" if self.failed else f"takes {self.chosen}" if self.chosen is not None else "takes none"
        return f"<ExitAnswer: {self.reason or 'not called'}, {taken}>"

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
    def is_choice_taken(self) -> bool:
        """Whether the destination that the exit chose is taken, be it the queue manager's own choice too."""
        return bool(self.run.facts["exit_choice_stands"])

    @property
    def chosen(self) -> Destination | None:
        """The destination that is taken after the exit was called; None if the call failed or fixes none."""
        if self.failed:
            return None
        if self.is_choice_taken:
            return self.offered[self.call.destination_chosen - 1]
        return self.own_choice if self.run.facts["own_choice_stands"] else None

    @property
    def has_overridden(self) -> bool:
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
        """Remarks: an exit that is named and not given, and what rules remark of others."""
        missing = not (self.called or self.is_given) and bool(self.run.facts["exit_name"])
        return (*((self.because,) if missing else ()), *self.remarks_by_rule.values())

    @cached_property
    def missing(self) -> MissingInformation | None:
        """That an exit would be called, if one were given for the name in CLWLEXIT; None where none would be."""
        name = self.run.facts["exit_name"]
        if self.called or self.is_given or not name:
            return None
        given = evolve(self.call, exits_given=(*self.call.exits_given, name))
        if not self._course.run(given, self.listed)[0].facts["called"]:
            return None
        ruleset, rule, _, scope, _ = self._decided
        remedies = rule.action.remedies if isinstance(rule.action, Condition) else ()
        commands = (render_sentence(ruleset, rule, None, scope, each.command) for each in remedies if each.command)
        return MissingInformation(self.because, name, next(commands, ""))

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
        return render_sentence(*self._decided)

    @property
    def _course(self) -> Pipeline:
        return Pipeline.of(self.rules, EXIT, self.executor)

    @cached_property
    def _traced(self) -> Run:
        """The run once more, with what each rule did: found when it is asked for, because seldom anybody asks."""
        return self._course.run(self.call, self.listed, traced=True)[0]

    @cached_property
    def _decided(self) -> SentenceArguments:
        """The deciding rule and what it saw. Raises RuleError where the rules have none."""
        rule = next(self._deciding(self._course.rulesets[0].rules, self._traced), None)
        if rule is None:
            said = f"no rule says what the exit's answer {quote_value(self.response or '')} comes to"
            raise RuleError(f"{EXIT.name}/", "", said)
        return self._of(rule)

    @property
    def remarks_by_rule(self) -> Mapping[str, str]:
        """The remarks of rules by their ids, but for those that say whose choice stands."""
        ruleset, found = self._course.rulesets[0], {}
        for rule in ruleset.find_remarking_rules(self.run.facts):
            if isinstance(rule.action, Derive) and not {name for name, _ in rule.action.values} & set(CHOICE_FACTS):
                found[rule.id] = render_sentence(*self._of(rule))
        return found

    def _of(self, rule: Rule) -> SentenceArguments:
        """What a rule has to say, with what it saw."""
        ruleset = self._course.rulesets[0]
        first = build_first_scope(self._course.steps[0], self.call, self.listed, None, {})
        scope = find_scope(ruleset, rule, self._traced, self.listed, first)
        return SentenceArguments(ruleset, rule, None, scope, MessageTemplate(rule.remark) if rule.remark else None)

    def _deciding(self, rules: Sequence[Rule], run: Run) -> Iterator[Rule]:
        if run.failure is not None:
            yield rules[run.failure.rule]
        for rule, did in zip(rules, run.trace or (), strict=True):
            derived: Mapping[str, Any] = (StepResult(*did).derived if did is not None else None) or {}
            if isinstance(rule.action, Condition) and not derived.get("holds", True):
                yield rule
            if isinstance(rule.action, Derive) and any(derived.get(fact) for fact in CHOICE_FACTS):
                yield rule

    def document(self, named: SubjectNamer) -> dict[str, Any]:
        """Return the key ``exit`` of a trace; ``named`` is how it names a destination."""
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


def find_missing_exit(rules: Rules, own: QueueManager, given: Collection[str]) -> MissingInformation | None:
    """Find the exit that CLWLEXIT names and puts would call, if it is not among those ``given``."""
    name, listed = own.clwlexit, (Destination(own.name, is_local=True),)
    call = ExitCall("MQPUT", "NOTFIXED", False, False, False, own.platform, name, name, tuple(given), clwlexit=name)
    run = Pipeline.of(rules, EXIT).run(call, listed)[0]
    return ExitAnswer(rules, "compiled", call, listed, None, listed, run).missing


def derive_for_destination(chosen: Destination, ruleset: Ruleset, run: Run, first: Scope) -> dict[str, Any]:
    """Derive by rules what belongs to the destination that an exit chose instead of theirs.

    ``run`` is theirs, and ``first`` what the first of them saw.
    """
    every = {name: value for name, value in run.every.items() if value is not None}
    scope = Scope(first.vocabulary, first.situation, (chosen,), first.carried, run.facts, every, chosen)
    actions = [rule.action for rule in ruleset.rules if isinstance(rule.action, Derive)]
    values = [value for action in actions if action.of == "chosen" for value in action.values]
    return {name: evaluate(tree, scope) for name, tree in values}


def get_default_exit_limit(rules: Rules) -> float | None:
    """Return the seconds that a call of an exit may take by the exit rules; None if they do not say."""
    if not rules.in_folder(EXIT.name):
        return None
    return float(Pipeline.of(rules, EXIT).run(ExitCall(), ())[0].facts["time_limit"])


def get_default_choice(
    permitted: Sequence[Destination], caller: Caller, facts: Mapping[str, Any]
) -> Destination | None:
    """Return the queue manager's own choice: the permitted destination whose turn it is, else that listed first.

    By ``facts``, which the exit rules derived, those of the queue manager that failed are passed over.
    """
    over = caller.left if facts["passes_over_target"] else None
    among = [each for each in permitted if each.queue_manager != over]
    return next((each for each in among if each.queue_manager == caller.turn), next(iter(among), None))


def count_route(route: OfferedDestination, state: SequenceState | None) -> tuple[Any, ...]:
    """Return a route with the counters of ``state``; without one, with those of the facts."""
    if state is None:
        return tuple(route)
    factor, number = state.counters.get(route.counter, START)
    return tuple(route._replace(numbers=(factor, number)))
