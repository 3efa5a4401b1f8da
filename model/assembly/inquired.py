"""What DISPLAY commands were carried out at a queue manager: whatever proposes one asks here whether it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

from attrs import frozen

from mqclause.model.readers.inquiry import QUEUE_KINDS, Inquiry
from mqclause.model.readers.kept import Kept
from mqclause.model.readers.record import Script


@frozen
class Inquired:
    """The DISPLAY ``commands`` whose output the logs of a queue manager hold, if only that nothing is there.

    ``alone``: nothing else tells of it, and all of its logs echo their commands.
    """

    commands: tuple[Inquiry, ...] = ()
    alone: bool = False

    @classmethod
    def at(cls, scripts: Iterable[Script], local: str, alone: bool = True) -> Self:
        """What was asked for at the queue manager ``local``, of which the scripts ``alone`` tell."""
        of = own_scripts(scripts, local)
        echoed = bool(of) and all(each.asked and any(one.action == "observe" for one in each.records) for each in of)
        return cls(tuple(command for log in of for command in log.asked), alone and echoed)

    def tells(self, kind: str, name: str) -> bool:
        """Whether they tell if there is an object of that kind and name."""
        exact, generic = self._finding[kind]
        return name in exact or any(each.finds(kind, name) for each in generic)

    def shows(self, kind: str, name: str, attribute: str) -> bool:
        """Whether they ask for an attribute of an object of that kind and name."""
        exact, generic = self._about[kind]
        return any(each.shows((attribute,)) for each in (*exact.get(name, ()), *generic) if each.is_about(kind, name))

    def holds(self, command: str) -> bool:
        """Whether their output holds what ``command``, a DISPLAY, would show."""
        asked = Inquiry.of(command)
        return asked is not None and any(each.answers(asked) for each in self.commands)

    @cached_property
    def _finding(self) -> Kept:
        """By kind the names that were asked for, and the commands with generic ones: there may be thousands."""
        return Kept(self._of_kind)

    def _of_kind(self, kind: str) -> tuple[frozenset[str], Sequence[Inquiry]]:
        finding = [each for each in self.commands if each.finds(kind, each.name)]
        generic = [each for each in finding if "*" in each.name]
        return frozenset(each.name for each in finding), generic

    @cached_property
    def _about(self) -> Kept:
        """By kind the commands about one object, by its name, and those about objects of a generic name."""
        return Kept(self._about_kind)

    def _about_kind(self, kind: str) -> tuple[Mapping[str, Sequence[Inquiry]], Sequence[Inquiry]]:
        exact = dict[str, list[Inquiry]]()
        about = [each for each in self.commands if each.is_about(kind, each.name)]
        for each in about:
            exact.setdefault(each.name, []).append(each)
        return exact, [each for each in about if "*" in each.name]

    def lacking(self, name: str, kind: str) -> Iterator[tuple[str, str]]:
        """Whether a local queue, or a ``kind`` in a cluster, has that name: what is not told, by which command."""
        if not all(self.tells(each, name) for each in QUEUE_KINDS if each != "QMODEL"):
            yield f"whether there is a queue {name}", f"DISPLAY QUEUE('{name}') ALL"
        if not self.tells(kind, name):
            yield f"whether {name} is known in a cluster", f"DISPLAY {kind}('{name}') ALL"


NOTHING = Inquired()


def own_scripts(scripts: Iterable[Script], local: str) -> Sequence[Script]:
    """What is told of the queue manager ``local``, but for what changes it."""
    return [each for each in scripts if (each.queue_manager or local) == local and not each.overlay]
