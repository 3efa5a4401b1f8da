"""The rules of all documents in one edition, under one choice of readings."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from attrs import frozen

import mqclause.rules
from mqclause.language.parser import parse_condition
from mqclause.language.prebuilt import build_prebuilt, find_table, write_prebuilt
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.diagnostics import escape_controls, quote_value, suggest_word
from mqclause.model.readers.encodings import MOST_FILES, find_link_fault, open_file
from mqclause.model.readers.facts_files import read_toml
from mqclause.rulebook.loader import (
    Interpretation,
    Reading,
    RulesetLoader,
    build_readings,
    check_keys,
    find_overrides,
    get_edition,
    read_edition_levels,
    select_editions,
    select_readings,
)
from mqclause.rulebook.rule import Declaration, RuleError, Ruleset

CLAUSE_KEYS: Mapping[str, type] = {
    "path": str, "number": str, "says": str, "fingerprint": str, "page": str, "read": str, "project": str,
    "rules": list, "not_a_rule": str, "program": list, "since": str, "evidence": str,
}  # fmt: skip
"""What a file of documents/ says of a clause, and of which type."""

CLAUSE_FILE_KEYS: Mapping[str, type] = {
    **dict.fromkeys(("document", "title", "edition", "source", "page", "read", "project", "sha256"), str),
    "clause": list,
}  # fmt: skip
"""What a file of documents/ says of itself, and of which type; and its clauses."""

LARGEST_FILE, LARGEST_FOLDER = 1 << 20, 16 << 20
"""So many bytes may be in a rule file, and in all of a folder."""

USUAL_FILE = 1 << 14
"""Room is made for all that is asked for, so this much is read at first."""

MEANT_AS_TOML = re.compile(r"\.toml(\.txt)?$", re.IGNORECASE)
"""How the name of a file ends that somebody takes for a rule file; editors add ``.txt``, unseen."""

AUTO = "auto"
"""The edition of the queue manager at which a call is made."""

ASKED_FOR = "--edition"
"""Where an edition is from, in documents, that was asked for by name."""

LINT_FILE = "lint.toml"
"""The file that says of findings of mqclause lint why they are meant so."""

LAWS_FILE = "laws.toml"
"""The file of what holds of every situation, whatever the rules are."""

SHARED_FILES = ("editions.toml", LAWS_FILE, LINT_FILE, "readings.toml", "terms.toml")
"""The files that are not of one document."""


@frozen
class RulesOrigin:
    """Where rules are from that are not those of the project: their ``folder``, blank where a program changed them.

    ``sha256`` is that of a line for each file, in order: the SHA-256 of the file, two blanks, its path in the folder.
    """

    folder: str
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Return the origin as JSON values."""
        return {"folder": self.folder or None, "sha256": self.sha256}

    def __str__(self) -> str:
        where = f"the rules of {escape_controls(self.folder)}" if self.folder else "rules"
        return f"by {where} (sha256 {self.sha256[:12]}), not those that come with mqclause"


class RuleFiles(dict[str, str]):
    """The texts of rule files by path. Nobody changes them, so hash and parts are made once for all rules by them."""

    def select_folders(self, folders: frozenset[str]) -> RuleFiles:
        """Select the files of some folders, and those of none."""
        found = self._parts.get(folders)
        if found is None:
            paths = [path for path in self if "/" not in path or path.partition("/")[0] in folders]
            found = self if len(paths) == len(self) else RuleFiles({path: self[path] for path in paths})
            self._parts[folders] = found
        return found

    @cached_property
    def _parts(self) -> dict[frozenset[str], RuleFiles]:
        return {}

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset(self.items()))

    def __hash__(self) -> int:  # type: ignore[override]
        return self._hash


