"""The columns of a table of messages: what each row says of one message, read as the rules see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, fields, frozen
from sqlglot import exp

from mqclause.answers.order.retrieval import local_queues
from mqclause.language.sql import Node, both, case, either, equal, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import GIVEN_NAME, NAME_GIVEN, Name
from mqclause.model.facts.message import HIGHEST_PRIORITY, Message
from mqclause.model.facts.objects import Queue
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.bindings import Bindings
from mqclause.tables.columns import Column, Columns, TableError, columns_of
from mqclause.tables.faults import told_of
from mqclause.tables.flat import check_cluster
from mqclause.tables.shape import (
    FieldType,
    ListOf,
    Struct,
    ValueSource,
    check_fits,
    check_free,
    named,
    spelt,
    there,
)
from mqclause.tables.words import RowWords, is_of_names, is_too_long, no_name

ARRIVAL = "arrival"
"""The column by which messages of equal priority lie one behind the other; of any type that has an order.

Which of two with one arrival is the first is open, as where a clock does not tell them apart; items do not mix.
"""

MESSAGE_ORDER: Mapping[str, str] = {
    "physical": "integer", "logical": "integer", "left_out_of_physical": "text", "left_out_of_logical": "text",
    "message": "text",
}  # fmt: skip
"""The fields of ``message_order``: the place in each order, from 1 in each queue; where there is none, the id of the
rule that left the message out; what is wrong with a row that is no message."""

ORDER_ANSWER = "message_order"
_NOT_READ = ("id", "correlation", "persistent", "put_in", "by", "put_at")
"""What a message may say that its place does not turn on."""


def _columns() -> Columns:
    queue = fields(Queue)
    of_queue = {
        each.name: Column(each.name, each.metadata["domain"], each.default) for each in (queue.defprty, queue.msgdlvsq)
    }
    of_message = {name: each for name, each in columns_of(Message).items() if name not in _NOT_READ}
    of_message["priority"] = evolve(of_message["priority"], default=0)
    names = {"queue": Column("queue", NAME_GIVEN, ""), "queue_manager": Column("queue_manager", GIVEN_NAME, "")}
    return {**of_message, **of_queue, **names}


MESSAGE_ROW: Columns = _columns()
"""The columns of a table of messages; all but ``queue`` may be left out or null. ``queue_manager`` is where the queue
is, ``msgdlvsq`` and ``defprty`` are the queue's."""


@frozen
class MessageColumns:
    """What a row says, bound to names: ``words`` by the names of the rules, whether it is no message, and why not.

    ``of_queue`` are the bindings that turn on what its queue is called and on nothing else.
    """

    bindings: Bindings
    words: Mapping[str, Node]
    of_queue: Sequence[Node]
    fault: Node
    is_invalid: Node


def message_columns(columns: Mapping[str, FieldType], cluster: Cluster | None) -> MessageColumns:
    """Reads a table with these columns. ``cluster`` says of its queues what no column does. Raises TableError."""
    if cluster is not None:
        check_cluster(cluster)
    check_free(ORDER_ANSWER, columns)
    sources = _sources(columns)
    bindings = Bindings()
    words = RowWords("message", MESSAGE_ROW, sources, {}, bindings)
    arrival = _arrival(columns)
    read: dict[str, Any] = {name: words.checked(each) for name, each in MESSAGE_ROW.items()}
    names = {of.name: _is_no_name(words, of) for of in MESSAGE_ROW.values() if is_of_names(of) and words.is_there(of)}
    faults = [*_faults(words, read, names), *_further_faults(read, arrival, cluster)]
    queue = _of_queue(read, sources, cluster)
    found = _as_seen({**read, **queue, ARRIVAL: arrival}, sources)
    bound = {name: tree if isinstance(tree, exp.Column | exp.Literal | exp.Boolean) else bindings.once(name, tree)
             for name, tree in found.items()}  # fmt: skip
    wrong = bindings.once("invalid", F.coalesced(either(each for each, _ in faults), exp.true()))
    return MessageColumns(bindings, bound, [*(read[name] for name in names), *names.values()], case(faults), wrong)


def _sources(columns: Mapping[str, FieldType]) -> dict[str, list[ValueSource]]:
    there("queue", columns)
    found = {}
    for name, of in MESSAGE_ROW.items():
        own = spelt(name, columns)
        if own is None or columns[own] == "null":
            continue
        check_fits(columns[own], of, own)
        value: Node = exp.column(own, quoted=True)
        padded = of.kind == "text" and not is_of_names(of)
        found[name] = [ValueSource(F.Unpadded(this=value) if padded else value, columns[own], own)]
    if "queue" not in found:
        raise TableError("column queue is null throughout; every message lies on a queue")
    return found


