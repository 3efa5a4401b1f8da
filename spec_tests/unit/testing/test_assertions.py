"""Assertions about a cluster: each holds, fails with the trace where it does not, and refuses what it cannot answer."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from mqclause import ArgumentError, Engine, FactsError, Members, Rules, fail, read, text
from mqclause.testing import assert_fails, assert_no_findings, assert_routes, assert_triggers
from spec_tests.commands.test_readme import run_program

DEPOT = Members.of("DEPOT", ["QM7", "QM8", "QM9"], {"STOCK.IN": ["QM8", "QM9"]})
WEIGHED = DEPOT.with_channel("TO.QM8", "QM8", clwlwght=20).with_channel("TO.QM9", "QM9", clwlwght=10)

TRIGGERED = """
DEFINE QLOCAL(BELL)
DEFINE PROCESS(WORK) APPLICID(w)
DEFINE QLOCAL(STOCK.IN) TRIGGER TRIGTYPE(EVERY) INITQ(BELL) PROCESS(WORK)
"""


def test_where_puts_go() -> None:
    assert_routes(DEPOT, "STOCK.IN", at="QM7", to={"QM8": 1 / 2, "QM9": 1 / 2, "QM7": 0})
    assert_routes(WEIGHED, "STOCK.IN", at="QM7", to={"QM8": 2 / 3, "QM9": 1 / 3})
    assert_routes(DEPOT.at("QM8"), "STOCK.IN", to={"QM8": 1})
    assert_routes(DEPOT.at("QM7").cluster, "STOCK.IN", at="QM7", to={"QM8": 0.5, "QM9": 0.5})
    assert_routes(fail(DEPOT, "QM9"), "STOCK.IN", at="QM7", to={"QM8": 1}, engine=Engine(Rules(edition="mq-9.4")))
    assert_routes(DEPOT, "NOWHERE", at="QM7", to={})


def test_a_failure_has_the_trace() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_routes(DEPOT.suspend("QM9"), "STOCK.IN", at="QM7", to={"QM8": 0.5, "QM9": 0.5})
    said = str(caught.value)
    assert said.startswith("STOCK.IN from QM7 goes to QM8 1; expected QM8 0.5, QM9 0.5\n\n")
    assert "QM9 by TO.QM9: QM9 is suspended in DEPOT" in said
    with pytest.raises(AssertionError, match=r"goes to nowhere \(.*MQRC_UNKNOWN_OBJECT_NAME \(2085\).*expected QM8 1"):
        assert_routes(DEPOT, "NOWHERE", at="QM7", to={"QM8": 1})


def test_which_puts_fail() -> None:
    assert_fails(DEPOT, "NOWHERE", "MQRC_UNKNOWN_OBJECT_NAME", at="QM7")
    with pytest.raises(AssertionError, match=r"MQPUT to STOCK\.IN at QM7: goes to .*; expected MQRC_PUT_INHIBITED"):
        assert_fails(DEPOT, "STOCK.IN", "MQRC_PUT_INHIBITED", at="QM7")


def test_reason_codes_by_number() -> None:
    assert_fails(DEPOT, "NOWHERE", 2085, at="QM7")
    with pytest.raises(AssertionError, match=r"\(2085\).*; expected MQRC_PUT_INHIBITED \(2051\)"):
        assert_fails(DEPOT, "NOWHERE", 2051, at="QM7")
    misspelt = "^reason: 'MQRC_PUT_INHIBITD' is none that rules give; allowed: .*did you mean 'MQRC_PUT_INHIBITED'"
    with pytest.raises(ArgumentError, match=misspelt):
        assert_fails(DEPOT, "NOWHERE", "MQRC_PUT_INHIBITD", at="QM7")
    with pytest.raises(ArgumentError, match=r"^reason: 2084 is none that rules give; allowed: "):
        assert_fails(DEPOT, "NOWHERE", 2084, at="QM7")


def test_how_near_parts_are() -> None:
    """Weights of 20, 10 and 30 of 60: a third, a sixth and a half."""
    three = Members.of("DEPOT", ["QM6", "QM7", "QM8", "QM9"], {"STOCK.IN": ["QM7", "QM8", "QM9"]})
    for name, weight in (("QM7", 20), ("QM8", 10), ("QM9", 30)):
        three = three.with_channel(f"TO.{name}", name, clwlwght=weight)
    for third, sixth in ((Fraction(1, 3), 1 / 6), (1 / 3, 0.16666667), (0.333333, Decimal("0.166667"))):
        assert_routes(three, "STOCK.IN", at="QM6", to={"QM7": third, "QM8": sixth, "QM9": 0.5})
    assert_routes(three, "STOCK.IN", at="QM6", to={"QM7": 0.33, "QM8": 0.17, "QM9": 0.5}, within=0.005)
    with pytest.raises(
        AssertionError, match=r"QM7 0\.333333, QM8 0\.166667, QM9 0\.5; expected QM7 0\.33333, QM8 0\.16667"
    ):
        assert_routes(three, "STOCK.IN", at="QM6", to={"QM7": 0.33333, "QM8": 0.16667, "QM9": 0.5})
    with pytest.raises(AssertionError, match=r"QM7 0\.3333, QM8"):
        assert_routes(three, "STOCK.IN", at="QM6", to={"QM7": 0.3333, "QM8": 0.1667, "QM9": 0.5})


@pytest.mark.parametrize(
    ("to", "error", "said"),
    [
        ({"QM8": 0.5}, ArgumentError, "to: the parts sum to 0.5; expected 1, or no part where puts fail"),
        ({"QM8": 0.5, "QM9": 0.6}, ArgumentError, "to: the parts sum to 1.1; expected 1"),
        ({"QM8": -0.5}, ArgumentError, "to: the part of QM8 is -0.5; expected a number from 0 to 1"),
        ({"QM8": 2}, ArgumentError, "to: the part of QM8 is 2; expected a number from 0 to 1"),
        ({"QM8": float("nan")}, ArgumentError, "to: the part of QM8 is nan; expected a number from 0 to 1"),
        ({"QM8": "20%"}, TypeError, "to: the part of QM8 is of the type str; expected a number from 0 to 1"),
        ({"QM8": None}, TypeError, "to: the part of QM8 is of the type NoneType; expected"),
        ({"QM8": True}, TypeError, "to: the part of QM8 is of the type bool; expected"),
        ({8: 1}, TypeError, "a name in to is of the type int; expected str"),
        (["QM8"], TypeError, "to is of the type list; expected dict, the part of each queue manager by its name"),
        ({"QM8": 1, "QM99": 0}, ArgumentError, "to: queue manager 'QM99' is not known at QM7"),
    ],
)  # fmt: skip
def test_parts_that_cannot_be(to: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        assert_routes(DEPOT, "STOCK.IN", at="QM7", to=to)
    assert str(caught.value).startswith(said)


def test_what_rests_on_what_is_not_known_holds_only_where_that_is_accepted() -> None:
    """No script tells the states of channels, and no exit is given for CLWLEXIT."""
    script = "* Queue manager name: {0}\nDEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(DEPOT)\n"
    queue = "DEFINE QLOCAL(STOCK.IN) CLUSTER(DEPOT)\n"
    texts = [script.format("QM7"), *(script.format(name) + queue for name in ("QM8", "QM9"))]
    scripts = read(*(each.encode() for each in texts))
    exit_named = DEPOT.set("QMGR(QM7) CLWLEXIT(SOME)")
    shared = {"QM8": 0.5, "QM9": 0.5}
    for cluster, told in ((scripts, "channel status unknown"), (exit_named, "no exit is given for CLWLEXIT")):
        with pytest.raises(AssertionError, match="as expected, but that rests on what is not known") as caught:
            assert_routes(cluster, "STOCK.IN", at="QM7", to=shared)
        assert told in str(caught.value)
        assert_routes(cluster, "STOCK.IN", at="QM7", to=shared, accept_unknown=True)
    assert_routes(scripts.with_status("*", "RUNNING"), "STOCK.IN", at="QM7", to=shared)


def test_what_rests_on_the_command_level_holds_where_an_edition_is_given() -> None:
    """From 8.0 on the rank of queues counts before a local one is preferred, and nothing tells the level of QM8."""
    ranked = DEPOT.with_queue("STOCK.IN", "QM8", clwluseq="LOCAL").with_queue("STOCK.IN", "QM9", clwlrank=5)
    with pytest.raises(AssertionError, match=r"as expected, but that rests on what is not known(.|\n)*CMDLEVEL"):
        assert_routes(ranked, "STOCK.IN", at="QM8", to={"QM8": 1})
    assert_routes(ranked, "STOCK.IN", at="QM8", to={"QM8": 1}, accept_unknown=True)
    for edition, taken in (("wmq-7.5", "QM8"), ("mq-8.0", "QM9")):
        assert_routes(ranked, "STOCK.IN", at="QM8", to={taken: 1}, engine=Engine(Rules(edition=edition)))


def test_what_triggers() -> None:
    own = text(f"{TRIGGERED}DEFINE QLOCAL(PLAIN)\n", queue_manager="QM7")
    with pytest.raises(AssertionError, match="is expected to trigger\n\nPLAIN") as caught:
        assert_triggers(read(own), "PLAIN")
    assert "NOTRIGGER" in str(caught.value)
    assert_triggers(read(own), "PLAIN", triggers=False)
    facts = {
        "queue_manager": {"name": "QM7"},
        "process": [{"name": "WORK"}],
        "queue": [
            {"name": "BELL", "ipprocs": 1},
            {"name": "STOCK.IN", "trigger": True, "trigtype": "EVERY", "initq": "BELL", "process": "WORK"},
        ],
    }
    assert_triggers(read(facts), "STOCK.IN")
    with pytest.raises(AssertionError, match="is expected not to trigger"):
        assert_triggers(read(facts), "STOCK.IN", triggers=False)


def test_what_the_checks_find() -> None:
    own = text("DEFINE QLOCAL(STOCK.IN) TRIGGER TRIGTYPE(EVERY)\n", queue_manager="QM7")
    with pytest.raises(AssertionError, match="findings of severity warning or graver"):
        assert_no_findings(own, fail_on="warning")
    assert_no_findings(text("DEFINE QLOCAL(STOCK.IN) MAXDEPTH(5000)\n", queue_manager="QM7"))
    with pytest.raises(ArgumentError, match="fail_on='grave' is no severity; allowed: error, warning, note"):
        assert_no_findings(own, fail_on="grave")


def test_who_puts_has_to_be_told() -> None:
    with pytest.raises(ArgumentError, match="at is not given; which queue manager puts. described: QM7, QM8, QM9"):
        assert_routes(DEPOT, "STOCK.IN", to={})
    with pytest.raises(ArgumentError, match="at='QM8': this is what QM7 knows"):
        assert_routes(DEPOT.at("QM7"), "STOCK.IN", at="QM8", to={})
    with pytest.raises(FactsError, match="described: QM7, QM8, QM9"):
        assert_routes(DEPOT, "STOCK.IN", at="QM1", to={})


def test_the_page_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(str(files("mqclause.tools"))).parent)
    known = run_program("def test_orders_are_shared")
    for name, each in known.items():
        if name.startswith("test_"):
            each()
    assert run_program("depot = Members.of")["members"].names == ("QM1", "QM2", "QM3")


def test_the_plugin(tmp_path: Path) -> None:
    sales = Path(str(files("mqclause.tools"))) / "examples" / "sales"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmq_files = {sales}/*.mqsc QM9=own.mqsc\n")
    (tmp_path / "own.mqsc").write_text("DEFINE QLOCAL(A)\n")
    (tmp_path / "test_a.py").write_text(
        "import sys\n"
        "def test_a():\n"
        "    assert 'mqclause.language' not in sys.modules and 'sqlglot' not in sys.modules\n"
        "def test_b(mq_cluster):\n"
        "    from mqclause.testing import assert_routes\n"
        "    assert mq_cluster.names == ('QM1', 'QM2', 'QM3', 'QM9')\n"
        "    assert_routes(mq_cluster, 'ORDERS.IN', at='QM1', to={'QM2': 1})\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mqclause.testing.pytest_plugin", "-p", "no:cacheprovider"]
    # An installation that has the entry point would load it twice.
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([*command, "."], cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=120)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "ORDERS.IN from QM1 goes to QM2 0.5, QM3 0.5; expected QM2 1" in done.stdout
    assert "reaches     2 destinations" in done.stdout
    assert "assertions.py" not in done.stdout
