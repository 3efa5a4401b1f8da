"""Put conditions and actions of rules in words: a tree of phrases, each of names, values and the words between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from attrs import frozen

from mqclause.language import nodes
from mqclause.rulebook.rule import (
    Choose,
    Conclude,
    Condition,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Keep,
    MessageTemplate,
    OrderBy,
    Rule,
    SetAside,
    Settle,
    TakeBack,
    Ties,
)

PieceKind = Literal["text", "name", "value", "rule"]


class Piece(NamedTuple):
    """A part of a phrase: words between, the ``name`` of a word of conditions, a ``value``, or the id of a ``rule``."""

    kind: PieceKind
    text: str


@frozen
class Phrase:
    """A phrase, and the phrases that it is about: ``all of these hold`` with each of them."""

    pieces: tuple[Piece, ...]
    parts: tuple[Phrase, ...] = ()

    def list_names(self) -> Iterator[str]:
        """List the words of conditions in the phrase and in its parts, as often as they stand there."""
        yield from (each.text for each in self.pieces if each.kind == "name")
        for part in self.parts:
            yield from part.list_names()


@frozen
class Saying:
    """What a rule does or asks in one respect: a ``label``, like ``It applies where``, and a phrase."""

    label: str
    phrase: Phrase


COMPARED: dict[type[nodes.Expression], str] = {
    nodes.EQ: " is ", nodes.NEQ: " is not ", nodes.LT: " is below ", nodes.LTE: " is at most ", nodes.GT: " is above ",
    nodes.GTE: " is at least ", nodes.Add: " + ", nodes.Sub: " - ", nodes.Mul: " × ", nodes.Div: " / ",
    nodes.And: " and ", nodes.Or: " or ",
}  # fmt: skip
"""What stands between the sides of an operator."""


HOW_MANY, HOW_MANY_OF = "how many remain", "how many remain of which "
"""What COUNT_IF is called, of all and where a condition holds."""


def word_condition(tree: Expression) -> Phrase:
    """Put a condition in words: what has to hold together, or otherwise, as parts; anything else in one phrase."""
    match tree:
        case nodes.Paren():
            return word_condition(tree.this)
        case nodes.And():
            return Phrase(_text("all of these hold"), tuple(map(word_condition, _chain(tree, nodes.And))))
        case nodes.Or():
            return Phrase(_text("at least one of these holds"), tuple(map(word_condition, _chain(tree, nodes.Or))))
        case nodes.Not() if isinstance(_inner(tree.this), nodes.And | nodes.Or | nodes.Case):
            return Phrase(_text("this does not hold"), (word_condition(tree.this),))
        case nodes.Case():
            return Phrase(_text("the first of these that fits"), tuple(_branches(tree)))
        case nodes.Boolean():
            return Phrase(_text("always" if tree.this else "never"))
        case nodes.Column():
            return Phrase((*_words(tree), Piece("text", " holds")))
    return Phrase(tuple(_words(tree)))


def word_law(tree: Expression) -> Phrase:
    """Put the condition of a law in words: it counts all that there are, and not those that remain."""
    return _counting_all(word_condition(tree))


def _counting_all(phrase: Phrase) -> Phrase:
    counted = {HOW_MANY: "the number of all", HOW_MANY_OF: "the number of those of which "}
    pieces = tuple(each._replace(text=counted.get(each.text, each.text)) for each in phrase.pieces)
    return Phrase(pieces, tuple(map(_counting_all, phrase.parts)))


def word_value(tree: Expression) -> Phrase:
    """Put an expression in words that stands for a value, and not for a condition that has to hold."""
    if isinstance(tree, nodes.Column | nodes.Boolean):
        return Phrase(tuple(_words(tree)))
    return word_condition(tree)


def _text(said: str) -> tuple[Piece, ...]:
    return (Piece("text", said),)


def _inner(tree: Expression) -> Expression:
    while isinstance(tree, nodes.Paren):
        tree = tree.this
    return tree


def _chain(tree: Expression, kind: type[nodes.Binary]) -> Iterator[Expression]:
    """What one operator joins, in order."""
    waiting = [tree]
    while waiting:
        found = _inner(waiting.pop())
        if isinstance(found, kind):
            waiting += (found.expression, found.this)
        else:
            yield found


def _branches(tree: nodes.Case) -> Iterator[Phrase]:
    for branch in tree.branches:
        asked = word_condition(branch.when)
        found = (*_words(branch.then), Piece("text", ", where "))
        yield Phrase((*found, *asked.pieces), asked.parts)
    yield Phrase((*_words(tree.default), Piece("text", " otherwise")))


def _words(tree: Expression) -> Iterator[Piece]:
    """An expression in one line."""
    match tree:
        case nodes.Paren():
            yield from _enclosed(tree.this)
        case nodes.Column():
            yield Piece("name", tree.name)
        case nodes.Literal():
            yield Piece("value", str(tree.this)) if tree.this != "" else Piece("text", "blank")
        case nodes.Boolean():
            yield Piece("value", "true" if tree.this else "false")
        case nodes.Not():
            yield from _negated(tree.this)
        case nodes.In():
            yield from _listed(tree, " is one of ")
        case nodes.ArrayContains():
            yield from (*_words(tree.this), Piece("text", " has "), *_words(tree.expression))
        case nodes.CountIf():
            yield from _counted(tree.this)
        case nodes.Floor():
            yield from (*_text("the whole number at or below "), *_words(tree.this))
        case nodes.Case():
            yield from _inline_branches(tree)
        case nodes.Binary():
            yield from (*_side(tree.this), Piece("text", COMPARED[type(tree)]), *_side(tree.expression))


def _side(tree: Expression) -> Iterator[Piece]:
    yield from _enclosed(tree) if isinstance(tree, nodes.Case) else _words(tree)


def _enclosed(tree: Expression) -> Iterator[Piece]:
    yield from (Piece("text", "("), *_words(tree), Piece("text", ")"))


def _counted(tree: Expression) -> Iterator[Piece]:
    """``COUNT_IF``; of all where the condition is true."""
    if isinstance(tree, nodes.Boolean) and tree.this:
        yield Piece("text", HOW_MANY)
    else:
        yield from (*_text(HOW_MANY_OF), *_words(tree))


def _negated(tree: Expression) -> Iterator[Piece]:
    match _inner(tree):
        case nodes.In() as listed:
            yield from _listed(listed, " is none of ")
        case nodes.Column() as column:
            yield from (Piece("name", column.name), Piece("text", " does not hold"))
        case nodes.ArrayContains() as listing:
            yield from (*_words(listing.this), Piece("text", " does not have "), *_words(listing.expression))
        case other if isinstance(other, nodes.LT | nodes.LTE | nodes.GT | nodes.GTE):
            between = COMPARED[type(other)].replace(" is ", " is not ")
            yield from (*_side(other.this), Piece("text", between), *_side(other.expression))
        case other:
            yield from (Piece("text", "it is not so that "), *_words(other))


def _listed(tree: nodes.In, between: str) -> Iterator[Piece]:
    yield from (*_words(tree.this), Piece("text", between))
    for at, each in enumerate(tree.expressions):
        yield from (*(_text(", ") if at else ()), *_words(each))


def _inline_branches(tree: nodes.Case) -> Iterator[Piece]:
    for branch in tree.branches:
        yield from (*_words(branch.then), *_text(" where "), *_words(branch.when), *_text("; "))
    yield from (*_words(tree.default), *_text(" otherwise"))


TIES: dict[Ties, str] = {
    "first-listed": "the one listed first", "last-listed": "the one listed last", "all": "all of them",
}  # fmt: skip
"""Who of several equals it is."""


OF_WHOM = {"situation": "", "chosen": " of the chosen one", "every": " of each one"}
"""Of whom a rule derives facts."""


def describe_action(rule: Rule) -> tuple[Saying, ...]:
    """Describe when a rule applies and what it does then, in words."""
    when = [] if rule.when is None else [Saying("It applies where", word_condition(rule.when))]
    return (*when, *_says_action(rule), *_says_texts(rule))


def _says_action(rule: Rule) -> Iterator[Saying]:
    match rule.action:
        case Eliminate(where=where):
            yield Saying("It eliminates each of which this holds", word_condition(where))
        case SetAside(where=where):
            yield Saying("It sets aside each of which this holds; a later rule may take it back", word_condition(where))
        case TakeBack(where=where):
            yield Saying("It takes back each of those set aside of which this holds", word_condition(where))
        case Keep():
            yield from _says_keep(rule.action)
        case Choose(where=where, by=by, ties=ties):
            yield from [] if where is None else [Saying("It chooses one of which this holds", word_condition(where))]
            yield from (Saying("It chooses the first by, from low to high", word_value(each)) for each in by)
            yield Saying("Of equals it is", Phrase(_text(TIES[ties])))
        case OrderBy(by=keys):
            for tree, descending in keys:
                yield Saying(f"It lists them by, from {'high' if descending else 'low'}", word_value(tree))
        case Derive(of=of, values=values):
            yield from _says_facts(values, OF_WHOM[of])
        case Settle(values=values):
            yield from _says_facts(values, ", as the answer")
        case FailWith(reason=reason, call=call):
            yield Saying("It ends the call with", Phrase((Piece("value", reason),)))
            yield Saying("The call that ends is", word_value(call))
        case Condition(when=holds):
            yield Saying("Its condition is", word_condition(holds))
        case Conclude(fact=fact, needs=needs):
            rules = tuple(Phrase((Piece("rule", each),)) for each in needs)
            yield Saying("It concludes", Phrase((Piece("name", fact), *_text(" if none of these fails")), rules))


def _says_keep(action: Keep) -> Iterator[Saying]:
    if action.among is not None:
        yield Saying("It looks at those of which this holds", word_condition(action.among))
    if action.per is not None:
        yield Saying("They compete within groups of the same", Phrase((Piece("name", action.per),)))
    yield Saying(f"It keeps those with the {action.best}", word_value(action.by))
    if action.at_most is not None:
        yield Saying("So many are kept at most", word_value(action.at_most))
        yield Saying("Of equals at that limit it keeps", Phrase(_text(TIES[action.ties])))
    for name in action.counts:
        yield Saying("The limit counts as one those with the same", Phrase((Piece("name", name),)))


def _says_facts(values: Iterable[tuple[str, Expression]], of: str) -> Iterator[Saying]:
    for name, tree in values:
        yield Saying(f"It says {name}{of}", word_value(tree))


def _says_texts(rule: Rule) -> Iterator[Saying]:
    if rule.because is not None:
        yield Saying("It explains", word_template(rule.because))
    if rule.remark:
        yield Saying("It remarks", word_template(MessageTemplate(rule.remark)))


def word_template(text: MessageTemplate) -> Phrase:
    """Return a text of a rule as a phrase, whose words in braces are names."""
    found = list[Piece]()
    for part in text.parts():
        found += [Piece("text", part.literal)] if part.literal else []
        found += [Piece("name", part.name)] if part.name else []
    return Phrase(tuple(found))
