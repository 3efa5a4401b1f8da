"""Cases of the rules of retrieval: messages on the queue APPQ, calls on it, and what each of them gives.

``facts`` may have messages and events; those of the case follow (``message``, ``event``). Events are counted from 0,
those of the scene included; ``acts`` is about the events of the case alone.

In ``[case.expect]``, of which only what is stated is asked for:

- ``physical``, ``logical``: the ids of the messages in that order, before any event
- ``left_out``: by message, the rule by which it is not in the order that is asked for
- ``as_put``: by application, why its messages need not keep their order; nothing if they do
- ``got``: by event, the messages; ``reason``, ``warning``: by event, the code; no other event has one
- ``group_status``, ``segment_status``: by event; ``remarks``: by event, all of them
- ``passed_over``: by event, for every message before the one that is returned the rule by which it was not
- ``because``: by message, why it was left out or passed over; ``failed_because``: by event, why the call failed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from attrs import frozen

from mqclause.answers.cases.asked_case import Comparison, decided
from mqclause.answers.cases.scenario_case import ScenarioCase
from mqclause.answers.order.looks import Looks
from mqclause.answers.order.retrieval import ORDERS, PassedOver, QueueOrder, Retrieval
from mqclause.answers.replay.replay import Replay
from mqclause.answers.replay.replay_row import Row
from mqclause.executors.run import ExecutorName, Run
from mqclause.model.facts.retrieval import QueuedMessage, RetrievalCall
from mqclause.rulebook.case import Stated, differs
from mqclause.rulebook.rule import Ruleset
from mqclause.rulebook.rules import Rules

QUEUE = "APPQ"
"""The queue of every scene."""


class Forgetting(dict[Any, Any]):
    """Keeps nothing."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Forgets it at once."""


