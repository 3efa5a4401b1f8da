"""Tables of puts decided by DuckDB and by Spark, against a scan that only reads and sums every field.

    python tools/bench/tables.py                            # two million rows with six destinations each
    python tools/bench/tables.py --only duckdb --rows 500000
    python tools/bench/tables.py --growth                   # DuckDB: time per row and peak memory, 1 to 50 million
    python tools/bench/tables.py --cluster                  # 50 million puts joined with a cluster of 200 queues

Needs ``pip install .[bench]``. The Parquet file is made in a temporary folder, always the same by seed; --file makes
it in a place of its own and uses it again. Every way runs once to warm up, then --runs times in turns; the best time
counts. Making a query is not timed with it and has a column of its own; the two UDFs run on the first --sample rows.
A decision is taken whole: DuckDB sums every field of it, Spark writes it to "noop". A scan's list form sums inside
the lists as the decision has to; the flat form is the fastest way to read everything.
"""
# ruff: noqa: S608 - the queries are made of the names of columns

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow.parquet as pq
from table_data import cluster, fields_of, first_rows, queried, scan_sql, whole_sum, write_puts, write_table

from mqclause import duckdb as by_duckdb
from mqclause.tables.row import Rows

ENGINES = ("duckdb", "spark", "udf")
COMPARED, PART = 20_000, 1_000_000
LIST, FLAT = "scan, list", "scan, flat"


@dataclass(frozen=True)
class Way:
    """A way to go through ``rows`` rows; it is compared with the scans of the engine ``scanned``."""

    engine: str
    label: str
    rows: int
    make: Callable[[], Callable[[], Any]]
    scanned: str


def duckdb_ways(path: Path, rows: int, **given: Any) -> list[Way]:
    """Return the scans and decisions by DuckDB; ``given`` is what decide is given besides the table."""
    connection = duckdb.connect()
    put, listed = fields_of(path)

    def scan(flat: bool) -> Callable[[], Any]:
        query = scan_sql("duckdb", put, listed, flat)
        return lambda: queried(connection.read_parquet(str(path)), "puts", query).fetchall()

    def decide(explain: bool) -> Callable[[], Any]:
        found = by_duckdb.decide(connection.read_parquet(str(path)), explain=explain, **given)
        query = queried(found, "decided", f"SELECT {whole_sum()} FROM decided").sql_query()
        return lambda: connection.execute(query).fetchall()

    way = partial(Way, "duckdb", rows=rows, scanned="duckdb")
    scans = [way(LIST, make=lambda: scan(False)), way(FLAT, make=lambda: scan(True))]
    decided = [way("decide", make=lambda: decide(False)), way("decide, explain", make=lambda: decide(True))]
    return (scans if listed else scans[:1]) + decided


def noop(df: Any) -> Callable[[], Any]:
    return lambda: df.write.format("noop").mode("overwrite").save()


def spark_ways(spark: Any, path: Path, rows: int, **given: Any) -> list[Way]:
    """Return the scans and decisions by Spark; ``given`` is what decide is given besides the table."""
    from mqclause.spark import decide

    df = spark.read.parquet(str(path))
    put, listed = fields_of(path)

    def scan(flat: bool) -> Callable[[], Any]:
        query = scan_sql("spark", put, listed, flat)
        return lambda: spark.sql(query.replace("FROM puts", "FROM {puts}"), puts=df).collect()

    def decided(explain: bool) -> Callable[[], Any]:
        return noop(decide(df, explain=explain, **given).select("decision"))

    way = partial(Way, "spark", rows=rows, scanned="spark")
    scans = [way(LIST, make=lambda: scan(False)), way(FLAT, make=lambda: scan(True))]
    native = [way("decide", make=lambda: decided(False)), way("decide, explain", make=lambda: decided(True))]
    return (scans if listed else scans[:1]) + native


def udf_ways(spark: Any, path: Path, rows: int) -> list[Way]:
    """Return the decisions by functions of Python."""
    from mqclause.spark import choose_destination_udf

    df = spark.read.parquet(str(path))

    def decided(function: Callable[[], Any]) -> Callable[[], Any]:
        return noop(df.select(function()("put", "destinations")))

    made = {"Arrow UDF": choose_destination_udf, "plain UDF": plain_udf}
    return [Way("udf", label, rows, partial(decided, function), "spark") for label, function in made.items()]


