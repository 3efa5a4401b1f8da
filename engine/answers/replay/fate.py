"""What an event of administration did: to objects, and the fate of each message in flight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.answers.choice.decision_document import destination_document
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.answers.replay.administration import Settled
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import RemoteQueueManager
from mqclause.model.facts.sequence import SequenceState
from mqclause.model.timeline.matter import Matter


@frozen(eq=False)
class MessageFate:
    """What becomes of a message in flight; ``to`` is where it is sent instead, ``exit`` what became of that with
    an exit, called or not. ``remarks`` say what it will meet.
    """

    message: str
    settled: Settled
    to: Destination | None = None
    exit: ExitAnswer | None = None
    remarks: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """As in a row of ``mqclause replay``."""
        to = self.to and destination_document(self.to)
        found = {"message": self.message, "fate": self.settled.becomes, "to": to, **self.settled.document()}
        found |= {"remarks": list(self.remarks)} if self.remarks else {}
        if self.exit is None or not self.exit.called:
            return found
        return {**found, "exit": self.exit.document(destination_document)}


@frozen(eq=False)
class ChosenAnew:
    """Another choice for a message: where it would go now, or the reason code that the choice ends in.

    Both are blank where the choice is the place that it had; ``others`` says that there were others to choose, and
    ``full`` that it would go to a queue here that has no room. ``exit`` is what an exit made of it, ``state`` the
    sequence state if it goes there.
    """

    to: Destination | None = None
    reason: str = ""
    exit: ExitAnswer | None = None
    others: bool = False
    full: bool = False
    state: SequenceState | None = None

    def matter(self, before: Matter, behind: bool, hosts: Mapping[str, RemoteQueueManager]) -> Matter:
        """What the rules see of a message for which this was chosen; ``before`` is what they saw."""
        host = None if self.to is None else hosts.get(self.to.queue_manager)
        return evolve(
            before,
            chosen_again=True,
            chosen_behind=behind,
            alternative=self.to is not None,
            alternative_down=host is not None and not host.available,
            others_permitted=self.others,
            full=self.full,
            reason=self.reason,
            exit_refuses=self.exit is not None and self.exit.dead_lettered,
            exit_fails=self.exit is not None and self.exit.fails,
            exit_keeps=self.exit is not None and self.exit.overrides and self.to is None and not self.reason,
        )


@define(eq=False)
class Administered:
    """What an event of administration did. ``changed``, ``removed`` and ``kept`` are rows of their documents.

    ``refused`` is the rule's answer where a command is, with the message that says so.
    """

    changed: list[dict[str, Any]] = field(factory=list)
    removed: list[dict[str, Any]] = field(factory=list)
    kept: list[dict[str, Any]] = field(factory=list)
    fates: list[MessageFate] = field(factory=list)
    refused: Settled | None = None
    is_refresh: bool = False
    has_fates: bool = False

    def document(self) -> dict[str, Any]:
        """What it adds to a row of ``mqclause replay``."""
        found: dict[str, Any] = {"removed": self.removed, "kept": self.kept} if self.is_refresh else {}
        if self.refused is not None:
            found["refused"] = {"message": self.refused.facts["refused"], **self.refused.document()}
        return found | ({"fates": [each.document() for each in self.fates]} if self.has_fates else {})
