"""Which platform a queue manager is on, by what its sources say."""

from __future__ import annotations

from collections.abc import Sequence

from mqclause.model.readers.record import Script

PLATFORM = "Queue manager platform"
"""How a dump says it."""


def platform_of(scripts: Sequence[Script], shown: str) -> str:
    """ZOS or MULTI, by what the scripts say of themselves and by what was ``shown`` as PLATFORM."""
    stated = " ".join([shown, *(script.header.get(PLATFORM, "") for script in scripts)]).upper()
    return "ZOS" if "Z/OS" in stated or "MVS" in stated else "MULTI"
