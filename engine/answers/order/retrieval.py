"""Retrieval: in which order the messages of a queue lie, and whether an application's puts keep their order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Any

from attrs import asdict, evolve, frozen

from mqclause.answers.order.looks import Looks, Sees, looks_of, sees_of
from mqclause.answers.order.message_terms import message_terms
from mqclause.documents import RETRIEVAL
from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import ExecutorName, Run
from mqclause.language.evaluate import Scope
from mqclause.model.assembly.incomplete import Incomplete
from mqclause.model.diagnostic import Diagnostic, FactsError, instead, quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.message import Message
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.retrieval import QueuedMessage, RetrievalCall, Terms, queued
from mqclause.rulebook.rule import Because, Conclude, Holds, Rule, Ruleset
from mqclause.rulebook.rules import Rules
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence, sentence_about

ORDER_FORMAT = "mqclause.order/1"

ORDERS: Mapping[str, RetrievalCall] = {
    "physical": RetrievalCall(),
    "logical": RetrievalCall(options=("LOGICAL_ORDER",)),
}
"""The questions for the two orders of a queue."""


@frozen(eq=False)
class PassedOver:
    """A message that a rule left out, ``of`` the physical order, the logical order or what a call may return."""

    message: str
    of: str
    rule: Rule
    because: str


@frozen
class AsPut:
    """Whether a plain get retrieves the messages of the application ``by`` in the order in which it put them."""

    by: str
    guaranteed: bool
    because: tuple[str, ...]


@frozen(eq=False)
class QueueOrder:
    """The messages of one queue in physical and in logical order, who is left out of them, and whose order is kept.

    ``remarks`` are what rules have to say of the orders.
    """

    queue: Queue
    physical: Sequence[QueuedMessage]
    logical: Sequence[QueuedMessage]
    left_out: Sequence[PassedOver]
    as_put: Sequence[AsPut]
    remarks: tuple[str, ...] = ()

    @property
    def incomplete(self) -> tuple[Incomplete, ...]:
        """That messages are on the queue, or may be, of which none is given."""
        name, depth = self.queue.name, self.queue.curdepth
        if depth == 0 or self.physical or self.logical or self.left_out:
            return ()
        there = "no source tells how many messages are" if depth is None else f"CURDEPTH is {depth}, and no message is"
        there = f"{there} on {name}" if depth is None else f"{there} given"
        what = f"{there}: their order is that of [[message]] tables, one for each, in the order of arrival"
        return (Incomplete(what, name, f"amqsbcg '{name}' {self.queue.queue_manager}"),)

    def to_json(self) -> dict[str, Any]:
        """As the object of ``mqclause order --json``."""
        return {
            "format": ORDER_FORMAT,
            "queue": self.queue.name,
            "physical": [each.id for each in self.physical],
            "logical": [each.id for each in self.logical],
            "left_out": [
                {
                    "message": each.message,
                    "of": each.of,
                    "rule": each.rule.id,
                    "clause": each.rule.clause,
                    "because": each.because,
                }
                for each in self.left_out
            ],
            "as_put": [
                {"by": each.by, "guaranteed": each.guaranteed, "because": list(each.because)} for each in self.as_put
            ],
            **({"remarks": list(self.remarks)} if self.remarks else {}),
            **({"incomplete": [asdict(each) for each in self.incomplete]} if self.incomplete else {}),
        }


class Retrieval:
    """The rules of retrieval, made ready once. Arguments as for Engine; it pickles as its rules. Raises RuleError."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.rules = Rules.given(rules)
        self.executor = executor
        self.course = Course.of(self.rules, RETRIEVAL, executor)
        self.known_puts: dict[tuple[Any, ...], Any] = {}
        self.terms: Terms = message_terms(self.rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return Retrieval, (self.rules, self.executor)

    @property
    def ruleset(self) -> Ruleset:
        """The rules."""
        return self.course.rulesets[-1]

    @cached_property
    def looks(self) -> Looks:
        """Which messages of a queue a get has to look at."""
        return looks_of(self.course.steps[-1])

    @cached_property
    def sees(self) -> Sees | None:
        """Whether a call sees what open units of work have put; None where each sees its own."""
        return sees_of(self.course.steps[-1])

    def run(self, call: RetrievalCall, messages: Sequence[QueuedMessage], traced: bool = False) -> Run:
        """What the rules make of a call on a queue."""
        return self.course.run(call, messages, traced=traced)[-1]

    def orders(self, messages: Iterable[Message], cluster: Cluster, queue: str | None = None) -> Iterator[QueueOrder]:
        """The order of each queue that has messages, as the facts list the queues, or of the one that is named.

        ``messages`` in the order of their arrival. Raises FactsError for a name, or a message's queue, that is no local
        queue.
        """
        local, own = local_queues(cluster), cluster.queue_manager
        by_queue: dict[str, list[Message]] = {}
        for message in messages:
            by_queue.setdefault(message.queue, []).append(message)
        named = [*by_queue] if queue is None else [*by_queue, queue]
        if unknown := [name for name in named if name not in local]:
            raise FactsError([Diagnostic("queue", not_local(name, local)) for name in unknown])
        if queue is not None:
            yield self.order(by_queue.get(queue, ()), local[queue], own.name, platform=own.platform)
            return
        for name in local:
            if name in by_queue:
                yield self.order(by_queue[name], local[name], own.name, platform=own.platform)

    def order(
        self,
        messages: Sequence[Message],
        queue: Queue,
        queue_manager: str,
        of: Collection[str] = tuple(ORDERS),
        platform: str = "MULTI",
    ) -> QueueOrder:
        """The orders ``of`` ``messages``, given in the order of their arrival on ``queue`` of ``queue_manager``."""
        there = everybody_sees if self.sees is None else partial(self.sees, RetrievalCall())
        listed = queued(messages, queue, self.terms, there)
        remaining: dict[str, Sequence[QueuedMessage]] = dict.fromkeys(ORDERS, ())
        left_out: list[PassedOver] = []
        remarks: list[str] = []
        for name in of:
            # An order is no call: a rule that ends calls ends none here, and who is left out is told to the end.
            call = evolve(ORDERS[name], platform=platform, indxtype=queue.indxtype)
            run = self.run(call, listed, traced=True)._replace(failure=None)
            remaining[name] = run.remaining
            left_out += self.passed_over(call, run, listed, name)
            remarks += self.remarks(call, run)
        puts = evolve(RetrievalCall(mqi_call="PUTS"), platform=platform, indxtype=queue.indxtype)
        as_put = tuple(self._as_put(messages, listed, queue_manager, puts))
        found = remaining["physical"], remaining["logical"]
        return QueueOrder(queue, *found, left_out, as_put, tuple(dict.fromkeys(remarks)))

    def passed_over(
        self, call: RetrievalCall, run: Run, listed: Sequence[QueuedMessage], of: str
    ) -> Iterator[PassedOver]:
        """Whom the rules of a traced ``run`` left out, and why, rule by rule, up to the one that ends the call."""
        ruleset, first = self.ruleset, first_scope(self.course.steps[-1], call, listed, None, {})
        saw = seen_by(ruleset, run, listed, first, in_order=False)
        ends = len(ruleset.rules) if run.failure is None else run.failure.rule
        for rule, did, seen in islice(zip(ruleset.rules, run.trace or (), saw, strict=True), ends):
            if did is not None and did[0]:
                because = sentence_about(ruleset, rule, scope_of(seen, first))
                for each in did[0]:
                    yield PassedOver(each.id, of, rule, because(each))

    def because(self, call: RetrievalCall, rule: Rule, run: Run) -> str:
        """Why ``rule`` ends a call, told by the call itself and by what the ``run`` derived."""
        return sentence(self.ruleset, rule, None, self._at_the_end(call, run))

    def remarks(self, call: RetrievalCall, run: Run) -> Iterator[str]:
        """The remarks of the rules of which all that they derive is true, told likewise."""
        for rule in self.ruleset.remarking(run.facts):
            yield sentence(self.ruleset, rule, None, self._at_the_end(call, run), Because(rule.remark))

    def _at_the_end(self, call: RetrievalCall, run: Run) -> Scope:
        first = first_scope(self.course.steps[-1], call, (), None, {})
        return Scope(first.vocabulary, call, run.remaining, None, run.facts, run.every)

    def _as_put(
        self, messages: Iterable[Message], listed: Iterable[QueuedMessage], queue_manager: str, puts: RetrievalCall
    ) -> Iterator[AsPut]:
        by_application: dict[str, list[tuple[Message, int]]] = {}
        for message, each in zip(messages, listed, strict=True):
            if not message.unit_of_work:
                by_application.setdefault(message.by, []).append((message, each.enqueued_priority))
        for by, put in by_application.items():
            if len(put) > 1:
                yield self._kept(by, _counted(puts, put, queue_manager))

    def _kept(self, by: str, call: RetrievalCall) -> AsPut:
        ruleset, run = self.ruleset, self.run(call, (), traced=True)
        first = first_scope(self.course.steps[-1], call, (), None, {})
        because, kept = [], False
        for rule, did, seen in zip(ruleset.rules, run.trace or (), seen_by(ruleset, run, (), first), strict=True):
            derived: Mapping[str, Any] = (did and did[3]) or {}
            if isinstance(rule.action, Holds) and derived.get("holds") is False:
                because.append(sentence(ruleset, rule, None, scope_of(seen, first)))
            if isinstance(rule.action, Conclude):
                kept = kept or bool(derived.get(rule.action.fact))
        return AsPut(by, kept, tuple(because))


def everybody_sees(message: QueuedMessage) -> bool:
    """Whether a message is there for everybody: no open unit of work has put it."""
    return not message.unit_of_work


def _counted(puts: RetrievalCall, put: Sequence[tuple[Message, int]], queue_manager: str) -> RetrievalCall:
    """What the rules see of the messages that one application has put, given with their priorities."""
    return evolve(
        puts,
        priorities=len({priority for _, priority in put}),
        units_of_work=len({each.put_in for each, _ in put}),
        put_elsewhere=sum(each.put_at not in ("", queue_manager) for each, _ in put),
    )


def local_queues(cluster: Cluster) -> dict[str, Queue]:
    """The local queues of the local queue manager, as they are listed."""
    own = cluster.queue_manager.name
    return {each.name: each for each in cluster.queues if each.queue_manager == own and each.type == "QLOCAL"}


def not_local(name: str, local: Mapping[str, Queue]) -> str:
    """What is wrong with the name of something else."""
    return f"{quoted(name)} is no local queue{instead(name, local)}"
