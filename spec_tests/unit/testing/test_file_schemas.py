"""The schemas of files that people write: every file of the project fits its own, and a misspelt key does not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from attrs import fields

from mqclause import read_schema
from mqclause.model.diagnostics import DomainError
from mqclause.model.readers.facts_files import LIST_MAKERS, SINGLE_TABLES, TABLES, read_toml
from mqclause.rulebook.case_files import get_cases_folder
from mqclause.rulebook.rules import Rules, get_rules_folder
from mqclause.schemas import SUFFIX, WRITTEN
from mqclause.testing.file_schemas import BUILDERS, ROWS, describe_domain, keep_file_schemas
from spec_tests.support.explain_command import bad, run

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
HAVE_EVENTS = {each.name for each in EXAMPLES.glob("*.toml") if "[[event]]" in each.read_text()}
RULE_FILES = [get_rules_folder() / path for path in Rules().files if "/" in path and not path.startswith("documents/")]


def load(path: Path) -> Any:
    """The document of a TOML file as JSON has it: a date is text."""
    return json.loads(json.dumps(read_toml(path.read_text(encoding="utf-8")), default=str))


def check(name: str) -> jsonschema.Draft7Validator:
    schema = read_schema(name)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def list_paths(name: str) -> list[Path]:
    if name in ("facts", "scenario"):
        return [each for each in EXAMPLES.glob("*.toml") if name == "facts" or each.name in HAVE_EVENTS]
    return RULE_FILES if name == "rule" else sorted(get_cases_folder().glob("*/*.toml"))


def list_tables(
    value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    """Every table in a document, with where it stands."""
    if isinstance(value, dict):
        yield path, value
        for key, each in value.items():
            yield from list_tables(each, (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from list_tables(each, (*path, at))


@pytest.mark.parametrize("name", BUILDERS)
def test_a_package_that_is_built_keeps_what_is_asked_for(name: str, tmp_path: Path) -> None:
    keep_file_schemas(tmp_path)
    assert json.loads((tmp_path / f"{name}{SUFFIX}").read_text(encoding="utf-8")) == read_schema(name)


@pytest.mark.parametrize("name", BUILDERS)
def test_every_file_of_the_project_fits(name: str) -> None:
    validator, paths = check(name), list_paths(name)
    assert paths
    wrong = [
        f"{each.name}: {error.json_path}: {error.message[:200]}"
        for each in paths
        for error in validator.iter_errors(load(each))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", BUILDERS)
def test_a_misspelt_key_does_not_fit(name: str) -> None:
    """Whatever table of the first files it stands in, but those whose keys are names of somebody's own."""
    validator = check(name)
    tried = 0
    for path in list_paths(name)[:4]:
        document = load(path)
        for where, table in list_tables(document):
            if any(each in FREE for each in where):
                continue
            table["queu_mangaer"] = "QM1"  # type: ignore[index]
            assert not validator.is_valid(document), (path.name, where)
            del table["queu_mangaer"]  # type: ignore[attr-defined]
            tried += 1
        assert validator.is_valid(document)
    assert tried > 3


FREE = {"set", "readings", "ordinary", "expect", "derive", "settle", "misplaced", "exit"}
"""Tables whose keys are attributes, readings, facts or events."""


ROW = {"queue": [{"name": "PARCELS"}]}


@pytest.mark.parametrize(
    ("document", "fits"),
    [
        ({"queue_manager": {"name": "QM1"}, **ROW}, True),
        ({"queue_manager": {"name": "QM1", "command_level": 930}}, True),
        ({"queue_manager": {"name": "QM1", "command_level": 0}}, True),
        ({"queue_manager": {"name": "QM1", "command_level": 53}}, False),
        ({"queue": [{"name": "PARCELS", "put": "disabled"}]}, True),
        ({"queue": [{"name": "PARCELS", "put": "DISABELD"}]}, False),
        ({"queue": [{"put": "DISABLED"}]}, False),
        ({"queue": [{"name": "P" * 48 + "  "}]}, True),
        ({"queue": [{"name": "P" * 49}]}, False),
        ({"queue": [{"name": "PARCELS", "clwlrank": 9}]}, True),
        ({"queue": [{"name": "PARCELS", "clwlrank": 10}]}, False),
        ({"queue": {"name": "PARCELS"}}, False),
        ({"queue": [{"name": "PARCELS", "trigger": "YES"}]}, False),
        ({"event": [{"do": "Put", "queue": "PARCELS"}]}, True),
        ({"event": [{"do": "putt", "queue": "PARCELS"}]}, False),
        ({"event": [{"do": "clear", "queue": "PARCELS", "priority": 1}]}, False),
        ({"event": [{"do": "clear"}]}, False),
    ],
)
def test_values_are_those_that_reading_takes(document: dict[str, Any], fits: bool, tmp_path: Path) -> None:
    assert check("facts").is_valid(document) is fits
    (tmp_path / "f.json").write_text(json.dumps({"queue_manager": {"name": "QM1"}, **ROW, **document}))
    how = ("replay", "--json") if "event" in document else ("facts",)
    assert (run(*how, str(tmp_path / "f.json")).returncode == 0) is fits


PROBES: list[Any] = [
    "", "PARCELS", "parcels", "OPEN", "open", "Put", "MQOPEN", "P Q", "P" * 49, "P" * 3000, "12", "2026-01-31",
    0, 1, 5, 10, 99, 100, 9999, 10_000, 70_000, 10**12, 10**19, -1, 1.5, -0.5, True, False, [], ["PARCELS"], ["PARCELS", 3], {}, {"id": "X"},
    {"idd": "X"}, ["LOGICAL_ORDER"], ["logical_order"],
]  # fmt: skip
"""Values of every kind, for keys of every kind."""


@pytest.mark.parametrize("table", TABLES)
def test_a_schema_takes_what_reading_takes_whatever_the_key_is(table: str) -> None:
    kind = ROWS[table] if table in ROWS else {**SINGLE_TABLES, **LIST_MAKERS}[table].made_class
    domains = {each.name: each.metadata["domain"] for each in fields(kind) if "domain" in each.metadata}
    assert domains
    for key, domain in domains.items():
        validator = jsonschema.Draft7Validator(describe_domain(domain))
        for probe in PROBES:
            try:
                domain(probe, key)
                is_read = True
            except DomainError:
                is_read = False
            assert validator.is_valid(probe) is is_read, (key, probe)


def test_every_kind_of_file_is_listed_before_anything_is_built() -> None:
    assert sorted(BUILDERS) == sorted(WRITTEN)


def test_a_scenario_has_events() -> None:
    assert check("scenario").is_valid({**ROW, "event": []})
    assert not check("scenario").is_valid(ROW)


def test_the_command_lists_and_prints_them() -> None:
    listed = {each.split()[0]: each.split(maxsplit=1)[1] for each in run("schema").stdout.splitlines()}
    assert {name: listed[name] for name in BUILDERS} == {name: said for name, (_, said) in BUILDERS.items()}
    assert "trace" in listed
    assert json.loads(run("schema", "rule").stdout) == read_schema("rule")
    [line] = bad("schema", "fact")
    assert line.startswith("'fact' is no document with a schema")
    assert line.endswith("did you mean 'facts'?")
