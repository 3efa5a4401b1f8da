"""Names that nobody knows, or that rules say, in tables of puts that rules of one's own lead on."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa
from attrs import evolve

from mqclause import Cluster, Queue, QueueManager, QueueManagerAlias, Rules
from mqclause.answers import NOBODY_LEFT
from mqclause.duckdb import decide
from mqclause.tables.schema import PUT
from spec_tests.support.deep import first
from spec_tests.support.led_on import AS_THE_LOCAL_ONE, BY_ITS_NAME, TWO_WAYS, rules_that_say_a_name
from spec_tests.support.random_rows import answers, arrow_struct
from spec_tests.support.together import connection

ODD: list[dict[str, Any]] = [{}, {"already_sent_to": ["QM9"]}, {"clwlmruc": 1}]
"""What puts say besides: nothing, or what keeps them from being decided by their names alone."""


def of(*puts: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    # Of fields that no put says the query would say much.
    kind = arrow_struct({name: PUT[name] for name in dict.fromkeys(name for put in puts for name in put)})
    table = pa.table({"id": range(len(puts)), "put": pa.array(puts, kind)})
    return answers(decide(table, connection=connection(), **more))


LEADS_ON = """
clause = "resolution/12"
title = "A queue that is not there goes on by the default transmission queue"
when = "unanswered AND here"
[settle]
ends = "'transmission queue'"
transmission_queue = "defxmitq"
because = "{queue} is not there"
"""


@pytest.mark.parametrize("named", [{"queue": "q"}, {"queue": "q", "queue_manager": "m"}])
def test_a_queue_that_is_not_there_has_its_own_name_where_rules_have_it_lead_somewhere(named: dict[str, Any]) -> None:
    """By a rule of one's own in the place of 2085; what stands for all such names is not told."""
    rules = Rules().with_files({"resolution/12b_unknown_queue.toml": LEADS_ON})
    cluster = Cluster(QueueManager("QM1", defxmitq="ON"), queues=[Queue("ON", "QM1", usage="XMITQ")])
    rows = pa.table({"id": range(2), "q": ["LOST", "GONE "], "m": ["QM1 ", None]})
    for shares in (False, True):
        found = answers(decide(rows, cluster, rules, shares=shares, connection=connection(), **named))
        assert [each["queue"] for each in found] == ["LOST", "GONE"]
        assert [each["queue_manager"] for each in found] == (
            ["QM1", None] if "queue_manager" in named else [None, None]
        )
        assert [each["transmission_queue"] for each in found] == ["ON", "ON"]
    assert [each["shares"][0]["queue"] for each in found] == ["LOST", "GONE"]


def test_a_name_that_a_rule_says_is_decided_for_itself() -> None:
    """Beside a queue manager a queue is kept, whatever it is; two rules tell PAY from any other."""
    asked = [(beside, odd) for beside in ("QM2", "NOBODY") for odd in ODD]
    puts = [{"queue": name, "queue_manager": beside, **odd} for beside, odd in asked for name in ("PAY", "OTHER ")]
    found = of(*puts, cluster=TWO_WAYS, rules=rules_that_say_a_name(), explain=True)
    for (beside, odd), pay, other in zip(asked, found[::2], found[1::2], strict=True):
        assert (pay["queue"], pay["channel"], pay["eliminated_by"]) == ("PAY", "C3", ["workload.04z", None]), odd
        told = ("OTHER", "C2", None) if beside == "QM2" else (None, None, 2087)
        assert (other["queue"], other["channel"], other["reason"]) == told, odd


def test_the_names_of_a_row_stand_wherever_rules_put_them() -> None:
    rules = Rules().with_files({"resolution/04b_by_its_name.toml": BY_ITS_NAME})
    found = of({"queue": "LOST", "queue_manager": "GONE"}, cluster=TWO_WAYS, rules=rules, shares=True)[0]
    told = ("LOST", "GONE", "GONE")
    assert (found["queue"], found["queue_manager"], found["transmission_queue"]) == told


@pytest.mark.deep
def test_the_names_of_a_row_may_be_crossed() -> None:
    crossed = BY_ITS_NAME.replace('= "queue_manager"', '= "queue"')
    rules = Rules().with_files({"resolution/04b_by_its_name.toml": crossed})
    assert (
        of({"queue": "LOST", "queue_manager": "GONE"}, cluster=TWO_WAYS, rules=rules)[0]["transmission_queue"] == "LOST"
    )


def test_names_that_nobody_knows_are_led_on_by_rules_of_ones_own() -> None:
    """A queue manager that nobody knows stands for none, so that the queue beside it is looked up."""
    rules = Rules().with_files({"resolution/04b_as_none.toml": AS_THE_LOCAL_ONE})
    names = [*((name, "GONE") for name in ("OWN", "THEIRS", "LOST", "A B")), ("OWN", "\u00e9")]
    puts = [{"queue": name, "queue_manager": beside, **odd} for odd in ODD for name, beside in names]
    found = of(*puts, cluster=TWO_WAYS, rules=rules, explain=True)
    for at, odd in enumerate(ODD):
        own, theirs, lost, wrong_queue, wrong = found[len(names) * at :][: len(names)]
        assert (own["queue"], own["queue_manager"], own["channel"]) == ("OWN", "QM1", None), odd
        assert (theirs["queue_manager"], theirs["channel"]) == ("QM2", "C2"), odd
        # With CLWLMRUC(1) one channel stays, that listed first; otherwise the sequence decides: both are as good.
        assert theirs["permitted"] == (1 if "clwlmruc" in odd else 2), odd
        assert (lost["outcome"], lost["reason"]) == ("failed", 2085), odd
        assert {wrong["outcome"], wrong_queue["outcome"]} == {"invalid"}, odd


@pytest.mark.parametrize("shares", first(1, [True, False]))
def test_a_put_for_which_rules_say_nothing_is_an_invalid_row(shares: bool) -> None:
    """Without the rule of 2085 nothing ends an open of THEIRS where no channel leads to it; OWN is decided."""
    cluster = evolve(TWO_WAYS, channels=[])
    rules = Rules().with_files({"outcome/2085_unknown_object_name.toml": None})
    theirs, own = of({"queue": "THEIRS"}, {"queue": "OWN"}, cluster=cluster, rules=rules, shares=shares)
    assert (theirs["outcome"], theirs["message"], theirs.get("shares")) == ("invalid", NOBODY_LEFT, None)
    assert (own["outcome"], own["message"]) == ("chosen", None)


def test_an_alias_of_ones_own_that_rules_do_not_follow_is_no_destination() -> None:
    """Beside a queue the alias at QM1 would be followed; left to the workload rules it leads by QM2's alone."""
    aliases = [QueueManagerAlias("GATE", host, ("SALES",)) for host in ("QM1", "QM2")]
    cluster = evolve(TWO_WAYS, queue_manager_aliases=aliases)
    rules = Rules().with_files({"resolution/03d_alias_resolved_again.toml": None})
    puts = [{"queue": "FAR", "queue_manager": "GATE", **odd} for odd in ODD]
    for odd, found in zip(ODD, of(*puts, cluster=cluster, rules=rules, explain=True), strict=True):
        assert (found["queue"], found["queue_manager"], found["channel"]) == ("FAR", "QM2", "C2"), odd
        assert found["eliminated_by"] == [None, "workload.11c" if "clwlmruc" in odd else None], odd
