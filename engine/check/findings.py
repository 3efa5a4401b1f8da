"""Run the check rules on configured objects and report each condition that does not hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen
from sqlglot import exp

from mqclause.answers import Reason
from mqclause.documents import CHECK, TRIGGER
from mqclause.executors.operations import ExecutorName, Run, StepResult, compile_term
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language.evaluator import evaluate
from mqclause.model.configuration.checked_cluster import ANY_QUEUE, ClusterCheckContext
from mqclause.model.configuration.checked_member import ConfiguredMember
from mqclause.model.configuration.checked_objects import CONFIGURED_QUEUES, ConfiguredObject, list_keywords
from mqclause.model.configuration.objects import SYSTEM_PREFIX
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import check_several
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import IN_NAMES
from mqclause.model.facts.messages import HIGHEST_PRIORITY
from mqclause.model.facts.objects import ModelQueue, Process, Put, Queue
from mqclause.model.readers.mqsc import Misplaced
from mqclause.rulebook.clauses import read_clause_files
from mqclause.rulebook.rule import Condition, MessageTemplate, Rule, identify_rule
from mqclause.rulebook.rules import Rules
from mqclause.trace import build_scope, list_rule_inputs, render_sentence
from mqclause.trigger.why import Why
from mqclause.workload.decision import Engine
from mqclause.workload.equivalence import has_name_tests
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


@frozen
class Finding:
    """One condition of a check that one object does not fulfil, with the object and its place.

    ``others`` are further objects of its queue manager of which the same is found, where that is told together.
    """

    said: FailedCondition
    object_type: str
    name: str
    queue_manager: str
    file: str
    line: int | None
    others: tuple[str, ...] = ()

    @property
    def rule(self) -> Rule:
        """The check."""
        return self.said.rule

    @property
    def severity(self) -> str:
        """How severe the finding is: error, warning or note."""
        return self.said.severity

    @property
    def message(self) -> str:
        """The finding in a sentence."""
        more = f"; so it is with {', '.join(self.others)}" if self.others else ""
        return f"{self.said.message}{more}"

    @property
    def key(self) -> FindingKey:
        """What tells it from other findings."""
        return self.rule.id, self.object_type, self.name, self.queue_manager, self.said.attribute, self.message

    @property
    def gist(self) -> tuple[str, ...]:
        """What it has in common with findings of other objects: the message without the names of this one."""
        names = self.name, self.queue_manager
        words = ANY_NAME.sub(lambda found: "" if found[0] in names else found[0], self.said.message)
        return self.rule.id, self.severity, self.object_type, words

    @property
    def place(self) -> str:
        """The file, with the line if it is known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def to_json(self) -> dict[str, Any]:
        """Return it as in ``mqclause.findings/1``."""
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
        """Return the same, by the name that it had before."""
        return self.to_json()


