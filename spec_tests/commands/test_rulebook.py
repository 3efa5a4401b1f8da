"""The site of a rulebook: it has a page for everything, links resolve, nothing is loaded, and hostile text is text."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from io import StringIO
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urldefrag

import pytest

pytest.importorskip("jinja2")

from mqclause import Rules
from mqclause.audit.accounts import describe_rule, list_orders
from mqclause.audit.case_run import find_case_files
from mqclause.documents import DOCUMENTS
from mqclause.language.parser import parse_condition
from mqclause.rulebook.clauses import read_clause_files
from mqclause.rulebook.rules import get_rule_id
from mqclause.tools.rulebook.account import Origin, find_origin, gather_rulebook, list_variations
from mqclause.tools.rulebook.site import Made, Site, write_site
from mqclause.tools.rulebook.wording import Phrase, word_condition
from spec_tests.support.explain_command import bad, run
from spec_tests.support.html_page import Page

HOSTILE = '</title><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7 * 7 }}'
"""What would run, or show itself as something else, where a page took it for its own."""

RULE = f"""
clause = "call/2053"
title  = {json.dumps(HOSTILE)}
when   = "mqi_call IN ('MQPUT', 'MQPUT1') AND would_hold > maxdepth"
[reading."room=more"]
title  = "Roomier"
[fail_with]
reason  = "MQRC_Q_FULL"
call    = "mqi_call"
because = "{{queue}} holds {{depth}} <b>messages</b>"
"""

TERMS = """
[call.would_hold]
is    = "depth + 1"
means = "how many messages there are with this one"
[call.unused]
is    = "NOT shared OR depth >= 5"
means = "https://queues.invalid/<i>page</i>"
"""

SENTENCES = f"""
document = "call"
title    = "Full queues"
source   = "https://documents.invalid/full"
[[clause]]
path = "2053.1"
number = "2053"
says = {json.dumps(HOSTILE)}
page = "javascript:alert(1)"
rules = ["call.2053"]
[[clause]]
path = "2053.2 <odd>"
number = "2053"
says = "A heading."
not_a_rule = "It `decides` nothing."
[[clause]]
path = "2053.3"
number = "2053"
says = "Done elsewhere."
program = ["model/exits.py", "spec_tests/unit/x.py::test_it"]
[[clause]]
path = "2053.4"
number = "2053"
says = "Of a rule that is gone."
rules = ["call.2099"]
"""

CASES = """
clause = "2053.1"
[facts]
situation = {queue = "SMALL", maxdepth = 2}
[[case]]
name = "no room"
acts = true
facts.situation = {depth = 2}
expect.failure = {reason = "MQRC_Q_FULL"}
[[case]]
name = "=room & <u>more</u> \\u202e"
acts = false
facts.situation = {depth = 1}
expect.failure = {reason = "MQRC_Q_FULL"}
[[case]]
name = "of no sentence"
acts = true
clause = []
facts.situation = {depth = 2}
expect.failure = {reason = "MQRC_Q_FULL"}
"""

LATER = """
clause    = "call/2053"
title     = "Counted before it is put"
leave_out = true
[derive]
counted = "depth"
[edition."second"]
leave_out = false
"""

READINGS = """
[room]
clauses  = ["call/2053"]
question = "How much room?"
choices  = ["some"]
why      = "It is not said."
[room.edition."second"]
choices  = ["more", "some"]
"""

LAWS = f"""
[room]
document  = "call"
says      = {json.dumps(HOSTILE)}
holds     = "fails_with <> '' OR would_hold <= maxdepth OR mqi_call NOT IN ('MQPUT', 'MQPUT1')"
rests_on  = ["call.2053"]
sentences = ["call/2053.1"]
[empty]
document = "call"
says     = "Nothing is ever on a queue"
holds    = "depth = 0"
"""

FILES = {
    "rules/editions.toml": "[first]\n[second]\n", "rules/readings.toml": READINGS,
    "rules/call/2052_later.toml": LATER, "rules/laws.toml": LAWS, "rules/call/2053_full.toml": RULE, "rules/terms.toml": TERMS, "rules/documents/full.toml": SENTENCES,
    "cases/call/2053_full.toml": CASES,
}  # fmt: skip


def read_site(out: Path) -> dict[str, Page]:
    return {str(each.relative_to(out)): Page(each.read_text(encoding="utf-8")) for each in out.rglob("*.html")}


def find_faults(site: dict[str, Page]) -> list[str]:
    """Ids that stand twice, links that lead nowhere, and addresses that are loaded and not linked."""
    found = [f"{name}: {each.odd}" for name, each in site.items() if each.odd]
    for name, page in site.items():
        found += [f"{name}: id twice" for _ in range(len(page.ids) != len(set(page.ids)))]
        found += [f"{name}: {tag}" for tag in page.tags & {"link", "img", "iframe", "base", "object", "b", "u", "i"}]
        for link in set(page.links):
            place, anchor = urldefrag(link)
            if link.startswith("https://"):
                continue
            there = os.path.normpath(PurePosixPath(name).parent / unquote(place)) if place else name
            if there != "matrix.csv" and (there not in site or (anchor and unquote(anchor) not in site[there].ids)):
                found.append(f"{name}: {link}")
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a rule with markup in each of its texts, of which one case fails."""
    folder = tmp_path_factory.mktemp("rulebook")
    for path, text in FILES.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    rules, cases = Rules(folder=folder / "rules"), folder / "cases"
    book = gather_rulebook(rules, find_case_files((), cases), cases)
    write_site(Site(book, Made.of(rules, "1", datetime(2026, 1, 2, tzinfo=UTC))), folder / "out")
    return folder / "out"


