"""Puts in a cluster: decide what names say once, in a small table, and find the entry of each row.

The small table is DecidedNames. Most rows are settled by it as they stand. Of others the names are looked at: whether
MQ allows them, and what stands for them where nobody knows them. A put that says something odd (its own CLWLMRUC, queue
managers that the message went to) of a name that asks the workload rules is decided by the plan of ``odd_shape``.
Nothing is looked up by more than one row of what is known, so that a table keeps its rows whatever it is made of, and
is read once.

It holds plain data, so that every engine can join with it in its own way:

- ``names``: of each name that puts can give what is decided, by the number of what they say besides. ``at`` is the
  place of the local queue manager's cluster. A name that puts do not give is "". ``spelt`` says how rows write it: as
  itself, plain or padded to 48 with blanks; as any of the queues that ``queues`` lists for the cluster (the queue is
  kept there, whatever it is); or not at all (such a row is found by ClusterPuts.found_by).
- ``numbers``: which number of the table a put has, by its place among all that it can say (ClusterPuts.number).
- ``answers``: the fields of a decision by place, with ``shares`` where those are asked for. Place 0 is that of
  invalid rows, of which only the message is their own (ClusterPuts.faults). NAME_PLACEHOLDERS stand for names of rows.
- ``draws``: by place the destinations that rows are spread over, whose answers are this one and those that follow.
- ``unknown``: the places of names that nobody knows, by cluster, then by which names a put gives, then by number.
- ``odd``: what the rules have to be asked with. A place below 0 is that of a put that says something odd of a name:
  ``-1 - place`` is the place of the name in ``odd``. There is none unless a column says what is odd.

A row is settled by the written names and the number alone: ``(at, queue, queue manager, number)`` as they stand in the
row find at most one row. What finds none has another spelling, an unknown name, or a fault. Spark does without the
written names: it is quick at taking blanks away, and a second join costs it more.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, product
from math import prod
from typing import Any, Literal

from attrs import asdict, evolve, field, fields, frozen
from sqlglot import exp

from mqclause.answers import NOBODY_LEFT
from mqclause.documents import CHOICE, OUTCOME, RESOLUTION
from mqclause.executors.pipeline import Pipeline
from mqclause.language import nodes
from mqclause.language.parser import expand_terms
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
from mqclause.language.vocabulary import Word
from mqclause.model.diagnostics import DomainError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import Words
from mqclause.model.facts.names import NamePair, build_name_pair
from mqclause.model.facts.objects import Put
from mqclause.model.facts.workload import Destination, build_situation, list_destinations
from mqclause.rulebook.rule import UnansweredError
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.functions import Bindings
from mqclause.tables.lowering import RowWords, get_word_place, normalize_value
from mqclause.tables.query import describe_disallowed, describe_source_fault, quote_text
from mqclause.tables.row import build_invalid_row
from mqclause.tables.schema import (
    DECISION,
    DESTINATION,
    PUT,
    PUT_NAMES,
    PUT_REQUIREMENTS,
    Column,
    Shape,
    Sources,
    ValueSource,
    render_null_fault,
)
from mqclause.tables.shares import FEW_DRAWS, TIE_NAMES, Spread, list_ties, multiplier_of
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.resolution import Resolution, ResolutionStep

ODD_PUT, ODD_DESTINATIONS, ODD_EDITION = "__mqclause_put", "__mqclause_destinations", "__mqclause_edition"
"""Columns on the way: what an odd put says, what its names lead to, and which of the local queue managers' editions
decides it."""

NUMBER, SETTLED, PLACE = (f"__mqclause_{name}" for name in ("number_said", "settled", "place"))
"""Columns on the way: what a put says besides names, the place of the answer that the names lead to as written, and the
place of a row's answer."""

AT, KEYS = "__mqclause_at", {name: f"__mqclause_{name}" for name in PUT_NAMES}
"""Columns on the way: the place of the row's cluster, and the names that its put gives."""

MOST_SHOWN = 12
"""Local queue managers that a message lists."""

ASKED_NAMES = tuple(f"asked_{name}" for name in PUT_NAMES)
"""What the names come to, of which the workload rules are asked; null for the row's own."""

NAME_PLACEHOLDERS = {"queue": "* ", "queue_manager": "** "}
"""Stand for the names that a row gives, whatever they are. They end in a blank, as no name does that a row is known by.
"""

ANSWER_NAMES = (*PUT_NAMES, "transmission_queue")
"""The fields of an answer in which a name of the row may stand."""


def _can_say() -> dict[str, Sequence[Any]]:
    """What a put can say in each field without being odd. Its CLWLMRUC is the queue manager's."""
    every: dict[str, Sequence[Any]] = {"boolean": (False, True), "texts": ((),), "integer": (None,)}
    said = [each for name, each in PUT.items() if name not in PUT_NAMES and not each.optional]
    return {each.name: every.get(each.kind) or each.domain.words for each in said}  # type: ignore[union-attr]


