"""Settings: what mqclause.toml states as defaults of options, and what it cannot state."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqclause.tools.commands.declared import SUBCOMMANDS
from spec_tests.support.explain_command import run

HOST = """* Queue manager name: QM{0}
DEFINE CHANNEL(TO.QM{0}) CHLTYPE(CLUSRCVR) CLUSTER(DEPOT)
DEFINE QLOCAL(PARCELS) CLUSTER(DEPOT) DEFBIND(OPEN)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the scripts of two hosts."""
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        (tmp_path / f"QM{number}.mqsc").write_text(HOST.format(number))
    return tmp_path


def stated(here: Path, text: str) -> None:
    (here / "mqclause.toml").write_text(text)


def test_each_command_has_a_table_of_its_own(here: Path) -> None:
    asked = ("map", "QM1.mqsc", "QM2.mqsc", "--csv")
    both = run(*asked).stdout.splitlines()
    assert len(both) == 3, "a line for each member, below the names of the columns"
    stated(here, '[map]\nfrom = "QM2"\n[explain]\nput = "PARCELS"\nfrom = "QM1"\n')
    done = run(*asked)
    assert done.stdout.splitlines() == [both[0], *(each for each in both if each.startswith("PARCELS,QM2,"))]
    assert f'remark: {here}/mqclause.toml: [map] from = "QM2"' in done.stderr.splitlines()
    assert run("explain", "QM1.mqsc", "QM2.mqsc", "--brief").stdout.startswith("goes to PARCELS at QM1")


def test_what_is_given_counts_before_what_is_stated(here: Path) -> None:
    stated(here, '[map]\nfrom = "QM2"\nbind = "NOTFIXED"\n')
    done = run("map", "QM1.mqsc", "QM2.mqsc", "--csv", "--from", "QM1")
    assert [each.split(",")[1] for each in done.stdout.splitlines()[1:]] == ["QM1"]
    assert "mqclause.toml" not in done.stderr, "nothing that it states takes effect"


def test_of_an_option_with_several_values_both_count(here: Path) -> None:
    stated(here, '[plan]\nset = ["QLOCAL(PARCELS) QMGR(QM1) PUT(DISABLED)"]\n')
    done = run("plan", "QM1.mqsc", "QM2.mqsc", "--set", "QLOCAL(PARCELS) QMGR(QM2) PUT(DISABLED)", "--csv")
    assert done.returncode == 3
    assert [each for each in done.stdout.splitlines() if ",after,failed," in each or "MQRC" in each]


def test_a_flag(here: Path) -> None:
    (here / "QM1.mqsc").write_text("* Queue manager name: QM1\nDEFINE QLOCAL(PARCELS) NO.SUCH(1)\n")
    assert run("facts", "QM1.mqsc").returncode == 2
    stated(here, "[facts]\nlenient = true\n")
    assert run("facts", "QM1.mqsc").returncode == 0
    stated(here, "[facts]\nlenient = 1\n")
    done = run("facts", "QM1.mqsc")
    assert done.stderr == f"{here}/mqclause.toml:2:1: facts: lenient: 1 is not allowed; allowed: true, false\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[map]\nbnd = 'OPEN'\n", ["2:1: map: unknown key 'bnd'; allowed: "]),
        ("[map]\nbind = 'OPN'\n", ["2:1: map: bind: 'OPN' is not allowed; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF"]),
        ("[map]\nfrom = true\n", ["2:1: map: from: True is not allowed; allowed: a text or a number"]),
        ("[map]\nreading = 'a=b'\n", ["2:1: map: reading: 'a=b' is not allowed; allowed: a list of texts"]),
        ("[map]\nreading = ['weight-step=half']\n", ["2:1: map: reading: reading weight-step: 'half' is not a choice"]),
        ("[map]\nedition = 'mq-12'\n", ["2:1: map: edition: "]),
        ("[check]\nignor = []\n[mapp]\n", ["2:1: check: unknown key 'ignor'; ", "3:1: unknown table 'mapp'; "]),
    ],
)
def test_all_that_is_wrong_has_a_line(here: Path, text: str, lines: list[str]) -> None:
    """Also what is wrong in the table of another command."""
    stated(here, text)
    done = run("map", "QM1.mqsc", "QM2.mqsc")
    assert (done.returncode, done.stdout) == (2, "")
    told = [each for each in done.stderr.splitlines() if not each.startswith("remark: ")]
    assert len(told) == len(lines)
    for each, begins in zip(told, lines, strict=True):
        assert each.startswith(f"{here}/mqclause.toml:{begins}")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_no_file_and_no_function_is_a_setting(name: str) -> None:
    """The directory may be a stranger's: nothing of it is run, and nothing is read or written but what was named."""
    outward = {"with", "facts", "puts", "lines", "sarif", "rules", "cases", "exit", "engine", "memory", "executor"}
    assert outward.isdisjoint(SUBCOMMANDS[name].list_settings())


def test_help_asks_no_settings(here: Path) -> None:
    stated(here, "[map\n")
    assert run("map", "--help").returncode == 0
