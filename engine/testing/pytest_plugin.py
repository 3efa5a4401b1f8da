"""The pytest plugin: the fixture ``mq_cluster``. Nothing of mqclause is loaded before a test asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING  # noqa: TID251 - every run of pytest loads this module

import pytest

if TYPE_CHECKING:
    from mqclause.model.configuration.members import Members

FILES = "mq_files"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the files of the cluster as a setting of pytest's configuration."""
    parser.addini(FILES, "files, folders or patterns with the configuration of the cluster, for mq_cluster", "args")


@pytest.fixture(scope="session")
def mq_cluster(pytestconfig: pytest.Config) -> Members:
    """Read what each queue manager knows by the files that ``mq_files`` of pytest's configuration names."""
    from mqclause.model.configuration.members import read

    named = pytestconfig.getini(FILES)
    if not named:
        raise pytest.UsageError(f"{FILES} is not set: name the files of the cluster in pytest's configuration")
    root = pytestconfig.rootpath
    return read(*(_below(str(root), each) for each in named))


def _below(root: str, named: str) -> str:
    """A name as it is seen from the root folder, as other paths of pytest's configuration are."""
    from pathlib import Path

    owner, equals, path = named.rpartition("=")
    return f"{owner}{equals}{Path(root) / path}"
