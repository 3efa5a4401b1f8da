"""The JSON schemas of answers and of the files that people write: what a value may not be, and the columns of a table.

They are files of the package. Those of the files that people write are built of what reads them: when the package is
built, and when they are asked for where nothing was built. A part of a schema is named by its path behind ``#``:
``map#/properties/rows/items``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import frozen

from mqclause.model.diagnostics import ArgumentError, check_type, quote_value, suggest_allowed

PACKAGE, SUFFIX = Path(__file__).parent, ".schema.json"

WRITTEN = ("case", "facts", "rule", "scenario")
"""The kinds of files that people write."""

BUILDER = "mqclause.testing.file_schemas"
"""The module that builds their schemas, which is loaded when one is asked for."""


def list_schemas() -> list[str]:
    """List the names of the schemas: ``map`` is that of ``mqclause.map/1``, ``facts`` that of facts files."""
    kept = (each.name.removesuffix(SUFFIX) for each in PACKAGE.glob(f"*{SUFFIX}"))
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
    if (kept := PACKAGE / f"{name}{SUFFIX}").is_file():
        return kept.read_text(encoding="utf-8")
    built: str = import_module(BUILDER).render_file_schema(name)
    return built


PYTHON_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip
ARROW_TYPES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}

Node = Mapping[str, Any]


@frozen(eq=False)
class DocumentSchema:
    """A schema, or a part of one: ``node`` of the document ``root``, in which references lead."""

    node: Node
    root: Node

    @cached_property
    def plain(self) -> Node:
        """The node with references followed and what all or any of its parts say put together, null apart."""
        node = self.node
        while "$ref" in node:
            node = _find(self.root, node["$ref"].removeprefix("#"))
        parts = [self.of(each).plain for key in ("allOf", "anyOf", "oneOf") for each in node.get(key, ())]
        parts = [each for each in parts if each.get("type") != "null"]
        if not parts:
            return node
        properties = {name: one for each in parts for name, one in each.get("properties", {}).items()}
        return {**parts[0], **({"properties": properties} if properties else {})}

    @cached_property
    def properties(self) -> Mapping[str, DocumentSchema]:
        """The schema of each key, where these are stated."""
        return {name: self.of(each) for name, each in self.plain.get("properties", {}).items()}

    @cached_property
    def items(self) -> DocumentSchema | None:
        """The schema of what stands in a list; None if it is not stated, or this is none."""
        plain = self.plain
        return self.of(plain["items"]) if _kind(plain) == "array" and "items" in plain else None

    def of(self, node: Node) -> DocumentSchema:
        """Return another part of the same document."""
        return DocumentSchema(node, self.root)

    def find_faults(self, value: Any, place: str = "") -> Iterator[str]:
        """Yield what of a value the schema does not allow, each with its place."""
        if not self.node:
            return
        node, at = self.node, f"{place}: " if place else ""
        if "$ref" in node:
            yield from self.of(_find(self.root, node["$ref"].removeprefix("#"))).find_faults(value, place)
        for each in node.get("allOf", ()):
            yield from self.of(each).find_faults(value, place)
        for key in ("anyOf", "oneOf"):
            tried = [self.of(each) for each in node.get(key, ())]
            found = [list(each.find_faults(value, place)) for each in tried]
            if tried and all(found):
                # Of several ways in which it is wrong, that of a value of its type tells most.
                near = (faults for each, faults in zip(tried, found, strict=True) if _fits_type(value, each.plain))
                yield next(near, found[0])[0]
        allowed = [node["const"]] if "const" in node else node.get("enum", ())
        if allowed and not any(value == each and type(value) is type(each) for each in allowed):
            yield f"{at}{quote_value(value)} is not allowed{suggest_allowed(value, map(str, allowed))}"
        if not _fits_type(value, node):
            yield f"{at}{quote_value(value)} is not allowed; expected {' or '.join(_list_types(node))}"
        elif isinstance(value, dict):
            yield from self._find_object_faults(value, place)
        elif isinstance(value, list) and "items" in node:
            for number, each in enumerate(value):
                yield from self.of(node["items"]).find_faults(each, f"{place}[{number}]")
        elif isinstance(value, str) and not re.search(node.get("pattern", ""), value):
            yield f"{at}{quote_value(value)} does not fit {node['pattern']}"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield from (f"{at}{value} is {said}" for said in _find_range_faults(value, node))

    def _find_object_faults(self, value: Mapping[str, Any], place: str) -> Iterator[str]:
        node = self.node
        lacking = [name for name in node.get("required", ()) if name not in value]
        if lacking:
            yield f"{f'{place}: ' if place else ''}without {', '.join(lacking)}"
        others, stated = node.get("additionalProperties", {}), node.get("properties", {})
        for name, each in value.items():
            schema = stated.get(name, others if isinstance(others, dict) else {})
            yield from self.of(schema).find_faults(each, f"{place}.{name}" if place else name)

    def build_arrow_type(self, arrow: Any) -> Any:
        """Build the type of a column: lists and structs are nested, and what has no stated keys is JSON text."""
        if self.items is not None:
            return arrow.list_(self.items.build_arrow_type(arrow))
        if self.properties:
            return arrow.struct([(name, each.build_arrow_type(arrow)) for name, each in self.properties.items()])
        return arrow.type_for_alias(ARROW_TYPES.get(_kind(self.plain), "string"))

    def fit(self, value: Any) -> Any:
        """Return a value as its column has it. Raises ArgumentError for a key that the schema does not state."""
        if value is None:
            return None
        if (items := self.items) is not None:
            return [items.fit(each) for each in value]
        if stated := self.properties:
            if unknown := [name for name in value if name not in stated]:
                raise ArgumentError(f"no column is stated for {', '.join(unknown)}")
            return {name: stated[name].fit(each) for name, each in value.items()}
        return value if _kind(self.plain) in ARROW_TYPES else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=64)
def get_document_schema(part: str) -> DocumentSchema:
    """Return a schema or a part of one, as ``map`` or ``map#/properties/rows/items``. Raises ArgumentError."""
    name, _, path = part.partition("#")
    root = read_schema(name)
    return DocumentSchema(_find(root, path), root)


def _find(root: Node, path: str) -> Node:
    found = root
    for key in filter(None, path.split("/")):
        found = found[key]
    return found


def _kind(plain: Node) -> str:
    """The one type of a node beside null; blank if it is not stated, or there are several."""
    stated = plain.get("type", ())
    if not stated and ("enum" in plain or "const" in plain):
        values = plain.get("enum", [plain.get("const")])
        stated = [next(name for name in PYTHON_TYPES if _is_of(each, name)) for each in values]
    kinds = {stated} if isinstance(stated, str) else {*stated} - {"null"}
    return kinds.pop() if len(kinds) == 1 else ""


def _list_types(node: Node) -> list[str]:
    stated = node.get("type", ())
    return [stated] if isinstance(stated, str) else [*stated]


def _fits_type(value: Any, node: Node) -> bool:
    kinds = _list_types(node)
    return not kinds or any(_is_of(value, each) for each in kinds)


def _is_of(value: Any, kind: str) -> bool:
    return isinstance(value, PYTHON_TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _find_range_faults(value: float, node: Node) -> Iterator[str]:
    if "minimum" in node and value < node["minimum"]:
        yield f"below {node['minimum']}"
    if "exclusiveMinimum" in node and value <= node["exclusiveMinimum"]:
        yield f"not above {node['exclusiveMinimum']}"
    if "maximum" in node and value > node["maximum"]:
        yield f"above {node['maximum']}"
