"""The search for changes after which a queue manager is permitted, where a cluster workload exit has its say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from time import monotonic

from attrs import define, evolve, field

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.cluster.commands import AdminCommand, quoted_name
from mqclause.exits.session import Caller, ExitSession
from mqclause.model.facts.cluster import Cluster

MOST_PAIRS = 10_000
"""About how many pairs of commands an exit is asked at most: a second or two. Where there are more, none is tried."""


class SearchEndedError(Exception):
    """The exit has had its time; the message says how much, and for what."""


def says_more(decision: Decision) -> bool:
    """Whether the rules alone do not tell what becomes of a put when something is changed: an exit would be called."""
    answer = decision.exit
    return answer is not None and answer.is_given and not (answer.call.suppressed or answer.call.failed_on_handle)


def exit_commands(decision: Decision, queue_manager: str) -> Iterator[AdminCommand]:
    """What an exit may look at and no rule does: CLWLDATA, with each channel's name, the wanted first, and blank."""
    own = decision.cluster.queue_manager
    wanted = sorted(decision.listed, key=lambda each: each.queue_manager != queue_manager)
    for value in dict.fromkeys([*(each.channel for each in wanted if each.channel), ""]):
        if value != own.clwldata:
            command = f"ALTER QMGR CLWLDATA({quoted_name(value or ' ')})"
            yield AdminCommand(
                own.name, own.name, command, (own.name, "QMGR", "CLWLDATA"), on_facts=partial(_with_data, value=value)
            )


def _with_data(cluster: Cluster, value: str) -> Cluster:
    return evolve(cluster, queue_manager=evolve(cluster.queue_manager, clwldata=value))


@define
class AskedExit:
    """Decides again, with the exit, after each change: at a queue manager that has just been started.

    All its calls together have the time that one may take, the ``exit_limit``; the first that runs into it ends the
    search. ``tried`` counts the changes.
    """

    decision: Decision
    engine: Engine
    caller: Caller
    tried: int = 0
    _until: float = field(init=False)

    @_until.default
    def _ends(self) -> float:
        return monotonic() + self.engine.exits.seconds

    def permits(self, commands: Sequence[AdminCommand], name: str) -> bool:
        """Whether a queue manager is permitted where the commands have changed the facts. Raises SearchEndedError.

        Of several that the rules permit each has its turn, and the exit has to leave it that.
        """
        self.tried += 1
        found = self._after(commands)
        if found.outcome == "failed":
            return False
        if found.exit is None or not found.exit.takes:
            return any(each.queue_manager == name for each in found.permitted)
        if found.chosen is not None and found.chosen.queue_manager == name:
            return True
        if found.run is None or all(each.queue_manager != name for each in found.run.remaining):
            return False
        chosen = self._after(commands, turn=name).chosen
        return chosen is not None and chosen.queue_manager == name

    def _after(self, commands: Sequence[AdminCommand], turn: str = "") -> Decision:
        """The decision where the commands have changed the facts."""
        cluster, before = self.decision.cluster, self.decision.before
        for command in commands:
            cluster = command.on_facts(cluster)
        answer = self.decision.exit
        if answer is not None and answer.call.timed_out:
            raise SearchEndedError("no change was tried: the exit does not return in time")
        session = ExitSession()
        asked = evolve(self.caller, session=session, turn=turn)
        found = self.engine.choose(
            self.decision.put, cluster, before and evolve(before, seen=cluster), "verdict", asked
        )
        self.engine.exits.end(session)
        if monotonic() > self._until or (found.exit is not None and found.exit.call.timed_out):
            limit = f"{self.engine.exits.seconds:g} s"
            raise SearchEndedError(f"the search ended with change {self.tried}: the exit may take {limit} in all of it")
        return found
