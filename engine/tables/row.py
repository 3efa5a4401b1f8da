"""One row of a table of puts, decided by the compiled executor. The columns are those of mqclause.tables.columns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from mqclause.answers.decision import step_document
from mqclause.executors.executor import executor_of
from mqclause.executors.run import Run
from mqclause.language.evaluate import Scope
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.domains import Finite, Flag, Names, Text, Whole, Words
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.loader import load_ruleset
from mqclause.rulebook.rule import Ruleset
from mqclause.tables.columns import (
    DECISION,
    DESTINATION,
    DESTINATION_OR_QMGR,
    NAMES_BOTH,
    NAMES_NOTHING,
    NO_DESTINATIONS,
    NO_PUT,
    NOT_ALLOWED,
    NULL_DESTINATION,
    PUT,
    SITUATION,
    Column,
)
from mqclause.trace.explanation import steps

Keep = Callable[[Any], Any]
"""Takes a value that is not null; returns it as it is kept, or None if the column does not allow it."""

Reader = tuple[Column, type | None, Keep]
"""A column, the type whose values are all kept as they are, and how others are kept."""


class InvalidRowError(ValueError):
    """A row that says nothing decidable; the message is what the decision's ``message`` holds."""


class Rows:
    """Decides rows of tables by the workload and outcome rules, under one set of readings.

    Arguments as for Engine, and so are the exceptions. It holds no state: one may be shared between threads.
    """

    def __init__(self, readings: Mapping[str, str] | None = None, rules: Path | None = None) -> None:
        self.rulesets = tuple(load_ruleset(name, readings, rules) for name in ("workload", "outcome"))
        self.readings = {name: choice for ruleset in self.rulesets for name, choice in ruleset.readings}
        self._workload, self._outcome = (executor_of("compiled", ruleset) for ruleset in self.rulesets)

    def decision(
        self,
        put: Mapping[str, Any] | None,
        destinations: Sequence[Mapping[str, Any] | None] | None,
        explain: bool = False,
    ) -> dict[str, Any]:
        """What the rules answer to ``put``, which can reach ``destinations``: the fields of columns.DECISION.

        A field that is null or absent has its column's default, and one that no column is named for is passed over.
        With ``explain`` the rule that each destination fell by is told. A row with a fault is ``invalid``; the
        message is about its first fault. Raises nothing.
        """
        try:
            seen, listed = _situation_of(read_put(put)), read_destinations(put, destinations)
        except InvalidRowError as error:
            return invalid(str(error))
        run, outcome = self._run(seen, listed, explain)
        return answer(listed, run, outcome, self.rulesets[0] if explain else None)

    def explained(
        self, put: Mapping[str, Any] | None, destinations: Sequence[Mapping[str, Any] | None] | None
    ) -> dict[str, Any]:
        """The decision with its derivation: ``steps`` as in Decision.to_json, none for an invalid row."""
        try:
            seen, listed = _situation_of(read_put(put)), read_destinations(put, destinations)
        except InvalidRowError as error:
            return {**invalid(str(error)), "steps": []}
        run, outcome = self._run(seen, listed, traced=True)
        workload = self.rulesets[0]
        every = {name: value for name, value in run.every.items() if value is not None}
        scope = Scope(workload.vocabulary, seen, listed, every=every)
        derivation = [step_document(step) for step in steps(workload, run, listed, scope, conditions=False)]
        return {**answer(listed, run, outcome, workload), "steps": derivation}

    def _run(self, seen: Situation, listed: Sequence[Destination], traced: bool) -> tuple[Run, Run]:
        run = self._workload.run(seen, listed, None, {}, traced)
        return run, self._outcome.run(seen, listed, None, {"permitted": len(run.remaining)}, False)


