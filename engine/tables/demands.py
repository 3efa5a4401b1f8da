"""What a document asks of the rows of its tables, besides what each column allows."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from mqclause.documents.trigger import TRIGGER
from mqclause.documents.workload import OUTCOME, WORKLOAD
from mqclause.rulebook.declaration import Declaration


@frozen
class Demands:
    """What rows have to say, and what is told of those that do not.

    ``struct`` is what the column of the situation should be. Of the texts ``one_of`` a row gives at least one;
    ``none_given`` is told of others, and ``neither`` of a table that has no such column. A row without subjects is
    told ``nobody`` (blank: it is a row like any other). ``needed`` are columns that subjects of a table must have, with
    the reason.
    """

    struct: str = "a struct"
    one_of: tuple[str, ...] = ()
    none_given: str = ""
    neither: str = ""
    nobody: str = ""
    needed: Mapping[str, str] = field(factory=dict)


OF_PUTS = Demands(
    struct="a struct with queue or queue_manager",
    one_of=("queue", "queue_manager"),
    none_given="put.queue and put.queue_manager are both blank; a put names one of them",
    neither="column put has neither queue nor queue_manager; a put names one of them",
    nobody="destinations is null or empty; a row needs at least one destination",
    needed={"queue_manager": "every destination has a queue manager"},
)

PUT_NAMES = OF_PUTS.one_of
"""The fields by which a put names what it asks for."""

_DEMANDS = {
    WORKLOAD: OF_PUTS,
    OUTCOME: OF_PUTS,
    TRIGGER: Demands(struct="a struct with the facts about a queue"),
}


def demands_of(declaration: Declaration) -> Demands:
    """What a document asks of the rows of its tables."""
    return _DEMANDS.get(declaration, Demands())


def is_null_text(column: str) -> str:
    """What is told of a row whose situation is null."""
    return f"{column} is null; a row needs the {column} that it asks about"
