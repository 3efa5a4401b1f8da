"""Which queue manager is the local one, and what is known of it: from the caller, facts documents and scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from attrs import evolve

from mqclause.model.assembly.attributes import FACT_ATTRIBUTES
from mqclause.model.assembly.provenance import Origin, Placed
from mqclause.model.assembly.tables import placed_table
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError, name_suggestion, quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import QueueManager
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import Facts
from mqclause.model.readers.mqsc.script import OWNER
from mqclause.model.readers.record import Record, Script

LEVEL = "Queue manager command level"
"""What the head of a dump calls CMDLEVEL."""

NO_LOCAL = "no local queue manager: a facts file needs a queue_manager table where there is no script or dump"
FROM_SCRIPTS = ("clusters", "suspended")
"""What the scripts say of a queue manager that a facts document describes without it."""


def asked_name(local: str | None) -> str | None:
    """The name that the caller gives to the local queue manager; raises FactsError if it can be none."""
    try:
        return None if local is None else NAME(local, "local queue manager")
    except DomainError as error:
        raise FactsError([Diagnostic("--from", str(error))]) from None


def owned(script: Script, given: str) -> tuple[Script, ...]:
    """The script, and what its file states of others, with the queue manager that the caller names for it.

    Raises FactsError if the file says that it is another one's, or a name that no queue manager has.
    """
    if not given:
        return tuple(map(_of_a_name, (script, *script.further)))
    if script.queue_manager not in ("", given) or script.further:
        says = ", ".join(each.queue_manager for each in (script, *script.further))
        raise FactsError([Diagnostic(script.source, _of_another(given, says), script.header_lines.get(OWNER))])
    return (_of_a_name(evolve(script, queue_manager=given)),)


def _of_a_name(script: Script) -> Script:
    """The script, whose queue manager has a name that one can have, or none. Raises FactsError."""
    try:
        return evolve(script, queue_manager=script.queue_manager and NAME(script.queue_manager, "queue manager name"))
    except DomainError as error:
        raise FactsError([Diagnostic(script.source, str(error), script.header_lines.get(OWNER))]) from None


def refuse_other_owner(document: FactsDocument, given: str) -> None:
    """Raises FactsError if a facts document says that another queue manager is local than the caller names for it."""
    says = stated_name(document)
    if given and says not in (None, given):
        place = document.places.place_of("queue_manager", "name")
        raise FactsError([Diagnostic(document.source, _of_another(given, says or ""), *place)])


def _of_another(given: str, says: str) -> str:
    return f"is given as {quoted(given)}, but says that it is of {says}"


def stated_name(document: FactsDocument) -> str | None:
    """The name of the document's local queue manager; None if it has none, or one that cannot be."""
    try:
        return NAME(document.data["queue_manager"]["name"], "name")
    except (DomainError, KeyError, TypeError, IndexError):
        return None


def local_name(
    documents: Iterable[FactsDocument], described: Iterable[str], asked: str | None, faults: list[Diagnostic]
) -> str | None:
    """The local queue manager's name if a facts document or the caller says it.

    ``described`` are the queue managers of the scripts; what contradicts the first document goes to ``faults``.
    """
    stated = [(document, name) for document in documents if (name := stated_name(document)) is not None]
    for document, name in stated[1:]:
        message = f"queue_manager {quoted(name)}: {stated[0][0].source} has a queue_manager table too; allowed: one"
        faults.append(Diagnostic(document.source, message, *document.places.place_of("queue_manager")))
    if not stated:
        return asked
    document, name = stated[0]
    if asked not in (None, name):
        place = document.places.place_of("queue_manager", "name")
        faults.append(Diagnostic(document.source, _not_the_local(name, asked or "", described), *place))
    return name


def _not_the_local(name: str, asked: str, described: Iterable[str]) -> str:
    known = dict.fromkeys([name, *described])
    wanted = f"but {quoted(asked)} is asked for; known: {', '.join(known)}"
    near = "" if asked in known else name_suggestion(asked, known)
    return f"queue_manager {quoted(name)} is the local queue manager, {wanted}{near}"


