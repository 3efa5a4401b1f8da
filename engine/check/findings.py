"""Run the checks: the findings of configurations, by the rules of checks, and a page for each check."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from pathlib import PurePath
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.answers import Reason, ShownAnswer
from mqclause.check.choices import MemberChoices
from mqclause.documents import CHECK, TRIGGER
from mqclause.executors.operations import ExecutorName, Run, StepResult, compile_term
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language import nodes
from mqclause.language.evaluator import evaluate
from mqclause.model.configuration.changes import (
    ConfigurationChange,
    build_ambiguity_error,
    build_change_script,
    build_option_error,
    build_route_script,
    has_named_object,
    has_receiver,
    list_script_changes,
    parse_change,
)
from mqclause.model.configuration.checked_cluster import ANY_QUEUE, ClusterCheckContext
from mqclause.model.configuration.checked_member import ConfiguredMember, Contribution, find_unanswered_senders
from mqclause.model.configuration.checked_objects import ConfiguredObject, list_keywords
from mqclause.model.configuration.completeness import describe_truncation, fill_in_inserts
from mqclause.model.configuration.objects import CONFIGURED_QUEUES, SYSTEM_PREFIX
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.configuration.sources import (
    NOTHING_SHOWN,
    Input,
    Source,
    SourceReader,
    check_local_name,
    drop_duplicate_dumps,
    list_sources,
    read_scripts,
    shows_nothing,
)
from mqclause.model.diagnostics import (
    ArgumentError,
    Diagnostic,
    FactsError,
    check_each,
    check_several,
    check_type,
    name_argument,
    quote_value,
    suggest_name,
)
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import Delivery
from mqclause.model.facts.domains import IN_NAMES, quote_name
from mqclause.model.facts.messages import HIGHEST_PRIORITY
from mqclause.model.facts.objects import Channel, ModelQueue, Process, Queue
from mqclause.model.readers.encodings import GzipContent, MemoryContent, share_read_budget
from mqclause.model.readers.mqsc import Misplaced
from mqclause.model.readers.records import Script
from mqclause.rulebook.clauses import read_clause_files
from mqclause.rulebook.rule import Condition, MessageTemplate, Rule, identify_rule
from mqclause.rulebook.rules import AUTO, Rules
from mqclause.trace import find_scope, render_sentence
from mqclause.trigger.why import Why
from mqclause.workload.decision import Engine
from mqclause.workload.editions import list_level_remarks
from mqclause.workload.resolution import Resolution

ANY_NAME = re.compile(f"[{IN_NAMES}]+")
"""What can be the name of an object, as a whole."""

FindingKey = tuple[str, str, str, str, str, str]
"""What a finding is told by: the check, the object's type, name and queue manager, the attribute, and what is said."""

_BEGINNING = re.compile(r"(?m)^(?=\* Queue manager name:)")

DERIVED = StepResult._fields.index("derived")
"""Where a trace has what a step derived."""

STAND_IN = "%THIS.QUEUE%"
"""The name of a queue while all that are like it are asked about together."""