PUT_VALUES = _can_say()
"""All that a put can say besides a name, field by field; numbers count through the last field first."""

MOST_WRITTEN = 100_000
"""Pairs of names that are written out; where there are more, the queues that are kept are found one by one."""

Spelling = Literal["itself", "any", "none"]


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
        """Return whether rows state a field of a put."""
        return name in self.sources

    @property
    def can_say(self) -> tuple[tuple[str, Sequence[Any]], ...]:
        """The values that the puts of the table can have in each field without being odd."""
        fixed = dict(self.constants)
        return tuple(
            (name, values if name not in fixed and self.gives(name) else (fixed.get(name, PUT[name].default),))
            for name, values in PUT_VALUES.items()
        )

    @property
    def says_odd(self) -> bool:
        """Whether a column may say of a put what has no number."""
        return any(len(PUT_VALUES[name]) == 1 for name in self._varying)

    @property
    def _varying(self) -> list[str]:
        """The fields besides names that are not the same in every row."""
        return [name for name in PUT_VALUES if self.gives(name) and name not in dict(self.constants)]

    def number(self, numbers: Sequence[int]) -> Node | None:
        """Write the number of what a put says; null for a value without one. None where all puts say the same."""
        if not self._varying:
            return None
        said, any_value = self._place_said(any_value=False), self._place_said(any_value=True)
        count = prod(len(values) for _, values in self.can_say)
        place = any_value
        if self.says_odd:
            place = F.coalesce(said, F.add(any_value, count))
        if list(numbers) == list(range(len(numbers))):
            return exp.cast(place, "INT")
        return F.get_item(F.build_list([build_literal(each) for each in numbers], "INT"), place)

    def _place_said(self, any_value: bool) -> Node:
        """The place of what a put says among all that it can say; ``any_value`` takes what is odd for what is not."""
        words, place = self._words(), build_literal(0)
        wrong = {of.name: words.bindings.spelt_out(each) for of, each in words.faults()}
        for name in self._varying:
            values = PUT_VALUES[name]
            is_odd = any_value and len(values) == 1
            own = (
                build_case([(wrong[name], exp.null())], build_literal(0))
                if is_odd
                else self._place_of(PUT[name], words)
            )
            before = F.multiply(place, len(values))
            place = F.add(before, own)
        return place

    @property
    def written(self) -> dict[str, Node]:
        """The values that settle a row as written, by the column of the small table; names may be null."""
        at = {} if self.at is None else {"at": self.at.value}
        return at | {name: self.sources[name][0].value for name in PUT_NAMES if self.gives(name)}

    def found_by(self, rules: Rules, unsettled: Node | None) -> tuple[list[dict[str, Node]], dict[str, Node]]:
        """Write the columns by which the answer to an ``unsettled`` row is looked up, in levels.

        Also the columns of the small table that they are compared with. They are null in other rows; without
        ``unsettled`` every row is. A name that MQ does not allow finds nothing, but where something else stands for it
        (see ``place_of``).
        """
        keys = {} if self.at is None else {AT: self.place}
        keys |= {KEYS[name]: each for name, each in self.names.items() if self.gives(name)}
        at = build_literal(0) if self.at is None else F.build_column(AT)
        found, on = self._by_name(rules), {"at": at, **{name: self._key(name) for name in PUT_NAMES}}
        anew = {f"__mqclause_by_{name}": tree for name, tree in found.items() if tree != on[name]}
        first = {name: key if unsettled is None else build_if(unsettled, key) for name, key in keys.items()}
        by = {name: F.build_column(f"__mqclause_by_{name}") for name in found if found[name] != on[name]}
        return [first, *([anew] if anew else [])], on | by

    def _is_invalid(self, found: Node, by: Mapping[str, Node]) -> Node:
        """Whether a row has a fault, if ``by`` itself has ``found`` nothing; null of others."""
        stands = [build_equality(by[name], NAME_PLACEHOLDERS[name]) for name in PUT_NAMES]
        return build_if(build_or([F.is_null(found), *stands]), build_or(wrong for wrong, _ in self.faults()))

    def _by_name(self, rules: Rules) -> dict[str, Node]:
        """By what the names of a row are found: themselves, or what stands for any."""
        known = [build_named_puts(cluster, rules) for cluster in self.clusters.values()]
        apart = self._of_cluster([build_literal(each.apart) for each in known], "BOOLEAN", F.build_column(AT))
        queue, queue_manager = map(self._key, PUT_NAMES)
        manager, stands = self._manager(known, apart), []
        if self._gives_both:
            beside = self._beside(known, manager)
            is_kept = build_and(F.is_unequal(queue, ""), F.is_unequal(queue_manager, ""), F.is_null(beside))
            said = [build_literal(name) for name in known[0].said]
            stands.append(build_and(is_kept, build_not(exp.In(this=queue, expressions=said))) if said else is_kept)
        if self.gives("queue") and any(each.apart for each in known):
            listed = self._names_of_cluster([each.queues for each in known])
            stands.append(build_and(apart, F.is_unequal(queue, ""), build_not(F.has_item(listed, queue))))
        any_queue = build_literal(NAME_PLACEHOLDERS["queue"])
        return {"queue": build_case([(each, any_queue) for each in stands], queue), "queue_manager": manager}

    def _manager(self, known: Sequence[NamedPuts], apart: Node) -> Node:
        own = self._key("queue_manager")
        if not self.gives("queue_manager") or not any(each.apart for each in known):
            return own
        listed = self._names_of_cluster([each.managers for each in known])
        stands = build_and(apart, F.is_unequal(own, ""), build_not(F.has_item(listed, own)))
        return build_case([(stands, build_literal(NAME_PLACEHOLDERS["queue_manager"]))], own)

    def _beside(self, known: Sequence[NamedPuts], manager: Node) -> Node:
        """The place of the queue manager among those beside which the name of a queue is looked up, from 1, or null."""
        return F.find_place(self._names_of_cluster([each.beside for each in known]), manager)

    def place_of(
        self,
        found: Node,
        by: Mapping[str, Node],
        unknown: Sequence[Sequence[Sequence[int]]],
        rules: Rules,
        number: Node,
    ) -> Node:
        """Write the place of a row's answer: of a row that is ``found`` ``by`` names or ``unknown``; 0 if invalid."""
        places = [found] if not any(unknown) else [found, self._unknown_place(unknown, rules, number)]
        is_invalid = self._is_invalid(found, by)
        return F.coalesce(build_if(is_invalid, build_literal(0)), *places, build_literal(0))

    def _unknown_place(self, unknown: Sequence[Sequence[Sequence[int]]], rules: Rules, number: Node) -> Node:
        """A queue that nobody knows is the first kind, a queue manager the next, then both, then beside a known one."""
        known = [build_named_puts(cluster, rules) for cluster in self.clusters.values()]
        queue, manager = map(self._key, PUT_NAMES)
        beside = F.add(self._beside(known, self._manager(known, exp.false())), 2)
        kind: Node = build_literal(0)
        if self.gives("queue_manager"):
            kinds = [(build_equality(manager, ""), build_literal(0)), (build_equality(queue, ""), build_literal(1))]
            kind = build_case(kinds, F.coalesce(beside, build_literal(2)))

        def array(items: Iterable[Node]) -> Node:
            return exp.Array(expressions=[*items])

        listed = [array(array(map(build_literal, places)) for places in kinds) for kinds in unknown]
        of_cluster = self._of_cluster(listed, "ARRAY<ARRAY<INT>>", F.build_column(AT))
        return F.get_item(F.get_item(exp.cast(of_cluster, "ARRAY<ARRAY<INT>>"), kind), number)

    def faults(self) -> list[tuple[Node, Node]]:
        """List what can be wrong with a row, in the order of precedence, each with its message."""
        words = self._words()
        spelt_out = words.bindings.spelt_out
        found = [] if self.at is None else [(F.is_null(self.place), self._no_cluster(self.at))]
        if self.struct is not None:
            found.append((F.is_null(self.struct), build_literal(render_null_fault("put"))))
        found += [(spelt_out(wrong), describe_source_fault(words, of)) for of, wrong in words.faults()]
        none = PUT_REQUIREMENTS.none_given if self.struct is not None else self._none_given()
        return [*found, (build_and(*(build_equality(each, "") for each in self.names.values())), build_literal(none))]

    def decided(self, fields: Mapping[str, Node], named: Collection[str]) -> Node:
        """Write the decision of a row from the ``fields`` of its answer.

        In those ``named``, names of the row may stand for any name.
        """
        own = {name: each if name in named else fields[name] for name, each in self._as_named(fields).items()}
        told = build_case(
            [(build_equality(F.build_column(PLACE), 0), F.Apart(this=build_case(self.faults())))], fields["message"]
        )
        return F.build_struct({**own, "message": told})

    def _as_named(self, fields: Mapping[str, Node]) -> dict[str, Node]:
        """Fields of an answer with the names that the row gives where they stand in it."""

        own = self._own_where_it_stands
        found = {name: own(value) for name, value in fields.items() if DECISION.get(name) == "text"}
        if "shares" in fields:
            each = {name: own(F.get_field(F.EACH, name)) for name in TIE_NAMES}
            share = {"share": F.get_field(F.EACH, "share")}
            found["shares"] = F.map_items(fields["shares"], F.build_struct({**each, **share}), F.EACH.name)
        return {**fields, **found}

    @property
    def place(self) -> Node:
        """The place of the row's cluster, from 0; null if nobody gives one for its local queue manager."""
        if self.at is None:
            return build_literal(0)
        place = F.find_place(build_literal(tuple(self.clusters)), F.Unpadded(this=self.at.value))
        return exp.cast(F.subtract(place, 1), "INT")

    @property
    def names(self) -> dict[str, Node]:
        """The names that a put gives, never null."""
        words = self._words()
        return {name: words.value(PUT[name]) for name in PUT_NAMES}

    def _key(self, name: str) -> Node:
        return F.build_column(KEYS[name]) if self.gives(name) else build_literal("")

    @property
    def _gives_both(self) -> bool:
        return all(map(self.gives, PUT_NAMES))

    def _own_where_it_stands(self, value: Node) -> Node:
        """A name of the small table, or the name of the row that it stands for."""
        return build_case(
            [(build_equality(value, NAME_PLACEHOLDERS[name]), key) for name, key in self.names.items()], value
        )

    def _place_of(self, of: Column, words: RowWords) -> Node:
        """The place of what a put says in one field among all that it can say; null if it says something else."""
        value = words.value(of, as_kept=False)
        match of.kind:
            case "boolean":
                return build_case([(value, build_literal(1))], build_literal(0))
            case "text":
                return F.subtract(get_word_place(of, value), 1)
            case "texts":
                return build_case([(build_equality(F.count_items(value), 0), build_literal(0))])
        given = words.given(of) if words.is_there(of) else []
        own = self._own(of.name)
        said = build_and(*(build_or([F.is_null(each), build_equality(each, own)]) for each in given))
        return build_case([(said, build_literal(0))])

    @property
    def odd_put(self) -> Node:
        """What an odd put says, as a struct; null where the row says nothing. What is left open is as its names say."""
        fields: dict[str, Node] = {
            "inhibited": F.coalesce(F.build_column("inhibited", "__mqclause_names"), exp.false())
        }
        for name, sources in self._sources().items():
            fields |= {_field(name, number): source.value for number, source in enumerate(sources)}
        said = F.build_struct(fields)
        return said if self.struct is None else build_if(build_not(F.is_null(self.struct)), said)

    @property
    def odd_shape(self) -> Shape:
        """The shape of the table of odd puts: ODD_PUT and ODD_DESTINATIONS."""
        situation = {
            name: [
                ValueSource(F.build_column(_field(name, number), ODD_PUT), source.kind, source.told)
                for number, source in enumerate(sources)
            ]
            for name, sources in self._sources().items()
        }
        # What the facts name has been checked when they were read.
        subjects = {
            name: ValueSource(F.get_field(F.EACH, name), each.kind, name, checked=True)
            for name, each in DESTINATION.items()
        }
        told = {"inhibited_on_the_way": F.build_column("inhibited", ODD_PUT)}
        return Shape(
            OUTCOME, situation, subjects, F.build_column(ODD_PUT), ODD_DESTINATIONS, may_be_empty=True, further=told
        )

    def of_one_edition(self, rules: Rules) -> Rules:
        """Return the rules in the edition of all local queue managers, or as they are where editions differ."""
        found = self.list_editions(rules)
        return found[0] if len(found) == 1 else rules

    def list_editions(self, rules: Rules) -> list[Rules]:
        """List the rules of the local queue managers, once for all editions with the same rules."""
        of = (rules.of_level(each.queue_manager.command_level) for each in self.clusters.values())
        return [*{each.as_stated(each.edition, *CHOICE): each for each in of}.values()]

    def find_edition(self, cluster: Cluster, rules: Rules) -> int:
        """Find the place of a cluster's rules in that list."""
        own = rules.of_level(cluster.queue_manager.command_level)
        known = [each.as_stated(each.edition, *CHOICE) for each in self.list_editions(rules)]
        return known.index(own.as_stated(own.edition, *CHOICE))

    def _none_given(self) -> str:
        """What is told of a row of a flat table that names nothing: the columns that should."""
        told = [source.told for name in PUT_NAMES for source in self.sources.get(name, ())] or ["queue"]
        blank = f"{' and '.join(told)} are both blank" if len(told) > 1 else f"{told[0]} is blank"
        return f"{blank}; a put names a queue or a queue manager"

    def _no_cluster(self, at: ValueSource) -> Node:
        listed = [*self.clusters][:MOST_SHOWN]
        allowed = ", ".join([*listed, *(["…"] if len(self.clusters) > MOST_SHOWN else [])])
        return describe_disallowed([at.told], quote_text(at.value), allowed)

    def _words(self) -> RowWords:
        return RowWords("put", PUT, self.sources, {}, Bindings())

    def _sources(self) -> dict[str, Sequence[ValueSource]]:
        """Where an odd put has what it says: also what its names come to, and what its cluster says for it."""
        words, found = self._words(), {name: each for name, each in self.sources.items() if not PUT[name].optional}
        bind = words.value(PUT["bind"], as_kept=False)
        left_open = build_equality(normalize_value(PUT["bind"], bind), "AS_Q_DEF")
        of_queue = F.coalesce(F.build_column("defbind", "__mqclause_names"), build_literal("OPEN"))
        in_effect = build_case([(left_open, of_queue)], exp.cast(bind, "TEXT"))
        told = found["bind"][0].told if "bind" in found else "put.bind"
        own = ValueSource(self._own("clwlmruc"), "integer", "put.clwlmruc")
        # Names have been checked, and those that nobody knows are decided by what else they are told.
        asked = {name: F.build_column(f"asked_{name}", "__mqclause_names") for name in PUT_NAMES}
        given = self.names
        names = {name: F.coalesce(self._own_where_it_stands(value), given[name]) for name, value in asked.items()}
        return {
            **found,
            **{name: [ValueSource(value, "name", f"put.{name}")] for name, value in names.items()},
            "bind": [ValueSource(in_effect, "text", told)],
            "clwlmruc": [*found.get("clwlmruc", ()), own],
            "qmgr_clwluseq": [ValueSource(self._own("clwluseq"), "text", "put.qmgr_clwluseq")],
        }

    def _own(self, attribute: str) -> Node:
        """An attribute of the local queue manager."""
        values = [getattr(each.queue_manager, attribute) for each in self.clusters.values()]
        kind = "BIGINT" if isinstance(values[0], int) else "TEXT"
        return self._of_cluster([build_literal(each) for each in values], kind, self.place)

    def _of_cluster(self, values: Sequence[Node], kind: str, at: Node) -> Node:
        """Of values, one for each cluster, that of the row's."""
        return values[0] if len(set(values)) == 1 else F.get_item(F.build_list(list(values), kind), at)

    def _names_of_cluster(self, names: Sequence[Sequence[str]]) -> Node:
        return self._of_cluster([build_literal(tuple(each)) for each in names], "ARRAY<TEXT>", F.build_column(AT))


