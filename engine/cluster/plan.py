"""Compare a cluster before and after a change: the rows of its map that differ, why, and how many real puts move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, Self

from attrs import asdict, define, field, frozen

from mqclause.answers import AnswerTable, ShownAnswer
from mqclause.check.findings import FindingChanges
from mqclause.cluster.counterfactuals import find_eliminations
from mqclause.cluster.map import (
    UNBOUND,
    ClusterState,
    MapRow,
    build_map_row,
    build_side_document,
    choose_after_start,
    find_new_remarks,
    list_clustered_aliases,
    list_clustered_queues,
    list_snapshots,
    note_exits,
)
from mqclause.documents import WORKLOAD
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.members import Members, get_local_name, set_command_level
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import (
    ArgumentError,
    Diagnostic,
    FactsError,
    check_each,
    check_type,
    name_argument,
    quote_value,
    suggest_allowed,
    suggest_name,
)
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put, PutBinding
from mqclause.model.facts.workload import CounterKey, Destination, SequenceState, find_changes
from mqclause.rulebook.loader import EVIDENCE, get_edition
from mqclause.rulebook.rule import Choose, Rule, identify_rule
from mqclause.rulebook.rules import Rules, RulesOrigin
from mqclause.trace import join_names
from mqclause.workload.decision import Decision, Engine, get_destination_key
from mqclause.workload.editions import describe_missing_level, locate_edition
from mqclause.workload.shares import Share, sum_parts

Side = Literal["before", "after"]

BothSides = tuple[Snapshot, Snapshot, str]
"""A member before and after a change, and a queue, or an alias of a queue manager."""

FINDINGS_UNASKED = "findings are not compared: none are given of the files of both sides"
"""What is said where nobody gives the findings of a change."""

FAILS = ""
"""What stands for a queue manager where puts fail."""


@frozen
class Cause:
    """Why a destination gets nothing on one side: it fell by ``rule``, or (None) it is no destination there."""

    side: Side
    destination: Destination
    rule: Rule | None = field(eq=identify_rule)
    because: str

    def to_json(self) -> dict[str, Any]:
        """Return the cause as JSON values."""
        rule = self.rule
        return {
            "side": self.side,
            "destination": self.destination.to_json(),
            "rule": rule and rule.id,
            "clause": rule and rule.clause,
            "because": self.because,
        }


@frozen(repr=False)
class PlanRow(ShownAnswer):
    """A row of the map before and after a change; ``weight`` is the real number of puts, if it is known."""

    written_by = "plan#/properties/rows/items"

    before: MapRow
    after: MapRow
    engine: Engine = field(eq=attrgetter("rules"), repr=False)
    weight: int | None = None

    @property
    def name(self) -> str:
        """The queue or the alias, as the row of a map names it."""
        return self.before.name

    @property
    def queue(self) -> str:
        """The queue that is put to; blank if the puts name a queue-manager alias."""
        return self.before.queue

    @property
    def member(self) -> str:
        """The queue manager where the puts are made."""
        return self.before.member

    @property
    def differs(self) -> bool:
        """Whether the two sides differ."""
        one, other = self.before.decision, self.after.decision
        ends = [(each.outcome, each.reason and (each.reason.code, each.reason.call)) for each in (one, other)]
        return ends[0] != ends[1] or self.before.parts != sum_parts(self.after.shares, get_destination_key)

    @cached_property
    def in_question(self) -> tuple[tuple[Side, MapRow], ...]:
        """The sides that rest on what is not known: both, unless the rules see the same after the change as before."""
        one, other = self.before.decision, self.after.decision
        is_same = not (one.runs or other.runs) or (one.runs and other.runs and one.kind == other.kind)
        if self.before is self.after or (is_same and not self.differs):
            return ()
        sides: tuple[tuple[Side, MapRow], ...] = (("before", self.before), ("after", self.after))
        return tuple((side, row) for side, row in sides if row.told_by)

    @cached_property
    def held_up(self) -> tuple[Share, ...]:
        """The parts of the puts that wait for a channel after the change and did not wait before."""
        waiting = self.after.waiting if self.after is not self.before else ()
        waited = {get_destination_key(each.destination) for each in self.before.waiting} if waiting else set()
        return tuple(each for each in waiting if get_destination_key(each.destination) not in waited)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Remarks about the puts after the change that did not hold before it.

        That the parts are of opens is said of all that move.
        """
        told = (
            *find_new_remarks(self.before, self.after),
            *([self._asked.of_opens] if self.differs and self.is_of_opens else []),
        )
        return tuple(dict.fromkeys(told))

    @property
    def is_of_opens(self) -> bool:
        """Whether the parts are of opens."""
        return self._asked.is_of_opens

    @property
    def _asked(self) -> MapRow:
        """The side after the change or, if nothing is chosen then, the one before it."""
        return self.after if self.after.shares else self.before

    @property
    def moved(self) -> Fraction:
        """The share of the puts that goes elsewhere: 1 if only one side has destinations, 0 if none has."""
        one, other = (
            self.before.parts,
            self.after.parts,
        )
        if bool(one) != bool(other):
            return Fraction(1)
        keys, none = dict.fromkeys([*one, *other]), Fraction(0)
        return sum((abs(one.get(key, none) - other.get(key, none)) for key in keys), none) / 2

    @property
    def puts_moved(self) -> Fraction:
        """The number of puts that go elsewhere; 0 without a weight."""
        return self.moved * (self.weight or 0)

    @cached_property
    def because(self) -> tuple[Cause, ...]:
        """For each destination that has a share on one side alone, why it has none on the other."""
        return (*self._lost("before", self.before, self.after), *self._lost("after", self.after, self.before))

    def _lost(self, side: Side, row: MapRow, other: MapRow) -> Iterator[Cause]:
        kept = row.parts
        lost = [each.destination for each in other.shares if get_destination_key(each.destination) not in kept]
        if lost:
            made = row.decision
            decision = choose_after_start(made.put, made.cluster, self.engine, made.before, "rule")
            told = {get_destination_key(each): (rule, because) for each, rule, because in find_eliminations(decision)}
            for each in lost:
                rule, because = told.get(get_destination_key(each)) or (None, _not_listed(each, decision))
                yield Cause(side, each, rule, because)

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from; None if they are those that come with the project. The document says it once."""
        return self.engine.rules.origin

    def to_json(self) -> dict[str, Any]:
        """Return the row as in the document ``mqclause.plan/1``."""
        unknown = [{"side": side, **asdict(each)} for side, row in self.in_question for each in row.incomplete]
        return {
            **self.before.named,
            "from": self.member,
            "moved": float(self.moved),
            **({} if self.weight is None else {"weight": self.weight}),
            **({"of_opens": True} if self.is_of_opens else {}),
            "before": build_side_document(self.before),
            "after": build_side_document(self.after),
            "because": [each.to_json() for each in self.because],
            **({"incomplete": unknown} if unknown else {}),
        }


class PlanTable(AnswerTable[PlanRow]):
    """The rows of a map that differ after a change; ``change`` has all that there is to say of it."""

    written_by = "plan"
    row_kind = PlanRow

    _build: Callable[[], ChangePlan] | None = None

    @cached_property
    def change(self) -> ChangePlan:
        """The change: these rows, remarks, what they rest on; found when it is asked for. Of some rows, these alone."""
        if self._build is not None:
            return self._build()
        found = _FoundRows.of(self, None, self[0].engine) if self else _FoundRows()
        return ChangePlan(
            [row for row in self if row.queue], (), (), FindingChanges(), exits=found.exits,
            held_up=_sort_rows(found.held_up), remarks=found.remarks, alias_rows=[row for row in self if not row.queue],
            in_question=found.in_question, rebalanced=found.rebalanced, origin=self.origin,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the document ``mqclause.plan/1``."""
        return self.change.to_json()


