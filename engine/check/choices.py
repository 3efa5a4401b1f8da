"""What members of a cluster choose, as checks see it: whether a host is ever chosen, and where editions part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from mqclause.documents import CHOICE
from mqclause.model.configuration.checked_cluster import (
    OBSERVER,
    AlikeMembers,
    ClusterCheckContext,
    QueueHosts,
    is_manager_alias,
    render_names,
)
from mqclause.model.configuration.checked_objects import ConfiguredObject
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.editions import decide_by_other_editions
from mqclause.workload.equivalence import has_name_tests

NO_FACTS: Mapping[str, Any] = {}

UNSEEN = (OBSERVER,)
"""The name of a member that no file describes."""


@frozen(eq=False)
class PartedChoice:
    """A choice of members for which the oldest edition and the newest have different answers.

    ``before_at`` are the hosts that are chosen by the rules as they were, ``later_at`` those by the rules as they
    became or, if puts then fail (``fails``), those that were left last; of hosts that look alike and choose
    themselves all. The rules as they became are those of the members' own edition, unless that is the oldest.
    ``by_later`` says which of the two hold for them; None if their level is not told. ``fell_by`` is why the first of
    those that were chosen falls.
    """

    members: AlikeMembers
    before_at: tuple[str, ...]
    later_at: tuple[str, ...]
    fails: bool
    by_later: bool | None
    fell_by: str

    @classmethod
    def of(cls, members: AlikeMembers, made: Decision) -> PartedChoice | None:
        """Compare the decision that was made at one of the members with those by other editions."""
        others = dict(decide_by_other_editions(made))
        if not others:
            return None
        oldest, newest = made.rules.known_editions[0], made.rules.known_editions[-1]
        by_later = None if made.edition_from == "default" else oldest in others
        before, later = others.get(oldest, made), made if by_later else others.get(newest, made)
        fails = before.outcome == "chosen" and later.outcome == "failed"
        was, left, alike = _list_hosts(before), _list_hosts(later), members.names if members.are_hosts else ()
        fates = (fate for step in later.steps for fate in step.eliminated)
        fell_by = next((fate.because for fate in fates if fate.subject.queue_manager in was), "")
        if not set(left).isdisjoint(alike):
            left = tuple(dict.fromkeys((*left, *alike)))
        return cls(members, was, left, fails, by_later, fell_by)

    def translate(self, members: AlikeMembers, names: Mapping[str, str]) -> PartedChoice:
        """Tell the same of a queue whose hosts have other ``names``."""
        before, later = (tuple(names.get(each, each) for each in of) for of in (self.before_at, self.later_at))
        return PartedChoice(members, before, later, self.fails, self.by_later, self.fell_by)

    @property
    def is_told(self) -> bool:
        """Whether it hangs on nothing that no file tells: a host's own CLWLUSEQ does not matter where puts fail."""
        return self.members.names != UNSEEN and (self.fails or not self.members.are_hosts or self.members.described)

    def turns_on(self, host: str) -> bool:
        """Return whether it is told at a host that puts go elsewhere: one that is left, or one whose own puts go."""
        of_own = self.members.are_hosts and not self.fails
        return host in (self.members.names if of_own else self.later_at)


def _list_hosts(decision: Decision) -> tuple[str, ...]:
    """The hosts that the rules leave; if none, those that fell last."""
    left = () if decision.run is None else decision.run.remaining
    if not left:
        fates = (step.eliminated for step in reversed(decision.steps) if step.eliminated)
        left = [each.subject for each in next(fates, ())]
    return tuple(dict.fromkeys(each.queue_manager for each in left))


