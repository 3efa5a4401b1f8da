"""Lower the operations of rules to SQL over the list of candidates in a row.

A subject is a packed number (Packing). What a step needs twice is bound once, so the size of the SQL
grows with the number of rules and nothing is evaluated again. Lists are looked at only in rows where a rule can act.

The lists that the rules make smaller step by step hold such numbers, not whole structs: they are copied in one go.
From the lowest bit on, a number holds a flag in one bit, a word as its place in the list of words (0: another word),
a small whole number as it is; above all those, the place of the subject in its row, so that numbers in order are
subjects in listing order. What does not fit (names, sequence numbers) is looked up by that place.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby
from math import nextafter
from string import ascii_letters
from typing import Any

from attrs import NOTHING, define, evolve, field, fields, frozen
from sqlglot import exp

from mqclause.executors.operations import (
    FAILING_RULE,
    Filter,
    Key,
    Let,
    LoweredRuleset,
    Operation,
    Rank,
    build_zero_test,
)
from mqclause.language import nodes
from mqclause.language.nodes import Expression, get_word, strip_parentheses
from mqclause.language.parser import expand_terms, has_count, infer_type
from mqclause.language.sql import (
    Node,
    build_and,
    build_case,
    build_equality,
    build_if,
    build_literal,
    build_not,
    build_or,
    build_sql,
    is_false,
    is_known,
    is_true,
)
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.domains import NOT_IN_NAMES, Finite, Flag, Name, Names, Whole, Words
from mqclause.rulebook.rule import Rule, RuleError
from mqclause.tables import functions as F  # noqa: N812
from mqclause.tables.functions import Bindings
from mqclause.tables.schema import Column, Columns, FieldType, Shape, Sources, ValueSource, get_letter_case

_NOTHING_FAILED = build_zero_test(FAILING_RULE)

ODD_LETTER = f"[^{''.join(letter for letter in map(chr, range(128)) if not NOT_IN_NAMES.match(letter))}]"
"""A character that no name of MQ has, as a regular expression.

