"""Put the messages of a table in physical and logical order, by the rules of retrieval, as a query.

The rules see a message as they do in memory. What they ask of the call is known beforehand, as it is the same for all.

A message of an item of several passes windows of its item before those of its queue; every other one only these. Where
rows can be counted, so do messages of unbroken items: see Items. What a window sorts by is kept short,
and what can be said after it is said after it: a wide row is dear to sort.

A place in an item is one number, MsgSeqNumber before Offset. From one message of an item to the next its place is the
one that follows; where it is not, the message begins a new *stretch*. The stretches of an item are few, and one fold of
them says where its line ends and which messages do not fit in: no message looks at all others.

Most items are *unbroken*: their first message is there, and every further one is the next of the one before. Where rows
can be counted in the order in which they stand, that is seen by looking at the row before, without a window for each
item. Rows then stand by *buckets*, numbers of items that are quick to sort by; two items in one count as broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, fields, frozen
from sqlglot import exp

from mqclause.documents import RETRIEVAL
from mqclause.executors.operations import Filter, Let, LoweredRuleset, Operation, Rank
from mqclause.language import nodes
from mqclause.language.evaluator import is_equivalent
from mqclause.language.nodes import Expression
from mqclause.language.parser import infer_type, parse_unchecked
from mqclause.language.sql import (
    Node,
    build_and,
    build_case,
    build_equality,
    build_if,
    build_literal,
    build_not,
    build_or,
    build_sql,
    get_value,
    is_false,
    is_known,
    is_true,
)
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import GIVEN_NAME, NAME_GIVEN, Name
from mqclause.model.facts.messages import HIGHEST_PRIORITY, Message, RetrievalCall
from mqclause.model.facts.objects import Queue
from mqclause.retrieval.order import ORDERS, find_hiding_conditions, list_local_queues
from mqclause.rulebook.rule import Rule, RuleError
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.flat import check_cluster
from mqclause.tables.functions import Bindings, Plan, build_column, build_struct, coalesce, is_null
from mqclause.tables.lowering import NotInTableError, RowWords, has_names, is_no_name, is_too_long
from mqclause.tables.query import describe_source_fault
from mqclause.tables.schema import (
    Column,
    Columns,
    FieldType,
    ListOf,
    Struct,
    TableError,
    ValueSource,
    build_columns,
    check_fits,
    check_free,
    describe_kind,
    find_spelling,
    get_spelling,
)

UNKNOWN = exp.Placeholder(this="counted")
"""How many of the messages something holds of: what no rule of an order may turn on."""

PLACED, NO_MESSAGE = 0, -1
"""The fate of a message that has a place, and of a row that is none."""

FIRST_OF_ALL = "sequence = 1 AND offset = 0"
"""A message of which this holds has the lowest place that there is."""

MESSAGES = "__mqclause_messages"
"""What the query calls the table that it is a query of."""

QUEUE_NUMBER = "queue_number"
"""The column with the number of a message's queue, where queues are numbered."""

QUEUES = "__mqclause_queues"
"""What the query calls the part with a row for each of them."""

QUICKLY_SORTED = 2
"""By how many keys beside that number DuckDB's windows sort quickly: they then compare 16 bytes."""

ARRIVAL = "arrival"
"""The column by which messages of equal priority lie one behind the other; of any type that has an order.

Which of two with one arrival is the first is open, as where a clock does not tell them apart; items do not mix.
"""

ORDER_ANSWER = "message_order"
"""The column that is added, a struct: the place of a message in each order, from 1 in each queue; where it has none,
the id of the rule that left it out; and what is wrong with a row that is no message."""

_NOT_READ = ("id", "correlation", "persistent", "put_in", "by", "put_at")
"""What a message may say that its place does not turn on."""


def _columns() -> Columns:
    queue = fields(Queue)
    of_queue = {
        each.name: Column(each.name, each.metadata["domain"], each.default) for each in (queue.defprty, queue.msgdlvsq)
    }
    of_message = {name: each for name, each in build_columns(Message).items() if name not in _NOT_READ}
    of_message["priority"] = evolve(of_message["priority"], default=0)
    names = {"queue": Column("queue", NAME_GIVEN, ""), "queue_manager": Column("queue_manager", GIVEN_NAME, "")}
    return {**of_message, **of_queue, **names}


MESSAGE_ROW: Columns = _columns()
"""The columns of a table of messages; all but ``queue`` may be left out or null. ``queue_manager`` is where the queue
is, ``msgdlvsq`` and ``defprty`` are the queue's."""

PLACES = 2**32
"""How many places there are for each MsgSeqNumber: more than the end of any segment."""

ENDED, STUCK = -1, -2
"""What follows the last message of an item, and a segment that has no length and is not the last: nothing."""

NO_CUT = 0
CUT, EXPECTED, FITS, CUT_BY_END = range(4)
"""The parts of what the fold keeps; behind them the places of messages that do not fit in."""

