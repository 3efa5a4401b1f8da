"""What a refresh of a cluster removes and spares, and what that leads to. Expected by hand, from the document."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mqclause import FactsError
from spec_tests.support.administered import FAIL, PUT, RECOVER, SUSPEND, changed, fates, replayed, sent


@pytest.mark.parametrize("repository", [False, True])
def test_which_channels_a_refresh_spares(repository: bool) -> None:
    """Of another member: one that an administrator defined, one with messages, any to a full repository."""
    fourth = {"name": "QM4", "clusters": ["SALES", "PAY"], "repository": repository}
    kinds = list(itertools.product(("CLUSSDR", "CLUSSDRA", "CLUSSDRB"), (0, 1), ("SALES", "PAY")))
    routes = [
        {"name": f"{kind}.{count}", "queue_manager": "QM4", "cluster": cluster, "deftype": kind, "messages": count}
        for kind, count, cluster in kinds
    ]
    given: dict[str, Any] = {"remote_queue_manager": [fourth], "channel": routes}
    [row] = replayed({"do": "refresh", "cluster": "SALES"}, **given)
    removed, kept = (
        {each["channel"] for each in row[name] if each.get("channel") and each["queue_manager"] == "QM4"}
        for name in ("removed", "kept")
    )
    assert removed == (set() if repository else {"CLUSSDRA.0"})
    assert kept == {f"{kind}.{count}" for kind, count, _ in kinds} - removed


def test_a_refresh_removes_aliases_of_others_and_suspensions_in_that_cluster_alone() -> None:
    aliases = [
        {"name": "ANY", "queue_manager": "QM3", "clusters": ["SALES", "PAY"]},
        {"name": "ANY", "queue_manager": "QM1", "clusters": ["SALES"]},
    ]
    third = {**SUSPEND, "queue_manager": "QM3"}
    rows = replayed(
        third, {**third, "cluster": "PAY"}, {"do": "refresh", "cluster": "SALES"},
        {**third, "cluster": "PAY"}, queue_manager_alias=aliases,
    )  # fmt: skip
    listed = {
        name: [(each.get("queue"), each["queue_manager"]) for each in rows[2][name]] for name in ("removed", "kept")
    }
    assert ("ANY", "QM3") in listed["removed"]
    assert ("ANY", "QM1") in listed["kept"]
    assert changed(rows[3]) == [], "it is suspended in PAY still"


def test_a_refresh_removes_what_others_own_and_spares_the_rest() -> None:
    waiting = {"name": "OLD.QM3", "queue_manager": "QM3", "cluster": "SALES", "messages": 2}
    manual = {"name": "SDR.QM3", "queue_manager": "QM3", "cluster": "SALES", "deftype": "CLUSSDR"}
    row, put, here = replayed(
        {"do": "refresh", "cluster": "SALES"}, PUT, {"do": "put", "queue": "HERE"}, channel=[waiting, manual]
    )
    named = [(each.get("queue") or each.get("channel"), each["queue_manager"]) for each in row["removed"]]
    assert named == [(None, "QM2"), (None, "QM3"), ("ORDERS.IN", "QM2"), ("ORDERS.IN", "QM3"), ("TO.QM3", "QM3")]
    kept = {each.get("queue") or each.get("channel") for each in row["kept"]}
    assert kept == {None, "HERE", "TO.QM2", "TO.QM1", "OLD.QM3", "SDR.QM3"}
    assert put["routed"]["queue_manager"] == "QM3", "known in PAY still"
    assert here["routed"]["queue_manager"] == "QM1"


def test_a_queue_that_nobody_is_known_to_host_any_more_is_unknown() -> None:
    rows = replayed({"do": "refresh", "cluster": "SALES"}, {"do": "refresh", "cluster": "PAY"}, PUT)
    assert rows[2]["routed"]["failed"]["code"] == 2085


FORGOTTEN: tuple[tuple[str, str, str, int | str], ...] = (
    ("known", "CLUSSDRA", "", 2086),
    ("unknown", "CLUSSDRA", "", 2087),
    ("unknown", "CLUSSDRA", "XQ", "QM4"),
    ("known", "CLUSSDR", "", "QM4"),
    ("unknown", "CLUSSDR", "XQ", "QM4"),
)
"""By the reading, the channel to QM4 and DEFXMITQ: what a put that names QM4 ends with, or where it goes."""


@pytest.mark.parametrize(("choice", "deftype", "defxmitq", "ends"), FORGOTTEN)
def test_a_queue_manager_that_a_refresh_removed_is_named(
    choice: str, deftype: str, defxmitq: str, ends: int | str
) -> None:
    """While a channel leads to it, that is the way; without one, it is known by name, or as good as never heard of."""
    route = {"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES", "deftype": deftype}
    *_, row = replayed(
        {"do": "refresh", "cluster": "SALES"}, {**PUT, "to_queue_manager": "QM4"},
        readings={"refreshed-queue-manager": choice}, queue_manager={"defxmitq": defxmitq},
        remote_queue_manager=[{"name": "QM4", "clusters": ["SALES"]}], channel=[route],
        queue=[{"name": "XQ", "usage": "XMITQ"}],
    )  # fmt: skip
    routed = row["routed"]
    assert (routed["failed"]["code"] if "failed" in routed else routed["queue_manager"]) == ends
    assert routed.get("transmission_queue", "") == (defxmitq if deftype == "CLUSSDRA" and choice == "unknown" else "")


@pytest.mark.parametrize("do", ["suspend", "resume"])
def test_a_queue_manager_is_not_suspended_where_a_refresh_removed_it(do: str) -> None:
    refresh = {"do": "refresh", "cluster": "SALES"}
    with pytest.raises(FactsError, match=rf"event 1 \({do}\)") as caught:
        replayed(refresh, {**SUSPEND, "do": do})
    assert "cluster: 'QM2' is not in 'SALES'; its clusters: none, as of this event" in str(caught.value)
    third = {**SUSPEND, "do": do, "queue_manager": "QM3"}
    assert len(replayed(refresh, {**third, "cluster": "PAY"})) == 2, "it is known in PAY still"


ALTERED = [
    ({"channel": "TO.QM4", "set": {"status": "RUNNING"}}, "channel 'TO.QM4' is not known; allowed: one of the facts"),
    (
        {"queue": "FAR", "queue_manager": "QM4", "set": {"put": "DISABLED"}},
        "queue 'FAR' is not known; allowed: one of the facts",
    ),
]


@pytest.mark.parametrize(("altered", "fault"), ALTERED)
def test_what_a_refresh_removed_cannot_be_altered(altered: dict[str, Any], fault: str) -> None:
    """It is in the facts, so the fault says since when it is not there."""
    facts: dict[str, Any] = {
        "remote_queue_manager": [{"name": "QM4", "clusters": ["SALES"]}],
        "channel": [{"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES"}],
        "queue": [{"name": "FAR", "queue_manager": "QM4", "clusters": ["SALES"]}],
    }
    alter, refresh = {"do": "alter", **altered}, {"do": "refresh", "cluster": "SALES"}
    assert len(replayed(alter, refresh, **facts)) == 2
    with pytest.raises(FactsError) as caught:
        replayed(refresh, alter, **facts)
    assert f"event 1 (alter): as of this event {fault}" in str(caught.value)


@pytest.mark.parametrize("choice", ["known", "unknown"])
def test_what_waits_for_a_queue_manager_is_sent_though_a_refresh_removed_that(choice: str) -> None:
    readings = {"refreshed-queue-manager": choice}
    repository = {"name": "QM4", "clusters": ["SALES"]}
    route = {"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES"}
    fourth = {"queue_manager": "QM4"}
    *_, row = replayed(
        {**FAIL, **fourth}, {"do": "refresh", "cluster": "SALES"}, {**RECOVER, **fourth}, readings=readings,
        remote_queue_manager=[repository], channel=[route], in_flight=[sent("TO.QM4", bound=True)],
    )  # fmt: skip
    assert fates(row) == {"M1": ("sent", None)}


REFRESH = {"do": "refresh", "cluster": "SALES"}


@pytest.mark.parametrize(
    ("flags", "stays"),
    [({}, True), ({"in_doubt": True}, True), ({"bound": True}, True), ({"delivered": True}, False)],
)
def test_messages_in_flight_are_messages_of_their_channel(flags: dict[str, Any], stays: bool) -> None:
    """One that was delivered is on no transmission queue any more."""
    [row] = replayed(REFRESH, in_flight=[sent("TO.QM3", **flags)])
    [why] = [each["because"] for each in (*row["kept"], *row["removed"]) if each.get("channel") == "TO.QM3"]
    assert (why == "messages of TO.QM3: 0 on the cluster transmission queue, 1 in flight") == stays
    assert ("TO.QM3" in [each.get("channel") for each in row["kept"]]) == stays


@pytest.mark.parametrize(
    ("choice", "repos", "local", "kept"),
    [
        ("removed", "NO", False, set()),
        ("kept", "NO", False, {"QM2"}),
        ("kept", "YES", False, set()),
        ("kept", "NO", True, {"QM2", "QM3"}),
        ("removed", "NO", True, set()),
    ],
)
def test_which_queue_managers_stay(choice: str, repos: str, local: bool, kept: set[str]) -> None:
    """QM2 is a full repository, QM3 is none."""
    [row] = replayed(
        {**REFRESH, "repos": repos},
        readings={"refreshed-repositories": choice},
        queue_manager={"repository": local},
    )
    hosts = {each["queue_manager"] for each in row["kept"] if each.keys().isdisjoint({"queue", "channel"})}
    assert hosts == {"QM1", *kept}
    assert "refused" not in row


@pytest.mark.parametrize("choice", ["removed", "kept"])
def test_a_full_repository_refuses_repos_yes(choice: str) -> None:
    own, readings = {"repository": True}, {"refreshed-repositories": choice}
    row, put = replayed({**REFRESH, "repos": "YES"}, PUT, readings=readings, queue_manager=own)
    assert (row["removed"], row["kept"], row["refused"]["message"]) == ([], [], "AMQ9406")
    assert "REPOS(YES) is not allowed on QM1" in row["refused"]["because"]
    assert put["routed"]["queue_manager"] == "QM2", "nothing was removed"


ASKED: tuple[tuple[dict[str, Any], list[dict[str, Any]], int, str], ...] = (
    (PUT, [], 2085, "MQ would ask QM2 for it again"),
    ({**PUT, "to_queue_manager": "QM4"}, [], 2086, "a refresh removed QM4: MQ would ask QM2"),
    ({"do": "open", "queue": "ORDERS.IN", "mode": "OUTPUT"}, [], 2085, "MQ would ask QM2 for it again"),
    ({**PUT, "queue": "AL"}, [{"name": "AL", "type": "QALIAS", "target": "ORDERS.IN"}], 2082, ""),
)


@pytest.mark.parametrize(("event", "queues", "code", "said"), ASKED)
def test_who_would_be_asked_again_for_what_is_put_to(
    event: dict[str, Any], queues: list[dict[str, Any]], code: int, said: str
) -> None:
    fourth = {"name": "QM4", "clusters": ["SALES"]}
    *_, row = replayed(
        REFRESH, {**REFRESH, "cluster": "PAY"}, event, queue=queues, remote_queue_manager=[fourth],
    )  # fmt: skip
    assert row["routed"]["failed"]["code"] == code
    assert [said in each and "2189" in each for each in row.get("remarks", [])] == ([True] if said else [])


def test_what_was_never_known_is_asked_of_nobody_and_where_no_repository_is_known_that_is_said() -> None:
    rows = replayed({**PUT, "to_queue_manager": "QM9"}, REFRESH, {**PUT, "to_queue_manager": "QM9"})
    assert [any("2189" in each for each in row.get("remarks", [])) for row in rows] == [False, False, False]
    away = {"do": "alter", "queue_manager": "QM2", "set": {"repository": False}}
    *_, row = replayed(away, REFRESH, {**REFRESH, "cluster": "PAY"}, PUT)
    assert ["of which none is known" in each for each in row["remarks"]] == [True]
