"""What a decision rests on that displays leave open: attributes by which it would be another, and what tells them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, fields_dict, frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.said import Ending, with_several_routes
from mqclause.model.assembly.incomplete import Incomplete
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.facts.cluster import LISTS, Cluster
from mqclause.model.facts.domains import Whole, Words
from mqclause.model.facts.objects import Fact, Queue, QueueManager

NAMES = ("target", "rname", "rqmname", "xmitq")
"""Attributes that can be any name: no other value can be tried."""

MOST_FACTS = 20
"""Of how many facts that are left open it is asked whether they matter."""


def left_open(decision: Decision, snapshot: Snapshot) -> Iterator[Incomplete]:
    """The attributes that no display shows and by which the decision would be another, or could be."""
    facts = [each for each in _in_play(decision) if snapshot.unshown.of(each)] if snapshot.leaves_open else ()
    unknown = [
        _Unknown(fact, attribute, words)
        for fact in facts[:MOST_FACTS]
        for attribute, words in snapshot.unshown.of(fact).items()
    ]
    told = dict[tuple[str, str, str], list[_Unknown]]()
    for each in _Trial.of(decision).deciding(unknown) if unknown else ():
        told.setdefault((*snapshot.unshown.kind_and_name(each.fact), each.fact.name), []).append(each)
    for (kind, name, of), found in told.items():
        words = dict.fromkeys(word for each in found for word in (*each.words, *each.beside))
        shown_in = "QUEUE" if kind in ("QLOCAL", "QALIAS", "QREMOTE") else kind
        command = " ".join([f"DISPLAY {shown_in}('{name}')" if name else f"DISPLAY {shown_in}", *words])
        yield from (Incomplete(each.what, of, command) for each in found)


def _in_play(decision: Decision) -> Iterator[Fact]:
    """What the decision looked at: queues and aliases of the names, the routes to where they are, and who is there."""
    cluster = decision.cluster
    situations = [look.situation for look in decision.resolved.looks]
    names = dict.fromkeys(name for each in situations for name in (each.queue, each.queue_manager) if name)
    yield cluster.queue_manager
    for name in names:
        yield from cluster.queues_by_name.get(name, ())
        yield from cluster.aliases_by_name.get(name, ())
    for host in dict.fromkeys(each.queue_manager for each in decision.listed):
        yield from cluster.channels_by_queue_manager.get(host, ())
        yield from [cluster.remote[host]] if host in cluster.remote else ()


@frozen(eq=False)
class _Unknown:
    """An attribute of a fact that no display shows, the keywords of MQSC that tell it, and those that do with it.

    ``answers`` are what other values make of the decision, each with these.
    """

    fact: Fact
    attribute: str
    words: Sequence[str]
    beside: dict[str, None] = field(factory=dict)
    answers: dict[str, list[str]] = field(factory=dict)

    @property
    def what(self) -> str:
        """What is not known, in words."""
        unknown = f"{self.words[0]} of {self.fact.name} is shown by no display"
        if not self.answers:
            return f"{unknown}, and leads the put on"
        said = "; ".join(f"if {' or '.join(values)}: {answer}" for answer, values in self.answers.items())
        taken = _shown(getattr(self.fact, self.attribute)) or "blank"
        return f"{unknown}; taken as {taken}. {said[:1].upper()}{said[1:]}"

    def others(self, cluster: Cluster) -> Sequence[Any]:
        """Other values that it may have: every word, the lowest and the highest number, each cluster."""
        domain = fields_dict(type(self.fact))[self.attribute].metadata["domain"]
        values: Sequence[Any] = ()
        if self.attribute in ("clusters", "suspended"):
            values = [(each,) for each in cluster.queue_manager.clusters]
        elif isinstance(domain, Words):
            values = domain.words
        elif isinstance(domain, Whole):
            values = (domain.low, domain.high)
        return [each for each in values if each != getattr(self.fact, self.attribute)]

    def said(self, value: Any) -> str:
        """That it has a value: ``CLWLUSEQ(ANY)``."""
        return f"{self.words[0]}({_shown(value)})"


@frozen(eq=False)
class _Trial:
    """A decision, to be made anew with other values of what is not known; ``now`` is how it ends."""

    decision: Decision
    engine: Engine
    now: Ending

    @classmethod
    def of(cls, decision: Decision) -> _Trial:
        engine = Engine(decision.rules)
        return cls(decision, engine, _ending(engine, decision, decision.cluster))

    def deciding(self, unknown: Sequence[_Unknown]) -> list[_Unknown]:
        """Those by which the decision would be another, or could be."""
        for each in unknown:
            for value in each.others(self.decision.cluster):
                is_other = self.tried(each, {each.attribute: value}, each.said(value))
                if not is_other and each.attribute == "clusters" and self.is_own(each.fact):
                    self.try_beside(each, value, unknown)
        return [each for each in unknown if each.answers or self.leads_on(each)]

    def try_beside(self, clusters: _Unknown, value: Any, unknown: Sequence[_Unknown]) -> None:
        """In a cluster more is asked of the queue than outside of any: in it, with another attribute of it."""
        for each in (one for one in unknown if one.fact is clusters.fact and one is not clusters):
            for other in each.others(self.decision.cluster):
                changed = {clusters.attribute: value, each.attribute: other}
                if self.tried(clusters, changed, f"{clusters.said(value)} and {each.said(other)}"):
                    clusters.beside.update(dict.fromkeys(each.words))

    def tried(self, of: _Unknown, changed: Mapping[str, Any], said: str) -> bool:
        """Whether it ends otherwise with the fact changed, which is noted."""
        ending = _ending(self.engine, self.decision, _with(self.decision.cluster, of.fact, changed))
        if ending.is_as(self.now):
            return False
        answer = ending.said(with_several_routes(self.decision.listed))
        of.answers.setdefault(answer, []).append(said)
        return True

    def leads_on(self, each: _Unknown) -> bool:
        """Whether it is a name that the put is led to."""
        followed = any(each.fact.name == look.facts["object"] for look in self.decision.resolved.looks)
        return each.attribute in NAMES and self.is_own(each.fact) and followed

    def is_own(self, fact: Fact) -> bool:
        """Whether it is a queue of the local queue manager."""
        return isinstance(fact, Queue) and fact.queue_manager == self.decision.cluster.queue_manager.name


def _ending(engine: Engine, decision: Decision, cluster: Cluster) -> Ending:
    return Ending.of(engine.choose(decision.put, cluster, decision.before, caller=None))


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _with(cluster: Cluster, fact: Fact, changed: Mapping[str, Any]) -> Cluster:
    if isinstance(fact, QueueManager):
        return evolve(cluster, queue_manager=evolve(fact, **changed))
    listed = getattr(cluster, LISTS[type(fact)])
    more: dict[str, Any] = {LISTS[type(fact)]: [evolve(each, **changed) if each is fact else each for each in listed]}
    return evolve(cluster, **more)
