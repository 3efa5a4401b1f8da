"""``mqclause order``: the messages of each queue in physical and in logical order, side by side."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import click

from mqclause.model.configuration.sources import Source
from mqclause.retrieval.order import Retrieval, describe_unknown_queue, list_local_queues
from mqclause.tools.commands.options import Inputs, group_options
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.render.order import render_next_gets, render_order
from mqclause.tools.render.streams import print_json, print_warnings


@group_options(inputs=Inputs)
def show_order(inputs: Inputs, queue: str | None, as_json: bool) -> int:
    """Show in which order messages come, and return the exit status. Raises FactsError and NothingAskedError."""
    files = inputs.read_sources()
    with pause_garbage_collection():
        return print_orders(files, inputs, queue, as_json)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause the collector: a million messages are in no cycle, and seeking one takes half the time."""
    sought = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if sought:
            gc.enable()


def print_orders(files: list[Source], inputs: Inputs, queue: str | None, as_json: bool) -> int:
    """Print the order of each queue that has messages, or of the one that is named.

    Raises FactsError, and NothingAskedError for a name that is no local queue.

    The list of files is empty after it: what a million messages were read from takes as much room as they do.
    """
    rules, snapshot = inputs.load_rules(), inputs.build_snapshot(files)
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
