"""Regular expressions that are compiled when they are first used: a command uses few of all that its modules have."""

from __future__ import annotations

import re
from typing import Any, cast


class _LaterPattern:
    """Stands for a pattern; what is asked of it is kept, so that it costs no more than the pattern itself."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        self.__dict__[name] = found
        return found


def compile_later(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used. Not one of a stranger: a fault in it is told late."""
    return cast("re.Pattern[str]", _LaterPattern(text, flags))
