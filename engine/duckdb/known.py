"""The small table of what is decided of names, as queries: texts of JSON, so that nothing is registered anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp, parse_one

from mqclause.duckdb.dialect import DUCKDB
from mqclause.duckdb.types import ANSWERED, DUCKDB_TYPES, struct_type
from mqclause.language.sql import Node, literal
from mqclause.rulebook.rules import Rules
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.columns import DECISION, DESTINATION
from mqclause.tables.decided_names import DecidedNames, decided_names
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.dialect import call
from mqclause.tables.functions import column
from mqclause.tables.named_puts import ASKED_NAMES
from mqclause.tables.shares import TIE_NAMES, Spread

if TYPE_CHECKING:
    import pyarrow as pa

NAMES, WRITTEN, ANSWERS, DRAWS, ODD = (
    f"__mqclause_{name}" for name in ("names", "written", "answers", "draws", "odd_names")
)
"""The tables. All but the last have columns that begin with their own name, since rows may have any other."""

_TEXT = DUCKDB_TYPES["text"]
_NAMED = f"""
    SELECT row.at AS {NAMES}_at, row.queue AS {NAMES}_queue, row.queue_manager AS {NAMES}_queue_manager,
        row.spelt AS {NAMES}_spelt, UNNEST(row.places) AS {NAMES}_place,
        UNNEST(RANGE(LEN(row.places))) AS {NAMES}_number
    FROM x"""
_AS_QUEUE = f"""
    SELECT {NAMES}_at AS at, {NAMES}_queue_manager AS queue_manager, {NAMES}_place AS {WRITTEN}_place,
        {NAMES}_number AS {WRITTEN}_number,
        UNNEST(CASE {NAMES}_spelt WHEN 'itself' THEN [{NAMES}_queue]
            WHEN 'any' THEN LIST_EXTRACT(queues, {NAMES}_at + 1) END) AS queue
    FROM {NAMES}"""
_PADDED = "CASE WHEN name = '' THEN blanks WHEN STRLEN(name) < 48 THEN [name, RPAD(name, 48, ' ')] ELSE [name] END"


def known(found: DecidedNames, puts: ClusterPuts) -> dict[str, exp.Select]:
    """The tables that a query needs, by name; some of them are made of those before."""
    rows = [{"at": each.at, "queue": each.queue, "queue_manager": each.queue_manager, "spelt": each.spelt,
             "places": each.places} for each in found.names]  # fmt: skip
    types = {"at": "INTEGER", "queue": _TEXT, "queue_manager": _TEXT, "spelt": _TEXT, "places": ["INTEGER"]}
    tables = {
        NAMES: _select(_NAMED, x=_rows(rows, types)),
        WRITTEN: _written(found, puts),
        ANSWERS: _answers(found),
    }
    if found.draws:
        draw = {"multiplier": "BIGINT", "weight": DUCKDB_TYPES["number"]}
        drawn = [{"place": place, "draws": draws} for place, draws in found.draws.items()]
        tables[DRAWS] = _prefixed(DRAWS, drawn, {"place": "INTEGER", "draws": [draw]})
    if found.odd:
        told = {**dict.fromkeys((*ASKED_NAMES, "defbind"), _TEXT), "inhibited": "BOOLEAN"}
        odd = [{"place": -1 - at, "destinations": each["destinations"], "names": {name: each[name] for name in told}}
               for at, each in enumerate(found.odd)]  # fmt: skip
        tables[ODD] = _prefixed(
            ODD, odd, {"place": "INTEGER", "destinations": [struct_type(DESTINATION)], "names": told}
        )
    return tables


@lru_cache(maxsize=32)
def tables_known(puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None) -> Mapping[str, pa.Table]:
    """The same in Arrow, for other engines."""
    import duckdb

    parts, tables = known(decided_names(puts, rules, explain, spread), puts), {}
    with duckdb.connect() as connection:
        for name in parts:
            query = exp.select("*").from_(name)
            for each, part in parts.items():
                query = query.with_(each, part.copy())
            tables[name] = connection.sql(DUCKDB.text(query)).to_arrow_table()
    return tables


def _written(found: DecidedNames, puts: ClusterPuts) -> exp.Select:
    """The names as rows write them: plain, or padded as MQ does; one that is not given is null, empty or blank."""
    queues = _from_json(json.dumps(found.queues), [[_TEXT]])
    query = _select(_AS_QUEUE, queues=queues)
    blanks = "[NULL, '', RPAD('', 48, ' ')]"
    for name in PUT_NAMES:
        spelt = f"UNNEST({_PADDED.replace('name', name).replace('blanks', blanks)})" if puts.gives(name) else name
        query = _select(f"SELECT * REPLACE ({spelt} AS {name}) FROM x", x=query.subquery("__mqclause_spelt"))
    at = _from_json(json.dumps([[name, name.ljust(48)] for name in puts.clusters]), [[_TEXT]])
    places = "UNNEST(LIST_EXTRACT(names, at + 1))" if puts.at is not None else "at"
    named = ", ".join(f"{name} AS {WRITTEN}_{name}" for name in PUT_NAMES)
    text = f"SELECT {places} AS {WRITTEN}_at, {named}, {WRITTEN}_number, {WRITTEN}_place FROM x"
    return _select(text, x=query.subquery("__mqclause_spelt"), names=at)


def _answers(found: DecidedNames) -> exp.Select:
    share = {**dict.fromkeys(TIE_NAMES, _TEXT), "share": DUCKDB_TYPES["number"]}
    types = {**{name: ANSWERED[kind] for name, kind in DECISION.items()}, "shares": [share]}
    told = {"place": "INTEGER", **{name: types[name] for name in found.told}}
    # What holds nothing is left out, since DuckDB reads the text again with every query.
    rows = [{"place": place, **{name: value for name, value in each.items() if value is not None}}
            for place, each in enumerate(found.answers)]  # fmt: skip
    return _prefixed(ANSWERS, rows, told)


def _prefixed(table: str, rows: Iterable[Mapping[str, Any]], types: Mapping[str, Any]) -> exp.Select:
    """Rows as a table whose columns begin with its name."""
    columns = (exp.alias_(column(name, "row"), f"{table}_{name}") for name in types)
    return exp.select(*columns).from_(_rows(rows, types))


def _select(text: str, **parts: Node) -> exp.Select:
    """A query in DuckDB's SQL, in which names stand for its ``parts``."""
    tree = parse_one(text, dialect="duckdb")
    for each in [*tree.find_all(exp.Table, exp.Column)]:
        if each.name in parts:
            each.replace(parts[each.name])
    assert isinstance(tree, exp.Select)  # noqa: S101 - the text is one
    return tree


def _rows(rows: Iterable[Mapping[str, Any]], types: Mapping[str, Any]) -> exp.Subquery:
    """Rows as a query with a column ``row``."""
    listed = _from_json(json.dumps(list(rows), ensure_ascii=False), [types])
    return exp.select(exp.alias_(call("UNNEST", listed), "row")).subquery("__mqclause_rows")


def _from_json(text: str, types: Any) -> Node:
    return call("FROM_JSON", literal(text), literal(json.dumps(types)))
