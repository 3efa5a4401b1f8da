"""explain, why, map and check of the same files say the same, each where it is certain.

The laws, which ``spec_tests/support/told_alike.py`` looks at one by one:

- A put that fails for certain because the names of an object of the queue manager lead nowhere has a finding at it.
- A row of the map has the outcome and the reason of explain for that queue, from there, with that binding.
- A channel that a put waits for, by the map, has a finding at the queue manager that sends.
- A process or an initiation queue that is missing, by why, is found at the queue that needs it.
- What is found by a condition of the trigger rules does not trigger, by why.
- Where check says that nothing can be put, or that a name leads nowhere, explain says that the put fails.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from spec_tests.support.told_alike import Told, disagreements

POOL = [
    "DEFINE QLOCAL(WORK) CLUSTER(HUB)",
    "DEFINE QLOCAL(WORK) CLUSTER(HUB) PUT(DISABLED)",
    "DEFINE QLOCAL(WORK) CLUSTER(HUB) CLWLRANK(4) DEFBIND(NOTFIXED) CLWLUSEQ(ANY)",
    "DEFINE QALIAS(WORK) CLUSTER(HUB) TARGET(STORE)",
    "DEFINE QLOCAL(STORE)",
    "DEFINE QLOCAL(STORE) PUT(DISABLED)",
    "DEFINE QALIAS(DOOR) TARGET(WORK)",
    "DEFINE QALIAS(DOOR) TARGET(NOWHERE) CLUSTER(HUB)",
    "DEFINE QALIAS(GATE) TARGET(DOOR)",
    "DEFINE QALIAS(GATE) TARGET(MOULD)",
    "DEFINE QMODEL(MOULD)",
    "DEFINE QREMOTE(AWAY) RNAME(WORK) RQMNAME(QM2)",
    "DEFINE QREMOTE(AWAY) RNAME(WORK) RQMNAME(QM9)",
    "DEFINE QREMOTE(AWAY) RNAME(WORK) RQMNAME(QM9) XMITQ(ROAD)",
    "DEFINE QREMOTE(FAR) RNAME(GATE) RQMNAME(' ')",
    "DEFINE QREMOTE(ANYBODY) RNAME(' ') RQMNAME(QM2) CLUSTER(HUB)",
    "DEFINE QLOCAL(ROAD) USAGE(XMITQ)",
    "DEFINE QLOCAL(ROAD) USAGE(NORMAL)",
    "ALTER QMGR DEFXMITQ(ROAD)",
    "DEFINE QLOCAL(DESK) TRIGGER PROCESS(CLERK) INITQ(BELL)",
    "DEFINE QLOCAL(DESK) TRIGGER PROCESS(CLERK) INITQ(' ')",
    "DEFINE QLOCAL(DESK) TRIGGER TRIGTYPE(NONE) PROCESS(' ') INITQ(BELL)",
    "DEFINE QLOCAL(BELL)",
    "DEFINE QLOCAL(BELL) PUT(DISABLED)",
    "DEFINE QALIAS(BELL) TARGET(STORE)",
    "DEFINE PROCESS(CLERK) APPLICID('/opt/clerk &')",
    "DEFINE QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) USAGE(XMITQ) PUT(DISABLED)",
    "STOP CHANNEL(HUB.QM2)",
    "STOP CHANNEL(HUB.QM3) STATUS(INACTIVE)",
    "SUSPEND QMGR CLUSTER(HUB)",
]


def a_cluster(rng: Random) -> list[tuple[str, str]]:
    """The scripts of three members; now and then one belongs to another cluster, too, or is no dump of all."""
    scripts = []
    for name in ("QM1", "QM2", "QM3"):
        chosen = dict[str, str]()
        for command in rng.sample(POOL, 14):
            chosen.setdefault(command.partition("(")[2].partition(")")[0] + command[:4].strip(), command)
        lines = [f"DEFINE CHANNEL(HUB.{name}) CHLTYPE(CLUSRCVR) CLUSTER(HUB) CONNAME({name.lower()})",
                 *(f"DEFINE CHANNEL(HUB.{other}) CHLTYPE(CLUSSDR) CLUSTER(HUB) CONNAME({other.lower()})"
                   for other in ("QM1", "QM2", "QM3") if other != name and rng.random() < 0.7),
                 *(["ALTER QMGR REPOS(HUB)"] if rng.random() < 0.5 else []), *chosen.values()]  # fmt: skip
        scripts.append((f"{name}.mqsc", "\n".join([f"* Queue manager name: {name}", *_once(lines), ""])))
    return scripts


def _once(lines: list[str]) -> list[str]:
    """Without a second definition of a queue: all kinds of them share one set of names."""
    kept = dict[str, str]()
    for line in lines:
        is_queue = line.startswith("DEFINE Q")
        kept.setdefault(line.partition("(")[2].partition(")")[0] if is_queue else line, line)
    return [*kept.values()]


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(1000, 1120), marks=pytest.mark.deep)], ids=len)
def test_of_clusters_of_scripts(seeds: range) -> None:
    assert {seed: found for seed in seeds if (found := disagreements(a_cluster(Random(seed))))} == {}


LOG = """Starting MQSC for queue manager QM4.
     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(QM4)                             REPOS( )
   REPOSNL( )                              PLATFORM(UNIX)
     2 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM4)                           CHANNEL(HUB.QM4)
   CLUSTER(HUB)                            DEFTYPE(CLUSRCVR)
   QMTYPE(NORMAL)                          SUSPEND(NO)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM5)                           CHANNEL(HUB.QM5)
   CLUSTER(HUB)                            DEFTYPE(CLUSSDRB)
   QMTYPE(REPOS)                           STATUS(PAUSED)
     3 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(WORK)                             TYPE(QCLUSTER)
   CLUSTER(HUB)                            CLUSQMGR(QM5)
   CLUSQT(QLOCAL)                          DEFBIND(NOTFIXED)
   PUT({put})
     4 : DISPLAY QUEUE(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(DOOR)                             TYPE(QALIAS)
   TARGET({target})                        PUT(ENABLED)
AMQ8409I: Display Queue details.
   QUEUE(DESK)                             TYPE(QLOCAL)
   TRIGGER                                 TRIGTYPE(FIRST)
   PROCESS(CLERK)                          INITQ(BELL)
   CURDEPTH(0)                             IPPROCS(0)
     5 : DISPLAY PROCESS(*) ALL
AMQ8147E: IBM MQ object * not found.
5 MQSC commands read.
"""
MQWEB = """{"commandResponse": [
 {"completionCode": 0, "reasonCode": 0, "parameters": {"qmname": "QM4", "platform": "UNIX", "repos": "HUB"}},
 {"completionCode": 0, "reasonCode": 0, "parameters":
  {"queue": "AWAY", "type": "QREMOTE", "rname": "WORK", "rqmname": "QM9", "xmitq": "ROAD"}},
 {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "ROAD", "type": "QLOCAL", "usage": "NORMAL"}}],
 "overallCompletionCode": 0, "overallReasonCode": 0}
