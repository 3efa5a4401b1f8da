"""Find MQSC in shell scripts, YAML and JCL."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise

from attrs import evolve, frozen

from mqclause.model.diagnostics import Diagnostic
from mqclause.model.patterns import compile_later
from mqclause.model.readers.formats import BYTE_ORDER_MARK, Confidence, Format
from mqclause.model.readers.mqsc import MQSC_COMMAND, PlacedLine, read_embedded
from mqclause.model.readers.records import BEGINS_COMMAND, Script, merge_scripts
from mqclause.model.readers.runmqsc import ScriptLines, find_invoked_name, has_output

TITLE = "MQSC in shell scripts, YAML and JCL"
COLUMNS = 72
"""So many columns of a line of JCL's data are MQSC: behind them stand numbers."""

SHEBANG = compile_later(r"#![ \t]*(?:[^\s/]*/)*([\w.-]+)(?:[ \t]+(?:-\S+[ \t]+)*([\w.-]+))?")
SHELLS = ("sh", "bash", "ksh", "zsh", "dash", "ash")
HERE_DOCUMENT = compile_later(r"(?<!<)<<(-?)[ \t]*(?:(['\"])([\w.-]+)\2|(\\?)([A-Za-z_][\w.-]*))")
CALLED = compile_later(r"\brunmqsc\b")
ASSIGNED = compile_later(
    r"""^[ \t]*(?:(?:export|readonly|local)[ \t]+)?(\w+)="""
    r"""(?:"([\w./%]+)"|'([\w./%]+)'|([\w./%]+)|.*)[ \t]*(?:[#;].*)?$""",
    re.MULTILINE,
)
VARIABLE = compile_later(r"\$(?:\{(\w+)\}|(\w+))")
QUOTE = compile_later(r"['\"]")
PRINTS = compile_later(r"\becho\b|\bprintf\b|<<<", re.IGNORECASE)

BLOCK_SCALAR = compile_later(r"( *+)((?:- ++)*+)(.*?)([|>])([-+]?)(\d?)[-+]?[ \t]*(?:#.*)?$")
KEY = compile_later(r"\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s#'\"\[{][^#]*?):(?:\s++[!&]\S++){0,2}+\s*+$")
"""What stands before a block scalar: its key, a tag and an anchor at most behind the colon."""
YAML_FIRST = compile_later(
    r"(?:[ \t]*(?:#[^\n]*|---[^\n]*|%[^\n]*|\{\{[^\n]*)?\r?\n)*"
    r"[ \t]*(?:- +)*(?:[\w./-]+|\"[^\"\n]+\"|'[^'\n]+')[ \t]*:(?:\s|$)"
)
OF_KUBERNETES = compile_later(r"^apiVersion:[ \t]*\S", re.MULTILINE)

FENCED = compile_later(r"^[ \t]*```[^`\n]*\n(.*?)(?:^[ \t]*```[ \t]*\r?$|\Z)", re.MULTILINE | re.DOTALL)
"""A block between fences, to the end of the text if nothing closes it."""

BEGINS_SCRIPT = compile_later(rf"\s*+(?:\*|{BEGINS_COMMAND.pattern})", re.IGNORECASE)

JCL_FIRST = compile_later(r"(?:[^\S\n]*+\n)*+//(?:\*|[A-Z0-9$#@]{1,8}[ \t]+(?:JOB|EXEC|DD|PROC|SET|JCLLIB|OUTPUT)\b)")
STATEMENT = compile_later(r"//(\S*)(?:\s+(\S+)(?:\s+(.*))?)?$")
IN_STREAM = compile_later(r"(?:^|,)(\*|DATA)(?=[,\s]|$)")
DELIMITER = compile_later(r"DLM=(?:'([^']{2})'|(\S{2}))")
OF_THE_UTILITY = compile_later(r"(?>.*?CSQUTIL).*PARM=\(?'?([A-Z0-9$#@]{1,4})\b")

