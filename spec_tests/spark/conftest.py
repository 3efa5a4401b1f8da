"""What tests of Spark are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def jobs(spark: Any, request: pytest.FixtureRequest) -> Iterator[Callable[[], list[int]]]:
    """Tells the jobs that a test has started."""
    group = request.node.name
    spark.sparkContext.setJobGroup(group, "the jobs of one test")
    yield lambda: list(spark.sparkContext.statusTracker().getJobIdsForGroup(group))
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
