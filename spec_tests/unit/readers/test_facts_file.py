"""Facts documents: what each table reads to, and the line that each kind of fault gives."""

from __future__ import annotations

import json
import tomllib
from collections import ChainMap
from types import MappingProxyType

import pytest

from mqclause.model.configuration.snapshot import read_document
from mqclause.model.diagnostics import DomainError
from mqclause.model.facts.objects import (
    Channel,
    ModelQueue,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.facts_files import Facts, read_facts
from spec_tests.support.facts_text import parse_facts

EVERY_KEY = """
[queue_manager]
name = "HQ"
clusters = ["PARTS", "BILLS"]
suspended = ["BILLS"]
clwluseq = "any"
clwlmruc = 12
clwlexit = "exit(fn)"
clwldata = "data"
trigint = 2500
platform = "zos"

[[remote_queue_manager]]
name = "NORTH"
clusters = ["PARTS"]
suspended = ["PARTS"]

[[queue]]
name = "STOCK"
queue_manager = "NORTH"
type = "qalias"
target = "STOCK.BASE"
clusters = ["PARTS"]
put = "DISABLED"
get = "DISABLED"
clwlrank = 9
clwlprty = 8
clwluseq = "ANY"
defbind = "GROUP"
defprty = 7
msgdlvsq = "FIFO"
usage = "XMITQ"
trigger = true
trigtype = "DEPTH"
trigmpri = 6
trigdpth = 5
trigdata = "td"
process = "PICK"
initq = "INIT"
shared = true
logically_deleted = true

[[queue]]
name = "HERE"

[[queue_manager_alias]]
name = "ANYWHERE"
queue_manager = "NORTH"
clusters = ["PARTS"]
put = "DISABLED"
clwlrank = 1
clwlprty = 2

[[channel]]
name = "TO.NORTH"
queue_manager = "NORTH"
cluster = "PARTS"
deftype = "CLUSSDRB"
status = "retrying"
clwlrank = 1
clwlprty = 2
clwlwght = 99
netprty = 3
dest_seq_number = 41
dest_seq_factor = 1000

[[process]]
name = "PICK"
appltype = "WINDOWSNT"
applicid = "pick.exe"
envrdata = "e"
userdata = "u"

[[model_queue]]
name = "STOCK.MODEL"

[put]
queue = "STOCK"
bind = "NOTFIXED"
call = "mqput1"
from_cluster_channel = true
cluster_pcf = true
already_sent_to = ["NORTH"]

[[event]]
do = "put"
anything = {goes = [1]}
"""

EXPECTED = Facts(
    "hq",
    QueueManager(
        name="HQ", clusters=("PARTS", "BILLS"), suspended=("BILLS",), clwluseq="ANY", clwlmruc=12,
        clwlexit="exit(fn)", clwldata="data", trigint=2500, platform="ZOS",
    ),
    (RemoteQueueManager(name="NORTH", clusters=("PARTS",), suspended=("PARTS",)),),
    (
        Queue(
            name="STOCK", queue_manager="NORTH", type="QALIAS", target="STOCK.BASE", clusters=("PARTS",),
            put="DISABLED", get="DISABLED", clwlrank=9, clwlprty=8, clwluseq="ANY", defbind="GROUP", defprty=7,
            msgdlvsq="FIFO", usage="XMITQ", trigger=True, trigtype="DEPTH", trigmpri=6, trigdpth=5, trigdata="td",
            process="PICK", initq="INIT", shared=True, logically_deleted=True,
        ),
        Queue(name="HERE", queue_manager="HQ"),
    ),
    (QueueManagerAlias(
        name="ANYWHERE", queue_manager="NORTH", clusters=("PARTS",), put="DISABLED", clwlrank=1, clwlprty=2,
    ),),
    (Channel(
        name="TO.NORTH", queue_manager="NORTH", cluster="PARTS", deftype="CLUSSDRB", status="RETRYING", clwlrank=1,
        clwlprty=2, clwlwght=99, netprty=3, dest_seq_number=41, dest_seq_factor=1000.0,
    ),),
    (Process(name="PICK", appltype="WINDOWSNT", applicid="pick.exe", envrdata="e", userdata="u"),),
    (ModelQueue(name="STOCK.MODEL"),),
    Put(
        queue="STOCK", bind="NOTFIXED", call="MQPUT1", from_cluster_channel=True, cluster_pcf=True,
        already_sent_to=("NORTH",),
    ),
)  # fmt: skip

LOCAL = '[queue_manager]\nname = "HQ"\n'


def faults(text: str, form: str = "toml") -> list[str]:
    return [str(found) for found in parse_facts(text, "f", form).diagnostics]


def test_every_key_in_toml() -> None:
    assert parse_facts(EVERY_KEY, "hq", "toml") == EXPECTED


def test_every_key_in_json() -> None:
    assert parse_facts(json.dumps(tomllib.loads(EVERY_KEY)), "hq", "json") == EXPECTED


def test_every_key_from_mappings_and_tuples() -> None:
    data = {
        key: tuple(map(MappingProxyType, given)) if isinstance(given, list) else MappingProxyType(given)
        for key, given in tomllib.loads(EVERY_KEY).items()
    }
    assert read_facts(ChainMap(data), "hq") == EXPECTED


def test_factor_is_kept_as_a_float() -> None:
    factor = parse_facts(EVERY_KEY, "hq", "toml").channels[0].dest_seq_factor
    assert type(factor) is float


def test_what_is_left_out_has_the_class_default() -> None:
    facts = parse_facts('[[queue]]\nname = "A"\n[[channel]]\nname = "C"\nqueue_manager = "B"', "f", "toml", "HQ")
    assert facts.queues == (Queue(name="A", queue_manager="HQ"),)
    assert facts.channels == (Channel(name="C", queue_manager="B"),)
    assert facts.queue_manager is None
    assert facts.put is None


def test_made_facts_are_frozen_hashable_and_equal_to_constructed_ones() -> None:
    queue = parse_facts(EVERY_KEY, "hq", "toml").queues[1]
    with pytest.raises(AttributeError):
        queue.clwlrank = 3  # type: ignore[misc]
    assert hash(queue) == hash(Queue(name="HERE", queue_manager="HQ"))
    assert repr(queue) == repr(Queue(name="HERE", queue_manager="HQ"))


def test_constructors_check() -> None:
    with pytest.raises(DomainError, match="clwlrank: 11 is not allowed; allowed: a whole number from 0 to 9"):
        Queue(name="A", queue_manager="B", clwlrank=11)


def test_byte_order_mark_is_accepted() -> None:
    assert faults("\ufeff" + LOCAL) == []
    assert faults('\ufeff{"queue_manager": {"name": "HQ"}}', "json") == []


def test_snapshot_of_one_document() -> None:
    snapshot = read_document(tomllib.loads(EVERY_KEY), "hq")
    assert snapshot.put == EXPECTED.put
    assert snapshot.cluster.queues == EXPECTED.queues
    assert snapshot.warnings == ()
