"""Whether reading takes time in proportion to what is read."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any


def takes_time_in_proportion(read: Callable[[Any], object], content: str | bytes) -> bool:
    """
    Compares the processor's time for ``content`` with that for an eighth of it: 64 times would be its square.

    Once in three is enough: Python may clear up the memory of all the tests before in the middle of one.
    """

    def seconds(part: str | bytes) -> float:
        start = process_time()
        read(part)
        return process_time() - start

    return any(seconds(content) < 30 * seconds(content[: len(content) // 8]) + 0.5 for _ in range(3))
