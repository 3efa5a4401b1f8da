"""The structs that answer a row: of a put, of an occasion, and of any document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from attrs import evolve
from sqlglot import exp

from mqclause.answers.choice.reason import NOBODY_LEFT
from mqclause.executors.steps import FAILING_RULE, Steps, asked_fact, concluded_fact, holds_fact
from mqclause.language.sql import Node, both, case, either, equal, literal, negated, when
from mqclause.model.facts.constants import REASONS
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rule import Conclude, FailWith, Rule
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.columns import DECISION, TRIGGERING
from mqclause.tables.plan import Written
from mqclause.tables.shape import ValueSource
from mqclause.tables.steps import Writing

NO_TEXTS = exp.cast(exp.null(), "ARRAY<TEXT>")
NO_TEXT = exp.cast(exp.null(), "TEXT")

FACT_TYPES = {"boolean": "BOOLEAN", "whole": "BIGINT", "number": "DOUBLE", "text": "TEXT", "names": "ARRAY<TEXT>"}
"""The types of facts in an answer, by their kind."""

StructFields = Mapping[str, Node]


def decision(found: Written) -> StructFields:
    """The fields of columns.DECISION: the first document chooses, the last says what the call ends with."""
    choice, outcome, packing = found.course[0], found.course[-1], found.packing
    assert packing is not None  # noqa: S101 - a put has destinations
    reason = found.bindings.bind("reason", _of_failing(outcome, lambda rule: literal(_code(rule)), "INT"))
    deferred = outcome.standing.meaning.facts.get("deferred", exp.false())
    decided = both(negated(found.invalid), F.is_null(reason), negated(deferred))
    left = outcome.standing.meaning.facts["permitted"]
    found = _answered(found, both(decided, equal(left, 0)))
    decided = both(decided, negated(equal(left, 0)))
    to = F.item(F.column(packing.listed), packing.place(F.item(choice.standing.remaining, 0)))
    chosen = found.bindings.bind("chosen", when(decided, to))
    names = {name: _name(chosen, packing.present[name]) if name in packing.present else NO_TEXT
             for name in ("queue", "queue_manager", "channel")}  # fmt: skip
    names["queue"] = kept_queue(found, names["queue"], negated(F.is_null(chosen)))
    what = [(found.invalid, "invalid"), (negated(F.is_null(reason)), "failed"), (deferred, "deferred")]
    fields = {
        "outcome": case([(condition, literal(word)) for condition, word in what], literal("chosen")),
        **names,
        "reason": _of_valid(found, reason),
        "permitted": _of_valid(found, exp.cast(outcome.standing.meaning.facts["permitted"], "INT")),
        "eliminated_by": _eliminated_by(found, choice),
        "message": when(found.invalid, found.fault),
        "transmission_queue": NO_TEXT,
    }
    return {name: fields[name] for name in DECISION}


def _answered(found: Written, unanswered: Node) -> Written:
    """The same, where a row for which rules of one's own say nothing is invalid."""
    unanswered = found.bindings.bind("unanswered", unanswered)
    invalid = found.bindings.bind("no_answer", either([found.invalid, unanswered]))
    return evolve(found, invalid=invalid, fault=when(unanswered, literal(NOBODY_LEFT), found.fault))


def kept_queue(found: Written, queue: Node, *where: Node) -> Node:
    """The ``queue`` of a destination; ``where`` the rules keep one that is named beside a queue manager, that one."""
    kept = found.course[0].standing.meaning.of(exp.column("kept_queue"))
    if kept == literal(""):
        return queue
    kept = found.bindings.same("kept_queue", kept)
    return case([(both(*where, exp.NEQ(this=kept.copy(), expression=literal(""))), kept)], queue)


def invalid_decision(message: Node) -> StructFields:
    """The fields of columns.DECISION for a row that is told what is wrong with it."""
    types = {"text": "TEXT", "integer": "INT", "texts": "ARRAY<TEXT>"}
    nothing = {name: exp.cast(exp.null(), types[kind]) for name, kind in DECISION.items()}
    return {**nothing, "outcome": literal("invalid"), "message": message}


def triggering(found: Written) -> StructFields:
    """The fields of columns.TRIGGERING."""
    (rules,) = found.course
    facts = rules.standing.meaning.facts
    concluding = [
        (facts[concluded_fact(rule.id)], literal(rule.id))
        for rule in rules.steps.ruleset.rules
        if isinstance(rule.action, Conclude) and rule.action.fact == "trigger_message"
    ]
    rule = found.bindings.bind("rule", case(concluding, NO_TEXT))
    what = [(found.invalid, "invalid"), (negated(F.is_null(rule)), "triggers")]
    fields = {
        "outcome": case([(condition, literal(word)) for condition, word in what], literal("silent")),
        "rule": _of_valid(found, rule),
        "available": _of_valid(found, facts["available"]),
        "turns_off": _of_valid(found, facts.get("trigger_off", exp.false())),
        "failing": _of_valid(found, _failing(rules)),
        "message": when(found.invalid, found.fault),
    }
    return {name: fields[name] for name in TRIGGERING}