EMBEDDED = "looks like {}: MQSC in {}"
ONLY_WORDS = "is a shell script; MQSC stands in {}: give what runmqsc reads"
WORDS_TOO = "MQSC stands in {} in quotes, which is not read: give what runmqsc reads"
WITHOUT = "is {} without MQSC that can be read"
PROGRAM = "is a program for {}: allowed is the MQSC that it gives to runmqsc, in a file of its own"
MARKDOWN = "is Markdown; MQSC stands in it from {} on: give what runmqsc reads"
FOLDED = "> folds the lines of this block into one, and so runmqsc gets them: | keeps them"


@frozen
class Passage:
    """MQSC within a text: its lines, what they are called there, and whose they are, if that is told."""

    name: str
    lines: Sequence[PlacedLine]
    owner: str = ""
    folded: bool = False

    @property
    def is_mqsc(self) -> bool:
        """Whether a command of MQSC stands in it."""
        return bool(MQSC_COMMAND.search("\n".join(line for _, line, _ in self.lines)))

    def __str__(self) -> str:
        first, last = self.lines[0][0], self.lines[-1][0]
        return f"{self.name}, {_lines([first, last] if last - first == 1 else range(first, last + 1))}"


def _lines(numbers: Sequence[int]) -> str:
    """The lines in words: ``line 6``, ``lines 4 and 5``, ``lines 4 to 9`` for a range, ``lines 4, 6 and 9``."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if isinstance(numbers, range):
        return f"lines {numbers[0]} to {numbers[-1]}"
    return f"lines {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _numbered(text: str) -> list[tuple[int, str]]:
    return [*enumerate((line.rstrip() for line in text.removeprefix(BYTE_ORDER_MARK).split("\n")), 1)]


def _trimmed(body: Sequence[PlacedLine]) -> list[PlacedLine]:
    """The lines without the blank ones at the end."""
    return [*body[: max((at for at, (_, line, _) in enumerate(body, 1) if line.strip()), default=0)]]


def _find_here_documents(text: str) -> Iterator[Passage]:
    """Find the here-documents of a shell script; a variable that is assigned once has its value."""
    values = _assigned(text)
    filled_in = partial(VARIABLE.sub, lambda found: values.get(found[1] or found[2], found[0]))
    lines = iter(_numbered(text))
    for number, line in lines:
        found = None if line.lstrip().startswith("#") else HERE_DOCUMENT.search(line)
        if found is None:
            continue
        end, body = found[3] or found[5], list[PlacedLine]()
        for at, inner in lines:
            kept = inner.lstrip("\t") if found[1] else inner
            if kept == end:
                break
            is_kept = found[3] or found[4]
            body.append((at, kept if is_kept else filled_in(kept), len(inner) - len(kept)))
        if trimmed := _trimmed(body):
            called = filled_in(line[: found.start()] + line[found.end() :]).replace('"', "")
            yield Passage(f"the here-document of line {number}", trimmed, find_invoked_name(called))


def _assigned(text: str) -> Mapping[str, str]:
    """The variables that get one value, and what that is."""
    found = [(each[1], each[2] or each[3] or each[4]) for each in ASSIGNED.finditer(text)]
    times = Counter(name for name, _ in found)
    return {name: value for name, value in found if value and times[name] == 1}


def find_block_scalars(text: str) -> Iterator[Passage]:
    """Find the block scalars of YAML, with the lines that these have."""
    lines, at = _numbered(text), 0
    while at < len(lines):
        found = BLOCK_SCALAR.match(lines[at][1])
        at += 1
        if found is None or not (KEY.match(found[3]) if found[3].strip() else found[2]):
            continue
        parent = len(found[1]) + (len(found[2]) if found[3].strip() else 0)
        indent, body = parent + int(found[6]) if found[6] else 0, list[PlacedLine]()
        while at < len(lines):
            number, inner = lines[at]
            width = len(inner) - len(inner.lstrip(" "))
            if inner and width < max(indent, parent + 1, 1 if body or indent else 0):
                break
            indent = indent or (width if inner else 0)
            body.append((number, inner[indent:], indent))
            at += 1
        if trimmed := _trimmed(body):
            name = found[3].partition(":")[0].strip(" '\"") or "a list"
            yield _folded(name, trimmed) if found[4] == ">" else Passage(name, trimmed)


def _folded(name: str, body: Sequence[PlacedLine]) -> Passage:
    """A scalar whose lines are folded into one, but where a command begins: that would be lost, and is told."""
    found, is_folded = list[PlacedLine](), False
    for (number, line, before), (_, following, _) in zip(body, [*body[1:], (0, "", 0)], strict=True):
        is_joined = bool(line and following) and following[0] not in " \t*" and line[-1] not in "+-"
        begins = is_joined and bool(BEGINS_COMMAND.match(following))
        is_folded = is_folded or begins
        found.append((number, f"{line} +" if is_joined and not begins else line, before))
    return Passage(name, found, folded=is_folded)


def _find_in_stream_data(text: str) -> Iterator[Passage]:
    """Find the data that stands in the stream of JCL, with the queue manager that the utility is called for."""
    owner, name, body = "", "", list[PlacedLine]()
    ends: tuple[str, ...] = ()
    for number, line in [*_numbered(text), (0, "")]:
        if name and (not number or line[:2] in ends):
            if trimmed := _trimmed(body):
                yield Passage(name, trimmed, owner)
            name, body = "", []
        elif name:
            body.append((number, line[:COLUMNS].rstrip(), 0))
        statement = None if name else STATEMENT.match(line)
        if statement and statement[2] == "EXEC":
            called = OF_THE_UTILITY.match(statement[3] or "")
            owner = called[1] if called else ""
        elif statement and statement[2] == "DD" and (given := IN_STREAM.search(statement[3] or "")):
            other = DELIMITER.search(statement[3])
            name = statement[1] or "SYSIN"
            ends = (other[1] or other[2],) if other else ("/*",) if given[1] == "DATA" else ("/*", "//")


def _is_shell(text: str) -> bool:
    """Whether it begins as a shell script does, or gives a here-document to runmqsc."""
    begins = SHEBANG.match(text)
    if begins:
        return begins[1] in SHELLS or (begins[1] == "env" and begins[2] in SHELLS)
    if not ("runmqsc" in text and "<<" in text):
        return False
    lines = ScriptLines(text)
    called = any(not lines.is_remark(begin, end) for begin, end in _calls(text))
    return called and not has_output(text)


def _calls(text: str) -> Iterator[tuple[int, int]]:
    """Where a line calls runmqsc with a here-document, the one before the other: first and last place."""
    begin = 0
    for line in text.split("\n"):
        first, last = line.find("<<"), line.rfind("<<")
        names = [found.span() for found in CALLED.finditer(line)] if first >= 0 else []
        if names and names[0][1] <= last and "#" not in line[: names[0][0]]:
            yield begin, begin + last + 2
        elif names and first + 2 <= names[-1][0]:
            yield begin + first, begin + names[-1][1]
        begin += len(line) + 1


KINDS: Mapping[str, tuple[str, Callable[[str], object], Callable[[str], Iterator[Passage]]]] = {
    "shell": ("a shell script", _is_shell, _find_here_documents),
    "YAML": ("YAML", lambda text: YAML_FIRST.match(text), find_block_scalars),
    "JCL": ("JCL", lambda text: JCL_FIRST.match(text), _find_in_stream_data),
}
"""The formats: what each is called, how it is told from others, where MQSC stands in it."""


def _find_passages(text: str, kind: str) -> list[Passage]:
    """Find the passages of MQSC in a text, if it is of that kind."""
    _, is_one, within = KINDS[kind]
    text = text.removeprefix(BYTE_ORDER_MARK)
    return [each for each in within(text) if each.is_mqsc] if is_one(text) else []


def describe_unreadable_text(text: str) -> str:
    """Describe a text of a known kind, or a program, that holds no MQSC to be read; blank for others."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    begins = SHEBANG.match(text)
    if begins and not _is_shell(text):
        return PROGRAM.format(begins[2] if begins[1] == "env" else begins[1])
    if begins and not _find_passages(text, "shell"):
        words = _in_words(text)
        return ONLY_WORDS.format(_lines(words)) if words else WITHOUT.format("a shell script")
    if JCL_FIRST.match(text) and not _find_passages(text, "JCL"):
        return WITHOUT.format("JCL")
    if fenced := _fenced(text):
        return MARKDOWN.format(_lines(fenced))
    if YAML_FIRST.match(text) and OF_KUBERNETES.search(text) and not _find_passages(text, "YAML"):
        return WITHOUT.format("YAML")
    return ""


