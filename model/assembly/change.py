"""What if: attributes of a snapshot's facts set to other values, in MQSC's own words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from mqclause.model.assembly.agreement import agreed
from mqclause.model.assembly.attributes import description, read_attributes
from mqclause.model.assembly.inserts import insert_hint
from mqclause.model.assembly.provenance import Origin, Placed
from mqclause.model.diagnostic import (
    Diagnostic,
    DomainError,
    FactsError,
    is_secret,
    name_suggestion,
    quoted,
    suggestion,
)
from mqclause.model.facts.objects import (
    Channel,
    ChannelStatus,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.mqsc.grammar import known_attributes, lacking
from mqclause.model.readers.mqsc.parameters import UnreadableError, parameters
from mqclause.model.readers.mqsc.words import FLAGS, SYNONYMS
from mqclause.model.readers.record import Record, Value, listed

if TYPE_CHECKING:
    from mqclause.model.assembly.snapshot import Snapshot

OPTION = "--set"
_FACTS = {"QMGR": (QueueManager, RemoteQueueManager), "CHANNEL": (Channel,), "PROCESS": (Process,)}
_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")
_OF_ALIAS = "QREMOTE"
"""The kind of queue by which a queue-manager alias is defined."""
CHANGEABLE = ("QMGR", *_QUEUES, "CHANNEL", "PROCESS")
BESIDES = {"CHANNEL": {"STATUS"}, "QMGR": {"SUSPEND"}}
"""What can be set here and is no attribute of a definition."""


@frozen
class WhatIf:
    """One command: the object that it names, whose it is (blank: not said), and the attributes that it sets."""

    kind: str
    name: str
    owner: str
    attributes: Mapping[str, Value]

    @property
    def object(self) -> str:
        """The object as messages name it."""
        named = f"{self.kind} {quoted(self.name)}" if self.name else self.kind
        return named + (f" of {quoted(self.owner)}" if self.owner else "")


def changed(snapshot: Snapshot, commands: Iterable[str]) -> Snapshot:
    """The snapshot with each of ``commands`` carried out, as ``QLOCAL(Q) QMGR(QM2) CLWLPRTY(5)``; raises FactsError.

    CHANNEL takes STATUS too, which belongs to the local queue manager's routes, and QMGR takes SUSPEND(YES).
    """
    for text in commands:
        snapshot = _changed(snapshot, read_change(text))
    return snapshot


def carried_out(snapshot: Snapshot, record: Record, owner: str) -> Snapshot:
    """The snapshot with a command of the queue manager ``owner`` that alters an object; raises FactsError."""
    of = "" if record.kind == "QMGR" else owner
    name = owner if record.kind == "QMGR" else record.name
    if record.kind == "CHANNEL" and "STATUS" in record.attributes and owner == snapshot.cluster.queue_manager.name:
        of = ""
    attributes = {word: value for word, value in record.attributes.items() if word not in _HOW}
    return _changed(snapshot, WhatIf(record.kind, name, of, attributes))


_HOW = ("FORCE", "NOFORCE", "CMDSCOPE", "CHLTYPE", "QSGDISP")
"""What says how a command is carried out, or which object is meant."""


def _changed(snapshot: Snapshot, change: WhatIf) -> Snapshot:
    placed = list(snapshot.provenance.placed)
    local = snapshot.cluster.queue_manager.name
    change = evolve(change, name=change.name or local) if change.kind == "QMGR" else change
    found = [each for each in placed if is_meant(each.fact, change, local)]
    if not found and _leads_nowhere(change, snapshot):
        raise _fault(f"{change.object} leads to a member that no file describes: nothing of it can be set")
    _check(change, found, placed, local)
    return of_facts(snapshot, [with_change(each, change) if each in found else each for each in placed])


def _leads_nowhere(change: WhatIf, snapshot: Snapshot) -> bool:
    """Whether a channel is a CLUSSDR of the local queue manager that no CLUSRCVR answers."""
    is_defined = change.kind == "CHANNEL" and change.name in snapshot.defined.get("CHANNEL", ())
    return is_defined and any(each.object == change.name for each in snapshot.incomplete)


def of_facts(snapshot: Snapshot, placed: Iterable[Placed[Any]]) -> Snapshot:
    """The snapshot with other facts, the local queue manager's first; raises FactsError if they contradict."""
    facts = list(placed)
    own, *others = (each for each in facts if not isinstance(each.fact, Put))
    put = [each for each in facts if isinstance(each.fact, Put)]
    cluster = agreed(own, others).cluster
    return evolve(snapshot, cluster=cluster, placed=partial(tuple, (own, *others, *put)), knows_all=False)


