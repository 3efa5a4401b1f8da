"""Read MQSC scripts and dmpmqcfg dumps: commands to records."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import Factory, define, evolve, field, frozen

from mqclause.model.diagnostics import Diagnostic, Diagnostics, DomainError, is_secret, quote_value, suggest_word
from mqclause.model.facts.domains import Words
from mqclause.model.patterns import compile_later
from mqclause.model.readers.formats import BYTE_ORDER_MARK, Confidence, Format
from mqclause.model.readers.records import (
    AMBIGUOUS_VERBS,
    ATTRIBUTE_NOUNS,
    ATTRIBUTE_VERBS,
    BEGINS_COMMAND,
    ENDS,
    EVERY_NOUN,
    FLAGS,
    NAME_VALUED,
    NAMED_NOUNS,
    NOTHING_SHOWN,
    NOUNS,
    OPERATED_NOUNS,
    RECORD_ACTIONS,
    SYNONYMS,
    VERB_NOUNS,
    VERB_SYNONYMS,
    VERBS,
    AttributeShapes,
    Coverage,
    LinePlace,
    Record,
    Script,
    TextCache,
    Value,
    describe_unknown_attribute,
    get_known_attributes,
    list_channel_types,
    list_objects_with,
)

OWNER, ISSUED = "Queue manager name", "Command issued"
BEGINNING, END = "Script generated on", "Script ended on"
"""What a dump says of itself: first, in its head, and last."""

HEADER = compile_later(
    r"\*+ *(Queue manager (?:name|platform|command level)|Command issued|Script (?:generated|ended) on)\b:? *(.*)"
)
COUNTED = compile_later(r"\*+ *(\w+) count: *(\d{1,9})\s*")
COUNTED_KINDS = {
    "QueueManager": "QMGR", "NameList": "NAMELIST", "Process": "PROCESS", "Channel": "CHANNEL", "AuthInfo": "AUTHINFO",
    "Listener": "LISTENER", "Service": "SERVICE", "CommInfo": "COMMINFO", "Topic": "TOPIC", "Subscription": "SUB",
}  # fmt: skip
"""What the trailer of a dump counts, by its own words; of queues it counts dynamic ones too, which it has not."""

SHOWN = compile_later(r"\* {2,}+([A-Z][A-Z0-9]*+)(?:\((.*)\))?+\s*+\+")
IN_DOUBLE_QUOTES = compile_later(r"""'(?:[^']++|'')*+'|\([ \t]*+("[^"]*+")""")
"""A quoted text, which is passed by, or a value that begins with a text in double quotes."""

DOUBLE_QUOTES = "a text in double quotes is read as one in single quotes, which alone IBM documents for MQSC"
STARTING = compile_later(r"\s*+Starting MQSC for queue manager (\S+)")
SHELL_COMMANDS = frozenset({"SETMQAUT", "GRTMQMAUT"})
"""The commands that dmpmqcfg writes in the place of MQSC, if it is asked for these."""

NO_MQSC = "{} is no MQSC, but a command for a shell; allowed: dmpmqcfg -o mqsc, 1line or 2line; the rest is not read"
NO_VERB = "{} is no verb of MQSC; allowed: ALTER, DEFINE, DELETE and the others"

NO_COMMAND = "no MQSC command starts here; allowed: ALTER, DEFINE, DELETE and the other verbs of MQSC"

NO_COMMANDS = NO_COMMAND.replace(";", ", nor down to line {};", 1)
TEMPLATE = ("{%", "{{", "{#", "<%")
TEMPLATE_LINE = "a line of a template stands here; allowed: what is made of it when it is filled in"
NUMBERED_HERE = (
    "columns 73 to 80 have a number here, and not on every line; allowed: on all of them, as on z/OS, or on none"
)

BEFORE_AN_OBJECT = compile_later(
    rf"\s*+[A-Za-z]{{1,16}}+\s++(?:{'|'.join(sorted({*NOUNS, *SYNONYMS}))})\s*+\(", re.IGNORECASE
)
"""A word that stands where a verb does."""

SUGGESTED = 50
"""So many faults of a source come with a suggestion: looking for one takes time."""

VERB_WORD = "|".join(sorted({*VERBS, *VERB_SYNONYMS}))
NOUN_WORD = "|".join(sorted({*NOUNS, *ATTRIBUTE_NOUNS, *SYNONYMS}))

# A verb at the start of a line is not enough: sentences start with "Set" and "Define" too.
MQSC_COMMAND = compile_later(
    rf"^[ \t]*(?:{VERB_WORD})\b[^\n]*(?:\w\(|\b(?:{NOUN_WORD})[ \t]*\(|\bQMGR\b|[+-][ \t]*\r?$)",
    re.MULTILINE | re.IGNORECASE,
)
DUMP_HEADER = compile_later(r"^\*[ \t]*Queue manager name:", re.MULTILINE)

