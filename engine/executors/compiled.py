"""The compiled executor: the steps of a ruleset as one Python function, made once, when it is first called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import field, frozen

from mqclause.executors.run import CarriedValues, Run, failure
from mqclause.executors.source import code_of
from mqclause.executors.steps import Steps
from mqclause.language.vocabulary import floored


@frozen
class Compiled:
    """The steps of a ruleset, ready to run. Safe to share between threads.

    There is a function for each form, made when it is first asked for: with and without trace, with and without what
    is carried.
    """

    steps: Steps
    _functions: list[Callable[..., Run] | None] = field(factory=lambda: [None] * 4, init=False, repr=False)

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = False,
    ) -> Run:
        """What the steps leave of ``among``; ``earlier`` are facts that the document before handed on."""
        form = 2 * traced + (carried is not None)
        function = self._functions[form] or self._made(form)
        return function(situation, among, carried, earlier)

    def _made(self, form: int) -> Callable[..., Run]:
        made = self._functions[form] = _function(self.steps, traced=form >= 2, carried=form % 2 == 1)
        return made


def _function(steps: Steps, traced: bool, carried: bool) -> Callable[..., Run]:
    kept = steps.ruleset.about.carried
    scope: dict[str, Any] = {
        "START": kept and kept.start,
        "floor": floored,
        "failure": partial(failure, steps),
        # Half the time of calling the class, twice a decision.
        "run": partial(tuple.__new__, Run),
        "__builtins__": BUILTINS,
    }
    exec(code_of(steps, traced, carried), scope)  # noqa: S102 - it holds no text of a file, see language.python
    function: Callable[..., Run] = scope["decide"]
    return function


BUILTINS = {"len": len, "max": max, "min": min, "set": set, "sorted": sorted, "zip": zip}
