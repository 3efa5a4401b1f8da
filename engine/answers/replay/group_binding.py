"""Where the messages of a group go that a handle with the binding GROUP puts, and where the queue manager sends them.

A replay decides each of them by itself. The queue manager keeps to the destination of the first.
"""

from __future__ import annotations

from attrs import define, field

from mqclause.model.facts.destination import Destination


@define(eq=False)
class GroupBinding:
    """The destination of the first message of each group, by handle that leaves the choice to groups."""

    firsts: dict[int, dict[str, Destination]] = field(factory=dict)

    def open(self, handle: int) -> None:
        """The handle was opened with the binding GROUP."""
        self.firsts[handle] = {}

    def close(self, handle: int) -> None:
        """The handle is no more."""
        self.firsts.pop(handle, None)

    def parted(self, handle: int, group: str, routed: Destination) -> str:
        """That a message was sent elsewhere than the group's first; blank where it was not, or nothing binds it."""
        if not group or handle not in self.firsts:
            return ""
        first = self.firsts[handle].setdefault(group, routed)
        if first.queue_manager == routed.queue_manager:
            return ""
        return (
            f"each message of a group is decided by itself; by the binding GROUP the queue manager sends this one, as "
            f"the first of group {group}, to {first.queue_manager}"
        )
