"""The MQSC commands that would change what rules look at, and the smallest sets after which a message triggers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial, reduce
from itertools import combinations as choices
from itertools import product
from typing import Any, TypeVar, overload

import attrs
from attrs import evolve, field, fields, frozen

from mqclause.documents import TRIGGER
from mqclause.executors.operations import Let
from mqclause.executors.pipeline import Pipeline
from mqclause.language import nodes
from mqclause.language.nodes import COMPARISONS
from mqclause.language.parser import find_words
from mqclause.model.configuration.completeness import MissingInformation, drop_answered_commands
from mqclause.model.configuration.members import Members, fail_member
from mqclause.model.configuration.snapshot import Snapshot, apply_changes
from mqclause.model.diagnostics import FactsError, check_type
from mqclause.model.facts.cluster import CLUSTER_FIELDS, Cluster
from mqclause.model.facts.domains import NAME_OR_BLANK, Flag, Whole, Words, quote_name
from mqclause.model.facts.objects import Channel, Queue, QueueManagerAlias
from mqclause.model.facts.workload import Destination, Situation
from mqclause.model.timeline.administration import get_member, set_suspended
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.trigger_events import TriggerEvent
from mqclause.replay.administration import AdministrationRules, build_route_subject
from mqclause.rulebook.rules import Rules
from mqclause.trigger.why import Why, WhyAnswer
from mqclause.workload.decision import Decision, summarize_decision
from mqclause.workload.equivalence import MOST_CLASSES

Changed = TypeVar("Changed")

PUT_WORD = {True: "ENABLED", False: "DISABLED"}
INSTANCE_ATTRIBUTES = {"put_enabled": "PUT", "queue_rank": "CLWLRANK", "queue_priority": "CLWLPRTY"}
RECEIVER_ATTRIBUTES = {
    "channel_rank": "CLWLRANK",
    "channel_priority": "CLWLPRTY",
    "network_priority": "NETPRTY",
    "channel_weight": "CLWLWGHT",
}
STATE_COMMANDS = {"RUNNING": "START", "STOPPED": "STOP"}
"""The states that a command leads to."""

DEFTYPES: Sequence[str] = fields(Channel).deftype.metadata["domain"].words

Attribute = tuple[str, ...]
"""An attribute of an object: the queue manager that has it, the object, and the attribute's name."""


def _unchanged(given: Changed) -> Changed:
    return given


@frozen
class AdminCommand:
    """One command that sets one attribute of one object (``sets``) to a value, at the queue manager that has it.

    ``concerns`` is the queue manager that the message would go to by what the object describes. ``distance`` is how far
    the value is from the one before. It ``stops`` work: puts, a channel, or all that would come to a queue manager.
    ``on_destination``, ``on_situation`` and ``on_facts`` do what it does, by
    functions that pickle.
    """

    queue_manager: str
    concerns: str
    command: str
    sets: Attribute
    distance: int = 1
    stops: bool = field(default=False, kw_only=True)
    on_destination: Callable[[Destination], Destination] = field(default=_unchanged, eq=False, repr=False)
    on_situation: Callable[[Situation], Situation] = field(default=_unchanged, eq=False, repr=False)
    on_facts: Callable[[Cluster], Cluster] = field(default=_unchanged, eq=False, repr=False)

    def to_json(self) -> dict[str, str]:
        """Return the command as JSON values."""
        return {"queue_manager": self.queue_manager, "command": self.command}


def list_admin_commands(decision: Decision) -> list[AdminCommand]:
    """List each command that gives an attribute which the rules look at another value, of what the put can reach.

    A number takes those that some destination has or a rule compares it with, and those next to them.
    """
    asked = _find_deciding_attributes(decision.course)
    found = [
        *_of_objects(decision, asked),
        *_of_states(decision, asked),
        *_of_queue_manager(decision, asked),
        *_on_the_way(decision),
    ]
    return list({(each.queue_manager, each.command): each for each in found}.values())


def _find_deciding_attributes(course: Pipeline) -> set[str]:
    """Find the attributes that decide who remains, or whether a rule applies."""
    return {word for tree in _deciding(course) for word in find_words(tree)}


