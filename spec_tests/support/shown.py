"""What pages are shown of: the scripts of a small cluster, and documents whose every text is hostile."""

from __future__ import annotations

from typing import Any

QM1 = """
* Queue manager name: QM1
ALTER QMGR CLWLUSEQ(ANY)
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S)
"""
QM2 = """
* Queue manager name: QM2
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(S)
DEFINE QLOCAL(A1) CLUSTER(S) DEFBIND(NOTFIXED)
DEFINE QLOCAL(A2) CLUSTER(S) DEFBIND(NOTFIXED)
DEFINE QLOCAL(B) CLUSTER(S) DEFBIND(NOTFIXED) PUT(DISABLED)
"""
QM3 = """
* Queue manager name: QM3
DEFINE CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLUSTER(S)
DEFINE QLOCAL(A1) CLUSTER(S) DEFBIND(NOTFIXED)
DEFINE QLOCAL(A2) CLUSTER(S) DEFBIND(NOTFIXED)
DEFINE QLOCAL(C) CLUSTER(S) DEFBIND(NOTFIXED)
"""
SCRIPTS = {"QM1.mqsc": QM1, "QM2.mqsc": QM2, "QM3.mqsc": QM3}

HOSTILE = '</title></style><script>document.title="run"</script><img src=x onerror=alert(1)>\u202e{{ 7 * 7 }}'
"""What would run, or show itself as something else, where a page took it for its own."""


def spoil(value: Any, kept: tuple[str, ...], key: str = "") -> Any:
    """The same with each text spoilt, but for those whose keys are kept."""
    if isinstance(value, dict):
        return {name: spoil(each, kept, name) for name, each in value.items()}
    if isinstance(value, list):
        return [spoil(each, kept, key) for each in value]
    return f"{HOSTILE}{value}" if isinstance(value, str) and key not in kept else value
