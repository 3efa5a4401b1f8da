"""What a decision would be in other editions of MQ, and what to say of the one in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from attrs import evolve, frozen

from mqclause.documents import CHOICE
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import name_argument
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.loader import EVIDENCE, get_edition
from mqclause.rulebook.rules import ASKED_FOR, AUTO, Rules
from mqclause.trace import join_names
from mqclause.workload.decision import (
    LEVELS,
    Decision,
    DecisionResult,
    DestinationKey,
    Level,
    get_deciding_engine,
    get_destination_key,
    get_engine,
    is_same_answer,
    summarize_decision,
)

MOST_RULES = 64
"""Of so many rules it is kept which other editions are compared, and by which engines."""

NOBODY = "the queue manager"
"""How one is called that nothing names."""

WIDEST = 10
"""So far above the last known level are the queue managers of the next edition: 9xy has the levels 9x0 to 9x9."""

EDITION_BEGINNINGS = ("decided by edition ", "edition ")
"""How a sentence begins that tells the edition in force."""


@frozen
class OtherEdition:
    """Another edition, what is decided by it, and by which rules the two answers part.

    ``rule`` is that of the other edition, see _find_parting_rules, and ``own_rule`` that of the edition in force, blank
    where the other one tells enough. ``since`` is the edition from which on, or for the oldest one in which, its rules
    are these. ``evidence`` says how it is known what holds there, see mqclause.rulebook.rules, and ``known`` says in
    words how that of the later of the two is.
    """

    edition: str
    since: str
    decision: Decision
    rule: str
    own_rule: str
    evidence: str
    known: str

    @classmethod
    def of(cls, decision: Decision, edition: str, since: str) -> OtherEdition:
        """Decide the same by another edition, and find what makes the difference."""
        own, other = _own(decision, "rule"), _decided(decision, decision.rules.in_edition(since), "rule")
        rule, own_rule = _find_parting_rules(own, other)
        is_newer = edition != decision.rules.known_editions[0]
        later = (edition, rule or own_rule) if is_newer else (decision.rules.edition, own_rule or rule)
        known = describe_evidence(decision.rules, *later)
        shown = own_rule if decision.outcome == "failed" or not rule else ""
        evidence = _find_evidence(decision.rules, edition, rule or own_rule)[0]
        return cls(edition, since, other, rule or own_rule, shown, evidence, known)

    def document(self) -> dict[str, Any]:
        """Return the edition's answer as in ``mqclause.trace/1``."""
        reason = self.decision.reason
        return {
            "edition": self.edition,
            "outcome": self.decision.outcome,
            "permitted": [each.to_json() for each in self.decision.permitted],
            "reason": reason and reason.to_json(),
            "rule": self.rule,
            "evidence": self.evidence,
        }


def find_other_editions(decision: Decision) -> tuple[OtherEdition, ...]:
    """Find the oldest and the newest edition, as far as the answer is another there."""
    return tuple(OtherEdition.of(decision, *each) for each in _list_differing(decision))


def decide_by_other_editions(decision: Decision) -> Iterator[tuple[str, Decision]]:
    """Decide the same by the oldest edition and the newest, as far as the answer is another; with each rule's doing."""
    for edition, since in _list_differing(decision):
        yield edition, _decided(decision, decision.rules.in_edition(since), "rule")


def find_missing_level(
    decision: Decision, snapshot: Snapshot, is_other: bool | None = None
) -> Iterator[MissingInformation]:
    """Find that the command level is not known, or is told twice and otherwise, if the answer depends on it.

    ``is_other`` is whether the oldest or the newest edition is known to answer otherwise, None if it was not asked.
    """
    own, told = decision.cluster.queue_manager, snapshot.command_level
    if decision.edition_from == "default":
        if is_other is None:
            is_other = any(_list_differing(decision))
        if is_other or any(find_assumed_remarks(decision)):
            yield describe_missing_level(own.name)
        return
    if told.others and told.level == own.command_level and decision.rules.by_level:
        rules = decision.rules
        others = {rules.as_stated(get_edition(each, rules.levels), *CHOICE) for each in told.others}
        if any(_is_other(decision, since) for since in others - {rules.as_stated(rules.edition, *CHOICE)}):
            yield evolve(describe_missing_level(own.name), what=f"the command level: {told.doubt}")


def find_assumed_remarks(decision: Decision) -> Iterator[str]:
    """Find remarks on the answer that are of an edition which is assumed: the oldest or the newest has no such rule."""
    remarking = [each for of in decision.remarking for each in of]
    for _, since in _compared(decision) if remarking and decision.edition_from == "default" else ():
        course = get_engine(decision.rules.in_edition(since)).course
        known = {rule.id for of in course.rulesets for rule in of.rules}
        yield from (each.remark for each in remarking if each.id not in known)