def _list_candidate_values(attribute: str, decision: Decision) -> list[int]:
    """List the numbers that a destination's attribute may get.

    They are those that it, or another one of its range, is of some destination, those that a rule compares it with, and
    those next to them, in its range.
    """
    domains: dict[str, Any] = {each.name: each.metadata.get("domain") for each in fields(Destination)}
    domain = domains[attribute]
    alike = [name for name, other in domains.items() if other == domain]
    found = {getattr(each, name) for each in decision.listed for name in alike}
    found |= _compared(decision.course).get(attribute, set())
    near = {number + step for number in found for step in (-1, 0, 1)}
    return sorted(number for number in near if domain.low <= number <= domain.high)


def explain_absence(decision: Decision, queue_manager: str, snapshot: Snapshot) -> MissingInformation:
    """Explain why ``queue_manager`` is no candidate for a put, as far as the local queue manager knows.

    The command is one for the local queue manager, blank where the sources hold its output.
    """
    return next(drop_answered_commands([_absent(decision, queue_manager, snapshot)], snapshot.knowledge.asked))


@overload
def fail(state: Cluster, queue_manager: str, rules: Rules | None = None) -> Cluster: ...
@overload
def fail(state: Snapshot, queue_manager: str, rules: Rules | None = None) -> Snapshot: ...
@overload
def fail(state: Members, queue_manager: str, rules: Rules | None = None) -> Members: ...
def fail(
    state: Cluster | Snapshot | Members, queue_manager: str, rules: Rules | None = None
) -> Cluster | Snapshot | Members:
    """Return what is known, or all members, with the routes to one as the rules say of it when it does not answer.

    Raises FactsError for a queue manager that is not known.
    """
    given = Rules.given(rules)
    if isinstance(state, Members):
        return apply_failure(state, queue_manager, given)
    if isinstance(state, Snapshot):
        return apply_failure((state,), queue_manager, given)[0]
    check_type("state", state, Cluster, ", Snapshot or Members")
    return apply_failure((Snapshot(state),), queue_manager, given)[0].cluster


def apply_failure(members: Iterable[Snapshot], name: str, rules: Rules) -> Members:
    """Set the routes to ``name`` as the rules say of a member that does not answer. Raises FactsError."""
    administration = AdministrationRules(rules)
    return fail_member(
        members, name, lambda route: administration.ask(build_route_subject(route, "fail_route")).becomes
    )


Edited = TypeVar("Edited", Destination, Queue, QueueManagerAlias, Channel)


@frozen
class Edit:
    """New ``values`` of the objects of a class that are told by some attributes."""

    kind: type
    told_by: Mapping[str, Any]
    values: Mapping[str, Any]

    def apply(self, to: Edited) -> Edited:
        """Return an object with the new values, or as it is where another one is meant."""
        is_meant = isinstance(to, self.kind) and all(getattr(to, name) == of for name, of in self.told_by.items())
        return evolve(to, **self.values) if is_meant else to


def _edit(destination: Destination, edits: Iterable[Edit]) -> Destination:
    return reduce(lambda edited, each: each.apply(edited), edits, destination)


def _edit_facts(cluster: Cluster, edits: Iterable[Edit]) -> Cluster:
    for each in edits:
        name = CLUSTER_FIELDS[each.kind]
        edited: dict[str, Any] = {name: tuple(map(each.apply, getattr(cluster, name)))}
        cluster = evolve(cluster, **edited)
    return cluster


def set_own(cluster: Cluster, values: Mapping[str, Any]) -> Cluster:
    """Set attributes of the local queue manager."""
    return evolve(cluster, queue_manager=evolve(cluster.queue_manager, **values))


