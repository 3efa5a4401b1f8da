"""Small clusters made at random, and what the first queue manager of one knows, as a facts document."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

Attributes = dict[str, Any]

LARGEST = 999_999_999
QUEUE_MANAGER: Attributes = {
    "clwluseq": "LOCAL", "clwlmruc": LARGEST, "clwldata": "", "trigint": LARGEST, "defxmitq": "",
}  # fmt: skip
CHANNEL: Attributes = {"clwlrank": 0, "clwlprty": 0, "clwlwght": 50, "netprty": 0}
INSTANCE: Attributes = {"put": "ENABLED", "clwlrank": 0, "clwlprty": 0, "defbind": "OPEN", "defprty": 0}
LOCAL: Attributes = {
    **INSTANCE, "get": "ENABLED", "clwluseq": "QMGR", "msgdlvsq": "PRIORITY", "usage": "NORMAL", "trigtype": "FIRST",
    "trigmpri": 0, "trigdpth": 1, "trigdata": "", "process": "", "initq": "",
}  # fmt: skip
PROCESS: Attributes = {"appltype": "UNIX", "applicid": "", "envrdata": "", "userdata": ""}
OTHERS: dict[str, list[Any]] = {
    "put": ["DISABLED"], "get": ["DISABLED"], "clwlrank": [1, 9], "clwlprty": [1, 9], "clwlwght": [1, 99],
    "netprty": [9], "defbind": ["NOTFIXED", "GROUP"], "defprty": [4], "clwluseq": ["ANY"], "clwlmruc": [1, 2],
    "msgdlvsq": ["FIFO"], "trigtype": ["NONE", "EVERY", "DEPTH"], "trigmpri": [5], "trigdpth": [10], "trigint": [0],
    "trigdata": ["a b", "x(y", "q'q", "shut ) here"], "process": ["P.ONE"], "initq": ["INIT.Q"],
    "defxmitq": ["XMIT.Q"], "clwldata": ["it's", "a(b)c"], "applicid": ["/bin/x", "a'b (c"], "userdata": ["u v"],
}  # fmt: skip
"""The values besides the defaults."""

STATES = [
    "INACTIVE",
    "RUNNING",
    "BINDING",
    "INITIALIZING",
    "STARTING",
    "STOPPING",
    "RETRYING",
    "REQUESTING",
    "PAUSED",
    "STOPPED",
]
NAMES = ["QM1", "QM2", "qm.lower", "GW/A%1", "Q_4"]
CLUSTERS = ["ALPHA", "beta.cl"]
QUEUES = ["ORDERS.IN", "orders.in", "A/B", "P%1_X", "Z" * 48]


def some(random: Random, defaults: Attributes) -> Attributes:
    """The attributes, some of them with other values than the defaults."""
    return {name: _other(random, name, value) for name, value in defaults.items()}


def _other(random: Random, name: str, default: object) -> object:
    return random.choice(OTHERS[name]) if name in OTHERS and random.random() < 0.25 else default


def small_cluster(random: Random) -> list[dict[str, Any]]:
    """Two to five queue managers with what each of them defines; the first is the local one."""
    members = [_member(random, name) for name in NAMES[: random.randint(2, 5)]]
    local = members[0]
    for member in members:
        shared = [each for each in member["receivers"] if common(local, each["clusters"]) and member is not local]
        local["senders"] += [each["name"] for each in shared[:1] if random.random() < 0.3]
    return members


def _member(random: Random, name: str) -> dict[str, Any]:
    clusters = random.sample(CLUSTERS, random.randint(1, 2))
    of_all = [[each] for each in clusters] if random.random() < 0.7 else [clusters]
    return {
        "name": name,
        "platform": random.choice(["MULTI", "ZOS"]),
        "clusters": clusters,
        "suspended": [each for each in clusters if random.random() < 0.2],
        "attributes": some(random, QUEUE_MANAGER),
        "receivers": [_receiver(random, f"TO.{name[:6]}.{at}", each) for at, each in enumerate(of_all)],
        "senders": [],
        "queues": [_queue(random, each, clusters) for each in QUEUES if random.random() < 0.6],
        "processes": [{"name": "P.ONE", **some(random, PROCESS)}] if random.random() < 0.4 else [],
    }


def _receiver(random: Random, name: str, clusters: list[str]) -> dict[str, Any]:
    return {
        "name": name,
        "clusters": clusters,
        "status": random.choice([*STATES, "RUNNING", "RUNNING"]),
        "attributes": some(random, CHANNEL),
    }


def _queue(random: Random, name: str, clusters: list[str]) -> dict[str, Any]:
    """A queue or, of the kind QMGR, an alias of its own queue manager."""
    kind = random.choices(["QLOCAL", "QALIAS", "QREMOTE", "QMGR"], [6, 2, 2, 1])[0]
    held = LOCAL if kind == "QLOCAL" else INSTANCE | ({"get": "ENABLED"} if kind == "QALIAS" else {})
    leads = {
        "QALIAS": {"target": random.choice(QUEUES)},
        "QREMOTE": {"rname": random.choice(QUEUES), "rqmname": random.choice(["", *NAMES, "UNKNOWN"]), "xmitq": ""},
    }
    return {
        "kind": kind,
        "name": name,
        "clusters": random.sample(clusters, random.randint(0, len(clusters))),
        "trigger": kind == "QLOCAL" and random.random() < 0.3,
        "attributes": some(random, held) | leads.get(kind, {}),
    }


def common(local: dict[str, Any], clusters: Iterable[str]) -> list[str]:
    """Those of the clusters that the local queue manager is in."""
    return [each for each in clusters if each in local["clusters"]]


def known(members: list[dict[str, Any]]) -> dict[str, Any]:
    """What the first queue manager knows, as a facts document in which every attribute is stated."""
    local = members[0]
    own = {key: local[key] for key in ("name", "clusters", "suspended", "platform")}
    document: dict[str, Any] = {"queue_manager": {**own, **local["attributes"]}, "remote_queue_manager": []}
    document |= {"queue": [], "queue_manager_alias": [], "channel": [], "process": local["processes"]}
    for member in members:
        shared = {key: common(local, member[key]) for key in ("clusters", "suspended")}
        if member is not local and shared["clusters"]:
            document["remote_queue_manager"].append({"name": member["name"], **shared})
        for queue in member["queues"]:
            _know_queue(document, queue, member["name"], common(local, queue["clusters"]), member is local)
        for each in member["receivers"]:
            document["channel"] += [_route(each, member["name"], of, local) for of in common(local, each["clusters"])]
    return document


def _know_queue(document: dict[str, Any], queue: dict[str, Any], host: str, clusters: list[str], own: bool) -> None:
    attributes = queue["attributes"]
    row = {"name": queue["name"], "queue_manager": host, "type": queue["kind"], "clusters": clusters}
    if queue["kind"] == "QMGR":
        kept = {name: attributes[name] for name in ("put", "clwlrank", "clwlprty", "defbind")}
        if clusters:
            alias = {"name": queue["name"], "queue_manager": host, "clusters": clusters, **kept}
            document["queue_manager_alias"].append(alias)
        row |= {"type": "QREMOTE", "clusters": []}
    if own:
        triggered = {"trigger": queue["trigger"]} if queue["kind"] == "QLOCAL" else {}
        document["queue"].append({**row, **triggered, **attributes})
    elif clusters and queue["kind"] != "QMGR":
        document["queue"].append({**row, **{name: attributes[name] for name in INSTANCE}})


def _route(receiver: dict[str, Any], to: str, cluster: str, local: dict[str, Any]) -> dict[str, Any]:
    row = {"name": receiver["name"], "queue_manager": to, "cluster": cluster, **receiver["attributes"]}
    if to == local["name"]:
        return {**row, "deftype": "CLUSRCVR"}
    deftype = "CLUSSDRB" if receiver["name"] in local["senders"] else "CLUSSDRA"
    return {**row, "deftype": deftype, "status": receiver["status"]}
