"""Expression trees as Python source. Only checked trees come here, so the source holds nothing but the language."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve, frozen
from sqlglot import exp

from mqclause.language.parse import literal_value
from mqclause.language.vocabulary import Vocabulary

_OPERATORS: dict[type[exp.Expression], str] = {
    exp.And: "and", exp.Or: "or", exp.EQ: "==", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">",
    exp.GTE: ">=", exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/",
}  # fmt: skip


@frozen
class SourceNames:
    """How a word is written in the generated source.

    ``subject`` is the variable that holds the subject, ``facts`` writes a derived fact, ``carried`` an attribute that
    is carried from choice to choice, of the subject in a variable.
    """

    vocabulary: Vocabulary
    facts: Callable[[str], str] = "v_{}".format
    carried: Callable[[str, str], str] = "{}.{}".format
    subject: str = "d"

    def of(self, name: str) -> str:
        """The source of a word's value."""
        word = self.vocabulary.words[name]
        if word.about == "subject":
            return self.carried(self.subject, name) if word.is_carried else f"{self.subject}.{name}"
        return self.facts(name) if word.is_derived else f"s.{name}"

    def at(self, subject: str) -> SourceNames:
        """The same names about a subject in another variable."""
        return evolve(self, subject=subject)


def python_source(tree: exp.Expression, names: SourceNames) -> str:
    """``tree`` as one Python expression over ``s`` (the situation), ``R`` (who remains) and a subject."""
    operator = _OPERATORS.get(type(tree))
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


def _case(tree: exp.Case, names: SourceNames) -> str:
    source = python_source(tree.args["default"], names)
    for branch in reversed(tree.args["ifs"]):
        source = f"({python_source(branch.args['true'], names)} if {python_source(branch.this, names)} else {source})"
    return source


def _count(tree: exp.CountIf, names: SourceNames) -> str:
    if isinstance(tree.this, exp.Boolean) and tree.this.this:
        return "len(R)"
    return f"len([1 for d in R if {python_source(tree.this, names.at('d'))}])"
