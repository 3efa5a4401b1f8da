"""The formats: which one a file is in is told by what stands in it, as names and endings of dumps and captures vary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from attrs import evolve

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.content import Content
from mqclause.model.readers.embedding import JCL, SHELL, YAML
from mqclause.model.readers.encoding import Decoded, text_from
from mqclause.model.readers.foreign import FOREIGN
from mqclause.model.readers.format import Confidence, Contents, Format
from mqclause.model.readers.json_facts import JSON
from mqclause.model.readers.mqsc.format import MQSC
from mqclause.model.readers.mqweb import MQWEB
from mqclause.model.readers.pcf import PCF
from mqclause.model.readers.record import Script
from mqclause.model.readers.runmqsc.format import RUNMQSC
from mqclause.model.readers.toml_facts import TOML

FORMATS = (
    FOREIGN,
    SHELL,
    YAML,
    JCL,
    MQWEB,
    PCF,
    JSON,
    TOML,
    RUNMQSC,
    MQSC,
)
"""In the order in which they are tried: the first that is sure, else the first that is likely."""

BEGINNING_JSON = ("{", "[")
"""What a text begins with, but for blanks, that may be in a format although none of its pieces is."""


def contents_of(data: bytes | Content, source: str, formats: Sequence[Format] = FORMATS) -> Contents:
    """What a file holds, by the reader of its format; raises FactsError if it is no text or in none of ``formats``."""
    text = text_from(data, source)
    found = _in_pieces(text, source, formats)
    whole = "" if found or _is_in_none(text, source, formats) else "".join(text.pieces())
    found = found or (format_of(whole, source, formats) if whole else None)
    if found is None:
        raise _refused(source, f"is in no format that is read: it has no MQSC command; allowed: {_titles(formats)}")
    if found.read is None:
        begun = whole or next(text.pieces())
        raise _refused(source, found.refused(begun) if found.refused else f"is {found.title}, which is not read")
    contents = found.read(whole or text.pieces(), source)
    if text.fault and not isinstance(contents, Script):
        raise FactsError([text.fault])
    return evolve(contents, format=found.name)


def _in_pieces(text: Decoded, source: str, formats: Sequence[Format]) -> Format | None:
    """The format of a text of several pieces, if it is one that is read so: the first that any piece is in."""
    first, *more = islice(text.pieces(), 2)
    found = format_of(first, source, formats) if more else None
    if found is None or not found.in_pieces:
        return None
    earlier = [each for each in formats[: formats.index(found)] if each.in_pieces and each.read]
    pieces = text.pieces() if earlier else ()
    sure = (each for piece in pieces for each in earlier if each.recognised(piece, source) is Confidence.SURE)
    return next(sure, found)


def _is_in_none(text: Decoded, source: str, formats: Sequence[Format]) -> bool:
    """Whether a text of several pieces, which is not JSON, has none that is in a format: it is not put together."""
    if len([*islice(text.pieces(), 2)]) < 2:
        return False
    told = (piece for piece in text.pieces() if not piece.isspace())
    return all(
        not (at == 0 and piece.lstrip()[0] in BEGINNING_JSON) and format_of(piece, source, formats) is None
        for at, piece in enumerate(told)
    )


def only_named(name: str, formats: Sequence[Format]) -> Sequence[Format]:
    """The format of that ``name`` alone, whatever a text looks like; all ``formats`` if it is blank."""
    return [evolve(each, recognised=_any) for each in formats if each.name == name] if name else formats


def _any(_: str, __: str) -> Confidence:
    return Confidence.SURE


def format_of(text: str, source: str, formats: Sequence[Format] = FORMATS) -> Format | None:
    """The format of ``text``, which is not blank; None if it is in none of ``formats``."""
    likely: Format | None = None
    for each in formats:
        confidence = each.recognised(text, source)
        if confidence is Confidence.SURE:
            return each
        if confidence is Confidence.LIKELY and likely is None:
            likely = each
    return likely


def _titles(formats: Iterable[Format]) -> str:
    """The formats that are read, as messages list them; in TOML and in JSON it is the same documents."""
    return ", ".join(dict.fromkeys(each.title for each in formats if each.read))


def _refused(source: str, message: str) -> FactsError:
    return FactsError([Diagnostic(source, message)])
