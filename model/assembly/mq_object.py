"""One MQ object: the statements about it, in their order, and the fields of facts that they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.model.assembly.attributes import MOMENTARY, description, stating
from mqclause.model.assembly.provenance import FactT, How, Origin, Placed
from mqclause.model.readers.record import Record, Value, listed

OPPOSITE_FLAGS = {"TRIGGER": "NOTRIGGER", "NOTRIGGER": "TRIGGER"}


LISTS_BESIDE = (("CLUSTER", "CLUSNL"), ("REPOS", "REPOSNL"))
"""Attributes that name one cluster, and those that name a list of them: one at most is not blank."""

MOST_STATEMENTS = 50
"""With more of them, those about which later ones say all are left out."""


@define(eq=False, weakref_slot=False)
class MqObject:
    """One object: what states it, the latest last, and those of its attributes that are fields of facts."""

    kind: str
    name: str
    record: Record
    statements: tuple[Record, ...] = ()
    fields: Mapping[str, Any] = field(factory=dict)
    clusters: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The object type; of a channel the channel type."""
        return self.text("CHLTYPE") if self.kind == "CHANNEL" else self.kind

    @property
    def commanded(self) -> set[str]:
        """The attributes that any command names, and the opposites of its flags."""
        by_command = (record.attributes for record in self.statements if record.action != "observe")
        found = {name for names in by_command for name in names}
        return found | {OPPOSITE_FLAGS[name] for name in OPPOSITE_FLAGS if name in found}

    def stating(self, attribute: str) -> Record | None:
        """The statement that gives ``attribute`` its value; None if none does."""
        opposite = OPPOSITE_FLAGS.get(attribute)
        for record in reversed(self.statements):
            if attribute in record.attributes:
                return record
            if opposite in record.attributes:
                return None
        return None

    def value(self, attribute: str) -> Value:
        """The value of ``attribute``; blank if it is not stated."""
        record = self.stating(attribute)
        return record.attributes[attribute] if record else ""

    def text(self, attribute: str) -> str:
        """The value of ``attribute`` without trailing blanks; blank if it is not stated."""
        value = self.value(attribute)
        return value.rstrip(" ") if isinstance(value, str) else " ".join(listed(value))

    def take(self, record: Record, found: Mapping[str, Any]) -> None:
        """Set what ``record`` states; ``found`` has its values that are fields of facts."""
        self.statements = (*self.statements, record)
        if len(self.statements) > MOST_STATEMENTS:
            self.statements = _still_deciding(self.statements)
        # what is found is the same object for all that state the same
        self.fields = found if self.fields.keys() <= found.keys() else {**self.fields, **found}

    def fields_of_queue(self) -> Mapping[str, Any]:
        """The fields with the description."""
        by = self.stating("DESCR")
        return {**self.fields, "descr": description(by.attributes["DESCR"])} if by else self.fields

    def copy(self, record: Record) -> MqObject:
        """An object of ``record``'s kind and name with this one's attributes, but not its disposition."""
        kept = {name: value for name, value in self.fields.items() if name != "shared"}
        statements = [only(each, [name for name in each.attributes if name != "QSGDISP"]) for each in self.statements]
        return MqObject(record.kind, record.name, record, tuple(statements), kept)

    def origin(self, field: str) -> Origin:
        """Where ``field`` of a fact that is made of this object comes from, or what its dump shows besides."""
        shown = MOMENTARY.get(field, field) if self.kind == "QLOCAL" else field
        if shown in self.record.informational:
            return Origin("observed", self.record.source, *self.record.place_of(shown))
        by = self.stating(shown) if shown != field else None
        if by:
            return Origin("observed", by.source, *by.place_of(shown))
        how: How = _how(self.record) if field in ("name", "type") else "defaulted"
        names = stating(self.kind, field)
        known = None if self._may_be_listed(names) else self.origin_of(*names)
        return known or Origin(how, self.record.source, self.record.line)

    def _may_be_listed(self, names: tuple[str, ...]) -> bool:
        """Whether a display shows one of two attributes blank that tell the same, and the other one not at all."""
        if names not in LISTS_BESIDE or self.record.action != "observe" or any(map(self.text, names)):
            return False
        return any(self.stating(each) is None for each in names)

    def origin_of(self, *attributes: str) -> Origin | None:
        """Where the first of ``attributes`` that is stated stands; one that is not blank comes before a blank one."""
        stated = [(name, record) for name in attributes if (record := self.stating(name))]
        for name, record in sorted(stated, key=lambda each: not self.text(each[0]))[:1]:
            return Origin(_how(record), record.source, *record.place_of(name))
        return None


Origins = Mapping[str, Origin | None]
"""The origins of what other statements say of an object, by field of the fact."""

NOTHING_ELSE: Origins = {}  # a dict, which pickles


def placed_fact(fact: FactT, found: MqObject, known: Origins = NOTHING_ELSE) -> Placed[FactT]:
    """A fact that is made of one object."""
    return Placed(fact, found.record.source, found.record.line, _OriginOf(found, known))


@frozen(eq=False, weakref_slot=False)
class _OriginOf:
    found: MqObject
    known: Origins

    def __call__(self, attribute: str) -> Origin:
        return self.known.get(attribute) or self.found.origin(attribute)


def _how(record: Record) -> How:
    return "observed" if record.action == "observe" else "stated"


def _still_deciding(statements: Sequence[Record]) -> tuple[Record, ...]:
    """The statements that are the latest about some attribute."""
    seen: set[str] = set()
    kept = []
    for record in reversed(statements):
        if not record.attributes.keys() <= seen:
            kept.append(record)
            seen |= record.attributes.keys()
    return tuple(reversed(kept))


def only(record: Record, names: Sequence[str]) -> Record:
    """``record`` with the attributes ``names`` alone, which it has."""
    if len(names) == len(record.attributes):
        return record
    attributes = {name: record.attributes[name] for name in names}
    stated = dict(zip(record.attributes, record.places, strict=False))
    return evolve(record, attributes=attributes, places=[stated[name] for name in names] if stated else ())
