"""Failing: the cluster after one of its queue managers failed, as the rules of document 004 say."""

from __future__ import annotations

from collections.abc import Iterable

from mqclause.answers.replay.administration import Administration
from mqclause.answers.replay.refreshing import of_route
from mqclause.model.assembly.members import Members, unreachable
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.rulebook.rules import Rules


def after_failure(members: Iterable[Snapshot], name: str, rules: Rules) -> Members:
    """The members when ``name`` does not answer: the routes to it as the rules say. Raises FactsError."""
    administration = Administration(rules)
    return unreachable(members, name, lambda route: administration.ask(of_route(route, "fail_route")).becomes)
