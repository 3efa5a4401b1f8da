"""Render a rulebook as a site of HTML pages that need nothing but themselves, and write it to a folder."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from attrs import frozen
from jinja2 import Environment
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.configs import TOMLLexer

from mqclause.audit.accounts import WordAccount
from mqclause.model.diagnostics import escape_controls
from mqclause.pages.page import PACKAGE as PAGES
from mqclause.pages.page import build_environment, hash_text, read_templates
from mqclause.render.audit import write_inline
from mqclause.rulebook.clauses import ClauseFile
from mqclause.rulebook.rules import Rules, compute_digest
from mqclause.tools.rulebook.account import MOST_SITUATIONS, Rulebook, ShownCase, ShownRule

GLOSSARY = "glossary.toml"
"""The words of the rulebook itself."""

STYLES = ("colours.css", "style.css")
FORMULA = ("=", "+", "-", "@")
"""What a text begins with that a spreadsheet would reckon with."""


def _slug(name: str, taken: set[str]) -> str:
    """A name that can stand in an address and as a file on any system, not taken yet in any letter case."""
    stem = found = re.sub(r"[^A-Za-z0-9._-]", "-", name).strip(".") or "x"
    number = 1
    while found.lower() in taken:
        number += 1
        found = f"{stem}-{number}"
    taken.add(found.lower())
    return found


@frozen(eq=False)
class Addresses:
    """Where everything stands, relative to the index."""

    rules: Mapping[str, str]
    documents: Mapping[str, str]
    sentences: Mapping[tuple[str, int], str]
    by_path: Mapping[str, str]
    words: Mapping[tuple[str, str], str]
    readings: Mapping[str, str]
    editions: Mapping[str, str]
    laws: Mapping[str, str]
    glossary: Mapping[str, str]

    @classmethod
    def of(cls, book: Rulebook, glossary: Iterable[str] = ()) -> Addresses:
        """Give each rule and document a page, and each sentence, word, reading and edition a place on one."""
        taken, of_files = set[str](), set[str]()
        rules = {each: f"rules/{_slug(each, taken)}.html" for each in book.by_id}
        documents, sentences, by_path = dict[str, str](), dict[tuple[str, int], str](), dict[str, str]()
        for document in book.documents:
            page, anchors = f"documents/{_slug(_stem(document.file), of_files)}.html", set[str]()
            documents[document.file.name] = page
            for at, each in enumerate(document.sentences):
                path = each.account.clause.path
                place = f"{page}#s-{_slug(path, anchors)}"
                sentences[document.file.name, at] = place
                by_path.setdefault(f"{document.file.document}/{path}", place)
        words = {(each.document, each.name): f"words.html#{each.document}.{each.name}" for each in _every_word(book)}
        anchors = set[str]()
        readings = {each: f"readings.html#r-{_slug(each, anchors)}" for each in book.rules.known_readings}
        editions = {each: f"readings.html#e-{_slug(each, anchors)}" for each in book.rules.toml("editions.toml")}
        anchors = set[str]()
        laws = {each.law.id: f"laws.html#{_slug(each.law.id, anchors)}" for each in book.laws}
        anchors = set[str]()
        explained = {each: f"about.html#{_slug(each, anchors)}" for each in glossary}
        return cls(rules, documents, sentences, by_path, words, readings, editions, laws, explained)

    def of_case(self, case: ShownCase) -> str:
        """Return where a case stands."""
        return f"{self.rules[case.rule]}#case-{case.number}"

    def of_clause(self, document: str, name: str) -> str:
        """Return where a sentence stands that a case of the document names; blank if there is none."""
        return self.by_path.get(name if "/" in name else f"{document}/{name}", "")

    def of_reading(self, choice: str) -> str:
        """Return where a reading stands, named with or without a choice; blank if there is none."""
        return self.readings.get(choice.partition("=")[0], "")


def _stem(file: ClauseFile) -> str:
    return file.name.removesuffix(".toml")


def _list_values(rule: ShownRule) -> Iterator[str]:
    """The values that a rule compares with."""
    waiting = [each.phrase for each in rule.sayings]
    while waiting:
        phrase = waiting.pop()
        yield from (each.text for each in phrase.pieces if each.kind == "value")
        waiting += phrase.parts


def _every_word(book: Rulebook) -> Iterator[WordAccount]:
    return (word for listed in book.words.values() for word in listed)


class Entry(NamedTuple):
    """What can be found: its kind, its title, its text, where it stands, and what ``more`` it is found by.

    ``names`` are what it is called besides its title; ``near`` are clauses that it is of, and states that it is in.
    """

    kind: str
    title: str
    text: str
    place: str
    more: str = ""
    names: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    def to_json(self) -> list[Any]:
        """Return the entry as JSON values, without what is empty at the end."""
        found = [each if isinstance(each, str) else list(each) for each in self]
        while not found[-1]:
            del found[-1]
        return found


@frozen(eq=False)
class Made:
    """When and by what a site is made: the date, the version of the program, and the SHA-256 of the rules."""

    on: str
    version: str
    sha256: str
    folder: str

    @classmethod
    def of(cls, rules: Rules, version: str, on: datetime | None = None) -> Made:
        """Return that of these rules, now or at the time given."""
        when = (on or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
        return cls(when, version, compute_digest(rules.files), rules.origin.folder if rules.origin else "")


class Site:
    """The pages of a rulebook, made one after the other."""

    def __init__(self, book: Rulebook, made: Made) -> None:
        self.book, self.made = book, made
        texts = read_templates(PAGES) | read_templates("mqclause.tools.rulebook")
        self.glossary: Mapping[str, Mapping[str, Any]] = tomllib.loads(texts[GLOSSARY])
        self.places = Addresses.of(book, self.glossary)
        self._pages = self._environment(texts)

    def _environment(self, texts: Mapping[str, str]) -> Environment:
        found = build_environment(texts)
        found.filters |= {"toml": highlight_toml, "facts": list_facts, "inline": write_inline}
        style = "".join(texts[name] for name in STYLES)
        script, search = (texts[name] for name in ("print.js", "search.js"))
        allowed = f"script-src {hash_text(script)} {hash_text(search)}"
        policy = f"default-src 'none'; style-src {hash_text(style)}; {allowed}; base-uri 'none'"
        found.globals |= {
            "book": self.book, "made": self.made, "version": self.made.version, "places": self.places,
            "policy": policy, "style": Markup(style), "scripts": [Markup(script)],  # noqa: S704 - ours
            "search_script": Markup(search),  # noqa: S704 - ours
            "no_mutants": Counter[str](), "most": MOST_SITUATIONS,
            "changed_by": {"edition": self.book.list_changed("edition"), "reading": self.book.list_changed("reading")},
            "glossary": self.glossary, "words": {(each.document, each.name): each for each in _every_word(self.book)},
        }  # fmt: skip
        return found

    def _page(self, template: str, root: str = "", **values: Any) -> str:
        return str(self._pages.get_template(template).render(root=root, **values))

    def render_pages(self) -> Iterator[tuple[str, str]]:
        """Render each file of the site: its path, with slashes, and its text."""
        for name in ("index", "about", "rules", "matrix", "laws", "words", "readings"):
            yield f"{name}.html", self._page(f"{name}.html")
        yield "search.html", self._page("search.html", index=_as_data(self._list_entries()))
        for document in self.book.documents:
            yield self.places.documents[document.file.name], self._page("document.html", "../", document=document)
        for rule in self.book.by_id.values():
            yield self.places.rules[rule.id], self._page("rule.html", "../", rule=rule)
        yield "matrix.csv", self._write_matrix()

    def _list_entries(self) -> Iterator[Entry]:
        """What can be found, in the order in which equals of it are shown."""
        for name, each in self.glossary.items():
            names = (name, *each.get("also", ()))
            yield Entry("this book", name, each["says"], self.places.glossary[name], names=names)
        yield from self._list_documents()
        for rule in self.book.by_id.values():
            said = " ".join((*rule.words, *_list_values(rule), rule.rule.because.text if rule.rule.because else ""))
            clause, number = rule.account.clause, rule.id.partition(".")[2]
            near = (f"{rule.document} {clause}", f"{rule.document} {number}", clause, number)
            yield Entry("rule", rule.id, rule.account.title, self.places.rules[rule.id], said, near=near)
        for shown in self.book.laws:
            says = f"{shown.law.document}: {shown.law.says}"
            yield Entry("law", shown.law.id, says, self.places.laws[shown.law.id])
        yield from self._list_choices()
        for word in _every_word(self.book):
            means = word.means or f"derived by {', '.join(word.derived_by)}"
            place = self.places.words[word.document, word.name]
            yield Entry(word.origin, word.name, f"{word.document}: {means}", place)
        for case in self.book.cases:
            named, place = " ".join(case.clauses), self.places.of_case(case)
            yield Entry("case", f"{case.rule} {case.number}", case.name, place, named)

    def _list_documents(self) -> Iterator[Entry]:
        """The documents, then their sentences."""
        for each in self.book.documents:
            title, name = each.file.title or each.file.name, each.file.name
            more = f"copy SHA-256 {each.file.sha256} {each.file.source}"
            yield Entry("document", _stem(each.file), title, self.places.documents[name], more)
        for document in self.book.documents:
            for at, sentence in enumerate(document.sentences):
                clause, folder = sentence.account.clause, document.file.document
                place = self.places.sentences[document.file.name, at]
                beside = " ".join([clause.not_a_rule or "", *(clause.rules or ())])
                state, name = sentence.account.state, f"{folder} {clause.path}"
                near = (clause.path, f"{folder} {clause.number}", clause.number, state)
                yield Entry("sentence", name, f"{clause.says} ({state})", place, beside, near=near)

    def _list_choices(self) -> Iterator[Entry]:
        """The editions and the readings."""
        changes = self.book.list_changed("edition")
        for name, each in self.book.rules.toml("editions.toml").items():
            changed = dict.fromkeys(rule for rule, _ in changes.get(name, ()))
            titles = " ".join(self.book.by_id[rule].account.title for rule in changed)
            said = f"changes {', '.join(changed)}" if changed else "changes no rule"
            yield Entry("edition", name, f"{each.get('title', '')}: {said}", self.places.editions[name], titles)
        for name, reading in self.book.rules.known_readings.items():
            said = f"{reading.question} {', '.join(reading.every_choice)}"
            yield Entry("reading", name, said, self.places.readings[name], reading.why)

    def _write_matrix(self) -> str:
        """The matrix of sentences, rules and cases as CSV, a line for each; last the cases that name no sentence."""
        out = StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("file", "document", "sentence", "says", "state", "reason", "rule", "case", "acts", "result"))
        for document in self.book.documents:
            for each in document.sentences:
                clause = each.account.clause
                stated = (
                    document.file.name, document.file.document, clause.path, clause.says, each.account.state,
                    clause.not_a_rule or ", ".join(clause.program or ()),
                )  # fmt: skip
                of_rules = {rule.id for rule in each.rules} - {case.rule for case in each.cases}
                lines = [(case.rule, case.name, case.acts, "failed" if case.wrong else "passed") for case in each.cases]
                for line in (*lines, *((rule, "", "", "") for rule in sorted(of_rules))) or [("", "", "", "")]:
                    rows.writerow([_in_cell(str(value)) for value in (*stated, *line)])
        for case in (case for listed in self.book.nameless.values() for case in listed):
            ran = (case.rule, case.name, case.acts, "failed" if case.wrong else "passed")
            beside = ("", case.rule.partition(".")[0], "", "", "", "the case names no sentence")
            rows.writerow([_in_cell(str(value)) for value in (*beside, *ran)])
        return out.getvalue()


def _in_cell(text: str) -> str:
    shown = escape_controls(text)
    return f"'{shown}" if shown.startswith(FORMULA) else shown


def _as_data(entries: Iterable[Entry]) -> Markup:
    """Values as JSON that can stand in a script element: it has no bracket by which the element could end."""
    text = json.dumps([_escape(each.to_json()) for each in entries], separators=(",", ":"))
    return Markup(re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", text))  # noqa: S704 - escaped above


def _escape(value: Any) -> Any:
    return list(map(_escape, value)) if isinstance(value, list) else escape_controls(value)


def highlight_toml(text: str) -> Markup:
    """Highlight TOML."""
    shown = escape_controls(text, "\n\t")
    found = highlight(shown, TOMLLexer(), HtmlFormatter(nowrap=True))
    return Markup(found)  # noqa: S704 - Pygments escapes what it is given


def list_facts(facts: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """List tables with their rows, each in a line of TOML."""
    found = []
    for name, value in facts.items():
        rows = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
        found.append((name, [write_inline(each) for each in rows]))
    return found


def write_site(site: Site, out: Path) -> int:
    """Write a site to a folder and return how many files it has. Raises OSError."""
    count = 0
    for path, text in site.render_pages():
        place = out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")
        count += 1
    return count
