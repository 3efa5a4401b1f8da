"""Asks a cluster workload exit for a choice, where the exit rules say that a queue manager would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.documents import EXIT
from mqclause.executors.course import Course
from mqclause.executors.run import ExecutorName
from mqclause.exits.process import ExitFaultError
from mqclause.exits.session import Caller, Exits, ExitSession
from mqclause.model.exits.exit_call import ExitCall
from mqclause.model.exits.offer import Offer, OfferedMessage, OfferedRoute, of_queue, routes, structures
from mqclause.model.exits.structures import MQWXP, NO_USER_AREA
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import START, SequenceState
from mqclause.rulebook.rules import Rules


class ExitQuestion:
    """The exit rules and the exits that an engine was given. Safe to share between threads."""

    def __init__(self, rules: Rules, exits: Exits, executor: ExecutorName) -> None:
        self.rules = rules
        self.exits = exits
        self.executor = executor
        self._course = Course.of(rules, EXIT, executor)

    def answer(self, decision: Decision, caller: Caller, session: ExitSession) -> ExitAnswer:
        """What an exit makes of ``decision``, which is the workload rules' own."""
        call, listed = self._call(decision, caller, session), decision.listed
        run = self._course.run(call, listed)[0]
        offered, choice = tuple(run.remaining), own_choice(decision.remaining, caller, run.facts)
        if run.facts["called"]:
            offer = _offer(run.facts, decision, offered, choice, caller)
            call = self._called(run.facts["exit_name"], evolve(call, own_choice=offer.own_choice), session, offer)
            run = self._course.run(call, listed)[0]
            session.suppressed |= run.facts["suppresses"]
            if run.facts["off_for_handle"] and caller.handle is not None:
                session.failed_on.add(caller.handle)
        return ExitAnswer(self.rules, self.executor, call, offered, choice, listed, run)

    def parameters(self, decision: Decision, caller: Caller) -> MQWXP:
        """What an exit would be called with, whether there is one or not."""
        run = self._course.run(self._call(decision, caller, ExitSession()), decision.listed)[0]
        choice = own_choice(decision.remaining, caller, run.facts)
        offer = _offer(run.facts, decision, tuple(run.remaining), choice, caller)
        return structures(offer._replace(user_area=NO_USER_AREA))

    def _call(self, decision: Decision, caller: Caller, session: ExitSession) -> ExitCall:
        """The choice as the exit rules see it before an exit is called."""
        own = decision.cluster.queue_manager
        return ExitCall(
            decision.put.call, decision.situation.bind, decision.put.cluster_pcf, bool(caller.left),
            decision.resolved.inhibited, own.platform,
            own.clwlexit if caller.exit_at_start is None else caller.exit_at_start,
            own.clwlexit if caller.exit_at_connection is None else caller.exit_at_connection,
            self.exits.names, session.suppressed, caller.handle in session.failed_on,
            _message(decision, caller).length, own.clwllen, self.exits.limit or 0.0, clwlexit=own.clwlexit,
            others_permitted=any(each.queue_manager != caller.left for each in decision.remaining),
        )  # fmt: skip

    def _called(self, name: str, call: ExitCall, session: ExitSession, offer: Offer) -> ExitCall:
        """The call with what the exit answered to it."""
        try:
            found = self.exits.call(name, session, offer)
        except ExitFaultError as error:
            answer: dict[str, Any] = {"timed_out": error.timed_out, "fault": str(error)}
        else:
            answer = {"response": found.response, "destination_chosen": found.destination_chosen}
        return evolve(call, answered=True, init_fault=session.told_at_init(), **answer)


def limit_unless_stated(rules: Rules) -> float | None:
    """How many seconds one call of an exit may take where nobody states it, by the exit rules; None without such."""
    if not rules.in_folder(EXIT.name):
        return None
    return float(Course.of(rules, EXIT).run(ExitCall(), ())[0].facts["time_limit"])


def _message(decision: Decision, caller: Caller) -> OfferedMessage:
    """What is put, or will be when it is an open that asks."""
    return caller.message or OfferedMessage(decision.put.length)


def own_choice(permitted: Sequence[Destination], caller: Caller, facts: Mapping[str, Any]) -> Destination | None:
    """The queue manager's own choice: the permitted destination whose turn it is, else that listed first.

    By ``facts``, which the exit rules derived, those of the queue manager that failed are passed over.
    """
    over = caller.left if facts["passes_over_target"] else None
    among = [each for each in permitted if each.queue_manager != over]
    return next((each for each in among if each.queue_manager == caller.turn), next(iter(among), None))


def _offer(
    facts: Any, decision: Decision, offered: tuple[Destination, ...], choice: Destination | None, caller: Caller
) -> Offer:
    """What the exit is told; its user area is filled in when it is called."""
    put, cluster, named = decision.put, decision.cluster, decision.resolved.named
    own, queue = cluster.queue_manager, decision.resolved.names[0]
    message = _message(decision, caller) if facts["with_message"] else None
    length, cut = message.length if message else 0, facts["buffer_length"]
    return Offer(
        facts["exit_reason"], b"", own.clwldata, put.from_cluster_channel, queue, own.name, own.clwlmruc,
        offered.index(choice) + 1 if choice in offered else 0,
        [_counted(route, decision.before) for route in routes(cluster, named, offered)], of_queue(named), length, cut,
        message.buffer[:cut] if message and message.buffer is not None else None,
        dict(message.descriptor) if message else None,
    )  # fmt: skip


def _counted(route: OfferedRoute, state: SequenceState | None) -> tuple[Any, ...]:
    """A route with the counters of ``state``; without one, with those of the facts."""
    if state is None:
        return tuple(route)
    factor, number = state.counters.get(route.counter, START)
    return tuple(route._replace(numbers=(factor, number)))