Added = Mapping[str, Node]
"""Columns that the query adds, by name without PREFIX; all of one level need nothing of each other."""


@frozen
class MessageWords:
    """The words of the rules where each row is a message and the ``call`` is known."""

    vocabulary: Vocabulary
    call: RetrievalCall
    message: Mapping[str, Node]
    facts: dict[str, Node] = field(factory=dict)

    def word(self, name: str) -> Node:
        """Write the value of an attribute or of a derived fact."""
        word = self.vocabulary.words[name]
        if word.about == "subject":
            if name not in self.message:
                raise NotInTableError(name)
            return self.message[name]
        if word.is_derived:
            return self.facts.get(name, build_literal(word.blank))
        return build_literal(getattr(self.call, name))

    def term(self, _: str) -> Node | None:
        """Write a term out in full."""
        return None

    def compared(self, _: Expression, found: Node) -> Node:
        """Write a comparison as it stands."""
        return found

    def has(self, names: Node, name: Node) -> Node:
        """Write the test whether a list of names, which is the call's, has a name."""
        return build_literal(get_value(name) in [each.this for each in names.find_all(exp.Literal)])

    def count(self, _: Expression) -> Node:
        """Refuse to count: a single row does not tell."""
        return UNKNOWN


@define
class MessageOrder:
    """One of the orders, rule by rule: who falls by which rule, and by what the others are compared."""

    words: MessageWords
    keys: tuple[tuple[Node, bool], ...]
    fell: list[tuple[Node, Node]] = field(factory=list)

    @classmethod
    def of(cls, steps: LoweredRuleset, call: RetrievalCall, message: Mapping[str, Node]) -> MessageOrder:
        """Apply the rules to the messages of a table. Raises RuleError for a rule that cannot be run on it."""
        order = cls(MessageWords(steps.vocabulary, call, message), ((message[ARRIVAL], False),))
        for step in steps.steps:
            try:
                order.take(step)
            except NotInTableError as error:
                raise RuleError(step.rule.path, "", str(error)) from None
        return order

    def take(self, step: Operation) -> None:
        """Apply one more rule. Raises RuleError, and NotInTableError for a word that no row states."""
        applies = build_literal(True) if step.when is None else build_sql(step.when, self.words)
        if is_false(applies):
            return
        if not is_true(applies):
            raise _not_of_rows(step.rule, "it applies or not by the other messages")
        match step:
            case Filter(fate="out"):
                where = self._known(step.rule, step.where)
                self.fell.append((where, build_literal(step.rule.id)))
            case Rank(keep="all", keys=keys):
                # Who is equal stays as before.
                self.keys = (*((self._known(step.rule, key.by), key.descending) for key in keys), *self.keys)
            case Let(of="situation", values=values):
                self.words.facts.update({each.name: self._known(step.rule, each.value) for each in values})
            case _:
                raise _not_of_rows(step.rule, "it does more than to eliminate messages or to put them in order")

    def _known(self, rule: Rule, tree: Any) -> Node:
        found = build_sql(tree, self.words)
        if found.find(exp.Placeholder):
            raise _not_of_rows(rule, "it counts messages")
        return found

    @property
    def fate(self) -> Node:
        """The rule that leaves a message out, from 1, or 0 if it has a place: numbers sort faster than ids."""
        return build_case(
            ((where, build_literal(at)) for at, (where, _) in enumerate(self.fell, 1)), build_literal(PLACED)
        )

    def left_out(self, fate: Node) -> Node:
        """Write the id of the rule that gives a message no place."""
        return build_case((build_equality(fate, at), each) for at, (_, each) in enumerate(self.fell, 1))


def is_first_lowest(vocabulary: Vocabulary) -> bool:
    """Return whether terms say that the first message of an item has a lower place than every other."""
    return is_equivalent(vocabulary.asked["is_first"], parse_unchecked(FIRST_OF_ALL), vocabulary.before)


def is_visible(steps: LoweredRuleset, message: Mapping[str, Node]) -> Node:
    """Write the test whether a message is one of those of which items consist; see ``engine/retrieval/order.py``."""
    words = MessageWords(steps.vocabulary, RetrievalCall(), message)
    return build_and(*(build_not(build_sql(each, words)) for each in find_hiding_conditions(steps)))