def test_everything_has_its_page_and_links_lead_there(written: Path) -> None:
    site = read_site(written)
    assert find_faults(site) == []
    assert set(site) == {
        "index.html", "about.html", "rules.html", "laws.html", "matrix.html", "words.html", "readings.html", "search.html",
        "documents/full.html", "rules/call.2052.html", "rules/call.2053.html",
    }  # fmt: skip
    assert {"s-2053.1", "s-2053.2--odd-", "s-2053.3", "s-2053.4"} <= set(site["documents/full.html"].ids)
    assert "https://documents.invalid/full" in site["documents/full.html"].links


def test_a_link_to_nowhere_and_a_picture_would_be_found() -> None:
    wrong = '<p id="a"><a href="../b.html">b</a><a href="#c">c</a><img src="https://x.invalid"></p>'
    assert len(find_faults({"d/a.html": Page(wrong)})) == 4


def test_a_sentence_shows_what_becomes_of_it(written: Path) -> None:
    text = read_site(written)["documents/full.html"].text
    for said in (
        "2053.1 stated", "2053.2 <odd> no rule", "No rule: It decides nothing.", "2053.3 stated by the program",
        "spec_tests/unit/x.py::test_it", "2053.4 unmet", "There is no rule call.2099", "1 of 2 cases failed",
        "javascript:alert(1)",
    ):  # fmt: skip
        assert said in text


def test_a_rule_stands_there_in_words_with_its_cases_and_mutants(written: Path) -> None:
    text = read_site(written)["rules/call.2053.html"].text
    for said in (
        "mqi_call is one of MQPUT , MQPUT1", "would_hold is above maxdepth",
        "would_hold : how many messages there are with this one", "It ends the call with MQRC_Q_FULL",
        'queue = "SMALL", maxdepth = 2, depth = 1', "failure: expected {'reason': 'MQRC_Q_FULL'}, got {}",
    ):  # fmt: skip
        assert said in text
    assert re.search(r"when negated killed", text)


def test_each_edition_has_its_order_and_its_defaults(written: Path) -> None:
    """The later rule runs first, so the other one is the second from then on; the reading makes it roomier by default."""
    site = read_site(written)
    full, later, rules = (site[f"{name}.html"].text for name in ("rules/call.2053", "rules/call.2052", "rules"))
    for said in ("call , first: rule 1 of 1 in", "call , from second on: rule 2 of 2 in", "before it call.2052"):
        assert said in full
    assert "call , first: it is left out and has no place" in later
    assert "There from second on." in later
    assert re.search(r"call, first .* 1 call\.2053 2053 .*call, from second on .* 1 call\.2052 .* 2 call\.2053", rules)
    otherwise = r"From second on, where room=more is the default\W+it has another title"
    for text in (full, site["documents/full.html"].text):
        assert re.search(otherwise, text, re.IGNORECASE)
    readings = site["readings.html"].text
    assert re.search(r"Default some \(the only choice\), from second on more", readings)
    assert re.search(r"second Default of readings room=more Changes call\.2052 .*\(the rule is new\)", readings)


