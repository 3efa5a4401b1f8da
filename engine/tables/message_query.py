"""The place of each message of a table in the physical and in the logical order of its queue, as a query.

A message of an item of several passes windows of its item before those of its queue; every other one only these. What
a window sorts by is kept short, and what can be said after it is said after it: a wide row is dear to sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import define, field
from sqlglot import exp

from mqclause.answers.order.retrieval import ORDERS
from mqclause.documents.retrieval import RETRIEVAL
from mqclause.executors.steps import Steps
from mqclause.language.sql import Node, both, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables.bindings import Plan
from mqclause.tables.functions import coalesced, column, in_order, is_null, struct_of
from mqclause.tables.items import Added, Items, ordered_by, rows_before, split_by
from mqclause.tables.message_columns import ORDER_ANSWER, message_columns
from mqclause.tables.message_order import MessageOrder
from mqclause.tables.shape import FieldType

MESSAGES = "mq_messages"
"""What the query calls the table that it is a query of."""

QUEUE_NUMBER = "mq_queue"
"""The number of a message's queue, where queues are numbered."""


@define
class _Query:
    """A query that grows level by level; ``names`` are the columns that it has so far.

    ``made_again`` are levels that it is cheaper to make wherever they are read than to keep.
    """

    names: list[Node]
    source: str = MESSAGES
    parts: list[tuple[str, exp.Query]] = field(factory=list)
    made_again: set[str] = field(factory=set)

    def add(self, level: Added, where: Node | None = None) -> None:
        """One more level; ``where`` leaves out rows before it."""
        select = exp.select("*", *_aliases(level), copy=False).from_(self.source)
        self._then(select if where is None else select.where(where), level)

    def split(self, where: Node, those: Callable[[_Query], None], others: Added) -> None:
        """Rows for which ``where`` holds pass the levels that ``those`` adds, the others that one.

        Both then have its columns.
        """
        before, names = self.source, [*self.names]
        self.add({}, where)
        those(self)
        listed = [*names, *map(column, others)]
        one = exp.select(*(each.copy() for each in listed)).from_(self.source)
        other = (
            exp.select(*(each.copy() for each in names), *_aliases(others)).from_(before).where(negated(where.copy()))
        )
        self.names = names
        self._then(exp.union(one, other, distinct=False), others)

    def number(self, name: str, trees: Iterable[Node], where: Node) -> None:
        """A level with a number for each that the trees are together in rows for which ``where`` holds, else null.

        Beside it, how many rows have a lower number.
        """
        told = {f"{name}_{at}": tree.copy() for at, tree in enumerate(trees)}
        counts = exp.select(*_aliases({**told, f"{name}_rows": exp.Count(this=exp.Star())})).from_(self.source)
        counts = counts.where(where.copy()).group_by(*(tree.copy() for tree in told.values()))
        number, rows = column(f"{name}_number"), column(f"{name}_rows")
        numbers = exp.select("*", *_aliases({number.name: exp.cast(exp.Window(this=exp.RowNumber()), "INT")}))
        before = exp.Window(this=exp.Sum(this=rows), order=ordered_by((number, False)), spec=rows_before(literal(1)))
        self.parts.append((f"{name}_counts", numbers.from_(counts.subquery("mq_counts"))))
        self.parts.append((f"{name}s", exp.select("*", *_aliases({f"{name}_first": before})).from_(f"{name}_counts")))
        same = both(*(exp.EQ(this=tree.copy(), expression=column(of)) for of, tree in told.items()))
        first = exp.cast(coalesced(column(f"{name}_first"), literal(0)), "BIGINT")
        level = {name: when(where.copy(), number), f"{name}_before": first}
        select = exp.select(f"{self.source}.*", *_aliases(level)).from_(self.source)
        self._then(select.join(f"{name}s", on=same, join_type="left"), level)
        self.made_again.add(self.source)

    def gather(self, items: Items) -> None:
        """One more level, with the stretches of each item that has more than one; few have."""
        told = {f"mq_of_{at}": tree for at, tree in enumerate(items.of_item)}
        found = exp.select(*_aliases({**told, "mq_gathered": exp.ArrayAgg(this=items.stretch())}))
        found = found.from_(self.source).where(items.begins()).group_by(*(tree.copy() for tree in told.values()))
        self.parts.append(("mq_irregular", found))
        same = both(*(exp.EQ(this=tree.copy(), expression=column(of)) for of, tree in told.items()))
        level = {"mq_stretches": in_order(column("mq_gathered"))}
        select = exp.select(f"{self.source}.*", *_aliases(level)).from_(self.source)
        self._then(select.join("mq_irregular", on=same, join_type="left"), level)

    def in_order(self, keys: Sequence[tuple[Node, bool]], level: Added) -> None:
        """One more level, whose windows are over all rows from the first to the last of ``keys``."""
        rows = exp.select("*").from_(self.source).order_by(*ordered_by(*keys).expressions)
        self._then(exp.select("*", *_aliases(level), copy=False).from_(rows.subquery("mq_in_order")), level)

    def _then(self, query: exp.Query, level: Added) -> None:
        self.source = f"mq_level_{len(self.parts)}"
        self.parts.append((self.source, query))
        self.names += map(column, level)

    def ending(self, selected: Iterable[exp.Expr]) -> exp.Select:
        """The whole query."""
        query = exp.select(*selected, copy=False).from_(self.source)
        for name, part in self.parts:
            query = query.with_(name, part, materialized=False if name in self.made_again else None, copy=False)
        return query


