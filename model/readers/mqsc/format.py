"""How MQSC scripts and dumps are told from other texts."""

from __future__ import annotations

import re

from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.mqsc.script import read_mqsc
from mqclause.model.readers.mqsc.words import ATTRIBUTE_NOUNS, NOUNS, SYNONYMS, VERB_SYNONYMS, VERBS

VERB_WORD = "|".join(sorted({*VERBS, *VERB_SYNONYMS}))
NOUN_WORD = "|".join(sorted({*NOUNS, *ATTRIBUTE_NOUNS, *SYNONYMS}))

# A verb at the start of a line is not enough: sentences start with "Set" and "Define" too.
MQSC_COMMAND = re.compile(
    rf"^[ \t]*(?:{VERB_WORD})\b[^\n]*(?:\w\(|\b(?:{NOUN_WORD})[ \t]*\(|\bQMGR\b|[+-][ \t]*\r?$)",
    re.MULTILINE | re.IGNORECASE,
)
DUMP_HEADER = re.compile(r"^\*[ \t]*Queue manager name:", re.MULTILINE)


def _recognised(text: str, _: str) -> Confidence:
    """By a command, or by the header of a dump."""
    return Confidence.sure_if(MQSC_COMMAND.search(text) or DUMP_HEADER.search(text))


MQSC = Format("MQSC", "MQSC scripts and dumps (dmpmqcfg)", _recognised, read_mqsc, in_pieces=True)
