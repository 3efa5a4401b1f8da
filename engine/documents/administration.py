"""Document 004: what commands and accidents do to what is in a running cluster, and how long things are kept."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, FROM_ZERO, TEXT, text_of
from mqclause.model.facts.objects import CHANNEL_STATES
from mqclause.model.timeline.matter import Matter
from mqclause.rulebook.declaration import Declaration, RowNames

BECOMES = (
    "SUSPENDED", "RESUMED", "KEPT", "REMOVED", *filter(None, CHANNEL_STATES),
    "waits", "delivered", "rerouted", "sent", "may_be_lost", "dead_lettered", "returned", "stays",
)  # fmt: skip
"""What can become of a queue manager, of what a refresh meets, of a route, and of a message."""

ADMINISTRATION = Declaration("administration", Matter, row=RowNames("matter", answer="administration"), asks={
    **dict.fromkeys((
        "again", "answers_new_requests", "asks_again", "behind", "binds", "but_for", "gone", "held", "name_stays",
        "onward", "owner_in_cluster", "remade",
    ), BOOLEAN),
    **dict.fromkeys(("check_after", "grace_period", "lifetime", "request_lifetime", "resend_after"), FROM_ZERO),
    "becomes": text_of(*BECOMES), "refused": TEXT, "state": TEXT,
})  # fmt: skip
"""One thing that an event touches, or that is held on a day. The first rule that applies settles what becomes of it."""