@frozen
class NamedPut:
    """One pair of names that puts can give in a cluster, and the ``put`` that is asked about it.

    The queue of ``free``, or its queue manager, stands for any name; of a put that is ``unknown`` no name is known to
    anybody.
    """

    put: Put
    free: Put
    unknown: bool = False

    @property
    def queue(self) -> str:
        """The queue, or what stands for any."""
        return self.shown(self.put.queue)

    @property
    def queue_manager(self) -> str:
        """The queue manager, or what stands for any."""
        return self.shown(self.put.queue_manager)

    def asked(self, cluster: Cluster, rules: Rules) -> dict[str, Any] | None:
        """Build what the workload rules are asked with: what the names come to, and the ``destinations``.

        None if they are not asked.
        """
        engine = get_engine(rules).at(cluster)
        where = engine.resolve(cluster, self.put.queue, self.put.queue_manager)
        if not where.needs_workload_rules:
            return None
        listed = map(asdict, self._listed(cluster, engine, where))
        own = {name: None if shown == NAME_PLACEHOLDERS[name] else shown
               for name, shown in zip(PUT_NAMES, map(self.shown, where.names), strict=True)}  # fmt: skip
        return {
            **dict(zip(ASKED_NAMES, own.values(), strict=True)),
            "defbind": where.default_binding,
            "inhibited": where.inhibited,
            "destinations": [{name: _value(each[of.word], of) for name, of in DESTINATION.items()} for each in listed],
        }

    def _listed(self, cluster: Cluster, engine: Engine, where: Resolution) -> Iterator[Destination]:
        """The destinations. Which queue they keep, the plan of an odd put says, and not who is none that keeps it."""
        seen, listing = build_situation(self.put, where.names, where.default_binding, cluster, 0), engine.listing
        keeps = bool(listing.kept_queue(seen))
        listed = list_destinations(cluster, where.named, listing)
        return (each for each in listed if not (keeps and listing.own_alias(each)))

    def shown(self, name: str) -> str:
        """Return a name of an answer, or its placeholder where the row's own name is meant."""
        for part, stands in NAME_PLACEHOLDERS.items():
            if name == getattr(self.free, part) == getattr(self.put, part):
                return stands
        return name

    def decided(self, engine: Engine, put: Put, cluster: Cluster, explain: bool, with_ties: bool) -> dict[str, Any]:
        """Build the ``decision`` about a put of these names, with the ``ties`` in the long run."""
        if found := build_refusal(cluster, put):
            return {"decision": found, **({"ties": []} if with_ties else {})}
        found = build_answer(engine.choose(put, cluster, None, "rule" if explain else "off"), explain)
        tied = list_ties(engine, put, cluster) if with_ties and found["outcome"] != "invalid" else []
        for each in (found, *tied):
            each |= {name: self.shown(each[name]) for name in ANSWER_NAMES if each.get(name)}
        return {"decision": found, **({"ties": tied} if with_ties else {})}


