"""Load cases, run each in the way of its document, and tell whether cases notice changed rules.

docs/reference/case-keys.md says what each key of a case file means.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from attrs import evolve, frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import ExecutorName, Run
from mqclause.model.configuration.snapshot import read_document
from mqclause.model.configuration.sources import Source
from mqclause.model.exits import MQWXP
from mqclause.model.facts.messages import QueuedMessage, RetrievalCall
from mqclause.model.timeline.administration import parse_day, read_repository_content
from mqclause.model.timeline.scenario import Scenario, build_scenario
from mqclause.replay.administration import AdministrationRules, build_retention
from mqclause.replay.runner import Replay, Row
from mqclause.retrieval.order import ORDERS, PassedOver, QueueOrder, Retrieval, RetrievalPlan
from mqclause.rulebook.case_files import CaseError, CaseFile, StatedTable, compare_values, has_case_file, read_case_file
from mqclause.rulebook.clauses import resolve_clause_path
from mqclause.rulebook.rule import Conclude, Condition, Derive, Rule, Ruleset, UnansweredError
from mqclause.rulebook.rules import Rules, get_rule_id
from mqclause.testing.case_kinds import (
    Comparison,
    DecisionCase,
    PipelineCase,
    RunnableCase,
    equals,
    has_each,
)
from mqclause.trigger.examination import Examination
from mqclause.workload.decision import Engine

RELEASED_FACT = "released"
"""The fact that a trigger message is let go at the end of a unit of work: what derives it shows in the rows alone."""

CALLBACK_FACTS = frozenset({"priority", "counts"})
"""The facts that a queue manager's course depends on: what derives them may do so for no occasion of a row."""

INITIATION_QUEUE = "INITQ"
"""The initiation queue of every scene. Closed or altered, it is looked at as an application queue: no case minds."""


def _listed(key: str, replayed: ReplayAnswer, wanted: list[StatedTable]) -> Iterator[str]:
    """Compares every item under ``key`` of every row, with its event, in order; only the keys that are wanted."""
    rows = replayed.documents()
    found = [{"event": row["event"], "repeat": row.get("repeat"), **each} for row in rows for each in row[key]]
    yield from compare_values(f"number of {key}", len(wanted), len(found))
    for want, got in zip(wanted, found, strict=False):
        yield from compare_values(key, dict(want), {name: got.get(name) for name in want})


def _examined(replayed: ReplayAnswer, event: int | None = None) -> Iterator[StatedTable]:
    """The conditions that were examined, of one event or of all."""
    for row in replayed.documents():
        if event in (None, row["event"]):
            yield from (each for each in row["conditions"] if each["queue"] != INITIATION_QUEUE)


def _conditions(replayed: ReplayAnswer, event: str, holds: bool) -> set[str]:
    return {each["rule"] for each in _examined(replayed, int(event)) if each["holds"] is holds}