def plan(
    before: ClusterState,
    after: ClusterState,
    engine: Engine | None = None,
    bind: PutBinding = UNBOUND,
    traffic: Traffic | None = None,
    findings: FindingChanges | None = None,
) -> PlanTable:
    """Compare two states of a cluster: return the rows of the map that differ, those that move most puts first.

    A state is a snapshot, or what it knows, of each member (or of one), as ``read_members`` gives them. Members that
    only one state has give no row; a queue that nobody has any more is 2085. ``traffic`` weighs the rows.
    ``findings`` are those that the change brings and takes away, as FindingChanges.between tells of two check_files:
    a state has no files in which they could be looked for.
    """
    engine = Engine.given(engine)
    if traffic is not None:
        check_type("traffic", traffic, Traffic, ", as mqclause.duckdb.traffic gives")
    states = tuple(list_snapshots(before)), tuple(list_snapshots(after))
    found = (_build_plan_row(asked, engine, bind, traffic) for asked in _pair_sides(*states))
    rows = PlanTable(_sort_rows(row for row in found if row.differs), engine.rules.origin)
    rows._build = partial(build_change_plan, *states, engine, bind, traffic, findings)
    return rows


def _pair_sides(
    before: ClusterState, after: ClusterState, names: Callable[[Cluster], list[str]] = list_clustered_queues
) -> list[BothSides]:
    """Pair each member before the change with itself afterwards, once for each clustered queue that either side knows.

    Or with what else ``names`` finds in each state.
    """
    members = {each.cluster.queue_manager.name: each for each in list_snapshots(after)}
    pairs = ((one, members.get(one.cluster.queue_manager.name)) for one in list_snapshots(before))
    return [
        (one, other, name)
        for one, other in pairs
        if other is not None
        for name in dict.fromkeys([*names(one.cluster), *names(other.cluster)])
    ]