SHORTEST_SHOWN = 2
"""So many letters of a known word can stand in a message: they are no part of a password."""

_NONE: frozenset[str] = frozenset()

NOTHING_MISPLACED: Misplaced = {}

SIMPLE_VALUE = r"\([ \t]*+(?:'[^'\n]*+'|[^\s,'\"()]*+)[ \t]*+\)"
BEFORE_WORD = r"(?:[ \t]++\+[ \t]*+\r?\n(?:\* {2,}+|[ \t]*+)|[ \t]++)"

KEYWORD = r"[A-Za-z][A-Za-z0-9]*+"

TOKEN = compile_later(rf"({BEFORE_WORD})({KEYWORD})({SIMPLE_VALUE}|)", re.ASCII)
"""What stands before a parameter, its keyword, its value with the parentheses; a comment that shows one is one too."""

SIMPLE_COMMAND = compile_later(
    rf"({KEYWORD})((?:{BEFORE_WORD}{KEYWORD}(?:{SIMPLE_VALUE})?+)++)[ \t]*+;?[ \t]*+\r?(?:\n|\Z)", re.ASCII
)
"""A whole command in which no value is a list, has an apostrophe or parentheses in it, or is continued."""

LONGEST_IN_BYTES = 255
"""The length of a value that a byte can say."""

LONGEST_WORD = 16
"""No word of MQSC is longer; longer ones are not compared with them."""

QUOTED = r"'([^']*+(?:''[^']*+)*+)'"

PARAMETER = compile_later(
    rf"""[\s,]*+ ({KEYWORD})
         (?: \s*+ \( (?: \s*+ (?: {QUOTED} | ([^\s,'"()]*+) ) \s*+ \) | () ) )?+""",
    re.ASCII | re.VERBOSE,
)
"""A keyword, with its value if that is one text; group 4 stands for a value that needs a closer look."""

ITEM = compile_later(
    rf"""[\s,]*+ (?: {QUOTED} (?=[\s,)]|\Z) | "([^"]*+)" (?=[\s,)]|\Z)
         | ((?: \{{\{{[^{{}}]*+\}}\}} | \$\{{[^{{}}]*+\}} | [^\s,'"()] )++) (?!['"]) | (\() | (\)) )""",
    re.ASCII | re.VERBOSE,
)
"""One text of a list (single-quoted, double-quoted, unquoted), or a parenthesis. A template is one text."""

NESTED = compile_later(r"""['"()]""")
REMARKS = ("*", "#", "//", "/*", "--", "<!--")
"""How a remark begins that somebody has put behind a command."""

OPENS_TEMPLATE = "{{"
"""What begins something that is yet to be filled in: anything may stand in it."""

QUOTE_INSIDE = "a quote stands inside an unquoted value"
GAP = compile_later(r"[\s,]*+", re.ASCII)


def read_mqsc(text: str | Iterable[str], source: str, kept: Misplaced = NOTHING_MISPLACED, first: int = 1) -> Script:
    """Read a script or a dump, which may come in pieces of whole lines: what it configures as records, what cannot be
    read as diagnostics. It begins on the line ``first`` of its source.

    Commands that configure nothing (DISPLAY, SET, …) are checked and left out; what operates channels and the queue
    manager (START and STOP CHANNEL, SUSPEND, RESUME, REFRESH) is kept. The values of passwords and keys are dropped.
    Never raises.
    """
    reader = _Reader(source, kept)
    pieces = iter([text.removeprefix(BYTE_ORDER_MARK)] if isinstance(text, str) else text)
    lines = MqscLines(_strip_line_numbers(pieces), number=first)
    while not reader.ended and lines.has_more():
        simple = SIMPLE_COMMAND.match(lines.text, lines.position)
        if simple is None or not reader.take_simple(_split_tokens(simple), simple.end(), lines):
            reader.take_next(lines)
    return reader.script()


BLANK_CHARACTERS = " \t\r\f\v"
CUT_VERB = compile_later(r"\s*([A-Za-z]+)[+-]$")
"""A line that has the beginning of a verb, which goes on with the next one."""

LAST_OF_MQSC, LAST_COLUMN = 72, 80
NUMBERED = compile_later(r"^([^\n]{72})\d{8}[ \t]*(\r?)$", re.MULTILINE | re.ASCII)
"""A line of 80 columns that z/OS reads 72 of: it has a number in the others."""

BLANK_LINES = compile_later(r"(?:[ \t\r\f\v]*+\n)++")


