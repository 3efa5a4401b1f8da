"""The place of each message of a table in the physical and in the logical order of its queue, as a query.

A message of an item of several passes windows of its item before those of its queue; every other one only these. Where
rows can be counted, so do messages of unbroken items: see mqclause.tables.items. What a window sorts by is kept short,
and what can be said after it is said after it: a wide row is dear to sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import define, field
from sqlglot import exp

from mqclause.answers.order.retrieval import ORDERS
from mqclause.documents.retrieval import RETRIEVAL
from mqclause.executors.steps import Steps
from mqclause.language.check import type_of
from mqclause.language.sql import Node, both, equal, is_known, literal, negated, sql_of, value_of, when
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.message import HIGHEST_PRIORITY
from mqclause.model.facts.retrieval import RetrievalCall
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rules import Rules
from mqclause.tables.bindings import Plan
from mqclause.tables.functions import coalesced, column, in_order, is_null, struct_of
from mqclause.tables.items import Added, Items, ordered_by, split_by
from mqclause.tables.message_columns import ORDER_ANSWER, message_columns
from mqclause.tables.message_order import NO_MESSAGE, PLACED, MessageOrder, MessageWords, first_is_lowest, is_there
from mqclause.tables.shape import FieldType
from mqclause.tables.words import NotInTableError

MESSAGES = "__mqclause_messages"
"""What the query calls the table that it is a query of."""

QUEUE_NUMBER = "__mqclause_queue"
"""The number of a message's queue, where queues are numbered."""

