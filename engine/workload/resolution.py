"""Resolve the names of a put, object by object, up to the point where the workload rules take over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Any

from attrs import astuple, evolve, frozen

from mqclause.answers import Reason, RuleAnswer, build_reason
from mqclause.documents import CALL, DELIVERY
from mqclause.executors.pipeline import Pipeline
from mqclause.model.diagnostics import ArgumentError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import Delivery, find_serving_queue, get_channel_queue
from mqclause.model.facts.names import build_name_pair
from mqclause.model.facts.objects import Binding, Put, Queue, QueueCall
from mqclause.model.facts.workload import Destination
from mqclause.rulebook.rule import RuleError
from mqclause.rulebook.rules import Rules

MOST_CACHED = 10_000
"""How many names a cluster keeps the resolution of."""

TRANSMISSION_QUEUE = "transmission_queue"
"""The term of the rules of delivery that names the queue."""

Depths = Callable[[str], int]
"""How many messages are on a local queue, by its name."""


class ResolutionStep(RuleAnswer):
    """One look at a pair of names, with the answer of the rules. The situation is a NamePair."""


@frozen(repr=False)
class Resolution:
    """Where the names of a put lead: a ``ResolutionStep`` for each pair of names, the last one at what they come to."""

    looks: tuple[ResolutionStep, ...]

    def __repr__(self) -> str:
        way = " to ".join(
            " at ".join(filter(None, (each.situation.queue, each.situation.queue_manager))) for each in self.looks
        )
        return f"<Resolution: {way}: {self.ends or 'fails'}>"

    @property
    def last(self) -> ResolutionStep:
        """The look at what the names come to."""
        return self.looks[-1]

    @cached_property
    def followed(self) -> tuple[ResolutionStep, ...]:
        """The looks at objects that lead on: alias queues, remote queue definitions, aliases of queue managers."""
        return tuple(each for each in self.looks if each.facts["object"])

    @cached_property
    def ends(self) -> str:
        """The kind of object that the names come to; blank if they end in a reason code of no disabled object."""
        return str(self.last.facts["ends"])

    @cached_property
    def needs_workload_rules(self) -> bool:
        """Whether the workload rules choose."""
        return self.last.run.failure is None and self.ends in ("queue", "queue manager")

    @property
    def is_local(self) -> bool:
        """Whether the names come to a queue of the local queue manager that is no transmission queue."""
        return self.ends == "local queue"

    @property
    def topic(self) -> str:
        """The topic that a put publishes to in place of being sent; blank if it does not."""
        return str(self.last.facts["leads_to"]) if self.ends == "topic" and self.reason is None else ""

    @cached_property
    def inhibited_by(self) -> str:
        """The first object on the way that is put-disabled, what the names come to included; blank if none is."""
        return str(self.last.situation.inhibited_by or self.last.facts["disabled"])

    @property
    def inhibited(self) -> bool:
        """Whether an object on the way is put-disabled, what the names come to included."""
        return bool(self.inhibited_by)

    @property
    def inhibited_before_the_end(self) -> bool:
        """Whether an object that leads on is put-disabled, whatever the names come to."""
        return bool(self.last.situation.inhibited_by)

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
        """The put that names the one thing whose destinations are listed. Raises RuleError where it is blank."""
        queue, queue_manager = self.names
        if not (queue if self.ends == "queue" else queue_manager):
            raise _leads(self.last, f"to a {self.ends}, and none is named")
        return Put.as_written(queue) if self.ends == "queue" else Put.as_written("", queue_manager)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Remarks about the names."""
        return tuple(remark for look in self.looks for remark in look.remarks)

    @cached_property
    def default_binding(self) -> Binding:
        """The binding of an open that leaves it to the queue."""
        found: Binding = self.looks[0].facts["defbind"]
        return found

    @cached_property
    def default_priority(self) -> int:
        """The priority of a put that leaves it to the queue."""
        return int(self.looks[0].facts["defprty"])

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
        return build_reason(failure, rule.id, self.last.because)


def resolve_names(
    course: Pipeline,
    cluster: Cluster,
    queue: str,
    queue_manager: str,
    call: str,
    left_open: bool = False,
    for_input: bool = False,
) -> Resolution:
    """Follow two names by the rules of ``course``, for an MQI call. The cluster keeps the answer.

    ``left_open``: the call leaves the binding to the queue; ``for_input``: it gets or browses. Raises ValueError where
    both names are blank, and RuleError for a rule that leads nowhere.
    """
    # Editions and readings by which the same rules follow names share an answer; each executor gives its own.
    key = (course.steps, course.made_of[2], queue, queue_manager, call, left_open, for_input)
    found: Resolution | None = cluster.resolutions.get(key)
    if found is None:
        if len(cluster.resolutions) >= MOST_CACHED:
            cluster.resolutions.clear()
        if not (queue or queue_manager):
            raise ArgumentError("a put names a queue, a queue manager or both")
        put = Put.as_written(queue, queue_manager, call=call)
        found = cluster.resolutions[key] = Resolution(tuple(_looks(course, cluster, put, left_open, for_input)))
    return found