def _aliases(level: Added) -> list[exp.Expr]:
    return [exp.alias_(tree, name) for name, tree in level.items()]


def message_query(
    columns: Mapping[str, FieldType], cluster: Cluster | None, rules: Rules, numbered: bool = False
) -> exp.Select:
    """A table with these columns and ``message_order``, as a query of ``MESSAGES``. Raises TableError and RuleError.

    With ``numbered``, rows are sorted once for each order and counted, which needs a number for each queue; it is for a
    back end in which a row_number() without more counts rows as a subquery put them in order.
    """
    read = message_columns(columns, cluster)
    queue, is_message = (read.words["queue_manager"], read.words["queue"]), negated(read.is_invalid)
    items = Items(read.words, (column(QUEUE_NUMBER),) if numbered else queue)
    seen, steps = {**read.words, **items.seen()}, Steps.of(rules.ruleset(RETRIEVAL))
    orders = {name: MessageOrder.of(steps, call, seen) for name, call in ORDERS.items()}
    own = [exp.column(name, quoted=True) for name in columns]
    query = _Query([*own])
    for level in Plan(read.bindings.found, {}).levels():
        query.add(level)
    query.add(items.places())
    if numbered:
        query.number(QUEUE_NUMBER, split_by(*queue), is_message)
    is_member = both(is_message, _is(read.words["unit_of_work"], ""), negated(_is(read.words["group_id"], "")))
    together = items.together(_asks(orders.values(), "mq_earliest_"), gathered=not numbered)
    query.split(is_member, lambda query: _together(query, items, together, numbered), items.alone())
    query.add({f"mq_in_{name}": both(is_message, is_null(each.left_out)) for name, each in orders.items()})
    if numbered:
        for name, each in orders.items():
            query.in_order(*_numbered(items, each, f"mq_{name}", column(f"mq_in_{name}")))
    else:
        query.add({f"mq_{name}": _place(items, each, column(f"mq_in_{name}")) for name, each in orders.items()})
    left_out = {f"left_out_of_{name}": when(is_message, each.left_out) for name, each in orders.items()}
    fault = when(read.is_invalid, read.bindings.spelt_out(read.fault))
    struct = struct_of({**{name: column(f"mq_{name}") for name in orders}, **left_out, "message": fault})
    return query.ending([*(each.copy() for each in own), exp.alias_(struct, ORDER_ANSWER)])


def _together(query: _Query, items: Items, levels: list[Added], numbered: bool) -> None:
    for at, level in enumerate(levels):
        query.add(level)
        if numbered and at == 1:
            query.gather(items)


def _is(tree: Node, value: str) -> Node:
    return exp.EQ(this=tree, expression=literal(value))


def _asks(orders: Iterable[MessageOrder], prefix: str) -> bool:
    """Whether any order turns on a column whose name begins so."""
    trees = (tree for order in orders for tree, _ in (*order.keys, *order.fell))
    return any(each.name.startswith(prefix) for tree in trees for each in tree.find_all(exp.Column))


def _place(items: Items, order: MessageOrder, remains: Node) -> Node:
    """The place among those that remain, each queue for itself."""
    keys = ordered_by(*items.shortened(order.keys))
    window = exp.Window(this=exp.RowNumber(), partition_by=split_by(*items.queue, remains), order=keys)
    return when(remains.copy(), window)


def _numbered(items: Items, order: MessageOrder, name: str, remains: Node) -> tuple[Sequence[tuple[Node, bool]], Added]:
    """The same where all rows stand one queue after the other, in each those that remain before the others."""
    (first, descending), *others = items.shortened(order.keys)
    keys = [(column(QUEUE_NUMBER), False), (when(remains.copy(), first) if order.fell else first, descending), *others]
    place = exp.Sub(this=exp.Window(this=exp.RowNumber()), expression=column(f"{QUEUE_NUMBER}_before"))
    return keys, {name: when(remains.copy(), place)}
