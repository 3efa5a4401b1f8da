"""Inquiries: DISPLAY commands, and whether the answer to one holds that to another."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Self

from attrs import evolve, frozen

from mqclause.model.readers.mqsc.words import SYNONYMS

QUEUE_KINDS = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
"""The kinds that DISPLAY QUEUE asks for."""

_COMMAND = re.compile(
    r"\s*DIS(?:PLAY)?\s+(?:([A-Z]+)\s*\(\s*('?)([^'()\s]+)\2\s*\)|(QMGR)(?![A-Z0-9(]))", re.IGNORECASE
)
_WORD = re.compile(r"([A-Z][A-Z0-9]*)(?:\s*\(((?:[^()']|'[^']*'|\([^()]*\))*)\))?", re.IGNORECASE)

HANDLES = "QSTATUS HANDLE"
"""The kind of what DISPLAY QSTATUS shows with TYPE(HANDLE): a row for each open queue."""

WHICH_STATUS, EVERYWHERE = ("QUEUE", "HANDLE"), ("CMDSCOPE", "QSGDISP", "CHLDISP")
"""Of which things of a queue a status is asked for; what says from where a command is answered, for no fewer objects.
"""


@frozen
class Inquiry:
    """A DISPLAY command: the objects of a ``kind``, with a generic ``name``, and the ``words`` that it asks of them.

    It is ``narrowed`` by what stands here to some of these objects.
    """

    kind: str
    name: str
    words: frozenset[str] = frozenset()
    narrowed: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The inquiry that a command makes; None if it is another one."""
        head = _COMMAND.match(text)
        if head is None:
            return None
        asked = (head[1] or head[4]).upper()
        kind, name = SYNONYMS.get(asked, asked), head[3] or ""
        words, narrowed = set[str](), set[tuple[str, str]]()
        for word, value in _WORD.findall(text, head.end()):
            word, value = SYNONYMS.get(word.upper(), word.upper()), value.strip()
            if word == "TYPE" and value.upper() in (*QUEUE_KINDS, *WHICH_STATUS, "QCLUSTER"):
                kind = value.upper() if kind == "QUEUE" else f"{kind} {value.upper()}".removesuffix(" QUEUE")
            elif value and word not in EVERYWHERE:
                narrowed.add((word, value))
            else:
                words.add(word)
        return cls(kind, name if head[2] else name.upper(), frozenset(words), frozenset(narrowed))

    def finds(self, kind: str, name: str) -> bool:
        """Whether it shows each object of that kind and name that there is."""
        kinds = (*QUEUE_KINDS, *(("QCLUSTER",) if "CLUSINFO" in self.words else ())) if self.kind == "QUEUE" else ()
        return not self.narrowed and kind in (self.kind, *kinds) and self._fits(name)

    def shows(self, attributes: Collection[str]) -> bool:
        """Whether it shows one of the ``attributes`` of what it shows: those that it asks for or, if none, all."""
        shows_all = "ALL" in self.words or not (self.words or "*" in self.name)
        return shows_all or not self.words.isdisjoint(attributes)

    def is_about(self, kind: str, name: str) -> bool:
        """Whether it shows objects of that kind and name, all that there are or some of them."""
        return evolve(self, narrowed=frozenset()).finds(kind, name)

    def answers(self, other: Inquiry) -> bool:
        """Whether what it shows holds all that the other one asks for."""
        of_all = "ALL" in self.words or (self.kind == "QMGR" and not self.words)
        tells = of_all or other.words <= self.words
        is_wide = self.narrowed <= other.narrowed
        return tells and is_wide and self.kind == other.kind and self._fits(other.name)

    def _fits(self, name: str) -> bool:
        return re.fullmatch(re.escape(self.name).replace(r"\*", ".*"), name) is not None
