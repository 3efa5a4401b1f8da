"""Declare for each document what its rules see, what they choose from, and what they derive.

A class that one document alone needs is named by its place, and loaded with the rules of that document.
"""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, FROM_ZERO, NUMBER, TEXT, About, Type, WordKind, build_text_type
from mqclause.model.facts.names import LEADING_TYPES, NamePair
from mqclause.model.facts.objects import BINDINGS, CHANNEL_STATES, QueueCall
from mqclause.model.facts.workload import START, Destination, Situation
from mqclause.rulebook.rule import CarriedState, Declaration, RowNames

RESOLUTION = Declaration("resolution", NamePair, row=RowNames("naming", answer="resolution"), asks={
    **dict.fromkeys((
        "disabled", "leads_to", "next_queue", "next_queue_manager", "object", "transmission_queue",
    ), TEXT),
    "defbind": build_text_type(*BINDINGS), "deferred": BOOLEAN, "defprty": Type("whole", (), 0, 9),
    "ends": build_text_type("local queue", "queue", "transmission queue", "queue manager", "topic", "again"),
    "object_kind": build_text_type(*LEADING_TYPES),
}, terms={"here": ("boolean", "situation")})  # fmt: skip
"""One look at the two names of an object descriptor. Objects that lead to other names are looked at again."""

PUTS = RowNames("put", "destinations", "decision")

DESTINATION_TERMS = {
    "channel_manual": "manually_defined",
    "suspended": "suspended_for_it",
    "shares_cluster": "in_a_shared_cluster",
    "channel_in_queue_cluster": "channel_leads_there",
}
"""The terms that say attributes of a destination, by attribute."""

SUBJECT_BOOLEAN: tuple[WordKind, About] = ("boolean", "subject")
LISTING_TERMS = dict.fromkeys(
    ("lends", "on_each_receiver", "own_alias", "own_definition_followed", *DESTINATION_TERMS.values()), SUBJECT_BOOLEAN
)
"""The terms that say which destinations are listed, and how."""

WORKLOAD = Declaration(
    "workload", Situation, Destination, CarriedState("counter", START), row=PUTS,
    terms={"kept_queue": ("text", "situation"), **LISTING_TERMS},
)  # fmt: skip
"""The choice among the destinations that a put names, and the counters of clause 12."""

OUTCOME = Declaration(
    "outcome", Situation, Destination, follows=WORKLOAD, row=PUTS,
    sees={"permitted": "COUNT_IF(TRUE)", "left_put_disabled": "left_put_disabled"},
    terms={"fixed": ("boolean", "situation")},
)  # fmt: skip
"""The reason code of a call; ``permitted`` is how many destinations the workload rules left, ``left_put_disabled`` how
many the ranks had left where all of those are put-disabled, in editions that look at rank first."""

DELIVERY = Declaration("delivery", "mqclause.model.facts.delivery:Delivery", row=RowNames("delivery", answer="told"))
"""One destination that was chosen. The rules change nothing of the choice; what they derive has a remark."""

CALL = Declaration("call", QueueCall, row=RowNames("call", answer="ends"))
"""One call on one local queue, by its reason code."""

TRIGGER = Declaration(
    "trigger", "mqclause.model.timeline.trigger_events:TriggerEvent",
    row=RowNames("occasion", answer="triggering"), asks={
    **dict.fromkeys(("appl_id", "appl_type", "env_data", "of_process", "of_queue", "trigger_data", "user_data"), TEXT),
    **dict.fromkeys(("available", "counts", "released"), BOOLEAN),
    "priority": Type("whole", (), 0, 9), "trigger_events": FROM_ZERO,
})  # fmt: skip
"""The conditions for a trigger message on one occasion: something happened to a queue."""

