"""The JSON schemas of answers, and of the files that people write.

They are files of the package. Those of the files that people write are built of what reads them: when the package is
built, and when they are asked for where nothing was built.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from mqclause.model.diagnostics import ArgumentError, check_type, quote_value, suggest_allowed

SUFFIX = ".schema.json"

WRITTEN = ("case", "facts", "rule", "scenario")
"""The kinds of files that people write."""

BUILDER = "mqclause.testing.file_schemas"
"""The module that builds their schemas, which is loaded when one is asked for."""


def list_schemas() -> list[str]:
    """List the names of the schemas: ``map`` is that of ``mqclause.map/1``, ``facts`` that of facts files."""
    kept = (each.name.removesuffix(SUFFIX) for each in files("mqclause").iterdir() if each.name.endswith(SUFFIX))
    return sorted({*kept, *WRITTEN})


def read_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of a document, named as ``map``, ``mqclause.map/1`` or ``facts``. Raises ArgumentError."""
    short = check_type("name", name, str).removeprefix("mqclause.").removesuffix("/1")
    found: dict[str, Any] = json.loads(_text(short))
    return found


@lru_cache(maxsize=64)
def _text(name: str) -> str:
    known = list_schemas()
    if name not in known:
        raise ArgumentError(f"{quote_value(name)} is no document with a schema{suggest_allowed(name, known)}")
    if (kept := files("mqclause") / f"{name}{SUFFIX}").is_file():
        return kept.read_text(encoding="utf-8")
    built: str = import_module(BUILDER).render_file_schema(name)
    return built
