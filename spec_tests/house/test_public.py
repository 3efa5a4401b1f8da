"""What programs may name: every type of a public signature is exported once, and type checkers find mistakes."""

from __future__ import annotations

import inspect
import subprocess
import sys
import types
import typing
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
import pytest

import mqclause
import mqclause.exits
import mqclause.testing
import mqclause.types
from mqclause.model.facts.objects import Channel, ChannelAttributes, GivenNames, Queue, QueueAttributes

MODULES = (mqclause, mqclause.exits, mqclause.testing)
PUBLIC = {name: getattr(module, name) for module in MODULES for name in module.__all__}


def functions_of(found: Any) -> Iterator[Any]:
    """The public functions of a class, or a function itself."""
    if inspect.isfunction(found):
        yield found
    for name, each in vars(found).items() if isinstance(found, type) else ():
        made = getattr(each, "fget", None) or getattr(each, "__func__", None) or getattr(each, "func", None) or each
        if inspect.isfunction(made) and not name.startswith("_"):
            yield made


def annotated(found: Any) -> Iterator[Any]:
    for each in functions_of(found):
        yield from typing.get_type_hints(each).values()
    if isinstance(found, type) and attrs.has(found):
        hints = typing.get_type_hints(found)
        yield from (hints[each.name] for each in attrs.fields(found) if not each.name.startswith("_"))


def classes_in(kind: Any) -> Iterator[type]:
    for each in (kind, typing.get_origin(kind)):
        if isinstance(each, type) and not isinstance(each, types.GenericAlias):
            yield each
    for each in typing.get_args(kind):
        yield from classes_in(each)


def test_every_type_of_a_public_signature_is_exported_once() -> None:
    assert not {*mqclause.__all__} & {*mqclause.types.__all__}
    known = {id(each) for each in PUBLIC.values()}
    known |= {id(getattr(mqclause.types, name)) for name in mqclause.types.__all__}
    asked = {(name, each) for name, found in PUBLIC.items() for kind in annotated(found) for each in classes_in(kind)}
    assert len(asked) > 200
    assert (
        sorted(
            f"{each.__qualname__} of {name}"
            for name, each in asked
            if each.__module__.partition(".")[0] == "mqclause" and id(each) not in known
        )
        == []
    )


def test_the_stub_of_types_has_the_names_that_it_loads() -> None:
    stub = Path(str(mqclause.types.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    typed = {line.rpartition(" as ")[2] for line in stub.splitlines() if line.startswith("from ")}
    assert typed == {*mqclause.types.__all__}
    with pytest.raises(AttributeError, match="has no attribute 'Pipelin'"):
        mqclause.types.Pipelin  # type: ignore[attr-defined] # noqa: B018


def test_every_error_of_the_library_has_one_base() -> None:
    errors = [each for each in PUBLIC.values() if isinstance(each, type) and issubclass(each, Exception)]
    assert len(errors) > 8
    assert [each.__name__ for each in errors if not issubclass(each, mqclause.MqclauseError)] == []


def test_type_checkers_know_the_attributes_of_queues_and_channels() -> None:
    for of, typed in ((Queue, QueueAttributes), (Channel, ChannelAttributes)):
        hints = {
            name: kind for name, kind in typing.get_type_hints(of).items() if name not in ("name", "queue_manager")
        }
        lists = {name: GivenNames for name, kind in hints.items() if kind == tuple[str, ...]}
        assert typing.get_type_hints(typed) == hints | lists


def test_its_version_and_how_it_is_run() -> None:
    assert mqclause.__version__ == version("mqclause")
    done = subprocess.run([sys.executable, "-m", "mqclause", "--version"], capture_output=True, text=True, timeout=60)
    assert version("mqclause") in done.stdout


MISTAKES = """
from mqclause import Channel, Cluster, Decision, Engine, MapRow, Members, Put, Queue, QueueManager, cluster_map, plan, read
from mqclause.testing import assert_routes

Channel("TO.QM2", "QM2", "SALES", status="RUNING")
Queue("Q", "QM2", put="DISABELD")
Put("Q", bind="NOT_FIXED")
Cluster(QueueManager("QM1"), queues=["Q"])
Engine().choose("Q", Cluster(QueueManager("QM1")))
Engine().choose(Put("Q"), Cluster(QueueManager("QM1")), explain="rules")
members: Members = read(17)
answer: MapRow = Engine().choose(Put("Q"), members[0].cluster)
rows = cluster_map(members).to_excel()
assert_routes(members, "Q", at="QM1", to=["QM2"])
members[0].cluster.with_status("TO.QM2", "RUNING")
members.with_status("TO.QM2", "RUNING")
cluster_map(members, bind="NOT_FIXED")
plan(members, members, bind="NOT_FIXED")
members.with_queue("Q", "QM2", clwlprt=4)
members[0].cluster.with_queue("Q", "QM2", clwlprty="4")
members[0].cluster.with_channel("TO.QM2", "QM2", status="RUNING")
members.with_channel("TO.QM2", "QM2", clwlwgth=4)
QueueManager("QM1", clusters="SALES")
Put("Q", already_sent_to="QM2")
Queue("Q", "QM2", clusters=["SALES"])
members.with_queue("Q", "QM2", clusters=["SALES"], put="DISABLED").with_channel("TO.QM2", "QM2", clwlwght=4)
"""
"""Lines with one mistake each, but for the last two."""


@pytest.mark.deep
def test_type_checkers_find_mistakes(tmp_path: Path) -> None:
    """In a package as it is installed: type checkers do not see where an editable one lies."""
    pytest.importorskip("mypy")
    (tmp_path / "mqclause").mkdir()
    for each in Path(str(mqclause.__path__[0])).iterdir():
        (tmp_path / "mqclause" / each.name).symlink_to(each)
    for name in ("cases", "model", "rules", "tools"):
        folder = tmp_path / "mqclause" / name
        if not folder.exists():
            folder.symlink_to(str(import_module(f"mqclause.{name}").__path__[0]))
    script = tmp_path / "mistakes.py"
    script.write_text(MISTAKES)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", script.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500)
    lines = {line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {str(line) for line in range(5, 25)}, done.stdout