def _build_plan_row(
    asked: BothSides, engine: Engine, bind: str, traffic: Traffic | None = None, is_alias: bool = False
) -> PlanRow:
    """Build the row of one queue, or of one alias of a queue manager, at one member, whether it differs or not."""
    before, after, name = asked
    queue, alias = ("", name) if is_alias else (name, "")
    one = build_map_row(before, queue, engine, bind, alias)
    other = one if before is after else build_map_row(after, queue, engine, bind, alias)
    weight = None if traffic is None or is_alias else traffic.puts.get((queue, one.member), 0)
    return PlanRow(one, other, engine, weight)


def _sort_rows(rows: Iterable[PlanRow]) -> list[PlanRow]:
    """Sort the rows, those first that move most puts."""
    return sorted(rows, key=lambda row: (-row.puts_moved, -row.moved, row.queue, row.member))


def _find_restarting_members(before: ClusterState, after: ClusterState, engine: Engine) -> list[str]:
    """Find the members whose sequence factors restart at zero when one state becomes the other."""
    members = {each.cluster.queue_manager.name: each.cluster for each in list_snapshots(after)}
    found = []
    for each in list_snapshots(before):
        name = each.cluster.queue_manager.name
        if name in members and any(find_changes(each.cluster, members[name], engine.listing)):
            found.append(name)
    return sorted(found)


def find_restart_clause(engine: Engine) -> str:
    """Find the number of the clause whose rule says at which changes they do."""
    return next((rule.clause for rule in engine.rules.ruleset(WORKLOAD).rules if rule.notices), "")


PUTS_BEFORE, PUTS_AFTER = 10, 6
"""So many puts to another queue, and then to the one that is asked about, show how both are balanced together."""


BothCounters = tuple[tuple[CounterKey, ...], tuple[CounterKey, ...]]
"""Whose counters puts move before a change and after it, in listing order."""

BothCounts = tuple[Mapping[str, int], Mapping[str, int]]
"""How many puts go to each queue manager before a change and after it."""


