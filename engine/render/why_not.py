"""Render why a queue manager is not chosen, and which commands would change that."""

from __future__ import annotations

from rich.text import Text

from mqclause.cluster.counterfactuals import WhyNot
from mqclause.model.diagnostics import name_argument
from mqclause.render.terminal import Page

CHANGES_SHOWN = 10
LABEL_WIDTH = 8


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
        page.line(f"{each.host}: {because}", f"{rule.clause:>6}", LABEL_WIDTH)
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
