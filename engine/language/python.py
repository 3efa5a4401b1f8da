"""Expression trees as Python source. Only checked trees come here, so the source holds nothing but the language."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.language.parse import literal_value
from mqclause.language.vocabulary import Vocabulary

OPERATORS: dict[type[exp.Expression], str] = {
    exp.And: "and", exp.Or: "or", exp.EQ: "==", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">",
    exp.GTE: ">=", exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/",
}  # fmt: skip
SEQUENCE = {"dest_seq_factor": 0, "dest_seq_number": 1}
"""The attributes that live in a channel's counter, by their place in it."""


@frozen
class Names:
    """How a word is written in the generated source.

    ``destination`` is the variable that holds the destination, ``facts`` writes a derived fact,
    ``counters`` says whether sequence attributes come from the counters that the caller passes in (``C``).
    """

    vocabulary: Vocabulary
    destination: str = "d"
    counters: bool = False
    overridden: frozenset[str] = frozenset()
    facts: Callable[[str], str] = "v_{}".format

    def of(self, name: str) -> str:
        word = self.vocabulary.words[name]
        if word.about == "destination":
            return self._of_destination(name)
        return self.facts(name) if word.is_derived else f"s.{name}"

    def _of_destination(self, word: str) -> str:
        source = f"{self.destination}.{word}"
        if word in SEQUENCE and self.counters:
            source = f"C.get({self.destination}.counter, START)[{SEQUENCE[word]}]"
        return f"({source} if e_{word} is None else e_{word})" if word in self.overridden else source

    def at(self, destination: str) -> Names:
        """The same names about a destination in another variable."""
        return evolve(self, destination=destination)


def python_source(tree: exp.Expression, names: Names) -> str:
    """``tree`` as one Python expression over ``s`` (the situation), ``R`` (who remains) and a destination."""
    operator = OPERATORS.get(type(tree))
    if operator is not None:
        return f"({python_source(tree.this, names)} {operator} {python_source(tree.expression, names)})"
    match tree:
        case exp.Paren():
            return python_source(tree.this, names)
        case exp.Column():
            term = names.vocabulary.terms.get(tree.name)
            return names.of(tree.name) if term is None else python_source(term, names)
        case exp.Boolean():
            return str(bool(tree.this))
        case exp.Literal():
            return repr(literal_value(tree))
        case exp.Not():
            return f"(not {python_source(tree.this, names)})"
        case exp.In():
            listed = {literal_value(value) for value in tree.expressions}
            return f"({python_source(tree.this, names)} in {{{', '.join(map(repr, sorted(listed, key=str)))}}})"
        case exp.Case():
            return _case(tree, names)
        case exp.Floor():
            return f"floor({python_source(tree.this, names)})"
        case exp.ArrayContains():
            return f"({python_source(tree.expression, names)} in {python_source(tree.this, names)})"
        case exp.CountIf():
            return _count(tree, names)
    raise TypeError(f"{tree.sql()!r} has no Python source")


def _case(tree: exp.Case, names: Names) -> str:
    source = python_source(tree.args["default"], names)
    for branch in reversed(tree.args["ifs"]):
        source = f"({python_source(branch.args['true'], names)} if {python_source(branch.this, names)} else {source})"
    return source


def _count(tree: exp.CountIf, names: Names) -> str:
    if isinstance(tree.this, exp.Boolean) and tree.this.this:
        return "len(R)"
    return f"len([1 for d in R if {python_source(tree.this, names.at('d'))}])"