@frozen(eq=False)
class SharedRow:
    """A row of a member that other rules choose for afterwards, and whose counters its puts move on either side.

    Those are the channels that the puts go by, and the local queue manager's own for what stays there by a choice.
    """

    queue: str
    before: Snapshot
    after: Snapshot
    bind: str
    counters: BothCounters

    @classmethod
    def of(cls, row: PlanRow) -> SharedRow | None:
        """Keep of a row what is asked; None where the rules are the same, an exit chooses, or it is no queue's."""
        sides = (row.before, row.after)
        if row.before.decision.rules == row.after.decision.rules or not row.before.queue:
            return None
        if any(each.by_exit is not None for each in sides):
            return None
        was, now = (tuple(dict.fromkeys(one.destination.counter for one in each.shares)) for each in sides)
        put = row.before.decision.put
        return cls(row.before.queue, row.before.snapshot, row.after.snapshot, put.bind, (was, now))

    @property
    def shared(self) -> Sequence[CounterKey]:
        """The counters that its puts move on both sides."""
        return [each for each in self.counters[0] if each in self.counters[1]]

    def count_together(self, other: str, engine: Engine) -> BothCounts:
        """Count where its puts go on either side after puts to another queue, from fresh counters."""
        return self._count(other, self.before.cluster, engine), self._count(other, self.after.cluster, engine)

    def describe_difference(self, other: str, counts: BothCounts, engine: Engine) -> str:
        """Say that its puts and those to another queue are balanced otherwise afterwards."""
        rules = engine.rules.of_level(self.after.cluster.queue_manager.command_level).ruleset(WORKLOAD).rules
        clause = next(each.clause for each in reversed(rules) if isinstance(each.action, Choose))
        was, now = (join_names([f"{name} ({count})" for name, count in sorted(each.items())]) for each in counts)
        return (
            f"puts to {other} share a destination with these, and by clause {clause} both are balanced together, "
            f"but otherwise: after {PUTS_BEFORE} puts to {other} the next {PUTS_AFTER} went to {was}, "
            f"and go to {now}; shares are those of one queue alone"
        )

    def _count(self, other: str, cluster: Cluster, engine: Engine) -> Mapping[str, int]:
        """How many of its puts go to each queue manager after puts to another queue, from fresh counters."""
        state, found = SequenceState({}, 0, cluster), Counter[str]()
        for queue in [*[other] * PUTS_BEFORE, *[self.queue] * PUTS_AFTER]:
            made = engine.choose(Put.as_written(queue, bind=self.bind), cluster, state, "off", None)
            state = made.state
            if queue == self.queue and made.chosen is not None:
                found[made.chosen.queue_manager] += 1
        return found


def _find_rebalanced_rows(rows: Sequence[SharedRow], engine: Engine) -> Iterator[tuple[SharedRow, str]]:
    """Find rows whose puts are balanced otherwise beside those to another queue by the same channel, and say how.

    Of the queues that move the same counters, in the same order, two stand for all.
    """
    by_counter: dict[tuple[str, CounterKey], dict[BothCounters, list[str]]] = {}
    for row in rows:
        for counter in row.shared:
            alike = by_counter.setdefault((get_local_name(row.before), counter), {}).setdefault(row.counters, [])
            if len(alike) < 2:
                alike.append(row.queue)
    known: dict[tuple[str, str, BothCounters, BothCounters], BothCounts] = {}
    for row in rows:
        local, is_balanced = get_local_name(row.before), any(len(each) > 1 for each in row.counters)
        alike_of = [by_counter[local, each] for each in row.shared] if is_balanced else []
        beside = {counters: queues for each in alike_of for counters, queues in each.items()}
        for counters, queues in beside.items():
            other = next((each for each in queues if each != row.queue), "")
            key = (local, row.bind, row.counters, counters)
            if other and key not in known:
                known[key] = row.count_together(other, engine)
            if other and known[key][0] != known[key][1]:
                yield row, row.describe_difference(other, known[key], engine)
                break


@frozen
class Traffic:
    """The number of puts by queue and by the queue manager where they were made."""

    puts: Mapping[tuple[str, str], int] = field(hash=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.puts, Mapping):
            check_type("puts", self.puts, dict, ", a number of puts by queue and queue manager")
        for key in self.puts:
            if not (isinstance(key, tuple) and len(key) == len(("queue", "queue manager"))):
                raise ArgumentError(f"puts: {quote_value(key)} is no queue with a queue manager")

    @property
    def total(self) -> int:
        """The number of puts in all."""
        return sum(self.puts.values())


