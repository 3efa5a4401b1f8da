"""What is not known of a queue that a message is put to, although its trigger conditions may turn on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from attrs import evolve

from mqclause.answers.trigger.unknown import State, StateChange, UnknownFact, one_of
from mqclause.model.assembly.shipped import with_queues
from mqclause.model.assembly.unshown import Unasked
from mqclause.model.assembly.untold import Untold
from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.message import HIGHEST_PRIORITY
from mqclause.model.facts.objects import Process, Queue
from mqclause.model.facts.queue_call import INPUT_MODES
from mqclause.model.timeline.handles import Handle
from mqclause.model.timeline.trigger_history import TriggerHistory

STAND_IN = "%"
"""What stands for a process or an initiation queue whose name no display shows."""

FAVOURABLE: Mapping[str, Any] = {
    "trigger": True, "trigtype": "EVERY", "trigmpri": 0, "trigdpth": 1, "process": STAND_IN, "initq": STAND_IN,
}  # fmt: skip
ADVERSE: Mapping[str, Any] = {"trigger": False, "trigtype": "NONE", "trigmpri": HIGHEST_PRIORITY, "trigdpth": LARGEST}
FAVOURABLE_AT_INITQ: Mapping[str, Any] = {"get": "ENABLED", "put": "ENABLED"}
ADVERSE_AT_INITQ: Mapping[str, Any] = {"get": "DISABLED", "put": "DISABLED"}
"""Values of what may not be known of a queue, or of an initiation queue, with which a message triggers, or does not."""


def unknown_facts(
    queue: Queue, state: State, untold: Untold, depths: Collection[int], unshown: Callable[[Queue], Unasked]
) -> list[UnknownFact]:
    """The unknown facts of ``queue``, its process and its initiation queue, as ``state`` has them.

    ``untold`` is what no source tells whether it is there; ``depths`` are how many messages make a difference to rules;
    ``unshown`` tells which attributes of a queue no display shows.
    """
    of_initq = _may_be_initiation_queue if _is_untold("initq", queue, untold) else _of_initiation_queue
    process = _may_be_process(queue, state) if _is_untold("process", queue, untold) else ()
    initq = state.definitions.local_queue(queue.initq)
    defined = [*_left_open(queue, unshown(queue), FAVOURABLE, ADVERSE)]
    if initq is not None:
        defined += _left_open(initq, unshown(initq), FAVOURABLE_AT_INITQ, ADVERSE_AT_INITQ)
    return [*_of_queue(queue, depths), *defined, *process, *of_initq(queue, state), *_last_trigger(queue, state)]


def _left_open(
    queue: Queue, unasked: Unasked, favourable: Mapping[str, Any], adverse: Mapping[str, Any]
) -> Iterator[UnknownFact]:
    """Attributes of a queue that no display shows: such that it does not trigger, or that it does."""
    names = [each for each in unasked if each in favourable or each in adverse]
    if not names:
        return
    words = list(dict.fromkeys(word for each in names for word in unasked[each]))
    listed = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    of = f"{listed} of {queue.name}"
    values = [
        partial(_defined_as, queue=queue, changed={each: given[each] for each in names if each in given})
        for given in (adverse, favourable)
    ]
    said = [f"{of} {each}" for each in (("keeps it", "lets it") if len(words) == 1 else ("keep it", "let it"))]
    told = [f"{said[0]} from triggering", f"{said[1]} trigger"]
    what, command = f"{listed}, which no display shows", f"DISPLAY QUEUE('{queue.name}') {' '.join(words)}"
    yield UnknownFact(of, what, queue.name, command, values, partial(_among, told), is_defined=True)


def _defined_as(state: State, queue: Queue, changed: Mapping[str, Any]) -> State:
    """``state`` with other attributes of a queue; a process or an initiation queue that it then names is there."""
    cluster = state.cluster
    queues = [evolve(each, **changed) if _is(each, queue) else each for each in cluster.queues]
    local, served = cluster.queue_manager.name, "initq" in changed and changed["initq"] == STAND_IN
    if served:
        queues.append(Queue(STAND_IN, local))
    processes = (*cluster.processes, *([Process(STAND_IN)] if changed.get("process") else ()))
    there = state.evolved(definitions=state.definitions.of(evolve(cluster, queues=queues, processes=processes)))
    return _served_by(there, STAND_IN) if served else there


def _is(one: Queue, other: Queue) -> bool:
    return (one.name, one.queue_manager) == (other.name, other.queue_manager)


def _is_untold(attribute: str, queue: Queue, untold: Untold) -> bool:
    return bool(getattr(queue, attribute)) and queue.name in untold.get(attribute, ())


def _may_be_process(queue: Queue, state: State) -> Iterator[UnknownFact]:
    name = queue.process
    if name in state.definitions.processes:
        return
    values: list[StateChange] = [_as_it_is, partial(_with_process, name=name)]
    said = [f"process {name} is not defined", f"process {name} is defined"]
    yield _of_definition(f"process {name}", name, f"DISPLAY PROCESS('{name}')", values, said)


def _may_be_initiation_queue(queue: Queue, state: State) -> Iterator[UnknownFact]:
    name = queue.initq
    if name in state.cluster.own_queues or name in state.cluster.models:
        yield from _of_initiation_queue(queue, state)
        return
    queue = Queue(name, state.cluster.queue_manager.name, curdepth=None)
    values: list[StateChange] = [
        _as_it_is,
        partial(_with_queue, queue=queue),
        partial(_with_queue, queue=queue, is_served=True),
    ]
    said = [f"{name} is not a local queue", f"no trigger monitor has {name} open", f"a trigger monitor has {name} open"]
    yield _of_definition(f"the initiation queue {name}", name, f"DISPLAY QUEUE('{name}') ALL", values, said)


def _as_it_is(state: State) -> State:
    return state


def _with_process(state: State, name: str) -> State:
    there = evolve(state.cluster, processes=(*state.cluster.processes, Process(name)))
    return state.evolved(definitions=state.definitions.of(there))


def _with_queue(state: State, queue: Queue, is_served: bool = False) -> State:
    """``state`` where a local queue is defined, and somebody has it open for input or nobody."""
    there = state.evolved(definitions=state.definitions.of(with_queues(state.cluster, (queue,))))
    return _served_by(there, queue.name) if is_served else there


def _served_by(state: State, name: str) -> State:
    """``state`` where somebody has the local queue ``name`` open for input."""
    return state.evolved(handles=state.handles.with_standing(name, 1))


def _of_definition(name: str, of: str, command: str, values: Sequence[StateChange], said: Sequence[str]) -> UnknownFact:
    """Whether something is defined."""
    what = f"whether {name} is defined"
    return UnknownFact(what, what, of, command, values, partial(_among, said))


def _of_queue(queue: Queue, depths: Collection[int]) -> Iterator[UnknownFact]:
    if queue.ipprocs is None:
        yield _served(queue)
    if queue.curdepth is None:
        yield _depth(queue, depths)


def _served(queue: Queue) -> UnknownFact:
    """Who has the queue open for input; of a shared queue, also at other queue managers of the group."""
    name = queue.name
    values: list[StateChange] = [_as_it_is, partial(_served_by, name=name)]
    said = [f"no program has {name} open for input", f"a program has {name} open for input"]
    if queue.shared:
        values += [partial(opened_elsewhere, queue=name, mode=mode) for mode in INPUT_MODES]
        another = "another queue manager of the group has"
        said += [f"{another} {name} open for shared input", f"{another} {name} open for exclusive input"]
    command = f"DISPLAY QSTATUS('{name}')" + (" CMDSCOPE(*)" if queue.shared else "")
    what = "how many handles are open for input (IPPROCS)"
    return UnknownFact(f"IPPROCS of {name}", what, name, command, values, partial(_among, said))


def opened_elsewhere(state: State, queue: str, mode: str) -> State:
    """``state`` where another queue manager of the queue-sharing group has opened a shared queue."""
    handles = state.handles
    other = Handle(handles.next_id, "", queue, queue, mode, f"another than {handles.local}")
    return state.evolved(handles=handles.with_open(other))


def _depth(queue: Queue, depths: Collection[int]) -> UnknownFact:
    """How many messages are there: none, and the numbers at which it makes a difference to the rules.

    There are fewer than MAXDEPTH: the one that is put has room.
    """
    name, lowest, most = queue.name, queue.trigmpri, max(queue.maxdepth - 1, 0)
    counts = sorted({min(each, most) for each in (0, *depths)})
    of = f"of priority {lowest} or higher " if lowest else ""

    says = partial(_depths, counts, most, of, name)
    values = [partial(State.holding, queue=queue, priority=HIGHEST_PRIORITY, count=count) for count in counts]
    what = f"how many messages {of}are there (CURDEPTH)"
    return UnknownFact(f"CURDEPTH of {name}", what, name, f"DISPLAY QSTATUS('{name}')", values, says)


def _depths(counts: Sequence[int], most: int, of: str, name: str, places: Collection[int]) -> str:
    return f"{one_of([_messages(counts, most, *run, of) for run in _runs(places)])} on {name}"


def _messages(counts: Sequence[int], most: int, first: int, last: int, of: str) -> str:
    """As many messages ``of`` a kind as the counts from one place to another stand for: each counts up to the next.

    The last one counts up to the ``most`` that there may be.
    """
    low, is_last = counts[first], last == len(counts) - 1
    if is_last and low < most:
        return f"{low} messages or more {of}are" if low > 1 else f"a message {of}is"
    high = most if is_last else counts[last + 1] - 1
    if high == 0:
        return f"no message {of}is"
    if high == 1:
        return f"one message {of}is"
    return f"{f'{low} to {high}' if low < high else low} messages {of}are"


def _runs(places: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of places that follow one another."""
    ordered = sorted(places)
    breaks = [at for at, (one, other) in enumerate(pairwise(ordered), 1) if other != one + 1]
    for start, end in pairwise([0, *breaks, len(ordered)]):
        yield ordered[start], ordered[end - 1]


