"""``mqclause plan`` of puts that name an alias of a queue manager. Worked out by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqclause import FactsError
from mqclause.tools.commands.declared import explain_command
from mqclause.tools.commands.declared import plan_command as command
from spec_tests.support.explain_command import facts, written
from spec_tests.support.three_members import done

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
"""
MEMBERS = {
    "QM1": "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)",
    "QM2": "DEFINE QREMOTE(GATE) RQMNAME(QM9) CLUSTER(SALES) CLWLPRTY(2)",
    "QM3": "DEFINE QREMOTE(GATE) RQMNAME(QM9) CLUSTER(SALES) CLWLPRTY(3)",
    "QM4": "DEFINE QREMOTE(DOOR) RQMNAME(QM4)",
}


@pytest.fixture
def gates(tmp_path: Path) -> list[str]:
    """QM2 and QM3 advertise the alias GATE, QM3 at the higher priority; QM4 has one of that kind in no cluster."""
    for name, more in MEMBERS.items():
        (tmp_path / f"{name}.mqsc").write_text(f"{MEMBER.format(name)}{more}\n")
    return [str(tmp_path / f"{name}.mqsc") for name in MEMBERS]


def of_aliases(files: list[str], *options: str) -> tuple[int, Any]:
    """The exit status, and the same of the rows of aliases of queue managers."""
    done = CliRunner().invoke(command, [*files, *options, "--json"], standalone_mode=False, catch_exceptions=False)
    rows = json.loads(done.stdout).get("queue_manager_aliases", [])
    return done.return_value, {(row["queue_manager"], row["from"]): _row(row) for row in rows}


def _row(row: dict[str, Any]) -> tuple[Any, ...]:
    causes = [(each["side"], each["destination"]["queue_manager"], each["clause"]) for each in row["because"]]
    return row["moved"], _ends(row["before"]), _ends(row["after"]), causes


def _ends(side: dict[str, Any]) -> Any:
    if side["reason"]:
        return side["reason"]["code"]
    return {each["queue_manager"]: each["share"] for each in side["shares"]}


@pytest.mark.parametrize(
    ("option", "before", "after", "causes"),
    [
        ("CLWLPRTY(5)", {"QM3": 1}, {"QM2": 1}, [("before", "QM2", "11a"), ("after", "QM3", "11a")]),
        ("CLWLRANK(1)", {"QM3": 1}, {"QM2": 1}, [("before", "QM2", "11a"), ("after", "QM3", "4a")]),
        ("CLWLPRTY(3)", {"QM3": 1}, {"QM2": 0.5, "QM3": 0.5}, [("before", "QM2", "11a")]),
    ],
)
def test_puts_that_name_an_alias_of_a_queue_manager_go_elsewhere(
    gates: list[str], option: str, before: Any, after: Any, causes: Any
) -> None:
    moved = 0.5 if "QM3" in after else 1
    assert of_aliases(gates, "--set", f"QREMOTE(GATE) QMGR(QM2) {option}") == (
        3,
        {("GATE", name): (moved, before, after, causes) for name in ("QM1", "QM2", "QM3", "QM4")},
    )


def test_an_alias_that_leaves_the_cluster_or_comes_into_it(gates: list[str]) -> None:
    members = ("QM1", "QM2", "QM3", "QM4")
    causes = [("before", "QM2", "11a"), ("after", "QM3", None)]
    assert of_aliases(gates, "--set", "QREMOTE(GATE) QMGR(QM3) CLUSTER('')") == (
        3,
        {("GATE", name): (1, {"QM3": 1}, {"QM2": 1}, causes) for name in members},
    )
    # Nobody knows a name of that kind before: 2087.
    status, rows = of_aliases(gates, "--set", "QREMOTE(DOOR) CLUSTER(SALES)")
    assert status == 3
    assert {at: row[1:3] for at, row in rows.items()} == {("DOOR", name): (2087, {"QM4": 1}) for name in members}


def test_what_is_in_the_cluster_already_stays_in_its_place(gates: list[str]) -> None:
    """CLWLMRUC keeps of equal channels those listed first: QM2, as long as the listing is as it was."""
    for at, more in ((0, "ALTER QMGR CLWLMRUC(1)"), (1, "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)")):
        with Path(gates[at]).open("a") as file:
            file.write(f"{more}\n")
    Path(gates[2]).write_text(MEMBER.format("QM3") + MEMBERS["QM2"] + "\nDEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n")
    for change in ("QREMOTE(GATE) QMGR(QM2) CLUSTER(SALES)", "QLOCAL(ORDERS) QMGR(QM2) CLUSTER(SALES)"):
        assert of_aliases(gates, "--set", change) == (0, {})