@frozen(repr=False)
class Finding(ShownAnswer):
    """One condition of a check that one object does not fulfil, with the object and its place.

    ``others`` are further objects of its queue manager of which the same is found, where that is told together;
    ``lasting`` is the message whoever is of which edition, blank where it does not tell that.
    """

    written_by = "findings#/properties/findings/items"

    said: FailedCondition
    object_type: str
    name: str
    queue_manager: str
    file: str
    line: int | None
    others: tuple[str, ...] = ()
    lasting: str = field(default="", eq=False)

    @property
    def rule(self) -> Rule:
        """The check."""
        return self.said.rule

    @property
    def severity(self) -> str:
        """The severity of the finding: error, warning or note."""
        return self.said.severity

    @property
    def message(self) -> str:
        """The finding in a sentence."""
        more = f"; so it is with {', '.join(self.others)}" if self.others else ""
        return f"{self.said.message}{more}"

    @property
    def key(self) -> FindingKey:
        """The identity of the finding among all others."""
        return self.rule.id, self.object_type, self.name, self.queue_manager, self.said.attribute, self.message

    @property
    def lasting_key(self) -> FindingKey:
        """The identity of the finding whatever it tells of editions."""
        rule, kind, name, owner, attribute, message = self.key
        return rule, kind, name, owner, attribute, self.lasting or message

    @property
    def gist(self) -> tuple[str, ...]:
        """The message without the names of this object, which findings of other objects share."""
        names = self.name, self.queue_manager
        words = ANY_NAME.sub(lambda found: "" if found[0] in names else found[0], self.said.message)
        return self.rule.id, self.severity, self.object_type, words

    @property
    def place(self) -> str:
        """The file, with the line if it is known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def to_json(self) -> dict[str, Any]:
        """Return the finding as it stands in the document ``mqclause.findings/1``."""
        about, _, clause = self.rule.follows.partition("/")
        return {
            "rule": self.rule.id,
            "document": about,
            "clause": clause,
            "severity": self.severity,
            "object": {"type": self.object_type, "name": self.name, "queue_manager": self.queue_manager},
            "attribute": self.said.attribute,
            "message": self.message,
            "remedy": self.said.remedy,
            "source": {"file": self.file, "line": self.line},
        }

    def document(self) -> dict[str, Any]:
        """Return the finding as JSON; the earlier name of ``to_json``."""
        return self.to_json()


@frozen
class FindingChanges:
    """The findings that a change brings, and those that it takes away."""

    new: Sequence[Finding] = field(default=(), eq=tuple)
    gone: Sequence[Finding] = field(default=(), eq=tuple)

    @classmethod
    def between(cls, before: Sequence[Finding], after: Sequence[Finding]) -> FindingChanges:
        """Compare two lists of findings: what only one has, in its order. Other levels make no other finding."""
        had, has = {each.lasting_key for each in before}, {each.lasting_key for each in after}
        new = [each for each in after if each.lasting_key not in had]
        return cls(new, [each for each in before if each.lasting_key not in has])

    def about_queues(self, fits: Callable[[str], bool]) -> FindingChanges:
        """Return the findings that are about a queue whose name ``fits``, or about no queue."""
        new, gone = (
            [each for each in found if each.object_type not in CONFIGURED_QUEUES or fits(each.name)]
            for found in (self.new, self.gone)
        )
        return FindingChanges(new, gone)

    def document(self) -> dict[str, Any]:
        """Return the findings as in ``mqclause.plan/1``."""
        return {"new": [each.to_json() for each in self.new], "gone": [each.to_json() for each in self.gone]}


class Checks:
    """The rules that make findings, loaded and ready; the ids in ``ignored`` are left out. Raises RuleError.

    These are the rules of the checks, and the conditions of other documents that have a severity. An id that is none
    is a ValueError. It pickles as its rules.
    """

    def __init__(
        self, rules: Rules | None = None, ignored: Collection[str] = (), executor: ExecutorName = "compiled"
    ) -> None:
        check_several("ignored", ignored)
        rules = Rules.given(rules)
        self.course = Pipeline.of(rules, CHECK, executor)
        self.engine = Engine(rules, executor)
        self.choices = MemberChoices(self.engine)
        self.why = Why(rules, executor)
        self.rules = {rule.id: rule for each in (self.course.rulesets[0], rules.ruleset(TRIGGER))
                      for rule in each.rules if rule.severity}  # fmt: skip
        terms = self.course.rulesets[0].vocabulary.terms
        named = (each for rule in self.rules.values() for each in _attributes_of(rule, terms))
        self.keywords = frozenset(word for each in named for word in list_keywords(each))
        self.misplaced: Misplaced = {}
        for rule in self.rules.values():
            for kind, names in rule.misplaced.items():
                self.misplaced = {**self.misplaced, kind: self.misplaced.get(kind, frozenset()) | names}
        self.competes = compile_term(self.course.rulesets[0], "competes")
        self.all_told = compile_term(self.course.rulesets[0], "all_members_described")
        for unknown in sorted(set(ignored) - self.rules.keys()):
            raise ArgumentError(f"{unknown!r} is no check; allowed: {', '.join(self.rules)}")
        self.ignored = frozenset(ignored)

    def __repr__(self) -> str:
        ignored = f", without {', '.join(sorted(self.ignored))}" if self.ignored else ""
        return f"<Checks: {self.engine.rules!r}{ignored}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Checks, (self.engine.rules, self.ignored, self.engine.executor)

    def of(self, about: ConfiguredObject) -> Iterator[Finding]:
        """Return the findings of the check rules about one object."""
        failed, lasting = [*self._list_failed(about)], dict[str, str]()
        if failed and about.tells_of_editions:
            lasting = {each.rule.id: each.message for each in self._list_failed(about.without_editions())}
        for each in failed:
            if self.tells(each.rule, each.attribute, about):
                yield _found(each, about, lasting.get(each.rule.id, ""))

    def _list_failed(self, about: ConfiguredObject) -> Iterator[FailedCondition]:
        run = self.course.run(about, (), None, True)[0]
        return find_failed_conditions(self.course, about, run)

    def tells(self, rule: Rule, attribute: str, about: ConfiguredObject) -> bool:
        """Return whether a finding is asked for, and its attribute told, and known to who looks."""
        asked = rule.id in self.rules and rule.id not in self.ignored
        return asked and about.tells(attribute) and self.is_known(about.replace(attribute=attribute))

    def is_known(self, about: ConfiguredObject) -> bool:
        """Return whether who looks knows the attribute that a finding is about."""
        return bool(self.course.run(about, ())[0].facts["known"])

    def is_to_trigger(self, about: ConfiguredObject) -> bool:
        """Return whether the trigger rules are to be asked about a queue."""
        return bool(self.course.run(about, ())[0].facts["is_to_trigger"])

    def check_triggering(
        self, member: ConfiguredMember, about: ConfiguredObject, alike: dict[object, tuple[FailedCondition, ...]]
    ) -> Iterator[Finding]:
        """Return the conditions of the trigger rules that fail whatever is on the queue and whoever has it open.

        ``alike`` has what is said of queues of each kind, and gets what is said of a kind that it does not have.
        """
        kind = _get_queue_class(member, about.name)
        if kind not in alike:
            called = str(kind[-1])
            cluster = _build_trigger_cluster(member, about.name, called)
            alike[kind] = tuple(self._untriggered(cluster.own_queues[called], Snapshot(cluster)))
        for each in alike[kind]:
            if self.tells(each.rule, each.attribute, about):
                message, remedy = (text.replace(STAND_IN, about.name) for text in (each.message, each.remedy))
                yield _found(evolve(each, message=message, remedy=remedy), about)

    def _untriggered(self, queue: Queue, snapshot: Snapshot) -> Iterator[FailedCondition]:
        """The conditions of the trigger rules that fail, whatever is not known of a queue."""
        put = queue, snapshot, HIGHEST_PRIORITY
        if self.why.may_trigger(*put):
            return
        answer = self.why.ask(*put)
        for doubt in answer.doubts if answer.verdict == "does not" else ():
            rule, condition = doubt.condition.rule, doubt.condition
            if doubt.holds is False:
                remedy, typed = condition.remedy or condition.advice, bool(condition.remedy)
                yield FailedCondition(rule, rule.severity, rule.attribute, condition.because, remedy, typed)

    def check_together(
        self, about: ConfiguredObject, together: ClusterCheckContext, local: str | None
    ) -> Iterator[Finding]:
        """Check one object in the context of all queue managers; with ``local`` only by what that queue manager knows.

        An alias, or a remote definition, is looked at twice: as its clusters know it, and for what it leads to.
        """
        if about.leading is not None:
            seen = together.build_local_view(about, local)
            yield from self.of(self.follow_definition(seen, about.leading, together))
        looks = (together.build_local_view(each, local) for each in self.with_choices(about, together))
        every = [each for each in looks if each.is_own or each.in_shared_cluster]
        if len(every) > 1 and about.object_type in CONFIGURED_QUEUES:
            yield from self.check_in_clusters(every)
        else:
            for each in every:
                yield from self.of(each)

    def check_in_clusters(self, every: Sequence[ConfiguredObject]) -> Iterator[Finding]:
        """Check a queue as each of several clusters knows it; clusters that know it alike give one finding."""
        found = dict[FindingKey, list[ConfiguredObject]]()
        for each in every:
            for finding in self.of(each.replace(cluster="")):
                found.setdefault(finding.key, []).append(each)
        for key, seen in found.items():
            names = ", ".join(sorted(each.cluster for each in seen))
            about = seen[0].replace(cluster=names, in_others=len(seen) < len(every))
            yield from (one for one in self.of(about) if one.rule.id == key[0])

    def with_choices(self, about: ConfiguredObject, together: ClusterCheckContext) -> Iterator[ConfiguredObject]:
        """Return the object as each of its clusters knows it, with what the rules of workload make of it there."""
        for seen in together.list_views(about):
            if seen.clustered:
                more = (
                    {**self.choices.describe_parting(seen, together)} if seen.object_type in CONFIGURED_QUEUES else {}
                )
                if self.competes(seen):
                    more["unreachable"] = self.choices.find_why_unreachable(seen, together, self.all_told(seen))
                yield seen.replace(**more) if more else seen

    def follow_definition(
        self, about: ConfiguredObject, queue: Queue, together: ClusterCheckContext
    ) -> ConfiguredObject:
        """Resolve an alias or a remote definition at its own queue manager, in whatever clusters.

        Where it comes to nothing by what the files tell, it is followed with what may be in no file, too.
        """
        seen: dict[str, Any] = {"clustered": False, **together.describe_surrounding_knowledge(about)}
        kind = together.get_equivalence_key(about, queue)
        by: str | None = together.led_by.get(kind)
        if by is None:
            is_queue = queue.type == "QALIAS" or queue.rname
            names = (queue.name, "") if is_queue else (ANY_QUEUE, queue.name)
            found = self.engine.resolve(together.build_surrounding_cluster(about, False), *names, "MQOPEN")
            if found.reason is not None:
                could = (
                    self.engine.resolve(together.build_surrounding_cluster(about, True), *names, "MQOPEN").reason
                    is None
                )
                return about.replace(**seen, **_lost(found, found.reason, about, together), could_lead_on=could)
            by = str(found.last.facts["transmission_queue"])
            if kind is not None:
                together.led_by[kind] = by
        is_sent_from = about.sent_from is None or by.startswith(SYSTEM_PREFIX) or by in about.sent_from
        is_lost = about.clustered and together.is_hosted_elsewhere(about.lacked, about.queue_manager)
        lost = about.lacked if is_lost else ""
        return about.replace(**seen, transmission_queue=by, is_sent_from=is_sent_from, lost_if_bound=lost)


def _sort_findings(found: Iterable[Finding]) -> list[Finding]:
    """Sort the findings by file and line, whatever the order of files; one of several files by its first place."""
    ordered = sorted(found, key=lambda each: (each.file, each.line or 0, each.key))
    once = {(each.key, each.queue_manager or each.place): each for each in reversed(ordered)}
    return [*_merge_findings([*once.values()][::-1])]


def _merge_findings(found: Sequence[Finding]) -> Iterator[Finding]:
    """Merge findings that say the same of objects of one queue manager, where their rule asks for that."""
    alike = dict[tuple[str, ...], list[str]]()
    for each in found:
        if each.rule.together:
            alike.setdefault(_told_with(each), []).append(each.name)
    for each in found:
        if not each.rule.together:
            yield each
        elif names := alike.pop(_told_with(each), None):
            yield evolve(each, others=tuple(dict.fromkeys(names[1:])))


@frozen(eq=False)
class CheckPage:
    """One check for a reader. ``document`` is the title of the one whose clause it follows; blank for our own list."""

    rule: Rule
    document: str

    @classmethod
    def of(cls, checks: Checks, rule_id: str) -> CheckPage:
        """Return the page of one of the rules that make findings. Raises KeyError."""
        rule = checks.rules[rule_id]
        return cls(rule, _titles(checks.engine.rules).get(rule.follows.partition("/")[0], ""))

    def render_markdown(self) -> str:
        """Render the whole page."""
        return "\n".join((f"## {self.rule.id}", "", f"{self.rule.title}.", "", *self._lines()))

    def help(self) -> str:
        """Return the page without its head."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        rule = self.rule
        attribute = rule.attribute.upper() if rule.attribute.isidentifier() else "the one that it names"
        graded = f"A finding is: {' or '.join(rule.severities)}. Attribute: {attribute}."
        about, _, number = rule.follows.partition("/")
        yield f"{graded} Asked by: clause {number} of {about} ({self.document})."
        yield from ("", rule.why, "", "What mends it:", "")
        remedies = rule.action.remedies if isinstance(rule.action, Condition) else ()
        for each in remedies:
            mended = [f"`{each.command.text}`"] if each.command else []
            yield "- " + "; ".join([*mended, *([each.advice.text] if each.advice else [])])
        for said, script in (
            ("Found in", rule.example and rule.example.found),
            ("Not in", rule.example and rule.example.clean),
        ):
            files = _split_example(script or "")
            named = f" these {len(files)} files" if len(files) > 1 else ""
            yield from ("", f"{said}{named}:")
            for text in files:
                yield from ("", "```", *text.splitlines(), "```")


