"""Readings and editions: where a document leaves room, the choices; and which edition of the documents is in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from mqclause.model.diagnostic import instead, quoted, suggestion
from mqclause.rulebook.errors import ReadingError, RuleError

OVERRIDES = ("edition", "reading")
"""The tables of a rule, a term or a reading that state what differs in an edition or under a reading."""


@frozen
class Reading:
    """One open point: the clauses it concerns, the choices (the default first), and why it is the default.

    By the choices in ``not_replayed`` the rules say nothing of events one after the other. ``every_choice`` has those
    of all editions, first the default of the oldest, and ``defaults`` the default of each that states any.
    """

    id: str
    clauses: tuple[str, ...]
    choices: tuple[str, ...]
    question: str
    why: str
    not_replayed: tuple[str, ...] = ()
    every_choice: tuple[str, ...] = ()
    defaults: frozenset[str] = frozenset()

    @property
    def default(self) -> str:
        """The choice of who makes none: the first."""
        return self.choices[0]

    def concerns(self, document: str) -> bool:
        """Whether it is about a clause of the document."""
        return any(clause.startswith(f"{document}/") for clause in self.clauses)


@frozen
class InForce:
    """What a rule is read by: the edition, with those before it, oldest first, and a choice for every reading."""

    editions: tuple[str, ...]
    readings: Mapping[str, str]

    def stated(self, table: Mapping[str, Any], actions: Iterable[str] = ()) -> dict[str, Any]:
        """``table`` with the keys replaced that it states for an edition or a reading in force.

        Of several editions the latest counts, and a reading before all of them. One of ``actions`` takes the place of
        the action that stood there.
        """
        kept = {key: value for key, value in table.items() if key not in OVERRIDES}
        for replaced in self._replaced(table):
            if set(replaced).intersection(actions):
                kept = {key: value for key, value in kept.items() if key not in actions}
            kept |= replaced
        return kept

    def origins(self, table: Mapping[str, Any]) -> dict[str, str]:
        """By key that ``stated`` has from an edition or a reading: which, ``reading.'weight-step=truncated'``."""
        return {key: where for where, replaced in self._in_force(table) for key in replaced}

    def _replaced(self, table: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
        return (replaced for _, replaced in self._in_force(table))

    def _in_force(self, table: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
        by_edition, by_reading = (table.get(key, {}) for key in OVERRIDES)
        for edition in self.editions:
            if edition in by_edition:
                yield f"edition.{edition!r}", by_edition[edition]
        for reading, replaced in by_reading.items():
            name, _, choice = reading.partition("=")
            if self.readings.get(name) == choice:
                yield f"reading.{reading!r}", replaced


READING_KEYS: Mapping[str, type] = {"clauses": list, "choices": list, "question": str, "why": str, "not_replayed": list}
EDITION_KEYS: Mapping[str, type] = {"title": str, "command_level": int, "evidence": str, "source": str}
"""What readings.toml and editions.toml say of each, and of which type."""

_TYPES = {str: "text", list: "a list of texts", int: "a whole number"}


def checked_tables(path: str, within: str, tables: Any, types: Mapping[str, type]) -> dict[str, Mapping[str, Any]]:
    """The ``tables`` of a file, each of which has keys of ``types`` alone: texts, lists of texts, whole numbers.

    What they state for an edition or under a reading has to be so, too. Raises RuleError.
    """
    if not isinstance(tables, Mapping):
        raise RuleError(path, within, f"{quoted(tables)} is not a table of tables")
    for name, table in tables.items():
        check_keys(path, f"{within}.{name}".lstrip("."), table, types)
    return dict(tables)


EVIDENCE: Mapping[str, str] = {
    "stated": "read in a page of that edition",
    "implied": "follows from what was read of that edition",
    "inferred": "nothing that was read says otherwise",
    "recalled": "recalled, not read",
}
"""How it is known what holds in an edition, the surest first, and that in words."""


def check_evidence(path: str, within: str, table: Mapping[str, Any]) -> None:
    """Raises RuleError for a kind of evidence that there is none of, in a table or in those of its editions."""
    stated = table.get("evidence")
    if stated is not None and stated not in EVIDENCE:
        raise RuleError(
            path, f"{within}evidence", f"{quoted(stated)} is no kind of evidence{instead(str(stated), EVIDENCE)}"
        )
    for key in OVERRIDES:
        for name, each in table.get(key, {}).items():
            check_evidence(path, f"{within}{key}.{name!r}.", each)


def known_editions(tables: Any) -> dict[str, int]:
    """The command level of each edition of editions.toml, the oldest first; 0 where none is stated. Raises RuleError.

    Levels rise.
    """
    found, highest = dict[str, int](), 0
    for name, table in checked_tables("editions.toml", "", tables, EDITION_KEYS).items():
        check_evidence("editions.toml", f"{name}.", table)
        found[name] = level = table.get("command_level", 0)
        if level and level <= highest:
            said = f"{level} is not above {highest}, that of an edition before it; the oldest stands first"
            raise RuleError("editions.toml", f"{name}.command_level", said)
        highest = max(level, highest)
    return found


def edition_of(level: int, known: Mapping[str, int]) -> str:
    """The edition of a queue manager of a command level: the latest whose own is not above; the oldest below all."""
    found = [name for name, own in known.items() if 0 < own <= level]
    return found[-1] if found else next(iter(known))


def check_keys(path: str, within: str, table: Any, types: Mapping[str, type]) -> None:
    """Raises RuleError for a table that has other keys than ``types``, or values of other types."""
    if not isinstance(table, Mapping):
        raise RuleError(path, within, f"{quoted(table)} is not a table, like [{within}]")
    for key, value in table.items():
        if key in OVERRIDES:
            checked_tables(path, f"{within}.{key}", value, types)
        elif key not in types:
            raise RuleError(path, f"{within}.{key}", f"is not known{instead(key, [*types, *OVERRIDES])}")
        elif type(value) is not types[key] or (isinstance(value, list) and {*map(type, value)} - {str}):
            raise RuleError(path, f"{within}.{key}", f"{quoted(value)} is not {_TYPES[types[key]]}")


def check_overrides(
    path: str, within: str, table: Mapping[str, Any], readings: Mapping[str, Reading], editions: Iterable[str]
) -> None:
    """Raises RuleError for an edition, a reading or a choice that is not known, in a table of the file ``path``."""
    choices = [f"{name}={choice}" for name, reading in readings.items() for choice in reading.every_choice]
    known = {"edition": list(editions), "reading": choices}
    for key in OVERRIDES:
        given = table.get(key, {})
        if not isinstance(given, Mapping) or not all(isinstance(each, Mapping) for each in given.values()):
            raise RuleError(path, f"{within}{key}", f'is not a table of tables, like [{within}{key}."…"]')
        for name in given:
            if name not in known[key]:
                what = "an edition of rules/editions" if key == "edition" else "a reading=choice of rules/readings"
                near = suggestion(name, known[key])
                raise RuleError(path, f"{within}{key}.{name!r}", f"is not {what}.toml{near}")


def editions_until(edition: str | None, known: Iterable[str]) -> tuple[str, ...]:
    """The editions up to the one that is asked for, oldest first; None asks for the oldest. Raises ReadingError."""
    listed = tuple(known)
    if edition is None:
        return listed[:1]
    if edition not in listed:
        raise ReadingError(f"edition {quoted(edition)} is not known{instead(edition, listed)}")
    return listed[: listed.index(edition) + 1]


def readings_in(tables: Mapping[str, Any], editions: tuple[str, ...]) -> dict[str, Reading]:
    """The readings of readings.toml by id, as the latest of ``editions`` has them."""
    in_force = InForce(editions, {})
    stated = checked_tables("readings.toml", "", tables, READING_KEYS)
    return {name: _reading(name, in_force.stated(table), _all_choices(table)) for name, table in stated.items()}


def _all_choices(table: Mapping[str, Any]) -> list[Sequence[str]]:
    """The choices of a reading in each edition that states any, the oldest first."""
    stated = [table, *table.get("edition", {}).values()]
    return [each["choices"] for each in stated if each.get("choices")]


def _reading(name: str, table: Mapping[str, Any], all_choices: Sequence[Sequence[str]]) -> Reading:
    missing = next((key for key in ("clauses", "choices", "question", "why") if not table.get(key)), None)
    if missing:
        raise RuleError("readings.toml", f"{name}.{missing}", "is missing")
    choices, not_replayed = tuple(table["choices"]), tuple(table.get("not_replayed", ()))
    if twice := [choice for at, choice in enumerate(choices) if choice in choices[:at]]:
        raise RuleError("readings.toml", f"{name}.choices", f"{quoted(twice[0])} is there twice")
    for choice in not_replayed:
        if choice not in choices[1:]:
            said = f"{choice!r} is no choice besides the default{instead(choice, choices[1:])}"
            raise RuleError("readings.toml", f"{name}.not_replayed", said)
    known, defaults = (
        dict.fromkeys(each for listed in all_choices for each in listed),
        {each[0] for each in all_choices},
    )
    about = tuple(table["clauses"]), choices, table["question"], table["why"], not_replayed
    return Reading(name, *about, tuple(known), frozenset(defaults))


def for_replay(chosen: Mapping[str, str], known: Mapping[str, Reading]) -> None:
    """Raises ReadingError for a choice by which events are not replayed."""
    for name, choice in chosen.items():
        if choice in known[name].not_replayed:
            listed = ", ".join(each for each in known[name].choices if each not in known[name].not_replayed)
            raise ReadingError(f"reading {name}: events are not replayed by {choice!r}; allowed: {listed}")


def chosen_readings(
    given: Mapping[str, str], known: Mapping[str, Reading], any_edition: bool = False
) -> dict[str, str]:
    """A choice for every reading: the ``given`` ones, the defaults for the rest. Raises ReadingError.

    For rules of ``any_edition`` a choice of another edition than the one in force is allowed, and the default counts.
    """
    for name, choice in given.items():
        if name not in known:
            raise ReadingError(f"reading {name!r} is not known{instead(name, known)}")
        allowed = known[name].every_choice if any_edition else known[name].choices
        if choice not in allowed:
            elsewhere = " in this edition" if choice in known[name].every_choice else ""
            raise ReadingError(f"reading {name}: {choice!r} is not a choice{elsewhere}{instead(choice, allowed)}")
    chosen = {name: given.get(name, reading.default) for name, reading in known.items()}
    return {name: choice if choice in known[name].choices else known[name].default for name, choice in chosen.items()}
