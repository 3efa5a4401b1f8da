"""Destination sequence factors and numbers: what a queue manager remembers from one choice to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from attrs import field, frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import CounterKey, Destination, Listing, destinations
from mqclause.model.facts.objects import Put


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
    seen: Cluster = field(repr=False)
    pending: Changes = UNCHANGED

    @classmethod
    def of(cls, cluster: Cluster) -> SequenceState:
        """The state that the facts themselves give: each channel's dest_seq_factor and dest_seq_number."""
        if not cluster.counters:
            channels = cluster.most_recently_used.items()
            cluster.counters.update({key: Counter(of.dest_seq_factor, of.dest_seq_number) for key, of in channels})
        return cls(dict(cluster.counters), cluster.last_seq_number, cluster)

    def noticed(self, cluster: Cluster, listing: Listing) -> SequenceState:
        """The same state, with the snapshot as it is now and what changed since the one before."""
        if cluster is self.seen:
            return self
        now, before = changes(self.seen, cluster, listing), self.pending
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


def changes(before: Cluster, after: Cluster, listing: Listing) -> Changes:
    """Whether something that is watched was altered, and whether a destination is new; one that is gone is neither."""
    if before is after:
        return UNCHANGED
    puts = tuple(_touched(before, after))
    old, new = (dict(_watched(cluster, puts, listing)) for cluster in (before, after))
    altered = added = False
    for key, groups in new.items():
        was = old.get(key)
        added = added or was is None
        pairs = zip(groups, was or (), strict=False)
        altered = altered or any(one != other for one, other in pairs if one is not None and other is not None)
    return Changes(altered, added)


def _touched(before: Cluster, after: Cluster) -> Iterator[Put]:
    """The names whose destinations may differ between two snapshots: those of the facts that are not the same."""
    differ: set[Put] = set()
    if before.queue_manager.clusters != after.queue_manager.clusters:
        for cluster in (before, after):
            differ.update(Put.as_written(name) for name in cluster.queues_by_name)
            differ.update(Put.as_written("", name) for name in (*cluster.aliases_by_name, *cluster.remote))
    for queue in _not_in_both(before.queues, after.queues):
        differ.add(Put.as_written(queue.name))
    for alias in _not_in_both(before.queue_manager_aliases, after.queue_manager_aliases):
        differ.add(Put.as_written("", alias.name))
    for channel in _not_in_both(before.channels, after.channels):
        differ.add(Put.as_written("", channel.queue_manager))
        # A route in a cluster of ours passes the cluster tests for its queue manager's name too; in another one it may
        # do so for a queue alone.
        if channel.cluster not in after.queue_manager.clusters:
            hosted = (each for each in after.queues if each.queue_manager == channel.queue_manager)
            differ.update(Put.as_written(each.name) for each in hosted)
    yield from differ


def _not_in_both(before: Iterable[Any], after: Iterable[Any]) -> list[Any]:
    """The facts that only one of two snapshots holds; what was not altered is the same object in both."""
    old, new = ({id(each): each for each in facts} for facts in (before, after))
    return [each for key, each in (*old.items(), *new.items()) if not (key in old and key in new)]


def _watched(
    cluster: Cluster, puts: Iterable[Put], listing: Listing
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[Any, ...] | None, ...]]]:
    """What is watched of the destinations of names, by what tells them apart."""
    for put in puts:
        for each in destinations(cluster, put, listing):
            values = listing.watched(each)
            if any(group is not None for group in values):
                route = ("", "") if each.is_local else (each.channel, each.cluster)
                yield (each.queue, each.alias, each.queue_manager, *route), values