@define
class Command:
    """The text of one command with its continued lines joined.

    ``text`` is set when the command is complete; ``cut`` says that it is still continued where the input ends.
    ``remarks`` are the comments between its lines, with their line numbers. ``columns`` are those that were taken off
    before each of its lines.
    """

    text: str = ""
    cut: bool = False
    remarks: list[tuple[str, int]] = field(factory=list)
    lines: list[int] = field(factory=list)
    starts: list[int] = field(factory=list)
    columns: list[int] = field(factory=list)
    _pieces: list[str] = field(factory=list)
    _length: int = 0
    _sign: str = ""

    def add(self, line: str, number: int) -> bool:
        """Take one more line, without its trailing blanks; true if it is the command's last one."""
        piece = line if self._sign == "-" else line.lstrip(BLANK_CHARACTERS)
        before = len(line) - len(piece)
        sign = piece[-1]
        if sign == "+" or sign == "-":
            piece = piece[:-1]
        else:
            sign = ""
            if piece[-1] == ";":
                piece = _ended(piece)
        self._sign = sign
        self.lines.append(number)
        self.starts.append(self._length)
        self.columns.append(before)
        self._pieces.append(piece)
        self._length += len(piece)
        return not sign

    @property
    def has_line_number(self) -> bool:
        """Whether the last line ends in a number where one stands on z/OS."""
        before, piece = self.columns[-1], self._pieces[-1]
        return len(piece) + before == LAST_COLUMN and piece[LAST_OF_MQSC - before :].isdigit()

    def joined(self, cut: bool = False) -> Command:
        """Join the lines of the command; ``cut`` says that its end is missing."""
        self.text = "".join(self._pieces)
        self.cut = cut
        return self

    def find_place(self, offset: int) -> tuple[int, int]:
        """Find the number of the line that holds ``text[offset]``, and the column in it."""
        at = max(bisect_right(self.starts, offset) - 1, 0)
        return self.lines[at], self.columns[at] + offset - self.starts[at] + 1


def _begins(line: str) -> bool:
    """Whether a line begins with a verb, or with the first letters of one that goes on with the next line."""
    cut = CUT_VERB.match(line)
    return bool(BEGINS_COMMAND.match(line)) or bool(cut and any(each.startswith(cut[1].upper()) for each in VERBS))


def _strip_line_numbers(pieces: Iterator[str]) -> Iterator[str]:
    """Strip the numbers in columns 73 to 80, if every line of the first piece has one that is not blank."""
    first = next(pieces, "")
    begun = first.lstrip()
    end = begun.find("\n")
    is_numbered = NUMBERED.match(begun[: end if end >= 0 else len(begun)]) and (
        sum(1 for line in first.split("\n") if line.strip()) == sum(1 for _ in NUMBERED.finditer(first))
    )
    for piece in chain([first], pieces):
        yield NUMBERED.sub(r"\1\2", piece) if is_numbered else piece


def _ended(line: str) -> str:
    """A line without its terminator, which ends a command even where a sign would continue it."""
    return line.rstrip(";" + BLANK_CHARACTERS).removesuffix("+")


@define
class MqscLines:
    """A text that comes in pieces of whole lines, from ``position`` of one on: the beginning of the line ``number``."""

    pieces: Iterator[str]
    text: str = ""
    position: int = 0
    number: int = 1

    def has_more(self) -> bool:
        """Return whether any line is left; ``position`` is then in the piece that has it."""
        while self.position >= len(self.text):
            piece = next(self.pieces, None)
            if piece is None:
                return False
            self.text, self.position = piece, 0
        return True

    def skip(self, position: int, lines: int) -> None:
        """Skip to ``position`` in the text, which is a number of ``lines`` further on."""
        self.position, self.number = position, self.number + lines

    def command(self, remark: Callable[[str, int], None]) -> Command | None:
        """Return the command that begins on this line; None if none does. ``remark`` is told a comment.

        A command ends at the first line that is not continued, whatever quotes are open, so that one bad
        command costs no other.
        """
        command, is_loose = Command(), False
        while self.has_more():
            here = self.position
            line, number = self._line(), self.number - 1
            if is_loose and BEGINS_COMMAND.match(line):
                self.skip(here, -1)  # what begins no command has none go on with it
                return command.joined()
            if not line:
                self._skip_blank()
            elif line.lstrip(BLANK_CHARACTERS)[0] != "*":
                if command.add(line, number):
                    return command.joined()
                is_loose = is_loose or (len(command.lines) == 1 and not _begins(line))
            elif command.lines:
                command.remarks.append((line, number))
            else:
                remark(line, number)
            if not command.lines:
                return None
        return command.joined(cut=True)

    def _skip_blank(self) -> None:
        blank = BLANK_LINES.match(self.text, self.position)
        if blank:
            self.skip(blank.end(), blank[0].count("\n"))

    def _line(self) -> str:
        end = self.text.find("\n", self.position)
        end = len(self.text) if end < 0 else end
        line = self.text[self.position : end].rstrip(BLANK_CHARACTERS)
        self.skip(end + 1, 1)
        return line


