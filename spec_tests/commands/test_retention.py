"""``mqclause retention``: what repositories hold, day by day. Dates are counted by hand, in a calendar."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.timeline.administration import Information, RepositoryContent, Request
from mqclause.replay.administration import AdministrationRules, build_retention
from mqclause.rulebook.rules import get_rules_folder
from mqclause.tools.commands.declared import retention_command as command

RULES = AdministrationRules()

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
    ("sent", "days", "calendar"),
    [
        # Days 0, 26, 27, 28, 29, 30, 31, 88, 89, 90, 91 and 92; February had 29 days.
        (
            "2024-02-01",
            "02-01 02-27 02-28 02-29 03-01 03-02 03-03 04-29 04-30 05-01 05-02 05-03",
            ("2024-02-28", "2024-03-02", "2024-05-01"),
        ),
        # Over the end of a year, and a February of 28 days.
        (
            "2025-12-15",
            "12-15 01-10 01-11 01-12 01-13 01-14 01-15 03-13 03-14 03-15 03-16 03-17",
            ("2026-01-11", "2026-01-14", "2026-03-15"),
        ),
    ],
)
def test_information_at_its_boundary_days(sent: str, days: str, calendar: tuple[str, ...]) -> None:
    held, found = RepositoryContent((Information("Q", "QM2", date.fromisoformat(sent)),)), []
    for day in days.split():
        year = int(sent[:4]) + (day < sent[5:])
        [each] = build_retention(RULES, held, date.fromisoformat(f"{year}-{day}")).document()["information"]
        assert (each["resend_due"], each["expires"], each["removed"]) == calendar
        found.append((each["state"], each["answers_new_requests"], each["owner_in_cluster"]))
    in_grace, removed, out = ("grace", False, True), ("removed", False, True), ("removed", False, False)
    assert found == [("current", True, True)] * 5 + [in_grace] * 4 + [removed] + [out] * 2


def test_a_state_of_ones_own_rules_is_shown_as_they_name_it(tmp_path: Path) -> None:
    """Sent on 1 February 2024, on 10 March, day 38, it is in grace, which these rules call otherwise."""
    (tmp_path / "held.toml").write_text(SENT_IN_A_LEAP_YEAR)
    folder = copytree(get_rules_folder(), tmp_path / "rules")
    path = folder / "administration" / "08e_in_grace.toml"
    path.write_text(path.read_text().replace("'grace'", "'of_grace'"))
    told = CliRunner().invoke(command, [str(tmp_path / "held.toml"), "--on", "2024-03-10", "--rules", str(folder)])
    assert told.exit_code == 0, told.output
    assert told.output.startswith("of_grace")


def test_what_is_said_of_the_days(tmp_path: Path) -> None:
    path = tmp_path / "held.toml"
    path.write_text(SENT_IN_A_LEAP_YEAR)
    done = CliRunner().invoke(command, [str(path), "--on", "2024-02-29"], standalone_mode=False)
    assert done.output.splitlines() == [
        "current     ORDERS.IN of QM2  sent 28 days ago; it expires in 2 days, also for a queue manager that asks for it now",
        "            sent 2024-02-01 · due again 2024-02-28 · expires 2024-03-02 · removed 2024-05-01",
    ]


def test_an_owner_is_heard_of_by_the_latest_that_it_sent(tmp_path: Path) -> None:
    later = SENT_IN_A_LEAP_YEAR + SENT_IN_A_LEAP_YEAR.replace("ORDERS.IN", "REFUNDS.IN").replace("02-01", "05-01")
    first, second = asked(tmp_path, later, "2024-05-02")["information"]
    assert (first["state"], first["owner_in_cluster"]) == ("removed", True)
    assert (second["state"], second["owner_in_cluster"]) == ("current", True)


@pytest.mark.parametrize(
    ("referenced", "on", "made", "state"),
    [
        ("", "2026-01-28", "2026-01-01", "current"),  # day 27: nobody has referenced it
        ("", "2026-01-30", "2026-01-01", "current"),
        ("", "2026-01-31", "2026-01-01", "expired"),
        ("2026-01-01", "2026-01-27", "2026-01-01", "current"),
        ("2026-01-01", "2026-01-28", "2026-01-28", "current"),  # day 27: the check
        ("2026-01-27", "2026-01-28", "2026-01-28", "current"),  # day 26
        ("2026-01-27", "2026-02-24", "2026-01-28", "current"),  # the new one was not referenced
        ("2026-01-27", "2026-02-27", "2026-01-28", "expired"),
        ("2026-01-28", "2026-01-28", "2026-01-28", "current"),
        ("2026-01-28", "2026-02-24", "2026-02-24", "current"),  # day 27 counts once more, as day 0
        ("2026-01-28", "2026-03-26", "2026-02-24", "expired"),
        ("2026-01-29", "2026-01-31", "2026-01-01", "expired"),  # too late for the check, too early to make it anew
        ("2026-01-29, 2026-01-30", "2026-01-30", "2026-01-01", "current"),
        ("2026-01-29, 2026-01-30", "2026-01-31", "2026-01-01", "expired"),
        ("2026-02-01", "2026-01-31", "2026-01-01", "expired"),
        ("2026-02-01", "2026-02-01", "2026-02-01", "current"),  # day 31
        ("2026-01-31", "2026-01-31", "2026-01-31", "current"),
        ("2026-01-31", "2026-02-27", "2026-02-27", "current"),
        ("2026-03-10", "2026-03-09", "2026-01-01", "expired"),  # has not happened yet
        ("2026-03-10", "2026-03-10", "2026-03-10", "current"),
    ],
)
def test_requests_at_their_boundary_days(referenced: str, on: str, made: str, state: str) -> None:
    days = tuple(map(date.fromisoformat, filter(None, referenced.split(", "))))
    held = RepositoryContent((), (Request("Q", "QM1", date(2026, 1, 1), days),))
    [each] = build_retention(RULES, held, date.fromisoformat(on)).document()["requests"]
    assert (each["made"], each["state"]) == (made, state)


def test_dates_of_a_request_are_those_of_the_one_in_force(tmp_path: Path) -> None:
    facts = '{"request": [{"name": "Q", "by": "QM1", "made": "2026-01-01", "referenced": ["2026-01-20"]}]}'
    [each] = asked(tmp_path, facts, "2026-02-15")["requests"]
    assert (each["made"], each["check_due"], each["expires"]) == ("2026-01-28", "2026-02-24", "2026-02-27")


@pytest.mark.parametrize(
    ("facts", "on", "said"),
    [
        (SENT_IN_A_LEAP_YEAR, "2024-01-31", "information 1 'ORDERS.IN': sent: 2024-02-01 is after 2024-01-31"),
        (
            SENT_IN_A_LEAP_YEAR.replace("-01\n", "-01T00:00:00.5Z\n"),
            "2024-03-01",
            "sent: 2024-02-01T00:00:00.5Z is not allowed; allowed: a date like 2026-01-31",
        ),
        (SENT_IN_A_LEAP_YEAR.replace("sent", "send"), "2024-03-01", "unknown key 'send', given as 2024-02-01"),
        (f'{SENT_IN_A_LEAP_YEAR}password = "p"\n', "2024-03-01", "unknown key 'password'; allowed: name, owner, sent"),
        (
            SENT_IN_A_LEAP_YEAR.replace('"QM2"', "[2024-02-01, {at = 07:30:00}]"),
            "2024-03-01",
            "owner: [2024-02-01, {'at': 07:30:00}] is not allowed",
        ),
        (SENT_IN_A_LEAP_YEAR.replace("2024-02-01", '"2024-02-30"'), "2024-03-01", "'2024-02-30' is not allowed"),
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
    request = Request("Q", "QM1", made, tuple(referenced))
    held = RepositoryContent((Information("Q", "QM2", made),), (request,))
    early, late = (build_retention(RULES, held, day) for day in sorted((one, other)))
    before, after = (ORDER.index(each.information[0].settled.facts["state"]) for each in (early, late))
    assert before <= after
    assert made <= early.requests[0].made <= late.requests[0].made <= max(one, other)
