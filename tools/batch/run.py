# ruff: noqa: S608 (names and texts go into SQL quoted)
"""Run ``mqclause batch``: read, decide, write, and rename the output when it is complete.

A run holds the lock of its folder for as long as it lives, and whoever gets the lock of another knows that nobody is
there any more.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any, Literal

import duckdb
from attrs import asdict, evolve, field, frozen
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from mqclause.duckdb.table import QUERIED_TABLE, GivenTable, render_decisions
from mqclause.exits.process import NO_EXITS, Exits
from mqclause.model.diagnostics import escape_controls
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import REASON_NAMES
from mqclause.model.facts.objects import BINDINGS, Put
from mqclause.render.terminal import show_progress
from mqclause.rulebook.rules import Rules
from mqclause.tables.flat import Constant
from mqclause.tables.schema import DECISION, TableError
from mqclause.tools.batch.put_columns import AskedColumns, spell_put
from mqclause.tools.batch.tables import (
    FAULT,
    KEPT_COLUMN,
    LINE,
    TRUNCATION_ERRORS,
    FileKind,
    Table,
    build_decisions_query,
    cast_columns,
    describe_error,
    get_file_kind,
    get_first_line,
    has_one_schema,
    has_untyped,
    quote_sql_files,
    quote_sql_name,
    quote_sql_text,
    read_table,
    type_untyped,
)
from mqclause.tools.errors import BatchError, NotWrittenError
from mqclause.tools.output import print_json, print_warnings
from mqclause.workload.decision import Engine
from mqclause.workload.editions import EditionInForce, summarize_editions

_NESTED = ("struct", "list", "map", "array", "union", "variant")
"""The types of columns that CSV has as JSON."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What writing fails with where there is no room; libraries tell it in the words of the system."""

EngineName = Literal["duckdb", "spark"]

TERMINATED = 128 + signal.SIGTERM

LOCK = "mqclause.lock"
OLD = "old"
"""Where the folder has what OUT was, for the moment in which another one takes its place."""

PART = re.compile(r"part-|_|\.")
"""How the names of the files begin that Spark writes."""

OUTCOMES = ("chosen", "failed", "deferred", "invalid")
SHARES_SHOWN = 20
MESSAGES_SHOWN = 3
_BY_REASON = (
    "SELECT decision.outcome, decision.reason, decision.queue_manager, count(*) FROM ({}) AS d GROUP BY 1, 2, 3"
)
_BY_MESSAGE = (
    "SELECT decision.message, count(*) FROM ({}) AS d WHERE decision.outcome = 'invalid' "
    f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MESSAGES_SHOWN}"
)


@frozen
class Batch:
    """A run of batch: the files, the cluster where rows have no destinations, how to decide, the memory.

    There may be several clusters, by the local queue managers that the column ``at`` names. ``words`` say by field of a
    put where a flat table has it. ``shares`` and ``spread`` are as of mqclause.duckdb.decide. ``editions`` are those
    of MQ by which the local queue managers choose.
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
    editions: Sequence[EditionInForce] = ()

    @property
    def clusters(self) -> list[Cluster]:
        """The clusters; none where the rows have their destinations."""
        return [self.cluster] if isinstance(self.cluster, Cluster) else [*(self.cluster or {}).values()]

    @property
    def columns(self) -> AskedColumns:
        """The columns that the table must have."""
        structs = () if self.words else ("put", *(("destinations",) if self.cluster is None else ()))
        named = (tuple(filter(None, [each])) for each in (self.at, self.spread))
        return AskedColumns(structs, self.words, tuple(self.clusters), {}, *named)

    def asked(self, columns: Collection[str]) -> dict[str, Any]:
        """Return the arguments of decide besides a table of these columns. Raises TableError."""
        exits = None if self.cluster is None else self.exits.given
        return {
            **{name: getattr(self, name) for name in ("cluster", "rules", "explain", "at", "shares", "spread")},
            "exits": exits,
            "exit_limit": self.exits.limit,
            **spell_put(self.words, self.clusters, columns),
        }

    def find_binding_remarks(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Find what rules say of bindings, by local queue manager and binding: of most nothing."""
        engine, found = Engine(self.rules), dict[tuple[str, str], tuple[str, ...]]()
        for each in self.clusters:
            queue = next((queue.name for queue in each.queues if queue.clusters), "")
            for bind in BINDINGS if queue else ():
                if told := engine.choose(Put.as_written(queue, bind=bind), each).call_remarks:
                    found[each.queue_manager.name, bind] = told
        return found

    def render_bindings(self, columns: Collection[str]) -> str:
        """Render as SQL where a row of a table with these columns says its binding, and where it is put."""
        found = spell_put(self.words, self.clusters, columns).get("bind")
        here = quote_sql_name(self.at) if self.at else "NULL"
        if isinstance(found, Constant):
            return f"{quote_sql_text(str(found.value))}, {here}"
        return f"{quote_sql_name(found) if found else 'NULL' if self.words else 'put.bind'}, {here}"


