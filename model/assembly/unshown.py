"""What displays leave open: of what they show, an attribute that nobody asked for is not known."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from mqclause.model.assembly.attributes import FACT_ATTRIBUTES, stating
from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.provenance import Provenance
from mqclause.model.facts.objects import Channel, Fact, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.readers.facts_file import UNKNOWABLE

Unasked = Mapping[str, tuple[str, ...]]
"""By attribute the keywords of MQSC with which a display would tell it."""

NOTHING_UNASKED: Unasked = {}

TABLES: Mapping[type, str] = {
    Queue: "queue",
    Channel: "channel",
    QueueManager: "queue_manager",
    QueueManagerAlias: "queue_manager_alias",
    RemoteQueueManager: "remote_queue_manager",
}
OF_NOW = ("status", "curdepth")
"""What is told by displays of a status, or of a queue now: others say what is not known of it."""


@frozen(eq=False)
class Unshown:
    """What is left open by displays at the queue manager ``local``, which ``asked`` something, or by facts documents.

    Where ``is_possible`` is false there is none, nor anything that says so.
    """

    provenance: Provenance
    asked: Inquired
    local: str
    is_possible: bool
    _found: dict[int, tuple[Fact, Unasked]] = field(init=False, factory=dict)

    def of(self, fact: Fact) -> Unasked:
        """The attributes of a fact of the snapshot that are not known; none of one that a program has made."""
        if not self.is_possible:
            return NOTHING_UNASKED
        known = self._found.get(id(fact))
        if known is None or known[0] is not fact:
            known = self._found[id(fact)] = fact, self._of(fact)
        return known[1]

    def kind_and_name(self, fact: Fact) -> tuple[str, str]:
        """The kind of what a display shows the fact in, and the name by which it is asked for."""
        if isinstance(fact, QueueManager):
            return "QMGR", ""
        if isinstance(fact, Channel):
            return "CLUSQMGR", fact.queue_manager
        if isinstance(fact, RemoteQueueManager):
            return "CLUSQMGR", fact.name
        is_own = isinstance(fact, Queue) and fact.queue_manager == self.local
        return fact.type if isinstance(fact, Queue) and is_own else "QCLUSTER", fact.name

    def _of(self, fact: Fact) -> Unasked:
        if type(fact) not in TABLES or not self.provenance.holds(fact):
            return NOTHING_UNASKED
        kind, name = self.kind_and_name(fact)
        is_displayed = self._is_displayed(fact)
        of = {each: self._words(kind, each) for each in _open_to_displays(type(fact), kind)}
        found = {}
        for attribute, words in of.items():
            how = self.provenance.of(fact, attribute).how
            if how == "defaulted" and is_displayed:
                words = tuple(each for each in words if not self.asked.shows(kind, name, each))
            if words and (how == "unknown" or (how == "defaulted" and is_displayed)):
                found[attribute] = words
        return found

    def _is_displayed(self, fact: Fact) -> bool:
        """Whether displays alone tell of it: a command that defines it leaves what it does not say at MQ's default."""
        if isinstance(fact, QueueManager):
            return self.asked.alone
        return self.provenance.of(fact, "name").how == "observed"

    @staticmethod
    def _words(kind: str, attribute: str) -> tuple[str, ...]:
        return ("TRIGGER",) if attribute == "trigger" else stating(kind, attribute)


def _open_to_displays(of: type, kind: str) -> list[str]:
    """The attributes of such facts that a display of the kind tells, if it is asked for them."""
    tables = (name for name, each in UNKNOWABLE.items() if TABLES[of] in each and name not in OF_NOW)
    return [name for name in tables if kind in FACT_ATTRIBUTES and stating(kind, name)]
