"""A small cluster in the formats that administrators have it in; written by what is known of them, not by the product.

Letter case, quotes, continuation, comments, columns, suffixes, encodings and the like are chosen at random.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from spec_tests.support.small_cluster import INSTANCE, common

Cells = list[tuple[str, Any]]
"""The attributes of one object by MQSC's words; None where a word stands alone."""

SHORT = {"QLOCAL": "QL", "QALIAS": "QA", "QREMOTE": "QR", "CHANNEL": "CHL", "NAMELIST": "NL", "PROCESS": "PRO"}
ONE_LINE = 200
SAID = {"QUEUE": "8409", "QCLUSTER": "8409", "QMGR": "8408", "CLUSQMGR": "8441", "NAMELIST": "8550", "PROCESS": "8407"}
ALONE: dict[str, Cells] = {
    "NAMELIST": [("DESCR", "")],
    "QMGR": [("SYNCPT", None)],
    "CLUSQMGR": [("QMID", "X_2026-01-02")],
}

PCF: dict[str, tuple[Any, ...]] = {
    "CLUSQMGR": (2031,), "CLUSTER": (2029,), "CLUSNL": (2030,), "CHANNEL": (3501,), "QUEUE": (2016,), "QMNAME": (2015,),
    "DEFXMITQ": (2025,), "CLWLDATA": (2034,), "NAMES": (2020,), "NAMELIST": (2010,), "PROCESS": (2012,),
    "INITQ": (2008,), "TRIGDATA": (2023,), "RNAME": (2018,), "RQMNAME": (2017,), "XMITQ": (2024,), "TARGET": (2002,),
    "APPLICID": (2001,), "ENVRDATA": (2007,), "USERDATA": (2021,), "NETPRTY": (1565,), "CLWLWGHT": (1579,),
    "CLWLMRUC": (97,), "TRIGDPTH": (29,), "TRIGMPRI": (26,), "TRIGINT": (25,), "DEFPRTY": (6,), "QMID": (2032,),
    "STATUS": (1527, "INACTIVE BINDING STARTING RUNNING STOPPING RETRYING STOPPED REQUESTING PAUSED - - - - INITIALIZING"),
    "DEFTYPE": (1084, "- CLUSSDR CLUSSDRA CLUSRCVR CLUSSDRB"), "SUSPEND": (1087, "NO YES"),
    "TYPE": (20, "- QLOCAL QMODEL QALIAS - - QREMOTE QCLUSTER"), "CLUSQT": (59, "- QLOCAL QALIAS QREMOTE QMGR"),
    "PUT": (10, "ENABLED DISABLED"), "GET": (9, "ENABLED DISABLED"), "DEFBIND": (61, "OPEN NOTFIXED GROUP"),
    "TRIGTYPE": (28, "NONE FIRST EVERY DEPTH"), "USAGE": (12, "NORMAL XMITQ"), "MSGDLVSQ": (16, "PRIORITY FIFO"),
    "PLATFORM": (32, "- MVS - UNIX"), "APPLTYPE": (1, "- - - - - - UNIX"),
}  # fmt: skip
"""The numbers of PCF parameters, and the words of their values from 0 on, as IBM's headers have them."""


def one_of(random: Random, *choices: str) -> str:
    """One of some texts."""
    return random.choice(choices)


def dump(random: Random, members: list[dict[str, Any]], member: dict[str, Any]) -> str:
    """What dmpmqcfg says of one queue manager."""
    platform = "z/OS" if member["platform"] == "ZOS" else "UNIX"
    head = [f"* Queue manager name: {member['name']}", f"* Queue manager platform: {platform}", "*" * 79]
    lists: dict[str, list[str]] = {}
    blocks = [_command(random, "ALTER", "QMGR", "", _upper(member["attributes"]))]
    for queue in member["queues"]:
        kind = "QREMOTE" if queue["kind"] == "QMGR" else queue["kind"]
        flags: Cells = [("TRIGGER" if queue["trigger"] else "NOTRIGGER", None)] if kind == "QLOCAL" else []
        cells = [*_upper(queue["attributes"]), *_clusters(queue["clusters"], lists), *flags, ("REPLACE", None)]
        blocks.append(_command(random, "DEFINE", kind, queue["name"], cells))
    for each in member["receivers"]:
        cells = [("CHLTYPE", "CLUSRCVR"), ("CONNAME", "h(1414),i(1415)"), *_upper(each["attributes"])]
        blocks.append(
            _command(random, "DEFINE", "CHANNEL", each["name"], [*cells, *_clusters(each["clusters"], lists)])
        )
    leading = {each["name"]: each["clusters"] for other in members for each in other["receivers"]}
    for name in member["senders"]:
        cells = [("CHLTYPE", "CLUSSDR"), *_clusters(common(member, leading[name]), lists)]
        blocks.append(_command(random, "DEFINE", "CHANNEL", name, cells))
    for each in member["processes"]:
        cells = _upper({name: value for name, value in each.items() if name != "name"})
        blocks.append(_command(random, "DEFINE", "PROCESS", each["name"], cells))
    named = [_command(random, "DEFINE", "NAMELIST", name, [("NAMES", of)]) for name, of in lists.items()]
    blocks += [*named, *(f"SUSPEND QMGR CLUSTER('{each}')" for each in member["suspended"])]
    return one_of(random, "\n", "\r\n").join([*head, *"\n".join(blocks).split("\n"), "* Script ended on", ""])


