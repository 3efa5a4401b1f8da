"""Bindings: names for the values of trees, each evaluated once and used by those after it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from attrs import define, field, frozen
from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.tables.functions import PREFIX, column


@define
class Bindings:
    """Collects bindings in order. A tree is copied when it is bound, so trees may share what they are built of."""

    found: dict[str, Node] = field(factory=dict)
    _made: dict[Node, str] = field(factory=dict)

    def bind(self, name: str, tree: Node) -> Node:
        """Binds ``tree`` to a variation of ``name``, unless it is a binding itself; returns the binding as a column."""
        if isinstance(tree, exp.Column) and tree.name in self.found:
            return tree
        unique, number = f"{PREFIX}{name}", 1
        while unique in self.found:
            number += 1
            unique = f"{PREFIX}{name}_{number}"
        self.found[unique] = kept = tree.copy()
        self._made.setdefault(kept, unique)
        return column(unique)

    def same(self, name: str, tree: Node) -> Node:
        """The binding that is made of an equal tree already, or a new one."""
        made = self._made.get(tree)
        return column(made) if made else self.bind(name, tree)

    def once(self, name: str, tree: Node) -> Node:
        """The binding of exactly that name, made of ``tree`` if it is not there yet."""
        return column(f"{PREFIX}{name}") if f"{PREFIX}{name}" in self.found else self.bind(name, tree)

    def spelt_out(self, tree: Node) -> Node:
        """The tree over the columns of the row alone: each binding is replaced by what it is made of."""

        def made_of(node: Node) -> Node:
            is_bound = isinstance(node, exp.Column) and node.name in self.found
            return self.spelt_out(self.found[node.name]) if is_bound else node

        return tree.copy().transform(made_of)


@frozen(eq=False)
class Plan:
    """What answers a row: ``bindings`` in order, each over the columns of the row and those before, and a struct.

    ``made`` are the names of the bindings that each rule made, by its id; several rules may be one pass. ``legend``
    says of each packed word how it stands in the number that is a subject.
    """

    bindings: Mapping[str, Node]
    answer: Mapping[str, Node]
    made: Mapping[str, Collection[str]] = field(factory=dict)
    legend: Mapping[str, str] = field(factory=dict)

    def levels(self) -> list[dict[str, Node]]:
        """The bindings in groups: those of one need nothing of each other, only of the groups before."""
        level: dict[str, int] = {}
        groups: list[dict[str, Node]] = []
        for name, tree in self.bindings.items():
            level[name] = 1 + max((level[used] for used in names_in([tree], level)), default=-1)
            if level[name] == len(groups):
                groups.append({})
            groups[level[name]][name] = tree
        return groups


def names_in(trees: Iterable[Node], known: Collection[str]) -> Iterator[str]:
    """The bindings that trees use; a binding may be a struct, of which they use a field."""
    for tree in trees:
        for each in tree.find_all(exp.Column):
            name = each.parts[0].name
            if name in known:
                yield name