@frozen
class NamedPuts:
    """All that puts can name in one cluster.

    Beside the queue managers ``beside`` it matters which queue is named; beside any other its name is kept, whatever
    it is, those that rules ``said`` each for itself. Names that nobody knows are ``apart`` where rules say
    names, or lead such a name to what others know: they are then found as those of ``queues`` and ``managers`` are, by
    what stands for them.
    """

    named: Sequence[NamedPut]
    beside: Sequence[str]
    queues: Sequence[str]
    managers: Sequence[str]
    said: Sequence[str]
    apart: bool


@lru_cache(maxsize=32)
def build_named_puts(cluster: Cluster, rules: Rules) -> NamedPuts:
    """List what puts can name in a cluster."""
    said = tuple(name for name in find_compared_names(rules) if _put(name) is not None)
    taken = _taken(cluster) | {*said}
    not_taken = (name for name in (f"NONE.{number}" for number in count()) if name not in taken)
    free = Put(next(not_taken), next(not_taken))
    # Named as a queue, an alias of a queue manager is not unknown either.
    objects = dict.fromkeys([*cluster.queues_by_name, *cluster.aliases_by_name, *cluster.models, *said])
    queues, managers = [name for name in objects if _put(name) is not None], _managers(cluster, rules, free)
    kinds, resolve = _kinds(cluster, queues), get_engine(rules).at(cluster).resolve

    def is_looked_up(manager: str) -> bool:
        kept = resolve(cluster, free.queue, manager)
        refuses = any(cluster.refusal(queue, manager) for queue in cluster.models)
        return refuses or not all(
            _lead_alike(resolve(cluster, queue, manager), queue, kept, free.queue) for queue in kinds
        )

    beside = list(filter(is_looked_up, managers))
    unknown = [Put(free.queue), Put("", free.queue_manager), free, *(Put(free.queue, name) for name in beside)]
    by_unknown = is_looked_up(free.queue_manager)
    leads_on = any(resolve(cluster, put.queue, put.queue_manager).needs_workload_rules for put in unknown)
    apart = bool(said) or by_unknown or leads_on
    known_queues, known_managers = queues, managers
    if apart:
        known_queues, known_managers = [*queues, free.queue], [*managers, free.queue_manager]
        beside += [free.queue_manager] if by_unknown else []
    known = [*(Put(name) for name in known_queues), *(Put("", name) for name in known_managers)]
    known += [Put(queue, name) for name in beside for queue in known_queues]
    known += [Put(queue, name) for name in known_managers if name not in beside for queue in (free.queue, *said)]
    named = [NamedPut(put, free) for put in known]
    named += [] if apart else [NamedPut(put, free, unknown=True) for put in unknown]
    stands = {free.queue_manager: NAME_PLACEHOLDERS["queue_manager"]}
    return NamedPuts(named, [stands.get(name, name) for name in beside], queues, managers, said, apart)


