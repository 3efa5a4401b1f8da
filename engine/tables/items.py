"""What a message is in its item, as window functions: the same as model.facts.retrieval says of messages in memory.

A place in an item is one number, MsgSeqNumber before Offset. From one message of an item to the next its place is the
one that follows; where it is not, the message begins a new *stretch*. The stretches of an item are few, and one fold of
them says where its line ends and which messages do not fit in: no message looks at all others.

Most items are *unbroken*: their first message is there, and every further one is the next of the one before. Where rows
can be counted in the order in which they stand, that is seen by looking at the row before, without a window for each
item. Rows then stand by *buckets*, numbers of items that are quick to sort by; two items in one count as broken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen
from sqlglot import exp

from mqclause.language.sql import Node, both, case, either, equal, is_known, literal, negated, when
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.functions import column, is_null

PLACES = 2**32
"""How many places there are for each MsgSeqNumber: more than the end of any segment."""

ENDED, STUCK = -1, -2
"""What follows the last message of an item, and a segment that has no length and is not the last: nothing."""

NO_CUT = 0
CUT, EXPECTED, FITS, CUT_BY_END = range(4)
"""The parts of what the fold keeps; behind them the places of messages that do not fit in."""

Added = Mapping[str, Node]
"""Columns by name; all of one level need nothing of each other."""


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
        """The place of each message, and the one that would follow it."""
        place = _place(self.words["sequence"], self.words["offset"])
        sequence, offset = self.told["followed_by_sequence"], self.told["followed_by_offset"]
        follows = exp.GT(this=sequence.copy(), expression=literal(0))
        following = case(
            [(self.told["ends_item"], literal(ENDED)), (follows, _place(sequence, offset))], literal(STUCK)
        )
        told = {"__mqclause_enqueued": self.told["enqueued_priority"], "__mqclause_is_first": self.told["is_first"]}
        return {"__mqclause_place": place, "__mqclause_next": following, **told}

    def alone(self) -> Added:
        """What a message is that is in no item of several, or not to be seen."""
        return {
            "__mqclause_first_there": exp.true(), "__mqclause_repeated": exp.false(), "__mqclause_leads": exp.true(),
            "__mqclause_in_line": exp.true(), "__mqclause_behind_end": exp.false(),
            "__mqclause_item_priority": column("__mqclause_enqueued"), "__mqclause_item_arrival": self.words["arrival"],
            "__mqclause_earliest_priority": column("__mqclause_enqueued"),
            "__mqclause_earliest_arrival": self.words["arrival"],
            "__mqclause_in_item": literal(1),
        }  # fmt: skip

    def together(self, earliest: bool, gathered: bool = True) -> list[Added]:
        """The same of a message that is in one, level by level; ``earliest`` asks for the first of it to arrive.

        Unless they are ``gathered`` by a window, somebody else has to add the ``__mqclause_stretches`` after the second
        level, of the messages that begin one: see ``stretch``.
        """
        told = {
            "__mqclause_first_there": negated(is_null(column("__mqclause_first_place"))),
            "__mqclause_repeated": F.coalesced(_repeated(), exp.false()),
        }
        stretches = F.Gathered(this=self.stretch(), expression=self.begins())
        of_item = {"__mqclause_stretches": self._over(stretches, _whole())}
        return [
            {**self._neighbours(), **(self._earliest() if earliest else self._no_earliest())},
            {**told, **(of_item if gathered else {})},
            {
                "__mqclause_line": when(
                    F.more_than(column("__mqclause_stretches"), 0), _line(column("__mqclause_stretches")), _none()
                )
            },
            _told(),
        ]

    def bucket(self) -> Node:
        """The number by which the rows of an item stand together."""
        return F.Bucket(expressions=self.of_item)

    def standing(self) -> tuple[Sequence[tuple[Node, bool]], Added]:
        """By what rows stand in line, and what each tells of its item beside the one before it there."""
        place, bucket = column("__mqclause_place"), column("__mqclause_bucket")
        same = [exp.EQ(this=_of_row_before(tree), expression=tree.copy()) for tree in (bucket, *self.of_item)]
        goes_on = F.coalesced(
            both(*same, exp.EQ(this=_of_row_before(column("__mqclause_next")), expression=place)), exp.false()
        )
        begins = negated(F.coalesced(same[0].copy(), exp.false()))
        is_first = column("__mqclause_is_first")
        regular = when(begins.copy(), is_first, both(goes_on, negated(is_first.copy())))
        told = {"__mqclause_begins": begins, "__mqclause_breaks": negated(regular)}
        return [(bucket, False), (place, False)], told

    def unbroken(self) -> Added:
        """What a message is that is in an unbroken item, or alone: as ``together`` and ``alone`` say it."""
        alone, is_alone = self.alone(), is_null(column("__mqclause_bucket"))
        return {
            **alone,
            "__mqclause_leads": when(is_alone, exp.true(), column("__mqclause_is_first")),
            "__mqclause_item_priority": F.coalesced(
                column("__mqclause_first_enqueued"), alone["__mqclause_item_priority"]
            ),
            "__mqclause_item_arrival": F.coalesced(
                column("__mqclause_first_arrival"), alone["__mqclause_item_arrival"]
            ),
            # Which number it is does not matter: it rises within an item.
            "__mqclause_in_item": column("__mqclause_place")
            if self._may_be_segments
            else exp.cast(self.words["sequence"], "INT"),
        }

    def begins(self) -> Node:
        """Whether a message begins a stretch; the first of an item has none before it and begins no further one."""
        place, before = column("__mqclause_place"), column("__mqclause_before")
        irregular = exp.NEQ(this=column("__mqclause_after"), expression=place)
        before_repeated = equal(before, column("__mqclause_before_that"))
        among_segments = [
            exp.GT(this=column("__mqclause_furthest"), expression=place),
            exp.GT(this=column("__mqclause_furthest_before"), expression=before),
        ]
        more = among_segments if self._looks_back else []
        return F.coalesced(either([irregular, _repeated(), before_repeated, *more]), exp.false())

    def stretch(self) -> Node:
        """What is told of the message that begins one; stretches in order are in that of their item."""
        repeated = when(_repeated(), literal(1), literal(0))
        parts = [column("__mqclause_in_item"), column("__mqclause_place"), column("__mqclause_after"), repeated]
        return F.list_of(parts, "BIGINT")

    @property
    def of_item(self) -> list[Node]:
        """What messages of one item are alike in."""
        return split_by(*self.queue, self.words["in_group"], self.words["group_id"])

    @property
    def _may_be_segments(self) -> bool:
        return not is_known(self.words["segment"])

    @property
    def _looks_back(self) -> bool:
        """Whether what comes later in an item may have a place before what was expected."""
        return self._may_be_segments or not self.first_is_lowest

    def _neighbours(self) -> Added:
        place, following, arrival = column("__mqclause_place"), column("__mqclause_next"), self.words["arrival"]
        enqueued = column("__mqclause_enqueued")
        furthest = {
            "__mqclause_furthest": self._over(exp.Max(this=following), rows_before(literal(1))),
            "__mqclause_furthest_before": self._over(exp.Max(this=following), rows_before(literal(2))),
        }
        return {
            "__mqclause_in_item": exp.cast(self._over(exp.RowNumber()), "INT"),
            "__mqclause_first_place": self._over(
                exp.Min(this=when(column("__mqclause_is_first"), place.copy())), _whole()
            ),
            "__mqclause_item_priority": self._over(exp.FirstValue(this=enqueued)),
            "__mqclause_item_arrival": self._over(exp.FirstValue(this=arrival)),
            "__mqclause_before": self._over(exp.Lag(this=place)),
            "__mqclause_before_that": self._over(exp.Lag(this=place, offset=literal(2))),
            "__mqclause_after": self._over(exp.Lag(this=following)),
            **(furthest if self._looks_back else {}),
        }

    def _no_earliest(self) -> Added:
        return {
            "__mqclause_earliest_priority": column("__mqclause_enqueued"),
            "__mqclause_earliest_arrival": self.words["arrival"],
        }

    def _earliest(self) -> Added:
        """Where the first of the item in physical order lies."""
        physical = ordered_by((column("__mqclause_enqueued"), True), (self.words["arrival"], False))
        return {
            f"__mqclause_earliest_{name}": exp.Window(
                this=exp.FirstValue(this=tree), partition_by=self.of_item, order=physical.copy()
            )
            for name, tree in (("priority", column("__mqclause_enqueued")), ("arrival", self.words["arrival"]))
        }

    def _over(self, function: Node, frame: Node | None = None) -> Node:
        first = [] if self.first_is_lowest else [(column("__mqclause_is_first"), True)]
        keys = (
            (column("__mqclause_place"), False),
            (column("__mqclause_enqueued"), True),
            (self.words["arrival"], False),
        )
        return exp.Window(this=function, partition_by=self.of_item, order=ordered_by(*first, *keys), spec=frame)

    def seen(self) -> Added:
        """The words of the rules that a message has by what was told of it, and in its item."""
        in_item = {name.removeprefix(F.PREFIX): column(name) for name in self.alone() if name != "__mqclause_in_item"}
        return {**self.told, "enqueued_priority": column("__mqclause_enqueued"), **in_item}

    def shortened(self, keys: tuple[tuple[Node, bool], ...], fell: Sequence[Node]) -> tuple[tuple[Node, bool], ...]:
        """The keys of an order; if the last of them are those of an item's messages, two numbers say the same.

        One keeps items apart whose arrivals a table does not tell apart: their messages do not mix. The other is
        enough where those that are repeated ``fell``: of two with one place it has the one of higher priority first.
        """
        within = tuple((self.words[name], False) for name in ("sequence", "offset", "arrival"))
        if keys[-len(within) :] != within:
            return keys
        among = ((column("__mqclause_in_item"), False),) if column("__mqclause_repeated") in fell else within
        return (*keys[: -len(within)], (column("__mqclause_bucket"), False), *among)


def _told() -> Added:
    """What the place where its line is cut says of a message."""
    line, place, there, repeated = map(
        column, ("__mqclause_line", "__mqclause_place", "__mqclause_first_there", "__mqclause_repeated")
    )
    cut = F.item(line, CUT)
    is_behind = both(
        exp.GT(this=cut, expression=literal(NO_CUT)), exp.GTE(this=column("__mqclause_in_item"), expression=cut)
    )
    behind, unfit = (F.coalesced(each, exp.false()) for each in (is_behind, F.has(line, exp.Neg(this=place))))
    further = exp.GT(this=place.copy(), expression=column("__mqclause_first_place"))
    behind_end = both(there, behind, _is_one(F.item(line, CUT_BY_END)), further)
    return {
        "__mqclause_leads": F.coalesced(
            both(negated(repeated), equal(place, column("__mqclause_first_place"))), exp.false()
        ),
        "__mqclause_in_line": both(there, negated(either([repeated, behind, unfit]))),
        "__mqclause_behind_end": F.coalesced(behind_end, exp.false()),
    }


def _repeated() -> Node:
    return equal(column("__mqclause_before"), column("__mqclause_place"))


def _of_row_before(tree: Node) -> Node:
    return exp.Window(this=exp.Lag(this=tree.copy()))


def _place(sequence: Node, offset: Node) -> Node:
    return exp.Add(this=exp.Mul(this=sequence, expression=literal(PLACES)), expression=offset)


def _none() -> Node:
    return exp.cast(exp.null(), "ARRAY<BIGINT>")


def ordered_by(*keys: tuple[Node, bool]) -> Node:
    """An ORDER BY of keys, each with whether it is from the highest value down; what is alike in all rows is none."""
    first: dict[Node, bool] = {}
    for tree, descending in keys:
        if not is_known(tree):
            first.setdefault(tree, descending)
    return exp.Order(expressions=[exp.Ordered(this=tree.copy(), desc=descending) for tree, descending in first.items()])


def split_by(*trees: Node) -> list[Node]:
    """What a window is partitioned by, without what is alike in all rows."""
    return [each.copy() for each in trees if not is_known(each)]


def _whole() -> Node:
    """All rows of a window's part."""
    return _rows("UNBOUNDED", "FOLLOWING")


