"""Options and arguments that subcommands share, and the inputs that they name: files, exits, settings."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, BinaryIO

import click
from attrs import AttrsInstance, evolve, fields, frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import ExecutorName
from mqclause.executors.pipeline import find_chaining_fault
from mqclause.exits.process import Exit, Exits, is_deferred_call
from mqclause.model.configuration.changes import CHANGES
from mqclause.model.configuration.snapshot import Snapshot, apply_changes, read_sources
from mqclause.model.configuration.sources import (
    NamedFile,
    Source,
    find_named_files,
    leave_out_repeated_files,
    open_named,
)
from mqclause.model.diagnostics import (
    Diagnostic,
    FactsError,
    call_arguments,
    escape_controls,
    quote_value,
    suggest_allowed,
    suggest_name,
)
from mqclause.model.facts.domains import quote_name
from mqclause.model.readers.encodings import (
    LONGEST_LINE,
    Content,
    FileContent,
    find_link_fault,
)
from mqclause.model.readers.facts_files import parse_json, parse_toml
from mqclause.model.readers.formats import LONGEST_PATH
from mqclause.model.readers.mqsc import MQSC
from mqclause.model.readers.registry import FORMATS
from mqclause.render.terminal import show_progress
from mqclause.rulebook.loader import Interpretation, check_keys
from mqclause.rulebook.rule import Declaration, ReadingError, RuleError
from mqclause.rulebook.rules import CLAUSE_FILE_KEYS, CLAUSE_KEYS, LARGEST_FILE, Rules
from mqclause.tools.commands.declared import EXIT_FORM, FOLDER
from mqclause.tools.commands.settings import blame_settings
from mqclause.tools.output import ORIGIN, print_warnings

FORMAT_NAMES = {each.name.lower(): each.name for each in FORMATS} | {"dmpmqcfg": MQSC.name}


def parse_readings(given: tuple[str, ...]) -> dict[str, str]:
    """Parse the options --reading: choices by the ids of readings. Raises ReadingError."""
    chosen = {}
    for text in given:
        name, equals, choice = text.partition("=")
        if not equals:
            raise ReadingError(f"--reading {text!r} is not ID=CHOICE")
        chosen[name] = choice
    return chosen


@frozen
class Inputs:
    """The options that say what a command is asked about: the files, the view of them, what if, the rules, the exits.

    Each field is an option that ``declared`` declares; a command that does not have
    an option leaves its default.
    """

    facts: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    named_format: str | None = None
    local: str | None = None
    lenient: bool = False
    sets: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    edition: str | None = None
    exits: tuple[str, ...] = ()
    exit_limit: str | None = None

    @property
    def about_facts(self) -> tuple[object, ...]:
        """The options about the facts, which are empty where they are not given."""
        return self.facts, self.overlays, self.named_format, self.local, self.lenient, self.sets, self.states

    def check_lines(self) -> None:
        """Raise UsageError for what --lines does not take: each of its lines is one document."""
        check_only_lines(self.facts)
        if self.overlays or self.named_format or self.local:
            raise click.UsageError("--lines: each line is one facts document; leave out --from, --with and --format")

    def load_rules(self) -> Rules:
        """Load the rules under the readings, of the edition and in the folder that the options name.

        Raises ReadingError, and FactsError for what is wrong with any file of a folder.
        """
        kept = click.get_current_context().meta
        with blame_settings("reading", "edition"):
            chosen = parse_readings(self.readings)
            if (folder := kept.get(FOLDER)) is None:
                return Rules(chosen, self.edition)
            rules = load_own_rules(folder, chosen, self.edition)
        kept[ORIGIN] = rules.origin
        return rules

    def load_exits(self) -> Exits:
        """Load the functions of --exit. Raises UsageError."""
        found: dict[str, Exit] = {}
        for text in self.exits:
            name, _, place = text.rpartition("=")
            module, colon, function = place.partition(":")
            if not (name.strip(" ") and module and colon and function):
                raise click.UsageError(f"--exit {text!r} is not {EXIT_FORM}; NAME is that in CLWLEXIT")
            if name in found:
                raise click.UsageError(f"--exit {text!r}: an exit {name!r} is given already")
            found[name] = _load_function(text, module, function)
        limit = self.exit_limit
        try:
            return Exits(found, None if limit is None else float(limit))
        except (TypeError, ValueError) as error:
            said = str(error)
            said = said if said.startswith("exits") else "is not allowed; allowed: a number of seconds above 0"
            raise click.UsageError(f"--exit-limit {limit!r} {said}") from None

    def read_sources(self) -> list[Source]:
        """Read the files, then the scripts of --with. Raises ClickException."""
        return [*read_inputs(self.facts, self.named_format), *read_overlays(self.overlays)]

    def build_snapshot(self, sources: Sequence[Source]) -> Snapshot:
        """Build what the local queue manager knows by ``sources``, as it is after what if. Raises FactsError."""
        return self.apply_changes(read_sources(sources, self.local, self.lenient))

    def apply_changes(self, snapshot: Snapshot) -> Snapshot:
        """Apply --set, then --status. Raises FactsError and UsageError."""
        snapshot = apply_changes(snapshot, self.sets)
        with blame_status_option():
            return apply_changes(snapshot, build_state_commands(self.states))


def group_options(**groups: type[AttrsInstance]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Pass the options that are fields of an attrs class to the command as one object, under the name given here."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def grouped(**options: Any) -> Any:
            for name, of in groups.items():
                given = [each.name for each in fields(of) if each.name in options]
                options[name] = of(**{each: options.pop(each) for each in given})
            return command(**options)

        return grouped

    return decorate


def check_only_lines(others: Sequence[object]) -> None:
    """Raise UsageError if facts are named beside --lines."""
    if others:
        raise click.UsageError("--lines takes its facts from its own file; name no other")


def read_input(name: str) -> bytes | Content:
    """Read a file, or return what reads a large one; - is standard input. Raises ClickException and FactsError."""
    return read_named_file(NamedFile(name)).data


@frozen(eq=False)
class FollowedFile(FileContent):
    """A large file; a bar on a terminal says how far it is read."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file in pieces."""
        size, read = self.path.stat().st_size, 0
        with show_progress(lambda: read / size, f"reading {self.path.name}"):
            for piece in super().pieces():
                yield piece
                read += len(piece)