def plain_udf() -> Any:
    """Build what one writes without Arrow: a function of one row."""
    from pyspark.sql.functions import udf

    from mqclause.rulebook.rules import Rules
    from mqclause.spark.table import DECISION_TYPE, get_row_decider

    rules = Rules()

    def decide(put: Any, destinations: Any) -> Any:
        return get_row_decider(rules).decision(put.asDict(), [each.asDict() for each in destinations])

    return udf(decide, DECISION_TYPE, useArrow=False)


def measure(ways: Sequence[Way], runs: int) -> dict[Way, tuple[float, float]]:
    """Measure the seconds to make each way's query, and those of its best run after one to warm up, in turns."""
    made, took, run = {}, dict.fromkeys(ways, float("inf")), {}
    for way in ways:
        began = time.perf_counter()
        run[way] = way.make()
        made[way] = time.perf_counter() - began
    for number in range(runs + 1):
        for way in ways:
            began = time.perf_counter()
            run[way]()
            if number:
                took[way] = min(took[way], time.perf_counter() - began)
    return {way: (made[way], took[way]) for way in ways}


def show(times: Mapping[Way, tuple[float, float]]) -> None:
    """Print rates as shares of the engine's own scans and as multiples of the plain UDF's."""
    rate = {(way.engine, way.label): way.rows / took for way, (_, took) in times.items()}

    def per(way: Way, other: tuple[str, str], form: str) -> str:
        return form.format(rate[way.engine, way.label] / rate[other]) if other in rate else ""

    heads = ("rows", "made, s", "seconds", "rows/s", "of list scan", "of flat scan", "plain UDF")
    print(f"\n{'':24}" + "".join(f"{head:>13}" for head in heads))
    for way, (made, took) in times.items():
        cells = (
            f"{way.rows:,}", f"{made:.2f}", f"{took:.2f}", f"{rate[way.engine, way.label]:,.0f}",
            per(way, (way.scanned, LIST), "{:.1%}"), per(way, (way.scanned, FLAT), "{:.1%}"),
            per(way, ("udf", "plain UDF"), "{:.1f} x"),
        )  # fmt: skip
        print(f"{way.engine + ': ' + way.label:24}" + "".join(f"{cell:>13}" for cell in cells))


def answers(path: Path, spark: Any, engines: Sequence[str], **given: Any) -> dict[str, list[Any]]:
    """Return the explained decisions about a file's rows by each engine."""
    found = {}
    if "duckdb" in engines:
        decided = by_duckdb.decide(path, explain=True, **given)
        query = "SELECT decision FROM decided ORDER BY id"
        found["DuckDB"] = [row[0] for row in queried(decided, "decided", query).fetchall()]
    if spark is None:
        return found
    from mqclause import spark as by_spark

    df = spark.read.parquet(str(path))
    tables = {}
    if "spark" in engines:
        tables["Spark"] = by_spark.decide(df, explain=True, **given)
    if "udf" in engines:
        decision = by_spark.choose_destination_udf(explain=True)("put", "destinations")
        tables["Arrow UDF"] = df.select("id", decision.alias("decision"))
    for name, table in tables.items():
        collected = table.select("id", "decision").orderBy("id").collect()
        found[name] = [row.decision.asDict(recursive=True) for row in collected]
    return found


def compare(found: Mapping[str, list[Any]], expected: list[Any], by: str) -> int:
    """Count how many answers differ in any field, and print it by engine."""
    outcomes = Counter(f"{each['outcome']} {each['reason'] or ''}".strip() for each in expected)
    print("outcomes:", ", ".join(f"{name} {count:,}" for name, count in sorted(outcomes.items())))
    total = 0
    for name, decisions in found.items():
        different = sum(one != other for one, other in zip(decisions, expected, strict=True))
        print(
            f"{name} and {by}: {len(expected) - different:,} answers the same in every field, {different:,} different"
        )
        total += different
    return total


def by_row(path: Path) -> list[dict[str, Any]]:
    """Return the decisions about a file's rows by Rows. Print in how many rows each rule moved a destination."""
    explained = Rows().explained
    found = [explained(row["put"], row["destinations"]) for row in pq.read_table(path).to_pylist()]
    moved: Counter[str] = Counter()
    for decision in found:
        steps = decision.pop("steps")
        moved.update(step["rule"] for step in steps if step.get("eliminated") or step.get("taken_back"))
    rules = ", ".join(f"{rule} {count:,}" for rule, count in sorted(moved.items()))
    print(f"\nof {len(found):,} rows, those in which a rule moved a destination: {rules}")
    return found