It has each letter itself: Java looks those up in a table, and tries ranges one after the other, slowly.
"""

FIRST, MIXED = "__mqclause_first", "__mqclause_mixed"
"""The bits of the row's first subject, and those in which not all are alike. Who remains is among them all, so what is
alike in the whole list stays so, and is the first's; most rules then need no look at the list.
"""

WIDEST_PACKED = 10
"""Bits; whole numbers that may have more are looked up."""

ALL_PACKED = 44
"""Bits; what comes after so many is looked up, so that places have room above them."""


@define
class StepLowering:
    """Writes the bindings of one ruleset, from how the subjects of a row stand to how they stand in the end.

    The lists are as of the step that comes next, each a binding; ``meaning`` is that of its words.
    ``listed`` are all subjects, ``order`` lists them in an order that rules made. The choice ``is_open`` until a rule
    makes it, ``ended`` is whether one by condition did. ``before`` has who remained before a rule, and what rule
    a subject ``c`` of them falls by that does not remain: passes of one rule are one. ``choices`` are the ranks that
    choose, each with whether it does. ``made`` are the names of the bindings that each rule made.
    """

    steps: LoweredRuleset
    meaning: RowExpressions
    listed: Node
    traced: bool = False
    is_open: Node = field(factory=exp.true)
    ended: Node = field(factory=exp.false)
    aside: Node = F.NO_SUBJECTS
    before: list[tuple[Node, Node]] = field(factory=list)
    order: Node | None = None
    choices: list[tuple[Rank, Node]] = field(factory=list)
    made: dict[str, list[str]] = field(factory=dict)

    @property
    def remaining(self) -> Node:
        """The list of those that remain."""
        return self.meaning.remaining

    @remaining.setter
    def remaining(self, after: Node) -> None:
        """Set the list of subjects that remain from here on."""
        self.meaning = evolve(self.meaning, remaining=after)

    def write(self) -> None:
        """Write all steps. Raises RuleError for a rule that cannot be run on tables."""
        for _, together in groupby(self.steps.steps, self._together):
            known, steps = set(self.meaning.bindings.found), list(together)
            self._write(steps)
            names = [name for name in self.meaning.bindings.found if name not in known]
            self.made |= dict.fromkeys((step.rule.id for step in steps), names)

    def advanced(self, subject: Node, only: Collection[str] | None = None) -> RowExpressions:
        """Write the values of words after a subject was chosen: rules have derived some of them anew.

        With ``only`` as if they had derived no more than these.
        """
        meaning = self.meaning
        for step in self.steps.steps:
            if isinstance(step, Let) and step.of == "chosen":
                condition = build_and(build_not(self.ended), meaning.all_of(step.when))
                for each in step.values if only is None else [one for one in step.values if one.name in only]:
                    value = build_if(condition, meaning.of(each.value, subject))
                    meaning = evolve(meaning, overridden={**meaning.overridden, each.name: value})
        return meaning.at(subject)

    def _together(self, step: Operation) -> object:
        """What neighbours have in common that are one pass over the list. Who counts sees what the one before left."""
        vocabulary = self.steps.vocabulary
        match step:
            case Filter(fate="chosen"):
                return step.fate
            case Filter(fate="out") if not (has_count(step.when, vocabulary) or has_count(step.where, vocabulary)):
                return step.when and step.when.sql()
        return step.rule.id

    def _write(self, steps: Sequence[Operation]) -> None:
        """Writes steps that are one pass."""
        filters, first = [step for step in steps if isinstance(step, Filter)], steps[0]
        try:
            match first:
                case Filter(fate="out"):
                    eliminate(self, filters)
                case Filter(fate="aside"):
                    set_aside(self, first)
                case Filter(fate="back"):
                    take_back(self, first)
                case Filter(fate="chosen"):
                    choose(self, filters)
                case Rank():
                    apply_rank(self, first)
                case Let(of="every"):
                    self._of_every(first)
                case Let(of="situation"):
                    self._of_situation(first)
        except (NotInTableError, TypeError) as error:
            raise RuleError(self.steps.ruleset.name, "", str(error)) from None

    def _of_every(self, step: Let) -> None:
        condition = build_and(build_not(self.ended), self.applies(step))
        for value in [] if is_false(condition) else step.values:
            meaning = self.meaning
            anew = self.bind(step.rule, value.name, build_if(condition, meaning.of(value.value)))
            self.meaning = evolve(meaning, overridden={**meaning.overridden, value.name: anew})

    def _of_situation(self, step: Let) -> None:
        first_to_fail, rest = _first_to_fail(step.when)
        if first_to_fail and self._all_fail():
            return
        condition, meaning = self.holds(step.rule, rest), self.meaning
        if len(step.values) > 1 and not first_to_fail:
            condition = self.bind(step.rule, "applies", condition)
        for value in step.values:
            before, tree = meaning.word(value.name), meaning.of(value.value)
            if first_to_fail:
                branches = [(each.this, each.args["true"]) for each in before.args.get("ifs", [])]
                meaning.facts[value.name] = build_case(
                    [*branches, (condition, tree)], before.args.get("default") or before
                )
            else:
                meaning.facts[value.name] = meaning.bindings.bind(value.name, build_if(condition, tree, before))

    def _all_fail(self) -> bool:
        """Whether a rule before ends every call: then no rule after it does."""
        failing = self.meaning.word(FAILING_RULE)
        return (failing.args.get("default") or failing) != build_literal(0)

    def bind(self, rule: Rule, what: str, tree: Node) -> Node:
        """Bind a tree to a name that shows its rule and its part in it."""
        return self.meaning.bindings.bind(f"{rule.id.replace('.', '_').replace('-', '_')}_{what}", tree)

    def applies(self, step: Operation, *before: Node) -> Node:
        """Write whether a step's ``when`` holds, counted only in rows where ``before`` holds."""
        return self.holds(step.rule, step.when, *before)

    def holds(self, rule: Rule, condition: Expression | None, *before: Node) -> Node:
        """Write whether a condition about the situation holds; a missing one does."""
        asked = self.meaning.all_of(condition)
        if not has_count(condition, self.meaning.vocabulary) or isinstance(asked, exp.Boolean):
            return build_and(*before, asked)
        return self.bind(rule, "applies", build_if(build_and(*before), asked, exp.false()))

    def left(self, rule: Rule, after: Node, by: Node | None = None) -> None:
        """Keep the subjects in the list ``after``; the others fall by the rule, or as ``by`` says of each."""
        falls = (self.remaining, build_literal(rule.id) if by is None else by)
        if not self.before or self.before[-1][1] != falls[1]:
            self.before.append(falls)
        self.remaining = self.bind(rule, "left", after)

    def kept(self, rule: Rule, kept: Node, condition: Node, by: Node | None = None) -> None:
        """Keep those of whom ``kept`` holds, where ``condition`` holds."""
        self.left(rule, build_if(condition, F.filter_items(self.remaining, kept), self.remaining), by)

    def as_listed(self, some: Node) -> Node:
        """Sort a list of subjects into the order in which they are listed now."""
        if self.order is None:
            return F.sort_items(some)
        return F.filter_items(self.order, F.has_item(some, F.build_variable("c")))


def eliminate(standing: StepLowering, filters: Sequence[Filter]) -> None:
    """Write the removal of all of whom the condition of a filter holds."""
    meaning, step = standing.meaning, filters[0]
    wheres = [(meaning.of(each.where), build_literal(each.rule.id)) for each in filters]
    fell = build_or(where for where, _ in wheres)
    condition = standing.applies(step, standing.is_open, build_or(meaning.may_hold(each.where) for each in filters))
    if not is_false(condition):
        standing.kept(step.rule, build_not(fell), condition, build_case(wheres) if len(wheres) > 1 else None)


def set_aside(standing: StepLowering, step: Filter) -> None:
    """Write the setting aside of all of whom the condition holds."""
    before, where = standing.remaining, standing.meaning.of(step.where)
    condition = standing.applies(step, standing.is_open, standing.meaning.may_hold(step.where))
    found = build_if(condition, F.filter_items(before, where), F.NO_SUBJECTS)
    standing.kept(step.rule, build_not(where), condition)
    aside = found if standing.aside is F.NO_SUBJECTS else F.concat_lists(standing.aside, found)
    standing.aside = standing.bind(step.rule, "aside", aside)


