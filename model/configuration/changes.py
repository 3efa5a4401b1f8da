"""Changes: one command of an option or an overlay, and what it does to a fact."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from mqclause.model.configuration.attributes import clean_description, read_attributes
from mqclause.model.configuration.provenance import Origin, PlacedFact
from mqclause.model.diagnostics import (
    Diagnostic,
    DomainError,
    FactsError,
    check_type,
    is_secret,
    name_argument,
    quote_value,
    suggest_word,
)
from mqclause.model.facts.objects import (
    Channel,
    ChannelStatus,
    Process,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.mqsc import UnreadableError, parse_parameters
from mqclause.model.readers.records import (
    FLAGS,
    SYNONYMS,
    Record,
    Script,
    Value,
    describe_unknown_attribute,
    get_known_attributes,
    split_names,
)

CHANGES = "changes"
"""The argument that takes commands."""

_FACTS = {"QMGR": (QueueManager, RemoteQueueManager), "CHANNEL": (Channel,), "PROCESS": (Process,)}

_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")

_OF_ALIAS = "QREMOTE"
"""The kind of queue by which a queue-manager alias is defined."""

CHANGEABLE = ("QMGR", *_QUEUES, "CHANNEL", "PROCESS")

STATE_ATTRIBUTES = {"CHANNEL": {"STATUS"}, "QMGR": {"SUSPEND"}}
"""What can be set here and is no attribute of a definition."""

_STATE_WORDS = frozenset().union(*STATE_ATTRIBUTES.values())


@frozen
class ConfigurationChange:
    """One command: the object that it names, whose it is (blank: not said), and the attributes that it sets."""

    kind: str
    name: str
    owner: str
    attributes: Mapping[str, Value]

    @property
    def object(self) -> str:
        """The object as messages name it."""
        named = f"{self.kind} {quote_value(self.name)}" if self.name else self.kind
        return named + (f" of {quote_value(self.owner)}" if self.owner else "")

    @property
    def is_of_state(self) -> bool:
        """Whether it says nothing but a state."""
        return set(self.attributes) <= STATE_ATTRIBUTES.get(self.kind, set())


def replace_fields(placed: PlacedFact[Any], fields: Mapping[str, Any], option: str = "") -> PlacedFact[Any]:
    """Set ``fields`` of a fact, as ``option`` states them."""
    return placed.replace_values(
        fields, dict.fromkeys(fields, Origin("stated", option or name_argument(CHANGES))).__getitem__
    )


def parse_change(text: str) -> ConfigurationChange:
    """Parse one command: an object and its attributes, without a verb. Raises FactsError.

    ``QMGR`` stands without a name too, as in ALTER QMGR: the only queue manager there, the local one, or that of a
    ``QMGR(…)`` behind it.
    """
    try:
        words = [
            (SYNONYMS.get(word, word), value) for word, value, _ in parse_parameters(check_type("a command", text, str))
        ]
    except UnreadableError as fault:
        raise build_option_error(fault.message) from None
    if words[:1] == [("QMGR", None)]:
        # As of any object, QMGR(…) behind it says whose it is.
        whose = next((each for each in words[1:] if each[0] == "QMGR" and each[1] is not None), ("QMGR", ""))
        words = [whose, *(each for each in words[1:] if each is not whose)]
    if not words or words[0][0] not in CHANGEABLE or not isinstance(words[0][1], str):
        what = quote_value(text) if not any(is_secret(word) for word, _ in words) else f"a change of {words[0][0]}"
        allowed = ", ".join(f"{kind}(…)" for kind in CHANGEABLE)
        raise build_option_error(f"{what} names no object; allowed, without a verb: {allowed}")
    _check_repeated([word for word, _ in words])
    (kind, name), *rest = words
    attributes = {word: value for word, value in rest if value is not None or word in FLAGS}
    owner = attributes.pop("QMGR", "") if kind != "QMGR" else ""
    known = (get_known_attributes("ALTER", kind) or frozenset()) | STATE_ATTRIBUTES.get(kind, set())
    for word, _ in rest:
        if word != "QMGR" and word not in known:
            hint = _suggest_suspension(kind, word) or suggest_word(word, known)
            raise build_option_error(f"{describe_unknown_attribute('ALTER', kind, word)}{hint}")
        if word not in attributes and word != "QMGR":
            raise build_option_error(f"{word} needs a value in parentheses")
    kept = {word: value or "" for word, value in attributes.items()}
    return ConfigurationChange(kind, str(name).rstrip(" "), owner.rstrip(" ") if isinstance(owner, str) else "", kept)


def is_change_target(fact: object, change: ConfigurationChange, local: str) -> bool:
    """Return whether the command names ``fact``, which the queue manager ``local`` knows."""
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
    return not change.owner or own_state or get_owner(fact, local) == change.owner


def get_owner(fact: Any, default: str = "") -> str:
    """Return the queue manager that has what a fact describes; ``default`` for a fact that names none."""
    if isinstance(fact, ChannelStatus):
        return default
    return fact.routed_to if isinstance(fact, QueueManagerAlias) else getattr(fact, "queue_manager", default)


def build_ambiguity_error(change: ConfigurationChange, owners: Collection[str]) -> FactsError:
    """Build the error of a command that does not say whose object is meant."""
    return build_option_error(f"{change.object} is on {', '.join(owners)}: say with QMGR(…) which one is meant")


def describe_other_owners(change: ConfigurationChange, owners: Collection[str]) -> str:
    """Say whose the object is that a command gives to somebody else; blank if it is nobody's."""
    found = ", ".join(sorted(owners))
    if change.kind == "CHANNEL" and found:
        return f"is no CLUSRCVR, and what that states is what counts for workload; it is on {found}: QMGR({found})"
    return f"is not known; it is on {found}" if found else ""


