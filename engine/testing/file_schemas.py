"""The JSON schemas of the files that people write: facts, scenarios, rules and cases, built of what reads them.

They are written into the package when it is built.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

from attrs import NOTHING, fields

from mqclause.documents import DOCUMENTS
from mqclause.model.facts.domains import (
    HIGHEST_LEVEL,
    LOWEST_LEVEL,
    REASONS,
    Description,
    Finite,
    Flag,
    Level,
    Name,
    Names,
    Text,
    Whole,
    Words,
    WordsOrWhole,
)
from mqclause.model.readers.facts_files import LIST_MAKERS, LOCAL_TABLES, SINGLE_TABLES, TABLES
from mqclause.model.timeline.administration import CalendarDay, CalendarDays, InFlightMessage, Information, Request
from mqclause.model.timeline.events import (
    MATCH_KEYS,
    Event,
    EventWord,
    Match,
    Settings,
)
from mqclause.model.timeline.scenario import EVENT_KEYS, NEEDED_KEYS
from mqclause.rulebook.case_files import CASE_KEYS, FILE_KEYS, Case
from mqclause.rulebook.rule_file import ACTIONS, COMMON_KEYS, MERGE_KEYS, REMEDY_KEYS, SEVERITIES
from mqclause.schemas import SUFFIX
from mqclause.testing.case_kinds import PipelineCase
from mqclause.testing.case_runner import CASE_KINDS, ProductCase

Schema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
"""That which editors know best."""
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
TRUTH: Schema = {"type": "boolean"}
ROWS = {"event": Event, "in_flight": InFlightMessage, "information": Information, "request": Request}
"""The tables of a facts document that scenarios and repositories read, each with the class of its rows."""


@singledispatch
def describe_domain(_domain: Any) -> Schema:
    """Return the schema of what a domain allows; one that is not registered here may be anything."""
    return {}


@describe_domain.register
def _(domain: Words) -> Schema:
    return _words(domain.words)


@describe_domain.register
def _(domain: WordsOrWhole) -> Schema:
    digits = {"type": "string", "pattern": f"^0*[0-9]{{1,{len(str(domain.numbers.high))}}}$"}
    return {"anyOf": [*_words(domain.words)["anyOf"], describe_domain(domain.numbers), digits]}


@describe_domain.register
def _(domain: Whole) -> Schema:
    return {"type": "integer", "minimum": domain.low, "maximum": domain.high}


@describe_domain.register
def _(_domain: Level) -> Schema:
    return {"type": "integer", "anyOf": [{"const": 0}, {"minimum": LOWEST_LEVEL, "maximum": HIGHEST_LEVEL}]}


@describe_domain.register
def _(domain: Finite) -> Schema:
    return {"type": "number", "minimum": domain.low}


@describe_domain.register
def _(_domain: Flag) -> Schema:
    return TRUTH


@describe_domain.register
def _(domain: Text) -> Schema:
    return _padded(".", domain)


@describe_domain.register
def _(domain: Name) -> Schema:
    return _padded("[A-Za-z0-9._/%]", domain)


@describe_domain.register
def _(_domain: Description) -> Schema:
    return {}  # none is refused


@describe_domain.register
def _(domain: Names) -> Schema:
    return _listed(describe_domain(domain.each))


@describe_domain.register
def _(_domain: EventWord) -> Schema:
    return _words(tuple(EVENT_KEYS))


@describe_domain.register
def _(_domain: Match) -> Schema:
    return _table({name: describe_domain(domain) for name, domain in MATCH_KEYS.items()})


@describe_domain.register
def _(_domain: Settings) -> Schema:
    return {"type": "object"}


@describe_domain.register
def _(_domain: CalendarDay) -> Schema:
    return {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}


@describe_domain.register
def _(_domain: CalendarDays) -> Schema:
    return _listed(describe_domain(CalendarDay()))


def _words(words: Iterable[str]) -> Schema:
    """A word in any letter case; an editor offers them as MQSC has them."""
    listed = [*dict.fromkeys(words)]
    spelt = "|".join("".join(f"[{each.upper()}{each.lower()}]" if each.isalpha() else each for each in word)
                     for word in listed)  # fmt: skip
    return {"anyOf": [{"enum": listed}, {"type": "string", "pattern": f"^({spelt})$"}]}


def _padded(character: str, domain: Text) -> Schema:
    """A text whose trailing blanks do not count."""
    least = {"minLength": domain.least} if domain.least else {}
    return {"type": "string", **least, "pattern": f"^{character}{{0,{domain.most}}} *$"}


def _listed(each: Schema, least: int = 0) -> Schema:
    return {"type": "array", "items": each, **({"minItems": least} if least else {})}


def _table(properties: Mapping[str, Schema], required: Sequence[str] = (), **more: Any) -> Schema:
    """A table that has these keys and no other."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", **more, **needed, "properties": dict(properties), "additionalProperties": False}


