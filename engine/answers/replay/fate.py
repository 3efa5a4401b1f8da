"""What an event of administration did: to objects, and the fate of each message in flight."""

from __future__ import annotations

from typing import Any

from attrs import define, field, frozen

from mqclause.answers.choice.decision_document import destination_document
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.answers.replay.administration import Settled
from mqclause.model.facts.destination import Destination


@frozen(eq=False)
class MessageFate:
    """What becomes of a message in flight; ``to`` is where it is sent instead, ``exit`` what became of that with
    an exit, called or not.
    """

    message: str
    settled: Settled
    to: Destination | None = None
    exit: ExitAnswer | None = None

    def document(self) -> dict[str, Any]:
        """As in a row of ``mqclause replay``."""
        to = self.to and destination_document(self.to)
        found = {"message": self.message, "fate": self.settled.becomes, "to": to, **self.settled.document()}
        if self.exit is None or not self.exit.called:
            return found
        return {**found, "exit": self.exit.document(destination_document)}


@frozen(eq=False)
class ChosenAnew:
    """Another choice for a message: where it goes now, or the reason code that the choice ends in.

    Both are blank where the choice is the place that it had; ``exit`` is what an exit made of it.
    """

    to: Destination | None = None
    reason: str = ""
    exit: ExitAnswer | None = None


@define(eq=False)
class Administered:
    """What an event of administration did. ``changed``, ``removed`` and ``kept`` are rows of their documents."""

    changed: list[dict[str, Any]] = field(factory=list)
    removed: list[dict[str, Any]] = field(factory=list)
    kept: list[dict[str, Any]] = field(factory=list)
    fates: list[MessageFate] = field(factory=list)
    is_refresh: bool = False
    has_fates: bool = False

    def document(self) -> dict[str, Any]:
        """What it adds to a row of ``mqclause replay``."""
        found: dict[str, Any] = {"removed": self.removed, "kept": self.kept} if self.is_refresh else {}
        return found | ({"fates": [each.document() for each in self.fates]} if self.has_fates else {})
