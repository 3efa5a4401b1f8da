"""What is wrong with an invalid row: the column, its value, and what is allowed. Only such rows evaluate it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from mqclause.language.sql import Node, both, case, either, equal, literal, negated, when
from mqclause.model.facts.domains import Name, Names, Words
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.bindings import Bindings
from mqclause.tables.columns import NOT_ALLOWED, NULL_SUBJECT, Column
from mqclause.tables.demands import is_null_text
from mqclause.tables.meaning import FIRST, MIXED
from mqclause.tables.packing import Packing
from mqclause.tables.shape import LIST_OF_JSON, FieldType, Shape
from mqclause.tables.words import ODD_NAMES, RowWords, is_of_names, is_too_long, kept, no_name, outside

Fault = tuple[Node, Node]
"""Whether a row has a fault, and the text that is told of it."""


def situation_faults(words: RowWords, shape: Shape) -> Iterator[Fault]:
    """What can be wrong with the situation of a row, in the order in which it is told."""
    if shape.row is not None:
        yield F.is_null(shape.row.copy()), literal(is_null_text(words.struct))
    for of, wrong in words.faults():
        yield wrong, told_of(words, of)
    demands = shape.demands
    if demands.one_of:
        named = [words.checked(words.columns[name]) for name in demands.one_of]
        yield both(*(equal(each, "") for each in named)), literal(demands.none_given)


def told_of(words: RowWords, of: Column) -> Node:
    """What is told of the value of a column: that of the source that the row has it from."""
    found = [
        (negated(F.is_null(source.value.copy())), _not_allowed(of, [source.told], source.value.copy(), source.kind))
        for source in words.sources[of.name]
    ]
    return case(found)


def subjects_fault(packing: Packing, shape: Shape) -> Node:
    """What is wrong with the first subject that is not as it should be, or null."""
    place, listed = exp.cast(F.variable("place"), "TEXT"), F.column(packing.listed)
    name = shape.about.row.subjects
    start, end = NULL_SUBJECT.format(subjects=name, place="{}").split("{}")
    branches = [(F.is_null(F.EACH), F.texts(start, place, end))]
    for word, source in packing.present.items():
        of, own = packing.columns[word], packing.own(word)
        has_default = isinstance(of.domain, Words) or of.needed
        value = kept(of, F.coalesced(own, literal(of.default))) if has_default else own
        wrong = None if source.checked else outside(of, value, [source.kind])
        if wrong is not None:
            before: list[Node | str] = [f"{name}[", place, f"].{source.told}"]
            text = _not_allowed(of, before, source.value.copy(), source.kind)
            branches.append((F.coalesced(wrong, exp.false()), text))
    faults = F.those(
        F.each(listed, case(branches), F.EACH.name, "place"), exp.Not(this=F.is_null(F.variable("fault"))), "fault"
    )
    nobody = either([F.is_null(listed), equal(F.length_of(listed), 0)])
    absent = [(nobody, literal(shape.demands.nobody))] if shape.demands.nobody else []
    return case(absent, F.item(faults, 0))


def _not_allowed(of: Column, before: list[Node | str], value: Node, kind: FieldType) -> Node:
    if isinstance(of.domain, Names):
        return _item_not_allowed(of, before, value, kind)
    if kind == "text":
        return not_allowed(before, in_quotes(value), of.allowed)
    shown = F.FloatText(this=exp.cast(value, "DOUBLE")) if kind == "number" else exp.cast(value, "TEXT")
    return not_allowed(before, shown, of.allowed)


def in_quotes(text: Node) -> Node:
    """A text in quotes, or null."""
    return F.coalesced(F.texts("'", text, "'"), literal("null"))


def not_allowed(before: list[Node | str], text: Node, allowed: str) -> Node:
    """What is told of a value that is not allowed, by its ``text``; ``before`` ends with the name of its column."""
    start, end = NOT_ALLOWED.format(column="", value="{}", allowed=allowed).split("{}", 1)
    *first, last = before
    return F.texts(*first, f"{last}{start}", text, end)


def _item_not_allowed(of: Column, before: list[Node | str], names: Node, kind: FieldType) -> Node:
    """The first of a list of names that is none."""
    assert isinstance(of.domain, Names)  # noqa: S101 - told to the type checker
    one = Column(of.name, of.domain.each, "")
    place = exp.cast(F.variable("place"), "TEXT")
    is_json = kind == LIST_OF_JSON
    wrong = outside(one, F.JsonText(this=F.EACH) if is_json else F.EACH, ["text"]) or exp.false()
    text = _not_allowed(one, [*before, "[", place, "]"], F.EACH, "JSON" if is_json else "text")
    told = F.each(names, case([(F.coalesced(wrong, exp.false()), text)]), F.EACH.name, "place")
    return F.item(F.those(told, exp.Not(this=F.is_null(F.variable("fault"))), "fault"), 0)


def is_invalid(words: RowWords, packing: Packing | None, shape: Shape, listed: Node, bindings: Bindings) -> Node:
    """Whether a row has any fault; those of the subjects, which are ``listed``, are seen by their packed numbers."""
    faults = [] if shape.row is None else [F.is_null(shape.row.copy())]
    if shape.demands.one_of:
        blank = [equal(words.checked(words.columns[name]), "") for name in shape.demands.one_of]
        faults.append(both(*blank))
    faults.extend(wrong for of, wrong in words.faults() if not is_of_names(of))
    faults.append(_has_wrong_names(words, packing, bindings))
    if shape.about.subject is not None:
        # A number below 0 has the highest bit: the first has it, or another differs in it.
        faults += [exp.LT(this=F.column(each), expression=literal(0)) for each in (FIRST, MIXED)]
        if shape.demands.nobody and not shape.may_be_empty:
            faults.append(equal(F.length_of(listed), 0))
    return either(faults)


def _has_wrong_names(words: RowWords, packing: Packing | None, bindings: Bindings) -> Node:
    """Whether a row has names that are none. Each is looked at only where all of them together look odd."""
    wrong, found = [wrong for of, wrong in words.faults() if is_of_names(of)], list(words.names())
    if packing is not None and packing.names():
        found += _names_of_subjects(packing, bindings)
        no_names = either(no_name(of, packing.own(word)) for word, of in packing.names().items())
        each = F.function(F.coalesced(no_names, exp.false()), F.EACH.name)
        nobody = F.NoneOf(this=F.column(packing.listed), expression=each)
        wrong.append(F.coalesced(negated(nobody), exp.false()))
    if not wrong:
        return exp.false()
    odd = bindings.once(ODD_NAMES.removeprefix(F.PREFIX), _look_odd(found, "all_names", bindings))
    if packing is not None and packing.names():
        # Mostly it is no more than that they are padded.
        unpadded = [*words.names(), *_unpadded_of_subjects(packing, odd, bindings)]
        odd = bindings.bind("wrong_names", when(odd, _look_odd(unpadded, "unpadded_names", bindings), exp.false()))
    return when(odd, either(wrong), exp.false())


def _look_odd(names: list[tuple[Node, Node]], bound: str, bindings: Bindings) -> Node:
    """Whether any of the names is too long, or all of them together have a letter that none may have."""
    text = bindings.bind(bound, F.TogetherAsText(this=exp.Tuple(expressions=[text for text, _ in names])))
    return either([*(longer for _, longer in names), F.HasOddLetters(this=text)])


def _unpadded_of_subjects(packing: Packing, odd: Node, bindings: Bindings) -> Iterator[tuple[Node, Node]]:
    """The names of all subjects without the blanks that pad them, in rows where they are ``odd``: as below."""
    for word, of in packing.names().items():
        listed = F.each(F.column(packing.listed), packing.own(word), F.EACH.name)
        unpadded = F.each(listed, F.Unpadded(this=F.variable("name")), "name")
        found = bindings.bind(f"unpadded_{word}", when(odd.copy(), unpadded))
        yield F.ListAsText(this=found), _any_has_no_length(found, of)


def _any_has_no_length(names: Node, of: Name) -> Node:
    """Whether any of a list of names is longer than MQ allows, or blank where one is needed."""
    longest = exp.ArrayMax(this=F.each(names, F.TextLength(this=F.variable("name")), "name"))
    blank = [F.has(names, literal(""))] if of.least else []
    return either([exp.GT(this=longest, expression=literal(of.most)), *blank])


def _names_of_subjects(packing: Packing, bindings: Bindings) -> Iterator[tuple[Node, Node]]:
    """The names of all subjects as texts, and whether any is too long.

    Those that no rule asks for are mostly alike, as queue and cluster of the destinations of a put: they are looked at
    of the first, and of all where another has others.
    """
    subjects, alike, differ = F.column(packing.listed), [], []
    for word, of in packing.names().items():
        own = packing.own(word)
        if word in packing.used:
            longest = exp.ArrayMax(this=F.each(subjects, F.TextLength(this=own.copy()), F.EACH.name))
            too_long = exp.GT(this=longest, expression=literal(of.most))
            yield F.ListAsText(this=F.each(subjects, own, F.EACH.name)), too_long
        else:
            of_first = F.field_of(F.item(subjects, 0), packing.present[word].name)
            first = bindings.bind(f"first_{word}", F.coalesced(of_first, literal("")))
            yield first, is_too_long(of, first)
            alike.append((of, own))
            differ.append(exp.NEQ(this=own.copy(), expression=first))
    if alike:
        together = F.TogetherAsText(this=exp.Tuple(expressions=[own.copy() for _, own in alike]))
        text = when(either(is_too_long(*name) for name in alike), literal(" "), together)
        same = F.NoneOf(this=subjects, expression=F.function(either(differ), F.EACH.name))
        yield when(same, literal(""), F.ListAsText(this=F.each(subjects, text, F.EACH.name))), exp.false()
