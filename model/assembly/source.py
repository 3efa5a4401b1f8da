"""A source: a file that facts are read from."""

from __future__ import annotations

from pathlib import Path

from attrs import field, frozen

from mqclause.model.diagnostic import visible
from mqclause.model.readers.content import Content, of_file


@frozen
class Source:
    """A file's content, which of a large one is read later, and its name as messages show it (``-``: standard input).

    What of the name a terminal would obey is escaped. ``queue_manager`` says whose script or log it is, if it does not
    say so itself. A file that was ``found`` in a
    folder, and not named, is passed by with a warning where it is in no format that is read. An ``overlay`` changes
    what all other files say. ``format`` names the format that it is in; blank: its content tells.
    """

    name: str = field(converter=visible)
    data: bytes | Content
    queue_manager: str = ""
    found: bool = False
    overlay: bool = field(default=False, kw_only=True)
    format: str = field(default="", kw_only=True)

    @classmethod
    def at(cls, path: str | Path) -> Source:
        """The file at ``path``; raises OSError if it cannot be opened."""
        return cls(str(path), of_file(path))