def read_input_lines(name: str) -> Iterator[bytes]:
    """Read the lines of a file; - is standard input. Raises ClickException."""
    with _telling_unreadable(name), open_named(name) as file:
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise click.ClickException(f"{escape_controls(name)}: has a line of more than {LONGEST_LINE >> 20} MB")
            yield line


def answer_lines(lines: Iterable[bytes], out: BinaryIO, answer: Callable[[Mapping[str, Any], str], bytes]) -> int:
    """Write the answer to the document of each line, which is named like ``line 3``; return 0, or 2 if one was bad.

    A bad line gives ``{"error": "…"}`` in its place and the run goes on.
    """
    status = 0
    for number, line in enumerate(lines, start=1):
        source = f"line {number}"
        try:
            out.write(answer(_parse_line(line, source), source))
        except FactsError as error:
            said = json.dumps({"error": str(error).replace("\n", "; ")}, ensure_ascii=False)
            out.write(f"{said}\n".encode())
            status = 2
    out.flush()
    return status


def _parse_line(line: bytes, source: str) -> Mapping[str, Any]:
    """Without what ends a line: nothing of it stands on a second line. Raises FactsError."""
    try:
        document = parse_json(line.rstrip(b"\r\n").decode(), source)
    except UnicodeDecodeError as error:
        raise FactsError([Diagnostic(source, f"is not UTF-8 at byte {error.start}")]) from None
    if document.diagnostics:
        raise FactsError(document.diagnostics)
    data: Mapping[str, Any] = document.data
    return data


def choose_executor() -> ExecutorName:
    """Choose the executor that explains: chaining, or plain where durable_rules is not to be had, which a line says."""
    lacking = find_chaining_fault()
    if not lacking:
        return "chaining"
    print(f"{lacking}: explained by the plain executor instead of by chaining", file=sys.stderr)  # noqa: T201
    return "plain"


def print_unnamed_exits(given: Exits, named: Iterable[str]) -> None:
    """Warn of each exit that is given and never called: no CLWLEXIT, which are ``named``, has its name."""
    names = [each for each in dict.fromkeys(named) if each]
    is_now = f"CLWLEXIT is {' or '.join(map(repr, names)) or 'blank'}"
    meant = [each for each in names if each not in given.names]
    others = (each for each in given.names if each not in names)
    print_warnings((), [f"the exit {each!r} is not called: {is_now}{_meant(each, meant)}" for each in others])


@contextmanager
def blame_status_option() -> Iterator[None]:
    """Have faults and findings of the commands that --status stands for name that option."""
    with call_arguments({CHANGES: "--status"}):
        yield


