"""A plan as a comment: read as text, rendered as GitHub would, with names that want to be more than names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mqclause import Engine, FindingChanges, Traffic, plan, read, text
from mqclause.cluster.plan import ChangePlan
from mqclause.model.diagnostics import escape_controls
from mqclause.render.cluster import group_remarks
from mqclause.render.markdown import LONGEST_COMMENT, escape_prose, quote_code, render_plan_comment
from mqclause.rulebook.rules import RulesOrigin

ALLOWED = {"h3", "blockquote", "p", "strong", "ul", "li", "code", "table", "thead", "tbody", "tr", "th", "td",
           "details", "summary"}  # fmt: skip

OBEYED_BY_GITHUB = re.compile(r"@\w|#\d|GH-\d|://|www\.|:\w+:|\$")
"""What GitHub turns into a mention, a reference, a link, an emoji or a formula, where it is no code."""


class Rendered(HTMLParser):
    """What a reader sees of Markdown: the elements, the text in code and beside it, the cells of each row."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.code: list[str] = []
        self.beside = ""
        self.rows: list[list[str]] = []
        self.feed(MarkdownIt("commonmark").enable("table").render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == []
        self.elements.add(tag)
        self.open.append(tag)
        if tag == "code":
            self.code.append("")
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.code[-1] += data
        else:
            self.beside += data
        if self.open and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


MEMBER = "* Queue manager name: {0}\nDEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(TRADE)\n"


def planned(queues: int = 1, traffic: Traffic | None = None, **priority: int) -> ChangePlan:
    """QM1 puts to queues that QM2 and QM3 host; at QM3 they get this priority, or are put-disabled."""
    host = "".join(f"DEFINE QLOCAL(BIDS.{at}) CLUSTER(TRADE) DEFBIND(NOTFIXED)\n" for at in range(queues))
    files = [text(MEMBER.format("QM1")), *(text(MEMBER.format(name) + host) for name in ("QM2", "QM3"))]
    preferring = host.replace("(NOTFIXED)", f"(NOTFIXED) CLWLPRTY({priority.get('QM3', 0)})")
    later = [*files[:2], text(MEMBER.format("QM3") + preferring)]
    found = plan(read(*files), read(*later), Engine(), traffic=traffic, findings=FindingChanges())
    return found.change


def test_what_moves_is_said_first_and_by_which_clause_is_folded() -> None:
    unknown = [
        f"> - `TO.{name}` is not known; `DISPLAY CHSTATUS(TO.{name})` at QM1 tells it" for name in ("QM2", "QM3")
    ]
    shown = render_plan_comment(planned(traffic=Traffic({("BIDS.0", "QM1"): 400}), QM3=4), ["a.mqsc: is cut"])
    assert shown.splitlines() == [
        "### Puts to `BIDS.0` move, as far as is known",
        "",
        "> **What this rests on**",
        ">",
        *unknown,
        "",
        "| Queue | From | Moves | Before | After |",
        "|---|---|---|---|---|",
        "| `BIDS.0` | QM1 | 50 % of 400 puts | QM2 50 %, QM3 50 % | QM3 |",
        "",
        "- 50 % of 400 puts would move from QM2 to QM3",
        "",
        "<details><summary>Why: the clauses that decide</summary>",
        "",
        "- `BIDS.0` from QM1:",
        "  - QM2 after: clause 11b, queue priority 0 is below 4",
        "",
        "</details>",
        "",
        "<details><summary>Counters and editions: 1</summary>",
        "",
        "- sequence factors restart at zero at QM1, QM2 and QM3 (clause 12)",
        "",
        "</details>",
        "",
        "<details><summary>Warnings and remarks: 1</summary>",
        "",
        "- a.mqsc: is cut",
        "",
        "</details>",
    ]


def test_nothing_moves() -> None:
    shown = render_plan_comment(planned())
    assert shown == "### Nothing moves\n\nNothing changes: every put goes where it went.\n"


def test_whose_rules_they_are_is_said_before_the_answer() -> None:
    shown = render_plan_comment(evolve(planned(), origin=RulesOrigin("rules of *mine*", "0123456789abcdef")))
    said = "by the rules of rules of \\*mine\\* (sha256 0123456789ab), not those that come with mqclause"
    assert shown.splitlines()[:5] == [
        "### Nothing moves, as far as is known", "", "> **What this rests on**", ">", f"> - answered {said}",
    ]  # fmt: skip


def test_a_comment_is_rendered_as_it_reads() -> None:
    shown = Rendered(render_plan_comment(planned(12, QM3=4), ["a.mqsc: is cut"]))
    assert shown.elements <= ALLOWED
    assert [len(row) for row in shown.rows] == [5] * 14  # 10 rows and the 2 that are folded, each table with its head
    assert shown.rows[13] == ["BIDS.9", "QM1", "50 % of the puts", "QM2 50 %, QM3 50 %", "QM3"]
    assert "12 queues move, as far as is known" in shown.beside
    assert "2 more rows" in shown.beside


def test_a_comment_has_room_for_so_much() -> None:
    """Cut anywhere it is whole: what is open is closed, and how many lines are missing is said."""
    change = planned(12, QM3=4)
    whole = render_plan_comment(change)
    assert len(whole) < LONGEST_COMMENT
    assert render_plan_comment(change, most=len(whole)) == whole
    for most in range(300, len(whole), 157):
        shown = render_plan_comment(change, most=most)
        [(kept, left_out, said)] = re.findall(r"(?s)\A(.*)\n\n(\d+) more lines? (?:is|are) left out: (.*)\Z", shown)
        assert len(shown) <= most
        assert said == f"a comment has {most:,} characters at most. `mqclause plan` without `--markdown` prints all.\n"
        assert kept.count("<details>") == kept.count("</details>")
        assert Rendered(shown).elements <= ALLOWED
        assert whole.startswith(kept.removesuffix("\n\n</details>"))
        assert count_lines(kept) + int(left_out) == count_lines(whole)


def count_lines(comment: str) -> int:
    """The number of lines that say something."""
    return sum(line not in ("", "</details>") for line in comment.splitlines())


HOSTILE = [
    "<img src=x onerror=alert(1)>", "</code></details><script>", "a|b", "a\\|b", "`", "``x`", "a` @team", "@octocat",
    "team/x#12", "GH-7", "https://example.com", "www.example.com", "*x*", "_x_", "A__B", "~~x~~", "[x](y)", "![x](y)",
    "$x$", ":tada:", "&lt;", "# x", "- x", "1. x", "> x", "    x", "x\n\n# y", "\u202egnp.exe", "\x1b[2J", "x\u200by",
    "<!--", "\\", "a  b", " a ", "\N{NO-BREAK SPACE}", "---", "x@example.com", "=1+1",
]  # fmt: skip


def check_shown(name: str) -> None:
    """Demand of a name and a sentence that they are shown as they are, wherever they stand, and nothing more."""
    markdown = f"### {quote_code(name)}\n\n- {escape_prose(name)}\n\n| H | I |\n|---|---|\n"
    shown = Rendered(markdown + f"| {quote_code(name)} | {escape_prose(name)} |\n")
    assert shown.elements <= ALLOWED
    assert OBEYED_BY_GITHUB.search(shown.beside) is None
    visible = escape_controls(name)
    assert [[cell.strip() for cell in row] for row in shown.rows] == [["H", "I"], [visible.strip()] * 2]
    assert shown.code[0] == visible


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_shown_and_not_obeyed(name: str) -> None:
    check_shown(name)


@pytest.mark.deep
@given(st.text(alphabet=list("aB1_*`|\\<>&@#$:/.-+=~[]()! ;\"'\n\u202e"), min_size=1, max_size=30))
def test_any_name_is_shown_and_not_obeyed(name: str) -> None:
    check_shown(name)


def test_a_plan_of_hostile_names() -> None:
    """From a facts file, which may have names that MQ does not allow."""
    queue, host = "<b>`|@team #1", "@octocat|</details>"
    facts = {
        "queue_manager": {"name": "QM1", "clusters": ["TRADE"]},
        "remote_queue_manager": [{"name": name, "clusters": ["TRADE"]} for name in ("QM2", host)],
        "queue": [{"name": queue, "queue_manager": name, "clusters": ["TRADE"]} for name in ("QM2", host)],
        "channel": [
            {"name": f"TO.{name}"[:20], "queue_manager": name, "cluster": "TRADE"} for name in ("QM2", host)
        ],
    }  # fmt: skip
    before = read(facts)
    shown = render_plan_comment(
        plan(before, before.set("CHANNEL(TO.QM2) STATUS(STOPPED)")).change, [f"{queue}\n{host}"]
    )
    rendered = Rendered(shown)
    assert rendered.elements <= ALLOWED
    assert OBEYED_BY_GITHUB.search(rendered.beside) is None
    assert [row[0] for row in rendered.rows] == ["Queue", queue]
    assert rendered.rows[1][4] == host


def test_a_sentence_stays_a_sentence() -> None:
    """Signs that are of everyday use are no reason to quote it as code."""
    said = "clause 11b, channel rank 3 (of TO_QM2) is below 7: 'ALTER' it; DISPLAY QUEUE(X) shows 50 %"
    assert escape_prose(said) == said
    assert escape_prose("DISPLAY QUEUE(*)") == r"DISPLAY QUEUE(\*)"


def test_members_of_one_level_have_one_remark_on_the_edition() -> None:
    """QM1 and QM2 are alike but for their names; QM3 is of another level, and other remarks stay as they are."""
    level = "decided by edition mq-9.3 (CMDLEVEL 930 of {}); in wmq-6 the answer is another"
    other = "decided by edition mq-9.0 (CMDLEVEL 900 of QM3); in wmq-6 the answer is another"
    told = [("PARTS", name, level.format(name)) for name in ("QM1", "QM2")]
    told += [("PARTS", "QM3", other), ("PARTS", "QM1", "what is (of QM1) stays")]
    assert list(group_remarks(told)) == [
        f"PARTS from QM1 and QM2: {level.format('QM1 and QM2')}", f"PARTS from QM3: {other}",
        "PARTS from QM1: what is (of QM1) stays",
    ]  # fmt: skip