def with_fields(placed: Placed[Any], fields: Mapping[str, Any], option: str = OPTION) -> Placed[Any]:
    """The fact with ``fields`` as ``option`` states them."""
    origin = partial(_origin, placed.origin, frozenset(fields), option)
    return evolve(placed, fact=evolve(placed.fact, **fields), origin=origin)


def read_change(text: str) -> WhatIf:
    """What one command says: an object and its attributes, without a verb. Raises FactsError.

    ``QMGR`` stands without a name too, as in ALTER QMGR: the only queue manager there, the local one, or that of a
    ``QMGR(…)`` behind it.
    """
    try:
        words = [(SYNONYMS.get(word, word), value) for word, value, _ in parameters(text)]
    except UnreadableError as fault:
        raise _fault(fault.message) from None
    if words[:1] == [("QMGR", None)]:
        # As of any object, QMGR(…) behind it says whose it is.
        whose = next((each for each in words[1:] if each[0] == "QMGR" and each[1] is not None), ("QMGR", ""))
        words = [whose, *(each for each in words[1:] if each is not whose)]
    if not words or words[0][0] not in CHANGEABLE or not isinstance(words[0][1], str):
        what = quoted(text) if not any(is_secret(word) for word, _ in words) else f"a change of {words[0][0]}"
        allowed = ", ".join(f"{kind}(…)" for kind in CHANGEABLE)
        raise _fault(f"{what} names no object; allowed, without a verb: {allowed}")
    _check_repeated([word for word, _ in words])
    (kind, name), *rest = words
    attributes = {word: value for word, value in rest if value is not None or word in FLAGS}
    owner = attributes.pop("QMGR", "") if kind != "QMGR" else ""
    known = (known_attributes("ALTER", kind) or frozenset()) | BESIDES.get(kind, set())
    for word, _ in rest:
        if word != "QMGR" and word not in known:
            raise _fault(f"{lacking('ALTER', kind, word)}{_how_to_suspend(kind, word) or suggestion(word, known)}")
        if word not in attributes and word != "QMGR":
            raise _fault(f"{word} needs a value in parentheses")
    kept = {word: value or "" for word, value in attributes.items()}
    return WhatIf(kind, str(name).rstrip(" "), owner.rstrip(" ") if isinstance(owner, str) else "", kept)


def _check_repeated(words: Sequence[str]) -> None:
    """Raises FactsError where a parameter, or one and its opposite, is there twice, as MQSC refuses it."""
    for at, word in enumerate(words):
        if word in words[:at]:
            raise _fault(f"{word} is given twice")
        if word in FLAGS and f"NO{word}" in words:
            raise _fault(f"{word} and NO{word} are given together")


def is_meant(fact: object, change: WhatIf, local: str) -> bool:
    """Whether ``fact``, which the queue manager ``local`` knows, is what the command names."""
    if change.kind in _QUEUES:
        of_kind = isinstance(fact, Queue) and fact.type == change.kind
        of_kind |= isinstance(fact, QueueManagerAlias) and change.kind == _OF_ALIAS
    else:
        of_kind = isinstance(fact, _FACTS[change.kind])
        # of a channel outside clusters nothing but its state is looked at
        of_kind |= isinstance(fact, ChannelStatus) and change.kind == "CHANNEL" and {*change.attributes} == {"STATUS"}
    if not of_kind or getattr(fact, "name", "") != change.name:
        return False
    own_state = change.kind == "CHANNEL" and "STATUS" in change.attributes and change.owner == local
    return not change.owner or own_state or owner_of(fact, local) == change.owner


def owner_of(fact: Any, default: str = "") -> str:
    """The queue manager that has what a fact describes; ``default`` for one that names none."""
    if isinstance(fact, ChannelStatus):
        return default
    return fact.routed_to if isinstance(fact, QueueManagerAlias) else getattr(fact, "queue_manager", default)


def _check(change: WhatIf, found: list[Placed[Any]], placed: Iterable[Placed[Any]], local: str) -> None:
    """Raises FactsError unless it is clear which fact is meant."""
    if not found:
        named = [each.fact for each in placed if not isinstance(each.fact, Put)]
        nobody = evolve(change, owner="")
        others = {owner_of(each) for each in named if change.owner and is_meant(each, nobody, local)}
        known = sorted({each.name for each in named} - {change.name})
        near = insert_hint(change.name, known) or name_suggestion(change.name, known)
        elsewhere = "" if "STATUS" in change.attributes else on_another(change, others)
        raise _fault(f"{change.object} {elsewhere or f'is not known to {local}{near}'}")
    if "STATUS" in change.attributes and change.owner not in ("", local):
        raise _fault(f"{change.object}: STATUS: the states of {change.owner}'s channels are its own")
    owners = sorted({owner_of(each.fact) for each in found})
    if len(owners) > 1 and set(change.attributes) != {"STATUS"}:
        raise on_several(change, owners)