def _command(random: Random, verb: str, kind: str, name: str, cells: Cells) -> str:
    noun = one_of(random, kind, SHORT.get(kind, kind), kind.lower())
    words = [f"{one_of(random, verb, verb[:3].lower())} {noun}" + (f"({_quoted(random, name)})" if name else "")]
    random.shuffle(cells)
    words += [word if value is None else f"{word}{_in_mqsc(random, value)}" for word, value in cells]
    text = " ".join(words)
    if len(text) < ONE_LINE and random.random() < 0.5:
        return text + one_of(random, "", ";", " ;")
    between = one_of(random, " +\n   ", " + \n", " +\n* a remark with ( and '\n  ", " +\n\n\t", ", +\n ", " -\n ")
    return between.join(words)


def _in_mqsc(random: Random, value: Any) -> str:
    listed = value if isinstance(value, list) else [value]
    inner = one_of(random, ",", ", ", " ").join(_quoted(random, each) for each in listed)
    return one_of(random, f"({inner})", f"( {inner} )", f" ({inner})")


def _quoted(random: Random, value: Any) -> str:
    text = str(value)
    if text and text == text.upper() and not set(text) & set("'() ,") and random.random() < 0.5:
        return one_of(random, text, text.lower())
    return "'" + (text or one_of(random, "", " ")).replace("'", "''") + "'"


def _clusters(clusters: list[str], lists: dict[str, list[str]]) -> Cells:
    if len(clusters) < 2:
        return [("CLUSTER", "".join(clusters)), ("CLUSNL", "")]
    name = f"NL.{len(lists)}"
    lists[name] = clusters
    return [("CLUSNL", name), ("CLUSTER", "")]


def _upper(attributes: dict[str, Any]) -> Cells:
    return [(name.upper(), value) for name, value in attributes.items()]


def displayed(members: list[dict[str, Any]]) -> dict[str, list[Cells]]:
    """By kind, the objects that the first queue manager displays."""
    local, lists = members[0], dict[str, list[str]]()
    platform = "MVS" if local["platform"] == "ZOS" else "UNIX"
    queues = []
    for queue in local["queues"]:
        kind = "QREMOTE" if queue["kind"] == "QMGR" else queue["kind"]
        flags: Cells = [("TRIGGER" if queue["trigger"] else "NOTRIGGER", None)] if kind == "QLOCAL" else []
        cells = [("QUEUE", queue["name"]), ("TYPE", kind), *_upper(queue["attributes"]), *flags]
        queues.append([*cells, *_clusters(queue["clusters"], lists)])
    instances, routes = [], []
    for member in members:
        for queue in member["queues"]:
            shown = _upper({name: queue["attributes"][name] for name in INSTANCE})
            for of in common(local, queue["clusters"]):
                cells = [("QUEUE", queue["name"]), ("TYPE", "QCLUSTER"), ("CLUSTER", of), ("CLUSQMGR", member["name"])]
                instances.append([*cells, ("CLUSQT", queue["kind"]), *shown])
        for each in member["receivers"]:
            routes += [_shown_route(each, member, of, local) for of in common(local, each["clusters"])]
    return {
        "QMGR": [[("QMNAME", local["name"]), *_upper(local["attributes"]), ("PLATFORM", platform)]],
        "QUEUE": queues,
        "NAMELIST": [[("NAMELIST", name), ("NAMES", of)] for name, of in lists.items()],
        "PROCESS": [[("PROCESS", each["name"]), *_upper(each)[1:]] for each in local["processes"]],
        "QCLUSTER": instances,
        "CLUSQMGR": routes,
    }