@frozen
class _Owner:
    """The object that gives a destination attributes: how a command alters it, and what tells it among facts.

    It gives them to every destination that is alike in ``shared``.
    """

    of: Destination
    head: str
    shared: tuple[str, ...]
    kind: type
    told_by: Mapping[str, Any]

    @classmethod
    def of_host(cls, of: Destination, queue: str) -> _Owner:
        """The instance of a queue, or the alias of a queue manager."""
        shared, host = ("queue_manager", "alias"), of.queue_manager
        if of.is_alias:
            told_by = {"name": of.alias, "routed_to": host}
            return cls(of, f"ALTER QREMOTE({quote_name(of.alias)})", shared, QueueManagerAlias, told_by)
        told_by = {"name": queue, "queue_manager": host}
        return cls(of, f"ALTER {of.queue_type}({quote_name(queue)})", shared, Queue, told_by)

    @classmethod
    def of_route(cls, of: Destination) -> _Owner:
        """The receiver of the channel."""
        told_by = {"name": of.channel, "queue_manager": of.queue_manager}
        head = f"ALTER CHANNEL({quote_name(of.channel)}) CHLTYPE(CLUSRCVR)"
        return cls(of, head, ("channel", "queue_manager"), Channel, told_by)

    def edit_destinations(self, values: Mapping[str, Any], **more: Any) -> Edit:
        """Return the edit of the destinations to which the object gives attributes."""
        return Edit(Destination, {name: getattr(self.of, name) for name in self.shared} | more, values)

    def set(self, attribute: str, mqsc: str, values: Iterable[Any]) -> Iterator[AdminCommand]:
        """Build the commands that set one attribute to these values, but for the one that it has."""
        before, host = getattr(self.of, attribute), self.of.queue_manager
        for value in values:
            if value != before:
                said = PUT_WORD[value] if isinstance(value, bool) else value
                yield AdminCommand(
                    host, host, f"{self.head} {mqsc}({said})", (host, self.head, mqsc), _measure(before, value),
                    stops=attribute == "put_enabled" and not value,
                    on_destination=self.edit_destinations({attribute: value}).apply,
                    on_facts=partial(_edit_facts, edits=[Edit(self.kind, self.told_by, {mqsc.lower(): said})]),
                )  # fmt: skip


def _measure(before: Any, after: Any) -> int:
    """How far two values are from one another; words and flags are at one another's side."""
    return abs(after - before) if isinstance(after, int) and not isinstance(after, bool) else 1


def _of_objects(decision: Decision, asked: Collection[str]) -> Iterator[AdminCommand]:
    ranks = [each for each in (*INSTANCE_ATTRIBUTES, *RECEIVER_ATTRIBUTES) if each != "put_enabled" and each in asked]
    values: dict[str, Iterable[Any]] = {attribute: _list_candidate_values(attribute, decision) for attribute in ranks}
    values["put_enabled"] = (False, True)
    queue = decision.resolved.named.queue
    for each in decision.listed:
        if each.is_alias or queue:
            owner = _Owner.of_host(each, queue)
            for attribute in filter(asked.__contains__, INSTANCE_ATTRIBUTES):
                yield from owner.set(attribute, INSTANCE_ATTRIBUTES[attribute], values[attribute])
            if each.is_local and "clwluseq" in asked and not each.is_alias:
                yield from owner.set("clwluseq", "CLWLUSEQ", fields(Destination).clwluseq.metadata["domain"].words)
            if not (each.is_alias or each.is_local) and {"shares_cluster", "channel_in_queue_cluster"} & set(asked):
                yield from _into_cluster(decision, owner, queue)
        if each.channel and (not each.is_local or each.on_receiver):
            owner = _Owner.of_route(each)
            for attribute in filter(asked.__contains__, RECEIVER_ATTRIBUTES):
                yield from owner.set(attribute, RECEIVER_ATTRIBUTES[attribute], values[attribute])


def _into_cluster(decision: Decision, owner: _Owner, queue: str) -> Iterator[AdminCommand]:
    """The command that takes an instance into the cluster of a route to it."""
    each, cluster = owner.of, decision.cluster
    host, into = each.queue_manager, each.cluster
    if (each.shares_cluster and each.channel_in_queue_cluster) or into not in cluster.queue_manager.clusters:
        return
    taken = [
        owner.edit_destinations({"shares_cluster": True, "channel_in_queue_cluster": False}),
        owner.edit_destinations({"channel_in_queue_cluster": True}, cluster=into),
    ]
    # A queue in several clusters has CLUSNL, and MQ takes no CLUSTER beside that.
    several = any(len(of.clusters) > 1 for of in cluster.queues_by_name[queue] if of.queue_manager == host)
    command = f"{owner.head} CLUSTER({quote_name(into)})" + (" CLUSNL(' ')" if several else "")
    yield AdminCommand(
        host, host, command, (host, owner.head, "CLUSTER"), on_destination=partial(_edit, edits=taken),
        on_facts=partial(_edit_facts, edits=[Edit(Queue, owner.told_by, {"clusters": (into,)})]),
    )  # fmt: skip