@frozen(eq=False)
class MemberChoices:
    """What members choose among the hosts of a queue, by asking the rules as each of them would."""

    engine: Engine

    def describe_parting(self, about: ConfiguredObject, together: ClusterCheckContext) -> Mapping[str, Any]:
        """Describe to the rules of checks where editions part over a host of a queue in a cluster."""
        if not together.rank_differently(about.name):
            return NO_FACTS
        parted = self.find_parted(about, together)
        if not parted:
            return NO_FACTS
        host = about.queue_manager
        told = [each for each in parted if each.is_told]
        seen = _describe_failing(host, told)
        if not seen:
            there = [each for each in parted if each.members.names == UNSEEN and about.cluster in each.members.clusters]
            unseen = _describe_failing(host, there)
            seen = {**unseen, "fails_at": "", "fails_unseen": True} if unseen else {}
        sides = _describe_sides(host, told)
        if sides:
            sides = {**sides, "levels": together.describe_levels(together.list_clusters(about.name))}
        return {**seen, **_describe_leaving(host, told), **sides}

    def find_parted(self, about: ConfiguredObject, together: ClusterCheckContext) -> Sequence[PartedChoice]:
        """Find the choices, also of a member that no file describes, in which editions part over a queue."""
        key = about.name, is_manager_alias(together.find_definition(about))
        if key not in together.parted:
            together.parted[key] = self._find_parted(together.collect_hosts(*key), together)
        found: Sequence[PartedChoice] = together.parted[key]
        return found

    def _find_parted(self, hosts: QueueHosts, together: ClusterCheckContext) -> Sequence[PartedChoice]:
        """Those of the members that choose among hosts; what is known of other hosts that look alike is told of these.

        Not where rules look at names, or a reason tells one.
        """
        by_name = has_name_tests(self.engine.course)
        known_looks = together.numbered_looks
        looks = {host: known_looks.setdefault(each, len(known_looks)) for host, each in hosts.appearances.items()}
        members = together.list_alike_members(hosts, looks, by_name)
        members += [AlikeMembers(UNSEEN, frozenset({each}), (each,)) for each in sorted(hosts.clusters)]
        ordered = sorted(looks, key=lambda host: (looks[host], together.get_seat(host), host))
        look = (*((looks[host], together.get_seat(host)) for host in ordered), *(each.seat for each in members))
        key = hosts.name if hosts.is_alias else "", (hosts.name, *ordered) if by_name else (), look
        names, known = together.parted_alike.get(key, ((), {}))
        if names:
            to = dict(zip(names, ordered, strict=True))
            return [each.translate(members[at], to) for at, each in known.items()]
        asked = ((at, PartedChoice.of(each, self._choose(each, hosts, together))) for at, each in enumerate(members))
        found = {at: each for at, each in asked if each is not None}
        if not any(name in each.fell_by for each in found.values() for name in ordered):
            together.parted_alike[key] = ordered, found
        return [*found.values()]

    def _choose(self, members: AlikeMembers, hosts: QueueHosts, together: ClusterCheckContext) -> Decision:
        """What the first of some members chooses for a put that is not bound, by his own edition."""
        own = together.build_local_queue_manager(members.names[0], members.clusters)
        named = ("", hosts.name) if hosts.is_alias else (hosts.name, "")
        put = Put.as_written(*named, bind="NOTFIXED", call="MQPUT")
        return self.engine.choose(put, together.build_member_cluster(hosts, own), None, "rule", caller=None)

    def find_why_unreachable(self, about: ConfiguredObject, together: ClusterCheckContext, all_told: bool) -> str:
        """Return the rule that removes a host even if the channels to all others are stopped; blank if none does.

        Each member of its cluster that does not host the queue is asked, with all that it knows of it in its clusters;
        and, unless files tell of all members (``all_told``), one that is in no other of these.
        """
        because = ""
        for name in about.clusters:
            asking = dict(together.list_asking(about.name, name))
            if not (asking and all_told):
                alone = (name,)
                asking[alone] = asking.get(alone) or together.list_levels(name)
            for clusters, levels in asking.items():
                because = self._find_obstacle(about, clusters, levels, together)
                if not because:
                    return ""
        return because

    def _find_obstacle(
        self, about: ConfiguredObject, clusters: tuple[str, ...], levels: tuple[int, ...], together: ClusterCheckContext
    ) -> str:
        """The rule that removes a host at members of these ``clusters`` and command ``levels``; blank if none does."""
        looks = together.describe_appearances(about.name, clusters)
        look = looks[about.queue_manager]
        if len(look) < 2 or len(set(looks.values())) < 2:
            return ""  # no route to it is known, or all hosts are alike
        key = about.name, clusters, levels, look
        alike = about.queue_manager, clusters, levels, *looks.items()
        if key not in together.fell_by and alike in together.reached:
            together.fell_by[key] = ""
        if key not in together.fell_by:
            trials = (together.build_trial_cluster(about, clusters, each) for each in self._levels_to_ask(levels))
            reasons = [self._fell_by(about, each) for each in trials]
            # It is reached if one edition of those that choose would have it so.
            together.fell_by[key] = reasons[0] if all(reasons) else ""
            if not all(reasons) and not has_name_tests(self.engine.course):
                together.reached.add(alike)
        return together.fell_by[key]

    def _levels_to_ask(self, levels: Iterable[int]) -> Iterable[int]:
        """A command level for each edition of those that choose; one whose level is not told may be of any.

        Of these the oldest and the newest are asked.
        """
        rules = self.engine.rules
        ends = min(rules.levels.values()), max(rules.levels.values())
        known = {each for level in levels for each in ((level,) if level else ends)}
        editions = {level: rules.of_level(level).edition for level in sorted(known)}
        return {rules.as_stated(edition, *CHOICE): level for level, edition in editions.items()}.values()

    def _fell_by(self, about: ConfiguredObject, cluster: Cluster) -> str:
        put = Put.as_written(about.name, bind="NOTFIXED", call="MQPUT")
        decision = self.engine.choose(put, cluster, None, "rule")
        if any(each.queue_manager == about.queue_manager for each in decision.permitted):
            return ""
        fates = (fate for step in decision.steps for fate in step.eliminated)
        return next((fate.because for fate in fates if fate.subject.queue_manager == about.queue_manager), "")