def build_message_query(
    columns: Mapping[str, FieldType], cluster: Cluster | None, rules: Rules, counted_from: str = ""
) -> exp.Select:
    """Build the query that adds ``message_order`` to ``MESSAGES``, a table with these columns.

    A back end in which a row_number() without more counts rows as a subquery put them in order says which table they
    are ``counted_from``: rows are then sorted once for each order, which needs a number for each queue. Raises
    TableError and RuleError.
    """
    numbered = bool(counted_from)
    read = read_message_columns(columns, cluster)
    queue, is_message = (read.words["queue_manager"], read.words["queue"]), build_not(read.is_invalid)
    steps = LoweredRuleset.of(rules.ruleset(RETRIEVAL))
    of_queue = (_added(QUEUE_NUMBER),) if numbered else queue
    items = Items(_told(steps.vocabulary, read.words), read.words, of_queue, is_first_lowest(steps.vocabulary))
    seen = {**read.words, **items.seen()}
    orders = {name: MessageOrder.of(steps, call, seen) for name, call in ORDERS.items()}
    own = [exp.column(name, quoted=True) for name in columns]
    query, bound = _Query([*own]), dict(read.bindings.found)
    if numbered:
        query.read_once(counted_from)
        names = [each.name for each in read.of_queue]
        query.number_queues({_unprefixed(name): read.bindings.spelt_out(bound.pop(name)) for name in names})
    for level in Plan(bound, {}).levels():
        query.add({_unprefixed(name): tree for name, tree in level.items()})
    query.add(items.places())
    is_member = build_and(is_message, is_visible(steps, seen), F.is_unequal(read.words["group_id"], ""))
    _members(query, items, is_member, _asks(orders.values(), f"{F.PREFIX}earliest_"), numbered)
    fates = {name: _added(f"fate_{name}") for name in orders}
    query.add({f"fate_{name}": _fate(each, is_message) for name, each in orders.items()})
    remains = {name: build_equality(fate, PLACED) for name, fate in fates.items()}
    places = _places(query, items, orders, remains, numbered)
    left_out = {f"left_out_of_{name}": each.left_out(fates[name]) for name, each in orders.items()}
    fault = build_if(build_equality(fates["physical"], NO_MESSAGE), read.bindings.spelt_out(read.fault))
    struct = build_struct({**places, **left_out, "message": fault})
    return query.ending([*own, exp.alias_(struct, ORDER_ANSWER)])


@frozen
class MessageColumns:
    """What a row says, bound to names: ``words`` by the names of the rules, whether it is no message, and why not.

    ``of_queue`` are the bindings that turn on what its queue is called and on nothing else.
    """

    bindings: Bindings
    words: Mapping[str, Node]
    of_queue: Sequence[Node]
    fault: Node
    is_invalid: Node


def read_message_columns(columns: Mapping[str, FieldType], cluster: Cluster | None) -> MessageColumns:
    """Read which columns a table of messages has; what none states of queues, ``cluster`` does. Raises TableError."""
    if cluster is not None:
        check_cluster(cluster)
    check_free(ORDER_ANSWER, columns)
    sources = _sources(columns)
    bindings = Bindings()
    words = RowWords("message", MESSAGE_ROW, sources, {}, bindings)
    arrival = _arrival(columns)
    read: dict[str, Any] = {name: words.checked(each) for name, each in MESSAGE_ROW.items()}
    names = {of.name: _is_no_name(words, of) for of in MESSAGE_ROW.values() if has_names(of) and words.is_there(of)}
    faults = [*_faults(words, read, names), *_further_faults(read, arrival, cluster)]
    queue = _of_queue(read, sources, cluster)
    found = _as_seen({**read, **queue, ARRIVAL: arrival}, sources)
    bound = {name: tree if isinstance(tree, exp.Column | exp.Literal | exp.Boolean) else bindings.once(name, tree)
             for name, tree in found.items()}  # fmt: skip
    wrong = bindings.once("invalid", F.coalesce(build_or(each for each, _ in faults), exp.true()))
    return MessageColumns(
        bindings, bound, [*(read[name] for name in names), *names.values()], build_case(faults), wrong
    )


