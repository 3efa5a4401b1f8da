"""What runmqsc displays of a queue manager in a cluster, and what is read of it."""

from __future__ import annotations

from textwrap import dedent

from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.readers.records import Script
from mqclause.model.readers.runmqsc import read_runmqsc

BANNER = "5724-H72 (C) Copyright IBM Corp. 1994, 2025.\nStarting MQSC for queue manager QM1.\n\n"
LOG = """
     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(QM1)                             CLWLUSEQ(ANY)
   CLWLMRUC(2)                             DEFXMITQ( )
   PLATFORM(MVS)                           SYNCPT
     2 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM1)                           CHANNEL(TO.QM1)
   CLUSTER(SALES)                          DEFTYPE(CLUSRCVR)
   QMTYPE(NORMAL)                          SUSPEND(NO)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM2)                           CHANNEL(TO.QM2)
   CLUSTER(SALES)                          DEFTYPE(CLUSSDRB)
   CONNAME(host2(1414))                    QMTYPE(REPOS)
   STATUS(RETRYING)                        SUSPEND(NO)
   CLWLWGHT(20)                            NETPRTY(4)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM3)                           CHANNEL(TO.QM3)
   CLUSTER(SALES)                          DEFTYPE(CLUSSDRA)
   STATUS(RUNNING)                         SUSPEND(YES)
     3 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(ORDERS)                           TYPE(QCLUSTER)
   CLUSQMGR(QM2)                           CLUSQT(QLOCAL)
   CLUSTER(SALES)                          PUT(DISABLED)
   CLWLPRTY(3)                             DEFBIND(NOTFIXED)
AMQ8409I: Display Queue details.
   QUEUE(ORDERS)                           TYPE(QCLUSTER)
   CLUSQMGR(QM3)                           CLUSQT(QALIAS)
   CLUSTER(SALES)
AMQ8409I: Display Queue details.
   QUEUE(MINE)                             TYPE(QCLUSTER)
   CLUSQMGR(QM1)                           CLUSQT(QLOCAL)
   CLUSTER(SALES)                          CLWLRANK(9)
AMQ8409I: Display Queue details.
   QUEUE(ANY.QM)                           TYPE(QCLUSTER)
   CLUSQMGR(QM3)                           CLUSQT(QMGR)
   CLUSTER(SALES)                          CLWLRANK(2)
     4 : DISPLAY QLOCAL(MINE) ALL
AMQ8409I: Display Queue details.
   QUEUE(MINE)                             TYPE(QLOCAL)
   CLUSTER(SALES)                          CLWLUSEQ(ANY)
   TRIGGER                                 CURDEPTH(7)
     5 : DISPLAY QSTATUS(*) TYPE(HANDLE) ALL
AMQ8450I: Display queue status details.
   QUEUE(MINE)                             TYPE(HANDLE)
   INPUT(SHARED)                           OUTPUT(NO)
AMQ8450I: Display queue status details.
   QUEUE(MINE)                             TYPE(HANDLE)
   INPUT(NO)                               OUTPUT(YES)
5 MQSC commands read.
"""


def script(text: str) -> Script:
    return read_runmqsc(dedent(text).lstrip("\n"), "log")


def snapshot(*texts: str, local: str | None = None) -> Snapshot:
    sources = [Source(f"log{number or ''}", text.encode()) for number, text in enumerate(texts)]
    return read_sources(sources, local)
