"""Document 003: when a cluster workload exit is called, and what its answer does."""

from __future__ import annotations

from mqclause.language.vocabulary import BOOLEAN, FROM_ZERO, NUMBER, TEXT, text_of
from mqclause.model.exits.exit_call import ExitCall
from mqclause.model.exits.structures import EXIT_REASONS
from mqclause.model.facts.destination import Destination
from mqclause.rulebook.declaration import Declaration, RowNames

EXIT = Declaration("exit", ExitCall, Destination, row=RowNames("call", "destinations", "exit"), asks={
    **dict.fromkeys((
        "called", "dead_lettered", "exit_choice_stands", "off_for_handle", "own_choice_stands", "passes_over_target",
        "suppresses", "with_message",
    ), BOOLEAN),
    "buffer_length": FROM_ZERO, "exit_name": TEXT, "exit_reason": text_of(*EXIT_REASONS),
    "time_limit": NUMBER,
})  # fmt: skip
"""A choice that an exit could be called for, over the destinations that it could be offered; before and after it."""
