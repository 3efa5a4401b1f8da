"""Files of one folder that differ in their columns, or in a type, and what a batch makes of them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from mqclause.tools.errors import BatchError
from spec_tests.support.batch_files import batch

AMONG = "[{'queue_manager': 'QM1'%s}, {'queue_manager': 'QM2'%s}]"

FILES = {
    "a.parquet": ("{'queue': 'Q'}", AMONG % ("", ""), ""),
    "b.parquet": ("{'queue': 'Q', 'call': 'MQOPEN', 'bind': 'NOTFIXED'}", AMONG % (", 'channel_rank': 0", ", 'channel_rank': 5"), ", 7 AS extra"),
    "c.parquet": ("{'queue': 'Q'}", AMONG % (", 'channel_rank': 0::DOUBLE", ", 'channel_rank': 5::DOUBLE"), ", 8::TINYINT AS extra"),
}  # fmt: skip


def folder_of(path: Path, **more: str) -> Path:
    path.mkdir()
    for number, (name, (put, among, further)) in enumerate(FILES.items()):
        duckdb.sql(f"COPY (SELECT {number} AS id, {put} AS put, {among} AS destinations{further}) TO '{path / name}'")
    for name, text in more.items():
        duckdb.sql(f"COPY ({text}) TO '{path / name}.parquet'")
    return path


def check_union(out: Path, engine: str) -> None:
    """The rows of FILES, decided: the file a has no ranks, so that the first listed of two is taken."""
    source = folder_of(out.parent / f"in_{engine}")
    summary = batch(source, out, "--engine", engine, "--explain")
    assert (summary["status"], summary["rows"]) == (0, 3)
    rows = duckdb.read_parquet(str(out)).order("id").to_arrow_table().to_pylist()
    assert [each["decision"]["queue_manager"] for each in rows] == ["QM1", None, "QM2"]
    assert [each["decision"]["outcome"] for each in rows] == ["chosen", "deferred", "chosen"]
    assert [each["extra"] for each in rows] == [None, 7, 8]
    assert [each["put"]["call"] for each in rows] == [None, "MQOPEN", None]
    assert [each["destinations"][1]["channel_rank"] for each in rows] == [None, 5, 5]


def check_type(path: Path, engine: str) -> None:
    """A file of FILES' folder whose type cannot be is named."""
    wrong = "SELECT 9 AS id, {'queue': 'Q'} AS put, [{'queue_manager': 'QM1', 'channel_rank': '5'}] AS destinations"
    source = folder_of(path / f"typed_{engine}", d=wrong)
    with pytest.raises(
        BatchError, match=r"d\.parquet: column destinations\.channel_rank is a text; expected an integer"
    ):
        batch(source, path / "out.parquet", "--engine", engine)