def local_queue_manager(
    files: Iterable[tuple[Facts, FactsDocument]], seen: Placed[QueueManager] | None, sources: Sequence[str]
) -> Placed[QueueManager]:
    """The local queue manager; ``seen`` is what the scripts say of it.

    Raises FactsError if none of ``sources`` has one, or both a facts document and a script state its attributes.
    """
    for facts, document in files:
        if facts.queue_manager:
            own = placed_table(facts.queue_manager, document, "queue_manager")
            return _completed(own, seen) if seen else own
    if seen is None:
        raise FactsError([Diagnostic(", ".join(sources) or "facts", NO_LOCAL)])
    return seen


def _completed(own: Placed[QueueManager], seen: Placed[QueueManager]) -> Placed[QueueManager]:
    """The facts document's queue manager, in the clusters of its scripts where the document gives none."""
    if seen.line is not None:
        message = f"queue_manager {quoted(own.fact.name)} is given twice; it stands in {own} and in {seen}"
        raise FactsError([Diagnostic(seen.source, message, seen.line)])
    taken = {name: getattr(seen.fact, name) for name in FROM_SCRIPTS if not getattr(own.fact, name)}
    origin = partial(_origin, own, seen, frozenset(name for name, value in taken.items() if value))
    return evolve(own, fact=evolve(own.fact, **taken), origin=origin)


def _origin(
    own: Placed[QueueManager], seen: Placed[QueueManager], from_scripts: frozenset[str], attribute: str
) -> Origin:
    return (seen if attribute in from_scripts else own).origin(attribute)


def stated_clusters(documents: Iterable[FactsDocument]) -> Sequence[str] | None:
    """The clusters of the local queue manager that a facts document describes; None if it does not say them."""
    for document in documents:
        if stated_name(document) is not None:
            given = document.data["queue_manager"].get("clusters")
            return given if isinstance(given, list) else None
    return ()


def defined_at(scripts: Iterable[Script], local: str) -> Mapping[str, frozenset[str]]:
    """The names of the objects that scripts define at the queue manager ``local``, by kind or as aliases of topics."""
    found: dict[str, set[str]] = {}
    for record in _own_records(scripts, local):
        if record.action in ("define", "observe"):
            found.setdefault(record.kind, set()).add(record.name)
    return {kind: frozenset(names) for kind, names in found.items()}


def _own_records(scripts: Iterable[Script], local: str) -> Iterator[Record]:
    return (each for script in scripts if (script.queue_manager or local) == local for each in script.records)


def sent_from(scripts: Sequence[Script], cluster: Cluster) -> frozenset[str] | None:
    """The transmission queues that own channels name (XMITQ); None where no source describes channels.

    A script does where it defines or shows any, a facts document where it tells of any that belong to no cluster.
    """
    own = _own_records(scripts, cluster.queue_manager.name)
    channels = [each for each in own if each.kind == "CHANNEL" and each.action in ("define", "alter", "observe")]
    if not channels and (scripts or not cluster.channel_statuses):
        return None
    named = frozenset(str(each.attributes.get("XMITQ", "")) for each in channels)
    return named.union(cluster.taking_from)


def shown_queues(scripts: Iterable[Script], local: str) -> Mapping[str, str]:
    """The cluster channels of ``local`` of which a display names the transmission queue, with that."""
    found = dict[str, str]()
    for each in _own_records(scripts, local):
        if queue := " ".join(each.listed("XMITQ")):
            if each.kind == "CLUSQMGR":
                found[" ".join(each.listed("CHANNEL"))] = queue
            elif each.kind == "CHSTATUS" and each.listed("CHLTYPE") == ("CLUSSDR",):
                found[each.name] = queue
    return found


