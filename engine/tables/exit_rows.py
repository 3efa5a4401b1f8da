"""Decide the rows that a cluster workload exit is called for, in Python, put by put."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from logging import getLogger
from threading import Lock
from typing import Any
from uuid import uuid4

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.exits.process import Exit
from mqclause.exits.session import Caller, Exits, ExitSession
from mqclause.language.sql import Node, build_and, build_literal
from mqclause.model.exits import MQWXP
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import QueueManager
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.cluster_puts import ClusterPuts, build_answer
from mqclause.tables.row import build_put
from mqclause.tables.schema import TableError
from mqclause.tables.shares import Spread
from mqclause.workload.decision import Engine, Level
from mqclause.workload.exit_answer import ExitAnswer

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
        """None where no row calls an exit. Raises TableError for what is no exit, no limit, and for a ``spread``."""
        try:
            given = Exits(exits, limit)
        except (TypeError, ValueError) as error:
            raise TableError(str(error)) from None
        clusters = tuple(puts.clusters.values())
        places = tuple(at for at, each in enumerate(clusters) if each.queue_manager.clwlexit in given.names)
        if places and spread is not None:
            raise TableError("exits=…: what an exit takes in the long run is not known; shares and spread go without")
        return cls(uuid4().hex, places, clusters, rules, given.given, given.limit, explain) if places else None

    def decisions(self, ats: Iterable[int | None], said: Iterable[str | None]) -> list[str | None]:
        """Decide each put, given as JSON with the place of its queue manager, and return its decision as JSON.

        None for a row that says nothing.
        """
        decided = _decider_of(self)
        rows = zip(ats, said, strict=True)
        return [None if at is None or text is None else decided.answer(at, text) for at, text in rows]


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
            cluster = evolve(cluster, queue_manager=evolve(own, clwlmruc=int(said["clwlmruc"])))
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


def build_put_struct(puts: ClusterPuts) -> Node:
    """Write what the put of a row says, as a struct."""
    values = {name: [each.value.copy() for each in sources] for name, sources in puts.sources.items()}
    return F.build_struct({name: F.coalesce(*each) for name, each in values.items()})


def has_exit_call(puts: ClusterPuts, rows: ExitRowDecider, outcome: Node) -> Node:
    """Write the test whether a row calls an exit: rules have found nothing wrong with it (``outcome``)."""
    at = exp.In(this=puts.place, expressions=[build_literal(place) for place in rows.places])
    return build_and(exp.NEQ(this=outcome, expression=build_literal("invalid")), at)
