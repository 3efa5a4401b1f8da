"""Ranks as bindings: each compares those that remain with one another."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from mqclause.executors.steps import Key, Rank, Step
from mqclause.language.check import type_of
from mqclause.language.sql import Node, both, either, equal, is_false, literal, negated, when
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.standing import Standing


def rank(standing: Standing, step: Rank) -> None:
    """Those that remain are compared, some stay, or all are listed anew."""
    if step.chooses:
        _choose(standing, step)
        return
    # How many there are decides who stays of so many; those set aside are listed anew too, however few remain.
    differ = either([exp.true()] if step.at_most else (standing.meaning.differ(key.by) for key in step.keys))
    enough = F.more_than(standing.remaining, 1 if leaves_one(standing, step) and step.keep != "all" else 0)
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


def leaves_one(standing: Standing, step: Step) -> bool:
    """Whether a step is a rank of which the types show that it leaves somebody where there is anybody."""
    if not isinstance(step, Rank) or step.at_most is None:
        return isinstance(step, Rank)
    least = type_of(step.at_most, standing.meaning.vocabulary, per_subject=False).least
    return least is not None and least >= 1


def _choose(standing: Standing, step: Rank) -> None:
    condition = standing.bind(step.rule, "applies", standing.applies(step, standing.is_open))
    standing.choices.append((step, condition))
    chosen = both(condition, F.more_than(standing.remaining, 0))
    for key in step.keys:
        _keep_best(standing, step, key, both(condition, F.more_than(standing.remaining, 1)))
    if step.last_first:
        turned = when(condition, standing.turned(standing.remaining), standing.remaining)
        standing.remaining = standing.bind(step.rule, "turned", turned)
    standing.is_open = standing.bind(step.rule, "open", both(standing.is_open, negated(chosen)))


def _keep_best(standing: Standing, step: Rank, key: Key, condition: Node) -> None:
    among, by = standing.meaning.all_of(step.among), standing.meaning.number_of(key.by)
    best_of = exp.ArrayMax if key.descending else exp.ArrayMin
    # Where nobody is compared the best is null; those that are not compared stay all the same.
    values = best_of(this=F.each(standing.remaining, when(among, by)))
    best = standing.bind(step.rule, "best", when(condition, values))
    _keep(standing, step, equal(by, best), condition)


def _keep(standing: Standing, step: Rank, good: Node, condition: Node) -> None:
    """Keeps who is not compared and who is good."""
    kept = either([negated(standing.meaning.all_of(step.among)), good])
    standing.kept(step.rule, kept, condition)


def _keep_of_group(standing: Standing, step: Rank, condition: Node) -> None:
    """Keeps those to whom nobody of their group is better."""
    condition = standing.bind(step.rule, "applies", condition)
    meaning, key, per = standing.meaning, step.keys[0], exp.column(step.per or "")
    better = _better(key, meaning.number_of(key.by, "o"), meaning.number_of(key.by))
    same_group = equal(meaning.of(per, "o"), meaning.of(per))
    other = both(better, meaning.all_of(step.among, subject="o"), same_group)
    nobody = F.NoneOf(this=standing.remaining, expression=F.function(other, "o"))
    _keep(standing, step, nobody, condition)


def _keep_some(standing: Standing, step: Rank, condition: Node) -> None:
    """Keeps so many of the best; of those equal to the last of them, the first or all."""
    assert step.at_most is not None  # noqa: S101 - told to the type checker
    meaning, limit, rule = standing.meaning, standing.meaning.of(step.at_most), step.rule
    if not leaves_one(standing, step):
        limit = exp.Greatest(this=limit, expressions=[literal(0)])
    among = standing.remaining if step.among is None else meaning.those(step.among)
    compared = standing.bind(rule, "compared", when(condition, among, F.NOBODY))
    many = standing.bind(rule, "many", exp.GT(this=F.length_of(compared), expression=limit))
    best = standing.bind(rule, "sorted", when(many, _sorted(standing, compared, step.keys), F.NOBODY))
    kind = _kind(standing, step.counts)
    if step.counts:
        best = _first_of_each(standing, step, best, kind)
        many = standing.bind(rule, "many", exp.GT(this=F.length_of(best), expression=limit))
    first = F.first_of(best, limit)
    best = first if step.ties == "first" else _with_equals(standing, step, best, limit)
    kept = standing.bind(rule, "kept", F.each(best, kind) if step.counts else best)
    _keep(standing, step, F.has(kept, kind), many)


def _kind(standing: Standing, counts: Sequence[str]) -> Node:
    """What subjects that count as one are alike in: in these attributes; without any each counts alone."""
    alike = {name: standing.meaning.of(exp.column(name)) for name in counts}
    return F.struct_of(alike) if alike else F.variable("c")


def _first_of_each(standing: Standing, step: Rank, ordered: Node, kind: Node) -> Node:
    """Of the subjects of each kind the one that is listed first."""
    kinds = standing.bind(step.rule, "kinds", F.each(ordered, kind))
    place = exp.Add(this=F.variable("place"), expression=literal(1))
    is_first = equal(F.place_of(kinds, kind), place)
    first = F.those(ordered, is_first, "c", "place")
    return standing.bind(step.rule, "first", first)


def _with_equals(standing: Standing, step: Rank, ordered: Node, limit: Node) -> Node:
    """The first so many of a list in order, and those equal to the last of them."""
    key, by = step.keys[0], standing.meaning.number_of(step.keys[0].by)
    last = standing.bind(step.rule, "last", F.item(F.each(ordered, by), exp.Sub(this=limit, expression=literal(1))))
    # Where nobody may stay there is no last one to compare with.
    beyond = F.coalesced(_better(key, last, by), exp.true())
    return F.those(ordered, negated(beyond))


def _order(standing: Standing, step: Rank, condition: Node) -> None:
    """Lists those that remain anew, and all others too: some may be taken back."""
    before, remaining = standing.order or standing.listed, standing.remaining
    standing.order = standing.bind(step.rule, "order", when(condition, _sorted(standing, before, step.keys), before))
    anew = when(condition, _sorted(standing, remaining, step.keys), remaining)
    standing.remaining = standing.bind(step.rule, "left", anew)


def _sorted(standing: Standing, subjects: Node, keys: Sequence[Key]) -> Node:
    """Sorts by one key after the other, the first last, equals as before: each time with the place so far."""
    for key in reversed(keys):
        place: Node = F.variable("place")
        listed = exp.Neg(this=place) if key.descending else place
        # A variable alone in a struct would be a column of the table of that name, if it has one.
        fields = {"key": standing.meaning.number_of(key.by, F.EACH.name), "listed": listed, "subject": F.EACH}
        numbered = F.in_order(F.each(subjects, F.struct_of(fields), F.EACH.name, "place"), key.descending)
        subjects = F.each(numbered, F.field_of(F.EACH, "subject"), F.EACH.name)
    return subjects


def _better(key: Key, one: Node, other: Node) -> Node:
    return exp.GT(this=one, expression=other) if key.descending else exp.LT(this=one, expression=other)