@frozen(repr=False)
class Move(ShownAnswer):
    """A number of puts that go to the queue manager ``into`` and no longer to ``out_of``; blank where they fail."""

    written_by = "plan#/$defs/move"

    out_of: str
    into: str
    puts: float

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {name: value if value != FAILS else None for name, value in asdict(self).items()}


def moves(rows: Iterable[PlanRow]) -> tuple[Move, ...]:
    """Sum up the puts that move between queue managers, most puts first; only rows with a weight count.

    What several destinations lose goes to those that gain in proportion to what each gains.
    """
    found: dict[tuple[str, str], Fraction] = {}
    for row in check_each("rows", rows, PlanRow, ", as plan gives"):
        for pair, part in _moved(row):
            found[pair] = found.get(pair, Fraction(0)) + part * (row.weight or 0)
    told = (Move(*pair, float(puts)) for pair, puts in found.items() if puts)
    return tuple(sorted(told, key=lambda each: (-each.puts, each.out_of, each.into)))


def _freeze(value: Any) -> Any:
    """Lists and mappings as values that hash, by which those that hold the same are equal."""
    if isinstance(value, Mapping):
        return frozenset((key, _freeze(each)) for key, each in value.items())
    return tuple(map(_freeze, value)) if isinstance(value, list | tuple) else value


@frozen(repr=False)
class ChangePlan(ShownAnswer):
    """The effects of a change: the rows that differ, the findings, and remarks.

    ``rows`` differ, and so do ``alias_rows``, of puts that name an alias of a queue manager; ``restarts`` are the
    members whose sequence factors restart, by the clause ``restarts_by``;
    ``members`` are all that were asked.
    Of ``traffic`` so many puts are ``elsewhere``: of queues, or at queue managers, that the map does not have.
    ``exits`` are those that are named and not given, with the members that name them on either side.
    ``remarks`` is what is to be said of puts then and was not before, by what they name and member: why messages do
    not arrive, that they wait for a channel among it; ``held_up`` are the rows, which need not differ, with the parts
    that wait so.
    ``in_question`` are the sides of rows that rest on what is not known.
    ``to_nobody`` is what is to be said of CLUSSDR channels to members that are left out.
    ``upgrades`` are the members that are of another edition of MQ after the change. ``rebalanced``: a remark tells of
    puts to several queues that are balanced together otherwise. ``any_fits``: some row was asked about. ``unasked`` is
    what was not looked at.
    """

    written_by = "plan"

    rows: Sequence[PlanRow] = field(eq=_freeze)
    restarts: Sequence[str] = field(eq=_freeze)
    members: Sequence[str] = field(eq=_freeze)
    findings: FindingChanges
    traffic: Traffic | None = None
    elsewhere: int = 0
    exits: Mapping[MissingInformation, Sequence[str]] = field(factory=dict, eq=_freeze)
    held_up: Sequence[PlanRow] = field(default=(), eq=_freeze)
    remarks: Sequence[tuple[Mapping[str, str], str, str]] = field(default=(), eq=_freeze)
    to_nobody: Sequence[str] = field(default=(), eq=_freeze)
    restarts_by: str = ""
    alias_rows: Sequence[PlanRow] = field(default=(), eq=_freeze)
    in_question: Sequence[tuple[Side, MapRow]] = field(default=(), eq=_freeze)
    upgrades: Sequence[Upgrade] = field(default=(), eq=_freeze)
    rebalanced: bool = False
    any_fits: bool = True
    unasked: Sequence[str] = field(default=(), eq=_freeze)
    origin: RulesOrigin | None = None

    @property
    def changes_something(self) -> bool:
        """Whether anything is otherwise after the change: where puts go, which wait, what check finds, factors."""
        findings = self.findings.new or self.findings.gone
        return any((self.rows, self.alias_rows, findings, self.restarts, self.remarks, self.to_nobody))

    @property
    def unknown_levels(self) -> list[MissingInformation]:
        """The command levels that no file tells, of members whose puts the upgrade moves."""
        moving = {row.member for row in (*self.rows, *self.alias_rows)}
        return [level for each in self.upgrades if each.queue_manager in moving for level in each.unknown]

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The real puts that move, by queue manager."""
        return moves(self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return the document ``mqclause.plan/1``."""
        document: dict[str, Any] = {
            **self._head,
            "rows": [row.to_json() for row in self.rows],
            "findings": self.findings.document(),
            "restarts": list(self.restarts),
            "incomplete": [
                *({"from": name, **asdict(each)} for each, names in self.exits.items() for name in names),
                *(
                    {**row.named, "from": row.member, "side": side, **asdict(each)}
                    for side, row in self.in_question
                    for each in row.incomplete
                    if each not in row.exits
                ),
                *({"from": each.object, **asdict(each)} for each in self.unknown_levels),
            ],
        }
        if self.upgrades:
            document["upgrades"] = [each.to_json() for each in self.upgrades]
        if self.alias_rows:
            document["queue_manager_aliases"] = [row.to_json() for row in self.alias_rows]
        if self.held_up:
            document["waiting"] = [
                {**row.before.named, "from": row.member, "shares": [each.to_json() for each in row.held_up]}
                for row in self.held_up
            ]
        if self.remarks or self.to_nobody or self.unasked:
            document["remarks"] = [
                *({**named, "from": member, "remark": said} for named, member, said in self.remarks),
                *({"queue": None, "from": None, "remark": said} for said in (*self.to_nobody, *self.unasked)),
            ]
        if self.traffic is not None:
            document["traffic"] = {
                "puts": self.traffic.total,
                "elsewhere": self.elsewhere,
                "moves": [each.to_json() for each in self.moves],
            }
        return document