"""
FACTS = """[queue_manager]
name = "QM4"
clusters = ["HUB"]
[[remote_queue_manager]]
name = "QM5"
clusters = ["HUB"]
[[queue]]
name = "WORK"
queue_manager = "QM5"
clusters = ["HUB"]
[[channel]]
name = "HUB.QM5"
queue_manager = "QM5"
cluster = "HUB"
status = "STOPPED"
[[queue]]
name = "DOOR"
type = "QALIAS"
target = "NOWHERE"
[[queue]]
name = "DESK"
trigger = true
initq = "BELL"
process = "CLERK"
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("QM4.log", LOG.format(put=put, target=target)) for put in ("ENABLED", "DISABLED") for target in ("WORK", "NOWHERE")),
        ("QM4.json", MQWEB),
        ("QM4.toml", FACTS),
    ],
)  # fmt: skip
def test_of_what_is_displayed_and_of_facts(name: str, text: str) -> None:
    assert disagreements([(name, text)]) == []


def test_that_something_is_found_and_fails_in_them() -> None:
    """Each law has something to say: else it would hold of anything."""
    told = Told.of([Source("QM4.toml", FACTS.encode())])
    assert told.found["DOOR", "QM4"] == {"check.17"}
    assert told.found["HUB.QM5", "QM4"] == {"check.31"}
    assert told.found["DESK", "QM4"] == {"trigger.06a", "trigger.07"}
    lost = [("QM4.toml", FACTS.replace('target = "NOWHERE"', 'target = "WORK"'))]
    assert disagreements(lost) == []


SAMPLES = os.environ.get("MQCLAUSE_SAMPLES")
FOLDERS = [each for each in sorted(Path(SAMPLES).iterdir()) if each.is_dir()] if SAMPLES else []
WHOLE = "borland6+"
"""The one folder that has the dumps of a whole cluster; of the others each file is a queue manager by itself."""


@pytest.mark.skipif(not FOLDERS, reason="MQCLAUSE_SAMPLES names no folder of samples")
@pytest.mark.parametrize(
    "folder", [pytest.param(each, marks=[pytest.mark.deep] if each.name.startswith(WHOLE) else []) for each in FOLDERS],
    ids=lambda each: each.name,
)  # fmt: skip
def test_of_samples(folder: Path) -> None:
    files = [each for each in sorted(folder.rglob("*")) if each.is_file()]
    for several in [files] if folder.name.startswith(WHOLE) else [[each] for each in files]:
        sources = [Source.at(str(each)) for each in several]
        for local in (None, "QM1"):
            try:
                told = Told.of(sources, True, local)
            except FactsError:
                continue
            assert [*told.disagreements()] == [], several
            break
