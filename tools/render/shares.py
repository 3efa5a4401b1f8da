"""Shares in words: destinations by name, parts and numbers as a person reads them."""

from __future__ import annotations

from fractions import Fraction

from rich.text import Text

from mqclause.answers.cluster.cluster_map import PrintedRow

MILLION = 1_000_000
WITHOUT_FRACTION = 100
LEAST_PART = 0.001


def amount(count: int) -> str:
    """A number as a person reads it: ``1,500 million``, ``1.25 million``, ``20,000``."""
    millions = count / MILLION
    if millions >= WITHOUT_FRACTION:
        return f"{millions:,.0f} million"
    return f"{millions:.3g} million" if count >= MILLION else f"{count:,}"


def percent(part: float) -> str:
    """A part as a person reads it: ``50 %``, ``66.7 %``, ``under 0.1 %``, ``over 99.9 %``."""
    if 0 < part < LEAST_PART:
        return f"under {100 * LEAST_PART:g} %"
    if 1 - LEAST_PART < round(part, 9) < 1:  # of parts that are floats the whole may be a little less than 1
        return f"over {100 - 100 * LEAST_PART:g} %"
    return f"{100 * part:.1f}".removesuffix(".0") + " %"


def where_to(row: PrintedRow) -> Text:
    """Where the puts go: ``QM2 66.7 %, QM3 33.3 %``, or what they fail with."""
    if not row.shares:
        return Text(how_it_ends(row), "red" if row.reason else "")
    parts = parts_by_name(row).items()
    return Text(", ".join(name if part == 1 else f"{name} {percent(float(part))}" for name, part in parts))


def how_it_ends(row: PrintedRow) -> str:
    """What becomes of puts that go nowhere; blank of others."""
    reason = row.reason
    if reason is not None:
        return f"fails with {reason.name} ({reason.code})"
    return "" if row.shares else row.outcome


def parts_by_name(row: PrintedRow) -> dict[str, Fraction]:
    """The parts of the puts by queue manager, and by route where several of its have one."""
    hosts = [each.destination.queue_manager for each in row.shares]
    found: dict[str, Fraction] = {}
    for each in row.shares:
        destination = each.destination
        by_route = hosts.count(destination.queue_manager) > 1 or destination.transmission_queue
        name = destination.host if by_route else destination.queue_manager
        found[name] = found.get(name, Fraction(0)) + each.part
    return found