def build_change_plan(
    before: Iterable[Snapshot],
    after: Iterable[Snapshot],
    engine: Engine,
    bind: str = UNBOUND,
    traffic: Traffic | None = None,
    findings: FindingChanges | None = None,
    fits: Callable[[PlanRow], bool] | None = None,
    track: Callable[[Iterable[PlanRow], int], Iterable[PlanRow]] | None = None,
) -> ChangePlan:
    """Compare the members before and after a change: all that there is to say of rows, or of those that ``fits``.

    ``track`` may look on while rows are made, and is told how many there are.
    """
    members, after = tuple(before), tuple(after)
    asked, of_aliases = _pair_sides(members, after), _pair_sides(members, after, list_clustered_aliases)
    made = (_build_plan_row(each, engine, bind, traffic) for each in asked)
    aliases = (_build_plan_row(each, engine, bind, is_alias=True) for each in of_aliases)
    found = _FoundRows.of(chain(made if track is None else track(made, len(asked)), aliases), fits, engine)
    in_map = {(queue, get_local_name(one)) for one, _, queue in asked}
    rows = [row for row in _sort_rows(found.differing) if fits is None or fits(row)]
    return ChangePlan(
        [row for row in rows if row.queue],
        _find_restarting_members(members, after, engine),
        [get_local_name(each) for each in members],
        FindingChanges() if findings is None else findings,
        traffic,
        sum(count for key, count in traffic.puts.items() if key not in in_map) if traffic else 0,
        found.exits,
        _sort_rows(found.held_up),
        found.remarks,
        restarts_by=find_restart_clause(engine),
        alias_rows=[row for row in rows if not row.queue],
        in_question=found.in_question,
        upgrades=_list_upgrades(members, after, engine.rules),
        rebalanced=found.rebalanced,
        any_fits=found.any_fits or not found.differing,
        unasked=(FINDINGS_UNASKED,) if findings is None else (),
        origin=engine.rules.origin,
    )


