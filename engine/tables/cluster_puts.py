"""Puts in a cluster: what a row says as trees, by which it finds what is decided of its names.

See mqclause.tables.decided_names for the small table. Most rows are settled by it as they stand. Of others the names
are looked at: whether MQ allows them, and what stands for them where nobody knows them. A put that says something odd
(its own CLWLMRUC, queue managers that the message went to) of a name that asks the workload rules is decided by the
plan of ``odd_shape``. Nothing is looked up by more than one row of what is known, so that a table keeps its rows
whatever it is made of, and is read once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import prod
from typing import Any

from attrs import field, frozen
from sqlglot import exp

from mqclause.documents.workload import OUTCOME
from mqclause.language.sql import Node, both, case, either, equal, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.answers import invalid_decision
from mqclause.tables.bindings import Bindings
from mqclause.tables.columns import DECISION, DESTINATION, PUT, Column
from mqclause.tables.demands import OF_PUTS, PUT_NAMES, is_null_text
from mqclause.tables.faults import in_quotes, not_allowed, told_of
from mqclause.tables.named_puts import AS_NAMED, CAN_SAY, NamedPuts, names_of
from mqclause.tables.packing import word_place
from mqclause.tables.shape import Shape, Sources, ValueSource
from mqclause.tables.shares import TIE_NAMES
from mqclause.tables.words import RowWords, kept

ODD_PUT, ODD_DESTINATIONS = "__mqclause_put", "__mqclause_destinations"
"""Columns on the way: what an odd put says, and what its names lead to."""

NUMBER, SETTLED, INVALID, PLACE = (f"__mqclause_{name}" for name in ("number_said", "settled", "invalid_put", "place"))
"""Columns on the way: what a put says besides names, the place of an answer that the written names lead to, whether a
row that they settle not is invalid, and the place of its answer."""

AT, KEYS = "__mqclause_at", {name: f"__mqclause_{name}" for name in PUT_NAMES}
"""Columns on the way: the place of the row's cluster, and the names that its put gives."""

OF_SEVERAL_EDITIONS = (
    "put: what it says is decided with the row, and the local queue managers are of several editions; "
    "decide those of one edition alone, or name one"
)
"""What is wrong with an odd put where the local queue managers are not of one edition."""

MOST_SHOWN = 12
"""Local queue managers that a message lists."""