def _of_initiation_queue(queue: Queue, state: State) -> Iterator[UnknownFact]:
    initq = state.definitions.local_queue(queue.initq)
    if initq is None or initq.ipprocs is not None or initq.name == queue.name:
        return
    name = initq.name
    values: list[StateChange] = [_as_it_is, partial(_served_by, name=name)]
    said = [f"no trigger monitor has {name} open for input", f"a trigger monitor has {name} open for input"]
    what = "how many handles are open for input (IPPROCS)"
    command = f"DISPLAY QSTATUS('{name}')"
    yield UnknownFact(f"IPPROCS of {name}", what, name, command, values, partial(_among, said))


def _last_trigger(queue: Queue, state: State) -> Iterator[UnknownFact]:
    """When the last trigger message was written: long ago, not since a start that is not long ago, or just now."""
    if not queue.initq or queue.initq in state.cluster.models:
        return
    name, interval = queue.name, state.cluster.queue_manager.trigint
    values = [
        partial(State.evolved, now=interval, triggers=triggers)
        for triggers in (TriggerHistory({name: 0}), TriggerHistory(started=interval), TriggerHistory({name: interval}))
    ]
    said = [
        f"the last trigger message for {name} was written {interval} ms ago or earlier",
        f"no trigger message was written for {name} since the queue manager started, less than {interval} ms ago",
        f"a trigger message was written for {name} in the last {interval} ms",
    ]
    none = f"no trigger message was written for {name} in the last {interval} ms"
    sharing = [each for each in state.cluster.queues if _triggers_by(each, queue)]
    of_any = f"; the last put to {queue.initq} may be of another of its queues" if len(sharing) > 1 else ""
    what = f"when the last trigger message was written for it (TRIGINT is {interval} ms){of_any}"
    base = _base_of(queue.initq, state)
    command = f"DISPLAY QSTATUS('{base}') LPUTDATE LPUTTIME"
    yield UnknownFact(
        f"when the last trigger message was written for {name}",
        what,
        name,
        command,
        values,
        partial(_or_none, said, none),
    )


def _or_none(said: Sequence[str], none: str, places: Collection[int]) -> str:
    """Of three things the one that is so; that the last one is not, where it is one of the others."""
    return none if {*places} == {0, 1} else _among(said, places)


def _base_of(name: str, state: State) -> str:
    """The queue that has a status: of an alias its target."""
    found = state.cluster.own_queues.get(name)
    return found.base_queue if found is not None and found.type == "QALIAS" and found.base_queue else name


def _triggers_by(other: Queue, queue: Queue) -> bool:
    """Whether the initiation queue of ``queue`` is that of ``other``, which triggers, too."""
    return other.trigger and (other.queue_manager, other.initq) == (queue.queue_manager, queue.initq)


def _among(said: Sequence[str], places: Collection[int]) -> str:
    return one_of([text for place, text in enumerate(said) if place in places])
