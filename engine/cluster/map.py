"""For each clustered queue and each member: where puts go, in which shares, or why they fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from attrs import asdict, field, frozen

from mqclause.answers import AnswerTable, Outcome, Reason, ShownAnswer
from mqclause.exits.process import Caller, ExitSession
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import check_type
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put, PutBinding
from mqclause.model.facts.workload import Destination, SequenceState
from mqclause.rulebook.rules import RulesOrigin
from mqclause.workload.decision import (
    Decision,
    DestinationKey,
    Engine,
    Level,
    find_other_readings,
    get_destination_key,
    list_other_choices,
)
from mqclause.workload.delivery import (
    DeliveryAnswer,
    check_deliveries,
    check_listed_states,
    find_alias_remarks,
    find_refusal_remarks,
)
from mqclause.workload.editions import (
    describe_edition_difference,
    find_missing_level,
    find_other_editions,
    get_levels,
    list_level_remarks,
    locate_edition,
    name_edition_source,
)
from mqclause.workload.sensitivity import (
    AskExit,
    MissingObject,
    find_missing_objects,
    find_unknown_exits,
    find_unknowns,
)
from mqclause.workload.shares import Share, shares, sum_parts

ClusterState = Snapshot | Cluster | Iterable[Snapshot | Cluster]
"""A state of a cluster: what each of its members knows."""

MAP_FORMAT = "mqclause.map/1"

UNBOUND: Final = "NOTFIXED"
"""The binding that is asked about unless another one is given: of puts that leave it to the queue, too."""

SHARES_OF_OPENS = "each open chooses once, so the shares are of opens, not of puts"
"""What is said of a row whose puts are bound."""


@frozen(repr=False)
class MapRow(ShownAnswer):
    """The outcome of puts to one queue that are made at one queue manager, from fresh counters.

    Or of puts that name an alias of a queue manager: then ``queue`` is blank. ``by_exit`` is what an exit takes, where
    one is called.
    """

    written_by = "map#/properties/rows/items"

    queue: str
    decision: Decision
    snapshot: Snapshot = field(repr=False)
    by_exit: ExitShares | None = None

    @property
    def name(self) -> str:
        """The queue or the alias."""
        return self.queue or self.decision.put.queue_manager

    @property
    def named(self) -> Mapping[str, str]:
        """The names that the puts give, as documents have them."""
        return {"queue": self.queue} if self.queue else {"queue_manager": self.name}

    @property
    def member(self) -> str:
        """The queue manager where the puts are made."""
        return self.snapshot.cluster.queue_manager.name

    @property
    def outcome(self) -> Outcome:
        """The outcome of the puts."""
        return self.decision.outcome

    @property
    def reason(self) -> Reason | None:
        """The reason code of puts that fail."""
        return self.decision.reason

    @property
    def exits(self) -> tuple[MissingInformation, ...]:
        """An exit that would be called, and that nobody has given."""
        return tuple(find_unknown_exits(self.decision))

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """The destinations with their parts of the puts; empty where the puts fail."""
        return shares(self.decision) if self.by_exit is None else self.by_exit.shares

    @cached_property
    def parts(self) -> Mapping[DestinationKey, Fraction]:
        """The parts of the puts by destination."""
        return sum_parts(self.shares, get_destination_key)

    @cached_property
    def incomplete(self) -> tuple[MissingInformation, ...]:
        """The unknown facts that could change the answer."""
        found = find_unknowns(self.decision, self.snapshot, None if self.by_exit is None else self.by_exit.ask)
        return (*found, *find_missing_level(self.decision, self.snapshot))

    @cached_property
    def told_by(self) -> tuple[MissingObject, ...]:
        """The objects and commands of that, but for an exit that nobody has given."""
        if self.by_exit is not None:  # what the rules alone would rest on may be nothing to the exit
            return tuple(dict.fromkeys((each.object, each.command) for each in self.incomplete))
        return tuple(find_missing_objects(self.decision, self.snapshot))

    @cached_property
    def ways(self) -> Mapping[Destination, DeliveryAnswer]:
        """The answers of the rules of delivery about destinations with something in the way."""
        chosen = [each.destination for each in self.shares]
        # The row is of puts that are not bound; an application that leaves the binding to the queue binds them.
        return check_deliveries(chosen, self.decision, self.snapshot.beyond, bound=self.is_of_opens)

    @cached_property
    def is_of_opens(self) -> bool:
        """Whether the shares are parts of the opens: a binding that is left to the queue fixes the choice."""
        made = self.decision
        return bool(self.queue and made.runs) and (made.fixed or (made.put.bind == UNBOUND and made.fixed_by_default))

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Why messages do not arrive where the choice leads them; what to say of an exit, an alias, opens, editions."""
        of_alias = () if self.queue else self.decision.resolved.remarks
        by_exit = () if self.by_exit is None else self.by_exit.remarks
        made = self.decision
        of_call = made.call_remarks
        of_states = [said for told in check_listed_states(made) for said in told.remarks] if self.shares else []
        on_the_way = [said for told in self.ways.values() for said in told.remarks]
        on_the_way += find_alias_remarks(made.resolved, made.cluster, made.rules) if self.shares else ()
        if self.decision.refusal is not None:
            on_the_way = [*find_refusal_remarks(self.decision, self.snapshot.beyond)]
        of_opens = [self.of_opens] if len(self.shares) > 1 and self.is_of_opens else []
        told = (*of_alias, *by_exit, *of_call, *of_states, *on_the_way, *of_opens, *self.by_edition, *self.odd_levels)
        return tuple(dict.fromkeys(told))

    @property
    def of_opens(self) -> str:
        """That the shares are of opens, with what binds the puts if that is left to the queue."""
        made = self.decision
        is_asked_for = made.fixed and made.put.bind == made.situation.bind
        return SHARES_OF_OPENS if is_asked_for else f"DEFBIND(OPEN): {SHARES_OF_OPENS}"

    @property
    def edition_from(self) -> str:
        """Where the edition in force is from, with the place of the command level."""
        return locate_edition(self.decision.rules, self.snapshot)

    @cached_property
    def by_edition(self) -> tuple[str, ...]:
        """The remark that the puts would go elsewhere in another edition of MQ, if they would."""
        source = name_edition_source(self.decision.rules, self.snapshot)
        return tuple(filter(None, [describe_edition_difference(self.decision, source)]))

    @property
    def odd_levels(self) -> tuple[str, ...]:
        """What is odd about the member's command level, see list_level_remarks: the same in all of its rows."""
        made = self.decision
        return tuple(list_level_remarks(made.rules, get_levels([made.cluster]))) if made.runs else ()

    @property
    def waiting(self) -> tuple[Share, ...]:
        """The shares of the puts that wait on a transmission queue until a channel runs."""
        return tuple(each for each in self.shares if (way := self.ways.get(each.destination)) and way.waits)

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from; None if they are those that come with the project. The document says it once."""
        return self.decision.origin

    def to_json(self) -> dict[str, Any]:
        """Return the row as in the document ``mqclause.map/1``."""
        document = {**self.named, "from": self.member, **build_side_document(self)}
        incomplete = [asdict(each) for each in self.incomplete]
        edition: dict[str, Any] = {"edition": self.decision.rules.edition, "edition_from": self.edition_from}
        if self.by_edition:
            edition["other_editions"] = [each.document() for each in find_other_editions(self.decision)]
        return document | edition | {"incomplete": incomplete, "remarks": list(self.remarks)}


class ClusterMap(AnswerTable[MapRow]):
    """The rows of a map, by queue and member: the document ``mqclause.map/1``."""

    written_by = "map"
    row_kind = MapRow


@frozen
class PrintableRow:
    """The printed part of a MapRow, without its decision: the map of a large dump has very many rows.

    What is odd about the member's command level is told once, and not here.
    """

    queue: str
    name: str
    member: str
    outcome: Outcome
    reason: Reason | None
    shares: tuple[Share, ...]
    told_by: tuple[MissingObject, ...]
    remarks: tuple[str, ...]
    exits: tuple[MissingInformation, ...]

    @classmethod
    def of(cls, row: MapRow) -> PrintableRow:
        """Keep of a row what is printed."""
        shares, of_member = tuple(row.shares), {*row.odd_levels}
        said = tuple(each for each in row.remarks if each not in of_member)
        levels = find_missing_level(row.decision, row.snapshot, bool(row.by_edition))
        told_by = (*row.told_by, *((each.what, each.command) for each in levels))
        return cls(row.queue, row.name, row.member, row.outcome, row.reason, shares, told_by, said, row.exits)


PrintedRow = MapRow | PrintableRow

FIRST_PUTS = 60
"""How many puts an exit is asked about: two to six destinations in turn get equal parts of them."""


def cluster_map(members: ClusterState, engine: Engine | None = None, bind: PutBinding = UNBOUND) -> ClusterMap:
    """Return the rows of every member, by queue and member: where the puts go, or why they fail.

    ``members`` are snapshots, or what they know, as ``read_members`` gives them, or one alone.
    """
    engine = Engine.given(engine)
    rows = build_map_rows(list_snapshots(members), engine, bind)
    return ClusterMap(sorted(rows, key=lambda row: (row.queue, row.member)), engine.rules.origin)


def list_snapshots(state: ClusterState) -> Iterator[Snapshot]:
    """List a snapshot of each member in a state; raises TypeError for what is neither Snapshot nor Cluster."""
    for each in (state,) if isinstance(state, Snapshot | Cluster | str) else state:
        if isinstance(each, Snapshot):
            yield each
        else:
            yield Snapshot(check_type("a member", each, Cluster, ", or Snapshot, as read_members gives"))


def build_map_rows(members: Iterable[Snapshot], engine: Engine, bind: str = UNBOUND) -> Iterator[MapRow]:
    """Build a row for each queue that is known in a cluster and each member that knows it, of a put by MQPUT."""
    for member in members:
        for queue in list_clustered_queues(member.cluster):
            yield build_map_row(member, queue, engine, bind)


def build_map_row(member: Snapshot, queue: str, engine: Engine, bind: str = UNBOUND, alias: str = "") -> MapRow:
    """Build the row of one queue at one member, whether that knows it or not, or of an alias of a queue manager."""
    put, state = Put.as_written(queue, alias, bind=bind), SequenceState({}, 0, member.cluster)
    decision = choose_after_start(put, member.cluster, engine, state)
    if decision.refusal is not None and _is_taken_by_some(decision, engine):
        # Only the puts that go by that transmission queue fail, which the remarks say.
        decision.refusal = None
    return MapRow(queue, decision, member, _measure_exit_shares(decision, engine))


def build_alias_rows(members: Iterable[Snapshot], engine: Engine, bind: str = UNBOUND) -> Iterator[MapRow]:
    """Build a row for each alias of a queue manager that is known in a cluster and each member that knows it."""
    for member in members:
        for alias in list_clustered_aliases(member.cluster):
            yield build_map_row(member, "", engine, bind, alias)


def list_clustered_aliases(cluster: Cluster) -> list[str]:
    """List the aliases of queue managers that are known in a cluster."""
    return list(dict.fromkeys(each.name for each in cluster.queue_manager_aliases if each.clusters))


def note_exits(
    rows: Iterable[PrintedRow], found: dict[MissingInformation, list[str]]
) -> dict[MissingInformation, list[str]]:
    """Add to ``found`` the exits that are named and not given, each with the members at which it would be called."""
    for row in rows:
        for each in row.exits:
            members = found.setdefault(each, [])
            if row.member not in members:
                members.append(row.member)
    return found


def list_clustered_queues(cluster: Cluster) -> list[str]:
    """List the queues and aliases that are known in a cluster, and the local queue manager's own aliases of such ones.

    Not what the local queue manager itself publishes to: its aliases of topics.
    """
    clustered = {queue.name: None for queue in cluster.queues if queue.clusters}
    own = cluster.own_queues
    aliases = [queue.name for queue in own.values() if queue.base_queue in clustered]
    published = {name for name, queue in own.items() if queue.targtype == "TOPIC"}
    return [name for name in dict.fromkeys([*clustered, *aliases]) if name not in published | cluster.models]


def build_side_document(row: MapRow) -> dict[str, Any]:
    """Build the JSON object of one side of a plan's row: outcome, reason, shares."""
    return {
        "outcome": row.outcome,
        "reason": row.reason and row.reason.to_json(),
        "shares": [each.to_json() for each in row.shares],
    }