def _fenced(text: str) -> list[int]:
    """The lines of Markdown at which MQSC begins between fences: an example, and nobody's configuration."""
    if "```" not in text or BEGINS_SCRIPT.match(text):
        return []
    blocks = [found.span(1) for found in FENCED.finditer(text) if MQSC_COMMAND.search(found[1])]
    before = [0, *(begin for begin, _ in blocks)]
    return [*accumulate((text.count("\n", *between) for between in pairwise(before)), initial=1)][1:]


def _in_words(text: str) -> list[int]:
    """The lines of a shell script that print a command of MQSC, which stands in quotes there."""
    return [number for number, line in enumerate(text.split("\n"), 1) if _prints_command(line)]


def _prints_command(line: str) -> bool:
    remark, begin = line.find("#"), 0
    for quote in QUOTE.finditer(line):
        prints = PRINTS.search(line, begin, quote.start())
        if prints and 0 <= remark < prints.start():
            return False
        if prints and BEGINS_COMMAND.match(line, quote.end()):
            return True
        begin = quote.end()
    return False


def _read(kind: str, text: str, source: str) -> Script:
    """What the passages state. Those that do not tell whose they are belong to the only one that others name.

    Never raises.
    """
    found = _find_passages(text, kind)
    scripts = [evolve(read, queue_manager=read.queue_manager or each.owner)
               for each in found for read in [read_embedded(each.lines, source)]]  # fmt: skip
    if not scripts:  # somebody says that it is of this kind
        return Script(source, "", (), (Diagnostic(source, WITHOUT.format(KINDS[kind][0])),))
    names = list(dict.fromkeys(each.queue_manager for each in scripts if each.queue_manager))
    if len(names) < 2:
        scripts = [evolve(each, queue_manager="".join(names)) for each in scripts]
    owners = dict.fromkeys(each.queue_manager for each in scripts)
    first, *others = (merge_scripts([each for each in scripts if each.queue_manager == name]) for name in owners)
    return evolve(first, further=tuple(others), notes=tuple(_notes(kind, text, source, found)))


def _notes(kind: str, text: str, source: str, found: Sequence[Passage]) -> Iterator[Diagnostic]:
    yield Diagnostic(source, EMBEDDED.format(KINDS[kind][0], "; ".join(map(str, found))))
    yield from (Diagnostic(source, FOLDED, each.lines[0][0]) for each in found if each.folded)
    words = _in_words(text) if kind == "shell" else []
    if words:
        yield Diagnostic(source, WORDS_TOO.format(_lines(words)), words[0])


def _recognised(kind: str, text: str, _: str) -> Confidence:
    return Confidence.sure_if(_find_passages(text, kind))


SHELL, YAML, JCL = (Format(kind, TITLE, partial(_recognised, kind), partial(_read, kind)) for kind in KINDS)
