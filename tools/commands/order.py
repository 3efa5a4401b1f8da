"""``mqclause order``: the messages of each queue in physical and in logical order, side by side, and the next get."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from mqclause.model.facts.objects import Queue
from mqclause.render.order import render_next_gets, render_order
from mqclause.retrieval.order import Retrieval, describe_unknown_queue, list_local_queues
from mqclause.tools.commands.options import Inputs, group_options
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.output import print_json, print_rows, print_warnings

PLACE_COLUMNS = ("queue", "order", "place", "message")


def build_place_rows(orders: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Build a row for each message in each order of its queue."""
    for each in orders:
        for order in ("physical", "logical"):
            for place, message in enumerate(each[order], 1):
                yield {"queue": each["queue"], "order": order, "place": place, "message": message}


def describe_no_messages(queues: Iterable[Queue]) -> str:
    """Say that there is nothing to order, and which queues have messages that the facts do not list."""
    unseen = [each.name for each in queues if each.curdepth]
    named = f"{', '.join(unseen[:4])}{' and others' if unseen[4:] else ''}"
    more = f"; messages are on {named}; --queue QUEUE says how to give them" if unseen else ""
    return f"the facts have no [[message]]: name a queue with --queue, or give its messages{more}"


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


@group_options(inputs=Inputs)
@pause_garbage_collection()
def show_order(inputs: Inputs, queue: str | None, as_json: bool, as_csv: bool) -> int:
    """Show the order of each queue that has messages, or of the one that is named, and return the exit status.

    Raises FactsError, and NothingAskedError for a name that is no local queue.
    """
    files = inputs.read_sources()
    rules, snapshot = inputs.load_rules(), inputs.build_snapshot(files)
    messages, cluster = snapshot.messages, snapshot.cluster
    print_warnings(snapshot.warnings, snapshot.remarks)
    # What a million messages were read from takes as much room as they do.
    del snapshot, files
    retrieval = Retrieval(rules)
    known, asked = list_local_queues(cluster), queue.rstrip(" ") if queue is not None else None
    if asked is not None and asked not in known:
        raise NothingAskedError(f"--queue: {describe_unknown_queue(asked, known)}")
    if not messages and queue is None:
        raise NothingAskedError(describe_no_messages(known.values()))
    found = retrieval.orders(messages, cluster, asked)
    if as_json:
        for each in found:
            print_json(each.to_json())
        return 0
    if as_csv:
        print_rows(PLACE_COLUMNS, build_place_rows(each.to_json() for each in found))
        return 0
    for place, each in enumerate(found):
        gets = () if each.incomplete else render_next_gets(retrieval, cluster, messages, each.queue.name)
        shown = [*render_order(each), *gets]
        click.echo("\n".join([*[""] * (place > 0), *shown]))
    return 0
