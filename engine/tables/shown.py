"""What a rule or a ruleset becomes in SQL, to be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from mqclause.documents import DOCUMENTS, OUTCOME, TRIGGER
from mqclause.executors.steps import Steps, expressions_of
from mqclause.language.parse import expanded
from mqclause.language.sql import Node
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rule import Rule, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.tables.answers import decision, evaluation, triggering
from mqclause.tables.bindings import Plan
from mqclause.tables.dialect import PlanDialect
from mqclause.tables.meaning import FIRST, MIXED
from mqclause.tables.plan import AnswerFields, plan_of
from mqclause.tables.shape import contract_shape

ANSWERS: dict[Declaration, AnswerFields] = {OUTCOME: decision, TRIGGER: triggering}
"""The documents whose tables have answers of their own."""


class UnknownRuleError(ValueError):
    """A name that is neither a rule's nor a ruleset's; one line."""


def shown_sql(name: str, rules: Rules, dialect: PlanDialect, written: Callable[[Plan, Declaration], Node]) -> str:
    """The bindings that a rule makes, or all that a ruleset becomes as ``written`` by a back end.

    It is about a table with the columns that every table of the document has. Raises UnknownRuleError, and RuleError
    for rules that cannot be run on tables.
    """
    about = DOCUMENTS.get(name.partition(".")[0])
    ids = [rule.id for rule in rules.ruleset(about).rules] if about else []
    if about is None or name not in (about.name, *ids):
        known = ids or [rule.id for each in DOCUMENTS.values() for rule in rules.ruleset(each).rules]
        said = f"{quoted(name)} is no rule and no ruleset; rulesets: {', '.join(DOCUMENTS)}"
        raise UnknownRuleError(f"{said}{suggestion(name, [*DOCUMENTS, *known])}")
    plan = plan_of(rules, contract_shape(about), ANSWERS.get(about, evaluation))
    if name == about.name:
        return dialect.readable(written(plan, about))
    made = plan.made[name]
    of_one_pass = [rule for rule in rules.ruleset(about).rules if plan.made[rule.id] is made]
    head = [f"-- {rule.id}: {rule.title}" for rule in of_one_pass]
    head += _legend(plan, of_one_pass, rules.ruleset(about)) if made else []
    bound = [dialect.readable(exp.Alias(this=plan.bindings[each], alias=exp.to_identifier(each))) for each in made]
    nothing = ["-- nothing: in such a table it cannot apply, or nothing asks for what it derives"]
    return "\n\n".join(["\n".join(head), *(bound or nothing)])


def _legend(plan: Plan, of: Sequence[Rule], ruleset: Ruleset) -> list[str]:
    """How the attributes that rules ask of a subject stand in the number that it is, if they do."""
    steps = (step for step in Steps.of(ruleset).steps if step.rule in of)
    trees = (expanded(tree, ruleset.vocabulary) for step in steps for tree in expressions_of(step))
    asked = dict.fromkeys(each.name for tree in trees for each in tree.find_all(exp.Column))
    told = [f"--   {plan.legend[word]}" for word in asked if word in plan.legend]
    subject = ruleset.vocabulary.subject
    what = f"-- a {subject} is a number ({FIRST}: that of the first, {MIXED}: the bits that differ)"
    return [what, *told] if told else []
