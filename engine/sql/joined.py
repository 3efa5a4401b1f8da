"""Puts joined with a cluster's snapshot: what several rows ask alike is one situation, which is decided once.

What of a put makes a difference is its key: a number and a text, as few columns are quick to compare. The number has
a word by its place in the list of words, a flag in one bit, a whole number as it is. The text is the name that is put
to, followed by the queue manager that a message went to; the number says where that starts. Of the few puts that do
not fit (a word that does not exist, several queue managers) the text is JSON: such a put is odd.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from mqclause.columns import DESTINATION, LARGEST_NUMBER, PUT, Column
from mqclause.model.cluster import Cluster
from mqclause.model.domain import Flag, Names, Text, Whole, Words
from mqclause.sql.binding import either
from mqclause.sql.condition import sql_literal
from mqclause.sql.packing import Bits, bit_width, word_place
from mqclause.sql.shape import Kind, Shape, put_fields
from mqclause.sql.situation import names_literal, outside

BITS, TEXT = "mq_key_bits", "mq_key_text"
NAME = "name"
"""The field of an odd put's JSON that is the name put to."""

GOES_ON = 7
"""Bits for where the queue manager that a message went to starts in the text: 0 for none, SEVERAL for odd puts."""
SEVERAL = (1 << GOES_ON) - 1


def _layout() -> Iterator[tuple[str, Bits]]:
    shift = 0
    for name, column in PUT.items():
        if name != "qmgr_clwluseq":
            # Of a name, whether it is given.
            width = GOES_ON if isinstance(column.domain, Names) else bit_width(column) or 1
            yield name, Bits(shift, width)
            shift += width


LAYOUT = dict(_layout())
"""Where each column of a put stands in the number."""


def _found(name: str) -> str:
    """SQL: what the number has of a column."""
    return f"(({BITS} >> {LAYOUT[name].shift}) & {LAYOUT[name].mask})"


def _odd() -> Iterator[str]:
    for name in LAYOUT:
        match PUT[name].domain:
            case Words() | Whole():
                yield f"{_found(name)} = 0"
            case Names():
                yield f"{_found(name)} = {SEVERAL}"


ODD = f"({BITS} >= 0 AND {either(_odd())})"


@frozen
class JoinedPuts:
    """SQL for both dialects: ``bits`` and ``text`` are the key of a put, its columns BITS and TEXT.

    ``text`` is made with the column BITS at hand. ``put`` is what a key says, field by field. ``shape`` is the shape
    of the joined table.
    """

    bits: str
    text: str
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
    values = {}
    for name in LAYOUT:
        column = PUT[name]
        default = cluster.queue_manager.clwlmruc if name == "clwlmruc" else column.default
        blank = names_literal(()) if isinstance(column.domain, Names) else sql_literal(default)
        own = [f"put.{name}"] if name in present else []
        given = [*own, *(each for each in beside if each == name)]
        values[name] = f"COALESCE({', '.join([*given, blank])})" if given else blank
    put = {name: _read(PUT[name]) for name in LAYOUT} | {"qmgr_clwluseq": sql_literal(cluster.queue_manager.clwluseq)}
    return JoinedPuts(_bits(values), _text(values), put, Shape(tuple(put), tuple(DESTINATION), may_be_empty=True))


def _bits(values: Mapping[str, str]) -> str:
    """The number of puts with these ``values``, which are never null; of no put at all it is below 0."""
    parts = (f"CAST({_packed(PUT[name], values)} AS BIGINT) * {1 << LAYOUT[name].shift}" for name in LAYOUT)
    return f"CASE WHEN put IS NOT NULL THEN {' | '.join(parts)} ELSE -1 END"


def _packed(column: Column, values: Mapping[str, str]) -> str:
    """The whole number that stands for a column."""
    value = values[column.name]
    match column.domain:
        case Flag():
            return f"CASE WHEN {value} THEN 1 ELSE 0 END"
        case Words():
            return f"COALESCE({word_place(column, value)}, 0)"
        case Whole():
            return f"CASE WHEN {outside(column, value)} THEN 0 ELSE {value} END"
        case Names():
            length = f"LENGTH({_name(values)})"
            fits = f"length_of({value}) = 1 AND item({value}, 0) IS NOT NULL AND {length} < {SEVERAL - 1}"
            return f"CASE WHEN length_of({value}) = 0 THEN 0 WHEN {fits} THEN {length} + 1 ELSE {SEVERAL} END"
    return f"CASE WHEN {value} <> '' THEN 1 ELSE 0 END"


def _name(values: Mapping[str, str]) -> str:
    """The name that is put to: the first that is given."""
    named = (value for name, value in values.items() if isinstance(PUT[name].domain, Text))
    given = " ".join(f"WHEN {value} <> '' THEN {value}" for value in named)
    return f"CASE {given} ELSE '' END"


def _text(values: Mapping[str, str]) -> str:
    said = {NAME: _name(values)}
    parts = [_name(values)]
    for name in LAYOUT:
        match PUT[name].domain:
            case Whole():
                said[name] = f"LEAST(GREATEST({values[name]}, -{LARGEST_NUMBER}), {LARGEST_NUMBER})"
            case Words():
                said[name] = values[name]
            case Names():
                said[name] = values[name]
                parts.append(f"CASE WHEN {_found(name)} > 0 THEN item({values[name]}, 0) ELSE '' END")
    json = ", ".join(f"'{name}': {value}" for name, value in said.items())
    text = f"CASE WHEN {ODD} THEN as_json({{{json}}}) WHEN {BITS} >= 0 THEN {' || '.join(parts)} END"
    # Spark looks for nulls in what it joins by, and would make the text twice, if it did not see that none are there.
    return f"COALESCE({text}, '')"


def _read(column: Column) -> str:
    """The value of a column, from the key."""
    found = _found(column.name)
    match column.domain:
        case Flag():
            return f"({found} = 1)"
        case Words(words):
            word = f"item([{', '.join(map(sql_literal, words))}], {found} - 1)"
            return f"CASE WHEN {found} = 0 THEN {_said(column.name, 'text')} ELSE {word} END"
        case Whole():
            return f"CASE WHEN {found} = 0 THEN {_said(column.name, 'integer')} ELSE {found} END"
        case Names():
            said = _said(column.name, "texts")
            one = f"[SUBSTRING({TEXT}, CAST({found} AS INT))]"
            return f"CASE WHEN {found} = 0 THEN {names_literal(())} WHEN {ODD} THEN {said} ELSE {one} END"
    [end] = (_found(name) for name in LAYOUT if isinstance(PUT[name].domain, Names))
    whole = f"CASE WHEN {end} = 0 THEN {TEXT} ELSE SUBSTRING({TEXT}, 1, CAST({end} - 1 AS INT)) END"
    return f"CASE WHEN {found} = 0 THEN '' WHEN {ODD} THEN {_said(NAME, 'text')} ELSE {whole} END"


def _said(name: str, kind: str) -> str:
    """What the JSON of an odd put says of a column; null where there is none."""
    return f"of_json(CASE WHEN {ODD} THEN {TEXT} END, '{name}', '{kind}').{name}"
