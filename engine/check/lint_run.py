"""Check the files of any number of queue managers, one after the other, keeping little of each in memory."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePath

from attrs import define, evolve, field, frozen

from mqclause.check.findings import Checks, FailedCondition, Finding, sort_findings
from mqclause.model.configuration.changes import (
    ConfigurationChange,
    build_ambiguity_error,
    build_change_script,
    build_option_error,
    has_named_object,
    has_receiver,
    parse_change,
)
from mqclause.model.configuration.checked_cluster import ClusterCheckContext
from mqclause.model.configuration.checked_member import ConfiguredMember, Contribution, find_unanswered_senders
from mqclause.model.configuration.checked_objects import CONFIGURED_QUEUES, ConfiguredObject
from mqclause.model.configuration.coverage import describe_truncation
from mqclause.model.configuration.inserts import fill_in_inserts
from mqclause.model.configuration.scripts import read_scripts
from mqclause.model.configuration.sources import (
    NOTHING_SHOWN,
    Source,
    SourceReader,
    check_local_name,
    drop_duplicate_dumps,
    shows_nothing,
)
from mqclause.model.diagnostics import Diagnostic, FactsError, check_several, check_type, quote_value, suggest_name
from mqclause.model.facts.delivery import Delivery
from mqclause.model.facts.domains import quote_name
from mqclause.model.readers.encodings import GzipContent, MemoryContent, share_read_budget
from mqclause.model.readers.mqsc import Misplaced
from mqclause.model.readers.records import Script
from mqclause.rulebook.rules import AUTO
from mqclause.workload.editions import list_level_remarks

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
        for each in member.list_objects(self.checks.keywords):
            # Which clusters are shared is known when all files are read.
            about = each if self.local is None else each.replace(is_own=name == self.local, in_shared_cluster=False)
            if _leaves_clusters_open(about, member):
                left_open.append(about)
            if about.trigger and self.checks.is_to_trigger(about):
                found += self.checks.of_trigger(member, about, alike)
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
            (*member.warnings, *_told_of_clusters(left_open)),
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
            if owner not in self.members:
                lacking = f"is of {owner}, of which no file here defines anything: what it changes cannot be checked"
                message = lacking if owner else f"does not say whose script it is; name it as QMGR={each.source}"
                raise FactsError([Diagnostic(each.source, message)])
            self._look(owner, self.members[owner].owner, [each])
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
            for name, each in self.members.items():
                self.members[name] = evolve(each, contribution=each.contribution.apply_displayed_change(change))
            return
        script = build_change_script(change, owners[0], self.members[owners[0]].contribution.clusters)
        self._look(owners[0], self.members[owners[0]].owner, [script])

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

    def upgraded(self, levels: Mapping[str, int]) -> Inspection:
        """Return the inspection as it would be if queue managers had these command levels."""
        return evolve(self, levels={**self.levels, **levels})

    def without(self, names: Collection[str]) -> Inspection:
        """Return the inspection as it would be without queue managers; a CLUSSDR to one of them leads nowhere."""
        to_nobody = self.senders_to(names)
        staying = {
            name: evolve(each, contribution=each.contribution.without(
                {sender.channel for sender in to_nobody if sender.sender == name}))
            for name, each in self.members.items() if name not in names
        }  # fmt: skip
        return evolve(self, members=staying)

    def senders_to(self, names: Collection[str]) -> list[Delivery]:
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
            raise FactsError([Diagnostic("--from", f"{named}{near}")])
        rules = self.checks.engine.rules
        level = 0 if rules.asked == AUTO else rules.levels[rules.edition]
        together = ClusterCheckContext.of([each.contribution for each in self.members.values()], self.levels, level)
        found = list[Finding]()
        for each in self.members.values():
            found += each.found
            for about in each.waiting:
                found += self.checks.among(about, together, self.local)
        for about in together.find_outdated_records():
            seen = together.build_local_view(about, self.local)
            found += self.checks.of(seen) if seen.is_own or seen.in_shared_cluster else ()
        self._unjudged = [*together.find_undescribed_members(self.local)]
        known = {name: told.level for name, told in sorted(together.told_levels.items())}
        self.remarks = [*map(str, together.find_odd_levels()), *list_level_remarks(rules, known)]
        return sort_findings(found)

    @property
    def warnings(self) -> list[Diagnostic]:
        """What was passed by, or could not be looked at; once there are findings, also what could not be judged."""
        found = [*self._reader.warnings, *self._unjudged]
        for each in self.members.values():
            found += [*each.warnings, *(each.faults if self.lenient else ())]
        return found


@share_read_budget()
def inspected(
    sources: Iterable[Source | str | Path],
    checks: Checks | None = None,
    local: str | None = None,
    lenient: bool = False,
    changes: Iterable[str] = (),
) -> Inspection:
    """Check files, given by name or already read: ``.findings()`` and ``.warnings`` hold the result.

    ``changes`` are commands as the option --set takes them. Raises FactsError, and OSError for a file that cannot be
    opened.
    """
    check_several("sources", sources)
    check_several("changes", changes)
    inspection = Inspection(Checks() if checks is None else check_type("checks", checks, Checks), local, lenient)
    for each in sources:
        inspection.read(each if isinstance(each, Source) else Source.at(each))
    return inspection.changed((), changes)


def _leaves_clusters_open(about: ConfiguredObject, member: ConfiguredMember) -> bool:
    """Whether a display shows a queue, and nobody asked in which clusters it is."""
    if about.object_type not in CONFIGURED_QUEUES or not about.is_shown or about.tells("cluster"):
        return False
    return not member.asked.shows(about.object_type, about.name, "CLUSTER")


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
