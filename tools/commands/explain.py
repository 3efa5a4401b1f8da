"""``mqclause explain``: the decision by forward chaining, checked against the compiled rules."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO

import click
from attrs import evolve, frozen

from mqclause.cluster.admin_commands import explain_absence
from mqclause.cluster.counterfactuals import WhyNot, why_not
from mqclause.exits.session import NO_EXITS, Caller, Exits, ExitSession
from mqclause.model.configuration.snapshot import Snapshot, read_document, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.model.readers.facts_files import parse_json
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import (
    PUT_KEYS,
    add_exit_options,
    add_facts_options,
    add_put_options,
    add_rules_options,
    apply_what_if,
    build_put,
    check_only_lines,
    choose_executor,
    facts_argument,
    json_option,
    load_exits,
    load_rules,
    parse_file_name,
    print_unnamed_exits,
    read_input_lines,
    read_inputs,
    reading_option,
    refuse_model_queue,
    strip_padding,
)
from mqclause.tools.errors import DisagreementError, NothingAskedError
from mqclause.tools.render.explanation import print_explanation, print_verdict, print_why_not
from mqclause.tools.render.streams import print_json, print_warnings
from mqclause.workload.decision import Decision, Engine, Level
from mqclause.workload.explanation import Explanation

STATUS = {"chosen": 0, "deferred": 0, "failed": 1}

ChangeOptions = tuple[Sequence[str], Sequence[str]]
"""What --set and --status say."""


@click.command("explain")
@facts_argument
@add_put_options
@add_facts_options()
@json_option
@click.option("--brief", is_flag=True, help="Print the verdict alone, in one line.")
@click.option("--all", "every_rule", is_flag=True, help="Print every rule, also those that removed no destination.")
@click.option("--conditions", is_flag=True, help="Print every rule, and each test with the values that it saw.")
@reading_option
@add_rules_options
@add_exit_options
@click.option(
    "--why-not",
    type=strip_padding,
    metavar="QMGR",
    help="Explain why that one is not chosen, and which commands would change it.",
)
@click.option(
    "--lines",
    type=parse_file_name,
    metavar="FILE",
    help="Read JSON Lines: one facts document a line in, one result a line out.",
)
def command(
    facts: tuple[str, ...],
    lines: str | None,
    readings: tuple[str, ...],
    edition: str | None,
    exits: tuple[str, ...],
    exit_limit: str | None,
    **options: Any,
) -> int:
    """Explain which destination a put goes to, and which clause removed each of the others.

    FACTS are facts files (TOML or JSON), MQSC scripts and dmpmqcfg dumps, what runmqsc and mqweb display, in any mix;
    - is standard input.
    Exit status: 0 a destination is chosen or the choice is deferred, 1 the rules end in a reason code, 2 bad input.
    """
    rules, given = load_rules(readings, edition), load_exits(exits, exit_limit)
    asked = {key: options.pop(key) for key in PUT_KEYS}
    put = {key: value if value is True else str(value) for key, value in asked.items() if value is not None}
    shown = ExplainOutput(
        **{key: options.pop(key) for key in ("as_json", "brief", "every_rule", "conditions", "why_not")}
    )
    if lines is not None:
        check_only_lines(facts)
        if shown.brief or shown.every_rule or shown.why_not:
            raise click.UsageError("--lines answers in JSON; leave out --brief, --all and --why-not")
        if options["overlays"] or options["named_format"] or options["local"]:
            raise click.UsageError("--lines: each line is one facts document; leave out --from, --with and --format")
        changes = options["sets"], options["states"]
        return explain_lines(read_input_lines(lines), sys.stdout.buffer, put, rules, shown.conditions, given, changes)
    read = read_inputs(facts, options.pop("overlays"), options.pop("named_format"))
    return explain_files(read, put, rules=rules, shown=shown, given=given, **options)


@frozen
class ExplainOutput:
    """What is to be shown of a decision, and how. Raises UsageError for the verdict alone and more than that."""

    as_json: bool = False
    brief: bool = False
    every_rule: bool = False
    conditions: bool = False
    why_not: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.brief and (self.as_json or self.every_rule or self.conditions or self.why_not):
            more = "--json, --all, --conditions or --why-not"
            raise click.UsageError(f"--brief is the verdict alone; leave it out for {more}")

    def print_decision(self, told: Explanation, snapshot: Snapshot, given: Exits = NO_EXITS) -> None:
        """Writes to standard output what is to be shown; --why-not asks the exits that are ``given``, too."""
        answer = self._of_the_other(told, snapshot, given)
        if self.as_json:
            print_json(told.to_json() | ({"why_not": answer.to_json()} if answer else {}))
            return
        if self.brief:
            print_verdict(told)
        else:
            print_explanation(told, self.every_rule or self.conditions)
        if answer:
            print_why_not(answer)

    def _of_the_other(self, told: Explanation, snapshot: Snapshot, given: Exits) -> WhyNot | None:
        """The answer to --why-not, if that is asked. Raises NothingAskedError for a queue manager that is not known."""
        if self.why_not is None:
            return None
        cluster = told.decision.cluster
        local = cluster.queue_manager.name
        known = [local, *cluster.remote, *snapshot.others.strangers]
        if self.why_not not in known:
            near = suggest_name(self.why_not, known)
            tells = f" (DISPLAY CLUSQMGR('{self.why_not}') there tells whether that is so)"
            raise NothingAskedError(f"--why-not: queue manager {self.why_not!r} is not known at {local}{tells}{near}")
        with Engine(told.decision.rules, exits=given.given, exit_limit=given.limit) as engine:
            answer = why_not(told.decision, self.why_not, engine)
        if answer.permitted or answer.fallen:
            return answer
        return evolve(answer, absent=explain_absence(told.decision, self.why_not, snapshot))


def explain_files(
    files: Sequence[Source],
    asked: Mapping[str, Any],
    local: str | None,
    rules: Rules,
    lenient: bool,
    shown: ExplainOutput,
    sets: Sequence[str] = (),
    states: Sequence[str] = (),
    given: Exits = NO_EXITS,
) -> int:
    """Explains one put and returns the exit status.

    ``asked`` has the attributes of the put that were given as options. Raises
    FactsError, NothingAskedError and DisagreementError.
    """
    snapshot = apply_what_if(read_sources(files, local, lenient), sets, states)
    place = _place_of_put(snapshot, [file.name for file in files])
    put = build_put(snapshot.put, asked, snapshot.cluster, place)
    refuse_model_queue(put, snapshot, place)
    told = Explanation.of(decide_with_check(put, snapshot.cluster, rules, shown.conditions), snapshot)
    if given.names:
        told = _with_exits(told, given, snapshot)
        print_unnamed_exits(given, [snapshot.cluster.queue_manager.clwlexit])
    print_warnings(snapshot.warnings, () if shown.as_json else snapshot.remarks)
    shown.print_decision(told, snapshot, given)
    return STATUS[told.decision.outcome]


def decide_with_check(put: Put, cluster: Cluster, rules: Rules, conditions: bool) -> Decision:
    """The decision by the executor that explains; raises DisagreementError unless compiled says the same."""
    level: Level = "condition" if conditions else "rule"
    executor = choose_executor()
    explained = Engine(rules, executor).choose(put, cluster, explain=level)
    compiled = Engine(rules).choose(put, cluster, explain=level)
    one, other = explained.to_json(), compiled.to_json()
    for key, value in one.items():
        if value != other[key]:
            raise DisagreementError(f"{executor} and compiled differ in {key!r}: {value} and {other[key]}")
    return explained


def explain_lines(
    lines: Iterable[bytes],
    out: BinaryIO,
    asked: Mapping[str, Any],
    rules: Rules,
    conditions: bool,
    given: Exits = NO_EXITS,
    changes: ChangeOptions = ((), ()),
) -> int:
    """Explains each line of ``lines`` with the compiled rules; returns 0, or 2 if a line was bad.

    ``changes`` are what if, in each line.

    A bad line gives ``{"error": "…"}`` in its place and the run goes on. What another reading would give is left
    out: it would take several times as long. Raises RuleError.
    """
    engine, named = Engine(rules, exits=given.given, exit_limit=given.limit), dict[str, None]()
    level: Level = "condition" if conditions else "rule"
    status = 0
    for number, line in enumerate(lines, start=1):
        try:
            result, clwlexit = _explained(line, number, engine, asked, level, changes)
            named[clwlexit] = None
        except FactsError as error:
            result, status = build_error_line(error), 2
        out.write(f"{result}\n".encode())
    out.flush()
    engine.close()
    print_unnamed_exits(given, named)
    return status


def decode_line(line: bytes, source: str) -> str:
    """A line as text, without what ends it: nothing of it stands on a second line. Raises FactsError."""
    try:
        return line.rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        raise FactsError([Diagnostic(source, f"is not UTF-8 at byte {error.start}")]) from None


def build_error_line(error: FactsError) -> str:
    """What stands in the place of a bad line's result."""
    return json.dumps({"error": str(error).replace("\n", "; ")}, ensure_ascii=False)


