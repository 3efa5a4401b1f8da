"""How the subjects of a row stand at a step: who remained before each, who remains, who is set aside.

A subject is a packed number (mqclause.tables.packing). What a step needs twice is bound once, so the size of the SQL
grows with the number of rules and nothing is evaluated again. Lists are looked at only in rows where a rule can act.
"""

from __future__ import annotations

from attrs import define, evolve, field
from sqlglot import exp

from mqclause.executors.steps import Rank, Step
from mqclause.language.sql import Node, both, counts, literal, when
from mqclause.rulebook.rule import Rule
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.meaning import RowMeaning


@define
class Standing:
    """The lists as of the step that comes next, each a binding; ``meaning`` is that of its words.

    ``listed`` are all subjects, ``order`` lists them in an order that rules made. The choice ``is_open`` until a rule
    makes it, ``ended`` is whether one by condition did. ``before`` has who remained before a rule, and what rule
    a subject ``c`` of them falls by that does not remain: passes of one rule are one. ``choices`` are the ranks that
    choose, each with whether it does.
    """

    meaning: RowMeaning
    listed: Node
    traced: bool = False
    is_open: Node = field(factory=exp.true)
    ended: Node = field(factory=exp.false)
    aside: Node = F.NOBODY
    before: list[tuple[Node, Node]] = field(factory=list)
    order: Node | None = None
    choices: list[tuple[Rank, Node]] = field(factory=list)

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

    def left(self, rule: Rule, after: Node, by: Node | None = None) -> None:
        """From here on those in ``after`` remain; the others fall by the rule, or by what ``by`` says of each."""
        falls = (self.remaining, literal(rule.id) if by is None else by)
        if not self.before or self.before[-1][1] != falls[1]:
            self.before.append(falls)
        self.remaining = self.bind(rule, "left", after)

    def kept(self, rule: Rule, kept: Node, condition: Node, by: Node | None = None) -> None:
        """Where ``condition`` holds those of whom ``kept`` does remain."""
        self.left(rule, when(condition, F.those(self.remaining, kept), self.remaining), by)

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
