"""``mqclause explain``: the decision by forward chaining, checked against the compiled rules."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
from attrs import asdict

from mqclause.answers.decision import Decision, Level
from mqclause.answers.engine import Engine
from mqclause.model.assembly.snapshot import Source, read_sources
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.explain_lines import explain_lines
from mqclause.tools.commands.inputs import sources, what_if, what_if_options
from mqclause.tools.commands.options import (
    PUT_KEYS,
    asked_put,
    explaining_executor,
    from_option,
    json_option,
    lenient_option,
    only_lines,
    opened,
    put_options,
    reading_option,
    rules_by,
)
from mqclause.tools.errors import DisagreementError

STATUS = {"chosen": 0, "deferred": 0, "failed": 1}


@click.command("explain")
@click.argument("facts", nargs=-1)
@put_options
@from_option
@json_option
@click.option("--conditions", is_flag=True, help="Show each test with the values that it saw.")
@reading_option
@lenient_option
@what_if_options
@click.option("--lines", metavar="FILE", help="JSON Lines: one facts document a line in, one result a line out.")
def command(facts: tuple[str, ...], lines: str | None, readings: tuple[str, ...], **options: Any) -> int:
    """Which destination does a put go to, and which clause removed each of the others?

    FACTS are facts files (TOML or JSON), MQSC scripts and dmpmqcfg dumps, in any mix; - is standard input.
    Exit status: 0 a destination is chosen or the choice is deferred, 1 the rules end in a reason code, 2 bad input.
    """
    rules = rules_by(readings)
    asked = {key: options.pop(key) for key in PUT_KEYS}
    put = {key: str(value) for key, value in asked.items() if value is not None}
    if lines is not None:
        only_lines(facts)
        return explain_lines(opened(lines), sys.stdout.buffer, put, rules, options["conditions"])
    return explain_files(sources(facts), put, rules=rules, **options)


def explain_files(
    files: Sequence[Source],
    asked: Mapping[str, str],
    local: str | None,
    as_json: bool,
    conditions: bool,
    rules: Rules,
    lenient: bool,
    sets: Sequence[str] = (),
    states: Sequence[str] = (),
) -> int:
    """Explains one put and returns the exit status.

    ``asked`` the attributes of the put that were given as options. Raises
    FactsError, NothingAskedError and DisagreementError.
    """
    snapshot = what_if(read_sources(files, local, lenient), sets, states)
    put = asked_put(snapshot.put, asked, snapshot.cluster)
    decision = checked_decision(put, snapshot.cluster, rules, conditions)
    for warning in snapshot.warnings:
        print(f"warning: {warning}", file=sys.stderr)  # noqa: T201
    if as_json:
        document = {**decision.to_json(), "assumptions": list(snapshot.assumptions)}
        document["incomplete"] = [asdict(each) for each in snapshot.incomplete]
        print(json.dumps(document, ensure_ascii=False))  # noqa: T201
    else:
        # Loaded where it prints: it takes a tenth of the time of a small explain.
        from mqclause.tools.render.terminal import print_decision

        print_decision(decision, snapshot.assumptions, [each.what for each in snapshot.incomplete])
    return STATUS[decision.outcome]


def checked_decision(put: Put, cluster: Cluster, rules: Rules, conditions: bool) -> Decision:
    """The decision by the executor that explains; raises DisagreementError unless compiled says the same."""
    level: Level = "condition" if conditions else "rule"
    executor = explaining_executor()
    explained = Engine(rules, executor).choose(put, cluster, explain=level)
    compiled = Engine(rules).choose(put, cluster, explain=level)
    one, other = explained.to_json(), compiled.to_json()
    for key, value in one.items():
        if value != other[key]:
            raise DisagreementError(f"{executor} and compiled differ in {key!r}: {value} and {other[key]}")
    return explained