QUICKLY_SORTED = 2
"""By how many keys beside that number DuckDB's windows sort quickly: they then compare 16 bytes."""


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

    def number(self, name: str, told: Mapping[str, Node]) -> None:
        """A level with what is ``told`` over columns of the table, and a number for each that is alike in that.

        Rows that are alike in these columns are few: it is found once for each. ``begin`` says where a number begins.
        """
        found = {each.sql(): each for tree in told.values() for each in tree.find_all(exp.Column)}
        own = {f"{name}_{at}": tree for at, tree in enumerate(found.values())}
        counts = exp.select(*_aliases({**own, "__mqclause_rows": exp.Count(this=exp.Star())})).from_(MESSAGES)
        counts = counts.group_by(*(tree.copy() for tree in own.values()))
        rows, order = exp.Sum(this=column("__mqclause_rows")), ordered_by(*((column(each), False) for each in told))
        alike = exp.Window(this=rows.copy(), partition_by=split_by(*map(column, told)))
        before = exp.Sub(this=exp.Window(this=rows, order=order), expression=alike)
        number = exp.cast(exp.Window(this=exp.DenseRank(), order=order.copy()), "INT")
        of_own: dict[str, Node] = {tree.sql(): column(each) for each, tree in own.items()}

        def kept(node: Node) -> Node:
            return of_own.get(node.sql(), node)

        told = {each: tree.transform(kept) for each, tree in told.items()}
        alikes = (
            exp.select("*", *_aliases(told)).from_(counts.subquery("__mqclause_counts")).subquery("__mqclause_alikes")
        )
        numbers = exp.select("*", *_aliases({name: number, f"{name}_before": exp.cast(before, "BIGINT")})).from_(alikes)
        self.parts.append((f"{name}s", numbers))
        same = both(*(exp.NullSafeEQ(this=tree.copy(), expression=column(of)) for of, tree in own.items()))
        self._join(f"{name}s", same, {each: column(each) for each in (*told, name)})

    def begin(self, name: str) -> None:
        """A level with how many rows have a lower number."""
        number, before = column(name), column(f"{name}_before")
        begins = exp.select(exp.alias_(number, f"{name}_number"), before).distinct().from_(f"{name}s")
        self.parts.append((f"{name}_begins", begins))
        same = exp.EQ(this=number.copy(), expression=column(f"{name}_number"))
        self._join(f"{name}_begins", same, {before.name: before.copy()})

    def look_back(self, items: Items, is_member: Node) -> None:
        """A level with where the first message of an unbroken item lies, and with whether an item is a broken one."""
        self.made_again.add(self.source)
        keys, told = items.standing()
        first = {
            "__mqclause_first_enqueued": column("__mqclause_enqueued"),
            "__mqclause_first_arrival": items.words["arrival"].copy(),
        }
        line = exp.select("*").from_(self.source).where(is_member.copy())
        line = line.order_by(*ordered_by(*keys).expressions)
        self.parts.append(
            (
                "__mqclause_line_up",
                exp.select("*", *_aliases({**told, **first})).from_(line.subquery("__mqclause_line")),
            )
        )
        broken = (
            exp.select("__mqclause_bucket AS __mqclause_broken_bucket")
            .distinct()
            .from_("__mqclause_line_up")
            .where("__mqclause_breaks")
        )
        self.parts.append(("__mqclause_broken_ones", broken))
        is_broken = exp.alias_(negated(is_null(column("__mqclause_broken_bucket"))), "__mqclause_is_broken")
        firsts = exp.select(exp.alias_(column("__mqclause_bucket"), "__mqclause_of_bucket"), *first, is_broken).from_(
            "__mqclause_line_up"
        )
        firsts = firsts.join(
            "__mqclause_broken_ones", on="__mqclause_bucket = __mqclause_broken_bucket", join_type="left"
        ).where("__mqclause_begins")
        self.parts.append(("__mqclause_firsts", firsts))
        of_bucket = exp.EQ(this=column("__mqclause_bucket"), expression=column("__mqclause_of_bucket"))
        self._join("__mqclause_firsts", of_bucket, {name: column(name) for name in (*first, "__mqclause_is_broken")})

    def gather(self, items: Items) -> None:
        """One more level, with the stretches of each item that has more than one; few have."""
        told = {f"__mqclause_of_{at}": tree for at, tree in enumerate(items.of_item)}
        found = exp.select(*_aliases({**told, "__mqclause_gathered": exp.ArrayAgg(this=items.stretch())}))
        found = found.from_(self.source).where(items.begins()).group_by(*(tree.copy() for tree in told.values()))
        self.parts.append(("__mqclause_irregular", found))
        same = both(*(exp.EQ(this=tree.copy(), expression=column(of)) for of, tree in told.items()))
        select = exp.select(
            f"{self.source}.*", *_aliases(level := {"__mqclause_stretches": in_order(column("__mqclause_gathered"))})
        )
        self._then(select.from_(self.source).join("__mqclause_irregular", on=same, join_type="left"), level)

    def in_order(self, keys: Sequence[tuple[Node, bool]], level: Added) -> None:
        """One more level, whose windows are over all rows from the first to the last of ``keys``."""
        rows = exp.select("*").from_(self.source).order_by(*ordered_by(*keys).expressions)
        self._then(exp.select("*", *_aliases(level), copy=False).from_(rows.subquery("__mqclause_in_order")), level)

    def _join(self, few: str, same: Node, level: Added) -> None:
        """A level with what a part of few rows says, which is made wherever it is read."""
        select = exp.select(f"{self.source}.*", *_aliases(level)).from_(self.source)
        self._then(select.join(few, on=same, join_type="left"), level)
        self.made_again.add(self.source)

    def _then(self, query: exp.Query, level: Added) -> None:
        self.source = f"__mqclause_level_{len(self.parts)}"
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
    steps = Steps.of(rules.ruleset(RETRIEVAL))
    of_queue = (column(QUEUE_NUMBER),) if numbered else queue
    items = Items(_told(steps.vocabulary, read.words), read.words, of_queue, first_is_lowest(steps.vocabulary))
    seen = {**read.words, **items.seen()}
    orders = {name: MessageOrder.of(steps, call, seen) for name, call in ORDERS.items()}
    own = [exp.column(name, quoted=True) for name in columns]
    query, bound = _Query([*own]), dict(read.bindings.found)
    if numbered:
        query.number(QUEUE_NUMBER, {each.name: read.bindings.spelt_out(bound.pop(each.name)) for each in read.of_queue})
    for level in Plan(bound, {}).levels():
        query.add(level)
    query.add(items.places())
    is_member = both(is_message, is_there(steps, seen), negated(_is(read.words["group_id"], "")))
    _members(query, items, is_member, _asks(orders.values(), "__mqclause_earliest_"), numbered)
    fates = {name: column(f"__mqclause_fate_{name}") for name in orders}
    query.add({fates[name].name: _fate(each, is_message) for name, each in orders.items()})
    remains = {name: _is_one(fate, PLACED) for name, fate in fates.items()}
    places = _places(query, items, orders, remains, numbered)
    left_out = {f"left_out_of_{name}": each.left_out(fates[name]) for name, each in orders.items()}
    fault = when(_is_one(fates["physical"], NO_MESSAGE), read.bindings.spelt_out(read.fault))
    struct = struct_of({**places, **left_out, "message": fault})
    return query.ending([*(each.copy() for each in own), exp.alias_(struct, ORDER_ANSWER)])


