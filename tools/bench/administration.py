"""What administration costs: a failure with messages in flight, a check beside reading the same files, its memory.

    python tools/bench/administration.py [MESSAGES [DUMPS]]

Dumps are made up, each of a queue manager of its own with many private queues and some in the cluster, 1 MB of MQSC.
The memory is what is held when so many of them were looked at, by tracemalloc; it has to grow far less than the files.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Iterator
from itertools import product

from mqclause.check.findings import Checks, Inspection
from mqclause.model.configuration.sources import Source
from mqclause.model.readers.encodings import wrap_content
from mqclause.model.readers.registry import read_contents
from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.runner import Replay

MESSAGES, DUMPS = 10_000, 8
PRIVATE, CLUSTERED = 1_900, 100
QUEUE = """DEFINE QLOCAL('{name}') +
   ACCTQ(QMGR) BOQNAME(' ') BOTHRESH(0) CLUSNL(' ') CLUSTER('{cluster}') +
   CLWLPRTY(0) CLWLRANK(0) CLWLUSEQ(QMGR) DEFBIND(OPEN) DEFPRTY(0) DEFPSIST(NO) +
   DESCR(' ') DISTL(NO) GET(ENABLED) NOHARDENBO INITQ(' ') MAXDEPTH(5000) +
   MAXMSGL(4194304) MONQ(QMGR) MSGDLVSQ(PRIORITY) NOTRIGGER PROCESS(' ') PUT(ENABLED) +
   QDEPTHHI(80) QDEPTHLO(20) RETINTVL(999999999) SHARE STATQ(QMGR) TRIGDATA(' ') +
   TRIGDPTH(1) TRIGMPRI(0) TRIGTYPE(FIRST) USAGE(NORMAL) REPLACE
"""


KINDS: dict[str, list[dict[str, bool]]] = {
    "to choose again for": [{}],
    "bound, as those of groups are": [{"bound": True}],
    "of every kind": [
        dict(zip(("persistent", "bound", "in_doubt", "delivered"), flags, strict=True))
        for flags in product((True, False), repeat=4)
        if flags[0] or not flags[2]  # what a fast channel loses is never in doubt
    ],
}
"""Messages in flight, by what they are."""


def failing(messages: int, kinds: list[dict[str, bool]]) -> dict[str, object]:
    """Build a scenario in which a queue manager fails with so many messages on their way to it, and is back."""
    hosts = [f"QM{number}" for number in range(2, 6)]
    return {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": name, "clusters": ["S"]} for name in hosts],
        "queue": [{"name": "Q", "queue_manager": name, "clusters": ["S"]} for name in hosts],
        "channel": [{"name": f"TO.{name}", "queue_manager": name, "cluster": "S"} for name in hosts],
        "in_flight": [
            {"id": f"M{number}", "queue": "Q", "channel": "TO.QM2", **kinds[number % len(kinds)]}
            for number in range(messages)
        ],
        "event": [{"do": do, "queue_manager": "QM2"} for do in ("fail", "recover")],
    }


def dump(number: int) -> Source:
    """Write what dmpmqcfg would write of a member of a cluster, about 1 MB."""
    name = f"QM{number}"
    own = [QUEUE.format(name=f"PRIVATE.{at}", cluster=" ") for at in range(PRIVATE)]
    shared = [QUEUE.format(name=f"SHARED.{number % 10}.{at}", cluster="S") for at in range(CLUSTERED)]
    channel = f"DEFINE CHANNEL('TO.{name}') CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME('h(1414)') BATCHHB(1000)\n"
    text = f"* Queue manager name: {name}\n{channel}ALTER QMGR REPOS(S)\n{''.join(own)}{''.join(shared)}"
    return Source(f"{name}.mqsc", text.encode())


def dumps(count: int) -> Iterator[Source]:
    """Yield so many of them, one after the other."""
    yield from map(dump, range(count))


def fail(messages: int) -> None:
    """Print how long a failure and a return take, with the documents of their rows."""
    replay = Replay()
    for said, kinds in KINDS.items():
        scenario = build_scenario(failing(messages, kinds), "bench")
        started = time.process_time()
        fates = [len(row.to_json()["fates"]) for row in replay.rows(scenario)]
        took = time.process_time() - started
        print(f"{messages:,} messages in flight, {said}: {took:.2f} s of the processor for {sum(fates):,} fates")


def check(count: int) -> None:
    """Print how fast dumps are read, and looked at, and what is held of them."""
    given = list(dumps(count))
    size = sum(len(piece) for each in given for piece in wrap_content(each.data).pieces()) / 1e6
    started = time.process_time()
    for each in given:
        read_contents(each.data, each.name)
    reading = time.process_time() - started
    inspection = Inspection(Checks())
    inspection.read(dump(count))
    started = time.process_time()
    for each in given:
        inspection.read(each)
    found = len(inspection.findings())
    checking = time.process_time() - started
    print(f"{size:.0f} MB: read {size / reading:.1f} MB/s, checked {size / checking:.1f} MB/s: "
          f"{reading / checking:.0%} of the speed of reading, {found} findings")  # fmt: skip


def held(count: int) -> None:
    """Print what is held of dumps after they were looked at."""
    inspection = Inspection(Checks())
    inspection.read(dump(0))
    tracemalloc.start()
    for number, each in enumerate(dumps(count), 1):
        inspection.read(each)
        if number in (count // 2, count):
            gc.collect()
            print(f"{number} dumps looked at: {tracemalloc.get_traced_memory()[0] / 1e6:.1f} MB are held")


if __name__ == "__main__":
    messages, count = [*map(int, sys.argv[1:]), *(MESSAGES, DUMPS)[len(sys.argv) - 1 :]]
    fail(messages)
    check(count)
    held(count)
