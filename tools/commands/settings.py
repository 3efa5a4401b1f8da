"""Settings: tables of a TOML file that is found from the working directory upwards, as linters find theirs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, FactsError, instead, quoted, suggestion
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.toml_facts import parse_toml
from mqclause.rulebook.finding import SEVERITIES

SETTINGS_FILE = "mqclause.toml"
_TABLES = ("check",)
CHECK_KEYS = ("ignore", "fail-on")


@frozen(eq=False)
class CheckSettings:
    """The checks to ignore, and the severity to fail on."""

    ignore: tuple[str, ...] = ()
    fail_on: str = SEVERITIES[0]
    path: str = ""

    @property
    def remark(self) -> str:
        """That a file was found, and what it changes; blank where it changes nothing."""
        said = [f"{', '.join(self.ignore)} ignored"] if self.ignore else []
        said += [f"fails on {self.fail_on}"] if self.fail_on != SEVERITIES[0] else []
        return f"{self.path}: {'; '.join(said)}" if said else ""


def check_settings(folder: Path, known: Sequence[str]) -> CheckSettings:
    """What the table ``[check]`` of the nearest settings file says; ``known`` are the ids of the checks.

    Raises FactsError with the first thing that is wrong in it, on its line.
    """
    found = next(filter(os.path.isfile, (each / SETTINGS_FILE for each in (folder, *folder.parents))), None)
    if found is None:
        return CheckSettings()
    document = _read(found)
    table = document.data.get("check", {})
    if not isinstance(table, dict):
        raise _fault(document, f"check: {quoted(table)} is given where a table is expected", "check")
    for key in table:
        if key not in CHECK_KEYS:
            said = f"check: unknown key {quoted(key)}{instead(key, CHECK_KEYS)}"
            raise _fault(document, said, "check", key)
    ignore, fail_on = table.get("ignore", []), table.get("fail-on", SEVERITIES[0])
    if not isinstance(ignore, list):
        _refuse(document, "ignore", ignore, "a list of ids of checks")
    for each in ignore:
        if each not in known:
            _refuse(document, "ignore", each, f"{', '.join(known)}{suggestion(str(each), known)}")
    if fail_on not in SEVERITIES:
        _refuse(document, "fail-on", fail_on, f"{', '.join(SEVERITIES)}{suggestion(str(fail_on), SEVERITIES)}")
    return CheckSettings(tuple(ignore), fail_on, str(found))


def _read(path: Path) -> FactsDocument:
    """The settings file, whose tables are all known. Raises FactsError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FactsError([Diagnostic(str(path), f"is not UTF-8: byte {error.start + 1} is wrong")]) from None
    except OSError as error:
        raise FactsError([Diagnostic(str(path), (error.strerror or "cannot be read").lower())]) from None
    document = parse_toml(text if text.strip() else "[check]", str(path))  # as facts, an empty file is a fault
    if document.diagnostics:
        raise FactsError(document.diagnostics)
    for key in document.data:
        if key not in _TABLES:
            said = f"unknown table {quoted(key)}{instead(key, _TABLES)}"
            raise _fault(document, said, key)
    return document


def _refuse(document: FactsDocument, key: str, value: Any, allowed: str) -> None:
    raise _fault(document, f"check: {key}: {quoted(value)} is not allowed; allowed: {allowed}", "check", key)


def _fault(document: FactsDocument, message: str, *path: str) -> FactsError:
    return FactsError([Diagnostic(document.source, message, *document.places.place_of(*path))])
