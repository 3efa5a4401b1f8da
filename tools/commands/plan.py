"""``mqclause plan``: what a change does to the cluster: where puts go before and after, and the clauses that decide."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase

import click
from attrs import evolve, frozen

from mqclause.check.findings import Checks, FindingChanges, Inspection, inspected
from mqclause.cluster.admin_commands import apply_failure
from mqclause.cluster.plan import (
    ChangePlan,
    Traffic,
    begin_at,
    build_change_plan,
    list_recorded_members,
    upgrade_members,
    upgrade_recorded_members,
)
from mqclause.model.configuration.changes import CHANGES
from mqclause.model.configuration.members import (
    Members,
    get_local_name,
    list_changed_routes,
    remove_member,
    suspend_member,
)
from mqclause.model.diagnostics import FactsError, call_arguments
from mqclause.model.facts.objects import Channel
from mqclause.render.cluster import (
    SIDE_COLUMNS,
    build_plan_lines,
    list_left_out_of_plan,
    print_plan,
)
from mqclause.render.markdown import render_plan_comment
from mqclause.render.terminal import track_progress
from mqclause.rulebook.rules import AUTO, Rules
from mqclause.tools.commands.map import ClusterQuestion, print_member_warnings
from mqclause.tools.commands.options import Inputs, blame_status_option, group_options, quote_mqsc
from mqclause.tools.output import (
    check_page,
    list_warnings,
    print_json,
    print_pieces,
    print_warnings,
    write_csv,
    write_page,
)
from mqclause.trace import join_names
from mqclause.workload.decision import Engine
from mqclause.workload.delivery import check_delivery
from mqclause.workload.editions import get_levels, list_level_remarks

CheckedChanges = tuple[FindingChanges, Sequence[str]]
"""What check finds on one side alone, and what is to be said of senders that lead to nobody."""

SOMETHING_CHANGES = 3
"""The exit status where puts go elsewhere."""


@frozen
class MemberChange:
    """The options that change whole members of the cluster."""

    then: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    suspending: tuple[str, ...] = ()
    upgrades: tuple[tuple[str, str], ...] = ()

    def apply(self, members: Members, rules: Rules) -> Members:
        """Return the members after the change. Raises FactsError."""
        for name in self.left_out:
            members = remove_member(members, name)
        for name in self.failing:
            members = apply_failure(members, name, rules)
        for name in self.suspending:
            members = suspend_member(members, name)
        for name, edition in self.upgrades:
            members = upgrade_members(members, name, edition, rules)
        return members

    def list_options(self, inputs: Inputs) -> Iterator[str]:
        """List the options that say what changes, as they were given."""
        named = {
            "after": self.then, "set": inputs.sets, "with": inputs.overlays, "status": inputs.states,
            "without": self.left_out, "fail": self.failing, "suspend": self.suspending,
            "upgrade": ["=".join(each) for each in self.upgrades],
        }  # fmt: skip
        yield from (f"--{name} {shlex.quote(each)}" for name, values in named.items() for each in values)


@frozen
class PlanOutput:
    """The form in which a plan is printed. Raises UsageError and NotInstalledError for a page that cannot be."""

    as_json: bool = False
    as_csv: bool = False
    as_markdown: bool = False
    html: str | None = None

    def __attrs_post_init__(self) -> None:
        check_page(self.html, is_drawn=True)

    def print_plan(self, found: ChangePlan, rules: Rules, asked: Sequence[str]) -> None:
        """Print the plan; a comment has what was written to standard error, too, which its readers do not see.

        A page names the options that were ``asked``. Raises NotWrittenError.
        """
        if self.html is not None:
            from mqclause.pages.plan import view_plan

            write_page(self.html, view_plan(found, rules, asked))
        if self.as_json:
            print_json(found.to_json())
        elif self.as_csv:
            _write(found)
        elif self.as_markdown:
            print_pieces([render_plan_comment(found, list_warnings())])
        else:
            print_plan(found)


@group_options(inputs=Inputs, change=MemberChange, output=PlanOutput)
def show_plan(
    inputs: Inputs, change: MemberChange, output: PlanOutput, pattern: str | None, bind: str, puts: str | None
) -> int:
    """Show what a change does, and return the exit status. Raises FactsError and UsageError."""
    with plan_files(inputs, change, pattern, bind, puts) as (found, rules, *_):
        output.print_plan(found, rules, [*change.list_options(inputs)])
    return SOMETHING_CHANGES if found.changes_something else 0


@contextmanager
def plan_files(
    inputs: Inputs, change: MemberChange, pattern: str | None, bind: str, puts: str | None
) -> Iterator[tuple[ChangePlan, Rules, Members, Members]]:
    """Plan a change of what files describe, with the rules that decide and the members on both sides.

    In the body exits can be called, which a plan may do that is printed. Raises FactsError and UsageError.
    """
    question = ClusterQuestion.of(
        evolve(inputs, edition=None) if change.upgrades else inputs, pattern, bind, change.then
    )
    before = question.before()
    asked, told = question.rules, get_levels(each.cluster for each in before)
    if change.upgrades and inputs.edition not in (None, AUTO):
        before, asked = begin_at(before, inputs.edition, asked), asked.in_edition(inputs.edition)
    _check_changed(question, change)
    described = question.after(before)
    after = change.apply(described, question.rules)
    told |= get_levels(each.cluster for each in after) if change.then else {}
    print_member_warnings((*before, *after))
    print_warnings((), [*list_level_remarks(asked, told), *_describe_recorded(before, change)])
    traffic = _read_traffic(puts) if puts else None
    checked = _looked_at(question, change, before, described, after)
    with question.engine((*before, *after)) as engine:
        yield plan_change(question, before, after, traffic, checked, engine), engine.rules, before, after


def _read_traffic(puts: str) -> Traffic:
    from mqclause.tools.batch.tables import read_traffic

    return read_traffic(puts)


def _write(found: ChangePlan) -> None:
    """Writes the rows as CSV, and what they do not say to standard error."""
    print_warnings((), list_left_out_of_plan(found))
    write_csv(SIDE_COLUMNS, build_plan_lines(found.rows))


def _check_changed(question: ClusterQuestion, change: MemberChange) -> None:
    """Raises UsageError where no change is named: an empty one would pass for one that changes nothing."""
    if not (question.overlays or question.inputs.sets or question.states or change != MemberChange()):
        options = "--after, --set, --with, --status, --without, --fail, --suspend or --upgrade"
        raise click.UsageError(f"name a change: {options}")


def plan_change(
    question: ClusterQuestion,
    before: Members,
    after: Members,
    traffic: Traffic | None,
    checked: CheckedChanges,
    engine: Engine,
) -> ChangePlan:
    """Compare the members ``before`` and ``after`` a change. Raises NothingAskedError."""
    findings, to_nobody = checked
    found = build_change_plan(
        question.asked(before), after, engine, question.bind, traffic,
        fits=lambda row: question.is_queue_named(row.name), track=track_progress,
    )  # fmt: skip
    question.check_any_fits(found.any_fits)
    unasked = [*_describe_one_sided(question.asked(before), question.asked(after))] if question.then else []
    findings = findings.about_queues(question.is_queue_named)
    return evolve(found, findings=findings, to_nobody=to_nobody, unasked=unasked)


def _describe_one_sided(before: Members, after: Members) -> Iterator[str]:
    """Say which members the files of one side alone describe: the map has no row of theirs to compare."""
    had, has = ([get_local_name(each) for each in side] for side in (before, after))
    for side, names in (
        ("before", [each for each in had if each not in has]),
        ("after", [each for each in has if each not in had]),
    ):
        if names:
            who = f"{join_names(names)} {'is' if len(names) == 1 else 'are'} described"
            yield f"{who} {side} the change alone: where puts made there go is not compared"


def _describe_recorded(members: Members, change: MemberChange) -> Iterator[str]:
    """Say of which queue managers that are to be upgraded no file tells where their puts go."""
    fitting = [
        name for name in list_recorded_members(members) if any(fnmatchcase(name, each) for each, _ in change.upgrades)
    ]
    if fitting:
        who = f"{join_names(fitting)} {'is' if len(fitting) == 1 else 'are'}"
        yield f"{who} known by records alone: findings go by the upgrade, and where puts made there go is not told"


def _levels(members: Members) -> dict[str, int]:
    """The command levels that are known, by queue manager."""
    known = {get_local_name(each): each.cluster.queue_manager.command_level for each in members}
    return {name: level for name, level in known.items() if level}


def _looked_at(
    question: ClusterQuestion, change: MemberChange, before: Members, described: Members, after: Members
) -> CheckedChanges:
    """What check finds on one side alone, of members that both sides have, and which senders lead to none then.

    Nothing of files that check does not take, and nothing of what a member knows that leaves. ``described`` are the
    members by files and commands alone, ``after`` those that also members are left out of, fail and so on.
    """
    left_out, inputs = change.left_out, question.inputs
    if inputs.local in left_out:
        return FindingChanges(), ()
    checks = Checks(question.rules)
    try:
        was = inspected(question.files, checks, inputs.local, inputs.lenient)
        then = inspected(question.then, checks, inputs.local, inputs.lenient) if question.then else was
        changed = _change_inspection(then, question, change, list_changed_routes(described, after))
        if change.upgrades:
            was, changed = _upgrade_inspections(was, changed, question, change, before, after)
        staying = changed.without(left_out)
        gone, new = was.findings(), staying.findings() if staying.members else []
    except FactsError as error:
        print_warnings([f"findings are not compared: {error.diagnostics[0]}"])
        return FindingChanges(), ()
    looks = (check_delivery(each, question.rules) for each in changed.list_senders_to(left_out))
    said = [remark for look in looks if look is not None for remark in look.remarks]
    leaving = {*left_out, *(was.members.keys() - then.members.keys())}
    changes = FindingChanges.between([each for each in gone if each.queue_manager not in leaving], new)
    return changes, said


def _change_inspection(
    described: Inspection, question: ClusterQuestion, change: MemberChange, failing: Mapping[str, Sequence[Channel]]
) -> Inspection:
    """What was looked at, with the change; ``failing`` are the routes to members that fail. Raises FactsError."""
    changed = described.changed(question.overlays, question.inputs.sets)
    with blame_status_option():
        changed = changed.changed((), question.states)
    commands = [f"QMGR({quote_mqsc(name)}) SUSPEND(YES)" for name in change.suspending if name in described.members]
    with call_arguments({CHANGES: "--suspend"}):
        changed = changed.changed((), commands)
    return changed.with_routes(failing, "--fail")


def _upgrade_inspections(
    was: Inspection,
    changed: Inspection,
    question: ClusterQuestion,
    change: MemberChange,
    before: Members,
    after: Members,
) -> tuple[Inspection, Inspection]:
    """What was looked at on both sides, with the command levels of members that are of other editions there."""
    asked = question.inputs.edition
    recorded = dict.fromkeys(list_recorded_members(before), 0)
    recorded |= {name: level for name, level in was.told_levels.items() if name in recorded}
    if asked not in (None, AUTO):
        recorded = dict.fromkeys(recorded, question.rules.levels[asked])
    then = upgrade_recorded_members(recorded, change.upgrades, question.rules)
    return was.upgraded({**recorded, **_levels(before)}), changed.upgraded({**then, **_levels(after)})
