"""Decide tables with DuckDB: relations in, relations out."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any  # noqa: TID251

from attrs import define, field, frozen
from sqlglot import exp, parse_one

from mqclause.cluster.plan import Traffic
from mqclause.documents import OUTCOME, TRIGGER, WORKLOAD
from mqclause.duckdb.dialect import DUCKDB
from mqclause.exits.process import Exit
from mqclause.language.sql import Node, build_and, build_case, build_equality, build_if, build_literal, build_not
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rule import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.cluster_puts import (
    ASKED_NAMES,
    NAME_PLACEHOLDERS,
    NUMBER,
    ODD_DESTINATIONS,
    ODD_EDITION,
    ODD_PUT,
    PLACE,
    SETTLED,
    ClusterPuts,
    DecidedNames,
    decided_names,
)
from mqclause.tables.flat import ExitRowDecider, check_no_cluster, cluster_puts
from mqclause.tables.functions import Plan, build_column, build_struct, coalesce, is_null
from mqclause.tables.message_order import build_message_query
from mqclause.tables.query import build_call, build_decision, build_evaluation, build_plan, build_triggering, render_sql
from mqclause.tables.schema import (
    DECISION,
    DESTINATION,
    PUT_NAMES,
    Column,
    ColumnKind,
    FieldType,
    ListOf,
    Shape,
    Struct,
    TableError,
    build_counts,
    build_group_keys,
    build_no_table_error,
    build_shape,
    build_traffic,
    check_apart,
)
from mqclause.tables.shares import (
    DECIDED,
    FEW_DRAWS,
    NEVER_DRAWN,
    ROW,
    SURE_DRAW,
    TIE_NAMES,
    TIES,
    TIMES,
    Spread,
    build_ties_plan,
    set_spread,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


TABLE = "puts"
"""What a query that is shown calls its table."""

KEPT_TEXTS = 32
"""Queries that are kept: to write one anew takes longer than to decide ten thousand rows."""

_ONE_ROW = exp.select(exp.alias_(exp.true(), "__mqclause_apart")).subquery("__mqclause_one_row")
"""What keeps DuckDB from reading a table twice for the first rows of an order: projections that stand on nothing but a
table it would write into one another, which for so many levels no memory has room for."""

_NULL_OF = {"text": "TEXT", "integer": "INT", "texts": "ARRAY<TEXT>"}
"""The types of fields of a decision that hold nothing in any answer."""

_FOUND, _TAKER, _IS_ODD, _ODD_DECISION = (f"__mqclause_{name}" for name in ("found", "taker", "is_odd", "odd_decision"))
"""Columns on the way: the place that names are found by, that of who takes the row, whether its put is odd, and decided
as one."""

READY = "__mqclause_ready"
"""A column on the way: the decision, where it depends on nothing but the place of the names."""

QUERIED_TABLE = "__mqclause_given_5f0c6e1d94b24a7d"
"""What a query calls the table that it is a query of. A table of a connection's would win over the one that is meant,
so this is a name that nobody gives."""

_numbers = count()
"""What tells the names of views apart."""

NAMES, WRITTEN, ANSWERS, DRAWS, ODD = (
    f"__mqclause_{name}" for name in ("names", "written", "answers", "draws", "odd_names")
)
"""The tables. All but the last have columns that begin with their own name, since rows may have any other."""

DUCKDB_TYPES: Mapping[ColumnKind, Any] = {
    "boolean": "BOOLEAN", "integer": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "texts": ["VARCHAR"],
}  # fmt: skip
"""The type of each kind of column, as from_json takes it."""

_DRAW = {"multiplier": "BIGINT", "weight": DUCKDB_TYPES["number"]}

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

NO_FUNCTION = (
    "exits=…: a function of Python is known to one connection of DuckDB's; connection=… is needed for a relation of "
    "another one than the default"
)

ANSWER_TYPES: Mapping[ColumnKind, Any] = {**DUCKDB_TYPES, "integer": "INTEGER"}
"""The same in an answer, where whole numbers are reason codes and counts."""

_INTEGERS = (
    "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint",
)  # fmt: skip
_KINDS = {
    **dict.fromkeys(_INTEGERS, "integer"), **dict.fromkeys(("hugeint", "uhugeint", "bignum"), "huge"),
    "float": "number", "double": "number", "decimal": "decimal",
    "boolean": "boolean", "varchar": "text", "enum": "text", '"null"': "null", "sqlnull": "null", "null": "null",
}  # fmt: skip


def decide(
    source: DuckDBPyRelation | str | Path | Any,
    cluster: Cluster | Mapping[str, Cluster] | None = None,
    rules: Rules | None = None,
    explain: bool = False,
    connection: DuckDBPyConnection | None = None,
    at: str | None = None,
    shares: bool = False,
    spread: str | None = None,
    exits: Mapping[str, Exit] | None = None,
    exit_limit: float | None = None,
    **put: Any,
) -> DuckDBPyRelation:
    """Return the table ``source`` with a column ``decision``; see mqclause.tables.schema for its fields.

    ``source`` is a relation, a DataFrame or Arrow table, or the path of Parquet files; what is no relation yet is read
    on ``connection``, or on one of its own, whose answer ``duckdb.sql`` cannot name. It is read once, when the relation
    is, and streams; every row comes out, with its columns as they were. With a ``cluster`` the table needs no
    ``destinations``: they are those that each put names there. ``cluster`` may be several, by the names of their local
    queue managers, of which the column ``at`` has one in each row. Then ``put`` may say where a flat table has the
    fields of a put: ``queue="DEST", bind="NOTFIXED"`` names a column, or what is the same in all rows; where it could
    be either, ``bind=constant("GROUP")`` is the latter. With ``explain``, ``decision.eliminated_by`` says by which rule
    each destination fell.

    Of several permitted destinations the first listed is taken. With ``shares``, ``decision.shares`` lists those that
    get puts in the long run, with their parts; ``spread`` names a column by whose value a row takes one of them, always
    the same, in these parts, as if nothing had been put yet; null counts as a value of its own. Where CLWLEXIT names
    one of ``exits``, Python decides: see mqclause.tables.flat. Raises TableError and RuleError.
    """
    import duckdb

    given = GivenTable.of(source, connection)
    query = render_decisions(given, cluster, rules, explain, at, shares, spread, exits, exit_limit, **put)
    try:
        return given.asked(query)
    except duckdb.CatalogException:
        if not exits:
            raise
        raise TableError(NO_FUNCTION) from None


def render_decisions(
    given: GivenTable,
    cluster: Cluster | Mapping[str, Cluster] | None,
    rules: Rules | None,
    explain: bool,
    at: str | None,
    shares: bool,
    spread: str | None,
    exits: Mapping[str, Exit] | None,
    exit_limit: float | None,
    **put: Any,
) -> str:
    """Render the query of QUERIED_TABLE that decides it.

    Its connection knows the exits that it calls from here on.
    Raises TableError and RuleError.
    """
    columns, rules = _columns(given.relation), Rules.given(rules)
    spreading, names = Spread.of(columns, shares, spread), tuple(columns)
    if cluster is None:
        check_no_cluster(at, put if exits is None else {**put, "exits": exits})
        return render_row_query(build_shape(columns, OUTCOME), names, rules, explain, spreading)
    puts = cluster_puts(columns, cluster, at, put, spreading)
    rules = puts.of_one_edition(rules)
    by_exits = ExitRowDecider.of(puts, rules, exits, exit_limit, explain, spreading)
    query = render_cluster_query(puts, names, rules, explain, spreading, given.is_sized)
    if by_exits is None:
        return query
    register_exits(given.connection, by_exits)
    return render_exits(query, names, puts, by_exits)


def decide_triggers(
    source: DuckDBPyRelation | str | Path | Any,
    rules: Rules | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """Return ``source`` with a column ``triggering`` about its column ``occasion``; its fields are TRIGGERING's.

    Raises TableError and RuleError.
    """
    given = GivenTable.of(source, connection)
    plan = build_plan(Rules.given(rules), build_shape(_columns(given.relation), TRIGGER), build_triggering)
    return _answered(given, plan, TRIGGER)


def apply_rules(
    source: DuckDBPyRelation | str | Path | Any,
    declaration: Declaration,
    rules: Rules | None = None,
    explain: bool = False,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """Return the table ``source`` with the answer of one document's rules, in the columns that ``declaration`` names.

    The fields of the answer are those of mqclause.tables.query.build_evaluation; with ``explain``, ``eliminated_by``
    says by which rule each subject fell. Raises TableError and RuleError.
    """
    given = GivenTable.of(source, connection)
    shape = build_shape(_columns(given.relation), declaration)
    plan = build_plan(Rules.given(rules), shape, build_evaluation, declaration if explain else None)
    return _answered(given, plan, declaration)


def show_sql(name: str, rules: Rules | None = None) -> str:
    """Return the SQL of DuckDB that a rule (``workload.06``) or a ruleset (``workload``) becomes, to be read.

    Raises UnknownRuleError and RuleError.
    """

    def query(plan: Plan, about: Declaration) -> Node:
        return _query_plan(plan, TABLE, [exp.Star()], about.row.answer)

    return render_sql(name, Rules.given(rules), DUCKDB, query)


@lru_cache(maxsize=KEPT_TEXTS)
def text_of(plan: Plan, columns: Sequence[str], name: str) -> str:
    """Render the query of a table with these of its ``columns`` and, under ``name``, the answer of a plan."""
    return DUCKDB.text(_query_plan(plan, QUERIED_TABLE, map(_kept, columns), name))


@lru_cache(maxsize=KEPT_TEXTS)
def render_row_query(shape: Shape, columns: Sequence[str], rules: Rules, explain: bool, spread: Spread | None) -> str:
    """Render the query that decides a table whose rows have their own destinations; cached."""
    chain, kept = _Chain(), [*map(_kept, columns)]
    chain.number_rows(spread)
    decision = _decide_rows(chain, shape, [*kept, *_row_number(spread)], rules, explain, spread)
    return DUCKDB.text(chain.ending([*kept, exp.alias_(decision, OUTCOME.row.answer)]))


@lru_cache(maxsize=KEPT_TEXTS)
def render_cluster_query(
    puts: ClusterPuts,
    columns: Sequence[str],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    is_sized: bool = False,
) -> str:
    """Render the query that decides puts in a cluster; ``is_sized``: DuckDB knows how many rows the table has."""
    tables = build_known_tables(decided_names(puts, rules, explain, spread), puts)
    return DUCKDB.text(query_in_cluster(puts, columns, rules, explain, spread, tables, is_sized))


def query_in_cluster(
    puts: ClusterPuts,
    columns: Iterable[str],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    tables: Mapping[str, exp.Select],
    is_sized: bool = False,
    as_written: bool = True,
) -> exp.Select:
    """Query every row of the table, joined with the decision about its names; the rules decide odd puts alone.

    ``tables`` are those that are not there under their names; ``as_written``: names are first looked up with blanks,
    otherwise those without them lead to READY.
    """
    found, chain = decided_names(puts, rules, explain, spread), _Chain()
    chain.parts += [(name, part, True) for name, part in tables.items()]
    chain.number_rows(spread)
    _find(chain, puts, found, rules, as_written)
    if found.odd:
        _decide_odd(chain, puts, columns, rules, explain, spread)
    place = _draw(chain, found, spread, "inner" if is_sized and not found.odd else "left")
    decided = puts.decided(_fields(found, spread), found.tells_names)
    if not as_written:
        ready = build_column(READY)
        decided, place = coalesce(ready, decided), build_if(is_null(ready), place)
    if found.odd:
        is_odd = F.is_less(build_column(PLACE), 0)
        decided = build_case([(is_odd, build_column(_ODD_DECISION))], decided)
    query = chain.ending([*map(_kept, columns), exp.alias_(decided, OUTCOME.row.answer)])
    # Every row has an answer; that of an odd one is not looked at. Knowing that, DuckDB joins in half the time. But
    # where it does not know how many rows there are, it might gather them all before it gives any.
    there = exp.Greatest(this=place, expressions=[build_literal(0)]) if found.odd else place
    join_type = "inner" if is_sized else "left"
    on = build_equality(there, build_column(f"{ANSWERS}_place"))
    return query.join(ANSWERS, on=on, join_type=join_type, copy=False)


def get_column_kinds(relation: DuckDBPyRelation) -> dict[str, FieldType]:
    """Return the kind of each column of a relation."""
    return dict(zip(relation.columns, map(get_kind, relation.types), strict=True))


@frozen
class GivenTable:
    """A table as a relation, and the connection that it is asked on; of a relation that may be unknown.

    ``is_sized`` says that DuckDB knows about how many rows it has, which it does not of a stream.
    """

    relation: DuckDBPyRelation
    connection: DuckDBPyConnection | None
    is_sized: bool = True

    @classmethod
    def of(cls, source: Any, connection: DuckDBPyConnection | None) -> GivenTable:
        """Open ``source``: a relation, a DataFrame, an Arrow table, or the path, pattern or folder of Parquet files.

        Those are read on a connection of our own where none is given. Raises TableError for what is no table, and for
        two columns that are one without regard to letter case.
        """
        import duckdb

        if isinstance(source, duckdb.DuckDBPyRelation):
            return cls(source, connection)
        made = connection or _own_connection()
        if isinstance(source, str | Path):
            return cls(_relation_of_files(made, str(source)), made)
        expected = "a relation, a DataFrame, an Arrow table or the path of a Parquet file"
        if hasattr(source, "iloc") and not hasattr(source, "columns"):
            # One column of pandas: it depends on DuckDB's release what comes of it.
            raise build_no_table_error(source, expected)
        check_apart(map(str, _names(source)))
        try:
            return cls(_found(made, source, f"SELECT * FROM {QUERIED_TABLE}"), made, hasattr(source, "__len__"))
        except duckdb.InvalidInputException:
            raise build_no_table_error(source, expected) from None

    def asked(self, query: str) -> DuckDBPyRelation:
        """Run a query of ``QUERIED_TABLE``, which is the relation, on its connection, mostly DuckDB's default one.

        DuckDB 2.0 reads the text of a query once if a connection is asked, five times if a relation is.
        """
        import duckdb

        connection = self.connection
        if connection is None and _is_read_on(duckdb.default_connection(), self.relation):
            connection = duckdb.default_connection()
        if connection is not None:
            # It may be another than the relation's, or be set to find nothing in Python.
            with suppress(duckdb.InvalidInputException, duckdb.CatalogException):
                return _found(connection, self.relation, query)
        # Before 2.0 DuckDB keeps a view of this name on the connection, and reads the view anew with every answer.
        own = f"{QUERIED_TABLE}_{next(_numbers)}"
        found = self.relation.query(own, query.replace(QUERIED_TABLE, own))
        assert found is not None  # noqa: S101 - a SELECT gives a relation
        return found


def list_files(folder: Path) -> list[Path]:
    """List the files of a table that is a folder, and of the folders in it, but for hidden ones."""
    inside = (each for each in folder.rglob("*") if not any(part[0] in "._" for part in each.relative_to(folder).parts))
    return sorted(each for each in inside if os.path.isfile(each))


def check_parquet(connection: DuckDBPyConnection, files: str) -> None:
    """Raise TableError for a file where two columns, or two fields of a struct, have one name."""
    nodes = iter(connection.execute("SELECT name, num_children FROM parquet_schema(?)", [files]).fetchall())
    for _root, inside in nodes:
        _check_inside(nodes, inside, "")


def build_known_tables(found: DecidedNames, puts: ClusterPuts) -> dict[str, exp.Select]:
    """Build the tables that a query needs, by name; some are made from those before them."""
    rows = [{"at": each.at, "queue": each.queue, "queue_manager": each.queue_manager, "spelt": each.spelt,
             "places": each.places} for each in found.names]  # fmt: skip
    types = {"at": "INTEGER", "queue": _TEXT, "queue_manager": _TEXT, "spelt": _TEXT, "places": ["INTEGER"]}
    tables = {NAMES: _select(_NAMED, x=_rows(rows, types)), WRITTEN: _written(found, puts), ANSWERS: _answers(found)}
    if found.draws:
        tables[DRAWS] = _draws(found)
    if found.odd:
        told = {**dict.fromkeys((*ASKED_NAMES, "defbind"), _TEXT), "inhibited": "BOOLEAN"}
        odd = [{"place": -1 - at, "destinations": each["destinations"], "names": {name: each[name] for name in told},
                "edition": each["edition"]} for at, each in enumerate(found.odd)]  # fmt: skip
        types = {"place": "INTEGER", "destinations": [build_struct_type(DESTINATION)], "names": told}
        tables[ODD] = _prefixed(ODD, odd, {**types, "edition": "INTEGER"})
    return tables


@lru_cache(maxsize=32)
def tables_known(puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None) -> Mapping[str, pa.Table]:
    """Build the tables of decided names in Arrow, for an engine that does not look names up as rows write them."""
    import duckdb

    found, tables = decided_names(puts, rules, explain, spread), {}
    parts = build_known_tables(found, puts)
    with duckdb.connect() as connection:
        for name in parts.keys() - {WRITTEN}:
            query = exp.select("*").from_(name) if name != NAMES else _with_ready_answers(found, spread)
            for each, part in parts.items():
                query = query.with_(each, part.copy())
            tables[name] = connection.sql(DUCKDB.text(query)).to_arrow_table()
    return tables


def register_exits(connection: DuckDBPyConnection | None, rows: ExitRowDecider) -> None:
    """Make exits a function of a connection. Raises TableError where numpy is missing, which functions need."""
    import duckdb

    try:
        made = connection or duckdb.default_connection()
        made.create_function(_exit_function(rows), rows.decision, ["INTEGER", "VARCHAR"], "VARCHAR")
    except duckdb.InvalidInputException as error:
        raise TableError(f"exits=…: {str(error).strip()}") from None


def render_exits(query: str, columns: Sequence[str], puts: ClusterPuts, rows: ExitRowDecider) -> str:
    """Render a query that decides a table of these columns and asks the exits, of rows with nothing wrong."""
    answer = OUTCOME.row.answer
    put = {name: coalesce(*(each.value for each in sources)) for name, sources in puts.sources.items()}
    said = exp.cast(build_call("TO_JSON", build_struct(put)), "TEXT")
    types = {each: ANSWER_TYPES[kind] for each, kind in DECISION.items()}
    asked = build_call(_exit_function(rows), exp.cast(puts.place, "INT"), said)
    found = build_call("FROM_JSON", asked, exp.Literal.string(json.dumps(types)))
    is_valid = F.is_unequal(build_column("outcome", answer), "invalid")
    names_exit = exp.In(this=puts.place, expressions=[build_literal(place) for place in rows.places])
    by_exit = build_if(build_and(is_valid, names_exit), found, build_column(answer))
    kept = [*map(_kept, columns), exp.alias_(by_exit, answer)]
    return f"{DUCKDB.text(exp.select(*kept))} FROM ({query}) AS __mqclause_decided"


def build_struct_type(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Build the type of a struct of these columns, as from_json takes it."""
    return {name: DUCKDB_TYPES[each.kind] for name, each in columns.items()}