def take_back(standing: StepLowering, step: Filter) -> None:
    """Write the return of those set aside of whom the condition holds, each in its place."""
    before, aside, where = standing.remaining, standing.aside, standing.meaning.of(step.where)
    condition = standing.applies(step, standing.is_open, F.has_more_than(aside, 0))
    if aside is F.NO_SUBJECTS or is_false(condition):
        return
    taken = F.filter_items(aside, where)
    after = build_if(condition, standing.as_listed(F.concat_lists(before, taken)), before)
    standing.remaining = standing.bind(step.rule, "left", after)
    left = build_if(condition, F.filter_items(aside, build_not(where)), aside)
    standing.aside = standing.bind(step.rule, "aside", left)


def choose(standing: StepLowering, filters: Sequence[Filter]) -> None:
    """Write consecutive choices: the first that finds anybody decides, so all look at the same list."""
    remaining, last = standing.remaining, filters[-1].rule
    found: list[tuple[Node, Node]] = []
    by: list[tuple[Node, Node]] = []
    for step in filters:
        where = standing.meaning.of(step.where)
        condition = standing.applies(step, standing.is_open, standing.meaning.may_hold(step.where))
        if not (is_false(condition) or is_false(where)):
            those = F.filter_items(remaining, where)
            those = exp.ArrayReverse(this=those) if step.last_first else those
            chosen = standing.bind(step.rule, "chosen", build_if(condition, those, F.NO_SUBJECTS))
            found.append((F.has_more_than(chosen, 0), chosen))
            by.append((F.has_more_than(chosen, 0), build_literal(step.rule.id)))
    if found:
        standing.left(last, build_case(found, remaining), standing.bind(last, "by", build_case(by)))
        still_open = build_and(*(build_equality(F.count_items(chosen), 0) for _, chosen in found))
        standing.ended = standing.bind(last, "ended", build_or([standing.ended, build_not(still_open)]))
        standing.is_open = standing.bind(last, "open", build_and(standing.is_open, build_not(standing.ended)))


def apply_rank(standing: StepLowering, step: Rank) -> None:
    """Write a rank: those that remain are compared; some stay, or all are listed anew."""
    if step.chooses:
        _choose(standing, step)
        return
    # How many there are decides who stays of so many; those set aside are listed anew too, however few remain.
    differ = build_or([exp.true()] if step.at_most else (standing.meaning.differ(key.by) for key in step.keys))
    enough = F.has_more_than(standing.remaining, 1 if is_never_empty(standing, step) and step.keep != "all" else 0)
    condition = standing.applies(step, standing.is_open, differ, enough)
    if is_false(condition):
        return
    if step.keep == "all":
        _order(standing, step, condition)
    elif step.keep == "at_most":
        _keep_some(standing, step, condition)
    elif step.per is not None:
        _keep_of_group(standing, step, condition)
    else:
        _keep_best(standing, step, step.keys[0], condition)


def is_never_empty(standing: StepLowering, step: Operation) -> bool:
    """Return whether types show that a step leaves somebody wherever there is anybody."""
    if not isinstance(step, Rank) or step.at_most is None:
        return isinstance(step, Rank)
    least = infer_type(step.at_most, standing.meaning.vocabulary, per_subject=False).least
    return least is not None and least >= 1


