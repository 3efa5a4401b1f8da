"""Render the messages of a queue in physical and in logical order, side by side, and what the next get returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.messages import Message, QueuedMessage
from mqclause.retrieval.calls import next_get
from mqclause.retrieval.order import QueueOrder, Retrieval

USUAL_OPTIONS = ((), ("LOGICAL_ORDER",), ("LOGICAL_ORDER", "ALL_MSGS_AVAILABLE"), ("COMPLETE_MSG",))
"""What a next get is shown with."""


def render_order(order: QueueOrder) -> Iterator[str]:
    """Render both orders side by side, a line a message with its priority; then the messages that are left out.

    In the end whose order is kept, and what is to be said besides.
    """
    yield f"{order.queue.name}  MSGDLVSQ({order.queue.msgdlvsq})"
    columns = [_column("physical", order.physical), _column("logical", order.logical)]
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
    yield from order.remarks
    for unknown in order.incomplete:
        yield f"not known: {unknown.what}"
        yield f"  {unknown.command}"


def render_next_gets(retrieval: Retrieval, cluster: Cluster, messages: Sequence[Message], queue: str) -> Iterator[str]:
    """Render what the next get returns, under the usual options."""
    for options in USUAL_OPTIONS:
        returned = next_get(retrieval, cluster, messages, queue, options)
        said = " ".join(returned.got) or f"reason {returned.reason}"
        asked = f" with {' '.join(options)}" if options else ""
        yield f"next get{asked}: {said}"


def _column(title: str, messages: Sequence[QueuedMessage]) -> list[str]:
    width = max((len(each.id) for each in messages), default=0)
    return [title, *(f"{each.id:<{width}}  {_describe(each)}" for each in messages)]


def _describe(message: QueuedMessage) -> str:
    """A message's priority and its place in its group or segmented message: ``5  Y 3 last  offset 0``."""
    said = [str(message.enqueued_priority)]
    if message.in_group:
        said.append(f"{message.group_id} {message.sequence}{' last' if message.last_in_group else ''}")
    if message.segment:
        own = "" if message.in_group else f"{message.group_id} "
        said.append(f"{own}offset {message.offset}{' last' if message.last_segment else ''}")
    return "  ".join(said)
