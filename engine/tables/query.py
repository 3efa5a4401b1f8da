"""Write the query that answers the rows of a table by the rules of a document, and show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any

from attrs import evolve, frozen
from sqlglot import Dialect, exp

from mqclause.answers import NOBODY_LEFT
from mqclause.documents import DOCUMENTS, OUTCOME, TRIGGER
from mqclause.executors.operations import FAILING_RULE, LoweredRuleset, list_expressions, name_fact
from mqclause.language import nodes
from mqclause.language.parser import expand_terms
from mqclause.language.sql import (
    Node,
    build_and,
    build_case,
    build_equality,
    build_if,
    build_literal,
    build_not,
    build_or,
)
from mqclause.model.diagnostics import MqclauseError, quote_value, suggest_word
from mqclause.model.facts.domains import REASONS, Names, Words
from mqclause.rulebook.rule import Conclude, Declaration, FailWith, Rule, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.functions import Bindings, Plan
from mqclause.tables.lowering import (
    FIRST,
    MIXED,
    Packing,
    RowExpressions,
    RowWords,
    StepLowering,
    build_domain_test,
    has_names,
    is_no_name,
    is_too_long,
    normalize_value,
)
from mqclause.tables.schema import (
    LIST_OF_JSON,
    NOT_ALLOWED,
    NULL_SUBJECT,
    Column,
    FieldType,
    Shape,
    ValueSource,
    build_contract_shape,
    render_null_fault,
)


@frozen
class LoweredPlan:
    """The parts of an answer: the lowered rules of each document of the course, and the row's faults.

    ``invalid`` is the binding that says whether the row has a fault, ``fault`` the text that says which. Without
    subjects there is no ``packing``.
    """

    bindings: Bindings
    course: Sequence[StepLowering]
    packing: Packing | None
    invalid: Node
    fault: Node


AnswerFields = Callable[[LoweredPlan], Mapping[str, Node]]
"""The fields of the struct that answers a row."""

NO_TEXT = exp.cast(exp.null(), "TEXT")

FACT_TYPES = {"boolean": "BOOLEAN", "whole": "BIGINT", "number": "DOUBLE", "text": "TEXT", "names": "ARRAY<TEXT>"}
"""The types of facts in an answer, by their kind."""

StructFields = Mapping[str, Node]

Lowering = Callable[[Any], Node]
"""What a node of one of our classes is in a dialect; its parts may be used once each."""

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Is, exp.In, exp.Between)
_BITS = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseRightShift)
_LEVELS: Mapping[type, int] = {
    exp.Or: 1, exp.And: 2, exp.Not: 3, **dict.fromkeys(_COMPARISONS, 4), **dict.fromkeys(_BITS, 5),
    exp.Add: 6, exp.Sub: 6, exp.Mul: 7, exp.Div: 7, exp.Neg: 8,
}  # fmt: skip
"""How tight operations bind in every dialect."""

_CHAINS = (exp.And, exp.Or, exp.Add, exp.Mul, exp.BitwiseOr, exp.DPipe)


def build_decision(found: LoweredPlan) -> StructFields:
    """Write the fields of the column ``decision``.

    The first document chooses, the last says what the call ends with.
    """
    choice, outcome, packing = found.course[0], found.course[-1], found.packing
    assert packing is not None  # noqa: S101 - a put has destinations
    reason = found.bindings.bind("reason", _of_failing(outcome, lambda rule: build_literal(_code(rule)), "INT"))
    deferred = outcome.meaning.facts.get("deferred", exp.false())
    decided = build_and(build_not(found.invalid), F.is_null(reason), build_not(deferred))
    left = outcome.meaning.facts["permitted"]
    found = _answered(found, build_and(decided, build_equality(left, 0)))
    decided = build_and(decided, build_not(build_equality(left, 0)))
    to = F.get_item(F.build_column(packing.listed), packing.place(F.get_item(choice.remaining, 0)))
    chosen = found.bindings.bind("chosen", build_if(decided, to))
    names = {name: _name(chosen, packing.present[name]) if name in packing.present else NO_TEXT
             for name in ("queue", "queue_manager", "channel")}  # fmt: skip
    names["queue"] = build_kept_queue(found, names["queue"], build_not(F.is_null(chosen)))
    what = [(found.invalid, "invalid"), (build_not(F.is_null(reason)), "failed"), (deferred, "deferred")]
    return {
        "outcome": build_case([(condition, build_literal(word)) for condition, word in what], build_literal("chosen")),
        **names,
        "reason": _of_valid(found, reason),
        "permitted": _of_valid(found, exp.cast(outcome.meaning.facts["permitted"], "INT")),
        "eliminated_by": _eliminated_by(found, choice),
        "message": build_if(found.invalid, found.fault),
        "transmission_queue": NO_TEXT,
    }


def build_kept_queue(found: LoweredPlan, queue: Node, *where: Node) -> Node:
    """Write the ``queue`` of a destination: ``where`` rules keep the one named beside a queue manager, that one."""
    kept = found.course[0].meaning.of(nodes.Column("kept_queue"))
    if kept == build_literal(""):
        return queue
    kept = found.bindings.same("kept_queue", kept)
    return build_case([(build_and(*where, F.is_unequal(kept, "")), kept)], queue)


def build_triggering(found: LoweredPlan) -> StructFields:
    """Write the fields of the column ``triggering``."""
    (rules,) = found.course
    facts = rules.meaning.facts
    concluding = [
        (facts[name_fact("concluded", rule.id)], build_literal(rule.id))
        for rule in rules.steps.ruleset.rules
        if isinstance(rule.action, Conclude) and rule.action.fact == "trigger_message"
    ]
    rule = found.bindings.bind("rule", build_case(concluding, NO_TEXT))
    what = [(found.invalid, "invalid"), (build_not(F.is_null(rule)), "triggers")]
    return {
        "outcome": build_case([(condition, build_literal(word)) for condition, word in what], build_literal("silent")),
        "rule": _of_valid(found, rule),
        "available": _of_valid(found, facts["available"]),
        "turns_off": _of_valid(found, facts.get("trigger_off", exp.false())),
        "failing": _of_valid(found, _failing(rules)),
        "message": build_if(found.invalid, found.fault),
    }


def _answered(found: LoweredPlan, unanswered: Node) -> LoweredPlan:
    """The same, where a row for which rules of one's own say nothing is invalid."""
    unanswered = found.bindings.bind("unanswered", unanswered)
    invalid = found.bindings.bind("no_answer", build_or([found.invalid, unanswered]))
    return evolve(found, invalid=invalid, fault=build_if(unanswered, build_literal(NOBODY_LEFT), found.fault))


