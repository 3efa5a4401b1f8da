"""``mqclause order``: the messages of each queue in physical and in logical order, side by side."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.retrieval.order import Retrieval, describe_unknown_queue, list_local_queues
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import (
    add_facts_options,
    add_rules_options,
    apply_what_if,
    facts_argument,
    json_option,
    load_rules,
    read_inputs,
    reading_option,
)
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.render.order import render_next_gets, render_order
from mqclause.tools.render.streams import print_json, print_warnings


@click.command("order")
@facts_argument
@click.option("--queue", metavar="QUEUE", help="Show this queue alone.")
@add_facts_options()
@json_option
@reading_option
@add_rules_options
def command(
    facts: tuple[str, ...], queue: str | None, readings: tuple[str, ...], edition: str | None, **options: Any
) -> int:
    """Show in which order a queue's messages come, and why some of them do not.

    FACTS are facts files with [[message]] tables and any other input; - is standard input. There is one answer for each
    queue that has messages. Exit status: 0, or 2 for bad input.
    """
    given = read_inputs(facts, options.pop("overlays"), options.pop("named_format"))
    with pause_garbage_collection():
        return print_orders(given, queue, load_rules(readings, edition), **options)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """The collector rests meanwhile: a message is in no cycle, and seeking any among a million takes half the time."""
    sought = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if sought:
            gc.enable()


def print_orders(
    files: list[Source],
    queue: str | None,
    rules: Rules,
    local: str | None,
    as_json: bool,
    lenient: bool,
    sets: Sequence[str] = (),
    states: Sequence[str] = (),
) -> int:
    """Prints the order of each queue that has messages, or of the one that is named. Raises FactsError, and
    NothingAskedError for a name that is no local queue.

    The list of files is empty after it: what a million messages were read from takes as much room as they do.
    """
    snapshot = apply_what_if(read_sources(files, local, lenient), sets, states)
    messages, cluster = snapshot.messages, snapshot.cluster
    print_warnings(snapshot.warnings, snapshot.remarks)
    del snapshot
    files.clear()
    retrieval = Retrieval(rules)
    known, asked = list_local_queues(cluster), queue.rstrip(" ") if queue is not None else None
    if asked is not None and asked not in known:
        raise NothingAskedError(f"--queue: {describe_unknown_queue(asked, known)}")
    found = retrieval.orders(messages, cluster, asked)
    if as_json:
        for each in found:
            print_json(each.to_json())
        return 0
    if not messages and queue is None:
        click.echo("the facts have no [[message]]")
        unseen = [each.name for each in known.values() if each.curdepth]
        if unseen:
            named = f"{', '.join(unseen[:4])}{' and others' if unseen[4:] else ''}"
            click.echo(f"messages are on {named}; --queue QUEUE says how to give them")
    for place, each in enumerate(found):
        gets = () if each.incomplete else render_next_gets(retrieval, cluster, messages, each.queue.name)
        shown = [*render_order(each), *gets]
        click.echo("\n".join([*[""] * (place > 0), *shown]))
    return 0
