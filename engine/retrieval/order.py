"""Put the messages of a queue in physical and logical order, and plan which of them a call must look at.

They are asked once. Gets, orders and trigger conditions then see what they said.

Messages are listed as they lie, of like ones the first, and without those that a rule is sure to leave out; the first
that the rules leave is returned. That gives what all of a queue gives where each message is looked at by itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from attrs import asdict, evolve, field, fields, frozen

from mqclause.answers import ShownAnswer
from mqclause.documents import RETRIEVAL
from mqclause.executors.operations import (
    ExecutorName,
    Filter,
    Let,
    LoweredRuleset,
    Operation,
    Rank,
    Run,
    compile_expression,
    list_expressions,
)
from mqclause.executors.pipeline import DocumentRules
from mqclause.executors.plain import build_first_scope
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, is_equivalent, is_possible
from mqclause.language.nodes import build_and, get_literal_value
from mqclause.language.parser import expand_terms, parse_unchecked
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.diagnostics import Diagnostic, FactsError, check_each, check_type, quote_value, suggest_allowed
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import escape_for_shell
from mqclause.model.facts.messages import (
    HIGHEST_PRIORITY,
    EnqueueRules,
    ItemRole,
    Message,
    QueuedMessage,
    RetrievalCall,
    StatedMessage,
    build_queued_messages,
    list_message_values,
    list_stated_values,
)
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.retrieval import (
    BY_ITEM,
    BY_PLACE,
    COMMITTED,
    IDENTITY_ATTRIBUTES,
    LEADING,
    SINGLE_MESSAGE_CONDITIONS,
    SKIPPED_CONDITIONS,
    ListedBy,
)
from mqclause.rulebook.rule import Conclude, Condition, Expression, MessageTemplate, Rule, identify_rule
from mqclause.rulebook.rules import Rules, RulesOrigin
from mqclause.trace import build_scope, build_sentence_renderer, list_rule_inputs, render_sentence

ORDERS: Mapping[str, RetrievalCall] = {
    "physical": RetrievalCall(),
    "logical": RetrievalCall(options=("LOGICAL_ORDER",)),
}
"""The questions for the two orders of a queue."""

MOST_KNOWN = 10_000
"""How many answers are kept: messages of groups differ in their numbers alone."""

ITEM_TERMS = (
    "is_first", "begins_message", "ends_message", "ends_item", "followed_by_sequence", "followed_by_offset",
)  # fmt: skip
NO_QUEUE = Queue("-", "-")

Applies = Callable[[RetrievalCall], bool]
"""Whether a step applies to a call; where that takes more than the call, it may."""

ScanFilters = Sequence[tuple[str, Applies]]
"""What steps leave out that a walk through a queue can, of SKIPPED_CONDITIONS, and when."""

VisibilityTest = Callable[[RetrievalCall, QueuedMessage], bool]
"""Whether a call sees a message, as far as the unit of work that has put it counts."""

ITEM_ATTRIBUTES = frozenset(each.name for each in fields(QueuedMessage)) - {
    *(each.name for each in fields(StatedMessage)), "enqueued_priority", "arrival", "unit_of_work", *RETRIEVAL.terms,
}  # fmt: skip
"""What a message is among others of its item."""


@frozen
class PassedOver:
    """A message that a rule left out, ``of`` the physical order, the logical order or what a call may return."""

    message: str
    of: str
    rule: Rule = field(eq=identify_rule)
    because: str


@frozen
class PutOrderGuarantee:
    """Whether a plain get retrieves the messages of the application ``by`` in the order in which it put them."""

    by: str
    guaranteed: bool
    because: tuple[str, ...]


@frozen(repr=False)
class QueueOrder(ShownAnswer):
    """The messages of one queue in physical and in logical order, who is left out of them, and whose order is kept.

    ``remarks`` are what rules have to say of the orders; ``asked`` is what gets are asked of, if it is known.
    """

    written_by = "order"

    queue: Queue
    physical: Sequence[QueuedMessage] = field(eq=list_message_values)
    logical: Sequence[QueuedMessage] = field(eq=list_message_values)
    left_out: Sequence[PassedOver] = field(eq=tuple)
    as_put: Sequence[PutOrderGuarantee] = field(eq=tuple)
    remarks: tuple[str, ...] = ()
    origin: RulesOrigin | None = None
    asked: tuple[Retrieval, Cluster, Sequence[Message]] | None = field(default=None, eq=False, repr=False)

    @property
    def incomplete(self) -> tuple[MissingInformation, ...]:
        """The messages that are, or may be, on the queue and that no source gives."""
        name, depth = self.queue.name, self.queue.curdepth
        if depth == 0 or self.physical or self.logical or self.left_out:
            return ()
        there = "no source tells how many messages are" if depth is None else f"CURDEPTH is {depth}, and no message is"
        there = f"{there} on {name}" if depth is None else f"{there} given"
        what = f"{there}: their order is that of [[message]] tables, one for each, in the order of arrival"
        command = f"amqsbcg '{escape_for_shell(name)}' {shlex.quote(self.queue.queue_manager)}"
        return (MissingInformation(what, name, command),)

    def to_json(self) -> dict[str, Any]:
        """Return the object of ``mqclause order --json``."""
        return {
            **self._head,
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


class Retrieval(DocumentRules):
    """The rules of retrieval, loaded and ready. ``terms`` say what a message is when it is put.

    Arguments as for Engine; it has no state, so threads may share it, and pickles as its rules. Raises RuleError.
    """

    document = RETRIEVAL

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        super().__init__(rules, executor)
        self.known_puts: dict[tuple[Any, ...], Any] = {}
        self.terms: EnqueueRules = compile_message_terms(self.rules)

    @cached_property
    def looks(self) -> RetrievalPlan:
        """The plan of which messages of a queue a get has to look at."""
        return _build_retrieval_plan(self.steps)

    @cached_property
    def sees(self) -> VisibilityTest | None:
        """Whether a call sees what open units of work have put; None where each sees its own."""
        return _build_visibility_test(self.steps)

    def run(self, call: RetrievalCall, messages: Sequence[QueuedMessage], traced: bool = False) -> Run:
        """Run the rules on a call on a queue."""
        return self.course.run(call, messages, traced=traced)[-1]

    def orders(self, messages: Iterable[Message], cluster: Cluster, queue: str | None = None) -> Iterator[QueueOrder]:
        """Return the order of each queue that has messages, or of the one that is named.

        ``messages`` in the order of their arrival. Raises FactsError for a name, or a message's queue, that is no local
        queue.
        """
        check_type("cluster", cluster, Cluster, ", as snapshot.cluster")
        local, own = list_local_queues(cluster), cluster.queue_manager
        by_queue: dict[str, list[Message]] = {}
        for message in check_each("messages", messages, Message):
            by_queue.setdefault(message.queue, []).append(message)
        named = [*by_queue] if queue is None else [*by_queue, queue]
        if unknown := [name for name in named if name not in local]:
            raise FactsError([Diagnostic("queue", describe_unknown_queue(name, local)) for name in unknown])
        for name in local if queue is None else (queue,):
            if name in by_queue or queue is not None:
                lying = by_queue.get(name, ())
                found = self.order(lying, local[name], own.name, platform=own.platform)
                yield evolve(found, asked=(self, cluster, lying))

    def order(
        self,
        messages: Sequence[Message],
        queue: Queue,
        queue_manager: str,
        of: Collection[str] = tuple(ORDERS),
        platform: str = "MULTI",
    ) -> QueueOrder:
        """Return the orders of ``messages``, which are given in the order of their arrival on ``queue``."""
        # By itself a message is there for everybody if no open unit of work has put it.
        sees = self.sees or (lambda _, message: not message.unit_of_work)
        listed = build_queued_messages(messages, queue, self.terms, partial(sees, RetrievalCall()))
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
        return QueueOrder(queue, *found, left_out, as_put, tuple(dict.fromkeys(remarks)), self.rules.origin)

    def passed_over(
        self, call: RetrievalCall, run: Run, listed: Sequence[QueuedMessage], of: str
    ) -> Iterator[PassedOver]:
        """Yield the messages that a traced ``run`` passed over, and why, up to the rule that ends the call."""
        ruleset, first = self.ruleset, build_first_scope(self.steps, call, listed, None, {})
        saw = list_rule_inputs(ruleset, run, listed, first, in_order=False)
        ends = len(ruleset.rules) if run.failure is None else run.failure.rule
        for rule, did, seen in islice(zip(ruleset.rules, run.trace or (), saw, strict=True), ends):
            if did is not None and did[0]:
                because = build_sentence_renderer(ruleset, rule, build_scope(seen, first))
                for each in did[0]:
                    yield PassedOver(each.id, of, rule, because(each))

    def because(self, call: RetrievalCall, rule: Rule, run: Run) -> str:
        """Explain why ``rule`` ends a call."""
        return render_sentence(self.ruleset, rule, None, self._at_the_end(call, run))

    def remarks(self, call: RetrievalCall, run: Run) -> Iterator[str]:
        """Return the remarks of the rules of which all that they derive is true, told likewise."""
        for rule in self.ruleset.find_remarking_rules(run.facts):
            yield render_sentence(self.ruleset, rule, None, self._at_the_end(call, run), MessageTemplate(rule.remark))

    def _at_the_end(self, call: RetrievalCall, run: Run) -> Scope:
        first = build_first_scope(self.steps, call, (), None, {})
        return Scope(first.vocabulary, call, run.remaining, None, run.facts, run.every)

    def _as_put(
        self, messages: Iterable[Message], listed: Iterable[QueuedMessage], queue_manager: str, puts: RetrievalCall
    ) -> Iterator[PutOrderGuarantee]:
        by_application: dict[str, list[tuple[Message, int]]] = {}
        for message, each in zip(messages, listed, strict=True):
            if not message.unit_of_work:
                by_application.setdefault(message.by, []).append((message, each.enqueued_priority))
        for by, put in by_application.items():
            if len(put) > 1:
                yield self._kept(by, _counted(puts, put, queue_manager))

    def _kept(self, by: str, call: RetrievalCall) -> PutOrderGuarantee:
        ruleset, run = self.ruleset, self.run(call, (), traced=True)
        first = build_first_scope(self.steps, call, (), None, {})
        because, kept = [], False
        for rule, did, seen in zip(
            ruleset.rules, run.trace or (), list_rule_inputs(ruleset, run, (), first), strict=True
        ):
            derived: Mapping[str, Any] = (did and did[3]) or {}
            if isinstance(rule.action, Condition) and derived.get("holds") is False:
                because.append(render_sentence(ruleset, rule, None, build_scope(seen, first)))
            if isinstance(rule.action, Conclude):
                kept = kept or bool(derived.get(rule.action.fact))
        return PutOrderGuarantee(by, kept, tuple(because))


def list_local_queues(cluster: Cluster) -> dict[str, Queue]:
    """List the local queues of the local queue manager, as they are listed."""
    own = cluster.queue_manager.name
    return {each.name: each for each in cluster.queues if each.queue_manager == own and each.type == "QLOCAL"}


def describe_unknown_queue(name: str, local: Mapping[str, Queue]) -> str:
    """Describe what is wrong with the name of something else."""
    return f"{quote_value(name)} is no local queue{suggest_allowed(name, local)}"


@frozen(eq=False)
class MessageTerms:
    """The terms of rules of retrieval, made ready to be asked of a message: see model.facts.retrieval.Terms.

    It pickles as its ``rules``.
    """

    rules: Rules
    enqueued: Callable[[StatedMessage], int]
    of_items: tuple[Callable[[StatedMessage], Any], ...]
    known: dict[tuple[Any, ...], ItemRole] = field(factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return compile_message_terms, (self.rules,)

    def priority(self, given: int, queue: Queue) -> int:
        """Return the priority that a message is enqueued with; what is beyond 0 to 9 counts as the nearest."""
        said = self.enqueued(StatedMessage("", given, queue.msgdlvsq == "FIFO", queue.defprty))
        return min(max(int(said), 0), HIGHEST_PRIORITY)

    def in_item(self, message: Message) -> ItemRole:
        """Derive by rules the role of a message at its place in its item."""
        key = (
            message.item[0], *message.place, message.last_in_group, message.segment, message.last_segment,
            message.length,
        )  # fmt: skip
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            stated = StatedMessage(**{**list_stated_values(message, 0, NO_QUEUE), "id": ""})
            is_first, begins, ends, ends_item, sequence, offset = (ask(stated) for ask in self.of_items)
            after = (sequence, offset) if sequence > 0 else None
            found = self.known[key] = ItemRole(is_first, begins, ends, ends_item, after)
        return found


@lru_cache(maxsize=64)
def compile_message_terms(rules: Rules) -> MessageTerms:
    """Compile the terms of these rules. Raises RuleError."""
    before: Vocabulary = rules.terms(RETRIEVAL).before
    enqueued, *of_items = (
        compile_expression(nodes.Column(term), before, "d") for term in ("enqueued_priority", *ITEM_TERMS)
    )
    return MessageTerms(rules, enqueued, tuple(of_items))


class ScanScope(NamedTuple):
    """What the rules are sure to leave out, of SKIPPED_CONDITIONS.

    ``is_first``: the first message that they leave is the first of all.
    """

    left_out: frozenset[str]
    is_first: bool


@frozen(eq=False)
class RetrievalPlan:
    """The messages that a get has to look at, worked out from what its rules do and where they apply.

    For the steps ``of_all`` all messages have to be there: they count some of them, or pass over what was taken
    already. Those ``counting`` count what is left when their turn comes, after the walks beside them. Those
    ``ordering`` compare messages by something else than they are listed by, those ``of_items`` by what only messages
    that lead an item are listed by. ``left_out_by`` has those that leave out what a walk through a queue can.
    """

    of_all: Sequence[Applies]
    counting: Sequence[tuple[Applies, ScanFilters]] = ()
    ordering: Sequence[Applies] = ()
    of_items: Sequence[Applies] = ()
    left_out_by: ScanFilters = ()

    def at(self, call: RetrievalCall) -> ScanScope:
        """Select the attributes that rules look at for a given call."""
        if any(applies(call) for applies in self.of_all):
            return ScanScope(frozenset(), False)
        found = _found(self.left_out_by, call)
        if any(applies(call) and not _is_one(found, before, call) for applies, before in self.counting):
            return ScanScope(frozenset(), False)
        is_listed = not found.isdisjoint(SINGLE_MESSAGE_CONDITIONS) or found >= LEADING
        by_items = not is_listed and any(applies(call) for applies in self.of_items)
        return ScanScope(found, not (by_items or any(applies(call) for applies in self.ordering)))


@lru_cache(maxsize=64)
def _build_retrieval_plan(steps: LoweredRuleset) -> RetrievalPlan:
    """Find out once what the rules of retrieval look at, so that calls look at no more."""
    of_all, ordering, of_items = list[Applies](), list[Applies](), list[Applies]()
    counting, left_out, taken = list[tuple[Applies, ScanFilters]](), list[tuple[str, Applies]](), False
    for place, step in enumerate(steps.steps):
        text = _leaves_out(step, steps.vocabulary)
        walks = _applies(steps, place) if text else None
        if walks is not None:
            left_out.append((text, walks))
        if isinstance(step, Filter) if taken else _is_of_all(step, steps.vocabulary, walks is not None):
            of_all.append(_may_apply(steps, place))
        elif not taken and _list_counts(step, steps.vocabulary):
            counting.append((_may_apply(steps, place), tuple(left_out)))
        elif isinstance(step, Rank) and step.keep == "all" and not _compares_by(step, BY_PLACE):
            others = of_items if _compares_by(step, BY_ITEM) else ordering
            others.append(_may_apply(steps, place))
        taken = taken or _takes_first(step, steps.vocabulary)
    return RetrievalPlan(of_all, counting, ordering, of_items, left_out)


@lru_cache(maxsize=64)
def _build_visibility_test(steps: LoweredRuleset) -> VisibilityTest | None:
    """Build the test by which units of work hide messages, before rules look at their items.

    None where that is what COMMITTED leaves out of every order, get and browse.
    """
    usual, vocabulary = parse_unchecked(COMMITTED), steps.vocabulary
    found = _hiding(steps)
    if any(is_equivalent(each.where, usual, vocabulary) and _is_of_every(each, vocabulary) for each in found):
        return None
    asked = [compile_expression(_condition(each), vocabulary, "s, d") for each in found]
    return lambda call, message: not any(leaves_out(call, message) for leaves_out in asked)


def find_hiding_conditions(steps: LoweredRuleset) -> list[Expression]:
    """Find the conditions by which units of work hide messages: a message for which one holds is not seen."""
    return [_condition(each) for each in _hiding(steps)]


def _counted(puts: RetrievalCall, put: Sequence[tuple[Message, int]], queue_manager: str) -> RetrievalCall:
    """What the rules see of the messages that one application has put, given with their priorities."""
    return evolve(
        puts,
        priorities=len({priority for _, priority in put}),
        units_of_work=len({each.put_in for each, _ in put}),
        put_elsewhere=sum(each.put_at not in ("", queue_manager) for each, _ in put),
    )


def _hiding(steps: LoweredRuleset) -> list[Filter]:
    found: list[Filter] = []
    for step in steps.steps:
        trees = [expand_terms(tree, steps.vocabulary) for tree in list_expressions(step)]
        names = {each.name for tree in trees for each in tree.find_all(nodes.Column)}
        if names & ITEM_ATTRIBUTES:
            break
        if isinstance(step, Filter) and step.fate == "out" and "unit_of_work" in names:
            found.append(step)
    return found


def _condition(step: Filter) -> Expression:
    return step.where if step.when is None else build_and(nodes.Paren(step.when), nodes.Paren(step.where))


def _is_of_every(step: Filter, vocabulary: Vocabulary) -> bool:
    """Whether a step applies to every order, get and browse."""
    asked = ({"mqi_call": each} for each in ("ORDER", "MQGET"))
    return step.when is None or not any(is_possible(nodes.Not(nodes.Paren(step.when)), vocabulary, of) for of in asked)


def _found(walks: ScanFilters, call: RetrievalCall) -> frozenset[str]:
    return frozenset(text for text, applies in walks if applies(call))


def _is_one(left_out: frozenset[str], before: ScanFilters, call: RetrievalCall) -> bool:
    """Whether one message at most is listed, and the steps ``before`` would have left no other."""
    return COMMITTED in left_out and not SINGLE_MESSAGE_CONDITIONS.isdisjoint(_found(before, call))


def _applies(steps: LoweredRuleset, place: int) -> Applies | None:
    """Whether a step applies to a call; None if that takes more than the call."""
    when = _when(steps, place)
    return None if when is None else compile_expression(when, steps.vocabulary, "s")


def _may_apply(steps: LoweredRuleset, place: int) -> Applies:
    """Whether a step applies to a call, as far as the call alone tells."""
    when = steps.steps[place].when
    parts = [] if when is None else _parts(expand_terms(when, steps.vocabulary))
    told = [found for part in parts if (found := _of_call(part, steps, place)) is not None]
    return compile_expression(build_and(*told), steps.vocabulary, "s") if told else lambda _: True


def _parts(tree: Expression) -> list[Expression]:
    """What has to hold together for ``tree`` to hold."""
    match tree:
        case nodes.Paren((nodes.And() | nodes.Paren()) as inner):
            return _parts(inner)
        case nodes.And(one, other):
            return [*_parts(one), *_parts(other)]
    return [tree]


def _leaves_out(step: Operation, vocabulary: Vocabulary) -> str:
    """What a step leaves out, in whatever words, if a walk through a queue can leave it out, too; blank if none can."""
    if not (isinstance(step, Filter) and step.fate == "out"):
        return ""
    return next(
        (text for text in SKIPPED_CONDITIONS if is_equivalent(step.where, parse_unchecked(text), vocabulary)), ""
    )


def _is_of_all(step: Operation, vocabulary: Vocabulary, is_walked: bool) -> bool:
    """Whether what a step does to a message lies with the others, too, or with what like ones have otherwise."""
    if any(each.this != nodes.TRUE for each in _list_counts(step, vocabulary)):  # messages are counted by what they are
        return True
    match step:
        case Filter():
            return step.fate == "chosen" or not (is_walked or _takes_like_ones_alike(step, vocabulary))
        case Rank():
            return not (step.keep == "all" or _takes_first(step, vocabulary))
    return False


def _list_counts(step: Operation, vocabulary: Vocabulary) -> list[nodes.CountIf]:
    """How a step counts messages."""
    return [each for tree in list_expressions(step) for each in expand_terms(tree, vocabulary).find_all(nodes.CountIf)]


def _takes_first(step: Operation, vocabulary: Vocabulary) -> bool:
    """Whether the first of those that are left to a get is kept, and no other."""
    if not (isinstance(step, Rank) and step.keep == "at_most"):
        return False
    get = {"mqi_call": "MQGET"}
    sure = step.when is None or not is_possible(nodes.Not(nodes.Paren(step.when)), vocabulary, get)
    one = isinstance(step.at_most, nodes.Literal) and get_literal_value(step.at_most) == 1 and step.ties == "first"
    every = step.among is None and not step.counts and all(isinstance(key.by, nodes.Literal) for key in step.keys)
    return sure and one and every


def _compares_by(step: Rank, listed: ListedBy) -> bool:
    """Whether messages are compared by what they are listed by; no two of them are alike in all of that."""
    compared = [(key.by.name if isinstance(key.by, nodes.Column) else "", key.descending) for key in step.keys]
    return all(one == other for one, other in zip(compared, listed, strict=False))


def _takes_like_ones_alike(step: Filter, vocabulary: Vocabulary) -> bool:
    return not any(
        each.name in IDENTITY_ATTRIBUTES for each in expand_terms(step.where, vocabulary).find_all(nodes.Column)
    )


def _when(steps: LoweredRuleset, place: int) -> Expression | None:
    """The precondition of a step in the words of the call alone; None if it takes more."""
    when = steps.steps[place].when
    return nodes.TRUE if when is None else _of_call(when, steps, place)


def _of_call(tree: Expression, steps: LoweredRuleset, place: int) -> Expression | None:
    """``tree``, as a step sees it, with facts replaced by what they are; None if it is not about the call alone."""
    found = expand_terms(tree, steps.vocabulary)
    facts: dict[str, Expression] = {}
    for name in {each.name for each in found.find_all(nodes.Column)}:
        word = steps.vocabulary.words[name]
        fact = _fact(name, steps, place) if word.is_derived else nodes.Column(name)
        if word.about != "situation" or fact is None:
            return None
        facts[name] = fact
    if found.find(nodes.CountIf):
        return None
    return found.transform(lambda node: nodes.Paren(facts[node.name]) if isinstance(node, nodes.Column) else node)


def _fact(name: str, steps: LoweredRuleset, place: int) -> Expression | None:
    """What a fact is before a step, in the words of the call alone."""
    blank = steps.vocabulary.words[name].blank
    value: Expression | None = None if isinstance(blank, tuple) else nodes.build_value(blank)
    for at, step in enumerate(steps.steps[:place]):
        given = {each.name: each.value for each in step.values} if isinstance(step, Let) else {}
        if name not in given:
            continue
        when, now = _when(steps, at), _of_call(given[name], steps, at)
        sees_own = any(each.name in given for each in given[name].find_all(nodes.Column))
        if value is None or when is None or now is None or sees_own:
            return None
        value = nodes.Case([nodes.Branch(when, now)], value)
    return value