@define(eq=False)
class _FoundRows:
    """What is told of rows; a row of which nothing is told is not kept: there may be very many."""

    differing: list[PlanRow] = field(factory=list)
    held_up: list[PlanRow] = field(factory=list)
    exits: dict[MissingInformation, list[str]] = field(factory=dict)
    remarks: list[tuple[Mapping[str, str], str, str]] = field(factory=list)
    in_question: list[tuple[Side, MapRow]] = field(factory=list)
    shared: dict[SharedRow, bool] = field(factory=dict)
    rebalanced: bool = False
    any_fits: bool = False

    def add(self, row: PlanRow, fits: bool) -> None:
        """Note what is told of a row, of one that does not fit what was asked its exits and that it differs alone."""
        note_exits((row.before, row.after), self.exits)
        self.differing.extend([row] if row.differs else [])
        if (shared := SharedRow.of(row)) is not None:
            self.shared[shared] = fits
        self.any_fits = self.any_fits or fits
        if fits:
            self.held_up.extend([row] if row.held_up else [])
            self.remarks.extend((row.before.named, row.member, each) for each in row.remarks)
            self.in_question.extend(row.in_question)

    @classmethod
    def of(cls, rows: Iterable[PlanRow], fits: Callable[[PlanRow], bool] | None, engine: Engine) -> Self:
        """Note what is told of each row, and of several together."""
        found = cls()
        for row in rows:
            found.add(row, fits is None or fits(row))
        found.note_rebalanced(engine)
        return found

    def note_rebalanced(self, engine: Engine) -> None:
        """Note the queues whose puts are balanced otherwise beside those to another one."""
        for row, said in _find_rebalanced_rows([*self.shared], engine):
            if self.shared[row]:
                self.rebalanced = True
                self.remarks.append(({"queue": row.queue}, get_local_name(row.before), said))


def _not_listed(destination: Destination, decision: Decision) -> str:
    if not decision.runs and decision.reason is not None:
        return decision.reason.because
    if not decision.runs:
        return "; ".join(look.because for look in decision.resolved.looks)
    queue, local = destination.queue, decision.cluster.queue_manager.name
    if not queue:
        return f"{decision.put.queue_manager} does not lead to {destination.queue_manager} from {local}"
    if destination.is_local:
        return f"{local} has no {queue} of its own"
    return f"{destination.queue_manager} has no instance of {queue} to which {local} has a route"


def _moved(row: PlanRow) -> Iterator[tuple[tuple[str, str], Fraction]]:
    before, after = (
        sum_parts(each.shares, attrgetter("queue_manager")) or {FAILS: Fraction(1)} for each in (row.before, row.after)
    )
    change = {name: after.get(name, Fraction(0)) - before.get(name, Fraction(0)) for name in {*before, *after}}
    gained = sum(part for part in change.values() if part > 0)
    for loser, lost in change.items():
        for winner, won in change.items():
            if lost < 0 < won:
                yield (loser, winner), -lost * won / gained


UPGRADES, EDITION = "upgrades", "edition"
"""The arguments that name editions."""


@frozen
class Upgrade:
    """A queue manager with its edition before and after.

    ``edition_from`` says where the one before is from, blank if no file tells it and the oldest is assumed.
    ``evidence`` and ``source`` say how it is known what holds after, see mqclause.rulebook.rules.
    """

    queue_manager: str
    before: str
    edition_from: str
    after: str
    evidence: str
    source: str

    @classmethod
    def between(cls, before: Snapshot, after: Snapshot, rules: Rules) -> Upgrade:
        """Describe the upgrade of a member between two sides."""
        was, now = (rules.of_level(each.cluster.queue_manager.command_level) for each in (before, after))
        own, told = before.cluster.queue_manager, locate_edition(was, before)
        of_later = rules.toml("editions.toml").get(now.edition, {})
        evidence, source = of_later.get("evidence", "recalled"), of_later.get("source", "")
        return cls(own.name, was.edition, told if own.command_level else "", now.edition, evidence, source)

    @property
    def gist(self) -> tuple[str, str, str]:
        """What it has in common with others: the edition before, as far as it is known, the one after, and how."""
        before = self.before if self.edition_from else f"{self.before}, which is assumed,"
        known = f"; of {self.after}: {EVIDENCE[self.evidence]} ({self.source})" if self.source else ""
        return before, self.after, known

    @property
    def unknown(self) -> tuple[MissingInformation, ...]:
        """The command level, where the edition before is assumed."""
        return () if self.edition_from else (describe_missing_level(self.queue_manager),)

    def to_json(self) -> dict[str, Any]:
        """Return the upgrade as it stands in the document ``mqclause.plan/1``."""
        return {**asdict(self), "edition_from": self.edition_from or "default"}