@frozen
class FindingChanges:
    """The findings that a change brings, and those that it takes away."""

    new: Sequence[Finding] = field(default=(), converter=tuple)
    gone: Sequence[Finding] = field(default=(), converter=tuple)

    @classmethod
    def between(cls, before: Sequence[Finding], after: Sequence[Finding]) -> FindingChanges:
        """Compare two lists of findings: what only one of them has, in its order."""
        had, has = {each.key for each in before}, {each.key for each in after}
        return cls([each for each in after if each.key not in had], [each for each in before if each.key not in has])

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
        for unknown in sorted(set(ignored) - self.rules.keys()):
            raise ValueError(f"{unknown!r} is no check; allowed: {', '.join(self.rules)}")
        self.ignored = frozenset(ignored)

    def __reduce__(self) -> tuple[Any, ...]:
        return Checks, (self.engine.rules, self.ignored, self.engine.executor)

    def of(self, about: ConfiguredObject) -> Iterator[Finding]:
        """Return the findings of the check rules about one object."""
        run = self.course.run(about, (), None, True)[0]
        for each in find_failed_conditions(self.course, about, run):
            if self.tells(each.rule, each.attribute, about):
                yield _found(each, about)

    def tells(self, rule: Rule, attribute: str, about: ConfiguredObject) -> bool:
        """Return whether a finding is asked for, and its attribute told, and known to who looks."""
        asked = rule.id in self.rules and rule.id not in self.ignored
        return asked and about.tells(attribute) and self.is_known(about.replace(attribute=attribute))

    def is_known(self, about: ConfiguredObject) -> bool:
        """Return whether who looks knows the attribute that a finding is about."""
        known: bool = self.course.run(about, ())[0].facts["known"]
        return known

    def is_to_trigger(self, about: ConfiguredObject) -> bool:
        """Return whether the trigger rules are to be asked about a queue."""
        asked: bool = self.course.run(about, ())[0].facts["is_to_trigger"]
        return asked

    def of_trigger(
        self, member: ConfiguredMember, about: ConfiguredObject, alike: dict[object, tuple[FailedCondition, ...]]
    ) -> Iterator[Finding]:
        """Return the conditions of the trigger rules that fail whatever is on the queue and whoever has it open.

        ``alike`` has what is said of queues of each kind, and gets what is said of a kind that it does not have.
        """
        kind = get_queue_class(member, about.name)
        if kind not in alike:
            called = str(kind[-1])
            cluster = build_trigger_cluster(member, about.name, called)
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

    def among(self, about: ConfiguredObject, together: ClusterCheckContext, local: str | None) -> Iterator[Finding]:
        """Check one object in the context of all queue managers; with ``local`` only by what that queue manager knows.

        An alias, or a remote definition, is looked at twice: as its clusters know it, and for what it leads to.
        """
        if about.leading is not None:
            seen = together.build_local_view(about, local)
            yield from self.of(self.followed(seen, about.leading, together))
        looks = (together.build_local_view(each, local) for each in self.with_choices(about, together))
        every = [each for each in looks if each.is_own or each.in_shared_cluster]
        if len(every) > 1 and about.object_type in CONFIGURED_QUEUES:
            yield from self.in_clusters(every)
        else:
            for each in every:
                yield from self.of(each)

    def in_clusters(self, every: Sequence[ConfiguredObject]) -> Iterator[Finding]:
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
            if self.competes(seen):
                yield seen.replace(unreachable=self.unreachable(seen, together))
            elif seen.clustered:
                yield seen

    def followed(self, about: ConfiguredObject, queue: Queue, together: ClusterCheckContext) -> ConfiguredObject:
        """Return where an alias or a remote definition leads by its own queue manager, in whatever clusters.

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

    def unreachable(self, about: ConfiguredObject, together: ClusterCheckContext) -> str:
        """Return the rule that removes a host even if the channels to all others are stopped; blank if none does."""
        because = ""
        for name in about.clusters:
            looks = together.describe_appearances(about.name, name)
            look = looks[about.queue_manager]
            if len(look) < 2 or len(set(looks.values())) < 2:
                return ""  # no route to it is known, or all hosts are alike
            key, alike = (about.name, name, look), (about.queue_manager, name, *looks.items())
            if key not in together.fell_by and alike in together.reached:
                together.fell_by[key] = ""
            if key not in together.fell_by:
                levels = self._levels_to_ask(together.list_levels(name))
                trials = (together.build_trial_cluster(about, name, level) for level in levels)
                reasons = [self._fell_by(about, each) for each in trials]
                # It is reached if one edition of those that choose would have it so.
                together.fell_by[key] = reasons[0] if all(reasons) else ""
                if not all(reasons) and not has_name_tests(self.engine.course):
                    together.reached.add(alike)
            because = together.fell_by[key]
            if not because:
                return ""
        return because

    def _levels_to_ask(self, levels: Iterable[int]) -> Iterable[int]:
        """A command level for each edition of those that choose; one whose level is not told may be of any.

        Of these the oldest and the newest are asked.
        """
        rules = self.engine.rules
        ends = min(rules.levels.values()), max(rules.levels.values())
        known = {each for level in levels for each in ((level,) if level else ends)}
        editions = {level: rules.of_level(level).edition for level in sorted(known)}
        return {rules.as_stated(edition): level for level, edition in editions.items()}.values()

    def _fell_by(self, about: ConfiguredObject, cluster: Cluster) -> str:
        put = Put.as_written(about.name, bind="NOTFIXED", call="MQPUT")
        decision = self.engine.choose(put, cluster, None, "rule")
        if any(each.queue_manager == about.queue_manager for each in decision.permitted):
            return ""
        fates = (fate for step in decision.steps for fate in step.eliminated)
        return next((fate.because for fate in fates if fate.subject.queue_manager == about.queue_manager), "")


def sort_findings(found: Iterable[Finding]) -> list[Finding]:
    """Sort the findings by file and line, whatever the order of files; one of several files by its first place."""
    ordered = sorted(found, key=lambda each: (each.file, each.line or 0, each.key))
    once = {(each.key, each.queue_manager or each.place): each for each in reversed(ordered)}
    return [*merge_findings([*once.values()][::-1])]


def merge_findings(found: Sequence[Finding]) -> Iterator[Finding]:
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

    @property
    def get_requesting_clause(self) -> str:
        """The clause that asks for it."""
        about, _, number = self.rule.follows.partition("/")
        return f"clause {number} of {about} ({self.document})"

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
        yield f"{graded} Asked by: {self.get_requesting_clause}."
        yield from ("", rule.why, "", "What mends it:", "")
        remedies = rule.action.remedies if isinstance(rule.action, Condition) else ()
        for each in remedies:
            mended = [f"`{each.command.text}`"] if each.command else []
            yield "- " + "; ".join([*mended, *([each.advice.text] if each.advice else [])])
        for said, script in (
            ("Found in", rule.example and rule.example.found),
            ("Not in", rule.example and rule.example.clean),
        ):
            files = split_example(script or "")
            named = f" these {len(files)} files" if len(files) > 1 else ""
            yield from ("", f"{said}{named}:")
            for text in files:
                yield from ("", "```", *text.splitlines(), "```")


def split_example(script: str) -> list[str]:
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


def get_queue_class(member: ConfiguredMember, name: str) -> tuple[object, ...]:
    """Return the attributes of a queue that decide whether it triggers; queues that are equal in them share the answer.

    Last in it is the name to ask about it by: its own where something else that they see has that too, and where a
    command would not write it as it is.
    """
    found = member.get_definition(name)
    initq = found.fields.get("initq", "")
    bell = member.find_own_queue(initq) if initq != name else None
    is_named = name.casefold() == initq.casefold() or (bell is not None and name == bell.base_queue)
    return (*found.fields.items(), name if is_named or not ANY_NAME.fullmatch(name) else STAND_IN)


def build_trigger_cluster(member: ConfiguredMember, name: str, called: str) -> Cluster:
    """Build a queue that is to trigger, ``called`` so; what it needs and no file tells is taken to be there."""
    own = member.find_own_queue(name)
    assert own is not None, "it was looked at as a queue of its"  # noqa: S101
    queue = evolve(own, name=called, descr="", clusters=(), curdepth=None, ipprocs=None)
    initq = member.find_own_queue(queue.initq) if queue.initq != queue.name else None
    models = [queue.initq] if initq is None and queue.initq in member.models else []
    if initq is None and queue.initq not in ("", queue.name, *models):
        there = not member.would_tell("QLOCAL", queue.initq)
        initq = Queue(queue.initq, member.name) if there else member.find_local_queue_in_any_case(queue.initq)
    target = member.find_own_queue(initq.base_queue) if initq is not None and initq.type == "QALIAS" else None
    around = [each for each in (initq, target) if each is not None and each.name != queue.name]
    beside = [evolve(each, ipprocs=None, clusters=()) for each in around]
    processes = member.find_processes(queue.process)
    is_defined = any(each.name == queue.process for each in processes)
    if queue.process and not is_defined and not member.would_tell("PROCESS", queue.process):
        processes = (Process(queue.process),)
    return Cluster(member.queue_manager, (), (queue, *beside), (), (), processes, map(ModelQueue, models))


def _told_with(found: Finding) -> tuple[str, ...]:
    return found.queue_manager or found.file, found.said.attribute, *found.gist


def _attributes_of(rule: Rule, terms: Mapping[str, exp.Expression]) -> list[str]:
    """What a finding of the rule can be about: the attribute that it names, or all that its term gives."""
    term = terms.get(rule.attribute.strip("{}"))
    return [rule.attribute] if term is None else [each.name for each in term.find_all(exp.Literal) if each.is_string]


def _found(said: FailedCondition, about: ConfiguredObject) -> Finding:
    return Finding(said, about.object_type, about.name, about.owner, *about.place_of(said.attribute))


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
    scope = build_scope(list(list_rule_inputs(ruleset, run, (), first))[ruleset.rules.index(rule)], first)
    severity = next((name for name, when in rule.graver if evaluate(when, scope)), rule.severity)
    attribute = render_sentence(ruleset, rule, None, scope, MessageTemplate(rule.attribute)).lower()
    message, remedy, typed = render_sentence(ruleset, rule, None, scope), "", False
    for each in rule.action.remedies if isinstance(rule.action, Condition) else ():
        text = each.command or each.advice
        if text is not None and (each.when is None or evaluate(each.when, scope)):
            remedy, typed = render_sentence(ruleset, rule, None, scope, text), each.command is not None
            break
    return FailedCondition(rule, severity, attribute, message, remedy, typed)