def describe_edition_difference(decision: Decision, source: str = "", after_others: bool = False) -> str:
    """Say that the oldest or the newest edition answers otherwise, in a sentence that many answers share.

    ``source`` is what the edition in force is from, if more is known of that than the decision tells. A put that comes
    ``after_others`` is not answered by itself as it is among them. Blank where the answer is the same in both.
    """
    rules = decision.rules
    differing = [*_list_differing(decision)]
    where = [
        f"in {edition}" if edition == rules.known_editions[0] else f"from {since} on" for edition, since in differing
    ]
    shown = f"{name_argument('edition')} {differing[-1][1]} shows" if after_others and differing else "explain tells"
    begun = begin_with_edition(rules, source or decision.edition_from, decision.cluster.queue_manager.name)
    return f"{begun}; {' and '.join(where)} the answer is another, as {shown}" if where else ""


def _list_differing(decision: Decision) -> Iterator[tuple[str, str]]:
    """The oldest edition and the newest, as far as the answer is another there: each with that from which on."""
    return (each for each in _compared(decision) if _is_other(decision, each[1]))


def _is_other(decision: Decision, since: str) -> bool:
    """Whether the answer is another by the rules of an edition; where names lead alike, by a choice made anew."""
    other = get_engine(decision.rules.in_edition(since))
    if not _leads_alike(decision.rules, since):
        return not is_same_answer(_own(decision, "verdict"), _decided(decision, other.rules, "verdict"))
    runs = get_deciding_engine(other.rules).course.run(decision.situation, decision.listed, decision.carried)
    return not DecisionResult.of_runs(decision.runs).is_same_result_as(DecisionResult.of_runs(runs))


@lru_cache(MOST_RULES)
def _leads_alike(rules: Rules, edition: str) -> bool:
    """Whether names lead to the same destinations, listed alike, in another edition."""
    own, other = get_engine(rules), get_engine(rules.in_edition(edition))
    return own.names.steps == other.names.steps and own.listing == other.listing


def describe_missing_level(queue_manager: str) -> MissingInformation:
    """Say that the command level of a queue manager is not known, on which an answer depends."""
    return MissingInformation("the command level", queue_manager, "DISPLAY QMGR CMDLEVEL")


def list_level_remarks(rules: Rules, levels: Mapping[str, int]) -> Iterator[str]:
    """Say of queue managers, once for those of one command level, what is odd about it.

    That is what _describe_odd_level says and, once for those of one edition, that it lacks a choice that was asked for.
    """
    by_level: dict[int, list[str]] = {}
    by_edition: dict[str, list[str]] = {}
    for name, level in levels.items():
        by_level.setdefault(level, []).append(name)
        by_edition.setdefault(rules.of_level(level).edition, []).append(name)
    for level, names in by_level.items():
        who = f"{join_names(names)} {'is' if len(names) == 1 else 'are'}"
        yield from filter(None, [_describe_odd_level(rules, level, who)])
    for edition, names in by_edition.items():
        found = rules.of_level(levels[names[0]])
        for reading, choice in found.unknown_choices.items():
            has = f"edition {edition} has no choice {choice} of the reading {reading}"
            yield f"{has}: {found.readings[reading]} counts at {join_names([each or NOBODY for each in names])}"


def get_levels(clusters: Iterable[Cluster]) -> dict[str, int]:
    """Return the command levels of local queue managers, by name: 0 where one is not known."""
    return {each.queue_manager.name: each.queue_manager.command_level for each in clusters}


def _describe_odd_level(rules: Rules, level: int, who: str = "the queue manager is") -> str:
    """Say that queue managers are of a command level that is not known, or of another edition than the one asked for.

    ``who`` are they, as the beginning of a sentence. Blank where neither is so.
    """
    found, known = rules.of_level(level), rules.levels
    if not level:
        return ""
    of_level, told = get_edition(level, known), f"{who} of command level {level}"
    if found.asked != AUTO and not found.by_level and of_level != found.edition:
        return f"{told}, edition {of_level}; edition {found.edition} was asked for"
    if found.by_level and level < min(known.values()):
        return f"{told}, below that of the oldest edition that is known, {of_level}"
    if found.by_level and level >= max(known.values()) + WIDEST:
        return f"{told}, above that of the last edition that is known, {of_level}"
    return ""


