"""News: what a change has to be said of puts, whether they go elsewhere or not."""

from __future__ import annotations

from collections.abc import Iterator

from mqclause.answers.cluster.cluster_map import MapRow


def news(before: MapRow, after: MapRow) -> Iterator[str]:
    """What stands in the way of messages, and which other readings matter, on the second side and not on the first."""
    if before is not after:
        yield from (each for each in after.remarks if each not in before.remarks)
        yield from _by_readings(before, after)


def _by_readings(before: MapRow, after: MapRow) -> Iterator[str]:
    one, other = before.decision, after.decision
    # of one kind the same readings matter, whatever the names are
    if after.by_exit is not None or not other.runs or (one.runs and one.kind == other.kind):
        return
    known = {(each.reading, each.choice) for each in one.other_readings()}
    yield from (str(each) for each in other.other_readings() if (each.reading, each.choice) not in known)