@frozen
class Items:
    """The items of a table whose rows say ``words`` of their messages. ``queue`` are the columns of its queue.

    ``told`` is what terms say of each message by itself: the priority that it is enqueued with, and what it is in its
    item. ``first_is_lowest``: no message of an item has a lower place than one that is its first.
    """

    told: Mapping[str, Node]
    words: Mapping[str, Node]
    queue: tuple[Node, ...]
    first_is_lowest: bool = True

    def places(self) -> Added:
        """Write the place of each message, and the place that would follow it."""
        place = _place_in_item(self.words["sequence"], self.words["offset"])
        sequence, offset = self.told["followed_by_sequence"], self.told["followed_by_offset"]
        follows = F.is_greater(sequence, 0)
        following = build_case(
            [(self.told["ends_item"], build_literal(ENDED)), (follows, _place_in_item(sequence, offset))],
            build_literal(STUCK),
        )
        told = {"enqueued": self.told["enqueued_priority"], "is_first": self.told["is_first"]}
        return {"place": place, "next": following, **told}

    def alone(self) -> Added:
        """Write the facts of a message that is in no item of several, or not to be seen."""
        return {
            "first_there": exp.true(), "repeated": exp.false(), "leads": exp.true(),
            "in_line": exp.true(), "behind_end": exp.false(),
            "item_priority": _added("enqueued"),
            "item_arrival": self.words["arrival"],
            "earliest_priority": _added("enqueued"),
            "earliest_arrival": self.words["arrival"],
            "in_item": build_literal(1),
        }  # fmt: skip

    def together(self, earliest: bool) -> list[Added]:
        """Write the facts of a message in an item of several, in levels; ``earliest`` asks for the first to arrive."""
        stretches, nothing = _added("stretches"), exp.cast(exp.null(), "ARRAY<BIGINT>")
        own = {name: tree for name, tree in self.alone().items() if name.startswith("earliest_")}
        return [
            {**self._neighbours(), **(self._earliest() if earliest else own)},
            {
                "first_there": build_not(is_null(_added("first_place"))),
                "repeated": F.coalesce(_repeated(), exp.false()),
                "stretches": self._over(F.Gathered(this=self._stretch(), expression=self._begins()), _whole()),
            },
            {"line": build_if(F.has_more_than(stretches, 0), _line(stretches), nothing)},
            _told_of_item(),
        ]

    def standing(self) -> tuple[Sequence[tuple[Node, bool]], Added]:
        """Write by what rows are sorted, and what each shows of its item beside the row before it."""
        place, bucket = _added("place"), _added("bucket")
        same = [exp.EQ(this=_of_row_before(tree), expression=tree) for tree in (bucket, *self.of_item)]
        goes_on = F.coalesce(
            build_and(*same, exp.EQ(this=_of_row_before(_added("next")), expression=place)), exp.false()
        )
        begins = build_not(F.coalesce(same[0], exp.false()))
        is_first = _added("is_first")
        regular = build_if(begins, is_first, build_and(goes_on, build_not(is_first)))
        told = {"begins": begins, "breaks": build_not(regular)}
        return [(bucket, False), (place, False)], told

    def unbroken(self) -> Added:
        """Write the facts of a message in an unbroken item or alone, as ``together`` and ``alone`` have them."""
        alone, is_alone = self.alone(), is_null(_added("bucket"))
        return {
            **alone,
            "leads": build_if(is_alone, exp.true(), _added("is_first")),
            "item_priority": F.coalesce(_added("first_enqueued"), alone["item_priority"]),
            "item_arrival": F.coalesce(_added("first_arrival"), alone["item_arrival"]),
            # Which number it is does not matter: it rises within an item.
            "in_item": _added("place") if self._may_be_segments else exp.cast(self.words["sequence"], "INT"),
        }

    def _begins(self) -> Node:
        """Write the test whether a message begins a stretch; the first of an item begins no further one."""
        place, before = _added("place"), _added("before")
        irregular = F.is_unequal(_added("after"), place)
        before_repeated = build_equality(before, _added("before_that"))
        among_segments = [F.is_greater(_added("furthest"), place), F.is_greater(_added("furthest_before"), before)]
        more = among_segments if self._looks_back else []
        return F.coalesce(build_or([irregular, _repeated(), before_repeated, *more]), exp.false())

    def _stretch(self) -> Node:
        """Write what is known of the message that begins a stretch; stretches are in the order of their item."""
        repeated = build_if(_repeated(), build_literal(1), build_literal(0))
        parts = [_added("in_item"), _added("place"), _added("after"), repeated]
        return F.build_list(parts, "BIGINT")

    @property
    def of_item(self) -> list[Node]:
        """The values that all messages of one item share."""
        return build_partition(*self.queue, self.words["in_group"], self.words["group_id"])

    @property
    def _may_be_segments(self) -> bool:
        return not is_known(self.words["segment"])

    @property
    def _looks_back(self) -> bool:
        """Whether what comes later in an item may have a place before what was expected."""
        return self._may_be_segments or not self.first_is_lowest

    def _neighbours(self) -> Added:
        place, following, arrival = (_added("place"), _added("next"), self.words["arrival"])
        enqueued = _added("enqueued")
        furthest = {
            "furthest": self._over(exp.Max(this=following), _rows(build_literal(1), "PRECEDING")),
            "furthest_before": self._over(exp.Max(this=following), _rows(build_literal(2), "PRECEDING")),
        }
        return {
            "in_item": exp.cast(self._over(exp.RowNumber()), "INT"),
            "first_place": self._over(exp.Min(this=build_if(_added("is_first"), place)), _whole()),
            "item_priority": self._over(exp.FirstValue(this=enqueued)),
            "item_arrival": self._over(exp.FirstValue(this=arrival)),
            "before": self._over(exp.Lag(this=place)),
            "before_that": self._over(exp.Lag(this=place, offset=build_literal(2))),
            "after": self._over(exp.Lag(this=following)),
            **(furthest if self._looks_back else {}),
        }

    def _earliest(self) -> Added:
        """Where the first of the item in physical order lies."""
        physical = build_order((_added("enqueued"), True), (self.words["arrival"], False))
        return {
            f"earliest_{name}": exp.Window(this=exp.FirstValue(this=tree), partition_by=self.of_item, order=physical)
            for name, tree in (("priority", _added("enqueued")), ("arrival", self.words["arrival"]))
        }

    def _over(self, function: Node, frame: Node | None = None) -> Node:
        first = [] if self.first_is_lowest else [(_added("is_first"), True)]
        keys = ((_added("place"), False), (_added("enqueued"), True), (self.words["arrival"], False))
        return exp.Window(this=function, partition_by=self.of_item, order=build_order(*first, *keys), spec=frame)

    def seen(self) -> Added:
        """Write the words of the rules for a message, from what is known of it and of its item."""
        in_item = {name: _added(name) for name in self.alone() if name != "in_item"}
        return {**self.told, "enqueued_priority": _added("enqueued"), **in_item}

    def shortened(self, keys: tuple[tuple[Node, bool], ...], fell: Sequence[Node]) -> tuple[tuple[Node, bool], ...]:
        """Shorten the keys of an order: if the last are those of an item's messages, two numbers say the same.

        One keeps items apart whose arrivals a table does not tell apart: their messages do not mix. The other is
        enough where those that are repeated ``fell``: of two with one place it has the one of higher priority first.
        """
        within = tuple((self.words[name], False) for name in ("sequence", "offset", "arrival"))
        if keys[-len(within) :] != within:
            return keys
        among = ((_added("in_item"), False),) if _added("repeated") in fell else within
        return (*keys[: -len(within)], (_added("bucket"), False), *among)