class Rules:
    """The rule files of a folder, in one edition and under one set of readings; a value, checked once.

    ``readings`` maps ids of readings.toml to choices; those left out have their default. ``edition`` is one of
    editions.toml, or ``auto``, the default: that of the queue manager at which a call is made, by its command level,
    and the first where that is not known. ``folder`` is a folder of rule files to use in place of those that come with
    the project. A value: it compares and hashes by what the files say, and pickles as the text of those that are not as
    the project has them, so that it goes to where there is no such folder. The rules of a document are checked when
    they are first asked for. Raises ReadingError and RuleError.
    """

    def __init__(
        self,
        readings: Mapping[str, str] | None = None,
        edition: str | None = None,
        folder: Path | str | None = None,
    ) -> None:
        if readings is not None and not isinstance(readings, Mapping):
            raise TypeError(f"readings={quote_value(readings)} is no mapping of ids of readings to choices")
        if not isinstance(folder, str | os.PathLike | None):
            raise TypeError(f"folder={quote_value(folder)} is no path of a folder of rules")
        files, place = (_own_files(), "") if folder is None else (_files(Path(folder)), str(folder))
        self._read(readings or {}, edition or AUTO, files, folder=place)

    @classmethod
    def given(cls, rules: Rules | None) -> Rules:
        """Return the rules that were given, or those that come with the project. Raises TypeError."""
        if rules is not None and not isinstance(rules, cls):
            raise TypeError(f"rules={quote_value(rules)} is no Rules; readings are given as Rules(readings)")
        return cls() if rules is None else rules

    def _read(
        self, readings: Mapping[str, str], edition: str, files: RuleFiles, by_level: bool = False, folder: str = ""
    ) -> None:
        self.files, self.given_readings, self.asked, self.by_level = files, dict(readings), edition, by_level
        self._folder = folder
        self._whole: tuple[Rules, frozenset[str]] | None = None
        _check_paths(tuple(files))
        levels = read_edition_levels(_shared_table("editions.toml", files.get("editions.toml", "")))
        self.levels: Mapping[str, int] = levels or {"": 0}
        self.known_editions = tuple(self.levels)
        editions = select_editions(None if edition == AUTO else edition, self.known_editions)
        self.known_readings: Mapping[str, Reading] = _readings(files.get("readings.toml", ""), editions)
        self.in_force = Interpretation(
            editions, select_readings(readings, self.known_readings, edition == AUTO or by_level)
        )

    @property
    def edition(self) -> str:
        """The edition of MQ whose documents the rules state."""
        return self.in_force.editions[-1]

    @property
    def readings(self) -> Mapping[str, str]:
        """The choice of every reading."""
        return self.in_force.readings

    @property
    def unknown_choices(self) -> Mapping[str, str]:
        """The choices of readings that were given and that this edition does not have: its own default counts."""
        return {name: choice for name, choice in self.given_readings.items() if self.readings[name] != choice}

    @cached_property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from; None if they are those that come with the project."""
        if self._whole is not None:
            return self._whole[0].origin
        own = _own_files()
        if self.files is own or self.files == own:
            return None
        return RulesOrigin(self._folder, compute_digest(self.files))

    def toml(self, path: str) -> dict[str, Any]:
        """Return a file of the rules as it stands in TOML, to be changed at will; empty if there is none.

        Raises RuleError.
        """
        return _table(path, self.files.get(path, ""))

    def in_folder(self, name: str) -> dict[str, Mapping[str, Any]]:
        """Return the files of one folder of the rules, by name; nobody changes what they say. Raises RuleError."""
        paths = [path for path in self.files if path.startswith(f"{name}/")]
        if deeper := [path for path in paths if path.count("/") > 1]:
            raise RuleError(deeper[0], "", f"is in a folder of its own; allowed: files in rules/{name}/ itself")
        return {path.rpartition("/")[2]: _shared_table(path, self.files[path]) for path in paths}

    def path(self, rule_id: str) -> str:
        """Return the path of the file of a rule. Raises KeyError."""
        for path in self.files:
            if get_rule_id(path) == rule_id:
                return path
        raise KeyError(rule_id)

    def under(self, readings: Mapping[str, str]) -> Rules:
        """Return the same files in the same edition under other readings. Raises ReadingError."""
        return _under(self, tuple(sorted(readings.items())))

    def in_edition(self, edition: str) -> Rules:
        """Return the same files in another edition, under those readings that were given and that it has a choice of.

        Raises ReadingError.
        """
        return _in_edition(self, edition, False)

    def of_level(self, level: int) -> Rules:
        """Return the rules for calls at a queue manager of a command level, 0 if it is not known.

        They are these, unless they are asked for as ``auto`` and the level is one of another edition.
        """
        if not level or self.asked != AUTO:
            return self
        return _in_edition(self, get_edition(level, self.levels), True)

    def describe_edition_source(self, queue_manager: str, level: int) -> str:
        """Say what the edition in force comes from: the queue manager's command level, an option, or the default."""
        if self.by_level:
            return f"CMDLEVEL {level} of {queue_manager}"
        return "default" if self.asked == AUTO else ASKED_FOR

    @cached_property
    def stated_editions(self) -> frozenset[str]:
        """The editions for which a file states anything; any other is read as the one before it. Raises RuleError."""
        tables = (_shared_table(path, text) for path, text in self.files.items() if "edition" in text)
        return frozenset(edition for table in tables for edition in find_overrides(table, "edition"))

    def as_stated(self, edition: str, *declarations: Declaration) -> str:
        """Return the edition since which the rules, or those of some documents alone, are as in ``edition``."""
        until = select_editions(edition, self.known_editions)
        parts = [self.about(each) for each in declarations] or [self]
        return next((each for each in reversed(until) if any(each in of.stated_editions for of in parts)), until[0])

    def read_editions(self) -> tuple[Rules, ...]:
        """Read the same files in each edition for which one of them states anything, the oldest first."""
        return tuple(self.in_edition(each) for each in self.known_editions if each == self.as_stated(each))

    def with_files(self, changed: Mapping[str, str | None]) -> Rules:
        """Return the same edition and readings with other files: text by path, None to remove a file."""
        files = {path: text for path, text in {**self.files, **changed}.items() if text is not None}
        return _of_text(self.given_readings, self.asked, RuleFiles(sorted(files.items())), by_level=self.by_level)

    def list_readings(self, *declarations: Declaration) -> dict[str, str]:
        """Return the choice of each reading that concerns a clause of these documents."""
        return {
            each.id: self.readings[each.id]
            for declaration in declarations
            for each in self.known_readings.values()
            if each.concerns(declaration.name)
        }

    def ruleset(self, declaration: Declaration) -> Ruleset:
        """Return the rules of one document in its order, read once. Raises RuleError."""
        return _ruleset(self.about(declaration), declaration)

    def terms(self, declaration: Declaration) -> Vocabulary:
        """Return the words of a document that exist before its rules run, read once. Raises RuleError."""
        return _terms(self.about(declaration), declaration)

    def about(self, declaration: Declaration) -> Rules:
        """Return these rules with only the files of one document and of those that it follows."""
        folders = frozenset(each.name for each in declaration.course)
        found = self._parts.get(folders)
        return self._parts.setdefault(folders, self._part(folders)) if found is None else found

    @cached_property
    def _parts(self) -> dict[frozenset[str], Rules]:
        """The rules of some folders alone, each made once: so they have their hash ready."""
        return {}

    @cached_property
    def clauses(self) -> Mapping[str, frozenset[str]]:
        """The clause numbers of each document that has a file in ``documents/``. Raises RuleError."""
        return _numbers(self.files)

    def _part(self, folders: frozenset[str]) -> Rules:
        files = self.files.select_folders(folders)
        if files is self.files and self.asked == self.edition and not self.by_level:
            return self
        made = Rules.__new__(Rules)
        made.files, made.in_force, made.asked = files, self.in_force, self.edition
        made.levels, made.known_editions, made.known_readings = self.levels, self.known_editions, self.known_readings
        made.given_readings, made.by_level, made._whole = self.given_readings, False, (self, folders)
        made.__dict__["clauses"] = self.clauses
        return made

    @cached_property
    def _value(self) -> tuple[Any, ...]:
        # Of another edition, which may have other defaults, what was given decides.
        given = [
            each for each in sorted(self.given_readings.items()) if self.known_readings[each[0]].defaults != {each[1]}
        ]
        asked = self.asked, self.by_level, tuple(given) if self.asked == AUTO else ()
        return (
            asked,
            self.edition,
            tuple(self.readings.items()),
            self.files,
            tuple(self.clauses.items()),
        )

    @cached_property
    def _hash(self) -> int:
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Rules) and self._value == other._value)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        if self._whole is not None:
            return _part_of, self._whole
        own, files = _own_files(), self.files
        changed: dict[str, str | None] = {path: text for path, text in files.items() if own.get(path) != text}
        changed |= dict.fromkeys(own.keys() - files.keys())
        asked = dict(self.given_readings), self.asked, self.by_level
        return _unpickled, (*asked, changed, _own_digest(), self._folder)

    def __repr__(self) -> str:
        differs = {
            name: choice for name, choice in self.readings.items() if choice != self.known_readings[name].default
        }
        origin = self.origin
        of = "" if origin is None else f", folder={origin.folder!r}" if origin.folder else f", {origin.sha256[:12]}"
        return f"Rules({differs}, {self.edition!r}{of})"


