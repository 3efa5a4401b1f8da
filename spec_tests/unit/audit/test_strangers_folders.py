"""A stranger's folder of rules gets an answer of each audit, or one line: whatever its laws, terms and texts hold."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mqclause import Rules
from mqclause.audit.comparison import compare_rules
from mqclause.audit.lint import lint_rules
from mqclause.audit.proof import prove_laws
from mqclause.audit.situations import Bound
from mqclause.audit.verification import verify_copies
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.rulebook.rule import RuleError
from mqclause.rulebook.rules import get_rules_folder
from spec_tests.support.deep import every
from spec_tests.support.explain_command import run

RULE = """
clause = "call/2053"
title  = "T"
when   = "{when}"
[fail_with]
reason  = "MQRC_Q_FULL"
call    = "mqi_call"
because = "{because}"
"""

LAW = """
[mine]
document = "call"
says     = "S"
holds    = "depth >= 0"
"""

DOCUMENT = """
document = "call"
[[clause]]
path = "2053.1"
number = "2053"
says = "S"
rules = ["call.2053"]
fingerprint = "0123456789ab"
"""

PLAIN = {
    "call/2053_full.toml": RULE.format(when="depth > maxdepth", because="full"), "documents/call.toml": DOCUMENT,
    "laws.toml": LAW,
}  # fmt: skip

HOSTILE = {
    "markup": {"call/2053_full.toml": RULE.format(when="depth > 1", because="[bold]{queue}[/] </td><script>")},
    "a law with markup": {"laws.toml": LAW.replace('"S"', '"[red]</title><script>{{ 7 * 7 }}"')},
    "control characters": {"laws.toml": LAW.replace('"S"', '"\\u001b[2J"')},
    "text that runs the other way": {"call/2053_full.toml": RULE.format(when="TRUE", because="\\u202e")},
    "a long condition": {"laws.toml": LAW.replace("depth >= 0", " OR ".join(["depth >= 0"] * 900))},
    "a deep condition": {"call/2053_full.toml": RULE.format(when="(" * 90 + "shared" + ")" * 90, because="b")},
    "a wide condition": {
        "call/2053_full.toml": RULE.format(when=" OR ".join(f"depth = {at}" for at in range(600)), because="b")
    },
    "terms in a circle": {
        "terms.toml": '[call.one]\nis = "other"\nmeans = "m"\n[call.other]\nis = "one"\nmeans = "m"\n',
        "laws.toml": LAW.replace("depth >= 0", "one"),
    },
    "terms that double": {
        "terms.toml": '[call.t0]\nis = "shared OR shared"\nmeans = "m"\n' + "".join(
            f'[call.t{at}]\nis = "t{at - 1} OR t{at - 1}"\nmeans = "m"\n' for at in range(1, 40)
        ),
        "laws.toml": LAW.replace("depth >= 0", "t39"),
    },
    "numbers without end": {"laws.toml": LAW.replace("0", "9" * 500)},
    "a division by what can be none": {"call/2053_full.toml": RULE.format(when="1.0 / depth > 1", because="b")},
    "a text where a list is": {"laws.toml": LAW + 'rests_on = "call.2053"\n'},
    "tables where a text is": {"documents/call.toml": DOCUMENT.replace('"S"', "{a = 1}")},
    "very many laws": {"laws.toml": "".join(LAW.replace("mine", f"m{at}") for at in range(300))},
    "reasons that are none": {"lint.toml": "listed = [[[]]]\n"},
    "no TOML": {"laws.toml": "[[["},
}  # fmt: skip


def folder(at: Path, files: dict[str, str]) -> Path:
    for path, text in {**PLAIN, **files}.items():
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_text(text, encoding="utf-8")
    return at


@pytest.mark.parametrize("how", every(4, HOSTILE))
def test_an_audit_of_a_strangers_folder_ends(how: str, tmp_path: Path) -> None:
    ours, theirs = (folder(tmp_path / name, files) for name, files in (("ours", {}), ("theirs", HOSTILE[how])))
    told = list[str]()
    for audit in (
        lambda rules: lint_rules(rules, {}, ["call"]),
        lambda rules: compare_rules(Rules(folder=ours), rules, ["call"], Bound(0, 2, 500)),
        lambda rules: prove_laws(rules, ["call"], 20),
        lambda rules: verify_copies(rules, [Source("mine.txt", b"Something.")]),
    ):
        try:
            audit(Rules(folder=theirs))
        except (RuleError, FactsError) as error:
            told.append(str(error))
    # A copy of no document is told by a folder that can be read; else the folder's fault is.
    assert told
    assert all(each.isprintable() and len(each) < 500 for each in told)
    assert all(each.startswith(("rules/", "mine.txt: has no sentence")) for each in told)


def test_the_command_tells_a_law_that_is_none_in_a_line(tmp_path: Path) -> None:
    rules = Path(shutil.copytree(get_rules_folder(), tmp_path / "rules"))
    (rules / "laws.toml").write_text(LAW.replace("depth", "dept"))
    done = run("test", "call.2053", "--proof", "--rules", str(rules))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"{rules}/laws.toml:")
    assert "'dept' is not an attribute" in done.stderr