def _split_example(script: str) -> list[str]:
    """Split an example into its files: one for each queue manager that it names."""
    return [part.strip() for part in _BEGINNING.split(script) if part.strip()]


def render_pages(checks: Checks) -> str:
    """Render the pages of all checks as one text, which ``mqclause check --about all`` prints."""
    head = ("# What `mqclause check` looks at", "", "Made of the rule files by `mqclause check --about all`.", "")
    return "\n".join((*head, *(CheckPage.of(checks, name).render_markdown() + "\n" for name in checks.rules)))


@frozen
class FailedCondition:
    """One rule whose condition does not hold: how grave that is, about which attribute, what to say and what mends it.

    The remedy is to be typed, if it is ``typed``; else it is advice.
    """

    rule: Rule = field(eq=identify_rule)
    severity: str
    attribute: str
    message: str
    remedy: str = ""
    typed: bool = False


def find_failed_conditions(course: Pipeline, about: Any, run: Run) -> Iterator[FailedCondition]:
    """Collect the findings of a traced run about one object: the conditions with a severity that do not hold."""
    ruleset = course.rulesets[0]
    for rule, did in zip(ruleset.rules, run.trace or (), strict=True):
        if did is not None and rule.severity and (derived := did[DERIVED]) and not derived["holds"]:
            yield _said(course, about, run, rule)


