"""Document 000: how a cluster queue manager chooses the destination of a message; and what a call then ends with."""

from __future__ import annotations

from mqclause.language.vocabulary import About, WordKind
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import START
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.declaration import Carried, Declaration, RowNames

PUTS = RowNames("put", "destinations", "decision")

SAID = {
    "channel_manual": "manually_defined",
    "suspended": "suspended_for_it",
    "shares_cluster": "in_a_shared_cluster",
    "channel_in_queue_cluster": "channel_leads_there",
}
"""The terms that say attributes of a destination, by attribute."""

OF_ONE: tuple[WordKind, About] = ("boolean", "subject")
LISTING = dict.fromkeys(("lends", "on_each_receiver", "own_alias", "own_definition_followed", *SAID.values()), OF_ONE)
"""The terms that say which destinations are listed, and how."""

WORKLOAD = Declaration(
    "workload", Situation, Destination, Carried("counter", START), row=PUTS,
    terms={"kept_queue": ("text", "situation"), **LISTING},
)  # fmt: skip
"""The choice among the destinations that a put names, and the counters of clause 12."""

OUTCOME = Declaration(
    "outcome", Situation, Destination, follows=WORKLOAD, row=PUTS,
    sees={"permitted": "COUNT_IF(TRUE)", "left_put_disabled": "left_put_disabled"},
    terms={"fixed": ("boolean", "situation")},
)  # fmt: skip
"""The reason code of a call; ``permitted`` is how many destinations the workload rules left, ``left_put_disabled`` how
many the ranks had left where all of those are put-disabled, in editions that look at rank first."""