def evaluation(found: Written) -> StructFields:
    """What any document says of a row: the last one of the course.

    ``remaining`` are the places of the subjects that remain, in order; ``eliminated_by`` is told where that is traced,
    ``failed_by`` is the rule that ends the call. Then each fact that rules derive about the situation, and ``message``.
    """
    rules, packing = found.course[-1], found.packing
    word, types = rules.standing.meaning.word, _fact_types(rules.steps)
    facts = {name: _of_valid(found, exp.cast(word(name), kind)) for name, kind in types.items()}
    subjects = {}
    if packing is not None:
        place = exp.cast(packing.place(F.variable("c")), "INT")
        subjects = {
            "remaining": _of_valid(found, F.each(rules.standing.remaining, place)),
            "eliminated_by": _eliminated_by(found, rules),
        }
    failed_by = _of_failing(rules, lambda rule: literal(rule.id), "TEXT")
    return {**subjects, "failed_by": _of_valid(found, failed_by), **facts, "message": when(found.invalid, found.fault)}


def evaluation_types(rules: Rules, about: Declaration) -> dict[str, str]:
    """The types of these fields, as SQL names them."""
    steps = Steps.course([rules.ruleset(each) for each in about.course])[-1]
    subjects = {} if about.subject is None else {"remaining": "ARRAY<INT>", "eliminated_by": "ARRAY<TEXT>"}
    return {**subjects, "failed_by": "TEXT", **_fact_types(steps), "message": "TEXT"}


def _fact_types(steps: Steps) -> dict[str, str]:
    return {name: FACT_TYPES[steps.vocabulary.words[name].type.kind] for name in steps.derived("situation")}


def _of_valid(found: Written, value: Node) -> Node:
    return when(negated(found.invalid), value)


def _name(struct: Node, source: ValueSource) -> Node:
    """A name without its padding; a blank one is null."""
    name = F.column(source.name, struct.name)
    return exp.Nullif(this=name if source.checked else F.Unpadded(this=name), expression=literal(""))


def _of_failing(rules: Writing, told: Callable[[Rule], Node], kind: str) -> Node:
    """What is told of the rule that ends the call, or null."""

    def of(number: Node) -> Node:
        at = int(number.name)
        return told(rules.steps.ruleset.rules[at - 1]) if at else exp.cast(exp.null(), kind)

    failing = rules.standing.meaning.facts.get(FAILING_RULE, literal(0))
    branches = [(each.this, of(each.args["true"])) for each in failing.args.get("ifs", [])]
    return case(branches, of(failing.args.get("default") or failing))


def _code(rule: Rule) -> int:
    assert isinstance(rule.action, FailWith)  # noqa: S101 - told to the type checker
    return REASONS[rule.action.reason]


def _eliminated_by(found: Written, rules: Writing) -> Node:
    """For each subject the rule that it fell by, null for one that remains."""
    if not rules.standing.traced or found.packing is None:
        return NO_TEXTS
    # Who was there last before a rule fell by it, even if another had set it aside before.
    subject, before = F.variable("c"), rules.standing.before or [(rules.standing.listed, NO_TEXT)]
    fell = [(F.has(those, subject), by) for those, by in reversed(before[1:])]
    by = case([(F.has(rules.standing.remaining, subject), NO_TEXT), *fell], before[0][1])
    return _of_valid(found, found.bindings.bind("eliminated_by", F.each(rules.standing.listed, by)))


def _failing(rules: Writing) -> Node:
    """The ids of the conditions that were examined for a conclusion that was asked for, and do not hold."""
    facts = rules.standing.meaning.facts
    asked: dict[str, list[Node]] = {}
    for rule in rules.steps.ruleset.rules:
        if isinstance(rule.action, Conclude):
            for need in rule.action.needs:
                asked.setdefault(need, []).append(facts[asked_fact(rule.id)])
    parts = []
    for rule in rules.steps.ruleset.rules:
        if rule.id in asked:
            fails = both(either(asked[rule.id]), negated(facts[holds_fact(rule.id)]))
            parts.append(when(fails, F.list_of([literal(rule.id)], "TEXT"), F.list_of([], "TEXT")))
    return reduce(F.joined, parts, F.list_of([], "TEXT"))
