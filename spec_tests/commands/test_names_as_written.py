"""Scripts whose names are still to be filled in, and that MQ refuses: they are taken as they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spec_tests.support.explain_command import run

MEMBER = """* Queue manager name: <QM>
DEFINE CHANNEL('TO.<QM>') CHLTYPE(CLUSRCVR) CLUSTER('{{S}}')
DEFINE QLOCAL('{{Q}}') CLUSTER('{{S}}') PUT(<PUT>)
DEFINE QALIAS(A) TARGET('{{Q}}')
"""
EVENTS = """
[[event]]
do = "put"
queue = "{{Q}}"
[[event]]
do = "alter"
queue = "{{Q}}"
set = {put = "ENABLED"}
[[event]]
do = "open"
queue = "A"
mode = "OUTPUT"
bind = "OPEN"
"""


@pytest.fixture
def members(tmp_path: Path) -> list[str]:
    """{{1}}, whose instance of {{Q}} is put-disabled, and {{2}}, whose is not."""
    files: list[str] = []
    for name, put in (("{{1}}", "DISABLED"), ("{{2}}", "ENABLED")):
        files.append(str(tmp_path / f"{len(files)}.mqsc"))
        Path(files[-1]).write_text(MEMBER.replace("<QM>", name).replace("<PUT>", put))
    return files


def answer(*arguments: str, status: int = 0) -> Any:
    done = run(*arguments, "--json")
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_where_puts_to_such_queues_go(members: list[str]) -> None:
    [found] = answer("map", *members)
    shares = {(row["queue"], row["from"]): [each["queue_manager"] for each in row["shares"]] for row in found["rows"]}
    assert shares == {(name, at): ["{{2}}"] for name in ("{{Q}}", "A") for at in ("{{1}}", "{{2}}")}
    [found] = answer("plan", *members, "--without", "{{2}}", status=3)
    assert {(row["queue"], row["from"], row["after"]["reason"]["code"]) for row in found["rows"]} == {
        ("{{Q}}", "{{1}}", 2051), ("A", "{{1}}", 2051),
    }  # fmt: skip
    [found] = answer("explain", *members, "--from", "{{1}}", "--put", "A")
    assert found["chosen"] == {"queue": "{{Q}}", "queue_manager": "{{2}}", "channel": "TO.{{2}}"}


def test_what_is_found_of_them(members: list[str]) -> None:
    # That no member has REPOS is an error.
    [found] = answer("check", *members, status=1)
    assert ("check.02", "{{Q}}") in {(each["rule"], each["object"]["name"]) for each in found["findings"]}


def test_events_on_them(members: list[str], tmp_path: Path) -> None:
    (tmp_path / "events.toml").write_text(EVENTS)
    facts = [option for each in members for option in ("--facts", each)]
    rows = answer("replay", str(tmp_path / "events.toml"), *facts, "--from", "{{1}}")
    assert [row["routed"] and row["routed"]["queue_manager"] for row in rows] == ["{{2}}", None, "{{1}}"]
