"""The command levels that sources tell of queue managers: by which words, and where they contradict one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from attrs import frozen

from mqclause.model.configuration.provenance import Origin
from mqclause.model.diagnostics import Diagnostic
from mqclause.model.readers.records import Record, Script

COMMAND_LEVEL = "Queue manager command level"
"""What the head of a dump calls CMDLEVEL."""

LEVELS_OF_RELEASE = 10
"""The command levels of one release: 930 to 939 are of 9.3."""


@frozen
class LevelStatement:
    """What one line of a source says of a queue manager's command level.

    ``said`` are its words, as ``VERSION(09030002)``, and ``named`` is what an edition is said to come from. ``levels``
    has the one that it is taken to mean first, then others that it may mean; it is empty where the words are no level.
    """

    said: str
    named: str
    levels: tuple[int, ...]
    origin: Origin

    @classmethod
    def of_level(cls, said: str, levels: tuple[int, ...], origin: Origin) -> LevelStatement:
        """Make a statement of the level itself."""
        return cls(said, f"CMDLEVEL {levels[0]}" if levels else "", levels, origin)

    @property
    def placed(self) -> str:
        """The words, and where they stand."""
        return f"{self.said} ({self.origin})"


@frozen
class CommandLevel:
    """The command level of a queue manager: the first of its ``statements`` that has one counts."""

    queue_manager: str
    statements: tuple[LevelStatement, ...]

    @property
    def told(self) -> LevelStatement | None:
        """The statement that counts; None where the level is not told."""
        return next((each for each in self.statements if each.levels), None)

    @property
    def level(self) -> int:
        """The level, 0 where it is not told."""
        return self.told.levels[0] if self.told else 0

    @property
    def contradicting(self) -> tuple[LevelStatement, ...]:
        """The statements by which it would be of another release."""
        now = self.level // LEVELS_OF_RELEASE
        others = (each for each in self.statements if each.levels)
        return tuple(each for each in others if now not in {level // LEVELS_OF_RELEASE for level in each.levels})

    @property
    def others(self) -> tuple[int, ...]:
        """The levels that it may have as well, by what contradicts, or by what the statement leaves open."""
        left_open = self.told.levels[1:] if self.told else ()
        return tuple(dict.fromkeys([*left_open, *(level for each in self.contradicting for level in each.levels)]))

    @property
    def doubt(self) -> str:
        """What contradicts what, in words; blank if nothing does."""
        if self.told is None or not self.others:
            return ""
        return " or ".join(each.placed for each in (self.told, *self.contradicting[:1]))

    def find_remarks(self) -> Iterator[Diagnostic]:
        """Find statements that are no level or leave two open, and the first that contradicts the one that counts."""
        for each in self.statements:
            if not each.levels:
                said = f"{each.said} is no command level that a queue manager has: passed by"
                yield Diagnostic(each.origin.source, said, each.origin.line)
            elif len(each.levels) > 1:
                said = f"{each.said} names two command levels; the lower one counts where nothing else tells it"
                yield Diagnostic(each.origin.source, said, each.origin.line)
        if self.told is not None and (against := self.contradicting):
            whose = self.queue_manager or "the queue manager"
            said = f"{against[0].said} of {whose} contradicts {self.told.placed}, which counts"
            yield Diagnostic(against[0].origin.source, said, against[0].origin.line)


NO_LEVEL = CommandLevel("", ())


def find_command_levels(scripts: Iterable[Script], local: str) -> Mapping[str, CommandLevel]:
    """Find what scripts tell of command levels, by queue manager; ``local`` has those that name none.

    CMDLEVEL or VERSION of the queue manager itself count first, then the head of its dump, of whose two numbers the
    lower one counts where they differ, then VERSION in what is known of it in a cluster.
    """
    found: dict[str, tuple[list[LevelStatement], ...]] = {}
    for script in scripts:
        owner = script.queue_manager or local
        for name, rank, statement in _find_statements(script, owner):
            found.setdefault(name, ([], [], [], []))[rank].append(statement)
    return {name: CommandLevel(name, tuple(chain(*ranked))) for name, ranked in found.items()}


def write_version(level: int) -> str:
    """Write a command level as the version that MQ displays of it, as 09030000 of 930."""
    return f"{level // 100:02}{level // 10 % 10:02}{level % 10:02}00"


def _find_statements(script: Script, owner: str) -> Iterator[tuple[str, int, LevelStatement]]:
    """What a script of ``owner`` tells: the queue manager, and how far behind other statements it stands."""
    if told := script.header.get(COMMAND_LEVEL, "").strip():
        place = Origin("observed", script.source, script.header_lines.get(COMMAND_LEVEL))
        yield owner, 2, LevelStatement.of_level(f"command level {told} in the head", _parse_levels(told), place)
    for record in script.records:
        if record.kind == "QMGR":
            if told := _get_shown(record, "CMDLEVEL"):
                place = _place(record, "CMDLEVEL")
                yield owner, 0, LevelStatement.of_level(f"CMDLEVEL({told})", _parse_levels(told), place)
            if told := _get_shown(record, "VERSION"):
                yield owner, 1, _read_version(told, _place(record, "VERSION"))
        elif record.kind == "CLUSQMGR" and (told := _get_shown(record, "VERSION")):
            yield record.name, 3, _read_version(told, _place(record, "VERSION"))


def _get_shown(record: Record, attribute: str) -> str:
    """What a record says under an attribute, or shows beside those that can be set."""
    value = record.attributes.get(attribute) or record.informational.get(attribute, "")
    return (value if isinstance(value, str) else " ".join(value)).strip()


def _place(record: Record, attribute: str) -> Origin:
    return Origin("observed", record.source, *record.place_of(attribute))


def _read_version(told: str, place: Origin) -> LevelStatement:
    return LevelStatement(f"VERSION({told})", f"VERSION {told}", _parse_version(told), place)


def _parse_levels(told: str) -> tuple[int, ...]:
    """The numbers of a text that are command levels, the lowest first."""
    return tuple(sorted({int(each) for each in re.findall(r"(?<![0-9])[0-9]{3,4}(?![0-9])", told)}))


def _parse_version(told: str) -> tuple[int, ...]:
    """The command level of a version, as 930 of 09030002."""
    found = re.fullmatch(r"([0-9]{2})([0-9]{2})([0-9]{2})[0-9]{2}", told)
    return () if found is None else (100 * int(found[1]) + 10 * int(found[2]) + int(found[3]),)
