"""What ends a run before it is done: Ctrl-C and SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TERMINATED = 128 + signal.SIGTERM


@contextmanager
def ended_by_sigterm() -> Iterator[Event]:
    """Has SIGTERM end the process like Ctrl-C does, so that nothing is left behind."""
    received = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        received.set()
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def stopped_by_signals(connection: DuckDBPyConnection) -> Iterator[None]:
    """Has Ctrl-C and SIGTERM stop a query. DuckDB alone lets its threads go on until what they are at is done."""

    def stop(handler: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None) -> None:
        connection.interrupt()
        handler(number, frame)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number, handler in before.items():
        signal.signal(number, partial(stop, handler))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
