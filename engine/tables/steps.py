"""The steps of a ruleset as bindings: each makes the list of remaining subjects anew, from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from attrs import define, evolve, field
from sqlglot import exp

from mqclause.executors.steps import FAILING_RULE, Filter, Let, Rank, Step, Steps
from mqclause.language.sql import Node, both, case, counts, equal, is_false, literal, negated, when
from mqclause.rulebook.errors import RuleError
from mqclause.tables.filters import choose, eliminate, set_aside, take_back
from mqclause.tables.meaning import RowMeaning
from mqclause.tables.ranks import rank
from mqclause.tables.standing import Standing
from mqclause.tables.words import NotInTableError


@define
class Writing:
    """Writes the bindings of one ruleset, from how the subjects of a row stand to how they stand in the end.

    ``made`` are the names of the bindings that each rule made.
    """

    steps: Steps
    standing: Standing
    made: dict[str, list[str]] = field(factory=dict)

    def write(self) -> None:
        """Writes all steps. Raises RuleError for a rule that cannot be run on tables."""
        for _, together in groupby(self.steps.steps, self._together):
            known, steps = set(self.standing.meaning.bindings.found), list(together)
            self._write(steps)
            names = [name for name in self.standing.meaning.bindings.found if name not in known]
            self.made |= dict.fromkeys((step.rule.id for step in steps), names)

    def advanced(self, subject: Node) -> RowMeaning:
        """What words mean in the end of a subject, once it was chosen: rules have derived some of it anew."""
        meaning = self.standing.meaning
        for step in self.steps.steps:
            if isinstance(step, Let) and step.of == "chosen":
                condition = both(negated(self.standing.ended), meaning.all_of(step.when))
                for each in step.values:
                    value = when(condition, meaning.of(each.value, subject))
                    meaning = evolve(meaning, overridden={**meaning.overridden, each.name: value})
        return meaning.at(subject)

    def _together(self, step: Step) -> object:
        """What neighbours have in common that are one pass over the list. Who counts sees what the one before left."""
        vocabulary = self.steps.vocabulary
        match step:
            case Filter(fate="chosen"):
                return step.fate
            case Filter(fate="out") if not (counts(step.when, vocabulary) or counts(step.where, vocabulary)):
                return step.when and step.when.sql()
        return step.rule.id

    def _write(self, steps: Sequence[Step]) -> None:
        """Writes steps that are one pass."""
        filters, first = [step for step in steps if isinstance(step, Filter)], steps[0]
        try:
            match first:
                case Filter(fate="out"):
                    eliminate(self.standing, filters)
                case Filter(fate="aside"):
                    set_aside(self.standing, first)
                case Filter(fate="back"):
                    take_back(self.standing, first)
                case Filter(fate="chosen"):
                    choose(self.standing, filters)
                case Rank():
                    rank(self.standing, first)
                case Let(of="every"):
                    self._of_every(first)
                case Let(of="situation"):
                    self._of_situation(first)
        except (NotInTableError, TypeError) as error:
            raise RuleError(self.steps.ruleset.name, "", str(error)) from None

    def _of_every(self, step: Let) -> None:
        condition = both(negated(self.standing.ended), self.standing.applies(step))
        for value in [] if is_false(condition) else step.values:
            meaning = self.standing.meaning
            anew = self.standing.bind(step.rule, value.name, when(condition, meaning.of(value.value)))
            self.standing.meaning = evolve(meaning, overridden={**meaning.overridden, value.name: anew})

    def _of_situation(self, step: Let) -> None:
        first_to_fail, rest = _first_to_fail(step.when)
        if first_to_fail and self._all_fail():
            return
        condition, meaning = self.standing.holds(step.rule, rest), self.standing.meaning
        if len(step.values) > 1 and not first_to_fail:
            condition = self.standing.bind(step.rule, "applies", condition)
        for value in step.values:
            before, tree = meaning.word(value.name), meaning.of(value.value)
            if first_to_fail:
                branches = [(each.this, each.args["true"]) for each in before.args.get("ifs", [])]
                meaning.facts[value.name] = case([*branches, (condition, tree)], before.args.get("default") or before)
            else:
                meaning.facts[value.name] = meaning.bindings.bind(value.name, when(condition, tree, before))

    def _all_fail(self) -> bool:
        """Whether a rule before ends every call: then no rule after it does."""
        failing = self.standing.meaning.word(FAILING_RULE)
        return (failing.args.get("default") or failing) != literal(0)


def _first_to_fail(condition: Node | None) -> tuple[bool, Node | None]:
    """Whether a condition asks that no rule before ends the call, and what else it asks.

    Such rules are one CASE, which takes the first of them.
    """
    first, rest = (condition.this, condition.expression) if isinstance(condition, exp.And) else (condition, None)
    return (True, rest) if first == _NOTHING_FAILED else (False, condition)


_NOTHING_FAILED = equal(exp.column(FAILING_RULE), exp.Literal.number(0))
