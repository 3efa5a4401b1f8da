"""Tables for ``mqclause batch``: rows in files of every format, and the command run over them."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
from click.testing import CliRunner

from mqclause.tools.cli import command_line

ENTRY = [sys.executable, "-c", "from mqclause.tools.cli import main; main()", "batch"]

Row = dict[str, Any]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENTRY, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)


def batch(*arguments: object) -> Row:
    """The summary of a run in this process, with its exit status."""
    result = CliRunner().invoke(command_line, ["batch", *map(str, arguments), "--json"], standalone_mode=False)
    if result.exception:
        raise result.exception
    return {**json.loads(result.stdout), "status": result.return_value}


def destination(host: str, rank: object = 0, **more: Any) -> Row:
    return {
        "queue": "Q", "queue_manager": host, "channel": f"TO.{host}", "cluster": "S", "channel_status": "RUNNING",
        "put_enabled": True, "channel_rank": rank, **more,
    }  # fmt: skip


def row(number: int, **more: Any) -> Row:
    """QM2 has the higher rank where the number is even, else QM3."""
    hosts = [destination("QM2", 1 - number % 2), destination("QM3", number % 2)]
    return {"id": f"{number:03}", "note": f'n, "{number}"', "put": {"queue": "Q"}, "destinations": hosts, **more}


def written(path: Path, rows: list[Row]) -> Path:
    """The rows in a file of the kind that its name says."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    if path.suffix == ".parquet":
        duckdb.read_json(str(written(path.with_suffix(".jsonl"), rows))).write_parquet(str(path))
        path.with_suffix(".jsonl").unlink()
    elif ".csv" in path.name:
        with opened(path, "wt", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            cells = [{k: v if isinstance(v, str) else json.dumps(v) for k, v in each.items()} for each in rows]
            table.writerows(cells)
    else:
        with opened(path, "wt") as file:
            file.writelines(json.dumps(each) + "\n" for each in rows)
    return path


def read(path: Path) -> list[Row]:
    """The rows of a file, by their number."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    rows: list[Row]
    if path.suffix == ".parquet" or path.is_dir():
        found = duckdb.read_parquet(str(path / "*.parquet") if path.is_dir() else str(path))
        rows = [dict(zip(found.columns, values, strict=True)) for values in found.fetchall()]
    elif ".csv" in path.name:
        with opened(path, "rt", newline="") as file:
            rows = [
                {k: json.loads(v) if v[:1] in "{[" and v else v for k, v in r.items()} for r in csv.DictReader(file)
            ]
    else:
        with opened(path, "rt") as file:
            rows = [json.loads(line) for line in file]
    return sorted(rows, key=lambda each: str(each.get("id")))
