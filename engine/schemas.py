"""The JSON schemas of the documents that answers are written as; they are files of the package."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from mqclause.model.diagnostics import ArgumentError, check_type, quote_value, suggest_allowed

SUFFIX = ".schema.json"


def list_schemas() -> list[str]:
    """List the names of the schemas: ``map`` is that of ``mqclause.map/1``."""
    return sorted(each.name.removesuffix(SUFFIX) for each in files("mqclause").iterdir() if each.name.endswith(SUFFIX))


def read_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of a document, named as ``map`` or ``mqclause.map/1``. Raises ArgumentError."""
    short = check_type("name", name, str).removeprefix("mqclause.").removesuffix("/1")
    found: dict[str, Any] = json.loads(_text(short))
    return found


@lru_cache(maxsize=64)
def _text(name: str) -> str:
    known = list_schemas()
    if name not in known:
        raise ArgumentError(f"{quote_value(name)} is no document with a schema{suggest_allowed(name, known)}")
    return (files("mqclause") / f"{name}{SUFFIX}").read_text(encoding="utf-8")