def _of_states(decision: Decision, asked: Collection[str]) -> Iterator[AdminCommand]:
    """Channels are started and stopped where the put is made; queue managers suspend and resume themselves."""
    local = decision.cluster.queue_manager.name
    for each in decision.listed:
        if each.channel and (not each.is_local or each.on_receiver) and "channel_status" in asked:
            told_by = {"channel": each.channel, "is_local": each.is_local}
            of_kind = [deftype for deftype in DEFTYPES if (deftype == "CLUSRCVR") == each.is_local]
            for state, verb in STATE_COMMANDS.items():
                if each.channel_status != state:
                    run = [Edit(Channel, {"name": each.channel, "deftype": of}, {"status": state}) for of in of_kind]
                    yield AdminCommand(
                        local, each.queue_manager, f"{verb} CHANNEL({quote_name(each.channel)})",
                        (local, each.channel, "STATUS"), stops=verb == "STOP",
                        on_destination=Edit(Destination, told_by, {"channel_status": state}).apply,
                        on_facts=partial(_edit_facts, edits=run),
                    )  # fmt: skip
        if each.cluster and "suspended" in asked:
            verb = "RESUME" if each.suspended else "SUSPEND"
            at, suspended = {"queue_manager": each.queue_manager, "cluster": each.cluster}, not each.suspended
            yield AdminCommand(
                each.queue_manager, each.queue_manager, f"{verb} QMGR CLUSTER({quote_name(each.cluster)})",
                (*at.values(), "SUSPEND"), stops=suspended,
                on_destination=Edit(Destination, at, {"suspended": suspended}).apply,
                on_facts=partial(_suspension, queue_manager=each.queue_manager, of=each.cluster, suspended=suspended),
            )  # fmt: skip


def _of_queue_manager(decision: Decision, asked: Collection[str]) -> Iterator[AdminCommand]:
    own = decision.cluster.queue_manager
    values: dict[str, Iterable[Any]] = {"clwluseq": (), "clwlmruc": ()}
    if "qmgr_clwluseq" in asked:
        values["clwluseq"] = fields(Situation).qmgr_clwluseq.metadata["domain"].words
    if "clwlmruc" in asked:
        values["clwlmruc"] = range(1, len(decision.listed) + 1)
    for name, possible in values.items():
        before = getattr(own, name)
        of_situation = "qmgr_clwluseq" if name == "clwluseq" else name
        for value in possible:
            if value != before:
                yield AdminCommand(
                    own.name, own.name, f"ALTER QMGR {name.upper()}({value})", (own.name, "QMGR", name),
                    _measure(before, value), on_situation=partial(evolve, **{of_situation: value}),
                    on_facts=partial(set_own, values={name: value}),
                )  # fmt: skip


def _on_the_way(decision: Decision) -> Iterator[AdminCommand]:
    """Put-disabled objects of the local queue manager that lead from the names of the put on."""
    local = decision.cluster.queue_manager.name
    for look in decision.resolved.followed:
        name, kind = look.facts["object"], look.facts["object_kind"]
        if look.facts["disabled"]:
            enabled = [
                Edit(Queue, {"name": name, "queue_manager": local}, {"put": "ENABLED"}),
                Edit(QueueManagerAlias, {"name": name, "routed_to": local}, {"put": "ENABLED"}),
            ]
            head = f"ALTER {'QALIAS' if kind == 'QALIAS' else 'QREMOTE'}({quote_name(name)})"
            yield AdminCommand(
                local, local, f"{head} PUT(ENABLED)", (local, head, "PUT"),
                on_situation=partial(evolve, inhibited_on_the_way=False),
                on_facts=partial(_edit_facts, edits=enabled),
            )  # fmt: skip


def _suspension(cluster: Cluster, queue_manager: str, of: str, suspended: bool) -> Cluster:
    others = tuple(each for each in get_member(cluster, queue_manager).suspended if each != of)
    return set_suspended(cluster, queue_manager, (*others, of) if suspended else others)


def _deciding(course: Pipeline) -> Iterator[nodes.Expression]:
    """The expressions of all rules and terms, without what a destination gets by being chosen."""
    for steps in course.steps:
        advancing = {id(value.value) for step in steps.steps if isinstance(step, Let) and step.of == "chosen"
                     for value in step.values}  # fmt: skip
        for tree in (*steps.expressions(), *steps.vocabulary.terms.values()):
            if id(tree) not in advancing:
                yield tree