def build_order(*keys: tuple[Node, bool]) -> Node:
    """Build an ORDER BY of keys, each with its direction; a key that is equal in all rows is left out."""
    first: dict[Node, bool] = {}
    for tree, descending in keys:
        if not is_known(tree):
            first.setdefault(tree, descending)
    return exp.Order(expressions=[exp.Ordered(this=tree, desc=descending) for tree, descending in first.items()])


def build_partition(*trees: Node) -> list[Node]:
    """Build a window's PARTITION BY; a column that is equal in all rows is left out."""
    return [each for each in trees if not is_known(each)]


def _not_of_rows(rule: Rule, why: str) -> RuleError:
    return RuleError(rule.path, "", f"{why}, so the rule has no place in the order of a table of messages")


@define
class _Query:
    """A query that grows level by level; ``names`` are the columns that it has so far.

    ``stored`` says of a part whether the back end keeps what it gives, or makes it again wherever it is read, which
    is cheaper for some; of all others the back end decides.
    """

    names: list[Node]
    source: str = MESSAGES
    parts: list[tuple[str, exp.Query]] = field(factory=list)
    stored: dict[str, bool] = field(factory=dict)

    def add(self, level: Added, where: Node | None = None) -> None:
        """One more level; ``where`` leaves out rows before it."""
        select = _select(level, self.source)
        self._then(select if where is None else select.where(where), level)

    def read_once(self, table: str) -> None:
        """The rows of a table as MESSAGES: to ask for them twice, as for those of a sample, may give others."""
        self.parts.append((MESSAGES, exp.select("*").from_(table)))
        self.stored[MESSAGES] = True

    def split(self, where: Node, levels: Iterable[Added], others: Added) -> None:
        """Rows for which ``where`` holds pass these levels, the ``others`` that one. Both then have its columns."""
        before, names = self.source, [*self.names]
        self.add({}, where)
        for level in levels:
            self.add(level)
        one = exp.select(*names, *map(_added, others)).from_(self.source)
        other = exp.select(*names, *_aliases(others)).from_(before).where(build_not(where))
        self.names = names
        self._then(exp.union(one, other, distinct=False), others)

    def number_queues(self, told: Added) -> None:
        """Add what is ``told`` over columns of the table, and a QUEUE_NUMBER for all rows that are alike in that.

        Rows that are alike in these columns are few: it is found once for each.
        """
        columns = dict.fromkeys(each for tree in told.values() for each in tree.find_all(exp.Column))
        own = {f"of_queue_{at}": tree for at, tree in enumerate(columns)}
        of_own: dict[Node, Node] = {tree: _added(name) for name, tree in own.items()}
        counts = exp.select(*_aliases({**own, "rows": exp.Count(this=exp.Star())})).from_(MESSAGES).group_by(*columns)

        def kept(node: Node) -> Node:
            return of_own.get(node, node)

        alikes = {name: tree.transform(kept) for name, tree in told.items()}
        rows, keys = exp.Sum(this=_added("rows")), [_added(name) for name in told]
        order = build_order(*((key, False) for key in keys))
        up_to, alike = exp.Window(this=rows, order=order), exp.Window(this=rows, partition_by=keys)
        numbers = {
            QUEUE_NUMBER: exp.cast(exp.Window(this=exp.DenseRank(), order=order), "INT"),
            "rows_before": exp.cast(F.subtract(up_to, alike), "BIGINT"),
        }
        queues = _select(alikes, counts.subquery("__mqclause_counts")).subquery("__mqclause_alikes")
        self.parts.append((QUEUES, _select(numbers, queues)))
        same = build_and(*(exp.NullSafeEQ(this=tree, expression=_added(name)) for name, tree in own.items()))
        self._join(QUEUES, same, [*told, QUEUE_NUMBER])

    def count_before(self) -> None:
        """Add how many rows have a lower QUEUE_NUMBER."""
        begins = {"begins_at": _added(QUEUE_NUMBER), "rows_before": _added("rows_before")}
        self.parts.append(("__mqclause_queue_begins", exp.select(*_aliases(begins)).distinct().from_(QUEUES)))
        same = build_equality(_added(QUEUE_NUMBER), _added("begins_at"))
        self._join("__mqclause_queue_begins", same, ["rows_before"])

    def look_back(self, items: Items, is_member: Node) -> None:
        """Add where the first message of an unbroken item lies, and whether an item is a broken one."""
        self.stored[self.source] = False
        keys, told = items.standing()
        line = exp.select("*").from_(self.source).where(is_member).order_by(*build_order(*keys).expressions)
        first = {"first_enqueued": _added("enqueued"), "first_arrival": items.words["arrival"]}
        of_first = {name: exp.Max(this=build_if(_added("begins"), tree)) for name, tree in first.items()}
        of_item = {"of_bucket": _added("bucket"), **of_first, "is_broken": exp.LogicalOr(this=_added("breaks"))}
        shown = _select(told, line.subquery("__mqclause_line")).subquery("__mqclause_line_up")
        self.parts.append(("__mqclause_items", exp.select(*_aliases(of_item)).from_(shown).group_by(_added("bucket"))))
        same = build_equality(_added("bucket"), _added("of_bucket"))
        self._join("__mqclause_items", same, [*first, "is_broken"])

    def in_order(self, keys: Sequence[tuple[Node, bool]], level: Added) -> None:
        """One more level, whose windows are over all rows from the first to the last of ``keys``."""
        rows = exp.select("*").from_(self.source).order_by(*build_order(*keys).expressions)
        self._then(_select(level, rows.subquery("__mqclause_in_order")), level)

    def _join(self, few: str, same: Node, names: Sequence[str]) -> None:
        """A level with these columns of a part of few rows, which is made wherever it is read."""
        select = exp.select(f"{self.source}.*", *map(_added, names)).from_(self.source)
        self._then(select.join(few, on=same, join_type="left"), names)
        self.stored[self.source] = False

    def _then(self, query: exp.Query, names: Iterable[str]) -> None:
        self.source = f"__mqclause_level_{len(self.parts)}"
        self.parts.append((self.source, query))
        self.names += map(_added, names)

    def ending(self, selected: Iterable[exp.Expr]) -> exp.Select:
        """The whole query."""
        query = exp.select(*selected, copy=False).from_(self.source)
        for name, part in self.parts:
            query = query.with_(name, part, materialized=self.stored.get(name), copy=False)
        return query


