"""Readings: where a document leaves room, the choices that rules/readings.toml offers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

import mqclause.rules
from mqclause.model.diagnostic import suggestion


class ReadingError(ValueError):
    """A reading or a choice that rules/readings.toml does not have."""


@frozen
class Reading:
    """One open point: the clauses it concerns, the choices (the default first), and why it is the default."""

    id: str
    clauses: tuple[str, ...]
    choices: tuple[str, ...]
    question: str
    why: str

    @property
    def default(self) -> str:
        return self.choices[0]


def rules_folder() -> Path:
    """The folder of the rule files that come with the project."""
    return Path(mqclause.rules.__path__[0])


@cache
def known_readings(folder: Path) -> Mapping[str, Reading]:
    """The readings of ``folder``/readings.toml by id."""
    with (folder / "readings.toml").open("rb") as file:
        tables = tomllib.load(file)
    return {
        name: Reading(name, tuple(table["clauses"]), tuple(table["choices"]), table["question"], table["why"])
        for name, table in tables.items()
    }


def chosen_readings(given: Mapping[str, str], folder: Path) -> dict[str, str]:
    """A choice for every reading: the ``given`` ones, the defaults for the rest. Raises ReadingError."""
    known = known_readings(folder)
    for name, choice in given.items():
        if name not in known:
            near = suggestion(name, known)
            raise ReadingError(f"reading {name!r} is not known{near}; allowed: {', '.join(known)}")
        allowed = known[name].choices
        if choice not in allowed:
            near = suggestion(choice, allowed)
            raise ReadingError(f"reading {name}: {choice!r} is not a choice; allowed: {', '.join(allowed)}{near}")
    return {name: given.get(name, reading.default) for name, reading in known.items()}


def every_local_channel(chosen: Mapping[str, str]) -> bool:
    """Whether the local instance stands once for each local CLUSRCVR: what destinations() asks of the readings."""
    return chosen["local-instance-competes"] == "clusrcvr-channels"
