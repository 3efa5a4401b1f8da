"""Imports point one way, and ``import mqclause`` costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spec_tests.support.product import Module, installed, modules

LAYERS = [
    ["mqclause.model.diagnostics"],
    ["mqclause.model.facts"],
    ["mqclause.model.exits"],
    ["mqclause.model.readers"],
    ["mqclause.model.configuration"],
    ["mqclause.model.timeline"],
    ["mqclause.language"],
    ["mqclause.rules", "mqclause.cases"],
    ["mqclause.rulebook"],
    ["mqclause.documents"],
    ["mqclause.executors"],
    ["mqclause.trace"],
    ["mqclause.exits"],
    ["mqclause.answers"],
    ["mqclause.workload"],
    ["mqclause.retrieval"],
    ["mqclause.trigger"],
    ["mqclause.replay"],
    ["mqclause.check"],
    ["mqclause.cluster"],
    ["mqclause.testing"],
    ["mqclause.tables"],
    ["mqclause.duckdb"],
    ["mqclause.spark"],
    ["mqclause.tools.errors"],
    ["mqclause.tools.render"],
    ["mqclause.tools.batch"],
    ["mqclause.tools.commands"],
    ["mqclause.tools.cli"],
]
"""From the ground up. A module imports its own room and the rooms below; rooms of one floor know nothing of each other."""

ROOMS = {room: floor for floor, rooms in enumerate(LAYERS) for room in rooms}
DOORS = {"mqclause", "mqclause.model", "mqclause.tools"}
"""Modules that gather names for programs; the product itself imports a name from where it is defined."""

OPTIONAL = ("durable_rules_engine", "duckdb", "pyspark", "pandas", "pyarrow", "sqlglot", "rich", "click")


def room_of(name: str) -> str | None:
    """The room that a module belongs to; None for a door."""
    parts = name.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in ROOMS), None)


def wrong_imports(module: Module) -> list[str]:
    """The imports of a module that point up or across, or that go through a door."""
    room = room_of(module.name)
    if room is None:
        return []
    wrong = []
    for line, name in module.imports():
        if name.partition(".")[0] != "mqclause" or (name in DOORS and name != "mqclause"):
            continue
        to = room_of(name)
        if to is None:
            wrong.append(f"{module.place}:{line}: {name}: names are imported from where they are defined")
        elif to != room and ROOMS[to] >= ROOMS[room]:
            wrong.append(f"{module.place}:{line}: {room} imports {name}")
    return wrong


def test_every_module_has_a_room() -> None:
    homeless = [each.place for each in installed() if room_of(each.name) is None and each.name not in DOORS]
    assert homeless == []


def test_imports_point_one_way() -> None:
    assert [wrong for module in installed() for wrong in wrong_imports(module)] == []


def test_model_knows_nothing_of_rules() -> None:
    model = [each for each in installed() if each.name.startswith("mqclause.model")]
    others = [
        f"{each.place}:{line}: {name}"
        for each in model
        for line, name in each.imports()
        if name.startswith("mqclause") and not name.startswith("mqclause.model")
    ]
    assert model
    assert others == []


def test_a_wrong_import_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    upwards = Module("mqclause.language.parser", modules()["mqclause.language.parser"].path, False)
    monkeypatch.setattr(upwards, "text", "from mqclause import Rules\nfrom mqclause.trace import record\n")
    found = wrong_imports(upwards)
    assert any("mqclause.language imports mqclause.trace" in each for each in found)
    assert any("from where they are defined" in each for each in found)


@pytest.mark.parametrize("code", ["import mqclause", "from mqclause import Put, read_files"])
def test_importing_the_package_loads_nothing_that_is_not_asked_for(code: str) -> None:
    assert loaded_by(code, OPTIONAL) == []


def test_an_engine_needs_neither_durable_rules_nor_a_back_end() -> None:
    code = "from mqclause import Engine, Replay, Triggers; Engine(), Triggers(), Replay()"
    assert loaded_by(code, [name for name in OPTIONAL if name != "sqlglot"]) == []


def loaded_by(code: str, names: tuple[str, ...] | list[str]) -> list[str]:
    """Which of the modules ``names`` are loaded when a fresh Python has run ``code``."""
    tell = f"import sys; print(*(name for name in {tuple(names)!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{tell}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
