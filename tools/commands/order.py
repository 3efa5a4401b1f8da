"""``mqclause order``: the messages of each queue in physical and in logical order, side by side."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import click

from mqclause.answers.order.retrieval import QueueOrder, Retrieval
from mqclause.answers.order.retrieval_calls import next_get
from mqclause.model.assembly.snapshot import read_sources
from mqclause.model.assembly.source import Source
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.message import Message
from mqclause.model.facts.retrieval import QueuedMessage
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.inputs import facts_options, sources, what_if
from mqclause.tools.commands.options import (
    edition_option,
    json_option,
    reading_option,
    rules_by,
)
from mqclause.tools.render.streams import print_json, print_warnings

USUAL_OPTIONS = ((), ("LOGICAL_ORDER",), ("LOGICAL_ORDER", "ALL_MSGS_AVAILABLE"), ("COMPLETE_MSG",))
"""What a next get is shown with."""


@click.command("order")
@click.argument("facts", nargs=-1)
@click.option("--queue", metavar="QUEUE", help="This queue alone.")
@facts_options()
@json_option
@reading_option
@edition_option
def command(
    facts: tuple[str, ...], queue: str | None, readings: tuple[str, ...], edition: str | None, **options: Any
) -> int:
    """In which order do a queue's messages come, and why do some not come at all?

    FACTS are facts files with [[message]] tables, beside any others that mqclause reads; - is standard input. One
    answer for each queue that has messages. Exit status: 0, or 2 for bad input.
    """
    given = sources(facts, options.pop("overlays"), options.pop("named_format"))
    return order_files(given, queue, rules_by(readings, edition), **options)


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
    """Prints the order of each queue that has messages, or of the one that is named. Raises FactsError.

    The list of files is empty after it: what a million messages were read from takes as much room as they do.
    """
    # Nothing here is cyclic, and looking for cycles among a million messages takes half the time.
    gc.disable()
    snapshot = what_if(read_sources(files, local, lenient), sets, states)
    messages, cluster = snapshot.messages, snapshot.cluster
    print_warnings(snapshot.warnings, snapshot.remarks)
    del snapshot
    files.clear()
    retrieval = Retrieval(rules)
    found = retrieval.orders(messages, cluster, queue.rstrip(" ") if queue is not None else None)
    if as_json:
        for each in found:
            print_json(each.to_json())
        return 0
    if not messages and queue is None:
        click.echo("the facts have no [[message]]")
    for place, each in enumerate(found):
        shown = [*order_lines(each), *next_get_lines(retrieval, cluster, messages, each.queue.name)]
        click.echo("\n".join([*[""] * (place > 0), *shown]))
    return 0


def order_lines(order: QueueOrder) -> Iterator[str]:
    """Both orders side by side, a line a message; then who is left out, and whose order is kept."""
    yield f"{order.queue.name}  MSGDLVSQ({order.queue.msgdlvsq})"
    columns = [
        _column(title, messages) for title, messages in (("physical", order.physical), ("logical", order.logical))
    ]
    widths = [max(map(len, column)) for column in columns]
    number = len(str(max(len(order.physical), len(order.logical))))
    for at, (physical, logical) in enumerate(zip_longest(*columns, fillvalue="")):
        place = str(at) if at else ""
        yield f"{place:>{number}}  {physical:<{widths[0]}}  {logical}".rstrip()
    for each in order.left_out:
        yield f"left out of the {each.of} order: {each.message}: {each.because} ({each.rule.clause})"
    for kept in order.as_put:
        who = kept.by or "the anonymous application"
        said = "keep their order" if kept.guaranteed else f"need not keep their order: {'; '.join(kept.because)}"
        yield f"messages put by {who} {said}"


def next_get_lines(retrieval: Retrieval, cluster: Cluster, messages: Sequence[Message], queue: str) -> Iterator[str]:
    """What the next get returns, under the usual options."""
    for options in USUAL_OPTIONS:
        returned = next_get(retrieval, cluster, messages, queue, options)
        said = " ".join(returned.got) or f"reason {returned.reason}"
        asked = f" with {' '.join(options)}" if options else ""
        yield f"next get{asked}: {said}"


def _column(title: str, messages: Sequence[QueuedMessage]) -> list[str]:
    width = max((len(each.id) for each in messages), default=0)
    return [title, *(f"{each.id:<{width}}  {described(each)}" for each in messages)]


def described(message: QueuedMessage) -> str:
    """A message's priority and its place in its group or segmented message: ``5  Y 3 last  offset 0``."""
    priority = message.defprty if message.fifo else message.priority
    said = [str(priority)]
    if message.in_group:
        said.append(f"{message.group_id} {message.sequence}{' last' if message.last_in_group else ''}")
    if message.segment:
        own = "" if message.in_group else f"{message.group_id} "
        said.append(f"{own}offset {message.offset}{' last' if message.last_segment else ''}")
    return "  ".join(said)
