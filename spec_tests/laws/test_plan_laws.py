"""Plans of random changes: a change and its inverse mirror each other, no change has no plan, parts add up."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from attrs import evolve

from mqclause import Cluster, Engine, PlanRow, Traffic, moves, plan
from spec_tests.support.random_clusters import random_cluster

SWAPPED = {"before": "after", "after": "before"}


def changed(rng: Random, cluster: Cluster) -> Cluster:
    """The cluster after some facts were altered or went."""
    attributes = {
        "queues": ("put", "clwlrank", "clwlprty"),
        "channels": ("status", "clwlrank", "clwlwght", "netprty"),
        "queue_manager_aliases": ("put",),
    }
    lists: dict[str, Any] = {name: list(getattr(cluster, name)) for name in attributes}
    for _ in range(rng.choice((1, 1, 2, 4))):
        name = rng.choice(list(attributes))
        if lists[name]:
            at = rng.randrange(len(lists[name]))
            if rng.random() < 0.15:
                del lists[name][at]
                continue
            field = rng.choice(attributes[name])
            values: Sequence[Any] = {
                "put": ("ENABLED", "DISABLED"), "status": ("RUNNING", "STOPPED", "RETRYING"),
            }.get(field, range(1, 9))  # fmt: skip
            lists[name][at] = evolve(lists[name][at], **{field: rng.choice(values)})
    altered: dict[str, Any] = {name: tuple(of) for name, of in lists.items()}
    return evolve(cluster, **altered)


def seen(row: PlanRow, swapped: bool = False) -> tuple[Any, ...]:
    """A row in values; with its sides the other way round."""
    sides = (row.after, row.before) if swapped else (row.before, row.after)
    ends = [
        (
            side.decision.outcome,
            side.decision.reason and side.decision.reason.code,
            [share.to_json() for share in side.shares],
        )
        for side in sides
    ]
    causes = {
        (SWAPPED[each.side] if swapped else each.side, *map(str, each.to_json().values())) for each in row.because
    }
    return row.queue, row.member, row.moved, ends, {(side, *rest[1:]) for side, *rest in causes}


@pytest.mark.parametrize("clusters", [30, pytest.param(600, marks=pytest.mark.deep)])
def test_a_change_and_its_inverse_mirror_each_other(clusters: int) -> None:
    rng, engine, differing = Random(77), Engine(), 0
    for _ in range(clusters):
        one = random_cluster(rng, rng.choice((1, 2, 4, 6)))
        other = changed(rng, one)
        there, back = plan(one, other, engine), plan(other, one, engine)
        assert [seen(row) for row in there] == [seen(row, swapped=True) for row in back]
        assert len(plan(other, other, engine)) == 0
        differing += bool(there)
    assert differing >= clusters / 5


@pytest.mark.parametrize("clusters", [15, pytest.param(400, marks=pytest.mark.deep)])
def test_what_moves_is_as_much_as_the_rows_say(clusters: int) -> None:
    rng, engine = Random(78), Engine()
    for _ in range(clusters):
        one = random_cluster(rng, rng.choice((2, 4, 6)))
        other = changed(rng, one)
        puts = {(row.queue, row.member): rng.randint(0, 10**6) for row in plan(one, other, engine)}
        rows = plan(one, other, engine, traffic=Traffic(puts))
        for row in rows:
            assert 0 <= row.moved <= 1
            for side in (row.before, row.after):
                assert sum(each.part for each in side.shares) == (side.decision.outcome == "chosen")
        # Between routes to one queue manager puts move, too, which moves do not tell.
        assert sum(each.puts for each in moves(rows)) <= float(sum(row.puts_moved for row in rows)) * (1 + 1e-9)
        amounts = [row.puts_moved for row in rows]
        assert amounts == sorted(amounts, reverse=True)