def on_several(change: WhatIf, owners: Collection[str]) -> FactsError:
    """That a command does not say whose object is meant."""
    return _fault(f"{change.object} is on {', '.join(owners)}: say with QMGR(…) which one is meant")


def on_another(change: WhatIf, owners: Collection[str]) -> str:
    """Whose the object is that a command gives to somebody else; blank if it is nobody's."""
    found = ", ".join(sorted(owners))
    if change.kind == "CHANNEL" and found:
        return f"is no CLUSRCVR, and what that states is what counts for workload; it is on {found}: QMGR({found})"
    return f"is not known; it is on {found}" if found else ""


def with_change(placed: Placed[Any], change: WhatIf) -> Placed[Any]:
    """The fact as the command leaves it. Raises FactsError."""
    return with_fields(placed, fields_set(change, placed.fact))


def fields_set(change: WhatIf, fact: Any) -> dict[str, Any]:
    """The fields of the fact that the command sets. Raises FactsError."""
    fields: dict[str, Any] = {}
    for kind in (change.kind, "CLUSQMGR") if change.kind in BESIDES else (change.kind,):
        words = {word: value for word, value in change.attributes.items() if (kind == "CLUSQMGR") == _is_besides(word)}
        found, refusals = read_attributes(Record("alter", kind, change.name, words), getattr(fact, "deftype", ""))
        if refusals:
            raise refused_change(change, refusals)
        fields |= found
    if "DESCR" in change.attributes:
        fields["descr"] = description(change.attributes["DESCR"])
    if isinstance(fact, Channel) and change.attributes.keys() & {"CLUSTER", "CLUSNL"}:
        raise _fault(f"{change.object}: the clusters of a channel cannot be set here; give a script instead")
    if "SUSPEND" in change.attributes:
        fields["suspended"] = _suspended(change, fact)
    if isinstance(fact, QueueManagerAlias):
        fields = _of_alias(change, fact, fields)
    if "CLUSTER" in change.attributes and isinstance(fact, Queue | QueueManagerAlias):
        fields["clusters"] = tuple(filter(None, [change.attributes["CLUSTER"]]))
    if "TARGET" in change.attributes:
        fields["target"] = change.attributes["TARGET"]
    lacks = [name for name in fields if not hasattr(fact, name)]
    if lacks:
        raise _fault(
            f"{change.object}: {lacks[0].upper()} is known to that queue manager alone and changes nothing here"
        )
    return fields


def _of_alias(change: WhatIf, alias: QueueManagerAlias, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an alias for those of a QREMOTE. Raises FactsError where it would no longer be one."""
    kept = {name: value for name, value in fields.items() if name not in ("rname", "rqmname")}
    if fields.get("rname"):
        raise _fault(f"{change.object}: a queue-manager alias has no RNAME; give a script instead")
    if "rqmname" in fields:
        kept |= {"queue_manager": fields["rqmname"] or alias.routed_to, "host": alias.routed_to}
    return kept


def _suspended(change: WhatIf, fact: QueueManager | RemoteQueueManager) -> tuple[str, ...]:
    """The clusters in which a queue manager is suspended then; without CLUSTER the command is about all of them."""
    about = listed(change.attributes.get("CLUSTER", "")) or fact.clusters
    others = tuple(name for name in fact.suspended if name not in about)
    suspends = change.attributes["SUSPEND"] == "YES"
    return (*others, *(name for name in fact.clusters if name in about)) if suspends else others


def refused_change(change: WhatIf, errors: Iterable[DomainError]) -> FactsError:
    """What is wrong with the values of a command, as the option's fault."""
    told = map(str, errors)
    return FactsError(
        Diagnostic(OPTION, f"{change.object}: {each}{_how_to_suspend(change.kind, each)}") for each in told
    )


def _how_to_suspend(kind: str, said: str) -> str:
    """How a queue manager is suspended in one cluster alone, where that may be meant."""
    if kind != "QMGR" or not said.startswith("SUSPEND"):
        return ""
    return "; SUSPEND(YES) is in all its clusters; in one: --with a script that says SUSPEND QMGR CLUSTER(…)"


def _is_besides(word: str) -> bool:
    return any(word in words for words in BESIDES.values())


def _origin(before: Callable[[str], Origin], fields: frozenset[str], option: str, attribute: str) -> Origin:
    return Origin("stated", option) if attribute in fields else before(attribute)


def _fault(message: str) -> FactsError:
    return FactsError([Diagnostic(OPTION, message)])