@lru_cache(maxsize=8)
def get_engine(rules: Rules) -> Engine:
    """Return the engine of ``rules``, made once in each process. Raises RuleError."""
    return Engine(rules)


@lru_cache(maxsize=8)
def find_compared_names(rules: Rules) -> tuple[str, ...]:
    """Find the names that rules compare others with; those that come with the project compare none."""
    found: dict[str, None] = {}
    for steps in (*Pipeline.of(rules, RESOLUTION).steps, *Pipeline.of(rules, OUTCOME).steps):
        for tree in steps.expressions():
            for test in expand_terms(tree, steps.vocabulary).find_all(nodes.EQ, nodes.NEQ, nodes.In):
                values = [value for side in test.parts for value in _values(side)]
                if any(
                    _is_name(steps.vocabulary.words[each.name]) for each in values if isinstance(each, nodes.Column)
                ):
                    found |= {each.this: None for each in values if isinstance(each, nodes.Literal) and each.this}
    return tuple(found)


@lru_cache(maxsize=32)
def decide_puts(
    cluster: Cluster,
    rules: Rules,
    explain: bool,
    with_ties: bool = False,
    can_say: Sequence[tuple[str, Sequence[Any]]] = tuple(PUT_VALUES.items()),
) -> Sequence[Sequence[dict[str, Any]]]:
    """Decide, for each pair of names in a cluster, everything that a put can say of it, by number."""
    engine, fields = get_engine(rules).at(cluster), [name for name, _ in can_say]
    said = [dict(zip(fields, each, strict=True)) for each in product(*(values for _, values in can_say))]
    for each in said:
        each.pop("clwlmruc", None)
    return [
        [
            named.decided(engine, evolve(named.put, **each), cluster, explain, with_ties)
            for each in said
        ]
        for named in build_named_puts(cluster, rules).named
    ]  # fmt: skip


