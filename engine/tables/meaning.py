"""What the words of conditions mean in a plan: a packed subject is a variable, what the situation says is a binding."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen
from sqlglot import exp

from mqclause.language.check import type_of
from mqclause.language.parse import expanded, unwrapped
from mqclause.language.sql import (
    Node,
    both,
    case,
    counts,
    either,
    equal,
    is_known,
    is_true,
    is_word,
    literal,
    negated,
    sql_of,
)
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.domains import Flag, Words
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.bindings import Bindings
from mqclause.tables.packing import Packing, has_bits
from mqclause.tables.words import NotInTableError, RowWords

FIRST, MIXED = "__mqclause_first", "__mqclause_mixed"
"""The bits of the row's first subject, and those in which not all are alike. Who remains is among them all, so what is
alike in the whole list stays so, and is the first's; most rules then need no look at the list.
"""


@frozen
class RowMeaning:
    """The words of one ruleset in one row.

    ``remaining`` is the list of those that remain, ``subject`` the packed subject that is asked about. ``facts`` are
    derived about the situation; ``overridden`` are attributes of every subject that a rule has derived anew, with the
    binding that holds the value, or null where the rule did not apply.
    """

    vocabulary: Vocabulary
    packing: Packing | None
    words: RowWords
    bindings: Bindings
    remaining: Node
    facts: dict[str, Node] = field(factory=dict)
    overridden: Mapping[str, Node] = field(factory=dict)
    subject: Node = field(factory=lambda: F.variable("c"))

    def at(self, subject: Node | str) -> RowMeaning:
        """The same about another subject."""
        return evolve(self, subject=F.variable(subject) if isinstance(subject, str) else subject)

    def of(self, tree: Node, subject: Node | str = "c") -> Node:
        """A condition about a subject, as SQL."""
        return sql_of(tree, self.at(subject))

    def number_of(self, tree: Node, subject: str = "c") -> Node:
        """What subjects are compared by: a truth value counts as 0 or 1."""
        name = is_word(tree)
        if self.packing is not None and self.is_packed(name) and isinstance(self.packing.columns[name].domain, Flag):
            return self.packing.value(name, F.variable(subject))
        is_flag = type_of(tree, self.vocabulary, per_subject=True).kind == "boolean"
        found = self.of(tree, subject)
        return exp.cast(found, "INT") if is_flag else found

    def word(self, name: str) -> Node:
        """The value of an attribute or of a derived fact."""
        word = self.vocabulary.words[name]
        if word.about == "subject":
            return self._attribute(name)
        if word.is_derived:
            return self.facts[name] if name in self.facts else literal(word.blank)
        return self.words.word(name)

    def term(self, name: str) -> Node | None:
        """The binding of a term that counts, since several rules ask for it."""
        tree = self.vocabulary.terms[name]
        return self.bindings.same(name, self.of(tree)) if self._is_about_all(tree) else None

    def _is_about_all(self, term: Node) -> bool:
        """Whether a term is a truth value that counts, and says nothing of a single subject."""
        if not counts(term, self.vocabulary) or type_of(term, self.vocabulary, per_subject=True).kind != "boolean":
            return False
        alone = (each for each in self._words_in(term) if each.find_ancestor(exp.CountIf) is None)
        return all(self.vocabulary.words[each.name].about == "situation" for each in alone)

    def _words_in(self, tree: Node) -> list[exp.Column]:
        return list(expanded(tree, self.vocabulary).find_all(exp.Column))

    def is_packed(self, name: str) -> bool:
        """Whether a word is a packed attribute of subjects."""
        return self.packing is not None and name in self.packing.bits and name not in self.overridden

    def _attribute(self, name: str) -> Node:
        packing = self.packing
        if packing is None or name not in packing.columns:
            raise NotInTableError(name)
        if self.is_packed(name) and not isinstance(packing.columns[name].domain, Words):
            is_flag = isinstance(packing.columns[name].domain, Flag)
            return packing.flag(name, self.subject) if is_flag else packing.value(name, self.subject)
        anew = self.overridden.get(name)
        if anew is not None and is_known(anew):
            return anew
        found = packing.looked_up(name, self.subject)
        return found if anew is None else F.coalesced(anew, found)

    def compared(self, tree: Node, found: Node) -> Node:
        """A packed word is compared by its place; a text of the row is compared once, as that is slow."""
        name = is_word(tree.this)
        if self.is_packed(name):
            return self._by_place(tree, name) or found
        word = self.vocabulary.words.get(name)
        if word is not None and word.about == "situation" and word.type.kind == "text":
            return found if isinstance(found, exp.Boolean) else self.bindings.same(f"{name}_compared", found)
        return found

    def _by_place(self, tree: Node, name: str) -> Node | None:
        assert self.packing is not None  # noqa: S101 - the attribute is packed
        domain = self.packing.columns[name].domain
        values = tree.expressions if isinstance(tree, exp.In) else [unwrapped(tree.expression)]
        if not isinstance(domain, Words) or not all(isinstance(value, exp.Literal) for value in values):
            return None
        # A word that is listed twice has one place.
        places = sorted({domain.words.index(each.this) + 1 for each in values if each.this in domain.words})
        packed = self.packing.value(name, self.subject)
        if len(places) > 1:
            all_of_them = literal(sum(1 << place for place in places))
            shifted = exp.BitwiseRightShift(this=all_of_them, expression=exp.cast(packed, "INT"))
            packed, places = exp.BitwiseAnd(this=shifted, expression=literal(1)), [1]
        found = equal(packed, places[0]) if places else exp.false()
        return negated(found) if isinstance(tree, exp.NEQ) else found

    def has(self, names: Node, name: Node) -> Node:
        """Whether a list of names has a name."""
        return F.has(names, name)

    def count(self, condition: Node) -> Node:
        """How many of those that remain a condition holds of; a look at the list only where they differ in it."""
        everyone = F.length_of(self.remaining)
        variable_name = f"{self.subject.name if isinstance(self.subject, exp.Identifier) else 'c'}_counted"
        counted = F.length_of(F.those(self.remaining, self.of(condition, variable_name), variable_name))
        differ = self.differ(condition)
        if is_true(differ):
            return counted
        return case([(differ, counted), (self.of(condition, F.column(FIRST)), everyone)], literal(0))

    def those(self, condition: Node) -> Node:
        """Those that remain of whom a condition holds; a look at each only where they differ in it."""
        differ, some = self.differ(condition), F.those(self.remaining, self.of(condition))
        if is_true(differ):
            return some
        return case([(differ, some), (self.of(condition, F.column(FIRST)), self.remaining)], F.NOBODY)

    def differ(self, tree: Node) -> Node:
        """Whether the subjects of the row may differ in ``tree``."""
        mask = 0
        for each in self._words_in(tree):
            if self.vocabulary.words[each.name].about == "subject":
                if self.packing is None or not self.is_packed(each.name):
                    return exp.true()
                bits = self.packing.bits[each.name]
                mask |= bits.mask << bits.shift
        return has_bits(F.column(MIXED), mask) if mask else exp.false()

    def may_hold(self, tree: Node) -> Node:
        """Whether ``tree`` may hold of a subject; where it cannot, nobody needs to be asked."""
        differ = self.differ(tree)
        return differ if is_true(differ) else either([differ, self.of(tree, F.column(FIRST))])

    def all_of(self, *trees: Node | None, subject: str = "c") -> Node:
        """Whether every condition holds; those that are not there do."""
        return both(*(self.of(tree, subject) for tree in trees if tree is not None))