@frozen
class ExitShares:
    """The shares that an exit gave in the first puts; ``failed`` of them went nowhere. ``ask`` asks it once more."""

    shares: tuple[Share, ...]
    failed: int
    ask: AskExit = field(eq=False, repr=False)

    @property
    def remarks(self) -> Iterator[str]:
        """Remarks about the meaning of the shares."""
        if not self.shares:
            yield "an exit takes part: it was asked about the first put"
            return
        failing = f", of which {self.failed} fail" if self.failed else ""
        yield f"an exit takes part: shares are what it took of the first {FIRST_PUTS} puts{failing}"


def choose_after_start(
    put: Put, cluster: Cluster, engine: Engine, state: SequenceState | None, level: Level = "verdict"
) -> Decision:
    """Choose at a queue manager that has just been started: its exit remembers nothing of other puts."""
    session = ExitSession()
    decision = engine.choose(put, cluster, state, level, Caller(session=session))
    engine.exits.end(session)
    return decision


def _measure_exit_shares(decision: Decision, engine: Engine) -> ExitShares | None:
    """Measure the shares that the exit gives each destination, from its present state; None if no exit was called.

    The exit remembers what it remembers while a queue manager runs, from a start on.
    """
    if decision.exit is None or not decision.exit.called:
        return None
    counts, failed, state, session = Counter[Destination](), 0, decision.before, ExitSession()
    caller = Caller(session=session)
    for _ in range(FIRST_PUTS if decision.outcome == "chosen" else 0):
        made = engine.choose(decision.put, decision.cluster, state, "off", caller)
        state = made.state
        if made.chosen is None:
            failed += 1
        else:
            counts[made.chosen] += 1
    engine.exits.end(session)
    shares = tuple(Share(each, Fraction(count, FIRST_PUTS)) for each, count in counts.items())
    return ExitShares(shares, failed, engine.exit_answer)