def get_rule_id(path: str) -> str:
    """Return the id of the rule in a rule file, by the file's path within the folder: ``workload.04a``."""
    folder, _, name = path.partition("/")
    return f"{folder}.{name.removesuffix('.toml').partition('_')[0]}"


def _of_text(
    readings: Mapping[str, str],
    edition: str,
    files: RuleFiles,
    by_level: bool = False,
    folder: str = "",
) -> Rules:
    made = Rules.__new__(Rules)
    made._read(readings, edition or AUTO, files, by_level, folder)
    return made


def _part_of(whole: Rules, folders: frozenset[str]) -> Rules:
    return whole._parts.setdefault(folders, whole._part(folders))


def _unpickled(
    readings: Mapping[str, str],
    edition: str,
    by_level: bool,
    changed: Mapping[str, str | None],
    digest: str,
    folder: str,
) -> Rules:
    """The rules of a pickle: those that come with the project but for what is ``changed``. Raises RuleError."""
    if digest != _own_digest():
        raise RuleError("", "", "the pickle is of another version of mqclause, which has other rules")
    return _of_changes(tuple(sorted(readings.items())), edition, by_level, tuple(sorted(changed.items())), folder)


@lru_cache(maxsize=64)
def _of_changes(
    readings: tuple[tuple[str, str], ...],
    edition: str,
    by_level: bool,
    changed: tuple[tuple[str, str | None], ...],
    folder: str,
) -> Rules:
    """Built once for all that is unpickled, which then shares one copy."""
    files = {path: text for path, text in ({**_own_files(), **dict(changed)}).items() if text is not None}
    listed = RuleFiles(sorted(files.items())) if changed else _own_files()
    return _of_text(dict(readings), edition, listed, by_level, folder)


