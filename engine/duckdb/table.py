"""Tables decided by DuckDB: a file or a table on one machine, larger than its memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.documents import OUTCOME, TRIGGER, WORKLOAD
from mqclause.duckdb.dialect import DUCKDB, by_column
from mqclause.duckdb.exits import decided_by_exits
from mqclause.duckdb.known import ANSWERS, DRAWS, NAMES, ODD, WRITTEN, known
from mqclause.duckdb.sources import ASKED_OF, GivenTable
from mqclause.duckdb.types import kind_of
from mqclause.exits.process import Exit
from mqclause.language.sql import Node, both, case, equal, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.tables.answers import decision, evaluation, triggering
from mqclause.tables.bindings import Plan
from mqclause.tables.cluster_puts import (
    NUMBER,
    ODD_DESTINATIONS,
    ODD_PUT,
    PLACE,
    SETTLED,
    ClusterPuts,
)
from mqclause.tables.columns import DECISION
from mqclause.tables.decided_names import DecidedNames, decided_names
from mqclause.tables.exit_rows import ExitRows
from mqclause.tables.flat import check_no_cluster, cluster_puts
from mqclause.tables.functions import PREFIX, coalesced, column, is_null, struct_of
from mqclause.tables.plan import plan_of
from mqclause.tables.shape import FieldType, Shape, check_apart, shape_of
from mqclause.tables.shares import DECIDED, ROW, TIES, TIMES, Spread, as_decided, ties_plan
from mqclause.tables.shown import shown_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

TABLE = "puts"
"""What a query that is shown calls its table."""

KEPT_TEXTS = 32
"""Queries that are kept: to write one anew takes longer than to decide ten thousand rows."""

_ONE_ROW = exp.select(exp.alias_(exp.true(), "__mqclause_apart")).subquery("__mqclause_one_row")
"""What keeps DuckDB from reading a table twice for the first rows of an order: projections that stand on nothing but a
table it would write into one another, which for so many levels no memory has room for."""


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
    """The table ``source`` with a column ``decision``: see mqclause.tables.columns for what goes in and comes out.

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
    one of ``exits``, Python decides: see mqclause.tables.exit_rows. Raises TableError and RuleError.
    """
    given, rules = GivenTable.of(source, connection), Rules.given(rules)
    columns = _columns(given.relation)
    spreading = Spread.of(columns, shares, spread)
    if cluster is not None:
        puts = cluster_puts(columns, cluster, at, put, spreading)
        rules = puts.of_one_edition(rules)
        by_exits = ExitRows.of(puts, rules, exits, exit_limit, explain, spreading)
        decided = given.asked(text_in_cluster(puts, tuple(columns), rules, explain, spreading, given.is_sized))
        return decided_by_exits(decided, puts, by_exits, given.connection) if by_exits else decided
    check_no_cluster(at, put if exits is None else {**put, "exits": exits})
    return given.asked(text_of_rows(shape_of(columns, OUTCOME), tuple(columns), rules, explain, spreading))


def decide_triggers(
    source: DuckDBPyRelation | str | Path | Any,
    rules: Rules | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with a column ``triggering``, by its column ``occasion``: see mqclause.tables.columns.

    Raises TableError and RuleError.
    """
    given = GivenTable.of(source, connection)
    plan = plan_of(Rules.given(rules), shape_of(_columns(given.relation), TRIGGER), triggering)
    return _answered(given, plan, TRIGGER)


