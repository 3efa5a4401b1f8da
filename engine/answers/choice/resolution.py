"""Resolution: the names of a put followed from object to object, to where the workload rules begin or none is asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from attrs import astuple, evolve, frozen

from mqclause.answers.choice.reason import Reason
from mqclause.answers.choice.settled import SettledBy
from mqclause.executors.course import Course
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.naming import naming
from mqclause.model.facts.objects import Put
from mqclause.rulebook.errors import RuleError

MOST_KEPT = 10_000
"""How many names a cluster keeps the resolution of."""


class Look(SettledBy):
    """One look at a pair of names: what the rules say of it. The situation is a Naming."""


@frozen(eq=False)
class Resolved:
    """Where the names of a put lead: a ``Look`` for each pair of names, the last one at what they come to."""

    looks: tuple[Look, ...]

    @property
    def last(self) -> Look:
        """The look at what the names come to."""
        return self.looks[-1]

    @cached_property
    def followed(self) -> tuple[Look, ...]:
        """The looks at objects that lead on: alias queues, remote queue definitions, aliases of queue managers."""
        return tuple(each for each in self.looks if each.facts["object"])

    @cached_property
    def ends(self) -> str:
        """What the names come to; blank where they end in a reason code that is none of a put-disabled object."""
        found: str = self.last.facts["ends"]
        return found

    @cached_property
    def asks_workload(self) -> bool:
        """Whether the workload rules choose."""
        return self.last.run.failure is None and self.ends in ("queue", "queue manager")

    @property
    def stays_local(self) -> bool:
        """Whether the names come to a queue of the local queue manager that is no transmission queue."""
        return self.ends == "local queue"

    @property
    def topic(self) -> str:
        """The topic that a put publishes to in place of being sent; blank if it does not."""
        led: str = self.last.facts["leads_to"]
        return led if self.ends == "topic" and self.reason is None else ""

    @cached_property
    def inhibited_by(self) -> str:
        """The first object on the way that is put-disabled, what the names come to included; blank if none is."""
        found: str = self.last.situation.inhibited_by or self.last.facts["disabled"]
        return found

    @property
    def inhibited(self) -> bool:
        """Whether an object on the way is put-disabled, what the names come to included."""
        return bool(self.inhibited_by)

    @property
    def deferred(self) -> bool:
        """Whether an open succeeds that fixes nothing, without the workload rules."""
        return bool(self.last.facts["deferred"])

    @cached_property
    def names(self) -> tuple[str, str]:
        """The queue and the queue manager that the names come to."""
        facts, seen = self.last.facts, self.last.situation
        if facts["object"]:
            return facts["next_queue"], facts["next_queue_manager"]
        return seen.queue, seen.queue_manager

    @cached_property
    def named(self) -> Put:
        """What the destinations of are listed: a put that names one thing. Raises RuleError where that is blank."""
        queue, queue_manager = self.names
        if not (queue if self.ends == "queue" else queue_manager):
            raise _leads(self.last, f"to a {self.ends}, and none is named")
        return Put.as_written(queue) if self.ends == "queue" else Put.as_written("", queue_manager)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the names."""
        return tuple(remark for look in self.looks for remark in look.remarks)

    @cached_property
    def default_binding(self) -> str:
        """The binding of an open that leaves it to the queue."""
        found: str = self.looks[0].facts["defbind"]
        return found

    @cached_property
    def default_priority(self) -> int:
        """The priority of a put that leaves it to the queue."""
        found: int = self.looks[0].facts["defprty"]
        return found

    @cached_property
    def destination(self) -> Destination:
        """Where a message goes of which the workload rules are not asked."""
        (queue, queue_manager), facts = self.names, self.last.facts
        if self.ends == "transmission queue":
            by = facts["transmission_queue"]
            return Destination(queue=queue, queue_manager=queue_manager, transmission_queue=by)
        local = self.last.situation.local_queue_manager
        return Destination(queue=queue, queue_manager=local, is_local=True, counter=("", local), queue_type="QLOCAL")

    @cached_property
    def reason(self) -> Reason | None:
        """The reason code that the names end in."""
        failure, rule = self.last.run.failure, self.last.rule
        if failure is None or rule is None:
            return None
        return Reason(failure.reason, REASONS[failure.reason], failure.call, rule.id, self.last.because)


def resolved(
    course: Course,
    cluster: Cluster,
    queue: str,
    queue_manager: str,
    call: str,
    left_open: bool = False,
    for_input: bool = False,
) -> Resolved:
    """Follows two names by the rules of ``course``, for an MQI call. The cluster keeps the answer.

    ``left_open``: the call leaves the binding to the queue; ``for_input``: it gets or browses. Raises ValueError where
    both names are blank, and RuleError for a rule that leads nowhere.
    """
    key = (course, queue, queue_manager, call, left_open, for_input)
    found: Resolved | None = cluster.resolutions.get(key)
    if found is None:
        if len(cluster.resolutions) >= MOST_KEPT:
            cluster.resolutions.clear()
        if not (queue or queue_manager):
            raise ValueError("a put names a queue, a queue manager or both")
        put = Put.as_written(queue, queue_manager, call=call)
        found = cluster.resolutions[key] = Resolved(tuple(_looks(course, cluster, put, left_open, for_input)))
    return found


def _looks(course: Course, cluster: Cluster, put: Put, left_open: bool, for_input: bool) -> Iterator[Look]:
    seen = naming(cluster, put)
    if left_open or for_input:
        seen = evolve(seen, bind_left_open=left_open, for_input=for_input)
    met_before, before = {(put.queue, put.queue_manager)}, set[object]()
    while True:
        look = Look.of(seen, course)
        yield look
        facts = look.facts
        if look.run.failure is not None or facts["ends"] != "again":
            return
        put = Put.as_written(facts["next_queue"], facts["next_queue_manager"], call=put.call)
        if facts["disabled"] and not seen.inhibited_by:
            seen = evolve(seen, inhibited_by=facts["disabled"])
        seen = naming(cluster, put, seen, facts["object_kind"])
        # The same names may be met once more; what was followed then tells the rules more than before.
        if (names := (put.queue, put.queue_manager)) in met_before:
            alike = astuple(evolve(seen, followed=tuple(sorted({*seen.followed}))), recurse=False)
            if alike in before:
                raise _leads(look, "where it has led before")
            before.add(alike)
        met_before.add(names)


def _leads(look: Look, where: str) -> RuleError:
    """What is wrong with the rule, one of somebody's own, that leads from a look ``where`` nothing can be found."""
    return RuleError("" if look.rule is None else look.rule.path, "settle", f"leads {where}")
