"""The reader of MQSC scripts and dmpmqcfg dumps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from attrs import Factory, define, evolve, field

from mqclause.model.diagnostic import Diagnostic, Diagnostics, is_secret, quoted
from mqclause.model.readers.attribute_values import SameNames
from mqclause.model.readers.coverage import Coverage
from mqclause.model.readers.facts_document import BYTE_ORDER_MARK
from mqclause.model.readers.kept import Kept
from mqclause.model.readers.mqsc.command import NO_COMMAND, NOTHING_MISPLACED, Misplaced, Statement, statement
from mqclause.model.readers.mqsc.form import SIMPLE_COMMAND, Tokens, form_of, tokens_in
from mqclause.model.readers.mqsc.lines import Command, Lines, without_numbers
from mqclause.model.readers.mqsc.parameters import UnreadableError
from mqclause.model.readers.mqsc.words import ENDS, NOUNS, SYNONYMS, VERB_SYNONYMS, VERBS
from mqclause.model.readers.record import NOTHING_SHOWN, Record, Script

OWNER, ISSUED = "Queue manager name", "Command issued"
BEGINNING, END = "Script generated on", "Script ended on"
"""What a dump says of itself: first, in its head, and last."""

HEADER = re.compile(
    r"\*+ *(Queue manager (?:name|platform|command level)|Command issued|Script (?:generated|ended) on)\b:? *(.*)"
)
COUNTED = re.compile(r"\*+ *(\w+) count: *(\d{1,9})\s*")
COUNTED_KINDS = {
    "QueueManager": "QMGR", "NameList": "NAMELIST", "Process": "PROCESS", "Channel": "CHANNEL", "AuthInfo": "AUTHINFO",
    "Listener": "LISTENER", "Service": "SERVICE", "CommInfo": "COMMINFO", "Topic": "TOPIC", "Subscription": "SUB",
}  # fmt: skip
"""What the trailer of a dump counts, by its own words; of queues it counts dynamic ones too, which it has not."""

SHOWN = re.compile(r"\* {2,}+([A-Z][A-Z0-9]*+)(?:\((.*)\))?+\s*+\+")
STARTING = re.compile(r"\s*+Starting MQSC for queue manager (\S+)")
OF_A_SHELL = frozenset({"SETMQAUT", "GRTMQMAUT"})
"""The commands that dmpmqcfg writes in the place of MQSC, if it is asked for these."""

NO_MQSC = "{} is no MQSC, but a command for a shell; allowed: dmpmqcfg -o mqsc, 1line or 2line; the rest is not read"
NO_VERB = "{} is no verb of MQSC; allowed: ALTER, DEFINE, DELETE and the others"
NO_COMMANDS = NO_COMMAND.replace(";", ", nor down to line {};", 1)
TEMPLATE = ("{%", "{{", "{#", "<%")
OF_A_TEMPLATE = "a line of a template stands here; allowed: what is made of it when it is filled in"
NUMBERED_HERE = (
    "columns 73 to 80 have a number here, and not on every line; allowed: on all of them, as on z/OS, or on none"
)

BEFORE_AN_OBJECT = re.compile(
    rf"\s*+[A-Za-z]{{1,16}}+\s++(?:{'|'.join(sorted({*NOUNS, *SYNONYMS}))})\s*+\(", re.IGNORECASE
)
"""A word that stands where a verb does."""

SUGGESTED = 50
"""So many faults of a source come with a suggestion: looking for one takes time."""


def read_mqsc(text: str | Iterable[str], source: str, kept: Misplaced = NOTHING_MISPLACED, first: int = 1) -> Script:
    """Read a script or a dump, which may come in pieces of whole lines: what it configures as records, what cannot be
    read as diagnostics. It begins on the line ``first`` of its source.

    Commands that configure nothing (DISPLAY, SET, …) are checked and left out; what operates channels and the queue
    manager (START and STOP CHANNEL, SUSPEND, RESUME, REFRESH) is kept. The values of passwords and keys are dropped.
    Never raises.
    """
    reader = _Reader(source, kept)
    pieces = iter([text.removeprefix(BYTE_ORDER_MARK)] if isinstance(text, str) else text)
    lines = Lines(without_numbers(pieces), number=first)
    while not reader.ended and lines.are_left():
        simple = SIMPLE_COMMAND.match(lines.text, lines.position)
        if simple is None or not reader.take_simple(tokens_in(simple), simple.end(), lines):
            reader.take_next(lines)
    return reader.script()


@define
class _Reader:
    """What has been read so far of one source."""

    source: str
    kept: Misplaced
    faults: Diagnostics = field(default=Factory(lambda self: Diagnostics(self.source), takes_self=True))
    header: dict[str, str] = field(factory=dict)
    header_lines: dict[str, int] = field(factory=dict)
    records: list[Record] = field(factory=list)
    forms: Kept = field(factory=lambda: Kept(lambda _: None))
    alike: Kept = field(factory=lambda: Kept(SameNames))
    places: Kept = field(factory=lambda: Kept(lambda places: places))
    counts: dict[str, tuple[int, int]] = field(factory=dict)
    coverage: list[Coverage] = field(factory=list)
    ended: bool = False
    # Which fault says that no command starts, if nothing has been read since.
    run: int | None = None

    def script(self) -> Script:
        owner = self.header.get(OWNER, "")
        faults, remarks = tuple(self.faults.found), tuple(self.miscounted())
        records = tuple(self.records)
        coverage = tuple(self.coverage)
        return Script(
            self.source, owner, records, faults, self.header, self.header_lines, remarks=remarks, coverage=coverage
        )

    def miscounted(self) -> Iterator[Diagnostic]:
        """Where the trailer of a dump counts other objects than it has."""
        found = Counter(each.kind for each in self.records) if self.counts else Counter[str]()
        for what, (count, line) in self.counts.items():
            read = found[COUNTED_KINDS[what]]
            if read != count:
                yield Diagnostic(self.source, f"{what} count: {count}, and {read} read: some may be missing", line)

    def remark(self, comment: str, line: int) -> None:
        """Take a comment between commands: a dump says there whose objects it lists."""
        found, counted = HEADER.match(comment), COUNTED.fullmatch(comment)
        if found and not self.ended:
            self.say(found[1], found[2], line)
        if counted and not self.ended and counted[1] in COUNTED_KINDS:
            self.counts[counted[1]] = int(counted[2]), line

    def say(self, key: str, value: str, line: int) -> None:
        known = self.header.setdefault(key, value)
        self.header_lines.setdefault(key, line)
        self.cover(key, value)
        if key == OWNER and known != value:
            self.ended = True
            self.faults.add(
                f"the objects of another queue manager, {quoted(value)}, start here after those of {quoted(known)};"
                " allowed: one queue manager a file; the rest is not read",
                line,
            )

    def cover(self, key: str, value: str) -> None:
        """What a dump holds, by its head; before its trailer it may have been cut. A file may have several."""
        if key == BEGINNING:
            self.coverage.append(Coverage(tells_absence=False))
        elif key == ISSUED:
            issued = Coverage.issued(value)
            self.coverage[-1:] = [evolve(issued, tells_absence=False)] if self.coverage else [issued]
        elif key == END and self.coverage:
            self.coverage[-1] = self.coverage[-1].ended()

    def take_simple(self, tokens: Tokens, end: int, lines: Lines) -> bool:
        """Read a simple command like one before; false if it is the first of its form, or not like that after all."""
        form = self.forms[tokens.key]
        if form is None:
            return self.take_first(tokens, lines)
        self.run = None
        if form.like is not None:
            record = form.record_of(form.like, tokens, lines.number)
            if record is None:
                return False
            self.records.append(record)
        lines.skip(end, form.lines)
        return True

    def take_first(self, tokens: Tokens, lines: Lines) -> bool:
        """Read a command that others may be like; true."""
        before = len(self.records), len(self.faults.found)
        self.take_next(lines)
        records, faults = len(self.records), len(self.faults.found)
        if faults == before[1] and VERB_SYNONYMS.get(tokens.verb.upper(), tokens.verb.upper()) in VERBS:
            self.forms[tokens.key] = form_of(tokens, self.records[-1] if records > before[0] else None)
        return True

    def take_next(self, lines: Lines) -> None:
        """Read what stands on the next lines."""
        command = lines.command(self.remark)
        if command is not None:
            try:
                self.take(command)
            except UnreadableError as fault:
                self.refuse(fault, command)

    def take(self, command: Command) -> None:
        """Read one command. Raises UnreadableError."""
        found = statement(command, self.kept)
        if found is None:
            return
        self.run = self.run if found.verb not in VERBS else None
        if found.verb in ENDS:
            self.ended = True
        elif found.verb not in VERBS:
            self.ended = found.verb in OF_A_SHELL
            self.unknown(found.verb, command)
        elif found.action:
            self.records.append(self.record(found, found.action, command))

    def unknown(self, word: str, command: Command) -> None:
        if self.ended:
            raise UnreadableError(NO_MQSC.format(word.lower()), 0)
        starting = STARTING.match(command.text)
        if starting is None:
            said = NO_VERB.format(word) if BEFORE_AN_OBJECT.match(command.text) else NO_COMMAND
            is_near = "(" in command.text or "QMGR" in command.text.upper()
            raise UnreadableError(said, 0, word if is_near else "", VERBS)
        self.say(OWNER, starting[1].removesuffix("."), command.lines[0])

    def refuse(self, fault: UnreadableError, command: Command) -> None:
        few = len(self.faults.found) < SUGGESTED
        message = fault.suggesting() if few else fault.message
        if message == NO_COMMAND and command.text.lstrip().startswith(TEMPLATE):
            message = OF_A_TEMPLATE
        if command.has_number:
            message = NUMBERED_HERE
        if message == NO_COMMAND and self.run is not None:
            begun = self.faults.found[self.run]
            self.faults.found[self.run] = evolve(begun, message=NO_COMMANDS.format(command.lines[-1]))
            return
        self.run = len(self.faults.found) if message == NO_COMMAND else None
        self.faults.add(message, *command.place_at(fault.offset))

    def record(self, found: Statement, action: str, command: Command) -> Record:
        found.drop(found.noun)
        first = command.lines[0]
        shown = _shown(command.remarks) if command.remarks else {}
        places = [command.place_at(offset) for offset in found.offsets]
        places += [(line, column) for _, line, column in shown.values()]
        return Record(
            action,
            found.noun,
            found.name,
            self.alike[tuple(found.attributes)].values([*found.attributes.values()]),
            self.alike[tuple(shown)].values([value for value, *_ in shown.values()]) if shown else NOTHING_SHOWN,
            self.source,
            first,
            self.places[tuple([(line - first, column) for line, column in places])],
        )


def _shown(remarks: Iterable[tuple[str, int]]) -> dict[str, tuple[str, int, int]]:
    """The attributes that a dump shows as comments inside a command, because they cannot be set, with their places."""
    found: dict[str, tuple[str, int, int]] = {}
    for remark, line in remarks:
        shown = SHOWN.fullmatch(remark)
        if shown:
            value = "" if is_secret(shown[1]) else (shown[2] or "").strip("' ")
            found[shown[1]] = (value, line, shown.start(1) + 1)
    return found
