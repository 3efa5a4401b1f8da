"""A document of its own: parcels that doors are chosen for, with rules that use every kind of word and of step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from attrs import frozen

from mqclause.model.facts.domains import Finite, TableColumn, Text, Whole, Words, internal_field, rule_field
from mqclause.rulebook.rule import Declaration, RowNames
from mqclause.rulebook.rules import Rules
from mqclause.tables.schema import build_columns
from spec_tests.support.random_rows import arrow_struct


@frozen(eq=False)
class Parcel:
    """What is to be brought."""

    weight: int = rule_field(Whole(0, 100), 1)
    value: float = rule_field(Finite(0.0), 0.5)
    size: str = rule_field(Words(("small", "large")), "small")
    fragile: bool = False
    label: str = rule_field(Text(20), "")
    on_day: str = rule_field(Words(("Mon", "Tue")), "Mon", TableColumn(stands_for={"ANY": "Tue"}))
    hour: int = internal_field(9)


@frozen(eq=False)
class Door:
    """Where it can be brought."""

    street: str = rule_field(Text(20), "")
    floor: int = rule_field(Whole(-5, 90), 0)
    width: float = rule_field(Finite(0.0), 1.0)
    steps: int = rule_field(Whole(0, 1_000_000), 0)
    kind: str = rule_field(Words(("front", "back", "side")), "front", TableColumn("opens"))
    lit: bool = True


PARCELS = Declaration("parcels", Parcel, Door, row=RowNames("parcel", "doors", "brought"))

RULES: Mapping[str, str] = {
    "01_dark": "[eliminate]\nwhere = 'NOT lit AND fragile'\nbecause = 'dark'",
    "02_narrow": "when = \"size = 'large'\"\n[eliminate]\nwhere = 'width < value * 0.5'\nbecause = 'narrow'",
    "03_side": "[set_aside]\nwhere = \"kind = 'side' OR floor < 0\"\nbecause = 'aside'",
    "04_order": "[order_by]\nby = ['floor DESC', 'width', 'lit']",
    "05_back": "when = 'COUNT_IF(TRUE) < 2'\n[take_back]\nwhere = 'steps < 50'",
    "06_near": "[keep]\nlowest = 'steps'\nat_most = 'weight'\nbecause = 'far'",
    "07_total": "[derive]\nleft = 'COUNT_IF(TRUE)'\npeople = 'FLOOR(weight / 4.0) + 1'\nload = 'weight * 1.5'",
    "08_who": "when = 'hour = 9 AND fragile'\n[derive]\nby = \"CASE WHEN on_day = 'Mon' THEN label ELSE 'two' END\"",
    "09_none": "when = 'left = 0'\n[fail_with]\nreason = 'MQRC_UNKNOWN_OBJECT_NAME'\ncall = \"'MQPUT'\"\nbecause = 'none'",
    "10_careful": "when = 'left > 2'\n[derive]\ncareful = 'fragile OR load > 60'",
    "11_taken": "when = 'fragile'\n[choose]\nlowest = ['0 - floor']\nties = 'last-listed'\nbecause = 'lower'",
    "12_front": "[choose]\nwhere = \"kind = 'front'\"\nties = 'last-listed'\nbecause = 'not in front'",
}


def parcel_rules(folder: Path, rules: Mapping[str, str] = RULES) -> Rules:
    """The rules, written to a folder."""
    (folder / "parcels").mkdir(parents=True)
    for name, text in rules.items():
        number = name.partition("_")[0].lstrip("0")
        head = f"clause = 'parcels/{number}'\ntitle = 'Rule {name}'\n"
        (folder / "parcels" / f"{name}.toml").write_text(head + text)
    return Rules(folder=folder)


Row = tuple[dict[str, Any] | None, list[dict[str, Any] | None] | None]


def parcel_rows(rng: Random, number: int) -> list[Row]:
    """So many rows, few of them with a fault."""
    return [_row(rng) for _ in range(number)]


def _row(rng: Random) -> Row:
    parcel = {
        "weight": rng.choice((None, 0, 1, 2, 3, 40, 100)), "value": rng.choice((None, 0.0, 0.25, 3.0, 1e300)),
        "size": rng.choice(("small", "LARGE", "large", None)), "fragile": rng.choice((True, False, None)),
        "label": rng.choice(("a", "é'%", "", None)), "on_day": rng.choice(("Mon", "Tue", "any", "ANY", None)),
    }  # fmt: skip
    doors: list[dict[str, Any] | None] = [
        {
            "street": rng.choice(("S", None)), "floor": rng.choice((-5, -1, 0, 0, 1, 2, 90, None)),
            "width": rng.choice((0.0, -0.0, 0.5, 1.25, 2.0, None)), "steps": rng.choice((0, 10, 49, 50, 999_999)),
            "opens": rng.choice(("front", "FRONT", "back", "Side", "side", None)), "lit": rng.choice((True, True, False, None)),
        }
        for _ in range(rng.choice((0, 1, 2, 3, 5, 9)))
    ]  # fmt: skip
    if rng.random() < 0.04:
        parcel |= rng.choice(({"weight": 101}, {"size": "huge"}, {"on_day": "MON"}, {"value": -1.0}, {"weight": -1}))
    if doors and rng.random() < 0.04:
        doors[-1] = rng.choice((None, {"floor": -6}, {"opens": "roof"}, {"steps": 1_000_001}, {"width": float("inf")}))
    return (None if rng.random() < 0.02 else parcel), doors if rng.random() < 0.98 else None


def parcel_table(rows: list[Row]) -> pa.Table:
    """The rows as a table with columns ``id``, ``parcel`` and ``doors``."""
    door = pa.list_(arrow_struct(build_columns(Door)))
    return pa.table(
        {
            "id": range(len(rows)),
            "parcel": pa.array([each for each, _ in rows], arrow_struct(build_columns(Parcel))),
            "doors": pa.array([each for _, each in rows], door),
        }
    )