def _added(name: str) -> exp.Column:
    """A column that the query adds."""
    return build_column(f"{F.PREFIX}{name}")


def _unprefixed(name: str) -> str:
    return name.removeprefix(F.PREFIX)


def _aliases(level: Added) -> list[exp.Expr]:
    return [exp.alias_(tree, f"{F.PREFIX}{name}") for name, tree in level.items()]


def _select(level: Added, source: str | exp.Subquery) -> exp.Select:
    """All columns of a source, and those of the level."""
    return exp.select("*", *_aliases(level), copy=False).from_(source, copy=False)


def _told(vocabulary: Vocabulary, words: Mapping[str, Node]) -> dict[str, Node]:
    """What terms say of each message by itself. Raises RuleError for one that looks at what a table does not say."""
    seen = MessageWords(vocabulary.before, RetrievalCall(), words)
    told = {}
    for term in RETRIEVAL.terms:
        try:
            told[term] = build_sql(nodes.Column(term), seen)
        except NotInTableError as error:
            raise RuleError("terms.toml", f"{RETRIEVAL.name}.{term}", str(error)) from None
    priority = infer_type(vocabulary.asked["enqueued_priority"], vocabulary, per_subject=True)
    if priority.least is None or priority.least < 0 or priority.most is None or priority.most > HIGHEST_PRIORITY:
        least = exp.Greatest(this=told["enqueued_priority"], expressions=[build_literal(0)])
        told["enqueued_priority"] = exp.Least(this=least, expressions=[build_literal(HIGHEST_PRIORITY)])
    # It takes the least room that it can: the fewer bytes a window sorts by, the faster it does.
    return {**told, "enqueued_priority": exp.cast(told["enqueued_priority"], "TINYINT")}


def _members(query: _Query, items: Items, is_member: Node, earliest: bool, numbered: bool) -> None:
    """The levels that say what each message is in its item."""
    query.add({"bucket": build_if(is_member, F.Bucket(expressions=items.of_item))})
    if not numbered or earliest:
        query.split(is_member, items.together(earliest), items.alone())
        return
    query.look_back(items, is_member)
    query.split(coalesce(_added("is_broken"), exp.false()), items.together(earliest), items.unbroken())


