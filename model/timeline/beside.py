"""What the keys of one put or get must not be beside each other, where messages are told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mqclause.model.diagnostic import quoted
from mqclause.model.timeline.event import AT_THE_CURSOR, WHICH_MESSAGE

MESSAGE_KEYS = (
    "id", "group", "in_group", "sequence", "last_in_group", "segment", "last_segment", "offset", "length",
    "correlation", "logical_order",
)  # fmt: skip
"""What a put says of its message."""

OF_ITEMS = ("last_in_group", "segment", "last_segment")
"""The keys that need a group, or a put in logical order, which has one."""


def beside_each_other(row: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the keys of a put or a get beside each other; their values are looked at elsewhere."""
    if "options" in row:
        yield from _of_options(row["options"])
    if row.keys().isdisjoint(MESSAGE_KEYS):
        return
    said = next(key for key in MESSAGE_KEYS if key in row)
    if "segments" in row:
        yield f"segments: {quoted(row['segments'])} is not allowed with {said}; the queue manager segments the message"
    count = row.get("count", 1)
    if "id" in row and isinstance(count, int) and count > 1:
        yield f"id: {quoted(row['id'])} is not allowed with count {count}; an id is one message's"
    if not row.get("group") and row.get("logical_order") is not True:
        wrong = next((key for key in OF_ITEMS if row.get(key) is True), None)
        if wrong:
            yield f"{wrong}: True is not allowed without group; allowed with group or with logical_order = true"


def _of_options(given: object) -> Iterator[str]:
    if not isinstance(given, list | tuple):
        return
    options = [each.upper() for each in given if isinstance(each, str)]
    stated = [each for each in WHICH_MESSAGE if each in options]
    if len(stated) > 1:
        yield f"options: {' and '.join(stated)} stand together; allowed: one of {', '.join(WHICH_MESSAGE)}"
    elif "LOGICAL_ORDER" in options and stated and stated[0] in AT_THE_CURSOR:
        yield f"options: LOGICAL_ORDER stands beside {stated[0]}; the message under the cursor has no order"