def _place_of_put(snapshot: Snapshot, files: Sequence[str]) -> str | None:
    """The file that has the put, or that would have it; None where it could be any of several."""
    if snapshot.put is not None:
        return snapshot.provenance.of(snapshot.put, "call").source
    return files[0] if len(files) == 1 else None


def _with_exits(told: Explanation, given: Exits, snapshot: Snapshot) -> Explanation:
    """The same decision with what exits make of it; what is to be said of the own choice stays where that stands."""
    own = told.decision
    with Engine(own.rules, choose_executor(), given.given, given.limit) as engine:
        decision = engine.choose(own.put, own.cluster, explain=own.level)
        return told.with_exit(decision, snapshot, engine.exit_answer)


def _explained(
    line: bytes, number: int, engine: Engine, asked: Mapping[str, Any], level: Level, changes: ChangeOptions
) -> tuple[str, str]:
    """The trace of a line, and the CLWLEXIT in it. Raises FactsError."""
    source = f"line {number}"
    document = parse_json(decode_line(line, source), source)
    if document.diagnostics:
        raise FactsError(document.diagnostics)
    snapshot = read_document(document.data, source)
    if any(changes):
        snapshot = _changed(snapshot, changes, source)
    try:
        put = build_put(snapshot.put, asked)
    except NothingAskedError as error:
        raise FactsError([Diagnostic(source, str(error))]) from None
    # Each line is a queue manager of its own: no exit remembers anything of the line before.
    session = ExitSession()
    decision = engine.choose(put, snapshot.cluster, explain=level, caller=Caller(session=session))
    told = Explanation.of(decision, snapshot, other_readings=False)
    text = told.with_exit(decision, snapshot, engine.exit_answer).to_json_text()
    engine.exits.end(session)
    return text, snapshot.cluster.queue_manager.clwlexit


def _changed(snapshot: Snapshot, changes: ChangeOptions, source: str) -> Snapshot:
    try:
        return apply_what_if(snapshot, *changes)
    except FactsError as error:
        raise FactsError(evolve(each, source=f"{source}: {each.source}") for each in error.diagnostics) from None
