"""How output of runmqsc is told from other texts, and what is read of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import Factory, define, evolve, field

from mqclause.model.diagnostic import Diagnostic, Diagnostics, is_secret
from mqclause.model.readers.attribute_values import SameNames
from mqclause.model.readers.facts_document import BYTE_ORDER_MARK
from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.inquiry import Inquiry
from mqclause.model.readers.kept import Kept
from mqclause.model.readers.mqsc.embedded import read_embedded
from mqclause.model.readers.mqsc.script import OWNER
from mqclause.model.readers.mqsc.words import ENDS, in_full
from mqclause.model.readers.record import LinePlace, Record, Script, Value
from mqclause.model.readers.runmqsc.blocks import NOT_THERE, Block, blocks
from mqclause.model.readers.runmqsc.kinds import PASSED_BY, READ_BELOW, begins_another, is_part, kind_displayed
from mqclause.model.readers.runmqsc.sessions import Sessions
from mqclause.model.readers.runmqsc.signs import shows_output
from mqclause.model.readers.runmqsc.values import ShownAttribute, UnshownError, displayed

STRAY = "another program's output stands in this line; what was displayed around it is read as far as it goes"
HEADLESS = "the message above this object is missing: lines before it may be missing, too"
RUN_TOGETHER = "{} stands twice in one object: lines between two objects are missing; neither is read"
UNTOLD = "a line is missing that tells what this object is or what it is called; it is not read"
UNKNOWN_KIND = "what begins with {} is of no kind that is known: passed by"
OWNERLESS = (
    "a session of another queue manager begins here, and nothing tells which; allowed: its log alone, as QMGR=FILE"
)
NOTHING_ANSWERED = "nothing is shown here: no command was carried out"
ENDS_WITHIN = "the log ends within this object: the last of it may be missing"
UNSHOWN = "no attribute that runmqsc displays stands here; the object is not read"

SAID_OF = r"(?<![A-Za-z0-9._/%]){}(?![A-Za-z0-9_/%])"
"""A queue manager's name in the line with which its session begins."""


def _recognised(text: str, _: str) -> Confidence:
    """By a numbered message, the line that runmqsc begins with, or an echoed command."""
    return Confidence.sure_if(shows_output(text))


def read_runmqsc(text: str | Iterable[str], source: str) -> Script:
    """Read what was displayed, which may come in pieces of whole lines: each object as a record of *observe*.

    Commands that are echoed and that no message refuses are records as in a script. A session with another queue
    manager is one of the ``further`` scripts. Objects of kinds that no decision rests on are passed by; the values of
    passwords and keys are dropped. Never raises.
    """
    sessions, said = [_Session(source)], Sessions(source)
    block: Block | None = None
    for block in blocks(said.watching([text.removeprefix(BYTE_ORDER_MARK)] if isinstance(text, str) else text)):
        if block.kind == "starts" and sessions[-1].is_of_another(block):
            sessions.append(_Session(source))
        elif block.kind == "command" and block.name and not _is_end(block.lines[0][1]):
            said.echoed.append(block.line)
        sessions[-1].take(block)
    if block and block.lines and said.is_cut_at(block.lines[-1][0]):
        sessions[-1].remarks.append(Diagnostic(source, ENDS_WITHIN, block.line))
    _name(sessions)
    first, *others = scripts = [session.script() for session in sessions]
    if not any(session.shows for session in sessions) and not any(
        each.records or _may_be_none(each) for each in scripts
    ):
        first = evolve(first, diagnostics=(*first.diagnostics, Diagnostic(source, NOTHING_ANSWERED)))
    return evolve(first, further=tuple(others), remarks=(*first.remarks, *said.remarks()))