def _get_queue_class(member: ConfiguredMember, name: str) -> tuple[object, ...]:
    """Return the attributes of a queue that decide whether it triggers; queues that are equal in them share the answer.

    Last in it is the name to ask about it by: its own where something else that they see has that too, and where a
    command would not write it as it is.
    """
    found = member.get_definition(name)
    initq = found.fields.get("initq", "")
    bell = member.find_own_queue(initq) if initq != name else None
    is_named = name.casefold() == initq.casefold() or (bell is not None and name == bell.base_queue)
    return (*found.fields.items(), name if is_named or not ANY_NAME.fullmatch(name) else STAND_IN)


def _build_trigger_cluster(member: ConfiguredMember, name: str, called: str) -> Cluster:
    """Build a queue that is to trigger, ``called`` so; what it needs and no file tells is taken to be there."""
    own = member.find_own_queue(name)
    assert own is not None, "it was looked at as a queue of its"  # noqa: S101
    queue = evolve(own, name=called, descr="", clusters=(), curdepth=None, ipprocs=None)
    assumed = _list_assumed_objects(member, name)
    initq = member.find_own_queue(queue.initq) if queue.initq != queue.name else None
    models = [queue.initq] if initq is None and queue.initq in member.objects.models else []
    if initq is None and queue.initq not in ("", queue.name, *models):
        there = ("QLOCAL", queue.initq) in assumed
        initq = Queue(queue.initq, member.name) if there else member.find_local_queue_in_any_case(queue.initq)
    target = member.find_own_queue(initq.base_queue) if initq is not None and initq.type == "QALIAS" else None
    around = [each for each in (initq, target) if each is not None and each.name != queue.name]
    beside = [evolve(each, ipprocs=None, clusters=()) for each in around]
    processes = member.find_processes(queue.process)
    if ("PROCESS", queue.process) in assumed:
        processes = (Process(queue.process),)
    return Cluster(member.queue_manager, (), (queue, *beside), (), (), processes, map(ModelQueue, models))


