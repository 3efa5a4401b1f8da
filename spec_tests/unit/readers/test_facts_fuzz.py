"""Whatever is fed in, reading ends soon, in a snapshot or in a FactsError whose lines are lines."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.configuration.snapshot import Snapshot, read_document, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.facts_files import LIST_MAKERS, LIST_TABLES, SINGLE_TABLES, TABLES, read_facts
from spec_tests.support.deep import every
from spec_tests.support.facts_text import parse_facts
from spec_tests.support.in_proportion import takes_time_in_proportion

FIELDS = {table: name for name, table in LIST_TABLES.items()}
KEYS = sorted({key for maker in [*SINGLE_TABLES.values(), *LIST_MAKERS.values()] for key in maker.domains})

VALID: dict[str, Any] = {
    "queue_manager": {"name": "HQ", "clusters": ["PARTS"], "trigint": 5},
    "remote_queue_manager": [{"name": "NORTH", "clusters": ["PARTS"]}, {"name": "SOUTH", "suspended": ["PARTS"]}],
    "queue": [{"name": "STOCK", "queue_manager": "NORTH", "clwlrank": 3}, {"name": "STOCK", "trigger": True}],
    "queue_manager_alias": [{"name": "ANY", "queue_manager": "SOUTH", "put": "DISABLED"}],
    "channel": [{"name": "TO.NORTH", "queue_manager": "NORTH", "cluster": "PARTS", "dest_seq_factor": 0.5}],
    "process": [{"name": "PICK", "appltype": "UNIX"}],
    "model_queue": [{"name": "PICK.MODEL"}],
    "channel_status": [{"name": "QM1.QM9", "type": "SVR", "status": "STOPPED"}],
    "message": [{"id": "M1", "queue": "STOCK", "group": "G", "segment": True, "length": 5}],
    "put": {"queue": "STOCK", "bind": "OPEN", "already_sent_to": ["NORTH"]},
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=60)
    | st.sampled_from(["HQ", "NORTH", "ENABLED", "LOCAL", "", " "])
)
keys = st.sampled_from([*TABLES, *KEYS]) | st.text(max_size=12)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)
documents = st.dictionaries(st.sampled_from(TABLES), values, max_size=6) | values


def outcome(read: Any, *arguments: object, **options: object) -> Snapshot | FactsError:
    result: Snapshot | FactsError
    try:
        result = read(*arguments, **options)
    except FactsError as error:
        result = error
    if isinstance(result, FactsError):
        assert result.diagnostics
        assert len(str(result).split("\n")) == len(result.diagnostics)
    else:
        assert isinstance(result, Snapshot)
    return result


def places(value: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, each in inner for place in places(each, (*at, key)))]


PLACES = [place for place in places(VALID) if place]


@given(st.binary(max_size=200), st.sampled_from(["-", "a.toml", "a.json", "a.mqsc"]), st.booleans())
def test_any_bytes(data: bytes, name: str, lenient: bool) -> None:
    outcome(read_sources, [Source(name, data)], lenient=lenient)


@given(st.text(alphabet="[]{}\"'=:,. \n*+#aQ1", max_size=120), st.sampled_from(["-", "a.toml"]))
def test_any_text_of_the_formats_characters(text: str, name: str) -> None:
    outcome(read_sources, [Source(name, text.encode())])


@given(documents)
def test_any_value(data: object) -> None:
    outcome(read_document, data, "f")


@given(documents)
def test_any_json_reads_as_its_value_does(data: object) -> None:
    text = json.dumps(data)
    if "NaN" not in text and "Infinity" not in text:
        facts = parse_facts(text, "f", "json")
        assert facts == read_facts(json.loads(text), "f")
    outcome(read_sources, [Source("f", text.encode())])


@given(documents, documents, st.none() | st.text(max_size=5), st.booleans())
def test_any_values_beside_a_script(one: object, other: object, local: str | None, lenient: bool) -> None:
    script = b"* Queue manager name: HQ\nDEFINE QLOCAL(STOCK) CLUSTER(PARTS)\nDEFINE QLOCAL(\n"
    sources = [Source("a", json.dumps(one).encode()), Source("b", script), Source("c", json.dumps(other).encode())]
    outcome(read_sources, sources, local, lenient=lenient)
    outcome(read_sources, sources[:2], local, lenient=lenient)


@given(st.none() | st.text(max_size=5))
def test_any_local_name(local: str | None) -> None:
    assert read_facts({"queue": [{"name": "A"}]}, "f", local) is not None
    outcome(read_sources, [Source("f", b"[[queue]]\nname = 'A'"), Source("s", b"DEF QL(B)")], local)


@given(st.sampled_from(PLACES), values, st.booleans())
def test_one_value_changed(place: tuple[Any, ...], value: object, removed: bool) -> None:
    data = copy.deepcopy(VALID)
    *path, last = place
    inner: Any = data
    for step in path:
        inner = inner[step]
    if removed:
        del inner[last]
    else:
        inner[last] = value
    outcome(read_document, data, "f")


@given(st.sampled_from(sorted(LIST_MAKERS)), keys, values)
def test_made_facts_are_what_the_class_gives(table: str, key: str, value: object) -> None:
    given_values = {**VALID[table][0], key: value}
    facts = read_facts({table: [given_values]}, "f", "HQ")
    if not facts.diagnostics:
        field = FIELDS.get(table, f"{table}s")
        (made,) = getattr(facts, field)
        assert made == type(made)(**given_values)
        assert repr(made) == repr(type(made)(**given_values))


def test_the_valid_document_is_valid() -> None:
    assert isinstance(outcome(read_document, VALID, "f"), Snapshot)


def test_a_value_in_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for data in (loop, {"queue": loop}, {"put": {"queue": loop}}, dict.fromkeys(TABLES, loop)):
        assert isinstance(outcome(read_document, data, "f"), FactsError)


def junk(content: bytes) -> FactsError:
    error = outcome(read_sources, [Source("f", content)])
    assert isinstance(error, FactsError)
    return error


DEEP = 10_000


@pytest.mark.parametrize(
    "content",
    [
        b'{"queue": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"a": ' * DEEP + b"1" + b"}" * DEEP,
        b"a = " + b"[" * DEEP,
        b"a = " + b"{a = " * DEEP,
        b"[" + b"a." * DEEP + b"a]\n",
    ],
    ids=["json-lists", "json-objects", "toml-lists", "toml-tables", "toml-names"],
)
def test_deep_nesting_ends(content: bytes) -> None:
    error = junk(content)
    assert len(error.diagnostics) == 1
    assert takes_time_in_proportion(junk, content)


@pytest.mark.parametrize(
    "piece",
    every(2, [
        b"\0",
        b"\xfe\xed",
        b"x",
        b" ",
        b"\n",
        b"{",
        b"[",
        b'"',
        b"The queue is defined by the manager, as was set out.\n",
        b"a = 1 # not TOML, as a stands twice\n",
    ]),
    ids=["zero", "bytes", "x", "blank", "line", "brace", "bracket", "quote", "prose", "assignment"],
)  # fmt: skip
@pytest.mark.parametrize("huge", [2_000_000, pytest.param(10_000_000, marks=pytest.mark.deep)])
def test_a_huge_file_of_junk_ends(piece: bytes, huge: int) -> None:
    content = piece * (huge // len(piece))
    error = junk(content)
    assert len(error.diagnostics) == 1
    assert len(str(error)) < 1000
    assert takes_time_in_proportion(junk, content[: huge // 2])


def test_a_document_full_of_faults_ends() -> None:
    assert takes_time_in_proportion(lambda zeros: junk(b'{"queue": [' + zeros + b"0]}"), b"0," * 1_000_000)
