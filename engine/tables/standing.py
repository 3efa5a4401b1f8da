"""How the subjects of a row stand at a step: who remains, who is set aside, who fell by which rule.

A subject is a packed number (mqclause.tables.packing). What a step needs twice is bound once, so the size of the SQL
grows with the number of rules and nothing is evaluated again. Lists are looked at only in rows where a rule can act.
"""

from __future__ import annotations

from attrs import define, evolve, field
from sqlglot import exp

from mqclause.executors.steps import Step
from mqclause.language.sql import Node, both, counts, literal, when
from mqclause.rulebook.rule import Rule
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.meaning import RowMeaning

RULES_SHIFT = 10
"""A fate is the subject's place, so many bits up, and the rule's number from 1 in those bits."""


@define
class Standing:
    """The lists as of the step that comes next, each a binding; ``meaning`` is that of its words.

    ``listed`` are all subjects, ``order`` lists them in an order that rules made. The choice ``is_open`` until a rule
    makes it, ``ended`` is whether one by condition did. With ``traced``, ``fallen`` collects the fates of those who
    fell.
    """

    meaning: RowMeaning
    listed: Node
    traced: bool = False
    is_open: Node = field(factory=exp.true)
    ended: Node = field(factory=exp.false)
    aside: Node = F.NOBODY
    fallen: Node = F.NOBODY
    order: Node | None = None

    @property
    def remaining(self) -> Node:
        """The list of those that remain."""
        return self.meaning.remaining

    @remaining.setter
    def remaining(self, after: Node) -> None:
        """From here on these remain."""
        self.meaning = evolve(self.meaning, remaining=after)

    def bind(self, rule: Rule, what: str, tree: Node) -> Node:
        """Binds a tree to a name that says of which rule it is, and what of it."""
        return self.meaning.bindings.bind(f"{rule.id.replace('.', '_').replace('-', '_')}_{what}", tree)

    def applies(self, step: Step, *before: Node) -> Node:
        """Whether a step's ``when`` holds; counted only in rows where what stands ``before`` holds."""
        return self.holds(step.rule, step.when, *before)

    def holds(self, rule: Rule, condition: Node | None, *before: Node) -> Node:
        """The same of any condition about the situation; none holds."""
        asked = self.meaning.all_of(condition)
        if not counts(condition, self.meaning.vocabulary) or isinstance(asked, exp.Boolean):
            return both(*before, asked)
        return self.bind(rule, "applies", when(both(*before), asked, exp.false()))

    def left(self, rule: Rule, number: Node, kept: Node, fell: Node, condition: Node) -> None:
        """Where ``condition`` holds those of whom ``kept`` does remain; of the others ``fell`` does.

        ``number`` is that of the rule; of several rules it tells for each who fell by which.
        """
        before = self.remaining
        after = self.bind(rule, "left", when(condition, F.those(before, kept), before))
        if self.traced:
            lost = exp.LT(this=F.length_of(after), expression=F.length_of(before))
            fates = F.joined(self.fallen, self.fates(F.those(before, fell), number))
            self.fallen = self.bind(rule, "fallen", when(lost, fates, self.fallen))
        self.remaining = after

    def fates(self, fallen: Node, number: Node) -> Node:
        """The fates of those who fell by a rule."""
        place = exp.Mul(this=self.place("c"), expression=literal(1 << RULES_SHIFT))
        return F.each(fallen, exp.Add(this=place, expression=number))

    def place(self, subject: str) -> Node:
        """The place of a packed subject in its row."""
        assert self.meaning.packing is not None  # noqa: S101 - there are subjects
        return self.meaning.packing.place(F.variable(subject))

    def turned(self, some: Node) -> Node:
        """The subjects of a list, which are in the order in which they are listed now, the other way round."""
        if self.order is None:
            return F.in_order(some, descending=True)
        numbered = F.each(some, F.struct_of({"at": F.variable("place"), "subject": F.variable("c")}), "c", "place")
        return F.each(F.in_order(numbered, descending=True), F.field_of(F.EACH, "subject"), F.EACH.name)

    def as_listed(self, some: Node) -> Node:
        """The subjects of a list in the order in which they are listed now."""
        if self.order is None:
            return F.in_order(some)
        return F.those(self.order, F.has(some, F.variable("c")))
