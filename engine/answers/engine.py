"""The engine: rules made ready once, then a decision for each put."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from mqclause.answers.decision import LEVELS, Decision, Level
from mqclause.answers.resolution import Resolved, resolved
from mqclause.documents import OUTCOME, RESOLUTION, WORKLOAD
from mqclause.executors.course import Course
from mqclause.executors.notices import watch_of
from mqclause.executors.run import ExecutorName, Run
from mqclause.language.evaluate import Scope, evaluate
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination, destinations
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import UNCHANGED, SequenceState
from mqclause.model.facts.situation import situation
from mqclause.rulebook.rules import Rules


class Engine:
    """Chooses destinations by the workload rules.

    It holds no state of any queue manager: the sequence state goes in and comes out with each choice, so one
    engine may be shared between threads. It pickles as its ``rules``, which are by default those that come with the
    project. ``executor`` is ``compiled`` (microseconds), ``chaining`` (durable_rules) or ``plain`` (the reference).
    Raises RuleError.
    """

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.rules = Rules() if rules is None else rules
        self.executor = executor
        self._course = Course.of(self.rules, OUTCOME, executor)
        self.watch = watch_of(self._course.rulesets[0])
        self._names = Course.of(self.rules, RESOLUTION, executor)
        self._every_local_channel = every_local_channel(self.rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.rules, self.executor)

    @property
    def readings(self) -> Mapping[str, str]:
        """The choices, by reading, that its rules were read by."""
        return dict(pair for ruleset in self._course.rulesets for pair in ruleset.readings)

    def choose(
        self, put: Put, cluster: Cluster, state: SequenceState | None = None, explain: Level = "verdict"
    ) -> Decision:
        """The destination of ``put``, made at the local queue manager of ``cluster``.

        ``state`` is ``Decision.state`` of the previous choice; without it the facts' own sequence numbers and
        factors count. ``explain`` says how much of the why the decision holds: ``off`` the outcome alone,
        ``verdict`` also every permitted destination, ``rule`` each rule with who fell by it and why,
        ``condition`` also the tests with their values.
        """
        if explain not in LEVELS:
            raise ValueError(f"explain={explain!r} is not a level; allowed: {', '.join(LEVELS)}")
        where = resolved(self._names, cluster, put.queue, put.queue_manager, put.call)
        bind = where.default_binding if put.bind == "AS_Q_DEF" else put.bind
        if state is None:
            last, changed, counters = cluster.last_seq_number, UNCHANGED, None
        else:
            last, changed, counters = state.last_number, state.noticed(cluster, self.watch).pending, state.counters
        seen = situation(put, where.named, bind, cluster, last, changed, where.inhibited)
        listed: tuple[Destination, ...] = ()
        runs: tuple[Run, ...] = ()
        if where.asks_workload:
            listed = destinations(cluster, where.named, self._every_local_channel, where.kept)
            runs = self._course.run(seen, listed, counters, explain in ("rule", "condition"))
        elif where.reason is None and not where.deferred:
            listed = (where.destination,)
        return Decision(put, cluster, explain, self._course, seen, listed, runs, self.rules, state, where)

    def resolve(self, cluster: Cluster, queue: str, queue_manager: str = "", call: str = "MQPUT") -> Resolved:
        """Where two names lead that a call gives, before any workload rule. Raises ValueError where both are blank."""
        return resolved(self._names, cluster, queue, queue_manager, call)


def every_local_channel(rules: Rules) -> bool:
    """Whether the local instance stands once for each local CLUSRCVR: what destinations() asks of the rules."""
    vocabulary = rules.ruleset(WORKLOAD).vocabulary
    return bool(evaluate(exp.column("on_each_receiver"), Scope(vocabulary, None)))
