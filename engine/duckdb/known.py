"""What is known before a table of puts is read, as queries: a text of JSON, so that nothing is registered anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp

from mqclause.duckdb.types import ANSWERED, DUCKDB_TYPES, struct_type
from mqclause.language.sql import Node, literal
from mqclause.rulebook.rules import Rules
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.columns import DECISION, DESTINATION
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.dialect import call
from mqclause.tables.functions import column, struct_of
from mqclause.tables.named_puts import ASKED_NAMES
from mqclause.tables.shares import TIE_NAMES


def known(puts: ClusterPuts, rules: Rules, explain: bool, with_ties: bool) -> dict[str, exp.Select]:
    """What is known before the table is read, in columns that have names of ours, which no table has."""
    rows = list(puts.name_rows(rules))
    texts = dict.fromkeys((*PUT_NAMES, *ASKED_NAMES, "defbind"), DUCKDB_TYPES["text"])
    names = _rows(rows, {"at": "INTEGER", "id": "BIGINT", "asks": "BOOLEAN", "inhibited": "BOOLEAN", **texts})
    listed = _rows(rows, {"id": "BIGINT", "destinations": [struct_type(DESTINATION)]})
    return {
        "__mqclause_named": exp.select(exp.alias_(column("row"), "__mqclause_names")).from_(names),
        "__mqclause_listed": exp.select(exp.alias_(column("row"), "__mqclause_by_id")).from_(listed),
        "__mqclause_decisions": _decisions(puts, rules, explain, with_ties),
    }


def _decisions(puts: ClusterPuts, rules: Rules, explain: bool, with_ties: bool) -> exp.Select:
    """The decision about each name and each number. Few differ, so each is written once."""
    places: dict[str, int] = {}
    rows = []
    for named, found in puts.decisions(rules, explain, with_ties):
        texts = [json.dumps(each, ensure_ascii=False) for each in found]
        rows.append({"id": named, "places": [places.setdefault(text, len(places) + 1) for text in texts]})
    which = {"row.id": "id", "UNNEST(row.places)": "place", "UNNEST(RANGE(LEN(row.places)))": "number"}
    numbered = exp.select(*(exp.alias_(tree, name) for tree, name in which.items())).from_(
        _rows(rows, {"id": "BIGINT", "places": ["INTEGER"]})
    )
    answer: dict[str, Any] = {"decision": {name: ANSWERED[kind] for name, kind in DECISION.items()}}
    tie = {**dict.fromkeys(TIE_NAMES, DUCKDB_TYPES["text"]), "weight": DUCKDB_TYPES["number"]}
    different = _from_json(f"[{','.join(places)}]", [{**answer, **({"ties": [tie]} if with_ties else {})}])
    one = {"id": column("id"), "number": column("number"), "known": call("LIST_EXTRACT", different, column("place"))}
    return exp.select(exp.alias_(struct_of(one), "__mqclause_decided")).from_(numbered.subquery("__mqclause_numbered"))


def _rows(rows: Iterable[Mapping[str, Any]], types: Mapping[str, Any]) -> exp.Subquery:
    """Rows as a query with a column ``row``: a text of JSON, so that nothing is registered anywhere."""
    listed = _from_json(json.dumps(list(rows), ensure_ascii=False), [types])
    return exp.select(exp.alias_(call("UNNEST", listed), "row")).subquery("__mqclause_rows")


def _from_json(text: str, types: Any) -> Node:
    return call("FROM_JSON", literal(text), literal(json.dumps(types)))
