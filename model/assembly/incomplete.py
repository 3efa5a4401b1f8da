"""What sources do not tell although it could change an answer."""

from __future__ import annotations

from attrs import frozen


@frozen
class Incomplete:
    """Something that no source tells: ``what`` in words, the MQ ``object`` it is about, the ``command`` that tells."""

    what: str
    object: str
    command: str