def get_kind(found: Any) -> FieldType:
    """Translate a type of DuckDB's to the kind by which columns are checked."""
    if found.id == "struct":
        return Struct({name: get_kind(child) for name, child in found.children})
    if found.id in ("list", "array"):
        return ListOf(get_kind(found.children[0][1]))
    if str(found) == "JSON":
        return "JSON"  # what is of several types; to DuckDB it is a text
    return _KINDS.get(found.id, str(found))


def message_order(
    source: DuckDBPyRelation | str | Path | Any,
    cluster: Cluster | None = None,
    rules: Rules | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """Return the messages of ``source`` with a column ``message_order``: the place of each in both orders of its queue.

    A row is a message, with the keys of ``[[message]]`` as columns, and ``arrival``, by which those of equal priority
    lie one behind the other. ``source`` is a relation, a DataFrame or Arrow table, or the path of Parquet files. What
    a queue's MSGDLVSQ and DEFPRTY are, columns of these names say, or the ``cluster``. It is read once, when the
    relation is; every row comes out, with its columns as they were. Raises TableError and RuleError.
    """
    given = GivenTable.of(source, connection)
    check_apart(given.relation.columns)
    query = build_message_query(get_column_kinds(given.relation), cluster, Rules.given(rules), QUERIED_TABLE)
    return given.asked(DUCKDB.text(query, quoted=True))


def traffic(source: DuckDBPyRelation | str | Path | Any, connection: DuckDBPyConnection | None = None) -> Traffic:
    """Count the puts of ``source`` to each queue at each queue manager, by its columns queue, from and count.

    It is a relation, a DataFrame or Arrow table, or the path of Parquet files. ``from`` is where the put was made;
    ``count`` may be missing: a row is one put. Raises TableError.
    """
    relation = GivenTable.of(source, connection).relation
    keys, values = build_group_keys(relation.columns), build_counts(relation.columns)
    columns = {**keys, **values}
    aggregated = relation.aggregate(
        ", ".join(f"{DUCKDB.text(tree)} AS {name}" for name, tree in columns.items()),
        ", ".join(DUCKDB.text(tree) for tree in keys.values()),
    )
    return build_traffic(dict(zip(columns, row, strict=True)) for row in aggregated.fetchall())


def _answered(given: GivenTable, plan: Plan, about: Declaration) -> DuckDBPyRelation:
    return given.asked(text_of(plan, tuple(given.relation.columns), about.row.answer))


def _query_plan(plan: Plan, source: str, kept: Iterable[Node], name: str) -> exp.Select:
    """The columns that are ``kept`` of a source and, under ``name``, the answer of a plan."""
    chain = _Chain(source)
    chain.add_plan(plan)
    return chain.ending([*kept, exp.alias_(build_struct(plan.answer), name)])


def _decide_rows(
    chain: _Chain,
    shape: Shape,
    kept: Sequence[Node],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    where: Node | None = None,
) -> Node:
    """Add what decides rows with destinations of their own; return the decision, beside what is ``kept`` of them.

    Of rows that are not like ``where`` nothing is evaluated.
    """
    plan = build_plan(rules, set_spread(shape, spread), build_decision, WORKLOAD if explain else None)
    decision = build_struct(plan.answer)
    if spread is None:
        chain.add_plan(plan, where)
        return decision
    tied = build_ties_plan(rules, shape)
    chain.add_plan(tied, where)
    chain.select([*kept, exp.alias_(tied.answer["ties"], TIES)])
    chain.add_plan(plan, where)
    chain.select([*kept, build_column(TIES), exp.alias_(decision, DECIDED)])
    for level in spread.levels(TIES):
        chain.add(level)
    return spread.answer(DECIDED, TIES)


def _find(chain: _Chain, puts: ClusterPuts, found: DecidedNames, rules: Rules, as_written: bool) -> None:
    """Add the places of the answers: by names as they are written, if so asked, then by names without blanks."""
    number = puts.number(found.numbers)
    if number is not None:
        chain.add({NUMBER: number})
    said = {} if number is None else {"number": build_column(NUMBER)}
    # A name that is null is one that a row can have, and so is written down, but no local queue manager is.
    if as_written:
        written = [
            (exp.EQ if name == "at" else exp.NullSafeEQ)(this=each, expression=build_column(f"{WRITTEN}_{name}"))
            for name, each in puts.written.items()
        ]
        chain.join(WRITTEN, {SETTLED: "place"}, [*written, *(_same(WRITTEN, name, NUMBER) for name in said)])
    unsettled = is_null(build_column(SETTLED)) if as_written else None
    levels, by = puts.found_by(rules, unsettled)
    for level in levels:
        chain.add(level)
    chain.join(
        NAMES, {_FOUND: "place", **({} if as_written else {READY: "ready"})},
        [build_equality(each, build_column(f"{NAMES}_{name}")) for name, each in (by | said).items()],
    )  # fmt: skip
    there = build_column(_FOUND)
    place = puts.place_of(there, by, found.unknown, rules, build_column(NUMBER) if said else build_literal(0))
    chain.add({PLACE: place if unsettled is None else coalesce(build_column(SETTLED), place)})


def _draw(chain: _Chain, found: DecidedNames, spread: Spread | None, join_type: str) -> Node:
    """The place of the answer that a row takes, of several where it is spread."""
    if spread is None or not found.draws:
        return build_column(PLACE)
    draws = [[f"{name}_{at}" for name in _DRAW] for at in range(found.few_draws)]
    times = {
        f"{TIMES}_{at}": spread.time(*(build_column(f"{DRAWS}_{name}") for name in each))
        for at, each in enumerate(draws)
    }
    levels, places = [*spread.hashed(), times] if times else spread.hashed(), list[Node]()
    if found.has_many_draws:
        draws.append(["list"])
        many = build_column(f"{DRAWS}_list")
        levels.append({TIMES: build_if(build_not(is_null(many)), spread.times(many))})
        places.append(spread.place())
    if times:
        soonest, place = spread.place_of_few([*times])
        levels.append(soonest)
        places.append(place)
    levels.append({_TAKER: F.add(build_column(PLACE), coalesce(*places, build_literal(0)))})
    columns = {f"{DRAWS}_{name}": name for each in draws for name in each}
    chain.join(DRAWS, columns, [_same(DRAWS, "place", PLACE)], join_type)
    for level in levels:
        chain.add(level)
    return build_column(_TAKER)


def _decide_odd(
    chain: _Chain, puts: ClusterPuts, columns: Iterable[str], rules: Rules, explain: bool, spread: Spread | None
) -> None:
    """What the rules say of puts that say something odd: those of each edition of the queue managers."""
    told = {"__mqclause_names": "names", ODD_DESTINATIONS: "destinations", ODD_EDITION: "edition"}
    chain.join(ODD, told, [_same(ODD, "place", PLACE)])
    is_odd = F.is_less(build_column(PLACE), 0)
    editions = puts.list_editions(rules)
    of_editions = [f"{_IS_ODD}_{number}" for number in range(len(editions))]
    is_of = [build_equality(build_column(ODD_EDITION), number) for number in range(len(editions))]
    parted = {name: build_and(is_odd, each) for name, each in zip(of_editions, is_of, strict=True)}
    chain.add({**parted, ODD_PUT: build_if(is_odd, puts.odd_put)})
    on_the_way, answers = [PLACE, ODD_PUT, ODD_DESTINATIONS, ODD_EDITION, *of_editions], list[str]()
    for number, each in enumerate(editions):
        further = [*map(build_column, [*on_the_way, *answers]), *_row_number(spread)]
        kept, where = [*map(_kept, columns), *further], build_column(of_editions[number])
        decision = _decide_rows(chain, puts.odd_shape, kept, each, explain, spread, where)
        answers.append(f"{_ODD_DECISION}_{number}")
        chain.select([*kept, exp.alias_(decision, answers[-1])])
    cases = [(each, build_column(answer)) for each, answer in zip(is_of, answers, strict=True)]
    chain.add({_ODD_DECISION: build_case(cases)})


@define
class _Chain:
    """The parts of a query, each of the one before, and whether DuckDB stores what a part gives.

    None is inside of another: DuckDB 1.4 would plan it anew for each that it is inside of.
    """

    last: str = QUERIED_TABLE
    parts: list[tuple[str, exp.Select, bool]] = field(factory=list)

    def add_query(self, part: exp.Select) -> None:
        """A query of the part before."""
        self.last = f"__mqclause_step_{len(self.parts)}"
        self.parts.append((self.last, part, False))

    def select(self, columns: Iterable[exp.Expr]) -> None:
        """These columns of the part before."""
        self.add_query(exp.select(*columns, copy=False).from_(self.last))

    def add(self, columns: Mapping[str, Node]) -> None:
        """Further columns."""
        self.select([exp.Star(), *_aliases(columns)])

    def add_plan(self, plan: Plan, where: Node | None = None) -> None:
        """The bindings of a plan in levels; of rows that are not like ``where`` nothing is evaluated."""
        for level in plan.levels():
            is_first = self.last == QUERIED_TABLE
            self.add({name: tree if where is None else build_if(where, tree) for name, tree in level.items()})
            if is_first:
                self.parts[-1][1].join(_ONE_ROW.copy(), join_type="cross", copy=False)

    def number_rows(self, spread: Spread | None) -> None:
        """The numbers of rows, where a null value is to be told from others of its like."""
        if spread is not None and spread.from_start and not spread.has_rows:
            self.add({ROW: exp.Window(this=exp.RowNumber())})

    def join(self, table: str, columns: Mapping[str, str], on: Iterable[Node], join_type: str = "left") -> None:
        """Columns of the row of a small table that is the same, by their names without that of the table.

        Every row stays, and stays one; a join that is "inner" is of rows that all have one.
        """
        found = {name: build_column(f"{table}_{of}") for name, of in columns.items()}
        part = exp.select(f"{self.last}.*", *_aliases(found)).from_(self.last)
        self.add_query(part.join(table, on=build_and(*on), join_type=join_type))

    def ending(self, columns: Iterable[exp.Expr]) -> exp.Select:
        """The whole query, which gives these columns of the last part."""
        query = exp.select(*columns, copy=False).from_(self.last)
        for name, part, is_stored in self.parts:
            query.with_(name, part, materialized=is_stored, copy=False)
        return query


def _exit_function(rows: ExitRowDecider) -> str:
    return f"__mqclause_exit_{rows.key}"


def _same(table: str, name: str, own: str) -> Node:
    return build_equality(build_column(own), build_column(f"{table}_{name}"))


def _row_number(spread: Spread | None) -> list[Node]:
    """The column of these numbers, if there is one."""
    return [build_column(ROW)] if spread is not None and spread.from_start else []


def _aliases(columns: Mapping[str, Node]) -> list[exp.Expr]:
    return [exp.alias_(tree, name, copy=False) for name, tree in columns.items()]


def _kept(name: str) -> Node:
    return exp.column(name, quoted=True)


def _columns(relation: DuckDBPyRelation) -> dict[str, FieldType]:
    """Raises TableError for two columns of one name, of which DuckDB would take the first twice."""
    check_apart(relation.columns)
    return get_column_kinds(relation)


def _found(connection: DuckDBPyConnection, __mqclause_given_5f0c6e1d94b24a7d: Any, query: str) -> DuckDBPyRelation:
    """DuckDB finds what it has no table of among the variables of who calls it: QUERIED_TABLE."""
    return connection.sql(query)


def _is_read_on(connection: DuckDBPyConnection, relation: DuckDBPyRelation) -> bool:
    """Whether a relation is one of the connection, which reads no row for that."""
    import duckdb

    try:
        _found(connection, relation, f"SELECT * FROM {QUERIED_TABLE}")
    except duckdb.Error:
        return False
    return True


def _own_connection() -> DuckDBPyConnection:
    """One that its relations keep open; before 2.0 they keep none, and DuckDB's default one is there to the end."""
    import duckdb

    return duckdb.connect() if int(duckdb.__version__.partition(".")[0]) > 1 else duckdb.default_connection()


def _relation_of_files(connection: DuckDBPyConnection, files: str) -> DuckDBPyRelation:
    import duckdb

    listed = [files]
    if os.path.isdir(files):
        listed = [glob.escape(str(each)) for each in list_files(Path(files)) if each.suffix.lower() == ".parquet"]
        if not listed:
            raise TableError(f"{files}: the folder holds no file that ends in .parquet")
    elif os.path.exists(files) and not os.path.isfile(files):
        # DuckDB would wait for a named pipe for ever; it finds none by a pattern.
        raise TableError(f"{files}: is a device or a named pipe; allowed: a file, or a folder of files")
    try:
        for each in listed:
            check_parquet(connection, each)
        return connection.sql(f"FROM {_parquet(listed)}")
    except duckdb.IOException as error:
        raise TableError(f"{files}: {_said(error)}") from None
    except duckdb.InvalidInputException as error:
        other = "what is in other files is given as a relation, as of duckdb.read_csv"
        raise TableError(f"{files}: is no Parquet file ({_said(error)}); {other}") from None


def _parquet(files: Iterable[str]) -> str:
    """Parquet files as one table: the union of their columns by name, and what the names of their folders say."""
    by_name = exp.EQ(this=build_column("union_by_name"), expression=exp.true())
    return DUCKDB.text(
        build_call("READ_PARQUET", exp.Array(expressions=[build_literal(each) for each in files]), by_name)
    )


def _said(error: Exception) -> str:
    """What DuckDB says, without the kind of the error and the place in a query that is ours."""
    said = str(error).splitlines()[0]
    return said.partition(" Error: ")[2] or said


def _names(source: Any) -> Iterable[object]:
    """The names of the columns of pandas, polars, Arrow, or of a mapping of arrays."""
    if isinstance(source, Mapping):
        return source
    # A frame of polars that is not collected warns where it is asked for its schema otherwise.
    schema = source.collect_schema() if hasattr(source, "collect_schema") else getattr(source, "schema", None)
    found = source.columns if hasattr(source, "iloc") else getattr(schema, "names", ())
    return found() if callable(found) else found


def _check_inside(nodes: Iterator[tuple[str, int | None]], count: int | None, before: str) -> None:
    """Looks at the next ``count`` of the nodes of a schema, each of which is followed by what is inside it."""
    names = []
    for name, inside in islice(nodes, count or 0):
        names.append(name)
        _check_inside(nodes, inside, f"{before}{name}.")
    check_apart(names, before)


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
    types = {**{name: ANSWER_TYPES[kind] for name, kind in DECISION.items()}, "shares": [share]}
    told = {"place": "INTEGER", **{name: types[name] for name in found.told}}
    # What holds nothing is left out, since DuckDB reads the text again with every query.
    rows = [{"place": place, **{name: value for name, value in each.items() if value is not None}}
            for place, each in enumerate(found.answers)]  # fmt: skip
    return _prefixed(ANSWERS, rows, told)


def _fields(found: DecidedNames, spread: Spread | None) -> dict[str, Node]:
    """The fields of a decision from the columns of ANSWERS."""
    asked = [*DECISION, *(["shares"] if spread and spread.shares else [])]
    return {
        name: build_column(f"{ANSWERS}_{name}")
        if name in found.told
        else exp.cast(exp.null(), _NULL_OF[DECISION[name]])
        for name in asked
    }


def _with_ready_answers(found: DecidedNames, spread: Spread | None) -> exp.Select:
    """NAMES with the decision itself, unless it depends on more of a row: where names of its own stand for any, and
    where it takes one of several."""
    place, stand = build_column(f"{NAMES}_place"), [build_literal(each) for each in NAME_PLACEHOLDERS.values()]
    ready = [build_literal(each) for each in found.ready]
    is_ready = build_and(
        exp.In(this=place, expressions=ready),
        *(build_not(exp.In(this=build_column(f"{NAMES}_{name}"), expressions=stand)) for name in PUT_NAMES),
    )
    decision = build_case([(is_ready, build_struct(_fields(found, spread)))])
    query = exp.select(f"{NAMES}.*", exp.alias_(decision, f"{NAMES}_ready")).from_(NAMES)
    return query.join(ANSWERS, on=build_equality(place, build_column(f"{ANSWERS}_place")), join_type="left")


def _draws(found: DecidedNames) -> exp.Select:
    """Who may take the rows of each answer: columns of few, a list of more; one takes all where there is no choice."""
    few, rows = found.few_draws, []
    for place in range(len(found.answers)):
        draws = found.draws.get(place, [])
        listed = {"list": draws} if len(draws) > FEW_DRAWS else {}
        drawn = [*([SURE_DRAW] if listed else draws or [SURE_DRAW]), *[NEVER_DRAWN] * few][:few]
        columns = {f"{name}_{at}": value for at, each in enumerate(drawn) for name, value in each.items()}
        rows.append({"place": place, **columns, **listed})
    types = {f"{name}_{at}": kind for at in range(few) for name, kind in _DRAW.items()}
    return _prefixed(DRAWS, rows, {"place": "INTEGER", **types, **({"list": [_DRAW]} if found.has_many_draws else {})})


def _prefixed(table: str, rows: Iterable[Mapping[str, Any]], types: Mapping[str, Any]) -> exp.Select:
    """Rows as a table whose columns begin with its name."""
    columns = (exp.alias_(build_column(name, "row"), f"{table}_{name}") for name in types)
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
    return exp.select(exp.alias_(build_call("UNNEST", listed), "row")).subquery("__mqclause_rows")


def _from_json(text: str, types: Any) -> Node:
    return build_call("FROM_JSON", build_literal(text), build_literal(json.dumps(types)))