@frozen
class ClusterPuts:
    """A table of puts, ``sources`` of what they say, and the cluster of each local queue manager.

    ``struct`` is the column without which a row says nothing, if there is one. ``at`` names the local queue manager of
    a row; without it there is one cluster.
    """

    clusters: Mapping[str, Cluster] = field(eq=lambda given: tuple(given.items()))
    sources: Sources = field(eq=repr)
    struct: Node | None
    at: ValueSource | None
    constants: tuple[tuple[str, Any], ...] = ()

    def gives(self, name: str) -> bool:
        """Whether rows say a field of a put."""
        return name in self.sources

    @property
    def can_say(self) -> tuple[tuple[str, Sequence[Any]], ...]:
        """What the puts of the table can say in each field without being odd."""
        fixed = dict(self.constants)
        return tuple(
            (name, values if name not in fixed and self.gives(name) else (fixed.get(name, PUT[name].default),))
            for name, values in CAN_SAY.items()
        )

    @property
    def says_odd(self) -> bool:
        """Whether a column may say of a put what has no number."""
        return any(len(CAN_SAY[name]) == 1 for name in self._varying)

    @property
    def _varying(self) -> list[str]:
        """The fields besides names that are not the same in every row."""
        return [name for name in CAN_SAY if self.gives(name) and name not in dict(self.constants)]

    def number(self, numbers: Sequence[int]) -> Node | None:
        """The number in the small table, which has ``numbers``, of what a put says; null of what it may not say.

        None where all puts say the same.
        """
        if not self._varying:
            return None
        said, any_value = self._place_said(any_value=False), self._place_said(any_value=True)
        count = prod(len(values) for _, values in self.can_say)
        place = any_value
        if self.says_odd:
            place = F.coalesced(said, exp.Add(this=any_value, expression=literal(count)))
        if list(numbers) == list(range(len(numbers))):
            return exp.cast(place, "INT")
        return F.item(F.list_of([literal(each) for each in numbers], "INT"), place)

    def _place_said(self, any_value: bool) -> Node:
        """The place of what a put says among all that it can say; ``any_value`` takes what is odd for what is not."""
        words, place = self._words(), literal(0)
        wrong = {of.name: words.bindings.spelt_out(each) for of, each in words.faults()}
        for name in self._varying:
            values = CAN_SAY[name]
            is_odd = any_value and len(values) == 1
            own = case([(wrong[name], exp.null())], literal(0)) if is_odd else self._place_of(PUT[name], words)
            before = exp.Mul(this=place, expression=literal(len(values)))
            place = exp.Add(this=before, expression=own)
        return place

    @property
    def written(self) -> dict[str, Node]:
        """What settles a row as it stands there, by the column of the small table; names may be null."""
        at = {} if self.at is None else {"at": self.at.value.copy()}
        return at | {name: self.sources[name][0].value.copy() for name in PUT_NAMES if self.gives(name)}

    def found_by(self, rules: Rules) -> tuple[list[dict[str, Node]], dict[str, Node]]:
        """The columns by which a row that is not SETTLED is found, those before first; and by what, of the small table.

        They are null in other rows, and all but INVALID also in one that is invalid.
        """
        is_valid = negated(F.column(INVALID))
        keys = {} if self.at is None else {AT: self.place}
        keys |= {KEYS[name]: each for name, each in self.names.items() if self.gives(name)}
        at = literal(0) if self.at is None else F.column(AT)
        found, on = self._by_name(rules), {"at": at, **{name: self._key(name) for name in PUT_NAMES}}
        anew = {f"__mqclause_by_{name}": tree for name, tree in found.items() if tree != on[name]}
        levels = [
            {INVALID: when(F.is_null(F.column(SETTLED)), F.Apart(this=either(wrong for wrong, _ in self.faults())))},
            {name: when(is_valid.copy(), key) for name, key in keys.items()},
            *([anew] if anew else []),
        ]
        return levels, on | {name: F.column(f"__mqclause_by_{name}") for name in found if found[name] != on[name]}

    def _by_name(self, rules: Rules) -> dict[str, Node]:
        """By what the names of a row are found: themselves, or what stands for any."""
        known = [names_of(cluster, rules) for cluster in self.clusters.values()]
        apart = self._of_cluster([literal(each.apart) for each in known], "BOOLEAN", F.column(AT))
        queue, queue_manager = map(self._key, PUT_NAMES)
        manager, stands = self._manager(known, apart), []
        if self._gives_both:
            is_kept = both(*map(_is_given, (queue, queue_manager)), F.is_null(self._beside(known, manager)))
            said = [literal(name) for name in known[0].said]
            stands.append(both(is_kept, negated(exp.In(this=queue.copy(), expressions=said))) if said else is_kept)
        if self.gives("queue") and any(each.apart for each in known):
            listed = self._names_of_cluster([each.queues for each in known])
            stands.append(both(apart.copy(), _is_given(queue), negated(F.has(listed, queue.copy()))))
        any_queue = literal(AS_NAMED["queue"])
        return {"queue": case([(each, any_queue) for each in stands], queue), "queue_manager": manager}

    def _manager(self, known: Sequence[NamedPuts], apart: Node) -> Node:
        own = self._key("queue_manager")
        if not self.gives("queue_manager") or not any(each.apart for each in known):
            return own
        listed = self._names_of_cluster([each.managers for each in known])
        stands = both(apart.copy(), _is_given(own), negated(F.has(listed, own.copy())))
        return case([(stands, literal(AS_NAMED["queue_manager"]))], own)

    def _beside(self, known: Sequence[NamedPuts], manager: Node) -> Node:
        """The place of the queue manager among those beside which the name of a queue is looked up, from 1, or null."""
        return F.place_of(self._names_of_cluster([each.beside for each in known]), manager.copy())

    def place_of(self, found: Node, unknown: Sequence[Sequence[Sequence[int]]], rules: Rules, number: Node) -> Node:
        """The place of an answer: of a row that is SETTLED, or ``found``, or ``unknown`` to all; 0 if it is invalid."""
        places = [found] if not any(unknown) else [found, self._unknown_place(unknown, rules, number)]
        return F.coalesced(F.column(SETTLED), when(F.column(INVALID), literal(0)), *places, literal(0))

    def _unknown_place(self, unknown: Sequence[Sequence[Sequence[int]]], rules: Rules, number: Node) -> Node:
        """A queue that nobody knows is the first kind, a queue manager the next, then both, then beside a known one."""
        known = [names_of(cluster, rules) for cluster in self.clusters.values()]
        queue, manager = map(self._key, PUT_NAMES)
        beside = exp.Add(this=self._beside(known, self._manager(known, exp.false())), expression=literal(2))
        kind: Node = literal(0)
        if self.gives("queue_manager"):
            kinds = [(negated(_is_given(manager)), literal(0)), (negated(_is_given(queue)), literal(1))]
            kind = case(kinds, F.coalesced(beside, literal(2)))
        listed = [_array(_array(map(literal, places)) for places in kinds) for kinds in unknown]
        of_cluster = self._of_cluster(listed, "ARRAY<ARRAY<INT>>", F.column(AT))
        return F.item(F.item(exp.cast(of_cluster, "ARRAY<ARRAY<INT>>"), kind), number)

    def faults(self) -> list[tuple[Node, Node]]:
        """What can be wrong with a row, in the order in which it is told, each with the text that is told of it."""
        words = self._words()
        spelt_out = words.bindings.spelt_out
        found = [] if self.at is None else [(F.is_null(self.place), self._no_cluster(self.at))]
        if self.struct is not None:
            found.append((F.is_null(self.struct.copy()), literal(is_null_text("put"))))
        found += [(spelt_out(wrong), told_of(words, of)) for of, wrong in words.faults()]
        none = OF_PUTS.none_given if self.struct is not None else self._none_given()
        return [*found, (both(*(equal(each, "") for each in self.names.values())), literal(none))]

    def decided(self, fields: Mapping[str, Node], named: Collection[str]) -> Node:
        """The decision of a row, from the ``fields`` of its answer; in those ``named`` names of the row may stand."""
        own = {name: each if name in named else fields[name] for name, each in self._as_named(fields).items()}
        told = case([(equal(F.column(PLACE), 0), F.Apart(this=case(self.faults())))], fields["message"])
        return F.struct_of({**own, "message": told})

    def _as_named(self, fields: Mapping[str, Node]) -> dict[str, Node]:
        """Fields of an answer with the names that the row gives where they stand in it."""

        own = self._own_where_it_stands
        found = {name: own(value) for name, value in fields.items() if DECISION.get(name) == "text"}
        if "shares" in fields:
            each = {name: own(F.field_of(F.EACH, name)) for name in TIE_NAMES}
            share = {"share": F.field_of(F.EACH, "share")}
            found["shares"] = F.each(fields["shares"], F.struct_of({**each, **share}), F.EACH.name)
        return {**fields, **found}

    @property
    def place(self) -> Node:
        """The place of the row's cluster, from 0; null if nobody gives one for its local queue manager."""
        if self.at is None:
            return literal(0)
        place = F.place_of(literal(tuple(self.clusters)), F.Unpadded(this=self.at.value.copy()))
        return exp.cast(exp.Sub(this=place, expression=literal(1)), "INT")

    @property
    def names(self) -> dict[str, Node]:
        """The names that a put gives, never null."""
        words = self._words()
        return {name: words.value(PUT[name]) for name in PUT_NAMES}

    def _key(self, name: str) -> Node:
        return F.column(KEYS[name]) if self.gives(name) else literal("")

    @property
    def _gives_both(self) -> bool:
        return all(map(self.gives, PUT_NAMES))

    def _own_where_it_stands(self, value: Node) -> Node:
        """A name of the small table, or the name of the row that it stands for."""
        return case([(equal(value.copy(), AS_NAMED[name]), key) for name, key in self.names.items()], value.copy())

    def _place_of(self, of: Column, words: RowWords) -> Node:
        """The place of what a put says in one field among all that it can say; null if it says something else."""
        value = words.value(of, as_kept=False)
        match of.kind:
            case "boolean":
                return case([(value, literal(1))], literal(0))
            case "text":
                return exp.Sub(this=word_place(of, value), expression=literal(1))
            case "texts":
                return case([(equal(F.length_of(value), 0), literal(0))])
        given = words.given(of) if words.is_there(of) else []
        own = self._own(of.name)
        said = both(*(either([F.is_null(each), equal(each.copy(), own.copy())]) for each in given))
        return case([(said, literal(0))])

    @property
    def odd_put(self) -> Node:
        """What an odd put says, as a struct; null where the row says nothing. What is left open is as its names say."""
        fields: dict[str, Node] = {"inhibited": F.coalesced(F.column("inhibited", "__mqclause_names"), exp.false())}
        for name, sources in self._sources().items():
            fields |= {_field(name, number): source.value.copy() for number, source in enumerate(sources)}
        said = F.struct_of(fields)
        return said if self.struct is None else when(negated(F.is_null(self.struct.copy())), said)

    @property
    def odd_shape(self) -> Shape:
        """The shape of the table of odd puts: ODD_PUT and ODD_DESTINATIONS."""
        situation = {
            name: [
                ValueSource(F.column(_field(name, number), ODD_PUT), source.kind, source.told)
                for number, source in enumerate(sources)
            ]
            for name, sources in self._sources().items()
        }
        # What the facts name has been checked when they were read.
        subjects = {
            name: ValueSource(F.field_of(F.EACH, name), each.kind, name, checked=True)
            for name, each in DESTINATION.items()
        }
        told = {"inhibited_on_the_way": F.column("inhibited", ODD_PUT)}
        return Shape(OUTCOME, situation, subjects, F.column(ODD_PUT), ODD_DESTINATIONS, may_be_empty=True, further=told)

    def of_one_edition(self, rules: Rules) -> Rules:
        """The rules in the edition of the local queue managers, if those of all are alike; else as they are."""
        found = self._by_edition(rules)
        return next(iter(found.values())) if len(found) == 1 else rules

    def _by_edition(self, rules: Rules) -> dict[str, Rules]:
        """The rules of each local queue manager, once for all editions that are alike."""
        of = (rules.of_level(each.queue_manager.command_level) for each in self.clusters.values())
        return {each.as_stated(each.edition): each for each in of}

    def of_odd(self, decided: Node, rules: Rules, shares: bool) -> Node:
        """What is ``decided`` of an odd put by a plan of one edition; among queue managers of several it is told so."""
        if len(self._by_edition(rules)) == 1:
            return decided
        told = invalid_decision(literal(OF_SEVERAL_EDITIONS))
        return F.struct_of({**told, **({"shares": exp.null()} if shares else {})})

    def _none_given(self) -> str:
        """What is told of a row of a flat table that names nothing: the columns that should."""
        told = [source.told for name in PUT_NAMES for source in self.sources.get(name, ())] or ["queue"]
        blank = f"{' and '.join(told)} are both blank" if len(told) > 1 else f"{told[0]} is blank"
        return f"{blank}; a put names a queue or a queue manager"

    def _no_cluster(self, at: ValueSource) -> Node:
        listed = [*self.clusters][:MOST_SHOWN]
        allowed = ", ".join([*listed, *(["…"] if len(self.clusters) > MOST_SHOWN else [])])
        return not_allowed([at.told], in_quotes(at.value.copy()), allowed)

    def _words(self) -> RowWords:
        return RowWords("put", PUT, self.sources, {}, Bindings())

    def _sources(self) -> dict[str, Sequence[ValueSource]]:
        """Where an odd put has what it says: also what its names come to, and what its cluster says for it."""
        words, found = self._words(), {name: each for name, each in self.sources.items() if not PUT[name].optional}
        bind = words.value(PUT["bind"], as_kept=False)
        left_open = equal(kept(PUT["bind"], bind.copy()), "AS_Q_DEF")
        of_queue = F.coalesced(F.column("defbind", "__mqclause_names"), literal("OPEN"))
        in_effect = case([(left_open, of_queue)], exp.cast(bind, "TEXT"))
        told = found["bind"][0].told if "bind" in found else "put.bind"
        own = ValueSource(self._own("clwlmruc"), "integer", "put.clwlmruc")
        # Names have been checked, and those that nobody knows are decided by what else they are told.
        asked = {name: F.column(f"asked_{name}", "__mqclause_names") for name in PUT_NAMES}
        given = self.names
        names = {name: F.coalesced(self._own_where_it_stands(value), given[name]) for name, value in asked.items()}
        return {
            **found,
            **{name: [ValueSource(value, "name", f"put.{name}")] for name, value in names.items()},
            "bind": [ValueSource(in_effect, "text", told)],
            "clwlmruc": [*found.get("clwlmruc", ()), own],
            "qmgr_clwluseq": [ValueSource(self._own("clwluseq"), "text", "put.qmgr_clwluseq")],
        }

    def _own(self, attribute: str) -> Node:
        """An attribute of the local queue manager."""
        values = [literal(getattr(each.queue_manager, attribute)) for each in self.clusters.values()]
        return self._of_cluster(values, "BIGINT" if PUT_OF[attribute].kind == "integer" else "TEXT", self.place)

    def _of_cluster(self, values: Sequence[Node], kind: str, at: Node) -> Node:
        """Of values, one for each cluster, that of the row's."""
        return values[0] if len(set(values)) == 1 else F.item(F.list_of(list(values), kind), at)

    def _names_of_cluster(self, names: Sequence[Sequence[str]]) -> Node:
        return self._of_cluster([literal(tuple(each)) for each in names], "ARRAY<TEXT>", F.column(AT))


PUT_OF = {"clwlmruc": PUT["clwlmruc"], "clwluseq": PUT["qmgr_clwluseq"]}
"""The fields of a put that its local queue manager gives, by the attribute."""


def _is_given(name: Node) -> Node:
    return exp.NEQ(this=name.copy(), expression=literal(""))


def _array(items: Iterable[Node]) -> Node:
    return exp.Array(expressions=list(items))


def _field(name: str, number: int) -> str:
    """The name of a field of ODD_PUT for one of several sources."""
    return f"{name}_{number}"