def _shown_route(receiver: dict[str, Any], member: dict[str, Any], cluster: str, local: dict[str, Any]) -> Cells:
    deftype = "CLUSSDRB" if receiver["name"] in local["senders"] else "CLUSSDRA"
    own = member is local
    return [
        ("CLUSQMGR", member["name"]),
        ("CHANNEL", receiver["name"]),
        ("CLUSTER", cluster),
        ("DEFTYPE", "CLUSRCVR" if own else deftype),
        *([] if own else [("STATUS", receiver["status"])]),
        ("SUSPEND", "YES" if cluster in member["suspended"] else "NO"),
        ("CONNAME", "a.b.c(1414),d(1415)"),
        *_upper(receiver["attributes"]),
    ]


def log(random: Random, members: list[dict[str, Any]]) -> str:
    """What runmqsc displays, or CSQUTIL on z/OS."""
    on_z, two, echo, letter = (random.random() < part for part in (0.2, 0.6, 0.7, 0.7))
    before = one_of(random, "", "", "2026-11-20T10:11:12.123Z ")
    lines = [f"Starting MQSC for queue manager {members[0]['name']}.", ""] * (not on_z)
    for number, (kind, objects) in enumerate(displayed(members).items(), 1):
        lines += [f"{number:6d} : {one_of(random, 'DISPLAY', 'dis')} {kind}{'(*)' * (kind != 'QMGR')} ALL"] * echo
        for cells in objects:
            message = f"AMQ{SAID[kind]}{'I' * letter}: {one_of(random, 'Display details.', 'Anzeige.', '詳細。')}"
            on_host = one_of(random, f"CSQM201I !MQ1 CSQMDRTC  DIS {kind} DETAILS", "CSQM401I !MQ1")
            shown = [_cell(random, *each) for each in [*cells, *ALONE.get(kind, [])]]
            lines += [on_host if on_z else message, *_columns(shown, two and not on_z)]
        lines += [f"CSQ9022I !MQ1 CSQMDRTC ' DIS {kind}' NORMAL COMPLETION"] * on_z
    return "\n".join(before + line for line in lines) + "\n"


def _columns(cells: list[str], two: bool) -> list[str]:
    """Two cells a line where they are short enough, the second one in the column 44."""
    lines, waiting = list[str](), ""
    for cell in cells:
        if waiting and len(cell) < 40:
            lines.append(f"   {waiting:<40}{cell}")
            waiting = ""
        else:
            lines += [f"   {waiting}"] * bool(waiting)
            waiting = cell if two and len(cell) < 40 else ""
            lines += [] if waiting else [f"   {cell}"]
    return [*lines, *[f"   {waiting}"] * bool(waiting)]


def _cell(random: Random, word: str, value: Any) -> str:
    if value is None:
        return word
    text = ",".join(value) if isinstance(value, list) else str(value)
    return f"{word}({text or one_of(random, ' ', '')})"


def mqweb(random: Random, members: list[dict[str, Any]]) -> str:
    """What mqweb answers to the same commands."""
    rows = [
        {word.lower(): random.choice(("", "yes", True)) if value is None else value for word, value in cells}
        for objects in displayed(members).values()
        for cells in objects
    ]
    items = [{"completionCode": 0, "reasonCode": 0, "parameters": row} for row in rows]
    none = {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: object not found"]}
    return json.dumps({"commandResponse": [*items, none], "overallCompletionCode": 0, "overallReasonCode": 0})


def pcf(random: Random, members: list[dict[str, Any]]) -> str:
    """What programs get as answers to PCF commands, by number."""
    objects = [(kind, cells) for kind, found in displayed(members).items() for cells in found]
    rows = [dict(_parameter(random, kind, *each) for each in cells) for kind, cells in objects]
    return json.dumps([[row, {"Type": 2, "Reason": 0}] for row in rows] if random.random() < 0.5 else rows)


def _parameter(random: Random, kind: str, word: str, value: Any) -> tuple[str, Any]:
    if word in ("TRIGGER", "NOTRIGGER"):
        return "24", int(word == "TRIGGER")
    if word == "CLWLUSEQ":
        return "98", {"LOCAL": 0, "ANY": 1, "QMGR": -3}[value]
    if word in ("CLWLRANK", "CLWLPRTY"):
        of_channel = {"CLWLRANK": "1577", "CLWLPRTY": "1578"}
        return of_channel[word] if kind == "CLUSQMGR" else {"CLWLRANK": "95", "CLWLPRTY": "96"}[word], value
    number, *words = PCF.get(word, (3506,))
    if words:
        return str(number), words[0].split().index(value)
    padded = one_of(random, "", "   ", "\0\0")
    if isinstance(value, list):
        return str(number), [each + padded for each in value]
    return str(number), value + padded if isinstance(value, str) else value
