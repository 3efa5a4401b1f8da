"""What sources hold of a queue manager: a dump may be of some objects alone, as ``dmpmqcfg -t``, ``-n`` and ``-x`` ask.

What no source of a queue manager holds is not known; that it is not there is no sign that the queue manager has none.
Ask ``Covered.leaves_out`` before anything is called missing:

    >>> dump = Coverage.issued("dmpmqcfg -m QM1 -x object -t queue -n STOCK*")
    >>> str(dump)
    'queues named STOCK* alone'
    >>> of_qm1 = Covered((dump,))
    >>> of_qm1.leaves_out("QLOCAL", "INITQ"), of_qm1.leaves_out("PROCESS", "STOCK.PROC")
    (True, True)
    >>> Covered((Coverage.issued("dmpmqcfg -m QM1 -t queue"),)).leaves_out("QLOCAL", "INITQ")
    False
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from attrs import evolve, frozen

ANY_NAME = "*"
QUEUES = frozenset({"QLOCAL", "QALIAS", "QREMOTE", "QMODEL"})
"""The kinds of queues that a queue manager defines; ``QUEUE`` stands for any of them."""

OPTION = re.compile(r"""(?:^|\s)-[adz]*([ntx])\s*("[^"]*"|'[^']*'|[^\s'"]+)""")
"""An option of dmpmqcfg by which a dump has not all objects, and its value."""

HELD = {
    "authinfo": ("authentication information", {"AUTHINFO"}),
    "channel": ("channels", {"CHANNEL"}),
    "comminfo": ("communication information", {"COMMINFO"}),
    "listener": ("listeners", {"LISTENER"}),
    "namelist": ("namelists", {"NAMELIST"}),
    "process": ("processes", {"PROCESS"}),
    "queue": ("queues", QUEUES),
    "qmgr": ("the queue manager", {"QMGR"}),
    "service": ("services", {"SERVICE"}),
    "topic": ("topics", {"TOPIC"}),
    "authrec": ("authority records", {"AUTHREC"}),
    "chlauth": ("channel authentication records", {"CHLAUTH"}),
    "sub": ("subscriptions", {"SUB"}),
    "policy": ("security policies", {"POLICY"}),
}
"""What -t and -x ask for, in words and in the kinds of objects."""

SHORT = {"chl": "channel", "lstr": "listener", "nl": "namelist", "prcs": "process", "pro": "process", "q": "queue",
         "srvc": "service", "top": "topic", "tp": "topic", "sb": "sub"}  # fmt: skip
"""The short words of -t."""

EVERYTHING = ("all", "object", "*")
"""The values of -t, -x and -n that leave nothing out of what decisions rest on."""


@frozen
class Coverage:
    """Which objects one source holds: those of these ``kinds`` (None: of every one) whose names fit ``generic``.

    ``kinds`` are nouns of MQSC, ``generic`` is a name that may end in ``*``. ``what`` are the kinds in words. It
    ``tells_absence`` if what it has not is not there: a dump that was cut before its trailer does not, and neither does
    one of some names, as whoever asks for a part of all queues does not ask for what these refer to.
    """

    kinds: frozenset[str] | None = None
    generic: str = ANY_NAME
    what: str = "objects"
    tells_absence: bool = True

    @classmethod
    def issued(cls, command: str) -> Coverage:
        """What a dump holds that was made by this command, as its head says; blank: all."""
        kinds: frozenset[str] | None = None
        generic, what = ANY_NAME, "objects"
        for option, value in OPTION.findall(command):
            value = value.strip("'\"")
            if option == "n":
                generic = value
            elif value.lower() not in EVERYTHING:
                word = value.lower()
                what, held = HELD.get(SHORT.get(word, word), (f"objects of the type {value}", {word.upper()}))
                kinds = frozenset(held) if kinds is None else kinds & held
        return cls(kinds, generic, what, generic == ANY_NAME)

    @classmethod
    def asked(cls, kind: str, generic: str) -> Coverage:
        """What a log holds in which a DISPLAY command asks for objects of a kind by name."""
        return cls(QUEUES if kind == "QUEUE" else frozenset({kind}), generic)

    @property
    def is_whole(self) -> bool:
        """Whether it holds all that a queue manager has."""
        return self.asks_for_all and self.tells_absence

    @property
    def asks_for_all(self) -> bool:
        """Whether it was to hold all that a queue manager has."""
        return self.kinds is None and self.generic == ANY_NAME

    def ended(self) -> Coverage:
        """The same of a dump that has its trailer."""
        return evolve(self, tells_absence=self.generic == ANY_NAME)

    def covers(self, kind: str, name: str = "") -> bool:
        """Whether it would hold an object of that kind and name; blank: all of that kind."""
        kinds = QUEUES if kind == "QUEUE" else {kind}
        of_kind = self.kinds is None or kinds <= self.kinds
        return self.tells_absence and of_kind and (self.generic == ANY_NAME or self._fits(name))

    def _fits(self, name: str) -> bool:
        begun, star, _ = self.generic.partition(ANY_NAME)
        return bool(name) and (name.startswith(begun) if star else name == begun)

    def __str__(self) -> str:
        return f"{self.what}{'' if self.generic == ANY_NAME else f' named {self.generic}'} alone"


@frozen
class Covered:
    """What all sources of one queue manager hold together; of no ``parts`` where none says that it leaves out any."""

    parts: tuple[Coverage, ...] = ()

    @classmethod
    def by(cls, stated: Iterable[Collection[Coverage]]) -> Covered:
        """By what each source states; a script that no command made states nothing, and holds what it has."""
        parts = tuple(part for of in stated for part in of)
        return cls() if any(part.is_whole for part in parts) else cls(parts)

    def leaves_out(self, kind: str, name: str = "") -> bool:
        """Whether an object of that kind and name may be there although no source has it: none would tell.

        ``kind`` is a noun of MQSC (``QUEUE`` for a queue of any kind), blank ``name``: any object of that kind.
        """
        return bool(self.parts) and not any(part.covers(kind, name) for part in self.parts)