def read_put(put: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values of ``put`` by column, every one of columns.PUT. Raises InvalidRowError."""
    if put is None:
        raise InvalidRowError(NO_PUT)
    values = _read(put, _PUT, "put.")
    if bool(values["queue"]) == bool(values["queue_manager"]):
        raise InvalidRowError(NAMES_BOTH if values["queue"] else NAMES_NOTHING)
    return values


def read_destinations(
    put: Mapping[str, Any] | None, destinations: Sequence[Mapping[str, Any] | None] | None
) -> list[Destination]:
    """The destinations of a row in listing order. Raises InvalidRowError.

    A queue may leave CLWLUSEQ to its queue manager if the ``put`` has a field for what that one says.
    """
    if destinations is None or len(destinations) == 0:
        raise InvalidRowError(NO_DESTINATIONS)
    readers = _DESTINATION_OR_QMGR if put is not None and "qmgr_clwluseq" in put else _DESTINATION
    found = []
    for place, destination in enumerate(destinations):
        if destination is None:
            raise InvalidRowError(NULL_DESTINATION.format(place=place))
        found.append(Destination(**_read(destination, readers, f"destinations[{place}].")))
    return found


def answer(listed: Sequence[Destination], run: Run, outcome: Run, workload: Ruleset | None = None) -> dict[str, Any]:
    """The fields of columns.DECISION for a run of the workload rules over ``listed`` and one of the outcome rules.

    ``workload`` is the ruleset of a traced run, to tell which rule each destination fell by; None tells nothing.
    """
    remaining, failure = run.remaining, outcome.failure
    what = "failed" if failure else "deferred" if outcome.facts["deferred"] else "chosen"
    chosen = remaining[0] if what == "chosen" else None
    return {
        "outcome": what,
        "queue": chosen and (chosen.queue or None),
        "queue_manager": chosen and (chosen.queue_manager or None),
        "channel": chosen and (chosen.channel or None),
        "reason": REASONS[failure[1]] if failure else None,
        "permitted": len(remaining),
        "eliminated_by": workload and _eliminated_by(listed, run, workload),
        "message": None,
    }


def invalid(message: str) -> dict[str, Any]:
    """The fields of columns.DECISION for a row that is not decided."""
    return {**_NOTHING, "outcome": "invalid", "message": message}


_NOTHING = dict.fromkeys(DECISION)


def _eliminated_by(listed: Sequence[Destination], run: Run, workload: Ruleset) -> list[str | None]:
    """For each destination the id of the rule that it fell by last: after that one nothing took it back."""
    assert run.trace is not None, "the run was not traced"  # noqa: S101
    fell: dict[Destination, str] = {}
    for rule, did in zip(workload.rules, run.trace, strict=True):
        if did is not None:
            fell |= dict.fromkeys(did[0], rule.id)
    remaining = set(run.remaining)
    return [None if each in remaining else fell[each] for each in listed]


def _situation_of(put: dict[str, Any]) -> Situation:
    values = {SITUATION.get(name, name): value for name, value in put.items()}
    if values["bind"] == "AS_Q_DEF":
        values["bind"] = "OPEN"
    return Situation(**values)


def _read(given: Mapping[str, Any], readers: Sequence[Reader], where: str) -> dict[str, Any]:
    """The kept value of every column. ``where`` goes before a column's name in a message."""
    values = {}
    get = given.get
    for column, kind, keep in readers:
        name = column.name
        value = get(name)
        if value is None:
            value = column.default
        elif type(value) is not kind:
            kept = keep(value)
            if kept is None:
                _refuse(where, column, value)
            value = kept
        values[name] = value
    return values


def _refuse(where: str, column: Column, value: Any) -> NoReturn:
    told = NOT_ALLOWED.format(column=where + column.name, value=_shown(value), allowed=column.allowed)
    raise InvalidRowError(told)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _keep_in(column: Column) -> Keep:
    """How the values of ``column`` are kept."""
    match column.domain:
        case Words(words):
            table = {word: word for word in words}
            return lambda value: table.get(value) or table.get(value.upper()) if isinstance(value, str) else None
        case Whole(low, high):
            return lambda value: value if type(value) is int and low <= value <= high else None
        case Finite(low):
            most = sys.float_info.max
            return lambda value: float(value) if type(value) in _NUMBERS and low <= value <= most else None
        case Flag():
            return lambda value: value if value is True or value is False else None
        case Names():
            return _keep_names
    return lambda value: value if isinstance(value, str) else None


_NUMBERS = frozenset({int, float})


def _keep_names(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    names = tuple(name for name in value if name is not None)
    return names if all(isinstance(name, str) for name in names) else None


def _readers(columns: Mapping[str, Column]) -> tuple[Reader, ...]:
    """A reader for each column, in the order in which faults are looked for."""
    return tuple((each, _WHOLE_TYPES.get(type(each.domain)), _keep_in(each)) for each in columns.values())


_WHOLE_TYPES = {Flag: bool, Text: str}


_PUT = _readers(PUT)
_DESTINATION = _readers(DESTINATION)
_DESTINATION_OR_QMGR = _readers(DESTINATION_OR_QMGR)
