"""The columns of a table of occasions: what happened to a queue, and what the trigger rules answer."""

from __future__ import annotations

from attrs import NOTHING, fields

from mqclause.language.vocabulary import words_of
from mqclause.model.facts.domains import LARGEST, Flag, Text, Whole, Words
from mqclause.model.timeline.occasion import Occasion
from mqclause.tables.columns import Column

LARGEST_COUNT = 2**62 - 1
"""Two of them can be added up."""


def _domain(kind: str, words: tuple[str, ...]) -> Words | Whole | Flag | Text:
    if words:
        return Words(words)
    if kind == "boolean":
        return Flag()
    return Whole(0, LARGEST_COUNT) if kind == "whole" else Text(LARGEST)


OCCASION = {
    each.name: Column(
        each.name,
        _domain(words_of(Occasion, "situation")[each.name].type.kind, tuple(each.metadata.get("words", ()))),
        "" if each.default is NOTHING else each.default,
    )
    for each in fields(Occasion)
}
"""The fields of ``occasion``: those of model.timeline.occasion.Occasion, with its defaults for null."""

TRIGGERING = {
    "outcome": "text",
    "rule": "text",
    "available": "boolean",
    "turns_off": "boolean",
    "failing": "texts",
    "message": "text",
}
"""The fields of ``triggering``: ``triggers``, ``silent`` or ``invalid``; the rule by which a trigger message is
written; whether it is available at once; whether it switches triggering off; the conditions that do not hold."""
