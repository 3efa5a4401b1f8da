"""What ``check`` costs beside reading: one queue manager with very many queues, as a script and as a log of runmqsc.

    python tools/bench/checking.py [QUEUES [FOLDER]]

Of so many queues (40,000) a fifth each are plain, triggered, aliases, remote definitions and clustered. The ratio is
that of the processor's time, in one run: reading is what ``read_files`` does, checking reads too.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mqclause import read_files
from mqclause.check.findings import Checks, inspected

QUEUES = 40_000
HEAD = """\
* Queue manager name: QM1
ALTER QMGR REPOS(HUB)
DEFINE CHANNEL(HUB.QM1) CHLTYPE(CLUSRCVR) CLUSTER(HUB) CONNAME('one(1414)') BATCHHB(1000)
DEFINE QLOCAL(BELL)
DEFINE QLOCAL(ROAD) USAGE(XMITQ)
DEFINE PROCESS(CLERK) APPLICID('/opt/clerk &')
"""
KINDS = (
    "DEFINE QLOCAL(Q{0}.PLAIN) DESCR('plain {0}') DEFPSIST(YES) MAXDEPTH({1})",
    "DEFINE QLOCAL(Q{0}.SERVED) DESCR('served {0}') TRIGGER TRIGTYPE(FIRST) INITQ(BELL) PROCESS(CLERK)",
    "DEFINE QALIAS(Q{0}.DOOR) TARGET(Q{0}.PLAIN)",
    "DEFINE QREMOTE(Q{0}.AWAY) RNAME(Q{0}.THERE) RQMNAME(QM9) XMITQ(ROAD)",
    "DEFINE QLOCAL(Q{0}.SHARED) CLUSTER(HUB) DEFBIND(NOTFIXED)",
)
BANNER = """\
Starting MQSC for queue manager QM1.
     1 : DISPLAY PROCESS(*) ALL
AMQ8407I: Display Process details.
   PROCESS(CLERK)   APPLTYPE(UNIX)
   APPLICID(/opt/clerk &)
     2 : DISPLAY QUEUE(*) ALL
"""
TRAILER = "2 MQSC commands read.\n"
ATTRIBUTE = re.compile(r"([A-Z]+)(?:\('?([^')]*)'?\))?")


def definitions(queues: int) -> Iterator[str]:
    """Return the commands that define so many queues."""
    for at in range(queues // len(KINDS)):
        yield from (kind.format(at, 5000 + at % 7) for kind in KINDS)


def displayed(command: str) -> str:
    """Return how runmqsc shows what a command defines."""
    (_, _), (kind, name), *attributes = ATTRIBUTE.findall(command)
    depth = ["CURDEPTH(0)", "IPPROCS(0)"] if kind == "QLOCAL" else []
    shown = [f"{word}({value})" if value else word for word, value in attributes] + depth
    return "".join((f"AMQ8409I: Display Queue details.\n   QUEUE({name})   TYPE({kind})\n",
                    *(f"   {each}\n" for each in shown)))  # fmt: skip


def seconds(command: str, path: Path) -> float:
    """Return the processor's time for one of the two."""
    start = time.process_time()
    if command == "read":
        read_files([path])
    else:
        inspected([path], Checks()).findings()
    return time.process_time() - start


def main(queues: int, folder: Path) -> None:
    """Write the two files, and print what they cost."""
    script = [*definitions(queues)]
    more = [each for each in HEAD.splitlines() if each.startswith("DEFINE QLOCAL")]
    for name, text in (
        ("QM1.mqsc", HEAD + "\n".join(script) + "\n"),
        ("QM1.log", BANNER + "".join(map(displayed, [*more, *script])) + TRAILER),
    ):
        path = folder / name
        path.write_text(text)
        read, check = seconds("read", path), seconds("check", path)
        print(f"{name:8}  {queues} queues: read {read:.2f} s, check {check:.2f} s, ratio {check / read:.2f}")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else QUEUES
    if len(sys.argv) > 2:
        main(count, Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(count, Path(made))
