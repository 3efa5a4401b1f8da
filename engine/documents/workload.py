"""Document 000: how a cluster queue manager chooses the destination of a message; and what a call then ends with."""

from __future__ import annotations

from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import START
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.declaration import Carried, Declaration, RowNames

PUTS = RowNames("put", "destinations", "decision")

WORKLOAD = Declaration("workload", Situation, Destination, Carried("counter", START), row=PUTS)
"""The choice among the destinations that a put names, and the counters of clause 12."""

OUTCOME = Declaration(
    "outcome", Situation, Destination, follows=WORKLOAD, sees={"permitted": "COUNT_IF(TRUE)"}, row=PUTS
)
"""The reason code of a call; ``permitted`` is how many destinations the workload rules left."""
