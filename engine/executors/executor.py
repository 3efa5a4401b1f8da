"""The executors: each runs a ruleset, and all give the same Run for the same facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from mqclause.executors.chaining import Chaining
from mqclause.executors.compiled import Compiled
from mqclause.executors.run import Run
from mqclause.model.facts.destination import CounterKey, Destination
from mqclause.model.facts.sequence import Counter
from mqclause.rulebook.rule import Ruleset

ExecutorName = Literal["compiled", "chaining"]


class Executor(Protocol):
    """What runs a ruleset."""

    def run(
        self,
        put: Any,
        among: Sequence[Destination],
        counters: Mapping[CounterKey, Counter] | None = None,
        earlier: Mapping[str, Any] = ...,
        traced: bool = ...,
    ) -> Run:
        """What the rules leave of ``among`` in the situation ``put``."""
        ...


def executor_of(name: ExecutorName, ruleset: Ruleset) -> Executor:
    """``ruleset`` made ready for the executor of that name: compiled (microseconds) or chaining (the reference)."""
    kinds: dict[ExecutorName, type[Compiled] | type[Chaining]] = {"compiled": Compiled, "chaining": Chaining}
    return kinds[name].of(ruleset)
