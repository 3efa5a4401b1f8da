"""Render why queues trigger or do not, and why a queue manager is not chosen: what is in the way, what helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from mqclause.cluster.counterfactuals import WhyNot
from mqclause.model.diagnostics import name_argument
from mqclause.render.terminal import Page
from mqclause.trigger.why import BlockingCondition, Verdict, WhyAnswer

SUMMARY: dict[Verdict, str] = {
    "triggers": "{} would trigger",
    "does not": "{} would not",
    "depends": "{} may: it depends on what is not known",
}

BELOW, BESIDE_CLAUSE = 2, 8
"""The columns in which lines below the verdict begin, and what stands behind a clause."""

CHANGES_SHOWN = 10


def print_answers(answers: Sequence[WhyAnswer], page: Page | None = None) -> None:
    """Print how many trigger, where several are asked for; then each answer, and what all of them rest on."""
    page = page or Page()
    for line in _lines(answers):
        begun = len(line.plain) - len(line.plain.lstrip())
        indent = BESIDE_CLAUSE if begun > BELOW else begun
        page.line(line[indent:] if indent else line, line[:indent] if indent else "", indent)


def _lines(answers: Sequence[WhyAnswer]) -> Iterator[Text]:
    if len(answers) > 1:
        counts = Counter(each.verdict for each in answers)
        said = ", ".join(text.format(counts[verdict]) for verdict, text in SUMMARY.items() if counts[verdict])
        yield Text.assemble((f"of {len(answers)} queues {said}", "bold"))
    for given in answers:
        if len(answers) > 1:
            yield Text()
        yield from render_answer(given)
    assumed: dict[str, list[str]] = {}
    for each in answers:
        for text in each.assumed:
            assumed.setdefault(text, []).append(each.queue.name)
    if assumed and len(answers) > 1:
        yield Text()
    for text, names in assumed.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        of = f"of {names[0]}{more}: " if len(names) < len(answers) else ""
        yield Text(f"  assumed: {of}{text}", "dim")


def render_answer(given: WhyAnswer) -> Iterator[Text]:
    """Render one answer, line by line: below the verdict, first, that the trigger message would start nothing."""
    queue = given.queue
    shown = {"trigger": "TRIGGER" if queue.trigger else "NOTRIGGER", "trigtype": f"TRIGTYPE({queue.trigtype})"}
    kind = "".join(f" {word}" for attribute, word in shown.items() if attribute not in given.left_open)
    yield Text.assemble((queue.name, "bold"), f" {kind}: " if kind else ": ", render_verdict(given))
    yield from (Text(f"  {remark}") for remark in given.remarks)
    if given.remedy:
        yield Text(f"        {given.remedy}", "dim")
    if given.rule is not None:
        yield Text(f"  clause {given.rule.clause}: {given.rule.title}")
    yield from (line for doubt in given.doubts if doubt.holds is False for line in _in_the_way(doubt, mend=True))
    if given.unavoidable_failures:
        yield Text("  whatever is true of what is not known, one of these fails:")
        yield from (Text(f"  {each.rule.clause:>4}  {each.because}") for each in given.unavoidable_failures)
    if given.verdict == "does not" and given.deciding_unknowns:
        yield Text("  besides, by what is not known:")
    by_others = [doubt for doubt in given.doubts if doubt.holds is None and not doubt.by]
    yield from (line for doubt in by_others for line in _in_the_way(doubt, mend=given.verdict == "depends"))
    yield from _not_known(given)
    for each in given.further:
        yield from (Text(f"     {sign}  {part}") for sign, part in zip("? ", each.what.split(". "), strict=False))
        yield from (Text(f"        {command}", "dim") for command in filter(None, [each.command]))


def render_verdict(given: WhyAnswer) -> Text:
    """Render what becomes of a message put now."""
    if given.reason is not None:
        failed = f"the put fails with {given.reason} ({given.reason_name})"
        return Text(f"a message put now would not trigger: {failed}", "bold red")
    if given.verdict == "triggers":
        return Text("a message put now would trigger", "bold green")
    if given.verdict == "does not":
        return Text("a message put now would not trigger", "bold red")
    return Text(f"a message put now would trigger, if {given.requirement}", "bold yellow")


def _in_the_way(doubt: BlockingCondition, mend: bool) -> Iterator[Text]:
    condition = doubt.condition
    yield Text(f"  {condition.rule.clause:>4}  {doubt.because}")
    yield from (Text(f"        {line}", "dim") for line in condition.remedy.splitlines() if mend)
    if condition.advice and mend:
        yield Text(f"        ({condition.advice})", "dim")


def _not_known(given: WhyAnswer) -> Iterator[Text]:
    """What decides and is not known, and the commands that tell it: each command once."""
    names: dict[str, list[str]] = {}
    for each in given.deciding_unknowns:
        clauses = dict.fromkeys(doubt.condition.rule.clause for doubt in given.doubts if each in doubt.by)
        name = f"{each.name} (clause {', '.join(clauses)})" if clauses else each.name
        names.setdefault(each.command, []).append(name)
    for command, asked in names.items():
        yield Text(f"     ?  {' and '.join(asked)}")
        yield from (Text(f"        {each}", "dim") for each in filter(None, [command]))


def print_why_not(answer: WhyNot, page: Page | None = None) -> None:
    """Print the clause by which each destination fell, and the smallest sets of commands by which it would not."""
    page = page or Page()
    page.line()
    page.line(Text(f"why not {answer.queue_manager}?", "bold"))
    if answer.permitted:
        page.line(f"  {answer.queue_manager} is permitted")
    elif answer.absent is not None:
        page.line(f"{answer.absent.what}", "", 2)
        if answer.absent.command:
            page.line(Text(answer.absent.command, "dim"), "", 4)
    for each, rule, because in answer.fallen:
        page.line(f"{each.host}: {because}", f"{rule.clause:>6}", BESIDE_CLAUSE)
    if answer.fallen and not answer.permitted:
        _print_changes(answer, page)


def _print_changes(answer: WhyNot, page: Page) -> None:
    count = f"{answer.searched} commands" if answer.searched > 1 else "one command"
    by_exit = ", with the exit" if answer.by_exit else ""
    if answer.ended:
        page.line(Text(answer.ended, "yellow"), "", 2)
    if not answer.changes:
        if answer.searched:
            page.line(f"no set of up to {count}{by_exit}{',' if by_exit else ''} would have it permitted", "", 2)
        return
    tried = f"sets of up to {count}{by_exit}" if answer.searched else "not all single commands were tried"
    page.line(f"each of these would have it permitted ({tried}):", "", 2)
    for commands in answer.changes[:CHANGES_SHOWN]:
        said = "; ".join(f"{each.queue_manager}: {each.command}" for each in commands)
        page.line(Text(said, "green"), "", 4, hanging=2)
    more = len(answer.changes) - CHANGES_SHOWN
    if more > 0:
        page.line(Text(f"and {more} more ({name_argument('to_json()')} shows them)", "dim"), "", 4)
