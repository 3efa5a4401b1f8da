"""Decide one row of a table with the compiled executor; the one place that says what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache, partial
from typing import Any, NoReturn

from attrs import evolve, fields

from mqclause.answers import NOBODY_LEFT
from mqclause.documents import OUTCOME, TRIGGER
from mqclause.executors.operations import Run, build_listing
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.model.diagnostics import DomainError
from mqclause.model.facts.domains import REASONS, Finite, Flag, Name, Names, Whole, Words
from mqclause.model.facts.objects import Put
from mqclause.model.facts.workload import Destination, DestinationListing, Situation
from mqclause.rulebook.rule import Declaration, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.tables.schema import (
    DECISION,
    NOT_ALLOWED,
    NULL_SUBJECT,
    TRIGGERING,
    Column,
    Columns,
    build_columns,
    get_letter_case,
    get_requirements,
    narrow_columns,
    render_null_fault,
)
from mqclause.trace import build_step_document, build_steps
from mqclause.trigger.examination import Triggers

KeepValue = Callable[[Any], Any]
"""Takes a value that is not null; returns it as it is kept, or None if the column does not allow it."""

Given = Mapping[str, Any]
"""A struct of a row."""


class InvalidRowError(ValueError):
    """A row that says nothing decidable; the message is what the answer's ``message`` holds."""


class Rows:
    """Decides rows of tables of puts. It holds no state: one may be shared between threads. Raises RuleError."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.course = Pipeline.of(Rules.given(rules), OUTCOME)
        self.listing = build_listing(self.course.rulesets[0])

    def decision(
        self, put: Given | None, destinations: Sequence[Given | None] | None, explain: bool = False
    ) -> dict[str, Any]:
        """Decide a ``put`` that can reach ``destinations``: the fields of the column ``decision``.

        A field that is null or absent has its column's default, and one that no column is named for is passed over.
        With ``explain`` the rule that each destination fell by is told. A row with a fault is ``invalid``; the
        message is about its first fault. Raises nothing.
        """
        try:
            seen, listed = read_put(self.listing, put, destinations)
        except InvalidRowError as error:
            return build_invalid_row(str(error))
        runs = self.course.run(seen, listed, traced=explain)
        return build_decision(listed, runs, self.course.rulesets[0] if explain else None)

    def explained(self, put: Given | None, destinations: Sequence[Given | None] | None) -> dict[str, Any]:
        """Decide a row with its derivation: ``steps`` as in Decision.to_json, none for an invalid row."""
        try:
            seen, listed = read_put(self.listing, put, destinations)
        except InvalidRowError as error:
            return {**build_invalid_row(str(error)), "steps": []}
        runs = self.course.run(seen, listed, traced=True)
        workload = self.course.rulesets[0]
        scope = build_first_scope(self.course.steps[0], seen, listed, None, {})
        derivation = [
            build_step_document(step, Destination.to_json)
            for step in build_steps(workload, runs[0], listed, scope, conditions=False)
        ]
        return {**build_decision(listed, runs, workload), "steps": derivation}


class OccasionRows:
    """Decides rows of tables of occasions by the trigger rules; threads may share one. Raises RuleError."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.triggers = Triggers(rules)

    def triggering(self, occasion: Given | None) -> dict[str, Any]:
        """Decide a trigger event: the fields of the column ``triggering``. Raises nothing."""
        try:
            seen, _ = read_row(TRIGGER, occasion, None)
        except InvalidRowError as error:
            return {**dict.fromkeys(TRIGGERING), "outcome": "invalid", "message": str(error)}
        found = self.triggers.examine(seen)
        return {
            "outcome": "triggers" if found.rule else "silent",
            "rule": found.rule and found.rule.id,
            "available": found.available,
            "turns_off": found.turns_off is not None,
            "failing": [rule.id for rule, holds in found.list_examined_rules() if not holds],
            "message": None,
        }