class TransmissionQueueRules:
    """The rules of delivery and of calls by which puts over cluster channels fail at their transmission queue."""

    def __init__(self, rules: Rules) -> None:
        asked = rules.in_folder(DELIVERY.name) and rules.in_folder(CALL.name)
        self.ways = Pipeline.of(rules, DELIVERY) if asked else None
        self.calls = Pipeline.of(rules, CALL) if asked else None

    def refusal(
        self, sent: Destination | None, call: str, cluster: Cluster, depths: Depths | None = None
    ) -> Reason | None:
        """Return the reason code of a ``call`` that puts a message for ``sent``, as far as is known; else None.

        An open puts nothing. ``depths`` say what is on the queues now, where that is not what the facts have.
        """
        if sent is None or call == "MQOPEN" or sent.is_local or not sent.channel or not cluster.own_queues:
            return None
        if depths is not None:
            return self._refusal(sent, call, cluster, depths)
        key = (self, sent.channel, call)
        if key not in cluster.refusals:
            own = cluster.own_queues
            cluster.refusals[key] = self._refusal(sent, call, cluster, lambda name: own[name].curdepth or 0)
        found: Reason | None = cluster.refusals[key]
        return found

    def queue(self, channel: str, cluster: Cluster) -> Queue | None:
        """Return the local queue that messages for a cluster channel are put on; None where no fact tells of it."""
        key = (self, channel)
        if key not in cluster.refusals:
            seen = build_sending_delivery(channel, cluster)
            name = "" if self.ways is None else RuleAnswer.of(seen, self.ways).value(TRANSMISSION_QUEUE)
            cluster.refusals[key] = cluster.own_queues.get(name)
        found: Queue | None = cluster.refusals[key]
        return found if found is not None and found.type == "QLOCAL" else None

    def _refusal(self, sent: Destination, call: str, cluster: Cluster, depths: Depths) -> Reason | None:
        queue = self.queue(sent.channel, cluster)
        if queue is None or self.calls is None:
            return None
        seen = QueueCall(
            queue.name, call, queue.put, queue.put, depths(queue.name), 1, queue.maxdepth, shared=queue.shared,
            named=queue.name,
        )  # fmt: skip
        failure = self.calls.run(seen, ())[0].failure
        if failure is None:
            return None
        told = RuleAnswer.of(seen, self.calls)
        return build_reason(failure, told.rule.id if told.rule else "", told.because)


def build_sending_delivery(channel: str, cluster: Cluster) -> Delivery:
    """Build the way of a message as far as the transmission queue of a channel."""
    own = cluster.queue_manager
    return Delivery(
        own.name, channel=channel, own_transmission_queue=find_serving_queue(channel, cluster.serving),
        defclxq=own.defclxq, queue_of_channel=get_channel_queue(channel), put_disabled_here=cluster.put_disabled_here,
        full_here=cluster.full_here, platform=own.platform, level_told=own.command_level > 0,
    )  # fmt: skip


@lru_cache(maxsize=16)
def get_transmission_queue_rules(rules: Rules) -> TransmissionQueueRules:
    """Return the rules of transmission queues, made once for the same rules."""
    return TransmissionQueueRules(rules)


def _looks(course: Pipeline, cluster: Cluster, put: Put, left_open: bool, for_input: bool) -> Iterator[ResolutionStep]:
    seen = build_name_pair(cluster, put)
    if left_open or for_input:
        seen = evolve(seen, bind_left_open=left_open, for_input=for_input)
    met_before, before = {(put.queue, put.queue_manager)}, set[object]()
    while True:
        look = ResolutionStep.of(seen, course)
        yield look
        facts = look.facts
        if look.run.failure is not None or facts["ends"] != "again":
            return
        put = Put.as_written(facts["next_queue"], facts["next_queue_manager"], call=put.call)
        if facts["disabled"] and not seen.inhibited_by:
            seen = evolve(seen, inhibited_by=facts["disabled"])
        seen = build_name_pair(cluster, put, seen, facts["object_kind"])
        # The same names may be met once more; what was followed then tells the rules more than before.
        if (names := (put.queue, put.queue_manager)) in met_before:
            alike = astuple(evolve(seen, followed=tuple(sorted({*seen.followed}))), recurse=False)
            if alike in before:
                raise _leads(look, "where it has led before")
            before.add(alike)
        met_before.add(names)


def _leads(look: ResolutionStep, where: str) -> RuleError:
    """What is wrong with the rule, one of somebody's own, that leads from a look ``where`` nothing can be found."""
    return RuleError("" if look.rule is None else look.rule.path, "settle", f"leads {where}")


def build_look_document(look: ResolutionStep) -> dict[str, Any]:
    """Build the document of an object that was followed: an alias of a queue manager is a QREMOTE too."""
    facts = look.facts
    kind = facts["object_kind"]
    return {
        "object": facts["object"],
        "type": "QREMOTE" if kind == "QMALIAS" else kind,
        "to": facts["leads_to"],
        **look.document(),
    }
