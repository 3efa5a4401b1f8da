"""What a get or browse returned, or why it failed, for a person."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from mqclause.answers.order.retrieval_calls import MOST_PASSED_OVER, CallReason, Returned

SHOWN_PASSED_OVER = 5
"""How many of the messages that a get passed over are shown, with the reason."""


def returned_lines(returned: Returned) -> Iterator[Text]:
    """A line each: the messages and their statuses, what lay before them and was passed over, what rules remark."""
    if returned.messages:
        yield Text.assemble("returns ", (" ".join(returned.got), "bold"), _statuses(returned))
    passed_over = list(returned.passed_over())
    for each in passed_over[:SHOWN_PASSED_OVER]:
        yield Text.assemble(f"  {each.rule.clause:>4}  ", f"not {each.message}: {each.because}")
    if len(passed_over) > SHOWN_PASSED_OVER:
        yield Text(f"        and {_further(len(passed_over) - SHOWN_PASSED_OVER)} behind them", "dim")
    yield from (Text(remark, "yellow") for remark in returned.remarks)


def ended_by(ended: CallReason) -> str:
    """What the rule says that gives a reason, and its clause, to stand behind the reason; blank if there is none."""
    return "" if ended.rule is None else f": {ended.tell()} ({ended.rule.clause})"


def _statuses(returned: Returned) -> str:
    """GroupStatus and SegmentStatus of what is in a group, or a segment."""
    statuses = {"GroupStatus": returned.group_status, "SegmentStatus": returned.segment_status}
    return "".join(f"  {name} {status}" for name, status in statuses.items() if status.strip())


def _further(number: int) -> str:
    return f"{number} more" if number < MOST_PASSED_OVER - SHOWN_PASSED_OVER else "many more"