def _list_assumed_objects(member: ConfiguredMember, name: str) -> tuple[tuple[str, str], ...]:
    """List what a queue that is to trigger names and no file tells of, by type and name: it is taken to be there."""
    own = member.find_own_queue(name)
    assert own is not None, "it was looked at as a queue of its"  # noqa: S101
    asked = []
    if own.initq not in ("", own.name, *member.objects.models) and member.find_own_queue(own.initq) is None:
        asked.append(("QLOCAL", own.initq))
    if own.process and all(each.name != own.process for each in member.find_processes(own.process)):
        asked.append(("PROCESS", own.process))
    return tuple(each for each in asked if not member.would_tell(*each))


def _told_with(found: Finding) -> tuple[str, ...]:
    return found.queue_manager or found.file, found.said.attribute, *found.gist


def _attributes_of(rule: Rule, terms: Mapping[str, nodes.Expression]) -> list[str]:
    """What a finding of the rule can be about: the attribute that it names, or all that its term gives."""
    term = terms.get(rule.attribute.strip("{}"))
    return [rule.attribute] if term is None else [each.this for each in term.find_all(nodes.Literal) if each.is_string]


def _found(said: FailedCondition, about: ConfiguredObject, lasting: str = "") -> Finding:
    place = about.place_of(said.attribute)
    return Finding(said, about.object_type, about.name, about.owner, *place, lasting=lasting)


def _lost(found: Resolution, reason: Reason, about: ConfiguredObject, together: ClusterCheckContext) -> dict[str, Any]:
    """What is told of names that come to nothing: by what, and what they came to last."""
    last, here = found.last.situation, found.last.holds("here")
    led = [str(look.facts["object"]) for look in found.followed]
    # A queue that others have was not misspelt: it is looked for in the wrong place.
    may_be_misspelt = last.object_type == "" and here and not last.known_in_cluster
    return {
        "leads_nowhere": reason.because,
        "lost_by": reason.name,
        "lost_queue": last.queue,
        "lost_queue_manager": last.queue_manager,
        "lost_is_defined": last.object_type != "",
        "lost_is_model": last.known_as_model and here,
        "like_lost": together.find_similar_queue(last.queue, about, frozenset(led)) if may_be_misspelt else "",
        "led_from": led[-1] if led else "",
    }


def _titles(rules: Rules) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in read_clause_files(rules):
        found.setdefault(each.document, each.title)
    return found


def _said(course: Pipeline, about: Any, run: Run, rule: Rule) -> FailedCondition:
    ruleset = course.rulesets[0]
    first = build_first_scope(course.steps[0], about, (), None, {})
    scope = find_scope(ruleset, rule, run, (), first)
    severity = next((name for name, when in rule.graver if evaluate(when, scope)), rule.severity)
    attribute = render_sentence(ruleset, rule, None, scope, MessageTemplate(rule.attribute)).lower()
    message, remedy, typed = render_sentence(ruleset, rule, None, scope), "", False
    for each in rule.action.remedies if isinstance(rule.action, Condition) else ():
        text = each.command or each.advice
        if text is not None and (each.when is None or evaluate(each.when, scope)):
            remedy, typed = render_sentence(ruleset, rule, None, scope, text), each.command is not None
            break
    return FailedCondition(rule, severity, attribute, message, remedy, typed)


LONGEST_NAME = 48
FASTEST = 1
"""The level of compression."""


@frozen(eq=False)
class StoredScript:
    """A script in little room, for the case that more is said of its queue manager: the file, and which one of it."""

    source: Source
    place: int
    misplaced: Misplaced

    def script(self) -> Script:
        """Return the script, read once more; what is wrong with its file was told when it was read first."""
        return next(islice(read_scripts(self.source, self.misplaced, SourceReader()), self.place, None))


@frozen(eq=False)
class InspectedQueueManager:
    """One queue manager that was looked at: what was found, what has to wait for the others, and what it tells them.

    ``kept`` are its scripts, and those that changes of it are.
    """

    owner: str
    kept: tuple[StoredScript | Script, ...]
    found: tuple[Finding, ...]
    waiting: tuple[ConfiguredObject, ...]
    contribution: Contribution
    faults: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]

    def scripts(self) -> list[Script]:
        """Return the scripts that describe this queue manager."""
        return [*map(_script, self.kept)]