def apply_rules(
    source: DuckDBPyRelation | str | Path | Any,
    declaration: Declaration,
    rules: Rules | None = None,
    explain: bool = False,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with the answer of one document's rules, in the columns that ``declaration`` names.

    The fields of the answer are those of mqclause.tables.answers.evaluation; with ``explain``, ``eliminated_by`` says
    by which rule each subject fell. Raises TableError and RuleError.
    """
    given = GivenTable.of(source, connection)
    shape = shape_of(_columns(given.relation), declaration)
    plan = plan_of(Rules.given(rules), shape, evaluation, declaration if explain else None)
    return _answered(given, plan, declaration)


def show_sql(name: str, rules: Rules | None = None) -> str:
    """What a rule (``workload.06``) or a ruleset (``workload``) becomes in DuckDB's SQL, to be read.

    Raises UnknownRuleError and RuleError.
    """
    return shown_sql(name, Rules.given(rules), DUCKDB, _query)


def _query(plan: Plan, about: Declaration) -> Node:
    return _projected(plan, TABLE, [exp.Star()], about.row.answer)


def _answered(given: GivenTable, plan: Plan, about: Declaration) -> DuckDBPyRelation:
    return given.asked(text_of(plan, tuple(given.relation.columns), about.row.answer))


@lru_cache(maxsize=KEPT_TEXTS)
def text_of(plan: Plan, columns: Sequence[str], name: str) -> str:
    """The query of a table with those of its ``columns`` and the answer of a plan under that ``name``, written once."""
    return DUCKDB.text(_projected(plan, ASKED_OF, [_kept(each) for each in columns], name))


@lru_cache(maxsize=KEPT_TEXTS)
def text_of_rows(shape: Shape, columns: Sequence[str], rules: Rules, explain: bool, spread: Spread | None) -> str:
    """The query of a table with its own destinations, written once."""
    query = _Plans.of(rules, shape, explain, spread).query(_source(spread), columns, (), spread)
    return DUCKDB.text(_numbered(query, spread))


def _projected(
    plan: Plan, source: str, kept: Iterable[Node], name: str, where: Node | None = None, answer: Node | None = None
) -> exp.Select:
    """A plan as a query of ``source``; bindings that need nothing of each other are one projection.

    Of rows that are not like ``where`` nothing is evaluated.
    """
    query, of_plan = exp.Select(), f"__mqclause_{name.removeprefix(PREFIX)}"
    for number, level in enumerate(by_column(plan).levels()):
        there = {binding: tree if where is None else when(where.copy(), tree) for binding, tree in level.items()}
        bound = [exp.alias_(tree, binding, copy=False) for binding, tree in there.items()]
        projection = exp.select("*", *bound, copy=False).from_(source, copy=False)
        if source == ASKED_OF:
            projection.join(_ONE_ROW.copy(), join_type="cross", copy=False)
        source = f"{of_plan}_level_{number}"
        query = query.with_(source, projection, materialized=False, copy=False)
    answered = exp.alias_(struct_of(plan.answer) if answer is None else answer, name)
    return query.select(*kept, answered, copy=False).from_(source, copy=False)


@frozen
class _Plans:
    """The plans of a decision and of who ties, for rows that are like ``where``, and what they answer."""

    decision: Plan
    ties: Plan | None
    decided: Node
    tied: Node
    where: Node | None = None

    @classmethod
    def of(cls, rules: Rules, shape: Shape, explain: bool, spread: Spread | None) -> _Plans:
        """The plans for a table of that shape, all of whose rows they answer."""
        found = plan_of(rules, as_decided(shape, spread), decision, WORKLOAD if explain else None)
        tied = None if spread is None else ties_plan(rules, shape)
        return cls(found, tied, struct_of(found.answer), exp.null() if tied is None else tied.answer["ties"])

    def query(
        self,
        source: str,
        columns: Iterable[str],
        further: Iterable[str],
        spread: Spread | None,
        name: str = OUTCOME.row.answer,
    ) -> exp.Select:
        """The ``columns`` of a source, with those ``further`` that come after them, and the decision."""
        kept = [*map(_kept, columns), *map(column, further)]
        if spread is None or self.ties is None:
            return _projected(self.decision, source, kept, name, self.where, self.decided)
        row = [column(ROW)] if spread.from_start else []
        needed = [column(each) for each in (_IS_ODD, ODD_PUT, ODD_DESTINATIONS)] if self.where is not None else []
        first = _projected(self.ties, source, [*kept, *row, *needed], TIES, self.where, self.tied)
        on_the_way = [*kept, *row, column(TIES)]
        then = _projected(self.decision, "__mqclause_tied", on_the_way, DECIDED, self.where, self.decided)
        rows = exp.select(*kept, *row, exp.alias_(spread.answer(DECIDED, TIES), name))
        parts, last = [("__mqclause_tied", first), ("__mqclause_rows_decided", then)], "__mqclause_rows_decided"
        for number, level in enumerate(spread.levels(TIES)):
            taken = exp.select("*", *_aliases(level)).from_(last)
            last = f"__mqclause_taken_{number}"
            parts.append((last, taken))
        rows = rows.from_(last)
        for each, part in reversed(parts):
            rows = with_first(rows, each, part, False)
        return rows


@lru_cache(maxsize=KEPT_TEXTS)
def text_in_cluster(
    puts: ClusterPuts,
    columns: Sequence[str],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    is_sized: bool = False,
) -> str:
    """The query of a table of puts in a cluster, written once; ``is_sized``: DuckDB knows of how many rows it is."""
    tables = known(decided_names(puts, rules, explain, spread), puts)
    return DUCKDB.text(_numbered(query_in_cluster(puts, columns, rules, explain, spread, tables, is_sized), spread))


def query_in_cluster(
    puts: ClusterPuts,
    columns: Iterable[str],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    tables: Mapping[str, exp.Select],
    is_sized: bool = False,
) -> exp.Select:
    """Every row of the table, joined with what is decided of its names; only odd puts are decided by the rules.

    ``tables`` are those of mqclause.duckdb.known, as far as they are not there under their names.
    """
    found, chain = decided_names(puts, rules, explain, spread), _Chain(_source(spread))
    _find(chain, puts, found, rules)
    if found.odd:
        _decide_odd(chain, puts, columns, rules, explain, spread)
    place = _draw(chain, spread) if found.draws and spread is not None else column(PLACE)
    asked = [*DECISION, *(["shares"] if spread and spread.shares else [])]
    fields = {
        name: column(f"{ANSWERS}_{name}") if name in found.told else exp.cast(exp.null(), _NULL_OF[DECISION[name]])
        for name in asked
    }
    decided = puts.decided(fields, found.tells_names)
    if found.odd:
        odd = puts.of_odd(column(_ODD_DECISION), rules, spread is not None and spread.shares)
        decided = case([(exp.LT(this=column(PLACE), expression=literal(0)), odd)], decided)
    kept = [_kept(each) for each in columns]
    query = exp.select(*kept, exp.alias_(decided, OUTCOME.row.answer)).from_(chain.last)
    # Every row has an answer; that of an odd one is not looked at. Knowing that, DuckDB joins in half the time. But
    # where it does not know how many rows there are, it might gather them all before it gives any.
    there = exp.Greatest(this=place, expressions=[literal(0)]) if found.odd else place
    join_type = "inner" if is_sized else "left"
    query.join(ANSWERS, on=equal(there, column(f"{ANSWERS}_place")), join_type=join_type, copy=False)
    for name, part, stored in reversed([*((*each, True) for each in tables.items()), *chain.parts]):
        query = with_first(query, name, part, stored)
    return query


def _find(chain: _Chain, puts: ClusterPuts, found: DecidedNames, rules: Rules) -> None:
    """The places of the answers: by names as they are written, or by what is found in others."""
    number = puts.number(found.numbers)
    if number is not None:
        chain.add({NUMBER: number})
    # A name that is null is one that a row can have, and so is written down, but no local queue manager is.
    as_written = [
        (exp.EQ if name == "at" else exp.NullSafeEQ)(this=each, expression=column(f"{WRITTEN}_{name}"))
        for name, each in puts.written.items()
    ]
    said = [] if number is None else [NUMBER]
    chain.join(WRITTEN, {SETTLED: "place"}, [*as_written, *(_same(WRITTEN, "number", each) for each in said)])
    levels, by = puts.found_by(rules)
    for level in levels:
        chain.add(level)
    by |= {"number": column(NUMBER)} if said else {}
    chain.join(NAMES, {_FOUND: "place"}, [equal(each, column(f"{NAMES}_{name}")) for name, each in by.items()])
    chain.add({PLACE: puts.place_of(column(_FOUND), found.unknown, rules, column(NUMBER) if said else literal(0))})


def _draw(chain: _Chain, spread: Spread) -> Node:
    """The place of the answer that a row takes of several."""
    chain.join(DRAWS, {_DRAWN: "draws"}, [_same(DRAWS, "place", PLACE)])
    is_drawn = negated(is_null(column(_DRAWN)))
    for level in spread.hashed():
        chain.add(level)
    chain.add({TIMES: when(is_drawn, spread.times(column(_DRAWN)))})
    return exp.Add(this=column(PLACE), expression=coalesced(spread.place(), literal(0)))


def _decide_odd(
    chain: _Chain, puts: ClusterPuts, columns: Iterable[str], rules: Rules, explain: bool, spread: Spread | None
) -> None:
    """What the rules say of puts that say something odd."""
    plans = _Plans.of(rules, puts.odd_shape, explain, spread)
    told = {"__mqclause_names": "names", ODD_DESTINATIONS: "destinations"}
    chain.join(ODD, told, [_same(ODD, "place", PLACE)])
    is_odd = exp.LT(this=column(PLACE), expression=literal(0))
    chain.add({_IS_ODD: is_odd, ODD_PUT: when(is_odd.copy(), puts.odd_put)})
    query = evolve(plans, where=column(_IS_ODD)).query(chain.last, columns, (PLACE,), spread, _ODD_DECISION)
    chain.add_query(query)


_NULL_OF = {"text": "TEXT", "integer": "INT", "texts": "ARRAY<TEXT>"}
"""The types of fields of a decision that hold nothing in any answer."""


class _Chain:
    """The parts of a query, each of the one before: rows with further columns."""

    def __init__(self, source: str) -> None:
        self.parts: list[tuple[str, exp.Select, bool]] = []
        self.last = source

    def add_query(self, part: exp.Select) -> None:
        """A query of the part before."""
        self.last = f"__mqclause_step_{len(self.parts)}"
        self.parts.append((self.last, part, False))

    def add(self, columns: Mapping[str, Node]) -> None:
        """Further columns."""
        self.add_query(exp.select("*", *_aliases(columns)).from_(self.last))

    def join(self, table: str, columns: Mapping[str, str], on: Iterable[Node]) -> None:
        """Columns of the row of a small table that is the same, by their names without that of the table.

        Every row stays, and stays one.
        """
        found = {name: column(f"{table}_{of}") for name, of in columns.items()}
        part = exp.select(f"{self.last}.*", *_aliases(found)).from_(self.last)
        self.add_query(part.join(table, on=both(*on), join_type="left"))


def _same(table: str, name: str, own: str) -> Node:
    return equal(column(own), column(f"{table}_{name}"))


def _source(spread: Spread | None) -> str:
    """What a query of the table reads it from."""
    return "__mqclause_numbered" if spread is not None and spread.from_start and not spread.has_rows else ASKED_OF


def _numbered(query: exp.Select, spread: Spread | None) -> exp.Select:
    """The query, with the numbers of rows where a null value is to be told from others of its like."""
    source = _source(spread)
    if source == ASKED_OF:
        return query
    number = exp.alias_(exp.Window(this=exp.RowNumber()), ROW)
    return with_first(query, source, exp.select("*", number).from_(ASKED_OF), False)


_FOUND, _DRAWN, _IS_ODD, _ODD_DECISION = (f"__mqclause_{name}" for name in ("found", "drawn", "is_odd", "odd_decision"))
"""Columns on the way: the place that names are found by, who may take the row, whether its put is odd, and decided as
one."""


def _aliases(columns: Mapping[str, Node]) -> list[exp.Expr]:
    return [exp.alias_(tree, name) for name, tree in columns.items()]


def with_first(query: exp.Select, name: str, part: exp.Select, stored: bool) -> exp.Select:
    """The query, with another part before those that it has.

    The parts of that part come before it: where some are inside of others, DuckDB 1.4 plans each anew for every other.
    """
    after = query.args["with_"].expressions if query.args.get("with_") else []
    before = part.args.pop("with_").expressions if part.args.get("with_") else []
    query.with_(name, part, materialized=stored, append=False, copy=False)
    query.args["with_"].set("expressions", [*before, *query.args["with_"].expressions, *after])
    return query


def _kept(name: str) -> Node:
    return exp.column(name, quoted=True)


def _columns(relation: DuckDBPyRelation) -> dict[str, FieldType]:
    """Raises TableError for two columns of one name, of which DuckDB would take the first twice."""
    check_apart(relation.columns)
    return kinds_of(relation)


def kinds_of(relation: DuckDBPyRelation) -> dict[str, FieldType]:
    """Of which kind the columns of a relation are."""
    return dict(zip(relation.columns, map(kind_of, relation.types), strict=True))