def locate_edition(rules: Rules, snapshot: Snapshot) -> str:
    """Say where the edition in force at a snapshot's queue manager is from, with the place of its command level."""
    own, said = snapshot.cluster.queue_manager, name_edition_source(rules, snapshot)
    if not rules.by_level or not snapshot.provenance.holds(own):
        return said
    place = snapshot.provenance.of(own, "command_level")
    is_option = place.source.startswith("--") and place.line is None
    return place.source if is_option else f"{said}, {place}"


def name_edition_source(rules: Rules, snapshot: Snapshot) -> str:
    """Name what the edition in force at a snapshot's queue manager is from: CMDLEVEL or VERSION, an option, nothing."""
    own, known = snapshot.cluster.queue_manager, snapshot.command_level
    if known.told is not None and known.level == own.command_level and rules.by_level:
        return f"{known.told.named} of {own.name}"
    return rules.describe_edition_source(own.name, own.command_level)


def _compared(decision: Decision) -> Sequence[tuple[str, str]]:
    """The oldest and the newest edition, each with that from which on its rules hold.

    Only those of which a rule is another than in the edition in force: no others need be read.
    """
    return _list_others(decision.rules) if decision.runs else ()


@lru_cache(MOST_RULES)
def _list_others(rules: Rules) -> Sequence[tuple[str, str]]:
    own = rules.as_stated(rules.edition, *CHOICE)
    ends = dict.fromkeys((rules.known_editions[0], rules.known_editions[-1]))
    found = ((edition, rules.as_stated(edition, *CHOICE)) for edition in ends)
    return tuple((edition, since) for edition, since in found if since != own)


def _own(decision: Decision, level: Level) -> Decision:
    """What the rules in force decide by themselves: before any exit, and whatever a transmission queue refuses."""
    is_told = decision.exit is None and LEVELS.index(decision.level) >= LEVELS.index(level)
    return decision.before_sending() if is_told else _decided(decision, decision.rules, level)


def _decided(decision: Decision, rules: Rules, level: Level) -> Decision:
    """The same put by these rules, before any exit and any transmission queue."""
    engine = get_deciding_engine(rules)
    return engine.choose(decision.put, decision.cluster, decision.before, level, caller=None).before_sending()


def _find_parting_rules(own: Decision, other: Decision) -> tuple[str, str]:
    """Find the rules by which two answers part, of the other decision and of this one; blank where there is none.

    What is chosen here fell there by the former, and what is chosen there fell here by the latter. Where nothing is
    chosen here, the former is that by which those fell there which are left by the latter.
    """
    fell, fell_there = _fell_by(own), _fell_by(other)
    kept, kept_there = (dict.fromkeys(map(get_destination_key, each.permitted)) for each in (own, other))
    here = next((fell[key] for key in kept_there if key not in kept and key in fell), "")
    there = next((fell_there[key] for key in kept if key not in kept_there and key in fell_there), "")
    if here and not there:
        there = next((fell_there[key] for key in _list_left(own, here) if key in fell_there), "")
    if here or there:
        return there, here
    last = (rule for key, rule in reversed(fell_there.items()) if fell.get(key) != rule)
    reasons = [each.reason.rule for each in (other, own) if each.reason is not None]
    return next(last, next(iter(reasons), "")), ""


def _fell_by(decision: Decision) -> dict[DestinationKey, str]:
    """By which rule each destination fell, in the order of the rules."""
    return {get_destination_key(each): rule for each, rule in decision.fell_by().items()}


def _list_left(decision: Decision, rule: str) -> Iterator[DestinationKey]:
    """List the destinations that a rule left."""
    ordered = [each.id for of in decision.rulesets[:1] for each in of.rules]
    fell = _fell_by(decision)
    for key in map(get_destination_key, decision.listed):
        if key not in fell or ordered.index(fell[key]) > ordered.index(rule):
            yield key


def _find_evidence(rules: Rules, edition: str, rule: str) -> tuple[str, str]:
    """How the answer of an edition is known, and where that was read.

    The weaker of what is said of the edition and of the latest sentence that the rule states there; that sentence says
    where it was read.
    """
    from mqclause.rulebook.clauses import list_clauses  # noqa: PLC0415 - few answers differ by edition

    stated = rules.toml("editions.toml").get(edition, {})
    evidence, source = stated.get("evidence", "recalled"), stated.get("source", "")
    document, order = rule.partition(".")[0], rules.known_editions
    listed = list_clauses(rules, document) if document in rules.clauses else ()
    until = order[: order.index(edition) + 1]
    later = [each for each in listed if rule in (each.rules or ()) and each.evidence and each.since in until]
    for each in sorted(later, key=lambda each: until.index(each.since))[-1:]:
        evidence, source = max(evidence, each.evidence, key=[*EVIDENCE].index), each.page
    return evidence, source


