"""Settings: tables of a TOML file that is found from the working directory upwards, as linters find theirs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mqclause.model.diagnostic import Diagnostic, FactsError, quoted, suggestion
from mqclause.rulebook.finding import SEVERITIES

SETTINGS_FILE = "mqclause.toml"
_TABLES = ("check",)
CHECK_KEYS = ("ignore", "fail-on")


def check_settings(folder: Path) -> tuple[tuple[str, ...], str]:
    """The checks to ignore, and the severity to fail on, by the table ``[check]`` of the nearest settings file.

    Raises FactsError with what is wrong in it.
    """
    found = next((each / SETTINGS_FILE for each in (folder, *folder.parents) if (each / SETTINGS_FILE).is_file()), None)
    if found is None:
        return (), SEVERITIES[0]
    table = _table(found, "check")
    for key in table:
        if key not in CHECK_KEYS:
            message = f"check: unknown key {quoted(key)}; allowed: {', '.join(CHECK_KEYS)}{suggestion(key, CHECK_KEYS)}"
            raise _fault(found, message)
    ignore, fail_on = table.get("ignore", []), table.get("fail-on", SEVERITIES[0])
    if not isinstance(ignore, list) or not all(isinstance(each, str) for each in ignore):
        raise _fault(found, f"check: ignore: {quoted(ignore)} is not allowed; allowed: a list of ids of checks")
    if fail_on not in SEVERITIES:
        raise _fault(found, f"check: fail-on: {quoted(fail_on)} is not allowed; allowed: {', '.join(SEVERITIES)}")
    return tuple(ignore), fail_on


def _table(path: Path, name: str) -> Mapping[str, Any]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _fault(path, f"cannot be read: {error}") from None
    for key in document:
        if key not in _TABLES:
            raise _fault(path, f"unknown table {quoted(key)}; allowed: {', '.join(_TABLES)}{suggestion(key, _TABLES)}")
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise _fault(path, f"{name}: {quoted(table)} is given where a table is expected")
    return table


def _fault(path: Path, message: str) -> FactsError:
    return FactsError([Diagnostic(str(path), message)])
