"""What a cluster workload exit made of a decision, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from mqclause.answers.choice.exit_answer import ExitAnswer


def exit_lines(answer: ExitAnswer | None) -> Iterator[tuple[str, Text]]:
    """Whether the exit was called and with what, the own choice, and what its answer does; nothing without an exit.

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