def test_where_an_alias_leads_stays_as_it_is(gates: list[str]) -> None:
    assert of_aliases(gates, "--set", "QLOCAL(ORDERS) PUT(DISABLED)") == (3, {})
    assert of_aliases(gates, "--set", "QREMOTE(GATE) QMGR(QM2) CLWLPRTY(1)") == (3, {})  # factors restart


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("QREMOTE(GATE) CLWLPRTY(5)", "is on QM2, QM3: say with QMGR(…) which one is meant"),
        ("QREMOTE(GATE) QMGR(QM4) CLWLPRTY(5)", "is not known; it is on QM2, QM3"),
        ("QREMOTE(GATE) QMGR(QM2) RNAME(Q)", "a queue-manager alias has no RNAME"),
    ],
)
def test_which_alias_is_meant_has_to_be_clear(gates: list[str], option: str, told: str) -> None:
    with pytest.raises(FactsError, match=re.escape(told)):
        of_aliases(gates, "--set", option)


def test_what_is_printed_of_an_alias(gates: list[str]) -> None:
    arguments = [*gates, "--queue", "GATE", "--set", "QREMOTE(GATE) QMGR(QM3) CLUSTER('')", "--from", "QM3"]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).stdout.splitlines() == [
        "GATE (queue manager) from QM3: 100 % of the puts move",
        "  - QM3",
        "  + QM2",
        "    QM2 before: clause 11a, alias priority 2 is below 3",
        "    QM3 after: GATE does not lead to QM3 from QM3",
        "",
        "1 row of the map changes, from QM3",
    ]
    lines = CliRunner().invoke(command, [*arguments, "--csv"], standalone_mode=False)
    assert len(lines.stdout.splitlines()) == 1
    assert "aliases of queue managers are left out: --json has them" in lines.stderr


def test_what_if_is_asked_of_the_alias_that_facts_describe(tmp_path: Path) -> None:
    routes = [{"name": f"TO.{to}", "queue_manager": to, "cluster": "S"} for to in ("QM2", "QM3")]
    aliases = [{"name": "GATE", "queue_manager": "QM9", "host": to, "clusters": ["S"]} for to in ("QM2", "QM3")]
    known = [{"name": name, "clusters": ["S"]} for name in ("QM2", "QM3", "QM9")]
    given = written(
        tmp_path,
        facts(put={"queue_manager": "GATE"}, channel=routes, queue_manager_alias=aliases, remote_queue_manager=known),
    )
    for option, taken in (("CLWLPRTY(1)", "QM3"), ("PUT(DISABLED)", "QM2"), ("RQMNAME(QM2)", "QM2")):
        _, said = done(explain_command, given, "--json", "--set", f"QREMOTE(GATE) QMGR(QM3) {option}")
        assert json.loads(said)["chosen"]["queue_manager"] == taken


def test_the_local_queue_manager_has_the_weight_of_its_receiver(gates: list[str]) -> None:
    """As the local instance of a queue has: of equal aliases QM2 gets 25 and QM3 75 of 100 puts, at QM2 as elsewhere."""
    for at, more in ((1, "CLWLWGHT(25)"), (2, "CLWLWGHT(75)")):
        name = ("QM2", "QM3")[at - 1]
        Path(gates[at]).write_text(
            f"{MEMBER.format(name).rstrip()} {more}\nDEFINE QREMOTE(GATE) RQMNAME(QM9) CLUSTER(SALES) CLWLPRTY({at})\n"
        )
    status, rows = of_aliases(gates, "--set", "QREMOTE(GATE) QMGR(QM2) CLWLPRTY(2)")
    assert (status, {at[1]: row[2] for at, row in rows.items()}) == (
        3,
        {name: {"QM2": 0.25, "QM3": 0.75} for name in ("QM1", "QM2", "QM3", "QM4")},
    )


def test_the_local_queue_manager_stands_on_its_receiver_named_alone(tmp_path: Path) -> None:
    receiver = {"name": "TO.QM1", "queue_manager": "QM1", "cluster": "S", "deftype": "CLUSRCVR"}
    for channels, named in (([receiver], "TO.QM1"), ([], None)):
        given = written(tmp_path, facts(put={"queue_manager": "QM1"}, channel=channels))
        assert json.loads(done(explain_command, given, "--json")[1])["chosen"]["channel"] == named
