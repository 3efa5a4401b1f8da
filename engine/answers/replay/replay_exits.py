"""The cluster workload exits of a scenario: which CLWLEXIT counts when, and what is remembered from event to event."""

from __future__ import annotations

from attrs import define, field

from mqclause.exits.session import ANYBODY, Caller, Exits, ExitSession
from mqclause.model.exits.constants import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqclause.model.exits.offer import NO_DESCRIPTOR, OfferedMessage
from mqclause.model.facts.objects import Put
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.handles import Handle
from mqclause.model.timeline.in_flight import InFlight
from mqclause.model.timeline.queue_manager_state import QueueManagerState


@define(eq=False)
class ReplayExits:
    """What exits remember while the queue manager runs.

    ``at_start`` is CLWLEXIT at the latest start. ``connected`` has, by application, what it was when that opened the
    first of the handles that it still has: a scenario tells of no other connections. ``matters`` says that there is an
    exit, or that CLWLEXIT ever named one.
    """

    exits: Exits
    at_start: str
    session: ExitSession = field(factory=ExitSession)
    connected: dict[str, str] = field(factory=dict)
    matters: bool = field(init=False)

    @matters.default
    def _at_first(self) -> bool:
        return bool(self.exits.names or self.at_start)

    def caller(self, event: Event, handle: Handle | None) -> Caller:
        """Who asks for the choice that ``event`` needs; ``handle`` is the one that a put is made on."""
        if not self.matters:
            return ANYBODY
        message = None
        if event.do == "put":
            persistence = MQPER_PERSISTENT if event.persistent else MQPER_NOT_PERSISTENT
            descriptor = {**NO_DESCRIPTOR, "Persistence": persistence}
            if event.priority is not None:
                descriptor["Priority"] = event.priority
            message = OfferedMessage(event.length, None, descriptor)
        at_connection = self.connected.get(event.by)
        number = None if handle is None else handle.id
        return Caller(number, message, self.at_start, at_connection, session=self.session)

    def moving(self, message: InFlight, left: str) -> Caller:
        """Who asks for the new destination of a message, whose target ``left`` failed: the channel, on no handle."""
        persistence = MQPER_PERSISTENT if message.persistent else MQPER_NOT_PERSISTENT
        offered = OfferedMessage(Put().length, None, {**NO_DESCRIPTOR, "Persistence": persistence})
        return Caller(None, offered, self.at_start, None, left, session=self.session)

    def follow(self, event: Event, after: QueueManagerState) -> None:
        """Takes note of an event that was carried out; ``after`` is the queue manager then."""
        now = after.cluster.queue_manager.clwlexit
        self.matters = self.matters or bool(now)
        if event.do in ("open", "close"):
            if not any(each.application == event.by for each in after.handles.open):
                self.connected.pop(event.by, None)
            elif event.do == "open":
                self.connected.setdefault(event.by, now)
        elif event.do == "restart":
            self.end()
            self.connected.clear()
            self.at_start = now

    def end(self) -> None:
        """Calls the exits with TERM; what they remember is gone."""
        self.exits.end(self.session)