class NotInTableError(ValueError):
    """A rule asks for what a table does not say."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is no column of a table, so the rule cannot be run on tables")


@frozen
class RowWords:
    """The words of the situation ``struct``: what is not in the table is its default.

    ``unseen`` are words that no column gives, ``further`` those that something else does.
    """

    struct: str
    columns: Columns
    sources: Sources
    unseen: Mapping[str, Any]
    bindings: Bindings
    further: Mapping[str, Node] = field(factory=dict)

    @classmethod
    def of(cls, shape: Shape, bindings: Bindings) -> RowWords:
        """Return the words of the situation in a table of that shape."""
        columns = shape.situation_columns
        seen = {each.word for each in columns.values()}
        unseen = {each.name: each.default for each in fields(shape.about.situation) if each.name not in seen}
        return cls(shape.about.row.situation, columns, shape.situation, unseen, bindings, shape.further)

    def word(self, name: str) -> Node:
        """Write a word of the situation: a binding or a value."""
        if name in self.further:
            return self.bindings.once(name, self.further[name])
        if name in self.unseen:
            if self.unseen[name] is NOTHING:
                raise NotInTableError(name)
            return build_literal(self.unseen[name])
        of = next(each for each in self.columns.values() if each.word == name)
        if not self.is_there(of):
            return build_literal(of.stands_for.get(of.default, of.default))
        found = self.checked(of)
        if not of.stands_for:
            return found
        meant = [(build_equality(found, word), build_literal(as_)) for word, as_ in of.stands_for.items()]
        return self.bindings.once(f"{of.name}_meant", build_case(meant, found))

    def is_there(self, of: Column) -> bool:
        """Return whether the table has a column."""
        return of.name in self.sources

    def checked(self, of: Column) -> Node:
        """Bind a column's value, with any number as one of 64 bits, which holds all that are in range."""
        if not self.is_there(of):
            return build_literal(of.default)
        value = self.value(of)
        if isinstance(of.domain, Whole | Finite):
            wrong = self._outside(of)
            in_range = value if wrong is None else build_if(wrong, build_literal(of.domain.low), value)
            value = exp.cast(in_range, "BIGINT" if of.kind == "integer" else "DOUBLE")
        return self.bindings.once(f"{self.struct}_{of.name}", value)

    def value(self, of: Column, as_kept: bool = True) -> Node:
        """Write the value of a column, never null; words and names as they are kept, or as the row has them."""
        default = build_literal(of.default)
        value = F.coalesce(*self.given(of), default) if self.is_there(of) else default
        return normalize_value(of, value) if as_kept else value

    def given(self, of: Column) -> list[Node]:
        """List what the row has in a column, each of which may be null."""
        return [source.compared(of) for source in self.sources[of.name]]

    def kinds(self, of: Column) -> list[FieldType]:
        """List the kinds of these values."""
        return [source.kind for source in self.sources[of.name]]

    def _outside(self, of: Column) -> Node | None:
        value = self.checked(of) if isinstance(of.domain, Words) else self.value(of, as_kept=False)
        return build_domain_test(of, value, self.kinds(of))

    def names(self) -> Iterator[tuple[Node, Node]]:
        """Yield each name of a row, a list of names as one text; with it, whether it is too long or a blank item."""
        for of in self.columns.values():
            if self.is_there(of) and "name" not in self.kinds(of):
                found = self.checked(of)
                match of.domain:
                    case Name() as one:
                        yield found, is_too_long(one, found)
                    case Names(Name() as one):
                        name = F.build_variable("name")
                        wrong = F.build_lambda(build_or([build_equality(name, ""), is_too_long(one, name)]), "name")
                        yield F.ListAsText(this=found), exp.Not(this=F.NoneOf(this=found, expression=wrong))

    def faults(self) -> Iterator[tuple[Column, Node]]:
        """Yield each column that may be out of its domain, with the test whether it is."""
        for of in self.columns.values():
            if self.is_there(of):
                wrong = self._outside(of)
                if wrong is not None:
                    yield of, wrong


def normalize_value(of: Column, value: Node) -> Node:
    """Write a word in the letter case of its column, a name without trailing blanks, others as they are."""
    match of.domain:
        case Words(words):
            cased = _change_case(words, value)
            # A word that is written as the column has it stays as it is: in Spark the change is slow.
            return value if cased is value else build_if(exp.In(this=value, expressions=_list_words(of)), value, cased)
        case Name():
            return F.Unpadded(this=value)
        case Names(Name()):
            return F.map_items(value, F.Unpadded(this=F.build_variable("name")), "name")
    return value


def _list_words(of: Column) -> list[Node]:
    assert isinstance(of.domain, Words)  # noqa: S101 - told to the type checker
    return [build_literal(word) for word in of.domain.words]


def build_domain_test(of: Column, value: Node, kinds: Collection[FieldType]) -> Node | None:
    """Write the test whether a value of one of these kinds is outside a column's domain; None if none can be.

    A word is taken as it is kept, all else as the row has it.
    """
    match of.domain:
        case Words():
            return exp.Not(this=exp.In(this=value, expressions=_list_words(of)))
        case Whole(low, high):
            if "number" in kinds and float(high) > high:
                # As a double the end would be the next larger one.
                high = int(nextafter(high, 0.0))
            is_whole = {*kinds} <= {"integer", "huge"}
            has_fraction = [] if is_whole else [F.is_unequal(value, exp.Floor(this=value))]
            return build_or([is_outside(value, low, high), *has_fraction])
        case Finite(low):
            # It leaves out infinity, and NaN where that is the greatest of all.
            return is_outside(value, low, sys.float_info.max)
        case Name():
            return None if "name" in kinds else is_no_name(of.domain, value)
        case Names(Name() as one):
            name = F.build_variable("name")
            wrong = F.coalesce(is_no_name(one, name), exp.false())
            return exp.Not(this=F.NoneOf(this=value, expression=F.build_lambda(wrong, "name")))
    return None


def is_no_name(domain: Name, value: Node) -> Node:
    """Write the test whether MQ allows no such name, padded or not; blank is a name that was left out."""
    name = F.Unpadded(this=value)
    blank = [build_equality(name, "")] if domain.least else []
    return build_or(
        [*blank, exp.RegexpLike(this=name, expression=build_literal(ODD_LETTER)), is_too_long(domain, name)]
    )


def is_too_long(domain: Name, name: Node) -> Node:
    """Write the test whether a name is longer than MQ allows."""
    return F.is_greater(F.TextLength(this=name), domain.most)


def has_names(of: Column) -> bool:
    """Return whether a column holds names that are looked at one by one."""
    return isinstance(of.domain, Name) or (isinstance(of.domain, Names) and isinstance(of.domain.each, Name))


