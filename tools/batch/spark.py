"""Decide the Parquet files of ``mqclause batch --engine spark``: the session, its progress, its errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from mqclause.spark import decide, local_session

__all__ = ["ERRORS", "decide", "measure_progress", "open_session", "read_parquet"]

ERRORS = (PySparkException, Py4JError)
"""What Spark raises while it runs a query."""


@contextmanager
def open_session(memory: str) -> Iterator[SparkSession]:
    """Yield the active session, or start one; stop that one if the body is interrupted, before cleaning up."""
    session = SparkSession.getActiveSession()
    if session is not None:
        yield session
        return
    session = local_session(memory=memory.removesuffix("B").lower())
    # What fails is said in one line; Spark's logs would put pages before it.
    session.sparkContext.setLogLevel("OFF")
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield session
    except (KeyboardInterrupt, SystemExit):
        session.stop()
        raise


def read_parquet(session: SparkSession, source: Path) -> DataFrame:
    """Read a file or a folder of Parquet whose name may have characters that Spark takes for a pattern."""
    return session.read.parquet(re.sub(r"([][{}*?\\])", r"\\\1", str(source.absolute())))


def measure_progress(session: SparkSession) -> float:
    """Return the part of the running stage's tasks that is done, from 0 to 1."""
    tracker = session.sparkContext.statusTracker()
    for stage in tracker.getActiveStageIds():
        if info := tracker.getStageInfo(stage):
            return float(info.numCompletedTasks / max(info.numTasks, 1))
    return 0.0