def build_state_commands(states: Iterable[str]) -> list[str]:
    """Build the commands that set what the options CHANNEL=STATE say. Raises UsageError."""
    commands = []
    for each in states:
        channel, equals, state = each.rpartition("=")
        if not equals:
            raise click.UsageError(f"--status {each!r} is not CHANNEL=STATE")
        commands.append(f"CHANNEL({quote_mqsc(channel)}) STATUS({quote_mqsc(state)})")
    return commands


def quote_mqsc(text: str) -> str:
    """Quote a value as MQSC writes it."""
    return "'" + text.replace("'", "''") + "'"


def read_inputs(names: tuple[str, ...], named_format: str | None = None) -> list[Source]:
    """Read the files that are named, ``-`` for standard input, ``QM1=FILE`` for a file of the queue manager QM1.

    A folder stands for every file in it, a pattern that no shell expanded for every file that fits. Raises
    ClickException.
    """
    return [*map(read_named_file, find_files(names, named_format))]


def find_files(names: tuple[str, ...], named_format: str | None = None) -> list[NamedFile]:
    """Find the files as for sources, none of them read yet. Raises ClickException."""
    if not names:
        raise click.UsageError("name at least one file with facts (or - for standard input); see --help")
    name_of_format = FORMAT_NAMES[named_format.lower()] if named_format else ""
    found = [each for name in names for each in find_named_files(name)]
    return [evolve(each, format=name_of_format) for each in leave_out_repeated_files(found)]


def read_overlays(names: tuple[str, ...]) -> list[Source]:
    """Read the scripts that ``--with`` names. Raises ClickException."""
    return [evolve(read_named_file(each), overlay=True) for name in names for each in find_named_files(name)]


