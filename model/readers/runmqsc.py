"""Output of runmqsc, which is told from scripts and not read yet."""

from __future__ import annotations

import re

from mqclause.model.readers.format import Confidence, Format

RUNMQSC_MESSAGE = re.compile(r"^[ \t]*(?:AMQ\d{4}[A-Z]?: |5724-\w+ \(C\))", re.MULTILINE)


def _recognised(text: str, _: str) -> Confidence:
    """By a numbered message, or the line that runmqsc begins with."""
    return Confidence.sure_if(RUNMQSC_MESSAGE.search(text))


RUNMQSC = Format("runmqsc", "output of runmqsc", _recognised)
