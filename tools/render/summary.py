"""What ``mqclause batch`` says in the end: how many rows, how fast, and what became of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from mqclause.model.facts.constants import REASON_NAMES
from mqclause.tools.render.streams import print_json

OUTCOMES = ("chosen", "failed", "deferred", "invalid")
SHARES_SHOWN = 20
MESSAGES_SHOWN = 3
_BY_REASON = (
    "SELECT decision.outcome, decision.reason, decision.queue_manager, count(*) FROM ({}) AS d GROUP BY 1, 2, 3"
)
_BY_MESSAGE = (
    "SELECT decision.message, count(*) FROM ({}) AS d WHERE decision.outcome = 'invalid' "  # noqa: S608
    f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MESSAGES_SHOWN}"
)
Query = Callable[[str], Sequence[Sequence[Any]]]


@frozen
class Summary:
    """Counts of what was decided: by outcome, by reason code, by queue manager chosen, by message."""

    seconds: float
    outcomes: Mapping[str, int]
    reasons: Mapping[int, int] = field(factory=dict)
    queue_managers: Mapping[str, int] = field(factory=dict)
    messages: Mapping[str, int] = field(factory=dict)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.outcomes.values())

    @property
    def speed(self) -> int:
        """Decisions a second."""
        return round(self.rows / self.seconds) if self.seconds else 0


def summarised(decided: str, query: Query, seconds: float) -> Summary:
    """The figures of the decisions that the query ``decided`` gives."""
    outcomes = dict.fromkeys(OUTCOMES, 0)
    reasons: dict[int, int] = {}
    hosts: dict[str, int] = {}
    for outcome, reason, host, count in query(_BY_REASON.format(decided)):
        outcomes[outcome] += count
        if outcome == "failed":
            reasons[reason] = reasons.get(reason, 0) + count
        elif outcome == "chosen":
            hosts[host or ""] = hosts.get(host or "", 0) + count
    rows = query(_BY_MESSAGE.format(decided)) if outcomes["invalid"] else ()
    return Summary(seconds, outcomes, _by_count(reasons), _by_count(hosts), {row[0]: row[1] for row in rows})


def _by_count(counts: Mapping[Any, int]) -> dict[Any, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))


def print_summary(summary: Summary, as_json: bool) -> None:
    """Prints the summary as text or as one JSON object."""
    if as_json:
        print_json(_document(summary))
    else:
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in _lines(summary))


def _document(summary: Summary) -> dict[str, Any]:
    return {
        "rows": summary.rows,
        "seconds": round(summary.seconds, 3),
        "decisions_per_second": summary.speed,
        "outcomes": dict(summary.outcomes),
        "reasons": [{"name": REASON_NAMES.get(code), "code": code, "count": n} for code, n in summary.reasons.items()],
        "queue_managers": dict(summary.queue_managers),
        "messages": [{"message": message, "count": count} for message, count in summary.messages.items()],
    }


def _lines(summary: Summary) -> Iterator[str]:
    """The summary for a person."""
    rows = "1 row" if summary.rows == 1 else f"{summary.rows:,} rows"
    speed = f": {summary.speed:,} decisions a second" if summary.speed else ""
    yield f"{rows} in {summary.seconds:,.1f} s{speed}"
    yield from _shares({name: count for name, count in summary.outcomes.items() if count}, summary.rows)
    if summary.reasons:
        yield "failed with"
        named = {f"{REASON_NAMES.get(code, '')} ({code})": count for code, count in summary.reasons.items()}
        yield from _shares(named, summary.rows)
    if summary.queue_managers:
        yield "chosen"
        shown = {name or "(blank)": n for name, n in list(summary.queue_managers.items())[:SHARES_SHOWN]}
        yield from _shares(shown, summary.outcomes["chosen"])
        if len(summary.queue_managers) > SHARES_SHOWN:
            yield f"  and {len(summary.queue_managers) - SHARES_SHOWN:,} more"
    if summary.messages:
        yield "invalid, most often"
        yield from (f"{count:>14,}           {message}" for message, count in summary.messages.items())


def _shares(counts: Mapping[str, int], of: int) -> Iterator[str]:
    for name, count in counts.items():
        yield f"{count:>14,}  {count / of:7.2%}  {name}"
