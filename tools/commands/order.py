"""``mqclause order``: the messages of each queue in physical and in logical order, side by side."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from mqclause.answers.order.retrieval import Retrieval, local_queues, not_local
from mqclause.model.assembly.snapshot import read_sources
from mqclause.model.assembly.source import Source
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.inputs import facts_options, sources, what_if
from mqclause.tools.commands.options import facts_argument, json_option, reading_option, rules_by, rules_options
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.render.side_by_side import next_get_lines, order_lines
from mqclause.tools.render.streams import print_json, print_warnings


@click.command("order")
@facts_argument
@click.option("--queue", metavar="QUEUE", help="This queue alone.")
@facts_options()
@json_option
@reading_option
@rules_options
def command(
    facts: tuple[str, ...], queue: str | None, readings: tuple[str, ...], edition: str | None, **options: Any
) -> int:
    """In which order do a queue's messages come, and why do some not come at all?

    FACTS are facts files with [[message]] tables, beside any others that mqclause reads; - is standard input. One
    answer for each queue that has messages. Exit status: 0, or 2 for bad input.
    """
    given = sources(facts, options.pop("overlays"), options.pop("named_format"))
    with no_cycles_sought():
        return order_files(given, queue, rules_by(readings, edition), **options)


@contextmanager
def no_cycles_sought() -> Iterator[None]:
    """The collector rests meanwhile: a message is in no cycle, and seeking any among a million takes half the time."""
    sought = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if sought:
            gc.enable()


def order_files(
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
    snapshot = what_if(read_sources(files, local, lenient), sets, states)
    messages, cluster = snapshot.messages, snapshot.cluster
    print_warnings(snapshot.warnings, snapshot.remarks)
    del snapshot
    files.clear()
    retrieval = Retrieval(rules)
    known, asked = local_queues(cluster), queue.rstrip(" ") if queue is not None else None
    if asked is not None and asked not in known:
        raise NothingAskedError(f"--queue: {not_local(asked, known)}")
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
        gets = () if each.incomplete else next_get_lines(retrieval, cluster, messages, each.queue.name)
        shown = [*order_lines(each), *gets]
        click.echo("\n".join([*[""] * (place > 0), *shown]))
    return 0