def session(folder: Path) -> Any:
    from mqclause.spark import local_session

    return local_session(memory="6g", config={"spark.sql.warehouse.dir": str(folder / "warehouse")})


def main_table(given: argparse.Namespace, folder: Path) -> int:
    """Measure every way on one table, then compare their answers."""
    path, sample, compared = given.file or folder / "puts.parquet", folder / "sample.parquet", folder / "few.parquet"
    if not path.exists():
        write_table(path, given.rows or 2_000_000, optional=not given.required)
    rows = pq.read_metadata(path).num_rows
    few = first_rows(path, sample, given.sample, groups=8)
    first_rows(path, compared, COMPARED, groups=8)
    spark = session(folder) if {"spark", "udf"} & set(given.only) else None
    ways = duckdb_ways(path, rows) if "duckdb" in given.only else []
    ways += spark_ways(spark, path, rows) if "spark" in given.only else []
    ways += udf_ways(spark, sample, few) if "udf" in given.only else []
    show(measure(ways, given.runs))
    return compare(answers(compared, spark, given.only), by_row(compared), "Rows")


def main_cluster(given: argparse.Namespace, folder: Path) -> int:
    """Measure puts that a cluster is given for: decide against the scan of the puts."""
    path, compared = given.file or folder / "puts.parquet", folder / "few.parquet"
    if not path.exists():
        write_puts(path, given.rows or 50_000_000)
    rows = pq.read_metadata(path).num_rows
    first_rows(path, compared, COMPARED, groups=8)
    known = cluster()
    spark = session(folder) if "spark" in given.only else None
    ways = duckdb_ways(path, rows, cluster=known) if "duckdb" in given.only else []
    ways += spark_ways(spark, path, rows, cluster=known) if "spark" in given.only else []
    show(measure(ways, given.runs))
    print(f"\n{len(duckdb.read_parquet(str(path)).unique('put')):,} distinct puts")
    found = answers(compared, spark, [name for name in given.only if name != "udf"], cluster=known)
    by, expected = found.popitem() if found else ("", [])
    return compare(found, expected, by)


def grown(paths: Sequence[Path]) -> tuple[float, float]:
    """Measure in a process of its own the seconds that DuckDB takes to decide the files, and the peak memory in MB."""
    connection = duckdb.connect(config={"memory_limit": "4GB", "threads": 2})
    began = time.perf_counter()
    decided = by_duckdb.decide(connection.read_parquet([str(path) for path in paths]))
    queried(decided, "decided", f"SELECT {whole_sum()} FROM decided").fetchall()
    return time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main_growth(given: argparse.Namespace, folder: Path) -> int:
    """Have each size decided by a process of its own; others make the files, so that this one stays small."""
    part = given.rows or PART
    most = max(given.sizes)
    paths = [folder / f"puts-{number:03}.parquet" for number in range(most)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        made = [pool.submit(write_table, path, part, n * part, not given.required) for n, path in enumerate(paths)]
        for each in made:
            each.result()
    print(f"{'rows':>12}{'seconds':>10}{'µs/row':>10}{'peak, MB':>10}{'file, MB':>10}")
    for size in given.sizes:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            took, peak = pool.submit(grown, paths[:size]).result()
        file = sum(path.stat().st_size for path in paths[:size]) / 2**20
        rows = size * part
        print(f"{rows:12,}{took:10.1f}{took / rows * 1e6:10.2f}{peak:10,.0f}{file:10,.0f}", flush=True)
    return 0


def main() -> int:
    """Exit status 1 when an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, help="default 2 million, with --cluster 50 million, of a part 1 million")
    parser.add_argument("--file", type=Path, help="made when it is not there")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(ENGINES), help="duckdb,spark,udf")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sample", type=int, default=100_000, help="rows for the UDFs")
    parser.add_argument("--required", action="store_true", help="without the optional columns")
    parser.add_argument("--growth", action="store_true", help="sizes in parts of a million rows: see --sizes")
    parser.add_argument("--sizes", type=lambda text: [int(each) for each in text.split(",")], default=[1, 5, 20, 50])
    parser.add_argument("--cluster", action="store_true")
    given = parser.parse_args()
    run = main_growth if given.growth else main_cluster if given.cluster else main_table
    with TemporaryDirectory(prefix="mqclause-tables-") as folder:
        return int(run(given, Path(folder)) > 0)


if __name__ == "__main__":
    sys.exit(main())