@define
class _Session:
    """What was done and displayed at one queue manager."""

    source: str
    owner: str = ""
    owner_line: int = 0
    # What it begins with, where that does not tell the owner in English, and on which line.
    said: str = ""
    said_line: int = 0
    records: list[Record] = field(factory=list)
    commands: list[Block] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    asked: list[Inquiry] = field(factory=list)
    # Whether the last command has had no answer yet.
    is_open: bool = False
    shows: bool = False
    # What objects begin with whose kind is not known.
    unknown: set[str] = field(factory=set)
    faults: Diagnostics = field(default=Factory(lambda self: Diagnostics(self.source), takes_self=True))
    alike: Kept = field(factory=lambda: Kept(SameNames))
    places: Kept = field(factory=lambda: Kept(lambda places: places))

    def script(self) -> Script:
        if self.is_open:
            self.forget_asked(self.commands[-1])
        header = {OWNER: self.owner} if self.owner else {}
        lines = dict.fromkeys(header, self.owner_line)
        stated = _echoed(self.commands, self.source)
        faults = (*stated.diagnostics, *self.faults.found)
        records = (*stated.records, *self.records)
        asked = tuple(self.asked)
        return Script(self.source, self.owner, records, faults, header, lines, remarks=tuple(self.remarks), asked=asked)

    def is_of_another(self, starts: Block) -> bool:
        """Whether a session begins there with another queue manager."""
        if starts.name:
            return self.owner not in ("", starts.name)
        return bool(self.said or self.shows or self.commands) and self.said != starts.said

    def take(self, block: Block) -> None:
        if block.kind == "starts":
            self.said, self.said_line = block.said, block.line
            if block.name:
                self.own(block.name, block.line)
        elif block.kind == "command":
            self.commands.append(block)
            self.is_open = True
            self.asked.extend(_asked_by(block))
        elif block.kind == "stray":
            self.faults.add(STRAY, block.line)
        elif block.refused:
            self.refuse(block)
        elif block.kind == "object":
            self.display(block)

    def refuse(self, message: Block) -> None:
        """The last command was not carried out, which several messages may say. NOT_THERE answers what it asks for."""
        if self.is_open:
            refused, self.is_open = self.commands.pop(), False
            if message.name != NOT_THERE:
                self.forget_asked(refused)

    def forget_asked(self, command: Block) -> None:
        """What the last command asks for was not answered."""
        self.asked = self.asked[: len(self.asked) - len([*_asked_by(command)])]

    def display(self, block: Block) -> None:
        self.shows, self.is_open = self.shows or bool(block.lines or block.text), False
        try:
            shown = list(displayed(block))
        except UnshownError as fault:
            self.faults.add(UNSHOWN, fault.line, fault.column)
            return
        kind = kind_displayed({word: value for word, value, _ in shown})
        if block.name in READ_BELOW and shown and not kind:
            self.faults.add(UNTOLD, block.line)
            return
        if shown and not kind:
            self.pass_by(shown[0])
        cut = [place for word, value, place in shown if not value and is_part(word)] if kind else []
        if cut:
            self.faults.add(UNSHOWN, *cut[0])
            return
        begun = self.observe(shown, 0, block.line, block.headless)
        while begun < len(shown):
            begun = self.observe(shown, begun, shown[begun][2][0], headless=True)

    def pass_by(self, first: ShownAttribute) -> None:
        """Say so where what is passed by is of no kind that is known: once for each attribute that it begins with."""
        word, _, (line, column) = first
        if word not in PASSED_BY and word not in self.unknown:
            self.unknown.add(word)
            self.remarks.append(Diagnostic(self.source, UNKNOWN_KIND.format(word), line, column))

    def observe(self, shown: list[ShownAttribute], begun: int, of: int, headless: bool) -> int:
        """Records the object whose attributes begin there, on line ``of``; where those of the next one begin."""
        values: dict[str, Value] = {}
        places = []
        end = mixed = len(shown)
        for at in range(begun, end):
            word, value, (line, column) = shown[at]
            if at > begun and begins_another(word, shown[begun][0]):
                end = at
                break
            if word in values:
                mixed = min(mixed, at)
            else:
                values[word] = _value(word, value)
                places.append((line - of, column))
        values = in_full(values)
        kind = kind_displayed(values)
        if kind and mixed < end:
            self.faults.add(RUN_TOGETHER.format(shown[mixed][0]), *shown[mixed][2])
        elif kind:
            if headless:
                self.remarks.append(Diagnostic(self.source, HEADLESS, of))
            name = str(values.pop(shown[begun][0]))
            if kind == "QMGR" or (kind == "CLUSQMGR" and values.get("DEFTYPE") == "CLUSRCVR"):
                self.own(name, of + places[0][0])
            self.record(kind, "" if kind == "QMGR" else name, values, of, places[1:])
        return end

    def record(self, kind: str, name: str, values: Mapping[str, Value], line: int, places: list[LinePlace]) -> None:
        stated = self.alike[tuple(values)].values([*values.values()])
        shared = self.places[tuple(places)]
        self.records.append(Record("observe", kind, name, stated, source=self.source, line=line, places=shared))

    def own(self, name: str, line: int) -> None:
        """Take the name of the queue manager that displays: it says so itself, or it owns a CLUSRCVR."""
        if not self.owner:
            self.owner, self.owner_line = name, line


def _name(sessions: Sequence[_Session]) -> None:
    """Sessions that begin in the same words tell by what is there in the place of a name that is known."""
    known = [each for each in sessions if each.said and each.owner]
    shapes = [SAID_OF.format(re.escape(each.owner)) for each in known]
    parts = [re.split(shape, each.said) for shape, each in zip(shapes, known, strict=True)]
    for session in sessions if len(sessions) > 1 else ():
        if session.said and not session.owner:
            for before, after in (each for each in parts if len(each) == 2):
                found = re.fullmatch(rf"{re.escape(before)}([A-Za-z0-9._/%]+?){re.escape(after)}", session.said)
                if found:
                    session.own(found[1], session.said_line)
        if session.said and not session.owner:
            session.faults.add(OWNERLESS, session.said_line)


def _may_be_none(script: Script) -> bool:
    """Whether something was asked for of which there may be none: a queue manager is always there, to be shown."""
    return any(each.kind != "QMGR" for each in script.asked)


def _asked_by(command: Block) -> Iterator[Inquiry]:
    """What a DISPLAY command asks for, also where there is none."""
    asks = Inquiry.of(" ".join(line.rstrip(" +-;") for _, line, _ in command.lines))
    if asks is not None:
        yield asks


def _echoed(commands: Sequence[Block], source: str) -> Script:
    """What the echoed commands state, on their lines and in their columns."""
    lines = [each for block in commands for each in block.lines]
    return read_embedded(((number, "" if _is_end(line) else line, before) for number, line, before in lines), source)


def _is_end(line: str) -> bool:
    return line.strip(" ;").upper() in ENDS


def _value(word: str, value: str) -> Value:
    if is_secret(word):
        return ""
    return tuple(part.strip() for part in value.split(",")) if word == "NAMES" and "," in value else value


RUNMQSC = Format("runmqsc", "output of runmqsc", _recognised, read_runmqsc, in_pieces=True)
