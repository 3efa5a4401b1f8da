"""The page of a check: what it asks, why, what mends it, the clause, and an example, from the rule's own file."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from mqclause.answers.findings import Checks
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
        yield f"A finding is: {rule.severity}. Attribute: {rule.attribute.upper()}. Asked by: {self.asked_by}."
        yield from ("", rule.why, "", "What mends it:", "")
        remedies = rule.action.remedies if isinstance(rule.action, Holds) else ()
        for each in remedies:
            mended = [f"`{each.command.text}`"] if each.command else []
            yield "- " + "; ".join([*mended, *([each.advice.text] if each.advice else [])])
        for said, script in (
            ("Found in", rule.example and rule.example.found),
            ("Not in", rule.example and rule.example.clean),
        ):
            yield from ("", f"{said}:", "", "```", *str(script).strip().splitlines(), "```")


def pages(checks: Checks) -> str:
    """The pages of all checks, as one text that comes with the rules: ``mqclause check --about all`` prints it."""
    head = ("# What `mqclause check` looks at", "", "Made of the rule files by `mqclause check --about all`.", "")
    return "\n".join((*head, *(CheckPage.of(checks, name).markdown() + "\n" for name in checks.rules)))


def _titles(rules: Rules) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in clause_files(rules):
        found.setdefault(each.document, each.title)
    return found
