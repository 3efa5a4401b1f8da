"""What explain, why, map and check say for certain of the same files, and where one is silent of what another says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from attrs import frozen

from mqclause import Engine
from mqclause.check.findings import Checks, Finding, inspected
from mqclause.cluster.map import build_map_row, list_clustered_queues
from mqclause.model.configuration.members import read_members
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.configuration.sources import Source
from mqclause.model.facts.objects import Put, Queue
from mqclause.trigger.why import Why
from mqclause.workload.explanation import Explanation

NAMES_LEAD_NOWHERE = {2001, 2082, 2085, 2087, 2184, 2196, 2197}
UNKNOWN, ANY_QUEUE = 2085, "ANY.QUEUE"
TEMPLATES = "SYSTEM.DEFAULT."
NOTHING_CAN_BE_PUT, LEADS_NOWHERE = {"check.01"}, {"check.17", "check.22"}
SENDS_NOTHING = {"check.31", "check.34"}
NEEDED_BY_A_TRIGGER = ("trigger.06", "trigger.07")
ENGINE, WHY, CHECKS = Engine(), Why(), Checks()

Where = tuple[str, str]
"""The name of an object, and the queue manager that has it."""


@frozen(eq=False)
class Told:
    """All that is asked of some files."""

    members: Sequence[Snapshot]
    findings: Sequence[Finding]

    @classmethod
    def of(cls, sources: Sequence[Source], lenient: bool = False, local: str | None = None) -> Told:
        """What they say, with ``local`` what that queue manager knows; raises FactsError."""
        inspection = inspected(sources, CHECKS, local, lenient)
        return cls(read_members(sources, local, lenient), inspection.findings())

    @cached_property
    def found(self) -> Mapping[Where, set[str]]:
        """The checks that find something, by object; of what is told together each object."""
        found = defaultdict[Where, set[str]](set)
        for each in self.findings:
            for name in (each.name, *each.others):
                found[name, each.queue_manager].add(each.rule.id)
        return found

    def disagreements(self) -> Iterator[str]:
        """Where one of them says something for certain, and another does not know of it."""
        for member in self.members:
            yield from self._of_names(member)
            yield from self._of_map(member)
            yield from self._of_triggers(member)
        yield from self._of_findings()

    def _of_names(self, member: Snapshot) -> Iterator[str]:
        """What explain says to fail for certain, as its names lead nowhere, is found at the object of that name."""
        own = member.cluster.queue_manager.name
        for name, queue in member.cluster.own_queues.items():
            if name.startswith(TEMPLATES):
                continue
            said = explained(member, put_to(queue))
            reason, found = said.decision.reason, self.found[name, own]
            lost = {each for each in NAMES_LEAD_NOWHERE if put_to(queue).queue != ANY_QUEUE or each != UNKNOWN}
            fails = reason is not None and reason.code in lost and not said.incomplete
            if fails and not found & (LEADS_NOWHERE | NOTHING_CAN_BE_PUT):
                yield f"explain: a put to {name} at {own} fails with {reason and reason.name}; check: {found}"

    def _of_map(self, member: Snapshot) -> Iterator[str]:
        """A row of map says what explain says of that put; a channel that it waits for is found."""
        own = member.cluster.queue_manager.name
        for name in list_clustered_queues(member.cluster):
            for bind in ("NOTFIXED", "OPEN"):
                said, row = (
                    explained(member, Put.as_written(name, bind=bind)),
                    build_map_row(member, name, ENGINE, bind),
                )
                # A row counts all destinations: one may be sent to where the transmission queue of another refuses.
                is_refused = said.decision.refusal is not None
                if not is_refused and (said.decision.outcome, said.decision.reason) != (row.outcome, row.reason):
                    yield f"explain: {name} from {own} with {bind}: {said.decision.outcome}; map: {row.outcome}"
                for share in row.waiting:
                    channel = share.destination.channel
                    if not row.incomplete and not self.found[channel, own] & SENDS_NOTHING:
                        yield f"map: {name} from {own} waits for {channel}; check: {self.found[channel, own]}"

    def _of_triggers(self, member: Snapshot) -> Iterator[str]:
        """What why says to be missing for certain is found at the queue; what is found does not trigger."""
        own = member.cluster.queue_manager.name
        for name, queue in member.cluster.own_queues.items():
            if queue.type == "QLOCAL" and queue.trigger and queue.usage == "NORMAL":
                answer = WHY.ask(queue, member)
                missing = {
                    each.condition.rule.id
                    for each in answer.doubts
                    if answer.verdict == "does not" and each.holds is False
                    and each.condition.rule.id.startswith(NEEDED_BY_A_TRIGGER)
                }  # fmt: skip
                found = {each for each in self.found[name, own] if each.startswith("trigger.")}
                if missing - found:
                    yield f"why: {name} at {own} does not trigger by {missing}; check: {found}"
                if found and answer.verdict == "triggers":
                    yield f"check: {found} of {name} at {own}; why: it triggers"

    def _of_findings(self) -> Iterator[str]:
        """Where check says that nothing can be put, or that names lead nowhere, explain says that the put fails."""
        at = {each.cluster.queue_manager.name: each for each in self.members}
        for each in self.findings:
            if each.rule.id in LEADS_NOWHERE and (member := at.get(each.queue_manager)) is not None:
                yield from self._does_not_fail(each, member)
            if each.rule.id in NOTHING_CAN_BE_PUT and each.message.endswith("puts to it fail"):
                for member in self.members:
                    if each.name in list_clustered_queues(member.cluster):
                        yield from self._does_not_fail(each, member)

    def _does_not_fail(self, found: Finding, member: Snapshot) -> Iterator[str]:
        queue = member.cluster.own_queues.get(found.name)
        decision = ENGINE.choose(Put.as_written(found.name) if queue is None else put_to(queue), member.cluster)
        by_put = decision.outcome == "deferred" and found.rule.id in NOTHING_CAN_BE_PUT
        if decision.reason is None and not by_put:
            own = member.cluster.queue_manager.name
            yield f"check: {found.rule.id} of {found.name}; explain from {own}: {decision.outcome}"


def put_to(queue: Queue) -> Put:
    """What names the object as it is meant to be: an alias of a queue manager as a queue manager."""
    of_queue_manager = queue.type == "QREMOTE" and not queue.rname
    return Put.as_written(ANY_QUEUE, queue.name) if of_queue_manager else Put.as_written(queue.name)


def explained(member: Snapshot, put: Put) -> Explanation:
    """What explain says of a put."""
    return Explanation.of(ENGINE.choose(put, member.cluster, None, "rule"), member, other_readings=False)


def disagreements(texts: Iterable[tuple[str, str]], lenient: bool = False) -> list[str]:
    """The same of texts, each with the name of its file."""
    return [*Told.of([Source(name, text.encode()) for name, text in texts], lenient).disagreements()]