def describe_evidence(rules: Rules, edition: str, rule: str) -> str:
    """Say how it is known what holds in an edition, as the end of a sentence; blank if the rules do not tell."""
    if "evidence" not in rules.toml("editions.toml").get(edition, {}):
        return ""
    evidence, read_in = _find_evidence(rules, edition, rule)
    return f"; of {edition}: {EVIDENCE[evidence]}{f' ({read_in})' if read_in else ''}"


def list_edition_remarks(decision: Decision, others: tuple[OtherEdition, ...], source: str) -> Iterator[str]:
    """List what a reader should know of the edition, which is from ``source``: that others answer otherwise."""
    if decision.runs:
        yield from list_level_remarks(decision.rules, get_levels([decision.cluster]))
    for each in others:
        yield _difference(decision, each, source)
    for remark in dict.fromkeys(find_assumed_remarks(decision)):
        begun = begin_with_edition(decision.rules, source, decision.cluster.queue_manager.name)
        yield f"{begun}, and by a later one this may not be so: {remark}"


def _difference(decision: Decision, other: OtherEdition, from_: str) -> str:
    """Both answers in a sentence, with the clause that makes the difference, and how the later one is known."""
    rules, is_newer = decision.rules, other.edition != decision.rules.known_editions[0]
    where = f"from {other.since} on" if is_newer else f"in {other.edition}"
    begins = f"by edition {rules.edition} ({from_})"
    if from_ == "default":
        begins = f"{_begin(rules.edition, from_, decision.cluster.queue_manager.name)}; by it"
    own_clause = _name_clause(decision, other.own_rule)
    there = _name_clause(other.decision, other.rule)
    return f"{begins} {_ends(decision)}{own_clause}; {where} {_ends(other.decision)}{there}{other.known}"


def _name_clause(decision: Decision, rule: str) -> str:
    """The clause of a rule, to be said after an answer; blank if no rule of the answer's is meant."""
    found = [each.clause for ruleset in decision.rulesets for each in ruleset.rules if each.id == rule]
    return f" (clause {found[0]})" if found else ""


@frozen
class EditionInForce:
    """By which edition a local queue manager chooses, and where that is from. Blank is the name of an unknown one."""

    queue_manager: str
    edition: str
    edition_from: str

    @classmethod
    def at(cls, snapshot: Snapshot, rules: Rules) -> EditionInForce:
        """Find the edition at the queue manager of a snapshot."""
        own = snapshot.cluster.queue_manager
        of_level = rules.of_level(own.command_level)
        return cls(own.name, of_level.edition, locate_edition(of_level, snapshot))


def summarize_editions(found: Iterable[EditionInForce]) -> Iterator[str]:
    """Say by which editions it is decided, once for the queue managers of each, and where it is assumed."""
    groups: dict[tuple[str, bool], list[EditionInForce]] = {}
    for each in found:
        groups.setdefault((each.edition, each.edition_from == "default"), []).append(each)
    for (edition, is_assumed), of in groups.items():
        names = join_names([each.queue_manager or NOBODY for each in of])
        alike = is_assumed or len({each.edition_from for each in of}) == 1
        yield _begin(edition, of[0].edition_from if alike else f"CMDLEVEL of {names}", names)


def say_edition_source(edition_from: str) -> str:
    """Say where an edition is from as a sentence does: asked for, it is from an argument or an option."""
    return name_argument("edition") if edition_from == ASKED_FOR else edition_from


def split_edition_source(remark: str, queue_manager: str) -> tuple[str, str] | None:
    """Split the remark on an edition before and behind the queue manager whose level decided; None for any other one.

    So what several queue managers of one level have to say can be said once.
    """
    for end in ");":
        before, place, after = remark.partition(f" of {queue_manager}{end}")
        if place and before.startswith(EDITION_BEGINNINGS):
            return f"{before} of ", f"{end}{after}"
    return None


def begin_with_edition(rules: Rules, edition_from: str, queue_manager: str) -> str:
    """Tell the edition in force and where it is from, as the beginning of a sentence about an answer."""
    return _begin(rules.edition, edition_from, queue_manager)


def _begin(edition: str, edition_from: str, names: str) -> str:
    if edition_from == "default":
        return f"edition {edition} is assumed, as nothing tells the level of {names}"
    return f"decided by edition {edition} ({say_edition_source(edition_from)})"


def _ends(decision: Decision) -> str:
    """How a decision ends, as the second half of a sentence."""
    ends = summarize_decision(decision)
    if decision.outcome == "chosen":
        return f"the put goes to {ends}"
    return f"it ends with {ends}" if decision.reason else ends
