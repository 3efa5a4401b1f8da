"""How pytest's processes share the tests."""

from __future__ import annotations

import os
from typing import Any

import pytest

SPARK = "spec_tests/spark/"
OF_THEIR_OWN = "spec_tests/spark/test_session.py"
"""Tests that start a session each, in a process of its own."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: the one with Spark mostly waits for Java."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One process runs all the tests that use the folder's Spark session: another would start a Java of its own."""
    from xdist.scheduler import LoadScopeScheduling

    class OneSpark(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return SPARK if nodeid.startswith(SPARK) and not nodeid.startswith(OF_THEIR_OWN) else nodeid

    return OneSpark(config, log)