def build_refusal(cluster: Cluster, put: Put) -> dict[str, Any] | None:
    """Build the decision about a put that cannot be asked about, as of a model queue; None for any other."""
    told = cluster.refusal(put.queue, put.queue_manager)
    return build_invalid_row(f"put: {told}") if told else None


def build_answer(found: Decision, explain: bool) -> dict[str, Any]:
    """Build the fields of the column ``decision``; a put about which a user's own rules say nothing is invalid."""
    try:
        to = found.chosen
    except UnansweredError:
        return build_invalid_row(NOBODY_LEFT)
    fell = found.fell_by() if explain and found.runs else {}
    return {
        "outcome": found.outcome,
        "queue": to and (to.queue or None),
        "queue_manager": to and (to.queue_manager or None),
        "channel": to and (to.channel or None),
        "reason": found.reason and found.reason.code,
        "permitted": len(found.remaining),
        "eliminated_by": [fell.get(each) for each in found.listed] if explain else None,
        "message": None,
        "transmission_queue": to and (to.transmission_queue or None),
    }


@frozen
class NameRow:
    """One pair of names that puts can give, and the ``places`` of the decisions about it, by number."""

    at: int
    queue: str
    queue_manager: str
    spelt: Spelling
    places: Sequence[int]


@frozen
class DecidedNames:
    """The small table of what is decided by names; the head of this module tells of each part."""

    names: Sequence[NameRow]
    queues: Sequence[Sequence[str]]
    numbers: Sequence[int]
    answers: Sequence[Mapping[str, Any]]
    draws: Mapping[int, Sequence[Mapping[str, Any]]]
    unknown: Sequence[Sequence[Sequence[int]]]
    odd: Sequence[Mapping[str, Any]]

    @property
    def few_draws(self) -> int:
        """The most destinations of any answer whose destinations are few."""
        return max((len(each) for each in self.draws.values() if len(each) <= FEW_DRAWS), default=0)

    @property
    def has_many_draws(self) -> bool:
        """Whether the destinations of some answer are more."""
        return any(len(each) > FEW_DRAWS for each in self.draws.values())

    @property
    def told(self) -> list[str]:
        """The fields of an answer that hold something in some answer; and ``shares``, if they are asked for."""
        every = dict.fromkeys(name for each in self.answers for name in each)
        return [name for name in every if name == "shares" or any(each.get(name) is not None for each in self.answers)]

    @property
    def tells_names(self) -> frozenset[str]:
        """The fields of an answer, ``shares`` among them, in which a name of the row stands in some answer."""
        return frozenset(name for each in self.answers for name in _fields_of_own_names(each))

    @property
    def ready(self) -> list[int]:
        """The places of answers that are the same for all rows that have them."""
        taken = {place + at for place, draws in self.draws.items() for at in range(len(draws))}
        return [
            place
            for place, each in enumerate(self.answers)
            if place and place not in taken and not any(_fields_of_own_names(each))
        ]


