"""Values of a parameter of which only the first few are tried without ``-m deep``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(number: int, values: Iterable[Any]) -> list[Any]:
    """The values, all but the first so many marked as deep; several values for one test stand in a tuple."""
    return [
        each if at < number else pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.deep)
        for at, each in enumerate(values)
    ]
