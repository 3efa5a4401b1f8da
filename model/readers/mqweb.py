"""Answers of mqweb to a command in JSON, which are told from facts documents and not read yet."""

from __future__ import annotations

import re

from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.json_facts import parse_json

MQWEB_KEY = re.compile(r'"commandResponse"\s*:')


def _recognised(text: str, _: str) -> Confidence:
    """By the key that holds the answers."""
    return Confidence.sure_if(MQWEB_KEY.search(text) and _is_answer(parse_json(text, "").data))


def _is_answer(data: object) -> bool:
    return isinstance(data, dict) and "commandResponse" in data


MQWEB = Format("mqweb", "output of mqweb (commandResponse)", _recognised)
