"""What a format is: how a text in it is told from others, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from attrs import frozen

from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.record import Script

Contents = FactsDocument | Script
"""What one file holds: the tables of a facts document, or the records of one of MQ's own formats."""


class Confidence(IntEnum):
    """How sure a format is that a text is in it."""

    NO = 0
    LIKELY = 1
    SURE = 2

    @classmethod
    def sure_if(cls, told: object) -> Confidence:
        """SURE if ``told`` is true or something, else NO."""
        return cls.SURE if told else cls.NO


@frozen
class Format:
    """One format that a file can be in.

    ``title`` is how messages list it. ``recognised`` looks at a text, which is not blank, and the name of its file.
    ``read`` makes the contents of a text and a source's name and never raises: faults stand in their diagnostics.
    It is None for a format that is told from the others so that it can be refused: ``refused`` says what is there. With
    ``in_pieces`` it takes a large text in pieces, too, each of which ends with a line, and ``recognised`` need not see
    all of them at once.
    """

    name: str
    title: str
    recognised: Callable[[str, str], Confidence]
    read: Callable[[Any, str], Contents] | None = None
    in_pieces: bool = False
    refused: Callable[[str], str] | None = None
