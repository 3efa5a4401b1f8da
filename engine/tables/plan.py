"""Programs: the SQL that answers a row, as bindings in order and one struct that is made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs
from attrs import evolve, frozen
from sqlglot import exp

from mqclause.language.parse import expanded
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.rule import FailWith, Rule, Ruleset
from mqclause.rulebook.rule_file import RuleError
from mqclause.tables.binding import PREFIX, Bindings, either
from mqclause.tables.columns import DECISION, PUT, SITUATION
from mqclause.tables.condition import FIRST, MIXED, Names, NotInTableError, sql_literal
from mqclause.tables.faults import destinations_fault, put_fault
from mqclause.tables.packing import Packing
from mqclause.tables.row_words import RowWords, any_fault, names_literal
from mqclause.tables.shape import Shape, destination_columns
from mqclause.tables.steps import RULES_SHIFT, Steps

BINDING = re.compile(rf"\b{PREFIX}\w+")


@frozen
class Program:
    """SQL in the project's own functions (see mqclause.tables.dialect): ``bindings`` by name, in order, and a struct.

    Each binding may use the columns of the row and the bindings before it.
    """

    bindings: Mapping[str, str]
    result: Mapping[str, str]

    def levels(self) -> list[dict[str, str]]:
        """The bindings in groups: those of one need nothing of each other, only of the groups before."""
        level: dict[str, int] = {}
        groups: list[dict[str, str]] = []
        for name, source in self.bindings.items():
            level[name] = 1 + max((level[used] for used in BINDING.findall(source) if used in level), default=-1)
            if level[name] == len(groups):
                groups.append({})
            groups[level[name]][name] = source
        return groups


def put_program(workload: Ruleset, outcome: Ruleset, shape: Shape, traced: bool, nested: bool = False) -> Program:
    """The decision about ``put`` and ``destinations``; its fields are those of columns.DECISION.

    ``nested`` says that bindings will stand around what uses them, not in a list. Raises RuleError for a rule that
    cannot be run on tables.
    """
    bindings = Bindings()
    put = RowWords("put", PUT, shape.put, SITUATION, _unseen(), bindings, {}, shape.beside)
    packing = Packing.of(destination_columns(shape), shape.destinations, _used(workload, outcome))
    listed = bindings.bind("destinations", packing.source())
    bindings.once("first", f"COALESCE(item({listed}, 0), 0)")
    bindings.once("mixed", f"differing_bits({listed}, {FIRST})")
    invalid = bindings.bind("invalid", _invalid(put, listed, shape.may_be_empty))
    first = _steps(workload, put, packing, bindings, listed, {}, traced, nested and not traced)
    permitted = bindings.bind("permitted", f"length_of({first.names.remaining})")
    second = _steps(outcome, put, packing, bindings, listed, {"permitted": permitted})
    reason = bindings.bind("reason", _reason(second))
    deferred = second.facts["deferred"]
    decided = f"CASE WHEN {invalid} THEN 'invalid' WHEN {reason} IS NOT NULL THEN 'failed' "
    place = packing.place(f"item({first.names.remaining}, 0)")
    is_chosen = f"NOT {invalid} AND {reason} IS NULL AND NOT {deferred}"
    chosen = bindings.bind("chosen", f"CASE WHEN {is_chosen} THEN item(destinations, {place}) END")
    fault = f"COALESCE({put_fault(put)}, {destinations_fault(packing)})"
    result = {
        "outcome": f"{decided}WHEN {deferred} THEN 'deferred' ELSE 'chosen' END",
        **{name: f"NULLIF({chosen}.{name}, '')" if name in shape.destinations else "CAST(NULL AS TEXT)"
           for name in ("queue", "queue_manager", "channel")},
        "reason": f"CASE WHEN NOT {invalid} THEN {reason} END",
        "permitted": f"CASE WHEN NOT {invalid} THEN CAST({permitted} AS INT) END",
        "eliminated_by": f"CASE WHEN NOT {invalid} THEN {_eliminated_by(first)} END" if traced else NO_TEXTS,
        "message": f"CASE WHEN {invalid} THEN apart({fault}) END",
    }  # fmt: skip
    return Program(bindings.found, {name: result[name] for name in DECISION})


NO_TEXTS = "CAST(NULL AS TEXT[])"


def _unseen() -> dict[str, Any]:
    """The words of the situation that no row says, with their values."""
    named = {SITUATION.get(name, name) for name in PUT}
    return {each.name: each.default for each in attrs.fields(Situation) if each.name not in named}


def _invalid(put: RowWords, listed: str, may_be_empty: bool) -> str:
    queue, queue_manager = put.binding("put_queue"), put.binding("put_queue_manager")
    names_one = f"({queue} = '') = ({queue_manager} = '')"
    # A number below 0 has the highest bit: the first has it, or another differs in it.
    faulty = f"({FIRST} < 0 OR {MIXED} < 0)"
    bad = faulty if may_be_empty else f"({faulty} OR length_of({listed}) = 0)"
    return either(["put IS NULL", names_one, any_fault(put.faults()), bad])


def _steps(
    ruleset: Ruleset,
    put: RowWords,
    packing: Packing,
    bindings: Bindings,
    listed: str,
    facts: dict[str, str],
    traced: bool = False,
    nested: bool = False,
) -> Steps:
    words = evolve(put, bindings=bindings, facts=facts)
    # A row says nothing of DEFBIND, so MQ's default is in effect.
    constants = {name: "OPEN" if value == "AS_Q_DEF" else value for name, value in words.constants.items()}

    def situation(word: str) -> str:
        if word in constants:
            return _literal(constants[word])
        found = words.binding(word)
        if word == "bind":
            return bindings.once("binding", f"CASE WHEN {found} = 'AS_Q_DEF' THEN 'OPEN' ELSE {found} END")
        return found

    names = Names(ruleset.vocabulary, packing, situation, listed, bindings=bindings)
    steps = Steps(ruleset, names, bindings, constants, facts, traced, nested)
    written(steps)
    return steps


def _literal(value: Any) -> str:
    return names_literal(value) if isinstance(value, tuple) else sql_literal(value)


def written(steps: Steps) -> None:
    """Writes the steps. Raises RuleError for a rule that cannot be run on tables."""
    try:
        steps.write()
    except (NotInTableError, TypeError) as error:
        raise RuleError(steps.ruleset.name, "", str(error)) from None


def _reason(steps: Steps) -> str:
    branches = " ".join(f"WHEN {failed} THEN {_code(rule)}" for failed, rule in steps.failures)
    return f"CASE {branches} ELSE CAST(NULL AS INT) END"


def _code(rule: Rule) -> int:
    assert isinstance(rule.action, FailWith)  # noqa: S101 - told to the type checker
    return REASONS[rule.action.reason]


def _eliminated_by(steps: Steps) -> str:
    assert steps.names.packing is not None  # noqa: S101 - there are destinations
    ids = ", ".join(sql_literal(rule.id) for rule in steps.ruleset.rules)
    remained = f"each({steps.names.remaining}, lambda c: {steps.names.packing.place('c')} * {1 << RULES_SHIFT})"
    fates = f"sorted(joined({remained}, {steps.fallen}))"
    return f"each({fates}, lambda e: item([{ids}], (e & {(1 << RULES_SHIFT) - 1}) - 1))"


def _used(*rulesets: Ruleset) -> set[str]:
    """The words that the rules use, also by way of terms."""
    found: set[str] = set()
    for ruleset in rulesets:
        for rule in ruleset.rules:
            for tree in expressions(rule):
                found |= {column.name for column in expanded(tree, ruleset.vocabulary).find_all(exp.Column)}
    return found


def expressions(rule: Rule) -> list[exp.Expression]:
    """Every expression of a rule."""
    found = [rule.when, *(value for value in attrs.astuple(rule.action, recurse=False))]
    flat = [each for value in found for each in (value if isinstance(value, tuple) else [value])]
    pairs = [each[1] if isinstance(each, tuple) else each for each in flat]
    return [each for each in pairs if isinstance(each, exp.Expression)]