def _of_valid(found: LoweredPlan, value: Node) -> Node:
    return build_if(build_not(found.invalid), value)


def _name(struct: Node, source: ValueSource) -> Node:
    """A name without its padding; a blank one is null."""
    name = F.build_column(source.name, struct.name)
    return exp.Nullif(this=name if source.checked else F.Unpadded(this=name), expression=build_literal(""))


def _of_failing(rules: StepLowering, told: Callable[[Rule], Node], kind: str) -> Node:
    """What is told of the rule that ends the call, or null."""

    def of(number: Node) -> Node:
        at = int(number.name)
        return told(rules.steps.ruleset.rules[at - 1]) if at else exp.cast(exp.null(), kind)

    failing = rules.meaning.facts.get(FAILING_RULE, build_literal(0))
    branches = [(each.this, of(each.args["true"])) for each in failing.args.get("ifs", [])]
    return build_case(branches, of(failing.args.get("default") or failing))


def _code(rule: Rule) -> int:
    assert isinstance(rule.action, FailWith)  # noqa: S101 - told to the type checker
    return REASONS[rule.action.reason]


def _eliminated_by(found: LoweredPlan, rules: StepLowering) -> Node:
    """For each subject the rule that it fell by, null for one that remains."""
    if not rules.traced or found.packing is None:
        return exp.cast(exp.null(), "ARRAY<TEXT>")
    # Who was there last before a rule fell by it, even if another had set it aside before.
    subject, before = F.build_variable("c"), rules.before or [(rules.listed, NO_TEXT)]
    fell = [(F.has_item(those, subject), by) for those, by in reversed(before[1:])]
    by = build_case([(F.has_item(rules.remaining, subject), NO_TEXT), *fell], before[0][1])
    return _of_valid(found, found.bindings.bind("eliminated_by", F.map_items(rules.listed, by)))


