"""What the rules of one document are about: the one thing that loader, executors and tables know of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Attribute, field, frozen

from mqclause.language.vocabulary import About, Type, WordKind


@frozen
class Carried:
    """What a choice carries from one situation to the next: attributes of a subject that rules may derive anew.

    ``start`` is a named tuple, the values of a subject that was never chosen; its fields are the attributes. ``key``
    is the attribute of a subject that says whose values they are: several subjects may share them.
    """

    key: str
    start: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in the order of the tuple."""
        return tuple(self.start._fields)

    def of(self, values: Mapping[Any, Any]) -> Callable[[Any, str], Any]:
        """The value of an attribute of a subject, by what ``values`` holds for its key."""
        return lambda subject, name: getattr(values.get(getattr(subject, self.key), self.start), name)


@frozen
class RowNames:
    """The columns of a table of this document: a struct, a list of structs, and the struct that is the answer."""

    situation: str = "situation"
    subjects: str = "subjects"
    answer: str = "answer"


def _told_apart(_: object, __: Attribute[type | None], subject: type | None) -> None:
    if subject is not None and getattr(subject, "__eq__", None) is not object.__eq__:
        raise TypeError(f"{subject.__name__} compares by value; subjects are told apart by identity: @frozen(eq=False)")


@frozen(eq=False)
class Declaration:
    """What the rules of one document look at and decide on. ``name`` is the folder of its rules.

    ``situation`` is the class of what they see besides their subjects, ``subject`` that of what they choose from (None:
    nothing). A document that ``follows`` another runs after it on the same situation and subjects, and ``sees`` what
    that one left: facts by name, as expressions over what remained there, or one that it derives, where it does.
    ``row`` names the columns of its tables.
    ``asks`` are the facts that answers are made of, each with what it can be: some rule has to derive each, and where
    any are asked for, rules settle no others. Of a fact that is one of a list of words blank is none and allowed.
    ``terms`` are those that are asked before any rule runs, of which kind they are, and what they speak of alone. One
    that is named as an attribute of the subject is asked once, and rules see what it said; such terms look at what the
    class ``stated`` has, from which that of the subject is made.
    """

    name: str
    situation: type
    subject: type | None = field(default=None, validator=_told_apart)
    carried: Carried | None = None
    follows: Declaration | None = None
    sees: Mapping[str, str] = field(factory=dict)
    row: RowNames = RowNames()
    asks: Mapping[str, Type] = field(factory=dict)
    terms: Mapping[str, tuple[WordKind, About]] = field(factory=dict)
    stated: type | None = None

    @property
    def course(self) -> tuple[Declaration, ...]:
        """The documents that run one after the other, this one last."""
        return (*(self.follows.course if self.follows else ()), self)