@define
class Statement:
    """A command in canonical words; ``bare`` has the parameters that stand without a value."""

    verb: str
    noun: str = ""
    name: str = ""
    attributes: dict[str, Value] = field(factory=dict)
    offsets: list[int] = field(factory=list)
    bare: list[str] = field(factory=list)

    @property
    def action(self) -> str | None:
        """The action of the command's record; None if it neither configures nor operates what decisions rest on."""
        return RECORD_ACTIONS.get(self.verb) if self.noun in ("", OPERATED_NOUNS.get(self.verb, self.noun)) else None

    def fault(self, message: str, word: str) -> UnreadableError:
        """Build the error for what is wrong with the parameter ``word``."""
        return UnreadableError(message, self.find_offset(word))

    def find_offset(self, word: str) -> int:
        """Find where the parameter ``word`` begins in the command."""
        return self.offsets[list(self.attributes).index(word)]

    def drop(self, word: str) -> None:
        """Take the parameter ``word`` out."""
        del self.offsets[list(self.attributes).index(word)]
        del self.attributes[word]


def _parse_statement(command: Command, kept: Misplaced = NOTHING_MISPLACED) -> Statement | None:
    """Parse the command's statement, or None if there is nothing in it; unchecked if its verb configures no MQ object.

    What is ``kept`` is no fault although MQSC does not have it. Raises UnreadableError.
    """
    words = parse_parameters(command.text)
    try:
        first = next(words, None)
    except UnreadableError as fault:
        raise UnreadableError(NO_COMMAND, fault.offset) from None
    if first is None:
        return None
    found = Statement(VERB_SYNONYMS.get(first[0], first[0]))
    if found.verb in VERBS:
        if first[1] is not None:
            raise UnreadableError(f"{found.verb} takes no value; an object type follows it", first[2])
        if command.cut:
            raise UnreadableError(
                "the last line of this command is continued, but the input ends there", len(command.text)
            )
        _fill(found, words)
        _check(found, kept)
    return found


@frozen(eq=False)
class CommandTokens:
    """A simple command: its verb, and of each parameter what stands before it, its keyword and its value."""

    verb: str
    gaps: tuple[str, ...]
    words: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """The part that all commands of one form share."""
        return self.verb, self.gaps, self.words, tuple(map(bool, self.values))

    @property
    def lines(self) -> int:
        """The number of lines that the command takes."""
        return 1 + sum("\n" in gap for gap in self.gaps)

    def places(self, lengths: Iterable[int]) -> list[LinePlace]:
        """Return the place of each parameter for values of these lengths; lines count from the command's first."""
        found, line, column = [], 0, 1 + len(self.verb)
        for gap, word, length in zip(self.gaps, self.words, lengths, strict=True):
            if "\n" in gap:
                line, column = line + 1, 1 + len(gap) - gap.index("\n") - 1
            else:
                column += len(gap)
            found.append((line, column))
            column += len(word) + length
        return found


def _split_tokens(found: re.Match[str]) -> CommandTokens:
    """Split a simple command that was found into its tokens."""
    gaps, words, values = zip(*TOKEN.findall(found.string, found.end(1), found.end(2)), strict=True)
    return CommandTokens(found[1], gaps, words, values)


def _unescape_quotes(quoted: str) -> str:
    """Remove the quotes of a quoted value."""
    text = quoted.replace("''", "'")
    return text if text.strip(" ") else ""


def _value(given: str) -> str:
    inner = given[1:-1].strip(" \t")
    return _unescape_quotes(inner[1:-1]) if inner[:1] == "'" else inner.upper()


def _shown_value(given: str) -> str:
    return given[1:-1].strip("' ")


@frozen(eq=False)
class CommandForm:
    """The way to make a record of the values of a simple command: the positions of its name and attributes.

    ``like`` is the record of the first command of this form, None if such a command configures nothing; ``first`` are
    its tokens. ``places`` are None where they depend on how long the values are. ``chltype`` is the channel type that
    the attributes were checked for.
    """

    first: CommandTokens
    like: Record | None
    name_at: int = 0
    attributes: Sequence[int] = ()
    shown: Sequence[int] = ()
    places: Sequence[LinePlace] | None = None
    stated: AttributeShapes = field(factory=lambda: AttributeShapes((), _value))
    commented: AttributeShapes = field(factory=lambda: AttributeShapes((), _shown_value))
    lines: int = 1
    chltype: Value = ""

    def build_record(self, like: Record, tokens: CommandTokens, line: int) -> Record | None:
        """Build the record of a command of this form on ``line``; None if it has to be parsed in full."""
        given = tokens.values
        name = _value(given[self.name_at]).rstrip(" ")
        stated = self.stated.values([*map(given.__getitem__, self.attributes)])
        if (not name and like.kind in NAMED_NOUNS) or (self.chltype and stated["CHLTYPE"] != self.chltype):
            return None
        places = self.places or PlacesByLength(self, _lengths(given))
        comments = self.commented.values([*map(given.__getitem__, self.shown)]) if self.shown else NOTHING_SHOWN
        return Record(like.action, like.kind, name, stated, comments, like.source, line, places)

    def places_of(self, lengths: Iterable[int]) -> list[LinePlace]:
        """Return the places of a record's attributes for token values of these lengths."""
        places = self.first.places(lengths)
        return [places[at] for at in (*self.attributes, *self.shown)]