@lru_cache(MOST_CLASSES)
def _compared(course: Pipeline) -> Mapping[str, set[int]]:
    """The whole numbers that rules compare words with, by word."""
    found = defaultdict[str, set[int]](set)
    for tree in _deciding(course):
        for test in tree.find_all(*COMPARISONS):
            for word, number in ((test.this, test.expression), (test.expression, test.this)):
                if isinstance(word, nodes.Column) and isinstance(number, nodes.Literal) and number.is_int:
                    found[word.name].add(int(number.this))
    return found


def _absent(decision: Decision, queue_manager: str, snapshot: Snapshot) -> MissingInformation:
    cluster, name = decision.cluster, quote_name(queue_manager)
    local, seen = cluster.queue_manager.name, decision.situation
    if queue_manager in snapshot.others.strangers:
        what = f"{queue_manager} is in no cluster that {local} is in"
        return MissingInformation(what, queue_manager, f"DISPLAY CLUSQMGR({name}) CLUSTER")
    if not decision.runs:
        named = decision.put.queue or decision.put.queue_manager
        answer = summarize_decision(decision) or "none"
        what = f"no cluster is asked where a put goes that names {named} at {local}; its names lead to {answer}"
        return MissingInformation(what, named, f"DISPLAY QUEUE({quote_name(named)}) TYPE CLUSTER")
    if seen.put_queue_manager:
        what = f"the put names {seen.put_queue_manager}, and no route to that ends at {queue_manager}"
        return MissingInformation(what, seen.put_queue_manager, f"DISPLAY CLUSQMGR({name}) CHANNEL CLUSTER STATUS")
    queue = quote_name(seen.put_queue)
    if queue_manager == local and seen.put_queue in cluster.own_queues:
        # Its own instance would be listed; what leads elsewhere is none.
        return MissingInformation(decision.resolved.last.because, seen.put_queue, f"DISPLAY QUEUE({queue}) TYPE TARGET")
    instances = cluster.queues_by_name.get(seen.put_queue, ())
    clusters = dict.fromkeys(of for each in instances if each.queue_manager == queue_manager for of in each.clusters)
    if clusters:
        listed = ", ".join(clusters)
        what = f"{queue_manager} has {seen.put_queue} in {listed}, and no channel from {local} to it is known"
        return MissingInformation(what, queue_manager, f"DISPLAY CLUSQMGR({name}) CHANNEL CLUSTER STATUS")
    if seen.put_queue in snapshot.beyond.hosted.get(queue_manager, ()):
        what = f"{queue_manager} has a queue {seen.put_queue}, but in no cluster that {local} is in"
        return MissingInformation(what, seen.put_queue, f"DISPLAY QCLUSTER({queue}) CLUSQMGR CLUSTER")
    known = "" if queue_manager == local else f", as far as {local} knows"
    what = f"{queue_manager} hosts no instance of {seen.put_queue}{known}"
    return MissingInformation(what, seen.put_queue, f"DISPLAY QCLUSTER({queue}) CLUSQMGR CLUSTER")


ALTER = "ALTER "
MOST_COMMANDS = 4
"""How many commands a set has at most."""

MOST_SETTINGS = 2
"""How many commands a set has at most that no condition names as its remedy."""

MOST_VALUES = 100
"""A number that can have more values than that is not tried with each of them."""

OPEN_NAME = "'…'"
"""In a remedy: a name that is to be filled in."""

_TOLD_APART_BY = [
    each for each in fields(Queue)
    if each.name == "ipprocs" or isinstance(each.metadata["domain"], Flag | Words)
]  # fmt: skip

RemedyTest = Callable[[Sequence[str]], bool]
"""Whether a message put after some commands triggers."""

RemedySets = dict[frozenset[str], tuple[str, ...]]
"""Sets of commands by the attributes that they set."""


