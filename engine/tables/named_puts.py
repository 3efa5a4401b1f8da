"""The names that puts can give in a cluster, and what the engine decides of all that they can say besides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, product
from typing import Any

from attrs import asdict, evolve, fields, frozen
from sqlglot import exp

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.reason import NOBODY_LEFT
from mqclause.answers.choice.resolution import Look, Resolved
from mqclause.documents import OUTCOME, RESOLUTION
from mqclause.executors.course import Course
from mqclause.language.parse import expanded
from mqclause.language.vocabulary import Word
from mqclause.model.diagnostic import DomainError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination, destinations
from mqclause.model.facts.domains import Words
from mqclause.model.facts.naming import Naming, naming
from mqclause.model.facts.objects import Put
from mqclause.model.facts.situation import situation
from mqclause.rulebook.errors import UnansweredError
from mqclause.rulebook.rules import Rules
from mqclause.tables.columns import DESTINATION, PUT, Column
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.row import invalid
from mqclause.tables.shares import ties_in

ASKED_NAMES = tuple(f"asked_{name}" for name in PUT_NAMES)
"""What the names come to, of which the workload rules are asked; null for the row's own."""

AS_NAMED = {"queue": "* ", "queue_manager": "** "}
"""Stand for the names that a row gives, whatever they are. They end in a blank, as no name does that a row is known by.
"""

TOLD_NAMES = (*PUT_NAMES, "transmission_queue")
"""The fields of an answer in which a name of the row may stand."""


def _can_say() -> dict[str, Sequence[Any]]:
    """What a put can say in each field without being odd. Its CLWLMRUC is the queue manager's."""
    every: dict[str, Sequence[Any]] = {"boolean": (False, True), "texts": ((),), "integer": (None,)}
    said = [each for name, each in PUT.items() if name not in PUT_NAMES and not each.optional]
    return {each.name: every.get(each.kind) or each.domain.words for each in said}  # type: ignore[union-attr]


CAN_SAY = _can_say()
"""All that a put can say besides a name, field by field; numbers count through the last field first."""


@frozen
class NamedPut:
    """What puts can name in a cluster: the ``put`` that is asked about it.

    The queue of ``free``, or its queue manager, stands for any name; of a put that is ``unknown`` no name is known to
    anybody.
    """

    put: Put
    free: Put
    unknown: bool = False

    @property
    def queue(self) -> str:
        """The queue, or what stands for any."""
        return self.shown(self.put.queue)

    @property
    def queue_manager(self) -> str:
        """The queue manager, or what stands for any."""
        return self.shown(self.put.queue_manager)

    def asked(self, cluster: Cluster, rules: Rules) -> dict[str, Any] | None:
        """What the workload rules are asked with: what the names come to, and the ``destinations``.

        None if they are not asked.
        """
        engine = engine_of(rules).at(cluster)
        where = engine.resolve(cluster, self.put.queue, self.put.queue_manager)
        if not where.asks_workload:
            return None
        listed = map(asdict, self._listed(cluster, engine, where))
        own = {name: None if shown == AS_NAMED[name] else shown
               for name, shown in zip(PUT_NAMES, map(self.shown, where.names), strict=True)}  # fmt: skip
        return {
            **dict(zip(ASKED_NAMES, own.values(), strict=True)),
            "defbind": where.default_binding,
            "inhibited": where.inhibited,
            "destinations": [{name: _value(each[of.word], of) for name, of in DESTINATION.items()} for each in listed],
        }

    def _listed(self, cluster: Cluster, engine: Engine, where: Resolved) -> Iterator[Destination]:
        """The destinations. Which queue they keep, the plan of an odd put says, and not who is none that keeps it."""
        seen, listing = situation(self.put, where.names, where.default_binding, cluster, 0), engine.listing
        keeps = bool(listing.kept_queue(seen))
        listed = destinations(cluster, where.named, listing)
        return (each for each in listed if not (keeps and listing.own_alias(each)))

    def shown(self, name: str) -> str:
        """A name in an answer: one of AS_NAMED if the row's own stands there."""
        for field, stands in AS_NAMED.items():
            if name == getattr(self.free, field) == getattr(self.put, field):
                return stands
        return name

    def decided(self, engine: Engine, put: Put, cluster: Cluster, explain: bool, with_ties: bool) -> dict[str, Any]:
        """The ``decision`` about a put of these names, and who ``ties`` in the long run."""
        if found := refused(cluster, put):
            return {"decision": found, **({"ties": []} if with_ties else {})}
        found = answered(engine.choose(put, cluster, None, "rule" if explain else "off"), explain)
        tied = ties_in(engine, put, cluster) if with_ties and found["outcome"] != "invalid" else []
        for each in (found, *tied):
            each |= {name: self.shown(each[name]) for name in TOLD_NAMES if each.get(name)}
        return {"decision": found, **({"ties": tied} if with_ties else {})}


