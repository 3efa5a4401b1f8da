"""All that ``mqclause explain`` says of a decision: what another reading would give, ties, what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from attrs import asdict, frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.other_readings import tie_at_the_end, ties_within
from mqclause.answers.choice.rests_on import rests_on
from mqclause.answers.choice.ways import obstacles
from mqclause.model.assembly.incomplete import Incomplete
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.diagnostic import of_type


@frozen(eq=False)
class Explanation:
    """A decision and what a reader should know besides.

    ``readings`` are choices by which the answer is another, ``ties`` say who fell by listing order alone,
    ``incomplete`` is what is not known and could change the answer, ``assumptions`` what the sources cannot tell
    whatever is asked, ``sources`` what is odd about them, ``obstacles`` what is in the way of the message then.
    """

    decision: Decision
    readings: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    assumptions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()

    @classmethod
    def of(cls, decision: Decision, snapshot: Snapshot) -> Self:
        """All that is to be said of a decision made in the snapshot's cluster at level ``rule`` or ``condition``.

        It decides anew for each choice of a reading and for each state of a channel that no source tells. Raises
        ValueError for another level.
        """
        of_type("decision", decision, Decision)
        decision.check_traced()
        readings = tuple(map(str, decision.other_readings()))
        ties = tuple(ties_within(decision))
        odd = tuple(map(str, snapshot.remarks))
        assumptions = (*snapshot.assumptions, *_other_edition(decision, snapshot))
        ahead = obstacles(decision, snapshot.beyond)
        return cls(decision, readings, ties, rests_on(decision, snapshot), assumptions, odd, ahead)

    def to_json(self) -> dict[str, Any]:
        """The document ``mqclause.trace/1`` with everything in it."""
        document = self.decision.to_json()
        tie, told = tie_at_the_end(self.decision), (*self.obstacles, *self.sources, *self.ties)
        return document | {
            "remarks": [*document["remarks"], *told, *([tie] if tie else []), *self.readings],
            "incomplete": [asdict(each) for each in self.incomplete],
            "assumptions": list(self.assumptions),
        }


def _other_edition(decision: Decision, snapshot: Snapshot) -> Iterator[str]:
    """That the local queue manager is of another edition than the documents that the rules state."""
    rules = decision.rules
    edition = rules.toml("editions.toml").get(rules.edition, {})
    stated = edition.get("command_level")
    if decision.runs and stated is not None and snapshot.command_level not in (0, stated):
        yield (
            f"{decision.cluster.queue_manager.name} is of command level {snapshot.command_level}; the rules state the"
            f" documents of {edition['title']}, and later editions decide some puts another way"
        )