def _fields_of_own_names(answer: Mapping[str, Any]) -> Iterator[str]:
    """The fields in which a name of the row stands."""
    for name, value in answer.items():
        listed = value if name == "shares" and value else [{name: value}]
        if any(told in NAME_PLACEHOLDERS.values() for one in listed for told in one.values() if isinstance(told, str)):
            yield name


@lru_cache(maxsize=32)
def decided_names(puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None) -> DecidedNames:
    """Decide the small table of a table of ``puts``. Raises RuleError."""
    answers, clusters, odd = _Answers(spread), list(puts.clusters.values()), list[Mapping[str, Any]]()
    found: list[tuple[int, NamedPuts, NamedPut, list[int]]] = []
    for at, cluster in enumerate(clusters):
        names, edition = build_named_puts(cluster, rules), puts.find_edition(cluster, rules)
        decided = decide_puts(cluster, rules, explain, spread is not None, puts.can_say)
        for named, each in zip(names.named, decided, strict=True):
            # Of what is unknown each kind has its place.
            if not named.unknown and any(getattr(named.put, name) and not puts.gives(name) for name in PUT_NAMES):
                continue
            places = [answers.place(one) for one in each]
            if puts.says_odd:
                asked = named.asked(cluster, rules)
                places += [-1 - len(odd)] * len(places) if asked else places
                odd += [{**asked, "edition": edition}] if asked else []
            found.append((at, names, named, places))
    numbers, kept = _different([places for *_, places in found])
    rows = [
        NameRow(at, named.queue, named.queue_manager, _spelt(names, named), [places[number] for number in kept])
        for at, names, named, places in found if not named.unknown
    ]  # fmt: skip
    unknown = [
        [[places[number] for number in kept] for its, _, named, places in found if its == at and named.unknown]
        for at in range(len(clusters))
    ]
    queues = [[name for name in build_named_puts(each, rules).queues if name not in build_named_puts(each, rules).said]
              for each in clusters]  # fmt: skip
    written = sum(len(queues[each.at]) for each in rows if each.spelt == "any") * len(kept)
    if written > MOST_WRITTEN:
        queues = [[] for _ in queues]
    return DecidedNames(rows, queues, numbers, answers.found, answers.draws, unknown, odd)


def _field(name: str, number: int) -> str:
    """The name of a field of ODD_PUT for one of several sources."""
    return f"{name}_{number}"


def _kinds(cluster: Cluster, queues: Sequence[str]) -> list[str]:
    """One queue of each kind that the local queue manager has or knows: alike in all but names."""
    words = {each.name for each in fields(NamePair) if isinstance(each.metadata.get("domain"), Words)}

    def kind(queue: str) -> tuple[object, ...]:
        known = asdict(build_name_pair(cluster, Put(queue)))
        return tuple(bool(value) if isinstance(value, str | tuple) and name not in words else value
                     for name, value in known.items())  # fmt: skip

    return list({kind(queue): queue for queue in queues}.values())


