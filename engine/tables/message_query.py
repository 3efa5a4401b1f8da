"""The place of each message of a table in the physical and in the logical order of its queue, as a query.

A message of an item of several passes windows of its item before those of its queue; every other one only these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field
from sqlglot import exp

from mqclause.answers.retrieval import ORDERS
from mqclause.documents.retrieval import RETRIEVAL
from mqclause.executors.steps import Steps
from mqclause.language.sql import Node, both, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables.bindings import Plan
from mqclause.tables.functions import column, is_null, struct_of
from mqclause.tables.items import Added, Items, ordered_by, split_by
from mqclause.tables.message_columns import ORDER_ANSWER, MessageColumns, message_columns
from mqclause.tables.message_order import MessageOrder
from mqclause.tables.shape import FieldType

MESSAGES = "mq_messages"
"""What the query calls the table that it is a query of."""


@define
class _Query:
    """A query that grows level by level; ``names`` are the columns that it has so far."""

    names: list[Node]
    source: str = MESSAGES
    parts: list[tuple[str, exp.Query]] = field(factory=list)

    def add(self, level: Added, where: Node | None = None) -> None:
        """One more level; ``where`` leaves out rows before it."""
        select = exp.select("*", *_aliases(level), copy=False).from_(self.source)
        self._then(select if where is None else select.where(where), level)

    def split(self, where: Node, those: Iterable[Added], others: Added) -> None:
        """Rows for which ``where`` holds pass these levels, the others that one; both then have its columns."""
        before, names = self.source, [*self.names]
        condition: Node | None = where
        for level in those:
            self.add(level, condition)
            condition = None
        listed = [*names, *map(column, others)]
        one = exp.select(*(each.copy() for each in listed)).from_(self.source)
        other = (
            exp.select(*(each.copy() for each in names), *_aliases(others)).from_(before).where(negated(where.copy()))
        )
        self.names = names
        self._then(exp.union(one, other, distinct=False), others)

    def _then(self, query: exp.Query, level: Added) -> None:
        self.source = f"mq_level_{len(self.parts)}"
        self.parts.append((self.source, query))
        self.names += map(column, level)

    def ending(self, selected: Iterable[exp.Expr]) -> exp.Select:
        """The whole query."""
        query = exp.select(*selected, copy=False).from_(self.source)
        for name, part in self.parts:
            query = query.with_(name, part, copy=False)
        return query


def _aliases(level: Added) -> list[exp.Expr]:
    return [exp.alias_(tree, name) for name, tree in level.items()]


def message_query(columns: Mapping[str, FieldType], cluster: Cluster | None, rules: Rules) -> exp.Select:
    """A table with these columns and ``message_order``, as a query of ``MESSAGES``. Raises TableError and RuleError."""
    read = message_columns(columns, cluster)
    items = Items(read.words, (read.words["queue_manager"], read.words["queue"]))
    seen, steps = {**read.words, **items.seen()}, Steps.of(rules.ruleset(RETRIEVAL))
    orders = {name: MessageOrder.of(steps, call, seen) for name, call in ORDERS.items()}
    own = [exp.column(name, quoted=True) for name in columns]
    query = _Query([*own])
    for level in Plan(read.bindings.found, {}).levels():
        query.add(level)
    query.add(items.places())
    is_member = both(
        negated(read.is_invalid), _is(read.words["unit_of_work"], ""), negated(_is(read.words["group_id"], ""))
    )
    query.split(is_member, items.together(_asks(orders.values(), "mq_earliest_")), items.alone())
    query.add(
        {f"mq_left_out_of_{name}": when(negated(read.is_invalid), each.left_out) for name, each in orders.items()}
    )
    query.add({f"mq_{name}": _place(read, items, each, name) for name, each in orders.items()})
    answer = [*orders, *(f"left_out_of_{name}" for name in orders)]
    struct = struct_of({**{name: column(f"mq_{name}") for name in answer}, "message": read.fault})
    return query.ending([*(each.copy() for each in own), exp.alias_(struct, ORDER_ANSWER)])


def _is(tree: Node, value: str) -> Node:
    return exp.EQ(this=tree, expression=literal(value))


def _asks(orders: Iterable[MessageOrder], prefix: str) -> bool:
    """Whether any order turns on a column whose name begins so."""
    trees = (tree for order in orders for tree, _ in (*order.keys, *order.fell))
    return any(each.name.startswith(prefix) for tree in trees for each in tree.find_all(exp.Column))


def _place(read: MessageColumns, items: Items, order: MessageOrder, name: str) -> Node:
    """The place among those that remain, each queue for itself."""
    remains = both(negated(read.is_invalid), is_null(column(f"mq_left_out_of_{name}")))
    by_queue = split_by(*items.queue, remains)
    return when(remains.copy(), exp.Window(this=exp.RowNumber(), partition_by=by_queue, order=ordered_by(*order.keys)))
