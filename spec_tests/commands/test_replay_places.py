"""Where the faults of a scenario stand, as ``mqclause replay`` tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spec_tests.support.explain_command import bad

CANNOT_HAPPEN = """
[queue_manager]
name = "QM1"

[[queue]]
name = "APPQ"

[[event]]
do = "put"
queue = "APPQ"

[[event]]
{}
"""


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ('do = "close"\nqueue = "APPQ"', "event 1 (close): the anonymous application has not opened queue"),
        ('do = "backout"\nunit_of_work = "U1"', "event 1 (backout): unit_of_work 'U1' is not open"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_event_that_cannot_happen_is_told_with_its_line(
    tmp_path: Path, event: str, said: str, options: tuple[str, ...]
) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(CANNOT_HAPPEN.format(event))
    [line] = bad("replay", str(path), *options)
    assert line.startswith(f"{path}:12:1: {said}")


@pytest.mark.parametrize("table", ["event", "in_flight", "message"])
def test_one_table_in_place_of_a_list_is_told_with_its_line(tmp_path: Path, table: str) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(f'queue_manager = {{name = "QM1"}}\n\n[[queue]]\nname = "Q"\n\n[{table}]\nqueue = "Q"\n')
    [said] = bad("replay", str(path))
    assert said.startswith(f"{path}:6:1: {table}: one table is given where a list of tables is expected")