def apply_change(placed: PlacedFact[Any], change: ConfigurationChange) -> PlacedFact[Any]:
    """Apply a command to a fact. Raises FactsError."""
    return replace_fields(placed, read_changed_fields(change, placed.fact))


def read_changed_fields(change: ConfigurationChange, fact: Any) -> dict[str, Any]:
    """Read the fields of a fact that a command sets. Raises FactsError."""
    fields: dict[str, Any] = {}
    for kind in (change.kind, "CLUSQMGR") if change.kind in STATE_ATTRIBUTES else (change.kind,):
        words = {
            word: value for word, value in change.attributes.items() if (kind == "CLUSQMGR") == (word in _STATE_WORDS)
        }
        found, refusals = read_attributes(Record("alter", kind, change.name, words), getattr(fact, "deftype", ""))
        if refusals:
            raise _build_change_error(change, refusals)
        fields |= found
    if "DESCR" in change.attributes:
        fields["descr"] = clean_description(change.attributes["DESCR"])
    if isinstance(fact, Channel) and change.attributes.keys() & {"CLUSTER", "CLUSNL"}:
        raise build_option_error(
            f"{change.object}: the clusters of a channel cannot be set here; give a script instead"
        )
    if "SUSPEND" in change.attributes:
        fields["suspended"] = _find_suspended_clusters(change, fact)
    if isinstance(fact, QueueManagerAlias):
        fields = _convert_alias_fields(change, fact, fields)
    if "CLUSTER" in change.attributes and isinstance(fact, Queue | QueueManagerAlias):
        fields["clusters"] = tuple(filter(None, [change.attributes["CLUSTER"]]))
    if "TARGET" in change.attributes:
        fields["target"] = change.attributes["TARGET"]
    lacks = [name for name in fields if not hasattr(fact, name)]
    if lacks:
        raise build_option_error(
            f"{change.object}: {lacks[0].upper()} is known to that queue manager alone and changes nothing here"
        )
    return fields


def _build_change_error(change: ConfigurationChange, errors: Iterable[DomainError]) -> FactsError:
    """Build the error of a command with values that are refused."""
    told = map(str, errors)
    return FactsError(
        Diagnostic(name_argument(CHANGES), f"{change.object}: {each}{_suggest_suspension(change.kind, each)}")
        for each in told
    )


def _check_repeated(words: Sequence[str]) -> None:
    """Raises FactsError where a parameter, or one and its opposite, is there twice, as MQSC refuses it."""
    for at, word in enumerate(words):
        if word in words[:at]:
            raise build_option_error(f"{word} is given twice")
        if word in FLAGS and f"NO{word}" in words:
            raise build_option_error(f"{word} and NO{word} are given together")


