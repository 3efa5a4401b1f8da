"""Read what decide is given besides a table: clusters, the columns of a flat table, exits for its rows."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from logging import getLogger
from threading import Lock
from typing import Any
from uuid import uuid4

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.documents import OUTCOME
from mqclause.exits.process import Caller, Exit, Exits, ExitSession
from mqclause.language.sql import Node, build_literal
from mqclause.model.diagnostics import DomainError, suggest_allowed
from mqclause.model.exits import MQWXP
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import NAME_GIVEN
from mqclause.model.facts.objects import QueueManager
from mqclause.rulebook.rules import Rules
from mqclause.tables.cluster_puts import ClusterPuts, build_answer
from mqclause.tables.functions import build_column
from mqclause.tables.row import build_put
from mqclause.tables.schema import (
    PUT,
    PUT_NAMES,
    Column,
    FieldType,
    ListOf,
    Sources,
    TableError,
    ValueSource,
    check_fits,
    check_free,
    find_situation_fields,
    find_spelling,
    get_spelling,
)
from mqclause.tables.shares import Spread, reset_counters
from mqclause.workload.decision import Engine, Level
from mqclause.workload.exit_answer import ExitAnswer

GIVEN_FIELDS = tuple(name for name, each in PUT.items() if not each.optional)
"""What decide may be told of puts: the fields that the cluster does not say."""


@frozen
class Constant:
    """A value that is the same in every row of a table."""

    value: Any


def constant(value: Any) -> Constant:
    """Mark a value as the same in every row, whatever columns there are: ``decide(log, …, bind=constant("GROUP"))``."""
    return Constant(value)


def cluster_puts(
    columns: Mapping[str, FieldType],
    clusters: Cluster | Mapping[str, Cluster],
    at: str | None,
    given: Mapping[str, Any],
    spread: Spread | None = None,
) -> ClusterPuts:
    """Find the puts of a table with these columns, in a struct ``put`` or where ``given`` says. Raises TableError."""
    check_free(OUTCOME.row.answer, columns)
    by_name = _by_name(clusters, at)
    if spread is not None and spread.from_start:
        by_name = {name: reset_counters(each) for name, each in by_name.items()}
    where = None if at is None else _source_at(columns, at)
    if given:
        sources = _flat(columns, given, by_name.values())
        constants = {name: same_in_all(PUT[name], given[name]) for name, (each,) in sources.items()
                     if not each.value.find(exp.Column)}  # fmt: skip
        if "clwlmruc" in constants:
            by_name = {name: with_clwlmruc(each, int(constants["clwlmruc"])) for name, each in by_name.items()}
        return ClusterPuts(by_name, sources, None, where, tuple(constants.items()))
    if find_spelling("put", columns) is None:
        flat = 'of a flat table say which columns its puts are in, like queue="DEST"'
        raise TableError(f"column put is missing; {flat}{suggest_allowed('put', columns, 'the table has')}")
    return ClusterPuts(
        by_name, find_situation_fields(columns, OUTCOME), build_column(get_spelling("put", columns)), where
    )


def check_no_cluster(at: str | None, given: Mapping[str, Any]) -> None:
    """Raise TableError if an argument is given that needs a cluster."""
    for name in (*(["at"] if at is not None else []), *given):
        raise TableError(f"{name}=…: is for puts that a cluster is given for; this table has its own destinations")


def check_clusters(clusters: Cluster | Mapping[Any, Cluster]) -> None:
    """Raise TableError for what is neither a cluster nor several."""
    for each in clusters.values() if isinstance(clusters, Mapping) else [clusters]:
        check_cluster(each)


def check_cluster(given: object) -> None:
    """Raise TableError for what is no cluster."""
    if not isinstance(given, Cluster):
        raise TableError(f"the cluster is a {type(given).__name__}; expected a Cluster, as a snapshot's .cluster is")


def _by_name(clusters: Cluster | Mapping[str, Cluster], at: str | None) -> Mapping[str, Cluster]:
    check_clusters(clusters)
    if isinstance(clusters, Cluster):
        if at is not None:
            raise TableError(f"at={at!r}: several clusters are needed, by the names of their local queue managers")
        return {clusters.queue_manager.name: clusters}
    if at is None:
        raise TableError("several clusters are given; at=… names the column with the local queue manager of each row")
    if not clusters:
        raise TableError("no cluster is given")
    try:
        return {NAME_GIVEN(name, "at"): each for name, each in clusters.items()}
    except DomainError as error:
        raise TableError(str(error)) from None


def _source_at(columns: Mapping[str, FieldType], at: str) -> ValueSource:
    own = get_spelling(at, columns)
    check_fits(columns[own], Column(own, NAME_GIVEN, ""), own)
    value: Node = exp.column(own, quoted=True)
    return ValueSource(exp.cast(exp.null(), "TEXT") if columns[own] == "null" else value, "text", own)


def _flat(columns: Mapping[str, FieldType], given: Mapping[str, Any], clusters: Collection[Cluster]) -> Sources:
    for name in given:
        if name not in GIVEN_FIELDS:
            raise TableError(f"{name}=…: not a field of a put{suggest_allowed(name, GIVEN_FIELDS)}")
    if all(given.get(name) is None for name in PUT_NAMES):
        raise TableError(f"a put names one of them: {'=… or '.join(PUT_NAMES)}=…")
    found = {name: _source(columns, PUT[name], value, clusters) for name, value in given.items() if value is not None}
    return {name: [found[name]] for name in PUT if name in found and found[name].kind != "null"}


def _source(columns: Mapping[str, FieldType], of: Column, value: Any, clusters: Collection[Cluster]) -> ValueSource:
    """A column of the table, or a value that is the same in all rows."""
    found = meant(columns, of, value, same_in_all(of, value), clusters)
    if isinstance(found, Constant):
        return ValueSource(build_literal(found.value), ListOf("text") if of.kind == "texts" else of.kind, of.name)
    check_fits(columns[found], of, found)
    return ValueSource(exp.column(found, quoted=True), columns[found], found)


def meant(
    columns: Collection[str],
    of: Column,
    value: Any,
    same: Any,
    clusters: Iterable[Cluster],
    latter: str = "constant({!r})",
) -> str | Constant:
    """Return the column that a word names, as the table spells it, or the value that is the ``same`` in all rows.

    ``latter`` is how the latter is said of a word that could be either. Raises TableError.
    """
    if isinstance(value, str):
        is_word = not isinstance(same, DomainError) and (of.name not in PUT_NAMES or _is_known(same, clusters))
        own = find_spelling(value, columns)
        if own is not None and is_word:
            raise TableError(_both(of, value, own, latter.format(same)))
        if own is not None:
            return own
        if not is_word:
            raise TableError(_no_column(of, value, columns))
    if isinstance(same, DomainError):
        raise TableError(str(same))
    return Constant(same)


@lru_cache(maxsize=32)
def with_clwlmruc(cluster: Cluster, number: int) -> Cluster:
    """Return the cluster with this CLWLMRUC of its local queue manager."""
    return evolve(cluster, queue_manager=evolve(cluster.queue_manager, clwlmruc=number))


def same_in_all(of: Column, value: Any) -> Any:
    """Return the value of a field in every row, or the error if the field may not hold it."""
    try:
        return of.domain(value.value if isinstance(value, Constant) else value, of.name)
    except DomainError as error:
        return error


def _is_known(name: str, clusters: Iterable[Cluster]) -> bool:
    return any(
        name == each.queue_manager.name or name in {*each.queues_by_name, *each.aliases_by_name, *each.remote}
        for each in clusters
    )


def _both(of: Column, value: str, own: str, latter: str) -> str:
    """A word that is a column and also what the field may hold in every row."""
    what = "name in the cluster" if of.name in PUT_NAMES else "value that it may have"
    said = f"{of.name}={value!r} is the column {own} and also a {what}"
    return f"{said}; {latter} is the latter, for the former give the column another name"


def _no_column(of: Column, value: str, columns: Collection[str]) -> str:
    """A word that is neither a column nor what the field may hold in every row."""
    what = "name in the cluster" if of.name in PUT_NAMES else "value that it may have"
    return f"{of.name}={value!r} is neither a column nor a {what}{suggest_allowed(value, columns, 'the table has')}"


LOG = getLogger("mqclause")
ANSWERS_KEPT = 100_000
"""How many answers a process keeps."""

TABLES_AT_A_TIME = 4
"""For how many tables a process keeps answers, and the processes of their exits."""


@frozen
class ExitRowDecider:
    """A decider of the rows of ``clusters`` by their exits: plain data that other processes take as it is.

    ``places`` are those of the clusters that name an exit that is given. All copies with one ``key`` in a process share
    their answers.
    """

    key: str
    places: Sequence[int]
    clusters: Sequence[Cluster]
    rules: Rules
    exits: Mapping[str, Exit]
    limit: float | None
    explain: bool

    @classmethod
    def of(
        cls,
        puts: ClusterPuts,
        rules: Rules,
        exits: Mapping[str, Exit] | None,
        limit: float | None,
        explain: bool,
        spread: Spread | None,
    ) -> ExitRowDecider | None:
        """Build the decider of a table's rows; None where no row calls an exit.

        Raises TableError for what is no exit, no limit, and for a ``spread``.
        """
        try:
            given = Exits(exits, limit)
        except (TypeError, ValueError) as error:
            raise TableError(str(error)) from None
        clusters = tuple(puts.clusters.values())
        places = tuple(at for at, each in enumerate(clusters) if each.queue_manager.clwlexit in given.names)
        if places and spread is not None:
            raise TableError("exits=…: what an exit takes in the long run is not known; shares and spread go without")
        return cls(uuid4().hex, places, clusters, rules, given.given, given.limit, explain) if places else None

    def decision(self, at: int, said: str) -> str:
        """Decide a put, given as JSON with the place of its queue manager, and return its decision as JSON."""
        return _decider_of(self).answer(at, said)


_deciders: OrderedDict[str, _Decided] = OrderedDict()
_turn = Lock()


def _decider_of(rows: ExitRowDecider) -> _Decided:
    """The one of this process; that of the table that was asked for longest ago ends when there are too many."""
    with _turn:
        if rows.key not in _deciders:
            _deciders[rows.key] = _Decided(rows)
        found = _deciders[rows.key]
        _deciders.move_to_end(rows.key)
        ended = _deciders.popitem(last=False)[1] if len(_deciders) > TABLES_AT_A_TIME else None
    if ended is not None:
        ended.engine.close()
    return found


class _Decided:
    """The answers of one process, and what makes them."""

    def __init__(self, of: ExitRowDecider) -> None:
        self.of = of
        self.engine = Engine(of.rules, exits=of.exits, exit_limit=of.limit)
        self.known: dict[tuple[int, str], str] = {}
        self.told: set[str] = set()
        self.turn = Lock()

    def answer(self, at: int, text: str) -> str:
        """The answer to a put; one at a time, so that none is asked for twice."""
        with self.turn:
            if len(self.known) >= ANSWERS_KEPT:
                self.known.clear()
            if (at, text) not in self.known:
                self.known[at, text] = json.dumps(self.decided(self.of.clusters[at], json.loads(text)))
            return self.known[at, text]

    def decided(self, cluster: Cluster, said: Mapping[str, Any]) -> dict[str, Any]:
        """What the engine answers, with the exit, at a queue manager that is started for this put."""
        put, own, session = build_put(said), cluster.queue_manager, ExitSession()
        if said.get("clwlmruc") not in (None, own.clwlmruc):
            cluster = with_clwlmruc(cluster, int(said["clwlmruc"]))
        level: Level = "rule" if self.of.explain else "off"
        found = self.engine.choose(put, cluster, None, level, Caller(session=session))
        self.engine.exits.end(session)
        if found.exit is not None and self.engine.exits.given[own.clwlexit] is not _not_called:
            self.tell(own, found.exit)
        if found.exit is not None and found.exit.call.timed_out:
            self.engine.close()
            given = {**self.engine.exits.given, own.clwlexit: _not_called}
            self.engine = Engine(self.of.rules, exits=given, exit_limit=self.of.limit)
        return build_answer(found, self.of.explain)

    def tell(self, own: QueueManager, answer: ExitAnswer) -> None:
        """Logs why rows fail by an exit, and what else rules remark of it, as a failure at INIT: each rule once."""
        said = dict(answer.remarks_by_rule)
        if answer.failed:
            ended = ", and is not called for further rows" if answer.call.timed_out else ""
            said[answer.rule.id] = answer.because + ended
        for rule, text in said.items():
            if rule not in self.told:
                self.told.add(rule)
                LOG.warning("CLWLEXIT(%s) of %s: %s", own.clwlexit, own.name, text)


def _not_called(_: MQWXP) -> None:
    """In the place of an exit that has run into its limit: the rows fail as by that."""
    raise TimeoutError
