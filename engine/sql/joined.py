"""Puts joined with a cluster's snapshot: what several rows ask alike is one situation, which is decided once.

What of a put makes a difference is its key: a name, the rest in the bits of one number, and a text for the few puts
that do not fit (a word that does not exist, queue managers that a message went to). Few columns are quick to compare.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field, frozen

from mqclause.columns import DESTINATION, LARGEST_NUMBER, PUT, Column
from mqclause.model.cluster import Cluster
from mqclause.model.domain import Flag, Names, Whole, Words
from mqclause.sql.binding import either
from mqclause.sql.condition import sql_literal
from mqclause.sql.packing import word_place
from mqclause.sql.shape import Kind, Shape, put_fields
from mqclause.sql.situation import names_literal, outside

COMPARED = [name for name in PUT if name != "qmgr_clwluseq"]
NAME, BITS, REST = "mq_key_name", "mq_key_bits", "mq_key_rest"


@frozen
class JoinedPuts:
    """SQL for both dialects: ``key`` says, for a column each, what of a put makes a difference.

    ``put`` is what a key says, field by field. ``shape`` is the shape of the joined table.
    """

    key: Mapping[str, str]
    put: Mapping[str, str]
    shape: Shape

    @property
    def asked(self) -> Mapping[str, str]:
        """The put that the rules see, which also depends on the key's row of the snapshot ``named``."""
        bind = self.put["bind"]
        in_effect = f"CASE WHEN {bind} = 'AS_Q_DEF' THEN COALESCE(named.defbind, 'OPEN') ELSE {bind} END"
        return {**self.put, "bind": in_effect}


def joined_puts(columns: Mapping[str, Kind], cluster: Cluster) -> JoinedPuts:
    """How the puts of a table with these columns are joined. Raises TableError."""
    present = put_fields(columns)
    beside = ["clwlmruc"] if columns.get("clwlmruc") == "integer" else []
    key = _Key()
    for name in COMPARED:
        column = PUT[name]
        default = cluster.queue_manager.clwlmruc if name == "clwlmruc" else column.default
        blank = names_literal(()) if isinstance(column.domain, Names) else sql_literal(default)
        own = [f"put.{name}"] if name in present else []
        given = [*own, *(each for each in beside if each == name)]
        key.add(column, f"COALESCE({', '.join([*given, blank])})" if given else blank)
    put = {**key.put, "qmgr_clwluseq": sql_literal(cluster.queue_manager.clwluseq)}
    return JoinedPuts(key.columns(), put, Shape(tuple(put), tuple(DESTINATION), may_be_empty=True))


def _digit(flag: str) -> str:
    return f"CASE WHEN {flag} THEN 1 ELSE 0 END"


@define
class _Key:
    """Collects the columns of a put: the ``bits``, what makes it ``odd``, its ``rest`` then, and how it is read."""

    bits: list[str] = field(factory=list)
    odd: list[str] = field(factory=list)
    rest: dict[str, str] = field(factory=dict)
    texts: list[str] = field(factory=list)
    put: dict[str, str] = field(factory=dict)
    width: int = 0

    def add(self, column: Column, value: str) -> None:
        """Adds a column whose ``value`` is never null."""
        match column.domain:
            case Flag():
                self.put[column.name] = f"({self._packed(_digit(value), 1)} = 1)"
            case Words(words):
                place = f"COALESCE({word_place(column, value)}, 0)"
                found = self._packed(place, len(words).bit_length())
                word = f"item([{', '.join(map(sql_literal, words))}], {found} - 1)"
                self._unless(f"{place} = 0", column, value, f"CASE WHEN {found} > 0 THEN {word} END")
            case Whole(_, high):
                wrong = outside(column, value)
                found = self._packed(f"CASE WHEN {wrong} THEN 0 ELSE {value} END", high.bit_length())
                shown = f"LEAST(GREATEST({value}, -{LARGEST_NUMBER}), {LARGEST_NUMBER})"
                self._unless(wrong, column, shown, f"NULLIF({found}, 0)")
            case Names():
                self._unless(f"length_of({value}) > 0", column, value, "NULL")
            case _:
                given = f"{value} <> ''"
                self.texts.append(f"WHEN {given} THEN {value}")
                self.put[column.name] = f"CASE WHEN {self._packed(_digit(given), 1)} = 1 THEN {NAME} ELSE '' END"

    def _packed(self, value: str, width: int) -> str:
        """Packs a whole number of so many bits; returns SQL that reads it."""
        shift, self.width = self.width, self.width + width
        self.bits.append(f"CAST({value} AS BIGINT) * {1 << shift}")
        return f"(({BITS} >> {shift}) & {(1 << width) - 1})"

    def _unless(self, odd: str, column: Column, value: str, found: str) -> None:
        """``found`` is the value but in ``odd`` puts; null there."""
        self.odd.append(odd)
        self.rest[column.name] = value
        kind = {Words: "text", Whole: "integer", Names: "texts"}[type(column.domain)]
        read = f"of_json(NULLIF({REST}, ''), '{column.name}', '{kind}').{column.name}"
        self.put[column.name] = f"COALESCE({found}, {read})"

    def columns(self) -> dict[str, str]:
        """The columns of the key. No put at all has bits below 0."""
        rest = ", ".join(f"'{name}': {value}" for name, value in self.rest.items())
        is_put = "WHEN put IS NOT NULL"
        return {
            NAME: f"CASE {' '.join(self.texts)} ELSE '' END",
            BITS: f"CASE {is_put} THEN {' | '.join(self.bits)} ELSE -1 END",
            REST: f"CASE {is_put} AND {either(self.odd)} THEN as_json({{{rest}}}) ELSE '' END",
        }