def is_outside(value: Node, low: float, high: float) -> Node:
    """Write the test whether a number is outside a range."""
    return exp.Not(this=exp.Between(this=value, low=build_literal(low), high=build_literal(high)))


@frozen
class RowExpressions:
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
    subject: Node = field(factory=lambda: F.build_variable("c"))

    def at(self, subject: Node | str) -> RowExpressions:
        """Return the expressions for another subject."""
        return evolve(self, subject=F.build_variable(subject) if isinstance(subject, str) else subject)

    def of(self, tree: Expression, subject: Node | str = "c") -> Node:
        """Write a condition about a subject as SQL."""
        return build_sql(tree, self.at(subject))

    def number_of(self, tree: Expression, subject: str = "c") -> Node:
        """Write the value by which subjects are compared; a truth value counts as 0 or 1."""
        name = get_word(tree)
        if self.packing is not None and self.is_packed(name) and isinstance(self.packing.columns[name].domain, Flag):
            return self.packing.value(name, F.build_variable(subject))
        is_flag = infer_type(tree, self.vocabulary, per_subject=True).kind == "boolean"
        found = self.of(tree, subject)
        return exp.cast(found, "INT") if is_flag else found

    def word(self, name: str) -> Node:
        """Write the value of an attribute or of a derived fact."""
        word = self.vocabulary.words[name]
        if word.about == "subject":
            return self._attribute(name)
        if word.is_derived:
            return self.facts[name] if name in self.facts else build_literal(word.blank)
        return self.words.word(name)

    def term(self, name: str) -> Node | None:
        """Bind a term that counts, since several rules ask for it."""
        tree = self.vocabulary.terms[name]
        return self.bindings.same(name, self.of(tree)) if self._is_about_all(tree) else None

    def _is_about_all(self, term: Expression) -> bool:
        """Whether a term is a truth value that counts, and says nothing of a single subject."""
        if (
            not has_count(term, self.vocabulary)
            or infer_type(term, self.vocabulary, per_subject=True).kind != "boolean"
        ):
            return False
        alone = expand_terms(term, self.vocabulary).find_all(nodes.Column, outside=nodes.CountIf)
        return all(self.vocabulary.words[each.name].about == "situation" for each in alone)

    def _words_in(self, tree: Expression) -> Iterator[nodes.Column]:
        return expand_terms(tree, self.vocabulary).find_all(nodes.Column)

    def is_packed(self, name: str) -> bool:
        """Return whether a word is a packed attribute of subjects."""
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
        return found if anew is None else F.coalesce(anew, found)

    def compared(self, tree: nodes.Binary | nodes.In, found: Node) -> Node:
        """Write a comparison: a packed word by its place, a text of the row once, since that is slow."""
        name = get_word(tree.this)
        if self.is_packed(name):
            return self._by_place(tree, name) or found
        word = self.vocabulary.words.get(name)
        if word is not None and word.about == "situation" and word.type.kind == "text":
            return found if isinstance(found, exp.Boolean) else self.bindings.same(f"{name}_compared", found)
        return found

    def _by_place(self, tree: nodes.Binary | nodes.In, name: str) -> Node | None:
        assert self.packing is not None  # noqa: S101 - the attribute is packed
        domain = self.packing.columns[name].domain
        values = tree.expressions if isinstance(tree, nodes.In) else [strip_parentheses(tree.expression)]
        words = [value.this for value in values if isinstance(value, nodes.Literal)]
        if not isinstance(domain, Words) or len(words) < len(values):
            return None
        # A word that is listed twice has one place.
        places = sorted({domain.words.index(each) + 1 for each in words if each in domain.words})
        packed = self.packing.value(name, self.subject)
        if len(places) > 1:
            all_of_them = build_literal(sum(1 << place for place in places))
            shifted = F.shift_right(all_of_them, exp.cast(packed, "INT"))
            packed, places = F.bit_and(shifted, 1), [1]
        found = build_equality(packed, places[0]) if places else exp.false()
        return build_not(found) if isinstance(tree, nodes.NEQ) else found

    def has(self, names: Node, name: Node) -> Node:
        """Write the test whether a list of names has a name."""
        return F.has_item(names, name)

    def count(self, condition: Expression) -> Node:
        """Count those that remain of whom a condition holds, item by item only where they may differ in it."""
        variable_name = f"{self.subject.name if isinstance(self.subject, exp.Identifier) else 'c'}_counted"
        counted = F.count_items(F.filter_items(self.remaining, self.of(condition, variable_name), variable_name))
        return self._where_they_differ(condition, counted, F.count_items(self.remaining), build_literal(0))

    def those(self, condition: Expression) -> Node:
        """List those that remain of whom a condition holds, item by item only where they may differ in it."""
        some = F.filter_items(self.remaining, self.of(condition))
        return self._where_they_differ(condition, some, self.remaining, F.NO_SUBJECTS)

    def _where_they_differ(self, condition: Expression, some: Node, everyone: Node, nobody: Node) -> Node:
        """``some`` where those that remain may differ in a condition; else it holds of all or of none of them."""
        differ = self.differ(condition)
        if is_true(differ):
            return some
        return build_case([(differ, some), (self.of(condition, F.build_column(FIRST)), everyone)], nobody)

    def differ(self, tree: Expression) -> Node:
        """Return whether the subjects of a row may differ in ``tree``."""
        mask = 0
        for each in self._words_in(tree):
            if self.vocabulary.words[each.name].about == "subject":
                if self.packing is None or not self.is_packed(each.name):
                    return exp.true()
                bits = self.packing.bits[each.name]
                mask |= bits.mask << bits.shift
        return has_bits(F.build_column(MIXED), mask) if mask else exp.false()

    def may_hold(self, tree: Expression) -> Node:
        """Return whether ``tree`` may hold of a subject; where it cannot, none needs to be asked."""
        differ = self.differ(tree)
        return differ if is_true(differ) else build_or([differ, self.of(tree, F.build_column(FIRST))])

    def all_of(self, *trees: Expression | None, subject: str = "c") -> Node:
        """Write the test whether every condition holds; missing ones do."""
        return build_and(*(self.of(tree, subject) for tree in trees if tree is not None))


