"""What ends a command besides faults of its input."""

from __future__ import annotations


class NothingAskedError(ValueError):
    """The facts hold nothing that could be answered, and no option names it."""


class DisagreementError(RuntimeError):
    """Two executors gave different answers: an error of ours, never of the input."""


class BatchError(Exception):
    """The table cannot be decided; the message is one line."""


class NotWrittenError(BatchError):
    """The table that was decided cannot be written: the disk is full."""


class OutputError(Exception):
    """Standard output takes no more. ``is_closed`` where its reader went, who has had enough."""

    def __init__(self, error: OSError) -> None:
        self.is_closed = isinstance(error, BrokenPipeError)
        super().__init__(f"standard output: {(error.strerror or 'cannot be written').lower()}")
