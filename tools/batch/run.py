"""A run of ``mqclause batch``: the table is read, decided and written, and comes under its name when it is complete."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from mqclause.exits.session import NO_EXITS, Exits
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables.columns import TableError
from mqclause.tools.batch.asked import AskedColumns, PutColumns
from mqclause.tools.batch.beside import OLD, folder_beside
from mqclause.tools.batch.checks import has_untyped, is_one_schema, with_types
from mqclause.tools.batch.csv_rows import NOT_WHOLE
from mqclause.tools.batch.faults import failed, first_line
from mqclause.tools.batch.files import FileKind, Table, decisions, file_kind, read_table, written
from mqclause.tools.batch.signals import TERMINATED, ended_by_sigterm, stopped_by_signals
from mqclause.tools.errors import BatchError
from mqclause.tools.render.progress import progress
from mqclause.tools.render.summary import Summary, print_summary, summarised

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame, SparkSession

EngineName = Literal["duckdb", "spark"]


@frozen
class Batch:
    """What is asked for: the files, the cluster where the rows have no destinations, how to decide, the memory.

    There may be several clusters, by the local queue managers that the column ``at`` names. ``words`` say by field of a
    put where a flat table has it. ``shares`` and ``spread`` are as of mqclause.duckdb.decide.
    """

    source: Table
    out: Path
    kind: FileKind
    cluster: Cluster | Mapping[str, Cluster] | None
    rules: Rules
    explain: bool
    memory: str
    at: str | None = None
    exits: Exits = NO_EXITS
    words: Mapping[str, str] = field(factory=dict)
    shares: bool = False
    spread: str | None = None

    @property
    def columns(self) -> AskedColumns:
        """The columns that the table must have."""
        structs = () if self._flat else ("put", *(("destinations",) if self.cluster is None else ()))
        named = (tuple(filter(None, [each])) for each in (self.at, self.spread))
        return AskedColumns(structs, self._flat, {}, *named)

    @property
    def _flat(self) -> PutColumns | None:
        clusters = [self.cluster] if isinstance(self.cluster, Cluster) else (self.cluster or {}).values()
        return PutColumns(self.words, tuple(clusters)) if self.words else None

    def asked(self, columns: Collection[str]) -> dict[str, Any]:
        """What decide is asked besides a table of these columns. Raises TableError."""
        asked = {"rules": self.rules, "explain": self.explain, "shares": self.shares, "spread": self.spread}
        if self.cluster is None:
            return asked
        known = {"cluster": self.cluster, "at": self.at, "exits": self.exits.given, "exit_limit": self.exits.limit}
        return {**asked, **known, **(self._flat.among(columns) if self._flat else {})}


def batch_files(batch: Batch, engine: EngineName, as_json: bool) -> int:
    """Decides every row and prints the summary; returns 0, or 2 if a row is invalid.

    The output appears under its name when it is complete, and takes the place of what was there. Raises BatchError,
    ReadingError, and SystemExit when the process is asked to end.
    """
    with ExitStack() as stack:
        terminated = stack.enter_context(ended_by_sigterm())
        try:
            folder = stack.enter_context(folder_beside(batch.out))
            summary = (_with_duckdb if engine == "duckdb" else _with_spark)(batch, folder)
        except RuntimeError as error:
            # A signal that comes while DuckDB runs is "Query interrupted", whatever its handler raised.
            if terminated.is_set():
                raise SystemExit(TERMINATED) from None
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise BatchError(first_line(error)) from None
        except (TableError, OSError, UnicodeDecodeError, *NOT_WHOLE) as error:
            raise failed(batch.source.path, batch.out, error) from None
    print_summary(summary, as_json)
    return 2 if summary.outcomes["invalid"] else 0


def check_out(source: Table, out: Path) -> FileKind:
    """What kind of file is to be written; raises BatchError if it cannot stand there."""
    kind = file_kind(out)
    if not os.path.isdir(out.parent):
        raise BatchError(f"{out}: there is no folder {out.parent}")
    if out.resolve() == source.path.resolve() or source.path.resolve() in out.resolve().parents:
        raise BatchError(f"{out}: the output may not be the input or in its folder")
    if os.path.isdir(out) and not _is_spark_output(out):
        raise BatchError(f"{out}: a folder that holds more than a table is there already")
    return kind


def _is_spark_output(folder: Path) -> bool:
    return all(re.match(r"part-|_|\.", each.name) and each.is_file() for each in folder.iterdir())


def _put_in_place(made: Path, out: Path) -> None:
    """Renames; what was there is out of the way for a moment only if it is, or is to be, a folder."""
    if out.exists() and (out.is_dir() or made.is_dir()):
        old = made.parent / OLD
        out.rename(old)
        try:
            made.rename(out)
        except BaseException:
            old.rename(out)
            raise
    else:
        made.replace(out)


def _with_duckdb(batch: Batch, folder: Path) -> Summary:
    with _connection(batch, folder) as connection:
        from mqclause.duckdb import decide

        begun = time.perf_counter()
        rows = read_table(connection, batch.source, batch.kind, batch.columns)
        decided = decide(rows, connection=connection, **batch.asked(rows.columns))
        made = _write(connection, batch, written(decided, folder / batch.out.name, batch.kind), folder)
        seconds = time.perf_counter() - begun
        summary = summarised(decisions(made), lambda query: connection.execute(query).fetchall(), seconds)
        _put_in_place(made.path, batch.out)
    return summary


def _write(connection: DuckDBPyConnection, batch: Batch, statement: str, folder: Path) -> Table:
    path = folder / batch.out.name
    with progress(lambda: connection.query_progress() / 100):
        connection.execute(statement).fetchall()
    return Table(path, batch.kind, (path,))


@contextmanager
def _connection(batch: Batch, folder: Path) -> Iterator[DuckDBPyConnection]:
    """A connection that keeps to the memory given and spills into ``folder``; its errors are BatchErrors."""
    try:
        import duckdb
    except ImportError:
        raise BatchError("DuckDB is not installed: pip install duckdb") from None
    # Rows may come in any order, and only then do they stream.
    config: dict[str, Any] = {
        "memory_limit": batch.memory,
        "temp_directory": str(folder / "spill"),
        "preserve_insertion_order": False,
    }
    try:
        with duckdb.connect(config=config) as connection, stopped_by_signals(connection):
            connection.execute("SET enable_progress_bar = true").fetchall()
            connection.execute("SET enable_progress_bar_print = false").fetchall()
            yield connection
    except duckdb.OutOfMemoryException:
        said = f"{batch.memory} of memory are not enough; give more with --memory"
        raise BatchError(f"{batch.source.path}: {said}") from None
    except duckdb.Error as error:
        raise failed(batch.source.path, batch.out, error) from None


def _with_spark(batch: Batch, folder: Path) -> Summary:
    with _session(batch.memory) as session:
        begun = time.perf_counter()
        parquet = batch.source.kind == batch.kind == "parquet"
        source = batch.source.path if _is_for_spark(batch, folder) else _as_parquet(batch, folder)
        parts = folder / "parts"
        with _spark_errors(batch), progress(lambda: _done(session)):
            _decided_by_spark(session, batch, source).write.parquet(str(parts))
        if not parquet:
            return _from_parts(batch, folder, parts, begun)
        seconds = time.perf_counter() - begun
    files = tuple(sorted(parts.glob("part-*")))
    made = decisions(Table(parts, batch.kind, files))
    with _connection(batch, folder) as connection:
        # To count is quick work, for which Spark would have to plan and compile again.
        summary = summarised(made, lambda query: connection.execute(query).fetchall(), seconds)
    _put_in_place(files[0] if len(files) == 1 else parts, batch.out)
    return summary


@contextmanager
def _session(memory: str) -> Iterator[SparkSession]:
    """The session that there is, or one of our own; that is stopped where the body is cut short, before cleaning up."""
    try:
        from pyspark.sql import SparkSession

        from mqclause.spark.session import local_session
    except ImportError:
        raise BatchError("Spark is not installed: pip install 'mqclause[spark]'") from None
    session = SparkSession.getActiveSession()
    if session is not None:
        yield session
        return
    session = local_session(memory=memory.removesuffix("B").lower())
    # What fails is said in one line; Spark's logs would put pages before it.
    session.sparkContext.setLogLevel("OFF")
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield session
    except (KeyboardInterrupt, SystemExit):
        session.stop()
        raise


def _decided_by_spark(session: SparkSession, batch: Batch, source: Path) -> DataFrame:
    from mqclause.spark import decide

    rows = session.read.parquet(_no_pattern(source))
    return decide(rows, **batch.asked(rows.columns))


def _no_pattern(path: Path) -> str:
    """The path as Spark's readers take it."""
    return re.sub(r"([][{}*?\\])", r"\\\1", str(path.absolute()))