class PlacesByLength(Sequence[LinePlace]):
    """The places of a record's attributes where they depend on how long its values are: found when they are asked."""

    __slots__ = ("_form", "_lengths")

    def __init__(self, form: CommandForm, lengths: Sequence[int]) -> None:
        self._form = form
        self._lengths = lengths

    def __getitem__(self, at: Any) -> Any:
        return self._form.places_of(self._lengths)[at]

    def __iter__(self) -> Iterator[LinePlace]:
        return iter(self._form.places_of(self._lengths))

    def __len__(self) -> int:
        return len(self._form.attributes) + len(self._form.shown)

    def __reduce__(self) -> tuple[Any, ...]:
        # The form belongs to the reader, which stays where the file was read.
        return tuple, ([*self],)


def build_form(tokens: CommandTokens, record: Record | None) -> CommandForm | None:
    """Build the form of a command of which ``record`` was made; None if another one cannot be made in the same way."""
    if record is None:
        return CommandForm(tokens, None, lines=tokens.lines)
    shown = [at for at, gap in enumerate(tokens.gaps) if "*" in gap]
    if any(at + 1 == len(tokens.gaps) or "\n" not in tokens.gaps[at + 1] for at in shown):
        return None
    set_at = [at for at, gap in enumerate(tokens.gaps) if "*" not in gap]
    named = {SYNONYMS.get(word.upper(), word.upper()): at for at in set_at for word in [tokens.words[at]]}
    comments = [tokens.words[at] for at in shown]
    if set(named) != {record.kind, *record.attributes} or comments != list(record.informational) or _may_hide(tokens):
        return None
    form = CommandForm(
        tokens,
        record,
        named[record.kind],
        [named[name] for name in record.attributes],
        shown,
        stated=AttributeShapes(tuple(record.attributes), _value),
        commented=AttributeShapes(tuple(record.informational), _shown_value),
        lines=tokens.lines,
        chltype=record.attributes.get("CHLTYPE", ""),
    )
    return evolve(form, places=tuple(form.places_of(map(len, tokens.values)))) if _is_fixed(tokens) else form


COMMAND_REFUSED = "a command was refused: {}; what it would show is not known"
NOT_AUTHORIZED = "AMQ8135"
"""The message that says that who asks may not."""


class UnreadableError(Exception):
    """A command that is not MQSC: what is wrong, and at which offset. The message quotes no value.

    ``word`` is the word that is not one of ``known``, which may be a misspelt one of them.
    """

    def __init__(self, message: str, offset: int, word: str = "", known: Collection[str] = ()) -> None:
        self.message = message
        self.offset = offset
        self.word = word
        self.known = known
        super().__init__(message)

    def render_with_suggestion(self) -> str:
        """Render the message, or a better one if ``word`` is near a known one.

        A word that is near none is not shown, if the message does not show it: it may be the rest of a password
        after a broken line.
        """
        near = suggest_word(self.word, self.known) if 0 < len(self.word) <= LONGEST_WORD else ""
        if not near:
            return self.message
        return (
            f"{self.message}{near}"
            if self.message.endswith(self.word)
            else f"{quote_value(self.word)} is unknown{near}"
        )


def parse_parameters(text: str) -> Iterator[tuple[str, Value | None, int]]:
    """Parse each keyword of ``text`` in upper case with its value, or None if it has none, and its offset.

    Values without quotes are put in upper case, those in quotes kept. Raises UnreadableError.
    """
    position = 0
    end = len(text.rstrip(" ,\t\r\f\v"))
    while position < end:
        found = PARAMETER.match(text, position)
        if found is None:
            raise _no_keyword(text, position)
        value: Value | None = None
        position = found.end()
        form = found.lastindex
        if form == 2:
            value = _unescape_quotes(found[2])
        elif form == 3:
            value = found[3].upper()
        elif form == 4:
            value, position = _parameter_value(text, position, found[1].upper())
        yield found[1].upper(), value, found.start(1)