def _describe_failing(host: str, told: Sequence[PartedChoice]) -> Mapping[str, Any]:
    """Whose puts fail by their edition because rank leaves this host, and who took them before."""
    failing = [each for each in told if each.fails and each.by_later is not False and host in each.later_at]
    if not failing:
        return NO_FACTS
    return {
        "fails_at": _name_hosts(each.members.names for each in failing),
        "passed_over": _name_hosts(each.before_at for each in failing),
        "passed_by": next((each.fell_by for each in failing if each.fell_by), ""),
    }


def _describe_sides(host: str, told: Sequence[PartedChoice]) -> Mapping[str, Any]:
    """Who puts as editions before have it, and who as later ones; told at hosts on which it turns."""
    before, later = ([each for each in told if each.by_later is side] for side in (False, True))
    if not (before and later and any(each.turns_on(host) for each in told)):
        return NO_FACTS
    later = [each for each in later if each.fails] or later
    return {
        "as_before": _name_hosts(each.members.names for each in before),
        "before_at": _name_hosts(each.before_at for each in before),
        "as_later": _name_hosts(each.members.names for each in later),
        "later_at": _name_hosts(each.later_at for each in later),
        "later_fail": later[0].fails,
    }


def _describe_leaving(host: str, told: Sequence[PartedChoice]) -> Mapping[str, Any]:
    """Where puts go that are made at a host and stayed there before."""
    for each in told:
        if host in each.members.names and each.by_later is not False and len(each.before_at) == 1:
            is_own = each.before_at[0] in each.members.names
            at = [name for name in each.later_at if name != host]
            if is_own and at:
                return {"leaves_for": render_names(at), "leaves_to_fail": each.fails, "leaves_by": each.fell_by}
    return NO_FACTS


def _name_hosts(found: Iterable[Iterable[str]]) -> str:
    return render_names(sorted({name for each in found for name in each}))
