"""Remedies: what is MQSC can be read as such, and what alters or defines something mends the condition it stands by."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence

import pytest
from attrs import evolve

from mqclause.check.findings import Checks, Finding, Inspection
from mqclause.executors.plain import build_first_scope
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.timeline.trigger_events import TriggerEvent
from mqclause.rulebook.rule import Condition, Remedy, Rule
from mqclause.rulebook.rules import Rules
from mqclause.trace import render_sentence
from mqclause.trigger.examination import Triggers
from mqclause.trigger.why import Why, WhyAnswer

WHY = Why()
TRIGGERS = Triggers()

GOOD = """* Queue manager name: QM1
* Queue manager platform: {platform}
DEFINE QLOCAL(APPQ) +
*  CURDEPTH(0) +
*  IPPROCS(0) +
   TRIGGER INITQ(INITQ) PROCESS(P)
DEFINE QLOCAL(INITQ) +
*  IPPROCS(1) +
   REPLACE
DEFINE QLOCAL(SYSTEM.CHANNEL.INITQ)
DEFINE QLOCAL(SYSTEM.DEFAULT.INITIATION.QUEUE)
DEFINE PROCESS(P) APPLICID(X)
"""

SPOILING = {
    "02": "ALTER QLOCAL(APPQ) TRIGMPRI(5)",
    "05a": "ALTER QLOCAL(APPQ) GET(DISABLED)",
    "05b": "ALTER QLOCAL(APPQ) USAGE(XMITQ) PROCESS('') GET(DISABLED)",
    "06a": "ALTER QLOCAL(APPQ) PROCESS(NONE)",
    "06b": "ALTER QLOCAL(APPQ) PROCESS('')",
    "07": "ALTER QLOCAL(APPQ) INITQ(NONE)",
    "07a": "ALTER QLOCAL(INITQ) GET(DISABLED)",
    "07b": "ALTER QLOCAL(INITQ) PUT(DISABLED)",
    "07c": "ALTER QLOCAL(INITQ) USAGE(XMITQ)",
    "09": "ALTER QLOCAL(APPQ) NOTRIGGER",
    "10": "ALTER QLOCAL(APPQ) TRIGTYPE(NONE)",
}
"""What makes one condition fail in a script in which all hold."""


def remedies() -> Iterator[tuple[Rule, Remedy]]:
    for rule in TRIGGERS.ruleset.rules:
        for each in rule.action.remedies if isinstance(rule.action, Condition) else ():
            yield rule, each


ALL = list(remedies())


@pytest.mark.parametrize(("rule", "remedy"), ALL, ids=[rule.id for rule, _ in ALL])
@pytest.mark.parametrize("shared", [False, True])
def test_what_is_mqsc_is_read_as_such(rule: Rule, remedy: Remedy, shared: bool) -> None:
    occasion = TriggerEvent("APPQ", initq="INITQ", process="P", trigint=5000, shared=shared, initq_shared=shared)
    occasion = evolve(
        occasion, initq_defined=True, initq_target="IQ2", queue_manager="QM1", process_by_case="P2", initq_by_case="IQ3"
    )
    course = TRIGGERS.examine(occasion).course
    scope = build_first_scope(course.steps[-1], occasion, (), None, {})
    for text in (remedy.mqsc, remedy.shell, remedy.advice):
        said = render_sentence(course.rulesets[-1], rule, None, scope, text) if text else ""
        assert "blank" not in said
        if text is remedy.mqsc and text:
            assert read_mqsc(said, "remedy").diagnostics == ()
            assert shared == ("QSGDISP(SHARED)" in said) or "ALTER QLOCAL" not in said


STOPPING = re.compile(r"\b(PUT|GET)\(DISABLED\)|\b(STOP|SUSPEND|CLEAR|DELETE) |\bNOTRIGGER$")
"""What ends work, where it is the last word: a STOP that a START follows is none."""


def test_what_stops_work_is_the_last_that_a_rule_offers() -> None:
    offered = 0
    for path, text in Rules().files.items():
        holds = tomllib.loads(text).get("holds", {})
        given = holds.get("remedy", ())
        remedies = [{"mqsc": given}] if isinstance(given, str) else given
        texts = [each.get("mqsc") or each.get("shell") or each["advice"] for each in remedies]
        stopping = [STOPPING.search(each.strip()) is not None and "START " not in each for each in texts]
        assert stopping == sorted(stopping), path
        offered += len(texts)
    assert offered > 50


@pytest.mark.parametrize("spoilt", SPOILING)
def test_a_command_mends_the_condition_that_it_stands_by(spoilt: str) -> None:
    script = GOOD.format(platform="z/OS" if spoilt == "05a" else "UNIX") + SPOILING[spoilt]
    found = failing(script)
    assert set(found) == {f"trigger.{spoilt}"}
    (command,) = found.values()
    assert failing(f"{script}\n{command.replace('…', 'P')}") == {}


@pytest.mark.parametrize(("spoilt", "reason"), [("PUT(DISABLED)", 2051), ("MAXDEPTH(0)", 2053)])
def test_a_command_mends_the_call_that_it_stands_by(spoilt: str, reason: int) -> None:
    script = f"{GOOD.format(platform='UNIX')}ALTER QLOCAL(APPQ) {spoilt}"
    answer = asked(script)
    assert answer.reason == reason
    assert asked(f"{script}\n{answer.remedy}").reason is None


def failing(script: str) -> dict[str, str]:
    """The conditions that fail for a message put to APPQ now, whatever is not known, and the command beside each."""
    return {each.condition.rule.id: each.condition.remedy for each in asked(script).doubts if each.holds is False}


def asked(script: str) -> WhyAnswer:
    """What becomes of a message put to APPQ now."""
    snapshot = read_sources([Source("script", script.encode())])
    (queue,) = (each for each in snapshot.cluster.queues if each.name == "APPQ")
    return WHY.ask(queue, snapshot)


def test_an_initiation_queue_that_is_a_transmission_queue_is_left_as_it_is() -> None:
    (command,) = failing(GOOD.format(platform="UNIX") + SPOILING["07c"]).values()
    assert command == "ALTER QLOCAL('APPQ') INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE')"


@pytest.mark.parametrize(
    ("change", "command"),
    [
        ("", "runmqtrm -m QM1 -q INITQ"),
        ("ALTER QLOCAL(APPQ) USAGE(XMITQ) PROCESS('')", "START CHINIT INITQ('INITQ')"),
    ],
)
def test_what_starts_a_trigger_monitor(change: str, command: str) -> None:
    script = GOOD.format(platform="UNIX").replace("IPPROCS(1)", "IPPROCS(0)")
    assert failing(script + change) == {"trigger.08": command}


@pytest.mark.parametrize(
    ("other", "command"),
    [
        ("DEFINE QALIAS(OTHER) TARGET(INITQ)", "ALTER QLOCAL('APPQ') INITQ('INITQ')"),
        # Nothing that a monitor could read: a local queue of that name cannot be defined beside it.
        ("DEFINE QALIAS(OTHER) TARGET(NONE)", "ALTER QLOCAL('APPQ') INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE')"),
        ("DEFINE QREMOTE(OTHER) RNAME(Q)", "ALTER QLOCAL('APPQ') INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE')"),
        ("", "DEFINE QLOCAL('OTHER')"),
    ],
)
def test_where_the_initiation_queue_is_no_local_queue(other: str, command: str) -> None:
    script = GOOD.format(platform="UNIX") + f"ALTER QLOCAL(APPQ) INITQ(OTHER)\n{other}\n"
    assert failing(script) == {"trigger.07": command}
    assert failing(script + command) == {}
    (found,) = (each for each in findings(script) if each.rule.id == "trigger.07")
    assert found.said.remedy == command


def findings(script: str) -> Sequence[Finding]:
    """What a check finds in a script."""
    inspection = Inspection(Checks(), "QM1")
    inspection.read(Source("script", script.encode()))
    return inspection.findings()
