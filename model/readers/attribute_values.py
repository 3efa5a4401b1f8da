"""The attributes of records: of many that state the same ones, most values are the same, and are kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, count
from operator import ne
from typing import Any, TypeVar

from attrs import define, field, frozen

from mqclause.model.readers.kept import Kept

ValueT = TypeVar("ValueT")

BETWEEN = "\0"
"""What stands between values that are kept as one text: it is in hardly any of them."""


def _unchanged(given: Any) -> Any:
    return given


@define(eq=False)
class SameNames:
    """The attribute ``names`` that many records state, and the values of the first of them.

    ``make`` makes a value of what is given for it.
    """

    names: Sequence[str]
    make: Callable[[Any], Any] = _unchanged
    _first: tuple[Any, ...] | None = None
    _shapes: Kept = field(init=False)

    def values(self, given: Sequence[Any]) -> AttributeValues[Any]:
        """The attributes of one record, for whose names these values are given in their order."""
        if self._first is None:
            self._first = tuple(given)
            made = dict(zip(self.names, map(self.make, given), strict=True))
            self._shapes = Kept(lambda places: _Shape(made, {self.names[at]: of for of, at in enumerate(places)}))
        places = tuple(compress(count(), map(ne, given, self._first)))
        return AttributeValues(self._shapes[places], _as_one([*map(self.make, map(given.__getitem__, places))]))


@frozen(eq=False)
class _Shape:
    """The values of the first record, and at which place the values stand that another one has in their stead."""

    first: Mapping[str, Any]
    places: Mapping[str, int]


class AttributeValues(Mapping[str, ValueT]):
    """Attributes by name: what the first record states that has the same names, and what is otherwise in this one."""

    __slots__ = ("_others", "_shape")

    def __init__(self, shape: _Shape, others: str | tuple[ValueT, ...]) -> None:
        self._shape = shape
        self._others = others

    def __getitem__(self, name: str) -> ValueT:
        shape, others = self._shape, self._others
        value: ValueT
        if name in shape.places:
            values: Sequence[Any] = others.split(BETWEEN) if isinstance(others, str) else others
            value = values[shape.places[name]]
        else:
            value = shape.first[name]
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._shape.first)

    def __len__(self) -> int:
        return len(self._shape.first)

    def __contains__(self, name: object) -> bool:
        return name in self._shape.first

    def __repr__(self) -> str:
        return repr(dict(self))


def _as_one(values: Sequence[Any]) -> str | tuple[Any, ...]:
    """The values as one text, which takes less room than many; as they are where one is a list, or has the sign."""
    if not all(type(each) is str for each in values):
        return tuple(values)
    text = BETWEEN.join(values)
    return text if text.count(BETWEEN) < max(len(values), 1) else tuple(values)
