"""One small local Spark for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on two cores; skipped where Spark is not installed."""
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    from mqclause.spark.session import local_session

    session = local_session(cores=2, memory="1g")
    yield session
    session.stop()