def find_new_remarks(before: MapRow, after: MapRow) -> Iterator[str]:
    """Find the remarks of the second row that the first does not have: obstacles and readings that matter."""
    if before is not after:
        # Of an upgrade the two sides themselves show it.
        is_upgrade = before.decision.rules.edition != after.decision.rules.edition
        known = {*before.remarks, *(after.by_edition if is_upgrade else ())}
        yield from (each for each in after.remarks if each not in known)
        gone = before.decision.call_remarks if is_upgrade else ()
        yield from (f"before the upgrade: {each}" for each in gone if each not in after.remarks)
        yield from _by_readings(before, after)


def _is_taken_by_some(decision: Decision, engine: Engine) -> bool:
    """Whether the transmission queue of some destination that a put of the row may go to takes the message."""
    left = () if decision.run is None or decision.exit is not None else decision.run.remaining
    refusals = (engine.sending.refusal(each, decision.put.call, decision.cluster) for each in left)
    return any(each is None for each in refusals)


def _by_readings(before: MapRow, after: MapRow) -> Iterator[str]:
    one, other = before.decision, after.decision
    # of one kind the same readings matter, whatever the names are
    if after.by_exit is not None or not other.runs or (one.runs and one.kind == other.kind):
        return
    yield from map(str, find_other_readings(other, list_other_choices(one)))
