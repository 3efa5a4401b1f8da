"""``mqclause why --json``: the smallest sets of commands after which a message put now triggers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from mqclause import Replay
from mqclause.model.timeline.scenario import build_scenario
from mqclause.tools.commands.declared import why_command as command
from spec_tests.support.explain_command import written

USUAL: dict[str, Any] = {
    "name": "Q", "trigger": True, "trigtype": "EVERY", "initq": "I", "process": "P", "ipprocs": 0,
}  # fmt: skip


def changes(
    folder: Path,
    initq: dict[str, Any],
    processes: tuple[str, ...] = ("P",),
    beside: Sequence[dict[str, Any]] = (),
    **queue: Any,
) -> list[list[str]]:
    """The commands that are told for a queue Q, which triggers but for what is given."""
    own = USUAL | queue
    facts = {
        "queue_manager": {"name": "QM1"},
        "queue": [own, {"name": "I", "ipprocs": 1} | initq, *beside],
        "process": [{"name": name} for name in processes],
    }
    arguments = [own["name"], written(folder, facts), "--json"]
    told = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False).stdout)
    assert all(each["queue_manager"] == "QM1" for entry in told["changes"] for each in entry)
    return [[each["command"] for each in entry] for entry in told["changes"]]


def test_everything_that_fails_is_altered_together(tmp_path: Path) -> None:
    found = changes(tmp_path, {"get": "DISABLED"}, trigger=False, put="DISABLED")
    assert [sorted(each) for each in found] == [
        ["ALTER QLOCAL('I') GET(ENABLED)", "ALTER QLOCAL('Q') PUT(ENABLED)", "ALTER QLOCAL('Q') TRIGGER"]
    ]


def test_nothing_is_told_where_it_triggers(tmp_path: Path) -> None:
    assert changes(tmp_path, {}) == []


def test_nothing_is_told_where_altering_is_not_enough(tmp_path: Path) -> None:
    # No trigger monitor has I open, and P is not defined: no ALTER mends that.
    assert changes(tmp_path, {"ipprocs": 0}, trigger=False) == []
    assert changes(tmp_path, {}, processes=(), trigger=False) == []


def test_each_attribute_that_is_enough_alone_is_told(tmp_path: Path) -> None:
    assert changes(tmp_path, {}, trigmpri=5) == [["ALTER QLOCAL('Q') DEFPRTY(5)"], ["ALTER QLOCAL('Q') TRIGMPRI(0)"]]
    every = ["ALTER QLOCAL('Q') TRIGTYPE(EVERY)"]
    assert changes(tmp_path, {}, trigtype="DEPTH", trigdpth=9, curdepth=3) == [["ALTER QLOCAL('Q') TRIGDPTH(4)"], every]
    # FIRST behind messages turns on when the last trigger message was written: not with these.
    assert changes(tmp_path, {}, trigtype="FIRST", curdepth=3)[1:] == [every, ["ALTER QMGR TRIGINT(0)"]]
    assert changes(tmp_path, {}, trigtype="FIRST", ipprocs=1) == [every]


def told_first(folder: Path, **queue: Any) -> dict[str, bool]:
    """The commands of the first set for Q, which is FIRST: whether they are said to trigger at once."""
    own = USUAL | {"trigtype": "FIRST"} | queue
    facts = {"queue_manager": {"name": "QM1"}, "queue": [own, {"name": "I", "ipprocs": 1}], "process": [{"name": "P"}]}
    arguments = ["Q", written(folder, facts), "--json"]
    run = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return {each["command"]: each.get("at_once", False) for each in json.loads(run.stdout)["changes"][0]}


OFF, ON = "ALTER QLOCAL('Q') NOTRIGGER", "ALTER QLOCAL('Q') TRIGGER"


def test_what_has_the_messages_looked_at_again_is_told_first(tmp_path: Path) -> None:
    # A put behind messages does not trigger on FIRST (3); switching triggering on looks at those that are there (13).
    assert told_first(tmp_path, curdepth=25) == {OFF: True, ON: True}
    assert told_first(tmp_path, curdepth=25, trigger=False) == {ON: True}
    # Not while somebody has the queue open (13 asks for 5), and not where the messages do not count (2).
    every = "ALTER QLOCAL('Q') TRIGTYPE(EVERY)"
    assert told_first(tmp_path, curdepth=25, ipprocs=1) == {every: False}
    assert told_first(tmp_path, curdepth=25, trigmpri=5) != {OFF: True, ON: True}
    # DEPTH that has fired is off: switched on, it looks at those that are there (13), enough of them or not.
    assert told_first(tmp_path, curdepth=25, trigger=False, trigtype="DEPTH", trigdpth=10) == {ON: True}
    assert told_first(tmp_path, curdepth=9, trigger=False, trigtype="DEPTH", trigdpth=10) == {ON: False}
    # Without messages there is nothing to look at: the put after it triggers.
    assert told_first(tmp_path, trigger=False) == {ON: False}
    # A put that fails is mended first.
    assert told_first(tmp_path, curdepth=25, put="DISABLED") != {OFF: True, ON: True}


def test_a_replay_triggers_by_what_is_told_first() -> None:
    events: list[dict[str, Any]] = [
        {"do": "open", "queue": "I", "mode": "INPUT_SHARED", "by": "MONITOR"},
        {"do": "put", "queue": "Q", "count": 2},
        *({"do": "alter", "queue": "Q", "set": {"trigger": each}} for each in (False, True)),
    ]
    own = {key: value for key, value in USUAL.items() if key != "ipprocs"} | {"trigtype": "FIRST"}
    scene = {"queue_manager": {"name": "QM1"}, "queue": [own, {"name": "I"}], "process": [{"name": "P"}]}
    rows = (row.to_json() for row in Replay().rows(build_scenario({**scene, "event": events}, "s")))
    written_by = [[each["rule"] for each in row["trigger_messages"]] for row in rows]
    assert written_by == [[], ["trigger.01-10"], [], [], ["trigger.13"]]


def test_what_a_command_alters_is_named_with_its_disposition(tmp_path: Path) -> None:
    assert changes(tmp_path, {}, shared=True, put="DISABLED") == [["ALTER QLOCAL('Q') QSGDISP(SHARED) PUT(ENABLED)"]]


def test_a_transmission_queue_gets_the_initiation_queue_of_the_channel_initiator(tmp_path: Path) -> None:
    transmission: dict[str, Any] = {"usage": "XMITQ", "process": "", "trigtype": "FIRST"}
    of_channels = {"name": "SYSTEM.CHANNEL.INITQ"}
    found = changes(tmp_path, of_channels, **transmission)
    assert found == [["ALTER QLOCAL('Q') INITQ('SYSTEM.CHANNEL.INITQ')"]]
    # That of cluster-sender channels needs none: it is not sent to one by a change.
    assert changes(tmp_path, of_channels, **transmission, name="SYSTEM.CLUSTER.TRANSMIT.QUEUE") == []
    # One that trigger monitors read is not for channels.
    assert changes(tmp_path, {"name": "SYSTEM.DEFAULT.INITIATION.QUEUE"}, **transmission) == []


def test_other_values_of_what_the_rules_look_at_are_tried_together(tmp_path: Path) -> None:
    # NONE never triggers, and FIRST not while somebody has the queue open.
    every = "ALTER QLOCAL('Q') TRIGTYPE(EVERY)"
    assert changes(tmp_path, {}, trigtype="NONE", ipprocs=1) == [[every]]
    # A message of priority 0 does not reach TRIGMPRI(4), and one that does is not looked at while somebody has it open.
    found = changes(tmp_path, {}, trigtype="FIRST", ipprocs=1, trigmpri=4)
    assert {frozenset(each) for each in found} == {
        frozenset({every, "ALTER QLOCAL('Q') DEFPRTY(4)"}),
        frozenset({every, "ALTER QLOCAL('Q') TRIGMPRI(0)"}),
    }


def test_names_that_a_remedy_leaves_open_are_filled_in(tmp_path: Path) -> None:
    # PROCESS is blank (6), and I is a transmission queue (7): either may be mended at Q, the other at I, or at both.
    found = changes(tmp_path, {"usage": "XMITQ"}, ("P", "S"), process="")
    assert {frozenset(each) for each in found} == {
        frozenset({"ALTER QLOCAL('Q') PROCESS('P')", "ALTER QLOCAL('I') USAGE(NORMAL)"}),
        frozenset({"ALTER QLOCAL('Q') USAGE(XMITQ)", "ALTER QLOCAL('I') USAGE(NORMAL)"}),
    }
    # No trigger monitor has I open; J is open, but get-disabled.
    beside = [{"name": "J", "ipprocs": 1, "get": "DISABLED"}, {"name": "K", "ipprocs": 1}]
    assert changes(tmp_path, {"ipprocs": 0}, beside=beside[:1]) == [
        ["ALTER QLOCAL('Q') INITQ('J')", "ALTER QLOCAL('J') GET(ENABLED)"]
    ]
    assert changes(tmp_path, {"ipprocs": 0}, beside=beside) == [["ALTER QLOCAL('Q') INITQ('K')"]]


def test_an_alias_of_an_initiation_queue_gives_way_to_it(tmp_path: Path) -> None:
    # INITQ names no local queue (7): I stands for K, which a trigger monitor reads.
    alias = {"type": "QALIAS", "target": "K"}
    assert changes(tmp_path, alias, beside=[{"name": "K", "ipprocs": 1}]) == [["ALTER QLOCAL('Q') INITQ('K')"]]