@frozen
class NamedPuts:
    """All that puts can name in one cluster.

    Beside the queue managers ``beside`` it matters which queue is named; beside any other its name is kept, whatever
    it is, those that rules ``said`` each for itself. Names that nobody knows are ``apart`` where rules say
    names, or lead such a name to what others know: they are then found as those of ``queues`` and ``managers`` are, by
    what stands for them.
    """

    named: Sequence[NamedPut]
    beside: Sequence[str]
    queues: Sequence[str]
    managers: Sequence[str]
    said: Sequence[str]
    apart: bool


@lru_cache(maxsize=32)
def names_of(cluster: Cluster, rules: Rules) -> NamedPuts:
    """What puts can name in the cluster."""
    said = tuple(name for name in said_by_rules(rules) if _put(name) is not None)
    taken = _taken(cluster) | {*said}
    not_taken = (name for name in (f"NONE.{number}" for number in count()) if name not in taken)
    free = Put(next(not_taken), next(not_taken))
    # Named as a queue, an alias of a queue manager is not unknown either.
    objects = dict.fromkeys([*cluster.queues_by_name, *cluster.aliases_by_name, *cluster.models, *said])
    queues, managers = [name for name in objects if _put(name) is not None], _managers(cluster, rules, free)
    kinds, resolve = _kinds(cluster, queues), engine_of(rules).at(cluster).resolve

    def is_looked_up(manager: str) -> bool:
        kept = resolve(cluster, free.queue, manager)
        refuses = any(cluster.refusal(queue, manager) for queue in cluster.models)
        return refuses or not all(
            _lead_alike(resolve(cluster, queue, manager), queue, kept, free.queue) for queue in kinds
        )

    beside = list(filter(is_looked_up, managers))
    unknown = [Put(free.queue), Put("", free.queue_manager), free, *(Put(free.queue, name) for name in beside)]
    by_unknown = is_looked_up(free.queue_manager)
    leads_on = any(resolve(cluster, put.queue, put.queue_manager).asks_workload for put in unknown)
    apart = bool(said) or by_unknown or leads_on
    known_queues, known_managers = queues, managers
    if apart:
        known_queues, known_managers = [*queues, free.queue], [*managers, free.queue_manager]
        beside += [free.queue_manager] if by_unknown else []
    known = [*(Put(name) for name in known_queues), *(Put("", name) for name in known_managers)]
    known += [Put(queue, name) for name in beside for queue in known_queues]
    known += [Put(queue, name) for name in known_managers if name not in beside for queue in (free.queue, *said)]
    named = [NamedPut(put, free) for put in known]
    named += [] if apart else [NamedPut(put, free, unknown=True) for put in unknown]
    stands = {free.queue_manager: AS_NAMED["queue_manager"]}
    return NamedPuts(named, [stands.get(name, name) for name in beside], queues, managers, said, apart)


def _kinds(cluster: Cluster, queues: Sequence[str]) -> list[str]:
    """One queue of each kind that the local queue manager has or knows: alike in all but names."""
    words = {each.name for each in fields(Naming) if isinstance(each.metadata.get("domain"), Words)}

    def kind(queue: str) -> tuple[object, ...]:
        known = asdict(naming(cluster, Put(queue)))
        return tuple(bool(value) if isinstance(value, str | tuple) and name not in words else value
                     for name, value in known.items())  # fmt: skip

    return list({kind(queue): queue for queue in queues}.values())


def _lead_alike(one: Resolved, queue: str, other: Resolved, instead: str) -> bool:
    """Whether names lead the same way, by the same rules, where ``queue`` stands for another one that is kept."""

    def alike(look: Look, as_look: Look) -> bool:
        facts = zip(look.facts.values(), as_look.facts.values(), strict=True)
        return look.rule is as_look.rule and all(
            value == another or (value == queue and another == instead) for value, another in facts
        )

    return len(one.looks) == len(other.looks) and all(map(alike, one.looks, other.looks))


@lru_cache(maxsize=8)
def engine_of(rules: Rules) -> Engine:
    """The engine of ``rules``, made once in each process. Raises RuleError."""
    return Engine(rules)