def _failing(rules: StepLowering) -> Node:
    """The ids of the conditions that were examined for a conclusion that was asked for, and do not hold."""
    facts = rules.meaning.facts
    asked: dict[str, list[Node]] = {}
    for rule in rules.steps.ruleset.rules:
        if isinstance(rule.action, Conclude):
            for need in rule.action.needs:
                asked.setdefault(need, []).append(facts[name_fact("asked", rule.id)])
    parts = []
    for rule in rules.steps.ruleset.rules:
        if rule.id in asked:
            fails = build_and(build_or(asked[rule.id]), build_not(facts[name_fact("holds", rule.id)]))
            parts.append(build_if(fails, F.build_list([build_literal(rule.id)], "TEXT"), F.build_list([], "TEXT")))
    return reduce(F.concat_lists, parts, F.build_list([], "TEXT"))


ANSWERS: dict[Declaration, AnswerFields] = {OUTCOME: build_decision, TRIGGER: build_triggering}
"""The documents whose tables have answers of their own."""


@lru_cache(maxsize=64)
def build_plan(
    rules: Rules,
    shape: Shape,
    answer: AnswerFields,
    traced: Declaration | None = None,
    settled: Callable[[LoweredRuleset], LoweredRuleset] = lambda steps: steps,
) -> Plan:
    """Build the plan for tables of that shape, made once.

    The fates of subjects are those of the document ``traced``.
    ``settled`` changes the steps of each document. Raises RuleError for a rule that cannot be run on tables.
    """
    course = [settled(each) for each in LoweredRuleset.course([rules.ruleset(each) for each in shape.about.course])]
    bindings = Bindings()
    words = RowWords.of(shape, bindings)
    packing = Packing.of(shape, _used(course)) if shape.about.subject else None
    listed = _listed(packing, bindings) if packing else F.NO_SUBJECTS
    invalid = bindings.bind("invalid", is_invalid(words, packing, shape, listed, bindings))
    written: list[StepLowering] = []
    facts: dict[str, Node] = {}
    kept: Mapping[str, Node] = {}
    for steps in course:
        meaning = RowExpressions(steps.vocabulary, packing, words, bindings, listed, facts, _at_start(steps, shape))
        kept = kept or _keep_queue(meaning)
        meaning = evolve(meaning, overridden={**meaning.overridden, **kept})
        writing = StepLowering(steps, meaning, listed, traced is steps.ruleset.about)
        writing.write()
        written.append(writing)
        facts = {name: bindings.bind(name, writing.meaning.of(tree)) for name, tree in steps.hands_on.items()}
    found = LoweredPlan(bindings, written, packing, invalid, _fault(words, packing, shape))
    fields = {name: tree.copy() for name, tree in answer(found).items()}
    made = {rule: names for each in written for rule, names in each.made.items()}
    return Plan(bindings.found, fields, made, packing.legend() if packing else {})


def build_evaluation(found: LoweredPlan) -> StructFields:
    """Write what the last document of a pipeline says of a row.

    ``remaining`` are the places of the subjects that remain, in order; ``eliminated_by`` is told where that is traced,
    ``failed_by`` is the rule that ends the call. Then each fact that rules derive about the situation, and ``message``.
    """
    rules, packing = found.course[-1], found.packing
    word, types = rules.meaning.word, _fact_types(rules.steps)
    facts = {name: _of_valid(found, exp.cast(word(name), kind)) for name, kind in types.items()}
    subjects = {}
    if packing is not None:
        place = exp.cast(packing.place(F.build_variable("c")), "INT")
        subjects = {
            "remaining": _of_valid(found, F.map_items(rules.remaining, place)),
            "eliminated_by": _eliminated_by(found, rules),
        }
    failed_by = _of_failing(rules, lambda rule: build_literal(rule.id), "TEXT")
    return {
        **subjects,
        "failed_by": _of_valid(found, failed_by),
        **facts,
        "message": build_if(found.invalid, found.fault),
    }


