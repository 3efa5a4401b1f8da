"""``mqclause explain``: the decision by forward chaining, checked against the compiled rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, BinaryIO

import click
from attrs import asdict, evolve, frozen

from mqclause.exits.process import NO_EXITS, Caller, Exits, ExitSession
from mqclause.model.configuration.snapshot import Snapshot, read_document
from mqclause.model.diagnostics import ArgumentError, Diagnostic, DomainError, FactsError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.render.explanation import print_explanation, print_verdict
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import (
    Inputs,
    answer_lines,
    choose_executor,
    group_options,
    print_unnamed_exits,
    read_input_lines,
)
from mqclause.tools.errors import DisagreementError, NothingAskedError
from mqclause.tools.output import check_page, print_json, print_rows, print_warnings, write_page
from mqclause.workload.decision import Decision, Engine, Level
from mqclause.workload.explanation import Explanation

STATUS = {"chosen": 0, "deferred": 0, "failed": 1}


@frozen
class PutOptions:
    """The options that describe the put; each overrides what the facts say."""

    queue: str | None = None
    queue_manager: str | None = None
    bind: str | None = None
    call: str | None = None
    from_cluster_channel: bool | None = None

    def build_put(self, given: Put | None, cluster: Cluster | None = None, source: str | None = None) -> Put:
        """Build the put of the facts with the options in its place; ``source`` is where the facts would have it.

        Raises NothingAskedError and FactsError.
        """
        try:
            put = evolve(given or Put(), **self._stated) if self._stated or given is None else given
        except DomainError as error:
            raise FactsError([Diagnostic("put", str(error))]) from None
        if not (put.queue or put.queue_manager):
            how = "name a queue with --put, or give a [put] table with queue or queue_manager"
            place = f"{source}: " if source else ""
            raise NothingAskedError(f"{place}no put: {how}{_queues(cluster)}")
        return put

    @cached_property
    def _stated(self) -> dict[str, Any]:
        return asdict(self, filter=lambda _, value: value is not None)


DESTINATION_COLUMNS = ("queue", "queue_manager", "channel", "permitted", "chosen", "rule", "clause", "because")


def build_destination_rows(trace: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Build a row for each destination: those that are permitted, then the others with what removed them last."""
    for each in trace["permitted"]:
        yield {**each, "permitted": True, "chosen": each == trace["chosen"]}
    fallen = {}
    for step in trace["steps"]:
        for out in step["eliminated"]:
            why = {"rule": step["rule"], "clause": step["clause"], "because": out["because"]}
            fallen[_name(out)] = {**out, "permitted": False, "chosen": False, **why}
    permitted = set(map(_name, trace["permitted"]))
    yield from (each for name, each in fallen.items() if name not in permitted)


