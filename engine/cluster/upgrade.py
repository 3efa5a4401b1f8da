"""Members of a cluster at another edition of MQ: what becomes of puts is asked for before and after an upgrade."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from attrs import asdict, frozen

from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.members import Members, get_local_name, set_command_level
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import Diagnostic, FactsError, quote_value, suggest_allowed, suggest_name
from mqclause.rulebook.loader import EVIDENCE, get_edition
from mqclause.rulebook.rules import Rules
from mqclause.workload.editions import describe_missing_level, locate_edition

UPGRADE_OPTION, EDITION_OPTION = "--upgrade", "--edition"


@frozen
class Upgrade:
    """A queue manager with its edition before and after.

    ``edition_from`` says where the one before is from, blank if no file tells it and the oldest is assumed.
    ``evidence`` and ``source`` say how it is known what holds after, see mqclause.rulebook.reading.
    """

    queue_manager: str
    before: str
    edition_from: str
    after: str
    evidence: str
    source: str

    @classmethod
    def between(cls, before: Snapshot, after: Snapshot, rules: Rules) -> Upgrade:
        """Return what changes for a member between two sides."""
        was, now = (rules.of_level(each.cluster.queue_manager.command_level) for each in (before, after))
        own, told = before.cluster.queue_manager, locate_edition(was, before)
        of_later = rules.toml("editions.toml").get(now.edition, {})
        evidence, source = of_later.get("evidence", "recalled"), of_later.get("source", "")
        return cls(own.name, was.edition, told if own.command_level else "", now.edition, evidence, source)

    @property
    def gist(self) -> tuple[str, str, str]:
        """What it has in common with others: the edition before, as far as it is known, the one after, and how."""
        before = self.before if self.edition_from else f"{self.before}, which is assumed,"
        known = f"; of {self.after}: {EVIDENCE[self.evidence]} ({self.source})" if self.source else ""
        return before, self.after, known

    @property
    def unknown(self) -> tuple[MissingInformation, ...]:
        """The command level, where the edition before is assumed."""
        return () if self.edition_from else (describe_missing_level(self.queue_manager),)

    def to_json(self) -> dict[str, Any]:
        """Return it as in ``mqclause.plan/1``."""
        return {**asdict(self), "edition_from": self.edition_from or "default"}


def begin_at(members: Members, edition: str, rules: Rules) -> Members:
    """Set the edition of every member, whatever its files tell. Raises FactsError."""
    level = _level_of(edition, rules, EDITION_OPTION)
    return tuple(set_command_level(each, level, EDITION_OPTION) for each in members)


def upgrade_members(members: Members, pattern: str, edition: str, rules: Rules) -> Members:
    """Set the edition of the members whose name fits ``pattern``; ``*`` in it stands for any text.

    Those that are of that edition already stay as they are. A pattern passes by those above it; one of them that is
    named is a FactsError, as all other faults are.
    """
    level, names = _level_of(edition, rules, UPGRADE_OPTION), [get_local_name(each) for each in members]
    fitting = [each for each in members if fnmatchcase(get_local_name(each), pattern)]
    if not fitting:
        said = f"no source describes the queue manager {quote_value(pattern)}; described: {', '.join(names)}"
        raise _fault(f"{said}{suggest_name(pattern, names)}")
    above = [each for each in fitting if each.cluster.queue_manager.command_level > level]
    for each in above if "*" not in pattern else ():
        own = each.cluster.queue_manager
        if (of_level := get_edition(own.command_level, rules.levels)) != edition:
            raise _fault(f"{own.name} is of command level {own.command_level}, edition {of_level}, above {edition}")
    return tuple(
        set_command_level(each, level, UPGRADE_OPTION) if each in fitting and each not in above else each
        for each in members
    )


def list_upgrades(before: Iterable[Snapshot], after: Iterable[Snapshot], rules: Rules) -> list[Upgrade]:
    """List the members that are of another edition after a change."""
    later = {get_local_name(each): each for each in after}
    pairs = ((each, later[get_local_name(each)]) for each in before if get_local_name(each) in later)
    found = (Upgrade.between(one, other, rules) for one, other in pairs)
    return [each for each in found if each.before != each.after]


def _level_of(edition: str, rules: Rules, option: str) -> int:
    level = rules.levels.get(edition, 0)
    if not level:
        known = [name for name, own in rules.levels.items() if own]
        raise _fault(f"{quote_value(edition)} is no edition{suggest_allowed(edition, known)}", option)
    return level


def _fault(message: str, option: str = UPGRADE_OPTION) -> FactsError:
    return FactsError([Diagnostic(option, message)])