@frozen
class Bits:
    """Where a column stands in the packed number: how far up, and how many bits."""

    shift: int
    width: int

    @property
    def mask(self) -> int:
        """The bits, from the lowest on."""
        return (1 << self.width) - 1


@frozen
class Packing:
    """The columns of a subject that are packed, by the word of the rules, and how. ``present`` has the table.

    ``listed`` is the column with the list of subjects, ``used`` are the words that rules ask for.
    """

    listed: str
    columns: Columns
    present: Mapping[str, ValueSource]
    bits: Mapping[str, Bits]
    place_shift: int
    used: Collection[str]

    @classmethod
    def of(cls, shape: Shape, used: Collection[str]) -> Packing:
        """Pack those of the ``used`` columns that are small enough."""
        columns = {each.word: each for each in shape.subject_columns.values()}
        bits: dict[str, Bits] = {}
        shift = 0
        for word, of in columns.items():
            width = _width(of)
            if word in used and 0 < width <= WIDEST_PACKED and shift + width <= ALL_PACKED:
                bits[word] = Bits(shift, width)
                shift += width
        present = {word: shape.subjects[of.name] for word, of in columns.items() if of.name in shape.subjects}
        return cls(shape.listed, columns, present, bits, shift, used)

    def legend(self) -> dict[str, str]:
        """Describe for a person where each packed word stands in a number, and what stands there."""
        found = {}
        for word, bits in self.bits.items():
            domain, last = self.columns[word].domain, bits.shift + bits.width - 1
            where = f"bit {bits.shift}" if bits.width == 1 else f"bits {bits.shift} to {last}"
            places = enumerate(domain.words, 1) if isinstance(domain, Words) else ()
            means = ", ".join(f"{place} {each}" for place, each in places)
            found[word] = f"{word}: {where}{': ' if means else ''}{means}"
        return found

    def packed(self) -> Node:
        """Write the list of subjects as packed numbers; -1 for one with a fault, apart from its names."""
        place = F.multiply(exp.cast(F.build_variable("place"), "BIGINT"), 1 << self.place_shift)
        # Floating-point numbers, which hold as many bits, are added without a look for an overflow.
        bits = exp.cast(reduce(lambda one, other: F.add(one, other), self._parts()), "BIGINT")
        # A column that is null is in range, by its default: of several conditions only one that holds counts.
        wrong = F.coalesce(build_or([F.is_null(F.EACH), *self._out_of_range()]), exp.false())
        number = build_if(exp.Not(this=wrong), F.add(bits, place))
        checked = F.coalesce(number, build_literal(-1))
        return F.coalesce(F.map_items(F.build_column(self.listed), checked, F.EACH.name, "place"), F.NO_SUBJECTS)

    def _parts(self) -> Iterator[Node]:
        absent = {word: bits for word, bits in self.bits.items() if word not in self.present}
        yield build_literal(float(sum(_packed_default(self.columns[each]) << absent[each].shift for each in absent)))
        for word in self.present:
            of, bits, value = self.columns[word], self.bits.get(word), self.own(word)
            unit = float(1 << bits.shift if bits else 0)
            if isinstance(of.domain, Words):
                # A word that does not exist has no place: the whole number becomes null.
                value = get_word_place(of, value)
            elif bits and isinstance(of.domain, Flag):
                set_by, otherwise = (exp.Not(this=value), unit) if of.default else (value, 0.0)
                yield build_if(set_by, build_literal(unit - otherwise), build_literal(otherwise))
                continue
            elif bits:
                value = F.coalesce(value, build_literal(of.default))
            else:
                continue
            yield F.multiply(exp.cast(value, "DOUBLE"), unit)

    def own(self, word: str) -> Node:
        """Write a field of the subject that is asked about; null where it may be."""
        return self.present[word].compared(self.columns[word]) if word in self.present else exp.null()

    def _out_of_range(self) -> Iterator[Node]:
        for word, each in self.present.items():
            of = self.columns[word]
            if of.needed and not each.checked:
                yield build_equality(F.coalesce(self.own(word), build_literal("")), "")
            # A word that does not exist is seen by its place, and names that are there are looked at apart.
            known = each.checked or isinstance(of.domain, Words | Name)
            wrong = None if known else build_domain_test(of, self.own(word), [each.kind])
            if wrong is not None:
                yield wrong

    def names(self) -> dict[str, Name]:
        """List the words that are names of a subject, but for those that are checked."""
        found = {word: self.columns[word].domain for word, each in self.present.items() if not each.checked}
        return {word: domain for word, domain in found.items() if isinstance(domain, Name)}

    @property
    def names_asked(self) -> list[str]:
        """Those of them that rules ask for."""
        return [word for word in self.names() if word in self.used]

    def place(self, subject: Node) -> Node:
        """Write the place of a packed subject in its row, from 0."""
        return F.shift_right(subject, self.place_shift)

    def value(self, word: str, subject: Node) -> Node:
        """Write what is packed of a column, as a whole number."""
        bits = self.bits[word]
        shifted = F.shift_right(subject, bits.shift)
        return F.bit_and(shifted, bits.mask)

    def flag(self, word: str, subject: Node) -> Node:
        """Write a packed flag as a truth value."""
        return has_bits(subject, 1 << self.bits[word].shift)

    def looked_up(self, word: str, subject: Node) -> Node:
        """Write the value of a column at the subject's place."""
        of = self.columns[word]
        default = build_literal(of.default)
        if word not in self.present:
            return default
        if word in self.names_asked:
            return F.coalesce(F.get_item(F.build_column(f"{F.PREFIX}names_{word}"), self.place(subject)), default)
        found = F.get_field(F.get_item(F.build_column(self.listed), self.place(subject)), self.present[word].name)
        value = F.coalesce(found if self.present[word].checked else normalize_value(of, found), default)
        is_as_kept = self.present[word].kind == of.kind or of.kind not in ("integer", "number")
        return value if is_as_kept else exp.cast(value, "BIGINT" if of.kind == "integer" else "DOUBLE")


