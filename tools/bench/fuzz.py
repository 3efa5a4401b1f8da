"""Feeds the readers what a fuzzer makes of real files: no exception, no hang, no secret in what is told.

pip install '.[fuzz]'; python tools/bench/fuzz.py SECONDS [FORMAT] [FOLDER...]
python tools/bench/fuzz.py FAILURE... [FORMAT]

FORMAT is that of one reader (MQSC, runmqsc, mqweb, PCF, JSON, TOML) in place of all; the files in the folders are what
the fuzzer begins with, beside the examples of this project. Each input that something goes wrong with is kept in a
file, which a line names together with the seed, and the run goes on. With such files, and the FORMAT of that run, it
reads them once more.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import traceback
from pathlib import Path
from random import SystemRandom

import atheris

with atheris.instrument_imports(include=["mqclause"]):
    from mqclause.model.configuration.snapshot import build_facts_tables, read_sources
    from mqclause.model.configuration.sources import Source
    from mqclause.model.diagnostics import FactsError
    from mqclause.model.readers.registry import FORMATS

EXAMPLES = Path(__file__).parents[1] / "examples"
FAILURES = Path(tempfile.gettempdir()) / "mqclause-fuzz"
SLOWEST_INPUT = 10
"""Seconds for one input; what takes longer counts as a hang."""

LARGEST_INPUT = 20_000
NAMES = [each.name for each in FORMATS]
SECRETS = ("geheim", "verrat")
PLANTED = {
    "MQSC": "\nDEFINE CHANNEL(S) CHLTYPE(SVRCONN) PASSWORD('{}')\n",
    "runmqsc": "\nAMQ8414I: Display Channel.\n   CHANNEL(S)   CHLTYPE(SVRCONN)\n   PASSWORD({})\n",
}
"""A secret as each format has it, for a line of its own."""


class ToldError(Exception):
    """A secret stands in what is told of an input."""


def with_secret(data: bytes, name: str, at: int, secret: str) -> bytes:
    """Return the input with a secret behind one of its lines."""
    lines = data.split(b"\n")
    before = at % (len(lines) + 1)
    planted = PLANTED.get(name, "").format(secret).encode()
    return b"\n".join(lines[:before]) + planted + b"\n".join(lines[before:])


def told_of(data: bytes, name: str) -> str:
    """Return what is told of one input: facts and remarks, or faults."""
    source = Source("f", data, format=name if len(data) % 2 else "")
    try:
        snapshot = read_sources([source], None if len(data) % 3 else "QM1", lenient=len(data) % 5 < 2)
        told = [*snapshot.warnings, *snapshot.remarks, *snapshot.incomplete, *snapshot.assumptions]
        return json.dumps(build_facts_tables(snapshot), default=list) + "\n".join(map(str, told))
    except FactsError as error:
        return str(error)


def check(data: bytes, names: list[str]) -> None:
    """Read an input; its first bytes say which format it is given as and where a secret stands. Raises what is wrong.

    A secret is told where another one would be told in its place: the input may hold the word itself.
    """
    name = names[data[0] % len(names)]
    for secret in SECRETS:
        told = told_of(with_secret(data[2:], name, data[1], secret), name)
        if secret not in told.lower():
            return
    raise ToldError(f"a secret is told: {told[-2000:]}")


def kept(data: bytes) -> Path:
    """Write the file with an input that something goes wrong with."""
    file = FAILURES / f"failure-{hashlib.sha256(data).hexdigest()[:16]}"
    file.write_bytes(data)
    return file


def fuzz(seconds: str, names: list[str], folders: list[Path]) -> None:
    """Run the fuzzer for so many seconds."""
    FAILURES.mkdir(exist_ok=True)
    seed = SystemRandom().randrange(1, 1 << 31)

    def one_input(data: bytes) -> None:
        if len(data) > 2:
            try:
                check(data, names)
            except Exception:
                print(f"{kept(data)}: seed {seed}, formats {' '.join(names)}\n{traceback.format_exc()}", flush=True)

    files = [each for folder in folders for each in folder.rglob("*") if each.is_file()]
    with tempfile.TemporaryDirectory() as corpus:
        for number, path in enumerate(files):
            for which, _ in enumerate(names):
                begun = bytes([which, number % 256]) + path.read_bytes()[:LARGEST_INPUT]
                Path(corpus, f"{number}.{which}").write_bytes(begun)
        limits = [f"-max_total_time={seconds}", f"-timeout={SLOWEST_INPUT}", f"-max_len={LARGEST_INPUT}"]
        limits += [f"-seed={seed}", "-rss_limit_mb=2000", f"-artifact_prefix={FAILURES}/", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *limits, corpus], one_input)
        atheris.Fuzz()


def main() -> None:
    """Run the fuzzer, or read inputs that it kept once more."""
    first, *others = sys.argv[1:]
    names = [each for each in NAMES if each in others] or NAMES
    rest = [Path(each) for each in others if each not in names]
    if first.isdecimal():
        fuzz(first, names, [EXAMPLES, *rest])
        return
    for file in (Path(first), *rest):
        check(file.read_bytes(), names)


if __name__ == "__main__":
    main()
