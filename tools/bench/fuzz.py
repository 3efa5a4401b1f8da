"""Feeds the readers what a fuzzer makes of real files: no exception, no hang, no secret in what is told.

pip install '.[fuzz]'; python tools/bench/fuzz.py SECONDS [FORMAT] [FOLDER...]

FORMAT is that of one reader (MQSC, runmqsc, mqweb, PCF, JSON, TOML) in place of all; the files in the folders are what
the fuzzer begins with, beside the examples of this project. What goes wrong ends the run, with the input in a file.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["mqclause"]):
    from mqclause.model.assembly.filed import filed
    from mqclause.model.assembly.snapshot import Source, read_sources
    from mqclause.model.diagnostic import FactsError
    from mqclause.model.readers.registry import FORMATS

EXAMPLES = Path(__file__).parents[1] / "examples"
SLOWEST_INPUT = 10
"""Seconds for one input; what takes longer counts as a hang."""

LARGEST_INPUT = 20_000
HIDDEN = "geheim"
PLANTED = {
    "MQSC": f"\nDEFINE CHANNEL(S) CHLTYPE(SVRCONN) PASSWORD('{HIDDEN}')\n".encode(),
    "runmqsc": f"\nAMQ8414I: Display Channel.\n   CHANNEL(S)   CHLTYPE(SVRCONN)\n   PASSWORD({HIDDEN})\n".encode(),
}
"""A secret as each format has it, for a line of its own."""


def with_secret(data: bytes, name: str, at: int) -> bytes:
    """The input with a secret behind one of its lines."""
    lines = data.replace(HIDDEN.encode(), b"").split(b"\n")
    before = at % (len(lines) + 1)
    return b"\n".join(lines[:before]) + PLANTED.get(name, b"") + b"\n".join(lines[before:])


def read(data: bytes, name: str) -> str:
    """What is told of one input: facts and remarks, or faults."""
    source = Source("f", data, format=name if len(data) % 2 else "")
    try:
        snapshot = read_sources([source], None if len(data) % 3 else "QM1", lenient=len(data) % 5 < 2)
        told = [*snapshot.warnings, *snapshot.remarks, *snapshot.incomplete, *snapshot.assumptions]
        return json.dumps(filed(snapshot)) + "\n".join(map(str, told))
    except FactsError as error:
        return str(error)


def main() -> None:
    """Runs the fuzzer for so many seconds."""
    seconds, *others = sys.argv[1:]
    names = [each.name for each in FORMATS if each.name in others] or [each.name for each in FORMATS]

    def one_input(data: bytes) -> None:
        """The first bytes of an input say which format it is given as, and where a secret stands."""
        if len(data) > 2:
            name = names[data[0] % len(names)]
            try:
                told = read(with_secret(data[2:], name, data[1]), name)
                if HIDDEN in told.lower():
                    raise AssertionError(f"a secret is told: {told[-2000:]}")
            except Exception:
                Path(f"fuzz-{name}.input").write_bytes(data)
                raise

    folders = [EXAMPLES, *(Path(each) for each in others if each not in names)]
    files = [each for folder in folders for each in folder.rglob("*") if each.is_file()]
    with tempfile.TemporaryDirectory() as corpus:
        for number, path in enumerate(files):
            for which, _ in enumerate(names):
                begun = bytes([which, number % 256]) + path.read_bytes()[:LARGEST_INPUT]
                Path(corpus, f"{number}.{which}").write_bytes(begun)
        limits = [f"-max_total_time={seconds}", f"-timeout={SLOWEST_INPUT}", f"-max_len={LARGEST_INPUT}"]
        atheris.Setup([sys.argv[0], *limits, "-rss_limit_mb=2000", "-print_final_stats=1", corpus], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