def _convert_alias_fields(
    change: ConfigurationChange, alias: QueueManagerAlias, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of an alias for those of a QREMOTE. Raises FactsError where it would no longer be one."""
    kept = {name: value for name, value in fields.items() if name not in ("rname", "rqmname")}
    if fields.get("rname"):
        raise build_option_error(f"{change.object}: a queue-manager alias has no RNAME; give a script instead")
    if "rqmname" in fields:
        kept |= {"queue_manager": fields["rqmname"] or alias.routed_to, "host": alias.routed_to}
    return kept


def _find_suspended_clusters(change: ConfigurationChange, fact: QueueManager | RemoteQueueManager) -> tuple[str, ...]:
    """The clusters in which a queue manager is suspended then; without CLUSTER the command is about all of them."""
    about = split_names(change.attributes.get("CLUSTER", "")) or fact.clusters
    others = tuple(name for name in fact.suspended if name not in about)
    suspends = change.attributes["SUSPEND"] == "YES"
    return (*others, *(name for name in fact.clusters if name in about)) if suspends else others


def _suggest_suspension(kind: str, said: str) -> str:
    """How a queue manager is suspended in one cluster alone, where that may be meant."""
    if kind != "QMGR" or not said.startswith("SUSPEND"):
        return ""
    return "; SUSPEND(YES) is in all its clusters; in one: a script that says SUSPEND QMGR CLUSTER(…)"


def build_option_error(message: str) -> FactsError:
    """Build the error of a change, as a fault of the option that states it."""
    return FactsError([Diagnostic(name_argument(CHANGES), message)])


def build_change_script(change: ConfigurationChange, owner: str, clusters: Iterable[str] = ()) -> Script:
    """Write a change as a script of the queue manager ``owner``, which is in ``clusters``.

    Raises FactsError.
    """
    besides = STATE_ATTRIBUTES.get(change.kind, set())
    name = "" if change.kind == "QMGR" else change.name
    stated = {word: value for word, value in change.attributes.items() if word not in besides}
    states = {word: value for word, value in change.attributes.items() if word in besides}
    records = [Record("alter", change.kind, name, stated, source=name_argument(CHANGES))] if stated else []
    for kind, words in ((change.kind, stated), ("CLUSQMGR", states)):
        refused = read_attributes(Record("alter", kind, change.name or owner, words), "")[1]
        if refused:
            raise _build_change_error(change, refused)
    if "STATUS" in states:
        records.append(Record("state", "CHANNEL", name, {"STATUS": states["STATUS"]}, source=name_argument(CHANGES)))
    if "SUSPEND" in states:
        verb = "suspend" if states["SUSPEND"] == "YES" else "resume"
        records += [
            Record(verb, "QMGR", "", {"CLUSTER": each}, source=name_argument(CHANGES)) for each in sorted(clusters)
        ]
    return Script(name_argument(CHANGES), owner, tuple(records), overlay=True)


_SUSPENDING = {"suspend": "YES", "resume": "NO"}


def build_route_script(owner: str, routes: Iterable[Channel], option: str) -> Script:
    """Write as a script of the queue manager ``owner`` in which states it sees routes of its, as ``option`` says."""
    records = (
        Record("state", "CHANNEL", each.name, {"STATUS": each.status, "QMNAME": each.queue_manager}, source=option)
        for each in routes
    )
    return Script(option, owner, tuple(records), overlay=True)


def list_script_changes(script: Script, owner: str) -> list[ConfigurationChange]:
    """List the commands of a script of ``owner`` as changes; none where one is no change of an object that is there."""
    found = []
    for each in script.records:
        suspends = _SUSPENDING.get(each.action)
        if each.kind not in CHANGEABLE or not (suspends or each.action == "alter"):
            return []
        attributes = {"SUSPEND": suspends} if suspends else each.attributes
        is_own = each.kind == "QMGR"
        found.append(
            ConfigurationChange(each.kind, owner if is_own else each.name, "" if is_own else owner, attributes)
        )
    return found


def has_named_object(scripts: Sequence[Script], change: ConfigurationChange) -> bool:
    """Return whether scripts of one queue manager define, or show, the object that an option names."""
    is_route = change.kind == "CHANNEL" and change.is_of_state
    return any(
        (each.kind == change.kind and each.name == change.name and each.action in CREATING_ACTIONS)
        or (is_route and each.attributes.get("CHANNEL") == change.name)
        or (is_route and (each.kind, each.name) == ("CHSTATUS", change.name))
        for script in scripts
        for each in script.records
    )


def has_receiver(scripts: Sequence[Script], change: ConfigurationChange) -> bool:
    """Return whether scripts of one queue manager define the cluster receiver that an option names."""
    return any(
        each.kind == "CHANNEL" and each.name == change.name and each.attributes.get("CHLTYPE") == "CLUSRCVR"
        for script in scripts
        for each in script.records
    )


CREATING_ACTIONS = ("define", "observe")
"""The actions of records after which an object is there."""