def compute_digest(files: RuleFiles) -> str:
    """Compute the SHA-256 of rule files, as RulesOrigin has it."""
    lines = (f"{sha256(files[path].encode()).hexdigest()}  {path}\n" for path in sorted(files))
    return sha256("".join(lines).encode()).hexdigest()


@lru_cache(maxsize=1)
def _own_digest() -> str:
    return compute_digest(_own_files())


def get_rules_folder() -> Path:
    """Return the folder of the rule files that come with the project."""
    return Path(mqclause.rules.__path__[0])


def _table(path: str, text: str) -> dict[str, Any]:
    try:
        table: dict[str, Any] = pickle.loads(_parsed(text))  # noqa: S301 - what was written here
    except RuleError as error:
        raise RuleError(path, error.key, error.message) from None
    except (ValueError, RecursionError) as error:
        raise RuleError(path, "", f"is not TOML: {error}") from None
    return table


@lru_cache(maxsize=1024)
def _shared_table(path: str, text: str) -> Mapping[str, Any]:
    """A file as it stands in TOML, which all that only read it share. Raises RuleError."""
    return _table(path, text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> bytes:
    """What a text of TOML says, once for all rules with such a file; each makes a table of its own of it.

    Raises RuleError for what no rule file may hold, and what read_toml raises.
    """
    table = find_table(text)
    if table is None:
        table = read_toml(text)
        _check_texts(table)
    return pickle.dumps(table)


def keep_own_rules() -> None:
    """Keep what is read of the files that come with the project, for all who start by them. Raises RuleError."""
    from mqclause.language.syntax import read_order  # noqa: PLC0415 - it loads sqlglot

    tables = {text: _table(path, text) for path, text in _own_files().items()}
    write_prebuilt(build_prebuilt(tables, parse_condition, read_order))


def _check_texts(table: dict[str, Any]) -> None:
    """Raises RuleError for a key that is none, and for a text that holds what a terminal would obey."""
    waiting: list[tuple[str, Any]] = [("", table)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            for key in value:
                if not KEY.fullmatch(key):
                    said = "is not a key; allowed: up to 100 of A-Z, a-z, 0-9 and _ . = -"
                    raise RuleError("", f"{place}{quote_value(key)}", said)
            waiting += [(f"{place}{key}.", each) for key, each in value.items()]
        elif isinstance(value, list):
            waiting += [(place, each) for each in value]
        elif isinstance(value, str) and escape_controls(value, LINES) != value:
            raise RuleError("", place.removesuffix("."), f"{quote_value(value)} holds a character that cannot be shown")


KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.=-]{0,99}")
"""A key of a rule file: of a table, a fact, a term, a reading with its choice, an edition."""

LINES = "\n\t"
"""What a text of a rule file may hold besides what can be shown."""

PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,9}")
"""A file of rules, within their folder."""


