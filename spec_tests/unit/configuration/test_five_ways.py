"""One cluster as facts, dumps of all members, a log, mqweb's answers and results of PCF commands: one decision."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from mqclause import Decision, Engine, Put, Snapshot
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from spec_tests.support.deep import first
from spec_tests.support.facts_document import build_facts_document
from spec_tests.support.small_cluster import INSTANCE, NAMES, QUEUES, known, small_cluster
from spec_tests.support.written import dump, log, mqweb, pcf

ENGINE = Engine()
ENCODINGS = ["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp037"]
KEYS = ("outcome", "reason", "chosen", "permitted", "steps", "resolution", "advance")
MOMENTARY = ("curdepth", "ipprocs", "status")


def encoded(random: Random, text: str) -> bytes:
    try:
        encoding = random.choice(ENCODINGS)
        return text.replace("\n", "\x85").encode(encoding) if encoding == "cp037" else text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode()


def ways(random: Random, members: list[dict[str, Any]]) -> dict[str, list[Source]]:
    dumps = [dump(random, members, each) for each in members]
    return {
        "facts": [Source("facts.json", json.dumps(known(members)).encode())],
        "dumps": [Source(f"{at}.mqsc", encoded(random, text)) for at, text in enumerate(dumps)],
        "log": [Source("log", encoded(random, log(random, members)))],
        "mqweb": [Source("web.json", mqweb(random, members).encode())],
        "PCF": [Source("pcf.json", pcf(random, members).encode())],
    }


def puts(random: Random) -> list[Put]:
    names = [Put(queue=name, bind=random.choice(["AS_Q_DEF", "OPEN", "GROUP"])) for name in QUEUES]
    return [*names, Put(queue_manager=random.choice(NAMES)), Put(queue=QUEUES[0], queue_manager=random.choice(QUEUES))]


def decided(snapshot: Snapshot, put: Put) -> dict[str, Any]:
    decision: Decision = ENGINE.choose(put, snapshot.cluster, explain="rule")
    document = decision.to_json()
    return {key: document[key] for key in KEYS}


def facts_in(snapshot: Snapshot) -> dict[str, list[str]]:
    """The facts as ``mqclause facts`` writes them, but for what is so now; of other queues what a cluster tells."""
    cluster = snapshot.cluster
    local = cluster.queue_manager.name
    read = read_sources([Source("again.json", json.dumps(build_facts_document(snapshot)).encode())]).cluster
    assert read.queue_manager == cluster.queue_manager
    kept = {name: [_plain(each, local) for each in getattr(read, name)] for name in ("queues", "channels", "processes")}
    others = {name: list(map(str, getattr(read, name))) for name in ("queue_manager_aliases", "remote_queue_managers")}
    return {name: sorted(found) for name, found in (kept | others).items()}


def _plain(fact: Any, local: str) -> str:
    names = [each.name for each in fact.__attrs_attrs__ if each.name not in MOMENTARY]
    if getattr(fact, "queue_manager", local) != local and hasattr(fact, "defbind"):
        names = ["name", "queue_manager", "type", *INSTANCE]
    values = {name: getattr(fact, name) for name in names}
    return str({name: sorted(value) if isinstance(value, tuple) else value for name, value in values.items()})


@pytest.mark.parametrize("seed", first(8, range(400)))
def test_five_ways(seed: int) -> None:
    random = Random(seed)
    members = small_cluster(random)
    found = {way: read_sources(sources, members[0]["name"]) for way, sources in ways(random, members).items()}
    without_states = json.dumps({**known(members), "channel": [
        {key: value for key, value in each.items() if key != "status"} for each in known(members)["channel"]
    ]})  # fmt: skip
    stateless = read_sources([Source("facts.json", without_states.encode())])
    expected = facts_in(found["facts"])
    for way, snapshot in found.items():
        assert facts_in(snapshot) == expected, way
        for put in puts(random):
            same = stateless if way == "dumps" else found["facts"]
            assert decided(snapshot, put) == decided(same, put), (way, put)
