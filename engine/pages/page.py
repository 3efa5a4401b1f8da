"""Render views as HTML: a page that needs nothing but itself, or a part of one that a notebook shows.

What views of all kinds show is here, too: rules, what is not known, by whose rules an answer was made.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any, ClassVar, Protocol

from attrs import frozen
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from mqclause.audit.accounts import find_ruleset
from mqclause.documents import DOCUMENTS
from mqclause.model.diagnostics import escape_controls
from mqclause.pages.diagram import SHAPES
from mqclause.render.cluster import format_percent
from mqclause.render.documents import Document
from mqclause.rulebook.clauses import list_clauses, read_clause_files
from mqclause.rulebook.rule import ReadingError, Rule
from mqclause.rulebook.rules import Rules, RulesOrigin

PACKAGE = "mqclause.pages"
STYLES = ("colours.css", "style.css", "pictures.css")
"""What a page is styled by, in order; a part of a notebook has the colours and the pictures."""

SCRIPTS = ("print.js", "filter.js")
MARKED = re.compile(r"`([^`]+)`|(https?://[^\s<>\"'`]+[^\s<>\"'`.,;:)])")
"""What stands out in a text: what is between backticks, and an address."""

IDENTIFIER_LENGTH = 8


class View(Protocol):
    """What a page shows: the template that lays it out, and the title."""

    template: ClassVar[str]

    @property
    def title(self) -> str:
        """The title of the page."""
        ...


def read_templates(package: str) -> dict[str, str]:
    """Read the templates, styles and scripts of a package, by name."""
    folder = files(package) / "templates"
    return {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir() if each.is_file()}


def build_environment(texts: Mapping[str, str]) -> Environment:
    """Build an environment of templates in which all but markup is escaped, and nothing in a text is obeyed."""
    found = Environment(
        loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, finalize=show_value, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    found.filters |= {"percent": format_percent, "prose": mark_prose, "slug": write_slug}
    return found


def show_value(value: Any) -> Any:
    """Show a value as it stands on a page: nothing in it turns the text round or cannot be seen.

    Markup is made of such.
    """
    return value if isinstance(value, Markup) else escape_controls(str(value), "\n\t")


def hash_text(text: str) -> str:
    """Hash a style or a script as a policy names it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def mark_prose(text: str) -> Markup:
    """Mark what is between backticks, and make addresses links; all else is text."""
    found, done = Markup(), 0
    for each in MARKED.finditer(text):
        found += escape(show_value(text[done : each.start()]))
        code, address = each.groups()
        if code:
            found += Markup("<code>{}</code>").format(show_value(code))
        else:
            found += Markup('<a href="{0}" rel="noreferrer external">{0}</a>').format(show_value(address))
        done = each.end()
    return found + escape(show_value(text[done:]))


def write_slug(name: str) -> str:
    """Write a name so that it can stand in an identifier of a page."""
    return re.sub(r"[^A-Za-z0-9._-]", lambda found: f"_{ord(found[0]):x}_", name)


@lru_cache(maxsize=1)
def _read_own() -> tuple[Mapping[str, str], Environment]:
    texts = read_templates(PACKAGE)
    environment = build_environment(texts)
    environment.globals["shapes"] = SHAPES
    return texts, environment


def render_page(view: View, said: Sequence[str] = ()) -> str:
    """Render a page that loads nothing: its style, its pictures and its scripts stand in it.

    ``said`` are warnings and remarks besides, which stand first.
    """
    texts, environment = _read_own()
    style, scripts = "".join(texts[name] for name in STYLES), [texts[name] for name in SCRIPTS]
    allowed = " ".join(map(hash_text, scripts))
    values = {
        "policy": f"default-src 'none'; style-src {hash_text(style)}; script-src {allowed}; base-uri 'none'; "
        "form-action 'none'",
        "style": Markup(style),  # noqa: S704 - ours
        "scripts": [Markup(each) for each in scripts],  # noqa: S704 - ours
        "version": version("mqclause"), "title": view.title, "content": view.template, "part": "",
    }  # fmt: skip
    return environment.get_template("answer.html").render(view=view, said=said, **values)


def render_part(view: View) -> str:
    """Render the same without a page around it, for a notebook. Its identifiers are those of no other part."""
    texts, environment = _read_own()
    colours = texts["colours.css"].replace(":root", ".mqclause")
    values = {"title": view.title, "content": view.template, "style": Markup(colours + texts["pictures.css"])}  # noqa: S704 - ours
    return environment.get_template("part.html").render(view=view, part=f"{_identify(view)}-", **values)


def render_template(name: str, **values: Any) -> str:
    """Render a template of the package by itself."""
    return _read_own()[1].get_template(name).render(**values)


def read_style(*names: str) -> Markup:
    """Read styles of the package, one behind the other."""
    return Markup("".join(_read_own()[0][name] for name in names))  # noqa: S704 - ours


def _identify(view: View) -> str:
    """What tells a view from others: equal ones may have equal identifiers."""
    return f"m{sha256(repr(view).encode()).hexdigest()[:IDENTIFIER_LENGTH]}"


def say_origin(document: Document) -> str:
    """Say by whose rules an answer was made; blank where they are those that come with the project."""
    told = document.get("rules")
    return str(RulesOrigin(told["folder"] or "", told["sha256"])) if told else ""


@frozen
class RuleText:
    """A rule to be read beside an answer. ``sentences`` are pairs of a path and what the document says there.

    ``source`` is the title of the first document that its clauses are those of; blank if none has one.
    """

    id: str
    document: str
    clause: str
    title: str
    why: str
    sentences: tuple[tuple[str, str], ...]
    file: str
    text: str
    source: str = ""


def list_rule_texts(rules: Rules, named: Iterable[str | None]) -> dict[str, RuleText]:
    """List the texts of the rules that are ``named``, each once; of those that are not there, nothing. By id."""
    found, sentences = dict[str, RuleText](), dict[str, Mapping[str, list[tuple[str, str]]]]()
    for rule_id in dict.fromkeys(named):
        document = (rule_id or "").partition(".")[0]
        rule = _find_rule(rules, document, rule_id)
        if rule is None:
            continue
        if document not in sentences:
            sentences[document] = _group_sentences(rules, document)
        path = rules.path(rule.id)
        found[rule.id] = RuleText(
            rule.id, document, rule.clause, rule.title, rule.why or "", tuple(sentences[document].get(rule.id, ())),
            f"rules/{path}", rules.files[path],
            next((each.title for each in read_clause_files(rules, document) if each.title), ""),
        )  # fmt: skip
    return found


def _find_rule(rules: Rules, document: str, rule_id: str | None) -> Rule | None:
    """The rule as these rules have it, or as the oldest edition has it that has it."""
    if rule_id is None or document not in DOCUMENTS:
        return None
    found = next((each for each in rules.ruleset(DOCUMENTS[document]).rules if each.id == rule_id), None)
    try:
        return found or find_ruleset(rules, rule_id).rule(rule_id)
    except ReadingError:
        return None


def _group_sentences(rules: Rules, document: str) -> Mapping[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for clause in list_clauses(rules, document):
        for rule_id in dict.fromkeys(clause.rules or ()):
            found.setdefault(rule_id, []).append((clause.path, clause.says))
    return found