def _name(destination: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(destination.get(key) for key in ("queue", "queue_manager", "channel"))


@frozen
class ExplainOutput:
    """The parts of a decision to show, and how. Raises UsageError for the verdict alone and more than that."""

    as_json: bool = False
    as_csv: bool = False
    brief: bool = False
    every_rule: bool = False
    conditions: bool = False
    why_not: str | None = None
    html: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.brief and (self.as_json or self.every_rule or self.conditions or self.why_not):
            more = "--json, --all, --conditions or --why-not"
            raise click.UsageError(f"--brief is the verdict alone; leave it out for {more}")
        if self.as_csv and (self.brief or self.every_rule or self.conditions or self.why_not):
            raise click.UsageError(
                "--csv is a line for each destination; leave out --brief, --all, --conditions, --why-not"
            )
        check_page(self.html)

    def check_lines(self) -> None:
        """Raise UsageError for what --lines does not answer."""
        if self.as_csv or self.brief or self.every_rule or self.why_not or self.html:
            raise click.UsageError("--lines answers in JSON; leave out --csv, --brief, --all, --why-not and --html")

    def print_decision(self, told: Explanation, snapshot: Snapshot, given: Exits = NO_EXITS) -> None:
        """Write to standard output what is to be shown; --why-not asks the exits that are ``given``, too."""
        answer = None
        if self.why_not is not None:
            # It takes as long to load as all the rest.
            from mqclause.cluster.counterfactuals import why_not
            from mqclause.render.why import print_why_not

            with Engine(told.decision.rules, exits=given.given, exit_limit=given.limit) as engine:
                try:
                    answer = why_not(told.decision, self.why_not, engine, snapshot=snapshot)
                except ArgumentError as error:
                    raise NothingAskedError(f"--why-not: {error}") from None
        if self.html is not None:
            from mqclause.pages.decision import view_decision

            write_page(self.html, view_decision(told, why_not=answer.to_json() if answer else None))
        if self.as_json:
            print_json(told.to_json() | ({"why_not": answer.to_json()} if answer else {}))
            return
        if self.as_csv:
            print_rows(DESTINATION_COLUMNS, build_destination_rows(told.to_json()))
        elif self.brief:
            print_verdict(told)
        else:
            print_explanation(told, self.every_rule or self.conditions)
        if answer:
            print_why_not(answer)


@group_options(inputs=Inputs, put=PutOptions, output=ExplainOutput)
def explain_put(inputs: Inputs, put: PutOptions, output: ExplainOutput, lines: str | None) -> int:
    """Explain where a put goes, or each of many, and return the exit status. Raises FactsError and UsageError."""
    if lines is None:
        return explain_files(inputs, put, output)
    output.check_lines()
    inputs.check_lines()
    rules, exits = inputs.load_rules(), inputs.load_exits()
    engine = Engine(rules, exits=exits.given, exit_limit=exits.limit)
    level: Level = "condition" if output.conditions else "rule"
    return explain_lines(read_input_lines(lines), sys.stdout.buffer, engine, (inputs, put), level)


def explain_files(inputs: Inputs, options: PutOptions, output: ExplainOutput) -> int:
    """Explain one put and return the exit status. Raises FactsError, NothingAskedError and DisagreementError."""
    rules, exits = inputs.load_rules(), inputs.load_exits()
    files = inputs.read_sources()
    snapshot = inputs.build_snapshot(files)
    place = _place_of_put(snapshot, [file.name for file in files])
    put = options.build_put(snapshot.put, snapshot.cluster, place)
    if refusal := snapshot.cluster.refusal(put.queue, put.queue_manager):
        raise FactsError([Diagnostic(place or "put", f"put: {refusal}" if place else refusal)])
    explanation = Explanation.of(decide_with_check(put, snapshot.cluster, rules, output.conditions), snapshot)
    if exits.names:
        explanation = _with_exits(explanation, exits, snapshot)
        print_unnamed_exits(exits, [snapshot.cluster.queue_manager.clwlexit])
    print_warnings(snapshot.warnings, () if output.as_json else snapshot.remarks)
    output.print_decision(explanation, snapshot, exits)
    return STATUS[explanation.decision.outcome]


def decide_with_check(put: Put, cluster: Cluster, rules: Rules, conditions: bool) -> Decision:
    """Decide by the executor that explains; raises DisagreementError unless compiled says the same."""
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
    lines: Iterable[bytes], out: BinaryIO, engine: Engine, asked: tuple[Inputs, PutOptions], level: Level = "rule"
) -> int:
    """Explain each line of ``lines`` with the rules of ``engine``; return 0, or 2 if a line was bad.

    What is asked of each line are the put options, and what if of the inputs. What another reading would give is left
    out: it takes long. Raises RuleError.
    """
    named = dict[str, None]()

    def explain(document: Mapping[str, Any], source: str) -> bytes:
        text, clwlexit = _explained(document, source, engine, asked, level)
        named[clwlexit] = None
        return f"{text}\n".encode()

    status = answer_lines(lines, out, explain)
    engine.close()
    print_unnamed_exits(engine.exits, named)
    return status


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
    document: Mapping[str, Any], source: str, engine: Engine, asked: tuple[Inputs, PutOptions], level: Level
) -> tuple[str, str]:
    """The trace of a line, and the CLWLEXIT in it. Raises FactsError."""
    inputs, options = asked
    snapshot = read_document(document, source)
    if inputs.sets or inputs.states:
        snapshot = _changed(snapshot, inputs, source)
    try:
        put = options.build_put(snapshot.put)
    except NothingAskedError as error:
        raise FactsError([Diagnostic(source, str(error))]) from None
    # Each line is a queue manager of its own: no exit remembers anything of the line before.
    session = ExitSession()
    decision = engine.choose(put, snapshot.cluster, explain=level, caller=Caller(session=session))
    told = Explanation.of(decision, snapshot, other_readings=False)
    text = told.with_exit(decision, snapshot, engine.exit_answer).to_json_text()
    engine.exits.end(session)
    return text, snapshot.cluster.queue_manager.clwlexit


def _changed(snapshot: Snapshot, inputs: Inputs, source: str) -> Snapshot:
    try:
        return inputs.apply_changes(snapshot)
    except FactsError as error:
        raise FactsError(evolve(each, source=f"{source}: {each.source}") for each in error.diagnostics) from None


def _queues(cluster: Cluster | None) -> str:
    if cluster is None:
        return ""
    names = [name for name in cluster.queues_by_name if not name.startswith("SYSTEM.")]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"; queues in the facts: {shown}" if names else ""