@define
class _Reader:
    """What has been read so far of one source."""

    source: str
    kept: Misplaced
    faults: Diagnostics = field(default=Factory(lambda self: Diagnostics(self.source), takes_self=True))
    header: dict[str, str] = field(factory=dict)
    header_lines: dict[str, int] = field(factory=dict)
    records: list[Record] = field(factory=list)
    forms: TextCache = field(factory=lambda: TextCache(lambda _: None))
    alike: TextCache = field(factory=lambda: TextCache(AttributeShapes))
    places: TextCache = field(factory=lambda: TextCache(lambda places: places))
    counts: dict[str, tuple[int, int]] = field(factory=dict)
    coverage: list[Coverage] = field(factory=list)
    notes: list[Diagnostic] = field(factory=list)
    ended: bool = False
    # Which fault says that no command starts, if nothing has been read since.
    run: int | None = None

    def script(self) -> Script:
        owner = self.header.get(OWNER, "")
        faults, remarks = tuple(self.faults.found), (*self.notes, *self.miscounted())
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
                f"the objects of another queue manager, {quote_value(value)}, start here"
                f" after those of {quote_value(known)};"
                " allowed: one queue manager a file; the rest is not read",
                line,
            )

    def cover(self, key: str, value: str) -> None:
        """What a dump holds, by its head; before its trailer it may have been cut. A file may have several."""
        if key == BEGINNING:
            self.coverage.append(Coverage(tells_absence=False))
        elif key == ISSUED:
            issued = Coverage.from_dump_command(value)
            self.coverage[-1:] = [evolve(issued, tells_absence=False)] if self.coverage else [issued]
        elif key == END and self.coverage:
            self.coverage[-1] = self.coverage[-1].ended()

    def take_simple(self, tokens: CommandTokens, end: int, lines: MqscLines) -> bool:
        """Read a simple command like one before; false if it is the first of its form, or not like that after all."""
        form = self.forms[tokens.key]
        if form is None:
            return self.take_first(tokens, lines)
        self.run = None
        if form.like is not None:
            record = form.build_record(form.like, tokens, lines.number)
            if record is None:
                return False
            self.records.append(record)
        lines.skip(end, form.lines)
        return True

    def take_first(self, tokens: CommandTokens, lines: MqscLines) -> bool:
        """Read a command that others may be like; true."""
        before = len(self.records), len(self.faults.found)
        self.take_next(lines)
        records, faults = len(self.records), len(self.faults.found)
        if faults == before[1] and VERB_SYNONYMS.get(tokens.verb.upper(), tokens.verb.upper()) in VERBS:
            self.forms[tokens.key] = build_form(tokens, self.records[-1] if records > before[0] else None)
        return True

    def take_next(self, lines: MqscLines) -> None:
        """Read what stands on the next lines."""
        command = lines.command(self.remark)
        if command is not None:
            try:
                self.take(command)
            except UnreadableError as fault:
                self.refuse(fault, command)

    def take(self, command: Command) -> None:
        """Read one command. Raises UnreadableError."""
        found = _parse_statement(command, self.kept)
        if found is None:
            return
        self.run = self.run if found.verb not in VERBS else None
        if found.verb in ENDS:
            self.ended = True
        elif found.verb not in VERBS:
            self.ended = found.verb in SHELL_COMMANDS
            self.unknown(found.verb, command)
        elif found.action:
            self.records.append(self.record(found, found.action, command))
            if '"' in command.text and not self.notes:
                self.note_double_quotes(command)

    def note_double_quotes(self, command: Command) -> None:
        """Note the first value in double quotes: not every program that runs MQSC takes those."""
        quoted = next((each for each in IN_DOUBLE_QUOTES.finditer(command.text) if each[1]), None)
        if quoted is not None:
            self.notes.append(Diagnostic(self.source, DOUBLE_QUOTES, *command.find_place(quoted.start(1))))

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
        message = fault.render_with_suggestion() if few else fault.message
        if message == NO_COMMAND and command.text.lstrip().startswith(TEMPLATE):
            message = TEMPLATE_LINE
        if command.has_line_number:
            message = NUMBERED_HERE
        if message == NO_COMMAND and self.run is not None:
            begun = self.faults.found[self.run]
            self.faults.found[self.run] = evolve(begun, message=NO_COMMANDS.format(command.lines[-1]))
            return
        self.run = len(self.faults.found) if message == NO_COMMAND else None
        self.faults.add(message, *command.find_place(fault.offset))

    def record(self, found: Statement, action: str, command: Command) -> Record:
        found.drop(found.noun)
        first = command.lines[0]
        shown = _shown(command.remarks) if command.remarks else {}
        places = [command.find_place(offset) for offset in found.offsets]
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


def _recognised(text: str, _: str) -> Confidence:
    """By a command, or by the header of a dump."""
    return Confidence.sure_if(MQSC_COMMAND.search(text) or DUMP_HEADER.search(text))


def _fill(found: Statement, words: Iterator[tuple[str, Value | None, int]]) -> None:
    attributes = found.attributes
    run = ""
    for keyword, value, offset in words:
        word = SYNONYMS.get(keyword, keyword)
        if word in attributes:
            raise UnreadableError(f"{word} is given twice", offset)
        if value is None:
            if (word in VERBS or word in VERB_SYNONYMS) and not _is_asked_for(word, found):
                verb = VERB_SYNONYMS.get(word, word)
                raise UnreadableError(f"{verb} stands within a command; each one starts on a new line", offset)
            # what follows may be the secret itself, so that nothing more of this command is looked at
            if is_secret(word) and found.action:
                raise UnreadableError(f"{word} needs a value in parentheses", offset)
            value = ""
            run = (run + word)[-LONGEST_WORD:]
            found.bare.append(word)
        else:
            # a secret's keyword that is broken over two lines may arrive as two words
            if is_secret(word) or (run and is_secret(run + word)):
                value = ""
            run = ""
        attributes[word] = value
        found.offsets.append(offset)


