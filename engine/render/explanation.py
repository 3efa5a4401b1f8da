"""Render a decision: the answer and what it depends on, then the rules that decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from mqclause.model.diagnostics import name_argument, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Queue
from mqclause.render.terminal import Page
from mqclause.trace import Effect, StepTrace, Test, render_value
from mqclause.workload.decision import Decision
from mqclause.workload.editions import say_edition_source
from mqclause.workload.exit_answer import ExitAnswer
from mqclause.workload.explanation import Explanation, describe_tie_break
from mqclause.workload.sensitivity import CombinedStates

LABEL = 12
"""The column in which the lines of the answer begin, behind their labels."""

RULE = 14
"""The column in which the title of a rule begins, behind its clause and how many it left."""

FATE = 20
"""The column in which it says what became of a destination, behind the word for it."""

UNKNOWNS_SHOWN = 3
"""How many of the points that an answer rests on are told, where not all are asked for."""

HOSTS_SHOWN = 8
"""How many destinations are named in the line that says what a put reaches."""


def print_explanation(told: Explanation, every_rule: bool = False, page: Page | None = None) -> None:
    """Print the question, the answer, what it rests on, and the rules that decided something or all of them."""
    page = page or Page()
    for label, text in render_answer(told, every_rule):
        page.line(text, Text(label, "dim"), LABEL)
    _print_rules(told.decision, every_rule, page)


def print_verdict(told: Explanation) -> None:
    """Print the answer in one line."""
    count = sum(not isinstance(each, CombinedStates) for each in told.incomplete)
    unknown = f"; rests on {count} unknown fact{'s' if count > 1 else ''}" if count else ""
    Page().line(f"{told.decision.verdict}{unknown}")


def render_answer(told: Explanation, whole: bool) -> Iterator[tuple[str, Text]]:
    """Render the lines of the answer: the put, what it reaches, where it goes or what it fails with, and notes."""
    decision = told.decision
    yield "put", Text(render_question(decision))
    label = "names"
    for sentence in render_names(decision):
        yield label, Text(sentence)
        label = ""
    if decision.runs:
        if told.edition_from != "default":
            source = say_edition_source(told.edition_from or decision.edition_from)
            yield "edition", Text(f"{decision.rules.edition} ({source})")
        yield "reaches", Text(render_reach(decision))
    yield from render_exit_answer(decision.exit)
    yield from _ending(told)
    yield from _rests_on(told, whole)
    label, told_above = "notes", {each.what for each in told.incomplete} | {decision.verdict}
    notes = (each for each in render_remarks(decision, told.remarks) if each not in told_above)
    for each in [*told.obstacles, *notes, *told.ties, *told.readings, *told.assumptions]:
        yield label, Text(each, "dim")
        label = ""


def render_names(decision: Decision) -> Iterator[str]:
    """Render how the names were resolved: each object that was followed, and what no workload rule was asked about."""
    looks = decision.resolved.looks
    for look in looks if not (decision.runs or decision.reason) else decision.resolved.followed:
        yield look.because


def render_question(decision: Decision) -> str:
    """Render what is asked: ``to queue CQ1, made at QM4; MQOPEN chooses: binding OPEN, from DEFBIND``."""
    put = decision.put
    queue_manager = put.queue_manager if put.queue else f"queue manager {put.queue_manager}"
    named = " at ".join(filter(None, (put.queue and f"queue {put.queue}", queue_manager)))
    more = ["arrived over a cluster channel"] if put.from_cluster_channel else []
    more += ["cluster PCF message"] if put.cluster_pcf else []
    made = ", ".join([f"made at {decision.cluster.queue_manager.name}", *more])
    return f"to {named}, {made}; {_who_chooses(decision)}" if decision.runs else f"to {named}, {made} by {put.call}"


def render_reach(decision: Decision) -> str:
    """Render the destinations before any rule, or why there are none."""
    if decision.listed:
        count = len(decision.listed)
        names = ", ".join(each.host for each in decision.listed[:HOSTS_SHOWN]) + (", …" if count > HOSTS_SHOWN else "")
        return f"{count} destination{'s' if count > 1 else ''}: {names}"
    return f"nothing: {_missing(decision)}"


def render_remarks(decision: Decision, remarks: Iterable[str]) -> Iterator[str]:
    """Render the remarks: readings that are not the default, how exact shares are."""
    known = decision.rules.known_readings
    for name, choice in decision.readings.items():
        if choice != known[name].default:
            yield f"read with {name}={choice} (default: {known[name].default})"
    yield from remarks
    if decision.reason is not None and not decision.runs:
        near = _near(decision)
        if near:
            yield near


def render_step(step: StepTrace) -> Iterator[tuple[Text | None, Text]]:
    """Render what a rule did: who fell and why, who was taken back, what was derived; or why it did nothing.

    Before what became of a destination a word for it; nothing before what was derived.
    """
    if not step.applied:
        failing = next((test for test in step.when if not test.holds), None)
        if failing:
            yield Text("no", "dim"), Text(_tested(failing), "dim")
        return
    out = {fate.subject for fate in step.eliminated}
    for fate in step.eliminated:
        yield from _fallen(fate, Text("out", "red"))
    for fate in step.set_aside:
        if fate.subject not in out:
            yield from _fallen(fate, Text("aside", "yellow"))
    for each in step.taken_back:
        yield Text("back", "green"), Text(each.host)
    for name, value in (step.derived or {}).items():
        yield None, Text(f"{name} = {render_value(value)}", "dim")


def render_exit_answer(answer: ExitAnswer | None) -> Iterator[tuple[str, Text]]:
    """Render whether the exit was called and with what, the own choice, and what its answer does.

    Before each line a label, blank for those after the first. That its answer ends the call is told with the reason.
    """
    if answer is None or not answer.is_given:
        return
    if not answer.called:
        yield "exit", Text(f"not called: {answer.because}", "dim")
        return
    own = answer.own_choice.host if answer.own_choice else "none"
    count = len(answer.offered)
    offered = f"{count} destination{'s' if count > 1 else ''}"
    yield "exit", Text(f"called with {answer.reason} and {offered}; own choice: {own}")
    if not answer.failed:
        taken = f": {answer.chosen.host}" if answer.chosen is not None else ""
        yield "", Text(f"{answer.because}{taken}")


def _who_chooses(decision: Decision) -> str:
    """The call that makes the choice, and by which binding."""
    put, bind = decision.put, decision.situation.bind
    if put.call == "MQPUT1":
        return "MQPUT1 chooses"
    origin = ", from DEFBIND" if put.bind == "AS_Q_DEF" else ""
    # Neither a queue manager nor a queue that there is not has a DEFBIND; an alias of a queue manager has one.
    known = put.queue in decision.cluster.queues_by_name and not decision.situation.put_queue_manager
    known = known or bool(put.queue and put.queue_manager in decision.cluster.aliases_by_name)
    binding = f": binding {bind}{origin}" if known or not origin else ""
    if decision.fixed:
        return f"MQOPEN chooses{binding}"
    later = "the first MQPUT of each group" if bind == "GROUP" else "each MQPUT"
    return f"MQOPEN leaves the choice to {later}{binding}" if put.call == "MQOPEN" else f"{later} chooses{binding}"


def _missing(decision: Decision) -> str:
    seen = decision.situation
    if seen.put_queue:
        return f"no channel leads to a queue manager that has queue {seen.put_queue}"
    return f"no channel leads to queue manager {seen.put_queue_manager}"


def _near(decision: Decision) -> str:
    """A name that was perhaps meant, where the last one that was looked up is unknown: none that led to it."""
    seen, cluster = decision.resolved.last.situation, decision.cluster
    followed = {
        name for look in decision.resolved.looks for name in (look.situation.queue, look.situation.queue_manager)
    }
    for name, known in (
        (seen.queue_manager, {**cluster.remote, **cluster.aliases_by_name, **_standing_for_others(cluster)}),
        (seen.queue, {**cluster.queues_by_name, **dict.fromkeys(cluster.models)}),
    ):
        if name and name not in known and name != seen.local_queue_manager:
            return suggest_name(name, known.keys() - followed).removeprefix("; ")
    return ""


def _standing_for_others(cluster: Cluster) -> dict[str, Queue]:
    """The own queues whose names can be given as those of queue managers: transmission queues and aliases."""
    own = cluster.own_queues
    return {
        name: each for name, each in own.items() if each.usage == "XMITQ" or (each.type == "QREMOTE" and not each.rname)
    }


def _ending(told: Explanation) -> Iterator[tuple[str, Text]]:
    """Where the put goes, or what it fails with; and who else was as good."""
    decision, chosen, reason = told.decision, told.decision.chosen, told.decision.reason
    if reason is not None:
        certain = ", as far as the sources tell" if told.incomplete else ""
        head = f"{reason.name} ({reason.code}) at {reason.call}{certain}"
        yield "fails with", Text.assemble((head, "bold red"), f": {reason.because}")
    elif chosen is None:
        yield "deferred", Text(decision.verdict, "bold")
        if decision.permitted:
            yield "meets now", Text(", ".join(each.host for each in decision.permitted))
    else:
        by_exit = ", which the exit chose" if decision.exit is not None and decision.exit.has_overridden else ""
        yield "goes to", Text.assemble((chosen.name, "bold green"), by_exit)
        others = [each.host for each in decision.permitted if each is not chosen]
        if others:
            yield "as good", Text(f"{', '.join(others)} ({describe_tie_break(decision)})")


def _rests_on(told: Explanation, whole: bool) -> Iterator[tuple[str, Text]]:
    """What is not known and could change the answer, each with the command that tells it."""
    label, said = "rests on", ""
    for each in told.incomplete if whole else told.incomplete[:UNKNOWNS_SHOWN]:
        # Of several channels the same is unknown: that is said once.
        first, _, rest = each.what.partition(". ")
        for sentence in [rest] if first == said and rest else filter(None, [first, rest]):
            yield label, Text(sentence, "yellow")
            label = ""
        yield from (("", Text(command, "dim")) for command in filter(None, [each.command]))
        said = first
    more = len(told.incomplete) - UNKNOWNS_SHOWN
    if more > 0 and not whole:
        yield "", Text(f"and on {more} more ({name_argument('incomplete')} shows them)", "dim")


def _print_rules(decision: Decision, every_rule: bool, page: Page) -> None:
    """A rule in a line, with how many it left (– if it does not apply); below it what it did."""
    steps = [step for step in decision.steps if every_rule or _acted(step)]
    if steps:
        page.line()
        page.line(Text("clause  left  rule", "bold"))
    for step in steps:
        left = str(step.remaining) if step.applied else "–"
        style = "" if _acted(step) else "dim"
        page.line(Text(step.rule.title, style), Text(f"{step.rule.clause:>6}  {left:>4}", style), RULE)
        for label, line in render_step(step):
            page.line(line, Text.assemble(" " * RULE, label or ""), RULE if label is None else FATE)
    if decision.listed and len(steps) < len(decision.steps):
        page.line()
        said = "The other rules removed none" if steps else "No rule removed any"
        page.line(Text(f"{said}; {name_argument('steps')} shows them", "dim"))


def _acted(step: StepTrace) -> bool:
    return bool(step.eliminated or step.set_aside or step.taken_back)


def _fallen(fate: Effect, label: Text) -> Iterator[tuple[Text, Text]]:
    yield label, Text.assemble((fate.subject.host, "bold"), f": {fate.because}")
    for test in fate.tests:
        yield Text(), Text(f"{'yes' if test.holds else 'no':<4}{_tested(test)}", "dim")


def _tested(test: Test) -> str:
    values = ", ".join(f"{name} = {render_value(value)}" for name, value in test.values.items())
    return f"{test.condition} ({values})" if values else test.condition
