"""What reading a large dump, and a large log of runmqsc, costs: speed beside re.split, and each command's memory.

    python tools/bench/reading.py [MB [FOLDER]]

Makes QM1.mqsc, as dmpmqcfg writes it, and QM1.log, as runmqsc displays it, of so many MB (200) each. The speed is of
one core, in MB for each second of the processor; the memory is the most that a process of its own ever had.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from mqclause.model.readers.registry import read_contents

MB = 1_000_000
SPEED_MEASURED_OF, TRIES = 40, 3
WORDS = ("orders", "billing", "stock", "audit", "reply", "request", "error", "retry", "batch", "invoice", "nightly")
COMMANDS = ("explain FILE --put QUEUE", "why QUEUE FILE", "check FILE", "facts FILE", "map FILE")
HEAD = """\
* Script generated on 2031-02-03   at 04.05.02
* Queue manager name: QM1
* Queue manager platform: UNIX
* Queue manager command level: (940/940)
* Command issued: dmpmqcfg -m QM1 -a
ALTER QMGR REPOS('SALES')
DEFINE CHANNEL('TO.QM1') CHLTYPE(CLUSRCVR) CLUSTER('SALES') CONNAME('one(1414)') REPLACE
DEFINE CHANNEL('TO.QM2') CHLTYPE(CLUSSDR) CLUSTER('SALES') CONNAME('two(1414)') REPLACE
"""
FOOT = "* Script ended on 2031-02-03   at 04.05.03\n"
BANNER = "Starting MQSC for queue manager QM1.\n\n\n     1 : DISPLAY QUEUE(*) ALL\n"
TRAILER = "One MQSC command read.\n"
ATTRIBUTES = (
    "ACCTQ(QMGR) *ALTDATE *ALTTIME BOQNAME BOTHRESH CLUSNL(' ') CLUSTER CLCHNAME(' ') CLWLPRTY CLWLRANK(0)"
    " CLWLUSEQ(QMGR) *CRDATE *CRTIME *CURDEPTH CUSTOM(' ') DEFBIND(OPEN) DEFPRTY(0) DEFPSIST DEFPRESP(SYNC)"
    " DEFREADA(NO) DEFSOPT(SHARED) *DEFTYPE(PREDEFINED) DESCR DISTL(NO) GET(ENABLED) HARDENBO IMGRCOVQ(QMGR) INITQ"
    " *IPPROCS MAXDEPTH MAXMSGL MAXFSIZE(DEFAULT) MONQ(QMGR) MSGDLVSQ(PRIORITY) NOTRIGGER NPMCLASS(NORMAL) *OPPROCS"
    " PROCESS(' ') PUT(ENABLED) PROPCTL(COMPAT) QDEPTHHI(80) QDEPTHLO(20) QDPHIEV(DISABLED) QDPLOEV(DISABLED)"
    " QDPMAXEV(ENABLED) QSVCIEV(NONE) QSVCINT(999999999) RETINTVL(999999999) SCOPE(QMGR) SHARE STATQ(QMGR)"
    " STREAMQ(' ') STRMQOS(BESTEF) TRIGDATA(' ') TRIGDPTH(1) TRIGMPRI(0) TRIGTYPE(FIRST) USAGE(NORMAL)"
)
"""Those of a local queue, with a star the ones that cannot be set; where no value stands, each queue has its own."""

ATTRIBUTE = re.compile(r"(\*?)([A-Z]+)(\((?:' '|[^)]*)\))?(?: |$)")


def name_and_values(rng: Random, number: int) -> tuple[str, dict[str, str]]:
    """Return a queue of an application, as there are many."""
    application = f"{rng.choice(('PAY', 'ORD', 'INV', 'CRM', 'LOG'))}{rng.randrange(40)}"
    dates = [f"20{rng.randrange(15, 26)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 28):02}" for _ in range(2)]
    times = [f"{rng.randrange(24):02}.{rng.randrange(60):02}.{rng.randrange(60):02}" for _ in range(2)]
    values = {
        "BOQNAME": f"'{application}.BACKOUT'" if rng.random() < 0.5 else "' '",
        "BOTHRESH": rng.choice("035"),
        "CLUSTER": rng.choice(("'SALES'", "' '", "' '", "' '")),
        "CLWLPRTY": rng.choice("0005"),
        "CURDEPTH": str(int(rng.random() ** 6 * 4000)),
        "DEFPSIST": rng.choice(("NO", "YES")),
        "DESCR": f"'{rng.choice(WORDS).title()} {rng.choice(WORDS)} of {application}, line {rng.randrange(900)}'",
        "INITQ": f"'{application}.INITQ'" if rng.random() < 0.1 else "' '",
        "IPPROCS": rng.choice("000128"),
        "OPPROCS": rng.choice("0013"),
        "MAXDEPTH": rng.choice(("5000", "10000", "999999")),
        "MAXMSGL": rng.choice(("4194304", "104857600")),
    }
    values |= dict(zip(("ALTDATE", "CRDATE", "ALTTIME", "CRTIME"), (*dates, *times), strict=True))
    return f"{application}.{rng.choice(WORDS).upper()}.{number:06}", values


def parameters(values: dict[str, str]) -> Iterator[tuple[str, str]]:
    """List each attribute with its value: a star or a blank, and the text."""
    for star, name, value in ATTRIBUTE.findall(ATTRIBUTES):
        yield star, f"{name}({values[name]})" if name in values else f"{name}{value}"


def defined(rng: Random, number: int) -> str:
    """Return the definition of a queue as dmpmqcfg writes it."""
    name, values = name_and_values(rng, number)
    lines = (f"{star or ' '}  {text} +\n" for star, text in parameters(values))
    return f"DEFINE QLOCAL('{name}') +\n{''.join(lines)}   REPLACE\n"


def displayed(rng: Random, number: int) -> str:
    """Return a queue as runmqsc displays it."""
    name, values = name_and_values(rng, number)
    shown = [text.replace("'", "") for _, text in parameters(values)]
    cells = [f"QUEUE({name})", "TYPE(QLOCAL)", *shown]
    lines, waiting = ["AMQ8409I: Display Queue details."], ""
    for cell in cells:
        if waiting and len(waiting) < 40 and len(cell) < 36:
            lines.append(f"   {waiting:<40}{cell}")
            waiting = ""
        else:
            lines += [f"   {waiting}"] if waiting else []
            waiting = cell
    return "\n".join([*lines, *([f"   {waiting}"] if waiting else [])]) + "\n"


def write(path: Path, size: int, head: str, one: Callable[[Random, int], str], foot: str) -> str:
    """Write a file of so many bytes, and return the name of its first queue."""
    rng, number = Random(4), 0
    with path.open("w", encoding="utf-8") as file:
        written = file.write(head)
        while written < size:
            written += file.write(one(rng, number))
            number += 1
        file.write(foot)
    print(f"{path.name}: {written / MB:.0f} MB, {number} queues")
    return name_and_values(Random(4), 0)[0]


def speed(path: Path) -> None:
    """Print how fast a file is read, and how fast its bytes are split into words."""
    with path.open("rb") as file:
        data = file.read(SPEED_MEASURED_OF * MB)
    data = data[: data.rindex(b"\n") + 1]
    split, read = list[float](), list[float]()
    for _ in range(TRIES):
        begun = time.process_time()
        len(re.split(rb"\s+", data))
        split.append(time.process_time() - begun)
        begun = time.process_time()
        read_contents(data, path.name)
        read.append(time.process_time() - begun)
    size = len(data) / MB
    print(f"  read {size / min(read):5.1f} MB/s; split into words {size / min(split):.1f} MB/s")


def memory(path: Path, queue: str, command: str) -> None:
    """Print the most memory that a command ever has, and its time."""
    words = [{"FILE": str(path), "QUEUE": queue}.get(word, word) for word in command.split()]
    given = [sys.executable, "-m", "mqclause.tools.cli", *words]
    with subprocess.Popen(given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    most = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / MB
    size = path.stat().st_size / MB
    print(f"  {words[0]:8}{most:4.0f} MB for {size:.0f} MB; {used.ru_utime:.1f} s; exit status {process.returncode}")


def main(size: int, folder: Path) -> None:
    """Measure both files, and all commands."""
    for name, head, one, foot in (("QM1.mqsc", HEAD, defined, FOOT), ("QM1.log", BANNER, displayed, TRAILER)):
        path = folder / name
        queue = write(path, size, head, one, foot)
        speed(path)
        for command in COMMANDS:
            memory(path, queue, command)


if __name__ == "__main__":
    given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        main(int(given[0] if given else 200) * MB, Path(given[1] if given[1:] else made))