def _is_asked_for(word: str, found: Statement) -> bool:
    """Whether a verb is no verb where it stands, within the command that is ``found``."""
    return word in AMBIGUOUS_VERBS or (found.verb == "DISPLAY" and ATTRIBUTE_VERBS.get(word) in found.attributes)


def _check(found: Statement, kept: Misplaced) -> None:
    """Find the object type and its name, and refuse what MQ refuses about them."""
    found.noun = _noun(found)
    for word in (each for each in found.attributes if each in FLAGS):
        if word not in found.bare and found.action in ("define", "alter"):
            raise found.fault(f"{word} takes no value", word)
        if f"NO{word}" in found.attributes:
            raise found.fault(f"{word} and NO{word} are given together", f"NO{word}")
    if found.action:
        found.name = _name(found)
        if found.verb == "DEFINE" and found.noun == "CHANNEL" and "CHLTYPE" not in found.attributes:
            raise found.fault("DEFINE CHANNEL needs CHLTYPE", "CHANNEL")
    _check_attributes(found, kept)


def _check_attributes(found: Statement, kept: Misplaced) -> None:
    """Refuse the first attribute that MQSC does not have for this object."""
    of = _channel_type(found) if found.noun == "CHANNEL" and found.action else ""
    known = get_known_attributes(found.verb, found.noun, of)
    known = known and known | kept.get(of, _NONE)
    if known is None:
        return
    if found.attributes.keys() <= known:
        _check_bare(found)
        return
    word = next(word for word in found.attributes if word not in known)
    longer = sorted(each for each in known if each.startswith(word)) if len(word) >= SHORTEST_SHOWN else []
    if longer and word in found.bare:
        message = f"{found.verb} {found.noun} has no attribute {word}; it is not short for {', '.join(longer)}"
        raise UnreadableError(f"{message}: attributes are written out", found.find_offset(word))
    bare, elsewhere = word in found.bare, list_objects_with(word)
    # a word without a value that is no word of MQSC may be the rest of a password: only what is near a flag is shown
    shown = elsewhere or (not bare and len(word) <= LONGEST_WORD)
    message = (
        describe_unknown_attribute(found.verb, found.noun, word, of)
        if shown
        else f"{found.verb} {found.noun} has no such attribute"
    )
    near = frozenset[str]() if elsewhere else known & FLAGS if bare else known
    raise UnreadableError(message, found.find_offset(word), word, near)


def _channel_type(found: Statement) -> str:
    """The CHLTYPE that is given, blank if none is."""
    if "CHLTYPE" not in found.attributes:
        return ""
    try:
        return Words(list_channel_types())(found.attributes["CHLTYPE"], "CHLTYPE")
    except DomainError as error:
        raise found.fault(str(error), "CHLTYPE") from None


def _noun(found: Statement) -> str:
    """The object type: the word that is one, wherever it stands (on z/OS it need not be second)."""
    nouns = [word for word in found.attributes if word in NOUNS] if found.attributes.keys() & NOUNS else []
    if len(nouns) > 1 and found.action:
        raise found.fault(f"{found.verb} is given two object types, {nouns[0]} and {nouns[1]}", nouns[1])
    allowed = VERB_NOUNS.get(found.verb, EVERY_NOUN)
    for word in nouns or found.attributes:
        if word in allowed:
            return word
    first = next(iter(nouns or found.attributes), "")
    if first in EVERY_NOUN:
        raise found.fault(f"{found.verb} has no object type {first}", first)
    offset = found.offsets[0] if first else 0
    raise UnreadableError(f"{found.verb}: an object type is missing", offset, first, allowed)


def _name(found: Statement) -> str:
    name = found.attributes[found.noun]
    if not isinstance(name, str):
        raise found.fault(f"{found.verb} {found.noun} takes one name", found.noun)
    name = name.rstrip(" ")
    if name and found.noun == "QMGR":
        raise found.fault(f"{found.verb} QMGR takes no name", "QMGR")
    if not name and found.noun in NAMED_NOUNS:
        raise found.fault(f"{found.verb} {found.noun} needs a name in parentheses", found.noun)
    return name


def _check_bare(found: Statement) -> None:
    """Refuse the first parameter that stands without a value and is no flag."""
    for word in found.bare if found.action in ("define", "alter") else ():
        if word != found.noun and word not in FLAGS:
            raise found.fault(f"{word} needs a value in parentheses", word)


def _lengths(values: Sequence[str]) -> Sequence[int]:
    lengths = [*map(len, values)]
    return bytes(lengths) if max(lengths) <= LONGEST_IN_BYTES else lengths


