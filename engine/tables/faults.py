"""What is wrong with an invalid row: the column, its value, and what is allowed. Only such rows evaluate it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from mqclause.language.sql import Node, both, case, either, literal
from mqclause.model.facts.domains import Words
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.columns import NOT_ALLOWED, NULL_SUBJECT, Column
from mqclause.tables.demands import is_null_text
from mqclause.tables.meaning import FIRST, MIXED
from mqclause.tables.packing import Packing
from mqclause.tables.shape import Shape
from mqclause.tables.words import RowWords, cased, outside

Fault = tuple[Node, Node]
"""Whether a row has a fault, and the text that is told of it."""


def situation_faults(words: RowWords, shape: Shape) -> Iterator[Fault]:
    """What can be wrong with the situation of a row, in the order in which it is told."""
    yield F.is_null(F.column(words.struct)), literal(is_null_text(words.struct))
    for of, wrong in words.faults():
        yield wrong, _not_allowed(of, [f"{words.struct}."], words.value(of, in_case=False))
    demands = shape.demands
    if demands.one_of:
        named = [words.checked(words.columns[name]) for name in demands.one_of]
        yield both(*(_is_blank(each) for each in named)), literal(demands.none_given)
        yield both(*(exp.NEQ(this=each, expression=literal("")) for each in named)), literal(demands.all_given)


def _is_blank(text: Node) -> Node:
    return exp.EQ(this=text, expression=literal(""))


def subjects_fault(packing: Packing, shape: Shape) -> Node:
    """What is wrong with the first subject that is not as it should be, or null."""
    place, listed = exp.cast(F.variable("place"), "TEXT"), F.column(packing.listed)
    branches = [(F.is_null(F.EACH), F.texts(*_around(NULL_SUBJECT.format(subjects=packing.listed, place="{}"), place)))]
    for word in packing.columns:
        of = packing.columns[word]
        value = F.coalesced(F.field_of(F.EACH, of.name), literal(of.default))
        wrong = outside(of, cased(of, value)) if word in packing.present else None
        if wrong is not None:
            before: list[Node | str] = [f"{packing.listed}[", place, "]."]
            branches.append((wrong, _not_allowed(of, before, F.field_of(F.EACH, of.name))))
    faults = F.those(
        F.each(listed, case(branches), F.EACH.name, "place"), exp.Not(this=F.is_null(F.variable("fault"))), "fault"
    )
    nobody = exp.EQ(this=F.coalesced(F.length_of(listed), literal(0)), expression=literal(0))
    told = [(nobody, literal(shape.demands.nobody))] if shape.demands.nobody else []
    return case(told, F.item(faults, 0))


def _around(text: str, value: Node) -> list[Node | str]:
    before, _, after = text.partition("{}")
    return [before, value, after]


def _not_allowed(of: Column, before: list[Node | str], value: Node) -> Node:
    quote = "'" if isinstance(of.domain, Words) else ""
    start, end = NOT_ALLOWED.format(column=of.name, value="{}", allowed=of.allowed).split("{}", 1)
    shown = value if quote else exp.cast(value, "TEXT")
    *first, last = before
    return F.texts(*first, f"{last}{start}{quote}", shown, f"{quote}{end}")


def is_invalid(words: RowWords, shape: Shape, listed: Node) -> Node:
    """Whether a row has any fault; those of the subjects, which are ``listed``, are seen by their packed numbers."""
    faults = [F.is_null(F.column(words.struct))]
    if shape.demands.one_of:
        blank = [_is_blank(words.checked(words.columns[name])) for name in shape.demands.one_of]
        faults.append(exp.EQ(this=blank[0], expression=blank[1]))
    faults.extend(wrong for _, wrong in words.faults())
    if shape.about.subject is not None:
        # A number below 0 has the highest bit: the first has it, or another differs in it.
        faults += [exp.LT(this=F.column(each), expression=literal(0)) for each in (FIRST, MIXED)]
        if shape.demands.nobody and not shape.may_be_empty:
            faults.append(exp.EQ(this=F.length_of(listed), expression=literal(0)))
    return either(faults)
