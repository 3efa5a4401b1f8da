"""The shape of a table in DuckDB: what may be absent, what is refused before anything is read, what is carried on."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from mqclause.duckdb import decide, decide_triggers
from mqclause.tables.schema import DECISION, TableError
from spec_tests.support import together
from spec_tests.support.deep import first

PUT, AMONG = "{'queue': 'Q'}", "[{'queue_manager': 'QM2'}, {'queue_manager': 'QM3', 'channel_rank': 1}]"
PUTS = pa.array([{"queue": "Q"}])
TWO = pa.array([[{"queue_manager": "QM2", "channel_rank": 0}, {"queue_manager": "QM3", "channel_rank": 1}]])
TABLE = pa.table({"put": PUTS, "destinations": TWO})
QM3 = dict.fromkeys(DECISION) | {"outcome": "chosen", "queue_manager": "QM3", "permitted": 1}


@pytest.fixture
def connection() -> Any:
    """One for all tests that leave it as it is."""
    return together.connection()


def unread(connection: Any, put: str = PUT, destinations: str = AMONG, more: str = "") -> Any:
    """A relation that fails as soon as it is read."""
    return connection.sql(f"SELECT {put} AS put, {destinations} AS destinations {more} WHERE error('read') IS NULL")


def decision(relation: Any) -> dict[str, Any]:
    """The decision of the only row."""
    rows = relation.to_arrow_table()["decision"].to_pylist()
    assert len(rows) == 1
    found: dict[str, Any] = rows[0]
    return found


def of(put: dict[str, Any], *among: dict[str, Any], **beside: Any) -> dict[str, Any]:
    """The decision about one row of these values."""
    table = pa.table({"put": [put], "destinations": [list(among)], **{name: [each] for name, each in beside.items()}})
    return decision(decided(table))


def decided(table: Any) -> Any:
    return decide(table, connection=together.connection())


@pytest.mark.parametrize("type_of", first(1, ["UBIGINT", "TINYINT", "HUGEINT"]))
def test_the_most_recently_used_as_a_number_of_any_width(connection: Any, type_of: str) -> None:
    """Also one too large for a BIGINT."""
    largest = {"UBIGINT": 2**63, "TINYINT": 0, "HUGEINT": 2**63}[type_of]
    put = f"{{'queue': 'Q', 'bind': 'NOTFIXED', 'clwlmruc': number::{type_of}}}"
    among = "[{'queue_manager': 'QM2'}, {'queue_manager': 'QM3', 'dest_seq_number': 5}]"
    table = connection.sql(f"SELECT {put} AS put, {among} AS destinations FROM (VALUES (1), ({largest})) AS t(number)")
    found, wrong = decide(table).to_arrow_table()["decision"].to_pylist()
    assert (found["queue_manager"], found["permitted"]) == ("QM3", 1)
    assert wrong["message"] == f"put.clwlmruc = {largest}; allowed: a whole number from 1 to 999999999"


def test_nothing_is_read_until_the_relation_is(connection: Any) -> None:
    relation = decide(unread(connection))
    with pytest.raises(duckdb.Error, match="read"):
        relation.fetchall()


@pytest.mark.parametrize(
    ("put", "destinations", "message"),
    [
        ("1", AMONG, "column put is an integer; expected a struct with queue or queue_manager"),
        ("NULL", AMONG, "column put is null throughout; expected a struct with queue or queue_manager"),
        ("[{'queue': 'Q'}]", AMONG, "column put is a list; expected a struct with queue or queue_manager"),
        ("{'bind': 'OPEN'}", AMONG, "column put has neither queue nor queue_manager; a put names one of them"),
        (PUT, "{'queue_manager': 'QM2'}", "column destinations is a struct; expected a list of structs"),
        (PUT, "['QM2']", "column destinations is a list; expected a list of structs"),
        (PUT, "'QM2'", "column destinations is a text; expected a list of structs"),
        (PUT, "[{'channel_rank': 1}]", "column destinations.queue_manager is missing; every destination has a queue manager"),
        ("{'queue': 1}", AMONG, "column put.queue is an integer; expected a text (a CAST to STRING would do)"),
        ("{'queue': 'Q', 'cluster_pcf': 1}", AMONG, "column put.cluster_pcf is an integer; expected a boolean (a CAST to BOOLEAN would do)"),
        ("{'queue': 'Q', 'clwlmruc': '1'}", AMONG, "column put.clwlmruc is a text; expected an integer (a CAST to BIGINT would do)"),
        ("{'queue': 'Q', 'already_sent_to': 'A'}", AMONG, "column put.already_sent_to is a text; expected a list of texts"),
        ("{'queue': 'Q', 'already_sent_to': [1]}", AMONG, "column put.already_sent_to is a list; expected a list of texts (a CAST to a list of STRING would do)"),
        ("{'queue': 'Q', 'already_sent_to': [{'q': 1}]}", AMONG, "column put.already_sent_to is a list; expected a list of texts"),
        ("{'queue': 'Q', 'bind': {'x': 1}}", AMONG, "column put.bind is a struct; expected a text"),
        ("{'queue': '[]'::JSON}", AMONG, "column put.queue is a JSON; expected a text (put.queue ->> '$' would do)"),
        ("{'queue': 'Q', 'clwlmruc': '1'::JSON}", AMONG, "column put.clwlmruc is a JSON; expected an integer (a CAST to BIGINT would do)"),
        ("{'queue': 1::HUGEINT}", AMONG, "column put.queue is an integer of more than 64 bits; expected a text (a CAST to STRING would do)"),
        ("{'queue': 'Q', 'clwlmrcu': 1}", AMONG, "column put.clwlmrcu is not known; did you mean 'clwlmruc'?"),
    ],
)  # fmt: skip
def test_what_a_table_may_not_be(connection: Any, put: str, destinations: str, message: str) -> None:
    with pytest.raises(TableError) as raised:
        decide(unread(connection, put, destinations))
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("channel_rank", "'1'", "is a text; expected an integer (a CAST to BIGINT would do)"),
        ("channel_rank", "true", "is a boolean; expected an integer (a CAST to BIGINT would do)"),
        ("channel_rank", "[1]", "is a list; expected an integer"),
        ("channel_rank", "DATE '2024-01-01'", "is a DATE; expected an integer (a CAST to BIGINT would do)"),
        ("put_enabled", "'true'", "is a text; expected a boolean (a CAST to BOOLEAN would do)"),
        ("channel_status", "2", "is an integer; expected a text (a CAST to STRING would do)"),
        ("dest_seq_factor", "'0'", "is a text; expected a number (a CAST to DOUBLE would do)"),
        ("dest_seq_factor", "true", "is a boolean; expected a number (a CAST to DOUBLE would do)"),
        ("channel_stauts", "'RUNNING'", "is not known; did you mean 'channel_status'?"),
    ],
)
def test_what_a_field_of_a_destination_may_not_be(connection: Any, field: str, value: str, message: str) -> None:
    with pytest.raises(TableError) as raised:
        decide(unread(connection, destinations=f"[{{'queue_manager': 'QM2', '{field}': {value}}}]"))
    assert str(raised.value) == f"column destinations.{field} {message}"


def test_a_list_that_duckdb_read_as_json(connection: Any, tmp_path: Path) -> None:
    """It does so where not all items are texts, or all lists are empty; what is no text is told, and the row kept."""
    sent = [["QM2 "], ["QM2", 5], [{"a": 1}], ["A B"], [None, "QM3"], [], None]
    (tmp_path / "puts.json").write_text("\n".join(json.dumps({"n": at, "sent": each}) for at, each in enumerate(sent)))
    read = connection.read_json(str(tmp_path / "puts.json"))
    assert str(read.types[1]) == "JSON[]"
    put = "{'queue': 'Q', 'cluster_pcf': true, 'already_sent_to': sent} AS put"
    found = decide(read.project(f"n, {put}, {AMONG} AS destinations")).fetchall()
    allowed = "; allowed: a name of 1 to 48 characters out of A-Z a-z 0-9 . _ / %"
    told = {1: "put.already_sent_to[1] = 5", 2: 'put.already_sent_to[0] = {"a":1}', 3: 'put.already_sent_to[0] = "A B"'}
    chosen = {0: "QM3", 4: "QM2", 5: "QM3", 6: "QM3"}
    said = {at: (decision["queue_manager"], decision["message"]) for at, *_, decision in found}
    assert said == {at: (chosen.get(at), told[at] + allowed if at in told else None) for at in range(len(sent))}


def test_columns_that_are_missing(connection: Any) -> None:
    with pytest.raises(TableError, match=r"^column put is missing; the table has: id, destinations$"):
        decide(pa.table({"id": [1], "destinations": TWO}))
    with pytest.raises(
        TableError, match=r"^column destinations is missing; the table has: .*; did you mean 'destination'\?$"
    ):
        decide(pa.table({"put": PUTS, "destination": TWO}))
    with pytest.raises(TableError, match=r"^column occasion is missing; "):
        decide_triggers(TABLE)
    with pytest.raises(TableError, match=r"^the table has a column decision already$"):
        decide(unread(connection, more=", 1 AS decision"))


def test_a_field_that_is_absent_or_null_throughout_has_its_default() -> None:
    nulls = ["channel", "is_local", "channel_rank", "channel_status", "dest_seq_factor", "queue_type"]
    put, other = {"queue": "Q", "bind": None, "already_sent_to": None, "qmgr_clwluseq": None}, dict.fromkeys(nulls)
    assert of(put, {"queue_manager": "QM3", **other}) == QM3
    # By default a channel is INACTIVE, its weight 50 and its priority 0, and the binding OPEN: the call fixes one.
    stated = {"queue_manager": "QM3", "channel_status": "STOPPED", "channel_priority": 0}
    opened = of({"queue": "Q", "call": "MQOPEN"}, stated, {"queue_manager": "QM2", "channel_status": "STOPPED"})
    assert (opened["outcome"], opened["permitted"]) == ("chosen", 2)


def test_fields_that_no_rule_is_about() -> None:
    note = {"note": [1, 2], "when": "today"}
    assert of({"queue": "Q", **note}, {"queue_manager": "QM3", "remark": {"x": 1.5}}) == QM3


@pytest.mark.parametrize(
    "name", first(1, ['a "b" c', "c", "puts", "d", "e", "place", "invalid", "chosen", "queue", "decided"])
)
def test_further_columns_are_carried_through(name: str) -> None:
    further = pa.array([{"x": [1, None], "d": "é"}])
    relation = decide(TABLE.append_column(name, further), explain=True)
    assert relation.columns == ["put", "destinations", name, "decision"]
    found = relation.to_arrow_table()
    assert found[name].to_pylist() == further.to_pylist()
    assert found["put"].to_pylist() == PUTS.to_pylist()
    assert found["decision"].to_pylist() == [QM3 | {"eliminated_by": ["workload.04a", None]}]


def test_the_number_of_a_row_is_no_column_of_the_answer() -> None:
    numbered = TABLE.append_column("n", pa.array([None], pa.int64()))
    assert decide(numbered, spread="n").columns == ["put", "destinations", "n", "decision"]


def test_clwlmruc_beside_the_put() -> None:
    two = [{"queue_manager": "QM2", "dest_seq_number": 1}, {"queue_manager": "QM3", "dest_seq_number": 2}]
    # Of the one most recently used QM3 is left; with more of them QM2 comes first, used the longest time ago.
    assert of({"queue": "Q"}, *two, clwlmruc=1)["queue_manager"] == "QM3"
    assert of({"queue": "Q"}, *two, clwlmruc="1")["queue_manager"] == "QM2"
    said, beside = [None, 2, None, None], [1, 1, None, 0]
    puts = [{"queue": "Q", "clwlmruc": each} for each in said]
    table = pa.table({"put": puts, "destinations": [two] * len(said), "clwlmruc": beside})
    *found, wrong = decided(table).to_arrow_table()["decision"].to_pylist()
    assert [each["queue_manager"] for each in found] == ["QM3", "QM2", "QM2"]
    assert wrong["message"].startswith("put.clwlmruc = 0; allowed: ")


def test_qmgr_where_the_put_says_what_that_is() -> None:
    local = {"queue_manager": "QM1", "is_local": True, "clwluseq": "QMGR", "dest_seq_number": 5}
    other = {"queue_manager": "QM3", "is_local": False, "clwluseq": "ANY", "dest_seq_number": 0}
    assert of({"queue": "Q"}, local, other)["message"] == "destinations[0].clwluseq = 'QMGR'; allowed: LOCAL, ANY"
    puts = [{"queue": "Q", "qmgr_clwluseq": each} for each in ("LOCAL", "ANY")]
    of_local, of_any = decided(pa.table({"put": puts, "destinations": [[local, other]] * 2})).to_arrow_table()[
        "decision"
    ]
    assert of_local["queue_manager"].as_py() == "QM1"
    assert of_any.as_py() == QM3


@pytest.mark.parametrize("source", first(3, ["relation", "path", "pandas", "text", "arrow"]))
def test_sources(source: str, connection: Any, tmp_path: Path) -> None:
    path = tmp_path / "it's a table.parquet"
    pq.write_table(TABLE, path)
    sources: dict[str, Any] = {
        "relation": connection.sql(f"SELECT {PUT} AS put, {AMONG} AS destinations"),
        "path": path,
        "text": str(path),
        "pandas": TABLE.to_pandas(),
        "arrow": TABLE,
    }
    assert decision(decide(sources[source])) == QM3


def test_a_source_read_by_a_connection_of_ones_own() -> None:
    connection = duckdb.connect()
    for name in ("source", "puts", "relation"):
        connection.execute(
            f"CREATE TABLE {name} AS SELECT {PUT} AS put, [{{'queue_manager': 'NOT.ASKED'}}] AS destinations"
        )
    assert decision(decide(TABLE, connection=connection)) == QM3
    assert decision(decide(connection.from_arrow(TABLE), connection=connection)) == QM3


def test_a_relation_of_a_connection_that_is_another_or_finds_nothing_in_python() -> None:
    connection = duckdb.connect()
    relation = connection.sql(f"SELECT {PUT} AS put, {AMONG} AS destinations")
    with duckdb.connect() as other:
        assert decision(decide(relation, connection=other)) == QM3
    connection.execute("SET python_enable_replacements = false")
    assert decision(decide(relation, connection=connection)) == QM3


NUMBERS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]


def ranked(kind: Any, *ranks: int) -> Any:
    destination = pa.struct([("queue_manager", pa.large_string()), ("channel_rank", kind), ("dest_seq_number", kind)])
    rows = [[{"queue_manager": "QM2"}, {"queue_manager": "QM3", "channel_rank": rank, "dest_seq_number": rank}]
            for rank in ranks]  # fmt: skip
    return pa.table({"put": [{"queue": "Q"}] * len(ranks), "destinations": pa.array(rows, pa.list_(destination))})


@pytest.mark.parametrize("kind", first(1, NUMBERS), ids=str)
def test_whole_numbers_of_any_width(kind: Any) -> None:
    found, wrong = decided(ranked(kind, 9, 10)).to_arrow_table()["decision"].to_pylist()
    assert found == QM3
    assert wrong["message"] == "destinations[1].channel_rank = 10; allowed: a whole number from 0 to 9"


def test_a_sequence_number_that_is_too_large() -> None:
    kind = pa.list_(pa.struct([("queue_manager", pa.string()), ("dest_seq_number", pa.uint64())]))
    among = pa.array([[{"queue_manager": "QM2", "dest_seq_number": 2**63}]], kind)
    found = decision(decided(pa.table({"put": PUTS, "destinations": among})))
    allowed = "allowed: a whole number from 0 to 9223372036854775807"
    assert found["message"] == f"destinations[0].dest_seq_number = 9223372036854775808; {allowed}"


@pytest.mark.parametrize(
    "kind", first(1, [pa.decimal128(38, 30), pa.int32(), pa.decimal128(10, 2), pa.float32()]), ids=str
)
def test_factors_that_are_no_doubles(kind: Any) -> None:
    destination = pa.struct([("queue_manager", pa.string()), ("dest_seq_factor", kind)])
    exact = [[Decimal(each) if pa.types.is_decimal(kind) else each for each in row] for row in ((20, 10), (1, -1))]
    rows = [[{"queue_manager": f"QM{at}", "dest_seq_factor": each} for at, each in enumerate(row, 2)] for row in exact]
    table = pa.table({"put": [{"queue": "Q"}] * 2, "destinations": pa.array(rows, pa.list_(destination))})
    found, wrong = decided(table).to_arrow_table()["decision"].to_pylist()
    assert found == QM3
    assert wrong["message"].partition(" = ")[0] == "destinations[1].dest_seq_factor"


def test_words_as_an_enum(connection: Any) -> None:
    kind = "ENUM('running', 'STOPPED')"
    states = [f"{{'queue_manager': 'QM{at}', 'channel_status': {word}::{kind}}}"
              for at, word in enumerate(("'STOPPED'", "'running'", "NULL"), 2)]  # fmt: skip
    table = connection.sql(f"SELECT {PUT} AS put, [{', '.join(states)}] AS destinations")
    assert decision(decide(table)) == QM3 | {"permitted": 2}


def test_names_of_our_own_are_refused() -> None:
    relation = duckdb.sql(f"SELECT {PUT} AS put, {AMONG} AS destinations, 7 AS __mqclause_invalid")
    with pytest.raises(
        TableError, match="column __mqclause_invalid: names that begin with __mqclause_ are used by mqclause itself"
    ):
        decide(relation)