@contextmanager
def _telling_unreadable(name: str) -> Iterator[None]:
    """Have what an operating system says of a file told in one line."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{escape_controls(name)}: {(error.strerror or 'cannot be read').lower()}") from None


def read_named_file(file: NamedFile) -> Source:
    """Read a file; how far a large one is read is shown. Raises ClickException and FactsError."""
    with _telling_unreadable(file.path):
        source = file.read()
    return evolve(source, data=FollowedFile(source.data.path)) if isinstance(source.data, FileContent) else source


def _meant(name: str, named: Sequence[str]) -> str:
    """What CLWLEXIT could have been meant to be; MQSC makes capitals of a name without quotes."""
    return f"; quote it in MQSC: CLWLEXIT({quote_name(name)})" if name.upper() in named else suggest_name(name, named)


def _load_function(text: str, module: str, function: str) -> Exit:
    """The function of a module, which may lie in the working folder. Raises UsageError."""
    here = str(Path.cwd())
    if here not in sys.path and module.partition(".")[0] != __name__.partition(".")[0]:
        # Behind all others: what lies in the folder must not stand for a library.
        sys.path.append(here)
    try:
        with redirect_stdout(sys.stderr):
            found: Any = import_module(module)
        for part in function.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # a module may raise what it likes
        said = " ".join(f"{type(error).__name__}: {error}".split())
        hint = f"; a module goes without .py: {module.removesuffix('.py')}" if module.endswith(".py") else ""
        raise click.UsageError(f"--exit {text!r}: {said}{hint}") from None
    if fault := _describe_misfit(found, function, module):
        raise click.UsageError(f"--exit {text!r}: {fault}")
    made: Exit = found
    return made


def _describe_misfit(found: Any, function: str, module: str) -> str:
    """Why a function cannot be an exit; blank if it can, or if nobody knows."""
    if not callable(found):
        return f"{function} of {module} cannot be called; an exit takes one MQWXP"
    if is_deferred_call(found):
        return f"{function} of {module} is a coroutine or a generator: a call does nothing"
    try:
        parameters = signature(found)
    except (TypeError, ValueError):
        return ""  # of some that are written in C
    try:
        parameters.bind(None)
    except TypeError:
        return f"{function}{parameters} of {module} does not take one MQWXP alone"
    return ""


MOST_WAYS = 1_000
"""In so many ways may the documents of a folder be read: by editions, and by choices of readings."""


def load_own_rules(folder: str, readings: Mapping[str, str], edition: str | None) -> Rules:
    """Load the rules of a folder. Raises FactsError for what is wrong in any of its files, and ReadingError.

    All is read, also what counts in another edition or by another reading alone.
    """
    in_force = Interpretation((), {})
    try:
        found = Rules(folder=folder)
        _check_folders(found)
        for known in _stated_editions(found):
            rules = found.in_edition(known) if known else found
            for chosen, about in _ways(rules):
                read = rules.under(chosen) if chosen else rules
                in_force = read.in_force
                read.ruleset(about)
    except RuleError as error:
        faults = (_diagnostic(folder, each, in_force) for each in (error, *error.others))
        raise FactsError(dict.fromkeys(faults)) from None
    return (found.in_edition(edition) if edition else found).under(readings)


def build_rules_fault(folder: str, error: RuleError | ValueError) -> FactsError:
    """Build the error that names each fault of a rule folder with its place there."""
    if isinstance(error, RuleError):
        return FactsError([_diagnostic(folder, each, Interpretation((), {})) for each in (error, *error.others)])
    return FactsError([Diagnostic(folder, str(error))])


def _check_folders(rules: Rules) -> None:
    """Raises RuleError for a folder, terms or a reading of a document that nobody asks: one that has no clauses."""
    known = [*DOCUMENTS, *(name for name in rules.clauses if name not in DOCUMENTS)]
    for path in rules.files:
        name, slash, _ = path.partition("/")
        if slash and name not in (*known, "documents"):
            raise RuleError(path, "", f"{name}/ is not the folder of a document{suggest_allowed(name, known)}")
        if name == "documents":
            _check_sentences(path, rules.toml(path))
    for name in rules.toml("terms.toml"):
        if name not in known:
            raise RuleError("terms.toml", name, f"is not the folder of a document{suggest_allowed(name, known)}")
    for reading in rules.known_readings.values():
        for clause in reading.clauses:
            if (name := clause.partition("/")[0]) not in known:
                said = f"{quote_value(clause)} is not a clause of a document{suggest_allowed(name, known)}"
                raise RuleError("readings.toml", f"{reading.id}.clauses", said)


def _check_sentences(path: str, table: Mapping[str, Any]) -> None:
    """Raises RuleError for a key of a file of documents/ that nobody reads."""
    for key in table:
        if key not in CLAUSE_FILE_KEYS:
            raise RuleError(path, key, f"is not known{suggest_allowed(key, CLAUSE_FILE_KEYS)}")
        if not isinstance(table[key], CLAUSE_FILE_KEYS[key]):
            raise RuleError(path, key, f"{quote_value(table[key])} is not text")
    for place, each in enumerate(table.get("clause", ()), 1):
        check_keys(path, f"clause {place}", each, CLAUSE_KEYS)


def _stated_editions(rules: Rules) -> list[str]:
    """The first edition, and each for which a file states anything: all others are read as the one before them.

    Raises RuleError where editions and readings make too many ways to read the documents.
    """
    stated = rules.stated_editions
    editions = [each for each in rules.known_editions if each == rules.known_editions[0] or each in stated]
    ways = len(editions) * sum(1 for _ in _ways(rules))
    if ways > MOST_WAYS:
        said = f"with editions.toml there are {ways} ways to read the rules; allowed: {MOST_WAYS}"
        raise RuleError("readings.toml", "", said)
    return editions


def _ways(rules: Rules) -> Iterator[tuple[Mapping[str, str], Declaration]]:
    """Each document, by each choice of a reading that concerns it."""
    for about in DOCUMENTS.values():
        yield {}, about
        for reading in rules.known_readings.values():
            for choice in reading.choices[1:] if any(reading.concerns(each.name) for each in about.course) else ():
                yield {reading.id: choice}, about


def _keys(key: str) -> list[str | int]:
    """The path of a key that is written like ``reading.'id=choice'.when``, or ``notices 1.where`` in a list."""
    found: list[str | int] = []
    for in_quotes, name, place in KEY_PART.findall(key):
        found += [in_quotes or name, *([int(place) - 1] if place else [])]
    return found


KEY_PART = re.compile(r"'([^']*)'|([^.' ]+)(?: ([0-9]+))?")


def _diagnostic(folder: str, error: RuleError, in_force: Interpretation) -> Diagnostic:
    """What is wrong, with the place of its key, where what is in force states it first."""
    path, said = Path(folder, error.path), f"{error.key}: {error.message}".removeprefix(": ")
    if not os.path.isfile(path) or path.stat().st_size > LARGEST_FILE or find_link_fault(path, folder):
        return Diagnostic(str(path) if error.path else "--rules", said)
    document = parse_toml(path.read_text(encoding="utf-8", errors="replace"), str(path))
    if document.diagnostics:
        return document.diagnostics[0]
    keys, find = _keys(error.key), document.places
    stated = [("reading", f"{name}={choice}") for name, choice in in_force.readings.items()]
    stated += [("edition", name) for name in reversed(in_force.editions)]
    places = [*(find.place_of(*(*each, *keys)[:LONGEST_PATH]) for each in stated), find.find_nearest(*keys)]
    return Diagnostic(str(path), said, *next((each for each in places if each[0] is not None), places[-1]))
