"""Values of a parameter of which only some are tried without ``-m deep``, and numbers that are all tried on request."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest


def every(step: int, values: Iterable[Any]) -> list[Any]:
    """The values, all but one of so many marked as deep; several values for one test stand in a tuple."""
    return [each if at % step == 0 else _deep(each) for at, each in enumerate(values)]


def first(number: int, values: Iterable[Any]) -> list[Any]:
    """The values, all but the first so many marked as deep; several values for one test stand in a tuple."""
    return [each if at < number else _deep(each) for at, each in enumerate(values)]


def asked(name: str, number: int) -> int:
    """How many of something a deep test tries, unless the environment has another number, as MQCLAUSE_SCHEMAS=150."""
    return int(os.environ.get(f"MQCLAUSE_{name}", number))


def _deep(value: Any) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.deep)
