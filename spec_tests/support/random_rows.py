"""Random rows of a table: puts with destinations, some values null, some outside of their domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pyarrow as pa

from mqclause.model.facts.domains import Finite, Flag, Whole, Words
from mqclause.model.facts.objects import CHANNEL_STATES
from mqclause.tables.schema import DESTINATION, OCCASION, PUT, Column

Row = tuple[dict[str, Any] | None, list[dict[str, Any] | None] | None]
HOSTS = ("QM1", "QM2", "QM3")
DIGITS = [name for name, each in DESTINATION.items() if isinstance(each.domain, Whole) and each.domain.high == 9]
FLAGS = {name: bool(each.default) for name, each in DESTINATION.items() if each.domain == Flag()}
STATES = (CHANNEL_STATES, ("INACTIVE", "RUNNING"), CHANNEL_STATES[2:6], CHANNEL_STATES[6:], ("RETRYING", "PAUSED"))


def random_rows(rng: Random, number: int, faults: float = 0.01, optional: bool = False) -> list[Row]:
    """So many rows; ``faults`` is the share of values that are null or not allowed. With ``optional`` columns too."""
    return [random_row(rng, faults, optional=optional) for _ in range(number)]


def random_row(rng: Random, faults: float, most: int = 8, optional: bool = False) -> Row:
    """A row of up to ``most`` destinations. What differs between them is drawn for each row, so that many tie."""
    digits = {name: rng.choice(((0,), (0,), (0, 1), range(10))) for name in DIGITS}
    flags = {name: rng.choice((0, 0, 0.1, 0.25, 0.5)) for name in FLAGS}
    states, local = rng.choice(STATES), rng.random() < 0.4
    by_name = rng.random() < 0.75
    weights = rng.choice(((50, 50), (50, 50), (1, 99), (1, 99), (1, 99)))

    def destination(place: int) -> dict[str, Any] | None:
        if rng.random() < faults / 4:
            return None
        host = rng.choice(HOSTS)
        is_local = local and place == 0
        found: dict[str, Any] = {
            "queue": "Q", "queue_manager": host, "channel": None if is_local else f"TO.{host}",
            "cluster": None if is_local else "SALES", "clwluseq": rng.choice(("LOCAL", "ANY", "ANY", "any")),
            "channel_status": None if is_local else rng.choice(states), "channel_weight": rng.randint(*weights),
            "dest_seq_number": rng.choice((0, 1, 2, 3, 2**62)), "dest_seq_factor": rng.choice((0.0, -0.0, 1.5, 20.0, 1e9)),
        }  # fmt: skip
        found |= {name: rng.choice(drawn) for name, drawn in digits.items()}
        found |= {name: FLAGS[name] is not (rng.random() < share) for name, share in flags.items()}
        found["is_local"] = is_local
        if optional:
            found["queue_type"] = rng.choice(("QLOCAL", "QLOCAL", "QALIAS", "qremote"))
            found["clwluseq"] = rng.choice(("LOCAL", "ANY", "ANY", "QMGR", "qmgr"))
        found["is_alias"] = not by_name and rng.random() < 0.6
        return _spoilt(rng, found, DESTINATION, faults)

    put: dict[str, Any] = {
        "queue": "Q" if by_name else rng.choice((None, "", "KEPT")),
        "queue_manager": None if by_name else "ANY.CLUSTER",
        "bind": rng.choice(("OPEN", "NOTFIXED", "GROUP", "AS_Q_DEF", "notfixed", None)),
        "call": rng.choice(("MQOPEN", "MQPUT", "MQPUT1", "mqput", None)),
        "from_cluster_channel": rng.random() < 0.1,
        "cluster_pcf": rng.random() < 0.3,
        "already_sent_to": rng.choice(([], None, ["QM1"], ["QM2", None], ["QM1", "QM3"])),
        "clwlmruc": rng.choice((None, 1, 2, 3, 999_999_999)),
    }
    if optional:
        put["qmgr_clwluseq"] = rng.choice(("LOCAL", "ANY", "any"))
    given = _spoilt(rng, put, PUT, faults)
    count = rng.choice((0, 1, 2, 3, 4, 6, most)) if rng.random() < 0.95 else None
    listed = None if count is None else [destination(place) for place in range(count)]
    return (None if rng.random() < faults else given), listed


def _spoilt(rng: Random, row: dict[str, Any], columns: Mapping[str, Column], faults: float) -> dict[str, Any]:
    """``row``, changed so that about ``faults`` of its values are null or, seldom, not allowed."""
    # One draw more than there are faults, instead of one for each value: so many are expected before the first miss.
    expected = len(row) * faults
    while rng.random() < expected / (1 + expected):
        name = rng.choice([*row])
        row[name] = None if rng.random() < 0.94 else _not_allowed(rng, row[name], columns[name])
    return row


def _not_allowed(rng: Random, value: Any, column: Column) -> Any:
    match column.domain:
        case Whole(low, high):
            return rng.choice((low - 1, min(high + 1, 2**63 - 1)))
        case Finite():
            return rng.choice((-1.0, float("nan"), float("inf")))
        case Words():
            return "RUNING"
    return value


ARROW = {
    "boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "text": pa.string(),
    "texts": pa.list_(pa.string()),
}  # fmt: skip
"""The type of each kind of column in Arrow."""


def arrow_struct(columns: Mapping[str, Column], optional: bool = False) -> pa.DataType:
    return pa.struct([(name, ARROW[each.kind]) for name, each in columns.items() if optional or not each.optional])


def arrow_table(rows: Sequence[Row], optional: bool = False) -> pa.Table:
    """The rows as a table with columns ``id``, ``put`` and ``destinations``."""
    destination = arrow_struct(DESTINATION, optional)
    return pa.table(
        {
            "id": pa.array(range(len(rows)), pa.int64()),
            "put": pa.array([put for put, _ in rows], arrow_struct(PUT, optional)),
            "destinations": pa.array([each for _, each in rows], pa.list_(destination)),
        }
    )


def occasion_table(rng: Random, rows: int) -> pa.Table:
    """The first of the rows has no occasion, a few have a word that there is not, or fields that are null."""
    occasions: list[Any] = [None]
    for _ in range(rows):
        drawn: dict[str, Any] = {}
        for name, column in OCCASION.items():
            words = getattr(column.domain, "words", None)
            whole = isinstance(column.default, int) and not isinstance(column.default, bool)
            among = words or ((0, 0, 1, 2, 5) if whole else (True, False) if column.default is False else ("", "A"))
            drawn[name] = None if rng.random() < 0.02 else rng.choice(among)
        drawn |= {"trigtype": "DEEP"} if rng.random() < 0.02 else {}
        occasions.append(drawn)
    return pa.table({"id": range(len(occasions)), "occasion": pa.array(occasions, arrow_struct(OCCASION))})


def answers(relation: Any, column: str = "decision") -> list[dict[str, Any]]:
    """What a DuckDB relation with a column ``id`` says in another column, by ``id``."""
    found: list[dict[str, Any]] = relation.to_arrow_table().sort_by("id")[column].to_pylist()
    return found
