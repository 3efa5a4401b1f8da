"""What a configuration should be looked at for: findings by severity and object, with the place in the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from attrs import frozen

from mqclause.answers import ShownAnswer
from mqclause.check.findings import Finding
from mqclause.check.report import Findings
from mqclause.pages.diagram import State
from mqclause.pages.page import RuleText, list_rule_texts, say_origin
from mqclause.render.documents import Document
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.rulebook.rules import Rules

STATES: Mapping[str, State] = {"error": "error", "warning": "warning"}
"""The state that stands for a severity; any other is a hint."""


@frozen
class FindingView:
    """A finding; ``place`` is the file and the line."""

    severity: str
    rule: str
    clause: str
    type: str
    name: str
    queue_manager: str
    attribute: str
    message: str
    remedy: str
    place: str

    @property
    def state(self) -> State:
        """The state that its mark shows."""
        return STATES.get(self.severity, "hint")


@frozen
class CheckView:
    """Findings to look at: those of each severity, the most severe first."""

    template: ClassVar[str] = "check.html"

    groups: tuple[tuple[str, tuple[FindingView, ...]], ...]
    files: int
    origin: str
    rules: Mapping[str, RuleText]

    @property
    def title(self) -> str:
        """The title of the page."""
        found = ", ".join(f"{len(of)} {name}{'s' if len(of) > 1 else ''}" for name, of in self.groups)
        return f"Check: {found}" if found else "Check: nothing found"


def view_findings(answer: Findings | Iterable[Finding] | Document, rules: Rules | None = None) -> CheckView:
    """View findings, or their JSON document; ``rules`` are those of the checks, unless the project's own."""
    by = Rules.given(rules)
    if isinstance(answer, Mapping):
        listed, origin = answer["findings"], say_origin(answer)
    else:
        listed = [each.to_json() for each in answer]
        origin = say_origin(answer.origin_keys) if isinstance(answer, ShownAnswer) else str(by.origin or "")
    found = sorted(map(view_finding, listed), key=lambda each: (each.queue_manager, each.type, each.name))
    groups = ((name, tuple(each for each in found if each.severity == name)) for name in SEVERITIES)
    named = sorted({each.rule for each in found})
    files = len({each["source"]["file"] for each in listed})
    return CheckView(tuple(each for each in groups if each[1]), files, origin, list_rule_texts(by, named))


def view_finding(document: Document) -> FindingView:
    """View the document of one finding."""
    about, source = document["object"], document["source"]
    place = f"{source['file']}:{source['line']}" if source["line"] else source["file"]
    return FindingView(
        document["severity"], document["rule"], document["clause"], about["type"], about["name"],
        about["queue_manager"], document["attribute"], document["message"], document["remedy"], place,
    )  # fmt: skip