def read_put(
    listing: DestinationListing, put: Given | None, destinations: Sequence[Given | None] | None
) -> tuple[Situation, list[Destination]]:
    """Read a row of a table of puts, as read_row does. Raises InvalidRowError."""
    seen, listed = read_row(OUTCOME, put, destinations)
    kept = listing.kept_queue(seen)
    return seen, [evolve(each, queue=kept) for each in listed] if kept else listed


def read_row(about: Declaration, situation: Given | None, subjects: Sequence[Given | None] | None) -> tuple[Any, Any]:
    """Read the situation and the subjects of a row, as rules see them, in listing order. Raises InvalidRowError."""
    values = read_situation(about, situation)
    columns = build_columns(about.situation)
    seen = about.situation(**{of.word: of.stands_for.get(values[name], values[name]) if of.stands_for else values[name]
                              for name, of in columns.items()})  # fmt: skip
    return seen, read_subjects(about, lower_names(situation or {}, ""), subjects)


def read_situation(about: Declaration, situation: Given | None) -> dict[str, Any]:
    """Read the values of a situation by column, with every column that it can have. Raises InvalidRowError."""
    name, demands = about.row.situation, get_requirements(about)
    if situation is None:
        raise InvalidRowError(render_null_fault(name))
    values = _read(situation, _readers(about.situation), f"{name}.")
    if demands.one_of and not any(values[each] for each in demands.one_of):
        raise InvalidRowError(demands.none_given)
    return values


def build_put(said: Given) -> Put:
    """Build the put of a row without a fault, as the engine takes it."""
    values = _read(said, _readers(OUTCOME.situation), "")
    return Put(**{each.name: values[each.name] for each in fields(Put) if each.name in values})


def read_subjects(about: Declaration, situation: Given, subjects: Sequence[Given | None] | None) -> list[Any]:
    """Read subjects in listing order; some words need certain fields of the situation. Raises InvalidRowError."""
    if about.subject is None:
        return []
    name, nobody = about.row.subjects, get_requirements(about).nobody
    if nobody and not subjects:
        raise InvalidRowError(nobody)
    readers = _subject_readers(about.subject, frozenset(situation))
    found = []
    for place, each in enumerate(subjects or ()):
        if each is None:
            raise InvalidRowError(NULL_SUBJECT.format(subjects=name, place=place))
        values = _read(each, readers, f"{name}[{place}].")
        found.append(about.subject(**{of.word: values[of.name] for of, _ in readers}))
    return found


def build_decision(
    listed: Sequence[Destination], runs: Sequence[Run], workload: Ruleset | None = None
) -> dict[str, Any]:
    """Build the fields of the column ``decision`` from runs over ``listed``.

    If they are traced, ``workload`` tells who fell.
    """
    run, outcome = runs
    what = "failed" if outcome.failure else "deferred" if outcome.facts["deferred"] else "chosen"
    if what == "chosen" and not run.remaining:
        return build_invalid_row(NOBODY_LEFT)
    chosen = run.remaining[0] if what == "chosen" else None
    return dict.fromkeys(DECISION) | {
        "outcome": what,
        "queue": chosen and (chosen.queue or None),
        "queue_manager": chosen and (chosen.queue_manager or None),
        "channel": chosen and (chosen.channel or None),
        "reason": REASONS[outcome.failure.reason] if outcome.failure else None,
        "permitted": len(run.remaining),
        "eliminated_by": workload and list_eliminating_rules(listed, run, workload),
    }


def build_invalid_row(message: str) -> dict[str, Any]:
    """Build the fields of the column ``decision`` for a row that is not decided."""
    return {**dict.fromkeys(DECISION), "outcome": "invalid", "message": message}


def list_eliminating_rules(listed: Sequence[Any], run: Run, ruleset: Ruleset) -> list[str | None]:
    """List for each subject the id of the rule that removed it for good; None where it remained."""
    assert run.trace is not None, "the run was not traced"  # noqa: S101
    fell: dict[int, str] = {}
    for rule, did in zip(ruleset.rules, run.trace, strict=True):
        if did is not None:
            fell |= dict.fromkeys(map(id, did[0]), rule.id)
    remaining = set(map(id, run.remaining))
    return [None if id(each) in remaining else fell[id(each)] for each in listed]