def run_batch(batch: Batch, engine: EngineName, as_json: bool) -> int:
    """Decide every row and print the summary; returns 0, or 2 if a row is invalid.

    The output appears under its name when it is complete, and takes the place of what was there. Raises BatchError,
    ReadingError, and SystemExit when the process is asked to end.
    """
    with ExitStack() as stack:
        terminated = stack.enter_context(exit_on_sigterm())
        try:
            folder = stack.enter_context(create_folder_beside(batch.out))
            summary = (_with_duckdb if engine == "duckdb" else _with_spark)(batch, folder)
        except RuntimeError as error:
            # A signal that comes while DuckDB runs is "Query interrupted", whatever its handler raised.
            if terminated.is_set():
                raise SystemExit(TERMINATED) from None
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise BatchError(get_first_line(error)) from None
        except (TableError, OSError, UnicodeDecodeError, *TRUNCATION_ERRORS) as error:
            raise build_batch_error(batch.source.path, batch.out, error) from None
        remarks = tuple(_tell_bindings(batch, folder))
    print_summary(evolve(summary, editions=tuple(batch.editions), remarks=remarks), as_json)
    return 2 if summary.outcomes["invalid"] else 0


def _tell_bindings(batch: Batch, folder: Path) -> Iterator[str]:
    """What rules say of bindings that rows have, once for each local queue manager."""
    found = batch.find_binding_remarks()
    if not found:
        return
    with _connection(batch, folder) as connection:
        rows = read_table(connection, batch.source, batch.kind, batch.columns)
        rows.create_view(QUERIED_TABLE)
        try:
            query = f"SELECT DISTINCT {batch.render_bindings(rows.columns)} FROM {QUERIED_TABLE}"
            asked = connection.execute(query).fetchall()
        except duckdb.BinderException:
            return  # the struct has no binding
    given = {(str(bind).strip().upper(), at and str(at).rstrip(" ")) for bind, at in asked}
    for (name, bind), told in found.items():
        if not given.isdisjoint({(bind, None), (bind, name)}):
            yield from (f"from {name}: {remark}" for remark in told)


def check_output(source: Table, out: Path) -> FileKind:
    """Return the kind of file to be written; raises BatchError if it cannot stand there."""
    kind = get_file_kind(out)
    if not os.path.isdir(out.parent):
        raise BatchError(f"{out}: there is no folder {out.parent}")
    if out.resolve() == source.path.resolve() or source.path.resolve() in out.resolve().parents:
        raise BatchError(f"{out}: the output may not be the input or in its folder")
    if os.path.isdir(out) and not all(PART.match(each.name) and each.is_file() for each in out.iterdir()):
        raise BatchError(f"{out}: a folder that holds more than a table is there already")
    return kind


@contextmanager
def exit_on_sigterm() -> Iterator[Event]:
    """Have SIGTERM end the process like Ctrl-C does, so that nothing is left behind."""
    received = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        received.set()
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def interrupt_on_signals(connection: DuckDBPyConnection) -> Iterator[None]:
    """Have Ctrl-C and SIGTERM stop a query. DuckDB alone lets its threads go on until what they are at is done."""

    def stop(handler: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None) -> None:
        connection.interrupt()
        handler(number, frame)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number, handler in before.items():
        signal.signal(number, partial(stop, handler))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def create_folder_beside(out: Path) -> Iterator[Path]:
    """Create a folder of its own, on the same file system, that is gone in the end with all that is in it.

    What runs for the same OUT left that were killed is removed, which a line tells.
    """
    try:
        _remove_what_is_left(out)
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        lock = _hold(folder)
    except OSError as error:
        raise BatchError(f"{out.parent}: {(error.strerror or 'cannot be written').lower()}") from None
    try:
        yield folder
    finally:
        _remove(folder)
        if lock is not None:
            os.close(lock)


