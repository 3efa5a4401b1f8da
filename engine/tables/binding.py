"""Bindings: names for the results of SQL expressions, each evaluated once and used by those after it."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

TRUE, FALSE = "TRUE", "FALSE"
EMPTY = "CAST([] AS BIGINT[])"
"""No destinations."""

PREFIX = "mq_"
"""What the names of bindings begin with, so that they are no column's."""


@define
class Bindings:
    """Collects bindings in order; an expression that is a name already gets no second one."""

    found: dict[str, str] = field(factory=dict)

    def bind(self, name: str, source: str) -> str:
        """Binds ``source`` and returns the binding's name, which is a variation of ``name``."""
        if source.startswith(PREFIX) and source.isidentifier():
            return source
        unique, number = f"{PREFIX}{name}", 1
        while unique in self.found:
            number += 1
            unique = f"{PREFIX}{name}_{number}"
        self.found[unique] = source
        return unique

    def same(self, name: str, source: str) -> str:
        """The binding that is made of ``source`` already, or a new one."""
        made = next((known for known, other in self.found.items() if other == source), None)
        return made or self.bind(name, source)

    def once(self, name: str, source: str) -> str:
        """The binding of that name, which is made of ``source`` if it is not there yet."""
        return f"{PREFIX}{name}" if f"{PREFIX}{name}" in self.found else self.bind(name, source)


def both(*conditions: str) -> str:
    """Whether all hold; what is always true is left out."""
    parts = [each for each in conditions if each != TRUE]
    if FALSE in parts:
        return FALSE
    return " AND ".join(parts) or TRUE


def either(conditions: Iterable[str]) -> str:
    """Whether any holds."""
    parts = [each for each in conditions if each != FALSE]
    if TRUE in parts:
        return TRUE
    return f"({' OR '.join(parts)})" if parts else FALSE


def when(condition: str, then: str, otherwise: str) -> str:
    """``then`` where the condition holds, else ``otherwise``; only the one that is needed is evaluated."""
    if condition in (TRUE, FALSE):
        return then if condition == TRUE else otherwise
    return f"CASE WHEN {condition} THEN {then} ELSE {otherwise} END"
