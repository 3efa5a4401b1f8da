"""In which order the rules of a document run: that of their numbers, but for those that say where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from mqclause.model.diagnostic import quoted
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule_file import FILE_NAME

SIDES = {"before": 0, "after": 2}
"""The keys by which a rule is moved, and where it then stands beside the rule named, whose own side is between."""
ITSELF = 1

MOST_MOVED = 50
"""So many rules may be moved, each beside the next."""


def files_in_order(ruleset: str, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The rule files of a folder, by the numbers of their rules; a range comes after its last number.

    A rule that says ``before`` or ``after`` runs just there, wherever the rule that it names stands: a clause that says
    how an earlier one is read has to stand before that one. Raises RuleError, also for two rules of one number.
    """
    of_number: dict[str, str] = {}
    for file in files:
        number = _number(file)
        if number and of_number.setdefault(number, file) != file:
            said = f"has the number of {of_number[number]}; a rule has one of its own, like {number}b"
            raise RuleError(f"{ruleset}/{file}", "", said)
    order = _Order(ruleset, files, of_number)
    return sorted(files, key=lambda file: (*order.place(file), ITSELF))


@frozen
class _Order:
    ruleset: str
    files: Mapping[str, Mapping[str, Any]]
    of_number: Mapping[str, str]

    def place(self, file: str, moved: tuple[str, ...] = ()) -> tuple[int | str, ...]:
        """Where a rule stands; ``moved`` are those that stand beside it."""
        table, own = self.files[file], _place(_number(file))
        key, *others = [key for key in SIDES if key in table] or [""]
        if not key:
            return own
        if others:
            raise RuleError(f"{self.ruleset}/{file}", "after", "stands beside before; a rule is moved once")
        target, _, number = str(table[key]).partition(".")
        if target != self.ruleset or number not in self.of_number:
            said = f"{quoted(table[key])} is not a rule of {self.ruleset}, like {self.ruleset}.{min(self.of_number)}"
            raise RuleError(f"{self.ruleset}/{file}", key, said)
        to = self.of_number[number]
        if to in (file, *moved):
            raise RuleError(f"{self.ruleset}/{file}", key, f"{quoted(table[key])} is moved beside this rule itself")
        if len(moved) == MOST_MOVED:
            said = f"{quoted(table[key])} is moved, and so are {MOST_MOVED} rules one beside the other"
            raise RuleError(f"{self.ruleset}/{file}", key, said)
        return (*self.place(to, (file, *moved)), SIDES[key], *own)


def _number(file: str) -> str:
    """The number in a file's name; blank where it has none, which is told when the file is read."""
    found = FILE_NAME.fullmatch(file)
    return found["number"] if found else ""


def _place(number: str) -> tuple[int, int, str]:
    if not number[:1].isdigit():
        return (1, 0, number)
    digits, letters = number.rstrip("abcdefghijklmnopqrstuvwxyz"), number.lstrip("0123456789.-")
    first, dash, last = digits.partition("-")
    whole, _, part = (last or first).partition(".")
    return (0, int(whole), "~" if dash else f"{part}{letters}")
