"""Case files: facts and what the rules must answer, worked out by hand from the document.

A file belongs to the rule of the same file name. Its ``[facts]`` are the scene that its cases share. The facts of a
case are laid over it: a row of a list changes the one row of the scene that has the same name and queue manager (as
far as the row states them), or is added; a table changes key by key. ``before`` are the facts at a put before,
laid over the scene likewise: its choice is made first, and the sequence state that it leaves counts.

A destination is named by its queue manager, ``"QM2"``, or where that is not enough with its channel, ``"QM2/TO.QM2"``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import frozen

from mqclause import Decision, Engine
from mqclause.decision import Level
from mqclause.explanation import Step
from mqclause.model.destination import Destination
from mqclause.model.reader import Snapshot, read_document
from mqclause.model.sequence import SequenceState
from mqclause.rule import Choose, Derive

HERE = Path(__file__).parent
RULESETS = ("workload", "outcome")
FILE_KEYS = frozenset({"facts", "case"})
CASE_KEYS = frozenset({"name", "acts", "readings", "before", "facts", "expect"})
IDENTITY = ("name", "queue_manager")


class CaseError(ValueError):
    """A case file that cannot be used."""


@frozen(eq=False)
class Case:
    """One case of a rule's case file; ``acts`` says whether the rule decides something here."""

    path: Path
    name: str
    acts: bool
    readings: Mapping[str, str]
    before: Mapping[str, Any] | None
    facts: Mapping[str, Any]
    expect: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}: {self.name}"

    @property
    def rule(self) -> str:
        """The id of the rule that the case is about."""
        return f"{self.path.parent.name}.{self.path.stem.partition('_')[0]}"

    @cached_property
    def snapshot(self) -> Snapshot:
        """The facts as the engine takes them."""
        return read_document(self.facts, str(self))

    @cached_property
    def earlier(self) -> Snapshot | None:
        """The facts at the put before, if there was one."""
        return None if self.before is None else read_document(self.before, f"{self}: before")

    def decision(self, engine: Engine, explain: Level = "rule") -> Decision:
        """What ``engine`` answers to the put of the case."""
        state = None if self.earlier is None else _choice(engine, self.earlier, None, "off").state
        return _choice(engine, self.snapshot, state, explain)

    def faults(self, engine: Engine) -> list[str]:
        """What ``engine`` answers otherwise than the case expects."""
        decision = self.decision(engine)
        wrong = self.unexpected(decision)
        if acted(decision, self.rule) != self.acts:
            wrong.append(f"acts: expected {self.acts} of {self.rule}")
        return wrong

    def unexpected(self, decision: Decision) -> list[str]:
        """What in ``decision`` is not as expected, whichever rule did it."""
        return [fault for key, wanted in self.expect.items() for fault in EXPECTED[key](decision, wanted)]


def _choice(engine: Engine, snapshot: Snapshot, state: SequenceState | None, explain: Level) -> Decision:
    assert snapshot.put is not None, "the facts name no put"
    return engine.choose(snapshot.put, snapshot.cluster, state, explain)


def case_files(rulesets: Iterable[str] = RULESETS) -> list[Path]:
    """Every case file, in the order of the rules."""
    return [path for name in rulesets for path in sorted((HERE / name).glob("*.toml"))]


def cases_of(path: Path) -> Iterator[Case]:
    """The cases of one file. Raises CaseError for a key that is not known, missing or given twice."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    _only(path.name, document, FILE_KEYS)
    scene = document.get("facts", {})
    names: set[str] = set()
    for number, table in enumerate(document.get("case", []), 1):
        place = f"{path.name}: case {number}"
        _checked(place, table, names)
        before = laid_over(scene, table["before"], place) if "before" in table else None
        facts = laid_over(scene, table.get("facts", {}), place)
        yield Case(path, table["name"], table["acts"], table.get("readings", {}), before, facts, table["expect"])


def _checked(place: str, table: Mapping[str, Any], names: set[str]) -> None:
    """Adds the name of a case to ``names``. Raises CaseError if a key is wrong or the name is there already."""
    _only(place, table, CASE_KEYS)
    for key in ("name", "acts", "expect"):
        if key not in table:
            raise CaseError(f"{place}: {key} is missing")
    _only(f"{place}: expect", table["expect"], frozenset(EXPECTED))
    if table["name"] in names:
        raise CaseError(f"{place}: the name {table['name']!r} is given twice")
    names.add(table["name"])


def _only(place: str, table: Mapping[str, Any], allowed: frozenset[str]) -> None:
    unknown = sorted(set(table) - allowed)
    if unknown:
        raise CaseError(f"{place}: unknown key {', '.join(unknown)}; allowed: {', '.join(sorted(allowed))}")


def laid_over(scene: Mapping[str, Any], facts: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The facts of a case over the scene of its file."""
    merged = dict(scene)
    for table, given in facts.items():
        if isinstance(given, list):
            merged[table] = _rows(scene.get(table, []), given, f"{place}: {table}")
        elif table == "put" and {"queue", "queue_manager"} & given.keys():
            merged[table] = given
        else:
            merged[table] = {**scene.get(table, {}), **given}
    return merged