def _fails(key: str, replayed: ReplayAnswer, wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        yield from compare_values(f"{key} at {event}", sorted(rules), sorted(_conditions(replayed, event, False)))


def _holds(_: str, replayed: ReplayAnswer, wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        yield from compare_values(f"do not hold at {event}", set(), set(rules) - _conditions(replayed, event, True))


def _left_out(_: str, replayed: ReplayAnswer, wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        examined = _conditions(replayed, event, True) | _conditions(replayed, event, False)
        yield from compare_values(f"asked for at {event}", set(), set(rules) & examined)


def _sentences(replayed: ReplayAnswer) -> dict[str, str]:
    """Why the condition of each rule does not hold where it first does not."""
    failed = [each for each in _examined(replayed) if not each["holds"]]
    return {each["rule"]: each["because"] for each in reversed(failed)}


def _remedies(replayed: ReplayAnswer) -> dict[str, str]:
    """What is to be typed then, or the advice."""
    examined = (each for row in replayed.rows for found in row.examinations for each in found.conditions)
    failed = [each for each in examined if not each.holds]
    return {each.rule.id: each.remedy or each.advice for each in reversed(failed)}


def _routed(replayed: ReplayAnswer) -> dict[str, str | int]:
    """The queue manager, or the reason code, that the put of each event went to."""
    routed = {str(row["event"]): row["routed"] or {} for row in replayed.documents()}
    return {
        event: each["failed"]["code"] if "failed" in each else each.get("queue_manager", "")
        for event, each in routed.items()
    }


SCENARIO_EXPECTATIONS: Mapping[str, Comparison] = {
    "trigger_messages": _listed,
    "fails": _fails,
    "holds": _holds,
    "left_out": _left_out,
    "because": has_each(_sentences),
    "remedy": has_each(_remedies),
    "released": _listed,
    "changed": _listed,
    "routed": has_each(_routed, "at"),
    "reason": has_each(lambda replayed: {str(row["event"]): row.get("reason") for row in replayed.documents()}, "at"),
}
"""The closed set of keys that a case may expect, and how each is compared."""

QUEUE = "APPQ"
"""The queue of every scene."""


class RetrievalAnswer(NamedTuple):
    """What the rules made of a case: the order of the queue, the rows of its events, the runs that count as its own."""

    ruleset: Ruleset
    order: QueueOrder | None
    rows: tuple[Row, ...]
    runs: tuple[Run, ...]

    def passed_over(self) -> Iterator[PassedOver]:
        """Return every message that was left out of an order or passed over by an event."""
        yield from self.order.left_out if self.order is not None else ()
        for row in self.rows:
            if row.returned is not None:
                yield from row.returned.passed_over()


def _ids_in(order: str) -> Comparison:
    return equals(lambda answer: [each.id for each in getattr(answer.order, order, ())])


def _as_put(key: str, answer: RetrievalAnswer, wanted: StatedTable) -> Iterator[str]:
    found = answer.order.as_put if answer.order is not None else ()
    yield from compare_values(key, dict(wanted), {each.by: list(each.because) for each in found})
    for each in found:
        yield from compare_values(f"guaranteed to {each.by}", not wanted.get(each.by), each.guaranteed)


def _passed_over(_: str, answer: RetrievalAnswer, wanted: StatedTable) -> Iterator[str]:
    for row in answer.rows:
        if str(row.number) in wanted and row.returned is not None:
            found = {each.message: each.rule.id for each in row.returned.passed_over()}
            yield from compare_values(f"passed over at {row.number}", wanted[str(row.number)], found)


def _failed_because(answer: RetrievalAnswer) -> dict[str, str]:
    return {str(row.number): row.returned.because for row in answer.rows if row.returned is not None}


def _by_event(of: Callable[[StatedTable], Any], every: bool = False) -> Comparison:
    def compare(key: str, answer: RetrievalAnswer, wanted: StatedTable) -> Iterator[str]:
        found = {str(row.number): of(row.to_json()) for row in answer.rows}
        asked = {event: got for event, got in found.items() if event in wanted or (every and got is not None)}
        yield from compare_values(key, dict(sorted(wanted.items())), dict(sorted(asked.items())))

    return compare


RETRIEVAL_EXPECTATIONS: Mapping[str, Comparison] = {
    "physical": _ids_in("physical"),
    "logical": _ids_in("logical"),
    "left_out": equals(lambda answer: {each.message: each.rule.id for each in getattr(answer.order, "left_out", ())}),
    "as_put": _as_put,
    "got": _by_event(lambda row: row.get("got")),
    "reason": _by_event(lambda row: None if row.get("warning") else row.get("reason"), every=True),
    "warning": _by_event(lambda row: row.get("reason") if row.get("warning") else None, every=True),
    "group_status": _by_event(lambda row: row.get("group_status")),
    "segment_status": _by_event(lambda row: row.get("segment_status")),
    "remarks": _by_event(lambda row: row.get("remarks"), every=True),
    "passed_over": _passed_over,
    "because": has_each(lambda answer: {each.message: each.because for each in answer.passed_over()}),
    "failed_because": has_each(_failed_because, "at"),
}
"""The closed set of keys that a case may expect, and how each is compared."""


@frozen(eq=False, slots=False)
class ScenarioCase(RunnableCase):
    """Events over their facts; ``own`` is the number of the first event that is not the scene's.

    What a case states under one of its ``KEYS`` follows what the scene has there.
    """

    own: int = 0

    GOES_THROUGH: ClassVar[bool] = True
    KEYS: ClassVar[frozenset[str]] = frozenset({"event"})

    @classmethod
    def of(cls, file: CaseFile, table: StatedTable, place: str, **more: Any) -> Self:
        case = super().of(file, table, place, **more)
        added = {key: [*case.facts.get(key, []), *table.get(key, [])] for key in cls.KEYS}
        return evolve(case, facts={**case.facts, **added}, own=len(case.facts.get("event", [])))

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario as a replay takes it."""
        return build_scenario(self.facts, str(self))


class ReplayAnswer(NamedTuple):
    """What a scenario led to, event by event, the trigger rules that were asked, and what they said of messages."""

    ruleset: Ruleset
    rows: tuple[Row, ...]
    judged: tuple[Run, ...]

    def documents(self) -> Iterator[StatedTable]:
        """Return the rows as ``mqclause replay`` gives them."""
        return (row.to_json() for row in self.rows)


@frozen(eq=False, slots=False)
class ReplayCase(ScenarioCase):
    """Events over their facts, of which a case has one at least, and what they lead to."""

    EXPECTS: ClassVar[Mapping[str, Comparison]] = SCENARIO_EXPECTATIONS

    @classmethod
    def of(cls, file: CaseFile, table: StatedTable, place: str, **more: Any) -> Self:
        if not table.get("event") or "trigger_messages" not in table["expect"]:
            raise CaseError(f"{place}: event or expect.trigger_messages is missing")
        return super().of(file, table, place, **more)

    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> ReplayAnswer:
        """Replay the events. Raises FactsError, ReadingError and RuleError."""
        replay = Replay(self.read(rules), executor)
        rows = tuple(replay.rows(self.scenario, str(self)))
        return ReplayAnswer(replay.triggers.ruleset, rows, tuple(replay.triggers.callbacks.runs.values()))

    def to_values(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        return list(self.answer(rules, executor).documents())

    def acted(self, answer: ReplayAnswer) -> bool:
        """Return whether the case's rule did something in the events of the case."""
        rule = next((each for each in answer.ruleset.rules if each.id == self.rule), None)
        if rule is None:
            return False
        rows = [row for row in answer.rows if row.number >= self.own]
        derives = set(dict(rule.action.values)) if isinstance(rule.action, Derive) else set[str]()
        if RELEASED_FACT in derives:
            return any(row.released for row in rows)
        if derives & CALLBACK_FACTS:
            return self.has_decided_in((answer.ruleset, run) for run in answer.judged)
        looked_at = [each for row in rows for each in row.examinations if each.occasion.queue != INITIATION_QUEUE]
        return any(self._acted(rule, each) for each in looked_at)

    def _acted(self, rule: Rule, examination: Examination) -> bool:
        """Whether the rule wrote the trigger message, let a condition fail that counts, or derived something."""
        if isinstance(rule.action, Conclude):
            return examination.rule is rule
        if isinstance(rule.action, Condition) and rule not in [
            examined for examined, _ in examination.list_examined_rules()
        ]:
            return False
        return self.has_decided_in([(examination.ruleset, examination.run)])


class EmptyCache(dict[Any, Any]):
    """Keeps nothing."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Forgets it at once."""


class TracedRetrieval(Retrieval):
    """The rules of retrieval, which are asked about all of a queue and keep what they did: every run is traced."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        super().__init__(rules, executor)
        self.runs: list[Run] = []
        self.looks = RetrievalPlan([bool])
        self.known_puts = EmptyCache()

    def run(self, call: RetrievalCall, messages: Sequence[QueuedMessage], traced: bool = False) -> Run:  # noqa: ARG002 - always
        """Run a call as Retrieval does, and keep the trace."""
        self.runs.append(super().run(call, messages, traced=True))
        return self.runs[-1]


@frozen(eq=False, slots=False)
class RetrievalCase(ScenarioCase):
    """Messages and events over their facts, and what the rules of retrieval make of them."""

    KEYS: ClassVar[frozenset[str]] = frozenset({"message", "event"})
    EXPECTS: ClassVar[Mapping[str, Comparison]] = RETRIEVAL_EXPECTATIONS

    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> RetrievalAnswer:
        """Run the rules on the messages and on each event. Raises FactsError, ReadingError and RuleError."""
        read = self.read(rules)
        asked = TracedRetrieval(read, executor)
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
        return RetrievalAnswer(asked.ruleset, order, tuple(rows), tuple(asked.runs[own or 0 :]))

    def _order(self, asked: TracedRetrieval) -> QueueOrder | None:
        """The order of the queue as far as it is asked for."""
        wanted = [of for of in ORDERS if of in self.expect]
        if not wanted and "as_put" not in self.expect:
            return None
        cluster, messages = self.scenario.cluster, self.scenario.messages
        queue = next(each for each in cluster.queues if each.name == QUEUE)
        return asked.order(messages, queue, cluster.queue_manager.name, wanted, cluster.queue_manager.platform)

    def to_values(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        answer = self.answer(rules, executor)
        order = answer.order.to_json() if answer.order is not None else None
        passed_over = [(each.message, each.of, each.rule.id, each.because) for each in answer.passed_over()]
        return order, [row.to_json() for row in answer.rows], passed_over

    def acted(self, answer: RetrievalAnswer) -> bool:
        """Return whether the case's rule decided something."""
        return self.has_decided_in((answer.ruleset, run) for run in answer.runs)


CASE_KINDS: Mapping[str, type[RunnableCase]] = {
    "resolution": DecisionCase,
    "workload": DecisionCase,
    "outcome": DecisionCase,
    "trigger": ReplayCase,
    "retrieval": RetrievalCase,
}
"""The kinds of case of documents that have one of their own; another's, and of files that state the situation itself
as their scene, are PipelineCases."""


def _rows(_: str, got: ProductAnswer, wanted: list[StatedTable]) -> Iterator[str]:
    by_event = {row["event"]: row for row in got.document}
    for row in wanted:
        yield from _differing(f"event {row['event']}", row, by_event.get(row["event"], {}))


def _document(_: str, got: ProductAnswer, wanted: StatedTable) -> Iterator[str]:
    yield from _differing("answer", wanted, got.document)


def _differing(place: str, wanted: Any, got: Any) -> Iterator[str]:
    """Where ``got`` is not as ``wanted``: tables as far as they are stated, lists in full."""
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        for key, value in wanted.items():
            yield from _differing(f"{place}.{key}", value, got.get(key))
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for at, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from _differing(f"{place}[{at}]", one, other)
    elif wanted == "" and got is None:
        return
    else:
        yield from compare_values(place, wanted, got)


PRODUCT_EXPECTATIONS: Mapping[str, Comparison] = {
    "rows": _rows,
    "trace": _document,
    "retention": _document,
    "exit_limit": equals(lambda got: got.exit_limit),
}
"""The closed set of keys that a case may expect, and how each is compared. Blank text stands for null, too."""


@lru_cache(maxsize=1024)
def read_cases(rule_id: str, folder: Path | None = None) -> tuple[RunnableCase, ...]:
    """Read the cases of a rule, from those that come with the project or from a ``folder``. Raises CaseError."""
    return build_cases(read_case_file(rule_id, folder))


def build_cases(file: CaseFile) -> tuple[RunnableCase, ...]:
    """Build the cases in a file, of the kind that its document has. Raises CaseError."""
    kind = None if "situation" in file.facts else CASE_KINDS.get(file.document)
    own = file.cases(kind) if kind else file.cases(PipelineCase, declaration=DOCUMENTS[file.document])
    return (*own, *file.select_scenarios().cases(ProductCase))


def find_noticing_cases(spoilt: Rules, cases: Iterable[RunnableCase], original: Ruleset) -> Iterator[RunnableCase]:
    """Find the cases that have another answer by the rules ``spoilt`` than by the ``original``."""
    return (case for case in cases if _differs(case, spoilt, _is_hidden(case, original)))


@lru_cache(maxsize=16)
def group_cases_by_clause(rules: Rules, document: str, folder: Path | None = None) -> Mapping[str, list[RunnableCase]]:
    """Group the cases that name sentences of a document, by sentence; also those of rules of other documents.

    They come with the project or are in a ``folder``; a rule that has no case file has no cases. Raises CaseError.
    """
    found: dict[str, list[RunnableCase]] = {}
    for declaration in DOCUMENTS.values():
        ids = (get_rule_id(f"{declaration.name}/{path}") for path in rules.in_folder(declaration.name))
        for rule_id in (each for each in ids if has_case_file(each, folder)):
            for case in read_cases(rule_id, folder):
                for named in filter(
                    None, (resolve_clause_path(document, declaration.name, name) for name in case.clauses)
                ):
                    found.setdefault(named, []).append(case)
    return found


class ProductAnswer(NamedTuple):
    """What came out, as JSON values; ``exit_limit`` is that of the engine that was asked, None for a day."""

    document: Any
    exit_limit: float | None = None


@frozen(eq=False)
class ScriptedExit:
    """An exit that does what a case says, by its ExitReason."""

    does: Mapping[str, Mapping[str, Any]]

    def __call__(self, wxp: MQWXP) -> None:
        said = self.does.get(wxp.ExitReason, {})
        for name, wanted in said.get("sees", {}).items():
            got = len(wxp.MsgBuffer) if name == "buffer" else getattr(wxp, name)
            if got != wanted:
                raise ValueError(f"{name} is {got}")
        time.sleep(said.get("sleeps", 0))
        if said.get("fails"):
            raise ValueError("it fails")
        hosts = [each.QMgrName.strip() for each in wxp.DestinationArray]
        if "takes" in said:
            wxp.DestinationChosen = hosts.index(said["takes"]) + 1
        wxp.ExitResponse = said.get("response", wxp.ExitResponse)


@frozen(eq=False, slots=False)
class ProductCase(RunnableCase):
    """Facts, and a question that the product answers about them; its ``exits`` do what the case says."""

    events: tuple[StatedTable, ...] = ()
    on: str = ""
    exits: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None
    exit_limit: float | None = None

    KEYS: ClassVar[frozenset[str]] = frozenset({"event", "on", "exit", "exit_limit"})
    EXPECTS: ClassVar[Mapping[str, Comparison]] = PRODUCT_EXPECTATIONS
    GOES_THROUGH: ClassVar[bool] = True
    SAYS_ACTS: ClassVar[bool] = False

    @classmethod
    def of(cls, file: CaseFile, table: StatedTable, place: str, **more: Any) -> Self:
        case = super().of(file, table, place, **more)
        events, on = tuple(table.get("event", ())), str(table.get("on", ""))
        if bool(events) + bool(on) + ("put" in case.facts) != 1:
            raise CaseError(f"{place}: one of event, on and facts.put is needed")
        return evolve(case, events=events, on=on, exits=table.get("exit"), exit_limit=table.get("exit_limit"))

    @cached_property
    def _given(self) -> dict[str, ScriptedExit]:
        return {name: ScriptedExit(does) for name, does in (self.exits or {}).items()}

    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> ProductAnswer:
        """Ask the product. Raises FactsError, ReadingError and RuleError."""
        known = self.read(rules)
        if self.on:
            day, text = parse_day(self.on), json.dumps(self.facts, default=str)
            held = read_repository_content([Source(f"{self}.json", text.encode())], day)
            return ProductAnswer(build_retention(AdministrationRules(known, executor), held, day).document())
        if self.events:
            with Replay(known, executor, self._given, self.exit_limit) as replay:
                scenario = build_scenario({**self.facts, "event": list(self.events)}, str(self))
                return ProductAnswer([row.to_json() for row in replay.rows(scenario)], replay.engine.exits.limit)
        snapshot = read_document(self.facts, str(self))
        assert snapshot.put is not None, "the facts have a put"  # noqa: S101
        with Engine(known, executor, self._given, self.exit_limit) as engine:
            decision = engine.choose(snapshot.put, snapshot.cluster, explain="rule")
            return ProductAnswer(decision.to_json(), engine.exits.limit)

    def to_values(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        return self.answer(rules, executor)

    def acted(self, answer: ProductAnswer) -> bool:  # noqa: ARG002 - which rules were asked, the answer does not say
        return bool(self.acts)


def _is_hidden(case: RunnableCase, original: Ruleset) -> bool:
    """Whether the case's rule derives a fact that its answers do not show."""
    action = next((rule.action for rule in original.rules if rule.id == case.rule), None)
    return isinstance(case, DecisionCase) and isinstance(action, Derive) and action.of == "situation"


def _differs(case: RunnableCase, spoilt: Rules, by_acting: bool) -> bool:
    try:
        answer = case.answer(spoilt)
        return bool(case.find_differences(answer)) or (by_acting and case.acted(answer) != case.acts)
    except (LookupError, TypeError, RuntimeError, ValueError, UnansweredError):
        # A call that ends with neither a destination nor a reason code, or elsewhere than where the case looks.
        return True