def _done(session: SparkSession) -> float:
    """The part of the running stage's tasks that is done."""
    tracker = session.sparkContext.statusTracker()
    for stage in tracker.getActiveStageIds():
        if info := tracker.getStageInfo(stage):
            return float(info.numCompletedTasks / max(info.numTasks, 1))
    return 0.0


@contextmanager
def _spark_errors(batch: Batch) -> Iterator[None]:
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise failed(batch.source.path, batch.out, error) from None


def _is_for_spark(batch: Batch, folder: Path) -> bool:
    """Whether Spark reads the files as one table: it takes the columns of one of them for those of all."""
    if batch.source.kind != "parquet":
        return False
    with _connection(batch, folder) as connection:
        if len(batch.source.files) > 1 and not is_one_schema(connection, batch.source.files):
            return False
        return not has_untyped(connection, batch.source.files[0])


def _as_parquet(batch: Batch, folder: Path) -> Path:
    """The rows as one file of Parquet, which Spark then reads."""
    staged = folder / "staged.parquet"
    with _connection(batch, folder) as connection:
        rows = with_types(read_table(connection, batch.source, batch.kind, batch.columns))
        rows.write_parquet(str(staged), row_group_size=20_480)
    return staged


def _from_parts(batch: Batch, folder: Path, parts: Path, begun: float) -> Summary:
    """One file of the kind asked for, from what Spark wrote."""
    with _connection(batch, folder) as connection:
        decided = connection.read_parquet([str(part) for part in sorted(parts.glob("part-*"))])
        made = _write(connection, batch, written(decided, folder / batch.out.name, batch.kind), folder)
        seconds = time.perf_counter() - begun
        summary = summarised(decisions(made), lambda query: connection.execute(query).fetchall(), seconds)
    _put_in_place(made.path, batch.out)
    return summary
