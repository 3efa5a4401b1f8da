"""Document 003: when a cluster workload exit is called, and what its answer does."""

from __future__ import annotations

from mqclause.model.exits.exit_call import ExitCall
from mqclause.model.facts.destination import Destination
from mqclause.rulebook.declaration import Declaration, RowNames

EXIT = Declaration("exit", ExitCall, Destination, row=RowNames("call", "destinations", "exit"), asks=(
    "buffer_length", "called", "dead_lettered", "exit_choice_stands", "exit_name", "exit_reason", "off_for_handle",
    "own_choice_stands", "passes_over_target", "suppresses", "with_message",
))  # fmt: skip
"""A choice that an exit could be called for, over the destinations that it could be offered; before and after it."""
