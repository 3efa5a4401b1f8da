"""Whether reading takes time in proportion to what is read."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time
from typing import Any


def takes_time_in_proportion(read: Callable[[Any], object], content: str | bytes) -> bool:
    """Compares the processor's time for ``content`` with that for an eighth of it: 64 times would be its square.

    Meanwhile Python does not clear up, which goes through the memory of all the tests before. Once in three is enough.
    """

    def seconds(part: str | bytes) -> float:
        start = process_time()
        read(part)
        return process_time() - start

    gc.disable()
    try:
        return any(seconds(content) < 30 * seconds(content[: len(content) // 8]) + 0.5 for _ in range(3))
    finally:
        gc.enable()
