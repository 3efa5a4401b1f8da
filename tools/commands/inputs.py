"""What the arguments FACTS name: files, folders, patterns, standard input, and whose a file is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from glob import escape, glob, has_magic
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from mqclause.model.assembly.change import changed
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import Diagnostic, FactsError, visible
from mqclause.model.facts.objects import Put
from mqclause.model.readers.container import allowance
from mqclause.model.readers.mqsc.format import MQSC
from mqclause.model.readers.registry import FORMATS
from mqclause.tools.commands.options import content, file_name, unpadded

FORMAT_NAMES = {each.name.lower(): each.name for each in FORMATS} | {"dmpmqcfg": MQSC.name}


def facts_options(
    local: str = "The local queue manager, where several dumps are given.",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options about FACTS: whose view it is, what if they were otherwise, how they are read.

    ``local`` says what --from means.
    """
    options = (
        click.option("--from", "local", type=unpadded, metavar="QMGR", help=local),
        click.option("--with", "overlays", multiple=True, type=file_name, metavar="[QMGR=]FILE",
                     help="What if this MQSC script were run too."),
        click.option(
            "--set", "sets", multiple=True, metavar="COMMAND", help="What if: 'QLOCAL(Q) QMGR(QM2) PUT(DISABLED)'."
        ),
        click.option(
            "--status",
            "states",
            multiple=True,
            metavar="CHANNEL=STATE",
            help="What if a channel were so, after each --set.",
        ),
        click.option("--lenient", is_flag=True, help="Leave out MQSC commands that cannot be read, with a warning."),
        click.option(
            "--format",
            "named_format",
            type=click.Choice(sorted(FORMAT_NAMES), case_sensitive=False),
            help="The format of FACTS, where their content does not tell.",
        ),
    )  # fmt: skip

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def what_if(snapshot: Snapshot, sets: Iterable[str], states: Iterable[str]) -> Snapshot:
    """The snapshot with what the options set. Raises FactsError and UsageError."""
    snapshot = changed(snapshot, sets)
    with of_status():
        return changed(snapshot, state_commands(states))


@contextmanager
def of_status() -> Iterator[None]:
    """Has faults of the commands that --status stands for name that option."""
    try:
        yield
    except FactsError as error:
        raise FactsError(evolve(each, source="--status") for each in error.diagnostics) from None


def state_commands(states: Iterable[str]) -> list[str]:
    """What the options CHANNEL=STATE set, as commands. Raises UsageError."""
    commands = []
    for each in states:
        channel, equals, state = each.rpartition("=")
        if not equals:
            raise click.UsageError(f"--status {each!r} is not CHANNEL=STATE")
        commands.append(f"CHANNEL({quote(channel)}) STATUS({quote(state)})")
    return commands


def refuse_model_queue(put: Put, snapshot: Snapshot, source: str | None) -> None:
    """Raises FactsError if ``put`` names a model queue of the local queue manager."""
    refusal = snapshot.cluster.refusal(put.queue, put.queue_manager)
    if refusal:
        raise FactsError([Diagnostic(source or "put", f"put: {refusal}" if source else refusal)])


def quote(text: str) -> str:
    """A value as MQSC writes it."""
    return "'" + text.replace("'", "''") + "'"


def sources(names: tuple[str, ...], overlays: tuple[str, ...] = (), named_format: str | None = None) -> list[Source]:
    """The files that are named, ``-`` for standard input, ``QM1=FILE`` for a file of the queue manager QM1.

    A folder stands for every file in it, a pattern that no shell expanded for every file that fits. ``overlays`` are
    scripts that change what those say; ``named_format`` is the format that is told of the others, not of them.
    Raises ClickException.
    """
    return [each.read() for each in named_files(names, named_format)] + overlay_sources(overlays)


def named_files(names: tuple[str, ...], named_format: str | None = None) -> list[NamedFile]:
    """The files as for sources, none of them read yet. Raises ClickException."""
    if not names:
        raise click.UsageError("name at least one file with facts (or - for standard input); see --help")
    name_of_format = FORMAT_NAMES[named_format.lower()] if named_format else ""
    return [evolve(each, format=name_of_format) for name in names for each in _named(name)]


def overlay_sources(names: tuple[str, ...]) -> list[Source]:
    """The scripts that ``--with`` names. Raises ClickException."""
    return [evolve(each.read(), overlay=True) for name in names for each in _named(name)]


@frozen
class NamedFile:
    """A file that an argument names, or that is ``found`` in a folder or by a pattern."""

    path: str
    owner: str = ""
    found: bool = False
    format: str = ""

    def read(self) -> Source:
        """The file with its content. Raises ClickException."""
        return Source(self.path, content(self.path), self.owner, self.found, format=self.format)


def _named(name: str) -> Iterator[NamedFile]:
    owner, equals, path = name.partition("=")
    owner = owner.rstrip(" ")
    if not equals or os.path.exists(name):
        owner, path = "", name
    if os.path.isdir(path):
        found = sorted(each for each in _below(Path(path)) if os.path.isfile(each))
    elif path != "-" and has_magic(path) and not os.path.exists(path):
        found = sorted({each for each in map(Path, _fitting(path)) if os.path.isfile(each)})
    else:
        yield NamedFile(path, owner)
        return
    if owner:
        raise click.ClickException(f"{name}: allowed behind {owner}= is one file")
    if not found:
        raise click.ClickException(f"{visible(path)}: no file is there")
    allowance().read(len(found), path)
    for each in found:
        yield NamedFile(str(each), found=True)


def _below(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, but for hidden ones; a link to a folder is not followed."""
    for above, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (Path(above, each) for each in files if not each.startswith("."))


def _fitting(pattern: str) -> Iterator[str]:
    """What fits a pattern, as of a shell; ``**`` stands for a folder and those in it, as where a folder is named."""
    found = ANY_FOLDERS.search(pattern)
    if found is None:
        yield from glob(pattern)
        return
    before, behind = pattern[: found.start()], pattern[found.end() :]
    for start in glob(before) if before else [""]:
        for above, folders, _ in os.walk(start or os.curdir):
            folders[:] = [each for each in folders if not each.startswith(".")]
            within = above if start else above[len("./") :]
            yield from _fitting(os.path.join(escape(within), behind or "*"))


ANY_FOLDERS = re.compile(r"(?:^|(?<=/))(?:\*\*/)*\*\*(?:/|$)")
"""The part of a pattern that stands for folders in folders."""
