"""Render views as HTML: a page that needs nothing but itself, or a part of one that a notebook shows."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any, ClassVar, Protocol

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from mqclause.model.diagnostics import escape_controls
from mqclause.render.cluster import format_percent

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
    return texts, build_environment(texts)


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