@lru_cache(maxsize=64)
def _numbers(files: RuleFiles) -> dict[str, frozenset[str]]:
    """The clause numbers that files of documents/ state, by document: each a folder of rules. Raises RuleError."""
    found: dict[str, set[str]] = {}
    folders = frozenset(path.partition("/")[0] for path in files if "/" in path)
    for path in (each for each in files if each.startswith("documents/")):
        table = _shared_table(path, files[path])
        document, clauses = table.get("document"), table.get("clause", [])
        if not isinstance(document, str):
            raise RuleError(
                path, "document", "is missing" if document is None else f"{quote_value(document)} is not text"
            )
        if document not in folders:
            raise RuleError(
                path, "document", f"{quote_value(document)} is no folder of rules{suggest_word(document, folders)}"
            )
        if not isinstance(clauses, list) or not all(isinstance(each, dict) for each in clauses):
            raise RuleError(path, "clause", "is a list of tables, like [[clause]]")
        numbers = found.setdefault(document, set())
        for place, each in enumerate(clauses, 1):
            stated = {key: value for key, value in each.items() if key in CLAUSE_KEYS}
            check_keys(path, f"clause {place}", stated, CLAUSE_KEYS)
            if "number" not in each:
                raise RuleError(path, f"clause {place}.number", "is missing")
            numbers.add(each["number"])
    return {document: frozenset(numbers) for document, numbers in found.items()}


@lru_cache(maxsize=64)
def _check_paths(paths: tuple[str, ...]) -> None:
    """Raises RuleError for a path that no rule file has."""
    if odd := [path for path in paths if not PATH.fullmatch(path)]:
        raise RuleError("", "", f"{quote_value(odd[0])} is no file of rules; allowed in its name: A-Z a-z 0-9 _ . -")
    if beside := [path for path in paths if "/" not in path and path not in SHARED_FILES]:
        raise RuleError(beside[0], "", f"is in no folder of rules; beside those there are {', '.join(SHARED_FILES)}")


@lru_cache(maxsize=64)
def _readings(text: str, editions: tuple[str, ...]) -> Mapping[str, Reading]:
    """The readings that a text states, as the latest of the editions has them. Raises RuleError."""
    return build_readings(_table("readings.toml", text), editions)


@lru_cache(maxsize=256)
def _under(rules: Rules, readings: tuple[tuple[str, str], ...]) -> Rules:
    return _of_text(dict(readings), rules.asked, rules.files, rules.by_level, rules._folder)


@lru_cache(maxsize=256)
def _in_edition(rules: Rules, edition: str, by_level: bool) -> Rules:
    given: Mapping[str, str] = rules.given_readings
    if not by_level:
        known = _readings(rules.files.get("readings.toml", ""), select_editions(edition, rules.known_editions))
        given = {name: choice for name, choice in given.items() if choice in known[name].choices}
    return _of_text(given, edition, rules.files, by_level, rules._folder)


@lru_cache(maxsize=1)
def _own_files() -> RuleFiles:
    return _files(get_rules_folder())