RETRIEVAL = Declaration(
    "retrieval", "mqclause.model.facts.messages:RetrievalCall", "mqclause.model.facts.messages:QueuedMessage",
    row=RowNames("call", "messages", "retrieval"), asks={
    "group_status": build_text_type(" ", "G", "L"), "segment_status": build_text_type(" ", "S", "L"),
    "returned_whole": BOOLEAN,
    "warning": FROM_ZERO, "makes_current": BOOLEAN, "moves_cursor": BOOLEAN, "keeps_anchor": BOOLEAN,
    "looks_anew": BOOLEAN, "states_browsing": BOOLEAN, "begins_browsing": BOOLEAN, "is_set_back": BOOLEAN,
    "joins_group": BOOLEAN,
    "put_sequence": FROM_ZERO, "put_offset": FROM_ZERO,
}, terms={
    "enqueued_priority": ("whole", "subject"), "is_first": ("boolean", "subject"),
    "begins_message": ("boolean", "subject"), "ends_message": ("boolean", "subject"),
    "ends_item": ("boolean", "subject"), "followed_by_sequence": ("whole", "subject"),
    "followed_by_offset": ("whole", "subject"),
}, stated="mqclause.model.facts.messages:StatedMessage")  # fmt: skip
"""The order of a queue's messages, which of them a call returns, what it returns beside, and where the caller stands
after it. What a message is where it belongs is asked once, of what it says of itself, and told to the rules.
"""

EXIT_REASONS = ("CLWL_OPEN", "CLWL_PUT", "CLWL_MOVE", "CLWL_REPOS", "CLWL_REPOS_MOVE")
"""Why an exit is called for a choice; besides, it is at its begin (INIT) and its end (TERM)."""

EXIT = Declaration(
    "exit", "mqclause.model.exits:ExitCall", Destination, row=RowNames("call", "destinations", "exit"), asks={
    **dict.fromkeys((
        "called", "dead_lettered", "exit_choice_stands", "off_for_handle", "own_choice_stands", "passes_over_target",
        "suppresses", "with_message",
    ), BOOLEAN),
    "buffer_length": FROM_ZERO, "exit_name": TEXT, "exit_reason": build_text_type(*EXIT_REASONS),
    "time_limit": NUMBER,
})  # fmt: skip
"""A choice that an exit could be called for, over the destinations that it could be offered; before and after it."""

ADMINISTRATION_OUTCOMES = (
    "SUSPENDED", "RESUMED", "KEPT", "REMOVED", *filter(None, CHANNEL_STATES),
    "waits", "delivered", "rerouted", "sent", "may_be_lost", "dead_lettered", "returned", "stays",
)  # fmt: skip
"""What can become of a queue manager, of what a refresh meets, of a route, and of a message."""

ADMINISTRATION = Declaration(
    "administration", "mqclause.model.timeline.administration:AdministrationSubject",
    row=RowNames("matter", answer="administration"), asks={
    **dict.fromkeys((
        "again", "answers_new_requests", "asks_again", "behind", "binds", "but_for", "gone", "held", "name_stays",
        "onward", "owner_in_cluster", "remade",
    ), BOOLEAN),
    **dict.fromkeys(("check_after", "grace_period", "lifetime", "request_lifetime", "resend_after"), FROM_ZERO),
    "becomes": build_text_type(*ADMINISTRATION_OUTCOMES), "refused": TEXT, "state": TEXT,
})  # fmt: skip
"""One thing that an event touches, or that is held on a day. The first rule that applies settles what becomes of it."""

CHECK = Declaration(
    "check",
    "mqclause.model.configuration.checked_objects:ConfiguredObject",
    row=RowNames("configured", answer="findings"),
    asks={"is_to_trigger": BOOLEAN, "known": BOOLEAN},
    terms={"competes": ("boolean", "situation")},
)
"""Each rule is a condition that an object should fulfil; its ``severity`` is that of the finding where it does not."""

CHOICE = (RESOLUTION, OUTCOME, CALL, EXIT)
"""The documents that say where a put goes, or why it fails."""

DOCUMENTS = {
    each.name: each
    for each in (RESOLUTION, WORKLOAD, OUTCOME, DELIVERY, CALL, TRIGGER, RETRIEVAL, EXIT, ADMINISTRATION, CHECK)
}
"""Every document whose rules come with the project, by the folder of its rules."""

__all__ = [
    "ADMINISTRATION", "CALL", "CHECK", "DELIVERY", "DOCUMENTS", "EXIT", "OUTCOME", "RESOLUTION", "RETRIEVAL", "TRIGGER",
    "WORKLOAD",
]  # fmt: skip