def _told(vocabulary: Vocabulary, words: Mapping[str, Node]) -> dict[str, Node]:
    """What terms say of each message by itself. Raises RuleError for one that looks at what a table does not say."""
    seen = MessageWords(vocabulary.before, RetrievalCall(), words)
    told = {}
    for term in RETRIEVAL.terms:
        try:
            told[term] = sql_of(exp.column(term), seen)
        except NotInTableError as error:
            raise RuleError("terms.toml", f"{RETRIEVAL.name}.{term}", str(error)) from None
    priority = type_of(vocabulary.told["enqueued_priority"], vocabulary, per_subject=True)
    if priority.least is None or priority.least < 0 or priority.most is None or priority.most > HIGHEST_PRIORITY:
        least = exp.Greatest(this=told["enqueued_priority"], expressions=[literal(0)])
        told["enqueued_priority"] = exp.Least(this=least, expressions=[literal(HIGHEST_PRIORITY)])
    # It takes the least room that it can: the fewer bytes a window sorts by, the faster it does.
    return {**told, "enqueued_priority": exp.cast(told["enqueued_priority"], "TINYINT")}


def _members(query: _Query, items: Items, is_member: Node, earliest: bool, numbered: bool) -> None:
    """The levels that say what each message is in its item."""

    def by_windows(query: _Query) -> None:
        for at, level in enumerate(items.together(earliest, gathered=not numbered)):
            query.add(level)
            if numbered and at == 1:
                query.gather(items)

    query.add({"__mqclause_bucket": when(is_member.copy(), items.bucket())})
    if not numbered or earliest:
        query.split(is_member, by_windows, items.alone())
        return
    query.look_back(items, is_member)
    query.split(coalesced(column("__mqclause_is_broken"), exp.false()), by_windows, items.unbroken())


def _fate(order: MessageOrder, is_message: Node) -> Node:
    return exp.cast(when(is_message.copy(), order.fate, literal(NO_MESSAGE)), "TINYINT")


def _is_one(fate: Node, of: int) -> Node:
    return exp.EQ(this=fate.copy(), expression=literal(of))


def _is(tree: Node, value: str) -> Node:
    return literal(value_of(tree) == value) if is_known(tree) else equal(tree, value)


def _asks(orders: Iterable[MessageOrder], prefix: str) -> bool:
    """Whether any order turns on a column whose name begins so."""
    trees = (tree for order in orders for tree, _ in (*order.keys, *order.fell))
    return any(each.name.startswith(prefix) for tree in trees for each in tree.find_all(exp.Column))


def _places(
    query: _Query, items: Items, orders: Mapping[str, MessageOrder], remains: Mapping[str, Node], numbered: bool
) -> dict[str, Node]:
    """The place of a message in each of the orders, with the levels that it takes to count it.

    A window for each queue counts on all cores, but sorts quickly only by a few bytes; where rows are ``numbered``, an
    order with more keys has all rows sorted as they are, and counted.
    """
    places: dict[str, Node] = {name: column(f"__mqclause_{name}") for name in orders}
    keys = {name: items.shortened(each.keys, [where for where, _ in each.fell]) for name, each in orders.items()}
    counted = [name for name in orders if numbered and len(ordered_by(*keys[name]).expressions) > QUICKLY_SORTED]
    parts = {name: [_part(each)] if numbered else split_by(*items.queue, each) for name, each in remains.items()}
    query.add({places[name].name: _place(parts[name], keys[name]) for name in orders if name not in counted})
    for name in counted:
        by = [*((part, False) for part in parts[name]), *keys[name]]
        query.in_order(by, {places[name].name: exp.Window(this=exp.RowNumber())})
    if counted:
        query.begin(QUEUE_NUMBER)
    before = {name: exp.Sub(this=places[name], expression=column(f"{QUEUE_NUMBER}_before")) for name in counted}
    return {name: when(remains[name].copy(), before.get(name, place)) for name, place in places.items()}


def _part(remains: Node) -> Node:
    """The number of a queue's messages that remain, and the next of those that do not."""
    of_queue = exp.Mul(this=column(QUEUE_NUMBER), expression=literal(2))
    return exp.Add(this=of_queue, expression=when(remains.copy(), literal(0), literal(1)))


def _place(part: Sequence[Node], keys: Sequence[tuple[Node, bool]]) -> Node:
    """The place of a row in its part."""
    return exp.Window(this=exp.RowNumber(), partition_by=[each.copy() for each in part], order=ordered_by(*keys))
