"""How pytest's processes share the tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

SPARK = (
    "spec_tests/spark/",
    "spec_tests/house/test_extension.py::test_it_runs_on_tables_in_spark",
    "spec_tests/commands/test_batch.py::test_spark_gives_what_duckdb_gives",
    "spec_tests/commands/test_batch_flat.py::test_a_log_of_names[in.csv-out.parquet-spark]",
    "spec_tests/commands/test_batch_flat.py::test_a_log_of_names[in.parquet-out.parquet-spark]",
)
"""Tests that share one session, in one process: a second Java would have all of Spark to load and to compile again."""

OF_THEIR_OWN = (
    "spec_tests/spark/test_session.py",
    "spec_tests/spark/test_connect.py::test_tables_by_a_server[True]",
)
"""Tests that start a session each, in a process of its own."""

# A Java of tests lives too short for its best compiler: without it they need a quarter less of the processor. Most of
# what it makes it soon needs no more: with more room for that it collects less often. And the twenty thousand classes of
# Spark's that it loads are what their compiler wrote.
JAVA = [
    "-XX:TieredStopAtLevel=1",
    "-XX:NewRatio=1",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
]
os.environ.setdefault("SPARK_SUBMIT_OPTS", " ".join(JAVA))

# Rules, plans and the tests themselves live to the end: to go through them after each 700 objects that are made, as
# Python does, takes a sixth of the processor.
gc.set_threshold(50_000, 20, 100)


# How long an example takes says more of what else the machine does.
settings.register_profile("same each time", derandomize=True, max_examples=14, deadline=None)
settings.register_profile("deep", max_examples=50, deadline=None)


def is_deep(config: pytest.Config) -> bool:
    """Whether only deep tests are asked for."""
    return str(config.option.markexpr) == "deep"


def pytest_configure(config: pytest.Config) -> None:
    """Laws try the same examples in every clone: what fails, fails for all. The deep tests draw others each time.

    ``--hypothesis-profile default`` draws others everywhere.
    """
    if "not deep" in config.option.markexpr:
        settings.load_profile("same each time")
    elif is_deep(config):
        settings.load_profile("deep")


def pytest_collection_finish() -> None:
    """What is there before the first test is there after the last: until then it is not gone through."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Nobody needs what is left: pytest would go through it five times, and xdist interrupts what takes it five seconds."""
    gc.freeze()


LONG = tuple(f"spec_tests/{folder}/" for folder in ("commands", "unit/tables", "unit/duckdb", "laws"))
"""The folders with the modules that take longest."""


FORKING = "spec_tests/unit/exits/"
"""Tests that fork again and again, which costs less while the process that does it is small."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What waits for a Java goes first, then what forks, then what takes long, so that none is left alone at the end."""
    first: list[str | tuple[str, ...]] = [(*SPARK, *OF_THEIR_OWN), FORKING, LONG]
    items.sort(key=lambda item: [not item.nodeid.startswith(each) for each in first])
    # Laws are tried again, on more examples.
    for item in items if is_deep(config) else ():
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.function):
            item.add_marker("deep")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share a Spark session run in one process: each further one would start a Java of its own.

    The others run module by module, since tests of one module share what is made once: fixtures, engines, trees.
    """
    from xdist.scheduler import LoadScopeScheduling

    class SharedSessions(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(OF_THEIR_OWN):
                return nodeid
            return SPARK[0] if nodeid.startswith(SPARK) else nodeid.partition("::")[0]

    config.option.loadscopereorder = False  # it would have the modules with the most tests first
    return SharedSessions(config, log)


@pytest.fixture(scope="session")
def spark(pytestconfig: pytest.Config) -> Iterator[Any]:
    """A session on two cores, which clients of Connect may ask too; skipped where Spark is not installed.

    Spark writes Java for each query and compiles it, which takes longer than the few rows of a test: deep ones do so.
    """
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    from mqclause.spark.session import local_session

    server = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": "0",
    }
    written = {
        "spark.sql.codegen.wholeStage": str(is_deep(pytestconfig)).lower(),
        "spark.sql.codegen.factoryMode": "FALLBACK" if is_deep(pytestconfig) else "NO_CODEGEN",
    }
    if not is_deep(pytestconfig):
        # Few rows need no more than one task behind an exchange, and no plan that is made anew after each.
        written |= {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false"}
    config = {**server, **written, "spark.driver.extraJavaOptions": "-Xms1g"}
    session = local_session(cores=2, memory="1g", config=config)
    yield session
    session.stop()
