"""A decision as a person reads it on a terminal: every clause, who fell and why, who remains, the choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from mqclause.answers.decision import Decision
from mqclause.model.diagnostic import name_suggestion
from mqclause.model.facts.objects import Put
from mqclause.trace.record import Fate, StepTrace, Test
from mqclause.trace.sentence import shown

PLAIN_WIDTH = 120
"""The width of the table where the output is no terminal, in characters."""


def print_decision(
    decision: Decision, assumptions: Sequence[str] = (), incomplete: Sequence[str] = (), console: Console | None = None
) -> None:
    """Prints what is not known, the question, the clauses with what each did, the answer, and what it rests on."""
    console = console or Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    for each in incomplete:
        console.print(Text(f"{each}: the answer is incomplete", "yellow"))
    console.print(Text.assemble(("put     ", "dim"), question(decision)))
    console.print(Text.assemble(("reaches ", "dim"), reach(decision)))
    console.print()
    console.print(clauses(decision))
    console.print()
    console.print(answer_line(decision, certain=not incomplete))
    for remark in [*remarks(decision), *assumptions]:
        console.print(Text(f"  {remark}", "dim"))


def question(decision: Decision) -> str:
    """What is asked: ``to queue CQ1 at QM4 by MQPUT, binding OPEN``."""
    put, seen = decision.put, decision.situation
    named = f"queue {put.queue}" if put.queue else f"queue manager {put.queue_manager}"
    binding = f"binding {seen.bind}" + (" (DEFBIND)" if put.bind == "AS_Q_DEF" else "")
    more = [binding] if put.call != "MQPUT1" else []
    more += ["arrived over a cluster channel"] if put.from_cluster_channel else []
    more += ["cluster PCF message"] if put.cluster_pcf else []
    return f"to {named}, made at {decision.cluster.queue_manager.name} by {', '.join([put.call, *more])}"


def reach(decision: Decision) -> str:
    """The destinations before any rule, or why there are none."""
    if decision.listed:
        count = len(decision.listed)
        names = ", ".join(each.host for each in decision.listed[:8]) + (", …" if count > 8 else "")
        return f"{count} destination{'s' if count > 1 else ''}: {names}"
    return f"nothing: {_missing(decision)}"


def _missing(decision: Decision) -> str:
    put, cluster = decision.put, decision.cluster
    if put.queue in cluster.queues_by_name:
        return f"no channel leads to a queue manager that has queue {put.queue}"
    named: Put | str = put.queue or put.queue_manager
    known = cluster.queues_by_name if put.queue else {**cluster.aliases_by_name, **cluster.remote}
    what = "queue" if put.queue else "queue manager or alias"
    return f"no {what} {named} in these facts{name_suggestion(str(named), known)}"


def clauses(decision: Decision) -> Table:
    """Two kinds of rows: a rule, with how many it left (– if it does not apply); below it, what it did here."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("clause", justify="right")
    table.add_column("left", justify="right")
    table.add_column("rule")
    for step in decision.steps:
        left = str(step.remaining) if step.applied else "–"
        table.add_row(step.rule.clause, left, escape(step.rule.title), style="" if _acted(step) else "dim")
        for line in did(step):
            table.add_row("", "", line)
    return table


def _acted(step: StepTrace) -> bool:
    return bool(step.eliminated or step.set_aside or step.taken_back)


def did(step: StepTrace) -> Iterator[Text]:
    """What a rule did, a line each: who fell and why, who was taken back, what was derived; or why it did nothing."""
    if not step.applied:
        failing = next((test for test in step.when if not test.holds), None)
        if failing:
            yield Text(f"no    {_tested(failing)}", "dim")
        return
    out = {fate.subject for fate in step.eliminated}
    for fate in step.eliminated:
        yield from _fallen(fate, "out", "red")
    for fate in step.set_aside:
        if fate.subject not in out:
            yield from _fallen(fate, "aside", "yellow")
    for each in step.taken_back:
        yield Text.assemble(("back  ", "green"), each.host)
    for name, value in (step.derived or {}).items():
        yield Text(f"{name} = {shown(value)}", "dim")


def _fallen(fate: Fate, word: str, colour: str) -> Iterator[Text]:
    yield Text.assemble((f"{word:<6}", colour), (fate.subject.host, "bold"), f": {fate.because}")
    for test in fate.tests:
        yield Text(f"      {'yes' if test.holds else 'no':<4}{_tested(test)}", "dim")


def _tested(test: Test) -> str:
    values = ", ".join(f"{name} = {shown(value)}" for name, value in test.values.items())
    return f"{test.condition} ({values})" if values else test.condition


def answer_line(decision: Decision, certain: bool = True) -> Text:
    """The destination or the reason code, and who else was as good.

    A failure is not ``certain`` where a member that is not described may have what the put names.
    """
    chosen, reason = decision.chosen, decision.reason
    if reason is not None:
        head = f"{reason.call} fails with {reason.name} ({reason.code})"
        unless = "" if certain else ", if no member that is not described has it"
        return Text.assemble((head, "bold red"), f"{unless}: {reason.because}")
    if chosen is None:
        return Text(decision.verdict, "bold")
    where = Text.assemble("goes to ", (chosen.name, "bold green"))
    others = [each.host for each in decision.permitted if each is not chosen]
    if others:
        where.append(f"; as good: {', '.join(others)} (the one listed first is taken)")
    return where


def remarks(decision: Decision) -> Iterator[str]:
    """What to know besides: readings that are not the default, how exact shares are."""
    known = decision.rules.known_readings
    for name, choice in decision.readings.items():
        if choice != known[name].default:
            yield f"read with {name}={choice} (default: {known[name].default})"
    yield from decision.remarks
    if decision.chosen is not None and decision.chosen.is_local and decision.chosen.queue_type == "QALIAS":
        instances = decision.cluster.queues_by_name[decision.chosen.queue]
        target = next(queue.target for queue in instances if queue.queue_manager == decision.chosen.queue_manager)
        yield f"{decision.chosen.queue} is an alias of {target or 'no queue'}: put to that to see where messages go"
