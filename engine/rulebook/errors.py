"""What can be wrong with rules, or with what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable

from mqclause.model.diagnostic import PickledError


class RuleError(PickledError):
    """A rule file that cannot be used: its path within rules/, the key, and what is wrong with it.

    ``others`` are faults of the same file, of other keys: all of them are told, a line each.
    """

    def __init__(self, path: str, key: str, message: str, others: Iterable[RuleError] = ()) -> None:
        self.path, self.key, self.message, self.others = path, key, message, tuple(others)
        own = f"rules/{path}: {key}: {message}" if key else f"rules/{path}: {message}"
        super().__init__("\n".join([own, *map(str, self.others)]))


class UnansweredError(RuleError):
    """What rules of one's own leave without an answer: those that come with the project answer everything."""


class ReadingError(ValueError):
    """A reading, a choice or an edition that the rules do not have."""
