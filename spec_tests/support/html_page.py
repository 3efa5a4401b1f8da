"""Read a page: its ids, its links, its elements, its text, and what of it would load or run something."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    """What of a page matters here: its ids, its links, what it loads, its elements, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids, self.links, self.words, self.tags = list[str](), list[str](), list[str](), set[str]()
        self.odd = list[tuple[str, str]]()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given[key] or "" for key in ("href", "action") if key in given]
        self.odd += [(tag, key) for key in given if key in ("src", "srcset", "style") or key.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def find_page_faults(raw: str) -> list[str]:
    """What of a page that stands alone would load or run something, or leads nowhere."""
    page = Page(raw)
    found = [f"{tag} {key}" for tag, key in page.odd]
    found += page.tags & {"link", "img", "iframe", "base", "object", "embed"}
    found += ["an id stands twice"] if len(page.ids) != len(set(page.ids)) else []
    for link in set(page.links):
        if not link.startswith("https://") and unquote(link.removeprefix("#")) not in page.ids:
            found.append(f"{link} leads nowhere")
    ours = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", raw, re.DOTALL)
    found += ["a style or a script that the policy does not name"] * sum(
        b64encode(sha256(text.encode()).digest()).decode() not in raw for text in ours
    )
    found += [] if len(ours) == 3 and raw.count("<script") == 2 else ["another script or style"]
    return found
