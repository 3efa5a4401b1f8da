"""``mqclause retention``: what repositories hold, day by day. Dates are counted by hand, in a calendar."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from mqclause.answers.administration import Administration
from mqclause.answers.retention import retention
from mqclause.model.timeline.held import Held, Information, Request
from mqclause.tools.commands.retention import command

RULES = Administration()

SENT_IN_A_LEAP_YEAR = """
[[information]]
name = "ORDERS.IN"
owner = "QM2"
sent = 2024-02-01
"""


def asked(tmp_path: Path, facts: str, on: str) -> dict[str, Any]:
    path = tmp_path / "held.toml"
    path.write_text(facts)
    done = CliRunner().invoke(command, [str(path), "--on", on, "--json"], standalone_mode=False)
    assert done.exception is None, done.exception
    found: dict[str, Any] = json.loads(done.output)
    return found


@pytest.mark.parametrize(
    ("on", "state", "answers", "in_cluster"),
    [
        ("2024-02-01", "current", True, True),
        ("2024-03-01", "current", True, True),  # day 29: February had 29 days
        ("2024-03-02", "grace", False, True),
        ("2024-04-30", "grace", False, True),  # day 89
        ("2024-05-01", "removed", False, True),  # day 90
        ("2024-05-02", "removed", False, False),
    ],
)
def test_information_at_its_boundary_days(tmp_path: Path, on: str, state: str, answers: bool, in_cluster: bool) -> None:
    [each] = asked(tmp_path, SENT_IN_A_LEAP_YEAR, on)["information"]
    assert (each["state"], each["answers_new_requests"], each["owner_in_cluster"]) == (state, answers, in_cluster)
    assert (each["resend_due"], each["expires"], each["removed"]) == ("2024-02-28", "2024-03-02", "2024-05-01")


def test_an_owner_is_heard_of_by_the_latest_that_it_sent(tmp_path: Path) -> None:
    later = SENT_IN_A_LEAP_YEAR + SENT_IN_A_LEAP_YEAR.replace("ORDERS.IN", "REFUNDS.IN").replace("02-01", "05-01")
    first, second = asked(tmp_path, later, "2024-05-02")["information"]
    assert (first["state"], first["owner_in_cluster"]) == ("removed", True)
    assert (second["state"], second["owner_in_cluster"]) == ("current", True)


@pytest.mark.parametrize(
    ("referenced", "on", "made", "state"),
    [
        ("", "2026-01-30", "2026-01-01", "current"),
        ("", "2026-01-31", "2026-01-01", "expired"),
        ("2026-01-01", "2026-01-27", "2026-01-01", "current"),
        ("2026-01-01", "2026-01-28", "2026-01-28", "current"),  # day 27: the check
        ("2026-01-28", "2026-01-28", "2026-01-28", "current"),
        ("2026-01-28", "2026-02-24", "2026-02-24", "current"),  # day 27 counts once more, as day 0
        ("2026-01-28", "2026-03-26", "2026-02-24", "expired"),
        ("2026-01-29", "2026-01-31", "2026-01-01", "expired"),  # too late for the check, too early to make it anew
        ("2026-01-31", "2026-01-31", "2026-01-31", "current"),
        ("2026-01-31", "2026-02-27", "2026-02-27", "current"),
        ("2026-03-10", "2026-03-09", "2026-01-01", "expired"),  # has not happened yet
        ("2026-03-10", "2026-03-10", "2026-03-10", "current"),
    ],
)
def test_requests_at_their_boundary_days(tmp_path: Path, referenced: str, on: str, made: str, state: str) -> None:
    facts = f'[[request]]\nname = "Q"\nby = "QM1"\nmade = 2026-01-01\nreferenced = [{referenced}]\n'
    [each] = asked(tmp_path, facts, on)["requests"]
    assert (each["made"], each["state"]) == (made, state)


def test_dates_of_a_request_are_those_of_the_one_in_force(tmp_path: Path) -> None:
    facts = '{"request": [{"name": "Q", "by": "QM1", "made": "2026-01-01", "referenced": ["2026-01-20"]}]}'
    [each] = asked(tmp_path, facts, "2026-02-15")["requests"]
    assert (each["made"], each["check_due"], each["expires"]) == ("2026-01-28", "2026-02-24", "2026-02-27")


@pytest.mark.parametrize(
    ("facts", "on", "said"),
    [
        (SENT_IN_A_LEAP_YEAR, "2024-01-31", "information 1 'ORDERS.IN': sent: 2024-02-01 is after 2024-01-31"),
        (SENT_IN_A_LEAP_YEAR.replace("-01\n", "-01T00:00:00\n"), "2024-03-01", "without a time of day"),
        (SENT_IN_A_LEAP_YEAR.replace("2024-02-01", '"2024-02-30"'), "2024-03-01", "'2024-02-30' is not allowed"),
        (SENT_IN_A_LEAP_YEAR.replace("sent", "send"), "2024-03-01", "unknown key 'send'"),
        (
            '[[request]]\nname = "Q"\nby = "QM1"\nmade = 2024-02-01\nreferenced = [2024-01-31]\n',
            "2024-03-01",
            "request 1 'Q': referenced: 2024-01-31 is before 2024-02-01",
        ),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, facts: str, on: str, said: str) -> None:
    path = tmp_path / "held.toml"
    path.write_text(facts)
    done = CliRunner().invoke(command, [str(path), "--on", on], standalone_mode=False)
    lines = str(done.exception).splitlines()
    assert any(said in line for line in lines), lines


DAYS = st.dates(date(2023, 12, 1), date(2024, 12, 1))
ORDER = ("current", "grace", "removed")


@given(st.lists(DAYS, max_size=6), DAYS, DAYS)
def test_retention_never_goes_back_in_time(referenced: list[date], one: date, other: date) -> None:
    made = date(2023, 12, 1)
    request = Request("Q", "QM1", made, referenced)  # type: ignore[arg-type]
    held = Held((Information("Q", "QM2", made),), (request,))
    early, late = (retention(RULES, held, day) for day in sorted((one, other)))
    before, after = (ORDER.index(each.information[0].settled.facts["state"]) for each in (early, late))
    assert before <= after
    assert made <= early.requests[0].made <= late.requests[0].made <= max(one, other)
