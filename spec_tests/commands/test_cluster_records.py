"""What queue managers know of clustered queues, beside what the owners of these have: the record counts, and it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner

from mqclause.tools.commands.declared import check_command as check
from mqclause.tools.commands.declared import explain_command as explain

VIEW = """5724-H72 (C) Copyright IBM Corp. 1994, 2025.
Starting MQSC for queue manager QM1.

     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM1)                           CHANNEL(TO.QM1)
   CLUSTER(SALES)                          DEFTYPE(CLUSRCVR)
   QMTYPE(REPOS)                           SUSPEND(NO)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM2)                           CHANNEL(TO.QM2)
   CLUSTER(SALES)                          DEFTYPE(CLUSSDRB)
   QMTYPE(REPOS)                           SUSPEND(NO)
   STATUS(RUNNING)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM3)                           CHANNEL(TO.QM3)
   CLUSTER(SALES)                          DEFTYPE(CLUSSDRA)
   QMTYPE(NORMAL)                          SUSPEND(NO)
   STATUS(RUNNING)
     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE({name})                           TYPE(QCLUSTER)
   CLUSTER(SALES)                          CLUSQMGR(QM2)
   CLUSQT({kind})                          CLWLPRTY(3)
   PUT(ENABLED)                            DEFBIND(NOTFIXED)
AMQ8409I: Display Queue details.
   QUEUE({name})                           TYPE(QCLUSTER)
   CLUSTER(SALES)                          CLUSQMGR(QM3)
   CLUSQT({kind})                          CLWLPRTY(3)
   PUT(ENABLED)                            DEFBIND(NOTFIXED)
"""
QM1 = """* Queue manager name: QM1
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CONNAME('h1')
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME('h2')
"""
OWNER = """* Queue manager name: {name}
ALTER QMGR REPOS(SALES)
DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CONNAME('h')
{queue}
"""
QUEUE = "DEFINE QLOCAL(BILLS) CLUSTER(SALES) DEFBIND(NOTFIXED) CLWLPRTY({})"
ALIAS = "DEFINE QREMOTE(ANY.QM) CLUSTER(SALES) DEFBIND(NOTFIXED) CLWLPRTY({})"
ZOS = """CSQM201I +QM2 CSQMDRTC  DISPLAY QUEUE DETAILS
QUEUE(BILLS)
TYPE(QLOCAL)
QSGDISP(QMGR)
CLUSTER(SALES)
CLWLPRTY(7)
 END QUEUE DETAILS
CSQM201I +QM2 CSQMDRTC  DISPLAY QUEUE DETAILS
QUEUE(BILLS)
TYPE(QCLUSTER)
QSGDISP(QMGR)
CLUSTER(SALES)
CLUSQMGR(QM2)
CLUSQT(QLOCAL)
CLWLPRTY(3)
 END QUEUE DETAILS