def find_remedies(
    why: Why, answer: WhyAnswer, snapshot: Snapshot, priority: int | None = None
) -> tuple[tuple[str, ...], ...]:
    """Find the smallest sets of commands of the queue's queue manager after which a message put now triggers.

    They are remedies of what fails that alter an object, also those that are told nowhere else because another comes
    first, with each name where one is left open; and up to MOST_SETTINGS other values of what the rules look at of the
    queue, and of the queues that it names or could. Each set is verified on the changed facts. Empty where it triggers
    already, and where something else is in the way as well or decides: what is not defined or not open.
    """
    if answer.verdict == "triggers":
        return ()
    trials = _Trials(why, answer, snapshot, priority)
    open_remedies = list(_remedies(answer))
    names = _names(answer.queue, snapshot.cluster) if any(OPEN_NAME in each for each in open_remedies) else [""]
    filled = (each.replace(OPEN_NAME, quote_name(name)) for each in open_remedies for name in names)
    remedies = list(dict.fromkeys(filled))
    asked = _find_deciding_attributes(Pipeline.of(why.triggers.rules, TRIGGER))
    settings = _settings(answer.queue, asked, snapshot.cluster.own_queues, names)
    found = _few(_by_name([*remedies, *settings]), trials.mends)
    return tuple(_with_more(found, answer, remedies, trials).values())


def find_immediate_remedies(why: Why, answer: WhyAnswer, snapshot: Snapshot) -> tuple[str, ...]:
    """Find the fewest remedies that alter something and make the queue trigger without a further message.

    The rules say so of each command's own event, whatever is true of what is not known. Empty where no such remedies
    are told, and where a message put now triggers or fails anyway.
    """
    if answer.verdict == "triggers" or answer.reason is not None:
        return ()
    remedies = dict.fromkeys(doubt.condition.remedy for doubt in answer.doubts)
    lines = [each.splitlines() for each in remedies if OPEN_NAME not in each]
    left = [line for each in lines if all(line.startswith(ALTER) for line in each) for line in each]
    if not _trigger_at_once(why, answer, snapshot, left):
        return ()
    for each in tuple(left):
        fewer = [other for other in left if other is not each]
        left = fewer if _trigger_at_once(why, answer, snapshot, fewer) else left
    return tuple(left)


def _trigger_at_once(why: Why, answer: WhyAnswer, snapshot: Snapshot, commands: Sequence[str]) -> bool:
    """Whether one of ``commands``, carried out one after the other, has a trigger message written for the queue."""
    events, before = list[Event](), snapshot
    for each in commands:
        after = _after(answer.queue, before, [each])
        if after is None:
            return False
        events += _alterations(before.cluster.own_queues, after.cluster.own_queues)
        before = after
    return why.is_triggered_by(events, answer, snapshot)


def _alterations(before: Mapping[str, Queue], after: Mapping[str, Queue]) -> Iterator[Event]:
    """What the local queues have otherwise, as events that alter them so."""
    for name, queue in before.items():
        values = {each.name: getattr(after[name], each.name) for each in fields(Queue)}
        others = {each: value for each, value in values.items() if value != getattr(queue, each)}
        if others:
            yield Event(do="alter", queue=name, set=others)


def _few(settings: Mapping[str, Sequence[str]], mends: RemedyTest) -> RemedySets:
    """The sets of up to MOST_SETTINGS commands, each with the nearest values that do."""
    found: RemedySets = {}
    for count in range(1, MOST_SETTINGS + 1):
        for names in choices(settings, count):
            if not any(smaller.issubset(names) for smaller in found):
                tried = product(*(settings[name] for name in names))
                enough = next((commands for commands in tried if mends(commands)), None)
                found |= {frozenset(names): enough} if enough else {}
    return found


def _with_more(found: RemedySets, answer: WhyAnswer, remedies: Sequence[str], trials: _Trials) -> RemedySets:
    """These, and the larger sets of remedies. A set needs for each obstacle a command that clears it."""
    obstacles = answer.obstacles
    left = {each: trials.find_obstacles((each,)) for each in remedies}
    clears = {each: obstacles - after for each, after in left.items() if after is not None}
    for count in range(MOST_SETTINGS + 1, min(len(clears), MOST_COMMANDS) + 1):
        for commands in choices(clears, count):
            names = frozenset(map(_name_of, commands))
            enough = obstacles == frozenset().union(*(clears[each] for each in commands))
            contains = any(smaller <= names for smaller in found)
            if enough and not contains and trials.mends(commands):
                found = {**found, names: commands}
    return found


