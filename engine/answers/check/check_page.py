"""The page of a check: what it asks, why, what mends it, the clause, and an example, from the rule's own file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from mqclause.answers.check.findings import Checks
from mqclause.rulebook.clause import clause_files
from mqclause.rulebook.rule import Holds, Rule
from mqclause.rulebook.rules import Rules


@frozen(eq=False)
class CheckPage:
    """One check for a reader. ``document`` is the title of the one whose clause it follows; blank for our own list."""

    rule: Rule
    document: str

    @classmethod
    def of(cls, checks: Checks, rule_id: str) -> CheckPage:
        """The page of one of the rules that make findings. Raises KeyError."""
        rule = checks.rules[rule_id]
        return cls(rule, _titles(checks.engine.rules).get(rule.follows.partition("/")[0], ""))

    @property
    def asked_by(self) -> str:
        """The clause that asks for it."""
        about, _, number = self.rule.follows.partition("/")
        return f"clause {number} of {about} ({self.document})"

    def markdown(self) -> str:
        """The whole page."""
        return "\n".join((f"## {self.rule.id}", "", f"{self.rule.title}.", "", *self._lines()))

    def help(self) -> str:
        """The page without its head."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        rule = self.rule
        attribute = rule.attribute.upper() if rule.attribute.isidentifier() else "the one that it names"
        yield f"A finding is: {' or '.join(rule.severities)}. Attribute: {attribute}. Asked by: {self.asked_by}."
        yield from ("", rule.why, "", "What mends it:", "")
        remedies = rule.action.remedies if isinstance(rule.action, Holds) else ()
        for each in remedies:
            mended = [f"`{each.command.text}`"] if each.command else []
            yield "- " + "; ".join([*mended, *([each.advice.text] if each.advice else [])])
        for said, script in (
            ("Found in", rule.example and rule.example.found),
            ("Not in", rule.example and rule.example.clean),
        ):
            files = example_files(script or "")
            named = f" these {len(files)} files" if len(files) > 1 else ""
            yield from ("", f"{said}{named}:")
            for text in files:
                yield from ("", "```", *text.splitlines(), "```")


def example_files(script: str) -> list[str]:
    """An example as the files that it has: one for each queue manager that it names."""
    return [part.strip() for part in _BEGINNING.split(script) if part.strip()]


_BEGINNING = re.compile(r"(?m)^(?=\* Queue manager name:)")


def pages(checks: Checks) -> str:
    """The pages of all checks, as one text that comes with the rules: ``mqclause check --about all`` prints it."""
    head = ("# What `mqclause check` looks at", "", "Made of the rule files by `mqclause check --about all`.", "")
    return "\n".join((*head, *(CheckPage.of(checks, name).markdown() + "\n" for name in checks.rules)))


def _titles(rules: Rules) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in clause_files(rules):
        found.setdefault(each.document, each.title)
    return found