def test_a_case_says_its_edition_and_one_without_a_sentence_is_counted(written: Path) -> None:
    site = read_site(written)
    assert "Sentences: 2053.1. Edition: first, as it names none." in re.sub(
        r" (?=[.,])", "", site["rules/call.2053.html"].text
    )
    assert re.search(
        r"Cases that name no sentence 1 of 3\..* call\.2053 : 3$", site["matrix.html"].text.split(" Made ")[0]
    )
    assert "1 case names no sentence" in site["index.html"].text


def test_what_is_otherwise_with_a_rule() -> None:
    """What is left out by default and there under a reading says so the right way round; terms and places are told."""

    def vary(rule: str) -> list[tuple[str, str, str]]:
        return [(each.name, each.since, each.told) for each in list_variations(rules, describe_rule(rules, rule))]

    rules = Rules()
    for rule in ("workload.12ba", "workload.12bb"):
        assert find_origin(rules, describe_rule(rules, rule)) == Origin("mq-8.0", ("equal-weights=least-recent",))
        assert ("equal-weights=factor", "", "there is no such rule") in vary(rule)
        assert "equal-weights=least-recent" not in [name for name, _, _ in vary(rule)]
    terms = "its text is the same, but it looks at terms that stand for something else: local_queue_left"
    assert vary("workload.03a") == [
        ("mq-8.0", "", f"it runs right after workload.04e; {terms}"),
        ("rank-or-local=local-first", "mq-8.0", "it runs at the place of its number"),
    ]
    assert vary("workload.03c") == [("mq-8.0", "", terms)]
    early, late = ([each.id for each in order.rules] for order in list_orders(rules, "workload"))
    assert {*late} - {*early} == {f"workload.{each}" for each in ("04c", "04d", "04e", "12ba", "12bb")}
    assert late[late.index("workload.04e") + 1] == "workload.03a"


def test_a_law_stands_there_with_what_was_shown_of_it(written: Path) -> None:
    site = read_site(written)
    text = site["laws.html"].text
    assert re.search(
        r"Holds in \d+ situations.*Rests on call\.2053 broken without it where maxdepth = 1, depth = 1", text
    )
    assert "Broken by depth = " in text
    assert "1 of 2 laws not shown" in site["index.html"].text
    for name in ("rules/call.2053.html", "documents/full.html"):
        assert "../laws.html#room" in site[name].links


def test_hostile_text_is_shown_and_not_obeyed(written: Path) -> None:
    for name, page in read_site(written).items():
        raw = (written / name).read_text(encoding="utf-8")
        assert "<script>alert" not in raw
        assert "\u202e" not in raw
        assert "49 " not in page.text
        assert "default-src &#39;none&#39;" in raw
        ours = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", raw, re.DOTALL)
        assert len(ours) == (3 if name == "search.html" else 2)
        for text in ours:
            assert b64encode(sha256(text.encode()).digest()).decode() in raw
    shown = read_site(written)["documents/full.html"].text
    assert '</title><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7 * 7 }}' in shown