def rows_before(number: Node) -> Node:
    """The rows of a window up to so many before this one."""
    return _rows(number, "PRECEDING")


def _rows(end: str | Node, side: str) -> Node:
    return exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end=end, end_side=side)


def _line(stretches: Node) -> Node:
    """Goes from stretch to stretch: what would come next, whether the stretch fits in, and where the line is cut."""
    state, stretch = F.variable("state"), F.variable("stretch")
    number, place, after, is_repeated = (F.item(stretch, at) for at in range(4))
    expected = when(_is_one(F.item(state, FITS)), after, F.item(state, EXPECTED))
    ended = exp.LT(this=expected, expression=literal(0))
    by_end = when(equal(expected, ENDED), literal(1), literal(0))

    def kept(cut: Node, fits: bool, by_end: Node, *more: Node) -> Node:
        parts = F.list_of([cut, expected, literal(int(fits)), by_end, *more], "BIGINT")
        unfit = F.those(state, exp.LT(this=F.variable("one"), expression=literal(STUCK)), "one")
        return F.joined(parts, unfit)

    step = case(
        [
            (exp.GT(this=F.item(state, CUT), expression=literal(NO_CUT)), state),
            (_is_one(is_repeated), kept(literal(NO_CUT), False, literal(0))),
            (either([ended, exp.GT(this=place, expression=expected)]), kept(number, False, by_end)),
            (equal(place, expected), kept(literal(NO_CUT), True, literal(0))),
        ],
        kept(literal(NO_CUT), False, literal(0), exp.Neg(this=place)),
    )
    start = F.list_of([literal(each) for each in (NO_CUT, STUCK, 1, 0)], "BIGINT")
    return exp.Reduce(this=stretches, initial=start, merge=F.function(step, "state", "stretch"))


def _is_one(tree: Node) -> Node:
    return equal(tree, 1)
