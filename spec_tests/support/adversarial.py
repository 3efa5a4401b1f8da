"""Rows and schemas that a table may have and nobody expects: values at the ends of their ranges and beyond, names padded,
too long or of other alphabets, words in any letter case, numbers of any type, fields left out, null or spelt otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from random import Random
from typing import Any

import pyarrow as pa
from attrs import evolve

from mqclause import Cluster, Engine, Put, Rules
from mqclause.documents import OUTCOME
from mqclause.model.facts.domains import Finite, Flag, Name, Names, Whole, Words
from mqclause.tables.cluster_puts import build_answer
from mqclause.tables.row import InvalidRowError, build_invalid_row, read_situation
from mqclause.tables.schema import DESTINATION, PUT, Column
from spec_tests.support.pairs import PLACES, QUEUES
from spec_tests.support.random_clusters import random_case, random_readings
from spec_tests.support.random_rows import ARROW, Row, arrow_struct, random_row

LOCAL_ONLY = ("clwlmruc", "qmgr_clwluseq")
"""Fields of a put that a cluster says, unless the row does."""

WRONG_NAMES = (
    "A B",
    "A\tB",
    "\u00e9",
    "O'NEIL",
    "Q" * 21,
    "Q" * 49,
    "*",
    "* ",
    "QM1\n",
    "Q-1",
    "A~B",
    "\U0001d11e",
    "A\u00a0",
)
WRONG_WORDS = ("", " ", "RUNING", "\ufb06ARTING", "NOTF\u0131XED", "RUNNING ", "null", "0", "OPEN\n")


def adversarial_value(rng: Random, of: Column, value: Any) -> Any:
    """Another value for a column: null, at an end of its range, beyond it, or the same written otherwise."""
    if rng.random() < 0.25:
        return None
    match of.domain:
        case Words(words):
            known = [str(value or ""), *words]
            return rng.choice([*(each.lower() for each in known), *(each.title() for each in known), *WRONG_WORDS])
        case Whole(low, high):
            ends = (low, high, low - 1, high + 1, -(2**31), 2**31, 2**63 - 1, -(2**63), 0, 1)
            return min(max(rng.choice(ends), -(2**63)), 2**63 - 1)
        case Finite():
            return rng.choice(
                (0.0, -0.0, -1.0, 1.5, 1e308, 5e-324, -1e-9, 1e16, 123456.789, *map(float, ("nan", "inf", "-inf")))
            )
        case Flag():
            return rng.random() < 0.5
        case Name():
            padded = (value or "QM1").ljust(rng.choice((4, 20, 48, 60)))
            return rng.choice((padded, padded, padded, "", " ", "A/B%C", *WRONG_NAMES))
        case Names():
            return rng.choice(
                ([], [None], ["QM1 ", None], ["QM2".ljust(60), "QM3"], [" "], ["", "QM1"], [rng.choice(WRONG_NAMES)])
            )
    return value


def adversarial_rows(rng: Random, number: int, optional: bool = False) -> list[Row]:
    """So many rows; of each second one a few values are changed."""
    return [_spoilt(rng, random_row(rng, 0.002, optional=optional)) for _ in range(number)]


def _spoilt(rng: Random, row: Row) -> Row:
    put, listed = row
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        targets = [(put, PUT), *((each, DESTINATION) for each in listed or ())]
        fields, columns = rng.choice(targets)
        if fields is not None:
            name = rng.choice([*fields])
            fields[name] = adversarial_value(rng, columns[name], fields[name])
    return put, listed


def adversarial_puts(rng: Random, names: Sequence[str], number: int) -> list[dict[str, Any] | None]:
    """So many puts that name what ``names`` has, or something else, in one or both of the fields."""
    found: list[dict[str, Any] | None] = []
    for _ in range(number):
        put, _ = random_row(rng, 0.0)
        assert put is not None
        put |= {"queue": rng.choice(("", None, *names)), "queue_manager": rng.choice(("", None, None, *names))}
        for _ in range(rng.choice((0, 0, 1, 2))):
            name = rng.choice([*put])
            put[name] = adversarial_value(rng, PUT[name], put[name])
        found.append(None if rng.random() < 0.01 else put)
    return found


def check_puts_in_clusters(
    number: int, size: int, decided: Callable[[pa.Table, Cluster, Rules], Sequence[Any]]
) -> None:
    """What is ``decided`` of so many puts in each of so many clusters is what the engine decides."""
    rng = Random(number)
    for place in range(number):
        cluster, _ = random_case(rng)
        engine = Engine(Rules(random_readings(rng) if place else {}))
        puts = adversarial_puts(rng, [*QUEUES, *PLACES, *cluster.remote], size)
        table = pa.table({"id": range(len(puts)), "put": pa.array(puts, arrow_struct(PUT))})
        for put, one in zip(puts, decided(table, cluster, engine.rules), strict=True):
            expected = by_engine(engine, cluster, put)
            assert one == expected, (put, one, expected)


def by_engine(engine: Engine, cluster: Cluster, put: Mapping[str, Any] | None) -> dict[str, Any]:
    """The decision of the engine about the put of a row; what is told of one that is no put."""
    try:
        said = read_situation(OUTCOME, put)
    except InvalidRowError as error:
        return build_invalid_row(str(error))
    known = cluster
    if put and put.get("clwlmruc") is not None:
        known = evolve(cluster, queue_manager=evolve(cluster.queue_manager, clwlmruc=said["clwlmruc"]))
    asked = Put(**{name: value for name, value in said.items() if name not in LOCAL_ONLY})
    return build_answer(engine.choose(asked, known, explain="rule"), explain=True)


WHOLE_TYPES = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.float64(), pa.float32(),
               pa.decimal128(5, 0), pa.decimal128(12, 2), pa.decimal128(38, 0))  # fmt: skip
NUMBER_TYPES = (pa.float64(), pa.float32(), pa.int32(), pa.int64(), pa.decimal128(20, 3))
TEXT_TYPES = (pa.string(), pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()))
FURTHER = {
    "Note": pa.string(),
    "queue": pa.int32(),
    "c": pa.float64(),
    "row": pa.list_(pa.int32()),
    "größe": pa.bool_(),
    "place": pa.int8(),
}
"""Columns besides those of the contract, of names that mean something elsewhere."""


def random_table(rng: Random, number: int, nulls: bool = True) -> tuple[pa.Table, list[Row]]:
    """A table of a random schema, and its rows as they come out of it. With ``nulls`` columns of no type, which Parquet
    does not have.
    """
    optional = rng.random() < 0.3
    rows = adversarial_rows(rng, number, optional)
    put = _random_struct(rng, PUT, {rng.choice(("queue", "queue_manager"))}, optional, nulls)
    listed = _random_struct(rng, DESTINATION, {"queue_manager"}, optional, nulls)
    lists = rng.choice((pa.list_, pa.large_list))
    named = {"put": rng.choice(("put", "PUT", "Put")), "destinations": rng.choice(("destinations", "Destinations"))}
    columns = {
        "id": pa.array(range(number), pa.int64()),
        named["put"]: pa.array([_fitted(each, put) for each, _ in rows], put),
        named["destinations"]: pa.array(
            [None if each is None else [_fitted(one, listed) for one in each] for _, each in rows], lists(listed)
        ),
        **{name: pa.nulls(number, kind) for name, kind in FURTHER.items() if rng.random() < 0.2},
    }
    order = rng.sample([*columns], len(columns))
    table = pa.table({name: columns[name] for name in order})
    return table, list(zip(*(columns[name].to_pylist() for name in named.values()), strict=True))


def _random_struct(
    rng: Random, columns: Mapping[str, Column], needed: set[str], optional: bool, nulls: bool
) -> pa.DataType:
    share = rng.choice((0.2, 0.7, 1))
    names = [
        name
        for name, each in columns.items()
        if name in needed or (rng.random() < share and (optional or not each.optional))
    ]
    rng.shuffle(names)
    spelt = rng.choice((str, str, str.upper, str.title))
    kinds = {name: pa.string() if name in needed else _random_type(rng, columns[name], nulls) for name in names}
    return pa.struct([(spelt(name), kind) for name, kind in kinds.items()])


def _random_type(rng: Random, of: Column, nulls: bool) -> pa.DataType:
    if rng.random() < 0.02 and nulls:
        return pa.null()
    choices = {"integer": WHOLE_TYPES, "number": NUMBER_TYPES, "text": TEXT_TYPES}
    return rng.choice(choices.get(of.kind, (ARROW[of.kind],)))


def _fitted(fields: Mapping[str, Any] | None, struct: pa.StructType) -> dict[str, Any] | None:
    """The fields that a struct has, with values that their types can hold."""
    if fields is None:
        return None
    return {each.name: _held(fields.get(each.name.lower()), each.type) for each in struct}


def _held(value: Any, kind: pa.DataType) -> Any:
    if value is None or pa.types.is_null(kind):
        return None
    if pa.types.is_decimal(kind):
        return _decimal(value, kind)
    if pa.types.is_floating(kind):
        return float(value)
    if pa.types.is_integer(kind):
        try:
            return pa.scalar(int(value), kind).as_py()
        except (ValueError, OverflowError, pa.ArrowInvalid):
            return 0
    return value


def _decimal(value: Any, kind: pa.Decimal128Type) -> Decimal | None:
    with localcontext(prec=400):
        try:
            found = Decimal(str(value)).quantize(Decimal(1).scaleb(-kind.scale))
        except ArithmeticError:
            return None
        return found if found.is_finite() and abs(found) < Decimal(10) ** (kind.precision - kind.scale) else None