def has_bits(number: Node, bits: int) -> Node:
    """Write the test whether a number has any of the bits."""
    return F.is_unequal(F.bit_and(number, bits), 0)


def get_word_place(of: Column, value: Node) -> Node:
    """Write the place of a word, in any letter case, in its column's list, from 1; null if it is not there."""
    words, text = _list_words(of), F.coalesce(value, build_literal(of.default))
    listed, cased = exp.Array(expressions=words), _change_case([each.name for each in words], text)
    # Most texts are written as the words are, and need no other letter case.
    return F.coalesce(F.find_place(listed, text), F.find_place(listed, cased))


def _change_case(words: Sequence[str], text: Node) -> Node:
    """A text in the letter case of all words; as it is if they have none in common."""
    case = get_letter_case(words)
    if case == "mixed":
        return text
    # UPPER and LOWER make ASCII letters of other ones too, and not of the same ones in every engine.
    letters = "".join(sorted({letter for word in words for letter in word if letter in ascii_letters}))
    other = letters.lower() if case == "upper" else letters.upper()
    return exp.Anonymous(this="TRANSLATE", expressions=[text, build_literal(other), build_literal(letters)])


def _first_to_fail(condition: Expression | None) -> tuple[bool, Expression | None]:
    """Whether a condition asks that no rule before ends the call, and what else it asks.

    Such rules are one CASE, which takes the first of them.
    """
    first, rest = (condition.this, condition.expression) if isinstance(condition, nodes.And) else (condition, None)
    return (True, rest) if first == _NOTHING_FAILED else (False, condition)


def _choose(standing: StepLowering, step: Rank) -> None:
    condition = standing.bind(step.rule, "applies", standing.applies(step, standing.is_open))
    standing.choices.append((step, condition))
    chosen = build_and(condition, F.has_more_than(standing.remaining, 0))
    for key in step.keys:
        _keep_best(standing, step, key, build_and(condition, F.has_more_than(standing.remaining, 1)))
    if step.last_first:
        turned = build_if(condition, exp.ArrayReverse(this=standing.remaining), standing.remaining)
        standing.remaining = standing.bind(step.rule, "turned", turned)
    standing.is_open = standing.bind(step.rule, "open", build_and(standing.is_open, build_not(chosen)))


def _keep_best(standing: StepLowering, step: Rank, key: Key, condition: Node) -> None:
    among, by = standing.meaning.all_of(step.among), standing.meaning.number_of(key.by)
    best_of = exp.ArrayMax if key.descending else exp.ArrayMin
    # Where nobody is compared the best is null; those that are not compared stay all the same.
    values = best_of(this=F.map_items(standing.remaining, build_if(among, by)))
    best = standing.bind(step.rule, "best", build_if(condition, values))
    _keep(standing, step, build_equality(by, best), condition)


def _keep(standing: StepLowering, step: Rank, good: Node, condition: Node) -> None:
    """Keeps who is not compared and who is good."""
    kept = build_or([build_not(standing.meaning.all_of(step.among)), good])
    standing.kept(step.rule, kept, condition)