def evaluation_types(rules: Rules, about: Declaration) -> dict[str, str]:
    """Return the types of these fields, as SQL names them."""
    steps = LoweredRuleset.course([rules.ruleset(each) for each in about.course])[-1]
    subjects = {} if about.subject is None else {"remaining": "ARRAY<INT>", "eliminated_by": "ARRAY<TEXT>"}
    return {**subjects, "failed_by": "TEXT", **_fact_types(steps), "message": "TEXT"}


def list_situation_faults(words: RowWords, shape: Shape) -> Iterator[tuple[Node, Node]]:
    """List what can be wrong with the situation of a row, in the order of precedence, each with its message."""
    if shape.row is not None:
        yield F.is_null(shape.row), build_literal(render_null_fault(words.struct))
    for of, wrong in words.faults():
        yield wrong, describe_source_fault(words, of)
    demands = shape.demands
    if demands.one_of:
        named = [words.checked(words.columns[name]) for name in demands.one_of]
        yield build_and(*(build_equality(each, "") for each in named)), build_literal(demands.none_given)


def describe_source_fault(words: RowWords, of: Column) -> Node:
    """Write the message about a column's value, which names the source that the row has it from."""
    found = [
        (build_not(F.is_null(source.value)), _not_allowed(of, [source.told], source.value, source.kind))
        for source in words.sources[of.name]
    ]
    return build_case(found)


def find_subjects_fault(packing: Packing, shape: Shape) -> Node:
    """Write the message about the first subject with a fault; null if none has one."""
    place, listed = exp.cast(F.build_variable("place"), "TEXT"), F.build_column(packing.listed)
    name = shape.about.row.subjects
    start, end = NULL_SUBJECT.format(subjects=name, place="{}").split("{}")
    branches = [(F.is_null(F.EACH), F.concat_texts(start, place, end))]
    for word, source in packing.present.items():
        of, own = packing.columns[word], packing.own(word)
        has_default = isinstance(of.domain, Words) or of.needed
        value = normalize_value(of, F.coalesce(own, build_literal(of.default))) if has_default else own
        wrong = None if source.checked else build_domain_test(of, value, [source.kind])
        if wrong is not None:
            before: list[Node | str] = [f"{name}[", place, f"].{source.told}"]
            text = _not_allowed(of, before, source.value, source.kind)
            branches.append((F.coalesce(wrong, exp.false()), text))
    faults = F.filter_items(
        F.map_items(listed, build_case(branches), F.EACH.name, "place"),
        exp.Not(this=F.is_null(F.build_variable("fault"))),
        "fault",
    )
    nobody = build_or([F.is_null(listed), build_equality(F.count_items(listed), 0)])
    absent = [(nobody, build_literal(shape.demands.nobody))] if shape.demands.nobody else []
    return build_case(absent, F.get_item(faults, 0))


def quote_text(text: Node) -> Node:
    """Write a text in quotes; null stays null."""
    return F.coalesce(F.concat_texts("'", text, "'"), build_literal("null"))


def describe_disallowed(before: list[Node | str], text: Node, allowed: str) -> Node:
    """Write the message about a value that is not allowed; ``before`` ends with the name of its column."""
    start, end = NOT_ALLOWED.format(column="", value="{}", allowed=allowed).split("{}", 1)
    *first, last = before
    return F.concat_texts(*first, f"{last}{start}", text, end)


