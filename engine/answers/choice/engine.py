"""The engine: rules made ready once, then a decision for each put."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from mqclause.answers.choice.decision import LEVELS, Decision, Level
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.answers.choice.exit_question import ExitQuestion, limit_unless_stated
from mqclause.answers.choice.resolution import Resolved, resolved
from mqclause.answers.choice.sending import Depths, Sending, sending_of
from mqclause.documents import EXIT, OUTCOME, RESOLUTION
from mqclause.executors.course import Course
from mqclause.executors.listing import listing_of
from mqclause.executors.run import ExecutorName, Run
from mqclause.exits.process import Exit
from mqclause.exits.session import ANYBODY, Caller, Exits, ExitSession
from mqclause.model.diagnostic import of_type
from mqclause.model.exits.structures import MQWXP
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import destinations
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import UNCHANGED, SequenceState
from mqclause.model.facts.situation import situation
from mqclause.rulebook.rules import AUTO, Rules


class Engine:
    """Chooses destinations by the workload rules.

    It holds no state of any queue manager: the sequence state goes in and comes out with each choice, so one
    engine may be shared between threads. It pickles as its ``rules``, which are by default those that come with the
    project; where these are of no edition, a choice is made by the edition of the local queue manager's command level.
    ``executor`` is ``compiled`` (microseconds), ``chaining`` (durable_rules) or ``plain`` (the reference).
    Raises RuleError.

    ``exits`` are cluster workload exits by the name in CLWLEXIT, functions that take one MQWXP (see mqclause.exits);
    a call of one may take ``exit_limit`` seconds, or as many as the exit rules say. They run in processes of their own
    until ``close``, or the end of ``with``; what an exit remembers is then forgotten, as when a queue manager ends.
    Raises ValueError and TypeError.
    """

    def __init__(
        self,
        rules: Rules | None = None,
        executor: ExecutorName = "compiled",
        exits: Mapping[str, Exit] | None = None,
        exit_limit: float | None = None,
    ) -> None:
        self.rules = Rules.given(rules)
        self.executor = executor
        if exits and exit_limit is None:
            exit_limit = limit_unless_stated(self.rules)
        self.exits = Exits(exits, exit_limit)
        self._sessions: dict[str, ExitSession] = {}
        self._by_level = self.rules.asked == AUTO
        self._of_editions: dict[int, Engine] = {}
        self._course = Course.of(self.rules, OUTCOME, executor)
        self.listing = listing_of(self._course.rulesets[0])
        self._names = Course.of(self.rules, RESOLUTION, executor)

    @classmethod
    def given(cls, engine: Engine | None) -> Engine:
        """The engine that was given, or where none was, one of the rules that come with mqclause. Raises TypeError."""
        return cls() if engine is None else of_type("engine", engine, cls)

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.rules, self.executor, self.exits.given, self.exits.limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Calls the exits with TERM and ends their processes; a later choice starts them again, with INIT."""
        for session in self._sessions.values():
            self.exits.end(session)
        self._sessions.clear()
        self.exits.close()

    def at(self, cluster: Cluster) -> Engine:
        """The engine for choices at the local queue manager of ``cluster``: that of its edition, if its level is known.

        It shares the exits with this one, and what they remember.
        """
        level = cluster.queue_manager.command_level
        if not level or not self._by_level:
            return self
        found = self._of_editions.get(level)
        if found is None:
            found = Engine(self.rules.of_level(level), self.executor)
            found.exits, found._sessions = self.exits, self._sessions
            self._of_editions[level] = found
        return found

    @property
    def readings(self) -> Mapping[str, str]:
        """The choices, by reading, that its rules were read by."""
        return dict(self._course.readings)

    def choose(
        self,
        put: Put,
        cluster: Cluster,
        state: SequenceState | None = None,
        explain: Level = "verdict",
        caller: Caller | None = ANYBODY,
        depths: Depths | None = None,
    ) -> Decision:
        """The destination of ``put``, made at the local queue manager of ``cluster``.

        ``state`` is ``Decision.state`` of the previous choice; without it the facts' own sequence numbers and factors
        count. ``explain`` says how much of the why the decision holds: ``off`` the outcome alone, ``verdict`` also
        every permitted destination, ``rule`` each rule with who fell by it and why, ``condition`` also the tests with
        their values. ``caller`` is what an exit needs to know; for None no exit is called. ``depths``: how many
        messages are on local queues, if the facts do not say. Raises TypeError, and ValueError for another level.
        """
        _check(put, cluster, explain)
        if self._by_level and cluster.queue_manager.command_level:
            return self.at(cluster).choose(put, cluster, state, explain, caller, depths)
        left_open = put.bind == "AS_Q_DEF"
        where = resolved(self._names, cluster, put.queue, put.queue_manager, put.call, left_open)
        last, changed, counters = cluster.last_seq_number, UNCHANGED, None
        if state is not None:
            of_type("state", state, SequenceState, ", as decision.state")
            last, changed, counters = state.last_number, state.noticed(cluster, self.listing).pending, state.counters
        bind = where.default_binding if left_open else put.bind
        seen = situation(put, where.names, bind, cluster, last, changed, where.inhibited_by)
        runs: tuple[Run, ...] = ()
        if where.asks_workload:
            listed = destinations(cluster, where.named, self.listing, seen)
            runs = self._course.run(seen, listed, counters, explain in ("rule", "condition"))
        else:
            listed = () if where.reason is not None or where.deferred else (where.destination,)
        decision = Decision(put, cluster, explain, self._course, seen, listed, runs, self.rules, state, where)
        if runs and caller is not None and self._names_exit(cluster, caller):
            decision.exit = self._answer_of_exit(decision, caller)
        if runs and cluster.own_queues:
            decision.refusal = self.sending.refusal(decision.candidate, put.call, cluster, depths)
        return decision

    def _answer_of_exit(self, decision: Decision, caller: Caller) -> ExitAnswer:
        """What an exit makes of a decision; what it remembers is kept by queue manager, unless the caller keeps it."""
        own = decision.cluster.queue_manager.name
        session = caller.session or self._sessions.setdefault(own, ExitSession())
        return self._exit_question.answer(decision, caller, session)

    def exit_parameters(
        self, put: Put, cluster: Cluster, state: SequenceState | None = None, caller: Caller = ANYBODY
    ) -> MQWXP:
        """What an exit would be called with for ``put``, in this process and without calling one: to try one with."""
        plain = Engine(self.rules, self.executor).choose(put, cluster, state, "off", caller)
        return self.at(cluster)._exit_question.parameters(plain, caller)

    def exit_answer(self, decision: Decision) -> ExitAnswer:
        """What the exits make of a decision of the rules, at a queue manager that has just been started."""
        of_type("decision", decision, Decision)
        return self.at(decision.cluster)._exit_question.answer(decision, ANYBODY, ExitSession())

    @cached_property
    def sending(self) -> Sending:
        """Which puts fail at their transmission queue."""
        return sending_of(self.rules)

    @cached_property
    def _exit_question(self) -> ExitQuestion:
        """Made when it is first needed: most choices know no exit."""
        return ExitQuestion(self.rules, self.exits, self.executor)

    def _names_exit(self, cluster: Cluster, caller: Caller) -> bool:
        """Whether there is an exit, or a name of one: CLWLEXIT, now or when it counted."""
        of_type("caller", caller, Caller, " or None")
        named = cluster.queue_manager.clwlexit or caller.exit_at_start or caller.exit_at_connection
        return bool(self.exits.names or (named and self._has_exit_rules))

    @cached_property
    def _has_exit_rules(self) -> bool:
        """Whether the rules, which may be of one's own, say anything about exits."""
        return any(path.startswith(f"{EXIT.name}/") for path in self.rules.files)

    def resolve(
        self, cluster: Cluster, queue: str, queue_manager: str = "", call: str = "MQPUT", for_input: bool = False
    ) -> Resolved:
        """Where two names lead that a call gives, before any workload rule. Raises ValueError where both are blank.

        ``for_input``: the call opens the queue to get or to browse messages.
        """
        of_type("cluster", cluster, Cluster, ", as snapshot.cluster")
        queue = of_type("queue", queue, str).rstrip(" ")
        queue_manager = of_type("queue_manager", queue_manager, str).rstrip(" ")
        return resolved(self.at(cluster)._names, cluster, queue, queue_manager, call, for_input=for_input)


def _check(put: object, cluster: object, level: object) -> None:
    """Raises TypeError or ValueError if one of the arguments of a choice is none."""
    if isinstance(put, Put) and isinstance(cluster, Cluster) and level in LEVELS:
        return
    of_type("put", put, Put, "(queue=…)")
    of_type("cluster", cluster, Cluster, ", as snapshot.cluster")
    raise ValueError(f"explain={level!r} is not a level; allowed: {', '.join(LEVELS)}")