def test_the_index_of_the_search_and_the_matrix(written: Path) -> None:
    raw = (written / "search.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', raw)
    assert found is not None
    entries = {(kind, title): place for kind, title, _, place, *_ in json.loads(found[1])}
    assert entries["rule", "call.2053"] == "rules/call.2053.html"
    assert entries["sentence", "call 2053.1"] == "documents/full.html#s-2053.1"
    assert entries["document", "full"] == "documents/full.html"
    assert entries["law", "room"] == "laws.html#room"
    assert entries["term", "would_hold"] == "words.html#call.would_hold"
    rows = list(csv.DictReader(StringIO((written / "matrix.csv").read_text(encoding="utf-8"))))
    assert [(row["sentence"], row["state"], row["rule"], row["case"], row["result"]) for row in rows] == [
        ("2053.1", "stated", "call.2053", "no room", "passed"),
        ("2053.1", "stated", "call.2053", "'=room & <u>more</u> \\u202e", "failed"),
        ("2053.2 <odd>", "no rule", "", "", ""),
        ("2053.3", "stated by the program", "", "", ""),
        ("2053.4", "unmet", "", "", ""),
        ("", "", "call.2053", "of no sentence", "passed"),
    ]


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_the_search_finds_what_is_asked_for_in_a_browser(written: Path) -> None:
    """By all words, by a plural, and where none has all of them by those that are rare; the console stays empty."""
    for asked, first in (
        ("2053", "call 2053.1"),
        ("messages terms", "would_hold"),
        ("is there a would_hold", "would_hold"),
        ("clause 2053", "sentence call 2053.1"),
        ("call/2053.1", "sentence call 2053.1"),
        ("refused", "this book not loaded"),
    ):
        page = (written / "search.html").as_uri()
        done = subprocess.run(
            [str(shutil.which("chromium")), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             "--virtual-time-budget=3000", "--dump-dom", f"{page}?q={quote(asked)}"],
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        found = Page(done.stdout.partition('<ol id="found">')[2].partition("</ol>")[0])
        assert first in found.text[:80], asked
        assert "CONSOLE" not in done.stderr


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert "is not empty; allowed: a folder that is not there, or an empty one" in bad("rulebook", str(tmp_path))[0]
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_a_date_that_is_none_is_told_before_anything_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert bad("rulebook", str(tmp_path / "out")) == ["SOURCE_DATE_EPOCH='today' is not a number of seconds since 1970"]


def test_without_its_libraries_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "mqclause.tools.rulebook.site", raising=False)
    said = bad("rulebook", str(tmp_path / "out"))
    assert said == ["a rulebook needs Jinja2 and Pygments: pip install 'mqclause[rulebook]'"]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (
            "a AND (b = 'X' OR NOT c)",
            "all of these hold [a holds; at least one of these holds [b is X; c does not hold]]",
        ),
        ("NOT (a AND b)", "this does not hold [all of these hold [a holds; b holds]]"),
        ("n NOT IN (1, 2) AND NOT n > 3", "all of these hold [n is none of 1, 2; n is not above 3]"),
        ("COUNT_IF(a AND n = 0) <= 2 * n", "how many remain of which a and n is 0 is at most 2 × n"),
        ("b <> ''", "b is not blank"),
        ("CASE WHEN a THEN c ELSE FALSE END", "the first of these that fits [c, where a holds; false otherwise]"),
    ],
)
def test_conditions_in_words(condition: str, said: str) -> None:
    def flat(phrase: Phrase) -> str:
        parts = f" [{'; '.join(map(flat, phrase.parts))}]" if phrase.parts else ""
        return "".join(each.text for each in phrase.pieces) + parts

    assert flat(word_condition(parse_condition(condition))) == said


@pytest.mark.deep
def test_the_rulebook_of_all_rules(tmp_path: Path) -> None:
    """It is made in at most a minute of two processors, and each sentence and rule is there, none unmet."""
    before = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    done = run("rulebook", str(tmp_path / "out"))
    after = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    assert (done.returncode, done.stderr) == (0, "")
    assert after - before < 120
    site, rules = read_site(tmp_path / "out"), Rules()
    assert find_faults(site) == []
    known = {get_rule_id(path) for path in rules.files if path.partition("/")[0] in DOCUMENTS}
    assert {f"rules/{each}.html" for each in known} == {name for name in site if name.startswith("rules/")}
    for file in read_clause_files(rules):
        ids = set(site[f"documents/{file.name.removesuffix('.toml')}.html"].ids)
        assert {f"s-{clause.path}" for clause in file.clauses} <= ids
    # What an edition leaves out is stated by others then, which say that they are new.
    assert "What clause 1 says is stated then by: workload.04c" in site["rules/workload.01a.html"].text
    assert "There from mq-8.0 on." in site["rules/workload.04d.html"].text
    assert "Put-disabled instances of the queue are out (there is no such rule)" in site["readings.html"].text
    assert "laws not shown" not in site["index.html"].text
    for name in ("index.html", "rules.html"):
        assert re.findall(r"\d+ cases failed|\d+ mutants survived|No sentence names it", site[name].text) == []