def _may_hide(tokens: CommandTokens) -> bool:
    """Whether a word is that of a secret, or the last of words without a value that together are."""
    run = ""
    for word, value in zip(tokens.words, tokens.values, strict=True):
        run = (run + word.upper())[-LONGEST_WORD:]
        if is_secret(run) or is_secret(word.upper()):
            return True
        run = "" if value else run
    return False


def _is_fixed(tokens: CommandTokens) -> bool:
    """Whether each parameter behind the first value stands first on its line."""
    return all("\n" in gap or not value for gap, value in zip(tokens.gaps[1:], tokens.values, strict=False))


def _parameter_value(text: str, start: int, keyword: str) -> tuple[Value, int]:
    """The value whose opening parenthesis ends at ``start``, and the offset behind its closing one."""
    items: list[str] = []
    position = start
    while True:
        found = ITEM.match(text, position)
        if found is None:
            raise _no_value(text, position, keyword)
        position = found.end()
        form = found.lastindex
        if form == 5:
            return (items[0] if len(items) == 1 else tuple(items)) if items else "", position
        if form == 4:
            return _nested(text, start, keyword)
        items.append(_item(found))


def _item(found: re.Match[str]) -> str:
    if found.lastindex == 1:
        return _unescape_quotes(found[1])
    if found.lastindex == 2:
        return _unescape_quotes(found[2].replace("'", "''"))
    return found[3].upper()


def _nested(text: str, start: int, keyword: str) -> tuple[str, int]:
    """A value with parentheses outside quotes, such as ``host(1414)``: all of it is one text."""
    depth = 1
    for found in NESTED.finditer(text, start):
        if found[0] in "'\"":
            raise UnreadableError(f"{keyword}: {QUOTE_INSIDE}", found.start())
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            value = text[start : found.start()].strip().upper()
            if SYNONYMS.get(keyword, keyword) in NAME_VALUED and OPENS_TEMPLATE not in value:
                raise UnreadableError(f"{keyword}: a parenthesis stands in a name", start)
            return value, found.end()
    raise UnreadableError(f"{keyword}: a parenthesis is opened but not closed in this command", start)


def _no_keyword(text: str, position: int) -> UnreadableError:
    offset = _skipped(text, position)
    sign = text[offset]
    if sign == ";":
        return UnreadableError("';' ends a command, and the next one starts on a new line", offset)
    if sign == ")":
        return UnreadableError("a parenthesis is closed but not opened", offset)
    if sign == "(":
        return UnreadableError("a value in parentheses stands without a keyword", offset)
    if sign in "'\"":
        return UnreadableError("a quoted text stands outside parentheses", offset)
    if text.startswith(REMARKS, offset):
        return UnreadableError("a remark needs a line of its own, which begins with *", offset)
    return UnreadableError("what stands here is no keyword; a keyword has letters and digits only", offset)


def _no_value(text: str, position: int, keyword: str) -> UnreadableError:
    offset = _skipped(text, position)
    if offset == len(text):
        return UnreadableError(f"{keyword}: a parenthesis is opened but not closed in this command", offset)
    quote = text[offset]
    if quote in "'\"":
        if text.count(quote, offset) % 2:
            return UnreadableError(f"{keyword}: a quote is opened but not closed in this command", offset)
        return UnreadableError(f"{keyword}: text follows a closing quote; an apostrophe is written ''", offset)
    return UnreadableError(f"{keyword}: {QUOTE_INSIDE}", offset)


def _skipped(text: str, position: int) -> int:
    gap = GAP.match(text, position)
    return gap.end() if gap else position


MQSC = Format("MQSC", "MQSC scripts and dumps (dmpmqcfg)", _recognised, read_mqsc, in_pieces=True)

Misplaced = Mapping[str, frozenset[str]]
"""Attributes that MQSC does not have for a type of channel, by that type."""

PlacedLine = tuple[int, str, int]
"""The number of a line, what stands on it, and how many columns were taken off before that."""


def read_embedded(lines: Iterable[PlacedLine], source: str) -> Script:
    """Read the MQSC on these lines, with its places in the source. Never raises."""
    placed = {number: (line, before) for number, line, before in lines}
    first = min(placed, default=1)
    text = "\n".join(placed[at][0] if at in placed else "" for at in range(first, max(placed, default=0) + 1))
    read = read_mqsc(text, source, first=first)
    before = {number: width for number, (_, width) in placed.items()}
    records = tuple(evolve(each, places=_moved(each, before)) for each in read.records)
    faults = (
        evolve(each, column=each.column and each.column + before.get(each.line or 0, 0)) for each in read.diagnostics
    )
    return evolve(read, records=records, diagnostics=tuple(faults))


def _moved(record: Record, before: Mapping[int, int]) -> Sequence[LinePlace]:
    return [(below, column + before.get((record.line or 0) + below, 0)) for below, column in record.places]