def begin_at(members: Members, edition: str, rules: Rules) -> Members:
    """Set the edition of every member, whatever its files tell. Raises FactsError."""
    level = _level_of(edition, rules, name_argument(EDITION))
    return Members(set_command_level(each, level, name_argument(EDITION)) for each in members)


def upgrade_members(members: Members, pattern: str, edition: str, rules: Rules) -> Members:
    """Set the edition of the members whose name fits ``pattern``; ``*`` in it stands for any text.

    Those that are of that edition already, or known by records alone, stay as they are. A pattern passes by those
    above it; one of them that is named is a FactsError, as all other faults are.
    """
    level, names = _level_of(edition, rules, name_argument(UPGRADES)), [get_local_name(each) for each in members]
    fitting = [each for each in members if fnmatchcase(get_local_name(each), pattern)]
    if not fitting and any(fnmatchcase(name, pattern) for name in list_recorded_members(members)):
        return members  # how those choose, no source tells
    if not fitting:
        said = f"no source describes the queue manager {quote_value(pattern)}; described: {', '.join(names)}"
        raise _fault(f"{said}{suggest_name(pattern, names)}")
    above = [each for each in fitting if each.cluster.queue_manager.command_level > level]
    later = [each for each in above if get_edition(each.cluster.queue_manager.command_level, rules.levels) != edition]
    if "*" in pattern and len(later) == len(fitting):
        who = join_names([get_local_name(each) for each in later])
        raise _fault(f"nobody that fits {quote_value(pattern)} is upgraded: {who}, of editions above {edition}")
    for each in above if "*" not in pattern else ():
        own = each.cluster.queue_manager
        if (of_level := get_edition(own.command_level, rules.levels)) != edition:
            raise _fault(f"{own.name} is of command level {own.command_level}, edition {of_level}, above {edition}")
    return Members(
        set_command_level(each, level, name_argument(UPGRADES)) if each in fitting and each not in above else each
        for each in members
    )


def list_recorded_members(members: Members) -> list[str]:
    """List the queue managers that no source describes, and that members know by their records."""
    described = {get_local_name(each) for each in members}
    return sorted({name for each in members for name in each.cluster.remote} - described)


def upgrade_recorded_members(
    told: Mapping[str, int], upgrades: Iterable[tuple[str, str]], rules: Rules
) -> dict[str, int]:
    """Return the command levels of queue managers that are known by records alone, after upgrades that they fit.

    Of their levels before some are ``told``, 0 if not; nobody is taken back.
    """
    found = dict(told)
    for pattern, edition in upgrades:
        level = _level_of(edition, rules, name_argument(UPGRADES))
        found |= {name: level for name, own in found.items() if own < level and fnmatchcase(name, pattern)}
    return found


def _list_upgrades(before: Iterable[Snapshot], after: Iterable[Snapshot], rules: Rules) -> list[Upgrade]:
    """List the members that are of another edition after a change."""
    later = {get_local_name(each): each for each in after}
    pairs = ((each, later[get_local_name(each)]) for each in before if get_local_name(each) in later)
    found = (Upgrade.between(one, other, rules) for one, other in pairs)
    return [each for each in found if each.before != each.after]


def _level_of(edition: str, rules: Rules, option: str) -> int:
    level = rules.levels.get(edition, 0)
    if not level:
        known = [name for name, own in rules.levels.items() if own]
        raise _fault(f"{quote_value(edition)} is no edition{suggest_allowed(edition, known)}", option)
    return level


def _fault(message: str, option: str = "") -> FactsError:
    return FactsError([Diagnostic(option or name_argument(UPGRADES), message)])
