"""News: what a change has to be said of puts, whether they go elsewhere or not."""

from __future__ import annotations

from collections.abc import Iterator

from mqclause.answers.choice.delivered import delivered, way_to
from mqclause.answers.cluster.cluster_map import MapRow


def news(before: MapRow, after: MapRow) -> Iterator[str]:
    """What stands in the way of messages, and which other readings matter, on the second side and not on the first.

    That messages wait for a channel is not among it: that is told of all destinations.
    """
    if before is not after:
        yield from _in_the_way(before, after)
        yield from _by_readings(before, after)


def _in_the_way(before: MapRow, after: MapRow) -> Iterator[str]:
    one, other = (way_to(each.decision, each.snapshot) for each in (before, after))
    found = None if other is None or one == other else delivered(other, after.decision.rules)
    if found is not None:
        had = None if one is None else delivered(one, before.decision.rules)
        known = [] if had is None else [*had.remarks]
        yield from (each for each in found.lasting if each not in known)


def _by_readings(before: MapRow, after: MapRow) -> Iterator[str]:
    one, other = before.decision, after.decision
    # of one kind the same readings matter, whatever the names are
    if not other.runs or (one.runs and one.kind == other.kind):
        return
    known = {(each.reading, each.choice) for each in one.other_readings()}
    yield from (str(each) for each in other.other_readings() if (each.reading, each.choice) not in known)
