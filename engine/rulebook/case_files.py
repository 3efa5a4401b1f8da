"""Read case files: facts, and what the rules must make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from attrs import evolve, field, frozen

import mqclause.cases
from mqclause.model.diagnostics import MqclauseError, suggest_allowed
from mqclause.model.readers.encodings import open_file
from mqclause.model.readers.facts_files import read_toml
from mqclause.rulebook.rules import LARGEST_FILE

StatedTable = Mapping[str, Any]
"""A table as it stands in a case file."""

FILE_KEYS = frozenset({"clause", "facts", "case", "ordinary", "equivalent", "scene", "scenario"})
CASE_KEYS = frozenset({"name", "clause", "acts", "edition", "readings", "facts", "expect"})
IDENTITY = ("name", "queue_manager")


class CaseError(MqclauseError, ValueError):
    """A case file that cannot be used: the file, the case, the key, and what is wrong with it."""


@frozen(eq=False, slots=False)
class Case:
    """One case of a rule's case file; ``acts`` says whether the rule decides something here.

    ``clauses`` are the sentences that it tests. A kind of case says which keys it takes besides the common ones
    (``KEYS``) and may expect, with how each is compared (``EXPECTS``). ``edition`` is blank where it is that of
    the rules, whichever they are. ``ordinary`` is what the rule derives where it makes no difference, as far as its
    file states it.
    """

    file: CaseFile
    name: str
    acts: bool
    edition: str
    readings: Mapping[str, str]
    facts: StatedTable
    expect: StatedTable
    clauses: tuple[str, ...]

    KEYS: ClassVar[frozenset[str]] = frozenset()
    EXPECTS: ClassVar[Mapping[str, Any]] = {}
    SAYS_ACTS: ClassVar[bool] = True

    @classmethod
    def of(cls, file: CaseFile, table: StatedTable, place: str, **more: Any) -> Self:
        """Return the case in ``table``, over the scene of its file. Raises CaseError, which begins with ``place``."""
        facts = merge_scene(file.facts, table.get("facts", {}), place)
        read = table.get("edition", ""), table.get("readings", {})
        stated = table["name"], table.get("acts", True), *read, facts, table["expect"]
        return cls(file, *stated, file.list_clauses(table), **more)

    @property
    def rule(self) -> str:
        """The id of the rule that the case is about."""
        return self.file.rule

    @property
    def ordinary(self) -> StatedTable:
        """What the rule derives where it makes no difference."""
        return self.file.ordinary

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


OfKind = TypeVar("OfKind", bound=Case)


@frozen(eq=False)
class CaseFile:
    """The case file of one rule: its scene (``facts``) and its cases as they stand in TOML.

    ``clauses`` are the sentences that its cases test where they name none themselves, ``ordinary`` is what the rule
    derives where it makes no difference; ``equivalent`` are the mutants of the rule
    (see mqclause.rulebook.mutants) that no case can tell from it. ``scenarios`` are the cases that go through the
    product, over their ``scene``.
    """

    path: Path
    clauses: tuple[str, ...]
    facts: StatedTable
    ordinary: StatedTable
    equivalent: tuple[str, ...]
    tables: tuple[StatedTable, ...]
    scene: StatedTable = field(factory=dict)
    scenarios: tuple[StatedTable, ...] = ()

    @classmethod
    def read(cls, path: Path) -> CaseFile:
        """Read the file at ``path``. Raises CaseError."""
        try:
            with open_file(path) as file:
                data = file.read(LARGEST_FILE + 1)
            if len(data) > LARGEST_FILE:
                raise CaseError(f"{path.name}: holds more than {LARGEST_FILE:,} bytes; allowed: so many")
            document = read_toml(data.decode("utf-8").replace("\r\n", "\n"))
        except OSError as error:
            raise CaseError(f"{path.name}: cannot be read: {error.strerror}") from None
        except CaseError:
            raise
        except (ValueError, RecursionError) as error:
            raise CaseError(f"{path.name}: is not TOML: {error}") from None
        _only(path.name, document, FILE_KEYS)
        for key in ("facts", "ordinary", "scene"):
            _of_type(path.name, document, key, dict, "a table")
        for key in ("case", "equivalent", "scenario"):
            _of_type(path.name, document, key, list, "a list")
        _check_names(path.name, document)
        facts, ordinary = document.get("facts", {}), document.get("ordinary", {})
        return cls(
            path,
            _clauses(path.name, document),
            facts,
            ordinary,
            tuple(document.get("equivalent", ())),
            tuple(document.get("case", ())),
            document.get("scene", {}),
            tuple(document.get("scenario", ())),
        )

    @property
    def all_tables(self) -> tuple[StatedTable, ...]:
        """The cases and the scenarios."""
        return (*self.tables, *self.scenarios)

    def select_scenarios(self) -> CaseFile:
        """Return the file as one whose cases are its scenarios, over their scene."""
        return evolve(self, facts=self.scene, tables=self.scenarios, scene={}, scenarios=())

    @property
    def document(self) -> str:
        """The folder of the rule."""
        return self.path.parent.name

    @property
    def rule(self) -> str:
        """The id of the rule that the cases are about."""
        return f"{self.document}.{self.path.stem.partition('_')[0]}"

    def list_clauses(self, table: StatedTable) -> tuple[str, ...]:
        """List the sentences that the case in ``table`` tests. Raises CaseError."""
        return _clauses(self.path.name, table) if "clause" in table else self.clauses

    def cases(self, kind: type[OfKind], **more: Any) -> tuple[OfKind, ...]:
        """Build cases of one kind; ``more`` is what the kind needs besides. Raises CaseError for a wrong key."""
        found = []
        for number, table in enumerate(self.tables, 1):
            place = f"{self.path.name}: case {number}"
            _check(place, table, kind)
            found.append(kind.of(self, table, place, **more))
        return tuple(found)

    def __str__(self) -> str:
        return f"{self.document}/{self.path.name}"


def get_cases_folder() -> Path:
    """Return the folder of the case files that come with the project."""
    return Path(mqclause.cases.__path__[0])


def read_case_files(folder: Path | None = None, document: str = "*") -> tuple[CaseFile, ...]:
    """Read every case file in the order of the rules, of one document or of all. Raises CaseError."""
    return tuple(CaseFile.read(path) for path in sorted((folder or get_cases_folder()).glob(f"{document}/*.toml")))


def has_case_file(rule_id: str, folder: Path | None = None) -> bool:
    """Return whether there is a case file of a rule."""
    return bool(_find_case_files(rule_id, folder))


def read_case_file(rule_id: str, folder: Path | None = None) -> CaseFile:
    """Read the case file of a rule. Raises CaseError."""
    document, _, number = rule_id.partition(".")
    found = _find_case_files(rule_id, folder)
    if len(found) != 1:
        raise CaseError(f"{rule_id}: has {len(found)} case files; a rule has one, like {document}/{number}_….toml")
    return CaseFile.read(found[0])


def _find_case_files(rule_id: str, folder: Path | None) -> list[Path]:
    document, _, number = rule_id.partition(".")
    return list((folder or get_cases_folder()).glob(f"{document}/{number}_*.toml"))


def _check_names(place: str, document: StatedTable) -> None:
    """Raises CaseError for two cases of one name, also for a case and a scenario: answers are told by their names."""
    names = set[str]()
    for kind in ("case", "scenario"):
        for number, table in enumerate(document.get(kind, ()), 1):
            name = table.get("name") if isinstance(table, dict) else None
            if isinstance(name, str) and name in names:
                raise CaseError(f"{place}: {kind} {number}: the name {name!r} is given twice")
            names |= {name} if isinstance(name, str) else set()


def _check(place: str, table: StatedTable, kind: type[Case]) -> None:
    """Raises CaseError if a key is wrong."""
    if not isinstance(table, dict):
        raise CaseError(f"{place}: is not a table")
    _only(place, table, CASE_KEYS | kind.KEYS)
    for key in ("name", "acts", "expect") if kind.SAYS_ACTS else ("name", "expect"):
        if key not in table:
            raise CaseError(f"{place}: {key} is missing")
    for key in ("name", "edition"):
        _of_type(place, table, key, str, "text")
    _of_type(place, table, "acts", bool, "true or false")
    for key in ("readings", "facts", "expect"):
        _of_type(place, table, key, dict, "a table")
    _only(f"{place}: expect", table["expect"], frozenset(kind.EXPECTS))


def _clauses(place: str, table: StatedTable) -> tuple[str, ...]:
    """The paths under ``clause``: one, or a list. Raises CaseError."""
    given = table.get("clause", [])
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise CaseError(f"{place}: clause is {given!r}; it is the path of a clause, or a list of them")
    return tuple(listed)


def _of_type(place: str, table: StatedTable, key: str, wanted: type, said: str) -> None:
    if key in table and not isinstance(table[key], wanted):
        raise CaseError(f"{place}: {key} is {table[key]!r}; it is {said}")


def _only(place: str, table: StatedTable, allowed: frozenset[str]) -> None:
    unknown = sorted(set(table) - allowed)
    if unknown:
        raise CaseError(f"{place}: unknown key {', '.join(unknown)}{suggest_allowed(unknown[0], sorted(allowed))}")


def merge_scene(scene: StatedTable, facts: StatedTable, place: str) -> dict[str, Any]:
    """Merge the facts of a case over the scene of its file. Raises CaseError for a row that stands for several."""
    merged = dict(scene)
    for table, given in facts.items():
        if isinstance(given, list):
            merged[table] = _rows(scene.get(table, []), given, f"{place}: {table}")
        elif not isinstance(given, dict) or (table == "put" and {"queue", "queue_manager"} & given.keys()):
            merged[table] = given
        else:
            merged[table] = {**scene.get(table, {}), **given}
    return merged


def _rows(scene: list[dict[str, Any]], given: list[dict[str, Any]], place: str) -> list[dict[str, Any]]:
    rows = list(scene)
    for row in given:
        stated = {key: row[key] for key in IDENTITY if key in row}
        same = [at for at, other in enumerate(rows[: len(scene)]) if stated.items() <= other.items()]
        if len(same) > 1:
            raise CaseError(f"{place}: {stated} stands for {len(same)} rows")
        if same:
            rows[same[0]] = {**rows[same[0]], **row}
        else:
            rows.append(row)
    return rows


def compare_values(key: str, wanted: object, got: object) -> Iterator[str]:
    """Compare ``got`` with ``wanted``; return what differs."""
    if wanted != got:
        yield f"{key}: expected {wanted}, got {got}"
