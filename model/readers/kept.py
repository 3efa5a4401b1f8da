"""What is made of a text once, and kept for all that are alike: files say the same of thousands of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MOST_ALIKE = 20_000
"""So many values and shapes are kept to be recognised again: a file of nothing but different ones is none the worse."""


LONGEST_ALIKE = 300
"""A longer text is hardly ever the same again."""


class Kept(dict[Any, Any]):
    """What ``make`` makes of a text, made once for many that are alike."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, str) and len(key) > LONGEST_ALIKE:
            return self.make(key)
        if len(self) >= MOST_ALIKE:
            self.clear()
        made = self[key] = self.make(key)
        return made