def stated_at_senders(scripts: Iterable[Script], local: str) -> Mapping[str, Mapping[str, int]]:
    """The workload attributes that each CLUSSDR of ``local`` states, by channel and field of facts."""
    read = {word: name for word, (name, _) in FACT_ATTRIBUTES["CHANNEL"].items() if name}
    found: dict[str, dict[str, int]] = {}
    for each in _own_records(scripts, local):
        if each.kind == "CHANNEL" and each.listed("CHLTYPE") == ("CLUSSDR",):
            of = found.setdefault(each.name, {})
            for word in read.keys() & each.attributes.keys():
                value = " ".join(each.listed(word))
                if value.isascii() and value.isdecimal():
                    of[read[word]] = int(value)
    return {name: dict(sorted(of.items())) for name, of in found.items() if of}


def default_transmission(scripts: Iterable[Script], local: str) -> str:
    """DEFCLXQ of ``local`` where it is not stated: MQ's default if a script defines its objects, else blank."""
    # what a script leaves out has MQ's default, what a display leaves out is not told
    return "SCTQ" if any(each.action == "define" for each in _own_records(scripts, local)) else ""


def with_level(own: Placed[QueueManager], scripts: Iterable[Script]) -> Placed[QueueManager]:
    """The local queue manager with its command level, where a script tells it and no facts document states it."""
    told = None if own.fact.command_level else told_level(scripts, own.fact.name)
    if told is None:
        return own
    level, origin = told
    placed = partial(_origin_of_level, own.origin, origin)
    return evolve(own, fact=evolve(own.fact, command_level=level), origin=placed)


def _origin_of_level(others: Callable[[str], Origin], level: Origin, attribute: str) -> Origin:
    return level if attribute == "command_level" else others(attribute)


def told_level(scripts: Iterable[Script], local: str) -> tuple[int, Origin] | None:
    """The command level of ``local`` and where it is told; None where nothing tells it.

    CMDLEVEL or VERSION of the queue manager itself count first, then the head of its dump, of whose two numbers the
    lower one counts where they differ, then VERSION in what is known of it in a cluster.
    """
    given = list(scripts)
    own = [script for script in given if (script.queue_manager or local) == local]
    records = [each for script in own for each in script.records if each.kind == "QMGR"]
    known = [each for script in given for each in script.records if each.kind == "CLUSQMGR" and each.name == local]
    for attribute, read, among in (("CMDLEVEL", _level, records), ("VERSION", _level_of_version, records)):
        for record in among:
            if level := read(_shown(record, attribute)):
                return level, Origin("observed", record.source, *record.place_of(attribute))
    for script in own:
        if level := _level(script.header.get(LEVEL, "")):
            return level, Origin("observed", script.source, script.header_lines.get(LEVEL))
    for record in known:
        if level := _level_of_version(_shown(record, "VERSION")):
            return level, Origin("observed", record.source, *record.place_of("VERSION"))
    return None


def odd_levels(scripts: Iterable[Script], local: str) -> Iterator[Diagnostic]:
    """The heads of dumps of ``local`` that name two command levels, which differ, as remarks."""
    for script in scripts:
        head = script.header.get(LEVEL, "")
        if (script.queue_manager or local) == local and len({*re.findall(r"[0-9]{3,4}", head)}) > 1:
            said = f"the head names two command levels, {head}; the lower one counts where nothing else tells it"
            yield Diagnostic(script.source, said, script.header_lines.get(LEVEL))


def _shown(record: Record, attribute: str) -> str:
    """What a record says under an attribute, or shows beside those that can be set."""
    value = record.attributes.get(attribute) or record.informational.get(attribute, "")
    return value if isinstance(value, str) else " ".join(value)


def _level(told: str) -> int:
    """The lowest number of a text; 0 if it has none that is a command level."""
    found = [int(each) for each in re.findall(r"(?<![0-9])[0-9]{3,4}(?![0-9])", told)]
    return min(found, default=0)


def _level_of_version(told: str) -> int:
    """The command level of a version, as 930 of 09030002; 0 if it is none."""
    found = re.fullmatch(r"([0-9]{2})([0-9]{2})([0-9]{2})[0-9]{2}", told.strip())
    return 0 if found is None else 100 * int(found[1]) + 10 * int(found[2]) + int(found[3])
