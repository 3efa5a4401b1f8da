"""Ties: which destinations stay permitted in the long run, in which shares, and which of them a row takes.

From fresh counters clause 12 gives each of them a share in proportion to CLWLWGHT. Counters belong to a channel: of
several destinations by one, the first in the list is always the one chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.answers.choice.engine import Engine
from mqclause.documents.workload import WORKLOAD
from mqclause.language.sql import Node, both, case, equal, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import SequenceState
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.answers import kept_queue
from mqclause.tables.columns import DECISION, TableError
from mqclause.tables.plan import Written
from mqclause.tables.shape import FieldType, Shape, named, there

TIES, DECIDED = "mq_ties", "mq_decided_alone"
"""Columns on the way: who stays permitted, with weights, and the decision that takes the first listed."""

TIE_NAMES = ("queue", "queue_manager", "channel")
HASH_DIGITS = 10
"""Hexadecimal digits of a hash: so many that weights can be multiplied by them in 64 bits."""


@frozen
class Spread:
    """What is asked about ties: the ``shares``, and the column ``by`` whose value takes one of them."""

    shares: bool = False
    by: str | None = None

    @classmethod
    def of(cls, columns: Mapping[str, FieldType], shares: bool, spread: str | None) -> Spread | None:
        """None if nothing is asked. Raises TableError for a column that is not there, or no text and no integer."""
        if spread is not None:
            spread = there(spread, columns)
            if columns[spread] not in ("text", "integer", "null"):
                kind = named(columns[spread])
                raise TableError(
                    f"column {spread} is {kind}; expected a text or an integer (a CAST to STRING would do)"
                )
        return cls(shares, spread) if shares or spread is not None else None

    def answer(self, decision: str, ties: str) -> Node:
        """The decision, with what is asked, of the columns ``decision`` and ``ties``."""
        fields: dict[str, Node] = {name: F.column(name, decision) for name in DECISION}
        if self.by is not None:
            is_chosen = both(equal(fields["outcome"].copy(), "chosen"), F.more_than(F.column(ties), 0))
            taken = F.item(F.column(ties), self._place(self.by, ties))
            fields |= {name: case([(is_chosen, F.field_of(taken.copy(), name))], fields[name]) for name in TIE_NAMES}
        if self.shares:
            shares, outcome = _shares(ties), F.column("outcome", decision)
            nobody = F.first_of(shares.copy(), literal(0))
            is_valid = negated(equal(outcome.copy(), "invalid"))
            fields["shares"] = when(is_valid, case([(equal(outcome, "failed"), nobody)], shares))
        return case([(negated(F.is_null(F.column(decision))), F.struct_of(fields))])

    def _place(self, by: str, ties: str) -> Node:
        """The place of the one that a row takes: shares follow one another, and its hash falls in one of them."""
        value = F.coalesced(exp.cast(exp.column(by, quoted=True), "TEXT"), literal(""))
        part = exp.Mul(this=F.Hashed(this=value), expression=F.Total(this=_weights(ties)))
        number = exp.Add(this=F.variable("place"), expression=literal(1))
        before = F.Total(this=F.first_of(_weights(ties), number))
        ends = F.each(_weights(ties), exp.Mul(this=before, expression=literal(16**HASH_DIGITS)), "c", "place")
        return F.length_of(F.those(ends, exp.LTE(this=F.variable("c"), expression=part)))


def _weights(ties: str) -> Node:
    return F.each(F.column(ties), F.field_of(F.EACH, "weight"), F.EACH.name)


def _shares(ties: str) -> Node:
    weight = exp.cast(F.field_of(F.EACH, "weight"), "DOUBLE")
    share = exp.Div(this=weight, expression=exp.cast(F.Total(this=_weights(ties)), "DOUBLE"))
    fields = {**{name: F.field_of(F.EACH, name) for name in TIE_NAMES}, "share": share}
    return F.each(F.column(ties), F.struct_of(fields), F.EACH.name)


def fresh(shape: Shape) -> Shape:
    """The shape of a table without the counters that it states."""
    carried = WORKLOAD.carried
    counters = carried.start._fields if carried else ()
    return evolve(shape, subjects={name: each for name, each in shape.subjects.items() if name not in counters})


def ties(found: Written) -> Mapping[str, Node]:
    """Who stays permitted, as a list ``ties``; null in an invalid row."""
    choice, packing = found.course[0], found.packing
    assert packing is not None  # noqa: S101 - a put has destinations
    remaining, subject = choice.standing.remaining, F.variable("c")
    names = {name: packing.looked_up(name, subject) for name in TIE_NAMES}
    routes = [
        F.texts(
            packing.looked_up("channel", F.variable(each)), " ", packing.looked_up("queue_manager", F.variable(each))
        )
        for each in ("o", "c")
    ]
    first = F.place_of(F.each(remaining, routes[0], "o"), routes[1])
    is_first = equal(first, exp.Add(this=F.variable("place"), expression=literal(1)))
    weight = case([(is_first, exp.cast(packing.looked_up("channel_weight", subject), "BIGINT"))], literal(0))
    blank_as_null: dict[str, Node] = {
        name: exp.Nullif(this=value, expression=literal("")) for name, value in names.items()
    }
    blank_as_null["queue"] = kept_queue(found, blank_as_null["queue"])
    listed = F.each(remaining, F.struct_of({**blank_as_null, "weight": exp.cast(weight, "BIGINT")}), "c", "place")
    return {"ties": case([(negated(found.invalid), listed)])}


def ties_in(engine: Engine, put: Put, cluster: Cluster) -> list[dict[str, Any]]:
    """The same of a put in a cluster."""
    remaining = engine.choose(put, cluster, SequenceState({}, 0, cluster)).permitted
    routes = [each.counter for each in remaining]
    return [
        {
            **{name: getattr(each, name) or None for name in TIE_NAMES},
            "weight": each.channel_weight if routes.index(each.counter) == at else 0,
        }
        for at, each in enumerate(remaining)
    ]