def _fate(order: MessageOrder, is_message: Node) -> Node:
    return exp.cast(build_if(is_message, order.fate, build_literal(NO_MESSAGE)), "TINYINT")


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
    keys = {name: items.shortened(each.keys, [where for where, _ in each.fell]) for name, each in orders.items()}
    counted = [name for name in orders if numbered and len(build_order(*keys[name]).expressions) > QUICKLY_SORTED]
    parts = {name: [_part(each)] if numbered else build_partition(*items.queue, each) for name, each in remains.items()}
    query.add({name: _place(parts[name], keys[name]) for name in orders if name not in counted})
    for name in counted:
        by = [*((part, False) for part in parts[name]), *keys[name]]
        query.in_order(by, {name: exp.Window(this=exp.RowNumber())})
    if counted:
        query.count_before()
    in_queue = {name: F.subtract(_added(name), _added("rows_before")) for name in counted}
    return {name: build_if(each, in_queue.get(name, _added(name))) for name, each in remains.items()}


def _part(remains: Node) -> Node:
    """The number of a queue's messages that remain, and the next of those that do not."""
    of_queue = F.multiply(_added(QUEUE_NUMBER), 2)
    return F.add(of_queue, build_if(remains, build_literal(0), build_literal(1)))


def _place(part: Sequence[Node], keys: Sequence[tuple[Node, bool]]) -> Node:
    """The place of a row in its part."""
    return exp.Window(this=exp.RowNumber(), partition_by=list(part), order=build_order(*keys))


def _sources(columns: Mapping[str, FieldType]) -> dict[str, list[ValueSource]]:
    get_spelling("queue", columns)
    found = {}
    for name, of in MESSAGE_ROW.items():
        own = find_spelling(name, columns)
        if own is None or columns[own] == "null":
            continue
        check_fits(columns[own], of, own)
        value: Node = exp.column(own, quoted=True)
        padded = of.kind == "text" and not has_names(of)
        found[name] = [ValueSource(F.Unpadded(this=value) if padded else value, columns[own], own)]
    if "queue" not in found:
        raise TableError("column queue is null throughout; every message lies on a queue")
    return found


def _arrival(columns: Mapping[str, FieldType]) -> Node:
    own = get_spelling(ARRIVAL, columns)
    if isinstance(columns[own], Struct | ListOf) or columns[own] in ("boolean", "null"):
        raise TableError(
            f"column {own} is {describe_kind(columns[own])}; expected numbers, times or texts in order of arrival"
        )
    return exp.column(own, quoted=True)


def _of_queue(read: Mapping[str, Node], sources: Mapping[str, Any], cluster: Cluster | None) -> dict[str, Node]:
    """The attributes of the queue: what the row says, else the cluster's, else the default."""
    fifo = exp.EQ(this=read["msgdlvsq"], expression=build_literal("FIFO"))
    if cluster is None:
        return {"fifo": fifo if "msgdlvsq" in sources else exp.false(), "defprty": read["defprty"]}
    queues = list_local_queues(cluster).values()
    by_default: dict[int, list[Node]] = {}
    for each in queues:
        if each.defprty:
            by_default.setdefault(each.defprty, []).append(build_literal(each.name))
    named_fifo = [build_literal(each.name) for each in queues if each.msgdlvsq == "FIFO"]
    is_fifo = exp.In(this=read["queue"], expressions=named_fifo) if named_fifo else exp.false()
    default = build_case(
        ((exp.In(this=read["queue"], expressions=names), build_literal(value)) for value, names in by_default.items()),
        build_literal(0),
    )
    return {
        "fifo": build_if(F.is_null(sources["msgdlvsq"][0].value), is_fifo, fifo) if "msgdlvsq" in sources else is_fifo,
        "defprty": build_if(F.is_null(sources["defprty"][0].value), default, read["defprty"])
        if "defprty" in sources
        else default,
    }


def _as_seen(read: Mapping[str, Node], sources: Mapping[str, Any]) -> dict[str, Node]:
    """The words of the rules that a message says itself; as model.facts.message reads a message of a file."""
    has_group = F.is_unequal(read["group"], "")
    is_segment = build_or([read["segment"], read["last_segment"]])
    in_group = build_and(has_group, read["in_group"])
    of_item = build_and(has_group, build_or([read["in_group"], is_segment]))
    priority = exp.Least(this=read["priority"], expressions=[build_literal(HIGHEST_PRIORITY)])
    if "priority" in sources:
        own = build_if(F.is_null(sources["priority"][0].value), read["defprty"], priority)
    else:
        own = read["defprty"]
    return {
        **{name: read[name] for name in ("queue_manager", "queue", "unit_of_work", "length", "fifo", ARRIVAL)},
        "priority": exp.cast(own, "BIGINT"),
        "defprty": exp.cast(read["defprty"], "BIGINT"),
        "group_id": read["group"] if of_item == has_group else build_if(of_item, read["group"], build_literal("")),
        "in_group": in_group,
        "sequence": build_if(in_group, read["sequence"], build_literal(1)),
        "last_in_group": build_and(in_group, read["last_in_group"]),
        "segment": is_segment,
        "last_segment": read["last_segment"],
        "offset": build_if(is_segment, read["offset"], build_literal(0)),
    }