def _rows(scene: list[dict[str, Any]], given: list[dict[str, Any]], place: str) -> list[dict[str, Any]]:
    rows = list(scene)
    for row in given:
        stated = {key: row[key] for key in IDENTITY if key in row}
        same = [at for at, other in enumerate(rows) if stated.items() <= other.items()]
        if len(same) > 1:
            raise CaseError(f"{place}: {stated} stands for {len(same)} rows")
        if same:
            rows[same[0]] = {**rows[same[0]], **row}
        else:
            rows.append(row)
    return rows


def acted(decision: Decision, rule_id: str) -> bool:
    """Whether the rule decided something: let fall, took back, chose, failed the call, or derived what holds."""
    if not rule_id.startswith("outcome."):
        return any(_did(step) for step in decision.steps if step.rule.id == rule_id)
    if decision.reason is not None and decision.reason.rule == rule_id:
        return True
    actions = [rule.action for rule in decision.rulesets[1].rules if rule.id == rule_id]
    derived = [name for action in actions if isinstance(action, Derive) for name, _ in action.values]
    return any(decision.outcome_run.facts[name] for name in derived)


def _did(step: Step) -> bool:
    action = step.rule.action
    if not step.applied or isinstance(action, Choose):
        return step.applied
    if isinstance(action, Derive):
        return action.of in ("chosen", "every") or any((step.derived or {}).values())
    return bool(step.eliminated or step.set_aside or step.taken_back)


def destination(decision: Decision, name: str) -> Destination:
    """The destination that ``name`` stands for. Raises CaseError unless there is exactly one."""
    queue_manager, _, channel = name.partition("/")
    found = [
        each
        for each in decision.listed
        if each.queue_manager == queue_manager and (not channel or each.channel == channel)
    ]
    if len(found) != 1:
        raise CaseError(f"{name!r} stands for {len(found)} destinations")
    return found[0]


def label(decision: Decision, of: Destination) -> str:
    """The shortest name that ``destination`` understands."""
    alone = sum(each.queue_manager == of.queue_manager for each in decision.listed) == 1
    return of.queue_manager if alone else f"{of.queue_manager}/{of.channel}"


def _labelled(decision: Decision, names: Iterable[str]) -> list[str]:
    return [label(decision, destination(decision, name)) for name in names]


def _differs(key: str, wanted: object, got: object) -> Iterator[str]:
    if wanted != got:
        yield f"{key}: expected {wanted}, got {got}"


def _outcome(decision: Decision, wanted: str) -> Iterator[str]:
    yield from _differs("outcome", wanted, decision.outcome)


def _reason(decision: Decision, wanted: Mapping[str, Any]) -> Iterator[str]:
    got = decision.reason
    yield from _differs("reason", wanted, got and {key: getattr(got, key) for key in wanted})


def _permitted(decision: Decision, wanted: list[str]) -> Iterator[str]:
    got = [label(decision, each) for each in decision.permitted]
    yield from _differs("permitted", sorted(_labelled(decision, wanted)), sorted(got))
    if decision.outcome == "chosen":
        yield from _differs("chosen is permitted", True, decision.chosen in decision.permitted)


def _fell(decision: Decision, wanted: Mapping[str, str]) -> Iterator[str]:
    fell = {label(decision, destination(decision, name)): rule for name, rule in wanted.items()}
    got = {label(decision, each): rule for each, rule in decision.fell_by().items()}
    yield from _differs("fell", dict(sorted(fell.items())), dict(sorted(got.items())))


def _because(decision: Decision, wanted: Mapping[str, str]) -> Iterator[str]:
    sentences = {id(fate.destination): fate.because for step in decision.steps for fate in step.eliminated}
    for name, sentence in wanted.items():
        got = sentences.get(id(destination(decision, name)))
        yield from _differs(f"because of {name}", sentence, got)


def _taken_back(decision: Decision, wanted: list[str]) -> Iterator[str]:
    got = [label(decision, each) for step in decision.steps for each in step.taken_back]
    yield from _differs("taken_back", sorted(_labelled(decision, wanted)), sorted(got))


def _advance(decision: Decision, wanted: Mapping[str, Any]) -> Iterator[str]:
    """An empty table says that nothing advances; a table without channel, that the local instance's counters do."""
    got = decision.to_json()["advance"] or {}
    yield from _differs("advance", dict(wanted), {key: value for key, value in got.items() if value is not None})


EXPECTED = {
    "outcome": _outcome,
    "reason": _reason,
    "permitted": _permitted,
    "fell": _fell,
    "because": _because,
    "taken_back": _taken_back,
    "advance": _advance,
}
"""The closed set of keys that a case may expect, and how each is compared."""
