"""Case files: facts and what the rules must answer, worked out by hand from the document.

A file belongs to the rule of the same file name. Its ``[facts]`` are the scene that its cases share. The facts of a
case are laid over it: a row of a list changes the one row of the scene that has the same name and queue manager (as
far as the row states them), or is added; a table changes key by key.
"""

from __future__ import annotations

import tomllib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from attrs import frozen

FILE_KEYS = frozenset({"facts", "case"})
CASE_KEYS = frozenset({"name", "acts", "readings", "facts", "expect"})
IDENTITY = ("name", "queue_manager")


class CaseError(ValueError):
    """A case file that cannot be used."""


@frozen(eq=False, slots=False)
class Case:
    """One case of a rule's case file; ``acts`` says whether the rule decides something here.

    A kind of case says what it is put to (``subject``), which ``KEYS`` it takes besides the common ones, and how
    each key of what it expects is compared (``expected``).
    """

    path: Path
    name: str
    acts: bool
    readings: Mapping[str, str]
    facts: Mapping[str, Any]
    expect: Mapping[str, Any]

    KEYS: ClassVar[frozenset[str]] = frozenset()
    subject: ClassVar[type]

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}: {self.name}"

    @cached_property
    def rule(self) -> str:
        """The id of the rule that the case is about."""
        return f"{self.path.parent.name}.{self.path.stem.partition('_')[0]}"

    @staticmethod
    def common(path: Path, scene: Mapping[str, Any], table: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The fields that every kind of case has."""
        facts = laid_over(scene, table.get("facts", {}), place)
        shared = {key: table[key] for key in ("name", "acts", "expect")}
        return {"path": path, "readings": table.get("readings", {}), "facts": facts, **shared}

    @classmethod
    @abstractmethod
    def of(cls, path: Path, scene: Mapping[str, Any], table: Mapping[str, Any], place: str) -> Case:
        """The case in ``table``, over the scene of its file."""

    @classmethod
    @abstractmethod
    def expected(cls) -> Mapping[str, Callable[..., Iterator[str]]]:
        """The closed set of keys that a case may expect, and how each is compared with the answer."""

    @abstractmethod
    def answer(self, subject: Any) -> Any:
        """What ``subject`` answers to the case."""

    @abstractmethod
    def told(self, subject: Any) -> Any:
        """All that ``subject`` tells about the case, in values that compare."""

    @abstractmethod
    def acted(self, answer: Any) -> bool:
        """Whether the case's rule decided something in ``answer``."""

    def unexpected(self, answer: Any) -> list[str]:
        """What in ``answer`` is not as expected, whichever rule did it."""
        return [fault for key, wanted in self.expect.items() for fault in self.expected()[key](answer, wanted)]

    def faults(self, subject: Any) -> list[str]:
        """What ``subject`` answers otherwise than the case expects."""
        answer = self.answer(subject)
        wrong = self.unexpected(answer)
        if self.acted(answer) != self.acts:
            wrong.append(f"acts: expected {self.acts} of {self.rule}")
        return wrong


def read_cases(path: Path, kind: type[Case]) -> Iterator[Case]:
    """The cases of one file. Raises CaseError for a key that is not known, missing or given twice."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    _only(path.name, document, FILE_KEYS)
    names: set[str] = set()
    for number, table in enumerate(document.get("case", []), 1):
        place = f"{path.name}: case {number}"
        _checked(place, table, names, kind)
        yield kind.of(path, document.get("facts", {}), table, place)


def _checked(place: str, table: Mapping[str, Any], names: set[str], kind: type[Case]) -> None:
    """Adds the name of a case to ``names``. Raises CaseError if a key is wrong or the name is there already."""
    _only(place, table, CASE_KEYS | kind.KEYS)
    for key in ("name", "acts", "expect"):
        if key not in table:
            raise CaseError(f"{place}: {key} is missing")
    _only(f"{place}: expect", table["expect"], frozenset(kind.expected()))
    if table["name"] in names:
        raise CaseError(f"{place}: the name {table['name']!r} is given twice")
    names.add(table["name"])


def _only(place: str, table: Mapping[str, Any], allowed: frozenset[str]) -> None:
    unknown = sorted(set(table) - allowed)
    if unknown:
        raise CaseError(f"{place}: unknown key {', '.join(unknown)}; allowed: {', '.join(sorted(allowed))}")


def laid_over(scene: Mapping[str, Any], facts: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The facts of a case over the scene of its file."""
    merged = dict(scene)
    for table, given in facts.items():
        if isinstance(given, list):
            merged[table] = _rows(scene.get(table, []), given, f"{place}: {table}")
        elif table == "put" and {"queue", "queue_manager"} & given.keys():
            merged[table] = given
        else:
            merged[table] = {**scene.get(table, {}), **given}
    return merged


def _rows(scene: list[dict[str, Any]], given: list[dict[str, Any]], place: str) -> list[dict[str, Any]]:
    rows = list(scene)
    for row in given:
        stated = {key: row[key] for key in IDENTITY if key in row}
        same = [at for at, other in enumerate(rows) if stated.items() <= other.items()]
        if len(same) > 1:
            raise CaseError(f"{place}: {stated} stands for {len(same)} rows")
        if same:
            rows[same[0]] = {**rows[same[0]], **row}
        else:
            rows.append(row)
    return rows


def differs(key: str, wanted: object, got: object) -> Iterator[str]:
    """What is wrong with ``got``, if it is not what is ``wanted``."""
    if wanted != got:
        yield f"{key}: expected {wanted}, got {got}"
