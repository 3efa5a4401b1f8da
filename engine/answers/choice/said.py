"""What a decision says in a few words, to be compared with another: ``QM2 or QM3``, ``MQRC_… (2085) at MQOPEN``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from functools import cached_property

from attrs import frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.reason import Reason
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put

NAMED_AT_MOST = 4
"""How many of several destinations are named."""

Destined = tuple[str, str, str]
"""What tells a destination from others in an answer: queue, queue manager and route; a local one has no route."""


@frozen(eq=False)
class Ending:
    """How a choice ends: its outcome, who is permitted (where an exit was called, the one that is taken), the reason.

    ``reason`` is the name of a reason code, and ``call`` the MQI call that returns it; ``topic`` is what a put
    publishes to. Blank where there is none.
    """

    outcome: str
    permitted: tuple[Destination, ...] = ()
    reason: str = ""
    call: str = ""
    topic: str = ""

    @classmethod
    def of(cls, decision: Decision) -> Ending:
        """How a decision ends."""
        taken = None if decision.exit is None else decision.exit.chosen
        reason = decision.reason
        ends = (reason.name, reason.call) if reason is not None else ("", "")
        permitted = tuple(decision.remaining) if taken is None else (taken,)
        return cls(decision.outcome, permitted, *ends, decision.resolved.topic)

    def is_as(self, other: Ending) -> bool:
        """Whether both are alike: in outcome and reason code or, where there is none, in who is permitted."""
        return self._told_by == other._told_by

    @cached_property
    def _told_by(self) -> tuple[object, ...]:
        # By way of something put-disabled a call fails whoever is permitted.
        permitted = () if self.reason else self.permitted
        return self.outcome, self.reason, self.call, self.topic, tuple(dict.fromkeys(map(_destined, permitted)))

    def said(self, by_route: Container[str]) -> str:
        """It in a few words: who is permitted, the one that is taken first, or the reason code.

        Queue managers ``by_route`` are named with the route: see with_several_routes.
        """
        if self.reason:
            return f"{self.reason} ({REASONS[self.reason]}) at {self.call}"
        if self.topic:
            return f"the topic {self.topic}"
        several = (each.host if each.queue_manager in by_route else each.queue_manager for each in self.permitted)
        named = listing(list(dict.fromkeys(several)), "or")
        if self.outcome == "deferred":
            return f"left to the put, which would meet {named} now" if named else "left to the put"
        return named


def with_several_routes(listed: Iterable[Destination]) -> frozenset[str]:
    """The queue managers that several of the routes lead to."""
    routes = Counter(queue_manager for _, queue_manager, _ in set(map(_destined, listed)))
    return frozenset(name for name, count in routes.items() if count > 1)


def same_answer(one: Decision, other: Decision) -> bool:
    """Whether both end alike."""
    return Ending.of(one).is_as(Ending.of(other))


def in_a_sentence(decision: Decision) -> str:
    """The answer in one sentence."""
    reason = decision.reason
    if reason is not None:
        return f"{reason.call} fails with {reason.name} ({reason.code}): {reason.because}"
    if decision.resolved.topic:
        return "; ".join(decision.resolved.last.remarks)
    if decision.outcome == "deferred":
        at_put = _reason_at_put(decision)
        if at_put is not None:
            return f"MQOPEN succeeds; a put fails with {at_put.name} ({at_put.code}): {at_put.because}"
        return "MQOPEN succeeds and fixes no destination; the choice is made when a message is put"
    chosen = decision.chosen
    assert chosen is not None, "neither failed nor deferred"  # noqa: S101
    if decision.exit is not None and decision.exit.overrides:
        return f"goes to {chosen.name}, which the exit chose"
    others = len(decision.permitted) - 1
    tie = f" (as good: {others} other{'s' if others > 1 else ''})" if others > 0 else ""
    return f"goes to {chosen.name}{tie}"


def _reason_at_put(decision: Decision) -> Reason | None:
    """What a put after an MQOPEN by way of a put-disabled object fails with, if it does."""
    if not decision.resolved.inhibited:
        return None
    asked = decision.put
    put = Put.as_written(
        asked.queue, asked.queue_manager, call="MQPUT", bind="NOTFIXED", cluster_pcf=asked.cluster_pcf,
        from_cluster_channel=asked.from_cluster_channel, already_sent_to=asked.already_sent_to,
    )  # fmt: skip
    return Engine(decision.rules).choose(put, decision.cluster, decision.before, caller=None).reason


def said(decision: Decision) -> str:
    """The answer in a few words."""
    return Ending.of(decision).said(with_several_routes(decision.listed))


def _destined(destination: Destination) -> Destined:
    return destination.queue, destination.queue_manager, "" if destination.is_local else destination.channel


def listing(names: list[str], last: str = "and") -> str:
    """Names as they stand in a sentence: ``QM2, QM3 and QM4``; of many the first few and how many more."""
    shown = names if len(names) <= NAMED_AT_MOST + 1 else [*names[:NAMED_AT_MOST], f"{len(names) - NAMED_AT_MOST} more"]
    return shown[0] if len(shown) == 1 else f" {last} ".join((", ".join(shown[:-1]), shown[-1])) if shown else ""
