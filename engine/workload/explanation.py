"""Everything that ``mqclause explain`` reports about a decision: other readings, ties, unknown facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

from attrs import asdict, evolve, frozen

from mqclause.answers import ShownAnswer
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import check_type
from mqclause.rulebook.rule import Choose
from mqclause.rulebook.rules import RulesOrigin
from mqclause.trace import join_names
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.delivery import find_obstacles
from mqclause.workload.editions import (
    OtherEdition,
    find_assumed_remarks,
    find_missing_level,
    find_other_editions,
    list_edition_remarks,
    locate_edition,
    name_edition_source,
)
from mqclause.workload.sensitivity import AskExit, find_unknowns

NO_COUNTERS = "MQ displays no sequence numbers: taken as 0"


@frozen(repr=False)
class Explanation(ShownAnswer):
    """A decision with everything else that a reader should know.

    ``readings`` are choices by which the answer is another, ``ties`` say who fell by listing order alone,
    ``incomplete`` is what is not known and could change the answer, ``assumptions`` what the sources cannot tell and
    was taken to be so for this answer, ``sources`` what is odd about them, ``obstacles`` what is in the way of the
    message then, ``editions`` are those of MQ that answer otherwise, and ``edition_from`` says where the one in force
    is from. ``edition_remarks``, which stand among the assumptions, too, say what is to be known of that.
    """

    written_by = "trace"

    decision: Decision
    readings: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    incomplete: tuple[MissingInformation, ...] = ()
    assumptions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()
    editions: tuple[OtherEdition, ...] = ()
    edition_from: str = ""
    edition_remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        decision: Decision,
        snapshot: Snapshot,
        other_readings: bool = True,
        engine: Engine | None = None,
    ) -> Self:
        """Explain a decision that was made in the snapshot's cluster at level ``rule`` or ``condition``.

        It decides anew for each state of a channel that no source tells, and for each choice of a reading, which takes
        several times as long as all else, where they are asked for. Where an exit was called, the ``engine`` that has
        it is asked about those states, too; without it the rules alone are. Raises ValueError for another level.
        """
        check_type("decision", decision, Decision)
        check_type("snapshot", snapshot, Snapshot, ", as read_files gives")
        decision.check_traced()
        readings = tuple(map(str, decision.other_readings())) if other_readings else ()
        ties = tuple(describe_ties(decision))
        odd = tuple(map(str, snapshot.remarks))
        others = find_other_editions(decision)
        is_known = decision.cluster.queue_manager == snapshot.cluster.queue_manager
        source = name_edition_source(decision.rules, snapshot) if is_known else decision.edition_from
        assumptions, of_edition = _assumed(decision, snapshot, ties), list_edition_remarks(decision, others, source)
        ahead, unknown = find_obstacles(decision, snapshot.beyond), find_unknowns(decision, snapshot)
        unknown = (*unknown, *find_missing_level(decision, snapshot, bool(others)))
        place = locate_edition(decision.rules, snapshot) if is_known else source
        told = tuple(of_edition)
        made = cls(decision, readings, ties, unknown, (*assumptions, *told), odd, ahead, others, place, told)
        return made.with_exit(decision, snapshot, None if engine is None else Engine.given(engine).exit_answer)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks of the rules, but for those that the remarks on an edition that is assumed tell."""
        assumed = {*find_assumed_remarks(self.decision)}
        return tuple(each for each in self.decision.remarks if each not in assumed)

    def with_exit(self, decision: Decision, snapshot: Snapshot, ask_exit: AskExit | None) -> Self:
        """Return this explanation with ``decision``, which an exit made of its own; the remarks on that stay."""
        told = self
        if decision is not self.decision:
            told = evolve(self, decision=decision, obstacles=find_obstacles(decision, snapshot.beyond))
        if decision.exit is None or not decision.exit.called:
            return told
        if decision.exit.failed:
            return evolve(told, readings=(), ties=(), incomplete=())
        if ask_exit is not None:
            told = evolve(told, incomplete=find_unknowns(decision, snapshot, ask_exit))
        return evolve(told, readings=(), ties=()) if decision.exit.has_overridden else told

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules of the decision are from; None if they are those that come with the project."""
        return self.decision.origin

    def to_json(self) -> dict[str, Any]:
        """Return the document ``mqclause.trace/1`` with everything in it."""
        return self.decision.to_json() | self._besides()

    def to_json_text(self) -> str:
        """Return the text of ``to_json()``, several times as fast as json.dumps."""
        return self.decision.to_json_text(self._besides())

    def _besides(self) -> dict[str, Any]:
        """What a decision alone does not say, or not in full."""
        tie = describe_final_tie(self.decision)
        ties = (*self.ties, *([tie] if tie else []))
        editions = {"other_editions": [each.document() for each in self.editions]} if self.editions else {}
        return {
            **({"edition_from": self.edition_from} if self.edition_from else {}),
            **editions,
            "remarks": [
                *self.obstacles,
                *self.remarks,
                *self.sources,
                *ties,
                *self.readings,
                *self.edition_remarks,
            ],
            "incomplete": [asdict(each) for each in self.incomplete],
            "assumptions": list(self.assumptions),
        }


def describe_ties(decision: Decision) -> Iterator[str]:
    """Describe the destinations that fell only by listing order, equal to one that stayed. Needs level ``rule``."""
    for step in decision.steps:
        if step.eliminated and (fallen := [fate.subject.host for fate in step.eliminated if fate.is_tied]):
            yield f"clause {step.rule.clause}: {join_names(fallen)} fell as equal, listed later"


def describe_final_tie(decision: Decision) -> str:
    """Describe which of several permitted destinations is taken; blank if there is one only."""
    if decision.outcome != "chosen" or len(decision.permitted) < 2:
        return ""
    names = join_names([each.host for each in decision.permitted])
    return f"{names} are equally good; {describe_tie_break(decision)}"


def describe_tie_break(decision: Decision) -> str:
    """Describe by what one of several permitted destinations is taken."""
    answer = decision.exit
    if answer is not None and answer.is_choice_taken and answer.chosen is not None:
        return f"the exit took {answer.chosen.host}"
    choices = [step.rule.action for step in decision.steps if step.applied and isinstance(step.rule.action, Choose)]
    return f"the one listed {'last' if choices and choices[-1].ties == 'last-listed' else 'first'} is taken"


def _assumed(decision: Decision, snapshot: Snapshot, ties: Sequence[str]) -> Iterator[str]:
    """What the sources cannot tell and is taken to be so, as far as it has to do with the answer."""
    if not snapshot.knowledge.shows_counters and (ties or len(decision.permitted) > 1):
        yield NO_COUNTERS
    if decision.runs or decision.reason is not None:
        yield from snapshot.assumptions
