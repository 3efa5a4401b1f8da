"""``mqclause`` as tests run it, in this process."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from importlib.resources import files
from io import BufferedRandom, BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from mqclause.tools.cli import main
from mqclause.tools.commands.declared import explain_command as command

EXAMPLE = str(files("mqclause.tools") / "examples" / "orders.toml")
SCHEMA = json.loads((files("mqclause") / "trace.schema.json").read_text())

MEMBER = """
* Queue manager name: {name}
ALTER QMGR CLWLUSEQ({useq})
DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(C) CLWLRANK({rank})
DEFINE QLOCAL(WORK) CLUSTER(C)
"""
"""A script of a member that has the queue WORK, to be formatted with its name, CLWLUSEQ and CLWLRANK."""


def run(*arguments: str, stdin: bytes = b"", encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    """What the program does with these arguments, all of it but for its start: a process of its own takes half a second.

    ``encoding`` is that of its standard streams, in which what it writes is read.
    """
    with TemporaryFile() as out, TemporaryFile() as err, ExitStack() as put_back:
        streams: dict[str, BytesIO | BufferedRandom] = {"stdin": BytesIO(stdin), "stdout": out, "stderr": err}
        for name, stream in streams.items():
            put_back.enter_context(patch.object(sys, name, TextIOWrapper(stream, encoding, write_through=True)))
        put_back.enter_context(patch.object(sys, "argv", ["mqclause", *arguments]))
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stdout.flush()
        written_there = [(stream.seek(0), stream.read().decode(encoding))[1] for stream in (out, err)]
    return subprocess.CompletedProcess(arguments, int(ended.value.code or 0), *written_there)


def run_alone(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, for what writes to the standard streams by itself."""
    command_line = [sys.executable, "-c", "from mqclause.tools.cli import main; main()", *arguments]
    return subprocess.run(command_line, capture_output=True, text=True, timeout=600, check=False)


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
