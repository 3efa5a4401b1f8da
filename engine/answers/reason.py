"""A reason code, as an answer gives it."""

from __future__ import annotations

from attrs import frozen


@frozen
class Reason:
    """A reason code: its MQRC name, its number, the MQI call that returns it, and why."""

    name: str
    code: int
    call: str
    rule: str
    because: str