Reader = tuple[Column, KeepValue]
"""A column, and how its values are kept."""


def _read(given: Given, readers: Sequence[Reader], where: str) -> dict[str, Any]:
    """The kept value of every column. ``where`` goes before a column's name in a message."""
    values = {}
    given = lower_names(given, where)
    for of, keep in readers:
        value = given.get(of.name)
        if value is None and not of.needed:
            values[of.name] = of.default
            continue
        kept = keep(value)
        if kept is None:
            _refuse(where, of, value)
        values[of.name] = kept
    return values


def lower_names(given: Given, where: str) -> Given:
    """Put the names of a struct into lower case. Raises InvalidRowError if two become one."""
    names = tuple(given)
    if all(map(str.islower, names)):
        return given
    lower = [name.lower() for name in names]
    for name, own in zip(lower, names, strict=True):
        if lower.count(name) > 1:
            others = ", ".join(where + other for other in names if other.lower() == name)
            raise InvalidRowError(f"{where}{own}: {others} differ in letter case only")
    return dict(zip(lower, given.values(), strict=True))


def _refuse(where: str, of: Column, value: Any) -> NoReturn:
    if isinstance(of.domain, Names) and isinstance(value, list | tuple) and all(map(_is_text, value)):
        names = _keep_in(Column(of.name, of.domain.each, ""))
        for place, name in enumerate(value):
            if name is not None and names(name) is None:
                _refuse(where, Column(f"{of.name}[{place}]", of.domain.each, ""), name)
    raise InvalidRowError(NOT_ALLOWED.format(column=where + of.name, value=_shown(value), allowed=of.allowed))


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _keep_in(of: Column) -> KeepValue:
    """How the values of a column are kept."""
    match of.domain:
        case Words(words):
            table, cased = {word: word for word in words}, _CASED[get_letter_case(words)]
            return lambda value: table.get(value) or table.get(cased(value)) if isinstance(value, str) else None
        case Whole(low, high):
            return lambda value: (
                int(value) if type(value) in _NUMBERS and low <= value <= high and value % 1 == 0 else None
            )
        case Finite(low):
            most = sys.float_info.max
            return lambda value: float(value) if type(value) in _NUMBERS and low <= value <= most else None
        case Flag():
            return lambda value: value if value is True or value is False else None
        case Names(Name() as one):
            return partial(_keep_names, one)
        case Name() as name:
            return lambda value: _keep_name(name, value) if isinstance(value, str) else None
    return lambda value: value if isinstance(value, str) else None


_CASED: Mapping[str, Callable[[str], str]] = {
    "upper": lambda word: word.upper() if word.isascii() else word,
    "lower": lambda word: word.lower() if word.isascii() else word,
    "mixed": str,
}
_NUMBERS = frozenset({int, float, Decimal})


@lru_cache(maxsize=2**16)
def _keep_name(domain: Name, value: str) -> str | None:
    """A name without the blanks that pad it; blank where the domain has it. Tables hold few names, many times."""
    try:
        return domain(value, "")
    except DomainError:
        return None


def _keep_names(domain: Name, value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple) or not all(map(_is_text, value)):
        return None
    names = tuple(_keep_name(domain, name) for name in value if name is not None)
    return None if None in names else names  # type: ignore[return-value]


@cache
def _readers(facts: type) -> tuple[Reader, ...]:
    """A reader for each column, in the order in which faults are looked for."""
    return _readers_of(build_columns(facts))


@cache
def _subject_readers(facts: type, situation: frozenset[str]) -> tuple[Reader, ...]:
    return _readers_of(narrow_columns(build_columns(facts), situation))


def _readers_of(columns: Columns) -> tuple[Reader, ...]:
    return tuple((each, _keep_in(each)) for each in columns.values())
