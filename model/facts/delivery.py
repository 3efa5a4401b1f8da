"""What the rules of delivery see: a message on its way from the chosen destination to its queue."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, get_args

from attrs import define, field

from mqclause.model.facts.domains import (
    LARGEST,
    NAME_OR_BLANK,
    NAMES,
    Names,
    Text,
    Whole,
    Words,
    rule_field,
    word_field,
)
from mqclause.model.facts.objects import CHANNEL_STATES, ChannelStatus, Platform

TAKERS_NAMED = 5
"""So many channels of one transmission queue are named."""

CHANNEL_QUEUE_PREFIX = "SYSTEM.CLUSTER.TRANSMIT."
"""What begins the name of a transmission queue that MQ makes for one channel."""


def get_channel_queue(channel: str) -> str:
    """Return the name of the transmission queue that MQ makes for a channel."""
    return f"{CHANNEL_QUEUE_PREFIX}{channel}" if channel else ""


def find_serving_queue(channel: str, serving: Mapping[str, str]) -> str:
    """Find the queue whose CLCHNAME fits a channel; of several the one that says most, blank if none does."""
    if not serving:
        return ""
    fitting = (name for name, pattern in serving.items() if channel and fnmatchcase(channel, pattern))
    return max(fitting, key=lambda name: len(serving[name].replace("*", "")), default="")


@define(unsafe_hash=True)  # One is made for every cell of a map, and attrs takes longer where it is frozen.
class Delivery:
    """One message on its way to the ``queue`` at ``queue_manager`` that was chosen, or a trigger message in its place.

    What each attribute means is in the vocabulary of delivery, ``engine/audit/vocabulary.toml``.
    """

    sender: str = rule_field(NAME_OR_BLANK, "")
    queue: str = rule_field(NAME_OR_BLANK, "")
    queue_manager: str = rule_field(NAME_OR_BLANK, "")
    is_local: bool = False
    channel: str = rule_field(Text(20), "")
    channel_status: str = rule_field(Words((*CHANNEL_STATES, "")), "")
    put_enabled: bool = True
    put_disabled_here: tuple[str, ...] = rule_field(NAMES, ())
    own_transmission_queue: str = rule_field(NAME_OR_BLANK, "")
    defclxq: str = rule_field(Text(12), "")
    queues_told: bool = False
    queue_there: bool = True
    leads_to: str = rule_field(NAME_OR_BLANK, "")
    target_there: bool = True
    target_on_host: bool = True
    bound: bool = False
    suspended: bool = False
    shares_queues: bool = False
    by_alias: bool = False
    has_left: bool = False
    other_ways: int = rule_field(Whole(0, LARGEST), 0)
    by_transmission_queue: str = rule_field(NAME_OR_BLANK, "")
    is_sent_from: bool = True
    triggered_queue: str = rule_field(NAME_OR_BLANK, "")
    usage: str = word_field("NORMAL", "XMITQ", default="NORMAL")
    process: str = rule_field(NAME_OR_BLANK, "")
    initq: str = rule_field(NAME_OR_BLANK, "")
    trigdata: str = rule_field(Text(64), "")
    trigdata_is_channel: bool = True
    like_trigdata: str = rule_field(Text(20), "")
    full_here: tuple[str, ...] = rule_field(NAMES, ())
    queue_of_channel: str = rule_field(NAME_OR_BLANK, "")
    depth: int = rule_field(Whole(0, LARGEST), 0)
    maxdepth: int = rule_field(Whole(0, LARGEST), LARGEST)
    takers: str = rule_field(Text(400), "")
    taker_states: tuple[str, ...] = rule_field(Names(Words(CHANNEL_STATES)), ())
    taker_unknown: bool = False
    stopped_taker: str = rule_field(Text(20), "")
    is_triggered: bool = False
    is_missing: bool = False
    overridden: str = rule_field(Text(100), "")
    alias_of_model: bool = False
    stream_queue: str = rule_field(NAME_OR_BLANK, "")
    capexpry: int = rule_field(Whole(0, LARGEST), 0)
    listed_status: str = rule_field(Words((*CHANNEL_STATES, "")), "")
    group: str = rule_field(Text(100), "")
    group_at: str = rule_field(NAME_OR_BLANK, "")
    group_takes_puts: bool = True
    platform: str = word_field(*get_args(Platform), default="MULTI")
    level_told: bool = False


def describe_takers(channels: Iterable[ChannelStatus], unknown_state: Container[str]) -> dict[str, Any]:
    """Describe the channels that take messages from a transmission queue, in fields of what rules see of that.

    ``unknown_state`` has those whose state is not known.
    """
    found = [*channels]
    known = [each for each in found if each.name not in unknown_state]
    said = [f"{each.name} is {each.status}" for each in known[:TAKERS_NAMED]]
    return {
        "takers": ", ".join([*said, *(["…"] if len(known) > TAKERS_NAMED else [])]),
        "taker_states": tuple(dict.fromkeys(each.status for each in known)),
        "taker_unknown": len(known) < len(found),
        "stopped_taker": next((each.name for each in known if each.status == "STOPPED"), ""),
    }


@define(unsafe_hash=True)  # One is made for every snapshot, and attrs takes three times as long where it is frozen.
class DeliveryContext:
    """What sources tell of the way that a message takes from one queue manager once its destination is chosen.

    ``hosted`` has the names of the queues of each queue manager that is described, with those that aliases lead to, of
    those ``told_wholly`` of all, and ``models`` those of its model queues; ``whole``: no source leaves a queue manager
    out. ``defclxq`` is DEFCLXQ where nobody states it: MQ's default, or blank. ``sent_from`` are the transmission
    queues that its channels name, None where no channel is described. Of its ``channels``, by name, those of
    ``unknown_state`` have one that no source tells; ``no_channels`` are names in TRIGDATA, and the sources tell that
    there is no such channel. ``shown_queues`` are the transmission queues of cluster channels that a display names, by
    channel, and ``no_queues`` those of them that are not there. ``overridden`` are attributes in the words of MQSC, by
    cluster channel: a CLUSSDR states them, and the CLUSRCVR has them otherwise.
    """

    hosted: Mapping[str, Mapping[str, str]] = field(factory=dict)
    models: Mapping[str, frozenset[str]] = field(factory=dict, kw_only=True)
    told_wholly: frozenset[str] = frozenset()
    whole: bool = True
    defclxq: str = ""
    sent_from: frozenset[str] | None = None
    channels: frozenset[str] = frozenset()
    unknown_state: frozenset[str] = frozenset()
    no_channels: frozenset[str] = frozenset()
    shown_queues: Mapping[str, str] = field(factory=dict)
    no_queues: frozenset[str] = frozenset()
    overridden: Mapping[str, str] = field(factory=dict)
