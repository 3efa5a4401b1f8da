"""``mqclause explain`` as tests run it: in a process of its own, or in this one."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from mqclause.tools.commands.explain import command

EXAMPLE = str(files("mqclause.tools") / "examples" / "orders.toml")
SCHEMA = json.loads((files("mqclause.trace") / "trace.schema.json").read_text())

MEMBER = """
* Queue manager name: {name}
ALTER QMGR CLWLUSEQ({useq})
DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(C) CLWLRANK({rank})
DEFINE QLOCAL(WORK) CLUSTER(C)
"""
"""A script of a member that has the queue WORK, to be formatted with its name, CLWLUSEQ and CLWLRANK."""


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", "from mqclause.tools.cli import main; main()", *arguments],
        input=stdin,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def asked(*arguments: str) -> tuple[int, str]:
    """The status and the output of a run in this process."""
    done = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.stdout


def facts(**tables: Any) -> dict[str, Any]:
    """QM1 puts to Q; QM2 and QM3 have it."""
    return {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}, {"name": "QM3", "clusters": ["S"]}],
        "queue": [{"name": "Q", "queue_manager": host, "clusters": ["S"]} for host in ("QM2", "QM3")],
        "channel": [
            {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S", "clwlrank": 7},
            {"name": "TO.QM3", "queue_manager": "QM3", "cluster": "S", "clwlrank": 3},
        ],
        "put": {"queue": "Q"},
        **tables,
    }


def written(folder: Path, content: dict[str, Any] | bytes | str, name: str = "facts.json") -> str:
    path = folder / name
    data = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def bad(*arguments: str, stdin: bytes = b"") -> list[str]:
    """The lines on standard error of a run that must end in status 2 with nothing on standard output."""
    done = run(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert lines
    return lines