def _by_name(commands: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Commands by the attribute that they set, in their order."""
    found: dict[str, list[str]] = {}
    for command in dict.fromkeys(commands):
        found.setdefault(_name_of(command), []).append(command)
    return found


def _name_of(command: str) -> str:
    """The object and the attribute that a command sets; its value is in brackets at the end."""
    return command.rpartition("(")[0] if command.endswith(")") else command


def _settings(queue: Queue, asked: Collection[str], own: Mapping[str, Queue], others: Sequence[str]) -> Iterator[str]:
    """Every other value of what the rules look at of a queue, and of those that it names or could, the nearest first.

    Of a queue that ``initq`` names they look at what an Occasion has as ``initq_get`` and the like.
    """
    seen = {each.name for each in fields(TriggerEvent)} & set(asked)
    for each in fields(Queue):
        if each.name in seen:
            yield from _values(queue, each)
            names = [getattr(queue, each.name), *others] if each.metadata["domain"] is NAME_OR_BLANK else []
            for named in (own[name] for name in dict.fromkeys(names) if name in own):
                for of in (of for of in fields(Queue) if f"{each.name}_{of.name}" in seen):
                    yield from _values(named, of)


def _values(queue: Queue, of: attrs.Attribute[Any]) -> Iterator[str]:
    """The commands that give one attribute of a queue another value."""
    head = f"{ALTER}QLOCAL({quote_name(queue.name)}){' QSGDISP(SHARED)' if queue.shared else ''}"
    domain, before = of.metadata["domain"], getattr(queue, of.name)
    if isinstance(domain, Flag) and not before:
        yield f"{head} {of.name.upper()}"
    elif isinstance(domain, Words):
        yield from (f"{head} {of.name.upper()}({word})" for word in domain.words if word != before)
    elif isinstance(domain, Whole):
        # Of a number that messages are counted against: as many as there are with the one that is put.
        depth = (queue.curdepth or 0) + 1
        values = range(domain.low, domain.high + 1) if domain.high <= MOST_VALUES else {domain.low, depth}
        others = sorted((value for value in values if value != before), key=lambda value: abs(value - before))
        yield from (f"{head} {of.name.upper()}({value})" for value in others)


def _remedies(answer: WhyAnswer) -> Iterator[str]:
    texts = [answer.remedy, *(each for doubt in answer.doubts for each in answer.remedies(doubt.condition.rule))]
    return (line for line in "\n".join(texts).splitlines() if line.startswith(ALTER))


def _names(queue: Queue, cluster: Cluster) -> list[str]:
    """What the queue could name: a process, or a local queue; one of those queues that no rule tells apart."""
    others = [each for each in cluster.own_queues.values() if each.type == "QLOCAL" and each is not queue]
    others.sort(key=lambda each: each.ipprocs or 0)
    alike = {tuple(getattr(each, of.name) for of in _TOLD_APART_BY): each.name for each in others}
    return [*(each.name for each in cluster.processes), *reversed(alike.values()), ""]


class _Trials:
    """What becomes of the message of an answer after commands; what begins alike is carried out once."""

    def __init__(self, why: Why, answer: WhyAnswer, snapshot: Snapshot, priority: int | None) -> None:
        self.why, self.queue, self.snapshot, self.priority = why, answer.queue, snapshot, priority
        self._kept = cache(self._carry_out)

    def find_obstacles(self, commands: Sequence[str]) -> frozenset[str] | None:
        """Find the obstacles after ``commands``; None where they cannot be carried out."""
        after = self._carry_out(tuple(commands))
        if after is None:
            return None
        return self.why.find_obstacles(after.cluster.own_queues[self.queue.name], after, self.priority)

    def mends(self, commands: Sequence[str]) -> bool:
        """Return whether a message put after ``commands`` triggers; not where they cannot be carried out."""
        after = self._carry_out(tuple(commands))
        return after is not None and self.why.is_triggered(
            after.cluster.own_queues[self.queue.name], after, self.priority
        )

    def _carry_out(self, commands: tuple[str, ...]) -> Snapshot | None:
        if not commands:
            return self.snapshot
        before = self._kept(commands[:-1])
        return None if before is None else _after(self.queue, before, commands[-1:])


def _after(queue: Queue, snapshot: Snapshot, commands: Sequence[str]) -> Snapshot | None:
    try:
        return apply_changes(
            snapshot, [_of(quote_name(queue.queue_manager), each.removeprefix(ALTER)) for each in commands]
        )
    except FactsError:
        # A name was filled in that is none of such an object.
        return None


def _of(host: str, change: str) -> str:
    """A change with whose object it is: the queue manager is named as such where it is altered itself."""
    return change.replace("QMGR", f"QMGR({host})", 1) if change.startswith("QMGR ") else f"{change} QMGR({host})"
