"""The facts of facts documents with their places: tables, and the keys in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from mqclause.model.assembly.provenance import FactT, Origin, Placed
from mqclause.model.diagnostic import Diagnostic, quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.message import misplaced
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import LIST_TABLES, UNKNOWABLE, Facts


def placed_table(fact: FactT, document: FactsDocument, table: str) -> Placed[FactT]:
    """The fact of a table that stands once."""
    return Placed(fact, document.source, None, partial(_origin, document, (table,)), table)


def placed_rows(facts: Facts, document: FactsDocument) -> Iterator[Placed[Any]]:
    """The facts of the lists of ``document``, which ``facts`` was made of."""
    for name, table in LIST_TABLES.items():
        for position, fact in enumerate(getattr(facts, name)):
            origin = partial(_origin, document, (table, position))
            yield Placed(fact, document.source, None, origin, f"{table} {position + 1}")


def misplaced_messages(files: Iterable[tuple[Facts, FactsDocument]], cluster: Cluster) -> Iterator[Diagnostic]:
    """What is wrong with messages of facts documents, seen from the queues of ``cluster`` and from one another."""
    listed = [(document, at, each) for facts, document in files for at, each in enumerate(facts.messages)]
    for found, message in misplaced([each for _, _, each in listed], cluster):
        document, at, wrong = listed[found]
        place = document.places.place_of("message", at)
        yield Diagnostic(document.source, f"message {at + 1} {quoted(wrong.id)}: {message}", *place)


def placed_facts(facts: Facts, document: FactsDocument) -> Iterator[Placed[Any]]:
    """Every fact of ``document``, and its put."""
    if facts.queue_manager is not None:
        yield placed_table(facts.queue_manager, document, "queue_manager")
    yield from placed_rows(facts, document)
    if facts.put is not None:
        yield placed_table(facts.put, document, "put")


def _origin(document: FactsDocument, path: tuple[str | int, ...], attribute: str) -> Origin:
    """A key that is left out is defaulted; a queue without queue_manager is on the local one."""
    given = document.data
    for step in path:
        given = given[step]
    if attribute in given:
        return Origin("stated", document.source, *document.places.place_of(*path, attribute))
    if path[0] in UNKNOWABLE.get(attribute, ()) and given["name"] in document.data.get("unknown", {}).get(
        attribute, ()
    ):
        return Origin("unknown", document.source, *document.places.place_of("unknown", attribute))
    return Origin("defaulted", document.source, *document.places.place_of(*path))