def _managers(cluster: Cluster, rules: Rules, free: Put) -> list[str]:
    """What stands for a queue manager: those of the cluster, their aliases, and local queues that lead to one.

    And every name that rules say, which may lead somewhere.
    """
    engine = engine_of(rules).at(cluster)

    def led(name: str) -> list[str | None]:
        looks = [look for queue in ("", free.queue) for look in engine.resolve(cluster, queue, name).looks]
        return [None if each.rule is None else each.rule.id for each in looks]

    nowhere = led(free.queue_manager)
    there = [cluster.queue_manager.name, *cluster.remote, *cluster.aliases_by_name, *said_by_rules(rules)]
    there += [name for name in cluster.own_queues if _put("", name) is not None and led(name) != nowhere]
    return [name for name in dict.fromkeys(there) if _put("", name) is not None]


@lru_cache(maxsize=8)
def said_by_rules(rules: Rules) -> tuple[str, ...]:
    """The names that rules compare others with; those that come with the project say none."""
    found: dict[str, None] = {}
    for steps in (*Course.of(rules, RESOLUTION).steps, *Course.of(rules, OUTCOME).steps):
        for tree in steps.expressions():
            for test in expanded(tree, steps.vocabulary).find_all(exp.EQ, exp.NEQ, exp.In):
                values = [value for side in (test.this, *_compared_with(test)) for value in _values(side)]
                if any(_is_name(steps.vocabulary.words[each.name]) for each in values if isinstance(each, exp.Column)):
                    found |= {each.name: None for each in values if isinstance(each, exp.Literal) and each.name}
    return tuple(found)


def _compared_with(test: exp.Expr) -> list[exp.Expr]:
    return test.expressions if isinstance(test, exp.In) else [test.expression]


def _values(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What a side of a comparison is, in any of its cases."""
    if isinstance(tree, exp.Paren):
        yield from _values(tree.this)
    elif isinstance(tree, exp.Case):
        for each in (*(branch.args["true"] for branch in tree.args["ifs"]), tree.args["default"]):
            yield from _values(each)
    else:
        yield tree


def _is_name(word: Word) -> bool:
    """Whether a word is a name that facts or puts give: text of no closed list, and not what a rule says itself."""
    return word.type.kind == "text" and not word.type.words and not word.is_derived


def _put(queue: str, queue_manager: str = "") -> Put | None:
    """None for a name in the facts that no put can give."""
    try:
        return Put(queue, queue_manager)
    except DomainError:
        return None


def _taken(cluster: Cluster) -> set[str]:
    known = (cluster.queues_by_name, cluster.own_queues, cluster.aliases_by_name, cluster.remote, cluster.models)
    return {cluster.queue_manager.name}.union(*known)


@lru_cache(maxsize=32)
def decided_puts(
    cluster: Cluster,
    rules: Rules,
    explain: bool,
    with_ties: bool = False,
    can_say: Sequence[tuple[str, Sequence[Any]]] = tuple(CAN_SAY.items()),
) -> Sequence[Sequence[dict[str, Any]]]:
    """For each of the names in a cluster what is decided of all that a put can say of it, by number."""
    engine, fields = engine_of(rules).at(cluster), [name for name, _ in can_say]
    said = [dict(zip(fields, each, strict=True)) for each in product(*(values for _, values in can_say))]
    for each in said:
        each.pop("clwlmruc", None)
    return [
        [
            named.decided(engine, evolve(named.put, **each), cluster, explain, with_ties)
            for each in said
        ]
        for named in names_of(cluster, rules).named
    ]  # fmt: skip


def refused(cluster: Cluster, put: Put) -> dict[str, Any] | None:
    """The decision about a put of which there is none to be asked for, as of a model queue; None about any other."""
    told = cluster.refusal(put.queue, put.queue_manager)
    return invalid(f"put: {told}") if told else None


def answered(found: Decision, explain: bool) -> dict[str, Any]:
    """The fields of columns.DECISION; a put for which rules of one's own say nothing is invalid, as a row is."""
    try:
        to = found.chosen
    except UnansweredError:
        return invalid(NOBODY_LEFT)
    fell = found.fell_by() if explain and found.runs else {}
    return {
        "outcome": found.outcome,
        "queue": to and (to.queue or None),
        "queue_manager": to and (to.queue_manager or None),
        "channel": to and (to.channel or None),
        "reason": found.reason and found.reason.code,
        "permitted": len(found.remaining),
        "eliminated_by": [fell.get(each) for each in found.listed] if explain else None,
        "message": None,
        "transmission_queue": to and (to.transmission_queue or None),
    }


def _value(value: object, of: Column) -> object:
    """A blank word is null in a table."""
    return None if value == "" and of.default != "" else value