def _script(kept: StoredScript | Script) -> Script:
    return kept.script() if isinstance(kept, StoredScript) else kept


@define(eq=False)
class Inspection:
    """A check of the files of any number of queue managers, of which little stays in memory at a time.

    A script without a queue manager is that of ``local`` or, if that is None, of the only one that any file names, as
    ``explain`` and the others take it; else one of a queue manager of its own: nothing says that several belong
    together. An overlay without one is that of the only one there is. ``levels`` are command levels that count before
    those that files tell. ``remarks`` say what is odd about levels, once there are findings. Raises FactsError if
    ``local`` can be no name.
    """

    checks: Checks
    local: str | None = field(default=None, converter=check_local_name)
    lenient: bool = False
    members: dict[str, InspectedQueueManager] = field(factory=dict)
    overlays: list[Script] = field(factory=list)
    nameless: int = 0
    levels: Mapping[str, int] = field(factory=dict)
    remarks: list[str] = field(factory=list)
    # From the third script of a queue manager on: it is looked at anew once for all of these.
    _further: dict[str, list[StoredScript | Script]] = field(factory=dict)
    _silent: list[str] = field(factory=list)

    def __repr__(self) -> str:
        return f"<Inspection: {', '.join(self.members) or 'nothing was looked at'}>"

    _scripts: int = 0
    _reader: SourceReader = field()
    _unjudged: list[Diagnostic] = field(factory=list)

    @_reader.default
    def _start_reader(self) -> SourceReader:
        return SourceReader(self.lenient)

    def read(self, source: Source) -> None:
        """Check one more file. Faults of it are reported at the end."""
        data = source.data
        packed = (
            GzipContent(MemoryContent(zlib.compress(data, FASTEST, 31)), source.name)
            if isinstance(data, bytes)
            else data
        )
        misplaced = self.checks.misplaced
        for place, script in enumerate(read_scripts(source, misplaced, self._reader)):
            if script.overlay:
                self.overlays.append(script)
            else:
                self._silent += [script.source] if shows_nothing(script) else []
                self._scripts += 1
                if cut := describe_truncation(script):
                    self._reader.warnings.append(Diagnostic(script.source, cut))
                self._add(script, StoredScript(evolve(source, data=packed), place, misplaced))

    def _add(self, script: Script, kept: StoredScript) -> None:
        """Looks at one more script, with those of the same queue manager that came before."""
        name = owner = script.queue_manager or self.local or ""
        if not owner:
            self.nameless += 1
            name = f"the queue manager of {PurePath(script.source).name}"[:LONGEST_NAME]
            if name in self.members:
                name = f"{name[: LONGEST_NAME - 8]} {self.nameless}"
        before = self.members.get(name)
        if before is not None and len(before.kept) > 1:
            self._further.setdefault(name, []).append(kept)
        else:
            self._look(name, owner, [kept], [script])

    def _look(self, name: str, owner: str, kept: Sequence[StoredScript | Script], read: Iterable[Script] = ()) -> None:
        """Looks at a queue manager with the further scripts that are ``kept``, which may have been ``read`` already."""
        before = self.members.get(name)
        given = [*(before.scripts() if before else ()), *(read or map(_script, kept))]
        scripts = [fill_in_inserts(each, owner) for each in given] if owner else given
        scripts, contradictions = drop_duplicate_dumps(scripts)
        member = ConfiguredMember.of(name, owner, scripts)
        found, waiting = list[Finding](), list[ConfiguredObject]()
        alike, left_open = dict[object, tuple[FailedCondition, ...]](), list[ConfiguredObject]()
        taken = dict[tuple[str, str], ConfiguredObject]()
        for each in member.list_objects(self.checks.keywords):
            # Which clusters are shared is known when all files are read.
            about = each if self.local is None else each.replace(is_own=name == self.local, in_shared_cluster=False)
            if _leaves_clusters_open(about, member):
                left_open.append(about)
            if about.trigger and self.checks.is_to_trigger(about):
                found += self.checks.check_triggering(member, about, alike)
                for assumed in _list_assumed_objects(member, about.name):
                    taken.setdefault(assumed, about)
            if about.clustered or about.leading is not None:
                waiting.append(about)
            else:
                found += self.checks.of(about)
        self.members[name] = InspectedQueueManager(
            owner,
            (*(before.kept if before else ()), *kept),
            tuple(found),
            tuple(waiting),
            Contribution.of(member),
            (*contradictions, *member.objects.faults),
            (*member.warnings, *_told_of_clusters(left_open), *_told_of_assumed(taken)),
        )

    def _join_nameless(self) -> None:
        """Gives the scripts that name no queue manager to the only one that is named, if there is one."""
        named = {each.owner for each in self.members.values() if each.owner}
        nameless = [name for name, each in self.members.items() if not each.owner]
        if len(named) != 1 or not nameless:
            return
        [owner] = named
        self._look(owner, owner, [kept for name in nameless for kept in self.members.pop(name).kept])

    def lay_over(self) -> None:
        """Apply the overlays after everything else was read. Raises FactsError if their owner is unknown."""
        for name, kept in self._further.items():
            self._look(name, self.members[name].owner, kept)
        self._further.clear()
        self._join_nameless()
        for each in self.overlays:
            owner = each.queue_manager or self.local or (next(iter(self.members)) if len(self.members) == 1 else "")
            if owner in self.members:
                self._look(owner, self.members[owner].owner, [each])
            elif not self._change_displayed(list_script_changes(each, owner)):
                lacking = f"is of {owner}, of which no file here defines anything: what it changes cannot be checked"
                message = lacking if owner else f"does not say whose script it is; name it as QMGR={each.source}"
                raise FactsError([Diagnostic(each.source, message)])
        self.overlays.clear()

    def change(self, text: str) -> None:
        """Apply a command of an option, such as ``QLOCAL(Q) QMGR(QM2) PUT(DISABLED)``. Raises FactsError."""
        change = parse_change(text)
        asked = change
        if change.kind == "CHANNEL" and change.is_of_state and change.owner in self.members:
            change = evolve(change, owner="")  # the state of its own route to whoever has the receiver
        owners = [name for name, each in self.members.items() if self._is_of(change, name, each)]
        if len(owners) > 1 and change.kind == "CHANNEL":
            # The attributes of a route are those of the receiver that it leads to.
            owners = [name for name in owners if has_receiver(self.members[name].scripts(), change)] or owners
        shown = (
            set()
            if owners
            else {host for each in self.members.values() for host in each.contribution.find_displayed_owners(change)}
        )
        if not (owners or shown):
            raise build_option_error(f"{change.object} is not known")
        if len(owners) + len(shown) > 1 and not change.is_of_state:
            raise build_ambiguity_error(change, owners or sorted(shown))
        if change.kind == "CHANNEL" and change.is_of_state:
            self._set_state(asked)
            return
        if shown:
            self._change_displayed([change])
            return
        script = build_change_script(change, owners[0], self.members[owners[0]].contribution.clusters)
        self._look(owners[0], self.members[owners[0]].owner, [script])

    def _change_displayed(self, changes: Sequence[ConfigurationChange]) -> bool:
        """Apply changes if all are of displayed members; return whether they were applied.

        Raises FactsError.
        """
        told = [each.contribution for each in self.members.values()]
        if not (changes and all(any(each.find_displayed_owners(change) for each in told) for change in changes)):
            return False
        for name, each in self.members.items():
            contribution = reduce(Contribution.apply_displayed_change, changes, each.contribution)
            self.members[name] = evolve(each, contribution=contribution)
        return True

    def _set_state(self, change: ConfigurationChange) -> None:
        """The state of a channel belongs to who sends by it: to one member, or to all but who has the receiver."""
        receiving = [name for name, each in self.members.items() if has_receiver(each.scripts(), change)]
        sending = [name for name in self.members if name not in receiving]
        for name in [change.owner] if change.owner in self.members else sending or receiving:
            script = build_change_script(change, name)
            self._look(name, self.members[name].owner, [script])

    def _is_of(self, change: ConfigurationChange, name: str, each: InspectedQueueManager) -> bool:
        if change.kind == "QMGR":
            return change.name in ("", name)
        return change.owner in ("", name) and has_named_object(each.scripts(), change)

    def changed(self, overlays: Iterable[Source], changes: Iterable[str]) -> Inspection:
        """Return the inspection as it would be with further scripts, then with commands as --set takes them.

        Only queue managers that something changes at are looked at anew. Raises FactsError.
        """
        found = evolve(
            self, members={**self.members}, overlays=[*self.overlays], reader=self._reader.copy(),
            further={name: [*kept] for name, kept in self._further.items()},
        )  # fmt: skip
        for each in overlays:
            found.read(each)
        found.lay_over()
        for text in changes:
            found.change(text)
        return found

    def with_routes(self, routes: Mapping[str, Sequence[Channel]], option: str) -> Inspection:
        """Return the inspection as it would be if queue managers saw these routes of theirs in the states they have.

        ``option`` states them.
        """
        found = evolve(self, members={**self.members})
        for name in found.members.keys() & routes.keys():
            script = build_route_script(name, routes[name], option)
            found._look(name, found.members[name].owner, [script])
        return found

    @property
    def told_levels(self) -> dict[str, int]:
        """The command levels that files tell, by queue manager, also of those that others display."""
        return {name: told.level for each in self.members.values() for name, told in each.contribution.levels.items()}

    def upgraded(self, levels: Mapping[str, int]) -> Inspection:
        """Return the inspection as it would be if queue managers had these command levels."""
        return evolve(self, levels={**self.levels, **levels})

    def without(self, names: Collection[str]) -> Inspection:
        """Return the inspection as it would be without queue managers; a CLUSSDR to one of them leads nowhere."""
        to_nobody = self.list_senders_to(names)
        staying = {
            name: evolve(each, contribution=each.contribution.without(
                {sender.channel for sender in to_nobody if sender.sender == name}))
            for name, each in self.members.items() if name not in names
        }  # fmt: skip
        return evolve(self, members=staying)

    def list_senders_to(self, names: Collection[str]) -> list[Delivery]:
        """Return the CLUSSDR channels of the others to queue managers that leave."""
        return find_unanswered_senders([each.contribution for each in self.members.values()], names)

    def findings(self) -> list[Finding]:
        """Return all findings by file and line; with ``local``, those that it can know. Raises FactsError."""
        self.lay_over()
        refused = [fault for each in self.members.values() for fault in each.faults]
        faults = [*self._reader.faults, *([] if self.lenient else refused)]
        if self._silent and len(self._silent) == self._scripts:
            faults += [Diagnostic(name, NOTHING_SHOWN) for name in self._silent]
        if faults or not self.members:
            raise FactsError(faults or self._reader.warnings)
        if self.local is not None and self.local not in self.members:
            near = suggest_name(self.local, sorted(self.members))
            named = (
                f"no source describes the queue manager {quote_value(self.local)}; described: {', '.join(self.members)}"
            )
            raise FactsError([Diagnostic(name_argument("local"), f"{named}{near}")])
        rules = self.checks.engine.rules
        level = 0 if rules.asked == AUTO else rules.levels[rules.edition]
        together = ClusterCheckContext.of([each.contribution for each in self.members.values()], self.levels, level)
        found = list[Finding]()
        for each in self.members.values():
            found += each.found
            for about in each.waiting:
                found += self.checks.check_together(about, together, self.local)
        for about in together.find_outdated_records():
            seen = together.build_local_view(about, self.local)
            found += self.checks.of(seen) if seen.is_own or seen.in_shared_cluster else ()
        self._unjudged = [*together.find_undescribed_members(self.local)]
        known = {name: told.level for name, told in sorted(together.told_levels.items())}
        self.remarks = [*map(str, together.find_odd_levels()), *list_level_remarks(rules, known)]
        return _sort_findings(found)

    @property
    def warnings(self) -> list[Diagnostic]:
        """Warnings about what was passed by or could not be read.

        Once there are findings, also about what could not be judged.
        """
        found = [*self._reader.warnings, *self._unjudged]
        for each in self.members.values():
            found += [*each.warnings, *(each.faults if self.lenient else ())]
        return found


