"""What can be wrong with rules, or with what is asked of them."""

from __future__ import annotations


class RuleError(ValueError):
    """A rule file that cannot be used: its path within rules/, the key, and what is wrong with it."""

    def __init__(self, path: str, key: str, message: str) -> None:
        super().__init__(f"rules/{path}: {key}: {message}" if key else f"rules/{path}: {message}")


class ReadingError(ValueError):
    """A reading, a choice or an edition that the rules do not have."""