@frozen
class Summary:
    """Counts of what was decided by ``editions``: by outcome, by reason code, by queue manager chosen, by message.

    ``remarks`` are what rules say of all rows.
    """

    seconds: float
    outcomes: Mapping[str, int]
    reasons: Mapping[int, int] = field(factory=dict)
    queue_managers: Mapping[str, int] = field(factory=dict)
    messages: Mapping[str, int] = field(factory=dict)
    editions: tuple[EditionInForce, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(self.outcomes.values())

    @property
    def speed(self) -> int:
        """Decisions a second."""
        return round(self.rows / self.seconds) if self.seconds else 0


def summarize_decisions(connection: DuckDBPyConnection, made: Table, seconds: float) -> Summary:
    """Summarize the figures of the decisions in a table that was written."""
    decided = build_decisions_query(made)
    outcomes = dict.fromkeys(OUTCOMES, 0)
    reasons, hosts = Counter[int](), Counter[str]()
    for outcome, reason, host, count in connection.execute(_BY_REASON.format(decided)).fetchall():
        outcomes[outcome] += count
        if outcome == "failed":
            reasons[reason] += count
        elif outcome == "chosen":
            hosts[host or ""] += count
    rows = connection.execute(_BY_MESSAGE.format(decided)).fetchall() if outcomes["invalid"] else ()
    return Summary(seconds, outcomes, _by_count(reasons), _by_count(hosts), dict(rows))


def print_summary(summary: Summary, as_json: bool) -> None:
    """Print the summary as text or as one JSON object."""
    if as_json:
        print_json(_document(summary))
    else:
        sys.stdout.writelines(f"{escape_controls(line.rstrip())}\n" for line in _lines(summary))


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
        begun = time.perf_counter()
        rows = read_table(connection, batch.source, batch.kind, batch.columns)
        query = render_decisions(GivenTable(rows, connection), **batch.asked(rows.columns))
        # As a relation, and as a view, DuckDB would bind the whole query once more each.
        rows.create_view(QUERIED_TABLE)
        return _write(connection, batch, query, rows, folder, begun)


def _write(
    connection: DuckDBPyConnection, batch: Batch, query: str, rows: DuckDBPyRelation, folder: Path, begun: float
) -> Summary:
    """Writes what a query gives of the rows to one file, and puts that in place."""
    path = folder / batch.out.name
    columns = {name: of for name, of in zip(rows.columns, rows.types, strict=True) if name != "decision"}
    fields = [*DECISION, *(["shares"] if batch.shares else [])]
    statement = build_write_statement(query, columns, fields, path, batch.kind)
    with show_progress(lambda: connection.query_progress() / 100):
        connection.execute(statement).fetchall()
    seconds = time.perf_counter() - begun
    summary = summarize_decisions(connection, Table(path, batch.kind, (path,)), seconds)
    _put_in_place(path, batch.out)
    return summary


@contextmanager
def _connection(batch: Batch, folder: Path) -> Iterator[DuckDBPyConnection]:
    """A connection that keeps to the memory given and spills into ``folder``; its errors are BatchErrors."""
    # Rows may come in any order, and only then do they stream.
    config: dict[str, Any] = {
        "memory_limit": batch.memory,
        "temp_directory": str(folder / "spill"),
        "preserve_insertion_order": False,
    }
    try:
        with duckdb.connect(config=config) as connection, interrupt_on_signals(connection):
            connection.execute("SET enable_progress_bar = true").fetchall()
            connection.execute("SET enable_progress_bar_print = false").fetchall()
            yield connection
    except duckdb.OutOfMemoryException:
        said = f"{batch.memory} of memory are not enough; give more with --memory"
        raise BatchError(f"{batch.source.path}: {said}") from None
    except duckdb.Error as error:
        raise build_batch_error(batch.source.path, batch.out, error) from None


def _with_spark(batch: Batch, folder: Path) -> Summary:
    try:
        from mqclause import spark  # noqa: PLC0415 - optional, and slow to load
        from mqclause.spark import session as sessions  # noqa: PLC0415
    except ImportError:
        raise BatchError("Spark is not installed: pip install 'mqclause[spark]'") from None
    with sessions.open_quiet_session(batch.memory.removesuffix("B").lower()) as session:
        begun = time.perf_counter()
        parquet = batch.source.kind == batch.kind == "parquet"
        source = batch.source.path if _is_for_spark(batch, folder) else _as_parquet(batch, folder)
        parts = folder / "parts"
        try:
            with show_progress(lambda: sessions.measure_progress(session)):
                rows = sessions.read_parquet(session, source)
                spark.decide(rows, **batch.asked(rows.columns)).write.parquet(str(parts))
        except sessions.get_error_types() as error:
            raise build_batch_error(batch.source.path, batch.out, error) from None
        files = tuple(sorted(parts.glob("part-*")))
        if not parquet:
            with _connection(batch, folder) as connection:
                query = f"FROM read_parquet({quote_sql_files(files)})"
                return _write(connection, batch, query, connection.sql(query), folder, begun)
        seconds = time.perf_counter() - begun
    with _connection(batch, folder) as connection:
        # To count is quick work, for which Spark would have to plan and compile again.
        summary = summarize_decisions(connection, Table(parts, batch.kind, files), seconds)
    _put_in_place(files[0] if len(files) == 1 else parts, batch.out)
    return summary


def _is_for_spark(batch: Batch, folder: Path) -> bool:
    """Whether Spark reads the files as one table: it takes the columns of one of them for those of all."""
    if batch.source.kind != "parquet":
        return False
    with _connection(batch, folder) as connection:
        if len(batch.source.files) > 1 and not has_one_schema(connection, batch.source.files):
            return False
        return not has_untyped(connection, batch.source.files[0])


def _as_parquet(batch: Batch, folder: Path) -> Path:
    """The rows as one file of Parquet, which Spark then reads."""
    staged = folder / "staged.parquet"
    with _connection(batch, folder) as connection:
        rows = cast_columns(read_table(connection, batch.source, batch.kind, batch.columns), type_untyped)
        rows.write_parquet(str(staged), row_group_size=20_480)
    return staged


try:
    import fcntl
except ImportError:  # Windows has none: nothing is known of other runs there, and nothing is removed.
    fcntl = None  # type: ignore[assignment]


def _hold(folder: Path) -> int | None:
    """The lock of the folder, which is held before it can be seen; None where there are no locks."""
    if fcntl is None:
        return None
    begun = folder / f"{LOCK}.begun"
    lock = os.open(begun, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    with suppress(OSError):  # A file system that knows no locks tells nobody that the run has ended.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        begun.rename(folder / LOCK)
    return lock


def _remove_what_is_left(out: Path) -> None:
    """Removes the folders of runs for ``out`` that are no more, and puts back what one of them had put aside."""
    form = re.compile(rf"\.{re.escape(out.name)}\.[a-z0-9_]{{8}}")
    removed, back = [], False
    for folder in sorted(each for each in out.parent.iterdir() if form.fullmatch(each.name)):
        with _without_owner(folder) as is_left:
            if is_left:
                back = _put_back(folder / OLD, out) or back
                _remove(folder)
                removed.append(folder)
    if removed:
        names = ", ".join(each.name for each in removed)
        still = "" if not any(each.exists() for each in removed) else "; some of it cannot be removed"
        was = "; what was there before is back" if back else ""
        print_warnings((), [f"{out}: what a run that was killed had left beside it is removed: {names}{was}{still}"])


@contextmanager
def _without_owner(folder: Path) -> Iterator[bool]:
    """Whether a folder is one of a run that is no more; in the body nobody else can take it for one."""
    lock = None
    try:
        is_left = False
        with suppress(OSError):
            is_ours = stat.S_ISDIR(folder.lstat().st_mode) and stat.S_ISREG((folder / LOCK).lstat().st_mode)
            if fcntl is not None and is_ours:
                lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Somebody else may have removed it before.
                is_left = os.path.samestat(os.fstat(lock), (folder / LOCK).lstat())
        yield is_left
    finally:
        if lock is not None:
            os.close(lock)


def _put_back(old: Path, out: Path) -> bool:
    """Has what was put aside under its name again, if nothing has that. A run may end in this very moment."""
    with suppress(OSError):
        if old.is_symlink() or os.path.lexists(out):
            return False
        if old.is_dir():
            old.rename(out)  # which fails where a folder has come that is not empty, or a file
        else:
            os.link(old, out)
        return True
    return False


def _remove(folder: Path) -> None:
    """Removes a folder, its lock last: what cannot be removed now is told, and removed, by the next run."""
    with suppress(OSError):
        for each in folder.iterdir():
            if each.name == LOCK:
                continue
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
        if all(each.name == LOCK for each in folder.iterdir()):
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()


def _by_count(counts: Mapping[Any, int]) -> dict[Any, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))


BATCH_FORMAT = "mqclause.batch/1"


def _document(summary: Summary) -> dict[str, Any]:
    return {
        "format": BATCH_FORMAT,
        "rows": summary.rows,
        "seconds": round(summary.seconds, 3),
        "decisions_per_second": summary.speed,
        "outcomes": dict(summary.outcomes),
        "reasons": [{"name": REASON_NAMES.get(code), "code": code, "count": n} for code, n in summary.reasons.items()],
        "queue_managers": dict(summary.queue_managers),
        "messages": [{"message": message, "count": count} for message, count in summary.messages.items()],
        "editions": [asdict(each) for each in summary.editions],
        "remarks": [*summarize_editions(summary.editions), *summary.remarks],
    }


def _lines(summary: Summary) -> Iterator[str]:
    """The summary for a person."""
    rows = "1 row" if summary.rows == 1 else f"{summary.rows:,} rows"
    speed = f": {summary.speed:,} decisions a second" if summary.speed else ""
    yield f"{rows} in {summary.seconds:,.1f} s{speed}"
    yield from summarize_editions(summary.editions)
    yield from summary.remarks
    yield from _shares({name: count for name, count in summary.outcomes.items() if count}, summary.rows)
    if summary.reasons:
        yield "failed with"
        named = {f"{REASON_NAMES.get(code, '')} ({code})": count for code, count in summary.reasons.items()}
        yield from _shares(named, summary.rows)
    if summary.queue_managers:
        yield "chosen"
        shown = {name or "(blank)": n for name, n in list(summary.queue_managers.items())[:SHARES_SHOWN]}
        yield from _shares(shown, summary.outcomes["chosen"])
        if len(summary.queue_managers) > SHARES_SHOWN:
            yield f"  and {len(summary.queue_managers) - SHARES_SHOWN:,} more"
    if summary.messages:
        yield "invalid, most often"
        yield from (f"{count:>14,}           {message}" for message, count in summary.messages.items())


def _shares(counts: Mapping[str, int], of: int) -> Iterator[str]:
    for name, count in counts.items():
        yield f"{count:>14,}  {count / of:7.2%}  {name}"


def build_write_statement(
    query: str, columns: Mapping[str, Any], fields: Iterable[str], path: Path, kind: FileKind
) -> str:
    """Build the statement that writes decided rows to ``path``.

    They are those of a query with ``columns`` of these types, and the column ``decision``, which has these ``fields``.
    """
    kinds = [*columns, "decision"]
    kept = [name for name in kinds if name.startswith(KEPT_COLUMN.format(""))]
    values = {name: quote_sql_name(name) for name in kinds if name not in kept}
    values["decision"] = decision = _decision(fields) if FAULT in kept else "decision"
    if kind == "csv":
        nested = {"decision", *(name for name, of in columns.items() if of.id in _NESTED)}
        values |= {name: f"to_json({value})::VARCHAR" for name, value in values.items() if name in nested}
        values |= {name: KEPT_COLUMN.format(name) for name in values if KEPT_COLUMN.format(name) in kept}
    if LINE in kept and kind == "jsonl":
        # As read, a line has no space at its ends.
        head = f"CASE WHEN starts_with({LINE}, '{{') THEN left({LINE}, -1) END"
        comma = f"CASE WHEN strlen({LINE}) < 99 AND regexp_full_match({LINE}, '\\{{\\s*\\}}') THEN '' ELSE ', ' END"
        values = {"line": f"concat(coalesce(({head}) || ({comma}), '{{'), '\"decision\":', to_json({decision}), '}}')"}
    written = ", ".join(f"{value} AS {quote_sql_name(name)}" for name, value in values.items())
    form = _format(kind, LINE in kept, path.name.endswith(".gz"))
    return f"COPY (SELECT {written} FROM ({query}) AS d) TO {quote_sql_text(str(path))} ({form})"


def build_batch_error(source: Path, out: Path, error: BaseException) -> BatchError:
    """Build an error of a library or of the disk: what cannot be written to ``out`` is told from bad input."""
    for full in map(os.strerror, NO_ROOM):
        if full in str(error):
            return NotWrittenError(f"{out}: {full.lower()}")
    return BatchError(f"{source}: {describe_error(source, error)}")


def _decision(names: Iterable[str]) -> str:
    """The decision, which for a row with a value of the wrong type is that it is invalid."""
    given = {"outcome": "'invalid'", "message": FAULT}
    fields = ", ".join(f"{quote_sql_text(name)}: {given.get(name, 'NULL')}" for name in names)
    return f"CASE WHEN {FAULT} IS NULL THEN decision ELSE {{{fields}}} END"


def _format(kind: FileKind, lines: bool, zipped: bool) -> str:
    compression = ", COMPRESSION gzip" if zipped else ""
    if kind == "parquet":
        return "FORMAT parquet, COMPRESSION zstd"
    if kind == "csv":
        return f"FORMAT csv, HEADER true{compression}"
    raw = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x1f'"
    return f"{raw if lines else 'FORMAT json'}{compression}"
