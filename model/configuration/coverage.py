"""Coverage: what the files of a queue manager hold, and would hold if it were there: dumps by their command, logs by
the displays that they answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

from attrs import frozen

from mqclause.model.diagnostics import Diagnostic
from mqclause.model.facts.domains import quote_name
from mqclause.model.readers.facts_files import JSON, TOML
from mqclause.model.readers.mqsc import BEGINNING, END, ISSUED
from mqclause.model.readers.records import QUEUE_KINDS, CombinedCoverage, Coverage, Inquiry, Script, TextCache

PARTIAL_DUMP = "this dump holds {}: dmpmqcfg -a tells the rest"


@frozen
class AnsweredInquiries:
    """The DISPLAY ``commands`` whose output the logs of a queue manager hold, if only that nothing is there.

    ``alone``: nothing else tells of it, and all of its logs echo their commands.
    """

    commands: tuple[Inquiry, ...] = ()
    alone: bool = False

    @classmethod
    def at(cls, scripts: Iterable[Script], local: str, alone: bool = True) -> Self:
        """Gather what was asked at the queue manager ``local``; ``alone``: scripts are all that tells of it."""
        of = select_own_scripts(scripts, local)
        echoed = bool(of) and all(each.asked and any(one.action == "observe" for one in each.records) for each in of)
        return cls(tuple(command for log in of for command in log.asked), alone and echoed)

    def tells(self, kind: str, name: str) -> bool:
        """Whether they tell if there is an object of that kind and name."""
        exact, generic = self._finding[kind]
        return name in exact or any(each.is_exhaustive_for(kind, name) for each in generic)

    def shows(self, kind: str, name: str, attribute: str) -> bool:
        """Whether they ask for an attribute of an object of that kind and name."""
        exact, generic = self._about[kind]
        return any(each.shows((attribute,)) for each in (*exact.get(name, ()), *generic) if each.is_about(kind, name))

    def holds(self, command: str) -> bool:
        """Whether their output holds what ``command``, a DISPLAY, would show."""
        asked = Inquiry.of(command)
        return asked is not None and any(each.answers(asked) for each in self.commands)

    @cached_property
    def _finding(self) -> TextCache:
        """By kind the names that were asked for, and the commands with generic ones: there may be thousands."""
        return TextCache(self._of_kind)

    def _of_kind(self, kind: str) -> tuple[frozenset[str], Sequence[Inquiry]]:
        finding = [each for each in self.commands if each.is_exhaustive_for(kind, each.name)]
        generic = [each for each in finding if "*" in each.name]
        return frozenset(each.name for each in finding), generic

    @cached_property
    def _about(self) -> TextCache:
        """By kind the commands about one object, by its name, and those about objects of a generic name."""
        return TextCache(self._about_kind)

    def _about_kind(self, kind: str) -> tuple[Mapping[str, Sequence[Inquiry]], Sequence[Inquiry]]:
        exact = dict[str, list[Inquiry]]()
        about = [each for each in self.commands if each.is_about(kind, each.name)]
        for each in about:
            exact.setdefault(each.name, []).append(each)
        return exact, [each for each in about if "*" in each.name]

    def find_missing_commands(self, name: str, kind: str) -> Iterator[tuple[str, str]]:
        """Whether a local queue, or a ``kind`` in a cluster, has that name: what is not told, by which command."""
        if not all(self.tells(each, name) for each in QUEUE_KINDS if each != "QMODEL"):
            yield f"whether there is a queue {name}", f"DISPLAY QUEUE({quote_name(name)}) ALL"
        if not self.tells(kind, name):
            yield f"whether {name} is known in a cluster", f"DISPLAY {kind}({quote_name(name)}) ALL"


NO_INQUIRIES = AnsweredInquiries()


def build_coverage(scripts: Sequence[Script]) -> CombinedCoverage:
    """Gather what the scripts of one queue manager hold; a log beside a dump adds what it asked for."""
    dumps = [each.coverage for each in scripts if each.coverage and not each.overlay]
    asked = [[Coverage.asked(each.kind, each.name) for each in log.asked if not each.narrowed] for log in scripts]
    return CombinedCoverage.by([*dumps, *asked] if dumps else ())


def build_coverage_at(scripts: Iterable[Script], local: str) -> CombinedCoverage:
    """Gather the same of the queue manager ``local``; a script that does not name one is of it."""
    return build_coverage([each for each in scripts if each.queue_manager in ("", local)])


def find_partial_dumps(scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """Find dumps of only some objects, unless another one has all, and what readers note of a file, as remarks."""
    given = list(scripts)
    for script in given:
        yield from script.notes
        if not any(each.is_whole for other in given if other.queue_manager == script.queue_manager
                   for each in other.coverage):  # fmt: skip
            for each in script.coverage:
                if not each.is_meant_whole:
                    yield Diagnostic(script.source, PARTIAL_DUMP.format(each), script.header_lines.get(ISSUED))


def select_own_scripts(scripts: Iterable[Script], local: str) -> Sequence[Script]:
    """Select the scripts of the queue manager ``local``, but for overlays."""
    return [each for each in scripts if (each.queue_manager or local) == local and not each.overlay]


def has_complete_dump(scripts: Iterable[Script]) -> bool:
    """Whether a dump of a queue manager that has its trailer is among its ``scripts``: it names each object."""
    return any(each.is_whole for script in scripts if BEGINNING in script.header for each in script.coverage)


def describe_truncation(script: Script) -> str:
    """Say that a dump ends before its trailer; blank if it does not."""
    of = f" of {script.queue_manager}" if script.queue_manager else ""
    return (
        f"the dump {script.source}{of} ends before its trailer: its last objects are missing"
        if _is_cut(script.header)
        else ""
    )


def _is_cut(header: Mapping[str, str]) -> bool:
    return BEGINNING in header and END not in header


def is_complete_script(script: Script) -> bool:
    """Whether it names all that a queue manager has."""
    return (BEGINNING in script.header and any(each.is_whole for each in script.coverage)) or is_facts_script(script)


def is_facts_script(script: Script) -> bool:
    """Whether it also tells all that there is in its clusters, as a facts document does."""
    return script.format in (TOML.name, JSON.name)
