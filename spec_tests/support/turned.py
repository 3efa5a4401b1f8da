"""Rules that take the other one of several, and rows in which several are equally good."""

from __future__ import annotations

from random import Random

from mqclause import Rules
from spec_tests.support.random_rows import Row, random_row

FIRST, LAST = 'ties    = "first-listed"', 'ties    = "last-listed"'


def taking_the_last() -> Rules:
    """The rules with every choice of clauses 3 and 12 turned round: of several the one listed last is taken."""
    rules = Rules({"local-instance-competes": "clusrcvr-channels"})
    choosing = {path: text for path, text in rules.files.items() if "[choose]" in text}
    assert choosing
    assert all(FIRST in text for text in choosing.values())
    return rules.with_files({path: text.replace(FIRST, LAST) for path, text in choosing.items()})


def rows_of_ties(count: int) -> list[Row]:
    """So many rows of a few destinations that hardly anything but their names and places tells apart."""
    kept = ("queue", "queue_manager", "channel", "cluster", "is_local", "is_alias", "put_enabled", "clwluseq")
    rows = [random_row(Random(number), 0.0, most=4) for number in range(count)]
    return [
        (put, [each and {name: each[name] for name in kept if name in each} for each in listed or ()])
        for put, listed in rows
    ]
