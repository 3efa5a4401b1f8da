"""Administration: the rules of document 004, asked what becomes of one thing."""

from __future__ import annotations

from mqclause.answers.choice.settled import SettledBy
from mqclause.documents import ADMINISTRATION
from mqclause.executors.course import Course
from mqclause.executors.run import ExecutorName
from mqclause.model.timeline.matter import Matter
from mqclause.rulebook.rules import Rules


class Settled(SettledBy):
    """What becomes of a matter: the ``rule`` that settles it (None: nothing does), and what the rules derived."""

    @property
    def becomes(self) -> str:
        """What becomes of it, in a word; blank: nothing."""
        found: str = self.facts["becomes"]
        return found

    @property
    def rule_id(self) -> str:
        """The id of that rule; blank where nothing becomes of it."""
        return self.rule.id if self.rule else ""


class Administration:
    """The rules of document 004, ready to be asked. Safe to share between threads. Raises RuleError."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.course = Course.of(Rules.given(rules), ADMINISTRATION, executor)

    def ask(self, matter: Matter) -> Settled:
        """What becomes of one thing."""
        return Settled.of(matter, self.course)
