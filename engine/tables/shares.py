"""Ties: which destinations get puts in the long run, in which shares, and which of them a row takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from hashlib import md5
from typing import Any

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.executors.operations import LoweredRuleset, Operation, Rank
from mqclause.language.nodes import get_word
from mqclause.language.sql import (
    Node,
    build_and,
    build_case,
    build_equality,
    build_if,
    build_literal,
    build_not,
    build_or,
)
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.model.facts.workload import START, SequenceState
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.functions import Plan
from mqclause.tables.lowering import StepLowering
from mqclause.tables.query import LoweredPlan, build_kept_queue, build_plan
from mqclause.tables.schema import DECISION, FieldType, Shape, TableError, describe_kind, get_spelling
from mqclause.workload.decision import Engine
from mqclause.workload.shares import check_balancing, compute_rates

TIES, DECIDED, TAKEN = "__mqclause_ties", "__mqclause_decided_alone", "__mqclause_taken"
"""Columns on the way: who stays permitted, with weights, the decision that takes the first listed, and who is taken."""

VALUE, HASHED, TIMES = "__mqclause_value", "__mqclause_hashed", "__mqclause_times"
"""Columns on the way: the value that spreads, its hash, and when each destination would take the row."""

SOONEST = "__mqclause_soonest"
"""A column on the way: when the first of few destinations would take the row."""

FEW_DRAWS = 4
"""Destinations of which each has columns of its own where a row takes one of them: a function of a list takes twice as
long. Columns for more would take longer than that for the rows of few."""

SURE_DRAW, NEVER_DRAWN = {"multiplier": 1, "weight": 1.0}, {"multiplier": 1, "weight": 1e-300}
"""What stands for a destination where there are fewer: one that takes a row beside those that never do. Null would take
longer."""

TIE_NAMES = ("queue", "queue_manager", "channel")
ROW = "__mqclause_row"
"""A column on the way: the place of a row in its table, which stands for a null value of the column that spreads."""

HASH_DIGITS = 10
"""Hexadecimal digits of the hash of a text."""

BITS, ALL_BITS = 32, 2**32 - 1
"""Bits of a number that is mixed. A product of two is one of 64 bits, as each multiplier has one bit less."""

MULTIPLIERS = (569_420_461, 1_935_289_751, 2_146_121_005)
"""Odd numbers whose products mix the bits of numbers well."""

WEIGHTS_OF = 1000.0
"""Weights are so many times the reciprocal of a step: mostly CLWLWGHT itself, a whole number, which adds up exactly."""


@frozen
class Spread:
    """A question about ties: the ``shares``, and the column ``by`` whose value takes one of them.

    ``is_whole`` says that it holds whole numbers, ``has_rows`` that the table has a column ROW.

    A row that takes one of them is decided as if nothing had been put yet, as shares are: counters that say who is next
    would let those fall that it may take.
    """

    shares: bool = False
    by: str | None = None
    is_whole: bool = False
    has_rows: bool = False

    @property
    def from_start(self) -> bool:
        """Whether rows are decided so."""
        return self.by is not None

    @classmethod
    def of(cls, columns: Mapping[str, FieldType], shares: bool, spread: str | None) -> Spread | None:
        """Build the request of a table; None if it asks neither for shares nor to spread rows.

        Raises TableError for a column that is not there, or no text and no integer.
        """
        if spread is not None:
            spread = get_spelling(spread, columns)
            if columns[spread] not in ("text", "integer", "null"):
                kind = describe_kind(columns[spread])
                raise TableError(
                    f"column {spread} is {kind}; expected a text or an integer (a CAST to STRING would do)"
                )
        is_whole = spread is not None and columns[spread] == "integer"
        return cls(shares, spread, is_whole) if shares or spread is not None else None

    def hashed(self) -> list[dict[str, Node]]:
        """Write the columns that lead to HASHED, the hash of a row's value, which ``times`` needs.

        It is made by arithmetic alone, which every engine does alike, but for a text, which is hashed by MD5.
        """
        assert self.by is not None  # noqa: S101 - rows are spread
        value, row = exp.column(self.by, quoted=True), F.subtract(build_literal(-1), F.build_column(ROW))
        if self.is_whole:
            whole = exp.TryCast(this=value, to=exp.DataType.build("BIGINT"))
            # Numbers without a sign may be larger; rows without a value have numbers that few values are.
            larger = exp.TryCast(this=F.subtract(value, 1 << 63), to=exp.DataType.build("BIGINT"))
            return [{VALUE: F.coalesce(whole, larger, row)}, {HASHED: _mixed_whole(F.build_column(VALUE))}]
        digits = F.bit_and(F.Hashed(this=exp.cast(value, "TEXT")), ALL_BITS)
        return [{VALUE: row}, {HASHED: F.coalesce(digits, _mixed_whole(F.build_column(VALUE)))}]

    @staticmethod
    def time(multiplier: Node, weight: Node) -> Node:
        """Build when a destination would take the row, from the column HASHED; the greatest is the shortest time.

        By weighted rendezvous hashing: each destination draws a time until it would take the row, which is less on
        average the more weight it has, and depends on nothing but the row's value and itself. So where another one
        leaves, the rows that others took stay there.
        """
        product = F.multiply(F.build_column(HASHED), multiplier)
        mixed = _mixed(F.bit_and(product, ALL_BITS), MULTIPLIERS[2])
        drawn = F.divide(F.add(mixed, 0.5), float(1 << BITS))
        # A logarithm of what is less than 1 is below 0.
        return F.divide(exp.Ln(this=drawn), weight)

    @classmethod
    def times(cls, draws: Node) -> Node:
        """Write when each of the destinations ``draws`` would take the row: what ``place`` needs as TIMES."""
        time = cls.time(F.get_field(F.EACH, "multiplier"), F.get_field(F.EACH, "weight"))
        return F.map_items(draws, time, F.EACH.name)

    @staticmethod
    def place() -> Node:
        """Write the place, from 0, of the tied destination that takes the row; null of one alone."""
        return F.subtract(F.find_place(F.build_column(TIMES), exp.ArrayMax(this=F.build_column(TIMES))), 1)

    @staticmethod
    def place_of_few(times: Sequence[str]) -> tuple[dict[str, Node], Node]:
        """Write the same of ``times`` that are columns each, none of them null, with the column that it needs."""
        first, *others = map(F.build_column, times)
        soonest = F.build_column(SOONEST)
        places = [(build_equality(time, soonest), build_literal(place)) for place, time in enumerate((first, *others))]
        return {SOONEST: exp.Greatest(this=first, expressions=others)}, build_case(places)

    def levels(self, ties: str) -> list[dict[str, Node]]:
        """Write the columns that lead from ``ties`` to TAKEN, which of them takes the row, in levels."""
        if self.by is None:
            return []
        fields = {"multiplier": _multiplier(F.EACH), "weight": F.get_field(F.EACH, "weight")}
        draws = F.map_items(F.build_column(ties), F.build_struct(fields), F.EACH.name)
        times = build_if(F.has_more_than(F.build_column(ties), 1), self.times(draws))
        taken = F.get_item(F.build_column(ties), F.coalesce(self.place(), build_literal(0)))
        return [*self.hashed(), {TIMES: times}, {TAKEN: taken}]

    def answer(self, decision: str, ties: str) -> Node:
        """Write the decision with what is asked about ties, from the columns ``decision``, ``ties`` and TAKEN."""
        fields: dict[str, Node] = {name: F.build_column(name, decision) for name in DECISION}
        is_chosen = build_equality(fields["outcome"], "chosen")
        if self.by is not None:
            is_tied = build_and(is_chosen, F.has_more_than(F.build_column(ties), 0))
            fields |= {name: build_case([(is_tied, F.build_column(name, TAKEN))], fields[name]) for name in TIE_NAMES}
        if self.shares:
            shares = _shares(ties)
            is_valid = build_not(build_equality(F.build_column("outcome", decision), "invalid"))
            # A call that fails, or fixes no destination, puts nothing anywhere.
            fields["shares"] = build_if(is_valid, build_if(is_chosen, shares, F.take_first(shares, build_literal(0))))
        return build_case([(build_not(F.is_null(F.build_column(decision))), F.build_struct(fields))])


def multiplier_of(tie: Mapping[str, Any]) -> int:
    """Return the factor of a row's hash for a destination, by its channel and queue manager.

    A queue that is named beside its queue manager is no part of it, whatever it is.
    """
    route = " ".join(tie[name] or "" for name in ROUTE_NAMES)
    digits = md5(route.encode(), usedforsecurity=False).hexdigest()
    return int(digits[:HASH_DIGITS], 16) & (ALL_BITS >> 1) | 1


def _multiplier(tie: Node) -> Node:
    """The same as a tree."""
    channel, queue_manager = (F.coalesce(F.get_field(tie, name), build_literal("")) for name in ROUTE_NAMES)
    digits = F.Hashed(this=F.concat_texts(channel, " ", queue_manager))
    return exp.BitwiseOr(this=F.bit_and(digits, ALL_BITS >> 1), expression=build_literal(1))


ROUTE_NAMES = ("channel", "queue_manager")


def _mixed(number: Node, multiplier: int) -> Node:
    """A number of so many bits mixed, as one of so many."""
    folded = F.bit_xor(number, F.shift_right(number, 15))
    return F.bit_and(F.multiply(folded, multiplier), ALL_BITS)


def _mixed_whole(number: Node) -> Node:
    """A whole number of up to 64 bits hashed to one of so many."""
    parts = number, F.shift_right(number, BITS)
    products = [
        F.bit_and(F.multiply(F.bit_and(part, ALL_BITS), multiplier), ALL_BITS)
        for part, multiplier in zip(parts, MULTIPLIERS[::2], strict=True)
    ]
    both_parts = F.bit_xor(products[0], products[1])
    return _mixed(both_parts, MULTIPLIERS[1])


def _shares(ties: str) -> Node:
    weight = F.get_field(F.EACH, "weight")
    share = F.divide(weight, F.Total(this=F.map_items(F.build_column(ties), weight, F.EACH.name)))
    fields = {**{name: F.get_field(F.EACH, name) for name in TIE_NAMES}, "share": share}
    return F.map_items(F.build_column(ties), F.build_struct(fields), F.EACH.name)


def set_spread(shape: Shape, spread: Spread | None) -> Shape:
    """Return the shape of a table with what is asked about ties."""
    return evolve(shape, from_start=spread is not None and spread.from_start)


@lru_cache(maxsize=32)
def reset_counters(cluster: Cluster) -> Cluster:
    """Return the cluster as if nothing had been put yet."""
    start = START._asdict()
    if all(getattr(each, name) == value for each in cluster.channels for name, value in start.items()):
        return cluster
    return evolve(cluster, channels=[evolve(each, **start) for each in cluster.channels])


def build_ties_plan(rules: Rules, shape: Shape) -> Plan:
    """Build the plan of who ties in a table of that shape: a list ``ties``, null in an invalid row.

    Raises RuleError where rules of one's own balance otherwise than by steps of each destination.
    """
    for steps in LoweredRuleset.course([rules.ruleset(each) for each in shape.about.course]):
        check_balancing(steps)
    return build_plan(rules, evolve(shape, from_start=True), _ties, settled=_after_the_first)


def _after_the_first(steps: LoweredRuleset) -> LoweredRuleset:
    """The steps as they go on when each has been chosen once.

    Equal counters are then none any more: of those that a limit cut between, the ones listed first were taken.
    """
    return evolve(steps, steps=tuple(_told_apart(each) for each in steps.steps))


def _told_apart(step: Operation) -> Operation:
    if not isinstance(step, Rank) or step.at_most is None:
        return step
    rise = (key.descending and get_word(key.by) in START._fields for key in step.keys)
    return evolve(step, ties="first") if any(rise) else step


def _ties(found: LoweredPlan) -> Mapping[str, Node]:
    choice, packing = found.course[0], found.packing
    assert packing is not None  # noqa: S101 - a put has destinations
    remaining, subject = choice.remaining, F.build_variable("c")
    names = {name: packing.looked_up(name, subject) for name in TIE_NAMES}
    routes = [
        F.concat_texts(
            packing.looked_up("channel", F.build_variable(each)),
            " ",
            packing.looked_up("queue_manager", F.build_variable(each)),
        )
        for each in ("o", "c")
    ]
    first = F.find_place(F.map_items(remaining, routes[0], "o"), routes[1])
    is_first = build_equality(first, F.add(F.build_variable("place"), 1))
    weight = build_if(is_first, _weight(found, choice), build_literal(0.0))
    blank_as_null: dict[str, Node] = {
        name: exp.Nullif(this=value, expression=build_literal("")) for name, value in names.items()
    }
    blank_as_null["queue"] = build_kept_queue(found, blank_as_null["queue"])
    listed = F.map_items(
        remaining, F.build_struct({**blank_as_null, "weight": exp.cast(weight, "DOUBLE")}), "c", "place"
    )
    is_taken = F.is_greater(F.get_field(F.EACH, "weight"), 0.0)
    ties = found.bindings.bind("taking_turns", F.filter_items(listed, is_taken, F.EACH.name))
    # One that is as good after it was chosen as before is chosen again; it is the first of those that stand still.
    alone = build_if(
        _any(remaining, build_not(_differs(choice, START._fields))), F.take_first(ties, build_literal(1)), ties
    )
    return {"ties": build_case([(build_not(found.invalid), alone)])}


def _any(those: Node, condition: Node) -> Node:
    """Whether a condition holds of any of the subjects ``c`` in a list."""
    return build_not(F.NoneOf(this=those, expression=F.build_lambda(condition, "c")))


def _differs(choice: StepLowering, counters: Collection[str]) -> Node:
    """Whether a subject ``c`` is compared otherwise once it was chosen, if only these of its counters had moved."""
    subject = F.build_variable("c")
    before, after = choice.meaning, choice.advanced(subject, counters)
    others = []
    for rank, applies in choice.choices:
        trees = [(before.of(key.by, subject), after.of(key.by, subject)) for key in rank.keys]
        others.append(build_and(applies, build_or(F.is_unequal(one, other) for one, other in trees)))
    return build_or(others)


def _weight(found: LoweredPlan, choice: StepLowering) -> Node:
    """What stands for a share: whole numbers stay so, whatever a division leaves behind them.

    One whose factor does not count, or stands still, is taken in its turn with those like it, and before all others.
    """
    factor, subject = START._fields[0], F.build_variable("c")
    before, after = choice.meaning.at(subject), choice.advanced(subject)
    step = F.subtract(after.word(factor), before.word(factor))
    weight = F.divide(build_literal(WEIGHTS_OF), exp.cast(step, "DOUBLE"))
    whole = exp.Round(this=weight)
    is_whole = F.is_less(exp.Abs(this=F.subtract(weight, whole)), 1e-9)
    stands = build_not(_differs(choice, [factor]))
    some_stand = found.bindings.bind("some_stand", _any(choice.remaining, stands))
    branches = [(stands, build_literal(WEIGHTS_OF)), (some_stand, build_literal(0.0)), (is_whole, whole)]
    return build_case(branches, weight)


def list_ties(engine: Engine, put: Put, cluster: Cluster) -> list[dict[str, Any]]:
    """List who ties for a put in a cluster, in the long run."""
    found = compute_rates(engine.choose(put, cluster, SequenceState({}, 0, cluster), "off"))
    return [
        {**{name: getattr(each, name) or None for name in TIE_NAMES}, "weight": float(rate * int(WEIGHTS_OF))}
        for each, rate in found
    ]