class AskedRetrieval(Retrieval):
    """The rules of retrieval, which are asked about all of a queue and keep what they did: every run is traced."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        super().__init__(rules, executor)
        self.runs: list[Run] = []
        self.looks = Looks([bool])
        self.known_puts = Forgetting()

    def run(self, call: RetrievalCall, messages: Sequence[QueuedMessage], traced: bool = False) -> Run:  # noqa: ARG002 - always
        """As Retrieval, traced and kept."""
        self.runs.append(super().run(call, messages, traced=True))
        return self.runs[-1]


class Retrieved(NamedTuple):
    """What the rules made of a case: the order of the queue, the rows of its events, the runs that count as its own."""

    ruleset: Ruleset
    order: QueueOrder | None
    rows: tuple[Row, ...]
    runs: tuple[Run, ...]

    def passed_over(self) -> Iterator[PassedOver]:
        """Every message that was left out of an order or passed over by an event."""
        yield from self.order.left_out if self.order is not None else ()
        for row in self.rows:
            if row.returned is not None:
                yield from row.returned.passed_over()


def _order(of: str) -> Comparison:
    def compare(answer: Retrieved, wanted: list[str]) -> Iterator[str]:
        found = getattr(answer.order, of) if answer.order is not None else ()
        yield from differs(of, wanted, [each.id for each in found])

    return compare


def _left_out(answer: Retrieved, wanted: Stated) -> Iterator[str]:
    found = {each.message: each.rule.id for each in answer.order.left_out} if answer.order is not None else {}
    yield from differs("left_out", dict(sorted(wanted.items())), dict(sorted(found.items())))


def _as_put(answer: Retrieved, wanted: Stated) -> Iterator[str]:
    found = {each.by: list(each.because) for each in answer.order.as_put} if answer.order is not None else {}
    yield from differs("as_put", dict(wanted), found)
    for each in answer.order.as_put if answer.order is not None else ():
        yield from differs(f"guaranteed to {each.by}", not wanted.get(each.by), each.guaranteed)


def _because(answer: Retrieved, wanted: Stated) -> Iterator[str]:
    said = {each.message: each.because for each in answer.passed_over()}
    for name, sentence in wanted.items():
        yield from differs(f"because of {name}", sentence, said.get(name))


def _passed_over(answer: Retrieved, wanted: Stated) -> Iterator[str]:
    for row in answer.rows:
        if str(row.number) in wanted and row.returned is not None:
            found = {each.message: each.rule.id for each in row.returned.passed_over()}
            yield from differs(f"passed over at {row.number}", wanted[str(row.number)], found)


def _failed_because(answer: Retrieved, wanted: Stated) -> Iterator[str]:
    said = {str(row.number): row.returned.because for row in answer.rows if row.returned is not None}
    for event, sentence in wanted.items():
        yield from differs(f"failed because at {event}", sentence, said.get(event))


def _by_event(key: str, of: Callable[[Stated], Any], every: bool = False) -> Comparison:
    def compare(answer: Retrieved, wanted: Stated) -> Iterator[str]:
        found = {str(row.number): of(row.to_json()) for row in answer.rows}
        asked = {event: got for event, got in found.items() if event in wanted or (every and got is not None)}
        yield from differs(key, dict(sorted(wanted.items())), dict(sorted(asked.items())))

    return compare


RETRIEVAL_EXPECTATIONS: Mapping[str, Comparison] = {
    "physical": _order("physical"),
    "logical": _order("logical"),
    "left_out": _left_out,
    "as_put": _as_put,
    "got": _by_event("got", lambda row: row.get("got")),
    "reason": _by_event("reason", lambda row: None if row.get("warning") else row.get("reason"), every=True),
    "warning": _by_event("warning", lambda row: row.get("reason") if row.get("warning") else None, every=True),
    "group_status": _by_event("group_status", lambda row: row.get("group_status")),
    "segment_status": _by_event("segment_status", lambda row: row.get("segment_status")),
    "remarks": _by_event("remarks", lambda row: row.get("remarks"), every=True),
    "passed_over": _passed_over,
    "because": _because,
    "failed_because": _failed_because,
}
"""The closed set of keys that a case may expect, and how each is compared."""


@frozen(eq=False, slots=False)
class RetrievalCase(ScenarioCase):
    """Messages and events over their facts, and what the rules of retrieval make of them."""

    KEYS: ClassVar[frozenset[str]] = frozenset({"message", "event"})
    EXPECTS: ClassVar[frozenset[str]] = frozenset(RETRIEVAL_EXPECTATIONS)
    COMPARED: ClassVar[Mapping[str, Comparison]] = RETRIEVAL_EXPECTATIONS

    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> Retrieved:
        """What the rules make of the messages and of each event. Raises FactsError, ReadingError and RuleError."""
        read = self.read(rules)
        asked = AskedRetrieval(read, executor)
        order = self._order(asked)
        rows: list[Row] = []
        own = 0 if self.expect.keys() & {*ORDERS, "as_put"} else None
        if self.scenario.events:
            replay = Replay(read, executor)
            replay.retrieval = asked
            for row in replay.rows(self.scenario, str(self)):
                if row.number < self.own:
                    own = len(asked.runs)
                rows.append(row)
        return Retrieved(asked.ruleset, order, tuple(rows), tuple(asked.runs[own or 0 :]))

    def _order(self, asked: AskedRetrieval) -> QueueOrder | None:
        """The order of the queue as far as it is asked for."""
        wanted = [of for of in ORDERS if of in self.expect]
        if not wanted and "as_put" not in self.expect:
            return None
        cluster, messages = self.scenario.cluster, self.scenario.messages
        queue = next(each for each in cluster.queues if each.name == QUEUE)
        return asked.order(messages, queue, cluster.queue_manager.name, wanted, cluster.queue_manager.platform)

    def told(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        answer = self.answer(rules, executor)
        order = answer.order.to_json() if answer.order is not None else None
        passed_over = [(each.message, each.of, each.rule.id, each.because) for each in answer.passed_over()]
        return order, [row.to_json() for row in answer.rows], passed_over

    def acted(self, answer: Retrieved) -> bool:
        """Whether the case's rule decided something."""
        rule = next((each for each in answer.ruleset.rules if each.id == self.rule), None)
        if rule is None:
            return False
        at = answer.ruleset.rules.index(rule)
        return any(decided(rule, (run.trace or ())[at], self.ordinary) for run in answer.runs)
