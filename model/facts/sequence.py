"""Destination sequence factors and numbers: what a queue manager remembers from one choice to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from attrs import frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import CounterKey, Destination


class Counter(NamedTuple):
    """The sequence factor (advanced by about 1000 / weight) and the sequence number of one channel."""

    dest_seq_factor: float
    dest_seq_number: int


START = Counter(0.0, 0)


class Changes(NamedTuple):
    """What happened between two snapshots, as far as the sequence factors care."""

    attributes_altered: bool = False
    destination_added: bool = False


UNCHANGED = Changes()


@frozen(eq=False)
class SequenceState:
    """The counters of every channel after a choice; a value: pass it to the next choice of the same queue manager.

    ``last_number`` is the sequence number of the previous choice; ``seen`` is the snapshot against which the next
    choice looks for altered attributes and new destinations, ``pending`` what was noticed already.
    """

    counters: Mapping[CounterKey, Counter]
    last_number: int
    seen: Cluster
    pending: Changes = UNCHANGED

    @classmethod
    def of(cls, cluster: Cluster) -> SequenceState:
        """The state that the facts themselves give: each channel's dest_seq_factor and dest_seq_number."""
        counters = {
            (channel.name, channel.queue_manager): Counter(channel.dest_seq_factor, channel.dest_seq_number)
            for channel in cluster.channels
        }
        return cls(counters, cluster.last_seq_number, cluster)

    def noticed(self, cluster: Cluster) -> SequenceState:
        """The same state, with the snapshot as it is now and what changed since the one before."""
        if cluster is self.seen:
            return self
        now, before = changes(self.seen, cluster), self.pending
        altered = now.attributes_altered or before.attributes_altered
        added = now.destination_added or before.destination_added
        return SequenceState(self.counters, self.last_number, cluster, Changes(altered, added))

    def with_every(self, values: Mapping[str, Any], among: Iterable[Destination]) -> SequenceState:
        """The same state with these values in every counter, those of ``among`` included; what changed is dealt with.

        ``values`` has one or both of dest_seq_factor and dest_seq_number.
        """
        keys = dict.fromkeys([*self.counters, *(each.counter for each in among)])
        counters = {key: self.counters.get(key, START)._replace(**values) for key in keys}
        return SequenceState(counters, values.get("dest_seq_number", self.last_number), self.seen)

    def after(self, chosen: Destination, counter: Counter) -> SequenceState:
        """The state after ``chosen`` was chosen and got ``counter``."""
        return SequenceState({**self.counters, chosen.counter: counter}, counter.dest_seq_number, self.seen)


def changes(before: Cluster, after: Cluster) -> Changes:
    """Whether workload attributes of something known were altered, and whether a destination is new.

    A change of channel status or of suspension alone is neither; nor is a destination that is gone.
    """
    if before is after:
        return UNCHANGED
    old, new = before.workload_attributes, after.workload_attributes
    altered = any(old[key] != value for key, value in new.items() if key in old)
    return Changes(altered, not new.keys() <= old.keys())