def is_invalid(words: RowWords, packing: Packing | None, shape: Shape, listed: Node, bindings: Bindings) -> Node:
    """Write the test whether a row has any fault; faults of the ``listed`` subjects show in their packed numbers."""
    faults = [] if shape.row is None else [F.is_null(shape.row)]
    if shape.demands.one_of:
        blank = [build_equality(words.checked(words.columns[name]), "") for name in shape.demands.one_of]
        faults.append(build_and(*blank))
    faults.extend(wrong for of, wrong in words.faults() if not has_names(of))
    faults.append(_has_wrong_names(words, packing, bindings))
    if shape.about.subject is not None:
        # A number below 0 has the highest bit: the first has it, or another differs in it.
        faults += [F.is_less(F.build_column(each), 0) for each in (FIRST, MIXED)]
        if shape.demands.nobody and not shape.may_be_empty:
            faults.append(build_equality(F.count_items(listed), 0))
    return build_or(faults)


@frozen
class PlanDialect:
    """A dialect of sqlglot's and what each of our functions is in it."""

    name: str
    lowerings: Mapping[type, Lowering]

    def text(self, tree: Node, quoted: bool = False) -> str:
        """Render a tree as SQL; names that are ``quoted`` may be keywords."""
        return add_parentheses(self.lowered(tree)).sql(dialect=self.name, identify=quoted, copy=False)

    def readable(self, tree: Node) -> str:
        """Render a tree as SQL in lines that a person can read."""
        kind = Dialect.get_or_raise(self.name).generator_class
        lines = type("Readable", (kind,), {"paren_sql": lambda self, node: f"({self.sql(node, 'this')})"})
        made: str = lines(dialect=self.name, pretty=True).generate(add_parentheses(self.lowered(tree)))
        return made

    def lowered(self, tree: Node) -> Node:
        """Copy a tree with our functions replaced by those of the dialect."""
        made: Node = exp.Paren(this=tree.copy())
        # The innermost first, since a function may take its arguments apart.
        for node in reversed(list(made.bfs())):
            lowering = self.lowerings.get(type(node))
            if lowering is not None:
                node.replace(lowering(node))
        return made.this.pop()  # type: ignore[no-any-return]