@share_read_budget()
def inspected(
    sources: Iterable[Input],
    checks: Checks | None = None,
    local: str | None = None,
    lenient: bool = False,
    changes: Iterable[str] = (),
) -> Inspection:
    """Check files, given by name or already read: ``.findings()`` and ``.warnings`` hold the result.

    ``changes`` are commands such as ``QLOCAL(Q) QMGR(QM2) CLWLPRTY(5)``. Raises FactsError, and OSError for a file that
    cannot be opened.
    """
    changes, lenient = check_each("changes", changes, str), check_type("lenient", lenient, bool)
    inspection = Inspection(Checks() if checks is None else check_type("checks", checks, Checks), local, lenient)
    for each in list_sources(sources):
        inspection.read(each)
    return inspection.changed((), changes)


def _leaves_clusters_open(about: ConfiguredObject, member: ConfiguredMember) -> bool:
    """Whether a display shows a queue, and nobody asked in which clusters it is."""
    if about.object_type not in CONFIGURED_QUEUES or not about.is_shown or about.tells("cluster"):
        return False
    return not member.asked.shows(about.object_type, about.name, "CLUSTER")


def _told_of_assumed(taken: Mapping[tuple[str, str], ConfiguredObject]) -> Iterator[Diagnostic]:
    """That it is not known whether what queues name is there, in one line for each type."""
    for type_, attribute in (("QLOCAL", "initq"), ("PROCESS", "process")):
        names = [name for kind, name in taken if kind == type_]
        if names:
            about = taken[type_, names[0]]
            more = f" and {len(names) - 1} more are" if names[1:] else " is"
            who = f"{type_}({names[0]}), which {about.name} names,{more} there: taken so"
            command = f"DISPLAY {type_}({'*' if names[1:] else quote_name(names[0])})"
            file, line = about.place_of(attribute)
            yield Diagnostic(file, f"nothing tells whether {who}; {command} tells it", line)


def _told_of_clusters(left_open: Sequence[ConfiguredObject]) -> Iterator[Diagnostic]:
    """That it is not known of queues, in one line."""
    if left_open:
        first, more = left_open[0], len(left_open) - 1
        who = f"{first.name} and {more} more" if more else first.name
        command = f"DISPLAY QUEUE({'*' if more else quote_name(first.name)}) CLUSTER CLUSNL"
        said = (
            f"no display shows in which clusters {who} {'are' if more else 'is'}: taken as in none; {command} tells it"
        )
        yield Diagnostic(first.place_of("cluster")[0], said, first.place_of("cluster")[1])