def _row(kind: type, is_whole: bool, implied: Sequence[str] = ()) -> Schema:
    """A row of a facts file; of a ``whole`` one the keys are required that have no default and are not ``implied``."""
    known = [each for each in fields(kind) if "domain" in each.metadata]
    required = [each.name for each in known if is_whole and each.default is NOTHING and each.name not in implied]
    properties = {each.name: describe_domain(each.metadata["domain"]) for each in known}
    said = {"description": (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")}
    return _table(properties, required, **said, **(_kinds_of_event() if is_whole and kind is Event else {}))


def _kinds_of_event() -> Schema:
    """Which keys each kind of event takes, and which it needs."""
    return {
        "allOf": [
            {
                "if": {"properties": {"do": _words([kind])}, "required": ["do"]},
                "then": {"propertyNames": {"enum": [*keys]}, "required": [*NEEDED_KEYS[kind]]},
            }
            for kind, keys in EVENT_KEYS.items()
        ]
    }


def _tables(is_whole: bool) -> dict[str, Schema]:
    """The tables of a facts file; rows that are laid over others are not ``whole``."""
    kinds: dict[str, type] = {name: maker.made_class for name, maker in {**SINGLE_TABLES, **LIST_MAKERS}.items()} | ROWS
    implied = dict.fromkeys(LOCAL_TABLES, ("queue_manager",))
    rows = {name: _row(kinds[name], is_whole, implied.get(name, ())) for name in TABLES}
    return {name: row if name in SINGLE_TABLES else _listed(row) for name, row in rows.items()}


def _build_facts_schema(*required: str) -> Schema:
    """Build the schema of a facts file, or of a scenario, which has events."""
    return _table(_tables(is_whole=True), required)


RULE_VALUES: Mapping[str, Schema] = {
    "leave_out": TRUTH,
    "severity": {"enum": [*SEVERITIES]},
    "graver": _table(dict.fromkeys(SEVERITIES, TEXT)),
    "misplaced": {"type": "object", "additionalProperties": TEXTS},
    "together": {"enum": [*MERGE_KEYS]},
    "example": _table({"found": TEXT, "clean": TEXT}, ["found", "clean"]),
    "notices": _listed(_table({"where": TEXT, "attributes": TEXTS}, ["where", "attributes"])),
    "keep.counts": TEXTS,
    "keep.ties": {"enum": ["first-listed", "all"]},
    "choose.lowest": TEXTS,
    "choose.ties": {"enum": ["first-listed", "last-listed"]},
    "order_by.by": TEXTS,
    "fail_with.reason": {"enum": [*REASONS]},
    "holds.remedy": {"anyOf": [TEXT, _listed(_table(dict.fromkeys(REMEDY_KEYS, TEXT)), 1)]},
    "conclude.needs": TEXTS,
    "conclude.excused": TEXTS,
}
"""The values of the keys of rule files that are no text, by the action and the key."""


def _build_rule_schema() -> Schema:
    """Build the schema of a rule file; in the table of an edition or a reading stand the same keys."""
    keys = {key: RULE_VALUES.get(key, TEXT) for key in COMMON_KEYS}
    for action, (_, allowed) in ACTIONS.items():
        values = {key: RULE_VALUES.get(f"{action}.{key}", TEXT) for key in allowed}
        keys[action] = _table(values) if allowed else {"type": "object", "additionalProperties": TEXT}
    differing = {key: value for key, value in keys.items() if key not in ("edition", "reading")}
    of_others = {"type": "object", "additionalProperties": {"$ref": "#/definitions/differing"}}
    whole = _table({**keys, "edition": of_others, "reading": of_others}, ["clause", "title"])
    return {**whole, "definitions": {"differing": _table(differing)}}


CASE_VALUES: Mapping[str, Schema] = {
    "name": TEXT,
    "clause": {"anyOf": [TEXT, TEXTS]},
    "acts": TRUTH,
    "edition": TEXT,
    "readings": {"type": "object", "additionalProperties": TEXT},
    "equivalent": TEXTS,
    "exit": {"type": "object"},
    "exit_limit": {"type": "number"},
    "ordinary": {"type": "object"},
    "on": {},
}
"""The values of the keys of case files that are no part of facts."""


def _build_case_schema() -> Schema:
    """Build the schema of a case file. Whether a case states enough depends on the rule, and is not said here."""
    scene = _scene()
    values = {**CASE_VALUES, **{key: {"$ref": "#/definitions/scene"} for key in ("facts", "before", "scene")}}
    values |= {name: {"$ref": f"#/definitions/scene/properties/{name}"} for name in ("event", "message")}
    kinds: set[type[Case]] = {*CASE_KINDS.values(), PipelineCase}
    expected = {key for each in kinds for key in each.EXPECTS}
    case = _case(CASE_KEYS.union(*(each.KEYS for each in kinds)), expected, values)
    scenario = _case(CASE_KEYS | ProductCase.KEYS, ProductCase.EXPECTS, values)
    values |= {"case": _listed(case), "scenario": _listed(scenario)}
    return {**_table({key: values[key] for key in sorted(FILE_KEYS)}), "definitions": {"scene": scene}}


def _case(keys: Iterable[str], expected: Iterable[str], values: Mapping[str, Schema]) -> Schema:
    """One case: what is laid over the scene, and what is expected."""
    expects = _table({key: {} for key in sorted(expected)})
    return _table({key: expects if key == "expect" else values[key] for key in sorted(keys)}, ["name", "expect"])


def _scene() -> Schema:
    """Tables of facts, of which a case may state a part, or what rules see themselves."""
    situations = [each.situation for each in DOCUMENTS.values()]
    subjects = [each.subject for each in DOCUMENTS.values() if each.subject is not None]
    return _table({**_tables(False), "situation": _seen(situations), "subjects": _listed(_seen(subjects))})


def _seen(kinds: Iterable[type]) -> Schema:
    """The fields of what rules of any document see."""
    names = dict.fromkeys(each.name for kind in kinds for each in fields(kind))
    return _table({key: {} for key in sorted(names)})


BUILDERS: Mapping[str, tuple[Callable[[], Schema], str]] = {
    "facts": (_build_facts_schema, "Facts about one queue manager and its clusters, in TOML or JSON"),
    "scenario": (partial(_build_facts_schema, "event"), "Facts and what happens over time, in TOML or JSON"),
    "rule": (_build_rule_schema, "A rule file"),
    "case": (_build_case_schema, "A case file, which tests the rule file of the same name"),
}
"""What builds the schema of each kind of file, and what it is of."""


def render_file_schema(name: str) -> str:
    """Render the schema of a kind of file as the text of the package's file."""
    build, said = BUILDERS[name]
    head = {"$schema": DIALECT, "title": f"mqclause {name} file", "description": f"{said}."}
    return json.dumps({**head, **build()}, ensure_ascii=False, indent=1) + "\n"


def keep_file_schemas(folder: Path) -> None:
    """Keep each schema as a file of a folder: that of the package, for whoever starts by it."""
    for name in BUILDERS:
        (folder / f"{name}{SUFFIX}").write_text(render_file_schema(name), encoding="utf-8")