def build_call(name: str, *arguments: Node) -> Node:
    """Build a call of a function by its name in the dialect."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def rename_call(name: str) -> Lowering:
    """Build the lowering of a function that the dialect has under another name."""
    return lambda node: build_call(name, *node.iter_expressions())


def add_parentheses(tree: Node) -> Node:
    """Add the brackets without which the operands of a tree would not hold together."""
    for node in list(tree.walk()):
        if _is_operation(node) and _is_operation(node.parent) and not _holds_together(node, node.parent):
            place = exp.Placeholder()
            node.replace(place)
            place.replace(exp.Paren(this=node))
    return tree


class UnknownRuleError(MqclauseError, ValueError):
    """A name that is neither a rule's nor a ruleset's; one line."""


def render_sql(name: str, rules: Rules, dialect: PlanDialect, written: Callable[[Plan, Declaration], Node]) -> str:
    """Render the bindings that a rule makes, or all that a ruleset becomes as ``written`` by a back end.

    It is about a table with the columns that every table of the document has. Raises UnknownRuleError, and RuleError
    for rules that cannot be run on tables.
    """
    about = DOCUMENTS.get(name.partition(".")[0])
    ids = [rule.id for rule in rules.ruleset(about).rules] if about else []
    if about is None or name not in (about.name, *ids):
        known = ids or [rule.id for each in DOCUMENTS.values() for rule in rules.ruleset(each).rules]
        said = f"{quote_value(name)} is no rule and no ruleset; rulesets: {', '.join(DOCUMENTS)}"
        raise UnknownRuleError(f"{said}{suggest_word(name, [*DOCUMENTS, *known])}")
    plan = build_plan(rules, build_contract_shape(about), ANSWERS.get(about, build_evaluation))
    if name == about.name:
        return dialect.readable(written(plan, about))
    made = plan.made[name]
    of_one_pass = [rule for rule in rules.ruleset(about).rules if plan.made[rule.id] is made]
    head = [f"-- {rule.id}: {rule.title}" for rule in of_one_pass]
    head += _legend(plan, of_one_pass, rules.ruleset(about)) if made else []
    bound = [dialect.readable(exp.Alias(this=plan.bindings[each], alias=exp.to_identifier(each))) for each in made]
    nothing = ["-- nothing: in such a table it cannot apply, or nothing asks for what it derives"]
    return "\n\n".join(["\n".join(head), *(bound or nothing)])


def _listed(packing: Packing, bindings: Bindings) -> Node:
    listed = bindings.bind(f"{packing.listed}_packed", packing.packed())
    bindings.bind("first", F.coalesce(F.get_item(listed, 0), build_literal(0)))
    bindings.bind("mixed", F.DifferingBits(this=listed, expression=F.build_column(FIRST)))
    return listed


def _at_start(steps: LoweredRuleset, shape: Shape) -> Mapping[str, Node]:
    """What stands in place of what subjects carry, where that counts as it is before the first choice."""
    carried = steps.ruleset.about.carried
    if carried is None or not shape.from_start:
        return {}
    return {name: build_literal(value) for name, value in zip(carried.names, carried.start, strict=True)}


def _keep_queue(meaning: RowExpressions) -> Mapping[str, Node]:
    """What stands in place of the queue of each subject where the rules keep one, if any rule asks for it."""
    is_asked = meaning.packing is not None and "queue" in meaning.packing.used
    if not is_asked or "kept_queue" not in meaning.vocabulary.terms:
        return {}
    queue = meaning.of(nodes.Column("kept_queue"))
    kept = build_if(F.is_unequal(queue, ""), queue)
    return {"queue": meaning.bindings.bind("queue_of_all", kept)}


def _fault(words: RowWords, packing: Packing | None, shape: Shape) -> Node:
    found = build_case(list_situation_faults(words, shape))
    return F.coalesce(found, find_subjects_fault(packing, shape)) if packing else found


def _used(course: Sequence[LoweredRuleset]) -> set[str]:
    """The words that the rules use, also by way of terms."""
    return {
        each.name
        for steps in course
        for tree in steps.expressions()
        for each in expand_terms(tree, steps.vocabulary).find_all(nodes.Column)
    }


def _fact_types(steps: LoweredRuleset) -> dict[str, str]:
    return {name: FACT_TYPES[steps.vocabulary.words[name].type.kind] for name in steps.derived("situation")}


def _not_allowed(of: Column, before: list[Node | str], value: Node, kind: FieldType) -> Node:
    if isinstance(of.domain, Names):
        return _item_not_allowed(of, before, value, kind)
    if kind == "text":
        return describe_disallowed(before, quote_text(value), of.allowed)
    shown = F.FloatText(this=exp.cast(value, "DOUBLE")) if kind == "number" else exp.cast(value, "TEXT")
    return describe_disallowed(before, shown, of.allowed)


def _item_not_allowed(of: Column, before: list[Node | str], names: Node, kind: FieldType) -> Node:
    """The first of a list of names that is none."""
    assert isinstance(of.domain, Names)  # noqa: S101 - told to the type checker
    one = Column(of.name, of.domain.each, "")
    place = exp.cast(F.build_variable("place"), "TEXT")
    is_json = kind == LIST_OF_JSON
    wrong = build_domain_test(one, F.JsonText(this=F.EACH) if is_json else F.EACH, ["text"]) or exp.false()
    text = _not_allowed(one, [*before, "[", place, "]"], F.EACH, "JSON" if is_json else "text")
    told = F.map_items(names, build_case([(F.coalesce(wrong, exp.false()), text)]), F.EACH.name, "place")
    return F.get_item(F.filter_items(told, exp.Not(this=F.is_null(F.build_variable("fault"))), "fault"), 0)


def _has_wrong_names(words: RowWords, packing: Packing | None, bindings: Bindings) -> Node:
    """Whether a row has names that are none. Each is looked at only where all of them together look odd."""
    wrong, found = [wrong for of, wrong in words.faults() if has_names(of)], list(words.names())
    if packing is not None and packing.names():
        found += [*_names_that_rules_ask(packing, bindings), *_names_that_none_asks(packing, bindings)]
        no_names = build_or(is_no_name(of, packing.own(word)) for word, of in packing.names().items())
        each = F.build_lambda(F.coalesce(no_names, exp.false()), F.EACH.name)
        nobody = F.NoneOf(this=F.build_column(packing.listed), expression=each)
        wrong.append(F.coalesce(build_not(nobody), exp.false()))
    if not wrong:
        return exp.false()
    text = bindings.bind("all_names", F.TogetherAsText(this=exp.Tuple(expressions=[text for text, _ in found])))
    longer = [longer for _, longer in found]
    odd = bindings.bind("odd_names", build_or([*longer, F.HasOddLetters(this=text)]))
    return build_if(odd, build_or(wrong), exp.false())


def _names_that_rules_ask(packing: Packing, bindings: Bindings) -> Iterator[tuple[Node, Node]]:
    """The names of all subjects as texts, and whether any is too long, or blank where one is needed."""
    for word in packing.names_asked:
        raw, of = F.map_items(F.build_column(packing.listed), packing.own(word), F.EACH.name), packing.names()[word]
        plain = bindings.bind(f"names_{word}", F.map_items(raw, F.Unpadded(this=F.build_variable("name")), "name"))
        lengths = F.map_items(plain, F.TextLength(this=F.build_variable("name")), "name")
        longer = F.is_greater(exp.ArrayMax(this=lengths), of.most)
        blank = [F.has_item(plain, build_literal(""))] if of.least else []
        yield F.ListAsText(this=plain), build_or([longer, *blank])


def _names_that_none_asks(packing: Packing, bindings: Bindings) -> Iterator[tuple[Node, Node]]:
    """The same of names that are mostly alike, as queue and cluster of the destinations of a put.

    They are looked at of the first, and of all where another has others.
    """
    subjects, alike, differ = F.build_column(packing.listed), [], []
    for word, of in packing.names().items():
        if word not in packing.used:
            of_first = F.get_field(F.get_item(subjects, 0), packing.present[word].name)
            first, own = bindings.bind(f"first_{word}", F.coalesce(of_first, build_literal(""))), packing.own(word)
            name = bindings.bind(f"plain_{word}", F.Unpadded(this=first))
            yield name, is_too_long(of, name)
            alike.append((of, F.Unpadded(this=own)))
            differ.append(F.is_unequal(own, first))
    if alike:
        together = F.TogetherAsText(this=exp.Tuple(expressions=[own for _, own in alike]))
        text = build_if(build_or(is_too_long(*name) for name in alike), build_literal(" "), together)
        same = F.NoneOf(this=subjects, expression=F.build_lambda(build_or(differ), F.EACH.name))
        texts = F.ListAsText(this=F.map_items(subjects, text, F.EACH.name))
        yield build_if(same, build_literal(""), texts), exp.false()


def _is_operation(node: object) -> bool:
    return type(node) in _LEVELS or (isinstance(node, exp.Binary) and not isinstance(node, exp.Dot | exp.PropertyEQ))


def _holds_together(node: exp.Expr, outer: exp.Expr | None) -> bool:
    in_chain = isinstance(outer, _CHAINS) and type(outer) is type(node) and node.arg_key == "this"
    return in_chain or _LEVELS.get(type(node), 0) > _LEVELS.get(type(outer), 9)


def _legend(plan: Plan, of: Sequence[Rule], ruleset: Ruleset) -> list[str]:
    """How the attributes that rules ask of a subject stand in the number that it is, if they do."""
    steps = (step for step in LoweredRuleset.of(ruleset).steps if step.rule in of)
    trees = (expand_terms(tree, ruleset.vocabulary) for step in steps for tree in list_expressions(step))
    asked = dict.fromkeys(each.name for tree in trees for each in tree.find_all(nodes.Column))
    told = [f"--   {plan.legend[word]}" for word in asked if word in plan.legend]
    subject = ruleset.vocabulary.subject
    what = f"-- a {subject} is a number ({FIRST}: that of the first, {MIXED}: the bits that differ)"
    return [what, *told] if told else []
