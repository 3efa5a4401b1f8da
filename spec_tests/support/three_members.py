"""Scripts of three members, and what commands make of them."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from mqclause.model.diagnostics import FactsError

QM1 = """
* Queue manager name: QM1
ALTER QMGR CLWLUSEQ(ANY)
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S)
"""

QM2 = """
* Queue manager name: QM2
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(S) CLWLWGHT(70)
DEFINE QLOCAL(Q) CLUSTER(S) CLWLPRTY(4) DEFBIND(NOTFIXED)
DEFINE QLOCAL(OWN)
"""

QM3 = """
* Queue manager name: QM3
DEFINE CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLUSTER(S)
DEFINE QLOCAL(Q) CLUSTER(S) CLWLPRTY(4) DEFBIND(NOTFIXED)
"""


def done(command: Any, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return result.return_value, result.stdout


def refusal(command: Any, *arguments: str) -> str:
    """What is said of bad input."""
    with pytest.raises(FactsError) as error:
        done(command, *arguments)
    return str(error.value)
