"""Write conditions as Python source, for the compiled executor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, Literal, Self

from attrs import evolve, field, frozen

from mqclause.language import nodes
from mqclause.language.nodes import Expression, get_literal_value
from mqclause.language.parser import infer_type
from mqclause.language.vocabulary import NAME, Vocabulary

_OPERATORS: dict[type[Expression], str] = {
    nodes.And: "and", nodes.Or: "or", nodes.EQ: "==", nodes.NEQ: "!=", nodes.LT: "<", nodes.LTE: "<=", nodes.GT: ">",
    nodes.GTE: ">=", nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*",
}  # fmt: skip


@frozen
class SourceNames:
    """The spelling of words and values in the generated source.

    ``subject`` is the variable that holds the subject.
    """

    vocabulary: Vocabulary
    subject: str = "d"
    _constants: dict[tuple[type, Any], str] = field(factory=dict, alias="constants")
    _numbers: dict[str, int] = field(factory=dict, alias="numbers")

    def of(self, name: str) -> str:
        """Return the Python source that reads the value of a word."""
        word = self.vocabulary.words[name]
        if word.about == "subject":
            return self.carried(self.subject, name) if word.is_carried else write_attribute(self.subject, name)
        return self.fact(name) if word.is_derived else write_attribute("s", name)

    def fact(self, name: str) -> str:
        """Return the Python source that reads a derived fact."""
        return self.variable("v", name)

    def carried(self, variable: str, name: str) -> str:
        """Return the Python source that reads a value carried from choice to choice, of the subject in a variable."""
        return write_attribute(variable, name)

    def variable(self, letter: str, name: str) -> str:
        """Return the variable that holds what is derived under a name."""
        return f"{letter}{self._numbers.setdefault(name, len(self._numbers))}"

    def constant(self, value: object) -> str:
        """Return the Python source of a value: a number as it is, all else as a name that ``code`` replaces."""
        if type(value) in (bool, int, float):
            return repr(value)
        return f"'{self._constants.setdefault((type(value), value), f'c{len(self._constants)}')}'"

    @property
    def values(self) -> tuple[tuple[type, Any], ...]:
        """The values that sources have by a name, in the order of the names."""
        return tuple(self._constants)

    def code(self, source: str, mode: Literal["exec", "eval"], title: str = "rules") -> CodeType:
        """Compile Python source that was written with these names."""
        return _filled(_code(source, mode, title), {name: value for (_, value), name in self._constants.items()})

    def at(self, subject: str) -> Self:
        """Return these names with the subject in another variable."""
        return evolve(self, subject=subject)


@lru_cache(maxsize=256)
def _code(source: str, mode: str, title: str) -> CodeType:
    """Rules that differ in other documents, or in texts and names, have the same source."""
    return compile(source, f"<{title}>", mode)


def _filled(code: CodeType, constants: Mapping[str, Any]) -> CodeType:
    """The code with the constants in the places that their numbers hold."""

    def filled(value: Any) -> Any:
        match value:
            case str():
                return constants.get(value, value)
            case tuple():
                return tuple(map(filled, value))
            case CodeType():
                return _filled(value, constants)
        return value

    return code.replace(co_consts=tuple(map(filled, code.co_consts)))


def write_attribute(variable: str, name: str) -> str:
    """Write the source of an attribute of a class of ours. Raises ValueError for what is no name."""
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no attribute")
    return f"{variable}.{name}"


def write_python(tree: Expression, names: SourceNames) -> str:
    """Write ``tree`` as one Python expression over ``s`` (the situation), ``R`` (who remains) and a subject."""
    if isinstance(tree, nodes.Div):
        return f"({_dividend(tree.this, names)} / {_dividend(tree.expression, names)})"
    if isinstance(tree, nodes.Binary) and (operator := _OPERATORS.get(type(tree))) is not None:
        return f"({write_python(tree.this, names)} {operator} {write_python(tree.expression, names)})"
    match tree:
        case nodes.Paren():
            return write_python(tree.this, names)
        case nodes.Column():
            term = names.vocabulary.terms.get(tree.name)
            return names.of(tree.name) if term is None else write_python(term, names)
        case nodes.Boolean():
            return str(tree.this)
        case nodes.Literal():
            return names.constant(get_literal_value(tree))
        case nodes.Not():
            return f"(not {write_python(tree.this, names)})"
        case nodes.In():
            listed = names.constant(frozenset(map(get_literal_value, tree.expressions)))
            return f"({write_python(tree.this, names)} in {listed})"
        case nodes.Case():
            return _case(tree, names)
        case nodes.Floor():
            return f"floor({write_python(tree.this, names)})"
        case nodes.ArrayContains():
            return f"({write_python(tree.expression, names)} in {write_python(tree.this, names)})"
        case nodes.CountIf():
            return _count(tree, names)
    raise TypeError(f"{tree.sql()!r} has no Python source")


def _dividend(tree: Expression, names: SourceNames) -> str:
    """A side of a quotient, as SQL has it: a whole number that is very large is rounded before."""
    source = write_python(tree, names)
    return source if infer_type(tree, names.vocabulary, per_subject=True).is_exact else f"float({source})"


def _case(tree: nodes.Case, names: SourceNames) -> str:
    source = write_python(tree.default, names)
    for branch in reversed(tree.branches):
        source = f"({write_python(branch.then, names)} if {write_python(branch.when, names)} else {source})"
    return source


def _count(tree: nodes.CountIf, names: SourceNames) -> str:
    if isinstance(tree.this, nodes.Boolean) and tree.this.this:
        return "len(R)"
    return f"len([1 for d in R if {write_python(tree.this, names.at('d'))}])"
