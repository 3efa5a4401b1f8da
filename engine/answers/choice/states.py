"""States of channels that no source tells, in words, and the commands that tell them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import fields

from mqclause.model.assembly.incomplete import Incomplete
from mqclause.model.facts.destination import Destination

VARIED = "channel_status"
"""The attribute of a destination that is varied."""

STATES = tuple(state for state in getattr(fields(Destination), VARIED).metadata["domain"].words if state)
"""Every status that a channel can have."""

AskedFor = tuple[str, str]
"""An MQ object that something is not known of, in words, and the command that tells it."""

Route = tuple[str, str]
"""A channel and the queue manager that it leads to: in every cluster it has one status."""


def of_channel(route: Route, taken: str, others: Mapping[str, str], routes: Mapping[Route, str]) -> Incomplete:
    """That the state of one of the routes is not known, and what other states make of the answer."""
    what = f"channel status unknown; taken as {taken}. {ifs(f'{route[0]} is', others)}"
    return Incomplete(what, route[0], asking(route, routes))


def asking(route: Route, routes: Mapping[Route, str]) -> str:
    """The command that tells the state of one of the routes."""
    channel, queue_manager = route
    alone = sum(name == channel for name, _ in routes) == 1
    named, to = _in_mqsc(channel), _in_mqsc(queue_manager)
    return asking_status(channel) if alone else f"DISPLAY CLUSQMGR({to}) CHANNEL({named}) STATUS"


def asking_status(channel: str) -> str:
    """The command that tells the state of the only channel of a name."""
    return f"DISPLAY CHSTATUS({_in_mqsc(channel)})"


def ifs(subject: str, answers: Mapping[str, str]) -> str:
    """``If TO.QM2 is RETRYING: QM3``, for each answer; the states that change nothing, where those are fewer."""
    by_answer: dict[str, list[str]] = {}
    for state, answer in answers.items():
        by_answer.setdefault(answer, []).append(state)
    kept = [state for state in STATES if state not in answers]
    if len(by_answer) == 1 and 0 < len(kept) < len(answers):
        neither = f"neither {' nor '.join(kept)}" if len(kept) > 1 else f"not {kept[0]}"
        return f"If {subject} {neither}: {next(iter(by_answer))}"
    said = "; ".join(f"if {subject} {' or '.join(states)}: {answer}" for answer, states in by_answer.items())
    return said[:1].upper() + said[1:]


def _in_mqsc(name: str) -> str:
    """A name as a command takes it: in quotes where MQSC would fold it to upper case."""
    return name if name == name.upper() else f"'{name}'"