def _arrival(columns: Mapping[str, FieldType]) -> Node:
    own = there(ARRIVAL, columns)
    if isinstance(columns[own], Struct | ListOf) or columns[own] in ("boolean", "null"):
        raise TableError(f"column {own} is {named(columns[own])}; expected numbers, times or texts in order of arrival")
    return exp.column(own, quoted=True)


def _of_queue(read: Mapping[str, Node], sources: Mapping[str, Any], cluster: Cluster | None) -> dict[str, Node]:
    """The attributes of the queue: what the row says, else the cluster's, else the default."""
    fifo = exp.EQ(this=read["msgdlvsq"], expression=literal("FIFO"))
    if cluster is None:
        return {"fifo": fifo if "msgdlvsq" in sources else exp.false(), "defprty": read["defprty"]}
    queues = local_queues(cluster).values()
    by_default: dict[int, list[Node]] = {}
    for each in queues:
        if each.defprty:
            by_default.setdefault(each.defprty, []).append(literal(each.name))
    named_fifo = [literal(each.name) for each in queues if each.msgdlvsq == "FIFO"]
    is_fifo = exp.In(this=read["queue"], expressions=named_fifo) if named_fifo else exp.false()
    default = case(
        ((exp.In(this=read["queue"], expressions=names), literal(value)) for value, names in by_default.items()),
        literal(0),
    )
    return {
        "fifo": when(F.is_null(sources["msgdlvsq"][0].value), is_fifo, fifo) if "msgdlvsq" in sources else is_fifo,
        "defprty": when(F.is_null(sources["defprty"][0].value), default, read["defprty"])
        if "defprty" in sources
        else default,
    }


def _as_seen(read: Mapping[str, Node], sources: Mapping[str, Any]) -> dict[str, Node]:
    """The words of the rules that a message says itself; as model.facts.message reads a message of a file."""
    has_group = exp.NEQ(this=read["group"], expression=literal(""))
    is_segment = either([read["segment"], read["last_segment"]])
    in_group = both(has_group, read["in_group"])
    of_item = both(has_group, either([read["in_group"], is_segment]))
    priority = exp.Least(this=read["priority"], expressions=[literal(HIGHEST_PRIORITY)])
    if "priority" in sources:
        own = when(F.is_null(sources["priority"][0].value), read["defprty"], priority)
    else:
        own = read["defprty"]
    return {
        **{name: read[name] for name in ("queue_manager", "queue", "unit_of_work", "length", "fifo", ARRIVAL)},
        "priority": exp.cast(own, "BIGINT"),
        "defprty": exp.cast(read["defprty"], "BIGINT"),
        "group_id": read["group"] if of_item == has_group else when(of_item, read["group"], literal("")),
        "in_group": in_group,
        "sequence": when(in_group, read["sequence"], literal(1)),
        "last_in_group": both(in_group, read["last_in_group"]),
        "segment": is_segment,
        "last_segment": read["last_segment"],
        "offset": when(is_segment, read["offset"], literal(0)),
    }


def _is_no_name(words: RowWords, of: Column) -> Node:
    """Whether the row has in this column what MQ allows no name to be; looked at closely only where that may be."""
    assert isinstance(of.domain, Name)  # noqa: S101 - told to the type checker
    name = words.checked(of)
    odd = either([equal(name, ""), is_too_long(of.domain, name), F.HasOddLetters(this=name)])
    return words.bindings.once(f"{of.name}_is_no_name", when(odd, no_name(of.domain, name), exp.false()))


def _faults(words: RowWords, read: Mapping[str, Node], names: Mapping[str, Node]) -> Iterator[tuple[Node, Node]]:
    """What can be wrong in one column alone."""
    yield equal(read["queue"], ""), literal("queue is missing; every message lies on a queue")
    for of, wrong in words.faults():
        yield names.get(of.name, wrong), told_of(words, of)


def _further_faults(read: Mapping[str, Node], arrival: Node, cluster: Cluster | None) -> Iterator[tuple[Node, Node]]:
    """What can be wrong with the keys of a message beside each other, and with what has no default."""
    yield F.is_null(arrival), literal("arrival is null; it says behind which messages this one lies")
    without_group = exp.EQ(this=read["group"], expression=literal(""))
    for name in ("last_in_group", "segment", "last_segment"):
        yield both(without_group, read[name]), literal(f"{name} = true; it is allowed with a group only")
    if cluster is not None:
        local = [literal(name) for name in local_queues(cluster)]
        known = exp.In(this=read["queue"], expressions=local) if local else exp.false()
        name = cluster.queue_manager.name
        yield negated(known), F.texts("queue = '", read["queue"], f"'; allowed: a local queue of {name}")
