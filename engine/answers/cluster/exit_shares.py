"""Exit shares: which destinations an exit takes of the first puts. What it takes in the long run nobody can know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from attrs import frozen

from mqclause.answers.choice.decision import Decision, Level
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.rests_on import AskExit
from mqclause.answers.choice.shares import Share
from mqclause.exits.session import Caller, ExitSession
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import SequenceState

FIRST_PUTS = 60
"""How many puts an exit is asked about: two to six destinations in turn get equal parts of them."""


@frozen(eq=False)
class ExitShares:
    """What an exit took of the first puts; ``failed`` of them went nowhere. ``ask`` asks the exit once more."""

    shares: tuple[Share, ...]
    failed: int
    ask: AskExit

    @property
    def remarks(self) -> Iterator[str]:
        """How the parts are meant."""
        if not self.shares:
            yield "an exit takes part: it was asked about the first put"
            return
        failing = f", of which {self.failed} fail" if self.failed else ""
        yield f"an exit takes part: shares are what it took of the first {FIRST_PUTS} puts{failing}"


def choice_after_start(
    put: Put, cluster: Cluster, engine: Engine, state: SequenceState | None, level: Level = "verdict"
) -> Decision:
    """The decision at a queue manager that has just been started: its exit remembers nothing of other puts."""
    session = ExitSession()
    decision = engine.choose(put, cluster, state, level, Caller(session=session))
    engine.exits.end(session)
    return decision


def exit_shares(decision: Decision, engine: Engine) -> ExitShares | None:
    """What the exit takes that was called for a decision, from its state on; None where none was called.

    The exit remembers what it remembers while a queue manager runs, from a start on.
    """
    if decision.exit is None or not decision.exit.called:
        return None
    counts, failed, state, session = Counter[Destination](), 0, decision.before, ExitSession()
    caller = Caller(session=session)
    for _ in range(FIRST_PUTS if decision.outcome == "chosen" else 0):
        made = engine.choose(decision.put, decision.cluster, state, "off", caller)
        state = made.state
        if made.chosen is None:
            failed += 1
        else:
            counts[made.chosen] += 1
    engine.exits.end(session)
    shares = tuple(Share(each, Fraction(count, FIRST_PUTS)) for each, count in counts.items())
    return ExitShares(shares, failed, engine.exit_answer)