def _keep_of_group(standing: StepLowering, step: Rank, condition: Node) -> None:
    """Keeps those to whom nobody of their group is better."""
    condition = standing.bind(step.rule, "applies", condition)
    meaning, key, per = standing.meaning, step.keys[0], nodes.Column(step.per or "")
    better = _better(key, meaning.number_of(key.by, "o"), meaning.number_of(key.by))
    same_group = build_equality(meaning.of(per, "o"), meaning.of(per))
    other = build_and(better, meaning.all_of(step.among, subject="o"), same_group)
    nobody = F.NoneOf(this=standing.remaining, expression=F.build_lambda(other, "o"))
    _keep(standing, step, nobody, condition)


def _keep_some(standing: StepLowering, step: Rank, condition: Node) -> None:
    """Keeps so many of the best; of those equal to the last of them, the first or all."""
    assert step.at_most is not None  # noqa: S101 - told to the type checker
    meaning, limit, rule = standing.meaning, standing.meaning.of(step.at_most), step.rule
    if not is_never_empty(standing, step):
        limit = exp.Greatest(this=limit, expressions=[build_literal(0)])
    among = standing.remaining if step.among is None else meaning.those(step.among)
    compared = standing.bind(rule, "compared", build_if(condition, among, F.NO_SUBJECTS))
    many = standing.bind(rule, "many", F.is_greater(F.count_items(compared), limit))
    best = standing.bind(rule, "sorted", build_if(many, _sorted(standing, compared, step.keys), F.NO_SUBJECTS))
    kind = _kind(standing, step.counts)
    if step.counts:
        best = _first_of_each(standing, step, best, kind)
        many = standing.bind(rule, "many", F.is_greater(F.count_items(best), limit))
    first = F.take_first(best, limit)
    best = first if step.ties == "first" else _with_equals(standing, step, best, limit)
    kept = standing.bind(rule, "kept", F.map_items(best, kind) if step.counts else best)
    _keep(standing, step, F.has_item(kept, kind), many)


def _kind(standing: StepLowering, counts: Sequence[str]) -> Node:
    """What subjects that count as one are alike in: in these attributes; without any each counts alone."""
    alike = {name: standing.meaning.of(nodes.Column(name)) for name in counts}
    return F.build_struct(alike) if alike else F.build_variable("c")


def _first_of_each(standing: StepLowering, step: Rank, ordered: Node, kind: Node) -> Node:
    """Of the subjects of each kind the one that is listed first."""
    kinds = standing.bind(step.rule, "kinds", F.map_items(ordered, kind))
    place = F.add(F.build_variable("place"), 1)
    is_first = build_equality(F.find_place(kinds, kind), place)
    first = F.filter_items(ordered, is_first, "c", "place")
    return standing.bind(step.rule, "first", first)


def _with_equals(standing: StepLowering, step: Rank, ordered: Node, limit: Node) -> Node:
    """The first so many of a list in order, and those equal to the last of them."""
    key, by = step.keys[0], standing.meaning.number_of(step.keys[0].by)
    last = standing.bind(step.rule, "last", F.get_item(F.map_items(ordered, by), F.subtract(limit, 1)))
    # Where nobody may stay there is no last one to compare with.
    beyond = F.coalesce(_better(key, last, by), exp.true())
    return F.filter_items(ordered, build_not(beyond))


def _order(standing: StepLowering, step: Rank, condition: Node) -> None:
    """Lists those that remain anew, and all others too: some may be taken back."""
    before, remaining = standing.order or standing.listed, standing.remaining
    standing.order = standing.bind(
        step.rule, "order", build_if(condition, _sorted(standing, before, step.keys), before)
    )
    anew = build_if(condition, _sorted(standing, remaining, step.keys), remaining)
    standing.remaining = standing.bind(step.rule, "left", anew)


def _sorted(standing: StepLowering, subjects: Node, keys: Sequence[Key]) -> Node:
    """Sorts by one key after the other, the first last, equals as before: each time with the place so far."""
    for key in reversed(keys):
        place: Node = F.build_variable("place")
        listed = exp.Neg(this=place) if key.descending else place
        # A variable alone in a struct would be a column of the table of that name, if it has one.
        fields = {"key": standing.meaning.number_of(key.by, F.EACH.name), "listed": listed, "subject": F.EACH}
        numbered = F.sort_items(F.map_items(subjects, F.build_struct(fields), F.EACH.name, "place"), key.descending)
        subjects = F.map_items(numbered, F.get_field(F.EACH, "subject"), F.EACH.name)
    return subjects


def _better(key: Key, one: Node, other: Node) -> Node:
    return F.is_greater(one, other) if key.descending else F.is_less(one, other)


def _packed_default(of: Column) -> int:
    if isinstance(of.domain, Words):
        return of.domain.words.index(of.default) + 1
    return int(of.default)


def _width(of: Column) -> int:
    """How many bits hold a value of a column; 0 for what is no flag, word or whole number from 0 on."""
    match of.domain:
        case Flag():
            return 1
        case Words(words):
            return len(words).bit_length()
        case Whole(low, high):
            return high.bit_length() if low >= 0 else 0
    return 0