CSQ9022I +QM2 CSQMDRTC ' DISPLAY QUEUE' NORMAL COMPLETION
"""
WEB = [
    {"qmname": "QM2"},
    {"queue": "BILLS", "type": "QLOCAL", "cluster": "SALES", "clwlprty": 7, "put": "ENABLED"},
    {"queue": "BILLS", "type": "QCLUSTER", "cluster": "SALES", "clusqmgr": "QM2", "clusqt": "QLOCAL", "clwlprty": 3},
]
PCF = [
    {"MQCA_Q_MGR_NAME": "QM2"},
    {"MQCA_Q_NAME": "BILLS", "MQIA_Q_TYPE": 1, "MQCA_CLUSTER_NAME": "SALES", "MQIA_CLWL_Q_PRIORITY": 7},
    {"MQCA_Q_NAME": "BILLS", "MQIA_Q_TYPE": 7, "MQCA_CLUSTER_NAME": "SALES", "MQCA_CLUSTER_Q_MGR_NAME": "QM2",
     "MQIA_CLUSTER_Q_TYPE": 1, "MQIA_CLWL_Q_PRIORITY": 3},
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Any:
    def written(**texts: str) -> list[str]:
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text)
        return [f"{name}={tmp_path / name}.txt" for name in texts]

    return written


def answered(command: Command, *options: str) -> Any:
    done = CliRunner().invoke(command, [*options, "--json"], standalone_mode=False, catch_exceptions=False)
    return json.loads(done.stdout)


def differing(*options: str) -> list[str]:
    found = answered(check, *options)["findings"]
    return [each["message"].partition(":")[0] for each in found if each["rule"] == "check.53"]


def seen(kind: str = "QLOCAL", name: str = "BILLS") -> str:
    return VIEW.format(name=name, kind=kind)


def owner(name: str, queue: str = QUEUE, priority: int = 3) -> str:
    return OWNER.format(name=name, queue=queue.format(priority))


def test_the_record_is_what_a_choice_is_made_by(files: Any) -> None:
    named = files(QM1=seen(), QM2=owner("QM2"), QM3=owner("QM3", priority=7))
    found = answered(explain, *named, "--from", "QM1", "--put", "BILLS")
    assert {each["queue_manager"] for each in found["permitted"]} == {"QM2", "QM3"}
    (told,) = [each for each in found["remarks"] if "CLWLPRTY" in each]
    assert "CLWLPRTY of BILLS is 7 at QM3 (" in told
    assert "3 in what QM1 knows of it (" in told
    assert told.endswith("which counts for choices made at QM1")
    assert not any("taken as all members" in each for each in found["assumptions"])
    assert differing(*named) == ["CLWLPRTY of BILLS is 7 at QM3, and 3 in what QM1 knows of it"]


@pytest.mark.parametrize(("deftype", "is_told"), [("CLUSSDRA", True), ("CLUSSDRB", True), ("CLUSSDR", False)])
def test_what_is_known_of_a_receiver_is_compared_with_what_its_owner_has(
    files: Any, deftype: str, is_told: bool
) -> None:
    shown = seen().replace("DEFTYPE(CLUSSDRA)", f"DEFTYPE({deftype})   CLWLWGHT(70)   NETPRTY(0)")
    receiver = owner("QM3").replace("CONNAME('h')", "CONNAME('h') CLWLWGHT(20)")
    named = files(QM1=shown, QM2=owner("QM2"), QM3=receiver)
    remarks = answered(explain, *named, "--from", "QM1", "--put", "BILLS")["remarks"]
    told = [each.partition(": ")[2].split(" (")[0] for each in remarks if "TO.QM3 is 20" in each]
    assert told == (["CLWLWGHT of TO.QM3 is 20 at QM3"] if is_told else [])
    assert not any("NETPRTY" in each for each in remarks)


def test_an_alias_of_a_queue_manager(files: Any) -> None:
    named = files(QM1=seen("QMGR", "ANY.QM"), QM2=owner("QM2", ALIAS), QM3=owner("QM3", ALIAS, 7))
    found = answered(explain, *named, "--from", "QM1", "--put", "Q", "--to-queue-manager", "ANY.QM")
    assert {each["queue_manager"] for each in found["permitted"]} == {"QM2", "QM3"}
    assert differing(*named) == ["CLWLPRTY of ANY.QM is 7 at QM3, and 3 in what QM1 knows of it"]


def test_the_record_of_an_alias_says_the_binding_of_an_open_that_leaves_it_to_the_alias(files: Any) -> None:
    asked = ("--from", "QM1", "--put", "Q", "--to-queue-manager", "ANY.QM", "--call", "MQOPEN")
    log = seen("QMGR", "ANY.QM")
    assert answered(explain, *files(QM1=log), *asked)["outcome"] == "deferred"
    bound = log.replace("DEFBIND(NOTFIXED)", "DEFBIND(OPEN)")
    assert answered(explain, *files(QM1=bound), *asked)["outcome"] == "chosen"


def test_a_log_that_shows_no_channel_of_the_owner_is_of_one_who_is_shown(files: Any) -> None:
    found = answered(explain, *files(QM1=seen(), QM2=ZOS), "--from", "QM1", "--put", "BILLS")
    (told,) = [each for each in found["remarks"] if "CLWLPRTY" in each]
    assert "CLWLPRTY of BILLS is 7 at QM2 (" in told
    assert not any("shares no cluster" in each for each in found["assumptions"])


def test_a_log_of_one_who_is_not_shown_tells_of_nothing_here(files: Any) -> None:
    log = ZOS.replace("QM2", "QM9")
    found = answered(explain, *files(QM1=seen(), QM9=log), "--from", "QM1", "--put", "BILLS")
    assert not any("CLWLPRTY" in each for each in found["remarks"])
    assert "QM1 shares no cluster with QM9 and knows nothing of what is there" in found["assumptions"]


def test_nothing_is_told_where_both_say_the_same(files: Any) -> None:
    named = files(QM1=seen(), QM2=owner("QM2"), QM3=owner("QM3"))
    remarks = answered(explain, *named, "--from", "QM1", "--put", "BILLS")["remarks"]
    assert not any("in what QM1 knows of it" in each for each in remarks)
    assert differing(*named) == []


@pytest.mark.parametrize("text", [ZOS, json.dumps({"commandResponse": [{"parameters": row} for row in WEB]}),
                                  json.dumps(PCF)], ids=["z/OS", "mqweb", "PCF"])  # fmt: skip
def test_the_owner_alone_may_show_both(files: Any, text: str) -> None:
    assert differing(*files(QM2=text)) == ["CLWLPRTY of BILLS is 7 at QM2, and 3 in what QM2 knows of it"]


def test_others_go_by_the_record_that_the_owner_shows(files: Any) -> None:
    """QM1 shows nothing itself: what QM2 has told the cluster is what QM1 knows."""
    both = owner("QM2", "") + f"{QUEUE.format(7)}\n"
    record = VIEW.format(name="BILLS", kind="QLOCAL").replace("queue manager QM1", "queue manager QM2")
    log = record[: record.index("     1 :")] + record[record.index("     2 :") :].partition("AMQ8409I")[0]
    log += "AMQ8409I: Display Queue details.\n   QUEUE(BILLS)   TYPE(QCLUSTER)\n"
    log += "   CLUSTER(SALES)  CLUSQMGR(QM2)  CLUSQT(QLOCAL)  CLWLPRTY(3)\n"
    named = [*files(QM1=QM1, QM3=owner("QM3", priority=5)), *files(QM2=both)]
    before = answered(explain, *named, "--from", "QM1", "--put", "BILLS")
    assert [each["queue_manager"] for each in before["permitted"]] == ["QM2"]
    (shown,) = files(shown=log)
    after = answered(explain, *named, f"QM2={shown.partition('=')[2]}", "--from", "QM1", "--put", "BILLS")
    assert [each["queue_manager"] for each in after["permitted"]] == ["QM3"]
    assert any("CLWLPRTY of BILLS is 7 at QM2" in each for each in after["remarks"])


def test_a_change_is_published(files: Any) -> None:
    named = files(QM1=seen(), QM2=owner("QM2"), QM3=owner("QM3"))
    changed = [*named, "--set", "QLOCAL(BILLS) QMGR(QM3) CLWLPRTY(9)"]
    assert differing(*changed) == []
    found = answered(explain, *changed, "--from", "QM1", "--put", "BILLS")
    assert [each["queue_manager"] for each in found["permitted"]] == ["QM3"]