def _is_no_name(words: RowWords, of: Column) -> Node:
    """Whether the row has in this column what MQ allows no name to be; looked at closely only where that may be."""
    assert isinstance(of.domain, Name)  # noqa: S101 - told to the type checker
    name = words.checked(of)
    odd = build_or([build_equality(name, ""), is_too_long(of.domain, name), F.HasOddLetters(this=name)])
    return words.bindings.once(f"{of.name}_is_no_name", build_if(odd, is_no_name(of.domain, name), exp.false()))


def _faults(words: RowWords, read: Mapping[str, Node], names: Mapping[str, Node]) -> Iterator[tuple[Node, Node]]:
    """What can be wrong in one column alone."""
    yield build_equality(read["queue"], ""), build_literal("queue is missing; every message lies on a queue")
    for of, wrong in words.faults():
        yield names.get(of.name, wrong), describe_source_fault(words, of)


def _further_faults(read: Mapping[str, Node], arrival: Node, cluster: Cluster | None) -> Iterator[tuple[Node, Node]]:
    """What can be wrong with the keys of a message beside each other, and with what has no default."""
    yield F.is_null(arrival), build_literal("arrival is null; it says behind which messages this one lies")
    without_group = exp.EQ(this=read["group"], expression=build_literal(""))
    for name in ("last_in_group", "segment", "last_segment"):
        yield build_and(without_group, read[name]), build_literal(f"{name} = true; it is allowed with a group only")
    if cluster is not None:
        local = [build_literal(name) for name in list_local_queues(cluster)]
        known = exp.In(this=read["queue"], expressions=local) if local else exp.false()
        name = cluster.queue_manager.name
        yield build_not(known), F.concat_texts("queue = '", read["queue"], f"'; allowed: a local queue of {name}")


def _told_of_item() -> Added:
    """What the place where its line is cut says of a message."""
    line, place, there, repeated = map(_added, ("line", "place", "first_there", "repeated"))
    cut = F.get_item(line, CUT)
    is_behind = build_and(F.is_greater(cut, NO_CUT), F.is_at_least(_added("in_item"), cut))
    behind, unfit = (F.coalesce(each, exp.false()) for each in (is_behind, F.has_item(line, exp.Neg(this=place))))
    further = F.is_greater(place, _added("first_place"))
    behind_end = build_and(there, behind, build_equality(F.get_item(line, CUT_BY_END), 1), further)
    return {
        "leads": F.coalesce(build_and(build_not(repeated), build_equality(place, _added("first_place"))), exp.false()),
        "in_line": build_and(there, build_not(build_or([repeated, behind, unfit]))),
        "behind_end": F.coalesce(behind_end, exp.false()),
    }


def _repeated() -> Node:
    return build_equality(_added("before"), _added("place"))


def _of_row_before(tree: Node) -> Node:
    return exp.Window(this=exp.Lag(this=tree))


def _place_in_item(sequence: Node, offset: Node) -> Node:
    return F.add(F.multiply(sequence, PLACES), offset)


def _whole() -> Node:
    """All rows of a window's part."""
    return _rows("UNBOUNDED", "FOLLOWING")


def _rows(end: str | Node, side: str) -> Node:
    return exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end=end, end_side=side)


def _line(stretches: Node) -> Node:
    """Goes from stretch to stretch: what would come next, whether the stretch fits in, and where the line is cut."""
    state, stretch = F.build_variable("state"), F.build_variable("stretch")
    number, place, after, is_repeated = (F.get_item(stretch, at) for at in range(4))
    expected = build_if(build_equality(F.get_item(state, FITS), 1), after, F.get_item(state, EXPECTED))
    ended = F.is_less(expected, 0)
    by_end = build_if(build_equality(expected, ENDED), build_literal(1), build_literal(0))

    def kept(cut: Node, fits: bool, by_end: Node, *more: Node) -> Node:
        parts = F.build_list([cut, expected, build_literal(int(fits)), by_end, *more], "BIGINT")
        unfit = F.filter_items(state, F.is_less(F.build_variable("one"), STUCK), "one")
        return F.concat_lists(parts, unfit)

    step = build_case(
        [
            (F.is_greater(F.get_item(state, CUT), NO_CUT), state),
            (build_equality(is_repeated, 1), kept(build_literal(NO_CUT), False, build_literal(0))),
            (build_or([ended, F.is_greater(place, expected)]), kept(number, False, by_end)),
            (build_equality(place, expected), kept(build_literal(NO_CUT), True, build_literal(0))),
        ],
        kept(build_literal(NO_CUT), False, build_literal(0), exp.Neg(this=place)),
    )
    start = F.build_list([build_literal(each) for each in (NO_CUT, STUCK, 1, 0)], "BIGINT")
    return exp.Reduce(this=stretches, initial=start, merge=F.build_lambda(step, "state", "stretch"))