def _lead_alike(one: Resolution, queue: str, other: Resolution, instead: str) -> bool:
    """Whether names lead the same way, by the same rules, where ``queue`` stands for another one that is kept."""

    def alike(look: ResolutionStep, as_look: ResolutionStep) -> bool:
        facts = zip(look.facts.values(), as_look.facts.values(), strict=True)
        return look.rule is as_look.rule and all(
            value == another or (value == queue and another == instead) for value, another in facts
        )

    return len(one.looks) == len(other.looks) and all(map(alike, one.looks, other.looks))


def _managers(cluster: Cluster, rules: Rules, free: Put) -> list[str]:
    """What stands for a queue manager: those of the cluster, their aliases, and local queues that lead to one.

    And every name that rules say, which may lead somewhere.
    """
    engine = get_engine(rules).at(cluster)

    def led(name: str) -> list[str | None]:
        looks = [look for queue in ("", free.queue) for look in engine.resolve(cluster, queue, name).looks]
        return [None if each.rule is None else each.rule.id for each in looks]

    nowhere = led(free.queue_manager)
    there = [cluster.queue_manager.name, *cluster.remote, *cluster.aliases_by_name, *find_compared_names(rules)]
    there += [name for name in cluster.own_queues if _put("", name) is not None and led(name) != nowhere]
    return [name for name in dict.fromkeys(there) if _put("", name) is not None]


def _values(tree: nodes.Expression) -> Iterator[nodes.Expression]:
    """What a side of a comparison is, in any of its cases."""
    if isinstance(tree, nodes.Paren):
        yield from _values(tree.this)
    elif isinstance(tree, nodes.Case):
        for each in tree.values:
            yield from _values(each)
    else:
        yield tree


def _is_name(word: Word) -> bool:
    """Whether a word is a name that facts or puts give: text of no closed list, and not what a rule says itself."""
    return word.type.kind == "text" and not word.type.words and not word.is_derived


def _put(queue: str, queue_manager: str = "") -> Put | None:
    """None for a name in the facts that no put can give."""
    try:
        return Put(queue, queue_manager)
    except DomainError:
        return None


def _taken(cluster: Cluster) -> set[str]:
    known = (cluster.queues_by_name, cluster.own_queues, cluster.aliases_by_name, cluster.remote, cluster.models)
    return {cluster.queue_manager.name}.union(*known)


def _value(value: object, of: Column) -> object:
    """A blank word is null in a table."""
    return None if value == "" and of.default != "" else value


def _spelt(names: NamedPuts, named: NamedPut) -> Spelling:
    if named.queue_manager == NAME_PLACEHOLDERS["queue_manager"]:
        return "none"
    if named.queue != NAME_PLACEHOLDERS["queue"]:
        return "itself"
    return "any" if named.queue_manager and named.queue_manager not in names.beside else "none"


def _different(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Of the columns of ``rows`` those that differ, and for each column its place among them."""
    places: dict[tuple[int, ...], int] = {}
    numbers = [places.setdefault(column, len(places)) for column in zip(*rows, strict=True)]
    return numbers, [numbers.index(place) for place in range(len(places))]


@frozen
class _Answers:
    """Collects answers: each that differs from others has a place of its own."""

    spread: Spread | None
    found: list[Mapping[str, Any]] = field(factory=lambda: [build_invalid_row("")])
    draws: dict[int, Sequence[Mapping[str, Any]]] = field(factory=dict)
    _places: dict[str, int] = field(factory=dict)

    def place(self, decided: Mapping[str, Any]) -> int:
        """The place of what is decided of a put; of one that is spread that of the first destination."""
        answers, draws = list(self._spread(decided)), self._draws(decided)
        key = json.dumps([answers, draws])
        if key not in self._places:
            self._places[key] = len(self.found)
            if len(answers) > 1:
                self.draws[len(self.found)] = draws
            self.found.extend(answers)
        return self._places[key]

    def _is_spread(self, decided: Mapping[str, Any]) -> bool:
        by = self.spread is not None and self.spread.by is not None
        return bool(by and decided["decision"]["outcome"] == "chosen" and decided["ties"])

    def _spread(self, decided: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        decision = dict(decided["decision"])
        if self.spread is not None and self.spread.shares:
            decision["shares"] = _shares(decided)
        for tie in decided["ties"] if self._is_spread(decided) else [{}]:
            yield {**decision, **{name: tie[name] for name in TIE_NAMES if name in tie}}

    def _draws(self, decided: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        ties = decided["ties"] if self._is_spread(decided) else []
        return [{"multiplier": multiplier_of(each), "weight": each["weight"]} for each in ties]


def _shares(decided: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The parts of the destinations; a call that fails, or fixes no destination, puts nothing anywhere."""
    outcome, ties = decided["decision"]["outcome"], decided["ties"]
    if outcome != "chosen":
        return None if outcome == "invalid" else []
    total = sum(each["weight"] for each in ties)
    return [{**{name: each[name] for name in TIE_NAMES}, "share": each["weight"] / total} for each in ties]