def _files(folder: Path) -> RuleFiles:
    """The text of every rule file of a folder. Raises RuleError."""
    if not os.path.isdir(folder):
        raise RuleError("", "", f"{str(folder)!r} is not a folder")
    found, left = RuleFiles(), LARGEST_FOLDER
    for name in _list_names(str(folder)):
        _check_link(folder, name)
        if not name.endswith(".toml"):
            if MEANT_AS_TOML.search(name):
                raise RuleError(name, "", "is not read: the name of a rule file ends in .toml")
            continue
        try:
            with open_file(os.path.join(folder, name)) as file:
                most = min(LARGEST_FILE, left) + 1
                data = file.read(min(most, USUAL_FILE))
                if len(data) == USUAL_FILE:
                    data += file.read(most - USUAL_FILE)
            left -= len(data)
            if len(data) > LARGEST_FILE:
                raise RuleError(name, "", f"holds more than {LARGEST_FILE:,} bytes; allowed: so many")
            if left < 0:
                raise RuleError(
                    name, "", f"and those before it hold more than {LARGEST_FOLDER:,} bytes; allowed: so many"
                )
            found[name] = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            raise RuleError(name, "", f"is not TOML: {error}") from None
        except OSError as error:
            raise RuleError(name, "", f"cannot be read: {error.strerror}") from None
    return found


def _check_link(folder: Path, name: str) -> None:
    """Raises RuleError for a link by which a stranger's folder would have something else read, or rules left out."""
    path = folder / name
    if folder == get_rules_folder() or not path.is_symlink() or name.startswith("."):
        return
    if path.is_dir() and "/" not in name:
        raise RuleError(name, "", "is a link to a folder, which is not followed; allowed: the folder itself")
    if name.endswith(".toml") and (fault := find_link_fault(path, folder)):
        raise RuleError(name, "", fault)


def _list_names(folder: str) -> list[str]:
    """The names of what is in a folder and in those in it, by way of these. Raises RuleError."""
    found = list[str]()
    for place, folders, names in os.walk(folder, onerror=_refuse_folder):
        within = place[len(folder) :].replace(os.sep, "/").strip("/")
        found += [f"{within}/{each}" if within else each for each in (*folders, *names)]
        if len(found) > MOST_FILES:
            raise RuleError("", "", f"{folder!r} holds more than {MOST_FILES} files; allowed: so many")
    return sorted(found, key=lambda name: name.split("/"))


def _refuse_folder(error: OSError) -> None:
    raise RuleError("", "", f"{str(error.filename)!r} cannot be read: {error.strerror}") from None


_in_use: WeakValueDictionary[tuple[Any, ...], Ruleset] = WeakValueDictionary()
"""The rulesets that something still holds, by the files of their document and what of their overrides is in force.

Two engines by the same rules have the same, whenever they were made, and readings that no file mentions change none.
"""


@lru_cache(maxsize=256)
def _ruleset(rules: Rules, declaration: Declaration) -> Ruleset:
    loader = _loading(rules, declaration)
    files = rules.files.select_folders(frozenset((declaration.name, "documents")))
    own = ((path, text, "") for path, text in files.items() if path.startswith(f"{declaration.name}/"))
    stating = (*own, ("terms.toml", files.get("terms.toml", ""), declaration.name))
    mentioned = {each for path, text, within in stating for each in _readings_in(path, text, within)}
    in_force = tuple(each for name, choice in rules.readings.items() if (each := f"{name}={choice}") in mentioned)
    clauses = tuple(rules.clauses.items())
    stated = declaration, files, clauses, rules.edition, in_force, loader.list_seen_facts()
    known = _in_use.get(stated)
    if known is not None:
        return known
    read = loader.ruleset(rules.in_folder(declaration.name), _tables_of_terms(rules, declaration))
    return _in_use.setdefault(stated, read)


@lru_cache(maxsize=1024)
def _readings_in(path: str, text: str, within: str) -> frozenset[str]:
    """The choices for which a file, or one table ``within``, states anything."""
    if "reading" not in text:
        return frozenset()
    table = _shared_table(path, text)
    return frozenset(find_overrides({within: table.get(within)} if within else table, "reading"))


@lru_cache(maxsize=64)
def _terms(rules: Rules, declaration: Declaration) -> Vocabulary:
    return _loading(rules, declaration).terms(_tables_of_terms(rules, declaration))


def _loading(rules: Rules, declaration: Declaration) -> RulesetLoader:
    followed = rules.ruleset(declaration.follows) if declaration.follows else None
    known = (rules.in_force, rules.known_readings, rules.known_editions)
    return RulesetLoader(declaration, *known, followed, rules.clauses)


def _tables_of_terms(rules: Rules, declaration: Declaration) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _shared_table("terms.toml", rules.files.get("terms.toml", "")).get(declaration.name, {})
    return found
